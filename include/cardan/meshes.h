/* Cardan: surfaces from mesh files.
 *
 * I want to
 *   make a surface of a mesh file: STL, OBJ, DAE, PLY, glTF, MSH: cdn_surface_load */
#ifndef CARDAN_MESHES_H
#define CARDAN_MESHES_H

#include <cardan/geometry.h>

CDN_BEGIN_DECLS

/** Reads a mesh file into a surface: the convex hull of its vertices if `convex`, else a mesh of its triangles. The
 *  coordinates are multiplied by `scale` (NULL: 1 1 1); a scale that mirrors also turns the triangles round, so that
 *  they are counterclockwise as before. The name's end tells the format, in either case:
 *
 *  - .stl, .obj and .dae are read by Assimp, in single precision. All meshes of a file are one. A .dae's nodes are
 *    placed and its unit is converted to m; which axis it calls up is not looked at, as is the practice for URDF.
 *  - .ply is read as text and in both orders of bytes. Polygons become fans of triangles; of vertices, x, y and z
 *  count.
 *  - .gltf and .glb: the triangles of the scene of glTF 2.0, as its nodes place them. There y is up; it is turned so
 *  that
 *    z is. Buffers are in the file or below its folder. Sparse accessors and required extensions are not read.
 *  - .msh is MuJoCo's binary format: four counts (vertices, normals, texture coordinates, triangles), then these as 32
 *    bit numbers. Normals and texture coordinates are not used. A file without triangles has a hull only.
 *
 *  Errors: CDN_ERR_FILE (the file cannot be read, or is broken), CDN_ERR_ARG (it has no such surface: see
 *  cdn_surface_create_mesh and cdn_surface_create_convex; a scale that is 0 or not finite), CDN_ERR_UNSUPPORTED
 *  (another format, or the library was built without Assimp or jansson), CDN_ERR_NOMEM; then *out is NULL. The text
 *  names the file. */
CDN_API cdn_status cdn_surface_load(const char *path, const double scale[3], bool convex,
                                    cdn_surface **out) CDN_NODISCARD;

CDN_END_DECLS
#endif
