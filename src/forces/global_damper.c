/* A damper on every mobility: f = -c u. Parameter: c. */
#include "forces/derivatives.h"

static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  (void)state;
  double c = 0;
  for (int i = 0; i < b->n; i++) c += force_is_on(b, i) ? b->params[i] : 0;
  for (int k = 0; k < b->matter->tree.nu; k++) derivative_of_mobility(out, k, k, 0, -c);
  return CDN_OK;
}

const force_kind cdni_force_global_damper = {
  .name = "global_damper",
  .n_params = 1,
  .params = { CDNI_NOT_NEGATIVE("c", "N s/m, N m s/rad") },
  .own_speed = true,
  .parts = { { .reads = CDN_READS_VELOCITY, .mobilities = true, .kernel = FORCE_KERNEL_global_damper } },
  .derivative = derivative,
};

cdn_force cdn_system_add_global_damper(cdn_system *system, const char *name, double c) {
  force_adder a;
  cdni_force_begin(&a, system, FORCE_GLOBAL_DAMPER, "cdn_system_add_global_damper", name);
  return cdni_force_add(&a, NULL, &c);
}

cdn_status cdn_global_damper_set(cdn_state *state, cdn_force force, double c) {
  return cdni_force_set(state, force, FORCE_GLOBAL_DAMPER, "cdn_global_damper_set", &c);
}
