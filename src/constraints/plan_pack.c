/* Packs the plan into one piece of memory: all lists, and the place of every matrix. */
#include "constraints/plan_maker.h"

static int triangle(int n) { return n * (n + 1) / 2; }

static plan_counts count_all(const plan_maker *k) {
  plan_counts n = {
    .bodies = (size_t)k->t->n, .constraints = (size_t)k->n_on, .blocks = k->blocks.count, .mixes = k->mixes.count
  };
  for (int i = 0; i < k->n_on; i++) {
    const constraint_element *c = constraint_at(k->room, k->on[i]);
    n.equations += (size_t)c->m;
    n.places += (size_t)c->n_bodies;
    n.mobilities += (size_t)c->n_mobilities;
  }
  for (int i = 0; i < k->t->n; i++) {
    n.slots += k->slots[i].count;
    n.pairs += (size_t)triangle((int)k->open[i].count);
  }
  for (size_t b = 0; b < n.blocks; b++) n.meets += plan_block_at(k, (int32_t)b)->meets.count;
  n.visited = (size_t)k->n_visited, n.islands = (size_t)k->n_islands;
  n.given = k->couplings ? (size_t)k->couplings->n : 0;
  for (int i = 0; k->couplings && i < k->t->n; i++) {
    n.couplings += k->near[i].count;
    n.couple_slots += k->near[i].count * k->open[i].count;
    if (k->near[i].count > 0) n.fills += (size_t)triangle((int)k->near[i].count - 1);
  }
  for (size_t b = 0; b < n.blocks; b++) {
    const plan_block *block = plan_block_at(k, (int32_t)b);
    n.tips += block->closing.count;
    n.tip_pairs += (size_t)triangle((int)block->closing.count);
    n.tip_meets += block->closing.count * block->meets.count;
  }
  for (size_t i = 0; i < n.mixes; i++) n.sources += CDNI_AT(k->mixes, plan_mix, i).sources.count;
  return n;
}

/* Takes n numbers of the block (or only counts them). */
static int32_t *take(int32_t **at, size_t *total, size_t n) {
  int32_t *here = *at;
  *total += n;
  if (*at) *at += n;
  return here;
}

static size_t lay_out(loop_plan *p, const plan_counts *counts, int32_t *at) {
  const plan_counts n = *counts;
  size_t total = 0;
  int32_t **const by_constraint[] = { &p->constraint, &p->J, &p->g, &p->place_first, &p->mobility_first };
  for (int i = 0; i < CDNI_COUNT(by_constraint); i++) *by_constraint[i] = take(&at, &total, n.constraints + 1);
  p->row = take(&at, &total, n.equations);
  int32_t **const by_block[] = { &p->equations, &p->first,  &p->ancestor, &p->order, &p->by_order,
                                 &p->diagonal,  &p->mix_of, &p->is_mixed, &p->yields };
  for (int i = 0; i < CDNI_COUNT(by_block); i++) *by_block[i] = take(&at, &total, n.blocks);
  p->owner = take(&at, &total, n.equations);
  p->bodies = take(&at, &total, n.visited);
  p->place = take(&at, &total, n.bodies);
  p->island_body = take(&at, &total, n.islands + 1);
  p->island_closing = take(&at, &total, n.islands + 1);
  p->island_block = take(&at, &total, n.islands + 1);
  p->block_listed = take(&at, &total, n.blocks);
  p->couple_first = take(&at, &total, n.bodies + 1);
  p->reached = take(&at, &total, n.bodies);
  int32_t **const by_coupling[] = { &p->couple, &p->couple_C, &p->couple_up, &p->couple_E, &p->couple_slot_first };
  for (int i = 0; i < CDNI_COUNT(by_coupling); i++) *by_coupling[i] = take(&at, &total, n.couplings);
  p->fill_first = take(&at, &total, n.bodies);
  p->fill = take(&at, &total, n.fills);
  p->couple_slot = take(&at, &total, n.couple_slots);
  p->given_C = take(&at, &total, n.given);
  p->tip_first = take(&at, &total, n.blocks + 1);
  int32_t **const by_tip[] = { &p->tip_slot, &p->tip_pair_first, &p->tip_meet_first, &p->tip_Y };
  for (int i = 0; i < CDNI_COUNT(by_tip); i++) *by_tip[i] = take(&at, &total, n.tips);
  p->tip_pair = take(&at, &total, n.tip_pairs);
  p->tip_meet = take(&at, &total, n.tip_meets);
  p->slot_first = take(&at, &total, n.bodies + 1);
  p->n_open = take(&at, &total, n.bodies);
  p->n_closing = take(&at, &total, n.bodies);
  p->slot_block = take(&at, &total, n.slots);
  p->slot_up = take(&at, &total, n.slots);
  p->slot_K = take(&at, &total, n.slots);
  p->slot_v = take(&at, &total, n.slots);
  p->slot_body = take(&at, &total, n.slots);
  p->pair_first = take(&at, &total, n.bodies);
  p->pair = take(&at, &total, n.pairs);
  p->meet_first = take(&at, &total, n.blocks + 1);
  p->meet = take(&at, &total, n.meets);
  p->meet_slot = take(&at, &total, n.meets);
  p->meet_matrix = take(&at, &total, n.meets);
  p->met_first = take(&at, &total, n.blocks + 1);
  p->met = take(&at, &total, n.meets);
  p->met_matrix = take(&at, &total, n.meets);
  p->mix_first = take(&at, &total, n.bodies + 1);
  p->mix_closed = take(&at, &total, n.mixes);
  p->source_first = take(&at, &total, n.mixes + 1);
  p->source = take(&at, &total, n.sources);
  p->source_slot = take(&at, &total, LOOP_MOST_TIPS * n.sources);
  p->onward_slot = take(&at, &total, LOOP_MOST_TIPS * n.mixes);
  p->mix_T = take(&at, &total, n.mixes);
  p->place_slot = take(&at, &total, n.places);
  p->place_body = take(&at, &total, n.places);
  p->mobility_slot = take(&at, &total, n.mobilities);
  p->mobility_k = take(&at, &total, n.mobilities);
  return total;
}

