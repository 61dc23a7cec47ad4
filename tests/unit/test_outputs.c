/* Derivatives of measures, and inputs and outputs of linearized equations: a driven pin in closed form, a coupled pair
 * of sliders, and what is refused. */
#include <cardan/modes.h>

#include "../testing.h"

/* A pin without gravity: theta'' = 3 a - 0.5 theta', with a' = (c - a) / 0.2. Measures: angle, rate, theta'', c, and
 * one that multiplies angle and rate. */
enum { ANGLE, RATE, ACCELERATION, CONTROL, PRODUCT, MEASURES };
typedef struct driven {
  cdn_system *system;
  cdn_state *state;
  cdn_measure measure[MEASURES];
} driven;

static driven start(void) {
  driven d = { .system = cdn_system_create(NULL) };
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_PIN, body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  const cdn_body pin = cdn_system_add_body(d.system, &body);
  cdn_control_def control = cdn_default_control_def();
  control.name = "c", control.initial = 0.3;
  cdn_drive_def drive = cdn_default_drive_def();
  drive.control = cdn_system_add_control(d.system, &control), drive.body = pin;
  drive.dynamics = CDN_ACTUATOR_FILTER, drive.time[0] = 0.2, drive.gain[0] = 3, drive.bias[2] = -0.5;
  cdn_system_add_drive(d.system, "motor", &drive);
  d.measure[ANGLE] = cdn_system_add_coordinate_measure(d.system, "angle", pin, CDN_Q, 0);
  d.measure[RATE] = cdn_system_add_coordinate_measure(d.system, "rate", pin, CDN_U, 0);
  d.measure[ACCELERATION] = cdn_system_add_coordinate_measure(d.system, "acceleration", pin, CDN_UDOT, 0);
  d.measure[CONTROL] = cdn_system_add_control_measure(d.system, "control", drive.control);
  d.measure[PRODUCT] = cdn_system_add_product_measure(d.system, "product", d.measure[ANGLE], d.measure[RATE]);
  OK_FREEZE(d.system);
  OK(cdn_state_create(d.system, &d.state));
  OK_ON(d.state, cdn_state_set_q(d.state, (double[]){ 0.4 }));
  OK_ON(d.state, cdn_state_set_u(d.state, (double[]){ -0.7 }));
  return d;
}
static void stop(driven *d) {
  cdn_state_destroy(d->state);
  cdn_system_release(d->system);
}

/* Differences of numbers of the size 1, by steps of 6e-6: 1e-16 / 1e-5, and nothing is cubic. */
static const double error = 1e-10;

static void expect(int rows, int columns, const double *is, const double *shall) {
  for (int k = 0; k < rows * columns; k++)
    ck_assert_msg(fabs(is[k] - shall[k]) <= error, "[%d, %d]: %.15g, not %.15g", k / columns, k % columns, is[k],
                  shall[k]);
}

