/* Newton's equations in the tangent basis. Eliminating dq = S (r_q + gamma N du), S = (1 - gamma A)^-1, leaves
 *
 *   du - gamma (K (w + gamma P du) + D du + Z dz) = r_u,   w = N^+ S r_q,   P = N^+ S N
 *
 * and the equations of z (newton_z.h), which are eliminated in their turn. The dense matrix of u is factored by
 * SUNDIALS' own small routines: they are as fast as a BLAS up to an order of about 64, and leave the BLAS' threads
 * alone. */
#include <float.h>
#include <math.h>
#include <sundials/sundials_dense.h>

#include <cardan/derivatives.h>
#include <cardan/matter.h>

#include "integrators/newton.h"
#include "integrators/newton_z.h"
#include "integrators/stepper.h"
#include "system/system.h"

/* The q and u of a body that has some, or of everything where other subsystems move. */
typedef struct block {
  int q, nq, u, nu;
  bool turns;         /* A is not zero here */
  double *S, *P, *lu; /* nq x nq, nu x nu, nq x nq */
} block;

struct cdni_newton {
  int nq, nu, nz;
  bool analytic; /* all that moves are bodies */
  double gamma;
  double *by_q, *by_u;           /* dudot/dq and dudot/du, nu x nu */
  newton_z z;                    /* dudot/dz, and zdot */
  double *A, *N, *N_inv;         /* nq x nq, nq x nu, nu x nq */
  double *base, *at, *direction; /* ny numbers each, for differences */
  double **column;               /* of the factored matrix */
  double *w, *rest;              /* nu each */
  sunindextype *pivot;
  int n_blocks;
  block *blocks;
  void *memory;
  size_t size;
};

/* ---- memory ---- */

/* Which bodies move which coordinates, and the small matrices of each in the block; their number of doubles goes to
 * *at. */
static void divide_by_bodies(cdni_newton *m, const cdn_system *system, double *base, size_t *at) {
  m->n_blocks = 0;
  for (int32_t i = 1; i < cdn_system_body_count(system); i++) {
    cdn_body body = { i };
    block b = { .q = cdn_body_first_q(system, body),
                .nq = cdn_body_nq(system, body),
                .u = cdn_body_first_u(system, body),
                .nu = cdn_body_nu(system, body) };
    b.S = cdni_take(base, at, (size_t)(b.nq * b.nq)), b.lu = cdni_take(base, at, (size_t)(b.nq * b.nq));
    b.P = cdni_take(base, at, (size_t)(b.nu * b.nu));
    if (base && b.nu) m->blocks[m->n_blocks++] = b;
  }
}

/* Divides a block of doubles, or if that is NULL only counts them. */
static size_t divide(cdni_newton *m, const cdn_system *system, double *base) {
  size_t nq = (size_t)m->nq, nu = (size_t)m->nu, ny = nq + nu + (size_t)m->nz, at = 0;
  size_t bodies = (size_t)cdn_system_body_count(system);
  m->by_q = cdni_take(base, &at, nu * nu), m->by_u = cdni_take(base, &at, nu * nu);
  cdni_newton_z_divide(&m->z, m->nu, m->nz, base, &at);
  m->A = cdni_take(base, &at, nq * nq), m->N = cdni_take(base, &at, nq * nu), m->N_inv = cdni_take(base, &at, nu * nq);
  m->base = cdni_take(base, &at, ny), m->at = cdni_take(base, &at, ny), m->direction = cdni_take(base, &at, ny);
  m->w = cdni_take(base, &at, nu), m->rest = cdni_take(base, &at, nu);
  m->column = (double **)(void *)cdni_take(base, &at, nu);
  m->pivot = (sunindextype *)(void *)cdni_take(base, &at, nu);
  double *matrix = cdni_take(base, &at, nu * nu);
  m->blocks = (block *)(void *)cdni_take(base, &at, (bodies + 1) * sizeof(block) / sizeof(double));
  for (size_t j = 0; base && j < nu; j++) m->column[j] = matrix + j * nu;
  if (m->analytic) {
    divide_by_bodies(m, system, base, &at);
  } else if (base) {
    m->n_blocks = 1;
    m->blocks[0] = (block){ .nq = m->nq, .nu = m->nu };
  }
  return at;
}

