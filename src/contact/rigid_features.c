/* The features of two shapes: what may touch what, and gap, normal and point of each, with their rates. */
#include <math.h>

#include "contact/derivatives.h"
#include "contact/rigid_parts.h"

/* ---- points of shapes ---- */

/* Rims of cylinders that lie flat stand on so many points each. */
enum { RIM_POINTS = 8 };

int cdni_rigid_points(const cdn_geometry *g) {
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE: return 1;
    case CDN_GEOMETRY_CAPSULE: return 2;
    case CDN_GEOMETRY_CYLINDER: return 2 * RIM_POINTS;
    default: return cdni_corners(g);
  }
}

/* Point i in S, and the radius about it. */
cdn_vec3 cdni_rigid_point(const cdn_geometry *g, int i, double *radius) {
  const double *size = g->size;
  *radius = is_round(g) ? size[0] : 0;
  if (g->kind == CDN_GEOMETRY_SPHERE) return cdn_v3(0, 0, 0);
  if (g->kind == CDN_GEOMETRY_CAPSULE) return cdn_v3(0, 0, i ? size[1] : -size[1]);
  if (g->kind != CDN_GEOMETRY_CYLINDER) return cdni_corner(g, i);
  const double angle = (i / 2) * (2 * 3.14159265358979323846 / RIM_POINTS);
  return cdn_v3(size[0] * cos(angle), size[0] * sin(angle), i % 2 ? size[1] : -size[1]);
}

/* ---- a point on the surface of the other shape ---- */

/* A cylinder's side, caps and rims: a rim is sharp but along itself. */
static surface_tensor cylinder_tensor(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 x, cdn_vec3 n) {
  const cdn_vec3 axis = X->R.z, radial = across(axis, cdn_sub(x, X->p));
  const double rise = cdn_dot(n, axis), rho = cdn_norm(radial), out = rho > 0 ? cdn_dot(n, radial) / rho : 0;
  if (fabs(rise) < ROUNDED) return (surface_tensor){ .k = 1 / g->size[0], .axis = axis };
  if (fabs(out) < ROUNDED) return (surface_tensor){ .k = 0 };
  const cdn_vec3 along = cdn_cross(axis, radial);
  return (surface_tensor){ .k = INFINITY, .axis = cdn_scale(1 / rho, along), .along = out / g->size[0] };
}

/* How the surface is curved at x, where its outward normal is n, seen from the distance d above it; `sharp` stands for
 * the curvature of edges and corners on the surface itself. */
static surface_tensor curvature_at(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 x, cdn_vec3 n, double d,
                                   double sharp) {
  const bool is_cylinder = g->kind == CDN_GEOMETRY_CYLINDER;
  surface_tensor T = is_cylinder ? cylinder_tensor(g, X, x, n) : cdni_surface_tensor(g, X, x, n);
  double k[2];
  cdn_vec3 direction;
  if (!is_cylinder && cdni_curvature(g, into(X, x), k, &direction))
    T = (surface_tensor){ .k = k[1], .axis = rotate(X, direction), .along = k[0] };
  T.k = isinf(T.k) ? (d > 0 ? 1 / d : sharp) : T.k / (1 + d * T.k);
  T.along /= 1 + d * T.along;
  return T;
}

static cdn_vec3 bend(const surface_tensor *T, cdn_vec3 s) {
  return fma3((T->along - T->k) * cdn_dot(T->axis, s), T->axis, cdn_scale(T->k, s));
}

/* The common end of points: c is the point in Ground, d its distance from the surface, n the normal there, outward;
 * nrate: how that turns. */
static void put_point(const rigid_feature *f, double radius, double d, cdn_vec3 c, cdn_vec3 n, const rigid_motion *m,
                      cdn_vec3 nrate, rigid_touch *out) {
  const double sign = f->side == 1 ? 1 : -1;
  out->gap = d - radius;
  out->normal = cdn_scale(sign, n);
  out->point = fma3(-(radius + 0.5 * out->gap), n, c);
  if (!m) return;
  const cdn_vec3 v = velocity(&m[f->side], c), over = cdn_sub(v, velocity(&m[1 - f->side], c));
  out->normal_rate = cdn_scale(sign, nrate);
  out->point_rate = fma3(-0.5 * cdn_dot(n, over), n, fma3(-(radius + 0.5 * out->gap), nrate, v));
}

static void measure_point(const rigid_pair *p, const rigid_feature *f, const rigid_motion *m, rigid_touch *out) {
  const int side = f->side;
  const cdn_geometry *h = p->g[1 - side];
  const cdn_transform *X = p->X[1 - side];
  double radius;
  int feature = 0;
  cdn_vec3 gradient;
  const cdn_vec3 c = cdn_transform_point(*p->X[side], cdni_rigid_point(p->g[side], f->i, &radius));
  const double d = cdni_point_distance(h, into(X, c), &gradient, &feature);
  const cdn_vec3 n = rotate(X, gradient);
  cdn_vec3 nrate = { 0, 0, 0 };
  if (m) {
    /* a corner on a corner: the normal stays with the surface */
    const surface_tensor T = curvature_at(h, X, fma3(-d, n, c), n, d, 0);
    const cdn_vec3 over = across(n, cdn_sub(velocity(&m[side], c), velocity(&m[1 - side], c)));
    nrate = cdn_add(cdn_cross(m[1 - side].w, n), bend(&T, over));
  }
  out->within = INFINITY;
  put_point(f, radius, d, c, n, m, nrate, out);
}

