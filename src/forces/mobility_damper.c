/* A damper on one mobility: f = -(c + c2 |u| + c3 u^2) u. Parameters: c, c2, c3. */
#include <math.h>

#include "forces/derivatives.h"

static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const force_mobility *at = b->elements;
  const double *u;
  CDNI_TRY(force_u(b, state, &u));
  for (int i = 0; i < b->n; i++)
    if (force_is_on(b, i))
      derivative_of_mobility(out, at[i].u, at[i].u, 0, -damper_slope(b->params + DAMPER_PARAMS * i, u[at[i].u]));
  return CDN_OK;
}

/* Of that. */
static double bend(const double *p, double u) {
  return (u > 0 ? 2 : u < 0 ? -2 : 0) * p[DAMPER_C2] + 6 * u * p[DAMPER_C3];
}

static cdn_status sum(const force_room *room, cdn_state *state, double (*of)(const double *p, double u), int nu,
                      double *out, bool *constant) {
  if (constant) *constant = true;
  memset(out, 0, (size_t)nu * sizeof *out);
  if (!room || room->sets[FORCE_MOBILITY_DAMPER].ids.count == 0) return CDN_OK;
  const force_batch b = cdni_force_batch(room, state, FORCE_MOBILITY_DAMPER, NULL);
  const force_mobility *at = b.elements;
  const double *u;
  CDNI_TRY(force_u(&b, state, &u));
  for (int i = 0; i < b.n; i++) {
    const double *p = b.params + DAMPER_PARAMS * i;
    if (!force_is_on(&b, i)) continue;
    out[at[i].u] += of(p, u[at[i].u]);
    if (constant && (p[DAMPER_C2] != 0 || p[DAMPER_C3] != 0)) *constant = false;
  }
  return CDN_OK;
}

cdn_status cdni_forces_joint_damping(const force_room *room, cdn_state *state, double *damping, int nu,
                                     bool *constant) {
  return sum(room, state, damper_slope, nu, damping, constant);
}

cdn_status cdni_forces_joint_damping_by_u(const force_room *room, cdn_state *state, double *change, int nu) {
  return sum(room, state, bend, nu, change, NULL);
}

const force_kind cdni_force_mobility_damper = {
  .name = "mobility_damper",
  .element_size = sizeof(force_mobility),
  .n_params = DAMPER_PARAMS,
  .params = { [DAMPER_C] = CDNI_NOT_NEGATIVE("c", "N s/m|N m s/rad"),
              [DAMPER_C2] = CDNI_ANY("c2", "N s^2/m^2|N m s^2/rad^2"),
              [DAMPER_C3] = CDNI_ANY("c3", "N s^3/m^3|N m s^3/rad^3") },
  .on_mobility = true,
  .own_speed = true,
  .parts = { { .reads = CDN_READS_VELOCITY, .mobilities = true, .kernel = FORCE_KERNEL_mobility_damper } },
  .derivative = derivative,
  .describe = cdni_describe_mobility,
};

static cdn_force add(cdn_system *system, const char *function, const char *name, cdn_body body, int mobility,
                     const double c[3]) {
  static const double none[3] = { NAN, NAN, NAN };
  force_adder a;
  cdni_force_begin(&a, system, FORCE_MOBILITY_DAMPER, function, name);
  const force_mobility at = cdni_force_check_mobility(&a, body, mobility);
  return cdni_force_add(&a, &at, c ? c : none);
}

cdn_force cdn_system_add_mobility_damper(cdn_system *system, const char *name, cdn_body body, int mobility, double c) {
  return add(system, "cdn_system_add_mobility_damper", name, body, mobility, (double[]){ c, 0, 0 });
}

cdn_force cdn_system_add_polynomial_damper(cdn_system *system, const char *name, cdn_body body, int mobility,
                                           const double c[3]) {
  return add(system, "cdn_system_add_polynomial_damper", name, body, mobility, c);
}

cdn_status cdn_mobility_damper_set(cdn_state *state, cdn_force force, double c) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const double *now = cdni_force_params(state, force, FORCE_MOBILITY_DAMPER);
  double params[DAMPER_PARAMS] = { 0 };
  if (now) memcpy(params, now, sizeof params);
  params[DAMPER_C] = c;
  return cdni_force_set(state, force, FORCE_MOBILITY_DAMPER, "cdn_mobility_damper_set", params);
}
