/* What presses on friction: a load, the push of a one-sided element, the multipliers of a constraint, and the force
 * and the moment that a mobilizer transmits. These are what the bodies beyond the mobilizer need beside the forces on
 * them,
 *
 *   R = sum of (m a - F) over these bodies,
 *
 * so it follows changes of accelerations, multipliers and friction linearly (manual 8.76 to 8.79). */
#include "hybrid/press.h"

#include <math.h>

#include "matter/operators.h"

/* The norm of n numbers, and its slopes added to `slope`. */
static double add_norm(int n, const double *x, size_t columns, const double *by, double *slope) {
  double size = 0;
  for (int k = 0; k < n; k++) size = hypot(size, x[k]);
  for (int k = 0; k < n && size > 0; k++)
    for (size_t c = 0; c < columns; c++) slope[c] += x[k] / size * by[(size_t)k * columns + c];
  return size;
}

double cdni_friction_press(const hybrid_room *room, const cdn_state *state, int i, const pressing *p, double *slope) {
  const dry_friction *x = friction_at(room, i);
  const size_t n = (size_t)p->columns;
  double N = friction_params(room, state, i)[FRICTION_LOAD];
  if (n) memset(slope, 0, n * sizeof *slope);
  if (x->normal >= 0) {
    const one_sided *s = side_at(room, x->normal);
    const size_t row = (size_t)constraint_at(room->constraints, s->constraint)->row;
    N -= s->sign * p->lambda[row];
    for (size_t c = 0; c < n; c++) slope[c] -= s->sign * p->L[row * n + c];
  }
  if (x->reaction >= 0) {
    const constraint_element *e = constraint_at(room->constraints, x->reaction);
    N += add_norm(e->m, p->lambda + e->row, n, n ? p->L + (size_t)e->row * n : NULL, slope);
  }
  if (x->joint >= 0) {
    const size_t at = JOINT_NUMBERS * (size_t)x->joint;
    N += add_norm(JOINT_NUMBERS, p->joints + at, n, n ? p->J + at * n : NULL, slope);
  }
  return N;
}

double cdni_kept_now(const hybrid_room *room, int i, const pressing *p, double *slope) {
  const kept_reaction *x = kept_at(room, i);
  const size_t n = (size_t)p->columns;
  const size_t row = x->constraint >= 0 ? (size_t)(constraint_at(room->constraints, x->constraint)->row + x->equation)
                                        : JOINT_NUMBERS * (size_t)x->joint;
  const double *by = x->constraint >= 0 ? p->L : p->J;
  for (size_t c = 0; c < n; c++) slope[c] = by[row * n + c];
  return x->constraint >= 0 ? p->lambda[row] : p->joints[row];
}

double cdni_friction_margin(const hybrid_room *room, const cdn_state *state, int i, const pressing *p, double *bound) {
  const dry_friction *x = friction_at(room, i);
  const double *force = p->lambda + constraint_at(room->constraints, x->slip)->row;
  const double most = friction_static(friction_params(room, state, i)) * cdni_friction_press(room, state, i, p, NULL);
  if (bound) *bound = most;
  double size = 0;
  for (int k = 0; k < x->n; k++) size = hypot(size, force[k] / friction_scale(room, state, i, k));
  return most - size;
}

/* ---- what mobilizers transmit ---- */

/* Writes the numbers of one. */
static void put(sv R, int joint, size_t step, double *joints) {
  double *to = joints + JOINT_NUMBERS * (size_t)joint * step;
  const double numbers[JOINT_NUMBERS] = { R.v.x, R.v.y, R.v.z, R.w.x, R.w.y, R.w.z };
  for (size_t k = 0; k < JOINT_NUMBERS; k++) to[k * step] = numbers[k];
}

/* Axes less than this part of a unit away from others are none of their own. */
static const double SAME_AXIS = 1e-6;

/* What is left of a moment about M's origin without its parts about axes that the mobilizer turns about: what it
 * transmits as a bearing. */
