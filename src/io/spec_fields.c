/* The members of a spec's elements. */
#include "io/spec_fields.h"

#include "io/joints.h"

#include <math.h>

/* ---- words of enumerations ------------------------------------------------------------------- */

/* A switch without a default does not compile when a value is missing. */
#define WORDS(function, type, ...)         \
  static const char *function(int value) { \
    switch ((type)value) { __VA_ARGS__ }   \
    return NULL;                           \
  }
#define WORD(value, word) \
  case value: return word;

WORDS(level_word, cdn_motion_level,
      WORD(CDN_LEVEL_NONE, "none") WORD(CDN_LEVEL_ACCELERATION, "acceleration") WORD(CDN_LEVEL_VELOCITY, "velocity")
          WORD(CDN_LEVEL_POSITION, "position"))
WORDS(cut_word, cdn_spec_cut, WORD(CDN_CUT_AUTO, "auto") WORD(CDN_CUT_BODY, "body") WORD(CDN_CUT_JOINT, "joint"))
WORDS(constraint_word, cdn_spec_constraint_kind,
      WORD(CDN_SPEC_CONNECT, "connect") WORD(CDN_SPEC_WELD, "weld") WORD(CDN_SPEC_COUPLING, "coupling")
          WORD(CDN_SPEC_TENDON_COUPLING, "tendon coupling"))
WORDS(path_item_word, cdn_spec_path_item_kind,
      WORD(CDN_SPEC_PATH_POINT, "point") WORD(CDN_SPEC_PATH_SPHERE, "sphere") WORD(CDN_SPEC_PATH_CYLINDER, "cylinder")
          WORD(CDN_SPEC_PATH_PULLEY, "pulley") WORD(CDN_SPEC_PATH_COORDINATE, "coordinate"))
WORDS(shape_word, cdn_shape_type,
      WORD(CDN_SHAPE_PLANE, "plane") WORD(CDN_SHAPE_HFIELD, "hfield") WORD(CDN_SHAPE_SPHERE, "sphere")
          WORD(CDN_SHAPE_CAPSULE, "capsule") WORD(CDN_SHAPE_ELLIPSOID, "ellipsoid") WORD(CDN_SHAPE_CYLINDER, "cylinder")
              WORD(CDN_SHAPE_BOX, "box") WORD(CDN_SHAPE_MESH, "mesh"))
WORDS(asset_word, cdn_asset_type,
      WORD(CDN_ASSET_MESH, "mesh") WORD(CDN_ASSET_HFIELD, "hfield") WORD(CDN_ASSET_TEXTURE, "texture")
          WORD(CDN_ASSET_MATERIAL, "material"))
WORDS(builtin_word, cdn_spec_texture,
      WORD(CDN_SPEC_TEXTURE_NONE, "none") WORD(CDN_SPEC_TEXTURE_GRADIENT, "gradient")
          WORD(CDN_SPEC_TEXTURE_CHECKER, "checker") WORD(CDN_SPEC_TEXTURE_FLAT, "flat"))
WORDS(texture_word, cdn_spec_texture_type,
      WORD(CDN_SPEC_TEXTURE_2D, "2d") WORD(CDN_SPEC_TEXTURE_CUBE, "cube") WORD(CDN_SPEC_TEXTURE_SKYBOX, "skybox"))
WORDS(mark_word, cdn_spec_texture_mark,
      WORD(CDN_SPEC_MARK_NONE, "none") WORD(CDN_SPEC_MARK_EDGE, "edge") WORD(CDN_SPEC_MARK_CROSS, "cross")
          WORD(CDN_SPEC_MARK_RANDOM, "random"))
WORDS(camera_word, cdn_camera_mode,
      WORD(CDN_CAMERA_FIXED, "fixed") WORD(CDN_CAMERA_TRACK, "track") WORD(CDN_CAMERA_TRACK_COM, "trackcom")
          WORD(CDN_CAMERA_TARGET, "targetbody") WORD(CDN_CAMERA_TARGET_COM, "targetbodycom")
              WORD(CDN_CAMERA_MODE_COUNT, NULL))
