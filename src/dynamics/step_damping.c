/* Accelerations of a step that is implicit in velocity. With forces F at the start, M udot + G^T lambda = F, the step's
 * a is that of
 *
 *   M a + G^T mu = F + h J a,    G a = G udot.
 *
 * Forces of soft rows stay what they are at the start. Where J is the damping of joints, each by its own speed, it goes
 * along the tree, O(n): dampers, stops and actuators. Other J fill a matrix (step_solver.h). udot is not corrected, but
 * a is found anew: where h J is far above M, the difference of the two would have no digits. */
#include <stddef.h>

#include "dynamics/step_solver.h"
#include "matter/operators.h"

/* ---- along the tree, of States of one lane or several ---- */

static bool damps_along_tree(const dynamics *dyn, const double *damping) {
  const tree *t = &dyn->matter->tree;
  for (int i = 1; i < t->n; i++)
    for (int k = 1; k < t->node[i].nu; k++)
      if (damping[t->node[i].u + k] != damping[t->node[i].u]) return false;
  return true;
}

/* The mass records with the damping of each joint in its armature. */
static void fill_masses(const matter *m, const tree_data *d, const double *damping, const double *h, body_mass *mass) {
  const size_t lanes = (size_t)m->lanes, numbers = sizeof *mass / sizeof(double);
  memcpy(mass, d->mass, (size_t)m->tree.n * sizeof *mass * lanes);
  double *all = (double *)mass + offsetof(body_mass, armature) / sizeof(double) * lanes;
  for (int i = 1; i < m->tree.n; i++)
    for (size_t l = 0; l < lanes && m->tree.node[i].nu > 0; l++)
      all[(size_t)i * numbers * lanes + l] += h[l] * damping[m->tree.node[i].u];
}

/* a: udot, then the step's. */
static cdn_status solve_tree(const dynamics *dyn, cdn_state *state, const char *function, const double *damping,
                             const double *h, tree_data *d, double *a) {
  const matter *m = dyn->matter;
  const tree *t = &m->tree;
  const size_t lanes = (size_t)m->lanes, nb = (size_t)t->n * lanes, nu = (size_t)t->nu * lanes;
  void *frame;
  CDNI_TRY(cdni_operator_work(state, function,
                              nb * (sizeof(body_articulated) + sizeof(body_mass) + 2 * sizeof(sv)) +
                                  (((size_t)t->nG + (size_t)t->nD) * lanes + nu + 1) * sizeof(real),
                              &frame));
  d->articulated = frame;
  body_mass *mass = (body_mass *)(d->articulated + nb);
  d->z = (sv *)(mass + nb), d->A = d->z + nb;
  d->G = (real *)(d->A + nb), d->D_inv = d->G + (size_t)t->nG * lanes, d->eps = d->D_inv + (size_t)t->nD * lanes;
  d->udot = a;
  fill_masses(m, d, damping, h, mass);
  d->mass = mass;
  CDNI_LANE_FINDINGS(singular);
  m->kernels->forward(t, d, false, singular);
  const int64_t body = cdni_lanes_fail(state, singular);
  cdn_work_pop(state, frame);
  return body >= 0 ? cdni_matter_singular(m, state, (int)body, function) : CDN_OK;
}

static bool any_damping(const dynamics *dyn, const double *damping) {
  for (int k = 0; k < dyn->matter->tree.nu; k++)
    if (damping[k] != 0) return true;
  return false;
}

bool cdni_dynamics_damps_in_lanes(const dynamics *dyn, const double *damping) { return damps_along_tree(dyn, damping); }

