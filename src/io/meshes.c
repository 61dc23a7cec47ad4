/* Mesh files: which format it is, MuJoCo's own format, and the surface. */
#define _POSIX_C_SOURCE 200809L
#include <cardan/meshes.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "io/meshes.h"

static const char function[] = "cdn_surface_load";

/* ---- MSH ---- */

typedef struct msh_counts {
  int32_t vertices, normals, texcoords, triangles;
} msh_counts;

static cdn_status msh_broken(const mesh_file *mesh, const char *what) {
  return cdni_refuse(CDN_ERR_FILE, function, "'%s' is no file of MuJoCo's MSH format: %s; export it again", mesh->path,
                     what);
}

/* Reads n numbers of 4 bytes into `words`, or skips them if that is NULL. */
static bool read_words(FILE *file, size_t n, uint32_t *words) {
  return words ? fread(words, 4, n, file) == n : fseek(file, (long)(4 * n), SEEK_CUR) == 0;
}

/* The numbers are those of a little-endian machine. */
static uint32_t from_little_endian(uint32_t word) {
  const unsigned char *b = (const unsigned char *)&word;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float float_of(uint32_t word) {
  float x;
  word = from_little_endian(word);
  memcpy(&x, &word, sizeof x);
  return x;
}

/* Each vertex has its place, so that a corner has that of its vertex. */
static bool take_places(mesh_file *mesh, const float *places, const msh_counts *n) {
  mesh->places = cdni_alloc(NULL, (size_t)n->triangles * sizeof *mesh->places);
  for (int i = 0; mesh->places && i < 3 * n->triangles; i++) {
    const int vertex = mesh->triangles[i];
    for (int k = 0; k < 2; k++)
      mesh->places[i / 3][2 * (i % 3) + k] = vertex >= 0 && vertex < n->vertices ? places[2 * vertex + k] : NAN;
  }
  return mesh->places != NULL;
}

static cdn_status read_msh_body(mesh_file *mesh, FILE *file, const msh_counts *n) {
  const size_t v = 3 * (size_t)n->vertices, t = 3 * (size_t)n->triangles, p = 2 * (size_t)n->texcoords;
  const size_t most = v > t && v > p ? v : t > p ? t : p;
  uint32_t *words = cdni_alloc(NULL, most * sizeof *words);
  mesh->vertices = cdni_alloc(NULL, v * sizeof(double));
  mesh->triangles = t ? cdni_alloc(NULL, t * sizeof(int)) : NULL;
  cdn_status status = CDN_OK;
  if (!words || !mesh->vertices || (t && !mesh->triangles))
    status = cdni_refuse(CDN_ERR_NOMEM, function, "no memory for the %d vertices of '%s'", n->vertices, mesh->path);
  else if (!read_words(file, v, words)) status = msh_broken(mesh, "it ends among the vertices");
  for (size_t i = 0; !status && i < v; i++) mesh->vertices[i] = (double)float_of(words[i]);
  const bool painted = n->texcoords == n->vertices && t > 0;
  float *places = !status && painted ? cdni_alloc(NULL, p * sizeof *places) : NULL;
  if (!status && painted && !places) status = cdni_refuse(CDN_ERR_NOMEM, function, "no memory for '%s'", mesh->path);
  if (!status && (!read_words(file, 3 * (size_t)n->normals, NULL) || !read_words(file, p, words)))
    status = msh_broken(mesh, "it ends among the texture coordinates");
  for (size_t i = 0; places && !status && i < p; i++) places[i] = float_of(words[i]);
  if (!status && !read_words(file, t, words)) status = msh_broken(mesh, "it ends among the triangles");
  for (size_t i = 0; !status && i < t; i++) mesh->triangles[i] = (int)(int32_t)from_little_endian(words[i]);
  if (!status && places && !take_places(mesh, places, n))
    status = cdni_refuse(CDN_ERR_NOMEM, function, "no memory for '%s'", mesh->path);
  cdni_free(NULL, words, 0);
  cdni_free(NULL, places, 0);
  mesh->n_vertices = n->vertices;
  mesh->n_triangles = n->triangles;
  return status;
}

static cdn_status read_msh(mesh_file *mesh) {
  FILE *file = io_file_open(mesh->files, mesh->path);
  if (!file)
    return cdni_refuse(CDN_ERR_FILE, function, "the mesh file '%s' cannot be opened: %s", mesh->path, strerror(errno));
  uint32_t head[4];
  cdn_status status = CDN_OK;
  if (!read_words(file, 4, head)) {
    status = msh_broken(mesh, "it is shorter than its four counts");
  } else if (memcmp(head, "$MeshFormat", 11) == 0) {
    status = cdni_refuse(CDN_ERR_UNSUPPORTED, function, "'%s' is a file of Gmsh: export it as STL or OBJ", mesh->path);
  } else {
    msh_counts n;
    for (int i = 0; i < 4; i++) (&n.vertices)[i] = (int32_t)from_little_endian(head[i]);
    /* The counts have to agree with the size of the file before memory is asked for. */
    const double wanted = 16 + 4 * (3.0 * n.vertices + 3.0 * n.normals + 2.0 * n.texcoords + 3.0 * n.triangles);
    const long size = io_file_size(file);
    if (n.vertices < 1 || n.normals < 0 || n.texcoords < 0 || n.triangles < 0)
      status = msh_broken(mesh, "a count is negative, or there are no vertices");
    else if ((double)size != wanted || fseek(file, 16, SEEK_SET) != 0)
      status = msh_broken(mesh, "its size is not what its counts say");
    else status = read_msh_body(mesh, file, &n);
  }
  fclose(file);
  return status;
}

/* ---- the surface ---- */

static void apply_scale(mesh_file *mesh, const double *scale) {
  for (size_t i = 0; i < 3 * (size_t)mesh->n_vertices; i++) mesh->vertices[i] *= scale[i % 3];
  if (scale[0] * scale[1] * scale[2] > 0) return;
  for (size_t i = 0; i < (size_t)mesh->n_triangles; i++) {
    int *t = mesh->triangles + 3 * i, kept = t[1];
    t[1] = t[2], t[2] = kept;
    for (int k = 0; mesh->places && k < 2; k++) {
      float *p = mesh->places[i], place = p[2 + k];
      p[2 + k] = p[4 + k], p[4 + k] = place;
    }
  }
}

static cdn_status make_surface(const mesh_file *mesh, bool convex, cdn_surface **out) {
  if (!convex && mesh->n_triangles == 0)
    return cdni_refuse(CDN_ERR_ARG, function, "'%s' has no triangles: ask for its convex hull", mesh->path);
  const cdn_status status =
      convex ? cdn_surface_create_convex(mesh->n_vertices, mesh->vertices, out)
             : cdn_surface_create_mesh(mesh->n_vertices, mesh->vertices, mesh->n_triangles, mesh->triangles, out);
  if (!status) return CDN_OK;
  cdn_error reason;
  cdn_last_error(&reason);
  return cdni_refuse(status, function, "'%s': %s", mesh->path, reason.text);
}

static cdn_status check_file(const io_files *files, const char *path) {
  const io_file_kind kind = io_file_look(files, path);
  if (kind == IO_FILE_ABSENT)
    return cdni_refuse(CDN_ERR_FILE, function, "the mesh file '%s' cannot be opened: %s", path, strerror(errno));
  if (kind != IO_FILE_REGULAR)
    return cdni_refuse(CDN_ERR_FILE, function, "the mesh file '%s' is not a regular file", path);
  return CDN_OK;
}

/* By the end of the file's name; NULL: no such format is read. */
static cdn_status (*find_reader(const char *path))(mesh_file *) {
  static const struct {
    const char *end;
    cdn_status (*read)(mesh_file *mesh);
  } readers[] = { { ".stl", cdni_mesh_read_by_assimp },
                  { ".obj", cdni_mesh_read_by_assimp },
                  { ".dae", cdni_mesh_read_by_assimp },
                  { ".ply", cdni_mesh_read_ply },
                  { ".gltf", cdni_mesh_read_gltf },
                  { ".glb", cdni_mesh_read_gltf },
                  { ".msh", read_msh } };
  const char *end = strrchr(path, '.');
  for (int i = 0; end && i < CDNI_COUNT(readers); i++)
    if (strcasecmp(end, readers[i].end) == 0) return readers[i].read;
  return NULL;
}

/* Reads a file whose arrays are then freed by free_mesh, in any case. */
static cdn_status read_mesh(const io_files *files, const char *path, const double scale[3], mesh_file *mesh) {
  static const double none[3] = { 1, 1, 1 };
  *mesh = (mesh_file){ .files = files, .path = path };
  if (!scale) scale = none;
  for (int k = 0; k < 3; k++)
    if (!isfinite(scale[k]) || scale[k] == 0)
      return cdni_refuse(CDN_ERR_ARG, function, "the scale of '%s' is %g %g %g: give finite numbers that are not 0",
                         path, scale[0], scale[1], scale[2]);
  cdn_status (*const read)(mesh_file *) = find_reader(path);
  if (!read)
    return cdni_refuse(
        CDN_ERR_UNSUPPORTED, function,
        "the name of the mesh file '%s' does not end in .stl, .obj, .dae, .ply, .gltf, .glb or .msh: convert "
        "it to one of these",
        path);
  CDNI_TRY(check_file(mesh->files, path));
  CDNI_TRY(read(mesh));
  apply_scale(mesh, scale);
  return CDN_OK;
}

static void free_mesh(mesh_file *mesh) {
  cdni_free(NULL, mesh->vertices, 0);
  cdni_free(NULL, mesh->triangles, 0);
  for (int i = 0; i < mesh->n_looks; i++) cdni_strfree(NULL, mesh->looks[i].texture);
  cdni_free(NULL, mesh->looks, 0);
  cdni_free(NULL, mesh->look, 0);
  cdni_free(NULL, mesh->places, 0);
}

cdn_status cdni_mesh_load(const io_files *files, const char *path, const double scale[3], bool convex,
                          cdn_surface **out) {
  mesh_file mesh;
  *out = NULL;
  cdn_status status = read_mesh(files, path, scale, &mesh);
  if (status == CDN_OK) status = make_surface(&mesh, convex, out);
  free_mesh(&mesh);
  return status;
}

cdn_status cdn_surface_load(const char *path, const double scale[3], bool convex, cdn_surface **out) {
  if (!out) return cdni_misses(function, "out");
  *out = NULL;
  if (!path) return cdni_misses(function, "path");
  return cdni_mesh_load(NULL, path, scale, convex, out);
}

/* ---- by looks ---- */

enum { MOST_PARTS = 32 };

/* The looks that triangles have, by their numbers; 0: a triangle has none, or there are too many. */
static int list_looks(const mesh_file *mesh, int used[MOST_PARTS]) {
  int n = 0;
  for (int i = 0; mesh->look && i < mesh->n_triangles; i++) {
    const int look = mesh->look[i];
    int k = 0;
    while (k < n && used[k] != look) k++;
    if (k < n) continue;
    if (n == MOST_PARTS || (mesh->looks[look].rgb[0] < 0 && !mesh->looks[look].texture)) return 0;
    used[n++] = look;
  }
  return n;
}

/* Whether a triangle of a surface is this one of the file, or that turned round. */
static bool is_triangle(const cdn_surface *s, const int corner[3], const mesh_file *mesh, int i, bool turned) {
  for (int k = 0; k < 3; k++) {
    cdn_vec3 v;
    const double *p =
        mesh->vertices + 3 * (size_t)mesh->triangles[3 * (size_t)i + (size_t)(turned && k > 0 ? 3 - k : k)];
    if (cdn_surface_vertex(s, corner[k], &v) != CDN_OK || v.x != p[0] || v.y != p[1] || v.z != p[2]) return false;
  }
  return true;
}

/* A surface has the triangles of its file in the same order, but leaves some out, and may turn all of them round. */
static cdn_status take_corners(const mesh_file *mesh, mesh_part *part) {
  cdn_surface_info info;
  CDNI_TRY(cdn_surface_get_info(part->surface, &info));
  float *corners = cdni_alloc(NULL, 6 * (size_t)info.n_triangles * sizeof *corners);
  if (!corners) return cdni_refuse(CDN_ERR_NOMEM, function, "no memory for a part of '%s'", mesh->path);
  bool known = true;
  for (int i = 0, from = 0; known && i < info.n_triangles; i++, from++) {
    int corner[3];
    CDNI_TRY(cdn_surface_triangle(part->surface, i, corner));
    while (from < mesh->n_triangles && !is_triangle(part->surface, corner, mesh, from, info.turned)) from++;
    known = from < mesh->n_triangles;
    for (int k = 0; known && k < 6; k++) {
      const int of = info.turned && k > 1 ? 6 - k / 2 * 2 + k % 2 : k;
      corners[6 * (size_t)i + (size_t)k] = mesh->places[from][of];
      known = isfinite(mesh->places[from][of]);
    }
  }
  if (known) part->corners = corners;
  else cdni_free(NULL, corners, 0);
  return CDN_OK;
}

/* The triangles of one look as a mesh; of all looks, if that is -1. */
static cdn_status make_part(const mesh_file *mesh, int look, mesh_part *part) {
  mesh_file chosen = *mesh;
  const size_t n = (size_t)mesh->n_triangles;
  chosen.n_triangles = 0;
  chosen.triangles = cdni_alloc(NULL, 3 * n * sizeof(int));
  chosen.places = mesh->places ? cdni_alloc(NULL, n * sizeof *chosen.places) : NULL;
  cdn_status status = CDN_OK;
  if (!chosen.triangles || (mesh->places && !chosen.places))
    status = cdni_refuse(CDN_ERR_NOMEM, function, "no memory for a part of '%s'", mesh->path);
  for (size_t i = 0; status == CDN_OK && i < n; i++) {
    if (look >= 0 && mesh->look[i] != look) continue;
    const size_t to = (size_t)chosen.n_triangles++;
    memcpy(chosen.triangles + 3 * to, mesh->triangles + 3 * i, 3 * sizeof(int));
    if (chosen.places) memcpy(chosen.places[to], mesh->places[i], sizeof *chosen.places);
  }
  if (status == CDN_OK) status = make_surface(&chosen, false, &part->surface);
  if (status == CDN_OK && chosen.places) status = take_corners(&chosen, part);
  if (status == CDN_OK && look >= 0) {
    part->look = mesh->looks[look];
    part->look.texture = cdni_strdup(NULL, mesh->looks[look].texture);
    if (mesh->looks[look].texture && !part->look.texture)
      status = cdni_refuse(CDN_ERR_NOMEM, function, "no memory for a part of '%s'", mesh->path);
  }
  cdni_free(NULL, chosen.triangles, 0);
  cdni_free(NULL, chosen.places, 0);
  return status;
}

cdn_status cdni_mesh_load_parts(const io_files *files, const char *path, const double scale[3], bool by_looks,
                                mesh_part **parts, int *n) {
  mesh_file mesh;
  int used[MOST_PARTS];
  *parts = NULL, *n = 0;
  cdn_status status = read_mesh(files, path, scale, &mesh);
  int count = status != CDN_OK ? 0 : by_looks ? list_looks(&mesh, used) : 1;
  if (count > 0 && !(*parts = cdni_calloc(NULL, (size_t)count * sizeof **parts)))
    status = cdni_refuse(CDN_ERR_NOMEM, function, "no memory for the parts of '%s'", path);
  while (status == CDN_OK && *n < count) {
    const int i = (*n)++;
    status = make_part(&mesh, by_looks ? used[i] : -1, &(*parts)[i]);
  }
  free_mesh(&mesh);
  if (status == CDN_OK) return CDN_OK;
  cdni_mesh_free_parts(*parts, *n);
  *parts = NULL, *n = 0;
  return status;
}

void cdni_mesh_free_parts(mesh_part *parts, int n) {
  for (int i = 0; i < n; i++) {
    cdn_surface_release(parts[i].surface);
    cdni_strfree(NULL, parts[i].look.texture);
    cdni_free(NULL, parts[i].corners, 0);
  }
  cdni_free(NULL, parts, 0);
}

bool cdni_mesh_says_up(const io_files *files, const char *path) {
  enum { HEAD = 1 << 14 }; /* <asset> comes first */
  static const char tag[] = "<up_axis>";
  const char *end = strrchr(path, '.');
  if (!end || strcasecmp(end, ".dae") != 0) return false;
  FILE *file = io_file_open(files, path);
  char *text = cdni_alloc(NULL, HEAD + 1);
  const size_t n = file && text ? fread(text, 1, HEAD, file) : 0;
  if (text) text[n] = 0;
  const char *up = n > 0 ? strstr(text, tag) : NULL;
  const bool says = up && strncmp(up + strlen(tag) + strspn(up + strlen(tag), " \t\r\n"), "Z_UP", 4) != 0;
  cdni_free(NULL, text, 0);
  if (file) fclose(file);
  return says;
}