WORDS(dynamics_word, cdn_actuator_dynamics,
      WORD(CDN_ACTUATOR_DIRECT, "none") WORD(CDN_ACTUATOR_INTEGRATOR, "integrator") WORD(CDN_ACTUATOR_FILTER, "filter")
          WORD(CDN_ACTUATOR_MUSCLE, "muscle") WORD(CDN_ACTUATOR_USER, "user"))
WORDS(drive_law_word, cdn_drive_law,
      WORD(CDN_LAW_AFFINE, "affine") WORD(CDN_LAW_OF_MUSCLE, "muscle") WORD(CDN_LAW_OF_USER, "user"))
WORDS(interpolation_word, cdn_interpolation,
      WORD(CDN_INTERPOLATE_HOLD, "hold") WORD(CDN_INTERPOLATE_LINEAR, "linear") WORD(CDN_INTERPOLATE_CUBIC, "cubic"))
WORDS(side_word, cdn_sensor_side,
      WORD(CDN_SIDE_ANY, "any") WORD(CDN_SIDE_SHAPE, "shape") WORD(CDN_SIDE_BODY, "body")
          WORD(CDN_SIDE_SUBTREE, "subtree") WORD(CDN_SIDE_VOLUME, "volume"))
WORDS(reduce_word, cdn_sensor_reduce,
      WORD(CDN_REDUCE_NONE, "none") WORD(CDN_REDUCE_DEEPEST, "deepest") WORD(CDN_REDUCE_STRONGEST, "strongest")
          WORD(CDN_REDUCE_NET, "net"))
WORDS(cone_word, cdn_spec_cone, WORD(CDN_SPEC_PYRAMIDAL, "pyramidal") WORD(CDN_SPEC_ELLIPTIC, "elliptic"))
WORDS(solver_word, cdn_spec_solver_kind,
      WORD(CDN_SPEC_NEWTON, "newton") WORD(CDN_SPEC_CG, "cg") WORD(CDN_SPEC_PGS, "pgs"))
WORDS(integrator_word, cdn_spec_integrator,
      WORD(CDN_SPEC_EULER, "euler") WORD(CDN_SPEC_RK4, "rk4") WORD(CDN_SPEC_IMPLICIT, "implicit")
          WORD(CDN_SPEC_IMPLICITFAST, "implicitfast"))

static const char *sensor_word(int value) {
  switch ((cdn_sensor_kind)value) {
    case CDN_SENSOR_JOINT_POSITION: return "joint position";
    case CDN_SENSOR_JOINT_VELOCITY: return "joint velocity";
    case CDN_SENSOR_BALL_QUATERNION: return "ball quaternion";
    case CDN_SENSOR_BALL_VELOCITY: return "ball velocity";
    case CDN_SENSOR_ACCELEROMETER: return "accelerometer";
    case CDN_SENSOR_VELOCIMETER: return "velocimeter";
    case CDN_SENSOR_GYRO: return "gyro";
    case CDN_SENSOR_POSITION: return "position";
    case CDN_SENSOR_QUATERNION: return "quaternion";
    case CDN_SENSOR_X_AXIS: return "x axis";
    case CDN_SENSOR_Y_AXIS: return "y axis";
    case CDN_SENSOR_Z_AXIS: return "z axis";
    case CDN_SENSOR_LINEAR_VELOCITY: return "linear velocity";
    case CDN_SENSOR_ANGULAR_VELOCITY: return "angular velocity";
    case CDN_SENSOR_LINEAR_ACCELERATION: return "linear acceleration";
    case CDN_SENSOR_ANGULAR_ACCELERATION: return "angular acceleration";
    case CDN_SENSOR_SUBTREE_COM: return "subtree com";
    case CDN_SENSOR_SUBTREE_VELOCITY: return "subtree velocity";
    case CDN_SENSOR_SUBTREE_MOMENTUM: return "subtree momentum";
    case CDN_SENSOR_CLOCK: return "clock";
    case CDN_SENSOR_KINETIC_ENERGY: return "kinetic energy";
    case CDN_SENSOR_POTENTIAL_ENERGY: return "potential energy";
    case CDN_SENSOR_FORCE: return "force";
    case CDN_SENSOR_TORQUE: return "torque";
    case CDN_SENSOR_TOUCH: return "touch";
    case CDN_SENSOR_RANGE: return "range";
    case CDN_SENSOR_ACTUATOR_POSITION: return "actuator position";
    case CDN_SENSOR_ACTUATOR_VELOCITY: return "actuator velocity";
    case CDN_SENSOR_ACTUATOR_FORCE: return "actuator force";
    case CDN_SENSOR_TENDON_POSITION: return "tendon position";
    case CDN_SENSOR_TENDON_VELOCITY: return "tendon velocity";
    case CDN_SENSOR_CONTACT: return "contact";
    case CDN_SENSOR_MAGNETOMETER: return "magnetometer";
    case CDN_SENSOR_CAMERA_PROJECTION: return "camera projection";
    case CDN_SENSOR_INSIDE: return "inside";
    case CDN_SENSOR_JOINT_LIMIT_POSITION: return "joint limit position";
    case CDN_SENSOR_JOINT_LIMIT_VELOCITY: return "joint limit velocity";
    case CDN_SENSOR_JOINT_LIMIT_FORCE: return "joint limit force";
    case CDN_SENSOR_TENDON_LIMIT_POSITION: return "tendon limit position";
    case CDN_SENSOR_TENDON_LIMIT_VELOCITY: return "tendon limit velocity";
    case CDN_SENSOR_TENDON_LIMIT_FORCE: return "tendon limit force";
    case CDN_SENSOR_DISTANCE: return "distance";
    case CDN_SENSOR_NORMAL: return "normal";
    case CDN_SENSOR_FROM_TO: return "from to";
    case CDN_SENSOR_JOINT_ACTUATOR_FORCE: return "joint actuator force";
    case CDN_SENSOR_TENDON_ACTUATOR_FORCE: return "tendon actuator force";
    case CDN_SENSOR_USER: return "user";
    case CDN_SENSOR_KIND_COUNT: break;
  }
  return NULL;
}

