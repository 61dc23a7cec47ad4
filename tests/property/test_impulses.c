/* G M^-1 G^T, solutions with it, and impulses of equations and of prescribed motion, against dense matrices. */
#include "operator_samples.h"
#include "random_constraints.h"

enum { MOST_M = 64 };

typedef struct constrained {
  random_tree tree;
  cdn_state *state;
  rng r;
  int nu, m;
  bool prescribed[MOST_NU];
  double M[MOST_NU * MOST_NU], G[MOST_M * MOST_NU];
} constrained;

/* Every third body may be locked: positions, velocities or accelerations, which are all prescribed at acceleration
 * level. */
static void lock_some(constrained *x) {
  const cdn_system *s = cdn_state_system(x->state);
  memset(x->prescribed, 0, sizeof x->prescribed);
  for (int b = 1; b <= x->tree.bodies; b++) {
    if (cdn_body_nu(s, (cdn_body){ b }) == 0 || pick(&x->r, 3)) continue;
    OK_ON(x->state,
          cdn_body_lock(x->state, (cdn_body){ b }, (cdn_motion_level)(CDN_LEVEL_ACCELERATION + pick(&x->r, 3))));
    for (int k = 0; k < cdn_body_nu(s, (cdn_body){ b }); k++)
      x->prescribed[cdn_body_first_u(s, (cdn_body){ b }) + k] = true;
  }
}

static void make(constrained *x, int bodies, int constraints, bool locks, uint64_t seed) {
  x->r = rng_of(seed);
  const tree_options options = { .bodies = bodies, .shape = seed + 1, .numbers = seed + 2, .forces = true };
  x->tree = make_random_tree(&options);
  add_random_constraints(&x->tree, constraints, seed + 3);
  x->state = random_tree_state(&x->tree, seed + 4);
  const cdn_system *s = cdn_state_system(x->state);
  x->nu = cdn_system_nu(s), x->m = cdn_system_nudoterr(s);
  ck_assert_int_le(x->m, MOST_M);
  /* one of them is off */
  if (cdn_system_constraint_count(s) > 1)
    OK_ON(x->state, cdn_constraint_set_enabled(x->state, (cdn_constraint){ 1 }, false));
  memset(x->prescribed, 0, sizeof x->prescribed);
  if (locks) lock_some(x);
  OK_ON(x->state, cdn_calc_M(x->state, x->M));
  if (x->m) OK_ON(x->state, cdn_calc_G(x->state, x->G));
}

typedef void check_constrained(constrained *x);

static void on_constrained(check_constrained *check) {
  constrained *x = malloc(sizeof *x);
  for (int i = 0; i < 60; i++) {
    make(x, 2 + i % 20, i % 7, i % 2, 300 + 10 * (uint64_t)i);
    check(x);
    cdn_state_destroy(x->state);
  }
  free(x);
}

/* The largest number. */
static double size_of(const double *x, int n) {
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
  return size;
}

/* x = M_ff^-1 f by Gauss' elimination, 0 where motion is prescribed. */
static void solve_free(const constrained *c, const double *f, double *x) {
  static double A[MOST_NU * MOST_NU], b[MOST_NU];
  int at[MOST_NU], n = 0;
  for (int k = 0; k < c->nu; k++) {
    x[k] = 0;
    if (!c->prescribed[k]) at[n++] = k;
  }
  for (int i = 0; i < n; i++) {
    b[i] = f[at[i]];
    for (int j = 0; j < n; j++) A[i * n + j] = c->M[at[i] * c->nu + at[j]];
  }
  for (int k = 0; k < n; k++) /* positive definite: no pivoting */
    for (int i = k + 1; i < n; i++) {
      const double l = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++) A[i * n + j] -= l * A[k * n + j];
      b[i] -= l * b[k];
    }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= A[k * n + j] * x[at[j]];
    x[at[k]] = b[k] / A[k * n + k];
  }
}

static void check_matrix(constrained *x) {
  static double W[MOST_M * MOST_M], expected[MOST_M], row[MOST_NU], a[MOST_NU], b[MOST_M], lambda[MOST_M], back[MOST_M];
  OK_ON(x->state, cdn_calc_G_M_inv_G_transpose(x->state, W));
  const double size = size_of(W, x->m * x->m);
  for (int j = 0; j < x->m; j++) {
    memcpy(row, x->G + j * x->nu, (size_t)x->nu * sizeof *row);
    solve_free(x, row, a);
    dense_mul(x->G, x->m, x->nu, a, expected, NULL);
    for (int i = 0; i < x->m; i++) NEAR(W[i * x->m + j], expected[i], 1e-9 * size);
    for (int i = 0; i < x->m; i++) ck_assert(W[i * x->m + j] == W[j * x->m + i]);
  }
  /* right hand sides that can be met, those of lambda */
  random_numbers(&x->r, 1, lambda, x->m);
  dense_mul(W, x->m, x->m, lambda, b, NULL);
  OK_ON(x->state, cdn_solve_G_M_inv_G_transpose(x->state, b, lambda));
  dense_mul(W, x->m, x->m, lambda, back, NULL);
  for (int i = 0; i < x->m; i++) NEAR(back[i], b[i], 1e-7 * (size_of(b, x->m) + size));
  for (int i = 0; i < x->m; i++)
    if (W[i * x->m + i] == 0) NEAR(lambda[i], 0, 1e-7 * size_of(lambda, x->m));
}

