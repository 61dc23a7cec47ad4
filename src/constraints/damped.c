/* The equations of a step whose damping of joints is implicit: the elimination along the tree with the damping on the
 * joints' own diagonals. Nothing of it is kept: it serves one solution. */
#include "constraints/loops.h"
#include "matter/operators.h"

static void fill_joints(const tree *t, const double *damping, double *D) {
  memset(D, 0, 6 * (size_t)t->nu * sizeof *D);
  for (int i = 1; i < t->n; i++)
    for (int k = 0; k < t->node[i].nu; k++) D[6 * (t->node[i].u + k) + k] = damping[t->node[i].u + k];
}

cdn_status cdni_constraints_solve_damped(const constraint_room *room, cdn_state *state, const char *function,
                                         const double *damping, const sv *force, const double *f, double *a) {
  const loop_plan *plan;
  const loop_factor *own;
  constraint_rows rows;
  void *frame, *scratch;
  CDNI_TRY(cdni_constraint_factor(room, state, &plan, &own)); /* its flags of redundant equations hold here, too */
  CDNI_TRY(cdni_constraint_rows(room, state, &rows));
  const tree *t = &room->matter->tree;
  const tree_data d = cdni_matter_data(room->matter, state);
  const size_t m = (size_t)plan->m, factor = cdni_loop_factor_size(plan), A = (size_t)t->n * sizeof(sv);
  CDNI_TRY(cdni_operator_work(
      state, function, factor + A + (6 * (size_t)t->nu + 2 * m + 1) * sizeof(double) + m * sizeof(int32_t), &frame));
  double *D = (double *)((char *)frame + factor + A), *b = D + 6 * t->nu, *lambda = b + m;
  int32_t *was = (int32_t *)(lambda + m);
  const int32_t *flags = cdni_constraint_redundant(room, state);
  for (size_t k = 0; k < m; k++) was[k] = flags[plan->row[k]];
  cdni_constraint_multiply(room, &rows, d.A, d.udot, b);
  fill_joints(t, damping, D);
  loop_factor damped = cdni_loop_factor_at(plan, frame);
  const int bad = cdni_loop_factor_joints(room, &d, &rows, was, D, &damped);
  cdn_status status = bad < 0 ? CDN_OK : cdni_matter_singular(room->matter, state, bad, function);
  if (status == CDN_OK) status = cdni_operator_work(state, function, cdni_loop_solve_scratch(plan, &damped), &scratch);
  if (status == CDN_OK) {
    const loop_problem problem = { .force = force,
                                   .f = f,
                                   .b = b,
                                   .velocity = true,
                                   .prescribed = d.udot,
                                   .weight = cdn_state_parameters(state, room->weights),
                                   .x = a,
                                   .lambda = lambda,
                                   .A = (sv *)((char *)frame + factor) };
    cdni_loop_solve(plan, &d, &damped, &problem, scratch);
    cdn_work_pop(state, scratch);
  }
  cdn_work_pop(state, frame);
  return status;
}
