/* An interior point method on the cones as they are. With p' = p_n - floor, r = mu p_n + base, and
 *
 *   c = (r - |p_t|^2 / r) / 2,   w_n = sigma,   w_t = - lambda p_t / r,   sigma p' = tau,   lambda c = tau,
 *
 * all of p', c, sigma and lambda stay positive, and tau goes to zero, where that is Coulomb's law. What the barrier
 * adds to W is a block of each cone, so the elimination of W takes it. Rows give way a little, by `give`, so that there
 * is one solution where W alone has many. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "hybrid/cone_set.h"

/* Where it begins: pushes and speeds, relative to those of one row alone. */
static const double PUSH = 10, SPEED = 0.1;
/* How far a step may come toward the boundary; what shall remain of tau after a long step; what step is too short to go
 * on after SHORT_STEPS of them. */
static const double NEAR = 0.9, LEFT = 0.1, SHORT = 0.05;
/* The goals, relative to the largest push times the largest speed: at each Newton's method tries to find the end. */
static const double FIRST = 1e-7, NEXT = 1e-2, LAST = 1e-13;
/* How far rows may be off, relative to the largest speed. */
static const double OFF = 1e-6;
enum { STEPS = 100, SHORT_STEPS = 3 };

/* One cone: what is positive, and its block. */
typedef struct inner {
  double p, r, c, off; /* p', r, c; by how much c is another than that of the pushes */
  double sigma, lambda;
  bool normal;
  int n, act[CONE_MOST_TANGENTS]; /* tangents that may turn */
} inner;

static inner *inner_of(const cone_set *s, int k) { return (inner *)s->inner + k; }

static void measure(const cone_set *s, int k, const double *p, inner *x) {
  const cone *a = &s->cones[k];
  const double N = a->normal >= 0 ? p[a->normal] : 0;
  double t = 0;
  x->p = x->normal ? N - a->floor : 0;
  x->r = a->mu_static * N + a->base_static;
  for (int i = 0; i < x->n; i++) t += p[a->tangent + x->act[i]] * p[a->tangent + x->act[i]];
  x->off = x->n > 0 ? 0.5 * (x->r - t / x->r) - x->c : 0;
}

static void begin(cone_set *s) {
  double speed = DBL_MIN;
  for (int r = 0; r < s->rows; r++) speed = fmax(speed, fabs(s->b[r]));
  memset(s->p, 0, (size_t)s->rows * sizeof *s->p);
  for (int k = 0; k < s->n; k++) {
    const cone *a = &s->cones[k];
    inner *x = inner_of(s, k);
    memset(x, 0, sizeof *x);
    x->normal = a->normal >= 0 && cdni_cone_acts(s, a->normal);
    if (a->normal >= 0) s->p[a->normal] = a->floor + (x->normal ? PUSH * speed / s->most : 0);
    if (!a->slips) x->n = cdni_cone_tangents(s, a, x->act);
    measure(s, k, s->p, x);
    if (!(x->r > 0)) x->n = 0;
    x->c = x->n > 0 ? 0.5 * x->r : 0, x->off = 0;
    x->sigma = x->normal ? SPEED * speed : 0, x->lambda = x->n > 0 ? SPEED * speed : 0;
  }
}

/* The mean of what shall become zero. */
static double gap(const cone_set *s) {
  double sum = 0;
  int n = 0;
  for (int k = 0; k < s->n; k++) {
    const inner *x = inner_of(s, k);
    sum += x->sigma * x->p + x->lambda * x->c, n += x->normal + (x->n > 0);
  }
  return n ? sum / n : 0;
}

/* The block of a cone, and the right side, for a goal tau. Rows that have no equation of W: skip. */
static void describe(const cone_set *s, int k, double tau, double *D, double *y, bool skip[3]) {
  const cone *a = &s->cones[k];
  const inner *x = inner_of(s, k);
  for (int i = 0; i < 3; i++) skip[i] = true, y[i] = 0;
  if (x->normal) {
    skip[0] = false;
    D[0] += x->sigma / x->p, y[0] = tau / x->p - s->w[a->normal];
  } else if (a->n < 3) D[0] = 1;
  for (int t = 0; t < (a->n > 2 ? a->n : 2); t++) {
    const int row = cone_place(a, t);
    bool turns = false;
    for (int i = 0; i < x->n; i++) turns = turns || x->act[i] == t;
    if (t < a->n && a->slips) {
      const double bound = a->mu_dynamic * (a->normal >= 0 ? s->p[a->normal] : 0) + a->base_dynamic;
      y[row] = -(s->p[a->tangent + t] + a->e[t] * bound);
      if (a->normal >= 0) D[3 * row] = a->mu_dynamic * a->e[t];
      D[4 * row] = 1;
    } else if (!turns) D[4 * row] = 1;
  }
  if (x->n == 0) return;
  const double *p = s->p + a->tangent, r = x->r;
  double size = 0;
  for (int i = 0; i < x->n; i++) size += p[x->act[i]] * p[x->act[i]];
  for (int i = 0; i < x->n; i++) {
    const int t = x->act[i], row = cone_place(a, t);
    skip[row] = false;
    y[row] = -s->w[a->tangent + t] - p[t] / r * (tau - x->lambda * x->off) / x->c;
    if (a->normal >= 0) D[3 * row] -= p[t] * a->mu_static * x->lambda / r * (1 / r + 0.5 / x->c * (1 + size / (r * r)));
    D[4 * row] += x->lambda / r;
    for (int j = 0; j < x->n; j++)
      D[3 * row + cone_place(a, x->act[j])] += x->lambda / (x->c * r * r) * p[t] * p[x->act[j]];
  }
}

