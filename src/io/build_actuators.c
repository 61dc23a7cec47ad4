/* The actuators of a spec: controls, and the forces that read them. An actuator that is driven by its control itself
 * and acts on a joint with one coordinate is the library's own force element; the others are custom forces. */
#include <math.h>
#include <stdio.h>

#include "io/build.h"
#include "io/joints.h"

static cdn_status wrong(int line) { return line > 0 ? CDN_ERR_PARSE : CDN_ERR_ARG; }

/* ---- adding ---------------------------------------------------------------------------------- */

/* The force element of an actuator on a joint with one coordinate; the gear is part of its numbers. */
static cdn_force add_element(io_builder *b, const char *name, const cdn_spec_actuator *from, const io_drive *a) {
  const double g = from->gear[0], g2 = g * g;
  cdn_actuator_def def = cdn_default_actuator_def();
  def.body = a->body;
  def.control = a->control;
  def.gain = g * from->gain[0];
  def.gain_q = g2 * from->gain[1];
  def.gain_u = g2 * from->gain[2];
  def.bias[0] = g * from->bias[0];
  def.bias[1] = g2 * from->bias[1];
  def.bias[2] = g2 * from->bias[2];
  if (g != 0) {
    def.lower = g > 0 ? g * a->lower : g * a->upper;
    def.upper = g > 0 ? g * a->upper : g * a->lower;
  }
  return cdn_system_add_actuator(b->system, name, &def);
}

/* Whether this actuator alone acts on its joint or tendon. */
static bool is_alone(const io_builder *b, const cdn_spec_actuator *a) {
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_ACTUATOR); i++) {
    const cdn_spec_actuator *other = io_spec_actuator(b->spec, i);
    if (other == a) continue;
    if (a->joint && other->joint && strcmp(a->joint, other->joint) == 0) return false;
    if (a->tendon && other->tendon && strcmp(a->tendon, other->tendon) == 0) return false;
  }
  return true;
}

/* Limits of the force on the joint or tendon, beside those of p itself. */
static void limit_drive(io_builder *b, const cdn_spec_actuator *from, double lower, double upper, io_drive *a) {
  const double g = from->gear[0];
  if (g == 0 || (lower == -INFINITY && upper == INFINITY)) return;
  const double least = fmax(a->lower, g > 0 ? lower / g : upper / g);
  const double most = fmin(a->upper, g > 0 ? upper / g : lower / g);
  if (is_alone(b, from) && least < most) {
    a->lower = least, a->upper = most;
    return;
  }
  io_not_understood(b->log, from->line,
                    from->joint ? "joint actuatorfrcrange (of several actuators)"
                                : "tendon actuatorfrcrange (of several actuators)");
}

static cdn_status no_target(io_builder *b, const cdn_spec_actuator *a, const char *reason, const char *name) {
  return io_fail(b->log, wrong(a->line), a->line, "actuator '%.60s': %s '%.60s'; name another joint or body", a->name,
                 reason, name);
}

static cdn_status find_tendon(io_builder *b, const cdn_spec_actuator *from, io_drive *a) {
  const int i = cdn_spec_find(b->spec, CDN_SPEC_TENDON, from->tendon);
  if (i < 0) return no_target(b, from, "there is no tendon", from->tendon);
  const cdn_spec_tendon *tendon = io_spec_tendon(b->spec, i);
  cdn_mobility joint[CDN_SPEC_TENDON_JOINTS];
  CDNI_TRY(io_find_tendon_joints(b, tendon, joint));
  a->kind = ON_COORDINATES;
  a->joints = tendon->joints;
  for (int k = 0; k < tendon->joints; k++) a->joint[k] = joint[k].body, a->coefficient[k] = tendon->coefficient[k];
  a->body = a->joint[0];
  limit_drive(b, from, tendon->effort_lower, tendon->effort_upper, a);
  return CDN_OK;
}

/* The outermost body that carries both. */
static cdn_body carries_both(const cdn_system *system, cdn_body a, cdn_body b) {
  while (a.i != b.i) {
    cdn_body *outer = a.i > b.i ? &a : &b; /* parents come first */
    *outer = cdn_body_parent(system, *outer);
  }
  return a;
}

cdn_status io_find_frame(io_builder *b, const cdn_spec_actuator *from, io_drive *a) {
  const int body = from->body ? io_spec_find_body(&b->names, from->body) : -2;
  const int reference = from->has_reference ? io_spec_find_body(&b->names, from->reference) : -1;
  if (body == -2) return no_target(b, from, "it acts on no joint, and there is no body", from->body ? from->body : "");
  if (reference == -2) return no_target(b, from, "its reference is on no body of the model:", from->reference);
  if (body < 0 && !from->has_reference)
    return no_target(b, from, "it would act on a frame that does not move, of", from->body);
  a->kind = ON_FRAME;
  a->body = body < 0 ? cdn_ground() : b->bodies[body];
  a->relative = from->has_reference;
  a->reference = reference < 0 ? cdn_ground() : b->bodies[reference];
  a->both = carries_both(b->system, a->body, a->reference);
  return CDN_OK;
}

