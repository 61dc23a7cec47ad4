/* A spec as JSON: all its elements by kind, and of each the members that differ from their defaults. Numbers have all
 * their digits, so that a spec that is read again is the same to the last bit. docs/convert.md tells of the format. */
#include <math.h>
#include <stdio.h>

#include "io/joints.h"
#include "io/spec_fields.h"

/* ---- values ---------------------------------------------------------------------------------- */

static cdn_status put_text(cdn_buffer *to, const char *text) {
  CDNI_TRY(io_put(to, "\""));
  for (const char *c = text; *c; c++) {
    if (*c == '"' || *c == '\\') CDNI_TRY(io_put(to, "\\%c", *c));
    else if ((unsigned char)*c < 0x20) CDNI_TRY(io_put(to, "\\u%04x", (unsigned)(unsigned char)*c));
    else CDNI_TRY(cdn_buffer_write(to, c, 1));
  }
  return io_put(to, "\"");
}

/* JSON has no infinities: they are texts. */
static cdn_status put_number(cdn_buffer *to, double x) {
  char text[CDN_NUMBER_SIZE];
  cdn_number_text(x, text);
  if (!isfinite(x)) return io_put(to, "\"%s\"", text);
  const char *shown = x == floor(x) && fabs(x) < 1e15 && strlen(text) > 2 &&
                              strcmp(text + strlen(text) - 2, ".0") == 0 && (x != 0 || !signbit(x))
                          ? ""
                          : text;
  return shown[0] ? io_put(to, "%s", shown) : io_put(to, "%.0f", x);
}

/* Transforms are rows of three: the axes x, y, z and the origin. */
enum { IN_TRANSFORM = 12 };
static cdn_status put_numbers(cdn_buffer *to, const double *x, int n) {
  CDNI_TRY(io_put(to, "["));
  for (int k = 0; k < n; k++) {
    if (k > 0) CDNI_TRY(io_put(to, ", "));
    if (n == IN_TRANSFORM && k % 3 == 0) CDNI_TRY(io_put(to, "["));
    CDNI_TRY(put_number(to, x[k]));
    if (n == IN_TRANSFORM && k % 3 == 2) CDNI_TRY(io_put(to, "]"));
  }
  return io_put(to, "]");
}

static cdn_status put_file(const cdn_spec *spec, const char *file, const char *path, cdn_buffer *to) {
  char seen[4096];
  io_path_from(spec, file, path, seen, sizeof seen);
  return put_text(to, seen);
}

/* Texts that name files: a file is found from where the model is. */
static bool names_file(const io_element_kind *kind, const io_field *f) {
  return kind == &io_element_kinds()[CDN_SPEC_ASSET] &&
         (strcmp(f->name, "file") == 0 || strcmp(f->name, "side_file") == 0);
}

static cdn_status put_words(const cdn_spec *spec, const io_element_kind *kind, const io_field *f, const void *at,
                            const char *path, cdn_buffer *to) {
  const char *const *texts = at;
  if (f->count > 1) CDNI_TRY(io_put(to, "["));
  for (int k = 0; k < f->count; k++) {
    if (k > 0) CDNI_TRY(io_put(to, ", "));
    if (!texts[k]) CDNI_TRY(io_put(to, "null"));
    else if (names_file(kind, f)) CDNI_TRY(put_file(spec, texts[k], path, to));
    else CDNI_TRY(put_text(to, texts[k]));
  }
  return f->count > 1 ? io_put(to, "]") : CDN_OK;
}

static cdn_status put_integers(cdn_buffer *to, const int *x, int n) {
  if (n == 1) return io_put(to, "%d", x[0]);
  for (int k = 0; k < n; k++) CDNI_TRY(io_put(to, "%s%d", k ? ", " : "[", x[k]));
  return io_put(to, "]");
}

