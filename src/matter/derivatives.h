/* Derivatives of the tree's equations of motion: what the passes share, and what the forces room adds to them.
 *
 * Perturb mobility l of joint j along its column S of H (a spatial velocity, about j's M origin, in Ground). Everything
 * outboard of j is carried along: any spatial vector X of it changes by S x X. What remains is the same for every body i
 * outboard of j, and that is why one recursion will do (Carpentier and Mansard 2018; Singh, Russell and Wensing 2022):
 *
 *   d V_i = S x V_i + eta,    d A_i = S x A_i + eta x V_i + alpha            by q
 *   d V_i = S,                d A_i = S x V_i + beta                         by u
 *   d F_i = S x* F_i + B_i eta + I_i alpha  (q),    B_i S + I_i beta  (u)
 *
 * with F_i = I_i A_i + V_i x* I_i V_i and B_i x = V_i x* I_i x - I_i (V_i x x) + x x* I_i V_i. Forces and the operators B
 * and I add up over what is outboard. At joint j all this is taken in the inertial frame that moves with j's M origin:
 * there spatial accelerations are the conventional ones, and no digits are lost to fast motion of the whole. B then is
 *
 *   B (theta, .) = 2 sum over mass points m of (r x (theta x v), theta x v) = 2 (trace(K) theta - K theta, theta x h),
 *   K = sum m v r^T, h = sum m v,
 *
 * with r from j's M origin and v relative to its velocity: blind to translations. */
#ifndef CARDAN_MATTER_DERIVATIVES_H
#define CARDAN_MATTER_DERIVATIVES_H

#include "matter/matter.h"

/* One mobility. */
typedef struct mobility_motion {
  sv S;   /* its column of H about M's origin */
  sv eta; /* see above */
  sv alpha, beta;
} mobility_motion;

/* One body: first its own, then (after the inward pass) with all that is outboard. About M's origin, in Ground. */
typedef struct body_sums {
  rigid_inertia I;
  v3 h; /* momentum relative to M's origin */
  m3 K; /* sum m v r^T, v relative to M's origin */
  sv F; /* what the joint transmits: inertia less forces applied */
  /* Forces f that keep their direction in Ground while their stations r are carried, and constant moments: the turn that
   * they do not follow is -(A theta, theta x f), A theta = -m x theta + sum r x (theta x f). */
  m3 A;
  v3 f;
} body_sums;

/* A linear answer by a force to a motion, both spatial: forces to the six unit motions. */
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
  sv *A;                   /* nb: accelerations of M's origins, conventional */
  bool *turns;             /* nb: columns of H change in F with the joint's own coordinates, */
  sv *turn;                /* 6 nu: column k by mobility l of the same joint at 6 l + k, */
  sv *turn_c;              /* nu: and c = sum u_l u_k T_lk by mobility l */
  /* Forces on a body that answer to its own placement and velocity in Ground: what they add, beyond being carried, is
   * by_place S + by_motion d V. Zeroed by the first that is added. */
  bool has_responses;
  response *by_place, *by_motion; /* nb */
  /* Derivatives of tau, nu x nu; NULL if not wanted. All of them start at zero. */
  double *dq, *du, *M;
  void *frame;
} derivative_pass;

/* Checks udot, evaluates what is needed but for the total force on each body (about M's origins), takes scratch, zeroes dq, du and M, and finds how every mobility moves; on
 * success cdni_derivatives_end must follow. `function` is the public one. */
cdn_status cdni_derivatives_begin(derivative_pass *p, cdn_state *state, const char *function, const double *udot,
                                  const sv *force, double *dq, double *du, double *M);
/* derivatives_joints.c: turns, turn and turn_c of joint i. */
cdn_status cdni_derivatives_joint(const derivative_pass *p, const tree_data *d, int i, const char *function);
/* Forces applied from outside, and the sums over each body's outboard part; then the matrices. In between the forces room
 * adds what it has. */
cdn_status cdni_derivatives_applied(derivative_pass *p);
cdn_status cdni_derivatives_fill(derivative_pass *p);
void cdni_derivatives_end(derivative_pass *p);

/* ---- what forces add ---- */

/* A force on a body at distance r from its M origin, constant in Ground's axes, its station fixed on the body. */
void cdni_derivatives_constant_force(derivative_pass *p, int body, v3 r, v3 f);
void cdni_derivatives_constant_moment(derivative_pass *p, int body, v3 moment);
/* Subtracts from column k of a matrix of derivatives of tau (`columns` wide) the generalized forces of F, about the M
 * origin of `body`. */
void cdni_derivatives_push(const derivative_pass *p, int body, sv F, double *matrix, int columns, int k);
/* Zeroes the responses before the first is added. */
void cdni_derivatives_need_responses(derivative_pass *p);

/* ---- linear algebra ---- */

/* M^-1 for many columns. */
typedef struct mass_solver {
  const derivative_pass *pass;
  const double *L;             /* M's factors in its place, */
  mobility_factor *mobilities; /* or those of a deep tree: then L is not used */
  void *scratch;
} mass_solver;

/* M (nu x nu) is used up while the solver is there. On success cdni_mass_solver_end must follow. */
cdn_status cdni_mass_solver_begin(mass_solver *s, const derivative_pass *p, double *M);
/* X = scale M^-1 X for nu rows, row-major: M_ff^-1 on the free mobilities, zero on prescribed ones (8.40). */
void cdni_mass_solver_apply(const mass_solver *s, double scale, double *X, int columns);
void cdni_mass_solver_end(mass_solver *s);

/* S x F, the change of a force that is carried by a motion. */
CDNI_INLINE sv sv_carry_force(sv S, sv F) {
  return (sv){ v3_cross_add(S.w, F.w, v3_cross(S.v, F.v)), v3_cross(S.w, F.v) };
}
/* A + b c^T */
CDNI_INLINE m3 m3_plus_outer(m3 A, v3 b, v3 c) {
  return (m3){ v3_fma(c.x, b, A.x), v3_fma(c.y, b, A.y), v3_fma(c.z, b, A.z) };
}

#endif
