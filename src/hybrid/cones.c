/* Solves a set of contacts. A guess of all statuses makes the conditions linear; what a guess violates is changed, and
 * usually the first guess or a few more are right. Else projected relaxation makes guesses, and small sets are
 * enumerated at last. A solution is always that of its statuses, so it is as exact as the linear equations. */
#include "hybrid/cones.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "math/dense.h"
#include "math/lu.h"

/* What a solution may violate, relative to the largest number of its sort; what counts as no row. */
static const double TOLERANCE = 1e-10, NOTHING = 1e-14;
/* Pushes that are so much larger than what single rows need are those of a relaxation without an end: their statuses
 * may be right, they are not. */
static const double GROWN = 1e6;
/* What a solution by relaxation alone may violate. */
static const double ACCEPTED = 1e-6;
static const double NARROW[] = { 0.999, 1 };
enum { GUESSES = 60, TURNS = 400, SWEEPS = 20000, MANY_SWEEPS = 50000, MOST_ENUMERATED = 70000 };

typedef struct parts {
  double *A, *reduced, *x, *svd_A, *s, *U, *VT, *svd_work, *P; /* P: rows x unknowns */
  double *y, *near; /* near: pushes to which those that are not unique shall be near */
  int *unknown;     /* row of each unknown */
  double most;      /* of W */
  double scale_p, scale_w;
} parts;

static double *take(double *base, size_t *at, size_t n) {
  double *here = base ? base + *at : NULL;
  *at += n;
  return here;
}

static size_t divide(int rows, double *base, parts *x) {
  const size_t m = (size_t)rows;
  size_t at = 0;
  x->A = take(base, &at, m * m), x->reduced = take(base, &at, m * m), x->svd_A = take(base, &at, m * m);
  x->U = take(base, &at, m * m), x->VT = take(base, &at, m * m), x->P = take(base, &at, m * m);
  x->x = take(base, &at, m), x->s = take(base, &at, m), x->y = take(base, &at, m), x->near = take(base, &at, m);
  x->svd_work = take(base, &at, cdni_svd_work(rows, rows));
  x->unknown = (int *)take(base, &at, m);
  return at;
}

size_t cdni_cones_work(int rows) {
  parts x;
  return divide(rows, NULL, &x) + 1;
}

/* ---- the linear equations of a guess ---- */

/* Whether the normal pushes freely, so that its push is an unknown. */
static bool pushes(const cone *c) { return c->normal >= 0 && c->closed; }
static double bound(const cone *c, const double *p, bool is_static) {
  const double N = c->normal >= 0 ? p[c->normal] : 0;
  return is_static ? c->mu_static * N + c->base_static : c->mu_dynamic * N + c->base_dynamic;
}
/* Whether forces along a row change anything. */
static bool acts(const cone_problem *c, const parts *x, int row) {
  return c->W[(size_t)row * (size_t)c->rows + (size_t)row] > NOTHING * x->most;
}
/* The tangents that act: their number, and whether the first does. */
static int tangents(const cone_problem *c, const parts *x, const cone *a, int act[2]) {
  int n = 0;
  for (int t = 0; t < a->n; t++)
    if (acts(c, x, a->tangent + t)) act[n++] = t;
  return n;
}

/* Least-norm solution of K x = r, n x n row-major; r becomes x. False: it has none, to the rounding of numbers as large
 * as `scale`. */
static bool solve_least(int n, parts *x, const double *K, double scale, double *r) {
  double most = 0;
  for (int i = 0; i < n * n; i++) most = fmax(most, fabs(K[i]));
  memcpy(x->A, K, (size_t)(n * n) * sizeof *K);
  memcpy(x->x, r, (size_t)n * sizeof *r);
  if (cdni_eliminate(n, most * 1e2, x->A, 1, r)) return true;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) x->svd_A[j * n + i] = K[i * n + j];
  if (!cdni_svd(n, n, x->svd_A, x->s, x->U, x->VT, x->svd_work)) return false;
  for (int i = 0; i < n; i++) r[i] = 0;
  for (int k = 0; k < n && x->s[k] > 1e-11 * x->s[0]; k++) {
    const double part = cdni_dot(n, x->U + (size_t)k * (size_t)n, x->x) / x->s[k];
    for (int j = 0; j < n; j++) r[j] += part * x->VT[j * n + k];
  }
  for (int i = 0; i < n; i++)
    if (!(fabs(cdni_dot(n, K + (size_t)i * (size_t)n, r) - x->x[i]) <= 1e-10 * scale + DBL_MIN)) return false;
  return true;
}

