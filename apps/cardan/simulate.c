/* cardan simulate: a trajectory and its certificate. */
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include <errno.h>
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const help_page page = {
  "simulate", "MODEL --duration T [options]  or  --resume FILE",
  "Simulates from the model's default state (or a keyframe, or a state file) for T seconds, with steps as\n"
  "long as the accuracy allows. A second run at a tenth of the accuracy goes along, and the certificate at the\n"
  "end begins with what was delivered; then steps, energy residual, constraint errors, speed.\n"
  "A trajectory has one row per DT, and the final state as its last: time, q, u, kinetic and potential\n"
  "energy, the model's sensors. Where a run fails or is interrupted, the rows so far are kept.\n",
  "  cardan simulate pendulum.xml --duration 10\n"
  "  cardan simulate humanoid.xml --duration 2 --accuracy 1e-6 -o fall.csv\n"
  "  cardan simulate robot.urdf --duration 1 --initial pose.json --verify --summary run.json\n"
  "  cardan simulate robot.urdf --duration 1 --report 0.01 -o - --quiet | my-plot\n"
  "  cardan simulate robot.urdf --duration 1e4 -o run.csv --checkpoint run.checkpoint\n"
  "  cardan simulate --resume run.checkpoint\n",
  NULL
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

/* Refuses outputs that would overwrite an input, or mix with another output. */
static bool outputs_make_sense(const simulate_arguments *a) {
  const struct {
    const char *option, *path;
  } outputs[] = { { "-o", a->output },
                  { "--summary", a->summary },
                  { "--diagnostics", a->diagnostics },
                  { "--checkpoint", a->checkpoint },
                  { "--record-controls", a->record_controls },
                  { "--events", a->events } };
  enum { N = sizeof outputs / sizeof *outputs };
  const char *inputs[] = { a->model.path, a->model.state, a->controls, a->model.motion };
  enum { M = sizeof inputs / sizeof *inputs };
  for (int i = 0; i < M * N; i++) {
    if (same_file(outputs[i / M].path, inputs[i % M])) {
      complain("%s would be overwritten: it is read by this run; choose another output file", inputs[i % M]);
      return false;
    }
  }
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < i; k++) {
      const char *one = outputs[k].path, *other = outputs[i].path;
      if (!same_file(one, other) && !(is_standard_output(one) && is_standard_output(other))) continue;
      complain("%s and %s both write to '%s'; choose another file for one of them", outputs[k].option,
               outputs[i].option, one);
      return false;
    }
  }
  return true;
}

/* Whether the requested error estimate is available. */
static bool estimate_makes_sense(const simulate_arguments *a) {
  const char *flag = a->deliver ? "--deliver" : "--verify";
  if (a->no_companion && (a->deliver || a->verify)) {
    complain("%s needs the companion: leave --no-companion out", flag);
    return false;
  }
  if (!a->deliver) return true;
  if (a->diagnostics || a->on_divergence) {
    complain("--deliver makes several runs, which %s does not look at: choose one of the two",
             a->diagnostics ? "--diagnostics" : "--on-divergence");
    return false;
  }
  if (a->step > 0) complain("--deliver tightens the accuracy, and with --step there is none: choose one of the two");
  else if (a->checkpoint)
    complain("--deliver makes several runs, which a checkpoint cannot hold: choose one of the two");
  return a->step == 0 && !a->checkpoint;
}

/* A resumed run replaces the summary of its earlier parts, but no other file: the checkpoint may belong to somebody
 * else. */
static bool may_replace_summary(const char *path) {
  struct stat info;
  if (!path || is_standard_output(path) || stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0)
    return true;
  json_t *there = json_load_file(path, 0, NULL);
  bool good = json_object_get(there, "model") && json_object_get(there, "steps") && json_object_get(there, "work");
  json_decref(there);
  if (!good) complain("%s: is no summary of a run, and --resume would overwrite it; move it away", path);
  return good;
}

