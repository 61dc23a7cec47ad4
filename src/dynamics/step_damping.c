/* Accelerations of a step that is implicit in velocity. With forces F at the start, M udot + G^T lambda = F, the step's a is that of
 *
 *   M a + G^T mu = F + h J a,    G a = G udot.
 *
 * Forces of soft rows stay what they are at the start. Damping of joints alone goes along the tree, O(n); other J fill a matrix, O(n^3),
 * less where the matrix has the zeros of a tree. udot is not corrected, but a is found anew: where h J is far above M, the
 * difference of the two would have no digits. */
#include "dynamics/internal.h"

#include "math/lu.h"
#include "math/null_space.h"
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

/* What the matrix is of: mobilities that are not prescribed, and Q^T of the rows of G on them (none: rank 0). */
typedef struct free_part {
  int n, *at;
  double *A, *M, *x, *column; /* A and x: of the n; M and A are first of all nu */
  cdni_null_space rows;
} free_part;

static size_t free_numbers(size_t nu, size_t m) { return 2 * nu * nu + 3 * nu + m * (nu + 3) + 4; }

static void divide(free_part *p, const matter *m, const tree_data *d, double *memory, size_t rows) {
  const size_t nu = (size_t)m->tree.nu;
  p->A = memory, p->M = p->A + nu * nu, p->x = p->M + nu * nu, p->column = p->x + nu;
  p->rows.A = p->column + nu, p->rows.scale = p->rows.A + rows * nu, p->rows.size = p->rows.scale + rows;
  p->rows.order = (int32_t *)(p->rows.size + rows);
  p->at = (int *)(p->rows.order + rows + rows % 2);
  p->n = p->rows.rank = 0;
  for (int i = 1; i < m->tree.n; i++)
    for (int k = 0; k < m->tree.node[i].nu && !(d->prescribed && d->prescribed[i]); k++)
      p->at[p->n++] = m->tree.node[i].u + k;
}

static cdn_status gather_rows(const dynamics *dyn, cdn_state *state, free_part *p, double *G) {
  const cdn_system *system = cdn_state_system(state);
  const size_t nu = (size_t)cdn_system_nu(system);
  const int first_u = cdni_subsystem_runs(system, dyn->matter->subsystem).u;
  const int first = cdni_constraints_first_row(dyn->constraints), m = cdni_constraints_equations(dyn->constraints);
  CDNI_TRY(cdn_calc_G(state, G));
  for (int e = 0; e < m; e++)
    for (int k = 0; k < p->n; k++)
      p->rows.A[(size_t)e * (size_t)p->n + (size_t)k] = G[(size_t)(first + e) * nu + (size_t)(first_u + p->at[k])];
  p->rows.n = p->n, p->rows.m = m;
  /* the sine that makes an equation redundant in the elimination, too */
  cdni_null_space_factor(&p->rows, 3e-6);
  return CDN_OK;
}

/* Of a = P udot + N y, where P udot is what prescribed motions and constraints say: P udot in place of udot, and x = M udot - A P udot
 * on the free mobilities. */
static void find_right(free_part *p, size_t nu, double *a) {
  const size_t n = (size_t)p->n, rank = (size_t)p->rows.rank;
  for (size_t i = 0; i < n; i++) {
    const double *row = p->M + (size_t)p->at[i] * nu;
    p->x[i] = 0;
    for (size_t k = 0; k < nu; k++) p->x[i] += row[k] * a[k];
  }
  for (size_t i = 0; i < n; i++) p->column[i] = a[p->at[i]];
  cdni_null_space_enter(&p->rows, p->column);
  for (size_t i = rank; i < n; i++) p->column[i] = 0;
  cdni_null_space_leave(&p->rows, p->column);
  for (size_t i = 0; i < n; i++) a[p->at[i]] = rank ? p->column[i] : 0;
  for (size_t i = 0; i < n; i++) {
    const double *row = p->A + (size_t)p->at[i] * nu;
    for (size_t k = 0; k < nu; k++) p->x[i] -= row[k] * a[k];
  }
}

/* Q^T A Q of the free mobilities, the null space of G alone. */
static void reduce(free_part *p, size_t nu) {
  const size_t n = (size_t)p->n, rank = (size_t)p->rows.rank, left = n - rank;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) p->A[i * n + k] = p->A[(size_t)p->at[i] * nu + (size_t)p->at[k]];
  if (rank == 0) return;
  for (size_t i = 0; i < n; i++) cdni_null_space_enter(&p->rows, p->A + i * n);
  for (size_t k = rank; k < n; k++) {
    for (size_t i = 0; i < n; i++) p->column[i] = p->A[i * n + k];
    cdni_null_space_enter(&p->rows, p->column);
    for (size_t i = 0; i < n; i++) p->A[i * n + k] = p->column[i];
  }
  for (size_t i = 0; i < left; i++) memmove(p->A + i * left, p->A + (i + rank) * n + rank, left * sizeof *p->A);
}

static cdn_status fail_growth(const dynamics *dyn, cdn_state *state, const char *function, const free_part *p, int k) {
  char speed[96] = "what the constraints leave free";
  const cdn_system *system = cdn_state_system(state);
  if (p->rows.rank == 0)
    cdn_system_slot_name(system, CDN_POOL_U, cdni_subsystem_runs(system, dyn->matter->subsystem).u + p->at[k], speed,
                         sizeof speed);
  return cdni_state_fail(state, CDN_ERR_SINGULAR, true, function, speed,
                         "forces grow with the speed of %s faster than a step of this size can follow: take a shorter "
                         "step",
                         speed);
}

/* a: udot, then the step's. */
static cdn_status solve_matrix(const dynamics *dyn, cdn_state *state, const char *function, step_damping damping,
                               double h, double *a) {
  const matter *m = dyn->matter;
  const tree_data d = cdni_matter_data(m, state);
  const cdn_system *system = cdn_state_system(state);
  const bool constrained = cdni_dynamics_is_constrained(dyn, state);
  const size_t nu = (size_t)m->tree.nu, rows = constrained ? (size_t)cdni_constraints_equations(dyn->constraints) : 0;
  const size_t G = constrained ? (size_t)cdn_system_nudoterr(system) * (size_t)cdn_system_nu(system) : 0;
  void *frame;
  CDNI_TRY(cdni_operator_work(state, function, (free_numbers(nu, rows) + G) * sizeof(double), &frame));
  free_part p;
  divide(&p, m, &d, (double *)frame + G, rows);
  cdn_status status = cdni_dynamics_step_matrix(state, function, damping, h, p.M, p.A);
  if (status == CDN_OK && constrained) status = gather_rows(dyn, state, &p, frame);
  if (status == CDN_OK) {
    const int rank = p.rows.rank;
    find_right(&p, nu, a);
    reduce(&p, nu);
    cdni_null_space_enter(&p.rows, p.x);
    for (int k = 0; k < rank; k++) p.x[k] = 0;
    const int bad = cdni_lu_factor(p.n - rank, p.A);
    if (bad >= 0) status = fail_growth(dyn, state, function, &p, bad);
    else cdni_lu_solve(p.n - rank, p.A, p.x + rank);
    cdni_null_space_leave(&p.rows, p.x);
    for (int i = 0; i < p.n; i++) a[p.at[i]] += p.x[i];
  }
  cdn_work_pop(state, frame);
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
  return done ? status : solve_matrix(dyn, state, function, STEP_JOINTS, h, a);
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
                                : solve_matrix(dyn, state, function, damping, h, a);
}
