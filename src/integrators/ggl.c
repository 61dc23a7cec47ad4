/* The stabilized form in numbers: Newton's matrix without constraints, bordered by their directions and rows,
 *
 *   [ (1 - gamma J) / gamma  -D ] [ x ]   [ r ]
 *   [ C                       0 ] [ a ] = [ s ],
 *
 * is solved by the Schur complement C E, E = gamma (1 - gamma J)^-1 D. */
#include <float.h>
#include <math.h>
#include <sundials/sundials_dense.h>

#include <cardan/constraints.h>
#include <cardan/operators.h>

#include "integrators/ggl.h"
#include "integrators/newton.h"
#include "integrators/stepper.h"
#include "system/system.h"

/* An algebraic variable and its equation. */
typedef struct border {
  cdn_constraint of;
  int row, slot; /* of G; of qerr or uerr */
  bool velocity;
  bool in; /* its constraint is on, and it is not redundant */
} border;

struct cdni_ggl {
  int n, m, nq, nu, ny;
  border *borders;
  double *G, *by_q, *E; /* m x nu; v by positions, along the mobilities, n x nu; n columns of ny */
  double *rows, *speeds, *y, *moved, *across; /* m, nu, ny, nq and n numbers of scratch */
  double **column;                            /* of the factored complement */
  sunindextype *pivot;
  bool *redundant;
  void *memory;
  size_t size;
};

/* Divides a block of doubles, or if that is NULL only counts them. */
static size_t divide(cdni_ggl *g, double *base) {
  const size_t n = (size_t)g->n, m = (size_t)g->m, nu = (size_t)g->nu, ny = (size_t)g->ny;
  size_t at = 0;
  g->borders = (border *)(void *)cdni_take(base, &at, (n * sizeof(border) + 7) / 8);
  g->G = cdni_take(base, &at, m * nu), g->by_q = cdni_take(base, &at, n * nu), g->E = cdni_take(base, &at, n * ny);
  g->rows = cdni_take(base, &at, m), g->speeds = cdni_take(base, &at, nu), g->y = cdni_take(base, &at, ny);
  g->moved = cdni_take(base, &at, (size_t)g->nq), g->across = cdni_take(base, &at, n);
  g->column = (double **)(void *)cdni_take(base, &at, n);
  g->pivot = (sunindextype *)(void *)cdni_take(base, &at, n);
  g->redundant = (bool *)(void *)cdni_take(base, &at, m / 8 + 1);
  double *S = cdni_take(base, &at, n * n);
  for (size_t k = 0; base && k < n; k++) g->column[k] = S + k * n;
  return at;
}

static void list(cdni_ggl *g, const cdn_system *system) {
  int n = 0;
  for (int c = 0; c < cdn_system_constraint_count(system); c++) {
    const cdn_constraint_equations e = cdn_constraint_get_equations(system, (cdn_constraint){ c });
    for (int k = 0; k < e.np; k++) g->borders[n++] = (border){ .of = { c }, .row = e.row + k, .slot = e.qerr + k };
    for (int k = 0; k < e.np + e.nv; k++)
      g->borders[n++] = (border){ .of = { c }, .row = e.row + k, .slot = e.uerr + k, .velocity = true };
  }
}

cdn_status cdni_ggl_create(cdn_stepper *s, cdni_ggl **out) {
  *out = NULL;
  if (!s->projector) return CDN_OK;
  cdni_ggl *g = *out = cdni_calloc(&s->allocator, sizeof *g);
  if (!g) return CDN_ERR_NOMEM;
  for (int c = 0; c < cdn_system_constraint_count(s->system); c++) {
    const cdn_constraint_equations e = cdn_constraint_get_equations(s->system, (cdn_constraint){ c });
    g->n += 2 * e.np + e.nv;
  }
  g->m = cdn_system_nudoterr(s->system), g->nq = s->nq, g->nu = s->nu, g->ny = s->ny;
  g->size = sizeof(double) * divide(g, NULL);
  g->memory = cdni_calloc(&s->allocator, g->size);
  if (!g->memory) return CDN_ERR_NOMEM;
  divide(g, g->memory);
  list(g, s->system);
  return CDN_OK;
}

void cdni_ggl_destroy(cdn_stepper *s, cdni_ggl *g) {
  if (!g) return;
  if (g->memory) cdni_free(&s->allocator, g->memory, g->size);
  cdni_free(&s->allocator, g, sizeof *g);
}

int cdni_ggl_count(const cdni_ggl *g) { return g ? g->n : 0; }

cdn_status cdni_ggl_choose(cdn_stepper *s, cdni_ggl *g) {
  CDNI_TRY(cdn_redundant_equations(s->work, g->redundant, NULL));
  for (int i = 0; i < g->n; i++) {
    border *b = &g->borders[i];
    b->in = cdn_constraint_is_enabled(s->work, b->of) && !g->redundant[b->row];
  }
  return CDN_OK;
}

/* ---- residuals ---- */

/* The algebraic variables do not change prescribed speeds (8.4). */
static void leave_prescribed(const cdn_stepper *s, double *speeds) {
  for (int k = 0; k < s->nu; k++) speeds[k] = s->prescribed[s->nq + k] ? 0 : speeds[k];
}

/* speeds = G^T of the algebraic variables of one kind. */
static cdn_status push(cdn_stepper *s, cdni_ggl *g, bool velocity, const double *algebraic) {
  memset(g->rows, 0, sizeof(double) * (size_t)g->m);
  for (int i = 0; i < g->n; i++) {
    const border *b = &g->borders[i];
    if (b->in && b->velocity == velocity) g->rows[b->row] += algebraic[i];
  }
  return cdn_multiply_by_G_transpose(s->work, g->rows, g->speeds);
}

