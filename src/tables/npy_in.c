/* Arrays of NumPy in memory. */
#include "tables/npy.h"

/* ---- the head's dictionary ---- */

typedef struct reader {
  const cdn_allocator *a;
  const char *at, *end;
} reader;

static void skip(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\n')) r->at++;
}

static bool take(reader *r, char c) {
  skip(r);
  if (r->at >= r->end || *r->at != c) return false;
  r->at++;
  return true;
}

static bool take_word(reader *r, const char *word) {
  const size_t n = strlen(word);
  skip(r);
  if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0) return false;
  r->at += n;
  return true;
}

static int hex(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* A text in quotes, which cdni_strfree frees; NULL: there is none. */
static char *take_text(reader *r) {
  skip(r);
  if (r->at >= r->end || (*r->at != '\'' && *r->at != '"')) return NULL;
  const char quote = *r->at++;
  cdni_array text = { 0 };
  bool ok = true;
  for (; ok && r->at < r->end && *r->at != quote; r->at++) {
    char c = *r->at;
    if (c == '\\' && r->at + 1 < r->end) {
      c = *++r->at;
      if (c == 'x' && r->end - r->at > 2 && hex(r->at[1]) >= 0 && hex(r->at[2]) >= 0) {
        c = (char)(16 * hex(r->at[1]) + hex(r->at[2]));
        r->at += 2;
      }
    }
    ok = cdni_array_push(r->a, &text, 1, &c) != NULL;
  }
  ok = ok && r->at < r->end && cdni_array_push(r->a, &text, 1, NULL);
  if (ok) r->at++;
  char *copy = ok ? cdni_strdup(r->a, text.data) : NULL;
  cdni_array_free(r->a, &text);
  return copy;
}

static bool take_size(reader *r, size_t *n) {
  enum { BASE = 10 };
  skip(r);
  const char *from = r->at;
  for (*n = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
    if (*n > SIZE_MAX / 32) return false;
    *n = *n * BASE + (size_t)(*r->at - '0');
  }
  return r->at > from;
}

/* A type such as '<f8', of the field that ends the list. */
static bool take_type(reader *r, npy_array *x, char *name) {
  char *text = take_text(r);
  npy_field f = { .name = name, .at = x->item };
  bool ok = text && strlen(text) > 2 && strchr("<>|=", text[0]) && strchr("fiubUS", text[1]);
  if (ok) {
    reader digits = { r->a, text + 2, text + strlen(text) };
    f.order = text[0], f.kind = text[1];
    ok = take_size(&digits, &f.size) && f.size > 0 && f.size < 1 << 26 && digits.at == digits.end;
    if (f.kind == 'U') f.size *= 4;
    x->item += f.size;
  }
  cdni_strfree(r->a, text);
  return ok && cdni_array_push(r->a, &x->fields, sizeof f, &f);
}

static bool take_fields(reader *r, npy_array *x) {
  if (!take(r, '[')) return take_type(r, x, NULL);
  while (take(r, '(')) {
    char *name = take_text(r);
    const size_t before = x->fields.count;
    const bool ok = name && take(r, ',') && take_type(r, x, name);
    if (x->fields.count == before) cdni_strfree(r->a, name);
    if (!ok || !take(r, ')')) return false;
    if (!take(r, ',')) break;
  }
  return take(r, ']') && x->fields.count > 0;
}

static bool take_shape(reader *r, npy_array *x) {
  if (!take(r, '(')) return false;
  x->count = 1;
  while (!take(r, ')')) {
    size_t n;
    if (x->n_axes == NPY_MOST_AXES || !take_size(r, &n) || (n > 0 && x->count > SIZE_MAX / 64 / n)) return false;
    x->axes[x->n_axes++] = n;
    x->count *= n;
    if (!take(r, ',')) return take(r, ')');
  }
  return true;
}

static bool take_dictionary(reader *r, npy_array *x) {
  int found = 0;
  if (!take(r, '{')) return false;
  while (!take(r, '}')) {
    char *key = take_text(r);
    bool ok = key && take(r, ':');
    if (ok && strcmp(key, "descr") == 0) ok = take_fields(r, x), found |= 1;
    else if (ok && strcmp(key, "fortran_order") == 0)
      ok = (x->columns_first = take_word(r, "True")) || take_word(r, "False"), found |= 2;
    else if (ok && strcmp(key, "shape") == 0) ok = take_shape(r, x), found |= 4;
    else ok = false;
    cdni_strfree(r->a, key);
    if (!ok) return false;
    (void)take(r, ',');
  }
  return found == 7;
}

const char *npy_parse(const cdn_allocator *a, npy_array *x, const unsigned char *bytes, size_t size) {
  enum { FIRST = 8 };
  *x = (npy_array){ 0 };
  if (size < FIRST + 4 || memcmp(bytes, "\x93NUMPY", 6) != 0 || bytes[6] < 1 || bytes[6] > 3)
    return "is no array of NumPy";
  const size_t digits = bytes[6] == 1 ? 2 : 4, from = FIRST + digits;
  size_t n = 0;
  for (size_t i = digits; i-- > 0;) n = n << 8 | bytes[FIRST + i];
  if (n > size - from) return "is cut within its head";
  reader r = { a, (const char *)bytes + from, (const char *)bytes + from + n };
  if (!take_dictionary(&r, x)) return "has a head or elements that are not known";
  x->bytes = bytes + from + n;
  if (x->count > 0 && (size - from - n) / x->item < x->count) return "has fewer numbers than its head tells";
  return NULL;
}

void npy_free(const cdn_allocator *a, npy_array *x) {
  for (size_t i = 0; i < x->fields.count; i++) cdni_strfree(a, CDNI_AT(x->fields, npy_field, i).name);
  cdni_array_free(a, &x->fields);
}

/* ---- elements ---- */

bool npy_is_number(const npy_field *f) {
  switch (f->kind) {
    case 'f': return f->size == 4 || f->size == 8;
    case 'i':
    case 'u': return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
    case 'b': return f->size == 1;
    default: return false;
  }
}

double npy_number(const npy_array *x, const npy_field *f, size_t i) {
  const unsigned char *from = x->bytes + i * x->item + f->at;
  uint64_t bits = 0;
  for (size_t k = 0; k < f->size; k++) bits = bits << 8 | from[f->order == '>' ? k : f->size - 1 - k];
  if (f->kind == 'f' && f->size == 8) {
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
  }
  if (f->kind == 'f') {
    const uint32_t half = (uint32_t)bits;
    float number;
    memcpy(&number, &half, sizeof number);
    return (double)number;
  }
  const int unused = 64 - 8 * (int)f->size;
  return f->kind == 'i' ? (double)((int64_t)(bits << unused) >> unused) : (double)bits;
}

static size_t put_character(char *to, uint32_t c) {
  if (c < 0x80) return to[0] = (char)c, 1;
  if (c < 0x800) return to[0] = (char)(0xc0 | c >> 6), to[1] = (char)(0x80 | (c & 63)), 2;
  if (c < 0x10000)
    return to[0] = (char)(0xe0 | c >> 12), to[1] = (char)(0x80 | (c >> 6 & 63)), to[2] = (char)(0x80 | (c & 63)), 3;
  return to[0] = (char)(0xf0 | (c >> 18 & 7)), to[1] = (char)(0x80 | (c >> 12 & 63)),
         to[2] = (char)(0x80 | (c >> 6 & 63)), to[3] = (char)(0x80 | (c & 63)), 4;
}

char *npy_text(const cdn_allocator *a, const npy_array *x, size_t i) {
  const npy_field *f = x->fields.data;
  if (x->fields.count != 1 || (f->kind != 'U' && f->kind != 'S')) return NULL;
  const unsigned char *from = x->bytes + i * x->item;
  char *room = cdni_calloc(a, f->size + 1), *copy = NULL;
  if (room && f->kind == 'S') memcpy(room, from, f->size);
  size_t n = 0;
  for (size_t k = 0; room && f->kind == 'U' && k < f->size; k += 4) {
    uint32_t c = 0;
    for (size_t b = 0; b < 4; b++) c = c << 8 | from[k + (f->order == '>' ? b : 3 - b)];
    if (c) n += put_character(room + n, c);
  }
  if (room) copy = cdni_strdup(a, room);
  cdni_free(a, room, f->size + 1);
  return copy;
}
