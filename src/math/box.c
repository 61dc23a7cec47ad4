/* A primal active-set method by principal pivots.
 *
 * The free lambdas meet their equations; the others stay where they are. The method takes one lambda after another
 * whose equation asks it to move, away from its bound, and moves it until its equation is met, or it is at its other
 * bound; the free ones follow. Where one of them comes to a bound, it stays there from then on. Every such move
 * makes the objective less, and there are finitely many sets of free lambdas, so the method ends.
 *
 * The tableau T belongs to y = K lambda with the free lambdas and their y exchanged. So its column i has what the
 * free lambdas and the y of the others do if lambda i moves by one. */
#include "math/box.h"

#include <math.h>

/* Pivots of less than this, relative to the diagonal of K, are rounding: the equation depends on those of the free
 * ones. */
static const double DEPENDENT = 1e-11, ZERO = 1e-12;
/* Equations are met where what remains is less than this, relative to the terms of the sum. */
static const double MET = 1e-12;

typedef struct box_work {
  const cdni_box *box;
  double *lambda, *T, *w; /* w = r - K lambda */
  double *tolerance;
  int32_t *side;
  int exchanges;
} box_work;

int cdni_box_most_exchanges(int n) { return 20 * (n + 5); }
size_t cdni_box_scratch(int n) { return (size_t)n * (size_t)n + 2 * (size_t)n; }

static bool is_free(const box_work *x, int i) { return x->side[i] == CDNI_BOX_FREE; }

/* Exchanges lambda i and y i. */
static void exchange(box_work *x, int i) {
  const int n = x->box->n;
  double *T = x->T, *row = T + (size_t)i * (size_t)n;
  const double p = 1 / row[i];
  for (int k = 0; k < n; k++) {
    double *other = T + (size_t)k * (size_t)n;
    const double c = other[i] * p;
    if (k == i || c == 0) continue;
    for (int j = 0; j < n; j++) other[j] -= j == i ? 0 : c * row[j];
    other[i] = c;
  }
  for (int j = 0; j < n; j++) row[j] *= -p;
  row[i] = p;
  x->exchanges++;
}

static void find_remainders(const box_work *x) {
  const cdni_box *b = x->box;
  for (int i = 0; i < b->n; i++) {
    const double *K = b->K + (size_t)i * (size_t)b->n;
    double sum = b->r[i], size = b->size[i];
    for (int j = 0; j < b->n; j++) sum -= K[j] * x->lambda[j], size += fabs(K[j] * x->lambda[j]);
    x->w[i] = sum;
    x->tolerance[i] = MET * size;
  }
}

static double least_pivot(const cdni_box *b, int i) {
  return DEPENDENT * b->K[(size_t)i * (size_t)b->n + (size_t)i] + ZERO * b->whole[i];
}
static double diagonal(const box_work *x, int i) { return x->T[(size_t)i * (size_t)x->box->n + (size_t)i]; }

/* Where its equation asks lambda i to move: 1, -1, or 0: it stays. */
static int direction(const box_work *x, int i) {
  if (x->w[i] > x->tolerance[i] && x->lambda[i] < x->box->upper[i]) return 1;
  if (x->w[i] < -x->tolerance[i] && x->lambda[i] > x->box->lower[i]) return -1;
  return 0;
}

/* The one whose move makes the objective least; -1: all stay. */
static int choose(const box_work *x) {
  int best = -1;
  double most = 0;
  for (int i = 0; i < x->box->n; i++) {
    if (is_free(x, i) || direction(x, i) == 0) continue;
    const double gain = x->w[i] * x->w[i] / fmax(diagonal(x, i), least_pivot(x->box, i));
    if (best < 0 || gain > most) best = i, most = gain;
  }
  return best;
}

static cdni_box_side side_of(const cdni_box *b, int i, double lambda) {
  return lambda == b->lower[i] ? CDNI_BOX_AT_LOWER : lambda == b->upper[i] ? CDNI_BOX_AT_UPPER : CDNI_BOX_HELD;
}

/* How far lambda j can go with velocity v. */
static double room(const box_work *x, int j, double v) {
  if (v == 0) return INFINITY;
  return fmax(0, ((v > 0 ? x->box->upper[j] : x->box->lower[j]) - x->lambda[j]) / v);
}

/* Moves lambda i along `sign` until its equation is met or it cannot go on. */
static cdni_box_result drive(box_work *x, int i, int sign) {
  const cdni_box *b = x->box;
  const int n = b->n;
  while (x->exchanges < cdni_box_most_exchanges(n)) {
    const double pivot = diagonal(x, i), needed = fmax(0, sign * x->w[i]);
    const bool depends = !(pivot > least_pivot(b, i));
    double step = depends ? INFINITY : needed / pivot;
    int first = -1; /* who comes to a bound; -1: nobody does before the equation is met */
    if (depends && needed <= x->tolerance[i]) {
      x->side[i] = side_of(b, i, x->lambda[i]);
      return CDNI_BOX_SOLVED;
    }
    if (room(x, i, sign) <= step) step = room(x, i, sign), first = i;
    for (int j = 0; j < n; j++) {
      const double far = is_free(x, j) ? room(x, j, sign * x->T[(size_t)j * (size_t)n + (size_t)i]) : INFINITY;
      if (far < step) step = far, first = j;
    }
    if (isinf(step)) return CDNI_BOX_CONTRADICTION;
    for (int j = 0; j < n; j++)
      if (is_free(x, j)) x->lambda[j] += step * sign * x->T[(size_t)j * (size_t)n + (size_t)i];
    x->lambda[i] += step * sign;
    if (first >= 0) {
      const double v = first == i ? sign : sign * x->T[(size_t)first * (size_t)n + (size_t)i];
      x->lambda[first] = v > 0 ? b->upper[first] : b->lower[first];
      x->side[first] = v > 0 ? CDNI_BOX_AT_UPPER : CDNI_BOX_AT_LOWER;
    } else {
      x->side[i] = CDNI_BOX_FREE;
    }
    if (first != i) exchange(x, first < 0 ? i : first);
    else x->exchanges++;
    find_remainders(x);
    if (first < 0 || first == i) return CDNI_BOX_SOLVED;
  }
  return CDNI_BOX_TOO_LONG;
}

cdni_box_result cdni_box_solve(const cdni_box *b, double *lambda, int32_t *side, int *which, double *scratch) {
  const size_t n = (size_t)b->n;
  box_work x = { .box = b, .lambda = lambda, .T = scratch, .w = scratch + n * n, .side = side };
  x.tolerance = x.w + n;
  memcpy(x.T, b->K, n * n * sizeof *x.T);
  for (int i = 0; i < b->n; i++) {
    lambda[i] = fmin(fmax(0, b->lower[i]), b->upper[i]);
    side[i] = side_of(b, i, lambda[i]);
  }
  find_remainders(&x);
  while ((*which = choose(&x)) >= 0) {
    const cdni_box_result result = drive(&x, *which, direction(&x, *which));
    if (result != CDNI_BOX_SOLVED) return result;
  }
  return CDNI_BOX_SOLVED;
}
