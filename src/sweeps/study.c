/* A study as its file says it. */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "core/words.h"
#include "sweeps/internal.h"

static const char *const keys[] = { "cardan study", "about",      "model",         "contact",   "equality",
                                    "friction",     "stiffness",  "dissipation",   "ground",    "armature",
                                    "like",         "keep fixed", "floating base", "tree only", "exact hulls",
                                    "strict",       "noise",      "key",           "set",       "vary",
                                    "cases",        "sampling",   "seed",          "duration",  "accuracy",
                                    "method",       "step",       "companion",     "assemble",  "report",
                                    "keep",         "trajectory", "limits",        "block",     "results" };

/* ---- what is wrong with it ---- */

cdn_status cdni_sweep_wrong(const cdn_sweep *s, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  cdni_vprint(text, sizeof text, format, args);
  va_end(args);
  return cdni_refuse(CDN_ERR_PARSE, "cdn_sweep_load", "%.120s: %s", s->study.path, text);
}

cdn_status cdni_sweep_unknown(const cdn_sweep *s, const char *word, const char *what, const char *const *candidates,
                              int n) {
  enum { FEW = 12 };
  const char *closest = cdni_closest_word(word, candidates, n);
  char all[240] = "";
  if (closest) return cdni_sweep_wrong(s, "%s \"%.80s\"; did you mean \"%.80s\"?", what, word, closest);
  if (n > FEW) return cdni_sweep_wrong(s, "%s \"%.120s\"", what, word);
  for (int i = 0; i < n; i++) {
    const size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s\"%s\"", i ? ", " : "", candidates[i]);
  }
  return cdni_sweep_wrong(s, "%s \"%.80s\"; there %s %s", what, word, n == 1 ? "is" : "are", n ? all : "none");
}

cdn_status cdni_sweep_check_keys(const cdn_sweep *s, const char *where, json_t *object, const char *const *known,
                                 int n) {
  char what[160];
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    bool there = false;
    for (int i = 0; i < n && !there; i++) there = strcmp(key, known[i]) == 0;
    if (there) continue;
    if (where[0]) snprintf(what, sizeof what, "\"%.80s\" has no key", where);
    else snprintf(what, sizeof what, "a study has no key");
    return cdni_sweep_unknown(s, key, what, known, n);
  }
  return CDN_OK;
}

/* ---- members ---- */

cdn_status cdni_sweep_read_number(const cdn_sweep *s, json_t *object, const char *key, double least, double *out) {
  const json_t *value = json_object_get(object, key);
  if (!value) return CDN_OK;
  const double x = json_number_value(value);
  if (!json_is_number(value)) return cdni_sweep_wrong(s, "\"%s\" should be a number", key);
  if (!(x > least)) return cdni_sweep_wrong(s, "\"%s\" should be above %g", key, least);
  *out = x;
  return CDN_OK;
}

cdn_status cdni_sweep_read_count(const cdn_sweep *s, json_t *object, const char *key, double most, int64_t *out) {
  const json_t *value = json_object_get(object, key);
  if (!value) return CDN_OK;
  const double x = json_number_value(value);
  if (!json_is_number(value) || x != floor(x) || x < 1 || x > most)
    return cdni_sweep_wrong(s, "\"%s\" should be a whole number from 1 to %.0f", key, most);
  *out = (int64_t)x;
  return CDN_OK;
}

cdn_status cdni_sweep_read_word(const cdn_sweep *s, json_t *object, const char *key, const char *const *words, int n,
                                int *out) {
  const json_t *value = json_object_get(object, key);
  char what[80];
  if (!value) return CDN_OK;
  if (!json_is_string(value)) return cdni_sweep_wrong(s, "\"%s\" should be a text", key);
  for (int i = 0; i < n; i++)
    if (strcmp(json_string_value(value), words[i]) == 0) {
      *out = i;
      return CDN_OK;
    }
  snprintf(what, sizeof what, "\"%s\" cannot be", key);
  return cdni_sweep_unknown(s, json_string_value(value), what, words, n);
}

