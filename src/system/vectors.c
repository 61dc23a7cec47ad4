/* The numbers of a State as a vector, part by part. */
#include "system/vectors.h"

#include <math.h>
#include <stdio.h>

#include "system/structs.h"

/* ---- which numbers there are ---- */

void cdni_declare_vector_run(cdn_declarer *d, const vector_run *run) {
  if (run->variable.ticket.i == TICKET_NONE || run->n == 0) return;
  node *n = node_at(d->system, run->variable.ticket.i);
  const size_t whole = n->size / (run->numbers == VECTOR_INTEGERS ? sizeof(int32_t) : sizeof(double));
  if ((size_t)run->n + (run->numbers == VECTOR_FLAGGED) == whole) n->in_vector = true;
  if (!cdni_array_push(&d->system->allocator, &d->system->vector_runs, sizeof *run, run))
    cdn_declare_error(d, CDN_ERR_NOMEM, "out of memory");
}

/* A walk over the runs of all parts of a signature, but for the memory. */
typedef struct walk {
  const cdn_system *system;
  unsigned parts;
  int bit;         /* the part, 1 << bit */
  size_t next;     /* run or node to look at next */
  bool told;       /* runs that were declared are over: parameter arrays follow */
  int at;          /* where the present run begins in the vector */
  vector_run here; /* variable { 0 }: of t, q, u or z */
} walk;

enum { PARAMETERS_BIT = 8, MEMORY_BIT = 9 };

static walk begin(const cdn_system *s, unsigned parts) { return (walk){ .system = s, .parts = parts, .bit = -1 }; }

static bool next_array(walk *w) {
  const cdn_system *s = w->system;
  for (; w->next < s->nodes.count; w->next++) {
    const node *n = node_at(s, (int32_t)w->next);
    if (n->kind != NODE_VARIABLE || !n->parameters || n->in_vector || n->size == 0) continue;
    w->here = (vector_run){ .part = CDN_VECTOR_PARAMETERS,
                            .variable = { s->mark, { (int32_t)w->next } },
                            .n = (int)(n->size / sizeof(double)) };
    w->next++;
    return true;
  }
  return false;
}

static bool next_of_part(walk *w) {
  const cdn_system *s = w->system;
  const int of_y[] = { 1, s->nq, s->nu, s->nz };
  if (w->bit < 4) {
    w->here = (vector_run){ .part = (cdn_vector_part)(1 << w->bit), .n = of_y[w->bit] };
    return w->next++ == 0 && w->here.n > 0;
  }
  for (; !w->told && w->next < s->vector_runs.count; w->next++) {
    w->here = CDNI_AT(s->vector_runs, vector_run, w->next);
    if (w->here.part != 1u << w->bit) continue;
    w->next++;
    return true;
  }
  if (w->bit != PARAMETERS_BIT) return false;
  if (!w->told) w->next = 0;
  w->told = true;
  return next_array(w);
}

/* In the end `at` is the number of numbers. */
static bool next_run(walk *w) {
  w->at += w->here.n;
  w->here.n = 0;
  while (w->bit < MEMORY_BIT) {
    if (w->bit >= 0 && (w->parts >> w->bit & 1) && next_of_part(w)) return true;
    w->here.n = 0;
    w->bit++, w->next = 0;
  }
  return false;
}

static int count(const cdn_system *s, unsigned parts) {
  walk w = begin(s, parts);
  while (next_run(&w)) {}
  return w.at;
}

/* ---- the memory ---- */

static int words_of(size_t bytes) { return 1 + (int)((bytes + 3) / 4); }

static bool has_memory(unsigned parts) { return (parts & CDN_VECTOR_MEMORY) != 0; }

static cdn_status save_memory(cdn_state *state, cdni_archive *a) {
  *a = cdni_archive_begin(&state->system->allocator, false);
  cdni_state_archive_memory(state, a);
  return a->status;
}

static void put_memory(const cdni_archive *a, double *out) {
  const unsigned char *bytes = a->bytes.data;
  out[0] = (double)a->bytes.count;
  for (size_t i = 0; i < a->bytes.count; i += 4) {
    uint32_t word = 0;
    for (size_t k = 0; k < 4 && i + k < a->bytes.count; k++) word |= (uint32_t)bytes[i + k] << 8 * k;
    out[1 + i / 4] = word;
  }
}

/* false: these are not the numbers of a memory. */
static bool is_memory(const double *values, int n) {
  if (n < 1 || !(values[0] >= 0 && values[0] < 4.0 * n) || words_of((size_t)values[0]) != n) return false;
  for (int i = 0; i < n; i++)
    if (values[i] != floor(values[i]) || values[i] < 0 || values[i] >= 0x1p32) return false;
  return true;
}

static void take_memory(cdni_archive *a, const double *values) {
  const size_t n = (size_t)values[0];
  char *bytes = n ? cdni_array_extend(&a->allocator, &a->bytes, 1, n) : NULL;
  if (n && !bytes) cdni_archive_fail(a, CDN_ERR_NOMEM, "out of memory");
  for (size_t i = 0; bytes && i < n; i++) bytes[i] = (char)((uint32_t)values[1 + i / 4] >> 8 * (i % 4) & 0xff);
}

