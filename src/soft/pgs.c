/* Projected Gauss-Seidel for the soft rows of an island: sweeps over the groups, each of which takes the force that is
 * best for it while the others keep theirs. Rows without a cone, and the edges of pyramids, go one by one. An elliptic
 * cone takes two steps: along the ray of its force, and across it at the normal force that results (MuJoCo). At the tip
 * of the cone the first step is along the ray on which the cost falls most, so that no tip but the best one holds.
 *
 * A sweep costs a product with A. The forces are always allowed, so that the cost of the primal problem there, plus
 * that of the dual one, bounds how far both are from their least: the gap, a sum over groups. */
#include <math.h>

#include "soft/dual.h"

enum { MOST_TANGENTS = SOFT_MOST_ROWS - 1, MOST_EDGES = 2 * MOST_TANGENTS };

/* Forces of the edges of pyramids: 2 for each row after the first one. */
typedef double edge_forces[MOST_EDGES];

/* ---- one group ---- */

/* A group under way: g = b + A f is kept as f changes. */
typedef struct visit {
  const soft_function *s;
  const double *A; /* its own block */
  double g[SOFT_MOST_ROWS], *f;
  double fallen; /* by how much the cost has fallen */
} visit;

static void change(visit *v, int k, double by) {
  v->f[k] += by;
  for (int e = 0; e < v->s->rows; e++) v->g[e] = r_fma(v->A[e * v->s->rows + k], by, v->g[e]);
}

/* A step `by` along which the cost has this slope at first, and this curvature. */
static void count(visit *v, double slope, double square, double by) { v->fallen -= by * (slope + 0.5 * square * by); }

/* Row k alone, within bounds. */
static void take_row(visit *v, int k, double least, double most) {
  const double R = 1 / v->s->D[k], slope = v->g[k] + R * v->f[k], square = v->A[k * (v->s->rows + 1)] + R;
  const double by = fmin(fmax(-slope / square, least - v->f[k]), most - v->f[k]);
  count(v, slope, square, by);
  change(v, k, by);
}

static void take_edges(visit *v, double *edge) {
  const int n = v->s->rows;
  const double R = 1 / v->s->D[0], *A = v->A;
  for (int k = 1; k < n; k++)
    for (int side = 0; side < 2; side++) {
      const double mu = side ? -v->s->friction[k - 1] : v->s->friction[k - 1];
      double *f = &edge[2 * (k - 1) + side];
      const double square = A[0] + mu * (A[k] + A[k * n]) + mu * mu * A[k * (n + 1)] + R;
      const double slope = v->g[0] + mu * v->g[k] + R * *f, by = fmax(-slope / square, -*f);
      count(v, slope, square, by);
      *f += by;
      change(v, 0, by);
      change(v, k, mu * by);
    }
  v->f[0] = 0;
  for (int k = 1; k < n; k++) {
    v->f[0] += edge[2 * (k - 1)] + edge[2 * (k - 1) + 1];
    v->f[k] = v->s->friction[k - 1] * (edge[2 * (k - 1)] - edge[2 * (k - 1) + 1]);
  }
}

/* The ray to go along: that of the force, or at the tip the one on which the cost falls most; false: none leads
 * down. */
static bool choose_ray(const visit *v, double *ray) {
  const soft_function *s = v->s;
  double T = 0;
  ray[0] = 1;
  if (v->f[0] > 0) {
    for (int k = 1; k < s->rows; k++) ray[k] = v->f[k] / v->f[0];
    return true;
  }
  for (int k = 1; k < s->rows; k++) T = hypot(T, s->friction[k - 1] * v->g[k]);
  for (int k = 1; k < s->rows; k++) {
    const double U = s->friction[k - 1] * v->g[k];
    ray[k] = v->g[0] < 0 || !(T > 0) ? 0 : -s->friction[k - 1] * U / T;
  }
  return v->g[0] < 0 || v->g[0] < T;
}

static void take_ray(visit *v) {
  const int n = v->s->rows;
  double ray[SOFT_MOST_ROWS], slope = 0, square = 0;
  if (!choose_ray(v, ray)) return;
  for (int k = 0; k < n; k++) {
    slope += ray[k] * (v->g[k] + v->f[k] / v->s->D[k]);
    square += ray[k] * ray[k] / v->s->D[k];
    for (int e = 0; e < n; e++) square += ray[e] * v->A[e * n + k] * ray[k];
  }
  const double by = fmax(-slope / square, -v->f[0]);
  count(v, slope, square, by);
  for (int k = 0; k < n; k++) change(v, k, by == -v->f[0] && k > 0 ? -v->f[k] : by * ray[k]);
}

