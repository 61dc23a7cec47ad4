/* Saving a stepper and loading it: all that the rest of the run depends on, so that it goes on with the same bits. */
#include <math.h>

#include <cardan/stream.h>

#include "core/archive.h"
#include "integrators/chatter.h"
#include "integrators/companion.h"
#include "integrators/doubt.h"
#include "integrators/events.h"
#include "integrators/events_run.h"
#include "integrators/failure.h"
#include "integrators/unresolved.h"
#include "integrators/norm.h"
#include "integrators/singular.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "math/kernel_sets.h"
#include "system/system.h"

/* ---- how the run was asked for ---- */

static void archive_def(cdn_stepper_def *def, cdni_archive *a) {
  double *const numbers[] = {
    &def->accuracy, &def->constraint_tolerance, &def->fixed_step, &def->initial_step,  &def->min_step,
    &def->max_step, &def->final_time,           &def->time_scale, &def->asked_accuracy
  };
  int method = (int)def->method, norm = (int)def->norm;
  cdni_archive_mark(a, "RUN ");
  cdni_archive_int(a, &method, 0, INT32_MAX);
  cdni_archive_int(a, &norm, 0, INT32_MAX);
  cdni_archive_int(a, &def->max_order, 0, INT32_MAX);
  for (int i = 0; i < CDNI_COUNT(numbers); i++) cdni_archive_double(a, numbers[i]);
  cdni_archive_bool(a, &def->z_absolute);
  cdni_archive_int64(a, &def->max_steps, 0, INT64_MAX);
  cdni_archive_bool(a, &def->return_on_events);
  cdni_archive_bool(a, &def->companion);
  def->method = (cdn_method)method;
  def->norm = (cdn_error_norm)norm;
}

/* Which method it has come to: the default may be another in another version. */
static void archive_method_name(const cdn_stepper *s, cdni_archive *a) {
  char expected[32] = "", name[32];
  strncpy(expected, cdni_singular_own_method(s)->name, sizeof expected - 1);
  memcpy(name, expected, sizeof name);
  cdni_archive_bytes(a, name, sizeof name);
  if (memcmp(name, expected, sizeof name) != 0) cdni_archive_fail(a, CDN_ERR_PARSE, "it is of another method");
}

/* Weights are in the stepper's own block. */
static void archive_weights(cdn_stepper *s, cdni_archive *a) {
  double *q = s->weights, *u = q + cdni_stride(s->nu), *z = u + cdni_stride(s->nu);
  bool has_q = s->def.q_weights, has_u = s->def.u_weights, has_z = s->def.z_weights;
  bool *z_absolute = (bool *)s->def.z_absolute_each;
  cdni_archive_bool(a, &has_q);
  cdni_archive_bool(a, &has_u);
  cdni_archive_bool(a, &has_z);
  if (has_q) cdni_archive_doubles(a, q, (size_t)s->nu);
  if (has_u) cdni_archive_doubles(a, u, (size_t)s->nu);
  if (has_z) cdni_archive_doubles(a, z, (size_t)s->nz);
  for (int i = 0; i < s->nz; i++) cdni_archive_bool(a, &z_absolute[i]);
  s->def.q_weights = has_q ? q : NULL;
  s->def.u_weights = has_u ? u : NULL;
  s->def.z_weights = has_z ? z : NULL;
  if (a->loading) cdni_find_vectors(s);
}

/* ---- how far it has come ---- */

/* The last step, which dense output may still be asked of. */
static void archive_step(cdn_stepper *s, cdni_archive *a) {
  cdni_step *step = &s->step;
  double *const numbers[] = { &s->t,         &s->taken,     &s->covered, &s->spent,   &s->allowed,
                              &s->power,     &s->reported,  &step->t0,   &step->t1,   &step->h,
                              &step->power0, &step->power1, &step->work, &step->norm, &step->stiffness };
  size_t ny = (size_t)s->ny;
  cdni_archive_mark(a, "STEP");
  for (int i = 0; i < CDNI_COUNT(numbers); i++) cdni_archive_double(a, numbers[i]);
  cdni_archive_bool(a, &s->dense);
  cdni_archive_bool(a, &s->extended);
  cdni_archive_bool(a, &s->weighted_valid);
  cdni_archive_doubles(a, s->y[s->at], ny);
  cdni_archive_doubles(a, s->f[s->at], ny);
  cdni_archive_doubles(a, s->y[!s->at], ny);
  cdni_archive_doubles(a, s->f[!s->at], ny);
  cdni_archive_doubles(a, s->weighted, ny);
  /* where an event has cut it short, the method's step ends elsewhere */
  bool beyond = !a->loading && s->dense && step->y1 != s->y[s->at];
  cdni_archive_bool(a, &beyond);
  if (beyond && !s->events) cdni_archive_fail(a, CDN_ERR_PARSE, "its last step is not possible");
  if (beyond && s->events) {
    cdni_archive_doubles(a, s->events->y, ny);
    cdni_archive_doubles(a, s->events->f, ny);
  }
  if (!a->loading || a->status != CDN_OK) return;
  step->y0 = s->y[!s->at];
  step->f0 = s->f[!s->at];
  step->y1 = beyond ? s->events->y : s->y[s->at];
  step->f1 = beyond ? s->events->f : s->f[s->at];
}

