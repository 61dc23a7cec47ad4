/* Optimization of a path in positions: Gauss and Newton's method with Levenberg and Marquardt's damping on a banded
 * matrix. */
#include "core/sized.h"
#include "matter/operators.h"
#include "studies/invertible.h"

CDNI_DEF(invertible_path_def, .fixed_first = 2, .fixed_last = 2, .kappa_first = 1, .stages = 1, .most_iterations = 100,
         .tolerance = 1e-6);

typedef struct path {
  cdn_invertible_motion *motion;
  cdn_invertible_path_def def;
  cdn_invertible_law law;     /* of this stage */
  int n, first, count;        /* positions; those that move */
  size_t nq, nu, band;        /* band: 3 nu, the diagonal included */
  double *q, *trial, *wanted; /* n nq */
  double *tau, *off;          /* (n - 2) nu; n nu: displacements from what is wanted */
  double *slopes;             /* (n - 2) nu x 3 nu */
  double *H, *L, *g, *d;      /* by rows of the band: count nu x band; count nu */
  double *speeds;             /* nu^2 and more: work */
  double *memory;
  size_t size;
} path;

static double tau_weight(const path *p, size_t k) { return p->def.tau_weights ? p->def.tau_weights[k] : 1; }

/* ---- cost ---- */

static cdn_status cost_of(path *p, const double *q, bool derivative, double *cost) {
  double sum = 0;
  for (int i = 0; i + 2 < p->n; i++) {
    double *tau = p->tau + (size_t)i * p->nu, *slope = derivative ? p->slopes + 3 * (size_t)i * p->nu * p->nu : NULL;
    CDNI_TRY(cdni_motion_inverse_at(p->motion, &p->law, q + (size_t)i * p->nq, tau, slope));
    for (size_t k = 0; k < p->nu; k++) sum += 0.5 * tau_weight(p, k) * tau[k] * tau[k];
  }
  for (int i = 0; p->def.q_weights && i < p->n; i++) {
    double *off = p->off + (size_t)i * p->nu;
    CDNI_TRY(cdni_motion_speeds(p->motion, p->wanted + (size_t)i * p->nq, q + (size_t)i * p->nq, off));
    for (size_t k = 0; k < p->nu; k++) {
      off[k] *= p->motion->def.step;
      sum += 0.5 * p->def.q_weights[k] * off[k] * off[k];
    }
  }
  *cost = sum;
  return CDN_OK;
}

/* ---- the banded equations ---- */

/* H (i, j), j <= i, of unknowns. */
static double *entry(const path *p, double *H, size_t i, size_t j) { return &H[i * p->band + p->band - 1 - (i - j)]; }

/* Adds the squares of one force, whose slope has 3 nu numbers by positions t, t + 1, t + 2. */
static void add_force(path *p, int t, double weight, double value, const double *slope) {
  const int low = p->first - t > 0 ? p->first - t : 0, last = p->first + p->count - 1 - t, high = last < 2 ? last : 2;
  if (high < low) return;
  const size_t from = (size_t)low * p->nu, to = (size_t)(high + 1) * p->nu;
  const size_t shift = (size_t)(t + low - p->first) * p->nu - from + 0;
  for (size_t a = from; a < to; a++) {
    const double x = weight * slope[a];
    p->g[a + shift] += x * value;
    if (x == 0) continue;
    for (size_t b = from; b <= a; b++) *entry(p, p->H, a + shift, b + shift) += x * slope[b];
  }
}

static void add_wanted(path *p) {
  for (int i = 0; p->def.q_weights && i < p->count; i++) {
    const double *off = p->off + (size_t)(p->first + i) * p->nu;
    for (size_t k = 0; k < p->nu; k++) {
      const size_t row = (size_t)i * p->nu + k;
      p->g[row] += p->def.q_weights[k] * off[k];
      *entry(p, p->H, row, row) += p->def.q_weights[k];
    }
  }
}

static void gather(path *p) {
  const size_t unknowns = (size_t)p->count * p->nu;
  memset(p->H, 0, unknowns * p->band * sizeof *p->H);
  memset(p->g, 0, unknowns * sizeof *p->g);
  for (int t = 0; t + 2 < p->n; t++)
    for (size_t k = 0; k < p->nu; k++)
      add_force(p, t, tau_weight(p, k), p->tau[(size_t)t * p->nu + k], p->slopes + 3 * p->nu * ((size_t)t * p->nu + k));
  add_wanted(p);
}

