/* Newton's equations of auxiliary states, in the blocks that their Jacobian has. */
#include <float.h>
#include <math.h>
#include <sundials/sundials_dense.h>

#include "dynamics/zdot.h"
#include "integrators/newton_z.h"
#include "integrators/stepper.h"

/* n things of some size. */
static void *take_bytes(double *base, size_t *at, size_t n, size_t size) {
  return cdni_take(base, at, (n * size + sizeof(double) - 1) / sizeof(double));
}

void cdni_newton_z_divide(newton_z *z, int nu_, int nz_, double *base, size_t *at) {
  const size_t nu = (size_t)nu_, nz = (size_t)nz_, columns = 2 * nu + nz;
  z->nu = nu_, z->nz = nz_;
  if (nz == 0) return;
  z->by.G = cdni_take(base, at, nz * nu), z->by.H = cdni_take(base, at, nz * nu);
  z->by.W = cdni_take(base, at, nz * nu), z->by.L = cdni_take(base, at, nz * nz);
  z->Z = cdni_take(base, at, nu * nz), z->Z_columns = cdni_take(base, at, nu * nz);
  z->step = cdni_take(base, at, columns);
  z->groups.group = take_bytes(base, at, columns, sizeof(int));
  z->groups.varies = take_bytes(base, at, columns * nz, sizeof(bool));
  z->groups.taken = take_bytes(base, at, nz, sizeof(bool));
  z->some_of_by = take_bytes(base, at, 2 * nz, sizeof(int));
  z->some_of_X = take_bytes(base, at, 2 * nz, sizeof(int));
  z->first = take_bytes(base, at, nz + 1, sizeof(int));
  z->member = take_bytes(base, at, nz, sizeof(int));
  z->parent = take_bytes(base, at, nz, sizeof(int));
  z->row = take_bytes(base, at, nz, sizeof(int));
  z->moved = take_bytes(base, at, nz, sizeof(bool));
  z->lu = cdni_take(base, at, nz * nz), z->X = cdni_take(base, at, nz * nu);
  z->part = cdni_take(base, at, nz), z->dz = cdni_take(base, at, nz);
  z->column = take_bytes(base, at, nz, sizeof(double *));
  z->pivot = take_bytes(base, at, nz, sizeof(sunindextype));
}

void cdni_newton_z_forget(newton_z *z) {
  const size_t columns = 2 * (size_t)z->nu + (size_t)z->nz;
  z->groups.n = 0;
  if (z->nz) memset(z->groups.varies, 0, columns * (size_t)z->nz * sizeof(bool));
}

/* ---- the Jacobian ---- */

