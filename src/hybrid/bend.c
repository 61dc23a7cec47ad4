/* Soft rows beside the elements of a moment. Impulses do not know soft rows, whose forces are finite. Accelerations do:
 * a push moves bodies, and soft rows answer at once. Their answer bends where rows come or go. So it is taken about the
 * pushes that have been found, first about none; then these are found again, until they are the same (Newton). */
#include <math.h>

#include "hybrid/moment.h"
#include "hybrid/press.h"
#include "matter/operators.h"

/* X, L and W where rows bend: their slopes at the State. */
static cdn_status respond(moment *m) {
  const size_t nu = (size_t)m->nu, rows = (size_t)m->rows, eq = (size_t)m->equations;
  double *X;
  const cdn_allocator *allocator = cdni_system_allocator(cdn_state_system(m->state));
  CDNI_TRY(cdni_operator_work(m->state, "cdn_settle", (nu + eq) * (rows + 1) * sizeof *X, (void **)&X));
  double *L = X + nu * rows, *row = L + eq * rows;
  memset(X, 0, nu * rows * sizeof *X);
  for (size_t r = 0; r < rows; r++)
    for (int k = m->G.first[r]; k < m->G.first[r + 1]; k++) X[(size_t)m->G.column[k] * rows + r] = m->G.value[k];
  cdn_status status = m->room->answer.solve(m->state, m->rows, X, L);
  cdni_sparse_begin(&m->X, allocator), cdni_sparse_begin(&m->L, allocator);
  for (size_t r = 0; r < rows && status == CDN_OK; r++) {
    for (size_t k = 0; k < nu; k++) row[k] = X[k * rows + r];
    bool fits = cdni_sparse_add_dense(&m->X, m->nu, row);
    for (size_t k = 0; k < eq; k++) row[k] = L[k * rows + r];
    status = cdni_moment_fits(m, fits && cdni_sparse_add_dense(&m->L, m->equations, row));
  }
  cdn_work_pop(m->state, X);
  return status == CDN_OK ? cdni_moment_multiply(m) : status;
}

/* The pushes `load` act as if they came from outside. */
static cdn_status push(moment *m) {
  memcpy(m->f, m->applied, (size_t)m->nu * sizeof *m->f);
  for (int r = 0; r < m->rows; r++) cdni_sparse_add_to(&m->G, r, m->load[r], m->f);
  return cdn_state_set_applied_mobility_forces(m->state, m->f);
}

/* What there is without pushes, by the slopes about `load`. */
static void take_away(moment *m) {
  const size_t width = JOINT_NUMBERS * (size_t)m->room->joints;
  for (int r = 0; r < m->rows; r++) {
    m->b[r] -= cdni_sparse_dot(&m->W, r, m->load);
    cdni_sparse_add_to(&m->L, r, -m->load[r], m->free_lambda);
    for (size_t k = 0; k < width; k++) m->free_joints[k] -= m->load[r] * m->J[(size_t)r * width + k];
  }
}

/* Pushes that change by less, as a part of the largest, are those about which rows answer. */
static const double SAME = 1e-6;
/* Newton's method goes to and fro where rows come by one step and go by the next: after some it goes half the way. */
enum { MOST_ROUNDS = 40, WHOLE_STEPS = 8 };

/* Whether the pushes are others; takes them. */
static bool moves_on(moment *m, int round) {
  double largest = 0, change = 0;
  for (int r = 0; r < m->rows; r++) {
    largest = fmax(largest, fabs(m->p[r])), change = fmax(change, fabs(m->p[r] - m->load[r]));
    m->load[r] += (round < WHOLE_STEPS ? 1 : 0.5) * (m->p[r] - m->load[r]);
  }
  return change > SAME * largest;
}

static cdn_status find(moment *m, moment_solver *solve, bool bends, bool *found) {
  memset(m->load, 0, (size_t)m->rows * sizeof *m->load);
  for (int round = 0; round < MOST_ROUNDS; round++) {
    if (round > 0) CDNI_TRY(push(m));
    CDNI_TRY(cdni_moment_free_accelerations(m));
    if (bends) CDNI_TRY(respond(m));
    if (bends) take_away(m);
    CDNI_TRY(cdni_moment_respond_kept(m, false));
    CDNI_TRY(solve(m, found));
    /* forces that keep reactions are not among the pushes */
    if (!bends || !*found || hybrid_kept(m->room) > 0 || !moves_on(m, round)) break;
  }
  return CDN_OK;
}

cdn_status cdni_moment_bend(moment *m, moment_solver *solve, bool *found) {
  bool bends;
  CDNI_TRY(m->room->answer.bends(m->state, &bends));
  if (!bends || m->rows == 0) return find(m, solve, false, found);
  memcpy(m->applied, cdn_state_applied_mobility_forces(m->state), (size_t)m->nu * sizeof *m->applied);
  const cdn_status status = find(m, solve, true, found);
  const cdn_status back = cdn_state_set_applied_mobility_forces(m->state, m->applied);
  return status != CDN_OK ? status : back;
}

/* What is on must push, what sticks must be within its bound; the largest push is the scale. */
cdn_status cdni_moment_check(moment *m) {
  const hybrid_room *room = m->room;
  bool bends;
  CDNI_TRY(room->answer.bends(m->state, &bends));
  if (!bends) return CDN_OK;
  const double *lambda = cdn_state_multipliers(m->state) + m->first_row;
  double largest = 0, worst = 0;
  for (int i = 0; i < hybrid_sides(room); i++) {
    const double p =
        -side_at(room, i)->sign * lambda[constraint_at(room->constraints, side_at(room, i)->constraint)->row];
    if (side_is_on(room, m->state, i)) largest = fmax(largest, p), worst = fmax(worst, -p);
  }
  double *joints, bound;
  CDNI_TRY(cdni_joints_of(room, m->state, &joints));
  const pressing p = { .lambda = lambda, .joints = joints };
  for (int i = 0; i < hybrid_frictions(room); i++) {
    if (friction_status(room, m->state, i) != CDN_FRICTION_STICK) continue;
    worst = fmax(worst, -cdni_friction_margin(room, m->state, i, &p, &bound)), largest = fmax(largest, bound);
  }
  cdn_work_pop(m->state, joints);
  if (!(worst > 1e-9 * largest)) return CDN_OK;
  m->residual = worst / largest;
  return cdni_moment_fails(m, "no statuses agree with the accelerations beside soft rows");
}
