/* Forward dynamics: articulated body inertias inward, accelerations outward; and M^-1, which has no velocities.
 * Signs and names follow the manual (12.5) and Featherstone (2008), chapter 7, in Ground's axes. */
#include "matter/hinge.h"
#include "matter/kernel.h"

/* ---- articulated body inertias ---- */

#define TRUE_IN_ALL ((rmask){ 0 } - 1)

/* A pivot of D is the remainder of an inertia. Below this part of that inertia it has no digits left: rounding alone
 * leaves about n eps of it. */
#define PIVOT_TOLERANCE 1e-13

/* P times column k of H. */
CDNI_INLINE sv hinge_P_column(hinge_form form, articulated_inertia P, const real *H, int k) {
  if (form == HINGE_FULL) return articulated_mul(P, ((const sv *)H)[k]);
  v3 h = ((const v3 *)H)[k];
  return form == HINGE_ANGULAR ? (sv){ s3_mul(P.J, h), m3_tmul(P.F, h) } : (sv){ m3_mul(P.F, h), s3_mul(P.M, h) };
}

/* The magnitude from which the pivot of a mobility that turns and moves is judged. */
CDNI_INLINE real full_scale(const real *H, int k, real scale_J, real scale_M) {
  sv h = ((const sv *)H)[k];
  return r_fma(v3_dot(h.w, h.w), scale_J, v3_dot(h.v, h.v) * scale_M);
}

/* factor_body for mobilizers without a special shape: D = L d L^T. With Y = L^-1 (P H)^T, G is L^-T d^-1 Y, and Y^T
 * d^-1 Y is subtracted from P, which is never more than P. */
CDNI_INLINE rmask factor_general(const body_mass *c, int nu, hinge_form form, bool base, const real *H, v3 r, real *G,
                                 real *L, real scale_J, real scale_M, articulated_inertia P,
                                 articulated_inertia *P_out) {
  sv Y[6], *g = (sv *)G;
  real floor[6];
  for (int k = 0; k < nu; k++) {
    Y[k] = hinge_P_column(form, P, H, k);
    for (int l = 0; l < k; l++) L[LDL_AT(k, l)] = hinge_dot(form, H, l, Y[k]);
    L[LDL_AT(k, k)] = hinge_dot(form, H, k, Y[k]) + c->armature;
    real scale = form == HINGE_FULL ? full_scale(H, k, scale_J, scale_M) : form == HINGE_ANGULAR ? scale_J : scale_M;
    floor[k] = PIVOT_TOLERANCE * scale;
  }
  rmask ok = ldl_factor(nu, L, floor);
  if (base) return ok;
  P = articulated_shift(P, r);
  for (int k = 0; k < nu; k++) {
    Y[k] = sv_shift_force(Y[k], r);
    for (int l = 0; l < k; l++) Y[k] = sv_fma(-L[LDL_AT(k, l)], Y[l], Y[k]);
    g[k] = (sv){ v3_scale(L[LDL_AT(k, k)], Y[k].w), v3_scale(L[LDL_AT(k, k)], Y[k].v) };
    P.J = s3_minus_outer(P.J, g[k].w, Y[k].w);
    P.F = m3_minus_outer(P.F, g[k].w, Y[k].v);
    P.M = s3_minus_outer(P.M, g[k].v, Y[k].v);
  }
  for (int k = nu - 2; k >= 0; k--)
    for (int l = k + 1; l < nu; l++) g[k] = sv_fma(-L[LDL_AT(l, k)], g[l], g[k]);
  *P_out = P;
  return ok;
}

/* Factors D, stores G and D^-1, and adds to the parent the part of P that the mobilities leave (12.5.2): phi (P - P
 * H D^-1 H^T P) phi^T = phi P phi^T - G D G^T with G = phi P H D^-1. Shifting first keeps the division off the
 * critical path from child to parent, and G^T then multiplies the parent's acceleration directly. False: the
 * mobilizer has no inertia to work against. */
