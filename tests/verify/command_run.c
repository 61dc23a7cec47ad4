/* shared by tests in this folder */
#define _XOPEN_SOURCE 700
#include "command_run.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- a directory to work in, and programs run in it ----------------------------------------- */

static char directory[] = "/tmp/cardan-command-XXXXXX";
char output[TEXT_SIZE], errors[TEXT_SIZE];

/* At the exit of a test that passed; what a failed one wrote stays, for a look. */
static void remove_directory(void) {
  char line[128];
  snprintf(line, sizeof line, "rm -rf %s", directory);
  if (chdir("/") || system(line)) fputs("the test's directory stays behind\n", stderr);
}

void write_file(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  ck_assert_int_eq(fclose(file), 0);
}

void read_file(const char *name, char *text) {
  FILE *file = fopen(name, "r");
  ck_assert_msg(file != NULL, "%s was not written", name);
  text[fread(text, 1, TEXT_SIZE - 1, file)] = 0;
  fclose(file);
}

bool exists(const char *name) { return access(name, F_OK) == 0; }

const char *program(void) {
  const char *path = getenv("CARDAN_BIN");
  ck_assert_msg(path != NULL, "CARDAN_BIN must name the program to test");
  return path;
}

int cardan(const char *format, ...) {
  static char arguments[4096], line[8192];
  va_list list;
  va_start(list, format);
  vsnprintf(arguments, sizeof arguments, format, list);
  va_end(list);
  // redirections among the arguments come later and win
  snprintf(line, sizeof line, "'%s' 2> .errors > .output < /dev/null %s", program(), arguments);
  int status = system(line);
  read_file(".output", output);
  read_file(".errors", errors);
  ck_assert_msg(WIFEXITED(status), "cardan %s: ended by a signal", arguments);
  return WEXITSTATUS(status);
}

bool run_and_kill(char *const *words, double seconds) {
  const struct timespec life = { .tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - floor(seconds))) };
  pid_t child = fork();
  if (child == 0) {
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0), dup2(null, 1), dup2(null, 2);
    execv(program(), words);
    _exit(99);
  }
  ck_assert_int_gt(child, 0);
  nanosleep(&life, NULL);
  kill(child, SIGKILL);
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  if (WIFSIGNALED(status)) return true;
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
  return false;
}

void check_same_file(const char *a, const char *b) {
  static char text[2][TEXT_SIZE];
  read_file(a, text[0]);
  read_file(b, text[1]);
  ck_assert_msg(strcmp(text[0], text[1]) == 0, "%s and %s differ", a, b);
}

/* ---- models --------------------------------------------------------------------------------- */

const char pendulum[] = "<mujoco model=\"one\">\n"
                        "  <option gravity=\"0 0 -9.81\"/>\n"
                        "  <worldbody>\n"
                        "    <body name=\"rod\">\n"
                        "      <joint name=\"hinge\" type=\"hinge\" axis=\"0 1 0\"/>\n"
                        "      <inertial pos=\"0 0 -0.75\" mass=\"2\" diaginertia=\"0.125 0.125 0.0625\"/>\n"
                        "    </body>\n"
                        "  </worldbody>\n"
                        "  <keyframe>\n"
                        "    <key name=\"raised\" time=\"0.5\" qpos=\"1.5\" qvel=\"-0.25\"/>\n"
                        "    <key name=\"fast\" qvel=\"3\"/>\n"
                        "  </keyframe>\n"
                        "</mujoco>\n";

/* Something of everything: free, ball, hinge and slider; a name that CSV must quote; damping; a motor. */
static const char creature[] =
    "<mujoco model=\"creature\">\n"
    "  <worldbody>\n"
    "    <body name=\"torso\" pos=\"0.1 0.2 1.3\">\n"
    "      <freejoint name=\"root\"/>\n"
    "      <inertial pos=\"0.01 0.02 0.03\" mass=\"3.3\" diaginertia=\"0.11 0.13 0.17\"/>\n"
    "      <body name=\"arm\" pos=\"0.3 0 0.1\">\n"
    "        <joint name=\"shoulder\" type=\"ball\" damping=\"0.3\"/>\n"
    "        <inertial pos=\"0.1 0 0\" mass=\"0.7\" diaginertia=\"0.01 0.03 0.03\"/>\n"
    "        <body name=\"hand\" pos=\"0.25 0 0\">\n"
    "          <joint name=\"wrist, left\" type=\"hinge\" axis=\"1 2 3\" stiffness=\"2\" damping=\"0.1\"/>\n"
    "          <inertial pos=\"0.05 0.01 0\" mass=\"0.2\" diaginertia=\"0.001 0.002 0.0015\"/>\n"
    "        </body>\n"
    "      </body>\n"
    "      <body name=\"tail\" pos=\"-0.3 0 0\">\n"
    "        <joint name=\"slide\" type=\"slide\" axis=\"1 0 1\" stiffness=\"30\" armature=\"0.1\"/>\n"
    "        <inertial pos=\"0 0 0.02\" mass=\"0.5\" diaginertia=\"0.003 0.002 0.004\"/>\n"
    "      </body>\n"
    "    </body>\n"
    "  </worldbody>\n"
    "  <actuator>\n"
    "    <dcmotor joint=\"slide\" gear=\"3\"/>\n"
    "  </actuator>\n"
    "</mujoco>\n";

