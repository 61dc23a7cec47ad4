/* Private to the room: what the readers of mesh files share. */
#ifndef CARDAN_IO_MESHES_H
#define CARDAN_IO_MESHES_H

#include <cardan/geometry.h>

#include "core/core.h"
#include "io/files.h"

/* What triangles of a file look like. */
typedef struct mesh_look {
  float rgb[3];  /* red < 0: the file says none */
  char *texture; /* path of its picture; NULL: none */
} mesh_look;

/* What a file has, before it is a surface. The reader allocates the arrays and the paths of textures by cdni_alloc,
 * and whoever called it
 * frees them. */
typedef struct mesh_file {
  const io_files *files; /* where it and the files beside it come from */
  const char *path;
  int n_vertices, n_triangles, n_looks;
  double *vertices;
  int *triangles;
  mesh_look *looks;
  int *look; /* of each triangle; NULL: the format has no looks, or they are not read */
  float (*places)
      [6]; /* of each triangle's corners in a picture, from its left and top; NAN: it has none. NULL: no triangle has */
} mesh_file;

/* Triangles of a file with one look. */
typedef struct mesh_part {
  cdn_surface *surface;
  mesh_look look;
  float *corners; /* of the surface's triangles, as cdn_visual_def has them; NULL: some are not known */
} mesh_part;
/* The parts of a file: one for each look if `by_looks` is true and every triangle has one with a colour or a texture
 * (else none); or one of all
 * triangles. There are *n of them in *parts, which cdni_mesh_free_parts frees. `scale` as in cdn_surface_load.
 * Errors: those of
 * cdn_surface_load. */
cdn_status cdni_mesh_load_parts(const io_files *files, const char *path, const double scale[3], bool by_looks,
                                mesh_part **parts, int *n);
void cdni_mesh_free_parts(mesh_part *parts, int n);

/* cdn_surface_load, of a file that comes from somewhere. */
cdn_status cdni_mesh_load(const io_files *files, const char *path, const double scale[3], bool convex,
                          cdn_surface **out);

/* Whether it is COLLADA whose <up_axis> is there and is not Z_UP. */
bool cdni_mesh_says_up(const io_files *files, const char *path);

/* meshes_assimp.c or meshes_absent.c: reads STL, OBJ or DAE. */
cdn_status cdni_mesh_read_by_assimp(mesh_file *mesh);
/* meshes_ply.c; meshes_gltf.c or meshes_gltf_absent.c */
cdn_status cdni_mesh_read_ply(mesh_file *mesh);
cdn_status cdni_mesh_read_gltf(mesh_file *mesh);
/* meshes_collada.c: refuses a COLLADA file that Assimp would not come back from. */
cdn_status cdni_mesh_check_collada(const mesh_file *mesh);

/* fields.c: reads a height field of MuJoCo's binary format, row by row; the caller frees the heights by cdni_free. */
cdn_status cdni_field_read(const io_files *files, const char *path, int *rows, int *columns, double **heights);

#endif
