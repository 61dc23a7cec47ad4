/* cardan info: the contents of a model. */
#include <cardan/modes.h>

#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const help_page page = {
  "info", "MODEL [options]",
  "Lists bodies, joints and their places in q and u, mass, keyframes, and whatever the file holds that is\n"
  "not simulated. Joints are depth first, siblings in the file's order.\n",
  "  cardan info robot.urdf\n"
  "  cardan info humanoid.xml --json | jq '.joints[].name'\n",
  WHICH_MODEL
};

/* Degrees of freedom, counted on the constraints' manifold if that is near, and whether there are accelerations
 * there. */
typedef struct freedom {
  int net;
  cdn_equation_role *roles; /* an equation each; NULL: where the mass matrix is singular they cannot be told */
  cdn_error singular;       /* names the joint that makes it singular; code CDN_OK if it is not */
} freedom;

/* Degrees of freedom from the constraints alone, by the velocities that they leave free. */
static cdn_status count_velocities(cdn_state *state, int *n) {
  const size_t nu = (size_t)cdn_system_nu(cdn_state_system(state));
  double *basis = allocate(nu * nu, sizeof *basis);
  const cdn_status status = cdn_velocity_basis(state, basis, n);
  free(basis);
  return status;
}

static cdn_status count_freedom(cdn_state *state, freedom *f) {
  cdn_freedom sum = { .net = 0 };
  f->roles = allocate((size_t)cdn_system_nudoterr(cdn_state_system(state)), sizeof *f->roles);
  (void)!cdn_project_q(state, NULL, NULL);
  cdn_status status = cdn_degrees_of_freedom(state, &sum, f->roles);
  f->net = sum.net;
  const bool counted = status == CDN_OK;
  if (counted) status = cdn_realize(state, CDN_STAGE_ACCELERATION);
  if (status == CDN_ERR_SINGULAR) cdn_state_last_error(state, &f->singular);
  if (counted) return CDN_OK;
  free(f->roles);
  f->roles = NULL;
  return status == CDN_ERR_SINGULAR ? count_velocities(state, &f->net) : status;
}

/* -1: that cannot be told. */
static int count_roles(const freedom *f, cdn_constraint_equations e, cdn_equation_role role) {
  int n = 0;
  if (!f->roles) return -1;
  for (int k = e.row; k < e.row + e.np + e.nv + e.na; k++) n += f->roles[k] == role;
  return n;
}

static void print_count(json_writer *w, const char *key, int n) {
  if (n < 0) jw_number(w, key, NAN);
  else jw_integer(w, key, n);
}

/* The pool of rigid contact is not of the model's. */
static bool is_of_pool(const cdn_system *system, cdn_constraint id) {
  return strcmp(cdn_constraint_kind_name(system, id), "contact of shapes") == 0;
}

static void print_constraints_json(json_writer *w, const cdn_system *system, const freedom *f) {
  jw_array(w, "constraints", false);
  for (int c = 0; c < cdn_system_constraint_count(system); c++) {
    const cdn_constraint id = { c };
    const cdn_constraint_equations e = cdn_constraint_get_equations(system, id);
    if (is_of_pool(system, id)) continue;
    jw_object(w, NULL, true);
    jw_text(w, "name", cdn_constraint_name(system, id));
    jw_text(w, "kind", cdn_constraint_kind_name(system, id));
    jw_integer(w, "equations", e.np + e.nv + e.na);
    print_count(w, "redundant", count_roles(f, e, CDN_EQUATION_REDUNDANT));
    print_count(w, "idle", count_roles(f, e, CDN_EQUATION_IDLE));
    jw_close(w);
  }
  jw_close(w);
}

static void print_constraints(const cdn_system *system, const freedom *f) {
  int name_width = 10, kind_width = 4, n = 0;
  for (int c = 0; c < cdn_system_constraint_count(system); c++) {
    if (is_of_pool(system, (cdn_constraint){ c })) continue;
    n++;
    const int name = (int)strlen(visible(cdn_constraint_name(system, (cdn_constraint){ c })));
    const int kind = (int)strlen(visible(cdn_constraint_kind_name(system, (cdn_constraint){ c })));
    if (name > name_width) name_width = name;
    if (kind > kind_width) kind_width = kind;
  }
  if (n > 0) printf("\n  %-*s  %-*s  %s\n", name_width, "constraint", kind_width, "kind", "equations");
  for (int c = 0; c < cdn_system_constraint_count(system); c++) {
    const cdn_constraint id = { c };
    const cdn_constraint_equations e = cdn_constraint_get_equations(system, id);
    if (is_of_pool(system, id)) continue;
    const int redundant = count_roles(f, e, CDN_EQUATION_REDUNDANT), idle = count_roles(f, e, CDN_EQUATION_IDLE);
    printf("  %-*s  %-*s  %d", name_width, visible(cdn_constraint_name(system, id)), kind_width,
           visible(cdn_constraint_kind_name(system, id)), e.np + e.nv + e.na);
    if (redundant > 0) printf(", of which %d redundant", redundant);
    if (idle > 0) printf(", %s%d idle", redundant > 0 ? "" : "of which ", idle);
    printf("\n");
  }
}