/* d of (H + damping diag H) d = -g; false: not positive definite. */
static bool solve(path *p, double damping) {
  const size_t n = (size_t)p->count * p->nu, band = p->band;
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, *entry(p, p->H, i, i));
  memcpy(p->L, p->H, n * band * sizeof *p->L);
  for (size_t i = 0; i < n; i++) {
    const size_t start = i + 1 > band ? i + 1 - band : 0;
    *entry(p, p->L, i, i) += damping * (*entry(p, p->H, i, i) + 1e-12 * most);
    for (size_t j = start; j <= i; j++) {
      const size_t both = j + 1 > band ? j + 1 - band : 0, begin = both > start ? both : start;
      double sum = *entry(p, p->L, i, j);
      for (size_t l = begin; l < j; l++) sum -= *entry(p, p->L, i, l) * *entry(p, p->L, j, l);
      if (j < i) *entry(p, p->L, i, j) = sum / *entry(p, p->L, j, j);
      else if (sum > 0 && isfinite(sum)) *entry(p, p->L, i, i) = sqrt(sum);
      else return false;
    }
    double sum = -p->g[i];
    for (size_t l = start; l < i; l++) sum -= *entry(p, p->L, i, l) * p->d[l];
    p->d[i] = sum / *entry(p, p->L, i, i);
  }
  for (size_t i = n; i-- > 0;) {
    const size_t start = i + 1 > band ? i + 1 - band : 0;
    p->d[i] /= *entry(p, p->L, i, i);
    for (size_t l = start; l < i; l++) p->d[l] -= *entry(p, p->L, i, l) * p->d[i];
  }
  return true;
}

/* ---- iterations ---- */

static cdn_status move(path *p) {
  cdn_state *scratch = p->motion->scratch;
  memcpy(p->trial, p->q, (size_t)p->n * p->nq * sizeof *p->q);
  for (int i = 0; i < p->count; i++) {
    double *q = p->trial + (size_t)(p->first + i) * p->nq;
    CDNI_TRY(cdn_state_set_q(scratch, q));
    CDNI_TRY(cdn_multiply_by_N(scratch, p->d + (size_t)i * p->nu, p->speeds));
    for (size_t k = 0; k < p->nq; k++) q[k] += p->speeds[k];
    cdni_state_normalize_q(scratch, q, NULL);
  }
  return CDN_OK;
}

/* Failures of a try: it went where there is no answer. */
static bool was_too_far(cdn_status status) {
  return status == CDN_ERR_CONSTRAINT || status == CDN_ERR_NONFINITE || status == CDN_ERR_SINGULAR;
}

static cdn_status stage(path *p, cdn_invertible_path_report *report) {
  double cost, tried, damping = 1e-3;
  CDNI_TRY(cost_of(p, p->q, true, &cost));
  report->evaluations++, report->converged = false;
  for (int i = 0; i < p->def.most_iterations; i++) {
    gather(p);
    bool better = false;
    for (; !better && damping < 1e12; damping *= better ? 1 : 8) {
      report->iterations++;
      if (!solve(p, damping)) continue;
      CDNI_TRY(move(p));
      const cdn_status status = cost_of(p, p->trial, false, &tried);
      report->evaluations++;
      if (status != CDN_OK && !was_too_far(status)) return status;
      better = status == CDN_OK && tried < cost;
    }
    if (!better) {
      report->converged = true; /* nothing nearby is less */
      break;
    }
    damping = fmax(0.1 * damping, 1e-12);
    memcpy(p->q, p->trial, (size_t)p->n * p->nq * sizeof *p->q);
    const double fall = cost - tried;
    CDNI_TRY(cost_of(p, p->q, true, &cost));
    report->evaluations++;
    report->converged = fall <= p->def.tolerance * cost;
    if (report->converged) break;
  }
  CDNI_TRY(cost_of(p, p->q, true, &cost));
  gather(p);
  report->last = cost, report->gradient = 0;
  for (size_t i = 0; i < (size_t)p->count * p->nu; i++) report->gradient = fmax(report->gradient, fabs(p->g[i]));
  return CDN_OK;
}

static cdn_status run(path *p, cdn_invertible_path_report *report) {
  const double law = p->motion->law.kappa;
  p->law = p->motion->law;
  CDNI_TRY(cost_of(p, p->q, false, &report->first));
  for (int i = 0; i < p->def.stages; i++) {
    const double part = p->def.stages > 1 ? (double)i / (p->def.stages - 1) : 1;
    p->law.kappa = p->def.kappa_first * pow(law / p->def.kappa_first, part);
    CDNI_TRY(stage(p, report));
  }
  return CDN_OK;
}

