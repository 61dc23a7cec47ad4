/* Distances of convex geometries by brute force, for tests: support functions of our own in long double, and a search
 * over all directions. It shares nothing with the library. */
#ifndef CARDAN_TESTS_GEOMETRY_REFERENCE_H
#define CARDAN_TESTS_GEOMETRY_REFERENCE_H

#include <cardan/cardan.h>

/** A geometry with what made it. */
typedef struct sample_geometry {
  cdn_geometry geometry;
  int n_points;
  double points[3 * 64]; /**< of a hull */
} sample_geometry;

/** A random number in [low, high]; the sequence is the same in every run. */
double sample_number(double low, double high);
cdn_vec3 sample_direction(void);
cdn_rotation sample_rotation(void);
/** A random geometry of a convex kind, of sizes near `size`; the custom one is a box with round edges. */
void sample_make(cdn_geometry_kind kind, double size, sample_geometry *out);
void sample_free(sample_geometry *s);
/** The radius of a ball about the origin of S that contains it; 0 for a half-space. */
double sample_radius(const sample_geometry *s);

/** The largest n . x over the geometry, n of W. */
long double reference_support(const sample_geometry *s, const cdn_transform *X_WS, const long double n[3]);
/** How far p (W) is outside of the geometry, at least; <= 0: inside or on the surface. Of an ellipsoid, to first
 *  order. */
double reference_outside(const sample_geometry *s, const cdn_transform *X_WS, cdn_vec3 p);
/** The signed distance: the largest -h(n) over directions that a search finds. A half-space has one direction. */
double reference_distance(const sample_geometry *a, const cdn_transform *X_WA, const sample_geometry *b,
                          const cdn_transform *X_WB);
/** -h(n): how far the two are apart along n. */
double reference_gap(const sample_geometry *a, const cdn_transform *X_WA, const sample_geometry *b,
                     const cdn_transform *X_WB, cdn_vec3 n);

#endif
