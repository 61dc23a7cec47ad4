#include "soft/dual.h"

/* ---- which groups have a block ---- */

/* The groups of each piece of the island. */
typedef struct piece_lists {
  int32_t *place; /* by piece of the plan: its place in the island */
  int32_t *first, *group;
  int32_t *mark;
} piece_lists;

enum { MOST_PIECES = SOFT_MOST_TERMS };

/* The pieces of a group. */
static int pieces_of(const soft_problem *p, const soft_group *g, int32_t piece[MOST_PIECES]) {
  int n = 0;
  for (int i = 0; i < cdni_soft_bodies(g); i++) {
    const int body = cdni_soft_body(g, i);
    if (!p->room->moves[body]) continue;
    const int32_t found = cdni_soft_piece(p, body);
    bool known = false;
    for (int k = 0; k < n && !known; k++) known = piece[k] == found;
    if (!known) piece[n++] = found;
  }
  return n;
}

static void list_groups(const soft_dual *x, piece_lists *l) {
  const soft_problem *p = x->p;
  const int from = p->piece_first[x->island], n = p->piece_first[x->island + 1] - from;
  int32_t piece[MOST_PIECES];
  for (int k = 0; k < n; k++) l->place[p->piece[from + k]] = k;
  memset(l->first, 0, (size_t)(n + 2) * sizeof *l->first);
  for (int i = 0; i < x->n; i++)
    for (int k = pieces_of(p, x->work[i].g, piece); k-- > 0;) l->first[l->place[piece[k]] + 2]++;
  for (int k = 0; k < n; k++) l->first[k + 1] += l->first[k];
  for (int i = 0; i < x->n; i++)
    for (int k = pieces_of(p, x->work[i].g, piece); k-- > 0;) l->group[l->first[l->place[piece[k]] + 1]++] = i;
}

/* Calls for every block of group i, in ascending order of places; `with` may be NULL. Returns how many there are. */
static int list_blocks(const soft_dual *x, const piece_lists *l, int i, int32_t *with) {
  int32_t piece[MOST_PIECES];
  int n = 0;
  for (int k = 0, m = pieces_of(x->p, x->work[i].g, piece); k < m; k++) {
    const int place = l->place[piece[k]];
    for (int at = l->first[place]; at < l->first[place + 1]; at++) {
      const int j = l->group[at];
      if (l->mark[j] == i) continue;
      l->mark[j] = i;
      if (with) with[n] = j;
      n++;
    }
  }
  return n;
}

static void unmark(const soft_dual *x, const piece_lists *l) {
  for (int i = 0; i < x->n; i++) l->mark[i] = -1;
}

/* ---- numbers ---- */

/* The rows of A that belong to group i, one solution each. Motions are zero before and after. */
static void fill_rows(const soft_dual *x, int i) {
  soft_problem *p = x->p;
  const soft_work *w = &x->work[i];
  const loop_problem problem = { .force = p->F, .f = p->f, .x = p->y, .A = p->A_y };
  int32_t piece[MOST_PIECES];
  const int n = pieces_of(p, w->g, piece);
  for (int e = 0; e < w->g->s.rows; e++) {
    double unit[SOFT_MOST_ROWS] = { 0 };
    unit[e] = 1;
    cdni_soft_clear(p, piece, n);
    cdni_soft_add_force(p->plan->tree, w, unit, p->F, p->f);
    p->F[0] = sv_zero();
    for (int k = 0; k < n; k++) cdni_loop_solve_island(p->plan, p->d, &p->factor, &problem, piece[k], p->scratch);
    for (int at = x->first[i]; at < x->first[i + 1]; at++) {
      const soft_work *other = &x->work[x->with[at]];
      cdni_soft_multiply(p->plan->tree, other, p->A_y, p->y, x->A + x->at[at] + e * other->g->s.rows);
    }
  }
  cdni_soft_clear(p, piece, n);
}

