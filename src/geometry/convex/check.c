/* cdn_geometry_check. */
#include "geometry/convex/convex.h"

static const struct {
  const char *name;
  int n_sizes;
  const char *sizes[3];
  bool has_surface;
} kinds[] = {
  [CDN_GEOMETRY_SPHERE] = { "sphere", 1, { "radius" }, false },
  [CDN_GEOMETRY_HALF_SPACE] = { "half-space", 0, { NULL }, false },
  [CDN_GEOMETRY_CAPSULE] = { "capsule", 2, { "radius", "half length" }, false },
  [CDN_GEOMETRY_ELLIPSOID] = { "ellipsoid", 3, { "half axis x", "half axis y", "half axis z" }, false },
  [CDN_GEOMETRY_CYLINDER] = { "cylinder", 2, { "radius", "half length" }, false },
  [CDN_GEOMETRY_BOX] = { "box", 3, { "half length x", "half length y", "half length z" }, false },
  [CDN_GEOMETRY_CONVEX] = { "convex hull", 0, { NULL }, true },
  [CDN_GEOMETRY_MESH] = { "mesh", 0, { NULL }, true },
  [CDN_GEOMETRY_HEIGHT_FIELD] = { "height field", 0, { NULL }, true },
  [CDN_GEOMETRY_CUSTOM] = { "custom geometry", 0, { NULL }, true },
};
_Static_assert(CDNI_COUNT(kinds) == CDN_GEOMETRY_KIND_COUNT, "every kind of geometry has a line");

/* Beyond these the fourth powers that appear on the way are no numbers any more. */
static const double least_size = 1e-30, most_size = 1e30;

int cdni_geometry_size_count(cdn_geometry_kind kind) { return kinds[kind].n_sizes; }

cdn_status cdn_geometry_check(const cdn_geometry *geometry) {
  CDNI_NEED_OBJECT(geometry, CDN_ERR_ARG);
  const unsigned kind = (unsigned)geometry->kind;
  if (kind >= CDN_GEOMETRY_KIND_COUNT)
    return cdni_refuse(CDN_ERR_ARG, __func__,
                       "there is no kind of geometry with the number %d; use a cdn_geometry_kind", (int)geometry->kind);
  for (int i = 0; i < kinds[kind].n_sizes; i++) {
    const double size = geometry->size[i];
    const bool may_be_zero = kind == CDN_GEOMETRY_CAPSULE && i == 1;
    if ((size >= least_size && size <= most_size) || (may_be_zero && size == 0)) continue;
    if (isfinite(size) && size > 0)
      return cdni_refuse(CDN_ERR_ARG, __func__, "the %s of a %s, size[%d], is %g; sizes are from %g to %g",
                         kinds[kind].sizes[i], kinds[kind].name, i, size, least_size, most_size);
    return cdni_refuse(CDN_ERR_ARG, __func__, "the %s of a %s, size[%d], is %g; set it to a finite number %s 0",
                       kinds[kind].sizes[i], kinds[kind].name, i, size, may_be_zero ? ">=" : ">");
  }
  if (!kinds[kind].has_surface) return CDN_OK;
  if (!geometry->surface)
    return cdni_refuse(CDN_ERR_ARG, __func__, "a %s has no surface; set the member surface to one of its kind",
                       kinds[kind].name);
  if (geometry->surface->info.kind != geometry->kind)
    return cdni_refuse(CDN_ERR_ARG, __func__, "a %s has the surface of a %s; set kind to what the surface is",
                       kinds[kind].name, kinds[geometry->surface->info.kind].name);
  return CDN_OK;
}
