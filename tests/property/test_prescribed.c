/* Random trees with random mobilizers prescribed, at every level: what they are made to do, and what that takes,
 * against the dense, naive mechanics and against the same trees left free. */
#include "naive_tree.h"
#include "prescribed_tree.h"

enum { MOST_NU = 6 * TREE_MOST_BODIES, MOST_NQ = 7 * TREE_MOST_BODIES };

/* Rounding of what is summed along paths (see test_random_trees.c). */
static const double ALONG_A_PATH = 5e-14;
/* udot is a solution, to the condition of M; what it leaves of the equations is judged by the magnitudes in them. */
static const double OF_A_SOLUTION = 1e-12;

typedef struct sample {
  prescribed_tree p;
  cdn_state *state;
  rng r;
  int nq, nu, nb;
} sample;

typedef void check_sample(sample *s);

static void on_trees(check_sample *check, bool with_forces) {
  static const int sizes[] = { 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 6, 7, 8, 10, 13, 17, 22, 30, 40 };
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (uint64_t seed = 1; seed <= 6; seed++) {
      tree_options options = { .bodies = sizes[i], .shape = 100 * i + seed, .numbers = seed, .forces = with_forces };
      sample s = { .p = make_prescribed_tree(&options, 10 * i + seed), .r = rng_of(seed) };
      s.state = prescribed_tree_state(&s.p, seed);
      const cdn_system *system = cdn_state_system(s.state);
      s.nq = cdn_system_nq(system), s.nu = cdn_system_nu(system), s.nb = cdn_system_body_count(system);
      check(&s);
      cdn_state_destroy(s.state);
    }
}

static bool is_prescribed(const sample *s, int body, cdn_motion_level level) {
  return s->p.drive[body] != FREE_MOBILIZER && s->p.level[body] >= level;
}

/* Flags of the mobilities whose udot (level: acceleration) or u (velocity) is prescribed. */
static void mark(const sample *s, cdn_motion_level level, bool *flags) {
  const cdn_system *system = cdn_state_system(s->state);
  memset(flags, 0, (size_t)s->nu);
  for (int b = 1; b < s->nb; b++) {
    int first = cdn_body_first_u(system, (cdn_body){ b }), n = cdn_body_nu(system, (cdn_body){ b });
    for (int k = first; k < first + n; k++) flags[k] = is_prescribed(s, b, level);
  }
}

/* ---- kinematics ----------------------------------------------------------------------------- */

/* q, qdot and qdotdot are those of the tests' own motion; u is what velocities are asked to be. */
static void check_motion_values(sample *s) {
  const cdn_system *system = cdn_state_system(s->state);
  const double *udot = cdn_state_udot(s->state), *qdot = cdn_state_qdot(s->state);
  const double *q = cdn_state_q_eff(s->state), *u = cdn_state_u_eff(s->state);
  double qdotdot[MOST_NQ], expected[7];
  ck_assert(udot && qdot && q && u);
  OK_ON(s->state, cdn_calc_qdotdot(s->state, udot, qdotdot));
  for (int b = 1; b < s->nb; b++) {
    cdn_body body = { b };
    int first_q = cdn_body_first_q(system, body), first_u = cdn_body_first_u(system, body);
    int nq = cdn_body_nq(system, body), nu = cdn_body_nu(system, body);
    if (!is_prescribed(s, b, CDN_LEVEL_POSITION))
      for (int k = first_q; k < first_q + nq; k++) ck_assert(q[k] == cdn_state_q(s->state)[k]);
    if (!is_prescribed(s, b, CDN_LEVEL_VELOCITY))
      for (int k = first_u; k < first_u + nu; k++) ck_assert(u[k] == cdn_state_u(s->state)[k]);
    if (s->p.drive[b] == BY_LOCK && s->p.level[b] > CDN_LEVEL_ACCELERATION)
      for (int k = first_u; k < first_u + nu; k++) ck_assert(udot[k] == 0);
    if (s->p.drive[b] == BY_LOCK && s->p.level[b] == CDN_LEVEL_POSITION)
      for (int k = first_u; k < first_u + nu; k++) ck_assert(u[k] == 0);
    if (s->p.drive[b] != BY_OWN_MOTION || s->p.level[b] != CDN_LEVEL_POSITION) continue;
    const cdn_motion_ops *ops = own_motion(CDN_LEVEL_POSITION, cdn_body_has_quaternion(system, body));
    cdn_motion_input in = {
      .t = cdn_state_time(s->state), .params = cdn_motion_params(s->state, s->p.motion[b]), .nq = nq, .nu = nu
    };
    cdn_motion_fn *functions[] = { ops->q, ops->qdot, ops->qdotdot };
    const double *computed[] = { q, qdot, qdotdot };
    cdn_mobilizer kind = cdn_body_mobilizer(system, body);
    for (int d = 0; d < 3; d++) {
      OK(functions[d](NULL, &in, expected));
      /* lines have more coordinates than speeds: they can follow only what does not spin about the line */
      if (d > 0 && (kind == CDN_LINE_ORIENTATION || kind == CDN_FREE_LINE)) continue;
      for (int k = 0; k < nq; k++) NEAR(computed[d][first_q + k], expected[k], 1e-13 * (1 + fabs(expected[k])) * 50);
    }
  }
}

