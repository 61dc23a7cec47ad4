/* The inverse of Todorov 2011 in the paper's form: Newton's method on (23) in all rows at once, with a Cholesky
 * factorization of the n x n Hessian in each iteration. To compare with, in tests and in the benchmark. */
#ifndef CARDAN_TESTS_DENSE_INVERSE_H
#define CARDAN_TESTS_DENSE_INVERSE_H

#include <cardan/invertible.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Room for n rows. */
size_t dense_inverse_work(int n);
/* f, and c = v - A f, of v; returns the number of Newton steps, or -1. */
int dense_inverse(const cdn_invertible_problem *p, const double *v, double *f, double *c, double *work);

#ifdef __cplusplus
}
#endif
#endif
