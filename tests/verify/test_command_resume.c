/* `cardan simulate --resume` under circumstances: methods that cannot be saved, full disks, pipes that wait,
 * checkpoints that somebody edited or made elsewhere. */
#define _XOPEN_SOURCE 700
#include "command_run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

static char first[TEXT_SIZE], second[TEXT_SIZE];

/* ---- interruption -------------------------------------------------------------------------------- */

#ifdef TEST_SUNDIALS
/* Their memory is lost where they are saved: a checkpoint at the moment of the interruption would change the
 * results. */
START_TEST(methods_of_sundials_go_on_with_the_same_bytes) {
  static const char *const methods[] = { "cvode-bdf", "ida" };
  enter_directory();
  write_file("state.json", creature_state);
  for (int m = 0; m < 2; m++) {
    int interrupted = 0;
    char run[256];
    snprintf(run, sizeof run,
             "simulate creature.xml --initial state.json --duration 4 --report 0.01 --accuracy 1e-6 --method %s "
             "--checkpoint-every 0.5",
             methods[m]);
    SUCCEEDS("%s -o truth.csv --checkpoint truth.checkpoint --quiet", run);
    /* how long a run takes depends on the machine and on what else it does: every other signal comes after the first
     * checkpoint */
    for (int i = 0; i < 40 && interrupted < 2; i++) {
      int code = cardan("%s -o rows.csv --checkpoint run.checkpoint & p=$!; %s sleep %.3f; kill -TERM $p; wait $p", run,
                        i % 2 ? "while kill -0 $p && ! [ -e run.checkpoint ]; do sleep 0.005; done;" : "",
                        i % 2 ? 0.002 * (i % 10) : 0.01 + 0.02 * (i % 10));
      ck_assert_msg(code == 143 || code == 0, "exit code %d: %s", code, errors);
      if (code == 143 && exists("run.checkpoint")) {
        interrupted++;
        SAYS(errors, "run.checkpoint: holds the run at t = ");
        SUCCEEDS("simulate --resume run.checkpoint --quiet");
      }
      if (code == 0 || exists("run.checkpoint")) check_same_file("rows.csv", "truth.csv");
      unlink("run.checkpoint");
    }
    ck_assert_int_gt(interrupted, 0);
  }
}
END_TEST
#endif

static void wait_for(double seconds) {
  struct timespec t = { .tv_nsec = (long)(1e9 * seconds) };
  nanosleep(&t, NULL);
}

/* Rows go to a pipe that nobody reads, so that the program waits in a write when the signal comes. */
START_TEST(a_signal_during_a_write_leaves_whole_rows) {
  enter_directory();
  int ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0), dup2(ends[1], 1), dup2(null, 2);
    close(ends[0]), close(ends[1]);
    execl(program(), "cardan", "simulate", "one.xml", "--key", "fast", "--duration", "20", "--report", "0.001", "-o",
          "-", "--quiet", (char *)NULL);
    _exit(99);
  }
  close(ends[1]);
  /* until the pipe is full; a busy machine takes its time */
  for (int i = 0, inside = 0; i < 600 && inside < 65536 - 4096; i++) {
    wait_for(0.05);
    ck_assert_int_eq(ioctl(ends[0], FIONREAD, &inside), 0);
  }
  wait_for(0.1);
  kill(child, SIGINT);
  wait_for(0.2);
  size_t n = 0;
  for (ssize_t got; (got = read(ends[0], first + n, sizeof first - 1 - n)) > 0;) n += (size_t)got;
  first[n] = 0;
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 130, "status %x", (unsigned)status);
  ck_assert_int_gt((int)n, 60000);
  write_file("rows.csv", first);
  ck_assert_int_gt(parse_csv_file("rows.csv")->rows, 100);
}
END_TEST

/* ---- a disk that is full ------------------------------------------------------------------------- */

/* Hinges side by side, so many that a row is handed to the system by itself: then the flush of a checkpoint finds
 * nothing left to write of a row that was lost. */
static void write_wide_model(void) {
  enum { JOINTS = 900 };
  FILE *file = fopen("wide.xml", "w"), *state = fopen("wide.json", "w");
  ck_assert(file && state);
  fputs("<mujoco><worldbody>", file);
  fputs("{\"q\": [", state);
  for (int i = 0; i < JOINTS; i++) {
    fprintf(file, "<body pos=\"%d 0 0\"><joint name=\"j%d\" type=\"hinge\" axis=\"0 1 0\" damping=\"0.1\"/>", i, i);
    fputs("<inertial pos=\"0.1 0 1\" mass=\"1\" diaginertia=\"1 1 1\"/></body>", file);
    fprintf(state, "%s0.%d", i ? ", " : "", i * 7919 + 1);
  }
  fputs("</worldbody></mujoco>", file);
  fputs("]}", state);
  ck_assert(fclose(file) == 0 && fclose(state) == 0);
}

