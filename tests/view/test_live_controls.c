/* Controls of a live run: what pages set is recorded as a table, and a table is taken. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <unistd.h>

#include "view_rig.h"

static json_t *set_control(double value) {
  return json_pack("{s:s,s:i,s:f}", "type", "control", "index", 0, "value", value);
}

/* A pendulum with a motor. */
static void add_motor(view_rig *r) {
  cdn_body_def b = cdn_default_body_def();
  cdn_control_def control = cdn_default_control_def();
  cdn_actuator_def motor = cdn_default_actuator_def();
  b.mobilizer = CDN_PIN, b.mass = (cdn_mass_properties){ 2, { 0.3, 0, 0 }, { 0.4, 0.4, 0.4, 0, 0, 0 } };
  motor.body = cdn_system_add_body(r->system, &b);
  cdn_system_add_gravity(r->system, NULL, cdn_v3(0, -9.81, 0));
  control.name = "motor, left";
  motor.control = cdn_system_add_control(r->system, &control);
  cdn_system_add_actuator(r->system, "motor", &motor);
}

/* Its control is moved by a page while the run goes. */
static void run_with_controls(view_rig *r, const cdn_stepper_def *def, const char *path) {
  live_rig_begin(r);
  add_motor(r);
  r->def.record_controls = path;
  live_rig_run(r, def);
  live_rig_turns(r, 3);
  for (int i = 0; i < 6; i++) {
    ck_assert_ptr_null(live_rig_ask(r, set_control(0.7 * i - 1)));
    if (i == 3) ck_assert_ptr_null(live_rig_ask(r, set_control(5))); /* in the next frame */
    live_rig_turns(r, 1 + i % 2);
  }
}

static void record_and_take(double step) {
  char path[] = "/tmp/controls-XXXXXX", line[200];
  view_rig r;
  cdn_state *start;
  cdn_stepper *again;
  cdn_stepper_def def = cdn_default_stepper_def();
  double value[2];
  int rows = 0;
  const int handle = mkstemp(path);
  ck_assert_int_ge(handle, 0);
  close(handle);
  def.fixed_step = step, def.method = step > 0 ? CDN_METHOD_MUJOCO_RK4 : CDN_METHOD_DEFAULT;
  def.companion = step == 0;
  run_with_controls(&r, &def, path);
  cdn_certificate c;
  OK(cdn_stepper_certificate(r.live->stepper, &c));
  while (cdn_stepper_advance(r.live->stepper, c.time_final, NULL) == CDN_ERR_LIMIT) continue;
  OK(cdn_state_create(r.system, &start));
  OK(cdn_stepper_create(start, &def, &again));
  FILE *file = fopen(path, "r");
  ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
  ck_assert_str_eq(line, "time,\"motor, left\"\n");
  for (; fscanf(file, "%lf,%lf", &value[0], &value[1]) == 2; rows++) {
    OK(cdn_stepper_advance(again, value[0], NULL));
    OK(cdn_control_set(cdn_stepper_state(again), (cdn_control){ 0 }, value[1]));
    OK(cdn_stepper_advance(again, value[0], NULL));
  }
  ck_assert_int_eq(rows, 8);
  OK(cdn_stepper_advance(again, c.time_final, NULL));
  cdn_state *live_end = cdni_live_shown(r.live), *end = cdn_stepper_state(again);
  ck_assert(cdn_state_q(live_end)[0] == cdn_state_q(end)[0] && cdn_state_u(live_end)[0] == cdn_state_u(end)[0]);
  ck_assert(cdn_state_time(end) > 0.15);
  fclose(file);
  cdn_stepper_destroy(again);
  cdn_state_destroy(start);
  ck_assert_ptr_nonnull(r.live->table);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s}", "type", "reset"))); /* it begins anew */
  ck_assert_ptr_nonnull(r.live->table);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:i,s:f}", "type", "coordinate", "index", 0, "value", 0.5)));
  ck_assert_ptr_null(r.live->table);
  ck_assert_ptr_nonnull(strstr(text_of(r.event, "text"), "the record of controls ends here, as a coordinate was set"));
  live_rig_drop(&r);
  remove(path);
}

/* Who takes the rows of the table, as docs/controls.md says, gets the same bits, in equal steps and by accuracy; what
 * the table cannot hold ends it. */
START_TEST(controls_are_recorded) {
  record_and_take(0.003);
  record_and_take(0);
}
END_TEST

/* ---- a table of controls that is taken ---- */

static const char table_text[] = "time,\"motor, left\"\n0,1.5\n0.05,-2\n0.0512,-2.5\n0.1,0.25\n0.3,1\n";
static const double table_time[] = { 0, 0.05, 0.0512, 0.1, 0.3 }, table_value[] = { 1.5, -2, -2.5, 0.25, 1 };
enum { TABLE_ROWS = 5 };

static void begin_with_table(view_rig *r, const cdn_stepper_def *def, const char *record) {
  char path[] = "/tmp/controls-XXXXXX";
  const int handle = mkstemp(path);
  ck_assert(handle >= 0 && write(handle, table_text, sizeof table_text - 1) == sizeof table_text - 1);
  close(handle);
  live_rig_begin(r);
  add_motor(r);
  r->def.controls = path, r->def.record_controls = record;
  live_rig_run(r, def);
  remove(path); /* it is open */
}

