/* Support points: the farthest point of a convex geometry along a direction. */
#include "geometry/convex/survey.h"

static double along(const double *v, cdn_vec3 n) { return v[0] * n.x + v[1] * n.y + v[2] * n.z; }

/* The search begins near by, at the farthest vertex of the direction's cell, and climbs from neighbour to neighbour. On
 * a convex polytope a vertex that no neighbour exceeds is the farthest; where neighbours are equal to rounding, so is
 * what is missed. */
int32_t cdni_hull_support(const cdn_surface *s, cdn_vec3 n) {
  int32_t best = s->start[hull_cell(n)];
  double most = along(&s->vertices[3 * best], n);
  for (int32_t at = -1; at != best;) {
    at = best;
    const int32_t end = s->first_neighbour[at + 1];
    for (int32_t k = s->first_neighbour[at]; k < end; k++) {
      const int32_t i = s->neighbours[k];
      const double d = along(&s->vertices[3 * i], n);
      best = d > most ? i : best;
      most = d > most ? d : most;
    }
  }
  return best;
}

int32_t cdni_small_hull_support(const core *c, cdn_vec3 n) {
  const cdn_surface *s = c->geometry->surface;
  return c->kernels->farthest(s->n_columns, s->columns, n);
}

cdn_vec3 cdni_support(const cdn_geometry *g, cdn_vec3 direction) {
  return kind_of(g)->support(g, unit_or(direction, cdn_v3(1, 0, 0)));
}
