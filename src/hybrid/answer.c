/* What the System does at a moment without pushes and with them, and the set of contacts solved with that. */
#include "hybrid/moment.h"
#include "hybrid/press.h"

#include <float.h>
#include <math.h>

#include "matter/operators.h"

static cdn_status joints_of_rows(moment *m, int row, int n, int constraint, double sign, double second, double *work) {
  const size_t width = JOINT_NUMBERS * (size_t)m->room->joints, nu = (size_t)m->nu;
  for (int k = 0; k < n; k++) {
    const double unit[CONE_MOST_TANGENTS] = { k == 0 ? sign : 0, k == 1 ? second : 0, k == 2 };
    double *X = work, *L = work + nu;
    memset(work, 0, (nu + (size_t)m->equations) * sizeof *work);
    cdni_sparse_add_to(&m->X, row + k, 1, X), cdni_sparse_add_to(&m->L, row + k, 1, L);
    const joint_cause cause = { X, L, 1, 1, constraint, unit };
    CDNI_TRY(cdni_joint_change(m->room, m->state, &cause, 1, m->J + (size_t)(row + k) * width));
  }
  return CDN_OK;
}

/* J from X and L. */
static cdn_status respond_joints(moment *m) {
  const hybrid_room *room = m->room;
  void *work;
  cdn_status status = CDN_OK;
  if (room->joints == 0) return CDN_OK;
  CDNI_TRY(cdni_operator_work(m->state, "cdn_settle", (size_t)(m->nu + m->equations + 1) * sizeof(double), &work));
  for (int i = 0; i < hybrid_sides(room) && status == CDN_OK; i++) {
    const one_sided *s = side_at(room, i);
    if (m->side_cone[i] >= 0)
      status = joints_of_rows(m, m->cones[m->side_cone[i]].normal, 1, s->constraint, s->sign, 0, work);
  }
  for (int i = 0; i < hybrid_frictions(room) && status == CDN_OK; i++) {
    const dry_friction *x = friction_at(room, i);
    if (m->friction_cone[i] >= 0)
      status = joints_of_rows(m, m->cones[m->friction_cone[i]].tangent, x->n, x->slip, 1,
                              friction_scale(room, m->state, i, 1), work);
  }
  cdn_work_pop(m->state, work);
  return status;
}

cdn_status cdni_moment_multiply(moment *m) {
  CDNI_TRY(cdni_moment_fits(m, cdni_sparse_multiply(&m->G, &m->X, m->nu, &m->W)));
  return respond_joints(m);
}

cdn_status cdni_moment_free_accelerations(moment *m) {
  const hybrid_room *room = m->room;
  double aerr[HYBRID_MOST_EQUATIONS];
  CDNI_TRY(cdn_realize(m->state, CDN_STAGE_ACCELERATION));
  const double *lambda = cdn_state_multipliers(m->state);
  if (!lambda) return CDN_ERR_ARG;
  memcpy(m->free_lambda, lambda + m->first_row, (size_t)m->equations * sizeof *lambda);
  double *joints;
  CDNI_TRY(cdni_joints_of(room, m->state, &joints));
  for (int k = 0; k < JOINT_NUMBERS * room->joints; k++) m->free_joints[k] = joints[k];
  cdn_work_pop(m->state, joints);
  const tree_data d = cdni_matter_data(room->matter, m->state);
  for (int i = 0; i < hybrid_sides(room); i++) {
    const one_sided *s = side_at(room, i);
    if (m->side_cone[i] < 0) continue;
    CDNI_TRY(cdni_constraint_accelerations(room->constraints, m->state, s->constraint, d.A, d.udot, aerr));
    m->b[m->cones[m->side_cone[i]].normal] = s->sign * aerr[0];
  }
  for (int i = 0; i < hybrid_frictions(room); i++) {
    if (m->friction_cone[i] < 0) continue;
    const cone *c = &m->cones[m->friction_cone[i]];
    CDNI_TRY(cdni_constraint_accelerations(room->constraints, m->state, friction_at(room, i)->slip, d.A, d.udot, aerr));
    for (int k = 0; k < c->n; k++) m->b[c->tangent + k] = aerr[k] * friction_scale(room, m->state, i, k);
  }
  return CDN_OK;
}

