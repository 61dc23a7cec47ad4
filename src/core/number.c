/* Numbers as text that reads back as the same bits, in any locale of the user. */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "core/core.h"

enum { MOST_DIGITS = 17 };

static bool reads_back(const char *text, double x) { return strtod(text, NULL) == x; }

/* The decimal of `digits` digits that is closest to x, and, where only that one is, the next one away from zero. */
static bool try_digits(double x, int digits, bool next, char text[CDN_NUMBER_SIZE]) {
  snprintf(text, CDN_NUMBER_SIZE, "%.*e", digits - 1, x);
  if (next) {
    char *last = strchr(text, 'e') - 1;
    if (*last == '9') return false; /* a carry makes it one of fewer digits, which has been tried */
    ++*last;
  }
  return reads_back(text, x);
}

/* The shortest decimal in scientific notation; of several, the one closest to x. */
static int find_digits(double x, char text[CDN_NUMBER_SIZE]) {
  /* 15 digits are enough for every number that has a decimal of at most 15 digits, except for numbers below DBL_MIN,
   * which have fewer digits; 17 are enough for all */
  int digits = fabs(x) < DBL_MIN ? 1 : DBL_DIG, exponent;
  for (; digits < MOST_DIGITS; digits++) {
    if (try_digits(x, digits, false, text)) return digits;
    /* below a power of two doubles lie twice as close as above: the closest decimal may miss, and the one above it may
     * not */
    if (fabs(frexp(x, &exponent)) == 0.5 && try_digits(x, digits, true, text)) return digits;
  }
  try_digits(x, MOST_DIGITS, false, text);
  return MOST_DIGITS;
}

/* From "d.ddde+XX" to the notation that %g would choose, without zeros at the end. */
static void write_plainly(char text[CDN_NUMBER_SIZE], int digits) {
  char found[MOST_DIGITS + 1], *to = text + (text[0] == '-');
  const int exponent = atoi(strchr(text, 'e') + 1);
  const bool scientific = exponent < -4 || exponent >= digits;
  int n = 0;
  for (const char *c = to; *c != 'e' && n < MOST_DIGITS; c++)
    if (*c >= '0' && *c <= '9') found[n++] = *c;
  while (n > 1 && found[n - 1] == '0') n--;
  /* where the point is, counted from the first digit */
  const int point = scientific ? 1 : exponent + 1;
  for (int i = point < 1 ? point - 1 : 0; i < n || i < point; i++) {
    *to++ = i >= 0 && i < n ? found[i] : '0';
    if (i + 1 == point && (i + 1 < n || !scientific)) *to++ = '.';
  }
  if (to[-1] == '.') *to++ = '0';
  if (scientific) snprintf(to, 6, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent) % 1000);
  else *to = 0;
}

const char *cdn_number_text(double x, char text[CDN_NUMBER_SIZE]) {
  CDNI_NEED_OBJECT(text, NULL);
  if (!isfinite(x)) {
    snprintf(text, CDN_NUMBER_SIZE, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
    return text;
  }
  /* digits are the same in every locale; the decimal point is not, and is replaced */
  write_plainly(text, find_digits(x, text));
  return text;
}
