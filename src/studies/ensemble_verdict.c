/* Verdicts of States: each State has a companion, whose steps are about two thirds as long. The companions are an
 * ensemble of their own. So what becomes of them, and of their lanes, does not touch the States.
 *
 * An error of order p shrinks to r^-p in the companion, with r = 1.4 to 1.5, so the distance of the two is 1 - r^-p of
 * the State's error. Where the order is 1, at kinks and jumps of forces, the estimate is still about a third of the
 * error. */
#include <math.h>

#include "studies/ensemble.h"

/* ---- companions ---- */

cdn_ensemble_def cdni_ensemble_companion_def(const cdn_ensemble *e, const cdn_ensemble_def *def) {
  cdn_ensemble_def out = *def;
  out.companion = false;
  out.accuracy = fmax(1e-15, def->accuracy * pow(CDNI_COMPANION_RATIO, -e->how->error_order));
  return out;
}

/* The power of the step with which the error of a run goes, at least. Equal steps do not know where kinks are: there no
 * more than order 2 counts. */
static int order_of(const cdn_ensemble *e, bool equal_steps) {
  if (!e->rk) return e->method == CDN_METHOD_MUJOCO_RK4 ? 2 : 1;
  const int order = e->how->order;
  return equal_steps && order > 2 ? 2 : order;
}

/* Somewhat less than 1.5 n, so that comparing costs no more than what is left of 2.5. */
int64_t cdni_ensemble_companion_steps(int64_t n) { return n + (n > 3 ? n / 20 * 9 + n % 20 * 9 / 20 : 1); }

/* The error over the distance. */
static double scale_of(const cdni_stretch *x) {
  const double ratio = x->h > 0 ? (double)cdni_ensemble_companion_steps(x->n) / (double)x->n : CDNI_COMPANION_RATIO;
  return 1 / (1 - pow(ratio, -order_of(x->e, x->h > 0)));
}

/* ---- distances ---- */

void cdni_ensemble_mark(worker *w, int batch, int lane) {
  const cdn_ensemble *e = w->e;
  const size_t width = (size_t)e->lanes;
  const int m = w->n_marks[lane]++;
  double *mark = w->mark_y + (size_t)m * ensemble_width(e);
  const double *y = ensemble_y(e, batch);
  for (size_t i = 0; i < (size_t)e->ny; i++) mark[i * width + (size_t)lane] = y[i * width + (size_t)lane];
  w->mark_t[m][lane] = ensemble_t(e, batch)[lane];
}

static void note_distance(course *c, double t, const double of[3], double scale, double most, cdn_pool pool, int slot) {
  double largest = 0;
  for (int p = 0; p < 3; p++) {
    c->of[p] = fmax(c->of[p], scale * of[p]);
    largest = fmax(largest, scale * of[p]);
  }
  if (c->largest <= most && largest <= most) c->until = t;
  if (!(largest > c->largest)) return;
  c->largest = largest;
  c->time = t;
  c->pool = pool, c->slot = slot;
}

void cdni_ensemble_compare(const cdni_stretch *x, int thread, int batch, int lane, int m) {
  cdn_ensemble *e = x->leader, *other = x->e;
  worker *w = &e->workers[thread];
  view *v = &w->views[0];
  const int k = ensemble_live(e, batch, lane);
  if (k < 0 || other->status[k] != CDN_OK) return;
  const bool marked = m < w->n_marks[lane];
  double of[3];
  cdn_pool pool;
  int slot;
  v->lane = -1;
  lane_get(marked ? w->mark_y + (size_t)m * ensemble_width(e) : ensemble_y(e, batch), e->lanes, lane, w->other,
           (size_t)e->ny);
  cdn_status status = cdni_ensemble_load(w, v, k, lane, ensemble_t(other, batch), ensemble_y(other, batch));
  if (status == CDN_OK)
    status = cdni_gauge_distance(w->gauge, v->state, w->other, cdni_state_y(v->state), of, &pool, &slot);
  const double t = marked ? w->mark_t[m][lane] : e->t[k];
  if (status == CDN_OK) note_distance(&e->courses[k], t, of, x->scale, CDNI_DELIVERED * e->accuracy, pool, slot);
  else other->status[k] = status;
}

/* ---- States and companions, batch by batch ---- */

typedef struct pair {
  cdni_stretch *first, *second; /* of the companions, or NULL */
  void (*job)(void *stretch, int thread, int batch);
} pair;

/* Companions of a batch in which the call was interrupted do not follow their States. */
static void leave_behind(cdn_ensemble *other, int batch) {
  for (int k = batch * other->lanes; k < other->count && k < (batch + 1) * other->lanes; k++) {
    if (other->status[k] != CDN_OK) continue;
    other->status[k] = CDN_ERR_LIMIT;
    cdni_error_set(&other->errors[k], CDN_ERR_LIMIT, "cdn_ensemble_interrupt", NULL,
                   "the call was interrupted: set the State's values anew for a verdict");
  }
}

static void advance_pair(void *context, int thread, int batch) {
  const pair *p = context;
  cdn_ensemble *e = p->first->e, *other = p->second ? p->second->e : NULL;
  if (atomic_load(e->interrupt)) return; /* this batch stays where it is */
  for (int l = 0; l < e->lanes; l++) e->workers[thread].n_marks[l] = 0;
  p->job(p->first, thread, batch);
  if (!other) return;
  for (int l = 0; l < e->lanes; l++) { /* a companion ends with its State */
    const int k = batch * e->lanes + l;
    if (k >= e->count) break;
    e->courses[k].advanced = true;
    if (e->status[k] == CDN_OK || other->status[k] != CDN_OK) continue;
    other->status[k] = e->status[k];
    other->errors[k] = e->errors[k];
  }
  if (!atomic_load(e->interrupt)) p->job(p->second, thread, batch);
  if (atomic_load(e->interrupt)) {
    leave_behind(other, batch);
    return;
  }
  for (int l = 0; l < e->lanes; l++) cdni_ensemble_compare(p->second, thread, batch, l, CDNI_MARKS);
}

