/* Errors and warnings about a spec, before anything is built. */
#include <math.h>

#include "io/build.h"
#include "io/joints.h"

static cdn_status no_memory(io_log *log) { return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory"); }

/* The least armature that was asked for. */
static cdn_status raise_armature(io_builder *b) {
  const double least = b->model->options.armature;
  if (!(least >= 0) || !isfinite(least))
    return io_fail(b->log, CDN_ERR_ARG, 0, "the options ask for an armature of %g; it must be finite and not negative",
                   least);
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_JOINT); i++) {
    cdn_spec_joint *joint = io_spec_joint(b->spec, i);
    if (joint->kind != CDN_FREE && joint->kind != CDN_WELD && joint->armature < least) joint->armature = least;
  }
  return CDN_OK;
}

/* Springs and limits are of kinds that have an element for them. */
static cdn_status check_actions(io_builder *b) {
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *j = io_spec_joint(b->spec, i);
    const bool single = io_spec_joint_has_range(j);
    if (j->limited && !single && j->kind != CDN_BALL)
      return io_fail(b->log, CDN_ERR_ARG, j->line,
                     "joint '%.60s' is limited, but limits are for joints with one coordinate and for balls; add a "
                     "stop to the System instead",
                     j->name);
    const double *k = j->stiffness_higher, *c = j->damping_higher;
    const bool turns = j->kind == CDN_BALL || j->kind == CDN_FREE;
    if ((k[0] != 0 || k[1] != 0 || c[0] != 0 || c[1] != 0) && !single && !turns)
      return io_fail(b->log, CDN_ERR_ARG, j->line,
                     "joint '%.60s' has a spring or damper that is not linear, but these are for joints with one "
                     "coordinate, balls and free joints; add forces to the System instead",
                     j->name);
    if (j->stiffness != 0 && !single && !turns)
      return io_fail(b->log, CDN_ERR_ARG, j->line,
                     "joint '%.60s' has a stiffness, but springs are for joints with one coordinate, balls and free "
                     "joints; add springs to the System instead",
                     j->name);
  }
  return CDN_OK;
}

/* Warns of joints that move a body without mass. Such a body may stand in the middle of a chain; at its end
 * accelerations are not defined. Frames that a reader put between the joints of a body cause no warning. */
static void warn_massless(io_builder *b, const bool *moves_mass) {
  for (int i = 0; i < (int)b->tree.mobilizers.count; i++) {
    const cdn_spec_mobilizer *m = io_mobilizer(b, i);
    const cdn_spec_body *body = io_spec_body(b->spec, m->body);
    const cdn_spec_joint *joint = m->joint >= 0 ? io_spec_joint(b->spec, m->joint) : NULL;
    if (!joint || joint->kind == CDN_WELD || body->intermediate || body->mocap || body->mass.mass > 0) continue;
    io_warn(
        b->log, body->line, "%s '%.60s' has no mass and is moved by joint '%.60s'%s", b->log->body_word, body->name,
        joint->name,
        moves_mass[i] || joint->armature > 0
            ? "; it is a frame that carries what follows it"
            : ", as is all that follows it: give it mass (and inertia), or the joint armature, or its acceleration is "
              "not defined");
  }
}

static cdn_status check_masses(io_builder *b) {
  const size_t n = b->tree.mobilizers.count;
  bool *moves_mass = cdni_calloc(&b->log->allocator, n * sizeof *moves_mass);
  if (n && !moves_mass) return no_memory(b->log);
  for (int i = (int)n - 1; i >= 0; i--) {
    const cdn_spec_mobilizer *m = io_mobilizer(b, i);
    if (io_spec_body(b->spec, m->body)->mass.mass > 0) moves_mass[i] = true;
    if (moves_mass[i] && m->inboard >= 0) moves_mass[m->inboard] = true;
  }
  warn_massless(b, moves_mass);
  if (moves_mass) cdni_free(&b->log->allocator, moves_mass, n * sizeof *moves_mass);
  return b->log->error.code;
}

