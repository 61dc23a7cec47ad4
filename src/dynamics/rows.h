/* Rows on accelerations that subsystems provide, besides those of constraints. Private to the room. */
#ifndef CARDAN_DYNAMICS_ROWS_H
#define CARDAN_DYNAMICS_ROWS_H

#include "dynamics/internal.h"

/* One row, about M's origins. */
typedef struct provided_row {
  int32_t n_bodies, n_mobilities, body[CDN_ROW_MOST_BODIES], u[CDN_ROW_MOST_MOBILITIES];
  sv J[CDN_ROW_MOST_BODIES];
  double g[CDN_ROW_MOST_MOBILITIES];
  double bias, regularisation;
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

/* F -= J^T lambda, f -= g^T lambda of all rows. */
void cdni_rows_add_forces(const provided_rows *rows, const double *lambda, sv *F, double *f);
/* J A + g a of one row; a NULL: zero. */
double cdni_row_multiply(const provided_row *r, const sv *A, const double *a);
/* row_solve.c: lambda from the accelerations without the rows (d->A, d->udot). */
cdn_status cdni_rows_solve(const dynamics *dyn, cdn_state *state, const provided_rows *rows, const tree_data *d,
                           double *lambda);

#endif
