/* How `cardan plot` arranges columns in panels and what it calls them. The files of the command are linked in; what
 * they want of its other files is here. */
#include "../../apps/cardan/plot.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../testing.h"

void *allocate(size_t n, size_t size) { return calloc(n ? n : 1, size); }

static char said[512];
void complain(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(said, sizeof said, format, arguments);
  va_end(arguments);
}

int load_model(const model_arguments *arguments, cdn_model **out) {
  return cdn_model_load(arguments->path, NULL, out) == CDN_OK ? CMD_OK : CMD_INPUT;
}

/* ---- names and units ----------------------------------------------------------------------------- */

START_TEST(names_end_where_joints_end) {
  static const struct {
    const char *name;
    size_t length;
    const char *slot;
  } cases[] = { { "knee.q", 4, "q" }, { "root.qw", 4, "qw" }, { "tool[2]", 4, "[2]" },
                { "plain", 5, "" },   { "[a", 0, "[a" },      { "[", 0, "[" },
                { ".q", 0, "q" },     { "a.b.u", 3, "u" },    { "wrist, left.q", 11, "q" } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    /* what is before a name does not matter: here a dot */
    char text[32] = ".";
    strcat(text, cases[i].name);
    ck_assert_msg(joint_length(text + 1) == cases[i].length, "%s: %zu", cases[i].name, joint_length(text + 1));
    ck_assert_str_eq(slot_of(text + 1), cases[i].slot);
  }
}
END_TEST

enum { ROWS = 3 };

/* A table of these columns, after "time", with some numbers. */
static table make_table(int n, const char *const *names) {
  table t = { .columns = n + 1, .rows = ROWS };
  t.name = calloc((size_t)n + 1, sizeof *t.name);
  t.value = calloc(((size_t)n + 1) * ROWS, sizeof *t.value);
  for (int i = 0; i <= n; i++) {
    const char *name = i ? names[i - 1] : "time";
    t.name[i] = strcpy(malloc(strlen(name) + 1), name);
  }
  describe_columns(&t);
  return t;
}

static void free_table(table *t) {
  for (int i = 0; i < t->columns; i++) free(t->name[i]);
  free(t->name);
  free(t->meaning);
  free((void *)t->value);
}

static figure *arrange_all(const table *t) {
  bool *chosen = malloc((size_t)t->columns * sizeof *chosen);
  for (int i = 0; i < t->columns; i++) chosen[i] = i > 0;
  figure *f = calloc(1, sizeof *f);
  f->table = t;
  arrange(f, chosen);
  free(chosen);
  return f;
}

static void check_titles(const figure *f, int n, const char *const *titles) {
  for (int i = 0; i < n && i < f->n; i++) ck_assert_str_eq(f->panels[i].title, titles[i]);
  ck_assert_int_eq(f->n, n);
}

/* ---- titles -------------------------------------------------------------------------------------- */

START_TEST(titles_say_what_is_drawn) {
  static const char *const names[] = { "slide.q", "hinge.q",        "ball.qw",          "ball.qx", "ball.qy",
                                       "ball.qz", "free.px",        "free.py",          "free.pz", "rod.az",
                                       "rod.pz",  "mine.q0",        "mine.q1",          "other",   "slide.u",
                                       "ball.wx", "ball.wy",        "ball.wz",          "free.vx", "free.vy",
                                       "free.vz", "kinetic_energy", "potential_energy", "tool[0]", "tool[1]",
                                       "u.u",     "step_size" };
  static const char *const titles[] = { "coordinates, rad or m",
                                        "angles, rad",
                                        "displacements, m",
                                        "columns",
                                        "ball, quaternion",
                                        "free, m",
                                        "mine",
                                        "speeds, rad/s or m/s",
                                        "ball, rad/s",
                                        "free, m/s",
                                        "energy, J, potential from its start",
                                        "measures",
                                        "tool",
                                        "step size, s" };
  table t = make_table(sizeof names / sizeof *names, names);
  figure *f = arrange_all(&t);
  check_titles(f, sizeof titles / sizeof *titles, titles);
  ck_assert_int_eq(f->left_out, 0);
  ck_assert_str_eq(f->panels[0].curves[1].label, "hinge");
  ck_assert_str_eq(f->panels[4].curves[3].label, "qz");
  ck_assert_int_eq(f->panels[10].n, 3); /* kinetic, potential, total */
  free(f);
  free_table(&t);
}
END_TEST

