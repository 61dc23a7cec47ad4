/* Locks, and motions on and off, in a State. */
#include <math.h>

#include "matter/mobilizers/quaternion.h"
#include "matter/motion.h"

static const matter *matter_of(const cdn_state *state) { return cdni_matter(cdn_state_system(state)); }

/* ---- drivers ---- */

static cdn_motion_level lock_level(const matter *m, const cdn_state *state, int body) {
  return (cdn_motion_level)cdn_state_parameters(state, m->lock_level)[body];
}

/* The motion that a body would follow if it were not locked, or NULL. */
static const matter_motion *active_motion(const matter *m, const cdn_state *state, int body) {
  const int32_t i = CDNI_AT(m->bodies, matter_body, body).motion;
  return i >= 0 && cdn_state_parameters(state, m->motion_on)[i] != 0 ? cdni_motion_at(m, i) : NULL;
}

static void set_driver(cdn_state *state, cdn_dvar v, int body, int32_t by) {
  const int32_t before = cdni_drivers(state, v)[body];
  if (before == by) return;
  int32_t *drivers = cdni_state_update_discrete(state, v);
  drivers[0] += (by != DRIVEN_BY_NOTHING) - (before != DRIVEN_BY_NOTHING);
  drivers[body] = by;
}

/* Called before a choice is changed: writes the prescribed values into q and u, so that they stay when the mobilizer
 * is released. If a motion fails q and u stay as they are, so that it can be switched off. */
static void keep_values(cdn_state *state) { (void)!cdn_prescribe(state, NULL); }

/* After it. */
static void update_drivers(const matter *m, cdn_state *state, int body) {
  const cdn_motion_level lock = lock_level(m, state, body);
  const matter_motion *x = active_motion(m, state, body);
  const cdn_motion_level level = lock != CDN_LEVEL_NONE ? lock : x ? x->level : CDN_LEVEL_NONE;
  const int32_t by = lock != CDN_LEVEL_NONE ? DRIVEN_BY_LOCK : DRIVEN_BY_MOTION;
  set_driver(state, m->driver_q, body, level >= CDN_LEVEL_POSITION ? by : DRIVEN_BY_NOTHING);
  set_driver(state, m->driver_u, body, level >= CDN_LEVEL_VELOCITY ? by : DRIVEN_BY_NOTHING);
  set_driver(state, m->driver_udot, body, level >= CDN_LEVEL_ACCELERATION ? by : DRIVEN_BY_NOTHING);
}

/* ---- motions ---- */

cdn_status cdn_motion_set_enabled(cdn_state *state, cdn_motion motion, bool enabled) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const matter *m = matter_of(state);
  if (!cdni_motion_exists(m, motion)) return cdni_state_lacks(state, "cdn_motion_set_enabled", "motion", motion.i);
  if (cdn_motion_is_enabled(state, motion) == enabled) return CDN_OK;
  if (cdni_motion_at(m, motion.i)->mocap >= 0)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, cdni_motion_at(m, motion.i)->name,
                           "motion '%s' is of a mocap body, and cannot be switched off: a free body without it moves "
                           "by forces",
                           cdni_motion_at(m, motion.i)->name);
  const double on = enabled;
  keep_values(state);
  CDNI_TRY(cdn_state_set_parameters(state, m->motion_on, motion.i, 1, &on));
  update_drivers(m, state, cdni_motion_at(m, motion.i)->body);
  return CDN_OK;
}

bool cdn_motion_is_enabled(const cdn_state *state, cdn_motion motion) {
  CDNI_NEED_OBJECT(state, false);
  const matter *m = matter_of(state);
  return cdni_motion_exists(m, motion) && cdn_state_parameters(state, m->motion_on)[motion.i] != 0;
}

const double *cdn_motion_params(const cdn_state *state, cdn_motion motion) {
  CDNI_NEED_OBJECT(state, NULL);
  const matter *m = matter_of(state);
  if (!cdni_motion_exists(m, motion)) return NULL;
  return cdn_state_parameters(state, m->motion_params) + CDN_MOTION_PARAMS * motion.i;
}