/* The data with which a run can be resumed. */
static bool checkpoint_makes_sense(simulate_arguments *a) {
  if (!a->checkpoint) {
    if (a->checkpoint_every == 0 && a->checkpoint_wall == 0) return true;
    complain("--checkpoint-%s needs --checkpoint FILE: where to", a->checkpoint_every > 0 ? "every" : "wall");
    return false;
  }
  if (is_standard_output(a->checkpoint)) {
    complain("--checkpoint - is not possible: a checkpoint must be a file, which later ones replace");
    return false;
  }
  struct stat info;
  if (stat(a->checkpoint, &info) == 0 && !S_ISREG(info.st_mode)) {
    complain("--checkpoint %s: is not a file, and would be replaced by one", a->checkpoint);
    return false;
  }
  if (!checkpoint_is_free(a->checkpoint)) {
    complain_taken(a->checkpoint);
    return false;
  }
  const char *const whole =
      a->output && !is_standard_output(a->output) && !cdni_table_goes_on(a->output) ? a->output
      : a->record_controls && !is_standard_output(a->record_controls) && !cdni_table_goes_on(a->record_controls)
          ? a->record_controls
          : NULL;
  if (whole) {
    complain("--checkpoint is not possible with %s, which cannot be gone on with: choose a file of .h5 or .csv", whole);
    return false;
  }
  const char *const stream = is_standard_output(a->output)            ? "the trajectory"
                             : is_standard_output(a->record_controls) ? "the record of controls"
                             : is_standard_output(a->events)          ? "the table of events"
                             : is_standard_output(a->controls)        ? "the table of controls"
                                                                      : NULL;
  if (stream) {
    complain("--checkpoint needs %s in a file: what is on standard %s cannot be continued", stream,
             strcmp(stream, "the table of controls") == 0 ? "input" : "output");
    return false;
  }
  // the methods of SUNDIALS begin anew where they are saved: results would depend on how busy the machine is
  if (a->checkpoint_wall > 0 && begins_anew_where_saved(a->method)) {
    complain("--checkpoint-wall is not possible with --method %s, whose results depend on when it is saved; "
             "use --checkpoint-every",
             cdn_method_name(a->method));
    return false;
  }
  if (a->checkpoint_every == 0 && a->checkpoint_wall == 0) a->checkpoint_every = a->duration / 20;
  return true;
}

bool open_output(const char *path, FILE **file) {
  *file = NULL;
  if (!path) return true;
  *file = is_standard_output(path) ? stdout : fopen(path, "w");
  if (!*file) complain("%s: could not be written: %s", path, strerror(errno));
  return *file != NULL;
}

/* ---- the command --------------------------------------------------------------------------- */

/* The certificate goes where no data go. */
static FILE *certificate_stream(const simulate_arguments *a) {
  const bool data = is_standard_output(a->output) || is_standard_output(a->summary) ||
                    is_standard_output(a->diagnostics) || is_standard_output(a->events);
  return data ? stderr : stdout;
}

/* Whether the run delivered the requested accuracy. Fixed steps request none. */
static int verify(const run_record *r) {
  if (r->step > 0 || r->certificate.delivered == CDN_VERDICT_DELIVERED) return CMD_OK;
  return r->certificate.delivered == CDN_VERDICT_NOT_DELIVERED ? CMD_NOT_DELIVERED : CMD_UNKNOWN;
}

/* Where a run fails or was stopped before its end, an option that replaces what the library takes may be why, or one
 * that is not there may help. */
static void blame_options(const simulate_arguments *a, const cdn_model *model, const cdn_error *error) {
  suggest_armature(&a->model, error->code);
  const double E = a->model.stiffness, C = a->model.dissipation;
  if (!(E > 0 || C > 0) || cdn_system_shape_count(cdn_model_system(model)) == 0) return;
  char options[80] = "";
  if (E > 0) snprintf(options, sizeof options, "--stiffness %g%s", E, C > 0 ? " and " : "");
  if (C > 0) snprintf(options + strlen(options), sizeof options - strlen(options), "--dissipation %g", C);
  complain("%s stand%s in place of what the library takes for these surfaces ('cardan info' shows it): try without, or "
           "nearer to it",
           options, E > 0 && C > 0 ? "" : "s");
}