/* Pushes that follow from the guess without unknowns, and how the others follow from the unknowns. */
static int describe(cone_problem *c, parts *x) {
  const int m = c->rows;
  int n = 0;
  memset(x->P, 0, (size_t)(m * m) * sizeof *x->P);
  memset(c->p, 0, (size_t)m * sizeof *c->p);
  for (int k = 0; k < c->n; k++) {
    const cone *a = &c->cones[k];
    int act[2];
    const int n_act = tangents(c, x, a, act), of_normal = n;
    double least = 0;
    if (pushes(a)) x->P[a->normal * m + n] = 1, x->unknown[n++] = a->normal;
    else if (a->normal >= 0) c->p[a->normal] = least = a->floor;
    for (int t = 0; t < n_act; t++) {
      const int row = a->tangent + act[t];
      if (a->status == CONE_STICKS) x->P[row * m + n] = 1, x->unknown[n++] = row;
      if (a->status != CONE_SLIPS) continue;
      c->p[row] = -a->e[act[t]] * (a->base_dynamic + a->mu_dynamic * least);
      if (pushes(a)) x->P[row * m + of_normal] = -a->e[act[t]] * a->mu_dynamic;
    }
  }
  return n;
}

/* p and w of the guess. Where p is not unique it is the one nearest to x->near. */
static bool evaluate(cone_problem *c, parts *x) {
  const int m = c->rows, n = describe(c, x);
  for (int j = 0; j < n; j++)
    for (int r = 0; r < m; r++) c->p[r] += x->P[r * m + j] * x->near[x->unknown[j]];
  double scale = 0;
  for (int i = 0; i < n; i++) {
    const double *W = c->W + (size_t)x->unknown[i] * (size_t)m;
    scale = fmax(scale, fabs(c->b[x->unknown[i]]));
    for (int k = 0; k < m; k++) scale = fmax(scale, fabs(W[k] * c->p[k]));
    x->y[i] = -c->b[x->unknown[i]] - cdni_dot(m, W, c->p);
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int r = 0; r < m; r++) sum += W[r] * x->P[r * m + j];
      x->reduced[i * n + j] = sum;
    }
  }
  const bool solved = n == 0 || solve_least(n, x, x->reduced, scale, x->y);
  for (int r = 0; r < m; r++) c->p[r] += cdni_dot(n, x->P + (size_t)r * (size_t)m, x->y);
  x->scale_p = x->scale_w = 0;
  for (int r = 0; r < m; r++) {
    const double *W = c->W + (size_t)r * (size_t)m;
    double size = fabs(c->b[r]);
    c->w[r] = c->b[r] + cdni_dot(m, W, c->p);
    for (int k = 0; k < m; k++) size = fmax(size, fabs(W[k] * c->p[k]));
    x->scale_p = fmax(x->scale_p, fabs(c->p[r])), x->scale_w = fmax(x->scale_w, size);
  }
  return solved;
}

/* ---- what a guess violates ---- */

typedef struct violation {
  double size; /* relative */
  bool closed;
  cone_status status;
  double e[2];
  bool turns; /* only the direction of slip changes */
} violation;

static double relative(double x, double scale) { return scale > 0 ? x / scale : x > 0 ? INFINITY : 0; }

static void violate(violation *v, double size, bool closed, cone_status status, const double e[2]) {
  if (!(size > v->size)) return;
  *v = (violation){ .size = size, .closed = closed, .status = status, .e = { e[0], e[1] } };
}

