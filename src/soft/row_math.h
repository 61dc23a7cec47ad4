/* What one group of rows does with accelerations, forces and residuals, in functions that are compiled where they are
 * used: n, the number of its rows, is known there. Private to the room. */
#ifndef CARDAN_SOFT_ROW_MATH_H
#define CARDAN_SOFT_ROW_MATH_H

#include "soft/functions_inline.h"
#include "soft/row_kernels.h"

/* Most groups have three rows or one: loops over their rows are written out. */
#define FOR_ROWS(n, function, ...)               \
  do {                                           \
    if ((n) == 3) function(3, __VA_ARGS__);      \
    else if ((n) == 1) function(1, __VA_ARGS__); \
    else function(n, __VA_ARGS__);               \
  } while (0)

/* J v: of accelerations A of bodies and a of mobilities. */
CDNI_INLINE void soft_row_times(int n, const tree *t, const soft_work *w, const sv *A, const double *a, double *out) {
  const soft_group *g = w->g;
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
  const sv *A_a = &A[g->body[0]], *A_b = &A[g->body[1]];
  const v3 at_a = v3_cross_add(A_a->w, w->r_a, A_a->v), at_b = v3_cross_add(A_b->w, w->r_b, A_b->v);
  const v3 turn = v3_sub(A_b->w, A_a->w), move = v3_sub(at_b, at_a);
  for (int k = 0; k < n; k++) out[k] = v3_dot(g->B[k].v, move);
  for (int k = 0; k < n && w->turns; k++) out[k] += v3_dot(g->B[k].w, turn);
}

/* F += J^T force, f += J^T force. */
CDNI_INLINE void soft_row_force(int n, const tree *t, const soft_work *w, const double *force, sv *F, double *f) {
  const soft_group *g = w->g;
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
  sv at = { v3_zero(), v3_scale(force[0], g->B[0].v) };
  for (int k = 1; k < n; k++) at.v = v3_fma(force[k], g->B[k].v, at.v);
  for (int k = 0; k < n && w->turns; k++) at.w = v3_fma(force[k], g->B[k].w, at.w);
  *F_b = sv_add(*F_b, sv_shift_force(at, w->r_b));
  *F_a = sv_sub(*F_a, sv_shift_force(at, w->r_a));
}

/* s, f, H and the zone of a group at the residual r, as cdni_soft_row_function has them. */
CDNI_INLINE double soft_row_value(int n, const soft_problem *p, soft_work *w, const double *r) {
  const soft_function *s = &w->g->s;
  const int32_t before = w->zone;
  double cost;
  if (p->passed) return cdni_soft_row_function(p, w, r);
  if (s->kind == SOFT_PYRAMIDAL) {
    cost = soft_pyramid(s, n, r, w->f, &w->zone);
    if (w->zone != before) soft_pyramid_weights(s, n, w->zone, w->H);
    return cost;
  }
  if (s->kind == SOFT_ELLIPTIC) return soft_elliptic(s, n, r, w->f, w->H, &w->zone);
  if (n == 1 && (s->kind == SOFT_LIMIT || s->kind == SOFT_FRICTION_LOSS))
    return soft_single(s, r[0], w->f, w->H, &w->zone);
  return cdni_soft_function_again(s, r, w->f, w->H, &w->zone);
}

/* Counts how far the forces of a group are from those that hold y; `straight`: they are the same. */
CDNI_INLINE void soft_count_change(int n, const soft_work *w, bool straight, soft_trial *at) {
  const soft_function *s = &w->g->s;
  const bool cone = s->kind == SOFT_PYRAMIDAL || s->kind == SOFT_ELLIPTIC;
  for (int e = 0; e < n; e++) {
    const double about = w->g->about[cone ? 0 : e], A = about > 0 ? about : 1 / s->D[e], g = straight ? 0 : w->next[e];
    const double change = straight ? 0 : w->f[e] - g;
    at->force += A * (w->f[e] * w->f[e] + g * g);
    at->change += A * change * change;
  }
}

#endif
