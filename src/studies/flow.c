/* The step of sampling: half a kick by the forces, a drift by the kinetic energy alone, half a kick. Each is a
 * symmetric and symplectic map of (q, p = M u), so the step is reversible and preserves volume.
 *
 * The drift is the variational integrator of the discrete Lagrangian h T(q_m, xi), where xi are constant speeds that
 * lead from q0 over the middle q_m to q1 (J. E. Marsden, M. West, Acta Numerica 10:357, 2001). Coordinates whose rates
 * are speeds move by h xi / 2; orientations turn by Cayley's map of x = h w / 2, E = cay(x), in F's axes (N. Bou-Rabee,
 * J. E. Marsden, Found. Comput. Math. 9:197, 2009). With g the gradient of T by q_m along the mobilities,
 *
 *   P0 = E p0,   P1 = P0 + h g,   p1 = E P1,   M(q_m) xi = (P0 + h g / 2 + h x x g / 4) / (1 + |x|^2 / 4),
 *
 * and without E and x for other coordinates (flow_map.c, which has lines, too). The last is solved for xi by Newton's
 * method (matter/variational.c), whose Jacobian is kept while it serves, and by Anderson's mixing (D. G. Anderson, J.
 * ACM 12:547, 1965). Position constraints are held as by RATTLE (H. C. Andersen, J. Comput. Phys. 52:24, 1983): p0
 * loses G(q0)^T lambda so that q1 obeys them, and p1 what violates G u = 0.
 *
 * Nose-Hoover chains turn for half a step before and after: friction and chain alone, which is reversible, too. */
#include <math.h>

#include <cardan/dynamics.h>
#include <cardan/operators.h>

#include "forces/nose_hoover.h"
#include "math/cholesky.h"
#include "matter/kinds.h"
#include "matter/operators.h"
#include "matter/variational.h"

#include "studies/sampling.h"

enum { MOST_ITERATIONS = 60, MIXED = CDNI_FLOW_MIXED };
static const double CLOSE = 1e-14, KNOWN = 1e-10, SLOW = 0.6; /* relative */

/* What momenta that constraints took weigh in the mixing: 1 over the diagonal of M at the default coordinates. That
 * depends on the System alone, so that runs which are continued have the same bits. */
static cdn_status find_weights(cdni_flow *flow, const cdn_system *system) {
  const size_t nu = (size_t)flow->nu;
  cdn_state *state = NULL;
  const size_t size = (2 * nu + 1) * sizeof(double);
  if (!flow->start) return CDN_OK;
  double *e = cdni_calloc(cdni_system_allocator(system), size);
  cdn_status status = e ? cdn_state_create(system, &state) : CDN_ERR_NOMEM;
  for (size_t i = 0; status == CDN_OK && i < nu; i++) {
    e[i] = 1;
    status = cdn_multiply_by_M(state, e, e + nu);
    e[i] = 0;
    flow->weight[i] = e[nu + i] > 0 ? 1 / e[nu + i] : 1;
  }
  cdn_state_destroy(state);
  if (e) cdni_free(cdni_system_allocator(system), e, size);
  return status;
}

/* The memory of a flow in one block; returns its size in bytes. `at` NULL: counts only. */
static size_t divide(cdni_flow *flow, char *at) {
  const size_t nq = (size_t)flow->nq, nu = (size_t)flow->nu, eq = (size_t)flow->m, mixed = (size_t)flow->n_mixed;
  const struct {
    double **part;
    size_t size;
  } parts[] = { { &flow->q0, nq },
                { &flow->q, nq },
                { &flow->p, nu },
                { &flow->p0, nu },
                { &flow->u, nu },
                { &flow->g, nu },
                { &flow->f, nu },
                { &flow->more, nu },
                { &flow->kept_q, nq },
                { &flow->kept_p, nu },
                { &flow->kept_u, nu },
                { &flow->lambda, eq },
                { &flow->b, eq },
                { &flow->weight, mixed - nu },
                { &flow->residual, nu },
                { &flow->old_residual, nu },
                { &flow->residuals, MIXED * nu },
                { &flow->x, mixed },
                { &flow->image, mixed },
                { &flow->gap, mixed },
                { &flow->old_image, mixed },
                { &flow->old_gap, mixed },
                { &flow->images, MIXED * mixed },
                { &flow->gaps, MIXED * mixed } };
  size_t size = (size_t)flow->nb * (sizeof *flow->F + sizeof *flow->newton);
  if (at) flow->newton = (variational_body *)at, flow->F = (cdn_spatial *)(flow->newton + flow->nb);
  for (int i = 0; i < CDNI_COUNT(parts); i++) {
    if (at) *parts[i].part = (double *)(at + size);
    size += parts[i].size * sizeof(double);
  }
  return size;
}

