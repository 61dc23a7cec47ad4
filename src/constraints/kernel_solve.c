/* Solving with the elimination: right hand sides inward, multipliers and accelerations outward. */
#include "constraints/kernel.h"

#if CDNI_LANES == 1
#  include "math/six.h"
#  include "matter/operators.h"
#endif

static bool is_prescribed(const loop_solution *s, int i) { return s->d->prescribed && s->d->prescribed[i]; }
/* Several lanes solve without it. */
static bool has_velocity(const loop_solution *s) { return CDNI_LANES == 1 && s->in->velocity; }

/* ---- inward ---- */

/* The acceleration of body i beyond its parent's that is known, where velocity counts: Coriolis terms, and udot that is
 * prescribed. */
static sv known_of(const loop_solution *s, int i) {
  sv known = s->d->twist[i].a_cor;
#if CDNI_LANES == 1
  if (is_prescribed(s, i)) known = sv_add(known, cdni_hinge_mul(&s->p->tree->node[i], s->d->H, s->in->prescribed));
#endif
  return known;
}

static void close_block(const loop_solution *s, int c, sv *z) {
  const loop_plan *p = s->p;
  const int m = s->f->count[c], stride = p->equations[c], from = p->meet_first[c];
  const real *Z = s->f->Z + p->diagonal[c];
  real *beta = s->beta + p->first[c];
  for (int e = 0; e < m && z; e++) *z = sv_fma(-beta[e], s->f->Y[p->first[c] + e], *z);
  for (int x = p->tip_first[c]; x < p->tip_first[c + 1]; x++) {
    sv *z_x = &s->z[p->slot_body[p->tip_slot[x]]];
    for (int e = 0; e < m; e++) *z_x = sv_fma(-beta[e], s->f->tip_Y[p->tip_Y[x] + e], *z_x);
  }
  for (int a = from; a < p->meet_first[c + 1]; a++) {
    const int o = p->meet[a];
    const real *X = s->f->S + p->meet_matrix[a];
    for (int k = 0; k < s->f->count[o]; k++)
      for (int e = 0; e < m; e++) s->beta[p->first[o] + k] -= X[k * stride + e] * beta[e];
  }
  for (int e = 0; e<m && * s->f->n_redundant> 0; e++)
    for (int k = 0; k < m && s->f->redundant[p->first[c] + e]; k++) beta[e] += Z[k * stride + e] * beta[k];
}

/* The slots of the blocks that close at body i; at Ground, of those of the island. */
static void closing_slots(const loop_solution *s, int i, int *from, int *to) {
  const int closing = s->p->slot_first[i] + s->p->n_open[i];
  *from = closing + (i == 0 ? s->p->island_closing[s->island] : 0);
  *to = closing + (i == 0 ? s->p->island_closing[s->island + 1] : s->p->n_closing[i]);
}

static void close_inward(const loop_solution *s, int i) {
  int from, to;
  closing_slots(s, i, &from, &to);
  for (int slot = from; slot < to; slot++) close_block(s, s->p->slot_block[slot], &s->z[i]);
}

/* Replaces the right hand sides of a mix's sources by those of the passed-on and the closed equations. */
static void mix_inward(const loop_solution *s, int x) {
  const loop_plan *p = s->p;
  const int closed = p->mix_closed[x], onward = closed + 1, rank = s->f->count[onward], n = rank + s->f->count[closed];
  const real *T = s->f->T + p->mix_T[x];
  real from[LOOP_MOST_MIXED];
  for (int i = p->source_first[x], a = 0; i < p->source_first[x + 1]; i++)
    for (int e = 0; e < s->f->count[p->source[i]]; e++) from[a++] = s->beta[p->first[p->source[i]] + e];
  for (int e = 0; e < n; e++) {
    real sum = r_set(0);
    for (int g = 0; g < n; g++) sum = r_fma(T[e * n + g], from[g], sum);
    s->beta[e < rank ? p->first[onward] + e : p->first[closed] + e - rank] = sum;
  }
  close_block(s, closed, NULL);
}

/* Forces from outside on the mobilities of a joint. */
CDNI_INLINE void force_on(const loop_solution *s, const tree_node *n, int nu, hinge_form form, real *f) {
  for (int k = 0; k < nu; k++) f[k] = s->in->f ? s->in->f[n->u + k] : r_set(0);
  if (form != HINGE_GROUND || !s->in->f) return;
  const sv turned = hinge_mul(HINGE_FREE, 6, s->d->H + n->H, f);
  memcpy(f, &turned, sizeof turned);
}

