/* Accelerations of a step that is implicit in velocity. With forces F at the start, M udot + G^T lambda = F, the step's a is that of
 * M a + G^T mu = F + h J a with G a = G udot. So a = udot + e, where
 *
 *   (M - h J) e + G^T (mu - lambda) = h J udot,    G e = 0.
 *
 * Forces of soft rows stay what they are at the start. Damping of joints alone goes along the tree, O(n); other J fill a matrix, O(n^3),
 * less where the matrix has the zeros of a tree. */
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

/* e = (M + damping)^-1 f; *done is false if this way is closed. */
static cdn_status solve_tree(const matter *m, cdn_state *state, const char *function, const double *damping,
                             const double *f, double *e, bool *done) {
  const tree *t = &m->tree;
  const size_t nb = (size_t)t->n, nu = (size_t)t->nu;
  tree_data d = cdni_matter_data(m, state);
  void *frame;
  CDNI_TRY(cdni_operator_work(state, function,
                              nb * (sizeof(body_articulated) + sizeof(body_mass) + 2 * sizeof(sv)) +
                                  ((size_t)t->nG + (size_t)t->nD + nu + 1) * sizeof(real),
                              &frame));
  d.articulated = frame;
  body_mass *mass = (body_mass *)(d.articulated + nb);
  d.z = (sv *)(mass + nb), d.A = d.z + nb;
  d.G = (real *)(d.A + nb), d.D_inv = d.G + t->nG, d.eps = d.D_inv + t->nD;
  d.force = NULL, d.f_mob = f, d.udot = e;
  cdn_status status = CDN_OK;
  *done = fill_masses(m, &d, damping, mass);
  d.mass = mass;
  if (*done) {
    rmask singular;
    m->kernels->articulate(t, &d, &singular);
    if ((int)singular >= 0) status = cdni_matter_singular(m, state, (int)singular, function);
    else m->kernels->solve(t, &d);
  }
  cdn_work_pop(state, frame);
  return status;
}

/* ---- by a matrix ---- */

/* Rows of G on the mobilities that are free. */
typedef struct free_part {
  int n, *at; /* mobilities that are not prescribed */
  double *A, *x, *column;
  cdni_null_space rows;
} free_part;

static size_t free_numbers(size_t nu, size_t m) { return 2 * nu * nu + 3 * nu + m * (nu + 4) + 8; }

static void divide(free_part *p, const matter *m, const tree_data *d, double *memory, size_t rows) {
  const size_t nu = (size_t)m->tree.nu;
  p->A = memory, p->x = p->A + nu * nu, p->column = p->x + nu;
  p->rows.A = p->column + nu, p->rows.scale = p->rows.A + rows * nu, p->rows.size = p->rows.scale + rows;
  p->rows.order = (int32_t *)(p->rows.size + rows);
  p->at = (int *)(p->rows.order + rows + rows % 2);
  p->n = 0;
  for (int i = 1; i < m->tree.n; i++)
    for (int k = 0; k < m->tree.node[i].nu && !(d->prescribed && d->prescribed[i]); k++)
      p->at[p->n++] = m->tree.node[i].u + k;
}

/* Q^T A Q of the null space of G, in place. */
static void reduce(free_part *p) {
  const int n = p->n;
  for (int i = 0; i < n; i++) cdni_null_space_enter(&p->rows, p->A + (size_t)i * (size_t)n);
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < n; i++) p->column[i] = p->A[(size_t)i * (size_t)n + (size_t)k];
    cdni_null_space_enter(&p->rows, p->column);
    for (int i = 0; i < n; i++) p->A[(size_t)i * (size_t)n + (size_t)k] = p->column[i];
  }
  const int rank = p->rows.rank, left = n - rank;
  for (int i = 0; i < left; i++)
    memmove(p->A + (size_t)i * (size_t)left, p->A + (size_t)(i + rank) * (size_t)n + (size_t)rank,
            (size_t)left * sizeof *p->A);
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

/* x = A^-1 x on the free mobilities and within what the constraints allow. */
static cdn_status solve_free(const dynamics *dyn, cdn_state *state, const char *function, free_part *p) {
  const bool constrained = cdni_dynamics_is_constrained(dyn, state);
  int left = p->n;
  double *x = p->x;
  if (constrained) {
    reduce(p);
    cdni_null_space_enter(&p->rows, p->x);
    left -= p->rows.rank, x += p->rows.rank;
    for (int k = 0; k < p->rows.rank; k++) p->x[k] = 0;
  }
  const int bad = cdni_lu_factor(left, p->A);
  if (bad >= 0) {
    char speed[96] = "what the constraints leave free";
    if (!constrained)
      cdn_system_slot_name(cdn_state_system(state), CDN_POOL_U,
                           cdni_subsystem_runs(cdn_state_system(state), dyn->matter->subsystem).u + p->at[bad], speed,
                           sizeof speed);
    return cdni_state_fail(state, CDN_ERR_SINGULAR, true, function, speed,
                           "forces grow with the speed of %s faster than a step of this size can follow: take a shorter "
                           "step",
                           speed);
  }
  cdni_lu_solve(left, p->A, x);
  if (constrained) cdni_null_space_leave(&p->rows, p->x);
  return CDN_OK;
}