int cdni_plan_slot_of(const loop_plan *p, int body, int32_t b) {
  for (int s = p->slot_first[body]; s < p->slot_first[body + 1]; s++)
    if (p->slot_block[s] == b) return s;
  return -1;
}

static void number_blocks(const plan_maker *k, loop_plan *p) {
  int m = 0;
  for (int b = 0; b < p->n_blocks; b++) {
    const plan_block *block = plan_block_at(k, b);
    p->equations[b] = block->equations;
    p->first[b] = m;
    for (int e = 0; b < p->n_constraints && e < block->equations; e++) p->owner[m + e] = b;
    p->ancestor[b] = block->ancestor;
    p->order[b] = block->order;
    p->by_order[block->order] = b;
    p->mix_of[b] = block->mix;
    p->is_mixed[b] = block->mixed;
    m += block->equations;
  }
  p->m_all = m;
}

static void number_slots(const plan_maker *k, loop_plan *p) {
  int s = 0, rows = 0, coefficients = 0;
  memset(k->note, 0, (size_t)p->n_blocks * sizeof *k->note);
  for (int i = 0; i < k->t->n; i++) {
    const cdni_array *const lists[] = { &k->open[i], &k->closing[i], &k->slots[i] };
    p->slot_first[i] = s;
    p->n_open[i] = (int32_t)k->open[i].count;
    p->n_closing[i] = (int32_t)k->closing[i].count;
    for (int l = 0; l < 3; l++)
      for (size_t j = 0; j < lists[l]->count; j++) {
        const int32_t b = plan_items(lists[l])[j];
        if (k->note[b] == i + 1) continue; /* it is there already */
        k->note[b] = i + 1;
        p->slot_block[s] = b, p->slot_body[s] = i;
        p->slot_K[s] = rows;
        p->slot_v[s++] = coefficients;
        rows += p->equations[b];
        if (l == 0) coefficients += p->equations[b] * k->t->node[i].nu;
      }
  }
  p->slot_first[k->t->n] = s;
  p->n_slots = s, p->n_K = rows, p->n_v = coefficients;
  for (int i = 0; i < k->t->n; i++)
    for (s = p->slot_first[i]; s < p->slot_first[i + 1]; s++)
      p->slot_up[s] =
          s < p->slot_first[i] + p->n_open[i] ? cdni_plan_slot_of(p, k->t->node[i].parent, p->slot_block[s]) : -1;
}

/* The matrix of two blocks is found by the earlier block, and by the place of the later block in its list `meet`. */
static int matrix_of(const loop_plan *p, int32_t a, int32_t b) {
  if (a == b) return p->diagonal[a];
  int32_t early = p->order[a] < p->order[b] ? a : b, late = early == a ? b : a;
  for (int i = p->meet_first[early]; i < p->meet_first[early + 1]; i++)
    if (p->meet[i] == late) return p->meet_matrix[i];
  return -1;
}

static int compare(const void *a, const void *b) { return *(const int32_t *)a - *(const int32_t *)b; }

