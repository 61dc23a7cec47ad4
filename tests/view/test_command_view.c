/* cardan view: replays in pages, and pages in files. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "../unit/molecule_rig.h"
#include "../verify/command_run.h"
#include "socket_page.h"

/* ---- a page in place of the viewer ---- */

static void write_page(void) {
  write_file("viewer.html",
             "<!doctype html><meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'sha256-a='; "
             "style-src 'sha256-b=';\"><!--cardan-data--><p>end</p>");
  setenv("CARDAN_PAGE", "viewer.html", 1);
}

/* ---- the data of a page in a file ---- */

static unsigned char data[32 << 20];
static size_t data_size;

static void read_data(const char *name) {
  static char text[8 << 20];
  static unsigned char packed[8 << 20];
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  static const char opening[] = "<script id=\"cardan-data\" type=\"text/plain\">";
  FILE *file = fopen(name, "r");
  ck_assert_ptr_nonnull(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  const char *at = strstr(text, opening);
  ck_assert_ptr_nonnull(at);
  ck_assert_ptr_nonnull(strstr(at, "</script><p>end</p>"));
  size_t n = 0;
  uint32_t word = 0;
  int k = 0;
  for (at += strlen(opening); *at != '<' && *at != '='; at++) {
    word = word << 6 | (uint32_t)(strchr(digits, *at) - digits);
    if (++k % 4 == 0)
      for (int i = 2; i >= 0; i--) packed[n++] = (unsigned char)(word >> 8 * i);
  }
  if (k % 4 == 3) packed[n++] = (unsigned char)(word >> 10), packed[n++] = (unsigned char)(word >> 2);
  if (k % 4 == 2) packed[n++] = (unsigned char)(word >> 4);
  z_stream z = { .next_in = packed, .avail_in = (uInt)n, .next_out = data, .avail_out = sizeof data };
  ck_assert_int_eq(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
  ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
  data_size = z.total_out;
  inflateEnd(&z);
}

typedef struct record {
  uint32_t kind, size;
  const unsigned char *bytes;
} record;

static bool next_record(size_t *at, record *r) {
  if (*at >= data_size) return false;
  memcpy(&r->size, data + *at, 4);
  memcpy(&r->kind, data + *at + 4, 4);
  r->bytes = data + *at + 8;
  *at += 8 + (r->size + 7) / 8 * 8;
  return true;
}

enum { MOST_WORDS = 100000 };
static uint32_t words[MOST_WORDS];

static void undo_differences(const record *r) {
  const size_t n = r->size / 4;
  ck_assert_uint_le(n, MOST_WORDS);
  for (size_t i = 0; i < n; i++)
    words[i] += r->bytes[i] | (uint32_t)r->bytes[n + i] << 8 | (uint32_t)r->bytes[2 * n + i] << 16 |
                (uint32_t)r->bytes[3 * n + i] << 24;
  memset(words + n, 0, 4 * (MOST_WORDS - n));
}

/* The pendulum turns about y: its quaternion is cos q/2, 0, sin q/2, 0. */
static void check_pose(const uint32_t *frame, double time, double q) {
  double t;
  float pose[7];
  memcpy(&t, frame + 2, 8);
  NEAR(t, time, 1e-12);
  ck_assert_uint_eq(frame[5], 2);
  memcpy(pose, frame + 10 + 2 * frame[6] + 7, sizeof pose);
  const double sign = pose[3] * cos(q / 2) + pose[5] * sin(q / 2) < 0 ? -1 : 1;
  NEAR(sign * pose[3], cos(q / 2), 1e-6);
  NEAR(sign * pose[5], sin(q / 2), 1e-6);
}

START_TEST(pages_in_files) {
  enter_directory();
  write_page();
  SUCCEEDS("simulate one.xml --key raised --duration 1 --report 0.01 -o run.csv --quiet");
  SUCCEEDS("view one.xml run.csv run.csv --html run.html");
  SAYS(errors, "run.html: 202 frames in ");
  const table *t = parse_csv_file("run.csv");
  read_data("run.html");
  size_t at = 0;
  int frames = 0, texts = 0;
  for (record r; next_record(&at, &r);) {
    if (r.kind == 3) {
      char text[200];
      snprintf(text, sizeof text, "%.*s", (int)(r.size < 199 ? r.size : 199), (const char *)r.bytes);
      ck_assert_ptr_nonnull(strstr(text, texts == 0 ? "\"hello\"" : texts == 1 ? "\"model\"" : "\"status\""));
      ck_assert_int_eq(frames, texts < 2 ? 0 : 202); // frames lie between the model and the status
      texts++;
    } else if (r.kind == 4) {
      undo_differences(&r);
      const int row = frames / 2;
      ck_assert_uint_eq(words[0], 1);
      ck_assert_uint_eq(words[1], frames % 2); // both runs in turn
      check_pose(words, t->value[row][0], t->value[row][1]);
      frames++;
    }
  }
  ck_assert_int_eq(texts, 3);
  ck_assert_int_eq(frames, 202);
  SUCCEEDS("view one.xml --html still.html --key raised");
  SAYS(errors, "still.html: 1 frame in ");
}
END_TEST

/* A molecule's frames, in ps; each atom is a body. */
START_TEST(molecules) {
  enter_directory();
  write_page();
  write_file("m.prmtop", prmtop_text);
  cdn_dcd_def def = cdn_default_dcd_def();
  cdn_dcd_writer *writer;
  def.n_atoms = 4, def.time_step = 0.5;
  OK(cdn_dcd_create("m.dcd", &def, &writer));
  for (int k = 0; k < 3; k++)
    OK(cdn_dcd_write(writer, (cdn_vec3[]){ { 0, 0, 0 }, { 0.1, 0, 0.1 * k }, { 0.2, 0.1, 0 }, { 0.3, 0, 0 } }));
  OK(cdn_dcd_finish(writer));
  EXITS(2, "view m.prmtop --html run.html");
  SAYS(errors, "name its coordinates");
  SUCCEEDS("view m.prmtop m.dcd --html run.html");
  SAYS(errors, "run.html: 3 frames in ");
  read_data("run.html");
  size_t at = 0;
  int frames = 0;
  for (record r; next_record(&at, &r);) {
    if (r.kind == 3 && strstr((const char *)r.bytes, "\"model\"")) SAYS((const char *)r.bytes, "\"ps\"");
    frames += r.kind == 4;
  }
  ck_assert_int_eq(frames, 3);
}
END_TEST

START_TEST(wrong_calls) {
  enter_directory();
  write_page();
  SUCCEEDS("simulate one.xml --duration 0.1 -o run.csv --quiet --checkpoint run.checkpoint");
  EXITS(3, "view one.xml nothing.csv --html a.html");
  SAYS(errors, "nothing.csv");
  write_file("other.csv", "time,x\n0,1\n");
  EXITS(3, "view one.xml other.csv --html a.html");
  SAYS(errors, "is no run of this model");
  EXITS(2, "view one.xml run.csv --html run.csv");
  SAYS(errors, "would be overwritten");
  EXITS(4, "view one.xml run.csv --html nowhere/a.html");
  EXITS(2, "view one.xml --checkpoint run.checkpoint");
  EXITS(2, "view");
  EXITS(2, "view one.xml run.csv --as-fast");
  EXITS(3, "view --checkpoint one.xml --html a.html");
  SUCCEEDS("view --checkpoint run.checkpoint --html a.html");
  ck_assert(exists("a.html"));
  // a page that is not there, a page without a place for data, rows that cannot be read
  setenv("CARDAN_PAGE", "absent.html", 1);
  EXITS(4, "view one.xml run.csv --html b.html");
  SAYS(errors, "./run page");
  ck_assert(!exists("b.html"));
  setenv("CARDAN_PAGE", "one.xml", 1);
  EXITS(1, "view one.xml run.csv --html b.html");
  ck_assert(!exists("b.html"));
  setenv("CARDAN_PAGE", "viewer.html", 1);
  FILE *file = fopen("run.csv", "a");
  fputs("0.2,x,0,0,0\n0.3,0,0,0,0\n", file);
  fclose(file);
  EXITS(1, "view one.xml run.csv --html b.html");
  SAYS(errors, "run.csv: the row '0.2,x");
  ck_assert(!exists("b.html"));
}
END_TEST

/* A run that is played again keeps its certificate, in a page in a file, too. */
START_TEST(replays_have_their_certificates) {
  enter_directory();
  write_page();
  SUCCEEDS("simulate one.xml --key raised --duration 1 -o run.csv --summary run.json --quiet");
  SUCCEEDS("simulate one.xml --key raised --duration 1 -o alone.csv --summary alone.json --no-companion --quiet");
  json_t *summary = parse_file("run.json");
  char verdict[300];
  snprintf(verdict, sizeof verdict, "\"verdict\":\"%s\",\"delivered\":true",
           json_string_value(member(summary, "verdict")));
  json_decref(summary);
  static const struct {
    const char *call, *status;
  } calls[] = {
    { "view one.xml run.csv --summary run.json --html a.html", NULL },
    { "view one.xml run.csv --html a.html", "\"verdict\":\"\",\"delivered\":null" },
    { "view one.xml run.csv alone.csv --summary run.json --summary alone.json --html a.html",
      "; alone.csv: asked 1e-4, delivered: unknown, as no companion ran\",\"delivered\":null" },
  };
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    SUCCEEDS("%s", calls[i].call);
    read_data("a.html");
    size_t at = 0;
    char text[4096] = "";
    for (record r; next_record(&at, &r);)
      if (r.kind == 3) snprintf(text, sizeof text, "%.*s", (int)r.size, (const char *)r.bytes);
    SAYS(text, calls[i].status ? calls[i].status : verdict);
  }
  EXITS(3, "view one.xml run.csv --summary run.csv --html a.html");
  SAYS(errors, "is no certificate");
  EXITS(2, "view one.xml run.csv --summary run.json --summary alone.json --html a.html");
}
END_TEST

/* A page that takes long says so, not only on a terminal. */
START_TEST(a_long_page_is_announced) {
  enter_directory();
  write_page();
  FILE *file = fopen("long.csv", "w");
  SUCCEEDS("simulate one.xml --duration 0.1 -o run.csv --quiet");
  read_file("run.csv", output);
  fprintf(file, "%.*s\n", (int)strcspn(output, "\n"), output);
  for (int i = 0; i < 2000000; i++) fprintf(file, "%d.5,%g,%g,0,0\n", i, sin(i), cos(i));
  fclose(file);
  (void)!cardan(
      "view one.xml long.csv --html a.html & for i in 1 2 3 4 5 6 7 8; do grep -q 'takes about' .errors && break; "
      "sleep 1; done; kill -KILL $!; wait $!; exit 1");
  SAYS(errors, "a.html: about 20");
  SAYS(errors, "rows become frames, which takes about ");
}
END_TEST

/* What cannot be written leaves what was there: another page, a pipe. */
START_TEST(what_was_there_stays) {
  static char text[TEXT_SIZE];
  enter_directory();
  write_page();
  SUCCEEDS("simulate one.xml --duration 0.1 -o run.csv --quiet");
  write_file("old.html", "what was there before");
  ck_assert_int_eq(mkfifo("pipe", 0600), 0);
  setenv("CARDAN_PAGE", "one.xml", 1);
  EXITS(1, "view one.xml run.csv --html old.html");
  read_file("old.html", text);
  ck_assert_str_eq(text, "what was there before");
  EXITS(1, "view one.xml run.csv --html pipe & cat pipe >read; wait $!");
  ck_assert(exists("pipe"));
  setenv("CARDAN_PAGE", "viewer.html", 1);
  // a link stays one, and what it leads to is replaced; nothing else is left in the folder
  ck_assert_int_eq(symlink("old.html", "link.html"), 0);
  SUCCEEDS("view one.xml run.csv --html link.html --quiet");
  struct stat info;
  ck_assert(lstat("link.html", &info) == 0 && S_ISLNK(info.st_mode));
  read_file("old.html", text);
  SAYS(text, "cardan-data");
  SUCCEEDS("view one.xml run.csv --html pipe --quiet & cat pipe >read; wait $!");
  ck_assert_int_eq(system("cmp -s old.html read && ! ls | grep -q part"), 0);
}
END_TEST

/* ---- replays ---- */

static pid_t server;
static FILE *server_output;

static const char *serve(const char *arguments) {
  static char address[300];
  char line[600];
  int pid;
  snprintf(line, sizeof line, "echo $$; exec '%s' view %s --no-browser --quiet", program(), arguments);
  server_output = popen(line, "r");
  ck_assert(server_output && fscanf(server_output, "%d %299s", &pid, address) == 2);
  server = pid;
  return address;
}

static void end_server(void) {
  kill(server, SIGTERM);
  ck_assert_int_eq(pclose(server_output), 0);
}

static double time_of(const socket_page *page) {
  double t;
  memcpy(&t, page->message + 8, 8);
  return t;
}

/* Reads until a run's newest frame is of a time. */
static void wait_frame(socket_page *page, uint32_t run, double time) {
  static double newest[2] = { NAN, NAN };
  for (double stop = seconds() + 10; seconds() < stop && !(fabs(newest[run] - time) < 1e-9);) {
    uint32_t of;
    const int op = page_read(page, 10);
    ck_assert_int_gt(op, 0);
    if (op != OP_BINARY) continue;
    memcpy(&of, page->message + 4, 4);
    ck_assert_uint_lt(of, 2);
    newest[of] = time_of(page);
  }
  NEAR(newest[run], time, 1e-9);
}

START_TEST(replays) {
  enter_directory();
  write_page();
  SUCCEEDS("simulate one.xml --key raised --duration 2 --report 0.01 -o long.csv --quiet");
  SUCCEEDS("simulate one.xml --key raised --duration 1 --report 0.03 -o short.csv --quiet");
  const table *t = parse_csv_file("long.csv");
  socket_page page;
  const char *address = serve("one.xml long.csv short.csv --paused");
  ck_assert_int_eq(page_open(&page, address, NULL), 101);
  page_expect(&page, "\"mode\":\"replay\"", 10);
  page_expect(&page, "\"name\":\"long.csv\"", 10);
  SAYS((char *)page.message, "\"name\":\"short.csv\"");
  page_expect(&page, "\"state\":\"paused\"", 10);
  // the keyframe's time is 0.5; a row is shown as it is; between rows it is interpolated; behind its end a run shows
  // its last row
  page_say(&page, "{\"type\":\"seek\",\"time\":2,\"id\":1}");
  wait_frame(&page, 0, 2.0);
  uint32_t frame[256];
  memcpy(frame, page.message, page.size < sizeof frame ? page.size : sizeof frame);
  if (frame[1] == 0) check_pose(frame, 2, t->value[150][1]);
  page_say(&page, "{\"type\":\"seek\",\"time\":2.005,\"id\":2}");
  wait_frame(&page, 1, 1.5);
  page_say(&page, "{\"type\":\"step\",\"id\":3}");
  wait_frame(&page, 0, 2.01);
  page_say(&page, "{\"type\":\"seek\",\"time\":0.795,\"id\":4}");
  wait_frame(&page, 0, 0.795);
  page_say(&page, "{\"type\":\"step\",\"n\":3,\"id\":4}"); // the next rows of both: 0.8, 0.81, 0.82
  wait_frame(&page, 1, 0.82);
  wait_frame(&page, 0, 0.82);
  // it plays at the speed that was asked for, to the end
  page_say(&page, "{\"type\":\"reset\"}");
  page_say(&page, "{\"type\":\"speed\",\"value\":4}");
  page_say(&page, "{\"type\":\"run\",\"id\":5}");
  page_expect(&page, "\"to\":5,\"error\":null", 10);
  const double begin = seconds();
  wait_frame(&page, 0, 2.5);
  AT_MOST(0.4, seconds() - begin);
  page_expect(&page, "\"state\":\"ended\"", 10);
  // as fast as it goes is no speed of a replay: it pauses, and goes on at the speed that it had
  page_say(&page, "{\"type\":\"seek\",\"time\":0.5}");
  page_say(&page, "{\"type\":\"run\"}");
  page_expect(&page, "\"state\":\"running\"", 10);
  page_say(&page, "{\"type\":\"speed\",\"value\":0,\"id\":6}");
  page_expect(&page, "\"to\":6,\"error\":null", 10);
  page_expect(&page, "\"state\":\"paused\",\"speed\":4", 10);
  // what a replay does not do is said
  static const char *const refused[] = {
    "{\"type\":\"seek\",\"id\":9}",
    "{\"type\":\"seek\",\"time\":\"x\",\"id\":9}",
    "{\"type\":\"speed\",\"value\":-1,\"id\":9}",
    "{\"type\":\"companion\",\"on\":true,\"id\":9}",
    "{\"type\":\"step\",\"n\":0,\"id\":9}",
    "{\"type\":\"accuracy\",\"value\":1e-3,\"id\":9}",
    "{\"type\":\"pull\",\"body\":1,\"station\":[0,0,0],\"target\":[0,0,0],\"id\":9}",
    "{\"type\":\"plots\",\"series\":[1000],\"id\":9}",
    "{\"type\":\"nonsense\",\"id\":9}"
  };
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    page_say(&page, refused[i]);
    page_expect(&page, "\"to\":9,\"error\":\"", 10);
  }
  page_say(&page, "{\"type\":\"plots\",\"series\":[0],\"id\":10}");
  page_expect(&page, "\"to\":10,\"error\":null", 10);
  page_say(&page, "{\"type\":\"seek\",\"time\":1}");
  wait_frame(&page, 0, 1);
  double value;
  memcpy(&value, page.message + 40, 8);
  NEAR(value, t->value[50][1], 1e-12);
  kill(server, SIGTERM);
  page_expect(&page, "\"type\":\"bye\"", 10);
  page_close(&page);
  ck_assert_int_eq(pclose(server_output), 0);
}
END_TEST

