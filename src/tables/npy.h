/* Private to the room: arrays in NumPy's format. https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 */
#ifndef CARDAN_TABLES_NPY_H
#define CARDAN_TABLES_NPY_H

#include "tables/internal.h"

/* ---- writing: bytes are appended to an array of characters; false: out of memory ---- */

/* The head of a table of so many rows: of rows by name, or of a matrix. It has the same length for all numbers of
 * rows. */
bool npy_put_table_head(const cdn_allocator *a, cdni_array *to, const table_head *head, bool matrix, int64_t rows);
/* n texts; n < 0: one by itself. */
bool npy_put_texts(const cdn_allocator *a, cdni_array *to, int n, char *const *texts);
bool npy_put_number(const cdn_allocator *a, cdni_array *to, double x);

/* ---- reading ---- */

enum { NPY_MOST_AXES = 2 };

/* What the elements of an array are; a row of names has several. */
typedef struct npy_field {
  char *name; /* NULL: the array has no names */
  char order, kind;
  size_t size, at; /* bytes; its place in an element */
} npy_field;

typedef struct npy_array {
  cdni_array fields; /* npy_field */
  size_t item;       /* bytes of an element */
  int n_axes;
  size_t axes[NPY_MOST_AXES], count;
  bool columns_first;
  const unsigned char *bytes; /* of the first element */
} npy_array;

/* Reads the head of an array in memory. NULL, or what is wrong with it; npy_free in any case. */
const char *npy_parse(const cdn_allocator *a, npy_array *x, const unsigned char *bytes, size_t size);
void npy_free(const cdn_allocator *a, npy_array *x);
bool npy_is_number(const npy_field *f);
double npy_number(const npy_array *x, const npy_field *f, size_t i);
/* Element i as UTF-8, which cdni_strfree frees; NULL: it is no text, or out of memory. */
char *npy_text(const cdn_allocator *a, const npy_array *x, size_t i);

#endif
