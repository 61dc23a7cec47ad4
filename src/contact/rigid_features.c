/* The features of two shapes: what may touch what, and gap, normal and point of each, with their rates. */
#include <math.h>

#include "contact/derivatives.h"
#include "contact/rigid.h"

/* ---- vectors ---- */

static cdn_vec3 fma3(double s, cdn_vec3 a, cdn_vec3 b) { return cdn_add(cdn_scale(s, a), b); }
static cdn_vec3 rotate(const cdn_transform *X, cdn_vec3 v) { return cdn_rotate(X->R, v); }
static cdn_vec3 across(cdn_vec3 n, cdn_vec3 v) { return cdn_sub(v, cdn_scale(cdn_dot(n, v), n)); }
static cdn_vec3 into(const cdn_transform *X, cdn_vec3 p) {
  const cdn_vec3 d = cdn_sub(p, X->p);
  return cdn_v3(cdn_dot(X->R.x, d), cdn_dot(X->R.y, d), cdn_dot(X->R.z, d));
}
static cdn_vec3 velocity(const rigid_motion *m, cdn_vec3 p) {
  return cdn_add(m->v, cdn_cross(m->w, cdn_sub(p, m->at)));
}

/* What is told as zero among places, in parts of the shape's size, and among unit vectors. */
static const double ROUNDED = 1e-9;
/* Edges cross if they do not end within this part of the place, where corners touch: it is less than what slots allow
 * (rigid.c). */
static const double ENDS = 2e-12;

/* ---- points of shapes ---- */

/* Rims of cylinders that lie flat stand on so many points each. */
enum { RIM_POINTS = 8 };

static bool is_round(const cdn_geometry *g) {
  return g->kind == CDN_GEOMETRY_SPHERE || g->kind == CDN_GEOMETRY_CAPSULE;
}
static bool is_flat(const cdn_geometry *g) {
  return g->kind == CDN_GEOMETRY_BOX || g->kind == CDN_GEOMETRY_CONVEX || g->kind == CDN_GEOMETRY_HALF_SPACE;
}
static bool is_surface(const cdn_geometry *g) {
  return g->kind == CDN_GEOMETRY_MESH || g->kind == CDN_GEOMETRY_HEIGHT_FIELD;
}

static int points_of(const cdn_geometry *g) {
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE: return 1;
    case CDN_GEOMETRY_CAPSULE: return 2;
    case CDN_GEOMETRY_CYLINDER: return 2 * RIM_POINTS;
    default: return cdni_corners(g);
  }
}

/* Point i in S, and the radius about it. */
static cdn_vec3 point_of(const cdn_geometry *g, int i, double *radius) {
  const double *size = g->size;
  *radius = is_round(g) ? size[0] : 0;
  if (g->kind == CDN_GEOMETRY_SPHERE) return cdn_v3(0, 0, 0);
  if (g->kind == CDN_GEOMETRY_CAPSULE) return cdn_v3(0, 0, i ? size[1] : -size[1]);
  if (g->kind != CDN_GEOMETRY_CYLINDER) return cdni_corner(g, i);
  const double angle = (i / 2) * (2 * 3.14159265358979323846 / RIM_POINTS);
  return cdn_v3(size[0] * cos(angle), size[0] * sin(angle), i % 2 ? size[1] : -size[1]);
}

int cdni_rigid_slots_for(const cdn_geometry *g) {
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE:
    case CDN_GEOMETRY_ELLIPSOID: return 2;
    case CDN_GEOMETRY_CAPSULE: return 4;
    default: return 12;
  }
}

/* ---- what is known of two kinds ---- */