static const char *mobilizer_word(int value) {
  return value >= 0 && value < CDN_MOBILIZER_COUNT ? cdn_mobilizer_name((cdn_mobilizer)value) : NULL;
}

/* ---- the table ------------------------------------------------------------------------------- */

#define SIZE(of, member) sizeof(((cdn_spec_##of *)0)->member)
#define FIELD(of, label, member, what, unit, ...)                                      \
  {                                                                                    \
    .name = label, .type = IO_FIELD_##what, .offset = offsetof(cdn_spec_##of, member), \
    .count = (int)(SIZE(of, member) / sizeof(unit)), __VA_ARGS__                       \
  }
#define TEXT(of, member) FIELD(of, #member, member, TEXT, const char *, .word = NULL)
#define TRUTH(of, member) FIELD(of, #member, member, TRUTH, bool, .word = NULL)
#define INTEGER(of, member) FIELD(of, #member, member, INTEGER, int, .word = NULL)
#define CHOICE(of, member, words) FIELD(of, #member, member, WORD, int, .word = words)
#define NUMBER(of, member) FIELD(of, #member, member, NUMBER, double, .word = NULL)
#define PART(of, label, member) FIELD(of, label, member, NUMBER, double, .word = NULL)
#define LETTERS(of, member) FIELD(of, #member, member, LETTERS, char, .word = NULL)
#define LIST(of, member, n) FIELD(of, #member, member, LIST, double *, .length = offsetof(cdn_spec_##of, n))
#define MUSCLE(of, member)                                                                \
  PART(of, #member ".range", member.range), PART(of, #member ".peak", member.peak),       \
      PART(of, #member ".scale", member.scale), PART(of, #member ".lmin", member.lmin),   \
      PART(of, #member ".lmax", member.lmax), PART(of, #member ".vmax", member.vmax),     \
      PART(of, #member ".fpmax", member.fpmax), PART(of, #member ".fvmax", member.fvmax), \
      PART(of, #member ".length_range", member.length_range), PART(of, #member ".acceleration", member.acceleration)
#define LAW(of, member) PART(of, #member ".ref", member.ref), PART(of, #member ".imp", member.imp)

_Static_assert(sizeof(cdn_shape_type) == sizeof(int) && sizeof(cdn_mobilizer) == sizeof(int), "enumerations are ints");

static const io_field body_fields[] = {
  TEXT(body, name),
  PART(body, "mass", mass.mass),
  PART(body, "com", mass.com),
  PART(body, "inertia", mass.inertia),
  TRUTH(body, intermediate),
  TRUTH(body, allow_improper),
  TRUTH(body, must_be_base),
  NUMBER(body, gravity_compensation),
  TRUTH(body, mocap),
  NUMBER(body, principal),
};
/* What functions and users' kinds are made of cannot be written: spec_save.c refuses it. */
static const io_field joint_fields[] = {
  TEXT(joint, name),
  TEXT(joint, parent),
  TEXT(joint, child),
  CHOICE(joint, kind, mobilizer_word),
  TRUTH(joint, reversed),
  TRUTH(joint, euler),
  NUMBER(joint, params),
  NUMBER(joint, X_PF),
  NUMBER(joint, X_CM),
  NUMBER(joint, q0),
  NUMBER(joint, u0),
  CHOICE(joint, lock, level_word),
  NUMBER(joint, armature),
  NUMBER(joint, damping),
  NUMBER(joint, stiffness),
  NUMBER(joint, springref),
  NUMBER(joint, X_FM_rest),
  TRUTH(joint, limited),
  NUMBER(joint, lower),
  NUMBER(joint, upper),
  NUMBER(joint, limit_timeconst),
  NUMBER(joint, limit_dampratio),
  NUMBER(joint, friction),
  NUMBER(joint, effort_lower),
  NUMBER(joint, effort_upper),
  NUMBER(joint, speed_limit),
  NUMBER(joint, weight),
  CHOICE(joint, cut, cut_word),
  LAW(joint, limit_law),
  LAW(joint, friction_law),
  NUMBER(joint, margin),
  TRUTH(joint, drive_limited),
  TRUTH(joint, drive_compensates),
  NUMBER(joint, spring_timeconst),
  NUMBER(joint, spring_dampratio),
  NUMBER(joint, stiffness_higher),
  NUMBER(joint, damping_higher),
};
static const io_field constraint_fields[] = {
  TEXT(constraint, name),      CHOICE(constraint, kind, constraint_word),
  TRUTH(constraint, disabled), TEXT(constraint, body_a),
  TEXT(constraint, body_b),    NUMBER(constraint, X_A),
  NUMBER(constraint, X_B),     TEXT(constraint, joint_y),
  TEXT(constraint, joint_x),   NUMBER(constraint, y0),
  NUMBER(constraint, x0),      NUMBER(constraint, c),
  LAW(constraint, law),        NUMBER(constraint, torque_scale),
  TEXT(constraint, tendon_y),  TEXT(constraint, tendon_x),
};
static const io_field frame_fields[] = { TEXT(frame, name), TEXT(frame, body), NUMBER(frame, X_BF) };
static const io_field shape_fields[] = {
  TEXT(shape, name),      TEXT(shape, body),       NUMBER(shape, X_BS),      CHOICE(shape, type, shape_word),
  NUMBER(shape, size),    TEXT(shape, asset),      TEXT(shape, material),    NUMBER(shape, rgba),
  TRUTH(shape, visual),   TRUTH(shape, collision), INTEGER(shape, contype),  INTEGER(shape, conaffinity),
  INTEGER(shape, condim), INTEGER(shape, group),   NUMBER(shape, friction),  INTEGER(shape, priority),
  NUMBER(shape, margin),  NUMBER(shape, gap),      NUMBER(shape, fit_scale), LAW(shape, law),
  NUMBER(shape, solmix),  TEXT(shape, part),       TRUTH(shape, fluid),      NUMBER(shape, fluid_coefficients),
};
static const io_field asset_fields[] = {
  TEXT(asset, name),
  CHOICE(asset, type, asset_word),
  TEXT(asset, file),
  NUMBER(asset, scale),
  NUMBER(asset, size),
  TEXT(asset, texture),
  NUMBER(asset, rgba),
  NUMBER(asset, refpos),
  NUMBER(asset, refquat),
  LIST(asset, data, n_data),
  INTEGER(asset, n_rows),
  INTEGER(asset, n_columns),
  CHOICE(asset, builtin, builtin_word),
  NUMBER(asset, rgb1),
  NUMBER(asset, rgb2),
  NUMBER(asset, texrepeat),
  TRUTH(asset, texuniform),
  CHOICE(asset, texture_type, texture_word),
  INTEGER(asset, width),
  INTEGER(asset, height),
  CHOICE(asset, mark, mark_word),
  NUMBER(asset, markrgb),
  NUMBER(asset, random),
  TRUTH(asset, hflip),
  TRUTH(asset, vflip),
  INTEGER(asset, gridsize),
  LETTERS(asset, gridlayout),
  TEXT(asset, side_file),
  NUMBER(asset, specular),
  NUMBER(asset, shininess),
  NUMBER(asset, emission),
  NUMBER(asset, reflectance),
};
static const io_field contact_fields[] = {
  TEXT(contact, name),     TRUTH(contact, exclude), TEXT(contact, body_a),    TEXT(contact, body_b),
  TEXT(contact, shape_a),  TEXT(contact, shape_b),  INTEGER(contact, condim), NUMBER(contact, friction),
  NUMBER(contact, margin), NUMBER(contact, gap),    LAW(contact, law),
};
static const io_field camera_fields[] = {
  TEXT(camera, name),
  TEXT(camera, body),
  NUMBER(camera, X_BC),
  NUMBER(camera, fovy),
  CHOICE(camera, mode, camera_word),
  TEXT(camera, target),
};
static const io_field light_fields[] = {
  TEXT(light, name),         TEXT(light, body),       NUMBER(light, position),          NUMBER(light, direction),
  TRUTH(light, directional), NUMBER(light, rgb),      CHOICE(light, mode, camera_word), TEXT(light, target),
  NUMBER(light, cutoff),     NUMBER(light, exponent), NUMBER(light, attenuation),       TRUTH(light, castshadow),
};
static const io_field tendon_fields[] = {
  TEXT(tendon, name),
  INTEGER(tendon, joints),
  TEXT(tendon, joint),
  NUMBER(tendon, coefficient),
  TRUTH(tendon, limited),
  NUMBER(tendon, lower),
  NUMBER(tendon, upper),
  NUMBER(tendon, margin),
  NUMBER(tendon, friction),
  LAW(tendon, limit_law),
  LAW(tendon, friction_law),
  NUMBER(tendon, effort_lower),
  NUMBER(tendon, effort_upper),
  NUMBER(tendon, stiffness),
  NUMBER(tendon, damping),
  TRUTH(tendon, has_rest),
  NUMBER(tendon, rest_lower),
  NUMBER(tendon, rest_upper),
  NUMBER(tendon, armature),
  NUMBER(tendon, stiffness_higher),
  NUMBER(tendon, damping_higher),
  NUMBER(tendon, width),
  NUMBER(tendon, rgba),
  INTEGER(tendon, group),
};
static const io_field path_item_fields[] = {
  TEXT(path_item, name),      TEXT(path_item, tendon),    CHOICE(path_item, kind, path_item_word),
  TEXT(path_item, body),      NUMBER(path_item, X_BP),    NUMBER(path_item, radius),
  TRUTH(path_item, has_side), TEXT(path_item, side_body), NUMBER(path_item, side),
  NUMBER(path_item, divisor), TEXT(path_item, joint),     NUMBER(path_item, coefficient),
};
static const io_field actuator_fields[] = {
  TEXT(actuator, name),
  TEXT(actuator, unit),
  TEXT(actuator, joint),
  TEXT(actuator, body),
  NUMBER(actuator, X_BS),
  NUMBER(actuator, gear),
  TRUTH(actuator, in_parent),
  NUMBER(actuator, gain),
  NUMBER(actuator, bias),
  NUMBER(actuator, force_lower),
  NUMBER(actuator, force_upper),
  NUMBER(actuator, control_lower),
  NUMBER(actuator, control_upper),
  CHOICE(actuator, dynamics, dynamics_word),
  NUMBER(actuator, time_constant),
  NUMBER(actuator, activation_lower),
  NUMBER(actuator, activation_upper),
  TEXT(actuator, tendon),
  NUMBER(actuator, damping_ratio),
  TRUTH(actuator, has_reference),
  TEXT(actuator, reference),
  NUMBER(actuator, X_RF),
  NUMBER(actuator, rod),
  TRUTH(actuator, on_contacts),
  CHOICE(actuator, gain_law, drive_law_word),
  CHOICE(actuator, bias_law, drive_law_word),
  MUSCLE(actuator, muscle),
  MUSCLE(actuator, passive),
  NUMBER(actuator, muscle_time),
  TRUTH(actuator, exact_filter),
  TRUTH(actuator, early),
  NUMBER(actuator, delay),
  INTEGER(actuator, samples),
  CHOICE(actuator, interpolation, interpolation_word),
};
static const io_field sensor_fields[] = {
  TEXT(sensor, name),
  CHOICE(sensor, kind, sensor_word),
  TEXT(sensor, joint),
  TEXT(sensor, body),
  NUMBER(sensor, X_BS),
  TRUTH(sensor, has_reference),
  TEXT(sensor, reference),
  NUMBER(sensor, X_RS),
  NUMBER(sensor, cutoff),
  TEXT(sensor, actuator),
  TEXT(sensor, tendon),
  CHOICE(sensor, volume, shape_word),
  NUMBER(sensor, volume_size),
  CHOICE(sensor, side_a, side_word),
  CHOICE(sensor, side_b, side_word),
  TEXT(sensor, name_a),
  TEXT(sensor, name_b),
  INTEGER(sensor, contacts),
  INTEGER(sensor, data),
  CHOICE(sensor, reduce, reduce_word),
  NUMBER(sensor, noise),
  TRUTH(sensor, noisy),
  NUMBER(sensor, field),
  NUMBER(sensor, focal),
  NUMBER(sensor, pixels),
  INTEGER(sensor, numbers),
  NUMBER(sensor, delay),
  INTEGER(sensor, samples),
  CHOICE(sensor, interpolation, interpolation_word),
  NUMBER(sensor, period),
  NUMBER(sensor, phase),
  TRUTH(sensor, of_pixels),
  NUMBER(sensor, extent),
};
static const io_field key_fields[] = {
  TEXT(key, name),
  NUMBER(key, time),
  LIST(key, q, nq),
  LIST(key, u, nu),
  LIST(key, controls, n_actuators),
  LIST(key, activations, n_actuators),
};
static const io_field solver_fields[] = {
  NUMBER(solver, timestep),           CHOICE(solver, integrator, integrator_word),
  CHOICE(solver, cone, cone_word),    CHOICE(solver, solver, solver_word),
  INTEGER(solver, iterations),        INTEGER(solver, ls_iterations),
  INTEGER(solver, noslip_iterations), NUMBER(solver, tolerance),
  NUMBER(solver, ls_tolerance),       NUMBER(solver, noslip_tolerance),
  NUMBER(solver, impratio),           TRUTH(solver, refsafe),
  TRUTH(solver, eulerdamp),           TRUTH(solver, exact_diagonal),
};

#define FUNCTIONS(type)                                                                                \
  static void start_##type(void *element) { *(cdn_spec_##type *)element = cdn_default_spec_##type(); } \
  static cdn_status get_##type(const cdn_spec *spec, int i, void *element) {                           \
    return cdn_spec_get_##type(spec, i, (cdn_spec_##type *)element);                                   \
  }
FUNCTIONS(body)
FUNCTIONS(joint)
FUNCTIONS(constraint)
FUNCTIONS(frame)
FUNCTIONS(shape)
FUNCTIONS(asset)
FUNCTIONS(sensor)
FUNCTIONS(key)
FUNCTIONS(actuator)
FUNCTIONS(contact)
FUNCTIONS(camera)
FUNCTIONS(light)
FUNCTIONS(tendon)
FUNCTIONS(path_item)
static const io_field medium_fields[] = { NUMBER(medium, density), NUMBER(medium, viscosity), NUMBER(medium, wind) };
static void start_solver(void *element) { *(cdn_spec_solver *)element = cdn_default_spec_solver(); }

#define KIND(type, plural) \
  { #type, plural, sizeof(cdn_spec_##type), type##_fields, CDNI_COUNT(type##_fields), start_##type, get_##type }
static const io_element_kind kinds[CDN_SPEC_KIND_COUNT] = {
  [CDN_SPEC_BODY] = KIND(body, "bodies"),
  [CDN_SPEC_JOINT] = KIND(joint, "joints"),
  [CDN_SPEC_CONSTRAINT] = KIND(constraint, "constraints"),
  [CDN_SPEC_FRAME] = KIND(frame, "frames"),
  [CDN_SPEC_SHAPE] = KIND(shape, "shapes"),
  [CDN_SPEC_ASSET] = KIND(asset, "assets"),
  [CDN_SPEC_SENSOR] = KIND(sensor, "sensors"),
  [CDN_SPEC_KEY] = KIND(key, "keys"),
  [CDN_SPEC_ACTUATOR] = KIND(actuator, "actuators"),
  [CDN_SPEC_CONTACT] = KIND(contact, "contacts"),
  [CDN_SPEC_CAMERA] = KIND(camera, "cameras"),
  [CDN_SPEC_LIGHT] = KIND(light, "lights"),
  [CDN_SPEC_TENDON] = KIND(tendon, "tendons"),
  [CDN_SPEC_PATH_ITEM] = KIND(path_item, "path_items"),
};
static void start_medium(void *element) { *(cdn_spec_medium *)element = cdn_default_spec_medium(); }
#define WHOLE(type) \
  { #type, #type, sizeof(cdn_spec_##type), type##_fields, CDNI_COUNT(type##_fields), start_##type, NULL }
static const io_element_kind solver = WHOLE(solver), medium = WHOLE(medium);

const io_element_kind *io_element_kinds(void) { return kinds; }
const io_element_kind *io_solver_fields(void) { return &solver; }
const io_element_kind *io_medium_fields(void) { return &medium; }

int io_field_count(const io_field *f, const void *element) {
  if (f->type != IO_FIELD_LIST) return f->count;
  return io_field_numbers(f, element) ? *(const int *)(const void *)((const char *)element + f->length) : 0;
}

const double *io_field_numbers(const io_field *f, const void *element) {
  const void *at = io_field_at(f, element);
  return f->type == IO_FIELD_LIST ? *(const double *const *)at : at;
}

static bool same_text(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

bool io_field_equal(const io_field *f, const void *a, const void *b) {
  const void *x = io_field_at(f, a), *y = io_field_at(f, b);
  const int n = io_field_count(f, a);
  if (n != io_field_count(f, b)) return false;
  switch (f->type) {
    case IO_FIELD_TEXT:
      for (int k = 0; k < n; k++)
        if (!same_text(((const char *const *)x)[k], ((const char *const *)y)[k])) return false;
      return true;
    case IO_FIELD_TRUTH: return memcmp(x, y, sizeof(bool)) == 0;
    case IO_FIELD_INTEGER:
    case IO_FIELD_WORD: return memcmp(x, y, (size_t)n * sizeof(int)) == 0;
    case IO_FIELD_LETTERS: return same_text(x, y);
    case IO_FIELD_NUMBER:
    case IO_FIELD_LIST:
      return n == 0 || memcmp(io_field_numbers(f, a), io_field_numbers(f, b), (size_t)n * sizeof(double)) == 0;
  }
  return false;
}

bool io_field_near(const io_field *f, const void *a, const void *b) {
  static const double PART = 1e-9, NOTHING = 1e-12;
  if (f->type != IO_FIELD_NUMBER && f->type != IO_FIELD_LIST) return false;
  const int n = io_field_count(f, a);
  if (n != io_field_count(f, b)) return false;
  const double *x = io_field_numbers(f, a), *y = io_field_numbers(f, b);
  double largest = 0;
  for (int k = 0; k < n; k++) largest = fmax(largest, isfinite(x[k]) ? fabs(x[k]) : 0);
  const double slack = largest > 0 ? PART * largest : NOTHING;
  for (int k = 0; k < n; k++)
    if (x[k] != y[k] && !(fabs(x[k] - y[k]) <= slack)) return false;
  return true;
}
