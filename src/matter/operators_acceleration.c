/* What a given udot amounts to: accelerations of bodies, of the centre of mass, rates of momentum, reactions. */
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

/* All accelerations at M's origins for udot, in scratch that the caller gives back. NULL udot where it is not needed. */
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
  return of_bodies(state, "cdn_calc_Jdot_u", false, NULL, A_G);
}

cdn_status cdn_calc_body_accelerations(cdn_state *state, const double *udot, cdn_spatial *A_G) {
  return of_bodies(state, "cdn_calc_body_accelerations", true, udot, A_G);
}

/* ---- rates of momentum ---- */

/* About the centre of mass: every body's force of inertia. The centre's own velocity is along the linear momentum, so
 * that moving with it adds nothing. */
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
  sv rate = sv_zero();
  real mass = 0;
  v3 center = v3_zero();
  CDNI_TRY(momentum_rate(state, "cdn_calc_momentum_rate", true, udot, &rate, &center, &mass));
  if (about_center) *about_center = cdni_from_sv(rate);
  if (about_origin) *about_origin = cdni_from_sv(sv_shift_force(rate, center));
  return CDN_OK;
}

cdn_status cdn_calc_centroidal_momentum_bias(cdn_state *state, cdn_spatial *Adot_u) {
  sv rate = sv_zero();
  real mass = 0;
  v3 center = v3_zero();
  CDNI_TRY(momentum_rate(state, "cdn_calc_centroidal_momentum_bias", false, NULL, &rate, &center, &mass));
  *Adot_u = cdni_from_sv(rate);
  return CDN_OK;
}

cdn_status cdn_calc_center_of_mass_acceleration(cdn_state *state, const double *udot, cdn_vec3 *a_G) {
  sv rate = sv_zero();
  real mass = 0;
  v3 center = v3_zero();
  CDNI_TRY(momentum_rate(state, "cdn_calc_center_of_mass_acceleration", true, udot, &rate, &center, &mass));
  *a_G = mass > 0 ? cdni_from_v3(v3_scale(1 / mass, rate.v)) : cdn_v3(0, 0, 0);
  return CDN_OK;
}

/* ---- reactions ---- */

/* From M's origin of body i to the point about which its reaction is wanted. */
static v3 reaction_point(const matter *m, const body_origins *origins, const tree_data *d, int i, cdn_reaction where) {
  int parent = m->tree.node[i].parent;
  switch (where) {
    case CDN_REACTION_ON_BODY_AT_ORIGIN: return cdni_body_offset(origins, i);
    case CDN_REACTION_ON_PARENT_AT_F: {
      v3 p_PF = m3_mul(d->pose[parent].R_GM, v3_load(d->frames[i].p_PF));
      return v3_sub(p_PF, d->pose[i].r);
    }
    case CDN_REACTION_ON_PARENT_AT_ORIGIN: return v3_sub(cdni_body_offset(origins, parent), d->pose[i].r);
    case CDN_REACTION_ON_BODY_AT_M:
    case CDN_REACTION_COUNT: break;
  }
  return v3_zero();
}

/* All forces on bodies where constraints are in force, in scratch that the caller gives back; else NULL. */
static cdn_status forces_of_constraints(const matter *m, cdn_state *state, const char *function, sv **F) {
  if (!cdni_matter_is_constrained(m, state)) return CDN_OK;
  void *frame = NULL;
  CDNI_TRY(cdni_operator_work(state, function, (size_t)m->tree.n * sizeof **F, &frame));
  *F = frame;
  const cdn_status status = cdni_matter_constrained_forces(m, state, *F, NULL);
  if (status != CDN_OK) cdn_work_pop(state, frame);
  return status;
}

/* Inward: F = I A + gyroscopic force - force on the body, and what the body passes on to its children. */
cdn_status cdn_calc_reaction_forces(cdn_state *state, const double *udot, cdn_reaction where, cdn_spatial *F_G) {
  static const char function[] = "cdn_calc_reaction_forces";
  const matter *m = NULL;
  tree_data d;
  const sv *applied = NULL;
  if (where < 0 || where >= CDN_REACTION_COUNT)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "there is no kind %d of reaction", (int)where);
  CDNI_TRY(cdni_operator_matter(state, function, &m));
  sv *with_constraints = NULL;
  CDNI_TRY(cdni_matter_total_forces(m, state, &applied, NULL));
  CDNI_TRY(forces_of_constraints(m, state, function, &with_constraints));
  if (with_constraints) applied = with_constraints;
  cdn_status status = begin(state, function, true, udot, &m, &d);
  if (status != CDN_OK) {
    cdn_work_pop(state, with_constraints);
    return status;
  }
  body_origins origins = cdni_body_origins(m, state, d.pose);
  bool on_parent = where == CDN_REACTION_ON_PARENT_AT_F || where == CDN_REACTION_ON_PARENT_AT_ORIGIN;
  sv *F = d.A; /* each acceleration is needed once, before its body's force is complete */
  F[0] = sv_neg(applied[0]);
  for (int i = 1; i < m->tree.n; i++) {
    sv inertial = sv_add(rigid_mul(d.inertia[i], d.A[i]), rigid_gyroscopic(d.inertia[i], d.twist[i].V.w));
    F[i] = sv_sub(inertial, applied[i]);
  }
  for (int i = m->tree.n - 1; i > 0; i--) {
    sv *parent = &F[m->tree.node[i].parent];
    *parent = sv_add(*parent, sv_shift_force(F[i], d.pose[i].r));
    sv out = sv_shift_force(F[i], v3_neg(reaction_point(m, &origins, &d, i, where)));
    F_G[i] = cdni_from_sv(on_parent ? sv_neg(out) : out);
  }
  F_G[0] = cdni_from_sv(on_parent ? sv_neg(F[0]) : F[0]);
  cdn_work_pop(state, d.A);
  cdn_work_pop(state, with_constraints);
  return CDN_OK;
}
