/* Which groups a solution takes together: islands, and the order of groups and pieces in them. */
#include <stdlib.h>

#include "soft/internal.h"

/* ---- couplings ---- */

int cdni_soft_compare_pairs(const void *x, const void *y) {
  const int32_t *a = x, *b = y;
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

int cdni_soft_coupled_body(const soft_room *room, const soft_group *g, int i, int inboard) {
  const int own = cdni_soft_body(g, i), body = inboard && own > 0 ? room->matter->tree.node[own].parent : own;
  if (inboard && g->place == SOFT_TERMS && cdni_soft_is_body(&g->term[i])) return 0;
  return room->moves[body] ? body : 0;
}

static int find_coupling(const soft_pairs *s, int a, int b) {
  const int32_t key[2] = { a < b ? a : b, a < b ? b : a };
  const int32_t *found = bsearch(key, s->pair, (size_t)s->n, sizeof key, cdni_soft_compare_pairs);
  return found ? (int)(found - s->pair) / 2 : -1;
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
  int first = -1;
  for (int i = 0; i < cdni_soft_bodies(g); i++) {
    const int body = cdni_soft_body(g, i);
    if (!p->room->moves[body]) continue;
    const int b = root_of(up, cdni_soft_piece(p, body)), a = first < 0 ? b : root_of(up, first);
    if (a < b) up[b] = a;
    else up[a] = b;
    first = a < b ? a : b;
  }
}

/* Joins the pieces that groups connect. A root comes before those it is the root of; so do islands in order of their
 * first pieces. */
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

/* The matrix of body i, or the one inboard of it, and body j of a group; -1: none. */
static int32_t coupling_of(const soft_problem *p, const soft_pairs *pairs, const soft_group *g, int i, int inboard_i,
                           int j, int inboard_j) {
  if (!p->coupled) return -1;
  const int a = cdni_soft_coupled_body(p->room, g, i, inboard_i), b = cdni_soft_coupled_body(p->room, g, j, inboard_j);
  return a > 0 && b > 0 && a != b ? p->plan->given_C[find_coupling(pairs, a, b)] : -1;
}

/* The matrices of a group's couplings, and its rows. */
static void place_group(const soft_problem *p, const soft_pairs *pairs, soft_work *w) {
  const soft_group *g = w->g;
  if (g->place != SOFT_TERMS) {
    const soft_group *before = w > p->work ? w[-1].g : g;
    const bool as_before = before != g && before->place == g->place && before->body[0] == g->body[0] &&
                           before->body[1] == g->body[1]; /* contacts of a pair come one after the other */
    w->C = as_before ? w[-1].C : g->place == SOFT_PAIR ? coupling_of(p, pairs, g, 0, 0, 1, 0) : -1;
    cdni_soft_place(p->d->pose, w);
    return;
  }
  int32_t *C = w->couplings;
  for (int j = 1; j < g->terms; j++)
    for (int i = 0; i < j; i++)
      for (int c = 0; c < 4; c++) *C++ = coupling_of(p, pairs, g, i, c / 2, j, c % 2);
  cdni_soft_spread_terms(p, w);
}

void cdni_soft_sort(soft_problem *p, const soft_group *groups, const soft_pairs *pairs) {
  const soft_room *room = p->room;
  find_islands(p, groups);
  const int still = p->n_islands; /* counts as one more island */
  memset(p->first, 0, (size_t)(still + 3) * sizeof *p->first);
  for (int i = 0; i < p->n; i++) {
    int moving = 0;
    for (int k = cdni_soft_bodies(&groups[i]) - 1; k >= 0 && moving == 0; k--)
      if (room->moves[cdni_soft_body(&groups[i], k)]) moving = cdni_soft_body(&groups[i], k);
    p->order[i] = moving > 0 ? p->island[cdni_soft_piece(p, moving)] : still;
    p->first[p->order[i] + 1]++;
  }
  for (int k = 0; k <= still; k++) p->first[k + 1] += p->first[k];
  for (int i = p->n - 1; i >= 0; i--) p->work[--p->first[p->order[i] + 1]].g = &groups[i];
  for (int k = 0; k <= still; k++) p->first[k] = p->first[k + 1];
  p->first[still + 1] = p->n;
  sv *J = p->term_J;
  int32_t *C = p->term_C;
  for (int i = 0; i < p->n; i++) {
    soft_work *w = &p->work[i];
    p->order[i] = (int32_t)(w->g - groups);
    if (w->g->place == SOFT_TERMS) {
      w->J = J, w->couplings = C;
      J += 2 * w->g->terms, C += 4 * cdni_soft_term_pairs(w->g);
    }
    place_group(p, pairs, w);
  }
}
