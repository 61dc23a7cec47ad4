/* Samples of a value at the ends of steps, at most one in a period, and the value that they had some time ago: a sensor
 * or a command as a digital device has it. MuJoCo keeps such histories of sensors and controls.
 *
 * A sample is taken when a step arrives, and again if the program changes something there. What is read late is read
 * from samples before the State's time alone: so it is a function of time and of the record, and is the same before and
 * after the sample of that time has been kept. */
#include <float.h>
#include <math.h>

#include "measures/history.h"

typedef struct record {
  measure base;
  double delay, period, phase, step;
  int samples;
  cdn_interpolation interpolation;
  history past;
  cdn_autovar kept;
} record;

enum { MOST = 65536 };

/* What a State keeps; the ring follows. */
typedef struct kept_head {
  double now;    /* when the last sample was offered, s */
  double ticked; /* the last time of the period that has come, s */
} kept_head;

static void *ring_of(const void *kept) { return (kept_head *)kept + 1; }
static size_t size_of(const record *r) { return sizeof(kept_head) + cdni_history_size(&r->past); }

/* Times that are the same but for rounding. */
static double slack(double t, double other) { return 4 * DBL_EPSILON * fmax(fabs(t), fabs(other)); }

/* ---- reading ---- */

/* The slope at sample k, of two around it; 0 at the ends of the list, from `newest` to `oldest`. */
static double slope(const history *h, const void *ring, int k, int newest, int oldest, int i) {
  if (k <= newest || k >= oldest) return 0;
  const double apart = cdni_history_time(h, ring, k - 1) - cdni_history_time(h, ring, k + 1);
  return (cdni_history_values(h, ring, k - 1)[i] - cdni_history_values(h, ring, k + 1)[i]) / apart;
}

/* Between sample k and the next one. */
static void between(const record *r, const void *ring, int k, int newest, int oldest, double t, double *out) {
  const history *h = &r->past;
  const double t0 = cdni_history_time(h, ring, k), t1 = cdni_history_time(h, ring, k - 1);
  for (int i = 0; i < h->n; i++) {
    const double x0 = cdni_history_values(h, ring, k)[i], x1 = cdni_history_values(h, ring, k - 1)[i];
    if (r->interpolation == CDN_INTERPOLATE_LINEAR) {
      out[i] = x0 + (t - t0) / (t1 - t0) * (x1 - x0);
      continue;
    }
    polynomial p = { .n = 0 };
    const double rate0 = slope(h, ring, k, newest, oldest, i), rate1 = slope(h, ring, k - 1, newest, oldest, i);
    cdni_polynomial_add(&p, t0, x0, &rate0);
    cdni_polynomial_add(&p, t1, x1, &rate1);
    cdni_polynomial_fit(&p);
    out[i] = cdni_polynomial_at(&p, t, NULL);
  }
}

/* Of samples before now; none: 0. */
static cdn_status late_value(const measure *m, cdn_state *state, int order, double *out) {
  const record *r = (const record *)m;
  const history *h = &r->past;
  const void *ring = ring_of(cdn_state_discrete(state, r->kept.variable));
  const int count = cdni_history_count(ring);
  const double now = cdn_state_time(state), t = now - r->delay;
  (void)order;
  int newest = 0;
  while (newest < count && cdni_history_time(h, ring, newest) >= now) newest++;
  const int oldest = (count < newest + r->samples ? count : newest + r->samples) - 1;
  memset(out, 0, (size_t)m->n * sizeof *out);
  if (oldest < newest) return CDN_OK;
  int k = newest;
  while (k < oldest && cdni_history_time(h, ring, k) > t + slack(now, r->delay)) k++;
  const double at = cdni_history_time(h, ring, k);
  const bool outside = k == newest || t - at <= slack(now, r->delay);
  if (outside || r->interpolation == CDN_INTERPOLATE_HOLD)
    memcpy(out, cdni_history_values(h, ring, k), (size_t)m->n * sizeof *out);
  else between(r, ring, k, newest, oldest, t, out);
  return CDN_OK;
}