static int run_and_report(const simulate_arguments *a, const cdn_model *model, cdn_state *initial, checkpoint *from) {
  trajectory out;
  FILE *summary, *diagnostics;
  if (from && (!may_replace_summary(a->summary) || !trajectory_resume(&out, a, from, initial))) return CMD_INPUT;
  if (!from && !trajectory_open(&out, a, initial)) return CMD_OUTPUT;
  if (!open_output(a->summary, &summary) || !open_output(a->diagnostics, &diagnostics)) {
    (void)events_close(&out.events);
    (void)table_file_close(&out.to);
    if (summary && summary != stdout) fclose(summary);
    return CMD_OUTPUT;
  }
  const bool soft = cdn_system_contact_model(cdn_model_system(model)) == CDN_CONTACT_SOFT;
  run_record record = { .source = model,
                        .model = cdn_model_name(model),
                        .path = a->model.path,
                        .accuracy = a->accuracy,
                        .step = a->step,
                        .method = a->method,
                        .duration = a->duration,
                        .diagnostics = diagnostics,
                        .onset = soft ? a->model.onset : 0 };
  int code = CMD_OK;
  if (a->deliver) code = deliver(a, initial, &out, &record);
  else code = run_simulation(a, initial, from, &out, &record);

  if (!trajectory_close(&out, &record)) code = CMD_OUTPUT;
  if (record.certified) certificate_print(certificate_stream(a), &record);
  if (record.failed) certificate_print_failure(stderr, &record);
  if (record.failed || (record.signal && !a->model.quiet)) blame_options(a, model, &record.failure.error);
  if (summary) {
    certificate_write_json(summary, &record);
    if (!finish_output(summary, a->summary)) code = CMD_OUTPUT;
  }
  if (diagnostics && !finish_output(diagnostics, a->diagnostics)) code = CMD_OUTPUT;
  if (code == CMD_OK && (record.failed || !record.certified)) code = CMD_FAILED;
  if (code == CMD_OK && a->verify) code = verify(&record);
  return record.signal ? 128 + record.signal : code;
}

/* Fills in missing options and checks the given ones. */
static bool settle_arguments(simulate_arguments *a) {
  if (a->duration == 0) {
    complain("simulate needs --duration T: the time to simulate, in seconds");
    return false;
  }
  if (a->accuracy > 0 && (a->accuracy < LEAST_ACCURACY || a->accuracy > MOST_ACCURACY)) {
    complain("--accuracy %g is out of range (1e-15 to 0.5); values from 1e-3 to 1e-11 are customary", a->accuracy);
    return false;
  }
  if (a->on_divergence && strcmp(a->on_divergence, "reset") != 0) {
    complain("--on-divergence %s: only 'reset' is possible; without the option the run stops", a->on_divergence);
    return false;
  }
  if (!settle_names(&a->model, &a->method_name, a->accuracy, &a->no_companion)) return false;
  if (a->accuracy > 0 && a->step > 0 && !a->model.quiet) {
    complain("--accuracy %g is not used: with --step there is no error control", a->accuracy);
  }
  if (a->accuracy == 0) a->accuracy = cdn_default_stepper_def().accuracy;
  if (a->report == 0) a->report = a->duration / 100;
  if (a->duration / a->report > MOST_TABLE_ROWS) {
    complain("--report %g would make %.2g rows; give a longer interval", a->report, a->duration / a->report);
    return false;
  }
  if (!choose_method(&a->model, a->method_name, a->step, &a->method)) return false;
  return estimate_makes_sense(a) && checkpoint_makes_sense(a) && outputs_make_sense(a);
}

/* The end must lie beyond the start, as far as doubles can tell. */
static int check_time(const simulate_arguments *a, cdn_state *initial) {
  double t0 = cdn_state_time(initial);
  if (isfinite(t0 + a->duration) && t0 + a->duration > t0) return CMD_OK;
  complain("--duration %g cannot be told from nothing at the initial time %g", a->duration, t0);
  return CMD_USAGE;
}

/* A checkpoint contains the options of its run, so that only --quiet can be added. */
static bool is_bare(const simulate_arguments *a) {
  const model_arguments *m = &a->model;
  bool any = m->path || m->key || m->state || m->strict || m->keep_fixed || m->floating_base || m->tree_only ||
             m->exact_hulls || m->armature > 0 || m->ground.there || m->contact || m->equality || m->like ||
             m->preset || m->friction || m->stiffness > 0 || m->dissipation > 0 || a->duration > 0 || a->accuracy > 0 ||
             a->step > 0 || a->report > 0 || a->output || a->summary || a->diagnostics || a->on_divergence ||
             a->verify || a->deliver || a->no_companion || a->step_sizes || a->method_name || a->checkpoint ||
             a->checkpoint_every > 0 || a->checkpoint_wall > 0 || a->locks.n || m->controls.n || m->mocap.n ||
             m->motion || m->motion_linear || a->no_assemble || a->controls || a->record_controls || a->events;
  if (any) complain("--resume continues with the model and the options of the run: only --quiet can be added");
  return !any;
}

