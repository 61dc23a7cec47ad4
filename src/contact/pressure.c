/* A pressure field in each of two solids with flat faces (Elandt, Drumwright, Sherman and Ruina, A pressure field model
 * for fast, robust approximation of net contact force and moment between nominally rigid objects, 2019).
 *
 * The pressure in a solid is E d / L: d is the depth below its surface, the distance to its nearest face, and L the
 * thickness of the material, or the smaller one of both solids' largest depths (a half-space has none). Two solids
 * that overlap meet where their pressures are equal. That surface consists of polygons, one for each pair of faces
 * that are nearest there, on which the pressure is linear. So the force of each polygon is known in closed form, and
 * the sum is continuous in the pose, also as faces become parallel. The force has an energy (pressure_energy.c). */
#include <math.h>

#include "contact/bed.h"
#include "contact/law_kinds.h"
#include "contact/materials.h"
#include "contact/pressure.h"

/* ---- polygons ---- */

bool cdni_polygon_clip(polygon *p, cdn_vec3 n, double offset) {
  double height[MOST_CORNERS];
  int inside = 0;
  for (int i = 0; i < p->n; i++) {
    height[i] = offset - cdn_dot(n, p->corner[i]);
    inside += height[i] >= 0;
  }
  if (inside == p->n) return false;
  cdn_vec3 kept[MOST_CORNERS];
  int count = 0;
  for (int i = 0, w = p->n - 1; inside > 0 && i < p->n; w = i++) {
    if ((height[i] < 0) != (height[w] < 0) && count < MOST_CORNERS) {
      const double s = height[w] / (height[w] - height[i]);
      kept[count++] = cdn_add(p->corner[w], cdn_scale(s, cdn_sub(p->corner[i], p->corner[w])));
    }
    if (height[i] >= 0 && count < MOST_CORNERS) kept[count++] = p->corner[i];
  }
  p->n = count;
  for (int i = 0; i < count; i++) p->corner[i] = kept[i];
  return true;
}

/* A square about the point of the plane that is nearest to the middle of the box. */
bool cdni_polygon_of_plane(const overlap_box *box, cdn_vec3 n, double offset, polygon *out) {
  const double above = offset - cdn_dot(n, box->center), r = 1.01 * box->radius;
  if (fabs(above) > 1.01 * overlap_reach(box, n)) return false;
  const cdn_rotation R = cdn_rotation_z_to(n);
  const cdn_vec3 p = cdn_add(box->center, cdn_scale(above, n)), x = cdn_scale(r, R.x), y = cdn_scale(r, R.y);
  out->n = 4;
  out->corner[0] = cdn_sub(cdn_sub(p, x), y), out->corner[1] = cdn_sub(cdn_add(p, x), y);
  out->corner[2] = cdn_add(cdn_add(p, x), y), out->corner[3] = cdn_add(cdn_sub(p, x), y);
  return true;
}

void cdni_polygon_clip_by_box(polygon *p, const overlap_box *box) {
  const double middle[3] = { box->center.x, box->center.y, box->center.z };
  const double half[3] = { box->half.x, box->half.y, box->half.z };
  for (int axis = 0; axis < 3 && p->n > 2; axis++) {
    const double low = middle[axis] - OVERLAP_ROUNDED * half[axis], high = middle[axis] + OVERLAP_ROUNDED * half[axis];
    bool below = false, above = false;
    for (int i = 0; i < p->n; i++) {
      const double x = (&p->corner[i].x)[axis];
      below |= x<low, above |= x> high;
    }
    cdn_vec3 n = { 0, 0, 0 };
    (&n.x)[axis] = 1;
    if (above) cdni_polygon_clip(p, n, high);
    if (below && p->n > 2) cdni_polygon_clip(p, cdn_scale(-1, n), -low);
  }
}

/* The area of a needle, over the square of its length, that is rounding: its corners say where it is, the quotient of
 * two roundings does not. */
static const double NEEDLE = 1e-13;