static void late_depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  (void)order;
  cdni_declare_prerequisite(d, entry, CDN_T);
  cdni_declare_prerequisite(d, entry, ((const record *)m)->kept.variable.ticket);
}

/* Without a delay it is the newest sample, that of this moment included. */
static cdn_status sampled_value(const measure *m, cdn_state *state, int order, double *out) {
  const record *r = (const record *)m;
  const void *kept = cdn_eval(state, r->kept.update);
  (void)order;
  if (!kept) return cdni_state_last_status(state);
  memcpy(out, cdni_history_values(&r->past, ring_of(kept), 0), (size_t)m->n * sizeof *out);
  return CDN_OK;
}

static cdn_stage sampled_stage(const measure *m, int order) {
  (void)order;
  return cdni_measure_stage_of(m, m->operand, 0);
}

static void sampled_depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  (void)order;
  cdni_declare_prerequisite(d, entry, ((const record *)m)->kept.update.ticket);
}

/* ---- memory ---- */

/* Samples of 0 from before the run. */
static void begin_anew(const record *r, void *kept) {
  static const double zeros[CDN_MEASURE_MOST];
  kept_head *head = kept;
  memset(kept, 0, size_of(r));
  const double first = r->phase == 0 ? -r->period : r->phase;
  for (int j = r->samples - 1; j >= 0; j--) {
    const double t = r->period > 0 ? ceil((first - j * r->period) / r->step) * r->step : -(j + 1) * r->step;
    cdni_history_push(&r->past, ring_of(kept), t, zeros, HISTORY_FRESH);
  }
  head->now = -INFINITY;
  head->ticked = first;
}

static bool is_due(const record *r, const kept_head *kept, double t) {
  return r->period == 0 || kept->ticked + r->period <= t + slack(t, r->period);
}

/* Offers the sample of this moment. A second one takes the place of the first. */
static void take(const record *r, void *kept, double t, const double *values) {
  kept_head *head = kept;
  const bool again = head->now == t, has = cdni_history_count(ring_of(kept)) > 0;
  const bool taken = again && has && cdni_history_time(&r->past, ring_of(kept), 0) == t;
  if (taken || is_due(r, head, t)) {
    if (!taken) head->ticked += r->period;
    cdni_history_push(&r->past, ring_of(kept), t, values, HISTORY_FRESH);
  }
  head->now = t;
}

static cdn_status calc_update(const void *self, cdn_state *state, void *out) {
  const record *r = self;
  double values[CDN_MEASURE_MOST];
  memcpy(out, cdn_state_discrete(state, r->kept.variable), size_of(r));
  CDNI_TRY(cdni_history_read(&r->past, &r->base, state, values));
  take(r, out, cdn_state_time(state), values);
  return CDN_OK;
}

/* Whether the sample of this moment is there, or is not wanted. */
static bool has_taken(const record *r, const kept_head *kept, double t, const double *values) {
  if (kept->now != t) return false;
  const void *ring = ring_of(kept);
  const bool taken = cdni_history_count(ring) > 0 && cdni_history_time(&r->past, ring, 0) == t;
  return taken ? cdni_history_continues(&r->past, ring, t, values) : !is_due(r, kept, t);
}

static cdn_status begin_run(const void *self, cdn_state *state) {
  const record *r = self;
  const double t = cdn_state_time(state);
  double values[CDN_MEASURE_MOST];
  /* the operand itself may be computed from the record: then it is taken again */
  for (int twice = 0; twice < 2; twice++) {
    CDNI_TRY(cdni_history_read(&r->past, &r->base, state, values));
    if (has_taken(r, cdn_state_discrete(state, r->kept.variable), t, values)) return CDN_OK;
    take(r, cdni_state_update_discrete(state, r->kept.variable), t, values);
  }
  return CDN_OK;
}