static cdn_status read_truth(const cdn_sweep *s, json_t *object, const char *key, bool *out) {
  const json_t *value = json_object_get(object, key);
  if (!value) return CDN_OK;
  if (!json_is_boolean(value)) return cdni_sweep_wrong(s, "\"%s\" should be true or false", key);
  *out = json_is_true(value);
  return CDN_OK;
}

static cdn_status read_text(const cdn_sweep *s, json_t *object, const char *key, const char **out) {
  const json_t *value = json_object_get(object, key);
  if (!value) return CDN_OK;
  if (!json_is_string(value) || !json_string_length(value))
    return cdni_sweep_wrong(s, "\"%s\" should be a text that is not empty", key);
  *out = json_string_value(value);
  return CDN_OK;
}

static cdn_status read_object(const cdn_sweep *s, json_t *object, const char *key, json_t **out) {
  *out = json_object_get(object, key);
  if (*out && !json_is_object(*out)) return cdni_sweep_wrong(s, "\"%s\" should be an object: {}", key);
  return CDN_OK;
}

/* ---- paths ---- */

/* A path of the study, as the program opens it. */
static cdn_status resolve(cdn_sweep *s, const char *path, const char **out) {
  *out = path[0] == '/' || !s->study.folder[0] ? path : cdni_sweep_text(s, "%s/%s", s->study.folder, path);
  return *out ? CDN_OK : CDN_ERR_NOMEM;
}

static cdn_status place_results(cdn_sweep *s) {
  sweep_study *y = &s->study;
  if (y->results) return resolve(s, y->results, &y->results);
  const size_t n = strlen(y->path), m = strlen(".json");
  const bool plain = n > m && strcmp(y->path + n - m, ".json") == 0;
  y->results = cdni_sweep_text(s, "%.*s.sweep", (int)(plain ? n - m : n), y->path);
  return y->results ? CDN_OK : CDN_ERR_NOMEM;
}

/* ---- how the model is read, as the options of `cardan simulate` say ---- */

static cdn_status read_ground(cdn_sweep *s, json_t *root) {
  const json_t *value = json_object_get(root, "ground");
  cdn_model_options *o = &s->study.options;
  if (!value || json_is_false(value)) return CDN_OK;
  o->ground = true;
  if (json_is_number(value)) o->ground_height = json_number_value(value);
  else if (!json_is_true(value)) return cdni_sweep_wrong(s, "\"ground\" should be true, false, or a height in m");
  else if (json_object_get(root, "key"))
    return cdni_sweep_wrong(s, "\"ground\" needs a height where runs start from a \"key\": \"ground\": Z");
  return CDN_OK;
}

static cdn_status read_contact(cdn_sweep *s, json_t *root) {
  enum { NONE, COMPLIANT, SOFT, RIGID, CONTACTS };
  static const char *const contacts[CONTACTS] = { "none", "compliant", "soft", "rigid" },
                           *const equalities[] = { "exact", "soft" }, *const frictions[] = { "stick", "slip" },
                           *const likes[] = { "mujoco" };
  static const cdn_model_contact models[CONTACTS] = { CDN_MODEL_NO_CONTACT, CDN_MODEL_COMPLIANT, CDN_MODEL_SOFT,
                                                      CDN_MODEL_RIGID };
  sweep_study *y = &s->study;
  cdn_model_options *o = &y->options;
  int like = -1, contact = -1, equality = -1, friction = 0;
  CDNI_TRY(cdni_sweep_read_word(s, root, "like", likes, 1, &like));
  CDNI_TRY(cdni_sweep_read_word(s, root, "contact", contacts, CONTACTS, &contact));
  CDNI_TRY(cdni_sweep_read_word(s, root, "equality", equalities, CDNI_COUNT(equalities), &equality));
  CDNI_TRY(cdni_sweep_read_word(s, root, "friction", frictions, CDNI_COUNT(frictions), &friction));
  y->like_mujoco = like >= 0;
  if (y->like_mujoco && contact < 0) contact = SOFT;
  if (y->like_mujoco && equality < 0) equality = CDN_MODEL_SOFT_EQUALITY;
  if (y->like_mujoco && !y->method) y->method = "file";
  y->has_contact = contact >= 0;
  if (contact >= 0) o->contact = models[contact];
  if (equality >= 0) o->equality = (cdn_model_equality)equality;
  o->contact_friction = friction ? CDN_FRICTION_SLIP_SPEED : CDN_FRICTION_STICKING;
  return CDN_OK;
}