cdn_status cdni_newton_create(cdn_stepper *s, cdni_newton **out) {
  cdni_newton *m = cdni_calloc(&s->allocator, sizeof *m);
  int nq = 0, nu = 0;
  *out = m;
  if (!m) return CDN_ERR_NOMEM;
  for (int32_t b = 1; b < cdn_system_body_count(s->system); b++) {
    nq += cdn_body_nq(s->system, (cdn_body){ b });
    nu += cdn_body_nu(s->system, (cdn_body){ b });
  }
  m->nq = s->nq, m->nu = s->nu, m->nz = s->nz;
  m->analytic = nq == s->nq && nu == s->nu;
  m->size = sizeof(double) * (divide(m, s->system, NULL) + 8);
  m->memory = cdni_calloc(&s->allocator, m->size);
  if (!m->memory) return CDN_ERR_NOMEM;
  divide(m, s->system, m->memory);
  return CDN_OK;
}

void cdni_newton_destroy(cdn_stepper *s, cdni_newton *m) {
  if (!m) return;
  if (m->memory) cdni_free(&s->allocator, m->memory, m->size);
  cdni_free(&s->allocator, m, sizeof *m);
}

/* ---- the Jacobian ---- */

/* N and N^+ of Systems in which others than bodies move; their qdot is taken as N u with a constant N. */
static cdn_status fill_N(cdn_stepper *s, cdni_newton *m) {
  double *unit = m->direction, *out = m->at;
  memset(m->A, 0, sizeof(double) * (size_t)m->nq * (size_t)m->nq);
  for (int inverse = 0; inverse < 2; inverse++) {
    int columns = inverse ? m->nq : m->nu, rows = inverse ? m->nu : m->nq;
    double *matrix = inverse ? m->N_inv : m->N;
    for (int k = 0; k < columns; k++) {
      memset(unit, 0, sizeof(double) * (size_t)columns);
      unit[k] = 1;
      CDNI_TRY(inverse ? cdni_state_multiply_by_N_inv(s->work, unit, out)
                       : cdni_state_multiply_by_N(s->work, unit, out));
      for (int i = 0; i < rows; i++) matrix[i * columns + k] = out[i];
    }
  }
  return CDN_OK;
}

/* Column k of dudot/dq, dudot/du or dudot/dz: rates at y plus a small step in a direction, less the rates at y. */
static cdn_status difference(cdn_stepper *s, cdni_newton *m, double t, const double *y, cdn_pool pool, int k) {
  int nq = m->nq, nu = m->nu, at = nq + k + (pool == CDN_POOL_Z ? nu : 0);
  double *matrix = pool == CDN_POOL_Q ? m->by_q : pool == CDN_POOL_U ? m->by_u : m->z.Z;
  int columns = pool == CDN_POOL_Z ? m->nz : nu;
  const double *weights = pool == CDN_POOL_Q   ? s->def.q_weights
                          : pool == CDN_POOL_U ? s->def.u_weights
                                               : s->def.z_weights;
  double unit = weights ? 1 / weights[k] : 1, small = sqrt(DBL_EPSILON), power, *rates = m->direction;
  memcpy(m->at, y, sizeof(double) * (size_t)s->ny);
  if (pool == CDN_POOL_Q) {
    small *= unit;
    for (int i = 0; i < nq; i++) m->at[i] += small * m->N[i * nu + k];
  } else {
    small *= fmax(unit, fabs(y[at]));
    m->at[at] += small;
    small = m->at[at] - y[at]; /* the step after rounding */
  }
  CDNI_TRY(cdni_evaluate(s, t, m->at, rates, &power));
  for (int i = 0; i < nu; i++) matrix[i * columns + k] = (rates[nq + i] - m->base[nq + i]) / small;
  return CDN_OK;
}

static bool is_zero(const cdni_newton *m, const block *b) {
  for (int i = 0; i < b->nq; i++) {
    for (int k = 0; k < b->nq; k++) {
      if (m->A[(b->q + i) * m->nq + b->q + k] != 0) return false;
    }
  }
  return true;
}

/* Values of prescribed slots are derived from their motions (8.3), so no rate depends on the numbers in these slots. */
static void leave_out_prescribed(const cdn_stepper *s, cdni_newton *m) {
  for (int l = 0; l < m->n_blocks; l++) {
    block *b = &m->blocks[l];
    if (b->nq && s->prescribed[b->q]) {
      for (int i = 0; i < b->nq; i++) memset(m->A + (b->q + i) * m->nq + b->q, 0, sizeof(double) * (size_t)b->nq);
      for (int i = 0; i < m->nu; i++) memset(m->by_q + i * m->nu + b->u, 0, sizeof(double) * (size_t)b->nu);
    }
    for (int k = b->u; k < b->u + b->nu; k++) {
      if (!s->prescribed[m->nq + k]) continue;
      for (int i = 0; i < m->nu; i++) m->by_u[i * m->nu + k] = 0;
      for (int i = b->q; i < b->q + b->nq; i++) m->N[i * m->nu + k] = 0;
      b->turns = true; /* N^+ N is not 1 any more */
    }
  }
}

