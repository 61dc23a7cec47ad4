/* The symbolic part of the elimination: paths, slots, an order of small fill, and where every block is. */
#include "constraints/plan.h"

#include "constraints/internal.h"

/* While it is made, everything is in growing lists; then it is packed into one block. */
typedef struct maker {
  const cdn_allocator *memory;
  constraint_room *room;
  const tree *t;
  loop_plan *plan;
  cdni_array *open;     /* by body: int32_t constraints open at its joint, ascending */
  cdni_array *closing;  /* by body */
  cdni_array *adjacent; /* by constraint: those that it meets and that are not eliminated yet */
  cdni_array *meets;    /* by constraint: those later ones at its elimination */
  bool ok;
} maker;

static bool push(maker *k, cdni_array *list, int32_t value) {
  if (k->ok && !cdni_array_push(k->memory, list, sizeof value, &value)) k->ok = false;
  return k->ok;
}
static int32_t *items(const cdni_array *list) { return list->data; }

static bool contains(const cdni_array *list, int32_t value) {
  for (size_t i = 0; i < list->count; i++)
    if (items(list)[i] == value) return true;
  return false;
}

static void remove_item(cdni_array *list, int32_t value) {
  for (size_t i = 0; i < list->count; i++)
    if (items(list)[i] == value) {
      items(list)[i] = items(list)[--list->count];
      return;
    }
}

/* ---- paths ---- */

static int common(const tree *t, int a, int b) {
  while (a != b) {
    if (a > b) a = t->node[a].parent;
    else b = t->node[b].parent;
  }
  return a;
}

/* Bodies from which a constraint's path goes inward: those it names, and those whose joints it names. */
static int ends_of(const maker *k, const constraint_element *c, int32_t *end, int *ancestor) {
  const int32_t *body = &CDNI_AT(k->room->bodies, int32_t, c->first_body);
  const constraint_mobility *mobility = &CDNI_AT(k->room->mobilities, constraint_mobility, c->first_mobility);
  int n = 0, at = -1;
  for (int i = 0; i < c->n_bodies; i++, n++) {
    end[n] = body[i];
    at = at < 0 ? body[i] : common(k->t, at, body[i]);
  }
  for (int i = 0; i < c->n_mobilities; i++, n++) {
    int inner = k->t->node[mobility[i].body].parent;
    end[n] = mobility[i].body;
    at = at < 0 ? inner : common(k->t, at, inner);
  }
  *ancestor = c->absolute ? 0 : at;
  return n;
}

static void find_paths(maker *k) {
  for (int c = 0; c < k->plan->n_constraints; c++) {
    int32_t end[CONSTRAINT_MOST_BODIES + CONSTRAINT_MOST_MOBILITIES];
    int ancestor, n = ends_of(k, constraint_at(k->room, c), end, &ancestor);
    k->plan->ancestor[c] = ancestor;
    for (int e = 0; e < n; e++)
      for (int i = end[e]; i > ancestor && !contains(&k->open[i], c); i = k->t->node[i].parent) push(k, &k->open[i], c);
    push(k, &k->closing[ancestor], c);
  }
}

/* ---- the order ---- */

static void connect(maker *k, int32_t a, int32_t b) {
  if (a == b || contains(&k->adjacent[a], b)) return;
  push(k, &k->adjacent[a], b);
  push(k, &k->adjacent[b], a);
}

static void connect_all(maker *k, const cdni_array *list) {
  for (size_t i = 0; i < list->count; i++)
    for (size_t j = 0; j < i; j++) connect(k, items(list)[i], items(list)[j]);
}

/* Removes one of those that close at a body from the graph: what it meets is then connected. */
static void eliminate(maker *k, int32_t c, int32_t place) {
  k->plan->order[c] = place;
  k->plan->by_order[place] = c;
  for (size_t i = 0; i < k->adjacent[c].count; i++) push(k, &k->meets[c], items(&k->adjacent[c])[i]);
  for (size_t i = 0; i < k->meets[c].count; i++) remove_item(&k->adjacent[items(&k->meets[c])[i]], c);
  connect_all(k, &k->meets[c]);
}

/* Bodies from the leaves inward; at each the one that meets fewest first (minimum degree). */
static void find_order(maker *k) {
  for (int i = 0; i < k->t->n; i++) connect_all(k, &k->open[i]);
  int32_t place = 0;
  for (int i = k->t->n - 1; i >= 0 && k->ok; i--) {
    cdni_array *list = &k->closing[i];
    for (size_t done = 0; done < list->count && k->ok; done++) {
      size_t best = done;
      for (size_t j = done + 1; j < list->count; j++)
        if (k->adjacent[items(list)[j]].count < k->adjacent[items(list)[best]].count) best = j;
      int32_t c = items(list)[best];
      items(list)[best] = items(list)[done];
      items(list)[done] = c;
      eliminate(k, c, place++);
    }
  }
}

/* ---- packing ---- */

