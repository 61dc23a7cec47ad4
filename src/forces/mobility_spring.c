/* A spring on one coordinate: f = -(k x + k2 x^2 + k3 x^3) with x = q - q0. Parameters: k, q0, k2, k3. */
#include <math.h>

#include "forces/derivatives.h"

static cdn_status calc_potential(const force_batch *b, cdn_state *state, double *energy) {
  const force_mobility *at = b->elements;
  const double *q;
  CDNI_TRY(force_q(b, state, &q));
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + MOBILITY_SPRING_PARAMS * i, x = q[at[i].q] - p[MOBILITY_Q0];
    if (force_is_on(b, i))
      *energy += 0.5 * p[MOBILITY_K] * x * x + x * x * x * (p[MOBILITY_K2] / 3 + x * p[MOBILITY_K3] / 4);
  }
  return CDN_OK;
}

static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const force_mobility *at = b->elements;
  const double *q;
  CDNI_TRY(force_q(b, state, &q));
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + MOBILITY_SPRING_PARAMS * i, x = q[at[i].q] - p[MOBILITY_Q0];
    const double slope = p[MOBILITY_K] + x * (2 * p[MOBILITY_K2] + 3 * x * p[MOBILITY_K3]);
    if (force_is_on(b, i)) derivative_of_mobility(out, at[i].u, at[i].u, -slope, 0);
  }
  return CDN_OK;
}

const force_kind cdni_force_mobility_spring = {
  .name = "mobility_spring",
  .element_size = sizeof(force_mobility),
  .n_params = MOBILITY_SPRING_PARAMS,
  .params = { [MOBILITY_K] = CDNI_ANY("k", "N/m|N m/rad"),
              [MOBILITY_Q0] = CDNI_ANY("q0", "m|rad"),
              [MOBILITY_K2] = CDNI_ANY("k2", "N/m^2|N m/rad^2"),
              [MOBILITY_K3] = CDNI_ANY("k3", "N/m^3|N m/rad^3") },
  .on_mobility = true,
  .parts = { { .reads = CDN_READS_POSITION,
               .potential = true,
               .mobilities = true,
               .kernel = FORCE_KERNEL_mobility_spring } },
  .calc_potential = calc_potential,
  .derivative = derivative,
  .describe = cdni_describe_mobility,
};

static cdn_force add(cdn_system *system, const char *function, const char *name, cdn_body body, int coordinate,
                     const double k[3], double q0) {
  static const double none[3] = { NAN, NAN, NAN };
  force_adder a;
  if (!k) k = none;
  cdni_force_begin(&a, system, FORCE_MOBILITY_SPRING, function, name);
  const force_mobility at = cdni_force_check_coordinate(&a, body, coordinate);
  const double params[MOBILITY_SPRING_PARAMS] = {
    [MOBILITY_K] = k[0], [MOBILITY_Q0] = q0, [MOBILITY_K2] = k[1], [MOBILITY_K3] = k[2]
  };
  return cdni_force_add(&a, &at, params);
}

cdn_force cdn_system_add_mobility_spring(cdn_system *system, const char *name, cdn_body body, int coordinate, double k,
                                         double q0) {
  return add(system, "cdn_system_add_mobility_spring", name, body, coordinate, (double[]){ k, 0, 0 }, q0);
}

cdn_force cdn_system_add_polynomial_spring(cdn_system *system, const char *name, cdn_body body, int coordinate,
                                           const double k[3], double q0) {
  return add(system, "cdn_system_add_polynomial_spring", name, body, coordinate, k, q0);
}

cdn_status cdn_mobility_spring_set(cdn_state *state, cdn_force force, double k, double q0) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const double *now = cdni_force_params(state, force, FORCE_MOBILITY_SPRING);
  double params[MOBILITY_SPRING_PARAMS] = { 0 };
  if (now) memcpy(params, now, sizeof params);
  params[MOBILITY_K] = k, params[MOBILITY_Q0] = q0;
  return cdni_force_set(state, force, FORCE_MOBILITY_SPRING, "cdn_mobility_spring_set", params);
}
