/* glTF: one JSON text that describes nodes, meshes and animations, and one block of numbers that it refers to.
 *
 * Each body is a node, moved by the animation; each visual is a node below its body. glTF's y axis points up, ours is
 * z: one node above all turns the model. */
#include "gltf.h"

#include <jansson.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { SEGMENTS = 32, FLOAT = 5126, UNSIGNED_INT = 5125, VERTICES = 34962, INDICES = 34963 };

/* Geometries that are equal are one mesh; looks that are equal one material. */
typedef struct known_mesh {
  cdn_geometry geometry;
  double place[3][4];
  bool has_corners; /* of its own: it is no other visual's */
  int material, mesh;
} known_mesh;

typedef struct look {
  double rgba[4], emission;
  int texture; /* of the file; -1: none */
} look;

struct gltf {
  const cdn_scene *scene;
  json_t *nodes, *meshes, *materials, *accessors, *views, *images, *textures;
  char *data; /* the block */
  size_t size, room;
  known_mesh *known;
  int n_known;
  look *looks;
  int n_looks, n_bodies;
  int *texture;         /* of the file, for each of the scene; -1: it is not there yet */
  int *node;            /* of each body; -1: it has nothing to show */
  float *times, *moved; /* a frame's poses: 7 numbers a body */
  size_t frames, frame_room;
};

/* ---- numbers ------------------------------------------------------------------------------- */

static void *grow(void *memory, size_t size) {
  void *grown = realloc(memory, size);
  if (grown) return grown;
  complain("out of memory");
  exit(CMD_FAILED);
}

/* Appends to the block; returns the number of the view. A target of 0 is none. */
static int add_view(gltf *g, const void *bytes, size_t size, int target) {
  if (g->size + size + 4 > g->room) g->data = grow(g->data, g->room = 2 * (g->size + size + 4));
  while (g->size % 4) g->data[g->size++] = 0; /* numbers begin at whole words */
  memcpy(g->data + g->size, bytes, size);
  json_t *view =
      json_pack("{s:i, s:I, s:I}", "buffer", 0, "byteOffset", (json_int_t)g->size, "byteLength", (json_int_t)size);
  if (target) json_object_set_new(view, "target", json_integer(target));
  g->size += size;
  json_array_append_new(g->views, view);
  return (int)json_array_size(g->views) - 1;
}

/* Numbers of `width` components each, as a view of their own, with their bounds if asked for. */
static int add_floats(gltf *g, const float *x, size_t n, int width, int target, bool bounds) {
  static const char *const types[] = { NULL, "SCALAR", "VEC2", "VEC3", "VEC4" };
  const int view = add_view(g, x, n * (size_t)width * sizeof *x, target);
  json_t *a = json_pack("{s:i, s:i, s:I, s:s}", "bufferView", view, "componentType", FLOAT, "count", (json_int_t)n,
                        "type", types[width]);
  if (bounds) {
    json_t *least = json_array(), *most = json_array();
    for (int k = 0; k < width; k++) {
      float l = x[k], m = x[k];
      for (size_t i = 1; i < n; i++)
        l = fminf(l, x[i * (size_t)width + (size_t)k]), m = fmaxf(m, x[i * (size_t)width + (size_t)k]);
      json_array_append_new(least, json_real((double)l));
      json_array_append_new(most, json_real((double)m));
    }
    json_object_set_new(a, "min", least);
    json_object_set_new(a, "max", most);
  }
  json_array_append_new(g->accessors, a);
  return (int)json_array_size(g->accessors) - 1;
}

static int add_indices(gltf *g, const int32_t *x, size_t n) {
  const int view = add_view(g, x, n * sizeof *x, INDICES);
  json_array_append_new(g->accessors, json_pack("{s:i, s:i, s:I, s:s}", "bufferView", view, "componentType",
                                                UNSIGNED_INT, "count", (json_int_t)n, "type", "SCALAR"));
  return (int)json_array_size(g->accessors) - 1;
}

/* ---- looks --------------------------------------------------------------------------------- */

