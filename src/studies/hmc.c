/* Hamiltonian Monte Carlo, and what is made of the same parts: Langevin dynamics, redrawing, replica exchange. A
 * trajectory starts from the State alone, so that runs can be continued with the same bits. */
#include <math.h>

#include <cardan/dynamics.h>
#include <cardan/operators.h>

#include "core/sized.h"
#include "matter/operators.h"
#include "studies/sampling.h"

CDNI_DEF(hmc_def, .steps = 10, .friction = INFINITY, .acceptance = 0.8, .user = 0x686d63);

struct cdn_hmc {
  cdn_allocator allocator;
  cdn_hmc_def def;
  cdn_state *state, *trial;
  cdni_flow flow;
  double step;
  double log_step, gap; /* of the adaptation: sums */
  int64_t adapted;
  cdn_hmc_report report;
  double sum_exp, sum_exp_squares, sum_error;
  int64_t solved;
};

/* ---- making ---- */

static cdn_status check_def(cdn_state *state, const char *function, const cdn_hmc_def *d) {
  const char *wrong = NULL;
  if (!(d->kT > 0) || isinf(d->kT)) wrong = "kT must be set: above 0 and finite";
  else if (!(d->step > 0) || isinf(d->step)) wrong = "the step must be set: above 0 and finite";
  else if (d->steps < 1) wrong = "a trajectory has one step or more";
  else if (!(d->friction >= 0)) wrong = "the friction must not be negative";
  else if (d->burn_in < 0) wrong = "the burn-in must not be negative";
  else if (!(d->acceptance > 0 && d->acceptance < 1)) wrong = "the acceptance that is adapted to is between 0 and 1";
  else if (d->burn_in > 0 && d->no_metropolis) wrong = "without the Metropolis test no step length can be adapted";
  return wrong ? cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "%s", wrong) : CDN_OK;
}

/* Forces without potential show by their power at speeds that are drawn; `state` is a copy. */
static cdn_status check_potential(cdn_state *state, const cdn_hmc_def *d) {
  double power, K;
  CDNI_TRY(cdn_draw_speeds(state, d->kT, 0, d->user));
  CDNI_TRY(cdn_nonpotential_power(state, &power));
  CDNI_TRY(cdn_kinetic_energy(state, &K));
  if (power == 0) return CDN_OK;
  return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, "cdn_hmc_create", NULL,
                         "forces without potential have the power %g at thermal speeds: the Metropolis test needs the "
                         "whole energy. Switch them off, or set no_metropolis",
                         power);
}

cdn_status cdn_hmc_create(cdn_state *initial, const cdn_hmc_def *def, cdn_hmc **out) {
  CDNI_NEED(initial, out);
  cdn_hmc_def d = hmc_def_defaults;
  cdn_random_place place;
  *out = NULL;
  const char *unreadable = def ? read_hmc_def(&d, def) : NULL;
  if (unreadable) return cdni_state_fail(initial, CDN_ERR_VERSION, false, __func__, NULL, "%s", unreadable);
  CDNI_TRY(check_def(initial, __func__, &d));
  CDNI_TRY(cdn_state_random(initial, d.user, &place));
  const cdn_allocator *allocator = cdni_system_allocator(cdn_state_system(initial));
  cdn_hmc *hmc = cdni_calloc(allocator, sizeof *hmc);
  if (!hmc) return cdni_state_fail(initial, CDN_ERR_NOMEM, false, __func__, NULL, "no memory");
  hmc->allocator = *allocator;
  hmc->def = d;
  hmc->step = d.step;
  hmc->report.burn_in_left = d.burn_in;
  cdn_status status = cdni_flow_create(initial, __func__, !d.no_metropolis, &hmc->flow);
  if (status == CDN_OK) status = cdn_state_create(cdn_state_system(initial), &hmc->state);
  if (status == CDN_OK) status = cdn_state_create(cdn_state_system(initial), &hmc->trial);
  if (status == CDN_OK) status = cdn_state_copy(hmc->state, initial);
  if (status == CDN_OK && !d.no_metropolis) {
    status = cdn_state_copy(hmc->trial, initial);
    if (status == CDN_OK) status = check_potential(hmc->trial, &d);
    cdn_error error;
    if (status != CDN_OK) cdn_state_last_error(hmc->trial, &error), cdni_state_set_error(initial, &error);
  }
  if (status == CDN_OK) *out = hmc;
  else cdn_hmc_destroy(hmc);
  return status;
}

