#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry_reference.h"

typedef long double real;

/* ---- random geometries ---- */

double sample_number(double low, double high) {
  static uint64_t state = 0x9E3779B97F4A7C15u;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return low + (high - low) * ((double)(state >> 11) * 0x1p-53);
}

cdn_vec3 sample_direction(void) {
  for (;;) {
    const cdn_vec3 v = cdn_v3(sample_number(-1, 1), sample_number(-1, 1), sample_number(-1, 1));
    const double square = cdn_dot(v, v);
    if (square > 1e-3 && square < 1) return cdn_scale(1 / sqrt(square), v);
  }
}

cdn_rotation sample_rotation(void) { return cdn_rotation_axis_angle(sample_direction(), sample_number(-3.1, 3.1)); }

/* The custom geometry: a box whose edges are rounded. */
typedef struct round_box {
  double half[3], radius;
} round_box;

static cdn_vec3 round_box_support(const void *self, cdn_vec3 n) {
  const round_box *r = self;
  const double f = r->radius / cdn_norm(n);
  return cdn_v3(copysign(r->half[0], n.x) + f * n.x, copysign(r->half[1], n.y) + f * n.y,
                copysign(r->half[2], n.z) + f * n.z);
}

void sample_make(cdn_geometry_kind kind, double size, sample_geometry *out) {
  memset(out, 0, sizeof *out);
  out->geometry.kind = kind;
  for (int i = 0; i < 3; i++) out->geometry.size[i] = size * sample_number(0.3, 1);
  cdn_surface *surface = NULL;
  cdn_status status = CDN_OK;
  if (kind == CDN_GEOMETRY_CONVEX) {
    out->n_points = (int)sample_number(5, 60);
    for (int i = 0; i < out->n_points; i++) {
      const cdn_vec3 p = cdn_scale(size * sample_number(0.3, 1), sample_direction());
      memcpy(&out->points[3 * i], &p, sizeof p);
    }
    status = cdn_surface_create_convex(out->n_points, out->points, &surface);
  } else if (kind == CDN_GEOMETRY_CUSTOM) {
    const round_box r = { { out->geometry.size[0], out->geometry.size[1], out->geometry.size[2] }, 0.2 * size };
    const cdn_surface_ops ops = {
      .struct_size = sizeof ops, .self_size = sizeof r, .support = round_box_support, .radius = 2 * size
    };
    status = cdn_surface_create_custom(&ops, &r, &surface);
    memcpy(out->points, &r, sizeof r);
  }
  if (status != CDN_OK) abort();
  out->geometry.surface = surface;
}

void sample_free(sample_geometry *s) { cdn_surface_release(s->geometry.surface); }

double sample_radius(const sample_geometry *s) {
  const double *a = s->geometry.size;
  switch (s->geometry.kind) {
    case CDN_GEOMETRY_SPHERE: return a[0];
    case CDN_GEOMETRY_HALF_SPACE: return 0;
    case CDN_GEOMETRY_CAPSULE: return a[0] + a[1];
    case CDN_GEOMETRY_ELLIPSOID: return fmax(a[0], fmax(a[1], a[2]));
    case CDN_GEOMETRY_CYLINDER: return hypot(a[0], a[1]);
    case CDN_GEOMETRY_BOX: return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    case CDN_GEOMETRY_CONVEX: {
      double most = 0;
      for (int i = 0; i < s->n_points; i++)
        most = fmax(most, cdn_norm(cdn_v3(s->points[3 * i], s->points[3 * i + 1], s->points[3 * i + 2])));
      return most;
    }
    default: return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) + s->points[3];
  }
}

/* ---- support functions ---- */

