/* The stepper's public face: creation, advancing to a time, reports, restarts. */
#include <float.h>
#include <math.h>
#include <stdatomic.h>

#include <cardan/matter.h>

#include "constraints/project.h"
#include "core/sized.h"
#include "integrators/certificate.h"
#include "integrators/companion.h"
#include "integrators/control.h"
#include "integrators/events.h"
#include "integrators/failure.h"
#include "integrators/unresolved.h"
#include "integrators/inputs.h"
#include "integrators/norm.h"
#include "integrators/project.h"
#include "integrators/second_look.h"
#include "integrators/singular.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "soft/soft.h"
#include "system/system.h"

CDNI_DEF(stepper_def, .accuracy = 1e-4, .final_time = INFINITY, .norm = CDN_NORM_RMS, .time_scale = 0.1);

const char *cdni_stepper_def_read(cdn_stepper_def *to, const cdn_stepper_def *from) {
  return read_stepper_def(to, from ? from : &stepper_def_defaults);
}

/* ---- creation ------------------------------------------------------------------------------ */

/* What is wrong with a number of the def, or NULL. */
static const char *check_numbers(const cdn_stepper_def *def) {
  const double sizes[] = { def->constraint_tolerance, def->fixed_step, def->initial_step, def->min_step };
  for (int i = 0; i < CDNI_COUNT(sizes); i++) {
    if (!(sizes[i] >= 0 && isfinite(sizes[i]))) {
      return "constraint_tolerance, fixed_step, initial_step and min_step must be finite and not negative";
    }
  }
  if (!(def->accuracy >= 1e-15 && def->accuracy <= 1)) return "accuracy must be between 1e-15 and 1";
  if (def->asked_accuracy != 0 && !(def->asked_accuracy >= 1e-15 && def->asked_accuracy <= 1))
    return "asked_accuracy must be between 1e-15 and 1 (0: accuracy)";
  if (!(def->max_step >= 0)) return "max_step must not be negative (0: no limit)";
  if (def->max_step > 0 && def->min_step > def->max_step) return "min_step is larger than max_step";
  if (isnan(def->final_time)) return "final_time is not a number";
  if (def->norm != CDN_NORM_RMS && def->norm != CDN_NORM_INFINITY) return "norm is not one of cdn_error_norm";
  if (!cdni_choose_method(def, NULL)) return "method is not one of cdn_method";
  if (def->fixed_step > 0 && cdni_choose_method(def, NULL)->own_steps) {
    return "the methods of SUNDIALS choose their steps themselves: fixed_step must be 0";
  }
  if (def->fixed_step == 0 && cdni_choose_method(def, NULL)->equal_steps) {
    return "this method takes equal steps without error control: set fixed_step to their size in s";
  }
  if (def->max_order < 0) return "max_order must not be negative (0: the method's own)";
  if (!(def->time_scale > 0 && isfinite(def->time_scale))) return "time_scale must be positive and finite";
  if (def->max_steps < 0) return "max_steps must not be negative (0: no limit)";
  return NULL;
}

static const char *check_weights(const double *weights, int n) {
  for (int i = 0; weights && i < n; i++) {
    if (!(weights[i] > 0 && isfinite(weights[i])))
      return "q_weights, u_weights and z_weights must be positive and finite";
  }
  return NULL;
}

static cdn_status check_def(cdn_state *initial, const cdn_stepper_def *def, const char *function) {
  const cdn_system *system = cdn_state_system(initial);
  const bool constrained = cdni_projects(system);
  const cdni_method *method = cdni_choose_method(def, system);
  if (method && method->unconstrained && constrained)
    return cdni_state_fail(initial, CDN_ERR_UNSUPPORTED, false, function, NULL,
                           "%s cannot project onto constraints, and the System has some: take another method",
                           method->name);
  const char *wrong = check_numbers(def);
  if (!wrong) wrong = check_weights(def->q_weights, cdn_system_nu(system));
  if (!wrong) wrong = check_weights(def->u_weights, cdn_system_nu(system));
  if (!wrong) wrong = check_weights(def->z_weights, cdn_system_nz(system));
  if (!wrong) return CDN_OK;
  return cdni_state_fail(initial, CDN_ERR_ARG, false, function, NULL, "%s", wrong);
}

