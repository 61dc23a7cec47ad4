/* STL, OBJ and DAE by Assimp. Only this file knows it. */
#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>

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

/* ---- looks ---- */

/* Beside the file of the mesh, unless its own path is whole. */
static char *texture_path(const char *mesh, const char *file) {
  char path[4096];
  const char *slash = file[0] == '/' ? NULL : strrchr(mesh, '/');
  if (strncmp(file, "file://", 7) == 0) file += 7;
  snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - mesh) + 1 : 0, mesh, file);
  for (char *c = path; *c; c++)
    if (*c == '\\') *c = '/';
  return cdni_strdup(NULL, path);
}

/* Whether a file has looks: not STL, and not the material that Assimp makes up for OBJ. */
static bool has_look(const mesh_file *out, const struct aiMaterial *material) {
  struct aiString name;
  const char *end = strrchr(out->path, '.');
  const int letter = end ? tolower((unsigned char)end[1]) : 0;
  if (letter == 'd') return true;
  return letter == 'o' && aiGetMaterialString(material, AI_MATKEY_NAME, &name) == aiReturn_SUCCESS &&
         strcmp(name.data, AI_DEFAULT_MATERIAL_NAME) != 0;
}

/* The colours and pictures of a file's materials. */
static bool read_looks(mesh_file *out, const struct aiScene *scene) {
  const unsigned n = scene->mNumMaterials;
  out->looks = cdni_calloc(NULL, (n + 1) * sizeof *out->looks);
  if (!out->looks) return false;
  for (unsigned i = 0; i < n; i++, out->n_looks++) {
    mesh_look *look = &out->looks[i];
    struct aiColor4D color;
    struct aiString file;
    look->rgb[0] = -1;
    if (!has_look(out, scene->mMaterials[i])) continue;
    if (aiGetMaterialColor(scene->mMaterials[i], AI_MATKEY_COLOR_DIFFUSE, &color) == aiReturn_SUCCESS) {
      const float given[3] = { color.r, color.g, color.b };
      bool good = true;
      for (int k = 0; k < 3; k++) good = good && given[k] >= 0 && given[k] <= 1;
      if (good) memcpy(look->rgb, given, sizeof given);
    }
    if (aiGetMaterialTexture(scene->mMaterials[i], aiTextureType_DIFFUSE, 0, &file, NULL, NULL, NULL, NULL, NULL,
                             NULL) == aiReturn_SUCCESS &&
        file.data[0] && file.data[0] != '*' && !(look->texture = texture_path(out->path, file.data)))
      return false;
  }
  out->looks[n].rgb[0] = -1; /* of meshes without a material */
  out->n_looks++;
  return true;
}

/* ---- triangles ---- */

typedef struct lists {
  cdni_array vertices, triangles, looks, places;
} lists;

/* Appends a mesh as it is placed. Faces that are not triangles are points and lines. */
static bool append(const mesh_file *out, const struct aiMesh *mesh, const struct aiMatrix4x4 *place, lists *to) {
  const int look = mesh->mMaterialIndex + 1 < (unsigned)out->n_looks ? (int)mesh->mMaterialIndex : out->n_looks - 1;
  const struct aiVector3D *uv = mesh->mTextureCoords[0];
  const size_t before = to->vertices.count;
  if (before + mesh->mNumVertices > INT32_MAX / 3) return false;
  double *p = cdni_array_extend(NULL, &to->vertices, 3 * sizeof(double), mesh->mNumVertices);
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
    float places[6];
    for (int k = 0; k < 3; k++) {
      const int at = mirrored ? 2 - k : k;
      const unsigned index = face->mIndices[k];
      t[at] = (int)(before + index);
      places[2 * at] = uv ? uv[index].x : NAN,
                 places[2 * at + 1] = uv ? 1 - uv[index].y : NAN; /* v is from the bottom there */
    }
    if (!cdni_array_push(NULL, &to->triangles, sizeof t, t) || !cdni_array_push(NULL, &to->looks, sizeof look, &look) ||
        !cdni_array_push(NULL, &to->places, sizeof places, places))
      return false;
  }
  return true;
}

