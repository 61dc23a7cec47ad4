/* The elimination of constraints (src/constraints/plan.h) against dense linear algebra that knows nothing of trees:
 * random trees with random loops, redundant ones among them, locks, and weights. */
#include "constraints/project.h"
#include "operator_samples.h"

#include <lapacke.h>
#undef I /* of complex.h */

enum { MOST_M = 96 };

typedef struct looped {
  random_tree tree;
  cdn_state *state;
  rng r;
  int nq, nu, m;
} looped;

/* Two different bodies; Ground is one of them now and then. */
static void two_bodies(looped *l, cdn_body *a, cdn_body *b) {
  a->i = pick(&l->r, l->tree.bodies + 1);
  do b->i = pick(&l->r, l->tree.bodies + 1);
  while (b->i == a->i);
}

static void add_constraint(looped *l, int kind, cdn_body a, cdn_body b) {
  cdn_system *s = l->tree.system;
  const cdn_vec3 p = random_vec3(&l->r, 1), q = random_vec3(&l->r, 1), d = random_vec3(&l->r, 1);
  switch (kind) {
    case 0: cdn_system_constrain_rod(s, NULL, a, p, b, q, uniform(&l->r, 0.2, 2)); break;
    case 1: cdn_system_constrain_ball(s, NULL, a, p, b, q); break;
    case 2: cdn_system_constrain_point_in_plane(s, NULL, a, d, 0.3, b, q); break;
    case 3: cdn_system_constrain_angle(s, NULL, a, d, b, q, uniform(&l->r, 0.5, 2.5)); break;
    default: break;
  }
}

static void add_coordinate(looped *l) {
  for (int b = 1; b <= l->tree.bodies; b++) {
    const cdn_mobilizer kind = l->tree.kind[b];
    if (kind != CDN_PIN && kind != CDN_SLIDER) continue;
    if (pick(&l->r, 4) == 0) cdn_system_constrain_coordinate(l->tree.system, NULL, (cdn_body){ b }, 0, 0.1);
  }
}

/* `twice`: some constraints are there twice or in three ways, so that equations depend on each other. */
static looped make_looped(int bodies, int constraints, bool twice, uint64_t seed) {
  looped l = { .r = rng_of(seed) };
  const tree_options options = { .bodies = bodies, .shape = seed, .numbers = seed + 1, .forces = true };
  l.tree = make_random_tree(&options);
  for (int i = 0; i < constraints; i++) {
    const int kind = pick(&l.r, 4);
    cdn_body a, b;
    two_bodies(&l, &a, &b);
    const rng again = l.r;
    add_constraint(&l, kind, a, b);
    for (int k = 0; twice && k < pick(&l.r, 3); k++) {
      const rng now = l.r;
      l.r = again;
      add_constraint(&l, kind, a, b);
      l.r = now;
    }
  }
  if (bodies > 2) add_coordinate(&l);
  l.state = random_tree_state(&l.tree, seed + 2);
  const cdn_system *s = cdn_state_system(l.state);
  l.nq = cdn_system_nq(s), l.nu = cdn_system_nu(s), l.m = cdn_system_nudoterr(s);
  return l;
}

/* A chain, or two from one root, whose loops all stay open far down (src/constraints/plan.h: mixes): to Ground, or
 * between the chains. */
