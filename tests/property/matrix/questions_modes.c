/* shared by tests in this folder */
/* Questions of small motions: the linearized equations against displaced States, eigenvalues against the matrix, normal
 * modes against the accelerations that their shapes cause. */
#include <complex.h>
#undef I /* a name of inertias */

#include <cardan/derivatives.h>
#include <cardan/modes.h>

#include "matrix.h"

static double along(const double *a, const double *b, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* ---- linearization ---- */

typedef struct linear {
  int n, l, size; /* displacements, velocities, all with z */
  double *A, *D, *U;
} linear;

static bool linearize(cell *c, linear *x) {
  const int most = 2 * c->nu + c->nz;
  double *without = cell_room(c, (size_t)(4 * c->nu * c->nu));
  x->A = cell_room(c, (size_t)(most * most));
  x->D = cell_room(c, (size_t)(c->nu * c->nu)), x->U = cell_room(c, (size_t)(c->nu * c->nu));
  if (!cell_call(c, cdn_linearize(c->state, without, NULL, &x->n, NULL, &x->l), "cdn_linearize") ||
      !cell_call(c, cdn_linearize_with_z(c->state, x->A, x->D, &x->n, x->U, &x->l), "cdn_linearize_with_z"))
    return false;
  const int held = x->n + x->l;
  x->size = held + c->nz;
  for (int i = 0; i < held; i++)
    cell_near(c, "a row of A without z", without + i * held, x->A + i * x->size, held, 1, 0);
  return true;
}

/* What changes from one side of the State to the other, over 2 h, on the constraints. */
typedef struct change {
  double *q, *u, *z; /* where the two are */
  double *qdot, *udot, *zdot;
} change;

static bool side(cell *c, const direction *d, double h, change *x, double by) {
  cdn_projection_def tight = cdn_default_projection_def();
  tight.always = true, tight.tolerance = 1e-12;
  if (!cell_move(c, d, h)) return false;
  if (!cell_call(c, cdn_prescribe(c->other, NULL), "cdn_prescribe") ||
      !cell_call(c, cdn_project_q(c->other, &tight, NULL), "cdn_project_q") ||
      !cell_call(c, cdn_project_u(c->other, &tight, NULL), "cdn_project_u") ||
      !cell_call(c, cdn_realize(c->other, CDN_STAGE_ACCELERATION), "cdn_realize"))
    return false;
  const double *const from[] = { cdn_state_q_eff(c->other), cdn_state_u_eff(c->other),
                                 cdn_state_z(c->other),     cdn_state_qdot(c->other),
                                 cdn_state_udot(c->other),  c->nz ? cdn_state_zdot(c->other) : NULL };
  double *const to[] = { x->q, x->u, x->z, x->qdot, x->udot, x->zdot };
  const int n[] = { c->nq, c->nu, c->nz, c->nq, c->nu, c->nz };
  for (int p = 0; p < 6; p++)
    for (int i = 0; i < n[p]; i++) to[p][i] += by * from[p][i];
  return true;
}

static change change_room(cell *c) {
  const size_t nq = (size_t)c->nq, nu = (size_t)c->nu, nz = (size_t)c->nz;
  return (change){ cell_room(c, nq), cell_room(c, nu), cell_room(c, nz),
                   cell_room(c, nq), cell_room(c, nu), cell_room(c, nz) };
}

/* d/dt (N^+ dq) for a change dq of q and its rate. */
static bool rate_of_displacement(cell *c, const change *x, double *v, double *vdot) {
  const double e = 1e-5;
  double *moved[2], *q = cell_room(c, (size_t)c->nq);
  cdn_status status = cdn_multiply_by_N_inv(c->state, x->q, v);
  if (status == CDN_OK) status = cdn_multiply_by_N_inv(c->state, x->qdot, vdot);
  for (int k = 0; k < 2 && status == CDN_OK; k++) {
    moved[k] = cell_room(c, (size_t)c->nu);
    for (int i = 0; i < c->nq; i++) q[i] = c->q[i] + (k ? -e : e) * c->qdot[i];
    status = cdn_state_copy(c->other, c->state);
    if (status == CDN_OK) status = cdn_state_set_q(c->other, q);
    if (status == CDN_OK) status = cdn_multiply_by_N_inv(c->other, x->q, moved[k]);
  }
  if (status != CDN_OK) return cell_call(c, status, "cdn_multiply_by_N_inv");
  for (int k = 0; k < c->nu; k++) vdot[k] += (moved[0][k] - moved[1][k]) / (2 * e);
  return true;
}

/* By A, and as it is: d/dt (a, b, c) of the difference of two States that are 2 h apart. */
static bool rates(cell *c, const linear *x, const direction *d, double h, double *got, double *want) {
  change y = change_room(c);
  double *v = cell_room(c, (size_t)c->nu), *vdot = cell_room(c, (size_t)c->nu), *at = cell_room(c, (size_t)x->size);
  for (int k = 0; k < 2; k++)
    if (!side(c, d, k ? -h : h, &y, (k ? -1 : 1) / (2 * h))) return false;
  if (!rate_of_displacement(c, &y, v, vdot)) return false;
  for (int i = 0; i < x->n; i++)
    at[i] = along(x->D + i * c->nu, v, c->nu), want[i] = along(x->D + i * c->nu, vdot, c->nu);
  for (int i = 0; i < x->l; i++)
    at[x->n + i] = along(x->U + i * c->nu, y.u, c->nu), want[x->n + i] = along(x->U + i * c->nu, y.udot, c->nu);
  for (int i = 0; i < c->nz; i++) at[x->n + x->l + i] = y.z[i], want[x->n + x->l + i] = y.zdot[i];
  for (int i = 0; i < x->size; i++) got[i] = along(x->A + i * x->size, at, x->size);
  return true;
}

void ask_linearization(cell *c) {
  static const double steps[] = { 2e-5, 3e-4, 3e-6 };
  linear x;
  if (!linearize(c, &x)) return;
  double *v = cell_room(c, (size_t)c->nu), *w = cell_room(c, (size_t)c->nu), *y = cell_room(c, (size_t)x.size);
  double *got[2], *want[2], best = INFINITY, *out[2];
  cell_random(c, y, x.size);
  for (int i = 0; i < x.n; i++)
    for (int k = 0; k < c->nu; k++) v[k] += y[i] * x.D[i * c->nu + k];
  for (int i = 0; i < x.l; i++)
    for (int k = 0; k < c->nu; k++) w[k] += y[x.n + i] * x.U[i * c->nu + k];
  const direction d = { .q = v, .u = w, .z = y + x.n + x.l };
  for (int k = 0; k < 2; k++) {
    got[k] = cell_room(c, (size_t)x.size), want[k] = cell_room(c, (size_t)x.size);
    out[k] = cell_room(c, (size_t)x.size);
  }
  double first = 0;
  for (int try = 0; try < 3 && best > 1e-7 * largest_of(out[1], x.size, 1); try++) {
    for (int k = 0; k < 2; k++)
      if (!rates(c, &x, &d, steps[try] / (1 + k), got[k], want[k])) return;
    double noise = 0;
    for (int i = 0; i < x.size; i++) noise = fmax(noise, fabs(want[1][i] - want[0][i] - got[1][i] + got[0][i]));
    if (try == 0) first = noise;
    if (noise >= best) continue;
    best = noise;
    for (int i = 0; i < x.size; i++)
      out[0][i] = (4 * got[1][i] - got[0][i]) / 3, out[1][i] = (4 * want[1][i] - want[0][i]) / 3;
  }
  if (cell_is_differenced(c)) best = fmax(best, first); /* columns of the library's own may meet a bend */
  const double scale = largest_of(out[1], x.size, 1);
  if (!(best <= 1e-3 * scale)) {
    c->unsettled = true;
    return;
  }
  /* rates of z may follow udot, which varies more than they do */
  cell_near(c, "d/dt of displacements, velocities and z", out[0], out[1], x.size, scale,
            fmax(c->nz ? 3e-5 : 1e-6, cell_derivative_tolerance(c)) + 4 * best / scale);
}

/* ---- eigenvalues ---- */

/* The sums of the first three powers of the eigenvalues are traces. */
static void check_traces(cell *c, int n, const double *A, const double *re, const double *im) {
  double *power = cell_room(c, (size_t)(n * n)), *next = cell_room(c, (size_t)(n * n)), size = 1;
  memcpy(power, A, (size_t)(n * n) * sizeof *A);
  for (int p = 1; p <= 3; p++) {
    double trace = 0, most = 1;
    double complex sum = 0;
    for (int k = 0; k < n; k++) {
      double complex z = 1;
      for (int i = 0; i < p; i++) z *= re[k] + im[k] * _Complex_I;
      trace += power[k * n + k], sum += z, most = fmax(most, cabs(z));
    }
    size = fmax(most, largest_of(power, n * n, 1));
    const double got[2] = { creal(sum), cimag(sum) }, want[2] = { trace, 0 };
    cell_near(c, p == 1 ? "trace" : p == 2 ? "trace of A^2" : "trace of A^3", got, want, 2, n * size, 1e-9);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++) {
        next[i * n + k] = 0;
        for (int j = 0; j < n; j++) next[i * n + k] += power[i * n + j] * A[j * n + k];
      }
    memcpy(power, next, (size_t)(n * n) * sizeof *next);
  }
}

