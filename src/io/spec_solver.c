/* How a file asks that its soft rows be solved: numbers of the whole spec. */
#include <math.h>

#include "core/sized.h"
#include "io/model.h"

CDNI_DEF(spec_solver, .timestep = 0.002, .iterations = 100, .ls_iterations = 50, .tolerance = 1e-8,
         .ls_tolerance = 0.01, .noslip_tolerance = 1e-6, .impratio = 1, .refsafe = true, .eulerdamp = true);

const char *io_check_solver(const cdn_spec_solver *s) {
  const double positive[] = { s->timestep, s->impratio },
               rest[] = { s->tolerance, s->ls_tolerance, s->noslip_tolerance };
  if (!cdni_all_finite(positive, CDNI_COUNT(positive), NULL) || !cdni_all_finite(rest, CDNI_COUNT(rest), NULL))
    return "a number of the solver is NaN or infinite";
  if (!(s->timestep > 0)) return "the time step must be above 0";
  if (!(s->impratio > 0)) return "impratio must be above 0";
  for (int i = 0; i < CDNI_COUNT(rest); i++)
    if (rest[i] < 0) return "a tolerance of the solver must not be negative";
  if (s->iterations < 0 || s->ls_iterations < 0 || s->noslip_iterations < 0)
    return "a number of iterations must not be negative";
  if ((unsigned)s->integrator > CDN_SPEC_IMPLICITFAST || (unsigned)s->cone > CDN_SPEC_ELLIPTIC ||
      (unsigned)s->solver > CDN_SPEC_PGS)
    return "its integrator, cone or solver is none that there is";
  return NULL;
}

cdn_status cdn_spec_get_solver_sized(const cdn_spec *spec, cdn_spec_solver *out, size_t size) {
  const uint32_t struct_size = (uint32_t)size;
  cdni_sized_write(out, size, spec ? &spec->whole.solver : &spec_solver_defaults, sizeof *out);
  if (out && size >= sizeof struct_size) memcpy(out, &struct_size, sizeof struct_size);
  if (spec && out) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, "cdn_spec_get_solver", "the spec, or where its solver shall go, is NULL");
}

cdn_status cdn_spec_set_solver(cdn_spec *spec, const cdn_spec_solver *def) {
  static const char function[] = "cdn_spec_set_solver";
  if (!spec) return cdni_refuse(CDN_ERR_ARG, function, "the spec is NULL");
  cdn_spec_solver known;
  const char *wrong = def ? read_spec_solver(&known, def) : "no def is given: start with cdn_default_spec_solver()";
  if (wrong) return cdni_error_set(&spec->log.error, def ? CDN_ERR_VERSION : CDN_ERR_ARG, function, NULL, "%s", wrong);
  if ((wrong = io_check_solver(&known)))
    return cdni_error_set(&spec->log.error, strstr(wrong, "NaN") ? CDN_ERR_NONFINITE : CDN_ERR_ARG, function, NULL,
                          "%s", wrong);
  spec->whole.solver = known, spec->whole.has_solver = true;
  return CDN_OK;
}

cdn_status cdn_model_steps_of_file(cdn_model *model, cdn_method *method, double *step) {
  static const char function[] = "cdn_model_steps_of_file";
  static const cdn_method methods[] = { [CDN_SPEC_EULER] = CDN_METHOD_MUJOCO_EULER,
                                        [CDN_SPEC_RK4] = CDN_METHOD_MUJOCO_RK4,
                                        [CDN_SPEC_IMPLICIT] = CDN_METHOD_MUJOCO_IMPLICIT,
                                        [CDN_SPEC_IMPLICITFAST] = CDN_METHOD_MUJOCO_IMPLICIT_FAST };
  if (!model || !model->spec) return cdni_refuse(CDN_ERR_ARG, function, "there is no model, or it has no spec");
  const cdn_spec_solver *file = &model->spec->whole.solver;
  if (!model->spec->whole.has_solver)
    return cdni_error_set(
        &model->error, CDN_ERR_UNSUPPORTED, function, NULL,
        "%s: the file does not say how steps are taken, as MJCF's <option> does: choose a method and a "
        "step",
        model->spec->log.file);
  const bool plain = file->integrator == CDN_SPEC_EULER && !file->eulerdamp;
  if (method) *method = plain ? CDN_METHOD_SEMI_EXPLICIT_EULER : methods[file->integrator];
  if (step) *step = file->timestep;
  return CDN_OK;
}

void io_interactive_steps(cdn_model *model, const cdn_system *system, cdn_method *method, double *step) {
  static const double usual = 0.002; /* MuJoCo's, too */
  const bool has_own = model && model->spec && model->spec->whole.has_solver;
  const bool is_stiff = cdn_system_shape_count(system) > 0 && cdn_system_contact_model(system) != CDN_CONTACT_SOFT;
  *step = has_own ? model->spec->whole.solver.timestep : usual;
  *method = is_stiff ? CDN_METHOD_IMPLICIT_CONTACT : CDN_METHOD_MUJOCO_IMPLICIT_FAST;
}