static cdn_status reset(const measure *m, cdn_state *state) {
  const record *r = (const record *)m;
  begin_anew(r, cdni_state_update_discrete(state, r->kept.variable));
  return CDN_OK;
}

static void declare(measure *m, cdn_declarer *d) {
  record *r = (record *)m;
  const cdn_allocator *a = cdni_system_allocator(m->system);
  r->past = (history){ .n = m->n, .capacity = r->samples + 1 };
  void *initial = cdni_alloc(a, size_of(r));
  if (!initial) {
    (void)!cdn_declare_error(d, CDN_ERR_NOMEM, "out of memory");
    return;
  }
  begin_anew(r, initial);
  r->kept = cdn_declare_auto_update(d, "kept", size_of(r), initial, calc_update, 1, &CDN_T);
  cdni_free(a, initial, size_of(r));
  cdni_measure_depend_on(m, m->operand, 0, d, r->kept.update);
}

static const measure_kind late_kind = { .name = "record",
                                        .size = sizeof(record),
                                        .rewirable = true,
                                        .stage = cdni_measure_stage_time,
                                        .depend = late_depend,
                                        .value = late_value,
                                        .declare = declare,
                                        .begin_run = begin_run,
                                        .reset = reset };
static const measure_kind sampled_kind = { .name = "record",
                                           .size = sizeof(record),
                                           .stage = sampled_stage,
                                           .depend = sampled_depend,
                                           .value = sampled_value,
                                           .declare = declare,
                                           .begin_run = begin_run,
                                           .reset = reset };

/* ---- adding ---- */

CDNI_DEF(record_def, .operand = { -1 }, .samples = 1);

static void check(cdni_adder *a, const cdn_record_def *def) {
  const double times[] = { def->delay, def->period, def->phase };
  if (!cdni_all_finite(times, 3, NULL) || def->delay < 0 || def->period < 0)
    cdni_adder_refuse(a, CDN_ERR_ARG, "its delay is %g s and its period %g s: they must be finite, and not below zero",
                      def->delay, def->period);
  else if (def->phase > 0 || (def->period > 0 && def->phase <= -def->period))
    cdni_adder_refuse(a, CDN_ERR_ARG, "its phase is %g s: it must be above minus the period, and not above zero",
                      def->phase);
  else if (!(def->step > 0) || !isfinite(def->step))
    cdni_adder_refuse(a, CDN_ERR_ARG, "its step is %g s: it must be positive and finite", def->step);
  else if (def->samples < 1 || def->samples > MOST)
    cdni_adder_refuse(a, CDN_ERR_ARG, "it keeps %d samples: 1 to %d are possible", def->samples, MOST);
  else if ((unsigned)def->interpolation > CDN_INTERPOLATE_CUBIC)
    cdni_adder_refuse(a, CDN_ERR_ARG, "its interpolation is not one of cdn_interpolation");
}

cdn_measure cdn_system_add_record_measure(cdn_system *system, const cdn_record_def *def) {
  cdni_adder a;
  cdn_record_def known;
  const char *unreadable = read_record_def(&known, def);
  def = &known;
  cdni_measure_begin(&a, system, "cdn_system_add_record_measure", def->name);
  if (unreadable) {
    cdni_adder_refuse(&a, CDN_ERR_VERSION, "%s", unreadable);
    return (cdn_measure){ -1 };
  }
  record r = { .base = { .operand = def->operand },
               .delay = def->delay,
               .period = def->period,
               .phase = def->phase,
               .step = def->step,
               .samples = def->samples,
               .interpolation = def->interpolation };
  r.base.n = cdni_measure_check_operand(&a, def->operand);
  check(&a, def);
  return cdni_measure_add(&a, def->delay > 0 ? &late_kind : &sampled_kind, &r.base);
}
