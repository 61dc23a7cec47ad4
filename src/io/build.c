/* From a complete description to a frozen System and the tables of the public API.
 *
 * A System is built twice where there are limits: once without them, to learn what inertia each has to stop. */
#include "io/build.h"

#include <math.h>
#include <stdio.h>

static cdn_status no_memory(io_description *d) { return io_fail(d, CDN_ERR_NOMEM, 0, "out of memory"); }

/* ---- checks ---- */

/* Bodies' names, and joints' names, are different from each other; a file's mistake names both lines. */
static cdn_status check_names(io_description *d) {
  io_names bodies = { 0 }, joints = { 0 };
  cdn_status status = CDN_OK;
  for (int i = 1; i < (int)d->bodies.count && status == CDN_OK; i++) {
    const io_body *body = io_body_at(d, i);
    const int known = io_names_add(&d->allocator, &bodies, body->name, i);
    if (known < 0) status = no_memory(d);
    else if (known != i)
      status = io_fail(d, CDN_ERR_PARSE, body->line, "%s '%.60s' is defined twice, first at line %d; rename one",
                       d->body_word, body->name, io_body_at(d, known)->line);
  }
  for (int i = 0; i < (int)d->joints.count && status == CDN_OK; i++) {
    const io_joint *joint = io_joint_at(d, i);
    const int known = io_names_add(&d->allocator, &joints, joint->name, i);
    if (known < 0) status = no_memory(d);
    else if (known != i)
      status = io_fail(d, CDN_ERR_PARSE, joint->line, "joint '%.60s' is defined twice, first at line %d; rename one",
                       joint->name, io_joint_at(d, known)->line);
  }
  io_names_free(&d->allocator, &bodies);
  io_names_free(&d->allocator, &joints);
  return status;
}

/* The least armature that was asked for. */
static cdn_status raise_armature(io_description *d, double least) {
  if (!(least >= 0) || !isfinite(least))
    return io_fail(d, CDN_ERR_ARG, 0, "the options ask for an armature of %g; it must be finite and not negative",
                   least);
  for (int i = 0; i < (int)d->joints.count; i++) {
    io_joint *joint = io_joint_at(d, i);
    if (joint->kind != IO_FREE) joint->armature = fmax(joint->armature, least);
  }
  return CDN_OK;
}

/* What the readers promise, so that nothing below need fear an index. */
static cdn_status check_order(io_description *d) {
  int joints = 0;
  bool good = d->bodies.count > 0;
  for (int i = 1; i < (int)d->bodies.count && good; i++) {
    const io_body *body = io_body_at(d, i);
    good = body->name && body->parent >= 0 && body->parent < i && body->n_joints >= 0 &&
           (body->n_joints == 0 || body->first_joint == joints);
    for (int j = joints; good && j < joints + body->n_joints; j++)
      good = j < (int)d->joints.count && io_joint_at(d, j)->name && io_joint_at(d, j)->body == i;
    joints += body->n_joints;
  }
  if (good && joints == (int)d->joints.count) return CDN_OK;
  return io_fail(d, CDN_ERR_PARSE, 0, "the reader left bodies and joints out of order (a fault of the library)");
}

/* Warns of joints that move something without mass: fine in the middle of a chain, ill-defined at its end. */
static void warn_massless(io_description *d, const bool *moves_mass) {
  for (int i = 1; i < (int)d->bodies.count; i++) {
    const io_body *body = io_body_at(d, i);
    if (body->n_joints == 0 || body->mass.mass > 0) continue;
    const io_joint *joint = io_joint_at(d, body->first_joint + body->n_joints - 1);
    io_warn(
        d, body->line, "%s '%.60s' has no mass and is moved by joint '%.60s'%s", d->body_word, body->name, joint->name,
        moves_mass[i] || joint->armature > 0
            ? "; it is a frame that carries what follows it"
            : ", as is all that follows it: give it mass (and inertia), or the joint armature, or its acceleration is "
              "not defined");
  }
}

