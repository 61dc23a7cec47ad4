/* `cardan rollout`: its states have the bits of a lone stepper whose controls are written before each row; arrays and
 * tables say the same; what fails is no number, and the other runs go on. */
#include "command_run.h"
#include "core/core.h"

#include <cardan/controls.h>
#include <cardan/model.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char arm[] =
    "<mujoco><option timestep='0.004' integrator='Euler'/><worldbody><body name='a' pos='0 0 1'>"
    "<joint name='j' axis='0 1 0' damping='0.1'/><geom type='capsule' size='.03' fromto='0 0 0 .4 0 0'/>"
    "<body name='b' pos='.4 0 0'><joint name='k' axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 .3 0 0'/>"
    "</body></body></worldbody><actuator><motor name='first' joint='j' ctrlrange='-2 2' ctrllimited='true'/>"
    "<general name='second' joint='k' dyntype='filter' dynprm='0.05' gainprm='0.3'/></actuator></mujoco>";

enum { RUNS = 5, ROWS = 7, CONTROLS = 2, HOLD = 3, WIDTH = 1 + 2 + 2 + 1 };

static double control_of(int run, int row, int i) { return 0.25 * floor(12 * sin(run + 0.7 * row + 2 * i)); }

/* Floats of 4 bytes, columns first: what NumPy writes of a transposed array. The numbers are exact in floats. */
static void write_array(const char *name) {
  FILE *file = fopen(name, "wb");
  char head[128];
  const int n = snprintf(head, sizeof head, "{'descr': '<f4', 'fortran_order': True, 'shape': (%d, %d, %d), }", RUNS,
                         ROWS, CONTROLS);
  memset(head + n, ' ', sizeof head - (size_t)n);
  head[117] = '\n';
  fwrite("\x93NUMPY\1\0\x76\0", 1, 10, file);
  fwrite(head, 1, 118, file);
  for (int i = 0; i < CONTROLS; i++)
    for (int row = 0; row < ROWS; row++)
      for (int run = 0; run < RUNS; run++) {
        const float x = (float)control_of(run, row, i);
        fwrite(&x, sizeof x, 1, file);
      }
  fclose(file);
}

static void write_table(const char *name) {
  FILE *file = fopen(name, "w");
  fprintf(file, "run,second,first\n");
  for (int run = 0; run < RUNS; run++)
    for (int row = 0; row < ROWS; row++)
      fprintf(file, "%d,%.17g,%.17g\n", run, control_of(run, row, 1), control_of(run, row, 0));
  fclose(file);
}

