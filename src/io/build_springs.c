/* Springs and dampers of joints. */
#include <cardan/derivatives.h>
#include <math.h>
#include <stdio.h>

#include "io/build.h"
#include "io/joints.h"

/* ---- the position part of a free joint's spring: f = -(k[0] + k[1] r + k[2] r^2) x, r = |x| ---- */

typedef struct position_spring {
  cdn_body body;
  double k[3];
  cdn_vec3 p0; /* p_FM at rest */
} position_spring;

static bool free_displacement(const position_spring *spring, cdn_state *state, cdn_vec3 *x, double *r) {
  const double *q = cdn_state_q_eff(state);
  if (!q) return false;
  const double *p = q + cdn_body_first_q(cdn_state_system(state), spring->body) + 4;
  *x = cdn_sub(cdn_v3(p[0], p[1], p[2]), spring->p0);
  *r = cdn_norm(*x);
  return true;
}

static double position_stiffness(const position_spring *spring, double r) {
  return spring->k[0] + r * (spring->k[1] + r * spring->k[2]);
}

static cdn_status position_spring_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const position_spring *spring = self;
  cdn_vec3 x;
  double r;
  if (!free_displacement(spring, state, &x, &r)) return CDN_ERR_CALLBACK;
  /* The last three mobilities are M's velocity in F. */
  for (int i = 0; i < 3; i++)
    cdn_forces_add_mobility(forces, spring->body, 3 + i, -position_stiffness(spring, r) * (&x.x)[i]);
  return CDN_OK;
}

static cdn_status position_spring_potential(const void *self, cdn_state *state, double *energy) {
  const position_spring *spring = self;
  const double *k = spring->k;
  cdn_vec3 x;
  double r;
  if (!free_displacement(spring, state, &x, &r)) return CDN_ERR_CALLBACK;
  *energy = r * r * (k[0] / 2 + r * (k[1] / 3 + r * k[2] / 4));
  return CDN_OK;
}

static cdn_status position_spring_derivative(const void *self, cdn_state *state, cdn_force_derivatives *out) {
  const position_spring *spring = self;
  cdn_vec3 x;
  double r;
  if (!free_displacement(spring, state, &x, &r)) return CDN_ERR_CALLBACK;
  const double k = position_stiffness(spring, r), rise = r > 0 ? spring->k[1] / r + 2 * spring->k[2] : 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      cdn_force_derivatives_add_mobility(out, spring->body, 3 + i, spring->body, 3 + j,
                                         -(i == j ? k : 0) - rise * (&x.x)[i] * (&x.x)[j], 0);
  return CDN_OK;
}

static void add_position_spring(io_builder *b, const char *name, cdn_body body, const double k[3], cdn_vec3 p0) {
  const cdn_force_ops ops = {
    .subsystem = { .struct_size = sizeof(cdn_subsystem_ops), .name = name, .self_size = sizeof(position_spring) },
    .struct_size = sizeof(cdn_force_ops),
    .reads = CDN_READS_POSITION,
    .calc_force = position_spring_force,
    .calc_potential = position_spring_potential,
    .calc_derivative = position_spring_derivative,
  };
  const position_spring self = { body, { k[0], k[1], k[2] }, p0 };
  cdn_system_add_custom_force(b->system, &ops, &self);
}

static void add_spring(io_builder *b, const cdn_spec_joint *joint, cdn_body body) {
  char name[256], position_name[256];
  const double k[3] = { joint->stiffness, joint->stiffness_higher[0], joint->stiffness_higher[1] };
  snprintf(name, sizeof name, "%.200s spring", joint->name);
  snprintf(position_name, sizeof position_name, "%.200s position spring", joint->name);
  if (joint->kind == CDN_BALL || joint->kind == CDN_FREE)
    cdn_system_add_polynomial_rotation_spring(b->system, name, body, k, joint->X_FM_rest.R);
  else cdn_system_add_polynomial_spring(b->system, name, body, 0, k, joint->springref);
  if (joint->kind == CDN_FREE) add_position_spring(b, position_name, body, k, joint->X_FM_rest.p);
}

/* ---- what a damper on the rotation of a ball or free joint has that is not linear ---- */

/* It acts, as MuJoCo's, on each of the three components w of the angular velocity in M alone: -(c[0] w |w| + c[1] w^3).
 * Such a law depends on the axes; the speeds u are components in F. */
typedef struct turn_damper {
  cdn_body body;
  double c[2];
} turn_damper;