/* The first z of the group that z number i belongs to. */
static int root(int *parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/* z that vary with each other, directly or by way of others, are one block. */
static void find_blocks(newton_z *z) {
  const int nz = z->nz;
  for (int i = 0; i < nz; i++) z->parent[i] = i;
  for (int i = 0; i < nz; i++) {
    const double *row = z->by.L + (size_t)i * (size_t)nz;
    for (int k = 0; k < nz; k++) {
      if (row[k] == 0 || k == i) continue;
      const int a = root(z->parent, i), b = root(z->parent, k);
      if (a < b) z->parent[b] = a;
      else z->parent[a] = b;
    }
  }
  int n = 0;
  z->n_blocks = 0;
  for (int i = 0; i < nz; i++) {
    if (z->parent[i] != i) continue;
    z->first[z->n_blocks++] = n;
    for (int k = i; k < nz; k++)
      if (k == i || root(z->parent, k) == i) z->member[n++] = k;
  }
  z->first[z->n_blocks] = n;
}

/* Where n numbers, or n others, are not zero: from some[0] to some[1]. */
static void find_some(const double *x, const double *others, int n, int *some) {
  int first = 0, end = n;
  while (first < end && x[first] == 0 && others[first] == 0) first++;
  while (end > first && x[end - 1] == 0 && others[end - 1] == 0) end--;
  some[0] = first, some[1] = end;
}

/* Most places of a memory are empty: bodies move nothing in them. */
static void find_moved(newton_z *z) {
  const size_t nu = (size_t)z->nu;
  z->n_row = 0;
  for (int b = 0; b < z->n_blocks; b++) {
    bool moved = false;
    for (int i = z->first[b]; i < z->first[b + 1] && !moved; i++) {
      const size_t row = (size_t)z->member[i] * nu;
      for (size_t k = row; k < row + nu && !moved; k++) moved = z->by.G[k] != 0 || z->by.H[k] != 0 || z->by.W[k] != 0;
    }
    z->moved[b] = moved;
    for (int i = z->first[b]; i < z->first[b + 1]; i++) {
      const int member = z->member[i];
      if (moved) z->row[z->n_row++] = member;
      else memset(z->X + (size_t)member * nu, 0, nu * sizeof *z->X);
    }
  }
}

/* A step as large as makes rounding and curvature alike, in the units of the error norm. */
static void choose_steps(const cdn_stepper *s, newton_z *z) {
  const double small = sqrt(DBL_EPSILON), *u = cdn_state_u(s->work), *aux = cdn_state_z(s->work);
  const double *weights_q = s->def.q_weights, *weights_u = s->def.u_weights, *weights_z = s->def.z_weights;
  for (int k = 0; k < z->nu; k++) {
    z->step[k] = small * (weights_q ? 1 / weights_q[k] : 1);
    z->step[z->nu + k] = small * fmax(weights_u ? 1 / weights_u[k] : 1, fabs(u[k]));
  }
  for (int k = 0; k < z->nz; k++) z->step[2 * z->nu + k] = small * fmax(weights_z ? 1 / weights_z[k] : 1, fabs(aux[k]));
}

cdn_status cdni_newton_z_evaluate(cdn_stepper *s, newton_z *z) {
  if (z->nz == 0) return CDN_OK;
  choose_steps(s, z);
  CDNI_TRY(cdni_zdot_differentiate(s->work, "cdn_stepper_advance", z->step, &z->groups, &z->by));
  for (int i = 0; i < z->nu; i++)
    for (int k = 0; k < z->nz; k++) z->Z_columns[k * z->nu + i] = z->Z[i * z->nz + k];
  for (int i = 0; i < z->nz; i++) find_some(z->by.G + i * z->nu, z->by.W + i * z->nu, z->nu, z->some_of_by + 2 * i);
  find_blocks(z);
  find_moved(z);
  return CDN_OK;
}

/* ---- factors ---- */

/* The part of a vector of nz, or of a column of a matrix, that a block is about. */
static void gather(const newton_z *z, int b, const double *x, int stride) {
  const int *member = z->member + z->first[b], n = z->first[b + 1] - z->first[b];
  for (int i = 0; i < n; i++) z->part[i] = x[(size_t)member[i] * (size_t)stride];
}

static void scatter(const newton_z *z, int b, double *x, int stride) {
  const int *member = z->member + z->first[b], n = z->first[b + 1] - z->first[b];
  for (int i = 0; i < n; i++) x[(size_t)member[i] * (size_t)stride] = z->part[i];
}

/* part = (1 - gamma L_b)^-1 part */
static void solve_block(const newton_z *z, int b) {
  const int first = z->first[b], n = z->first[b + 1] - first;
  if (n == 1) z->part[0] /= *z->column[first];
  else SUNDlsMat_denseGETRS(z->column + first, n, z->pivot + first, z->part);
}

static bool factor_block(newton_z *z, int b, double *lu) {
  const int first = z->first[b], n = z->first[b + 1] - first, *member = z->member + first;
  for (int k = 0; k < n; k++) {
    double *column = z->column[first + k] = lu + (size_t)k * (size_t)n;
    for (int i = 0; i < n; i++)
      column[i] = (i == k) - z->gamma * z->by.L[(size_t)member[i] * (size_t)z->nz + (size_t)member[k]];
  }
  if (n == 1) return *lu != 0;
  return SUNDlsMat_denseGETRF(z->column + first, n, n, z->pivot + first) == 0;
}

bool cdni_newton_z_factor(newton_z *z, double gamma) {
  double *lu = z->lu;
  z->gamma = gamma;
  for (int b = 0; b < z->n_blocks; b++) {
    const int n = z->first[b + 1] - z->first[b];
    if (!factor_block(z, b, lu)) return false;
    lu += (size_t)n * (size_t)n;
    for (int k = 0; z->moved[b] && k < z->nu; k++) {
      bool any = false;
      gather(z, b, z->X + k, z->nu);
      for (int i = 0; i < n; i++) any = any || z->part[i] != 0;
      if (!any) continue;
      solve_block(z, b);
      scatter(z, b, z->X + k, z->nu);
    }
  }
  for (int i = 0; i < z->nz; i++) find_some(z->X + i * z->nu, z->X + i * z->nu, z->nu, z->some_of_X + 2 * i);
  return true;
}

void cdni_newton_z_eliminate(const newton_z *z, double **matrix) {
  for (int j = 0; j < z->nz; j++) {
    const double *Z = z->Z_columns + (size_t)j * (size_t)z->nu, *X = z->X + (size_t)j * (size_t)z->nu;
    for (int k = z->some_of_X[2 * j]; k < z->some_of_X[2 * j + 1]; k++) {
      const double x = z->gamma * X[k];
      double *column = matrix[k];
      if (x == 0) continue;
      for (int i = 0; i < z->nu; i++) column[i] -= x * Z[i];
    }
  }
}

/* ---- solutions ---- */

void cdni_newton_z_reduce(const newton_z *z, const double *w, const double *r_u, const double *r_z, double *u) {
  for (int i = 0; i < z->nz; i++) {
    const double *G = z->by.G + (size_t)i * (size_t)z->nu, *W = z->by.W + (size_t)i * (size_t)z->nu;
    double along = 0, less = 0;
    for (int k = z->some_of_by[2 * i]; k < z->some_of_by[2 * i + 1]; k++) along += G[k] * w[k], less += W[k] * r_u[k];
    z->dz[i] = r_z[i] + z->gamma * along - less;
  }
  for (int b = 0; b < z->n_blocks; b++) {
    gather(z, b, z->dz, 1);
    solve_block(z, b);
    scatter(z, b, z->dz, 1);
  }
  for (int j = 0; j < z->nz; j++) {
    const double *Z = z->Z_columns + (size_t)j * (size_t)z->nu, x = z->gamma * z->dz[j];
    for (int i = 0; x != 0 && i < z->nu; i++) u[i] += x * Z[i];
  }
}

void cdni_newton_z_solve(const newton_z *z, const double *du, double *r_z) {
  for (int i = 0; i < z->nz; i++) {
    const double *X = z->X + (size_t)i * (size_t)z->nu;
    double sum = z->dz[i];
    for (int k = z->some_of_X[2 * i]; k < z->some_of_X[2 * i + 1]; k++) sum += X[k] * du[k];
    r_z[i] = sum;
  }
}
