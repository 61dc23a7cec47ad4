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

/* What a ray along a unit vector meets first; a distance of -1: nothing. */
static cdn_status meet(const io_sensor_part *s, cdn_state *state, cdn_vec3 eye, cdn_vec3 along, cdn_ray_hit *nearest) {
  cdn_shape_query_def query;
  cdn_shape_hit hit;
  int n;
  cdn_shape_query_def_init(&query, sizeof query);
  viewer v = { state, s, eye };
  query.except = s->body, query.accept = is_seen, query.context = &v;
  CDNI_TRY(cdn_shapes_ray(state, eye, along, INFINITY, &query, 1, &hit, &n));
  bool found = n > 0;
  if (found) *nearest = hit.hit;
  for (size_t i = 0; i < s->seen.count; i++) {
    const io_seen *it = &CDNI_AT(s->seen, io_seen, i);
    cdn_geometry geometry;
    cdn_transform X;
    cdn_ray_hit at;
    if (it->shape.i >= 0 || it->body.i == s->body.i) continue;
    CDNI_TRY(see(state, it, &geometry, &X));
    if (!is_before(&geometry, &X, eye)) continue;
    CDNI_TRY(cdn_geometry_ray(&geometry, &X, eye, along, found ? nearest->distance : INFINITY, 1, &at, &n));
    if (n > 0) *nearest = at, found = true;
  }
  if (!found) *nearest = (cdn_ray_hit){ .distance = -1 };
  return CDN_OK;
}

static const struct {
  int flag, count;
} ray_parts[] = { { CDN_RAY_DISTANCE, 1 }, { CDN_RAY_DIRECTION, 3 }, { CDN_RAY_ORIGIN, 3 },
                  { CDN_RAY_POINT, 3 },    { CDN_RAY_NORMAL, 3 },    { CDN_RAY_DEPTH, 1 } };

int io_rays_count(int data, bool of_pixels, const double pixels[2]) {
  int each = 0;
  for (int i = 0; i < CDNI_COUNT(ray_parts); i++) each += data & ray_parts[i].flag ? ray_parts[i].count : 0;
  const double n = each * (of_pixels ? pixels[0] * pixels[1] : 1);
  return n >= 1 && n <= CDN_MEASURE_MOST ? (int)n : 0;
}

/* Returns where the next ray's numbers go. */
static double *write_ray(const io_sensor_part *s, const cdn_ray_hit *hit, cdn_vec3 eye, cdn_vec3 along, cdn_vec3 axis,
                         double *value) {
  const cdn_vec3 zero = { 0, 0, 0 };
  const bool met = hit->distance >= 0;
  const double depth = s->of_pixels && met ? hit->distance * cdn_dot(along, axis) : hit->distance;
  const cdn_vec3 vectors[] = { met ? along : zero, eye, met ? hit->point : zero, met ? hit->normal : zero };
  for (int i = 0; i < CDNI_COUNT(ray_parts); i++) {
    if (!(s->data & ray_parts[i].flag)) continue;
    if (i == 0) *value = hit->distance;
    else if (i == CDNI_COUNT(ray_parts) - 1) *value = depth;
    else memcpy(value, &vectors[i - 1], sizeof *vectors);
    value += ray_parts[i].count;
  }
  return value;
}

void io_ray_line(const double focal[2], const double pixels[2], double extent, bool of_pixels, int column, int row,
                 cdn_vec3 *eye, cdn_vec3 *along) {
  const double across = pixels[0], down = pixels[1];
  const double x = column + 0.5 - 0.5 * across, y = 0.5 * down - row - 0.5; /* pixels from the centre */
  *eye = cdn_v3(0, 0, 0), *along = cdn_v3(0, 0, of_pixels ? -1 : 1);
  if (of_pixels && extent > 0) {
    *eye = cdn_v3(x * extent / across, y * extent / down, 0);
  } else if (of_pixels) {
    const cdn_vec3 to = cdn_v3(x / focal[0], y / focal[1], -1);
    *along = cdn_scale(1 / cdn_norm(to), to);
  }
}

cdn_status io_sensed_range(const io_sensor_part *s, cdn_state *state, double *value) {
  cdn_transform X_GB, X_GS;
  cdn_ray_hit hit;
  CDNI_TRY(cdn_body_pose(state, s->body, &X_GB));
  X_GS = cdn_transform_multiply(X_GB, s->X_BS);
  const cdn_vec3 axis = s->of_pixels ? cdn_scale(-1, X_GS.R.z) : X_GS.R.z;
  const int across = s->of_pixels ? (int)s->pixels[0] : 1, down = s->of_pixels ? (int)s->pixels[1] : 1;
  for (int row = 0; row < down; row++)
    for (int column = 0; column < across; column++) {
      cdn_vec3 eye, along;
      io_ray_line(s->focal, s->pixels, s->extent, s->of_pixels, column, row, &eye, &along);
      eye = cdn_transform_point(X_GS, eye), along = cdn_rotate(X_GS.R, along);
      CDNI_TRY(meet(s, state, eye, along, &hit));
      value = write_ray(s, &hit, eye, along, axis, value);
    }
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
