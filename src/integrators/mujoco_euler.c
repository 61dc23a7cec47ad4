/* Semi-implicit Euler: new speeds first, by accelerations that count how forces change with them; then coordinates by
 * the new speeds. The methods differ in the forces whose change counts. One evaluation a step. */
#include <math.h>

#include "dynamics/dynamics.h"
#include "integrators/fixed.h"
#include "integrators/stepper.h"
#include "system/system.h"

static size_t memory(const cdni_method *method, int ny) {
  (void)method;
  return cdni_stride(ny);
}

static cdn_status attempt(cdn_stepper *s) {
  cdni_step *step = &s->step;
  const int nq = s->nq, nu = s->nu;
  const euler_kind *kind = s->method->data;
  double *a = s->memory, *u1 = step->y1 + nq;
  CDNI_TRY(cdni_fixed_start(s));
  CDNI_TRY(cdni_dynamics_damp(s->work, "cdn_stepper_advance", kind->damping, step->h, a));
  for (int i = 0; i < nu; i++) u1[i] = step->y0[nq + i] + step->h * a[i];
  for (int i = nq + nu; i < s->ny; i++)
    step->y1[i] = step->y0[i] + cdni_fixed_z_step(s->system, i - nq - nu, step->h) * step->f0[i];
  CDNI_TRY(cdni_fixed_move(s, step->h, step->y0, u1, step->y1));
  if (kind->lone_bodies) CDNI_TRY(cdni_fixed_lone_bodies(s, a));
  return cdni_fixed_arrive(s);
}

static const euler_kind joints = { STEP_JOINTS, false }, forces = { STEP_FORCES, false }, all = { STEP_ALL, false },
                        midpoint = { STEP_FORCES, true };

#define EULER(method_name, of)                                                                  \
  {                                                                                             \
    .name = method_name, .order = 1, .equal_steps = true, .memory = memory, .attempt = attempt, \
    .interpolate = cdni_hermite, .slope = cdni_hermite_slope, .data = &of                       \
  }
const cdni_method cdni_mujoco_euler = EULER("Euler with implicit damping of joints", joints);
const cdni_method cdni_mujoco_implicit_fast = EULER("Euler, implicit in the velocities of forces", forces);
const cdni_method cdni_mujoco_implicit = EULER("Euler, implicit in velocities", all);
const cdni_method cdni_mujoco_midpoint =
    EULER("Euler, implicit in the velocities of forces, lone bodies by the midpoint", midpoint);

cdn_status cdni_euler_of(cdn_state *state, const char *function, const char *what, cdn_method method, double h,
                         const euler_kind **kind) {
  const cdni_method *chosen = cdni_choose_method(&(cdn_stepper_def){ .method = method, .fixed_step = h }, NULL);
  const bool damped =
      chosen == &cdni_mujoco_euler || chosen == &cdni_mujoco_implicit || chosen == &cdni_mujoco_implicit_fast;
  if (!(h > 0) || !isfinite(h))
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "the step is %g: it must be positive and finite",
                           h);
  if (!damped && chosen != &cdni_semi_explicit_euler)
    return cdni_state_fail(
        state, CDN_ERR_UNSUPPORTED, false, function, NULL,
        "%s has no %s: take mujoco-euler, mujoco-implicit, mujoco-implicit-fast or semi-explicit-euler",
        chosen ? chosen->name : "a method of this number", what);
  *kind = damped ? chosen->data : NULL;
  return CDN_OK;
}
