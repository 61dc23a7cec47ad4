/* A damper of the turning of a ball or free mobilizer: elements/rotation.h has its formula. */
#include "forces/derivatives.h"
#include "forces/elements/rotation.h"

/* By a small turn e of M, in F, the moment changes by e x moment, and by what w, which becomes w - e x w, does to
 * it. */
static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  static const v3 unit[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  const force_mobility *at = b->elements;
  const double *q, *u;
  CDNI_TRY(force_q(b, state, &q));
  CDNI_TRY(force_u(b, state, &u));
  for (int i = 0; i < b->n; i++) {
    if (!force_is_on(b, i)) continue;
    const double *p = b->params + DAMPER_PARAMS * i;
    const m3 R = quaternion_rotation(q + at[i].q);
    const v3 w = v3_load(u + at[i].u), w_M = m3_tmul(R, w), moment = m3_mul(R, turn_damping(p, w_M));
    const v3 slope = { -damper_slope(p, w_M.x), -damper_slope(p, w_M.y), -damper_slope(p, w_M.z) };
    /* R slope R^T */
    const m3 du =
        m3_mul_m3((m3){ v3_scale(slope.x, R.x), v3_scale(slope.y, R.y), v3_scale(slope.z, R.z) }, m3_transpose(R));
    v3 dq[3];
    for (int k = 0; k < 3; k++) dq[k] = v3_sub(v3_cross(unit[k], moment), m3_mul(du, v3_cross(unit[k], w)));
    derivative_of_three(out, at[i].u, &(m3){ dq[0], dq[1], dq[2] }, &du);
  }
  return CDN_OK;
}

const force_kind cdni_force_rotation_damper = {
  .name = "rotation_damper",
  .element_size = sizeof(force_mobility),
  .n_params = DAMPER_PARAMS,
  .params = { [DAMPER_C] = CDNI_NOT_NEGATIVE("c", "N m s/rad"),
              [DAMPER_C2] = CDNI_ANY("c2", "N m s^2/rad^2"),
              [DAMPER_C3] = CDNI_ANY("c3", "N m s^3/rad^3") },
  .parts = { { .reads = CDN_READS_VELOCITY, .mobilities = true, .kernel = FORCE_KERNEL_rotation_damper } },
  .derivative = derivative,
  .describe = cdni_describe_mobility,
};

cdn_force cdn_system_add_rotation_damper(cdn_system *system, const char *name, cdn_body body, const double c[3]) {
  static const double none[3] = { NAN, NAN, NAN };
  force_adder a;
  cdni_force_begin(&a, system, FORCE_ROTATION_DAMPER, "cdn_system_add_rotation_damper", name);
  const force_mobility at = cdni_force_check_rotation(&a, body);
  return cdni_force_add(&a, &at, c ? c : none);
}

cdn_status cdn_rotation_damper_set(cdn_state *state, cdn_force force, const double c[3]) {
  CDNI_NEED(state, c);
  return cdni_force_set(state, force, FORCE_ROTATION_DAMPER, "cdn_rotation_damper_set", c);
}
