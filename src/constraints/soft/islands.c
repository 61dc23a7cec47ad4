/* Which groups a solution takes together: islands, and the order of groups and pieces in them. */
#include <stdlib.h>

#include "constraints/soft/internal.h"
#include "matter/operators.h"

/* ---- couplings ---- */

int cdni_soft_compare_pairs(const void *x, const void *y) {
  const int32_t *a = x, *b = y;
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

int cdni_soft_coupled_body(const soft_room *room, const soft_group *g, int side, int which) {
  const int own = g->body[side], body = which && own > 0 ? room->matter->tree.node[own].parent : own;
  return room->moves[body] ? body : 0;
}

static int find_coupling(const soft_pairs *s, int a, int b) {
  const int32_t key[2] = { a < b ? a : b, a < b ? b : a };
  const int32_t *found = bsearch(key, s->pair, (size_t)s->n, sizeof key, cdni_soft_compare_pairs);
  return found ? (int)(found - s->pair) / 2 : -1;
}

/* The row of one mobility on the motion of M beyond its joint relative to M before it: column k of H (H^T H)^-1. */
static sv row_of_mobility(const tree_node *node, const tree_data *d, int k) {
  sv H[MOST_MOBILITIES], row = sv_zero();
  double A[MOST_MOBILITIES * MOST_MOBILITIES], x[MOST_MOBILITIES] = { 0 };
  const int n = node->nu;
  for (int i = 0; i < n; i++) H[i] = cdni_hinge_column(node, d->H, i);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[i * n + j] = sv_dot(H[i], H[j]);
  x[k] = 1;
  /* Gauss and Jordan; the matrix is positive definite */
  for (int i = 0; i < n; i++) {
    const double pivot = A[i * n + i];
    for (int j = 0; j < n; j++) A[i * n + j] /= pivot;
    x[i] /= pivot;
    for (int l = 0; l < n; l++) {
      const double part = A[l * n + i];
      if (l == i) continue;
      for (int j = 0; j < n; j++) A[l * n + j] -= part * A[i * n + j];
      x[l] -= part * x[i];
    }
  }
  for (int i = 0; i < n; i++) row = sv_fma(x[i], H[i], row);
  return row;
}

static void spread_joints(const soft_problem *p, soft_work *w) {
  const soft_group *g = w->g;
  for (int s = 0; s < 2; s++) {
    const tree_node *node = &p->plan->tree->node[g->body[s]];
    const sv row = row_of_mobility(node, p->d, g->mobility[s] - node->u);
    sv *J = s ? w->J_b : w->J_a;
    J[0] = (sv){ v3_scale(g->g[s][0], row.w), v3_scale(g->g[s][0], row.v) };
    J[1] = sv_neg(sv_shift_force(J[0], p->d->pose[g->body[s]].r));
  }
}

/* ---- islands ---- */

int cdni_soft_piece(const soft_problem *p, int body) {
  const loop_plan *plan = p->plan;
  const int place = plan->place[body];
  int from = 0, to = plan->n_islands;
  while (to - from > 1) {
    const int middle = (from + to) / 2;
    if (plan->island_body[middle] <= place) from = middle;
    else to = middle;
  }
  return from;
}

static int root_of(int32_t *up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

static void join_sides(const soft_problem *p, const soft_group *g, int32_t *up) {
  if (!p->room->moves[g->body[0]] || !p->room->moves[g->body[1]]) return;
  const int a = root_of(up, cdni_soft_piece(p, g->body[0])), b = root_of(up, cdni_soft_piece(p, g->body[1]));
  if (a < b) up[b] = a;
  else up[a] = b;
}

/* Joins the pieces that groups connect. A root comes before those it is the root of; so do islands in order of their first pieces. */
static void find_islands(soft_problem *p, const soft_group *groups) {
  const int n = p->plan->n_islands;
  int32_t *up = p->island, *first = p->piece_first;
  for (int k = 0; k < n; k++) up[k] = k;
  for (int i = 0; i < p->n && !p->coupled; i++) join_sides(p, &groups[i], up);
  memset(first, 0, (size_t)(n + 2) * sizeof *first);
  p->n_islands = 0;
  for (int k = 0; k < n; k++) {
    up[k] = up[k] == k ? p->n_islands++ : up[up[k]];
    first[up[k] + 2]++;
  }
  for (int k = 0; k < p->n_islands; k++) first[k + 1] += first[k];
  for (int k = 0; k < n; k++) p->piece[first[up[k] + 1]++] = k;
}

/* The matrices of a group's couplings, and its rows. */
static void place_group(const soft_problem *p, const soft_pairs *pairs, soft_work *w) {
  const soft_group *g = w->g;
  const int couplings = !p->coupled ? 0 : g->place == SOFT_PAIR ? 1 : g->place == SOFT_JOINTS ? 4 : 0;
  for (int c = 0; c < 4; c++) {
    w->C[c] = -1;
    if (c >= couplings) continue;
    const int a = cdni_soft_coupled_body(p->room, g, 0, c / 2), b = cdni_soft_coupled_body(p->room, g, 1, c % 2);
    if (a > 0 && b > 0 && a != b) w->C[c] = p->plan->given_C[find_coupling(pairs, a, b)];
  }
  if (g->place == SOFT_JOINTS) spread_joints(p, w);
  else cdni_soft_place(p->d->pose, w);
}

void cdni_soft_sort(soft_problem *p, const soft_group *groups, const soft_pairs *pairs) {
  const soft_room *room = p->room;
  find_islands(p, groups);
  const int still = p->n_islands; /* counts as one more island */
  memset(p->first, 0, (size_t)(still + 3) * sizeof *p->first);
  for (int i = 0; i < p->n; i++) {
    const int32_t *body = groups[i].body;
    const int moving = room->moves[body[1]] ? body[1] : room->moves[body[0]] ? body[0] : 0;
    p->order[i] = moving > 0 ? p->island[cdni_soft_piece(p, moving)] : still;
    p->first[p->order[i] + 1]++;
  }
  for (int k = 0; k <= still; k++) p->first[k + 1] += p->first[k];
  for (int i = p->n - 1; i >= 0; i--) p->work[--p->first[p->order[i] + 1]].g = &groups[i];
  for (int k = 0; k <= still; k++) p->first[k] = p->first[k + 1];
  p->first[still + 1] = p->n;
  for (int i = 0; i < p->n; i++) {
    p->order[i] = (int32_t)(p->work[i].g - groups);
    place_group(p, pairs, &p->work[i]);
  }
}
