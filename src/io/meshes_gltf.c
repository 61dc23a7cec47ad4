/* glTF 2.0, as text with its buffers beside it or inside it, and as one binary file. Of it, the triangles of the scene
 * are kept, as its nodes place them. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "io/meshes.h"

typedef struct bytes {
  unsigned char *at; /* NULL: not read yet */
  size_t n;
  bool borrowed;
} bytes;

typedef struct gltf {
  mesh_file *mesh;
  bytes file, chunk; /* chunk: the binary one */
  json_t *root;
  bytes *buffers;
  size_t n_buffers;
  cdni_array vertices, triangles;
} gltf;

/* A node and the way to the scene, as glTF has it: columns. */
typedef struct placed {
  size_t node;
  double to_scene[16];
} placed;

static const char function[] = "cdn_surface_load";

static cdn_status broken(const gltf *g, const char *what) {
  return cdni_refuse(CDN_ERR_FILE, function, "the mesh file '%s' is broken: %s; export it again", g->mesh->path, what);
}
static cdn_status no_memory(const gltf *g) {
  return cdni_refuse(CDN_ERR_NOMEM, function, "no memory to read '%s'", g->mesh->path);
}

/* ---- bytes ---- */

static cdn_status read_file(const gltf *g, const char *path, bytes *out) {
  enum { MOST = 1 << 30 };
  FILE *file = io_file_open(g->mesh->files, path);
  if (!file)
    return cdni_refuse(CDN_ERR_FILE, function, "'%s', which the mesh file '%s' needs, cannot be opened: %s", path,
                       g->mesh->path, strerror(errno));
  const long n = io_file_size(file);
  if (n > 0 && n < MOST) out->at = malloc((size_t)n);
  out->n = out->at ? fread(out->at, 1, (size_t)n, file) : 0;
  fclose(file);
  return out->at && out->n == (size_t)n ? CDN_OK : broken(g, "it, or a buffer beside it, is empty or cannot be read");
}

static cdn_status decode(const gltf *g, const char *text, bytes *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint32_t word = 0;
  int bits = 0;
  out->at = malloc(strlen(text) + 1);
  if (!out->at) return no_memory(g);
  for (; *text && *text != '='; text++) {
    const char *digit = strchr(digits, *text);
    if (!digit) return broken(g, "the base64 of a buffer has an odd character");
    word = word << 6 | (uint32_t)(digit - digits);
    if ((bits += 6) < 8) continue;
    out->at[out->n++] = (unsigned char)(word >> (bits -= 8));
  }
  return CDN_OK;
}

/* A file in the folder of the mesh file, or below it. */
static cdn_status read_beside(const gltf *g, const char *uri, bytes *out) {
  if (uri[0] == '/' || strstr(uri, "..") || strchr(uri, ':'))
    return cdni_refuse(CDN_ERR_UNSUPPORTED, function,
                       "a buffer of '%s' is not in its folder: export it as one .glb file", g->mesh->path);
  const char *slash = strrchr(g->mesh->path, '/');
  const size_t folder = slash ? (size_t)(slash + 1 - g->mesh->path) : 0;
  char *path = malloc(folder + strlen(uri) + 1);
  if (!path) return no_memory(g);
  memcpy(path, g->mesh->path, folder);
  strcpy(path + folder, uri);
  const cdn_status status = read_file(g, path, out);
  free(path);
  return status;
}

static cdn_status get_buffer(gltf *g, size_t i, const bytes **out) {
  if (i >= g->n_buffers) return broken(g, "a view names a buffer that is not there");
  bytes *b = &g->buffers[i];
  *out = b;
  if (b->at) return CDN_OK;
  const char *uri = json_string_value(json_object_get(json_array_get(json_object_get(g->root, "buffers"), i), "uri"));
  const char *base64 = uri && strncmp(uri, "data:", 5) == 0 ? strstr(uri, ";base64,") : NULL;
  if (base64) return decode(g, base64 + 8, b);
  if (uri) return read_beside(g, uri, b);
  if (i > 0 || !g->chunk.at) return broken(g, "a buffer has no bytes");
  *b = g->chunk;
  b->borrowed = true;
  return CDN_OK;
}

