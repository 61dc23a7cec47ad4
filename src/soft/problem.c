/* What groups of rows do with accelerations, forces and inertias. */
#include <math.h>

#include "matter/operators.h"
#include "soft/internal.h"

void cdni_soft_place(const body_pose *pose, soft_work *w) {
  const soft_group *g = w->g;
  if (g->place != SOFT_PAIR) return;
  const v3 r_b = v3_sub(g->point, pose[g->body[1]].p_GM);
  const v3 r_a = v3_sub(v3_add(g->point, g->arm), pose[g->body[0]].p_GM);
  for (int k = 0; k < g->s.rows; k++)
    w->J_a[k] = sv_shift_force(g->B[k], r_a), w->J_b[k] = sv_shift_force(g->B[k], r_b);
}

void cdni_soft_multiply(const tree *t, const soft_work *w, const sv *A, const double *a, double *out) {
  const soft_group *g = w->g;
  const int n = g->s.rows;
  if (g->place == SOFT_JOINT) {
    const tree_node *node = &t->node[g->body[1]];
    for (int k = 0; k < n; k++) {
      out[k] = 0;
      for (int i = 0; i < node->nu; i++) out[k] += g->g[k][i] * a[node->u + i];
    }
    return;
  }
  if (g->place == SOFT_TERMS) {
    out[0] = 0;
    for (int i = 0; i < g->terms; i++) {
      const soft_term *s = &g->term[i];
      out[0] += cdni_soft_is_body(s) ? sv_dot(cdni_soft_body_row(g, s), A[s->body]) : s->slope * a[s->u];
    }
    return;
  }
  const sv A_a = A[g->body[0]], A_b = A[g->body[1]];
  for (int k = 0; k < n; k++) out[k] = sv_dot(w->J_b[k], A_b) - sv_dot(w->J_a[k], A_a);
}

void cdni_soft_add_force(const tree *t, const soft_work *w, const double *force, sv *F, double *f) {
  const soft_group *g = w->g;
  const int n = g->s.rows;
  if (g->place == SOFT_JOINT) {
    const tree_node *node = &t->node[g->body[1]];
    for (int k = 0; k < n; k++)
      for (int i = 0; i < node->nu; i++) f[node->u + i] += g->g[k][i] * force[k];
    return;
  }
  if (g->place == SOFT_TERMS) {
    for (int i = 0; i < g->terms; i++) {
      const soft_term *s = &g->term[i];
      if (cdni_soft_is_body(s)) F[s->body] = sv_fma(force[0], cdni_soft_body_row(g, s), F[s->body]);
      else f[s->u] += s->slope * force[0];
    }
    return;
  }
  sv *F_a = &F[g->body[0]], *F_b = &F[g->body[1]];
  for (int k = 0; k < n; k++) {
    *F_b = sv_fma(force[k], w->J_b[k], *F_b);
    *F_a = sv_fma(-force[k], w->J_a[k], *F_a);
  }
}

/* ---- weights ---- */

void cdni_soft_add_inertia(int n, const sv *HJ, const sv *J, articulated_inertia *P) {
  for (int k = 0; k < n; k++) {
    const sv minus = sv_neg(HJ[k]);
    P->J = s3_minus_outer(P->J, minus.w, J[k].w);
    P->F = m3_minus_outer(P->F, minus.w, J[k].v);
    P->M = s3_minus_outer(P->M, minus.v, J[k].v);
  }
}

static void multiply_rows(int n, const double *H, const sv *J, sv *HJ) {
  for (int k = 0; k < n; k++) {
    HJ[k] = sv_zero();
    for (int l = 0; l < n; l++) HJ[k] = sv_fma(H[k * n + l], J[l], HJ[k]);
  }
}

static void weigh_pair(const soft_problem *p, const soft_work *w) {
  const int n = w->g->s.rows, a = w->g->body[0], b = w->g->body[1];
  sv HJ[SOFT_MOST_ROWS];
  if (a > 0) {
    multiply_rows(n, w->H, w->J_a, HJ);
    cdni_soft_add_inertia(n, HJ, w->J_a, &p->P[a]);
  }
  if (b == 0) return;
  multiply_rows(n, w->H, w->J_b, HJ);
  cdni_soft_add_inertia(n, HJ, w->J_b, &p->P[b]);
  if (w->C < 0) return;
  /* rows: the body that is eliminated first */
  const bool a_first = p->plan->place[a] < p->plan->place[b];
  sv *C = p->factor.C + 6 * w->C;
  for (int k = 0; k < n; k++) {
    const real *row = a_first ? &w->J_a[k].w.x : &HJ[k].w.x;
    const sv column = a_first ? HJ[k] : w->J_a[k];
    for (int l = 0; l < 6; l++) C[l] = sv_fma(-row[l], column, C[l]);
  }
}

static void weigh_joint(const soft_problem *p, const soft_work *w) {
  const tree_node *node = &p->plan->tree->node[w->g->body[1]];
  const int n = w->g->s.rows;
  for (int k = 0; k < n; k++)
    for (int l = 0; l < n; l++) {
      const double h = w->H[k * n + l];
      if (h == 0) continue;
      for (int i = 0; i < node->nu; i++)
        for (int j = 0; j < node->nu; j++) p->D[6 * (node->u + i) + j] += h * w->g->g[k][i] * w->g->g[l][j];
    }
}

/* Whether a group has a part in the weights of changed bodies. */
static bool has_part(const soft_problem *p, const soft_group *g) {
  bool changed = false;
  for (int i = 0; i < cdni_soft_bodies(g); i++) changed |= p->changed[cdni_soft_body(g, i)];
  return changed;
}

/* Weights are zero where no group acts, from the start. */
static void forget_weights(const soft_problem *p, int island, bool all) {
  static const articulated_inertia none;
  const loop_plan *plan = p->plan;
  const tree_node *node = plan->tree->node;
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    const soft_group *g = p->work[k].g;
    if (!all && !has_part(p, g)) continue;
    for (int s = 0; s < cdni_soft_bodies(g); s++) {
      const int i = cdni_soft_body(g, s);
      p->P[i] = none;
      if (g->place == SOFT_TERMS) p->P[node[i].parent] = none;
      if (g->place != SOFT_PAIR) memset(p->D + 6 * node[i].u, 0, 6 * (size_t)node[i].nu * sizeof *p->D);
    }
  }
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1] && plan->n_C > 0; at++) {
    const int i = plan->bodies[at];
    for (int c = plan->couple_first[i]; c < plan->couple_first[i + 1]; c++)
      memset(p->factor.C + 6 * plan->couple_C[c], 0, 6 * sizeof *p->factor.C);
  }
}

void cdni_soft_weigh(const soft_problem *p, int island, bool all) {
  forget_weights(p, island, all);
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    if (!all && !has_part(p, p->work[k].g)) continue;
    if (p->work[k].g->place == SOFT_JOINT) weigh_joint(p, &p->work[k]);
    else if (p->work[k].g->place == SOFT_TERMS) cdni_soft_weigh_terms(p, &p->work[k]);
    else weigh_pair(p, &p->work[k]);
  }
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
      for (int u = node->u; u < node->u + node->nu; u++) p->f[u] = p->y[u] = 0;
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