double cdni_polygon_integrate(const polygon *p, cdn_vec3 normal, cdn_vec3 n, double offset, double k,
                              cdn_vec3 *center) {
  const cdn_vec3 o = p->corner[0];
  const double p_o = k * (offset - cdn_dot(n, o));
  double force = 0, whole = 0, square = 0;
  cdn_vec3 moment = { 0, 0, 0 };
  for (int i = 1; i + 1 < p->n; i++) {
    const cdn_vec3 a = cdn_sub(p->corner[i], o), b = cdn_sub(p->corner[i + 1], o);
    const double area = 0.5 * cdn_dot(cdn_cross(a, b), normal);
    const double p_a = p_o - k * cdn_dot(n, a), p_b = p_o - k * cdn_dot(n, b), sum = p_o + p_a + p_b;
    force += area * sum / 3;
    whole += area, square = fmax(square, fmax(cdn_dot(a, a), cdn_dot(b, b)));
    /* of a linear function times x over a triangle: area / 12 ((sum + p_i) x_i) */
    moment = cdn_add(moment, cdn_scale(area / 12, cdn_add(cdn_scale(sum + p_a, a), cdn_scale(sum + p_b, b))));
  }
  if (!(whole > NEEDLE * square)) (void)cdni_polygon_ball(p, center);
  else *center = force > 0 ? cdn_add(o, cdn_scale(1 / force, moment)) : o;
  return force;
}

/* Mean square of the distances of the same pressure from its centre. Over a triangle with the corners x_i and s = sum
 * x_i, the integral of p |x|^2 is area / 60 sum p_i (|s|^2 + sum |x_k|^2 + 2 s.x_i + 2 |x_i|^2). */
static double mean_square(const polygon *p, cdn_vec3 normal, cdn_vec3 n, double offset, double k, cdn_vec3 center,
                          double force) {
  double sum = 0;
  for (int i = 1; i + 1 < p->n; i++) {
    const cdn_vec3 x[3] = { cdn_sub(p->corner[0], center), cdn_sub(p->corner[i], center),
                            cdn_sub(p->corner[i + 1], center) };
    const double area = 0.5 * cdn_dot(cdn_cross(cdn_sub(x[1], x[0]), cdn_sub(x[2], x[0])), normal);
    const cdn_vec3 s = cdn_add(x[0], cdn_add(x[1], x[2]));
    double squares = cdn_dot(s, s);
    for (int j = 0; j < 3; j++) squares += cdn_dot(x[j], x[j]);
    for (int j = 0; j < 3; j++) {
      const double p_j = k * (offset - cdn_dot(n, center) - cdn_dot(n, x[j]));
      sum += area / 60 * p_j * (squares + 2 * cdn_dot(cdn_add(s, x[j]), x[j]));
    }
  }
  return sum > 0 ? sum / force : 0;
}

/* The bed of springs of a polygon whose pressure falls by `give` for each m that the solids part (not positive:
 * unknown). Over a triangle the integral of x x^T is area / 12 (s
 * s^T + sum x_i x_i^T). */
static void set_bed(touch *t, const polygon *p, double give) {
  const cdn_vec3 axes[2] = { t->tangent, cdn_cross(t->normal, t->tangent) };
  double area = 0, first[2] = { 0, 0 }, second[3] = { 0, 0, 0 }, x[3][2], middle[2];
  for (int i = 1; i + 1 < p->n; i++) {
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 2; k++) x[j][k] = cdn_dot(axes[k], cdn_sub(p->corner[j == 0 ? 0 : i + j - 1], t->point));
    const double s[2] = { x[0][0] + x[1][0] + x[2][0], x[0][1] + x[1][1] + x[2][1] };
    const double part = 0.5 * ((x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[1][1] - x[0][1]) * (x[2][0] - x[0][0]));
    double squares[3] = { s[0] * s[0], s[0] * s[1], s[1] * s[1] };
    for (int j = 0; j < 3; j++)
      squares[0] += x[j][0] * x[j][0], squares[1] += x[j][0] * x[j][1], squares[2] += x[j][1] * x[j][1];
    area += part;
    for (int k = 0; k < 2; k++) first[k] += part * s[k] / 3;
    for (int k = 0; k < 3; k++) second[k] += part * squares[k] / 12;
  }
  t->stiffness = t->elastic / t->depth;
  if (!(area > 0)) return; /* a sliver bears next to nothing */
  if (give > 0) t->stiffness = give * area;
  for (int k = 0; k < 2; k++) middle[k] = first[k] / area;
  const double moments[3] = { fmax(second[0] / area - middle[0] * middle[0], 0),
                              second[1] / area - middle[0] * middle[1],
                              fmax(second[2] / area - middle[1] * middle[1], 0) };
  cdni_bed_set(t, middle, moments);
}

/* ---- the law ---- */

static void clip_by_face(polygon *p, const field *f, int i, int k) {
  if (k != i) cdni_polygon_clip(p, cdn_sub(f->face[k].n, f->face[i].n), f->face[k].offset - f->face[i].offset);
}

