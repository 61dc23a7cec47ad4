/* cardan eval: one evaluation of a model at one state. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

static const help_page page = {
  "eval", "MODEL [options]",
  "Evaluates the model once: qdot, udot, poses, velocities and accelerations of the bodies, energies,\n"
  "momentum, centre of mass. The state is the model's default, then the keyframe, then the state file:\n"
  "  {\"time\": t, \"q\": [...], \"u\": [...], \"f\": [...]}\n"
  "every member optional, f being applied generalized forces; the output of --json is accepted member by\n"
  "member. Everything is in Ground, in SI units; spatial quantities list rotation first.\n",
  "  cardan eval robot.urdf\n"
  "  cardan eval humanoid.xml --key squat --json\n"
  "  cardan eval robot.urdf --state pose.json --matrices --json > out.json\n"
  "  echo '{\"q\": [0.5]}' | cardan eval pendulum.xml --state - --json\n",
  WHICH_MODEL
};

/* All results of one evaluation; computed completely before any of them is printed. */
typedef struct evaluation {
  int nq, nu, n_bodies;
  const double *q, *u, *qdot, *udot;
  const char **names;
  cdn_transform *X_GB;
  cdn_spatial *V_GB, *A_GB, momentum;
  double time, kinetic_energy, potential_energy, mass;
  cdn_vec3 com;
  double *M, *bias; /* with --matrices */
} evaluation;

/* The bias in M udot + bias = f, where f has the applied forces only. Applied forces are set to zero for this
 * calculation, so that large ones do not cancel. */
static cdn_status evaluate_bias(cdn_state *state, int nu, double *bias) {
  double *f = allocate((size_t)nu, sizeof *f), *zeros = allocate((size_t)nu, sizeof *zeros);
  if (nu > 0) memcpy(f, cdn_state_applied_mobility_forces(state), (size_t)nu * sizeof *f);
  cdn_status status = cdn_state_set_applied_mobility_forces(state, zeros);
  if (status == CDN_OK) status = cdn_residual(state, zeros, bias);
  if (status == CDN_OK) status = cdn_state_set_applied_mobility_forces(state, f);
  free(f);
  free(zeros);
  return status;
}

static cdn_status evaluate(const cdn_model *model, cdn_state *state, bool matrices, evaluation *e) {
  const cdn_system *system = cdn_model_system(model);
  e->nq = cdn_system_nq(system);
  e->nu = cdn_system_nu(system);
  e->n_bodies = cdn_model_body_count(model);
  size_t n = (size_t)e->n_bodies;
  e->names = allocate(n, sizeof *e->names);
  e->X_GB = allocate(n, sizeof *e->X_GB);
  e->V_GB = allocate(n, sizeof *e->V_GB);
  e->A_GB = allocate(n, sizeof *e->A_GB);
  cdn_status status = CDN_OK;
  if (matrices) {
    e->M = allocate((size_t)e->nu * (size_t)e->nu, sizeof *e->M);
    e->bias = allocate((size_t)e->nu, sizeof *e->bias);
    status = evaluate_bias(state, e->nu, e->bias);
    if (status == CDN_OK) status = cdn_calc_M(state, e->M);
  }
  if (status == CDN_OK) status = cdn_realize(state, CDN_STAGE_ACCELERATION);
  for (int i = 0; i < e->n_bodies && status == CDN_OK; i++) {
    cdn_body body = cdn_model_body(model, i);
    e->names[i] = cdn_body_name(system, body);
    status = cdn_body_pose(state, body, &e->X_GB[i]);
    if (status == CDN_OK) status = cdn_body_velocity(state, body, &e->V_GB[i]);
    if (status == CDN_OK) status = cdn_body_acceleration(state, body, &e->A_GB[i]);
  }
  double moving_mass;
  if (status == CDN_OK) status = cdn_kinetic_energy(state, &e->kinetic_energy);
  if (status == CDN_OK) status = cdn_potential_energy(state, &e->potential_energy);
  if (status == CDN_OK) status = cdn_momentum(state, &e->momentum);
  if (status == CDN_OK) status = cdn_system_mass(state, &e->mass, &moving_mass);
  // a model of massless bodies alone has no centre of mass: its place stays at the origin
  if (status == CDN_OK && e->mass > 0) status = cdn_center_of_mass(state, &e->com);
  e->time = cdn_state_time(state);
  e->q = cdn_state_q(state);
  e->u = cdn_state_u(state);
  if (status == CDN_OK) {
    e->qdot = cdn_state_qdot(state);
    e->udot = cdn_state_udot(state);
  }
  return status;
}

