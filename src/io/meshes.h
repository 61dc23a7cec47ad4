/* Private to the room: what the readers of mesh files share. */
#ifndef CARDAN_IO_MESHES_H
#define CARDAN_IO_MESHES_H

#include <cardan/geometry.h>

#include "core/core.h"

/* What a file has, before it is a surface. The reader allocates the arrays by cdni_alloc, and whoever called it frees
 * them. */
typedef struct mesh_file {
  const char *path;
  int n_vertices, n_triangles;
  double *vertices;
  int *triangles;
  float (*colors)[3]; /* one a triangle; red < 0: none. NULL: the format has no colours, or they are not read */
} mesh_file;

/* Meshes of a file by their colours, for looks. */
typedef struct mesh_part {
  cdn_surface *surface;
  float rgb[3];
} mesh_part;
/* The parts of a file of which every triangle has a colour: *n of them in *parts, which cdni_mesh_free_parts frees; else *n is 0. `scale`
 * as in cdn_surface_load. Errors: those of cdn_surface_load. */
cdn_status cdni_mesh_load_parts(const char *path, const double scale[3], mesh_part **parts, int *n);
void cdni_mesh_free_parts(mesh_part *parts, int n);

/* Whether it is COLLADA whose <up_axis> is there and is not Z_UP. */
bool cdni_mesh_says_up(const char *path);

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