/* ---- live runs ---- */

/* --method file: the method, step and contact of the file, in the page's status; another option has its way. */
START_TEST(runs_of_the_file_s_method) {
  enter_directory();
  write_page();
  write_file("ball.xml",
             "<mujoco><option timestep='.004' integrator='implicit'/><worldbody><geom type='plane' size='1 1 1'/>"
             "<body pos='0 0 .19'><freejoint/><geom size='.2' mass='1'/></body></worldbody></mujoco>");
  static const struct {
    const char *options, *status;
  } calls[] = {
    { "--method file", "\"method\":\"mujoco-implicit\",\"contact\":\"soft\"" },
    { "--method mujoco-euler", "\"method\":\"mujoco-euler\",\"contact\":\"soft\"" },
    { "--method file --contact compliant", "\"method\":\"mujoco-implicit\",\"contact\":\"compliant\"" },
    { "--method merson", "\"method\":\"merson\",\"contact\":\"compliant\"" },
  };
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    char line[300];
    socket_page page;
    snprintf(line, sizeof line, "ball.xml --paused --no-companion %s", calls[i].options);
    const char *address = serve(line);
    ck_assert_int_eq(page_open(&page, address, NULL), 101);
    page_expect(&page, calls[i].status, 10);
    if (i < 3) {
      page_say(&page, "{\"type\":\"step\",\"id\":1}");
      page_expect(&page, "\"step\":0.004", 10);
    }
    end_server();
    page_close(&page);
  }
  write_file("one.urdf",
             "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
             "ixz='0' iyz='0'/></inertial></link></robot>");
  EXITS(2, "view one.urdf --method file --no-browser");
  SAYS(errors, "--method file");
}
END_TEST