/* ---- solving, where bounds may depend on multipliers of other constraints ---- */

/* The norm of the multipliers of a constraint: those without pushes, and those of the pushes. */
static double reaction(const moment *m, int constraint, const double *lambda) {
  const constraint_element *c = constraint_at(m->room->constraints, constraint);
  double sum = 0;
  for (int k = 0; k < c->m; k++) {
    double now = lambda ? lambda[c->row + k] : 0;
    for (int r = 0; r < m->rows; r++) now += cdni_sparse_at(&m->L, r, c->row + k) * m->p[r];
    sum += now * now;
  }
  return sqrt(sum);
}

/* The same of what the mobilizer transmits that presses on a friction. */
static double transmitted(const moment *m, int joint, bool free) {
  const size_t width = JOINT_NUMBERS * (size_t)m->room->joints;
  double sum = 0;
  for (int k = JOINT_NUMBERS * joint; k < JOINT_NUMBERS * (joint + 1); k++) {
    double now = free ? m->free_joints[k] : 0;
    for (int r = 0; r < m->rows; r++) now += m->J[(size_t)r * width + (size_t)k] * m->p[r];
    sum += now * now;
  }
  return sqrt(sum);
}

double cdni_moment_set_bounds(moment *m, bool impulses, const double *lambda, bool *depends) {
  double change = 0;
  for (int i = 0; i < hybrid_frictions(m->room); i++) {
    if (m->friction_cone[i] < 0) continue;
    const dry_friction *x = friction_at(m->room, i);
    const double *p = friction_params(m->room, m->state, i);
    cone *c = &m->cones[m->friction_cone[i]];
    const double speed = c->slips ? cone_size(c, m->v) : 0;
    double N = p[FRICTION_LOAD] * (impulses ? m->span : 1);
    *depends = *depends || x->reaction >= 0 || x->joint >= 0 || x->shares;
    if (x->shares) N += m->p[m->cones[m->side_cone[x->normal]].normal];
    if (x->reaction >= 0) N += reaction(m, x->reaction, lambda);
    if (x->joint >= 0) N += transmitted(m, x->joint, lambda != NULL);
    c->mu_dynamic = p[FRICTION_DYNAMIC] + p[FRICTION_VISCOUS] * speed;
    c->mu_static = impulses ? c->mu_dynamic : friction_static(p);
    change = fmax(change, fabs(c->mu_dynamic * N - c->base_dynamic) / fmax(c->mu_dynamic * N, DBL_MIN));
    c->base_static = c->mu_static * N, c->base_dynamic = c->mu_dynamic * N;
  }
  return change;
}

cone_problem cdni_moment_problem(const moment *m) {
  return (cone_problem){ .allocator = cdni_system_allocator(cdn_state_system(m->state)),
                         .rows = m->rows,
                         .n = m->n_cones,
                         .W = { m->W.first, m->W.column, m->W.value },
                         .b = m->b,
                         .cones = m->cones,
                         .rough = m->captures,
                         .p = m->p,
                         .w = m->w };
}

bool cdni_moment_solve(moment *m, bool impulses, const double *lambda) {
  cone_problem problem = cdni_moment_problem(m);
  problem.nearby = m->captures || !impulses;
  bool depends = false, found = false;
  memset(m->p, 0, (size_t)m->rows * sizeof *m->p);
  for (int round = 0; round < 200; round++) {
    const double changed = cdni_moment_set_bounds(m, impulses, lambda, &depends);
    if (round > 0 && (!depends || changed < 1e-14)) break;
    found = cdni_cones_solve(&problem);
  }
  m->residual = fmax(m->residual, problem.residual), m->out_of_memory = problem.out_of_memory;
  return found;
}
