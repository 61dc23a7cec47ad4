/* Distances of convex geometries: every pair of kinds at random poses, apart, shallow and deep, against a search over
 * all directions that shares nothing with the library. */
#include "../testing.h"
#include "geometry_reference.h"

static const cdn_geometry_kind kinds[] = { CDN_GEOMETRY_SPHERE,    CDN_GEOMETRY_HALF_SPACE, CDN_GEOMETRY_CAPSULE,
                                           CDN_GEOMETRY_ELLIPSOID, CDN_GEOMETRY_CYLINDER,   CDN_GEOMETRY_BOX,
                                           CDN_GEOMETRY_CONVEX,    CDN_GEOMETRY_CUSTOM };
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Calls of cdn_geometry_distance whose answer must be right: `size` is a length of the geometries. */
static void check_pair(const sample_geometry *a, const cdn_transform *X_WA, const sample_geometry *b,
                       const cdn_transform *X_WB, double size, bool search) {
  cdn_proximity near;
  OK(cdn_geometry_distance(&a->geometry, X_WA, &b->geometry, X_WB, &near));
  const double limit = 1e-8 * size;
  NEAR(cdn_norm(near.normal), 1, 1e-14);
  /* The points are on the geometries, and the normal joins them. */
  const cdn_vec3 joined = cdn_sub(cdn_sub(near.point_b, near.point_a), cdn_scale(near.distance, near.normal));
  AT_MOST(cdn_norm(joined), limit);
  AT_MOST(reference_outside(a, X_WA, near.point_a), limit);
  AT_MOST(reference_outside(b, X_WB, near.point_b), limit);
  /* Along the normal they are as far apart, or as deep, as it says. Apart, this proves that the answer is right: the
   * plane across the normal parts the two by the distance of the two points. */
  double gap;
  if (b->geometry.kind == CDN_GEOMETRY_HALF_SPACE) gap = reference_gap(b, X_WB, a, X_WA, cdn_scale(-1, near.normal));
  else gap = reference_gap(a, X_WA, b, X_WB, near.normal);
  NEAR(gap, near.distance, limit);
  /* Deep, no direction that the search finds is better. */
  if (search) {
    const double found = reference_distance(a, X_WA, b, X_WB);
    ck_assert_msg(found <= near.distance + limit,
                  "kinds %d and %d: distance %.17g, the search finds %.17g: differ by %g", (int)a->geometry.kind,
                  (int)b->geometry.kind, near.distance, found, near.distance - found);
  }
}

