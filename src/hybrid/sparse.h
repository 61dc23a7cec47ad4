/* Rows of numbers most of which are zero. Private to the room. */
#ifndef CARDAN_HYBRID_SPARSE_H
#define CARDAN_HYBRID_SPARSE_H

#include "core/core.h"

/* Row r has value[k] in column[k], in rising order, for k from first[r] to first[r + 1]. */
typedef struct sparse_rows {
  const cdn_allocator *allocator;
  int rows;
  cdni_array firsts, columns, values; /* int, int, double: what follows points into them */
  int *first, *column;
  double *value;
} sparse_rows;

void cdni_sparse_begin(sparse_rows *s, const cdn_allocator *allocator);
void cdni_sparse_free(sparse_rows *s);
/* Adds a row of n columns, in rising order, whose numbers are written afterwards, to *to. False: out of memory. */
bool cdni_sparse_add(sparse_rows *s, int n, const int *columns, double **to);
/* Adds a row with what is not zero of n numbers. */
bool cdni_sparse_add_dense(sparse_rows *s, int n, const double *row);
double cdni_sparse_at(const sparse_rows *s, int r, int column);
/* The product of row r with x; x += by times row r. */
double cdni_sparse_dot(const sparse_rows *s, int r, const double *x);
void cdni_sparse_add_to(const sparse_rows *s, int r, double by, double *x);
/* W = the symmetric part of G X^T, with all of its diagonal; rows of G and X have n columns. */
bool cdni_sparse_multiply(const sparse_rows *G, const sparse_rows *X, int n, sparse_rows *W);

#endif
