/* Private to the room: what the readers of mesh files share. */
#ifndef CARDAN_IO_MESHES_H
#define CARDAN_IO_MESHES_H

#include "core/core.h"

/* What a file has, before it is a surface. The reader allocates the arrays by cdni_alloc, and whoever called it frees
 * them. */
typedef struct mesh_file {
  const char *path;
  int n_vertices, n_triangles;
  double *vertices;
  int *triangles;
} mesh_file;

/* meshes_assimp.c or meshes_absent.c: reads STL, OBJ or DAE. */
cdn_status cdni_mesh_read_by_assimp(mesh_file *mesh);
/* meshes_ply.c; meshes_gltf.c or meshes_gltf_absent.c */
cdn_status cdni_mesh_read_ply(mesh_file *mesh);
cdn_status cdni_mesh_read_gltf(mesh_file *mesh);
/* meshes_collada.c: refuses a COLLADA file that Assimp would not come back from. */
cdn_status cdni_mesh_check_collada(const char *path);

/* fields.c: reads a height field of MuJoCo's binary format, row by row; the caller frees the heights by cdni_free. */
cdn_status cdni_field_read(const char *path, int *rows, int *columns, double **heights);

#endif
