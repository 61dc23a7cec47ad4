/* Shared by the tests of the MJCF reader: text or files in, description out, and questions to the description. */
#ifndef CARDAN_TESTS_UNIT_MJCF_READING_H
#define CARDAN_TESTS_UNIT_MJCF_READING_H

#include "testing.h"

#include <stdio.h>

#include "io/xml.h"

static io_description d;

/* ---- reading ---- */

static inline cdn_status read_document(io_xml_document *document) {
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_NO_CONTACT;
  cdn_status status = io_read_mjcf(&d, io_xml_root(document), &options);
  io_xml_close(document);
  return status != CDN_OK ? status : d.error.code;
}

/* Reads the inside of a <mujoco>; the first line of `body` is line 2 of "m.xml". */
static inline cdn_status try_read(const char *body) {
  const size_t size = strlen(body) + 100;
  char *text = malloc(size);
  snprintf(text, size, "<mujoco model='m'>\n%s\n</mujoco>\n", body);
  io_description_init(&d, (cdn_allocator){ 0 }, "m.xml");
  io_xml_document *document;
  cdn_status status = io_xml_open_memory(&d, text, strlen(text), &document);
  free(text);
  return status == CDN_OK ? read_document(document) : status;
}

static inline void read_text(const char *body) {
  cdn_status status = try_read(body);
  ck_assert_msg(status == CDN_OK, "%s", d.error.text);
}

static inline const char *data_path(const char *folder, const char *name) {
  static char path[1024];
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  snprintf(path, sizeof path, "%s/%s/%s", root ? root : ".", folder, name);
  return path;
}

static inline cdn_status try_file(const char *name) {
  const char *path = data_path("tests/data", name);
  io_description_init(&d, (cdn_allocator){ 0 }, path);
  io_xml_document *document;
  cdn_status status = io_xml_open(&d, path, &document);
  return status == CDN_OK ? read_document(document) : status;
}

static inline void read_data(const char *name) {
  cdn_status status = try_file(name);
  ck_assert_msg(status == CDN_OK, "%s", d.error.text);
}

static inline void done(void) { io_description_free(&d); }

/* ---- asking ---- */

static inline const io_body *body_named(const char *name) {
  for (size_t i = 0; i < d.bodies.count; i++)
    if (strcmp(CDNI_AT(d.bodies, io_body, i).name, name) == 0) return &CDNI_AT(d.bodies, io_body, i);
  ck_abort_msg("there is no body '%s'", name);
  return NULL;
}

static inline const io_joint *joint_named(const char *name) {
  for (size_t i = 0; i < d.joints.count; i++)
    if (strcmp(CDNI_AT(d.joints, io_joint, i).name, name) == 0) return &CDNI_AT(d.joints, io_joint, i);
  ck_abort_msg("there is no joint '%s'", name);
  return NULL;
}

/* How often an element was listed, 0 if not at all. */
static inline int noted(const char *element) {
  for (size_t i = 0; i < d.notes.count; i++)
    if (strcmp(CDNI_AT(d.notes, io_note, i).element, element) == 0) return CDNI_AT(d.notes, io_note, i).count;
  return 0;
}

static inline void near_vec3(cdn_vec3 a, cdn_vec3 b, double tolerance) {
  NEAR(a.x, b.x, tolerance);
  NEAR(a.y, b.y, tolerance);
  NEAR(a.z, b.z, tolerance);
}

static inline void near_rotation(cdn_rotation a, cdn_rotation b, double tolerance) {
  near_vec3(a.x, b.x, tolerance);
  near_vec3(a.y, b.y, tolerance);
  near_vec3(a.z, b.z, tolerance);
}

static inline void near_transform(cdn_transform a, cdn_transform b, double tolerance) {
  near_rotation(a.R, b.R, tolerance);
  near_vec3(a.p, b.p, tolerance);
}

static inline void near_inertia(cdn_inertia a, cdn_inertia b, double tolerance) {
  NEAR(a.xx, b.xx, tolerance);
  NEAR(a.yy, b.yy, tolerance);
  NEAR(a.zz, b.zz, tolerance);
  NEAR(a.xy, b.xy, tolerance);
  NEAR(a.xz, b.xz, tolerance);
  NEAR(a.yz, b.yz, tolerance);
}

/* A handful of roundings of numbers of order one. */
#define TINY 4e-15

static inline cdn_rotation about(double x, double y, double z, double angle) {
  return cdn_rotation_axis_angle(cdn_v3(x, y, z), angle);
}

#endif
