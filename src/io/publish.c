/* Makes elements of a spec of the tree that a reader has filled.
 *
 * The joints of a body act one after another. The last joint moves the body; the others move massless frames in
 * between. These frames coincide with the body's frame B when every coordinate has its reference value. So joint k,
 * with its axis frame A in B, has F = A and M = A, with two exceptions: F of the first joint is placed in the parent
 * by X_PB, and F is set back by the reference value. */
#include <math.h>
#include <stdio.h>

#include "io/build.h"
#include "io/joints.h"

static io_body *body_at(const io_description *d, int i) { return &CDNI_AT(d->bodies, io_body, i); }
static io_joint *joint_at(const io_description *d, int i) { return &CDNI_AT(d->joints, io_joint, i); }
/* NULL: Ground. */
static const char *body_name(const io_description *d, int i) { return i > 0 ? body_at(d, i)->name : NULL; }

/* Guarantees of the readers, so that the code below can use indices without checks. */
static cdn_status check_order(io_description *d) {
  int joints = 0;
  bool good = d->bodies.count > 0;
  for (int i = 1; i < (int)d->bodies.count && good; i++) {
    const io_body *body = body_at(d, i);
    good = body->name && body->parent >= 0 && body->parent < i && body->n_joints >= 0 &&
           (body->n_joints == 0 || body->first_joint == joints);
    for (int j = joints; good && j < joints + body->n_joints; j++)
      good = j < (int)d->joints.count && joint_at(d, j)->name && joint_at(d, j)->body == i;
    joints += body->n_joints;
  }
  if (good && joints == (int)d->joints.count) return CDN_OK;
  return io_fail(d, CDN_ERR_PARSE, 0, "the reader left bodies and joints out of order (a fault of the library)");
}

/* ---- bodies and joints ----------------------------------------------------------------------- */

/* The mobilizer of a joint: its frames in B at the reference configuration, and its default coordinates. */
typedef struct segment {
  cdn_mobilizer kind;
  cdn_rotation R;    /* of A in B */
  cdn_vec3 p_F, p_M; /* F's and M's origin in B */
  double turn;       /* F is turned back by this angle about its z axis */
  double q0[7];
} segment;

static segment pin_segment(cdn_vec3 pos, cdn_vec3 axis, double ref) {
  return (segment){ .kind = CDN_PIN, .R = cdn_rotation_z_to(axis), .p_F = pos, .p_M = pos, .turn = ref, .q0 = { ref } };
}

/* `R` has the sliding direction as its x axis. */
static segment slider_segment(cdn_vec3 pos, cdn_rotation R, double ref) {
  return (segment){ .kind = CDN_SLIDER, .R = R, .p_F = cdn_sub(pos, cdn_scale(ref, R.x)), .p_M = pos, .q0 = { ref } };
}

static segment segment_of(const io_joint *joint) {
  switch (joint->kind) {
    case IO_PIN: return pin_segment(joint->pos, joint->axis, joint->ref);
    case IO_SLIDER: return slider_segment(joint->pos, cdn_rotation_x_to(joint->axis), joint->ref);
    case IO_PLANAR: /* the axis is the plane's normal */
      return (segment){ .kind = CDN_PLANAR, .R = cdn_rotation_z_to(joint->axis), .p_F = joint->pos, .p_M = joint->pos };
    case IO_BALL:
      return (
          segment){ .kind = CDN_BALL, .R = cdn_rotation_identity(), .p_F = joint->pos, .p_M = joint->pos, .q0 = { 1 } };
    case IO_FREE: break;
  }
  return (segment){ .kind = CDN_FREE, .R = cdn_rotation_identity(), .q0 = { 1 } };
}

