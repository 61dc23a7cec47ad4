/* Inverse dynamics, and the products with J and J^T, the halves of it (Featherstone 2008, chapter 5). */
#include "matter/hinge.h"
#include "matter/kernel.h"

/* ---- inverse dynamics: recursive Newton-Euler ---- */

CDNI_INLINE void inverse_out_body(const tree *t, const tree_data *d, int i, int nu, hinge_form form,
                                  bool with_velocity) {
  const tree_node *n = &t->node[i];
  sv A = n->parent == 0 ? sv_zero() : sv_shift_motion(d->A[n->parent], d->pose[i].r);
  if (d->udot) A = sv_add(A, hinge_mul(form, nu, d->H + n->H, d->udot + n->u));
  if (with_velocity) A = sv_add(A, d->twist[i].a_cor);
  sv F = sv_zero();
  if (!body_is_massless(&d->mass[i]))
    F = with_velocity ? rigid_newton_euler(d->inertia[i], A, d->twist[i].V.w) : rigid_mul(d->inertia[i], A);
  if (d->force) F = sv_sub(F, d->force[i]);
  d->A[i] = A;
  d->z[i] = F;
}

CDNI_INLINE void inverse_in_body(const tree *t, const tree_data *d, int i, int nu, hinge_form form, real *f) {
  const tree_node *n = &t->node[i];
  sv F = d->z[i];
  hinge_tmul(form, nu, d->H + n->H, F, f + n->u);
  for (int k = 0; k < nu; k++) {
    if (d->udot) f[n->u + k] = r_fma(d->mass[i].armature, d->udot[n->u + k], f[n->u + k]);
    if (d->f_mob) f[n->u + k] -= d->f_mob[n->u + k];
  }
  if (n->parent > 0) d->z[n->parent] = sv_add(d->z[n->parent], sv_shift_force(F, d->pose[i].r));
}

void KERNEL(inverse)(const tree *t, const tree_data *d, bool with_velocity, real *f) {
  d->A[0] = sv_zero();
  for (int i = 1; i < t->n; i++) {
    if (with_velocity) {
#define BODY(NU, FORM) inverse_out_body(t, d, i, NU, FORM, true)
      FOR_KIND(&t->node[i])
#undef BODY
    } else {
#define BODY(NU, FORM) inverse_out_body(t, d, i, NU, FORM, false)
      FOR_KIND(&t->node[i])
#undef BODY
    }
  }
  for (int i = t->n - 1; i > 0; i--) {
#define BODY(NU, FORM) inverse_in_body(t, d, i, NU, FORM, f)
    FOR_KIND(&t->node[i])
#undef BODY
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
