/* Inverse dynamics with one-sided elements and dry friction. Of multipliers y in a convex set K (pushes are not
 * negative, friction is within its bound) it finds those that minimize first the imbalance |B0 y + r0| of mobilities
 * without an actuator, then the forces |B1 y + r1|, then |y|.
 *
 * With a multiplier n for each mobility, y = P(B^T n) is the projection on K, and n is where the gradient of a convex
 * function vanishes: B P(B^T n) + r + e (n - n0) = 0. Newton's method finds it. The method of multipliers moves n0 to
 * n, again and again: so y tends to what is asked, whether a balance exists or not. Small e of mobilities without an
 * actuator rank them first. That tells where y is in K. Least squares on that face of K give it exactly. */
#include <math.h>

#include "dynamics/inverse_dynamics.h"
#include "math/lu.h"
#include "matter/operators.h"

static const char function[] = "cdn_constrained_inverse_dynamics";

static const double FIRST = 1e-10, SECOND = 1e-4;  /* e, of the largest |B|^2 */
static const double SETTLED = 1e-11, CLOSE = 1e-9; /* of the largest number */
enum { MOST_MOVES = 60, MOST_STEPS = 60, MOST_BOUNDS = 40 };

typedef struct admission {
  inverse_problem *p;
  const hybrid_room *room;
  int n; /* limits */
  multiplier_cone *limits;
  limit_place *places;
  double *bases;                              /* by cone */
  double *B;                                  /* of p, but pushes count positive; nu x m, by columns */
  double *n0, *now, *from, *step, *g, *e, *r; /* by mobility */
  double *z, *y, *before, *offset, *lambda;   /* by multiplier */
  double *H, *D;                              /* nu x nu; m numbers for each mobility */
} admission;

static size_t divide(admission *x, char *base) {
  const size_t nu = (size_t)x->p->nu, m = (size_t)x->p->m, n = (size_t)x->n, d = sizeof(double);
  size_t at = 0;
  x->limits = cdni_part(base, &at, n, sizeof *x->limits), x->places = cdni_part(base, &at, n, sizeof *x->places);
  x->bases = cdni_part(base, &at, n, d);
  double **const by_multiplier[] = { &x->lambda, &x->z, &x->y, &x->before, &x->offset };
  for (int k = 0; k < CDNI_COUNT(by_multiplier); k++) *by_multiplier[k] = cdni_part(base, &at, m, d);
  double **const by_mobility[] = { &x->n0, &x->now, &x->step, &x->g, &x->from, &x->e, &x->r };
  for (int k = 0; k < CDNI_COUNT(by_mobility); k++) *by_mobility[k] = cdni_part(base, &at, nu, d);
  x->B = cdni_part(base, &at, nu * m, d), x->D = cdni_part(base, &at, nu * m, d);
  x->H = cdni_part(base, &at, nu * nu, d);
  return at;
}

/* ---- one cone ---- */

static limit_numbers look(const admission *x, const multiplier_cone *c, const double *z) {
  const double *scale = x->p->scale, of_t = c->n > 0 ? scale[c->tangent] : 1;
  limit_numbers l = { .push = c->normal >= 0 ? z[c->normal] : 0, .base = c->base / of_t };
  l.slope = c->normal >= 0 ? c->mu * scale[c->normal] / of_t : 0;
  for (int k = 0; k < c->n; k++) l.t[k] = z[c->tangent + k];
  l.size = hypot(hypot(l.t[0], l.t[1]), l.t[2]);
  return l;
}

/* ---- all of them ---- */

/* y = P(z) */
static void project_all(admission *x, const double *z, double *y) {
  memcpy(y, z, (size_t)x->p->m * sizeof *y);
  for (int i = 0; i < x->n; i++) {
    const multiplier_cone *c = &x->limits[i];
    limit_numbers l = look(x, c, z);
    x->places[i] = cdni_limit_project(&l);
    if (c->normal >= 0) y[c->normal] = l.push;
    for (int k = 0; k < c->n; k++) y[c->tangent + k] = l.t[k];
  }
}

