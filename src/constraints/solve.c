/* Solving with the elimination: right hand sides inward, multipliers and accelerations outward. */
#include <math.h>

#include "constraints/loops.h"
#include "matter/operators.h"

typedef struct solution {
  const constraint_room *room;
  const loop_plan *p;
  const tree_data *d;
  const loop_factor *f;
  const loop_problem *in;
  sv *z;        /* by body: bias forces */
  double *eps;  /* nu */
  double *beta; /* m: right hand sides; at redundant equations, after the inward pass, how they contradict the others */
} solution;

static bool is_prescribed(const solution *s, int i) { return s->d->prescribed && s->d->prescribed[i]; }

/* ---- inward ---- */

/* The acceleration of body i beyond its parent's that is known: Coriolis terms, and udot that is prescribed. */
static sv known_of(const solution *s, int i) {
  const tree_node *n = &s->p->tree->node[i];
  if (!s->in->velocity) return sv_zero();
  sv known = s->d->twist[i].a_cor;
  return is_prescribed(s, i) ? sv_add(known, cdni_hinge_mul(n, s->d->H, s->in->prescribed)) : known;
}

static void close_inward(const solution *s, int i) {
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

static void inward(const solution *s) {
  const loop_plan *p = s->p;
  const tree *t = p->tree;
  const tree_data *d = s->d;
  for (int i = 0; i < t->n; i++) {
    s->z[i] = s->in->force ? sv_neg(s->in->force[i]) : sv_zero();
    if (s->in->velocity && i > 0) s->z[i] = sv_add(s->z[i], rigid_gyroscopic(d->inertia[i], d->twist[i].V.w));
  }
  for (int i = t->n - 1; i >= 0; i--) {
    const tree_node *n = &t->node[i];
    close_inward(s, i);
    if (i == 0) break;
    const int nu = is_prescribed(s, i) ? 0 : n->nu;
    const sv known = known_of(s, i);
    const real *D_inv = s->f->D_inv + 6 * n->u;
    real u[6];
    sv z = s->z[i];
    if (s->in->velocity) z = sv_add(z, articulated_mul(s->f->P[i], known));
    for (int k = 0; k < nu; k++)
      s->eps[n->u + k] = (s->in->f ? s->in->f[n->u + k] : 0) - sv_dot(cdni_hinge_column(n, d->H, k), z);
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
        if (s->in->velocity) beta[e] -= sv_dot(K[e], known);
        for (int k = 0; k < nu; k++) beta[e] -= v[e * n->nu + k] * u[k];
        if (nu == 0 && s->in->velocity) /* coefficients of mobilities that are prescribed */
          for (int k = 0; k < n->nu; k++) beta[e] -= v[e * n->nu + k] * s->in->prescribed[n->u + k];
      }
    }
    if (n->parent == 0) continue;
    z = sv_shift_force(z, d->pose[i].r);
    for (int k = 0; k < nu && !s->in->weighted; k++) z = sv_fma(s->eps[n->u + k], s->f->g[n->u + k], z);
    s->z[n->parent] = sv_add(s->z[n->parent], z);
  }
}

/* ---- outward ---- */

