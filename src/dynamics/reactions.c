/* Reactions: the forces that mobilizers transmit between a body and its parent. */
#include "dynamics/internal.h"
#include "matter/operators.h"

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
static cdn_status forces_of_constraints(const dynamics *d, cdn_state *state, const char *function, sv **F) {
  if (!cdni_dynamics_is_constrained(d, state)) return CDN_OK;
  void *frame = NULL;
  CDNI_TRY(cdni_operator_work(state, function, (size_t)d->matter->tree.n * sizeof **F, &frame));
  *F = frame;
  const cdn_status status = cdni_dynamics_constrained_forces(d, state, *F, NULL);
  if (status != CDN_OK) cdn_work_pop(state, frame);
  return status;
}

/* All accelerations at M's origins for udot, in scratch that the caller gives back. */
static cdn_status begin(cdn_state *state, const char *function, const matter *m, const double *udot, tree_data *d) {
  CDNI_TRY(cdni_operator_check(state, function, "udot", udot, m->tree.nu));
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  void *frame = NULL;
  CDNI_TRY(cdni_operator_work(state, function, (size_t)m->tree.n * sizeof(sv), &frame));
  *d = cdni_matter_data(m, state);
  d->A = frame;
  cdni_operator_accelerations(m, d, udot, d->A);
  return CDN_OK;
}

/* Inward: F = I A + gyroscopic force - force on the body + the forces that it transmits to its children. */
cdn_status cdn_calc_reaction_forces(cdn_state *state, const double *udot, cdn_reaction where, cdn_spatial *F_G) {
  CDNI_NEED(state, F_G);
  const matter *m = NULL;
  tree_data d;
  const sv *applied = NULL;
  if (where < 0 || where >= CDN_REACTION_COUNT)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL, "there is no kind %d of reaction", (int)where);
  CDNI_TRY(cdni_operator_matter(state, __func__, &m));
  const dynamics *dyn = cdni_dynamics(cdn_state_system(state));
  sv *with_constraints = NULL;
  CDNI_TRY(cdni_dynamics_acting_forces(dyn, state, &applied, NULL));
  CDNI_TRY(forces_of_constraints(dyn, state, __func__, &with_constraints));
  if (with_constraints) applied = with_constraints;
  cdn_status status = begin(state, __func__, m, udot, &d);
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