static real local_support(const sample_geometry *s, const real n[3]) {
  const double *a = s->geometry.size;
  const real length = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  switch (s->geometry.kind) {
    case CDN_GEOMETRY_SPHERE: return a[0] * length;
    case CDN_GEOMETRY_CAPSULE: return a[0] * length + a[1] * fabsl(n[2]);
    case CDN_GEOMETRY_ELLIPSOID:
      return sqrtl(a[0] * n[0] * a[0] * n[0] + a[1] * n[1] * a[1] * n[1] + a[2] * n[2] * a[2] * n[2]);
    case CDN_GEOMETRY_CYLINDER: return a[0] * sqrtl(n[0] * n[0] + n[1] * n[1]) + a[1] * fabsl(n[2]);
    case CDN_GEOMETRY_BOX: return a[0] * fabsl(n[0]) + a[1] * fabsl(n[1]) + a[2] * fabsl(n[2]);
    case CDN_GEOMETRY_CUSTOM:
      return a[0] * fabsl(n[0]) + a[1] * fabsl(n[1]) + a[2] * fabsl(n[2]) + s->points[3] * length;
    default: {
      real most = -INFINITY;
      for (int i = 0; i < s->n_points; i++)
        most = fmaxl(most, n[0] * s->points[3 * i] + n[1] * s->points[3 * i + 1] + n[2] * s->points[3 * i + 2]);
      return most;
    }
  }
}

static void turn_back(const cdn_rotation *R, const real v[3], real out[3]) {
  out[0] = R->x.x * v[0] + R->x.y * v[1] + R->x.z * v[2];
  out[1] = R->y.x * v[0] + R->y.y * v[1] + R->y.z * v[2];
  out[2] = R->z.x * v[0] + R->z.y * v[1] + R->z.z * v[2];
}

real reference_support(const sample_geometry *s, const cdn_transform *X_WS, const real n[3]) {
  real m[3];
  turn_back(&X_WS->R, n, m);
  return local_support(s, m) + n[0] * X_WS->p.x + n[1] * X_WS->p.y + n[2] * X_WS->p.z;
}

double reference_outside(const sample_geometry *s, const cdn_transform *X_WS, cdn_vec3 p_W) {
  const cdn_vec3 r = cdn_rotate_inv(X_WS->R, cdn_sub(p_W, X_WS->p));
  const double *a = s->geometry.size;
  const double rho = hypot(r.x, r.y);
  switch (s->geometry.kind) {
    case CDN_GEOMETRY_SPHERE: return cdn_norm(r) - a[0];
    case CDN_GEOMETRY_HALF_SPACE: return r.z;
    case CDN_GEOMETRY_CAPSULE: return hypot(rho, fmax(fabs(r.z) - a[1], 0)) - a[0];
    case CDN_GEOMETRY_ELLIPSOID: {
      const double f = sqrt(pow(r.x / a[0], 2) + pow(r.y / a[1], 2) + pow(r.z / a[2], 2));
      const double slope = cdn_norm(cdn_v3(r.x / (a[0] * a[0]), r.y / (a[1] * a[1]), r.z / (a[2] * a[2])));
      return (f - 1) * f / slope;
    }
    case CDN_GEOMETRY_CYLINDER: return fmax(rho - a[0], fabs(r.z) - a[1]);
    case CDN_GEOMETRY_BOX: return fmax(fabs(r.x) - a[0], fmax(fabs(r.y) - a[1], fabs(r.z) - a[2]));
    case CDN_GEOMETRY_CUSTOM:
      return hypot(hypot(fmax(fabs(r.x) - a[0], 0), fmax(fabs(r.y) - a[1], 0)), fmax(fabs(r.z) - a[2], 0)) -
             s->points[3];
    default: { /* the planes through all triples of points that have every other point on one side */
      double most = -INFINITY;
      for (int i = 0; i < s->n_points; i++)
        for (int j = i + 1; j < s->n_points; j++)
          for (int k = j + 1; k < s->n_points; k++) {
            const double *v = s->points;
            const cdn_vec3 o = cdn_v3(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
            cdn_vec3 n = cdn_cross(cdn_sub(cdn_v3(v[3 * j], v[3 * j + 1], v[3 * j + 2]), o),
                                   cdn_sub(cdn_v3(v[3 * k], v[3 * k + 1], v[3 * k + 2]), o));
            n = cdn_scale(1 / cdn_norm(n), n);
            double low = 0, high = 0;
            for (int l = 0; l < s->n_points; l++) {
              const double d = cdn_dot(n, cdn_sub(cdn_v3(v[3 * l], v[3 * l + 1], v[3 * l + 2]), o));
              low = fmin(low, d), high = fmax(high, d);
            }
            const double d = cdn_dot(n, cdn_sub(r, o));
            if (high <= 1e-12) most = fmax(most, d);
            if (low >= -1e-12) most = fmax(most, -d);
          }
      return most;
    }
  }
}

/* ---- the search ---- */

typedef struct pair {
  const sample_geometry *a, *b;
  const cdn_transform *X_WA, *X_WB;
} pair;

static real height(const pair *p, const real n[3]) {
  const real m[3] = { -n[0], -n[1], -n[2] };
  return reference_support(p->a, p->X_WA, n) + reference_support(p->b, p->X_WB, m);
}

static real unit(real n[3]) {
  const real length = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int i = 0; i < 3; i++) n[i] /= length;
  return length;
}

