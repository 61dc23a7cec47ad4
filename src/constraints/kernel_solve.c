/* Solving with the elimination: right hand sides inward, multipliers and accelerations outward. */
#include "constraints/kernel.h"
#include "matter/operators.h"

static bool is_prescribed(const loop_solution *s, int i) { return s->d->prescribed && s->d->prescribed[i]; }

/* ---- inward ---- */

/* The acceleration of body i beyond its parent's that is known: Coriolis terms, and udot that is prescribed. */
static sv known_of(const loop_solution *s, int i) {
  const tree_node *n = &s->p->tree->node[i];
  if (!s->in->velocity) return sv_zero();
  sv known = s->d->twist[i].a_cor;
  return is_prescribed(s, i) ? sv_add(known, cdni_hinge_mul(n, s->d->H, s->in->prescribed)) : known;
}

static void close_inward(const loop_solution *s, int i) {
  const loop_plan *p = s->p;
  for (int slot = p->slot_first[i] + p->n_open[i]; slot < p->slot_first[i + 1]; slot++) {
    const int c = p->slot_constraint[slot], m = s->f->count[c], stride = p->equations[c], from = p->meet_first[c];
    const real *Z = s->f->Z + p->diagonal[c];
    double *beta = s->beta + p->first[c];
    for (int e = 0; e < m; e++) s->z[i] = sv_fma(-beta[e], s->f->Y[p->first[c] + e], s->z[i]);
    for (int a = from; a < p->meet_first[c + 1]; a++) {
      const int o = p->meet[a];
      const real *X = s->f->S + p->meet_block[a];
      for (int k = 0; k < s->f->count[o]; k++)
        for (int e = 0; e < m; e++) s->beta[p->first[o] + k] -= X[k * stride + e] * beta[e];
    }
    for (int e = 0; e<m && * s->f->n_redundant> 0; e++)
      for (int k = 0; k < m && s->f->redundant[p->first[c] + e]; k++) beta[e] += Z[k * stride + e] * beta[k];
  }
}

/* Body i's joint: what is known, and what is solved for, leave the right hand sides; forces go to the parent. */
CDNI_INLINE void inward_body(const loop_solution *s, int i, int nu, hinge_form form) {
  const loop_plan *p = s->p;
  const tree_node *n = &p->tree->node[i];
  const sv known = known_of(s, i);
  const real *D_inv = s->f->D_inv + 6 * n->u, *H = s->d->H + n->H;
  const bool velocity = s->in->velocity;
  real u[6];
  sv z = s->z[i];
  if (velocity) z = sv_add(z, articulated_mul(s->f->P[i], known));
  for (int k = 0; k < nu; k++)
    s->eps[n->u + k] = (s->in->f ? s->in->f[n->u + k] : 0) - sv_dot(hinge_column(form, H, k), z);
  for (int k = 0; k < nu; k++) {
    u[k] = 0;
    for (int l = 0; l < nu; l++) u[k] = r_fma(D_inv[6 * k + l], s->eps[n->u + l], u[k]);
  }
  for (int slot = p->slot_first[i]; slot < p->slot_first[i] + p->n_open[i]; slot++) {
    const int c = p->slot_constraint[slot], m = s->f->count[c];
    const sv *K = s->f->K + p->slot_K[slot];
    const real *v = s->f->v + p->slot_v[slot];
    double *beta = s->beta + p->first[c];
    for (int e = 0; e < m; e++) {
      if (velocity) beta[e] -= sv_dot(K[e], known);
      for (int k = 0; k < nu; k++) beta[e] = r_fnma(v[e * n->nu + k], u[k], beta[e]);
      if (nu == 0 && velocity) /* coefficients of mobilities that are prescribed */
        for (int k = 0; k < n->nu; k++) beta[e] -= v[e * n->nu + k] * s->in->prescribed[n->u + k];
    }
  }
  if (n->parent == 0) return;
  z = sv_shift_force(z, s->d->pose[i].r);
  for (int k = 0; k < nu && !s->in->weighted; k++) z = sv_fma(s->eps[n->u + k], s->f->g[n->u + k], z);
  s->z[n->parent] = sv_add(s->z[n->parent], z);
}

/* Joints of one axis are inlined; the others share what takes its numbers at run time. */
static __attribute__((noinline)) void inward_any(const loop_solution *s, int i, int nu, hinge_form form) {
  inward_body(s, i, nu, form);
}

#define SHAPE_FORM(SHAPE, NU, FORM) FORM,
static const hinge_form form_of[HINGE_SHAPE_COUNT] = { HINGE_LIST(SHAPE_FORM) };

