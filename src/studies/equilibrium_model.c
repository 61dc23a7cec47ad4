/* The model of linearized statics, and the best step by it.
 *
 * Steps are measured in coordinates that make the diagonal of the mass matrix 1: there stiffness has the unit of a
 * frequency squared for any coordinates, and a coordinate that no force depends on is not part of any other
 * direction. (Measured with the whole mass matrix it would recoil from the others.)
 *
 * For a stable equilibrium the model of the energy is g y + y D y / 2 in the basis that makes stiffness a diagonal
 * D. A step is y = -(D + nu)^-1 g with the nu >= 0 that makes D + nu positive and the step short enough (Nocedal and
 * Wright 2006, section 4.3). For CDN_EQUILIBRIUM_ANY the singular values of stiffness take the place of D, and the
 * step makes accelerations small: |r + H y|, with |r| = |udot|_M. */
#include <float.h>
#include <math.h>

#include "math/dense.h"
#include "matter/operators.h"
#include "studies/equilibrium.h"

static const double NEUTRAL = 1e-9;   /* of the largest stiffness */
static const double HARDLY = 1e-9;    /* of a step */
static const double NO_SLOPE = 1e-12; /* model units: nearer to the top of a ridge is on it */
static const double SAME = 1e-6;      /* relative: stiffnesses and displacements closer than this are equal */

size_t cdni_equilibrium_model_divide(search *x, int nu, double *at) {
  const size_t n = (size_t)nu, square = n * n;
  double **const squares[] = { &x->X, &x->L, &x->U, &x->VT };
  double **const rows[] = { &x->d, &x->g, &x->k, &x->y, &x->residual, &x->sigma };
  const size_t a = cdni_symmetric_eigen_work(nu), b = cdni_svd_work(nu, nu);
  const size_t size = cdni_statics_size(nu) + cdni_statics_friction_size(x->rest) + CDNI_COUNT(squares) * square +
                      (CDNI_COUNT(rows) + 1) * n + (a > b ? a : b);
  if (!at) return size;
  x->s = cdni_statics_at(nu, at);
  at += cdni_statics_size(nu);
  x->friction = cdni_statics_friction_at(x->rest, at);
  at += cdni_statics_friction_size(x->rest);
  for (int k = 0; k < CDNI_COUNT(squares); k++) *squares[k] = at, at += square;
  for (int k = 0; k < CDNI_COUNT(rows); k++) *rows[k] = at, at += n;
  x->idle = (bool *)at, x->balanced = x->idle + n;
  x->work = at + n;
  return size;
}

/* ---- directions ---- */

/* v = Z^T X y, but zero for idle mobilities, and for balanced mobilities that would hardly move: if modes are almost
 * equally stiff, these motions may be rounding, and a coordinate at rest at the edge of a stop must not be pushed
 * into it or off it by rounding. Returns the largest element, in model units. (Hardly: in model units, and in units
 * that make all masses 1.) */
static double displacement(search *x) {
  const int n = x->s.n, nu = x->s.nu;
  const double length = cdni_equilibrium_length(x);
  double most = 0;
  for (int k = 0; k < nu; k++) x->v[k] = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += x->X[j * n + i] * x->y[j];
    for (int k = 0; k < nu && sum != 0; k++) x->v[k] += sum * x->s.Z[i * nu + k];
  }
  for (int k = 0; k < nu; k++) most = fmax(most, x->idle[k] ? 0 : fabs(x->v[k]) / x->unit[k]);
  for (int k = 0; k < nu; k++) {
    const double size = fabs(x->v[k]) / x->unit[k];
    const bool hardly = size <= HARDLY * most && fabs(x->v[k]) * sqrt(x->s.mass[k]) <= HARDLY * length;
    if (x->idle[k] || (x->balanced[k] && (hardly || size <= CDNI_NOT_A_STEP))) x->v[k] = 0;
  }
  return most;
}

/* The symmetric part of H. */
static void symmetric(const cdni_statics *s, double *to) {
  const int n = s->n;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) to[j * n + i] = 0.5 * (s->H[j * n + i] + s->H[i * n + j]);
}

/* r = L^T g and the singular values of L^T H X, with L^T B L = 1. */
static cdn_status find_singular_values(search *x) {
  const int n = x->s.n;
  double *half = x->s.work, *reduced = half + n * n;
  symmetric(&x->s, x->L);
  if (cdni_symmetric_eigen(n, x->L, x->s.B, x->sigma, x->work) != 0)
    return cdni_state_fail(x->rest, CDN_ERR_SINGULAR, false, x->function, NULL,
                           "the mass matrix of the free directions is not positive definite");
  for (int j = 0; j < n; j++) {
    x->residual[j] = 0;
    for (int k = 0; k < n; k++) x->residual[j] += x->L[j * n + k] * x->s.gradient[k];
    for (int i = 0; i < n; i++) {
      half[j * n + i] = 0;
      for (int k = 0; k < n; k++) half[j * n + i] += x->s.H[k * n + i] * x->X[j * n + k];
    }
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      reduced[j * n + i] = 0;
      for (int k = 0; k < n; k++) reduced[j * n + i] += x->L[i * n + k] * half[j * n + k];
    }
  if (!cdni_svd(n, n, reduced, x->sigma, x->U, x->VT, x->work))
    return cdni_state_fail(x->rest, CDN_ERR_SINGULAR, false, x->function, NULL, "the singular values were not found");
  return CDN_OK;
}

