/* What the files of the command share: exit codes, messages, options, numbers and JSON, loading. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdio.h>

#include <cardan/hybrid.h>
#include <cardan/model.h>

#include "core/words.h"
#include "tables/rows.h"
#include "tables/tables.h"

/* Exit codes; docs/command.md and `cardan --help` list them. A run stopped by a signal exits with 128 + its number. */
enum {
  CMD_OK = 0,
  CMD_FAILED = 1,        /* the numbers failed: singular mass matrix, step too small, out of memory */
  CMD_USAGE = 2,         /* a wrong option, value or name on the command line */
  CMD_INPUT = 3,         /* a file could not be read, or its contents are wrong */
  CMD_OUTPUT = 4,        /* a file or standard output could not be written */
  CMD_STRICT = 5,        /* --strict: the model holds something that is not simulated */
  CMD_NOT_DELIVERED = 6, /* --verify: the run did not deliver the accuracy that was asked for */
  CMD_UNKNOWN = 7,       /* --verify: nobody knows whether it did */
  CMD_DIFFERENT = 8      /* compare: two trajectories differ by more than the tolerance */
};

/* ---- messages.c ---------------------------------------------------------------------------- */

/* What messages and help call the program: "cardan", if it is not told otherwise. */
extern const char *program_name;
/* "cardan: ..." on standard error, with a newline. */
void complain(const char *format, ...) CDN_PRINTF(1, 2);
/* The same for an error of the library, preceded by what was being done ("" for nothing). */
void complain_error(const char *doing, const cdn_error *error);
/* The same for the thread's last failure. Returns false. */
bool complain_last_error(void);
/* A text from a file or the command line as it is shown to people: see cdn_visible_text. Good for six calls, and for
 * texts that are printed at once. */
const char *visible(const char *text);
const char *visible_slot(const cdn_system *system, cdn_pool pool, int i); /* its name */
/* A number in a table for people: 9 digits. JSON and CSV have all of them (cdn_number_text). */
const char *rounded(double x, char text[CDN_NUMBER_SIZE]);
/* An error's text, with its element where the text does not name it. */
void error_message(const cdn_error *error, char *text, size_t size);
/* Zeroed memory for n elements (at least one), or the end of the program with a message. */
void *allocate(size_t n, size_t size);
/* Flushes a stream and says whether all that was written to it arrived; complains in the name of `path` if not.
 * Closes it unless it is standard output. */
bool finish_output(FILE *file, const char *path);

/* ---- options.c ----------------------------------------------------------------------------- */

typedef enum option_kind {
  OPTION_FLAG,     /* target: bool */
  OPTION_TEXT,     /* target: const char * */
  OPTION_LIST,     /* target: text_list; may be given more than once */
  OPTION_OPERANDS, /* target: text_list; operands behind the first, not an option: it has no name */
  OPTION_POSITIVE, /* target: double; a finite number above zero, so that zero may mean "not given" */
  OPTION_HEIGHT    /* target: plane; a finite number, which may be left out */
} option_kind;

enum { LIST_MOST = 4096 };
typedef struct text_list {
  const char *item[LIST_MOST];
  int n;
} text_list;

/* A plane under the model: below its lowest point, or at a height, m. */
typedef struct plane {
  bool there, has_height;
  double height;
} plane;

typedef struct option {
  const char *name; /* without the dashes */
  char letter;      /* its short form, or 0 */
  option_kind kind;
  void *target;
  const char *value; /* what the help calls the value; NULL for a flag */
  const char *help;
} option;

/* A command's help page; the options' part is made from their table. */
typedef struct help_page {
  const char *command; /* NULL: the page is that of the program */
  const char *synopsis, *text, *examples;
  const char *operand; /* the question where it is missing; NULL: it may be */
} help_page;

#define WHICH_MODEL "which model? Name a URDF or MJCF file"

#define OPTIONS_GO (-1)

/* Says how a command is used; returns CMD_USAGE. */
int wrong_usage(const help_page *page);
/* What is typed before the options: "cardan sweep". */
const char *typed_name(const help_page *page, char text[64]);

/* Fills the targets and `*operand`, the file that it is about (NULL: none was given). Returns OPTIONS_GO, or the code
 * to exit with: --help was asked for, or something was wrong and has been said. */
