/* The constraints of a spec, hard or soft, and the hard ones that close its loops. */
#include <cardan/soft_elements.h>
#include <stdio.h>

#include "io/build.h"
#include "io/joints.h"
#include "paths/paths.h"

static cdn_status wrong(int line) { return line > 0 ? CDN_ERR_PARSE : CDN_ERR_ARG; }

/* ---- the spec's constraints ------------------------------------------------------------------ */

/* A joint with one coordinate that has a mobilizer. */
static cdn_status find_joint(io_builder *b, const cdn_spec_constraint *c, const char *name, cdn_mobility *found) {
  const int joint = name ? io_names_find(&b->names.joints, name) : -1;
  if (joint < 0)
    return io_fail(b->log, wrong(c->line), c->line, "constraint '%.60s': there is no joint '%.60s'; correct the name",
                   c->name, name ? name : "(none)");
  if (io_spec_joint_nq(io_spec_joint(b->spec, joint)) != 1)
    return io_fail(b->log, wrong(c->line), c->line,
                   "constraint '%.60s': joint '%.60s' does not have one coordinate; only such joints can be coupled",
                   c->name, name);
  *found = (cdn_mobility){ b->joints[joint], 0 };
  if (found->body.i >= 0) return CDN_OK;
  return io_fail(b->log, wrong(c->line), c->line,
                 "constraint '%.60s': joint '%.60s' is where a loop is cut, and has no coordinate; cut the loop by "
                 "splitting a body (CDN_CUT_BODY), or give the joint a larger weight",
                 c->name, name);
}

static cdn_status find_body(io_builder *b, const cdn_spec_constraint *c, const char *name, cdn_body *found) {
  const int body = io_spec_find_body(&b->names, name);
  *found = body >= 0 ? b->bodies[body] : cdn_ground();
  if (body != -2) return CDN_OK;
  return io_fail(b->log, wrong(c->line), c->line, "constraint '%.60s': there is no %s '%.60s'; correct the name",
                 c->name, b->log->body_word, name);
}

static cdn_status add_coupling(io_builder *b, const cdn_spec_constraint *c, cdn_constraint *made) {
  cdn_mobility y, x;
  CDNI_TRY(find_joint(b, c, c->joint_y, &y));
  if (!c->joint_x) {
    *made = cdn_system_constrain_coordinate(b->system, c->name, y.body, 0, c->y0 + c->c[0]);
    return CDN_OK;
  }
  CDNI_TRY(find_joint(b, c, c->joint_x, &x));
  *made = cdn_system_couple_by_polynomial(b->system, c->name, y, c->y0, x, c->x0, c->c);
  return CDN_OK;
}

static cdn_status find_tendon(io_builder *b, const cdn_spec_constraint *c, const char *name, io_tendon *found) {
  const int i = name ? cdn_spec_find(b->spec, CDN_SPEC_TENDON, name) : -1;
  if (i < 0)
    return io_fail(b->log, wrong(c->line), c->line, "constraint '%.60s': there is no tendon '%.60s'; correct the name",
                   c->name, name ? name : "(none)");
  *found = b->tendons[i];
  return CDN_OK;
}

/* The lengths are measured from those at the default coordinates. There is no hard constraint of lengths: it gives way
 * in any case. */
static cdn_status couple_tendons(io_builder *b, const cdn_spec_constraint *c) {
  cdn_soft_tendon_def def = cdn_default_soft_tendon_def();
  io_tendon y = { .path = { -1 } }, x = y;
  CDNI_TRY(find_tendon(b, c, c->tendon_y, &y));
  if (c->tendon_x) CDNI_TRY(find_tendon(b, c, c->tendon_x, &x));
  const int32_t paths[2] = { y.path.i, x.path.i };
  if (!cdni_path_fits_rows(cdni_paths(b->system), paths, c->tendon_x ? 2 : 1)) {
    io_not_understood(b->log, c->line, "equality/tendon (of long tendons)");
    return CDN_OK;
  }
  def.name = c->name, def.law = c->law, def.disabled = c->disabled;
  def.kind = CDN_TENDON_COUPLE, def.path = y.path, def.x = x.path;
  def.y0 = c->y0 + y.length, def.x0 = c->x0 + x.length;
  memcpy(def.polynomial, c->c, sizeof def.polynomial);
  cdn_system_add_soft_tendon(b->system, &def);
  return CDN_OK;
}

static cdn_status add_hard(io_builder *b, const cdn_spec_constraint *c, cdn_constraint *made) {
  if (c->kind == CDN_SPEC_COUPLING) return add_coupling(b, c, made);
  cdn_body on_a, on_b;
  CDNI_TRY(find_body(b, c, c->body_a, &on_a));
  CDNI_TRY(find_body(b, c, c->body_b, &on_b));
  *made = c->kind == CDN_SPEC_WELD
              ? cdn_system_constrain_joint(b->system, c->name, CDN_WELD, on_a, c->X_A, on_b, c->X_B, NULL)
              : cdn_system_constrain_ball(b->system, c->name, on_a, c->X_A.p, on_b, c->X_B.p);
  return CDN_OK;
}