static looped make_piled(int length, bool crossed, bool planar, bool twice, uint64_t seed) {
  looped l = { .r = rng_of(seed) };
  cdn_system *s = l.tree.system = cdn_system_create(NULL);
  cdn_body tip[2] = { cdn_ground(), cdn_ground() };
  cdn_body_def def = cdn_default_body_def();
  cdn_system_add_gravity(s, NULL, cdn_v3(0.3, -9.8, 1));
  for (int i = 0; i < length; i++)
    for (int chain = 0; chain < (crossed ? 2 : 1); chain++) {
      def.mobilizer = planar || pick(&l.r, 3) == 0 ? CDN_PIN : CDN_BALL;
      def.parent = i == 0 && chain == 1 ? tip[0] : tip[chain];
      def.X_PF.p = random_vec3(&l.r, 0.5);
      def.X_PF.R = planar ? cdn_rotation_identity() : random_rotation(&l.r);
      def.mass.mass = uniform(&l.r, 0.5, 2);
      def.mass.com = random_vec3(&l.r, 0.1);
      def.mass.inertia = (cdn_inertia){ 0.4, 0.5, 0.6, 0, 0, 0 };
      tip[chain] = cdn_system_add_body(s, &def);
      l.tree.kind[++l.tree.bodies] = def.mobilizer;
      if (crossed && (chain == 0 || i == 0)) continue;
      const cdn_body other = crossed ? tip[0] : cdn_ground();
      const cdn_vec3 p = random_vec3(&l.r, 1), q = random_vec3(&l.r, 1);
      for (int k = 0; k < (twice && i % 4 == 1 ? 2 : 1); k++) {
        if (planar || i % 3 == 0) cdn_system_constrain_ball(s, NULL, other, p, tip[chain], q);
        else if (i % 3 == 1) cdn_system_constrain_rod(s, NULL, other, p, tip[chain], q, 1);
        else cdn_system_constrain_point_in_plane(s, NULL, other, cdn_v3(1, 0.2, -0.3), 0.1, tip[chain], q);
      }
    }
  l.state = random_tree_state(&l.tree, seed + 2);
  const cdn_system *frozen = cdn_state_system(l.state);
  l.nq = cdn_system_nq(frozen), l.nu = cdn_system_nu(frozen), l.m = cdn_system_nudoterr(frozen);
  return l;
}

typedef void check_looped(looped *l, bool twice);

static void on_loops(check_looped *check) {
  for (int i = 0; i < 120; i++) {
    const int bodies = 2 + i % 24, constraints = 1 + (i / 3) % 8;
    const bool twice = i % 3 == 2;
    looped l = make_looped(bodies, constraints, twice, 1000 + 10 * (uint64_t)i);
    ck_assert_int_le(l.m, MOST_M);
    if (l.m > 0) check(&l, twice);
    cdn_state_destroy(l.state);
  }
  for (int i = 0; i < 48; i++) {
    const bool twice = i % 3 == 2, crossed = i % 2, planar = i / 2 % 2;
    looped l = make_piled(4 + i / 4, crossed, planar, twice, 5000 + 10 * (uint64_t)i);
    ck_assert_int_le(l.m, MOST_M);
    check(&l, twice || planar);
    cdn_state_destroy(l.state);
  }
}

/* ---- dense counterparts ---- */

/* Singular values and left vectors of an m x n matrix: A = U S V^T, U by columns. Returns the rank at `tolerance` of
 * the largest one. */
static int decompose(int m, int n, const double *A, double *S, double *U, double tolerance) {
  double *copy = malloc((size_t)(m * n + 1) * sizeof *copy), *superb = malloc((size_t)(m + n) * sizeof *superb);
  const int least = m < n ? m : n;
  memcpy(copy, A, (size_t)(m * n) * sizeof *copy);
  if (least > 0)
    ck_assert_int_eq(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'A', 'N', m, n, copy, n, S, U, m, NULL, n, superb), 0);
  int rank = 0;
  while (rank < least && S[rank] > tolerance * S[0]) rank++;
  free(copy);
  free(superb);
  return rank;
}

/* The rows of G divided by their sizes: by how much equations differ in direction. */
static void scaled_rows(int m, int n, const double *G, double *out) {
  for (int i = 0; i < m; i++) {
    double size = 0;
    for (int k = 0; k < n; k++) size += G[i * n + k] * G[i * n + k];
    for (int k = 0; k < n; k++) out[i * n + k] = size > 0 ? G[i * n + k] / sqrt(size) : 0;
  }
}