void KERNEL_NAME(cdni_loop_kernel_inward)(const loop_solution *s) {
  const tree *t = s->p->tree;
  const tree_data *d = s->d;
  for (int i = 0; i < t->n; i++) {
    s->z[i] = s->in->force ? sv_neg(s->in->force[i]) : sv_zero();
    if (s->in->velocity && i > 0) s->z[i] = sv_add(s->z[i], rigid_gyroscopic(d->inertia[i], d->twist[i].V.w));
  }
  for (int i = t->n - 1; i > 0; i--) {
    const tree_node *n = &t->node[i];
    close_inward(s, i);
    if (is_prescribed(s, i)) inward_any(s, i, 0, HINGE_NONE);
    else if (s->in->weighted && s->p->n_open[i] == 0 && !s->in->f) continue; /* nothing comes in here */
    else if (n->shape == SHAPE_ANGULAR_1) inward_body(s, i, 1, HINGE_ANGULAR);
    else inward_any(s, i, n->nu, form_of[n->shape]);
  }
  close_inward(s, 0);
}

/* ---- outward ---- */

static void close_outward(const loop_solution *s, int i) {
  const loop_plan *p = s->p;
  double *lambda = s->in->lambda;
  for (int slot = p->slot_first[i + 1] - 1; slot >= p->slot_first[i] + p->n_open[i]; slot--) {
    const int c = p->slot_constraint[slot], m = s->f->count[c], stride = p->equations[c], first = p->first[c];
    const real *C = s->f->S + p->diagonal[c];
    for (int e = 0; e < m; e++) {
      double sum = sv_dot(s->f->Y[first + e], s->in->A[i]);
      for (int g = 0; g < m; g++) sum -= C[e * stride + g] * s->beta[first + g];
      lambda[first + e] = sum;
    }
    for (int a = p->meet_first[c]; a < p->meet_first[c + 1]; a++) {
      const int o = p->meet[a];
      const real *X = s->f->S + p->meet_block[a];
      for (int k = 0; k < s->f->count[o]; k++)
        for (int e = 0; e < m; e++) lambda[first + e] -= X[k * stride + e] * lambda[p->first[o] + k];
    }
  }
}

/* Body i's udot from its parent's acceleration and the multipliers of what is open at its joint. */
CDNI_INLINE void outward_body(const loop_solution *s, int i, int nu, hinge_form form) {
  const loop_plan *p = s->p;
  const tree_node *n = &p->tree->node[i];
  const sv A_P = s->in->A[n->parent];
  const real *D_inv = s->f->D_inv + 6 * n->u, *H = s->d->H + n->H;
  double *x = s->in->x + n->u;
  real e[6];
  sv A = sv_add(sv_shift_motion(A_P, s->d->pose[i].r), known_of(s, i));
  for (int k = 0; k < nu; k++) e[k] = s->eps[n->u + k];
  for (int slot = p->slot_first[i]; slot < p->slot_first[i] + p->n_open[i]; slot++) {
    const int c = p->slot_constraint[slot];
    const real *v = s->f->v + p->slot_v[slot];
    const double *lambda = s->in->lambda + p->first[c];
    for (int q = 0; q < s->f->count[c]; q++)
      for (int k = 0; k < nu; k++) e[k] = r_fnma(v[q * nu + k], lambda[q], e[k]);
  }
  for (int k = 0; k < nu; k++) {
    x[k] = 0;
    for (int l = 0; l < nu; l++) x[k] = r_fma(D_inv[6 * k + l], e[l], x[k]);
    if (n->parent > 0 && !s->in->weighted) x[k] -= sv_dot(s->f->g[n->u + k], A_P);
  }
  for (int k = 0; k < nu; k++) A = sv_fma(x[k], hinge_column(form, H, k), A);
  s->in->A[i] = A;
}

static __attribute__((noinline)) void outward_any(const loop_solution *s, int i, int nu, hinge_form form) {
  outward_body(s, i, nu, form);
}

/* What is not solved for: prescribed, or asked by nothing to move. */
static void outward_known(const loop_solution *s, int i) {
  const tree_node *n = &s->p->tree->node[i];
  for (int k = n->u; k < n->u + n->nu; k++) s->in->x[k] = s->in->velocity ? s->in->prescribed[k] : 0;
  s->in->A[i] = sv_add(sv_shift_motion(s->in->A[n->parent], s->d->pose[i].r), known_of(s, i));
}

void KERNEL_NAME(cdni_loop_kernel_outward)(const loop_solution *s) {
  const loop_plan *p = s->p;
  const tree *t = p->tree;
  if (p->m) memset(s->in->lambda, 0, (size_t)p->m * sizeof(double));
  s->in->A[0] = sv_zero();
  close_outward(s, 0);
  for (int i = 1; i < t->n; i++) {
    const tree_node *n = &t->node[i];
    if (is_prescribed(s, i) || (s->in->weighted && p->n_open[i] == 0 && !s->in->f)) outward_known(s, i);
    else if (n->shape == SHAPE_ANGULAR_1) outward_body(s, i, 1, HINGE_ANGULAR);
    else outward_any(s, i, n->nu, form_of[n->shape]);
    close_outward(s, i);
  }
}
