/* All combinations of statuses, where they are few and have no more than one tangent each. */
#include <math.h>
#include <string.h>

#include "hybrid/cone_set.h"

/* The statuses of one cone, by number; how many there are. Of several tangents that act directions are endless. */
static int take_status(const cone_set *s, cone *a, int k) {
  int act[CONE_MOST_TANGENTS];
  const int n = cdni_cone_tangents(s, a, act), of_tangent = n == 0 || a->slips ? 1 : 3;
  const int of_open = a->normal < 0 ? 0 : a->floor > 0 ? of_tangent : 1;
  if (k < 0) return of_open + of_tangent;
  const bool open = k < of_open;
  const int tangent = open ? k : k - of_open;
  a->closed = a->normal >= 0 && !open;
  if (open && a->floor <= 0) {
    a->status = CONE_OPEN;
    return 0;
  }
  a->status = n == 0 ? CONE_OPEN : a->slips || tangent > 0 ? CONE_SLIPS : CONE_STICKS;
  if (n == 0 || a->slips) return 0;
  memset(a->e, 0, sizeof a->e);
  a->e[act[0]] = tangent == 2 ? -1 : 1;
  return 0;
}

static void take(cone_set *s, long k) {
  for (int i = 0; i < s->n; i++) {
    const int of = take_status(s, &s->cones[i], -1);
    take_status(s, &s->cones[i], (int)(k % of));
    k /= of;
  }
}

double cdni_cone_combinations(const cone_set *s) {
  double n = 1;
  for (int i = 0; i < s->n; i++) {
    int act[CONE_MOST_TANGENTS];
    if (cdni_cone_tangents(s, &s->cones[i], act) > 1 && !s->cones[i].slips) return INFINITY;
    n *= take_status(s, &s->cones[i], -1);
  }
  return n;
}

bool cdni_cone_enumerate(cone_set *s) {
  const double combinations = cdni_cone_combinations(s);
  double least = INFINITY;
  long best = -1;
  memset(s->near, 0, (size_t)s->rows * sizeof *s->near);
  s->solutions = 0;
  for (long k = 0; k < (long)combinations; k++) {
    double worst = 0, norm = 0;
    take(s, k);
    if (!cdni_cone_evaluate(s)) continue;
    for (int i = 0; i < s->n; i++) worst = fmax(worst, cdni_cone_look(s, &s->cones[i]).size);
    if (!(worst <= CONE_TOLERANCE)) continue;
    for (int r = 0; r < s->rows; r++) norm += s->p[r] * s->p[r];
    s->solutions++;
    if (norm < least) least = norm, best = k;
  }
  if (best < 0) return false;
  take(s, best);
  cdni_cone_evaluate(s);
  s->residual = 0;
  for (int i = 0; i < s->n; i++) s->residual = fmax(s->residual, cdni_cone_look(s, &s->cones[i]).size);
  return true;
}
