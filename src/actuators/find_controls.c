/* Signals of actuators that come nearest to wanted generalized forces: least squares within bounds,
 *
 *     min |A x - b|^2 + e |x|^2,   lower <= x <= upper,
 *
 * by the method of active sets: a set of signals is free, the others are at bounds. A step to the best of the free ones
 * stops at the first bound, which is joined; where none is met, the bound that resists most is left. Each set comes
 * once, because the sum falls. */
#include "actuators/internal.h"
#include "forces/forces.h"
#include "math/cholesky.h"

/* e over the mean of the diagonal of A^T A: among signals that are as good it prefers small ones, and takes 1e-10 of
 * what is wanted. */
static const double SMALLNESS = 1e-10;
/* What a bound must resist before it is left, over the largest number of A^T b: rounding of A^T A x. */
static const double RESISTS = 1e-12;
enum { SETS_FOR_EACH = 10 }; /* sets that are tried, for each signal */

typedef struct problem {
  int n;
  double *H, *c, *x, *lower, *upper; /* H = A^T A + e, c = A^T b */
  double *factor, *step, *gradient;
  int *free, n_free; /* signals that are free */
  bool *is_free;
} problem;

static void calc_gradient(problem *p) {
  for (int i = 0; i < p->n; i++) {
    p->gradient[i] = -p->c[i];
    for (int k = 0; k < p->n; k++) p->gradient[i] += p->H[i * p->n + k] * p->x[k];
  }
}

/* The step of the free signals to where their gradient is 0. */
static bool calc_step(problem *p) {
  p->n_free = 0;
  for (int i = 0; i < p->n; i++)
    if (p->is_free[i]) p->free[p->n_free++] = i;
  const int m = p->n_free;
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < m; k++) p->factor[i * m + k] = p->H[p->free[i] * p->n + p->free[k]];
    p->step[i] = -p->gradient[p->free[i]];
  }
  if (m > 0 && cdni_cholesky(m, m, p->factor, 0, 0) >= 0) return false;
  if (m > 0) cdni_cholesky_down(m, m, p->factor, p->step), cdni_cholesky_up(m, m, p->factor, p->step);
  return true;
}

/* Goes as far as the bounds let it; whether it arrived. */
static bool go(problem *p) {
  double part = 1;
  int meets = -1;
  for (int i = 0; i < p->n_free; i++) {
    const int k = p->free[i];
    const double bound = p->step[i] > 0 ? p->upper[k] : p->lower[k], room = (bound - p->x[k]) / p->step[i];
    if (p->step[i] != 0 && room < part) part = fmax(room, 0), meets = k;
  }
  for (int i = 0; i < p->n_free; i++) {
    const int k = p->free[i];
    p->x[k] += part * p->step[i];
    if (k == meets) p->x[k] = p->step[i] > 0 ? p->upper[k] : p->lower[k], p->is_free[k] = false;
  }
  return meets < 0;
}

/* Frees the bound that resists most; false: none does. */
static bool leave_bound(problem *p) {
  double most = 0, size = 0;
  int leaves = -1;
  for (int i = 0; i < p->n; i++) size = fmax(size, fabs(p->c[i]));
  for (int i = 0; i < p->n; i++) {
    if (p->is_free[i] || p->lower[i] == p->upper[i]) continue;
    const double gain = p->x[i] >= p->upper[i] ? p->gradient[i] : -p->gradient[i];
    if (gain > most) most = gain, leaves = i;
  }
  if (leaves < 0 || most <= RESISTS * size) return false;
  return p->is_free[leaves] = true;
}

static bool solve(problem *p) {
  for (int i = 0; i < p->n; i++) {
    p->x[i] = drive_within(0, p->lower[i], p->upper[i]);
    p->is_free[i] = p->x[i] > p->lower[i] && p->x[i] < p->upper[i];
  }
  for (int set = 0; set < SETS_FOR_EACH * (p->n + 1); set++) {
    calc_gradient(p);
    if (!calc_step(p)) return false;
    if (!go(p)) continue;
    calc_gradient(p);
    if (!leave_bound(p)) return true;
  }
  return false;
}

/* The force of actuator i is slope * signal + rest, within its limits; bounds: signals at which it reaches them. */
static cdn_status look_at(cdn_state *state, cdn_force force, double *slope, double *rest, double bounds[2],
                          cdn_control *control) {
  const drive *a = cdni_drive_of(cdn_state_system(state), force);
  double lower, upper;
  if (a) {
    drive_action x = { .p = 0 };
    CDNI_TRY(cdni_transmission(a)->reach(a, state, true, &x.at));
    CDNI_TRY(cdni_drive_law(a, state, 0, &x));
    *slope = x.by_signal, *rest = x.p, lower = a->def.lower, upper = a->def.upper, *control = a->def.control;
  } else {
    force_actuator x;
    CDNI_TRY(cdni_force_read_actuator(state, force, true, &x));
    *slope = x.by_signal, *rest = x.rest, lower = x.lower, upper = x.upper, *control = x.control;
  }
  bounds[0] = -INFINITY, bounds[1] = INFINITY;
  if (*slope == 0) {
    *rest = drive_within(*rest, lower, upper);
    return CDN_OK;
  }
  const double at_lower = (lower - *rest) / *slope, at_upper = (upper - *rest) / *slope;
  bounds[0] = fmin(at_lower, at_upper), bounds[1] = fmax(at_lower, at_upper);
  return CDN_OK;
}

