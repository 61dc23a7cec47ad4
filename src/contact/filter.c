/* Who may touch whom: bodies of one piece never do, nor do, usually, a body and its parent. */
#include <stdlib.h>

#include "contact/internal.h"

static int compare_pairs(const void *x, const void *y) {
  const body_pair *a = x, *b = y;
  return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

cdn_status cdni_contact_find_groups(cdn_system *system, contact_room *room) {
  if (room->shapes.count == 0) return CDN_OK;
  room->matter = cdni_matter(system);
  if (!room->matter) return CDN_OK; /* nothing moves */
  const int n = cdn_system_body_count(system);
  int32_t *group = cdni_alloc(cdni_system_allocator(system), 2 * (size_t)n * sizeof *group), *parent = group + n;
  if (!group)
    return cdni_system_fail(system, CDN_ERR_NOMEM, "cdn_system_freeze", NULL, "out of memory for groups of bodies");
  group[0] = parent[0] = 0;
  for (int b = 1; b < n; b++) {
    const int p = cdn_body_parent(system, (cdn_body){ b }).i;
    const bool welded = cdn_body_mobilizer(system, (cdn_body){ b }) == CDN_WELD;
    group[b] = welded ? group[p] : b;
    parent[b] = welded ? parent[p] : group[p];
  }
  room->group = group, room->parent = parent, room->n_bodies = n;
  if (!room->has_def) room->def = cdn_default_contact_def();
  if (room->excluded.count > 1) qsort(room->excluded.data, room->excluded.count, sizeof(body_pair), compare_pairs);
  return cdni_contact_list_pairs(system, room);
}

static bool bodies_may_touch(const contact_room *room, int a, int b) {
  const int i = room->group[a], j = room->group[b];
  if (i == j) return false;
  if (!room->def.parent_child && ((room->parent[i] == j && j != 0) || (room->parent[j] == i && i != 0))) return false;
  const body_pair pair = { a < b ? a : b, a < b ? b : a };
  return room->excluded.count == 0 ||
         !bsearch(&pair, room->excluded.data, room->excluded.count, sizeof pair, compare_pairs);
}

bool cdni_contact_accepts(const contact_room *room, int i, int j) {
  const shape *a = &CDNI_AT(room->shapes, shape, i), *b = &CDNI_AT(room->shapes, shape, j);
  return ((a->type & b->affinity) | (b->type & a->affinity)) != 0 && bodies_may_touch(room, a->body, b->body);
}

bool cdn_shapes_may_touch(const cdn_system *system, cdn_shape a, cdn_shape b) {
  CDNI_NEED_OBJECT(system, false);
  const contact_room *room = cdni_contact(system);
  return cdn_system_is_frozen(system) && cdni_shape_at(room, a) && cdni_shape_at(room, b) && a.i != b.i &&
         cdni_contact_accepts(room, a.i, b.i);
}
