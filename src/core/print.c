/* Text with numbers, the same in every locale of the program. */
#define _POSIX_C_SOURCE 200809L
#include <locale.h>
#include <stdio.h>

#include "core/core.h"

int cdni_vprint(char *text, size_t size, const char *format, va_list args) {
  /* the locale "C" is there without memory; of this thread alone it is taken for a moment */
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const locale_t before = plain ? uselocale(plain) : (locale_t)0;
  const int n = vsnprintf(text, size, format, args);
  if (plain) uselocale(before), freelocale(plain);
  return n;
}

int cdni_print(char *text, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int n = cdni_vprint(text, size, format, args);
  va_end(args);
  return n;
}