CDNI_INLINE rmask factor_body(const body_mass *c, int nu, hinge_form form, bool base, const real *H, v3 r, real *G,
                              real *D_inv, real scale_J, real scale_M, articulated_inertia P,
                              articulated_inertia *P_out) {
  if (form == HINGE_NONE) {
    if (!base) *P_out = articulated_shift(P, r);
    return TRUE_IN_ALL;
  }
  if (form == HINGE_FREE) {
    real pivot_J, pivot_M;
    articulated_inertia inverse = free_inverse(P, c->armature, &pivot_J, &pivot_M);
    *(articulated_inertia *)D_inv = inverse;
    if (!base) {
      /* P - P D^-1 P with D = P + a 1 is a 1 - a^2 D^-1: zero without armature. */
      real o = c->armature, s = -o * o;
      P.J = (s3){ r_fma(s, inverse.J.xx, o), r_fma(s, inverse.J.yy, o), r_fma(s, inverse.J.zz, o),
                  s * inverse.J.xy,          s * inverse.J.xz,          s * inverse.J.yz };
      P.M = (s3){ r_fma(s, inverse.M.xx, o), r_fma(s, inverse.M.yy, o), r_fma(s, inverse.M.zz, o),
                  s * inverse.M.xy,          s * inverse.M.xz,          s * inverse.M.yz };
      P.F = (m3){ v3_scale(s, inverse.F.x), v3_scale(s, inverse.F.y), v3_scale(s, inverse.F.z) };
      *P_out = articulated_shift(P, r);
    }
    return r_greater(pivot_J, PIVOT_TOLERANCE * scale_J) & r_greater(pivot_M, PIVOT_TOLERANCE * scale_M);
  }
  if (hinge_D_is_factored(form, nu))
    return factor_general(c, nu, form, base, H, r, G, D_inv, scale_J, scale_M, P, P_out);
  const v3 *h = (const v3 *)H;
  sv PH[3], *g = (sv *)G;
  real pivot, scale = form == HINGE_ANGULAR ? scale_J : scale_M, o = c->armature;
  if (form == HINGE_FULL) scale = full_scale(H, 0, scale_J, scale_M);
  for (int k = 0; k < nu; k++) PH[k] = hinge_P_column(form, P, H, k);
  if (nu == 1) {
    pivot = hinge_dot(form, H, 0, PH[0]) + o;
    D_inv[0] = 1.0 / pivot;
    if (!base) {
      PH[0] = sv_shift_force(PH[0], r);
      g[0] = (sv){ v3_scale(D_inv[0], PH[0].w), v3_scale(D_inv[0], PH[0].v) };
    }
  } else {
    v3 x = hinge_half(form, PH[0]), y = hinge_half(form, PH[1]), z = hinge_half(form, PH[2]);
    s3 D = { v3_dot_add(h[0], x, o), v3_dot_add(h[1], y, o), v3_dot_add(h[2], z, o),
             v3_dot(h[0], y),        v3_dot(h[0], z),        v3_dot(h[1], z) };
    s3 i = s3_inverse(D, &pivot);
    *(s3 *)D_inv = i;
    for (int k = 0; !base && k < nu; k++) PH[k] = sv_shift_force(PH[k], r);
    if (!base) {
      m3 w = { PH[0].w, PH[1].w, PH[2].w }, v = { PH[0].v, PH[1].v, PH[2].v };
      g[0] = (sv){ m3_mul(w, (v3){ i.xx, i.xy, i.xz }), m3_mul(v, (v3){ i.xx, i.xy, i.xz }) };
      g[1] = (sv){ m3_mul(w, (v3){ i.xy, i.yy, i.yz }), m3_mul(v, (v3){ i.xy, i.yy, i.yz }) };
      g[2] = (sv){ m3_mul(w, (v3){ i.xz, i.yz, i.zz }), m3_mul(v, (v3){ i.xz, i.yz, i.zz }) };
    }
  }
  if (!base) {
    P = articulated_shift(P, r);
    for (int k = 0; k < nu; k++) {
      P.J = s3_minus_outer(P.J, g[k].w, PH[k].w);
      P.F = m3_minus_outer(P.F, g[k].w, PH[k].v);
      P.M = s3_minus_outer(P.M, g[k].v, PH[k].v);
    }
    *P_out = P;
  }
  return r_greater(pivot, PIVOT_TOLERANCE * scale);
}

