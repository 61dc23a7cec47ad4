/* What a set of cones demands: what acts, what is violated, and which statuses fit given pushes. */
#include "hybrid/cone_set.h"

#include <math.h>

#include "math/dense.h"

/* What counts as no row, relative to the largest. */
static const double NOTHING = 1e-14;

bool cdni_cone_acts(const cone_set *s, int row) { return s->diagonal[row] > NOTHING * s->most; }

int cdni_cone_tangents(const cone_set *s, const cone *a, int act[CONE_MOST_TANGENTS]) {
  int n = 0;
  for (int t = 0; t < a->n; t++)
    if (cdni_cone_acts(s, a->tangent + t)) act[n++] = t;
  return n;
}

void cdni_cone_results(cone_set *s) {
  s->scale_p = s->scale_w = 0;
  for (int r = 0; r < s->rows; r++) {
    double sum = s->b[r], size = fabs(sum);
    for (int k = s->first[r]; k < s->first[r + 1]; k++) {
      const double part = s->value[k] * s->p[s->column[k]];
      sum += part, size = fmax(size, fabs(part));
    }
    s->w[r] = sum;
    s->scale_p = fmax(s->scale_p, fabs(s->p[r])), s->scale_w = fmax(s->scale_w, size);
  }
}

static double relative(double x, double scale) { return scale > 0 ? x / scale : x > 0 ? INFINITY : 0; }

static void violate(cone_violation *v, double size, bool closed, cone_status status, const double *e) {
  if (!(size > v->size)) return;
  *v = (cone_violation){ .size = size, .closed = closed, .status = status, .e = { e[0], e[1], e[2] } };
}

cone_violation cdni_cone_look(const cone_set *s, const cone *a) {
  cone_violation v = { .size = 0, .closed = a->closed, .status = a->status, .e = { a->e[0], a->e[1], a->e[2] } };
  int act[CONE_MOST_TANGENTS];
  const int n = cdni_cone_tangents(s, a, act);
  const cone_status reopened = a->slips ? CONE_SLIPS : CONE_STICKS;
  if (a->normal >= 0) {
    if (a->closed)
      violate(&v, relative(a->floor - s->p[a->normal], s->scale_p), false, a->floor > 0 ? a->status : CONE_OPEN, a->e);
    else violate(&v, relative(-s->w[a->normal], s->scale_w), true, a->status == CONE_OPEN ? reopened : a->status, a->e);
  }
  if (n == 0 || a->status == CONE_OPEN) return v;
  double p[3] = { 0, 0, 0 }, w[3] = { 0, 0, 0 }, e[3] = { 1, 0, 0 };
  for (int t = 0; t < n; t++) p[act[t]] = s->p[a->tangent + act[t]], w[act[t]] = s->w[a->tangent + act[t]];
  if (a->status == CONE_STICKS) {
    const double size = cone_norm(p), most = cone_bound(a, s->p, true);
    for (int t = 0; t < 3 && size > 0; t++) e[t] = -p[t] / size;
    violate(&v, relative(size - fmax(most, 0), s->scale_p), v.closed, CONE_SLIPS, e);
  } else if (!a->slips) {
    const double along = cone_dot(w, a->e), size = cone_norm(w);
    violate(&v, relative(-along, s->scale_w), v.closed, CONE_STICKS, a->e);
    if (n > 1 && along > 0) {
      const double before = v.size;
      for (int t = 0; t < 3; t++) e[t] = w[t] / size;
      violate(&v, relative(cone_across(w, a->e), s->scale_w), v.closed, CONE_SLIPS, e);
      v.turns = v.size > before;
    }
  }
  return v;
}

void cdni_cone_read(cone_set *s, double narrow) {
  double largest = 0;
  for (int r = 0; r < s->rows; r++) largest = fmax(largest, isfinite(s->p[r]) ? fabs(s->p[r]) : INFINITY);
  for (int i = 0; i < s->n; i++) {
    cone *a = &s->cones[i];
    double p[CONE_MOST_TANGENTS];
    cone_get(a, s->p, p);
    const double size = cone_norm(p);
    if (a->normal >= 0) a->closed = s->p[a->normal] > a->floor + 1e-9 * largest;
    const double most = cone_bound(a, s->p, !a->slips);
    const bool open = a->normal >= 0 && !a->closed && a->floor == 0;
    a->status = open ? CONE_OPEN : a->slips || size >= most * narrow * (1 - 1e-7) ? CONE_SLIPS : CONE_STICKS;
    for (int t = 0; t < a->n && !a->slips && size > 0; t++) a->e[t] = -p[t] / size;
  }
}

void cdni_cone_judge(cone_set *s) {
  s->residual = 0;
  for (int r = 0; r < s->rows; r++)
    if (!isfinite(s->p[r]) || !isfinite(s->w[r])) s->residual = INFINITY;
  for (int i = 0; i < s->n && s->residual < INFINITY; i++) {
    const cone *a = &s->cones[i];
    s->residual = fmax(s->residual, cdni_cone_look(s, a).size);
    if (cone_pushes(a)) s->residual = fmax(s->residual, relative(fabs(s->w[a->normal]), s->scale_w));
    for (int t = 0; t < a->n && a->status == CONE_STICKS; t++)
      s->residual = fmax(s->residual, relative(fabs(s->w[a->tangent + t]), s->scale_w));
  }
}