/* The file's equalities that give way: those that are no constraints. NULL: it is one. */
static const char *soft_equality(const cdn_model *model, int i, cdn_spec_constraint *out) {
  static const char *const kinds[] = { [CDN_SPEC_CONNECT] = "connect",
                                       [CDN_SPEC_WELD] = "weld",
                                       [CDN_SPEC_COUPLING] = "coupling",
                                       [CDN_SPEC_TENDON_COUPLING] = "tendon coupling" };
  if (cdn_spec_get_constraint(cdn_model_spec(model), i, out) != CDN_OK) return NULL;
  return cdn_system_find_constraint(cdn_model_system(model), out->name).i < 0 ? kinds[out->kind] : NULL;
}

static int equality_count(const cdn_model *model, const model_arguments *arguments) {
  return arguments->tree_only ? 0 : cdn_spec_count(cdn_model_spec(model), CDN_SPEC_CONSTRAINT);
}

static void print_soft_equalities_json(json_writer *w, const cdn_model *model, const model_arguments *arguments) {
  cdn_spec_constraint c;
  jw_array(w, "soft_equalities", false);
  for (int i = 0; i < equality_count(model, arguments); i++) {
    const char *kind = soft_equality(model, i, &c);
    if (!kind) continue;
    jw_object(w, NULL, true);
    jw_text(w, "name", c.name);
    jw_text(w, "kind", kind);
    jw_close(w);
  }
  jw_close(w);
}

static void print_soft_equalities(const cdn_model *model, const model_arguments *arguments) {
  cdn_spec_constraint c;
  int printed = 0;
  for (int i = 0; i < equality_count(model, arguments); i++) {
    const char *kind = soft_equality(model, i, &c);
    if (kind) printf("%s %s (%s)", printed++ == 0 ? "\n  soft equalities:" : ",", visible(c.name), kind);
  }
  if (printed > 0) printf("\n");
}

static void print_controls_json(json_writer *w, cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  jw_array(w, "controls", false);
  for (int i = 0; i < cdn_system_control_count(system); i++) {
    const cdn_control control = { i };
    double lower = -INFINITY, upper = INFINITY;
    (void)!cdn_control_limits(state, control, &lower, &upper);
    jw_object(w, NULL, true);
    jw_text(w, "name", cdn_control_name(system, control));
    jw_text(w, "unit", cdn_control_unit(system, control));
    jw_number(w, "lower", lower);
    jw_number(w, "upper", upper);
    jw_close(w);
  }
  jw_close(w);
}

static void print_controls(cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  const int n = cdn_system_control_count(system);
  int width = 7;
  for (int i = 0; i < n; i++) {
    const int length = (int)strlen(visible(cdn_control_name(system, (cdn_control){ i })));
    if (length > width) width = length;
  }
  if (n > 0) printf("\n  %-*s  limits\n", width, "control");
  for (int i = 0; i < n; i++) {
    const cdn_control control = { i };
    double lower = -INFINITY, upper = INFINITY;
    char low[CDN_NUMBER_SIZE], high[CDN_NUMBER_SIZE];
    (void)!cdn_control_limits(state, control, &lower, &upper);
    printf("  %-*s  ", width, visible(cdn_control_name(system, control)));
    if (isinf(lower) && isinf(upper)) printf("none");
    else printf("%s to %s", rounded(lower, low), rounded(upper, high));
    const char *unit = cdn_control_unit(system, control);
    printf("%s%s%s\n", unit[0] ? " (" : "", visible(unit), unit[0] ? ")" : "");
  }
}

