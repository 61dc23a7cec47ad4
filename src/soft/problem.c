/* What groups of rows do with accelerations, forces and inertias. */
#include <math.h>

#include "matter/operators.h"
#include "soft/row_math.h"

void cdni_soft_place(const body_pose *pose, soft_work *w) {
  const soft_group *g = w->g;
  if (g->place != SOFT_PAIR) return;
  w->r_b = v3_sub(g->point, pose[g->body[1]].p_GM);
  w->r_a = v3_sub(v3_add(g->point, g->arm), pose[g->body[0]].p_GM);
  w->turns = false;
  for (int k = 0; k < g->s.rows; k++) w->turns = w->turns || v3_dot(g->B[k].w, g->B[k].w) > 0;
}

void cdni_soft_multiply(const tree *t, const soft_work *w, const sv *A, const double *a, double *out) {
  FOR_ROWS(w->g->s.rows, soft_row_times, t, w, A, a, out);
}

void cdni_soft_add_force(const tree *t, const soft_work *w, const double *force, sv *F, double *f) {
  FOR_ROWS(w->g->s.rows, soft_row_force, t, w, force, F, f);
}

/* ---- products with M ---- */

double cdni_soft_metric(const soft_problem *p, int island, const double *x, const sv *A_x, const double *y,
                        const sv *A_y) {
  const loop_plan *plan = p->plan;
  double sum = 0;
  for (int k = p->piece_first[island]; k < p->piece_first[island + 1]; k++)
    for (int at = plan->island_body[p->piece[k]]; at < plan->island_body[p->piece[k] + 1]; at++) {
      const int i = plan->bodies[at];
      const tree_node *node = &plan->tree->node[i];
      sum += sv_dot(rigid_mul(p->d->inertia[i], A_x[i]), A_y[i]);
      double armature = 0;
      for (int u = node->u; u < node->u + node->nu; u++) armature += x[u] * y[u];
      sum += p->d->mass[i].armature * armature;
    }
  return sum;
}

/* The square of the length of what the forces F and f are on the mobilities of a piece. Adds F inward. */
static double gather(const soft_problem *p, int piece) {
  const loop_plan *plan = p->plan;
  double sum = 0;
  for (int at = plan->island_body[piece]; at < plan->island_body[piece + 1]; at++) {
    const int i = plan->bodies[at];
    const tree_node *node = &plan->tree->node[i];
    const bool still = p->d->prescribed && p->d->prescribed[i];
    for (int k = 0; k < node->nu && !still; k++) {
      const double f = p->f[node->u + k] + sv_dot(cdni_hinge_column(node, p->d->H, k), p->F[i]);
      sum += f * f;
    }
    if (node->parent > 0) p->F[node->parent] = sv_add(p->F[node->parent], sv_shift_force(p->F[i], p->d->pose[i].r));
  }
  return sum;
}

double cdni_soft_length(const soft_problem *p, int island, const double *x, const sv *A_x, bool with_rows) {
  const loop_plan *plan = p->plan;
  double sum = 0;
  for (int k = p->piece_first[island]; k < p->piece_first[island + 1]; k++)
    for (int at = plan->island_body[p->piece[k]]; at < plan->island_body[p->piece[k] + 1]; at++) {
      const int i = plan->bodies[at];
      const tree_node *node = &plan->tree->node[i];
      p->F[i] = rigid_mul(p->d->inertia[i], A_x[i]);
      for (int u = node->u; u < node->u + node->nu; u++) p->f[u] = p->d->mass[i].armature * x[u];
    }
  for (int k = p->first[island]; k < p->first[island + 1] && with_rows; k++) {
    const soft_work *w = &p->work[k];
    double force[SOFT_MOST_ROWS];
    for (int e = 0; e < w->g->s.rows; e++) force[e] = w->f[e] - w->next[e];
    cdni_soft_add_force(plan->tree, w, force, p->F, p->f);
  }
  for (int k = p->piece_first[island]; k < p->piece_first[island + 1]; k++) sum += gather(p, p->piece[k]);
  p->F[0] = sv_zero();
  return sqrt(sum);
}

/* ---- M^-1 ---- */

void cdni_soft_clear(const soft_problem *p, const int32_t *piece, int n) {
  const loop_plan *plan = p->plan;
  for (int k = 0; k < n; k++)
    for (int at = plan->island_body[piece[k]]; at < plan->island_body[piece[k] + 1]; at++) {
      const int i = plan->bodies[at];
      const tree_node *node = &plan->tree->node[i];
      p->F[i] = p->A_y[i] = sv_zero();
      for (int u = node->u; u < node->u + node->nu; u++) p->f[u] = p->load ? p->load[u] : 0, p->y[u] = 0;
    }
  p->F[0] = sv_zero();
}

void cdni_soft_follow(const soft_problem *p, int island, double *x, sv *A_x) {
  const int32_t *piece = p->piece + p->piece_first[island];
  const int n = p->piece_first[island + 1] - p->piece_first[island];
  const loop_problem problem = { .force = p->F, .f = p->f, .x = x, .A = A_x };
  cdni_soft_clear(p, piece, n);
  for (int k = p->first[island]; k < p->first[island + 1]; k++)
    cdni_soft_add_force(p->plan->tree, &p->work[k], p->work[k].f, p->F, p->f);
  p->F[0] = sv_zero();
  for (int k = 0; k < n; k++) cdni_loop_solve_island(p->plan, p->d, &p->factor, &problem, piece[k], p->scratch);
}
