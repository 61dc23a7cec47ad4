/* Passes over the rows of an island; compiled for each set of kernels of one lane. */
#include "soft/kernel_rows.h"
#include "soft/row_math.h"

static double value(const soft_problem *p, int island) {
  double sum = 0;
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    const int n = w->g->s.rows;
    sum += n == 3   ? soft_row_value(3, p, w, w->r)
           : n == 1 ? soft_row_value(1, p, w, w->r)
                    : soft_row_value(n, p, w, w->r);
    w->noted = w->zone;
  }
  return sum;
}

/* f + H J x */
CDNI_INLINE void ask_group(int n, const soft_problem *p, const soft_work *w) {
  double force[SOFT_MOST_ROWS];
  for (int e = 0; e < n; e++) {
    force[e] = w->f[e];
    for (int g = 0; g < n; g++) force[e] += w->H[e * n + g] * w->Jx[g];
  }
  soft_row_force(n, p->plan->tree, w, force, p->F, p->f);
}

static void ask(const soft_problem *p, int island) {
  for (int k = p->first[island]; k < p->first[island + 1]; k++)
    FOR_ROWS(p->work[k].g->s.rows, ask_group, p, &p->work[k]);
}

CDNI_INLINE void begin_group(int n, const soft_problem *p, soft_work *w) {
  for (int e = 0; e < n; e++) w->Jx[e] = w->past[e], w->r[e] += w->past[e], w->past[e] = 0;
  (void)soft_row_value(n, p, w, w->r);
  w->noted = w->zone;
  ask_group(n, p, w);
}

static void begin(const soft_problem *p, int island) {
  for (int k = p->first[island]; k < p->first[island + 1]; k++)
    FOR_ROWS(p->work[k].g->s.rows, begin_group, p, &p->work[k]);
}

CDNI_INLINE void multiply_group(int n, const soft_problem *p, soft_work *w, soft_step_sums *s) {
  double size = 0;
  soft_row_times(n, p->plan->tree, w, p->A_y, p->y, w->Jd);
  w->bend = 0;
  for (int e = 0; e < n; e++) w->Jd[e] -= w->Jx[e];
  for (int e = 0; e < n; e++) {
    double change = 0;
    for (int g = 0; g < n; g++) change += w->H[e * n + g] * w->Jd[g];
    w->next[e] = w->f[e] - change;
    s->m0 += w->held[e] * w->Jd[e];
    s->m1 += (w->next[e] - w->held[e]) * w->Jd[e];
    s->slope -= w->f[e] * w->Jd[e];
    w->bend += change * w->Jd[e];
    size += (fabs(w->held[e]) + fabs(w->f[e])) * fabs(w->Jd[e]);
  }
  s->curved += w->bend;
  if (!(p->passed && w->g->give > 0)) s->size += size;
}

static soft_step_sums multiply(const soft_problem *p, int island) {
  soft_step_sums s = { 0 };
  for (int k = p->first[island]; k < p->first[island + 1]; k++)
    FOR_ROWS(p->work[k].g->s.rows, multiply_group, p, &p->work[k], &s);
  return s;
}

CDNI_INLINE void evaluate_group(int n, const soft_problem *p, double t, soft_work *w, soft_trial *at) {
  double r[SOFT_MOST_ROWS];
  const int32_t before = w->zone;
  for (int e = 0; e < n; e++) r[e] = w->r[e] + t * w->Jd[e];
  at->cost += soft_row_value(n, p, w, r);
  const bool same = w->zone == before && before != SOFT_ZONE_MIDDLE;
  at->done = at->done && same;
  at->same = at->same && w->zone == before;
  double bend = w->bend;
  if (!same) {
    bend = 0;
    for (int e = 0; e < n; e++)
      for (int g = 0; g < n; g++) bend += w->Jd[e] * w->H[e * n + g] * w->Jd[g];
  }
  at->slope.second += bend;
  for (int e = 0; e < n; e++) at->slope.first -= w->f[e] * w->Jd[e];
  if (p->load) {
    soft_count_change(n, w, same, at);
    return;
  }
  double left = 0;
  for (int e = 0; e < n; e++) {
    const double change = w->f[e] - w->next[e];
    left += w->g->s.kind == SOFT_PYRAMIDAL ? change * change : change * change / w->g->s.D[e];
  }
  at->left += 0.5 * (w->g->s.kind == SOFT_PYRAMIDAL ? left / w->g->s.D[0] : left);
}

static soft_trial evaluate(const soft_problem *p, int island, double t) {
  soft_trial at = { .done = true, .same = true };
  for (int k = p->first[island]; k < p->first[island + 1]; k++)
    FOR_ROWS(p->work[k].g->s.rows, evaluate_group, p, t, &p->work[k], &at);
  return at;
}

CDNI_INLINE void leap_group(int n, const soft_problem *p, soft_work *w, soft_trial *at) {
  double r[SOFT_MOST_ROWS];
  const int32_t before = w->zone;
  soft_row_times(n, p->plan->tree, w, p->A_y, p->y, w->Jd);
  for (int e = 0; e < n; e++) w->Jd[e] -= w->Jx[e], r[e] = w->r[e] + w->Jd[e];
  for (int e = 0; e < n; e++) {
    double change = 0;
    for (int g = 0; g < n; g++) change += w->H[e * n + g] * w->Jd[g];
    w->next[e] = w->f[e] - change;
  }
  (void)soft_row_value(n, p, w, r);
  at->same = at->same && w->zone == before;
  soft_count_change(n, w, w->zone == before && before != SOFT_ZONE_MIDDLE, at);
}

static soft_trial leap(const soft_problem *p, int island) {
  soft_trial at = { .same = true };
  for (int k = p->first[island]; k < p->first[island + 1]; k++)
    FOR_ROWS(p->work[k].g->s.rows, leap_group, p, &p->work[k], &at);
  return at;
}

CDNI_INLINE void add_group(int n, const tree *t, const soft_work *w, sv *F, double *f) {
  soft_row_force(n, t, w, w->f, F, f);
}

static void add_forces(const soft_problem *p, sv *F, double *f) {
  for (int k = 0; k < p->n; k++) FOR_ROWS(p->work[k].g->s.rows, add_group, p->plan->tree, &p->work[k], F, f);
}

extern const soft_row_kernels KERNEL_NAME(cdni_soft_row_kernels_of);
const soft_row_kernels KERNEL_NAME(cdni_soft_row_kernels_of) = { .value = value,
                                                                 .ask = ask,
                                                                 .multiply = multiply,
                                                                 .evaluate = evaluate,
                                                                 .leap = leap,
                                                                 .begin = begin,
                                                                 .add_forces = add_forces,
                                                                 .weigh = KERNEL_NAME(cdni_soft_kernel_weigh) };
