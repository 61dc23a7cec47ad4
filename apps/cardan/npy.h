/* Arrays in NumPy's files. */
#ifndef NPY_H
#define NPY_H

#include <stdint.h>
#include <stdio.h>

#include "command.h"

typedef enum npy_type { NPY_FLOAT, NPY_DOUBLE, NPY_INT32 } npy_type;
enum { NPY_AXES = 4 };

/* Writes the head of an array (format 1.0, rows first), in the byte order of this machine; the numbers follow. */
void npy_write_head(FILE *file, npy_type type, int n_axes, const size_t *axes);
/* Writes an array into a file. False after it has said what is wrong. */
bool npy_write(const char *path, npy_type type, int n_axes, const size_t *axes, const void *numbers);

typedef struct npy_array {
  int n_axes;
  size_t axes[NPY_AXES], count; /* count: of numbers */
  double *numbers;              /* rows first; the caller's to free */
} npy_array;
/* Reads floats of 4 or 8 bytes, in rows or columns first, in either byte order. False after it has said what is wrong:
 * then there is nothing to free. */
bool npy_read(const char *path, npy_array *out);

#endif