/* `first`: it moves relative to the body's parent. */
static void place_segment(const io_body *body, segment *s, bool first, cdn_spec_joint *joint) {
  const cdn_rotation back = cdn_rotation_axis_angle(cdn_v3(0, 0, 1), -s->turn);
  const cdn_transform X_BF = { s->turn == 0 ? s->R : cdn_rotation_multiply(s->R, back), s->p_F };
  joint->kind = s->kind;
  joint->X_PF = first ? cdn_transform_multiply(body->X_PB, X_BF) : X_BF;
  joint->X_CM = (cdn_transform){ s->R, s->p_M };
  if (s->kind == CDN_FREE && first) {
    /* A free body's coordinates are its pose in the parent. */
    const cdn_quaternion q = cdn_quaternion_from_rotation(body->X_PB.R);
    const double pose[7] = { q.w, q.x, q.y, q.z, body->X_PB.p.x, body->X_PB.p.y, body->X_PB.p.z };
    memcpy(s->q0, pose, sizeof pose);
    joint->X_PF = joint->X_CM = cdn_transform_identity();
    joint->X_FM_rest = body->X_PB;
  }
  memcpy(joint->q0, s->q0, sizeof s->q0);
}

static cdn_status add_joint(cdn_spec *spec, const io_body *body, int index, const char *parent, const char *child) {
  const io_joint *from = joint_at(&spec->d, index);
  segment s = segment_of(from);
  cdn_spec_joint joint = cdn_default_spec_joint();
  joint.line = from->line;
  joint.name = from->name;
  joint.parent = parent;
  joint.child = child;
  place_segment(body, &s, index == body->first_joint, &joint);
  joint.armature = from->armature;
  joint.damping = from->damping;
  joint.stiffness = from->stiffness;
  joint.springref = from->springref;
  joint.limited = from->limited;
  if (from->limited && from->kind != IO_BALL) joint.lower = from->lower;
  if (from->limited) joint.upper = from->upper;
  joint.limit_timeconst = from->limit_timeconst;
  joint.limit_dampratio = from->limit_dampratio;
  joint.friction = from->friction;
  joint.limit_law = from->limit_law, joint.friction_law = from->friction_law;
  joint.margin = from->margin;
  if (from->effort_limited) joint.effort_lower = from->effort_lower, joint.effort_upper = from->effort_upper;
  if (from->speed_limited) joint.speed_limit = from->speed_limit;
  joint.drive_limited = from->drive_limited;
  joint.spring_timeconst = from->spring_timeconst, joint.spring_dampratio = from->spring_dampratio;
  return io_spec_add(spec, CDN_SPEC_JOINT, &joint, NULL);
}

static cdn_status add_body(cdn_spec *spec, const char *name, const io_body *from, bool last) {
  io_description *d = &spec->d;
  if (last && !from->mass_checked) CDNI_TRY(io_check_mass(d, from->line, d->body_word, from->name, &from->mass));
  cdn_spec_body body = cdn_default_spec_body();
  body.line = from->line;
  body.name = name;
  if (last) body.mass = from->mass;
  body.intermediate = !last;
  if (last) body.gravity_compensation = from->gravity_compensation;
  body.allow_improper = true;
  return io_spec_add(spec, CDN_SPEC_BODY, &body, NULL);
}

static cdn_status add_jointed(cdn_spec *spec, const io_body *body) {
  const char *parent = body_name(&spec->d, body->parent);
  char frames[2][512];
  for (int j = 0; j < body->n_joints; j++) {
    const bool last = j == body->n_joints - 1;
    char *frame = frames[j % 2]; /* the other one is the parent */
    snprintf(frame, sizeof frames[0], "%.240s (after %.240s)", body->name,
             joint_at(&spec->d, body->first_joint + j)->name);
    const char *child = last ? body->name : frame;
    CDNI_TRY(add_body(spec, child, body, last));
    CDNI_TRY(add_joint(spec, body, body->first_joint + j, parent, child));
    parent = child;
  }
  return CDN_OK;
}

