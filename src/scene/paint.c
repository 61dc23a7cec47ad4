/* Where the vertices of triangles are in a texture. The sides of a cube are one below the other in its texture, so
 * that a
 * triangle must lie on one side: those that do not are divided, and so are those on which the places are not nearly as
 * straight as the triangle is. */
#include <math.h>

#include "scene/internal.h"

void cdn_painted_triangles_free(cdn_painted_triangles *t) {
  if (!t) return;
  cdn_triangles_free(&t->triangles);
  free(t->places);
  t->places = NULL;
}

static cdn_status no_memory(const char *function) {
  return cdni_refuse(CDN_ERR_NOMEM, function, "out of memory for the triangles");
}

/* ---- cubes ---- */

static int side_of(const double d[3]) {
  const double x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]);
  const int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
  return 2 * axis + (d[axis] < 0);
}

/* On a side, from its left and its top, both from 0 to 1: OpenGL's table of cube maps. */
static void place_on_side(int side, const double d[3], double place[2]) {
  const int axis = side / 2;
  const bool below = side % 2;
  const double major = fmax(fabs(d[axis]), 1e-300);
  const double right = axis == 0   ? (below ? d[2] : -d[2])
                       : axis == 1 ? d[0]
                       : below     ? -d[0]
                                   : d[0],
               down = axis == 1 ? (below ? -d[2] : d[2]) : -d[1];
  place[0] = fmin(fmax(0.5 + 0.5 * right / major, 0), 1);
  place[1] = fmin(fmax(0.5 + 0.5 * down / major, 0), 1);
}

/* In the whole texture: half a pixel within the side. */
static void place_in_column(int side, int width, const double on_side[2], double place[2]) {
  const double inset = 0.5 / width;
  place[0] = inset + (1 - 2 * inset) * on_side[0];
  place[1] = (side + inset + (1 - 2 * inset) * on_side[1]) / 6;
}

void cdni_cube_place(cdn_vec3 direction, int width, double place[2]) {
  const double d[3] = { direction.x, direction.y, direction.z };
  const int side = side_of(d);
  double on_side[2];
  place_on_side(side, d, on_side);
  place_in_column(side, width, on_side, place);
}

/* A corner: its point, normal and direction from the middle of the cube. */
typedef struct corner {
  double p[3], n[3], d[3];
} corner;

typedef struct painter {
  const cdn_texture_def *texture;
  cdni_array corners; /* float [8], 3 a triangle */
  bool failed;
} painter;

static corner between(const corner *a, const corner *b, double part) {
  corner c;
  for (int k = 0; k < 3; k++) {
    c.p[k] = a->p[k] + part * (b->p[k] - a->p[k]);
    c.n[k] = a->n[k] + part * (b->n[k] - a->n[k]);
    c.d[k] = a->d[k] + part * (b->d[k] - a->d[k]);
  }
  const double length = sqrt(c.n[0] * c.n[0] + c.n[1] * c.n[1] + c.n[2] * c.n[2]);
  for (int k = 0; k < 3 && length > 0; k++) c.n[k] /= length;
  return c;
}

static void put_triangle(painter *to, const corner *t, int side, const double on_side[3][2]) {
  for (int i = 0; i < 3; i++) {
    double place[2];
    float f[8];
    place_in_column(side, to->texture->width, on_side[i], place);
    for (int k = 0; k < 3; k++) f[k] = (float)t[i].p[k], f[3 + k] = (float)t[i].n[k];
    f[6] = (float)place[0], f[7] = (float)place[1];
    if (!cdni_array_push(NULL, &to->corners, sizeof f, f)) to->failed = true;
  }
}

