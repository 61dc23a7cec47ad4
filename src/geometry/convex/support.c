/* Support points: the farthest point of a convex geometry along a direction. */
#include "geometry/convex/convex.h"

static double along(const double *v, cdn_vec3 n) { return v[0] * n.x + v[1] * n.y + v[2] * n.z; }

/* Small hulls are searched through; on larger ones the search climbs from neighbour to neighbour. On a convex polytope
 * a vertex that no neighbour exceeds is the farthest; where neighbours are equal to rounding, so is what is missed. */
int32_t cdni_hull_support(const cdn_surface *s, cdn_vec3 n, int32_t hint) {
  const int count = s->info.n_vertices;
  int32_t best = hint >= 0 && hint < count ? hint : 0;
  double most = along(&s->vertices[3 * best], n);
  if (count <= 24) {
    for (int32_t i = 0; i < count; i++) {
      const double d = along(&s->vertices[3 * i], n);
      if (d > most) most = d, best = i;
    }
    return best;
  }
  for (int32_t at = -1; at != best;) {
    at = best;
    for (int32_t k = s->first_neighbour[at]; k < s->first_neighbour[at + 1]; k++) {
      const int32_t i = s->neighbours[k];
      const double d = along(&s->vertices[3 * i], n);
      if (d > most) most = d, best = i;
    }
  }
  return best;
}

cdn_vec3 cdni_custom_support(const cdn_surface *s, cdn_vec3 n) {
  const cdn_vec3 p = s->ops.support(s->self, n);
  return isfinite(p.x + p.y + p.z) ? p : s->center;
}

cdn_vec3 cdni_support(const cdn_geometry *g, cdn_vec3 direction, int32_t *hint) {
  const cdn_vec3 n = unit_or(direction, cdn_v3(1, 0, 0));
  const double *size = g->size;
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE: return cdn_scale(size[0], n);
    case CDN_GEOMETRY_CAPSULE: return g_fma(size[0], n, cdn_v3(0, 0, copysign(size[1], n.z)));
    case CDN_GEOMETRY_CUSTOM: return cdni_custom_support(g->surface, n);
    case CDN_GEOMETRY_CONVEX: {
      const int32_t i = cdni_hull_support(g->surface, n, hint ? *hint : 0);
      if (hint) *hint = i;
      return cdn_v3(g->surface->vertices[3 * i], g->surface->vertices[3 * i + 1], g->surface->vertices[3 * i + 2]);
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
