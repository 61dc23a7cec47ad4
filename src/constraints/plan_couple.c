/* Couplings while a plan is being made: islands, an order of small fill, and which matrices there are. */
#include "constraints/plan_maker.h"

/* ---- couplings ---- */

static plan_coupling *near_items(const cdni_array *list) { return list->data; }

/* The matrix of two bodies, of which a is eliminated first; -1: none. */
static int32_t find_coupling(const plan_maker *k, int a, int b) {
  const cdni_array *list = &k->near[a];
  for (size_t i = 0; i < list->count; i++)
    if (near_items(list)[i].body == b) return near_items(list)[i].C;
  return -1;
}

static void push_coupling(plan_maker *k, int a, int b, int32_t C) {
  const plan_coupling c = { b, C };
  if (k->ok && !cdni_array_push(k->memory, &k->near[a], sizeof c, &c)) k->ok = false;
}

static int32_t add_coupling(plan_maker *k, int a, int b) {
  const int32_t C = k->n_C++;
  push_coupling(k, a, b, C);
  push_coupling(k, b, a, C);
  return C;
}

static int32_t couple(plan_maker *k, int a, int b) {
  const bool less = k->near[a].count < k->near[b].count;
  const int32_t C = find_coupling(k, less ? a : b, less ? b : a);
  return C >= 0 || !k->ok ? C : add_coupling(k, a, b);
}

/* Couples all bodies of a list. */
static void couple_all(plan_maker *k, const int32_t *list, int n) {
  for (int i = 0; i < n && k->ok; i++) {
    const int a = list[i];
    k->marks++;
    for (size_t j = 0; j < k->near[a].count; j++) k->mark[near_items(&k->near[a])[j].body] = k->marks;
    for (int j = 0; j < i; j++)
      if (k->mark[list[j]] != k->marks) add_coupling(k, a, list[j]);
  }
}

static void forget(plan_maker *k, int a, int b) {
  plan_coupling *items = near_items(&k->near[a]);
  for (size_t i = 0; i < k->near[a].count; i++)
    if (items[i].body == b) {
      items[i] = items[--k->near[a].count];
      return;
    }
}

void cdni_plan_eliminate_body(plan_maker *k, int i) {
  const int parent = k->t->node[i].parent, n = (int)k->near[i].count;
  if (n == 0 || !k->ok) return;
  int32_t *list = cdni_alloc(k->memory, (size_t)(n + 1) * sizeof *list);
  if (!list) {
    k->ok = false;
    return;
  }
  bool has_parent = parent == 0;
  for (int j = 0; j < n; j++) {
    list[j] = near_items(&k->near[i])[j].body;
    has_parent = has_parent || list[j] == parent;
    forget(k, list[j], i);
  }
  if (!has_parent) list[n] = parent;
  couple_all(k, list, n + !has_parent);
}

/* ---- islands ---- */

static int root_of(const int32_t *up, int i) {
  while (up[i] != i) i = up[i];
  return i;
}

static void join(int32_t *up, int a, int b) {
  a = root_of(up, a), b = root_of(up, b);
  if (a < b) up[b] = a;
  else up[a] = b;
}

static void shorten(int32_t *up, int n) {
  for (int i = 0; i < n; i++) up[i] = root_of(up, i);
}

/* `root`: the first body of the tree that a body is in; 0 for Ground. */
static void join_constraint(plan_maker *k, const constraint_element *c, const int32_t *root, int32_t *up) {
  int first = 0;
  for (int n = 0; n < c->n_bodies + c->n_mobilities; n++) {
    const int body = n < c->n_bodies
                         ? constraint_bodies(k->room, k->state, c)[n]
                         : CDNI_AT(k->room->mobilities, constraint_mobility, c->first_mobility + n - c->n_bodies).body;
    const int r = root[body];
    if (r > 0 && first > 0) join(up, first, r);
    if (r > 0) first = r;
  }
}

/* Finds the island of each body (-1: it takes no part), and keeps the constraints that are in one. `root` and `up` are
 * scratch, by body. */
