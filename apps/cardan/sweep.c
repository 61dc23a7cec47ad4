/* cardan sweep: many runs of a model, as a study says: run here, looked at, or gathered into one table. */
#define _POSIX_C_SOURCE 200809L
#include "sweep.h"

#include <cardan/elements.h>
#include <cardan/vectors.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const help_page page = {
  "sweep", "STUDY.json [options]",
  "Runs the cases of a study that are missing, in processes, and keeps their results in blocks, in the folder\n"
  "that the study names (else STUDY.sweep). Stopped or killed, it goes on where it was when it is started again.\n"
  "What varies, how each case runs and what is kept are in the study: see docs/sweeps.md.\n",
  "  cardan sweep study.json\n"
  "  cardan sweep study.json --status\n"
  "  cardan sweep study.json --gather results.h5\n"
  "  cardan sweep study.json --part $SLURM_ARRAY_TASK_ID/100\n"
  "  cardan sweep study.json --case 17\n",
  "which study? Name its file, STUDY.json"
};

/* ---- arguments ------------------------------------------------------------------------------ */

static bool read_whole(const char *name, double x, double most) {
  if (x == floor(x) && x <= most) return true;
  complain("--%s %g: it is a whole number from 1 to %.0f", name, x, most);
  return false;
}

/* "3/100": the third of a hundred parts. */
static bool read_part(const char *text, int64_t *part, int64_t *parts) {
  char *end;
  *part = 0, *parts = 1;
  if (!text) return true;
  const long long k = strtoll(text, &end, 10);
  const long long n = *end == '/' ? strtoll(end + 1, &end, 10) : 0;
  if (*end || k < 1 || n < 1 || k > n) {
    complain("--part %s: a part is K/N, from 1/N to N/N, such as 3/100", text);
    return false;
  }
  *part = k - 1, *parts = n;
  return true;
}

static bool make_sense(const sweep_arguments *a) {
  const bool chosen[] = { a->status, a->gather != NULL, a->has_case, a->names };
  static const char *const names[] = { "status", "gather", "case", "names" };
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < i; k++)
      if (chosen[i] && chosen[k]) {
        complain("--%s and --%s: choose one of the two", names[k], names[i]);
        return false;
      }
    if (chosen[i] && (a->part_text || a->threads > 0)) {
      complain("--%s runs nothing: it goes without --%s", names[i], a->part_text ? "part" : "threads");
      return false;
    }
  }
  return true;
}

/* ---- --names -------------------------------------------------------------------------------- */

static void print_parameters(const cdn_system *system, cdn_element_type type, int i) {
  char text[CDN_NUMBER_SIZE];
  for (int k = 0; k < cdn_element_parameter_count(system, type, i); k++) {
    cdn_parameter p;
    if (cdn_element_parameter(system, type, i, k, &p) != CDN_OK) continue;
    printf("%s/%s/", cdn_element_type_name(type), visible(cdn_element_name(system, type, i)));
    printf("%s = %s %s\n", visible(p.name), rounded(p.initial, text), visible(p.unit));
  }
}

/* What a study of the model can set and keep, one a line. */
static int print_names(const cdn_sweep *sweep) {
  enum { PARTS = CDN_VECTOR_FULL_PHYSICS + CDN_VECTOR_INPUTS };
  const cdn_system *system = cdn_sweep_system(sweep);
  cdn_state *state;
  char name[160];
  if (cdn_state_create(system, &state) != CDN_OK) {
    complain_last_error();
    return CMD_FAILED;
  }
  const int n = cdn_state_vector_size(state, PARTS);
  for (int i = 0; i < n; i++)
    if (cdn_state_vector_name(state, PARTS, i, name, sizeof name) == CDN_OK) puts(visible(name));
  cdn_state_destroy(state);
  for (int type = 0; type < CDN_ELEMENT_COUNT; type++)
    for (int i = 0; i < cdn_element_count(system, (cdn_element_type)type); i++)
      print_parameters(system, (cdn_element_type)type, i);
  puts("run/accuracy\nrun/step\nrun/duration");
  for (int i = 0; i < cdn_system_measure_count(system); i++) {
    const char *measure = cdn_measure_name(system, (cdn_measure){ i });
    snprintf(name, sizeof name, "measure%d", i); /* what this study keeps of whole runs has no name of its own */
    if (strcmp(measure, name) != 0) printf("keep: %s\n", visible(measure));
  }
  puts("keep: kinetic energy\nkeep: potential energy\nkeep: total energy");
  return CMD_OK;
}