static cdn_status add_soft(io_builder *b, const cdn_spec_constraint *c) {
  cdn_soft_equality_def def = cdn_default_soft_equality_def();
  def.name = c->name, def.law = c->law, def.torque_scale = c->torque_scale, def.disabled = c->disabled;
  if (c->kind == CDN_SPEC_COUPLING) {
    def.kind = CDN_SOFT_COUPLE;
    CDNI_TRY(find_joint(b, c, c->joint_y, &def.y));
    if (c->joint_x) CDNI_TRY(find_joint(b, c, c->joint_x, &def.x));
    def.y0 = c->y0, def.x0 = c->x0;
    memcpy(def.polynomial, c->c, sizeof def.polynomial);
  } else {
    def.kind = c->kind == CDN_SPEC_WELD ? CDN_SOFT_WELD : CDN_SOFT_CONNECT;
    CDNI_TRY(find_body(b, c, c->body_a, &def.a));
    CDNI_TRY(find_body(b, c, c->body_b, &def.b));
    def.p_A = c->X_A.p, def.p_B = c->X_B.p;
    def.q_AB = cdn_quaternion_from_rotation(cdn_rotation_multiply(c->X_A.R, cdn_rotation_transpose(c->X_B.R)));
  }
  cdn_system_add_soft_equality(b->system, &def);
  return CDN_OK;
}

/* ---- loops that the tree has cut ------------------------------------------------------------- */

static void close_loop(io_builder *b, const cdn_spec_loop *loop) {
  const cdn_body on_a = loop->a < 0 ? cdn_ground() : b->mobilizers[loop->a];
  const cdn_body on_b = loop->b < 0 ? cdn_ground() : b->mobilizers[loop->b];
  const cdn_spec_joint *joint = io_spec_joint(b->spec, loop->joint);
  char name[300];
  if (loop->weld) {
    const cdn_transform same = cdn_transform_identity();
    snprintf(name, sizeof name, "%.280s weld", cdn_body_name(b->system, on_b));
    cdn_system_constrain_joint(b->system, name, CDN_WELD, on_a, same, on_b, same, NULL);
  } else if (joint->kind != CDN_FREE && joint->kind != CDN_BUSHING) { /* these two restrict nothing */
    const cdn_body f = joint->reversed ? on_b : on_a, m = joint->reversed ? on_a : on_b;
    cdn_system_constrain_joint(b->system, joint->name, joint->kind, f, joint->reversed ? joint->X_CM : joint->X_PF, m,
                               joint->reversed ? joint->X_PF : joint->X_CM, joint->params);
  }
}

/* A file that says nothing of softness would have that of MuJoCo's defaults, which nobody has chosen. */
static cdn_status check_softness(io_builder *b) {
  if (!b->spec->whole.from_file || b->spec->whole.has_solver || cdn_spec_count(b->spec, CDN_SPEC_CONSTRAINT) == 0)
    return CDN_OK;
  const cdn_spec_constraint *c = io_spec_constraint(b->spec, 0);
  return io_fail(
      b->log, CDN_ERR_UNSUPPORTED, c->line,
      "constraint '%.60s' cannot be soft: the file's format says nothing of softness; leave it exact (without "
      "--equality soft), or give the spec a solver (cdn_spec_set_solver)",
      c->name);
}

cdn_status io_build_loops(io_builder *b) {
  if (b->model->options.tree_only) return CDN_OK;
  const bool soft = io_has_soft_equalities(&b->model->options);
  if (soft) CDNI_TRY(check_softness(b));
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_CONSTRAINT); i++) {
    const cdn_spec_constraint *c = io_spec_constraint(b->spec, i);
    cdn_constraint made = { -1 };
    if ((unsigned)c->kind > CDN_SPEC_TENDON_COUPLING)
      return io_fail(b->log, CDN_ERR_ARG, c->line, "constraint '%.60s': there is no kind %d", c->name, (int)c->kind);
    if (c->kind == CDN_SPEC_TENDON_COUPLING) {
      CDNI_TRY(couple_tendons(b, c));
      continue;
    }
    CDNI_TRY(soft ? add_soft(b, c) : add_hard(b, c, &made));
    if (c->disabled && !soft) cdn_system_disable_constraint(b->system, made);
  }
  for (int i = 0; i < (int)b->tree.loops.count; i++) close_loop(b, io_tree_loop(b, i));
  return CDN_OK;
}