START_TEST(measures_of_a_driven_pin) {
  driven d = start();
  double C[MEASURES * 3], by_tau[MEASURES], D[MEASURES];
  const uint64_t before = cdn_state_serial(d.state, CDN_Q);
  OK_ON(d.state, cdn_measure_state_derivatives(d.state, MEASURES, d.measure, C, by_tau, D));
  expect(MEASURES, 3, C, (const double[]){ 1, 0, 0, 0, 1, 0, 0, -0.5, 3, 0, 0, 0, -0.7, 0.4, 0 });
  expect(MEASURES, 1, by_tau, (const double[]){ 0, 0, 1, 0, 0 });
  expect(MEASURES, 1, D, (const double[]){ 0, 0, 0, 1, 0 });
  ck_assert_uint_eq(cdn_state_serial(d.state, CDN_Q), before);
  NEAR(cdn_state_q(d.state)[0], 0.4, 0);
  OK_ON(d.state, cdn_measure_state_derivatives(d.state, 0, NULL, NULL, NULL, NULL));
  FAILS(cdn_measure_state_derivatives(d.state, 1, (const cdn_measure[]){ { 77 } }, C, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_measure_state_derivatives(d.state, -1, d.measure, C, NULL, NULL), CDN_ERR_ARG);
  stop(&d);
}
END_TEST

START_TEST(what_is_prescribed_or_at_a_limit) {
  driven d = start();
  double C[MEASURES * 3], D[MEASURES];
  const cdn_body pin = { 1 };
  OK_ON(d.state, cdn_body_lock_at(d.state, pin, CDN_LEVEL_POSITION, 1, (const double[]){ 0.4 }));
  OK_ON(d.state, cdn_measure_state_derivatives(d.state, MEASURES, d.measure, C, NULL, NULL));
  for (int i = 0; i < MEASURES; i++) {
    NEAR(C[3 * i], 0, 0);
    NEAR(C[3 * i + 1], 0, 0);
  }
  OK_ON(d.state, cdn_control_set_limits(d.state, (cdn_control){ 0 }, -1, 0.3)); /* one side is left */
  OK_ON(d.state, cdn_measure_state_derivatives(d.state, MEASURES, d.measure, NULL, NULL, D));
  NEAR(D[CONTROL], 1, error);
  OK_ON(d.state, cdn_control_set_limits(d.state, (cdn_control){ 0 }, -1, 0.2)); /* it is held */
  OK_ON(d.state, cdn_measure_state_derivatives(d.state, MEASURES, d.measure, NULL, NULL, D));
  NEAR(D[CONTROL], 0, 0);
  stop(&d);
}
END_TEST

START_TEST(inputs_and_outputs_of_a_driven_pin) {
  driven d = start();
  double A[9], B[3], C[MEASURES * 3], D[MEASURES], v[1], w[1];
  int n, l;
  OK_ON(d.state, cdn_linearize_with_z(d.state, A, v, &n, w, &l));
  ck_assert(n == 1 && l == 1);
  const double s = v[0], r = w[0]; /* signs of the bases */
  OK_ON(d.state, cdn_linearize_outputs(d.state, MEASURES, d.measure, B, C, D));
  expect(3, 1, B, (const double[]){ 0, 0, 5 });
  expect(MEASURES, 3, C, (const double[]){ s, 0, 0, 0, r, 0, 0, -0.5 * r, 3, 0, 0, 0, -0.7 * s, 0.4 * r, 0 });
  expect(MEASURES, 1, D, (const double[]){ 0, 0, 0, 1, 0 });
  stop(&d);
}
END_TEST

/* Two sliders of masses 1 and 2, of which the second goes twice as far as the first: x1 + 2 x2's force. A motor pushes
 * the first with 4 c: x1'' = 4 c / (1 + 2 * 4). */
START_TEST(outputs_of_what_is_constrained) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_SLIDER, body.mass.mass = 1;
  const cdn_body first = cdn_system_add_body(system, &body);
  body.mass.mass = 2;
  const cdn_body second = cdn_system_add_body(system, &body);
  cdn_function *f = cdn_function_linear(2, (const double[]){ 2, -1 }, 0);
  cdn_system_couple_coordinates(system, "gear", f, 2, (const cdn_mobility[]){ { first, 0 }, { second, 0 } });
  cdn_function_release(f);
  cdn_control_def control = cdn_default_control_def();
  control.name = "c";
  const cdn_control c = cdn_system_add_control(system, &control);
  cdn_drive_def drive = cdn_default_drive_def();
  drive.control = c, drive.body = first, drive.gain[0] = 4;
  cdn_system_add_drive(system, "motor", &drive);
  const cdn_measure y[2] = { cdn_system_add_coordinate_measure(system, "x2", second, CDN_Q, 0),
                             cdn_system_add_coordinate_measure(system, "a2", second, CDN_UDOT, 0) };
  cdn_state *state;
  double A[16], B[4], C[8], D[2], v[4], w[4];
  int n, l;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_linearize_with_z(state, A, v, &n, w, &l));
  ck_assert(n == 1 && l == 1);
  OK_ON(state, cdn_linearize_outputs(state, 2, y, B, C, D));
  NEAR(B[0], 0, error);
  NEAR(B[1] * w[0], 4.0 / 9, error); /* of x1 */
  NEAR(B[1] * w[1], 8.0 / 9, error);
  NEAR(C[0], v[1], error);
  NEAR(C[1], 0, error);
  NEAR(D[1], 8.0 / 9, error);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("outputs", measures_of_a_driven_pin, what_is_prescribed_or_at_a_limit, inputs_and_outputs_of_a_driven_pin,
           outputs_of_what_is_constrained)
