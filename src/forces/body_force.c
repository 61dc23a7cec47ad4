/* A constant force at a station of a body and a constant moment, both in Ground's axes. Parameters: f_G, m_G. */
#include "forces/derivatives.h"
#include "forces/elements/body_force.h"

static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const body_force *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!force_is_on(b, i) || e[i].body == 0) continue;
    const double *p = b->params + 6 * i;
    v3 r = body_force_lever(force_frames(b, state), out->pass->pose, &e[i]);
    cdni_derivatives_constant_force(out->pass, e[i].body, r, v3_load(p));
    cdni_derivatives_constant_moment(out->pass, e[i].body, v3_load(p + 3));
  }
  return CDN_OK;
}

const force_kind cdni_force_body_force = {
  .name = "body_force",
  .element_size = sizeof(body_force),
  .n_params = 6,
  .params = { CDNI_VECTOR("f_G", "N"), CDNI_VECTOR("m_G", "N m") },
  .parts = { { .reads = CDN_READS_POSITION, .bodies = true, .kernel = FORCE_KERNEL_body_force } },
  .derivative = derivative,
  .describe = cdni_describe_body_force,
};

cdn_force cdn_system_add_body_force(cdn_system *system, const char *name, cdn_body body, cdn_vec3 p_B, cdn_vec3 f_G,
                                    cdn_vec3 m_G) {
  force_adder a;
  cdni_force_begin(&a, system, FORCE_BODY_FORCE, "cdn_system_add_body_force", name);
  cdni_adder_check_body(&a.by, body);
  const double station[] = { p_B.x, p_B.y, p_B.z };
  cdni_adder_check_numbers(&a.by, "the station", station, 3);
  const body_force e = { body.i, p_B };
  const double params[] = { f_G.x, f_G.y, f_G.z, m_G.x, m_G.y, m_G.z };
  return cdni_force_add(&a, &e, params);
}

cdn_status cdn_body_force_set(cdn_state *state, cdn_force force, cdn_vec3 f_G, cdn_vec3 m_G) {
  const double params[] = { f_G.x, f_G.y, f_G.z, m_G.x, m_G.y, m_G.z };
  return cdni_force_set(state, force, FORCE_BODY_FORCE, "cdn_body_force_set", params);
}
