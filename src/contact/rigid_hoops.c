/* The rim of a cylinder across an edge, or across the side of a capsule or a cylinder, which is an axis with a radius.
 * Where the side of a cylinder lies along an edge, both of its rims are across it, and hold it as two points.
 *
 * The place on the rim is told by the angle from the direction of the edge in the plane of the rim. The distance from
 * the line of the edge has up to two least values. */
#include <math.h>

#include "contact/rigid_parts.h"

static const double FULL_TURN = 6.28318530717958647692;

/* A rim and a line, in Ground: x(angle) = middle + radius (cos(angle) x + sin(angle) y); d is the middle seen from the
 * line, across it; u is the direction of the line, and `along` its part in the plane of the rim. */
typedef struct hoop {
  cdn_vec3 middle, x, y, outward, u, d;
  double radius, along;
} hoop;

static hoop hoop_of(const cdn_geometry *g, const cdn_transform *X, int rim, const rigid_edge *e) {
  hoop h = { .outward = cdn_scale(rim ? 1 : -1, X->R.z), .radius = g->size[0] };
  h.u = cdn_scale(1 / cdn_norm(e->u), e->u);
  h.middle = fma3(g->size[1], h.outward, X->p);
  const cdn_vec3 flat = across(h.outward, h.u);
  h.along = cdn_norm(flat);
  h.x = h.along > ROUNDED ? cdn_scale(1 / h.along, flat) : X->R.x;
  h.y = cdn_cross(h.outward, h.x);
  h.d = across(h.u, cdn_sub(h.middle, e->p));
  return h;
}

static cdn_vec3 radial_at(const hoop *h, double angle) { return fma3(sin(angle), h->y, cdn_scale(cos(angle), h->x)); }

/* How the half square of the distance changes with the angle, over the radius; its own slope. */
static double slope_at(const hoop *h, double angle, double *slope) {
  const double s = sin(angle), c = cos(angle), x = cdn_dot(h->d, h->x), y = cdn_dot(h->d, h->y);
  const double bent = h->radius * h->along * h->along;
  *slope = -x * c - y * s + bent * (c * c - s * s);
  return -x * s + y * c + bent * s * c;
}

static double square_at(const hoop *h, double angle) {
  const cdn_vec3 v = fma3(h->radius, across(h->u, radial_at(h, angle)), h->d);
  return cdn_dot(v, v);
}

/* Newton's method between angles where the distance falls, and rises. */
static double least_between(const hoop *h, double low, double high) {
  double angle = 0.5 * (low + high);
  for (int k = 0; k < 60 && high - low > 1e-16 * FULL_TURN; k++) {
    double slope;
    const double value = slope_at(h, angle, &slope);
    if (value <= 0) low = angle;
    else high = angle;
    const double next = slope > 0 ? angle - value / slope : angle;
    const bool inside = slope > 0 && next > low && next < high;
    if (inside && fabs(next - angle) < 1e-16 * FULL_TURN) return next;
    angle = inside ? next : 0.5 * (low + high);
  }
  return angle;
}

/* Least distances are told apart by pieces of that many in a turn. */
enum { PIECES = 48 };

/* The nearest of all; there is one. */
static double nearest(const hoop *h) {
  double least = INFINITY, angle = 0, ignored, before = slope_at(h, 0, &ignored);
  for (int k = 1; k <= PIECES; k++) {
    const double end = FULL_TURN * k / PIECES, after = slope_at(h, end, &ignored);
    if (before <= 0 && after > 0) {
      const double found = least_between(h, end - FULL_TURN / PIECES, end), square = square_at(h, found);
      if (square < least) least = square, angle = found;
    }
    before = after;
  }
  return angle;
}

/* Where the rim runs along the edge as nearly, as a sine, hardly any normal is across both, and places on the rim go
 * fast. */
static const double TANGENT = 0.03;
/* The cosine of that. A line that is as flat may lie across the cap, and touch the rim at two places, on either side of
 * where both run along each other; a steeper one touches it at one place. */
static const double FLAT = 0.99955;

/* False: there is none, as the line has left the cap. The angle is that where it left. */
static bool place_on(const hoop *h, rigid_hoop_place place, double *angle) {
  if (place == HOOP_NEAREST) {
    *angle = nearest(h);
    return true;
  }
  /* where a line in the plane of the rim crosses it; the place is no farther off than half of the way to where both run
   * along each other */
  const double quarter = 0.25 * FULL_TURN, sine = fmax(-1, fmin(-cdn_dot(h->d, h->y) / h->radius, 1));
  const double about = place == HOOP_AHEAD ? asin(sine) : 2 * quarter - asin(sine);
  const double around = 0.5 * (quarter - fabs(asin(sine)));
  double ignored;
  *angle = about;
  if (slope_at(h, about - around, &ignored) > 0 || slope_at(h, about + around, &ignored) <= 0) return false;
  *angle = least_between(h, about - around, about + around);
  return true;
}

