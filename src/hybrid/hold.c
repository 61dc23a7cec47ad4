/* Speeds that are brought to rest, by impulses: that takes energy, and the least change of momentum. */
#include <float.h>
#include <math.h>

#include "hybrid/moment.h"
#include "matter/operators.h"

/* The speeds u0 = u - w that a projection has found hold the constraints, but impulses come to others, which are the
 * nearest in M and gain no energy: u0 + P w, where P w are the accelerations from forces M w. */
static cdn_status go_by_impulses(moment *m, double *w) {
  const size_t nu = (size_t)m->nu, first = (size_t)m->first_u;
  double *f = w + nu;
  const double *u = cdn_state_u(m->state);
  bool any = false;
  for (size_t k = 0; k < nu; k++) {
    w[k] = m->x[first + k] - u[first + k];
    any = any || w[k] != 0;
  }
  if (!any || !cdni_constraint_any_enabled(m->room->constraints, m->state)) return CDN_OK;
  CDNI_TRY(cdn_realize(m->state, CDN_STAGE_VELOCITY));
  CDNI_TRY(cdn_multiply_by_M(m->state, w, f));
  CDNI_TRY(cdni_constraint_solve_columns(m->room->constraints, m->state, 1, 1, f, m->free_lambda));
  memcpy(m->x, cdn_state_u(m->state), (size_t)m->all_nu * sizeof *m->x);
  for (size_t k = 0; k < nu; k++) m->x[first + k] += f[k];
  return cdn_state_set_u(m->state, m->x);
}

/* The impulses that bring slips to rest are those of friction, which takes a time for that. */
static void note_stopping(moment *m) {
  for (int i = 0; i < hybrid_frictions(m->room); i++) {
    const constraint_element *e = constraint_at(m->room->constraints, friction_at(m->room, i)->slip);
    const cone *c = m->friction_cone[i] >= 0 ? &m->cones[m->friction_cone[i]] : NULL;
    double impulse = 0;
    for (int k = 0; k < e->m; k++) impulse = hypot(impulse, m->free_lambda[e->row + k]);
    if (!c || impulse == 0) continue;
    const double most = c->base_dynamic + (c->normal >= 0 ? c->mu_dynamic * m->p[c->normal] : 0);
    m->stopping = fmax(m->stopping, impulse / fmax(most, DBL_MIN));
  }
}

cdn_status cdni_moment_project(moment *m) {
  cdn_projection_def exactly = cdn_default_projection_def();
  exactly.always = true;
  double *w = cdn_work_push(m->state, 2 * (size_t)m->nu * sizeof *w + 1);
  if (!w) return cdni_state_fail(m->state, CDN_ERR_NOMEM, false, "cdn_settle", NULL, "out of memory");
  memcpy(m->x, cdn_state_u(m->state), (size_t)m->all_nu * sizeof *m->x);
  cdn_status status = cdn_project_u(m->state, &exactly, NULL);
  memset(m->free_lambda, 0, (size_t)m->equations * sizeof *m->free_lambda);
  if (status == CDN_OK) status = go_by_impulses(m, w);
  note_stopping(m);
  cdn_work_pop(m->state, w);
  return status;
}

bool cdni_moment_stops_too_much(const moment *m, const double *before) {
  const double *u = cdn_state_u(m->state);
  bool much = false;
  for (int i = 0; i < m->all_nu; i++) much = much || fabs(u[i] - before[i]) > m->accuracy * fmax(1, fabs(before[i]));
  return much && m->equal == 0 && m->stopping > m->accuracy && m->slow > cdni_moment_at_rest(m);
}
