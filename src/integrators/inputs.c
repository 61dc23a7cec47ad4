/* Inputs: changes of the report State by the caller between calls take effect with the next call. */
#include "integrators/certificate.h"
#include "integrators/companion.h"
#include "integrators/failure.h"
#include "integrators/inputs.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "integrators/sweep.h"
#include "soft/soft.h"
#include "system/system.h"

void cdni_note_shown(cdn_stepper *s) {
  if (s->ny) memcpy(s->shown, cdni_state_y(s->report), sizeof(double) * (size_t)s->ny);
  cdni_state_note_serials(s->report, s->noted);
}

static bool same_doubles(const double *a, const double *b, int n) {
  return n == 0 || memcmp(a, b, sizeof(double) * (size_t)n) == 0;
}

/* Whether the run can continue as if nothing had been written: the rates and the power at the step's end have the
 * same bits, and no other input of the steps has changed. */
static cdn_status is_smooth(cdn_stepper *s, bool *smooth) {
  double power;
  *smooth = false;
  if (s->reported != s->t || s->projector || s->n_prescribed_q + s->n_prescribed_u) return CDN_OK;
  s->certificate.evaluations++;
  CDNI_TRY(cdni_realize_start(s, s->report));
  CDNI_TRY(cdni_power(s, s->report, &power));
  bool free = true;
  bool *flags = (bool *)s->scratch; /* nq + nu of them fit */
  cdni_state_prescribed(s->report, flags, flags + s->nq);
  for (int i = 0; i < s->nq + s->nu; i++) free = free && !flags[i];
  *smooth = free && power == s->power && same_doubles(cdni_state_ydot(s->report), s->f[s->at], s->ny);
  return CDN_OK;
}

/* Parameters may change the potential energy even if they leave the rates as they are. */
static cdn_status go_on_with(cdn_stepper *s) {
  double energy;
  cdni_sweep_forget(s);
  CDNI_TRY(cdni_certificate_rewind(s, s->t, &energy));
  CDNI_TRY(cdni_state_pass_on(s->report, s->noted, s->work));
  CDNI_TRY(cdni_state_begin_run(s->work)); /* a history may see what the rates do not show yet */
  CDNI_TRY(cdni_realize_start(s, s->work));
  cdni_soft_hide_step(s->report);
  return cdni_certificate_restart(s, energy);
}

/* A failure of the report State becomes a failure of the run. */
static cdn_status tell(cdn_stepper *s, cdn_status status) {
  cdn_error error;
  cdn_state_last_error(s->report, &error);
  if (error.code == status) cdni_state_set_error(s->work, &error);
  return cdni_fail_evaluation(s, "cdn_stepper_advance", status);
}

bool cdni_has_inputs(const cdn_stepper *s) {
  const cdni_written w = cdni_state_written(s->report, s->noted);
  return w.t || w.y || w.variables;
}

cdn_status cdni_take_inputs(cdn_stepper *s) {
  s->tethered = false;
  cdni_written w = cdni_state_written(s->report, s->noted);
  if (!w.t && !w.y && !w.variables) return CDN_OK;
  double t = cdn_state_time(s->report);
  if (t != s->reported) {
    return cdni_fail_argument(s, "cdn_stepper_advance", CDN_ERR_ARG,
                              "the time of the stepper's State was set from %.17g to %.17g; "
                              "cdn_stepper_restart goes on from another time",
                              s->reported, t);
  }
  bool jumps = w.y && !same_doubles(cdni_state_y(s->report), s->shown, s->ny);
  if (!jumps && (!w.variables || cdni_state_same_variables(s->report, s->work))) return CDN_OK;
  /* a run that a handler has stopped stays where it is */
  if (cdn_stepper_is_stopped(s)) return CDN_OK;
  cdni_companion_pass_on(s, s->report);
  cdni_companion_note_before(s);
  s->tethered = true;
  bool smooth = false;
  cdn_status status = jumps ? CDN_OK : is_smooth(s, &smooth);
  if (status != CDN_OK) return tell(s, status);
  if (smooth) {
    status = go_on_with(s);
    return status == CDN_OK ? CDN_OK : cdni_fail_evaluation(s, "cdn_stepper_advance", status);
  }
  CDNI_TRY(cdni_restart(s, s->report, jumps, "cdn_stepper_advance"));
  if (jumps) cdni_companion_jump(s);
  return CDN_OK;
}