cdn_status cdni_dynamics_damp_lanes(cdn_state *state, const char *function, const double *damping, const double *h,
                                    double *a) {
  const dynamics *dyn = cdni_dynamics(cdn_state_system(state));
  const matter *m = dyn->matter;
  tree_data d = cdni_matter_data(m, state);
  const size_t nu = (size_t)m->tree.nu * (size_t)m->lanes;
  if (nu) memcpy(a, d.udot, nu * sizeof *a);
  if (!any_damping(dyn, damping)) return CDN_OK;
  if (dyn->soft) {
    d.force = cdni_state_storage(state, dyn->row_F), d.f_mob = cdni_state_storage(state, dyn->row_f);
  } else if (cdni_dynamics_has_forces(dyn, state)) {
    d.force = cdni_state_storage(state, dyn->forces_F), d.f_mob = cdni_state_storage(state, dyn->forces_f);
  }
  return solve_tree(dyn, state, function, damping, h, &d, a);
}

/* ---- by a matrix ---- */

/* a: udot, then the step's. */
static cdn_status solve_matrix(cdn_state *state, const char *function, step_damping damping, double h, double *a) {
  step_solver solver;
  CDNI_TRY(cdni_step_solver_begin(&solver, state, function, damping, h));
  cdn_status status = cdni_step_solver_factor(&solver);
  if (status == CDN_OK) status = cdni_step_solver_apply(&solver, 1, NULL, a);
  cdni_step_solver_end(&solver);
  return status;
}

/* ---- both ---- */

/* Whether what a step counts is damping of joints, each by its own speed, and not negative: where speeds drive the
 * joint on, the matrix may lose its definiteness. */
static cdn_status find_damping(const dynamics *dyn, cdn_state *state, step_damping damping, double *of_joint,
                               bool *own) {
  const int nu = dyn->matter->tree.nu;
  if (damping == STEP_JOINTS) {
    *own = true;
    return cdni_forces_joint_damping(dyn->forces, state, of_joint, nu, NULL);
  }
  *own = false;
  if (damping == STEP_ALL) return CDN_OK;
  CDNI_TRY(cdni_forces_own_damping(dyn->forces, state, of_joint, nu, own));
  for (int k = 0; k < nu && *own; k++) *own = of_joint[k] >= 0;
  return CDN_OK;
}

static cdn_status damp_by(const dynamics *dyn, cdn_state *state, const char *function, step_damping damping,
                          double *of_joint, double h, double *a) {
  const size_t nu = (size_t)dyn->matter->tree.nu;
  const bool constrained = cdni_dynamics_is_constrained(dyn, state);
  tree_data d = cdni_matter_data(dyn->matter, state);
  bool own;
  CDNI_TRY(find_damping(dyn, state, damping, of_joint, &own));
  if (own && !any_damping(dyn, of_joint)) return CDN_OK;
  if (!own || (!constrained && !damps_along_tree(dyn, of_joint))) return solve_matrix(state, function, damping, h, a);
  if (constrained || cdni_dynamics_has_forces(dyn, state) || dyn->soft)
    CDNI_TRY(cdni_dynamics_acting_forces(dyn, state, &d.force, &d.f_mob));
  if (!constrained) return solve_tree(dyn, state, function, of_joint, &h, &d, a);
  for (size_t k = 0; k < nu; k++) of_joint[k] *= h;
  return cdni_constraints_solve_damped(dyn->constraints, state, function, of_joint, d.force, d.f_mob, a);
}

cdn_status cdni_dynamics_damp(cdn_state *state, const char *function, step_damping damping, double h, double *a) {
  const cdn_system *system = cdn_state_system(state);
  const dynamics *dyn = cdni_dynamics(system);
  double *of_joint;
  CDNI_TRY(cdni_state_ensure(state, CDN_UDOT));
  const size_t all = (size_t)cdn_system_nu(system);
  if (all) memcpy(a, cdn_state_udot(state), all * sizeof *a);
  if (!dyn || dyn->matter->tree.nu == 0) return CDN_OK;
  CDNI_TRY(cdni_dynamics_refuse_exact_rows(state, function));
  a += cdni_subsystem_runs(system, dyn->matter->subsystem).u;
  CDNI_TRY(
      cdni_operator_work(state, function, ((size_t)dyn->matter->tree.nu + 1) * sizeof *of_joint, (void **)&of_joint));
  const cdn_status status = damp_by(dyn, state, function, damping, of_joint, h, a);
  cdn_work_pop(state, of_joint);
  return status;
}
