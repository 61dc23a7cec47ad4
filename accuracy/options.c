/* The command line. */
#include "options.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: accuracy [OPTION...]\n"
    "Runs problems whose motion is known at 91 accuracies from 1e-2 to 1e-11 and says what they delivered.\n\n"
    "  --problem NAME   only this one, or with NAME* those that begin so; again for more\n"
    "  --method NAME    only this method, as the cardan command spells it; again for more\n"
    "  --accuracy A     only this accuracy\n"
    "  --quick          10 accuracies, 5 minutes in place of 20\n"
    "  --each N         every N-th accuracy\n"
    "  --seconds S      what a run may take; longer ones are left out (1; thinned from 0.02 on)\n"
    "  --deliver        only studies that deliver (cardan/deliver.h): accuracies from 1e-1 to 1e-10\n"
    "  --no-companion   runs do not estimate their errors: in a third of the time\n"
    "  --json FILE      write all runs there\n"
    "  --workers N      processes (as many as there are processors)\n"
    "  --list           list the problems\n"
    "  -v               print every run\n";

bool options_want(const char *const *names, int n, const char *name) {
  for (int i = 0; i < n; i++) {
    const size_t length = strlen(names[i]);
    if (length && names[i][length - 1] == '*' ? !strncmp(name, names[i], length - 1) : !strcmp(name, names[i]))
      return true;
  }
  return n == 0;
}

static bool is_number(const char *text, double least, double most, double *out) {
  char *end = NULL;
  *out = strtod(text, &end);
  return end != text && !*end && *out >= least && *out <= most;
}

/* Whether the option was understood; *used counts the arguments that it took. */
static bool take(options *o, const char *option, const char *value, int *used) {
  double number;
  *used = 1;
  if (!strcmp(option, "-v")) return o->verbose = true;
  if (!strcmp(option, "--no-companion")) return o->companion = false, true;
  if (!strcmp(option, "--deliver")) return o->deliver = true;
  if (!strcmp(option, "--list")) return o->list = true;
  if (!strcmp(option, "--quick")) return o->each = 9, o->seconds = 0.2, true;
  *used = 2;
  if (!value) return false;
  if (!strcmp(option, "--problem") && o->n_problems < NAMES_MOST) return o->problem[o->n_problems++] = value, true;
  if (!strcmp(option, "--method") && o->n_methods < NAMES_MOST) return o->method[o->n_methods++] = value, true;
  if (!strcmp(option, "--json")) return o->json = value, true;
  if (!strcmp(option, "--accuracy")) return is_number(value, 1e-15, 1, &o->accuracy);
  if (!strcmp(option, "--seconds")) return is_number(value, 1e-6, 1e6, &o->seconds);
  if (!strcmp(option, "--each")) return is_number(value, 1, 91, &number) && (o->each = (int)number, true);
  if (!strcmp(option, "--workers")) return is_number(value, 1, 64, &number) && (o->workers = (int)number, true);
  return false;
}

bool parse_options(int argc, char **argv, options *out, int *code) {
  *out = (options){ .each = 1, .seconds = 1, .companion = true };
  for (int i = 1, used; i < argc; i += used) {
    const bool help = !strcmp(argv[i], "--help");
    if (!help && take(out, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &used)) continue;
    fputs(usage, help ? stdout : stderr);
    *code = help ? EXIT_SUCCESS : 2;
    return false;
  }
  return true;
}
