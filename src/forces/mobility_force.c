/* A constant generalized force on one mobility. Parameter: f. */
#include "forces/derivatives.h"

/* A constant does not vary. */
static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  (void)b, (void)state, (void)out;
  return CDN_OK;
}

const force_kind cdni_force_mobility_force = {
  .name = "mobility_force",
  .element_size = sizeof(force_mobility),
  .n_params = 1,
  .params = { CDNI_ANY("f", "N|N m") },
  .on_mobility = true,
  .parts = { { .reads = CDN_READS_POSITION, .mobilities = true, .kernel = FORCE_KERNEL_mobility_force } },
  .derivative = derivative,
  .describe = cdni_describe_mobility,
};

cdn_force cdn_system_add_mobility_force(cdn_system *system, const char *name, cdn_body body, int mobility, double f) {
  force_adder a;
  cdni_force_begin(&a, system, FORCE_MOBILITY_FORCE, "cdn_system_add_mobility_force", name);
  const force_mobility at = cdni_force_check_mobility(&a, body, mobility);
  return cdni_force_add(&a, &at, &f);
}

cdn_status cdn_mobility_force_set(cdn_state *state, cdn_force force, double f) {
  return cdni_force_set(state, force, FORCE_MOBILITY_FORCE, "cdn_mobility_force_set", &f);
}
