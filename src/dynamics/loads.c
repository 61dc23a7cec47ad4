/* Loads of bodies: what acts on them from outside the model, and what they have from the rest of it. */
#include <cardan/operators.h>

#include "dynamics/internal.h"

/* ---- from outside ---------------------------------------------------------------------------- */

static void add_at(cdn_spatial *F, cdn_vec3 arm, cdn_vec3 force, cdn_vec3 moment, double sign) {
  F->w = cdn_add(F->w, cdn_scale(sign, cdn_add(moment, cdn_cross(arm, force))));
  F->v = cdn_add(F->v, cdn_scale(sign, force));
}

/* Compliant contacts are force elements; soft ones are rows. */
static cdn_status add_compliant(cdn_state *state, cdn_spatial *F_G) {
  const cdn_system *system = cdn_state_system(state);
  int n;
  CDNI_TRY(cdn_contact_count(state, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    CDNI_TRY(cdn_contact_get(state, i, &c));
    if (c.model != CDN_CONTACT_COMPLIANT) continue;
    const cdn_vec3 force = cdn_add(cdn_add(cdn_scale(c.force, c.normal), c.friction), c.side_force);
    const cdn_shape ends[2] = { c.a, c.b };
    for (int k = 0; k < 2; k++) {
      const cdn_body body = cdn_shape_body(system, ends[k]);
      cdn_transform X_GB;
      CDNI_TRY(cdn_body_pose(state, body, &X_GB));
      add_at(&F_G[body.i], cdn_sub(c.point, X_GB.p), force, cdn_add(c.moment, c.side_moment), k == 0 ? -1 : 1);
    }
  }
  return CDN_OK;
}

/* Tendons are parts of the model, though their rows act on bodies. */
static cdn_status leave_out_paths(cdn_state *state, cdn_spatial *F_G, cdn_spatial *own) {
  const cdn_system *system = cdn_state_system(state);
  const int bodies = cdn_system_body_count(system);
  int n;
  if (cdn_system_path_count(system) == 0) return CDN_OK;
  CDNI_TRY(cdn_soft_count(state, &n));
  for (int i = 0; i < n; i++) {
    cdn_soft_group group;
    CDNI_TRY(cdn_soft_get(state, i, &group));
    if (cdni_soft_element_path(system, group.element).i < 0) continue;
    CDNI_TRY(cdn_soft_group_forces(state, i, own, NULL));
    for (int b = 0; b < bodies; b++) add_at(&F_G[b], cdn_v3(0, 0, 0), own[b].v, own[b].w, -1);
  }
  return CDN_OK;
}

static cdn_status external(cdn_state *state, cdn_spatial *F_G, cdn_spatial *work) {
  const cdn_system *system = cdn_state_system(state);
  CDNI_TRY(cdn_total_forces(state, F_G, NULL));
  CDNI_TRY(cdn_applied_forces(state, work, NULL));
  for (int i = 1; i < cdn_system_body_count(system); i++) {
    const cdn_spatial outside = cdn_state_applied_body_force(state, (cdn_body){ i });
    F_G[i].w = cdn_add(cdn_sub(F_G[i].w, work[i].w), outside.w);
    F_G[i].v = cdn_add(cdn_sub(F_G[i].v, work[i].v), outside.v);
  }
  CDNI_TRY(leave_out_paths(state, F_G, work));
  if (cdni_contact_any_compliant(cdni_contact(system))) CDNI_TRY(add_compliant(state, F_G));
  F_G[0] = (cdn_spatial){ .w = { 0, 0, 0 } };
  return CDN_OK;
}

cdn_status cdn_external_forces(cdn_state *state, cdn_spatial *F_G) {
  CDNI_NEED(state, F_G);
  cdn_spatial *work = cdn_work_push(state, (size_t)cdn_system_body_count(cdn_state_system(state)) * sizeof *work);
  if (!work) return cdni_state_fail(state, CDN_ERR_NOMEM, false, __func__, NULL, "out of memory");
  const cdn_status status = external(state, F_G, work);
  cdn_work_pop(state, work);
  return status;
}

/* ---- from the rest of the model ---------------------------------------------------------------- */

static cdn_status take_gravity(cdn_state *state, cdn_spatial *F_G, cdn_spatial *heavy) {
  const cdn_system *system = cdn_state_system(state);
  for (int i = 0; i < cdn_system_force_count(system); i++) {
    const cdn_force force = { i };
    if (strcmp(cdn_force_kind_name(system, force), "gravity") != 0) continue;
    CDNI_TRY(cdn_force_contribution(state, force, heavy, NULL, NULL, NULL));
    for (int b = 1; b < cdn_system_body_count(system); b++)
      add_at(&F_G[b], cdn_v3(0, 0, 0), heavy[b].v, heavy[b].w, -1);
  }
  return CDN_OK;
}

/* The joints' reactions, and to them what else acts within the model on the bodies that a joint carries. */
static cdn_status transmitted(cdn_state *state, cdn_spatial *F_G, cdn_spatial *inner, cdn_spatial *work) {
  const cdn_system *system = cdn_state_system(state);
  const int n = cdn_system_body_count(system);
  const double *udot = cdn_state_udot(state);
  if (!udot) return CDN_ERR_CALLBACK;
  CDNI_TRY(external(state, inner, work));
  CDNI_TRY(cdn_total_forces(state, F_G, NULL));
  for (int b = 1; b < n; b++) inner[b] = (cdn_spatial){ cdn_sub(F_G[b].w, inner[b].w), cdn_sub(F_G[b].v, inner[b].v) };
  CDNI_TRY(take_gravity(state, inner, work));
  CDNI_TRY(cdn_calc_reaction_forces(state, udot, CDN_REACTION_ON_BODY_AT_ORIGIN, F_G));
  for (int b = n - 1; b > 0; b--) {
    const cdn_body body = { b }, parent = cdn_body_parent(system, body);
    cdn_transform X_GB, X_GP;
    CDNI_TRY(cdn_body_pose(state, body, &X_GB));
    CDNI_TRY(cdn_body_pose(state, parent, &X_GP));
    add_at(&inner[parent.i], cdn_sub(X_GB.p, X_GP.p), inner[b].v, inner[b].w, 1);
    add_at(&F_G[b], cdn_v3(0, 0, 0), inner[b].v, inner[b].w, 1);
  }
  F_G[0] = (cdn_spatial){ .w = { 0, 0, 0 } };
  return CDN_OK;
}

cdn_status cdn_transmitted_forces(cdn_state *state, cdn_spatial *F_G) {
  CDNI_NEED(state, F_G);
  const size_t n = (size_t)cdn_system_body_count(cdn_state_system(state));
  cdn_spatial *work = cdn_work_push(state, 2 * n * sizeof *work);
  if (!work) return cdni_state_fail(state, CDN_ERR_NOMEM, false, __func__, NULL, "out of memory");
  const cdn_status status = transmitted(state, F_G, work, work + n);
  cdn_work_pop(state, work);
  return status;
}
