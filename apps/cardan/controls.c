/* Control inputs that the command line sets. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

static int complain_control(const cdn_system *system, const char *item, const char *name) {
  const int n = cdn_system_control_count(system);
  const char **names = allocate((size_t)n, sizeof *names);
  for (int i = 0; i < n; i++) names[i] = cdn_control_name(system, (cdn_control){ i });
  const char *closest = cdni_closest_word(name, names, n);
  if (closest) complain("--control %s: the model has no control '%s'; did you mean '%s'?", item, name, closest);
  else if (n) complain("--control %s: the model has no control '%s'; 'cardan info' lists them", item, name);
  else complain("--control %s: the model has no controls", item);
  free(names);
  return CMD_USAGE;
}

static int set_one(const char *item, cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  const char *equals = strrchr(item, '=');
  char name[256];
  if (!equals) {
    complain("--control %s: write --control NAME=VALUE", item);
    return CMD_USAGE;
  }
  snprintf(name, sizeof name, "%.*s", (int)(equals - item), item);
  const cdn_control control = cdn_system_find_control(system, name);
  if (control.i < 0) return complain_control(system, item, name);
  char *end;
  const double value = strtod(equals + 1, &end);
  if (end == equals + 1 || *end) {
    complain("--control %s: '%s' is not a number", item, equals + 1);
    return CMD_USAGE;
  }
  if (cdn_control_set(state, control, value) == CDN_OK) return CMD_OK;
  cdn_error error;
  cdn_state_last_error(state, &error);
  complain_error("--control", &error);
  return CMD_USAGE;
}

int set_controls(const text_list *controls, cdn_state *state) {
  int code = CMD_OK;
  for (int i = 0; i < controls->n && code == CMD_OK; i++) code = set_one(controls->item[i], state);
  return code;
}
