/* cardan equilibrium: where a model comes to rest. */
#include <cardan/equilibrium.h>

#include "command.h"

#include <string.h>

static const help_page page = {
  "equilibrium", "MODEL [options]",
  "Finds where the model is in static balance: u = 0 and no accelerations, from the model's default state, a\n"
  "keyframe, or a state file, with joints locked where asked. A balance that a small push would not upset is\n"
  "looked for; --any takes the nearest, stable or not. Prints the coordinates, and how many directions are\n"
  "stable, neutral (nothing pushes back) and unstable.\n",
  "  cardan equilibrium linkage.xml -o rest.json\n"
  "  cardan equilibrium humanoid.xml --lock knee_left --lock knee_right\n"
  "  cardan equilibrium pendulum.xml --key upright --any --json\n",
  WHICH_MODEL
};

static void print_json(const cdn_state *state, const cdn_equilibrium *found) {
  const cdn_system *system = cdn_state_system(state);
  json_writer w = jw_begin(stdout);
  jw_number(&w, "time", cdn_state_time(state));
  jw_numbers(&w, "q", cdn_state_q(state), cdn_system_nq(system));
  jw_numbers(&w, "u", cdn_state_u(state), cdn_system_nu(system));
  jw_object(&w, "equilibrium", false);
  jw_integer(&w, "iterations", found->iterations);
  jw_number(&w, "unbalanced", found->unbalanced);
  jw_text(&w, "worst", found->worst);
  jw_number(&w, "constraint_error", found->constraint_error);
  jw_number(&w, "work", found->work);
  jw_integer(&w, "stable", found->stable);
  jw_integer(&w, "neutral", found->neutral);
  jw_integer(&w, "unstable", found->unstable);
  jw_close(&w);
  jw_end(&w);
}

static void print_tables(const cdn_model *model, const cdn_state *state, const cdn_equilibrium *found) {
  const cdn_system *system = cdn_model_system(model);
  const int nq = cdn_system_nq(system);
  char text[CDN_NUMBER_SIZE];
  int width = 1;
  printf("%s\n", visible(cdn_model_name(model)));
  printf("  iterations        %d\n", found->iterations);
  printf("  acceleration left %.2g", found->unbalanced);
  if (found->worst[0]) printf(" (%s)", visible(found->worst));
  printf("\n");
  printf("  work of forces    %.6g J\n", found->work);
  printf("  directions        %d stable, %d neutral, %d unstable\n", found->stable, found->neutral, found->unstable);
  for (int i = 0; i < nq; i++) {
    const int length = (int)strlen(visible_slot(system, CDN_POOL_Q, i));
    if (length > width) width = length;
  }
  if (nq) printf("\n  %-*s %24s\n", width, "", "q");
  for (int i = 0; i < nq; i++) {
    printf("  %-*s %24s\n", width, visible_slot(system, CDN_POOL_Q, i), rounded(cdn_state_q(state)[i], text));
  }
}

int command_equilibrium(int argc, char **argv) {
  model_arguments arguments = { 0 };
  text_list locks = { .n = 0 };
  const char *output = NULL;
  double tolerance = 0;
  bool json = false, any = false;
  const option table[] = {
    { "any", 0, OPTION_FLAG, &any, NULL, "the nearest balance, stable or not" },
    { "tolerance", 0, OPTION_POSITIVE, &tolerance, "A",
      "accelerations that may be left, in model units; default 1e-8" },
    { "lock", 0, OPTION_LIST, &locks, "JOINT[=Q]", "hold a joint where it is, or at Q; as often as needed" },
    { "output", 'o', OPTION_TEXT, &output, "STATE.json", "write the state to a file" },
    { "state", 0, OPTION_TEXT, &arguments.state, "STATE.json", "state to start from ('-': standard input)" },
    { "key", 0, OPTION_TEXT, &arguments.key, "NAME", "start from a keyframe of the model" },
    CONTROL_OPTION(arguments),
    { "json", 0, OPTION_FLAG, &json, NULL, "write JSON instead of tables" },
    MODEL_OPTIONS(arguments),
  };
  int code = options_parse(&page, table, sizeof table / sizeof table[0], argc, argv, &arguments.path);
  if (code != OPTIONS_GO) return code;

  cdn_model *model;
  cdn_state *state;
  code = load_start(&arguments, &model, &state);
  if (code == CMD_OK) code = lock_joints(&locks, state);
  if (code == CMD_OK) {
    cdn_equilibrium_def def = cdn_default_equilibrium_def();
    cdn_equilibrium found;
    if (any) def.goal = CDN_EQUILIBRIUM_ANY;
    if (tolerance > 0) def.tolerance = tolerance;
    cdn_status status = cdn_find_equilibrium(state, &def, &found);
    if (status == CDN_OK) status = cdn_prescribe(state, NULL); /* locked coordinates show their values */
    if (status != CDN_OK) {
      cdn_error error;
      cdn_state_last_error(state, &error);
      complain_error(arguments.path, &error);
      code = CMD_FAILED;
    } else if (json) print_json(state, &found);
    else print_tables(model, state, &found);
    if (code == CMD_OK && output && !write_state_file(output, state)) code = CMD_OUTPUT;
  }
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  return code;
}
