/* Solids of every kind, and the laws between them. */
#include <stdlib.h>

#include "scene.h"

static cdn_surface *random_hull(dice *d, const double half[3], int n) {
  double p[3 * 32];
  cdn_surface *surface = NULL;
  for (int i = 0; i < n; i++) {
    /* the six ends of the axes first, so that the middle is inside */
    const cdn_vec3 v = i < 6 ? cdn_v3(i / 2 == 0 ? 1 - 2 * (i % 2) : 0, i / 2 == 1 ? 1 - 2 * (i % 2) : 0,
                                      i / 2 == 2 ? 1 - 2 * (i % 2) : 0)
                             : dice_direction(d);
    p[3 * i] = half[0] * v.x, p[3 * i + 1] = half[1] * v.y, p[3 * i + 2] = half[2] * v.z;
  }
  return cdn_surface_create_convex(n, p, &surface) ? NULL : surface;
}

/* One face of a box: a grid over the axes a and b, at the end `sign` of the third. */
typedef struct box_grid {
  double *v;
  int *t, n_v, n_t;
} box_grid;

static void add_face(box_grid *g, const double half[3], int axis, double sign, const int n[3]) {
  const int a = (axis + 1) % 3, b = (axis + 2) % 3, first = g->n_v;
  for (int j = 0; j <= n[b]; j++) {
    for (int i = 0; i <= n[a]; i++) {
      double *v = &g->v[3 * g->n_v++];
      v[axis] = sign * half[axis], v[a] = half[a] * (2. * i / n[a] - 1), v[b] = half[b] * (2. * j / n[b] - 1);
    }
  }
  for (int j = 0; j < n[b]; j++) {
    for (int i = 0; i < n[a]; i++) {
      const int p = first + j * (n[a] + 1) + i, q = p + 1, r = p + n[a] + 1, s = r + 1;
      const int up[6] = { p, q, s, p, s, r }, down[6] = { p, s, q, p, r, s };
      memcpy(&g->t[3 * g->n_t], sign > 0 ? up : down, sizeof up);
      g->n_t += 2;
    }
  }
}

cdn_surface *box_mesh(const double half[3], double edge) {
  cdn_surface *surface = NULL;
  int n[3], most_v = 0;
  for (int k = 0; k < 3; k++) n[k] = (int)fmin(40, fmax(1, ceil(2 * half[k] / edge)));
  for (int k = 0; k < 3; k++) most_v += 2 * (n[(k + 1) % 3] + 1) * (n[(k + 2) % 3] + 1);
  box_grid g = { malloc(3 * (size_t)most_v * sizeof(double)), malloc(6 * (size_t)most_v * sizeof(int)), 0, 0 };
  for (int k = 0; k < 3 && g.v && g.t; k++) add_face(&g, half, k, 1, n), add_face(&g, half, k, -1, n);
  if (g.v && g.t && cdn_surface_create_mesh(g.n_v, g.v, g.n_t, g.t, &surface)) surface = NULL;
  free(g.v), free(g.t);
  return surface;
}

static void all_halves(solid_shape *s, double x, double y, double z) {
  s->half[0] = x, s->half[1] = y, s->half[2] = z;
  s->inner = fmin(x, fmin(y, z));
}

bool solid_shape_make(dice *d, int kind, double size, solid_shape *out) {
  static const cdn_geometry_kind kinds[] = { CDN_GEOMETRY_SPHERE,   CDN_GEOMETRY_SPHERE,  CDN_GEOMETRY_BOX,
                                             CDN_GEOMETRY_BOX,      CDN_GEOMETRY_CAPSULE, CDN_GEOMETRY_ELLIPSOID,
                                             CDN_GEOMETRY_CYLINDER, CDN_GEOMETRY_CONVEX,  CDN_GEOMETRY_MESH };
  *out = (solid_shape){ .geometry.kind = kind >= 0 ? (cdn_geometry_kind)kind : kinds[dice_below(d, 9)] };
  cdn_geometry *g = &out->geometry;
  const double a = dice_log(d, 0.25, 0.95), b = dice_log(d, 0.15, 0.95);
  out->outer = size;
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE: g->size[0] = size, all_halves(out, size, size, size); break;
    case CDN_GEOMETRY_CAPSULE:
      g->size[0] = a * size, g->size[1] = (1 - a) * size, all_halves(out, a * size, a * size, size);
      break;
    case CDN_GEOMETRY_ELLIPSOID:
      g->size[0] = size, g->size[1] = a * size, g->size[2] = fmax(b, 0.3) * size;
      all_halves(out, size, a * size, g->size[2]);
      break;
    case CDN_GEOMETRY_CYLINDER:
      g->size[0] = a * size, g->size[1] = sqrt(1 - a * a) * size, all_halves(out, a * size, a * size, g->size[1]);
      break;
    case CDN_GEOMETRY_BOX: {
      const double n = size / sqrt(1 + a * a + b * b);
      g->size[0] = n, g->size[1] = a * n, g->size[2] = b * n, all_halves(out, n, a * n, b * n);
      break;
    }
    case CDN_GEOMETRY_CONVEX:
      all_halves(out, size, a * size, fmax(b, 0.3) * size);
      g->surface = random_hull(d, out->half, 8 + dice_below(d, 16)), out->inner *= 0.5;
      return g->surface != NULL;
    case CDN_GEOMETRY_MESH: {
      const double n = size / sqrt(1 + a * a + b * b);
      all_halves(out, n, a * n, b * n);
      g->surface = box_mesh(out->half, 0.5 * n);
      return g->surface != NULL;
    }
    default: return false;
  }
  return true;
}

void solid_shape_clear(solid_shape *s) {
  cdn_surface_release(s->geometry.surface);
  s->geometry.surface = NULL;
}

/* That of the ellipsoid with these half axes: near enough for every kind. */
cdn_mass_properties solid_shape_mass(const solid_shape *s, double density) {
  const double x = s->half[0] * s->half[0], y = s->half[1] * s->half[1], z = s->half[2] * s->half[2];
  const double m = 4. / 3 * PI * s->half[0] * s->half[1] * s->half[2] * density;
  return solid(m, cdn_v3(0, 0, 0), m * (y + z) / 5, m * (x + z) / 5, m * (x + y) / 5);
}

static bool is_round(cdn_geometry_kind k) {
  return k == CDN_GEOMETRY_SPHERE || k == CDN_GEOMETRY_CAPSULE || k == CDN_GEOMETRY_ELLIPSOID;
}

scene_law law_between(cdn_geometry_kind a, cdn_geometry_kind b, bool soft) {
  if (soft) return cdn_geometry_pair_is_supported(a, b) ? LAW_SOFT : LAW_NONE;
  if (a == CDN_GEOMETRY_MESH || b == CDN_GEOMETRY_MESH) return LAW_SPRINGS;
  if (a == CDN_GEOMETRY_HEIGHT_FIELD && b == CDN_GEOMETRY_HEIGHT_FIELD) return LAW_NONE;
  return is_round(a) || is_round(b) ? LAW_HERTZ : LAW_PRESSURE;
}
