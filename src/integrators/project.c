/* Projection during a run (10.1): every State that a run stops at or reports satisfies its constraints within the
 * tolerance. The projection is the smallest change in the norm that measures errors; it also removes that part of
 * the error. */
#include <float.h>
#include <math.h>

#include <cardan/constraints.h>
#include <cardan/matter.h>

#include "constraints/project.h"
#include "integrators/certificate.h"
#include "integrators/project.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "system/system.h"

double cdni_normalize(cdn_stepper *s, double *y) {
  double *q = s->scratch;
  if (s->nq == 0) return 0;
  memcpy(q, y, sizeof(double) * (size_t)s->nq);
  for (int i = 0; i < s->nq; i++) s->scale[i] = 1;
  double error = cdni_state_normalize_q(s->work, q, s->scale);
  if (error > 4 * DBL_EPSILON) {
    memcpy(y, q, sizeof(double) * (size_t)s->nq);
    return error;
  }
  for (int i = 0; i < s->nq; i++) s->scale[i] = 1;
  return 0;
}

/* A few iterations: from further away a shorter step is the better way. */
static cdn_projection_def how(const cdn_stepper *s, const double *weights, cdni_when when) {
  cdn_projection_def def = cdn_default_projection_def();
  def.tolerance = s->def.constraint_tolerance;
  def.time_scale = s->def.time_scale;
  def.most_iterations = 8;
  def.u_weights = weights;
  def.always = when == CDNI_ALWAYS;
  return def;
}

cdn_status cdni_project_q(cdn_stepper *s, cdn_state *state, cdni_when when, bool *moved) {
  if (!s->projector) return CDN_OK;
  const cdn_projection_def def = how(s, s->def.q_weights, when);
  return cdni_projector_q(s->projector, state, &def, moved);
}

cdn_status cdni_project_u(cdn_stepper *s, cdn_state *state, cdni_when when, bool *moved) {
  if (!s->projector) return CDN_OK;
  const cdn_projection_def def = how(s, s->def.u_weights, when);
  return cdni_projector_u(s->projector, state, &def, moved);
}

cdn_status cdni_project(cdn_stepper *s, cdn_state *state, double t, double *y, cdni_when when) {
  bool moved = false;
  /* a y that is not finite is refused by the State, which names the slot */
  if (cdni_all_finite(y, (size_t)s->ny, NULL)) cdni_normalize(s, y);
  CDNI_TRY(cdn_state_set_ty(state, t, y));
  CDNI_TRY(cdni_prescribe_values(s, state, y));
  CDNI_TRY(cdni_project_q(s, state, when, &moved));
  CDNI_TRY(cdni_project_u(s, state, when, &moved));
  if (moved) memcpy(y, cdni_state_y(state), sizeof(double) * (size_t)s->ny);
  return CDN_OK;
}

cdn_status cdni_project_rates(cdn_stepper *s, cdn_state *state) {
  bool moved;
  CDNI_TRY(cdni_project_q(s, state, CDNI_ALWAYS, &moved));
  return cdni_project_u(s, state, CDNI_ALWAYS, &moved);
}

cdn_status cdni_project_estimate(cdn_stepper *s, double *e) {
  if (!s->projector) return CDN_OK;
  for (int i = 0; s->n_prescribed_q + s->n_prescribed_u && i < s->nq + s->nu; i++) e[i] = s->prescribed[i] ? 0 : e[i];
  return cdni_projector_estimate(s->projector, s->work, e, e + s->nq);
}

/* ---- starting ---- */

/* Errors, in units, up to which a State is meant to satisfy its constraints: a projection then only trims it. */
static const double NEAR = 1e-2;
/* Accelerations of redundant equations, in units over the time scale squared, up to which they follow from the
 * others. */
static const double FOLLOWS = 1e-4;

/* The name of the joint with a motion or lock that has the largest entry in the constraint's rows of G. NULL if
 * there is no such joint, or no memory to find it. */
static const char *prescribed_joint(cdn_stepper *s, const char *constraint) {
  const size_t nu = (size_t)s->nu, m = (size_t)cdn_system_nudoterr(s->system);
  const bool *prescribed = s->prescribed + s->nq;
  const char *joint = NULL;
  double most = 0, *G = cdn_work_push(s->work, (m * nu + 1) * sizeof *G);
  cdn_constraint_equations e = { 0 };
  for (int c = 0; c < cdn_system_constraint_count(s->system); c++)
    if (cdn_constraint_name(s->system, (cdn_constraint){ c }) == constraint)
      e = cdn_constraint_get_equations(s->system, (cdn_constraint){ c });
  if (G && s->n_prescribed_u > 0 && cdn_calc_G(s->work, G) == CDN_OK) {
    for (int b = 1; b < cdn_system_body_count(s->system); b++) {
      const int first = cdn_body_first_u(s->system, (cdn_body){ b });
      for (int k = first; k < first + cdn_body_nu(s->system, (cdn_body){ b }); k++) {
        for (int row = e.row; prescribed[k] && row < e.row + e.np + e.nv; row++) {
          const double part = fabs(G[(size_t)row * nu + (size_t)k]);
          if (part > most) most = part, joint = cdn_body_mobilizer_name(s->system, (cdn_body){ b });
        }
      }
    }
  }
  cdn_work_pop(s->work, G);
  return joint;
}

