/* Filling in a cdn_error, and numbers that are not finite. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "core/core.h"
#include "core/sized.h"

/* Ends text at `size - 1` bytes without leaving half of a UTF-8 character behind. */
static void cut(char *text, size_t size, size_t wanted) {
  if (wanted < size) return;
  size_t end = size - 1;
  while (end > 0 && ((unsigned char)text[end - 1] & 0xC0) == 0x80) end--;
  if (end > 0 && (unsigned char)text[end - 1] >= 0xC0) {
    /* The last character starts here: keep it only if all of its bytes fitted. */
    unsigned char lead = (unsigned char)text[end - 1];
    size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    end = end - 1 + length <= size - 1 ? end - 1 + length : end - 1;
  } else {
    end = size - 1;
  }
  text[end] = '\0';
}

/* ---- escaping for terminals ---- */

/* Length in bytes of the UTF-8 character at `text`, and its number; 0 if there is none. */
static int read_character(const char *text, uint32_t *number) {
  const unsigned char *c = (const unsigned char *)text;
  const int n = c[0] < 0x80                   ? 1
                : c[0] >= 0xC2 && c[0] < 0xE0 ? 2
                : (c[0] & 0xF0) == 0xE0       ? 3
                : c[0] >= 0xF0 && c[0] < 0xF5 ? 4
                                              : 0;
  *number = n == 1 ? c[0] : n == 2 ? c[0] & 0x1Fu : n == 3 ? c[0] & 0x0Fu : c[0] & 0x07u;
  for (int i = 1; i < n; i++) {
    if ((c[i] & 0xC0) != 0x80) return 0;
    *number = *number << 6 | (c[i] & 0x3Fu);
  }
  static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
  const bool surrogate = *number >= 0xD800 && *number < 0xE000;
  return *number >= least[n] && *number <= 0x10FFFF && !surrogate ? n : 0;
}

/* Control characters, separators of lines, and marks that turn the direction of writing. */
static bool is_obeyed(uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

const char *cdn_visible_text(const char *text, char *out, size_t size) {
  if (!out || size == 0) return "";
  size_t at = 0;
  while (text && *text) {
    uint32_t c;
    char shown[12];
    int n = read_character(text, &c), length = n;
    if (n == 0) length = snprintf(shown, sizeof shown, "\\x%02x", (unsigned char)*text);
    else if (!is_obeyed(c)) memcpy(shown, text, (size_t)n);
    else if (c == '\n' || c == '\t') length = snprintf(shown, sizeof shown, "\\%c", c == '\n' ? 'n' : 't');
    else length = snprintf(shown, sizeof shown, c < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)c);
    if (at + (size_t)length >= size) break;
    memcpy(out + at, shown, (size_t)length);
    at += (size_t)length;
    text += n ? n : 1;
  }
  out[at] = '\0';
  return out;
}

/* The text is one line without control characters; names from files may contain anything. */
static void keep_on_one_line(char *text, size_t size) {
  char shown[sizeof((cdn_error *)0)->text];
  for (char *c = text; *c; c++)
    if (*c >= '\t' && *c <= '\r') *c = ' ';
  cdn_visible_text(text, shown, size);
  strcpy(text, shown);
}

/* ---- the last failure of a thread ---- */

/* The one thing of the library that belongs to a thread: the message of its last failure, whatever object keeps it,
 * too. */
static _Thread_local cdn_error last;
static _Thread_local char last_text[640];

void cdni_error_tell(const cdn_error *error) {
  if (error->code != CDN_OK) last = *error;
}

void cdn_last_error_sized(cdn_error *out, size_t size) { cdni_sized_write(out, size, &last, sizeof last); }

void cdn_last_error_clear(void) { last = (cdn_error){ .code = CDN_OK, .index = -1 }; }

const char *cdn_last_error_text(void) {
  if (last.code == CDN_OK) return "";
  const char *function = last.function ? last.function : "";
  snprintf(last_text, sizeof last_text, "%s%s%s (%s)", function, function[0] ? ": " : "",
           last.text[0] ? last.text : cdn_status_text(last.code), cdn_status_name(last.code));
  return last_text;
}

/* ---- filling in ---- */

cdn_status cdni_error_vset(cdn_error *error, cdn_status code, const char *function, const char *element,
                           const char *format, va_list args) {
  /* Format aside first: the arguments may point into the error that is being replaced. */
  cdn_error fresh = { .code = code, .stage = CDN_STAGE_EMPTY, .index = -1, .function = function ? function : "" };
  int n = snprintf(fresh.element, sizeof fresh.element, "%s", element ? element : "");
  cut(fresh.element, sizeof fresh.element, n > 0 ? (size_t)n : 0);
  n = cdni_vprint(fresh.text, sizeof fresh.text, format ? format : "", args);
  cut(fresh.text, sizeof fresh.text, n > 0 ? (size_t)n : 0);
  keep_on_one_line(fresh.element, sizeof fresh.element);
  keep_on_one_line(fresh.text, sizeof fresh.text);
  cdni_error_tell(&fresh);
  if (error) *error = fresh;
  return code;
}

cdn_status cdni_refuse(cdn_status code, const char *function, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cdni_error_vset(NULL, code, function, NULL, format, args);
  va_end(args);
  return code;
}

cdn_status cdni_error_set(cdn_error *error, cdn_status code, const char *function, const char *element,
                          const char *format, ...) {
  va_list args;
  va_start(args, format);
  cdni_error_vset(error, code, function, element, format, args);
  va_end(args);
  return code;
}

double cdni_finite_bound(double bound) { return isinf(bound) ? copysign(DBL_MAX, bound) : bound; }
double cdni_bound(double kept) { return fabs(kept) == DBL_MAX ? copysign(INFINITY, kept) : kept; }

bool cdni_all_finite(const double *values, size_t n, size_t *bad) {
  /* A number is not finite where all bits of its exponent are set; adding one more then carries into the sign bit. The
   * usual case is settled in integers, eight at a time. */
  typedef uint64_t pair __attribute__((vector_size(16)));
  typedef uint64_t pair_anywhere __attribute__((vector_size(16), aligned(8), may_alias));
  const uint64_t exponent = UINT64_C(0x7ff) << 52, one = UINT64_C(1) << 52;
  const pair exponents = { exponent, exponent }, ones = { one, one };
#define CARRIES(from) ((*(const pair_anywhere *)(from)&exponents) + ones)
  pair carries = { 0 };
  size_t k = 0;
  for (; k + 8 <= n; k += 8)
    for (size_t i = k; i < k + 8; i += 2) carries |= CARRIES(&values[i]);
  for (; k + 2 <= n; k += 2) carries |= CARRIES(&values[k]);
#undef CARRIES
  if (k < n) {
    uint64_t bits;
    memcpy(&bits, &values[k], sizeof bits);
    carries[0] |= (bits & exponent) + one;
  }
  if (!((carries[0] | carries[1]) >> 63)) return true;

  for (size_t i = 0; i < n; i++)
    if (!isfinite(values[i])) {
      if (bad) *bad = i;
      return false;
    }
  return true;
}

cdn_status cdni_misses(const char *function, const char *argument) {
  return cdni_refuse(CDN_ERR_ARG, function, "%s is NULL, and the call needs it", argument);
}
