/* Names of the kinds of geometry. */
#include "geometry/geometry.h"

const char *cdn_geometry_kind_name(cdn_geometry_kind kind) {
  static const char *const names[CDN_GEOMETRY_KIND_COUNT] = {
    "sphere", "half-space",  "capsule", "ellipsoid",    "cylinder",
    "box",    "convex hull", "mesh",    "height field", "custom geometry",
  };
  return (int)kind >= 0 && (int)kind < CDN_GEOMETRY_KIND_COUNT ? names[kind] : "?";
}
