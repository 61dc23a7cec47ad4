/* Force elements: each is minus the gradient of its potential, pairs are equal and opposite, dampers dissipate. */
#include "random_tree.h"

enum { MOST_NU = 6 * TREE_MOST_BODIES, MOST_NQ = 7 * TREE_MOST_BODIES };

static const char *kind_name(force_kind kind) {
  static const char *names[] = { "gravity",          "mobility spring", "mobility damper", "mobility force",
                                 "mobility stop",    "rotation spring", "rotation stop",   "two-point spring",
                                 "two-point damper", "body force" };
  return names[kind];
}

static bool has_potential(force_kind kind) {
  return kind == GRAVITY || kind == MOBILITY_SPRING || kind == ROTATION_SPRING || kind == TWO_POINT_SPRING;
}

typedef void check_force(cdn_state *state, const random_tree *tree, const tree_force *f, rng *r);

/* Calls the check once for every force element of many trees, with only that element enabled. */
static void on_forces(check_force *check) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    tree_options options = { .bodies = 1 + (int)(seed % 9), .shape = 40 + seed, .numbers = seed, .forces = true };
    random_tree tree = make_random_tree(&options);
    cdn_state *state = random_tree_state(&tree, seed);
    rng r = rng_of(seed);
    ck_assert_int_eq(cdn_system_force_count(tree.system), tree.forces);
    for (int i = 0; i < tree.forces; i++) OK_ON(state, cdn_force_set_enabled(state, tree.force[i].id, false));
    for (int i = 0; i < tree.forces; i++) {
      OK_ON(state, cdn_force_set_enabled(state, tree.force[i].id, true));
      check(state, &tree, &tree.force[i], &r);
      OK_ON(state, cdn_force_set_enabled(state, tree.force[i].id, false));
    }
    cdn_state_destroy(state);
  }
}

/* All generalized forces: J^T F + f_mob. */
static double generalized_forces(cdn_state *state, double *f) {
  cdn_spatial F[TREE_MOST_BODIES + 1];
  double f_mob[MOST_NU], most = 0;
  OK_ON(state, cdn_applied_forces(state, F, f_mob));
  OK_ON(state, cdn_multiply_by_J_transpose(state, F, f));
  for (int k = 0; k < cdn_system_nu(cdn_state_system(state)); k++) {
    f[k] += f_mob[k];
    most = fmax(most, fabs(f[k]));
  }
  return most;
}

/* Along any direction d of u-space: dV/dt = -f . d, by the five-point difference (h^4 and eps/h as small as 1e-11). */
static void check_gradient(cdn_state *state, const random_tree *tree, const tree_force *element, rng *r) {
  static const double weight[] = { 1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12 };
  const double h = 1e-3;
  int nq = cdn_system_nq(tree->system), nu = cdn_system_nu(tree->system);
  double q[MOST_NQ], step[MOST_NQ], moved[MOST_NQ], d[MOST_NU], f[MOST_NU], zero[MOST_NU] = { 0 };
  OK(cdn_state_set_u(state, zero));
  double most = generalized_forces(state, f), power, energy, rate = 0, size = 0, sum = 0;
  OK_ON(state, cdn_nonpotential_power(state, &power));
  ck_assert_double_eq(power, 0); /* nothing moves */
  if (!has_potential(element->kind)) {
    OK_ON(state, cdn_potential_energy(state, &energy));
    if (element->kind != MOBILITY_STOP && element->kind != ROTATION_STOP) ck_assert_double_eq(energy, 0);
    return;
  }
  memcpy(q, cdn_state_q(state), (size_t)nq * sizeof *q);
  for (int direction = 0; direction < 3; direction++) {
    random_numbers(r, 1, d, nu);
    OK_ON(state, cdn_multiply_by_N(state, d, step));
    rate = size = sum = 0;
    for (int k = 0; k < 5; k++) {
      for (int i = 0; i < nq; i++) moved[i] = q[i] + (k - 2) * h * step[i];
      OK(cdn_state_set_q(state, moved));
      OK_ON(state, cdn_potential_energy(state, &energy));
      rate += weight[k] * energy / h;
      size = fmax(size, fabs(energy));
    }
    OK(cdn_state_set_q(state, q));
    for (int k = 0; k < nu; k++) rate += f[k] * d[k], sum += fabs(f[k] * d[k]);
    ck_assert_msg(fabs(rate) <= 1e-9 * (sum + most + size), "%s: dV/dt + f . u = %g of %g", kind_name(element->kind),
                  rate, sum);
  }
}

