/* Numbers of atoms and residues in PDB's few columns. */
#include <ctype.h>

#include "io/pdb.h"

static int64_t power(int64_t base, int n) {
  int64_t x = 1;
  while (n-- > 0) x *= base;
  return x;
}

/* The digits of a text in a base up to 36, -1: it has others. */
static int64_t digits_of(const char *text, int base) {
  int64_t x = 0;
  if (!*text) return -1;
  for (const char *c = text; *c; c++) {
    const int d = isdigit((unsigned char)*c)   ? *c - '0'
                  : isalpha((unsigned char)*c) ? toupper((unsigned char)*c) - 'A' + 10
                                               : 99;
    if (d >= base) return -1;
    x = x * base + d;
  }
  return x;
}

/* Of capital letters first, then of small ones: both follow the decimal numbers. */
static int64_t hybrid(const char *text, int width) {
  bool small = false, capital = false;
  for (const char *c = text; *c; c++)
    small = small || islower((unsigned char)*c), capital = capital || isupper((unsigned char)*c);
  const int64_t x = digits_of(text, 36), all = power(10, width), letters = 26 * power(36, width - 1);
  if (x < 0 || (int)strlen(text) != width || (small && capital)) return -1;
  return x - 10 * power(36, width - 1) + all + (small ? letters : 0);
}

bool io_pdb_read_count(const char *field, int width, pdb_counting *counting, int32_t *number) {
  char text[16];
  io_field_text(field, (size_t)width, text, sizeof text);
  const bool negative = text[0] == '-', letter = isalpha((unsigned char)text[0]);
  pdb_counting kind = *counting;
  int64_t x = kind == PDB_HEXADECIMAL ? -1 : digits_of(text + negative, 10);
  if (x < 0 && !negative) {
    if (kind == PDB_DECIMAL) kind = letter ? PDB_HYBRID : PDB_HEXADECIMAL;
    x = kind == PDB_HEXADECIMAL ? digits_of(text, 16) : letter ? hybrid(text, width) : -1;
  }
  if (x < 0 || x > INT32_MAX) return false;
  *number = (int32_t)(negative ? -x : x);
  *counting = kind;
  return true;
}

bool io_pdb_write_count(int32_t number, int width, char *to) {
  static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const int64_t decimal = power(10, width), letters = 26 * power(36, width - 1);
  if (number < decimal) return snprintf(to, (size_t)width + 1, "%*d", width, number) <= width;
  int64_t x = number - decimal;
  const bool small = x >= letters;
  if (small) x -= letters;
  if (x >= letters) return false;
  x += 10 * power(36, width - 1);
  to[width] = 0;
  for (int k = width - 1; k >= 0; k--, x /= 36) {
    const char c = digits[x % 36];
    to[k] = small ? (char)tolower((unsigned char)c) : c;
  }
  return true;
}
