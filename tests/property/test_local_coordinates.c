/* Local independent coordinates, linearization and normal modes on random trees with random constraints. */
#include "differences.h"
#include "random_constraints.h"

/* A State on the constraints' manifold, or NULL. */
static cdn_state *on_the_manifold(int bodies, uint64_t seed, bool at_rest, bool damped) {
  tree_options options = {
    .bodies = bodies, .shape = 90 * (uint64_t)bodies + seed, .numbers = seed, .forces = true, .conservative = !damped
  };
  random_tree tree = make_random_tree(&options);
  add_random_constraints(&tree, 1 + (int)(seed % 3), seed);
  cdn_state *state = random_tree_state(&tree, seed);
  cdn_projection_def tight = cdn_default_projection_def();
  tight.tolerance = 1e-12;
  tight.always = true;
  bool flags[MOST_NU];
  int redundant = 1;
  double zeros[MOST_NU] = { 0 };
  if (at_rest) OK_ON(state, cdn_state_set_u(state, zeros));
  if (cdn_system_constraint_count(cdn_state_system(state)) > 0 && cdn_project_q(state, &tight, NULL) == CDN_OK &&
      cdn_project_u(state, &tight, NULL) == CDN_OK && cdn_redundant_equations(state, flags, &redundant) == CDN_OK &&
      redundant == 0)
    return state;
  cdn_state_destroy(state);
  return NULL;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

static void check_basis(cdn_state *state, const double *basis, int n, int nu, int expected) {
  double r[MOST_NU];
  ck_assert_int_eq(n, expected);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) NEAR(dot(nu, basis + i * nu, basis + j * nu), i == j, 1e-13);
    memset(r, 0, sizeof r);
    OK_ON(state, cdn_multiply_by_G(state, basis + i * nu, r));
    for (int k = 0; k < cdn_system_nudoterr(cdn_state_system(state)); k++) NEAR(r[k], 0, 1e-12);
  }
}

/* Displacements are y to first order, and stay on the manifold. */
START_TEST(displacements) {
  int checked = 0;
  for (int bodies = 2; bodies <= 8; bodies++)
    for (uint64_t seed = 1; seed <= 6; seed++) {
      cdn_state *state = on_the_manifold(bodies, seed, false, true);
      if (!state) continue;
      const cdn_system *system = cdn_state_system(state);
      const int nu = cdn_system_nu(system), nq = cdn_system_nq(system);
      double *basis = malloc((size_t)(nu * nu + 1) * sizeof *basis), y[MOST_NU], q[MOST_NQ], v[MOST_NU], error;
      rng r = rng_of(seed);
      int n;
      cdn_freedom freedom;
      OK_ON(state, cdn_degrees_of_freedom(state, &freedom, NULL));
      OK_ON(state, cdn_displacement_basis(state, basis, &n));
      check_basis(state, basis, n, nu, freedom.net);
      memcpy(q, cdn_state_q(state), (size_t)nq * sizeof *q);
      const double h = 1e-5;
      random_numbers(&r, h, y, n);
      OK_ON(state, cdn_displace(state, n, basis, y, NULL));
      for (int k = 0; k < nq; k++) q[k] = cdn_state_q(state)[k] - q[k];
      OK_ON(state, cdn_multiply_by_N_inv(state, q, v));
      for (int i = 0; i < n; i++) NEAR(dot(nu, basis + i * nu, v), y[i], 2e3 * h * h);
      const double *qerr = cdn_state_qerr(state);
      for (int k = 0; k < cdn_system_nqerr(system); k++) NEAR(qerr[k], 0, 1e-10);
      cdn_projection_def twice = cdn_default_projection_def();
      OK_ON(state, cdn_project_q(state, &twice, &error));
      y[0] = NAN;
      if (n > 0) FAILS(cdn_displace(state, n, basis, y, NULL), CDN_ERR_NONFINITE);
      free(basis);
      cdn_state_destroy(state);
      checked++;
    }
  ck_assert_int_ge(checked, 15);
}
END_TEST

/* ---- A, in motion, against displaced States ---- */

typedef struct place {
  double q[MOST_NQ], u[MOST_NU];
} place;

/* The State displaced by h (a, b): what its coordinates and accelerations are, in the bases. b is what projection
 * leaves. */
