/* State files: {"time": t, "q": [...], "u": [...], "f": [...]}, every member optional. */
#include "simulate.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef cdn_status setter(cdn_state *state, const double *values);

static int set_array(const char *path, cdn_state *state, const char *member, json_t *value, int expected,
                     const char *size_name, setter *set) {
  if (!json_is_array(value)) {
    complain("%s: \"%s\" must be an array of %s = %d numbers", path, member, size_name, expected);
    return CMD_INPUT;
  }
  int n = (int)json_array_size(value);
  if (n != expected) {
    complain("%s: \"%s\" has %d numbers, but the model's %s is %d ('cardan info' lists the coordinates)", path, member,
             n, size_name, expected);
    return CMD_INPUT;
  }
  double *numbers = allocate((size_t)n, sizeof *numbers);
  int code = CMD_OK;
  for (int i = 0; i < n && code == CMD_OK; i++) {
    json_t *element = json_array_get(value, (size_t)i);
    if (json_is_number(element)) {
      numbers[i] = json_number_value(element);
    } else {
      complain("%s: \"%s\"[%d] is not a number", path, member, i);
      code = CMD_INPUT;
    }
  }
  if (code == CMD_OK && set(state, numbers) != CDN_OK) {
    cdn_error error;
    cdn_state_last_error(state, &error);
    complain_error(path, &error);
    code = CMD_INPUT;
  }
  free(numbers);
  return code;
}

static int set_member(const char *path, cdn_state *state, const char *member, json_t *value) {
  const cdn_system *system = cdn_state_system(state);
  int nq = cdn_system_nq(system), nu = cdn_system_nu(system);
  if (strcmp(member, "q") == 0) return set_array(path, state, member, value, nq, "nq", cdn_state_set_q);
  if (strcmp(member, "u") == 0) return set_array(path, state, member, value, nu, "nu", cdn_state_set_u);
  if (strcmp(member, "f") == 0) {
    return set_array(path, state, member, value, nu, "nu", cdn_state_set_applied_mobility_forces);
  }
  if (strcmp(member, "time") != 0) {
    complain("%s: unknown member \"%s\"; a state has \"time\", \"q\", \"u\" and \"f\"", path, member);
    return CMD_INPUT;
  }
  if (!json_is_number(value) || cdn_state_set_time(state, json_number_value(value)) != CDN_OK) {
    complain("%s: \"time\" must be a number", path);
    return CMD_INPUT;
  }
  return CMD_OK;
}

int read_state_file(const char *path, cdn_state *state) {
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
  if (!file) {
    complain("%s: could not be read: %s", path, strerror(errno));
    return CMD_INPUT;
  }
  // integers as reals: any length is a number, and -0 keeps its sign
  json_error_t trouble;
  json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &trouble);
  if (file != stdin) fclose(file);
  if (!root) {
    complain("%s:%d:%d: %s", path, trouble.line, trouble.column, trouble.text);
    return CMD_INPUT;
  }
  int code = CMD_OK;
  if (!json_is_object(root)) {
    complain("%s: must be an object {\"time\": t, \"q\": [...], \"u\": [...], \"f\": [...]}", path);
    code = CMD_INPUT;
  }
  const char *member;
  json_t *value;
  json_object_foreach(root, member, value) {
    code = set_member(path, state, member, value);
    if (code != CMD_OK) break;
  }
  json_decref(root);
  return code;
}

bool write_state_file(const char *path, const cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  FILE *file;
  if (!open_output(path, &file)) return false;
  json_writer w = jw_begin(file);
  jw_number(&w, "time", cdn_state_time(state));
  jw_numbers(&w, "q", cdn_state_q(state), cdn_system_nq(system));
  jw_numbers(&w, "u", cdn_state_u(state), cdn_system_nu(system));
  jw_end(&w);
  return finish_output(file, path);
}
