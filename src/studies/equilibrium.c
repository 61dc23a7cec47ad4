/* Static equilibrium by Newton's method in a trust region, in coordinates in which the mass matrix is 1: there stiffness has
 * the unit of a frequency squared, whatever the coordinates are.
 *
 * For a stable one the model of the energy is g y + y D y / 2 in the basis that makes stiffness a diagonal D, and a step is
 * y = -(D + nu)^-1 g with the nu >= 0 that makes D + nu positive and the step short enough (Nocedal and Wright 2006,
 * section 4.3). For any one the same is done with the singular values of stiffness, to make |g + H y| small. */
#include <cardan/equilibrium.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "math/dense.h"
#include "matter/operators.h"
#include "studies/statics.h"

static const char function[] = "cdn_find_equilibrium";

static const double NEUTRAL = 1e-9;      /* of the largest stiffness */
static const double NEARLY_THERE = 1e-9; /* rad, m: where rounding may hide what is left to gain */
static const double NOT_A_STEP = 1e-13;  /* rad, m */
static const double NO_SLOPE = 1e-12;    /* rad, m: nearer to the top of a ridge is on it */
static const double SAME = 1e-6;         /* relative: such stiffnesses and displacements are equal */
static const double CONSTRAINTS = 1e-10; /* units */

cdn_equilibrium_def cdn_default_equilibrium_def(void) {
  return (cdn_equilibrium_def){
    .struct_size = sizeof(cdn_equilibrium_def), .tolerance = 1e-8, .largest_step = 0.5, .most_iterations = 500
  };
}

typedef struct search {
  cdn_state *rest;
  const cdn_equilibrium_def *def;
  cdn_equilibrium *report;
  cdni_statics s;
  double radius, imbalance; /* |g| */
  int softest;              /* of the unstable directions; -1: there is none */
  /* In the basis of modes: columns of X are Z's numbers. */
  double *X, *d, *g, *y;  /* n x n, n, n, n */
  double *reach, *k;      /* n, n: largest displacement for y = 1, stiffness that steps take */
  double *U, *VT, *sigma; /* n x n, n x n, n: for any equilibrium */
  double *v, *force, *along, *q, *q0, *middle, *rate; /* nu three times; nq */
  double *work;
} search;

static cdn_projection_def tight(void) {
  cdn_projection_def def = cdn_default_projection_def();
  def.tolerance = CONSTRAINTS;
  return def;
}

/* ---- where the State is ---- */

static cdn_status look(search *x) {
  const cdn_system *system = cdn_state_system(x->rest);
  const double *udot = cdn_state_udot(x->rest);
  if (!udot) return cdn_realize(x->rest, CDN_STAGE_ACCELERATION);
  int worst = -1;
  x->report->unbalanced = 0;
  for (int k = 0; k < x->s.nu; k++)
    if (!(fabs(udot[k]) <= x->report->unbalanced)) x->report->unbalanced = fabs(udot[k]), worst = k;
  x->report->worst[0] = 0;
  if (worst >= 0) cdn_system_slot_name(system, CDN_POOL_U, worst, x->report->worst, sizeof x->report->worst);
  return CDN_OK;
}

/* Modes of the symmetric part of stiffness; then g and, for any equilibrium, singular values of all of it. */
static cdn_status find_modes(search *x) {
  CDNI_TRY(cdni_statics_fill(x->rest, function, &x->s));
  const int n = x->s.n;
  double *full = x->s.work; /* H as it is */
  memcpy(full, x->s.H, (size_t)n * (size_t)n * sizeof *full);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) x->X[j * n + i] = 0.5 * (full[j * n + i] + full[i * n + j]);
  const int info = cdni_symmetric_eigen(n, x->X, x->s.B, x->d, x->work);
  if (info != 0)
    return cdni_state_fail(x->rest, CDN_ERR_SINGULAR, false, function, NULL,
                           "the mass matrix of what the constraints leave free is not positive definite");
  for (int i = 0; i < n; i++) {
    x->g[i] = 0;
    for (int k = 0; k < n; k++) x->g[i] += x->X[i * n + k] * x->s.gradient[k];
  }
  if (x->def->goal == CDN_EQUILIBRIUM_STABLE) return CDN_OK;
  double *half = full + n * n, *H = x->s.B; /* X^T full X, column by column; B has served */
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      half[i] = 0;
      for (int k = 0; k < n; k++) half[i] += full[k * n + i] * x->X[j * n + k];
    }
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += x->X[i * n + k] * half[k];
      H[j * n + i] = sum;
    }
  }
  if (!cdni_svd(n, n, H, x->sigma, x->U, x->VT, x->work))
    return cdni_state_fail(x->rest, CDN_ERR_SINGULAR, false, function, NULL, "the singular values were not found");
  return CDN_OK;
}

