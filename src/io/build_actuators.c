/* The actuators of a spec: controls, and the forces that read them. An actuator that is driven by its control itself
 * and acts on a joint with one coordinate is the library's own force element; the others are drives. */
#include <math.h>
#include <stdio.h>

#include "io/build.h"
#include "io/joints.h"

static cdn_status wrong(int line) { return line > 0 ? CDN_ERR_PARSE : CDN_ERR_ARG; }

/* ---- what it acts on -------------------------------------------------------------------------- */

static cdn_status no_target(io_builder *b, const cdn_spec_actuator *a, const char *reason, const char *name) {
  return io_fail(b->log, wrong(a->line), a->line, "actuator '%.60s': %s '%.60s'; name another joint or body", a->name,
                 reason, name);
}

static cdn_status find_tendon(io_builder *b, const cdn_spec_actuator *from, cdn_drive_def *def) {
  def->on = CDN_ON_PATH;
  if (io_find_tendon(b, from->tendon, &def->path)) return CDN_OK;
  return no_target(b, from, "there is no tendon", from->tendon);
}

static cdn_status find_frame(io_builder *b, const cdn_spec_actuator *from, cdn_drive_def *def) {
  const int body = from->body ? io_spec_find_body(&b->names, from->body) : -2;
  const int reference = from->has_reference ? io_spec_find_body(&b->names, from->reference) : -1;
  if (body == -2) return no_target(b, from, "it acts on no joint, and there is no body", from->body ? from->body : "");
  if (reference == -2) return no_target(b, from, "its reference is on no body of the model:", from->reference);
  if (body < 0 && !from->has_reference)
    return no_target(b, from, "it would act on a frame that does not move, of", from->body);
  def->on = from->on_contacts ? CDN_ON_CONTACTS : from->rod > 0 ? CDN_ON_CRANK : CDN_ON_FRAME;
  def->body = body < 0 ? cdn_ground() : b->bodies[body];
  def->X_BS = from->X_BS, def->X_RF = from->X_RF;
  def->has_reference = from->has_reference;
  def->reference = reference < 0 ? cdn_ground() : b->bodies[reference];
  def->rod = from->rod;
  return CDN_OK;
}

static cdn_status find_joint(io_builder *b, const cdn_spec_actuator *from, cdn_drive_def *def) {
  const int i = io_names_find(&b->names.joints, from->joint);
  if (i < 0) return no_target(b, from, "there is no joint", from->joint);
  const cdn_spec_joint *joint = io_spec_joint(b->spec, i);
  if (!io_spec_joint_has_range(joint) && joint->kind != CDN_BALL && joint->kind != CDN_FREE)
    return no_target(b, from, "only joints with one coordinate, balls and free joints have actuators, unlike",
                     from->joint);
  if (b->joints[i].i < 0)
    return no_target(
        b, from, "it acts on a joint at which a loop is cut, and which has no coordinates (see weight):", from->joint);
  def->on = CDN_ON_JOINT;
  def->body = b->joints[i];
  def->in_parent = from->in_parent;
  return CDN_OK;
}

cdn_status io_find_drive(io_builder *b, const cdn_spec_actuator *from, cdn_drive_def *def) {
  *def = cdn_default_drive_def();
  memcpy(def->gear, from->gear, sizeof def->gear);
  memcpy(def->gain, from->gain, sizeof def->gain);
  memcpy(def->bias, from->bias, sizeof def->bias);
  def->gain_law = from->gain_law, def->bias_law = from->bias_law;
  def->muscle = from->muscle, def->passive = from->passive;
  def->lower = from->force_lower, def->upper = from->force_upper;
  def->dynamics = from->dynamics;
  def->exact_filter = from->exact_filter;
  const double step = b->model->options.fixed_step;
  if (from->early) def->early = step > 0 ? step : b->spec->whole.solver.timestep;
  def->activation_lower = from->activation_lower, def->activation_upper = from->activation_upper;
  if (from->dynamics == CDN_ACTUATOR_MUSCLE) memcpy(def->time, from->muscle_time, sizeof def->time);
  else def->time[0] = from->time_constant;
  if (from->joint) return find_joint(b, from, def);
  return !from->body && from->tendon ? find_tendon(b, from, def) : find_frame(b, from, def);
}

