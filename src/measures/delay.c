/* The value of a measure some time ago: a ring of samples at the ends of accepted steps, interpolated.
 *
 * No step is longer than a quarter of the delay, so the past time lies well before the last accepted step. The value
 * is therefore a function of time and of the ring alone, the same in all attempts of a step, and is interpolated
 * through samples on both sides, all of which are known.
 *
 * A jump comes back one delay later. If the value acts on its own operand, the jump comes back again and again, each
 * time in one derivative higher. Steps end at these moments as long as a method could notice them (Bellen and
 * Zennaro 2003, 2.1). */
#include "measures/history.h"

#include <math.h>

typedef struct delay {
  measure base;
  double delay, before[CDN_MEASURE_MOST];
  bool has_before; /* the value before the run is given */
  int capacity;
  history past;
  cdn_autovar ring;
} delay;

enum { FEWEST = 64, MOST = 65536, SPARE = 8, LAST_KINK = HISTORY_KINK + 4 };

/* Part of the delay: samples this much later than the start of a stretch exist, and stay, before they are needed. */
static const double SURE = 0.65;

static void depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  (void)order;
  cdni_declare_prerequisite(d, entry, CDN_T);
  cdni_declare_prerequisite(d, entry, ((const delay *)m)->ring.variable.ticket);
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* The value between sample k and the next one: through two samples on either side (three, if rates are not known);
 * samples that one side lacks are taken from the other. */
static void interpolate(const delay *y, const void *ring, int k, double t, double *out) {
  const history *h = &y->past;
  const int side = h->rates ? 2 : 3;
  const double from = cdni_history_time(h, ring, k), apart = (cdni_history_time(h, ring, k - 1) - from) / 8;
  int before[2 * 3], after[2 * 3];
  int n_before = cdni_history_older(h, ring, k, 2 * side - 1, apart, before);
  int n_after = cdni_history_newer(h, ring, k - 1, 2 * side - 1, apart, from + SURE * y->delay, after);
  if (n_before > side) n_before = n_after < side ? smaller(n_before, 2 * side - n_after) : side;
  n_after = smaller(n_after, 2 * side - n_before);
  for (int i = 0; i < h->n; i++) {
    polynomial p = { .n = 0 };
    for (int j = n_after; j-- > 0;) {
      /* the rate of a returned jump is that after it */
      bool value_only = j == n_after - 1 && cdni_history_mark(h, ring, after[j]) == HISTORY_KINK;
      if (value_only)
        cdni_polynomial_add(&p, cdni_history_time(h, ring, after[j]), cdni_history_values(h, ring, after[j])[i], NULL);
      else cdni_polynomial_add_sample(&p, h, ring, after[j], i);
    }
    for (int j = 0; j < n_before; j++) cdni_polynomial_add_sample(&p, h, ring, before[j], i);
    cdni_polynomial_fit(&p);
    out[i] = cdni_polynomial_at(&p, t, NULL);
  }
}

static cdn_status value(const measure *m, cdn_state *state, int order, double *out) {
  const delay *y = (const delay *)m;
  const history *h = &y->past;
  const void *ring = cdn_state_discrete(state, y->ring.variable);
  const double t = cdn_state_time(state) - y->delay, *held = y->before;
  int count = cdni_history_count(ring), k = cdni_history_find(h, ring, t);
  (void)order;
  /* the past before a fresh sample is unknown: the last value holds until then */
  if (k == 0 || (k > 0 && cdni_history_mark(h, ring, k - 1) == HISTORY_FRESH)) held = cdni_history_values(h, ring, k);
  else if (k < 0 && count > 0 && !y->has_before) held = cdni_history_values(h, ring, count - 1);
  else if (k > 0) held = NULL;
  if (held) memcpy(out, held, (size_t)m->n * sizeof *out);
  else interpolate(y, ring, k, t, out);
  return CDN_OK;
}

/* ---- memory ---- */

/* Marks the newest sample if a jump comes back there; of several close together the first one is marked. */
static void mark_kink(const delay *y, void *ring) {
  const history *h = &y->past;
  const double t = cdni_history_time(h, ring, 0);
  for (int k = 1; k < cdni_history_count(ring); k++) {
    int mark = cdni_history_mark(h, ring, k);
    if (mark == HISTORY_PLAIN) continue;
    double since = cdni_history_time(h, ring, k);
    if (t - since <= h->spacing) return;
    if (since + y->delay != t || mark == LAST_KINK) continue;
    cdni_history_set_mark(h, ring, 0, mark + 1);
    return;
  }
}

