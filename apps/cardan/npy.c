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

/* ---- reading ------------------------------------------------------------------------------- */

typedef struct npy_head {
  char order; /* '<' or '>' */
  size_t size;
  bool columns_first;
} npy_head;

/* The text behind a key of the head's dictionary, without the space before it; NULL: it has no such key. */
static const char *value_of(const char *text, const char *key) {
  const char *at = strstr(text, key);
  if (!at) return NULL;
  at += strlen(key);
  while (*at == ' ' || *at == ':') at++;
  return at;
}

static bool read_shape(const char *at, npy_array *out) {
  out->n_axes = 0, out->count = 1;
  for (at++; *at && *at != ')';) {
    char *end;
    const unsigned long long n = strtoull(at, &end, 10);
    if (end == at || out->n_axes == NPY_AXES || (n > 0 && out->count > SIZE_MAX / 16 / n)) return false;
    out->axes[out->n_axes++] = (size_t)n, out->count *= (size_t)n;
    for (at = end; *at == ',' || *at == ' ';) at++;
  }
  return *at == ')' && out->n_axes > 0;
}

static bool read_head(FILE *file, npy_head *head, npy_array *out) {
  enum { MOST = 1 << 16 };
  uint8_t mark[12] = { 0 };
  static char text[MOST + 1];
  if (fread(mark, 1, 8, file) != 8 || memcmp(mark, "\x93NUMPY", 6) != 0 || mark[6] < 1 || mark[6] > 3) return false;
  const size_t digits = mark[6] == 1 ? 2 : 4;
  if (fread(mark + 8, 1, digits, file) != digits || mark[10] || mark[11]) return false;
  const size_t n = mark[8] | (size_t)mark[9] << 8;
  if (fread(text, 1, n, file) != n) return false;
  text[n] = 0;
  const char *type = value_of(text, "'descr'"), *order = value_of(text, "'fortran_order'"),
             *shape = value_of(text, "'shape'");
  if (!type || !order || !shape || *shape != '(') return false;
  head->order = type[1], head->columns_first = *order == 'T';
  head->size = strncmp(type + 2, "f8'", 3) == 0 ? 8 : strncmp(type + 2, "f4'", 3) == 0 ? 4 : 0;
  return head->size > 0 && (head->order == '<' || head->order == '>') && read_shape(shape, out);
}

static bool read_number(FILE *file, const npy_head *head, double *out) {
  uint8_t bytes[8], turned[8];
  float single;
  if (fread(bytes, 1, head->size, file) != head->size) return false;
  for (size_t i = 0; i < head->size; i++)
    turned[i] = head->order == byte_order() ? bytes[i] : bytes[head->size - 1 - i];
  if (head->size == 8) memcpy(out, turned, 8);
  else memcpy(&single, turned, 4), *out = (double)single;
  return true;
}

/* Where number i of a file in columns belongs. */
static size_t place_of(const npy_array *x, size_t i) {
  size_t at = 0, stride = x->count;
  for (int k = 0; k < x->n_axes; k++) {
    stride /= x->axes[k];
    at += i % x->axes[k] * stride;
    i /= x->axes[k];
  }
  return at;
}

static bool read_numbers(FILE *file, const npy_head *head, npy_array *out) {
  bool whole = true;
  for (size_t i = 0; whole && i < out->count; i++)
    whole = read_number(file, head, &out->numbers[head->columns_first ? place_of(out, i) : i]);
  return whole && fgetc(file) == EOF;
}

/* Before there is memory for them: a head may name more numbers than there are. */
static bool has_numbers(FILE *file, const npy_head *head, const npy_array *x) {
  const long at = ftell(file);
  if (at < 0 || fseek(file, 0, SEEK_END) != 0) return false;
  const long end = ftell(file);
  return end >= at && (size_t)(end - at) == x->count * head->size && fseek(file, at, SEEK_SET) == 0;
}

bool npy_read(const char *path, npy_array *out) {
  npy_head head;
  *out = (npy_array){ 0 };
  FILE *file = fopen(path, "rb");
  if (!file) complain("%s: could not be read: %s", path, strerror(errno));
  else if (!read_head(file, &head, out))
    complain("%s: is no array of NumPy with floats of 4 or 8 bytes and at most %d axes", path, NPY_AXES);
  else if (!has_numbers(file, &head, out)) complain("%s: has not as many numbers as its head says", path);
  else {
    out->numbers = allocate(out->count, sizeof *out->numbers);
    if (read_numbers(file, &head, out)) {
      fclose(file);
      return true;
    }
    complain("%s: could not be read to its end", path);
    free(out->numbers);
    out->numbers = NULL;
  }
  if (file) fclose(file);
  return false;
}
