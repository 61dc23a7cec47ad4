/* Filling in the story of a failure, and the test that keeps NaN and infinity out. */
#include <math.h>
#include <stdio.h>

#include "core/core.h"

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

/* The story is one line: names from files may hold anything. */
static void keep_on_one_line(char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 0x7F) *text = ' ';
}

cdn_status cdni_error_vset(cdn_error *error, cdn_status code, const char *function, const char *element,
                           const char *format, va_list args) {
  if (!error) return code;

  /* Format aside first: the arguments may point into the error that is being replaced. */
  cdn_error fresh = { .code = code, .stage = CDN_STAGE_EMPTY, .index = -1, .function = function ? function : "" };
  int n = snprintf(fresh.element, sizeof fresh.element, "%s", element ? element : "");
  cut(fresh.element, sizeof fresh.element, n > 0 ? (size_t)n : 0);
  n = vsnprintf(fresh.text, sizeof fresh.text, format ? format : "", args);
  cut(fresh.text, sizeof fresh.text, n > 0 ? (size_t)n : 0);
  keep_on_one_line(fresh.element);
  keep_on_one_line(fresh.text);
  *error = fresh;
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

bool cdni_all_finite(const double *values, size_t n, size_t *bad) {
  /* A number is not finite where all bits of its exponent are set; adding one more then carries into the sign bit. The
   * usual case is settled in integers, which compilers do several at a time. */
  const uint64_t exponent = UINT64_C(0x7ff) << 52, one = UINT64_C(1) << 52;
  uint64_t carries = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    carries |= (bits & exponent) + one;
  }
  if (!(carries >> 63)) return true;

  for (size_t i = 0; i < n; i++)
    if (!isfinite(values[i])) {
      if (bad) *bad = i;
      return false;
    }
  return true;
}