static cdn_status read_options(cdn_sweep *s, json_t *root) {
  cdn_model_options *o = &s->study.options;
  bool exact_hulls = false;
  *o = cdn_default_model_options();
  CDNI_TRY(read_contact(s, root));
  CDNI_TRY(read_ground(s, root));
  CDNI_TRY(cdni_sweep_read_number(s, root, "stiffness", 0, &o->contact_modulus));
  CDNI_TRY(cdni_sweep_read_number(s, root, "dissipation", 0, &o->contact_dissipation));
  CDNI_TRY(cdni_sweep_read_number(s, root, "armature", 0, &o->armature));
  CDNI_TRY(read_truth(s, root, "keep fixed", &o->keep_fixed));
  CDNI_TRY(read_truth(s, root, "floating base", &o->floating_base));
  CDNI_TRY(read_truth(s, root, "tree only", &o->tree_only));
  CDNI_TRY(read_truth(s, root, "exact hulls", &exact_hulls));
  CDNI_TRY(read_truth(s, root, "strict", &o->strict));
  CDNI_TRY(read_truth(s, root, "noise", &o->noise));
  if (exact_hulls) o->hull_tolerance = 0;
  return CDN_OK;
}

/* ---- what a run is asked for ---- */

static cdn_status find_method(cdn_sweep *s) {
  const char *names[CDN_METHOD_COUNT + 1];
  sweep_study *y = &s->study;
  const bool of_file = y->method && strcmp(y->method, "file") == 0;
  int found = y->method ? -1 : 0;
  for (int i = 0; i < CDN_METHOD_COUNT; i++) {
    names[i] = cdn_method_name((cdn_method)i);
    if (y->method && strcmp(y->method, names[i]) == 0) found = i;
  }
  names[CDN_METHOD_COUNT] = "file";
  if (found < 0 && !of_file) return cdni_sweep_unknown(s, y->method, "there is no method", names, CDNI_COUNT(names));
  s->method = of_file ? CDN_METHOD_DEFAULT : (cdn_method)found;
  if (!cdn_method_is_available(s->method))
    return cdni_refuse(CDN_ERR_UNSUPPORTED, "cdn_sweep_load",
                       "%.120s: this library was built without the method \"%s\"", s->study.path, y->method);
  y->as_file = of_file || cdn_method_needs_fixed_step(s->method);
  return CDN_OK;
}

static cdn_status read_run(cdn_sweep *s, json_t *root) {
  static const double LEAST = 1e-15, MOST = 1; /* cdn_stepper_def.accuracy */
  sweep_study *y = &s->study;
  json_t *limits;
  static const char *const of_limits[] = { "steps", "seconds" };
  y->run[SWEEP_ACCURACY] = cdn_default_stepper_def().accuracy;
  y->companion = y->assemble = true;
  CDNI_TRY(cdni_sweep_read_number(s, root, "duration", 0, &y->run[SWEEP_DURATION]));
  if (y->run[SWEEP_DURATION] == 0) return cdni_sweep_wrong(s, "a study needs a \"duration\" of its runs, s");
  CDNI_TRY(cdni_sweep_read_number(s, root, "accuracy", 0, &y->run[SWEEP_ACCURACY]));
  if (!(y->run[SWEEP_ACCURACY] >= LEAST && y->run[SWEEP_ACCURACY] <= MOST))
    return cdni_sweep_wrong(s, "\"accuracy\" should be from %g to %g", LEAST, MOST);
  CDNI_TRY(cdni_sweep_read_number(s, root, "step", 0, &y->run[SWEEP_STEP]));
  CDNI_TRY(cdni_sweep_read_number(s, root, "report", 0, &y->report));
  CDNI_TRY(cdni_sweep_read_number(s, root, "trajectory", 0, &y->trajectory));
  CDNI_TRY(read_truth(s, root, "companion", &y->companion));
  CDNI_TRY(read_truth(s, root, "assemble", &y->assemble));
  CDNI_TRY(read_object(s, root, "limits", &limits));
  CDNI_TRY(cdni_sweep_check_keys(s, "limits", limits, of_limits, CDNI_COUNT(of_limits)));
  CDNI_TRY(cdni_sweep_read_count(s, limits, "steps", 1e15, &y->most_steps));
  return cdni_sweep_read_number(s, limits, "seconds", 0, &y->most_seconds);
}

