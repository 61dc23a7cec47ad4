/* With the momentum Z_j of all bodies outboard of a mobility, speeds u that are constant over the step, and all poses
 * in its middle, the equations of studies/flow.c are
 *
 *   left_j . Z_j = p0_j + O(h^2),   left_j = h_j - h/2 (dh_j/dt)
 *
 * for left_j is the column h_j as it was at the beginning of the step. If u changes by delta, a body's velocity seen
 * from itself changes by W = W_parent + right delta, right_j = h_j + h/2 (V x h_j + sum of u_k dh_k along j), and its
 * momentum by (I + h/2 (. x* I V)) W, since the middle moves, too. So the Jacobian is, but for O(h^2),
 *
 *   left^T phi (I + h/2 (. x* I V)) phi^T right,
 *
 * and it is solved as the articulated bodies' equations are, with another vector on each side. */
#include "matter/variational.h"

#include <math.h>
#include <string.h>

#include "math/lu.h"
#include "matter/hinge_gradient.h"
#include "matter/kinds.h"
#include "matter/operators.h"

static void store(double *x, sv v) { memcpy(x, (double[]){ v.w.x, v.w.y, v.w.z, v.v.x, v.v.y, v.v.z }, 6 * sizeof *x); }
static sv load(const double *x) { return (sv){ v3_load(x), v3_load(x + 3) }; }

/* V x h: a motion that is carried along by another one. */
static sv carried(sv V, sv h) { return (sv){ v3_cross(V.w, h.w), v3_cross_add(V.w, h.v, v3_cross(V.v, h.w)) }; }

/* Adds the matrix of c x to the rows from `row` and the columns from `column` on. */
static void add_cross(double *A, int row, int column, v3 c) {
  double *a = A + 6 * row + column;
  a[1] -= c.z, a[2] += c.y, a[6] += c.z, a[8] -= c.x, a[12] -= c.y, a[13] += c.x;
}

/* A = a rigid inertia + half (. x* L). */
static void begin_inertia(const rigid_inertia *I, sv L, double half, double *A) {
  const s3 J = I->I;
  const v3 w = v3_scale(-half, L.w), v = v3_scale(-half, L.v);
  memcpy(A,
         (double[36]){ J.xx, J.xy, J.xz, 0, 0, 0, J.xy, J.yy, J.yz, 0, 0, 0, J.xz, J.yz,
                       J.zz, [21] = I->m, [28] = I->m, [35] = I->m },
         36 * sizeof *A);
  add_cross(A, 0, 0, w), add_cross(A, 0, 3, v3_add(I->mc, v)), add_cross(A, 3, 0, v3_sub(v, I->mc));
}

/* The two sides of each mobility. V: of the body. */
static cdn_status sides(const matter *m, cdn_state *state, const tree_data *d, int i, double half, const double *u,
                        sv V, variational_body *b) {
  const tree_node *n = &m->tree.node[i];
  const double *own = u + n->u;
  const bool turns = cdni_kind_of(n)->speeds == SPEEDS_TURN_IN_F;
  sv dH[6][6], h[6];
  bool moves = false;
  CDNI_TRY(cdni_hinge_gradient(m, state, d, i, &moves, dH));
  for (int k = 0; k < n->nu; k++) h[k] = cdni_hinge_column(n, d->H, k);
  for (int j = 0; j < n->nu; j++) {
    sv rate = carried(V, h[j]); /* of column j, and what right_j has beside it */
    for (int k = 0; k < n->nu; k++) {
      sv change = moves ? dH[j][k] : sv_zero();
      change.v = v3_cross_add(h[j].v, h[k].w, change.v);
      rate = sv_fma(own[k], change, rate);
    }
    store(b->right[j], sv_fma(half, rate, h[j]));
    if (turns && j < 3) {
      const int next = (j + 1) % 3, last = (j + 2) % 3; /* column j turns as a vector of F does */
      rate = sv_fma(own[next], h[last], sv_fma(-own[last], h[next], rate));
    }
    store(b->left[j], sv_fma(-half, rate, h[j]));
  }
  return CDN_OK;
}

/* Adds a child's matrix without what its own mobilities yield: phi (A - AR LA) phi^T. */
static void add_outboard(const variational_body *b, int nu, double *to) {
  const v3 r = b->r;
  double A[36];
  memcpy(A, b->A, sizeof A);
  for (int k = 0; k < nu; k++)
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) A[6 * i + j] -= b->AR[k][i] * b->LA[k][j];
  /* rows as forces, columns as motions: moments about the parent's origin */
  for (int j = 0; j < 6; j++) {
    double *const a = A + j;
    a[0] += r.y * a[30] - r.z * a[24], a[6] += r.z * a[18] - r.x * a[30], a[12] += r.x * a[24] - r.y * a[18];
  }
  for (int i = 0; i < 6; i++) {
    double *const a = A + 6 * i;
    a[0] += r.y * a[5] - r.z * a[4], a[1] += r.z * a[3] - r.x * a[5], a[2] += r.x * a[4] - r.y * a[3];
  }
  for (int i = 0; i < 36; i++) to[i] += A[i];
}