static cdn_status calc_update(const void *self, cdn_state *state, void *out) {
  const delay *y = self;
  memcpy(out, cdn_state_discrete(state, y->ring.variable), cdni_history_size(&y->past));
  CDNI_TRY(cdni_history_advance(&y->past, &y->base, state, out));
  if (cdni_history_mark(&y->past, out, 0) == HISTORY_PLAIN) mark_kink(y, out);
  return CDN_OK;
}

static double next_stop(const void *self, const cdn_state *state) {
  const delay *y = self;
  const history *h = &y->past;
  const void *ring = cdn_state_discrete(state, y->ring.variable);
  double now = cdn_state_time(state), stop = now + 0.25 * y->delay;
  for (int k = 0; k < cdni_history_count(ring); k++) {
    int mark = cdni_history_mark(h, ring, k);
    double back = cdni_history_time(h, ring, k) + y->delay;
    if (back <= now) break;
    if (mark != HISTORY_PLAIN && mark < LAST_KINK) stop = fmin(stop, back);
  }
  return stop;
}

static void declare(measure *m, cdn_declarer *d) {
  delay *y = (delay *)m;
  y->past = (history){ .n = m->n,
                       .rates = cdni_measure_derivatives_of(m, m->operand) > 0,
                       .capacity = y->capacity,
                       .spacing = 4 * y->delay / (y->capacity - SPARE) };
  y->ring = cdn_declare_auto_update(d, "past", cdni_history_size(&y->past), NULL, calc_update, 1, &CDN_T);
  cdni_measure_depend_on(m, m->operand, 0, d, y->ring.update);
  if (y->past.rates) cdni_measure_depend_on(m, m->operand, 1, d, y->ring.update);
}

static cdn_status begin_run(const void *self, cdn_state *state) {
  const delay *y = self;
  double values[2 * CDN_MEASURE_MOST], t = cdn_state_time(state);
  /* the operand itself may be computed from the first sample: then it is taken again */
  for (int twice = 0; twice < 2; twice++) {
    CDNI_TRY(cdni_history_read(&y->past, &y->base, state, values));
    if (cdni_history_continues(&y->past, cdn_state_discrete(state, y->ring.variable), t, values)) return CDN_OK;
    cdni_history_push(&y->past, cdni_state_update_discrete(state, y->ring.variable), t, values, HISTORY_FRESH);
  }
  return CDN_OK;
}

static cdn_status reset(const measure *m, cdn_state *state) {
  const delay *y = (const delay *)m;
  memset(cdni_state_update_discrete(state, y->ring.variable), 0, cdni_history_size(&y->past));
  return CDN_OK;
}

static const measure_kind delay_kind = { .name = "delay",
                                         .size = sizeof(delay),
                                         .rewirable = true,
                                         .stage = cdni_measure_stage_time,
                                         .depend = depend,
                                         .value = value,
                                         .declare = declare,
                                         .begin_run = begin_run,
                                         .next_stop = next_stop,
                                         .reset = reset };

CDNI_DEF(delay_def, .operand = { -1 }, .capacity = 256);

cdn_measure cdn_system_add_delay_measure(cdn_system *system, const cdn_delay_def *def) {
  cdni_adder a;
  cdn_delay_def known;
  const char *unreadable = read_delay_def(&known, def);
  def = &known;
  cdni_measure_begin(&a, system, "cdn_system_add_delay_measure", def->name);
  if (unreadable) {
    cdni_adder_refuse(&a, CDN_ERR_VERSION, "%s", unreadable);
    return (cdn_measure){ -1 };
  }
  delay y = { .base = { .operand = def->operand }, .delay = def->delay, .capacity = def->capacity };
  y.base.n = cdni_measure_check_operand(&a, def->operand);
  y.has_before = def->history != NULL;
  cdni_adder_check_numbers(&a, "its history", def->history, y.base.n);
  if (!(def->delay > 0) || !isfinite(def->delay)) {
    cdni_adder_refuse(&a, CDN_ERR_ARG, "its delay is %g s: it must be positive and finite", def->delay);
  }
  if (def->capacity < FEWEST || def->capacity > MOST) {
    cdni_adder_refuse(&a, CDN_ERR_ARG, "its capacity is %d: %d to %d samples", def->capacity, FEWEST, MOST);
  }
  if (a.ok && def->history) memcpy(y.before, def->history, (size_t)y.base.n * sizeof *def->history);
  return cdni_measure_add(&a, &delay_kind, &y.base);
}
