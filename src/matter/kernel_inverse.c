/* Inverse dynamics, and its two halves, the products with J and J^T (Featherstone 2008, chapter 5). */
#include "matter/hinge.h"
#include "matter/kernel.h"

/* ---- inverse dynamics: recursive Newton-Euler ---- */

/* In rows of bodies the numbers passed from one body to the next stay in registers: `last` and `carry` are the
 * previous body's. */
CDNI_INLINE sv inverse_out_body(const tree *t, const tree_data *d, int i, int nu, hinge_form form, bool with_velocity,
                                sv last) {
  const tree_node *n = &t->node[i];
  sv A = sv_zero();
  if (n->parent > 0) A = sv_shift_motion(n->parent == i - 1 ? last : d->A[n->parent], d->pose[i].r);
  if (d->udot) A = sv_add(A, hinge_mul(form, nu, d->H + n->H, d->udot + n->u));
  if (with_velocity) A = sv_add(A, d->twist[i].a_cor);
  sv F = sv_zero();
  if (!body_is_massless(&d->mass[i]))
    F = with_velocity ? rigid_newton_euler(d->inertia[i], A, d->twist[i].V.w) : rigid_mul(d->inertia[i], A);
  if (d->force) F = sv_sub(F, d->force[i]);
  d->A[i] = A;
  d->z[i] = F;
  return A;
}

CDNI_INLINE sv inverse_in_body(const tree *t, const tree_data *d, int i, int nu, hinge_form form, real *f, sv F) {
  const tree_node *n = &t->node[i];
  hinge_tmul(form, nu, d->H + n->H, F, f + n->u);
  for (int k = 0; k < nu; k++) {
    if (d->udot) f[n->u + k] = r_fma(d->mass[i].armature, d->udot[n->u + k], f[n->u + k]);
    if (d->f_mob) f[n->u + k] -= d->f_mob[n->u + k];
  }
  return n->parent > 0 ? sv_shift_force(F, d->pose[i].r) : sv_zero();
}

void KERNEL(inverse)(const tree *t, const tree_data *d, bool with_velocity, real *f) {
  sv last = sv_zero(), carry = sv_zero();
  bool carries = false;
  d->A[0] = last;
  for (int i = 1; i < t->n; i++) {
    if (with_velocity) {
#define BODY(NU, FORM) last = inverse_out_body(t, d, i, NU, FORM, true, last)
      FOR_KIND(&t->node[i])
#undef BODY
    } else {
#define BODY(NU, FORM) last = inverse_out_body(t, d, i, NU, FORM, false, last)
      FOR_KIND(&t->node[i])
#undef BODY
    }
  }
  for (int i = t->n - 1; i > 0; i--) {
    const int parent = t->node[i].parent;
    sv F = d->z[i];
    if (carries) F = sv_add(F, carry);
#define BODY(NU, FORM) carry = inverse_in_body(t, d, i, NU, FORM, f, F)
    FOR_KIND(&t->node[i])
#undef BODY
    carries = parent > 0 && parent == i - 1;
    if (parent > 0 && !carries) d->z[parent] = sv_add(d->z[parent], carry);
  }
}

/* ---- Jacobians ---- */

void KERNEL(jacobian)(const tree *t, const tree_data *d, const real *u, sv *V) {
  V[0] = sv_zero();
  for (int i = 1; i < t->n; i++) {
    const tree_node *n = &t->node[i];
    sv V_P = sv_shift_motion(V[n->parent], d->pose[i].r);
#define BODY(NU, FORM) V[i] = sv_add(V_P, hinge_mul(FORM, NU, d->H + n->H, u + n->u))
    FOR_KIND(n)
#undef BODY
  }
}

void KERNEL(jacobian_transpose)(const tree *t, const tree_data *d, real *f) {
  for (int i = t->n - 1; i > 0; i--) {
    const tree_node *n = &t->node[i];
    sv F = d->z[i];
#define BODY(NU, FORM) hinge_tmul(FORM, NU, d->H + n->H, F, f + n->u)
    FOR_KIND(n)
#undef BODY
    d->z[n->parent] = sv_add(d->z[n->parent], sv_shift_force(F, d->pose[i].r));
  }
}

#if CDNI_LANES == 1
void KERNEL(jacobian_rows)(const tree *t, const tree_data *d, int body, v3 r, bool station, double *J) {
  const size_t nu = (size_t)t->nu;
  double *v = station ? J : J + 3 * nu;
  for (int i = body; i > 0; i = t->node[i].parent) {
    const tree_node *n = &t->node[i];
#  define BODY(NU, FORM)                                                                \
    for (int k = 0; k < NU; k++) {                                                      \
      sv h = hinge_column(FORM, d->H + n->H, k);                                        \
      const size_t at = (size_t)(n->u + k);                                             \
      const bool turns = FORM != HINGE_LINEAR && !(FORM == HINGE_FREE && k >= 3);       \
      if (turns && !station) J[at] = h.w.x, J[nu + at] = h.w.y, J[2 * nu + at] = h.w.z; \
      if (turns) h = sv_shift_motion(h, r);                                             \
      v[at] = h.v.x, v[nu + at] = h.v.y, v[2 * nu + at] = h.v.z;                        \
    }
    FOR_KIND(n)
#  undef BODY
    r = v3_add(r, d->pose[i].r);
  }
}
#endif
