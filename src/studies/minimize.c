/* Minima of energy: cdn_minimize. descent.c goes the way. */
#include <cardan/minimize.h>

#include <math.h>

#include <cardan/forces.h>

#include "matter/operators.h"
#include "matter/scale.h"
#include "studies/descent.h"

static const char function[] = "cdn_minimize";

CDNI_DEF(minimize_def, .least_step = 1e-8, .largest_step = 0.25, .most_evaluations = 10000);

static const double LEAST_BOUND = 1e-8; /* model units: a smaller largest_step could not be told from an end */

const char *cdn_minimize_end_name(cdn_minimize_end end) {
  static const char *const names[] = { "balanced", "rounding", "evaluations" };
  return end >= 0 && end < CDNI_COUNT(names) ? names[end] : "unknown";
}

static cdn_status check_def(cdn_state *state, const cdn_minimize_def *def) {
  if (!(def->tolerance >= 0) || !isfinite(def->tolerance) || !(def->least_step > 0) || def->most_evaluations < 1 ||
      !(def->largest_step >= LEAST_BOUND))
    return cdni_state_fail(
        state, CDN_ERR_ARG, false, function, NULL,
        "tolerance %g cannot be negative, least step %g and %d evaluations must be positive, and the "
        "largest step %g at least %g",
        def->tolerance, def->least_step, def->most_evaluations, def->largest_step, LEAST_BOUND);
  return CDN_OK;
}

static cdn_status no_step(const descent *d, const char *worst) {
  cdn_error message = { .code = CDN_OK };
  if (d->failed != CDN_OK) cdn_state_last_error(d->x->rest, &message);
  return cdni_state_fail(d->x->rest, CDN_ERR_LIMIT, false, function, worst,
                         "no step gives up energy after %d evaluations, though a force of %g acts on '%s': %s",
                         d->evaluations, d->worst, worst,
                         message.code != CDN_OK ? message.text
                                                : "forces jump there, or a potential is not that of its force "
                                                  "(cdn_check_force tells)");
}

static cdn_status go(descent *d, cdn_minimization *result) {
  search *x = d->x;
  x->length = cdni_matter_length(cdni_matter(cdn_state_system(x->rest)), x->rest);
  CDNI_TRY(cdni_equilibrium_project(x));
  if (!(x->length > 0)) x->length = 1; /* all bodies are points at the origin */
  CDNI_TRY(cdni_statics_friction_hold(x->rest));
  CDNI_TRY(cdn_realize(x->rest, CDN_STAGE_ACCELERATION));
  CDNI_TRY(cdn_potential_energy(x->rest, &result->energy_before));
  result->energy = result->energy_before;
  CDNI_TRY(cdni_descent_run(d));
  CDNI_TRY(cdn_potential_energy(x->rest, &result->energy));
  result->evaluations = d->evaluations, result->iterations = d->iterations, result->gradient = d->worst;
  if (d->worst_u >= 0)
    cdn_system_slot_name(cdn_state_system(x->rest), CDN_POOL_U, d->worst_u, result->worst, sizeof result->worst);
  switch (d->end) {
    case DESCENT_BALANCED: result->end = CDN_MINIMIZE_BALANCED; return CDN_OK;
    case DESCENT_ROUNDING: result->end = CDN_MINIMIZE_ROUNDING; return CDN_OK;
    case DESCENT_EVALUATIONS: result->end = CDN_MINIMIZE_EVALUATIONS; return CDN_OK;
    case DESCENT_NO_STEP: break;
  }
  return no_step(d, result->worst);
}

static cdn_status minimize(cdn_state *state, const cdn_minimize_def *def, cdn_minimization *result) {
  cdn_minimize_def known;
  const char *unreadable = read_minimize_def(&known, def ? def : &minimize_def_defaults);
  *result = (cdn_minimization){ .end = CDN_MINIMIZE_EVALUATIONS, .gradient = INFINITY };
  if (unreadable) return cdni_state_fail(state, CDN_ERR_VERSION, false, function, NULL, "%s", unreadable);
  CDNI_TRY(check_def(state, &known));
  cdn_equilibrium report = { .iterations = 0 };
  search x = { .function = function, .report = &report, .from = state };
  descent d = { .x = &x,
                .tolerance = known.tolerance,
                .least_step = known.least_step,
                .largest_step = known.largest_step,
                .most_evaluations = known.most_evaluations };
  CDNI_TRY(cdni_rest_state(state, function, &x.rest));
  const size_t walk = cdni_equilibrium_walk_divide(&x, NULL);
  double *memory = cdn_work_push(state, (walk + cdni_descent_divide(&d, NULL)) * sizeof *memory);
  cdn_status status = CDN_OK;
  if (!memory) status = cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  else {
    cdni_equilibrium_walk_divide(&x, memory);
    cdni_descent_divide(&d, memory + walk);
    status = go(&d, result);
    if (status == CDN_OK) status = cdn_state_set_q(state, cdn_state_q(x.rest));
    if (status == CDN_OK) status = cdn_state_set_u(state, cdn_state_u(x.rest));
  }
  cdn_work_pop(state, memory);
  cdni_rest_destroy(state, x.rest, status);
  return status;
}

cdn_status cdn_minimize_sized(cdn_state *state, const cdn_minimize_def *def, cdn_minimization *out, size_t size) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  cdn_minimization result;
  const cdn_status status = minimize(state, def, &result);
  cdni_sized_write(out, size, &result, sizeof result);
  return status;
}
