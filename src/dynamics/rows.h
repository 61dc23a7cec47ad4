/* Rows on accelerations that subsystems provide, besides those of constraints. Private to the room. */
#ifndef CARDAN_DYNAMICS_ROWS_H
#define CARDAN_DYNAMICS_ROWS_H

#include "dynamics/internal.h"

/* One row, about M's origins. */
typedef struct provided_row {
  int32_t n_bodies, n_mobilities, body[CDN_ROW_MOST_BODIES], u[CDN_ROW_MOST_MOBILITIES];
  sv J[CDN_ROW_MOST_BODIES];
  double g[CDN_ROW_MOST_MOBILITIES];
  double bias, regularisation, lower, upper;
  int32_t weight; /* for the six rows of a weight: which of them this is; else -1 */
  double W[6];    /* this row of W */
} provided_row;

/* The target of providers. */
struct cdn_row_list {
  cdn_state *state;
  const dynamics *dynamics;
  int32_t n, first, most; /* all rows so far; first row and most rows of the present provider */
  cdn_status mistake;
  const char *why;
  provided_row *row;
};

/* All rows of a State. */
typedef struct provided_rows {
  int32_t n;
  const provided_row *row;
} provided_rows;
cdn_status cdni_rows_evaluate(const dynamics *d, cdn_state *state, provided_rows *rows);
/* How many there are; none without a provider. */
cdn_status cdni_rows_count(const dynamics *d, cdn_state *state, int *n);

/* F -= J^T lambda, f -= g^T lambda of all rows. */
void cdni_rows_add_forces(const provided_rows *rows, const double *lambda, sv *F, double *f);
/* J A + g a of one row; a NULL: zero. */
double cdni_row_multiply(const provided_row *r, const sv *A, const double *a);
/* row_solve.c: lambda from the accelerations without the rows (d->A, d->udot), and for each row whether it holds, or
 * a bound does (cdni_box_side). */
cdn_status cdni_rows_solve(const dynamics *dyn, cdn_state *state, const provided_rows *rows, const tree_data *d,
                           double *lambda, int32_t *side);
/* Several matrices of derivatives, one column for each variable, of what a row must be beside udot: see row_solve.c. */
typedef struct row_variation {
  int columns;
  const double *change; /* n x columns; NULL: zero */
  /* nu x columns, and equations of the constraints x columns (may be NULL): without the rows on entry, with them on
   * return. */
  double *udot, *lambda;
} row_variation;
cdn_status cdni_rows_vary(const dynamics *dyn, cdn_state *state, const char *function, int n, const row_variation *x);
/* row_derivatives.c: what rows add to the derivatives of tau at constant multipliers, and how their equations
 * change, by differences. */
typedef struct row_changes {
  double *by[3]; /* by q, u, z: n rows; NULL: not wanted */
} row_changes;
cdn_status cdni_rows_differentiate(const dynamics *dyn, struct derivative_pass *p, double *dz,
                                   const row_changes *changes);

#endif