START_TEST(prescribed_values) { on_trees(check_motion_values, false); }
END_TEST

/* What prescribed slots hold has no effect, and writing them back changes nothing that was computed. */
static void check_write_back(sample *s) {
  double udot[MOST_NU], q[MOST_NQ], u[MOST_NU];
  bool changed;
  OK_ON(s->state, cdn_realize(s->state, CDN_STAGE_ACCELERATION));
  const double *computed = cdn_state_udot(s->state);
  memcpy(udot, computed, (size_t)s->nu * sizeof *udot);
  memcpy(q, cdn_state_q_eff(s->state), (size_t)s->nq * sizeof *q);
  memcpy(u, cdn_state_u_eff(s->state), (size_t)s->nu * sizeof *u);
  cdn_stage stage = cdn_state_stage(s->state);
  OK_ON(s->state, cdn_prescribe(s->state, &changed));
  ck_assert_int_eq(cdn_state_stage(s->state), stage); /* nothing became invalid */
  ck_assert(memcmp(cdn_state_q(s->state), q, (size_t)s->nq * sizeof *q) == 0);
  ck_assert(memcmp(cdn_state_u(s->state), u, (size_t)s->nu * sizeof *u) == 0);
  OK_ON(s->state, cdn_prescribe(s->state, &changed));
  ck_assert(!changed);
  /* everything once more from the values written back */
  OK(cdn_state_set_q(s->state, q));
  OK(cdn_state_set_u(s->state, u));
  ck_assert(memcmp(cdn_state_udot(s->state), udot, (size_t)s->nu * sizeof *udot) == 0);
}

START_TEST(writing_back) { on_trees(check_write_back, true); }
END_TEST

/* ---- dynamics ------------------------------------------------------------------------------- */

/* M udot + tau = f - f_bias (8.13) by the naive tree, tau zero where mobilities are free; and the residual says the
 * same. */
static void check_equations(sample *s) {
  double r[MOST_NU], size[MOST_NU], f_mob[MOST_NU], residual[MOST_NU], load = 1;
  cdn_spatial F[TREE_MOST_BODIES + 1];
  bool prescribed[MOST_NU];
  mark(s, CDN_LEVEL_ACCELERATION, prescribed);
  OK_ON(s->state, cdn_prescribe(s->state, NULL));
  const double *udot = cdn_state_udot(s->state), *tau = cdn_motion_forces(s->state);
  ck_assert(udot && tau);
  OK_ON(s->state, cdn_applied_forces(s->state, F, f_mob));
  naive_tree naive = naive_of(s->state);
  naive_inverse_dynamics(&naive, udot, F, f_mob, r, size);
  OK_ON(s->state, cdn_residual(s->state, udot, residual));
  for (int k = 0; k < s->nu; k++) load = fmax(load, size[k]);
  double power = 0, given = 0, of_power = 1;
  for (int k = 0; k < s->nu; k++) {
    NEAR(r[k] + tau[k], 0, OF_A_SOLUTION * load);
    NEAR(residual[k] + tau[k], 0, OF_A_SOLUTION * load);
    if (!prescribed[k]) ck_assert(tau[k] == 0);
    power -= tau[k] * cdn_state_u(s->state)[k];
    of_power += fabs(tau[k] * cdn_state_u(s->state)[k]);
  }
  OK_ON(s->state, cdn_motion_power(s->state, &given));
  NEAR(given, power, ALONG_A_PATH * of_power);
  for (int b = 1; b < s->nb; b++) {
    double own[6];
    if (s->p.motion[b].i < 0) continue;
    OK_ON(s->state, cdn_motion_force(s->state, s->p.motion[b], own));
    int first = cdn_body_first_u(cdn_state_system(s->state), (cdn_body){ b });
    for (int k = 0; k < cdn_body_nu(cdn_state_system(s->state), (cdn_body){ b }); k++)
      ck_assert(own[k] == (s->p.drive[b] == BY_LOCK ? 0 : tau[first + k]));
  }
  naive_free(&naive);
}

