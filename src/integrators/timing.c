/* Times of the computations of a run: those of the State in which it takes its steps. */
#include <cardan/diagnostics.h>

#include "integrators/stepper.h"

cdn_status cdn_stepper_set_timed(cdn_stepper *stepper, bool timed) {
  CDNI_NEED_OBJECT(stepper, CDN_ERR_ARG);
  return cdn_state_set_timed(stepper->work, timed);
}

cdn_status cdn_stepper_get_time_sized(const cdn_stepper *stepper, cdn_ticket ticket, cdn_entry_time *out, size_t size) {
  CDNI_NEED_OBJECT(stepper, CDN_ERR_ARG);
  return cdn_state_get_time_sized(stepper->work, ticket, out, size);
}
