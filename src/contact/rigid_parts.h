/* What the files of rigid features share: points and edges of shapes, and small vectors. Private to the room. */
#ifndef CARDAN_CONTACT_RIGID_PARTS_H
#define CARDAN_CONTACT_RIGID_PARTS_H

#include <math.h>

#include "contact/rigid.h"

/* ---- vectors ---- */

static inline cdn_vec3 fma3(double s, cdn_vec3 a, cdn_vec3 b) { return cdn_add(cdn_scale(s, a), b); }
static inline cdn_vec3 rotate(const cdn_transform *X, cdn_vec3 v) { return cdn_rotate(X->R, v); }
static inline cdn_vec3 across(cdn_vec3 n, cdn_vec3 v) { return cdn_sub(v, cdn_scale(cdn_dot(n, v), n)); }
static inline cdn_vec3 into(const cdn_transform *X, cdn_vec3 p) {
  const cdn_vec3 d = cdn_sub(p, X->p);
  return cdn_v3(cdn_dot(X->R.x, d), cdn_dot(X->R.y, d), cdn_dot(X->R.z, d));
}
static inline cdn_vec3 velocity(const rigid_motion *m, cdn_vec3 p) {
  return cdn_add(m->v, cdn_cross(m->w, cdn_sub(p, m->at)));
}

/* What is told as zero among places, in parts of the shape's size, and among unit vectors. */
static const double ROUNDED = 1e-9;
/* Edges cross if they do not end within this part of the place, where corners touch: it is less than what slots allow
 * (rigid.c). */
static const double ENDS = 2e-12;

/* ---- kinds ---- */

static inline bool is_round(const cdn_geometry *g) {
  return g->kind == CDN_GEOMETRY_SPHERE || g->kind == CDN_GEOMETRY_CAPSULE;
}
static inline bool is_flat(const cdn_geometry *g) {
  return g->kind == CDN_GEOMETRY_BOX || g->kind == CDN_GEOMETRY_CONVEX || g->kind == CDN_GEOMETRY_HALF_SPACE;
}
static inline bool is_surface(const cdn_geometry *g) {
  return g->kind == CDN_GEOMETRY_MESH || g->kind == CDN_GEOMETRY_HEIGHT_FIELD;
}

/* The side of a capsule or a cylinder is an edge: its axis, with a radius. */
static inline bool has_axis(const cdn_geometry *g) {
  return g->kind == CDN_GEOMETRY_CAPSULE || g->kind == CDN_GEOMETRY_CYLINDER;
}
static inline int edges_of(const cdn_geometry *g) { return has_axis(g) ? 1 : cdni_edges(g); }

/* ---- rigid_features.c ---- */

/* How many points of a shape may meet others; point i in S, and the radius about it. */
int cdni_rigid_points(const cdn_geometry *g);
cdn_vec3 cdni_rigid_point(const cdn_geometry *g, int i, double *radius);

typedef struct rigid_edge {
  cdn_vec3 p, u; /* in Ground: its beginning, and its length along its direction */
  cdn_vec3 normal[2];
  bool sharp; /* between two faces; else an axis */
  double radius;
} rigid_edge;

/* Edge i in Ground; false: the number is of none. */
bool cdni_rigid_edge(const cdn_geometry *g, const cdn_transform *X, int i, rigid_edge *out);

/* Two lines: the nearest places on them in parts of their lengths, and the unit normal from a to b. */
typedef struct rigid_crossing {
  cdn_vec3 c, n; /* u x w, and along it */
  double square, s, t, distance;
} rigid_crossing;

/* False: they are parallel. */
bool cdni_rigid_cross(const rigid_edge *a, const rigid_edge *b, rigid_crossing *x);
/* How far the crossing is from the ends of the edges, m. */
double cdni_rigid_within_edges(const rigid_edge *a, const rigid_edge *b, const rigid_crossing *x);

/* How far n is between the normals of the faces at the edge, about as a sine; then the solid is behind it. */
static inline double between_faces(const cdn_vec3 normal[2], cdn_vec3 n) {
  const double c = cdn_dot(normal[0], normal[1]);
  return fmin(cdn_dot(n, cdn_sub(normal[1], cdn_scale(c, normal[0]))),
              cdn_dot(n, cdn_sub(normal[0], cdn_scale(c, normal[1]))));
}

static inline double between(const rigid_edge *e, cdn_vec3 n) { return e->sharp ? between_faces(e->normal, n) : 1; }
/* Edges that cross near each other are a feature while the normal is not far from both pairs of faces: it comes between
 * them when they touch. Edges of the far sides cross, too, as deep as the shapes are thick. */
static const double FAR_OFF = -0.5;

/* ---- rigid_hoops.c ---- */

/* Which place of a rim: the nearest one to the line of the edge, or, where the line is in the plane of the rim but for
 * some degrees, the one ahead of the middle, or behind it, as the edge goes. */
typedef enum rigid_hoop_place { HOOP_NEAREST, HOOP_AHEAD, HOOP_BEHIND, HOOP_PLACES } rigid_hoop_place;

typedef struct rigid_hoop {
  rigid_edge edge;
  cdn_vec3 on_rim, on_edge, radial, t, outward, u; /* t along the rim, u along the edge, outward of the cap */
  cdn_vec3 c, n;                                   /* t x u; the unit vector along it, from the rim to the edge */
  /* s: how far along the edge, m; sine: the length of c; between: how far n is between the normals of all faces */
  double radius, s, sine, distance, between, within;
  bool beyond; /* there is no such place any more, or hardly: only to go on a little */
} rigid_hoop;

/* False: there is no such place. */
bool cdni_rigid_cross_hoop(const rigid_pair *p, const rigid_feature *f, rigid_hoop *out);
bool cdni_rigid_measure_hoop(const rigid_pair *p, const rigid_feature *f, const rigid_motion *m, rigid_touch *out);

#endif
