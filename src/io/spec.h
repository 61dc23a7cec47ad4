/* The struct behind cdn_spec. Elements are the public structs, with texts and arrays of their own. */
#ifndef CARDAN_IO_SPEC_H
#define CARDAN_IO_SPEC_H

#include <stdatomic.h>

#include "io/log.h"

/* What is said of the whole model. */
typedef struct io_whole {
  bool from_file, has_gravity;
  bool meshes_have_looks; /* colours and pictures of a mesh's file are the shape's where the model has none */
  bool parents_touch;     /* shapes touch those of the parent body */
  bool overlaps_pass;     /* bodies that overlap in the first pose never touch: the format has no exclusions */
  bool has_solver;        /* the format has one (MJCF), or the spec was given one */
  cdn_vec3 gravity;
  cdn_spec_solver solver;
  cdn_spec_medium medium;
} io_whole;

struct cdn_spec {
  io_log log;
  char *name;
  io_whole whole;
  cdni_array elements[CDN_SPEC_KIND_COUNT];
  cdni_array attached; /* io_attached (spec_references.h) */
  atomic_int holders;  /* of a spec that never changes: what keeps it, as the original of something that is attached */
};

#define IO_ELEMENT(spec, KIND, type, i) (&CDNI_AT((spec)->elements[CDN_SPEC_##KIND], cdn_spec_##type, i))
static inline cdn_spec_body *io_spec_body(const cdn_spec *s, int i) { return IO_ELEMENT(s, BODY, body, i); }
static inline cdn_spec_constraint *io_spec_constraint(const cdn_spec *s, int i) {
  return IO_ELEMENT(s, CONSTRAINT, constraint, i);
}
static inline cdn_spec_frame *io_spec_frame(const cdn_spec *s, int i) { return IO_ELEMENT(s, FRAME, frame, i); }
static inline cdn_spec_shape *io_spec_shape(const cdn_spec *s, int i) { return IO_ELEMENT(s, SHAPE, shape, i); }
static inline cdn_spec_asset *io_spec_asset(const cdn_spec *s, int i) { return IO_ELEMENT(s, ASSET, asset, i); }
static inline cdn_spec_sensor *io_spec_sensor(const cdn_spec *s, int i) { return IO_ELEMENT(s, SENSOR, sensor, i); }
static inline cdn_spec_key *io_spec_key(const cdn_spec *s, int i) { return IO_ELEMENT(s, KEY, key, i); }
static inline cdn_spec_actuator *io_spec_actuator(const cdn_spec *s, int i) {
  return IO_ELEMENT(s, ACTUATOR, actuator, i);
}
static inline cdn_spec_contact *io_spec_contact(const cdn_spec *s, int i) { return IO_ELEMENT(s, CONTACT, contact, i); }
static inline cdn_spec_camera *io_spec_camera(const cdn_spec *s, int i) { return IO_ELEMENT(s, CAMERA, camera, i); }
static inline cdn_spec_tendon *io_spec_tendon(const cdn_spec *s, int i) { return IO_ELEMENT(s, TENDON, tendon, i); }
static inline cdn_spec_path_item *io_spec_path_item(const cdn_spec *s, int i) {
  return IO_ELEMENT(s, PATH_ITEM, path_item, i);
}
static inline cdn_spec_light *io_spec_light(const cdn_spec *s, int i) { return IO_ELEMENT(s, LIGHT, light, i); }

/* spec.c: an empty spec without a name, whose file is called so in messages; NULL: out of memory. log.error may tell of
 * that, too. */
cdn_spec *io_spec_start(cdn_allocator allocator, const char *file);
/* An element as this library has it, of any kind: appended as a copy. The error is on the spec's log. The
 * second one makes up no name: the reader gives it one. */
cdn_status io_spec_add(cdn_spec *spec, cdn_spec_kind kind, const void *element, int *index);
cdn_status io_spec_append(cdn_spec *spec, cdn_spec_kind kind, const void *element, int *index);
/* Element i becomes a copy of another. */
cdn_status io_spec_replace(cdn_spec *spec, cdn_spec_kind kind, int i, const void *element);
/* Element i of a kind: a struct of that kind. */
void *io_spec_element(const cdn_spec *spec, cdn_spec_kind kind, int i);
/* The text at `offset` in element i. The spec owns it. */
const char **io_spec_text(const cdn_spec *spec, cdn_spec_kind kind, int i, size_t offset);
/* Removes the marked elements of a kind. O(elements). */
void io_spec_remove_marks(cdn_spec *spec, cdn_spec_kind kind, const bool *marked);
/* Removes all elements, as those that a reader has left when it failed. */
void io_spec_clear(cdn_spec *spec);

/* build_check.c: warns, in one line, of joints whose default coordinate is outside of their limits; `cure`: brings it
 * to the nearest one. */
void io_tell_beyond_limits(cdn_spec *spec, bool cure);

/* spec_names.c: which elements the names mean. -1: Ground, or no joint. */
typedef struct io_spec_names {
  const cdn_allocator *allocator;
  io_names bodies, joints;
  int *parent, *child; /* one a joint */
} io_spec_names;
/* Fails, with the message on spec->log, if names are not unique or joints name bodies that do not exist. The caller
 * frees it in any case. */
cdn_status io_spec_names_make(cdn_spec *spec, io_spec_names *names);
void io_spec_names_free(const cdn_spec *spec, io_spec_names *names);
/* The body that a name means, -1 for Ground; -2: there is none. */
int io_spec_find_body(const io_spec_names *names, const char *name);

/* spec_tree.c */
struct cdn_spec_tree {
  cdn_allocator allocator;
  cdni_array mobilizers, loops; /* cdn_spec_mobilizer, cdn_spec_loop */
};
cdn_status io_spec_tree_make(cdn_spec *spec, const io_spec_names *names, cdn_spec_tree *tree);
void io_spec_tree_free(cdn_spec_tree *tree);

/* The readers. They look at documents through io/xml.h. */
struct io_xml_node;
cdn_status io_read_urdf(cdn_spec *spec, struct io_xml_node *root, const cdn_model_options *options);
cdn_status io_read_mjcf(cdn_spec *spec, struct io_xml_node *root, const cdn_model_options *options);

#endif