/* One body of the inward pass. `factor`: form P, G and D^-1. `bias`: z and eps. `with_velocity`: gyroscopic and
 * Coriolis terms count. `known`, if not NULL, replaces the Coriolis terms. */
CDNI_INLINE rmask inward_body(const tree *t, const tree_data *d, int i, int nu, hinge_form form, bool factor, bool bias,
                              bool with_velocity, const sv *known) {
  const tree_node *n = &t->node[i];
  const body_mass *c = &d->mass[i];
  const real *H = d->H + n->H;
  real *G = d->G + n->G, *D_inv = d->D_inv + n->D;
  body_articulated *a = &d->articulated[i], *parent = &d->articulated[n->parent];
  bool base = n->parent == 0, massless = body_is_massless(c);
  rmask ok = TRUE_IN_ALL;
  v3 r = d->pose[i].r;

  articulated_inertia P;
  if (factor) {
    if (!n->has_children) P = articulated_from_rigid(d->inertia[i]);
    else P = massless ? a->P : articulated_add_rigid(a->P, d->inertia[i]);
    /* A massless frame has no inertia of its own: its pivots are compared with its children's inertia before
     * projection. */
    real scale_J = s3_trace(P.J), scale_M = s3_trace(P.M);
    if (massless) scale_J = n->has_children ? a->scale_J : r_set(0), scale_M = n->has_children ? a->scale_M : r_set(0);
    if (d->added) P = articulated_add(P, d->added[i]);
    articulated_inertia P_out;
    ok = factor_body(c, nu, form, base, H, r, G, D_inv, scale_J, scale_M, P, &P_out);
    a->P = P;
    if (!base) {
      parent->P = n->first_in ? P_out : articulated_add(parent->P, P_out);
      if (body_is_massless(&d->mass[n->parent])) {
        real J = r_fma(scale_M, v3_dot(r, r), scale_J);
        parent->scale_J = n->first_in ? J : parent->scale_J + J;
        parent->scale_M = n->first_in ? scale_M : parent->scale_M + scale_M;
      }
    }
  } else if (bias && with_velocity) P = a->P;
  if (!bias) return ok;

  sv z = n->has_children ? d->z[i] : sv_zero();
  if (with_velocity) {
    if (!massless) z = sv_add(z, rigid_gyroscopic(d->inertia[i], d->twist[i].V.w));
    if (!base || (hinge_may_bias(form, nu) && n->bias))
      z = sv_add(z, articulated_mul(P, known ? *known : d->twist[i].a_cor));
  }
  if (d->force) z = sv_sub(z, d->force[i]);
  sv z_out = base ? z : sv_shift_force(z, r);
  if (form == HINGE_FREE) {
    real f[6];
    for (int k = 0; k < 6; k++) f[k] = d->f_mob ? d->f_mob[n->u + k] : r_set(0);
    sv e = sv_sub(hinge_mul(form, nu, H, f), z);
    *(sv *)(d->eps + n->u) = e;
    if (!base) {
      /* G eps = (1 - a D^-1) eps */
      sv De = articulated_mul(*(articulated_inertia *)D_inv, e);
      real o = -c->armature;
      z_out = sv_add(z_out, sv_shift_force((sv){ v3_fma(o, De.w, e.w), v3_fma(o, De.v, e.v) }, r));
    }
  } else if (form != HINGE_NONE) {
    real e[6];
    hinge_tmul(form, nu, H, z, e);
    for (int k = 0; k < nu; k++) {
      e[k] = (d->f_mob ? d->f_mob[n->u + k] : r_set(0)) - e[k];
      d->eps[n->u + k] = e[k];
      if (base) continue;
      sv g = ((const sv *)G)[k];
      z_out = (sv){ v3_fma(e[k], g.w, z_out.w), v3_fma(e[k], g.v, z_out.v) };
    }
  }
  if (!base) d->z[n->parent] = n->first_in ? z_out : sv_add(d->z[n->parent], z_out);
  return ok;
}

