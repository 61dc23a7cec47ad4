/* The motion of springs in an impact: their forces, friction among them, and steps in time. */
#include <float.h>
#include <math.h>

#include "hybrid/springs.h"

/* ---- forces ---- */

double cdni_spring_force(const springs *s, const spring *x, double depth) {
  if (x->mode == SPRING_LOADS) return x->k * pow(fmax(0, depth), s->exponent);
  if (x->mode != SPRING_UNLOADS) return 0;
  const double part = fmax(0, depth - x->left) / (x->deepest - x->left);
  return x->k * pow(x->deepest, s->exponent) * pow(part, s->exponent);
}

/* Where nothing pushes yet the first pushes decide about friction: they grow with the speeds of approach. A spring that
 * has not begun while others push has next to none. */
static void foresee(springs *s, const double *y) {
  const moment *m = s->m;
  double most = 0;
  for (int i = 0; i < m->n_cones; i++)
    if (m->cones[i].normal >= 0) most = fmax(most, s->push[m->cones[i].normal]);
  for (int i = 0; i < m->n_cones; i++) {
    const int row = m->cones[i].normal;
    const spring *x = &s->spring[i];
    if (row < 0 || x->mode == SPRING_APART) continue;
    if (most < 1e-12 * s->force) s->push[row] = x->k * pow(fmax(0, -y[row]), s->exponent);
    s->push[row] += 1e-9 * s->force;
  }
}

/* The direction of a slip at speeds y. A slip that has turned back within a step has come to its end before. */
static void direct(const springs *s, const spring *x, const cone *c, const double *y, double *e) {
  double w[CONE_MOST_TANGENTS];
  memcpy(e, x->along, sizeof x->along);
  if (c->n == 1) return;
  cone_get(c, y, w);
  const double size = cone_norm(w), far = (x->begins ? 100 : 0.01) * SPRING_REST * s->size;
  const bool ahead = cone_dot(w, e) > far;
  for (int k = 0; k < CONE_MOST_TANGENTS && ahead; k++) e[k] = w[k] / size;
}

void cdni_spring_aim(springs *s) {
  for (int i = 0; i < s->m->n_cones; i++) {
    const cone *c = &s->m->cones[i];
    spring *x = &s->spring[i];
    if (c->n < 2 || x->sticks) continue;
    direct(s, x, c, s->y, x->along);
    if (cone_size(c, s->y) > 1000 * SPRING_REST * s->size) x->begins = false;
  }
}

/* The cones of rates: pushes of springs are known, and so is what sticks and what slips, unless that is being decided.
 * Returns whether anything is unknown. */
static bool describe(springs *s, const double *y, bool decides) {
  const moment *m = s->m;
  bool unknown = false;
  for (int i = 0; i < m->n_cones; i++) {
    const cone *c = &m->cones[i];
    const spring *x = &s->spring[i];
    cone *to = &s->cones[i];
    const bool holds = c->normal >= 0 && x->mode == SPRING_HOLDS, apart = c->normal >= 0 && x->mode == SPRING_APART;
    *to = (cone){ .normal = holds ? c->normal : -1, .tangent = c->tangent, .n = apart ? 0 : c->n, .closed = holds };
    to->mu_static = to->mu_dynamic = c->mu_dynamic;
    to->base_static = to->base_dynamic =
        c->base_dynamic + (holds || c->normal < 0 ? 0 : c->mu_dynamic * s->push[c->normal]);
    unknown = unknown || holds;
    if (to->n == 0) continue;
    double w[CONE_MOST_TANGENTS];
    cone_get(c, y, w);
    const double size = cone_norm(w);
    if (decides) to->slips = size > SPRING_REST * s->size;
    else to->slips = !x->sticks;
    to->status = to->slips ? CONE_SLIPS : CONE_STICKS;
    if (!(to->slips && decides)) direct(s, x, c, y, to->e);
    for (int k = 0; k < CONE_MOST_TANGENTS && to->slips && decides; k++) to->e[k] = w[k] / size;
    if (!to->slips && !decides) to->base_static = 1e300;
    unknown = unknown || !to->slips;
  }
  return unknown;
}

static void add_rates(springs *s) {
  const moment *m = s->m;
  for (int r = 0; r < m->rows; r++) s->w[r] = s->b[r] = cdni_sparse_dot(&m->W, r, s->push);
}