int options_parse(const help_page *page, const option *table, int n, int argc, char **argv, const char **operand);
/* Whether a file's name has this ending, and something before it. */
bool ends_in(const char *path, const char *ending);

/* ---- help.c ---------------------------------------------------------------------------------- */

typedef struct command_entry {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *about;
} command_entry;

typedef enum help_form { HELP_TEXT, HELP_MANUAL, HELP_BASH, HELP_ZSH, HELP_FISH } help_form;

/* What a command's --help prints: text, unless another form was chosen. */
void print_help_page(const help_page *page, const option *table, int n);
/* From now on they are pages of the manual, with this line about the command. */
void choose_manual(const char *about_command);
/* From now on they are parts of the script by which this shell completes; that of a program without commands is the
 * whole of it. False after it has been said that there is none for the shell. */
bool choose_completion(const char *shell);
/* The program and the version of the library. Returns CMD_OK. */
int print_version(void);
/* The page of the command as a whole: what it is, and what else its help says. */
void print_main_manual(const command_entry *commands, int n, const char *what, const char *rest);
/* The script by which a shell completes. Returns CMD_OK or the code to exit with. */
int print_completion(const char *shell, const command_entry *commands, int n);

/* ---- load.c -------------------------------------------------------------------------------- */

/* Locks the joints of a list, "JOINT" where they are or "JOINT=VALUE" at a value, in a State (locks.c). Returns CMD_OK
 * or the code to exit with. */
int lock_joints(const text_list *locks, cdn_state *state);
/* Sets the controls of a list, "NAME=VALUE", in a State (controls.c). Returns CMD_OK or the code to exit with. */
int set_controls(const text_list *controls, cdn_state *state);
/* mocap.c: poses of mocap bodies, NAME=X,Y,Z[,QW,QX,QY,QZ]. */
int pose_mocap_bodies(const text_list *poses, cdn_state *state);
/* The body whose joint has this name, or { -1 }; and what is said, in the name of an option, if there is none. */
cdn_body find_joint(const cdn_system *system, const char *name, size_t length);
int complain_joint(const char *flag, const cdn_system *system, const char *name, size_t length);

/* What contact can be; the first one is usual. */
enum { CONTACT_WORDS = 4 };
extern const char *const contact_words[CONTACT_WORDS];

/* What every command can be told about its model and where to start. */
typedef struct model_arguments {
  const char *path, *key, *state;
  const char *motion; /* a table that joints follow; NULL: none does */
  bool motion_linear;
  text_list controls, mocap;
  bool strict, keep_fixed, floating_base, tree_only, exact_hulls, quiet;
  plane ground;
  bool pull;           /* the System has a pull, for a hand */
  double armature;     /* 0: as the file says */
  const char *contact; /* one of contact_words; NULL: compliant, unless... */
  bool as_file; /* ... a run takes steps as the file's simulator does: then contact and its solver are as there */
  double step;  /* the size of the run's equal steps; 0: it has none, or takes the file's */
  double onset; /* the depth over which soft rows set in, where the run is under error control, m or rad */
  const char *equality;          /* "exact" or "soft"; NULL: exact */
  const char *like;              /* "mujoco", for what is not said otherwise; or NULL */
  const char *preset;            /* "interactive", likewise, of runs; or NULL */
  bool preset_steps;             /* it chooses the steps: no accuracy was asked for */
  const char *friction;          /* "stick" or "slip"; NULL: stick */
  double stiffness, dissipation; /* of contact; 0: by the library's rules */
} model_arguments;

