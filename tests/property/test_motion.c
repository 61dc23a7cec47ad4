/* Derivatives along the motion, energy and momentum at a moment, and that a quaternion's length means nothing. */
#include "naive_tree.h"
#include "random_tree.h"

enum { MOST_NU = 6 * TREE_MOST_BODIES, MOST_NQ = 7 * TREE_MOST_BODIES, MOST_VALUES = 6 * (TREE_MOST_BODIES + 1) };

/* ---- differences along the motion ----------------------------------------------------------- */

/* Some values of a State, n of them. */
typedef int observe(cdn_state *state, double *values);

/* d(values)/dt along q + t qdot, u + t udot, by the five-point formula. Its error is h^4/30 of the fifth derivative:
 * with rates w up to some 40 rad/s, (h w)^4 / 30 = 3e-10 of the derivative itself at this h; rounding adds eps/h, 1e-12
 * of the values. */
static int differentiate(cdn_state *state, observe *values, double *rate, double *size) {
  static const double weight[] = { 1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12 };
  const double h = 2.5e-4;
  const cdn_system *system = cdn_state_system(state);
  int nq = cdn_system_nq(system), nu = cdn_system_nu(system), n = 0;
  double q[MOST_NQ], u[MOST_NU], qdot[MOST_NQ], udot[MOST_NU], moved_q[MOST_NQ], moved_u[MOST_NU], v[MOST_VALUES];
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  memcpy(q, cdn_state_q(state), (size_t)nq * sizeof *q);
  memcpy(u, cdn_state_u(state), (size_t)nu * sizeof *u);
  memcpy(qdot, cdn_state_qdot(state), (size_t)nq * sizeof *q);
  memcpy(udot, cdn_state_udot(state), (size_t)nu * sizeof *u);
  memset(rate, 0, MOST_VALUES * sizeof *rate);
  memset(size, 0, MOST_VALUES * sizeof *size);
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < nq; i++) moved_q[i] = q[i] + (k - 2) * h * qdot[i];
    for (int i = 0; i < nu; i++) moved_u[i] = u[i] + (k - 2) * h * udot[i];
    OK(cdn_state_set_q(state, moved_q));
    OK(cdn_state_set_u(state, moved_u));
    n = values(state, v);
    for (int i = 0; i < n; i++) rate[i] += weight[k] * v[i] / h, size[i] = fmax(size[i], fabs(v[i]));
  }
  OK(cdn_state_set_q(state, q));
  OK(cdn_state_set_u(state, u));
  return n;
}

static int velocities(cdn_state *state, double *values) {
  int nb = cdn_system_body_count(cdn_state_system(state));
  for (int b = 0; b < nb; b++) {
    cdn_spatial V;
    OK_ON(state, cdn_body_velocity(state, (cdn_body){ b }, &V));
    memcpy(values + 6 * b, &V, sizeof V);
  }
  return 6 * nb;
}

static int positions(cdn_state *state, double *values) {
  int nb = cdn_system_body_count(cdn_state_system(state));
  for (int b = 0; b < nb; b++) {
    cdn_transform X;
    OK_ON(state, cdn_body_pose(state, (cdn_body){ b }, &X));
    memcpy(values + 3 * b, &X.p, sizeof X.p);
  }
  return 3 * nb;
}

static int energies(cdn_state *state, double *values) {
  OK_ON(state, cdn_kinetic_energy(state, &values[0]));
  OK_ON(state, cdn_potential_energy(state, &values[1]));
  return 2;
}

static int momentum(cdn_state *state, double *values) {
  cdn_spatial P;
  OK_ON(state, cdn_momentum(state, &P));
  memcpy(values, &P, sizeof P);
  return 6;
}

static int center_of_mass(cdn_state *state, double *values) {
  cdn_vec3 p;
  OK_ON(state, cdn_center_of_mass(state, &p));
  memcpy(values, &p, sizeof p);
  return 3;
}

