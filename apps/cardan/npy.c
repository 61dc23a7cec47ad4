/* Arrays in NumPy's files. The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#include "npy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  size_t size;
} types[] = { [NPY_FLOAT] = { "f4", 4 }, [NPY_DOUBLE] = { "f8", 8 }, [NPY_INT32] = { "i4", 4 } };

static char byte_order(void) {
  const uint16_t one = 1;
  uint8_t first;
  memcpy(&first, &one, 1);
  return first ? '<' : '>';
}

void npy_write_head(FILE *file, npy_type type, int n_axes, const size_t *axes) {
  enum { MARK = 10, ALIGNED = 64 }; /* bytes before the text; where the numbers begin is a multiple */
  char text[256];
  int n = snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", byte_order(),
                   types[type].name);
  for (int i = 0; i < n_axes; i++) n += snprintf(text + n, sizeof text - (size_t)n, "%zu,", axes[i]);
  n += snprintf(text + n, sizeof text - (size_t)n, "), }");
  while ((MARK + n + 1) % ALIGNED) text[n++] = ' ';
  text[n++] = '\n';
  const uint8_t mark[MARK] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)(n & 255), (uint8_t)(n >> 8) };
  fwrite(mark, 1, MARK, file);
  fwrite(text, 1, (size_t)n, file);
}

bool npy_write(const char *path, npy_type type, int n_axes, const size_t *axes, const void *numbers) {
  FILE *file = fopen(path, "wb");
  size_t count = 1;
  if (!file) {
    complain("%s: could not be written: %s", path, strerror(errno));
    return false;
  }
  for (int i = 0; i < n_axes; i++) count *= axes[i];
  npy_write_head(file, type, n_axes, axes);
  fwrite(numbers, types[type].size, count, file);
  return finish_output(file, path);
}