static v3 held_moment(const tree_node *n, const tree_data *d, v3 moment) {
  v3 axes[3];
  int found = 0;
  for (int k = 0; k < n->nu && found < 3; k++) {
    v3 axis = cdni_hinge_column(n, d->H, k).w;
    const double size = v3_norm(axis);
    for (int i = 0; i < found; i++) axis = v3_fma(-v3_dot(axes[i], axis), axes[i], axis);
    const double left = v3_norm(axis);
    if (!(left > SAME_AXIS * size)) continue;
    axes[found] = v3_scale(1 / left, axis);
    moment = v3_fma(-v3_dot(axes[found], moment), axes[found], moment);
    found++;
  }
  return found < 3 ? moment : v3_zero();
}

/* R: the sum of m a - F of each body. Writes the numbers of each: the parts that press on a friction, or the one number
 * that is kept. */
static void gather(const hybrid_room *room, const cdn_state *state, const tree_data *d, sv *R, size_t step,
                   double *joints) {
  const tree *t = &room->matter->tree;
  for (int i = t->n - 1; i > 0; i--) {
    sv *parent = &R[t->node[i].parent];
    *parent = sv_add(*parent, sv_shift_force(R[i], d->pose[i].r));
  }
  for (int i = 0; i < hybrid_frictions(room); i++) {
    const dry_friction *x = friction_at(room, i);
    if (x->joint < 0) continue;
    const double length = friction_params(room, state, i)[FRICTION_LENGTH];
    const v3 axis = m3_mul(d->pose[x->mobilizer].R_GM, x->axis);
    sv all = R[x->mobilizer];
    all.v = v3_fma(-v3_dot(axis, all.v), axis, all.v);
    all.w = length > 0 ? v3_scale(1 / length, held_moment(&t->node[x->mobilizer], d, all.w)) : v3_zero();
    put(all, x->joint, step, joints);
  }
  for (int i = 0; i < hybrid_kept(room); i++) {
    const kept_reaction *x = kept_at(room, i);
    if (x->joint < 0) continue;
    const v3 axis = m3_mul(d->pose[x->mobilizer].R_GM, x->axis);
    put((sv){ v3_zero(), { v3_dot(axis, R[x->mobilizer].v), 0, 0 } }, x->joint, step, joints);
  }
}

/* Adds the forces of multipliers, which are `step` apart, to bodies (F) and mobilities (f). `force`: room for them. */
static cdn_status push_multipliers(const hybrid_room *room, cdn_state *state, const double *lambda, size_t step,
                                   double *force, sv *F, double *f) {
  const constraint_room *constraints = room->constraints;
  for (int k = 0; k < cdni_constraints_equations(constraints); k++) force[k] = -lambda[(size_t)k * step];
  for (int i = 0; i < (int)constraints->elements.count; i++)
    if (cdn_constraint_is_enabled(state, (cdn_constraint){ i }))
      CDNI_TRY(cdni_constraint_push(constraints, state, i, force + constraint_at(constraints, i)->row, F, f));
  return CDN_OK;
}

/* Room for forces on bodies, their accelerations, and numbers of mobilities and of equations. */
typedef struct joint_work {
  sv *F, *A;
  double *f, *udot, *force;
} joint_work;

static cdn_status take(const hybrid_room *room, cdn_state *state, joint_work *w) {
  const size_t nb = (size_t)room->matter->tree.n, nu = (size_t)room->matter->tree.nu;
  const size_t m = (size_t)cdni_constraints_equations(room->constraints);
  void *frame;
  CDNI_TRY(cdni_operator_work(state, "cdn_realize", 2 * nb * sizeof(sv) + (2 * nu + m + 1) * sizeof(double), &frame));
  w->F = frame, w->A = w->F + nb;
  w->f = (double *)(w->A + nb), w->udot = w->f + nu, w->force = w->udot + nu;
  memset(w->f, 0, (nu + 1) * sizeof *w->f);
  return CDN_OK;
}