double cdni_soft_take_friction(const soft_function *s, const double *A, bool regular, double *g, double *f) {
  const int n = s->rows;
  double B[MOST_TANGENTS * MOST_TANGENTS] = { 0 }, b[MOST_TANGENTS] = { 0 }, y[MOST_TANGENTS],
                           by[SOFT_MOST_ROWS] = { 0 };
  double fallen = 0;
  for (int k = 1; k < n; k++) { /* in units in which the cone is round */
    b[k - 1] = g[k];
    for (int e = 1; e < n; e++) {
      const double a = A[k * n + e];
      b[k - 1] -= a * f[e];
      B[(k - 1) * (n - 1) + e - 1] =
          s->friction[k - 1] * (a + (k == e && regular ? 1 / s->D[k] : 0)) * s->friction[e - 1];
    }
    b[k - 1] *= s->friction[k - 1];
  }
  cdni_soft_least_in_ball(n - 1, B, b, f[0], y);
  for (int k = 1; k < n; k++) by[k] = s->friction[k - 1] * y[k - 1] - f[k];
  /* the mean of the slopes before and after */
  for (int k = 1; k < n; k++) {
    double slope = g[k] + (regular ? (f[k] + 0.5 * by[k]) / s->D[k] : 0);
    for (int e = 1; e < n; e++) slope += 0.5 * A[k * n + e] * by[e];
    fallen -= by[k] * slope;
  }
  for (int k = 1; k < n; k++) {
    f[k] += by[k];
    for (int e = 0; e < n; e++) g[e] += A[e * n + k] * by[k];
  }
  return fmax(fallen, 0); /* rounding may be larger than what there is to gain */
}

static void take_group(visit *v, double *edge) {
  const soft_function *s = v->s;
  switch ((soft_kind)s->kind) {
    case SOFT_EQUALITY:
      for (int k = 0; k < s->rows; k++) take_row(v, k, -INFINITY, INFINITY);
      return;
    case SOFT_FRICTION_LOSS: take_row(v, 0, -s->loss, s->loss); return;
    case SOFT_LIMIT: take_row(v, 0, 0, INFINITY); return;
    case SOFT_PYRAMIDAL: take_edges(v, edge); return;
    case SOFT_ELLIPTIC:
      if (!(s->mu > 0)) {
        take_row(v, 0, 0, INFINITY);
        return;
      }
      take_ray(v);
      v->fallen += cdni_soft_take_friction(s, v->A, true, v->g, v->f);
      return;
    case SOFT_BOUNDED: /* these have Newton's method, always */
    case SOFT_PRESS:
    case SOFT_SLIDE: return;
  }
}

/* ---- the gap ---- */

/* Of an elliptic cone, f.n for a force f that is allowed and n = R p + r: in coordinates in which the cone is round,
 * where T is the length of what n has along the surface and w its direction, (n_0 - T) f_0 + T (f_0 - |u|) + T (|u| +
 * u.w). No part is negative. */
static double product_with_normal(const soft_function *s, const double *r, const double *f, int32_t zone) {
  double U[SOFT_MOST_ROWS], u[SOFT_MOST_ROWS], T = 0, size = 0, across = 0;
  for (int k = 1; k < s->rows; k++) {
    U[k] = s->friction[k - 1] * r[k], u[k] = s->friction[k - 1] > 0 ? f[k] / s->friction[k - 1] : 0;
    T = hypot(T, U[k]), size = hypot(size, u[k]);
  }
  for (int k = 1; k < s->rows && T > 0 && size > 0; k++) {
    const double apart = u[k] / size + U[k] / T;
    across += 0.5 * apart * apart;
  }
  const double mu2 = s->mu * s->mu, above = zone == SOFT_ZONE_MIDDLE ? 0 : fmax(r[0] - T, 0);
  const double length = zone == SOFT_ZONE_MIDDLE ? (T + mu2 * r[0]) / (1 + mu2) : T;
  double slack = f[0] - size;
  if (slack < 1e-13 * f[0]) slack = 0; /* on the cone, to rounding */
  return above * f[0] + fmax(length, 0) * (slack + size * across);
}

/* One group's part of the gap. With the force p that the residual r asks for, s(r) + f.r + 1/2 f.R f is
 * 1/2 (f - p).R (f - p) + (f - p).(R p + r), where both are not negative, and the second is f.(R p + r) for cones. */
static double gap_of(const soft_function *s, const double *r, const double *f, const double *edge) {
  double p[SOFT_MOST_ROWS], sum = 0;
  int32_t zone;
  if (s->kind == SOFT_PYRAMIDAL) {
    const double R = 1 / s->D[0];
    for (int k = 0; k < 2 * (s->rows - 1); k++) {
      const double mu = s->friction[k / 2], e = r[0] + (k % 2 ? -mu : mu) * r[k / 2 + 1];
      const double off = edge[k] - fmax(-e / R, 0);
      sum += 0.5 * R * off * off + edge[k] * fmax(e, 0);
    }
    return sum;
  }
  cdni_soft_function(s, r, p, NULL, &zone);
  for (int k = 0; k < s->rows; k++) {
    const double off = f[k] - p[k], R = 1 / s->D[k];
    sum += 0.5 * R * off * off;
    if (s->kind == SOFT_LIMIT) sum += f[k] * fmax(r[k], 0);
    if (s->kind == SOFT_FRICTION_LOSS && zone != 1) sum += off * (R * p[k] + r[k]);
  }
  if (s->kind == SOFT_ELLIPTIC && zone != 1) sum += product_with_normal(s, r, f, zone);
  return sum;
}