/* An element between two bodies adds nothing to the momentum of both. */
static void check_pair(cdn_state *state, const random_tree *tree, const tree_force *element, rng *r) {
  cdn_spatial F[TREE_MOST_BODIES + 1];
  (void)r;
  bool pair = element->kind == TWO_POINT_SPRING || element->kind == TWO_POINT_DAMPER;
  if (!pair || element->b.i == 0) return; /* Ground takes its share in silence */
  set_random_qu(state, r, 2);
  OK_ON(state, cdn_applied_forces(state, F, NULL));
  cdn_vec3 force = cdn_v3(0, 0, 0), moment = force;
  double size = 0;
  for (int b = 0; b <= tree->bodies; b++) {
    cdn_transform X;
    OK_ON(state, cdn_body_pose(state, (cdn_body){ b }, &X));
    force = cdn_add(force, F[b].v);
    moment = cdn_add(moment, cdn_add(F[b].w, cdn_cross(X.p, F[b].v)));
    size += cdn_norm(F[b].w) + cdn_norm(F[b].v) * (1 + cdn_norm(X.p));
    if (b != element->a.i && b != element->b.i) ck_assert_msg(cdn_norm(F[b].v) + cdn_norm(F[b].w) == 0, "a third body");
  }
  ck_assert_double_gt(size, 0);
  AT_MOST(cdn_norm(force), 1e-15 * size);
  AT_MOST(cdn_norm(moment), 1e-15 * size);

  /* and its size is that of the law */
  cdn_vec3 p_A, p_B, v_A, v_B;
  OK_ON(state, cdn_body_station(state, element->a, element->p_A, &p_A, &v_A));
  OK_ON(state, cdn_body_station(state, element->b, element->p_B, &p_B, &v_B));
  cdn_vec3 apart = cdn_sub(p_B, p_A);
  double length = cdn_norm(apart), rate = cdn_dot(apart, cdn_sub(v_B, v_A)) / length;
  double tension = element->kind == TWO_POINT_SPRING ? element->k * (length - element->rest) : element->k * rate;
  /* the length's rounding is that of the stations' coordinates */
  double tolerance = 1e-13 * element->k * (1 + cdn_norm(p_A) + cdn_norm(v_A) + cdn_norm(v_B)) * (1 + 1 / length);
  AT_MOST(cdn_norm(cdn_sub(F[element->a.i].v, cdn_scale(tension / length, apart))), tolerance);
}

/* The power of an element without potential is that of its forces; dampers and stops take, never give, at any speed. */
static void check_power(cdn_state *state, const random_tree *tree, const tree_force *element, rng *r) {
  double f[MOST_NU], power, expected = 0, size = 0;
  set_random_qu(state, r, 2);
  generalized_forces(state, f);
  for (int k = 0; k < cdn_system_nu(tree->system); k++) {
    expected += f[k] * cdn_state_u(state)[k];
    size += fabs(f[k] * cdn_state_u(state)[k]);
  }
  for (int b = 0; b <= tree->bodies; b++) { /* between bodies that are welded together all of it is rounding */
    cdn_spatial V;
    OK_ON(state, cdn_body_velocity(state, (cdn_body){ b }, &V));
    size += element->k * (cdn_dot(V.w, V.w) + cdn_dot(V.v, V.v));
  }
  OK_ON(state, cdn_nonpotential_power(state, &power));
  if (has_potential(element->kind)) ck_assert_double_eq(power, 0);
  else if (element->kind == MOBILITY_STOP || element->kind == ROTATION_STOP) return; /* part potential, part not */
  else NEAR(power, expected, 1e-13 * (size + 1e-300) * 10);
  if (element->kind == MOBILITY_DAMPER || element->kind == TWO_POINT_DAMPER) AT_MOST(power, 0);
}

