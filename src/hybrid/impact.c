/* Impact: impulses that end the approach, and those that follow by the law of restitution (8.56 to 8.62). All contacts
 * of the moment take part together, with friction by the slip at the end of each phase. */
#include <float.h>
#include <math.h>

#include "hybrid/moment.h"

/* Measured: bounces of a height of fewer roundings are told apart no more. */
static const double ROUNDINGS = 256;

/* The speed below which an element is captured. The height of a flight at this speed must be more than rounding, or its
 * end cannot be told from its beginning. */
static double capture_speed(const moment *m, int i, double pull) {
  const double asked = side_params(m->room, m->state, i)[ONE_SIDED_CAPTURE];
  const double rounding = sqrt(2 * fmax(0, -pull) * ROUNDINGS * DBL_EPSILON);
  return fmax(asked > 0 ? asked : m->accuracy, rounding);
}

/* e of each normal: 0 if it approaches more slowly than it is captured. */
static void set_restitution(moment *m) {
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    if (m->side_cone[i] < 0) continue;
    const int row = m->cones[m->side_cone[i]].normal;
    m->least[row] = capture_speed(m, i, m->b[row]);
    const bool fast = m->jammed || -m->v[row] > m->least[row];
    m->e[row] = fast ? side_params(m->room, m->state, i)[ONE_SIDED_RESTITUTION] : 0;
  }
}

/* What has separated more slowly than its capture speed is taken to stay: of impacts one after another, ever smaller,
 * these are the last (8.6.1). */
static void capture(moment *m) {
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    if (m->side_cone[i] < 0) continue;
    const int row = m->cones[m->side_cone[i]].normal;
    const bool slow = m->w[row] < m->least[row] && fabs(m->v[row]) < m->least[row];
    if (slow && m->w[row] > 0) m->w[row] = 0;
    m->captured += slow && m->v[row] < 0;
  }
}

/* The least pushes of a phase: of compression zero, of expansion e times those of compression. */
static void set_floors(moment *m, double by) {
  for (int i = 0; i < m->n_cones; i++) {
    cone *c = &m->cones[i];
    c->slips = false;
    c->status = CONE_STICKS;
    if (c->normal < 0) continue;
    c->floor = by > 0 ? by * m->e[c->normal] * m->p[c->normal] : 0;
    c->closed = !(c->floor > 0);
  }
}

/* Newton's law asks for speeds of separation: the speed that the problem sees is that much higher. */
static void ask_for_speeds(const moment *m, double by, double *to, double sign) {
  if (m->room->impact.law != CDN_IMPACT_NEWTON) return;
  for (int i = 0; i < m->n_cones; i++) {
    const int row = m->cones[i].normal;
    if (row >= 0) to[row] += sign * by * m->e[row] * fmin(0, m->v[row]);
  }
}

/* The impulses with all e times `by`, into total; w are the speeds afterwards. */
static bool hit(moment *m, double by) {
  const size_t rows = (size_t)m->rows;
  bool expands = false;
  memcpy(m->b, m->v, rows * sizeof *m->b);
  ask_for_speeds(m, by, m->b, 1);
  set_floors(m, 0);
  if (!cdni_moment_solve(m, true, NULL)) return false;
  ask_for_speeds(m, by, m->w, -1);
  memcpy(m->total, m->p, rows * sizeof *m->p);
  for (int i = 0; i < m->n_cones && m->room->impact.law == CDN_IMPACT_POISSON; i++) {
    const int row = m->cones[i].normal;
    expands = expands || (row >= 0 && by * m->e[row] * m->p[row] > 0);
  }
  if (!expands) return true;
  set_floors(m, by);
  memcpy(m->b, m->w, rows * sizeof *m->b);
  if (!cdni_moment_solve(m, true, NULL)) return false;
  for (size_t r = 0; r < rows; r++) m->total[r] += m->p[r];
  return true;
}

/* The kinetic energy that the impulses add, J, and the size of its parts. */
static double gain(const moment *m, double *scale) {
  double sum = 0;
  *scale = 0;
  for (int r = 0; r < m->rows; r++) {
    const double part = 0.5 * m->total[r] * (m->v[r] + m->w[r]);
    sum += part, *scale += fabs(part);
  }
  return sum;
}

/* Lowers all e to the largest part of them that adds no energy. */
static bool lower(moment *m) {
  double low = 0, high = 1, scale;
  for (int k = 0; k < 50; k++) {
    const double middle = 0.5 * (low + high);
    if (!hit(m, middle)) return false;
    if (gain(m, &scale) > 0) high = middle;
    else low = middle;
  }
  return hit(m, low);
}

cdn_status cdni_moment_collide(moment *m, cdn_hybrid_totals *totals) {
  const size_t nu = (size_t)m->nu;
  double scale;
  CDNI_TRY(cdni_moment_free_accelerations(m));
  set_restitution(m);
  bool found = hit(m, 1);
  if (found && gain(m, &scale) > 1e-10 * scale) {
    found = lower(m);
    totals->lowered++;
  }
  if (!found) return cdni_moment_fails(m, "no impulses end the impact");
  totals->impact_energy -= gain(m, &scale);
  cdni_changes_note(m);
  memcpy(m->x, cdn_state_u(m->state), (size_t)m->all_nu * sizeof *m->x);
  for (int r = 0; r < m->rows; r++)
    for (size_t k = 0; k < nu; k++) m->x[(size_t)m->first_u + k] += m->X[(size_t)r * nu + k] * m->total[r];
  capture(m);
  totals->impacts++, totals->captures += m->captured;
  memcpy(m->v, m->w, (size_t)m->rows * sizeof *m->v);
  m->hit = true;
  return cdn_state_set_u(m->state, m->x);
}