/* The blocks that a block meets, in order. */
static void sort_meets(const loop_plan *p, plan_block *block) {
  int32_t *meet = plan_items(&block->meets);
  for (size_t i = 0; i < block->meets.count; i++) meet[i] = p->order[meet[i]];
  if (block->meets.count > 1) qsort(meet, block->meets.count, sizeof *meet, compare);
  for (size_t i = 0; i < block->meets.count; i++) meet[i] = p->by_order[meet[i]];
}

static void number_matrices(const plan_maker *k, loop_plan *p) {
  int at = 0, meets = 0;
  for (int b = 0; b < p->n_blocks; b++) {
    p->diagonal[b] = at;
    at += p->equations[b] * p->equations[b];
  }
  p->n_diagonal = at;
  for (int b = 0; b < p->n_blocks; b++) {
    plan_block *block = plan_block_at(k, b);
    sort_meets(p, block);
    p->meet_first[b] = meets;
    for (size_t i = 0; i < block->meets.count; i++, meets++) {
      p->meet[meets] = plan_items(&block->meets)[i];
      p->meet_slot[meets] = -1;
      p->meet_matrix[meets] = at;
      at += p->equations[b] * p->equations[p->meet[meets]];
    }
  }
  p->meet_first[p->n_blocks] = meets;
  p->n_S = at;
}

/* A closing block has a K if it closes at a body, and none if a mix closes it. */
static void find_meeting_slots(const plan_maker *k, loop_plan *p) {
  for (int i = 0; i < k->t->n; i++) {
    const int closing = p->slot_first[i] + p->n_open[i];
    if (p->n_closing[i] > 0)
      for (int s = p->slot_first[i]; s < p->slot_first[i + 1]; s++) k->note[p->slot_block[s]] = s;
    for (int s = closing; s < closing + p->n_closing[i]; s++) {
      const int b = p->slot_block[s];
      for (int a = p->meet_first[b]; a < p->meet_first[b + 1]; a++) p->meet_slot[a] = k->note[p->meet[a]];
    }
  }
}

static void turn_round(loop_plan *p) {
  const int meets = p->meet_first[p->n_blocks];
  for (int i = 0; i < meets; i++) p->met_first[p->meet[i] + 1]++;
  for (int b = 0; b < p->n_blocks; b++) p->met_first[b + 1] += p->met_first[b];
  for (int b = p->n_blocks - 1; b >= 0; b--) {
    /* The lists are filled from their ends, so that the starts end up in their places. */
    for (int i = p->meet_first[b]; i < p->meet_first[b + 1]; i++) {
      const int at = --p->met_first[p->meet[i] + 1];
      p->met[at] = b, p->met_matrix[at] = p->meet_matrix[i];
    }
  }
  for (int b = 0; b < p->n_blocks; b++) p->met_first[b] = p->met_first[b + 1];
  p->met_first[p->n_blocks] = meets;
}

static void number_pairs(const plan_maker *k, loop_plan *p) {
  int at = 0;
  for (int i = 0; i < k->t->n; i++) {
    p->pair_first[i] = at;
    const int32_t *b = p->slot_block + p->slot_first[i];
    for (int x = 0; x < p->n_open[i]; x++)
      for (int y = 0; y <= x; y++) p->pair[at++] = matrix_of(p, b[x], b[y]);
  }
}

/* Mixes are made in the order of bodies, so the mixes of one body follow each other. */
static void number_mixes(const plan_maker *k, loop_plan *p) {
  int sources = 0, T = 0;
  for (int i = 0; i < p->n_mixes; i++) {
    const plan_mix *x = &CDNI_AT(k->mixes, plan_mix, i);
    p->mix_closed[i] = x->closed;
    p->mix_T[i] = T;
    T += p->equations[x->closed] * p->equations[x->closed];
    p->source_first[i] = sources;
    for (int t = 0; t < LOOP_MOST_TIPS; t++)
      p->onward_slot[LOOP_MOST_TIPS * i + t] = t < x->n_tips ? cdni_plan_slot_of(p, x->tips[t], x->closed + 1) : -1;
    for (size_t s = 0; s < x->sources.count; s++, sources++) {
      p->source[sources] = plan_items(&x->sources)[s];
      for (int t = 0; t < LOOP_MOST_TIPS; t++)
        p->source_slot[LOOP_MOST_TIPS * sources + t] =
            t < x->n_tips ? cdni_plan_slot_of(p, x->tips[t], p->source[sources]) : -1;
    }
  }
  p->source_first[p->n_mixes] = sources;
  p->n_T = T;
  int at = 0;
  for (int n = 0; n < k->n_visited; n++) {
    p->mix_first[n] = at;
    while (at < p->n_mixes && CDNI_AT(k->mixes, plan_mix, at).after == k->order[n]) at++;
  }
  p->mix_first[k->n_visited] = at;
}