static void read_states(const char *name, double *states, int runs, int rows, int width) {
  char head[128], shape[64];
  FILE *file = fopen(name, "rb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fread(head, 1, 128, file), 128);
  head[127] = 0;
  snprintf(shape, sizeof shape, "(%d,%d,%d,)", runs, rows, width);
  SAYS(head + 10, shape);
  SAYS(head + 10, "f8");
  const size_t n = (size_t)runs * (size_t)rows * (size_t)width;
  ck_assert_uint_eq(fread(states, sizeof *states, n, file), n);
  ck_assert_int_eq(fgetc(file), EOF);
  fclose(file);
}

static void put_row(const cdn_state *s, double *to) {
  to[0] = cdn_state_time(s);
  memcpy(to + 1, cdn_state_q(s), 2 * sizeof *to);
  memcpy(to + 3, cdn_state_u(s), 2 * sizeof *to);
  to[5] = cdn_state_z(s)[0];
}

/* The same by a stepper of equal steps: one row of states for each row of controls, after the start. */
static void run_alone(cdn_model *model, cdn_method method, double h, int run, double *states) {
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_state *state;
  cdn_stepper *stepper;
  def.method = method, def.fixed_step = h, def.companion = false;
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK(cdn_stepper_create(state, &def, &stepper));
  cdn_state *now = cdn_stepper_state(stepper);
  put_row(now, states);
  for (int row = 0; row < ROWS; row++) {
    const double values[CONTROLS] = { control_of(run, row, 0), control_of(run, row, 1) };
    OK(cdn_control_set_all(now, values));
    const double t = cdn_state_time(now);
    OK(cdn_stepper_advance(stepper, t + HOLD * h, NULL));
    put_row(now, states + WIDTH * (row + 1));
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}

static void compare(cdn_method method, double h, const double *states) {
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model;
  options.contact = CDN_MODEL_SOFT;
  OK(cdn_model_load("arm.xml", &options, &model));
  for (int run = 0; run < RUNS; run++) {
    double alone[(ROWS + 1) * WIDTH];
    run_alone(model, method, h, run, alone);
    ck_assert_mem_eq(alone, states + (size_t)run * (ROWS + 1) * WIDTH, sizeof alone);
  }
  cdn_model_destroy(model);
}

START_TEST(rollouts_have_the_bits_of_lone_runs) {
  static double states[RUNS * (ROWS + 1) * WIDTH], others[RUNS * (ROWS + 1) * WIDTH];
  enter_directory();
  write_file("arm.xml", arm);
  write_array("plan.npy");
  write_table("plan.csv");
  SUCCEEDS("rollout arm.xml --controls plan.npy --like mujoco --hold 3 --threads 2 -o states.npy");
  SAYS(output, "5 runs of 7 x 3 steps of 0.004 s, 6 numbers a row");
  read_states("states.npy", states, RUNS, ROWS + 1, WIDTH);
  compare(CDN_METHOD_MUJOCO_EULER, 0.004, states);
  SUCCEEDS("rollout arm.xml --controls plan.csv --like mujoco --hold 3 -o others.npy --quiet");
  read_states("others.npy", others, RUNS, ROWS + 1, WIDTH);
  ck_assert_mem_eq(states, others, sizeof states);
  SUCCEEDS("rollout arm.xml --controls plan.csv --contact soft --step 0.01 --hold 3 -o others.npy --quiet");
  read_states("others.npy", others, RUNS, ROWS + 1, WIDTH);
  compare(CDN_METHOD_DORMAND_PRINCE, 0.01, others);
  json_t *about = json_load_file("states.npy.json", 0, NULL);
  ck_assert_ptr_nonnull(about);
  ck_assert_str_eq(json_string_value(json_array_get(member(about, "columns"), 1)), "j.q");
  ck_assert_int_eq((int)json_array_size(member(about, "columns")), WIDTH);
  ck_assert_str_eq(json_string_value(json_array_get(member(about, "controls"), 1)), "second");
  json_decref(about);
}
END_TEST

/* Explicit steps with a huge force leave the numbers; the run beside it does not notice. */
START_TEST(a_run_fails_alone) {
  static double states[2 * 61 * 3];
  enter_directory();
  write_file(
      "block.xml",
      "<mujoco><option gravity='0 0 0'/><worldbody><body name='a'><joint name='j' type='slide'/><geom size='.1'/></body>"
      "</worldbody><actuator><general name='c' joint='j' gainprm='1e307'/></actuator></mujoco>");
  FILE *file = fopen("plan.csv", "w");
  fprintf(file, "run,c\n");
  for (int i = 0; i < 120; i++) fprintf(file, "%d,%s\n", i / 60, i < 60 ? "0" : "1e4");
  fclose(file);
  EXITS(1, "rollout block.xml --controls plan.csv --step 1 -o states.npy");
  SAYS(errors, "1 of 2 runs failed; the first is run 1");
  read_states("states.npy", states, 2, 61, 3);
  NEAR(states[3 * 60], 60, 0);
  NEAR(states[3 * 60 + 1], 0, 1e-9);
  ck_assert(isnan(states[3 * 121]) && isnan(states[3 * 121 + 2]));
  NEAR(states[3 * 61 + 1], 0, 0); /* its start */
}
END_TEST

START_TEST(wrong_controls_are_said) {
  enter_directory();
  write_file("arm.xml", arm);
  write_file("good.csv", "run,first\n0,1\n0,2\n1,3\n1,4\n");
  SUCCEEDS("rollout arm.xml --controls good.csv --method file -o a.npy");
  EXITS(2, "rollout arm.xml --controls good.csv -o a.npy");
  SAYS(errors, "equal steps");
  EXITS(2, "rollout arm.xml --step 0.1 -o a.npy");
  EXITS(2, "rollout arm.xml --controls good.csv --step 0.1");
  EXITS(2, "rollout arm.xml --controls good.csv --step 0.1 --hold 1.5 -o a.npy");
  EXITS(4, "rollout arm.xml --controls good.csv --step 0.1 -o nowhere/a.npy");
  EXITS(3, "rollout arm.xml --controls nothing.csv --step 0.1 -o a.npy");
  EXITS(3, "rollout arm.xml --controls nothing.npy --step 0.1 -o a.npy");
  static const struct {
    const char *text, *says;
  } tables[] = { { "time,first\n0,1\n", "'run'" },
                 { "run,third\n0,1\n", "no control 'third'" },
                 { "run,first\n1,1\n", "no run 0" },
                 { "run,first\n0,1\n0,2\n1,3\n", "as many rows" },
                 { "run,first\n0,1\n1,3\n1,4\n2,5\n", "as many rows" },
                 { "run,first\n0,1\n0.5,3\n1,3\n", "as many rows" },
                 { "run,first\n0,one\n", "no number" } };
  for (int i = 0; i < CDNI_COUNT(tables); i++) {
    write_file("bad.csv", tables[i].text);
    EXITS(3, "rollout arm.xml --controls bad.csv --step 0.1 -o a.npy");
    SAYS(errors, tables[i].says);
  }
  write_file("bad.npy", "no array");
  EXITS(3, "rollout arm.xml --controls bad.npy --step 0.1 -o a.npy");
  SAYS(errors, "no array of NumPy");
  FILE *file = fopen("bad.npy", "wb");
  fwrite("\x93NUMPY\1\0\x46\0", 1, 10, file);
  fprintf(file, "%-69s\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (99, 99, 2), }");
  fclose(file);
  EXITS(3, "rollout arm.xml --controls bad.npy --step 0.1 -o a.npy");
  SAYS(errors, "as many numbers as its head says");
}
END_TEST

CHECK_MAIN("rollout", rollouts_have_the_bits_of_lone_runs, a_run_fails_alone, wrong_controls_are_said)