void cdn_hmc_destroy(cdn_hmc *hmc) {
  if (!hmc) return;
  cdni_flow_destroy(&hmc->flow);
  cdn_state_destroy(hmc->state);
  cdn_state_destroy(hmc->trial);
  const cdn_allocator allocator = hmc->allocator;
  cdni_free(&allocator, hmc, sizeof *hmc);
}

cdn_state *cdn_hmc_state(cdn_hmc *hmc) { return hmc ? hmc->state : NULL; }

/* ---- trajectories ---- */

static cdn_status total_energy(cdn_state *state, double *energy) {
  double K, U;
  CDNI_TRY(cdn_kinetic_energy(state, &K));
  CDNI_TRY(cdn_potential_energy(state, &U));
  *energy = K + U;
  return CDN_OK;
}

/* The step length follows the acceptance by dual averaging (M. D. Hoffman, A. Gelman, J. Mach. Learn. Res. 15:1593,
 * 2014, with their constants, about the step that was given); after the burn-in it is the average. */
static void adapt(cdn_hmc *hmc, double acceptance) {
  const double n = (double)++hmc->adapted, offset = 10, shrinkage = 0.05, forgets = pow(n, -0.75);
  hmc->gap += (hmc->def.acceptance - acceptance - hmc->gap) / (n + offset);
  const double log_step = log(hmc->def.step) - sqrt(n) / shrinkage * hmc->gap;
  hmc->log_step = n == 1 ? log_step : forgets * log_step + (1 - forgets) * hmc->log_step;
  hmc->report.burn_in_left--;
  hmc->step = exp(hmc->report.burn_in_left > 0 ? log_step : hmc->log_step);
}

static void count(cdn_hmc *hmc, bool solved, bool accepted, double error) {
  cdn_hmc_report *r = &hmc->report;
  r->trajectories++;
  r->accepted += accepted;
  r->unsolved += !solved;
  if (!solved) return;
  const double weight = exp(-error / hmc->def.kT);
  hmc->solved++;
  hmc->sum_exp += weight, hmc->sum_exp_squares += weight * weight, hmc->sum_error += error;
  r->last_energy_error = error;
}

/* The speeds of the drawn start go on, turned round: what keeps the balance if they persist. */
static cdn_status turn_round(cdn_hmc *hmc) {
  const double *now = cdn_state_u(hmc->state);
  double *u = hmc->flow.u;
  for (int i = 0; i < hmc->flow.nu; i++) u[i] = -now[i];
  return cdn_state_set_u(hmc->state, u);
}

static cdn_status one(cdn_hmc *hmc) {
  const cdn_hmc_def *d = &hmc->def;
  cdn_random_place place, other;
  double before = 0, after = 0, uniform, time = hmc->step * d->steps;
  bool solved = true;
  CDNI_TRY(cdn_state_random(hmc->state, d->user, &place));
  place.count++;
  CDNI_TRY(cdn_state_set_random(hmc->state, &place));
  other = place, other.user++;
  cdn_random_uniform(&other, 1, &uniform);
  CDNI_TRY(cdni_refresh_speeds(hmc->state, d->kT, exp(-d->friction * time), &place));
  if (!d->no_metropolis) CDNI_TRY(total_energy(hmc->state, &before));
  CDNI_TRY(cdn_state_copy(hmc->trial, hmc->state));
  cdn_status status = cdni_flow_steps(&hmc->flow, hmc->trial, hmc->step, d->steps, &solved);
  if (status == CDN_OK && !d->no_metropolis) status = total_energy(hmc->trial, &after);
  if (status != CDN_OK && d->no_metropolis) {
    cdn_error error;
    cdn_state_last_error(hmc->trial, &error);
    cdni_state_set_error(hmc->state, &error);
    return status;
  }
  if (status == CDN_ERR_NOMEM) return status;
  solved = status == CDN_OK && isfinite(after);
  const double change = after - before, t = cdn_state_time(hmc->state) + time;
  const bool accepted = solved && (d->no_metropolis || uniform < exp(-change / d->kT));
  if (accepted) CDNI_TRY(cdn_state_copy(hmc->state, hmc->trial));
  else CDNI_TRY(turn_round(hmc));
  CDNI_TRY(cdn_state_set_time(hmc->state, t));
  /* the place holds at the new time, too */
  CDNI_TRY(cdn_state_set_random(hmc->state, &place));
  if (hmc->report.burn_in_left > 0) adapt(hmc, solved ? fmin(1, exp(-change / d->kT)) : 0);
  else count(hmc, solved, accepted, change);
  return CDN_OK;
}

