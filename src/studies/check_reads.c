/* Undeclared reads: a value that is computed before a variable changes, and stays, though one that is computed anew
 * differs. */
#include <math.h>
#include <stdio.h>

#include <cardan/measures.h>

#include "studies/check.h"

typedef struct reading {
  checker *c;
  check_fn *f;
  void *context;
  int n;
  cdn_state *anew;
  cdn_buffer bytes;
} reading;

/* Everything computed once more from the variables alone. */
static cdn_status compute_anew(reading *r, double *values) {
  cdn_state_destroy(r->anew);
  r->anew = NULL;
  r->bytes.size = r->bytes.at = 0;
  CDNI_TRY(cdn_state_create(r->c->system, &r->anew));
  CDNI_TRY(cdn_state_save(r->c->state, cdn_buffer_write, &r->bytes));
  CDNI_TRY(cdn_state_load(r->anew, cdn_buffer_read, &r->bytes));
  return r->f(r->context, r->anew, values);
}

/* Compares, after a change of the variable `what`, the values that the State keeps with values computed anew. */
static cdn_status compare(reading *r, int index, const char *what) {
  checker *c = r->c;
  double *stayed = c->values, *anew = c->values + c->most;
  /* A changed variable may have a value that the element refuses: then nothing is reported. */
  if (r->f(r->context, c->state, stayed) != CDN_OK) return CDN_OK;
  const cdn_status status = compute_anew(r, anew);
  if (status != CDN_OK) return status == CDN_ERR_NOMEM ? status : CDN_OK;
  const double size = fmax(check_largest(anew, r->n), check_largest(stayed, r->n));
  int worst = 0;
  for (int i = 1; i < r->n; i++)
    if (fabs(anew[i] - stayed[i]) > fabs(anew[worst] - stayed[worst])) worst = i;
  const double apart = fabs(anew[worst] - stayed[worst]);
  if (!(apart > 1e-9 * size)) return CDN_OK;
  cdni_check_note(
      c, "declared reads", worst, index, anew[worst], stayed[worst], apart / size,
      "%s '%s' (%s): it depends on '%s' but does not declare that: number %d stays %.6g after a change, and is %.6g when "
      "computed anew. Declare what it reads (ops.reads, prerequisites)",
      c->report->type, c->report->element, c->report->kind, what, worst, stayed[worst], anew[worst]);
  return CDN_OK;
}

/* Computes the element at the pose, so that there are values that may become stale. */
static cdn_status begin(reading *r) {
  CDNI_TRY(cdni_check_set(r->c, &r->c->at));
  return r->f(r->context, r->c->state, r->c->values);
}

static cdn_status change_pool(reading *r, int index, cdn_pool pool, const char *name, const double *at, int n) {
  double *moved = r->c->values + 5 * r->c->most;
  if (n == 0 || n > r->c->most) return CDN_OK;
  CDNI_TRY(begin(r));
  for (int i = 0; i < n; i++) moved[i] = at[i] + 0.01 * (i + 1) / n;
  CDNI_TRY(cdn_state_set_slots(r->c->state, pool, 0, n, moved));
  return compare(r, index, name);
}

static cdn_status change_parameters(reading *r, int index, cdn_dvar v, int n) {
  checker *c = r->c;
  const cdn_allocator *a = cdni_system_allocator(c->system);
  const size_t size = (size_t)n * sizeof(double);
  if (n == 0) return CDN_OK;
  double *kept = cdni_alloc(a, 2 * size), *moved = kept + n;
  if (!kept) return cdni_refuse(CDN_ERR_NOMEM, c->function, "out of memory");
  char name[200];
  cdni_variable_name(c->system, v, name, sizeof name);
  cdn_status status = begin(r);
  memcpy(kept, cdn_state_parameters(c->state, v), size);
  for (int i = 0; i < n; i++) moved[i] = isfinite(kept[i]) ? kept[i] + (kept[i] == 0 ? 0.01 : 0.01 * kept[i]) : kept[i];
  if (status == CDN_OK && cdni_all_finite(moved, (size_t)n, NULL)) {
    status = cdn_state_set_parameters(c->state, v, 0, n, moved);
    if (status == CDN_OK) status = compare(r, index, name);
    const cdn_status back = cdn_state_set_parameters(c->state, v, 0, n, kept);
    if (status == CDN_OK) status = back;
  }
  cdni_free(a, kept, 2 * size);
  return status;
}

/* Changes a measure whose value is a variable. Other measures refuse to be set; then nothing is reported. */
static cdn_status change_measure(reading *r, int index, cdn_measure measure) {
  checker *c = r->c;
  const int n = cdn_measure_size(c->system, measure);
  double kept[CDN_MEASURE_MOST], moved[CDN_MEASURE_MOST];
  CDNI_TRY(begin(r));
  const double *value = cdn_measure_value(c->state, measure);
  for (int i = 0; i < n && value; i++) kept[i] = value[i], moved[i] = value[i] + 0.01 * (i + 1);
  if (!value || cdn_measure_set_value(c->state, measure, moved) != CDN_OK) return CDN_OK;
  CDNI_TRY(compare(r, index, cdn_measure_name(c->system, measure)));
  return cdn_measure_set_value(c->state, measure, kept);
}

static cdn_status change_all(reading *r) {
  checker *c = r->c;
  int n, index = 4;
  cdn_dvar v;
  CDNI_TRY(begin(r));
  CDNI_TRY(cdn_state_set_time(c->state, c->at.t + 0.01));
  CDNI_TRY(compare(r, 0, "t"));
  CDNI_TRY(change_pool(r, 1, CDN_POOL_Q, "q", c->at.q, c->nq));
  CDNI_TRY(change_pool(r, 2, CDN_POOL_U, "u", c->at.u, c->nu));
  CDNI_TRY(change_pool(r, 3, CDN_POOL_Z, "z", c->at.z, c->nz));
  for (int i = 0; cdni_system_parameters(c->system, i, &v, &n); i++) CDNI_TRY(change_parameters(r, index++, v, n));
  for (int i = 0; i < cdn_system_measure_count(c->system); i++)
    CDNI_TRY(change_measure(r, index++, (cdn_measure){ i }));
  return cdni_check_set(c, &c->at);
}

cdn_status cdni_check_reads(checker *c, check_fn *f, void *context, int n) {
  reading r = { .c = c, .f = f, .context = context, .n = n };
  const cdn_status status = change_all(&r);
  cdn_state_destroy(r.anew);
  cdn_buffer_free(&r.bytes);
  return status;
}
