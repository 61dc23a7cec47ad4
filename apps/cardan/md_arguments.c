/* What the options of `cardan md` say, and which of them go together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "md.h"

const char *const md_thermostat_names[MD_THERMOSTAT_COUNT] = { "none", "langevin", "nose-hoover", "redraw" };
static const char *const solvents[] = { "vacuum", "hct", "obc1", "obc2", "gbn", "gbn2" };
_Static_assert(sizeof solvents / sizeof *solvents == CDN_SOLVENT_COUNT, "a solvent has no name");

/* ---- words --------------------------------------------------------------------------------- */

/* The place of a word in a list, or -1 after it has been said that it is not there. `all`: "the solvents are ...". */
enum { MOST_THREADS = 4096 }; /* cdn_molecule_set_threads */

static int find_word(const char *flag, const char *word, const char *const *names, int n, const char *all) {
  for (int i = 0; i < n; i++)
    if (strcmp(word, names[i]) == 0) return i;
  const char *closest = cdni_closest_word(word, names, n);
  complain("%s %s: %s%s%s%s", flag, visible(word), all, closest ? "; did you mean " : "", closest ? closest : "",
           closest ? "?" : "");
  return -1;
}

static bool find_solvent(md_arguments *a) {
  const int i = a->solvent ? find_word("--solvent", a->solvent, solvents, CDN_SOLVENT_COUNT,
                                       "the solvents are vacuum, hct, obc1, obc2, gbn and gbn2")
                           : CDN_SOLVENT_VACUUM;
  if (i < 0) return false;
  a->model = (cdn_solvent_model)i;
  if (a->salt > 0 && a->model == CDN_SOLVENT_VACUUM) {
    complain("--salt needs a solvent: --solvent hct, obc1, obc2, gbn or gbn2");
    return false;
  }
  if (a->cutoff > 0 && a->model != CDN_SOLVENT_VACUUM) {
    complain("--cutoff is for vacuum: every pair counts in --solvent %s; leave one of the two out", a->solvent);
    return false;
  }
  if (a->threads > MOST_THREADS || a->threads != floor(a->threads)) {
    complain("--threads is a whole number up to %d", MOST_THREADS);
    return false;
  }
  return true;
}

static bool read_seed(md_arguments *a) {
  char *end;
  if (!a->seed_text) return true;
  const double seed = strtod(a->seed_text, &end);
  a->seed = seed >= 0 && seed <= UINT32_MAX ? (uint32_t)seed : 0;
  if (end != a->seed_text && !*end && seed == (double)a->seed) return true;
  complain("--seed: '%s' is not a whole number from 0 to %u", visible(a->seed_text), (unsigned)UINT32_MAX);
  return false;
}

/* ---- times --------------------------------------------------------------------------------- */

/* Reads a time in ps, if there is one: a number, then fs, ps or ns or nothing. */
static bool read_time(const char *flag, const char *text, double *ps) {
  char *end;
  if (!text) return true;
  *ps = strtod(text, &end);
  if (strcmp(end, "fs") == 0) *ps *= 1e-3;
  else if (strcmp(end, "ns") == 0) *ps *= 1e3;
  else if (*end && strcmp(end, "ps") != 0) end = NULL;
  if (end && end != text && isfinite(*ps) && *ps > 0) return true;
  complain("%s: '%s' is not a time above zero, such as 0.002 (ps), 2fs or 1ns", flag, visible(text));
  return false;
}

static bool read_times(md_arguments *a) {
  if (!read_time("--step", a->step_text, &a->step) || !read_time("--duration", a->duration_text, &a->duration) ||
      !read_time("--report", a->report_text, &a->report) ||
      !read_time("--thermostat-time", a->answer_text, &a->answer) ||
      !read_time("--trajectory", a->trajectory_text, &a->trajectory))
    return false;
  if (a->duration == 0 && !a->energies) {
    complain("md needs --duration T: how long to simulate, in ps; or --energies, for one evaluation");
    return false;
  }
  if (a->energies && (a->duration > 0 || a->output || a->table || a->step_text || a->companion || a->checkpoint ||
                      a->resume || a->thermostat_name || a->sampler || a->seed_text)) {
    complain("--energies is one evaluation and takes no steps: leave --duration, --step, --thermostat, --sampler, "
             "--seed, --companion, -o, --table and checkpoints out");
    return false;
  }
  if (a->duration / a->step > 1e15) {
    complain("--duration and --step: that would be %.3g steps", a->duration / a->step);
    return false;
  }
  if (a->duration > 0 && a->duration < 0.5 * a->step) {
    complain("--duration %g ps is less than a step, which is %g ps", a->duration, a->step);
    return false;
  }
  return true;
}

/* ---- sampling ------------------------------------------------------------------------------ */

static bool needs_temperature(const md_arguments *a, const char *flag) {
  if (a->temperature > 0) return false;
  complain("%s needs a temperature: --temperature 300", flag);
  return true;
}

