/* Mocap bodies that the command line poses. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

static int complain_mocap(const cdn_system *system, const char *item, const char *name) {
  const int n = cdn_system_body_count(system);
  const char **names = allocate((size_t)n, sizeof *names);
  int mocaps = 0;
  for (int i = 1; i < n; i++)
    if (cdn_body_is_mocap(system, (cdn_body){ i })) names[mocaps++] = cdn_body_name(system, (cdn_body){ i });
  const char *closest = cdni_closest_word(name, names, mocaps);
  if (closest) complain("--mocap %s: the model has no mocap body '%s'; did you mean '%s'?", item, name, closest);
  else if (mocaps) complain("--mocap %s: the model has no mocap body '%s'; one of them is '%s'", item, name, names[0]);
  else complain("--mocap %s: the model has no mocap bodies: MJCF has them by <body mocap=\"true\">", item);
  free(names);
  return CMD_USAGE;
}

/* The numbers, and how many there are; at most 7. -1: there is something else. */
static int read_numbers(const char *text, double x[7]) {
  for (int n = 0; n < 7;) {
    char *end;
    x[n++] = strtod(text, &end);
    if (end == text || (*end && *end != ',')) return -1;
    if (!*end) return n;
    text = end + 1;
  }
  return -1;
}

static int set_one(const char *item, cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  const char *equals = strrchr(item, '=');
  char name[256];
  double x[7];
  const int n = equals ? read_numbers(equals + 1, x) : -1;
  if (n != 3 && n != 7) {
    complain("--mocap %s: write --mocap NAME=X,Y,Z or NAME=X,Y,Z,QW,QX,QY,QZ: a position in m, and a quaternion", item);
    return CMD_USAGE;
  }
  snprintf(name, sizeof name, "%.*s", (int)(equals - item), item);
  const cdn_body body = cdn_system_find_body(system, name);
  if (body.i < 0 || !cdn_body_is_mocap(system, body)) return complain_mocap(system, item, name);
  cdn_transform X;
  cdn_status status = cdn_body_pose(state, body, &X);
  X.p = cdn_v3(x[0], x[1], x[2]);
  if (n == 7) {
    if (x[3] == 0 && x[4] == 0 && x[5] == 0 && x[6] == 0) {
      complain("--mocap %s: the quaternion is zero; 1,0,0,0 is no rotation", item);
      return CMD_USAGE;
    }
    X.R = cdn_rotation_from_quaternion((cdn_quaternion){ x[3], x[4], x[5], x[6] });
  }
  if (status == CDN_OK) status = cdn_mocap_set_pose(state, body, X);
  if (status == CDN_OK) return CMD_OK;
  cdn_error error;
  cdn_state_last_error(state, &error);
  complain_error("--mocap", &error);
  return CMD_USAGE;
}

int pose_mocap_bodies(const text_list *poses, cdn_state *state) {
  int code = CMD_OK;
  for (int i = 0; i < poses->n && code == CMD_OK; i++) code = set_one(poses->item[i], state);
  return code;
}