cdn_status cdn_motion_set_params(cdn_state *state, cdn_motion motion, const double *params) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const matter *m = matter_of(state);
  if (!cdni_motion_exists(m, motion)) return cdni_state_lacks(state, "cdn_motion_set_params", "motion", motion.i);
  return cdn_state_set_parameters(state, m->motion_params, CDN_MOTION_PARAMS * motion.i, CDN_MOTION_PARAMS, params);
}

/* ---- locks ---- */

/* A body with a mobilizer, and one of the three levels. */
static cdn_status check(cdn_state *state, const char *function, cdn_body body, cdn_motion_level level) {
  const matter *m = matter_of(state);
  if (!cdni_body_exists(m, body) || body.i == 0)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                           "there is no body %d with a mobilizer in this System", (int)body.i);
  if (level <= CDN_LEVEL_NONE || level > CDN_LEVEL_POSITION)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, CDNI_AT(m->bodies, matter_body, body.i).mobilizer_name,
                           "there is no level %d to lock a mobilizer at", (int)level);
  return CDN_OK;
}

/* Sets the values of the level, and zeros below it. Values that do not change stay valid. */
static cdn_status set_values(cdn_state *state, cdn_dvar v, int first, int n, const double *values) {
  static const double zeros[6] = { 0 };
  if (!values) values = zeros;
  if (memcmp(cdn_state_parameters(state, v) + first, values, (size_t)n * sizeof *values) == 0) return CDN_OK;
  return cdn_state_set_parameters(state, v, first, n, values);
}

static cdn_status lock(const matter *m, cdn_state *state, int body, cdn_motion_level level, const double *values) {
  const tree_node *n = &m->tree.node[body];
  const double as_level = level;
  keep_values(state);
  CDNI_TRY(cdn_state_set_parameters(state, m->lock_level, body, 1, &as_level));
  if (level == CDN_LEVEL_POSITION) CDNI_TRY(set_values(state, m->lock_q, n->q, n->nq, values));
  if (level >= CDN_LEVEL_VELOCITY)
    CDNI_TRY(set_values(state, m->lock_u, n->u, n->nu, level == CDN_LEVEL_VELOCITY ? values : NULL));
  CDNI_TRY(set_values(state, m->lock_udot, n->u, n->nu, level == CDN_LEVEL_ACCELERATION ? values : NULL));
  update_drivers(m, state, body);
  return CDN_OK;
}

cdn_status cdn_body_lock_at(cdn_state *state, cdn_body body, cdn_motion_level level, int n, const double *values) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_TRY(check(state, __func__, body, level));
  const matter *m = matter_of(state);
  const tree_node *node = &m->tree.node[body.i];
  const char *joint = CDNI_AT(m->bodies, matter_body, body.i).mobilizer_name;
  const int has = level == CDN_LEVEL_POSITION ? node->nq : node->nu;
  if (n != has || (n > 0 && !values))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, joint,
                           "joint '%s' is locked there with %d numbers, %d were given", joint, has, values ? n : 0);
  size_t bad;
  if (n > 0 && !cdni_all_finite(values, (size_t)n, &bad))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, __func__, joint,
                           "joint '%s': value %zu to be locked at is %g: nothing was changed", joint, bad, values[bad]);
  double q[7];
  if (level == CDN_LEVEL_POSITION && node->quaternion) {
    memcpy(q, values, (size_t)n * sizeof *q);
    if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0)
      return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, joint,
                             "joint '%s': the quaternion is zero; (1,0,0,0) is the identity", joint);
    (void)quaternion_normalize(q, NULL);
    values = q;
  }
  return lock(m, state, body.i, level, values);
}

