/* Closed forms. In the plane of a sphere's centre, P and Q, and in the plane across a cylinder, the path is two
 * tangents and an arc; or, from inside, two lines that meet on the circle where their sum is shortest. A cylinder
 * unrolls into a plane, so its path rises evenly. Derivatives of the length are unit vectors along its ends, because
 * a shortest path does not change to first order where its inner points move. */
#include "paths/wrap.h"

#include <float.h>
#include <math.h>

static const double PI = 3.14159265358979323846;

typedef struct v2 {
  double x, y;
} v2;

static double dot(v2 a, v2 b) { return a.x * b.x + a.y * b.y; }
static double cross(v2 a, v2 b) { return a.x * b.y - a.y * b.x; }
static double norm(v2 a) { return sqrt(dot(a, a)); }
static v2 turned(v2 a) { return (v2){ -a.y, a.x }; }
static v2 sum(double s, v2 a, double t, v2 b) { return (v2){ s * a.x + t * b.x, s * a.y + t * b.y }; }

/* The path in its plane. The second derivatives of its length are those numbers along the normals of its ends in the
 * plane, and, about a sphere, across the plane. */
typedef struct planar_path {
  double first, arc, last; /* lengths */
  v2 leave, arrive, from_P, to_Q;
  double in[3], out[3]; /* of PP, PQ, QQ */
} planar_path;

static double length_of(const planar_path *w) { return w->first + w->arc + w->last; }

/* ---- outside ---- */

/* The points where the tangents from P and Q touch, one way around: counterclockwise (1) or clockwise (-1), as unit
 * vectors; the cosine and the sine, counted along the way, of the arc between them. */
typedef struct tangents {
  int way;
  double first, last; /* lengths */
  v2 leave, arrive;
  double cosine, sine;
} tangents;

static void finish_touch(tangents *t) {
  t->cosine = dot(t->leave, t->arrive), t->sine = t->way * cross(t->leave, t->arrive);
}

static tangents touch(double r, v2 P, v2 Q, int way) {
  const double P2 = dot(P, P), Q2 = dot(Q, Q);
  tangents t = { .way = way, .first = sqrt(P2 - r * r), .last = sqrt(Q2 - r * r) };
  t.leave = sum(r / P2, P, way * t.first / P2, turned(P));
  t.arrive = sum(r / Q2, Q, -way * t.last / Q2, turned(Q));
  finish_touch(&t);
  return t;
}

/* The other way around: the points on the other side of the lines through the centre. */
static tangents touch_other(double r, v2 P, v2 Q, const tangents *t) {
  const double by_P = 2 * r / dot(P, P), by_Q = 2 * r / dot(Q, Q);
  tangents other = { .way = -t->way, .first = t->first, .last = t->last };
  other.leave = sum(by_P, P, -1, t->leave);
  other.arrive = sum(by_Q, Q, -1, t->arrive);
  finish_touch(&other);
  return other;
}

/* Whether they cross before they touch, so that there is no path this way: tangents at points an arc apart meet r
 * tan(arc / 2) beyond the first. */
static bool do_cross(double r, const tangents *t) {
  if (!(t->sine < 0)) return false;
  const double before = -r * t->sine, most = fmin(t->first, t->last) * (1 + t->cosine);
  return before <= most;
}

static planar_path around(double r, v2 P, v2 Q, const tangents *t) {
  const double P2 = dot(P, P), Q2 = dot(Q, Q), angle = atan2(t->sine, t->cosine);
  planar_path w = { .first = t->first, .arc = r * (angle < 0 ? angle + 2 * PI : angle), .last = t->last };
  w.leave = sum(r, t->leave, 0, t->leave), w.arrive = sum(r, t->arrive, 0, t->arrive);
  w.from_P = sum(-w.first / P2, P, t->way * r / P2, turned(P));
  w.to_Q = sum(w.last / Q2, Q, t->way * r / Q2, turned(Q));
  return w;
}

static void bend_around(double r, v2 P, v2 Q, int way, planar_path *w) {
  w->in[0] = 1 / w->first, w->in[1] = 0, w->in[2] = 1 / w->last;
  const double sine = fabs(cross(P, Q)), cotangent = dot(P, Q) / sine, turn = (cross(P, Q) < 0 ? -1 : 1) * way * r;
  w->out[0] = (w->first + turn * cotangent) / dot(P, P);
  w->out[1] = -turn / sine;
  w->out[2] = (w->last + turn * cotangent) / dot(Q, Q);
}

/* The point of the line from P to Q next to the centre. */
static v2 nearest(v2 P, v2 Q) {
  const v2 along = sum(1, Q, -1, P);
  const double square = dot(along, along);
  const double t = square > 0 ? -dot(along, P) / square : 0;
  return sum(1, P, fmin(fmax(t, 0), 1), along);
}

/* How much the middle of the path lies towards the side; less than anything, where there is no path. */
static double towards(double r, const tangents *t, v2 side) {
  const v2 middle = sum(1, t->leave, 1, t->arrive);
  return do_cross(r, t) ? -INFINITY : dot(middle, side) / norm(middle);
}

