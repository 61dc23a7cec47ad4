/* Small linear systems in long double. */
#ifndef CARDAN_ACCURACY_ELIMINATION_H
#define CARDAN_ACCURACY_ELIMINATION_H

/* A x = b by Gauss with pivots from columns; A (n x n, row by row) is destroyed, b becomes x. */
void eliminate(int n, long double *A, long double *b);

#endif
