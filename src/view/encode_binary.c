/* Binary messages: frames. */
#include <math.h>

#include <cardan/scene.h>

#include "view/encode.h"

enum { KIND_FRAME = 1, HEAD = 40, POSE = 28, MARK = 72, MARK_FLOATS = 14 };

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
