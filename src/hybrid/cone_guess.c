/* A guess of all statuses makes the conditions linear; what it violates is changed. Usually the first guess or a few
 * more are right. A solution is that of its statuses, so it is as exact as the linear equations. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "hybrid/cone_set.h"
#include "math/dense.h"
#include "math/lu.h"

/* What the equations may leave, relative to their largest numbers. */
static const double LEFT = 1e-10;
/* What blocks are regularized by, relative to the largest number of W, and how far their solutions are refined. */
static const double REGULAR = 1e-8, REFINED = 1e-15;
enum { FEW_TURNS = 6, TURNS = 400, TURNS_LARGE = 20, REFINEMENTS = 40 };

/* ---- the linear equations of a guess ---- */

/* Pushes that follow from the guess without unknowns, and how the others follow from the unknowns. */
static void describe(cone_set *s) {
  for (int r = 0; r < s->rows; r++) s->p[r] = 0, s->part[r] = 0, s->unknown[r] = -1;
  for (int k = 0; k < s->n; k++) {
    const cone *a = &s->cones[k];
    int act[CONE_MOST_TANGENTS];
    const int n_act = cdni_cone_tangents(s, a, act);
    double least = 0;
    if (cone_pushes(a)) s->part[a->normal] = 1, s->unknown[a->normal] = 3 * k;
    else if (a->normal >= 0) s->p[a->normal] = least = a->floor;
    for (int t = 0; t < n_act; t++) {
      const int row = a->tangent + act[t];
      if (a->status == CONE_STICKS) s->part[row] = 1, s->unknown[row] = s->slot[row];
      if (a->status != CONE_SLIPS) continue;
      s->p[row] = -a->e[act[t]] * (a->base_dynamic + a->mu_dynamic * least);
      if (cone_pushes(a)) s->part[row] = -a->e[act[t]] * a->mu_dynamic, s->unknown[row] = 3 * k;
    }
  }
}

/* Whether row r is one of the equations: its push is an unknown. */
static bool is_equation(const cone_set *s, int r) { return s->unknown[r] == s->slot[r]; }

/* What the equations of the present p leave, by slot, and their scale. Returns the largest. */
static double leave(const cone_set *s, double *rest, double *scale) {
  double most = 0;
  memset(rest, 0, 3 * (size_t)s->n * sizeof *rest);
  *scale = 0;
  for (int r = 0; r < s->rows; r++) {
    if (!is_equation(s, r)) continue;
    double sum = s->b[r];
    *scale = fmax(*scale, fabs(s->b[r]));
    for (int k = s->first[r]; k < s->first[r + 1]; k++) {
      const double part = s->value[k] * s->p[s->column[k]];
      sum += part, *scale = fmax(*scale, fabs(part));
    }
    rest[s->slot[r]] = -sum, most = fmax(most, fabs(sum));
  }
  return most;
}

static void add(cone_set *s, const double *y) {
  for (int r = 0; r < s->rows; r++)
    if (s->unknown[r] >= 0) s->p[r] += s->part[r] * y[s->unknown[r]];
}

/* Least-norm solution of K x = r, n x n row-major; r becomes x. False: it has none, to the rounding of numbers as large
 * as `scale`. */
static bool solve_least(int n, cone_set *s, double scale, double *r) {
  const double *K = s->K;
  double most = 0;
  for (int i = 0; i < n * n; i++) most = fmax(most, fabs(K[i]));
  memcpy(s->A, K, (size_t)(n * n) * sizeof *K);
  memcpy(s->x, r, (size_t)n * sizeof *r);
  if (cdni_eliminate(n, most * 1e2, s->A, 1, r)) return s->unique = true;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) s->A[j * n + i] = K[i * n + j];
  if (!cdni_svd(n, n, s->A, s->s, s->U, s->VT, s->svd_work)) return false;
  for (int i = 0; i < n; i++) r[i] = 0;
  for (int k = 0; k < n && s->s[k] > 1e-11 * s->s[0]; k++) {
    const double part = cdni_dot(n, s->U + (size_t)k * (size_t)n, s->x) / s->s[k];
    for (int j = 0; j < n; j++) r[j] += part * s->VT[j * n + k];
  }
  for (int i = 0; i < n; i++)
    if (!(fabs(cdni_dot(n, K + (size_t)i * (size_t)n, r) - s->x[i]) <= LEFT * scale + DBL_MIN)) return false;
  return true;
}

static bool solve_dense(cone_set *s) {
  int n = 0;
  double scale;
  int *place = s->which + s->rows; /* by slot */
  for (int k = 0; k < 3 * s->n; k++) place[k] = -1;
  for (int r = 0; r < s->rows; r++)
    if (is_equation(s, r)) place[s->slot[r]] = n, s->which[n++] = r;
  if (n == 0) return s->unique = true;
  memset(s->K, 0, (size_t)(n * n) * sizeof *s->K);
  leave(s, s->d, &scale);
  for (int i = 0; i < n; i++) {
    const int r = s->which[i];
    s->r[i] = s->d[s->slot[r]];
    for (int k = s->first[r]; k < s->first[r + 1]; k++) {
      const int c = s->column[k];
      if (s->unknown[c] >= 0) s->K[i * n + place[s->unknown[c]]] += s->value[k] * s->part[c];
    }
  }
  if (!solve_least(n, s, scale, s->r)) return false;
  memset(s->y, 0, 3 * (size_t)s->n * sizeof *s->y);
  for (int i = 0; i < n; i++) s->y[s->slot[s->which[i]]] = s->r[i];
  add(s, s->y);
  return true;
}