static void measure_corner(const rigid_pair *p, const rigid_feature *f, const rigid_motion *m, rigid_touch *out) {
  const int side = f->side;
  const cdn_geometry *h = p->g[1 - side];
  const cdn_transform *X = p->X[1 - side];
  double own[CDNI_OWN_FACES][4], radius;
  int n_faces;
  const double *plane = cdni_faces(h, own, &n_faces) + 4 * f->j;
  const cdn_vec3 c = cdn_transform_point(*p->X[side], cdni_rigid_point(p->g[side], f->i, &radius)), c_S = into(X, c);
  const cdn_vec3 n_S = cdn_v3(plane[0], plane[1], plane[2]), n = rotate(X, n_S);
  out->within = cdni_within_face(h, f->j, c_S);
  put_point(f, 0, cdn_dot(n_S, c_S) - plane[3], c, n, m, m ? cdn_cross(m[1 - side].w, n) : n, out);
}

/* ---- edges ---- */

bool cdni_rigid_edge(const cdn_geometry *g, const cdn_transform *X, int i, rigid_edge *out) {
  cdni_edge e = { 0 };
  out->sharp = !has_axis(g);
  out->radius = out->sharp ? 0 : g->size[0];
  if (!out->sharp) e.end[0] = cdn_v3(0, 0, -g->size[1]), e.end[1] = cdn_v3(0, 0, g->size[1]);
  else if (!cdni_edge_at(g, i, &e)) return false;
  out->p = cdn_transform_point(*X, e.end[0]);
  out->u = rotate(X, cdn_sub(e.end[1], e.end[0]));
  for (int k = 0; k < 2; k++) out->normal[k] = rotate(X, e.normal[k]);
  return true;
}

/* Lines whose directions differ by less, rad, do not cross. */
static const double PARALLEL = 1e-7;

bool cdni_rigid_cross(const rigid_edge *a, const rigid_edge *b, rigid_crossing *x) {
  const cdn_vec3 u = a->u, w = b->u, d = cdn_sub(b->p, a->p);
  x->c = cdn_cross(u, w), x->square = cdn_dot(x->c, x->c);
  if (!(x->square > PARALLEL * PARALLEL * cdn_dot(u, u) * cdn_dot(w, w))) return false;
  x->s = cdn_dot(cdn_cross(d, w), x->c) / x->square;
  x->t = cdn_dot(cdn_cross(d, u), x->c) / x->square;
  x->n = cdn_scale(1 / sqrt(x->square), x->c);
  x->distance = cdn_dot(x->n, d);
  /* n points out of a sharp edge, or from one axis to the other */
  const double out = a->sharp   ? cdn_dot(x->n, cdn_add(a->normal[0], a->normal[1]))
                     : b->sharp ? -cdn_dot(x->n, cdn_add(b->normal[0], b->normal[1]))
                                : x->distance;
  if (out < 0) x->n = cdn_scale(-1, x->n), x->distance = -x->distance;
  return true;
}

double cdni_rigid_within_edges(const rigid_edge *a, const rigid_edge *b, const rigid_crossing *x) {
  return fmin(fmin(x->s, 1 - x->s) * cdn_norm(a->u), fmin(x->t, 1 - x->t) * cdn_norm(b->u));
}

static bool measure_edges(const rigid_pair *p, const rigid_feature *f, const rigid_motion *m, rigid_touch *out) {
  rigid_edge a, b;
  rigid_crossing x;
  if (!cdni_rigid_edge(p->g[0], p->X[0], f->i, &a) || !cdni_rigid_edge(p->g[1], p->X[1], f->j, &b) ||
      !cdni_rigid_cross(&a, &b, &x))
    return false;
  const cdn_vec3 on_a = fma3(x.s, a.u, a.p), on_b = fma3(x.t, b.u, b.p);
  out->gap = x.distance - a.radius - b.radius;
  /* farther off, n would come to point into a */
  const double between_both = fmin(between(&a, x.n), between(&b, cdn_scale(-1, x.n)));
  out->within = fmin(cdni_rigid_within_edges(&a, &b, &x), (between_both - FAR_OFF) * p->size);
  out->normal = x.n;
  const double lever = a.radius + 0.5 * out->gap;
  out->point = fma3(lever, x.n, on_a);
  if (!m) return true;
  const cdn_vec3 crate = cdn_add(cdn_cross(cdn_cross(m[0].w, a.u), b.u), cdn_cross(a.u, cdn_cross(m[1].w, b.u)));
  const double sign = cdn_dot(x.n, x.c) < 0 ? -1 : 1, length = sqrt(x.square);
  out->normal_rate = cdn_scale(sign / length, across(x.n, crate));
  const cdn_vec3 v_a = velocity(&m[0], on_a), over = cdn_sub(velocity(&m[1], on_b), v_a);
  const double rate = cdn_dot(x.n, over);
  /* distance nrate + rate n - over = trate w - srate u */
  const cdn_vec3 r = cdn_sub(fma3(rate, x.n, cdn_scale(x.distance, out->normal_rate)), over);
  const double srate = -cdn_dot(cdn_cross(r, b.u), x.c) / x.square;
  out->point_rate = fma3(0.5 * rate, x.n, fma3(lever, out->normal_rate, fma3(srate, a.u, v_a)));
  return true;
}

