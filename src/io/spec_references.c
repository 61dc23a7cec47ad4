/* What elements of a spec say of each other, as a table. */
#include "io/joints.h"
#include "io/spec_references.h"

/* ---- where no name means Ground -------------------------------------------------------------- */

static bool always(const void *element) {
  (void)element;
  return true;
}
static bool of_constraint(const void *element) {
  const cdn_spec_constraint *c = element;
  return c->kind == CDN_SPEC_CONNECT || c->kind == CDN_SPEC_WELD;
}
static bool turns_to(cdn_camera_mode mode) { return mode == CDN_CAMERA_TARGET || mode == CDN_CAMERA_TARGET_COM; }
static bool of_camera(const void *element) { return turns_to(((const cdn_spec_camera *)element)->mode); }
static bool of_light(const void *element) { return turns_to(((const cdn_spec_light *)element)->mode); }
static bool of_exclusion(const void *element) { return ((const cdn_spec_contact *)element)->exclude; }
static bool of_item(const void *element) {
  const cdn_spec_path_item *p = element;
  return p->kind == CDN_SPEC_PATH_POINT || p->kind == CDN_SPEC_PATH_SPHERE || p->kind == CDN_SPEC_PATH_CYLINDER;
}
static bool of_side(const void *element) { return ((const cdn_spec_path_item *)element)->has_side; }
static bool of_drive_reference(const void *element) { return ((const cdn_spec_actuator *)element)->has_reference; }
static bool of_sensor_reference(const void *element) { return ((const cdn_spec_sensor *)element)->has_reference; }

/* Sensors of a frame. */
static bool of_sensor(const void *element) {
  const cdn_spec_sensor *s = element;
  switch (s->kind) {
    case CDN_SENSOR_ACCELEROMETER:
    case CDN_SENSOR_VELOCIMETER:
    case CDN_SENSOR_GYRO:
    case CDN_SENSOR_POSITION:
    case CDN_SENSOR_QUATERNION:
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
    case CDN_SENSOR_TORQUE:
    case CDN_SENSOR_TOUCH:
    case CDN_SENSOR_RANGE:
    case CDN_SENSOR_MAGNETOMETER:
    case CDN_SENSOR_CAMERA_PROJECTION:
    case CDN_SENSOR_INSIDE: return true;
    case CDN_SENSOR_CONTACT: return s->side_a == CDN_SIDE_VOLUME;
    case CDN_SENSOR_JOINT_POSITION:
    case CDN_SENSOR_JOINT_VELOCITY:
    case CDN_SENSOR_BALL_QUATERNION:
    case CDN_SENSOR_BALL_VELOCITY:
    case CDN_SENSOR_CLOCK:
    case CDN_SENSOR_KINETIC_ENERGY:
    case CDN_SENSOR_POTENTIAL_ENERGY:
    case CDN_SENSOR_ACTUATOR_POSITION:
    case CDN_SENSOR_ACTUATOR_VELOCITY:
    case CDN_SENSOR_ACTUATOR_FORCE:
    case CDN_SENSOR_TENDON_POSITION:
    case CDN_SENSOR_TENDON_VELOCITY:
    case CDN_SENSOR_JOINT_LIMIT_POSITION:
    case CDN_SENSOR_JOINT_LIMIT_VELOCITY:
    case CDN_SENSOR_JOINT_LIMIT_FORCE:
    case CDN_SENSOR_TENDON_LIMIT_POSITION:
    case CDN_SENSOR_TENDON_LIMIT_VELOCITY:
    case CDN_SENSOR_TENDON_LIMIT_FORCE:
    case CDN_SENSOR_DISTANCE:
    case CDN_SENSOR_NORMAL:
    case CDN_SENSOR_FROM_TO:
    case CDN_SENSOR_JOINT_ACTUATOR_FORCE:
    case CDN_SENSOR_TENDON_ACTUATOR_FORCE:
    case CDN_SENSOR_USER:
    case CDN_SENSOR_KIND_COUNT: break;
  }
  return false;
}

static int side(cdn_sensor_side of) { return of == CDN_SIDE_SHAPE ? CDN_SPEC_SHAPE : CDN_SPEC_BODY; }
static int side_a(const void *element) { return side(((const cdn_spec_sensor *)element)->side_a); }
static int side_b(const void *element) { return side(((const cdn_spec_sensor *)element)->side_b); }

/* ---- the table ------------------------------------------------------------------------------- */