static bool find_sampler(md_arguments *a) {
  static const char *const samplers[] = { "md", "hmc" };
  const int i = a->sampler ? find_word("--sampler", a->sampler, samplers, 2, "the samplers are md and hmc") : 0;
  if (i < 0) return false;
  a->hmc = i == 1;
  if (a->hmc && needs_temperature(a, "--sampler hmc")) return false;
  if (a->hmc && a->thermostat_name) {
    complain("--thermostat: --sampler hmc draws speeds by itself; leave --thermostat out");
    return false;
  }
  if (a->trajectory_text && !a->hmc) {
    complain("--trajectory is from test to test of --sampler hmc");
    return false;
  }
  if (a->trajectory > 0 && !(a->trajectory >= 0.5 * a->step && a->trajectory / a->step < 1e9)) {
    complain("--trajectory %g ps: a trajectory has 1 to 1e9 steps, which are %g ps", a->trajectory, a->step);
    return false;
  }
  return true;
}

static bool find_thermostat(md_arguments *a) {
  const int by_default = a->temperature > 0 && !a->hmc ? MD_LANGEVIN : MD_FREE;
  const int i = a->thermostat_name
                    ? find_word("--thermostat", a->thermostat_name, md_thermostat_names, MD_THERMOSTAT_COUNT,
                                "the thermostats are langevin, nose-hoover, redraw and none")
                    : by_default;
  if (i < 0) return false;
  a->thermostat = (md_thermostat)i;
  if (a->thermostat != MD_FREE && needs_temperature(a, "--thermostat")) return false;
  if (a->answer_text && a->thermostat == MD_FREE) {
    complain("--thermostat-time: there is no thermostat; --temperature 300 --thermostat langevin has one");
    return false;
  }
  if (a->answer == 0) a->answer = 1;
  if (a->thermostat != MD_FREE && a->answer < a->step) {
    complain("--thermostat-time %g ps is less than a step, which is %g ps", a->answer, a->step);
    return false;
  }
  return true;
}

static bool settle_sampling(md_arguments *a) {
  if (!read_seed(a) || !find_sampler(a) || !find_thermostat(a)) return false;
  if (a->fixman && needs_temperature(a, "--fixman")) return false;
  if (!a->companion || (!a->hmc && (a->thermostat == MD_FREE || a->thermostat == MD_NOSE_HOOVER))) return true;
  complain("--companion: random numbers lead two runs apart, whatever their steps; it goes with --thermostat none and "
           "nose-hoover");
  return false;
}

/* ---- files --------------------------------------------------------------------------------- */

static bool settle_files(md_arguments *a) {
  if (a->operands.n != 1) {
    complain(a->operands.n == 0 ? "which coordinates? Name an inpcrd or rst7 file behind the topology"
                                : "md takes one topology and one file of coordinates, and more are named");
    return false;
  }
  a->coordinates = a->operands.item[0];
  if (a->output && (ends_in(a->output, ".gz") || !ends_in(a->output, ".dcd"))) {
    complain("-o %s: a trajectory is a DCD file, and its name ends in .dcd", visible(a->output));
    return false;
  }
  if (a->picture && !ends_in(a->picture, ".png")) {
    complain("--picture %s: pictures are PNG files, and their names end in .png", visible(a->picture));
    return false;
  }
  if (a->checkpoint && a->table && strcmp(a->table, "-") != 0 && !cdni_table_goes_on(a->table)) {
    complain("--table %s: a run with --checkpoint cannot go on with such a file; choose .h5 or .csv",
             visible(a->table));
    return false;
  }
  const char *outputs[] = { a->output, a->table, a->picture, a->checkpoint };
  for (int i = 0; i < 4; i++) {
    if (outputs[i] && (strcmp(outputs[i], a->topology) == 0 || strcmp(outputs[i], a->coordinates) == 0)) {
      complain("%s would be overwritten: it is read by this run; choose another output file", visible(outputs[i]));
      return false;
    }
  }
  return true;
}

bool md_settle(md_arguments *a) { return settle_files(a) && find_solvent(a) && read_times(a) && settle_sampling(a); }

void md_options_text(const md_arguments *a, char *text, size_t size) {
  char mobile[256];
  snprintf(mobile, sizeof mobile, "%s", a->mobile);
  for (char *c = mobile; *c; c++)
    if (*c == '\n') *c = ' ';
  int n = snprintf(text, size, "--step %.17g --mobile '%s' --solvent %s --salt %.17g --seed %u", a->step, mobile,
                   solvents[a->model], a->salt, (unsigned)a->seed);
  if (a->temperature > 0) n += snprintf(text + n, size - (size_t)n, " --temperature %.17g", a->temperature);
  if (a->hmc) n += snprintf(text + n, size - (size_t)n, " --sampler hmc --trajectory %.17g", a->trajectory);
  else
    n += snprintf(text + n, size - (size_t)n, " --thermostat %s --thermostat-time %.17g",
                  md_thermostat_names[a->thermostat], a->answer);
  if (a->cutoff > 0) n += snprintf(text + n, size - (size_t)n, " --cutoff %.17g", a->cutoff);
  snprintf(text + n, size - (size_t)n, "%s%s%s", a->fixman ? " --fixman" : "",
           a->amber_coulomb ? " --amber-coulomb" : "", a->companion ? " --companion" : "");
}