static void displaced(cdn_state *state, const place *at, double h, const double *D, int n, const double *U, int l,
                      const double *direction, double *y) {
  const cdn_system *system = cdn_state_system(state);
  const int nu = cdn_system_nu(system), nq = cdn_system_nq(system);
  double step[MOST_NU], u[MOST_NU], v[MOST_NU], dq[MOST_NQ];
  cdn_projection_def tight = cdn_default_projection_def();
  tight.tolerance = 1e-13, tight.always = true, tight.most_iterations = 3;
  OK_ON(state, cdn_state_set_q(state, at->q));
  for (int i = 0; i < n; i++) step[i] = h * direction[i];
  OK_ON(state, cdn_displace(state, n, D, step, &tight));
  memcpy(u, at->u, (size_t)nu * sizeof *u);
  for (int i = 0; i < l; i++)
    for (int k = 0; k < nu; k++) u[k] += h * direction[n + i] * U[i * nu + k];
  OK_ON(state, cdn_state_set_u(state, u));
  OK_ON(state, cdn_project_u(state, &tight, NULL));
  const double *udot = cdn_state_udot(state);
  ck_assert_ptr_nonnull(udot);
  for (int i = 0; i < l; i++) y[i] = dot(nu, U + i * nu, udot);
  for (int k = 0; k < nu; k++) u[k] = cdn_state_u(state)[k] - at->u[k];
  for (int i = 0; i < l; i++) y[l + i] = dot(nu, U + i * nu, u);
  for (int k = 0; k < nq; k++) dq[k] = cdn_state_q(state)[k] - at->q[k];
  OK_ON(state, cdn_multiply_by_N_inv(state, dq, v));
  for (int i = 0; i < n; i++) y[2 * l + i] = dot(nu, D + i * nu, v);
}

START_TEST(linearization_in_motion) {
  int checked = 0;
  for (int bodies = 2; bodies <= 7; bodies++)
    for (uint64_t seed = 1; seed <= 12; seed++) {
      cdn_state *state = on_the_manifold(bodies, seed, false, false);
      if (!state) continue;
      const cdn_system *system = cdn_state_system(state);
      const int nu = cdn_system_nu(system);
      const size_t square = (size_t)(nu * nu + 1) * sizeof(double);
      double *A = malloc(4 * square), *D = malloc(square), *U = malloc(square);
      double y[2][3 * MOST_NU], direction[2 * MOST_NU], x[2 * MOST_NU];
      place at;
      rng r = rng_of(seed);
      int n, l;
      memcpy(at.q, cdn_state_q(state), (size_t)cdn_system_nq(system) * sizeof(double));
      memcpy(at.u, cdn_state_u(state), (size_t)nu * sizeof(double));
      const cdn_status status = cdn_linearize(state, A, D, &n, U, &l);
      if (status != CDN_ERR_UNSUPPORTED) {
        OK_ON(state, status);
        check_basis(state, U, l, nu, l);
        random_numbers(&r, 1, direction, n + l);
        const double h = 1e-5;
        displaced(state, &at, h, D, n, U, l, direction, y[0]);
        displaced(state, &at, -h, D, n, U, l, direction, y[1]);
        for (int k = 0; k < 2 * l + n; k++) y[0][k] = (y[0][k] - y[1][k]) / (2 * h);
        /* what the displacement came to be */
        memcpy(x, y[0] + 2 * l, (size_t)n * sizeof *x);
        memcpy(x + n, y[0] + l, (size_t)l * sizeof *x);
        double size = 1;
        for (int i = 0; i < l * (n + l); i++) size = fmax(size, fabs(A[n * (n + l) + i]));
        for (int i = 0; i < l; i++) NEAR(dot(n + l, A + (n + i) * (n + l), x), y[0][i], 2e-6 * size);
        checked++;
      }
      free(A), free(D), free(U);
      cdn_state_destroy(state);
    }
  ck_assert_int_ge(checked, 10);
}
END_TEST

/* Where two motions of a mobilizer in turn lead to one that it does not grant, stiffness need not be symmetric. */
static bool has_nonholonomic_speeds(const cdn_system *system) {
  for (int b = 1; b < cdn_system_body_count(system); b++) {
    const cdn_mobilizer kind = cdn_body_mobilizer(system, (cdn_body){ b });
    if (kind == CDN_LINE_ORIENTATION || kind == CDN_FREE_LINE) return true;
  }
  return false;
}

