/* The tree of a spec as bodies of a System. */
#include <stdio.h>

#include "io/build.h"
#include "io/joints.h"
#include "matter/matter.h"

static cdn_mass_properties share(cdn_mass_properties mass, int parts) {
  if (parts == 1) return mass;
  const double k = 1.0 / parts;
  const cdn_inertia I = mass.inertia;
  return (
      cdn_mass_properties){ k * mass.mass, mass.com, { k * I.xx, k * I.yy, k * I.zz, k * I.xy, k * I.xz, k * I.yz } };
}

/* X_PF and X_BM are of the System's parent and body: exchanged where the joint's child is inboard. */
static void place_joint(const cdn_spec_joint *joint, bool reversed, cdn_body_def *def) {
  def->mobilizer_name = joint->kind == CDN_WELD ? NULL : joint->name;
  def->mobilizer = joint->kind;
  def->reversed = joint->reversed != reversed;
  def->euler = joint->euler;
  memcpy(def->params, joint->params, sizeof def->params);
  def->functions = joint->functions;
  def->custom = joint->custom;
  def->custom_self = joint->custom_self;
  def->X_PF = reversed ? joint->X_CM : joint->X_PF;
  def->X_BM = reversed ? joint->X_PF : joint->X_CM;
  def->armature = joint->armature;
  def->lock = joint->lock;
  def->q0 = joint->q0;
  def->u0 = joint->u0;
  const double *q = joint->q0;
  if (io_spec_joint_has_quaternion(joint) && q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0) def->q0 = NULL;
}

static cdn_body add_mobilizer(io_builder *b, const cdn_spec_mobilizer *m, bool trial) {
  const cdn_spec_body *body = io_spec_body(b->spec, m->body);
  char part[300], base[300];
  snprintf(part, sizeof part, "%.240s (part %d)", body->name, m->part + 1);
  snprintf(base, sizeof base, "%.240s free", body->name);
  cdn_body_def def = cdn_default_body_def();
  cdn_custom_mobilizer_ops ops;
  def.name = m->part > 0 ? part : body->name;
  def.parent = m->inboard < 0 ? cdn_ground() : b->mobilizers[m->inboard];
  def.mass = share(body->mass, m->parts);
  def.allow_improper = body->allow_improper;
  if (m->joint >= 0) place_joint(io_spec_joint(b->spec, m->joint), m->reversed, &def);
  else def.mobilizer = CDN_FREE, def.mobilizer_name = base;
  if (trial && def.custom) { /* only a System that stays may own the private part */
    ops = *def.custom;
    ops.destroy = NULL;
    def.custom = &ops;
  }
  const cdn_body made = cdn_system_add_body(b->system, &def);
  if (body->mocap) {
    cdn_motion_def motion = cdn_default_motion_def();
    motion.name = body->name, motion.body = made, motion.kind = CDN_MOTION_MOCAP;
    if (made.i >= 0) cdn_system_add_motion(b->system, &motion);
  }
  return made;
}

void io_build_tree(io_builder *b, bool trial) {
  (void)cdni_matter_building(b->system); /* the world, which may be all that there is */
  for (int j = 0; j < cdn_spec_count(b->spec, CDN_SPEC_JOINT); j++) b->joints[j] = (cdn_body){ -1 };
  for (int i = 0; i < (int)b->tree.mobilizers.count; i++) {
    const cdn_spec_mobilizer *m = io_mobilizer(b, i);
    b->mobilizers[i] = add_mobilizer(b, m, trial);
    if (m->part == 0) b->bodies[m->body] = b->mobilizers[i];
    if (m->joint >= 0) b->joints[m->joint] = b->mobilizers[i];
  }
}