cdn_status cdni_flow_create(cdn_state *state, const char *function, bool both_ways, cdni_flow *flow) {
  const cdn_system *system = cdn_state_system(state);
  CDNI_TRY(cdni_need_plain_matter(state, function));
  CDNI_TRY(cdni_flow_check(state, function));
  *flow = (cdni_flow){ .allocator = *cdni_system_allocator(system),
                       .nq = cdn_system_nq(system),
                       .nu = cdn_system_nu(system),
                       .m = cdn_system_nudoterr(system),
                       .nb = cdn_system_body_count(system) };
  flow->n_mixed = (flow->m > 0 ? 2 : 1) * flow->nu; /* xi, and the momenta that constraints took */
  flow->memory = cdni_calloc(&flow->allocator, divide(flow, NULL));
  if (!flow->memory || (flow->m > 0 && cdn_state_create(system, &flow->start) != CDN_OK) ||
      (both_ways && cdn_state_create(system, &flow->back) != CDN_OK)) {
    cdni_flow_destroy(flow);
    return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "no memory");
  }
  divide(flow, flow->memory);
  const cdn_status status = find_weights(flow, system);
  if (status == CDN_OK) return CDN_OK;
  cdni_flow_destroy(flow);
  return cdni_state_fail(state, status, false, function, NULL, "the mass matrix of the default State is not known");
}

void cdni_flow_destroy(cdni_flow *flow) {
  if (flow->memory) cdni_free(&flow->allocator, flow->memory, divide(flow, NULL));
  cdn_state_destroy(flow->start);
  cdn_state_destroy(flow->back);
  *flow = (cdni_flow){ 0 };
}

/* ---- the drift ---- */

/* What the position errors of the State's q ask the momenta at the beginning to lose, added to `lost`. */
static cdn_status hold(cdni_flow *flow, cdn_state *state, double h, double *lost) {
  const cdn_system *system = cdn_state_system(state);
  const double *error = cdn_state_qerr(state);
  if (!error) return CDN_ERR_CALLBACK;
  for (int c = 0; c < cdn_system_constraint_count(system); c++) {
    const cdn_constraint_equations e = cdn_constraint_get_equations(system, (cdn_constraint){ c });
    const bool on = cdn_constraint_is_enabled(state, (cdn_constraint){ c });
    for (int k = 0; k < e.np + e.nv + e.na; k++) flow->b[e.row + k] = on && k < e.np ? error[e.qerr + k] / h : 0;
  }
  CDNI_TRY(cdn_solve_G_M_inv_G_transpose(flow->start, flow->b, flow->lambda));
  CDNI_TRY(cdn_multiply_by_G_transpose(flow->start, flow->lambda, flow->more));
  for (int i = 0; i < flow->nu; i++) lost[i] += flow->more[i];
  return CDN_OK;
}

static cdn_status no_end(cdn_state *state, double h) {
  return cdni_state_fail(state, CDN_ERR_STEP, true, "cdn_hmc_advance", NULL,
                         "the iteration for a step of %.3g finds no end: take a shorter step", h);
}

/* One pass of the iteration: image = x and what Newton's method adds, x = (xi, momenta lost), and the residual of xi.
 * `anew`: with the Jacobian of this x. Leaves the State at q1 if there are constraints, and g. *whole: twice the
 * kinetic energy of xi. */