double cdni_polygon_ball(const polygon *p, cdn_vec3 *center) {
  double square = 0;
  cdn_vec3 sum = { 0, 0, 0 };
  for (int i = 0; i < p->n; i++) sum = cdn_add(sum, p->corner[i]);
  *center = cdn_scale(1.0 / p->n, sum);
  for (int i = 0; i < p->n; i++) {
    const cdn_vec3 d = cdn_sub(p->corner[i], *center);
    const double here = cdn_dot(d, d);
    square = here > square ? here : square;
  }
  return square;
}

bool cdni_polygon_clip_far(polygon *p, cdn_vec3 n, double offset, cdn_vec3 center, double square) {
  const double above = offset - cdn_dot(n, center);
  if (above > 0 && above * above > 1.01 * square * cdn_dot(n, n)) return false;
  return cdni_polygon_clip(p, n, offset);
}

/* A ball about the corners is worth while if it spares the look at so many planes. */
enum { MANY_PLANES = 4 };

void cdni_polygon_clip_by_faces(polygon *p, const field *f, int i, int but) {
  if (f->nearest != but) clip_by_face(p, f, i, f->nearest);
  cdn_vec3 center = { 0, 0, 0 };
  double square = INFINITY;
  bool is_new = true;
  for (int k = 0; k < f->n && p->n > 2; k++) {
    if (k == i || k == but || k == f->nearest) continue;
    if (is_new && f->n - k > MANY_PLANES) square = cdni_polygon_ball(p, &center);
    is_new = cdni_polygon_clip_far(p, cdn_sub(f->face[k].n, f->face[i].n), f->face[k].offset - f->face[i].offset,
                                   center, square);
  }
}

void cdni_polygon_clip_by_column(polygon *p, const pressure_overlap *o) {
  for (int i = 0; i < o->n_sides && p->n > 2; i++) cdni_polygon_clip(p, o->side[i].n, o->side[i].offset);
}

bool cdni_pressure_polygon(const pressure_overlap *o, int i, int j, cdn_vec3 *normal, polygon *p) {
  const field *a = &o->field[0], *b = &o->field[1], *soft = cdni_softer(o);
  const int face = soft == a ? i : j;
  const cdn_vec3 across = cdn_sub(cdn_scale(a->stiffness, a->face[i].n), cdn_scale(b->stiffness, b->face[j].n));
  const double length = cdn_norm(across);
  if (length < 1e-9 * (a->stiffness + b->stiffness)) return false; /* faces that look the same way do not meet */
  *normal = cdn_scale(1 / length, across);
  if (!cdni_polygon_of_plane(&o->box, *normal,
                             (a->stiffness * a->face[i].offset - b->stiffness * b->face[j].offset) / length, p))
    return false;
  cdni_polygon_clip(p, soft->face[face].n, soft->face[face].offset);
  cdni_polygon_clip_by_faces(p, a, i, i);
  cdni_polygon_clip_by_faces(p, b, j, j);
  cdni_polygon_clip_by_column(p, o);
  cdni_polygon_clip_by_box(p, &o->box);
  return p->n > 2;
}

/* A polygon of equal pressures with its force, and where that acts. */
typedef struct pressed_polygon {
  polygon p;
  cdn_vec3 normal, center;
  double force;
} pressed_polygon;

/* False: nothing is pressed there. */
static bool find_polygon(const pressure_overlap *o, int i, int j, pressed_polygon *out) {
  const field *soft = cdni_softer(o);
  const int face = soft == &o->field[0] ? i : j;
  if (!cdni_pressure_polygon(o, i, j, &out->normal, &out->p)) return false;
  out->force = cdni_polygon_integrate(&out->p, out->normal, soft->face[face].n, soft->face[face].offset,
                                      soft->stiffness, &out->center);
  return out->force > 0;
}

/* A number for the two faces, or for the triangle of a height field and the face. */
static int32_t feature_of(const pressure_overlap *o, int i, int j) {
  enum { MOST = 1 << 15 };
  return o->n_sides ? o->first_feature + (i + j) % MOST_FACES : i % MOST * MOST + j % MOST;
}

typedef struct adder {
  combined_material m;
  cdn_region_output *out;
} adder;

