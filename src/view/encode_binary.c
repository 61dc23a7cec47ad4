/* Binary messages: frames and meshes. */
#include <math.h>

#include <cardan/scene.h>

#include "view/encode.h"

enum { KIND_FRAME = 1, KIND_MESH = 2, HEAD = 40, POSE = 28, MARK = 72, MARK_FLOATS = 14 };

/* ---- frames ---- */

static void put_pose(float *out, cdn_transform X) {
  const cdn_quaternion q = cdn_quaternion_from_rotation(X.R);
  const double numbers[7] = { X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z };
  for (int k = 0; k < 7; k++) out[k] = (float)numbers[k];
}

static unsigned char *put_head(unsigned char *out, const uint32_t head[10], double time, const double *values,
                               int n_values) {
  memcpy(out, head, 8);
  memcpy(out + 8, &time, 8);
  memcpy(out + 16, head + 4, 24);
  if (n_values > 0) memcpy(out + HEAD, values, 8 * (size_t)n_values);
  return out + HEAD + 8 * (size_t)n_values;
}

static unsigned char *put_poses(unsigned char *out, const cdn_transform *poses, int n) {
  for (int b = 0; b < n; b++, out += POSE) {
    float pose[7];
    put_pose(pose, poses[b]);
    memcpy(out, pose, POSE);
  }
  return out;
}

size_t cdni_pose_frame_size(int n_values, int n_bodies) {
  return HEAD + 8 * (size_t)n_values + POSE * (size_t)n_bodies;
}

void cdni_pose_frame_write(uint32_t run, uint32_t number, bool jumped, double time, const double *values, int n_values,
                           const cdn_transform *poses, int n_bodies, void *out) {
  const uint32_t head[10] = { KIND_FRAME, run, 0, 0, number, (uint32_t)n_bodies, (uint32_t)n_values, 0, 0, jumped };
  put_poses(put_head(out, head, time, values, n_values), poses, n_bodies);
}

static size_t text_bytes(const cdn_mark *marks, int n) {
  size_t bytes = 0;
  for (int i = 0; i < n; i++)
    if (marks[i].text) bytes += strlen(marks[i].text) + 1;
  return bytes;
}

size_t cdni_frame_size(const view_frame *f) {
  int n;
  const cdn_mark *marks = cdn_scene_marks(f->scene, &n);
  return cdni_pose_frame_size(f->n_values, f->n_bodies) + MARK * (size_t)n + text_bytes(marks, n);
}

static void put_mark(unsigned char *out, const cdn_mark *m, int32_t text) {
  const int32_t head[4] = { m->kind, (int32_t)m->layer, m->body.i, text };
  float numbers[MARK_FLOATS];
  put_pose(numbers, m->X_G);
  for (int k = 0; k < 3; k++) numbers[7 + k] = (float)m->size[k];
  for (int k = 0; k < 4; k++) numbers[10 + k] = m->rgba[k];
  memcpy(out, head, sizeof head);
  memcpy(out + sizeof head, numbers, sizeof numbers);
}
_Static_assert(4 * 4 + 4 * MARK_FLOATS == MARK, "a mark is as docs/wire.md has it");

void cdni_frame_write(const view_frame *f, void *bytes) {
  int n;
  const cdn_mark *marks = cdn_scene_marks(f->scene, &n);
  const uint32_t head[10] = { KIND_FRAME,
                              f->run,
                              0,
                              0,
                              f->number,
                              (uint32_t)f->n_bodies,
                              (uint32_t)f->n_values,
                              (uint32_t)n,
                              (uint32_t)text_bytes(marks, n),
                              f->jumped };
  unsigned char *out = put_head(bytes, head, cdn_scene_time(f->scene), f->values, f->n_values);
  out = put_poses(out, cdn_scene_poses(f->scene), f->n_bodies);
  unsigned char *text = out + MARK * (size_t)n;
  int32_t offset = 0;
  for (int i = 0; i < n; i++, out += MARK) {
    put_mark(out, &marks[i], marks[i].text ? offset : -1);
    if (!marks[i].text) continue;
    const size_t length = strlen(marks[i].text) + 1;
    memcpy(text + offset, marks[i].text, length);
    offset += (int32_t)length;
  }
}

/* ---- meshes ---- */

static bool is_mesh(const cdn_geometry *g) { return g->kind >= CDN_GEOMETRY_CONVEX; }

static int find_mesh(const view_meshes *m, const cdn_geometry *g) {
  for (size_t i = 0; i < m->geometries.count; i++)
    if (CDNI_AT(m->geometries, cdn_geometry, i).surface == g->surface) return (int)i;
  return -1;
}

cdn_status cdni_meshes_make(const cdn_scene *scene, const cdn_allocator *allocator, view_meshes *out) {
  *out = (view_meshes){ .allocator = allocator, .n_visuals = cdn_scene_visual_count(scene) };
  out->of_visual = cdni_calloc(allocator, (size_t)out->n_visuals * sizeof *out->of_visual);
  cdn_status status = out->of_visual || out->n_visuals == 0 ? CDN_OK : CDN_ERR_NOMEM;
  for (int i = 0; i < out->n_visuals && status == CDN_OK; i++) {
    cdn_visual v;
    status = cdn_scene_visual(scene, i, &v);
    out->of_visual[i] = -1;
    if (status != CDN_OK || !is_mesh(&v.geometry)) continue;
    out->of_visual[i] = find_mesh(out, &v.geometry);
    if (out->of_visual[i] >= 0) continue;
    out->of_visual[i] = (int)out->geometries.count;
    if (!cdni_array_push(allocator, &out->geometries, sizeof v.geometry, &v.geometry)) status = CDN_ERR_NOMEM;
  }
  if (status == CDN_ERR_NOMEM) cdni_refuse(status, "cdn_view_open", "out of memory for the meshes of the view");
  if (status != CDN_OK) cdni_meshes_free(out);
  return status;
}

void cdni_meshes_free(view_meshes *m) {
  if (!m->allocator) return;
  cdni_free(m->allocator, m->of_visual, (size_t)m->n_visuals * sizeof *m->of_visual);
  cdni_array_free(m->allocator, &m->geometries);
  *m = (view_meshes){ 0 };
}

cdn_status cdni_mesh_encode(const view_meshes *m, int i, void **bytes, size_t *n) {
  enum { SEGMENTS = 48 };
  cdn_triangles t;
  *bytes = NULL;
  *n = 0;
  CDNI_TRY(cdn_geometry_triangles(&CDNI_AT(m->geometries, cdn_geometry, i), SEGMENTS, 1, &t));
  const uint32_t head[4] = { KIND_MESH, (uint32_t)i, (uint32_t)t.n_vertices, (uint32_t)t.n_triangles };
  const size_t vertices = 12 * (size_t)t.n_vertices, triangles = 12 * (size_t)t.n_triangles;
  unsigned char *out = malloc(sizeof head + 2 * vertices + triangles);
  if (out) {
    memcpy(out, head, sizeof head);
    if (vertices > 0) memcpy(out + sizeof head, t.positions, vertices);
    if (vertices > 0) memcpy(out + sizeof head + vertices, t.normals, vertices);
    if (triangles > 0) memcpy(out + sizeof head + 2 * vertices, t.indices, triangles);
    *bytes = out;
    *n = sizeof head + 2 * vertices + triangles;
  }
  cdn_triangles_free(&t);
  return out ? CDN_OK : cdni_refuse(CDN_ERR_NOMEM, "cdn_view_open", "out of memory for a mesh of the view");
}