static void archive_control(cdn_stepper *s, cdni_archive *a) {
  cdni_attempts *last = &s->last;
  cdni_archive_mark(a, "CTRL");
  cdni_archive_double(a, &s->control.next);
  cdni_archive_double(a, &s->control.last_error);
  cdni_archive_double(a, &s->control.shown);
  cdni_archive_bool(a, &s->control.cut);
  cdni_archive_bool(a, &s->control.rejected);
  cdni_archive_doubles(a, s->looks.usual, 2);
  cdni_archive_double(a, &s->looks.from);
  cdni_archive_double(a, &s->looks.until);
  cdni_archive_int(a, &s->progress.steps, 0, INT32_MAX);
  cdni_archive_int(a, &s->progress.length, 1, INT32_MAX);
  cdni_archive_int(a, &s->progress.windows, 0, INT32_MAX);
  cdni_archive_int(a, &s->progress.turns, 0, INT32_MAX);
  cdni_archive_double(a, &s->progress.since);
  cdni_archive_double(a, &s->progress.mean);
  cdni_archive_double(a, &s->progress.change);
  cdni_archive_double(a, &s->progress.moved);
  cdni_archive_double(a, &s->progress.path);
  cdni_archive_doubles(a, s->progress.start, (size_t)s->ny);
  cdni_chatter_archive(&s->progress.chatter, a);
  cdni_archive_doubles(a, s->bursts.largest, CDNI_COUNT(s->bursts.largest));
  cdni_archive_doubles(a, s->bursts.sum, CDNI_COUNT(s->bursts.sum));
  cdni_archive_double(a, &s->bursts.foreseen);
  cdni_archive_int(a, &s->stiff, 0, INT32_MAX);
  cdni_archive_int(a, &s->not_stiff, 0, INT32_MAX);
  cdni_archive_double(a, &s->fixed_start);
  cdni_archive_int64(a, &s->fixed_count, 0, INT64_MAX);
  cdni_archive_int(a, &last->count, 0, CDN_FAILURE_STEPS);
  cdni_archive_int(a, &last->next, 0, CDN_FAILURE_STEPS - 1);
  cdni_archive_doubles(a, last->t, CDN_FAILURE_STEPS);
  cdni_archive_doubles(a, last->h, CDN_FAILURE_STEPS);
  cdni_archive_doubles(a, last->error, CDN_FAILURE_STEPS);
  cdni_archive_double(a, &last->judged);
  cdni_archive_int(a, &s->failed, CDN_OK, INT32_MAX);
}

static void archive_certificate(cdn_stepper *s, cdni_archive *a) {
  cdn_certificate *c = &s->certificate;
  int64_t *const counts[] = { &c->steps,       &c->rejected,       &c->evaluations,     &c->report_evaluations,
                              &c->stiff_steps, &c->rounding_steps, &c->jacobians,       &c->events,
                              &c->near_misses, &c->kernel_changes, &c->soft_iterations, &c->unconverged_stages };
  double *const numbers[] = { &c->time_initial,
                              &c->smallest_step,
                              &c->largest_step,
                              &c->energy_initial,
                              &c->work,
                              &c->energy_jumps,
                              &s->kinetic,
                              &s->largest_kinetic,
                              &s->absolute_work,
                              &s->uncertain_work,
                              &c->max_constraint_error,
                              &c->max_position_error,
                              &c->max_velocity_error,
                              &s->local_errors,
                              &s->singular.rounding,
                              &c->max_soft_residual,
                              &s->floor };
  cdni_archive_mark(a, "CERT");
  for (int i = 0; i < CDNI_COUNT(counts); i++) cdni_archive_int64(a, counts[i], 0, INT64_MAX);
  for (int i = 0; i < CDNI_COUNT(numbers); i++) cdni_archive_double(a, numbers[i]);
  cdni_archive_double(a, &c->passed_time);
  cdni_archive_bytes(a, c->passed, sizeof c->passed);
  c->passed[sizeof c->passed - 1] = 0;
}