cdn_status cdni_ggl_add_rates(cdn_stepper *s, cdni_ggl *g, const double *algebraic, double *ydot) {
  CDNI_TRY(push(s, g, false, algebraic));
  leave_prescribed(s, g->speeds);
  CDNI_TRY(cdni_state_multiply_by_N(s->work, g->speeds, g->y));
  for (int i = 0; i < g->nq; i++) ydot[i] += g->y[i];
  CDNI_TRY(push(s, g, true, algebraic));
  CDNI_TRY(cdn_multiply_by_M_inv(s->work, g->speeds, g->y));
  for (int i = 0; i < g->nu; i++) ydot[g->nq + i] += g->y[i];
  return CDN_OK;
}

cdn_status cdni_ggl_residual(cdn_stepper *s, const cdni_ggl *g, const double *algebraic, double *residual) {
  const double *qerr = cdn_state_qerr(s->work), *uerr = cdn_state_uerr(s->work);
  if (!qerr || !uerr) {
    cdn_error error;
    cdn_state_last_error(s->work, &error);
    return error.code;
  }
  for (int i = 0; i < g->n; i++) {
    const border *b = &g->borders[i];
    residual[i] = !b->in ? algebraic[i] : b->velocity ? uerr[b->slot] : qerr[b->slot];
  }
  return CDN_OK;
}

/* ---- Newton's equations ---- */

/* out[i] = C_i x for each equation i that is in use, 0 for the others. */
static cdn_status multiply_by_rows(cdn_stepper *s, cdni_ggl *g, const double *x, double *out) {
  CDNI_TRY(cdni_state_multiply_by_N_inv(s->work, x, g->speeds));
  for (int i = 0; i < g->n; i++) {
    const border *b = &g->borders[i];
    const double *row = g->G + (size_t)b->row * (size_t)g->nu, *by_q = g->by_q + (size_t)i * (size_t)g->nu;
    double sum = 0;
    for (int k = 0; b->in && k < g->nu; k++)
      sum += b->velocity ? row[k] * x[g->nq + k] + by_q[k] * g->speeds[k] : row[k] * g->speeds[k];
    out[i] = sum;
  }
  return CDN_OK;
}

/* How velocity errors vary with positions, by differences: they cost no dynamics. */
static cdn_status difference(cdn_stepper *s, cdni_ggl *g) {
  const double small = sqrt(DBL_EPSILON);
  double *q = g->y, *there = g->across;
  memcpy(q, cdni_state_y(s->work), sizeof(double) * (size_t)g->ny);
  CDNI_TRY(cdni_ggl_residual(s, g, there, there));
  for (int i = 0; i < g->n; i++)
    for (int k = 0; k < g->nu; k++) g->by_q[i * g->nu + k] = -there[i] / small;
  cdn_status status = CDN_OK;
  for (int k = 0; k < g->nu && status == CDN_OK; k++) {
    memset(g->speeds, 0, sizeof(double) * (size_t)g->nu);
    g->speeds[k] = small;
    status = cdni_state_multiply_by_N(s->work, g->speeds, g->moved);
    for (int i = 0; i < g->nq; i++) g->moved[i] += q[i];
    if (status == CDN_OK) status = cdn_state_set_q(s->work, g->moved);
    if (status == CDN_OK) status = cdni_ggl_residual(s, g, there, there);
    for (int i = 0; i < g->n && status == CDN_OK; i++) g->by_q[i * g->nu + k] += there[i] / small;
    if (status == CDN_OK) status = cdn_state_set_q(s->work, q);
  }
  return status;
}

cdn_status cdni_ggl_factor(cdn_stepper *s, cdni_ggl *g, const cdni_newton *newton, double gamma, bool *singular) {
  CDNI_TRY(difference(s, g));
  CDNI_TRY(cdn_calc_G(s->work, g->G));
  for (int k = 0; k < g->n; k++) {
    const border *b = &g->borders[k];
    double *E = g->E + (size_t)k * (size_t)g->ny, *row = g->G + (size_t)b->row * (size_t)g->nu;
    if (g->ny) memset(E, 0, sizeof(double) * (size_t)g->ny);
    if (b->in && b->velocity) CDNI_TRY(cdn_multiply_by_M_inv(s->work, row, E + g->nq));
    if (b->in && !b->velocity) {
      memcpy(g->speeds, row, sizeof(double) * (size_t)g->nu);
      leave_prescribed(s, g->speeds);
      CDNI_TRY(cdni_state_multiply_by_N(s->work, g->speeds, E));
    }
    cdni_newton_solve(newton, E);
    for (int i = 0; i < g->ny; i++) E[i] *= gamma;
    CDNI_TRY(multiply_by_rows(s, g, E, g->column[k]));
    if (!b->in) g->column[k][k] = 1;
  }
  *singular = g->n && SUNDlsMat_denseGETRF(g->column, g->n, g->n, g->pivot) != 0;
  return CDN_OK;
}

cdn_status cdni_ggl_solve(cdn_stepper *s, cdni_ggl *g, double *x, double *algebraic) {
  CDNI_TRY(multiply_by_rows(s, g, x, g->across));
  for (int i = 0; i < g->n; i++) algebraic[i] -= g->across[i];
  if (g->n) SUNDlsMat_denseGETRS(g->column, g->n, g->pivot, algebraic);
  for (int k = 0; k < g->n; k++) {
    const double *E = g->E + (size_t)k * (size_t)g->ny;
    for (int i = 0; i < g->ny; i++) x[i] += E[i] * algebraic[k];
  }
  return CDN_OK;
}