/* Reads frames until the newest is later than `time`, or for so many seconds; returns its time. */
static double newest_time(socket_page *page, double time, double timeout) {
  double newest = NAN;
  for (double stop = seconds() + timeout; seconds() < stop && !(newest > time);)
    if (page_read(page, 0.1) == OP_BINARY) newest = time_of(page);
  return newest;
}

/* A page that comes late sees how the run begins. */
START_TEST(the_run_begins_when_a_page_has_drawn) {
  enter_directory();
  write_page();
  socket_page page;
  const char *address = serve("one.xml --key raised --no-companion");
  nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
  ck_assert_int_eq(page_open(&page, address, NULL), 101);
  ck_assert(newest_time(&page, 0.5, 0.4) == 0.5);
  page_say(&page, "{\"type\":\"drawn\"}");
  const double first = newest_time(&page, 0.5, 10);
  ck_assert_msg(first > 0.5 && first < 0.75, "the first frame of the run is at %g s", first);
  page_close(&page);
  end_server();
}
END_TEST

/* A page that only watches selects and plots for itself; frames have the plots of both. */
START_TEST(watchers_have_their_own_selection_and_plots) {
  enter_directory();
  write_page();
  socket_page page, watcher;
  const char *address = serve("one.xml --key raised --paused");
  ck_assert_int_eq(page_open(&page, address, NULL), 101);
  page_expect(&page, "\"steer\":true", 10);
  ck_assert_int_eq(page_open(&watcher, address, NULL), 101);
  page_expect(&watcher, "\"steer\":false", 10);
  page_say(&page, "{\"type\":\"plots\",\"series\":[1],\"id\":1}");
  page_expect(&page, "\"to\":1,\"error\":null", 10);
  page_say(&watcher, "{\"type\":\"plots\",\"series\":[0,1],\"id\":2}");
  page_expect(&watcher, "\"to\":2,\"error\":null", 10);
  page_expect(&page, "\"plots\":[1,0]", 10);
  page_say(&page, "{\"type\":\"select\",\"body\":0,\"id\":3}");
  page_expect(&page, "\"to\":3,\"error\":null", 10);
  page_say(&watcher, "{\"type\":\"select\",\"body\":1,\"id\":4}");
  page_expect(&watcher, "\"type\":\"selected\",\"body\":1", 10);
  // both are told while the run goes
  page_say(&page, "{\"type\":\"run\"}");
  for (int round = 0; round < 2; round++) {
    page_expect(&watcher, "\"type\":\"selected\",\"body\":1", 10);
    page_expect(&page, "\"type\":\"selected\",\"body\":0", 10);
  }
  page_say(&watcher, "{\"type\":\"pause\",\"id\":5}");
  page_expect(&watcher, "\"to\":5,\"error\":\"another page steers", 10);
  // what nobody looks at is plotted no more
  page_close(&watcher);
  page_expect(&page, "\"plots\":[1]", 10);
  page_close(&page);
  end_server();
}
END_TEST