/* A table of `cardan md`. */
START_TEST(molecules_have_their_units) {
  static const char *const names[] = {
    "stretch",     "bend",        "potential",   "temperature",      "A1:N-A1:CA",       "A1:C-A2:N.w",
    "A1:C-A2:N.x", "A1:C-A2:N.y", "A1:C-A2:N.z", "A2:N-A2:CA.angle", "A2:N-A2:CA.length"
  };
  static const char *const units[] = { "kJ/mol", "kJ/mol", "kJ/mol", "K", "rad", "", "", "", "", "rad", "nm" };
  table t = make_table(sizeof names / sizeof *names, names);
  ck_assert_str_eq(t.time_unit, "ps");
  for (int i = 1; i < t.columns; i++) ck_assert_str_eq(t.meaning[i].unit, units[i - 1]);
  figure *f = arrange_all(&t);
  ck_assert_str_eq(f->panels[0].title, "energies, kJ/mol");
  ck_assert_str_eq(f->panels[1].title, "temperature, K");
  free(f);
  free_table(&t);
}
END_TEST

/* The joints of examples/models/gymnast.xml: two slides and seven hinges. */
START_TEST(the_model_tells_angles_from_displacements) {
  static const char *const names[] = { "bar_x.q",      "bar_z.q",    "grip.q",      "shoulders.q",
                                       "neck.q",       "hip_left.q", "knee_left.q", "hip_right.q",
                                       "knee_right.q", "bar_x.u",    "grip.u" };
  static const char *const unknown[] = { "coordinates, rad or m (1 of 2): bar_x to shoulders",
                                         "coordinates, rad or m (2 of 2): neck to knee_right", "speeds, rad/s or m/s" };
  static const char *const known[] = { "displacements, m", "angles, rad (1 of 2): grip to neck",
                                       "angles, rad (2 of 2): hip_left to knee_right", "velocities, m/s",
                                       "angular velocities, rad/s" };
  char path[512];
  snprintf(path, sizeof path, "%s/examples/models/gymnast.xml", getenv("CARDAN_SOURCE_ROOT"));
  table t = make_table(sizeof names / sizeof *names, names);
  figure *f = arrange_all(&t);
  check_titles(f, 3, unknown);
  free(f);
  ck_assert_int_eq(units_from_model(&t, path), CMD_OK);
  f = arrange_all(&t);
  check_titles(f, 5, known);
  free(f);
  free_table(&t);

  static const char *const strangers[] = { "tail.q", "wing.q" };
  table other = make_table(2, strangers);
  ck_assert_int_eq(units_from_model(&other, path), CMD_USAGE);
  ck_assert_msg(strstr(said, "gymnast.xml") && strstr(said, "none of the joints"), "%s", said);
  free_table(&other);
}
END_TEST

/* Names of any length and letters are cut between characters. */
START_TEST(long_names_are_cut_between_characters) {
  char name[2][260] = { "", "" };
  for (int i = 0; i < 60; i++) strcat(name[0], "\xc3\xa9"), strcat(name[1], i ? "\xe2\x82\xac" : "x");
  const char *const names[] = { name[0], name[1], "c", "d", "e", "f" };
  table t = make_table(6, names);
  figure *f = arrange_all(&t);
  ck_assert_int_eq(f->n, 2);
  for (int i = 0; i < 2; i++) {
    const unsigned char *at = (const unsigned char *)f->panels[0].curves[i].label;
    const size_t size = i ? 3 : 2;
    for (at += i; *at; at += size)
      for (size_t k = 1; k < size; k++)
        ck_assert_msg((at[k] & 0xc0) == 0x80, "half a character in %s", (const char *)at);
  }
  free(f);
  free_table(&t);
}
END_TEST

CHECK_MAIN("plot panels", names_end_where_joints_end, titles_say_what_is_drawn, molecules_have_their_units,
           the_model_tells_angles_from_displacements, long_names_are_cut_between_characters)