cdn_status cdni_newton_evaluate(cdn_stepper *s, cdni_newton *m, double t, const double *y) {
  s->certificate.jacobians++;
  bool there = cdn_state_time(s->work) == t && memcmp(cdni_state_y(s->work), y, sizeof(double) * (size_t)s->ny) == 0;
  if (!there) CDNI_TRY(cdn_state_set_ty(s->work, t, y));
  CDNI_TRY(cdn_realize(s->work, CDN_STAGE_ACCELERATION));
  if (m->analytic && m->nu) CDNI_TRY(cdn_qdot_derivatives(s->work, m->A, m->N, m->N_inv));
  else CDNI_TRY(fill_N(s, m));
  if (m->analytic && m->nu)
    CDNI_TRY(cdn_forward_dynamics_derivatives(s->work, m->by_q, m->by_u, NULL, m->nz ? m->z.Z : NULL));
  if (!m->analytic) {
    memcpy(m->base, cdni_state_ydot(s->work), sizeof(double) * (size_t)s->ny);
    for (int k = 0; k < m->nu; k++) CDNI_TRY(difference(s, m, t, y, CDN_POOL_Q, k));
    for (int k = 0; k < m->nu; k++) CDNI_TRY(difference(s, m, t, y, CDN_POOL_U, k));
    for (int k = 0; k < m->nz; k++) CDNI_TRY(difference(s, m, t, y, CDN_POOL_Z, k));
    CDNI_TRY(cdn_state_set_ty(s->work, t, y));
  }
  CDNI_TRY(cdni_newton_z_evaluate(s, &m->z));
  for (int i = 0; i < m->n_blocks; i++) m->blocks[i].turns = !is_zero(m, &m->blocks[i]);
  if (m->analytic && s->n_prescribed_q + s->n_prescribed_u) leave_out_prescribed(s, m);
  return CDN_OK;
}

void cdni_newton_forget(cdni_newton *m) { cdni_newton_z_forget(&m->z); }

/* The part of row i of zdot that depends on udot, times column k of the matrix of udot. */
static double by_udot(const cdni_newton *m, int i, const double *matrix, int columns, int k) {
  double sum = 0;
  for (int l = 0; l < m->nu; l++) sum += m->z.by.W[i * m->nu + l] * matrix[l * columns + k];
  return sum;
}

/* A row of J by v, in the coordinates themselves. */
static void along_q(const cdni_newton *m, const double *by_v, double *row) {
  for (int k = 0; k < m->nq; k++) {
    row[k] = 0;
    for (int l = 0; l < m->nu; l++) row[k] += by_v[l] * m->N_inv[l * m->nq + k];
  }
}

void cdni_newton_jacobian(const cdni_newton *m, double *J) {
  const int nq = m->nq, nu = m->nu, nz = m->nz, ny = nq + nu + nz;
  double *by_v = m->rest;
  for (int i = 0; i < nq; i++) {
    for (int k = 0; k < nq; k++) J[i * ny + k] = m->A[i * nq + k];
    for (int k = 0; k < nu; k++) J[i * ny + nq + k] = m->N[i * nu + k];
    for (int k = 0; k < nz; k++) J[i * ny + nq + nu + k] = 0;
  }
  for (int i = 0; i < nu; i++) {
    double *row = J + (nq + i) * ny;
    along_q(m, m->by_q + i * nu, row);
    for (int k = 0; k < nu; k++) row[nq + k] = m->by_u[i * nu + k];
    for (int k = 0; k < nz; k++) row[nq + nu + k] = m->z.Z[i * nz + k];
  }
  for (int i = 0; i < nz; i++) {
    double *row = J + (nq + nu + i) * ny;
    for (int k = 0; k < nu; k++) {
      by_v[k] = m->z.by.G[i * nu + k] + by_udot(m, i, m->by_q, nu, k);
      row[nq + k] = m->z.by.H[i * nu + k] + by_udot(m, i, m->by_u, nu, k);
    }
    along_q(m, by_v, row);
    for (int k = 0; k < nz; k++) row[nq + nu + k] = m->z.by.L[i * nz + k] + by_udot(m, i, m->z.Z, nz, k);
  }
}

/* ---- factors ---- */

