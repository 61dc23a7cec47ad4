/* cardan assemble: coordinates that satisfy a model's constraints and are near given goals; also used before a
 * simulation. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cardan/follow.h>

#include "hybrid/hybrid.h"
#include "simulate.h"

static const help_page page = {
  "assemble", "MODEL [--goal JOINT=VALUE ...] [options]",
  "Brings the coordinates to the model's constraints (closed loops, couplings) and as close to the goals as\n"
  "they allow, from the model's default state, a keyframe, or a state file; then the speeds to the velocity\n"
  "constraints. Locked joints stay, and all others within the limits that the model gives them. Prints the\n"
  "coordinates, the errors before and after, and the degrees of freedom that are left. A goal for one of several\n"
  "coordinates of a joint is JOINT[K]=VALUE. With --markers it finds a pose for each frame of a recording.\n",
  "  cardan assemble linkage.xml\n"
  "  cardan assemble linkage.xml --goal crank=0.5 -o assembled.json\n"
  "  cardan assemble linkage.xml --lock crank=0.5\n"
  "  cardan simulate linkage.xml --initial assembled.json --duration 1\n"
  "  cardan assemble skeleton.xml --markers walk.trc -o poses.h5\n",
  WHICH_MODEL
};

/* ---- limits --------------------------------------------------------------------------------- */

/* The joint of the file whose only coordinate is that of a body's mobilizer, in *joint; false if it has no limits. */
static bool has_limits(const cdn_model *model, cdn_body body, cdn_model_joint *joint) {
  const int q = cdn_body_first_q(cdn_model_system(model), body);
  for (int i = 0; i < cdn_model_joint_count(model); i++) {
    *joint = cdn_model_get_joint(model, i);
    if (joint->first_q == q && joint->nq == 1) return joint->lower > -INFINITY || joint->upper < INFINITY;
  }
  return false;
}

static void warn_beyond(const cdn_model *model, cdn_body body, const char *item, double value) {
  cdn_model_joint joint;
  if (!has_limits(model, body, &joint) || (value >= joint.lower && value <= joint.upper)) return;
  complain("--goal %s: outside the limits [%g, %g] of joint '%s', which it does not leave", item, joint.lower,
           joint.upper, joint.name);
}

/* A locked joint is not moved into its limits. */
static int check_locks(const cdn_model *model, cdn_state *state) {
  for (int i = 1; i < cdn_system_body_count(cdn_model_system(model)); i++) {
    const cdn_body body = { i };
    cdn_model_joint joint;
    if (cdn_body_lock_level(state, body) != CDN_LEVEL_POSITION || !has_limits(model, body, &joint)) continue;
    const double q = cdn_state_q_eff(state)[joint.first_q];
    if (q >= joint.lower && q <= joint.upper) continue;
    char nearest[CDN_NUMBER_SIZE];
    complain("--lock: joint '%s' would be held at %g, outside its limits [%g, %g]; lock it within them: --lock %s=%s",
             joint.name, q, joint.lower, joint.upper, joint.name,
             cdn_number_text(q < joint.lower ? joint.lower : joint.upper, nearest));
    return CMD_USAGE;
  }
  return CMD_OK;
}

/* ---- goals ---------------------------------------------------------------------------------- */