/* Gravity: m g at each centre of mass. */
static void check_gravity(cdn_state *state, const random_tree *tree, const tree_force *element, rng *r) {
  cdn_spatial F[TREE_MOST_BODIES + 1];
  double energy, truth = 0, size = 0;
  (void)r;
  if (element->kind != GRAVITY) return;
  OK_ON(state, cdn_applied_forces(state, F, NULL));
  for (int b = 1; b <= tree->bodies; b++) {
    cdn_mass_properties m = cdn_body_mass_properties(state, (cdn_body){ b });
    cdn_transform X;
    OK_ON(state, cdn_body_pose(state, (cdn_body){ b }, &X));
    cdn_vec3 weight = cdn_scale(m.mass, element->f), arm = cdn_rotate(X.R, m.com), p_C = cdn_add(X.p, arm);
    double tolerance = 2e-15 * cdn_norm(weight);
    AT_MOST(cdn_norm(cdn_sub(F[b].v, weight)), tolerance);
    AT_MOST(cdn_norm(cdn_sub(F[b].w, cdn_cross(arm, weight))), tolerance);
    truth -= cdn_dot(weight, p_C);
    size += cdn_norm(weight) * (1 + cdn_norm(p_C));
  }
  OK_ON(state, cdn_potential_energy(state, &energy));
  NEAR(energy, truth, 1e-14 * size);
}

/* Energies by their formulas: a spring's from its own coordinate or length, a rotation's from the angle between R_FM
 * and R0. */
static void check_energy(cdn_state *state, const random_tree *tree, const tree_force *element, rng *r) {
  double energy, expected;
  set_random_qu(state, r, 1);
  const double *q = cdn_body_q(state, element->a);
  if (element->kind == MOBILITY_SPRING) {
    expected = 0.5 * element->k * (q[0] - element->rest) * (q[0] - element->rest);
  } else if (element->kind == ROTATION_SPRING) {
    cdn_rotation R_FM = cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
    cdn_rotation R0 = cdn_rotation_axis_angle(element->f, element->rest);
    cdn_quaternion e = cdn_quaternion_from_rotation(cdn_rotation_multiply(cdn_rotation_transpose(R0), R_FM));
    double angle = 2 * atan2(sqrt(e.x * e.x + e.y * e.y + e.z * e.z), e.w);
    expected = 0.5 * element->k * angle * angle;
  } else if (element->kind == TWO_POINT_SPRING) {
    cdn_vec3 p_A, p_B;
    OK_ON(state, cdn_body_station(state, element->a, element->p_A, &p_A, NULL));
    OK_ON(state, cdn_body_station(state, element->b, element->p_B, &p_B, NULL));
    double stretch = cdn_norm(cdn_sub(p_B, p_A)) - element->rest;
    expected = 0.5 * element->k * stretch * stretch;
  } else return;
  OK_ON(state, cdn_potential_energy(state, &energy));
  NEAR(energy, expected, 1e-14 * element->k * tree->bodies * 10); /* angles and lengths are below ten a body */
}

static void check_disabled(cdn_state *state, const random_tree *tree, const tree_force *element, rng *r) {
  double f[MOST_NU], energy, power;
  set_random_qu(state, r, 1);
  OK_ON(state, cdn_force_set_enabled(state, element->id, false));
  ck_assert(!cdn_force_is_enabled(state, element->id));
  ck_assert_double_eq(generalized_forces(state, f), 0);
  OK_ON(state, cdn_potential_energy(state, &energy));
  OK_ON(state, cdn_nonpotential_power(state, &power));
  ck_assert_double_eq(energy, 0);
  ck_assert_double_eq(power, 0);
  (void)tree;
}

START_TEST(test_gradients) { on_forces(check_gradient); }
END_TEST
START_TEST(test_pairs) { on_forces(check_pair); }
END_TEST
START_TEST(test_power_of_elements) { on_forces(check_power); }
END_TEST
START_TEST(test_gravity) { on_forces(check_gravity); }
END_TEST
START_TEST(test_energies) { on_forces(check_energy); }
END_TEST
START_TEST(test_disabled) { on_forces(check_disabled); }
END_TEST

CHECK_MAIN("force elements", test_gradients, test_pairs, test_power_of_elements, test_gravity, test_energies,
           test_disabled)
