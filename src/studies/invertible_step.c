/* Steps that set velocities, with restitution by Poisson's hypothesis over several steps. */
#include "matter/operators.h"
#include "studies/invertible.h"

/* ---- restitution ---- */

static closing *find_closing(cdn_invertible_motion *motion, const contact_within *p) {
  for (size_t i = 0; i < motion->closings.count; i++) {
    closing *c = &CDNI_AT(motion->closings, closing, i);
    if (c->a == p->a && c->b == p->b && c->feature == p->feature) return c;
  }
  return NULL;
}

/* Adds impulses up; where a contact closes no more, writes what comes back into `back`. Returns whether any does. */
static cdn_status collect(cdn_invertible_motion *motion, const double *before, double *back, bool *any) {
  contact_rows *rows = &motion->rows;
  const int limits = rows->problem.n_limits;
  *any = false;
  memset(back, 0, (size_t)rows->n * sizeof *back);
  for (size_t i = 0; i < motion->closings.count; i++) CDNI_AT(motion->closings, closing, i).seen = false;
  for (int i = 0; i < rows->problem.n_contacts; i++) {
    const contact_within *p = &rows->points[i];
    const int row = limits + 3 * i;
    closing *c = find_closing(motion, p);
    if (!c && before[row + 2] < -motion->def.bounce_speed) {
      const closing fresh = { p->a, p->b, p->feature, -before[row + 2], { 0 }, true };
      c = cdni_array_push(&motion->allocator, &motion->closings, sizeof fresh, &fresh);
      if (!c) return CDN_ERR_NOMEM;
    }
    if (!c) continue;
    c->seen = true;
    c->speed = fmax(c->speed, -before[row + 2]);
    for (int k = 0; k < 3; k++) c->sum[k] += rows->f[row + k];
    if (rows->v[row + 2] < -0.02 * c->speed) continue;
    for (int k = 0; k < 3; k++) back[row + k] = motion->def.restitution * c->sum[k];
    c->seen = false;
    *any = true;
  }
  size_t kept = 0;
  for (size_t i = 0; i < motion->closings.count; i++) {
    const closing c = CDNI_AT(motion->closings, closing, i);
    if (c.seen) CDNI_AT(motion->closings, closing, kept++) = c;
  }
  motion->closings.count = kept;
  return CDN_OK;
}

/* ---- the impulses of one step ---- */

static cdn_status forward(cdn_invertible_motion *motion, double *f) {
  contact_rows *rows = &motion->rows;
  const cdn_status status = cdn_invertible_forward(motion->solver, &rows->problem, rows->c, NULL, f, rows->v);
  cdn_invertible_report last;
  CDNI_TRY(cdn_invertible_get_report(motion->solver, &last));
  last.iterations += motion->report.iterations, last.phases += motion->report.phases;
  motion->report = last;
  /* with what there is: a step must be taken */
  return status == CDN_ERR_CONSTRAINT || status == CDN_ERR_LIMIT ? CDN_OK : status;
}

/* What comes back presses on all contacts, which a second solution holds apart. */
static cdn_status bounce(cdn_invertible_motion *motion) {
  contact_rows *rows = &motion->rows;
  const int n = rows->n;
  bool any;
  CDNI_TRY(collect(motion, rows->before, rows->back, &any));
  if (!any) return CDN_OK;
  for (int i = 0; i < n; i++) rows->back[i] += rows->f[i];
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += rows->A[i * n + j] * rows->back[j];
    rows->c[i] += sum;
  }
  CDNI_TRY(forward(motion, rows->f));
  for (int i = 0; i < n; i++) rows->f[i] += rows->back[i];
  return CDN_OK;
}