/* The way on which the points where it touches lie towards the side; the short way without a side. False: the path is
 * straight. */
static bool find_way(double r, v2 P, v2 Q, const v2 *side, tangents *t) {
  const v2 near = nearest(P, Q);
  if (norm(near) > r && (!side || dot(near, *side) >= 0)) return false;
  if (!side) {
    *t = touch(r, P, Q, cross(P, Q) < 0 ? -1 : 1);
    return true;
  }
  *t = touch(r, P, Q, 1);
  const tangents other = touch_other(r, P, Q, t);
  const double good = towards(r, t, *side), good_other = towards(r, &other, *side);
  if (good_other > good) *t = other;
  return good > -INFINITY || good_other > -INFINITY;
}

/* ---- inside ---- */

/* Distance from a point at radius a to the one of the circle that is the angle `turn` apart, with two derivatives. */
static void distance_to(double a, double r, double turn, double D[3]) {
  D[0] = sqrt(a * a + r * r - 2 * a * r * cos(turn));
  D[1] = a * r * sin(turn) / D[0];
  D[2] = (a * r * cos(turn) - D[1] * D[1]) / D[0];
}

enum { MOST_HALVINGS = 100 };

/* The angle from P towards Q at which the sum of both distances is least, by Newton's method within bounds that close
 * in: the slope of the sum has one zero between P and Q. */
static double meeting_angle(double a, double b, double r, double angle) {
  double low = 0, high = angle, at = angle * a / (a + b);
  for (int i = 0; i < MOST_HALVINGS && high > low; i++) {
    double to_P[3], to_Q[3];
    distance_to(a, r, at, to_P), distance_to(b, r, angle - at, to_Q);
    const double slope = to_P[1] - to_Q[1], curve = to_P[2] + to_Q[2];
    if (slope > 0) high = at;
    else low = at;
    const double next = at - slope / curve, before = at;
    at = next > low && next < high ? next : 0.5 * (low + high);
    if (fabs(at - before) <= DBL_EPSILON * angle) break;
  }
  return at;
}

static planar_path touching(double r, v2 P, v2 Q, bool bends) {
  const double a = norm(P), b = norm(Q), signed_angle = atan2(cross(P, Q), dot(P, Q)), angle = fabs(signed_angle);
  const double at = copysign(meeting_angle(a, b, r, angle), signed_angle);
  const v2 outward = sum(cos(at) / a, P, sin(at) / a, turned(P)), x = sum(r, outward, 0, outward);
  planar_path w = { .first = norm(sum(1, x, -1, P)), .last = norm(sum(1, Q, -1, x)), .leave = x, .arrive = x };
  w.from_P = sum(1 / w.first, x, -1 / w.first, P);
  w.to_Q = sum(1 / w.last, Q, -1 / w.last, x);
  if (!bends) return w;
  double to_P[3], to_Q[3];
  distance_to(a, r, fabs(at), to_P), distance_to(b, r, angle - fabs(at), to_Q);
  /* how the point moves along the circle, and across the plane, where the ends do */
  const double curve = to_P[2] + to_Q[2];
  const double n = r * dot(turned(w.from_P), turned(outward)), m = r * dot(turned(w.to_Q), turned(outward));
  const double pushed = dot(w.from_P, outward) - dot(w.to_Q, outward), stiff = 1 / w.first + 1 / w.last - pushed / r;
  w.in[0] = 1 / w.first - n * n / (w.first * w.first * curve);
  w.in[1] = -n * m / (w.first * w.last * curve);
  w.in[2] = 1 / w.last - m * m / (w.last * w.last * curve);
  w.out[0] = 1 / w.first - 1 / (w.first * w.first * stiff);
  w.out[1] = -1 / (w.first * w.last * stiff);
  w.out[2] = 1 / w.last - 1 / (w.last * w.last * stiff);
  return w;
}

static bool wrap_in_plane(const wrap_obstacle *o, v2 P, v2 Q, const v2 *side, bool bends, planar_path *w) {
  const double r = o->radius;
  tangents t;
  if (!(r > 0) || norm(P) <= r || norm(Q) <= r) return false;
  if (o->has_side && v3_dot(o->side, o->side) < r * r) {
    if (norm(nearest(P, Q)) <= r) return false;
    *w = touching(r, P, Q, bends);
    return true;
  }
  if (!find_way(r, P, Q, side, &t)) return false;
  *w = around(r, P, Q, &t);
  if (bends) bend_around(r, P, Q, t.way, w);
  return true;
}

/* ---- in space ---- */

/* The plane through the origin, P and Q. Where they lie on a line, any plane through it does; this one is MuJoCo's. */
static m3 plane_through(v3 P, v3 Q) {
  const v3 x = v3_scale(1 / v3_norm(P), P);
  v3 normal = v3_cross(P, Q);
  if (v3_norm(normal) <= DBL_EPSILON * v3_norm(P) * v3_norm(Q)) {
    const double ax = fabs(x.x), ay = fabs(x.y), az = fabs(x.z);
    const v3 other = az > ax && az > ay ? (v3){ 1, 1, 0 } : ay > ax ? (v3){ 1, 0, 1 } : (v3){ 0, 1, 1 };
    normal = v3_cross(x, other);
  }
  const v3 z = v3_scale(1 / v3_norm(normal), normal);
  return (m3){ x, v3_cross(z, x), z };
}