/* The change of pushes for a goal tau. */
static bool find_change(cone_set *s, double tau, double give) {
  cone_factor *f = &s->factor;
  cdni_cone_factor_clear(f);
  for (int k = 0; k < s->n; k++) {
    const cone *a = &s->cones[k];
    int rows[3];
    cone_places(a, rows);
    double *own = cdni_cone_factor_block(f, k, k);
    bool skip[3];
    describe(s, k, tau, own, s->d + 3 * k, skip);
    for (int i = 0; i < 3; i++) {
      double *block = NULL;
      int of = -1;
      if (skip[i]) continue;
      own[4 * i] += give;
      for (int x = s->first[rows[i]]; x < s->first[rows[i] + 1]; x++) {
        const int to = s->slot[s->column[x]];
        if (to / 3 != of) of = to / 3, block = cdni_cone_factor_block(f, k, of);
        block[3 * i + to % 3] += s->value[x];
      }
    }
  }
  if (!cdni_cone_factor_decompose(f)) return false;
  cdni_cone_factor_solve(f, s->d);
  return cdni_all_finite(s->d, 3 * (size_t)s->n, NULL);
}

/* The changes of sigma and lambda that belong to that of the pushes. */
static void change_speeds(const cone_set *s, int k, double tau, double *sigma, double *lambda, double *c) {
  const cone *a = &s->cones[k];
  const inner *x = inner_of(s, k);
  const double *d = s->d + 3 * k;
  *sigma = x->normal ? tau / x->p - x->sigma - x->sigma / x->p * d[0] : 0;
  *lambda = *c = 0;
  if (x->n == 0) return;
  const double *p = s->p + a->tangent;
  double size = 0, change = 0;
  for (int i = 0; i < x->n; i++) {
    const int t = x->act[i];
    size += p[t] * p[t], change -= p[t] * d[cone_place(a, t)] / x->r;
  }
  if (a->normal >= 0) change += 0.5 * (1 + size / (x->r * x->r)) * a->mu_static * d[0];
  *c = change + x->off;
  *lambda = tau / x->c - x->lambda - x->lambda / x->c * *c;
}

/* The longest part of the step that leaves a part of all that is positive. */
static double longest(cone_set *s, double tau) {
  double by = 1;
  for (int k = 0; k < s->n; k++) {
    const inner *x = inner_of(s, k);
    const double *d = s->d + 3 * k;
    double sigma, lambda, c;
    change_speeds(s, k, tau, &sigma, &lambda, &c);
    if (sigma < 0) by = fmin(by, -NEAR * x->sigma / sigma);
    if (c < 0) by = fmin(by, -NEAR * x->c / c);
    if (lambda < 0) by = fmin(by, -NEAR * x->lambda / lambda);
    if (x->normal && d[0] < 0) by = fmin(by, -NEAR * x->p / d[0]);
  }
  return by;
}

static void move(cone_set *s, double tau, double by) {
  for (int k = 0; k < s->n; k++) {
    double sigma, lambda, c;
    inner *x = inner_of(s, k);
    change_speeds(s, k, tau, &sigma, &lambda, &c);
    x->sigma += by * sigma, x->lambda += by * lambda, x->c += by * c;
  }
  for (int r = 0; r < s->rows; r++) s->p[r] += by * s->d[s->slot[r]];
  for (int k = 0; k < s->n; k++) measure(s, k, s->p, inner_of(s, k));
}

/* Steps until the mean is `goal` times its scale. False: it does not come there. */
static bool approach(cone_set *s, double give, double goal) {
  double left = LEFT;
  int jammed = 0;
  for (int step = 0; step < STEPS; step++) {
    cdni_cone_results(s);
    for (int r = 0; r < s->rows; r++) s->w[r] += give * s->p[r];
    const double mean = gap(s), tau = left * mean;
    double off = 0;
    for (int k = 0; k < s->n; k++)
      if (inner_of(s, k)->normal) off = fmax(off, fabs(s->w[s->cones[k].normal] - inner_of(s, k)->sigma));
    if (mean <= goal * s->scale_p * s->scale_w && off <= OFF * s->scale_w) return true;
    if (!find_change(s, tau, give)) return false;
    const double by = longest(s, tau);
    move(s, tau, by);
    jammed = by < SHORT ? jammed + 1 : 0;
    if (jammed == SHORT_STEPS) return false;
    left = by > 0.9 ? LEFT : by > 0.5 ? 2 * LEFT : by > 0.2 ? 0.5 : 0.95;
  }
  return false;
}

bool cdni_cone_interior(cone_set *s, double give) {
  give *= s->most;
  bool on = true;
  if (!cdni_cone_factor_prepare(s)) return false;
  begin(s);
  for (double goal = FIRST; on && goal >= LAST; goal *= NEXT) {
    on = approach(s, give, goal);
    if (cdni_cone_newton(s)) return true;
    memcpy(s->p, s->near, (size_t)s->rows * sizeof *s->near);
  }
  return false;
}