/* Goes from n to a local minimum: tries steps in random directions and their opposites, longer after success, shorter
 * after failure. */
static real descend(const pair *p, real n[3], real value, real step) {
  while (step > 1e-13L) {
    bool better = false;
    for (int attempt = 0; attempt < 12 && !better; attempt++) {
      const cdn_vec3 d = sample_direction();
      for (int side = -1; side <= 1; side += 2) {
        real m[3] = { n[0] + side * step * d.x, n[1] + side * step * d.y, n[2] + side * step * d.z };
        unit(m);
        const real h = height(p, m);
        if (!(h < value)) continue;
        value = h, better = true;
        memcpy(n, m, sizeof m);
        break;
      }
    }
    step *= better ? 1.6L : 0.6L;
    if (step > 0.3L) step = 0.3L;
  }
  return value;
}

double reference_gap(const sample_geometry *a, const cdn_transform *X_WA, const sample_geometry *b,
                     const cdn_transform *X_WB, cdn_vec3 n) {
  const pair p = { a, b, X_WA, X_WB };
  const real m[3] = { n.x, n.y, n.z };
  if (a->geometry.kind == CDN_GEOMETRY_HALF_SPACE) {
    const real down[3] = { -m[0], -m[1], -m[2] };
    return (double)-(n.x * (real)X_WA->p.x + n.y * (real)X_WA->p.y + n.z * (real)X_WA->p.z +
                     reference_support(b, X_WB, down));
  }
  return (double)-height(&p, m);
}

double reference_distance(const sample_geometry *a, const cdn_transform *X_WA, const sample_geometry *b,
                          const cdn_transform *X_WB) {
  if (a->geometry.kind == CDN_GEOMETRY_HALF_SPACE) return reference_gap(a, X_WA, b, X_WB, X_WA->R.z);
  if (b->geometry.kind == CDN_GEOMETRY_HALF_SPACE) return reference_gap(b, X_WB, a, X_WA, X_WB->R.z);
  const pair p = { a, b, X_WA, X_WB };
  /* Directions evenly over the sphere, by the golden angle; the best of them that are no neighbours of each other. */
  enum { COUNT = 2000, STARTS = 8 };
  static real values[COUNT], directions[COUNT][3];
  for (int i = 0; i < COUNT; i++) {
    const real z = 1 - (2 * i + 1) / (real)COUNT, r = sqrtl(1 - z * z), angle = 2.399963229728653322L * i;
    directions[i][0] = r * cosl(angle), directions[i][1] = r * sinl(angle), directions[i][2] = z;
    values[i] = height(&p, directions[i]);
  }
  real least = INFINITY;
  for (int start = 0; start < STARTS; start++) {
    int best = -1;
    for (int i = 0; i < COUNT; i++)
      if (best < 0 || values[i] < values[best]) best = i;
    if (!(values[best] < INFINITY)) break;
    real n[3];
    memcpy(n, directions[best], sizeof n);
    const real value = values[best];
    for (int i = 0; i < COUNT; i++)
      if (directions[i][0] * n[0] + directions[i][1] * n[1] + directions[i][2] * n[2] > 0.98L) values[i] = INFINITY;
    least = fminl(least, descend(&p, n, value, 0.05L));
  }
  return (double)-least;
}
