/* Soft rows beside the elements of a moment. Impulses do not know soft rows, whose forces are finite. Accelerations do:
 * a push moves bodies, and soft rows answer at once. Their answer is taken at the accelerations without any push; where
 * rows come or go until the solution, statuses may be others, which is found out afterwards. */
#include <math.h>

#include "hybrid/moment.h"
#include "hybrid/press.h"
#include "matter/operators.h"

cdn_status cdni_moment_bend(moment *m) {
  const size_t nu = (size_t)m->nu, rows = (size_t)m->rows, eq = (size_t)m->equations;
  bool bends;
  CDNI_TRY(m->room->answer.bends(m->state, &bends));
  if (!bends || rows == 0) return CDN_OK;
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