/* v = Z^T X y; returns its largest number. */
static double displacement(search *x) {
  const int n = x->s.n, nu = x->s.nu;
  double most = 0;
  for (int k = 0; k < nu; k++) x->v[k] = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += x->X[j * n + i] * x->y[j];
    for (int k = 0; k < nu; k++) x->v[k] += sum * x->s.Z[i * nu + k];
  }
  for (int k = 0; k < nu; k++) most = fmax(most, fabs(x->v[k]));
  return most;
}

/* Out of balance, curvature depends on the coordinates in which it is measured: the imbalance turns along a direction. Over the
 * largest step it may turn as a whole. So a direction is stable or unstable only where its curvature outdoes the whole imbalance
 * over that step; all others are neutral. Steps take a neutral direction as if it were as stiff as its curvature may be, and
 * leave it alone where its own acceleration is within the tolerance. */
static void judge_directions(search *x) {
  const int n = x->s.n;
  double most = 0, square = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x->d[i])), square += x->g[i] * x->g[i];
    for (int j = 0; j < n; j++) x->y[j] = i == j;
    x->reach[i] = displacement(x);
  }
  x->imbalance = sqrt(square);
  x->report->stable = x->report->neutral = x->report->unstable = 0;
  x->softest = -1;
  for (int i = 0; i < n; i++) {
    const double doubt = NEUTRAL * most + x->imbalance * x->reach[i] / x->def->largest_step;
    x->k[i] = x->d[i];
    if (x->d[i] > doubt) x->report->stable++;
    else if (x->d[i] < -doubt) {
      if (x->softest < 0) x->softest = i; /* they come in ascending order */
      x->report->unstable++;
    } else {
      x->report->neutral++;
      x->k[i] = fabs(x->g[i]) * x->reach[i] * n <= x->def->tolerance ? INFINITY : doubt;
    }
  }
}

/* ---- one step ---- */

/* y for a given nu, and its length. */
static double trial(const search *x, double nu, double *y) {
  const int n = x->s.n;
  double square = 0;
  if (x->def->goal == CDN_EQUILIBRIUM_STABLE) {
    for (int i = 0; i < n; i++) y[i] = -x->g[i] / (x->k[i] + nu);
  } else {
    for (int j = 0; j < n; j++) y[j] = 0;
    for (int i = 0; i < n; i++) {
      double along = 0;
      for (int k = 0; k < n; k++) along += x->U[i * n + k] * x->g[k];
      const double share = along * x->sigma[i] / (x->sigma[i] * x->sigma[i] + nu);
      for (int j = 0; j < n; j++) y[j] -= share * x->VT[j * n + i];
    }
  }
  for (int i = 0; i < n; i++) square += y[i] * y[i];
  return sqrt(square);
}

/* What mode i moves of mobility k. */
static double moved_by(const search *x, int i, int k) {
  double sum = 0;
  for (int j = 0; j < x->s.n; j++) sum += x->X[i * x->s.n + j] * x->s.Z[j * x->s.nu + k];
  return sum;
}

/* Nothing pushes it off the ridge but its own softest direction: so far along it as the radius allows, downhill. The directions
 * that are as soft are one space, in which any basis is as good. Where the slope in it is rounding, the coordinate that moves
 * most in it grows. */
static void leave_ridge(search *x, double radius) {
  const int n = x->s.n, nu = x->s.nu, first = x->softest;
  int last = first;
  double square = 0, slope = 0, reach = 0, most = 0;
  while (last < n && x->d[last] <= x->d[first] * (1 - SAME)) last++;
  for (int i = 0; i < n; i++) {
    if (i < first || i >= last) square += x->y[i] * x->y[i];
    else slope += x->g[i] * x->g[i], reach = fmax(reach, x->reach[i]);
  }
  const double length = sqrt(fmax(0, radius * radius - square));
  slope = sqrt(slope);
  if (slope * reach > NO_SLOPE * fabs(x->d[first])) {
    for (int i = first; i < last; i++) x->y[i] = -x->g[i] / slope * length;
    return;
  }
  for (int k = 0; k < nu; k++) {
    double by = 0;
    for (int i = first; i < last; i++) x->v[i] = moved_by(x, i, k), by += x->v[i] * x->v[i];
    by = sqrt(by);
    if (by <= most * (1 + SAME)) continue;
    most = by;
    for (int i = first; i < last; i++) x->y[i] = x->v[i] / by * length;
  }
}