/* The largest of n numbers: coordinates of one kind share one scale. */
static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

typedef void check_tree(cdn_state *state, const random_tree *tree, rng *r);

static void on_trees(check_tree *check, tree_options options) {
  static const int sizes[] = { 1, 1, 1, 1, 2, 2, 3, 4, 6, 9, 14 };
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (uint64_t seed = 1; seed <= 8; seed++) {
      options.bodies = sizes[i], options.shape = 500 + 10 * i + seed, options.numbers = seed;
      random_tree tree = make_random_tree(&options);
      cdn_state *state = random_tree_state(&tree, seed);
      rng r = rng_of(seed);
      check(state, &tree, &r);
      cdn_state_destroy(state);
    }
}

static void check_velocities(cdn_state *state, const random_tree *tree, rng *r) {
  double rate[MOST_VALUES], size[MOST_VALUES], V[MOST_VALUES];
  (void)r;
  differentiate(state, positions, rate, size);
  int n = velocities(state, V);
  for (int b = 0; b <= tree->bodies; b++)
    for (int k = 0; k < 3; k++) NEAR(rate[3 * b + k], V[6 * b + 3 + k], 1e-8 * (1 + largest(V, n)));
}

static void check_accelerations(cdn_state *state, const random_tree *tree, rng *r) {
  double rate[MOST_VALUES], size[MOST_VALUES];
  (void)r;
  differentiate(state, velocities, rate, size);
  for (int b = 0; b <= tree->bodies; b++) {
    double A[6];
    cdn_spatial A_GB;
    OK_ON(state, cdn_body_acceleration(state, (cdn_body){ b }, &A_GB));
    memcpy(A, &A_GB, sizeof A);
    double scale = 1 + largest(rate, 6 * (tree->bodies + 1)) + largest(size, 6 * (tree->bodies + 1));
    for (int k = 0; k < 6; k++) NEAR(rate[6 * b + k], A[k], 1e-8 * scale);
  }
}

/* Energy: kinetic energy changes by the power of all forces, all energy by the power of those without potential. */
static void check_power(cdn_state *state, const random_tree *tree, rng *r) {
  double rate[MOST_VALUES], size[MOST_VALUES], f_mob[MOST_NU], applied[MOST_NU], nonpotential, power = 0, sum = 0;
  cdn_spatial F[TREE_MOST_BODIES + 1];
  int nu = cdn_system_nu(cdn_state_system(state));
  random_numbers(r, 3, applied, nu);
  OK(cdn_state_set_applied_mobility_forces(state, applied));
  OK(cdn_state_set_applied_body_force(state, (cdn_body){ 1 }, random_spatial(r, 3)));
  differentiate(state, energies, rate, size);
  OK_ON(state, cdn_applied_forces(state, F, f_mob));
  OK_ON(state, cdn_nonpotential_power(state, &nonpotential));
  for (int b = 1; b <= tree->bodies; b++) {
    cdn_spatial V;
    OK_ON(state, cdn_body_velocity(state, (cdn_body){ b }, &V));
    double p = cdn_dot(F[b].w, V.w) + cdn_dot(F[b].v, V.v);
    power += p, sum += cdn_norm(F[b].w) * cdn_norm(V.w) + cdn_norm(F[b].v) * cdn_norm(V.v);
  }
  for (int k = 0; k < nu; k++) {
    power += f_mob[k] * cdn_state_u(state)[k];
    sum += fabs(f_mob[k] * cdn_state_u(state)[k]);
  }
  double scale = 1 + sum + size[0] + size[1];
  NEAR(rate[0], power, 1e-8 * scale);
  NEAR(rate[0] + rate[1], nonpotential, 1e-8 * scale);
}

