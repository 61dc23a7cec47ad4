/* Projection in time (10.1): every State that a run stands at, or shows, satisfies its constraints to within the tolerance.
 * It is brought there by the smallest change in the norm by which errors are measured, which takes errors away. */
#include "integrators/internal.h"

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
  CDNI_TRY(cdni_settle(s, state, y));
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

static cdn_status refuse(const cdn_stepper *s, const char *name, double error, const char *what, const char *remedy) {
  return cdni_state_fail(s->work, CDN_ERR_CONSTRAINT, false, "cdn_stepper_advance", name,
                         "at t = %.17g the %s violate constraint '%s' by %g units, too much for a start: %s", s->t,
                         what, name, error, remedy);
}

/* Positions that are far off. Where q is prescribed and what is left free cannot satisfy the constraints, assembling is no help. */
static cdn_status refuse_positions(cdn_stepper *s, const cdni_constraint_worst *now) {
  char coordinate[128] = "";
  bool moved = false;
  int first = 0;
  while (first < s->nq && !s->prescribed[first]) first++;
  if (first < s->nq && cdni_project_q(s, s->work, CDNI_WHERE_OFF, &moved) == CDN_ERR_CONSTRAINT) {
    cdn_system_slot_name(s->system, CDN_POOL_Q, first, coordinate, sizeof coordinate);
    return cdni_state_fail(
        s->work, CDN_ERR_CONSTRAINT, false, "cdn_stepper_advance", now->of_position,
        "at t = %.17g the motion or lock of coordinate '%s'%s and constraint '%s' contradict each other, by "
        "%g units: release one of them, or start where both hold",
        s->t, coordinate, s->n_prescribed_q > 1 ? " (one of several that are prescribed)" : "", now->of_position,
        now->position);
  }
  return refuse(s, now->of_position, now->position, "positions", "assemble the State first");
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
  if (!(now.position <= near)) return refuse_positions(s, &now);
  CDNI_TRY(cdni_project_q(s, s->work, CDNI_WHERE_OFF, &moved));
  CDNI_TRY(cdni_constraint_errors(s->work, s->def.time_scale, &now));
  if (!(now.velocity <= near))
    return refuse(s, now.of_velocity, now.velocity, "velocities", "assemble them first, or call cdn_project_u");
  return cdni_project_u(s, s->work, CDNI_WHERE_OFF, &moved);
}
