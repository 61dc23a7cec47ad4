/* What is told of each iteration. */
#include "constraints/soft/internal.h"

double cdni_soft_note(soft_problem *p, int island, int it, const soft_line *line, double gradient, double cost,
                      double *before) {
  int active = 0, changes = 0;
  double square = 0; /* x^T M x */
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    active += w->zone != SOFT_ZONE_NOTHING;
    changes += w->zone != w->noted;
    w->noted = w->zone;
    for (int e = 0; e < w->g->s.rows; e++) square += w->held[e] * w->Jx[e];
  }
  const double now = cost + 0.5 * square, improvement = *before - now;
  *before = now;
  if (it > p->most_records) return improvement;
  cdn_soft_iteration *r = &p->record[it - 1];
  if (it > p->records) *r = (cdn_soft_iteration){ .islands = 0 }, p->records = it;
  r->islands++;
  r->evaluations += line->evaluations, r->active += active, r->changes += changes;
  r->cost += now, r->improvement += improvement;
  r->gradient += gradient * gradient; /* cdni_soft_run takes the root */
  return improvement;
}
