/* The symbolic part of the elimination: paths, mixes, and an order of small fill. It goes through the elimination once,
 * without numbers. */
#include "constraints/plan.h"

#include "constraints/plan_maker.h"

bool cdni_plan_push(plan_maker *k, cdni_array *list, int32_t value) {
  if (k->ok && !cdni_array_push(k->memory, list, sizeof value, &value)) k->ok = false;
  return k->ok;
}

static bool contains(const cdni_array *list, int32_t value) {
  for (size_t i = 0; i < list->count; i++)
    if (plan_items(list)[i] == value) return true;
  return false;
}

static void remove_item(cdni_array *list, int32_t value) {
  for (size_t i = 0; i < list->count; i++)
    if (plan_items(list)[i] == value) {
      plan_items(list)[i] = plan_items(list)[--list->count];
      return;
    }
}

static void push_once(plan_maker *k, cdni_array *list, int32_t value) {
  if (!contains(list, value)) cdni_plan_push(k, list, value);
}

/* ---- blocks and their paths ---- */

/* A new block; -1 if memory ran out. */
static int32_t add_block(plan_maker *k, int equations, int ancestor, int island) {
  const plan_block b = { .equations = equations, .ancestor = ancestor, .order = -1, .island = island, .mix = -1 };
  if (k->ok && !cdni_array_push(k->memory, &k->blocks, sizeof b, &b)) k->ok = false;
  return k->ok ? (int32_t)k->blocks.count - 1 : -1;
}

/* The path of the block has reached a body. */
static void arrive(plan_maker *k, int32_t b, int body) {
  push_once(k, &plan_block_at(k, b)->tips, body);
  push_once(k, &k->here[body], b);
  push_once(k, &k->slots[body], b);
}

/* The n-th body that a constraint names; the outboard body of the n-th joint that it names. */
static int body_of(const plan_maker *k, const constraint_element *c, int n) {
  return constraint_bodies(k->room, k->state, c)[n];
}

static int moved_by(const plan_maker *k, const constraint_element *c, int n) {
  return CDNI_AT(k->room->mobilities, constraint_mobility, c->first_mobility + n).body;
}

/* The path of a constraint starts at the bodies that it names, and at the outboard bodies of its joints. */
static void start_paths(plan_maker *k) {
  for (int i = 0; i < k->n_on && k->ok; i++) {
    const constraint_element *c = constraint_at(k->room, k->on[i]);
    const int32_t b = add_block(k, c->m, c->ancestor, 0);
    for (int n = 0; k->ok && n < c->n_bodies; n++) arrive(k, b, body_of(k, c, n));
    for (int n = 0; k->ok && n < c->n_mobilities; n++) arrive(k, b, moved_by(k, c, n));
    for (size_t n = 0; k->couplings && k->ok && n < plan_block_at(k, b)->tips.count; n++)
      if (plan_items(&plan_block_at(k, b)->tips)[n] > 0)
        plan_block_at(k, b)->island = k->island[plan_items(&plan_block_at(k, b)->tips)[n]];
  }
}

/* ---- the order ---- */

static void connect(plan_maker *k, int32_t a, int32_t b) {
  if (a == b || contains(&plan_block_at(k, a)->adjacent, b)) return;
  cdni_plan_push(k, &plan_block_at(k, a)->adjacent, b);
  cdni_plan_push(k, &plan_block_at(k, b)->adjacent, a);
}

static void connect_all(plan_maker *k, const cdni_array *list) {
  for (size_t i = 0; i < list->count && k->ok; i++) {
    plan_block *block = plan_block_at(k, plan_items(list)[i]);
    k->notes++;
    for (size_t j = 0; j < block->adjacent.count; j++) k->note[plan_items(&block->adjacent)[j]] = k->notes;
    for (size_t j = 0; j < i; j++) {
      const int32_t other = plan_items(list)[j];
      if (k->note[other] == k->notes) continue;
      cdni_plan_push(k, &block->adjacent, other);
      cdni_plan_push(k, &plan_block_at(k, other)->adjacent, plan_items(list)[i]);
    }
  }
}

