/* What users say of pairs: shapes that touch whatever the filters say, with numbers of their own; bodies that are
 * excluded; a filter of theirs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "contact/materials.h"
#include "contact/pairs.h"
#include "contact/room.h"
#include "rooms.h"

CDNI_DEF(contact_pair_def, .a = { -1 }, .b = { -1 }, .model = CDN_CONTACT_OF_SYSTEM);

void cdni_contact_free_pairs(cdn_system *system, contact_room *room) {
  const cdn_allocator *a = cdni_system_allocator(system);
  for (size_t i = 0; i < room->pairs.count; i++) cdni_strfree(a, CDNI_AT(room->pairs, named_pair, i).name);
  cdni_array_free(a, &room->pairs);
  cdni_array_free(a, &room->pair_numbers0);
  cdni_array_free(a, &room->soft_pairs0);
  cdni_array_free(a, &room->pair_order);
  cdni_lookup_free(a, &room->pair_names);
  cdni_lookup_free(a, &room->pair_shapes);
  if (room->filter_size > 0) cdni_free(a, room->filter_self, room->filter_size);
}

/* ---- by name, and by shapes ---- */

typedef struct wanted_pair {
  const contact_room *room;
  const char *name;
  int32_t a, b; /* a < b */
} wanted_pair;

static bool has_name(const void *context, int i) {
  const wanted_pair *w = context;
  return strcmp(CDNI_AT(w->room->pairs, named_pair, i).name, w->name) == 0;
}

static bool has_shapes(const void *context, int i) {
  const wanted_pair *w = context;
  const named_pair *p = &CDNI_AT(w->room->pairs, named_pair, i);
  return p->a == w->a && p->b == w->b;
}

static wanted_pair wanted_of(const contact_room *room, const char *name, int32_t a, int32_t b) {
  return (wanted_pair){ room, name, a < b ? a : b, a < b ? b : a };
}
static uint64_t hash_of_shapes(const wanted_pair *w) { return lookup_hash(&w->a, 2 * sizeof w->a); }

/* ---- adding ---- */

static bool check_def(cdni_adder *by, const contact_room *room, const cdn_contact_pair_def *d,
                      const cdn_contact_material *material, const double soft[SOFT_PAIR_NUMBERS]) {
  const shape *a = cdni_shape_at(room, d->a), *b = cdni_shape_at(room, d->b);
  double numbers[MATERIAL_NUMBERS];
  cdni_contact_material_numbers(material, numbers);
  const char *wrong = cdni_contact_check_numbers(numbers, true), *wrong_soft = cdni_soft_check_pair(soft);
  const wanted_pair w = wanted_of(room, by->name, d->a.i, d->b.i);
  const int same = cdni_lookup_find(&room->pair_shapes, hash_of_shapes(&w), has_shapes, &w);
  if (!a || !b) cdni_adder_check_there(by, "shape", (int)(a ? d->b.i : d->a.i), (int)room->shapes.count);
  else if (a == b) cdni_adder_refuse(by, CDN_ERR_ARG, "both of its shapes are '%s': give two", a->name);
  else if (wrong) cdni_adder_refuse(by, CDN_ERR_ARG, "%s (-1: as the materials of the shapes combine)", wrong);
  else if (d->model < CDN_CONTACT_OF_SYSTEM || d->model > CDN_CONTACT_RIGID)
    cdni_adder_refuse(by, CDN_ERR_ARG, "model is %d: give a cdn_contact_model", (int)d->model);
  else if (wrong_soft)
    cdni_adder_refuse(by, CDN_ERR_ARG, "%s (start with cdn_default_soft_pair_material(): as the shapes have it)",
                      wrong_soft);
  else if (cdni_lookup_find(&room->pair_names, lookup_hash(by->name, strlen(by->name)), has_name, &w) >= 0)
    cdni_adder_refuse(by, CDN_ERR_ARG, "there is a pair of that name already: give each its own");
  else if (same >= 0)
    cdni_adder_refuse(by, CDN_ERR_ARG, "pair '%s' has the shapes '%s' and '%s' already: set its numbers",
                      CDNI_AT(room->pairs, named_pair, same).name, a->name, b->name);
  return by->ok;
}

static bool store(const cdni_adder *by, contact_room *room, const cdn_contact_pair_def *d,
                  const cdn_contact_material *material, const double soft[SOFT_PAIR_NUMBERS]) {
  const cdn_allocator *memory = cdni_system_allocator(by->system);
  const bool in_order = d->a.i < d->b.i;
  const named_pair p = { cdni_strdup(memory, by->name), in_order ? d->a.i : d->b.i, in_order ? d->b.i : d->a.i,
                         d->model };
  double *numbers = cdni_array_extend(memory, &room->pair_numbers0, sizeof *numbers, MATERIAL_NUMBERS);
  double *soft_numbers = cdni_array_extend(memory, &room->soft_pairs0, sizeof *soft, SOFT_PAIR_NUMBERS);
  if (!p.name || !numbers || !soft_numbers || !cdni_array_push(memory, &room->pairs, sizeof p, &p)) {
    cdni_strfree(memory, p.name);
    return false;
  }
  const int i = (int)room->pairs.count - 1;
  const wanted_pair w = { room, by->name, p.a, p.b };
  if (!cdni_lookup_add(memory, &room->pair_names, lookup_hash(by->name, strlen(by->name)), i) ||
      !cdni_lookup_add(memory, &room->pair_shapes, hash_of_shapes(&w), i))
    return false; /* the System is of no more use; the pair goes with it */
  cdni_contact_material_numbers(material, numbers);
  memcpy(soft_numbers, soft, SOFT_PAIR_NUMBERS * sizeof *soft);
  return true;
}

