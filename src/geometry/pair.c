/* Two geometries: which function knows the distance of which kinds. */
#include "geometry/convex/convex.h"

/* The kinds of a pair are in ascending order when they get here. */
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

static bool with_custom(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                        const cdn_transform *X_WB, double reach, cdn_proximity *out) {
  if (!geometry_is_convex(b)) {
    if (a->kind == CDN_GEOMETRY_CUSTOM && !geometry_is_convex(a)) return false;
    return surface_second(a, X_WA, b, X_WB, reach, out);
  }
  if (a->kind == CDN_GEOMETRY_HALF_SPACE) return cdni_half_space_distance(a, X_WA, b, X_WB, reach, out);
  if (!geometry_is_convex(a)) return cdni_surface_distance(a, X_WA, b, X_WB, reach, out);
  return cdni_convex_distance(a, X_WA, b, X_WB, reach, out);
}

#define SPHERE cdni_sphere_distance
#define HALF_SPACE cdni_half_space_distance
#define CAPSULES cdni_capsules_distance
#define CAPSULE_BOX cdni_capsule_box_distance
#define BOXES cdni_boxes_distance
#define CONVEX cdni_convex_distance
#define SURFACE surface_second
#define FACES cdni_surface_distance
#define CUSTOM with_custom
/* One column a kind, in the order of cdn_geometry_kind: sphere, half-space, capsule, ellipsoid, cylinder, box, convex
 * hull, mesh, height field, custom. What stands below the diagonal is never read. */
#define ROW(sphere, half_space, capsule, ellipsoid, cylinder, box, convex, mesh, field, custom) \
  { sphere, half_space, capsule, ellipsoid, cylinder, box, convex, mesh, field, custom }
static pair_distance *const functions[][CDN_GEOMETRY_KIND_COUNT] = {
  ROW(SPHERE, SPHERE, SPHERE, SPHERE, SPHERE, SPHERE, SPHERE, SURFACE, SURFACE, CUSTOM),
  ROW(none, none, HALF_SPACE, HALF_SPACE, HALF_SPACE, HALF_SPACE, HALF_SPACE, SURFACE, SURFACE, CUSTOM),
  ROW(none, none, CAPSULES, CONVEX, CONVEX, CAPSULE_BOX, CONVEX, SURFACE, SURFACE, CUSTOM),
  ROW(none, none, none, CONVEX, CONVEX, CONVEX, CONVEX, SURFACE, SURFACE, CUSTOM),
  ROW(none, none, none, none, CONVEX, CONVEX, CONVEX, SURFACE, SURFACE, CUSTOM),
  ROW(none, none, none, none, none, BOXES, CONVEX, SURFACE, SURFACE, CUSTOM),
  ROW(none, none, none, none, none, none, CONVEX, SURFACE, SURFACE, CUSTOM),
  ROW(none, none, none, none, none, none, none, FACES, none, CUSTOM),
  ROW(none, none, none, none, none, none, none, none, none, CUSTOM),
  ROW(none, none, none, none, none, none, none, none, none, CUSTOM),
};
_Static_assert(CDNI_COUNT(functions) == CDN_GEOMETRY_KIND_COUNT, "every kind of geometry has a row");
_Static_assert(CDN_GEOMETRY_KIND_COUNT == 10, "every kind of geometry has a column of ROW");
#undef ROW

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
  int order = compare(a->size, b->size, cdni_geometry_size_count(a->kind));
  if (order == 0 && a->kind >= CDN_GEOMETRY_CONVEX) order = compare_surfaces(a->surface, b->surface);
  if (order == 0) order = compare(&X_WA->p.x, &X_WB->p.x, 3);
  if (order == 0) order = compare(&X_WA->R.x.x, &X_WB->R.x.x, 9);
  if (order == 0 && a->kind == CDN_GEOMETRY_CONVEX)
    order = compare(a->surface->vertices, b->surface->vertices, 3 * a->surface->info.n_vertices);
  return order > 0;
}

bool cdni_pair_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                        const cdn_transform *X_WB, double reach, cdn_proximity *out) {
  if (!stands_otherwise(a, X_WA, b, X_WB)) return functions[a->kind][b->kind](a, X_WA, b, X_WB, reach, out);
  cdn_proximity turned;
  if (!functions[b->kind][a->kind](b, X_WB, a, X_WA, reach, &turned)) return false;
  *out = (cdn_proximity){ turned.distance, g_neg(turned.normal), turned.point_b,
                          turned.point_a,  turned.feature_b,     turned.feature_a };
  return true;
}

bool cdn_geometry_pair_is_supported(cdn_geometry_kind a, cdn_geometry_kind b) {
  if ((unsigned)a >= CDN_GEOMETRY_KIND_COUNT || (unsigned)b >= CDN_GEOMETRY_KIND_COUNT) return false;
  return functions[a < b ? a : b][a < b ? b : a] != none;
}

/* Kinds and functions of the user's: a distance, without a support function, meets convex geometries only. */
bool cdni_pair_is_supported(const cdn_geometry *a, const cdn_geometry *b) {
  if (!cdn_geometry_pair_is_supported(a->kind, b->kind)) return false;
  const bool a_is_custom = a->kind == CDN_GEOMETRY_CUSTOM, b_is_custom = b->kind == CDN_GEOMETRY_CUSTOM;
  if (!a_is_custom && !b_is_custom) return true;
  return geometry_is_convex(a) || geometry_is_convex(b);
}

cdn_status cdni_check_pair(const char *function, const cdn_geometry *a, const cdn_transform *X_WA,
                           const cdn_geometry *b, const cdn_transform *X_WB) {
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
  CDNI_NEED_OBJECT(a, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(X_WA, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(b, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(X_WB, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  CDNI_TRY(cdni_check_pair(__func__, a, X_WA, b, X_WB));
  if (!cdni_pair_distance(a, X_WA, b, X_WB, INFINITY, out))
    return cdni_refuse(CDN_ERR_UNSUPPORTED, __func__, "the distance has no end: one of the geometries is nowhere");
  return CDN_OK;
}
