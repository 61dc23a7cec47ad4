/* The log of a spec's reading and building: the first error, the warnings, and the elements of a file that are not
 * simulated. */
#ifndef CARDAN_IO_LOG_H
#define CARDAN_IO_LOG_H

#include <cardan/model.h>
#include <cardan/spec.h>

#include "core/core.h"
#include "io/files.h"
#include "io/names.h"

typedef struct io_note {
  char *element;
  int count;
  int line;
} io_note;

typedef struct io_log {
  cdn_allocator allocator;
  char *file;            /* for messages */
  io_files files;        /* where files come from */
  const char *function;  /* whose failures they are; static storage. Default: cdn_model_load */
  const char *body_word; /* the format's word for a body: "link" or "body" (the default); static storage */
  cdni_array notes;      /* io_note: elements that were not understood */
  io_names note_names;   /* the indices of the notes */
  cdni_array warnings;   /* char * */
  cdn_error error;       /* the first error; its code is CDN_OK if there was none */
} io_log;

void io_log_init(io_log *log, cdn_allocator allocator, const char *file);
void io_log_free(io_log *log);
/* Appends the notes and warnings of `from` to those of `to`. */
cdn_status io_log_copy(io_log *to, const io_log *from);
/* The reverse: they are taken out of `from` again. What one of them names may be counted further for others. */
void io_log_take(io_log *from, const io_log *what);
/* Keeps the first error as "file:line: text", without a line if line <= 0. Returns `code`. */
cdn_status io_fail(io_log *log, cdn_status code, int line, const char *format, ...) CDN_PRINTF(4, 5);
/* Turns the error that was kept into a warning that ends with `consequence`. Lack of memory stays an error. */
cdn_status io_forgive(io_log *log, cdn_status status, const char *consequence);
void io_warn(io_log *log, int line, const char *format, ...) CDN_PRINTF(3, 4);
/* Counts an element (or "element attribute") that is not simulated. */
void io_not_understood(io_log *log, int line, const char *element);
/* Warns of an inertia that no body can have. The warning names the link or body ("link 'arm'"). A negative mass is an
 * error. */
cdn_status io_check_mass(io_log *log, int line, const char *what, const char *name, const cdn_mass_properties *mass);

/* spec_solver.c: what is wrong with it, or NULL. */
const char *io_check_solver(const cdn_spec_solver *s);
/* spec_medium.c: likewise. */
const char *io_check_medium(const cdn_spec_medium *m);

/* Whether shapes become shapes of the System. */
static inline bool io_shapes_touch(const cdn_model_options *options) {
  return options->contact != CDN_MODEL_NO_CONTACT && !options->tree_only;
}

/* Whether limits and dry friction of joints become soft rows, or rigid; else they become stops, and friction that gives
 * way a little. */
static inline bool io_has_soft_rows(const cdn_model_options *options) {
  return options->contact == CDN_MODEL_SOFT && !options->tree_only; /* what the file decides is settled by then */
}

static inline bool io_is_rigid(const cdn_model_options *options) {
  return options->contact == CDN_MODEL_RIGID && !options->tree_only;
}

static inline bool io_has_soft_equalities(const cdn_model_options *options) {
  return options->equality == CDN_MODEL_SOFT_EQUALITY && !options->tree_only;
}

#endif