static void print_json(const model_arguments *arguments, const cdn_model *model, cdn_state *state, const freedom *f,
                       bool settled, double mass, double moving_mass) {
  const cdn_system *system = cdn_model_system(model);
  json_writer w = jw_begin(stdout);
  jw_text(&w, "name", cdn_model_name(model));
  jw_integer(&w, "bodies", cdn_model_body_count(model));
  jw_integer(&w, "mobilizers", cdn_model_mobilizer_count(model));
  jw_integer(&w, "nq", cdn_system_nq(system));
  jw_integer(&w, "nu", cdn_system_nu(system));
  jw_integer(&w, "degrees_of_freedom", f->net);
  if (f->singular.code != CDN_OK) jw_text(&w, "singular", f->singular.element);
  else jw_number(&w, "singular", NAN);
  jw_number(&w, "mass", mass);
  jw_number(&w, "moving_mass", moving_mass);
  jw_array(&w, "joints", false);
  for (int i = 0; i < cdn_model_joint_count(model); i++) {
    cdn_model_joint joint = cdn_model_get_joint(model, i);
    jw_object(&w, NULL, true);
    jw_text(&w, "name", joint.name);
    jw_text(&w, "kind", joint.kind);
    jw_text(&w, "body", joint.body);
    jw_array(&w, "q", true);
    jw_integer(&w, NULL, joint.first_q);
    jw_integer(&w, NULL, joint.nq);
    jw_close(&w);
    jw_array(&w, "u", true);
    jw_integer(&w, NULL, joint.first_u);
    jw_integer(&w, NULL, joint.nu);
    jw_close(&w);
    jw_text(&w, "units", joint.units);
    jw_close(&w);
  }
  jw_close(&w);
  print_controls_json(&w, state);
  jw_text(&w, "contact", contact_word(system));
  print_contact_law_json(&w, state, arguments);
  print_hulls_json(&w, model);
  print_shapes_json(&w, state);
  jw_array(&w, "sensors", true);
  for (int i = 0; i < cdn_system_measure_count(system); i++) {
    jw_text(&w, NULL, cdn_measure_name(system, (cdn_measure){ i }));
  }
  jw_close(&w);
  jw_array(&w, "paths", true);
  for (int i = 0; i < cdn_system_path_count(system); i++) jw_text(&w, NULL, cdn_path_name(system, (cdn_path){ i }));
  jw_close(&w);
  print_constraints_json(&w, system, f);
  print_soft_equalities_json(&w, model, arguments);
  print_dry_friction_json(&w, model);
  print_statuses_json(&w, settled ? state : NULL);
  jw_array(&w, "not_understood", false);
  for (int i = 0; i < cdn_model_not_understood_count(model); i++) jw_note(&w, cdn_model_not_understood(model, i));
  jw_close(&w);
  jw_array(&w, "warnings", false);
  for (int i = 0; i < cdn_model_warning_count(model); i++) jw_text(&w, NULL, cdn_model_warning(model, i));
  jw_close(&w);
  jw_array(&w, "keys", true);
  for (int i = 0; i < cdn_model_key_count(model); i++) jw_text(&w, NULL, cdn_model_key_name(model, i));
  jw_close(&w);
  jw_end(&w);
}

/* "4" or "0..6"; "-" for none. */
static const char *range_text(int first, int n, char text[32]) {
  if (n == 0) snprintf(text, 32, "-");
  else if (n == 1) snprintf(text, 32, "%d", first);
  else snprintf(text, 32, "%d..%d", first, first + n - 1);
  return text;
}

static void print_joints(const cdn_model *model) {
  int n = cdn_model_joint_count(model);
  int name_width = 5, body_width = 4, kind_width = 4;
  for (int i = 0; i < n; i++) {
    cdn_model_joint joint = cdn_model_get_joint(model, i);
    const int name = (int)strlen(visible(joint.name)), body = (int)strlen(visible(joint.body));
    if (name > name_width) name_width = name;
    if (body > body_width) body_width = body;
    if ((int)strlen(joint.kind) > kind_width) kind_width = (int)strlen(joint.kind);
  }
  if (n == 0) {
    printf("\n  no joints: nothing moves\n");
    return;
  }
  printf("\n  %-*s  %-*s  %-*s  %-9s %-9s %s\n", name_width, "joint", kind_width, "kind", body_width, "body", "q", "u",
         "units of q");
  for (int i = 0; i < n; i++) {
    cdn_model_joint joint = cdn_model_get_joint(model, i);
    char q[32], u[32];
    printf("  %-*s  %-*s  %-*s  %-9s %-9s %s\n", name_width, visible(joint.name), kind_width, joint.kind, body_width,
           visible(joint.body), range_text(joint.first_q, joint.nq, q), range_text(joint.first_u, joint.nu, u),
           joint.units);
  }
}

