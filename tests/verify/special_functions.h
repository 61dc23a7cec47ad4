/* shared by tests in this folder */
/* Elliptic integrals and Jacobi's elliptic functions, by the parameter m = k^2, 0 <= m < 1. */
#ifndef CARDAN_TESTS_SPECIAL_FUNCTIONS_H
#define CARDAN_TESTS_SPECIAL_FUNCTIONS_H

/* Complete integral of the first kind, from the arithmetic-geometric mean (DLMF 19.8.5). */
double complete_K(double m);
/* Carlson's symmetric integral of the first kind by duplication (Carlson 1979; DLMF 19.36.1). */
double carlson_RF(double x, double y, double z);
/* Incomplete integral F(phi | m), |phi| <= pi/2. */
double incomplete_F(double phi, double m);

typedef struct jacobi {
  double sn, cn, dn, am;
} jacobi;
/* sn, cn, dn and the amplitude at u, by descending Landen steps (DLMF 22.20(ii)). */
jacobi jacobi_functions(double u, double m);

#endif