/* Takes of n numbers their part along unit vector `by`. */
static void take_out(int n, double complex *x, const double complex *by) {
  double complex part = 0;
  for (int i = 0; i < n; i++) part += conj(by[i]) * x[i];
  for (int i = 0; i < n; i++) x[i] -= part * by[i];
}

/* With the velocities that suit them best, displacements a are an eigenvector: how far (A - lambda)(a, b) is from 0. By
 * Gram and Schmidt, twice. */
static double residual(cell *c, const linear *x, int size, const double *A, double complex lambda,
                       const double complex *a) {
  enum { NUMBERS = sizeof(double complex) / sizeof(double) };
  const int n = x->n, l = x->l;
  double complex *Q = (double complex *)(void *)cell_room(c, (size_t)(NUMBERS * size * (l + 1))), *r = Q + l * size;
  int found = 0;
  for (int i = 0; i < size; i++)
    for (int k = 0; k < n; k++) r[i] += (A[i * size + k] - (i == k ? lambda : 0)) * a[k];
  for (int j = 0; j < l; j++) {
    double complex *column = Q + found * size;
    double before = 0, length = 0;
    for (int i = 0; i < size; i++) {
      column[i] = A[i * size + n + j] - (i == n + j ? lambda : 0);
      before += creal(column[i] * conj(column[i]));
    }
    for (int k = 0; k < 2 * found; k++) take_out(size, column, Q + k % found * size);
    for (int i = 0; i < size; i++) length += creal(column[i] * conj(column[i]));
    if (!(length > 1e-26 * before)) continue;
    for (int i = 0; i < size; i++) column[i] /= sqrt(length);
    found++;
  }
  for (int k = 0; k < 2 * found; k++) take_out(size, r, Q + k % found * size);
  double most = 0;
  for (int i = 0; i < size; i++) most = fmax(most, cabs(r[i]));
  return most;
}

