/* What accuracy means on bodies: error against the accuracy asked, the method's order with quaternions, and what the
 * certificate says of energy. */
#include <stdio.h>

#include "runs.h"

enum { LINKS = 3, REPORTS = 7 };
static const double END = 2.1;

static cdn_stepper *stepper_with(cdn_state *state, const cdn_stepper_def *def) {
  cdn_stepper *stepper = NULL;
  OK_ON(state, cdn_stepper_create(state, def, &stepper));
  return stepper;
}

static cdn_certificate certificate_of(cdn_stepper *stepper) {
  cdn_certificate c;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  return c;
}

/* ---- a spatial chain against its own limit of short steps ------------------------------------------ */

/* Ball, skew pin, ball; unequal inertias, centres of mass off the axes; damped if asked for. */
static cdn_state *chain(double damping) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_mass_properties link = solid(1, cdn_v3(0.05, 0.02, -0.25), 0.04, 0.05, 0.02);
  cdn_body_def def = cdn_default_body_def();
  def.name = "upper";
  def.mobilizer = CDN_BALL;
  def.mass = link;
  cdn_body upper = cdn_system_add_body(system, &def);
  cdn_body middle = add_pin(system, "middle", upper, cdn_v3(1, 0.3, 0.2), cdn_v3(0, 0, -0.5), link);
  def.name = "lower";
  def.parent = middle;
  def.X_PF = frame_z(cdn_v3(0.2, 0.1, 1), cdn_v3(0, 0, -0.5));
  cdn_body lower = cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  if (damping > 0) {
    cdn_system_add_mobility_damper(system, "bearing", middle, 0, damping);
    for (int k = 0; k < 3; k++) cdn_system_add_mobility_damper(system, NULL, lower, k, damping);
  }
  cdn_state *state = state_of(system);
  double q[9] = { 0.9, 0.3, -0.2, 0.1, 0.5, 0.8, -0.1, 0.4, 0.2 }, u[7] = { 0.5, -1, 2, 1.5, -2, 0.3, 1 };
  OK(cdn_state_set_q(state, q));
  OK(cdn_state_set_u(state, u));
  return state;
}

/* Where a body's origin and axes are, and its velocity: free of coordinates. */
typedef struct motion {
  cdn_transform X[LINKS];
  cdn_spatial V[LINKS];
} motion;

static motion motion_of(cdn_state *state) {
  motion m;
  for (int i = 0; i < LINKS; i++) {
    cdn_body body = { i + 1 };
    OK_ON(state, cdn_body_pose(state, body, &m.X[i]));
    OK_ON(state, cdn_body_velocity(state, body, &m.V[i]));
  }
  return m;
}

static double rotation_distance(cdn_rotation a, cdn_rotation b) {
  return fmax(cdn_norm(cdn_sub(a.x, b.x)), fmax(cdn_norm(cdn_sub(a.y, b.y)), cdn_norm(cdn_sub(a.z, b.z))));
}

static double distance(const motion *a, const motion *b) {
  double worst = 0;
  for (int i = 0; i < LINKS; i++) {
    worst = fmax(worst, rotation_distance(a->X[i].R, b->X[i].R));
    worst = fmax(worst, cdn_norm(cdn_sub(a->X[i].p, b->X[i].p)));
    worst = fmax(worst, cdn_norm(cdn_sub(a->V[i].w, b->V[i].w)));
    worst = fmax(worst, cdn_norm(cdn_sub(a->V[i].v, b->V[i].v)));
  }
  return worst;
}

/* Quaternions of a chain's q are of unit length. */
static double quaternion_error(const double *q) {
  double a = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  double b = sqrt(q[5] * q[5] + q[6] * q[6] + q[7] * q[7] + q[8] * q[8]);
  return fmax(fabs(a - 1), fabs(b - 1));
}

/* The chain at equally spaced reports. */
static cdn_certificate run_chain(const cdn_stepper_def *def, double damping, motion out[REPORTS]) {
  cdn_state *state = chain(damping);
  cdn_stepper *stepper = stepper_with(state, def);
  for (int i = 0; i < REPORTS; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, END * (i + 1) / REPORTS, NULL));
    out[i] = motion_of(cdn_stepper_state(stepper));
    /* interpolated reports are on the manifold as accepted steps are, to rounding */
    AT_MOST(quaternion_error(cdn_state_q(cdn_stepper_state(stepper))), 1e-15);
  }
  cdn_certificate c = certificate_of(stepper);
  AT_MOST(c.max_constraint_error, 1e-15);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return c;
}

static double largest_distance(const motion *a, const motion *b) {
  double worst = 0;
  for (int i = 0; i < REPORTS; i++) worst = fmax(worst, distance(&a[i], &b[i]));
  return worst;
}

