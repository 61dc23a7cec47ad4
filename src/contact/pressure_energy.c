/* The energy of two pressure fields: the integral of the smaller pressure over the overlap, E = int min(p_a, p_b) dV.
 *
 * Its negative gradient is the force. Let b move at v, which has no divergence, and a rest. Only p_b changes, and
 * matters only where it is the smaller one: dE/dt = -int v . grad p_b dV = -int p_b v . n dS over the surface of that
 * part. There p_b is 0 but on the surface S of equal pressures, where n is the normal from a to b. So dE/dt is -int_S
 * p n . v dS, the negative power of the force on b.
 *
 * The part where face i of a solid is the nearest one and has the smaller pressure is a convex polyhedron. Its
 * pressure is linear, and zero on face i. With a point o of that face's plane it is homogeneous about o. So each side
 * of the polyhedron, at the distance h from o, is the base of a pyramid with the integral h / 4 int p dA. The sides
 * are the polygons of equal pressure, and walls to the neighbours of face i within the solid. Each is a side of two
 * polyhedra, with one p: it adds 1/4 n . (o_2 - o_1) int p dA, where n is its normal from the first polyhedron to the
 * second. */
#include "contact/law_kinds.h"
#include "contact/pressure.h"

/* A solid that is stiffer by this factor has no energy to speak of, and gives way by less than rounding lets see. */
static const double RIGID = 1e12;

static bool has_energy(const pressure_overlap *o, int solid) {
  return !(o->field[solid].stiffness > RIGID * o->field[1 - solid].stiffness);
}

/* The point of the plane of a face that is nearest to the middle of the overlap. */
static cdn_vec3 foot(const pressure_overlap *o, const field *f, int i) {
  const cdn_vec3 n = f->face[i].n;
  return cdn_add(o->box.center, cdn_scale((f->face[i].offset - cdn_dot(n, o->box.center)) / cdn_dot(n, n), n));
}

/* Keeps what is in the part of face i of a solid: but for its border with face k. */
static void clip_to_part(polygon *p, const field *f, const field *other, int i, int k) {
  cdni_polygon_clip(p, f->face[i].n, f->face[i].offset);
  for (int j = 0; j < other->n && p->n > 2; j++)
    cdni_polygon_clip(p, cdn_sub(cdn_scale(other->stiffness, other->face[j].n), cdn_scale(f->stiffness, f->face[i].n)),
                      other->stiffness * other->face[j].offset - f->stiffness * f->face[i].offset);
  cdni_polygon_clip_by_faces(p, f, i, k < 0 ? i : k);
}

/* The wall between the parts of faces i and k of one solid, as far as the other's pressure is not smaller there. */
static double wall(const pressure_overlap *o, int solid, int i, int k) {
  const field *f = &o->field[solid], *other = &o->field[1 - solid];
  /* from i to k: the depth below k falls that way */
  const cdn_vec3 across = cdn_sub(f->face[k].n, f->face[i].n);
  const double length = cdn_norm(across);
  if (length < 1e-9) return 0; /* one face, cut in two */
  const cdn_vec3 n = cdn_scale(1 / length, across);
  polygon p;
  if (!cdni_polygon_of_plane(&o->box, n, (f->face[k].offset - f->face[i].offset) / length, &p)) return 0;
  clip_to_part(&p, f, other, i, k);
  cdni_polygon_clip_by_column(&p, o);
  cdni_polygon_clip_by_box(&p, &o->box);
  if (p.n < 3) return 0;
  cdn_vec3 center;
  const double force = cdni_polygon_integrate(&p, n, f->face[i].n, f->face[i].offset, f->stiffness, &center);
  return 0.25 * force * cdn_dot(n, cdn_sub(foot(o, f, k), foot(o, f, i)));
}

/* The polygon of equal pressures of face i of the first solid and face j of the second. */
static double between(const pressure_overlap *o, int i, int j) {
  const field *soft = cdni_softer(o);
  const int face = soft == &o->field[0] ? i : j;
  polygon p;
  cdn_vec3 n, center;
  if (!cdni_pressure_polygon(o, i, j, &n, &p)) return 0;
  const double force =
      cdni_polygon_integrate(&p, n, soft->face[face].n, soft->face[face].offset, soft->stiffness, &center);
  /* outward of the part where the second solid's pressure is the smaller one, which is near the second one's surface */
  return 0.25 * force * cdn_dot(n, cdn_sub(foot(o, &o->field[0], i), foot(o, &o->field[1], j)));
}

/* A side of a column, where it bounds the part of face i: its pyramid. */
static double column_side(const pressure_overlap *o, int side, int solid, int i) {
  const field *f = &o->field[solid], *other = &o->field[1 - solid];
  const cdn_vec3 n = o->side[side].n;
  polygon p;
  cdn_vec3 center;
  if (!cdni_polygon_of_plane(&o->box, n, o->side[side].offset, &p)) return 0;
  clip_to_part(&p, f, other, i, -1);
  for (int k = 0; k < o->n_sides && p.n > 2; k++)
    if (k != side) cdni_polygon_clip(&p, o->side[k].n, o->side[k].offset);
  cdni_polygon_clip_by_box(&p, &o->box);
  if (p.n < 3) return 0;
  const double force = cdni_polygon_integrate(&p, n, f->face[i].n, f->face[i].offset, f->stiffness, &center);
  return 0.25 * force * (o->side[side].offset - cdn_dot(n, foot(o, f, i)));
}

static cdn_status add_border(void *context, const pressure_overlap *o, int i, int j) {
  double *energy = context;
  const int n = o->field[0].n, solid = i >= n;
  if (i < n && j >= n) *energy += between(o, i, j - n);
  else if (has_energy(o, solid)) *energy += wall(o, solid, i - solid * n, j - solid * n);
  return CDN_OK;
}

static cdn_status add_energy(void *context, pressure_overlap *o) {
  double *energy = context;
  CDNI_TRY(cdni_pressure_borders(o, true, add_border, energy));
  for (int solid = 0; solid < 2; solid++)
    for (int i = 0; i < o->field[solid].n && has_energy(o, solid); i++)
      for (int side = 0; side < o->n_sides; side++) *energy += column_side(o, side, solid, i);
  return CDN_OK;
}

double cdni_pressure_energy(const touch_pair *pair) {
  double energy = 0;
  (void)!cdni_pressure_visit(pair, add_energy, &energy);
  return energy;
}