/* The step of at most the radius: nu by bisection, as its length falls with nu. */
static void step_within(search *x, double radius) {
  const int n = x->s.n;
  const bool stable = x->def->goal == CDN_EQUILIBRIUM_STABLE;
  double stiffest = 0, softest = INFINITY;
  for (int i = 0; i < n; i++) {
    const double k = stable ? x->k[i] : x->sigma[i] * x->sigma[i];
    if (isfinite(k)) stiffest = fmax(stiffest, fabs(k)), softest = fmin(softest, k);
  }
  /* what has no stiffness is given a little */
  const double least = stable ? NEUTRAL * stiffest + DBL_MIN : DBL_EPSILON * stiffest + DBL_MIN;
  double low = fmax(0, least - softest);
  double high = low + x->imbalance / radius * (stable ? 1 : fmax(sqrt(stiffest), 1)) + least;
  if (trial(x, low, x->y) > radius) {
    while (trial(x, high, x->y) > radius) high *= 2;
    for (int k = 0; k < 60 && high - low > 1e-3 * high; k++) {
      const double middle = 0.5 * (low + high);
      if (trial(x, middle, x->y) > radius) low = middle;
      else high = middle;
    }
    trial(x, high, x->y);
  } else if (stable && x->softest >= 0) leave_ridge(x, radius);
}

/* What the model promises: the work, or the decrease of |g|. */
static double promised(const search *x) {
  const int n = x->s.n;
  double sum = 0;
  if (x->def->goal == CDN_EQUILIBRIUM_STABLE) {
    for (int i = 0; i < n; i++) sum -= x->y[i] * (x->g[i] + 0.5 * x->d[i] * x->y[i]);
    return sum;
  }
  double before = 0;
  for (int i = 0; i < n; i++) {
    double along = 0, by = 0;
    for (int k = 0; k < n; k++) along += x->U[i * n + k] * x->g[k], by += x->VT[k * n + i] * x->y[k];
    before += along * along;
    sum += (along + x->sigma[i] * by) * (along + x->sigma[i] * by);
  }
  return sqrt(before) - sqrt(sum);
}

/* |udot|_M here. */
static cdn_status imbalance(search *x, double *size) {
  const double *udot = cdn_state_udot(x->rest);
  if (!udot) return cdn_realize(x->rest, CDN_STAGE_ACCELERATION);
  CDNI_TRY(cdn_multiply_by_M(x->rest, udot, x->force));
  *size = 0;
  for (int k = 0; k < x->s.nu; k++) *size += udot[k] * x->force[k];
  *size = sqrt(fmax(0, *size));
  return CDN_OK;
}

/* Power of all forces where the State is, for q changing at this rate. */
static cdn_status power(search *x, const double *qdot, double *out) {
  CDNI_TRY(cdni_state_multiply_by_N_inv(x->rest, qdot, x->along));
  CDNI_TRY(cdn_residual(x->rest, NULL, x->force));
  *out = 0;
  for (int k = 0; k < x->s.nu; k++) *out -= x->along[k] * x->force[k];
  return CDN_OK;
}

/* To q0 + scale N v, and back to the constraints; q is where that is. */
static cdn_status move(search *x, double scale, double *q) {
  const cdn_projection_def def = tight();
  const size_t nq = (size_t)cdn_system_nq(cdn_state_system(x->rest));
  CDNI_TRY(cdn_state_set_q(x->rest, x->q0));
  CDNI_TRY(cdni_state_multiply_by_N(x->rest, x->v, q));
  for (size_t k = 0; k < nq; k++) q[k] = x->q0[k] + scale * q[k];
  cdni_state_normalize_q(x->rest, q, NULL);
  CDNI_TRY(cdn_state_set_q(x->rest, q));
  CDNI_TRY(cdn_project_q(x->rest, &def, &x->report->constraint_error));
  if (nq) memcpy(q, cdn_state_q(x->rest), nq * sizeof *q);
  return CDN_OK;
}

