/* A locale with a decimal comma, made here: hardly any machine has one installed. The program defines _XOPEN_SOURCE as
 * 700. */
#ifndef CARDAN_TESTS_UNIT_COMMA_LOCALE_H
#define CARDAN_TESTS_UNIT_COMMA_LOCALE_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../check_main.h"

static void write_locale_text(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  ck_assert_int_eq(fclose(file), 0);
}

/* Makes one and takes it; false where there is no program for that. Leaves the working directory. */
static bool take_comma_locale(void) {
  static char directory[] = "/tmp/cardan-locale-XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(directory));
  ck_assert_int_eq(chdir(directory), 0);
  write_locale_text("source", "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n");
  write_locale_text("letters", "<code_set_name> PLAIN\nCHARMAP\nEND CHARMAP\n");
  if (system("localedef -c -f ./letters -i source ./comma > log 2>&1") == -1)
    return false; /* it complains, and makes it */
  setenv("LOCPATH", directory, 1);
  const bool taken = setlocale(LC_ALL, "comma") != NULL;
  ck_assert_int_eq(system("rm -rf comma source letters log"), 0);
  if (chdir("/") == 0) rmdir(directory);
  return taken && strtod("1,5", NULL) == 1.5;
}

#endif
