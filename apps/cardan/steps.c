/* The method and the steps of a run: as options say, or as the model's file does. */
#include <stdio.h>
#include <string.h>

#include "command.h"

/* --method file: the model's own method, and its step if no other was asked for. */
static bool is_of_file(const char *name) { return name && strcmp(name, "file") == 0; }

bool find_method(const char *name, cdn_method *method) {
  const char *names[64];
  int n = 0;
  *method = CDN_METHOD_DEFAULT;
  for (; n < 64 && cdn_method_name((cdn_method)n); n++) {
    names[n] = cdn_method_name((cdn_method)n);
    if (name && strcmp(name, names[n]) == 0) *method = (cdn_method)n;
  }
  if (!name || strcmp(cdn_method_name(*method), name) == 0) return true;
  const char *closest = closest_word(name, names, n);
  if (closest) {
    complain("--method %s: there is no such method; did you mean %s?", name, closest);
    return false;
  }
  char all[512] = "";
  for (int i = 0; i < n; i++) {
    size_t length = strlen(all);
    snprintf(all + length, sizeof all - length, "%s%s", i ? ", " : "", names[i]);
  }
  complain("--method %s: there is no such method; there are %s, and file", name, all);
  return false;
}

bool choose_method(model_arguments *m, const char *name, double step, cdn_method *method) {
  m->step = step;
  *method = CDN_METHOD_DEFAULT;
  if (!is_of_file(name) && !find_method(name, method)) return false;
  m->as_file = is_of_file(name) || cdn_method_needs_fixed_step(*method);
  return true;
}

int settle_steps(model_arguments *m, const char *name, cdn_model *model, cdn_method *method, double *step) {
  cdn_error error;
  cdn_method of_file;
  double its_step;
  const bool needs = cdn_method_needs_fixed_step(*method) && *step == 0;
  // a checkpoint has what was chosen
  if (m->as_file && !m->contact)
    m->contact = cdn_model_steps_of_file(model, NULL, NULL) == CDN_OK ? "soft" : "compliant";
  if (!is_of_file(name) && !needs) return CMD_OK;
  if (cdn_model_steps_of_file(model, &of_file, &its_step) != CDN_OK) {
    cdn_model_last_error(model, &error);
    if (needs) complain("--method %s takes equal steps: it needs --step H", cdn_method_name(*method));
    else complain_error("--method file", &error);
    return CMD_USAGE;
  }
  if (is_of_file(name)) *method = of_file;
  if (*step == 0) *step = its_step;
  return CMD_OK;
}