static cdn_status check_masses(io_description *d) {
  bool *moves_mass = cdni_calloc(&d->allocator, d->bodies.count * sizeof *moves_mass);
  if (!moves_mass) return no_memory(d);
  cdn_status status = CDN_OK;
  for (int i = (int)d->bodies.count - 1; i > 0; i--) {
    const io_body *body = io_body_at(d, i);
    if (body->mass.mass > 0) moves_mass[i] = true;
    if (moves_mass[i]) moves_mass[body->parent] = true;
  }
  for (int i = 1; i < (int)d->bodies.count && status == CDN_OK; i++) {
    const io_body *body = io_body_at(d, i);
    if (!body->mass_checked) status = io_check_mass(d, body->line, d->body_word, body->name, &body->mass);
  }
  if (status == CDN_OK) warn_massless(d, moves_mass);
  cdni_free(&d->allocator, moves_mass, d->bodies.count * sizeof *moves_mass);
  return status;
}

/* A model that starts beyond a limit starts with a push that nobody may expect. */
static void warn_beyond_limits(io_description *d) {
  for (int i = 0; i < (int)d->joints.count; i++) {
    const io_joint *joint = io_joint_at(d, i);
    if (!joint->limited || (joint->kind != IO_PIN && joint->kind != IO_SLIDER)) continue;
    if (joint->ref < joint->lower || joint->ref > joint->upper)
      io_warn(d, joint->line, "joint '%.60s': its default value %g is outside its limits [%g, %g]", joint->name,
              joint->ref, joint->lower, joint->upper);
  }
}

/* ---- building ---- */

/* Does a message's element belong to what has this name in the file: "knee", "knee limit", "base.x"? */
static bool belongs_to(const char *element, const char *name) {
  const size_t n = strlen(name);
  return n > 0 && strncmp(element, name, n) == 0 && (!element[n] || element[n] == ' ' || element[n] == '.');
}

/* The line of the body, joint or loop that a message names; the first if it names none. */
static int line_of(const io_description *d, const char *element) {
  for (int i = 1; i < (int)d->bodies.count; i++)
    if (strcmp(io_body_at(d, i)->name, element) == 0) return io_body_at(d, i)->line;
  for (int i = 0; i < (int)d->joints.count; i++)
    if (belongs_to(element, io_joint_at(d, i)->name)) return io_joint_at(d, i)->line;
  for (int i = 0; i < (int)d->loops.count; i++)
    if (strcmp(io_loop_at(d, i)->name, element) == 0) return io_loop_at(d, i)->line;
  return 1;
}

static cdn_status build_system(io_builder *b) {
  io_description *d = b->d;
  cdn_system_def def = cdn_default_system_def();
  def.name = d->name;
  def.allocator = d->allocator;
  b->system = cdn_system_create(&def);
  if (!b->system) return no_memory(d);
  io_build_tree(b);
  io_build_forces(b);
  io_build_loops(b);
  io_build_sensors(b);
  if (cdn_system_freeze(b->system) == CDN_OK) return CDN_OK;
  cdn_error error; /* the first mistake, which later ones may follow from */
  cdn_system_last_error(b->system, &error);
  cdn_system_release(b->system);
  b->system = NULL;
  return io_fail(d, error.code, line_of(d, error.element), "%s%s%s", error.element, error.element[0] ? ": " : "",
                 error.text);
}

/* Does any limit become a stop? */
static bool has_limits(const io_builder *b) {
  if (b->model->options.tree_only) return false;
  for (int i = 0; i < (int)b->d->joints.count; i++)
    if (io_joint_at(b->d, i)->limited) return true;
  return false;
}

static cdn_status build_both(io_builder *b) {
  CDNI_TRY(build_system(b));
  if (!has_limits(b)) return CDN_OK;
  warn_beyond_limits(b->d);
  const size_t bytes = b->d->joints.count * sizeof(double);
  double *stiffness = cdni_calloc(&b->d->allocator, bytes);
  if (!stiffness) return no_memory(b->d);
  cdn_status status = io_calc_limit_stiffness(b, stiffness);
  cdn_system_release(b->system);
  b->system = NULL;
  b->limit_stiffness = stiffness;
  if (status == CDN_OK) status = build_system(b);
  b->limit_stiffness = NULL;
  cdni_free(&b->d->allocator, stiffness, bytes);
  return status;
}

/* ---- tables ---- */

