/* Elastic foundation: a bed of springs, one at the centre of each triangle of a mesh, that press on the other solid
 * (Johnson, Contact Mechanics, 1985, section 4.3; Simbody's ElasticFoundationForce). The spring of a triangle is as
 * long as its depth in the other solid; its stiffness is the triangle's area times k, where k is E / h of both surfaces
 * in series. They share the depth as springs in series do. The force acts between them, where both have given way. A
 * coarse mesh is a coarse bed: triangles should be small beside the patch. */
#include <math.h>

#include "contact/law_kinds.h"
#include "contact/laws.h"
#include "contact/materials.h"
#include "contact/room.h"
#include "contact/touch.h"

typedef struct bed {
  const touch_pair *pair;
  int mesh;         /* 0 or 1: which of the two has the springs */
  double stiffness; /* by area and depth */
  double share[2];  /* of the depth by which each of the two gives way */
  combined_material m;
  cdn_region_output *out;
  cdn_status status;
  cdn_vec3 sum; /* of forces on b */
} bed;

/* One that is pressed. */
typedef struct spring {
  cdn_vec3 at, from_other; /* Ground; the other solid's outward normal points from it to the mesh */
  double depth, area;
} spring;

static bool press(const bed *b, const cdn_vec3 vertices[3], spring *out) {
  const cdn_transform *X = b->pair->X[b->mesh], *X_other = b->pair->X[1 - b->mesh];
  out->at = cdn_transform_point(*X, cdni_spring_place(vertices));
  const cdn_vec3 p = cdn_rotate_inv(X_other->R, cdn_sub(out->at, X_other->p));
  cdn_vec3 outward;
  int feature;
  const double distance = cdni_point_distance(b->pair->g[1 - b->mesh], p, &outward, &feature);
  if (!(distance < 0)) return false;
  out->depth = -distance;
  out->area = 0.5 * cdn_norm(cdn_cross(cdn_sub(vertices[1], vertices[0]), cdn_sub(vertices[2], vertices[0])));
  out->from_other = cdn_rotate(X_other->R, outward);
  return true;
}

static bool add_spring(void *context, int triangle, const cdn_vec3 vertices[3]) {
  bed *b = context;
  spring s;
  void *place;
  if (!press(b, vertices, &s)) return true;
  b->status = cdn_region_output_add(b->out, 1, &place);
  if (b->status != CDN_OK) return false;
  const cdn_vec3 normal = b->mesh == 1 ? s.from_other : cdn_scale(-1, s.from_other);
  const pressure_law *law = &cdni_pressure_laws[LAW_SPRING];
  const double numbers[CDN_LAW_NUMBERS] = { b->stiffness * s.area * s.depth, b->pair->law->damping * b->m.dissipation,
                                            s.depth };
  *(touch *)place = (touch){ .a = b->pair->shape[0],
                             .b = b->pair->shape[1],
                             .feature = 2 * triangle + b->mesh,
                             .law = LAW_SPRING,
                             .point = cdn_add(s.at, cdn_scale(b->share[b->mesh] * s.depth, s.from_other)),
                             .normal = normal,
                             .tangent = contact_tangent(normal),
                             .depth = s.depth,
                             .elastic = law->pressure(numbers, s.depth, 0),
                             .energy = law->potential(numbers, s.depth) };
  memcpy(((touch *)place)->numbers, numbers, sizeof numbers);
  ((touch *)place)->spread = 0.4 * sqrt(s.area); /* as of a disc */
  cdni_touch_friction(place, &b->m);
  return true;
}

static bool sum_spring(void *context, int triangle, const cdn_vec3 vertices[3]) {
  bed *b = context;
  spring s;
  (void)triangle;
  if (press(b, vertices, &s))
    b->sum = cdn_add(b->sum, cdn_scale((b->mesh == 1 ? 1 : -1) * b->stiffness * s.area * s.depth, s.from_other));
  return true;
}

/* ---- the law ---- */

/* The thickness of the layer: the material's, or a tenth of the radius of the ball about a mesh; 0: it has none. */
static double layer(const cdn_geometry *g, double thickness) {
  cdn_vec3 center;
  if (thickness > 0) return thickness;
  return kind_of(g)->contact == CONTACT_SPRINGS ? 0.1 * cdni_bounding_ball(g, &center) : 0;
}

static bed bed_of(const touch_pair *pair) {
  bed b = { .pair = pair, .m = cdni_combine_materials(pair) };
  double k[2], h[2];
  cdni_beds_in_series(pair, k, h);
  for (int i = 0; i < 2; i++) h[i] = layer(pair->g[i], h[i]);
  for (int i = 0; i < 2; i++) k[i] /= h[i] > 0 ? h[i] : h[1 - i];
  b.share[0] = k[1] / (k[0] + k[1]), b.share[1] = 1 - b.share[0];
  b.stiffness = k[0] * b.share[0];
  if (!b.m.dissipation_is_told)
    b.m.dissipation =
        b.share[0] * pair->material[0][MATERIAL_DISSIPATION] + b.share[1] * pair->material[1][MATERIAL_DISSIPATION];
  /* where both are meshes, each carries half */
  if (pair->g[0]->kind == CDN_GEOMETRY_MESH && pair->g[1]->kind == CDN_GEOMETRY_MESH) b.stiffness *= 0.5;
  return b;
}

static cdn_status visit_springs(bed *b, cdni_triangle_visitor *visit) {
  for (b->mesh = 0; b->mesh < 2 && b->status == CDN_OK; b->mesh++)
    if (b->pair->g[b->mesh]->kind == CDN_GEOMETRY_MESH)
      cdni_springs_within(b->pair->g, b->pair->X, b->mesh, 0, visit, b);
  return b->status;
}

cdn_status cdni_find_springs(const touch_pair *pair, cdn_state *state, cdn_region_output *out) {
  (void)state;
  bed b = bed_of(pair);
  b.out = out;
  return visit_springs(&b, add_spring);
}

double cdni_foundation_force(const touch_pair *pair, double depth, const cdn_proximity *near) {
  const cdn_transform X_b = pose_at_depth(pair, depth, near);
  touch_pair there = *pair;
  there.X[1] = &X_b;
  bed b = bed_of(&there);
  (void)!visit_springs(&b, sum_spring);
  return cdn_norm(b.sum);
}
