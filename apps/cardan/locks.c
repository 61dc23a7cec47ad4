/* Joints that the command line locks: held at a position during the whole run. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

cdn_body find_joint(const cdn_system *system, const char *name, size_t length) {
  for (int i = 1; i < cdn_system_body_count(system); i++) {
    const char *joint = cdn_body_mobilizer_name(system, (cdn_body){ i });
    if (strlen(joint) == length && strncmp(joint, name, length) == 0) return (cdn_body){ i };
  }
  return (cdn_body){ -1 };
}

int complain_joint(const char *flag, const cdn_system *system, const char *name, size_t length) {
  const int n = cdn_system_body_count(system) - 1;
  const char **names = allocate((size_t)n, sizeof *names);
  char word[128];
  for (int i = 0; i < n; i++) names[i] = cdn_body_mobilizer_name(system, (cdn_body){ i + 1 });
  snprintf(word, sizeof word, "%.*s", (int)length, name);
  const char *closest = cdni_closest_word(word, names, n);
  if (closest) complain("%s %s: the model has no joint '%s'; did you mean '%s'?", flag, name, word, closest);
  else complain("%s %s: the model has no joint '%s'; 'cardan info' lists them", flag, name, word);
  free(names);
  return CMD_USAGE;
}

static int lock_one(const char *item, cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  cdn_body body = find_joint(system, item, strlen(item));
  cdn_status status;
  if (body.i > 0) {
    status = cdn_body_lock(state, body, CDN_LEVEL_POSITION);
  } else {
    const char *equals = strrchr(item, '=');
    const size_t length = equals ? (size_t)(equals - item) : strlen(item);
    body = find_joint(system, item, length);
    if (body.i < 0 || !equals) return complain_joint("--lock", system, item, length);
    char *end;
    const double q = strtod(equals + 1, &end);
    if (end == equals + 1 || *end) {
      complain("--lock %s: '%s' is not a number", item, equals + 1);
      return CMD_USAGE;
    }
    if (cdn_body_nq(system, body) != 1) {
      complain("--lock %s: this joint has %d coordinates; --lock %.*s holds it where --initial or --key has it", item,
               cdn_body_nq(system, body), (int)length, item);
      return CMD_USAGE;
    }
    status = cdn_body_lock_at(state, body, CDN_LEVEL_POSITION, 1, &q);
  }
  if (status == CDN_OK) return CMD_OK;
  cdn_error error;
  cdn_state_last_error(state, &error);
  complain_error("--lock", &error);
  return status == CDN_ERR_NONFINITE ? CMD_USAGE : CMD_FAILED;
}

int lock_joints(const text_list *locks, cdn_state *state) {
  int code = CMD_OK;
  for (int i = 0; i < locks->n && code == CMD_OK; i++) code = lock_one(locks->item[i], state);
  /* output of this State shows the locked values */
  if (locks->n && code == CMD_OK && cdn_prescribe(state, NULL) != CDN_OK) code = CMD_FAILED;
  return code;
}