/* Gives a block its place in the order, and removes it from the graph. */
static void place(plan_maker *k, int32_t b) {
  plan_block *block = plan_block_at(k, b);
  block->order = k->placed++;
  for (size_t i = 0; i < block->adjacent.count; i++) {
    const int32_t other = plan_items(&block->adjacent)[i];
    cdni_plan_push(k, &block->meets, other);
    remove_item(&plan_block_at(k, other)->adjacent, b);
  }
}

/* The same for a block whose multipliers are eliminated. The blocks that it meets become connected. */
static void eliminate(plan_maker *k, int32_t b) {
  place(k, b);
  connect_all(k, &plan_block_at(k, b)->meets);
}

/* Blocks of one island follow each other. */
static void sort_by_island(const plan_maker *k, const cdni_array *list) {
  int32_t *b = plan_items(list);
  for (size_t i = 1; i < list->count; i++) {
    const int32_t moved = b[i];
    size_t at = i;
    for (; at > 0 && plan_block_at(k, b[at - 1])->island > plan_block_at(k, moved)->island; at--) b[at] = b[at - 1];
    b[at] = moved;
  }
}

/* A block has closed: its path goes no further. */
static void leave_tips(plan_maker *k, int32_t b, int body) {
  cdni_plan_close_tips(k, b, body, arrive);
  for (size_t t = 0; t < plan_block_at(k, b)->closing.count; t++)
    remove_item(&k->here[plan_items(&plan_block_at(k, b)->closing)[t]], b);
}

/* Places the blocks that close at a body. Of an island, the block that meets the fewest others comes first (minimum
 * degree). */
static void close_at(plan_maker *k, int body) {
  cdni_array *list = &k->closing[body];
  for (size_t i = 0; i < k->here[body].count; i++) {
    const int32_t b = plan_items(&k->here[body])[i];
    if (plan_block_at(k, b)->ancestor == body) cdni_plan_push(k, list, b);
  }
  if (k->couplings) sort_by_island(k, list);
  for (size_t done = 0; done < list->count && k->ok; done++) {
    size_t best = done;
    for (size_t j = done + 1; j < list->count; j++) {
      const plan_block *other = plan_block_at(k, plan_items(list)[j]);
      if (other->island != plan_block_at(k, plan_items(list)[done])->island) break;
      if (other->adjacent.count < plan_block_at(k, plan_items(list)[best])->adjacent.count) best = j;
    }
    const int32_t b = plan_items(list)[best];
    plan_items(list)[best] = plan_items(list)[done];
    plan_items(list)[done] = b;
    eliminate(k, b);
    if (k->couplings) leave_tips(k, b, body);
  }
}

/* ---- mixes ---- */

static bool same_tips(const plan_block *a, const plan_block *b) {
  if (a->ancestor != b->ancestor || a->tips.count != b->tips.count) return false;
  for (size_t i = 0; i < a->tips.count; i++)
    if (!contains(&b->tips, plan_items(&a->tips)[i])) return false;
  return true;
}

/* Replaces the sources by the block that goes on. The block that the mix closes is eliminated at once. */
static void mix(plan_maker *k, int after, const int32_t *source, int n, int equations) {
  const plan_block like = *plan_block_at(k, source[0]);
  const int most = 6 * (int)like.tips.count;
  const int32_t closed = add_block(k, equations, 0, like.island);
  const int32_t onward = add_block(k, equations < most ? equations : most, like.ancestor, like.island);
  plan_mix m = { .after = after, .closed = closed, .n_tips = (int32_t)like.tips.count };
  for (int t = 0; t < m.n_tips; t++) m.tips[t] = plan_items(&like.tips)[t];
  for (int i = 0; i < n; i++) cdni_plan_push(k, &m.sources, source[i]);
  if (k->ok && !cdni_array_push(k->memory, &k->mixes, sizeof m, &m)) k->ok = false;
  if (!k->ok) {
    cdni_array_free(k->memory, &m.sources);
    return;
  }
  plan_block_at(k, closed)->mix = (int)k->mixes.count - 1;
  for (int i = 0; i < n; i++) {
    place(k, source[i]);
    plan_block_at(k, source[i])->mixed = true;
    const cdni_array meets = plan_block_at(k, source[i])->meets;
    for (size_t j = 0; j < meets.count; j++) {
      const int32_t d = plan_items(&meets)[j];
      bool is_source = false;
      for (int s = 0; s < n; s++) is_source = is_source || source[s] == d;
      if (is_source) continue;
      connect(k, closed, d);
      connect(k, onward, d);
    }
  }
  connect(k, closed, onward);
  for (size_t t = 0; t < like.tips.count; t++) {
    const int tip = plan_items(&like.tips)[t];
    for (int i = 0; i < n; i++) remove_item(&k->here[tip], source[i]);
    arrive(k, onward, tip);
  }
  eliminate(k, closed);
}

