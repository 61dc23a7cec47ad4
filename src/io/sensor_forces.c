/* What sensors of forces, touch, limits and actuators show. */
#include <math.h>

#include <cardan/actuators.h>
#include <cardan/operators.h>
#include <cardan/soft_elements.h>

#include "core/core.h"
#include "io/model.h"
#include "io/sensor.h"

static void put(cdn_vec3 v, double *value) { value[0] = v.x, value[1] = v.y, value[2] = v.z; }

static cdn_status frame_of(const io_sensor_part *s, cdn_state *state, cdn_transform *X_GB, cdn_transform *X_GS) {
  CDNI_TRY(cdn_body_pose(state, s->body, X_GB));
  *X_GS = cdn_transform_multiply(*X_GB, s->X_BS);
  return CDN_OK;
}

/* What the body has from its parent. It needs a place for those of all bodies. */
static cdn_status force_on(cdn_state *state, cdn_body body, cdn_spatial *F) {
  const int n = cdn_system_body_count(cdn_state_system(state));
  cdn_spatial *all = cdn_work_push(state, (size_t)n * sizeof *all);
  if (!all) return CDN_ERR_NOMEM;
  const cdn_status status = cdn_transmitted_forces(state, all);
  if (status == CDN_OK) *F = all[body.i];
  cdn_work_pop(state, all);
  return status;
}