/* ---- accessors ---- */

/* Numbers in a buffer. */
typedef struct accessor {
  const unsigned char *at;
  size_t n, stride;
  int type; /* of OpenGL */
} accessor;

/* A whole number >= 0 of an object; `otherwise` if it is missing; SIZE_MAX if it is none. */
static size_t whole(const json_t *object, const char *key, size_t otherwise) {
  const json_t *value = json_object_get(object, key);
  if (!value) return otherwise;
  return json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) < (1ll << 40)
             ? (size_t)json_integer_value(value)
             : SIZE_MAX;
}

static size_t size_of(int type) {
  switch (type) {
    case 5121: return 1; /* bytes, without sign as the others */
    case 5123: return 2;
    case 5125:
    case 5126: return 4;
    default: return 0;
  }
}

static cdn_status get_accessor(gltf *g, const json_t *number, const char *kind, size_t width, accessor *out) {
  const json_t *list = json_object_get(g->root, "accessors");
  const json_t *a = json_is_integer(number) && json_integer_value(number) >= 0
                        ? json_array_get(list, (size_t)json_integer_value(number))
                        : NULL;
  const char *type = json_string_value(json_object_get(a, "type"));
  const size_t component = whole(a, "componentType", 0), view_number = whole(a, "bufferView", SIZE_MAX);
  if (!type || strcmp(type, kind) != 0 || component > 6000)
    return broken(g, "an accessor is missing, or of an odd type");
  if (json_object_get(a, "sparse") || view_number == SIZE_MAX)
    return cdni_refuse(CDN_ERR_UNSUPPORTED, function, "'%s' has sparse accessors: export it without", g->mesh->path);
  const json_t *view = json_array_get(json_object_get(g->root, "bufferViews"), view_number);
  const bytes *buffer = NULL;
  if (!view) return broken(g, "an accessor names a view that is not there");
  CDNI_TRY(get_buffer(g, whole(view, "buffer", SIZE_MAX), &buffer));
  const size_t item = width * size_of((int)component), from = whole(view, "byteOffset", 0),
               length = whole(view, "byteLength", 0);
  const size_t offset = whole(a, "byteOffset", 0), stride = whole(view, "byteStride", item), n = whole(a, "count", 0);
  if (item == 0 || stride < item || stride > 4096 || from > buffer->n || length > buffer->n - from || offset > length ||
      n > (1u << 30) || (n > 0 && (n - 1) * stride + item > length - offset))
    return broken(g, "an accessor reaches beyond its buffer, or has an odd type");
  *out = (accessor){ buffer->at + from + offset, n, stride, (int)component };
  return CDN_OK;
}