/* The matrix and hJ of all mobilities become those of the free ones. */
static cdn_status solve_matrix(const dynamics *dyn, cdn_state *state, const char *function, step_damping damping,
                               double h, const double *udot, double *e) {
  const matter *m = dyn->matter;
  const tree_data d = cdni_matter_data(m, state);
  const cdn_system *system = cdn_state_system(state);
  const bool constrained = cdni_dynamics_is_constrained(dyn, state);
  const size_t nu = (size_t)m->tree.nu, rows = constrained ? (size_t)cdni_constraints_equations(dyn->constraints) : 0;
  const size_t G = constrained ? (size_t)cdn_system_nudoterr(system) * (size_t)cdn_system_nu(system) : 0;
  void *frame;
  CDNI_TRY(cdni_operator_work(state, function, (free_numbers(nu, rows) + G) * sizeof(double), &frame));
  free_part p = { .n = 0 };
  double *numbers = frame, *hJ = numbers + G;
  divide(&p, m, &d, hJ + nu * nu, rows);
  cdn_status status = cdni_dynamics_step_matrix(state, function, damping, h, p.A, hJ);
  const size_t n = (size_t)p.n;
  if (status == CDN_OK) {
    for (size_t i = 0; i < n; i++) {
      const double *row = hJ + (size_t)p.at[i] * nu;
      p.x[i] = 0;
      for (size_t k = 0; k < nu; k++) p.x[i] += row[k] * udot[k];
    }
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < n; k++) p.A[i * n + k] = p.A[(size_t)p.at[i] * nu + (size_t)p.at[k]];
  }
  if (status == CDN_OK && constrained) status = gather_rows(dyn, state, &p, numbers);
  if (status == CDN_OK) status = solve_free(dyn, state, function, &p);
  for (size_t k = 0; k < nu; k++) e[k] = 0;
  for (size_t i = 0; i < n && status == CDN_OK; i++) e[p.at[i]] = p.x[i];
  cdn_work_pop(state, frame);
  return status;
}

/* ---- both ---- */

static cdn_status damp_joints(const dynamics *dyn, cdn_state *state, const char *function, double h, const double *udot,
                              double *e) {
  const size_t nu = (size_t)dyn->matter->tree.nu;
  void *frame;
  CDNI_TRY(cdni_operator_work(state, function, (2 * nu + 1) * sizeof(double), &frame));
  double *damping = frame, *f = damping + nu;
  bool any = false, done = true;
  cdn_status status = CDN_OK;
  memset(damping, 0, nu * sizeof *damping);
  if (dyn->forces) cdni_forces_joint_damping(dyn->forces, state, damping);
  for (size_t k = 0; k < nu; k++) {
    any = any || damping[k] != 0;
    damping[k] *= h;
    f[k] = -damping[k] * udot[k];
    e[k] = 0;
  }
  if (any && cdni_dynamics_is_constrained(dyn, state))
    status = cdni_constraints_solve_damped(dyn->constraints, state, function, damping, f, e);
  else if (any) status = solve_tree(dyn->matter, state, function, damping, f, e, &done);
  cdn_work_pop(state, frame);
  return done ? status : solve_matrix(dyn, state, function, STEP_JOINTS, h, udot, e);
}

cdn_status cdni_dynamics_damp(cdn_state *state, const char *function, step_damping damping, double h,
                              const double *udot, double *a) {
  const cdn_system *system = cdn_state_system(state);
  const dynamics *dyn = cdni_dynamics(system);
  const size_t all = (size_t)cdn_system_nu(system), nu = dyn ? (size_t)dyn->matter->tree.nu : 0;
  double *e;
  if (a != udot && all) memcpy(a, udot, all * sizeof *a);
  if (nu == 0) return CDN_OK;
  CDNI_TRY(cdni_dynamics_refuse_provided_rows(state, function));
  CDNI_TRY(cdni_state_ensure(state, CDN_UDOT));
  CDNI_TRY(cdni_operator_work(state, function, nu * sizeof *e, (void **)&e));
  a += cdni_subsystem_runs(system, dyn->matter->subsystem).u;
  const cdn_status status = damping == STEP_JOINTS ? damp_joints(dyn, state, function, h, a, e)
                                                   : solve_matrix(dyn, state, function, damping, h, a, e);
  for (size_t k = 0; k < nu && status == CDN_OK; k++) a[k] += e[k];
  cdn_work_pop(state, e);
  return status;
}