static void number_islands(const plan_maker *k, loop_plan *p) {
  p->n_visited = k->n_visited, p->n_islands = k->n_islands;
  for (int i = 0; i < k->t->n; i++) p->place[i] = -1;
  for (int n = 0; n < k->n_visited; n++) p->bodies[n] = k->order[n], p->place[k->order[n]] = n;
  for (int s = 0; s < p->n_islands; s++) {
    p->island_body[s] = k->couplings ? k->island_body[s] : 0;
    p->island_closing[s] = 0;
  }
  for (int b = 0; b < p->n_blocks; b++) p->island_block[plan_block_at(k, b)->island + 1]++;
  for (int i = 0; i < p->n_islands; i++) p->island_block[i + 1] += p->island_block[i];
  for (int b = p->n_blocks - 1; b >= 0; b--) p->block_listed[--p->island_block[plan_block_at(k, b)->island + 1]] = b;
  for (int i = 0; i < p->n_islands; i++) p->island_block[i] = p->island_block[i + 1];
  p->island_block[p->n_islands] = p->n_blocks;
  p->island_body[p->n_islands] = k->n_visited - 1;
  p->island_closing[p->n_islands] = p->n_closing[0];
  for (int c = p->n_closing[0] - 1, s = p->n_islands - 1; k->couplings && s >= 0; s--) {
    while (c >= 0 && plan_block_at(k, plan_items(&k->closing[0])[c])->island >= s) c--;
    p->island_closing[s] = c + 1;
  }
}

/* The enabled constraints, and the slots where their rows enter. */
static void place_entries(const plan_maker *k, loop_plan *p) {
  int32_t place = 0, mobilities = 0;
  for (int c = 0; c < p->n_constraints; c++) {
    const constraint_element *e = constraint_at(k->room, k->on[c]);
    p->constraint[c] = k->on[c];
    p->yields[c] = e->yields;
    p->J[c] = p->n_J, p->g[c] = p->n_g;
    p->place_first[c] = place, p->mobility_first[c] = mobilities;
    p->np += e->np, p->nv += e->nv;
    p->n_J += e->m * e->n_bodies, p->n_g += e->m * e->n_mobilities;
    for (int i = 0; i < e->m; i++) p->row[p->first[c] + i] = e->row + i;
    const int32_t *body = constraint_bodies(k->room, k->state, e);
    for (int i = 0; i < e->n_bodies; i++, place++) {
      p->place_body[place] = body[i];
      p->place_slot[place] = cdni_plan_slot_of(p, body[i], c);
    }
    for (int i = 0; i < e->n_mobilities; i++, mobilities++) {
      const constraint_mobility *mobility = &CDNI_AT(k->room->mobilities, constraint_mobility, e->first_mobility + i);
      p->mobility_slot[mobilities] = cdni_plan_slot_of(p, mobility->body, c);
      p->mobility_k[mobilities] = mobility->u - k->t->node[mobility->body].u;
    }
  }
}

/* What a mix closes and passes on is of its sources, which come before. */
static void mark_yielding(loop_plan *p) {
  for (int i = 0; i < p->n_mixes; i++)
    for (int s = p->source_first[i]; s < p->source_first[i + 1]; s++)
      if (p->yields[p->source[s]]) p->yields[p->mix_closed[i]] = p->yields[p->mix_closed[i] + 1] = true;
}

void cdni_loop_plan_rebase(loop_plan *p) {
  lay_out(p, &p->counts, (int32_t *)(p + 1));
  p->self = p;
}

loop_plan *cdni_plan_pack(plan_maker *k, cdn_state *state) {
  loop_plan sizes;
  const plan_counts n = count_all(k);
  const size_t bytes = sizeof sizes + lay_out(&sizes, &n, NULL) * sizeof(int32_t);
  void *memory;
  if (cdni_region_take(state, "cdn_realize", k->region, bytes, &memory) != CDN_OK) return NULL;
  loop_plan *p = memory;
  memset(p, 0, bytes);
  p->tree = k->t;
  p->counts = n;
  p->n_constraints = (int)n.constraints, p->n_blocks = (int)n.blocks, p->n_mixes = (int)n.mixes;
  p->m = (int)n.equations;
  cdni_loop_plan_rebase(p);
  number_blocks(k, p);
  number_slots(k, p);
  number_islands(k, p);
  number_matrices(k, p);
  find_meeting_slots(k, p);
  turn_round(p);
  number_pairs(k, p);
  number_mixes(k, p);
  place_entries(k, p);
  mark_yielding(p);
  if (k->couplings) cdni_plan_pack_couplings(k, p);
  return p;
}
