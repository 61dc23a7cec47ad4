/* Who may touch whom: bodies of one piece never do, nor do, usually, a body and its parent; pairs of the user's do,
 * whatever the other rules say. */
#include <stdlib.h>

#include "contact/laws.h"
#include "contact/pairs.h"
#include "contact/room.h"

static int compare_pairs(const void *x, const void *y) {
  const kept_apart *a = x, *b = y;
  return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

static bool pieces_may_touch(const contact_room *room, int i, int j) {
  return room->def.parent_child || ((room->parent[i] != j || j == 0) && (room->parent[j] != i || i == 0));
}

/* The rule of the exclusion of two bodies or shapes. */
static cdn_contact_rule excluded_by(const cdni_array *list, int a, int b) {
  const kept_apart pair = { a < b ? a : b, a < b ? b : a, CDN_RULE_NONE };
  const kept_apart *found =
      list->count > 0 ? bsearch(&pair, list->data, list->count, sizeof pair, compare_pairs) : NULL;
  return found ? found->rule : CDN_RULE_NONE;
}

/* All rules but the user's filter. */
static cdn_contact_rule rule_of(const contact_room *room, int i, int j) {
  const shape *a = &CDNI_AT(room->shapes, shape, i), *b = &CDNI_AT(room->shapes, shape, j);
  const int piece_a = room->group[a->body], piece_b = room->group[b->body];
  if (piece_a == piece_b) return CDN_RULE_ONE_PIECE;
  if (cdni_contact_pair_of(room, i, j) >= 0) return CDN_RULE_NONE;
  if (((a->type & b->affinity) | (b->type & a->affinity)) == 0) return CDN_RULE_MASKS;
  if (a->group > 0 && a->group == b->group) return CDN_RULE_GROUP;
  if (!pieces_may_touch(room, piece_a, piece_b)) return CDN_RULE_PARENT;
  const cdn_contact_rule bodies = excluded_by(&room->excluded, a->body, b->body);
  return bodies != CDN_RULE_NONE ? bodies : excluded_by(&room->excluded_shapes, i, j);
}

/* Most shapes that have a table of their pairs, which takes 20 ms to fill. Of more most pairs are never asked for. */
enum { MOST_IN_TABLE = 1024 };

static size_t place_of(int i, int j) {
  const size_t a = (size_t)(i < j ? i : j), b = (size_t)(i < j ? j : i);
  return b * (b - 1) / 2 + a;
}

/* Decided once: lists of neighbours ask for the same pairs again and again. */
static cdn_status fill_table(cdn_system *system, contact_room *room) {
  const int n = (int)room->shapes.count;
  if (n < 2 || n > MOST_IN_TABLE) return CDN_OK;
  const size_t words = place_of(0, n) / 64 + 1;
  room->may = cdni_calloc(cdni_system_allocator(system), words * sizeof *room->may);
  if (!room->may) return cdni_system_fail(system, CDN_ERR_NOMEM, "cdn_system_freeze", NULL, "out of memory for pairs");
  room->may_words = words;
  for (int j = 1; j < n; j++)
    for (int i = 0; i < j; i++) {
      const size_t at = place_of(i, j);
      if (rule_of(room, i, j) == CDN_RULE_NONE) room->may[at / 64] |= UINT64_C(1) << at % 64;
    }
  return CDN_OK;
}

/* Whether two shapes may touch by the System's own model. Slots of rigid contact are counted before freezing, so they
 * do not depend on who may touch. */
static bool uses_usual(const contact_room *room) {
  const int n = (int)room->shapes.count;
  if (!room->mixed || room->sources.count > 0 || room->def.model == CDN_CONTACT_RIGID) return true;
  for (int j = 1; j < n; j++)
    for (int i = 0; i < j; i++)
      if (contact_model_of(room, i, j) == room->def.model && cdni_contact_may_accept(room, i, j)) return true;
  return false;
}

/* By which models shapes may touch. */
static cdn_status find_models(cdn_system *system, contact_room *room) {
  for (size_t i = 0; i < room->pairs.count; i++) {
    const named_pair *p = &CDNI_AT(room->pairs, named_pair, i);
    if (p->model == CDN_CONTACT_OF_SYSTEM || p->model == room->def.model) continue;
    room->mixed = room->uses[p->model] = true;
  }
  room->uses[room->def.model] = uses_usual(room);
  const bool by_rule = room->def.combining == CDN_COMBINE_OWN;
  if (!by_rule || !room->mixed) return CDN_OK;
  const bool lacks_soft = room->uses[CDN_CONTACT_SOFT] && !room->def.combine_soft;
  if (lacks_soft || !room->def.combine)
    return cdni_system_fail(system, CDN_ERR_ARG, "cdn_system_freeze", NULL,
                            "combining is CDN_COMBINE_OWN, and %s is NULL, which pairs with a model of their own need: "
                            "give the function",
                            lacks_soft ? "combine_soft" : "combine");
  return CDN_OK;
}

cdn_status cdni_contact_find_groups(cdn_system *system, contact_room *room) {
  if (room->shapes.count == 0) return CDN_OK;
  room->system = system;
  room->matter = cdni_matter(system);
  if (!room->matter) return CDN_OK; /* nothing moves */
  const int n = cdn_system_body_count(system);
  int32_t *group = cdni_alloc(cdni_system_allocator(system), 2 * (size_t)n * sizeof *group);
  if (!group)
    return cdni_system_fail(system, CDN_ERR_NOMEM, "cdn_system_freeze", NULL, "out of memory for groups of bodies");
  int32_t *parent = group + n;
  group[0] = parent[0] = 0;
  for (int b = 1; b < n; b++) {
    const int p = cdn_body_parent(system, (cdn_body){ b }).i;
    const bool welded = cdn_body_nu(system, (cdn_body){ b }) == 0;
    const bool still = !welded && cdni_body_stands(room->matter, b); /* as Ground: no force moves it */
    group[b] = still ? 0 : welded ? group[p] : b;
    parent[b] = welded ? parent[p] : group[p];
  }
  room->group = group, room->parent = parent, room->n_bodies = n;
  if (!room->has_def) room->def = cdn_default_contact_def();
  cdni_contact_choose_laws(room);
  cdni_array *lists[] = { &room->excluded, &room->excluded_shapes };
  for (int i = 0; i < CDNI_COUNT(lists); i++)
    if (lists[i]->count > 1) qsort(lists[i]->data, lists[i]->count, sizeof(kept_apart), compare_pairs);
  CDNI_TRY(cdni_contact_order_pairs(system, room));
  CDNI_TRY(fill_table(system, room));
  return find_models(system, room);
}

bool cdni_contact_may_accept(const contact_room *room, int i, int j) {
  const size_t at = place_of(i, j);
  return room->may ? room->may[at / 64] >> at % 64 & 1 : rule_of(room, i, j) == CDN_RULE_NONE;
}

bool cdni_contact_accepts(const contact_room *room, int i, int j) {
  if (!cdni_contact_may_accept(room, i, j)) return false;
  if (!room->filter || cdni_contact_pair_of(room, i, j) >= 0) return true;
  const cdn_shape low = { i < j ? i : j }, high = { i < j ? j : i };
  return room->filter(room->filter_self, room->system, low, high);
}

static bool are_two_shapes(const cdn_system *system, cdn_shape a, cdn_shape b) {
  const contact_room *room = cdni_contact(system);
  return cdn_system_is_frozen(system) && cdni_shape_at(room, a) && cdni_shape_at(room, b) && a.i != b.i;
}

bool cdn_shapes_may_touch(const cdn_system *system, cdn_shape a, cdn_shape b) {
  CDNI_NEED_OBJECT(system, false);
  return are_two_shapes(system, a, b) && cdni_contact_accepts(cdni_contact(system), a.i, b.i);
}

cdn_contact_rule cdn_shapes_rule(const cdn_system *system, cdn_shape a, cdn_shape b) {
  CDNI_NEED_OBJECT(system, CDN_RULE_NONE);
  if (!are_two_shapes(system, a, b)) return CDN_RULE_NONE;
  const contact_room *room = cdni_contact(system);
  const cdn_contact_rule rule = rule_of(room, a.i, b.i);
  return rule == CDN_RULE_NONE && !cdni_contact_accepts(room, a.i, b.i) ? CDN_RULE_FILTER : rule;
}

bool cdni_contact_take_part(const void *context, int i, int j) {
  const shapes_on *t = context;
  return t->enabled[i] != 0 && t->enabled[j] != 0 && cdni_contact_accepts(t->room, i, j);
}