cdn_contact_pair cdn_system_add_contact_pair(cdn_system *system, const cdn_contact_pair_def *def) {
  const cdn_contact_pair none = { -1 };
  CDNI_NEED_OBJECT(system, none);
  cdni_adder by;
  contact_room *room = cdni_adder_begin(&by, system, CDNI_ROOM_CONTACT, __func__, "pair");
  if (!room) return none;
  cdn_contact_pair_def d;
  cdn_contact_material material = cdn_contact_material_of_pair();
  cdn_soft_pair_material soft = cdn_default_soft_pair_material();
  const char *unreadable =
      def ? read_contact_pair_def(&d, def) : "no def is given: start with cdn_default_contact_pair_def()";
  if (!unreadable && d.material) unreadable = cdni_contact_read_material_of_pair(&material, d.material);
  if (!unreadable && d.soft) unreadable = cdni_soft_read_pair_material(&soft, d.soft);
  if (unreadable) {
    cdni_adder_fail_unreadable(&by, def, unreadable);
    return none;
  }
  cdni_adder_name(&by, d.name, room->pairs.count);
  double soft_numbers[SOFT_PAIR_NUMBERS];
  cdni_soft_pair_numbers(&soft, soft_numbers);
  if (!check_def(&by, room, &d, &material, soft_numbers)) return none;
  if (!store(&by, room, &d, &material, soft_numbers)) {
    cdni_system_fail(system, CDN_ERR_NOMEM, __func__, by.name, "out of memory");
    return none;
  }
  return (cdn_contact_pair){ (int32_t)room->pairs.count - 1 };
}

static const char exclude_function[] = "cdn_system_exclude_contact";

static void keep_apart(cdn_system *system, cdni_array *list, int32_t a, int32_t b, cdn_contact_rule rule) {
  const kept_apart pair = { a < b ? a : b, a < b ? b : a, rule };
  if (!cdni_array_push(cdni_system_allocator(system), list, sizeof pair, &pair))
    cdni_system_fail(system, CDN_ERR_NOMEM, exclude_function, NULL, "out of memory");
}

void cdni_contact_exclude_shapes(cdn_system *system, cdn_shape a, cdn_shape b, cdn_contact_rule rule) {
  contact_room *room = cdni_system_room(system, CDNI_ROOM_CONTACT);
  if (room) keep_apart(system, &room->excluded_shapes, a.i, b.i, rule);
}

void cdni_contact_exclude(cdn_system *system, cdn_body a, cdn_body b, cdn_contact_rule rule) {
  if (cdni_system_refuses(system, exclude_function)) return;
  const int n = cdn_system_body_count(system);
  const int32_t wrong = a.i < 0 || a.i >= n ? a.i : b.i;
  if (wrong < 0 || wrong >= n) {
    cdni_system_fail(system, CDN_ERR_ARG, exclude_function, NULL,
                     "there is no body %d in this System (yet): add the body first", (int)wrong);
    return;
  }
  contact_room *room = cdni_system_room(system, CDNI_ROOM_CONTACT);
  if (room) keep_apart(system, &room->excluded, a.i, b.i, rule);
}

void cdn_system_exclude_contact(cdn_system *system, cdn_body a, cdn_body b) {
  CDNI_NEED_OBJECT_OR_NOTHING(system);
  cdni_contact_exclude(system, a, b, CDN_RULE_EXCLUDED);
}

void cdn_system_set_contact_filter(cdn_system *system, cdn_contact_filter_fn *filter, const void *self,
                                   size_t self_size) {
  CDNI_NEED_OBJECT_OR_NOTHING(system);
  if (cdni_system_refuses(system, __func__)) return;
  if (self_size > 0 && !self) {
    cdni_system_fail(system, CDN_ERR_ARG, __func__, NULL,
                     "self is NULL, and its size is %zu bytes: give what is to be copied", self_size);
    return;
  }
  contact_room *room = cdni_system_room(system, CDNI_ROOM_CONTACT);
  if (!room) return;
  const cdn_allocator *a = cdni_system_allocator(system);
  void *copy = self_size > 0 ? cdni_alloc(a, self_size) : (void *)(uintptr_t)self;
  if (self_size > 0 && !copy) {
    cdni_system_fail(system, CDN_ERR_NOMEM, __func__, NULL, "out of memory");
    return;
  }
  if (self_size > 0) memcpy(copy, self, self_size);
  if (room->filter_size > 0) cdni_free(a, room->filter_self, room->filter_size);
  room->filter = filter, room->filter_self = copy, room->filter_size = self_size;
}