/* An address that other machines reach, and a warning. */
START_TEST(listening_to_the_network) {
  char address[300];
  enter_directory();
  write_page();
  ck_assert_int_eq(cardan("view one.xml --paused --no-browser --listen 0.0.0.0 & sleep 0.4; kill -TERM $!; wait $!"),
                   0);
  SAYS(errors, "--listen 0.0.0.0: other machines reach this view");
  ck_assert_int_eq(sscanf(output, "http://%299[0-9.]:", address), 1);
  FILE *own = popen("hostname -I 2>/dev/null", "r");
  char all[1024] = "";
  ck_assert(own && fgets(all, sizeof all, own) == all);
  pclose(own);
  if (all[0] != '\n') SAYS(all, address);
  ck_assert_int_eq(cardan("view one.xml --paused --no-browser & sleep 0.4; kill -TERM $!; wait $!"), 0);
  SAYS(output, "http://127.0.0.1:");
  ck_assert(!strstr(errors, "other machines reach"));
}
END_TEST

/* Numbers of a member of the last message, a list. */
static int list_of(const socket_page *page, const char *key, double *out, int most) {
  const char *at = strstr((const char *)page->message, key);
  ck_assert_msg(at, "no %s in %.200s", key, (const char *)page->message);
  int n = 0;
  for (at += strlen(key); *at != ']'; at++) {
    ck_assert_int_lt(n, most);
    char *end;
    out[n++] = strncmp(at, "null", 4) == 0 ? NAN : strtod(at, &end);
    if (strncmp(at, "null", 4) == 0) at += 4;
    else at = end;
    if (*at == ']') break;
    ck_assert_int_eq(*at, ',');
  }
  return n;
}

