/* cdn_geometry_check. */
#include "geometry/convex/convex.h"

/* Beyond these the fourth powers that appear on the way are no numbers any more. */
static const double least_size = 1e-30, most_size = 1e30;

cdn_status cdn_geometry_check(const cdn_geometry *geometry) {
  CDNI_NEED_OBJECT(geometry, CDN_ERR_ARG);
  const unsigned kind = (unsigned)geometry->kind;
  if (kind >= CDN_GEOMETRY_KIND_COUNT)
    return cdni_refuse(CDN_ERR_ARG, __func__,
                       "there is no kind of geometry with the number %d; use a cdn_geometry_kind", (int)geometry->kind);
  const geometry_kind *is = cdni_geometry_kinds[kind];
  for (int i = 0; i < is->n_sizes; i++) {
    const double size = geometry->size[i];
    const bool may_be_zero = is->size[i].may_be_zero;
    if ((size >= least_size && size <= most_size) || (may_be_zero && size == 0)) continue;
    if (isfinite(size) && size > 0)
      return cdni_refuse(CDN_ERR_ARG, __func__, "the %s of a %s, size[%d], is %g; sizes are from %g to %g",
                         is->size[i].words, is->name, i, size, least_size, most_size);
    return cdni_refuse(CDN_ERR_ARG, __func__, "the %s of a %s, size[%d], is %g; set it to a finite number %s 0",
                       is->size[i].words, is->name, i, size, may_be_zero ? ">=" : ">");
  }
  if (!is->has_surface) return CDN_OK;
  if (!geometry->surface)
    return cdni_refuse(CDN_ERR_ARG, __func__, "a %s has no surface; set the member surface to one of its kind",
                       is->name);
  if (geometry->surface->info.kind != geometry->kind)
    return cdni_refuse(CDN_ERR_ARG, __func__, "a %s has the surface of a %s; set kind to what the surface is", is->name,
                       cdn_geometry_kind_name(geometry->surface->info.kind));
  return CDN_OK;
}
