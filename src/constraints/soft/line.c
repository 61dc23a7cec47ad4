/* The exact line search: the least cost along a direction, by Newton steps on the slope, which grows along the line. */
#include <math.h>

#include "constraints/soft/internal.h"

typedef struct slope {
  double first, second;
} slope;

static slope slope_at(const soft_problem *p, int island, double m0, double m1, double t) {
  slope s = { m0 + t * m1, m1 };
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    double of[3];
    cdni_soft_function_along(&p->work[k].g->s, p->work[k].r, p->work[k].Jd, t, of);
    s.first += of[1], s.second += of[2];
  }
  return s;
}

double cdni_soft_line(const soft_problem *p, int island, double m0, double m1) {
  const cdn_soft_def *def = &p->room->def;
  const double least = def->line_tolerance * fabs(slope_at(p, island, m0, m1, 0).first);
  double low = 0, high = INFINITY, t = 1;
  for (int i = 0; i < def->line_iterations; i++) {
    const slope s = slope_at(p, island, m0, m1, t);
    if (fabs(s.first) <= least) break;
    if (s.first < 0) low = t;
    else high = t;
    double next = s.second > 0 ? t - s.first / s.second : INFINITY;
    if (!(next > low && next < high)) next = high < INFINITY ? (low + high) / 2 : 2 * t;
    if (next == t) break;
    t = next;
  }
  return t;
}
