/* What sensors of joints, frames and subtrees show. */
#include <math.h>

#include <cardan/operators.h>

#include "core/core.h"
#include "io/sensor.h"

typedef io_sensor_part sensor;

static void put(cdn_vec3 v, double *value) { value[0] = v.x, value[1] = v.y, value[2] = v.z; }

static void put_quaternion(cdn_quaternion q, double *value) {
  value[0] = q.w, value[1] = q.x, value[2] = q.y, value[3] = q.z;
}

/* A frame in Ground: its pose, and if `velocity` is not NULL that of its origin. */
static cdn_status place(cdn_state *state, cdn_body body, cdn_transform X_BS, cdn_transform *X_GS,
                        cdn_spatial *velocity) {
  cdn_transform X_GB;
  CDNI_TRY(cdn_body_pose(state, body, &X_GB));
  *X_GS = cdn_transform_multiply(X_GB, X_BS);
  if (!velocity) return CDN_OK;
  CDNI_TRY(cdn_body_velocity(state, body, velocity));
  velocity->v = cdn_add(velocity->v, cdn_cross(velocity->w, cdn_rotate(X_GB.R, X_BS.p)));
  return CDN_OK;
}

cdn_status io_sensed_pose(const sensor *s, cdn_state *state, double *value) {
  cdn_transform X_GS, X_GR = cdn_transform_identity();
  CDNI_TRY(place(state, s->body, s->X_BS, &X_GS, NULL));
  if (s->has_reference) CDNI_TRY(place(state, s->reference, s->X_BR, &X_GR, NULL));
  const cdn_rotation R = cdn_rotation_multiply(cdn_rotation_transpose(X_GR.R), X_GS.R);
  switch (s->kind) {
    case CDN_SENSOR_QUATERNION: put_quaternion(cdn_quaternion_from_rotation(R), value); break;
    case CDN_SENSOR_X_AXIS: put(R.x, value); break;
    case CDN_SENSOR_Y_AXIS: put(R.y, value); break;
    case CDN_SENSOR_Z_AXIS: put(R.z, value); break;
    default: put(cdn_rotate_inv(X_GR.R, cdn_sub(X_GS.p, X_GR.p)), value); break;
  }
  return CDN_OK;
}

/* As an observer sees it who turns with the reference frame, in its axes. */
cdn_status io_sensed_motion(const sensor *s, cdn_state *state, double *value) {
  cdn_transform X_GS, X_GR = cdn_transform_identity();
  cdn_spatial V, R = { { 0, 0, 0 }, { 0, 0, 0 } };
  CDNI_TRY(place(state, s->body, s->X_BS, &X_GS, &V));
  if (s->has_reference) CDNI_TRY(place(state, s->reference, s->X_BR, &X_GR, &R));
  const bool local = s->kind == CDN_SENSOR_VELOCIMETER || s->kind == CDN_SENSOR_GYRO;
  const cdn_vec3 carried = cdn_add(R.v, cdn_cross(R.w, cdn_sub(X_GS.p, X_GR.p)));
  const bool angular = s->kind == CDN_SENSOR_GYRO || s->kind == CDN_SENSOR_ANGULAR_VELOCITY;
  const cdn_vec3 relative = angular ? cdn_sub(V.w, R.w) : cdn_sub(V.v, carried);
  put(cdn_rotate_inv(local ? X_GS.R : X_GR.R, relative), value);
  return CDN_OK;
}

/* The reading of an accelerometer: at rest it is the upward push of its support. */
cdn_status io_sensed_acceleration(const sensor *s, cdn_state *state, double *value) {
  cdn_transform X_GS, X_GB;
  cdn_spatial V, A;
  CDNI_TRY(place(state, s->body, s->X_BS, &X_GS, &V));
  CDNI_TRY(cdn_body_pose(state, s->body, &X_GB));
  CDNI_TRY(cdn_body_acceleration(state, s->body, &A));
  const cdn_vec3 r = cdn_sub(X_GS.p, X_GB.p), zero = { 0, 0, 0 };
  const bool falls = s->gravity.i >= 0 && cdn_force_is_enabled(state, s->gravity);
  const cdn_vec3 g = falls ? cdn_gravity_get(state, s->gravity) : zero;
  const cdn_vec3 turning = cdn_add(cdn_cross(A.w, r), cdn_cross(V.w, cdn_cross(V.w, r)));
  const cdn_vec3 a = cdn_sub(cdn_add(A.v, turning), g);
  if (s->kind == CDN_SENSOR_ANGULAR_ACCELERATION) put(A.w, value);
  else put(s->kind == CDN_SENSOR_ACCELEROMETER ? cdn_rotate_inv(X_GS.R, a) : a, value);
  return CDN_OK;
}

/* Mass, centre of mass, its velocity. Without mass it is where the root is, and at rest. */
static cdn_status subtree(const sensor *s, cdn_state *state, bool moving, cdn_vec3 *p, cdn_vec3 *v) {
  cdn_vec3 mp = { 0, 0, 0 }, mv = mp;
  double mass = 0;
  for (int32_t i = s->first; i <= s->last; i++) {
    const cdn_body body = { i };
    if (i == 0) continue;
    const cdn_mass_properties own = cdn_body_mass_properties(state, body);
    cdn_vec3 p_G, v_G = { 0, 0, 0 };
    CDNI_TRY(cdn_body_station(state, body, own.com, &p_G, moving ? &v_G : NULL));
    mp = cdn_add(mp, cdn_scale(own.mass, p_G));
    mv = cdn_add(mv, cdn_scale(own.mass, v_G));
    mass += own.mass;
  }
  if (mass > 0) {
    *p = cdn_scale(1 / mass, mp);
    *v = cdn_scale(1 / mass, mv);
    return CDN_OK;
  }
  cdn_transform X = cdn_transform_identity();
  if (s->body.i > 0) CDNI_TRY(cdn_body_pose(state, s->body, &X));
  *p = X.p;
  *v = cdn_v3(0, 0, 0);
  return CDN_OK;
}

