/* The kinds of sensors, and their measures: built-in ones where there is one, else custom measures. Noise comes before
 * the cutoff. */
#include <math.h>

#include <cardan/queries.h>
#include <cardan/random.h>

#include "core/core.h"
#include "io/sensor.h"

/* Kind, numbers, stage, how it is cut off, what it is of, its value. */
#define SENSOR_LIST(X)                                                   \
  X(JOINT_POSITION, 1, POSITION, REAL, JOINT, joint)                     \
  X(JOINT_VELOCITY, 1, VELOCITY, REAL, JOINT, joint)                     \
  X(BALL_QUATERNION, 4, POSITION, QUATERNION, BALL, joint)               \
  X(BALL_VELOCITY, 3, VELOCITY, REAL, BALL, joint)                       \
  X(ACCELEROMETER, 3, ACCELERATION, REAL, FRAME, acceleration)           \
  X(VELOCIMETER, 3, VELOCITY, REAL, FRAME, motion)                       \
  X(GYRO, 3, VELOCITY, REAL, FRAME, motion)                              \
  X(POSITION, 3, POSITION, REAL, FRAME, pose)                            \
  X(QUATERNION, 4, POSITION, QUATERNION, FRAME, pose)                    \
  X(X_AXIS, 3, POSITION, AXIS, FRAME, pose)                              \
  X(Y_AXIS, 3, POSITION, AXIS, FRAME, pose)                              \
  X(Z_AXIS, 3, POSITION, AXIS, FRAME, pose)                              \
  X(LINEAR_VELOCITY, 3, VELOCITY, REAL, FRAME, motion)                   \
  X(ANGULAR_VELOCITY, 3, VELOCITY, REAL, FRAME, motion)                  \
  X(LINEAR_ACCELERATION, 3, ACCELERATION, REAL, FRAME, acceleration)     \
  X(ANGULAR_ACCELERATION, 3, ACCELERATION, REAL, FRAME, acceleration)    \
  X(SUBTREE_COM, 3, POSITION, REAL, SUBTREE, subtree)                    \
  X(SUBTREE_VELOCITY, 3, VELOCITY, REAL, SUBTREE, subtree)               \
  X(SUBTREE_MOMENTUM, 3, VELOCITY, REAL, SUBTREE, subtree)               \
  X(CLOCK, 1, TIME, REAL, NOTHING, time)                                 \
  X(KINETIC_ENERGY, 1, VELOCITY, REAL, NOTHING, energy)                  \
  X(POTENTIAL_ENERGY, 1, POSITION, REAL, NOTHING, energy)                \
  X(FORCE, 3, ACCELERATION, REAL, FRAME, force)                          \
  X(TORQUE, 3, ACCELERATION, REAL, FRAME, force)                         \
  X(TOUCH, 1, ACCELERATION, POSITIVE, VOLUME, touch)                     \
  X(RANGE, 0, POSITION, POSITIVE, FRAME, range)                          \
  X(ACTUATOR_POSITION, 1, ACCELERATION, REAL, ACTUATOR, drive)           \
  X(ACTUATOR_VELOCITY, 1, ACCELERATION, REAL, ACTUATOR, drive)           \
  X(ACTUATOR_FORCE, 1, ACCELERATION, REAL, ACTUATOR, drive)              \
  X(TENDON_POSITION, 1, POSITION, REAL, TENDON, tendon)                  \
  X(TENDON_VELOCITY, 1, VELOCITY, REAL, TENDON, tendon)                  \
  X(CONTACT, 0, ACCELERATION, UNCUT, CONTACTS, contacts)                 \
  X(MAGNETOMETER, 3, POSITION, REAL, FRAME, field)                       \
  X(CAMERA_PROJECTION, 2, POSITION, REAL, FRAME, picture)                \
  X(INSIDE, 1, POSITION, REAL, VOLUME, inside)                           \
  X(JOINT_LIMIT_POSITION, 1, POSITION, REAL, JOINT_LIMIT, limit)         \
  X(JOINT_LIMIT_VELOCITY, 1, VELOCITY, REAL, JOINT_LIMIT, limit)         \
  X(JOINT_LIMIT_FORCE, 1, ACCELERATION, REAL, JOINT_LIMIT, limit)        \
  X(TENDON_LIMIT_POSITION, 1, POSITION, REAL, TENDON_LIMIT, limit)       \
  X(TENDON_LIMIT_VELOCITY, 1, VELOCITY, REAL, TENDON_LIMIT, limit)       \
  X(TENDON_LIMIT_FORCE, 1, ACCELERATION, REAL, TENDON_LIMIT, limit)      \
  X(DISTANCE, 1, POSITION, UNCUT, SHAPES, distance)                      \
  X(NORMAL, 3, POSITION, UNCUT, SHAPES, distance)                        \
  X(FROM_TO, 6, POSITION, UNCUT, SHAPES, distance)                       \
  X(JOINT_ACTUATOR_FORCE, 1, ACCELERATION, REAL, DRIVEN_JOINT, drives)   \
  X(TENDON_ACTUATOR_FORCE, 1, ACCELERATION, REAL, DRIVEN_TENDON, drives) \
  X(USER, 0, INSTANCE, REAL, USER, time)

