/* The tendons of a spec: paths of the System, with their springs, dampers, limits and dry friction. */
#include <math.h>
#include <stdio.h>

#include <cardan/operators.h>
#include <cardan/soft_elements.h>

#include "io/build.h"
#include "io/joints.h"
#include "paths/paths.h"

static cdn_status wrong(int line) { return line > 0 ? CDN_ERR_PARSE : CDN_ERR_ARG; }

/* ---- paths ---- */

static cdn_status find_joint(io_builder *b, const cdn_spec_tendon *t, int line, const char *name, cdn_body *found) {
  const int joint = name ? io_names_find(&b->names.joints, name) : -1;
  if (joint < 0 || b->joints[joint].i < 0 || io_spec_joint_nq(io_spec_joint(b->spec, joint)) != 1)
    return io_fail(b->log, wrong(line), line,
                   "tendon '%.60s': there is no joint '%.60s' with one coordinate of its own; correct the name",
                   t->name, name ? name : "(none)");
  *found = b->joints[joint];
  return CDN_OK;
}

static cdn_status find_body(io_builder *b, const cdn_spec_path_item *item, const char *name, cdn_body *found) {
  const int body = io_spec_find_body(&b->names, name);
  *found = body >= 0 ? b->bodies[body] : cdn_ground();
  if (body != -2) return CDN_OK;
  return io_fail(b->log, wrong(item->line), item->line, "tendon '%.60s': there is no %s '%.60s'; correct the name",
                 item->tendon, b->log->body_word, name);
}

static cdn_status add_obstacle(io_builder *b, const cdn_spec_path_item *item, cdn_path path, cdn_body body) {
  cdn_body side;
  if (item->kind == CDN_SPEC_PATH_SPHERE) cdn_path_add_sphere(b->system, path, body, item->X_BP.p, item->radius);
  else cdn_path_add_cylinder(b->system, path, body, &item->X_BP, item->radius);
  if (!item->has_side) return CDN_OK;
  CDNI_TRY(find_body(b, item, item->side_body, &side));
  cdn_path_pass_by(b->system, path, side, item->side);
  return CDN_OK;
}

static cdn_status add_item(io_builder *b, const cdn_spec_path_item *item, int tendon) {
  const cdn_path path = b->tendons[tendon].path;
  cdn_body body;
  switch (item->kind) {
    case CDN_SPEC_PATH_PULLEY: cdn_path_add_pulley(b->system, path, item->divisor); return CDN_OK;
    case CDN_SPEC_PATH_COORDINATE:
      CDNI_TRY(find_joint(b, io_spec_tendon(b->spec, tendon), item->line, item->joint, &body));
      cdn_path_add_coordinate(b->system, path, body, 0, item->coefficient);
      return CDN_OK;
    case CDN_SPEC_PATH_POINT:
      CDNI_TRY(find_body(b, item, item->body, &body));
      cdn_path_add_point(b->system, path, body, item->X_BP.p);
      return CDN_OK;
    case CDN_SPEC_PATH_SPHERE:
    case CDN_SPEC_PATH_CYLINDER:
      CDNI_TRY(find_body(b, item, item->body, &body));
      return add_obstacle(b, item, path, body);
  }
  return io_fail(b->log, CDN_ERR_ARG, item->line, "tendon '%.60s': an item of its path has no kind %d", item->tendon,
                 (int)item->kind);
}

static cdn_status start_path(io_builder *b, const cdn_spec_tendon *t, cdn_path *path) {
  if (t->joints < 0 || t->joints > CDN_SPEC_TENDON_JOINTS)
    return io_fail(b->log, wrong(t->line), t->line, "tendon '%.60s' has %d joints: from 0 to %d are possible", t->name,
                   t->joints, CDN_SPEC_TENDON_JOINTS);
  *path = cdn_system_add_path(b->system, t->name);
  for (int k = 0; k < t->joints; k++) {
    cdn_body body;
    CDNI_TRY(find_joint(b, t, t->line, t->joint[k], &body));
    cdn_path_add_coordinate(b->system, *path, body, 0, t->coefficient[k]);
  }
  return CDN_OK;
}

