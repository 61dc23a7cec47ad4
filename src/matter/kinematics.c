/* Poses and velocities of bodies, and sums over all bodies: mass, centre of mass, momentum, energy. */
#include "matter/checks.h"
#include "matter/subsystem.h"

static const matter *matter_of(const cdn_state *state) { return cdni_matter(cdn_state_system(state)); }

/* ---- for the rooms above ---- */

static const void *pull(cdn_state *state, cdn_cache entry) {
  return cdni_state_ensure(state, entry.ticket) == CDN_OK ? cdni_state_storage(state, entry) : NULL;
}

const body_pose *cdni_matter_pose(const matter *m, cdn_state *state) { return pull(state, m->pose); }
const body_twist *cdni_matter_twist(const matter *m, cdn_state *state) { return pull(state, m->twist); }
const rigid_inertia *cdni_matter_inertia(const matter *m, cdn_state *state) { return pull(state, m->inertia); }

const double *cdni_matter_X_BM(const matter *m, cdn_state *state, cdn_body body) {
  return cdn_state_parameters(state, m->frames) + FRAME_PARAMETERS * body.i + 12;
}

/* R_GM R_BM^T (p_B - p_BM) */
cdn_vec3 cdni_matter_station(const matter *m, cdn_state *state, const body_pose *pose, cdn_body body, cdn_vec3 p_B) {
  const double *X = cdni_matter_X_BM(m, state, body);
  v3 p_M = m3_tmul(m3_load(X), v3_sub(cdni_to_v3(p_B), v3_load(X + 9)));
  return cdni_from_v3(m3_mul(pose[body.i].R_GM, p_M));
}

cdn_transform cdni_body_transform(const double *X_BM, const body_pose *pose) {
  const m3 R_BM = m3_load(X_BM), R_GM = pose->R_GM;
  const v3 r = m3_mul(R_GM, m3_tmul(R_BM, v3_neg(v3_load(X_BM + 9))));
  /* R_GB = R_GM R_BM^T: columns of R_BM^T are rows of R_BM. */
  return (cdn_transform){ .R = { cdni_from_v3(m3_mul(R_GM, (v3){ R_BM.x.x, R_BM.y.x, R_BM.z.x })),
                                 cdni_from_v3(m3_mul(R_GM, (v3){ R_BM.x.y, R_BM.y.y, R_BM.z.y })),
                                 cdni_from_v3(m3_mul(R_GM, (v3){ R_BM.x.z, R_BM.y.z, R_BM.z.z })) },
                          .p = cdni_from_v3(v3_add(pose->p_GM, r)) };
}

cdn_spatial cdni_body_spatial_velocity(const double *X_BM, const body_pose *pose, const body_twist *twist) {
  const v3 r = m3_mul(pose->R_GM, m3_tmul(m3_load(X_BM), v3_neg(v3_load(X_BM + 9))));
  const sv V = sv_shift_motion(twist->V, r);
  return (cdn_spatial){ cdni_from_v3(V.w), cdni_from_v3(V.v) };
}

/* ---- one body ---- */

/* X_GM and the shift from M's origin to B's. Systems without bodies still have Ground. */
static cdn_status locate(cdn_state *state, const char *function, cdn_body body, const matter **m_out,
                         const body_pose **pose, v3 *r) {
  const matter *m = matter_of(state);
  if (!cdni_body_exists(m, body)) return cdni_state_lacks(state, function, "body", body.i);
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  const body_pose *all = cdni_matter_pose(m, state);
  *m_out = m;
  *pose = &all[body.i];
  *r = cdni_to_v3(cdni_matter_station(m, state, all, body, cdn_v3(0, 0, 0)));
  return CDN_OK;
}

cdn_status cdn_body_pose(cdn_state *state, cdn_body body, cdn_transform *X_GB) {
  CDNI_NEED(state, X_GB);
  const matter *m = NULL;
  const body_pose *pose = NULL;
  v3 r = v3_zero();
  CDNI_TRY(locate(state, "cdn_body_pose", body, &m, &pose, &r));
  *X_GB = cdni_body_transform(cdni_matter_X_BM(m, state, body), pose);
  return CDN_OK;
}

cdn_status cdn_body_velocity(cdn_state *state, cdn_body body, cdn_spatial *V_GB) {
  CDNI_NEED(state, V_GB);
  const matter *m = NULL;
  const body_pose *pose = NULL;
  v3 r = v3_zero();
  CDNI_TRY(locate(state, "cdn_body_velocity", body, &m, &pose, &r));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  *V_GB = cdni_body_spatial_velocity(cdni_matter_X_BM(m, state, body), pose, &cdni_matter_twist(m, state)[body.i]);
  return CDN_OK;
}

