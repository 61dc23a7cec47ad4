/* A medium of a density and a viscosity, which moves with a wind, on a body: on a box that stands for it, or on an
 * ellipsoid (MuJoCo's two models of fluids). Angular velocity w, and velocity v of the frame's origin seen from the
 * medium, are in the frame's axes. Half sizes a, D the diameter of a sphere in its place.
 *
 * Box (D the mean of its sides):
 *    moment_i = -pi D^3 viscosity w_i - density/64 b_i (b_j^4 + b_k^4) |w_i| w_i      with the sides b = 2 a
 *    force_i  = -3 pi D viscosity v_i - density/2 b_j b_k |v_i| v_i
 *
 * Ellipsoid (D twice the mean of its half axes), with n_i = (a_j a_k)^2 v_i, the coefficients blunt, slender, angular,
 * Kutta, Magnus, and the masses m and inertias I of the fluid that moves along:
 *    moment = -(pi D^3 viscosity + density |J w|) w + density (m v) x v + density (I w) x w
 *    force  = -(3 pi D viscosity + density |v| (blunt A + slender (A_max - A))) v + density (m v) x w
 *             + Magnus density volume w x v + Kutta density A cos/|n| (n x v) x v
 * where A = pi |n| / sqrt(n . v) is the area that it shows to the flow, A_max the largest, cos = n . v / (|n| |v|), and
 * J_i = angular II_i + slender (II_max - II_i) with II_i = 8/15 pi a_i max(a_j, a_k)^4. */
#ifndef CARDAN_FORCES_FLUID_H
#define CARDAN_FORCES_FLUID_H

#include "forces/kernel.h"

static const double FLUID_PI = 3.14159265358979323846;

/* The medium's numbers come first in both kinds. */
enum { FLUID_DENSITY, FLUID_VISCOSITY, FLUID_WIND, FLUID_SIZE = FLUID_WIND + 3, FLUID_BOX_PARAMS = FLUID_SIZE + 3 };
enum {
  FLUID_BLUNT = FLUID_BOX_PARAMS,
  FLUID_SLENDER,
  FLUID_ANGULAR,
  FLUID_KUTTA,
  FLUID_MAGNUS,
  FLUID_MASS,                     /* 3 numbers, over the density */
  FLUID_INERTIA = FLUID_MASS + 3, /* 3 numbers, over the density */
  FLUID_ELLIPSOID_PARAMS = FLUID_INERTIA + 3
};

typedef struct fluid_element {
  int32_t body;
  double R[9]; /* of the frame in the body's, by columns */
  double p[3];
} fluid_element;

/* Where the frame is, and how it moves in the medium. */
typedef struct fluid_frame {
  v3 r;   /* from M's origin to the frame's, in Ground */
  m3 R;   /* of the frame in Ground */
  v3 w_G; /* in Ground */
  v3 v_G; /* the same, seen from the medium */
  v3 w, v;
} fluid_frame;

CDNI_INLINE v3 fluid_v3(const double *x) { return (v3){ r_set(x[0]), r_set(x[1]), r_set(x[2]) }; }

CDNI_INLINE fluid_frame fluid_frame_at(const real *frames, const body_pose *pose, const body_twist *twist,
                                       const fluid_element *e, const real *wind) {
  const m3 R_GM = pose[e->body].R_GM, R_BM = m3_load(frames + FORCE_FRAME * e->body + FORCE_X_BM);
  fluid_frame at = { .r = lanes_station(frames, pose, e->body, fluid_v3(e->p)) };
  at.R = (m3){ m3_mul(R_GM, m3_tmul(R_BM, fluid_v3(e->R))), m3_mul(R_GM, m3_tmul(R_BM, fluid_v3(e->R + 3))),
               m3_mul(R_GM, m3_tmul(R_BM, fluid_v3(e->R + 6))) };
  const sv V = sv_shift_motion(twist[e->body].V, at.r);
  at.w_G = V.w, at.v_G = v3_sub(V.v, v3_load(wind));
  at.w = m3_tmul(at.R, at.w_G), at.v = m3_tmul(at.R, at.v_G);
  return at;
}