/* How near to dependent the independent ones are: the smallest singular value that is not zero, over the largest. */
static double independence(int m, int n, const double *G, int *rank) {
  double *unit = malloc((size_t)(m * n + 1) * sizeof *unit), S[MOST_M], *U = malloc((size_t)(m * m) * sizeof *U);
  scaled_rows(m, n, G, unit);
  *rank = decompose(m, n, unit, S, U, 1e-12);
  free(unit);
  free(U);
  return *rank > 0 ? S[*rank - 1] / S[0] : 1;
}

/* ---- G ---- */

static void check_rows(looped *l, bool twice) {
  (void)twice;
  double *G = malloc((size_t)(l->m * l->nu + 1) * sizeof *G), a[MOST_NU], r[MOST_M], lambda[MOST_M], f[MOST_NU],
         expected[MOST_NU], size[MOST_NU];
  OK_ON(l->state, cdn_calc_G(l->state, G));
  random_numbers(&l->r, 2, a, l->nu);
  random_numbers(&l->r, 2, lambda, l->m);
  OK_ON(l->state, cdn_multiply_by_G(l->state, a, r));
  dense_mul(G, l->m, l->nu, a, expected, size);
  /* the bodies' velocities are sums along paths to Ground, the relative ones of G along shorter ones: the former
   * round */
  for (int i = 0; i < l->m; i++) NEAR(r[i], expected[i], 1e-12 * (1 + size[i]));
  OK_ON(l->state, cdn_multiply_by_G_transpose(l->state, lambda, f));
  dense_tmul(G, l->m, l->nu, lambda, expected, size);
  for (int k = 0; k < l->nu; k++) NEAR(f[k], expected[k], 1e-11 * (1 + size[k]));
  free(G);
}

START_TEST(test_products_with_G_and_the_matrix_agree) { on_loops(check_rows); }
END_TEST

/* ---- dynamics ---- */

/* Both equations of motion, 8.11 on the free mobilities and 8.12, as residuals over the magnitudes in their sums. Right
 * hand sides that contradict each other are met as nearly as can be: without what they have along the null space, U
 * from column `rank` on, of (W G)^T. */
static void check_equations(const looped *l, const double *G, const double *M, const double *U, const double *weight,
                            int rank, double tolerance) {
  double r[MOST_NU], Gl[MOST_NU], size_Gl[MOST_NU], Mu[MOST_NU], size_Mu[MOST_NU], Gu[MOST_M], size_Gu[MOST_M],
      b[MOST_M];
  bool u_flags[MOST_NU];
  const double *udot = cdn_state_udot(l->state), *lambda = cdn_state_multipliers(l->state);
  ck_assert_ptr_nonnull(udot);
  ck_assert_ptr_nonnull(lambda);
  OK_ON(l->state, cdn_residual(l->state, NULL, r));
  OK_ON(l->state, cdn_calc_constraint_bias(l->state, b));
  dense_tmul(G, l->m, l->nu, lambda, Gl, size_Gl);
  dense_mul(M, l->nu, l->nu, udot, Mu, size_Mu);
  dense_mul(G, l->m, l->nu, udot, Gu, size_Gu);
  for (int k = 0; k < l->nu; k++) u_flags[k] = false;
  const cdn_system *s = cdn_state_system(l->state);
  for (int i = 1; i <= l->tree.bodies; i++)
    for (int k = 0; k < cdn_body_nu(s, (cdn_body){ i }); k++)
      u_flags[cdn_body_first_u(s, (cdn_body){ i }) + k] =
          cdn_body_lock_level(l->state, (cdn_body){ i }) != CDN_LEVEL_NONE;
  double largest = 0;
  for (int k = 0; k < l->nu; k++) largest = fmax(largest, fmax(size_Mu[k], fmax(size_Gl[k], fabs(r[k]))));
  for (int k = 0; k < l->nu; k++)
    if (!u_flags[k]) NEAR(Mu[k] + Gl[k] + r[k], 0, tolerance * largest);
    else ck_assert_double_eq(udot[k], 0);
  largest = 0;
  for (int i = 0; i < l->m; i++) largest = fmax(largest, size_Gu[i] + fabs(b[i]));
  const double *udoterr = cdn_state_udoterr(l->state);
  for (int i = 0; i < l->m; i++) NEAR(udoterr[i], Gu[i] - b[i], 1e-11 * (1 + largest));
  double asked[MOST_M];
  memcpy(asked, b, sizeof asked);
  for (int j = rank; j < l->m; j++) {
    double along = 0;
    for (int i = 0; i < l->m; i++) along += U[i * l->m + j] * weight[i] * b[i];
    for (int i = 0; i < l->m; i++) asked[i] -= U[i * l->m + j] * along / weight[i];
  }
  for (int i = 0; i < l->m; i++) NEAR(Gu[i], asked[i], tolerance * (1 + largest));
}