static v2 in_plane(m3 E, v3 a) { return (v2){ v3_dot(E.x, a), v3_dot(E.y, a) }; }
static v3 in_space(m3 E, v2 a) { return v3_fma(a.y, E.y, v3_scale(a.x, E.x)); }
static m3 outer(double s, v3 a, v3 b) {
  return (m3){ v3_scale(s * b.x, a), v3_scale(s * b.y, a), v3_scale(s * b.z, a) };
}
static m3 add(m3 A, m3 B) { return (m3){ v3_add(A.x, B.x), v3_add(A.y, B.y), v3_add(A.z, B.z) }; }

static void bend_about_sphere(const planar_path *w, m3 E, wrap_bend *bend) {
  const v3 n = in_space(E, turned(w->from_P)), m = in_space(E, turned(w->to_Q));
  bend->PP = add(outer(w->in[0], n, n), outer(w->out[0], E.z, E.z));
  bend->PQ = add(outer(w->in[1], n, m), outer(w->out[1], E.z, E.z));
  bend->QQ = add(outer(w->in[2], m, m), outer(w->out[2], E.z, E.z));
}

/* L^2 = f^2 + z^2 with the length f in the plane and the rise z: L L'' = f f'' + f' f'^T + z' z'^T - L' L'^T. */
static void bend_about_cylinder(const planar_path *w, const wrap_path *path, m3 E, wrap_bend *bend) {
  const double f = length_of(w), L = path->length;
  const v3 n = in_space(E, turned(w->from_P)), m = in_space(E, turned(w->to_Q));
  const v3 p = in_space(E, w->from_P), q = in_space(E, w->to_Q), g = path->from_P, h = path->to_Q;
  const m3 rise = outer(1 / L, E.z, E.z);
  const m3 fall = outer(-1 / L, E.z, E.z);
  bend->PP = add(add(outer(f / L * w->in[0], n, n), outer(1 / L, p, p)), add(rise, outer(-1 / L, g, g)));
  bend->PQ = add(add(outer(f / L * w->in[1], n, m), outer(-1 / L, p, q)), add(fall, outer(1 / L, g, h)));
  bend->QQ = add(add(outer(f / L * w->in[2], m, m), outer(1 / L, q, q)), add(rise, outer(-1 / L, h, h)));
}

static v3 across(v3 axis, v3 a) { return v3_fma(-v3_dot(axis, a), axis, a); }

/* The same questions as in the plane: `near` is in it. */
bool cdni_wrap_is_passed(const wrap_obstacle *o, v3 axis, v3 side, v3 P, v3 Q) {
  const double square = o->radius * o->radius;
  const v3 p = across(axis, P), q = across(axis, Q), along = v3_sub(q, p);
  if (!(o->radius > 0) || v3_dot(p, p) <= square || v3_dot(q, q) <= square) return true;
  const double length = v3_dot(along, along), t = length > 0 ? -v3_dot(along, p) / length : 0;
  const v3 near = v3_fma(t > 0 ? t < 1 ? t : 1 : 0, along, p);
  if (o->has_side && v3_dot(side, side) < square) return v3_dot(near, near) <= square;
  return v3_dot(near, near) > square && (!o->has_side || v3_dot(near, side) >= 0);
}

bool cdni_wrap(const wrap_obstacle *o, v3 P, v3 Q, wrap_path *path, wrap_bend *bend) {
  const bool sphere = o->kind == WRAP_SPHERE;
  planar_path w;
  if (sphere && (v3_norm(P) <= o->radius || v3_norm(Q) <= o->radius)) return false;
  const m3 E = sphere ? plane_through(P, Q) : m3_identity();
  const v2 side = in_plane(E, o->side);
  /* a side on the axis, or above the plane's centre, is none */
  if (!wrap_in_plane(o, in_plane(E, P), in_plane(E, Q), o->has_side && norm(side) > 0 ? &side : NULL, bend != NULL, &w))
    return false;
  const double f = length_of(&w), z = sphere ? 0 : Q.z - P.z, L = sphere ? f : hypot(f, z);
  *path = (wrap_path){ .length = L,
                       .arc = w.arc * L / f,
                       .leave = in_space(E, w.leave),
                       .arrive = in_space(E, w.arrive),
                       .from_P = v3_scale(f / L, in_space(E, w.from_P)),
                       .to_Q = v3_scale(f / L, in_space(E, w.to_Q)) };
  if (!sphere) {
    path->leave.z = P.z + z * w.first / f, path->arrive.z = P.z + z * (w.first + w.arc) / f;
    path->from_P.z = path->to_Q.z = z / L;
  }
  if (bend && sphere) bend_about_sphere(&w, E, bend);
  if (bend && !sphere) bend_about_cylinder(&w, path, E, bend);
  return true;
}
