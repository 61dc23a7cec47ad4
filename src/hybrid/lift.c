/* Puts on their surfaces what overlaps, after a captured step: by the least displacement in the metric of masses that
 * leaves no overlap, so the middle of mass stays. As impulses on speeds do that with one set of contacts, displacements
 * do it with the same answer of the System, and gaps in place of speeds. Nothing that only touches is lifted. */
#include "hybrid/crowd.h"

#include <math.h>

/* Overlaps below this are rounding, m or rad. */
static const double EXACT = 1e-13;
/* Gaps that are so many times as wide as the deepest overlap are no obstacle. */
static const double FAR = 10;
/* Gaps bend: each round leaves about the square of the overlap. */
enum { ROUNDS = 4 };

/* The rows of gaps that are less wide than so much; what a gap is goes to b. Returns the least gap. */
static cdn_status arrange(moment *m, double below, double *least) {
  const hybrid_room *room = m->room;
  m->rows = m->n_cones = 0;
  *least = 0;
  for (int i = 0; i < hybrid_frictions(room); i++) m->friction_cone[i] = -1;
  for (int i = 0; i < hybrid_sides(room); i++) {
    double gap;
    m->side_cone[i] = -1;
    if (side_at(room, i)->speed || !side_is_there(room, m->state, i)) continue;
    CDNI_TRY(cdn_calc_constraint_perr(m->state, (cdn_constraint){ side_at(room, i)->constraint }, &gap));
    gap *= side_at(room, i)->sign;
    *least = fmin(*least, gap);
    if (!(gap < below)) continue;
    m->side_cone[i] = m->n_cones;
    m->b[m->rows] = gap;
    m->cones[m->n_cones++] = (cone){ .normal = m->rows++, .tangent = -1, .closed = gap < 0 };
  }
  return CDN_OK;
}

/* q + N times the displacement of all pushes. */
static cdn_status displace(moment *m) {
  cdn_state *state = m->state;
  const int nq = cdn_system_nq(cdn_state_system(state));
  cdn_projection_def def = cdn_default_projection_def();
  memset(m->x, 0, (size_t)m->all_nu * sizeof *m->x);
  for (int r = 0; r < m->rows; r++) cdni_sparse_add_to(&m->X, r, m->p[r], m->x + m->first_u);
  double *q = cdn_work_push(state, 2 * (size_t)nq * sizeof *q), *by = q + nq;
  if (!q) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_stepper_advance", NULL, "out of memory");
  cdn_status status = cdn_multiply_by_N(state, m->x, by);
  for (int i = 0; i < nq && status == CDN_OK; i++) q[i] = cdn_state_q(state)[i] + by[i];
  if (status == CDN_OK) status = cdn_state_set_q(state, q);
  cdn_work_pop(state, q);
  if (status == CDN_OK) status = cdn_project_q(state, &def, NULL);
  return status == CDN_OK ? cdn_realize(state, CDN_STAGE_VELOCITY) : status;
}

cdn_status cdni_moment_lift(moment *m, double *deepest, cdn_hybrid_totals *totals) {
  double before, after, least;
  CDNI_TRY(cdn_realize(m->state, CDN_STAGE_VELOCITY));
  CDNI_TRY(arrange(m, 0, &least));
  *deepest = -least;
  if (least >= -EXACT) return CDN_OK;
  CDNI_TRY(cdn_potential_energy(m->state, &before));
  for (int k = 0; k < ROUNDS && least < -EXACT; k++) {
    CDNI_TRY(arrange(m, -FAR * least, &least));
    CDNI_TRY(cdni_moment_respond(m));
    (void)!cdni_moment_solve(m, true, NULL); /* where they cannot all be open, overlaps are as small as it gets */
    CDNI_TRY(displace(m));
    CDNI_TRY(arrange(m, 0, &least));
  }
  CDNI_TRY(cdn_potential_energy(m->state, &after));
  totals->lift_energy += after - before;
  return CDN_OK;
}