static cdn_status add_welded(cdn_spec *spec, const io_body *body) {
  char name[300];
  snprintf(name, sizeof name, "%.280s weld", body->name);
  cdn_spec_joint weld = cdn_default_spec_joint();
  weld.line = body->line;
  weld.name = name;
  weld.parent = body_name(&spec->d, body->parent);
  weld.child = body->name;
  weld.X_PF = body->X_PB;
  CDNI_TRY(add_body(spec, body->name, body, true));
  return io_spec_add(spec, CDN_SPEC_JOINT, &weld, NULL);
}

static cdn_status add_tree(cdn_spec *spec) {
  for (int i = 1; i < (int)spec->d.bodies.count; i++) {
    const io_body *body = body_at(&spec->d, i);
    CDNI_TRY(body->n_joints > 0 ? add_jointed(spec, body) : add_welded(spec, body));
  }
  return CDN_OK;
}

/* ---- elements that refer to bodies and joints ------------------------------------------------ */

static cdn_status add_constraint(cdn_spec *spec, const io_loop *from) {
  const io_description *d = &spec->d;
  static const cdn_spec_constraint_kind kinds[] = {
    [IO_CONNECT] = CDN_SPEC_CONNECT, [IO_WELD] = CDN_SPEC_WELD, [IO_COUPLING] = CDN_SPEC_COUPLING
  };
  cdn_spec_constraint c = cdn_default_spec_constraint();
  c.line = from->line;
  c.name = from->name;
  c.kind = kinds[from->kind];
  c.disabled = from->inactive;
  c.law = from->law;
  if (from->kind == IO_WELD) c.torque_scale = from->torque_scale;
  if (from->kind == IO_COUPLING) {
    c.joint_y = joint_at(d, from->y)->name;
    c.y0 = joint_at(d, from->y)->ref;
    if (from->x >= 0) c.joint_x = joint_at(d, from->x)->name, c.x0 = joint_at(d, from->x)->ref;
    memcpy(c.c, from->c, sizeof c.c);
  } else {
    c.body_a = body_name(d, from->a);
    c.body_b = body_name(d, from->b);
    c.X_A = from->X_A;
    c.X_B = from->X_B;
  }
  return io_spec_add(spec, CDN_SPEC_CONSTRAINT, &c, NULL);
}

static cdn_status add_actuator(cdn_spec *spec, const io_actuator *from) {
  const io_description *d = &spec->d;
  if (from->lost) return CDN_OK;
  cdn_spec_actuator a = from->actuator;
  if (from->joint >= 0) {
    a.joint = joint_at(d, from->joint)->name;
  } else if (from->tendon >= 0) {
    a.tendon = CDNI_AT(d->tendons, cdn_spec_tendon, from->tendon).name;
  } else {
    a.body = from->frame.body > 0 ? body_name(d, from->frame.body) : "Ground";
    a.X_BS = from->frame.X_BS;
  }
  a.has_reference = from->has_reference;
  if (from->has_reference) a.reference = body_name(d, from->reference.body), a.X_RF = from->reference.X_BS;
  return io_spec_add(spec, CDN_SPEC_ACTUATOR, &a, NULL);
}

static cdn_status add_sensor(cdn_spec *spec, const io_sensor *from) {
  const io_description *d = &spec->d;
  cdn_spec_sensor s = from->more;
  s.line = from->line;
  s.name = from->name;
  s.kind = from->kind;
  s.cutoff = from->cutoff;
  s.has_reference = from->has_reference;
  if (from->joint >= 0) {
    s.joint = joint_at(d, from->joint)->name;
  } else {
    s.body = body_name(d, from->frame.body);
    s.X_BS = from->frame.X_BS;
  }
  if (from->has_reference) s.reference = body_name(d, from->reference.body), s.X_RS = from->reference.X_BS;
  return io_spec_add(spec, CDN_SPEC_SENSOR, &s, NULL);
}