/* A picture as a PNG in the block; `hard`: its pixels stay squares. Returns the number of the texture, or -1. */
static int add_picture(gltf *g, int width, int height, const uint8_t *rgba, bool hard) {
  png_image image = { .version = PNG_IMAGE_VERSION, .width = (png_uint_32)width, .height = (png_uint_32)height };
  png_alloc_size_t size = 0;
  image.format = PNG_FORMAT_RGBA;
  if (!png_image_write_to_memory(&image, NULL, &size, 0, rgba, 0, NULL)) return -1;
  void *bytes = allocate(size, 1);
  const bool good = png_image_write_to_memory(&image, bytes, &size, 0, rgba, 0, NULL);
  const int view = good ? add_view(g, bytes, size, 0) : -1;
  free(bytes);
  if (view < 0) return -1;
  json_array_append_new(g->images, json_pack("{s:i, s:s}", "bufferView", view, "mimeType", "image/png"));
  json_array_append_new(
      g->textures, json_pack("{s:i, s:i}", "source", (int)json_array_size(g->images) - 1, "sampler", hard ? 1 : 0));
  return (int)json_array_size(g->textures) - 1;
}

/* Four pixels repeat: those of both colours of a checker. */
static int add_checker(gltf *g, const cdn_visual *v) {
  uint8_t rgba[16];
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++)
      rgba[4 * i + k] = k == 3 ? 255 : (uint8_t)lround(255 * (i == 0 || i == 3 ? v->rgba : v->rgb2)[k]);
  return add_picture(g, 2, 2, rgba, true);
}

static look look_of(gltf *g, const cdn_visual *v) {
  look l = { .emission = v->emission, .texture = -1 };
  cdn_texture_def t;
  memcpy(l.rgba, v->rgba, sizeof l.rgba);
  if (v->texture >= 0) {
    int *known = &g->texture[v->texture];
    if (*known < 0 && cdn_scene_texture(g->scene, v->texture, &t) == CDN_OK)
      *known = add_picture(g, t.width, t.height, t.rgba, false);
    l.texture = *known;
  } else if (v->pattern == CDN_PATTERN_CHECKER) {
    l.texture = add_checker(g, v);
    for (int k = 0; k < 3 && l.texture >= 0; k++) l.rgba[k] = 1;
  }
  return l;
}

static json_t *linear(const double rgb[3], double factor) { /* numbers of glTF are linear */
  json_t *color = json_array();
  for (int k = 0; k < 3; k++) json_array_append_new(color, json_real(factor * pow(rgb[k], 2.2)));
  return color;
}

static int material_of(gltf *g, const look *l) {
  for (int i = 0; i < g->n_looks; i++)
    if (memcmp(g->looks[i].rgba, l->rgba, sizeof l->rgba) == 0 && g->looks[i].emission == l->emission &&
        g->looks[i].texture == l->texture)
      return i;
  g->looks = grow(g->looks, (size_t)(g->n_looks + 1) * sizeof *g->looks);
  g->looks[g->n_looks] = *l;
  json_t *color = linear(l->rgba, 1);
  json_array_append_new(color, json_real(l->rgba[3]));
  json_t *surface =
      json_pack("{s:o, s:f, s:f}", "baseColorFactor", color, "metallicFactor", 0.0, "roughnessFactor", 0.7);
  if (l->texture >= 0) json_object_set_new(surface, "baseColorTexture", json_pack("{s:i}", "index", l->texture));
  json_t *m = json_pack("{s:o, s:b}", "pbrMetallicRoughness", surface, "doubleSided", 1);
  if (l->rgba[3] < 1) json_object_set_new(m, "alphaMode", json_string("BLEND"));
  if (l->emission > 0) json_object_set_new(m, "emissiveFactor", linear(l->rgba, l->emission));
  if (l->emission > 0 && l->texture >= 0)
    json_object_set_new(m, "emissiveTexture", json_pack("{s:i}", "index", l->texture));
  json_array_append_new(g->materials, m);
  return g->n_looks++;
}

static bool same_geometry(const cdn_geometry *a, const cdn_geometry *b) {
  return a->kind == b->kind && a->surface == b->surface && memcmp(a->size, b->size, sizeof a->size) == 0;
}

