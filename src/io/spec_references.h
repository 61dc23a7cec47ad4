/* Which texts of a spec's elements name other elements, and which numbers are seen from the body that a text names. */
#ifndef CARDAN_IO_SPEC_REFERENCES_H
#define CARDAN_IO_SPEC_REFERENCES_H

#include <cardan/spec_edit.h>

#include "io/spec_fields.h"

typedef enum io_place_kind { IO_NO_PLACE, IO_POSE, IO_POINT, IO_DIRECTION } io_place_kind;

typedef struct io_reference {
  size_t text;
  int to;        /* a cdn_spec_kind */
  bool optional; /* the element does without it */
  bool label;    /* a name that goes along, of nothing that a spec has: a link that is part of a body */
  bool or_frame; /* a link that is part of a body is a frame */
  /* Whether no text means Ground; NULL: it never does. */
  bool (*may_be_ground)(const void *element);
  /* What the text names, if that depends on the element; NULL: `to`. */
  int (*names)(const void *element);
  struct {
    io_place_kind kind;
    size_t offset;
  } place[2]; /* on the body that it names */
} io_reference;

/* Those of a kind; how many. */
int io_references(cdn_spec_kind kind, const io_reference **out);

static inline const char *io_reference_text(const io_reference *r, const void *element) {
  return *(const char *const *)(const void *)((const char *)element + r->text);
}
static inline int io_reference_kind(const io_reference *r, const void *element) {
  return r->names ? r->names(element) : r->to;
}

/* The names of all elements; path items have none that counts. Borrows the spec's texts. */
typedef struct io_spec_index {
  io_names of[CDN_SPEC_KIND_COUNT];
} io_spec_index;
cdn_status io_spec_index_make(const cdn_spec *spec, io_spec_index *index); /* freed in any case */
void io_spec_index_free(const cdn_spec *spec, io_spec_index *index);
/* The element of this kind and name; -1: none. */
static inline int io_spec_index_find(const io_spec_index *index, int kind, const char *name) {
  return name ? io_names_find(&index->of[kind], name) : -1;
}
/* What a text of an element names: element *i of the kind *to; false: nothing that is there. */
bool io_reference_find(const io_spec_index *index, const io_reference *r, const void *element, int *to, int *i);
/* Whether a text that names a body means Ground. */
static inline bool io_is_ground(const io_spec_index *index, const char *text) {
  return !text || (strcmp(text, "Ground") == 0 && io_spec_index_find(index, CDN_SPEC_BODY, text) < 0);
}

/* A set of elements of a spec. */
typedef struct io_marks {
  bool *of[CDN_SPEC_KIND_COUNT];
  int n[CDN_SPEC_KIND_COUNT];
} io_marks;
cdn_status io_marks_make(cdn_spec *spec, io_marks *marks); /* freed in any case */
void io_marks_free(const cdn_spec *spec, io_marks *marks);

static inline const char *io_element_name(const cdn_spec *spec, cdn_spec_kind kind, int i) {
  const char *name = *io_spec_text(spec, kind, i, io_element_kinds()[kind].fields[0].offset);
  return name ? name : "";
}

/* Its line was one of another file. Lines are in the same place in all kinds of elements, as in bodies. */
static inline void io_set_line(cdn_spec *spec, cdn_spec_kind kind, int i, int line) {
  ((cdn_spec_body *)io_spec_element(spec, kind, i))->line = line;
}

/* spec_delete.c: marks what refers to marked elements, and tells of it. */
void io_marks_spread(cdn_spec *spec, const io_spec_index *index, io_marks *marks, cdn_tell_fn *tell, void *context);
/* Marks the bodies that only marked ones lead to Ground, or to the base of what floats. */
cdn_status io_mark_outboard(cdn_spec *spec, const io_spec_index *index, bool *gone);
/* Takes the numbers of marked elements out of all keyframes. */
cdn_status io_spec_shorten_keys(cdn_spec *spec, const io_marks *marks);
/* Removes marked elements, and clears optional references to them. */
void io_spec_drop_marked(cdn_spec *spec, const io_spec_index *index, const io_marks *marks);
/* Both. */
cdn_status io_spec_remove_marked(cdn_spec *spec, const io_spec_index *index, const io_marks *marks);
/* What is taken out of a spec as a part: bodies, with those outboard of them, and `direct` elements (shapes, frames,
 * cameras, lights) that are taken without the body that they are on; NULL: none. */