static double given(view_rig *r) { return cdn_control_given(cdni_live_shown(r->live), (cdn_control){ 0 }); }

/* Until a row is beyond `time`, and `time` is in a step. */
static void turn_until(view_rig *r, double time) {
  while (live_rig_time(r) < time) live_rig_turn(r);
}

/* The run has the bits of one whose controls are set by hand: at the times of rows, or in equal steps at the first step
 * from then on. The record has the same rows. */
static void take_table(double step) {
  char record[] = "/tmp/controls-XXXXXX", line[200];
  view_rig r;
  cdn_state *start;
  cdn_stepper *by_hand;
  cdn_certificate c;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.fixed_step = step, def.method = step > 0 ? CDN_METHOD_MUJOCO_RK4 : CDN_METHOD_DEFAULT;
  def.companion = step == 0;
  close(mkstemp(record));
  begin_with_table(&r, &def, record);
  ck_assert(given(&r) == 1.5);
  turn_until(&r, 0.35);
  OK(cdn_stepper_certificate(r.live->stepper, &c));
  while (cdn_stepper_advance(r.live->stepper, c.time_final, NULL) == CDN_ERR_LIMIT) continue;
  FILE *file = fopen(record, "r");
  ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
  OK(cdn_state_create(r.system, &start));
  OK(cdn_control_set(start, (cdn_control){ 0 }, 1.5));
  OK(cdn_stepper_create(start, &def, &by_hand));
  for (int i = 0; i < TABLE_ROWS; i++) {
    const double acts = step > 0 ? step * ceil(table_time[i] / step - 1e-9) : table_time[i];
    double row[2];
    ck_assert_int_eq(fscanf(file, "%lf,%lf", &row[0], &row[1]), 2);
    NEAR(row[0], acts, 1e-12);
    ck_assert(row[1] == table_value[i]);
    OK(cdn_stepper_advance(by_hand, row[0], NULL));
    OK(cdn_control_set(cdn_stepper_state(by_hand), (cdn_control){ 0 }, table_value[i]));
    OK(cdn_stepper_advance(by_hand, row[0], NULL));
  }
  ck_assert_int_eq(fgetc(file), '\n');
  ck_assert_int_eq(fgetc(file), EOF);
  fclose(file);
  OK(cdn_stepper_advance(by_hand, c.time_final, NULL));
  cdn_state *live_end = cdni_live_shown(r.live), *end = cdn_stepper_state(by_hand);
  ck_assert(cdn_state_q(live_end)[0] == cdn_state_q(end)[0] && cdn_state_u(live_end)[0] == cdn_state_u(end)[0]);
  cdn_stepper_destroy(by_hand);
  cdn_state_destroy(start);
  live_rig_drop(&r);
  remove(record);
}

START_TEST(a_table_of_controls_is_taken) {
  take_table(0.003);
  take_table(0);
}
END_TEST

/* Sliders show what the table says. Who moves one has the control until a reset; in the past the row of that time
 * holds, and single steps end at rows. */
START_TEST(a_table_and_pages_share_the_controls) {
  view_rig r;
  cdn_stepper_def def = cdn_default_stepper_def();
  begin_with_table(&r, &def, NULL);
  turn_until(&r, 0.12);
  ck_assert(json_real_value(json_array_get(json_object_get(r.values, "controls"), 0)) == 0.25);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:f}", "type", "seek", "time", 0.07)));
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s}", "type", "run")));
  ck_assert(given(&r) == -2.5);
  turn_until(&r, 0.12);
  ck_assert(given(&r) == 0.25);
  ck_assert_ptr_null(live_rig_ask(&r, set_control(7)));
  ck_assert_ptr_nonnull(strstr(text_of(r.event, "text"), "control 'motor, left' was set by hand"));
  const int events = r.events;
  ck_assert_ptr_null(live_rig_ask(&r, set_control(8)));
  ck_assert_int_eq(r.events, events); /* it is told once */
  turn_until(&r, 0.35);
  ck_assert(given(&r) == 8);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s}", "type", "reset")));
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s}", "type", "pause")));
  turn_until(&r, 0);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s}", "type", "reset")));
  ck_assert(live_rig_time(&r) == 0 && given(&r) == 1.5);
  for (int i = 1; i < TABLE_ROWS; i++) {
    while (live_rig_time(&r) < table_time[i]) ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s}", "type", "step")));
    ck_assert(live_rig_time(&r) == table_time[i]);
  }
  live_rig_drop(&r);
}
END_TEST

START_TEST(a_table_that_does_not_fit_is_refused) {
  view_rig r;
  cdn_view *view;
  live_rig_begin(&r);
  add_motor(&r);
  live_rig_freeze(&r);
  r.def.controls = "/nowhere/table.csv";
  FAILS(cdn_view_open(r.state, &r.def, &view), CDN_ERR_FILE);
  live_rig_drop(&r);
}
END_TEST

CHECK_MAIN("live controls", controls_are_recorded, a_table_of_controls_is_taken, a_table_and_pages_share_the_controls,
           a_table_that_does_not_fit_is_refused)