static uint32_t index_at(const accessor *a, size_t i) {
  const unsigned char *b = a->at + i * a->stride;
  uint32_t index = b[0];
  if (a->type != 5121) index |= (uint32_t)b[1] << 8;
  if (a->type == 5125) index |= (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
  return index;
}

static double float_at(const accessor *a, size_t i, int k) {
  const unsigned char *b = a->at + i * a->stride + 4 * (size_t)k;
  const uint32_t word = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
  float x;
  memcpy(&x, &word, sizeof x);
  return x;
}

/* ---- meshes ---- */

static cdn_status add_triangle(gltf *g, const size_t corner[3], size_t before, size_t n, bool turn) {
  int t[3];
  for (int k = 0; k < 3; k++) {
    if (corner[k] >= n) return broken(g, "a triangle has a corner that is not there");
    t[turn ? 2 - k : k] = (int)(before + corner[k]);
  }
  return cdni_array_push(NULL, &g->triangles, sizeof t, t) ? CDN_OK : no_memory(g);
}

/* Triangles, strips and fans; points and lines are left out. */
static cdn_status add_primitive(gltf *g, const json_t *primitive, const double *m) {
  enum { TRIANGLES = 4, STRIP = 5, FAN = 6, MOST = 1 << 28 };
  const size_t mode = whole(primitive, "mode", TRIANGLES), before = g->vertices.count;
  const json_t *indices = json_object_get(primitive, "indices");
  accessor p, index = { .n = 0 };
  if (mode < TRIANGLES) return CDN_OK;
  CDNI_TRY(get_accessor(g, json_object_get(json_object_get(primitive, "attributes"), "POSITION"), "VEC3", 3, &p));
  if (indices) CDNI_TRY(get_accessor(g, indices, "SCALAR", 1, &index));
  if (p.type != 5126 || index.type == 5126 || mode > FAN || before + p.n > MOST)
    return broken(g, "its positions or indices are of an odd type");
  for (size_t i = 0; i < p.n; i++) {
    double v[3];
    for (int k = 0; k < 3; k++)
      v[k] = m[k] * float_at(&p, i, 0) + m[4 + k] * float_at(&p, i, 1) + m[8 + k] * float_at(&p, i, 2) + m[12 + k];
    const double upright[3] = { v[0], -v[2], v[1] }; /* y is up there, and z here */
    if (!cdni_array_push(NULL, &g->vertices, sizeof upright, upright)) return no_memory(g);
  }
  const double det =
      m[0] * (m[5] * m[10] - m[6] * m[9]) - m[4] * (m[1] * m[10] - m[2] * m[9]) + m[8] * (m[1] * m[6] - m[2] * m[5]);
  const size_t n = indices ? index.n : p.n;
  for (size_t i = 0; i + 2 < n; i += mode == TRIANGLES ? 3 : 1) {
    size_t corner[3] = { mode == FAN ? 0 : i, i + 1, i + 2 };
    for (int k = 0; indices && k < 3; k++) corner[k] = index_at(&index, corner[k]);
    CDNI_TRY(add_triangle(g, corner, before, p.n, (mode == STRIP && i % 2) != (det < 0)));
  }
  return CDN_OK;
}

/* ---- nodes ---- */

static bool read_numbers(const json_t *list, size_t n, double *out) {
  if (!list) return true;
  bool good = json_array_size(list) == n;
  for (size_t i = 0; good && i < n; i++) {
    good = json_is_number(json_array_get(list, i));
    out[i] = json_number_value(json_array_get(list, i));
  }
  return good;
}

static bool read_place(const json_t *node, double m[16]) {
  double t[3] = { 0, 0, 0 }, q[4] = { 0, 0, 0, 1 }, s[3] = { 1, 1, 1 };
  if (json_object_get(node, "matrix")) return read_numbers(json_object_get(node, "matrix"), 16, m);
  if (!read_numbers(json_object_get(node, "translation"), 3, t) ||
      !read_numbers(json_object_get(node, "rotation"), 4, q) || !read_numbers(json_object_get(node, "scale"), 3, s))
    return false;
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  const double R[9] = { 1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
                        2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
                        2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y) };
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < 4; r++) m[4 * c + r] = r < 3 ? R[3 * c + r] * s[c] : 0;
  for (int r = 0; r < 4; r++) m[12 + r] = r < 3 ? t[r] : 1;
  return true;
}

static bool push(cdni_array *nodes, const json_t *number, const double *to_scene) {
  placed p = { json_is_integer(number) ? (size_t)json_integer_value(number) : SIZE_MAX, { 0 } };
  memcpy(p.to_scene, to_scene, sizeof p.to_scene);
  return cdni_array_push(NULL, nodes, sizeof p, &p) != NULL;
}

static cdn_status visit(gltf *g, const placed *at, cdni_array *nodes) {
  const json_t *node = json_array_get(json_object_get(g->root, "nodes"), at->node), *child, *primitive;
  double own[16] = { 0 }, m[16];
  size_t i;
  if (!node || !read_place(node, own)) return broken(g, "a node is missing, or is placed oddly");
  for (int c = 0; c < 4; c++)
    for (int r = 0; r < 4; r++) {
      m[4 * c + r] = 0;
      for (int k = 0; k < 4; k++) m[4 * c + r] += at->to_scene[4 * k + r] * own[4 * c + k];
    }
  const json_t *mesh = json_object_get(node, "mesh");
  if (mesh) mesh = json_array_get(json_object_get(g->root, "meshes"), whole(node, "mesh", 0));
  json_array_foreach(json_object_get(mesh, "primitives"), i, primitive) CDNI_TRY(add_primitive(g, primitive, m));
  json_array_foreach(json_object_get(node, "children"), i, child) if (!push(nodes, child, m)) return no_memory(g);
  return CDN_OK;
}

