#include "integrators/gauge.h"
#include "integrators/norm.h"
#include "integrators/step.h"
#include "integrators/stepper.h"

cdn_status cdni_gauge_create(cdn_state *state, const char *function, cdn_stepper **out) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_DORMAND_PRINCE;
  CDNI_TRY(cdni_stepper_make(state, &def, true, function, out));
  cdn_status status = cdn_state_copy((*out)->work, state);
  if (status == CDN_OK) {
    cdni_note_prescribed(*out);
    return CDN_OK;
  }
  cdn_stepper_destroy(*out);
  *out = NULL;
  return status;
}

cdn_status cdni_gauge_distance(cdn_stepper *gauge, cdn_state *place, const double *ya, const double *yb, double of[3],
                               cdn_pool *pool, int *slot) {
  return cdni_distance(gauge, place, ya, yb, of, pool, slot);
}

cdni_effort cdni_stepper_effort(const cdn_stepper *s) {
  const cdn_certificate *c = &s->certificate;
  return (cdni_effort){ c->steps, c->rejected, c->evaluations, s->local_errors };
}

void cdni_stepper_take_gone_through(cdn_stepper *s, cdni_gone_through *out) {
  cdn_certificate *c = &s->certificate;
  if (!out->names[0]) {
    memcpy(out->names, c->passed, sizeof out->names);
    out->time = c->passed_time;
  }
  c->passed[0] = 0;
}
