/* Rigid limits and dry friction: limits of joints become constraints that act on one side, and dry friction sticks
 * exactly, with its loss as the load. What has no such constraint is as with compliant contact, and a warning says so.
 */
#include <cardan/hybrid.h>
#include <math.h>
#include <stdio.h>

#include "io/build.h"
#include "io/joints.h"

/* An oscillator with this damping ratio that is hit leaves after half a period with exp(-pi z / sqrt(1 - z^2)) of its
 * speed. */
static double restitution_of(double ratio) {
  return ratio > 0 && ratio < 1 ? exp(-3.14159265358979323846 * ratio / sqrt(1 - ratio * ratio)) : 0;
}

double io_restitution(const cdn_soft_law *law) {
  const double *ref = law->ref;
  return restitution_of(ref[0] > 0 ? ref[1] : -0.5 * ref[1] / sqrt(-ref[0]));
}

/* ---- limits ---- */

void io_rigid_limit_name(const char *joint, bool upper, char *name, size_t size) {
  snprintf(name, size, "%.200s %s limit", joint, upper ? "upper" : "lower");
}

static void add_limit(io_builder *b, const cdn_spec_joint *joint, cdn_body body, bool upper) {
  char name[256];
  io_rigid_limit_name(joint->name, upper, name, sizeof name);
  cdn_one_sided_def def = cdn_default_one_sided_def();
  def.constraint = cdn_system_constrain_coordinate(b->system, name, body, 0, upper ? joint->upper : joint->lower);
  def.upper = upper, def.restitution = restitution_of(joint->limit_dampratio);
  cdn_system_make_one_sided(b->system, &def);
}

bool io_limit_is_rigid(const io_builder *b, const cdn_spec_joint *joint) {
  return io_is_rigid(&b->model->options) && io_spec_joint_has_range(joint);
}

/* A joint that mimics another one follows its limits, too: where they keep it within its own, these would only say the
 * same once more. */
static bool follows_from_another(const io_builder *b, const cdn_spec_joint *joint) {
  if (io_has_soft_equalities(&b->model->options)) return false;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_CONSTRAINT); i++) {
    const cdn_spec_constraint *c = io_spec_constraint(b->spec, i);
    const bool couples = c->kind == CDN_SPEC_COUPLING && !c->disabled && c->joint_x && c->joint_y;
    if (!couples || strcmp(c->joint_y, joint->name) != 0 || c->c[2] != 0 || c->c[3] != 0 || c->c[4] != 0) continue;
    const int x = io_names_find(&b->names.joints, c->joint_x);
    const cdn_spec_joint *other = x >= 0 ? io_spec_joint(b->spec, x) : NULL;
    if (!other || !other->limited || b->joints[x].i < 0) continue;
    const double ends[] = { c->y0 + c->c[0] + c->c[1] * (other->lower - c->x0),
                            c->y0 + c->c[0] + c->c[1] * (other->upper - c->x0) };
    if (fmin(ends[0], ends[1]) >= joint->lower && fmax(ends[0], ends[1]) <= joint->upper) return true;
  }
  return false;
}

/* A range of no width leaves nothing to hit. */
void io_add_rigid_limit(io_builder *b, const cdn_spec_joint *joint, cdn_body body) {
  char name[256];
  if (follows_from_another(b, joint)) return;
  snprintf(name, sizeof name, "%.200s limit", joint->name);
  if (joint->lower == joint->upper) {
    cdn_system_constrain_coordinate(b->system, name, body, 0, joint->lower);
    return;
  }
  if (isfinite(joint->lower)) add_limit(b, joint, body, false);
  if (isfinite(joint->upper)) add_limit(b, joint, body, true);
}

/* ---- dry friction ---- */

void io_add_rigid_friction(io_builder *b, const cdn_spec_joint *joint, cdn_body body) {
  char name[256];
  const int n = io_spec_joint_nu(joint);
  for (int i = 0; i < n; i++) {
    cdn_dry_friction_def def = cdn_default_dry_friction_def();
    if (n == 1) snprintf(name, sizeof name, "%.200s friction", joint->name);
    else snprintf(name, sizeof name, "%.200s friction[%d]", joint->name, i);
    def.slip = cdn_system_constrain_speed(b->system, name, body, i, 0);
    def.load = joint->friction, def.mu_dynamic = 1;
    cdn_system_add_dry_friction(b->system, &def);
  }
}

/* ---- what is not rigid ---- */

static void warn(io_builder *b, io_list *list, int line, const char *what, const char *instead) {
  if (list->count == 0) return;
  io_warn(b->log, line, "with rigid contact, too, %s: %s%s%s", what, instead, list->text, io_list_rest(list));
}

void io_tell_not_rigid(io_builder *b) {
  io_list balls = { .count = 0 }, limits = balls, frictions = balls;
  int line = 0;
  if (!io_is_rigid(&b->model->options)) return;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *joint = io_spec_joint(b->spec, i);
    if (!joint->limited || io_limit_is_rigid(b, joint)) continue;
    if (line == 0) line = joint->line;
    io_list_add(&balls, joint->name);
  }
  warn(b, &balls, line, "limits of balls give way a little, as compliant ones", "joint ");
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_TENDON); i++) {
    const cdn_spec_tendon *t = io_spec_tendon(b->spec, i);
    if (!io_tendon_meets_inertia(t)) continue;
    if (limits.count + frictions.count == 0) line = t->line;
    if (t->limited) io_list_add(&limits, t->name);
    if (t->friction > 0) io_list_add(&frictions, t->name);
  }
  warn(b, &limits, line, "limits of tendons give way a little, as compliant ones", "tendon ");
  warn(b, &frictions, line, "dry friction of tendons gives way a little", "tendon ");
}
