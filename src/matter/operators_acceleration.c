/* Accelerations for a given udot: of bodies, of the centre of mass, and rates of momentum. */
#include "matter/operators.h"

/* Outward: A = phi^T A_P + a_cor + H udot. */
void cdni_operator_accelerations(const matter *m, const tree_data *d, const double *udot, sv *A) {
  A[0] = sv_zero();
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    A[i] = sv_add(sv_shift_motion(A[n->parent], d->pose[i].r), d->twist[i].a_cor);
    if (udot) A[i] = sv_add(A[i], cdni_hinge_mul(n, d->H, udot));
  }
}

/* Accelerations of all M origins for udot, in scratch that the caller gives back. udot may be NULL if it is
 * optional. */
static cdn_status begin(cdn_state *state, const char *function, bool needs_udot, const double *udot, const matter **m,
                        tree_data *d) {
  CDNI_TRY(cdni_operator_matter(state, function, m));
  if (needs_udot) CDNI_TRY(cdni_operator_check(state, function, "udot", udot, (*m)->tree.nu));
  CDNI_TRY(cdni_state_ensure(state, (*m)->inertia.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  void *frame = NULL;
  CDNI_TRY(cdni_operator_work(state, function, (size_t)(*m)->tree.n * sizeof(sv), &frame));
  *d = cdni_matter_data(*m, state);
  d->A = frame;
  cdni_operator_accelerations(*m, d, udot, d->A);
  return CDN_OK;
}

static cdn_status of_bodies(cdn_state *state, const char *function, bool needs_udot, const double *udot,
                            cdn_spatial *A_G) {
  const matter *m = NULL;
  tree_data d;
  CDNI_TRY(begin(state, function, needs_udot, udot, &m, &d));
  body_origins origins = cdni_body_origins(m, state, d.pose);
  for (int i = 0; i < m->tree.n; i++)
    A_G[i] = cdni_from_sv(cdni_acceleration_at(d.A[i], d.twist[i].V.w, cdni_body_offset(&origins, i)));
  cdn_work_pop(state, d.A);
  return CDN_OK;
}

cdn_status cdn_calc_Jdot_u(cdn_state *state, cdn_spatial *A_G) {
  CDNI_NEED(state, A_G);
  return of_bodies(state, "cdn_calc_Jdot_u", false, NULL, A_G);
}

cdn_status cdn_calc_body_accelerations(cdn_state *state, const double *udot, cdn_spatial *A_G) {
  CDNI_NEED(state, A_G);
  return of_bodies(state, "cdn_calc_body_accelerations", true, udot, A_G);
}

/* ---- rates of momentum ---- */

/* About the centre of mass: the sum of every body's force of inertia. The centre's velocity is parallel to the
 * linear momentum, so its motion adds nothing. */
static cdn_status momentum_rate(cdn_state *state, const char *function, bool needs_udot, const double *udot, sv *rate,
                                v3 *center, real *mass) {
  const matter *m = NULL;
  tree_data d;
  CDNI_TRY(begin(state, function, needs_udot, udot, &m, &d));
  *center = cdni_operator_center(m, &d, mass);
  *rate = sv_zero();
  for (int i = 1; i < m->tree.n; i++) {
    sv F = sv_add(rigid_mul(d.inertia[i], d.A[i]), rigid_gyroscopic(d.inertia[i], d.twist[i].V.w));
    *rate = sv_add(*rate, sv_shift_force(F, v3_sub(d.pose[i].p_GM, *center)));
  }
  cdn_work_pop(state, d.A);
  return CDN_OK;
}

cdn_status cdn_calc_momentum_rate(cdn_state *state, const double *udot, cdn_spatial *about_origin,
                                  cdn_spatial *about_center) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  sv rate = sv_zero();
  real mass = 0;
  v3 center = v3_zero();
  CDNI_TRY(momentum_rate(state, "cdn_calc_momentum_rate", true, udot, &rate, &center, &mass));
  if (about_center) *about_center = cdni_from_sv(rate);
  if (about_origin) *about_origin = cdni_from_sv(sv_shift_force(rate, center));
  return CDN_OK;
}

cdn_status cdn_calc_centroidal_momentum_bias(cdn_state *state, cdn_spatial *Adot_u) {
  CDNI_NEED(state, Adot_u);
  sv rate = sv_zero();
  real mass = 0;
  v3 center = v3_zero();
  CDNI_TRY(momentum_rate(state, "cdn_calc_centroidal_momentum_bias", false, NULL, &rate, &center, &mass));
  *Adot_u = cdni_from_sv(rate);
  return CDN_OK;
}

cdn_status cdn_calc_center_of_mass_acceleration(cdn_state *state, const double *udot, cdn_vec3 *a_G) {
  CDNI_NEED(state, a_G);
  sv rate = sv_zero();
  real mass = 0;
  v3 center = v3_zero();
  CDNI_TRY(momentum_rate(state, "cdn_calc_center_of_mass_acceleration", true, udot, &rate, &center, &mass));
  *a_G = mass > 0 ? cdni_from_v3(v3_scale(1 / mass, rate.v)) : cdn_v3(0, 0, 0);
  return CDN_OK;
}
