/* Lines of text and numbers in columns, and the memory of what is loaded. */
#define _GNU_SOURCE /* strtod_l */
#include <errno.h>
#include <locale.h>
#include <math.h>

#include "core/sized.h"
#include "io/molecule.h"

/* ---- lines ---- */

cdn_status io_lines_open(io_lines *l, io_log *log) {
  l->log = log, l->line = 0, l->length = l->n = l->at = 0;
  l->bytes = (io_bytes){ .file = NULL };
  l->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!l->locale) return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
  return io_bytes_open(&l->bytes, log);
}

void io_lines_close(io_lines *l) {
  io_bytes_close(&l->bytes);
  if (l->locale) freelocale(l->locale);
  l->locale = NULL;
}

cdn_status io_lines_next(io_lines *l, bool *there) {
  bool ended = false;
  *there = false, l->length = 0;
  while (!ended) {
    if (l->at == l->n) {
      CDNI_TRY(io_bytes_read(&l->bytes, l->log, l->wait, sizeof l->wait, &l->n));
      l->at = 0;
      if (l->n == 0) break;
    }
    if (!*there) *there = true, l->line++;
    const char c = l->wait[l->at++];
    ended = c == '\n';
    if (c == 0) return io_fail(l->log, CDN_ERR_PARSE, l->line, "the line has a byte 0: this is no text");
    if (!ended && l->length == IO_LONGEST_LINE)
      return io_fail(l->log, CDN_ERR_PARSE, l->line, "the line has more than %d bytes: this is no text of this kind",
                     IO_LONGEST_LINE);
    if (!ended) l->text[l->length++] = c;
  }
  while (l->length > 0 && l->text[l->length - 1] == '\r') l->length--;
  l->text[l->length] = 0;
  return CDN_OK;
}

/* ---- numbers in columns ---- */

static const char absent[] = "a number is missing", odd[] = "this is no number",
                  together[] = "numbers run together, or are not in their columns",
                  overflown[] = "a number did not fit into its columns (asterisks)",
                  infinite[] = "a number is not finite", large[] = "a number is too large";

void io_field_text(const char *field, size_t width, char *to, size_t size) {
  while (width > 0 && *field == ' ') field++, width--;
  while (width > 0 && field[width - 1] == ' ') width--;
  if (width > size - 1) width = size - 1;
  memcpy(to, field, width);
  to[width] = 0;
}

/* What is wrong with the characters of a number, whatever their order is. */
static const char *wrong_characters(const char *text, const char *allowed) {
  if (!*text) return absent;
  if (strchr(text, '*')) return overflown;
  if (strpbrk(text, " \t")) return together;
  for (const char *c = text; *c; c++)
    if (strchr("nN", *c)) return infinite; /* nan, inf */
  return text[strspn(text, allowed)] ? odd : NULL;
}

/* Writes E before the exponent. */
static void plain_exponent(char *text, size_t size) {
  char *letter = strpbrk(text, "dDeE");
  const size_t n = strlen(text);
  if (letter) *letter = 'E';
  else if (n > 5 && n + 1 < size && strchr("+-", text[n - 4]) && strspn(text + n - 3, "0123456789") == 3 &&
           strchr("0123456789.", text[n - 5])) {
    memmove(text + n - 3, text + n - 4, 5);
    text[n - 4] = 'E';
  }
}

const char *io_field_double(const io_lines *l, const char *field, size_t width, double *x) {
  enum { LONGEST_NUMBER = 64 };
  char text[LONGEST_NUMBER + 2], *end;
  io_field_text(field, width, text, sizeof text);
  const char *wrong = wrong_characters(text, "0123456789+-.eEdD");
  if (wrong) return wrong;
  if (strlen(text) > LONGEST_NUMBER) return odd;
  plain_exponent(text, sizeof text);
  *x = strtod_l(text, &end, l->locale);
  if (*end || end == text) return end == text ? odd : together;
  return isfinite(*x) ? NULL : large;
}

const char *io_field_int(const char *field, size_t width, int32_t *x) {
  char text[32], *end;
  io_field_text(field, width, text, sizeof text);
  const char *wrong = wrong_characters(text, "0123456789+-");
  if (wrong) return wrong;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (*end || end == text) return end == text ? odd : together;
  if (errno || value > INT32_MAX || value < -INT32_MAX) return large;
  *x = (int32_t)value;
  return NULL;
}

/* ---- memory ---- */

typedef struct block {
  void *memory;
  size_t size;
} block;

void *io_blocks_new(io_blocks *blocks, io_log *log, size_t n, size_t size) {
  const size_t bytes = n > 0 ? n * size : size;
  block b = { n > SIZE_MAX / 2 / size ? NULL : cdni_calloc(&blocks->allocator, bytes), bytes };
  if (b.memory && cdni_array_push(&blocks->allocator, &blocks->blocks, sizeof b, &b)) return b.memory;
  cdni_free(&blocks->allocator, b.memory, bytes);
  io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
  return NULL;
}

char *io_blocks_text(io_blocks *blocks, io_log *log, const char *text) {
  const size_t size = strlen(text) + 1;
  char *copy = io_blocks_new(blocks, log, size, 1);
  if (copy) memcpy(copy, text, size);
  return copy;
}

void io_blocks_free(io_blocks *blocks) {
  for (size_t i = 0; i < blocks->blocks.count; i++) {
    const block *b = &CDNI_AT(blocks->blocks, block, i);
    cdni_free(&blocks->allocator, b->memory, b->size);
  }
  cdni_array_free(&blocks->allocator, &blocks->blocks);
}

/* ---- arguments ---- */

CDNI_DEF(molecule_read_def, .ignore_box = false);

cdn_status io_molecule_arguments(const char *function, bool missing, const cdn_molecule_read_def *def,
                                 cdn_molecule_read_def *known) {
  const char *unreadable = read_molecule_read_def(known, def ? def : &molecule_read_def_defaults);
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, function, "%s", unreadable);
  if (missing) return cdni_refuse(CDN_ERR_ARG, function, "the path, or where the result shall go, is NULL");
  known->allocator = cdni_allocator_or_default(known->allocator);
  return CDN_OK;
}

cdn_status io_molecule_log(io_log *log, const char *function, const char *path, const cdn_molecule_read_def *def) {
  io_log_init(log, def->allocator, path);
  log->function = function;
  log->files = (io_files){ def->read_file, def->read_file_user };
  return log->error.code;
}
