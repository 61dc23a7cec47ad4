/* What adders of every kind have in common. */
#include "system/adding.h"

#include <stdio.h>

void *cdni_adder_begin(cdni_adder *a, cdn_system *system, int room, const char *function, const char *what) {
  *a = (cdni_adder){ .system = system, .function = function, .what = what };
  if (cdni_system_refuses(system, function)) return NULL;
  void *data = cdni_system_room(system, room);
  a->ok = data != NULL;
  return data;
}

void cdni_adder_name(cdni_adder *a, const char *name, size_t number) {
  a->name = name;
  if (!a->ok || name) return;
  snprintf(a->made_up, sizeof a->made_up, "%.*s%zu", (int)strcspn(a->what, " "), a->what, number);
  a->name = a->made_up;
}

void cdni_adder_fail_unreadable(cdni_adder *a, const void *def, const char *unreadable) {
  if (a->ok) cdni_system_fail(a->system, def ? CDN_ERR_VERSION : CDN_ERR_ARG, a->function, NULL, "%s", unreadable);
  a->ok = false;
}

void cdni_adder_refuse(cdni_adder *a, cdn_status code, const char *format, ...) {
  if (!a->ok) return;
  a->ok = false;
  char reason[320];
  va_list args;
  va_start(args, format);
  cdni_vprint(reason, sizeof reason, format, args);
  va_end(args);
  cdni_system_fail(a->system, code, a->function, a->name, "%s '%s': %s", a->what, a->name, reason);
}

void cdni_adder_check_there(cdni_adder *a, const char *what, int i, int count) {
  if (i < 0 || i >= count)
    cdni_adder_refuse(a, CDN_ERR_ARG, "there is no %s %d in this System (yet): add the %s first", what, i, what);
}

void cdni_adder_check_numbers(cdni_adder *a, const char *what, const double *numbers, int n) {
  size_t bad;
  if (a->ok && numbers && !cdni_all_finite(numbers, (size_t)n, &bad))
    cdni_adder_refuse(a, CDN_ERR_NONFINITE, "%s has a number that is %g", what, numbers[bad]);
}
