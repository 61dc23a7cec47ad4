/* A sweep: a study that has been read, with its model and its columns. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "core/sized.h"
#include "sweeps/internal.h"

/* ---- memory ---- */

typedef struct piece {
  void *at;
  size_t size;
} piece;

static const cdn_allocator *usual(void) {
  static const cdn_allocator a = { NULL, NULL, NULL };
  return &a;
}

void *cdni_sweep_memory(cdn_sweep *s, size_t n, size_t size) {
  const cdn_allocator a = cdni_allocator_or_default(*usual());
  const piece p = { cdni_calloc(&a, (n ? n : 1) * size), (n ? n : 1) * size };
  if (p.at && cdni_array_push(&a, &s->memory, sizeof p, &p)) return p.at;
  if (p.at) cdni_free(&a, p.at, p.size);
  cdni_refuse(CDN_ERR_NOMEM, "cdn_sweep_load", "out of memory");
  return NULL;
}

char *cdni_sweep_text(cdn_sweep *s, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int n = cdni_vprint(NULL, 0, format, args);
  va_end(args);
  char *text = n >= 0 ? cdni_sweep_memory(s, (size_t)n + 1, 1) : NULL;
  if (!text) return NULL;
  va_start(args, format);
  cdni_vprint(text, (size_t)n + 1, format, args);
  va_end(args);
  return text;
}

void cdn_sweep_destroy(cdn_sweep *s) {
  if (!s) return;
  const cdn_allocator a = cdni_allocator_or_default(*usual());
  cdn_state_destroy(s->base);
  cdn_state_destroy(s->work);
  cdn_model_destroy(s->model);
  json_decref(s->study.root);
  for (size_t i = 0; i < s->memory.count; i++) {
    const piece *p = &CDNI_AT(s->memory, piece, i);
    cdni_free(&a, p->at, p->size);
  }
  cdni_array_free(&a, &s->memory);
  cdni_free(&a, s, sizeof *s);
}

/* ---- loading ---- */

/* Blocks small enough that there are many for every worker, and of no more cases than are quickly lost. */
static void choose_block(cdn_sweep *s) {
  enum { BLOCKS = 64, MOST_CASES = 1000 };
  const int64_t size = (s->design.cases + BLOCKS - 1) / BLOCKS;
  if (s->study.block == 0) s->study.block = size < MOST_CASES ? size : MOST_CASES;
}

static cdn_status set_paths(cdn_sweep *s, const char *path) {
  const char *slash = strrchr(path, '/');
  s->study.path = cdni_sweep_text(s, "%s", path);
  s->study.folder = slash ? cdni_sweep_text(s, "%.*s", (int)(slash - path), path) : "";
  if (slash == path) s->study.folder = "/";
  return s->study.path && s->study.folder ? CDN_OK : CDN_ERR_NOMEM;
}

static cdn_status fill(cdn_sweep *s, const char *text, size_t size, const char *path) {
  CDNI_TRY(set_paths(s, path));
  CDNI_TRY(cdni_sweep_read_study(s, text, size));
  choose_block(s);
  CDNI_TRY(cdni_sweep_load_model(s));
  CDNI_TRY(cdni_sweep_find_targets(s));
  return cdni_sweep_make_columns(s);
}