void ask_eigenvalues(cell *c) {
  const int nu = c->nu;
  linear x = { .D = cell_room(c, (size_t)(nu * nu)), .U = cell_room(c, (size_t)(nu * nu)) };
  double *A = cell_room(c, (size_t)(4 * nu * nu)), *re = cell_room(c, (size_t)(2 * nu)),
         *im = cell_room(c, (size_t)(2 * nu)), *v = cell_room(c, (size_t)(2 * nu * nu)),
         *w = cell_room(c, (size_t)(2 * nu * nu));
  int count;
  ASK(cdn_linearize(c->state, A, x.D, &x.n, x.U, &x.l));
  ASK(cdn_linear_modes(c->state, &count, re, im, v, w));
  const int size = x.n + x.l;
  if (count != size) return cell_wrong(c, "%d eigenvalues of a matrix with %d rows", count, size);
  check_traces(c, size, A, re, im);
  const double scale = largest_of(A, size * size, 1);
  for (int k = 0; k < count && !c->wrong[0]; k++) {
    double complex a[6 * SCENE_MOST_BODIES];
    double most = 0;
    for (int i = 0; i < x.n; i++) {
      a[i] = along(x.D + i * nu, v + k * nu, nu) + along(x.D + i * nu, w + k * nu, nu) * _Complex_I;
      most = fmax(most, cabs(a[i]));
    }
    if (most == 0) continue; /* nothing is displaced */
    const double off = residual(c, &x, size, A, re[k] + im[k] * _Complex_I, a);
    if (!(off <= 1e-7 * scale))
      cell_wrong(c, "mode %d of eigenvalue %g + %g i satisfies its equation to %.2g of %.3g", k, re[k], im[k],
                 off / scale, scale);
  }
}

/* ---- normal modes ---- */

/* `other`: at rest, with what is prescribed held, and with forces from outside that balance all others. False if
 * constraints or exact rows move it nevertheless. */
