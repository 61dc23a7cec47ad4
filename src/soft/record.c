/* What is told of each iteration. */
#include "soft/internal.h"

void cdni_soft_record(soft_problem *p, int island, int it, const cdn_soft_iteration *own) {
  int active = 0, changes = 0;
  if (p->passed) return;
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    active += w->zone != SOFT_ZONE_NOTHING;
    changes += w->zone != w->noted;
    w->noted = w->zone;
  }
  if (it > p->most_records) return;
  cdn_soft_iteration *r = &p->record[it - 1];
  if (it > p->records) *r = (cdn_soft_iteration){ .islands = 0 }, p->records = it;
  r->islands++;
  r->evaluations += own->evaluations, r->active += active, r->changes += changes;
  r->cost += own->cost, r->improvement += own->improvement;
  r->gradient += own->gradient * own->gradient; /* cdni_soft_run takes the root */
}

double cdni_soft_note(soft_problem *p, int island, int it, const soft_line *line, double gradient, double cost,
                      double *before) {
  double square = 0; /* x^T M x */
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    const soft_work *w = &p->work[k];
    for (int e = 0; e < w->g->s.rows; e++) square += w->held[e] * w->Jx[e];
  }
  cdn_soft_iteration own = { .evaluations = line->evaluations, .gradient = gradient, .cost = cost + 0.5 * square };
  own.improvement = *before - own.cost;
  *before = own.cost;
  cdni_soft_record(p, island, it, &own);
  return own.improvement;
}