/* ---- limits of the force on a joint ----------------------------------------------------------- */

static bool carries(const cdn_system *system, cdn_body joint, cdn_body body) {
  while (body.i > joint.i) body = cdn_body_parent(system, body);
  return body.i == joint.i;
}

/* Whether an actuator may move a joint, and whether it does nothing else. */
static bool reaches(const io_builder *b, const cdn_drive_def *a, cdn_body joint, bool *alone) {
  *alone = a->on == CDN_ON_JOINT && a->body.i == joint.i;
  if (a->on == CDN_ON_JOINT) return *alone;
  if (a->on == CDN_ON_PATH || a->on == CDN_ON_CONTACTS) return true;
  const bool relative = a->has_reference || a->on == CDN_ON_CRANK;
  return carries(b->system, joint, a->body) != (relative && carries(b->system, joint, a->reference));
}

/* An actuator that acts on the joint alone has the joint's limits, if no other actuator reaches it; else *n is how many
 * do, and their forces are listed once these are there. */
static void bound_alone(const cdn_spec_joint *joint, cdn_drive_def *a) {
  const double g = a->gear[0];
  if (g == 0) return;
  const double least = g > 0 ? joint->effort_lower / g : joint->effort_upper / g;
  const double most = g > 0 ? joint->effort_upper / g : joint->effort_lower / g;
  if (fmax(a->lower, least) < fmin(a->upper, most)) a->lower = fmax(a->lower, least), a->upper = fmin(a->upper, most);
}

static bool is_bounded(const io_builder *b, int j) {
  const cdn_spec_joint *joint = io_spec_joint(b->spec, j);
  return joint->drive_limited && b->joints[j].i >= 0 && io_spec_joint_has_range(joint);
}

/* Of joint j: how many actuators reach it, and the last of them; whether all act on it alone. */
static int count_reaching(const io_builder *b, const cdn_drive_def *drives, int n, int j, int *last, bool *alone) {
  int count = 0;
  *alone = true;
  for (int i = 0; i < n; i++) {
    bool one = false;
    if (!reaches(b, &drives[i], b->joints[j], &one)) continue;
    count++, *last = i;
    *alone = *alone && one;
  }
  return count;
}

/* The compensations of gravity that count with the actuators of joint j, listed in `forces` (or NULL). */
static int count_compensations(const io_builder *b, int j, cdn_force *forces) {
  int n = 0;
  for (int i = 0; io_spec_joint(b->spec, j)->drive_compensates && i < cdn_spec_count(b->spec, CDN_SPEC_BODY); i++) {
    char name[256];
    io_compensation_name(io_spec_body(b->spec, i), name, sizeof name);
    const cdn_force force = cdn_system_find_force(b->system, name);
    if (io_spec_body(b->spec, i)->gravity_compensation == 0 || force.i < 0) continue;
    if (!carries(b->system, b->joints[j], b->bodies[i])) continue;
    if (forces) forces[n] = force;
    n++;
  }
  return n;
}

static void bound_joints(io_builder *b, cdn_drive_def *drives, int n) {
  for (int j = 0; j < cdn_spec_count(b->spec, CDN_SPEC_JOINT); j++) {
    int last = 0;
    bool alone;
    if (is_bounded(b, j) && count_compensations(b, j, NULL) == 0 &&
        count_reaching(b, drives, n, j, &last, &alone) == 1 && alone)
      bound_alone(io_spec_joint(b->spec, j), &drives[last]);
  }
}

/* Where several actuators reach a joint, or one by way of other things, or compensations of gravity count with them, an
 * element bounds their sum. forces: room for n of them and one for each body. */
static void bound_sums(io_builder *b, const cdn_drive_def *drives, int n, cdn_force *forces) {
  for (int j = 0; j < cdn_spec_count(b->spec, CDN_SPEC_JOINT); j++) {
    int last = 0, count = 0;
    bool alone;
    if (!is_bounded(b, j)) continue;
    const int all = count_reaching(b, drives, n, j, &last, &alone);
    const int lifts = count_compensations(b, j, NULL);
    if (all + lifts == 0 || (all == 1 && alone && lifts == 0)) continue;
    for (int i = 0; i < n; i++)
      if (reaches(b, &drives[i], b->joints[j], &alone))
        forces[count++] = CDNI_AT(b->model->actuators, io_model_actuator, i).force;
    count += count_compensations(b, j, forces + count);
    const cdn_spec_joint *joint = io_spec_joint(b->spec, j);
    char name[256];
    snprintf(name, sizeof name, "%.200s actuators' limit", joint->name);
    cdn_system_limit_drives(b->system, name, b->joints[j], 0, count, forces, joint->effort_lower, joint->effort_upper);
  }
}