/* The general form is long: one copy for each number of mobilities serves every pass. So does one for every form with
 * several lanes, where a copy is eight times as long to compile and a call costs an eighth. */
#define INWARD_COPY(SHAPE, NU, FORM)                                                                                 \
  static __attribute__((noinline, unused))                                                                           \
  rmask inward_##FORM##_##NU(const tree *t, const tree_data *d, int i, bool factor, bool bias, bool with_velocity) { \
    return inward_body(t, d, i, NU, FORM, factor, bias, with_velocity, NULL);                                        \
  }
HINGE_LIST(INWARD_COPY)
#define INWARD(NU, FORM, factor, bias, with_velocity)                                                \
  (CDNI_LANES > 1 || FORM == HINGE_FULL ? inward_##FORM##_##NU(t, d, i, factor, bias, with_velocity) \
                                        : inward_body(t, d, i, NU, FORM, factor, bias, with_velocity, NULL))

/* One body of the outward pass of forward dynamics: udot = D^-1 eps - G^T A_P. */
CDNI_INLINE void outward_body(const tree *t, const tree_data *d, int i, int nu, hinge_form form, bool with_velocity) {
  const tree_node *n = &t->node[i];
  const real *H = d->H + n->H, *D_inv = d->D_inv + n->D;
  bool base = n->parent == 0;
  sv A_P = d->A[n->parent], A = base ? sv_zero() : sv_shift_motion(A_P, d->pose[i].r);
  if (form == HINGE_FREE) {
    sv e = *(const sv *)(d->eps + n->u);
    if (!base) e = sv_sub(e, articulated_mul(d->articulated[i].P, A));
    sv udot_G = articulated_mul(*(const articulated_inertia *)D_inv, e);
    hinge_tmul(form, nu, H, udot_G, d->udot + n->u);
    A = sv_add(A, udot_G);
  } else if (form != HINGE_NONE) {
    real *udot = d->udot + n->u;
    D_inv_mul(form, nu, D_inv, d->eps + n->u, udot);
    for (int k = 0; !base && k < nu; k++) {
      sv g = ((const sv *)(d->G + n->G))[k];
      udot[k] -= v3_dot(g.w, A_P.w) + v3_dot(g.v, A_P.v);
    }
    A = sv_add(A, hinge_mul(form, nu, H, udot));
  }
  if (with_velocity && (!base || (hinge_may_bias(form, nu) && n->bias))) A = sv_add(A, d->twist[i].a_cor);
  d->A[i] = A;
}

/* ---- prescribed mobilizers: the body hangs on its parent like a welded one, with an additional known acceleration
 * (12.5.1). Not inlined, so that the passes over free bodies stay small. ---- */

#define IS_PRESCRIBED(i) (d->prescribed && d->prescribed[i])

/* The known part of A, Coriolis terms and H udot, is kept in A for the outward pass. */
static __attribute__((noinline)) void inward_prescribed(const tree *t, const tree_data *d, int i, bool factor,
                                                        bool bias, bool with_velocity) {
  const tree_node *n = &t->node[i];
  sv known = sv_zero();
  if (bias) {
    if (with_velocity) {
#define BODY(NU, FORM) known = hinge_mul(FORM, NU, d->H + n->H, d->udot + n->u)
      FOR_KIND(n)
#undef BODY
      known = sv_add(known, d->twist[i].a_cor);
    }
    d->A[i] = known;
  }
  (void)inward_body(t, d, i, 0, HINGE_NONE, factor, bias, with_velocity, &known);
}

