/* A quaternion's length means nothing, from the smallest number to the largest: everything that reads q gives what it
 * gives for unit length. */
#include "ode.h"

static const double lengths[] = { 1e-315, 1e-308, 1e-200, 1e-160, 1e-100, 1e-8, 3, 1e8, 1e100, 1e160, 1e200, 1e307 };
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* Relative to 1: a length of 1e-315 leaves 9 digits or so to the parts of a quaternion. */
static double rounding(double length) { return length < 1e-307 ? 1e-7 : 1e-13; }

static const cdn_mobilizer kinds[] = { CDN_BALL, CDN_FREE, CDN_ELLIPSOID, CDN_LINE_ORIENTATION, CDN_FREE_LINE };
enum { KINDS = sizeof kinds / sizeof *kinds };

static const double unit[7] = { 0.5, -0.1, 0.7, 0.5, 0.3, -0.2, 0.4 }; /* a quaternion of length 1, then p */
static const double speeds[6] = { 0.7, -1.1, 0.4, 0.3, 0.2, -0.6 };

/* Two bodies of a kind, one on the other, under gravity. */
static cdn_state *pair(cdn_mobilizer kind, cdn_body body[2]) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdn_body_def def = cdn_default_body_def();
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  def.mobilizer = kind;
  memcpy(def.params, (const double[]){ 0.3, 0.2, 0.4 }, 3 * sizeof(double));
  def.mass = (cdn_mass_properties){ .mass = 2,
                                    .com = { 0.1, 0.05, -0.2 },
                                    .inertia = { .xx = 0.3, .yy = 0.4, .zz = 0.35, .xy = 0.01, .yz = -0.02 } };
  def.name = "one";
  def.parent = body[0] = cdn_system_add_body(system, &def);
  def.name = "two", def.mobilizer_name = "shoulder";
  def.X_PF.p = cdn_v3(0.3, 0.2, -0.1);
  body[1] = cdn_system_add_body(system, &def);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* Both quaternions times a number. */
static void set(cdn_state *state, const cdn_body body[2], double length) {
  const cdn_system *system = cdn_state_system(state);
  double q[14];
  for (int b = 0; b < 2; b++)
    for (int k = 0, nq = cdn_body_nq(system, body[b]); k < nq; k++) q[b * nq + k] = (k < 4 ? length : 1) * unit[k];
  OK_ON(state, cdn_state_set_q(state, q));
  for (int b = 0; b < 2; b++) OK_ON(state, cdn_body_set_u(state, body[b], cdn_body_nu(system, body[b]), speeds));
}

enum { MOST = 12 };
typedef struct values {
  double energy, udot[MOST], u[MOST], position[3];
} values;

static values values_of(cdn_state *state, cdn_body tip) {
  const int nu = cdn_system_nu(cdn_state_system(state)), nq = cdn_system_nq(cdn_state_system(state));
  values v = { 0 };
  double kinetic, potential, qdot[14];
  cdn_transform pose;
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  OK_ON(state, cdn_kinetic_energy(state, &kinetic));
  OK_ON(state, cdn_potential_energy(state, &potential));
  OK_ON(state, cdn_body_pose(state, tip, &pose));
  v.energy = kinetic + potential;
  memcpy(v.udot, cdn_state_udot(state), (size_t)nu * sizeof(double));
  memcpy(qdot, cdn_state_qdot(state), (size_t)nq * sizeof(double));
  OK_ON(state, cdn_multiply_by_N_inv(state, qdot, v.u)); /* u again, from rates of any size */
  v.position[0] = pose.p.x + pose.R.x.x, v.position[1] = pose.p.y + pose.R.y.z, v.position[2] = pose.p.z;
  return v;
}

static void compare(const values *a, const values *b, double rounding) {
  const double *x = (const double *)a, *y = (const double *)b;
  for (size_t i = 0; i < sizeof *a / sizeof(double); i++) NEAR(x[i], y[i], rounding * fmax(1, fabs(y[i])));
}

START_TEST(kinematics_and_dynamics) {
  for (int k = 0; k < KINDS; k++) {
    cdn_body body[2];
    cdn_state *state = pair(kinds[k], body);
    const int nu = cdn_system_nu(cdn_state_system(state));
    set(state, body, 1);
    const values wanted = values_of(state, body[1]);
    double by_q[MOST * MOST], by_u[MOST * MOST], q1[MOST * MOST], u1[MOST * MOST];
    OK_ON(state, cdn_forward_dynamics_derivatives(state, by_q, by_u, NULL, NULL));
    for (int i = 0; i < LENGTHS; i++) {
      const double close = 300 * rounding(lengths[i]);
      set(state, body, lengths[i]);
      const values found = values_of(state, body[1]);
      compare(&found, &wanted, close);
      OK_ON(state, cdn_forward_dynamics_derivatives(state, q1, u1, NULL, NULL));
      for (int j = 0; j < nu * nu; j++) NEAR(q1[j], by_q[j], close * fmax(1, fabs(by_q[j])));
      for (int j = 0; j < nu * nu; j++) NEAR(u1[j], by_u[j], close * fmax(1, fabs(by_u[j])));
    }
    cdn_state_destroy(state);
  }
}
END_TEST