/* Forces s->push and accelerations s->w at y; the bounds of friction may depend on all of them. */
static void solve(springs *s, const double *y, bool decides) {
  moment *m = s->m;
  const size_t rows = (size_t)m->rows;
  bool depends = false;
  memset(m->p, 0, rows * sizeof *m->p);
  for (int round = 0; round < 100; round++) {
    const double changed = cdni_moment_set_bounds(m, true, NULL, &depends);
    if (round > 0 && (!depends || changed < 1e-14)) break;
    memset(s->push, 0, rows * sizeof *s->push);
    for (int i = 0; i < m->n_cones; i++)
      if (m->cones[i].normal >= 0)
        s->push[m->cones[i].normal] = cdni_spring_force(s, &s->spring[i], y[2 * rows + (size_t)m->cones[i].normal]);
    if (decides) foresee(s, y);
    const bool unknown = describe(s, y, decides);
    for (int i = 0; i < m->n_cones && !unknown; i++)
      for (int t = 0; t < s->cones[i].n; t++)
        s->push[s->cones[i].tangent + t] = -s->cones[i].base_dynamic * s->cones[i].e[t];
    add_rates(s);
    if (unknown) {
      cone_problem problem = cdni_moment_problem(m);
      problem.b = s->b, problem.cones = s->cones, problem.p = s->p, problem.w = s->w;
      s->failed = !cdni_cones_solve(&problem) || s->failed;
      for (size_t r = 0; r < rows; r++) s->push[r] += s->p[r];
    }
    memcpy(m->p, s->push, rows * sizeof *m->p);
  }
}

void cdni_spring_rates(springs *s, const double *y, double *rates) {
  const moment *m = s->m;
  const size_t rows = (size_t)m->rows;
  solve(s, y, false);
  memcpy(rates, s->w, rows * sizeof *rates);
  memcpy(rates + rows, s->push, rows * sizeof *rates);
  memset(rates + 2 * rows, 0, rows * sizeof *rates);
  for (int i = 0; i < m->n_cones; i++)
    if (m->cones[i].normal >= 0) rates[2 * rows + (size_t)m->cones[i].normal] = -y[m->cones[i].normal];
}

void cdni_spring_decide(springs *s, const double *y) {
  solve(s, y, true);
  for (int i = 0; i < s->m->n_cones; i++) {
    const cone *c = &s->cones[i];
    spring *x = &s->spring[i];
    if (c->n == 0) continue;
    x->sticks = !c->slips && c->status == CONE_STICKS;
    x->begins = !x->sticks && !c->slips && c->n > 1;
    memcpy(x->along, c->e, sizeof x->along);
  }
}

/* ---- steps: the midpoint rule with 2, 4, ... parts, extrapolated (Gragg, Bulirsch and Stoer) ---- */

enum { COLUMNS = 6 };

static void midpoint(springs *s, double h, int parts, double *to) {
  const size_t n = 3 * (size_t)s->m->rows;
  const double part = h / parts;
  double *low = s->low, *middle = s->middle;
  memcpy(low, s->y, n * sizeof *low);
  for (size_t k = 0; k < n; k++) middle[k] = low[k] + part * s->rates[k];
  for (int j = 1; j < parts; j++) {
    cdni_spring_rates(s, middle, s->high);
    for (size_t k = 0; k < n; k++) {
      const double high = low[k] + 2 * part * s->high[k];
      low[k] = middle[k], middle[k] = high;
    }
  }
  cdni_spring_rates(s, middle, s->high);
  for (size_t k = 0; k < n; k++) to[k] = 0.5 * (low[k] + middle[k] + part * s->high[k]);
}

double cdni_spring_step(springs *s, double h) {
  const size_t rows = (size_t)s->m->rows, n = 3 * rows;
  double error = 0;
  cdni_spring_rates(s, s->y, s->rates);
  for (int j = 0; j < COLUMNS; j++) {
    midpoint(s, h, 2 * (j + 1), s->columns + (size_t)j * n);
    for (int i = j; i > 0; i--) {
      const double ratio = (double)(j + 1) / i, by = 1 / (ratio * ratio - 1);
      double *finer = s->columns + (size_t)i * n, *coarser = finer - n;
      for (size_t k = 0; k < n; k++) coarser[k] = finer[k] + by * (finer[k] - coarser[k]);
    }
  }
  memcpy(s->next, s->columns, n * sizeof *s->next);
  for (size_t k = 0; k < n; k++) {
    const double scale = k < rows ? s->size : k < 2 * rows ? s->force : s->speed;
    error = fmax(error, fabs(s->columns[k] - s->columns[n + k]) / scale);
  }
  return error;
}
