/* A text of JSON that grows. */
#include "view/text.h"

#include <math.h>
#include <stdio.h>

void cdni_text_clear(view_text *t) {
  t->bytes.count = 0;
  t->failed = false;
}

void cdni_text_free(view_text *t) { cdni_array_free(t->allocator, &t->bytes); }

const char *cdni_text(const view_text *t) { return t->bytes.count > 0 ? t->bytes.data : ""; }

static void add(view_text *t, const char *bytes, size_t n) {
  const size_t had = cdni_text_length(t);
  if (t->failed || !cdni_array_extend(t->allocator, &t->bytes, 1, t->bytes.count > 0 ? n : n + 1)) {
    t->failed = true;
    return;
  }
  memcpy((char *)t->bytes.data + had, bytes, n);
  ((char *)t->bytes.data)[had + n] = 0;
}

static void add_text(view_text *t, const char *text) { add(t, text, strlen(text)); }

static void add_quoted(view_text *t, const char *value) {
  /* pieces that are surely shown whole, cut between characters */
  enum { PIECE = 60 };
  char piece[PIECE + 4], visible[16 * PIECE];
  add_text(t, "\"");
  for (size_t n; *value; value += n) {
    for (n = 0; n < PIECE && value[n]; n++) {}
    while (value[n] && n > PIECE - 4 && ((unsigned char)value[n] & 0xC0) == 0x80) n--;
    memcpy(piece, value, n);
    piece[n] = 0;
    cdn_visible_text(piece, visible, sizeof visible);
    for (const char *c = visible; *c; c++) {
      if (*c == '"' || *c == '\\') add(t, "\\", 1);
      add(t, c, 1);
    }
  }
  add_text(t, "\"");
}

/* The comma before a member, and its key. */
static void begin(view_text *t, const char *key) {
  const size_t n = cdni_text_length(t);
  const char last = n > 0 ? cdni_text(t)[n - 1] : '{';
  if (last != '{' && last != '[') add_text(t, ",");
  if (!key) return;
  add_quoted(t, key);
  add_text(t, ":");
}

void cdni_text_open(view_text *t, const char *key, char bracket) {
  begin(t, key);
  add(t, &bracket, 1);
}

void cdni_text_close(view_text *t, char bracket) { add(t, &bracket, 1); }

void cdni_text_string(view_text *t, const char *key, const char *value) {
  begin(t, key);
  if (value) add_quoted(t, value);
  else add_text(t, "null");
}

void cdni_text_number(view_text *t, const char *key, double value) {
  char text[CDN_NUMBER_SIZE];
  begin(t, key);
  add_text(t, isfinite(value) ? cdn_number_text(value, text) : "null");
}

void cdni_text_rounded(view_text *t, const char *key, double value) {
  char text[32];
  cdni_print(text, sizeof text, "%.9g", value);
  begin(t, key);
  add_text(t, isfinite(value) ? text : "null");
}

void cdni_text_integer(view_text *t, const char *key, int64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)value);
  begin(t, key);
  add_text(t, text);
}

void cdni_text_boolean(view_text *t, const char *key, bool value) {
  begin(t, key);
  add_text(t, value ? "true" : "false");
}

void cdni_text_numbers(view_text *t, const char *key, const double *values, int n) {
  cdni_text_open(t, key, '[');
  for (int i = 0; i < n; i++) cdni_text_number(t, NULL, values[i]);
  cdni_text_close(t, ']');
}