/* S and P of a block that turns. */
static bool factor_block(const cdni_newton *m, block *b) {
  enum { MOST = 7 }; /* coordinates of a body */
  double *column[MOST];
  sunindextype pivot[MOST];
  int n = b->nq;
  for (int k = 0; k < n; k++) {
    column[k] = b->lu + k * n;
    for (int i = 0; i < n; i++) column[k][i] = (i == k) - m->gamma * m->A[(b->q + i) * m->nq + b->q + k];
  }
  if (SUNDlsMat_denseGETRF(column, n, n, pivot) != 0) return false;
  for (int k = 0; k < n; k++) {
    double x[MOST] = { 0 };
    x[k] = 1;
    SUNDlsMat_denseGETRS(column, n, pivot, x);
    for (int i = 0; i < n; i++) b->S[i * n + k] = x[i];
  }
  for (int k = 0; k < b->nu; k++) {
    double x[MOST] = { 0 };
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) x[i] += b->S[i * n + j] * m->N[(b->q + j) * m->nu + b->u + k];
    }
    for (int i = 0; i < b->nu; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += m->N_inv[(b->u + i) * m->nq + b->q + j] * x[j];
      b->P[i * b->nu + k] = sum;
    }
  }
  return true;
}

/* Row i of a matrix by v, multiplied by the change of q that mobility k of a block causes. */
static double by_way_of_q(const block *b, const double *row, int k) {
  if (!b->turns) return row[b->u + k];
  double along = 0;
  for (int j = 0; j < b->nu; j++) along += row[b->u + j] * b->P[j * b->nu + k];
  return along;
}

bool cdni_newton_factor(cdni_newton *m, double gamma) {
  const int nu = m->nu;
  newton_z *z = &m->z;
  m->gamma = gamma;
  for (int l = 0; l < m->n_blocks; l++) {
    block *b = &m->blocks[l];
    if (b->turns && !factor_block(m, b)) return false;
    for (int k = 0; k < b->nu; k++) {
      double *column = m->column[b->u + k];
      for (int i = 0; i < nu; i++)
        column[i] =
            (i == b->u + k) - gamma * (m->by_u[i * nu + b->u + k] + gamma * by_way_of_q(b, m->by_q + i * nu, k));
    }
    for (int r = 0; r < z->n_row; r++) {
      const int row = z->row[r] * nu;
      for (int k = b->u; k < b->u + b->nu; k++)
        z->X[row + k] = z->by.W[row + k] + gamma * (z->by.H[row + k] + gamma * by_way_of_q(b, z->by.G + row, k - b->u));
    }
  }
  if (m->nz && !cdni_newton_z_factor(z, gamma)) return false;
  cdni_newton_z_eliminate(z, m->column);
  return nu == 0 || SUNDlsMat_denseGETRF(m->column, nu, nu, m->pivot) == 0;
}

double cdni_newton_gamma(const cdni_newton *m) { return m->gamma; }

/* x = S x on the q of a block. */
static void apply_S(const block *b, double *x) {
  double in[7];
  if (!b->turns) return;
  memcpy(in, x, sizeof(double) * (size_t)b->nq);
  for (int i = 0; i < b->nq; i++) {
    x[i] = 0;
    for (int k = 0; k < b->nq; k++) x[i] += b->S[i * b->nq + k] * in[k];
  }
}

void cdni_newton_solve(const cdni_newton *m, double *r) {
  const int nu = m->nu, nq = m->nq;
  double *x = m->rest;
  for (int l = 0; l < m->n_blocks; l++) {
    const block *b = &m->blocks[l];
    apply_S(b, r + b->q);
    for (int k = 0; k < b->nu; k++) {
      const double *row = m->N_inv + (b->u + k) * nq + b->q;
      double sum = 0;
      for (int i = 0; i < b->nq; i++) sum += row[i] * r[b->q + i];
      m->w[b->u + k] = sum;
    }
  }
  for (int i = 0; i < nu; i++) {
    double sum = 0;
    for (int k = 0; k < nu; k++) sum += m->by_q[i * nu + k] * m->w[k];
    x[i] = r[nq + i] + m->gamma * sum;
  }
  cdni_newton_z_reduce(&m->z, m->w, r + nq, r + nq + nu, x);
  if (nu) {
    SUNDlsMat_denseGETRS(m->column, nu, m->pivot, x);
    memcpy(r + nq, x, sizeof(double) * (size_t)nu);
  }
  cdni_newton_z_solve(&m->z, x, r + nq + nu);
  /* dq = S r_q + gamma S N du */
  for (int l = 0; l < m->n_blocks; l++) {
    const block *b = &m->blocks[l];
    double *step = m->direction + b->q;
    for (int i = 0; i < b->nq; i++) {
      const double *row = m->N + (b->q + i) * nu + b->u;
      step[i] = 0;
      for (int k = 0; k < b->nu; k++) step[i] += row[k] * x[b->u + k];
    }
    apply_S(b, step);
    for (int i = 0; i < b->nq; i++) r[b->q + i] += m->gamma * step[i];
  }
}