/* A triangle on one side. In four where the middles of its edges are not where the places of its corners have them. */
static void paint_on_side(painter *to, const corner t[3], int levels) {
  const double middle[3] = { t[0].d[0] + t[1].d[0] + t[2].d[0], t[0].d[1] + t[1].d[1] + t[2].d[1],
                             t[0].d[2] + t[1].d[2] + t[2].d[2] };
  double on_side[3][2];
  corner m[3];
  bool is_straight = true;
  const int side = side_of(middle);
  for (int i = 0; i < 3; i++) place_on_side(side, t[i].d, on_side[i]);
  for (int i = 0; i < 3; i++) {
    const int next = (i + 1) % 3;
    double place[2];
    m[i] = between(&t[i], &t[next], 0.5);
    place_on_side(side, m[i].d, place);
    for (int k = 0; k < 2; k++)
      is_straight = is_straight && fabs(place[k] - 0.5 * (on_side[i][k] + on_side[next][k])) < 1.0 / 256;
  }
  if (is_straight || levels == 0) {
    put_triangle(to, t, side, on_side);
    return;
  }
  const corner parts[4][3] = { { t[0], m[0], m[2] }, { m[0], t[1], m[1] }, { m[2], m[1], t[2] }, { m[0], m[1], m[2] } };
  for (int i = 0; i < 4; i++) paint_on_side(to, parts[i], levels - 1);
}

/* Divides a triangle by the planes between sides, from the `plane`-th on: x = y, x = -y, and so on. */
static void paint_on_cube(painter *to, const corner t[3], int plane) {
  enum { PLANES = 6, LEVELS = 6 };
  if (plane == PLANES) {
    paint_on_side(to, t, LEVELS);
    return;
  }
  const int a = plane / 2, b = (a + 1) % 3;
  double f[3], most = 0;
  for (int i = 0; i < 3; i++) {
    f[i] = t[i].d[a] + (plane % 2 ? t[i].d[b] : -t[i].d[b]);
    most = fmax(most, fmax(fabs(t[i].d[a]), fabs(t[i].d[b])));
  }
  int alone = -1, before = 0, behind = 0;
  for (int i = 0; i < 3; i++) before += f[i] > 1e-9 * most, behind += f[i] < -1e-9 * most;
  if (before == 0 || behind == 0) {
    paint_on_cube(to, t, plane + 1);
    return;
  }
  for (int i = 0; i < 3 && alone < 0; i++) /* the corner on a side of its own, or the first that is on no side */
    if ((before == 1 && f[i] > 1e-9 * most) || (before == 2 && f[i] < -1e-9 * most)) alone = i;
  const corner *c = &t[alone], *d = &t[(alone + 1) % 3], *e = &t[(alone + 2) % 3];
  const double fc = f[alone], fd = f[(alone + 1) % 3], fe = f[(alone + 2) % 3];
  const corner cd = between(c, d, fmin(fmax(fc / (fc - fd), 0), 1)),
               ce = between(c, e, fmin(fmax(fc / (fc - fe), 0), 1));
  const corner parts[3][3] = { { *c, cd, ce }, { cd, *d, *e }, { cd, *e, ce } };
  for (int i = 0; i < 3; i++) paint_on_cube(to, parts[i], plane + 1);
}

/* ---- triangles ---- */

/* `corners` of 8 numbers become vertices of their own. */
static bool take_corners(const cdni_array *corners, cdn_painted_triangles *out) {
  const size_t n = corners->count;
  cdn_triangles made = { .n_vertices = (int)n, .n_triangles = (int)(n / 3) };
  made.positions = malloc(3 * n * sizeof(float)), made.normals = malloc(3 * n * sizeof(float));
  made.indices = malloc(n * sizeof *made.indices);
  float *places = malloc(2 * n * sizeof(float));
  if (!made.positions || !made.normals || !made.indices || !places) {
    cdn_triangles_free(&made);
    free(places);
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    const float *f = (const float *)corners->data + 8 * i;
    memcpy(made.positions + 3 * i, f, 3 * sizeof *f);
    memcpy(made.normals + 3 * i, f + 3, 3 * sizeof *f);
    memcpy(places + 2 * i, f + 6, 2 * sizeof *f);
    made.indices[i] = (int32_t)i;
  }
  cdn_triangles_free(&out->triangles);
  *out = (cdn_painted_triangles){ made, places };
  return true;
}

static void map(const double place[3][4], const float *p, double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = place[k][0] * (double)p[0] + place[k][1] * (double)p[1] + place[k][2] * (double)p[2] + place[k][3];
}