/* ---- what is given ---- */

static cdn_status check(cdn_invertible_motion *motion, const char *function, const cdn_invertible_path_def *d, int n,
                        const double *q) {
  cdn_state *state = motion->state;
  if (n < 3)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "n is %d: give three positions or more", n);
  if (d->fixed_first < 0 || d->fixed_last < 0 || d->fixed_first >= n - d->fixed_last)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                           "%d positions at the start and %d at the end of %d are fixed: leave some that move",
                           d->fixed_first, d->fixed_last, n);
  if (d->stages < 1 || d->most_iterations < 1 || !(d->kappa_first > 0) || !isfinite(d->kappa_first) ||
      !(d->tolerance >= 0))
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                           "stages is %d, most_iterations %d, kappa_first %g, tolerance %g: give numbers above 0",
                           d->stages, d->most_iterations, d->kappa_first, d->tolerance);
  for (int k = 0; k < motion->nu; k++) {
    const double a = d->tau_weights ? d->tau_weights[k] : 1, b = d->q_weights ? d->q_weights[k] : 0;
    if (!(a >= 0 && b >= 0) || !isfinite(a) || !isfinite(b))
      return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                             "the weights of speed %d are %g and %g: give finite numbers >= 0", k, a, b);
  }
  const size_t all = (size_t)n * (size_t)motion->nq;
  if (!cdni_all_finite(q, all, NULL) || (d->wanted && !cdni_all_finite(d->wanted, all, NULL)))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, function, NULL,
                           "a position has a number that is not finite: give finite numbers");
  return cdni_motion_check_inverse(motion, function);
}

static cdn_status reserve(path *p) {
  const size_t n = (size_t)p->n, nq = p->nq, nu = p->nu, unknowns = (size_t)p->count * nu;
  p->size =
      (3 * n * nq + (n - 2) * nu + n * nu + 3 * (n - 2) * nu * nu + 2 * unknowns * p->band + 2 * unknowns + nq + nu) *
      sizeof(double);
  p->memory = cdni_alloc(&p->motion->allocator, p->size);
  if (!p->memory) return CDN_ERR_NOMEM;
  p->q = p->memory, p->trial = p->q + n * nq, p->wanted = p->trial + n * nq, p->tau = p->wanted + n * nq;
  p->off = p->tau + (n - 2) * nu, p->slopes = p->off + n * nu, p->H = p->slopes + 3 * (n - 2) * nu * nu;
  p->L = p->H + unknowns * p->band, p->g = p->L + unknowns * p->band, p->d = p->g + unknowns;
  p->speeds = p->d + unknowns;
  return CDN_OK;
}

cdn_status cdn_invertible_optimize_path_sized(cdn_invertible_motion *motion, const cdn_invertible_path_def *def, int n,
                                              double *q, double *tau, cdn_invertible_path_report *report, size_t size) {
  static const char function[] = "cdn_invertible_optimize_path";
  CDNI_NEED_OBJECT(motion, CDN_ERR_ARG);
  CDNI_NEED(motion->state, q);
  path p = { .motion = motion, .def = invertible_path_def_defaults, .n = n };
  const char *wrong = def ? read_invertible_path_def(&p.def, def) : NULL;
  if (wrong) return cdni_state_fail(motion->state, CDN_ERR_VERSION, false, function, NULL, "%s", wrong);
  CDNI_TRY(check(motion, function, &p.def, n, q));
  p.first = p.def.fixed_first, p.count = n - p.def.fixed_first - p.def.fixed_last;
  p.nq = (size_t)motion->nq, p.nu = (size_t)motion->nu, p.band = 3 * p.nu;
  if (reserve(&p) != CDN_OK) return cdni_motion_no_memory(motion, function);
  const size_t all = (size_t)n * p.nq;
  memcpy(p.q, q, all * sizeof *q);
  memcpy(p.wanted, p.def.wanted ? p.def.wanted : q, all * sizeof *q);
  cdn_invertible_path_report full = { 0 };
  cdn_status status = cdn_state_copy(motion->scratch, motion->state);
  if (status == CDN_OK) status = run(&p, &full);
  if (status == CDN_OK) {
    memcpy(q, p.q, all * sizeof *q);
    if (tau) memcpy(tau, p.tau, (size_t)(n - 2) * p.nu * sizeof *tau);
  }
  cdni_sized_write(report, size, &full, sizeof full);
  cdni_free(&motion->allocator, p.memory, p.size);
  return cdni_motion_tell(motion, function, status);
}
