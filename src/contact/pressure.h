/* What the force of pressure fields and its energy share. Private to the room. */
#ifndef CARDAN_CONTACT_PRESSURE_H
#define CARDAN_CONTACT_PRESSURE_H

#include "contact/laws.h"

/* Of a solid near one overlap; of a polygon. */
enum { MOST_FACES = 2048, MOST_CORNERS = 256 };

/* Depths below faces in Ground: depth = offset - n . x. */
typedef struct field {
  int n, nearest;   /* the face that is nearest to the middle of the overlap */
  double stiffness; /* pressure by depth */
  struct {
    cdn_vec3 n;
    double offset;
    int index;
  } face[MOST_FACES];
} field;

/* The overlap of the boxes of two shapes: its middle, half of its sides, the radius of the ball about it. */
typedef struct overlap_box {
  cdn_vec3 center, half;
  double radius;
} overlap_box;

/* A box counts as larger by this factor, so that rounding loses nothing. */
static const double OVERLAP_ROUNDED = 1.01;

/* How far the box goes along n, from its middle. */
static inline double overlap_reach(const overlap_box *box, cdn_vec3 n) {
  return fabs(n.x) * box->half.x + fabs(n.y) * box->half.y + fabs(n.z) * box->half.z;
}

typedef struct polygon {
  int n;
  cdn_vec3 corner[MOST_CORNERS];
} polygon;

/* Two solids whose boxes overlap, their faces that matter there, and their stiffness. */
typedef struct pressure_overlap {
  const touch_pair *pair;
  field field[2];
  overlap_box box;
  int n_sides; /* of the column that is looked at; 0: everything is */
  struct {
    cdn_vec3 n; /* outward */
    double offset;
  } side[3];
  int first_feature;
} pressure_overlap;

/* pressure_borders.c: the bounds of the flat faces of a solid, which may be round within them. */
void cdni_pressure_bounds(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 *least, cdn_vec3 *most);
/* pressure_borders.c: the box about what two solids have in common, or a larger one; false: they are apart. The faces
 * of a solid that may be the nearest one of some point of the box. */
bool cdni_pressure_overlap(const touch_pair *pair, overlap_box *out);
void cdni_pressure_collect(const cdn_geometry *g, const cdn_transform *X, const overlap_box *box, field *out);
/* pressure_borders.c: calls visit for pairs of faces i < j, in ascending order: all that have a polygon of equal
 * pressures between them, with `walls` also all that have a wall between them, and some more. The faces of the second
 * solid are counted on from those of the first. */
typedef cdn_status border_visitor(void *context, const pressure_overlap *o, int i, int j);
cdn_status cdni_pressure_borders(pressure_overlap *o, bool walls, border_visitor *visit, void *context);

/* Calls visit for the two solids; where one is a height field, for each of its triangles, whose column is looked at
 * then. */
typedef cdn_status pressure_visitor(void *context, pressure_overlap *o);
cdn_status cdni_pressure_visit(const touch_pair *pair, pressure_visitor *visit, void *context);
/* Keeps the part within the column. */
void cdni_polygon_clip_by_column(polygon *p, const pressure_overlap *o);
/* The polygon where face i of the first solid and face j of the second one are the nearest ones and the pressures are
 * equal; counterclockwise about its normal, from the first to the second. False: there is none. */
bool cdni_pressure_polygon(const pressure_overlap *o, int i, int j, cdn_vec3 *normal, polygon *p);
/* The pressure is computed by the softer solid's depth, which is well defined also where the other hardly gives way. */
static inline const field *cdni_softer(const pressure_overlap *o) {
  return &o->field[o->field[0].stiffness <= o->field[1].stiffness ? 0 : 1];
}

/* A square in the plane n . x = offset, counterclockwise about n, beyond which nothing overlaps. False: the plane
 * does not meet the box. */
bool cdni_polygon_of_plane(const overlap_box *box, cdn_vec3 n, double offset, polygon *out);
/* Keeps the part in the box: the faces of an overlap are those that matter there, and elsewhere say nothing. */
void cdni_polygon_clip_by_box(polygon *p, const overlap_box *box);
/* Keeps the part where offset - n . x >= 0; false: that is all. */
bool cdni_polygon_clip(polygon *p, cdn_vec3 n, double offset);
/* A ball about the corners: its middle, the square of its radius. With it most planes need not look at the corners. */
double cdni_polygon_ball(const polygon *p, cdn_vec3 *center);
bool cdni_polygon_clip_far(polygon *p, cdn_vec3 n, double offset, cdn_vec3 center, double square);
/* Keeps the part where face i is nearer than all faces but one. */
void cdni_polygon_clip_by_faces(polygon *p, const field *f, int i, int but);
/* Integrals over a polygon of the pressure k (offset - n . x): the force, and where it acts. */
double cdni_polygon_integrate(const polygon *p, cdn_vec3 normal, cdn_vec3 n, double offset, double k, cdn_vec3 *center);

#endif
