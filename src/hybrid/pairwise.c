/* Impact of one contact after another: each alone, as if the others were not there, in the order in which they were
 * added, until nothing approaches. */
#include <float.h>
#include <math.h>

#include "hybrid/impact.h"

enum { ROUNDS = 1000 };
/* Approaches below this part of the first speeds are what rounds without an end leave, or rounding. */
static const double LEFT = 1e-10;

/* The moment with this one-sided element and friction that no contact presses, and nothing else. */
static void leave_alone(moment *one, const moment *m, int side) {
  one->n_cones = 0;
  for (int i = 0; i < hybrid_sides(m->room); i++) one->side_cone[i] = -1;
  one->side_cone[side] = 0;
  one->cones[one->n_cones++] = m->cones[m->side_cone[side]];
  for (int i = 0; i < hybrid_frictions(m->room); i++) {
    const int normal = friction_at(m->room, i)->normal;
    one->friction_cone[i] = m->friction_cone[i] < 0 ? -1 : normal < 0 ? one->n_cones : one->side_cone[normal];
    if (one->friction_cone[i] < 0 || !friction_is_apart(friction_at(m->room, i))) continue;
    one->friction_cone[i] = one->n_cones;
    one->cones[one->n_cones++] = m->cones[m->friction_cone[i]];
  }
}

/* Divides the memory that one contact's moment has for itself. Returns its bytes. */
static size_t divide(moment *one, const hybrid_room *room, void *base, size_t at, int rows, int cones) {
  one->side_cone = cdni_part(base, &at, (size_t)hybrid_sides(room), sizeof(int));
  one->friction_cone = cdni_part(base, &at, (size_t)hybrid_frictions(room), sizeof(int));
  one->cones = cdni_part(base, &at, (size_t)cones, sizeof(cone));
  one->v = cdni_part(base, &at, (size_t)rows, sizeof(double));
  one->total = cdni_part(base, &at, (size_t)rows, sizeof(double));
  return at;
}

size_t cdni_impact_turn_work(const hybrid_room *room, int rows, int cones) {
  moment one;
  return divide(&one, room, NULL, 0, rows, cones);
}

static double fastest(const moment *m, const double *v) {
  double most = 0;
  for (int i = 0; i < m->n_cones; i++)
    if (m->cones[i].normal >= 0) most = fmax(most, -v[m->cones[i].normal]);
  return most;
}

cdn_status cdni_impact_in_turn(moment *m, impact_law *law, bool *lowered) {
  const size_t rows = (size_t)m->rows;
  const double least = LEFT * fastest(m, m->v);
  moment one = *m;
  divide(&one, m->room, m->law_work, cdni_impact_law_work(m->most_rows, m->most_cones), m->rows, m->n_cones);
  memcpy(m->w, m->v, rows * sizeof *m->w);
  memset(m->total, 0, rows * sizeof *m->total);
  bool first = m->jammed;
  for (int round = 0; round < ROUNDS && (first || fastest(m, m->w) > least); round++, first = false)
    for (int i = 0; i < hybrid_sides(m->room); i++) {
      if (m->side_cone[i] < 0 || !(first || -m->w[m->cones[m->side_cone[i]].normal] > least)) continue;
      leave_alone(&one, m, i);
      memcpy(one.v, m->w, rows * sizeof *one.v);
      CDNI_TRY(cdni_impact_restitution(&one, law));
      CDNI_TRY(cdni_impact_strike(&one, law, lowered));
      for (size_t r = 0; r < rows; r++) m->total[r] += one.total[r];
      m->residual = fmax(m->residual, one.residual);
    }
  return fastest(m, m->w) > 0 ? cdni_impact_end(m) : CDN_OK;
}