/* One block for all that the stepper needs, so that no step allocates; what projections need varies with the
 * constraints that are on. */
static cdn_status allocate(cdn_stepper *s, const cdn_stepper_def *def) {
  size_t v = s->stride, nu = cdni_stride(s->nu), nz = cdni_stride(s->nz), nq = cdni_stride(s->nq);
  size_t method = s->method->memory(s->method, s->ny), flags = cdni_stride((s->ny + 7) / 8);
  size_t vectors = cdni_stride((s->ny + s->nq / 4 + 1) / 2);
  size_t poses = cdni_stride((int)cdni_singular_memory(s));
  s->block_size = sizeof(double) * (12 * v + 7 * nq + 2 * nu + 2 * nz + flags + vectors + method + poses + 8);
  s->block = cdni_calloc(&s->allocator, s->block_size);
  if (!s->block) return CDN_ERR_NOMEM;
  if (cdni_projects(s->system) && !(s->projector = cdni_projector_create(s->system))) return CDN_ERR_NOMEM;

  double *p = s->block;
  for (int i = 0; i < 2; i++) s->y[i] = p, p += v;
  for (int i = 0; i < 2; i++) s->f[i] = p, p += v;
  s->weighted = p, p += v;
  s->step.error = p, p += v;
  s->progress.start = p, p += v;
  s->scratch = p, p += 2 * v;
  s->apart = p, p += 2 * v;
  s->scale = p, p += nq;
  s->drifted = p, p += nq;
  cdni_singular_divide(s, p), p += poses;
  s->q_weight = p, p += nq;
  s->unresolved.start = p, p += nq;
  s->unresolved.moved = p, p += nq;
  s->unresolved.apart = p, p += nq;
  s->unresolved.driven = p, p += nq;
  double *q_weights = p, *u_weights = p + nu, *z_weights = p + 2 * nu;
  bool *z_absolute = (bool *)(z_weights + nz);
  s->prescribed = (bool *)(z_weights + 2 * nz);
  s->vector = (int *)(void *)(z_weights + 2 * nz + flags);
  s->quaternion = s->vector + s->nq + s->nu;
  s->memory = z_weights + 2 * nz + flags + vectors;
  s->shown = s->memory + method;

  const double *scale = cdni_system_z_scale(s->system);
  if (def->q_weights && s->nu) memcpy(q_weights, def->q_weights, sizeof(double) * (size_t)s->nu);
  if (def->u_weights && s->nu) memcpy(u_weights, def->u_weights, sizeof(double) * (size_t)s->nu);
  if (def->z_weights && s->nz) memcpy(z_weights, def->z_weights, sizeof(double) * (size_t)s->nz);
  s->def.q_weights = def->q_weights ? q_weights : NULL;
  s->def.u_weights = def->u_weights ? u_weights : NULL;
  for (int i = 0; !def->z_weights && scale && i < s->nz; i++) z_weights[i] = 1 / scale[i];
  s->def.z_weights = def->z_weights || scale ? z_weights : NULL;
  for (int i = 0; i < s->nz; i++) z_absolute[i] = def->z_absolute || (def->z_absolute_each && def->z_absolute_each[i]);
  s->def.z_absolute_each = z_absolute;
  s->weights = q_weights;
  cdni_find_vectors(s);
  return CDN_OK;
}

/* Everything that may fail; the caller destroys a stepper that is half made. */
static cdn_status set_up(cdn_stepper *s, const cdn_stepper_def *def) {
  s->nq = cdn_system_nq(s->system);
  s->nu = cdn_system_nu(s->system);
  s->nz = cdn_system_nz(s->system);
  s->ny = s->nq + s->nu + s->nz;
  s->stride = cdni_stride(s->ny);
  s->has_bodies = cdn_system_body_count(s->system) > 1;
  s->method = cdni_choose_method(def, s->system);
  s->def = *def;
  if (s->def.constraint_tolerance == 0) s->def.constraint_tolerance = fmax(s->def.accuracy / 10, 1e-13);
  CDNI_TRY(allocate(s, def));
  CDNI_TRY(cdn_state_create(s->system, &s->work));
  CDNI_TRY(cdn_state_create(s->system, &s->report));
  s->noted = cdni_calloc(&s->allocator, sizeof *s->noted * cdni_system_serial_count(s->system));
  if (!s->noted) return CDN_ERR_NOMEM;
  if (s->method->create) CDNI_TRY(s->method->create(s));
  return cdni_events_create(s);
}

