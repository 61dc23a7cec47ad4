#include "condition.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

double scaled_condition(double *M, int n, double *root) {
  if (n == 0) return 1;
  for (int i = 0; i < n; i++) root[i] = sqrt(M[i * n + i]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) M[i * n + j] /= root[i] * root[j];
  double *eigenvalues = malloc((size_t)n * sizeof *eigenvalues);
  double condition = -1;
  if (eigenvalues && LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', n, M, n, eigenvalues) == 0 && eigenvalues[0] > 0)
    condition = eigenvalues[n - 1] / eigenvalues[0];
  free(eigenvalues);
  return condition;
}
