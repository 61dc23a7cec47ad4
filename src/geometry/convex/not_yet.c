/* Stands in for surfaces/mesh_pairs.c until that file is there; then this one goes. */
#include "geometry/internal.h"

__attribute__((weak)) bool cdni_surface_distance(const cdn_geometry *a, const cdn_transform *X_WA,
                                                 const cdn_geometry *b, const cdn_transform *X_WB, double reach,
                                                 cdn_proximity *out) {
  (void)a, (void)X_WA, (void)b, (void)X_WB, (void)reach, (void)out;
  return false;
}

__attribute__((weak)) void cdni_surface_manifold(const cdn_geometry *a, const cdn_transform *X_WA,
                                                 const cdn_geometry *b, const cdn_transform *X_WB, double margin,
                                                 cdn_manifold *out) {
  (void)a, (void)X_WA, (void)b, (void)X_WB, (void)margin;
  out->n = 0;
}
