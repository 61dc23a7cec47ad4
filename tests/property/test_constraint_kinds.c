/* Every kind of constraint by what it says of itself: rows are the derivatives of errors along each mobility, velocity
 * errors those of position errors in time, acceleration errors those of velocity errors; rows do the work that their
 * forces do, and forces between bodies are equal and opposite. */
#include "constraint_samples.h"

enum { MOST_M = 6, MOST = 6 * TREE_MOST_BODIES + 8 };

typedef struct rig {
  cdn_state *state;
  cdn_constraint id;
  rng r;
  int nq, nu, m;
  cdn_constraint_equations at;
  double t, q[2 * MOST], u[MOST], udot[MOST];
} rig;

static rig make_rig(int sample, uint64_t seed) {
  rig g = { .r = rng_of(seed) };
  const tree_options options = { .bodies = 2 + pick(&g.r, 7), .shape = seed, .numbers = seed + 1, .forces = true };
  random_tree tree = make_random_tree(&options);
  const constraint_place p = constraint_place_on(&tree, &g.r);
  g.id = constraint_sample_add(sample, &p, &g.r);
  g.state = random_tree_state(&tree, seed + 2);
  const cdn_system *system = cdn_state_system(g.state);
  g.nq = cdn_system_nq(system), g.nu = cdn_system_nu(system), g.m = cdn_system_nudoterr(system);
  g.at = cdn_constraint_get_equations(system, g.id);
  ck_assert_int_eq(g.m, g.at.np + g.at.nv + g.at.na);
  ck_assert_int_le(g.m, MOST_M);
  const constraint_sample *s = constraint_sample_at(sample);
  if (s->set) OK_ON(g.state, s->set(g.state, g.id, &g.r));
  g.t = uniform(&g.r, 0, 2);
  OK_ON(g.state, cdn_state_set_time(g.state, g.t));
  memcpy(g.q, cdn_state_q(g.state), (size_t)g.nq * sizeof *g.q);
  memcpy(g.u, cdn_state_u(g.state), (size_t)g.nu * sizeof *g.u);
  random_numbers(&g.r, 2, g.udot, g.nu);
  return g;
}

typedef void check_rig(rig *g, const char *name);

/* Where the constraint nearly holds, if the tree can get there: random poses are far from that. */
static bool go_near(rig *g) {
  if (g->at.np == 0 || cdn_project_q(g->state, NULL, NULL) != CDN_OK) return false;
  memcpy(g->q, cdn_state_q(g->state), (size_t)g->nq * sizeof *g->q);
  for (int k = 0; k < g->nq; k++) g->q[k] += uniform(&g->r, -0.02, 0.02);
  OK_ON(g->state, cdn_state_set_q(g->state, g->q));
  return true;
}

static void on_all_kinds(check_rig *check) {
  for (int i = 0; i < constraint_sample_count(); i++)
    for (uint64_t seed = 0; seed < FEWER(12); seed++) {
      rig g = make_rig(i, 77000 + 100 * (uint64_t)i + seed);
      check(&g, constraint_sample_at(i)->name);
      if (go_near(&g)) check(&g, constraint_sample_at(i)->name);
      cdn_state_destroy(g.state);
    }
}

/* Moves the State along a direction: t + h dt, q + h dq, u + h du; NULL: not at all. */
static void move(rig *g, double h, double dt, const double *dq, const double *du) {
  double q[2 * MOST], u[MOST];
  for (int k = 0; k < g->nq; k++) q[k] = g->q[k] + (dq ? h * dq[k] : 0);
  for (int k = 0; k < g->nu; k++) u[k] = g->u[k] + (du ? h * du[k] : 0);
  OK_ON(g->state, cdn_state_set_time(g->state, g->t + h * dt));
  OK_ON(g->state, cdn_state_set_q(g->state, q));
  OK_ON(g->state, cdn_state_set_u(g->state, u));
}

typedef const double *errors(cdn_state *state);

/* The derivative of n errors along a direction, by differences of fourth order: rounding 1e-16 / h and h^4 are both
 * near 1e-12 of derivatives of order 1 to 100. */