static bool gather(mesh_file *out, const struct aiScene *scene) {
  node_list list = { .ok = read_looks(out, scene) };
  lists to = { .vertices = { 0 } };
  if (list.ok) push(&list, scene->mRootNode, NULL);
  while (list.ok && list.nodes.count > 0) {
    const placed_node at = CDNI_AT(list.nodes, placed_node, list.nodes.count - 1);
    list.nodes.count--;
    for (unsigned i = 0; list.ok && i < at.node->mNumMeshes; i++)
      list.ok = append(out, scene->mMeshes[at.node->mMeshes[i]], &at.to_root, &to);
    /* Backwards, so that the first one is the next. */
    for (unsigned i = at.node->mNumChildren; list.ok && i-- > 0;) push(&list, at.node->mChildren[i], &at.to_root);
  }
  cdni_array_free(NULL, &list.nodes);
  out->n_vertices = (int)to.vertices.count, out->n_triangles = (int)to.triangles.count;
  out->vertices = to.vertices.data, out->triangles = to.triangles.data;
  out->look = to.looks.data, out->places = to.places.data;
  return list.ok;
}

/* ---- files, as Assimp asks for them: those of materials, too ---- */

/* What Assimp holds of an open file. */
typedef struct assimp_file {
  struct aiFile ops; /* its UserData is this */
  FILE *file;
} assimp_file;

static FILE *file_of(struct aiFile *f) { return ((assimp_file *)(void *)f->UserData)->file; }

static size_t read_bytes(struct aiFile *f, char *to, size_t size, size_t n) { return fread(to, size, n, file_of(f)); }
static size_t write_bytes(struct aiFile *f, const char *from, size_t size, size_t n) {
  (void)f, (void)from, (void)size, (void)n;
  return 0;
}
static size_t tell(struct aiFile *f) {
  const long at = ftell(file_of(f));
  return at < 0 ? 0 : (size_t)at;
}
static size_t size_of(struct aiFile *f) {
  FILE *file = file_of(f);
  const long at = ftell(file), size = io_file_size(file);
  fseek(file, at, SEEK_SET);
  return size < 0 ? 0 : (size_t)size;
}
static enum aiReturn seek(struct aiFile *f, size_t offset, enum aiOrigin origin) {
  const int from = origin == aiOrigin_SET ? SEEK_SET : origin == aiOrigin_CUR ? SEEK_CUR : SEEK_END;
  return fseek(file_of(f), (long)offset, from) == 0 ? aiReturn_SUCCESS : aiReturn_FAILURE;
}
static void flush(struct aiFile *f) { (void)f; }

static struct aiFile *open_file(struct aiFileIO *io, const char *path, const char *mode) {
  const mesh_file *mesh = (const mesh_file *)(const void *)io->UserData;
  FILE *file = mode[0] == 'r' ? io_file_open(mesh->files, path) : NULL;
  assimp_file *f = file ? cdni_calloc(NULL, sizeof *f) : NULL;
  if (f) {
    f->ops = (struct aiFile){ .ReadProc = read_bytes,
                              .WriteProc = write_bytes,
                              .TellProc = tell,
                              .FileSizeProc = size_of,
                              .SeekProc = seek,
                              .FlushProc = flush,
                              .UserData = (char *)(void *)f };
    f->file = file;
    return &f->ops;
  }
  if (file) fclose(file);
  return NULL;
}

static void close_file(struct aiFileIO *io, struct aiFile *f) {
  (void)io;
  if (!f) return;
  fclose(file_of(f));
  cdni_free(NULL, f->UserData, 0);
}

cdn_status cdni_mesh_read_by_assimp(mesh_file *mesh) {
  static const char function[] = "cdn_surface_load";
  const char *end = strrchr(mesh->path, '.');
  if (end && tolower((unsigned char)end[1]) == 'd') CDNI_TRY(cdni_mesh_check_collada(mesh));
  struct aiPropertyStore *properties = aiCreatePropertyStore();
  if (!properties) return cdni_refuse(CDN_ERR_NOMEM, function, "no memory to read '%s'", mesh->path);
  aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
  struct aiFileIO io = { .OpenProc = open_file, .CloseProc = close_file, .UserData = (char *)(void *)mesh };
  const struct aiScene *scene = aiImportFileExWithProperties(mesh->path, aiProcess_Triangulate, &io, properties);
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