/* D = P' B^T by column of mobility: what a change of z does to y, where z = B^T n. */
static void differentiate(admission *x) {
  const inverse_problem *p = x->p;
  for (int u = 0; u < p->nu; u++) {
    double *to = x->D + (size_t)u * (size_t)p->m;
    for (int e = 0; e < p->m; e++) to[e] = x->B[e * p->nu + u];
    for (int i = 0; i < x->n; i++) {
      const multiplier_cone *c = &x->limits[i];
      if (x->places[i] == LIMIT_INSIDE) continue;
      const limit_numbers l = look(x, c, x->z);
      double push = c->normal >= 0 ? to[c->normal] : 0, t[3] = { 0, 0, 0 };
      for (int k = 0; k < c->n; k++) t[k] = to[c->tangent + k];
      cdni_limit_change(&l, x->places[i], &push, t);
      if (c->normal >= 0) to[c->normal] = push;
      for (int k = 0; k < c->n; k++) to[c->tangent + k] = t[k];
    }
  }
}

/* The function whose gradient is to vanish, at n; the gradient in g, y = P(z), z = B^T n. e is zero for mobilities that
 * nobody has to balance. */
static double evaluate(admission *x, const double *n) {
  const inverse_problem *p = x->p;
  const double *e = x->e;
  double sum = 0;
  for (int k = 0; k < p->m; k++) {
    x->z[k] = 0;
    for (int u = 0; u < p->nu; u++) x->z[k] += x->B[k * p->nu + u] * n[u];
  }
  project_all(x, x->z, x->y);
  for (int k = 0; k < p->m; k++) sum += x->y[k] * (x->z[k] - 0.5 * x->y[k]);
  for (int u = 0; u < p->nu; u++) {
    const double moved = n[u] - x->n0[u];
    x->g[u] = 0;
    if (e[u] == 0) continue;
    x->g[u] = p->r[u] + e[u] * moved;
    for (int k = 0; k < p->m; k++) x->g[u] += x->B[k * p->nu + u] * x->y[k];
    sum += p->r[u] * n[u] + 0.5 * e[u] * moved * moved;
  }
  return sum;
}

/* Newton's method for n from where it is. */
static void minimize(admission *x) {
  const inverse_problem *p = x->p;
  const double *e = x->e;
  const size_t nu = (size_t)p->nu;
  for (int round = 0; round < MOST_STEPS; round++) {
    const double here = evaluate(x, x->now);
    double most = 0, size = 0, slope = 0, by = 1;
    for (size_t u = 0; u < nu; u++) most = fmax(most, fabs(x->g[u])), size = fmax(size, fabs(p->r[u]));
    if (!(most > 1e-15 * size)) return;
    differentiate(x);
    for (size_t u = 0; u < nu; u++) {
      x->step[u] = -x->g[u];
      for (size_t v = 0; v < nu; v++) {
        double sum = u == v ? (e[u] > 0 ? e[u] : 1) : 0;
        for (int k = 0; k < p->m && e[u] > 0 && e[v] > 0; k++)
          sum += x->B[k * p->nu + (int)u] * x->D[v * (size_t)p->m + (size_t)k];
        x->H[u * nu + v] = sum;
      }
    }
    if (!cdni_eliminate(p->nu, 1e-300, x->H, 1, x->step)) return;
    for (size_t u = 0; u < nu; u++) slope += x->step[u] * x->g[u];
    if (!(slope < 0)) return;
    memcpy(x->from, x->now, nu * sizeof *x->now);
    for (int halved = 0; halved < 50; halved++, by *= 0.5) {
      for (size_t u = 0; u < nu; u++) x->now[u] = x->from[u] + by * x->step[u];
      if (evaluate(x, x->now) <= here + 1e-4 * by * slope) break;
    }
  }
}

static double largest(int n, const double *v) {
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(v[k]));
  return most;
}