/* D^-1 e */
CDNI_INLINE void times_inverse(int nu, const real *D_inv, const real *e, real *out) {
  if (nu == 6) {
#if CDNI_LANES == 1
    six sum = six_zero();
    for (int k = 0; k < 6; k++) sum = six_fma(e[k], six_load(D_inv + 6 * k), sum);
    six_store(out, sum);
#else
    for (int j = 0; j < 6; j++) {
      out[j] = r_set(0);
      for (int k = 0; k < 6; k++) out[j] = r_fma(e[k], D_inv[6 * k + j], out[j]);
    }
#endif
    return;
  }
  for (int k = 0; k < nu; k++) {
    out[k] = r_set(0);
    for (int l = 0; l < nu; l++) out[k] = r_fma(D_inv[6 * k + l], e[l], out[k]);
  }
}

/* Body i's joint: known and unknown accelerations are subtracted from the right hand sides; forces go to the parent.
 * `plain`: there is no equation, and velocity does not count. */
CDNI_INLINE void inward_body(const loop_solution *s, int i, int nu, hinge_form form, bool plain) {
  const loop_plan *p = s->p;
  const tree_node *n = &p->tree->node[i];
  const bool velocity = !plain && has_velocity(s);
  const sv known = velocity ? known_of(s, i) : sv_zero();
  const real *D_inv = s->f->D_inv + 6 * n->u, *H = s->d->H + n->H;
  real u[6];
  for (int k = 0; k < 6; k++) u[k] = r_set(0);
  sv z = s->z[i];
  if (velocity) z = sv_add(z, articulated_mul(s->f->P[i], known));
  force_on(s, n, nu, form, s->eps + n->u);
  for (int k = 0; k < nu; k++) s->eps[n->u + k] -= column_dot(form, H, k, z);
  times_inverse(nu, D_inv, s->eps + n->u, u);
  for (int slot = plain ? 0 : p->slot_first[i], end = plain ? 0 : slot + p->n_open[i]; slot < end; slot++) {
    const int c = p->slot_block[slot], m = s->f->count[c];
    const sv *K = s->f->K + p->slot_K[slot];
    const real *v = s->f->v + p->slot_v[slot];
    real *beta = s->beta + p->first[c];
    for (int e = 0; e < m; e++) {
      if (velocity) beta[e] -= sv_dot(K[e], known);
      for (int k = 0; k < nu; k++) beta[e] = r_fnma(v[e * n->nu + k], u[k], beta[e]);
      if (nu == 0 && velocity) /* coefficients of mobilities that are prescribed */
        for (int k = 0; k < n->nu; k++) beta[e] -= v[e * n->nu + k] * s->in->prescribed[n->u + k];
    }
  }
#if CDNI_LANES == 1
  for (int c = p->couple_first[i]; c < p->couple_first[i + 1]; c++) {
    const sv *E = form == HINGE_GROUND ? s->f->C + 6 * p->couple_C[c] : s->f->E + p->couple_E[c];
    real *z_j = &s->z[p->couple[c]].w.x;
    six sum = six_load(z_j);
    for (int k = 0; k < nu; k++) sum = six_fma(u[k], six_of(&E[k]), sum);
    six_store(z_j, sum);
  }
#endif
  if (n->parent == 0) return;
  z = sv_shift_force(z, s->d->pose[i].r);
  for (int k = 0; k < nu && (plain || !s->in->weighted); k++) z = sv_fma(s->eps[n->u + k], s->f->g[n->u + k], z);
  s->z[n->parent] = sv_add(s->z[n->parent], z);
}

/* Joints of one axis, balls and free joints have code of their own; the others share a function that reads their
 * numbers at run time. */
static __attribute__((noinline)) void inward_ball(const loop_solution *s, int i) {
  inward_body(s, i, 3, HINGE_ANGULAR, false);
}

static __attribute__((noinline)) void inward_free(const loop_solution *s, int i) {
  inward_body(s, i, 6, HINGE_GROUND, false);
}

static __attribute__((noinline)) void inward_any(const loop_solution *s, int i, int nu, hinge_form form) {
  inward_body(s, i, nu, form, false);
}

#define SHAPE_FORM(SHAPE, NU, FORM) FORM,
static const hinge_form form_of[HINGE_SHAPE_COUNT] = { HINGE_LIST(SHAPE_FORM) };

