/* What a spec has beside its elements: the log of its reading and building, and data of the whole model. */
#ifndef CARDAN_IO_DESCRIPTION_H
#define CARDAN_IO_DESCRIPTION_H

#include <cardan/model.h>
#include <cardan/spec.h>

#include "core/core.h"
#include "io/names.h"

typedef struct io_note {
  char *element;
  int count;
  int line;
} io_note;

typedef struct io_description {
  cdn_allocator allocator;
  char *name;            /* of the model */
  char *file;            /* for messages */
  const char *body_word; /* the format's word for a body: "link" or "body" (the default); static storage */
  bool has_gravity;
  bool meshes_have_looks; /* colours and pictures of a mesh's file are the shape's where the model has none */
  bool parents_touch;     /* shapes touch those of the parent body */
  bool overlaps_pass;     /* bodies that overlap in the first pose never touch: the format has no exclusions */
  cdn_vec3 gravity;
  cdn_spec_solver solver;
  bool has_solver;     /* the format has one (MJCF), or the spec was given one */
  cdni_array notes;    /* io_note: elements that were not understood */
  io_names note_names; /* the indices of the notes */
  cdni_array warnings; /* char * */
  cdn_error error;     /* the first error; its code is CDN_OK if there was none */
} io_description;

/* description.c */
void io_description_init(io_description *d, cdn_allocator allocator, const char *file);
void io_description_free(io_description *d);
/* Appends the notes and warnings of `from` to those of `to`. */
cdn_status io_description_copy_log(io_description *to, const io_description *from);
/* Keeps the first error as "file:line: text", without a line if line <= 0. Returns `code`. */
cdn_status io_fail(io_description *d, cdn_status code, int line, const char *format, ...) CDN_PRINTF(4, 5);
/* Turns the error that was kept into a warning that ends with `consequence`. Lack of memory stays an error. */
cdn_status io_forgive(io_description *d, cdn_status status, const char *consequence);
void io_warn(io_description *d, int line, const char *format, ...) CDN_PRINTF(3, 4);
/* Counts an element (or "element attribute") that is not simulated. */
void io_not_understood(io_description *d, int line, const char *element);
/* Warns of an inertia that no body can have. The warning names the link or body ("link 'arm'"). A negative mass is an
 * error. */
cdn_status io_check_mass(io_description *d, int line, const char *what, const char *name,
                         const cdn_mass_properties *mass);

/* spec_solver.c: what is wrong with it, or NULL. */
const char *io_check_solver(const cdn_spec_solver *s);

/* Whether shapes become shapes of the System. */
static inline bool io_shapes_touch(const cdn_model_options *options) {
  return options->contact != CDN_MODEL_NO_CONTACT && !options->tree_only;
}

/* Whether limits and dry friction of joints become soft rows; else they become stops, and friction that sticks. */
static inline bool io_has_soft_rows(const cdn_model_options *options) {
  return options->contact == CDN_MODEL_SOFT && !options->tree_only; /* what the file decides is settled by then */
}

static inline bool io_has_soft_equalities(const cdn_model_options *options) {
  return options->equality == CDN_MODEL_SOFT_EQUALITY && !options->tree_only;
}

#endif
