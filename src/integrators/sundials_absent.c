/* The methods of SUNDIALS in a library that was built without it: each says so when it is asked for. */
#include "integrators/stepper.h"
#include "system/system.h"

static cdn_status create(cdn_stepper *s) {
  return cdni_state_fail(
      s->work, CDN_ERR_UNSUPPORTED, false, "cdn_stepper_create", NULL,
      "%s is a method of SUNDIALS, without which this library was built: install SUNDIALS 6.4 or later "
      "(Debian: libsundials-dev) and build again with -Dsundials=enabled, or choose another method",
      s->method->name);
}

static size_t memory(const cdni_method *method, int ny) {
  (void)method, (void)ny;
  return 0;
}

const cdni_method cdni_cvode_bdf = {
  .name = "CVODE BDF", .error_order = 2, .own_steps = true, .memory = memory, .create = create
};
const cdni_method cdni_cvode_adams = {
  .name = "CVODE Adams", .error_order = 2, .own_steps = true, .memory = memory, .create = create
};
const cdni_method cdni_ida = { .name = "IDA", .error_order = 2, .own_steps = true, .memory = memory, .create = create };