/* The spin of a body about its centre of mass, I w in Ground. */
static cdn_vec3 spin_of(cdn_rotation R_GB, cdn_inertia I_B, cdn_vec3 w) {
  const cdn_inertia I = cdn_inertia_reexpress(R_GB, I_B);
  return cdn_v3(I.xx * w.x + I.xy * w.y + I.xz * w.z, I.xy * w.x + I.yy * w.y + I.yz * w.z,
                I.xz * w.x + I.yz * w.y + I.zz * w.z);
}

cdn_status io_sensed_subtree(const sensor *s, cdn_state *state, double *value) {
  cdn_vec3 p, v, L = { 0, 0, 0 };
  CDNI_TRY(subtree(s, state, s->kind != CDN_SENSOR_SUBTREE_COM, &p, &v));
  for (int32_t i = s->first; i <= s->last && s->kind == CDN_SENSOR_SUBTREE_MOMENTUM; i++) {
    const cdn_body body = { i };
    if (i == 0) continue;
    const cdn_mass_properties own = cdn_body_mass_properties(state, body);
    cdn_transform X;
    cdn_spatial V;
    cdn_vec3 p_G, v_G;
    CDNI_TRY(cdn_body_pose(state, body, &X));
    CDNI_TRY(cdn_body_velocity(state, body, &V));
    CDNI_TRY(cdn_body_station(state, body, own.com, &p_G, &v_G));
    const cdn_vec3 spin = spin_of(X.R, own.inertia, V.w);
    L = cdn_add(L, cdn_add(spin, cdn_scale(own.mass, cdn_cross(cdn_sub(p_G, p), cdn_sub(v_G, v)))));
  }
  put(s->kind == CDN_SENSOR_SUBTREE_COM ? p : s->kind == CDN_SENSOR_SUBTREE_VELOCITY ? v : L, value);
  return CDN_OK;
}

cdn_status io_sensed_joint(const sensor *s, cdn_state *state, double *value) {
  const bool moves = s->kind == CDN_SENSOR_JOINT_VELOCITY || s->kind == CDN_SENSOR_BALL_VELOCITY;
  const double *u = moves ? cdn_body_u(state, s->body) : NULL;
  if (s->kind == CDN_SENSOR_JOINT_VELOCITY) {
    *value = u[0];
    return CDN_OK;
  }
  const double *q = cdn_body_q(state, s->body);
  if (s->kind == CDN_SENSOR_JOINT_POSITION) {
    *value = q[0];
    return CDN_OK;
  }
  const double largest = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
  const double w = q[0] / largest, x = q[1] / largest, y = q[2] / largest, z = q[3] / largest;
  const double length = sqrt(w * w + x * x + y * y + z * z);
  const cdn_quaternion unit = { w / length, x / length, y / length, z / length };
  if (!moves) put_quaternion(unit, value);
  else put(cdn_rotate_inv(cdn_rotation_from_quaternion(unit), cdn_v3(u[0], u[1], u[2])), value);
  return CDN_OK;
}

/* ---- frames that look at frames ---- */

/* The point as the camera has it, whose axes are right, up, and back. */
cdn_status io_sensed_picture(const sensor *s, cdn_state *state, double *value) {
  cdn_transform X_GS, X_GC;
  CDNI_TRY(place(state, s->body, s->X_BS, &X_GS, NULL));
  CDNI_TRY(place(state, s->reference, s->X_BR, &X_GC, NULL));
  const cdn_vec3 p = cdn_rotate_inv(X_GC.R, cdn_sub(X_GS.p, X_GC.p));
  /* what is beside the camera is somewhere far out: MuJoCo's smallest divisor */
  const double z = fabs(p.z) < 1e-15 ? copysign(1e-15, p.z) : p.z;
  value[0] = 0.5 * s->pixels[0] - s->focal[0] * p.x / z;
  value[1] = 0.5 * s->pixels[1] + s->focal[1] * p.y / z;
  return CDN_OK;
}

cdn_status io_sensed_inside(const sensor *s, cdn_state *state, double *value) {
  cdn_transform X_GS, X_GV;
  cdn_proximity near;
  CDNI_TRY(place(state, s->body, s->X_BS, &X_GS, NULL));
  CDNI_TRY(place(state, s->reference, s->X_BR, &X_GV, NULL));
  CDNI_TRY(cdn_geometry_point_distance(&s->volume, &X_GV, X_GS.p, &near));
  *value = near.distance <= 0;
  return CDN_OK;
}

cdn_status io_sensed_field(const sensor *s, cdn_state *state, double *value) {
  cdn_transform X_GS;
  CDNI_TRY(place(state, s->body, s->X_BS, &X_GS, NULL));
  put(cdn_rotate_inv(X_GS.R, s->field), value);
  return CDN_OK;
}

cdn_status io_sensed_time(const sensor *s, cdn_state *state, double *value) {
  (void)s;
  *value = cdn_state_time(state);
  return CDN_OK;
}

cdn_status io_sensed_energy(const sensor *s, cdn_state *state, double *value) {
  return s->kind == CDN_SENSOR_KINETIC_ENERGY ? cdn_kinetic_energy(state, value) : cdn_potential_energy(state, value);
}
