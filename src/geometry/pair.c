/* Two geometries: which function knows the distance of which kinds. */
#include "geometry/convex/convex.h"

static bool none(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b, const cdn_transform *X_WB,
                 double reach, cdn_proximity *out) {
  (void)a, (void)X_WA, (void)b, (void)X_WB, (void)reach, (void)out;
  return false;
}

/* A mesh, a height field or a distance of the user's stands first for the functions that know them. */
static bool surface_second(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                           const cdn_transform *X_WB, double reach, cdn_proximity *out) {
  cdn_proximity turned;
  if (!cdni_surface_distance(b, X_WB, a, X_WA, reach, &turned)) return false;
  *out = (cdn_proximity){ turned.distance, g_neg(turned.normal), turned.point_b,
                          turned.point_a,  turned.feature_b,     turned.feature_a };
  return true;
}

/* Closed forms, of kinds in ascending order. */
static pair_distance *const closed_forms[CDN_GEOMETRY_KIND_COUNT][CDN_GEOMETRY_KIND_COUNT] = {
  [CDN_GEOMETRY_CAPSULE] = { [CDN_GEOMETRY_CAPSULE] = cdni_capsules_distance,
                             [CDN_GEOMETRY_BOX] = cdni_capsule_box_distance },
  [CDN_GEOMETRY_BOX] = { [CDN_GEOMETRY_BOX] = cdni_boxes_distance, [CDN_GEOMETRY_CONVEX] = cdni_box_hull_distance },
};

/* For any two kinds that have a distance: by what they are. A kind without closed forms needs nothing here. */
static pair_distance *function_of(const cdn_geometry *a, const cdn_geometry *b) {
  pair_distance *closed = closed_forms[a->kind][b->kind];
  if (closed) return closed;
  const bool a_is_convex = geometry_is_convex(a), b_is_convex = geometry_is_convex(b);
  if (!a_is_convex && !b_is_convex)
    return a->kind == CDN_GEOMETRY_MESH && b->kind == CDN_GEOMETRY_MESH ? cdni_surface_distance : none;
  if (!b_is_convex) return surface_second;
  if (!a_is_convex) return cdni_surface_distance;
  if (a->kind == CDN_GEOMETRY_SPHERE) return cdni_sphere_distance;
  if (a->kind != CDN_GEOMETRY_HALF_SPACE) return cdni_convex_distance;
  return b->kind == CDN_GEOMETRY_HALF_SPACE ? none : cdni_half_space_distance;
}

/* Whether a pair stands in the other order: first by kind, then by what the geometries and their poses are, so that
 * both orders compute the same numbers. */
static int compare(const double *x, const double *y, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

static int compare_surfaces(const cdn_surface *s, const cdn_surface *t) {
  if (s == t) return 0;
  if (s->info.n_vertices != t->info.n_vertices) return s->info.n_vertices < t->info.n_vertices ? -1 : 1;
  if (s->info.n_triangles != t->info.n_triangles) return s->info.n_triangles < t->info.n_triangles ? -1 : 1;
  if (s->radius != t->radius) return s->radius < t->radius ? -1 : 1;
  return compare(&s->center.x, &t->center.x, 3);
}

static bool stands_otherwise(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                             const cdn_transform *X_WB) {
  if (a->kind != b->kind) return a->kind > b->kind;
  int order = compare(a->size, b->size, kind_of(a)->n_sizes);
  if (order == 0 && kind_of(a)->has_surface) order = compare_surfaces(a->surface, b->surface);
  if (order == 0) order = compare(&X_WA->p.x, &X_WB->p.x, 3);
  if (order == 0) order = compare(&X_WA->R.x.x, &X_WB->R.x.x, 9);
  if (order == 0 && a->kind == CDN_GEOMETRY_CONVEX)
    order = compare(a->surface->vertices, b->surface->vertices, 3 * a->surface->info.n_vertices);
  return order > 0;
}

bool cdni_pair_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                        const cdn_transform *X_WB, double reach, cdn_proximity *out) {
  if (!stands_otherwise(a, X_WA, b, X_WB)) return function_of(a, b)(a, X_WA, b, X_WB, reach, out);
  cdn_proximity turned;
  if (!function_of(b, a)(b, X_WB, a, X_WA, reach, &turned)) return false;
  *out = (cdn_proximity){ turned.distance, g_neg(turned.normal), turned.point_b,
                          turned.point_a,  turned.feature_b,     turned.feature_a };
  return true;
}

bool cdn_geometry_pair_is_supported(cdn_geometry_kind a, cdn_geometry_kind b) {
  if ((unsigned)a >= CDN_GEOMETRY_KIND_COUNT || (unsigned)b >= CDN_GEOMETRY_KIND_COUNT) return false;
  if (a == CDN_GEOMETRY_HALF_SPACE && b == CDN_GEOMETRY_HALF_SPACE) return false;
  return cdni_geometry_kinds[a]->support || cdni_geometry_kinds[b]->support || a == CDN_GEOMETRY_HALF_SPACE ||
         b == CDN_GEOMETRY_HALF_SPACE || (a == CDN_GEOMETRY_MESH && b == CDN_GEOMETRY_MESH);
}

/* Kinds and functions of the user's: a distance, without a support function, meets convex geometries only. */
bool cdni_pair_is_supported(const cdn_geometry *a, const cdn_geometry *b) {
  if (!cdn_geometry_pair_is_supported(a->kind, b->kind)) return false;
  const bool any_custom = a->kind == CDN_GEOMETRY_CUSTOM || b->kind == CDN_GEOMETRY_CUSTOM;
  return !any_custom || geometry_is_convex(a) || geometry_is_convex(b);
}

cdn_status cdni_check_pair(const char *function, const cdn_geometry *a, const cdn_transform *X_WA,
                           const cdn_geometry *b, const cdn_transform *X_WB, const void *out) {
  if (!a || !X_WA) return cdni_misses(function, a ? "X_WA" : "a");
  if (!b || !X_WB) return cdni_misses(function, b ? "X_WB" : "b");
  if (!out) return cdni_misses(function, "out");
  CDNI_TRY(cdn_geometry_check(a));
  CDNI_TRY(cdn_geometry_check(b));
  if (!cdni_pair_is_supported(a, b))
    return cdni_refuse(
        CDN_ERR_UNSUPPORTED, function,
        "the library has no distance of these two kinds (%d and %d); use a convex geometry for one of them",
        (int)a->kind, (int)b->kind);
  if (!cdni_all_finite(&X_WA->R.x.x, 12, NULL) || !cdni_all_finite(&X_WB->R.x.x, 12, NULL))
    return cdni_refuse(CDN_ERR_ARG, function, "pose %s has a number that is not finite; set it first",
                       cdni_all_finite(&X_WA->R.x.x, 12, NULL) ? "X_WB" : "X_WA");
  return CDN_OK;
}

cdn_status cdn_geometry_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                                 const cdn_transform *X_WB, cdn_proximity *out) {
  CDNI_TRY(cdni_check_pair(__func__, a, X_WA, b, X_WB, out));
  if (!cdni_pair_distance(a, X_WA, b, X_WB, INFINITY, out))
    return cdni_refuse(CDN_ERR_UNSUPPORTED, __func__, "the distance has no end: one of the geometries is nowhere");
  return CDN_OK;
}
