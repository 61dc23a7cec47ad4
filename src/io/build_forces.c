/* The forces of a spec: gravity, springs, dampers, limits and dry friction of its joints; with soft contact the limits,
 * and dry friction, are soft rows, and the solver of soft rows is set. */
#include "io/build.h"

#include <cardan/derivatives.h>
#include <cardan/soft_elements.h>
#include <math.h>
#include <stdio.h>

#include "io/joints.h"
#include "soft/soft.h"

/* ---- the position part of a free joint's spring ---- */

typedef struct position_spring {
  cdn_body body;
  double k;
  double p0[3]; /* p_FM at rest */
} position_spring;

static const double *free_position(const position_spring *spring, cdn_state *state) {
  const double *q = cdn_state_q_eff(state);
  return q ? q + cdn_body_first_q(cdn_state_system(state), spring->body) + 4 : NULL;
}

static cdn_status position_spring_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const position_spring *spring = self;
  const double *p = free_position(spring, state);
  if (!p) return CDN_ERR_CALLBACK;
  /* The last three mobilities are M's velocity in F. */
  for (int i = 0; i < 3; i++) cdn_forces_add_mobility(forces, spring->body, 3 + i, -spring->k * (p[i] - spring->p0[i]));
  return CDN_OK;
}

static cdn_status position_spring_potential(const void *self, cdn_state *state, double *energy) {
  const position_spring *spring = self;
  const double *p = free_position(spring, state);
  if (!p) return CDN_ERR_CALLBACK;
  const cdn_vec3 x = cdn_v3(p[0] - spring->p0[0], p[1] - spring->p0[1], p[2] - spring->p0[2]);
  *energy = spring->k / 2 * cdn_dot(x, x);
  return CDN_OK;
}

static void add_position_spring(io_builder *b, const char *name, cdn_body body, double k, cdn_vec3 p0) {
  const cdn_force_ops ops = {
    .subsystem = { .struct_size = sizeof(cdn_subsystem_ops), .name = name, .self_size = sizeof(position_spring) },
    .struct_size = sizeof(cdn_force_ops),
    .reads = CDN_READS_POSITION,
    .calc_force = position_spring_force,
    .calc_potential = position_spring_potential,
  };
  const position_spring self = { body, k, { p0.x, p0.y, p0.z } };
  cdn_system_add_custom_force(b->system, &ops, &self);
}

/* ---- joints ---- */

static bool has_spring(const cdn_spec_joint *joint) {
  return joint->stiffness != 0 || joint->stiffness_higher[0] != 0 || joint->stiffness_higher[1] != 0;
}

static bool has_damper(const cdn_spec_joint *joint) {
  return joint->damping != 0 || joint->damping_higher[0] != 0 || joint->damping_higher[1] != 0;
}

static void add_spring(io_builder *b, const cdn_spec_joint *joint, cdn_body body) {
  char name[256], position_name[256];
  snprintf(name, sizeof name, "%.200s spring", joint->name);
  snprintf(position_name, sizeof position_name, "%.200s position spring", joint->name);
  if (joint->kind == CDN_BALL || joint->kind == CDN_FREE)
    cdn_system_add_rotation_spring(b->system, name, body, joint->stiffness, joint->X_FM_rest.R);
  else {
    const double *higher = joint->stiffness_higher, k[3] = { joint->stiffness, higher[0], higher[1] };
    cdn_system_add_polynomial_spring(b->system, name, body, 0, k, joint->springref);
  }
  if (joint->kind == CDN_FREE) add_position_spring(b, position_name, body, joint->stiffness, joint->X_FM_rest.p);
}

/* On every mobility of the joint. */
static void add_damper(io_builder *b, const cdn_spec_joint *joint, cdn_body body) {
  char name[256];
  const int n = io_spec_joint_nu(joint);
  const double *higher = joint->damping_higher, c[3] = { joint->damping, higher[0], higher[1] };
  for (int i = 0; i < n; i++) {
    if (n == 1) snprintf(name, sizeof name, "%.200s damper", joint->name);
    else snprintf(name, sizeof name, "%.200s damper[%d]", joint->name, i);
    cdn_system_add_polynomial_damper(b->system, name, body, i, c);
  }
}

/* ---- weight that is taken off ---- */

typedef struct lift {
  cdn_body body;
  cdn_force gravity;
  double part;
} lift;

/* The force on the body, and where it acts, in Ground. */
static cdn_status lift_of(const lift *l, cdn_state *state, cdn_vec3 *force, cdn_vec3 *com) {
  const cdn_mass_properties own = cdn_body_mass_properties(state, l->body);
  const cdn_vec3 g = cdn_gravity_get(state, l->gravity);
  *force = cdn_scale(cdn_force_is_enabled(state, l->gravity) ? -l->part * own.mass : 0, g);
  return cdn_body_station(state, l->body, own.com, com, NULL);
}

static cdn_status lift_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const lift *l = self;
  cdn_vec3 force, com;
  CDNI_TRY(lift_of(l, state, &force, &com));
  cdn_forces_add_point(forces, l->body, cdn_body_mass_properties(state, l->body).com, force);
  return CDN_OK;
}

static cdn_status lift_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d) {
  const lift *l = self;
  cdn_vec3 force, com;
  CDNI_TRY(lift_of(l, state, &force, &com));
  cdn_force_derivatives_add_point(d, l->body, cdn_body_mass_properties(state, l->body).com, force, NULL, NULL);
  return CDN_OK;
}