START_TEST(equations_of_motion) {
  on_trees(check_equations, false);
  on_trees(check_equations, true);
}
END_TEST

/* The same tree, free, moves the same if -tau is applied: to the condition of M, which rods and massless frames make
 * large. */
static void check_freed(sample *s) {
  const double *udot = cdn_state_udot(s->state), *tau = cdn_motion_forces(s->state);
  double f[MOST_NU], M_inv_f[MOST_NU], size = 1, back = 0;
  ck_assert(udot && tau);
  cdn_state *other = freed(s->state, &s->p);
  if (s->nu) memcpy(f, cdn_state_applied_mobility_forces(other), (size_t)s->nu * sizeof *f);
  for (int k = 0; k < s->nu; k++) f[k] -= tau[k];
  if (s->nu) OK(cdn_state_set_applied_mobility_forces(other, f));
  const double *moved = cdn_state_udot(other);
  cdn_error e = { .code = CDN_OK };
  if (!moved) cdn_state_last_error(other, &e);
  if (!moved && e.code == CDN_ERR_SINGULAR) { /* a lone point or line that was held */
    cdn_state_destroy(other);
    return;
  }
  ck_assert(moved);
  /* how much M^-1 amplifies: roundings of the forces, spread over the mobilities */
  double applied[MOST_NU];
  OK_ON(other, cdn_residual(other, NULL, applied));
  for (int k = 0; k < s->nu; k++) applied[k] = (fabs(applied[k]) + fabs(tau[k])) * (k % 2 ? 1 : -1);
  OK_ON(other, cdn_multiply_by_M_inv(other, applied, M_inv_f));
  for (int k = 0; k < s->nu; k++) size = fmax(size, fabs(M_inv_f[k])), back = fmax(back, fabs(udot[k]));
  for (int k = 0; k < s->nu; k++) NEAR(moved[k], udot[k], 1e-11 * (size + back));
  cdn_state_destroy(other);
}

START_TEST(tau_moves_a_free_tree_alike) { on_trees(check_freed, true); }
END_TEST

/* ---- operators ------------------------------------------------------------------------------ */

/* M^-1 f is M_ff^-1 f_f, and zero where mobilities are prescribed (8.40); M itself is of all. */
static void check_inverse(sample *s) {
  double f[MOST_NU], a[MOST_NU], back[MOST_NU];
  bool prescribed[MOST_NU];
  const size_t square = (size_t)(s->nu * s->nu + 1);
  double *M_inv = malloc(square * sizeof *M_inv), *M = malloc(square * sizeof *M);
  mark(s, CDN_LEVEL_ACCELERATION, prescribed);
  random_numbers(&s->r, 3, f, s->nu);
  OK_ON(s->state, cdn_multiply_by_M_inv(s->state, f, a));
  OK_ON(s->state, cdn_multiply_by_M(s->state, a, back));
  OK_ON(s->state, cdn_calc_M_inv(s->state, M_inv));
  OK_ON(s->state, cdn_calc_M(s->state, M));
  for (int k = 0; k < s->nu; k++) {
    double sum = 0, size = 0, load = fabs(f[k]);
    for (int j = 0; j < s->nu; j++) {
      double term = M_inv[k * s->nu + j] * f[j];
      sum += term, size += fabs(term);
      load += sqrt(M[k * s->nu + k] * M[j * s->nu + j]) * fabs(a[j]);
      if (prescribed[k] || prescribed[j]) ck_assert(M_inv[k * s->nu + j] == 0);
    }
    NEAR(a[k], sum, 1e-11 * (size + fabs(a[k])));
    if (prescribed[k]) ck_assert(a[k] == 0);
    else NEAR(back[k], f[k], OF_A_SOLUTION * load);
  }
  free(M_inv);
  free(M);
}

START_TEST(inverse_of_the_free_part) { on_trees(check_inverse, false); }
END_TEST