/* Without any force, and for trees without gravity, du/dt alone keeps the kinetic energy. */
static void check_free_energy(cdn_state *state, const random_tree *tree, rng *r) {
  double rate[MOST_VALUES], size[MOST_VALUES];
  (void)tree, (void)r;
  differentiate(state, energies, rate, size);
  NEAR(rate[0], 0, 1e-8 * (1 + size[0]));
  ck_assert_double_eq(size[1], 0); /* nothing has potential */
}

/* Momentum of a floating tree changes by what acts from outside: forces on bodies and on the root's own mobilities.
 * Inner forces, armature included, have no part in it. */
static void check_momentum(cdn_state *state, const random_tree *tree, rng *r) {
  double rate[MOST_VALUES], size[MOST_VALUES], f_mob[MOST_NU];
  cdn_spatial F[TREE_MOST_BODIES + 1];
  for (int b = 1; b <= tree->bodies; b++)
    OK(cdn_state_set_applied_body_force(state, (cdn_body){ b }, random_spatial(r, 3)));
  differentiate(state, momentum, rate, size);
  OK_ON(state, cdn_applied_forces(state, F, f_mob));
  cdn_vec3 force = cdn_v3(0, 0, 0), moment = force;
  double sum = 0;
  for (int b = 1; b <= tree->bodies; b++) {
    cdn_transform X;
    OK_ON(state, cdn_body_pose(state, (cdn_body){ b }, &X));
    force = cdn_add(force, F[b].v);
    moment = cdn_add(moment, cdn_add(F[b].w, cdn_cross(X.p, F[b].v)));
    sum += cdn_norm(F[b].w) + cdn_norm(F[b].v) * (1 + cdn_norm(X.p));
  }
  /* the root's generalized forces: a moment about M's origin and a force there, in F's axes */
  cdn_transform X_GB, X_GF = cdn_body_X_PF(state, (cdn_body){ 1 });
  OK_ON(state, cdn_body_pose(state, (cdn_body){ 1 }, &X_GB));
  cdn_vec3 p_GM = cdn_transform_point(X_GB, cdn_body_X_BM(state, (cdn_body){ 1 }).p);
  cdn_vec3 root_moment = cdn_rotate(X_GF.R, cdn_v3(f_mob[0], f_mob[1], f_mob[2]));
  cdn_vec3 root_force = cdn_rotate(X_GF.R, cdn_v3(f_mob[3], f_mob[4], f_mob[5]));
  force = cdn_add(force, root_force);
  moment = cdn_add(moment, cdn_add(root_moment, cdn_cross(p_GM, root_force)));
  double expected[6] = { moment.x, moment.y, moment.z, force.x, force.y, force.z };
  for (int k = 0; k < 6; k++) NEAR(rate[k], expected[k], 1e-8 * (1 + sum + largest(size, 6)));
}

/* The centre of mass moves with all momentum over all mass. */
static void check_center_of_mass(cdn_state *state, const random_tree *tree, rng *r) {
  double rate[MOST_VALUES], size[MOST_VALUES], total;
  cdn_spatial P;
  (void)tree, (void)r;
  differentiate(state, center_of_mass, rate, size);
  OK_ON(state, cdn_momentum(state, &P));
  OK_ON(state, cdn_system_mass(state, &total, NULL));
  double v[3] = { P.v.x / total, P.v.y / total, P.v.z / total };
  for (int k = 0; k < 3; k++) NEAR(rate[k], v[k], 1e-8 * (1 + largest(v, 3)));
}

/* ---- quaternion length ---------------------------------------------------------------------- */

static void scale_quaternions(cdn_state *state, double scale) {
  const cdn_system *system = cdn_state_system(state);
  double q[7];
  for (int b = 1; b < cdn_system_body_count(system); b++) {
    cdn_body body = { b };
    int nq = cdn_body_nq(system, body);
    if (!cdn_body_has_quaternion(system, body)) continue;
    memcpy(q, cdn_body_q(state, body), (size_t)nq * sizeof *q);
    for (int k = 0; k < 4; k++) q[k] *= scale;
    OK(cdn_body_set_q(state, body, nq, q));
  }
}