static bool paint_cube(const double place[3][4], const cdn_texture_def *texture, cdn_painted_triangles *out) {
  painter to = { .texture = texture };
  const cdn_triangles *t = &out->triangles;
  for (int i = 0; i < t->n_triangles && !to.failed; i++) {
    corner c[3];
    for (int j = 0; j < 3; j++) {
      const size_t at = 3 * (size_t)t->indices[3 * (size_t)i + (size_t)j];
      for (int k = 0; k < 3; k++) {
        c[j].p[k] = (double)t->positions[at + (size_t)k];
        c[j].n[k] = (double)t->normals[at + (size_t)k];
      }
      map(place, t->positions + at, c[j].d);
    }
    paint_on_cube(&to, c, 0);
  }
  const bool good = !to.failed && to.corners.count > 0 && take_corners(&to.corners, out);
  cdni_array_free(NULL, &to.corners);
  return good;
}

/* The corners of a mesh have places of their own, and become vertices of their own. */
static bool paint_corners(const float *corners, cdn_painted_triangles *out) {
  cdni_array made = { 0 };
  const cdn_triangles *t = &out->triangles;
  const size_t n = 3 * (size_t)t->n_triangles;
  float *f = cdni_array_extend(NULL, &made, 8 * sizeof *f, n);
  for (size_t i = 0; f && i < n; i++, f += 8) {
    const size_t at = 3 * (size_t)t->indices[i];
    memcpy(f, t->positions + at, 3 * sizeof *f);
    memcpy(f + 3, t->normals + at, 3 * sizeof *f);
    memcpy(f + 6, corners + 2 * i, 2 * sizeof *f);
  }
  const bool good = f && take_corners(&made, out);
  cdni_array_free(NULL, &made);
  return good;
}

static bool paint_plain(const double place[3][4], cdn_painted_triangles *out) {
  const cdn_triangles *t = &out->triangles;
  out->places = malloc(2 * (size_t)t->n_vertices * sizeof *out->places);
  for (int i = 0; out->places && i < t->n_vertices; i++) {
    double at[3];
    map(place, t->positions + 3 * (size_t)i, at);
    for (int k = 0; k < 2; k++) out->places[2 * (size_t)i + (size_t)k] = (float)at[k];
  }
  return out->places != NULL;
}

static cdn_status paint(const char *function, const cdn_visual *v, const cdn_texture_def *texture,
                        cdn_painted_triangles *out) {
  if (!texture) return CDN_OK;
  const bool good = texture->cube ? paint_cube(v->place, texture, out)
                    : v->corners  ? paint_corners(v->corners, out)
                                  : paint_plain(v->place, out);
  if (good) return CDN_OK;
  cdn_painted_triangles_free(out);
  return no_memory(function);
}

cdn_status cdn_scene_triangles(const cdn_scene *scene, int visual, int segments, double extent,
                               cdn_painted_triangles *out) {
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  *out = (cdn_painted_triangles){ .places = NULL };
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  const cdn_visual *v = cdni_scene_element(&scene->visuals, visual, __func__, "visual");
  if (!v) return CDN_ERR_ARG;
  CDNI_TRY(cdn_geometry_triangles(&v->geometry, segments, extent, &out->triangles));
  return paint(__func__, v, scene_texture(scene, v->texture), out);
}

cdn_status cdn_scene_sky_triangles(const cdn_scene *scene, cdn_painted_triangles *out) {
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  *out = (cdn_painted_triangles){ .places = NULL };
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  if (scene->sky < 0) return cdni_refuse(CDN_ERR_ARG, __func__, "the scene has no sky");
  const cdn_rotation R = scene->R_GS;
  const cdn_visual cube = { .geometry = { CDN_GEOMETRY_BOX, { 1, 1, 1 }, NULL },
                            .place = {
                                { R.x.x, R.x.y, R.x.z, 0 }, { R.y.x, R.y.y, R.y.z, 0 }, { R.z.x, R.z.y, R.z.z, 0 } } };
  CDNI_TRY(cdn_geometry_triangles(&cube.geometry, 3, 1, &out->triangles));
  return paint(__func__, &cube, scene_texture(scene, scene->sky), out);
}