cdn_status cdni_ensemble_advance(cdni_stretch *x, const char *function,
                                 void (*job)(void *stretch, int thread, int batch)) {
  cdn_ensemble *e = x->e, *other = x->h > 0 && x->n == 0 ? NULL : e->companion;
  const bool apart = job == cdni_ensemble_go_apart;
  cdni_stretch second = { .e = other, .n = x->n, .ends = e->t, .leader = e };
  if (other) second.scale = scale_of(x);
  if (other && x->h > 0) second.h = x->h * (double)x->n / (double)cdni_ensemble_companion_steps(x->n);
  if (apart && (cdni_ensemble_make_steppers(x) != CDN_OK || (other && cdni_ensemble_make_steppers(&second) != CDN_OK)))
    return cdni_ensemble_fail(e, CDN_ERR_NOMEM, function, -1, "out of memory");
  pair p = { x, other ? &second : NULL, job };
  cdni_threads_run(e->threads, advance_pair, &p, e->n_batches);
  if (apart) cdni_ensemble_forget_views(e);
  if (apart && other) cdni_ensemble_forget_views(other);
  if (!atomic_exchange(e->interrupt, false)) return cdni_ensemble_first_failure(e, function);
  return cdni_ensemble_fail(e, CDN_ERR_LIMIT, "cdn_ensemble_interrupt", -1,
                            "the call was interrupted: the States are at different times, from which "
                            "cdn_ensemble_advance_to brings them on");
}

_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a signal handler may set the flag");
void cdn_ensemble_interrupt(cdn_ensemble *e) {
  if (e) atomic_store(&e->interrupted, true);
}

/* ---- what is told ---- */

static bool exists(const cdn_ensemble *e, int k) { return e && k >= 0 && k < e->count; }

/* That of a State, or of its companion; its names are "" if there is none. */
static const cdni_gone_through *passage_of(const cdn_ensemble *e, int k) {
  const cdni_gone_through *own = &e->courses[k].passage;
  return own->names[0] || !e->companion ? own : &e->companion->courses[k].passage;
}

cdn_verdict cdn_ensemble_verdict(const cdn_ensemble *e, int k) {
  if (!exists(e, k) || !e->courses[k].advanced) return CDN_VERDICT_UNKNOWN;
  if (e->courses[k].largest > CDNI_DELIVERED * e->accuracy) return CDN_VERDICT_NOT_DELIVERED;
  const bool both = e->status[k] == CDN_OK && e->companion->status[k] == CDN_OK && !passage_of(e, k)->names[0];
  return both ? CDN_VERDICT_DELIVERED : CDN_VERDICT_UNKNOWN;
}

static void tell_distances(const cdn_ensemble *e, int k, cdn_certificate *out) {
  const course *c = &e->courses[k];
  const cdn_ensemble *other = e->companion;
  out->error_estimate = c->largest;
  out->error_estimate_q = c->of[0], out->error_estimate_u = c->of[1], out->error_estimate_z = c->of[2];
  out->error_time = c->time;
  out->delivered_until = c->until;
  if (c->slot >= 0) cdn_system_slot_name(e->system, c->pool, c->slot, out->error_slot, sizeof out->error_slot);
  if (c->local_errors > 0) out->amplification = c->largest / c->local_errors;
  out->companion_evaluations = other->courses[k].evaluations;
  if (e->status[k] == CDN_OK && other->status[k] != CDN_OK)
    cdni_print(out->companion_message, sizeof out->companion_message, "the companion failed at t = %.9g: %.130s",
               other->t[k], other->errors[k].text);
}

cdn_status cdn_ensemble_certificate_sized(cdn_ensemble *e, int k, cdn_certificate *out, size_t size) {
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  static const char function[] = "cdn_ensemble_certificate";
  if (!out) return cdni_ensemble_fail(e, CDN_ERR_ARG, function, k, "the result is NULL");
  if (!exists(e, k))
    return cdni_ensemble_fail(e, CDN_ERR_ARG, function, k, "there is no State %d: the ensemble has %d", k, e->count);
  const course *c = &e->courses[k];
  cdn_certificate of = { .delivered = cdn_ensemble_verdict(e, k), .accuracy = e->accuracy };
  of.error_estimate = of.error_estimate_q = of.error_estimate_u = of.error_estimate_z = NAN;
  of.error_time = of.delivered_until = of.amplification = of.event_shift = NAN;
  of.energy_initial = of.energy_final = of.work = of.energy_jumps = of.energy_residual = NAN;
  of.max_position_error = of.max_velocity_error = of.max_constraint_error = NAN;
  if (c->advanced) tell_distances(e, k, &of);
  if (e->status[k] != CDN_OK)
    cdni_print(of.failure_message, sizeof of.failure_message, "the run failed at t = %.9g with %s", e->t[k],
               cdn_status_name(e->status[k]));
  of.steps = c->steps, of.rejected = c->rejections, of.evaluations = c->evaluations;
  of.time_initial = c->since, of.time_final = e->t[k];
  memcpy(of.passed, passage_of(e, k)->names, sizeof of.passed);
  of.passed_time = passage_of(e, k)->time;
  of.smallest_step = c->smallest, of.largest_step = c->longest;
  cdni_sized_write(out, size, &of, sizeof of);
  return CDN_OK;
}