/* ---- the rim of a cylinder on a plane: a half-space, or a face ---- */

/* A cylinder that stands straighter than that has no lowest point: it stands on points of the rim. */
static const double STRAIGHT = 1e-6;
/* Of the lean of a cylinder that stands upright. */
static const double LEAST = 1e-300;

static bool measure_rim(const rigid_pair *p, const rigid_feature *f, const rigid_motion *m, rigid_touch *out) {
  const int side = f->side;
  const cdn_geometry *h = p->g[1 - side];
  const cdn_transform *X = p->X[side], *below = p->X[1 - side];
  const double *size = p->g[side]->size;
  double own[CDNI_OWN_FACES][4];
  int n_faces;
  const double *plane = cdni_faces(h, own, &n_faces) + 4 * f->j;
  const cdn_vec3 n_S = cdn_v3(plane[0], plane[1], plane[2]), n = rotate(below, n_S), axis = X->R.z;
  const cdn_vec3 z = across(axis, n);
  const double lean = cdn_norm(z);
  const cdn_vec3 middle = fma3(f->i ? size[1] : -size[1], axis, X->p), w = cdn_scale(-1 / fmax(lean, LEAST), z);
  const cdn_vec3 c = fma3(size[0], w, middle);
  const cdn_vec3 c_S = into(below, c);
  const double d = cdn_dot(n_S, c_S) - plane[3];
  out->within = fmin(cdni_within_face(h, f->j, c_S), (lean - STRAIGHT) * p->size);
  put_point(f, 0, d, c, n, NULL, n, out);
  if (!m) return true;
  const cdn_vec3 nrate = cdn_cross(m[1 - side].w, n), arate = cdn_cross(m[side].w, axis);
  const double along = cdn_dot(n, axis);
  const cdn_vec3 zrate =
      cdn_sub(fma3(-(cdn_dot(nrate, axis) + cdn_dot(n, arate)), axis, nrate), cdn_scale(along, arate));
  const cdn_vec3 wrate = cdn_scale(-1 / lean, across(w, zrate));
  const double sign = side == 1 ? 1 : -1;
  /* the lowest point moves along the rim, which does not move it along n to first order */
  const cdn_vec3 crate = fma3(size[0], wrate, velocity(&m[side], middle));
  const cdn_vec3 over = cdn_sub(velocity(&m[side], c), velocity(&m[1 - side], c));
  out->normal_rate = cdn_scale(sign, nrate);
  out->point_rate = fma3(-0.5 * cdn_dot(n, over), n, fma3(-0.5 * d, nrate, crate));
  return true;
}

/* ---- the nearest points ---- */

/* Edges are as sharp as that, over the size: nearest points do not slide over them. */
static const double EDGE = 1e8;

static bool measure_closest(const rigid_pair *p, const rigid_motion *m, rigid_touch *out) {
  cdn_proximity near;
  if (!cdni_pair_distance(p->g[0], p->X[0], p->g[1], p->X[1], INFINITY, &near)) return false;
  out->gap = near.distance, out->normal = near.normal, out->within = INFINITY;
  out->point = cdn_scale(0.5, cdn_add(near.point_a, near.point_b));
  if (!m) return true;
  const touch t = {
    .normal = near.normal, .tangent = contact_tangent(near.normal), .point = out->point, .depth = -near.distance
  };
  spot c = { .t = &t, .depth = t.depth, .share = 0.5, .x_a = near.point_a };
  c.A = curvature_at(p->g[0], p->X[0], near.point_a, near.normal, 0, EDGE / p->size);
  c.B = curvature_at(p->g[1], p->X[1], near.point_b, cdn_scale(-1, near.normal), 0, EDGE / p->size);
  const small_motion d = { m[0].w, velocity(&m[0], out->point), m[1].w, velocity(&m[1], out->point) };
  const effect e = cdni_contact_effect(&c, &d);
  out->normal_rate = e.n, out->point_rate = e.p;
  return true;
}

bool cdni_rigid_measure(const rigid_pair *p, const rigid_feature *f, const rigid_motion *m, rigid_touch *out) {
  switch (f->kind) {
    case RIGID_POINT: measure_point(p, f, m, out); return true;
    case RIGID_CORNER: measure_corner(p, f, m, out); return true;
    case RIGID_EDGES: return measure_edges(p, f, m, out);
    case RIGID_RIM: return measure_rim(p, f, m, out);
    case RIGID_HOOP: return cdni_rigid_measure_hoop(p, f, m, out);
    case RIGID_CLOSEST: return measure_closest(p, m, out);
    default: return false;
  }
}