static cdn_status add_polygon(void *context, const pressure_overlap *o, int i, int second) {
  const int j = second - o->field[0].n;
  const adder *to = context;
  const combined_material *m = &to->m;
  const field *a = &o->field[0], *b = &o->field[1], *soft = cdni_softer(o);
  const int face = soft == a ? i : j;
  pressed_polygon p;
  if (!find_polygon(o, i, j, &p)) return CDN_OK;
  const cdn_vec3 normal = p.normal, center = p.center;
  const double force = p.force;
  const double depth =
      a->face[i].offset - cdn_dot(a->face[i].n, center) + (b->face[j].offset - cdn_dot(b->face[j].n, center));
  if (!(depth > 0)) return CDN_OK; /* by rounding: so little has no force */
  void *place;
  CDNI_TRY(cdn_region_output_add(to->out, 1, &place));
  *(touch *)place = (touch){ .a = o->pair->shape[0],
                             .b = o->pair->shape[1],
                             .feature = feature_of(o, a->face[i].index, b->face[j].index),
                             .point = center,
                             .normal = normal,
                             .tangent = contact_tangent(normal),
                             .law = LAW_SPRING,
                             .in_pair = 1,
                             .depth = depth,
                             .elastic = force,
                             .numbers = { force, o->pair->law->damping * m->dissipation, depth } };
  /* as the solids part along the normal, each pressure falls by its stiffness times the cosine of its face */
  const double give_a = a->stiffness * cdn_dot(a->face[i].n, normal),
               give_b = -b->stiffness * cdn_dot(b->face[j].n, normal);
  set_bed(place, &p.p, give_a > 0 && give_b > 0 ? give_a * give_b / (give_a + give_b) : 0);
  ((touch *)place)->spread =
      sqrt(mean_square(&p.p, normal, soft->face[face].n, soft->face[face].offset, soft->stiffness, center, force));
  cdni_touch_friction(place, m);
  return CDN_OK;
}

/* ---- two solids, or a solid and the columns of a height field ---- */

static void set_stiffness(const touch_pair *pair, pressure_overlap *o) {
  double least = INFINITY, E[2], thickness[2];
  for (int i = 0; i < 2; i++)
    if (pair->g[i]->kind != CDN_GEOMETRY_HEIGHT_FIELD) least = fmin(least, cdni_largest_depth(pair->g[i]));
  cdni_beds_in_series(pair, E, thickness);
  for (int i = 0; i < 2; i++) o->field[i].stiffness = E[i] / (thickness[i] > 0 ? thickness[i] : least);
}

typedef struct columns {
  pressure_overlap *o;
  int h;           /* which of the two is the height field */
  double lowest;   /* of the solid, in the height field's frame */
  overlap_box box; /* of the solid, in Ground */
  pressure_visitor *visit;
  void *context;
  cdn_status status;
} columns;

/* The part of the solid's box that the box of the column meets. */
static bool box_of_column(const columns *c, const cdn_vec3 v[3], overlap_box *out) {
  const cdn_transform *X = c->o->pair->X[c->h];
  cdn_vec3 least = cdn_v3(INFINITY, INFINITY, INFINITY), most = cdn_scale(-1, least);
  for (int i = 0; i < 6; i++) {
    const cdn_vec3 low = { v[i % 3].x, v[i % 3].y, c->lowest }, p = cdn_transform_point(*X, i < 3 ? v[i] : low);
    least = cdn_v3(fmin(least.x, p.x), fmin(least.y, p.y), fmin(least.z, p.z));
    most = cdn_v3(fmax(most.x, p.x), fmax(most.y, p.y), fmax(most.z, p.z));
  }
  least = cdn_v3(fmax(least.x, c->box.center.x - c->box.half.x), fmax(least.y, c->box.center.y - c->box.half.y),
                 fmax(least.z, c->box.center.z - c->box.half.z));
  most = cdn_v3(fmin(most.x, c->box.center.x + c->box.half.x), fmin(most.y, c->box.center.y + c->box.half.y),
                fmin(most.z, c->box.center.z + c->box.half.z));
  if (!(least.x <= most.x && least.y <= most.y && least.z <= most.z)) return false;
  out->center = cdn_scale(0.5, cdn_add(least, most)), out->half = cdn_scale(0.5, cdn_sub(most, least));
  out->radius = cdn_norm(out->half);
  return true;
}

/* What is below a triangle is as deep as it is below it vertically: so the pressure does not jump from column to
 * column. */
static bool visit_column(void *context, int triangle, const cdn_vec3 v[3]) {
  columns *c = context;
  pressure_overlap *o = c->o;
  const cdn_transform *X = o->pair->X[c->h];
  const cdn_vec3 up = cdn_cross(cdn_sub(v[1], v[0]), cdn_sub(v[2], v[0]));
  if (!(fabs(up.z) > 0) || !box_of_column(c, v, &o->box)) return true;
  field *f = &o->field[c->h];
  const cdn_vec3 n = cdn_scale(1 / up.z, up);
  f->n = 1, f->nearest = 0;
  f->face[0].n = cdn_rotate(X->R, n);
  f->face[0].offset = cdn_dot(n, v[0]) + cdn_dot(f->face[0].n, X->p);
  f->face[0].index = 0;
  o->n_sides = 3;
  o->first_feature = triangle % (INT32_MAX / MOST_FACES) * MOST_FACES;
  for (int k = 0; k < 3; k++) {
    const cdn_vec3 a = v[k], e = cdn_sub(v[(k + 1) % 3], a);
    const cdn_vec3 out = cdn_scale((up.z > 0 ? 1 : -1) / hypot(e.x, e.y), cdn_v3(e.y, -e.x, 0));
    o->side[k].n = cdn_rotate(X->R, out);
    o->side[k].offset = cdn_dot(out, a) + cdn_dot(o->side[k].n, X->p);
  }
  cdni_pressure_collect(o->pair->g[1 - c->h], o->pair->X[1 - c->h], &o->box, &o->field[1 - c->h]);
  c->status = c->visit(c->context, o);
  return c->status == CDN_OK;
}