static void differentiate(rig *g, errors *of, int n, double dt, const double *dq, const double *du, double *out) {
  static const double steps[4] = { -2, -1, 1, 2 }, factors[4] = { 1, -8, 8, -1 };
  const double h = 4e-4;
  for (int i = 0; i < n; i++) out[i] = 0;
  for (int s = 0; s < 4; s++) {
    move(g, steps[s] * h, dt, dq, du);
    const double *e = of(g->state);
    ck_assert_ptr_nonnull(e);
    for (int i = 0; i < n; i++) out[i] += factors[s] * e[i] / (12 * h);
  }
  move(g, 0, 0, NULL, NULL);
}

static void expect(const char *name, const char *what, int row, double value, double reference) {
  const double error = fabs(value - reference) / (1 + fabs(reference));
  ck_assert_msg(error <= 5e-9, "%s: %s of equation %d is %.12g, by differences %.12g", name, what, row, value,
                reference);
}

static void check_rows(rig *g, const char *name) {
  double G[MOST_M * MOST], one[MOST] = { 0 }, dq[2 * MOST], slope[MOST_M];
  const int np = g->at.np, nv = g->at.nv;
  OK_ON(g->state, cdn_calc_G(g->state, G));
  for (int k = 0; k < g->nu; k++) {
    one[k] = 1;
    OK_ON(g->state, cdn_multiply_by_N(g->state, one, dq));
    differentiate(g, cdn_state_qerr, np, 0, dq, NULL, slope);
    for (int i = 0; i < np; i++) expect(name, "row", i, G[i * g->nu + k], slope[i]);
    differentiate(g, cdn_state_uerr, np + nv, 0, NULL, one, slope);
    for (int i = 0; i < np + nv; i++) expect(name, "row of velocities", i, G[i * g->nu + k], slope[i]);
    one[k] = 0;
  }
  /* the equations of accelerations are linear */
  double with[MOST_M], without[MOST_M], Gu[MOST_M], zero[MOST] = { 0 };
  OK_ON(g->state, cdn_calc_udoterr(g->state, g->udot, with));
  OK_ON(g->state, cdn_calc_udoterr(g->state, zero, without));
  OK_ON(g->state, cdn_multiply_by_G(g->state, g->udot, Gu));
  for (int i = 0; i < g->m; i++) NEAR(with[i] - without[i], Gu[i], 1e-11 * (1 + fabs(with[i]) + fabs(without[i])));
}

START_TEST(test_rows_are_derivatives_of_errors) { on_all_kinds(check_rows); }
END_TEST

static void check_rates(rig *g, const char *name) {
  double rate[MOST_M], verr[MOST_M], aerr[MOST_M], qdot[2 * MOST];
  const int np = g->at.np, nv = g->at.nv;
  memcpy(qdot, cdn_state_qdot(g->state), (size_t)g->nq * sizeof *qdot);
  memcpy(verr, cdn_state_uerr(g->state), (size_t)(np + nv) * sizeof *verr);
  OK_ON(g->state, cdn_calc_udoterr(g->state, g->udot, aerr));
  differentiate(g, cdn_state_qerr, np, 1, qdot, NULL, rate);
  for (int i = 0; i < np; i++) expect(name, "velocity error", i, verr[i], rate[i]);
  differentiate(g, cdn_state_uerr, np + nv, 1, qdot, g->udot, rate);
  for (int i = 0; i < np + nv; i++) expect(name, "acceleration error", i, aerr[i], rate[i]);
}

START_TEST(test_errors_are_derivatives_of_those_before) { on_all_kinds(check_rates); }
END_TEST

/* lambda . G u = (G^T lambda) . u, and both are what the constraint's forces do to bodies and mobilities. */
static void check_power(rig *g, const char *name) {
  double lambda[MOST_M], Gu[MOST_M], f[MOST], left = 0, right = 0, size = 1;
  random_numbers(&g->r, 2, lambda, g->m);
  OK_ON(g->state, cdn_multiply_by_G(g->state, g->u, Gu));
  OK_ON(g->state, cdn_multiply_by_G_transpose(g->state, lambda, f));
  for (int i = 0; i < g->m; i++) left += lambda[i] * Gu[i];
  for (int k = 0; k < g->nu; k++) right += f[k] * g->u[k], size += fabs(f[k] * g->u[k]);
  ck_assert_msg(fabs(left - right) <= 1e-13 * size * g->nu, "%s: %.17g and %.17g", name, left, right);
}