/* "JOINT=VALUE" or "JOINT[K]=VALUE". */
static int add_goal(cdn_assembly *assembly, const cdn_model *model, const char *item, bool quiet) {
  const cdn_system *system = cdn_model_system(model);
  const char *equals = strrchr(item, '=');
  char *end;
  if (!equals) {
    complain("--goal %s: a goal is JOINT=VALUE", item);
    return CMD_USAGE;
  }
  const double value = strtod(equals + 1, &end);
  if (end == equals + 1 || *end || !isfinite(value)) {
    complain("--goal %s: '%s' is not a finite number", item, equals + 1);
    return CMD_USAGE;
  }
  size_t length = (size_t)(equals - item);
  int k = 0;
  cdn_body body = find_joint(system, item, length);
  const char *bracket = body.i < 0 && equals > item && equals[-1] == ']' ? memchr(item, '[', length) : NULL;
  if (bracket) {
    const long number = strtol(bracket + 1, &end, 10);
    if (end == bracket + 1 || end != equals - 1 || number < 0 || number > 6) {
      complain("--goal %s: the number in brackets must be that of a coordinate of the joint, from 0 on", item);
      return CMD_USAGE;
    }
    k = (int)number;
    length = (size_t)(bracket - item);
    body = find_joint(system, item, length);
  }
  if (body.i < 0) return complain_joint("--goal", system, item, length);
  if (!bracket && cdn_body_nq(system, body) != 1) {
    complain("--goal %s: this joint has %d coordinates; name one: %.*s[K]=VALUE", item, cdn_body_nq(system, body),
             (int)length, item);
    return CMD_USAGE;
  }
  if (!quiet) warn_beyond(model, body, item, value);
  if (cdn_assembly_add_coordinate(assembly, NULL, body, k, value, 1).i >= 0) return CMD_OK;
  cdn_error error;
  cdn_assembly_last_error(assembly, &error);
  complain_error("--goal", &error);
  return error.code == CDN_ERR_NOMEM ? CMD_FAILED : CMD_USAGE;
}

/* ---- results -------------------------------------------------------------------------------- */

static void print_report(const cdn_model *model, cdn_state *state, const cdn_assembly_report *r,
                         const cdn_assembly_report *speeds, bool goals) {
  const cdn_system *system = cdn_model_system(model);
  const int nq = cdn_system_nq(system);
  char a[CDN_NUMBER_SIZE];
  printf("%s\n", visible(cdn_model_name(model)));
  printf("  degrees of freedom   %d\n", r->dof);
  const char *worst = cdn_constraint_name(system, r->worst_constraint);
  printf("  constraint errors    before %.3g, after %.3g%s%s\n", r->error_before, r->error, worst ? ", most of " : "",
         worst ? visible(worst) : "");
  printf("  of speeds            before %.3g, after %.3g\n", speeds->error_before, speeds->error);
  if (goals) printf("  goals                before %.3g, after %.3g\n", r->goal_before, r->goal);
  printf("  iterations           %d\n", r->iterations);
  int width = 1;
  for (int i = 0; i < nq; i++) {
    const int length = (int)strlen(visible_slot(system, CDN_POOL_Q, i));
    if (length > width) width = length;
  }
  if (nq) printf("\n  %-*s %24s\n", width, "", "q");
  for (int i = 0; i < nq; i++) {
    printf("  %-*s %24s\n", width, visible_slot(system, CDN_POOL_Q, i), rounded(cdn_state_q(state)[i], a));
  }
}

typedef struct assemble_arguments {
  model_arguments model;
  text_list goals, locks;
  const char *output, *markers;
} assemble_arguments;

static int complain_assembly(const char *doing, const cdn_assembly *assembly) {
  cdn_error error;
  cdn_assembly_last_error(assembly, &error);
  complain_error(doing, &error);
  return CMD_FAILED;
}

/* With the limits of the joints, and the goals. Returns CMD_OK or the code to exit with; *out is the caller's to
 * destroy in any case. */
static int begin_assembly(const assemble_arguments *a, const cdn_model *model, cdn_state *state, cdn_assembly **out) {
  cdn_status status = cdn_assembly_create(cdn_model_system(model), NULL, out);
  if (status == CDN_OK) status = cdn_model_bound_assembly(model, *out);
  if (status != CDN_OK) {
    complain("%s: %s", a->model.path, cdn_status_text(status));
    return CMD_FAILED;
  }
  int code = check_locks(model, state);
  for (int i = 0; i < a->goals.n && code == CMD_OK; i++) code = add_goal(*out, model, a->goals.item[i], a->model.quiet);
  return code;
}

