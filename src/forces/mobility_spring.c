/* A spring on one coordinate: f = -k (q - q0). Parameters: k, q0. */
#include "forces/derivatives.h"

static cdn_status calc_potential(const force_batch *b, cdn_state *state, double *energy) {
  const force_mobility *at = b->elements;
  const double *q;
  CDNI_TRY(force_q(b, state, &q));
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + 2 * i, x = q[at[i].q] - p[1];
    if (force_is_on(b, i)) *energy += 0.5 * p[0] * x * x;
  }
  return CDN_OK;
}

static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const force_mobility *at = b->elements;
  (void)state;
  for (int i = 0; i < b->n; i++)
    if (force_is_on(b, i)) derivative_of_mobility(out, at[i].u, at[i].u, -b->params[2 * i], 0);
  return CDN_OK;
}

const force_kind cdni_force_mobility_spring = {
  .name = "mobility_spring",
  .element_size = sizeof(force_mobility),
  .n_params = 2,
  .params = { CDNI_ANY("k", "N/m|N m/rad"), CDNI_ANY("q0", "m|rad") },
  .on_mobility = true,
  .parts = { { .reads = CDN_READS_POSITION,
               .potential = true,
               .mobilities = true,
               .kernel = FORCE_KERNEL_mobility_spring } },
  .calc_potential = calc_potential,
  .derivative = derivative,
  .describe = cdni_describe_mobility,
};

cdn_force cdn_system_add_mobility_spring(cdn_system *system, const char *name, cdn_body body, int coordinate, double k,
                                         double q0) {
  force_adder a;
  cdni_force_begin(&a, system, FORCE_MOBILITY_SPRING, "cdn_system_add_mobility_spring", name);
  const force_mobility at = cdni_force_check_coordinate(&a, body, coordinate);
  const double params[] = { k, q0 };
  return cdni_force_add(&a, &at, params);
}

cdn_status cdn_mobility_spring_set(cdn_state *state, cdn_force force, double k, double q0) {
  const double params[] = { k, q0 };
  return cdni_force_set(state, force, FORCE_MOBILITY_SPRING, "cdn_mobility_spring_set", params);
}
