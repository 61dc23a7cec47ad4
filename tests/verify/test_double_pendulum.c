/* A chaotic double pendulum against a 20-digit integration (reference/ode_refs.json: two point masses of 1 kg on
 * massless rods of 1 m, g = 9.81, released at rest with both rods horizontal). */
#include "runs.h"

/* time, both angles from the downward vertical, their rates */
static const double rows[][5] = {
  { 0.5, 0.570472051232992176415, 1.20387511115824414035, -2.78964576616737432007, -3.18806274665120954546 },
  { 1.0, -0.625087699806390629954, -1.03458508568001234061, -3.92227957288797661687, -1.30309924869633124332 },
  { 2.0, -0.482971534251754377449, -1.32404871230236254879, 3.06528819207340131517, 2.94927154757161898304 },
  { 3.0, 1.78579552207741667622, 1.11810746120515544044, 0.327980619514456123896, -0.504455103945311941107 },
  { 4.0, -0.475242114903626118346, -1.24045007331109594505, -1.90392605402900509576, -4.61776021661466337917 },
  { 5.0, -0.627186705066530730138, -1.30131555020981167791, 2.12540867384291065065, 3.88188872726560743925 },
  { 7.0, -0.299225944874117773334, -1.4300710456273558513, -3.29832216706622498887, -3.11894552653847000141 },
  { 10.0, -0.568474664015950188776, -0.52639372793240469833, 6.07838488576196485482, -9.68136068170887875808 },
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* Builds the pendulum in one of two ways: pins, or for the outer bob a massless arm that is welded on. */
static cdn_state *double_pendulum(bool with_arm) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_mass_properties bob = point_mass(1, cdn_v3(0, -1, 0));
  cdn_body inner = add_pin(system, "inner", cdn_ground(), cdn_v3(0, 0, 1), cdn_v3(0, 0, 0), bob);
  if (with_arm) {
    cdn_body arm = add_pin(system, "arm", inner, cdn_v3(0, 0, 1), cdn_v3(0, -1, 0), point_mass(0, cdn_v3(0, 0, 0)));
    cdn_body_def def = cdn_default_body_def();
    def.name = "outer";
    def.parent = arm;
    def.X_PF = frame_z(cdn_v3(1, 2, 3), cdn_v3(0, -1, 0));
    def.mass = point_mass(1, cdn_v3(0, 0, 0));
    cdn_system_add_body(system, &def);
  } else add_pin(system, "outer", inner, cdn_v3(0, 0, 1), cdn_v3(0, -1, 0), bob);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  cdn_state *state = state_of(system);
  double q[2] = { PI / 2, 0 }; /* the outer angle is relative */
  OK(cdn_state_set_q(state, q));
  return state;
}

/* Errors at the rows, the largest of the four numbers each. */
static void errors(double accuracy, bool with_arm, double *error) {
  cdn_state *state = double_pendulum(with_arm);
  cdn_stepper *stepper = stepper_of(state, accuracy);
  for (int i = 0; i < ROWS; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, rows[i][0], NULL));
    const double *q = cdn_state_q(cdn_stepper_state(stepper)), *u = cdn_state_u(cdn_stepper_state(stepper));
    error[i] = fmax(fabs(q[0] - rows[i][1]), fabs(q[0] + q[1] - rows[i][2]));
    error[i] = fmax(error[i], fmax(fabs(u[0] - rows[i][3]), fabs(u[0] + u[1] - rows[i][4])));
  }
  cdn_certificate certificate;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &certificate));
  AT_MOST(fabs(certificate.energy_residual), 100 * accuracy + 1e-13);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}

/* How much an error of one step has grown by time t: the motion diverges as e^(t / 2) in the mean, and steps add. */
static double growth(double t) { return 4 * exp(0.5 * t); }

START_TEST(test_against_reference) {
  double error[ROWS], coarser[ROWS];
  for (int with_arm = 0; with_arm < 2; with_arm++)
    for (double accuracy = 1e-6; accuracy > 3e-13; accuracy *= 0.01) {
      errors(accuracy, with_arm, error);
      for (int i = 0; i < ROWS; i++) {
        /* rounding, of some hundred steps, grows like any other error */
        double floor = 1e-14 * growth(rows[i][0]);
        AT_MOST(error[i], growth(rows[i][0]) * accuracy + floor);
        if (accuracy < 5e-7) AT_MOST(error[i], fmax(0.05 * coarser[i], floor));
        coarser[i] = error[i];
      }
    }
}
END_TEST

START_TEST(test_start) {
  /* both rods horizontal at rest: the inner one accelerates by g, the outer one not at all */
  cdn_state *state = double_pendulum(false);
  const double *udot = cdn_state_udot(state);
  NEAR(udot[0], -9.81, 1e-14);
  NEAR(udot[0] + udot[1], 0, 2e-14);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("double pendulum", test_against_reference, test_start)