/* Moves n0 until y rests. */
static void find(admission *x) {
  const inverse_problem *p = x->p;
  double size = 0;
  for (int k = 0; k < p->nu * p->m; k++) size = fmax(size, x->B[k] * x->B[k]);
  for (int kind = 0; kind < 2; kind++)
    for (int i = 0; i < p->rows[kind]; i++) x->e[p->row[kind][i]] = (kind == 0 ? FIRST : SECOND) * size;
  memset(x->n0, 0, (size_t)p->nu * sizeof *x->n0), memset(x->now, 0, (size_t)p->nu * sizeof *x->now);
  memset(x->y, 0, (size_t)p->m * sizeof *x->y);
  for (int move = 0; move < MOST_MOVES; move++) {
    double change = 0, most = 0;
    memcpy(x->before, x->y, (size_t)p->m * sizeof *x->y);
    minimize(x);
    evaluate(x, x->now);
    for (int k = 0; k < p->m; k++)
      change = fmax(change, fabs(x->y[k] - x->before[k])), most = fmax(most, fabs(x->y[k]));
    memcpy(x->n0, x->now, (size_t)p->nu * sizeof *x->now);
    if (change <= SETTLED * most) return;
  }
}

/* The face of K on which y is: y = offset + T x, with columns T of unit length, which the columns of p->B have as long
 * as the least squares on the face are solved: B T in D. Returns their number; T is in `basis` (m x n, by columns). */
static int find_face(admission *x, double *basis) {
  const inverse_problem *p = x->p;
  const size_t m = (size_t)p->m;
  int n = 0;
  memset(x->offset, 0, m * sizeof *x->offset);
  memset(basis, 0, m * m * sizeof *basis);
  memset(x->before, 0, m * sizeof *x->before); /* multipliers of limits that are not inside */
  for (int i = 0; i < x->n; i++) {
    const multiplier_cone *c = &x->limits[i];
    if (x->places[i] == LIMIT_INSIDE) continue;
    const limit_numbers l = look(x, c, x->y);
    const double length = sqrt(1 + l.slope * l.slope);
    if (c->normal >= 0) x->before[c->normal] = 1;
    for (int k = 0; k < c->n; k++) x->before[c->tangent + k] = x->places[i] == LIMIT_NO_PUSH ? 0 : 1;
    if (x->places[i] == LIMIT_NO_PUSH || l.size == 0) continue;
    for (int k = 0; k < c->n; k++) x->offset[c->tangent + k] = l.base * l.t[k] / l.size;
    if (x->places[i] == LIMIT_RIM || c->normal < 0) continue;
    double *to = basis + (size_t)n++ * m;
    to[c->normal] = 1 / length;
    for (int k = 0; k < c->n; k++) to[c->tangent + k] = l.slope * l.t[k] / l.size / length;
  }
  for (size_t k = 0; k < m; k++)
    if (x->before[k] == 0) basis[(size_t)n++ * m + k] = 1;
  return n;
}

/* Exactly, on the face of K where y is; kept if it is admissible. */
static cdn_status polish(admission *x, double *basis) {
  inverse_problem *p = x->p;
  const int n = find_face(x, basis), m = p->m;
  double apart = 0;
  for (int u = 0; u < p->nu; u++) {
    x->r[u] = cdni_inverse_balance(p, m, x->B, p->r, x->offset, u);
    for (int j = 0; j < n; j++) {
      x->D[j * p->nu + u] = 0;
      for (int k = 0; k < m; k++) x->D[j * p->nu + u] += x->B[k * p->nu + u] * basis[j * m + k];
    }
  }
  CDNI_TRY(cdni_inverse_solve(p, n, x->D, x->r, x->lambda));
  for (int k = 0; k < m; k++) {
    x->z[k] = x->offset[k];
    for (int j = 0; j < n; j++) x->z[k] += basis[j * m + k] * x->lambda[j];
  }
  project_all(x, x->z, x->before);
  for (int k = 0; k < m; k++) apart = fmax(apart, fabs(x->z[k] - x->before[k]));
  if (apart <= CLOSE * largest(m, x->z)) memcpy(x->y, x->before, (size_t)m * sizeof *x->y);
  return CDN_OK;
}

/* ---- the whole ---- */

static void turn(const admission *x, double *y) {
  for (int i = 0; i < x->n; i++)
    if (x->limits[i].normal >= 0) y[x->limits[i].normal] *= -x->limits[i].sign;
}