cdn_status cdni_start(cdn_stepper *s, const cdn_state *initial) {
  CDNI_TRY(cdn_state_copy(s->work, initial));
  CDNI_TRY(cdni_begin(s));
  CDNI_TRY(cdni_certificate_begin(s));
  cdni_bursts_begin(s);
  cdni_unresolved_begin(s);
  s->reported = s->t;
  /* evaluated once on its own, so that its workspace has its size before the first report */
  CDNI_TRY(cdn_state_copy(s->report, initial));
  CDNI_TRY(cdn_state_set_ty(s->report, s->t, s->y[s->at]));
  CDNI_TRY(cdn_realize(s->report, CDN_STAGE_ACCELERATION));
  CDNI_TRY(cdni_events_reset(s));
  cdni_note_shown(s);
  return cdni_first_step(s);
}

/* The end of a stepper that could not be made: the message goes to the State that the caller has. */
static cdn_status give_up(cdn_stepper *s, cdn_state *state, const char *function, cdn_status status) {
  cdn_error error = { .code = CDN_OK };
  if (s->work) cdn_state_last_error(s->work, &error);
  if (error.code == status) {
    cdni_state_set_error(state, &error);
  } else {
    cdni_state_fail(state, status, false, function, NULL, "a stepper could not be made: %s", cdn_status_text(status));
  }
  cdn_stepper_destroy(s);
  return status;
}

cdn_status cdni_stepper_make(cdn_state *state, const cdn_stepper_def *def, bool muted, const char *function,
                             cdn_stepper **out) {
  CDNI_TRY(check_def(state, def, function));
  const cdn_system *system = cdn_state_system(state);
  cdn_stepper *s = cdni_calloc(cdni_system_allocator(system), sizeof *s);
  if (!s) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "no memory for a stepper");
  cdn_system_retain(system);
  s->system = system;
  s->allocator = *cdni_system_allocator(system);
  s->muted = muted;
  s->interrupt = &s->interrupted, s->hurry = &s->hurried;
  cdn_status status = set_up(s, def);
  if (status != CDN_OK) return give_up(s, state, function, status);
  *out = s;
  return CDN_OK;
}

cdn_status cdn_stepper_create(cdn_state *initial, const cdn_stepper_def *def, cdn_stepper **out) {
  if (out) *out = NULL;
  if (!initial || !out) return cdni_refuse(CDN_ERR_ARG, __func__, "the State, or where the stepper shall go, is NULL");
  cdn_stepper_def known;
  const char *unreadable = cdni_stepper_def_read(&known, def);
  cdn_stepper *s;
  if (unreadable) return cdni_state_fail(initial, CDN_ERR_VERSION, false, __func__, NULL, "%s", unreadable);
  if (known.final_time < cdn_state_time(initial)) {
    return cdni_state_fail(initial, CDN_ERR_ARG, false, __func__, NULL, "final_time is before the State's time");
  }
  CDNI_TRY(cdni_stepper_make(initial, &known, false, __func__, &s));
  cdn_status status = cdn_realize(initial, CDN_STAGE_ACCELERATION);
  if (status != CDN_OK) {
    cdn_stepper_destroy(s);
    return status;
  }
  status = cdni_start(s, initial);
  if (status != CDN_OK) return give_up(s, initial, __func__, status);
  status = cdni_companion_create(s, initial);
  if (status != CDN_OK) {
    cdn_stepper_destroy(s);
    return status;
  }
  *out = s;
  return CDN_OK;
}