/* Fixed steps so short that what is left is rounding. */
static void run_reference(double damping, motion out[REPORTS]) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.final_time = END;
  def.fixed_step = END / (REPORTS * 2000);
  run_chain(&def, damping, out);
}

START_TEST(order_with_quaternions) {
  motion reference[REPORTS], coarse[REPORTS], fine[REPORTS];
  cdn_stepper_def def = cdn_default_stepper_def();
  def.final_time = END;
  run_reference(0, reference);
  /* the reports fall on the ends of steps here, so that this is the order of the method itself */
  for (int n = 16; n <= 32; n *= 2) {
    def.fixed_step = END / (REPORTS * n);
    run_chain(&def, 0, coarse);
    def.fixed_step /= 2;
    run_chain(&def, 0, fine);
    double order = log2(largest_distance(coarse, reference) / largest_distance(fine, reference));
    if (getenv("CARDAN_TEST_VERBOSE")) printf("order from %d steps a report: %.3f\n", n, order);
    NEAR(order, 5, 0.2);
  }
}
END_TEST

START_TEST(error_follows_accuracy) {
  motion reference[REPORTS], run[REPORTS];
  double last = INFINITY;
  run_reference(0, reference);
  for (int k = 3; k <= 11; k++) {
    cdn_stepper_def def = cdn_default_stepper_def();
    def.accuracy = pow(10, -k);
    def.final_time = END;
    cdn_certificate c = run_chain(&def, 0, run);
    double error = largest_distance(run, reference);
    if (getenv("CARDAN_TEST_VERBOSE")) {
      printf("chain at %.0e: error %.2e = %5.1f of it, energy %8.1e, %4d steps, %3d rejected, %5d evaluations\n",
             def.accuracy, error, error / def.accuracy, c.energy_residual, (int)c.steps, (int)c.rejected,
             (int)c.evaluations);
    }
    /* the tip whips at several m/s, where u is relative, and errors grow on the way; the floor is the reference's own
     * rounding */
    AT_MOST(error, 300 * def.accuracy + 1e-12);
    AT_MOST(error, 0.5 * last + 1e-12);
    AT_MOST(fabs(c.energy_residual), 10 * def.accuracy + 1e-13);
    last = error;
  }
}
END_TEST

/* ---- a torque-free symmetric top against its closed form -------------------------------------------- */

static cdn_rotation turn(cdn_vec3 axis, double angle) { return cdn_rotation_axis_angle(axis, angle); }

/* Precesses about L at |L| / I1 and spins about its own axis at (1 - I3 / I1) w3. */
static double run_top(double accuracy, const void *what) {
  const double I1 = 0.3, I3 = 0.5;
  const cdn_vec3 w_B = cdn_v3(1.2, -0.5, 3), z = cdn_v3(0, 0, 1);
  double length = *(const double *)what; /* of the quaternion given: without effect */
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "top";
  def.mobilizer = CDN_BALL;
  def.mass = solid(2, cdn_v3(0, 0, 0), I1, I1, I3);
  cdn_body top = cdn_system_add_body(system, &def);
  cdn_state *state = state_of(system);
  cdn_rotation R0 = turn(cdn_v3(1, 2, -0.5), 0.8);
  cdn_quaternion e = cdn_quaternion_from_rotation(R0);
  cdn_vec3 w = cdn_rotate(R0, w_B), L = cdn_rotate(R0, cdn_v3(I1 * w_B.x, I1 * w_B.y, I3 * w_B.z));
  double q[4] = { length * e.w, length * e.x, length * e.y, length * e.z }, u[3] = { w.x, w.y, w.z };
  OK(cdn_body_set_q(state, top, 4, q));
  OK(cdn_body_set_u(state, top, 3, u));

  cdn_stepper *stepper = stepper_of(state, accuracy);
  double worst = 0;
  for (int i = 1; i <= 20; i++) {
    double t = 0.25 * i;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    cdn_transform X;
    OK(cdn_body_pose(cdn_stepper_state(stepper), top, &X));
    cdn_rotation R = cdn_rotation_multiply(turn(L, cdn_norm(L) / I1 * t),
                                           cdn_rotation_multiply(R0, turn(z, (1 - I3 / I1) * w_B.z * t)));
    worst = fmax(worst, rotation_distance(X.R, R));
  }
  cdn_certificate c = certificate_of(stepper);
  AT_MOST(c.max_constraint_error, 1e-15);
  AT_MOST(fabs(c.energy_residual), 10 * accuracy + 1e-13);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return worst;
}

START_TEST(torque_free_top) {
  static const double lengths[] = { 1, 3.7e5, 1e-6 };
  /* three turns; a rotation's error is twice its quaternion's */
  for (int i = 0; i < 3; i++) check_convergence("symmetric top", run_top, &lengths[i], 50, 1e-11, 1e-13);
}
END_TEST