static void print_tables(const model_arguments *arguments, const cdn_model *model, cdn_state *state, const freedom *f,
                         bool settled, double mass, double moving_mass) {
  const cdn_system *system = cdn_model_system(model);
  char text[CDN_NUMBER_SIZE];
  printf("%s\n", visible(cdn_model_name(model)));
  printf("  bodies        %d\n", cdn_model_body_count(model));
  printf("  mobilizers    %d\n", cdn_model_mobilizer_count(model));
  printf("  coordinates   nq = %d\n", cdn_system_nq(system));
  printf("  speeds        nu = %d\n", cdn_system_nu(system));
  printf("  degrees of freedom  %d (%d speeds, %d of them bound by constraints or locks)\n", f->net,
         cdn_system_nu(system), cdn_system_nu(system) - f->net);
  printf("  mass          %s kg\n", rounded(mass, text));
  printf("  moving mass   %s kg\n", rounded(moving_mass, text));
  printf("  contact       %s\n", contact_word(system));
  print_contact_law(state, arguments);
  print_hulls(model);
  if (f->singular.code != CDN_OK) {
    char message[512];
    error_message(&f->singular, message, sizeof message);
    printf("\n  no accelerations here: %s (--armature 1e-6 gives it to every joint)\n", message);
  }
  print_joints(model);
  print_constraints(system, f);
  print_soft_equalities(model, arguments);
  print_dry_friction(model);
  if (settled) (void)!print_statuses(state);
  print_controls(state);
  print_shapes(state);

  int sensors = cdn_system_measure_count(system);
  if (sensors > 0) printf("\n  sensors:");
  for (int i = 0; i < sensors; i++)
    printf("%s %s", i ? "," : "", visible(cdn_measure_name(system, (cdn_measure){ i })));
  if (sensors > 0) printf("\n");

  const int paths = cdn_system_path_count(system);
  if (paths > 0) printf("\n  tendons, paths:");
  for (int i = 0; i < paths; i++) printf("%s %s", i ? "," : "", visible(cdn_path_name(system, (cdn_path){ i })));
  if (paths > 0) printf("\n");

  int keys = cdn_model_key_count(model);
  if (keys > 0) printf("\n  keyframes:");
  for (int i = 0; i < keys; i++) printf("%s %s", i ? "," : "", visible(cdn_model_key_name(model, i)));
  if (keys > 0) printf("\n");

  int notes = cdn_model_not_understood_count(model);
  if (notes > 0) printf("\n  in the file, but not simulated\n");
  for (int i = 0; i < notes; i++) {
    cdn_model_note note = cdn_model_not_understood(model, i);
    printf("  %5d x %-32s line %d%s\n", note.count, visible(note.element), note.line,
           note.count > 1 ? " and later" : "");
  }
  int warnings = cdn_model_warning_count(model);
  if (warnings > 0) printf("\n  warnings\n");
  for (int i = 0; i < warnings; i++) printf("  %s\n", visible(cdn_model_warning(model, i)));
}

int command_info(int argc, char **argv) {
  model_arguments arguments = { 0 };
  bool json = false;
  const option table[] = {
    { "json", 0, OPTION_FLAG, &json, NULL, "write JSON instead of tables" },
    MODEL_OPTIONS(arguments),
  };
  int code = options_parse(&page, table, sizeof table / sizeof table[0], argc, argv, &arguments.path);
  if (code != OPTIONS_GO) return code;

  cdn_model *model;
  code = load_model(&arguments, &model);
  if (code != CMD_OK) return code;
  cdn_state *state = NULL;
  code = load_state(model, &arguments, &state);
  double mass, moving_mass;
  freedom f = { .singular = { .code = CDN_OK } };
  if (code == CMD_OK && (cdn_system_mass(state, &mass, &moving_mass) != CDN_OK || count_freedom(state, &f) != CDN_OK)) {
    cdn_error error;
    cdn_state_last_error(state, &error);
    complain_error(arguments.path, &error);
    code = CMD_FAILED;
  }
  /* where there are no accelerations there are no statuses */
  const bool settled = code == CMD_OK && settle_statuses(&arguments, state) == CDN_OK;
  if (code == CMD_OK && json) print_json(&arguments, model, state, &f, settled, mass, moving_mass);
  if (code == CMD_OK && !json) print_tables(&arguments, model, state, &f, settled, mass, moving_mass);
  free(f.roles);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  return code;
}