static cdn_status no_memory(const soft_problem *p) {
  return cdni_state_fail(p->state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
}

/* Numbers of blocks, the blocks, and A; in memory of their own, for the sizes follow from the lists. */
static cdn_status make_blocks(soft_dual *x, const piece_lists *l) {
  int blocks = 0;
  unmark(x, l);
  for (int i = 0; i < x->n; i++) x->first[i] = blocks, blocks += list_blocks(x, l, i, NULL);
  x->first[x->n] = blocks;
  size_t numbers = 0;
  x->numbers = cdn_work_push(x->p->state, (size_t)blocks * (sizeof *x->at + sizeof *x->with) + 1);
  if (!x->numbers) return no_memory(x->p);
  x->at = x->numbers, x->with = (int32_t *)(x->at + blocks);
  unmark(x, l);
  for (int i = 0; i < x->n; i++) {
    list_blocks(x, l, i, x->with + x->first[i]);
    for (int at = x->first[i]; at < x->first[i + 1]; at++) {
      if (x->with[at] == i) x->own[i] = at;
      x->at[at] = numbers;
      numbers += (size_t)x->work[i].g->s.rows * (size_t)x->work[x->with[at]].g->s.rows;
    }
  }
  x->A = cdn_work_push(x->p->state, numbers * sizeof *x->A + 1);
  return x->A ? CDN_OK : no_memory(x->p);
}

cdn_status cdni_soft_dual_begin(soft_dual *x, soft_problem *p, int island) {
  const int from = p->first[island];
  *x = (soft_dual){ .p = p, .island = island, .n = p->first[island + 1] - from, .work = p->work + from };
  const size_t n = (size_t)x->n, pieces = (size_t)p->plan->n_islands;
  x->frame = cdn_work_push(p->state, n * sizeof *x->b + ((3 + MOST_PIECES) * n + 2 * pieces + 4) * sizeof(int32_t));
  if (!x->frame) return no_memory(p);
  x->b = x->frame;
  x->first = (int32_t *)(x->b + n), x->own = x->first + n + 1;
  piece_lists l = { .group = x->own + n };
  l.mark = l.group + MOST_PIECES * n, l.place = l.mark + n, l.first = l.place + pieces;
  list_groups(x, &l);
  cdn_status status = make_blocks(x, &l);
  if (status != CDN_OK) {
    cdni_soft_dual_end(x);
    return status;
  }
  cdni_soft_clear(p, p->piece + p->piece_first[island], p->piece_first[island + 1] - p->piece_first[island]);
  for (int i = 0; i < x->n; i++) fill_rows(x, i);
  for (int i = 0; i < x->n; i++)
    for (int e = 0; e < x->work[i].g->s.rows; e++) x->b[i][e] = x->work[i].r[e] - x->work[i].Jx[e];
  return CDN_OK;
}

void cdni_soft_dual_end(soft_dual *x) {
  if (x->A) cdn_work_pop(x->p->state, x->A);
  if (x->numbers) cdn_work_pop(x->p->state, x->numbers);
  cdn_work_pop(x->p->state, x->frame);
}

void cdni_soft_dual_residual(const soft_dual *x, int i, double *g) {
  const int n = x->work[i].g->s.rows;
  for (int e = 0; e < n; e++) g[e] = x->b[i][e];
  for (int at = x->first[i]; at < x->first[i + 1]; at++) {
    const soft_work *other = &x->work[x->with[at]];
    const int m = other->g->s.rows;
    const double *A = x->A + x->at[at];
    for (int e = 0; e < n; e++)
      for (int k = 0; k < m; k++) g[e] = r_fma(A[e * m + k], other->f[k], g[e]);
  }
}

void cdni_soft_dual_move(const soft_dual *x) {
  cdni_soft_follow(x->p, x->island, x->p->x, x->p->A_x);
  for (int i = 0; i < x->n; i++) {
    soft_work *w = &x->work[i];
    cdni_soft_dual_residual(x, i, w->r);
    for (int e = 0; e < w->g->s.rows; e++) w->Jx[e] = w->r[e] - x->b[i][e];
  }
}