/* At rest, where forces have a potential and are in balance: eigenvalues of A are +-sqrt(-omega^2). */
START_TEST(modes_agree) {
  int checked = 0;
  for (int bodies = 2; bodies <= 7; bodies++)
    for (uint64_t seed = 1; seed <= 12; seed++) {
      cdn_state *state = on_the_manifold(bodies, seed, true, false);
      if (!state) continue;
      if (has_nonholonomic_speeds(cdn_state_system(state))) {
        cdn_state_destroy(state);
        continue;
      }
      double omega2[MOST_NU], re[2 * MOST_NU], im[2 * MOST_NU];
      int n, count;
      cdn_equilibrium found;
      cdn_equilibrium_def any = cdn_default_equilibrium_def();
      any.tolerance = 1e-10;
      if (cdn_find_equilibrium(state, &any, &found) == CDN_OK) {
        OK_ON(state, cdn_normal_modes(state, &n, omega2, NULL));
        OK_ON(state, cdn_linear_modes(state, &count, re, im, NULL, NULL));
        ck_assert_int_eq(count, 2 * n);
        double largest = 0, sum = 0, expected = 0;
        for (int k = 0; k < n; k++) largest = fmax(largest, fabs(omega2[k])), expected += omega2[k];
        for (int k = 0; k < count; k++) sum -= re[k] * re[k] - im[k] * im[k];
        ck_assert_int_eq(found.unstable, 0);
        NEAR(sum / 2, expected, 1e-8 * n * largest);
        for (int k = 0; k < n; k++) { /* by magnitude: from the softest */
          if (fabs(omega2[k]) < 1e-4 * largest) continue;
          NEAR(im[2 * k] * im[2 * k], omega2[k], 1e-6 * largest);
        }
        checked++;
      }
      cdn_state_destroy(state);
    }
  ck_assert_int_ge(checked, 5);
}
END_TEST

/* Where an equilibrium has neutral directions, what is found among them must not hang on rounding, which processors and
 * their libraries do differently: starts that differ by rounding come to the same place, and know the same
 * directions. */
START_TEST(rounding_decides_nothing) {
  int checked = 0;
  for (int bodies = 2; bodies <= 7; bodies++)
    for (uint64_t seed = 1; seed <= 12; seed++) {
      cdn_state *state = on_the_manifold(bodies, seed, true, false);
      if (!state) continue;
      const int nq = cdn_system_nq(cdn_state_system(state));
      double q[MOST_NQ], start[MOST_NQ], expected[MOST_NQ], noise[MOST_NQ], values[2][2 * MOST_NU];
      rng r = rng_of(seed);
      cdn_equilibrium found, first = { .stable = 0 };
      cdn_equilibrium_def def = cdn_default_equilibrium_def();
      def.most_iterations = 60;
      memcpy(start, cdn_state_q(state), (size_t)nq * sizeof *q);
      for (int run = 0; run < 4; run++) {
        random_numbers(&r, 1e-15, noise, nq);
        for (int k = 0; k < nq; k++) q[k] = start[k] + (run ? noise[k] : 0);
        OK_ON(state, cdn_state_set_q(state, q));
        if (cdn_find_equilibrium(state, &def, &found) != CDN_OK) break;
        double re[2 * MOST_NU], im[2 * MOST_NU];
        int n;
        OK_ON(state, cdn_linear_modes(state, &n, re, im, NULL, NULL));
        if (run == 0) {
          first = found;
          memcpy(values[0], re, (size_t)n * sizeof *re), memcpy(values[1], im, (size_t)n * sizeof *im);
          memcpy(expected, cdn_state_q(state), (size_t)nq * sizeof *q);
          checked++;
          continue;
        }
        for (int k = 0; k < nq; k++) NEAR(cdn_state_q(state)[k], expected[k], 1e-8);
        ck_assert_int_eq(found.stable, first.stable);
        ck_assert_int_eq(found.neutral, first.neutral);
        ck_assert_int_eq(found.unstable, 0);
        const double largest = hypot(values[0][n - 1], values[1][n - 1]);
        for (int k = 0; k < n; k++) {
          NEAR(re[k], values[0][k], 1e-6 * largest);
          NEAR(im[k], values[1][k], 1e-6 * largest);
          ck_assert((im[k] > 0) == (values[1][k] > 0));
        }
      }
      cdn_state_destroy(state);
    }
  ck_assert_int_ge(checked, 5);
}
END_TEST

CHECK_MAIN("local coordinates", displacements, linearization_in_motion, modes_agree, rounding_decides_nothing)