/* The actuators on a tendon, in `forces`, which may be NULL; room for all. */
static int find_on_tendon(const io_builder *b, const char *tendon, cdn_force *forces) {
  int n = 0;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_ACTUATOR); i++) {
    const cdn_spec_actuator *a = io_spec_actuator(b->spec, i);
    if (a->joint || a->body || !a->tendon || strcmp(a->tendon, tendon) != 0) continue;
    if (forces) forces[n] = CDNI_AT(b->model->actuators, io_model_actuator, i).force;
    n++;
  }
  return n;
}

/* The limits of a tendon are those of its actuator's p, and of a sum where there are several. */
static void bound_by_tendon(const io_builder *b, const cdn_spec_actuator *from, cdn_drive_def *def) {
  const cdn_spec_tendon *t = io_spec_tendon(b->spec, cdn_spec_find(b->spec, CDN_SPEC_TENDON, from->tendon));
  const double lower = fmax(def->lower, t->effort_lower), upper = fmin(def->upper, t->effort_upper);
  if (find_on_tendon(b, from->tendon, NULL) == 1 && lower < upper) def->lower = lower, def->upper = upper;
}

static void bound_tendons(io_builder *b, cdn_force *forces) {
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_TENDON); i++) {
    const cdn_spec_tendon *t = io_spec_tendon(b->spec, i);
    const int n = t->effort_lower == -INFINITY && t->effort_upper == INFINITY ? 0 : find_on_tendon(b, t->name, forces);
    char name[256];
    if (n < 2) continue;
    snprintf(name, sizeof name, "%.200s actuators' limit", t->name);
    cdn_system_limit_drives_along(b->system, name, b->tendons[i].path, n, forces, t->effort_lower, t->effort_upper);
  }
}

/* ---- adding ----------------------------------------------------------------------------------- */

/* What is wrong with the numbers that nobody else checks, or NULL. */
static const char *complaint(const cdn_spec_actuator *a) {
  if (!(a->control_lower < a->control_upper)) return "the lower limit of its control must be below the upper one";
  if (isnan(a->rod) || a->rod < 0 || isinf(a->rod)) return "its rod must be a number, and not below zero";
  if (a->rod > 0 && !a->has_reference) return "it is a slider-crank without a slider: say on which frame it slides";
  if (!cdni_all_finite(a->gear, 6, NULL) || !cdni_all_finite(a->gain, 3, NULL) || !cdni_all_finite(a->bias, 3, NULL))
    return "its gear, gain, bias or frame has a NaN or an infinity";
  if (!(a->force_lower < a->force_upper)) return "the lower limit of its force must be below the upper one";
  if (!(a->activation_lower < a->activation_upper))
    return "the lower limit of its activation must be below the upper one";
  return NULL;
}

/* The force element of an actuator on a joint with one coordinate; the gear is part of its numbers. */
static cdn_force add_element(io_builder *b, const char *name, const cdn_drive_def *a) {
  const double g = a->gear[0], g2 = g * g;
  cdn_actuator_def def = cdn_default_actuator_def();
  def.body = a->body;
  def.control = a->control;
  def.gear = g;
  def.gain = g * a->gain[0];
  def.gain_q = g2 * a->gain[1];
  def.gain_u = g2 * a->gain[2];
  def.bias[0] = g * a->bias[0];
  def.bias[1] = g2 * a->bias[1];
  def.bias[2] = g2 * a->bias[2];
  def.lower = g > 0 ? g * a->lower : g * a->upper;
  def.upper = g > 0 ? g * a->upper : g * a->lower;
  return cdn_system_add_actuator(b->system, name, &def);
}

static bool is_element(const io_builder *b, const cdn_drive_def *a) {
  return a->on == CDN_ON_JOINT && cdn_body_nu(b->system, a->body) == 1 && a->dynamics == CDN_ACTUATOR_DIRECT &&
         a->gain_law == CDN_LAW_AFFINE && a->bias_law == CDN_LAW_AFFINE && a->gear[0] != 0;
}