static const io_sensor_kind kinds[CDN_SENSOR_KIND_COUNT] = {
#define ROW(KIND, n, STAGE, TYPE, OF, function) \
  [CDN_SENSOR_##KIND] = { n, CDN_STAGE_##STAGE, IO_SENSED_##TYPE, IO_OF_##OF, io_sensed_##function },
  SENSOR_LIST(ROW)
};
#define PLUS_ONE(KIND, n, STAGE, TYPE, OF, function) +1
_Static_assert(SENSOR_LIST(PLUS_ONE) == CDN_SENSOR_KIND_COUNT, "a row for each kind");

const io_sensor_kind *io_sensor_kind_of(cdn_sensor_kind kind) {
  return (unsigned)kind < CDN_SENSOR_KIND_COUNT ? &kinds[kind] : NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int count_of(const io_sensor_part *s) {
  if (s->kind == CDN_SENSOR_CONTACT) return s->contacts * io_sensed_count(s->data);
  if (s->kind == CDN_SENSOR_RANGE) return io_rays_count(s->data, s->of_pixels, s->pixels);
  return kinds[s->kind].count;
}

/* The rotation by normal numbers as its vector, of this deviation. */
static cdn_rotation shaken(const double normal[3], double deviation) {
  const cdn_vec3 turn = cdn_scale(deviation, cdn_v3(normal[0], normal[1], normal[2]));
  return cdn_rotation_axis_angle(turn, cdn_norm(turn));
}

/* Directions and orientations stay what they are: they turn. */
static cdn_status add_noise(const io_sensor_part *s, cdn_state *state, int n, double *value) {
  double normal[CDN_MEASURE_MOST];
  cdn_random_place at;
  CDNI_TRY(cdn_state_random(state, s->user, &at));
  const io_sensed_type type = kinds[s->kind].type;
  cdn_random_normal(&at, n, normal);
  if (type == IO_SENSED_AXIS) {
    const cdn_vec3 axis = cdn_rotate(shaken(normal, s->noise), cdn_v3(value[0], value[1], value[2]));
    value[0] = axis.x, value[1] = axis.y, value[2] = axis.z;
  } else if (type == IO_SENSED_QUATERNION) {
    const cdn_rotation R = cdn_rotation_from_quaternion((cdn_quaternion){ value[0], value[1], value[2], value[3] });
    const cdn_quaternion q = cdn_quaternion_from_rotation(cdn_rotation_multiply(R, shaken(normal, s->noise)));
    value[0] = q.w, value[1] = q.x, value[2] = q.y, value[3] = q.z;
  } else {
    for (int i = 0; i < n; i++) {
      const bool positive = type == IO_SENSED_POSITIVE;
      if (positive && value[i] < 0) continue;
      value[i] += s->noise * normal[i];
      if (positive) value[i] = fmax(value[i], 0);
    }
  }
  return CDN_OK;
}

static void cut_off(const io_sensor_part *s, int n, double *value) {
  const io_sensed_type type = kinds[s->kind].type;
  if (!(s->cutoff > 0) || type > IO_SENSED_POSITIVE) return;
  for (int i = 0; i < n; i++) {
    value[i] = fmin(value[i], s->cutoff);
    if (type == IO_SENSED_REAL) value[i] = fmax(value[i], -s->cutoff);
  }
}

static cdn_status calc_value(const void *self, cdn_state *state, int derivative, double *value) {
  const io_sensor_part *s = self;
  const int n = count_of(s);
  (void)derivative;
  CDNI_TRY(kinds[s->kind].calc(s, state, value));
  if (s->noise > 0) CDNI_TRY(add_noise(s, state, n, value));
  cut_off(s, n, value);
  return CDN_OK;
}

/* ---- measures -------------------------------------------------------------------------------- */

void io_forget_lists(io_sensor_part *s) {
  for (size_t i = 0; i < s->seen.count; i++) cdn_surface_release(CDNI_AT(s->seen, io_seen, i).geometry.surface);
  cdni_array_free(s->memory, &s->seen);
  cdni_array_free(s->memory, &s->driving);
}

static void destroy(void *self) { io_forget_lists(self); }

/* Sensors that built-in measures can provide, with their derivatives and prerequisites; { -1 } for the others. */
static cdn_measure add_native(cdn_system *system, const cdn_spec_sensor *of, const char *name,
                              const io_sensor_part *s) {
  static const double zeros[CDN_MEASURE_MOST];
  if (of->kind == CDN_SENSOR_USER) return cdn_system_add_variable_measure(system, name, of->numbers, zeros);
  if (of->cutoff > 0 || of->has_reference || s->noise > 0) return (cdn_measure){ -1 };
  switch (of->kind) {
    case CDN_SENSOR_JOINT_POSITION: return cdn_system_add_coordinate_measure(system, name, s->body, CDN_Q, 0);
    case CDN_SENSOR_JOINT_VELOCITY: return cdn_system_add_coordinate_measure(system, name, s->body, CDN_U, 0);
    case CDN_SENSOR_POSITION:
      return cdn_system_add_station_measure(system, name, s->body, s->X_BS.p, CDN_STATION_POSITION);
    case CDN_SENSOR_LINEAR_VELOCITY:
      return cdn_system_add_station_measure(system, name, s->body, s->X_BS.p, CDN_STATION_VELOCITY);
    case CDN_SENSOR_CLOCK: return cdn_system_add_time_measure(system, name);
    case CDN_SENSOR_KINETIC_ENERGY: return cdn_system_add_energy_measure(system, name, CDN_ENERGY_KINETIC);
    case CDN_SENSOR_POTENTIAL_ENERGY: return cdn_system_add_energy_measure(system, name, CDN_ENERGY_POTENTIAL);
    default: return (cdn_measure){ -1 };
  }
}

/* The measure takes the lists, or they stay the caller's. */
cdn_measure io_add_sensor(cdn_system *system, const cdn_spec_sensor *of, const char *name, const io_sensor_part *s) {
  const io_sensor_kind *kind = &kinds[s->kind];
  cdn_ticket reads[5] = { cdn_stage_ticket(kind->stage) };
  int n = 1;
  if (s->noise > 0) reads[n++] = cdn_system_random_ticket(system);
  if ((s->kind == CDN_SENSOR_RANGE || kind->of == IO_OF_SHAPES) && cdn_shapes_ticket(system).i > 0)
    reads[n++] = cdn_shapes_ticket(system);
  if (s->path.i >= 0) reads[n++] = cdn_path_ticket(system);
  if (s->path.i >= 0 && kind->stage > CDN_STAGE_POSITION) reads[n++] = cdn_path_rate_ticket(system);
  const cdn_measure_ops ops = { .struct_size = sizeof ops,
                                .self_size = sizeof *s,
                                .n = count_of(s),
                                .stage = kind->stage,
                                .calc_value = calc_value,
                                .prerequisites = reads,
                                .n_prerequisites = n,
                                .destroy = destroy };
  cdn_measure made = add_native(system, of, name, s);
  return made.i < 0 ? cdn_system_add_custom_measure(system, name, &ops, s) : made;
}
