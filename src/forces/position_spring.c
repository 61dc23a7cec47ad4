/* A spring on the three lengths of a mobilizer: elements/mobility.h has its formula. */
#include "forces/derivatives.h"

static cdn_status calc_potential(const force_batch *b, cdn_state *state, double *energy) {
  const force_mobility *at = b->elements;
  const double *q;
  CDNI_TRY(force_q(b, state, &q));
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + POSITION_SPRING_PARAMS * i;
    double r;
    if (!force_is_on(b, i)) continue;
    position_displacement(q + at[i].q, p, &r);
    *energy += r * r * (p[POSITION_K] / 2 + r * (p[POSITION_K2] / 3 + r * p[POSITION_K3] / 4));
  }
  return CDN_OK;
}

/* -k(r) 1 - k'(r)/r x x^T; where r is 0, so is the second part. */
static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const force_mobility *at = b->elements;
  const double *q;
  CDNI_TRY(force_q(b, state, &q));
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + POSITION_SPRING_PARAMS * i;
    double r;
    if (!force_is_on(b, i)) continue;
    const v3 x = position_displacement(q + at[i].q, p, &r);
    const double k = position_stiffness(p, r), rise = r > 0 ? p[POSITION_K2] / r + 2 * p[POSITION_K3] : 0;
    const m3 stiff = { { -k, 0, 0 }, { 0, -k, 0 }, { 0, 0, -k } }, dq = m3_minus_outer(stiff, v3_scale(rise, x), x);
    derivative_of_three(out, at[i].u, &dq, NULL);
  }
  return CDN_OK;
}

const force_kind cdni_force_position_spring = {
  .name = "position_spring",
  .element_size = sizeof(force_mobility),
  .n_params = POSITION_SPRING_PARAMS,
  .params = { CDNI_ANY("k", "N/m"), CDNI_VECTOR("p0", "m"), CDNI_ANY("k2", "N/m^2"), CDNI_ANY("k3", "N/m^3") },
  .parts = { { .reads = CDN_READS_POSITION,
               .potential = true,
               .mobilities = true,
               .kernel = FORCE_KERNEL_position_spring } },
  .calc_potential = calc_potential,
  .derivative = derivative,
  .describe = cdni_describe_mobility,
};

static void put_params(double params[POSITION_SPRING_PARAMS], const double k[3], cdn_vec3 p0) {
  params[POSITION_K] = k ? k[0] : NAN;
  memcpy(params + POSITION_P0, &p0, 3 * sizeof *params);
  params[POSITION_K2] = k ? k[1] : NAN, params[POSITION_K3] = k ? k[2] : NAN;
}

cdn_force cdn_system_add_position_spring(cdn_system *system, const char *name, cdn_body body, const double k[3],
                                         cdn_vec3 p0) {
  force_adder a;
  double params[POSITION_SPRING_PARAMS];
  cdni_force_begin(&a, system, FORCE_POSITION_SPRING, "cdn_system_add_position_spring", name);
  const force_mobility at = cdni_force_check_position(&a, body);
  put_params(params, k, p0);
  return cdni_force_add(&a, &at, params);
}

cdn_status cdn_position_spring_set(cdn_state *state, cdn_force force, const double k[3], cdn_vec3 p0) {
  double params[POSITION_SPRING_PARAMS];
  CDNI_NEED(state, k);
  put_params(params, k, p0);
  return cdni_force_set(state, force, FORCE_POSITION_SPRING, "cdn_position_spring_set", params);
}
