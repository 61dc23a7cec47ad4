/* The forces of a spec: gravity, springs, dampers, limits and dry friction of its joints. With soft contact limits and
 * dry friction are soft rows, and the solver of soft rows is set; with rigid contact they are rigid. */
#include "io/build.h"

#include <cardan/soft_elements.h>
#include <math.h>
#include <stdio.h>

#include "io/joints.h"
#include "soft/soft.h"

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

void io_compensation_name(const cdn_spec_body *body, char *name, size_t size) {
  snprintf(name, size, "%.200s gravity compensation", body->name);
}

static void add_limit(io_builder *b, const cdn_spec_joint *joint, cdn_body body, const double *inertia) {
  if (io_has_soft_rows(&b->model->options)) add_soft_limit(b, joint, body);
  else if (io_limit_is_rigid(b, joint)) io_add_rigid_limit(b, joint, body);
  else if (inertia) io_add_stop(b, joint, body, inertia);
}

static void add_friction(io_builder *b, const cdn_spec_joint *joint, cdn_body body, const double *inertia) {
  if (io_has_soft_rows(&b->model->options)) add_friction_loss(b, joint, body);
  else if (io_is_rigid(&b->model->options)) io_add_rigid_friction(b, joint, body);
  else if (inertia) io_add_friction(b, joint, body, inertia);
}

cdn_status io_build_forces(io_builder *b) {
  const cdn_vec3 g = b->spec->whole.gravity;
  if (b->convex || io_has_soft_equalities(&b->model->options)) set_solver(b);
  const bool falls = b->spec->whole.has_gravity || g.x != 0 || g.y != 0 || g.z != 0;
  b->gravity =
      falls && !b->model->options.no_gravity ? cdn_system_add_gravity(b->system, "gravity", g) : (cdn_force){ -1 };
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *joint = io_spec_joint(b->spec, i);
    const cdn_body body = b->joints[i];
    if (body.i < 0) continue; /* a constraint has no coordinates for these forces: io_check_spec has reported them */
    io_add_spring_and_damper(b, joint, body);
    const double *inertia = b->inertia ? b->inertia + IO_MOST_MOBILITIES * i : NULL;
    if (joint->limited) add_limit(b, joint, body, inertia);
    if (joint->friction > 0) add_friction(b, joint, body, inertia);
  }
  for (int i = 0; b->gravity.i >= 0 && i < cdn_spec_count(b->spec, CDN_SPEC_BODY); i++) {
    const cdn_spec_body *body = io_spec_body(b->spec, i);
    char name[256];
    if (body->gravity_compensation == 0) continue;
    io_compensation_name(body, name, sizeof name);
    cdn_system_add_gravity_compensation(b->system, name, b->bodies[i], body->gravity_compensation);
  }
  CDNI_TRY(io_build_medium(b));
  return CDN_OK;
}