/* Plots show all rows of each run without playing it; of a long run evenly spaced places. A page that comes later gets
 * them, too. */
START_TEST(curves_of_whole_runs) {
  static double times[2001], values[2001];
  enter_directory();
  write_page();
  SUCCEEDS("simulate one.xml --key raised --duration 2 --report 0.01 -o long.csv --quiet");
  SUCCEEDS("simulate one.xml --key raised --duration 1 --report 0.0002 -o dense.csv --quiet");
  const table *t = parse_csv_file("long.csv");
  socket_page page, later;
  const char *address = serve("one.xml long.csv dense.csv --paused");
  ck_assert_int_eq(page_open(&page, address, NULL), 101);
  page_expect(&page, "\"state\":\"paused\"", 10);
  page_say(&page, "{\"type\":\"plots\",\"series\":[0]}");
  page_expect(&page, "\"type\":\"curves\",\"run\":0,\"series\":[0]", 10);
  ck_assert_int_eq(list_of(&page, "\"times\":[", times, 2001), 201);
  ck_assert_int_eq(list_of(&page, "\"values\":[[", values, 2001), 201);
  for (int i = 0; i < 201; i++) {
    NEAR(times[i], t->value[i][0], 1e-12);
    NEAR(values[i], t->value[i][1], 1e-8); /* nine digits */
  }
  page_expect(&page, "\"type\":\"curves\",\"run\":1,\"series\":[0]", 10);
  ck_assert_int_eq(list_of(&page, "\"times\":[", times, 2001), 2000);
  ck_assert_int_eq(list_of(&page, "\"values\":[[", values, 2001), 2000);
  for (int i = 0; i < 2000; i++) NEAR(times[i], 0.5 + i / 1999.0, 1e-12);
  // both runs are of one motion: every hundredth of a second has a place that is near
  for (int i = 0; i <= 100; i++) NEAR(values[(int)(19.99 * i)], t->value[i][1], 0.01);
  ck_assert_int_eq(page_open(&later, address, NULL), 101);
  page_expect(&later, "\"type\":\"curves\",\"run\":1,\"series\":[0]", 10);
  page_close(&later);
  page_close(&page);
  end_server();
}
END_TEST