/* The rows of an options table that every command shares. */
#define MODEL_OPTIONS(a)                                                                                                 \
  {                                                                                                                      \
    "ground", 0, OPTION_HEIGHT, &(a).ground, "[Z]", "put a plane below the lowest point of the start, or at height Z, m" \
  },                                                                                                                     \
      { "strict", 0, OPTION_FLAG, &(a).strict, NULL, "refuse a model that holds anything not simulated" },               \
      { "keep-fixed", 0, OPTION_FLAG, &(a).keep_fixed, NULL, "URDF: keep links behind fixed joints as bodies" },         \
      { "floating-base", 0, OPTION_FLAG, &(a).floating_base, NULL, "URDF: free the root link instead of welding it" },   \
      { "tree-only",    0,    OPTION_FLAG,                                                                               \
        &(a).tree_only, NULL, "leave out limits, loops, actuators; keep springs and damping" },                          \
      { "armature",    0,   OPTION_POSITIVE,                                                                             \
        &(a).armature, "A", "the least armature of joints that are not free, kg m^2 or kg" },                            \
      { "contact",    0,      OPTION_TEXT,                                                                               \
        &(a).contact, "KIND", "compliant (the default), soft (MuJoCo's parameters), rigid, or none: how shapes touch" }, \
      { "equality",    0,      OPTION_TEXT,                                                                              \
        &(a).equality, "KIND", "exact (the default): loops and couplings hold; soft: they give way, as in MuJoCo" },     \
      { "like",    0,      OPTION_TEXT,                                                                                  \
        &(a).like, "NAME", "mujoco: soft contact and equality, and the steps of the file, as MuJoCo takes it" },         \
      { "friction",    0,     OPTION_TEXT,                                                                               \
        &(a).friction, "LAW", "stick (the default): surfaces may stick; slip: by the slip speed" },                      \
      { "exact-hulls", 0, OPTION_FLAG, &(a).exact_hulls, NULL, "hulls of meshes keep all their corners" },               \
      { "stiffness", 0, OPTION_POSITIVE, &(a).stiffness, "E", "the modulus of surfaces that touch, Pa" },                \
      { "dissipation", 0, OPTION_POSITIVE, &(a).dissipation, "C", "the dissipation of surfaces that touch, s/m" }, {     \
    "quiet", 0, OPTION_FLAG, &(a).quiet, NULL, "no warnings and no progress on standard error"                           \
  }

/* The rows of commands that start from a State. */
#define CONTROL_OPTION(a)                                                                                           \
  { "control", 0, OPTION_LIST, &(a).controls, "NAME=VALUE", "the value of a control input; as often as needed" }, { \
    "mocap", 0, OPTION_LIST, &(a).mocap, "NAME=X,Y,Z[,QW,QX,QY,QZ]", "the pose of a mocap body; as often as needed" \
  }

/* The row of commands that run. */
#define PRESET_OPTION(a)                                                                \
  {                                                                                     \
    "preset", 0, OPTION_TEXT, &(a).preset, "NAME",                                      \
        "interactive: equal steps, soft contact, no second run; its errors are unknown" \
  }

/* steps.c: the method of this name, or NULL for the default one; false after it has been said that there is none. */
bool find_method(const char *name, cdn_method *method);
/* What --like and --preset stand for takes the place of what was not given (accuracy 0: not given). False after it has
 * been said that there is no such name. `method` and `no_companion` may be NULL: the command takes no steps. */
bool settle_names(model_arguments *m, const char **method, double accuracy, bool *no_companion);
/* The same before the model is loaded, where "file" is a name, too; what loading needs to know goes to the
 * arguments. */
bool choose_method(model_arguments *m, const char *name, double step, cdn_method *method);
/* Before the model is loaded, and after its method has been chosen: how soft rows set in, in a run of this accuracy, or
 * of equal steps (0: it has none). */
void settle_onset(model_arguments *m, double step, double accuracy);
/* Methods, steps (0: not given) and contact that the file decides, once it has been read. Returns CMD_OK or the code to
 * exit with. */
int settle_steps(model_arguments *m, const char *name, cdn_model *model, cdn_method *method, double *step);
/* The height of the plane of --ground in the arguments, where it follows from a keyframe or a state file. Returns
 * CMD_OK or the code to exit with. */
int settle_ground(model_arguments *arguments);
/* Loads the model; says on standard error what is wrong. Returns CMD_OK or the code to exit with. */
int load_model(const model_arguments *arguments, cdn_model **out);
// Names the option that cures joints which move no mass, if that is what the status says.
void suggest_armature(const model_arguments *arguments, cdn_status status);
/* One compact block on standard error about what the file holds that is not simulated, and its warnings. */
void report_notes(const cdn_model *model, const model_arguments *arguments);
/* A State at the defaults, then the keyframe, then the state file, then the controls. Returns CMD_OK or the code to
 * exit with. */
