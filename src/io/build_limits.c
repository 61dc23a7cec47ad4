/* Compliant limits, and dry friction that sticks. A file gives a time constant at best, and no stiffness. So both are
 * scaled to the inertia that they meet, 1 / (M^-1)_ii in the default configuration. */
#include "io/build.h"

#include <math.h>
#include <stdio.h>

#include <cardan/operators.h>

#include "io/joints.h"
#include "matter/kinds.h"
#include "matter/matter.h"

/* ---- the inertia ---- */

cdn_status io_joint_inertia(io_builder *b, cdn_state *state, int index, double *unit, double *column,
                            double inertia[IO_MOST_MOBILITIES]) {
  const int first = cdn_body_first_u(b->system, b->joints[index]);
  const int n = io_spec_joint_nu(io_spec_joint(b->spec, index));
  for (int i = 0; i < n; i++) {
    unit[first + i] = 1;
    const cdn_status status = io_multiply_by_M_inv(b, state, unit, column);
    unit[first + i] = 0;
    CDNI_TRY(status);
    inertia[i] = 1 / column[first + i];
  }
  return CDN_OK;
}

double io_mean_inertia(const double *inertia, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += 1 / inertia[i];
  return n / sum;
}

bool io_meets_inertia(const io_builder *b, const cdn_spec_joint *joint) {
  if (io_is_rigid(&b->model->options)) return joint->limited && !io_limit_is_rigid(b, joint);
  return joint->limited || joint->friction > 0;
}
bool io_tendon_meets_inertia(const cdn_spec_tendon *t) { return t->limited || t->friction > 0; }

/* A frozen model may still have no dynamics in this configuration; it can be looked at, and posed elsewhere. */
static void warn_singular(io_builder *b, int line, const char *type, const char *name, bool limited,
                          const char *reason) {
  io_warn(b->log, line,
          "%s '%.60s': the inertia that its %s meets cannot be told (%.200s); the %s is made for 1 kg or 1 kg m^2",
          type, name, limited ? "limit" : "dry friction", reason, limited ? "limit" : "friction");
}

/* What a tendon's force meets along it. */
static cdn_status tendon_inertia(io_builder *b, cdn_state *state, int index, double *unit, double *column,
                                 double *inertia) {
  const int nu = cdn_system_nu(b->system);
  double inverse = 0;
  cdn_status status = cdn_path_moments(state, b->tendons[index].path, unit);
  if (status == CDN_OK) status = io_multiply_by_M_inv(b, state, unit, column);
  for (int k = 0; k < nu && status == CDN_OK; k++) inverse += unit[k] * column[k];
  memset(unit, 0, (size_t)nu * sizeof *unit);
  *inertia = 1 / inverse;
  return status;
}

/* Takes 1 where an inertia cannot be told. *singular: none can be told any more. */
static cdn_status judge(io_builder *b, cdn_state *state, bool *singular, cdn_status status, int line, const char *type,
                        const char *name, bool limited, double *own, int n) {
  bool positive = !*singular;
  if (!*singular) {
    if (status == CDN_ERR_NOMEM) return io_fail(b->log, status, 0, "out of memory");
    for (int k = 0; k < n && status == CDN_OK; k++) positive = positive && own[k] > 0 && isfinite(own[k]);
    *singular = status != CDN_OK;
    cdn_error error = { .code = CDN_OK };
    if (*singular) cdn_state_last_error(state, &error);
    if (*singular || !positive)
      warn_singular(b, line, type, name, limited, *singular ? error.text : "it is not positive");
  }
  for (int k = 0; k < n; k++)
    if (*singular || !positive) own[k] = 1;
  return CDN_OK;
}

static cdn_status calc_all(io_builder *b, cdn_state *state, double *unit, double *column, double *inertia) {
  bool singular = false;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_JOINT); i++, inertia += IO_MOST_MOBILITIES) {
    const cdn_spec_joint *joint = io_spec_joint(b->spec, i);
    if (!io_meets_inertia(b, joint) || b->joints[i].i < 0) continue;
    const cdn_status status = singular ? CDN_OK : io_joint_inertia(b, state, i, unit, column, inertia);
    CDNI_TRY(judge(b, state, &singular, status, joint->line, "joint", joint->name, joint->limited, inertia,
                   io_spec_joint_nu(joint)));
  }
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_TENDON); i++, inertia++) {
    const cdn_spec_tendon *t = io_spec_tendon(b->spec, i);
    if (!io_tendon_meets_inertia(t)) continue;
    const cdn_status status = singular ? CDN_OK : tendon_inertia(b, state, i, unit, column, inertia);
    CDNI_TRY(judge(b, state, &singular, status, t->line, "tendon", t->name, t->limited, inertia, 1));
  }
  return CDN_OK;
}