bool cdni_rigid_cross_hoop(const rigid_pair *p, const rigid_feature *f, rigid_hoop *out) {
  const int side = f->side;
  const rigid_hoop_place place = (rigid_hoop_place)(f->i / 2);
  double angle = 0;
  if (!cdni_rigid_edge(p->g[1 - side], p->X[1 - side], f->j, &out->edge)) return false;
  const hoop h = hoop_of(p->g[side], p->X[side], f->i % 2, &out->edge);
  const bool there = place_on(&h, place, &angle);
  const double length = cdn_norm(out->edge.u);
  out->radius = h.radius, out->outward = h.outward, out->u = h.u;
  out->radial = radial_at(&h, angle), out->t = cdn_cross(h.outward, out->radial);
  out->on_rim = fma3(h.radius, out->radial, h.middle);
  out->s = cdn_dot(h.u, cdn_sub(out->on_rim, out->edge.p));
  out->on_edge = fma3(out->s, h.u, out->edge.p);
  out->c = cdn_cross(out->t, h.u), out->sine = there ? cdn_norm(out->c) : 0;
  /* a trial step may go beyond the end of a place; there the edge is on the cap */
  out->beyond = !(out->sine > 0.5 * TANGENT);
  const cdn_vec3 across_both = out->beyond ? across(h.u, h.outward) : out->c;
  out->n = cdn_scale(1 / fmax(cdn_norm(across_both), ROUNDED), across_both);
  /* n points into a sharp edge, or towards an axis */
  const cdn_vec3 over = cdn_sub(out->on_edge, out->on_rim);
  const double in =
      out->edge.sharp ? -cdn_dot(out->n, cdn_add(out->edge.normal[0], out->edge.normal[1])) : cdn_dot(out->n, over);
  if (in < 0) out->n = cdn_scale(-1, out->n);
  out->distance = cdn_dot(out->n, over);
  const double flatter = (h.along - FLAT) * p->size;
  out->between =
      fmin(between_faces((cdn_vec3[]){ h.outward, out->radial }, out->n), between(&out->edge, cdn_scale(-1, out->n)));
  out->within = fmin(fmin(out->s, length - out->s), (out->sine - TANGENT) * p->size);
  out->within = fmin(out->within, place == HOOP_NEAREST ? -flatter : flatter);
  out->within = fmin(out->within, (out->between - FAR_OFF) * p->size);
  return true;
}

bool cdni_rigid_measure_hoop(const rigid_pair *p, const rigid_feature *f, const rigid_motion *m, rigid_touch *out) {
  rigid_hoop x;
  if (!cdni_rigid_cross_hoop(p, f, &x)) return false;
  const double sign = f->side == 0 ? 1 : -1;
  out->gap = x.distance - x.edge.radius;
  out->within = x.within;
  out->normal = cdn_scale(sign, x.n);
  out->point = fma3(0.5 * out->gap, x.n, x.on_rim);
  if (!m) return true;
  /* the place goes along the rim at the speed a, and along the edge at the speed b, so that what is between them stays
   * across both */
  const rigid_motion *of_rim = &m[f->side], *of_edge = &m[1 - f->side];
  const cdn_vec3 v = velocity(of_rim, x.on_rim), over = cdn_sub(velocity(of_edge, x.on_edge), v);
  const cdn_vec3 t_turns = cdn_cross(of_rim->w, x.t), urate = cdn_cross(of_edge->w, x.u);
  const double cosine = cdn_dot(x.t, x.u), bent = 1 + x.distance * cdn_dot(x.n, x.radial) / x.radius;
  const double along_t = cdn_dot(over, x.t) + x.distance * cdn_dot(x.n, t_turns);
  const double along_u = cdn_dot(over, x.u) + x.distance * cdn_dot(x.n, urate);
  const double a = x.beyond ? 0 : (along_t - cosine * along_u) / (bent - cosine * cosine);
  const cdn_vec3 trate = fma3(-a / x.radius, x.radial, t_turns);
  const cdn_vec3 crate = cdn_add(cdn_cross(trate, x.u), cdn_cross(x.t, urate));
  const double turned = cdn_dot(x.n, x.c) < 0 ? -1 : 1;
  const cdn_vec3 nrate = x.beyond ? cdn_cross(of_rim->w, x.n) : cdn_scale(turned / x.sine, across(x.n, crate));
  out->normal_rate = cdn_scale(sign, nrate);
  out->point_rate = fma3(0.5 * cdn_dot(x.n, over), x.n, fma3(0.5 * out->gap, nrate, fma3(a, x.t, v)));
  return true;
}