/* Takes the step v, by way of its middle, and the work of all forces on it: Simpson's rule on the parabola through the three
 * places. Forces without a potential, or none that is known, count like others. */
static cdn_status walk(search *x, double *work) {
  const int nq = cdn_system_nq(cdn_state_system(x->rest));
  double *rate = x->rate, P[3];
  CDNI_TRY(move(x, 1, x->q));
  CDNI_TRY(move(x, 0.5, x->middle));
  for (int k = 0; k < nq; k++) rate[k] = x->q[k] - x->q0[k];
  CDNI_TRY(power(x, rate, &P[1]));
  CDNI_TRY(cdn_state_set_q(x->rest, x->q0));
  for (int k = 0; k < nq; k++) rate[k] = 4 * x->middle[k] - 3 * x->q0[k] - x->q[k];
  CDNI_TRY(power(x, rate, &P[0]));
  CDNI_TRY(cdn_state_set_q(x->rest, x->q));
  for (int k = 0; k < nq; k++) rate[k] = 3 * x->q[k] - 4 * x->middle[k] + x->q0[k];
  CDNI_TRY(power(x, rate, &P[2]));
  *work = (P[0] + 4 * P[1] + P[2]) / 6;
  return cdn_realize(x->rest, CDN_STAGE_ACCELERATION);
}

/* The radius at which no mode by itself displaces anything by more than the largest step. */
static double first_radius(const search *x) {
  double most = 0;
  for (int i = 0; i < x->s.n; i++) most = fmax(most, x->reach[i]);
  return most > 0 ? x->def->largest_step / most : 1;
}

/* Steps until one keeps what it promises; *done if none is left to take. */
static cdn_status one_iteration(search *x, bool *done) {
  const size_t nq = (size_t)cdn_system_nq(cdn_state_system(x->rest));
  const bool stable = x->def->goal == CDN_EQUILIBRIUM_STABLE;
  memcpy(x->q0, cdn_state_q(x->rest), nq * sizeof *x->q0);
  cdn_status failed = CDN_OK;
  for (int attempt = 0; attempt < 60; attempt++) {
    step_within(x, x->radius);
    double most = displacement(x);
    while (most > x->def->largest_step) { /* in the model's own measure it may be anything */
      double length = 0;
      for (int i = 0; i < x->s.n; i++) length += x->y[i] * x->y[i];
      x->radius = 0.9 * sqrt(length) * x->def->largest_step / most;
      step_within(x, x->radius);
      most = displacement(x);
    }
    if (most <= NOT_A_STEP) {
      *done = true;
      return CDN_OK;
    }
    const double expected = promised(x);
    double size_before, work = 0, size = INFINITY;
    CDNI_TRY(imbalance(x, &size_before));
    const cdn_status status = walk(x, &work);
    if (status == CDN_OK) CDNI_TRY(imbalance(x, &size));
    const double got = stable ? work : size_before - size;
    const double ratio = status == CDN_OK ? got / expected : -1;
    /* close to the end rounding hides the work, but not that accelerations fall */
    const bool settles = status == CDN_OK && size < 0.5 * size_before && (!stable || x->report->unstable == 0);
    double length = 0;
    for (int i = 0; i < x->s.n; i++) length += x->y[i] * x->y[i];
    length = sqrt(length);
    if (ratio > 0.1 || settles) {
      x->report->work += work;
      if (ratio > 0.75 && length > 0.8 * x->radius) x->radius *= 2;
      return CDN_OK;
    }
    failed = status;
    CDNI_TRY(cdn_state_set_q(x->rest, x->q0));
    x->radius = 0.25 * length;
  }
  CDNI_TRY(failed);
  *done = true;
  return CDN_OK;
}

/* ---- the search ---- */

static bool has_arrived(const search *x) {
  return x->report->unbalanced <= x->def->tolerance &&
         (x->def->goal == CDN_EQUILIBRIUM_ANY || x->report->unstable == 0);
}

/* Where no step is left: whether that is because Newton's own would hardly go anywhere, and balance all that there is. */
static bool is_as_near_as_can_be(search *x) {
  if (x->def->goal == CDN_EQUILIBRIUM_STABLE && x->report->unstable > 0) return false;
  step_within(x, 1e300);
  return displacement(x) <= NEARLY_THERE &&
         (x->def->goal == CDN_EQUILIBRIUM_STABLE || promised(x) > 0.5 * x->imbalance);
}

