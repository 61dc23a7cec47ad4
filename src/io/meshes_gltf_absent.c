/* glTF in a library that was built without jansson. */
#include "io/meshes.h"

cdn_status cdni_mesh_read_gltf(mesh_file *mesh) {
  return cdni_refuse(
      CDN_ERR_UNSUPPORTED, "cdn_surface_load",
      "'%s' is read by jansson, without which this library was built: install jansson (Debian: libjansson-dev) "
      "and build again, or convert the file to PLY",
      mesh->path);
}