/* Left singular vectors of W G. */
static void null_space(const looped *l, const double *G, const double *weight, double *U) {
  double *WG = malloc((size_t)(l->m * l->nu + 1) * sizeof *WG), S[MOST_M];
  for (int i = 0; i < l->m; i++)
    for (int k = 0; k < l->nu; k++) WG[i * l->nu + k] = weight[i] * G[i * l->nu + k];
  decompose(l->m, l->nu, WG, S, U, 1e-12);
  free(WG);
}

/* Multipliers of least norm have no part in the null space of G^T. */
static void check_least_norm(const looped *l, const double *U, const double *weight, int rank, double tolerance) {
  const double *lambda = cdn_state_multipliers(l->state);
  double size = 0;
  for (int i = 0; i < l->m; i++) size = fmax(size, fabs(lambda[i] / weight[i]));
  for (int j = rank; j < l->m; j++) {
    double along = 0;
    for (int i = 0; i < l->m; i++) along += U[i * l->m + j] * lambda[i] / weight[i];
    NEAR(along, 0, tolerance * (1 + size) * l->m);
  }
}

static void check_dynamics(looped *l, bool twice) {
  double *G = malloc((size_t)(l->m * l->nu + 1) * sizeof *G), *M = malloc((size_t)(l->nu * l->nu + 1) * sizeof *M);
  double weight[MOST_M], *U = malloc((size_t)(l->m * l->m) * sizeof *U);
  bool redundant[MOST_M];
  int rank, n;
  (void)twice;
  OK_ON(l->state, cdn_calc_G(l->state, G));
  OK_ON(l->state, cdn_calc_M(l->state, M));
  const double apart = independence(l->m, l->nu, G, &rank);
  /* only equations that can be told apart, by more than the tolerance that is stated */
  if (apart > 1e-3) {
    OK_ON(l->state, cdn_redundant_equations(l->state, redundant, &n));
    ck_assert_int_eq(n, l->m - rank);
    for (int i = 0; i < l->m; i++) weight[i] = 1;
    for (int turn = 0; turn < 2; turn++) {
      null_space(l, G, weight, U);
      check_equations(l, G, M, U, weight, rank, 1e-9 / apart);
      check_least_norm(l, U, weight, rank, 1e-9 / apart);
      for (int c = 0; c < cdn_system_constraint_count(cdn_state_system(l->state)); c++) {
        const cdn_constraint_equations e =
            cdn_constraint_get_equations(cdn_state_system(l->state), (cdn_constraint){ c });
        const double w = 1 + c % 3;
        for (int i = e.row; i < e.row + e.np + e.nv + e.na; i++) weight[i] = w;
        OK_ON(l->state, cdn_constraint_set_weight(l->state, (cdn_constraint){ c }, w));
      }
    }
  }
  free(G);
  free(M);
  free(U);
}

START_TEST(test_accelerations_and_multipliers_satisfy_the_equations) { on_loops(check_dynamics); }
END_TEST