START_TEST(test_the_matrix_and_solutions_with_it) { on_constrained(check_matrix); }
END_TEST

/* M du + G^T lambda + tau = f, G du = b, du as known where it is prescribed. */
static void check_impulses(constrained *x) {
  static double f[MOST_NU], b[MOST_M], known[MOST_NU], du[MOST_NU], lambda[MOST_M], tau[MOST_NU], Mdu[MOST_NU],
      push[MOST_NU], Gdu[MOST_M];
  const int nu = x->nu, m = x->m;
  random_numbers(&x->r, 1, f, nu);
  random_numbers(&x->r, 1, known, nu);
  /* a change of velocities that there is */
  double *motion = malloc((size_t)(nu + 1) * sizeof *motion);
  random_numbers(&x->r, 1, motion, nu);
  for (int k = 0; k < nu; k++) motion[k] = x->prescribed[k] ? known[k] : motion[k];
  dense_mul(x->G, m, nu, motion, b, NULL);
  free(motion);
  OK_ON(x->state, cdn_solve_impulses(x->state, f, b, known, du, lambda, tau));
  dense_mul(x->M, nu, nu, du, Mdu, NULL);
  dense_tmul(x->G, m, nu, lambda, push, NULL);
  dense_mul(x->G, m, nu, du, Gdu, NULL);
  const double size = 1 + size_of(Mdu, nu) + size_of(push, nu) + size_of(du, nu) * size_of(x->M, nu * nu);
  for (int k = 0; k < nu; k++) NEAR(Mdu[k] + push[k] + tau[k], f[k], 1e-7 * size);
  for (int e = 0; e < m; e++) NEAR(Gdu[e], b[e], 1e-7 * (1 + size_of(du, nu)) * (1 + size_of(x->G, m * nu)));
  for (int k = 0; k < nu; k++) {
    if (x->prescribed[k]) NEAR(du[k], known[k], 1e-15);
    else ck_assert(tau[k] == 0);
  }
  /* what is not wanted may be left out */
  double alone[MOST_NU];
  OK_ON(x->state, cdn_solve_impulses(x->state, f, b, known, alone, NULL, NULL));
  ck_assert_mem_eq(alone, du, (size_t)nu * sizeof *du);
}

START_TEST(test_impulses_of_equations_and_of_prescribed_motion) { on_constrained(check_impulses); }
END_TEST

/* The accelerations that there are without velocities are what forces in place of impulses give. */
static void check_forces(constrained *x) {
  static double f[MOST_NU], b[MOST_M], known[MOST_NU], du[MOST_NU], lambda[MOST_M], tau[MOST_NU], zero[MOST_NU];
  memset(zero, 0, sizeof zero);
  OK_ON(x->state, cdn_state_set_u(x->state, zero));
  OK_ON(x->state, cdn_realize(x->state, CDN_STAGE_ACCELERATION));
  const double *udot = cdn_state_udot(x->state), *of_motion = cdn_motion_forces(x->state);
  ck_assert(udot && of_motion);
  OK_ON(x->state, cdn_residual(x->state, NULL, f)); /* f_bias less the forces */
  for (int k = 0; k < x->nu; k++) f[k] = -f[k], known[k] = udot[k];
  OK_ON(x->state, cdn_calc_constraint_bias(x->state, b));
  OK_ON(x->state, cdn_solve_impulses(x->state, f, b, known, du, lambda, tau));
  const double size = 1 + size_of(udot, x->nu) + size_of(f, x->nu);
  for (int k = 0; k < x->nu; k++) NEAR(du[k], udot[k], 1e-7 * size);
  for (int k = 0; k < x->nu; k++) NEAR(tau[k], of_motion[k], 1e-6 * size);
  for (int e = 0; e < x->m; e++) NEAR(lambda[e], cdn_state_multipliers(x->state)[e], 1e-6 * size);
}

START_TEST(test_forces_are_impulses_a_second) { on_constrained(check_forces); }
END_TEST

START_TEST(test_arguments_are_checked) {
  constrained *x = malloc(sizeof *x);
  make(x, 6, 3, false, 900);
  double du[MOST_NU], bad[MOST_NU] = { NAN };
  FAILS(cdn_solve_impulses(x->state, NULL, NULL, NULL, NULL, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_solve_impulses(x->state, bad, NULL, NULL, du, NULL, NULL), CDN_ERR_NONFINITE);
  FAILS(cdn_solve_impulses(x->state, NULL, NULL, bad, du, NULL, NULL), CDN_ERR_NONFINITE);
  FAILS(cdn_calc_G_M_inv_G_transpose(x->state, NULL), CDN_ERR_ARG);
  FAILS(cdn_solve_G_M_inv_G_transpose(x->state, NULL, du), CDN_ERR_ARG);
  FAILS(cdn_solve_G_M_inv_G_transpose(x->state, x->G, NULL), CDN_ERR_ARG);
  cdn_state_destroy(x->state);
  free(x);
}
END_TEST

CHECK_MAIN("property/impulses", test_the_matrix_and_solutions_with_it,
           test_impulses_of_equations_and_of_prescribed_motion, test_forces_are_impulses_a_second,
           test_arguments_are_checked)