void cdn_stepper_destroy(cdn_stepper *s) {
  if (!s) return;
  if (s->busy) {
    s->destroyed = true;
    return;
  }
  const cdn_system *system = s->system;
  cdn_allocator allocator = s->allocator;
  cdni_companion_destroy(s);
  cdni_events_destroy(s);
  if (s->solver) cdni_singular_own_method(s)->destroy(s);
  cdn_state_destroy(s->work);
  cdn_state_destroy(s->report);
  cdni_projector_destroy(s->projector);
  if (s->noted) cdni_free(&allocator, s->noted, sizeof *s->noted * cdni_system_serial_count(system));
  cdni_free(&allocator, s->block, s->block_size);
  cdni_free(&allocator, s, sizeof *s);
  cdn_system_release(system);
}

/* ---- advancing ------------------------------------------------------------------------------ */

/* The report State at the last accepted step; also after a failure, to show where it happened. */
cdn_status cdni_report_step(cdn_stepper *s) {
  s->reported = s->t;
  return cdni_show(s);
}

cdn_status cdni_show(cdn_stepper *s) {
  CDNI_TRY(cdn_state_copy(s->report, s->work));
  cdni_soft_hide_step(s->report);
  return CDN_OK;
}

/* The report State within the last step. */
cdn_status cdni_report_within(cdn_stepper *s, double t, bool *again) {
  double work, *y = s->scratch + s->stride;
  CDNI_TRY(cdni_look(s, t, y, &work));
  CDNI_TRY(cdni_project(s, s->report, t, y, CDNI_WHERE_OFF));
  CDNI_TRY(cdni_look_twice(s, t, y, again));
  if (*again) return cdni_go_back(s, t);
  s->reported = t;
  return CDN_OK;
}

/* The failure has its report; that the State shows where it happened, and how far off it may be there, is an extra. */
static cdn_status fail(cdn_stepper *s, cdn_status status) {
  (void)!cdni_report_step(s);
  if (status != CDN_ERR_LIMIT) {
    s->failed = (int)status;
    while (cdni_companion_follow(s) == CDN_ERR_LIMIT && !cdni_is_interrupted(s)) {}
  }
  cdni_note_shown(s);
  return status;
}

/* Takes steps until one reaches t, or something comes before it. */
static cdn_status come_to(cdn_stepper *s, double t, double end, cdn_return_reason *reason) {
  for (;;) {
    CDNI_TRY(cdni_events_serve(s, t, false, reason));
    if (*reason != CDN_REACHED_TIME || s->t >= t) return CDN_OK;
    CDNI_TRY(cdni_take_step(s, cdni_events_end(s, end), t));
  }
}

/* Up to time t, or to what comes before it. */
static cdn_status run_to(cdn_stepper *s, double t, cdn_return_reason *reason) {
  double now = s->reported, end = s->tethered ? t : s->def.final_time;
  s->until = s->muted ? -INFINITY : t;
  cdn_status status = CDN_OK;
  for (bool again = true; again && status == CDN_OK;) {
    CDNI_TRY(come_to(s, t, end, reason));
    if (*reason != CDN_REACHED_TIME) return CDN_OK;
    again = false;
    /* where a handler moved time beyond t there is nothing before that to show */
    if (t >= s->t || !s->dense) status = s->t != now || s->events ? cdni_report_step(s) : CDN_OK;
    else if (t != now) status = cdni_report_within(s, t, &again);
  }
  return status == CDN_OK ? CDN_OK : cdni_fail_evaluation(s, "cdn_stepper_advance", status);
}

/* Before anything new: what the companion owes from a call that ended with CDN_ERR_LIMIT. *reason: advance returns for
 * this reason; CDN_REACHED_TIME: the call may go on. */
static cdn_status pay_debts(cdn_stepper *s, cdn_return_reason *reason) {
  cdn_return_reason owed;
  *reason = CDN_REACHED_TIME;
  /* inputs reach the companion at the run's time; nothing else needs it there, and pauses must leave no trace in it */
  if (!cdni_companion_owes(s, &owed)) return cdni_has_inputs(s) ? cdni_companion_catch_up(s) : CDN_OK;
  CDNI_TRY(cdni_companion_show(s, owed));
  *reason = owed;
  return CDN_OK;
}

static cdn_status take_inputs(cdn_stepper *s) {
  cdn_status status = cdni_take_inputs(s);
  s->failed = (int)status;
  return status;
}