static cdn_status visit_all(gltf *g) {
  static const double none[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
  const json_t *scene = json_array_get(json_object_get(g->root, "scenes"), whole(g->root, "scene", 0)), *number;
  const size_t most = json_array_size(json_object_get(g->root, "nodes"));
  cdni_array nodes = { 0 };
  size_t i, visited = 0;
  cdn_status status = CDN_OK;
  json_array_foreach(json_object_get(scene, "nodes"), i, number) if (!push(&nodes, number, none)) status = no_memory(g);
  while (status == CDN_OK && nodes.count > 0) {
    const placed at = CDNI_AT(nodes, placed, nodes.count - 1);
    nodes.count--;
    status = ++visited > most ? broken(g, "a node has two parents") : visit(g, &at, &nodes);
  }
  cdni_array_free(NULL, &nodes);
  return status;
}

/* ---- the file ---- */

static uint32_t word_at(const gltf *g, size_t at) {
  const unsigned char *b = g->file.at + at;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static cdn_status read_root(gltf *g) {
  const char *text = (const char *)g->file.at;
  size_t n = g->file.n;
  if (n >= 20 && memcmp(text, "glTF", 4) == 0) {
    const size_t json = word_at(g, 12), behind = 20 + json;
    if (json > n - 20 || word_at(g, 16) != 0x4e4f534a) return broken(g, "its first chunk is not JSON");
    if (behind + 8 <= n && word_at(g, behind + 4) == 0x004e4942) {
      g->chunk = (bytes){ g->file.at + behind + 8, word_at(g, behind), true };
      if (g->chunk.n > n - behind - 8) return broken(g, "its binary chunk is cut");
    }
    text += 20, n = json;
  }
  g->root = json_loadb(text, n, 0, NULL);
  const char *version = json_string_value(json_object_get(json_object_get(g->root, "asset"), "version"));
  if (!version) return broken(g, "it is not glTF's JSON");
  if (version[0] != '2')
    return cdni_refuse(CDN_ERR_UNSUPPORTED, function, "'%s' is glTF %.8s: export it as glTF 2.0", g->mesh->path,
                       version);
  const char *extension = json_string_value(json_array_get(json_object_get(g->root, "extensionsRequired"), 0));
  if (extension)
    return cdni_refuse(CDN_ERR_UNSUPPORTED, function, "'%s' requires %.64s, which is not read: export it without",
                       g->mesh->path, extension);
  g->n_buffers = json_array_size(json_object_get(g->root, "buffers"));
  g->buffers = calloc(g->n_buffers + 1, sizeof *g->buffers);
  return g->buffers ? CDN_OK : no_memory(g);
}

cdn_status cdni_mesh_read_gltf(mesh_file *mesh) {
  gltf g = { .mesh = mesh };
  cdn_status status = read_file(&g, mesh->path, &g.file);
  if (status == CDN_OK) status = read_root(&g);
  if (status == CDN_OK) status = visit_all(&g);
  if (status == CDN_OK && g.vertices.count == 0) status = broken(&g, "its scene has no meshes");
  mesh->vertices = g.vertices.data, mesh->n_vertices = (int)g.vertices.count;
  mesh->triangles = g.triangles.data, mesh->n_triangles = (int)g.triangles.count;
  for (size_t i = 0; i < g.n_buffers && g.buffers; i++)
    if (!g.buffers[i].borrowed) free(g.buffers[i].at);
  free(g.buffers);
  free(g.file.at);
  json_decref(g.root);
  return status;
}