static void find_islands(plan_maker *k, int32_t *on, int32_t *root, int32_t *up) {
  const int nb = k->t->n;
  root[0] = up[0] = 0;
  for (int i = 1; i < nb; i++) up[i] = i, root[i] = k->t->node[i].parent == 0 ? i : root[k->t->node[i].parent];
  for (int i = 0; i < k->couplings->n; i++)
    join(up, root[k->couplings->pair[2 * i]], root[k->couplings->pair[2 * i + 1]]);
  for (int i = 0; i < k->n_on; i++) join_constraint(k, constraint_at(k->room, on[i]), root, up);
  shorten(up, nb);
  for (int i = 0; i < nb; i++) k->island[i] = -1;
  for (int i = 1; i < nb; i++)
    if (k->couplings->touched[i]) k->island[up[root[i]]] = 0;
  for (int i = 1; i < nb; i++)
    if (k->island[i] == 0 && up[i] == i) k->island[i] = k->n_islands++;
  for (int i = 1; i < nb; i++) k->island[i] = k->island[up[root[i]]];
  int kept = 0;
  for (int i = 0; i < k->n_on; i++) {
    const constraint_element *c = constraint_at(k->room, on[i]);
    bool takes_part = false;
    for (int n = 0; n < c->n_bodies; n++)
      takes_part = takes_part || k->island[constraint_bodies(k->room, k->state, c)[n]] >= 0;
    for (int n = 0; n < c->n_mobilities; n++)
      takes_part =
          takes_part || k->island[CDNI_AT(k->room->mobilities, constraint_mobility, c->first_mobility + n).body] >= 0;
    if (takes_part) on[kept++] = on[i];
  }
  k->n_on = kept;
}

/* ---- the order of bodies ---- */

/* Bodies by island, and of an island by depth, the deepest first: by two sorts by counting. Ground is last. */
static void sort_bodies(plan_maker *k, int32_t *sorted, int32_t *start) {
  const int nb = k->t->n;
  int deepest = 0, n = 0;
  for (int i = 1; i < nb; i++)
    if (k->island[i] >= 0 && k->level[i] > deepest) deepest = k->level[i];
  memset(start, 0, (size_t)(nb + 2) * sizeof *start);
  for (int i = 1; i < nb; i++)
    if (k->island[i] >= 0) start[deepest - k->level[i] + 1]++, n++;
  for (int l = 0; l < deepest; l++) start[l + 1] += start[l];
  for (int i = 1; i < nb; i++)
    if (k->island[i] >= 0) sorted[start[deepest - k->level[i]]++] = i;
  memset(k->island_body, 0, (size_t)(k->n_islands + 2) * sizeof *k->island_body);
  for (int i = 0; i < n; i++) k->island_body[k->island[sorted[i]] + 2]++;
  for (int s = 0; s < k->n_islands; s++) k->island_body[s + 1] += k->island_body[s];
  for (int i = 0; i < n; i++) k->order[k->island_body[k->island[sorted[i]] + 1]++] = sorted[i];
  k->order[n] = 0;
  k->n_visited = n + 1;
}

bool cdni_plan_begin_couplings(plan_maker *k, int32_t *on) {
  const size_t nb = (size_t)k->t->n;
  int32_t *numbers = cdni_calloc(k->memory, (7 * nb + 24) * sizeof *numbers);
  k->near = cdni_calloc(k->memory, nb * sizeof *k->near);
  k->given_C = cdni_calloc(k->memory, (size_t)(k->couplings->n + 1) * sizeof *k->given_C);
  if (!numbers || !k->near || !k->given_C) return k->ok = false;
  int32_t *a = numbers, *b = a + nb + 2;
  k->mark = b + nb + 2, k->island = k->mark + nb + 2;
  k->island_body = k->island + nb + 2, k->island_closing = k->island_body + nb + 3;
  find_islands(k, on, a, b);
  sort_bodies(k, a, b);
  for (int i = 0; i < k->couplings->n; i++)
    k->given_C[i] = couple(k, k->couplings->pair[2 * i], k->couplings->pair[2 * i + 1]);
  return k->ok;
}

/* Minimum degree: moves the body of the same depth and island that is coupled with the fewest to place n. */
void cdni_plan_choose_body(plan_maker *k, int n) {
  const int first = k->order[n];
  int best = n;
  for (int m = n + 1; m < k->n_visited - 1; m++) {
    const int i = k->order[m];
    if (k->level[i] != k->level[first] || k->island[i] != k->island[first]) break;
    if (k->near[i].count < k->near[k->order[best]].count) best = m;
  }
  const int32_t chosen = k->order[best];
  for (int m = best; m > n; m--) k->order[m] = k->order[m - 1];
  k->order[n] = chosen;
}

/* The block closes at a body: the bodies that its path has reached become coupled, and the blocks that it meets reach
 * them. */