/* What follows from several keys: how a model is read depends on how it is stepped. */
static void settle(cdn_sweep *s) {
  sweep_study *y = &s->study;
  cdn_model_options *o = &y->options;
  if (!y->has_contact && y->as_file) o->contact = CDN_MODEL_AS_FILE;
  o->solving = y->as_file ? CDN_MODEL_SOLVE_AS_FILE : CDN_MODEL_SOLVE_TO_THE_END;
  o->fixed_step = y->run[SWEEP_STEP];
  o->soft_onset = y->as_file || y->run[SWEEP_STEP] > 0 ? 0 : y->run[SWEEP_ACCURACY] / 10;
  o->seed = s->design.seed;
}

/* ---- the whole ---- */

static cdn_status read_seed(cdn_sweep *s, json_t *root) {
  const json_t *value = json_object_get(root, "seed");
  if (!value) return CDN_OK;
  const double x = json_number_value(value);
  if (!json_is_number(value) || x != floor(x) || x < 0 || x > UINT32_MAX)
    return cdni_sweep_wrong(s, "\"seed\" should be a whole number from 0 to 4294967295");
  s->design.seed = (uint32_t)x;
  return CDN_OK;
}

static cdn_status read_root(cdn_sweep *s, json_t *root) {
  sweep_study *y = &s->study;
  const json_t *version = json_is_object(root) ? json_object_get(root, "cardan study") : NULL;
  if (!json_is_number(version) || json_number_value(version) != 1)
    return cdni_sweep_wrong(s, "a study begins with { \"cardan study\": 1");
  CDNI_TRY(cdni_sweep_check_keys(s, "", root, keys, CDNI_COUNT(keys)));
  CDNI_TRY(read_text(s, root, "model", &y->model));
  if (!y->model) return cdni_sweep_wrong(s, "a study needs a \"model\": the path of its file");
  CDNI_TRY(resolve(s, y->model, &y->model));
  CDNI_TRY(read_text(s, root, "results", &y->results));
  CDNI_TRY(place_results(s));
  CDNI_TRY(read_text(s, root, "key", &y->key));
  CDNI_TRY(read_text(s, root, "method", &y->method));
  CDNI_TRY(read_object(s, root, "set", &y->set));
  CDNI_TRY(read_object(s, root, "vary", &y->vary));
  CDNI_TRY(read_object(s, root, "keep", &y->keep));
  CDNI_TRY(read_seed(s, root));
  CDNI_TRY(read_options(s, root));
  CDNI_TRY(find_method(s));
  CDNI_TRY(read_run(s, root));
  settle(s);
  CDNI_TRY(cdni_sweep_read_variables(s));
  return cdni_sweep_read_count(s, root, "block", INT_MAX, &y->block);
}

cdn_status cdni_sweep_read_study(cdn_sweep *s, const char *text, size_t size) {
  json_error_t trouble;
  /* integers as reals: any number of digits is a number */
  s->study.root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &trouble);
  if (!s->study.root)
    return cdni_refuse(CDN_ERR_PARSE, "cdn_sweep_load", "%.120s:%d:%d: %s", s->study.path, trouble.line, trouble.column,
                       trouble.text);
  return read_root(s, s->study.root);
}