static cdn_status add_items(io_builder *b, const io_names *names) {
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_PATH_ITEM); i++) {
    const cdn_spec_path_item *item = io_spec_path_item(b->spec, i);
    const int tendon = item->tendon ? io_names_find(names, item->tendon) : -1;
    if (tendon < 0)
      return io_fail(b->log, wrong(item->line), item->line,
                     "item %d of paths belongs to tendon '%.60s', which is not there; correct the name", i,
                     item->tendon ? item->tendon : "(none)");
    CDNI_TRY(add_item(b, item, tendon));
  }
  return CDN_OK;
}

cdn_status io_build_paths(io_builder *b) {
  io_names names = { 0 };
  cdn_status status = CDN_OK;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_TENDON) && status == CDN_OK; i++) {
    const cdn_spec_tendon *t = io_spec_tendon(b->spec, i);
    const int known = io_names_add(&b->log->allocator, &names, t->name, i);
    if (known < 0) status = io_fail(b->log, CDN_ERR_NOMEM, 0, "out of memory");
    else if (known != i)
      status = io_fail(b->log, wrong(t->line), t->line, "tendon '%.60s' is there twice; rename one", t->name);
    else status = start_path(b, t, &b->tendons[i].path);
  }
  if (status == CDN_OK) status = add_items(b, &names);
  io_names_free(&b->log->allocator, &names);
  return status;
}

bool io_find_tendon(const io_builder *b, const char *name, cdn_path *path) {
  const int i = cdn_spec_find(b->spec, CDN_SPEC_TENDON, name);
  if (i >= 0) *path = b->tendons[i].path;
  return i >= 0;
}

cdn_status io_find_tendon_joints(io_builder *b, const cdn_spec_tendon *t, cdn_mobility *found) {
  if (t->joints < 1 || t->joints > CDN_SPEC_TENDON_JOINTS)
    return io_fail(b->log, wrong(t->line), t->line, "tendon '%.60s' has %d joints: from 1 to %d are possible", t->name,
                   t->joints, CDN_SPEC_TENDON_JOINTS);
  for (int i = 0; i < t->joints; i++) {
    found[i] = (cdn_mobility){ cdn_ground(), 0 };
    CDNI_TRY(find_joint(b, t, t->line, t->joint[i], &found[i].body));
  }
  return CDN_OK;
}

/* ---- what a look at the tree alone tells ---- */

static bool has_spring(const cdn_spec_tendon *t) {
  return t->stiffness != 0 || t->stiffness_higher[0] != 0 || t->stiffness_higher[1] != 0;
}
static bool rests_by_joints(const cdn_spec_tendon *t) { return has_spring(t) && !t->has_rest; }

bool io_needs_lengths(const io_builder *b) {
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_TENDON); i++)
    if (rests_by_joints(io_spec_tendon(b->spec, i))) return true;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_CONSTRAINT); i++)
    if (io_spec_constraint(b->spec, i)->kind == CDN_SPEC_TENDON_COUPLING) return true;
  return false;
}

/* The pose in which the springs of all joints are slack. */
static cdn_status set_rest(io_builder *b, cdn_state *state) {
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *joint = io_spec_joint(b->spec, i);
    if (b->joints[i].i < 0 || (joint->kind != CDN_PIN && joint->kind != CDN_SLIDER)) continue;
    CDNI_TRY(cdn_body_set_q(state, b->joints[i], 1, &joint->springref));
  }
  return CDN_OK;
}

static cdn_status measure(io_builder *b, cdn_state *state) {
  const int n = cdn_spec_count(b->spec, CDN_SPEC_TENDON);
  for (int i = 0; i < n; i++) CDNI_TRY(cdn_path_length(state, b->tendons[i].path, &b->tendons[i].length));
  CDNI_TRY(set_rest(b, state));
  for (int i = 0; i < n; i++)
    if (rests_by_joints(io_spec_tendon(b->spec, i)))
      CDNI_TRY(cdn_path_length(state, b->tendons[i].path, &b->tendons[i].rest));
  return CDN_OK;
}

cdn_status io_measure_tendons(io_builder *b) {
  cdn_state *state = NULL;
  cdn_error error = { .code = CDN_OK };
  if (cdn_state_create(b->system, &state) != CDN_OK) return io_fail(b->log, CDN_ERR_NOMEM, 0, "out of memory");
  const cdn_status status = measure(b, state);
  if (status != CDN_OK) cdn_state_last_error(state, &error);
  cdn_state_destroy(state);
  if (status == CDN_OK) return CDN_OK;
  return io_fail(b->log, status, 0, "the lengths of tendons at the default coordinates cannot be found: %s",
                 error.text);
}

/* ---- forces ---- */

