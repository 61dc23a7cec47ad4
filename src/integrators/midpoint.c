/* Lone bodies by the implicit midpoint: of a free body without children, that turns about its centre of mass by
 *
 *   (2 / h) I (w - w0) + w x I w = tau,
 *
 * where w = (w0 + w1) / 2 in its own axes. Without tau its energy and its angular momentum are kept to rounding, the
 * latter in direction, too: the quaternion turns by Cayley's map of h w, which takes R0 I w0 to R1 I w1. What tau adds
 * moves coordinates at the new speed, as with Euler's method, so that contact is as stable. */
#include "integrators/fixed.h"

/* I w for an inertia in the order of body_mass: xx, yy, zz, xy, xz, yz. */
static cdn_vec3 times(const double *I, cdn_vec3 w) {
  return cdn_v3(I[0] * w.x + I[3] * w.y + I[4] * w.z, I[3] * w.x + I[1] * w.y + I[5] * w.z,
                I[4] * w.x + I[5] * w.y + I[2] * w.z);
}

/* A^-1 b of a 3 x 3 matrix by columns; false if it is singular. */
static bool solve(const cdn_vec3 A[3], cdn_vec3 b, cdn_vec3 *x) {
  const cdn_vec3 yz = cdn_cross(A[1], A[2]);
  const double det = cdn_dot(A[0], yz), size = cdn_norm(A[0]) * cdn_norm(A[1]) * cdn_norm(A[2]);
  if (!(fabs(det) > 1e-12 * size)) return false;
  *x = cdn_v3(cdn_dot(b, yz) / det, cdn_dot(A[0], cdn_cross(b, A[2])) / det, cdn_dot(A[0], cdn_cross(A[1], b)) / det);
  return true;
}

static const cdn_vec3 axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

/* w by Newton's iteration from w0. */
static bool find_middle(const double *I, double h, cdn_vec3 w0, cdn_vec3 tau, cdn_vec3 *w) {
  *w = w0;
  for (int k = 0; k < 30; k++) {
    const cdn_vec3 Iw = times(I, *w);
    const cdn_vec3 left = cdn_sub(cdn_add(times(I, cdn_scale(2 / h, cdn_sub(*w, w0))), cdn_cross(*w, Iw)), tau);
    cdn_vec3 A[3], d;
    for (int c = 0; c < 3; c++)
      A[c] = cdn_add(times(I, cdn_scale(2 / h, axes[c])),
                     cdn_add(cdn_cross(axes[c], Iw), cdn_cross(*w, times(I, axes[c]))));
    if (!solve(A, left, &d)) return false;
    *w = cdn_sub(*w, d);
    if (!(cdn_norm(d) > 4 * DBL_EPSILON * (cdn_norm(*w) + cdn_norm(w0)))) return true;
  }
  return false;
}

/* The inertia about the centre of mass, at r from M's origin; false: no body that turns freely. */
static bool central(const body_mass *mass, double *I, cdn_vec3 *r) {
  if (mass->armature != 0 || !(mass->m > 0)) return false;
  *r = cdn_v3(mass->mc[0] / mass->m, mass->mc[1] / mass->m, mass->mc[2] / mass->m);
  const double m = mass->m, rr = cdn_dot(*r, *r);
  const double less[6] = { rr - r->x * r->x, rr - r->y * r->y, rr - r->z * r->z,
                           -r->x * r->y,     -r->x * r->z,     -r->y * r->z };
  for (int k = 0; k < 6; k++) I[k] = mass->I[k] - m * less[k];
  const cdn_vec3 A[3] = { times(I, axes[0]), times(I, axes[1]), times(I, axes[2]) };
  cdn_vec3 unused;
  return solve(A, axes[0], &unused);
}

static cdn_vec3 at(const double *x) { return cdn_v3(x[0], x[1], x[2]); }
static void put(double *x, cdn_vec3 v) { x[0] = v.x, x[1] = v.y, x[2] = v.z; }

static cdn_rotation rotation(const double *e) {
  return cdn_rotation_from_quaternion((cdn_quaternion){ e[0], e[1], e[2], e[3] });
}

