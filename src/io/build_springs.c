/* Springs and dampers of joints. */
#include <stdio.h>

#include "io/build.h"
#include "io/joints.h"

static void add_spring(io_builder *b, const cdn_spec_joint *joint, cdn_body body) {
  char name[256], position_name[256];
  const double k[3] = { joint->stiffness, joint->stiffness_higher[0], joint->stiffness_higher[1] };
  snprintf(name, sizeof name, "%.200s spring", joint->name);
  snprintf(position_name, sizeof position_name, "%.200s position spring", joint->name);
  if (joint->kind == CDN_BALL || joint->kind == CDN_FREE)
    cdn_system_add_polynomial_rotation_spring(b->system, name, body, k, joint->X_FM_rest.R);
  else cdn_system_add_polynomial_spring(b->system, name, body, 0, k, joint->springref);
  if (joint->kind == CDN_FREE) cdn_system_add_position_spring(b->system, position_name, body, k, joint->X_FM_rest.p);
}

/* On every mobility of the joint. What is not linear in it acts, on balls and free joints, on each of the three
 * components of the angular velocity in M's axes. */
static void add_damper(io_builder *b, const cdn_spec_joint *joint, cdn_body body) {
  char name[256];
  const int n = io_spec_joint_nu(joint), turns = joint->kind == CDN_BALL || joint->kind == CDN_FREE ? 3 : 0;
  const double *higher = joint->damping_higher, c[3] = { joint->damping, higher[0], higher[1] };
  const double linear[3] = { joint->damping, 0, 0 };
  for (int i = 0; i < n; i++) {
    if (n == 1) snprintf(name, sizeof name, "%.200s damper", joint->name);
    else snprintf(name, sizeof name, "%.200s damper[%d]", joint->name, i);
    cdn_system_add_polynomial_damper(b->system, name, body, i, i < turns ? linear : c);
  }
  if (turns == 0 || (c[1] == 0 && c[2] == 0)) return;
  snprintf(name, sizeof name, "%.200s turning damper", joint->name);
  cdn_system_add_rotation_damper(b->system, name, body, (double[]){ 0, c[1], c[2] });
}

void io_add_spring_and_damper(io_builder *b, const cdn_spec_joint *joint, cdn_body body) {
  const double *k = joint->stiffness_higher, *c = joint->damping_higher;
  if (joint->stiffness != 0 || k[0] != 0 || k[1] != 0) add_spring(b, joint, body);
  if (joint->damping != 0 || c[0] != 0 || c[1] != 0) add_damper(b, joint, body);
}