static void check_scale(cdn_state *state, const random_tree *tree, rng *r) {
  /* powers of two scale without rounding, so that not a bit may change; others round */
  static const double scales[] = { 0x1p-10, 0x1p10, 1e-3, 1e3 };
  const cdn_system *system = cdn_state_system(state);
  int nu = cdn_system_nu(system), nq = cdn_system_nq(system);
  cdn_state *scaled = NULL;
  (void)r;
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  OK(cdn_state_create(system, &scaled));
  for (int i = 0; i < 4; i++) {
    OK(cdn_state_copy(scaled, state));
    scale_quaternions(scaled, scales[i]);
    double rounding = i < 2 ? 0 : 1e-13;
    for (int b = 1; b <= tree->bodies; b++) {
      cdn_transform X, Y;
      cdn_spatial V, W;
      OK_ON(state, cdn_body_pose(state, (cdn_body){ b }, &X));
      OK_ON(scaled, cdn_body_pose(scaled, (cdn_body){ b }, &Y));
      OK_ON(state, cdn_body_velocity(state, (cdn_body){ b }, &V));
      OK_ON(scaled, cdn_body_velocity(scaled, (cdn_body){ b }, &W));
      double apart[24], from[24], to[24];
      memcpy(from, &X, sizeof X), memcpy(from + 12, &V, sizeof V);
      memcpy(to, &Y, sizeof Y), memcpy(to + 12, &W, sizeof W);
      for (int k = 0; k < 18; k++) apart[k] = from[k] - to[k];
      AT_MOST(largest(apart, 12), rounding * (1 + largest(from, 12)));
      AT_MOST(largest(apart + 12, 6), rounding * (1 + largest(from + 12, 6)));
    }
    /* udot: rounding of poses is amplified by the condition of M, which for these trees stays below 1e6 */
    const double *a = cdn_state_udot(state), *b = cdn_state_udot(scaled);
    for (int k = 0; k < nu; k++) NEAR(a[k], b[k], (i < 2 ? 0 : 1e-9) * largest(a, nu));
    /* qdot is proportional to the quaternion */
    const double *qdot = cdn_state_qdot(state), *scaled_qdot = cdn_state_qdot(scaled);
    for (int body = 1; body <= tree->bodies; body++) {
      int first = cdn_body_first_q(system, (cdn_body){ body }), n = cdn_body_nq(system, (cdn_body){ body });
      for (int k = 0; k < n; k++) {
        double factor = cdn_body_has_quaternion(system, (cdn_body){ body }) && k < 4 ? scales[i] : 1;
        NEAR(scaled_qdot[first + k], factor * qdot[first + k], rounding * factor * (1 + largest(qdot, nq)));
      }
    }
  }
  cdn_state_destroy(scaled);
}

START_TEST(test_velocities) { on_trees(check_velocities, (tree_options){ .forces = false }); }
END_TEST
START_TEST(test_accelerations) {
  on_trees(check_accelerations, (tree_options){ .forces = true, .conservative = true });
}
END_TEST
START_TEST(test_power) { on_trees(check_power, (tree_options){ .forces = true }); }
END_TEST
START_TEST(test_energy_without_forces) { on_trees(check_free_energy, (tree_options){ .forces = false }); }
END_TEST
START_TEST(test_momentum) { on_trees(check_momentum, (tree_options){ .forces = true, .floating = true }); }
END_TEST
START_TEST(test_center_of_mass) { on_trees(check_center_of_mass, (tree_options){ .forces = false }); }
END_TEST
START_TEST(test_quaternion_scale) { on_trees(check_scale, (tree_options){ .forces = true }); }
END_TEST

CHECK_MAIN("motion", test_velocities, test_accelerations, test_power, test_energy_without_forces, test_momentum,
           test_center_of_mass, test_quaternion_scale)
