/* The springs of a mesh that are near another solid: each is at the centre of a triangle. */
#include <math.h>

#include "contact/law_kinds.h"

cdn_vec3 cdni_spring_place(const cdn_vec3 v[3]) { return cdn_scale(1.0 / 3, cdn_add(v[0], cdn_add(v[1], v[2]))); }

/* The highest place of a height field, in its frame. */
static double top_of(const cdn_geometry *field) {
  const cdn_transform here = cdn_transform_identity();
  cdn_vec3 least, most;
  cdni_bounds(field, &here, &least, &most);
  return most.z;
}

void cdni_springs_within(const cdn_geometry *const g[2], const cdn_transform *const X[2], int mesh, double margin,
                         cdni_triangle_visitor *visit, void *context) {
  const cdn_geometry *other = g[1 - mesh];
  const cdn_transform *X_M = X[mesh], *X_O = X[1 - mesh];
  if (other->kind == CDN_GEOMETRY_HALF_SPACE || other->kind == CDN_GEOMETRY_HEIGHT_FIELD) {
    /* they have no box in another frame */
    const cdn_vec3 up = X_O->R.z;
    const double top = other->kind == CDN_GEOMETRY_HEIGHT_FIELD ? top_of(other) : 0;
    cdni_triangles_below(g[mesh]->surface, cdn_rotate_inv(X_M->R, up),
                         cdn_dot(up, cdn_sub(X_O->p, X_M->p)) + top + margin, visit, context);
    return;
  }
  const cdn_transform X_MO = cdn_transform_multiply(cdn_transform_invert(*X_M), *X_O);
  const cdn_vec3 more = cdn_v3(margin, margin, margin);
  cdn_vec3 least, most;
  cdni_bounds(other, &X_MO, &least, &most);
  cdni_triangles_in_box(g[mesh]->surface, cdn_sub(least, more), cdn_add(most, more), visit, context);
}

/* The spring that is nearest to the other solid O, or deepest in it. */
typedef struct nearest {
  const cdn_geometry *other;
  cdn_transform X_OM;
  double distance;
  cdn_vec3 outward, spring; /* O */
  int triangle, feature;
} nearest;

static bool look_at_spring(void *context, int triangle, const cdn_vec3 vertices[3]) {
  nearest *l = context;
  const cdn_vec3 p = cdn_transform_point(l->X_OM, cdni_spring_place(vertices));
  cdn_vec3 outward;
  int feature;
  const double distance = cdni_point_distance(l->other, p, &outward, &feature);
  if (!(distance < l->distance)) return true;
  l->distance = distance, l->outward = outward, l->spring = p, l->triangle = triangle, l->feature = feature;
  return true;
}

/* The first margin, over the radius of the ball about the mesh. */
static const double FIRST = 0.01;

static void find_nearest(const cdn_geometry *const g[2], const cdn_transform *const X[2], int mesh, nearest *l) {
  cdn_proximity near;
  cdn_vec3 center;
  double margin = FIRST * cdni_bounding_ball(g[mesh], &center);
  /* springs are on the surface: none is nearer than that */
  if (cdni_pair_is_supported(g[0], g[1]) && cdni_pair_distance(g[0], X[0], g[1], X[1], INFINITY, &near))
    margin += fmax(near.distance, 0);
  *l = (nearest){ .other = g[1 - mesh],
                  .X_OM = cdn_transform_multiply(cdn_transform_invert(*X[1 - mesh]), *X[mesh]),
                  .distance = INFINITY };
  for (;; margin = l->distance < INFINITY ? l->distance : 4 * margin) {
    cdni_springs_within(g, X, mesh, margin, look_at_spring, l);
    if (l->distance <= margin || !(margin < INFINITY)) return;
  }
}

bool cdni_springs_near(const cdn_geometry *const g[2], const cdn_transform *const X[2], cdn_proximity *near) {
  near->distance = INFINITY;
  for (int mesh = 0; mesh < 2; mesh++) {
    nearest l;
    if (g[mesh]->kind != CDN_GEOMETRY_MESH) continue;
    find_nearest(g, X, mesh, &l);
    if (!(l.distance < near->distance)) continue;
    const int other = 1 - mesh;
    const cdn_vec3 outward = cdn_rotate(X[other]->R, l.outward), spring = cdn_transform_point(*X[other], l.spring),
                   facing = cdn_sub(spring, cdn_scale(l.distance, outward));
    *near = (cdn_proximity){ .distance = l.distance,
                             .normal = other == 0 ? outward : cdn_scale(-1, outward),
                             .point_a = other == 0 ? facing : spring,
                             .point_b = other == 0 ? spring : facing,
                             .feature_a = other == 0 ? l.feature : l.triangle,
                             .feature_b = other == 0 ? l.triangle : l.feature };
  }
  return near->distance < INFINITY;
}