static cdn_status put_value(const cdn_spec *spec, const io_element_kind *kind, const io_field *f, const void *element,
                            const char *path, cdn_buffer *to) {
  const void *at = io_field_at(f, element);
  const int n = io_field_count(f, element);
  switch (f->type) {
    case IO_FIELD_TEXT: return put_words(spec, kind, f, at, path, to);
    case IO_FIELD_TRUTH: return io_put(to, *(const bool *)at ? "true" : "false");
    case IO_FIELD_INTEGER: return put_integers(to, at, n);
    case IO_FIELD_WORD: return put_text(to, f->word(*(const int *)at));
    case IO_FIELD_LETTERS: return put_text(to, at);
    case IO_FIELD_NUMBER: return n == 1 ? put_number(to, *(const double *)at) : put_numbers(to, at, n);
    case IO_FIELD_LIST: return put_numbers(to, io_field_numbers(f, element), n);
  }
  return CDN_ERR_ARG; /* no such type */
}

/* ---- elements -------------------------------------------------------------------------------- */

static cdn_status put_element(const cdn_spec *spec, const io_element_kind *kind, const void *element, const char *path,
                              cdn_buffer *to) {
  io_any_element standard;
  kind->start(&standard);
  bool first = true;
  CDNI_TRY(io_put(to, "{ "));
  for (int i = 0; i < kind->n_fields; i++) {
    const io_field *f = &kind->fields[i];
    if (io_field_equal(f, element, &standard)) continue;
    CDNI_TRY(io_put(to, "%s\"%s\": ", first ? "" : ", ", f->name));
    CDNI_TRY(put_value(spec, kind, f, element, path, to));
    first = false;
  }
  return io_put(to, " }");
}

static cdn_status put_kind(const cdn_spec *spec, cdn_spec_kind which, const char *path, cdn_buffer *to) {
  const io_element_kind *kind = &io_element_kinds()[which];
  const int n = cdn_spec_count(spec, which);
  if (n == 0) return CDN_OK;
  CDNI_TRY(io_put(to, ",\n  \"%s\": [", kind->plural));
  for (int i = 0; i < n; i++) {
    io_any_element element;
    kind->start(&element);
    CDNI_TRY(kind->get(spec, i, &element));
    CDNI_TRY(io_put(to, "%s\n    ", i ? "," : ""));
    CDNI_TRY(put_element(spec, kind, &element, path, to));
  }
  return io_put(to, "\n  ]");
}

static cdn_status put_flag(cdn_buffer *to, const char *name, bool flag) {
  return flag ? io_put(to, ",\n  \"%s\": true", name) : CDN_OK;
}

static cdn_status put_notes(const io_log *log, cdn_buffer *to) {
  if (log->notes.count == 0) return CDN_OK;
  CDNI_TRY(io_put(to, ",\n  \"not simulated\": ["));
  for (size_t i = 0; i < log->notes.count; i++) {
    if (i > 0) CDNI_TRY(io_put(to, ", "));
    CDNI_TRY(put_text(to, CDNI_AT(log->notes, io_note, i).element));
  }
  return io_put(to, "]");
}

cdn_status io_write_json(const cdn_spec *spec, const char *path, cdn_buffer *to) {
  const io_whole *w = &spec->whole;
  CDNI_TRY(io_put(to, "{\n  \"cardan model\": 1,\n  \"name\": "));
  CDNI_TRY(put_text(to, cdn_spec_name(spec)));
  if (w->has_gravity) {
    CDNI_TRY(io_put(to, ",\n  \"gravity\": "));
    CDNI_TRY(put_numbers(to, &w->gravity.x, 3));
  }
  CDNI_TRY(put_flag(to, "meshes have looks", w->meshes_have_looks));
  CDNI_TRY(put_flag(to, "parents touch", w->parents_touch));
  CDNI_TRY(put_flag(to, "overlaps pass", w->overlaps_pass));
  if (w->has_solver) {
    CDNI_TRY(io_put(to, ",\n  \"solver\": "));
    CDNI_TRY(put_element(spec, io_solver_fields(), &w->solver, path, to));
  }
  if (w->medium.density != 0 || w->medium.viscosity != 0) {
    CDNI_TRY(io_put(to, ",\n  \"medium\": "));
    CDNI_TRY(put_element(spec, io_medium_fields(), &w->medium, path, to));
  }
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++) CDNI_TRY(put_kind(spec, (cdn_spec_kind)kind, path, to));
  CDNI_TRY(put_notes(&spec->log, to));
  return io_put(to, "\n}\n");
}
