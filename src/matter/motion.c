/* Motions as parts of a System: adding them, their declarations, and queries. */
#include "controls/controls.h"
#include "matter/kinds.h"
#include "matter/subsystem.h"
#include "system/vectors.h"

#include <math.h>

CDNI_DEF(motion_def, .body = { -1 }, .level = CDN_LEVEL_POSITION, .control = { -1 });

/* ---- adding ---- */

void cdni_motion_free(const cdn_allocator *a, matter_motion *x) {
  if (x->ops.destroy && x->self) x->ops.destroy(x->self);
  if (x->self) cdni_free(a, x->self, x->ops.self_size);
  cdni_strfree(a, (char *)x->ops.name);
  cdni_strfree(a, x->name);
}

static const char *rate_complaint(cdn_motion_rate rate) {
  switch (rate) {
    case CDN_RATE_DYNAMIC: return NULL;
    case CDN_RATE_SLOW:
      return "is slow: for values that change at events only use a lock (cdn_body_lock_at) or a steady motion";
    case CDN_RATE_FAST: return "is fast (quasi-static), and the solver that this needs is not there yet";
  }
  return "has a rate that is not one of cdn_motion_rate";
}

static const char *ops_complaint(const cdn_motion_ops *ops, const void *self, cdn_motion_level level) {
  if (!ops) return "is custom, but has no ops";
  if (ops->self_size && !self) return "has ops with a private part, but none was given";
  if (level == CDN_LEVEL_POSITION && !(ops->q && ops->qdot && ops->qdotdot))
    return "is at position level: its ops need q, qdot and qdotdot";
  if (level == CDN_LEVEL_POSITION && ops->timeless) return "is at position level, a function of time: not timeless";
  if (level == CDN_LEVEL_VELOCITY && !(ops->u && ops->udot)) return "is at velocity level: its ops need u and udot";
  if (level == CDN_LEVEL_ACCELERATION && !ops->udot) return "is at acceleration level: its ops need udot";
  return NULL;
}

/* What is wrong with a def whose body exists, or NULL. */
static const char *complaint(const matter *m, const cdn_motion_def *def, cdn_motion_level level) {
  const matter_body *b = &CDNI_AT(m->bodies, matter_body, def->body.i);
  const tree_node *n = &CDNI_AT(m->nodes, tree_node, def->body.i);
  if (b->motion >= 0) return "would be the second of its mobilizer";
  if (n->nu == 0) return "has nothing to move: its body is welded";
  const char *wrong = rate_complaint(def->rate);
  if (wrong) return wrong;
  if (level <= CDN_LEVEL_NONE || level > CDN_LEVEL_POSITION) return "has a level that is not one of cdn_motion_level";
  if (def->kind == CDN_MOTION_CUSTOM) return ops_complaint(def->custom, def->custom_self, level);
  const bool free = cdni_kind_of(n)->ball && n->nu == 6 && n->quaternion && !(n->variant & 1);
  if (def->kind == CDN_MOTION_MOCAP && (!free || n->parent != 0))
    return "is of a mocap body: its mobilizer must be CDN_FREE, with a quaternion, on Ground, and not reversed";
  if (def->kind == CDN_MOTION_MOCAP && (def->disabled || b->lock != CDN_LEVEL_NONE))
    return "is of a mocap body, which cannot be switched off, and needs no lock";
  if (!cdni_motion_built_in(def->kind, level)) return "is of a kind that is not one of cdn_motion_kind";
  if (def->kind != CDN_MOTION_STEADY && def->kind != CDN_MOTION_MOCAP && level == CDN_LEVEL_POSITION && n->quaternion)
    return "is a sinusoid or a control of a quaternion: give the mobilizer Euler angles, prescribe its speeds, or "
           "bring functions of your own";
  return NULL;
}

