/* The table of the kinds of geometry. */
#include "geometry/kind.h"

#define ENTRY(NUMBER, entry) &cdni_kind_##entry,
const geometry_kind *const cdni_geometry_kinds[CDN_GEOMETRY_KIND_COUNT] = { CDNI_GEOMETRY_KINDS(ENTRY) };

/* A kind without an entry, or entries in another order than the kinds, do not compile. */
#define PLACE(NUMBER, entry) PLACE_OF_##NUMBER,
enum { CDNI_GEOMETRY_KINDS(PLACE) ENTRIES };
_Static_assert((int)ENTRIES == (int)CDN_GEOMETRY_KIND_COUNT,
               "every kind of geometry has a line of CDNI_GEOMETRY_KINDS");
#define IN_ORDER(NUMBER, entry) \
  _Static_assert((int)PLACE_OF_##NUMBER == (int)CDN_GEOMETRY_##NUMBER, "entries are in the order of the kinds");
CDNI_GEOMETRY_KINDS(IN_ORDER)

const char *cdni_geometry_kind_lacks(const geometry_kind *k) {
  if (!k->name) return "name";
  for (int i = 0; i < k->n_sizes; i++)
    if (!k->size[i].words || !k->size[i].parameter) return "size";
  if (k->is_convex && k->ball && !k->support) return "support";
  if (!k->is_convex && !k->ball) return "ball";
  if (!k->support && !k->reach) return "reach";
  if (!k->support && !k->point) return "point";
  if (!k->support && !k->ray) return "ray";
  if (k->contact == CONTACT_FACES && !k->faces) return "faces";
  if (k->contact == CONTACT_FACES && !k->depth) return "depth";
  if (k->contact == CONTACT_ROUND && !k->is_swept && !k->curvature && !k->support) return "curvature";
  return NULL;
}

const char *cdn_geometry_kind_name(cdn_geometry_kind kind) {
  return (int)kind >= 0 && (int)kind < CDN_GEOMETRY_KIND_COUNT ? cdni_geometry_kinds[kind]->name : "?";
}