/* Where the vertices of a checker are in its four pixels. */
static float *checker_places(const cdn_visual *v, const cdn_triangles *t) {
  float *places = allocate(2 * (size_t)t->n_vertices, sizeof *places);
  for (int i = 0; i < t->n_vertices; i++)
    for (int k = 0; k < 2; k++)
      places[2 * i + k] = (float)((double)t->positions[3 * (size_t)i + (size_t)k] / (2 * v->tile[k]));
  return places;
}

/* The mesh of a visual; -1 if it has no triangles. */
static int mesh_of(gltf *g, int visual, const cdn_visual *v, double extent) {
  const look l = look_of(g, v);
  const int material = material_of(g, &l);
  for (int i = 0; i < g->n_known; i++) {
    const known_mesh *k = &g->known[i];
    if (k->material == material && same_geometry(&k->geometry, &v->geometry) && !k->has_corners && !v->corners &&
        (l.texture < 0 || memcmp(k->place, v->place, sizeof k->place) == 0))
      return k->mesh;
  }
  cdn_painted_triangles t;
  if (cdn_scene_triangles(g->scene, visual, SEGMENTS, extent, &t) != CDN_OK) return -1;
  const size_t n = (size_t)t.triangles.n_vertices;
  float *places = t.places || l.texture < 0 ? NULL : checker_places(v, &t.triangles);
  json_t *attributes = json_pack("{s:i, s:i}", "POSITION", add_floats(g, t.triangles.positions, n, 3, VERTICES, true),
                                 "NORMAL", add_floats(g, t.triangles.normals, n, 3, VERTICES, false));
  if (l.texture >= 0)
    json_object_set_new(attributes, "TEXCOORD_0",
                        json_integer(add_floats(g, places ? places : t.places, n, 2, VERTICES, false)));
  const int indices = add_indices(g, t.triangles.indices, 3 * (size_t)t.triangles.n_triangles);
  free(places);
  cdn_painted_triangles_free(&t);
  json_array_append_new(g->meshes, json_pack("{s:[{s:o, s:i, s:i}]}", "primitives", "attributes", attributes, "indices",
                                             indices, "material", material));
  const int mesh = (int)json_array_size(g->meshes) - 1;
  g->known = grow(g->known, (size_t)(g->n_known + 1) * sizeof *g->known);
  known_mesh *k = &g->known[g->n_known++];
  *k = (known_mesh){ .geometry = v->geometry, .has_corners = v->corners != NULL, .material = material, .mesh = mesh };
  memcpy(k->place, v->place, sizeof k->place);
  return mesh;
}

/* ---- nodes --------------------------------------------------------------------------------- */

static json_t *node_at(const char *name, cdn_transform X) {
  const cdn_quaternion q = cdn_quaternion_from_rotation(X.R);
  return json_pack("{s:s, s:[f,f,f], s:[f,f,f,f]}", "name", name, "translation", X.p.x, X.p.y, X.p.z, "rotation", q.x,
                   q.y, q.z, q.w);
}

/* A name that is no UTF-8 is left out. */
static int add_node(gltf *g, const char *name, cdn_transform X, int parent) {
  json_t *node = node_at(name, X);
  json_array_append_new(g->nodes, node ? node : node_at("", X));
  const int index = (int)json_array_size(g->nodes) - 1;
  if (parent < 0) return index;
  json_t *above = json_array_get(g->nodes, (size_t)parent);
  if (!json_object_get(above, "children")) json_object_set_new(above, "children", json_array());
  json_array_append_new(json_object_get(above, "children"), json_integer(index));
  return index;
}