static bool append(cdn_system *system, matter *m, const cdn_motion_def *def, const char *name, cdn_motion_level level) {
  const cdn_allocator *a = cdni_system_allocator(system);
  const bool custom = def->kind == CDN_MOTION_CUSTOM;
  matter_motion x = { .body = def->body.i, .kind = def->kind, .level = level, .enabled = !def->disabled };
  x.mocap = -1;
  for (size_t i = 0; def->kind == CDN_MOTION_MOCAP && i <= m->motions.count; i++)
    x.mocap += i == m->motions.count || cdni_motion_at(m, (int32_t)i)->mocap >= 0;
  x.control = (cdn_control){ def->kind == CDN_MOTION_CONTROLLED ? def->control.i : -1 };
  x.ops = custom ? *def->custom : *cdni_motion_built_in(def->kind, level);
  memcpy(x.params, def->params, sizeof x.params);
  x.ops.name = cdni_strdup(a, x.ops.name ? x.ops.name : "custom");
  x.name = cdni_strdup(a, name);
  x.self = x.ops.self_size ? cdni_alloc(a, x.ops.self_size) : NULL;
  if (!x.name || !x.ops.name || (x.ops.self_size && !x.self) || !cdni_array_push(a, &m->motions, sizeof x, &x)) {
    x.ops.destroy = NULL; /* there is nothing to destroy yet */
    cdni_motion_free(a, &x);
    return false;
  }
  if (x.self) memcpy(x.self, def->custom_self, x.ops.self_size);
  CDNI_AT(m->bodies, matter_body, def->body.i).motion = (int32_t)m->motions.count - 1;
  return true;
}

cdn_motion cdn_system_add_motion(cdn_system *system, const cdn_motion_def *def) {
  const cdn_motion none = { -1 };
  if (cdni_system_refuses(system, __func__)) return none;
  cdn_motion_def known;
  cdn_motion_ops known_ops;
  const char *unreadable = read_motion_def(&known, def);
  if (!unreadable && known.kind == CDN_MOTION_CUSTOM && known.custom) {
    unreadable = CDNI_READ_OPS(cdn_motion_ops, &known_ops, known.custom);
    known.custom = &known_ops;
  }
  def = &known;
  if (unreadable) {
    cdni_system_fail(system, CDN_ERR_VERSION, __func__, def->name, "%s", unreadable);
    return none;
  }
  matter *m = cdni_matter_building(system);
  if (!m || cdni_system_refuses(system, __func__)) return none;
  cdni_adder by = { system, __func__, "motion", .ok = true };
  cdni_adder_name(&by, def->name, m->motions.count);
  const char *name = by.name;
  const cdn_motion_level level = def->kind == CDN_MOTION_STEADY  ? CDN_LEVEL_VELOCITY
                                 : def->kind == CDN_MOTION_MOCAP ? CDN_LEVEL_POSITION
                                                                 : def->level;
  if (def->body.i < 1 || (size_t)def->body.i >= m->bodies.count) {
    cdni_adder_refuse(&by, CDN_ERR_ARG, "there is no body %d with a mobilizer in this System; add the body first",
                      (int)def->body.i);
    return none;
  }
  const char *body = CDNI_AT(m->bodies, matter_body, def->body.i).name, *wrong = complaint(m, def, level);
  if (wrong) {
    cdni_system_fail(system, def->rate == CDN_RATE_FAST ? CDN_ERR_UNSUPPORTED : CDN_ERR_ARG, __func__, name,
                     "motion '%s' (of body '%s') %s", name, body, wrong);
    return none;
  }
  if (def->kind == CDN_MOTION_CONTROLLED && !cdn_control_name(system, def->control)) {
    cdni_system_fail(system, CDN_ERR_ARG, __func__, name,
                     "motion '%s' (of body '%s'): there is no control %d in this System (yet): add the control first",
                     name, body, (int)def->control.i);
    return none;
  }
  size_t bad;
  if (!cdni_all_finite(def->params, CDN_MOTION_PARAMS, &bad)) {
    cdni_system_fail(system, CDN_ERR_NONFINITE, __func__, name, "motion '%s' (of body '%s'): parameter %zu is %g", name,
                     body, bad, def->params[bad]);
    return none;
  }
  if (!append(system, m, def, name, level)) {
    cdni_system_fail(system, CDN_ERR_NOMEM, __func__, name, "out of memory");
    return none;
  }
  return (cdn_motion){ (int32_t)m->motions.count - 1 };
}

/* ---- declaring ---- */

