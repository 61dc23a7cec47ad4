/* From the command line's model options to a loaded model, its warnings, and a State to start from. */
#include <cardan/perturbation.h>

#include "command.h"

#include <cardan/follow.h>

#include <math.h>
#include <string.h>

/* Which of n values an option has: without one, the first; -1: it has another, which has been said. */
static int choose(const char *flag, const char *value, const char *const *values, int n) {
  char all[100] = "";
  for (int i = 0; i < n; i++)
    if (!value || strcmp(value, values[i]) == 0) return i;
  for (int i = 0; i < n; i++)
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i == 0 ? "" : i < n - 1 ? ", " : " or ", values[i]);
  complain("--%s is %s, not '%s'", flag, all, value);
  return -1;
}

/* What surfaces can be: rubber has about 1e7 Pa, steel 2e11, diamond 1e12. Beyond it steps are so short that a run
 * never ends. */
static bool surfaces_make_sense(const model_arguments *arguments) {
  static const double SOFTEST = 1e-3, STIFFEST = 1e13, MOST_DISSIPATION = 1e9, USUAL_DISSIPATION = 1e3;
  const double E = arguments->stiffness, C = arguments->dissipation;
  if (E > 0 && !(E >= SOFTEST && E <= STIFFEST)) {
    complain("--stiffness %g is out of range (%g to %g Pa): rubber has about 1e7, steel 2e11, diamond 1e12", E, SOFTEST,
             STIFFEST);
    return false;
  }
  if (C > MOST_DISSIPATION)
    complain("--dissipation %g is out of range (up to %g s/m): 0.01 to 10 are customary", C, MOST_DISSIPATION);
  else if (C > USUAL_DISSIPATION && !arguments->quiet)
    complain("--dissipation %g makes contact so stiff that a run may take very long: 0.01 to 10 s/m are customary", C);
  return !(C > MOST_DISSIPATION);
}

const char *const contact_words[CONTACT_WORDS] = { "compliant", "soft", "rigid", "none" };

static bool read_options(const model_arguments *arguments, cdn_model_options *options) {
  *options = cdn_default_model_options();
  options->strict = arguments->strict;
  options->keep_fixed = arguments->keep_fixed;
  options->floating_base = arguments->floating_base;
  options->tree_only = arguments->tree_only;
  options->armature = arguments->armature;
  if (arguments->exact_hulls) options->hull_tolerance = 0;
  static const char *const equalities[] = { "exact", "soft" };
  static const char *const frictions[] = { "stick", "slip" };
  static const cdn_model_contact models[CONTACT_WORDS] = { CDN_MODEL_COMPLIANT, CDN_MODEL_SOFT, CDN_MODEL_RIGID,
                                                           CDN_MODEL_NO_CONTACT };
  const int contact = choose("contact", arguments->contact, contact_words, CONTACT_WORDS);
  const int soft = choose("equality", arguments->equality, equalities, 2);
  const int slip = choose("friction", arguments->friction, frictions, 2);
  options->contact = models[contact < 0 ? 0 : contact];
  if (!arguments->contact && arguments->as_file) options->contact = CDN_MODEL_AS_FILE;
  options->solving = arguments->as_file ? CDN_MODEL_SOLVE_AS_FILE : CDN_MODEL_SOLVE_TO_THE_END;
  options->equality = soft ? CDN_MODEL_SOFT_EQUALITY : CDN_MODEL_EXACT_EQUALITY;
  options->fixed_step = arguments->step;
  options->soft_onset = arguments->onset;
  options->ground = arguments->ground.there;
  options->ground_height = arguments->ground.has_height ? arguments->ground.height : NAN;
  options->contact_friction = slip ? CDN_FRICTION_SLIP_SPEED : CDN_FRICTION_STICKING;
  options->contact_modulus = arguments->stiffness;
  options->contact_dissipation = arguments->dissipation > 0 ? arguments->dissipation : -1;
  return contact >= 0 && soft >= 0 && slip >= 0 && surfaces_make_sense(arguments);
}

