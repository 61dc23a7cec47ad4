/* Goals along the constraints: damped Gauss-Newton steps in the null space of G, each followed by a return to the
 * constraints, so that all that is compared satisfies them. */
#include <math.h>

#include "matter/operators.h"
#include "studies/assembly.h"

static const double SMALL_DAMPING = 1e-6;

/* ---- the reduced problem -------------------------------------------------------------------- */

/* The rows of G that take part, of free mobilities: m of them, from the dense G of all. */
static int compress_G(cdn_assembly *a, bool speeds, int n) {
  int m = 0;
  for (int i = 0; a->room && i < a->plan->n_constraints; i++) {
    const constraint_element *c = constraint_on(a->room, a->plan, i);
    const int count = speeds ? c->np + c->nv : c->np;
    for (int k = 0; k < count; k++, m++) {
      const double *from = a->G + (size_t)(a->room->first_row + c->row + k) * (size_t)a->nu;
      double *to = a->null.A + (size_t)m * (size_t)n;
      for (int j = 0; j < n; j++) to[j] = from[a->map[j]];
    }
  }
  return m;
}

/* H = J^T J and g = J^T r of goals in the null space, from J (rows x nu), which is used up. The
 * gradient goes to a->gradient, and that of free mobilities in the frame of Q to a->u. */
static void reduce_goals(cdn_assembly *a, int rows, assembly_reduced *p) {
  const int n = p->n, d = p->d, rank = p->rank;
  memset(a->H, 0, (size_t)d * (size_t)d * sizeof *a->H);
  memset(a->u, 0, (size_t)n * sizeof *a->u);
  memset(a->gradient, 0, (size_t)a->nu * sizeof *a->gradient);
  for (int i = 0; i < rows; i++) {
    double *row = a->J + (size_t)i * (size_t)a->nu;
    for (int k = 0; k < a->nu; k++) a->gradient[k] += row[k] * a->r[i];
    for (int j = 0; j < n; j++) row[j] = row[a->map[j]];
    if (rank > 0) cdni_null_space_enter(&a->null, row);
    for (int j = 0; j < n; j++) a->u[j] += row[j] * a->r[i];
    const double *z = row + rank;
    for (int j = 0; j < d; j++) {
      double *H = a->H + (size_t)j * (size_t)d;
      for (int k = 0; z[j] != 0 && k <= j; k++) H[k] += z[j] * z[k];
    }
  }
  p->largest = 0;
  for (int j = 0; j < d; j++) p->largest = fmax(p->largest, a->H[(size_t)j * (size_t)d + (size_t)j]);
}

/* Prepares it where the State is, with residuals in a->r. */
static cdn_status reduce(cdn_assembly *a, cdn_state *state, bool speeds, int rows, assembly_reduced *p) {
  *p = (assembly_reduced){ .n = 0 };
  CDNI_TRY(cdni_assembly_jacobian(a, state, speeds, a->J));
  cdni_assembly_concern_goals(a, rows);
  for (int k = 0; k < a->nu; k++)
    if (!a->fixed[k] && !a->held[k] && cdni_assembly_is_concerned(a, k)) a->map[p->n++] = k;
  if (a->room) CDNI_TRY(cdn_calc_G(state, a->G));
  a->null.n = p->n;
  a->null.m = compress_G(a, speeds, p->n);
  a->null.rank = 0;
  /* the elimination's threshold: its pivots are squares of sines */
  if (a->null.m > 0) cdni_null_space_factor(&a->null, 3e-6);
  p->rank = a->null.rank, p->d = p->n - p->rank;
  reduce_goals(a, rows, p);
  return CDN_OK;
}

/* out = H y, of the symmetric H. */
static void multiply_by_H(const cdn_assembly *a, int d, const double *y, double *out) {
  for (int i = 0; i < d; i++) {
    const double *row = a->H + (size_t)i * (size_t)d;
    out[i] = row[i] * y[i];
    for (int j = 0; j < i; j++) out[i] += row[j] * y[j], out[j] += row[j] * y[i];
  }
}

/* The step x for a damping mu, and the slope and curvature of the model along it. False: with so little damping the
 * model has no minimum.
 *
 * In directions on which no goal depends g is rounding, and a small damping would turn it into a step. H is zero in
 * these directions, so the solution of (H + mu) z = H y keeps only the part of y that goals ask for. */
static bool solve(cdn_assembly *a, const assembly_reduced *p, double mu, double *slope, double *bend) {
  const double *g = a->u + p->rank, shift = mu * p->largest;
  double *y = a->step + p->rank, *Hy = a->push;
  for (int j = 0; j < p->d; j++) y[j] = -g[j];
  if (!cdni_solve_shifted(p->d, a->H, shift, a->L, y)) return false;
  if (mu < SMALL_DAMPING) {
    multiply_by_H(a, p->d, y, Hy);
    memcpy(y, Hy, (size_t)p->d * sizeof *y);
    cdni_solve_again(p->d, a->L, y);
  }
  multiply_by_H(a, p->d, y, Hy);
  *slope = *bend = 0;
  for (int j = 0; j < p->d; j++) *slope += g[j] * y[j], *bend += Hy[j] * y[j];
  for (int j = 0; j < p->rank; j++) a->step[j] = 0;
  if (p->rank > 0) cdni_null_space_leave(&a->null, a->step);
  memset(a->x, 0, (size_t)a->nu * sizeof *a->x);
  for (int j = 0; j < p->n; j++) a->x[a->map[j]] = a->step[j];
  return true;
}

