/* Shared by the files of operators: checks of arguments, and the origins of body frames. */
#ifndef CARDAN_MATTER_OPERATORS_H
#define CARDAN_MATTER_OPERATORS_H

#include <cardan/operators.h>

#include "matter/checks.h"
#include "matter/hinge.h"
#include "matter/matter.h"

/* The matter of the State's System; fails without bodies. */
cdn_status cdni_operator_matter(cdn_state *state, const char *function, const matter **m);
/* Checks n numbers: not NULL, and finite. */
cdn_status cdni_operator_check(cdn_state *state, const char *function, const char *what, const double *values, int n);
/* Checks n numbers that may be NULL. */
cdn_status cdni_operator_check_optional(cdn_state *state, const char *function, const char *what, const double *values,
                                        int n);
/* Checks n tasks: their bodies exist, and their points are finite. */
cdn_status cdni_operator_check_tasks(cdn_state *state, const char *function, const matter *m, int n,
                                     const cdn_body *body, const cdn_vec3 *point_B);
/* Takes scratch of the State; *frame is NULL only on failure. */
cdn_status cdni_operator_work(cdn_state *state, const char *function, size_t bytes, void **frame);

/* Origins of body frames, for loops over many bodies: from M's origin to the origin of body i, in Ground. */
typedef struct body_origins {
  const double *X_BM; /* of Ground; the others follow at a stride */
  const body_pose *pose;
} body_origins;
static inline body_origins cdni_body_origins(const matter *m, cdn_state *state, const body_pose *pose) {
  return (body_origins){ cdni_matter_X_BM(m, state, cdn_ground()), pose };
}
static inline v3 cdni_body_offset(const body_origins *o, int i) {
  const double *X = o->X_BM + (size_t)FRAME_PARAMETERS * (size_t)i, *p = X + 9;
  if (p[0] == 0 && p[1] == 0 && p[2] == 0) return v3_zero();
  return v3_neg(m3_mul(o->pose[i].R_GM, m3_tmul(m3_load(X), v3_load(p))));
}

/* The centre of mass from valid inertias (Ground's origin if there is no mass). */
v3 cdni_operator_center(const matter *m, const tree_data *d, real *mass);

/* Accelerations of all M origins for udot (NULL: zero), from valid poses and twists. */
void cdni_operator_accelerations(const matter *m, const tree_data *d, const double *udot, sv *A);
/* Shifts the acceleration A of M's origin to a point at r, on a body that turns at w. */
static inline sv cdni_acceleration_at(sv A, v3 w, v3 r) {
  A = sv_shift_motion(A, r);
  A.v = v3_add(A.v, v3_cross(w, v3_cross(w, r)));
  return A;
}

/* cdn_calc_kinetic_gradient; also p = M u (NULL: not wanted), which comes along. operators_thermal.c */
cdn_status cdni_kinetic_gradient(const matter *m, cdn_state *state, const char *function, const double *u, double *g,
                                 double *p);

/* ---- single columns of H, of any form (kernels know the form at compile time) ---- */

/* Column k of H: the motion of M in F by u_k, at M's origin, in Ground. */
static inline sv cdni_hinge_column(const tree_node *n, const real *H, int k) {
#define HINGE_FORM(SHAPE, NU, FORM) FORM,
  static const hinge_form form[HINGE_SHAPE_COUNT] = { HINGE_LIST(HINGE_FORM) };
#undef HINGE_FORM
  return hinge_column(form[n->shape], H + n->H, k);
}

/* H u, with the body's part of a mobility vector. */
static inline sv cdni_hinge_mul(const tree_node *n, const real *H, const real *u) {
  sv V = sv_zero();
  for (int k = 0; k < n->nu; k++) V = sv_fma(u[n->u + k], cdni_hinge_column(n, H, k), V);
  return V;
}

static inline cdn_spatial cdni_from_sv(sv V) { return (cdn_spatial){ cdni_from_v3(V.w), cdni_from_v3(V.v) }; }
static inline sv cdni_to_sv(cdn_spatial V) { return (sv){ cdni_to_v3(V.w), cdni_to_v3(V.v) }; }

#endif
