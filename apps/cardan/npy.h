/* Arrays in NumPy's files: format 1.0, rows first. */
#ifndef NPY_H
#define NPY_H

#include <stdint.h>
#include <stdio.h>

#include "command.h"

typedef enum npy_type { NPY_FLOAT, NPY_DOUBLE, NPY_INT32 } npy_type;
enum { NPY_AXES = 4 };

/* Writes the head of an array, in the byte order of this machine; the numbers follow. */
void npy_write_head(FILE *file, npy_type type, int n_axes, const size_t *axes);
/* Writes an array into a file. False after it has said what is wrong. */
bool npy_write(const char *path, npy_type type, int n_axes, const size_t *axes, const void *numbers);

#endif