#define AT(of, member) offsetof(cdn_spec_##of, member)
#define NAMES(of, member, KIND, ...) \
  { .text = AT(of, member), .to = CDN_SPEC_##KIND, __VA_ARGS__ }
#define BODY(of, member, ground, ...) NAMES(of, member, BODY, .may_be_ground = ground, __VA_ARGS__)
#define POSE(of, member) .place = { { IO_POSE, AT(of, member) } }
#define NOWHERE .place = { { IO_NO_PLACE, 0 } }

static const io_reference of_joints[] = { BODY(joint, parent, always, POSE(joint, X_PF)),
                                          BODY(joint, child, always, POSE(joint, X_CM)) };
static const io_reference of_constraints[] = {
  BODY(constraint, body_a, of_constraint, POSE(constraint, X_A)),
  BODY(constraint, body_b, of_constraint, POSE(constraint, X_B)),
  NAMES(constraint, joint_y, JOINT, NOWHERE),
  NAMES(constraint, joint_x, JOINT, NOWHERE),
  NAMES(constraint, tendon_y, TENDON, NOWHERE),
  NAMES(constraint, tendon_x, TENDON, NOWHERE),
};
static const io_reference of_frames[] = { BODY(frame, body, always, POSE(frame, X_BF)) };
static const io_reference of_shapes[] = {
  BODY(shape, body, always, POSE(shape, X_BS)),
  NAMES(shape, asset, ASSET, NOWHERE),
  NAMES(shape, material, ASSET, .optional = true),
  NAMES(shape, part, FRAME, .label = true),
};
static const io_reference of_assets[] = { NAMES(asset, texture, ASSET, .optional = true) };
static const io_reference of_sensors[] = {
  BODY(sensor, body, of_sensor, POSE(sensor, X_BS)),
  BODY(sensor, reference, of_sensor_reference, POSE(sensor, X_RS)),
  NAMES(sensor, joint, JOINT, NOWHERE),
  NAMES(sensor, actuator, ACTUATOR, NOWHERE),
  NAMES(sensor, tendon, TENDON, NOWHERE),
  NAMES(sensor, name_a, BODY, .names = side_a),
  NAMES(sensor, name_b, BODY, .names = side_b),
};
static const io_reference of_actuators[] = {
  NAMES(actuator, joint, JOINT, NOWHERE),
  NAMES(actuator, body, BODY, POSE(actuator, X_BS)),
  NAMES(actuator, tendon, TENDON, NOWHERE),
  BODY(actuator, reference, of_drive_reference, POSE(actuator, X_RF)),
};
static const io_reference of_contacts[] = {
  BODY(contact, body_a, of_exclusion, .or_frame = true),
  BODY(contact, body_b, of_exclusion, .or_frame = true),
  NAMES(contact, shape_a, SHAPE, NOWHERE),
  NAMES(contact, shape_b, SHAPE, NOWHERE),
};
static const io_reference of_cameras[] = { BODY(camera, body, always, POSE(camera, X_BC)),
                                           BODY(camera, target, of_camera, NOWHERE) };
static const io_reference of_lights[] = {
  BODY(light, body, always, .place = { { IO_POINT, AT(light, position) }, { IO_DIRECTION, AT(light, direction) } }),
  BODY(light, target, of_light, NOWHERE),
};
#define JOINT_OF_TENDON(k) NAMES(tendon, joint[k], JOINT, NOWHERE)
static const io_reference of_tendons[] = {
  JOINT_OF_TENDON(0),  JOINT_OF_TENDON(1),  JOINT_OF_TENDON(2),  JOINT_OF_TENDON(3),
  JOINT_OF_TENDON(4),  JOINT_OF_TENDON(5),  JOINT_OF_TENDON(6),  JOINT_OF_TENDON(7),
  JOINT_OF_TENDON(8),  JOINT_OF_TENDON(9),  JOINT_OF_TENDON(10), JOINT_OF_TENDON(11),
  JOINT_OF_TENDON(12), JOINT_OF_TENDON(13), JOINT_OF_TENDON(14), JOINT_OF_TENDON(15),
};
_Static_assert(CDN_SPEC_TENDON_JOINTS == CDNI_COUNT(of_tendons), "each joint of a tendon is a reference");
static const io_reference of_items[] = {
  NAMES(path_item, tendon, TENDON, NOWHERE),
  BODY(path_item, body, of_item, POSE(path_item, X_BP)),
  BODY(path_item, side_body, of_side, .place = { { IO_POINT, AT(path_item, side) } }),
  NAMES(path_item, joint, JOINT, NOWHERE),
};

#define LIST(list) \
  { list, CDNI_COUNT(list) }
static const struct {
  const io_reference *list;
  int n;
} tables[CDN_SPEC_KIND_COUNT] = {
  [CDN_SPEC_BODY] = { NULL, 0 },
  [CDN_SPEC_JOINT] = LIST(of_joints),
  [CDN_SPEC_CONSTRAINT] = LIST(of_constraints),
  [CDN_SPEC_FRAME] = LIST(of_frames),
  [CDN_SPEC_SHAPE] = LIST(of_shapes),
  [CDN_SPEC_ASSET] = LIST(of_assets),
  [CDN_SPEC_SENSOR] = LIST(of_sensors),
  [CDN_SPEC_KEY] = { NULL, 0 },
  [CDN_SPEC_ACTUATOR] = LIST(of_actuators),
  [CDN_SPEC_CONTACT] = LIST(of_contacts),
  [CDN_SPEC_CAMERA] = LIST(of_cameras),
  [CDN_SPEC_LIGHT] = LIST(of_lights),
  [CDN_SPEC_TENDON] = LIST(of_tendons),
  [CDN_SPEC_PATH_ITEM] = LIST(of_items),
};

int io_references(cdn_spec_kind kind, const io_reference **out) {
  *out = tables[kind].list;
  return tables[kind].n;
}

/* ---- names ----------------------------------------------------------------------------------- */

cdn_status io_spec_index_make(const cdn_spec *spec, io_spec_index *index) {
  *index = (io_spec_index){ 0 };
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++)
    for (int i = 0; kind != CDN_SPEC_PATH_ITEM && i < cdn_spec_count(spec, (cdn_spec_kind)kind); i++) {
      const char *name = io_element_name(spec, (cdn_spec_kind)kind, i);
      if (io_names_add(&spec->log.allocator, &index->of[kind], name, i) < 0) return CDN_ERR_NOMEM;
    }
  return CDN_OK;
}

