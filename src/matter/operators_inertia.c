/* Inertia, momentum and kinetic energy: of each body, of each body with all bodies outboard, and of the whole
 * system. */
#include "matter/operators.h"

/* ---- composite bodies ---- */

/* Inward: R = sum over children of their R shifted, and the body's own. About M's origins. */
static void composites(const matter *m, const tree_data *d, rigid_inertia *R) {
  memcpy(R, d->inertia, (size_t)m->tree.n * sizeof *R);
  for (int i = m->tree.n - 1; i > 0; i--) {
    rigid_inertia *parent = &R[m->tree.node[i].parent];
    *parent = rigid_add(*parent, rigid_shift(R[i], d->pose[i].r));
  }
}

cdn_status cdn_calc_composite_body_inertias(cdn_state *state, cdn_spatial_inertia *out) {
  CDNI_NEED(state, out);
  const matter *m = NULL;
  void *frame = NULL;
  CDNI_TRY(cdni_operator_matter(state, __func__, &m));
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  CDNI_TRY(cdni_operator_work(state, __func__, (size_t)m->tree.n * sizeof(rigid_inertia), &frame));
  tree_data d = cdni_matter_data(m, state);
  rigid_inertia *R = frame;
  body_origins origins = cdni_body_origins(m, state, d.pose);
  composites(m, &d, R);
  for (int i = 0; i < m->tree.n; i++) {
    rigid_inertia B = rigid_shift(R[i], v3_neg(cdni_body_offset(&origins, i)));
    out[i] = (cdn_spatial_inertia){ B.m, cdni_from_v3(B.mc), { B.I.xx, B.I.yy, B.I.zz, B.I.xy, B.I.xz, B.I.yz } };
  }
  cdn_work_pop(state, frame);
  return CDN_OK;
}

/* A field g pulls at every centre of mass: (mc x g, m g) about M's origin. */
cdn_status cdni_matter_gravity_forces(cdn_state *state, const char *function, v3 g, const double *excluded, double *f) {
  const matter *m = NULL;
  void *frame = NULL;
  CDNI_TRY(cdni_operator_matter(state, function, &m));
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  CDNI_TRY(cdni_operator_work(state, function, (size_t)m->tree.n * sizeof(sv), &frame));
  tree_data d = cdni_matter_data(m, state);
  d.z = frame;
  d.z[0] = sv_zero();
  for (int i = 1; i < m->tree.n; i++) {
    d.z[i] = (sv){ v3_cross(d.inertia[i].mc, g), v3_scale(d.inertia[i].m, g) };
    if (excluded && excluded[i] != 0) d.z[i] = sv_zero();
  }
  m->kernels->jacobian_transpose(&m->tree, &d, f);
  cdn_work_pop(state, frame);
  return CDN_OK;
}

cdn_status cdn_calc_gravity_forces(cdn_state *state, cdn_vec3 g, double *f) {
  CDNI_NEED_SOME(state, f, cdn_system_nu(cdn_state_system(state)));
  CDNI_TRY(cdni_operator_check(state, __func__, "g", &g.x, 3));
  return cdni_matter_gravity_forces(state, __func__, cdni_to_v3(g), NULL, f);
}

/* ---- energy and momentum ---- */

static cdn_status ensure_velocity(cdn_state *state, const char *function, const matter **m, tree_data *d) {
  CDNI_TRY(cdni_operator_matter(state, function, m));
  CDNI_TRY(cdni_state_ensure(state, (*m)->inertia.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  *d = cdni_matter_data(*m, state);
  return CDN_OK;
}

cdn_status cdn_calc_body_kinetic_energies(cdn_state *state, double *energy) {
  CDNI_NEED(state, energy);
  const matter *m = NULL;
  tree_data d;
  CDNI_TRY(ensure_velocity(state, "cdn_calc_body_kinetic_energies", &m, &d));
  energy[0] = 0;
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    sv V = d.twist[i].V;
    double twice = sv_dot(rigid_mul(d.inertia[i], V), V);
    for (int k = 0; k < n->nu; k++) twice += d.mass[i].armature * d.u[n->u + k] * d.u[n->u + k];
    energy[i] = 0.5 * twice;
  }
  return CDN_OK;
}

v3 cdni_operator_center(const matter *m, const tree_data *d, real *mass) {
  v3 moment = v3_zero();
  *mass = 0;
  for (int i = 1; i < m->tree.n; i++) {
    *mass += d->inertia[i].m;
    moment = v3_add(moment, v3_fma(d->inertia[i].m, d->pose[i].p_GM, d->inertia[i].mc));
  }
  return *mass > 0 ? v3_scale(1 / *mass, moment) : v3_zero();
}

/* Momentum about the centre of mass, summed about it, so that digits do not cancel far from Ground's origin. */
static cdn_status momentum(cdn_state *state, const char *function, sv *sum, real *mass) {
  const matter *m = NULL;
  tree_data d;
  CDNI_TRY(ensure_velocity(state, function, &m, &d));
  v3 center = cdni_operator_center(m, &d, mass);
  *sum = sv_zero();
  for (int i = 1; i < m->tree.n; i++)
    *sum = sv_add(*sum, sv_shift_force(rigid_mul(d.inertia[i], d.twist[i].V), v3_sub(d.pose[i].p_GM, center)));
  return CDN_OK;
}

cdn_status cdn_central_momentum(cdn_state *state, cdn_spatial *about_center) {
  CDNI_NEED(state, about_center);
  sv sum = sv_zero();
  real mass = 0;
  CDNI_TRY(momentum(state, "cdn_central_momentum", &sum, &mass));
  *about_center = cdni_from_sv(sum);
  return CDN_OK;
}

cdn_status cdn_center_of_mass_velocity(cdn_state *state, cdn_vec3 *v_G) {
  CDNI_NEED(state, v_G);
  sv sum = sv_zero();
  real mass = 0;
  CDNI_TRY(momentum(state, "cdn_center_of_mass_velocity", &sum, &mass));
  *v_G = mass > 0 ? cdni_from_v3(v3_scale(1 / mass, sum.v)) : cdn_v3(0, 0, 0);
  return CDN_OK;
}

/* Column k: the momentum of everything outboard as one piece that moves by the mobility's column of H. */
cdn_status cdn_calc_centroidal_momentum_matrix(cdn_state *state, double *A_G) {
  CDNI_NEED_SOME(state, A_G, cdn_system_nu(cdn_state_system(state)));
  const matter *m = NULL;
  void *frame = NULL;
  CDNI_TRY(cdni_operator_matter(state, __func__, &m));
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  CDNI_TRY(cdni_operator_work(state, __func__, (size_t)m->tree.n * sizeof(rigid_inertia), &frame));
  tree_data d = cdni_matter_data(m, state);
  rigid_inertia *R = frame;
  real mass = 0;
  const v3 center = cdni_operator_center(m, &d, &mass);
  const size_t nu = (size_t)m->tree.nu;
  composites(m, &d, R);
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    const v3 r = v3_sub(d.pose[i].p_GM, center);
    for (int k = 0; k < n->nu; k++) {
      const sv h = sv_shift_force(rigid_mul(R[i], cdni_hinge_column(n, d.H, k)), r);
      double *column = A_G + n->u + k;
      column[0] = h.w.x, column[nu] = h.w.y, column[2 * nu] = h.w.z;
      column[3 * nu] = h.v.x, column[4 * nu] = h.v.y, column[5 * nu] = h.v.z;
    }
  }
  cdn_work_pop(state, frame);
  return CDN_OK;
}