/* The largest violation of one cone, and what to change. */
static violation look(const cone_problem *c, const parts *x, const cone *a) {
  violation v = { .size = 0, .closed = a->closed, .status = a->status, .e = { a->e[0], a->e[1] } };
  int act[2];
  const int n = tangents(c, x, a, act);
  const cone_status reopened = a->slips ? CONE_SLIPS : CONE_STICKS;
  if (a->normal >= 0) {
    if (a->closed)
      violate(&v, relative(a->floor - c->p[a->normal], x->scale_p), false, a->floor > 0 ? a->status : CONE_OPEN, a->e);
    else violate(&v, relative(-c->w[a->normal], x->scale_w), true, a->status == CONE_OPEN ? reopened : a->status, a->e);
  }
  if (n == 0 || a->status == CONE_OPEN) return v;
  double p[2] = { 0, 0 }, w[2] = { 0, 0 };
  for (int t = 0; t < n; t++) p[act[t]] = c->p[a->tangent + act[t]], w[act[t]] = c->w[a->tangent + act[t]];
  if (a->status == CONE_STICKS) {
    const double size = hypot(p[0], p[1]), most = bound(a, c->p, true);
    const double e[2] = { size > 0 ? -p[0] / size : 1, size > 0 ? -p[1] / size : 0 };
    violate(&v, relative(size - fmax(most, 0), x->scale_p), v.closed, CONE_SLIPS, e);
  } else if (!a->slips) {
    const double along = w[0] * a->e[0] + w[1] * a->e[1], size = hypot(w[0], w[1]);
    violate(&v, relative(-along, x->scale_w), v.closed, CONE_STICKS, a->e);
    if (n == 2 && along > 0) {
      const double e[2] = { w[0] / size, w[1] / size };
      const double before = v.size;
      violate(&v, relative(fabs(w[0] * a->e[1] - w[1] * a->e[0]), x->scale_w), v.closed, CONE_SLIPS, e);
      v.turns = v.size > before;
    }
  }
  return v;
}

static void change(cone *a, const violation *v) {
  a->closed = v->closed, a->status = v->status;
  if (a->slips && a->status != CONE_OPEN) {
    a->status = CONE_SLIPS;
    return;
  }
  a->e[0] = v->e[0], a->e[1] = v->e[1];
}

/* Moves the pushes into their cones, to be near to next time. */
static void keep_near(const cone_problem *c, parts *x) {
  memcpy(x->near, c->p, (size_t)c->rows * sizeof *x->near);
  for (int i = 0; i < c->n; i++) {
    const cone *a = &c->cones[i];
    if (a->normal >= 0) x->near[a->normal] = fmax(a->floor, x->near[a->normal]);
    if (a->n == 0) continue;
    double *p = x->near + a->tangent;
    const double most = fmax(0, bound(a, x->near, true)), size = a->n > 1 ? hypot(p[0], p[1]) : fabs(p[0]);
    for (int t = 0; t < a->n && size > most; t++) p[t] *= most / size;
  }
}

/* Evaluates guesses until one violates nothing. */
static bool guess(cone_problem *c, parts *x, int most) {
  int turns = 0;
  for (int k = 0; k < most && turns < TURNS; k++) {
    const bool solved = evaluate(c, x);
    double worst = 0;
    int which = -1;
    bool only_turns = true;
    for (int i = 0; i < c->n; i++) {
      const violation v = look(c, x, &c->cones[i]);
      if (v.size > TOLERANCE) only_turns = only_turns && v.turns;
      if (v.size > worst) worst = v.size, which = i;
    }
    c->residual = worst;
    const double enough = only_turns ? 1e-14 : TOLERANCE; /* directions converge; statuses are right or wrong */
    if (solved && worst <= enough) return true;
    if (worst <= TOLERANCE && !solved) return false;
    if (only_turns) k--, turns++;
    if (turns > 60 && worst <= TOLERANCE) return true;
    keep_near(c, x);
    /* one at a time, if all together have not come to an end */
    for (int i = 0; i < c->n; i++) {
      const violation v = look(c, x, &c->cones[i]);
      if (v.size > enough && (k < 12 || i == which)) change(&c->cones[i], &v);
    }
  }
  return false;
}

/* ---- relaxation ---- */