typedef struct io_taken {
  int n;
  const int *bodies;
  const io_marks *direct;
} io_taken;
/* Marks all other bodies, and what lies on Ground. The joints on which the bodies move lead to Ground then, and the
 * direct elements are on it. What refers to something marked is for io_marks_spread. */
cdn_status io_marks_around(cdn_spec *spec, const io_spec_index *index, const io_taken *taken, io_marks *marks);

/* spec_keys.c: the numbers of a keyframe that belong to marked joints and actuators (`taken`), or to all others. `out`
 * gets lists from the spec's allocator, which io_key_free frees. */
cdn_status io_key_select(cdn_spec *spec, const cdn_spec_key *key, const io_marks *marks, bool taken, cdn_spec_key *out);
/* The same keyframe behind the defaults of the first so many joints and actuators of `spec`, and before those of the
 * others. */
cdn_status io_key_behind(cdn_spec *spec, const cdn_spec_key *key, int joints, int actuators, cdn_spec_key *out);
void io_key_free(cdn_spec *spec, cdn_spec_key *key);
/* Turns the angular velocities of what moves freely from Ground in keyframe i of a child, which is behind so many
 * joints of the spec. */
void io_key_turn(cdn_spec *spec, int key, int joints, const cdn_spec *child, const io_spec_index *names, int i,
                 cdn_rotation R);

/* spec_attach.c */
typedef struct io_attached {
  char *prefix, *suffix, *body; /* body NULL: Ground */
  cdn_transform X_BA;
  cdn_spec *original; /* as it was before; several may hold it */
} io_attached;
/* What becomes of a text that means the child's Ground: that of the reference r of element `at` of `spec`, which was
 * element i of the child. */
typedef cdn_status io_ground_fn(void *context, cdn_spec_kind kind, int i, int at, const io_reference *r);
/* What is between the child's name of an element and the suffix; "": nothing. */
typedef const char *io_mark_fn(void *context, int kind, const char *name);
/* Names with a prefix and a suffix, and poses from the child's Ground to a body. */
typedef struct io_affix {
  const char *prefix, *suffix;
  const char *body; /* NULL: Ground */
  cdn_transform X_BA;
  /* Of a reader of files; in cdn_spec_attach all are NULL. */
  const char *asset_prefix, *asset_suffix; /* of assets; NULL: as above */
  const char *folder;                      /* before the files of assets; NULL: they are looked for */
  io_ground_fn *on_ground;                 /* NULL: it is on the body */
  io_mark_fn *mark;                        /* NULL: nothing is in between */
  void *context;
} io_affix;
bool io_same_transform(const cdn_transform *a, const cdn_transform *b);
/* Appends element i of `child` to `spec` with its names and poses as they are there. Not for keyframes. After a failure
 * the element may be there. */
cdn_status io_attach_element(cdn_spec *spec, const cdn_spec *child, const io_spec_index *names, cdn_spec_kind kind,
                             int i, const io_affix *affix);
/* The same for a keyframe of the child, whose joints and actuators follow so many of the spec's. */
cdn_status io_attach_key(cdn_spec *spec, const cdn_spec_key *from, int joints, int actuators, const io_affix *affix);
/* Gives a text of an element, which the spec owns, another value; NULL: none. */
cdn_status io_spec_retext(cdn_spec *spec, const char **text, const char *value);
/* Moves what an element has on a body by X. */
void io_reference_move(const io_reference *r, void *element, const cdn_transform *X);
/* Moves what it has on the child's Ground by X; `stays`: to Ground again. Then the coordinates of a free joint change,
 * and not its frames: they are the body's pose in Ground, as in MuJoCo. */
void io_reference_carry(const io_reference *r, cdn_spec_kind kind, void *element, const cdn_transform *X, bool stays);
void io_attached_free(const cdn_allocator *a, io_attached *attached);
cdn_status io_attached_copy(cdn_spec *to, const cdn_spec *from);
/* Adds what is attached to something that is detached: without so many letters of its prefix and suffix. */
cdn_status io_attached_take(cdn_spec *to, const io_attached *from, size_t prefix, size_t suffix);
cdn_status io_edit_fail(cdn_spec *spec, cdn_status code, const char *function, const char *format, ...)
    CDN_PRINTF(4, 5);

#endif
