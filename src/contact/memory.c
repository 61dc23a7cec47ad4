/* What friction remembers: a bounded pool of slots, each with the displacement of one patch.
 *
 * A patch is what friction sees as one: a touch of Hertz's law, or all touches of a pair that has many (polygons,
 * springs). Each slot has four or seven z, in micrometres: displacements are so small that differences need small
 * steps. An auto-update variable has the owners: for each slot the patch that it belongs to, and the offset z0; the
 * displacement is z - z0. A free slot has z0 = z, and zdot is 0. So nothing ever sets z, and a rejected attempt leaves
 * no trace.
 *
 * A patch that begins takes a free slot at once, in the middle of a step: first the one that its names are hashed to,
 * then the next free one. The step that is accepted with it makes it the owner. If there is no free slot, the patch has
 * the friction of the slip speed. */
#include "contact/laws.h"
#include "contact/materials.h"
#include "contact/memory.h"
#include "contact/sources.h"
#include "contact/motion.h"
#include "contact/pairs.h"
#include "contact/room.h"
#include "contact/touch.h"

enum { LARGEST_POOL = 1 << 20, PATCHES_A_SHAPE = 4 };

/* ---- the table of owners: a State's bytes ---- */

typedef struct owner {
  int32_t a, b, feature, used;
  double z0[SLOT_MOST_NUMBERS];
} owner;

/* `order`: the slots in use, in ascending order of their owners. */
typedef struct table {
  int64_t *used;
  owner *owners;
  int32_t *order;
} table;

/* The first number is 0 for good. */
static size_t table_size(int slots) {
  return 2 * sizeof(int64_t) + (size_t)slots * sizeof(owner) + ((size_t)slots + 1) / 2 * sizeof(int64_t);
}

static table table_at(const contact_room *room, const void *bytes) {
  char *begin = (char *)bytes;
  owner *owners = (owner *)(begin + 2 * sizeof(int64_t));
  return (table){ (int64_t *)(begin + sizeof(int64_t)), owners, (int32_t *)(owners + room->slots) };
}

static const void *table_of(const contact_room *room, cdn_state *state) {
  return cdn_state_discrete(state, room->owners.variable);
}

/* ---- the size of the pool ---- */

static int features_of(const contact_room *room, int i, int j) {
  const contact_law *law = law_between(room, i, j);
  return law ? law->features : 1;
}

/* Patches that can exist at once, if there are at most so many. */
static int count_patches(const contact_room *room, int most) {
  const int n = (int)room->shapes.count;
  int found = 0;
  for (int i = 0; i < n && found < most; i++)
    for (int j = i + 1; j < n && found < most; j++)
      if (contact_model_of(room, i, j) == CDN_CONTACT_COMPLIANT && cdni_contact_accepts(room, i, j))
        found += features_of(room, i, j);
  return found < most ? found : most;
}

static int pool_size(const contact_room *room) {
  int moving = 0;
  for (size_t i = 0; i < room->shapes.count; i++) moving += room->group[shape_body(room, (int)i)] != 0;
  const int wanted = room->def.memory_slots < LARGEST_POOL ? room->def.memory_slots : LARGEST_POOL;
  const int most = moving < LARGEST_POOL / PATCHES_A_SHAPE ? PATCHES_A_SHAPE * moving : LARGEST_POOL;
  return count_patches(room, wanted > 0 ? wanted : most);
}

/* ---- patches of a State ---- */

typedef struct key {
  int32_t a, b, feature;
} key;

static int compare(const key *x, int32_t a, int32_t b, int32_t feature) {
  if (x->a != a) return x->a < a ? -1 : 1;
  if (x->b != b) return x->b < b ? -1 : 1;
  return (x->feature > feature) - (x->feature < feature);
}

/* A touch of Hertz's law is a patch of its own. */
static key key_of(const contact_room *room, const touch *t) {
  const bool alone = t->radius[0] > 0 || cdni_contact_is_of_source(room, t->feature);
  return (key){ t->a, t->b, alone ? t->feature : -1 };
}

static int owned_slot(const table *t, const key *k) {
  int64_t low = 0, high = *t->used;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    const owner *o = &t->owners[t->order[middle]];
    const int c = compare(k, o->a, o->b, o->feature);
    if (c == 0) return t->order[middle];
    if (c < 0) high = middle;
    else low = middle + 1;
  }
  return -1;
}