static int triangle(int n) { return n * (n + 1) / 2; }

typedef struct counts {
  size_t slots, pairs, meets, meet_pairs;
} counts;

static counts count_all(const maker *k) {
  counts n = { 0 };
  for (int i = 0; i < k->t->n; i++) {
    n.slots += k->open[i].count + k->closing[i].count;
    n.pairs += (size_t)triangle((int)k->open[i].count);
  }
  for (int c = 0; c < k->plan->n_constraints; c++) {
    n.meets += k->meets[c].count;
    n.meet_pairs += (size_t)triangle((int)k->meets[c].count);
  }
  return n;
}

/* Takes n numbers of the block (or only counts them). */
static int32_t *take(int32_t **at, size_t *total, size_t n) {
  int32_t *here = *at;
  *total += n;
  if (*at) *at += n;
  return here;
}

static size_t lay_out(const maker *k, counts n, int32_t *at) {
  loop_plan *p = k->plan;
  size_t total = 0, nb = (size_t)k->t->n, nc = (size_t)p->n_constraints;
  p->slot_first = take(&at, &total, nb + 1);
  p->n_open = take(&at, &total, nb);
  p->slot_constraint = take(&at, &total, n.slots);
  p->slot_up = take(&at, &total, n.slots);
  p->slot_K = take(&at, &total, n.slots);
  p->slot_v = take(&at, &total, n.slots);
  p->pair_first = take(&at, &total, nb);
  p->pair = take(&at, &total, n.pairs);
  p->meet_first = take(&at, &total, nc + 1);
  p->meet = take(&at, &total, n.meets);
  p->meet_slot = take(&at, &total, n.meets);
  p->meet_block = take(&at, &total, n.meets);
  p->meet_pair_first = take(&at, &total, nc);
  p->meet_pair = take(&at, &total, n.meet_pairs);
  p->met_first = take(&at, &total, nc + 1);
  p->met = take(&at, &total, n.meets);
  p->met_block = take(&at, &total, n.meets);
  p->diagonal = take(&at, &total, nc);
  p->place_slot = take(&at, &total, k->room->bodies.count);
  p->mobility_slot = take(&at, &total, k->room->mobilities.count);
  p->mobility_k = take(&at, &total, k->room->mobilities.count);
  return total;
}

static int slot_of(const loop_plan *p, int body, int32_t c) {
  for (int s = p->slot_first[body]; s < p->slot_first[body + 1]; s++)
    if (p->slot_constraint[s] == c) return s;
  return -1;
}

static void number_slots(maker *k) {
  loop_plan *p = k->plan;
  int s = 0, rows = 0, coefficients = 0;
  for (int i = 0; i < k->t->n; i++) {
    p->slot_first[i] = s;
    p->n_open[i] = (int32_t)k->open[i].count;
    for (size_t j = 0; j < k->open[i].count + k->closing[i].count; j++, s++) {
      bool open = j < k->open[i].count;
      int32_t c = open ? items(&k->open[i])[j] : items(&k->closing[i])[j - k->open[i].count];
      p->slot_constraint[s] = c;
      p->slot_K[s] = rows;
      p->slot_v[s] = coefficients;
      rows += p->equations[c];
      if (open) coefficients += p->equations[c] * k->t->node[i].nu;
    }
  }
  p->slot_first[k->t->n] = s;
  p->n_slots = s, p->n_K = rows, p->n_v = coefficients;
  for (int i = 0; i < k->t->n; i++)
    for (s = p->slot_first[i]; s < p->slot_first[i + 1]; s++) {
      bool open = s < p->slot_first[i] + p->n_open[i];
      p->slot_up[s] = open ? slot_of(p, k->t->node[i].parent, p->slot_constraint[s]) : -1;
    }
}

/* Blocks of two constraints are found by the earlier one and the place of the later one among those that it meets. */
static int block_of(const loop_plan *p, int32_t a, int32_t b) {
  if (a == b) return p->diagonal[a];
  int32_t early = p->order[a] < p->order[b] ? a : b, late = early == a ? b : a;
  for (int i = p->meet_first[early]; i < p->meet_first[early + 1]; i++)
    if (p->meet[i] == late) return p->meet_block[i];
  return -1;
}

static void number_blocks(maker *k) {
  loop_plan *p = k->plan;
  int at = 0, meets = 0;
  for (int c = 0; c < p->n_constraints; c++) {
    p->diagonal[c] = at;
    at += p->equations[c] * p->equations[c];
  }
  p->n_diagonal = at;
  for (int c = 0; c < p->n_constraints; c++) {
    p->meet_first[c] = meets;
    for (size_t i = 0; i < k->meets[c].count; i++, meets++) {
      int32_t d = items(&k->meets[c])[i];
      p->meet[meets] = d;
      p->meet_slot[meets] = slot_of(p, p->ancestor[c], d);
      p->meet_block[meets] = at;
      at += p->equations[c] * p->equations[d];
    }
  }
  p->meet_first[p->n_constraints] = meets;
  p->n_S = at;
}

