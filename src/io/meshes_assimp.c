/* STL, OBJ and DAE by Assimp. Only this file knows it. */
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <ctype.h>

#include "io/meshes.h"

/* A node and the way to it from the root. */
typedef struct placed_node {
  const struct aiNode *node;
  struct aiMatrix4x4 to_root;
} placed_node;

/* Nodes that are yet to visit: a file may nest them deeply, so they are not on the stack of calls. */
typedef struct node_list {
  cdni_array nodes;
  bool ok;
} node_list;

static void push(node_list *list, const struct aiNode *node, const struct aiMatrix4x4 *parent) {
  placed_node placed = { node, node->mTransformation };
  if (parent) {
    placed.to_root = *parent;
    aiMultiplyMatrix4(&placed.to_root, &node->mTransformation);
  }
  if (!cdni_array_push(NULL, &list->nodes, sizeof placed, &placed)) list->ok = false;
}

/* The colour of a mesh of COLLADA; other formats are used without theirs. */
static void find_color(const mesh_file *out, const struct aiScene *scene, const struct aiMesh *mesh, float rgb[3]) {
  const char *end = strrchr(out->path, '.');
  struct aiColor4D color;
  rgb[0] = rgb[1] = rgb[2] = -1;
  if (!end || tolower((unsigned char)end[1]) != 'd' || mesh->mMaterialIndex >= scene->mNumMaterials) return;
  if (aiGetMaterialColor(scene->mMaterials[mesh->mMaterialIndex], AI_MATKEY_COLOR_DIFFUSE, &color) != aiReturn_SUCCESS)
    return;
  const float given[3] = { color.r, color.g, color.b };
  for (int k = 0; k < 3; k++)
    if (!(given[k] >= 0 && given[k] <= 1)) return;
  memcpy(rgb, given, sizeof given);
}

/* Appends a mesh as it is placed. Faces that are not triangles are points and lines. */
static bool append(mesh_file *out, const struct aiScene *scene, const struct aiMesh *mesh,
                   const struct aiMatrix4x4 *place, cdni_array *vertices, cdni_array *triangles, cdni_array *colors) {
  float rgb[3];
  find_color(out, scene, mesh, rgb);
  const size_t before = vertices->count;
  if (before + mesh->mNumVertices > INT32_MAX / 3) return false;
  double *p = cdni_array_extend(NULL, vertices, 3 * sizeof(double), mesh->mNumVertices);
  if (mesh->mNumVertices > 0 && !p) return false;
  const struct aiMatrix4x4 *m = place;
  for (unsigned i = 0; i < mesh->mNumVertices; i++) {
    const double x = mesh->mVertices[i].x, y = mesh->mVertices[i].y, z = mesh->mVertices[i].z;
    p[3 * i] = m->a1 * x + m->a2 * y + m->a3 * z + m->a4;
    p[3 * i + 1] = m->b1 * x + m->b2 * y + m->b3 * z + m->b4;
    p[3 * i + 2] = m->c1 * x + m->c2 * y + m->c3 * z + m->c4;
  }
  const bool mirrored = aiMatrix4Determinant(place) < 0;
  for (unsigned i = 0; i < mesh->mNumFaces; i++) {
    const struct aiFace *face = &mesh->mFaces[i];
    if (face->mNumIndices != 3) continue;
    int t[3];
    for (int k = 0; k < 3; k++) t[mirrored ? 2 - k : k] = (int)(before + face->mIndices[k]);
    if (!cdni_array_push(NULL, triangles, sizeof t, t) || !cdni_array_push(NULL, colors, sizeof rgb, rgb)) return false;
  }
  out->n_vertices = (int)vertices->count;
  out->n_triangles = (int)triangles->count;
  return true;
}

static bool gather(mesh_file *out, const struct aiScene *scene) {
  node_list list = { .ok = true };
  cdni_array vertices = { 0 }, triangles = { 0 }, colors = { 0 };
  push(&list, scene->mRootNode, NULL);
  while (list.ok && list.nodes.count > 0) {
    const placed_node at = CDNI_AT(list.nodes, placed_node, list.nodes.count - 1);
    list.nodes.count--;
    for (unsigned i = 0; list.ok && i < at.node->mNumMeshes; i++)
      list.ok = append(out, scene, scene->mMeshes[at.node->mMeshes[i]], &at.to_root, &vertices, &triangles, &colors);
    /* Backwards, so that the first one is the next. */
    for (unsigned i = at.node->mNumChildren; list.ok && i-- > 0;) push(&list, at.node->mChildren[i], &at.to_root);
  }
  cdni_array_free(NULL, &list.nodes);
  out->vertices = vertices.data;
  out->triangles = triangles.data;
  out->colors = colors.data;
  return list.ok;
}

cdn_status cdni_mesh_read_by_assimp(mesh_file *mesh) {
  static const char function[] = "cdn_surface_load";
  const char *end = strrchr(mesh->path, '.');
  if (end && tolower((unsigned char)end[1]) == 'd') CDNI_TRY(cdni_mesh_check_collada(mesh->path));
  struct aiPropertyStore *properties = aiCreatePropertyStore();
  if (!properties) return cdni_refuse(CDN_ERR_NOMEM, function, "no memory to read '%s'", mesh->path);
  aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
  const struct aiScene *scene = aiImportFileExWithProperties(mesh->path, aiProcess_Triangulate, NULL, properties);
  aiReleasePropertyStore(properties);
  if (!scene)
    return cdni_refuse(CDN_ERR_FILE, function, "the mesh file '%s' is broken: %s; export it again", mesh->path,
                       aiGetErrorString());
  cdn_status status = CDN_OK;
  if (!scene->mRootNode || (scene->mFlags & AI_SCENE_FLAGS_INCOMPLETE && scene->mNumMeshes == 0))
    status = cdni_refuse(CDN_ERR_FILE, function, "the mesh file '%s' has no meshes: export it again", mesh->path);
  else if (!gather(mesh, scene))
    status = cdni_refuse(CDN_ERR_NOMEM, function, "no memory for the triangles of '%s'", mesh->path);
  else if (mesh->n_vertices == 0)
    status = cdni_refuse(CDN_ERR_FILE, function, "the mesh file '%s' has no vertices: export it again", mesh->path);
  aiReleaseImport(scene);
  return status;
}