static uint32_t hash(const key *k) {
  uint32_t h = 2166136261u;
  const uint32_t words[] = { (uint32_t)k->a, (uint32_t)k->b, (uint32_t)k->feature };
  for (int i = 0; i < 3; i++) h = (h ^ words[i]) * 16777619u, h ^= h >> 15;
  return h;
}

/* The first slot from the hashed one on that nobody has. */
static int free_slot(const contact_room *room, const table *t, const key *k, bool *taken) {
  const int first = (int)(hash(k) % (uint32_t)room->slots);
  for (int i = 0; i < room->slots; i++) {
    const int slot = (first + i) % room->slots;
    if (t->owners[slot].used || taken[slot]) continue;
    taken[slot] = true;
    return slot;
  }
  return -1;
}

static cdn_status find_patches(const void *self, cdn_state *state, cdn_region_output *out) {
  const contact_room *room = contact_of(self);
  const void *elements;
  void *place;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->touches, &elements, &n));
  const touch *touches = elements;
  const table t = table_at(room, table_of(room, state));
  bool *taken = cdn_work_push(state, (size_t)room->slots + 1);
  if (!taken) return CDN_ERR_NOMEM;
  memset(taken, 0, (size_t)room->slots);
  int64_t free = room->slots - *t.used;
  cdn_status status = CDN_OK;
  for (int i = 0, end; i < n && status == CDN_OK; i = end) {
    const key k = key_of(room, &touches[i]);
    end = i + 1;
    if (touches[i].model != CDN_CONTACT_COMPLIANT) continue;
    for (end = i + 1; end < n; end++) {
      const key next = key_of(room, &touches[end]);
      if (compare(&k, next.a, next.b, next.feature) != 0) break;
    }
    status = cdn_region_output_add(out, 1, &place);
    if (status != CDN_OK) break;
    patch *p = place;
    *p = (patch){ .first = i, .count = end - i, .slot = owned_slot(&t, &k) };
    if (p->slot < 0 && free > 0) p->slot = free_slot(room, &t, &k, taken), free--;
  }
  cdn_work_pop(state, taken);
  return status;
}

/* ---- the owners after a step ---- */

/* Puts a slot among those in order. Patches come nearly in order. */
static void insert(table *t, int slot) {
  const owner *o = &t->owners[slot];
  const key k = { o->a, o->b, o->feature };
  int64_t at = (*t->used)++;
  for (; at > 0; at--) {
    const owner *before = &t->owners[t->order[at - 1]];
    if (compare(&k, before->a, before->b, before->feature) >= 0) break;
    t->order[at] = t->order[at - 1];
  }
  t->order[at] = slot;
}

static cdn_status calc_owners(const void *self, cdn_state *state, void *out) {
  const contact_room *room = contact_of(self);
  const void *elements;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->patches, &elements, &n));
  const patch *patches = elements;
  const touch *touches = cdni_region_elements(state, room->touches);
  const double *z = cdn_state_zvar(state, room->displacements);
  memcpy(out, table_of(room, state), table_size(room->slots));
  table t = table_at(room, out);
  *t.used = 0;
  memset(t.order, 0, table_size(room->slots) - (size_t)((char *)t.order - (char *)out));
  for (int s = 0; s < room->slots; s++) t.owners[s].used = 0;
  for (int i = 0; i < n; i++) {
    if (patches[i].slot < 0) continue;
    const key k = key_of(room, &touches[patches[i].first]);
    owner *o = &t.owners[patches[i].slot];
    o->a = k.a, o->b = k.b, o->feature = k.feature, o->used = 1;
    insert(&t, patches[i].slot);
  }
  for (int s = 0; s < room->slots; s++) {
    owner *o = &t.owners[s];
    if (o->used) continue;
    *o = (owner){ 0 };
    memcpy(o->z0, z + room->slot_numbers * s, (size_t)room->slot_numbers * sizeof *z);
  }
  return CDN_OK;
}