/* ---- bounds --------------------------------------------------------------------------------- */

static bool is_at_bound(const cdn_assembly *a, const cdn_state *state, int k) {
  if (!a->bounded || a->slot[k] < 0) return false;
  const double q = cdn_state_q(state)[a->slot[k]];
  return q <= a->lower[k] || q >= a->upper[k];
}

/* Releases the bound from which the goals pull hardest, if that gains more than the free mobilities still can. */
static bool let_go(cdn_assembly *a, cdn_state *state, const assembly_reduced *p) {
  double reduced_most = 0, most = 0;
  int which = -1;
  bool any = false;
  for (int k = 0; k < a->nu; k++) any = any || a->held[k];
  if (!any) return false;
  for (int j = p->rank; j < p->n; j++) reduced_most = fmax(reduced_most, fabs(a->u[j]));
  /* the multipliers of the constraints that hold the free mobilities: G^T lambda = -g */
  if (p->rank > 0) cdni_null_space_multipliers(&a->null, a->u, a->lambda);
  for (int k = 0; k < a->nu; k++) {
    if (!a->held[k]) continue;
    double slope = a->gradient[k];
    int m = 0;
    for (int i = 0; p->rank > 0 && i < a->plan->n_constraints; i++) {
      const constraint_element *c = constraint_on(a->room, a->plan, i);
      for (int e = 0; e < c->np; e++, m++)
        slope -= a->G[(size_t)(a->room->first_row + c->row + e) * (size_t)a->nu + (size_t)k] * a->lambda[m];
    }
    const double inward = cdn_state_q(state)[a->slot[k]] <= a->lower[k] ? -slope : slope;
    if (inward > most && a->lower[k] < a->upper[k]) most = inward, which = k;
  }
  if (which < 0 || most <= reduced_most) return false;
  a->held[which] = false;
  return true;
}

/* Lets go of one, and of more where constraints tie it to others at bounds, as a finger to one that mimics it. */
static cdn_status release(cdn_assembly *a, cdn_state *state, int rows, assembly_reduced *p, bool *released) {
  *released = false;
  for (int before = p->d; a->bounded && p->d == before && let_go(a, state, p);) {
    CDNI_TRY(reduce(a, state, false, rows, p));
    *released = true;
  }
  return CDN_OK;
}

/* Holds coordinates that have reached a bound. */
static void hold(cdn_assembly *a, const cdn_state *state) {
  for (int k = 0; k < a->nu; k++) a->held[k] = !a->fixed[k] && is_at_bound(a, state, k);
}

/* ---- positions ------------------------------------------------------------------------------ */

/* From q = came by the step x: moves, returns to the constraints, and evaluates the goals. Infinity: not there. */
static cdn_status attempt(cdn_assembly *a, cdn_state *state, double scale, int *rows, double *sum) {
  assembly_errors e;
  bool *stays = a->stays;
  *sum = INFINITY;
  memcpy(a->start, a->came, (size_t)a->nq * sizeof *a->start);
  cdn_status status = cdni_assembly_move(a, state, scale);
  /* a coordinate that is at a bound, or that this step moved to one, stays there on the way back to the constraints */
  for (int k = 0; k < a->nu; k++) {
    stays[k] = !a->fixed[k] && (a->held[k] || is_at_bound(a, state, k));
    a->fixed[k] = a->fixed[k] || stays[k];
  }
  if (status == CDN_OK) status = cdni_assembly_restore(a, state, 30, &e);
  for (int k = 0; k < a->nu; k++) a->fixed[k] = a->fixed[k] && !stays[k];
  if (status == CDN_OK && !(e.most <= a->def.tolerance)) return CDN_OK;
  if (status == CDN_OK) status = cdni_assembly_residuals(a, state, false, a->r, rows, sum);
  if (status == CDN_OK || status == CDN_ERR_NOMEM) return status;
  *sum = INFINITY; /* a place where things are not defined */
  return CDN_OK;
}

/* Where a descent is. */
typedef struct descent {
  double sum, mu;       /* of goals; damping */
  double change, tried; /* the largest element of the last step, and of the last attempt at one */
  bool trust;           /* the learned curvature in the next step */
  int rows;
} descent;

/* The curvature learned elsewhere is wrong here: forgets it. */
static cdn_status forget(cdn_assembly *a, cdn_state *state, assembly_reduced *p, descent *d) {
  cdni_assembly_curvature_begin(a);
  d->trust = false;
  d->mu = 1e-4;
  CDNI_TRY(cdni_assembly_residuals(a, state, false, a->r, &d->rows, &d->sum));
  CDNI_TRY(reduce(a, state, false, d->rows, p));
  cdni_assembly_curvature_keep(a, p);
  return CDN_OK;
}