/* Locked mobilizers take no part; the others satisfy what is left. */
static void check_locked(looped *l, bool twice) {
  if (twice) return;
  double *G = malloc((size_t)(l->m * l->nu + 1) * sizeof *G), *M = malloc((size_t)(l->nu * l->nu + 1) * sizeof *M);
  double *free_G = malloc((size_t)(l->m * l->nu + 1) * sizeof *free_G);
  int rank;
  const cdn_system *s = cdn_state_system(l->state);
  for (int b = 1; b <= l->tree.bodies; b += 3)
    if (cdn_body_nu(s, (cdn_body){ b }) > 0)
      OK_ON(l->state, cdn_body_lock(l->state, (cdn_body){ b }, CDN_LEVEL_ACCELERATION));
  OK_ON(l->state, cdn_calc_G(l->state, G));
  OK_ON(l->state, cdn_calc_M(l->state, M));
  memcpy(free_G, G, (size_t)(l->m * l->nu) * sizeof *G);
  for (int b = 1; b <= l->tree.bodies; b += 3)
    for (int k = 0; k < cdn_body_nu(s, (cdn_body){ b }); k++)
      for (int i = 0; i < l->m; i++) free_G[i * l->nu + cdn_body_first_u(s, (cdn_body){ b }) + k] = 0;
  const double apart = independence(l->m, l->nu, free_G, &rank);
  if (rank == l->m && apart > 1e-3) check_equations(l, G, M, NULL, NULL, rank, 1e-9 / apart);
  free(G);
  free(M);
  free(free_G);
}

START_TEST(test_locked_mobilizers_come_first) { on_loops(check_locked); }
END_TEST

/* Solving for any right hand sides; with f = M x + G^T lambda and b = G x the answer is x again. */
static void check_solve(looped *l, bool twice) {
  double *G = malloc((size_t)(l->m * l->nu + 1) * sizeof *G), x[MOST_NU], lambda[MOST_M], f[MOST_NU], Gl[MOST_NU],
         b[MOST_M], y[MOST_NU], mu[MOST_M];
  int rank;
  OK_ON(l->state, cdn_calc_G(l->state, G));
  const double apart = independence(l->m, l->nu, G, &rank);
  random_numbers(&l->r, 1, x, l->nu);
  random_numbers(&l->r, 1, lambda, l->m);
  OK_ON(l->state, cdn_multiply_by_M(l->state, x, f));
  OK_ON(l->state, cdn_multiply_by_G_transpose(l->state, lambda, Gl));
  OK_ON(l->state, cdn_multiply_by_G(l->state, x, b));
  for (int k = 0; k < l->nu; k++) f[k] += Gl[k];
  OK_ON(l->state, cdn_solve_constrained(l->state, f, b, y, mu));
  double size = 1;
  for (int k = 0; k < l->nu; k++) size = fmax(size, fabs(x[k]));
  for (int k = 0; apart > 1e-3 && k < l->nu; k++) NEAR(y[k], x[k], 1e-7 / apart * size);
  for (int i = 0; apart > 1e-3 && rank == l->m && !twice && i < l->m; i++) NEAR(mu[i], lambda[i], 1e-7 / apart / apart);
  free(G);
}

START_TEST(test_solving_gives_back_what_was_put_in) { on_loops(check_solve); }
END_TEST

/* ---- right hand sides that contradict each other ---- */

/* The same rod twice, with velocities that differ is impossible; but accelerations may be asked for that are. The one
 * in the middle, by the weights' squares, is taken. */