static double dot6(const double *a, const double *b) {
  return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5]);
}

/* D^-1 of D = left^T A right + armature, and what elimination needs. */
static bool eliminate(variational_body *b, int nu, double armature) {
  double D[36], inverse[36] = { 0 }, LA[6][6], largest = 0;
  for (int k = 0; k < nu; k++) {
    memset(LA[k], 0, sizeof LA[k]);
    for (int i = 0; i < 6; i++) {
      b->AR[k][i] = dot6(b->A + 6 * i, b->right[k]);
      for (int j = 0; j < 6; j++) LA[k][j] += b->left[k][i] * b->A[6 * i + j];
    }
  }
  for (int j = 0; j < nu; j++)
    for (int k = 0; k < nu; k++) {
      D[j * nu + k] = dot6(b->left[j], b->AR[k]) + (j == k ? armature : 0);
      inverse[j * nu + k] = j == k;
      largest = fmax(largest, fabs(D[j * nu + k]));
    }
  if (nu == 1) inverse[0] = 1 / D[0]; /* most joints are pins */
  if (nu == 1 ? !isfinite(inverse[0]) : !cdni_eliminate(nu, largest, D, nu, inverse)) return false;
  for (int j = 0; j < nu; j++) {
    memcpy(b->D_inv[j], inverse + j * nu, (size_t)nu * sizeof *inverse);
    for (int i = 0; i < 6; i++) {
      b->LA[j][i] = 0;
      for (int k = 0; k < nu; k++) b->LA[j][i] += b->D_inv[j][k] * LA[k][i];
    }
  }
  return true;
}

static int free_mobilities(const matter *m, const tree_data *d, int i) {
  return d->prescribed && d->prescribed[i] ? 0 : m->tree.node[i].nu;
}

cdn_status cdni_variational_factor(const matter *m, cdn_state *state, const tree_data *d, double h, const double *u,
                                   variational_body *body) {
  const double half = 0.5 * h;
  memset(body[0].W, 0, sizeof body[0].W); /* of the middle: velocities first */
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    body[i].r = d->pose[i].r;
    const sv V = sv_add(sv_shift_motion(load(body[n->parent].W), body[i].r), cdni_hinge_mul(n, d->H, u));
    store(body[i].W, V);
    CDNI_TRY(sides(m, state, d, i, half, u, V, &body[i]));
    memset(body[i].A, 0, sizeof body[i].A);
    if (!body_is_massless(&d->mass[i])) begin_inertia(&d->inertia[i], rigid_mul(d->inertia[i], V), half, body[i].A);
  }
  for (int i = m->tree.n - 1; i > 0; i--) {
    const tree_node *n = &m->tree.node[i];
    const int nu = free_mobilities(m, d, i);
    if (nu > 0 && !eliminate(&body[i], nu, d->mass[i].armature)) return cdni_matter_singular(m, state, i, __func__);
    if (n->parent > 0) add_outboard(&body[i], nu, body[n->parent].A);
  }
  return CDN_OK;
}

void cdni_variational_solve(const matter *m, const tree_data *d, variational_body *body, const double *r,
                            double *change) {
  for (int i = 0; i < m->tree.n; i++) memset(body[i].z, 0, sizeof body[i].z);
  for (int i = m->tree.n - 1; i > 0; i--) {
    const tree_node *n = &m->tree.node[i];
    const variational_body *b = &body[i];
    double eps[6], z[6];
    memcpy(z, b->z, sizeof z);
    const int nu = free_mobilities(m, d, i);
    for (int j = 0; j < nu; j++) eps[j] = r[n->u + j] - dot6(b->left[j], b->z);
    for (int j = 0; j < n->nu; j++) change[n->u + j] = 0;
    for (int j = 0; j < nu; j++) {
      for (int k = 0; k < nu; k++) change[n->u + j] += b->D_inv[j][k] * eps[k];
      for (int k = 0; k < 6; k++) z[k] += b->AR[j][k] * change[n->u + j];
    }
    double *to = body[n->parent].z;
    double sum[6];
    store(sum, sv_add(load(to), sv_shift_force(load(z), b->r)));
    memcpy(to, sum, sizeof sum);
  }
  memset(body[0].W, 0, sizeof body[0].W);
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    variational_body *b = &body[i];
    double W[6];
    store(W, sv_shift_motion(load(body[n->parent].W), b->r));
    memcpy(b->W, W, sizeof W);
    for (int j = 0; j < free_mobilities(m, d, i); j++) {
      change[n->u + j] -= dot6(b->LA[j], W);
      for (int k = 0; k < 6; k++) b->W[k] += b->right[j][k] * change[n->u + j];
    }
  }
}