/* Bounds are a little narrower than they are, so that what sticks has room when the equations are solved. */
static void relax_cone(cone_problem *c, const parts *x, const cone *a, double narrow) {
  const size_t m = (size_t)c->rows;
  double p[2] = { 0, 0 }, steepest = 0;
  int act[2];
  const int n = tangents(c, x, a, act);
  if (a->normal >= 0 && acts(c, x, a->normal)) {
    const double *W = c->W + (size_t)a->normal * m;
    const double w = c->b[a->normal] + cdni_dot(c->rows, W, c->p);
    c->p[a->normal] = fmax(a->floor, c->p[a->normal] - w / W[a->normal]);
  }
  if (n == 0) return;
  const double most = fmax(0, bound(a, c->p, !a->slips)) * (a->slips ? 1 : narrow);
  for (int t = 0; t < n; t++) {
    const size_t row = (size_t)(a->tangent + act[t]);
    steepest += c->W[row * m + row];
  }
  for (int t = 0; t < n; t++) {
    const size_t row = (size_t)(a->tangent + act[t]);
    const double w = c->b[row] + cdni_dot(c->rows, c->W + row * m, c->p);
    p[act[t]] = a->slips ? -most * a->e[act[t]] : c->p[row] - w / steepest;
  }
  const double size = hypot(p[0], p[1]), by = size > most ? most / size : 1;
  for (int t = 0; t < n; t++) c->p[a->tangent + act[t]] = by * p[act[t]];
}

static void relax(cone_problem *c, parts *x, int sweeps, double narrow) {
  memset(c->p, 0, (size_t)c->rows * sizeof *c->p);
  for (int k = 0; k < sweeps; k++)
    for (int i = 0; i < c->n; i++) relax_cone(c, x, &c->cones[i], narrow);
  double largest = 0, b = 0, least = x->most;
  for (int r = 0; r < c->rows; r++) {
    largest = fmax(largest, isfinite(c->p[r]) ? fabs(c->p[r]) : INFINITY), b = fmax(b, fabs(c->b[r]));
    if (acts(c, x, r)) least = fmin(least, c->W[(size_t)r * (size_t)c->rows + (size_t)r]);
  }
  for (int r = 0; r < c->rows; r++)
    if (!isfinite(c->p[r])) c->p[r] = 0;
  memcpy(x->near, c->p, (size_t)c->rows * sizeof *x->near);
  if (largest > GROWN * b / least) memset(x->near, 0, (size_t)c->rows * sizeof *x->near);
  for (int i = 0; i < c->n; i++) {
    cone *a = &c->cones[i];
    const double size = a->n == 0   ? 0
                        : a->n == 1 ? fabs(c->p[a->tangent])
                                    : hypot(c->p[a->tangent], c->p[a->tangent + 1]);
    if (a->normal >= 0) a->closed = c->p[a->normal] > a->floor + 1e-9 * largest;
    const double most = bound(a, c->p, !a->slips);
    const bool free = a->normal >= 0 && !a->closed && a->floor == 0;
    a->status = free ? CONE_OPEN : a->slips || size >= most * narrow * (1 - 1e-7) ? CONE_SLIPS : CONE_STICKS;
    for (int t = 0; t < a->n && !a->slips && size > 0; t++) a->e[t] = -c->p[a->tangent + t] / size;
  }
}

/* ---- enumeration ---- */

/* The statuses of one cone, by number; how many there are. Of two tangents that act directions are endless. */
static int take_status(const cone_problem *c, const parts *x, cone *a, int k) {
  int act[2];
  const int n = tangents(c, x, a, act), of_tangent = n == 0 || a->slips ? 1 : 3;
  const int of_open = a->normal < 0 ? 0 : a->floor > 0 ? of_tangent : 1;
  if (k < 0) return of_open + of_tangent;
  const bool open = k < of_open;
  const int tangent = open ? k : k - of_open;
  a->closed = a->normal >= 0 && !open;
  if (open && a->floor <= 0) {
    a->status = CONE_OPEN;
    return 0;
  }
  a->status = n == 0 ? CONE_OPEN : a->slips || tangent > 0 ? CONE_SLIPS : CONE_STICKS;
  if (n == 0 || a->slips) return 0;
  a->e[0] = a->e[1] = 0;
  a->e[act[0]] = tangent == 2 ? -1 : 1;
  return 0;
}