/* Joints follow the columns of a table. */
static cdn_status add_motions(const model_arguments *a, cdn_system *system) {
  cdn_table *table;
  CDN_TRY(cdn_table_read(a->motion, &table));
  cdn_follow_def def = cdn_default_follow_def();
  def.linear = a->motion_linear;
  const int columns = cdn_table_column_count(table);
  bool *used = allocate((size_t)columns, sizeof *used);
  int n, others = 0;
  const cdn_status status = cdn_system_follow_table(system, table, &def, used, &n);
  for (int i = 1; i < columns; i++) others += !used[i];
  if (status == CDN_OK && !a->quiet) complain("%s: %d joint%s it", a->motion, n, n == 1 ? " follows" : "s follow");
  for (int i = 1, told = 0; status == CDN_OK && others > 0 && !a->quiet && i < columns && told < 1; i++)
    if (!used[i] && ++told)
      complain("%s: %d column%s of no joint, such as '%s'", a->motion, others, others == 1 ? " is" : "s are",
               visible(cdn_table_column_name(table, i)));
  free(used);
  cdn_table_destroy(table);
  return status;
}

/* In a System with a pull, or with joints that follow a table. The mistakes of freezing are the System's. */
static cdn_status load_with_more(const model_arguments *a, const cdn_model_options *options, cdn_model **out) {
  cdn_system *system = cdn_system_create(NULL);
  *out = NULL;
  if (!system) return CDN_ERR_NOMEM;
  cdn_status status = cdn_model_load_into(a->path, options, system, out);
  if (status == CDN_OK && a->motion) status = add_motions(a, system);
  if (status == CDN_OK && a->pull) cdn_system_add_perturbation(system, NULL);
  if (status == CDN_OK) status = cdn_system_freeze(system);
  cdn_system_release(system);
  return status;
}

/* Where the plane of --ground is if the run starts from a keyframe or a state file: the model is loaded without it for
 * that. */
int settle_ground(model_arguments *arguments) {
  plane *ground = &arguments->ground;
  if (!ground->there || ground->has_height || !(arguments->key || arguments->state)) return CMD_OK;
  if (arguments->state && strcmp(arguments->state, "-") == 0) {
    complain("--ground needs a height where the state comes from standard input: --ground Z");
    return CMD_USAGE;
  }
  model_arguments without = *arguments;
  without.ground = (plane){ .there = false };
  without.contact = "compliant", without.quiet = true, without.controls.n = 0, without.mocap.n = 0;
  cdn_model *model;
  cdn_state *state;
  int code = load_start(&without, &model, &state);
  if (code == CMD_OK && cdn_model_lowest_point(model, state, &ground->height) != CDN_OK) {
    cdn_error error;
    cdn_last_error(&error);
    complain_error("--ground", &error);
    code = CMD_FAILED;
  }
  ground->has_height = code == CMD_OK;
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  return code;
}

int load_model(const model_arguments *given, cdn_model **out) {
  cdn_model_options options;
  model_arguments own = *given, *arguments = &own;
  *out = NULL;
  const int ground = settle_ground(&own);
  if (ground != CMD_OK) return ground;
  if (!settle_names(&own, NULL, 0, NULL) || !read_options(arguments, &options)) return CMD_USAGE;
  const cdn_status status = arguments->pull || arguments->motion ? load_with_more(arguments, &options, out)
                                                                 : cdn_model_load(arguments->path, &options, out);
  if (status == CDN_OK) return CMD_OK;

  if (!*out) {
    complain("%s: %s", arguments->path, cdn_status_text(status));
    return CMD_FAILED;
  }
  cdn_error error;
  cdn_model_last_error(*out, &error);
  if (error.code == CDN_OK) cdn_last_error(&error);
  complain_error("", &error);
  bool refused = arguments->strict && status == CDN_ERR_UNSUPPORTED && cdn_model_not_understood_count(*out) > 0;
  cdn_model_destroy(*out);
  *out = NULL;
  return refused ? CMD_STRICT : status == CDN_ERR_NOMEM ? CMD_FAILED : CMD_INPUT;
}

