/* Impact in two phases, as sets of cones: impulses that end the approach, and those that follow by the law of
 * restitution (8.56 to 8.62). Friction goes by the slip at the end of each phase. */
#include <math.h>

#include "hybrid/impact.h"

/* The least pushes of a phase: of compression zero, of expansion e times those of compression. */
static void set_floors(moment *m, double by) {
  for (int i = 0; i < m->n_cones; i++) {
    cone *c = &m->cones[i];
    c->slips = false;
    /* captured steps have a guess, which is that of the last one; so has what has jammed */
    const bool guessed = m->captures || m->jammed;
    if (!guessed) c->status = CONE_STICKS;
    if (c->normal < 0) continue;
    c->floor = by > 0 ? by * m->e[c->normal] * m->p[c->normal] : 0;
    if (!guessed || c->floor > 0) c->closed = !(c->floor > 0);
  }
}

/* Newton's law asks for speeds of separation, and captured steps allow an approach: the speed that the problem sees is
 * that much higher. */
static void ask_for_speeds(const moment *m, double by, double *to, double sign) {
  for (int r = 0; r < m->rows; r++) to[r] += sign * m->allowed[r];
  if (m->room->impact.law != CDN_IMPACT_NEWTON) return;
  for (int i = 0; i < m->n_cones; i++) {
    const int row = m->cones[i].normal;
    if (row >= 0) to[row] += sign * by * m->e[row] * fmin(0, m->v[row]);
  }
}

/* What captured steps leave of conditions, relative to the largest numbers: the next step has them again. */
static const double ROUGH = 1e-3;

/* Where pushes grow without end, as in a wedge that is locked, conditions are small beside them, but not beside speeds.
 */
static bool is_rough_answer(const moment *m) {
  double fastest = 0, approach = 0;
  for (int r = 0; r < m->rows; r++) fastest = fmax(fastest, fabs(m->b[r]));
  for (int i = 0; i < m->n_cones; i++)
    if (m->cones[i].normal >= 0) approach = fmax(approach, -m->w[m->cones[i].normal]);
  return m->captures && m->residual < ROUGH && approach <= ROUGH * fastest;
}

static cdn_status solve(moment *m) {
  if (!cdni_moment_solve_kept(m, true)) {
    /* speeds that are asked for contradict each other where an edge has two sides */
    if (!m->out_of_memory) CDNI_TRY(cdni_moment_contradicts(m, m->v));
    if (m->out_of_memory || !is_rough_answer(m))
      return cdni_moment_fails(m, cdni_matter_is_prescribed(m->room->matter, m->state)
                                      ? "no impulses end the impact; friction may lock it against what is driven"
                                      : "no impulses end the impact");
  }
  for (int r = 0; r < m->rows; r++) m->total[r] += m->p[r];
  return CDN_OK;
}

cdn_status cdni_impact_end(moment *m) {
  memcpy(m->b, m->w, (size_t)m->rows * sizeof *m->b);
  set_floors(m, 0);
  return solve(m);
}

/* What has jammed approaches in a time in which speeds change by this part of the largest. */
static const double SOON = 1e-6;

cdn_status cdni_impact_foresee(moment *m) {
  double fastest = 0, most = 0;
  for (int r = 0; r < m->rows; r++) fastest = fmax(fastest, fabs(m->v[r])), most = fmax(most, fabs(m->b[r]));
  for (int r = 0; r < m->rows && most > 0; r++) m->w[r] = m->v[r] + SOON * fastest / most * m->b[r];
  for (int i = 0; i < m->n_cones; i++) m->cones[i].closed = m->cones[i].normal >= 0, m->cones[i].status = CONE_STICKS;
  return cdni_impact_end(m);
}

cdn_status cdni_impact_by_phases(moment *m, double by) {
  bool expands = false;
  memcpy(m->w, m->v, (size_t)m->rows * sizeof *m->w);
  memset(m->total, 0, (size_t)m->rows * sizeof *m->total);
  memset(m->kept_total, 0, (size_t)hybrid_kept(m->room) * sizeof *m->kept_total);
  ask_for_speeds(m, by, m->w, 1);
  CDNI_TRY(cdni_impact_end(m));
  ask_for_speeds(m, by, m->w, -1);
  for (int i = 0; i < m->n_cones && m->room->impact.law == CDN_IMPACT_POISSON; i++) {
    const int row = m->cones[i].normal;
    expands = expands || (row >= 0 && by * m->e[row] * m->p[row] > 0);
  }
  if (!expands) return CDN_OK;
  set_floors(m, by);
  ask_for_speeds(m, by, m->w, 1);
  memcpy(m->b, m->w, (size_t)m->rows * sizeof *m->b);
  CDNI_TRY(solve(m));
  ask_for_speeds(m, by, m->w, -1);
  return CDN_OK;
}
