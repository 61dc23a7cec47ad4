/* The members of a spec's elements as a table: what a file of a spec has to hold. A member of a struct of spec.h that
 * is not in the table fails the test spec_fields. */
#ifndef CARDAN_IO_SPEC_FIELDS_H
#define CARDAN_IO_SPEC_FIELDS_H

#include <cardan/stream.h>

#include "io/spec.h"

typedef enum io_field_type {
  IO_FIELD_TEXT,    /* const char *; NULL: not there */
  IO_FIELD_TRUTH,   /* bool */
  IO_FIELD_INTEGER, /* int */
  IO_FIELD_WORD,    /* an enumeration, whose values have words */
  IO_FIELD_NUMBER,  /* double */
  IO_FIELD_LETTERS, /* char [count], with a zero at the end */
  IO_FIELD_LIST     /* const double *, whose length is the int at `length` */
} io_field_type;

typedef struct io_field {
  const char *name;
  io_field_type type;
  size_t offset;
  int count; /* of an array in the element; else 1 */
  size_t length;
  const char *(*word)(int value); /* of an enumeration: the word of a value; NULL past the last one */
} io_field;

typedef struct io_element_kind {
  const char *word, *plural; /* "body", "bodies" */
  size_t size;
  const io_field *fields;
  int n_fields;
  void (*start)(void *element); /* its defaults */
  cdn_status (*get)(const cdn_spec *spec, int i, void *element);
} io_element_kind;

const io_element_kind *io_element_kinds(void); /* CDN_SPEC_KIND_COUNT of them */
/* Those of cdn_spec_solver and cdn_spec_medium, of which a spec has one; they have no `get`. */
const io_element_kind *io_solver_fields(void);
const io_element_kind *io_medium_fields(void);

static inline const void *io_field_at(const io_field *f, const void *element) {
  return (const char *)element + f->offset;
}
/* Its values: as many as the array or the list has, and those that are numbers. */
int io_field_count(const io_field *f, const void *element);
const double *io_field_numbers(const io_field *f, const void *element);
/* Whether the field has the same bits in two elements; texts are compared by their letters. */
bool io_field_equal(const io_field *f, const void *a, const void *b);

/* Whether a list of numbers differs from another by no more than rounding does: by PART of its largest number. */
bool io_field_near(const io_field *f, const void *a, const void *b);

/* Told of what a format cannot hold, once for each; `tell` NULL: that is an error. */
typedef struct io_lost {
  void (*tell)(void *context, const char *what);
  void *context;
} io_lost;

/* The formats that a spec is written in: a text; paths of assets are as seen from `path`. */
cdn_status io_write_json(const cdn_spec *spec, const char *path, cdn_buffer *text); /* spec_json_write.c */
cdn_status io_write_mjcf(cdn_spec *spec, const char *path, const io_lost *lost, cdn_buffer *text); /* mjcf_write.c */
cdn_status io_write_urdf(cdn_spec *spec, const char *path, const io_lost *lost, cdn_buffer *text); /* urdf_write.c */
/* spec_json.c: the reader of JSON. */
cdn_status io_read_json(cdn_spec *spec, const char *text, size_t size);
/* spec_save.c: a text, or CDN_ERR_NOMEM. */
cdn_status io_put(cdn_buffer *text, const char *format, ...) CDN_PRINTF(2, 3);
/* The path of an asset's file as seen from the file `from`. */
void io_path_from(const cdn_spec *spec, const char *file, const char *from, char *path, size_t size);

#endif
