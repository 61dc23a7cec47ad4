/* What sensors of distances show: along a ray, and between two sides. */
#include <math.h>
#include <string.h>

#include <cardan/queries.h>

#include "core/core.h"
#include "io/sensor.h"

static cdn_status see(cdn_state *state, const io_seen *it, cdn_geometry *geometry, cdn_transform *X_GS) {
  if (it->shape.i >= 0) return cdn_shape_get(state, it->shape, geometry, X_GS);
  cdn_transform X_GB;
  CDNI_TRY(cdn_body_pose(state, it->body, &X_GB));
  *geometry = it->geometry;
  *X_GS = cdn_transform_multiply(X_GB, it->X_BS);
  return CDN_OK;
}

/* ---- along a ray ----------------------------------------------------------------------------- */

/* Half-spaces have a surface on one side only: what looks out of the ground sees nothing of it, as in MuJoCo. */
static bool is_before(const cdn_geometry *geometry, const cdn_transform *X_GS, cdn_vec3 eye) {
  return geometry->kind != CDN_GEOMETRY_HALF_SPACE || cdn_dot(cdn_sub(eye, X_GS->p), X_GS->R.z) >= 0;
}

typedef struct viewer {
  cdn_state *state;
  const io_sensor_part *s;
  cdn_vec3 eye;
} viewer;

/* Shapes of the System among what is seen are those that a ray goes through. */
static bool is_seen(void *context, cdn_shape shape) {
  const viewer *v = context;
  cdn_geometry geometry;
  cdn_transform X_GS;
  for (size_t i = 0; i < v->s->seen.count; i++)
    if (CDNI_AT(v->s->seen, io_seen, i).shape.i == shape.i) return false;
  return cdn_shape_get(v->state, shape, &geometry, &X_GS) == CDN_OK && is_before(&geometry, &X_GS, v->eye);
}

cdn_status io_sensed_range(const io_sensor_part *s, cdn_state *state, double *value) {
  cdn_transform X_GB, X_GS;
  cdn_shape_query_def query;
  cdn_shape_hit hit;
  int n;
  cdn_shape_query_def_init(&query, sizeof query);
  CDNI_TRY(cdn_body_pose(state, s->body, &X_GB));
  X_GS = cdn_transform_multiply(X_GB, s->X_BS);
  viewer v = { state, s, X_GS.p };
  query.except = s->body, query.accept = is_seen, query.context = &v;
  CDNI_TRY(cdn_shapes_ray(state, X_GS.p, X_GS.R.z, INFINITY, &query, 1, &hit, &n));
  double nearest = n > 0 ? hit.hit.distance : INFINITY;
  for (size_t i = 0; i < s->seen.count; i++) {
    const io_seen *it = &CDNI_AT(s->seen, io_seen, i);
    cdn_geometry geometry;
    cdn_transform X;
    cdn_ray_hit at;
    if (it->shape.i >= 0 || it->body.i == s->body.i) continue;
    CDNI_TRY(see(state, it, &geometry, &X));
    if (!is_before(&geometry, &X, X_GS.p)) continue;
    CDNI_TRY(cdn_geometry_ray(&geometry, &X, X_GS.p, X_GS.R.z, nearest, 1, &at, &n));
    if (n > 0) nearest = fmin(nearest, at.distance);
  }
  *value = isfinite(nearest) ? nearest : -1;
  return CDN_OK;
}

/* ---- between two sides ----------------------------------------------------------------------- */

/* The nearest two within the cutoff; *found: there are some. */
static cdn_status nearest_of(const io_sensor_part *s, cdn_state *state, cdn_proximity *nearest, bool *found) {
  nearest->distance = s->cutoff, *found = false;
  for (int i = 0; i < s->n_first; i++) {
    cdn_geometry a, b;
    cdn_transform X_GA, X_GB;
    CDNI_TRY(see(state, &CDNI_AT(s->seen, io_seen, i), &a, &X_GA));
    for (int k = s->n_first; k < (int)s->seen.count; k++) {
      cdn_proximity p;
      CDNI_TRY(see(state, &CDNI_AT(s->seen, io_seen, k), &b, &X_GB));
      if (!cdn_geometry_pair_is_supported(a.kind, b.kind)) continue; /* two half-spaces */
      CDNI_TRY(cdn_geometry_distance(&a, &X_GA, &b, &X_GB, &p));
      if (p.distance < nearest->distance) *nearest = p, *found = true;
    }
  }
  return CDN_OK;
}

cdn_status io_sensed_distance(const io_sensor_part *s, cdn_state *state, double *value) {
  cdn_proximity p;
  bool found;
  CDNI_TRY(nearest_of(s, state, &p, &found));
  const cdn_vec3 zero = { 0, 0, 0 }, between = found ? cdn_sub(p.point_b, p.point_a) : zero;
  const double length = cdn_norm(between);
  if (s->kind == CDN_SENSOR_DISTANCE) {
    *value = p.distance;
  } else if (s->kind == CDN_SENSOR_NORMAL) {
    const cdn_vec3 along = length > 0 ? cdn_scale(1 / length, between) : found ? p.normal : zero;
    memcpy(value, &along, sizeof along);
  } else {
    const cdn_vec3 ends[2] = { found ? p.point_a : zero, found ? p.point_b : zero };
    memcpy(value, ends, sizeof ends);
  }
  return CDN_OK;
}
