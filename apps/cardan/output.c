/* A small JSON writer, whose numbers read back as the same bits. */
#include "command.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* ---- JSON ---------------------------------------------------------------------------------- */

static void write_text(FILE *file, const char *text) {
  json_t *string = json_string(text);
  char *escaped = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
  if (escaped) {
    fputs(escaped, file);
  } else {
    // not UTF-8 (or no memory): keep what every reader accepts
    fputc('"', file);
    for (const char *c = text; *c; c++) fputc(*c >= ' ' && *c < 127 && *c != '"' && *c != '\\' ? *c : '?', file);
    fputc('"', file);
  }
  free(escaped);
  json_decref(string);
}

static void new_line(json_writer *w) {
  fputc('\n', w->file);
  for (int i = 0; i < w->depth; i++) fputs("  ", w->file);
}

/* The comma, the line break and the key before a value. */
static void before_value(json_writer *w, const char *key) {
  if (w->not_first) fputc(',', w->file);
  if (!w->one_line) new_line(w);
  else if (w->not_first) fputc(' ', w->file);
  w->not_first = true;
  if (key) {
    write_text(w->file, key);
    fputs(": ", w->file);
  }
}

static void open_container(json_writer *w, char opener, char closer, bool one_line) {
  fputc(opener, w->file);
  w->closer[w->depth++] = closer;
  w->not_first = false;
  if (one_line && !w->one_line) w->one_line = w->depth;
}

json_writer jw_begin(FILE *file) {
  json_writer w = { .file = file };
  open_container(&w, '{', '}', false);
  return w;
}

void jw_object(json_writer *w, const char *key, bool one_line) {
  before_value(w, key);
  open_container(w, '{', '}', one_line);
}

void jw_array(json_writer *w, const char *key, bool one_line) {
  before_value(w, key);
  open_container(w, '[', ']', one_line);
}

void jw_close(json_writer *w) {
  bool one_line = w->one_line != 0;
  if (w->one_line == w->depth) w->one_line = 0;
  w->depth--;
  if (!one_line && w->not_first) new_line(w);
  fputc(w->closer[w->depth], w->file);
  w->not_first = true;
}

void jw_end(json_writer *w) {
  jw_close(w);
  fputc('\n', w->file);
}

void jw_text(json_writer *w, const char *key, const char *text) {
  before_value(w, key);
  write_text(w->file, text);
}

void jw_integer(json_writer *w, const char *key, int64_t value) {
  before_value(w, key);
  fprintf(w->file, "%lld", (long long)value);
}

void jw_boolean(json_writer *w, const char *key, bool value) {
  before_value(w, key);
  fputs(value ? "true" : "false", w->file);
}

void jw_number(json_writer *w, const char *key, double value) {
  char text[CDN_NUMBER_SIZE];
  before_value(w, key);
  fputs(isfinite(value) ? cdn_number_text(value, text) : "null", w->file);
}

void jw_note(json_writer *w, cdn_model_note note) {
  jw_object(w, NULL, true);
  jw_text(w, "element", note.element);
  jw_integer(w, "count", note.count);
  jw_integer(w, "line", note.line);
  jw_close(w);
}

void jw_numbers(json_writer *w, const char *key, const double *values, int n) {
  jw_array(w, key, true);
  for (int i = 0; i < n; i++) jw_number(w, NULL, values[i]);
  jw_close(w);
}