static cdn_status pass(cdni_flow *flow, cdn_state *state, const tree_data *d, double h, bool anew, double *whole) {
  const matter *m = cdni_matter(cdn_state_system(state));
  const int nu = flow->nu;
  double *next = flow->image, *lost = flow->start ? flow->image + nu : NULL;
  cdni_flow_move(m, flow->q0, flow->x, 0.5 * h, flow->q);
  CDNI_TRY(cdn_state_set_q(state, flow->q));
  CDNI_TRY(cdni_kinetic_gradient(m, state, "cdn_hmc_advance", flow->x, flow->g, next));
  if (anew) CDNI_TRY(cdni_variational_factor(m, state, d, h, flow->x, flow->newton));
  for (int i = 0; i < nu; i++) flow->p0[i] = flow->p[i] - (lost ? flow->x[nu + i] : 0);
  cdni_flow_middle(m, h, flow->p0, flow->x, flow->g, flow->residual);
  *whole = 0;
  for (int i = 0; i < nu; i++) *whole += flow->x[i] * next[i], flow->residual[i] -= next[i];
  cdni_variational_solve(m, d, flow->newton, flow->residual, next);
  for (int i = 0; i < nu; i++) next[i] += flow->x[i];
  if (!lost) return CDN_OK;
  memcpy(lost, flow->x + nu, (size_t)nu * sizeof *lost);
  cdni_flow_move(m, flow->q0, next, 0.5 * h, flow->q);
  cdni_flow_move(m, flow->q, next, 0.5 * h, flow->q);
  CDNI_TRY(cdn_state_set_q(state, flow->q));
  return hold(flow, state, h, lost);
}

/* ---- mixing ----
 *
 * Gaps are measured by the kinetic energy that they have: beside the diagonal of M what turns a light body between
 * heavy ones, which stay, would weigh as much as what turns these. The residual of a gap stands for M times it. */

static double lost_product(const cdni_flow *flow, const double *a, const double *b) {
  double sum = 0;
  for (int i = flow->nu; i < flow->n_mixed; i++) sum += flow->weight[i - flow->nu] * a[i] * b[i];
  return sum;
}

/* a of gaps, r of residuals. */
static double product(int n, const double *a, const double *r) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * r[i];
  return sum;
}

/* The size of the gap, without signs: no gap has none. */
static double gap_size(const cdni_flow *flow) {
  double sum = lost_product(flow, flow->gap, flow->gap);
  for (int i = 0; i < flow->nu; i++) sum += fabs(flow->gap[i] * flow->residual[i]);
  return sqrt(sum);
}

/* The next x: the image, less the combination of the last differences that makes the gap least. */
static void mix(cdni_flow *flow, int k) {
  const size_t n = (size_t)flow->n_mixed, nu = (size_t)flow->nu;
  double A[MIXED][MIXED], c[MIXED];
  const int last = k < MIXED ? k : MIXED;
  if (k > 0) {
    const size_t at = (size_t)((k - 1) % MIXED);
    double *image = flow->images + at * n, *gap = flow->gaps + at * n, *residual = flow->residuals + at * nu;
    for (size_t i = 0; i < n; i++) {
      image[i] = flow->image[i] - flow->old_image[i];
      gap[i] = flow->gap[i] - flow->old_gap[i];
    }
    for (size_t i = 0; i < nu; i++) residual[i] = flow->residual[i] - flow->old_residual[i];
  }
  memcpy(flow->old_image, flow->image, n * sizeof *flow->image);
  memcpy(flow->old_gap, flow->gap, n * sizeof *flow->gap);
  memcpy(flow->old_residual, flow->residual, nu * sizeof *flow->residual);
  memcpy(flow->x, flow->image, n * sizeof *flow->x);
  for (int i = 0; i < last; i++) {
    const double *a = flow->gaps + (size_t)i * n, *r = flow->residuals + (size_t)i * nu;
    for (int j = 0; j <= i; j++) {
      const double *b = flow->gaps + (size_t)j * n, *s = flow->residuals + (size_t)j * nu;
      A[i][j] = 0.5 * (product(flow->nu, a, s) + product(flow->nu, b, r)) + lost_product(flow, a, b);
    }
    A[i][i] *= 1 + 1e-12;
    c[i] = 0.5 * (product(flow->nu, a, flow->residual) + product(flow->nu, flow->gap, r));
    c[i] += lost_product(flow, a, flow->gap);
  }
  if (last == 0 || cdni_cholesky(last, MIXED, A[0], 0, 0) >= 0) return;
  cdni_cholesky_down(last, MIXED, A[0], c);
  cdni_cholesky_up(last, MIXED, A[0], c);
  for (int j = 0; j < last; j++)
    for (size_t i = 0; i < n; i++) flow->x[i] -= c[j] * flow->images[(size_t)j * n + i];
}