START_TEST(all_pairs) {
  const int poses = FEWER(40);
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

static void random_pair(cdn_geometry_kind i, cdn_geometry_kind j, double size, sample_geometry *a, cdn_transform *X_WA,
                        sample_geometry *b, cdn_transform *X_WB) {
  sample_make(i, size, a);
  sample_make(j, size * sample_number(0.2, 1), b);
  const double reach = sample_radius(a) + sample_radius(b);
  *X_WA = (cdn_transform){ sample_rotation(), cdn_scale(3 * size, sample_direction()) };
  *X_WB = (cdn_transform){ sample_rotation(),
                           cdn_add(X_WA->p, cdn_scale(sample_number(0, 1.1) * reach, sample_direction())) };
}

static bool same_bits(const void *x, const void *y, size_t size) { return memcmp(x, y, size) == 0; }

/* The other order gives the mirrored answer to the last bit; so does a second call. */
START_TEST(the_order_does_not_matter) {
  for (int i = 0; i < KINDS; i++) {
    for (int j = 0; j < KINDS; j++) {
      if (kinds[i] == CDN_GEOMETRY_HALF_SPACE && kinds[j] == CDN_GEOMETRY_HALF_SPACE) continue;
      for (int pose = 0; pose < FEWER(50); pose++) {
        sample_geometry a, b;
        cdn_transform X_WA, X_WB;
        random_pair(kinds[i], kinds[j], 1, &a, &X_WA, &b, &X_WB);
        /* Also of two equal ones. */
        const sample_geometry *second = i == j && pose % 2 ? &a : &b;
        cdn_proximity one, two, again;
        OK(cdn_geometry_distance(&a.geometry, &X_WA, &second->geometry, &X_WB, &one));
        OK(cdn_geometry_distance(&second->geometry, &X_WB, &a.geometry, &X_WA, &two));
        OK(cdn_geometry_distance(&a.geometry, &X_WA, &second->geometry, &X_WB, &again));
        ck_assert(same_bits(&one.distance, &again.distance, sizeof one.distance) &&
                  same_bits(&one.point_a, &again.point_a, sizeof one.point_a));
        ck_assert(same_bits(&one.distance, &two.distance, sizeof one.distance));
        ck_assert(same_bits(&one.point_a, &two.point_b, sizeof one.point_a) &&
                  same_bits(&one.point_b, &two.point_a, sizeof one.point_a));
        ck_assert(one.normal.x == -two.normal.x && one.normal.y == -two.normal.y && one.normal.z == -two.normal.z);
        sample_free(&a), sample_free(&b);
      }
    }
  }
}
END_TEST

/* Both moved together: the same answer, moved. Of a geometry that is known by its support function alone, steps find
 * the distance to some 1e-11, and so normal and points to the root of that. Larger or smaller, from 1e-6 m to 1e6 m:
 * the same answer, scaled. */
START_TEST(a_common_motion_and_a_scale_do_not_matter) {
  for (int i = 0; i < KINDS; i++) {
    for (int j = i; j < KINDS; j++) {
      if (kinds[i] == CDN_GEOMETRY_HALF_SPACE && kinds[j] == CDN_GEOMETRY_HALF_SPACE) continue;
      for (int pose = 0; pose < FEWER(30); pose++) {
        sample_geometry a, b;
        cdn_transform X_WA, X_WB;
        random_pair(kinds[i], kinds[j], 1, &a, &X_WA, &b, &X_WB);
        const cdn_transform X = { sample_rotation(), cdn_scale(5, sample_direction()) };
        const cdn_transform X_VA = cdn_transform_multiply(X, X_WA), X_VB = cdn_transform_multiply(X, X_WB);
        cdn_proximity here, there;
        OK(cdn_geometry_distance(&a.geometry, &X_WA, &b.geometry, &X_WB, &here));
        OK(cdn_geometry_distance(&a.geometry, &X_VA, &b.geometry, &X_VB, &there));
        const double turn = kinds[j] == CDN_GEOMETRY_CUSTOM ? 1e-5 : 1e-6;
        NEAR(here.distance, there.distance, 1e-9);
        NEAR(cdn_norm(cdn_sub(cdn_rotate(X.R, here.normal), there.normal)), 0, turn);
        NEAR(cdn_norm(cdn_sub(cdn_transform_point(X, here.point_a), there.point_a)), 0, turn);
        const bool scales = kinds[i] < CDN_GEOMETRY_CONVEX && kinds[j] < CDN_GEOMETRY_CONVEX;
        for (double scale = 1e-6; scale <= 1e6 && scales; scale *= 1e12) {
          cdn_geometry p = a.geometry, q = b.geometry;
          for (int k = 0; k < 3; k++) p.size[k] *= scale, q.size[k] *= scale;
          cdn_transform X_WP = X_WA, X_WQ = X_WB;
          X_WP.p = cdn_scale(scale, X_WP.p), X_WQ.p = cdn_scale(scale, X_WQ.p);
          OK(cdn_geometry_distance(&p, &X_WP, &q, &X_WQ, &there));
          NEAR(here.distance, there.distance / scale, 1e-9);
          NEAR(cdn_norm(cdn_sub(here.normal, there.normal)), 0, 1e-6);
        }
        sample_free(&a), sample_free(&b);
      }
    }
  }
}
END_TEST

/* Random pairs of every size and shape between 1e-6 m and 1e6 m: the answer is certified as in check_pair, at 1e-8 of
 * the larger size. */
START_TEST(extreme_shapes) {
  for (int i = 0; i < KINDS; i++) {
    for (int j = i; j < KINDS; j++) {
      if (kinds[i] >= CDN_GEOMETRY_CONVEX || kinds[j] >= CDN_GEOMETRY_CONVEX || kinds[j] == CDN_GEOMETRY_HALF_SPACE)
        continue;
      for (int pose = 0; pose < FEWER(200); pose++) {
        sample_geometry a = { .geometry = { .kind = kinds[i] } }, b = { .geometry = { .kind = kinds[j] } };
        for (int k = 0; k < 3; k++)
          a.geometry.size[k] = pow(10, sample_number(-6, 0)), b.geometry.size[k] = pow(10, sample_number(-6, 0));
        const double size = fmax(sample_radius(&a), sample_radius(&b));
        const cdn_transform X_WA = { sample_rotation(), sample_direction() };
        const cdn_transform X_WB = { sample_rotation(),
                                     cdn_add(X_WA.p, cdn_scale(sample_number(0, 1) * size, sample_direction())) };
        check_pair(&a, &X_WA, &b, &X_WB, size, false);
      }
    }
  }
}
END_TEST

/* Through poses: that of sanitizers has no factor in common with the numbers of axes, angles and shifts. */
#ifdef CDNI_SANITIZED
enum { STRIDE = 5 };
#else
enum { STRIDE = 1 };
#endif

/* Coincident centres, parallel faces, edges that meet exactly, touching: some answer, finite, and one that parts the
 * two. */
START_TEST(degenerate_poses) {
  const double angles[] = { 0, PI / 2, PI / 4, PI, 1e-9, 1e-5 };
  const double shifts[] = { 0, 0.5, 1, 2, 1e-9, 1e-300, 0.7071067811865476 };
  for (int i = 0; i < KINDS; i++) {
    for (int j = 0; j < KINDS; j++) {
      if (kinds[i] == CDN_GEOMETRY_HALF_SPACE && kinds[j] == CDN_GEOMETRY_HALF_SPACE) continue;
      sample_geometry a, b;
      sample_make(kinds[i], 1, &a), sample_make(kinds[j], 1, &b);
      for (int k = 0; k < 3; k++) {
        if (kinds[i] != CDN_GEOMETRY_CUSTOM) a.geometry.size[k] = 0.5;
        if (kinds[j] != CDN_GEOMETRY_CUSTOM) b.geometry.size[k] = 0.5;
      }
      for (int pose = 0; pose < 6 * 7 * 3 * 3; pose += STRIDE) {
        const cdn_vec3 axes[] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
        const cdn_transform X_WA = cdn_transform_identity();
        const cdn_transform X_WB = { cdn_rotation_axis_angle(axes[pose % 3], angles[pose / 3 % 6]),
                                     cdn_scale(shifts[pose / 18 % 7], axes[pose / 126]) };
        check_pair(&a, &X_WA, &b, &X_WB, 1, false);
      }
      sample_free(&a), sample_free(&b);
    }
  }
}
END_TEST

/* A local minimum of the depth with a better one near an edge's own direction, which a look at 24 directions does not
 * see. */
START_TEST(better_minima_between_directions) {
  const sample_geometry box = {
    .geometry = { .kind = CDN_GEOMETRY_BOX, .size = { 0.23297367872004868, 0.26080941786965017, 0.60485368194519851 } }
  };
  const sample_geometry cylinder = { .geometry = { .kind = CDN_GEOMETRY_CYLINDER,
                                                   .size = { 0.24700139840582838, 0.50660892166241245 } } };
  const cdn_transform X_WA = { { { -0.20447470357771402, -0.43938241338030393, -0.87471892080193747 },
                                 { -0.8573620679123124, -0.35081898651640331, 0.37663818606817789 },
                                 { -0.47235620044827381, 0.82696380423311366, -0.30497620626266386 } },
                               { 0, 0, 0 } };
  const cdn_transform X_WB = { { { 0.99932177182105975, 0.01604455022693637, 0.033144664313177571 },
                                 { -0.012644775567367447, 0.99487183097303711, -0.10035013496357513 },
                                 { -0.03458476565294058, 0.099862967832786517, 0.99439996059953617 } },
                               { -0.60145577557514118, 0.025490294813600302, 0.29433425550944242 } };
  check_pair(&box, &X_WA, &cylinder, &X_WB, 1, true);
  /* Ellipsoids that are nearly balls, in the middle of what they are in. */
  static const cdn_geometry_kind others[] = { CDN_GEOMETRY_BOX, CDN_GEOMETRY_CYLINDER, CDN_GEOMETRY_CONVEX };
  for (int i = 0; i < 150; i++) {
    sample_geometry a, b;
    sample_make(others[i % 3], 1, &a);
    sample_make(CDN_GEOMETRY_ELLIPSOID, 1, &b);
    for (int k = 0; k < 3; k++) b.geometry.size[k] = sample_number(0.85, 1);
    const cdn_transform X_WC = { sample_rotation(), cdn_v3(0, 0, 0) };
    const cdn_transform X_WD = { sample_rotation(), cdn_scale(sample_number(0, 0.02), sample_direction()) };
    check_pair(&a, &X_WC, &b, &X_WD, 2, true);
    sample_free(&a), sample_free(&b);
  }
}
END_TEST

CHECK_MAIN("geometry_convex", all_pairs, the_order_does_not_matter, a_common_motion_and_a_scale_do_not_matter,
           extreme_shapes, degenerate_poses, better_minima_between_directions)