/* A limit on the size of files stands in for the disk: it lets the checkpoint through and not the trajectory. */
START_TEST(a_full_disk_leaves_a_checkpoint_that_can_be_resumed) {
  enter_directory();
  write_wide_model();
#define CROWDED "simulate wide.xml --initial wide.json --duration 0.4 --report 0.002 --no-companion --quiet"
  SUCCEEDS(CROWDED " -o truth.csv");
  char line[1024];
  snprintf(line, sizeof line,
           "(trap '' XFSZ; ulimit -f 5000; '%s' " CROWDED
           " -o rows.csv --checkpoint run.checkpoint --checkpoint-every 0.002 "
           "> .output 2> .errors)",
           program());
  int status = system(line);
  read_file(".errors", errors);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 4, "status %x: %s", (unsigned)status, errors);
  SAYS(errors, "rows.csv");
  ck_assert_int_ne(system("cmp -s rows.csv truth.csv"), 0);
  SUCCEEDS("simulate --resume run.checkpoint --quiet");
  ck_assert_int_eq(system("cmp rows.csv truth.csv"), 0);
}
END_TEST

/* ---- checkpoints that were edited, or made elsewhere --------------------------------------------- */

static char bytes[TEXT_SIZE];
static size_t n_bytes;

static void read_checkpoint(const char *name) {
  FILE *file = fopen(name, "rb");
  ck_assert_ptr_nonnull(file);
  n_bytes = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  ck_assert(n_bytes > 1000 && n_bytes < sizeof bytes);
}

/* run.checkpoint with another value of one member of its head, and the checksum that goes with it. */
static void edit_head(const char *member_name, const char *value) {
  read_checkpoint("run.checkpoint");
  int format, start = 0;
  size_t size;
  ck_assert_int_eq(sscanf(bytes, "cardan checkpoint %d, %zu bytes of JSON, checksum %*x%n", &format, &size, &start), 2);
  start++;
  json_t *head = json_loadb(bytes + start, size, 0, NULL), *edited = json_loads(value, JSON_DECODE_ANY, NULL);
  ck_assert(head && edited);
  json_object_set_new(head, member_name, edited);
  char *text = json_dumps(head, JSON_REAL_PRECISION(17));
  FILE *file = fopen("edited.checkpoint", "wb");
  size_t length = strlen(text);
  fprintf(file, "cardan checkpoint %d, %zu bytes of JSON, checksum %08lx\n", format, length,
          crc32(0, (const Bytef *)text, (uInt)length));
  fwrite(text, 1, length, file);
  fwrite(bytes + start + size, 1, n_bytes - (size_t)start - size, file);
  fclose(file);
  free(text);
  json_decref(head);
}

START_TEST(numbers_that_no_run_has_are_refused) {
  enter_directory();
  SUCCEEDS("simulate one.xml --key fast --duration 1 -o rows.csv --checkpoint run.checkpoint --summary run.json");
  read_file("rows.csv", second);
  edit_head("strict", "false"); // what changes nothing is accepted
  SUCCEEDS("simulate --resume edited.checkpoint --quiet");
  read_file("rows.csv", first);
  ck_assert_str_eq(first, second);
  static const struct {
    const char *member, *value;
  } wrong[] = { { "duration", "-1.0" },
                { "duration", "1e300" },
                { "duration", "1e9" },
                { "duration", "0.97" },
                { "accuracy", "-1e-4" },
                { "accuracy", "1e-30" },
                { "accuracy", "1e-5" },
                { "step", "-0.1" },
                { "step", "0.1" },
                { "method", "\"verlet\"" },
                { "method", "\"guess\"" },
                { "report", "-0.01" },
                { "report", "1e-300" },
                { "report", "0.02" },
                { "checkpoint_every", "-1.0" },
                { "checkpoint_wall", "-1.0" },
                { "time_initial", "1e300" },
                { "time_initial", "0.25" },
                { "rows", "-3.0" },
                { "rows", "1e12" },
                { "rows", "7.5" },
                { "rows", "20.0" },
                { "last_row_time", "-1.0" },
                { "last_row_time", "0.5" },
                { "table_rows", "-1.0" },
                { "table_rows", "1e300" },
                { "table_rows", "0.0" },
                { "checksum", "-1.0" },
                { "checksum", "1e300" },
                { "wall_seconds", "-5.0" },
                { "wall_seconds", "\"a while\"" } };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    edit_head(wrong[i].member, wrong[i].value);
    int code = cardan("simulate --resume edited.checkpoint --quiet");
    ck_assert_msg(code == 3, "%s = %s: exit code %d: %s", wrong[i].member, wrong[i].value, code, errors);
    ck_assert_msg(errors[0], "%s = %s: no message", wrong[i].member, wrong[i].value);
    read_file("rows.csv", first);
    ck_assert_msg(strcmp(first, second) == 0, "%s = %s: the trajectory was changed", wrong[i].member, wrong[i].value);
  }
}
END_TEST

