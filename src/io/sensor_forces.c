/* What sensors of forces, touch, distances and actuators show. */
#include <math.h>

#include <cardan/actuators.h>
#include <cardan/operators.h>
#include <cardan/queries.h>

#include "core/core.h"
#include "io/model.h"
#include "io/sensor.h"

static void put(cdn_vec3 v, double *value) { value[0] = v.x, value[1] = v.y, value[2] = v.z; }

static cdn_status frame_of(const io_sensor_part *s, cdn_state *state, cdn_transform *X_GB, cdn_transform *X_GS) {
  CDNI_TRY(cdn_body_pose(state, s->body, X_GB));
  *X_GS = cdn_transform_multiply(*X_GB, s->X_BS);
  return CDN_OK;
}

/* The reaction on the body. It needs a place for those of all bodies. */
static cdn_status reaction_on(cdn_state *state, cdn_body body, cdn_spatial *F) {
  const int n = cdn_system_body_count(cdn_state_system(state));
  cdn_spatial *all = cdni_alloc(NULL, (size_t)n * sizeof *all);
  const double *udot = cdn_state_udot(state);
  cdn_status status = CDN_ERR_NOMEM;
  if (all) status = cdn_calc_reaction_forces(state, udot, CDN_REACTION_ON_BODY_AT_ORIGIN, all);
  if (status == CDN_OK) *F = all[body.i];
  cdni_free(NULL, all, 0);
  return status;
}

cdn_status io_sensed_force(const io_sensor_part *s, cdn_state *state, double *value) {
  cdn_transform X_GB, X_GS;
  cdn_spatial F = { { 0, 0, 0 }, { 0, 0, 0 } };
  CDNI_TRY(frame_of(s, state, &X_GB, &X_GS));
  if (s->body.i > 0) CDNI_TRY(reaction_on(state, s->body, &F));
  const cdn_vec3 moment = cdn_sub(F.w, cdn_cross(cdn_sub(X_GS.p, X_GB.p), F.v));
  put(cdn_rotate_inv(X_GS.R, s->kind == CDN_SENSOR_FORCE ? F.v : moment), value);
  return CDN_OK;
}

/* A contact counts where the line along its force, away from the body, meets the volume. */
cdn_status io_sensed_touch(const io_sensor_part *s, cdn_state *state, double *value) {
  const cdn_system *system = cdn_state_system(state);
  cdn_transform X_GB, X_GS;
  int n;
  *value = 0;
  CDNI_TRY(frame_of(s, state, &X_GB, &X_GS));
  CDNI_TRY(cdn_contact_count(state, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    cdn_ray_hit hit;
    int hits;
    CDNI_TRY(cdn_contact_get(state, i, &c));
    const bool is_a = cdn_shape_body(system, c.a).i == s->body.i, is_b = cdn_shape_body(system, c.b).i == s->body.i;
    if (!is_a && !is_b) continue;
    const cdn_vec3 away = cdn_scale(is_a ? 1 : -1, c.normal);
    CDNI_TRY(cdn_geometry_ray(&s->volume, &X_GS, c.point, away, INFINITY, 1, &hit, &hits));
    if (hits > 0) *value += c.force;
  }
  return CDN_OK;
}

/* Half-spaces have a surface on one side only: what looks out of the ground sees nothing of it, as in MuJoCo. */
typedef struct viewer {
  cdn_state *state;
  cdn_vec3 eye;
} viewer;

static bool is_before_eye(void *context, cdn_shape shape) {
  const viewer *v = context;
  cdn_geometry geometry;
  cdn_transform X_GS;
  if (cdn_shape_get(v->state, shape, &geometry, &X_GS) != CDN_OK) return false;
  return geometry.kind != CDN_GEOMETRY_HALF_SPACE || cdn_dot(cdn_sub(v->eye, X_GS.p), X_GS.R.z) >= 0;
}

cdn_status io_sensed_range(const io_sensor_part *s, cdn_state *state, double *value) {
  cdn_transform X_GB, X_GS;
  cdn_shape_query_def query;
  cdn_shape_hit hit;
  int n;
  cdn_shape_query_def_init(&query, sizeof query);
  CDNI_TRY(frame_of(s, state, &X_GB, &X_GS));
  viewer v = { state, X_GS.p };
  query.except = s->body, query.accept = is_before_eye, query.context = &v;
  CDNI_TRY(cdn_shapes_ray(state, X_GS.p, X_GS.R.z, INFINITY, &query, 1, &hit, &n));
  *value = n > 0 ? hit.hit.distance : -1;
  return CDN_OK;
}

cdn_status io_sensed_drive(const io_sensor_part *s, cdn_state *state, double *value) {
  switch (s->kind) {
    case CDN_SENSOR_ACTUATOR_FORCE: return cdn_actuator_force(state, s->driven, value);
    case CDN_SENSOR_ACTUATOR_VELOCITY: return cdn_actuator_rate(state, s->driven, value);
    case CDN_SENSOR_TENDON_VELOCITY: return cdn_path_rate(state, s->path, value);
    case CDN_SENSOR_TENDON_POSITION: return cdn_path_length(state, s->path, value);
    default: return cdn_actuator_length(state, s->driven, value);
  }
}