void cdni_contact_displacement(const contact_room *room, cdn_state *state, int slot, double x[SLOT_MOST_NUMBERS]) {
  const owner *o = &table_at(room, table_of(room, state)).owners[slot];
  const double *z = cdn_state_zvar(state, room->displacements) + room->slot_numbers * slot;
  for (int i = 0; i < SLOT_MOST_NUMBERS; i++) x[i] = i < room->slot_numbers ? SLOT_UNIT * (z[i] - o->z0[i]) : 0;
}

cdn_status cdni_contact_patches(const contact_room *room, cdn_state *state, const patch **patches, int *n) {
  const void *elements;
  CDNI_TRY(cdn_region_eval(state, room->patches, &elements, n));
  *patches = elements;
  return CDN_OK;
}

cdn_status cdni_contact_mark_patches(const contact_room *room, cdn_state *state, int n, bool *of_patch) {
  const patch *patches;
  int count;
  memset(of_patch, 0, (size_t)n);
  if (room->slots == 0) return CDN_OK;
  CDNI_TRY(cdni_contact_patches(room, state, &patches, &count));
  for (int k = 0; k < count; k++)
    if (patches[k].slot >= 0) memset(of_patch + patches[k].first, true, (size_t)patches[k].count);
  return CDN_OK;
}

/* ---- declaring ---- */

/* An error of a displacement is an error of a force: a millimetre counts as much as a metre elsewhere. */
static void declare_scale(const contact_room *room, cdn_declarer *d) {
  const cdn_allocator *memory = cdni_system_allocator(cdni_declarer_system(d));
  const size_t n = (size_t)(room->slot_numbers * room->slots);
  double *scale = cdni_alloc(memory, n * sizeof *scale);
  if (!scale) {
    cdn_declare_error(d, CDN_ERR_NOMEM, "out of memory");
    return;
  }
  for (size_t i = 0; i < n; i++) scale[i] = 1e-3 / SLOT_UNIT;
  cdn_declare_z_scale(d, room->displacements, scale);
  cdni_free(memory, scale, n * sizeof *scale);
}

void cdni_contact_declare_memory(contact_room *room, cdn_declarer *d) {
  if (room->def.friction == CDN_FRICTION_STICKING && cdni_contact_any_compliant(room)) room->slots = pool_size(room);
  if (room->slots == 0) return;
  room->slot_numbers = cdni_contact_any_turning(room, MATERIAL_ROLLING) ? SLOT_MOST_NUMBERS : SLOT_NUMBERS;
  room->displacements = cdn_declare_z(d, room->slot_numbers * room->slots, NULL);
  declare_scale(room, d);
  /* the entries are declared around the variable that they read and update */
  const cdn_ticket update[] = { CDN_Z, room->touches.ticket };
  room->owners = cdn_declare_auto_update(d, "friction_memory", table_size(room->slots), NULL, calc_owners, 2, update);
  const cdn_ticket reads[] = { room->touches.ticket, room->owners.variable.ticket };
  room->patches = cdn_declare_computed_region(d, "patches", sizeof(patch), find_patches, 2, reads, CDN_STAGE_EMPTY);
  cdni_declare_prerequisite(d, room->owners.update, room->patches.ticket);
}

/* ---- asking ---- */

cdn_status cdn_contact_forget(cdn_state *state) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const contact_room *room = cdni_contact(cdn_state_system(state));
  CDNI_TRY(cdni_state_check_free(state, __func__, "the memory of friction"));
  if (!room || !room->matter || room->slots == 0) return CDN_OK;
  const double *z = cdn_state_zvar(state, room->displacements);
  void *bytes = cdni_state_update_discrete(state, room->owners.variable);
  const table t = table_at(room, bytes);
  memset(bytes, 0, table_size(room->slots));
  for (int s = 0; s < room->slots; s++)
    memcpy(t.owners[s].z0, z + room->slot_numbers * s, (size_t)room->slot_numbers * sizeof *z);
  return CDN_OK;
}

int cdni_contact_memory_variable(const cdn_system *system, cdn_dvar *variable) {
  const contact_room *room = cdni_contact(system);
  if (!room || room->slots == 0) return 0;
  *variable = room->owners.variable;
  return (int)(table_size(room->slots) / sizeof(double));
}

/* ---- where time stands still ---- */

int cdni_contact_memory_z(const cdn_state *state, int *first) {
  const contact_room *room = cdni_contact(cdn_state_system(state));
  if (!room || room->slots == 0) return 0;
  *first = (int)(cdn_state_zvar(state, room->displacements) - cdn_state_z(state));
  return room->slots * room->slot_numbers;
}