static double gap(const soft_dual *x, edge_forces *edge) {
  double sum = 0;
  for (int i = 0; i < x->n; i++) {
    double r[SOFT_MOST_ROWS];
    cdni_soft_dual_residual(x, i, r);
    sum += gap_of(&x->work[i].g->s, r, x->work[i].f, edge[i]);
  }
  return sum;
}

/* ---- sweeps ---- */

/* By how much the cost falls. */
static double sweep(const soft_dual *x, edge_forces *edge) {
  double fallen = 0;
  for (int i = 0; i < x->n; i++) {
    soft_work *w = &x->work[i];
    visit v = { .s = &w->g->s, .A = x->A + x->at[x->own[i]], .f = w->f };
    cdni_soft_dual_residual(x, i, v.g);
    take_group(&v, edge[i]);
    fallen += v.fallen;
  }
  return fallen;
}

/* The piece that a force is on, as far as forces tell. */
static int32_t zone_of(const soft_function *s, const double *f, const double *edge) {
  int32_t zone = SOFT_ZONE_NOTHING;
  double T = 0;
  switch ((soft_kind)s->kind) {
    case SOFT_PYRAMIDAL:
      for (int k = 0; k < 2 * (s->rows - 1); k++) zone |= (edge[k] > 0) << k;
      return zone;
    case SOFT_ELLIPTIC:
      for (int k = 1; k < s->rows && s->friction[k - 1] > 0; k++) T = hypot(T, f[k] / s->friction[k - 1]);
      return !(f[0] > 0) ? SOFT_ZONE_NOTHING : T < f[0] * (1 - 1e-12) ? 1 : SOFT_ZONE_MIDDLE;
    case SOFT_FRICTION_LOSS: return fabs(f[0]) < s->loss ? 1 : f[0] > 0 ? 2 : 3;
    case SOFT_LIMIT: return f[0] > 0;
    default: return 1;
  }
}

static void note(const soft_dual *x, edge_forces *edge, int it, double *value, double fallen) {
  for (int i = 0; i < x->n; i++) x->work[i].zone = zone_of(&x->work[i].g->s, x->work[i].f, edge[i]);
  *value += fallen;
  const cdn_soft_iteration record = { .cost = *value, .improvement = fallen };
  cdni_soft_record(x->p, x->island, it, &record);
}

/* Of the dual cost: what a sweep gains beyond is rounding. */
static const double ROUNDING = 1e-14;

static void iterate(soft_dual *x, edge_forces *edge, double enough, soft_results *results) {
  const cdn_soft_def *def = x->p->def;
  const bool by_cost = def->cost_tolerance >= 0;
  double value = 0, left = INFINITY;
  for (int it = 1; it <= def->iterations; it++) {
    const double fallen = sweep(x, edge);
    if (results->statistics.most_iterations < it) results->statistics.most_iterations = it;
    note(x, edge, it, &value, fallen);
    left = INFINITY;
    if (by_cost && fallen < soft_cost_limit(x->p)) break;
    if (!by_cost && fallen <= enough + ROUNDING * value && (left = gap(x, edge)) <= enough) break;
  }
  results->gap += left < INFINITY ? left : gap(x, edge);
}

cdn_status cdni_soft_relax(soft_problem *p, int island, soft_results *results) {
  const cdn_soft_def *def = p->def;
  const double scale =
      cdni_soft_cost(p, island) + 0.5 * cdni_soft_metric(p, island, p->d->udot, p->A_0, p->d->udot, p->A_0);
  soft_dual x;
  results->scale += scale;
  CDNI_TRY(cdni_soft_factor_pieces(p, island, &results->statistics));
  CDNI_TRY(cdni_soft_dual_begin(&x, p, island));
  const size_t size = (size_t)x.n * sizeof(edge_forces);
  edge_forces *edge = cdn_work_push(p->state, size + 1);
  if (edge) {
    memset(edge, 0, size);
    for (int i = 0; i < x.n; i++) memset(x.work[i].f, 0, sizeof x.work[i].f);
    iterate(&x, edge, def->tolerance * def->tolerance * scale, results);
    cdni_soft_dual_move(&x);
    cdn_work_pop(p->state, edge);
  }
  cdni_soft_dual_end(&x);
  return edge ? CDN_OK : cdni_state_fail(p->state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
}