static int assemble(const assemble_arguments *a, const cdn_model *model, cdn_state *state) {
  cdn_assembly *assembly = NULL;
  cdn_assembly_report report, speeds;
  int code = begin_assembly(a, model, state, &assembly);
  if (code == CMD_OK &&
      (cdn_assemble(assembly, state, &report) != CDN_OK || cdn_assemble_speeds(assembly, state, &speeds) != CDN_OK))
    code = complain_assembly(a->model.path, assembly);
  cdn_assembly_destroy(assembly);
  if (code != CMD_OK) return code;
  const bool to_output = a->output && strcmp(a->output, "-") == 0;
  if (!to_output) print_report(model, state, &report, &speeds, a->goals.n > 0);
  return !a->output || write_state_file(a->output, state) ? CMD_OK : CMD_OUTPUT;
}

/* ---- markers --------------------------------------------------------------------------------- */

typedef struct recording {
  cdn_table *table;
  cdn_assembly *assembly;
  cdn_trajectory *out; /* NULL: none was asked for */
  int n, *column;
  cdn_vec3 *marker;
  double worst, worst_time; /* root mean square over the markers of a frame, m */
} recording;

/* Where the markers lead in a frame of the recording. */
static cdn_status track_frame(recording *r, int64_t frame, cdn_state *state) {
  const double t = cdn_table_values(r->table)[frame * cdn_table_column_count(r->table)];
  cdn_assembly_report report;
  CDN_TRY(cdn_table_markers(r->table, frame, r->n, r->column, r->marker));
  CDN_TRY(cdn_track(r->assembly, state, t, r->n, r->marker, &report));
  if (frame == 0 || report.marker_rms > r->worst) r->worst = report.marker_rms, r->worst_time = t;
  const double own[] = { report.marker_rms, report.marker_most };
  return r->out ? cdn_trajectory_row(r->out, state, own) : CDN_OK;
}

static int track_frames(const assemble_arguments *a, recording *r, cdn_state *state) {
  const int64_t frames = cdn_table_row_count(r->table);
  cdn_status status = CDN_OK;
  int64_t frame = 0;
  for (; frame < frames && status == CDN_OK; frame++) status = track_frame(r, frame, state);
  if (status == CDN_OK && frames > 0) {
    FILE *to = a->output && strcmp(a->output, "-") == 0 ? stderr : stdout;
    char text[CDN_NUMBER_SIZE];
    fprintf(to, "%s: %lld frames, %d markers\n", a->markers, (long long)frames, r->n);
    fprintf(to, "  worst frame          root mean square %.3g m, at t = %s s\n", r->worst,
            rounded(r->worst_time, text));
    return CMD_OK;
  }
  if (frames == 0) complain("%s: holds no frames", a->markers);
  else complain("%s: frame %lld: %s", a->markers, (long long)frame, cdn_last_error_text());
  return frames == 0 ? CMD_INPUT : status == CDN_ERR_FILE ? CMD_OUTPUT : CMD_FAILED;
}

static int open_recording(const assemble_arguments *a, const cdn_model *model, cdn_state *state, recording *r) {
  static const char *const own[] = { "marker_rms", "marker_most" }, *const units[] = { "m", "m" };
  if (cdn_table_read(a->markers, &r->table) != CDN_OK) {
    complain_last_error();
    return CMD_INPUT;
  }
  const size_t most = (size_t)cdn_table_column_count(r->table) / 3 + 1;
  r->column = allocate(most, sizeof *r->column), r->marker = allocate(most, sizeof *r->marker);
  const int code = begin_assembly(a, model, state, &r->assembly);
  if (code != CMD_OK) return code;
  if (cdn_assembly_add_table_markers(r->assembly, model, r->table, r->column, &r->n) != CDN_OK) {
    complain("%s: %s", a->markers, cdn_last_error_text());
    return CMD_INPUT;
  }
  if (!a->output) return CMD_OK;
  cdn_trajectory_def def = cdn_default_trajectory_def();
  def.u = def.energies = false, def.own = own, def.own_units = units, def.n_own = 2;
  if (cdn_trajectory_open(state, &def, a->output, &r->out) == CDN_OK) return CMD_OK;
  complain_last_error();
  return CMD_OUTPUT;
}