/* With the multipliers x->lambda. */
static void find_limits(admission *x) {
  cdni_hybrid_fill_kept(x->room, x->p->state, x->lambda);
  const double *joints = cdni_hybrid_balance_joints(x->p->follows, x->lambda);
  cdni_hybrid_limits(x->room, x->p->state, x->lambda, joints, x->limits);
}

/* Bounds with the present y. Returns whether they have changed. */
static bool set_bounds(admission *x) {
  double change = 0, most = 0;
  for (int k = 0; k < x->p->m; k++) x->lambda[k] = x->y[k];
  turn(x, x->lambda);
  for (int k = 0; k < x->p->m; k++) x->lambda[k] *= x->p->scale[k];
  for (int i = 0; i < x->n; i++) x->bases[i] = x->limits[i].base;
  find_limits(x);
  for (int i = 0; i < x->n; i++) {
    change = fmax(change, fabs(x->limits[i].base - x->bases[i]));
    most = fmax(most, x->limits[i].base);
  }
  return change > SETTLED * most;
}

/* The cone that y breaks most, and by how much. */
static double worst(admission *x, const double *y, int *which) {
  double most = 0;
  *which = -1;
  project_all(x, y, x->before);
  for (int i = 0; i < x->n; i++) {
    const multiplier_cone *c = &x->limits[i];
    double by = c->normal >= 0 ? fabs(y[c->normal] - x->before[c->normal]) : 0;
    for (int k = c->tangent; k < c->tangent + c->n; k++) by = fmax(by, fabs(y[k] - x->before[k]));
    if (by > most) most = by, *which = i;
  }
  return most;
}

static double imbalance(const admission *x, const double *y) {
  const inverse_problem *p = x->p;
  double most = 0;
  for (int i = 0; i < p->rows[0]; i++)
    most = fmax(most, fabs(cdni_inverse_balance(p, p->m, x->B, p->r, y, p->row[0][i])));
  return most;
}

static cdn_status admit(admission *x, double *basis) {
  inverse_problem *p = x->p;
  const size_t m = (size_t)p->m, nu = (size_t)p->nu;
  int which;
  memset(x->lambda, 0, m * sizeof *x->lambda);
  find_limits(x);
  memcpy(x->y, p->y, m * sizeof *x->y);
  turn(x, x->y);
  memcpy(x->B, p->B, m * nu * sizeof *x->B);
  for (int i = 0; i < x->n; i++)
    for (size_t u = 0; u < nu && x->limits[i].normal >= 0; u++)
      x->B[(size_t)x->limits[i].normal * nu + u] *= -x->limits[i].sign;
  set_bounds(x);
  const double before = imbalance(x, x->y), broken = worst(x, x->y, &which);
  if (broken <= SETTLED * largest(p->m, x->y)) return CDN_OK;
  for (int round = 0; round < MOST_BOUNDS; round++) {
    find(x);
    CDNI_TRY(polish(x, basis));
    if (!set_bounds(x)) break;
  }
  const double after = imbalance(x, x->y);
  memcpy(p->y, x->y, m * sizeof *x->y);
  turn(x, p->y);
  if (after <= before + CLOSE * largest(p->nu, p->r)) return CDN_OK;
  const multiplier_cone *c = &x->limits[which];
  return cdni_state_fail(p->state, CDN_ERR_CONSTRAINT, false, function, c->name,
                         "no admissible multipliers balance these accelerations: '%s' would have to pull, or friction "
                         "would have to exceed its bound there; an imbalance of %g remains",
                         c->name, after);
}

cdn_status cdni_inverse_admit(inverse_problem *p, const hybrid_room *room) {
  admission x = { .p = p, .room = room, .n = cdni_hybrid_limits(room, p->state, NULL, NULL, NULL) };
  const size_t basis = (size_t)p->m * (size_t)p->m * sizeof(double);
  void *frame;
  if (x.n == 0) return CDN_OK;
  CDNI_TRY(cdni_operator_work(p->state, function, divide(&x, NULL) + basis, &frame));
  memset(frame, 0, divide(&x, NULL) + basis);
  divide(&x, (char *)frame + basis);
  const cdn_status status = admit(&x, frame);
  cdn_work_pop(p->state, frame);
  return status;
}