static cdn_status advance(cdn_stepper *s, double t, cdn_return_reason *reason) {
  s->attempts = 0;
  CDNI_TRY(pay_debts(s, reason));
  if (*reason != CDN_REACHED_TIME) return CDN_OK;
  CDNI_TRY(take_inputs(s));
  cdn_status status = run_to(s, t, reason);
  if (status != CDN_OK) return fail(s, status);
  cdni_note_shown(s);
  return cdni_companion_show(s, *reason);
}

static cdn_status check_and_advance(cdn_stepper *s, const char *function, double t, cdn_return_reason *reason) {
  double now = s->reported, final = s->def.final_time;
  if (!isfinite(t)) return cdni_fail_argument(s, function, CDN_ERR_NONFINITE, "the time to advance to is %g", t);
  if (t < now) {
    return cdni_fail_argument(s, function, CDN_ERR_ARG,
                              "the State is at t = %.17g already; going back to %.17g needs "
                              "cdn_stepper_restart from a State of that time",
                              now, t);
  }
  /* sums of report intervals may miss the end by a few roundings */
  if (t > final && t - final <= 16 * DBL_EPSILON * fabs(t)) t = final;
  if (t > final) {
    return cdni_fail_argument(s, function, CDN_ERR_ARG, "t = %.17g is beyond the def's final_time %.17g", t, final);
  }
  cdn_return_reason returned;
  CDNI_TRY(advance(s, t, &returned));
  if (reason) *reason = returned;
  return CDN_OK;
}

cdn_status cdn_stepper_advance(cdn_stepper *s, double t, cdn_return_reason *reason) {
  if (!s) return cdni_refuse(CDN_ERR_ARG, __func__, "the stepper is NULL");
  CDNI_TRY(cdni_enter(s, __func__));
  return cdni_leave(s, __func__, check_and_advance(s, __func__, t, reason));
}

/* To the end of the last step, if the State stands within it; else one step on. */
static cdn_status step(cdn_stepper *s, double end) {
  cdn_return_reason reason;
  double start = s->t;
  s->until = end;
  if (s->reported < s->t) return run_to(s, fmin(s->t, end), &reason);
  CDNI_TRY(cdni_events_serve(s, s->t, true, &reason));
  if (reason != CDN_STOPPED && s->t == start) {
    CDNI_TRY(cdni_take_step(s, cdni_events_end(s, end), INFINITY));
    CDNI_TRY(cdni_events_serve(s, s->t, true, &reason));
  }
  return cdni_report_step(s);
}

static cdn_status check_and_step(cdn_stepper *s, const char *function, double t_max) {
  if (isnan(t_max)) return cdni_fail_argument(s, function, CDN_ERR_NONFINITE, "t_max is not a number");
  double now = s->reported, end = fmin(t_max, s->def.final_time);
  if (!(now < end)) {
    return cdni_fail_argument(s, function, CDN_ERR_ARG, "the State is at t = %.17g, not before the end at %.17g", now,
                              end);
  }
  if (cdn_stepper_is_stopped(s)) {
    return cdni_fail_argument(s, function, CDN_ERR_ARG, "a handler has stopped the run at t = %.17g", now);
  }
  s->attempts = 0;
  cdn_return_reason reason;
  bool owed = cdni_companion_owes(s, &reason);
  CDNI_TRY(pay_debts(s, &reason));
  if (owed) return CDN_OK;
  CDNI_TRY(take_inputs(s));
  cdn_status status = step(s, end);
  if (status != CDN_OK) return fail(s, status);
  cdni_note_shown(s);
  return cdni_companion_show(s, CDN_REACHED_TIME);
}

cdn_status cdn_stepper_step(cdn_stepper *s, double t_max) {
  if (!s) return cdni_refuse(CDN_ERR_ARG, __func__, "the stepper is NULL");
  CDNI_TRY(cdni_enter(s, __func__));
  return cdni_leave(s, __func__, check_and_step(s, __func__, t_max));
}

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a signal handler may set the flag");
void cdn_stepper_interrupt(cdn_stepper *s) {
  if (s) atomic_store(&s->interrupted, true);
}

