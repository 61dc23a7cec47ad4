/* STL, OBJ and DAE in a library that was built without Assimp. */
#include "io/meshes.h"

cdn_status cdni_mesh_read_by_assimp(mesh_file *mesh) {
  return cdni_refuse(CDN_ERR_UNSUPPORTED, "cdn_surface_load",
                     "'%s' is read by Assimp, without which this library was built: install Assimp (Debian: "
                     "libassimp-dev) and build again with -Dmeshes=enabled, or convert the file to MuJoCo's MSH",
                     mesh->path);
}
