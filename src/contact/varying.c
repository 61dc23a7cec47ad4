/* The force by which the stiffness of an ellipsoid's contact varies.
 *
 * Hertz's energy E = 2/5 K x^(5/2) depends on the pose by the depth x and by the stiffness K, which depends on the
 * curvatures at the nearest points, and on how their directions lie to each other. So to the force K x^(3/2) along the
 * normal belongs a smaller one in the plane of the contact, with a moment, of -2/5 x^(5/2) dK/dq. Without it impacts
 * would gain or lose energy.
 *
 * T = A + B is the sum of the curvature tensors, F the normal force, a_1 and a_2 the half axes of the patch along the
 * eigenvectors e_i of T. At a fixed depth the energy is least, so that its change by T is that of the gap under the
 * pressure: dE = 1/2 int p r . dT r dA = -Q : dT with Q = F / 10 sum a_i^2 e_i e_i (Hertz's pressure has the mean
 * squares a_i^2 / 5; a larger curvature takes energy away). Let a rest, and b turn by theta and move by u at its
 * nearest point. Then dT = dA(s_a) + dB(s_b) + (n . theta) (J B - B J),   J = n x,
 * where the nearest points slide by s_a and s_b over their surfaces, as derivatives.c has it:
 *    (A + B (1 + g A)) s_a = theta x n + B v,   s_b = (1 + g A) s_a - v,   v = u in the plane, g = -x.
 * There A and B are the true tensors, also of faces and edges, which the law takes for flat. Of an ellipsoid x . M x
 * = 1, A = P M P / L with L = |M x| and P on the plane, and with m = P M n
 *    dA(s) = -(A s m + m A s + (m . s) A) / L,   so that Q : dA(s) = g_a . s with g_a = -(2 A Q m + (Q : A) m) / L. */
#include <math.h>

#include "contact/law_kinds.h"
#include "contact/laws.h"
#include "contact/touch.h"

/* A symmetric tensor in the plane of the contact, in the axes t and n x t. */
typedef struct plane_tensor {
  double xx, xy, yy;
} plane_tensor;
typedef struct plane_vector {
  double x, y;
} plane_vector;

static plane_vector apply(plane_tensor T, plane_vector v) {
  return (plane_vector){ T.xx * v.x + T.xy * v.y, T.xy * v.x + T.yy * v.y };
}
static plane_vector add(plane_vector a, double s, plane_vector b) {
  return (plane_vector){ a.x + s * b.x, a.y + s * b.y };
}

/* One of the two surfaces. */
typedef struct side {
  plane_tensor tensor; /* true one */
  plane_vector varies; /* g: Q : dA(s) = g . s */
  double xy;           /* of the tensor that the law has */
} side;

typedef struct frame {
  cdn_vec3 t, s; /* axes in the plane */
  plane_tensor Q;
} frame;

static plane_vector project(const frame *f, cdn_vec3 v) { return (plane_vector){ cdn_dot(f->t, v), cdn_dot(f->s, v) }; }
static plane_tensor dyad(plane_vector e, double k) {
  return (plane_tensor){ k * e.x * e.x, k * e.x * e.y, k * e.y * e.y };
}

/* The tensor with the curvature k along a direction e (Ground), and `across` across it. */
static plane_tensor by_direction(const frame *f, cdn_vec3 e, double k, double across) {
  plane_vector along = project(f, e);
  const double length = hypot(along.x, along.y);
  if (!(length > 0)) return (plane_tensor){ across, 0, across };
  along = (plane_vector){ along.x / length, along.y / length };
  const plane_tensor T = dyad(along, k), U = dyad((plane_vector){ -along.y, along.x }, across);
  return (plane_tensor){ T.xx + U.xx, T.xy + U.xy, T.yy + U.yy };
}

static void ellipsoid(const frame *f, const cdn_geometry *g, const cdn_transform *X, cdn_vec3 at, side *out) {
  const double *a = g->size, M[3] = { 1 / (a[0] * a[0]), 1 / (a[1] * a[1]), 1 / (a[2] * a[2]) };
  const cdn_vec3 p = cdn_rotate_inv(X->R, cdn_sub(at, X->p)), Mp = cdn_v3(M[0] * p.x, M[1] * p.y, M[2] * p.z);
  const double L = cdn_norm(Mp);
  if (!(L > 0)) return; /* the centre of the ellipsoid is no point of its surface */
  const cdn_vec3 n = cdn_scale(1 / L, Mp);
  const cdn_vec3 t = cdn_rotate_inv(X->R, f->t), s = cdn_rotate_inv(X->R, f->s);
  const cdn_vec3 Mt = cdn_v3(M[0] * t.x, M[1] * t.y, M[2] * t.z), Ms = cdn_v3(M[0] * s.x, M[1] * s.y, M[2] * s.z);
  const plane_tensor A = { cdn_dot(t, Mt) / L, cdn_dot(t, Ms) / L, cdn_dot(s, Ms) / L };
  const plane_vector m = { cdn_dot(n, Mt), cdn_dot(n, Ms) };
  const plane_vector AQm = apply(A, apply(f->Q, m));
  const double QA = f->Q.xx * A.xx + 2 * f->Q.xy * A.xy + f->Q.yy * A.yy;
  *out = (side){ .tensor = A, .varies = { -(2 * AQm.x + QA * m.x) / L, -(2 * AQm.y + QA * m.y) / L }, .xy = A.xy };
}

