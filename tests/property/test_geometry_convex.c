/* Distances of convex geometries: every pair of kinds at random poses, apart, shallow and deep, against a search over all directions
 * that shares nothing with the library. */
#include "../testing.h"
#include "geometry_reference.h"

static const cdn_geometry_kind kinds[] = { CDN_GEOMETRY_SPHERE,    CDN_GEOMETRY_HALF_SPACE, CDN_GEOMETRY_CAPSULE,
                                           CDN_GEOMETRY_ELLIPSOID, CDN_GEOMETRY_CYLINDER,   CDN_GEOMETRY_BOX,
                                           CDN_GEOMETRY_CONVEX,    CDN_GEOMETRY_CUSTOM };
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Calls of cdn_geometry_distance whose answer must be right: `size` is a length of the geometries. */
static void check_pair(const sample_geometry *a, const cdn_transform *X_WA, const sample_geometry *b,
                       const cdn_transform *X_WB, double size, bool search) {
  const char *what = "";
  cdn_proximity near;
  OK(cdn_geometry_distance(&a->geometry, X_WA, &b->geometry, X_WB, &near));
  const double limit = 1e-8 * size;
  NEAR(cdn_norm(near.normal), 1, 1e-14);
  /* The points are on the geometries, and the normal joins them. */
  const cdn_vec3 joined = cdn_sub(cdn_sub(near.point_b, near.point_a), cdn_scale(near.distance, near.normal));
  AT_MOST(cdn_norm(joined), limit);
  AT_MOST(reference_outside(a, X_WA, near.point_a), limit);
  AT_MOST(reference_outside(b, X_WB, near.point_b), limit);
  /* Along the normal they are as far apart, or as deep, as it says. Apart, this proves that the answer is right: the plane
   * across the normal parts the two by the distance of the two points. */
  double gap;
  if (b->geometry.kind == CDN_GEOMETRY_HALF_SPACE) gap = reference_gap(b, X_WB, a, X_WA, cdn_scale(-1, near.normal));
  else gap = reference_gap(a, X_WA, b, X_WB, near.normal);
  NEAR(gap, near.distance, limit);
  /* Deep, no direction that the search finds is better. */
  if (search) {
    const double found = reference_distance(a, X_WA, b, X_WB);
    ck_assert_msg(found <= near.distance + limit,
                  "%skinds %d and %d: distance %.17g, the search finds %.17g: differ by %g", what,
                  (int)a->geometry.kind, (int)b->geometry.kind, near.distance, found, near.distance - found);
  }
}

START_TEST(all_pairs) {
  const int poses = 40;
  for (int i = 0; i < KINDS; i++) {
    for (int j = 0; j < KINDS; j++) {
      if (kinds[i] == CDN_GEOMETRY_HALF_SPACE && kinds[j] == CDN_GEOMETRY_HALF_SPACE) continue;
      for (int pose = 0; pose < poses; pose++) {
        sample_geometry a, b;
        sample_make(kinds[i], 1, &a);
        sample_make(kinds[j], sample_number(0.2, 1), &b);
        const double reach = sample_radius(&a) + sample_radius(&b);
        const cdn_transform X_WA = { sample_rotation(), cdn_scale(3, sample_direction()) };
        const cdn_transform X_WB = { sample_rotation(),
                                     cdn_add(X_WA.p, cdn_scale(sample_number(0, 1.2) * reach, sample_direction())) };
        check_pair(&a, &X_WA, &b, &X_WB, 1, true);
        sample_free(&a), sample_free(&b);
      }
    }
  }
}
END_TEST

CHECK_MAIN("geometry_convex", all_pairs)
