/* Trajectories: which columns there are, that numbers read back, what is refused, and that rows allocate nothing. */
#define _DEFAULT_SOURCE
#include "measure_rig.h"

#include "../robust/counting_allocator.h"

#include <float.h>
#include <stdio.h>
#include <unistd.h>

/* What has been written: text that ends in 0. */
typedef struct page {
  char text[4096];
  size_t n;
  int calls;
  cdn_status status; /* to be returned */
} page;

static cdn_status write_page(void *context, const void *text, size_t size) {
  page *p = context;
  ck_assert(p->n + size < sizeof p->text);
  memcpy(p->text + p->n, text, size);
  p->n += size;
  p->text[p->n] = 0;
  p->calls++;
  return p->status;
}

typedef struct cart_rig {
  cdn_measure pair, lag, speed;
  cdn_state *state;
} cart_rig;

static cart_rig make_rig(const cdn_allocator *allocator) {
  const double numbers[] = { 0.1, -1e-300 };
  cart_rig r;
  cdn_system_def def = cdn_default_system_def();
  if (allocator) def.allocator = *allocator;
  cdn_system *system = cdn_system_create(&def);
  cdn_body cart = add_cart(system, 1. / 3, -2);
  r.pair = cdn_system_add_constant_measure(system, "a \"pair\", of two", 2, numbers);
  r.lag = cdn_system_add_result_measure(system, "lag", 1, CDN_STAGE_POSITION, 0, NULL);
  r.speed = cdn_system_add_coordinate_measure(system, "speed", cart, CDN_U, 0);
  r.state = event_state(system);
  return r;
}

START_TEST(columns_are_as_asked_for) {
  static const char *const own[] = { "step,size" };
  cart_rig r = make_rig(NULL);
  const cdn_measure some[] = { r.speed, r.pair };
  const double step = 0.25;
  struct {
    const char *header, *row;
    bool q, u, energies, measures, own;
    int columns;
  } cases[] = {
    { "time\n", "0.0\n", false, false, false, false, false, 1 },
    { "time,cart.q,cart.u,kinetic_energy,potential_energy\n", "0.0,0.3333333333333333,-2.0,2.0,0.0\n", true, true, true,
      false, false, 5 },
    { "time,cart.u,speed,\"a \"\"pair\"\", of two[0]\",\"a \"\"pair\"\", of two[1]\",\"step,size\"\n",
      "0.0,-2.0,-2.0,0.1,-1e-300,0.25\n", false, true, false, true, true, 6 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    page p = { .n = 0 };
    cdn_trajectory *t = NULL;
    cdn_trajectory_def def = cdn_default_trajectory_def();
    def.q = cases[i].q, def.u = cases[i].u, def.energies = cases[i].energies;
    if (cases[i].measures) def.measures = some, def.n_measures = 2;
    if (cases[i].own) def.own = own, def.n_own = 1;
    OK_ON(r.state, cdn_trajectory_create(r.state, &def, write_page, &p, &t));
    ck_assert_int_eq(p.calls, 0);
    ck_assert_int_eq(cdn_trajectory_columns(t), cases[i].columns);
    OK(cdn_trajectory_header(t));
    ck_assert_str_eq(p.text, cases[i].header);
    p.n = 0;
    OK_ON(r.state, cdn_trajectory_row(t, r.state, &step));
    ck_assert_str_eq(p.text, cases[i].row);
    ck_assert_int_eq(p.calls, 2);
    cdn_trajectory_destroy(t);
  }
  ck_assert_int_eq(cdn_trajectory_columns(NULL), 0);
  cdn_state_destroy(r.state);
}
END_TEST

START_TEST(all_measures_in_the_order_of_adding) {
  cart_rig r = make_rig(NULL);
  page p = { .n = 0 };
  cdn_trajectory *t = NULL;
  cdn_trajectory_def def = cdn_default_trajectory_def();
  def.q = def.u = def.energies = false, def.all_measures = true;
  OK_ON(r.state, cdn_trajectory_create(r.state, &def, write_page, &p, &t));
  OK(cdn_trajectory_header(t));
  ck_assert_str_eq(p.text, "time,\"a \"\"pair\"\", of two[0]\",\"a \"\"pair\"\", of two[1]\",lag,speed\n");
  p.n = 0;
  /* one of them has no value: no row, and its message */
  cdn_error reason;
  FAILS(cdn_trajectory_row(t, r.state, NULL), CDN_ERR_ARG);
  cdn_state_last_error(r.state, &reason);
  ck_assert_str_eq(reason.element, "lag");
  ck_assert(p.n == 0);
  const double lag = 7;
  OK_ON(r.state, cdn_measure_set_value(r.state, r.lag, &lag));
  OK_ON(r.state, cdn_trajectory_row(t, r.state, NULL));
  ck_assert_str_eq(p.text, "0.0,0.1,-1e-300,7.0,-2.0\n");
  cdn_trajectory_destroy(t);
  cdn_state_destroy(r.state);
}
END_TEST

START_TEST(numbers_read_back) {
  const double x[] = { 0,    -0.0,    1,       0.1,     1. / 3, PI,       1e22,     1e23,    123456789012345678.,
                       -1.5, 5e-324,  DBL_MAX, DBL_MIN, 1e-5,   2.5e-310, -DBL_MAX, 0x1p-52, nextafter(1, 2),
                       1e15, 1e15 + 1 };
  for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
    char text[CDN_NUMBER_SIZE];
    ck_assert_ptr_eq(cdn_number_text(x[i], text), text);
    const double back = strtod(text, NULL);
    ck_assert_msg(memcmp(&back, &x[i], sizeof back) == 0, "%a became %s", x[i], text);
    ck_assert_msg(strpbrk(text, ".e") != NULL, "%s could be an integer", text);
  }
}
END_TEST