static bool is_plain(const loop_solution *s) { return s->p->m_all == 0 && !has_velocity(s) && !s->in->weighted; }

void KERNEL_NAME(cdni_loop_kernel_inward)(const loop_solution *s) {
  const loop_plan *p = s->p;
  const tree *t = p->tree;
  const tree_data *d = s->d;
  const int from = p->island_body[s->island], to = p->island_body[s->island + 1];
  const bool plain = is_plain(s);
  s->z[0] = s->in->force ? sv_neg(s->in->force[0]) : sv_zero();
  for (int at = from; at < to; at++) {
    const int i = p->bodies[at];
    s->z[i] = s->in->force ? sv_neg(s->in->force[i]) : sv_zero();
    if (has_velocity(s)) s->z[i] = sv_add(s->z[i], rigid_gyroscopic(d->inertia[i], d->twist[i].V.w));
  }
  for (int at = from; at < to; at++) {
    const int i = p->bodies[at];
    const tree_node *n = &t->node[i];
    if (plain && n->shape == SHAPE_ANGULAR_1 && !is_prescribed(s, i)) {
      inward_body(s, i, 1, HINGE_ANGULAR, true);
      continue;
    }
    close_inward(s, i);
    if (is_prescribed(s, i)) inward_any(s, i, 0, HINGE_NONE);
    else if (s->in->weighted && p->n_open[i] == 0 && !s->in->f) continue; /* no force enters here */
    else if (n->shape == SHAPE_ANGULAR_1) inward_body(s, i, 1, HINGE_ANGULAR, false);
    else if (n->shape == SHAPE_ANGULAR_3) inward_ball(s, i);
    else if (s->f->in_ground[i]) inward_free(s, i);
    else inward_any(s, i, n->nu, form_of[n->shape]);
    for (int x = p->mix_first[at]; x < p->mix_first[at + 1]; x++) mix_inward(s, x);
  }
  close_inward(s, 0);
}

/* ---- outward ---- */

static void open_block(const loop_solution *s, int c, const sv *A) {
  const loop_plan *p = s->p;
  const int m = s->f->count[c], stride = p->equations[c], first = p->first[c];
  real *lambda = s->lambda + first;
  const real *C = s->f->S + p->diagonal[c];
  for (int e = 0; e < m; e++) {
    real sum = A ? sv_dot(s->f->Y[first + e], *A) : r_set(0);
    for (int x = p->tip_first[c]; x < p->tip_first[c + 1]; x++)
      sum += sv_dot(s->f->tip_Y[p->tip_Y[x] + e], s->in->A[p->slot_body[p->tip_slot[x]]]);
    for (int g = 0; g < m; g++) sum -= C[e * stride + g] * s->beta[first + g];
    lambda[e] = sum;
  }
  for (int a = p->meet_first[c]; a < p->meet_first[c + 1]; a++) {
    const int o = p->meet[a];
    const real *X = s->f->S + p->meet_matrix[a];
    for (int k = 0; k < s->f->count[o]; k++)
      for (int e = 0; e < m; e++) lambda[e] -= X[k * stride + e] * s->lambda[p->first[o] + k];
  }
}

static void close_outward(const loop_solution *s, int i) {
  int from, to;
  closing_slots(s, i, &from, &to);
  for (int slot = to - 1; slot >= from; slot--) open_block(s, s->p->slot_block[slot], &s->in->A[i]);
}

static void mix_outward(const loop_solution *s, int x) {
  const loop_plan *p = s->p;
  const int closed = p->mix_closed[x], onward = closed + 1, rank = s->f->count[onward], n = rank + s->f->count[closed];
  const real *T = s->f->T + p->mix_T[x];
  open_block(s, closed, NULL);
  for (int i = p->source_first[x], a = 0; i < p->source_first[x + 1]; i++)
    for (int e = 0; e < s->f->count[p->source[i]]; e++, a++) {
      real sum = r_set(0);
      for (int g = 0; g < n; g++)
        sum = r_fma(T[g * n + a], s->lambda[g < rank ? p->first[onward] + g : p->first[closed] + g - rank], sum);
      s->lambda[p->first[p->source[i]] + e] = sum;
    }
}

