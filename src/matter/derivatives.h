/* Derivatives of the tree's equations of motion: data shared by the passes, and the interface by which forces add
 * theirs.
 *
 * Move mobility l of joint j along its column S of H (a spatial velocity, about j's M origin, in Ground). Everything
 * outboard of j moves along: each spatial vector X there changes by S x X. The remaining change is the same for
 * every body i outboard of j, so one recursion is enough (Carpentier and Mansard 2018; Singh, Russell and Wensing
 * 2022):
 *
 *   d V_i = S x V_i + eta,    d A_i = S x A_i + eta x V_i + alpha            by q
 *   d V_i = S,                d A_i = S x V_i + beta                         by u
 *   d F_i = S x* F_i + B_i eta + I_i alpha  (q),    B_i S + I_i beta  (u)
 *
 * with F_i = I_i A_i + V_i x* I_i V_i and B_i x = V_i x* I_i x - I_i (V_i x x) + x x* I_i V_i. Forces, B and I are
 * summed over the bodies outboard. At joint j all vectors are taken in the inertial frame that moves with j's M
 * origin: there spatial accelerations equal true ones, and fast motion of the whole system costs no digits. B then
 * is
 *
 *   B (theta, .) = 2 sum over mass points m of (r x (theta x v), theta x v) = 2 (trace(K) theta - K theta, theta x h),
 *   K = sum m v r^T, h = sum m v,
 *
 * with r from j's M origin and v relative to its velocity; translations do not enter. */
#ifndef CARDAN_MATTER_DERIVATIVES_H
#define CARDAN_MATTER_DERIVATIVES_H

#include "matter/matter.h"

/* One mobility. */
typedef struct mobility_motion {
  sv S;   /* its column of H about M's origin */
  sv eta; /* as above */
  sv alpha, beta;
} mobility_motion;

/* One body: first its own numbers, after the inward pass the sums with all bodies outboard. About M's origin, in
 * Ground. */
typedef struct body_sums {
  rigid_inertia I;
  v3 h; /* momentum relative to M's origin */
  m3 K; /* sum m v r^T, v relative to M's origin */
  sv F; /* the force that the joint transmits: inertia minus applied forces */
  /* Forces f with a constant direction in Ground at stations r that move with the body, and constant moments, do not
   * turn along with theta. The difference is -(A theta, theta x f), A theta = -m x theta + sum r x (theta x f). */
  m3 A;
  v3 f;
} body_sums;

/* The linear response of a force to a motion, both spatial: the forces for the six unit motions. */
typedef struct response {
  sv by[6];
} response;

typedef struct derivative_pass {
  const matter *m;
  cdn_state *state;
  const char *function; /* the public one */
  const tree_node *node;
  const body_pose *pose;
  const body_twist *twist;
  const double *u, *udot;  /* matter's; udot NULL: zero */
  mobility_motion *motion; /* nu */
  body_sums *sum;          /* nb */
  sv *A;                   /* nb: true accelerations of M's origins */
  bool *turns;             /* nb: whether columns of H change in F with the joint's own coordinates, */
  sv *turn;                /* 6 nu: derivative of column k by mobility l of the same joint, at 6 l + k, */
  uint8_t *carried;        /* nu: bit l is zero where that derivative of column k is, */
  sv *turn_c;              /* nu: and of c = sum u_l u_k T_lk by mobility l */
  /* Forces on a body that depend on its own placement and velocity in Ground: beyond being carried along they change by
   * by_place S + by_motion d V. The first one that is added zeroes both. */
  bool has_responses;
  response *by_place, *by_motion; /* nb */
  /* Derivatives of tau, nu x nu; NULL if not wanted. They start at zero. */
  double *dq, *du, *M;
  void *frame;
} derivative_pass;

/* Checks udot, evaluates everything except the total force on each body (about M's origins), takes scratch, zeroes
 * dq, du and M, and finds the motion of every mobility. After success call cdni_derivatives_end. `function` is the
 * public one. */
cdn_status cdni_derivatives_begin(derivative_pass *p, cdn_state *state, const char *function, const double *udot,
                                  const sv *force, double *dq, double *du, double *M);
/* derivatives_joints.c: turns, turn and turn_c of joint i. */
cdn_status cdni_derivatives_joint(const derivative_pass *p, const tree_data *d, int i, const char *function);
/* Applied forces and the sums over outboard bodies; then the matrices. Between the two the forces room adds its
 * part. */
cdn_status cdni_derivatives_applied(derivative_pass *p);
cdn_status cdni_derivatives_fill(derivative_pass *p);
/* The same, but by u only what forces have added: without the terms of inertia. dq must not be wanted. */
cdn_status cdni_derivatives_fill_forces(derivative_pass *p);
void cdni_derivatives_end(derivative_pass *p);

/* ---- for forces ---- */

void cdni_derivatives_constant_moment(derivative_pass *p, int body, v3 moment);
/* Subtracts from column k of a matrix of derivatives of tau (`columns` wide) the generalized forces of F, about the M
 * origin of `body`. */
void cdni_derivatives_push(const derivative_pass *p, int body, sv F, double *matrix, int columns, int k);
/* The same of the differences of forces by h: -(a - b) / h, of forces on bodies about M's origins and generalized
 * ones. */
void cdni_derivatives_push_difference(const derivative_pass *p, const sv *F_a, const sv *F_b, const double *f_a,
                                      const double *f_b, double h, double *tau, int columns, int column);
/* The pass then looks at the State where it was when it was put aside (system.h: a snapshot). */
void cdni_derivatives_look_at(derivative_pass *p, const char *saved);
/* Zeroes the responses before the first is added. */
void cdni_derivatives_need_responses(derivative_pass *p);

/* ---- linear algebra ---- */

/* M^-1 for many columns. */
typedef struct mass_solver {
  const derivative_pass *pass;
  const double *L;             /* the factors of M, stored in M, */
  mobility_factor *mobilities; /* or those of a deep tree: then L is not used */
  void *scratch;
} mass_solver;

/* Factors M (nu x nu), which is destroyed. After success call cdni_mass_solver_end. */
cdn_status cdni_mass_solver_begin(mass_solver *s, const derivative_pass *p, double *M);
/* X = scale M^-1 X for nu rows, row-major: M_ff^-1 on the free mobilities, zero on prescribed ones (8.40). */
void cdni_mass_solver_apply(const mass_solver *s, double scale, double *X, int columns);
void cdni_mass_solver_end(mass_solver *s);

/* S x F, the change of a force that moves along with S. */
CDNI_INLINE sv sv_carry_force(sv S, sv F) {
  return (sv){ v3_cross_add(S.w, F.w, v3_cross(S.v, F.v)), v3_cross(S.w, F.v) };
}
/* A + b c^T */
CDNI_INLINE m3 m3_plus_outer(m3 A, v3 b, v3 c) {
  return (m3){ v3_fma(c.x, b, A.x), v3_fma(c.y, b, A.y), v3_fma(c.z, b, A.z) };
}

/* A force, constant in Ground's axes, at a station fixed on a body, at distance r from its M origin. */
CDNI_INLINE void cdni_derivatives_constant_force(derivative_pass *p, int body, v3 r, v3 f) {
  if (body == 0) return;
  body_sums *s = &p->sum[body];
  const real rf = v3_dot(r, f);
  s->A = m3_plus_outer(s->A, v3_neg(f), r);
  s->A.x.x += rf, s->A.y.y += rf, s->A.z.z += rf;
  s->f = v3_add(s->f, f);
}

#endif
