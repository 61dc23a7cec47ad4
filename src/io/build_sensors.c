/* A spec's sensors as measures of the same names: built-in measures where there is one, else custom measures. */
#include "io/build.h"
#include "io/joints.h"
#include "io/sensor.h"

#include <cardan/measures.h>
#include <cardan/operators.h>
#include <math.h>

typedef io_sensor_part sensor;

static int count_of(cdn_sensor_kind kind, const sensor *s) {
  switch (kind) {
    case CDN_SENSOR_CONTACT: return s->contacts * io_sensed_count(s->data);
    case CDN_SENSOR_JOINT_POSITION:
    case CDN_SENSOR_JOINT_VELOCITY:
    case CDN_SENSOR_CLOCK:
    case CDN_SENSOR_KINETIC_ENERGY:
    case CDN_SENSOR_POTENTIAL_ENERGY:
    case CDN_SENSOR_TOUCH:
    case CDN_SENSOR_RANGE:
    case CDN_SENSOR_ACTUATOR_POSITION:
    case CDN_SENSOR_ACTUATOR_VELOCITY:
    case CDN_SENSOR_ACTUATOR_FORCE:
    case CDN_SENSOR_TENDON_POSITION:
    case CDN_SENSOR_TENDON_VELOCITY: return 1;
    case CDN_SENSOR_BALL_QUATERNION:
    case CDN_SENSOR_QUATERNION: return 4;
    case CDN_SENSOR_BALL_VELOCITY:
    case CDN_SENSOR_ACCELEROMETER:
    case CDN_SENSOR_VELOCIMETER:
    case CDN_SENSOR_GYRO:
    case CDN_SENSOR_POSITION:
    case CDN_SENSOR_X_AXIS:
    case CDN_SENSOR_Y_AXIS:
    case CDN_SENSOR_Z_AXIS:
    case CDN_SENSOR_LINEAR_VELOCITY:
    case CDN_SENSOR_ANGULAR_VELOCITY:
    case CDN_SENSOR_LINEAR_ACCELERATION:
    case CDN_SENSOR_ANGULAR_ACCELERATION:
    case CDN_SENSOR_SUBTREE_COM:
    case CDN_SENSOR_SUBTREE_VELOCITY:
    case CDN_SENSOR_SUBTREE_MOMENTUM:
    case CDN_SENSOR_FORCE:
    case CDN_SENSOR_TORQUE: break;
  }
  return 3;
}

static cdn_stage stage_of(cdn_sensor_kind kind) {
  switch (kind) {
    case CDN_SENSOR_CLOCK: return CDN_STAGE_TIME;
    case CDN_SENSOR_JOINT_POSITION:
    case CDN_SENSOR_BALL_QUATERNION:
    case CDN_SENSOR_POSITION:
    case CDN_SENSOR_QUATERNION:
    case CDN_SENSOR_X_AXIS:
    case CDN_SENSOR_Y_AXIS:
    case CDN_SENSOR_Z_AXIS:
    case CDN_SENSOR_SUBTREE_COM:
    case CDN_SENSOR_POTENTIAL_ENERGY:
    case CDN_SENSOR_RANGE: return CDN_STAGE_POSITION;
    case CDN_SENSOR_FORCE:
    case CDN_SENSOR_TORQUE:
    case CDN_SENSOR_TOUCH:
    case CDN_SENSOR_CONTACT:
    case CDN_SENSOR_ACTUATOR_FORCE:
    case CDN_SENSOR_ACTUATOR_POSITION:
    case CDN_SENSOR_ACTUATOR_VELOCITY:
    case CDN_SENSOR_ACCELEROMETER:
    case CDN_SENSOR_LINEAR_ACCELERATION:
    case CDN_SENSOR_ANGULAR_ACCELERATION: return CDN_STAGE_ACCELERATION;
    case CDN_SENSOR_JOINT_VELOCITY:
    case CDN_SENSOR_BALL_VELOCITY:
    case CDN_SENSOR_VELOCIMETER:
    case CDN_SENSOR_GYRO:
    case CDN_SENSOR_LINEAR_VELOCITY:
    case CDN_SENSOR_ANGULAR_VELOCITY:
    case CDN_SENSOR_SUBTREE_VELOCITY:
    case CDN_SENSOR_SUBTREE_MOMENTUM:
    case CDN_SENSOR_KINETIC_ENERGY:
    case CDN_SENSOR_TENDON_POSITION:
    case CDN_SENSOR_TENDON_VELOCITY: break;
  }
  return CDN_STAGE_VELOCITY;
}

