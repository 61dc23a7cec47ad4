/* Controls that follow samples over time: straight lines between them. */
#include <math.h>
#include <stdio.h>

#include "controls/internal.h"
#include "core/archive.h"

/* n times, then n values */
static const double *times(const control_source *s) { return s->data; }
static const double *values(const control_source *s) { return (const double *)s->data + s->index; }

/* How many times are not after t. */
static int passed(const control_source *s, double t) {
  int low = 0, high = s->index;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (times(s)[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

static cdn_status calc(const control_source *s, cdn_state *state, double *value) {
  const double t = cdn_state_time(state), *x = times(s), *y = values(s);
  const int k = passed(s, t);
  if (k == 0 || k == s->index) *value = y[k == 0 ? 0 : k - 1];
  else *value = y[k - 1] + (y[k] - y[k - 1]) * ((t - x[k - 1]) / (x[k] - x[k - 1]));
  return CDN_OK;
}

/* The slope of the line that comes next; the second derivative is that of lines. */
static cdn_status calc_rates(const control_source *s, cdn_state *state, double rates[2]) {
  const int k = passed(s, cdn_state_time(state));
  const double *x = times(s), *y = values(s);
  rates[0] = k == 0 || k == s->index ? 0 : (y[k] - y[k - 1]) / (x[k] - x[k - 1]);
  rates[1] = 0;
  return CDN_OK;
}

/* The curve bends there. */
static double next_stop(const control_source *s, double t) {
  const int k = passed(s, t);
  return k < s->index ? times(s)[k] : INFINITY;
}

static void describe(const control_source *s, const cdn_system *system, char *text, size_t size) {
  (void)system;
  snprintf(text, size, "%d samples, checksum %08lx", s->index,
           (unsigned long)cdni_checksum(s->data, 2 * (size_t)s->index * sizeof(double)));
}

static void destroy(const control_source *s, const cdn_allocator *a) {
  cdni_free(a, (void *)s->data, 2 * (size_t)s->index * sizeof(double));
}

void cdn_control_follow_samples(cdn_system *system, cdn_control id, int n, const double *t, const double *y) {
  if (cdni_system_refuses(system, __func__)) return;
  cdni_adder by = cdni_control_adder(system, __func__, id);
  if (n < 1 || n > 1 << 24 || !t || !y) {
    cdni_adder_refuse(&by, CDN_ERR_ARG, "%d samples are given: give 1 or more", t && y ? n : 0);
    return;
  }
  for (int k = 0; k < n; k++) {
    if (isfinite(t[k]) && isfinite(y[k]) && (k == 0 || t[k] > t[k - 1])) continue;
    cdni_adder_refuse(&by, CDN_ERR_ARG, "sample %d is %g at %g s: give finite numbers, at times that increase", k, y[k],
                      t[k]);
    return;
  }
  const cdn_allocator *a = cdni_system_allocator(system);
  const size_t bytes = (size_t)n * sizeof(double);
  double *data = cdni_alloc(a, 2 * bytes);
  if (!data) {
    cdni_system_fail(system, CDN_ERR_NOMEM, __func__, NULL, "out of memory");
    return;
  }
  memcpy(data, t, bytes);
  memcpy(data + n, y, bytes);
  const control_source source = { .word = "samples",
                                  .ticket = CDN_T,
                                  .calc = calc,
                                  .calc_rates = calc_rates,
                                  .next_stop = next_stop,
                                  .describe = describe,
                                  .destroy = destroy,
                                  .data = data,
                                  .index = n };
  if (!cdni_control_follow(system, __func__, id, &source)) destroy(&source, a);
}