/* By blocks, with something on the diagonal, as often as takes that away: what no equation determines stays. */
static bool solve_blocks(cone_set *s) {
  cone_factor *f = &s->factor;
  if (!cdni_cone_factor_prepare(s)) return false;
  cdni_cone_factor_clear(f);
  for (int k = 0; k < s->n; k++)
    for (int i = 0; i < 3; i++) cdni_cone_factor_block(f, k, k)[4 * i] = 1;
  for (int r = 0; r < s->rows; r++) {
    const int own = s->slot[r];
    if (!is_equation(s, r)) continue;
    double *block = NULL;
    int of = -1;
    cdni_cone_factor_block(f, own / 3, own / 3)[4 * (own % 3)] = REGULAR * s->most;
    for (int k = s->first[r]; k < s->first[r + 1]; k++) {
      const int c = s->column[k], to = s->unknown[c];
      if (to < 0) continue;
      if (to / 3 != of) of = to / 3, block = cdni_cone_factor_block(f, own / 3, of);
      block[3 * (own % 3) + to % 3] += s->value[k] * s->part[c];
    }
  }
  if (!cdni_cone_factor_decompose(f)) return false;
  double scale, before = INFINITY;
  for (int k = 0; k < REFINEMENTS; k++) {
    const double rest = leave(s, s->y, &scale);
    if (!(rest < 0.9 * before) || rest <= REFINED * scale) return rest <= LEFT * scale + DBL_MIN;
    before = rest;
    cdni_cone_factor_solve(f, s->y);
    add(s, s->y);
  }
  return leave(s, s->y, &scale) <= LEFT * scale + DBL_MIN;
}

bool cdni_cone_evaluate(cone_set *s) {
  describe(s);
  s->unique = false;
  memset(s->y, 0, 3 * (size_t)s->n * sizeof *s->y);
  for (int r = 0; r < s->rows; r++)
    if (is_equation(s, r)) s->y[s->slot[r]] = s->near[r];
  add(s, s->y);
  const bool solved = s->large ? solve_blocks(s) : solve_dense(s);
  cdni_cone_results(s);
  return solved;
}

/* ---- from guess to guess ---- */

static void change(cone *a, const cone_violation *v) {
  a->closed = v->closed, a->status = v->status;
  if (a->slips && a->status != CONE_OPEN) {
    a->status = CONE_SLIPS;
    return;
  }
  memcpy(a->e, v->e, sizeof a->e);
}

/* Moves the pushes into their cones, to be near to next time. */
static void keep_near(cone_set *s) {
  memcpy(s->near, s->p, (size_t)s->rows * sizeof *s->near);
  for (int i = 0; i < s->n; i++) {
    const cone *a = &s->cones[i];
    if (a->normal >= 0) s->near[a->normal] = fmax(a->floor, s->near[a->normal]);
    if (a->n == 0) continue;
    double *p = s->near + a->tangent;
    const double most = fmax(0, cone_bound(a, s->near, true)), size = cone_size(a, s->near);
    for (int t = 0; t < a->n && size > most; t++) p[t] *= most / size;
  }
}

bool cdni_cone_guess(cone_set *s, int most) {
  const int most_turns = s->large ? TURNS_LARGE : TURNS;
  int turns = 0;
  for (int k = 0; k < most && turns < most_turns; k++) {
    const bool solved = cdni_cone_evaluate(s);
    double worst = 0;
    int which = -1;
    bool only_turns = true;
    for (int i = 0; i < s->n; i++) {
      const cone_violation v = cdni_cone_look(s, &s->cones[i]);
      if (v.size > CONE_TOLERANCE) only_turns = only_turns && v.turns;
      if (v.size > worst) worst = v.size, which = i;
    }
    s->residual = worst;
    const double enough = only_turns ? 1e-14 : CONE_TOLERANCE; /* directions converge; statuses are right or wrong */
    if (solved && worst <= enough) return true;
    if (worst <= CONE_TOLERANCE && !solved) return false;
    if (only_turns) k--, turns++;
    if (turns == FEW_TURNS && cdni_cone_newton(s)) return true;
    if (turns > 60 && worst <= CONE_TOLERANCE) return true;
    keep_near(s);
    /* one at a time, if all together have not come to an end */
    for (int i = 0; i < s->n; i++) {
      const cone_violation v = cdni_cone_look(s, &s->cones[i]);
      if (v.size > enough && (k < 12 || i == which)) change(&s->cones[i], &v);
    }
  }
  return false;
}
