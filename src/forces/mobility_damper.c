/* A damper on one mobility: f = -c u. Parameter: c. */
#include "forces/derivatives.h"

static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const force_mobility *at = b->elements;
  (void)state;
  for (int i = 0; i < b->n; i++)
    if (force_is_on(b, i)) derivative_of_mobility(out, at[i].u, at[i].u, 0, -b->params[i]);
  return CDN_OK;
}

void cdni_forces_joint_damping(const force_room *room, cdn_state *state, double *damping, int nu) {
  memset(damping, 0, (size_t)nu * sizeof *damping);
  if (!room) return;
  const force_batch b = cdni_force_batch(room, state, FORCE_MOBILITY_DAMPER, NULL);
  const force_mobility *at = b.elements;
  for (int i = 0; i < b.n; i++)
    if (force_is_on(&b, i)) damping[at[i].u] += b.params[i];
}

const force_kind cdni_force_mobility_damper = {
  .name = "mobility_damper",
  .element_size = sizeof(force_mobility),
  .n_params = 1,
  .params = { CDNI_NOT_NEGATIVE("c", "N s/m|N m s/rad") },
  .on_mobility = true,
  .own_speed = true,
  .parts = { { .reads = CDN_READS_VELOCITY, .mobilities = true, .kernel = FORCE_KERNEL_mobility_damper } },
  .derivative = derivative,
  .describe = cdni_describe_mobility,
};

cdn_force cdn_system_add_mobility_damper(cdn_system *system, const char *name, cdn_body body, int mobility, double c) {
  force_adder a;
  cdni_force_begin(&a, system, FORCE_MOBILITY_DAMPER, "cdn_system_add_mobility_damper", name);
  const force_mobility at = cdni_force_check_mobility(&a, body, mobility);
  return cdni_force_add(&a, &at, &c);
}

cdn_status cdn_mobility_damper_set(cdn_state *state, cdn_force force, double c) {
  return cdni_force_set(state, force, FORCE_MOBILITY_DAMPER, "cdn_mobility_damper_set", &c);
}
