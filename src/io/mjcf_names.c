/* Names. Bodies, joints, keyframes, sensors, actuators and tendons each have unique ones: a table of each finds a name
 * that the file gives twice, and keeps made-up names apart from the file's own. */
#include <stdio.h>

#include "io/joints.h"
#include "io/mjcf.h"

cdn_status io_mjcf_out_of_memory(mjcf_reader *r) { return io_fail(r->log, CDN_ERR_NOMEM, 0, "out of memory"); }

/* Copies a name to *out and enters it with its line; *twin is the line of the one that has it already, or -1. */
static cdn_status claim(mjcf_reader *r, int kind, const char *text, int line, const char **out, int *twin) {
  *twin = io_names_find(&r->names[kind], text);
  if (*twin >= 0) return CDN_OK;
  *out = cdni_strdup(&r->log->allocator, text);
  if (!*out || io_names_add(&r->log->allocator, &r->names[kind], *out, line) < 0) return io_mjcf_out_of_memory(r);
  return CDN_OK;
}

cdn_status io_mjcf_name_world(mjcf_reader *r) {
  return io_names_add(&r->log->allocator, &r->names[MJCF_NAME_BODY], "world", 0) < 0 ? io_mjcf_out_of_memory(r)
                                                                                     : CDN_OK;
}

int io_mjcf_find_body(const mjcf_reader *r, const char *name) {
  for (int i = 1; i < (int)r->tree.places.count; i++) {
    const char *known = io_body_at(&r->tree, i)->name;
    if (known && strcmp(known, name) == 0) return i;
  }
  return strcmp(name, "world") == 0 ? 0 : -1;
}

const cdn_spec_joint *io_mjcf_find_joint(const mjcf_reader *r, const char *name) {
  for (int i = 0; i < cdn_spec_count(r->spec, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *joint = io_spec_joint(r->spec, i);
    if (joint->name && strcmp(joint->name, name) == 0) return joint;
  }
  return NULL;
}

const char *io_mjcf_name(mjcf_reader *r, io_xml_node *node) {
  const char *name = io_xml_string(node, "name");
  if (!name || !name[0] || !r->suffix) return name;
  snprintf(r->full_name, sizeof r->full_name, "%.460s%.50s", name, r->suffix);
  return r->full_name;
}

cdn_status io_mjcf_take_name(mjcf_reader *r, io_xml_node *node, int kind, const char **out) {
  static const char *const one[] = { "body", "joint", "keyframe", "sensor", "actuator", "tendon" };
  static const char *const many[] = { "bodies", "joints", "keyframes", "sensors", "actuators", "tendons" };
  const char *text = io_mjcf_name(r, node);
  if (!text || !text[0]) return CDN_OK;
  int twin;
  CDNI_TRY(claim(r, kind, text, io_xml_line(node), out, &twin));
  if (twin < 0) return CDN_OK;
  if (twin == 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "'world' is the name of the worldbody; give this body another");
  return io_xml_fail(r->log, CDN_ERR_PARSE, node, "another %s, on line %d, has this name; names of %s must differ",
                     one[kind], twin, many[kind]);
}

/* Makes a name from a stem and a number, with marks added until no other has it. */
static cdn_status make_up(mjcf_reader *r, int kind, const char *stem, const char *word, int number, const char **out) {
  char text[200];
  int n = snprintf(text, sizeof text, "%.120s%s%s%d", stem, stem[0] ? "_" : "", word, number);
  if (*out) return CDN_OK;
  for (;;) {
    int twin;
    CDNI_TRY(claim(r, kind, text, 0, out, &twin));
    if (twin < 0) return CDN_OK;
    if (n + 1 >= (int)sizeof text)
      return io_fail(r->log, CDN_ERR_LIMIT, 0, "no unused name like '%s' can be made up; name every element", text);
    text[n++] = '_';
    text[n] = '\0';
  }
}

/* Welds have names of bodies. */
static cdn_status name_joints(mjcf_reader *r, const io_place *place, const char *body) {
  for (int k = 0; k < place->n_joints; k++) {
    cdn_spec_joint *j = io_spec_joint(r->spec, place->first_joint + k);
    const char *word = j->kind == CDN_PIN      ? "hinge"
                       : j->kind == CDN_SLIDER ? "slide"
                       : j->kind == CDN_BALL   ? "ball"
                                               : "free";
    if (j->kind != CDN_WELD) CDNI_TRY(make_up(r, MJCF_NAME_JOINT, body, word, k + 1, &j->name));
  }
  return CDN_OK;
}

cdn_status io_mjcf_name_the_rest(mjcf_reader *r) {
  for (int i = 1; i < (int)r->tree.places.count; i++) {
    cdn_spec_body *body = io_body_at(&r->tree, i);
    CDNI_TRY(make_up(r, MJCF_NAME_BODY, "", "body", i, &body->name));
    CDNI_TRY(name_joints(r, io_place_at(&r->tree, i), body->name));
  }
  for (int i = 0; i < cdn_spec_count(r->spec, CDN_SPEC_KEY); i++)
    CDNI_TRY(make_up(r, MJCF_NAME_KEY, "", "key", i, &io_spec_key(r->spec, i)->name));
  for (int i = 0; i < cdn_spec_count(r->spec, CDN_SPEC_SENSOR); i++) {
    cdn_spec_sensor *sensor = io_spec_sensor(r->spec, i);
    CDNI_TRY(make_up(r, MJCF_NAME_SENSOR, "", io_mjcf_sensor_word(sensor->kind), i, &sensor->name));
  }
  for (int i = 0; i < (int)r->drives.count; i++) {
    const int element = CDNI_AT(r->drives, mjcf_drive, i).element;
    cdn_spec_actuator *a = element >= 0 ? io_spec_actuator(r->spec, element) : NULL;
    if (a) CDNI_TRY(make_up(r, MJCF_NAME_ACTUATOR, a->joint ? a->joint : "", "actuator", i, &a->name));
  }
  return CDN_OK;
}
