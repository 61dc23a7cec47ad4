/* Shared by the tests of the MJCF reader: text or files in, and what reading.h asks of the spec. */
#ifndef CARDAN_TESTS_UNIT_MJCF_READING_H
#define CARDAN_TESTS_UNIT_MJCF_READING_H

#include "reading.h"

#include <stdio.h>

static inline cdn_model_options without_contact(void) {
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_NO_CONTACT;
  return options;
}

/* Reads the inside of a <mujoco>; the first line of `body` is line 2 of "m.xml". */
static inline cdn_status try_read(const char *body) {
  const cdn_model_options options = without_contact();
  const size_t size = strlen(body) + 100;
  char *text = malloc(size);
  snprintf(text, size, "<mujoco model='m'>\n%s\n</mujoco>\n", body);
  const cdn_status status = cdn_spec_load_string(text, strlen(text), "m.xml", &options, &spec);
  free(text);
  return status;
}

static inline void read_text(const char *body) {
  cdn_status status = try_read(body);
  ck_assert_msg(status == CDN_OK, "%s", spec->log.error.text);
}

static inline const char *data_path(const char *folder, const char *name) {
  static char path[1024];
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  snprintf(path, sizeof path, "%s/%s/%s", root ? root : ".", folder, name);
  return path;
}

static inline cdn_status try_file(const char *name) {
  const cdn_model_options options = without_contact();
  return cdn_spec_load(data_path("tests/data", name), &options, &spec);
}

static inline void read_data(const char *name) {
  cdn_status status = try_file(name);
  ck_assert_msg(status == CDN_OK, "%s", spec->log.error.text);
}

#endif