/* ---- the whole drift ---- */

/* Moves the State and p from (q0, p0) to (q1, p1). flow->u is the first guess, and the speeds found. */
static cdn_status drift(cdni_flow *flow, cdn_state *state, double h, bool *solved) {
  const matter *m = cdni_matter(cdn_state_system(state));
  const tree_data d = cdni_matter_data(m, state);
  const size_t nu = (size_t)flow->nu, n = (size_t)flow->n_mixed;
  double least = INFINITY, last = INFINITY, whole;
  bool anew = true;
  int mixed = 0;
  *solved = false;
  memcpy(flow->q0, cdn_state_q(state), (size_t)flow->nq * sizeof *flow->q0);
  memset(flow->x, 0, n * sizeof *flow->x);
  memcpy(flow->x, flow->u, nu * sizeof *flow->x);
  if (flow->start) CDNI_TRY(cdn_state_copy(flow->start, state));
  for (int k = 0;; k++) {
    if (k == MOST_ITERATIONS || !cdni_all_finite(flow->x, n, NULL)) return no_end(state, h);
    const cdn_status status = pass(flow, state, &d, h, anew, &whole);
    if (status == CDN_ERR_NONFINITE || status == CDN_ERR_SINGULAR) return no_end(state, h);
    CDNI_TRY(status);
    for (size_t i = 0; i < n; i++) flow->gap[i] = flow->image[i] - flow->x[i];
    const double size = gap_size(flow);
    whole = sqrt(whole + lost_product(flow, flow->image, flow->image));
    /* What is left after this step of Newton's method, as it falls: size^2 / last. */
    if (size <= KNOWN * whole && (size * size <= CLOSE * whole * last || size >= 0.5 * least)) break;
    if (anew) mixed = 0; /* what is known of another Jacobian is no help */
    mix(flow, mixed++);
    anew = size > SLOW * last;
    least = fmin(least, size), last = size;
  }
  *solved = true;
  memcpy(flow->u, flow->image, nu * sizeof *flow->u);
  memcpy(flow->p, flow->p0, nu * sizeof *flow->p);
  if (!flow->start) {
    cdni_flow_move(m, flow->q0, flow->u, 0.5 * h, flow->q);
    cdni_flow_move(m, flow->q, flow->u, 0.5 * h, flow->q);
    CDNI_TRY(cdn_state_set_q(state, flow->q));
  }
  cdni_flow_end(m, h, flow->u, flow->g, flow->p);
  return CDN_OK;
}

/* ---- kicks ---- */

/* Forces without those of chains, which are -xi M u. */
static cdn_status find_forces(cdni_flow *flow, cdn_state *state) {
  CDNI_TRY(cdn_applied_forces(state, flow->F, flow->more));
  CDNI_TRY(cdn_multiply_by_J_transpose(state, flow->F, flow->f));
  for (int i = 0; i < flow->nu; i++) flow->f[i] += flow->more[i];
  const double xi = cdni_nose_hoover_friction(state);
  if (xi == 0) return CDN_OK;
  CDNI_TRY(cdn_multiply_by_M(state, cdn_state_u(state), flow->more));
  for (int i = 0; i < flow->nu; i++) flow->f[i] += xi * flow->more[i];
  return CDN_OK;
}

