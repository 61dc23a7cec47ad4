/* Which features two shapes have: what may touch what. */
#include "contact/rigid_parts.h"

/* Two boxes may touch at 8 places; a hull stands on a face with more corners. A ball in a pile has up to 12 neighbours,
 * each of which has slots of its own; in a groove it has two, and others on it. */
enum { USUAL_OF_SHAPE = 12, MOST_OF_SHAPE = 64 };

int cdni_rigid_slots_for(const cdn_geometry *g) {
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE:
    case CDN_GEOMETRY_ELLIPSOID: return 4;
    case CDN_GEOMETRY_CAPSULE: return 6;
    case CDN_GEOMETRY_MESH: return MOST_OF_SHAPE;
    default:
      return cdni_most_corners(g) < USUAL_OF_SHAPE  ? USUAL_OF_SHAPE
             : cdni_most_corners(g) < MOST_OF_SHAPE ? cdni_most_corners(g)
                                                    : MOST_OF_SHAPE;
  }
}

/* ---- what is known of two kinds ---- */

/* Points of `g` meet `h` as balls, or as corners on its faces. */
static bool meets_by_points(const cdn_geometry *g, const cdn_geometry *h) {
  if (g->kind == CDN_GEOMETRY_ELLIPSOID || cdni_rigid_points(g) == 0) return false;
  if (h->kind == CDN_GEOMETRY_CUSTOM) return false;
  if (g->kind == CDN_GEOMETRY_MESH) return is_flat(h);
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
    const cdn_geometry *surface = other == a ? b : a;
    return !is_surface(other) && (meets_by_points(other, surface) || meets_by_points(surface, other));
  }
  return cdni_pair_is_supported(a, b) && (meets_by_points(a, b) || meets_by_points(b, a) || meets_closest(a, b));
}

/* ---- all features ---- */

/* While a cylinder is nearly straight, it may come to stand on points of its rim. */
static const double NEARLY_STRAIGHT = 1e-3;

static double lean_of(const rigid_pair *p, int side, cdn_vec3 n) { return cdn_norm(cdn_cross(n, p->X[side]->R.z)); }

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

/* What may be rounding, and the place of an event that is located, in parts of a size: which of two faces a corner is
 * farther out of is not told within it, nor within the depth to which shapes may overlap. Of boxes as wide as each
 * other corners are on their sides, however deep they are below a face: so on the border no depth tells. */
static const double UNDECIDED = 1e-5;

/* How far face j is below the whole shape of the corner, which is so far above it: a shape has no corner below the
 * lowest neighbours of its lowest corner. */
static double clearance_of(const visit *v, const double *plane, double gap) {
  const cdn_transform *X = v->p->X[v->f.side];
  const cdn_vec3 n = rotate(v->p->X[1 - v->f.side], cdn_v3(plane[0], plane[1], plane[2]));
  const cdn_vec3 n_G = cdn_v3(cdn_dot(X->R.x, n), cdn_dot(X->R.y, n), cdn_dot(X->R.z, n));
  return gap + fmin(0, cdni_lowest_neighbour(v->p->g[v->f.side], v->f.i, n_G));
}

/* A corner is on the face that it is farthest out of. Where that does not tell, as at an edge, and where two boxes are
 * as wide as each other, it is on the one that the shape of the corner is above; never on one that ends before it,
 * where edges cross. */