static int32_t default_driver(const matter *m, int i, cdn_motion_level level) {
  const matter_body *b = &CDNI_AT(m->bodies, matter_body, i);
  if (b->lock != CDN_LEVEL_NONE) return b->lock >= level ? DRIVEN_BY_LOCK : DRIVEN_BY_NOTHING;
  if (b->motion < 0 || !cdni_motion_at(m, b->motion)->enabled) return DRIVEN_BY_NOTHING;
  return cdni_motion_at(m, b->motion)->level >= level ? DRIVEN_BY_MOTION : DRIVEN_BY_NOTHING;
}

/* work: one number a body at least. */
static cdn_dvar declare_driver(const matter *m, cdn_declarer *d, const char *name, cdn_motion_level level, void *work) {
  int32_t *by = work;
  by[0] = 0;
  for (int i = 1; i < m->tree.n; i++) {
    by[i] = default_driver(m, i, level);
    by[0] += by[i] != DRIVEN_BY_NOTHING;
  }
  const cdn_dvar v = cdn_declare_discrete(d, name, (size_t)m->tree.n * sizeof *by, by, CDN_STAGE_INSTANCE);
  /* What follows from locks and switches belongs to them. */
  cdni_declare_vector_run(
      d, &(vector_run){ .part = CDN_VECTOR_PARAMETERS, .variable = v, .numbers = VECTOR_INTEGERS, .n = m->tree.n });
  return v;
}

static void declare_choices(matter *m, cdn_declarer *d, double *work) {
  const tree *t = &m->tree;
  for (int i = 0; i < t->n; i++) work[i] = CDNI_AT(m->bodies, matter_body, i).lock;
  m->lock_level = cdn_declare_parameters(d, "lock_level", t->n, work);
  const int n = (int)m->motions.count;
  for (int i = 0; i < n; i++) work[i] = cdni_motion_at(m, i)->enabled;
  m->motion_on = cdn_declare_parameters(d, "motion_on", n, work);
  for (int i = 0; i < n; i++)
    memcpy(work + CDN_MOTION_PARAMS * i, cdni_motion_at(m, i)->params, CDN_MOTION_PARAMS * sizeof *work);
  m->motion_params = cdn_declare_parameters(d, "motion_params", CDN_MOTION_PARAMS * n, work);

  cdni_motion_declare_mocap(m, d, work);
  if (t->nq) memcpy(work, m->q0.data, (size_t)t->nq * sizeof *work);
  cdni_matter_normalize_q(&m, NULL, work, NULL);
  m->lock_q = cdn_declare_parameters(d, "lock_q", t->nq, work);
  if (t->nu) memset(work, 0, (size_t)t->nu * sizeof *work);
  m->lock_udot = cdn_declare_parameters(d, "lock_udot", t->nu, work);
  for (int i = 1; i < t->n; i++) {
    const tree_node *node = &t->node[i];
    if (node->nu && CDNI_AT(m->bodies, matter_body, i).lock == CDN_LEVEL_VELOCITY)
      memcpy(work + node->u, &CDNI_AT(m->u0, double, node->u), node->nu * sizeof *work);
  }
  m->lock_u = cdn_declare_parameters(d, "lock_u", t->nu, work);
}

/* The levels that have motions, and those whose motions read the time. Lower levels follow from higher ones. */
static void find_levels(const matter *m, bool *moves, bool *timed) {
  for (int level = CDN_LEVEL_NONE; level <= CDN_LEVEL_POSITION; level++) moves[level] = timed[level] = false;
  for (size_t i = 0; i < m->motions.count; i++) {
    const matter_motion *x = cdni_motion_at(m, (int32_t)i);
    for (int level = CDN_LEVEL_ACCELERATION; level <= (int)x->level; level++) {
      moves[level] = true;
      timed[level] = timed[level] || !x->ops.timeless;
    }
  }
}

void cdni_motion_declare_reads(const matter *m, cdn_declarer *d, cdn_motion_level level, cdn_cache entry) {
  const cdn_dvar drivers[] = { m->driver_udot, m->driver_udot, m->driver_u, m->driver_q };
  const cdn_dvar locks[] = { m->lock_udot, m->lock_udot, m->lock_u, m->lock_q };
  bool moves[CDN_LEVEL_POSITION + 1], timed[CDN_LEVEL_POSITION + 1];
  find_levels(m, moves, timed);
  cdni_declare_prerequisite(d, entry, drivers[level].ticket);
  cdni_declare_prerequisite(d, entry, locks[level].ticket);
  if (moves[level]) cdni_declare_prerequisite(d, entry, m->motion_params.ticket);
  if (timed[level]) cdni_declare_prerequisite(d, entry, CDN_T);
  for (size_t i = 0; i < m->motions.count; i++) {
    const matter_motion *x = cdni_motion_at(m, (int32_t)i);
    if (x->control.i >= 0 && x->level >= level)
      cdni_declare_prerequisite(d, entry, cdn_control_ticket(cdni_declarer_system(d), x->control));
    if (x->mocap == 0) cdni_declare_prerequisite(d, entry, m->mocap.ticket);
  }
}