static cdn_status lift_potential(const void *self, cdn_state *state, double *energy) {
  cdn_vec3 force, com;
  CDNI_TRY(lift_of(self, state, &force, &com));
  *energy = -cdn_dot(force, com);
  return CDN_OK;
}

static void add_lift(io_builder *b, const cdn_spec_body *body, cdn_body in_system) {
  char name[256];
  snprintf(name, sizeof name, "%.200s gravity compensation", body->name);
  const cdn_force_ops ops = {
    .subsystem = { .struct_size = sizeof(cdn_subsystem_ops), .name = name, .self_size = sizeof(lift) },
    .struct_size = sizeof ops,
    .reads = CDN_READS_POSITION,
    .calc_force = lift_force,
    .calc_derivative = lift_derivative,
    .calc_potential = lift_potential,
  };
  const lift self = { in_system, b->gravity, body->gravity_compensation };
  cdn_system_add_custom_force(b->system, &ops, &self);
}

/* ---- soft rows of joints ---- */

static void add_soft_limit(io_builder *b, const cdn_spec_joint *joint, cdn_body body) {
  char name[256];
  cdn_soft_limit_def def = cdn_default_soft_limit_def();
  snprintf(name, sizeof name, "%.200s limit", joint->name);
  def.name = name, def.body = body, def.margin = joint->margin, def.law = joint->limit_law;
  def.lower = joint->lower, def.upper = joint->upper;
  cdn_system_add_soft_limit(b->system, &def);
}

static void add_friction_loss(io_builder *b, const cdn_spec_joint *joint, cdn_body body) {
  char name[256];
  cdn_friction_loss_def def = cdn_default_friction_loss_def();
  snprintf(name, sizeof name, "%.200s friction", joint->name);
  def.name = name, def.body = body, def.loss = joint->friction, def.law = joint->friction_law;
  cdn_system_add_friction_loss(b->system, &def);
}

/* What the file says of how rows are solved. A tolerance that is MuJoCo's default is as if the file did not say one. */
static void solve_as_file(const cdn_spec_solver *file, cdn_soft_def *soft) {
  static const cdn_soft_solver solvers[] = {
    [CDN_SPEC_NEWTON] = CDN_SOFT_NEWTON, [CDN_SPEC_CG] = CDN_SOFT_CG, [CDN_SPEC_PGS] = CDN_SOFT_PGS
  };
  const cdn_spec_solver usual = cdn_default_spec_solver();
  const bool by_cost = file->tolerance != usual.tolerance;
  soft->solver = solvers[file->solver];
  soft->iterations = file->iterations > 0 ? file->iterations : 1;
  soft->line_iterations = file->ls_iterations > 0 ? file->ls_iterations : 1;
  if (by_cost) soft->cost_tolerance = file->tolerance;
  if (by_cost || file->ls_tolerance != usual.ls_tolerance)
    soft->line_tolerance = fmin(fmax(file->ls_tolerance, 1e-15), 0.999);
}

/* The no-slip pass belongs to what rows are, as the cone does. */
static void set_solver(io_builder *b) {
  const cdn_spec_solver *file = &b->spec->whole.solver;
  cdn_soft_def soft = cdn_default_soft_def();
  if (cdni_soft_is_given(b->system)) return;
  soft.cone = file->cone == CDN_SPEC_ELLIPTIC ? CDN_SOFT_ELLIPTIC : CDN_SOFT_PYRAMIDAL;
  soft.impedance_ratio = file->impratio;
  const double step = b->model->options.fixed_step;
  soft.shortest_time = file->refsafe ? 2 * (step > 0 ? step : file->timestep) : 0;
  soft.onset = b->model->options.soft_onset;
  soft.noslip_iterations = file->noslip_iterations;
  soft.noslip_tolerance = file->noslip_tolerance;
  soft.exact_diagonal = file->exact_diagonal;
  if (b->model->options.solving == CDN_MODEL_SOLVE_AS_FILE) solve_as_file(file, &soft);
  cdn_system_set_soft(b->system, &soft);
}

cdn_status io_build_forces(io_builder *b) {
  const bool soft = io_has_soft_rows(&b->model->options);
  const cdn_vec3 g = b->spec->whole.gravity;
  if (b->convex || io_has_soft_equalities(&b->model->options)) set_solver(b);
  const bool falls = b->spec->whole.has_gravity || g.x != 0 || g.y != 0 || g.z != 0;
  b->gravity =
      falls && !b->model->options.no_gravity ? cdn_system_add_gravity(b->system, "gravity", g) : (cdn_force){ -1 };
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *joint = io_spec_joint(b->spec, i);
    const cdn_body body = b->joints[i];
    if (body.i < 0) continue; /* a constraint has no coordinates for these forces: io_check_spec has reported them */
    if (has_spring(joint)) add_spring(b, joint, body);
    if (has_damper(joint)) add_damper(b, joint, body);
    if (joint->limited && soft) add_soft_limit(b, joint, body);
    if (joint->friction > 0 && soft) add_friction_loss(b, joint, body);
    if (b->inertia && joint->limited) io_add_stop(b, joint, body, b->inertia + IO_MOST_MOBILITIES * i);
    if (b->inertia && joint->friction > 0) io_add_friction(b, joint, body, b->inertia + IO_MOST_MOBILITIES * i);
  }
  for (int i = 0; b->gravity.i >= 0 && i < cdn_spec_count(b->spec, CDN_SPEC_BODY); i++)
    if (io_spec_body(b->spec, i)->gravity_compensation != 0) add_lift(b, io_spec_body(b->spec, i), b->bodies[i]);
  CDNI_TRY(io_build_medium(b));
  return CDN_OK;
}