gltf *gltf_begin(const cdn_scene *scene) {
  const cdn_system *system = cdn_scene_system(scene);
  gltf *g = allocate(1, sizeof *g);
  g->nodes = json_array(), g->meshes = json_array(), g->materials = json_array();
  g->accessors = json_array(), g->views = json_array(), g->images = json_array(), g->textures = json_array();
  g->scene = scene;
  g->texture = allocate((size_t)cdn_scene_texture_count(scene) + 1, sizeof *g->texture);
  for (int i = 0; i < cdn_scene_texture_count(scene); i++) g->texture[i] = -1;
  g->n_bodies = cdn_system_body_count(system);
  const double half = sqrt(0.5);
  cdn_transform up = cdn_transform_identity();
  up.R = cdn_rotation_from_quaternion((cdn_quaternion){ half, -half, 0, 0 });
  add_node(g, cdn_system_name(system) ? cdn_system_name(system) : "model", up, -1);
  g->node = allocate((size_t)g->n_bodies + 1, sizeof *g->node);
  for (int b = 0; b < g->n_bodies; b++) g->node[b] = -1;
  cdn_vec3 least, most;
  cdn_scene_bounds(scene, &least, &most);
  const double radius = 0.5 * cdn_norm(cdn_sub(most, least));
  for (int i = 0; i < cdn_scene_visual_count(scene); i++) {
    cdn_visual v;
    if (cdn_scene_visual(scene, i, &v) != CDN_OK || v.collision) continue;
    const int mesh = mesh_of(g, i, &v, radius > 0 ? 3 * radius : 1);
    if (mesh < 0) continue;
    int *body = &g->node[v.body.i];
    if (*body < 0) *body = add_node(g, cdn_body_name(system, v.body), cdn_scene_poses(scene)[v.body.i], 0);
    const int node = add_node(g, v.name, v.X_BV, *body);
    json_object_set_new(json_array_get(g->nodes, (size_t)node), "mesh", json_integer(mesh));
  }
  return g;
}

/* ---- motion -------------------------------------------------------------------------------- */

void gltf_add_frame(gltf *g, const cdn_scene *scene, double time) {
  const size_t width = 7 * (size_t)g->n_bodies;
  if (g->frames == g->frame_room) {
    g->frame_room = g->frame_room ? 2 * g->frame_room : 64;
    g->times = grow(g->times, g->frame_room * sizeof *g->times);
    g->moved = grow(g->moved, g->frame_room * width * sizeof *g->moved);
  }
  const cdn_transform *X = cdn_scene_poses(scene);
  float *to = g->moved + g->frames * width;
  for (int b = 0; b < g->n_bodies; b++, to += 7) {
    const cdn_quaternion q = cdn_quaternion_from_rotation(X[b].R);
    const float pose[7] = { (float)X[b].p.x, (float)X[b].p.y, (float)X[b].p.z, (float)q.x,
                            (float)q.y,      (float)q.z,      (float)q.w };
    /* of the two quaternions of a rotation the one near the frame before, so that the way between them is short */
    float dot = 1;
    if (g->frames > 0) {
      const float *before = to - width + 3;
      dot = before[0] * pose[3] + before[1] * pose[4] + before[2] * pose[5] + before[3] * pose[6];
    }
    memcpy(to, pose, sizeof pose);
    for (int k = 3; dot < 0 && k < 7; k++) to[k] = -to[k];
  }
  g->times[g->frames++] = (float)time;
}

static bool body_moves(const gltf *g, int body) {
  const size_t width = 7 * (size_t)g->n_bodies;
  const float *first = g->moved + 7 * body;
  for (size_t i = 1; i < g->frames; i++)
    if (memcmp(first, first + i * width, 7 * sizeof *first) != 0) return true;
  return false;
}

/* Numbers first ... first + n - 1 of a body's poses. */
static int add_track(gltf *g, int body, int first, int n) {
  float *track = allocate(g->frames * (size_t)n, sizeof *track);
  for (size_t i = 0; i < g->frames; i++)
    memcpy(track + i * (size_t)n, g->moved + 7 * (i * (size_t)g->n_bodies + (size_t)body) + first,
           (size_t)n * sizeof *track);
  const int accessor = add_floats(g, track, g->frames, n, 0, false);
  free(track);
  return accessor;
}