static cdn_status add_key(cdn_spec *spec, const io_key *from) {
  const io_description *d = &spec->d;
  cdn_spec_key key = cdn_default_spec_key();
  for (size_t i = 0; i < d->joints.count; i++) {
    if (from->has_q) key.nq += io_joint_nq(joint_at(d, (int)i)->kind);
    if (from->has_u) key.nu += io_joint_nu(joint_at(d, (int)i)->kind);
  }
  key.line = from->line;
  key.name = from->name;
  key.time = from->has_time ? from->time : 0;
  key.q = from->q;
  key.u = from->u;
  /* Actuators that are left out have no place in the spec's lists. */
  for (size_t i = 0; i < d->actuators.count; i++) {
    if (CDNI_AT(d->actuators, io_actuator, i).lost) continue;
    if (from->c) from->c[key.n_actuators] = from->c[i];
    if (from->a) from->a[key.n_actuators] = from->a[i];
    key.n_actuators++;
  }
  key.controls = from->c;
  key.activations = from->a;
  return io_spec_add(spec, CDN_SPEC_KEY, &key, NULL);
}

static cdn_status add_frame(cdn_spec *spec, const io_named_frame *from) {
  cdn_spec_frame frame = cdn_default_spec_frame();
  frame.line = from->line;
  frame.name = from->name;
  frame.body = body_name(&spec->d, from->frame.body);
  frame.X_BF = from->frame.X_BS;
  return io_spec_add(spec, CDN_SPEC_FRAME, &frame, NULL);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static const char *word_of(cdn_shape_type type) {
  switch (type) {
    case CDN_SHAPE_PLANE: return "plane";
    case CDN_SHAPE_HFIELD: return "height field";
    case CDN_SHAPE_SPHERE: return "sphere";
    case CDN_SHAPE_CAPSULE: return "capsule";
    case CDN_SHAPE_ELLIPSOID: return "ellipsoid";
    case CDN_SHAPE_CYLINDER: return "cylinder";
    case CDN_SHAPE_BOX: return "box";
    case CDN_SHAPE_MESH: return "mesh";
  }
  return "shape";
}

/* Names for shapes that have none. */
typedef struct namer {
  io_names given;
  int *numbers; /* for each body: how many of each kind have got a name */
} namer;

/* "thigh capsule 2": the second capsule of that body which has no name. */
static const char *name_shape(namer *n, const io_shape *from, const char *body, char *made, size_t size) {
  cdn_geometry_kind kind = CDN_GEOMETRY_CUSTOM;
  (void)io_geometry_kind(from->shape.type, &kind);
  int *number = &n->numbers[from->body * CDN_GEOMETRY_KIND_COUNT + (int)kind];
  do {
    snprintf(made, size, "%.200s %s %d", body ? body : "Ground", word_of(from->shape.type), ++*number);
  } while (io_names_find(&n->given, made) >= 0);
  return made;
}

static cdn_status add_named_shapes(cdn_spec *spec, namer *n) {
  io_description *d = &spec->d;
  for (size_t i = 0; i < d->shapes.count; i++) {
    const char *name = CDNI_AT(d->shapes, io_shape, i).shape.name;
    if (name && io_names_add(&d->allocator, &n->given, name, (int)i) < 0)
      return io_fail(d, CDN_ERR_NOMEM, 0, "out of memory");
  }
  for (size_t i = 0; i < d->shapes.count; i++) {
    const io_shape *from = &CDNI_AT(d->shapes, io_shape, i);
    cdn_spec_shape shape = from->shape;
    char made[256];
    shape.body = body_name(d, from->body);
    if (!shape.name) shape.name = name_shape(n, from, shape.body, made, sizeof made);
    CDNI_TRY(io_spec_add(spec, CDN_SPEC_SHAPE, &shape, NULL));
  }
  return CDN_OK;
}

static cdn_status add_shapes(cdn_spec *spec) {
  io_description *d = &spec->d;
  const size_t bytes = d->bodies.count * CDN_GEOMETRY_KIND_COUNT * sizeof(int);
  namer n = { .numbers = cdni_calloc(&d->allocator, bytes) };
  if (!n.numbers) return io_fail(d, CDN_ERR_NOMEM, 0, "out of memory");
  const cdn_status status = add_named_shapes(spec, &n);
  io_names_free(&d->allocator, &n.given);
  cdni_free(&d->allocator, n.numbers, bytes);
  return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

static cdn_status add_camera(cdn_spec *spec, const io_camera *from) {
  cdn_spec_camera camera = from->camera;
  camera.body = body_name(&spec->d, from->body);
  return io_spec_add(spec, CDN_SPEC_CAMERA, &camera, NULL);
}

static cdn_status add_light(cdn_spec *spec, const io_light *from) {
  cdn_spec_light light = from->light;
  light.body = body_name(&spec->d, from->body);
  return io_spec_add(spec, CDN_SPEC_LIGHT, &light, NULL);
}

void io_tell_beyond_limits(cdn_spec *spec, bool cure) {
  io_list beyond = { .count = 0 };
  int line = 0;
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_JOINT); i++) {
    cdn_spec_joint *joint = io_spec_joint(spec, i);
    if (!joint->limited || !io_spec_joint_has_range(joint)) continue;
    if (joint->q0[0] >= joint->lower && joint->q0[0] <= joint->upper) continue;
    if (beyond.count == 0) line = joint->line;
    io_list_add(&beyond, joint->name);
    if (cure) joint->q0[0] = fmin(fmax(joint->q0[0], joint->lower), joint->upper);
  }
  if (beyond.count == 0) return;
  const bool one = beyond.count == 1;
  io_warn(&spec->d, line, "%d joint%s outside of %s limits in the default pose%s: %s%s", beyond.count,
          one ? " is" : "s are", one ? "its" : "their", cure ? ", and the robot starts at the nearest limit" : "",
          beyond.text, io_list_rest(&beyond));
}