static void evaluation_free(evaluation *e) {
  free(e->names);
  free(e->X_GB);
  free(e->V_GB);
  free(e->A_GB);
  free(e->M);
  free(e->bias);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void put_vec3(json_writer *w, const char *key, cdn_vec3 v) {
  jw_numbers(w, key, (const double[]){ v.x, v.y, v.z }, 3);
}

static void put_spatial(json_writer *w, const char *key, cdn_spatial s) {
  jw_numbers(w, key, (const double[]){ s.w.x, s.w.y, s.w.z, s.v.x, s.v.y, s.v.z }, 6);
}

/* Tendons, and whatever else is a path. */
static cdn_status print_paths_json(json_writer *w, cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  jw_array(w, "paths", false);
  for (int i = 0; i < cdn_system_path_count(system); i++) {
    double length, rate;
    CDN_TRY(cdn_path_length(state, (cdn_path){ i }, &length));
    CDN_TRY(cdn_path_rate(state, (cdn_path){ i }, &rate));
    jw_object(w, NULL, true);
    jw_text(w, "name", cdn_path_name(system, (cdn_path){ i }));
    jw_number(w, "length", length);
    jw_number(w, "rate", rate);
    jw_close(w);
  }
  jw_close(w);
  return CDN_OK;
}

static cdn_status print_json(cdn_state *state, const evaluation *e) {
  json_writer w = jw_begin(stdout);
  jw_number(&w, "time", e->time);
  jw_numbers(&w, "q", e->q, e->nq);
  jw_numbers(&w, "u", e->u, e->nu);
  jw_numbers(&w, "qdot", e->qdot, e->nq);
  jw_numbers(&w, "udot", e->udot, e->nu);
  jw_array(&w, "bodies", false);
  for (int i = 0; i < e->n_bodies; i++) {
    cdn_rotation R = e->X_GB[i].R;
    jw_object(&w, NULL, false);
    jw_text(&w, "name", e->names[i]);
    jw_object(&w, "X_GB", false);
    jw_numbers(&w, "R", (const double[]){ R.x.x, R.y.x, R.z.x, R.x.y, R.y.y, R.z.y, R.x.z, R.y.z, R.z.z }, 9);
    put_vec3(&w, "p", e->X_GB[i].p);
    jw_close(&w);
    put_spatial(&w, "V_GB", e->V_GB[i]);
    put_spatial(&w, "A_GB", e->A_GB[i]);
    jw_close(&w);
  }
  jw_close(&w);
  jw_number(&w, "kinetic_energy", e->kinetic_energy);
  jw_number(&w, "potential_energy", e->potential_energy);
  put_spatial(&w, "momentum", e->momentum);
  jw_number(&w, "mass", e->mass);
  put_vec3(&w, "com", e->com);
  if (e->M) {
    jw_array(&w, "M", false);
    for (int i = 0; i < e->nu; i++) jw_numbers(&w, NULL, e->M + (size_t)i * (size_t)e->nu, e->nu);
    jw_close(&w);
    jw_numbers(&w, "bias", e->bias, e->nu);
  }
  cdn_status status = print_contacts_json(&w, state);
  if (status == CDN_OK) status = print_soft_rows_json(&w, state);
  if (status == CDN_OK) status = print_statuses_json(&w, state);
  if (status == CDN_OK) status = print_paths_json(&w, state);
  jw_end(&w);
  return status;
}

/* ---- tables -------------------------------------------------------------------------------- */

static void print_slots(const cdn_system *system, cdn_pool pool, const char *head, const char *rate_head, int n,
                        const double *values, const double *rates, const double *bias) {
  char a[CDN_NUMBER_SIZE], b[CDN_NUMBER_SIZE], c[CDN_NUMBER_SIZE];
  if (n == 0) return;
  int width = (int)strlen(head);
  for (int i = 0; i < n; i++) {
    const int length = (int)strlen(visible_slot(system, pool, i));
    if (length > width) width = length;
  }
  printf("\n  %-*s %24s %24s%s\n", width, "", head, rate_head, bias ? "                     bias" : "");
  for (int i = 0; i < n; i++) {
    printf("  %-*s %24s %24s", width, visible_slot(system, pool, i), rounded(values[i], a), rounded(rates[i], b));
    if (bias) printf(" %24s", rounded(bias[i], c));
    printf("\n");
  }
}

static void print_vec3(const char *label, int width, cdn_vec3 v) {
  char x[CDN_NUMBER_SIZE], y[CDN_NUMBER_SIZE], z[CDN_NUMBER_SIZE];
  printf("  %-*s %24s %24s %24s\n", width, label, rounded(v.x, x), rounded(v.y, y), rounded(v.z, z));
}

static cdn_status print_paths(cdn_state *state, int width) {
  const cdn_system *system = cdn_state_system(state);
  char a[CDN_NUMBER_SIZE], b[CDN_NUMBER_SIZE];
  for (int i = 0; i < cdn_system_path_count(system); i++) {
    double length, rate;
    CDN_TRY(cdn_path_length(state, (cdn_path){ i }, &length));
    CDN_TRY(cdn_path_rate(state, (cdn_path){ i }, &rate));
    if (i == 0) printf("\n  lengths of paths, m, and their rates, m/s\n");
    printf("  %-*s %24s %24s\n", width, visible(cdn_path_name(system, (cdn_path){ i })), rounded(length, a),
           rounded(rate, b));
  }
  return CDN_OK;
}

static cdn_status print_tables(const cdn_model *model, cdn_state *state, const evaluation *e) {
  const cdn_system *system = cdn_model_system(model);
  char text[CDN_NUMBER_SIZE];
  printf("%s at time %s s\n", visible(cdn_model_name(model)), rounded(e->time, text));
  print_slots(system, CDN_POOL_Q, "q", "qdot", e->nq, e->q, e->qdot, NULL);
  print_slots(system, CDN_POOL_U, "u", "udot", e->nu, e->u, e->udot, e->bias);

  int width = 16;
  for (int i = 0; i < e->n_bodies; i++) {
    const int length = (int)strlen(visible(e->names[i]));
    if (length > width) width = length;
  }
  printf("\n  positions p_GB, m\n");
  for (int i = 0; i < e->n_bodies; i++) print_vec3(visible(e->names[i]), width, e->X_GB[i].p);
  printf("\n  velocities v_GB, m/s\n");
  for (int i = 0; i < e->n_bodies; i++) print_vec3(visible(e->names[i]), width, e->V_GB[i].v);
  printf("\n  angular velocities w_GB, rad/s\n");
  for (int i = 0; i < e->n_bodies; i++) print_vec3(visible(e->names[i]), width, e->V_GB[i].w);

  printf("\n  the whole\n");
  printf("  %-*s %24s J\n", width, "kinetic energy", rounded(e->kinetic_energy, text));
  printf("  %-*s %24s J\n", width, "potential energy", rounded(e->potential_energy, text));
  printf("  %-*s %24s kg\n", width, "mass", rounded(e->mass, text));
  print_vec3("centre of mass", width, e->com);
  print_vec3("momentum", width, e->momentum.v);
  print_vec3("angular momentum", width, e->momentum.w);
  if (e->M && e->nu > 0) {
    printf("\n  M, by rows\n");
    for (int i = 0; i < e->nu; i++) {
      printf(" ");
      for (int j = 0; j < e->nu; j++) printf(" %24s", rounded(e->M[(size_t)i * (size_t)e->nu + (size_t)j], text));
      printf("\n");
    }
  }
  CDN_TRY(print_contacts(state));
  CDN_TRY(print_soft_rows(state));
  CDN_TRY(print_statuses(state));
  CDN_TRY(print_paths(state, width));
  printf("\n(orientations and accelerations of the bodies: --json)\n");
  return CDN_OK;
}

/* ---- the command --------------------------------------------------------------------------- */

int command_eval(int argc, char **argv) {
  model_arguments arguments = { 0 };
  bool json = false, matrices = false;
  const option table[] = {
    { "state", 0, OPTION_TEXT, &arguments.state, "STATE.json", "state to evaluate ('-': standard input)" },
    { "key", 0, OPTION_TEXT, &arguments.key, "NAME", "start from a keyframe of the model" },
    CONTROL_OPTION(arguments),
    { "matrices", 0, OPTION_FLAG, &matrices, NULL, "also the mass matrix M and bias: M udot + bias = f" },
    { "json", 0, OPTION_FLAG, &json, NULL, "write JSON instead of tables" },
    MODEL_OPTIONS(arguments),
  };
  int code = options_parse(&page, table, sizeof table / sizeof table[0], argc, argv, &arguments.path);
  if (code != OPTIONS_GO) return code;

  cdn_model *model;
  cdn_state *state;
  code = load_start(&arguments, &model, &state);
  if (code == CMD_OK) {
    evaluation e = { 0 };
    cdn_status status = settle_statuses(&arguments, state);
    if (status == CDN_OK) status = evaluate(model, state, matrices, &e);
    if (status == CDN_OK) status = json ? print_json(state, &e) : print_tables(model, state, &e);
    if (status != CDN_OK) {
      cdn_error error;
      cdn_state_last_error(state, &error);
      complain_error(arguments.path, &error);
      code = CMD_FAILED;
    }
    evaluation_free(&e);
  }
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  return code;
}