/* All z of the memory, after all that slides has slid. */
static cdn_status relaxed(const contact_room *room, cdn_state *state, double *z) {
  const patch *patches;
  const void *elements;
  int n, n_touches;
  CDNI_TRY(cdni_contact_patches(room, state, &patches, &n));
  CDNI_TRY(cdn_region_eval(state, room->forces, &elements, &n_touches));
  const touch *touches = cdni_region_elements(state, room->touches);
  const double transition = *cdn_state_parameters(state, room->transition);
  const table t = table_at(room, table_of(room, state));
  motion_view v;
  CDNI_TRY(cdni_motion_view(room, state, &v));
  memcpy(z, cdn_state_zvar(state, room->displacements), (size_t)(room->slots * room->slot_numbers) * sizeof *z);
  for (int i = 0; i < n; i++) {
    const int slot = patches[i].slot;
    double x[SLOT_MOST_NUMBERS] = { 0 };
    if (slot < 0) continue;
    cdni_contact_relax_patch(&v, state, &patches[i], &touches[patches[i].first],
                             (const touch_force *)elements + patches[i].first, transition, x);
    for (int k = 0; k < room->slot_numbers; k++)
      z[room->slot_numbers * slot + k] = t.owners[slot].z0[k] + x[k] / SLOT_UNIT;
  }
  return CDN_OK;
}

cdn_status cdni_contact_hold(cdn_state *state) {
  const contact_room *room = cdni_contact(cdn_state_system(state));
  if (!room || room->slots == 0) return CDN_OK;
  const size_t size = table_size(room->slots), n = (size_t)(room->slots * room->slot_numbers);
  CDNI_TRY(cdn_realize(state, CDN_STAGE_VELOCITY));
  double *z = cdn_work_push(state, n * sizeof *z + size);
  if (!z) return CDN_ERR_NOMEM;
  cdn_status status = relaxed(room, state, z);
  if (status == CDN_OK) status = calc_owners(&room, state, z + n);
  if (status == CDN_OK) status = cdn_state_set_zvar(state, room->displacements, z);
  if (status == CDN_OK) memcpy(cdni_state_update_discrete(state, room->owners.variable), z + n, size);
  cdn_work_pop(state, z);
  return status;
}

cdn_status cdni_contact_copy_memory(cdn_state *to, cdn_state *from) {
  const contact_room *room = cdni_contact(cdn_state_system(from));
  if (!room || room->slots == 0) return CDN_OK;
  CDNI_TRY(cdn_state_set_zvar(to, room->displacements, cdn_state_zvar(from, room->displacements)));
  memcpy(cdni_state_update_discrete(to, room->owners.variable), table_of(room, from), table_size(room->slots));
  return CDN_OK;
}

cdn_status cdni_contact_without_memory(cdn_state *state, int *n, cdn_shape *a, cdn_shape *b) {
  const contact_room *room = cdni_contact(cdn_state_system(state));
  const patch *patches;
  const void *touches;
  int count, n_touches;
  *n = 0;
  if (!room || !room->matter || room->slots == 0) return CDN_OK;
  CDNI_TRY(cdni_contact_patches(room, state, &patches, &count));
  CDNI_TRY(cdn_region_eval(state, room->touches, &touches, &n_touches));
  for (int i = 0; i < count; i++) {
    const touch *t = (const touch *)touches + patches[i].first;
    if (patches[i].slot >= 0 || (*n)++ > 0) continue;
    a->i = t->a, b->i = t->b;
  }
  return CDN_OK;
}

cdn_status cdn_contact_memory(cdn_state *state, int *slots, int *used, int *without) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const contact_room *room = cdni_contact(cdn_state_system(state));
  int n = 0, with = 0, forgotten = 0;
  const patch *patches = NULL;
  const int size = room && room->matter ? room->slots : 0;
  if (size > 0) CDNI_TRY(cdni_contact_patches(room, state, &patches, &n));
  for (int i = 0; i < n; i++)
    if (patches[i].slot >= 0) with++;
    else forgotten++;
  if (slots) *slots = size;
  if (used) *used = with;
  if (without) *without = forgotten;
  return CDN_OK;
}