static json_t *make_animation(gltf *g) {
  json_t *samplers = json_array(), *channels = json_array();
  const int times = add_floats(g, g->times, g->frames, 1, 0, true);
  for (int b = 1; b < g->n_bodies; b++) {
    if (g->node[b] < 0 || !body_moves(g, b)) continue;
    for (int turns = 0; turns < 2; turns++) {
      const int track = add_track(g, b, turns ? 3 : 0, turns ? 4 : 3);
      json_array_append_new(samplers,
                            json_pack("{s:i, s:i, s:s}", "input", times, "output", track, "interpolation", "LINEAR"));
      json_array_append_new(channels,
                            json_pack("{s:i, s:{s:i, s:s}}", "sampler", (int)json_array_size(samplers) - 1, "target",
                                      "node", g->node[b], "path", turns ? "rotation" : "translation"));
    }
  }
  if (json_array_size(channels) > 0)
    return json_pack("{s:s, s:o, s:o}", "name", "run", "samplers", samplers, "channels", channels);
  json_decref(samplers);
  json_decref(channels);
  return NULL;
}

/* ---- the file ------------------------------------------------------------------------------ */

static void put_word(FILE *file, uint32_t x) {
  const unsigned char bytes[4] = { (unsigned char)x, (unsigned char)(x >> 8), (unsigned char)(x >> 16),
                                   (unsigned char)(x >> 24) };
  fwrite(bytes, 1, 4, file);
}

static void put_chunk(FILE *file, uint32_t type, const char *bytes, size_t size, char filling) {
  const size_t padded = (size + 3) / 4 * 4;
  put_word(file, (uint32_t)padded);
  put_word(file, type);
  fwrite(bytes, 1, size, file);
  for (size_t i = size; i < padded; i++) fputc(filling, file);
}

static json_t *make_text(gltf *g) {
  json_t *animation = g->frames > 1 ? make_animation(g) : NULL;
  json_t *text = json_pack("{s:{s:s, s:s}, s:i, s:[{s:[i]}], s:O}", "asset", "version", "2.0", "generator", "Cardan",
                           "scene", 0, "scenes", "nodes", 0, "nodes", g->nodes);
  const struct {
    const char *name;
    json_t *list;
  } lists[] = { { "meshes", g->meshes },     { "materials", g->materials }, { "accessors", g->accessors },
                { "bufferViews", g->views }, { "images", g->images },       { "textures", g->textures } };
  for (int i = 0; i < 6; i++) /* an empty list is against the rules */
    if (json_array_size(lists[i].list) > 0) json_object_set(text, lists[i].name, lists[i].list);
  if (json_array_size(g->textures) > 0) /* soft pixels, then hard ones; both repeat */
    json_object_set_new(text, "samplers",
                        json_pack("[{s:i, s:i}, {s:i, s:i}]", "magFilter", 9729, "minFilter", 9987, "magFilter", 9728,
                                  "minFilter", 9728));
  if (animation) json_object_set_new(text, "animations", json_pack("[o]", animation));
  if (g->size > 0) json_object_set_new(text, "buffers", json_pack("[{s:I}]", "byteLength", (json_int_t)g->size));
  return text;
}

static bool write_file(const gltf *g, const json_t *text, const char *path) {
  char *dumped = json_dumps(text, JSON_COMPACT | JSON_REAL_PRECISION(9));
  FILE *file = dumped ? fopen(path, "wb") : NULL;
  if (!file) {
    complain("%s: could not be written", path);
    free(dumped);
    return false;
  }
  const size_t length = strlen(dumped), padded = (length + 3) / 4 * 4, block = (g->size + 3) / 4 * 4;
  put_word(file, 0x46546c67); /* "glTF" */
  put_word(file, 2);
  put_word(file, (uint32_t)(12 + 8 + padded + (g->size ? 8 + block : 0)));
  put_chunk(file, 0x4e4f534a, dumped, length, ' ');
  if (g->size) put_chunk(file, 0x004e4942, g->data, g->size, 0);
  free(dumped);
  return finish_output(file, path);
}

bool gltf_end(gltf *g, const char *path) {
  json_t *text = make_text(g);
  const bool good = write_file(g, text, path);
  json_decref(text);
  json_t *lists[] = { g->nodes, g->meshes, g->materials, g->accessors, g->views, g->images, g->textures };
  for (int i = 0; i < 7; i++) json_decref(lists[i]);
  free(g->data);
  free(g->known);
  free(g->node);
  free(g->looks);
  free(g->texture);
  free(g->times);
  free(g->moved);
  free(g);
  return good;
}
