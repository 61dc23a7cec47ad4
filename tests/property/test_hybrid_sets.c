/* Sets of contacts with friction in the plane, against all combinations of statuses: a solution is found whenever there
 * is one, and what is found fulfils the conditions. */
#include "hybrid/cones.h"
#include "math/lu.h"
#include "random_tree.h"

enum { MOST = 4, ROWS = 2 * MOST };

typedef struct set {
  int n;
  double W[ROWS * ROWS], b[ROWS], mu[MOST];
} set;

/* Contacts of a few bodies in the plane: rows of random directions over `freedoms` speeds, with random masses. */
static set draw(rng *r, int n, int freedoms) {
  set s = { .n = n };
  double G[ROWS][8], m[8];
  for (int k = 0; k < freedoms; k++) m[k] = exp(uniform(r, -1, 1));
  for (int i = 0; i < 2 * n; i++)
    for (int k = 0; k < freedoms; k++) G[i][k] = uniform(r, -1, 1);
  for (int i = 0; i < 2 * n; i++)
    for (int j = 0; j < 2 * n; j++)
      for (int k = 0; k < freedoms; k++) s.W[i * 2 * n + j] += G[i][k] * G[j][k] / m[k];
  for (int i = 0; i < 2 * n; i++) s.b[i] = uniform(r, -1, 0.3);
  for (int i = 0; i < n; i++) s.mu[i] = uniform(r, 0, 1.5);
  return s;
}

/* Row i is normal 2 i, row 2 i + 1 its tangent. The statuses: 0 open, 1 sticks, 2 slips forward, 3 slips back. */
static bool solve(const set *s, const int *status, double *p, double *w) {
  const int m = 2 * s->n;
  double A[ROWS * ROWS] = { 0 }, x[ROWS] = { 0 }, largest = 0;
  for (int i = 0; i < s->n; i++) {
    const int N = 2 * i, T = N + 1;
    if (status[i] == 0) A[N * m + N] = A[T * m + T] = 1;
    if (status[i] == 0) continue;
    for (int j = 0; j < m; j++) A[N * m + j] = s->W[N * m + j];
    x[N] = -s->b[N];
    if (status[i] == 1) {
      for (int j = 0; j < m; j++) A[T * m + j] = s->W[T * m + j];
      x[T] = -s->b[T];
    } else {
      A[T * m + T] = 1, A[T * m + N] = status[i] == 2 ? s->mu[i] : -s->mu[i];
    }
  }
  for (int k = 0; k < m * m; k++) largest = fmax(largest, fabs(A[k]));
  if (!cdni_eliminate(m, 1e4 * largest, A, 1, x)) return false;
  for (int i = 0; i < m; i++) {
    p[i] = x[i], w[i] = s->b[i];
    for (int j = 0; j < m; j++) w[i] += s->W[i * m + j] * x[j];
  }
  return true;
}

/* How far the conditions are from being violated; negative: they are. */
static double margin(const set *s, const int *status, const double *p, const double *w) {
  double least = INFINITY;
  for (int i = 0; i < s->n; i++) {
    const int N = 2 * i, T = N + 1;
    least = fmin(least, status[i] == 0 ? w[N] : p[N]);
    if (status[i] == 1) least = fmin(least, s->mu[i] * p[N] - fabs(p[T]));
    if (status[i] > 1) least = fmin(least, status[i] == 2 ? w[T] : -w[T]);
  }
  return least;
}

/* The widest margin of all combinations. */
static double enumerate(const set *s) {
  double best = -INFINITY;
  for (int k = 0; k < 1 << (2 * s->n); k++) {
    int status[MOST];
    double p[ROWS], w[ROWS];
    for (int i = 0; i < s->n; i++) status[i] = k >> (2 * i) & 3;
    if (solve(s, status, p, w)) best = fmax(best, margin(s, status, p, w));
  }
  return best;
}

static void check(const set *s, int *found, int *without) {
  const double best = enumerate(s);
  static double room[4096];
  double p[ROWS], w[ROWS];
  cone cones[MOST];
  ck_assert_uint_le(cdni_cones_work(2 * s->n), sizeof room / sizeof *room);
  for (int i = 0; i < s->n; i++)
    cones[i] = (cone){ .normal = 2 * i,
                       .tangent = 2 * i + 1,
                       .n = 1,
                       .mu_static = s->mu[i],
                       .mu_dynamic = s->mu[i],
                       .closed = true,
                       .status = CONE_STICKS };
  cone_problem problem = {
    .rows = 2 * s->n, .n = s->n, .W = s->W, .b = s->b, .cones = cones, .p = p, .w = w, .work = room
  };
  const bool solved = cdni_cones_solve(&problem);
  if (best > 1e-6) ck_assert(solved);
  if (best < -1e-6) ck_assert(!solved);
  *found += solved, *without += best < -1e-6;
  for (int i = 0; i < s->n && solved; i++) {
    const int N = 2 * i, T = N + 1;
    AT_MOST(-p[N], 1e-8);
    AT_MOST(-w[N], 1e-8);
    AT_MOST(fabs(p[N] * w[N]), 1e-8 * (1 + p[N]));
    AT_MOST(fabs(p[T]), s->mu[i] * p[N] + 1e-8 * (1 + p[N]));
    if (fabs(w[T]) > 1e-7) AT_MOST(fabs(p[T] * fabs(w[T]) + s->mu[i] * p[N] * w[T]), 1e-7 * (1 + p[N]));
  }
}

START_TEST(solutions_are_found_where_there_are_any) {
  rng r = rng_of(1234 + (uint64_t)_i);
  int found = 0, without = 0;
  const int problems = FEWER(getenv("CARDAN_TEST_LONG") ? 100000 : 3000);
  for (int k = 0; k < problems; k++) {
    const int n = 1 + (int)pick(&r, MOST);
    const set s = draw(&r, n, 3 + (int)pick(&r, 5));
    check(&s, &found, &without);
  }
  ck_assert_int_gt(found, problems / 2);
}
END_TEST

static void add(TCase *c) { tcase_add_loop_test(c, solutions_are_found_where_there_are_any, 0, 4); }

CHECK_MAIN_OF("hybrid sets", 120, add)