/* Refuses values that are far off. If motions and locks leave no free coordinate that could satisfy the constraint,
 * assembling would not help, and the message says so. */
static cdn_status refuse_what_is_off(cdn_stepper *s, const char *name, double error, bool speeds) {
  bool moved = false;
  const char *joint = prescribed_joint(s, name), *what = speeds ? "velocities" : "positions";
  cdn_status status = !joint   ? CDN_OK
                      : speeds ? cdni_project_u(s, s->work, CDNI_WHERE_OFF, &moved)
                               : cdni_project_q(s, s->work, CDNI_WHERE_OFF, &moved);
  if (status == CDN_ERR_CONSTRAINT)
    return cdni_state_fail(s->work, CDN_ERR_CONSTRAINT, false, "cdn_stepper_advance", name,
                           "at t = %.17g the motion or lock of joint '%s' and constraint '%s' contradict each other: "
                           "%s are off by %g units. Release one of them, or start where both hold",
                           s->t, joint, name, what, error);
  return cdni_state_fail(s->work, CDN_ERR_CONSTRAINT, false, "cdn_stepper_advance", name,
                         "at t = %.17g the %s violate constraint '%s' by %g units, too much for a start: %s", s->t,
                         what, name, error,
                         speeds ? "assemble them first, or call cdn_project_u" : "assemble the State first");
}

cdn_status cdni_project_start(cdn_stepper *s) {
  const double near = fmax(NEAR, 10 * s->def.constraint_tolerance);
  double *y = s->y[s->at];
  cdni_constraint_worst now;
  bool moved = false;
  if (s->ny) memcpy(y, cdni_state_y(s->work), sizeof(double) * (size_t)s->ny);
  if (cdni_quaternion_error(s, y) > s->def.constraint_tolerance && cdni_normalize(s, y) > 0)
    CDNI_TRY(cdn_state_set_ty(s->work, s->t, y));
  if (!s->projector) return CDN_OK;
  CDNI_TRY(cdni_constraint_errors(s->work, s->def.time_scale, &now));
  if (!(now.position <= near)) return refuse_what_is_off(s, now.of_position, now.position, false);
  CDNI_TRY(cdni_project_q(s, s->work, CDNI_WHERE_OFF, &moved));
  CDNI_TRY(cdni_constraint_errors(s->work, s->def.time_scale, &now));
  if (!(now.velocity <= near)) return refuse_what_is_off(s, now.of_velocity, now.velocity, true);
  return cdni_project_u(s, s->work, CDNI_WHERE_OFF, &moved);
}

cdn_status cdni_project_start_rates(cdn_stepper *s) {
  const double T = s->def.time_scale, *u = s->y[s->at] + s->nq, *udot = s->f[s->at] + s->nq;
  cdni_constraint_worst now;
  char who[160];
  double size, motion = 1;
  int constraint = 0;
  if (!s->projector) return CDN_OK;
  CDNI_TRY(cdni_constraint_contradiction(s->work, T, &size, &constraint));
  if (size <= FOLLOWS) return CDN_OK;
  /* errors within the tolerance turn with the mechanism */
  for (int i = 0; i < s->nu; i++) motion = fmax(motion, fmax(u[i] * u[i], fabs(udot[i])) * T * T);
  CDNI_TRY(cdni_constraint_errors(s->work, T, &now));
  if (size <= FOLLOWS + 10 * (now.position + now.velocity) * motion) return CDN_OK;
  cdni_constraint_name(s->work, constraint, who, sizeof who);
  return cdni_state_fail(s->work, CDN_ERR_CONSTRAINT, false, "cdn_stepper_advance",
                         cdn_constraint_name(s->system, (cdn_constraint){ constraint }),
                         "at t = %.17g the State is at a singular pose: equations of %s are dependent, and the speeds "
                         "lead along none of the ways that the mechanism can go from there. Start beside the pose, or "
                         "with speeds along one of the ways",
                         s->t, who);
}