static cdn_status run(search *x) {
  const cdn_projection_def def = tight();
  bool done = false;
  CDNI_TRY(cdn_project_q(x->rest, &def, &x->report->constraint_error));
  CDNI_TRY(cdn_realize(x->rest, CDN_STAGE_ACCELERATION));
  for (;; x->report->iterations++) {
    CDNI_TRY(look(x));
    CDNI_TRY(find_modes(x));
    judge_directions(x);
    if (has_arrived(x)) return CDN_OK;
    if (done && is_as_near_as_can_be(x)) return CDN_OK;
    if (x->report->iterations == 0) x->radius = first_radius(x);
    if (done || x->report->iterations >= x->def->most_iterations) break;
    CDNI_TRY(one_iteration(x, &done));
  }
  return cdni_state_fail(
      x->rest, CDN_ERR_LIMIT, false, function, x->report->worst,
      "no equilibrium was found in %d iterations: from rest '%s' still accelerates at %g (tolerance %g), "
      "%d directions are unstable; there may be none (nothing holds the model), or a longer way to it",
      x->report->iterations, x->report->worst, x->report->unbalanced, x->def->tolerance, x->report->unstable);
}

static size_t divide(search *x, int nq, int nu, double *memory) {
  const size_t n = (size_t)nu, square = n * n;
  double *at = memory + cdni_statics_size(nu);
  x->s = cdni_statics_at(nu, memory);
  double **const parts[] = { &x->X,     &x->U, &x->VT,    &x->d, &x->g,     &x->y,
                             &x->reach, &x->k, &x->sigma, &x->v, &x->force, &x->along };
  for (int k = 0; k < CDNI_COUNT(parts); k++) *parts[k] = at, at += k < 3 ? square : n;
  double **const coordinates[] = { &x->q, &x->q0, &x->middle, &x->rate };
  for (int k = 0; k < CDNI_COUNT(coordinates); k++) *coordinates[k] = at, at += nq;
  x->work = at;
  const size_t a = cdni_symmetric_eigen_work(nu), b = cdni_svd_work(nu, nu);
  return (size_t)(at - memory) + (a > b ? a : b);
}

static cdn_status check_def(cdn_state *state, const cdn_equilibrium_def *def) {
  if (def->struct_size != sizeof *def)
    return cdni_state_fail(state, CDN_ERR_VERSION, false, function, NULL,
                           "the equilibrium def was not made by cdn_default_equilibrium_def of this library");
  if (!(def->tolerance > 0) || !(def->largest_step > 0) || def->most_iterations < 1)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                           "tolerance %g, largest step %g and %d iterations must be positive", def->tolerance,
                           def->largest_step, def->most_iterations);
  return CDN_OK;
}

/* What was found is the caller's: q of what is not prescribed, and u = 0. */
static cdn_status hand_over(cdn_state *state, cdn_state *rest) {
  CDNI_TRY(cdn_state_set_q(state, cdn_state_q(rest)));
  return cdn_state_set_u(state, cdn_state_u(rest));
}

cdn_status cdn_find_equilibrium(cdn_state *state, const cdn_equilibrium_def *def, cdn_equilibrium *report) {
  const cdn_equilibrium_def usual = cdn_default_equilibrium_def();
  cdn_equilibrium unused;
  search x = { .def = def ? def : &usual, .report = report ? report : &unused };
  *x.report = (cdn_equilibrium){ .unbalanced = INFINITY };
  CDNI_TRY(check_def(state, x.def));
  CDNI_TRY(cdni_rest_state(state, function, &x.rest));
  const cdn_system *system = cdn_state_system(state);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system);
  double *memory = cdn_work_push(state, (divide(&x, nq, nu, NULL) + 1) * sizeof *memory);
  cdn_status status = CDN_OK;
  if (!memory) status = cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  else {
    divide(&x, nq, nu, memory);
    status = run(&x);
    if (status == CDN_OK) status = hand_over(state, x.rest);
    else {
      cdn_error story;
      cdn_state_last_error(x.rest, &story);
      cdni_state_set_error(state, &story);
    }
  }
  cdn_work_pop(state, memory);
  cdn_state_destroy(x.rest);
  return status;
}
