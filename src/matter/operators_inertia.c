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

/* ---- of a subtree ---- */

/* A body and all that is outboard of it, of which some mobilities move a part, and those inboard of it the whole. */
typedef struct subtree {
  const matter *m;
  tree_data d;
  rigid_inertia *R;   /* composites */
  bool *in, *carries; /* by body: it belongs to the subtree; it is inboard of it */
  int body;
  v3 center;
  void *frame;
} subtree;

static cdn_status begin_subtree(cdn_state *state, const char *function, cdn_body body, subtree *s) {
  CDNI_TRY(cdni_operator_matter(state, function, &s->m));
  if (!cdni_body_exists(s->m, body))
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "there is no body %d in this System",
                           (int)body.i);
  CDNI_TRY(cdni_state_ensure(state, s->m->inertia.ticket));
  const size_t n = (size_t)s->m->tree.n;
  CDNI_TRY(cdni_operator_work(state, function, n * (sizeof *s->R + 2 * sizeof *s->in), &s->frame));
  s->d = cdni_matter_data(s->m, state), s->body = body.i;
  s->R = s->frame, s->in = (bool *)(s->R + n), s->carries = s->in + n;
  composites(s->m, &s->d, s->R);
  for (int i = 0; i < s->m->tree.n; i++) s->in[i] = i == body.i || (i > 0 && s->in[s->m->tree.node[i].parent]);
  memset(s->carries, 0, n * sizeof *s->carries);
  for (int i = body.i; i > 0; i = s->m->tree.node[i].parent) s->carries[i] = true;
  const rigid_inertia all = s->R[body.i];
  s->center = all.m > 0 ? v3_fma(1 / all.m, all.mc, s->d.pose[body.i].p_GM) : s->d.pose[body.i].p_GM;
  return CDN_OK;
}

/* Of mobility k of body i: the momentum that it gives the subtree, about its centre of mass. */
static sv momentum_of_subtree(const subtree *s, int i, int k) {
  const int moved = s->in[i] ? i : s->body;
  const v3 p = s->d.pose[moved].p_GM;
  const sv column = cdni_hinge_column(&s->m->tree.node[i], s->d.H, k);
  const sv V = sv_shift_motion(column, v3_sub(p, s->d.pose[i].p_GM));
  return sv_shift_force(rigid_mul(s->R[moved], V), v3_sub(p, s->center));
}

/* Three rows: `by` times linear or angular momentum. */
static void fill_subtree(const subtree *s, bool angular, double by, double *out) {
  const size_t nu = (size_t)s->m->tree.nu;
  if (nu > 0) memset(out, 0, 3 * nu * sizeof *out);
  for (int i = 1; i < s->m->tree.n; i++) {
    if (!s->in[i] && !s->carries[i]) continue;
    for (int k = 0; k < s->m->tree.node[i].nu; k++) {
      const sv h = momentum_of_subtree(s, i, k);
      const v3 part = v3_scale(by, angular ? h.w : h.v);
      double *column = out + s->m->tree.node[i].u + k;
      column[0] = part.x, column[nu] = part.y, column[2 * nu] = part.z;
    }
  }
}

cdn_status cdn_calc_subtree_center_J(cdn_state *state, cdn_body body, double *J) {
  CDNI_NEED_SOME(state, J, cdn_system_nu(cdn_state_system(state)));
  subtree s;
  CDNI_TRY(begin_subtree(state, __func__, body, &s));
  const double mass = s.R[body.i].m;
  if (mass > 0) fill_subtree(&s, false, 1 / mass, J);
  cdn_work_pop(state, s.frame);
  if (mass > 0) return CDN_OK;
  const char *name = cdn_body_name(cdn_state_system(state), body);
  return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, name,
                         "body '%s' and what is outboard of it have no mass, and so no centre of mass", name);
}

cdn_status cdn_calc_subtree_momentum_matrix(cdn_state *state, cdn_body body, double *H) {
  CDNI_NEED_SOME(state, H, cdn_system_nu(cdn_state_system(state)));
  subtree s;
  CDNI_TRY(begin_subtree(state, __func__, body, &s));
  fill_subtree(&s, true, 1, H);
  cdn_work_pop(state, s.frame);
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