/* The run begins with unit quaternions, and goes the same way. */
START_TEST(runs) {
  for (int k = 0; k < KINDS; k++) {
    cdn_body body[2];
    values wanted = { 0 };
    for (int i = -1; i < LENGTHS; i++) {
      const double length = i < 0 ? 1 : lengths[i];
      cdn_state *state = pair(kinds[k], body);
      cdn_stepper_def def = cdn_default_stepper_def();
      def.method = CDN_METHOD_DORMAND_PRINCE;
      def.fixed_step = 0.01;
      set(state, body, length);
      cdn_stepper *stepper = ode_stepper(state, &def);
      OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1, NULL));
      const values found = values_of(cdn_stepper_state(stepper), body[1]);
      if (i < 0) wanted = found;
      else compare(&found, &wanted, 1e3 * rounding(length));
      for (int b = 0; b < 2; b++) {
        const double *q = cdn_body_q(cdn_stepper_state(stepper), body[b]);
        NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14);
      }
      cdn_stepper_destroy(stepper);
      cdn_state_destroy(state);
    }
  }
}
END_TEST

/* Locked there, brought along displacements, and many at once. */
START_TEST(locks_displacements_ensembles) {
  cdn_body body[2];
  cdn_state *state = pair(CDN_BALL, body);
  for (int i = 0; i < LENGTHS; i++) {
    double q[4], v[6] = { 0.1, -0.2, 0.3 }, basis[36], y[6];
    int n;
    for (int k = 0; k < 4; k++) q[k] = lengths[i] * unit[k];
    set(state, body, 1);
    OK_ON(state, cdn_body_lock_at(state, body[1], CDN_LEVEL_POSITION, 4, q));
    for (int k = 0; k < 4; k++) NEAR(cdn_state_q_eff(state)[4 + k], unit[k], rounding(lengths[i]));
    OK_ON(state, cdn_body_unlock(state, body[1]));

    set(state, body, lengths[i]);
    OK_ON(state, cdn_displacement_basis(state, basis, &n));
    ck_assert_int_eq(n, 6);
    for (int k = 0; k < n; k++) {
      y[k] = 0;
      for (int j = 0; j < 6; j++) y[k] += basis[k * 6 + j] * v[j];
    }
    OK_ON(state, cdn_displace(state, n, basis, y, NULL));
    double once[8];
    memcpy(once, cdn_state_q(state), sizeof once);
    set(state, body, 1);
    OK_ON(state, cdn_displace(state, n, basis, y, NULL));
    for (int k = 0; k < 8; k++) NEAR(once[k], cdn_state_q(state)[k], 1e2 * rounding(lengths[i]));
  }

  cdn_ensemble *ensemble = NULL;
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = LENGTHS;
  OK_ON(state, cdn_ensemble_create(state, &def, &ensemble));
  for (int i = 0; i < LENGTHS; i++) {
    set(state, body, lengths[i]);
    OK(cdn_ensemble_set_state(ensemble, i, state));
  }
  double udot[LENGTHS * 6];
  OK(cdn_ensemble_rates(ensemble, CDN_POOL_U, udot, 6));
  for (int i = 0; i < LENGTHS; i++) {
    set(state, body, 1);
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    for (int k = 0; k < 6; k++)
      NEAR(udot[i * 6 + k], cdn_state_udot(state)[k],
           300 * rounding(lengths[i]) * fmax(1, fabs(cdn_state_udot(state)[k])));
  }
  cdn_ensemble_destroy(ensemble);
  cdn_state_destroy(state);
}
END_TEST

/* Zero has no direction, and what is no number none either: the joint is named, and what to write. */
START_TEST(what_has_no_direction_is_named) {
  cdn_body body[2];
  cdn_state *state = pair(CDN_BALL, body);
  cdn_stepper *stepper = NULL;
  cdn_error error;
  double q[8] = { 1, 0, 0, 0, 0, 0, 0, 0 };
  OK_ON(state, cdn_state_set_q(state, q));
  FAILS(cdn_stepper_create(state, NULL, &stepper), CDN_ERR_ARG);
  cdn_state_last_error(state, &error);
  ck_assert_str_eq(error.element, "shoulder");
  ck_assert_ptr_nonnull(strstr(error.text, "the quaternion of joint 'shoulder' is zero; (1,0,0,0) is the identity"));
  FAILS(cdn_body_set_q(state, body[1], 4, q + 4), CDN_ERR_ARG);
  FAILS(cdn_body_lock_at(state, body[1], CDN_LEVEL_POSITION, 4, q + 4), CDN_ERR_ARG);
  q[5] = NAN;
  FAILS(cdn_state_set_q(state, q), CDN_ERR_NONFINITE);
  cdn_state_last_error(state, &error);
  ck_assert_str_eq(error.element, "shoulder.qx");
  q[5] = INFINITY;
  FAILS(cdn_body_set_q(state, body[1], 4, q + 4), CDN_ERR_NONFINITE);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("lengths of quaternions", kinematics_and_dynamics, runs, locks_displacements_ensembles,
           what_has_no_direction_is_named)
