/* Bodies and joints of a description as a chain of mobilizers.
 *
 * All frames between the joints of one body coincide with the body's frame B when every coordinate has its reference
 * value. So joint k, with its axis frame A in B, has F = A and M = A, but that the first one's F is placed in the
 * parent by X_PB, and that F is set back by the reference value. The last body of the chain is B itself. */
#include "io/build.h"

#include <stdio.h>

#include "matter/matter.h"

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

/* Places the mobilizer of a segment. `first`: it moves relative to the body's parent. */
static void place_segment(const io_body *body, segment *s, bool first, cdn_body_def *def) {
  const cdn_rotation back = cdn_rotation_axis_angle(cdn_v3(0, 0, 1), -s->turn);
  const cdn_transform X_BF = { s->turn == 0 ? s->R : cdn_rotation_multiply(s->R, back), s->p_F };
  def->mobilizer = s->kind;
  def->X_PF = first ? cdn_transform_multiply(body->X_PB, X_BF) : X_BF;
  def->X_BM = (cdn_transform){ s->R, s->p_M };
  if (s->kind == CDN_FREE && first) {
    /* A free body's coordinates are its pose in the parent. */
    const cdn_quaternion q = cdn_quaternion_from_rotation(body->X_PB.R);
    const double pose[7] = { q.w, q.x, q.y, q.z, body->X_PB.p.x, body->X_PB.p.y, body->X_PB.p.z };
    memcpy(s->q0, pose, sizeof pose);
    def->X_PF = def->X_BM = cdn_transform_identity();
  }
  def->q0 = s->q0;
}

static void add_jointed_body(io_builder *b, int index) {
  const io_body *body = io_body_at(b->d, index);
  cdn_body parent = b->bodies[body->parent];
  for (int j = 0; j < body->n_joints; j++) {
    const io_joint *joint = io_joint_at(b->d, body->first_joint + j);
    const bool last = j == body->n_joints - 1;
    char frame[512];
    snprintf(frame, sizeof frame, "%.240s (after %.240s)", body->name, joint->name);
    segment s = segment_of(joint);
    cdn_body_def def = cdn_default_body_def();
    def.name = last ? body->name : frame;
    def.mobilizer_name = joint->name;
    def.parent = parent;
    place_segment(body, &s, j == 0, &def);
    if (last) def.mass = body->mass;
    def.armature = joint->armature;
    def.allow_improper = true;
    parent = cdn_system_add_body(b->system, &def);
    b->joint_bodies[body->first_joint + j] = parent;
  }
  b->bodies[index] = parent;
}

static void add_welded_body(io_builder *b, int index) {
  const io_body *body = io_body_at(b->d, index);
  cdn_body_def def = cdn_default_body_def();
  def.name = body->name;
  def.parent = b->bodies[body->parent];
  def.X_PF = body->X_PB;
  def.mass = body->mass;
  def.allow_improper = true;
  b->bodies[index] = cdn_system_add_body(b->system, &def);
}

void io_build_tree(io_builder *b) {
  (void)cdni_matter_building(b->system); /* the world, which may be all that there is */
  b->bodies[0] = cdn_ground();
  for (int i = 1; i < (int)b->d->bodies.count; i++) {
    if (io_body_at(b->d, i)->n_joints > 0) add_jointed_body(b, i);
    else add_welded_body(b, i);
  }
}