START_TEST(what_is_refused) {
  cart_rig r = make_rig(NULL), other = make_rig(NULL);
  page p = { .status = CDN_ERR_FILE };
  const cdn_measure none = { 3 };
  const char *nameless[] = { NULL };
  cdn_trajectory *t = NULL;
  cdn_trajectory_def def = cdn_default_trajectory_def();
  cdn_error reason;
  FAILS(cdn_trajectory_create(NULL, NULL, write_page, &p, &t), CDN_ERR_ARG);
  FAILS(cdn_trajectory_create(r.state, NULL, NULL, &p, &t), CDN_ERR_ARG);
  def.struct_size = 1;
  FAILS(cdn_trajectory_create(r.state, &def, write_page, &p, &t), CDN_ERR_VERSION);
  def = cdn_default_trajectory_def();
  def.n_measures = 1;
  FAILS(cdn_trajectory_create(r.state, &def, write_page, &p, &t), CDN_ERR_ARG);
  def.measures = &none;
  FAILS(cdn_trajectory_create(r.state, &def, write_page, &p, &t), CDN_ERR_ARG);
  cdn_state_last_error(r.state, &reason);
  ck_assert_msg(strstr(reason.text, "measure") != NULL, "%s", reason.text);
  def = cdn_default_trajectory_def();
  def.own = nameless, def.n_own = 1;
  FAILS(cdn_trajectory_create(r.state, &def, write_page, &p, &t), CDN_ERR_ARG);
  ck_assert_ptr_null(t);
  nameless[0] = "own";
  OK_ON(r.state, cdn_trajectory_create(r.state, &def, write_page, &p, &t));
  FAILS(cdn_trajectory_row(t, r.state, NULL), CDN_ERR_ARG);
  FAILS(cdn_trajectory_row(t, other.state, (double[]){ 1 }), CDN_ERR_ARG);
  ck_assert_int_eq(p.calls, 0);
  /* what `write` says is passed on */
  FAILS(cdn_trajectory_header(t), CDN_ERR_FILE);
  FAILS(cdn_trajectory_row(t, r.state, (double[]){ 1 }), CDN_ERR_FILE);
  cdn_trajectory_destroy(t);
  cdn_trajectory_destroy(NULL);
  cdn_state_destroy(r.state);
  cdn_state_destroy(other.state);
}
END_TEST