/* A state of it whose numbers need all their digits. */
const char creature_state[] =
    "{\"time\": 0.1, \"q\": [0.9, 0.1, -0.2, 0.30000000000000004, 1, 2, 3, 0.7, 0.1, 0.2, 0.3, -0.6, 0.017],\n"
    " \"u\": [0.1, 1.7, 0.33333333333333331, 4, -5e-3, 6, 0.7, 1e-20, -0.9, 1.1, 2.3]}\n";

/* A link that has neither mass nor anything beyond it: nothing resists its joint. */
static const char massless[] = "<robot name=\"ghost\">\n"
                               "  <link name=\"base\"/>\n"
                               "  <link name=\"ghost_link\"/>\n"
                               "  <joint name=\"ghost_joint\" type=\"continuous\">\n"
                               "    <parent link=\"base\"/><child link=\"ghost_link\"/><axis xyz=\"0 0 1\"/>\n"
                               "  </joint>\n"
                               "</robot>\n";

/* Every test works in a directory of its own that holds the models. */
void enter_directory(void) {
  ck_assert_ptr_nonnull(mkdtemp(directory));
  atexit(remove_directory);
  ck_assert_int_eq(chdir(directory), 0);
  write_file("one.xml", pendulum);
  write_file("creature.xml", creature);
  write_file("ghost.urdf", massless);
}

/* ---- JSON and CSV ---------------------------------------------------------------------------- */

json_t *parse(const char *text) {
  json_error_t trouble;
  json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &trouble);
  ck_assert_msg(root != NULL, "%d:%d: %s in:\n%s", trouble.line, trouble.column, trouble.text, text);
  return root;
}

json_t *parse_file(const char *name) {
  static char text[TEXT_SIZE];
  read_file(name, text);
  return parse(text);
}

void check_same_summary(const char *a, const char *b) {
  json_t *roots[] = { parse_file(a), parse_file(b) };
  for (int i = 0; i < 2; i++) json_object_del(roots[i], "wall_seconds");
  ck_assert_msg(json_equal(roots[0], roots[1]), "%s and %s differ", a, b);
  for (int i = 0; i < 2; i++) json_decref(roots[i]);
}

json_t *member(json_t *object, const char *name) {
  json_t *value = json_object_get(object, name);
  ck_assert_msg(value != NULL, "no member %s", name);
  return value;
}

double number(json_t *object, const char *name) {
  json_t *value = member(object, name);
  ck_assert_msg(json_is_number(value), "%s is not a number", name);
  return json_number_value(value);
}

long long integer(json_t *object, const char *name) {
  json_t *value = member(object, name);
  ck_assert_msg(json_is_integer(value), "%s is not an integer", name);
  return json_integer_value(value);
}

/* Element i of an array of n numbers. */
double element(json_t *object, const char *name, size_t n, size_t i) {
  json_t *array = member(object, name);
  ck_assert_msg(json_array_size(array) == n, "%s has %zu elements", name, json_array_size(array));
  ck_assert(json_is_number(json_array_get(array, i)));
  return json_number_value(json_array_get(array, i));
}

/* Columns of a line, not counting commas between quotes. */
static int count_columns(const char *line) {
  int columns = 1;
  bool quoted = false;
  for (; *line; line++) {
    if (*line == '"') quoted = !quoted;
    if (*line == ',' && !quoted) columns++;
  }
  return columns;
}

/* Every line must be whole and every field a number. */
static table *parse_csv(char *text) {
  static table t;
  memset(&t, 0, sizeof t);
  ck_assert_msg(text[0] && text[strlen(text) - 1] == '\n', "the last line is not whole");
  for (char *line = text, *end; *line; line = end + 1) {
    end = strchr(line, '\n');
    *end = 0;
    if (!t.header[0]) {
      snprintf(t.header, sizeof t.header, "%s", line);
      t.columns = count_columns(line);
      ck_assert_int_le(t.columns, MOST_COLUMNS);
      continue;
    }
    ck_assert_int_lt(t.rows, MOST_ROWS);
    ck_assert_int_eq(count_columns(line), t.columns);
    for (int i = 0; i < t.columns; i++) {
      char *rest;
      t.value[t.rows][i] = strtod(line, &rest);
      ck_assert_msg(rest > line && *rest == (i + 1 < t.columns ? ',' : 0), "row %d, column %d: '%s'", t.rows, i, line);
      line = rest + 1;
    }
    t.rows++;
  }
  return &t;
}

table *parse_csv_file(const char *name) {
  static char text[TEXT_SIZE];
  read_file(name, text);
  return parse_csv(text);
}
