/* Accelerations of steps that are implicit in velocity, against dense algebra on random trees: with all kinds of
 * joints, forces and constraints, redundant ones too, and with locks. */
#include <stdlib.h>

#include "dynamics/dynamics.h"
#include "math/dense.h"
#include "random_constraints.h"

enum { MOST = 64 };

typedef struct problem {
  cdn_state *state;
  int nu, m;
  bool held[MOST];
  double M[MOST * MOST], J[MOST * MOST], N[MOST * MOST]; /* N: a basis of what is free, by columns */
  int free;
} problem;

/* -dtau/du with the forces that are on. */
static void velocity_derivatives(cdn_state *state, double *J) {
  const int nu = cdn_system_nu(cdn_state_system(state));
  OK_ON(state, cdn_inverse_dynamics_derivatives(state, NULL, NULL, J, NULL));
  for (int k = 0; k < nu * nu; k++) J[k] = -J[k];
}

/* J by differences of the forces that are on: all are, those of joints alone, or none. */
static void only(cdn_state *state, const random_tree *of, bool joints, bool others) {
  for (int i = 0; i < of->forces; i++)
    OK_ON(state, cdn_force_set_enabled(state, of->force[i].id, of->force[i].kind == MOBILITY_DAMPER ? joints : others));
}

static void find_J(problem *p, const random_tree *of, step_damping which) {
  static double none[MOST * MOST];
  const int nu = p->nu;
  only(p->state, of, true, which != STEP_JOINTS);
  velocity_derivatives(p->state, p->J);
  only(p->state, of, false, false);
  velocity_derivatives(p->state, none);
  only(p->state, of, true, true);
  if (which == STEP_ALL) return;
  for (int k = 0; k < nu * nu; k++) p->J[k] -= none[k];
  for (int i = 0; i < nu && which == STEP_FORCES; i++)
    for (int k = 0; k < i; k++) p->J[i * nu + k] = p->J[k * nu + i] = 0.5 * (p->J[i * nu + k] + p->J[k * nu + i]);
}

/* The null space of G and of what is held. */
static void find_free(problem *p) {
  static double G[MOST * MOST], A[2 * MOST * MOST], s[MOST], U[2 * MOST * MOST], VT[MOST * MOST];
  const int nu = p->nu;
  OK_ON(p->state, cdn_calc_G(p->state, G));
  int rows = 0;
  for (int e = 0; e < p->m; e++, rows++) {
    double length = 0;
    for (int k = 0; k < nu; k++) length += p->held[k] ? 0 : G[e * nu + k] * G[e * nu + k];
    for (int k = 0; k < nu; k++)
      A[k * 2 * MOST + rows] = p->held[k] || length < 1e-20 ? 0 : G[e * nu + k] / sqrt(length);
  }
  for (int k = 0; k < nu; k++)
    if (p->held[k]) {
      for (int i = 0; i < nu; i++) A[i * 2 * MOST + rows] = i == k;
      rows++;
    }
  for (int k = 0; k < nu; k++)
    for (int e = 0; e < rows; e++) U[k * rows + e] = A[k * 2 * MOST + e];
  memcpy(A, U, sizeof(double) * (size_t)(rows * nu));
  p->free = nu;
  memset(p->N, 0, sizeof p->N);
  if (rows == 0) {
    for (int k = 0; k < nu; k++) p->N[k * nu + k] = 1;
    return;
  }
  double *work = malloc(cdni_svd_work(rows, nu) * sizeof *work);
  ck_assert(cdni_svd(rows, nu, A, s, U, VT, work));
  free(work);
  const int rank = cdni_svd_rank(rows < nu ? rows : nu, s);
  p->free = nu - rank;
  for (int c = 0; c < p->free; c++)
    for (int k = 0; k < nu; k++) p->N[c * nu + k] = VT[k * nu + rank + c];
}

/* x = A^-1 x by Gauss with pivots. */
static void solve(int n, double *A, double *x) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    for (int j = 0; j < n; j++) {
      const double t = A[k * n + j];
      A[k * n + j] = A[best * n + j], A[best * n + j] = t;
    }
    const double t = x[k];
    x[k] = x[best], x[best] = t;
    for (int i = k + 1; i < n; i++) {
      const double part = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++) A[i * n + j] -= part * A[k * n + j];
      x[i] -= part * x[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) x[k] -= A[k * n + j] * x[j];
    x[k] /= A[k * n + k];
  }
}