void io_spec_index_free(const cdn_spec *spec, io_spec_index *index) {
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++) io_names_free(&spec->log.allocator, &index->of[kind]);
}

bool io_reference_find(const io_spec_index *index, const io_reference *r, const void *element, int *to, int *i) {
  const char *text = io_reference_text(r, element);
  if (!text || r->label) return false;
  *to = io_reference_kind(r, element);
  *i = io_spec_index_find(index, *to, text);
  if (*i >= 0 || !r->or_frame) return *i >= 0;
  *to = CDN_SPEC_FRAME;
  *i = io_spec_index_find(index, *to, text);
  return *i >= 0;
}

/* ---- sets of elements ------------------------------------------------------------------------ */

cdn_status io_marks_make(cdn_spec *spec, io_marks *marks) {
  *marks = (io_marks){ 0 };
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++) {
    const int n = marks->n[kind] = cdn_spec_count(spec, (cdn_spec_kind)kind);
    if (n > 0 && !(marks->of[kind] = cdni_calloc(&spec->log.allocator, (size_t)n * sizeof(bool)))) return CDN_ERR_NOMEM;
  }
  return CDN_OK;
}

void io_marks_free(const cdn_spec *spec, io_marks *marks) {
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++)
    if (marks->of[kind]) cdni_free(&spec->log.allocator, marks->of[kind], (size_t)marks->n[kind] * sizeof(bool));
  *marks = (io_marks){ 0 };
}

void io_reference_move(const io_reference *r, void *element, const cdn_transform *X) {
  for (int k = 0; k < 2; k++) {
    char *at = (char *)element + r->place[k].offset;
    cdn_transform *pose = (void *)at;
    cdn_vec3 *v = (void *)at;
    switch (r->place[k].kind) {
      case IO_NO_PLACE: break;
      case IO_POSE: *pose = cdn_transform_multiply(*X, *pose); break;
      case IO_POINT: *v = cdn_transform_point(*X, *v); break;
      case IO_DIRECTION: *v = cdn_rotate(X->R, *v); break;
    }
  }
}

/* The pose that quaternion and place are; no quaternion means no rotation. */
static cdn_transform pose_of(const double *q) {
  const bool none = q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0;
  const cdn_quaternion turn = { none ? 1 : q[0], q[1], q[2], q[3] };
  return (cdn_transform){ cdn_rotation_from_quaternion(turn), cdn_v3(q[4], q[5], q[6]) };
}

static void carry_free(cdn_spec_joint *joint, const cdn_transform *X) {
  const cdn_transform X_in_F =
      cdn_transform_multiply(cdn_transform_invert(joint->X_PF), cdn_transform_multiply(*X, joint->X_PF));
  const cdn_transform X_FM = cdn_transform_multiply(X_in_F, pose_of(joint->q0));
  const cdn_quaternion q = cdn_quaternion_from_rotation(X_FM.R);
  memcpy(joint->q0, (double[7]){ q.w, q.x, q.y, q.z, X_FM.p.x, X_FM.p.y, X_FM.p.z }, sizeof joint->q0);
  joint->X_FM_rest = cdn_transform_multiply(X_in_F, joint->X_FM_rest);
  for (int k = 0; k < 6; k += 3) {
    const cdn_vec3 v = cdn_rotate(X_in_F.R, cdn_v3(joint->u0[k], joint->u0[k + 1], joint->u0[k + 2]));
    joint->u0[k] = v.x, joint->u0[k + 1] = v.y, joint->u0[k + 2] = v.z;
  }
}

void io_reference_carry(const io_reference *r, cdn_spec_kind kind, void *element, const cdn_transform *X, bool stays) {
  static const cdn_transform identity = { .R = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
  cdn_spec_joint *joint = kind == CDN_SPEC_JOINT && r->text == AT(joint, parent) ? element : NULL;
  if (io_same_transform(X, &identity)) return;
  if (stays && joint && joint->kind == CDN_FREE && !joint->euler) carry_free(joint, X);
  else io_reference_move(r, element, X);
}