START_TEST(test_contradicting_equations_are_met_by_least_squares) {
  cdn_system *s = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER;
  def.mass = (cdn_mass_properties){ .mass = 2, .inertia = { 1, 1, 1, 0, 0, 0 } };
  const cdn_body body = cdn_system_add_body(s, &def);
  cdn_constraint c[2];
  for (int i = 0; i < 2; i++) c[i] = cdn_system_constrain_coordinate(s, NULL, body, 0, 0);
  OK_FREEZE(s);
  cdn_state *state;
  OK(cdn_state_create(s, &state));
  const double b[] = { 1, 2 }, f = 5;
  double x, lambda[2];
  OK_ON(state, cdn_solve_constrained(state, &f, b, &x, lambda));
  NEAR(x, 1.5, 1e-14);
  NEAR(lambda[0], (5 - 2 * 1.5) / 2, 1e-14);
  NEAR(lambda[1], (5 - 2 * 1.5) / 2, 1e-14);
  /* min (x - 1)^2 + 9 (x - 2)^2; and lambda in proportion to the squares, for least (lambda_1)^2 + (lambda_2 / 3)^2 */
  OK_ON(state, cdn_constraint_set_weight(state, c[1], 3));
  OK_ON(state, cdn_solve_constrained(state, &f, b, &x, lambda));
  NEAR(x, 1.9, 1e-14);
  NEAR(lambda[0], 0.1 * (5 - 2 * 1.9), 1e-14);
  NEAR(lambda[1], 0.9 * (5 - 2 * 1.9), 1e-14);
  cdn_state_destroy(state);
  cdn_system_release(s);
}
END_TEST

/* ---- projection ---- */

/* x with |W x| least among those with G x = b, by dense least squares. */
static void smallest(const looped *l, const double *G, int rows, const double *W, const double *b, double *x) {
  const int m = rows, n = l->nu, larger = m > n ? m : n;
  double *A = malloc((size_t)(m * n + 1) * sizeof *A), *y = calloc((size_t)larger, sizeof *y), S[MOST_M];
  int rank;
  for (int i = 0; i < m; i++)
    for (int k = 0; k < n; k++) A[i * n + k] = G[i * n + k] / W[k];
  memcpy(y, b, (size_t)m * sizeof *y);
  ck_assert_int_eq(LAPACKE_dgelsd(LAPACK_ROW_MAJOR, m, n, 1, A, n, y, 1, S, 1e-10, &rank), 0);
  for (int k = 0; k < n; k++) x[k] = y[k] / W[k];
  free(A);
  free(y);
}

static void check_projection(looped *l, bool twice) {
  double *G = malloc((size_t)(l->m * l->nu + 1) * sizeof *G), W[MOST_NU], x[MOST_NU], expected[MOST_NU], e_q[MOST_NQ],
         e_u[MOST_NU], b[MOST_M];
  int rank;
  OK_ON(l->state, cdn_calc_G(l->state, G));
  const double apart = independence(l->m, l->nu, G, &rank);
  if (apart < 1e-3 || (rank < l->m && !twice)) {
    free(G);
    return;
  }
  for (int k = 0; k < l->nu; k++) W[k] = uniform(&l->r, 0.3, 3);
  /* all equations are of positions here, so both levels have the same rows; the error of u goes in one step */
  cdn_projection_def def = cdn_default_projection_def();
  def.u_weights = W;
  double before[MOST_NU], error;
  memcpy(before, cdn_state_u(l->state), (size_t)l->nu * sizeof *before);
  memcpy(b, cdn_state_uerr(l->state), (size_t)l->m * sizeof *b);
  smallest(l, G, l->m, W, b, x);
  OK_ON(l->state, cdn_project_u(l->state, &def, &error));
  AT_MOST(error, 1e-4);
  double size = 1;
  for (int k = 0; k < l->nu; k++) size = fmax(size, fabs(x[k]));
  for (int k = 0; k < l->nu; k++) NEAR(cdn_state_u(l->state)[k], before[k] - x[k], 1e-9 / apart / apart * size);

  random_numbers(&l->r, 1, e_u, l->nu);
  dense_mul(G, l->m, l->nu, e_u, b, NULL);
  smallest(l, G, l->m, W, b, x);
  for (int k = 0; k < l->nu; k++) expected[k] = e_u[k] - x[k];
  OK_ON(l->state, cdn_multiply_by_N(l->state, e_u, e_q));
  /* one step each, whose factors are those of this q */
  double q[MOST_NQ];
  const size_t q_bytes = (size_t)cdn_system_nq(cdn_state_system(l->state)) * sizeof *q;
  memcpy(q, cdn_state_q(l->state), q_bytes);
  def.tolerance = 1e9;
  def.always = true;
  cdni_projector *projector = cdni_projector_create(cdn_state_system(l->state));
  ck_assert_ptr_nonnull(projector);
  bool moved_q = false, moved_u = false;
  OK_ON(l->state, cdni_projector_q(projector, l->state, &def, &moved_q));
  OK_ON(l->state, cdn_state_set_q(l->state, q));
  OK_ON(l->state, cdni_projector_u(projector, l->state, &def, &moved_u));
  ck_assert(moved_q && moved_u);
  OK_ON(l->state, cdni_projector_estimate(projector, l->state, e_q, e_u));
  cdni_projector_destroy(projector);
  for (int k = 0; k < l->nu; k++) NEAR(e_u[k], expected[k], 1e-9 / apart / apart);
  OK_ON(l->state, cdn_multiply_by_N_inv(l->state, e_q, x));
  for (int k = 0; k < l->nu; k++) NEAR(x[k], expected[k], 1e-9 / apart / apart);
  free(G);
}