cdn_status io_calc_inertia(io_builder *b, double *inertia) {
  const size_t bytes = sizeof(double) * (size_t)cdn_system_nu(b->system);
  const cdn_allocator *a = &b->log->allocator;
  double *unit = cdni_calloc(a, bytes), *column = cdni_calloc(a, bytes);
  cdn_state *state = NULL;
  cdn_status status = unit && column ? cdn_state_create(b->system, &state) : CDN_ERR_NOMEM;
  if (status == CDN_OK) status = calc_all(b, state, unit, column, inertia);
  else io_fail(b->log, status, 0, "cannot make a State: %s", cdn_status_text(status));
  cdn_state_destroy(state);
  cdni_free(a, unit, bytes);
  cdni_free(a, column, bytes);
  return status;
}

/* ---- limits: k = m / (timeconst dampratio)^2 brings a finger and a torso to rest within about the same time ---- */

/* MuJoCo's defaults. */
static const double default_timeconst = 0.02, default_dampratio = 1;
/* After a hit at any speed a Hunt-Crossley stop is left at less than 1/d, since its force ends where 1 + d xdot
 * does. With d = 10 s/rad (or s/m) a hit at 1 rad/s leaves below 0.1 rad/s: close to MuJoCo's critically damped
 * limits, and without the jump of force at first touch that a linear damper has. */
static const double limit_dissipation = 10;

void io_add_stop(io_builder *b, const cdn_spec_joint *joint, cdn_body body, const double *inertia) {
  const double timeconst = joint->limit_timeconst > 0 ? joint->limit_timeconst : default_timeconst;
  const double dampratio = joint->limit_dampratio > 0 ? joint->limit_dampratio : default_dampratio;
  const double k = io_mean_inertia(inertia, io_spec_joint_nu(joint)) / (timeconst * timeconst * dampratio * dampratio);
  char name[256];
  snprintf(name, sizeof name, "%.200s limit", joint->name);
  if (joint->kind == CDN_BALL) cdn_system_add_rotation_stop(b->system, name, body, joint->upper, k, limit_dissipation);
  else cdn_system_add_mobility_stop(b->system, name, body, 0, joint->lower, joint->upper, k, limit_dissipation);
}

void io_add_tendon_stop(io_builder *b, const cdn_spec_tendon *t, cdn_path path, double inertia) {
  const bool told = t->limit_law.ref[0] > 0 && t->limit_law.ref[1] > 0;
  const double time = told ? t->limit_law.ref[0] * t->limit_law.ref[1] : default_timeconst * default_dampratio;
  char name[256];
  snprintf(name, sizeof name, "%.200s limit", t->name);
  cdn_system_add_path_stop(b->system, name, path, t->lower, t->upper, inertia / (time * time), limit_dissipation);
}

/* ---- dry friction: the softest bristle that is displaced by no more than `elastic` before it slides ---- */

static const double elastic_angle = 1e-3, elastic_length = 1e-4; /* rad, m */

/* Stiffness and damping time for an inertia; `elastic` is the displacement under the loss. */
static void choose_bristle(const io_builder *b, double loss, double elastic, double inertia, double *stiffness,
                           double *time) {
  /* equal steps bear no faster rates */
  const double step = b->model->options.fixed_step, bound = step > 0 ? 0.5 / step : INFINITY;
  const double rate = fmin(sqrt(loss / elastic / inertia), bound);
  *stiffness = inertia * rate * rate, *time = 2 / rate;
}

static double elastic_of(const io_builder *b, cdn_body body, int mobility) {
  const mobilizer_kind *kind = cdni_body_kind(cdni_matter(b->system), body.i);
  return cdni_kind_dimension(kind, mobility) == 'L' ? elastic_length : elastic_angle;
}

void io_add_friction(io_builder *b, const cdn_spec_joint *joint, cdn_body body, const double *inertia) {
  char name[256];
  const int n = io_spec_joint_nu(joint);
  for (int i = 0; i < n; i++) {
    double stiffness, time;
    choose_bristle(b, joint->friction, elastic_of(b, body, i), inertia[i], &stiffness, &time);
    if (n == 1) snprintf(name, sizeof name, "%.200s friction", joint->name);
    else snprintf(name, sizeof name, "%.200s friction[%d]", joint->name, i);
    cdn_system_add_mobility_friction(b->system, name, body, i, joint->friction, stiffness, time);
  }
}

/* It gives way as far as all its joints together do. */
cdn_status io_add_tendon_friction(io_builder *b, const cdn_spec_tendon *t, double inertia) {
  cdn_mobility joint[CDN_SPEC_TENDON_JOINTS];
  char name[256];
  double elastic = 0, stiffness, time;
  CDNI_TRY(io_find_tendon_joints(b, t, joint));
  for (int k = 0; k < t->joints; k++) elastic += fabs(t->coefficient[k]) * elastic_of(b, joint[k].body, 0);
  if (!(elastic > 0)) return CDN_OK; /* it moves with nothing */
  choose_bristle(b, t->friction, elastic, inertia, &stiffness, &time);
  snprintf(name, sizeof name, "%.200s friction", t->name);
  cdn_system_add_tendon_friction(b->system, name, t->joints, joint, t->coefficient, t->friction, stiffness, time);
  return CDN_OK;
}
