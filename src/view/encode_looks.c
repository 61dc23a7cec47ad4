/* Binary messages: textures and meshes. */
#include <math.h>

#include "view/encode.h"

enum { KIND_MESH = 2, KIND_TEXTURE = 5, MOST_PIXELS = 1024 };

/* ---- which visual has which mesh ---- */

/* A painted shape is a mesh, whatever it is else: the page has no places in textures of its own. Planes have. */
static bool is_mesh(const cdn_visual *v) {
  return v->geometry.kind >= CDN_GEOMETRY_CONVEX || (v->texture >= 0 && v->geometry.kind != CDN_GEOMETRY_HALF_SPACE);
}

static bool same_corners(const cdn_visual *a, const cdn_visual *b) {
  cdn_surface_info info;
  if (!a->corners || !b->corners) return !a->corners && !b->corners;
  return cdn_surface_get_info(a->geometry.surface, &info) == CDN_OK &&
         memcmp(a->corners, b->corners, 6 * (size_t)info.n_triangles * sizeof(float)) == 0;
}

/* Whether two visuals are the same triangles, with the same places if they are painted. */
static bool same_mesh(const cdn_visual *a, const cdn_visual *b) {
  if (a->geometry.kind != b->geometry.kind || a->geometry.surface != b->geometry.surface ||
      (a->texture < 0) != (b->texture < 0))
    return false;
  if (a->texture < 0) return true;
  return a->texture == b->texture && memcmp(a->geometry.size, b->geometry.size, sizeof a->geometry.size) == 0 &&
         memcmp(a->place, b->place, sizeof a->place) == 0 && same_corners(a, b);
}

static int find_mesh(const view_looks *l, const cdn_visual *v) {
  for (size_t i = 0; i < l->meshes.count; i++) {
    cdn_visual other;
    if (cdn_scene_visual(l->scene, CDNI_AT(l->meshes, int, i), &other) == CDN_OK && same_mesh(v, &other)) return (int)i;
  }
  return -1;
}

static cdn_status add_mesh(view_looks *l, int visual) {
  return cdni_array_push(l->allocator, &l->meshes, sizeof visual, &visual) ? CDN_OK : CDN_ERR_NOMEM;
}

cdn_status cdni_looks_make(const cdn_scene *scene, const cdn_allocator *allocator, view_looks *out) {
  *out = (view_looks){ .scene = scene, .allocator = allocator, .n_visuals = cdn_scene_visual_count(scene), .sky = -1 };
  out->of_visual = cdni_calloc(allocator, (size_t)out->n_visuals * sizeof *out->of_visual);
  cdn_status status = out->of_visual || out->n_visuals == 0 ? CDN_OK : CDN_ERR_NOMEM;
  for (int i = 0; i < out->n_visuals && status == CDN_OK; i++) {
    cdn_visual v;
    status = cdn_scene_visual(scene, i, &v);
    out->of_visual[i] = -1;
    if (status != CDN_OK || !is_mesh(&v)) continue;
    out->of_visual[i] = find_mesh(out, &v);
    if (out->of_visual[i] >= 0) continue;
    out->of_visual[i] = (int)out->meshes.count;
    status = add_mesh(out, i);
  }
  if (status == CDN_OK && cdn_scene_sky(scene, NULL) >= 0) {
    out->sky = (int)out->meshes.count;
    status = add_mesh(out, VIEW_SKY);
  }
  if (status == CDN_ERR_NOMEM) cdni_refuse(status, "cdn_view_open", "out of memory for the meshes of the view");
  if (status != CDN_OK) cdni_looks_free(out);
  return status;
}

void cdni_looks_free(view_looks *l) {
  if (!l->allocator) return;
  cdni_free(l->allocator, l->of_visual, (size_t)l->n_visuals * sizeof *l->of_visual);
  cdni_array_free(l->allocator, &l->meshes);
  *l = (view_looks){ 0 };
}

int cdni_looks_count(const view_looks *l) { return cdn_scene_texture_count(l->scene) + (int)l->meshes.count; }

/* ---- messages ---- */

static cdn_status no_memory(void) {
  return cdni_refuse(CDN_ERR_NOMEM, "cdn_view_open", "out of memory for a mesh or a texture of the view");
}

