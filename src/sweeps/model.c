/* The model of a study, in a System that also measures what is kept of whole runs. */
#include "sweeps/internal.h"

static cdn_status refuse_model(const cdn_sweep *s, cdn_status status, const cdn_error *error) {
  return cdni_refuse(error->code != CDN_OK ? error->code : status, "cdn_sweep_load", "%.120s: the model: %.280s",
                     s->study.path, error->code != CDN_OK ? error->text : cdn_status_text(status));
}

/* Whether something is kept of whole runs: then measures are added, whose operands a first System tells. */
static bool measures_runs(const cdn_sweep *s) {
  return json_array_size(json_object_get(s->study.keep, "min")) > 0 ||
         json_array_size(json_object_get(s->study.keep, "max")) > 0 ||
         json_array_size(json_object_get(s->study.keep, "mean")) > 0;
}

static cdn_status load(cdn_sweep *s, bool measure) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_error error = { .code = CDN_OK };
  if (!system) return CDN_ERR_NOMEM;
  cdn_status status = cdn_model_load_into(s->study.model, &s->study.options, system, &s->model);
  if (status != CDN_OK && s->model) cdn_model_last_error(s->model, &error);
  if (status == CDN_OK) {
    if (measure) cdni_sweep_add_measures(s, system);
    status = cdn_system_freeze(system);
    if (status != CDN_OK) cdn_system_last_error(system, &error);
  }
  cdn_system_release(system);
  return status == CDN_OK ? CDN_OK : refuse_model(s, status, &error);
}

/* Method and step of the model's file, where the study says so. */
static cdn_status settle_steps(cdn_sweep *s) {
  sweep_study *y = &s->study;
  static const double usual = 0.002; /* MuJoCo's; a URDF file does not say how it is stepped */
  const bool of_file = y->method && strcmp(y->method, "file") == 0;
  const bool needs = cdn_method_needs_fixed_step(s->method) && y->run[SWEEP_STEP] == 0;
  cdn_method method = CDN_METHOD_MUJOCO_EULER;
  double step = usual;
  if (!of_file && !needs) return CDN_OK;
  if (cdn_model_steps_of_file(s->model, &method, &step) != CDN_OK && !y->like_mujoco)
    return cdni_sweep_wrong(s, "the model's file does not say how it is stepped: give \"%s\"",
                            of_file ? "method" : "step");
  if (of_file) s->method = method;
  if (y->run[SWEEP_STEP] == 0) y->run[SWEEP_STEP] = step;
  return CDN_OK;
}

static cdn_status set_key(cdn_sweep *s) {
  cdn_error error;
  if (!s->study.key || cdn_model_set_key(s->model, s->study.key, s->base) == CDN_OK) return CDN_OK;
  cdn_model_last_error(s->model, &error);
  if (error.code == CDN_OK) cdn_state_last_error(s->base, &error);
  return cdni_sweep_wrong(s, "\"key\": %.300s", error.text);
}

cdn_status cdni_sweep_load_model(cdn_sweep *s) {
  CDNI_TRY(load(s, false));
  CDNI_TRY(cdni_sweep_find_quantities(s, cdn_model_system(s->model)));
  if (measures_runs(s)) {
    cdn_model_destroy(s->model);
    s->model = NULL;
    CDNI_TRY(load(s, true));
    CDNI_TRY(cdni_sweep_settle_quantities(s, cdn_model_system(s->model)));
  }
  CDNI_TRY(settle_steps(s));
  CDNI_TRY(cdn_state_create(cdn_model_system(s->model), &s->base));
  CDNI_TRY(cdn_state_create(cdn_model_system(s->model), &s->work));
  return set_key(s);
}
