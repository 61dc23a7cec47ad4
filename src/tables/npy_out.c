/* Arrays of NumPy as bytes. */
#include "tables/npy.h"

enum { MARK = 12, ALIGNED = 64, DIGITS = 20 };

static bool put(const cdn_allocator *a, cdni_array *to, const void *bytes, size_t n) {
  char *at = cdni_array_extend(a, to, 1, n);
  if (at) memcpy(at, bytes, n);
  return at || n == 0;
}

static bool put_text(const cdn_allocator *a, cdni_array *to, const char *text) {
  return put(a, to, text, strlen(text));
}

/* A text as Python writes it. */
static bool put_quoted(const cdn_allocator *a, cdni_array *to, const char *text) {
  bool ok = put_text(a, to, "'");
  for (; *text && ok; text++) {
    char escaped[8];
    const unsigned char c = (unsigned char)*text;
    if (c < ' ' || c == 0x7f) snprintf(escaped, sizeof escaped, "\\x%02x", c);
    else if (c == '\'' || c == '\\') snprintf(escaped, sizeof escaped, "\\%c", c);
    else snprintf(escaped, sizeof escaped, "%c", c);
    ok = put_text(a, to, escaped);
  }
  return ok && put_text(a, to, "'");
}

/* The mark and the length go before a dictionary, which is filled up with blanks. */
static bool put_head(const cdn_allocator *a, cdni_array *to, cdni_array *dictionary) {
  static const char ascii[] = "\x93NUMPY\x02", unicode[] = "\x93NUMPY\x03";
  bool plain = true, ok = true;
  for (size_t i = 0; i < dictionary->count; i++) plain = plain && (unsigned char)CDNI_AT(*dictionary, char, i) < 0x80;
  while (ok && (MARK + dictionary->count + 1) % ALIGNED) ok = put_text(a, dictionary, " ");
  ok = ok && put_text(a, dictionary, "\n");
  const size_t n = dictionary->count;
  const unsigned char length[] = { 0, n & 255, n >> 8 & 255, n >> 16 & 255, n >> 24 & 255 };
  ok = ok && put(a, to, plain ? ascii : unicode, 7) && put(a, to, length, sizeof length) &&
       put(a, to, dictionary->data, n);
  cdni_array_free(a, dictionary);
  return ok;
}

bool npy_put_table_head(const cdn_allocator *a, cdni_array *to, const table_head *head, bool matrix, int64_t rows) {
  cdni_array d = { 0 };
  char shape[96];
  bool ok = put_text(a, &d, matrix ? "{'descr': '<f8'" : "{'descr': [");
  for (int i = 0; i < head->n_columns && ok && !matrix; i++)
    ok = put_text(a, &d, "(") && put_quoted(a, &d, head->name[i]) && put_text(a, &d, ", '<f8'), ");
  if (matrix)
    snprintf(shape, sizeof shape, ", 'fortran_order': False, 'shape': (%lld, %d), }", (long long)rows, head->n_columns);
  else snprintf(shape, sizeof shape, "], 'fortran_order': False, 'shape': (%lld,), }", (long long)rows);
  ok = ok && put_text(a, &d, shape);
  /* as long as if the number of rows had all its digits */
  for (int k = snprintf(NULL, 0, "%lld", (long long)rows); k < DIGITS && ok; k++) ok = put_text(a, &d, " ");
  if (ok) return put_head(a, to, &d);
  cdni_array_free(a, &d);
  return false;
}

/* ---- texts ---- */

/* The next character of UTF-8; what is none becomes U+FFFD. */
static uint32_t next_character(const unsigned char **at) {
  const unsigned char *c = *at;
  const int more = *c < 0x80 ? 0 : *c >= 0xf0 && *c < 0xf8 ? 3 : *c >= 0xe0 ? 2 : *c >= 0xc0 ? 1 : -1;
  uint32_t x = more <= 0 ? *c : *c & (0x3fu >> more);
  *at = c + 1;
  for (int i = 1; i <= more; i++, ++*at) {
    if ((c[i] & 0xc0) != 0x80) return 0xfffd;
    x = x << 6 | (c[i] & 0x3f);
  }
  return more < 0 || *c >= 0xf8 ? 0xfffd : x;
}

bool npy_put_texts(const cdn_allocator *a, cdni_array *to, int n, char *const *texts) {
  cdni_array d = { 0 };
  char text[128];
  size_t longest = 1;
  const int count = n < 0 ? 1 : n;
  for (int i = 0; i < count; i++) {
    size_t length = 0;
    for (const unsigned char *at = (const unsigned char *)texts[i]; *at; length++) (void)next_character(&at);
    longest = length > longest ? length : longest;
  }
  if (n < 0) snprintf(text, sizeof text, "{'descr': '<U%zu', 'fortran_order': False, 'shape': (), }", longest);
  else snprintf(text, sizeof text, "{'descr': '<U%zu', 'fortran_order': False, 'shape': (%d,), }", longest, n);
  if (!put_text(a, &d, text) || !put_head(a, to, &d)) return false;
  for (int i = 0; i < count; i++) {
    const unsigned char *at = (const unsigned char *)texts[i];
    unsigned char *bytes = cdni_array_extend(a, to, 1, 4 * longest);
    if (!bytes) return false;
    for (size_t k = 0; *at; k++) {
      const uint32_t c = next_character(&at);
      for (int b = 0; b < 4; b++) bytes[4 * k + (size_t)b] = (unsigned char)(c >> 8 * b);
    }
  }
  return true;
}

bool npy_put_number(const cdn_allocator *a, cdni_array *to, double x) {
  cdni_array d = { 0 };
  return put_text(a, &d, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }") && put_head(a, to, &d) &&
         put(a, to, &x, sizeof x);
}
