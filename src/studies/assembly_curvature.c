/* The part of the goals' second derivatives that Gauss and Newton's method omits, along the constraints: sum r r'' +
 * sum lambda c''. If goals cannot be met it decides the speed of convergence. It is learned from step to step by the
 * structured secant update of Dennis, Gay and Welsch (1981, An adaptive nonlinear least-squares algorithm, ACM TOMS
 * 7:348), and used if it predicted the last step better than the model without it. */
#include <math.h>

#include "math/dense.h"
#include "studies/assembly.h"

/* out = S x */
static void multiply(const cdn_assembly *a, const double *x, double *out) {
  for (int k = 0; k < a->nu; k++) out[k] = cdni_dot(a->nu, a->S + (size_t)k * (size_t)a->nu, x);
}

/* out = G^T lambda, of the position constraints, with the present G. */
static void pull(const cdn_assembly *a, const double *lambda, double *out) {
  int m = 0;
  memset(out, 0, (size_t)a->nu * sizeof *out);
  for (int i = 0; a->room && i < a->plan->n_constraints; i++) {
    const constraint_element *c = constraint_on(a->room, a->plan, i);
    for (int e = 0; e < c->np; e++, m++) {
      const double *row = a->G + (size_t)(a->room->first_row + c->row + e) * (size_t)a->nu;
      for (int k = 0; lambda[m] != 0 && k < a->nu; k++) out[k] += lambda[m] * row[k];
    }
  }
}

void cdni_assembly_curvature_begin(cdn_assembly *a) {
  memset(a->S, 0, (size_t)a->nu * (size_t)a->nu * sizeof *a->S);
  a->stepped = a->trusted = false;
}

void cdni_assembly_curvature_keep(cdn_assembly *a, const assembly_reduced *p) {
  memset(a->pulled, 0, (size_t)a->nu * sizeof *a->pulled);
  if (p->rank > 0) {
    cdni_null_space_multipliers(&a->null, a->u, a->g_lambda);
    for (int e = 0; e < a->null.m; e++) a->g_lambda[e] = -a->g_lambda[e];
    pull(a, a->g_lambda, a->pulled);
  } else if (a->null.m > 0) {
    memset(a->g_lambda, 0, (size_t)a->null.m * sizeof *a->g_lambda);
  }
  for (int k = 0; k < a->nu; k++) a->kept[k] = a->gradient[k] + a->pulled[k];
}

cdn_status cdni_assembly_curvature_step(cdn_assembly *a, cdn_state *state, const assembly_reduced *p, int rows) {
  const double *q = cdn_state_q(state);
  for (int i = 0; i < a->nq; i++) a->q[i] = q[i] - a->came[i];
  CDNI_TRY(cdni_state_multiply_by_N_inv(state, a->q, a->moved));
  /* the old J with the new r: rows are in the frame of the old Q still */
  double *sum = a->step;
  memset(sum, 0, (size_t)p->n * sizeof *sum);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < p->n; j++) sum[j] += a->J[(size_t)i * (size_t)a->nu + (size_t)j] * a->r[i];
  if (p->rank > 0) cdni_null_space_leave(&a->null, sum);
  for (int j = 0; j < p->n; j++) a->pulled[a->map[j]] += sum[j];
  a->stepped = true;
  return CDN_OK;
}

void cdni_assembly_curvature_learn(cdn_assembly *a) {
  double *s = a->moved, *y = a->kept, *change = a->pulled, *Ss = a->push;
  if (!a->stepped) return;
  a->stepped = false;
  /* y: the change of the Lagrangian's gradient; change: the part of it that S must explain */
  pull(a, a->g_lambda, Ss);
  for (int k = 0; k < a->nu; k++) {
    const double now = a->gradient[k] + Ss[k];
    const bool moves = !a->fixed[k] && !a->held[k] && cdni_assembly_is_concerned(a, k);
    y[k] = moves ? now - y[k] : 0;
    change[k] = moves ? now - change[k] : 0;
    s[k] = moves ? s[k] : 0;
  }
  const double ys = cdni_dot(a->nu, y, s), size = cdni_dot(a->nu, s, s);
  if (!(fabs(ys) > 1e-12 * sqrt(size * cdni_dot(a->nu, y, y))) || size == 0) return;
  multiply(a, s, Ss);
  const double sSs = cdni_dot(a->nu, s, Ss), wanted = cdni_dot(a->nu, s, change);
  const double sizing = sSs != 0 ? fmin(1, fabs(wanted / sSs)) : 1;
  for (int k = 0; k < a->nu; k++) Ss[k] = change[k] - sizing * Ss[k];
  const double along = cdni_dot(a->nu, s, Ss) / (ys * ys);
  for (int i = 0; i < a->nu; i++)
    for (int k = 0; k < a->nu; k++) {
      double *S = &a->S[(size_t)i * (size_t)a->nu + (size_t)k];
      *S = sizing * *S + (Ss[i] * y[k] + y[i] * Ss[k]) / ys - along * y[i] * y[k];
    }
}

void cdni_assembly_curvature_add(cdn_assembly *a, assembly_reduced *p) {
  if (!a->trusted) return;
  /* Q^T S Q of the free mobilities, column by column, of which the last d by d are wanted */
  double *T = a->L;
  for (int i = 0; i < p->n; i++) {
    double *row = T + (size_t)i * (size_t)p->n;
    for (int k = 0; k < p->n; k++) row[k] = a->S[(size_t)a->map[i] * (size_t)a->nu + (size_t)a->map[k]];
    if (p->rank > 0) cdni_null_space_enter(&a->null, row);
  }
  p->largest = 0;
  for (int j = 0; j < p->d; j++) {
    for (int i = 0; i < p->n; i++) a->step[i] = T[(size_t)i * (size_t)p->n + (size_t)(p->rank + j)];
    if (p->rank > 0) cdni_null_space_enter(&a->null, a->step);
    for (int i = j; i < p->d; i++) a->H[(size_t)i * (size_t)p->d + (size_t)j] += a->step[p->rank + i];
    p->largest = fmax(p->largest, fabs(a->H[(size_t)j * (size_t)p->d + (size_t)j]));
  }
}

double cdni_assembly_curvature_along(const cdn_assembly *a) {
  multiply(a, a->x, a->push);
  return cdni_dot(a->nu, a->x, a->push);
}