int load_state(cdn_model *model, const model_arguments *arguments, cdn_state **out);
/* All three: both are NULL, or the caller's to destroy, whatever it returns. */
int load_start(const model_arguments *arguments, cdn_model **model, cdn_state **state);
/* A table of rows, or NULL after it has been said what is wrong; *code is the exit code. */
cdni_rows *open_rows(const char *path, int *code);

/* ---- assemble.c ---------------------------------------------------------------------------- */

/* Assembles a State whose constraint errors are above the tolerance, within the limits of the model's joints, and says
 * so. Returns CMD_OK or the code to exit with. */
int assemble_for_run(const model_arguments *arguments, const cdn_model *model, double tolerance, cdn_state *state);

/* ---- state_json.c -------------------------------------------------------------------------- */

/* Sets what the file at `path` ("-": standard input) names: time, q, u, f. Returns CMD_OK or the exit code. */
int read_state_file(const char *path, cdn_state *state);
/* Writes such a file ("-": standard output): time, q and u. False if it could not be written, which has been said. */
bool write_state_file(const char *path, const cdn_state *state);

/* ---- output.c: JSON ------------------------------------------------------------------------ */

/* Writes JSON as it goes. Keys are NULL inside arrays. */
typedef struct json_writer {
  FILE *file;
  int depth;       /* open containers */
  int one_line;    /* depth of the outermost container being written on one line, or 0 */
  bool not_first;  /* the open container has a member already */
  char closer[16]; /* by depth */
} json_writer;

json_writer jw_begin(FILE *file); /* opens the outermost object */
void jw_end(json_writer *w);      /* closes it and ends the line */
void jw_object(json_writer *w, const char *key, bool one_line);
void jw_array(json_writer *w, const char *key, bool one_line);
void jw_close(json_writer *w);
void jw_text(json_writer *w, const char *key, const char *text);
void jw_integer(json_writer *w, const char *key, int64_t value);
void jw_boolean(json_writer *w, const char *key, bool value);
void jw_number(json_writer *w, const char *key, double value); /* null where it is not finite */
void jw_numbers(json_writer *w, const char *key, const double *values, int n);
void jw_note(json_writer *w, cdn_model_note note); /* what a file holds that is not simulated, inside an array */

/* ---- the commands, one file each ------------------------------------------------------------- */

int command_assemble(int argc, char **argv);
int command_info(int argc, char **argv);
int command_equilibrium(int argc, char **argv);
int command_modes(int argc, char **argv);
int command_eval(int argc, char **argv);
int command_md(int argc, char **argv);
int command_simulate(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_render(int argc, char **argv);
int command_export(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_rollout(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_speed(int argc, char **argv);
int command_view(int argc, char **argv);

/* ---- contacts.c ---------------------------------------------------------------------------- */

/* How stiff the surfaces are, and which law their friction has; nothing without shapes. */
/* One of contact_words. */
const char *contact_word(const cdn_system *system);
/* The hulls of meshes: how many, what was left out of them. */
void print_hulls(const cdn_model *model);
void print_hulls_json(json_writer *w, const cdn_model *model);
void print_contact_law(cdn_state *state, const model_arguments *arguments);
void print_contact_law_json(json_writer *w, cdn_state *state, const model_arguments *arguments);
/* The model's shapes, and how many pairs may touch. */
void print_shapes(cdn_state *state);
void print_shapes_json(json_writer *w, cdn_state *state);
/* The contacts of a State; nothing without any. */
cdn_status print_contacts(cdn_state *state);
cdn_status print_contacts_json(json_writer *w, cdn_state *state);
/* dry_friction.c: dry friction of the model's joints, and how slow is viscous; nothing if there is none. */
void print_dry_friction(const cdn_model *model);
void print_dry_friction_json(json_writer *w, const cdn_model *model);
/* soft_rows.c: of a state whose accelerations are known. */
cdn_status print_soft_rows(cdn_state *state);
cdn_status print_soft_rows_json(json_writer *w, cdn_state *state);

/* statuses.c: what acts on one side, and dry friction. The statuses that a State needs before it is
 * evaluated; what they are. */
enum { CDN_LABEL_SIZE = 500 };
cdn_status settle_statuses(const model_arguments *arguments, cdn_state *state);
cdn_status print_statuses(cdn_state *state);
cdn_status print_statuses_json(json_writer *w, cdn_state *state); /* NULL: nothing is known */

#endif