static bool has_damper(const cdn_spec_tendon *t) {
  return t->damping != 0 || t->damping_higher[0] != 0 || t->damping_higher[1] != 0;
}

static void add_forces(io_builder *b, const cdn_spec_tendon *t, const io_tendon *made) {
  char name[256];
  const double k[3] = { t->stiffness, t->stiffness_higher[0], t->stiffness_higher[1] };
  const double c[3] = { t->damping, t->damping_higher[0], t->damping_higher[1] };
  snprintf(name, sizeof name, "%.200s spring", t->name);
  if (has_spring(t))
    cdn_system_add_polynomial_path_spring(b->system, name, made->path, k, t->has_rest ? t->rest_lower : made->rest,
                                          t->has_rest ? t->rest_upper : made->rest);
  snprintf(name, sizeof name, "%.200s damper", t->name);
  if (has_damper(t)) cdn_system_add_polynomial_path_damper(b->system, name, made->path, c);
}

/* Soft rows are on few bodies, or few joints. */
static bool fits_rows(io_builder *b, const cdn_spec_tendon *t, cdn_path path) {
  const bool fits = cdni_path_fits_rows(cdni_paths(b->system), &path.i, 1);
  if (!fits) io_not_understood(b->log, t->line, "tendon limit, frictionloss or armature (of a long tendon)");
  return fits;
}

static void add_soft_limit(io_builder *b, const cdn_spec_tendon *t, cdn_path path) {
  char name[256];
  cdn_soft_tendon_def def = cdn_default_soft_tendon_def();
  snprintf(name, sizeof name, "%.200s limit", t->name);
  def.name = name, def.path = path;
  def.lower = t->lower, def.upper = t->upper, def.margin = t->margin, def.law = t->limit_law;
  cdn_system_add_soft_tendon(b->system, &def);
}

static void add_soft_friction(io_builder *b, const cdn_spec_tendon *t, cdn_path path) {
  char name[256];
  cdn_soft_tendon_def def = cdn_default_soft_tendon_def();
  snprintf(name, sizeof name, "%.200s friction", t->name);
  def.name = name, def.path = path;
  def.kind = CDN_TENDON_LOSS, def.loss = t->friction, def.law = t->friction_law;
  cdn_system_add_soft_tendon(b->system, &def);
}

static void add_inertia(io_builder *b, const cdn_spec_tendon *t, cdn_path path) {
  char name[256];
  cdn_soft_tendon_def def = cdn_default_soft_tendon_def();
  snprintf(name, sizeof name, "%.200s inertia", t->name);
  def.name = name, def.path = path, def.kind = CDN_TENDON_INERTIA, def.mass = t->armature;
  cdn_system_add_soft_tendon(b->system, &def);
}

/* Whether a tendon is the sum of its joints alone. */
static bool is_sum(const io_builder *b, const cdn_spec_tendon *t) {
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_PATH_ITEM); i++)
    if (strcmp(io_spec_path_item(b->spec, i)->tendon, t->name) == 0) return false;
  return true;
}

/* Soft rows have what has no force of its own: armature, and dry friction of a tendon that is no sum of joints. */
cdn_status io_build_tendons(io_builder *b) {
  const bool soft = io_has_soft_rows(&b->model->options);
  const double *of_tendons =
      b->inertia ? b->inertia + IO_MOST_MOBILITIES * cdn_spec_count(b->spec, CDN_SPEC_JOINT) : NULL;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_TENDON); i++) {
    const cdn_spec_tendon *t = io_spec_tendon(b->spec, i);
    const cdn_path path = b->tendons[i].path;
    add_forces(b, t, &b->tendons[i]);
    if (b->model->options.tree_only) continue;
    const bool sticks = of_tendons && t->friction > 0 && is_sum(b, t);
    const bool has_rows = (soft && t->limited) || (t->friction > 0 && !sticks) || t->armature > 0;
    const bool fits = has_rows && fits_rows(b, t, path);
    if (sticks) CDNI_TRY(io_add_tendon_friction(b, t, of_tendons[i]));
    else if (t->friction > 0 && fits) add_soft_friction(b, t, path);
    if (t->armature > 0 && fits) add_inertia(b, t, path);
    if (t->limited && soft && fits) add_soft_limit(b, t, path);
    else if (t->limited && of_tendons) io_add_tendon_stop(b, t, path, of_tendons[i]);
  }
  return CDN_OK;
}