/* ---- size and names ---- */

static bool is_signature(unsigned parts) { return parts > 0 && parts <= CDN_VECTOR_INTEGRATION; }

int cdn_state_vector_size(cdn_state *state, unsigned parts) {
  CDNI_NEED_OBJECT(state, 0);
  if (!is_signature(parts)) return 0;
  int n = count(state->system, parts);
  if (!has_memory(parts)) return n;
  cdni_archive a;
  if (save_memory(state, &a) == CDN_OK) n += words_of(a.bytes.count);
  else n = 0;
  cdni_archive_end(&a);
  return n;
}

static void name_number(const cdn_system *s, const vector_run *run, int k, char *name, size_t size) {
  static const cdn_pool pools[] = {
    [CDN_VECTOR_Q] = CDN_POOL_Q, [CDN_VECTOR_U] = CDN_POOL_U, [CDN_VECTOR_Z] = CDN_POOL_Z
  };
  if (run->part == CDN_VECTOR_TIME) snprintf(name, size, "t");
  else if (run->part <= CDN_VECTOR_Z) cdn_system_slot_name(s, pools[run->part], k, name, size);
  else if (run->name) run->name(s, run->element, k, name, size);
  else snprintf(name, size, "%s[%d]", node_at(s, run->variable.ticket.i)->name, run->first + k);
}

cdn_status cdn_state_vector_name(cdn_state *state, unsigned parts, int i, char *name, size_t size) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const int n = cdn_state_vector_size(state, parts);
  if (i < 0 || i >= n || !name || size == 0)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL,
                           "there is no number %d in this vector, which has %d, or nowhere to put its name", i, n);
  walk w = begin(state->system, parts);
  while (next_run(&w)) {
    if (i >= w.at + w.here.n) continue;
    name_number(state->system, &w.here, i - w.at, name, size);
    return CDN_OK;
  }
  snprintf(name, size, "memory[%d]", i - w.at);
  return CDN_OK;
}

/* ---- getting ---- */

static const double *y_of(const cdn_state *s, const vector_run *run) {
  const cdn_system *sys = s->system;
  const double *y = (const double *)(s->block + sys->off_y);
  switch (run->part) {
    case CDN_VECTOR_TIME: return (const double *)(s->block + sys->off_t);
    case CDN_VECTOR_Q: return y;
    case CDN_VECTOR_U: return y + sys->nq;
    default: return y + sys->nq + sys->nu;
  }
}

static const double *doubles_of(const cdn_state *s, const vector_run *run) {
  if (run->part <= CDN_VECTOR_Z) return y_of(s, run);
  return (const double *)variable_data(s, node_at(s->system, run->variable.ticket.i)) + run->first +
         (run->numbers == VECTOR_FLAGGED);
}

static const int32_t *integers_of(const cdn_state *s, const vector_run *run) {
  return (const int32_t *)variable_data(s, node_at(s->system, run->variable.ticket.i)) + run->first;
}

static cdn_status refuse_size(cdn_state *state, const char *function, unsigned parts, int n) {
  if (!is_signature(parts))
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                           "the signature is %u, which is no sum of cdn_vector_part", parts);
  return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                         "the vector of this signature has %d numbers at present, %d are given: cdn_state_vector_size "
                         "tells how many",
                         cdn_state_vector_size(state, parts), n);
}

cdn_status cdn_state_get_vector(cdn_state *state, unsigned parts, int n, double *out) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  cdni_archive a = { 0 };
  if (!is_signature(parts) || !out) return refuse_size(state, __func__, parts, out ? n : 0);
  cdn_status status = has_memory(parts) ? save_memory(state, &a) : CDN_OK;
  const int of_memory = has_memory(parts) ? words_of(a.bytes.count) : 0;
  if (status != CDN_OK) status = cdni_archive_finish(&a, state, __func__);
  else if (n != count(state->system, parts) + of_memory) status = refuse_size(state, __func__, parts, n);
  walk w = begin(state->system, parts);
  while (status == CDN_OK && next_run(&w)) {
    if (w.here.numbers != VECTOR_INTEGERS)
      memcpy(out + w.at, doubles_of(state, &w.here), (size_t)w.here.n * sizeof *out);
    else
      for (int k = 0; k < w.here.n; k++) out[w.at + k] = integers_of(state, &w.here)[k];
  }
  if (status == CDN_OK && of_memory) put_memory(&a, out + w.at);
  cdni_archive_end(&a);
  return status;
}

/* ---- setting ---- */

static bool is_same(const cdn_state *s, const vector_run *run, const double *values) {
  if (run->numbers != VECTOR_INTEGERS) return memcmp(doubles_of(s, run), values, (size_t)run->n * sizeof *values) == 0;
  for (int k = 0; k < run->n; k++)
    if (integers_of(s, run)[k] != (int32_t)values[k]) return false;
  return true;
}