/* Adds a word to a comma-separated list, broken into lines of at most 110 columns. */
static void add_item(const char *item, bool first, int *column) {
  int length = (int)strlen(item);
  if (!first) {
    fputc(',', stderr);
    ++*column;
  }
  if (*column + 1 + length > 110) {
    fputs("\n   ", stderr);
    *column = 3;
  }
  fprintf(stderr, " %s", item);
  *column += 1 + length;
}

void report_notes(const cdn_model *model, const model_arguments *arguments) {
  if (arguments->quiet) return;
  int n = cdn_model_not_understood_count(model);
  if (n > 0) {
    int column = fprintf(stderr, "%s: not simulated:", visible(arguments->path));
    for (int i = 0; i < n; i++) {
      cdn_model_note note = cdn_model_not_understood(model, i);
      char item[160];
      snprintf(item, sizeof item, "%d x %s (line %d)", note.count, visible(note.element), note.line);
      add_item(item, i == 0, &column);
    }
    fputc('\n', stderr);
  }
  enum { MOST = 8 };
  int warnings = cdn_model_warning_count(model);
  for (int i = 0; i < warnings && i < MOST; i++) fprintf(stderr, "%s\n", visible(cdn_model_warning(model, i)));
  if (warnings > MOST) {
    fprintf(stderr, "%s: %d more warnings ('cardan info' lists them all)\n", visible(arguments->path), warnings - MOST);
  }
}

int load_state(cdn_model *model, const model_arguments *arguments, cdn_state **out) {
  cdn_status status = cdn_state_create(cdn_model_system(model), out);
  if (status != CDN_OK) {
    complain("%s: %s", arguments->path, cdn_status_text(status));
    *out = NULL;
    return CMD_FAILED;
  }
  int code = CMD_OK;
  if (arguments->key && cdn_model_set_key(model, arguments->key, *out) != CDN_OK) {
    cdn_error error;
    cdn_model_last_error(model, &error);
    if (error.code == CDN_OK) cdn_state_last_error(*out, &error);
    complain_error("", &error);
    code = CMD_USAGE;
  }
  if (code == CMD_OK && arguments->state) {
    code = read_state_file(arguments->state, *out);
    // numbers that are no configuration (a quaternion of zeros) are the file's fault, not the model's
    if (code == CMD_OK && (cdn_mocap_take(*out) != CDN_OK || cdn_realize(*out, CDN_STAGE_POSITION) != CDN_OK)) {
      cdn_error error;
      cdn_state_last_error(*out, &error);
      complain_error(arguments->state, &error);
      code = CMD_INPUT;
    }
  }
  if (code == CMD_OK) code = set_controls(&arguments->controls, *out);
  if (code == CMD_OK) code = pose_mocap_bodies(&arguments->mocap, *out);
  if (code != CMD_OK) {
    cdn_state_destroy(*out);
    *out = NULL;
  }
  return code;
}

int load_start(const model_arguments *arguments, cdn_model **model, cdn_state **state) {
  *state = NULL;
  const int code = load_model(arguments, model);
  if (code != CMD_OK) return code;
  report_notes(*model, arguments);
  return load_state(*model, arguments, state);
}

cdni_rows *open_rows(const char *path, int *code) {
  cdni_rows *rows;
  *code = cdni_rows_open(path, &rows) == CDN_OK ? CMD_OK : CMD_INPUT;
  if (!rows) complain_last_error();
  return rows;
}

void suggest_armature(const model_arguments *arguments, cdn_status status) {
  if (status == CDN_ERR_SINGULAR && arguments->armature == 0)
    complain("--armature 1e-4 gives inertia to every joint: it helps where links without mass are why");
}