/* ---- values ---- */

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

static cdn_status frame_position(const sensor *s, cdn_state *state, double *value) {
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
static cdn_status frame_velocity(const sensor *s, cdn_state *state, double *value) {
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
static cdn_status frame_acceleration(const sensor *s, cdn_state *state, double *value) {
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

static cdn_status subtree_value(const sensor *s, cdn_state *state, double *value) {
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

static cdn_status joint_value(const sensor *s, cdn_state *state, double *value) {
  const double *q = cdn_body_q(state, s->body), *u = cdn_body_u(state, s->body);
  switch (s->kind) {
    case CDN_SENSOR_JOINT_POSITION: *value = q[0]; return CDN_OK;
    case CDN_SENSOR_JOINT_VELOCITY: *value = u[0]; return CDN_OK;
    default: break;
  }
  const double largest = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
  const double w = q[0] / largest, x = q[1] / largest, y = q[2] / largest, z = q[3] / largest;
  const double length = sqrt(w * w + x * x + y * y + z * z);
  const cdn_quaternion unit = { w / length, x / length, y / length, z / length };
  if (s->kind == CDN_SENSOR_BALL_QUATERNION) put_quaternion(unit, value);
  else put(cdn_rotate_inv(cdn_rotation_from_quaternion(unit), cdn_v3(u[0], u[1], u[2])), value);
  return CDN_OK;
}

static cdn_status calc(const sensor *s, cdn_state *state, double *value) {
  switch (s->kind) {
    case CDN_SENSOR_JOINT_POSITION:
    case CDN_SENSOR_JOINT_VELOCITY:
    case CDN_SENSOR_BALL_QUATERNION:
    case CDN_SENSOR_BALL_VELOCITY: return joint_value(s, state, value);
    case CDN_SENSOR_POSITION:
    case CDN_SENSOR_QUATERNION:
    case CDN_SENSOR_X_AXIS:
    case CDN_SENSOR_Y_AXIS:
    case CDN_SENSOR_Z_AXIS: return frame_position(s, state, value);
    case CDN_SENSOR_VELOCIMETER:
    case CDN_SENSOR_GYRO:
    case CDN_SENSOR_LINEAR_VELOCITY:
    case CDN_SENSOR_ANGULAR_VELOCITY: return frame_velocity(s, state, value);
    case CDN_SENSOR_ACCELEROMETER:
    case CDN_SENSOR_LINEAR_ACCELERATION:
    case CDN_SENSOR_ANGULAR_ACCELERATION: return frame_acceleration(s, state, value);
    case CDN_SENSOR_SUBTREE_COM:
    case CDN_SENSOR_SUBTREE_VELOCITY:
    case CDN_SENSOR_SUBTREE_MOMENTUM: return subtree_value(s, state, value);
    case CDN_SENSOR_CLOCK: *value = cdn_state_time(state); return CDN_OK;
    case CDN_SENSOR_KINETIC_ENERGY: return cdn_kinetic_energy(state, value);
    case CDN_SENSOR_POTENTIAL_ENERGY: return cdn_potential_energy(state, value);
    case CDN_SENSOR_FORCE:
    case CDN_SENSOR_TORQUE: return io_sensed_force(s, state, value);
    case CDN_SENSOR_TOUCH: return io_sensed_touch(s, state, value);
    case CDN_SENSOR_RANGE: return io_sensed_range(s, state, value);
    case CDN_SENSOR_ACTUATOR_POSITION:
    case CDN_SENSOR_ACTUATOR_VELOCITY:
    case CDN_SENSOR_ACTUATOR_FORCE:
    case CDN_SENSOR_TENDON_POSITION:
    case CDN_SENSOR_TENDON_VELOCITY: return io_sensed_drive(s, state, value);
    case CDN_SENSOR_CONTACT: return io_sensed_contacts(s, state, value);
  }
  return CDN_ERR_ARG;
}

/* Directions are not cut off. */
static cdn_status calc_value(const void *self, cdn_state *state, int derivative, double *value) {
  const sensor *s = self;
  const int n = count_of(s->kind, s);
  const bool direction =
      n == 4 || s->kind == CDN_SENSOR_X_AXIS || s->kind == CDN_SENSOR_Y_AXIS || s->kind == CDN_SENSOR_Z_AXIS;
  (void)derivative;
  CDNI_TRY(calc(s, state, value));
  for (int i = 0; i < n && s->cutoff > 0 && !direction; i++) value[i] = fmin(fmax(value[i], -s->cutoff), s->cutoff);
  return CDN_OK;
}

/* ---- adding ---- */

static cdn_status wrong(int line) { return line > 0 ? CDN_ERR_PARSE : CDN_ERR_ARG; }

static cdn_status find_body(io_builder *b, const cdn_spec_sensor *of, const char *name, cdn_body *found) {
  const int body = io_spec_find_body(&b->names, name);
  *found = body >= 0 ? b->bodies[body] : cdn_ground();
  if (body != -2) return CDN_OK;
  return io_fail(b->log, wrong(of->line), of->line, "sensor '%.60s': there is no %s '%.60s'; correct the name",
                 of->name, b->log->body_word, name);
}

/* A joint of the kind that the sensor is for. */
static cdn_status find_joint(io_builder *b, const cdn_spec_sensor *of, cdn_body *found) {
  const int joint = of->joint ? io_names_find(&b->names.joints, of->joint) : -1;
  if (joint < 0)
    return io_fail(b->log, wrong(of->line), of->line, "sensor '%.60s': there is no joint '%.60s'; correct the name",
                   of->name, of->joint ? of->joint : "(none)");
  const cdn_spec_joint *j = io_spec_joint(b->spec, joint);
  const bool ball = of->kind == CDN_SENSOR_BALL_QUATERNION || of->kind == CDN_SENSOR_BALL_VELOCITY;
  if (ball ? j->kind != CDN_BALL || j->euler : io_spec_joint_nq(j) != 1)
    return io_fail(b->log, wrong(of->line), of->line, "sensor '%.60s': joint '%.60s' must %s for this kind of sensor",
                   of->name, of->joint, ball ? "be a ball with a quaternion" : "have one coordinate");
  *found = b->joints[joint];
  if (found->i >= 0) return CDN_OK;
  return io_fail(b->log, wrong(of->line), of->line,
                 "sensor '%.60s': joint '%.60s' is where a loop is cut, and has no coordinates; cut the loop by "
                 "splitting a body (CDN_CUT_BODY), or give the joint a larger weight",
                 of->name, of->joint);
}

/* The bodies of a subtree are a run: the System has them depth first. Ground carries all of the model. */
static void find_run(const io_builder *b, cdn_body body, int32_t *first_body, int32_t *last_body) {
  const int n = (int)b->tree.mobilizers.count;
  int first = 0;
  while (body.i > 0 && first < n && b->mobilizers[first].i != body.i) first++;
  int last = first;
  if (body.i > 0)
    while (last + 1 < n && io_mobilizer(b, last + 1)->level > io_mobilizer(b, first)->level) last++;
  else last = n - 1;
  *first_body = n > 0 ? b->mobilizers[first].i : 0;
  *last_body = n > 0 ? b->mobilizers[last].i : 0;
}

/* ---- sensors of contacts, actuators and tendons ---- */

static cdn_status nothing_called(io_builder *b, const cdn_spec_sensor *of, const char *what, const char *name) {
  return io_fail(b->log, wrong(of->line), of->line, "sensor '%.60s': there is no %s '%.60s'; correct the name",
                 of->name, what, name ? name : "(none)");
}

static cdn_status find_drive(io_builder *b, const cdn_spec_sensor *of, sensor *s) {
  const int i = of->actuator ? cdn_spec_find(b->spec, CDN_SPEC_ACTUATOR, of->actuator) : -1;
  if (i < 0 || i >= cdn_model_actuator_count(b->model)) return nothing_called(b, of, "actuator", of->actuator);
  s->driven = CDNI_AT(b->model->actuators, io_model_actuator, i).force;
  return CDN_OK;
}

static cdn_status find_length(io_builder *b, const cdn_spec_sensor *of, sensor *s) {
  if (of->tendon && io_find_tendon(b, of->tendon, &s->path)) return CDN_OK;
  return nothing_called(b, of, "tendon", of->tendon);
}

static cdn_status find_side(io_builder *b, const cdn_spec_sensor *of, cdn_sensor_side kind, const char *name,
                            io_side *side) {
  *side = (io_side){ .kind = kind, .shape = { -1 } };
  if (kind == CDN_SIDE_ANY) return CDN_OK;
  if (kind == CDN_SIDE_SHAPE) {
    const int i = name ? cdn_spec_find(b->spec, CDN_SPEC_SHAPE, name) : -1;
    if (i < 0) return nothing_called(b, of, "shape", name);
    if (b->ready[i].there) side->shape = b->ready[i].shape; /* one that never touches is { -1 } */
    return CDN_OK;
  }
  cdn_body body;
  CDNI_TRY(find_body(b, of, name, &body));
  side->first = side->last = body.i;
  if (kind == CDN_SIDE_SUBTREE) find_run(b, body, &side->first, &side->last);
  if (kind == CDN_SIDE_SUBTREE && body.i == 0) side->first = 0; /* the world itself, too */
  return CDN_OK;
}

static cdn_status find_sides(io_builder *b, const cdn_spec_sensor *of, sensor *s) {
  s->contacts = of->reduce == CDN_REDUCE_NET ? 1 : of->contacts, s->data = of->data, s->reduce = of->reduce;
  const int each = io_sensed_count(of->data);
  if (s->contacts < 1 || each < 1 || s->contacts > CDN_MEASURE_MOST / each)
    return io_fail(b->log, wrong(of->line), of->line,
                   "sensor '%.60s' has %d numbers of each of %d contacts: from 1 to %d in all are possible", of->name,
                   each, s->contacts, CDN_MEASURE_MOST);
  CDNI_TRY(find_side(b, of, of->side_a, of->name_a, &s->side[0]));
  return find_side(b, of, of->side_b, of->name_b, &s->side[1]);
}

static cdn_status find_volume(io_builder *b, const cdn_spec_sensor *of, sensor *s) {
  memcpy(s->volume.size, of->volume_size, sizeof s->volume.size);
  if (io_geometry_kind(of->volume, &s->volume.kind) && cdn_geometry_check(&s->volume) == CDN_OK) return CDN_OK;
  return io_fail(b->log, wrong(of->line), of->line,
                 "sensor '%.60s': its volume is no sphere, capsule, ellipsoid, cylinder or box of positive sizes",
                 of->name);
}

static bool is_of_contacts(cdn_sensor_kind kind) {
  return kind == CDN_SENSOR_TOUCH || kind == CDN_SENSOR_RANGE || kind == CDN_SENSOR_CONTACT;
}
static bool is_of_actuator(cdn_sensor_kind kind) {
  return kind >= CDN_SENSOR_ACTUATOR_POSITION && kind <= CDN_SENSOR_ACTUATOR_FORCE;
}
/* What the options leave out, its sensors cannot show. */
static const char *lacks(const io_builder *b, cdn_sensor_kind kind) {
  if (is_of_contacts(kind) && !io_shapes_touch(&b->model->options)) return "sensor of contacts (no contact)";
  if (is_of_actuator(kind) && b->model->options.tree_only) return "sensor of an actuator (none are built)";
  return NULL;
}

static bool is_of_joint(cdn_sensor_kind kind) { return kind <= CDN_SENSOR_BALL_VELOCITY; }
static bool is_of_subtree(cdn_sensor_kind kind) {
  return kind >= CDN_SENSOR_SUBTREE_COM && kind <= CDN_SENSOR_SUBTREE_MOMENTUM;
}

static cdn_status make(io_builder *b, const cdn_spec_sensor *of, sensor *s) {
  *s = (sensor){ .kind = of->kind,
                 .cutoff = of->cutoff,
                 .X_BS = of->X_BS,
                 .X_BR = of->X_RS,
                 .gravity = b->gravity,
                 .driven = { -1 },
                 .path = { -1 } };
  if ((unsigned)of->kind > CDN_SENSOR_CONTACT)
    return io_fail(b->log, CDN_ERR_ARG, of->line, "sensor '%.60s': there is no kind %d", of->name, (int)of->kind);
  if (is_of_joint(of->kind)) return find_joint(b, of, &s->body);
  if (is_of_actuator(of->kind)) return find_drive(b, of, s);
  if (of->kind == CDN_SENSOR_TENDON_POSITION || of->kind == CDN_SENSOR_TENDON_VELOCITY) return find_length(b, of, s);
  if (of->kind == CDN_SENSOR_CONTACT) return find_sides(b, of, s);
  if (of->kind == CDN_SENSOR_TOUCH) CDNI_TRY(find_volume(b, of, s));
  CDNI_TRY(find_body(b, of, of->body, &s->body));
  CDNI_TRY(find_body(b, of, of->reference, &s->reference));
  s->has_reference = of->has_reference;
  if (is_of_subtree(of->kind)) find_run(b, s->body, &s->first, &s->last);
  const double *frames[] = { (const double *)&of->X_BS, (const double *)&of->X_RS };
  for (int i = 0; i < 2; i++)
    if (!cdni_all_finite(frames[i], sizeof(cdn_transform) / sizeof(double), NULL))
      return io_fail(b->log, CDN_ERR_NONFINITE, of->line, "sensor '%.60s': a frame of it has a NaN or an infinity",
                     of->name);
  return CDN_OK;
}

/* Sensors that built-in measures can provide, with their derivatives and prerequisites; { -1 } for the others. */
static cdn_measure add_native(io_builder *b, const cdn_spec_sensor *of, const sensor *s) {
  cdn_system *system = b->system;
  if (of->cutoff > 0 || of->has_reference) return (cdn_measure){ -1 };
  switch (of->kind) {
    case CDN_SENSOR_JOINT_POSITION: return cdn_system_add_coordinate_measure(system, of->name, s->body, CDN_Q, 0);
    case CDN_SENSOR_JOINT_VELOCITY: return cdn_system_add_coordinate_measure(system, of->name, s->body, CDN_U, 0);
    case CDN_SENSOR_POSITION:
      return cdn_system_add_station_measure(system, of->name, s->body, s->X_BS.p, CDN_STATION_POSITION);
    case CDN_SENSOR_LINEAR_VELOCITY:
      return cdn_system_add_station_measure(system, of->name, s->body, s->X_BS.p, CDN_STATION_VELOCITY);
    case CDN_SENSOR_CLOCK: return cdn_system_add_time_measure(system, of->name);
    case CDN_SENSOR_KINETIC_ENERGY: return cdn_system_add_energy_measure(system, of->name, CDN_ENERGY_KINETIC);
    case CDN_SENSOR_POTENTIAL_ENERGY: return cdn_system_add_energy_measure(system, of->name, CDN_ENERGY_POTENTIAL);
    default: return (cdn_measure){ -1 };
  }
}

static cdn_status add_sensor(io_builder *b, const cdn_spec_sensor *of, cdn_measure *made) {
  if (cdn_system_body_count(b->system) < 2 && of->kind != CDN_SENSOR_CLOCK) {
    io_not_understood(b->log, of->line, "sensor of a model without bodies");
    return CDN_OK;
  }
  sensor s;
  if (lacks(b, of->kind)) {
    io_not_understood(b->log, of->line, lacks(b, of->kind));
    return CDN_OK;
  }
  CDNI_TRY(make(b, of, &s));
  const cdn_measure_ops ops = { .struct_size = sizeof ops,
                                .self_size = sizeof s,
                                .n = count_of(of->kind, &s),
                                .stage = stage_of(of->kind),
                                .calc_value = calc_value };
  *made = add_native(b, of, &s);
  if (made->i < 0) *made = cdn_system_add_custom_measure(b->system, of->name, &ops, &s);
  return CDN_OK;
}

cdn_status io_build_sensors(io_builder *b) {
  const int n = cdn_spec_count(b->spec, CDN_SPEC_SENSOR);
  for (int i = 0; i < n; i++) {
    cdn_measure made = { -1 };
    CDNI_TRY(add_sensor(b, io_spec_sensor(b->spec, i), &made));
    if (!cdni_array_push(&b->model->allocator, &b->model->measures, sizeof made, &made))
      return io_fail(b->log, CDN_ERR_NOMEM, 0, "out of memory");
  }
  return CDN_OK;
}