/* With velocities udot keeps the given values; for M^-1 it is zero. */
CDNI_INLINE void outward_prescribed(const tree *t, const tree_data *d, int i, bool with_velocity) {
  const tree_node *n = &t->node[i];
  if (n->parent > 0) d->A[i] = sv_add(d->A[i], sv_shift_motion(d->A[n->parent], d->pose[i].r));
  for (int k = 0; !with_velocity && k < n->nu; k++) d->udot[n->u + k] = r_set(0);
}

/* ---- the passes ---- */

/* The first body for which `ok` was false, lane by lane; -1 while there is none. */
CDNI_INLINE rmask first_failure(rmask first, rmask ok, int body) {
  rmask keep = ok | ~(first >> 63);
  return (first & keep) | (body & ~keep);
}

void KERNEL(articulate)(const tree *t, const tree_data *d, rmask *singular) {
  rmask first = TRUE_IN_ALL;
  for (int i = t->n - 1; i > 0; i--) {
    rmask ok = TRUE_IN_ALL;
    if (IS_PRESCRIBED(i)) {
      inward_prescribed(t, d, i, true, false, false);
      continue;
    }
#define BODY(NU, FORM) ok = INWARD(NU, FORM, true, false, false)
    FOR_KIND(&t->node[i])
#undef BODY
    first = first_failure(first, ok, i);
  }
  *singular = first;
}

void KERNEL(forward)(const tree *t, const tree_data *d, bool factored, rmask *singular) {
  rmask first = TRUE_IN_ALL;
  for (int i = t->n - 1; i > 0; i--) {
    rmask ok = TRUE_IN_ALL;
    if (IS_PRESCRIBED(i)) {
      inward_prescribed(t, d, i, !factored, true, true);
      continue;
    }
    if (factored) {
#define BODY(NU, FORM) ok = INWARD(NU, FORM, false, true, true)
      FOR_KIND(&t->node[i])
#undef BODY
    } else {
#define BODY(NU, FORM) ok = INWARD(NU, FORM, true, true, true)
      FOR_KIND(&t->node[i])
#undef BODY
    }
    first = first_failure(first, ok, i);
  }
  *singular = first;
  d->A[0] = sv_zero();
  for (int i = 1; i < t->n; i++) {
    if (IS_PRESCRIBED(i)) {
      outward_prescribed(t, d, i, true);
      continue;
    }
#define BODY(NU, FORM) outward_body(t, d, i, NU, FORM, true)
    FOR_KIND(&t->node[i])
#undef BODY
  }
}

void KERNEL(solve)(const tree *t, const tree_data *d, int first, int end, bool factored, rmask *singular) {
  rmask failure = TRUE_IN_ALL;
  for (int i = end - 1; i >= first; i--) {
    rmask ok = TRUE_IN_ALL;
    if (IS_PRESCRIBED(i)) {
      inward_prescribed(t, d, i, !factored, true, false);
      continue;
    }
    if (factored) {
#define BODY(NU, FORM) ok = INWARD(NU, FORM, false, true, false)
      FOR_KIND(&t->node[i])
#undef BODY
    } else {
#define BODY(NU, FORM) ok = INWARD(NU, FORM, true, true, false)
      FOR_KIND(&t->node[i])
#undef BODY
    }
    failure = first_failure(failure, ok, i);
  }
  *singular = failure;
  d->A[0] = sv_zero();
  for (int i = first; i < end; i++) {
    if (IS_PRESCRIBED(i)) {
      outward_prescribed(t, d, i, false);
      continue;
    }
#define BODY(NU, FORM) outward_body(t, d, i, NU, FORM, false)
    FOR_KIND(&t->node[i])
#undef BODY
  }
}