/* Body i's udot from its parent's acceleration and the multipliers of the blocks open at its joint. */
CDNI_INLINE void outward_body(const loop_solution *s, int i, int nu, hinge_form form, bool plain) {
  const loop_plan *p = s->p;
  const tree_node *n = &p->tree->node[i];
  const sv A_P = s->in->A[n->parent];
  const real *D_inv = s->f->D_inv + 6 * n->u, *H = s->d->H + n->H;
  real *x = s->in->x + n->u;
  real e[6];
  sv A = sv_shift_motion(A_P, s->d->pose[i].r);
  if (!plain && has_velocity(s)) A = sv_add(A, known_of(s, i));
  for (int k = 0; k < nu; k++) e[k] = s->eps[n->u + k];
  for (int slot = plain ? 0 : p->slot_first[i], end = plain ? 0 : slot + p->n_open[i]; slot < end; slot++) {
    const int c = p->slot_block[slot];
    const real *v = s->f->v + p->slot_v[slot];
    const real *lambda = s->lambda + p->first[c];
    for (int q = 0; q < s->f->count[c]; q++)
      for (int k = 0; k < nu; k++) e[k] = r_fnma(v[q * nu + k], lambda[q], e[k]);
  }
  times_inverse(nu, D_inv, e, x);
  for (int k = 0; k < nu && n->parent > 0 && (plain || !s->in->weighted); k++) x[k] -= sv_dot(s->f->g[n->u + k], A_P);
#if CDNI_LANES == 1
  for (int c = p->couple_first[i]; c < p->couple_first[i + 1]; c++) {
    const real *E_D = s->f->E_D + 6 * p->couple_E[c], *A_j = &s->in->A[p->couple[c]].w.x;
    if (nu == 6) {
      six left = six_load(x);
      for (int m = 0; m < 6; m++) left = six_fnma(A_j[m], six_load(E_D + 6 * m), left);
      six_store(x, left);
    } else
      for (int m = 0; m < 6; m++)
        for (int k = 0; k < nu; k++) x[k] = r_fnma(A_j[m], E_D[nu * m + k], x[k]);
  }
#endif
  if (form == HINGE_GROUND) {
    sv moved;
    memcpy(&moved, x, sizeof moved);
    s->in->A[i] = sv_add(A, moved);
    hinge_tmul(HINGE_FREE, 6, H, moved, x);
    return;
  }
  for (int k = 0; k < nu; k++) A = column_fma(form, H, k, x[k], A);
  s->in->A[i] = A;
}

static __attribute__((noinline)) void outward_ball(const loop_solution *s, int i) {
  outward_body(s, i, 3, HINGE_ANGULAR, false);
}

static __attribute__((noinline)) void outward_free(const loop_solution *s, int i) {
  outward_body(s, i, 6, HINGE_GROUND, false);
}

static __attribute__((noinline)) void outward_any(const loop_solution *s, int i, int nu, hinge_form form) {
  outward_body(s, i, nu, form, false);
}

/* Mobilities that are not solved for: prescribed, or without any force on them. */
static void outward_known(const loop_solution *s, int i) {
  const tree_node *n = &s->p->tree->node[i];
  for (int k = n->u; k < n->u + n->nu; k++) s->in->x[k] = r_set(has_velocity(s) ? s->in->prescribed[k] : 0);
  const sv A = sv_shift_motion(s->in->A[n->parent], s->d->pose[i].r);
  s->in->A[i] = has_velocity(s) ? sv_add(A, known_of(s, i)) : A;
}

void KERNEL_NAME(cdni_loop_kernel_outward)(const loop_solution *s) {
  const loop_plan *p = s->p;
  const tree *t = p->tree;
  const bool plain = is_plain(s);
  s->in->A[0] = sv_zero();
  close_outward(s, 0);
  for (int at = p->island_body[s->island + 1] - 1; at >= p->island_body[s->island]; at--) {
    const int i = p->bodies[at];
    const tree_node *n = &t->node[i];
    if (plain && n->shape == SHAPE_ANGULAR_1 && !is_prescribed(s, i)) {
      outward_body(s, i, 1, HINGE_ANGULAR, true);
      continue;
    }
    for (int x = p->mix_first[at + 1] - 1; x >= p->mix_first[at]; x--) mix_outward(s, x);
    if (is_prescribed(s, i) || (s->in->weighted && p->n_open[i] == 0 && !s->in->f)) outward_known(s, i);
    else if (n->shape == SHAPE_ANGULAR_1) outward_body(s, i, 1, HINGE_ANGULAR, false);
    else if (n->shape == SHAPE_ANGULAR_3) outward_ball(s, i);
    else if (s->f->in_ground[i]) outward_free(s, i);
    else outward_any(s, i, n->nu, form_of[n->shape]);
    close_outward(s, i);
  }
}