/* ---- freezing, finding ---- */

static int compare_entries(const void *x, const void *y) {
  const pair_entry *p = x, *q = y;
  return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

cdn_status cdni_contact_order_pairs(cdn_system *system, contact_room *room) {
  for (size_t i = 0; i < room->pairs.count; i++) {
    const named_pair *p = &CDNI_AT(room->pairs, named_pair, i);
    const pair_entry entry = { p->a, p->b, (int32_t)i };
    if (!cdni_array_push(cdni_system_allocator(system), &room->pair_order, sizeof entry, &entry))
      return cdni_system_fail(system, CDN_ERR_NOMEM, "cdn_system_freeze", NULL, "out of memory for pairs of shapes");
  }
  if (room->pairs.count > 1) qsort(room->pair_order.data, room->pair_order.count, sizeof(pair_entry), compare_entries);
  return CDN_OK;
}

int cdni_contact_pair_of(const contact_room *room, int a, int b) {
  if (room->pair_order.count == 0) return -1;
  const pair_entry wanted = { a < b ? a : b, a < b ? b : a, 0 };
  const pair_entry *found =
      bsearch(&wanted, room->pair_order.data, room->pair_order.count, sizeof wanted, compare_entries);
  return found ? found->i : -1;
}

const double *cdni_contact_pair_numbers(const contact_room *room, const double *numbers, int a, int b) {
  const int i = cdni_contact_pair_of(room, a, b);
  return i < 0 ? NULL : numbers + MATERIAL_NUMBERS * i;
}

/* ---- asking ---- */

const named_pair *cdni_pair_at(const contact_room *room, cdn_contact_pair pair) {
  return !room || pair.i < 0 || (size_t)pair.i >= room->pairs.count ? NULL : &CDNI_AT(room->pairs, named_pair, pair.i);
}

int cdn_system_contact_pair_count(const cdn_system *system) {
  CDNI_NEED_OBJECT(system, 0);
  const contact_room *room = cdni_contact(system);
  return room ? (int)room->pairs.count : 0;
}

const char *cdn_contact_pair_name(const cdn_system *system, cdn_contact_pair pair) {
  CDNI_NEED_OBJECT(system, NULL);
  const named_pair *p = cdni_pair_at(cdni_contact(system), pair);
  return p ? p->name : NULL;
}

cdn_contact_pair cdn_system_find_contact_pair(const cdn_system *system, const char *name) {
  CDNI_NEED_OBJECT(system, ((cdn_contact_pair){ -1 }));
  const contact_room *room = cdni_contact(system);
  const wanted_pair w = { .room = room, .name = name };
  if (!room || !name) return (cdn_contact_pair){ -1 };
  return (cdn_contact_pair){ cdni_lookup_find(&room->pair_names, lookup_hash(name, strlen(name)), has_name, &w) };
}

cdn_status cdn_contact_pair_shapes(const cdn_system *system, cdn_contact_pair pair, cdn_shape *a, cdn_shape *b) {
  CDNI_NEED_OBJECT(system, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(a, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(b, CDN_ERR_ARG);
  const named_pair *p = cdni_pair_at(cdni_contact(system), pair);
  *a = (cdn_shape){ p ? p->a : -1 };
  *b = (cdn_shape){ p ? p->b : -1 };
  if (p) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, "cdn_contact_pair_shapes", "there is no pair %d in this System", (int)pair.i);
}

cdn_status cdni_contact_set_pair_numbers(cdn_state *state, const char *function, int i,
                                         const double numbers[MATERIAL_NUMBERS]) {
  const contact_room *room = cdni_contact(cdn_state_system(state));
  const char *name = CDNI_AT(room->pairs, named_pair, i).name, *wrong = cdni_contact_check_numbers(numbers, true);
  cdn_status status = CDN_ERR_ARG;
  for (int k = 0; k < MATERIAL_NUMBERS; k++)
    if (!isfinite(numbers[k])) status = CDN_ERR_NONFINITE;
  if (wrong)
    return cdni_state_fail(state, status, false, function, name,
                           "pair '%s': %s (-1: as the materials of the shapes combine); nothing was changed", name,
                           wrong);
  return cdn_state_set_parameters(state, room->pair_numbers, MATERIAL_NUMBERS * i, MATERIAL_NUMBERS, numbers);
}

cdn_status cdn_contact_pair_set_material(cdn_state *state, cdn_contact_pair pair,
                                         const cdn_contact_material *material) {
  CDNI_NEED(state, material);
  if (!cdni_pair_at(cdni_contact(cdn_state_system(state)), pair))
    return cdni_state_lacks(state, __func__, "pair", (int)pair.i);
  cdn_contact_material m;
  const char *unreadable = cdni_contact_read_material_of_pair(&m, material);
  if (unreadable) return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL, "%s", unreadable);
  double numbers[MATERIAL_NUMBERS];
  cdni_contact_material_numbers(&m, numbers);
  return cdni_contact_set_pair_numbers(state, __func__, pair.i, numbers);
}