/* The side of a capsule or a cylinder is an edge: its axis, with a radius. */
static bool has_axis(const cdn_geometry *g) {
  return g->kind == CDN_GEOMETRY_CAPSULE || g->kind == CDN_GEOMETRY_CYLINDER;
}
static int edges_of(const cdn_geometry *g) { return has_axis(g) ? 1 : cdni_edges(g); }
/* Points of `g` meet `h` as balls, or as corners on its faces. */
static bool meets_by_points(const cdn_geometry *g, const cdn_geometry *h) {
  if (g->kind == CDN_GEOMETRY_ELLIPSOID || points_of(g) == 0) return false;
  if (h->kind == CDN_GEOMETRY_CUSTOM) return false;
  return h->kind != CDN_GEOMETRY_SPHERE || g->kind == CDN_GEOMETRY_SPHERE || !is_round(h);
}
static bool is_strict(const cdn_geometry *g) {
  return g->kind == CDN_GEOMETRY_ELLIPSOID || g->kind == CDN_GEOMETRY_CYLINDER;
}
/* The nearest points are a feature of their own. */
static bool meets_closest(const cdn_geometry *g, const cdn_geometry *h) {
  if (!is_strict(g) && !is_strict(h)) return false;
  if (is_surface(g) || is_surface(h)) return false;
  if (g->kind == CDN_GEOMETRY_SPHERE || h->kind == CDN_GEOMETRY_SPHERE) return false;
  return !(g->kind == CDN_GEOMETRY_CYLINDER && h->kind == CDN_GEOMETRY_HALF_SPACE) &&
         !(h->kind == CDN_GEOMETRY_CYLINDER && g->kind == CDN_GEOMETRY_HALF_SPACE);
}

bool cdni_rigid_is_known(const cdn_geometry *a, const cdn_geometry *b) {
  if (a->kind == CDN_GEOMETRY_CUSTOM || b->kind == CDN_GEOMETRY_CUSTOM) return false;
  if (is_surface(a) || is_surface(b)) {
    const cdn_geometry *other = is_surface(a) ? b : a;
    return !is_surface(other) && points_of(other) > 0;
  }
  return cdni_pair_is_supported(a, b) && (meets_by_points(a, b) || meets_by_points(b, a) || meets_closest(a, b));
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
  const cdn_vec3 c = cdn_transform_point(*p->X[side], point_of(p->g[side], f->i, &radius));
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
  const cdn_vec3 c = cdn_transform_point(*p->X[side], point_of(p->g[side], f->i, &radius)), c_S = into(X, c);
  const cdn_vec3 n_S = cdn_v3(plane[0], plane[1], plane[2]), n = rotate(X, n_S);
  out->within = cdni_within_face(h, f->j, c_S);
  put_point(f, 0, cdn_dot(n_S, c_S) - plane[3], c, n, m, m ? cdn_cross(m[1 - side].w, n) : n, out);
}

/* ---- edges ---- */

typedef struct edge {
  cdn_vec3 p, u; /* in Ground: its beginning, and its length along its direction */
  cdn_vec3 normal[2];
  bool sharp; /* between two faces; else an axis */
  double radius;
} edge;