/* Tries a step x for which the model predicts this slope and bend. *better: it improved the goals; else q is
 * restored. */
static cdn_status try_step(cdn_assembly *a, cdn_state *state, double slope, double bend, descent *d, bool *better) {
  const double scale = cdni_assembly_shorten(a, state, a->x), own = cdni_assembly_curvature_along(a);
  const double promised = -scale * slope - scale * scale * bend / 2;
  /* by the other model, with or without S */
  const double other = promised + scale * scale * (a->trusted ? own : -own) / 2;
  /* differences below rounding cannot be told; a step that promises no more is taken if it is shorter than the last */
  const double noise = 1e-14 * d->sum;
  double now;
  d->tried = 0;
  for (int k = 0; k < a->nu; k++) d->tried = fmax(d->tried, scale * fabs(a->x[k]));
  a->iterations++;
  CDNI_TRY(attempt(a, state, scale, &d->rows, &now));
  const double fell = d->sum - now;
  /* parts of Nocedal and Wright 2006, algorithm 4.1; factors are measured: docs/constants.md */
  if (fell > 0.75 * promised) d->mu = fmax(d->mu / 10, 1e-10);
  if (fell < 0.25 * promised && promised > noise) d->mu = fmax(4 * d->mu, 1e-6);
  *better = fell > 0 || (fell >= -noise && promised <= noise && d->tried < 0.9 * d->change);
  if (!*better) return cdn_state_set_q(state, a->came);
  d->trust = fabs(fell - other) < fabs(fell - promised) ? !a->trusted : a->trusted;
  d->sum = now, d->change = d->tried;
  return CDN_OK;
}

/* One step that makes the goals fall, with as much damping as that takes. *better: there was one. */
static cdn_status descend(cdn_assembly *a, cdn_state *state, assembly_reduced *p, descent *d, bool *better) {
  *better = false;
  memcpy(a->came, cdn_state_q(state), (size_t)a->nq * sizeof *a->came);
  cdni_assembly_curvature_keep(a, p);
  while (d->mu <= 1e8) {
    double slope, bend;
    const bool model = solve(a, p, d->mu, &slope, &bend);
    if (model) CDNI_TRY(try_step(a, state, slope, bend, d, better));
    if (*better) return cdni_assembly_curvature_step(a, state, p, d->rows);
    if (a->trusted && d->mu > 1e-2) CDNI_TRY(forget(a, state, p, d));
    else if (model && d->tried <= a->def.accuracy) break;
    else d->mu = fmax(10 * d->mu, 1e-6);
  }
  return cdni_assembly_residuals(a, state, false, a->r, &d->rows, &d->sum);
}

cdn_status cdni_assembly_fit(cdn_assembly *a, cdn_state *state, bool *limit) {
  descent d = { .mu = 1e-10, .change = INFINITY };
  bool better = true, released = false;
  *limit = false;
  CDNI_TRY(cdni_assembly_residuals(a, state, false, a->r, &d.rows, &d.sum));
  if (d.rows == 0) return CDN_OK;
  cdni_assembly_curvature_begin(a);
  memset(a->held, 0, (size_t)a->nu);
  hold(a, state);
  for (int step = 0; d.sum > 0; step++) {
    assembly_reduced p;
    /* at the end, a bound that is in the way is released; not one whose release has failed before */
    const bool done = !better || d.change <= a->def.accuracy;
    if (done && (!a->bounded || (!better && released))) break;
    if (step == a->def.most_iterations) {
      *limit = true;
      break;
    }
    CDNI_TRY(reduce(a, state, false, d.rows, &p));
    CDNI_TRY(release(a, state, d.rows, &p, &released));
    if (done && !released) break;
    if (released) d.change = INFINITY, d.mu = fmin(d.mu, 1e-2);
    cdni_assembly_curvature_learn(a);
    a->trusted = d.trust;
    cdni_assembly_curvature_add(a, &p);
    if (p.d == 0 || p.largest == 0) break;
    CDNI_TRY(descend(a, state, &p, &d, &better));
    hold(a, state);
  }
  return CDN_OK;
}

/* ---- speeds --------------------------------------------------------------------------------- */

/* The goals are linear: a further step corrects what damping left, and speeds without a goal keep their values. */
cdn_status cdni_assembly_fit_speeds(cdn_assembly *a, cdn_state *state) {
  double sum;
  int rows;
  memset(a->held, 0, (size_t)a->nu);
  for (int step = 0; step < 4; step++) {
    assembly_reduced p;
    CDNI_TRY(cdni_assembly_residuals(a, state, true, a->r, &rows, &sum));
    if (rows == 0 || sum == 0) break;
    CDNI_TRY(reduce(a, state, true, rows, &p));
    double slope, bend;
    if (p.d == 0 || p.largest == 0 || !solve(a, &p, 1e-10, &slope, &bend)) break;
    a->iterations++;
    for (int k = 0; k < a->nu; k++) a->q[k] = cdn_state_u(state)[k] + a->x[k];
    CDNI_TRY(cdn_state_set_u(state, a->q));
  }
  return CDN_OK;
}