/* Kernels with and without fused operations round differently: the certificate counts where a run went from one to the
 * other. */
static void archive_kernels(cdn_stepper *s, cdni_archive *a) {
  const bool here = cdni_kernels_fused();
  bool fused = here;
  cdni_archive_mark(a, "KERN");
  cdni_archive_bool(a, &fused);
  if (fused != here) s->certificate.kernel_changes++;
}

void cdni_archive_run(cdn_stepper *s, cdni_archive *a) {
  archive_method_name(s, a);
  archive_weights(s, a);
  cdni_state_archive(s->work, a);
  cdni_state_archive(s->report, a);
  if (a->loading) cdni_note_prescribed(s);
  archive_step(s, a);
  archive_control(s, a);
  archive_certificate(s, a);
  archive_kernels(s, a);
  cdni_archive_mark(a, "METH");
  if (a->loading && s->method->begin) s->method->begin(s);
  cdni_singular_archive(s, a);
  if (s->method->archive) s->method->archive(s, a);
  cdni_unresolved_archive(s, a);
  cdni_doubt_archive(s, a);
  cdni_events_archive(s, a);
  /* what the caller has written, and the run has not taken yet */
  cdni_archive_doubles(a, s->shown, (size_t)s->ny);
  cdni_state_archive_noted(s->report, s->noted, a);
}

/* ---- the public face ---- */

static cdn_status save(cdn_stepper *s, const char *function, cdn_write_fn *write, void *context) {
  if (!write) return cdni_fail_argument(s, function, CDN_ERR_ARG, "no function for the bytes");
  cdni_archive a = cdni_archive_begin(&s->allocator, false);
  cdni_system_archive(s->system, &a, s->work, function);
  archive_def(&s->def, &a);
  cdni_archive_run(s, &a);
  cdni_companion_archive(s, s->work, &a);
  cdni_archive_send(&a, CDNI_ARCHIVE_STEPPER, write, context);
  cdn_status status = cdni_archive_finish(&a, s->work, function);
  if (status == CDN_OK) return CDN_OK;
  memset(&s->failure, 0, sizeof s->failure);
  s->failure.time = s->t;
  cdn_state_last_error(s->work, &s->failure.error);
  return status;
}

cdn_status cdn_stepper_save(cdn_stepper *s, cdn_write_fn *write, void *context) {
  if (!s) return cdni_refuse(CDN_ERR_ARG, __func__, "the stepper is NULL");
  CDNI_TRY(cdni_enter(s, __func__));
  return cdni_leave(s, __func__, save(s, __func__, write, context));
}

cdn_status cdn_stepper_load(cdn_state *state, void *user, void *companion_user, cdn_read_fn *read, void *context,
                            cdn_stepper **out) {
  if (out) *out = NULL;
  if (!state || !out) return cdni_refuse(CDN_ERR_ARG, __func__, "the State, or where the stepper shall go, is NULL");
  if (!read) return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL, "no function for the bytes");
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *s = NULL;
  cdni_archive a = cdni_archive_begin(cdni_system_allocator(cdn_state_system(state)), true);
  cdni_archive_receive(&a, CDNI_ARCHIVE_STEPPER, read, context);
  cdni_system_archive(cdn_state_system(state), &a, state, __func__);
  archive_def(&def, &a);
  def.user = user;
  def.companion_user = companion_user;
  if (a.status == CDN_OK) {
    cdn_status status = cdni_stepper_make(state, &def, false, __func__, &s);
    if (status != CDN_OK) cdni_archive_fail(&a, status, NULL);
  }
  if (a.status == CDN_OK) cdni_archive_run(s, &a);
  if (a.status == CDN_OK) cdni_companion_archive(s, state, &a);
  if (a.at != a.bytes.count) cdni_archive_fail(&a, CDN_ERR_PARSE, "there is more in it than a stepper");
  cdn_status status = cdni_archive_finish(&a, state, __func__);
  if (status == CDN_OK) *out = s;
  else cdn_stepper_destroy(s);
  return status;
}