/* Mixes blocks at a body if enough equations have the same path to go. */
static void mix_at(plan_maker *k, int body, int after) {
  for (size_t i = 0; i < k->here[body].count && k->ok; i++) {
    const int32_t first = plan_items(&k->here[body])[i];
    const plan_block *b = plan_block_at(k, first);
    if (b->ancestor == body || b->tips.count > LOOP_MOST_TIPS) continue;
    int32_t source[LOOP_MOST_MIXED];
    int n = 0, equations = 0;
    for (size_t j = i; j < k->here[body].count && n < LOOP_MOST_MIXED; j++) {
      const int32_t other = plan_items(&k->here[body])[j];
      const plan_block *o = plan_block_at(k, other);
      if (!same_tips(b, o) || equations + o->equations > LOOP_MOST_MIXED) continue;
      source[n++] = other;
      equations += o->equations;
    }
    /* With one tip, mix from 1.5 times the most equations that can go on; with two tips, a little later. */
    if (n < 2 || equations <= 6 * (int)b->tips.count + 3) continue;
    mix(k, after, source, n, equations);
    i = (size_t)-1; /* the list has changed */
  }
}

/* ---- the whole way ---- */

static void find_levels(plan_maker *k) {
  for (int i = 0; i < k->t->n; i++) k->level[i] = i ? k->level[k->t->node[i].parent] + 1 : 0;
}

/* Deepest first. */
static void order_bodies(plan_maker *k) {
  const int nb = k->t->n;
  int deepest = 0, at = 0;
  for (int i = 0; i < nb; i++) deepest = k->level[i] > deepest ? k->level[i] : deepest;
  /* by counting: starts of levels, deepest first */
  int32_t *start = k->order + nb;
  memset(start, 0, (size_t)(nb + 1) * sizeof *start);
  for (int i = 0; i < nb; i++) start[deepest - k->level[i] + 1]++;
  for (int l = 1; l <= deepest + 1 && l <= nb; l++) start[l] += start[l - 1];
  for (int i = nb - 1; i >= 0; i--, at++) k->order[start[deepest - k->level[i]]++] = i;
  k->n_visited = nb, k->n_islands = 1;
}

/* The path of a block that is open at the joint of body i goes on to the parent and to the bodies that body i is
 * coupled with. Ground does not move: a block that closes elsewhere has no business there. */
static void go_on(plan_maker *k, int32_t b, int i, int parent) {
  remove_item(&plan_block_at(k, b)->tips, i);
  if (parent > 0 || plan_block_at(k, b)->ancestor == 0) arrive(k, b, parent);
  for (size_t j = 0; k->couplings && j < k->near[i].count; j++)
    arrive(k, b, CDNI_AT(k->near[i], plan_coupling, j).body);
}

static void go(plan_maker *k) {
  start_paths(k);
  for (int n = 0; n < k->n_visited && k->ok; n++) {
    if (k->couplings && n < k->n_visited - 1) cdni_plan_choose_body(k, n);
    const int i = k->order[n], parent = k->t->node[i].parent;
    close_at(k, i);
    if (i == 0) break;
    for (size_t j = 0; j < k->here[i].count; j++) {
      const int32_t b = plan_items(&k->here[i])[j];
      if (plan_block_at(k, b)->ancestor != i) cdni_plan_push(k, &k->open[i], b);
    }
    connect_all(k, &k->open[i]);
    for (size_t j = 0; j < k->open[i].count && k->ok; j++) go_on(k, plan_items(&k->open[i])[j], i, parent);
    if (k->couplings) cdni_plan_eliminate_body(k, i);
    k->here[i].count = 0;
    if (k->open[i].count > 0) mix_at(k, parent, i);
  }
}