/* Of a tendon that is a sum of coordinates; Ground of others. */
static cdn_status find_first_joint(io_builder *b, const cdn_spec_actuator *from, cdn_body *body) {
  const cdn_spec_tendon *t = io_spec_tendon(b->spec, cdn_spec_find(b->spec, CDN_SPEC_TENDON, from->tendon));
  cdn_mobility joint[CDN_SPEC_TENDON_JOINTS];
  if (t->joints == 0) return CDN_OK;
  CDNI_TRY(io_find_tendon_joints(b, t, joint));
  *body = joint[0].body;
  return CDN_OK;
}

/* Controls come first: their order is that of the actuators. */
static cdn_status add_control(io_builder *b, const cdn_spec_actuator *from) {
  cdn_control_def control = cdn_default_control_def();
  control.name = from->name;
  control.unit = from->unit;
  control.lower = from->control_lower;
  control.upper = from->control_upper;
  const io_model_actuator made = { .control = cdn_system_add_control(b->system, &control) };
  return cdni_array_push(&b->model->allocator, &b->model->actuators, sizeof made, &made)
             ? CDN_OK
             : io_fail(b->log, CDN_ERR_NOMEM, 0, "out of memory");
}

static io_lag lag_of(const cdn_spec_actuator *a) {
  return (io_lag){ .of = "actuator",
                   .name = a->name,
                   .line = a->line,
                   .delay = a->delay,
                   .samples = a->samples,
                   .interpolation = a->interpolation };
}

static cdn_status add_actuator(io_builder *b, int i, cdn_drive_def *a) {
  const cdn_spec_actuator *from = io_spec_actuator(b->spec, i);
  io_model_actuator *made = &CDNI_AT(b->model->actuators, io_model_actuator, i);
  const io_lag lag = lag_of(from);
  char name[256];
  CDNI_TRY(io_check_lag(b, &lag));
  a->control = io_is_late(&lag) ? io_add_late_control(b, made->control, &lag) : made->control;
  a->user = b->model->options.actuator_user;
  snprintf(name, sizeof name, "%.200s actuator", from->name);
  made->body = a->body;
  made->force = is_element(b, a) ? add_element(b, name, a) : cdn_system_add_drive(b->system, name, a);
  return a->on == CDN_ON_PATH ? find_first_joint(b, from, &made->body) : CDN_OK;
}

static cdn_status add_all(io_builder *b, int n, cdn_drive_def *drives, cdn_force *forces) {
  for (int i = 0; i < n; i++) {
    const cdn_spec_actuator *from = io_spec_actuator(b->spec, i);
    const char *bad = complaint(from);
    if (bad) return io_fail(b->log, wrong(from->line), from->line, "actuator '%.60s': %s", from->name, bad);
    CDNI_TRY(io_find_drive(b, from, &drives[i]));
    if (drives[i].on == CDN_ON_PATH) bound_by_tendon(b, from, &drives[i]);
  }
  bound_joints(b, drives, n);
  for (int i = 0; i < n; i++) CDNI_TRY(add_control(b, io_spec_actuator(b->spec, i)));
  for (int i = 0; i < n; i++) CDNI_TRY(add_actuator(b, i, &drives[i]));
  bound_sums(b, drives, n, forces);
  bound_tendons(b, forces);
  return CDN_OK;
}

cdn_status io_build_actuators(io_builder *b) {
  const int n = b->model->options.tree_only ? 0 : cdn_spec_count(b->spec, CDN_SPEC_ACTUATOR);
  const int bodies = cdn_spec_count(b->spec, CDN_SPEC_BODY);
  const size_t bytes = (size_t)n * sizeof(cdn_drive_def) + ((size_t)n + (size_t)bodies) * sizeof(cdn_force);
  if (bytes == 0 || b->model->options.tree_only) return CDN_OK;
  cdn_drive_def *drives = cdni_alloc(&b->log->allocator, bytes);
  if (!drives) return io_fail(b->log, CDN_ERR_NOMEM, 0, "out of memory");
  const cdn_status status = add_all(b, n, drives, (cdn_force *)(void *)(drives + n));
  cdni_free(&b->log->allocator, drives, bytes);
  return status;
}
