/* Whether anything gets through anything: scenes drawn at random, by all methods. */
#include <stdlib.h>

#include "falls/report.h"

static const char usage[] =
    "usage: falls [OPTION...]\n"
    "Runs scenes in which a body must not get through another, and prints each run that is wrong on a line that\n"
    "repeats it.\n\n"
    "  --seed N         of the scenes (1)\n"
    "  --scenes N       how many (200)\n"
    "  --first N        number of the first one (0)\n"
    "  --only K         only scene K, and every run of it is printed\n"
    "  --family NAME    fall, thrown, bullet, moving, arm, rotor, swing, tree, deep, hertz, pulse, writes, cut or\n"
    "                   flight\n"
    "  --law NAME       only scenes of this law: hertz, pressure, springs, soft\n"
    "  --method NAME    only this method; again for more\n"
    "  --accuracy A     this one in place of a random one\n"
    "  --fixed H        equal steps of this size; 0: leave equal steps out\n"
    "  --most N         steps of a run, after which it is cut (20000)\n"
    "  --truth          find the truth of every scene, so that errors are judged, too\n"
    "  --workers N      processes (as many as there are processors)\n"
    "  -v               print every run\n";

enum { NAMES_MOST = 32 };

/* Whether the option, with its value, was understood. */
static bool take(falls_request *o, const char **method, const char *option, const char *value) {
  if (!strcmp(option, "--seed")) return o->seed = strtoull(value, NULL, 10), true;
  if (!strcmp(option, "--scenes")) return (o->scenes = atoi(value)) > 0;
  if (!strcmp(option, "--first")) return (o->first = atoi(value)) >= 0;
  if (!strcmp(option, "--only")) return o->verbose = true, (o->only = atoi(value)) >= 0;
  if (!strcmp(option, "--family")) return o->family = value, true;
  if (!strcmp(option, "--law")) return o->law = value, true;
  if (!strcmp(option, "--method") && o->n_methods < NAMES_MOST) return method[o->n_methods++] = value, true;
  if (!strcmp(option, "--accuracy")) return (o->accuracy = atof(value)) > 0;
  if (!strcmp(option, "--fixed")) return (o->fixed = atof(value)) >= 0;
  if (!strcmp(option, "--most")) return (o->most = atoll(value)) > 0;
  if (!strcmp(option, "--workers")) return (o->workers = atoi(value)) > 0;
  return false;
}

int main(int argc, char **argv) {
  const char *method[NAMES_MOST];
  falls_request ask = { .seed = 1, .scenes = 200, .only = -1, .fixed = -1, .method = method };
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-v")) ask.verbose = true;
    else if (!strcmp(argv[i], "--truth")) ask.truth = true;
    else if (i + 1 < argc && take(&ask, method, argv[i], argv[i + 1])) i++;
    else {
      fputs(usage, stderr);
      return 2;
    }
  }
  return falls_run(&ask) ? EXIT_SUCCESS : EXIT_FAILURE;
}
