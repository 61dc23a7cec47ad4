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

static cdn_vec3 centre_of(const cdn_vec3 v[3]) { return cdn_scale(1.0 / 3, cdn_add(v[0], cdn_add(v[1], v[2]))); }

static bool add_spring(void *context, int triangle, const cdn_vec3 vertices[3]) {
  bed *b = context;
  const cdn_transform *X = b->pair->X[b->mesh], *X_other = b->pair->X[1 - b->mesh];
  const cdn_vec3 p_G = cdn_transform_point(*X, centre_of(vertices)),
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

/* ---- a mesh over a height field ---- */

/* The highest place of a height field, in its frame. */
static double top_of(const cdn_geometry *field) {
  const cdn_transform here = cdn_transform_identity();
  cdn_vec3 least, most;
  cdni_bounds(field, &here, &least, &most);
  return most.z;
}

/* The spring that is nearest to the height field, or deepest in it. */
typedef struct lowest {
  const cdn_geometry *field;
  cdn_transform X_FM;
  double top;
  cdn_proximity best; /* from the field to the mesh, in the field's frame */
} lowest;

static bool look_at_spring(void *context, int triangle, const cdn_vec3 vertices[3]) {
  lowest *l = context;
  const cdn_vec3 p = cdn_transform_point(l->X_FM, centre_of(vertices));
  cdn_vec3 outward;
  int feature;
  if (p.z - l->top >= l->best.distance) return true;
  const double distance = cdni_point_distance(l->field, p, &outward, &feature);
  if (!(distance < l->best.distance)) return true;
  l->best = (cdn_proximity){ .distance = distance,
                             .normal = outward,
                             .point_a = cdn_sub(p, cdn_scale(distance, outward)),
                             .point_b = p,
                             .feature_a = feature,
                             .feature_b = triangle };
  return true;
}

bool cdni_foundation_on_field(const cdn_geometry *const g[2], const cdn_transform *const X[2], double reach,
                              cdn_proximity *near) {
  const int field = g[0]->kind == CDN_GEOMETRY_HEIGHT_FIELD ? 0 : 1;
  const cdn_transform *X_WF = X[field];
  lowest l = { .field = g[field],
               .X_FM = cdn_transform_multiply(cdn_transform_invert(*X_WF), *X[1 - field]),
               .top = top_of(g[field]),
               .best = { .distance = INFINITY } };
  cdni_triangles_below(g[1 - field]->surface, cdn_v3(0, 0, 1), INFINITY, look_at_spring, &l);
  if (!(l.best.distance <= reach) || l.best.distance == INFINITY) return false;
  const cdn_vec3 normal = cdn_rotate(X_WF->R, l.best.normal), a = cdn_transform_point(*X_WF, l.best.point_a),
                 b = cdn_transform_point(*X_WF, l.best.point_b);
  *near = l.best;
  near->normal = field == 0 ? normal : cdn_scale(-1, normal);
  near->point_a = field == 0 ? a : b, near->point_b = field == 0 ? b : a;
  if (field == 1) near->feature_a = l.best.feature_b, near->feature_b = l.best.feature_a;
  return true;
}

/* ---- the law ---- */

/* The box of one shape in the frame of another. */
static void box_in_frame(const cdn_geometry *g, const cdn_transform *X, const cdn_transform *X_frame, cdn_vec3 *least,
                         cdn_vec3 *most) {
  const cdn_transform X_FS = cdn_transform_multiply(cdn_transform_invert(*X_frame), *X);
  cdni_bounds(g, &X_FS, least, most);
}

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
    const cdn_geometry *g = pair->g[b.mesh];
    if (g->kind != CDN_GEOMETRY_MESH) continue;
    const cdn_transform *X = pair->X[b.mesh], *X_other = pair->X[1 - b.mesh];
    const cdn_geometry_kind other = pair->g[1 - b.mesh]->kind;
    if (other == CDN_GEOMETRY_HALF_SPACE || other == CDN_GEOMETRY_HEIGHT_FIELD) {
      /* they have no box in another frame */
      const cdn_vec3 up = X_other->R.z;
      const double top = other == CDN_GEOMETRY_HEIGHT_FIELD ? top_of(pair->g[1 - b.mesh]) : 0;
      cdni_triangles_below(g->surface, cdn_rotate_inv(X->R, up), cdn_dot(up, cdn_sub(X_other->p, X->p)) + top,
                           add_spring, &b);
    } else {
      cdn_vec3 least, most;
      box_in_frame(pair->g[1 - b.mesh], X_other, X, &least, &most);
      cdni_triangles_in_box(g->surface, least, most, add_spring, &b);
    }
    CDNI_TRY(b.status);
  }
  return CDN_OK;
}