/* Component of mode i in mobility k. */
static double moved_by(const search *x, int i, int k) {
  double sum = 0;
  for (int j = 0; j < x->s.n && !x->idle[k]; j++) sum += x->X[i * x->s.n + j] * x->s.Z[j * x->s.nu + k];
  return sum;
}

/* One past the last mode that is as stiff as mode `first`: together they are one space, in which any basis is as
 * good. */
static int end_of_space(const search *x, int first) {
  const double most = fmax(fabs(x->d[0]), fabs(x->d[x->s.n - 1]));
  int end = first + 1;
  while (end < x->s.n && x->d[end] - x->d[end - 1] <= SAME * most) end++;
  return end;
}

/* For the modes from first to end: the largest displacement for |y| = 1, each coordinate's in units of its own, and
 * (may be NULL) its y. Of displacements that are equal except for rounding, the first coordinate's is taken. */
static double reach_of(const search *x, int first, int end, const double *unit, double *y) {
  double reach = 0;
  for (int k = 0; k < x->s.nu; k++) {
    double by = 0;
    for (int i = first; i < end; i++) x->v[i] = moved_by(x, i, k), by += x->v[i] * x->v[i];
    by = sqrt(by) / unit[k];
    if (by <= reach * (1 + SAME)) continue;
    reach = by;
    for (int i = first; i < end && y; i++) y[i] = x->v[i] / (by * unit[k]);
  }
  return reach;
}

static double norm(const double *v, int first, int end) {
  double square = 0;
  for (int i = first; i < end; i++) square += v[i] * v[i];
  return sqrt(square);
}

/* Out of balance, curvature depends on the coordinates in which it is measured: the imbalance turns along a direction.
 * Over the largest step it may turn as a whole. So a direction is stable or unstable only where its curvature outdoes
 * the whole imbalance over that step; all others are neutral. Steps take a neutral direction as if it were as stiff as
 * its curvature may be, and leave it alone where its own acceleration is within the tolerance. */
static void judge_directions(search *x) {
  const int n = x->s.n;
  const double most = n ? fmax(fabs(x->d[0]), fabs(x->d[n - 1])) : 0;
  x->imbalance = norm(x->g, 0, n);
  x->report->stable = x->report->neutral = x->report->unstable = 0;
  for (int first = 0, end; first < n; first = end) {
    end = end_of_space(x, first);
    const double reach = reach_of(x, first, end, x->unit, NULL), slope = norm(x->g, first, end);
    const bool balanced = slope * reach_of(x, first, end, x->bound, NULL) * n <= 1;
    const double doubt = NEUTRAL * most + x->faint + x->imbalance * reach / x->def->largest_step;
    for (int i = first; i < end; i++) {
      x->k[i] = x->d[i];
      if (x->d[i] > doubt) x->report->stable++;
      else if (x->d[i] < -doubt) x->report->unstable++;
      else {
        x->report->neutral++;
        x->k[i] = balanced ? INFINITY : doubt;
      }
    }
  }
}

cdn_status cdni_equilibrium_model_fill(search *x) {
  /* what sticks stays */
  x->sticks = x->hybrid && cdni_hybrid_sticks(x->hybrid, x->rest);
  const cdn_motion_level level = x->sticks ? CDN_LEVEL_VELOCITY : CDN_LEVEL_POSITION;
  CDNI_TRY(cdni_statics_fill(x->rest, x->function, level, &x->s, &x->friction));
  const int n = x->s.n, nu = x->s.nu;
  double *B = x->L;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      B[j * n + i] = 0;
      for (int k = 0; k < nu; k++) B[j * n + i] += x->s.Z[i * nu + k] * x->s.mass[k] * x->s.Z[j * nu + k];
    }
  symmetric(&x->s, x->X);
  if (cdni_symmetric_eigen(n, x->X, B, x->d, x->work) != 0)
    return cdni_state_fail(x->rest, CDN_ERR_SINGULAR, false, x->function, NULL,
                           "the diagonal of the mass matrix is not positive");
  cdni_equilibrium_set_units(x);
  CDNI_TRY(cdn_residual(x->rest, NULL, x->force));
  cdni_equilibrium_set_bounds(x);
  cdni_statics_idle(&x->s, x->bound, x->balanced, x->idle);
  for (int i = 0; i < n; i++) {
    x->g[i] = 0;
    for (int k = 0; k < n; k++) x->g[i] += x->X[i * n + k] * x->s.gradient[k];
  }
  judge_directions(x);
  return x->goal == CDN_EQUILIBRIUM_ANY || x->sticks ? find_singular_values(x) : CDN_OK;
}