/* A measure does not tell its rates, and may depend on what the motion prescribes. */
static cdn_status check_controls(const matter *m, cdn_declarer *d) {
  const cdn_system *system = cdni_declarer_system(d);
  for (size_t i = 0; i < m->motions.count; i++) {
    const matter_motion *x = cdni_motion_at(m, (int32_t)i);
    if (!cdni_control_has_rates(system, x->control))
      return cdn_declare_error(d, CDN_ERR_UNSUPPORTED,
                               "motion '%s' follows control '%s', which follows a measure, whose rates are not known: "
                               "use a custom motion, or an actuator",
                               x->name, cdn_control_name(system, x->control));
  }
  return CDN_OK;
}

cdn_status cdni_motion_declare(matter *m, cdn_declarer *d) {
  CDNI_TRY(check_controls(m, d));
  const tree *t = &m->tree;
  const cdn_allocator *a = cdni_system_allocator(cdni_declarer_system(d));
  const size_t size =
      ((size_t)(t->n + t->nq + t->nu) + (CDN_MOTION_PARAMS + MOCAP_INPUTS) * m->motions.count) * sizeof(double);
  double *work = cdni_alloc(a, size);
  if (!work) return cdn_declare_error(d, CDN_ERR_NOMEM, "out of memory");
  m->driver_q = declare_driver(m, d, "driver_q", CDN_LEVEL_POSITION, work);
  m->driver_u = declare_driver(m, d, "driver_u", CDN_LEVEL_VELOCITY, work);
  m->driver_udot = declare_driver(m, d, "driver_udot", CDN_LEVEL_ACCELERATION, work);
  declare_choices(m, d, work);
  cdni_free(a, work, size);

  cdni_motion_declare_reads(m, d, CDN_LEVEL_POSITION, (cdn_cache){ 0, CDN_Q_EFF });
  cdni_motion_declare_reads(m, d, CDN_LEVEL_VELOCITY, (cdn_cache){ 0, CDN_U_EFF });
  cdni_declare_prerequisite(d, m->articulated, m->driver_udot.ticket);
  return CDN_OK;
}

/* ---- the motions of a System ---- */

int cdn_system_motion_count(const cdn_system *system) {
  CDNI_NEED_OBJECT(system, 0);
  const matter *m = cdni_matter(system);
  return m ? (int)m->motions.count : 0;
}

const char *cdn_motion_name(const cdn_system *system, cdn_motion motion) {
  CDNI_NEED_OBJECT(system, NULL);
  const matter *m = cdni_matter(system);
  return cdni_motion_exists(m, motion) ? cdni_motion_at(m, motion.i)->name : NULL;
}

cdn_motion cdn_system_find_motion(const cdn_system *system, const char *name) {
  CDNI_NEED_OBJECT(system, ((cdn_motion){ -1 }));
  return (cdn_motion){ cdni_find_by_name(system, CDN_ELEMENT_MOTION, name) };
}

cdn_body cdn_motion_body(const cdn_system *system, cdn_motion motion) {
  CDNI_NEED_OBJECT(system, (cdn_body){ -1 });
  const matter *m = cdni_matter(system);
  return (cdn_body){ cdni_motion_exists(m, motion) ? cdni_motion_at(m, motion.i)->body : -1 };
}

cdn_motion cdn_body_motion(const cdn_system *system, cdn_body body) {
  CDNI_NEED_OBJECT(system, (cdn_motion){ -1 });
  const matter *m = cdni_matter(system);
  if (!m || body.i < 0 || (size_t)body.i >= m->bodies.count) return (cdn_motion){ -1 };
  return (cdn_motion){ CDNI_AT(m->bodies, matter_body, body.i).motion };
}