/* Fills A (a column of nu numbers for each actuator), b and the bounds. */
static cdn_status fill(cdn_state *state, int n, const cdn_force *actuators, const double *lower, const double *upper,
                       double *A, double *b, problem *p) {
  const int nu = cdn_system_nu(cdn_state_system(state));
  for (int i = 0; i < n; i++) {
    double slope, rest, bounds[2], least, most, *column = A + (size_t)i * (size_t)nu;
    cdn_control control;
    CDNI_TRY(cdn_actuator_moments(state, actuators[i], column));
    CDNI_TRY(look_at(state, actuators[i], &slope, &rest, bounds, &control));
    CDNI_TRY(cdn_control_limits(state, control, &least, &most));
    p->lower[i] = lower ? lower[i] : least, p->upper[i] = upper ? upper[i] : most;
    /* a force at its limit is the same beyond it: only bounds that leave room count */
    p->lower[i] = fmin(fmax(p->lower[i], bounds[0]), p->upper[i]);
    p->upper[i] = fmax(fmin(p->upper[i], bounds[1]), p->lower[i]);
    for (int k = 0; k < nu; k++) b[k] -= rest * column[k], column[k] *= slope;
  }
  return CDN_OK;
}

static void square(int nu, const double *A, const double *b, problem *p) {
  double trace = 0;
  for (int i = 0; i < p->n; i++) {
    for (int k = 0; k < p->n; k++) {
      p->H[i * p->n + k] = 0;
      for (int l = 0; l < nu; l++)
        p->H[i * p->n + k] += A[(size_t)i * (size_t)nu + (size_t)l] * A[(size_t)k * (size_t)nu + (size_t)l];
    }
    p->c[i] = 0;
    for (int l = 0; l < nu; l++) p->c[i] += A[(size_t)i * (size_t)nu + (size_t)l] * b[l];
    trace += p->H[i * p->n + i];
  }
  const double e = trace > 0 ? SMALLNESS * trace / p->n : 1;
  for (int i = 0; i < p->n; i++) p->H[i * p->n + i] += e;
}

static cdn_status find(cdn_state *state, int n, const cdn_force *actuators, const double *wanted, const double *lower,
                       const double *upper, double *signals, double *residual, double *work, bool *is_free, int *free) {
  const size_t nu = (size_t)cdn_system_nu(cdn_state_system(state)), m = (size_t)n;
  double *A = work, *b = A + nu * m;
  problem p = { .n = n, .H = b + nu, .is_free = is_free, .free = free, .x = signals };
  p.factor = p.H + m * m, p.c = p.factor + m * m, p.lower = p.c + m, p.upper = p.lower + m, p.step = p.upper + m;
  p.gradient = p.step + m;
  memcpy(b, wanted, nu * sizeof *b);
  CDNI_TRY(fill(state, n, actuators, lower, upper, A, b, &p));
  square((int)nu, A, b, &p);
  if (!solve(&p))
    return cdni_state_fail(state, CDN_ERR_SINGULAR, false, "cdn_actuator_find_controls", NULL,
                           "no controls were found: moments of actuators may be too large or too small to compare");
  double rest = 0;
  for (size_t k = 0; k < nu; k++) {
    double r = b[k];
    for (size_t i = 0; i < m; i++) r -= A[i * nu + k] * signals[i];
    rest += r * r;
  }
  if (residual) *residual = sqrt(rest);
  return CDN_OK;
}

cdn_status cdn_actuator_find_controls(cdn_state *state, int n, const cdn_force *actuators, const double *wanted,
                                      const double *lower, const double *upper, double *signals, double *residual) {
  CDNI_NEED_SOME(state, actuators, n);
  CDNI_NEED_SOME(state, signals, n);
  CDNI_NEED_SOME(state, wanted, cdn_system_nu(cdn_state_system(state)));
  const size_t nu = (size_t)cdn_system_nu(cdn_state_system(state)), m = n > 0 ? (size_t)n : 0;
  size_t bad;
  if (n < 0 || !cdni_all_finite(wanted, nu, &bad))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL,
                           "the number of actuators is negative, or a wanted force is not finite");
  CDNI_TRY(cdn_realize(state, CDN_STAGE_VELOCITY));
  const size_t numbers = nu * m + nu + 2 * m * m + 5 * m;
  double *work = cdn_work_push(state, numbers * sizeof *work + m * (sizeof(int) + sizeof(bool)) + sizeof(double));
  if (!work) return CDN_ERR_NOMEM;
  int *free = (int *)(void *)(work + numbers);
  const cdn_status status =
      find(state, (int)m, actuators, wanted, lower, upper, signals, residual, work, (bool *)(void *)(free + m), free);
  cdn_work_pop(state, work);
  return status;
}