static cdn_status check_shapes(io_builder *b) {
  cdn_geometry_kind kind;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_SHAPE); i++) {
    const cdn_spec_shape *s = io_spec_shape(b->spec, i);
    if (!io_geometry_kind(s->type, &kind))
      return io_fail(b->log, CDN_ERR_ARG, s->line, "shape '%.60s' has the type %d, which is none of cdn_shape_type",
                     s->name ? s->name : "?", (int)s->type);
  }
  return CDN_OK;
}

/* A key's list is a run of joints, and may end early. */
static cdn_status check_keys(io_builder *b) {
  int nq = 0, nu = 0;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_JOINT); i++) {
    nq += io_spec_joint_nq(io_spec_joint(b->spec, i));
    nu += io_spec_joint_nu(io_spec_joint(b->spec, i));
  }
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_KEY); i++) {
    const cdn_spec_key *key = io_spec_key(b->spec, i);
    const int n_actuators = cdn_spec_count(b->spec, CDN_SPEC_ACTUATOR);
    if (key->n_actuators > n_actuators)
      return io_fail(b->log, CDN_ERR_ARG, key->line,
                     "key '%.60s' has values for %d actuators, but there are %d: remove the rest", key->name,
                     key->n_actuators, n_actuators);
    if (key->nq > nq || key->nu > nu)
      return io_fail(b->log, CDN_ERR_ARG, key->line,
                     "key '%.60s' has %d coordinates and %d speeds, but the joints have %d and %d: remove the rest",
                     key->name, key->nq, key->nu, nq, nu);
  }
  return CDN_OK;
}

/* Springs, limits and the like on coordinates that do not exist. */
static void warn_cut(io_builder *b) {
  for (int i = 0; i < (int)b->tree.loops.count; i++) {
    const cdn_spec_joint *j = io_spec_joint(b->spec, io_tree_loop(b, i)->joint);
    const char *what = j->armature != 0    ? "armature"
                       : j->damping != 0   ? "damping"
                       : j->stiffness != 0 ? "spring"
                       : j->limited        ? "limit"
                       : j->lock           ? "lock"
                                           : NULL;
    if (!io_tree_loop(b, i)->weld && what)
      io_warn(b->log, j->line,
              "joint '%.60s' closes a loop that is cut there: it has no coordinates, and its %s is left out; give it "
              "a larger weight, or cut the loop by splitting a body with mass",
              j->name, what);
  }
}

void io_tell_beyond_limits(cdn_spec *spec, bool cure) {
  io_list beyond = { .count = 0 };
  int line = 0;
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_JOINT); i++) {
    cdn_spec_joint *joint = io_spec_joint(spec, i);
    if (!joint->limited || !io_spec_joint_has_range(joint)) continue;
    if (joint->q0[0] >= joint->lower && joint->q0[0] <= joint->upper) continue;
    if (beyond.count == 0) line = joint->line;
    io_list_add(&beyond, joint->name);
    if (cure) joint->q0[0] = fmin(fmax(joint->q0[0], joint->lower), joint->upper);
  }
  if (beyond.count == 0) return;
  const bool one = beyond.count == 1;
  io_warn(&spec->log, line, "%d joint%s outside of %s limits in the default pose%s: %s%s", beyond.count,
          one ? " is" : "s are", one ? "its" : "their", cure ? ", and the robot starts at the nearest limit" : "",
          beyond.text, io_list_rest(&beyond));
}

cdn_status io_check_spec(io_builder *b) {
  CDNI_TRY(raise_armature(b));
  CDNI_TRY(check_actions(b));
  CDNI_TRY(check_shapes(b));
  CDNI_TRY(check_keys(b));
  CDNI_TRY(check_masses(b));
  warn_cut(b);
  /* beyond a compliant limit it starts with a push that nobody may expect; a rigid limit cannot be passed */
  if (!b->model->options.tree_only) io_tell_beyond_limits(b->spec, io_is_rigid(&b->model->options));
  io_tell_not_rigid(b);
  return b->log->error.code;
}
