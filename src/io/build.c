/* Making a spec part of a System, and filling the tables of the public API.
 *
 * If there are limits, dry friction, or time constants of springs, the tree is first built once by itself, to find the
 * inertia that they meet; so it is for lengths of tendons that the file leaves to the model. */
#include "io/build.h"
#include "io/joints.h"

#include <stdio.h>

static cdn_status no_memory(io_log *log) { return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory"); }

/* ---- refusals by the System ------------------------------------------------------------------ */

/* Whether a message's element belongs to the file's element of this name: "knee", "knee limit", "base.x". */
static bool belongs_to(const char *element, const char *name) {
  const size_t n = strlen(name);
  return n > 0 && strncmp(element, name, n) == 0 && (!element[n] || element[n] == ' ' || element[n] == '.');
}

/* The line of the body, joint, constraint or actuator that a message names. If it names none: line 1 of a file, or 0.
 * */
static int line_of(const cdn_spec *spec, const char *element) {
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_BODY); i++)
    if (strcmp(io_spec_body(spec, i)->name, element) == 0) return io_spec_body(spec, i)->line;
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_JOINT); i++)
    if (belongs_to(element, io_spec_joint(spec, i)->name)) return io_spec_joint(spec, i)->line;
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_CONSTRAINT); i++)
    if (strcmp(io_spec_constraint(spec, i)->name, element) == 0) return io_spec_constraint(spec, i)->line;
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_TENDON); i++)
    if (belongs_to(element, io_spec_tendon(spec, i)->name)) return io_spec_tendon(spec, i)->line;
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_ACTUATOR); i++)
    if (belongs_to(element, io_spec_actuator(spec, i)->name)) return io_spec_actuator(spec, i)->line;
  return spec->whole.from_file ? 1 : 0;
}

cdn_status io_tell_mistake(cdn_model *model, const cdn_system *system) {
  cdn_error error; /* the first mistake, which later ones may follow from */
  cdn_system_last_error(system, &error);
  if (error.code == CDN_OK) return CDN_OK;
  return io_fail(&model->spec->log, error.code, line_of(model->spec, error.element), "%s%s%s", error.element,
                 error.element[0] ? ": " : "", error.text);
}

/* ---- limits and dry friction ----------------------------------------------------------------- */

/* Does any limit become a stop, or does any joint or tendon stick? */
static bool meet_inertia(const io_builder *b) {
  if (b->model->options.tree_only || io_has_soft_rows(&b->model->options)) return false;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_JOINT); i++)
    if (io_meets_inertia(b, io_spec_joint(b->spec, i))) return true;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_TENDON); i++)
    if (io_tendon_meets_inertia(io_spec_tendon(b->spec, i))) return true;
  return false;
}

/* `inertia` NULL: nothing of the kind. */
static cdn_status try_tree(io_builder *b, double *inertia) {
  cdn_system_def def = cdn_default_system_def();
  def.name = b->spec->name;
  def.allocator = b->log->allocator;
  cdn_system *real = b->system, *trial = cdn_system_create(&def);
  if (!trial) return no_memory(b->log);
  const size_t bytes = sizeof(cdn_force) * (size_t)cdn_spec_count(b->spec, CDN_SPEC_ACTUATOR);
  cdn_force *forces = bytes ? cdni_alloc(&b->log->allocator, bytes) : NULL;
  b->system = trial;
  io_build_tree(b, true);
  cdn_status status = bytes && !forces ? no_memory(b->log) : io_build_paths(b);
  if (status == CDN_OK) status = io_add_drives_of_ratios(b, forces);
  if (status == CDN_OK && cdn_system_freeze(trial) != CDN_OK) status = io_tell_mistake(b->model, trial);
  if (status == CDN_OK && io_needs_lengths(b)) status = io_measure_tendons(b);
  if (status == CDN_OK && inertia) status = io_calc_inertia(b, inertia);
  if (status == CDN_OK) status = io_resolve_ratios(b, forces);
  cdni_free(&b->log->allocator, forces, bytes);
  cdn_system_release(trial);
  b->system = real;
  return status;
}

/* ---- filling the System ---------------------------------------------------------------------- */

static cdn_status fill(io_builder *b) {
  io_build_tree(b, false);
  CDNI_TRY(io_tell_mistake(b->model, b->system));
  CDNI_TRY(io_build_paths(b));
  CDNI_TRY(io_build_forces(b));
  CDNI_TRY(io_build_tendons(b));
  CDNI_TRY(io_build_shapes(b));
  CDNI_TRY(io_build_loops(b));
  CDNI_TRY(io_build_actuators(b));
  CDNI_TRY(io_build_sensors(b));
  return io_tell_mistake(b->model, b->system);
}