static void kick(cdni_flow *flow, double time) {
  for (int i = 0; i < flow->nu; i++) flow->p[i] += time * flow->f[i];
}

/* All chains turn for this time; p and u become shorter or longer. u must be M^-1 p. */
static cdn_status turn_chains(cdni_flow *flow, cdn_state *state, double time) {
  double K = 0, factor = 1;
  for (int i = 0; i < flow->nu; i++) K += 0.5 * flow->p[i] * flow->u[i];
  CDNI_TRY(cdni_nose_hoover_turn(state, time, K, &factor));
  for (int i = 0; i < flow->nu; i++) flow->p[i] *= factor, flow->u[i] *= factor;
  return CDN_OK;
}

/* Whether the drift that has ended leads back. If it does not, the iteration has found another solution there, or none:
 * the way back would not propose this way, and the balance of the Metropolis test would be lost. kept_p: the momenta at
 * the end of the drift. */
static cdn_status check_back(cdni_flow *flow, const cdn_state *state, double h, bool *solved) {
  const size_t nu = (size_t)flow->nu;
  cdni_flow_move(cdni_matter(cdn_state_system(state)), flow->q0, flow->u, 0,
                 flow->kept_q); /* quaternions of length 1 */
  memcpy(flow->kept_u, flow->u, nu * sizeof *flow->kept_u);
  for (size_t i = 0; i < nu; i++) {
    const double p = flow->p[i];
    flow->p[i] = -flow->kept_p[i];
    flow->kept_p[i] = p;
    flow->u[i] = -flow->u[i];
  }
  CDNI_TRY(cdn_state_copy(flow->back, state));
  const cdn_status status = drift(flow, flow->back, h, solved);
  const double *q = cdn_state_q(flow->back);
  for (int i = 0; *solved && i < flow->nq; i++)
    if (!(fabs(q[i] - flow->kept_q[i]) <= 1e-7 * (1 + fabs(q[i])))) *solved = false;
  memcpy(flow->p, flow->kept_p, nu * sizeof *flow->p);
  memcpy(flow->u, flow->kept_u, nu * sizeof *flow->u);
  return status == CDN_OK && !*solved ? no_end(flow->back, h) : status;
}

cdn_status cdni_flow_steps(cdni_flow *flow, cdn_state *state, double h, int n, bool *solved) {
  bool unused;
  const size_t nu = (size_t)flow->nu;
  if (!solved) solved = &unused;
  *solved = true;
  const double *u = cdn_state_u_eff(state);
  if (!u) return CDN_ERR_CALLBACK;
  if (flow->nu == 0) return CDN_OK;
  memcpy(flow->u, u, nu * sizeof *u);
  CDNI_TRY(cdn_multiply_by_M(state, flow->u, flow->p));
  CDNI_TRY(find_forces(flow, state));
  for (int k = 0; k < n; k++) {
    CDNI_TRY(turn_chains(flow, state, 0.5 * h));
    kick(flow, 0.5 * h);
    CDNI_TRY(cdn_multiply_by_M_inv(state, flow->p, flow->u));
    CDNI_TRY(drift(flow, state, h, solved));
    memcpy(flow->kept_p, flow->p, nu * sizeof *flow->p);
    CDNI_TRY(cdn_state_set_u(state, flow->u));
    CDNI_TRY(find_forces(flow, state));
    kick(flow, 0.5 * h);
    CDNI_TRY(cdn_multiply_by_M_inv(state, flow->p, flow->u));
    if (flow->start) {
      CDNI_TRY(cdni_project_speeds(state, flow->u));
      CDNI_TRY(cdn_multiply_by_M(state, flow->u, flow->p));
    }
    CDNI_TRY(turn_chains(flow, state, 0.5 * h));
    if (flow->back) CDNI_TRY(check_back(flow, state, h, solved));
  }
  return cdn_state_set_u(state, flow->u);
}