/* udot + N (N^T (M - h J) N)^-1 N^T h J udot */
static void expect(const problem *p, double h, const double *udot, double *a) {
  static double A[MOST * MOST], AN[MOST * MOST];
  double r[MOST], x[MOST];
  const int nu = p->nu, n = p->free;
  for (int i = 0; i < nu; i++) {
    r[i] = 0;
    for (int k = 0; k < nu; k++) r[i] += h * p->J[i * nu + k] * udot[k];
    for (int c = 0; c < n; c++) {
      AN[i * n + c] = 0;
      for (int k = 0; k < nu; k++) AN[i * n + c] += (p->M[i * nu + k] - h * p->J[i * nu + k]) * p->N[c * nu + k];
    }
  }
  for (int c = 0; c < n; c++) {
    x[c] = 0;
    for (int i = 0; i < nu; i++) x[c] += p->N[c * nu + i] * r[i];
    for (int b = 0; b < n; b++) {
      A[c * n + b] = 0;
      for (int i = 0; i < nu; i++) A[c * n + b] += p->N[c * nu + i] * AN[i * n + b];
    }
  }
  solve(n, A, x);
  for (int i = 0; i < nu; i++) {
    a[i] = udot[i];
    for (int c = 0; c < n; c++) a[i] += p->N[c * nu + i] * x[c];
  }
}

static int compare(problem *p, const random_tree *of, step_damping which, double h) {
  double a[MOST], expected[MOST], size = 1;
  OK_ON(p->state, cdn_calc_M(p->state, p->M));
  find_J(p, of, which);
  find_free(p);
  OK_ON(p->state, cdn_realize(p->state, CDN_STAGE_ACCELERATION));
  const double *udot = cdn_state_udot(p->state);
  const cdn_status status = cdni_dynamics_damp(p->state, "a test", which, h, a);
  if (status == CDN_ERR_SINGULAR && which != STEP_JOINTS) return 0; /* rates that grow faster than the step follows */
  OK_ON(p->state, status);
  expect(p, h, udot, expected);
  for (int k = 0; k < p->nu; k++) size = fmax(size, fmax(fabs(udot[k]), fabs(expected[k])));
  for (int k = 0; k < p->nu; k++)
    ck_assert_msg(fabs(a[k] - expected[k]) <= 1e-7 * size, "%d, h = %g: a[%d] = %.12g, expected %.12g, udot %.12g",
                  which, h, k, a[k], expected[k], udot[k]);
  return 1;
}

static void on_trees(step_damping which, bool constrained, bool locked) {
  int done = 0, tried = 0;
  for (int bodies = 1; bodies <= 8; bodies++)
    for (uint64_t seed = 1; seed <= 8; seed++) {
      tree_options options = {
        .bodies = bodies, .shape = 50 * (uint64_t)bodies + seed, .numbers = seed, .forces = true
      };
      random_tree t = make_random_tree(&options);
      if (constrained) add_random_constraints(&t, 1 + (int)(seed % 3), seed);
      problem p = { .state = random_tree_state(&t, seed) };
      const cdn_system *system = cdn_state_system(p.state);
      p.nu = cdn_system_nu(system), p.m = cdn_system_nudoterr(system);
      ck_assert_int_le(p.nu, MOST);
      if (locked) {
        const cdn_body body = { 1 + (int)(seed % (uint64_t)bodies) };
        OK_ON(p.state, cdn_body_lock(p.state, body, CDN_LEVEL_ACCELERATION));
        for (int k = 0; k < cdn_body_nu(system, body); k++) p.held[cdn_body_first_u(system, body) + k] = true;
      }
      tried++;
      if (p.nu > 0) done += compare(&p, &t, which, seed % 2 ? 0.05 : 0.002);
      cdn_state_destroy(p.state);
    }
  ck_assert_msg(done > 0.8 * tried, "%d of %d", done, tried);
}

START_TEST(free_trees) { on_trees((step_damping)_i, false, false); }
END_TEST
START_TEST(constrained_trees) { on_trees((step_damping)_i, true, false); }
END_TEST
START_TEST(locked_trees) { on_trees((step_damping)_i, _i % 2 == 0, true); }
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, free_trees, 0, 3);
  tcase_add_loop_test(c, constrained_trees, 0, 3);
  tcase_add_loop_test(c, locked_trees, 0, 3);
}
CHECK_MAIN_OF("step damping", 300, add)