static cdn_status list_joint(io_builder *b, int index) {
  static const char *const kinds[] = {
    [IO_PIN] = "pin", [IO_SLIDER] = "slider", [IO_BALL] = "ball", [IO_FREE] = "free", [IO_PLANAR] = "planar"
  };
  static const char *const units[] = { [IO_PIN] = "rad",
                                       [IO_SLIDER] = "m",
                                       [IO_BALL] = "quaternion",
                                       [IO_FREE] = "quaternion, m",
                                       [IO_PLANAR] = "rad, m, m" };
  const io_joint *joint = io_joint_at(b->d, index);
  const cdn_body body = b->joint_bodies[index];
  const bool stops =
      joint->limited && !b->model->options.tree_only && (joint->kind == IO_PIN || joint->kind == IO_SLIDER);
  const cdn_model_joint entry = { .name = joint->name,
                                  .kind = kinds[joint->kind],
                                  .body = io_body_at(b->d, joint->body)->name,
                                  .units = units[joint->kind],
                                  .first_q = cdn_body_first_q(b->system, body),
                                  .nq = io_joint_nq(joint->kind),
                                  .first_u = cdn_body_first_u(b->system, body),
                                  .nu = io_joint_nu(joint->kind),
                                  .lower = stops ? joint->lower : -INFINITY,
                                  .upper = stops ? joint->upper : INFINITY };
  /* Bodies are added in the order of the joints: one run after another. A keyframe relies on it. */
  const cdn_model_joint *last = index ? &CDNI_AT(b->model->joints, cdn_model_joint, index - 1) : NULL;
  if (entry.first_q != (last ? last->first_q + last->nq : 0) || entry.first_u != (last ? last->first_u + last->nu : 0))
    return io_fail(b->d, CDN_ERR_PARSE, joint->line,
                   "joint '%.60s': its coordinates are not in a row (a fault of the "
                   "library)",
                   joint->name);
  return cdni_array_push(&b->model->allocator, &b->model->joints, sizeof entry, &entry) ? CDN_OK : no_memory(b->d);
}

static cdn_status fill_tables(io_builder *b) {
  for (int i = 0; i < (int)b->d->joints.count; i++) CDNI_TRY(list_joint(b, i));
  b->model->n_mobilizers = (int)b->d->joints.count;
  for (int i = 1; i < (int)b->d->bodies.count; i++) {
    if (io_body_at(b->d, i)->n_joints == 0) b->model->n_mobilizers++;
    if (!cdni_array_push(&b->model->allocator, &b->model->bodies, sizeof(cdn_body), &b->bodies[i]))
      return no_memory(b->d);
  }
  return CDN_OK;
}

/* A keyframe that leaves out q or u means their default values. */
static cdn_status keep_defaults(cdn_model *model, io_description *d) {
  const size_t nq = (size_t)cdn_system_nq(model->system), nu = (size_t)cdn_system_nu(model->system);
  cdn_state *state;
  const cdn_status status = cdn_state_create(model->system, &state);
  if (status != CDN_OK) return io_fail(d, status, 0, "cannot make a State: %s", cdn_status_text(status));
  model->q0 = cdni_alloc(&model->allocator, nq * sizeof(double));
  model->u0 = cdni_alloc(&model->allocator, nu * sizeof(double));
  if (model->q0) memcpy(model->q0, cdn_state_q(state), nq * sizeof(double));
  if (model->u0) memcpy(model->u0, cdn_state_u(state), nu * sizeof(double));
  cdn_state_destroy(state);
  return (model->q0 || nq == 0) && (model->u0 || nu == 0) ? CDN_OK : no_memory(d);
}

cdn_status io_build(struct cdn_model *model, io_description *d) {
  CDNI_TRY(check_order(d));
  CDNI_TRY(check_names(d));
  CDNI_TRY(raise_armature(d, model->options.armature));
  CDNI_TRY(check_masses(d));
  const size_t body_bytes = d->bodies.count * sizeof(cdn_body), joint_bytes = d->joints.count * sizeof(cdn_body);
  io_builder b = { .model = model,
                   .d = d,
                   .bodies = cdni_alloc(&d->allocator, body_bytes),
                   .joint_bodies = cdni_alloc(&d->allocator, joint_bytes) };
  cdn_status status = b.bodies && (b.joint_bodies || joint_bytes == 0) ? build_both(&b) : no_memory(d);
  model->system = b.system; /* the model frees it, whatever comes */
  if (status == CDN_OK) status = fill_tables(&b);
  if (status == CDN_OK && d->keys.count > 0) status = keep_defaults(model, d);
  cdni_free(&d->allocator, b.bodies, body_bytes);
  cdni_free(&d->allocator, b.joint_bodies, joint_bytes);
  return status;
}