cdn_status cdn_hmc_advance(cdn_hmc *hmc, int64_t n) {
  CDNI_NEED_OBJECT(hmc, CDN_ERR_ARG);
  for (int64_t k = 0; k < n; k++) CDNI_TRY(one(hmc));
  return CDN_OK;
}

cdn_status cdn_hmc_steps(cdn_hmc *hmc, double h, int n) {
  CDNI_NEED_OBJECT(hmc, CDN_ERR_ARG);
  if (!isfinite(h) || n < 0)
    return cdni_state_fail(hmc->state, CDN_ERR_ARG, false, __func__, NULL, "%d steps of %g: not possible", n, h);
  cdn_state *back = hmc->flow.back;
  hmc->flow.back = NULL; /* no ends are tested here */
  const cdn_status status = cdni_flow_steps(&hmc->flow, hmc->state, h, n, NULL);
  hmc->flow.back = back;
  CDNI_TRY(status);
  return cdn_state_set_time(hmc->state, cdn_state_time(hmc->state) + h * n);
}

static void get_report(const cdn_hmc *hmc, cdn_hmc_report *out) {
  const double n = (double)hmc->solved;
  *out = hmc->report;
  out->step = hmc->step;
  out->mean_exp = hmc->sum_exp / n;
  out->mean_exp_error = sqrt((hmc->sum_exp_squares / n - out->mean_exp * out->mean_exp) / n);
  out->mean_energy_error = hmc->sum_error / n;
}

void cdn_hmc_get_report_sized(const cdn_hmc *hmc, cdn_hmc_report *out, size_t size) {
  cdn_hmc_report report = { 0 };
  if (hmc) get_report(hmc, &report);
  cdni_sized_write(out, size, &report, sizeof report);
}

/* ---- replica exchange ---- */

static cdn_status swap(cdn_hmc *a, cdn_hmc *b) {
  const size_t nq = (size_t)a->flow.nq;
  double *q = a->flow.q0, *u = a->flow.u, *v = b->flow.u;
  const double ratio = sqrt(a->def.kT / b->def.kT);
  memcpy(q, cdn_state_q(a->state), nq * sizeof *q);
  for (int i = 0; i < a->flow.nu; i++) {
    u[i] = cdn_state_u(a->state)[i] / ratio;
    v[i] = cdn_state_u(b->state)[i] * ratio;
  }
  CDNI_TRY(cdn_state_set_q(a->state, cdn_state_q(b->state)));
  CDNI_TRY(cdn_state_set_q(b->state, q));
  CDNI_TRY(cdn_state_set_u(a->state, v));
  return cdn_state_set_u(b->state, u);
}

cdn_status cdn_hmc_exchange(cdn_hmc *const *hmc, int n, bool odd, int *swaps) {
  cdn_random_place place;
  if (swaps) *swaps = 0;
  if (n < 1) return CDN_OK;
  CDNI_NEED_OBJECT(hmc, CDN_ERR_ARG);
  for (int i = 0; i < n; i++) CDNI_NEED_OBJECT(hmc[i], CDN_ERR_ARG);
  cdn_state *first = hmc[0]->state;
  for (int i = 1; i < n; i++)
    if (cdn_state_system(hmc[i]->state) != cdn_state_system(first))
      return cdni_state_fail(first, CDN_ERR_ARG, false, __func__, NULL,
                             "sampler %d has another System: replicas are States of one System", i);
  CDNI_TRY(cdn_state_random(first, hmc[0]->def.user + 1, &place));
  place.count++;
  CDNI_TRY(cdn_state_set_random(first, &place));
  for (int i = odd; i + 1 < n; i += 2) {
    cdn_hmc *a = hmc[i], *b = hmc[i + 1];
    double U_a, U_b, uniform;
    /* a place for each pair: its number is in the run */
    const cdn_random_place own = { place.seed, place.run + (uint32_t)i, place.count, place.user };
    cdn_random_uniform(&own, 1, &uniform);
    CDNI_TRY(cdn_potential_energy(a->state, &U_a));
    CDNI_TRY(cdn_potential_energy(b->state, &U_b));
    if (!(uniform < exp((1 / a->def.kT - 1 / b->def.kT) * (U_a - U_b)))) continue;
    CDNI_TRY(swap(a, b));
    if (swaps) ++*swaps;
  }
  return CDN_OK;
}