static void set_flagged(cdn_state *state, const vector_run *run, const double *values) {
  double *to = cdni_state_update_discrete(state, run->variable);
  const size_t whole = node_at(state->system, run->variable.ticket.i)->size / sizeof *to;
  memcpy(to + 1 + run->first, values, (size_t)run->n * sizeof *values);
  to[0] = 0;
  for (size_t i = 1; i < whole; i++)
    if (to[i] != 0) to[0] = 1;
}

static cdn_status set_run(cdn_state *state, const vector_run *run, const double *values) {
  switch (run->part) {
    case CDN_VECTOR_TIME: return cdn_state_set_time(state, values[0]);
    case CDN_VECTOR_Q: return cdn_state_set_q(state, values);
    case CDN_VECTOR_U: return cdn_state_set_u(state, values);
    case CDN_VECTOR_Z: return cdn_state_set_z(state, values);
    default: break;
  }
  if (run->numbers == VECTOR_PARAMETERS)
    return cdn_state_set_parameters(state, run->variable, run->first, run->n, values);
  if (run->numbers == VECTOR_FLAGGED) {
    set_flagged(state, run, values);
    return CDN_OK;
  }
  int32_t *to = (int32_t *)cdni_state_update_discrete(state, run->variable) + run->first;
  for (int k = 0; k < run->n; k++) to[k] = (int32_t)values[k];
  return CDN_OK;
}

/* Parameters before switches, which some of them have once more. */
static cdn_status set_all(cdn_state *state, unsigned parts, const double *values) {
  for (int parameters = 1; parameters >= 0; parameters--) {
    walk w = begin(state->system, parts);
    while (next_run(&w)) {
      if ((w.here.part == CDN_VECTOR_PARAMETERS) != parameters || is_same(state, &w.here, values + w.at)) continue;
      CDNI_TRY(set_run(state, &w.here, values + w.at));
    }
  }
  return CDN_OK;
}

static cdn_status check_numbers(cdn_state *state, const char *function, unsigned parts, const double *values) {
  char name[160];
  walk w = begin(state->system, parts);
  while (next_run(&w))
    for (int k = 0; k < w.here.n; k++) {
      const double x = values[w.at + k];
      const bool whole = w.here.numbers != VECTOR_INTEGERS || (x == floor(x) && fabs(x) < 0x1p31);
      if (isfinite(x) && whole) continue;
      name_number(state->system, &w.here, k, name, sizeof name);
      return cdni_state_fail(state, isfinite(x) ? CDN_ERR_ARG : CDN_ERR_NONFINITE, false, function, NULL,
                             "number %d of the vector, '%s', is %g%s: nothing was changed", w.at + k, name, x,
                             isfinite(x) ? ", which is no whole number" : "");
    }
  return CDN_OK;
}

/* In another State first, so that a failure changes nothing. */
static cdn_status set_with_memory(cdn_state *state, const char *function, unsigned parts, const double *values) {
  cdn_state *trial = NULL;
  cdni_archive a = cdni_archive_begin(&state->system->allocator, true);
  take_memory(&a, values + count(state->system, parts));
  if (cdn_state_create(state->system, &trial) != CDN_OK || cdn_state_copy(trial, state) != CDN_OK ||
      set_all(trial, parts, values) != CDN_OK)
    cdni_archive_fail(&a, CDN_ERR_NOMEM, "out of memory");
  if (a.status == CDN_OK) cdni_state_archive_memory(trial, &a);
  if (a.status == CDN_OK && a.at != a.bytes.count)
    cdni_archive_fail(&a, CDN_ERR_PARSE, "there is more in the vector than a State");
  /* Results that belong to other numbers. */
  if (parts != CDN_VECTOR_INTEGRATION && a.status == CDN_OK) cdni_state_drop_kept(trial);
  if (a.status == CDN_OK && cdni_state_take(state, trial) != CDN_OK)
    cdni_archive_fail(&a, CDN_ERR_NOMEM, "out of memory");
  cdn_state_destroy(trial);
  return cdni_archive_finish(&a, state, function);
}

cdn_status cdn_state_set_vector(cdn_state *state, unsigned parts, int n, const double *values) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_TRY(cdni_state_check_free(state, __func__, "a vector"));
  if (!is_signature(parts) || !values) return refuse_size(state, __func__, parts, values ? n : 0);
  const int fixed = count(state->system, parts);
  if (n < fixed || (n > fixed && !has_memory(parts))) return refuse_size(state, __func__, parts, n);
  CDNI_TRY(check_numbers(state, __func__, parts, values));
  if (!has_memory(parts)) return set_all(state, parts, values);
  if (!is_memory(values + fixed, n - fixed))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL,
                           "the last %d numbers of the vector are no memory of a State of this System: give what "
                           "cdn_state_get_vector wrote, all of it",
                           n - fixed);
  return set_with_memory(state, __func__, parts, values);
}
