/* The condition of a mass matrix, free of units. */
#ifndef CARDAN_TESTS_CONDITION_H
#define CARDAN_TESTS_CONDITION_H

#ifdef __cplusplus
extern "C" {
#endif

/** Writes root[i] = sqrt(M[i][i]), replaces M (n x n, symmetric) by its scaled form of unit diagonal, of which only
 *  rubbish remains, and returns that form's condition number; negative if M is not positive definite. */
double scaled_condition(double *M, int n, double *root);

#ifdef __cplusplus
}
#endif
#endif