/* e1 = e0 (1, h w / 2), to unit length */
static void turn(const double *e0, double h, cdn_vec3 w, double *e1) {
  const cdn_vec3 v0 = at(e0 + 1), v = cdn_scale(0.5 * h, w);
  const cdn_vec3 v1 = cdn_add(cdn_add(v0, cdn_scale(e0[0], v)), cdn_cross(v0, v));
  e1[0] = e0[0] - cdn_dot(v0, v), put(e1 + 1, v1);
  const double length = sqrt(e1[0] * e1[0] + cdn_dot(v1, v1));
  for (int i = 0; i < 4; i++) e1[i] /= length;
}

/* q and u are those of the joint: before, after; a: accelerations. */
static bool step_body(const body_mass *mass, double h, const double *q0, const double *u0, const double *a, double *q1,
                      double *u1) {
  double I[6];
  cdn_vec3 r, w, more;
  if (!central(mass, I, &r)) return true;
  const cdn_rotation R0 = rotation(q0);
  const cdn_vec3 w0 = cdn_rotate_inv(R0, at(u0)), alpha = cdn_rotate_inv(R0, at(a));
  const cdn_vec3 tau = cdn_add(times(I, alpha), cdn_cross(w0, times(I, w0)));
  const cdn_vec3 A[3] = { times(I, axes[0]), times(I, axes[1]), times(I, axes[2]) };
  /* a torque that is nothing but the rounding of the other two is none */
  const double rounding = 16 * DBL_EPSILON * cdn_norm(w0) * cdn_norm(times(I, w0));
  const cdn_vec3 torque = cdn_norm(tau) > rounding ? tau : cdn_v3(0, 0, 0);
  if (!find_middle(I, h, w0, torque, &w) || !solve(A, cdn_scale(0.5 * h, torque), &more)) return false;
  turn(q0, h, cdn_add(w, more), q1);
  const cdn_rotation R1 = rotation(q1);
  /* the centre of mass, by Euler's method */
  const cdn_vec3 r0 = cdn_rotate(R0, r), r1 = cdn_rotate(R1, r), W0 = at(u0);
  const cdn_vec3 W1 = cdn_rotate(R1, cdn_sub(cdn_scale(2, w), w0));
  const cdn_vec3 v_c =
      cdn_add(cdn_add(at(u0 + 3), cdn_cross(W0, r0)),
              cdn_scale(h, cdn_add(cdn_add(at(a + 3), cdn_cross(at(a), r0)), cdn_cross(W0, cdn_cross(W0, r0)))));
  put(q1 + 4, cdn_sub(cdn_add(cdn_add(at(q0 + 4), r0), cdn_scale(h, v_c)), r1));
  put(u1, W1);
  put(u1 + 3, cdn_sub(v_c, cdn_cross(W1, r1)));
  return true;
}

cdn_status cdni_fixed_lone_bodies(cdn_stepper *s, const double *a) {
  cdni_step *step = &s->step;
  const matter *m = cdni_matter(s->system);
  if (!m) return CDN_OK;
  const tree_data d = cdni_matter_data(m, s->work);
  const cdni_runs runs = cdni_subsystem_runs(s->system, m->subsystem);
  for (int b = 1; b < m->tree.n; b++) {
    const tree_node *n = &m->tree.node[b];
    if (!cdni_kind_of(n)->ball || n->nu != 6 || n->parent != 0 || n->has_children || (d.prescribed && d.prescribed[b]))
      continue;
    if (!n->quaternion || cdn_body_is_reversed(s->system, (cdn_body){ b }))
      continue; /* its q are those of no body in Ground */
    const int q = runs.q + n->q, u = runs.u + n->u;
    if (!step_body(&d.mass[b], step->h, step->y0 + q, step->y0 + s->nq + u, a + u, step->y1 + q, step->y1 + s->nq + u))
      return cdni_state_fail(
          s->work, CDN_ERR_STEP, false, "cdn_stepper_advance", cdn_body_name(s->system, (cdn_body){ b }),
          "body '%s' turns too far in a step of %.3g s for the implicit midpoint: take a shorter step",
          cdn_body_name(s->system, (cdn_body){ b }), step->h);
  }
  return CDN_OK;
}
