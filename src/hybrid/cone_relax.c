/* Projected relaxation: one cone after another takes the pushes that end its own approach and slip. It makes guesses
 * that come near to a solution wherever others fail. */
#include <math.h>
#include <string.h>

#include "hybrid/cone_set.h"

/* Pushes that are so much larger than what single rows need are those of a relaxation without an end: their statuses
 * may be right, they are not. */
static const double GROWN = 1e6;

/* Bounds are a little narrower than they are, so that what sticks has room when the equations are solved. */
static void relax_cone(cone_set *s, const cone *a, double narrow) {
  double p[CONE_MOST_TANGENTS] = { 0 }, steepest = 0;
  int act[CONE_MOST_TANGENTS];
  const int n = cdni_cone_tangents(s, a, act);
  if (a->normal >= 0 && cdni_cone_acts(s, a->normal)) {
    const double p0 = s->p[a->normal], w = s->b[a->normal] + cone_row(s, a->normal, s->p);
    s->p[a->normal] = fmax(a->floor, p0 - w / s->diagonal[a->normal]);
  }
  if (n == 0) return;
  const double most = fmax(0, cone_bound(a, s->p, cone_is_static(a))) * (a->slips ? 1 : narrow);
  for (int t = 0; t < n; t++) steepest += s->diagonal[a->tangent + act[t]];
  for (int t = 0; t < n; t++) {
    const int row = a->tangent + act[t];
    const double w = s->b[row] + cone_row(s, row, s->p);
    p[act[t]] = a->slips ? -most * a->e[act[t]] : s->p[row] - w / steepest;
  }
  const double size = cone_norm(p), by = size > most ? most / size : 1;
  for (int t = 0; t < n; t++) s->p[a->tangent + act[t]] = by * p[act[t]];
}

void cdni_cone_sweep(cone_set *s, int sweeps, double narrow) {
  for (int k = 0; k < sweeps; k++)
    for (int i = 0; i < s->n; i++) relax_cone(s, &s->cones[i], narrow);
}

void cdni_cone_relax(cone_set *s, int sweeps, double narrow) {
  memset(s->p, 0, (size_t)s->rows * sizeof *s->p);
  for (int i = 0; i < s->n; i++) s->cones[i].status = s->cones[i].slips ? CONE_SLIPS : CONE_STICKS;
  cdni_cone_sweep(s, sweeps, narrow);
  double largest = 0, b = 0, least = s->most;
  for (int r = 0; r < s->rows; r++) {
    largest = fmax(largest, isfinite(s->p[r]) ? fabs(s->p[r]) : INFINITY), b = fmax(b, fabs(s->b[r]));
    if (cdni_cone_acts(s, r)) least = fmin(least, s->diagonal[r]);
  }
  for (int r = 0; r < s->rows; r++)
    if (!isfinite(s->p[r])) s->p[r] = 0;
  memcpy(s->near, s->p, (size_t)s->rows * sizeof *s->near);
  if (largest > GROWN * b / least) memset(s->near, 0, (size_t)s->rows * sizeof *s->near);
  cdni_cone_read(s, narrow);
}
