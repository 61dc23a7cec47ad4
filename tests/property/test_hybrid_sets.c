/* Sets of contacts with friction. In the plane, against all combinations of statuses: a solution is found whenever
 * there is one, and what is found fulfils the conditions. In space, piles of any size by their residuals. Of many
 * solutions the least one is found. */
#include "contact_sets.h"
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
  int first[ROWS + 1], column[ROWS * ROWS];
  double p[ROWS], w[ROWS];
  cone cones[MOST];
  for (int i = 0; i < s->n; i++)
    cones[i] = (cone){ .normal = 2 * i,
                       .tangent = 2 * i + 1,
                       .n = 1,
                       .mu_static = s->mu[i],
                       .mu_dynamic = s->mu[i],
                       .closed = true,
                       .status = CONE_STICKS };
  cone_problem problem = { .allocator = cones_allocator(),
                           .rows = 2 * s->n,
                           .n = s->n,
                           .W = full_matrix(2 * s->n, s->W, first, column),
                           .b = s->b,
                           .cones = cones,
                           .p = p,
                           .w = w };
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

/* In space: solutions of impacts are found, and keep all conditions as exactly as arithmetic allows: sums of a thousand
 * numbers, after statuses that are decided at 1e-10. */
static void solve_pile(rng *r, contact_pile pile, int n, double mu) {
  contact_set s = draw_contacts(r, pile, n, mu);
  cone_problem problem = problem_of(&s);
  ck_assert_msg(cdni_cones_solve(&problem), "pile %d of %d contacts, mu to %g: %g remains", (int)pile, n, mu,
                problem.residual);
  AT_MOST(problem.residual, 1e-10);
  AT_MOST(worst_violation(&s), 1e-9);
  free_contacts(&s);
}

START_TEST(piles_are_solved) {
  rng r = rng_of(77 + (uint64_t)_i);
  const int times = getenv("CARDAN_TEST_LONG") ? 40 : 1;
  for (int pile = PILE_OF_SPHERES; pile <= WALL_OF_BRICKS; pile++)
    for (int k = 0; k < times; k++) {
      const double mu = (double[]){ 0, 0.5, 1, 2 }[_i];
      for (int n = 0; n < FEWER(20); n++) solve_pile(&r, (contact_pile)pile, 10, mu);
      for (int n = 0; n < FEWER(5); n++) solve_pile(&r, (contact_pile)pile, 100, mu);
      if (!SANITIZED) solve_pile(&r, (contact_pile)pile, pile == PILE_OF_SPHERES ? 300 : 1000, mu);
    }
}
END_TEST

/* ---- a table on many legs: of all pushes that carry it the least are p = max(0, y0 + y1 x + y2 y) ---- */

enum { MOST_LEGS = 120 };
typedef struct table {
  int n, first[MOST_LEGS + 1], column[MOST_LEGS * MOST_LEGS];
  double leg[MOST_LEGS][3], load[3];
  double W[MOST_LEGS * MOST_LEGS], b[MOST_LEGS], p[MOST_LEGS], w[MOST_LEGS];
  cone cones[MOST_LEGS];
} table;

static double height(const double *leg, const double *y) { return leg[0] * y[0] + leg[1] * y[1] + leg[2] * y[2]; }

static void put_on_legs(table *t) {
  for (int i = 0; i < t->n; i++) {
    t->b[i] = -height(t->leg[i], t->load);
    t->cones[i] = (cone){ .normal = i, .tangent = -1, .closed = true };
    for (int j = 0; j < t->n; j++) t->column[i * t->n + j] = j, t->W[i * t->n + j] = height(t->leg[i], t->leg[j]);
  }
  cone_problem problem = { .allocator = cones_allocator(),
                           .rows = t->n,
                           .n = t->n,
                           .W = full_matrix(t->n, t->W, t->first, t->column),
                           .b = t->b,
                           .cones = t->cones,
                           .p = t->p,
                           .w = t->w };
  ck_assert(cdni_cones_solve(&problem));
}

/* Newton's method on y: the pushes must add up to the load. */
static bool find_least(const table *t, double y[3]) {
  for (int k = 0; k < 200; k++) {
    double A[9] = { 0 }, rest[3] = { t->load[0], t->load[1], t->load[2] };
    for (int i = 0; i < t->n; i++) {
      const double p = height(t->leg[i], y);
      for (int a = 0; a < 3 && p > 0; a++) {
        rest[a] -= t->leg[i][a] * p;
        for (int c = 0; c < 3; c++) A[3 * a + c] += t->leg[i][a] * t->leg[i][c];
      }
    }
    if (fabs(rest[0]) + fabs(rest[1]) + fabs(rest[2]) < 1e-11 * t->load[0]) return true;
    if (!cdni_eliminate(3, 1, A, 1, rest)) return false;
    for (int a = 0; a < 3; a++) y[a] += rest[a];
  }
  return false;
}

START_TEST(many_legs_push_as_little_as_they_can) {
  rng r = rng_of(5 + (uint64_t)_i);
  static table t;
  const int tables = FEWER(_i == 0 ? 200 : 16);
  int compared = 0;
  for (int k = 0; k < tables; k++) {
    t = (table){ .n = _i == 0 ? 4 + (int)pick(&r, 5) : 61 + (int)pick(&r, 60) };
    for (int i = 0; i < t.n; i++) t.leg[i][0] = 1, t.leg[i][1] = uniform(&r, -1, 1), t.leg[i][2] = uniform(&r, -1, 1);
    for (int a = 0; a < 3; a++) t.load[a] = 100 * (a == 0 ? 1 : uniform(&r, -0.7, 0.7));
    double y[3] = { 1, 0, 0 }, largest = 0;
    if (!find_least(&t, y)) continue; /* the load is beyond the legs, or the search for the comparison ran off */
    put_on_legs(&t);
    compared++;
    for (int i = 0; i < t.n; i++) largest = fmax(largest, t.p[i]);
    /* rows give way by 1e-7 of their largest answer when the least solution is sought, unless the first guess has it */
    for (int i = 0; i < t.n; i++) AT_MOST(fabs(t.p[i] - fmax(0, height(t.leg[i], y))), (_i ? 1e-5 : 1e-6) * largest);
  }
  ck_assert_int_gt(compared, tables / 4);
}
END_TEST

START_TEST(four_legs_share_a_load) {
  table t = { .n = 4, .leg = { { 1, 1, 1 }, { 1, -1, 1 }, { 1, -1, -1 }, { 1, 1, -1 } }, .load = { 100, 70, 60 } };
  put_on_legs(&t);
  for (int i = 0; i < 4; i++) AT_MOST(fabs(t.p[i] - (double[]){ 65, 15, 0, 20 }[i]), 1e-10);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, many_legs_push_as_little_as_they_can, 0, 2);
  tcase_add_test(c, four_legs_share_a_load);
  tcase_add_loop_test(c, solutions_are_found_where_there_are_any, 0, 4);
  tcase_add_loop_test(c, piles_are_solved, 0, 4);
}

CHECK_MAIN_OF("hybrid sets", 120, add)