cdn_status cdn_sweep_load_string(const char *text, size_t size, const char *path, cdn_sweep **out) {
  const cdn_allocator a = cdni_allocator_or_default(*usual());
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  *out = NULL;
  CDNI_NEED_OBJECT(text, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(path, CDN_ERR_ARG);
  cdn_sweep *s = cdni_calloc(&a, sizeof *s);
  if (!s) return cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory");
  const cdn_status status = fill(s, text, size, path);
  if (status == CDN_OK) *out = s;
  else cdn_sweep_destroy(s);
  return status;
}

cdn_status cdn_sweep_load(const char *path, cdn_sweep **out) {
  enum { LARGEST = 256 << 20 };
  cdn_buffer bytes = { 0 };
  char piece_of_it[4096];
  cdn_status status = CDN_OK;
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  *out = NULL;
  CDNI_NEED_OBJECT(path, CDN_ERR_ARG);
  FILE *file = fopen(path, "rb");
  if (!file) return cdni_refuse(CDN_ERR_FILE, __func__, "%.200s: could not be read: %s", path, strerror(errno));
  for (size_t n; status == CDN_OK && (n = fread(piece_of_it, 1, sizeof piece_of_it, file)) > 0;) {
    status = cdn_buffer_write(&bytes, piece_of_it, n);
    if (bytes.size > LARGEST) status = cdni_refuse(CDN_ERR_LIMIT, __func__, "%.200s: is larger than 256 MiB", path);
  }
  if (status == CDN_OK && ferror(file))
    status = cdni_refuse(CDN_ERR_FILE, __func__, "%.200s: could not be read: %s", path, strerror(errno));
  fclose(file);
  if (status == CDN_OK) status = cdn_sweep_load_string(bytes.bytes ? bytes.bytes : "", bytes.size, path, out);
  cdn_buffer_free(&bytes);
  return status;
}

/* ---- what it has ---- */

int64_t cdn_sweep_case_count(const cdn_sweep *sweep) {
  CDNI_NEED_OBJECT(sweep, 0);
  return sweep->design.cases;
}

int64_t cdn_sweep_block_count(const cdn_sweep *sweep) {
  CDNI_NEED_OBJECT(sweep, 0);
  return (sweep->design.cases + sweep->study.block - 1) / sweep->study.block;
}

int64_t cdn_sweep_block_size(const cdn_sweep *sweep) {
  CDNI_NEED_OBJECT(sweep, 0);
  return sweep->study.block;
}

const char *cdn_sweep_folder(const cdn_sweep *sweep) {
  CDNI_NEED_OBJECT(sweep, NULL);
  return sweep->study.results;
}

int cdn_sweep_variable_count(const cdn_sweep *sweep) {
  CDNI_NEED_OBJECT(sweep, 0);
  return sweep->design.n_variables;
}

const char *cdn_sweep_variable_name(const cdn_sweep *sweep, int i) {
  CDNI_NEED_OBJECT(sweep, NULL);
  return i >= 0 && i < sweep->design.n_variables ? sweep->design.variables[i].name : NULL;
}

int cdn_sweep_column_count(const cdn_sweep *sweep) {
  CDNI_NEED_OBJECT(sweep, 0);
  return sweep->n_columns;
}

const char *cdn_sweep_column_name(const cdn_sweep *sweep, int i) {
  CDNI_NEED_OBJECT(sweep, NULL);
  return i >= 0 && i < sweep->n_columns ? sweep->column_names[i] : NULL;
}

const char *cdn_sweep_column_unit(const cdn_sweep *sweep, int i) {
  CDNI_NEED_OBJECT(sweep, NULL);
  return i >= 0 && i < sweep->n_columns ? sweep->column_units[i] : NULL;
}

const cdn_system *cdn_sweep_system(const cdn_sweep *sweep) {
  CDNI_NEED_OBJECT(sweep, NULL);
  return cdn_model_system(sweep->model);
}

void cdn_sweep_interrupt(cdn_sweep *sweep) {
  if (!sweep) return;
  atomic_store(&sweep->interrupted, true);
  atomic_fetch_add(&sweep->interrupting, 1);
  cdn_stepper_break_off(atomic_load(&sweep->running));
  atomic_fetch_sub(&sweep->interrupting, 1);
}

cdn_status cdn_sweep_values(const cdn_sweep *sweep, int64_t k, double *values) {
  CDNI_NEED_OBJECT(sweep, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(values, CDN_ERR_ARG);
  if (k < 0 || k >= sweep->design.cases)
    return cdni_refuse(CDN_ERR_ARG, __func__, "there is no case %lld: the study has cases 0 to %lld", (long long)k,
                       (long long)sweep->design.cases - 1);
  cdni_sweep_design(&sweep->design, k, values);
  return CDN_OK;
}
