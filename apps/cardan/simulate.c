/* cardan simulate: a trajectory, and what it is worth. */
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const help_page page = {
  "simulate", "MODEL --duration T [options]",
  "Simulates from the model's default state (or a keyframe, or a state file) for T seconds, with steps as\n"
  "long as the accuracy allows. Ends with a certificate: steps, energy residual, constraint errors, speed.\n"
  "A trajectory has one row per DT, and the final state as its last: time, q, u, kinetic and potential\n"
  "energy. Where a run fails or is interrupted, the rows so far are kept.\n",
  "  cardan simulate pendulum.xml --duration 10\n"
  "  cardan simulate humanoid.xml --duration 2 --accuracy 1e-6 -o fall.csv\n"
  "  cardan simulate robot.urdf --duration 1 --initial pose.json --verify --summary run.json\n"
  "  cardan simulate robot.urdf --duration 1 --report 0.01 -o - --quiet | my-plot\n"
};

/* ---- output files -------------------------------------------------------------------------- */

static bool is_standard_output(const char *path) { return path && strcmp(path, "-") == 0; }

static bool same_file(const char *a, const char *b) {
  struct stat sa, sb;
  if (!a || !b || is_standard_output(a) || is_standard_output(b)) return false;
  if (strcmp(a, b) == 0) return true;
  // devices such as /dev/null may serve twice
  return stat(a, &sa) == 0 && stat(b, &sb) == 0 && S_ISREG(sa.st_mode) && sa.st_dev == sb.st_dev &&
         sa.st_ino == sb.st_ino;
}

/* What would destroy an input, or mix two outputs. */
static bool outputs_make_sense(const simulate_arguments *a) {
  const char *outputs[2] = { a->output, a->summary }, *inputs[2] = { a->model.path, a->model.state };
  for (int i = 0; i < 4; i++) {
    if (same_file(outputs[i / 2], inputs[i % 2])) {
      complain("%s would be overwritten: it is read by this run; choose another output file", inputs[i % 2]);
      return false;
    }
  }
  if ((is_standard_output(a->output) && is_standard_output(a->summary)) || same_file(a->output, a->summary)) {
    complain("-o and --summary both write to '%s'; choose another file for one of them", a->output);
    return false;
  }
  return true;
}

static bool open_output(const char *path, FILE **file) {
  *file = NULL;
  if (!path) return true;
  *file = is_standard_output(path) ? stdout : fopen(path, "w");
  if (!*file) complain("%s: could not be written: %s", path, strerror(errno));
  return *file != NULL;
}

/* ---- the command --------------------------------------------------------------------------- */

/* The certificate goes where no data go. */
static FILE *certificate_stream(const simulate_arguments *a) {
  return is_standard_output(a->output) || is_standard_output(a->summary) ? stderr : stdout;
}

static int run_and_report(const simulate_arguments *a, const cdn_model *model, cdn_state *initial) {
  FILE *csv, *summary;
  if (!open_output(a->output, &csv)) return CMD_OUTPUT;
  if (!open_output(a->summary, &summary)) {
    if (csv && csv != stdout) fclose(csv);
    return CMD_OUTPUT;
  }
  run_record record = { .model = cdn_model_name(model),
                        .path = a->model.path,
                        .accuracy = a->accuracy,
                        .step = a->step,
                        .duration = a->duration };
  run_simulation(a, initial, csv, &record);

  int code = CMD_OK;
  if (csv && !finish_output(csv, a->output)) code = CMD_OUTPUT;
  if (record.certified) certificate_print(certificate_stream(a), &record);
  if (record.failed) certificate_print_failure(stderr, &record);
  if (summary) {
    certificate_write_json(summary, &record);
    if (!finish_output(summary, a->summary)) code = CMD_OUTPUT;
  }
  if (code == CMD_OK && (record.failed || record.verify.trouble[0])) code = CMD_FAILED;
  return record.signal ? 128 + record.signal : code;
}

/* Fills what was not given and checks what was. */
static bool settle_arguments(simulate_arguments *a) {
  if (a->duration == 0) {
    complain("simulate needs --duration T: the time to simulate, in seconds");
    return false;
  }
  if (a->accuracy > 0 && (a->accuracy < 1e-15 || a->accuracy > 0.5)) {
    complain("--accuracy %g is out of range (1e-15 to 0.5); values from 1e-3 to 1e-11 are customary", a->accuracy);
    return false;
  }
  if (a->accuracy > 0 && a->step > 0 && !a->model.quiet) {
    complain("--accuracy %g is not used: with --step there is no error control", a->accuracy);
  }
  if (a->accuracy == 0) a->accuracy = cdn_default_stepper_def().accuracy;
  if (a->report == 0) a->report = a->duration / 100;
  if (a->duration / a->report > 1e9) {
    complain("--report %g would make %.2g rows; give a longer interval", a->report, a->duration / a->report);
    return false;
  }
  return outputs_make_sense(a);
}

/* The end must lie beyond the start, as far as doubles can tell. */
static int check_time(const simulate_arguments *a, cdn_state *initial) {
  double t0 = cdn_state_time(initial);
  if (isfinite(t0 + a->duration) && t0 + a->duration > t0) return CMD_OK;
  complain("--duration %g cannot be told from nothing at the initial time %g", a->duration, t0);
  return CMD_USAGE;
}

int command_simulate(int argc, char **argv) {
  simulate_arguments a = { 0 };
  const option table[] = {
    { "duration", 0, OPTION_POSITIVE, &a.duration, "T", "time to simulate, s (required)" },
    { "accuracy", 0, OPTION_POSITIVE, &a.accuracy, "A", "accuracy of every step (default 1e-4)" },
    { "step", 0, OPTION_POSITIVE, &a.step, "H", "steps of this size, s, without error control" },
    { "report", 0, OPTION_POSITIVE, &a.report, "DT", "time between rows, s (default T/100)" },
    { "output", 'o', OPTION_TEXT, &a.output, "FILE.csv", "write the trajectory ('-': standard output)" },
    { "initial", 0, OPTION_TEXT, &a.model.state, "STATE.json", "state to start from ('-': standard input)" },
    { "key", 0, OPTION_TEXT, &a.model.key, "NAME", "start from a keyframe of the model" },
    { "verify", 0, OPTION_FLAG, &a.verify, NULL, "run again at a tenth of the accuracy, print the difference" },
    { "summary", 0, OPTION_TEXT, &a.summary, "FILE.json", "write the certificate as JSON ('-': standard output)" },
    MODEL_OPTIONS(a.model),
  };
  int code = options_parse(&page, table, sizeof table / sizeof table[0], argc, argv, &a.model.path);
  if (code != OPTIONS_GO) return code;
  if (!settle_arguments(&a)) return CMD_USAGE;

  cdn_model *model;
  code = load_model(&a.model, &model);
  if (code != CMD_OK) return code;
  report_notes(model, &a.model);
  cdn_state *initial = NULL;
  code = load_state(model, &a.model, &initial);
  if (code == CMD_OK) code = check_time(&a, initial);
  if (code == CMD_OK) code = run_and_report(&a, model, initial);
  cdn_state_destroy(initial);
  cdn_model_destroy(model);
  return code;
}
