/* Elastic foundation: a bed of springs, one at the centre of each triangle of a mesh, that press on the other solid
 * (Johnson, Contact Mechanics, 1985, section 4.3; Simbody's ElasticFoundationForce). The spring of a triangle is as
 * long as its depth in the other solid; its stiffness is the triangle's area times k, where k is E / h of both surfaces
 * in series. They share the depth as springs in series do. The force acts between them, where both have given way. A
 * coarse mesh is a coarse bed: triangles should be small beside the patch. */
#include <math.h>

#include "contact/internal.h"

typedef struct bed {
  const touch_pair *pair;
  int mesh;         /* 0 or 1: which of the two has the springs */
  double stiffness; /* by area and depth */
  double share[2];  /* of the depth by which each of the two gives way */
  combined_material m;
  cdn_region_output *out;
  cdn_status status;
} bed;

static bool add_spring(void *context, int triangle, const cdn_vec3 vertices[3]) {
  bed *b = context;
  const cdn_transform *X = b->pair->X[b->mesh], *X_other = b->pair->X[1 - b->mesh];
  const cdn_vec3 p_G = cdn_transform_point(*X, cdni_spring_place(vertices)),
                 p = cdn_rotate_inv(X_other->R, cdn_sub(p_G, X_other->p));
  cdn_vec3 outward;
  int feature;
  const double distance = cdni_point_distance(b->pair->g[1 - b->mesh], p, &outward, &feature);
  if (!(distance < 0)) return true;
  const double area = 0.5 * cdn_norm(cdn_cross(cdn_sub(vertices[1], vertices[0]), cdn_sub(vertices[2], vertices[0])));
  void *place;
  b->status = cdn_region_output_add(b->out, 1, &place);
  if (b->status != CDN_OK) return false;
  /* the other solid's outward normal points from it to the mesh */
  const cdn_vec3 from_other = cdn_rotate(X_other->R, outward),
                 normal = b->mesh == 1 ? from_other : cdn_scale(-1, from_other);
  const double depth = -distance, k = b->stiffness * area;
  *(touch *)place = (touch){ .a = b->pair->shape[0],
                             .b = b->pair->shape[1],
                             .feature = 2 * triangle + b->mesh,
                             .point = cdn_add(p_G, cdn_scale(b->share[b->mesh] * depth, from_other)),
                             .normal = normal,
                             .tangent = contact_tangent(normal),
                             .depth = depth,
                             .elastic = k * depth,
                             .energy = 0.5 * k * depth * depth,
                             .damping = b->m.dissipation };
  ((touch *)place)->spread = 0.4 * sqrt(area); /* as of a disc */
  cdni_touch_friction(place, &b->m);
  return true;
}

/* ---- the law ---- */

/* The thickness of the layer: the material's, or a tenth of the radius of the ball about a mesh; 0: it has none. */
static double layer(const touch_pair *pair, int i) {
  const double thickness = cdni_thickness(pair->material[i], pair->numbers);
  cdn_vec3 center;
  if (thickness > 0) return thickness;
  return pair->g[i]->kind == CDN_GEOMETRY_MESH ? 0.1 * cdni_bounding_ball(pair->g[i], &center) : 0;
}

cdn_status cdni_law_foundation(const touch_pair *pair, cdn_region_output *out) {
  bed b = { .pair = pair,
            .m = cdni_combine_materials(pair->material[0], pair->material[1], pair->numbers),
            .out = out };
  const double h[2] = { layer(pair, 0), layer(pair, 1) };
  double k[2];
  cdni_moduli_in_series(pair->material[0], pair->material[1], pair->numbers, k);
  for (int i = 0; i < 2; i++) k[i] /= h[i] > 0 ? h[i] : h[1 - i];
  b.share[0] = k[1] / (k[0] + k[1]), b.share[1] = 1 - b.share[0];
  b.stiffness = k[0] * b.share[0];
  if (!pair->numbers || pair->numbers[MATERIAL_DISSIPATION] < 0)
    b.m.dissipation =
        b.share[0] * pair->material[0][MATERIAL_DISSIPATION] + b.share[1] * pair->material[1][MATERIAL_DISSIPATION];
  /* where both are meshes, each carries half */
  if (pair->g[0]->kind == CDN_GEOMETRY_MESH && pair->g[1]->kind == CDN_GEOMETRY_MESH) b.stiffness *= 0.5;
  for (b.mesh = 0; b.mesh < 2; b.mesh++) {
    if (pair->g[b.mesh]->kind != CDN_GEOMETRY_MESH) continue;
    cdni_springs_within(pair->g, pair->X, b.mesh, 0, add_spring, &b);
    CDNI_TRY(b.status);
  }
  return CDN_OK;
}