START_TEST(test_projections_are_the_smallest_weighted_changes) { on_loops(check_projection); }
END_TEST

/* ---- Baumgarte ---- */

static void check_baumgarte(looped *l, bool twice) {
  double *G = malloc((size_t)(l->m * l->nu + 1) * sizeof *G);
  const double T = 0.3;
  int rank;
  OK_ON(l->state, cdn_calc_G(l->state, G));
  const double apart = independence(l->m, l->nu, G, &rank);
  free(G);
  if (apart < 1e-3 || rank < l->m || twice) return;
  OK_ON(l->state, cdn_constraints_set_baumgarte(l->state, T));
  const double *udoterr = cdn_state_udoterr(l->state), *uerr = cdn_state_uerr(l->state),
               *qerr = cdn_state_qerr(l->state);
  double size = 1;
  for (int i = 0; i < l->m; i++) size = fmax(size, fabs(udoterr[i]));
  /* all equations are of positions here */
  for (int i = 0; i < l->m; i++) NEAR(udoterr[i], -2 / T * uerr[i] - qerr[i] / (T * T), 1e-9 / apart * size);
}

START_TEST(test_baumgarte_lets_errors_decay) { on_loops(check_baumgarte); }
END_TEST

/* ---- switches ---- */

START_TEST(test_constraints_that_are_off_leave_the_bits_of_a_tree) {
  for (int i = 0; i < 20; i++) {
    looped l = make_looped(3 + i, 4, false, 700 + (uint64_t)i);
    const tree_options options = {
      .bodies = 3 + i, .shape = 700 + (uint64_t)i, .numbers = 701 + (uint64_t)i, .forces = true
    };
    random_tree bare = make_random_tree(&options);
    cdn_state *state = random_tree_state(&bare, 702 + (uint64_t)i);
    for (int c = 0; c < cdn_system_constraint_count(cdn_state_system(l.state)); c++)
      OK_ON(l.state, cdn_constraint_set_enabled(l.state, (cdn_constraint){ c }, false));
    OK_ON(l.state, cdn_realize(l.state, CDN_STAGE_ACCELERATION));
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    ck_assert_mem_eq(cdn_state_udot(l.state), cdn_state_udot(state), (size_t)l.nu * sizeof(double));
    for (int k = 0; k < l.m; k++) ck_assert_double_eq(cdn_state_multipliers(l.state)[k], 0);
    for (int k = 0; k < l.m; k++) ck_assert_double_eq(cdn_state_qerr(l.state)[k], 0);
    cdn_state_destroy(state);
    cdn_state_destroy(l.state);
  }
}
END_TEST

CHECK_MAIN("property/constraints", test_products_with_G_and_the_matrix_agree,
           test_accelerations_and_multipliers_satisfy_the_equations, test_locked_mobilizers_come_first,
           test_solving_gives_back_what_was_put_in, test_contradicting_equations_are_met_by_least_squares,
           test_projections_are_the_smallest_weighted_changes, test_baumgarte_lets_errors_decay,
           test_constraints_that_are_off_leave_the_bits_of_a_tree)
