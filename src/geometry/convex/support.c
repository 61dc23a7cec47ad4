/* Support points: the farthest point of a convex geometry along a direction. */
#include "geometry/convex/convex.h"

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

cdn_vec3 cdni_custom_support(const cdn_surface *s, cdn_vec3 n) {
  const cdn_vec3 p = s->ops.support(s->self, n);
  return isfinite(p.x + p.y + p.z) ? p : s->center;
}

cdn_vec3 cdni_support(const cdn_geometry *g, cdn_vec3 direction) {
  const cdn_vec3 n = unit_or(direction, cdn_v3(1, 0, 0));
  const double *size = g->size;
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE: return cdn_scale(size[0], n);
    case CDN_GEOMETRY_CAPSULE: return g_fma(size[0], n, cdn_v3(0, 0, copysign(size[1], n.z)));
    case CDN_GEOMETRY_CUSTOM: return cdni_custom_support(g->surface, n);
    case CDN_GEOMETRY_CONVEX: {
      const double *v = &g->surface->vertices[3 * cdni_hull_support(g->surface, n)];
      return cdn_v3(v[0], v[1], v[2]);
    }
    case CDN_GEOMETRY_ELLIPSOID:
    case CDN_GEOMETRY_CYLINDER:
    case CDN_GEOMETRY_BOX: {
      core c = { .kind = g->kind, .size = { size[0], size[1], size[2] } };
      const cdn_vec3 corner = core_corner(&c, n);
      return g->kind == CDN_GEOMETRY_BOX ? corner : cdn_add(corner, core_curve(&c, n));
    }
    default: return cdn_v3(0, 0, 0);
  }
}