static cdn_status find_target(io_builder *b, const cdn_spec_actuator *from, io_drive *a) {
  if (!from->joint && !from->body && from->tendon) return find_tendon(b, from, a);
  if (!from->joint) return io_find_frame(b, from, a);
  const int i = io_names_find(&b->names.joints, from->joint);
  if (i < 0) return no_target(b, from, "there is no joint", from->joint);
  const cdn_spec_joint *joint = io_spec_joint(b->spec, i);
  a->body = b->joints[i];
  if (io_spec_joint_has_range(joint)) a->kind = ON_COORDINATES, a->joints = 1, a->joint[0] = a->body;
  else if (joint->kind == CDN_BALL) a->kind = ON_BALL;
  else if (joint->kind == CDN_FREE) a->kind = ON_FREE;
  else
    return no_target(b, from, "only joints with one coordinate, balls and free joints have actuators, unlike",
                     from->joint);
  if (a->body.i < 0)
    return no_target(
        b, from, "it acts on a joint at which a loop is cut, and which has no coordinates (see weight):", from->joint);
  a->coefficient[0] = 1;
  if (joint->drive_limited && a->joints == 1) limit_drive(b, from, joint->effort_lower, joint->effort_upper, a);
  return CDN_OK;
}

/* What is wrong with the numbers that the System does not check, or NULL. */
static const char *complaint(const cdn_spec_actuator *a) {
  if (!cdni_all_finite(a->gear, 6, NULL) || !cdni_all_finite(a->gain, 3, NULL) || !cdni_all_finite(a->bias, 3, NULL) ||
      !cdni_all_finite((const double *)&a->X_BS, sizeof a->X_BS / sizeof(double), NULL) ||
      !cdni_all_finite((const double *)&a->X_RF, sizeof a->X_RF / sizeof(double), NULL))
    return "its gear, gain, bias or frame has a NaN or an infinity";
  if (!(a->force_lower < a->force_upper)) return "the lower limit of its force must be below the upper one";
  if (!(a->control_lower < a->control_upper)) return "the lower limit of its control must be below the upper one";
  if ((unsigned)a->dynamics > CDN_ACTUATOR_FILTER) return "its dynamics are not one of cdn_actuator_dynamics";
  if (!(a->time_constant > 0) || isinf(a->time_constant)) return "its time constant must be a number above zero";
  if (!(a->activation_lower < a->activation_upper))
    return "the lower limit of its activation must be below the upper one";
  return NULL;
}

static cdn_status add_actuator(io_builder *b, const cdn_spec_actuator *from, io_model_actuator *made, io_drive *kept) {
  io_drive a = { .X_BS = from->X_BS,
                 .X_RF = from->X_RF,
                 .in_parent = from->in_parent,
                 .lower = from->force_lower,
                 .upper = from->force_upper,
                 .dynamics = from->dynamics,
                 .time_constant = from->time_constant,
                 .least = from->activation_lower,
                 .most = from->activation_upper,
                 .z = { .group = -1 } };
  memcpy(a.gear, from->gear, sizeof a.gear);
  memcpy(a.gain, from->gain, sizeof a.gain);
  memcpy(a.bias, from->bias, sizeof a.bias);
  const char *bad = complaint(from);
  if (bad) return io_fail(b->log, wrong(from->line), from->line, "actuator '%.60s': %s", from->name, bad);
  CDNI_TRY(find_target(b, from, &a));
  cdn_control_def def = cdn_default_control_def();
  def.name = from->name;
  def.unit = from->unit;
  def.lower = from->control_lower;
  def.upper = from->control_upper;
  a.control = made->control = cdn_system_add_control(b->system, &def);
  const bool element = a.kind == ON_COORDINATES && !from->tendon && a.dynamics == CDN_ACTUATOR_DIRECT;
  made->body = a.body;
  char name[256];
  snprintf(name, sizeof name, "%.200s actuator", from->name);
  made->force = element ? add_element(b, name, from, &a) : io_drive_add(b->system, name, &a);
  *kept = a;
  return CDN_OK;
}

static bool carries(const cdn_system *system, cdn_body joint, cdn_body body) {
  while (body.i > joint.i) body = cdn_body_parent(system, body);
  return body.i == joint.i;
}

/* Whether an actuator moves a joint through a tendon or a frame. */
static bool reaches(const io_builder *b, const cdn_spec_actuator *from, const io_drive *a, cdn_body joint) {
  if (a->kind == ON_FRAME)
    return carries(b->system, joint, a->body) != (a->relative && carries(b->system, joint, a->reference));
  bool found = false;
  for (int k = 0; k < a->joints && !from->joint; k++) found = found || a->joint[k].i == joint.i;
  return found;
}

/* Limits of effort bound what an actuator does on the joint itself, and not what comes from elsewhere. */
static void tell_efforts(io_builder *b) {
  for (int j = 0; j < cdn_spec_count(b->spec, CDN_SPEC_JOINT); j++) {
    const cdn_spec_joint *joint = io_spec_joint(b->spec, j);
    if (!joint->drive_limited || b->joints[j].i < 0) continue;
    bool reached = false;
    for (size_t i = 0; i < b->drives.count && !reached; i++)
      reached = reaches(b, io_spec_actuator(b->spec, (int)i), &CDNI_AT(b->drives, io_drive, i), b->joints[j]);
    if (reached) io_not_understood(b->log, joint->line, "joint actuatorfrcrange (of actuators on tendons or sites)");
  }
}

cdn_status io_build_actuators(io_builder *b) {
  if (b->model->options.tree_only) return CDN_OK;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_ACTUATOR); i++) {
    io_model_actuator made;
    io_drive drive;
    CDNI_TRY(add_actuator(b, io_spec_actuator(b->spec, i), &made, &drive));
    if (!cdni_array_push(&b->model->allocator, &b->model->actuators, sizeof made, &made) ||
        !cdni_array_push(&b->log->allocator, &b->drives, sizeof drive, &drive))
      return io_fail(b->log, CDN_ERR_NOMEM, 0, "out of memory");
  }
  tell_efforts(b);
  return CDN_OK;
}
