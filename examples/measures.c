/* A whip of two links, and what is wanted of it: the height of its tip, how high and how fast that has been, and the
 * mean height. They are measures, and columns of a trajectory that `cardan plot` draws:
 *
 *   measures whip.csv && cardan plot whip.csv */
#include <cardan/core.h>
#include <cardan/trajectory.h>
#include <cardan/measures.h>
#include <math.h>
#include <stdio.h>

/* How long the vector is that another measure has. */
static cdn_status calc_length(const void *self, cdn_state *state, int derivative, double *value) {
  const double *v = cdn_measure_value(state, *(const cdn_measure *)self);
  (void)derivative;
  if (!v) return CDN_ERR_CALLBACK;
  *value = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  return CDN_OK;
}

int main(int argc, char **argv) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "handle", def.mobilizer = CDN_PIN, def.mass.mass = 1;
  def.mass.com = cdn_v3(0, -0.5, 0), def.mass.inertia.xx = def.mass.inertia.zz = 0.08;
  cdn_body handle = cdn_system_add_body(system, &def);
  def.name = "lash", def.parent = handle, def.X_PF.p = cdn_v3(0, -1, 0);
  cdn_body lash = cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.80665, 0));

  cdn_vec3 end = { 0, -1, 0 };
  cdn_measure tip = cdn_system_add_station_measure(system, "tip", lash, end, CDN_STATION_POSITION);
  cdn_measure velocity = cdn_system_add_derivative_measure(system, "tip velocity", tip); /* exact: the tip knows it */
  cdn_measure height = cdn_system_add_component_measure(system, "height", tip, 1);
  cdn_measure highest = cdn_system_add_extreme_measure(system, "highest", height, CDN_MAXIMUM);
  cdn_measure area = cdn_system_add_integral_measure(system, "height integral", height, NULL, 1);
  const cdn_ticket reads = cdn_measure_ticket(system, velocity);
  cdn_measure_ops length = { .struct_size = sizeof length, .self_size = sizeof velocity, .n = 1 };
  length.stage = CDN_STAGE_VELOCITY, length.prerequisites = &reads, length.n_prerequisites = 1;
  length.calc_value = calc_length;
  cdn_measure speed = cdn_system_add_custom_measure(system, "speed", &length, &velocity);
  cdn_measure fastest = cdn_system_add_extreme_measure(system, "fastest", speed, CDN_MAXIMUM);

  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_trajectory *trajectory = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-8;
  const double q[] = { 2, 0.5 };
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_state_set_q(state, q);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);

  cdn_trajectory_def columns = cdn_default_trajectory_def();
  const cdn_measure wanted[] = { tip, highest, speed, fastest };
  columns.measures = wanted, columns.n_measures = 4;
  FILE *file = argc > 1 ? fopen(argv[1], "w") : stdout;
  if (!status) status = cdn_trajectory_create(state, &columns, cdn_file_write, file, &trajectory);
  if (!status) status = cdn_trajectory_run(trajectory, stepper, 3, 0.01);

  double mean = NAN, most = NAN;
  if (!status) {
    const double *integral = cdn_measure_value(cdn_stepper_state(stepper), area);
    if (integral) mean = *integral / 3;
    const double *peak = cdn_measure_value(cdn_stepper_state(stepper), highest);
    if (peak) most = *peak;
  }
  if (status) fprintf(stderr, "measures: %s\n", cdn_last_error_text());
  fprintf(stderr, "the tip was at %.4f m in the mean, and at %.4f m at most\n", mean, most);
  cdn_trajectory_destroy(trajectory);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  if (file && file != stdout && fclose(file) != 0) status = CDN_ERR_FILE;
  return !status && mean < most && most <= 2 ? 0 : 1;
}
