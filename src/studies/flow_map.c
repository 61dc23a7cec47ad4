/* The maps of a step with constant speeds: where coordinates go, and what becomes of momenta. flow.c has the equations
 * for coordinates and for orientations.
 *
 * A line turns about axes across itself, x = h (u_x, u_y, 0) / 2 in M's axes: its end goes along a great circle, and
 * M's axes along with it. The discrete Lagrangian is one of the line's direction alone, since nothing tells how the
 * line is turned about itself. With momenta and g in M's axes, which the motion carries along, and c = (4 - |x|^2)/(4 +
 * |x|^2) the cosine of the turn to the middle,
 *
 *   p1 = p0 + h A^-1 g,   M(q_m) xi = (p0 + h A^-1 g / 2) / (1 + |x|^2 / 4),
 *
 * where A is 1 along x and c across it. */
#include <math.h>

#include "matter/kinds.h"
#include "studies/sampling.h"

static cdn_vec3 at(const double *x) { return cdn_v3(x[0], x[1], x[2]); }
static void put(double *x, cdn_vec3 v) { x[0] = v.x, x[1] = v.y, x[2] = v.z; }

/* How many of a joint's speeds are angular velocities, with a quaternion for its orientation: 0, 2 of a line, 3. */
static int angular(const tree_node *n) {
  switch (cdni_kind_of(n)->speeds) {
    case SPEEDS_TURN_IN_F: return 3;
    case SPEEDS_TURN_ABOUT_AXES: return 2;
    case SPEEDS_ARE_RATES: break;
  }
  return 0;
}
static cdn_vec3 of_line(const double *x) { return cdn_v3(x[0], x[1], 0); }
static void put_line(double *x, cdn_vec3 v) { x[0] = v.x, x[1] = v.y; }

/* cay(x) v */
static cdn_vec3 turned(cdn_vec3 x, cdn_vec3 v) {
  const cdn_vec3 once = cdn_cross(x, v), twice = cdn_cross(x, once);
  return cdn_add(v, cdn_scale(4 / (4 + cdn_dot(x, x)), cdn_add(once, cdn_scale(0.5, twice))));
}

/* A^-1 g of a line. */
static cdn_vec3 stretched(cdn_vec3 x, cdn_vec3 g) {
  const double xx = cdn_dot(x, x);
  return cdn_scale(1 / (4 - xx), cdn_add(cdn_scale(4 + xx, g), cdn_scale(-2 * cdn_dot(x, g), x)));
}

/* to = (1, x) e with x in F's axes, e (1, x) in M's, of length 1 */
static void turn(const double *e, cdn_vec3 x, bool in_M, double *to) {
  const cdn_vec3 v = at(e + 1), cross = cdn_cross(x, v);
  const double s = e[0] - cdn_dot(x, v);
  const cdn_vec3 w = cdn_add(cdn_add(v, cdn_scale(e[0], x)), cdn_scale(in_M ? -1 : 1, cross));
  const double length = sqrt(s * s + cdn_dot(w, w));
  to[0] = s / length;
  put(to + 1, cdn_scale(1 / length, w));
}

void cdni_flow_move(const matter *m, const double *from, const double *u, double half, double *to) {
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    const int turns = angular(n), first = turns > 0 ? 4 : 0;
    if (turns == 3) turn(from + n->q, cdn_scale(0.5 * half, at(u + n->u)), false, to + n->q);
    if (turns == 2) turn(from + n->q, cdn_scale(0.5 * half, of_line(u + n->u)), true, to + n->q);
    for (int k = turns; k < n->nu; k++)
      to[n->q + first + k - turns] = from[n->q + first + k - turns] + half * u[n->u + k];
  }
}

void cdni_flow_middle(const matter *m, double h, const double *p0, const double *u, const double *g, double *p) {
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    const int turns = angular(n);
    if (turns == 3) {
      const cdn_vec3 x = cdn_scale(0.5 * h, at(u + n->u)), g3 = at(g + n->u);
      cdn_vec3 sum = cdn_add(turned(x, at(p0 + n->u)), cdn_scale(0.5 * h, g3));
      sum = cdn_add(sum, cdn_scale(0.25 * h, cdn_cross(x, g3)));
      put(p + n->u, cdn_scale(4 / (4 + cdn_dot(x, x)), sum));
    } else if (turns == 2) {
      const cdn_vec3 x = cdn_scale(0.5 * h, of_line(u + n->u));
      const cdn_vec3 sum = cdn_add(of_line(p0 + n->u), cdn_scale(0.5 * h, stretched(x, of_line(g + n->u))));
      put_line(p + n->u, cdn_scale(4 / (4 + cdn_dot(x, x)), sum));
    }
    for (int k = turns; k < n->nu; k++) p[n->u + k] = p0[n->u + k] + 0.5 * h * g[n->u + k];
  }
}

void cdni_flow_end(const matter *m, double h, const double *u, const double *g, double *p) {
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    const int turns = angular(n);
    double *own = p + n->u;
    if (turns == 3) {
      const cdn_vec3 x = cdn_scale(0.5 * h, at(u + n->u));
      put(own, turned(x, cdn_add(turned(x, at(own)), cdn_scale(h, at(g + n->u)))));
    } else if (turns == 2) {
      const cdn_vec3 x = cdn_scale(0.5 * h, of_line(u + n->u));
      put_line(own, cdn_add(of_line(own), cdn_scale(h, stretched(x, of_line(g + n->u)))));
    }
    for (int k = turns; k < n->nu; k++) own[k] += h * g[n->u + k];
  }
}

void cdni_flow_turn_line(double angle, double *q, double *u) {
  const double c = cos(angle), s = sin(angle), x = u[0];
  double e[4];
  turn(q, cdn_v3(0, 0, tan(0.5 * angle)), true, e);
  memcpy(q, e, sizeof e);
  u[0] = c * x + s * u[1], u[1] = c * u[1] - s * x;
}