static cdn_status fill_with_inertia(io_builder *b) {
  if (!meet_inertia(b)) {
    if (io_has_ratios(b) || io_needs_lengths(b)) CDNI_TRY(try_tree(b, NULL));
    return fill(b);
  }
  const size_t of_joints = IO_MOST_MOBILITIES * (size_t)cdn_spec_count(b->spec, CDN_SPEC_JOINT);
  const size_t bytes = sizeof(double) * (of_joints + (size_t)cdn_spec_count(b->spec, CDN_SPEC_TENDON));
  double *inertia = cdni_calloc(&b->log->allocator, bytes);
  if (!inertia) return no_memory(b->log);
  cdn_status status = try_tree(b, inertia);
  b->inertia = inertia;
  if (status == CDN_OK) status = fill(b);
  b->inertia = NULL;
  cdni_free(&b->log->allocator, inertia, bytes);
  return status;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool push_body(io_builder *b, cdni_array *to, cdn_body body) {
  return cdni_array_push(&b->model->allocator, to, sizeof body, &body) != NULL;
}

static cdn_status fill_tables(io_builder *b) {
  cdn_model *model = b->model;
  bool good = true;
  model->n_mobilizers = (int)b->tree.mobilizers.count;
  for (int i = 0; i < model->n_mobilizers && good; i++) {
    const cdn_spec_mobilizer *m = io_mobilizer(b, i);
    int shown = i; /* of several joints of one body each moves that body, not a frame in between */
    while (io_spec_body(b->spec, io_mobilizer(b, shown)->body)->intermediate && shown + 1 < model->n_mobilizers &&
           io_mobilizer(b, shown + 1)->inboard == shown)
      shown++;
    const io_model_joint joint = { m->joint, b->mobilizers[i], b->mobilizers[shown] };
    if (cdn_body_nu(b->system, joint.body) > 0)
      good = cdni_array_push(&model->allocator, &model->joints, sizeof joint, &joint);
    if (good && m->part == 0 && !io_spec_body(b->spec, m->body)->intermediate)
      good = push_body(b, &model->bodies, b->mobilizers[i]);
  }
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_BODY) && good; i++)
    good = push_body(b, &model->spec_bodies, b->bodies[i]);
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_JOINT) && good; i++)
    good = push_body(b, &model->joint_bodies, b->joints[i]);
  return good ? CDN_OK : no_memory(b->log);
}

static cdn_status build_with(io_builder *b) {
  CDNI_TRY(io_check_spec(b));
  CDNI_TRY(io_prepare_shapes(b));
  CDNI_TRY(fill_with_inertia(b));
  CDNI_TRY(fill_tables(b));
  cdn_system_retain(b->system);
  b->model->system = b->system;
  return b->log->error.code;
}

static cdn_status build_tree_of(io_builder *b) {
  CDNI_TRY(io_spec_names_make(b->spec, &b->names));
  CDNI_TRY(io_spec_tree_make(b->spec, &b->names, &b->tree));
  const size_t n[] = { b->tree.mobilizers.count, (size_t)cdn_spec_count(b->spec, CDN_SPEC_BODY),
                       (size_t)cdn_spec_count(b->spec, CDN_SPEC_JOINT) };
  const size_t bytes = (n[0] + n[1] + n[2]) * sizeof(cdn_body);
  const size_t of_tendons = (size_t)cdn_spec_count(b->spec, CDN_SPEC_TENDON) * sizeof *b->tendons;
  cdn_body *all = cdni_alloc(&b->log->allocator, bytes);
  b->tendons = cdni_calloc(&b->log->allocator, of_tendons);
  const bool good = (all || !bytes) && (b->tendons || !of_tendons);
  b->mobilizers = b->bodies = b->joints = all;
  if (all) b->bodies += n[0], b->joints += n[0] + n[1];
  const cdn_status status = good ? build_with(b) : no_memory(b->log);
  if (all) cdni_free(&b->log->allocator, all, bytes);
  if (b->tendons) cdni_free(&b->log->allocator, b->tendons, of_tendons);
  return status;
}

cdn_status io_build(cdn_model *model, cdn_system *system) {
  io_builder b = { .model = model, .spec = model->spec, .log = &model->spec->log, .system = system };
  cdn_model_options *options = &model->options;
  if (options->contact == CDN_MODEL_AS_FILE)
    options->contact = b.spec->whole.has_solver ? CDN_MODEL_SOFT : CDN_MODEL_COMPLIANT;
  CDNI_TRY(options->ground ? io_add_ground(model) : CDN_OK);
  const cdn_status status = build_tree_of(&b);
  io_free_shapes(&b);
  if (!model->keeps_read) io_forget_read(model);
  io_spec_tree_free(&b.tree);
  io_spec_names_free(b.spec, &b.names);
  return status;
}

cdn_status io_build_frozen(cdn_model *model) {
  io_log *log = &model->spec->log;
  cdn_system_def def = cdn_default_system_def();
  def.name = model->spec->name;
  def.allocator = log->allocator;
  cdn_system *system = cdn_system_create(&def);
  if (!system) return no_memory(log);
  cdn_status status = io_build(model, system);
  if (status == CDN_OK && cdn_system_freeze(system) != CDN_OK) status = io_tell_mistake(model, system);
  cdn_system_release(system); /* the model has its own reference */
  return status;
}
