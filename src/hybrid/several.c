/* Accelerations that are not unique (Painleve). Where friction slips so that a push makes its own contact approach, the
 * contact may let go or go on pushing, and both agree with all conditions. Such contacts are tried in every combination
 * of the two. Of several solutions that is taken which changes fewest of those that push: the pushes go on as they were
 * before the moment, as long as they can. Of those with as many changes it is the one with the least pushes. */
#include <math.h>

#include "hybrid/moment.h"

enum { MOST_DOUBTFUL = 6 }; /* contacts that are tried in combinations */

typedef struct doubt {
  int cone, side;
  bool pushed; /* before the moment */
} doubt;

/* Contacts whose own push, with the friction that goes with it, does not part them. */
static int find_doubts(const moment *m, doubt doubts[MOST_DOUBTFUL]) {
  int n = 0;
  for (int i = 0; i < hybrid_sides(m->room) && n < MOST_DOUBTFUL; i++) {
    const cone *c = m->side_cone[i] >= 0 ? &m->cones[m->side_cone[i]] : NULL;
    if (!c || !c->slips) continue;
    double parts = cdni_sparse_at(&m->W, c->normal, c->normal);
    for (int t = 0; t < c->n; t++) parts -= c->mu_dynamic * cdni_sparse_at(&m->W, c->normal, c->tangent + t) * c->e[t];
    if (parts > 0) continue;
    doubts[n++] = (doubt){ .cone = m->side_cone[i], .side = i, .pushed = side_is_on(m->room, m->state, i) };
  }
  return n;
}

/* Solves from the statuses of `found_cones`, except who pushes. False: there is no such solution. */
static bool try(moment *m, const cone *found_cones, const doubt *doubts, int n, int which) {
  memcpy(m->cones, found_cones, (size_t)m->n_cones * sizeof *m->cones);
  for (int i = 0; i < n; i++) m->cones[doubts[i].cone].closed = which >> i & 1;
  bool found = cdni_moment_solve(m, false, m->free_lambda);
  for (int i = 0; i < n; i++) found = found && m->cones[doubts[i].cone].closed == (which >> i & 1);
  return found;
}

void cdni_moment_choose(moment *m, cdn_hybrid_totals *totals) {
  doubt doubts[MOST_DOUBTFUL];
  const int n = find_doubts(m, doubts);
  cone *found_cones = m->law_work; /* springs keep as many there */
  const double residual = m->residual;
  int first = 0;
  int best = -1, solutions = 0, best_changes = 0;
  double least = 0;
  for (int i = 0; i < n; i++) first |= m->cones[doubts[i].cone].closed << i;
  if (n > 0) memcpy(found_cones, m->cones, (size_t)m->n_cones * sizeof *found_cones);
  for (int which = 0; n > 0 && which < 1 << n; which++) {
    if (!try(m, found_cones, doubts, n, which)) continue;
    int changes = 0;
    for (int i = 0; i < n; i++) changes += doubts[i].pushed != (which >> i & 1);
    double size = 0;
    for (int r = 0; r < m->rows; r++) size += m->p[r] * m->p[r];
    const bool better = best < 0 || changes < best_changes || (changes == best_changes && size < least);
    if (better) best = which, best_changes = changes, least = size;
    solutions++;
  }
  if (n > 0) try(m, found_cones, doubts, n, best < 0 ? first : best);
  m->residual = residual;
  if (solutions > 1) totals->several++, totals->several_at = doubts[0].side;
}