static bool enumerate(cone_problem *c, parts *x) {
  double combinations = 1, least = INFINITY;
  for (int i = 0; i < c->n; i++) {
    int act[2];
    if (tangents(c, x, &c->cones[i], act) == 2 && !c->cones[i].slips) return false;
    combinations *= take_status(c, x, &c->cones[i], -1);
  }
  if (combinations > MOST_ENUMERATED) return false;
  long best = -1;
  c->solutions = 0;
  for (long k = 0; k < (long)combinations; k++) {
    long rest = k;
    for (int i = 0; i < c->n; i++) {
      const int of = take_status(c, x, &c->cones[i], -1);
      take_status(c, x, &c->cones[i], (int)(rest % of));
      rest /= of;
    }
    double worst = 0, norm = 0;
    if (!evaluate(c, x)) continue;
    for (int i = 0; i < c->n; i++) worst = fmax(worst, look(c, x, &c->cones[i]).size);
    if (!(worst <= TOLERANCE)) continue;
    for (int r = 0; r < c->rows; r++) norm += c->p[r] * c->p[r];
    c->solutions++;
    if (norm < least) least = norm, best = k;
  }
  if (best < 0) return false;
  for (int i = 0; i < c->n; i++) {
    const int of = take_status(c, x, &c->cones[i], -1);
    take_status(c, x, &c->cones[i], (int)(best % of));
    best /= of;
  }
  evaluate(c, x);
  c->residual = 0;
  for (int i = 0; i < c->n; i++) c->residual = fmax(c->residual, look(c, x, &c->cones[i]).size);
  return true;
}

/* ---- the whole ---- */

static void begin(cone_problem *c) {
  for (int i = 0; i < c->n; i++) {
    cone *a = &c->cones[i];
    a->closed = a->closed && a->normal >= 0;
    if (a->slips) a->status = CONE_SLIPS;
    if (a->normal >= 0 && !a->closed && a->floor <= 0) a->status = CONE_OPEN;
  }
}

/* By relaxation alone, where no statuses were found; as exact as it gets. */
static bool approach(cone_problem *c, parts *x) {
  relax(c, x, MANY_SWEEPS, 1);
  x->scale_p = x->scale_w = 0;
  for (int r = 0; r < c->rows; r++) {
    const double *W = c->W + (size_t)r * (size_t)c->rows;
    c->w[r] = c->b[r] + cdni_dot(c->rows, W, c->p);
    x->scale_p = fmax(x->scale_p, fabs(c->p[r])), x->scale_w = fmax(x->scale_w, fabs(c->b[r]));
  }
  c->residual = 0;
  for (int r = 0; r < c->rows; r++) {
    if (isfinite(c->p[r]) && isfinite(c->w[r])) continue;
    c->residual = INFINITY;
    return false;
  }
  for (int i = 0; i < c->n; i++) {
    const cone *a = &c->cones[i];
    c->residual = fmax(c->residual, look(c, x, a).size);
    if (pushes(a)) c->residual = fmax(c->residual, relative(fabs(c->w[a->normal]), x->scale_w));
    for (int t = 0; t < a->n && a->status == CONE_STICKS; t++)
      c->residual = fmax(c->residual, relative(fabs(c->w[a->tangent + t]), x->scale_w));
  }
  return c->residual <= ACCEPTED;
}

bool cdni_cones_solve(cone_problem *c) {
  parts x = { .most = 0 };
  c->solutions = 1, c->residual = 0;
  if (c->rows == 0) return true;
  divide(c->rows, c->work, &x);
  for (int r = 0; r < c->rows; r++) x.most = fmax(x.most, c->W[(size_t)r * (size_t)c->rows + (size_t)r]);
  begin(c);
  memset(x.near, 0, (size_t)c->rows * sizeof *x.near);
  if (guess(c, &x, GUESSES)) return true;
  for (int sweeps = 20; sweeps <= SWEEPS; sweeps *= 10)
    for (int k = 0; k < CDNI_COUNT(NARROW); k++) {
      relax(c, &x, sweeps, NARROW[k]);
      if (guess(c, &x, GUESSES)) return true;
    }
  memset(x.near, 0, (size_t)c->rows * sizeof *x.near);
  return enumerate(c, &x) || approach(c, &x);
}