START_TEST(test_rows_and_forces_have_the_same_power) { on_all_kinds(check_power); }
END_TEST

/* What the constraint does to all bodies, Ground among them, has no sum; and the equations hold. */
static void check_forces(rig *g, const char *name) {
  cdn_spatial F[TREE_MOST_BODIES + 8], sum = { { 0, 0, 0 }, { 0, 0, 0 } };
  const cdn_system *system = cdn_state_system(g->state);
  double f[MOST], size = 1;
  const cdn_status status = cdn_constraint_force(g->state, g->id, F, f);
  OK_ON(g->state, status);
  for (int b = 0; b < cdn_system_body_count(system); b++) {
    cdn_transform X;
    OK_ON(g->state, cdn_body_pose(g->state, (cdn_body){ b }, &X));
    sum.v = cdn_add(sum.v, F[b].v);
    sum.w = cdn_add(sum.w, cdn_add(F[b].w, cdn_cross(X.p, F[b].v)));
    size += cdn_norm(F[b].w) + (1 + cdn_norm(X.p)) * cdn_norm(F[b].v);
  }
  if (strcmp(name, "custom nonlinear") != 0) {
    ck_assert_msg(cdn_norm(sum.v) <= 1e-13 * size, "%s: net force %g", name, cdn_norm(sum.v));
    ck_assert_msg(cdn_norm(sum.w) <= 1e-13 * size, "%s: net moment %g", name, cdn_norm(sum.w));
  }
  const double *lambda = cdn_state_multipliers(g->state), *error = cdn_state_udoterr(g->state);
  ck_assert_ptr_nonnull(lambda);
  ck_assert_ptr_nonnull(error);
  int redundant;
  bool flags[MOST_M];
  OK_ON(g->state, cdn_redundant_equations(g->state, flags, &redundant));
  if (redundant > 0) return; /* bodies that cannot move in every way: then not every error can be removed */
  double scale = 1;
  const double *udot = cdn_state_udot(g->state);
  for (int k = 0; k < g->nu; k++) scale = fmax(scale, fabs(udot[k]));
  for (int i = 0; i < g->m; i++)
    ck_assert_msg(fabs(error[i]) <= 1e-9 * scale, "%s: acceleration error %d is %g", name, i, error[i]);
}

START_TEST(test_forces_balance_and_hold_the_constraint) { on_all_kinds(check_forces); }
END_TEST

/* From random states, with the errors that projection promises; equations that are not linear in u, too. */
static void check_projection(rig *g, const char *name) {
  cdn_projection_def def = cdn_default_projection_def();
  double error;
  def.tolerance = 1e-10;
  if (cdn_project_q(g->state, &def, NULL) != CDN_OK) return; /* not every tree can get there */
  const cdn_status status = cdn_project_u(g->state, &def, &error);
  ck_assert_msg(status == CDN_OK || g->at.np > 0, "%s: velocities are left with an error of %g", name, error);
  const double *qerr = cdn_state_qerr(g->state), *uerr = cdn_state_uerr(g->state);
  for (int i = 0; i < g->at.np; i++) AT_MOST(fabs(qerr[i]), 1e-10);
  for (int i = 0; status == CDN_OK && i < g->at.np + g->at.nv; i++) AT_MOST(fabs(uerr[i]), 1e-9);
}

START_TEST(test_projection_of_every_kind) { on_all_kinds(check_projection); }
END_TEST

CHECK_MAIN("constraint_kinds", test_rows_are_derivatives_of_errors, test_errors_are_derivatives_of_those_before,
           test_rows_and_forces_have_the_same_power, test_forces_balance_and_hold_the_constraint,
           test_projection_of_every_kind)