/* What is known by its support function: the tensor at n, and how it varies with the normal, which turns by A s while
 * the point slides by s. The axes turn with the normal by the least turn. A tensor that changes by more than a
 * twentieth within the turn of the differences jumps there, at the border of an edge or a face: it has no rate. */
static void by_support(const frame *f, const cdn_geometry *g, const cdn_transform *X, cdn_vec3 normal, side *out) {
  static const double TURN = 1e-3, MOST_CHANGE = 0.05;
  const cdn_vec3 n = cdn_rotate_inv(X->R, normal);
  const cdn_vec3 axis[2] = { cdn_rotate_inv(X->R, f->t), cdn_rotate_inv(X->R, f->s) };
  double A[3], B[2][3], by_turn[2];
  cdni_support_tensor(g, n, axis[0], axis[1], A);
  out->tensor = (plane_tensor){ A[0], A[1], A[2] }, out->xy = A[1];
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2; k++) {
      const double angle = k ? TURN : -TURN, c = cos(angle), s = sin(angle);
      cdn_vec3 turned[2] = { axis[0], axis[1] };
      turned[i] = cdn_sub(cdn_scale(c, axis[i]), cdn_scale(s, n));
      cdni_support_tensor(g, cdn_add(cdn_scale(c, n), cdn_scale(s, axis[i])), turned[0], turned[1], B[k]);
    }
    const double xx = B[1][0] - B[0][0], xy = B[1][1] - B[0][1], yy = B[1][2] - B[0][2];
    if (fabs(xx) + 2 * fabs(xy) + fabs(yy) > MOST_CHANGE * (A[0] + A[2])) return;
    by_turn[i] = (f->Q.xx * xx + 2 * f->Q.xy * xy + f->Q.yy * yy) / (2 * TURN);
  }
  out->varies = apply(out->tensor, (plane_vector){ by_turn[0], by_turn[1] });
}

/* A surface whose points cannot slide has, by its size, this curvature. */
static const double SHARP = 1e8;

static plane_tensor in_plane(const frame *f, const surface_tensor *T, const cdn_geometry *g) {
  cdn_vec3 center;
  const double k = isinf(T->k) ? SHARP / cdni_bounding_ball(g, &center) : T->k;
  return by_direction(f, T->axis, T->along, k);
}

static void side_of(const frame *f, const touch_pair *pair, int i, cdn_vec3 at, cdn_vec3 n, side *out) {
  const cdn_geometry *g = pair->g[i];
  const cdn_transform *X = pair->X[i];
  *out = (side){ .xy = 0 };
  if (g->kind == CDN_GEOMETRY_ELLIPSOID) {
    ellipsoid(f, g, X, at, out);
    return;
  }
  if (cdni_curvature_varies(g)) {
    by_support(f, g, X, i == 0 ? n : cdn_scale(-1, n), out);
    return;
  }
  const surface_tensor T = cdni_surface_tensor(g, X, at, n);
  out->tensor = in_plane(f, &T, g);
}

/* Solves C' x = r with C = A + B (1 + g A). */
static plane_vector solve_transposed(plane_tensor A, plane_tensor B, double g, plane_vector r) {
  const double BA[2][2] = { { B.xx * A.xx + B.xy * A.xy, B.xx * A.xy + B.xy * A.yy },
                            { B.xy * A.xx + B.yy * A.xy, B.xy * A.xy + B.yy * A.yy } };
  const double C[2][2] = { { A.xx + B.xx + g * BA[0][0], A.xy + B.xy + g * BA[0][1] },
                           { A.xy + B.xy + g * BA[1][0], A.yy + B.yy + g * BA[1][1] } };
  const double det = C[0][0] * C[1][1] - C[0][1] * C[1][0];
  if (det == 0) return (plane_vector){ 0, 0 };
  return (plane_vector){ (C[1][1] * r.x - C[1][0] * r.y) / det, (C[0][0] * r.y - C[0][1] * r.x) / det };
}

void cdni_varying_stiffness(const touch_pair *pair, const cdn_proximity *near, touch *t) {
  const cdn_vec3 n = t->normal;
  /* the tangent is along the larger curvature, where the smaller half axis is */
  const frame f = { .t = t->tangent,
                    .s = cdn_cross(n, t->tangent),
                    .Q = { 0.1 * t->elastic * t->radius[1] * t->radius[1], 0,
                           0.1 * t->elastic * t->radius[0] * t->radius[0] } };
  const double g = near->distance;
  side a, b;
  side_of(&f, pair, 0, near->point_a, n, &a);
  side_of(&f, pair, 1, near->point_b, n, &b);
  /* Q : dT = h . (theta x n) + (B h - g_b) . v + twist n . theta */
  const plane_vector by_slide = add(a.varies, 1, add(b.varies, g, apply(a.tensor, b.varies)));
  const plane_vector h = solve_transposed(a.tensor, b.tensor, g, by_slide),
                     force = add(apply(b.tensor, h), -1, b.varies);
  const double twist = 2 * b.xy * (f.Q.yy - f.Q.xx);
  const cdn_vec3 h_G = cdn_add(cdn_scale(h.x, f.t), cdn_scale(h.y, f.s));
  t->side_force = cdn_add(cdn_scale(force.x, f.t), cdn_scale(force.y, f.s));
  t->side_moment = cdn_add(cdn_add(cdn_cross(n, h_G), cdn_scale(twist, n)),
                           cdn_cross(cdn_sub(near->point_b, t->point), t->side_force));
}