static bool edge_of(const cdn_geometry *g, const cdn_transform *X, int i, edge *out) {
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

/* Two lines: the nearest places on them in parts of their lengths, and the unit normal from a to b. */
typedef struct crossing {
  cdn_vec3 c, n; /* u x w, and along it */
  double square, s, t, distance;
} crossing;

/* Lines whose directions differ by less, rad, do not cross. */
static const double PARALLEL = 1e-7;

static bool cross(const edge *a, const edge *b, crossing *x) {
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

/* How far the crossing is from the ends of the edges, m. */
static double within_edges(const edge *a, const edge *b, const crossing *x) {
  return fmin(fmin(x->s, 1 - x->s) * cdn_norm(a->u), fmin(x->t, 1 - x->t) * cdn_norm(b->u));
}

/* How far n is between the normals of the faces at the edge, about as a sine; then the solid is behind it. */
static double between_faces(const edge *e, cdn_vec3 n) {
  const cdn_vec3 *f = e->normal;
  if (!e->sharp) return 1;
  const double c = cdn_dot(f[0], f[1]);
  return fmin(cdn_dot(n, cdn_sub(f[1], cdn_scale(c, f[0]))), cdn_dot(n, cdn_sub(f[0], cdn_scale(c, f[1]))));
}

static bool measure_edges(const rigid_pair *p, const rigid_feature *f, const rigid_motion *m, rigid_touch *out) {
  edge a, b;
  crossing x;
  if (!edge_of(p->g[0], p->X[0], f->i, &a) || !edge_of(p->g[1], p->X[1], f->j, &b) || !cross(&a, &b, &x)) return false;
  const cdn_vec3 on_a = fma3(x.s, a.u, a.p), on_b = fma3(x.t, b.u, b.p);
  out->gap = x.distance - a.radius - b.radius;
  out->within = within_edges(&a, &b, &x);
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

/* A cylinder that stands straighter than that has no lowest point: it stands on points of the rim. While it is nearly
 * straight, it may come to stand on them. */
static const double STRAIGHT = 1e-6, NEARLY_STRAIGHT = 1e-3, LEAST = 1e-300;

static double lean_of(const rigid_pair *p, int side, cdn_vec3 n) { return cdn_norm(cdn_cross(n, p->X[side]->R.z)); }

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
  out->within = cdni_within_face(h, f->j, c_S);
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
    case RIGID_CLOSEST: return measure_closest(p, m, out);
    default: return false;
  }
}

/* ---- all features ---- */

typedef struct visit {
  const rigid_pair *p;
  rigid_feature f;
  double reach, least;
  rigid_visitor *visitor;
  void *context;
} visit;

static void tell(visit *v, double gap) {
  if (!(gap < v->reach)) return;
  v->least = fmin(v->least, gap);
  v->visitor(v->context, &v->f, gap);
}

/* A corner is on the face that it is farthest out of. Of several, as at an edge, it is on the one that the shape of the
 * corner is above. */
static void visit_corner(visit *v, cdn_vec3 c_S, const double *planes, int n_faces) {
  const int side = v->f.side;
  const cdn_geometry *g = v->p->g[side], *h = v->p->g[1 - side];
  const double gap = -cdni_nearest_face(h, planes, n_faces, c_S, &v->f.j);
  if (!(gap < v->reach)) return;
  if (g->kind == CDN_GEOMETRY_CYLINDER) {
    const double *plane = &planes[4 * v->f.j];
    const cdn_vec3 n = rotate(v->p->X[1 - side], cdn_v3(plane[0], plane[1], plane[2]));
    if (lean_of(v->p, side, n) > NEARLY_STRAIGHT) return;
  } else {
    double best = -INFINITY;
    for (int j = 0; j < n_faces; j++) {
      const double *plane = &planes[4 * j];
      const cdn_vec3 n_S = cdn_v3(plane[0], plane[1], plane[2]);
      if (cdn_dot(n_S, c_S) - plane[3] < gap - ROUNDED * v->p->size) continue;
      const cdn_vec3 n = rotate(v->p->X[1 - side], n_S);
      const cdn_transform *X = v->p->X[side];
      const double lowest =
          cdni_lowest_neighbour(g, v->f.i, cdn_v3(cdn_dot(X->R.x, n), cdn_dot(X->R.y, n), cdn_dot(X->R.z, n)));
      if (lowest > best) best = lowest, v->f.j = j;
    }
  }
  tell(v, gap);
}

static void visit_points(visit *v, int side) {
  const rigid_pair *p = v->p;
  const cdn_geometry *g = p->g[side], *h = p->g[1 - side];
  if (!meets_by_points(g, h)) return;
  double own[CDNI_OWN_FACES][4];
  int n_faces;
  const double *planes = cdni_faces(h, own, &n_faces);
  const bool on_faces = is_flat(h) && !is_round(g);
  v->f.kind = on_faces ? RIGID_CORNER : RIGID_POINT, v->f.side = side, v->f.j = 0;
  /* one ball on another is one feature, not two */
  if (g->kind == CDN_GEOMETRY_SPHERE && h->kind == CDN_GEOMETRY_SPHERE && side == 0) return;
  for (v->f.i = 0; v->f.i < points_of(g); v->f.i++) {
    double radius;
    const cdn_vec3 c_S = into(p->X[1 - side], cdn_transform_point(*p->X[side], point_of(g, v->f.i, &radius)));
    if (on_faces) {
      visit_corner(v, c_S, planes, n_faces);
      continue;
    }
    cdn_vec3 gradient;
    int feature;
    tell(v, cdni_point_distance(h, c_S, &gradient, &feature) - radius);
  }
}

/* Whether an edge may be nearer to the other shape than the reach. */
static bool is_near(const edge *e, const cdn_vec3 box[2], double reach) {
  const cdn_vec3 end = cdn_add(e->p, e->u);
  const double by = reach + e->radius;
  const double a[3] = { e->p.x, e->p.y, e->p.z }, b[3] = { end.x, end.y, end.z };
  const double least[3] = { box[0].x, box[0].y, box[0].z }, most[3] = { box[1].x, box[1].y, box[1].z };
  for (int k = 0; k < 3; k++)
    if (fmax(a[k], b[k]) < least[k] - by || fmin(a[k], b[k]) > most[k] + by) return false;
  return true;
}

/* Edges that cross near each other are a feature while the normal is not far from both pairs of faces: it comes between
 * them when they touch. Edges of the far sides cross, too, as deep as the shapes are thick. Where edges have gone
 * through each other the shapes overlap, which is seen by their distance (rigid.c). */
static const double FAR_OFF = -0.5, THROUGH = 1e-5;

static bool are_feature(const rigid_pair *p, const edge *a, const edge *b, const crossing *x, double gap) {
  const double between = fmin(between_faces(a, x->n), between_faces(b, cdn_scale(-1, x->n)));
  return between > FAR_OFF && gap >= -THROUGH * p->size;
}

static void visit_edges(visit *v) {
  const rigid_pair *p = v->p;
  const int n[2] = { edges_of(p->g[0]), edges_of(p->g[1]) };
  if (n[0] == 0 || n[1] == 0) return;
  const double ends = ENDS * p->size;
  cdn_vec3 box_a[2], box_b[2];
  cdni_bounds(p->g[0], p->X[0], &box_a[0], &box_a[1]);
  cdni_bounds(p->g[1], p->X[1], &box_b[0], &box_b[1]);
  v->f.kind = RIGID_EDGES, v->f.side = 0;
  for (int i = 0; i < n[0]; i++) {
    edge a, b;
    crossing x;
    if (!edge_of(p->g[0], p->X[0], i, &a) || !is_near(&a, box_b, v->reach)) continue;
    for (int j = 0; j < n[1]; j++) {
      if (!edge_of(p->g[1], p->X[1], j, &b) || !is_near(&b, box_a, v->reach) || !cross(&a, &b, &x)) continue;
      const double gap = x.distance - a.radius - b.radius;
      if (!(gap < v->reach) || within_edges(&a, &b, &x) < ends) continue;
      if (!are_feature(p, &a, &b, &x, gap)) continue;
      v->f.i = i, v->f.j = j;
      tell(v, gap);
    }
  }
}

/* The lowest point of a rim is on the face that it is farthest out of. A rim that is straight on that face has none: it
 * stands on its points. */
static void visit_rim(visit *v, const double *planes, int n_faces) {
  const int side = v->f.side;
  double most = -INFINITY;
  int face = -1;
  for (v->f.j = 0; v->f.j < n_faces; v->f.j++) {
    const double *plane = &planes[4 * v->f.j];
    const cdn_vec3 n = rotate(v->p->X[1 - side], cdn_v3(plane[0], plane[1], plane[2]));
    rigid_touch t;
    if (!measure_rim(v->p, &v->f, NULL, &t) || t.gap <= most) continue;
    const bool touches = lean_of(v->p, side, n) >= STRAIGHT && t.within >= -ENDS * v->p->size;
    most = t.gap, face = touches ? v->f.j : -1;
  }
  v->f.j = face;
  if (face >= 0) tell(v, most);
}

static void visit_rims(visit *v) {
  const rigid_pair *p = v->p;
  for (int side = 0; side < 2; side++) {
    double own[CDNI_OWN_FACES][4];
    int n_faces;
    if (p->g[side]->kind != CDN_GEOMETRY_CYLINDER || !is_flat(p->g[1 - side])) continue;
    const double *planes = cdni_faces(p->g[1 - side], own, &n_faces);
    v->f.kind = RIGID_RIM, v->f.side = side;
    for (v->f.i = 0; v->f.i < 2; v->f.i++) visit_rim(v, planes, n_faces);
  }
}

void cdni_rigid_visit(const rigid_pair *p, const rigid_feature *pair, double reach, rigid_visitor *visitor,
                      void *context) {
  visit v = { .p = p, .f = *pair, .reach = reach, .least = INFINITY, .visitor = visitor, .context = context };
  visit_points(&v, 0);
  visit_points(&v, 1);
  visit_edges(&v);
  visit_rims(&v);
  if (!meets_closest(p->g[0], p->g[1])) return;
  /* nearer than all of these: a curved side touches */
  rigid_touch t;
  v.f.kind = RIGID_CLOSEST, v.f.side = v.f.i = v.f.j = 0;
  if (measure_closest(p, NULL, &t) && t.gap < v.least - ROUNDED * p->size) tell(&v, t.gap);
}