CDNI_INLINE v3 fluid_times(v3 a, v3 b) { return (v3){ a.x * b.x, a.y * b.y, a.z * b.z }; }

/* 1 / x, or 0 where x is 0. */
CDNI_INLINE real fluid_inverse(real x) {
  const rmask some = r_greater(x, r_set(0));
  return r_select(some, r_set(1) / r_select(some, x, r_set(1)), r_set(0));
}

/* ---- the box ---- */

/* Coefficients of linear and of quadratic drag. */
typedef struct box_drag {
  real turn, move;
  v3 turn_squared, move_squared;
} box_drag;

CDNI_INLINE box_drag box_drag_of(const real *p) {
  const real x = 2.0 * p[FLUID_SIZE], y = 2.0 * p[FLUID_SIZE + 1], z = 2.0 * p[FLUID_SIZE + 2];
  const real D = (x + y + z) / 3.0, k = p[FLUID_DENSITY] / 64.0, half = p[FLUID_DENSITY] / 2.0;
  const real x4 = x * x * x * x, y4 = y * y * y * y, z4 = z * z * z * z;
  return (box_drag){ .turn = FLUID_PI * D * D * D * p[FLUID_VISCOSITY],
                     .move = 3.0 * FLUID_PI * D * p[FLUID_VISCOSITY],
                     .turn_squared = { k * x * (y4 + z4), k * y * (x4 + z4), k * z * (x4 + y4) },
                     .move_squared = { half * y * z, half * x * z, half * x * y } };
}

CDNI_INLINE v3 fluid_drag(real linear, v3 squared, v3 v) {
  return (v3){ -(linear + squared.x * r_abs(v.x)) * v.x, -(linear + squared.y * r_abs(v.y)) * v.y,
               -(linear + squared.z * r_abs(v.z)) * v.z };
}

/* Moment and force in the frame's axes. */
CDNI_INLINE sv fluid_on_box(const real *p, v3 w, v3 v) {
  const box_drag d = box_drag_of(p);
  return (sv){ fluid_drag(d.turn, d.turn_squared, w), fluid_drag(d.move, d.move_squared, v) };
}

/* ---- the ellipsoid ---- */

/* What its force needs of its sizes, its coefficients and the medium. */
typedef struct ellipsoid_law {
  real turn, move;     /* linear drag */
  real blunt, slender; /* times the density: of A, and of A_max */
  real magnus, kutta;  /* times density and volume; times density and pi */
  v3 shadow;           /* (a_j a_k)^2 */
  v3 angular;          /* J, times the density */
  v3 mass, inertia;    /* of the fluid */
} ellipsoid_law;

CDNI_INLINE real fluid_fourth(real x) { return x * x * (x * x); }

CDNI_INLINE ellipsoid_law ellipsoid_law_of(const real *p) {
  const real a = p[FLUID_SIZE], b = p[FLUID_SIZE + 1], c = p[FLUID_SIZE + 2], rho = p[FLUID_DENSITY];
  const real most = r_max(r_max(a, b), c), least = -r_max(r_max(-a, -b), -c), middle = a + b + c - most - least;
  const real D = 2.0 * (a + b + c) / 3.0, second = r_set(8.0 / 15 * FLUID_PI),
             II = second * middle * fluid_fourth(most);
  const v3 II_i = { second * a * fluid_fourth(r_max(b, c)), second * b * fluid_fourth(r_max(a, c)),
                    second * c * fluid_fourth(r_max(a, b)) };
  const real by_turn = rho * (p[FLUID_ANGULAR] - p[FLUID_SLENDER]), all = rho * p[FLUID_SLENDER] * II;
  return (ellipsoid_law){
    .turn = FLUID_PI * D * D * D * p[FLUID_VISCOSITY],
    .move = 3.0 * FLUID_PI * D * p[FLUID_VISCOSITY],
    .blunt = rho * (p[FLUID_BLUNT] - p[FLUID_SLENDER]),
    .slender = rho * p[FLUID_SLENDER] * FLUID_PI * most * middle,
    .magnus = p[FLUID_MAGNUS] * rho * (4.0 / 3 * FLUID_PI) * a * b * c,
    .kutta = p[FLUID_KUTTA] * rho * FLUID_PI,
    .shadow = { b * b * (c * c), a * a * (c * c), a * a * (b * b) },
    .angular = { by_turn * II_i.x + all, by_turn * II_i.y + all, by_turn * II_i.z + all },
    .mass = v3_scale(rho, v3_load(p + FLUID_MASS)),
    .inertia = v3_scale(rho, v3_load(p + FLUID_INERTIA)),
  };
}

