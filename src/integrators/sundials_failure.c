/* What it means for a run that a solver of SUNDIALS gave up. */
#include <stdio.h>

#include "integrators/norm.h"
#include "integrators/stepper.h"
#include "integrators/sundials.h"
#include "system/system.h"

/* The coordinate with the largest weighted correction in the iteration that failed, as ": most in NAME". */
static void name_worst(const cdn_stepper *s, char *text, size_t size) {
  char name[96];
  cdn_pool pool;
  int slot;
  double error;
  text[0] = 0;
  if (!cdni_worst_slot(s, &pool, &slot, &error)) return;
  cdn_system_slot_name(s->system, pool, slot, name, sizeof name);
  snprintf(text, size, "; the largest correction is that of %s", name);
}

static cdn_status tell(cdn_stepper *s, cdn_status code, bool recoverable, const char *what, const char *more) {
  const cdni_sundials *m = s->solver;
  return cdni_state_fail(s->work, code, recoverable, "cdn_stepper_advance", NULL,
                         "%s: at t = %.17g with a step of %.3g %s%s", m->ops->name, s->step.t0, s->step.h, what, more);
}

cdn_status cdni_sundials_failure(cdn_stepper *s, int flag) {
  const cdni_sundials *m = s->solver;
  char worst[160];
  cdni_sundials_cause cause = m->ops->cause(flag);
  /* of an evaluation the message is on `work` already; at the smallest step SUNDIALS calls it no convergence */
  bool evaluating = cause == CDNI_SUNDIALS_CALLBACK || cause == CDNI_SUNDIALS_ITERATION;
  if (m->status != CDN_OK && (evaluating || m->hopeless)) return m->status;
  switch (cause) {
    case CDNI_SUNDIALS_ERROR: return CDN_OK;
    case CDNI_SUNDIALS_CALLBACK: return tell(s, CDN_ERR_STEP, true, "Newton's matrix is singular", "");
    case CDNI_SUNDIALS_ITERATION:
      name_worst(s, worst, sizeof worst);
      return tell(s, CDN_ERR_STEP, true, "the iteration for the step's end does not converge", worst);
    case CDNI_SUNDIALS_ACCURACY:
      return tell(s, CDN_ERR_STEP, false,
                  "the accuracy asked for is below the rounding of the values: ask for less, or shift their origin",
                  "");
    case CDNI_SUNDIALS_MEMORY: return tell(s, CDN_ERR_NOMEM, false, "out of memory", "");
    case CDNI_SUNDIALS_OTHER: break;
  }
  return tell(s, CDN_ERR_UNSUPPORTED, false, "the solver refuses to go on: ", m->text);
}