cdn_status cdni_locks_where_they_are(cdn_state *to, const cdn_state *from) {
  const matter *m = matter_of(from);
  for (int i = 1; m && i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    const cdn_motion_level level = lock_level(m, from, i);
    const bool position = level == CDN_LEVEL_POSITION;
    if (!position && level != CDN_LEVEL_VELOCITY) continue;
    const cdn_dvar values = position ? m->lock_q : m->lock_u;
    const int first = position ? n->q : n->u, count = position ? n->nq : n->nu;
    const double *theirs = position ? cdn_state_q(from) : cdn_state_u(from);
    const double *own = position ? cdn_state_q(to) : cdn_state_u(to);
    if (memcmp(cdn_state_parameters(from, values) + first, theirs + first, (size_t)count * sizeof *own)) continue;
    CDNI_TRY(set_values(to, values, first, count, own + first));
  }
  return CDN_OK;
}

cdn_status cdn_body_lock(cdn_state *state, cdn_body body, cdn_motion_level level) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_TRY(check(state, "cdn_body_lock", body, level));
  const matter *m = matter_of(state);
  const tree_node *n = &m->tree.node[body.i];
  double values[7] = { 0 };
  if (level >= CDN_LEVEL_VELOCITY) {
    const bool position = level == CDN_LEVEL_POSITION;
    CDNI_TRY(cdni_state_ensure(state, position ? CDN_Q_EFF : CDN_U_EFF));
    const tree_data d = cdni_matter_data(m, state);
    if (position) memcpy(values, d.q + n->q, n->nq * sizeof *values);
    else if (n->nu) memcpy(values, d.u + n->u, n->nu * sizeof *values);
  }
  return cdn_body_lock_at(state, body, level, level == CDN_LEVEL_POSITION ? n->nq : n->nu, values);
}

cdn_status cdn_body_unlock(cdn_state *state, cdn_body body) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_TRY(check(state, "cdn_body_unlock", body, CDN_LEVEL_POSITION));
  const matter *m = matter_of(state);
  if (lock_level(m, state, body.i) == CDN_LEVEL_NONE) return CDN_OK;
  const double none = CDN_LEVEL_NONE;
  keep_values(state);
  CDNI_TRY(cdn_state_set_parameters(state, m->lock_level, body.i, 1, &none));
  update_drivers(m, state, body.i);
  return CDN_OK;
}

cdn_motion_level cdn_body_lock_level(const cdn_state *state, cdn_body body) {
  CDNI_NEED_OBJECT(state, (cdn_motion_level){ 0 });
  const matter *m = matter_of(state);
  return cdni_body_exists(m, body) ? lock_level(m, state, body.i) : CDN_LEVEL_NONE;
}

/* ---- the manual's table ---- */

static cdn_driver driver_of(const cdn_state *state, cdn_body body) {
  cdn_driver driver = { .level = CDN_LEVEL_NONE, .rate = CDN_RATE_DYNAMIC, .motion = { -1 } };
  const matter *m = matter_of(state);
  if (!cdni_body_exists(m, body)) return driver;
  const cdn_motion_level locked = lock_level(m, state, body.i);
  const matter_motion *x = active_motion(m, state, body.i);
  if (locked != CDN_LEVEL_NONE) {
    driver.level = locked;
    driver.locked = true;
    if (locked >= CDN_LEVEL_VELOCITY) driver.rate = CDN_RATE_SLOW;
  } else if (x) {
    driver.level = x->level;
    driver.motion.i = CDNI_AT(m->bodies, matter_body, body.i).motion;
    const bool written = x->control.i >= 0 && !cdn_control_follows(cdn_state_system(state), x->control);
    if (x->kind == CDN_MOTION_STEADY || x->kind == CDN_MOTION_MOCAP || written) driver.rate = CDN_RATE_SLOW;
  }
  return driver;
}

void cdn_body_driver_sized(const cdn_state *state, cdn_body body, cdn_driver *out, size_t size) {
  const cdn_driver driver = state ? driver_of(state, body) : (cdn_driver){ .motion = { -1 } };
  cdni_sized_write(out, size, &driver, sizeof driver);
}
