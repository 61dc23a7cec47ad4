/* The exact line search: the least cost along a direction, by Newton steps on the slope, which grows along the line. */
#include <math.h>

#include "soft/internal.h"

static soft_slope slope_at(const soft_problem *p, int island, soft_line *line, double t) {
  soft_slope s = { line->m0 + t * line->m1, line->m1 };
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    double of[2];
    const soft_work *w = &p->work[k];
    if (p->passed) /* of what comes to its base */
      for (int e = 0; e < w->g->s.rows; e++) s.first += w->base[e] * w->Jd[e];
    if (p->passed && w->g->give > 0) {
      double shift;
      const soft_function own = cdni_soft_pass_function(p, w, &shift);
      const double at = w->r[0] - shift;
      cdni_soft_function_along(&own, &at, w->Jd, t, of);
    } else cdni_soft_function_along(&w->g->s, w->r, w->Jd, t, of);
    s.first += of[0], s.second += of[1];
  }
  line->evaluations++;
  return s;
}

void cdni_soft_search(const soft_problem *p, int island, soft_line *line) {
  const cdn_soft_def *def = p->def;
  const bool known = line->t > 0;
  const soft_slope start = known ? line->start : slope_at(p, island, line, 0);
  if (known) line->evaluations += 2;
  double least = def->line_tolerance * fabs(start.first);
  if (def->cost_tolerance >= 0) least = def->line_tolerance * soft_cost_limit(p) * line->size;
  double low = 0, high = INFINITY, t = line->t > 0 ? line->t : -start.first / start.second, width = INFINITY;
  line->t = 0;
  if (!(start.first < 0) || !(t > 0 && t < INFINITY)) return;
  for (int i = 0; i < def->line_iterations; i++) {
    const soft_slope s = known && i == 0 ? line->there : slope_at(p, island, line, t);
    if (fabs(s.first) <= least) break;
    if (s.first < 0) low = t;
    else high = t;
    double next = s.second > 0 ? t - s.first / s.second : INFINITY;
    /* Newton steps may go to and fro over bends, and leave the bracket as it is */
    const bool slow = high < INFINITY && i % 3 == 2 && high - low > 0.5 * width;
    if (i % 3 == 2) width = high - low;
    if (slow || !(next > low && next < high)) next = high < INFINITY ? (low + high) / 2 : 2 * t;
    if (next == t) break;
    t = next;
  }
  line->t = t;
}
