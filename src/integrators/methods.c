/* Which method a def asks for. */
#include "constraints/project.h"
#include "contact/contact.h"
#include "integrators/method.h"

const char *cdn_method_name(cdn_method method) {
  static const char *const names[] = {
    [CDN_METHOD_DEFAULT] = "default",
    [CDN_METHOD_MERSON] = "merson",
    [CDN_METHOD_DORMAND_PRINCE] = "dormand-prince",
    [CDN_METHOD_BOGACKI_SHAMPINE] = "bogacki-shampine",
    [CDN_METHOD_FEHLBERG] = "fehlberg",
    [CDN_METHOD_DORMAND_PRINCE_8] = "dormand-prince-8",
    [CDN_METHOD_ADAMS] = "adams",
    [CDN_METHOD_VERLET] = "verlet",
    [CDN_METHOD_SEMI_EXPLICIT_EULER] = "semi-explicit-euler",
    [CDN_METHOD_SEMI_EXPLICIT_EULER_2] = "semi-explicit-euler-2",
    [CDN_METHOD_EXPLICIT_EULER] = "explicit-euler",
    [CDN_METHOD_TRAPEZOID] = "trapezoid",
    [CDN_METHOD_CVODE_BDF] = "cvode-bdf",
    [CDN_METHOD_CVODE_ADAMS] = "cvode-adams",
    [CDN_METHOD_IDA] = "ida",
    [CDN_METHOD_MUJOCO_EULER] = "mujoco-euler",
    [CDN_METHOD_MUJOCO_IMPLICIT] = "mujoco-implicit",
    [CDN_METHOD_MUJOCO_IMPLICIT_FAST] = "mujoco-implicit-fast",
    [CDN_METHOD_MUJOCO_MIDPOINT] = "mujoco-midpoint",
    [CDN_METHOD_MUJOCO_RK4] = "mujoco-rk4",
    [CDN_METHOD_IMPLICIT_CONTACT] = "implicit-contact",
  };
  _Static_assert(CDNI_COUNT(names) == CDN_METHOD_COUNT, "each method has a name");
  return (int)method >= 0 && (int)method < CDNI_COUNT(names) ? names[method] : NULL;
}

bool cdn_method_is_available(cdn_method method) {
  const cdni_method *m = cdni_choose_method(&(cdn_stepper_def){ .method = method }, NULL);
  return m && m->attempt;
}

bool cdn_method_needs_fixed_step(cdn_method method) {
  const cdni_method *m = cdni_choose_method(&(cdn_stepper_def){ .method = method }, NULL);
  return m && m->equal_steps;
}

/* Every step is projected where there are constraints, so fewer and longer ones are cheaper, and projection takes
 * from the errors of a one-step method what a history does not see (figures: docs/evidence/benchmarks.md). Not where
 * shapes may touch: contact costs more than projection, and its kinks end long steps. */
static bool long_steps_pay(const cdn_system *system) {
  return system && cdni_projects(system) && !cdni_contact_any_compliant(cdni_contact(system));
}

const cdni_method *cdni_choose_method(const cdn_stepper_def *def, const cdn_system *system) {
  switch (def->method) {
    case CDN_METHOD_DEFAULT:
      /* equal steps say nothing to a method that finds its order by its errors */
      if (def->fixed_step > 0) return &cdni_dormand_prince;
      return long_steps_pay(system) ? &cdni_dormand_prince_8 : &cdni_adams;
    case CDN_METHOD_DORMAND_PRINCE: return &cdni_dormand_prince;
    case CDN_METHOD_MERSON: return &cdni_merson;
    case CDN_METHOD_BOGACKI_SHAMPINE: return &cdni_bogacki_shampine;
    case CDN_METHOD_FEHLBERG: return &cdni_fehlberg;
    case CDN_METHOD_DORMAND_PRINCE_8: return &cdni_dormand_prince_8;
    case CDN_METHOD_ADAMS: return &cdni_adams;
    case CDN_METHOD_VERLET: return &cdni_verlet;
    case CDN_METHOD_SEMI_EXPLICIT_EULER: return &cdni_semi_explicit_euler;
    case CDN_METHOD_SEMI_EXPLICIT_EULER_2: return &cdni_semi_explicit_euler_2;
    case CDN_METHOD_EXPLICIT_EULER: return &cdni_explicit_euler;
    case CDN_METHOD_TRAPEZOID: return &cdni_trapezoid;
    case CDN_METHOD_CVODE_BDF: return &cdni_cvode_bdf;
    case CDN_METHOD_CVODE_ADAMS: return &cdni_cvode_adams;
    case CDN_METHOD_IDA: return &cdni_ida;
    case CDN_METHOD_MUJOCO_EULER: return &cdni_mujoco_euler;
    case CDN_METHOD_MUJOCO_IMPLICIT: return &cdni_mujoco_implicit;
    case CDN_METHOD_MUJOCO_IMPLICIT_FAST: return &cdni_mujoco_implicit_fast;
    case CDN_METHOD_MUJOCO_MIDPOINT: return &cdni_mujoco_midpoint;
    case CDN_METHOD_MUJOCO_RK4: return &cdni_mujoco_rk4;
    case CDN_METHOD_IMPLICIT_CONTACT: return &cdni_implicit_contact;
    case CDN_METHOD_COUNT: break;
  }
  return NULL;
}