static void visit_corner(visit *v, cdn_vec3 c_S, const double *planes, int n_faces) {
  const int side = v->f.side;
  const cdn_geometry *g = v->p->g[side], *h = v->p->g[1 - side];
  const double most = -cdni_nearest_face(h, planes, n_faces, c_S, &v->f.j);
  double gap = most;
  if (!(most < v->reach)) return;
  if (n_faces == 1 && g->kind != CDN_GEOMETRY_CYLINDER) {
    tell(v, most);
    return;
  }
  if (g->kind == CDN_GEOMETRY_CYLINDER) {
    const double *plane = &planes[4 * v->f.j];
    const cdn_vec3 n = rotate(v->p->X[1 - side], cdn_v3(plane[0], plane[1], plane[2]));
    if (lean_of(v->p, side, n) > NEARLY_STRAIGHT) return;
  } else {
    const double undecided = fmax(UNDECIDED * v->p->size, v->p->deep);
    const double below = fabs(most) <= undecided ? INFINITY : undecided;
    double best = -INFINITY;
    for (int j = 0; j < n_faces; j++) {
      const double *plane = &planes[4 * j];
      const double over = cdn_dot(cdn_v3(plane[0], plane[1], plane[2]), c_S) - plane[3];
      if (over < most - below || cdni_within_face(h, j, c_S) < -ENDS * v->p->size) continue;
      const double clear = clearance_of(v, plane, over);
      if (clear > best) best = clear, v->f.j = j, gap = over;
    }
    if (best == -INFINITY) return;
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
  for (v->f.i = 0; v->f.i < cdni_rigid_points(g); v->f.i++) {
    double radius;
    const cdn_vec3 c_S = into(p->X[1 - side], cdn_transform_point(*p->X[side], cdni_rigid_point(g, v->f.i, &radius)));
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
static bool is_near(const rigid_edge *e, const cdn_vec3 box[2], double reach) {
  const cdn_vec3 end = cdn_add(e->p, e->u);
  const double by = reach + e->radius;
  const double a[3] = { e->p.x, e->p.y, e->p.z }, b[3] = { end.x, end.y, end.z };
  const double least[3] = { box[0].x, box[0].y, box[0].z }, most[3] = { box[1].x, box[1].y, box[1].z };
  for (int k = 0; k < 3; k++)
    if (fmax(a[k], b[k]) < least[k] - by || fmin(a[k], b[k]) > most[k] + by) return false;
  return true;
}

/* Where edges have gone through each other the shapes overlap, which is seen by their distance (rigid.c). */
static const double THROUGH = 1e-5;
/* The same of edges that would touch now: what is flat on a face is on the border. */
static const double BORDER = -1e-3;

static bool are_feature(const rigid_pair *p, double between_both, double gap) {
  return between_both > (p->deep > 0 ? BORDER : FAR_OFF) && gap >= -fmax(THROUGH * p->size, p->deep);
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
    rigid_edge a, b;
    rigid_crossing x;
    if (!cdni_rigid_edge(p->g[0], p->X[0], i, &a) || !is_near(&a, box_b, v->reach)) continue;
    for (int j = 0; j < n[1]; j++) {
      if (!cdni_rigid_edge(p->g[1], p->X[1], j, &b) || !is_near(&b, box_a, v->reach) || !cdni_rigid_cross(&a, &b, &x))
        continue;
      const double gap = x.distance - a.radius - b.radius;
      if (!(gap < v->reach) || cdni_rigid_within_edges(&a, &b, &x) < ends) continue;
      if (!are_feature(p, fmin(between(&a, x.n), between(&b, cdn_scale(-1, x.n))), gap)) continue;
      v->f.i = i, v->f.j = j;
      tell(v, gap);
    }
  }
}

/* The lowest point of a rim is on the face that it is farthest out of. A rim that is straight on that face has none: it
 * stands on its points. */
static void visit_rim(visit *v, int n_faces) {
  double most = -INFINITY;
  int face = -1;
  for (v->f.j = 0; v->f.j < n_faces; v->f.j++) {
    rigid_touch t;
    if (!cdni_rigid_measure(v->p, &v->f, NULL, &t) || t.gap <= most) continue;
    const bool touches = t.within >= -ENDS * v->p->size;
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
    cdni_faces(p->g[1 - side], own, &n_faces);
    v->f.kind = RIGID_RIM, v->f.side = side;
    for (v->f.i = 0; v->f.i < 2; v->f.i++) visit_rim(v, n_faces);
  }
}

/* ---- rims across edges ---- */

static void visit_hoop(visit *v) {
  const rigid_pair *p = v->p;
  rigid_hoop x;
  if (!cdni_rigid_cross_hoop(p, &v->f, &x) || !(x.within >= -ENDS * p->size)) return;
  const double gap = x.distance - x.edge.radius;
  if (are_feature(p, x.between, gap)) tell(v, gap);
}

static void visit_hoops(visit *v) {
  const rigid_pair *p = v->p;
  for (int side = 0; side < 2; side++) {
    const int edges = p->g[side]->kind == CDN_GEOMETRY_CYLINDER ? edges_of(p->g[1 - side]) : 0;
    cdn_vec3 box[2];
    if (edges > 0) cdni_bounds(p->g[side], p->X[side], &box[0], &box[1]);
    v->f.kind = RIGID_HOOP, v->f.side = side;
    for (v->f.j = 0; v->f.j < edges; v->f.j++) {
      rigid_edge e;
      if (!cdni_rigid_edge(p->g[1 - side], p->X[1 - side], v->f.j, &e) || !is_near(&e, box, v->reach)) continue;
      for (v->f.i = 0; v->f.i < 2 * HOOP_PLACES; v->f.i++) visit_hoop(v);
    }
  }
}

/* ---- nearest points ---- */

/* Normals that differ by less, as half of the square of an angle, are one. */
static const double SAME_NORMAL = 1e-12;

/* On a face a cylinder has features of its own, to rounding of a lean. */
static bool is_on_face(const rigid_pair *p, cdn_vec3 normal) {
  for (int side = 0; side < 2; side++) {
    double own[CDNI_OWN_FACES][4];
    int n_faces;
    if (!is_flat(p->g[side]) || p->g[1 - side]->kind != CDN_GEOMETRY_CYLINDER) continue;
    const double *planes = cdni_faces(p->g[side], own, &n_faces);
    for (int j = 0; j < n_faces; j++) {
      const cdn_vec3 n = rotate(p->X[side], cdn_v3(planes[4 * j], planes[4 * j + 1], planes[4 * j + 2]));
      if ((side == 0 ? 1 : -1) * cdn_dot(n, normal) > 1 - SAME_NORMAL) return true;
    }
  }
  return false;
}

/* Nearer than all other features: a curved side touches, or two rims cross. */
static void visit_closest(visit *v) {
  rigid_touch t;
  if (!meets_closest(v->p->g[0], v->p->g[1])) return;
  v->f.kind = RIGID_CLOSEST, v->f.side = v->f.i = v->f.j = 0;
  if (cdni_rigid_measure(v->p, &v->f, NULL, &t) && t.gap < v->least - ROUNDED * v->p->size &&
      !is_on_face(v->p, t.normal))
    tell(v, t.gap);
}

void cdni_rigid_visit(const rigid_pair *p, const rigid_feature *pair, double reach, rigid_visitor *visitor,
                      void *context) {
  visit v = { .p = p, .f = *pair, .reach = reach, .least = INFINITY, .visitor = visitor, .context = context };
  visit_points(&v, 0);
  visit_points(&v, 1);
  visit_edges(&v);
  visit_rims(&v);
  visit_hoops(&v);
  visit_closest(&v);
}
