/* The method and the steps of a run: as options say, or as the model's file does. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "io/model.h"

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
  const char *closest = cdni_closest_word(name, names, n);
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

bool settle_names(model_arguments *m, const char **method, double accuracy, bool *no_companion) {
  if (m->like && strcmp(m->like, "mujoco") != 0) complain("--like %s: there is no such name; there is mujoco", m->like);
  else if (m->preset && strcmp(m->preset, "interactive") != 0)
    complain("--preset %s: there is no such preset; there is interactive", m->preset);
  else if (m->like && m->preset) complain("--like and --preset both say how steps are taken: choose one of the two");
  else {
    if (m->like && !m->equality) m->equality = "soft";
    if ((m->like || m->preset) && !m->contact) m->contact = "soft";
    if (m->like && method && !*method) *method = "file";
    if (m->preset && no_companion) *no_companion = true;
    m->preset_steps = m->preset && accuracy == 0;
    return true;
  }
  return false;
}

/* A URDF file does not say how steps are taken; MuJoCo takes its defaults then. */
static bool take_defaults(const model_arguments *m, cdn_method *method, double *step) {
  *method = CDN_METHOD_MUJOCO_EULER, *step = 0.002;
  return m->like != NULL;
}

static void tell_preset(const model_arguments *m, cdn_method method, double step) {
  if (!m->preset || m->quiet) return;
  fprintf(stderr, "preset %s: --contact %s", m->preset, m->contact);
  if (m->preset_steps) fprintf(stderr, " --method %s --step %g", cdn_method_name(method), step);
  fprintf(stderr, " --no-companion; the errors of the run are unknown\n");
}

bool choose_method(model_arguments *m, const char *name, double step, cdn_method *method) {
  m->step = step;
  *method = CDN_METHOD_DEFAULT;
  if (!is_of_file(name) && !find_method(name, method)) return false;
  m->as_file = is_of_file(name) || cdn_method_needs_fixed_step(*method);
  return true;
}

/* Equal steps go over the jump at a touch; error control follows it. A depth of a tenth of the accuracy is within what
 * is asked. */
void settle_onset(model_arguments *m, double step, double accuracy) {
  m->onset = m->as_file || m->preset_steps || step > 0 ? 0 : accuracy / 10;
}

int settle_steps(model_arguments *m, const char *name, cdn_model *model, cdn_method *method, double *step) {
  cdn_error error;
  cdn_method of_file;
  double its_step;
  const bool needs = cdn_method_needs_fixed_step(*method) && *step == 0;
  // a checkpoint has what was chosen
  if (m->as_file && !m->contact)
    m->contact = cdn_model_steps_of_file(model, NULL, NULL) == CDN_OK ? "soft" : "compliant";
  if (m->preset_steps && !is_of_file(name)) {
    io_interactive_steps(model, cdn_model_system(model), &of_file, &its_step);
    if (!name) *method = of_file;
    if (*step == 0) *step = its_step;
  }
  tell_preset(m, *method, *step);
  if (!is_of_file(name) && !(needs && *step == 0)) return CMD_OK;
  if (cdn_model_steps_of_file(model, &of_file, &its_step) != CDN_OK && !take_defaults(m, &of_file, &its_step)) {
    cdn_model_last_error(model, &error);
    if (needs) complain("--method %s takes equal steps: it needs --step H", cdn_method_name(*method));
    else complain_error("--method file", &error);
    return CMD_USAGE;
  }
  if (is_of_file(name)) *method = of_file;
  if (*step == 0) *step = its_step;
  return CMD_OK;
}