/* log det M, its gradient, inverse dynamics and M are the same whether mobilities are prescribed or not. */
static void check_whole_operators(sample *s) {
  double det[2], gradient[2][MOST_NU], f[2][MOST_NU], udot[MOST_NU];
  random_numbers(&s->r, 2, udot, s->nu);
  cdn_state *state[2] = { s->state, freed(s->state, &s->p) };
  for (int i = 0; i < 2; i++) {
    cdn_status status = cdn_calc_log_det_M(state[i], &det[i]);
    if (status == CDN_ERR_SINGULAR) {
      cdn_state_destroy(state[1]);
      return;
    }
    OK_ON(state[i], status);
    OK_ON(state[i], cdn_calc_log_det_M_gradient(state[i], gradient[i]));
    OK_ON(state[i], cdn_inverse_dynamics(state[i], udot, NULL, NULL, f[i]));
  }
  ck_assert(det[0] == det[1]);
  ck_assert(memcmp(gradient[0], gradient[1], (size_t)s->nu * sizeof **gradient) == 0);
  ck_assert(memcmp(f[0], f[1], (size_t)s->nu * sizeof **f) == 0);
  cdn_state_destroy(state[1]);
}

START_TEST(operators_of_all_mobilities) { on_trees(check_whole_operators, false); }
END_TEST

/* Given the State's own forces, forward dynamics gives the State's own accelerations; where inertias were factored
 * before, the same. */
static void check_forward(sample *s) {
  double f_mob[MOST_NU], udot[MOST_NU], size = 1;
  cdn_spatial F[TREE_MOST_BODIES + 1], A[TREE_MOST_BODIES + 1], A_GB;
  OK_ON(s->state, cdn_applied_forces(s->state, F, f_mob));
  OK_ON(s->state, cdn_forward_dynamics(s->state, F, f_mob, udot, A));
  const double *own = cdn_state_udot(s->state);
  ck_assert(own);
  for (int k = 0; k < s->nu; k++) size = fmax(size, fabs(own[k]));
  for (int k = 0; k < s->nu; k++) NEAR(udot[k], own[k], 1e-10 * size);
  for (int b = 1; b < s->nb; b++) {
    OK_ON(s->state, cdn_body_acceleration(s->state, (cdn_body){ b }, &A_GB));
    NEAR(cdn_norm(cdn_sub(A[b].v, A_GB.v)), 0, 1e-10 * size * s->nb);
    NEAR(cdn_norm(cdn_sub(A[b].w, A_GB.w)), 0, 1e-10 * size * s->nb);
  }
}

START_TEST(forward_dynamics) { on_trees(check_forward, true); }
END_TEST

/* Along a mobility, a mobilizer transmits what drives it: f, less what its rotor takes, less tau. */
static void check_reactions(sample *s) {
  const cdn_system *system = cdn_state_system(s->state);
  const double *udot = cdn_state_udot(s->state), *tau = cdn_motion_forces(s->state);
  double f_mob[MOST_NU];
  cdn_spatial R[TREE_MOST_BODIES + 1], V[TREE_MOST_BODIES + 1];
  ck_assert(udot && tau);
  OK_ON(s->state, cdn_calc_reaction_forces(s->state, udot, CDN_REACTION_ON_BODY_AT_ORIGIN, R));
  OK_ON(s->state, cdn_applied_forces(s->state, NULL, f_mob));
  for (int b = 1; b < s->nb; b++) {
    cdn_body body = { b };
    int first = cdn_body_first_u(system, body);
    for (int k = first; k < first + cdn_body_nu(system, body); k++) {
      double unit[MOST_NU] = { 0 };
      unit[k] = 1;
      OK_ON(s->state, cdn_multiply_by_J(s->state, unit, V));
      double along = cdn_dot(V[b].w, R[b].w) + cdn_dot(V[b].v, R[b].v);
      double size = 1 + cdn_norm(V[b].w) * cdn_norm(R[b].w) + cdn_norm(V[b].v) * cdn_norm(R[b].v);
      NEAR(along, f_mob[k] - cdn_body_armature(s->state, body) * udot[k] - tau[k], 1e-10 * size * s->nb);
    }
  }
}

START_TEST(reactions_hold_tau) { on_trees(check_reactions, true); }
END_TEST

CHECK_MAIN("prescribed", prescribed_values, writing_back, equations_of_motion, tau_moves_a_free_tree_alike,
           inverse_of_the_free_part, operators_of_all_mobilities, forward_dynamics, reactions_hold_tau)
