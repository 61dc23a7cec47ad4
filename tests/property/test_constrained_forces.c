/* Forces beside constraints: tau of prescribed mobilizers, reactions, inverse dynamics. Random trees of all kinds of
 * mobilizers with all kinds of forces and constraints. */
#include "differences.h"
#include "prescribed_tree.h"
#include "random_constraints.h"

/* Random models have condition numbers up to some 1e4. */
static const double TOLERANCE = 1e-10;

static double largest(const double *a, int n) {
  double most = 1;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

static bool is_constrained(cdn_state *state) {
  bool flags[MOST_NU];
  int n = 0;
  if (cdn_system_constraint_count(cdn_state_system(state)) == 0) return false;
  OK_ON(state, cdn_redundant_equations(state, flags, &n));
  return n == 0;
}

static sample constrained_sample(int bodies, uint64_t seed, prescribed_tree *p) {
  tree_options options = { .bodies = bodies, .shape = 70 * (uint64_t)bodies + seed, .numbers = seed, .forces = true };
  if (p) {
    *p = make_prescribed_tree(&options, seed);
    add_random_constraints(&p->tree, 1 + (int)(seed % 3), seed);
    cdn_state *state = prescribed_tree_state(p, seed);
    OK_ON(state, cdn_prescribe(state, NULL));
    return sample_of(state, seed);
  }
  random_tree tree = make_random_tree(&options);
  add_random_constraints(&tree, 1 + (int)(seed % 3), seed);
  return sample_of_tree(&tree, seed);
}

/* M udot + f_bias - f + G^T lambda + tau = 0 (8.23), tau of nothing that is free; and the power that this is. */
START_TEST(tau_beside_constraints) {
  int checked = 0;
  for (int bodies = 3; bodies <= 9; bodies++)
    for (uint64_t seed = 1; seed <= 8; seed++) {
      prescribed_tree p;
      sample s = constrained_sample(bodies, seed, &p);
      double r[MOST_NU], by_G[MOST_NU], motion, constraint, sum = 0;
      const double *udot = cdn_state_udot(s.state), *tau = cdn_motion_forces(s.state);
      ck_assert(udot && tau);
      OK_ON(s.state, cdn_residual(s.state, udot, r));
      OK_ON(s.state, cdn_multiply_by_G_transpose(s.state, cdn_state_multipliers(s.state), by_G));
      const double size = largest(r, s.nu) + largest(udot, s.nu);
      const double *u = cdn_state_u_eff(s.state);
      for (int k = 0; k < s.nu; k++) {
        NEAR(r[k] + by_G[k] + tau[k], 0, TOLERANCE * size);
        sum += u[k] * r[k];
      }
      OK_ON(s.state, cdn_motion_power(s.state, &motion));
      OK_ON(s.state, cdn_constraint_power(s.state, &constraint));
      NEAR(sum, motion + constraint, TOLERANCE * size * largest(u, s.nu) * s.nu);
      checked += is_constrained(s.state) && p.prescribed > 0;
      drop(&s);
    }
  ck_assert_int_ge(checked, 20);
}
END_TEST

/* Without the constraints, but with their forces applied from outside: the same accelerations and reactions. */
START_TEST(reactions_with_constraints) {
  int checked = 0;
  for (int bodies = 2; bodies <= 9; bodies++)
    for (uint64_t seed = 1; seed <= 8; seed++) {
      sample s = constrained_sample(bodies, seed, NULL);
      const cdn_system *system = cdn_state_system(s.state);
      cdn_spatial F[TREE_MOST_BODIES + 1], R[TREE_MOST_BODIES + 1], R_free[TREE_MOST_BODIES + 1];
      double f[MOST_NU], udot[MOST_NU];
      if (is_constrained(s.state)) {
        memcpy(udot, cdn_state_udot(s.state), (size_t)s.nu * sizeof *udot);
        OK_ON(s.state, cdn_calc_reaction_forces(s.state, udot, CDN_REACTION_ON_BODY_AT_M, R));
        OK_ON(s.state, cdn_constraint_forces(s.state, F, f));
        for (int c = 0; c < cdn_system_constraint_count(system); c++)
          OK_ON(s.state, cdn_constraint_set_enabled(s.state, (cdn_constraint){ c }, false));
        for (int b = 1; b < s.nb; b++) {
          cdn_spatial sum = cdn_state_applied_body_force(s.state, (cdn_body){ b });
          sum.w = cdn_add(sum.w, F[b].w), sum.v = cdn_add(sum.v, F[b].v);
          OK_ON(s.state, cdn_state_set_applied_body_force(s.state, (cdn_body){ b }, sum));
        }
        for (int k = 0; k < s.nu; k++) f[k] += cdn_state_applied_mobility_forces(s.state)[k];
        OK_ON(s.state, cdn_state_set_applied_mobility_forces(s.state, f));
        const double *free = cdn_state_udot(s.state);
        for (int k = 0; k < s.nu; k++) NEAR(free[k], udot[k], 1e-8 * largest(udot, s.nu));
        OK_ON(s.state, cdn_calc_reaction_forces(s.state, udot, CDN_REACTION_ON_BODY_AT_M, R_free));
        const double size = largest(&R_free[0].w.x, 6 * s.nb);
        for (int b = 1; b < s.nb; b++)
          for (int k = 0; k < 6; k++) NEAR((&R[b].w.x)[k], (&R_free[b].w.x)[k], TOLERANCE * size);
        checked++;
      }
      drop(&s);
    }
  ck_assert_int_ge(checked, 20);
}
END_TEST

/* Accelerations that satisfy the constraints: those under random forces f0 on some mobilities, which are given. */
static void accelerations_under(sample *s, const double *f0, double *udot) {
  double f[MOST_NU];
  const double *applied = cdn_state_applied_mobility_forces(s->state);
  for (int k = 0; k < s->nu; k++) f[k] = applied[k] + f0[k];
  double before[MOST_NU];
  memcpy(before, applied, (size_t)s->nu * sizeof *before);
  OK_ON(s->state, cdn_state_set_applied_mobility_forces(s->state, f));
  const double *found = cdn_state_udot(s->state);
  ck_assert(found);
  memcpy(udot, found, (size_t)s->nu * sizeof *udot);
  OK_ON(s->state, cdn_state_set_applied_mobility_forces(s->state, before));
}

/* r + G^T lambda - f */
static double left_over(sample *s, const double *udot, const double *f, const double *lambda, double *rest) {
  double by_G[MOST_NU];
  OK_ON(s->state, cdn_residual(s->state, udot, rest));
  OK_ON(s->state, cdn_multiply_by_G_transpose(s->state, lambda, by_G));
  const double size = largest(rest, s->nu) + largest(by_G, s->nu);
  for (int k = 0; k < s->nu; k++) rest[k] += by_G[k] - f[k];
  return size;
}

/* |G f| for forces that are zero but where `which` says. */
static double through_constraints(sample *s, const double *f) {
  double r[MOST_NU] = { 0 };
  OK_ON(s->state, cdn_multiply_by_G(s->state, f, r));
  double most = 0;
  for (int e = 0; e < cdn_system_nudoterr(cdn_state_system(s->state)); e++) most = fmax(most, fabs(r[e]));
  return most;
}

START_TEST(inverse_dynamics) {
  int checked = 0;
  for (int bodies = 2; bodies <= 9; bodies++)
    for (uint64_t seed = 1; seed <= 8; seed++) {
      sample s = constrained_sample(bodies, seed, NULL);
      rng r = rng_of(seed);
      double f0[MOST_NU] = { 0 }, f[MOST_NU], lambda[MOST_NU], rest[MOST_NU], udot[MOST_NU], again[MOST_NU], left;
      bool actuated[MOST_NU];
      if (is_constrained(s.state)) {
        for (int k = 0; k < s.nu; k++) {
          actuated[k] = pick(&r, 2) == 0;
          if (actuated[k]) f0[k] = uniform(&r, -3, 3);
        }
        accelerations_under(&s, f0, udot);

        /* all: the least forces, which have no part that the constraints would take */
        OK_ON(s.state, cdn_constrained_inverse_dynamics(s.state, udot, NULL, f, lambda, &left));
        double size = left_over(&s, udot, f, lambda, rest);
        ck_assert(left == 0);
        for (int k = 0; k < s.nu; k++) NEAR(rest[k], 0, TOLERANCE * size);
        AT_MOST(through_constraints(&s, f), 1e-9 * size);
        accelerations_under(&s, f, again);
        for (int k = 0; k < s.nu; k++) NEAR(again[k], udot[k], 1e-7 * largest(udot, s.nu));

        /* some, which are enough: no more than f0 */
        OK_ON(s.state, cdn_constrained_inverse_dynamics(s.state, udot, actuated, f, lambda, &left));
        size = left_over(&s, udot, f, lambda, rest);
        AT_MOST(left, 1e-9 * size);
        double square = 0, square0 = 0;
        for (int k = 0; k < s.nu; k++) {
          NEAR(rest[k], 0, 1e-9 * size);
          ck_assert(actuated[k] || f[k] == 0);
          square += f[k] * f[k], square0 += f0[k] * f0[k];
        }
        AT_MOST(sqrt(square), sqrt(square0) * (1 + 1e-9) + 1e-9 * size);

        /* none: what is left over is what no multipliers could take */
        memset(actuated, 0, sizeof actuated);
        OK_ON(s.state, cdn_constrained_inverse_dynamics(s.state, udot, actuated, f, lambda, &left));
        size = left_over(&s, udot, f, lambda, rest);
        double most = 0;
        for (int k = 0; k < s.nu; k++) most = fmax(most, fabs(rest[k]));
        NEAR(left, most, TOLERANCE * size);
        AT_MOST(through_constraints(&s, rest), 1e-9 * size);
        checked++;
      }
      drop(&s);
    }
  ck_assert_int_ge(checked, 20);
}
END_TEST

/* The State's own accelerations take no actuators, and its own multipliers. */
START_TEST(nothing_to_add) {
  for (uint64_t seed = 1; seed <= 10; seed++) {
    prescribed_tree p;
    sample s = constrained_sample(6, seed, &p);
    double f[MOST_NU], lambda[MOST_NU], left, udot[MOST_NU];
    const int m = cdn_system_nudoterr(cdn_state_system(s.state));
    memcpy(udot, cdn_state_udot(s.state), (size_t)s.nu * sizeof *udot);
    const double *tau = cdn_motion_forces(s.state), *own = cdn_state_multipliers(s.state);
    bool none[MOST_NU] = { false };
    OK_ON(s.state, cdn_constrained_inverse_dynamics(s.state, udot, none, f, lambda, &left));
    AT_MOST(left, 1e-9 * largest(f, s.nu));
    if (m == 0 || is_constrained(s.state)) {
      for (int e = 0; e < m; e++) NEAR(lambda[e], own[e], 1e-7 * largest(own, m));
      for (int k = 0; k < s.nu; k++) NEAR(f[k], -tau[k], 1e-7 * largest(tau, s.nu));
    }
    drop(&s);
  }
}
END_TEST

CHECK_MAIN("forces beside constraints", tau_beside_constraints, reactions_with_constraints, inverse_dynamics,
           nothing_to_add)