START_TEST(memory_may_run_out) {
  counting_allocator memory = { 0 };
  cdn_allocator a = allocator_of(&memory);
  cart_rig r = make_rig(&a);
  page p = { .n = 0 };
  cdn_trajectory *t = NULL;
  cdn_trajectory_def def = cdn_default_trajectory_def();
  def.measures = &r.pair, def.n_measures = 1;
  int failures = 0;
  for (;; failures++) {
    memory.fail_at = memory.calls + failures + 1;
    if (cdn_trajectory_create(r.state, &def, write_page, &p, &t) == CDN_OK) break;
    cdn_error reason;
    cdn_state_last_error(r.state, &reason);
    ck_assert_int_eq(reason.code, CDN_ERR_NOMEM);
    ck_assert_ptr_null(t);
  }
  ck_assert_int_ge(failures, 3);
  memory.fail_at = 0;
  OK_ON(r.state, cdn_trajectory_row(t, r.state, NULL));
  const int64_t calls = memory.calls;
  for (int i = 1; i < 20; i++) {
    OK_ON(r.state, cdn_state_set_time(r.state, i / 3.));
    OK_ON(r.state, cdn_trajectory_row(t, r.state, NULL));
  }
  ck_assert_int_eq(memory.calls, calls);
  cdn_trajectory_destroy(t);
  cdn_state_destroy(r.state);
  ck_assert(memory.outstanding == 0 && memory.misuse == 0);
}
END_TEST

/* A whole run: header, rows every interval, the end; called again it goes on, without a second header or a second row
 * of one time. */
START_TEST(a_whole_run_in_one_call) {
  cart_rig r = make_rig(NULL);
  page p = { .n = 0 };
  cdn_trajectory *t = NULL;
  cdn_stepper *stepper = NULL;
  cdn_trajectory_def def = cdn_default_trajectory_def();
  def.u = def.energies = false;
  OK_ON(r.state, cdn_trajectory_create(r.state, &def, write_page, &p, &t));
  OK_ON(r.state, cdn_stepper_create(r.state, NULL, &stepper));
  OK(cdn_trajectory_run(t, stepper, 0.5, 0.2));
  OK(cdn_trajectory_run(t, stepper, 1, 0.25));
  static const double times[] = { 0, 0.2, 0.4, 0.5, 0.75, 1 };
  ck_assert(strncmp(p.text, "time,cart.q\n", 12) == 0);
  const char *line = p.text;
  for (int i = 0; i < 6; i++) {
    double time, q;
    line = strchr(line, '\n') + 1;
    ck_assert_int_eq(sscanf(line, "%lf,%lf", &time, &q), 2);
    ck_assert_double_eq(time, times[i]);
    NEAR(q, 1. / 3 - 2 * time, 1e-12); /* nothing acts on the cart */
  }
  ck_assert_str_eq(strchr(line, '\n'), "\n");

  FAILS(cdn_trajectory_run(t, stepper, 0.5, 0.1), CDN_ERR_ARG);
  ck_assert(strstr(cdn_last_error_text(), "from the stepper's on"));
  FAILS(cdn_trajectory_run(t, stepper, 2, 0), CDN_ERR_ARG);
  FAILS(cdn_trajectory_run(t, stepper, 2, NAN), CDN_ERR_ARG);
  FAILS(cdn_trajectory_run(t, stepper, 2, 1e-300), CDN_ERR_ARG);
  FAILS(cdn_trajectory_run(t, stepper, INFINITY, 1), CDN_ERR_ARG);
  FAILS(cdn_trajectory_run(NULL, stepper, 2, 1), CDN_ERR_ARG);
  p.status = CDN_ERR_FILE;
  FAILS(cdn_trajectory_run(t, stepper, 2, 1), CDN_ERR_FILE);
  ck_assert(strstr(cdn_last_error_text(), "cdn_trajectory_row"));
  cdn_trajectory_destroy(t), cdn_stepper_destroy(stepper), cdn_state_destroy(r.state);
}
END_TEST

