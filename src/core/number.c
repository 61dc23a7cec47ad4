/* Numbers as text that reads back as the same bits. */
#include <math.h>
#include <stdio.h>

#include "core/core.h"

const char *cdn_number_text(double x, char text[CDN_NUMBER_SIZE]) {
  /* 15 digits are always exact in one direction, 17 always in the other */
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, CDN_NUMBER_SIZE, "%.*g", digits, x);
    if (strtod(text, NULL) == x) break;
  }
  if (isfinite(x) && !strpbrk(text, ".e")) strcat(text, ".0");
  return text;
}