void cdni_plan_close_tips(plan_maker *k, int32_t b, int body, void (*arrive)(plan_maker *k, int32_t b, int body)) {
  const cdni_array tips = plan_block_at(k, b)->tips;
  if (body == 0 || tips.count < 2) return;
  couple_all(k, plan_items(&tips), (int)tips.count);
  for (size_t t = 0; t < tips.count; t++) {
    const int tip = plan_items(&tips)[t];
    if (tip != body) cdni_plan_push(k, &plan_block_at(k, b)->closing, tip);
    for (size_t o = 0; o < plan_block_at(k, b)->meets.count; o++)
      arrive(k, plan_items(&plan_block_at(k, b)->meets)[o], tip);
  }
}

/* ---- packing ---- */

/* The bodies that body i is coupled with, in their order: by insertion, for these are few. */
static void sort_near(const plan_maker *k, const loop_plan *p, int i) {
  plan_coupling *c = near_items(&k->near[i]);
  for (size_t n = 1; n < k->near[i].count; n++) {
    const plan_coupling moved = c[n];
    size_t at = n;
    for (; at > 0 && p->place[c[at - 1].body] > p->place[moved.body]; at--) c[at] = c[at - 1];
    c[at] = moved;
  }
}

static int32_t matrix_of(const plan_maker *k, const loop_plan *p, int a, int b) {
  return p->place[a] < p->place[b] ? find_coupling(k, a, b) : find_coupling(k, b, a);
}

static void pack_body(const plan_maker *k, loop_plan *p, int i, int *couplings, int *fills, int *slots) {
  const int parent = k->t->node[i].parent, n = (int)k->near[i].count;
  const plan_coupling *c = near_items(&k->near[i]);
  p->couple_first[i] = *couplings, p->fill_first[i] = *fills;
  for (int j = 0; j < n; j++, (*couplings)++) {
    p->couple[*couplings] = c[j].body;
    p->reached[c[j].body] = 1;
    p->couple_C[*couplings] = c[j].C;
    p->couple_up[*couplings] = parent == 0 ? -1 : c[j].body == parent ? -2 : matrix_of(k, p, parent, c[j].body);
    p->couple_E[*couplings] = p->n_E;
    p->n_E += k->t->node[i].nu;
    p->couple_slot_first[*couplings] = *slots;
    for (int s = p->slot_first[i]; s < p->slot_first[i] + p->n_open[i]; s++)
      p->couple_slot[(*slots)++] = cdni_plan_slot_of(p, c[j].body, p->slot_block[s]);
  }
  /* pairs: those of the earlier one are looked up in its own list */
  for (int early = 0; early < n - 1; early++) {
    const cdni_array *list = &k->near[c[early].body];
    for (size_t a = 0; a < list->count; a++) k->mark[near_items(list)[a].body] = near_items(list)[a].C;
    for (int late = early + 1; late < n; late++)
      p->fill[*fills + late * (late - 1) / 2 + early] = k->mark[c[late].body];
  }
  *fills += n > 0 ? n * (n - 1) / 2 : 0;
}

static void pack_tips(const plan_maker *k, loop_plan *p) {
  int tips = 0, pairs = 0, meets = 0;
  for (int b = 0; b < p->n_blocks; b++) {
    const plan_block *block = plan_block_at(k, b);
    p->tip_first[b] = tips;
    for (size_t x = 0; x < block->closing.count; x++, tips++) {
      const int body = plan_items(&block->closing)[x];
      p->tip_slot[tips] = cdni_plan_slot_of(p, body, b);
      p->tip_Y[tips] = p->n_tip_rows;
      p->n_tip_rows += p->equations[b];
      p->tip_pair_first[tips] = pairs, p->tip_meet_first[tips] = meets;
      p->tip_pair[pairs++] = matrix_of(k, p, block->ancestor, body);
      for (size_t y = 0; y < x; y++) p->tip_pair[pairs++] = matrix_of(k, p, plan_items(&block->closing)[y], body);
      for (int m = p->meet_first[b]; m < p->meet_first[b + 1]; m++)
        p->tip_meet[meets++] = cdni_plan_slot_of(p, body, p->meet[m]);
    }
  }
  p->tip_first[p->n_blocks] = tips;
}

void cdni_plan_pack_couplings(const plan_maker *k, loop_plan *p) {
  int couplings = 0, fills = 0, slots = 0;
  for (int n = 0; n < k->n_visited; n++) sort_near(k, p, k->order[n]);
  for (int i = 0; i < k->t->n; i++) pack_body(k, p, i, &couplings, &fills, &slots);
  p->couple_first[k->t->n] = couplings;
  p->n_C = k->n_C;
  for (int i = 0; i < k->couplings->n; i++) p->given_C[i] = k->given_C[i];
  pack_tips(k, p);
}