cdn_status io_publish(cdn_spec *spec) {
  io_description *d = &spec->d;
  CDNI_TRY(check_order(d));
  CDNI_TRY(add_tree(spec));
  for (size_t i = 0; i < d->loops.count; i++) CDNI_TRY(add_constraint(spec, &CDNI_AT(d->loops, io_loop, i)));
  for (size_t i = 0; i < d->frames.count; i++) CDNI_TRY(add_frame(spec, &CDNI_AT(d->frames, io_named_frame, i)));
  CDNI_TRY(add_shapes(spec));
  for (size_t i = 0; i < d->assets.count; i++)
    CDNI_TRY(io_spec_add(spec, CDN_SPEC_ASSET, &CDNI_AT(d->assets, cdn_spec_asset, i), NULL));
  for (size_t i = 0; i < d->contacts.count; i++)
    CDNI_TRY(io_spec_add(spec, CDN_SPEC_CONTACT, &CDNI_AT(d->contacts, cdn_spec_contact, i), NULL));
  for (size_t i = 0; i < d->cameras.count; i++) CDNI_TRY(add_camera(spec, &CDNI_AT(d->cameras, io_camera, i)));
  for (size_t i = 0; i < d->lights.count; i++) CDNI_TRY(add_light(spec, &CDNI_AT(d->lights, io_light, i)));
  for (size_t i = 0; i < d->tendons.count; i++)
    CDNI_TRY(io_spec_add(spec, CDN_SPEC_TENDON, &CDNI_AT(d->tendons, cdn_spec_tendon, i), NULL));
  for (size_t i = 0; i < d->actuators.count; i++) CDNI_TRY(add_actuator(spec, &CDNI_AT(d->actuators, io_actuator, i)));
  for (size_t i = 0; i < d->sensors.count; i++) CDNI_TRY(add_sensor(spec, &CDNI_AT(d->sensors, io_sensor, i)));
  for (size_t i = 0; i < d->keys.count; i++) CDNI_TRY(add_key(spec, &CDNI_AT(d->keys, io_key, i)));
  io_description_drop_tree(d);
  if (d->starts_within_limits) io_tell_beyond_limits(spec, true);
  return CDN_OK;
}