/* Rows 0 with checksum 0, or the sum of a file's own bytes, fit any file; so does a summary, which is written anew. */
START_TEST(a_foreign_checkpoint_overwrites_nothing) {
  static const char diary[] = "time flies, and this is nobody's trajectory\n";
  enter_directory();
  SUCCEEDS("simulate one.xml --key fast --duration 1 -o rows.csv --checkpoint run.checkpoint --summary run.json");
  write_file("diary", diary);
  edit_head("output", "\"diary\"");
  rename("edited.checkpoint", "run.checkpoint");
  for (int whole = 0; whole < 2; whole++) {
    char number_of[32], sum[32];
    snprintf(number_of, sizeof number_of, "%zu.0", whole ? strlen(diary) : 0);
    snprintf(sum, sizeof sum, "%lu.0", whole ? crc32(0, (const Bytef *)diary, (uInt)strlen(diary)) : 0);
    edit_head("table_rows", number_of);
    rename("edited.checkpoint", "run.checkpoint");
    edit_head("checksum", sum);
    EXITS(3, "simulate --resume edited.checkpoint --quiet");
    SAYS(errors, "not the trajectory");
    read_file("diary", first);
    ck_assert_str_eq(first, diary);
  }
  static const char *const others[] = { "\"diary\"", "\"one.xml\"" };
  for (int i = 0; i < 2; i++) {
    SUCCEEDS("simulate one.xml --key fast --duration 1 -o rows.csv --checkpoint run.checkpoint --summary run.json");
    edit_head("summary", others[i]);
    EXITS(3, "simulate --resume edited.checkpoint --quiet");
    SAYS(errors, "over"); // would be overwritten
    read_file("diary", first);
    ck_assert_str_eq(first, diary);
    read_file("one.xml", first);
    ck_assert_str_eq(first, pendulum);
  }
  // a summary of the run itself is replaced, and so is one that a killed run has left empty
  SUCCEEDS("simulate --resume run.checkpoint --quiet");
  write_file("run.json", "");
  SUCCEEDS("simulate --resume run.checkpoint --quiet");
  json_decref(parse_file("run.json"));
}
END_TEST

/* The same checkpoint, as a processor would have saved it that rounds a b + c the other way. */
START_TEST(other_kernels_are_said) {
  enter_directory();
  SUCCEEDS("simulate one.xml --key fast --duration 1 -o rows.csv --checkpoint run.checkpoint --summary run.json");
  json_t *summary = parse_file("run.json");
  ck_assert_int_eq((int)integer(summary, "kernel_changes"), 0);
  json_decref(summary);
  SUCCEEDS("simulate --resume run.checkpoint");
  ck_assert_ptr_null(strstr(errors, "rounds differently"));

  read_checkpoint("run.checkpoint");
  enum { HEADER = 32, TRAILER = 4 };
  size_t start = 0, at = 0;
  for (size_t i = 0; i + 8 < n_bytes; i++) {
    if (memcmp(bytes + i, "Cardan\r\n", 8) == 0) start = i + HEADER; // the stepper comes last
    if (!at && memcmp(bytes + i, "KERN", 4) == 0) at = i + 4;        // of the run, not of its companion
  }
  ck_assert(start > 0 && at > start);
  bytes[at] = !bytes[at];
  unsigned long sum = crc32(0, (const Bytef *)bytes + start, (uInt)(n_bytes - TRAILER - start));
  for (int i = 0; i < TRAILER; i++) bytes[n_bytes - TRAILER + (size_t)i] = (char)(sum >> 8 * i);
  FILE *file = fopen("other.checkpoint", "wb");
  fwrite(bytes, 1, n_bytes, file);
  fclose(file);
  SUCCEEDS("simulate --resume other.checkpoint");
  SAYS(errors, "rounds differently");
  SAYS(output, "rounds differently");
  summary = parse_file("run.json");
  ck_assert_int_eq((int)integer(summary, "kernel_changes"), 1);
  json_decref(summary);
}
END_TEST

#ifdef TEST_SUNDIALS
#  define WITH_SUNDIALS methods_of_sundials_go_on_with_the_same_bytes,
#else
#  define WITH_SUNDIALS
#endif
CHECK_MAIN("command resume", WITH_SUNDIALS a_signal_during_a_write_leaves_whole_rows,
           a_full_disk_leaves_a_checkpoint_that_can_be_resumed, numbers_that_no_run_has_are_refused,
           a_foreign_checkpoint_overwrites_nothing, other_kernels_are_said)
