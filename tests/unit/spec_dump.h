/* Specs of texts, and what they hold as text: for tests that compare specs byte for byte. */
#ifndef CARDAN_TESTS_SPEC_DUMP_H
#define CARDAN_TESTS_SPEC_DUMP_H

#include <stdlib.h>
#include <string.h>

#include "io/spec_fields.h"
#include "testing.h"

/* What a file of this name and text says. */
static inline cdn_spec *spec_of(const char *text, const char *name) {
  cdn_spec *spec;
  cdn_error error;
  const cdn_status status = cdn_spec_load_string(text, strlen(text), name, NULL, &spec);
  cdn_spec_last_error(spec, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  return spec;
}

/* The caller frees it. */
static inline char *spec_dump(const cdn_spec *spec) {
  cdn_buffer text = { 0 };
  OK(io_write_json(spec, "/tmp/cardan.json", &text));
  char *copy = malloc(text.size + 1);
  memcpy(copy, text.bytes, text.size), copy[text.size] = 0;
  cdn_buffer_free(&text);
  return copy;
}

static inline void same_spec_dump(const cdn_spec *spec, const char *before) {
  char *now = spec_dump(spec);
  size_t k = 0;
  while (now[k] && now[k] == before[k]) k++;
  const size_t from = k > 60 ? k - 60 : 0;
  ck_assert_msg(strcmp(now, before) == 0, "now    %.200s\nbefore %.200s", now + from, before + from);
  free(now);
}

#endif