/* Whether the head of a checkpoint and its stepper are of one run: a head can be edited. */
static bool belong_together(const simulate_arguments *a, const checkpoint *from, const cdn_state *initial) {
  const cdn_stepper_def def = cdn_stepper_get_def(from->stepper);
  const run_position *p = &from->position;
  const double t0 = p->t0, reached = cdn_state_time(cdn_stepper_state(from->stepper));
  const struct {
    const char *name;
    double head, stepper;
  } pairs[] = { { "method", a->method, def.method },
                { "accuracy", a->accuracy, def.accuracy },
                { "step", a->step, def.fixed_step },
                { "companion", !a->no_companion, def.companion },
                { "initial time", t0, cdn_state_time(initial) },
                { "final time", t0 + a->duration, def.final_time } };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    if (pairs[i].head == pairs[i].stepper) continue;
    complain(
        "%s: is not a whole checkpoint of 'cardan simulate': its head has another %s than its stepper (%.9g, %.9g)",
        a->resume, pairs[i].name, pairs[i].head, pairs[i].stepper);
    return false;
  }
  // the stepper stands at the last report, or on the way to the next
  const double row = t0 + p->row * a->report, rounding = 1e-9 * a->report + 4 * DBL_EPSILON * fabs(row);
  const bool on_the_way = reached >= row - rounding && reached <= row + a->report + rounding;
  if (on_the_way && (!a->output || fabs(p->last_time - row) <= rounding)) return true;
  complain("%s: is not a whole checkpoint of 'cardan simulate': its %.0f rows end at t = %.9g, its stepper is at %.9g",
           a->resume, p->row, p->last_time, reached);
  return false;
}

/* Processors with and without fused multiply-adds round differently. */
static void say_other_kernels(const simulate_arguments *a, const checkpoint *from) {
  cdn_certificate c;
  if (a->model.quiet || cdn_stepper_certificate(from->stepper, &c) != CDN_OK || c.kernel_changes == 0) return;
  complain(
      "%s: comes from a processor that rounds differently (with fused multiply-adds, or without): the rest of the run is "
      "as accurate, but does not have the bits of an uninterrupted one",
      a->resume);
}

/* The initial State and the stepper as the checkpoint has them. */
static int load_resumed(const simulate_arguments *a, const cdn_model *model, checkpoint *from, cdn_state **initial) {
  cdn_error error;
  cdn_status status = cdn_state_create(cdn_model_system(model), initial);
  if (status == CDN_OK) status = cdn_state_load(*initial, cdn_buffer_read, &from->bytes);
  if (status == CDN_OK) status = cdn_stepper_load(*initial, NULL, NULL, cdn_buffer_read, &from->bytes, &from->stepper);
  if (status == CDN_OK) {
    if (!belong_together(a, from, *initial)) return CMD_INPUT;
    say_other_kernels(a, from);
    return CMD_OK;
  }
  if (*initial) cdn_state_last_error(*initial, &error);
  else error = (cdn_error){ .code = status };
  complain_error(a->resume, &error);
  return status == CDN_ERR_NOMEM ? CMD_FAILED : CMD_INPUT;
}

/* Loads the model and runs, from the start or from a checkpoint. */
static int simulate(simulate_arguments *a, checkpoint *from) {
  cdn_model *model;
  settle_onset(&a->model, a->step, a->accuracy);
  int code = settle_ground(&a->model); // a checkpoint has the height
  if (code == CMD_OK) code = load_model(&a->model, &model);
  if (code != CMD_OK) return code;
  report_notes(model, &a->model);
  cdn_state *initial = NULL;
  code = settle_steps(&a->model, a->method_name, model, &a->method, &a->step);
  if (a->method_name || a->model.preset) a->method_name = cdn_method_name(a->method); // for a checkpoint
  if (code == CMD_OK && !from) {
    code = load_state(model, &a->model, &initial);
    if (code == CMD_OK) code = lock_joints(&a->locks, initial);
    /* the stepper holds constraints to a tenth of the accuracy */
    if (code == CMD_OK && !a->no_assemble) code = assemble_for_run(&a->model, model, a->accuracy / 10, initial);
    if (code == CMD_OK) code = check_time(a, initial);
  } else if (code == CMD_OK) {
    code = load_resumed(a, model, from, &initial);
  }
  if (code == CMD_OK) code = run_and_report(a, model, initial, from);
  cdn_state_destroy(initial);
  cdn_model_destroy(model);
  return code;
}