static bool balance(cell *c) {
  const cdn_system *system = cdn_state_system(c->state);
  double *zero = cell_room(c, (size_t)c->nu), *r = cell_room(c, (size_t)c->nu), *rows = cell_room(c, (size_t)c->nu);
  const double *f = cdn_state_applied_mobility_forces(c->state);
  for (int i = 0; i < c->s->features; i++) c->idle = c->idle || c->s->feature[i]->exact;
  if (c->idle) return false; /* their forces do not follow from accelerations */
  cdn_status status = cdn_state_copy(c->other, c->state);
  for (int b = 1; b < c->nb && status == CDN_OK; b++)
    if (cdn_body_nu(system, (cdn_body){ b }) > 0 && c->prescribed[cdn_body_first_u(system, (cdn_body){ b })])
      status = cdn_body_lock(c->other, (cdn_body){ b }, CDN_LEVEL_POSITION);
  if (status == CDN_OK) status = cdn_prescribe(c->other, NULL);
  if (status == CDN_OK) status = cdn_state_set_u(c->other, zero);
  if (status == CDN_OK) status = cdn_residual(c->other, zero, r);
  if (status == CDN_OK) status = cdn_soft_forces(c->other, zero, rows);
  for (int k = 0; k < c->nu; k++) r[k] += f[k] - rows[k];
  if (status == CDN_OK) status = cdn_state_set_applied_mobility_forces(c->other, r);
  if (status == CDN_OK) status = cdn_realize(c->other, CDN_STAGE_ACCELERATION);
  if (!cell_call(c, status, "to balance forces")) return false;
  c->idle = largest_of(cdn_state_udot(c->other), c->nu, 0) > 1e-6 * largest_of(r, c->nu, 1);
  return !c->idle;
}

/* M times the change of udot along a displacement: differences by h. */
static bool push(cell *c, cdn_state *scratch, const double *v, double h, double *f) {
  double *q = cell_room(c, (size_t)c->nq), *udot[2];
  for (int k = 0; k < 2; k++) {
    udot[k] = cell_room(c, (size_t)c->nu);
    cdn_status status = cdn_multiply_by_N(c->other, v, q);
    for (int i = 0; i < c->nq; i++) q[i] = cdn_state_q(c->other)[i] + (k ? -h : h) * q[i];
    if (status == CDN_OK) status = cdn_state_copy(scratch, c->other);
    if (status == CDN_OK) status = cdn_state_set_q(scratch, q);
    if (status == CDN_OK) status = cdn_realize(scratch, CDN_STAGE_ACCELERATION);
    if (!cell_call(c, status, "to displace a balanced State")) return false;
    memcpy(udot[k], cdn_state_udot(scratch), (size_t)c->nu * sizeof(double));
  }
  for (int k = 0; k < c->nu; k++) udot[0][k] = (udot[0][k] - udot[1][k]) / (2 * h);
  return cell_call(c, cdn_multiply_by_M(c->other, udot[0], f), "cdn_multiply_by_M");
}

static void check_normal_modes(cell *c, cdn_state *scratch) {
  const int nu = c->nu;
  double *omega2 = cell_room(c, (size_t)nu), *shape = cell_room(c, (size_t)(nu * nu));
  double *f[2], *got = cell_room(c, (size_t)(nu * nu)), *want = cell_room(c, (size_t)(nu * nu));
  double *M = cell_room(c, (size_t)(nu * nu)), noise = 0;
  int n;
  const cdn_status status = cdn_normal_modes(c->other, &n, omega2, shape);
  int rows;
  ASK(cdn_soft_count(c->other, &rows));
  if (rows > 0 && status == CDN_ERR_UNSUPPORTED && strstr(cdn_last_error_text(), "rows of '")) return;
  ASK(status);
  f[0] = cell_room(c, (size_t)(nu * nu)), f[1] = cell_room(c, (size_t)(nu * nu));
  for (int j = 0; j < n; j++) {
    for (int level = 0; level < 2; level++)
      if (!push(c, scratch, shape + j * nu, 2e-5 / (1 + level), f[level] + j * nu)) return;
    ASK(cdn_multiply_by_M(c->other, shape + j * nu, M + j * nu));
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const double *x = shape + i * nu, *y = shape + j * nu;
      const double whole = -(along(x, f[0] + j * nu, nu) + along(y, f[0] + i * nu, nu)) / 2;
      const double half = -(along(x, f[1] + j * nu, nu) + along(y, f[1] + i * nu, nu)) / 2;
      want[i * n + j] = (4 * half - whole) / 3, got[i * n + j] = i == j ? omega2[i] : 0;
      noise = fmax(noise, fabs(half - whole));
      const double orthogonal = along(x, M + j * nu, nu), one = i == j;
      cell_near(c, "x^T M x", &orthogonal, &one, 1, 1, 1e-9);
    }
  const double scale = largest_of(want, n * n, largest_of(omega2, n, 1));
  if (!(noise <= 1e-3 * scale)) {
    c->unsettled = true;
    return;
  }
  cell_near(c, "x^T K x", got, want, n * n, scale, cell_derivative_tolerance(c) + 4 * noise / scale);
}

void ask_normal_modes(cell *c) {
  cdn_state *scratch;
  if (!balance(c)) return;
  ASK(cdn_state_create(cdn_state_system(c->state), &scratch));
  check_normal_modes(c, scratch);
  cdn_state_destroy(scratch);
}
