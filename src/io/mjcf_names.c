/* Names. Bodies, joints, keyframes, sensors and actuators each have unique ones: a table of each finds a name that the
 * file gives twice, and keeps made-up names apart from the file's own. */
#include <stdio.h>

#include "io/mjcf.h"

cdn_status io_mjcf_out_of_memory(mjcf_reader *r) { return io_fail(r->d, CDN_ERR_NOMEM, 0, "out of memory"); }

/* Copies a name to *out and enters it with its line; *twin is the line of the one that has it already, or -1. */
static cdn_status claim(mjcf_reader *r, int kind, const char *text, int line, char **out, int *twin) {
  *twin = io_names_find(&r->names[kind], text);
  if (*twin >= 0) return CDN_OK;
  *out = cdni_strdup(&r->d->allocator, text);
  if (!*out || io_names_add(&r->d->allocator, &r->names[kind], *out, line) < 0) return io_mjcf_out_of_memory(r);
  return CDN_OK;
}

cdn_status io_mjcf_name_world(mjcf_reader *r) {
  int twin;
  return claim(r, MJCF_NAME_BODY, "world", 0, &CDNI_AT(r->d->bodies, io_body, 0).name, &twin);
}

const char *io_mjcf_name(mjcf_reader *r, io_xml_node *node) {
  const char *name = io_xml_string(node, "name");
  if (!name || !name[0] || !r->suffix) return name;
  snprintf(r->full_name, sizeof r->full_name, "%.460s%.50s", name, r->suffix);
  return r->full_name;
}

cdn_status io_mjcf_take_name(mjcf_reader *r, io_xml_node *node, int kind, char **out) {
  static const char *const one[] = { "body", "joint", "keyframe", "sensor", "actuator" };
  static const char *const many[] = { "bodies", "joints", "keyframes", "sensors", "actuators" };
  const char *text = io_mjcf_name(r, node);
  if (!text || !text[0]) return CDN_OK;
  int twin;
  CDNI_TRY(claim(r, kind, text, io_xml_line(node), out, &twin));
  if (twin < 0) return CDN_OK;
  if (twin == 0)
    return io_xml_fail(r->d, CDN_ERR_PARSE, node, "'world' is the name of the worldbody; give this body another");
  return io_xml_fail(r->d, CDN_ERR_PARSE, node, "another %s, on line %d, has this name; names of %s must differ",
                     one[kind], twin, many[kind]);
}

/* Makes a name from a stem and a number, with marks added until no other has it. */
static cdn_status make_up(mjcf_reader *r, int kind, const char *stem, const char *word, int number, char **out) {
  char text[200];
  int n = snprintf(text, sizeof text, "%.120s%s%s%d", stem, stem[0] ? "_" : "", word, number);
  for (;;) {
    int twin;
    CDNI_TRY(claim(r, kind, text, 0, out, &twin));
    if (twin < 0) return CDN_OK;
    if (n + 1 >= (int)sizeof text)
      return io_fail(r->d, CDN_ERR_LIMIT, 0, "no unused name like '%s' can be made up; name every element", text);
    text[n++] = '_';
    text[n] = '\0';
  }
}

cdn_status io_mjcf_name_the_rest(mjcf_reader *r) {
  static const char *const words[] = {
    [IO_PIN] = "hinge", [IO_SLIDER] = "slide", [IO_BALL] = "ball", [IO_FREE] = "free"
  };
  io_description *d = r->d;
  for (size_t i = 0; i < d->bodies.count; i++) {
    io_body *b = &CDNI_AT(d->bodies, io_body, i);
    const char *word = i == 0 ? "world" : "body";
    if (!b->name) CDNI_TRY(make_up(r, MJCF_NAME_BODY, "", word, (int)i, &b->name));
    for (int k = 0; k < b->n_joints; k++) {
      io_joint *j = &CDNI_AT(d->joints, io_joint, b->first_joint + k);
      if (!j->name) CDNI_TRY(make_up(r, MJCF_NAME_JOINT, b->name, words[j->kind], k + 1, &j->name));
    }
  }
  for (size_t i = 0; i < d->keys.count; i++) {
    io_key *key = &CDNI_AT(d->keys, io_key, i);
    if (!key->name) CDNI_TRY(make_up(r, MJCF_NAME_KEY, "", "key", (int)i, &key->name));
  }
  for (size_t i = 0; i < d->sensors.count; i++) {
    io_sensor *sensor = &CDNI_AT(d->sensors, io_sensor, i);
    if (!sensor->name) CDNI_TRY(make_up(r, MJCF_NAME_SENSOR, "", sensor->word, (int)i, &sensor->name));
  }
  for (size_t i = 0; i < d->actuators.count; i++) {
    io_actuator *a = &CDNI_AT(d->actuators, io_actuator, i);
    const char *joint = a->joint >= 0 ? CDNI_AT(d->joints, io_joint, a->joint).name : "";
    if (a->actuator.name || a->lost) continue;
    CDNI_TRY(make_up(r, MJCF_NAME_ACTUATOR, joint, "actuator", (int)i, (char **)&a->actuator.name));
  }
  return CDN_OK;
}