int command_simulate(int argc, char **argv) {
  simulate_arguments a = { 0 };
  const option table[] = {
    { "duration", 0, OPTION_POSITIVE, &a.duration, "T", "time to simulate, s (required)" },
    { "accuracy", 0, OPTION_POSITIVE, &a.accuracy, "A", "accuracy of the run (default 1e-4)" },
    { "step", 0, OPTION_POSITIVE, &a.step, "H", "steps of this size, s, without error control" },
    { "method", 0, OPTION_TEXT, &a.method_name, "NAME",
      "how steps are taken (see docs/methods.md); file: as the model's file says" },
    { "report", 0, OPTION_POSITIVE, &a.report, "DT", "time between rows, s (default T/100)" },
    { "output", 'o', OPTION_TEXT, &a.output, "FILE",
      "write the trajectory, .csv, .h5, .npz, .sto ('-': standard output)" },
    { "initial", 0, OPTION_TEXT, &a.model.state, "STATE.json", "state to start from ('-': standard input)" },
    { "key", 0, OPTION_TEXT, &a.model.key, "NAME", "start from a keyframe of the model" },
    CONTROL_OPTION(a.model),
    { "controls", 0, OPTION_TEXT, &a.controls, "FILE",
      "controls over time, .csv, .h5, ...: a column 'time', then controls" },
    { "record-controls", 0, OPTION_TEXT, &a.record_controls, "FILE", "write such a table of what the run was given" },
    { "motion", 0, OPTION_TEXT, &a.model.motion, "FILE",
      "joints move as the columns of a table say: time, then joints" },
    { "motion-linear", 0, OPTION_FLAG, &a.model.motion_linear, NULL,
      "on straight lines between its rows, not on splines" },
    { "lock", 0, OPTION_LIST, &a.locks, "JOINT[=Q]", "hold a joint where it is, or at Q; as often as needed" },
    { "no-assemble", 0, OPTION_FLAG, &a.no_assemble, NULL, "start as it is, whatever the constraints' errors" },
    { "verify", 0, OPTION_FLAG, &a.verify, NULL,
      "exit with 6 if the accuracy was not delivered, with 7 if that is unknown" },
    { "deliver", 0, OPTION_FLAG, &a.deliver, NULL, "run again, tighter, until the accuracy is delivered" },
    { "no-companion", 0, OPTION_FLAG, &a.no_companion, NULL,
      "no second run beside the run: faster, its error unknown" },
    { "summary", 0, OPTION_TEXT, &a.summary, "FILE.json", "write the certificate as JSON ('-': standard output)" },
    { "diagnostics", 0, OPTION_TEXT, &a.diagnostics, "FILE.json",
      "write warnings, times, and what the last state is like, as JSON" },
    { "events", 0, OPTION_TEXT, &a.events, "FILE.csv",
      "write what rigid contact, limits and dry friction do, a row a change ('-': standard output)" },
    { "on-divergence", 0, OPTION_TEXT, &a.on_divergence, "reset",
      "go on from the default state where numbers become too large, as MuJoCo does" },
    { "step-sizes", 0, OPTION_FLAG, &a.step_sizes, NULL, "a column with the size of the step that each row is in" },
    { "checkpoint", 0, OPTION_TEXT, &a.checkpoint, "FILE", "save the run there, now and then, and when it is stopped" },
    { "checkpoint-every", 0, OPTION_POSITIVE, &a.checkpoint_every, "T", "simulated time between, s (default: a 20th)" },
    { "checkpoint-wall", 0, OPTION_POSITIVE, &a.checkpoint_wall, "S", "real time between, s, as well or instead" },
    { "resume", 0, OPTION_TEXT, &a.resume, "FILE", "go on with a run that was saved there, its options included" },
    PRESET_OPTION(a.model),
    MODEL_OPTIONS(a.model),
  };
  int code = options_parse(&page, table, sizeof table / sizeof table[0], argc, argv, &a.model.path);
  if (code != OPTIONS_GO) return code;
  if (a.resume) {
    checkpoint from = { .head = NULL };
    if (!is_bare(&a)) return CMD_USAGE;
    bool readable =
        checkpoint_read(&from, a.resume, &a) && find_method(a.method_name, &a.method) && outputs_make_sense(&a);
    a.model.step = a.step;
    const bool taken = readable && !checkpoint_is_free(a.checkpoint);
    if (taken) complain_taken(a.checkpoint);
    code = taken ? CMD_OUTPUT : readable ? simulate(&a, &from) : CMD_INPUT;
    checkpoint_close(&from);
    return code;
  }
  if (!a.model.path) {
    complain(WHICH_MODEL);
    return wrong_usage(&page);
  }
  return settle_arguments(&a) ? simulate(&a, NULL) : CMD_USAGE;
}