static void turn_round(maker *k) {
  loop_plan *p = k->plan;
  const int meets = p->meet_first[p->n_constraints];
  for (int i = 0; i < meets; i++) p->met_first[p->meet[i] + 1]++;
  for (int c = 0; c < p->n_constraints; c++) p->met_first[c + 1] += p->met_first[c];
  for (int c = p->n_constraints - 1; c >= 0; c--) {
    /* filled from the end, so that the starts move to where they belong */
    for (int i = p->meet_first[c]; i < p->meet_first[c + 1]; i++) {
      const int at = --p->met_first[p->meet[i] + 1];
      p->met[at] = c, p->met_block[at] = p->meet_block[i];
    }
  }
  for (int c = 0; c < p->n_constraints; c++) p->met_first[c] = p->met_first[c + 1];
  p->met_first[p->n_constraints] = meets;
}

static void number_pairs(maker *k) {
  loop_plan *p = k->plan;
  int at = 0;
  for (int i = 0; i < k->t->n; i++) {
    p->pair_first[i] = at;
    const int32_t *c = p->slot_constraint + p->slot_first[i];
    for (int a = 0; a < p->n_open[i]; a++)
      for (int b = 0; b <= a; b++) p->pair[at++] = block_of(p, c[a], c[b]);
  }
  at = 0;
  for (int c = 0; c < p->n_constraints; c++) {
    p->meet_pair_first[c] = at;
    for (int a = p->meet_first[c]; a < p->meet_first[c + 1]; a++)
      for (int b = p->meet_first[c]; b <= a; b++) p->meet_pair[at++] = block_of(p, p->meet[a], p->meet[b]);
  }
}

/* Where what the constraints themselves say comes in. */
static void place_entries(maker *k) {
  loop_plan *p = k->plan;
  for (int c = 0; c < p->n_constraints; c++) {
    const constraint_element *e = constraint_at(k->room, c);
    for (int i = e->first_body; i < e->first_body + e->n_bodies; i++)
      p->place_slot[i] = slot_of(p, CDNI_AT(k->room->bodies, int32_t, i), c);
    for (int i = e->first_mobility; i < e->first_mobility + e->n_mobilities; i++) {
      const constraint_mobility *mobility = &CDNI_AT(k->room->mobilities, constraint_mobility, i);
      p->mobility_slot[i] = slot_of(p, mobility->body, c);
      p->mobility_k[i] = mobility->u - k->t->node[mobility->body].u;
    }
  }
}

static void free_lists(maker *k, cdni_array *lists, size_t n) {
  for (size_t i = 0; lists && i < n; i++) cdni_array_free(k->memory, &lists[i]);
  if (lists) cdni_free(k->memory, lists, n * sizeof *lists);
}

bool cdni_loop_plan_make(constraint_room *room, const cdn_allocator *a) {
  loop_plan *p = &room->plan;
  maker k = { .memory = a, .room = room, .t = &room->matter->tree, .plan = p, .ok = true };
  const size_t nb = (size_t)k.t->n, nc = room->elements.count, lists = 2 * nb + 2 * nc;
  *p = (loop_plan){ .tree = k.t, .n_constraints = (int)nc, .m = room->m, .n_J = room->n_J };
  cdni_array *all = cdni_calloc(a, lists * sizeof *all);
  int32_t *head = cdni_calloc(a, 5 * nc * sizeof *head);
  k.ok = all && head;
  if (k.ok) {
    k.open = all, k.closing = all + nb, k.adjacent = k.closing + nb, k.meets = k.adjacent + nc;
    p->equations = head, p->first = head + nc, p->ancestor = head + 2 * nc, p->order = head + 3 * nc,
    p->by_order = head + 4 * nc;
    for (size_t c = 0; c < nc; c++) {
      p->equations[c] = constraint_at(room, (int)c)->m;
      p->first[c] = constraint_at(room, (int)c)->row;
    }
    find_paths(&k);
    find_order(&k);
  }
  if (k.ok) {
    const counts n = count_all(&k);
    const size_t total = lay_out(&k, n, NULL);
    p->block_size = total * sizeof(int32_t);
    p->block = cdni_calloc(a, p->block_size);
    k.ok = p->block != NULL;
    if (k.ok) {
      lay_out(&k, n, p->block);
      number_slots(&k);
      number_blocks(&k);
      turn_round(&k);
      number_pairs(&k);
      place_entries(&k);
    }
  }
  free_lists(&k, all, lists);
  if (!k.ok && head) {
    cdni_free(a, head, 5 * nc * sizeof *head);
    p->equations = NULL;
  }
  return k.ok;
}

void cdni_loop_plan_free(loop_plan *plan, const cdn_allocator *a) {
  if (plan->block) cdni_free(a, plan->block, plan->block_size);
  if (plan->equations) cdni_free(a, plan->equations, 5 * (size_t)plan->n_constraints * sizeof *plan->equations);
}