static void close_outward(const solution *s, int i) {
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

static void outward(const solution *s) {
  const loop_plan *p = s->p;
  const tree *t = p->tree;
  const tree_data *d = s->d;
  sv *A = s->in->A;
  if (p->m) memset(s->in->lambda, 0, (size_t)p->m * sizeof(double));
  A[0] = sv_zero();
  close_outward(s, 0);
  for (int i = 1; i < t->n; i++) {
    const tree_node *n = &t->node[i];
    const sv A_P = A[n->parent];
    const real *D_inv = s->f->D_inv + 6 * n->u;
    double *x = s->in->x + n->u;
    A[i] = sv_add(sv_shift_motion(A_P, d->pose[i].r), known_of(s, i));
    if (is_prescribed(s, i)) {
      for (int k = 0; k < n->nu; k++) x[k] = s->in->velocity ? s->in->prescribed[n->u + k] : 0;
    } else {
      real e[6];
      for (int k = 0; k < n->nu; k++) e[k] = s->eps[n->u + k];
      for (int slot = p->slot_first[i]; slot < p->slot_first[i] + p->n_open[i]; slot++) {
        const int c = p->slot_constraint[slot];
        const real *v = s->f->v + p->slot_v[slot];
        for (int q = 0; q < s->f->count[c]; q++)
          for (int k = 0; k < n->nu; k++) e[k] = r_fnma(v[q * n->nu + k], s->in->lambda[p->first[c] + q], e[k]);
      }
      for (int k = 0; k < n->nu; k++) {
        x[k] = 0;
        if (s->in->weighted && p->n_open[i] == 0) continue; /* nothing asks it to move, and it was not factored */
        for (int l = 0; l < n->nu; l++) x[k] = r_fma(D_inv[6 * k + l], e[l], x[k]);
        if (n->parent > 0 && !s->in->weighted) x[k] -= sv_dot(s->f->g[n->u + k], A_P);
      }
      for (int k = 0; k < n->nu; k++) A[i] = sv_fma(x[k], cdni_hinge_column(n, d->H, k), A[i]);
    }
    close_outward(s, i);
  }
}

/* ---- both ---- */

static size_t own_scratch(const loop_plan *p) {
  return (size_t)p->tree->n * sizeof(sv) + ((size_t)p->tree->nu + 2 * (size_t)p->m) * sizeof(double);
}

size_t cdni_loop_solve_scratch(const loop_plan *p, const loop_factor *f) {
  return own_scratch(p) + (*f->n_shared > 0 ? cdni_loop_null_size(p, f) : 0);
}

static void divide(const loop_plan *p, const double *weight, bool inverse, double *values) {
  for (int c = 0; weight && c < p->n_constraints; c++)
    for (int e = p->first[c]; e < p->first[c] + p->equations[c]; e++)
      values[e] = inverse ? values[e] * weight[c] : values[e] / weight[c];
}

/* Whether right hand sides contradict each other by more than rounding. */
static bool contradicts(const solution *s) {
  double most = 0, size = 0;
  for (int e = 0; e < s->p->m; e++) {
    if (s->f->redundant[e] == 2) most = fmax(most, fabs(s->beta[e]));
    size = fmax(size, fabs(s->in->b[e]));
  }
  return most > 1e-13 * size;
}

void cdni_loop_solve(const constraint_room *room, const tree_data *d, const loop_factor *f, const loop_problem *problem,
                     void *scratch) {
  const loop_plan *p = &room->plan;
  solution s = { .room = room, .p = p, .d = d, .f = f, .in = problem, .z = scratch };
  s.eps = (double *)(s.z + p->tree->n);
  s.beta = s.eps + p->tree->nu;
  double *b = s.beta + p->m;
  memcpy(s.beta, problem->b, (size_t)p->m * sizeof *s.beta);
  inward(&s);
  if (*f->n_shared == 0) {
    outward(&s);
    return;
  }
  char *memory = (char *)scratch + own_scratch(p);
  const loop_null null = cdni_loop_null_make(p, f, problem->weight, memory);
  if (contradicts(&s)) {
    memcpy(b, problem->b, (size_t)p->m * sizeof *b);
    divide(p, problem->weight, true, b);
    cdni_loop_null_project(p, &null, s.beta, b, memory);
    divide(p, problem->weight, false, b);
    memcpy(s.beta, b, (size_t)p->m * sizeof *s.beta);
    inward(&s);
  }
  outward(&s);
  divide(p, problem->weight, false, problem->lambda);
  cdni_loop_null_project(p, &null, NULL, problem->lambda, memory);
  divide(p, problem->weight, true, problem->lambda);
}