/* Rows that cannot be read are events, and the replay goes on elsewhere. */
START_TEST(damaged_runs) {
  enter_directory();
  write_page();
  SUCCEEDS("simulate one.xml --duration 0.5 --report 0.1 -o run.csv --quiet");
  FILE *file = fopen("run.csv", "a");
  fputs("0.6,x,0,0,0\n0.7,0,0,0,0\n0.8,0,0,0,0\n", file);
  fclose(file);
  socket_page page;
  const char *address = serve("one.xml run.csv --paused");
  ck_assert_int_eq(page_open(&page, address, NULL), 101);
  page_say(&page, "{\"type\":\"seek\",\"time\":0.65}");
  page_expect(&page, "run.csv: the row '0.6,x", 10);
  page_say(&page, "{\"type\":\"seek\",\"time\":0.2}");
  wait_frame(&page, 0, 0.2);
  page_close(&page);
  end_server();
}
END_TEST

CHECK_MAIN("cardan view", pages_in_files, molecules, wrong_calls, replays_have_their_certificates,
           a_long_page_is_announced, what_was_there_stays, replays, curves_of_whole_runs, damaged_runs,
           runs_of_the_file_s_method, the_run_begins_when_a_page_has_drawn, watchers_have_their_own_selection_and_plots,
           listening_to_the_network)
