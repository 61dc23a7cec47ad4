/* Surfaces: one block of memory each, with a count of references. Surfaces of the user's functions; what a surface
 * has. */
#include <math.h>

#include "core/sized.h"
#include "geometry/surfaces/surfaces.h"

cdn_surface *cdni_surface_allocate(cdn_geometry_kind kind, size_t more) {
  cdn_surface *s = more < SIZE_MAX / 2 ? cdni_calloc(NULL, sizeof *s + more) : NULL;
  if (!s) return NULL;
  atomic_init(&s->references, 1);
  s->info.kind = kind;
  return s;
}

void cdn_surface_retain(const cdn_surface *s) {
  if (s) atomic_fetch_add_explicit(&((cdn_surface *)s)->references, 1, memory_order_relaxed);
}

void cdn_surface_release(const cdn_surface *s) {
  cdn_surface *mine = (cdn_surface *)s;
  if (!s || atomic_fetch_sub_explicit(&mine->references, 1, memory_order_acq_rel) != 1) return;
  if (mine->ops.destroy) mine->ops.destroy(mine->self);
  cdni_free(NULL, mine, 0);
}

/* ---- functions of the user's ---- */

cdn_status cdn_surface_create_custom(const cdn_surface_ops *ops, const void *self, cdn_surface **out) {
  if (!out) return cdni_misses(__func__, "out");
  *out = NULL;
  if (!ops) return cdni_misses(__func__, "ops");
  cdn_surface_ops known;
  const char *unreadable = CDNI_READ_OPS(cdn_surface_ops, &known, ops);
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, __func__, "%s", unreadable);
  if (!known.support && !known.distance)
    return cdni_refuse(CDN_ERR_ARG, __func__,
                       "the geometry has neither `support` nor `distance`: give `support` for a convex geometry, "
                       "`distance` for any other");
  if (!(known.radius > 0 && isfinite(known.radius)))
    return cdni_refuse(CDN_ERR_ARG, __func__,
                       "the radius of the ball that contains the geometry is %g: give one that is finite and > 0",
                       known.radius);
  if (!cdni_all_finite(&known.center.x, 3, NULL))
    return cdni_refuse(CDN_ERR_ARG, __func__, "the centre of the ball that contains the geometry is not finite");
  if (known.self_size && !self)
    return cdni_refuse(CDN_ERR_ARG, __func__, "self_size is %zu, and self is NULL: pass the private part to copy",
                       known.self_size);

  /* The private part begins at a cache line, as memory of the allocator does. */
  const char *name = known.name ? known.name : "";
  const size_t begin = cdni_aligned(sizeof(cdn_surface)), length = strlen(name) + 1;
  cdn_surface *s = known.self_size < SIZE_MAX / 4
                       ? cdni_surface_allocate(CDN_GEOMETRY_CUSTOM, begin - sizeof *s + known.self_size + length)
                       : NULL;
  if (!s) return cdni_refuse(CDN_ERR_NOMEM, __func__, "no memory for %zu bytes", known.self_size);
  s->self = (char *)s + begin;
  if (known.self_size) memcpy(s->self, self, known.self_size);
  s->name = (char *)s->self + known.self_size;
  memcpy(s->name, name, length);
  s->ops = known;
  s->ops.name = s->name;
  s->center = known.center;
  s->radius = known.radius;
  *out = s;
  return CDN_OK;
}

/* ---- what a surface has ---- */

cdn_status cdn_surface_get_info_sized(const cdn_surface *s, cdn_surface_info *out, size_t size) {
  static const char function[] = "cdn_surface_get_info";
  if (!s) return cdni_misses(function, "s");
  if (!out) return cdni_misses(function, "out");
  cdni_sized_write(out, size, &s->info, sizeof s->info);
  return CDN_OK;
}

cdn_status cdn_surface_vertex(const cdn_surface *s, int i, cdn_vec3 *out) {
  if (!s) return cdni_misses(__func__, "s");
  if (!out) return cdni_misses(__func__, "out");
  if (i < 0 || i >= s->info.n_vertices)
    return cdni_refuse(CDN_ERR_ARG, __func__, "the surface has %d vertices, and no vertex %d", s->info.n_vertices, i);
  *out = s->heights ? field_vertex(s, i % s->n_x, i / s->n_x) : surface_vertex(s, i);
  return CDN_OK;
}

cdn_status cdn_surface_triangle(const cdn_surface *s, int i, int out[3]) {
  if (!s) return cdni_misses(__func__, "s");
  if (!out) return cdni_misses(__func__, "out");
  if (i < 0 || i >= s->info.n_triangles)
    return cdni_refuse(CDN_ERR_ARG, __func__, "the surface has %d triangles, and no triangle %d", s->info.n_triangles,
                       i);
  if (s->heights) field_triangle(s, i, out);
  else
    for (int k = 0; k < 3; k++) out[k] = s->triangles[3 * (size_t)i + k];
  return CDN_OK;
}