/* All lists are in the State's workspace, which is released as a whole. `on` are the constraints of the plan. */
static loop_plan *make(plan_maker *k, int32_t *on, cdn_state *state) {
  const size_t nb = (size_t)k->t->n;
  cdni_array *lists = cdni_calloc(k->memory, 4 * nb * sizeof *lists);
  k->level = cdni_calloc(k->memory, (3 * nb + 2) * sizeof *k->level);
  k->on = on;
  if (!lists || !k->level) return NULL;
  k->here = lists, k->slots = lists + nb, k->open = lists + 2 * nb, k->closing = lists + 3 * nb;
  k->order = k->level + nb;
  find_levels(k);
  if (!k->couplings) order_bodies(k);
  else if (!cdni_plan_begin_couplings(k, on)) return NULL;
  /* one block for each constraint, and two for each mix; there is at most one mix for four equations */
  size_t blocks = 1;
  for (int i = 0; i < k->n_on; i++) blocks += 1 + (size_t)constraint_at(k->room, k->on[i])->m;
  k->note = cdni_calloc(k->memory, blocks * sizeof *k->note);
  if (!k->note) return NULL;
  go(k);
  return k->ok ? cdni_plan_pack(k, state) : NULL;
}

static cdn_status out_of_memory(cdn_state *state) {
  return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
}

cdn_status cdni_loop_plan_choose(const constraint_room *room, cdn_state *state) {
  const double *enabled = constraint_enabled(room, state);
  scratch lists;
  cdni_scratch_begin(&lists, state);
  plan_maker k = {
    .memory = &lists.allocator, .room = room, .state = state, .t = &room->matter->tree, .region = room->plan, .ok = true
  };
  int32_t *on = cdni_alloc(k.memory, room->elements.count * sizeof *on);
  for (size_t i = 0; on && i < room->elements.count; i++)
    if (enabled[i] != 0) on[k.n_on++] = (int32_t)i;
  const loop_plan *plan = on ? make(&k, on, state) : NULL;
  cdni_scratch_end(&lists);
  return plan ? CDN_OK : out_of_memory(state);
}

cdn_status cdni_loop_plan_couple(const constraint_room *room, const tree *t, const loop_plan *full,
                                 cdn_computed_region region, const loop_couplings *couplings, cdn_state *state) {
  scratch lists;
  cdni_scratch_begin(&lists, state);
  plan_maker k = { .memory = &lists.allocator,
                   .room = room,
                   .state = state,
                   .t = t,
                   .n_on = full ? full->n_constraints : 0,
                   .region = region,
                   .couplings = couplings,
                   .ok = true };
  int32_t *on = cdni_alloc(k.memory, (size_t)(k.n_on + 1) * sizeof *on);
  for (int i = 0; on && i < k.n_on; i++) on[i] = full->constraint[i];
  loop_plan *plan = on ? make(&k, on, state) : NULL;
  cdni_scratch_end(&lists);
  if (!plan) return out_of_memory(state);
  /* rows are found where the full plan has them */
  for (int c = 0; c < plan->n_constraints; c++) {
    const int there = cdni_loop_plan_find(full, plan->constraint[c]);
    plan->J[c] = full->J[there], plan->g[c] = full->g[there];
  }
  return CDN_OK;
}

int cdni_loop_plan_find(const loop_plan *p, int constraint) {
  int from = 0, to = p->n_constraints;
  while (from < to) {
    const int middle = (from + to) / 2;
    if (p->constraint[middle] < constraint) from = middle + 1;
    else to = middle;
  }
  return from < p->n_constraints && p->constraint[from] == constraint ? from : -1;
}