cdn_status cdn_body_acceleration(cdn_state *state, cdn_body body, cdn_spatial *A_GB) {
  CDNI_NEED(state, A_GB);
  const matter *m = NULL;
  const body_pose *pose = NULL;
  v3 r = v3_zero();
  CDNI_TRY(locate(state, "cdn_body_acceleration", body, &m, &pose, &r));
  CDNI_TRY(cdni_state_ensure(state, CDN_UDOT));
  v3 w = cdni_matter_twist(m, state)[body.i].V.w;
  sv A = sv_shift_motion(cdni_matter_data(m, state).A[body.i], r);
  A.v = v3_add(A.v, v3_cross(w, v3_cross(w, r)));
  *A_GB = (cdn_spatial){ cdni_from_v3(A.w), cdni_from_v3(A.v) };
  return CDN_OK;
}

cdn_status cdn_body_station(cdn_state *state, cdn_body body, cdn_vec3 p_B, cdn_vec3 *p_G, cdn_vec3 *v_G) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const matter *m = matter_of(state);
  if (!cdni_body_exists(m, body)) return cdni_state_lacks(state, "cdn_body_station", "body", body.i);
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  const body_pose *pose = cdni_matter_pose(m, state);
  cdn_vec3 r = cdni_matter_station(m, state, pose, body, p_B);
  if (p_G) *p_G = cdn_add(cdni_from_v3(pose[body.i].p_GM), r);
  if (v_G) {
    CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
    *v_G = cdni_from_v3(sv_shift_motion(cdni_matter_twist(m, state)[body.i].V, cdni_to_v3(r)).v);
  }
  return CDN_OK;
}

/* ---- the system as a whole ---- */

cdn_status cdn_system_mass(cdn_state *state, double *total, double *moving) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const matter *m = matter_of(state);
  double all = 0, free_mass = 0;
  for (int i = 1; m && i < m->tree.n; i++) {
    double mass = cdn_body_mass_properties(state, (cdn_body){ i }).mass;
    bool moves = false;
    for (int b = i; b > 0 && !moves; b = m->tree.node[b].parent) moves = m->tree.node[b].nu > 0;
    all += mass;
    if (moves) free_mass += mass;
  }
  if (total) *total = all;
  if (moving) *moving = free_mass;
  return CDN_OK;
}

cdn_status cdn_center_of_mass(cdn_state *state, cdn_vec3 *p_G) {
  CDNI_NEED(state, p_G);
  const matter *m = matter_of(state);
  *p_G = cdn_v3(0, 0, 0);
  if (!m) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  const body_pose *pose = cdni_matter_pose(m, state);
  const rigid_inertia *B = cdni_matter_inertia(m, state);
  v3 sum = v3_zero();
  double mass = 0;
  for (int i = 1; i < m->tree.n; i++) {
    sum = v3_add(sum, v3_fma(B[i].m, pose[i].p_GM, B[i].mc));
    mass += B[i].m;
  }
  if (mass > 0) *p_G = cdn_scale(1 / mass, cdni_from_v3(sum));
  return CDN_OK;
}

cdn_status cdn_momentum(cdn_state *state, cdn_spatial *about_origin) {
  CDNI_NEED(state, about_origin);
  const matter *m = matter_of(state);
  *about_origin = (cdn_spatial){ { 0, 0, 0 }, { 0, 0, 0 } };
  if (!m) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  const body_pose *pose = cdni_matter_pose(m, state);
  const rigid_inertia *B = cdni_matter_inertia(m, state);
  const body_twist *twist = cdni_matter_twist(m, state);
  sv sum = sv_zero();
  for (int i = 1; i < m->tree.n; i++) sum = sv_add(sum, sv_shift_force(rigid_mul(B[i], twist[i].V), pose[i].p_GM));
  *about_origin = (cdn_spatial){ cdni_from_v3(sum.w), cdni_from_v3(sum.v) };
  return CDN_OK;
}

cdn_status cdn_kinetic_energy(cdn_state *state, double *energy) {
  CDNI_NEED(state, energy);
  const matter *m = matter_of(state);
  *energy = 0;
  if (!m) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  const rigid_inertia *B = cdni_matter_inertia(m, state);
  const body_twist *twist = cdni_matter_twist(m, state);
  tree_data d = cdni_matter_data(m, state);
  double twice = 0;
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    if (!body_is_massless(&d.mass[i])) {
      sv h = rigid_mul(B[i], twist[i].V);
      twice += v3_dot(h.w, twist[i].V.w) + v3_dot(h.v, twist[i].V.v);
    }
    for (int k = 0; k < n->nu; k++) twice += d.mass[i].armature * d.u[n->u + k] * d.u[n->u + k];
  }
  *energy = 0.5 * twice;
  return CDN_OK;
}