/* R_FM, and w in M. */
static bool turning(const turn_damper *damper, cdn_state *state, cdn_rotation *R, cdn_vec3 *w) {
  const double *q = cdn_state_q_eff(state), *u = cdn_state_u_eff(state);
  const cdn_system *system = cdn_state_system(state);
  if (!q || !u) return false;
  q += cdn_body_first_q(system, damper->body), u += cdn_body_first_u(system, damper->body);
  *R = cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
  *w = cdn_rotate(cdn_rotation_transpose(*R), cdn_v3(u[0], u[1], u[2]));
  return true;
}

static cdn_vec3 turn_moment(const turn_damper *damper, cdn_vec3 w) {
  double m[3];
  for (int i = 0; i < 3; i++) {
    const double v = (&w.x)[i];
    m[i] = -v * (damper->c[0] * fabs(v) + damper->c[1] * v * v);
  }
  return cdn_v3(m[0], m[1], m[2]);
}

static cdn_status turn_damper_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const turn_damper *damper = self;
  cdn_rotation R;
  cdn_vec3 w;
  if (!turning(damper, state, &R, &w)) return CDN_ERR_CALLBACK;
  const cdn_vec3 moment = cdn_rotate(R, turn_moment(damper, w));
  for (int i = 0; i < 3; i++) cdn_forces_add_mobility(forces, damper->body, i, (&moment.x)[i]);
  return CDN_OK;
}

/* By a small turn e of M, in F, the moment changes by e x moment, and by what w, which becomes w - e x w, does to
 * it. */
static cdn_status turn_damper_derivative(const void *self, cdn_state *state, cdn_force_derivatives *out) {
  const turn_damper *damper = self;
  cdn_rotation R;
  cdn_vec3 w;
  if (!turning(damper, state, &R, &w)) return CDN_ERR_CALLBACK;
  const cdn_vec3 moment = cdn_rotate(R, turn_moment(damper, w)), w_F = cdn_rotate(R, w);
  double slope[3];
  for (int i = 0; i < 3; i++) slope[i] = -fabs((&w.x)[i]) * (2 * damper->c[0] + 3 * damper->c[1] * fabs((&w.x)[i]));
  for (int j = 0; j < 3; j++) {
    const cdn_vec3 e = cdn_v3(j == 0, j == 1, j == 2);
    const cdn_vec3 changes[] = { cdn_scale(-1, cdn_cross(e, w_F)), e }; /* of w, by the turn and by the speed */
    cdn_vec3 df[2];
    for (int k = 0; k < 2; k++) {
      const cdn_vec3 d = cdn_rotate(cdn_rotation_transpose(R), changes[k]);
      df[k] = cdn_rotate(R, cdn_v3(slope[0] * d.x, slope[1] * d.y, slope[2] * d.z));
    }
    df[0] = cdn_add(df[0], cdn_cross(e, moment));
    for (int i = 0; i < 3; i++)
      cdn_force_derivatives_add_mobility(out, damper->body, i, damper->body, j, (&df[0].x)[i], (&df[1].x)[i]);
  }
  return CDN_OK;
}

static void add_turn_damper(io_builder *b, const cdn_spec_joint *joint, cdn_body body) {
  char name[256];
  const cdn_force_ops ops = {
    .subsystem = { .struct_size = sizeof(cdn_subsystem_ops), .name = name, .self_size = sizeof(turn_damper) },
    .struct_size = sizeof(cdn_force_ops),
    .reads = CDN_READS_VELOCITY,
    .calc_force = turn_damper_force,
    .calc_derivative = turn_damper_derivative,
  };
  const turn_damper self = { body, { joint->damping_higher[0], joint->damping_higher[1] } };
  if (self.c[0] == 0 && self.c[1] == 0) return;
  snprintf(name, sizeof name, "%.200s turning damper", joint->name);
  cdn_system_add_custom_force(b->system, &ops, &self);
}

/* On every mobility of the joint. */
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
  if (turns > 0) add_turn_damper(b, joint, body);
}

void io_add_spring_and_damper(io_builder *b, const cdn_spec_joint *joint, cdn_body body) {
  const double *k = joint->stiffness_higher, *c = joint->damping_higher;
  if (joint->stiffness != 0 || k[0] != 0 || k[1] != 0) add_spring(b, joint, body);
  if (joint->damping != 0 || c[0] != 0 || c[1] != 0) add_damper(b, joint, body);
}