static cdn_status encode_mesh(const view_looks *l, int i, void **bytes, size_t *n) {
  enum { SEGMENTS = 48 };
  const int visual = CDNI_AT(l->meshes, int, i);
  cdn_painted_triangles t;
  CDNI_TRY(visual == VIEW_SKY ? cdn_scene_sky_triangles(l->scene, &t)
                              : cdn_scene_triangles(l->scene, visual, SEGMENTS, 1, &t));
  const uint32_t head[4] = { KIND_MESH, (uint32_t)i, (uint32_t)t.triangles.n_vertices,
                             (uint32_t)t.triangles.n_triangles };
  const size_t vertices = 12 * (size_t)t.triangles.n_vertices, triangles = 12 * (size_t)t.triangles.n_triangles,
               places = t.places ? 8 * (size_t)t.triangles.n_vertices : 0;
  unsigned char *out = malloc(sizeof head + 2 * vertices + triangles + places);
  if (out) {
    memcpy(out, head, sizeof head);
    if (vertices > 0) memcpy(out + sizeof head, t.triangles.positions, vertices);
    if (vertices > 0) memcpy(out + sizeof head + vertices, t.triangles.normals, vertices);
    if (triangles > 0) memcpy(out + sizeof head + 2 * vertices, t.triangles.indices, triangles);
    if (places > 0) memcpy(out + sizeof head + 2 * vertices + triangles, t.places, places);
    *bytes = out;
    *n = sizeof head + 2 * vertices + triangles + places;
  }
  cdn_painted_triangles_free(&t);
  return out ? CDN_OK : no_memory();
}

/* The mean of 2^halvings pixels each way, in each of the pictures that are one below the other. */
static void shrink(const cdn_texture_def *t, int sides, int halvings, int width, int height, unsigned char *out) {
  const int step = 1 << halvings, rows = t->height / sides;
  for (int side = 0; side < sides; side++)
    for (int i = 0; i < height; i++)
      for (int j = 0; j < width; j++, out += 4) {
        unsigned sum[4] = { 0 };
        for (int di = 0; di < step; di++)
          for (int dj = 0; dj < step; dj++) {
            const size_t row = (size_t)(side * rows + (step * i + di) % rows),
                         column = (size_t)((step * j + dj) % t->width);
            for (int k = 0; k < 4; k++) sum[k] += t->rgba[4 * (row * (size_t)t->width + column) + (size_t)k];
          }
        for (int k = 0; k < 4; k++)
          out[k] = (unsigned char)((sum[k] + (unsigned)(step * step) / 2) / (unsigned)(step * step));
      }
}

static cdn_status encode_texture(const view_looks *l, int i, void **bytes, size_t *n) {
  cdn_texture_def t;
  int halvings = 0;
  CDNI_TRY(cdn_scene_texture(l->scene, i, &t));
  const int sides = t.cube ? 6 : 1, rows = t.height / sides, most = t.width > rows ? t.width : rows;
  while (most >> halvings > MOST_PIXELS) halvings++;
  const int width = t.width >> halvings > 0 ? t.width >> halvings : 1,
            height = rows >> halvings > 0 ? rows >> halvings : 1;
  const uint32_t head[5] = { KIND_TEXTURE, (uint32_t)i, (uint32_t)width, (uint32_t)(sides * height), t.cube };
  const size_t pixels = 4 * (size_t)width * (size_t)height * (size_t)sides;
  unsigned char *out = malloc(sizeof head + pixels);
  if (!out) return no_memory();
  memcpy(out, head, sizeof head);
  if (halvings == 0) memcpy(out + sizeof head, t.rgba, pixels);
  else shrink(&t, sides, halvings, width, height, out + sizeof head);
  *bytes = out;
  *n = sizeof head + pixels;
  return CDN_OK;
}

cdn_status cdni_look_encode(const view_looks *l, int i, void **bytes, size_t *n) {
  const int textures = cdn_scene_texture_count(l->scene);
  *bytes = NULL;
  *n = 0;
  return i < textures ? encode_texture(l, i, bytes, n) : encode_mesh(l, i - textures, bytes, n);
}
