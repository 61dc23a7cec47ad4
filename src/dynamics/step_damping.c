/* Accelerations of a step that is implicit in velocity. With forces F at the start, M udot + G^T lambda = F, the step's a is that of
 *
 *   M a + G^T mu = F + h J a,    G a = G udot.
 *
 * Forces of soft rows stay what they are at the start. Damping of joints alone goes along the tree, O(n); other J fill a matrix
 * (step_solver.h). udot is not corrected, but a is found anew: where h J is far above M, the
 * difference of the two would have no digits. */
#include "dynamics/step_solver.h"
#include "matter/operators.h"

/* ---- along the tree ---- */

/* The mass records with the damping of each joint in its armature; false if axes of one joint differ. */
static bool fill_masses(const matter *m, const tree_data *d, const double *damping, body_mass *mass) {
  memcpy(mass, d->mass, (size_t)m->tree.n * sizeof *mass);
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    for (int k = 1; k < n->nu; k++)
      if (damping[n->u + k] != damping[n->u]) return false;
    if (n->nu > 0) mass[i].armature += damping[n->u];
  }
  return true;
}

/* *done is false if this way is closed. a: udot, then the step's. */
static cdn_status solve_tree(const dynamics *dyn, cdn_state *state, const char *function, const double *damping,
                             double *a, bool *done) {
  const matter *m = dyn->matter;
  const tree *t = &m->tree;
  const size_t nb = (size_t)t->n, nu = (size_t)t->nu;
  tree_data d = cdni_matter_data(m, state);
  void *frame;
  if (cdni_dynamics_has_forces(dyn, state) || dyn->soft)
    CDNI_TRY(cdni_dynamics_acting_forces(dyn, state, &d.force, &d.f_mob));
  CDNI_TRY(cdni_operator_work(state, function,
                              nb * (sizeof(body_articulated) + sizeof(body_mass) + 2 * sizeof(sv)) +
                                  ((size_t)t->nG + (size_t)t->nD + nu + 1) * sizeof(real),
                              &frame));
  d.articulated = frame;
  body_mass *mass = (body_mass *)(d.articulated + nb);
  d.z = (sv *)(mass + nb), d.A = d.z + nb;
  d.G = (real *)(d.A + nb), d.D_inv = d.G + t->nG, d.eps = d.D_inv + t->nD;
  d.udot = a;
  cdn_status status = CDN_OK;
  *done = fill_masses(m, &d, damping, mass);
  d.mass = mass;
  if (*done) {
    rmask singular;
    m->kernels->forward(t, &d, false, &singular);
    if ((int)singular >= 0) status = cdni_matter_singular(m, state, (int)singular, function);
  }
  cdn_work_pop(state, frame);
  return status;
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

static cdn_status damp_joints(const dynamics *dyn, cdn_state *state, const char *function, double h, double *a) {
  const size_t nu = (size_t)dyn->matter->tree.nu;
  double *damping;
  CDNI_TRY(cdni_operator_work(state, function, (nu + 1) * sizeof *damping, (void **)&damping));
  bool any = false, done = true;
  cdn_status status = CDN_OK;
  cdni_forces_joint_damping(dyn->forces, state, damping, (int)nu);
  for (size_t k = 0; k < nu; k++) {
    any = any || damping[k] != 0;
    damping[k] *= h;
  }
  if (any && cdni_dynamics_is_constrained(dyn, state)) {
    const sv *F;
    const double *f;
    status = cdni_dynamics_acting_forces(dyn, state, &F, &f);
    if (status == CDN_OK) status = cdni_constraints_solve_damped(dyn->constraints, state, function, damping, F, f, a);
  } else if (any) status = solve_tree(dyn, state, function, damping, a, &done);
  cdn_work_pop(state, damping);
  return done ? status : solve_matrix(state, function, STEP_JOINTS, h, a);
}

cdn_status cdni_dynamics_damp(cdn_state *state, const char *function, step_damping damping, double h, double *a) {
  const cdn_system *system = cdn_state_system(state);
  const dynamics *dyn = cdni_dynamics(system);
  CDNI_TRY(cdni_state_ensure(state, CDN_UDOT));
  const size_t all = (size_t)cdn_system_nu(system);
  if (all) memcpy(a, cdn_state_udot(state), all * sizeof *a);
  if (!dyn || dyn->matter->tree.nu == 0) return CDN_OK;
  CDNI_TRY(cdni_dynamics_refuse_provided_rows(state, function));
  a += cdni_subsystem_runs(system, dyn->matter->subsystem).u;
  return damping == STEP_JOINTS ? damp_joints(dyn, state, function, h, a)
                                : solve_matrix(state, function, damping, h, a);
}