static cdn_status solve(cdn_invertible_motion *motion, const double *u, const double *free_u) {
  contact_rows *rows = &motion->rows;
  motion->report = (cdn_invertible_report){ .worst = -1 };
  CDNI_TRY(cdni_contact_rows_find(motion, motion->state, &motion->law, rows));
  if (rows->n == 0) {
    motion->closings.count = 0;
    return CDN_OK;
  }
  CDNI_TRY(cdni_contact_rows_weigh(motion, motion->state, rows));
  cdni_contact_rows_multiply(rows, rows->J, motion->nu, u, rows->before);
  cdni_contact_rows_multiply(rows, rows->J, motion->nu, free_u, rows->c);
  CDNI_TRY(forward(motion, rows->f));
  return motion->def.restitution > 0 ? bounce(motion) : CDN_OK;
}

/* ---- a step ---- */

static cdn_status step(cdn_invertible_motion *motion) {
  cdn_state *state = motion->state;
  const double h = motion->def.step, t = cdn_state_time(state);
  const size_t nq = (size_t)motion->nq, nu = (size_t)motion->nu, nz = (size_t)motion->nz;
  double *u = motion->vector, *free_u = u + nu, *q = free_u + nu, *z = q + nq;
  CDNI_TRY(cdn_prescribe(state, NULL));
  CDNI_TRY(cdn_realize(state, CDN_STAGE_ACCELERATION));
  const double *udot = cdn_state_udot(state), *zdot = nz ? cdn_state_zdot(state) : NULL;
  if (!udot || (nz && !zdot)) return cdni_state_last_status(state);
  memcpy(u, cdn_state_u(state), nu * sizeof *u);
  for (size_t k = 0; k < nu; k++) free_u[k] = u[k] + h * udot[k];
  for (size_t k = 0; k < nz; k++) z[k] = cdn_state_z(state)[k] + h * zdot[k];
  CDNI_TRY(solve(motion, u, free_u));
  if (motion->rows.n > 0)
    cdni_contact_rows_add_transpose(&motion->rows, motion->rows.MJ, motion->nu, 1, motion->rows.f, free_u);

  CDNI_TRY(cdn_state_set_u(state, free_u));
  const double *qdot = cdn_state_qdot(state);
  if (!qdot) return cdni_state_last_status(state);
  for (size_t k = 0; k < nq; k++) q[k] = cdn_state_q(state)[k] + h * qdot[k];
  cdni_state_normalize_q(state, q, NULL);
  CDNI_TRY(cdn_state_set_time(state, t + h));
  CDNI_TRY(cdn_state_set_q(state, q));
  if (nz) CDNI_TRY(cdn_state_set_z(state, z));
  CDNI_TRY(cdn_prescribe(state, NULL));
  if (cdn_system_constraint_count(motion->system) == 0) return CDN_OK;
  cdn_projection_def tight = cdn_default_projection_def();
  tight.tolerance = 1e-10;
  CDNI_TRY(cdn_project_q(state, &tight, NULL));
  return cdn_project_u(state, &tight, NULL);
}

cdn_status cdn_invertible_motion_advance(cdn_invertible_motion *motion, int steps) {
  CDNI_NEED_OBJECT(motion, CDN_ERR_ARG);
  if (steps < 0)
    return cdni_state_fail(motion->state, CDN_ERR_ARG, false, __func__, NULL, "steps is %d: give a number >= 0", steps);
  for (int i = 0; i < steps; i++) {
    CDNI_TRY(cdn_state_copy(motion->scratch, motion->state));
    const cdn_status status = step(motion);
    if (status == CDN_OK) continue;
    cdn_error error;
    cdn_last_error(&error);
    CDNI_TRY(cdn_state_copy(motion->state, motion->scratch));
    motion->rows.n = motion->rows.normals = 0;
    if (status == CDN_ERR_NOMEM) return cdni_motion_no_memory(motion, __func__);
    return cdni_state_fail(motion->state, status, error.recoverable, __func__, error.element[0] ? error.element : NULL,
                           "%s", error.text);
  }
  return CDN_OK;
}