static cdn_status visit_columns(int h, pressure_overlap *o, pressure_visitor *visit, void *context) {
  const touch_pair *pair = o->pair;
  const cdn_geometry *solid = pair->g[1 - h];
  const cdn_transform X = cdn_transform_multiply(cdn_transform_invert(*pair->X[h]), *pair->X[1 - h]);
  cdn_vec3 least, most, from, to;
  cdni_pressure_bounds(solid, &X, &least, &most);
  cdni_pressure_bounds(solid, pair->X[1 - h], &from, &to);
  columns c = { .o = o,
                .h = h,
                .lowest = least.z,
                .box = { .center = cdn_scale(0.5, cdn_add(from, to)), .half = cdn_scale(0.5, cdn_sub(to, from)) },
                .visit = visit,
                .context = context };
  most.z = INFINITY;
  cdni_triangles_in_box(pair->g[h]->surface, least, most, visit_column, &c);
  return c.status;
}

cdn_status cdni_pressure_visit(const touch_pair *pair, pressure_visitor *visit, void *context) {
  pressure_overlap o; /* it is large, and most of it is not needed */
  o.pair = pair, o.n_sides = 0, o.first_feature = 0;
  set_stiffness(pair, &o);
  for (int h = 0; h < 2; h++)
    if (pair->g[h]->kind == CDN_GEOMETRY_HEIGHT_FIELD) return visit_columns(h, &o, visit, context);
  if (!cdni_pressure_overlap(pair, &o.box)) return CDN_OK;
  for (int i = 0; i < 2; i++) cdni_pressure_collect(pair->g[i], pair->X[i], &o.box, &o.field[i]);
  return visit(context, &o);
}

static cdn_status add_polygons(void *context, pressure_overlap *o) {
  return cdni_pressure_borders(o, false, add_polygon, context);
}

cdn_status cdni_find_polygons(const touch_pair *pair, cdn_state *state, cdn_region_output *out) {
  (void)state;
  adder a = { cdni_combine_materials(pair), out };
  return cdni_pressure_visit(pair, add_polygons, &a);
}

/* ---- the force alone ---- */

static cdn_status add_force(void *context, const pressure_overlap *o, int i, int j) {
  cdn_vec3 *sum = context;
  pressed_polygon p;
  if (find_polygon(o, i, j - o->field[0].n, &p)) *sum = cdn_add(*sum, cdn_scale(p.force, p.normal));
  return CDN_OK;
}

static cdn_status add_forces(void *context, pressure_overlap *o) {
  return cdni_pressure_borders(o, false, add_force, context);
}

double cdni_pressure_force(const touch_pair *pair, double depth, const cdn_proximity *near) {
  const double most = 0.5 * fmin(cdni_largest_depth(pair->g[0]), cdni_largest_depth(pair->g[1]));
  const cdn_transform X_b = pose_at_depth(pair, fmin(depth, most), near);
  touch_pair there = *pair;
  there.X[1] = &X_b;
  cdn_vec3 sum = { 0, 0, 0 };
  (void)!cdni_pressure_visit(&there, add_forces, &sum);
  return cdn_norm(sum);
}

static cdn_status note_force(void *context, const pressure_overlap *o, int i, int j) {
  bool *acts = context;
  pressed_polygon p;
  if (!*acts) *acts = find_polygon(o, i, j - o->field[0].n, &p);
  return CDN_OK;
}

static cdn_status note_forces(void *context, pressure_overlap *o) {
  return cdni_pressure_borders(o, false, note_force, context);
}

bool cdni_pressure_acts(const touch_pair *pair) {
  bool acts = false;
  (void)!cdni_pressure_visit(pair, note_forces, &acts);
  return acts;
}

double cdni_pressure_reach(const cdn_geometry *a, const cdn_geometry *b) {
  return cdni_faces_beyond(a) + cdni_faces_beyond(b);
}