cdn_status cdni_joint_forces_at(const hybrid_room *room, cdn_state *state, const sv *A, const sv *acting,
                                const double *lambda, double *joints) {
  const matter *m = room->matter;
  joint_work w;
  if (room->joints == 0) return CDN_OK;
  CDNI_TRY(take(room, state, &w));
  const tree_data d = cdni_matter_data(m, state);
  memcpy(w.F, acting, (size_t)m->tree.n * sizeof *w.F);
  const cdn_status status = lambda ? push_multipliers(room, state, lambda, 1, w.force, w.F, w.f) : CDN_OK;
  for (int i = 1; i < m->tree.n; i++) {
    const sv inertial = sv_add(rigid_mul(d.inertia[i], A[i]), rigid_gyroscopic(d.inertia[i], d.twist[i].V.w));
    w.F[i] = sv_sub(inertial, w.F[i]);
  }
  if (status == CDN_OK) gather(room, state, &d, w.F, 1, joints);
  cdn_work_pop(state, w.F);
  return status;
}

cdn_status cdni_joint_forces(const hybrid_room *room, cdn_state *state, const sv *acting, double *joints) {
  const double *lambda = (const double *)cdni_state_storage(state, (cdn_cache){ 0, CDN_MULTIPLIERS }) +
                         cdni_constraints_first_row(room->constraints);
  return cdni_joint_forces_at(room, state, cdni_matter_data(room->matter, state).A, acting, lambda, joints);
}

cdn_status cdni_joints_of(const hybrid_room *room, cdn_state *state, double **joints) {
  const sv *acting;
  *joints = NULL;
  if (room->joints == 0) return CDN_OK;
  CDNI_TRY(room->answer.forces(state, &acting));
  CDNI_TRY(cdni_operator_work(state, "cdn_realize", JOINT_NUMBERS * (size_t)room->joints * sizeof **joints,
                              (void **)joints));
  const cdn_status status = cdni_joint_forces(room, state, acting, *joints);
  if (status != CDN_OK) cdn_work_pop(state, *joints);
  return status;
}

static cdn_status change(const hybrid_room *room, cdn_state *state, const joint_cause *cause, joint_work *w,
                         size_t step, double *joints) {
  const matter *m = room->matter;
  const tree_data d = cdni_matter_data(m, state);
  memset(w->F, 0, (size_t)m->tree.n * sizeof *w->F);
  CDNI_TRY(push_multipliers(room, state, cause->lambda, cause->lambda_step, w->force, w->F, w->f));
  if (cause->pushed >= 0)
    CDNI_TRY(cdni_constraint_push(room->constraints, state, cause->pushed, cause->force, w->F, w->f));
  for (int k = 0; k < m->tree.nu; k++) w->udot[k] = cause->udot[(size_t)k * cause->udot_step];
  w->A[0] = sv_zero();
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    w->A[i] = sv_add(sv_shift_motion(w->A[n->parent], d.pose[i].r), cdni_hinge_mul(n, d.H, w->udot));
    w->F[i] = sv_sub(rigid_mul(d.inertia[i], w->A[i]), w->F[i]);
  }
  gather(room, state, &d, w->F, step, joints);
  return CDN_OK;
}

cdn_status cdni_joint_change(const hybrid_room *room, cdn_state *state, const joint_cause *cause, size_t step,
                             double *joints) {
  joint_work w;
  if (room->joints == 0) return CDN_OK;
  CDNI_TRY(take(room, state, &w));
  const cdn_status status = change(room, state, cause, &w, step, joints);
  cdn_work_pop(state, w.F);
  return status;
}

cdn_status cdni_hybrid_refuse_joints(const hybrid_room *room, cdn_state *state, const char *function) {
  for (int i = 0; i < hybrid_kept(room); i++)
    if (kept_at(room, i)->joint >= 0 && kept_acts(room, state, i))
      return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, kept_at(room, i)->name,
                             "'%s' keeps what a mobilizer transmits, which %s cannot handle while it acts",
                             kept_at(room, i)->name, function);
  for (int i = 0; i < hybrid_frictions(room); i++) {
    const dry_friction *x = friction_at(room, i);
    if (x->joint >= 0 && friction_status(room, state, i) == CDN_FRICTION_SLIP)
      return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, x->name,
                             "friction '%s' is pressed by what a mobilizer transmits, which %s cannot handle while it "
                             "slips",
                             x->name, function);
  }
  return CDN_OK;
}