/* Of a velocity: n, and the lengths that the law divides by. Those of a body at rest are 0, and so are their inverses;
 * its forces are 0, too. */
typedef struct fluid_flow {
  v3 n;
  real along; /* n . v */
  real speed, by_speed, by_n, root, by_root;
  real A;    /* the area that it shows */
  real lift; /* A cos / |n| over pi: sqrt(n . v) / (|n| |v|) */
} fluid_flow;

CDNI_INLINE fluid_flow fluid_flow_of(const ellipsoid_law *law, v3 v) {
  fluid_flow f = { .n = fluid_times(law->shadow, v), .speed = r_sqrt(v3_dot(v, v)) };
  const real n = r_sqrt(v3_dot(f.n, f.n));
  f.along = v3_dot(f.n, v), f.root = r_sqrt(f.along);
  f.by_speed = fluid_inverse(f.speed), f.by_n = fluid_inverse(n), f.by_root = fluid_inverse(f.root);
  f.A = FLUID_PI * n * f.by_root;
  f.lift = f.root * f.by_n * f.by_speed;
  return f;
}

CDNI_INLINE sv fluid_on_ellipsoid(const real *p, v3 w, v3 v) {
  const ellipsoid_law law = ellipsoid_law_of(p);
  const fluid_flow f = fluid_flow_of(&law, v);
  const v3 mv = fluid_times(law.mass, v), Iw = fluid_times(law.inertia, w), Jw = fluid_times(law.angular, w);
  const real drag = law.move + f.speed * (law.blunt * f.A + law.slender);
  const v3 moment = v3_add(v3_cross(mv, v), v3_cross(Iw, w));
  v3 force = v3_add(v3_cross(mv, w), v3_scale(law.magnus, v3_cross(w, v)));
  force = v3_fma(law.kutta * f.lift, v3_cross(v3_cross(f.n, v), v), force);
  return (sv){ v3_fma(-(law.turn + r_sqrt(v3_dot(Jw, Jw))), w, moment), v3_fma(-drag, v, force) };
}

/* ---- all elements ---- */

CDNI_INLINE void fluid_push(const force_lanes *b, int body, const fluid_frame *at, sv F) {
  lanes_push(b, body, at->r, m3_mul(at->R, F.v));
  lanes_turn(b, body, m3_mul(at->R, F.w));
}

CDNI_INLINE void lanes_fluid_box(const force_lanes *b) {
  const fluid_element *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    const real *p = b->params + FLUID_BOX_PARAMS * i;
    if (!lanes_on(b, i)) continue;
    const fluid_frame at = fluid_frame_at(b->frames, b->pose, b->twist, &e[i], p + FLUID_WIND);
    fluid_push(b, e[i].body, &at, fluid_on_box(p, at.w, at.v));
  }
}

CDNI_INLINE void lanes_fluid_ellipsoid(const force_lanes *b) {
  const fluid_element *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    const real *p = b->params + FLUID_ELLIPSOID_PARAMS * i;
    if (!lanes_on(b, i)) continue;
    const fluid_frame at = fluid_frame_at(b->frames, b->pose, b->twist, &e[i], p + FLUID_WIND);
    fluid_push(b, e[i].body, &at, fluid_on_ellipsoid(p, at.w, at.v));
  }
}

#endif