START_TEST(quaternion_scale_changes_no_bit) {
  /* a power of two, so that normalizing gives the very same numbers back */
  motion runs[2];
  for (int i = 0; i < 2; i++) {
    cdn_state *state = chain(0);
    double q[9], identity[4] = { i ? 1024 : 1, 0, 0, 0 };
    memcpy(q, cdn_state_q(state), sizeof q);
    memcpy(q, identity, sizeof identity);
    memcpy(q + 5, identity, sizeof identity);
    OK(cdn_state_set_q(state, q));
    cdn_stepper *stepper = stepper_of(state, 1e-6);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
    runs[i] = motion_of(cdn_stepper_state(stepper));
    /* the State given is not touched */
    ck_assert(cdn_state_q(state)[0] == identity[0]);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
  ck_assert(memcmp(&runs[0], &runs[1], sizeof runs[0]) == 0);
}
END_TEST

/* ---- the certificate --------------------------------------------------------------------------------- */

START_TEST(work_of_dampers_is_booked) {
  double last = INFINITY;
  for (int k = 3; k <= 11; k++) {
    motion run[REPORTS];
    cdn_stepper_def def = cdn_default_stepper_def();
    def.accuracy = pow(10, -k);
    cdn_certificate c = run_chain(&def, 0.2, run);
    /* much energy goes; what the dampers took accounts for it */
    AT_MOST(c.work, -1);
    AT_MOST(fabs(c.energy_residual), 10 * def.accuracy + 1e-13);
    AT_MOST(fabs(c.energy_residual), 2 * last + 1e-13);
    last = fabs(c.energy_residual);
  }
}
END_TEST

START_TEST(a_wrong_force_shows) {
  /* a constant force on a mobility claims no potential: its work is booked, and equals its force times the way */
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "block";
  def.mobilizer = CDN_SLIDER;
  def.mass = point_mass(2, cdn_v3(0, 0, 0));
  cdn_body block = cdn_system_add_body(system, &def);
  cdn_system_add_mobility_force(system, "push", block, 0, 3);
  cdn_state *state = state_of(system);
  cdn_stepper *stepper = stepper_of(state, 1e-6);
  OK_STEP(stepper, cdn_stepper_step(stepper, INFINITY));
  OK_STEP(stepper, cdn_stepper_step(stepper, INFINITY));
  cdn_certificate c = certificate_of(stepper);
  double s = cdn_state_q(cdn_stepper_state(stepper))[0];
  NEAR(c.work, 3 * s, 1e-14 * fabs(c.work));
  NEAR(c.energy_final, c.work, 1e-13 * fabs(c.work));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(kicks_are_booked) {
  cdn_state *state = chain(0.2), *kicked = NULL;
  OK(cdn_state_create(cdn_state_system(state), &kicked));
  cdn_stepper *stepper = stepper_of(state, 1e-9);
  double before, after, u[7];
  /* in the middle of a step: what the dampers do after it is not booked */
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.7, NULL));
  OK(cdn_state_copy(kicked, cdn_stepper_state(stepper)));
  OK(cdn_kinetic_energy(kicked, &before));
  memcpy(u, cdn_state_u(kicked), sizeof u);
  for (int i = 0; i < 7; i++) u[i] *= 1.5;
  OK(cdn_state_set_u(kicked, u));
  OK(cdn_kinetic_energy(kicked, &after));
  OK_STEP(stepper, cdn_stepper_restart(stepper, kicked));
  NEAR(certificate_of(stepper).energy_jumps, after - before, 1e-12 * after);
  NEAR(after, 2.25 * before, 1e-13 * after);
  AT_MOST(fabs(certificate_of(stepper).energy_residual), 1e-8);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1.5, NULL));
  AT_MOST(fabs(certificate_of(stepper).energy_residual), 1e-8);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(kicked);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(rest_is_no_division_by_zero) {
  cdn_system *system = cdn_system_create(NULL);
  add_pin(system, "hanging", cdn_ground(), cdn_v3(0, 0, 1), cdn_v3(0, 0, 0), point_mass(1, cdn_v3(0, -1, 0)));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  cdn_state *state = state_of(system);
  cdn_stepper *stepper = stepper_of(state, 1e-6);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 10, NULL));
  AT_MOST(fabs(certificate_of(stepper).energy_residual), 1e-6);
  NEAR(cdn_state_q(cdn_stepper_state(stepper))[0], 0, 1e-15);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("accuracy", order_with_quaternions, error_follows_accuracy, torque_free_top, quaternion_scale_changes_no_bit,
           work_of_dampers_is_booked, a_wrong_force_shows, kicks_are_booked, rest_is_no_division_by_zero)