void cdni_stepper_listen(cdn_stepper *s, atomic_bool *flag) { s->interrupt = flag; }

void cdn_stepper_break_off(cdn_stepper *s) {
  if (s) atomic_store(&s->interrupted, true), atomic_store(&s->hurried, true);
}

cdn_state *cdn_stepper_state(cdn_stepper *s) { return s ? s->report : NULL; }

double cdn_stepper_last_step(const cdn_stepper *s) { return s ? s->taken : 0; }

void cdn_stepper_get_def_sized(const cdn_stepper *s, cdn_stepper_def *out, size_t size) {
  const uint32_t struct_size = (uint32_t)size;
  cdni_sized_write(out, size, s ? &s->def : &stepper_def_defaults, sizeof *out);
  if (out && size >= sizeof struct_size) memcpy(out, &struct_size, sizeof struct_size);
}

double cdn_stepper_next_step(const cdn_stepper *s) { return s ? s->control.next : 0; }

cdn_status cdni_restart(cdn_stepper *s, cdn_state *state, bool jumps, const char *function) {
  double energy;
  /* a State that cannot be started from leaves the stepper as it was */
  cdn_status status = cdni_realize_start(s, state);
  if (status != CDN_OK) {
    memset(&s->failure, 0, sizeof s->failure);
    s->failure.time = cdn_state_time(state);
    cdn_state_last_error(state, &s->failure.error);
    return status;
  }
  s->failed = CDN_OK;
  status = cdni_certificate_rewind(s, cdn_state_time(state), &energy);
  if (status == CDN_OK) status = cdn_state_copy(s->work, state);
  cdni_soft_hide_step(state);
  if (status == CDN_OK) status = cdni_begin(s);
  if (status == CDN_OK) status = cdni_certificate_restart(s, energy);
  if (status == CDN_OK) status = cdni_events_reset(s);
  if (status == CDN_OK) status = cdni_report_step(s);
  cdni_note_shown(s);
  if (status == CDN_OK && (jumps || s->method->begin)) status = cdni_first_step(s);
  return status == CDN_OK ? CDN_OK : cdni_fail_evaluation(s, function, status);
}

static cdn_status check_and_restart(cdn_stepper *s, const char *function, cdn_state *state) {
  if (cdn_state_system(state) != s->system) {
    return cdni_fail_argument(s, function, CDN_ERR_ARG, "the State is of another System");
  }
  if (cdn_state_time(state) > s->def.final_time) {
    return cdni_fail_argument(s, function, CDN_ERR_ARG, "the State's time %.17g is beyond final_time %.17g",
                              cdn_state_time(state), s->def.final_time);
  }
  /* a companion that is behind and cannot catch up in this call begins anew, too */
  const bool elsewhere = cdn_state_time(state) != s->reported || cdni_companion_catch_up(s) != CDN_OK;
  if (!elsewhere) cdni_companion_pass_on(s, state);
  cdni_companion_note_before(s);
  CDNI_TRY(cdni_restart(s, state, true, function));
  if (elsewhere) cdni_companion_begin_elsewhere(s);
  else cdni_companion_jump(s);
  return CDN_OK;
}

cdn_status cdn_stepper_restart(cdn_stepper *s, cdn_state *state) {
  if (!s || !state) return cdni_refuse(CDN_ERR_ARG, __func__, "the stepper or the State is NULL");
  CDNI_TRY(cdni_enter(s, __func__));
  return cdni_leave(s, __func__, check_and_restart(s, __func__, state));
}

/* A failure begins with an error, which grows by itself: the two are written one behind the other. */
void cdn_stepper_failure_sized(const cdn_stepper *s, cdn_failure *out, size_t size, size_t error_size) {
  static const cdn_failure none;
  const cdn_failure *failure = s ? &s->failure : &none;
  const size_t head = sizeof failure->error;
  if (!out || error_size > size) return;
  cdni_sized_write(out, error_size, failure, head);
  cdni_sized_write((char *)out + error_size, size - error_size, (const char *)failure + head, sizeof *failure - head);
}
_Static_assert(offsetof(cdn_failure, time) == sizeof(cdn_error), "one behind the other");