/* ---- --case --------------------------------------------------------------------------------- */

static int run_one(cdn_sweep *sweep, int64_t k) {
  const int n = cdn_sweep_column_count(sweep);
  double *row = allocate((size_t)n, sizeof *row);
  char text[CDN_NUMBER_SIZE];
  if (cdn_sweep_run_case(sweep, k, row) != CDN_OK) {
    complain_last_error();
    free(row);
    return CMD_USAGE;
  }
  for (int i = 0; i < n; i++)
    printf("%-24s %s %s\n", visible(cdn_sweep_column_name(sweep, i)), cdn_number_text(row[i], text),
           visible(cdn_sweep_column_unit(sweep, i)));
  if (cdn_sweep_message(sweep)[0]) complain("case %lld: %s", (long long)k, cdn_sweep_message(sweep));
  free(row);
  return CMD_OK;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int gather(cdn_sweep *sweep, const char *path) {
  const cdn_status status = cdn_sweep_gather(sweep, path);
  if (status == CDN_OK) return CMD_OK;
  complain_last_error();
  return status == CDN_ERR_FILE ? CMD_OUTPUT : status == CDN_ERR_NOMEM ? CMD_FAILED : CMD_INPUT;
}

int command_sweep(int argc, char **argv) {
  sweep_arguments a = { .gather = NULL };
  const char *case_text = NULL;
  const option table[] = {
    { "status", 0, OPTION_FLAG, &a.status, NULL, "say what is done, what failed and why, and how long the rest takes" },
    { "gather", 0, OPTION_TEXT, &a.gather, "FILE", "make one table of all results: .h5, .npz, or else CSV" },
    { "part", 0, OPTION_TEXT, &a.part_text, "K/N", "run the blocks of part K of N alone, for arrays of jobs" },
    { "threads", 0, OPTION_POSITIVE, &a.threads, "N", "processes that run (default: as many as processors)" },
    { "case", 0, OPTION_TEXT, &case_text, "K", "run case K here, print its row and why it fails, and keep nothing" },
    { "names", 0, OPTION_FLAG, &a.names, NULL, "list what a study of this model can set and keep" },
    { "quiet", 0, OPTION_FLAG, &a.quiet, NULL, "no progress and no summary" },
  };
  const int code = options_parse(&page, table, sizeof table / sizeof table[0], argc, argv, &a.study);
  if (code != OPTIONS_GO) return code;
  if (case_text) {
    char *end;
    a.has_case = true;
    a.one = strtoll(case_text, &end, 10);
    if (*end || end == case_text) {
      complain("--case %s: it is the number of a case, from 0", case_text);
      return CMD_USAGE;
    }
  }
  if (!make_sense(&a) || !read_part(a.part_text, &a.part, &a.parts)) return CMD_USAGE;
  if (a.threads > 0 && !read_whole("threads", a.threads, 4096)) return CMD_USAGE;
  cdn_sweep *sweep;
  const cdn_status status = cdn_sweep_load(a.study, &sweep);
  if (status != CDN_OK) {
    complain_last_error();
    return status == CDN_ERR_NOMEM ? CMD_FAILED : CMD_INPUT;
  }
  const int result = a.status     ? sweep_print_status(sweep)
                     : a.gather   ? gather(sweep, a.gather)
                     : a.has_case ? run_one(sweep, a.one)
                     : a.names    ? print_names(sweep)
                                  : sweep_run(sweep, &a);
  cdn_sweep_destroy(sweep);
  return result;
}