START_TEST(files_are_streams) {
  char back[8] = "";
  FILE *file = tmpfile();
  ck_assert(file);
  OK(cdn_file_write(file, "seven!!", 8));
  rewind(file);
  OK(cdn_file_read(file, back, 8));
  ck_assert_str_eq(back, "seven!!");
  FAILS(cdn_file_read(file, back, 1), CDN_ERR_FILE);
  ck_assert(strstr(cdn_last_error_text(), "the file ends"));
  fclose(file);
  FAILS(cdn_file_write(NULL, "x", 1), CDN_ERR_ARG);
  FAILS(cdn_file_read(NULL, back, 1), CDN_ERR_ARG);
  if ((file = fopen("/dev/full", "w"))) { /* where there is such a file */
    setvbuf(file, NULL, _IONBF, 0);
    FAILS(cdn_file_write(file, "x", 1), CDN_ERR_FILE);
    fclose(file);
  }
}
END_TEST

/* Rows go into a file with units, into memory with the same numbers. */
START_TEST(a_table_has_units) {
  static const char *const own[] = { "work" }, *const units[] = { "J" };
  char path[] = "/tmp/cardan-trajectory-XXXXXX.csv";
  cart_rig r = make_rig(NULL);
  cdn_trajectory *t = NULL, *none = NULL;
  cdn_trajectory_def def = cdn_default_trajectory_def();
  def.own = own, def.own_units = units, def.n_own = 1;
  const int file = mkstemps(path, 4);
  ck_assert_int_ge(file, 0);
  close(file);
  OK_ON(r.state, cdn_trajectory_open(r.state, &def, path, &t));
  OK_ON(r.state, cdn_trajectory_open(r.state, &def, NULL, &none));
  ck_assert(cdn_trajectory_table(t) && !cdn_trajectory_table(none));
  static const char *const names[] = { "time", "cart.q", "cart.u", "kinetic_energy", "potential_energy", "work" };
  static const char *const of_units[] = { "s", "m", "m/s", "J", "J", "J" };
  ck_assert_int_eq(cdn_trajectory_columns(t), 6);
  for (int i = 0; i < 6; i++) {
    ck_assert_str_eq(cdn_trajectory_column_name(t, i), names[i]);
    ck_assert_str_eq(cdn_trajectory_column_unit(t, i), of_units[i]);
  }
  ck_assert_ptr_null(cdn_trajectory_column_name(t, 6));
  ck_assert_ptr_null(cdn_trajectory_column_unit(NULL, 0));
  double row[6];
  const double work = 0.25;
  OK_ON(r.state, cdn_trajectory_values(none, r.state, &work, row));
  FAILS(cdn_trajectory_values(none, r.state, NULL, row), CDN_ERR_ARG);
  FAILS(cdn_trajectory_values(none, r.state, &work, NULL), CDN_ERR_ARG);
  OK(cdn_trajectory_header(t));
  for (int i = 0; i < 3; i++) {
    OK_ON(r.state, cdn_state_set_time(r.state, i));
    OK_ON(r.state, cdn_trajectory_row(t, r.state, &work));
  }
  OK(cdn_trajectory_close(t));
  OK(cdn_trajectory_close(none));
  FAILS(cdn_trajectory_close(NULL), CDN_ERR_ARG);
  cdn_table *table = NULL;
  OK(cdn_table_read(path, &table));
  ck_assert_int_eq(cdn_table_row_count(table), 3);
  ck_assert(cdn_table_values(table)[13] == row[1] && cdn_table_values(table)[17] == work);
  cdn_table_destroy(table);
  unlink(path);
  FAILS(cdn_trajectory_open(r.state, &def, "/nowhere/run.csv", &t), CDN_ERR_FILE);
  ck_assert_ptr_null(t);
  FAILS(cdn_trajectory_open(NULL, &def, path, &t), CDN_ERR_ARG);
  cdn_state_destroy(r.state);
}
END_TEST

CHECK_MAIN("trajectories", columns_are_as_asked_for, all_measures_in_the_order_of_adding, numbers_read_back,
           what_is_refused, memory_may_run_out, a_whole_run_in_one_call, a_table_has_units, files_are_streams)