cdn_status io_sensed_force(const io_sensor_part *s, cdn_state *state, double *value) {
  cdn_transform X_GB, X_GS;
  cdn_spatial F = { { 0, 0, 0 }, { 0, 0, 0 } };
  CDNI_TRY(frame_of(s, state, &X_GB, &X_GS));
  if (s->body.i > 0) CDNI_TRY(force_on(state, s->body, &F));
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

/* ---- limits ---------------------------------------------------------------------------------- */

/* How far the coordinate, the angle or the length is, and its rate, which positions do not ask for. */
static cdn_status limited(const io_sensor_part *s, cdn_state *state, double *x, double *rate) {
  static const double rest[3];
  const bool moves = s->kind != CDN_SENSOR_JOINT_LIMIT_POSITION && s->kind != CDN_SENSOR_TENDON_LIMIT_POSITION;
  *rate = 0;
  if (s->path.i >= 0) {
    CDNI_TRY(cdn_path_length(state, s->path, x));
    return moves ? cdn_path_rate(state, s->path, rate) : CDN_OK;
  }
  const double *q = cdn_body_q(state, s->body), *u = moves ? cdn_body_u(state, s->body) : rest;
  *x = q[0], *rate = u[0];
  if (!s->limit.ball) return CDN_OK;
  const cdn_vec3 e = cdn_scale(q[0] < 0 ? -1 : 1, cdn_v3(q[1], q[2], q[3]));
  const double sine = cdn_norm(e);
  *x = 2 * atan2(sine, fabs(q[0]));
  const cdn_vec3 axis = sine > 0 ? cdn_scale(1 / sine, e) : cdn_v3(1, 0, 0);
  *rate = cdn_dot(axis, cdn_v3(u[0], u[1], u[2]));
  return CDN_OK;
}

static bool is_on(cdn_state *state, const io_limit *l) {
  if (l->type == CDN_ELEMENT_SOFT) return cdn_soft_element_is_enabled(state, (cdn_soft_element){ l->element });
  return l->type == CDN_ELEMENT_FORCE && cdn_force_is_enabled(state, (cdn_force){ l->element });
}

/* A parameter of the limit's, or what stands where it has none. */
static cdn_status number_of(cdn_state *state, const io_limit *l, const char *name, double without, double *value) {
  const int k = cdn_element_find_parameter(cdn_state_system(state), l->type, l->element, name);
  *value = without;
  return k < 0 ? CDN_OK : cdn_element_get_parameters(state, l->type, l->element, k, 1, value);
}

static cdn_one_sided rigid_bound(const io_limit *l, int side) { return l->rigid[side > 0]; }

/* The bound that acts, the lower one first: -1, 1, or 0 for neither. `past`: how far inside it is, less the margin. */
static cdn_status bound_that_acts(const io_sensor_part *s, cdn_state *state, int *side, double *past, double *rate) {
  double lower, upper, margin, x;
  *side = 0;
  for (int k = -1; k <= 1 && *side == 0; k += 2)
    if (cdn_one_sided_is_on(state, rigid_bound(&s->limit, k))) *side = k;
  if (*side != 0) {
    CDNI_TRY(limited(s, state, &x, rate));
    return cdn_one_sided_gap(state, rigid_bound(&s->limit, *side), past);
  }
  if (!is_on(state, &s->limit)) return CDN_OK;
  CDNI_TRY(number_of(state, &s->limit, "lower", -INFINITY, &lower));
  CDNI_TRY(number_of(state, &s->limit, s->limit.ball && s->limit.type == CDN_ELEMENT_FORCE ? "max_angle" : "upper",
                     INFINITY, &upper));
  CDNI_TRY(number_of(state, &s->limit, "margin", 0, &margin));
  CDNI_TRY(limited(s, state, &x, rate));
  for (int k = -1; k <= 1 && *side == 0; k += 2) {
    *past = (k < 0 ? x - lower : upper - x) - margin;
    if (*past < 0) *side = k;
  }
  return CDN_OK;
}

static cdn_status force_of_rows(cdn_state *state, int element, double *value) {
  int n;
  CDNI_TRY(cdn_soft_count(state, &n));
  for (int i = 0; i < n; i++) {
    cdn_soft_group group;
    CDNI_TRY(cdn_soft_get(state, i, &group));
    if (group.element != element) continue;
    *value = group.force[0];
    return CDN_OK;
  }
  return CDN_OK;
}

/* Of a stop, whose force has one direction: that of the coordinate, the axis, or the path's moments. */
static cdn_status force_of_stop(const io_sensor_part *s, cdn_state *state, double *value) {
  const cdn_system *system = cdn_state_system(state);
  const int nu = cdn_system_nu(system);
  double *f = cdn_work_push(state, 2 * (size_t)nu * sizeof *f), *moments = f + nu;
  if (!f) return CDN_ERR_NOMEM;
  cdn_status status = cdn_force_contribution(state, (cdn_force){ s->limit.element }, NULL, f, NULL, NULL);
  if (status == CDN_OK && s->path.i >= 0) {
    double product = 0, square = 0;
    status = cdn_path_moments(state, s->path, moments);
    for (int k = 0; k < nu && status == CDN_OK; k++) product += f[k] * moments[k], square += moments[k] * moments[k];
    *value = square > 0 ? fabs(product) / square : 0;
  } else if (status == CDN_OK) {
    const double *own = f + cdn_body_first_u(system, s->body);
    *value = s->limit.ball ? cdn_norm(cdn_v3(own[0], own[1], own[2])) : fabs(own[0]);
  }
  cdn_work_pop(state, f);
  return status;
}

cdn_status io_sensed_limit(const io_sensor_part *s, cdn_state *state, double *value) {
  int side;
  double past, rate;
  *value = 0;
  CDNI_TRY(bound_that_acts(s, state, &side, &past, &rate));
  if (side == 0) return CDN_OK;
  switch (s->kind) {
    case CDN_SENSOR_JOINT_LIMIT_POSITION:
    case CDN_SENSOR_TENDON_LIMIT_POSITION: *value = past; return CDN_OK;
    case CDN_SENSOR_JOINT_LIMIT_VELOCITY:
    case CDN_SENSOR_TENDON_LIMIT_VELOCITY: *value = -side * rate; return CDN_OK;
    default:
      if (rigid_bound(&s->limit, side).i >= 0) return cdn_one_sided_push(state, rigid_bound(&s->limit, side), value);
      return s->limit.type == CDN_ELEMENT_SOFT ? force_of_rows(state, s->limit.element, value)
                                               : force_of_stop(s, state, value);
  }
}

/* ---- actuators and tendons -------------------------------------------------------------------- */

cdn_status io_sensed_tendon(const io_sensor_part *s, cdn_state *state, double *value) {
  return s->kind == CDN_SENSOR_TENDON_POSITION ? cdn_path_length(state, s->path, value)
                                               : cdn_path_rate(state, s->path, value);
}

cdn_status io_sensed_drives(const io_sensor_part *s, cdn_state *state, double *value) {
  const cdn_system *system = cdn_state_system(state);
  double *f = cdn_work_push(state, (size_t)cdn_system_nu(system) * sizeof *f);
  cdn_status status = f ? CDN_OK : CDN_ERR_NOMEM;
  *value = 0;
  for (size_t i = 0; i < s->driving.count && status == CDN_OK; i++) {
    const cdn_force force = CDNI_AT(s->driving, cdn_force, i);
    double p = 0;
    if (s->path.i >= 0) status = cdn_actuator_force(state, force, &p);
    else status = cdn_force_contribution(state, force, NULL, f, NULL, NULL);
    if (status == CDN_OK) *value += s->path.i >= 0 ? p : f[cdn_body_first_u(system, s->body)];
  }
  if (f) cdn_work_pop(state, f);
  return status;
}

cdn_status io_sensed_drive(const io_sensor_part *s, cdn_state *state, double *value) {
  switch (s->kind) {
    case CDN_SENSOR_ACTUATOR_FORCE: return cdn_actuator_force(state, s->driven, value);
    case CDN_SENSOR_ACTUATOR_VELOCITY: return cdn_actuator_rate(state, s->driven, value);
    default: return cdn_actuator_length(state, s->driven, value);
  }
}