/* ---- one step ---- */

double cdni_equilibrium_length(const search *x) { return norm(x->y, 0, x->s.n); }

/* y for a given nu, and its length. */
static double trial(search *x, double nu) {
  const int n = x->s.n;
  double *y = x->y;
  if (x->goal == CDN_EQUILIBRIUM_STABLE) {
    for (int i = 0; i < n; i++) y[i] = -x->g[i] / (x->k[i] + nu);
    return cdni_equilibrium_length(x);
  }
  for (int j = 0; j < n; j++) y[j] = 0;
  for (int i = 0; i < n; i++) {
    double along = 0;
    for (int k = 0; k < n; k++) along += x->U[i * n + k] * x->residual[k];
    const double share = along * x->sigma[i] / (x->sigma[i] * x->sigma[i] + nu);
    for (int j = 0; j < n; j++) y[j] -= share * x->VT[j * n + i];
  }
  return cdni_equilibrium_length(x);
}

/* Nothing pushes it off the ridge but its own softest directions: so far along them as the radius allows, downhill.
 * Where their slope is rounding, the coordinate that moves most grows. */
static void leave_ridge(search *x, double radius) {
  int first = 0;
  while (!(x->k[first] < 0)) first++;
  int end = end_of_space(x, first);
  while (!(x->k[end - 1] < 0)) end--;
  const double square = pow(norm(x->y, 0, first), 2) + pow(norm(x->y, end, x->s.n), 2);
  const double length = sqrt(fmax(0, radius * radius - square)), slope = norm(x->g, first, end);
  const double reach = reach_of(x, first, end, x->unit, x->y);
  const bool sloping = slope * reach > NO_SLOPE * fabs(x->d[first]);
  for (int i = first; i < end; i++) x->y[i] = length * (sloping ? -x->g[i] / slope : x->y[i]);
}

double cdni_equilibrium_step(search *x, double radius) {
  const bool stable = x->goal == CDN_EQUILIBRIUM_STABLE;
  double stiffest = 0, softest = INFINITY;
  for (int i = 0; i < x->s.n; i++) {
    const double k = stable ? x->k[i] : x->sigma[i] * x->sigma[i];
    if (isfinite(k)) stiffest = fmax(stiffest, fabs(k)), softest = fmin(softest, k);
  }
  /* a direction without stiffness gets a little */
  const double least = (stable ? NEUTRAL : DBL_EPSILON) * stiffest + DBL_MIN;
  double low = fmax(0, least - softest);
  double high =
      low + norm(stable ? x->g : x->residual, 0, x->s.n) / radius * (stable ? 1 : fmax(sqrt(stiffest), 1)) + least;
  if (trial(x, low) > radius) { /* nu by bisection, as the length falls with nu; how finely: docs/constants.md */
    while (trial(x, high) > radius) high *= 2;
    for (int k = 0; k < 60 && high - low > 1e-3 * high; k++) {
      const double middle = 0.5 * (low + high);
      if (trial(x, middle) > radius) low = middle;
      else high = middle;
    }
    trial(x, high);
  } else if (stable && x->report->unstable > 0) leave_ridge(x, radius);
  return displacement(x);
}

double cdni_equilibrium_newton(search *x) {
  const cdn_equilibrium_goal goal = x->goal;
  x->goal = CDN_EQUILIBRIUM_ANY;
  const double most = cdni_equilibrium_step(x, INFINITY);
  x->goal = goal;
  return most;
}

double cdni_equilibrium_fall(search *x, double radius) {
  const int n = x->s.n, nu = x->s.nu;
  double slope = 0, bend = 0;
  for (int i = 0; i < n; i++) {
    x->y[i] = 0;
    for (int k = 0; k < nu; k++) x->y[i] += moved_by(x, i, k) * x->s.mass[k] * x->fall[k];
    slope -= x->y[i] * x->g[i], bend += x->d[i] * x->y[i] * x->y[i];
  }
  const double length = cdni_equilibrium_length(x), most = length > 0 ? radius / length : 0;
  const double part = bend > 0 && slope > 0 ? fmin(slope / bend, most) : most;
  for (int i = 0; i < n; i++) x->y[i] *= part;
  return displacement(x);
}

double cdni_equilibrium_promise(const search *x) {
  const int n = x->s.n;
  double sum = 0, before = 0;
  if (x->goal == CDN_EQUILIBRIUM_STABLE) {
    for (int i = 0; i < n; i++) sum -= x->y[i] * (x->g[i] + 0.5 * x->d[i] * x->y[i]);
    return sum;
  }
  for (int i = 0; i < n; i++) {
    double along = 0, by = 0;
    for (int k = 0; k < n; k++) along += x->U[i * n + k] * x->residual[k], by += x->VT[k * n + i] * x->y[k];
    before += along * along;
    sum += (along + x->sigma[i] * by) * (along + x->sigma[i] * by);
  }
  return sqrt(before) - sqrt(sum);
}
