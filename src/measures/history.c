/* Rings of samples, and polynomials through them. */
#include "measures/history.h"

#include <float.h>
#include <math.h>

typedef struct ring_head {
  int32_t count, first; /* first: the oldest */
} ring_head;

/* A sample: t, its mark, values, rates. */
static size_t stride(const history *h) { return 2 + (size_t)h->n * (h->rates ? 2 : 1); }
static size_t value_bytes(const history *h) { return (stride(h) - 2) * sizeof(double); }

size_t cdni_history_size(const history *h) {
  return sizeof(ring_head) + (size_t)h->capacity * stride(h) * sizeof(double);
}

int cdni_history_count(const void *ring) { return ((const ring_head *)ring)->count; }

static double *sample_at(const history *h, const void *ring, int k) {
  const ring_head *head = ring;
  int place = (head->first + head->count - 1 - k) % h->capacity;
  return (double *)(head + 1) + (size_t)place * stride(h);
}

double cdni_history_time(const history *h, const void *ring, int k) { return sample_at(h, ring, k)[0]; }
const double *cdni_history_values(const history *h, const void *ring, int k) { return sample_at(h, ring, k) + 2; }
int cdni_history_mark(const history *h, const void *ring, int k) { return (int)sample_at(h, ring, k)[1]; }
void cdni_history_set_mark(const history *h, void *ring, int k, int mark) { sample_at(h, ring, k)[1] = mark; }

cdn_status cdni_history_read(const history *h, const measure *m, cdn_state *state, double *values) {
  CDNI_TRY(cdni_measure_read(m, state, m->operand, 0, values));
  return h->rates ? cdni_measure_read(m, state, m->operand, 1, values + h->n) : CDN_OK;
}

/* ---- taking in ---- */

/* Number of the newest samples that a new one makes superfluous. The newest stays if it ends a smooth stretch. Of
 * two consecutive samples, those kept are further apart than `spacing`, so that the ring covers its window for any
 * steps. */
static int superfluous(const history *h, const void *ring, double t, bool fresh) {
  int count = cdni_history_count(ring);
  if (count == 0) return 0;
  const int newest = cdni_history_mark(h, ring, 0);
  if (fresh && newest == HISTORY_FRESH && cdni_history_time(h, ring, 0) == t) return 1;
  if (!fresh) return count >= 2 && newest == HISTORY_PLAIN && t - cdni_history_time(h, ring, 1) <= h->spacing;
  /* a jump that follows another one closely: both become one */
  bool close = count >= 3 && newest == HISTORY_PLAIN && cdni_history_mark(h, ring, 1) == HISTORY_FRESH &&
               t - cdni_history_time(h, ring, 2) <= h->spacing;
  return close ? 2 : 0;
}

void cdni_history_push(const history *h, void *ring, double t, const double *values, int mark) {
  ring_head *head = ring;
  while (head->count > 0 && cdni_history_time(h, ring, 0) > t) head->count--;
  head->count -= superfluous(h, ring, t, mark == HISTORY_FRESH);
  if (head->count == h->capacity) {
    head->first = (head->first + 1) % h->capacity;
    head->count--;
  }
  head->count++;
  double *sample = sample_at(h, ring, 0);
  sample[0] = t;
  sample[1] = mark;
  memcpy(sample + 2, values, value_bytes(h));
}

cdn_status cdni_history_advance(const history *h, const measure *m, cdn_state *state, void *ring) {
  double t = cdn_state_time(state), values[2 * CDN_MEASURE_MOST];
  if (cdni_history_count(ring) > 0 && cdni_history_time(h, ring, 0) == t) return CDN_OK;
  CDNI_TRY(cdni_history_read(h, m, state, values));
  cdni_history_push(h, ring, t, values, HISTORY_PLAIN);
  return CDN_OK;
}

bool cdni_history_continues(const history *h, const void *ring, double t, const double *values) {
  return cdni_history_count(ring) > 0 && cdni_history_time(h, ring, 0) == t &&
         memcmp(cdni_history_values(h, ring, 0), values, value_bytes(h)) == 0;
}

/* ---- finding ---- */

int cdni_history_older(const history *h, const void *ring, int first, int most, double apart, int *list) {
  int n = 0;
  for (int k = first; k < cdni_history_count(ring) && n < most; k++) {
    bool marked = cdni_history_mark(h, ring, k) != HISTORY_PLAIN;
    if (n == 0 || cdni_history_time(h, ring, list[n - 1]) - cdni_history_time(h, ring, k) >= apart) list[n++] = k;
    if (marked) break;
  }
  return n;
}

int cdni_history_newer(const history *h, const void *ring, int first, int most, double apart, double until, int *list) {
  int n = 0;
  for (int k = first; k >= 0 && n < most; k--) {
    double t = cdni_history_time(h, ring, k);
    if (k < first && (cdni_history_mark(h, ring, k) == HISTORY_FRESH || t > until)) break;
    if (n == 0 || t - cdni_history_time(h, ring, list[n - 1]) >= apart) list[n++] = k;
    if (cdni_history_mark(h, ring, k) != HISTORY_PLAIN) break;
  }
  return n;
}

int cdni_history_before(const history *h, const void *ring, double t, int most, double *width, int *list) {
  int count = cdni_history_count(ring), k = 0;
  while (k < count && cdni_history_time(h, ring, k) >= t) {
    if (cdni_history_time(h, ring, k) == t && cdni_history_mark(h, ring, k) == HISTORY_FRESH) return 0;
    k++;
  }
  if (k == count) return 0;
  *width = t - cdni_history_time(h, ring, k);
  return cdni_history_older(h, ring, k, most, *width / 8, list);
}

int cdni_history_find(const history *h, const void *ring, double t) {
  t += 4 * DBL_EPSILON * fabs(t);
  /* sample `newer` is after t, sample `older` is not; -1, or the count, if there is no such sample */
  int newer = -1, older = cdni_history_count(ring);
  while (older - newer > 1) {
    int k = newer + (older - newer) / 2;
    if (cdni_history_time(h, ring, k) > t) newer = k;
    else older = k;
  }
  return older < cdni_history_count(ring) ? older : -1;
}

/* ---- polynomials ---- */

void cdni_polynomial_add(polynomial *p, double t, double value, const double *rate) {
  for (int twice = 0; twice < (rate ? 2 : 1); twice++) {
    p->t[p->n] = t;
    p->c[p->n] = value;
    p->rate[p->n++] = rate ? *rate : 0;
  }
}

void cdni_polynomial_add_sample(polynomial *p, const history *h, const void *ring, int k, int i) {
  const double *values = cdni_history_values(h, ring, k);
  cdni_polynomial_add(p, cdni_history_time(h, ring, k), values[i], h->rates ? &values[h->n + i] : NULL);
}

/* Divided differences; where two places coincide the first one is the rate. */
void cdni_polynomial_fit(polynomial *p) {
  for (int j = 1; j < p->n; j++) {
    for (int i = p->n - 1; i >= j; i--) {
      double apart = p->t[i] - p->t[i - j];
      p->c[i] = apart == 0 ? p->rate[i] : (p->c[i] - p->c[i - 1]) / apart;
    }
  }
}

double cdni_polynomial_at(const polynomial *p, double t, double *derivative) {
  double value = p->c[p->n - 1], slope = 0;
  for (int k = p->n - 2; k >= 0; k--) {
    slope = slope * (t - p->t[k]) + value;
    value = value * (t - p->t[k]) + p->c[k];
  }
  if (derivative) *derivative = slope;
  return value;
}