/* Poses that lead the model's frames to the markers of a recording, frame by frame. */
static int follow_markers(const assemble_arguments *a, const cdn_model *model, cdn_state *state) {
  recording r = { .n = 0 };
  int code = open_recording(a, model, state, &r);
  if (code == CMD_OK) code = track_frames(a, &r, state);
  if (r.out && cdn_trajectory_close(r.out) != CDN_OK) {
    complain_last_error();
    code = CMD_OUTPUT;
  }
  cdn_assembly_destroy(r.assembly);
  cdn_table_destroy(r.table);
  free(r.column), free(r.marker);
  return code;
}

/* ---- the command ---------------------------------------------------------------------------- */

int command_assemble(int argc, char **argv) {
  assemble_arguments a = { .output = NULL };
  const option table[] = {
    { "goal", 0, OPTION_LIST, &a.goals, "JOINT=VALUE", "a coordinate that is wanted; as often as needed" },
    { "lock", 0, OPTION_LIST, &a.locks, "JOINT[=Q]", "hold a joint where it is, or at Q; as often as needed" },
    { "markers", 0, OPTION_TEXT, &a.markers, "FILE",
      "follow a recording frame by frame, .trc, .csv, ...: markers are frames of the model" },
    { "output", 'o', OPTION_TEXT, &a.output, "FILE",
      "write the state, .json, or the poses, .csv, .h5, ... ('-': standard output)" },
    { "initial", 0, OPTION_TEXT, &a.model.state, "STATE.json", "state to start from ('-': standard input)" },
    { "key", 0, OPTION_TEXT, &a.model.key, "NAME", "start from a keyframe of the model" },
    CONTROL_OPTION(a.model),
    MODEL_OPTIONS(a.model),
  };
  int code = options_parse(&page, table, sizeof table / sizeof table[0], argc, argv, &a.model.path);
  if (code != OPTIONS_GO) return code;
  cdn_model *model;
  cdn_state *state;
  code = load_start(&a.model, &model, &state);
  if (code == CMD_OK) code = lock_joints(&a.locks, state);
  if (code == CMD_OK) code = a.markers ? follow_markers(&a, model, state) : assemble(&a, model, state);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  return code;
}

/* ---- before a simulation -------------------------------------------------------------------- */

static double largest(const double *values, int n) {
  double most = 0;
  for (int i = 0; values && i < n; i++) most = fmax(most, fabs(values[i]));
  return most;
}

int assemble_for_run(const model_arguments *arguments, const cdn_model *model, double tolerance, cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  const double before = largest(cdn_state_qerr(state), cdn_system_nqerr(system));
  const double speeds = largest(cdn_state_uerr(state), cdn_system_nuerr(system));
  cdn_assembly *assembly;
  cdn_assembly_report report = { .error = before };
  double overlap = 0;
  if (cdni_hybrid(system) && cdni_hybrid_least_gap(cdni_hybrid(system), state, &overlap) != CDN_OK) overlap = 0;
  const bool within = overlap < -tolerance; /* shapes that touch rigidly are within each other */
  if (before <= tolerance && !within && speeds * cdn_default_assembly_def().time_scale <= tolerance) return CMD_OK;
  cdn_status status = cdn_assembly_create(system, NULL, &assembly);
  if (status != CDN_OK) {
    complain("%s: %s", arguments->path, cdn_status_text(status));
    return CMD_FAILED;
  }
  status = cdn_model_bound_assembly(model, assembly);
  if (status == CDN_OK && (within || before > tolerance)) status = cdn_assemble(assembly, state, &report);
  if (status == CDN_OK) status = cdn_assemble_speeds(assembly, state, NULL);
  if (status != CDN_OK) {
    cdn_error error;
    cdn_assembly_last_error(assembly, &error);
    complain_error(arguments->path, &error);
  } else if (!arguments->quiet) {
    char apart[64] = "";
    if (within) snprintf(apart, sizeof apart, "shapes overlapped by up to %.3g m, ", -overlap);
    complain("%s: assembled first: %sconstraint errors were %.3g, speeds' %.3g (--no-assemble leaves them)",
             arguments->path, apart, before, speeds);
  }
  cdn_assembly_destroy(assembly);
  return status == CDN_OK ? CMD_OK : CMD_FAILED;
}
