/* LAPACK's drivers, through the interface of LAPACKE that allocates nothing. */
#include "math/dense.h"

#include <lapacke.h>

static int smaller(int a, int b) { return a < b ? a : b; }
/* Leading dimensions are 1 at least. */
static int leading(int n) { return n > 0 ? n : 1; }
static size_t asked_for(double best) { return best >= 1 ? (size_t)best : 1; }

size_t cdni_svd_work(int m, int n) {
  double best = 0, none = 0;
  LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'S', 'A', m, n, &none, leading(m), &none, &none, leading(m), &none, leading(n),
                      &best, -1);
  return asked_for(best);
}

/* LAPACK leaves V alone where A is empty: it is the identity then. */
static void set_identity(int n, double *A) {
  for (int k = 0; k < n * n; k++) A[k] = k % (n + 1) == 0;
}

bool cdni_svd(int m, int n, double *A, double *s, double *U, double *VT, double *work) {
  if (smaller(m, n) == 0) {
    set_identity(n, VT);
    return true;
  }
  return LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'S', 'A', m, n, A, leading(m), s, U, leading(m), VT, leading(n), work,
                             (lapack_int)cdni_svd_work(m, n)) == 0;
}

int cdni_svd_rank(int n, const double *s) {
  int rank = 0;
  while (rank < n && s[rank] > 3e-6 * s[0]) rank++;
  return rank;
}

size_t cdni_symmetric_eigen_work(int n) {
  double best = 0, none = 0;
  LAPACKE_dsygv_work(LAPACK_COL_MAJOR, 1, 'V', 'L', n, &none, leading(n), &none, leading(n), &none, &best, -1);
  return asked_for(best);
}

int cdni_symmetric_eigen(int n, double *K, double *B, double *w, double *work) {
  if (n == 0) return 0;
  const int info = LAPACKE_dsygv_work(LAPACK_COL_MAJOR, 1, 'V', 'L', n, K, n, B, n, w, work,
                                      (lapack_int)cdni_symmetric_eigen_work(n));
  return info > n ? info - n : info == 0 ? 0 : n + 1;
}

/* Rows and columns are exchanged (P), not scaled: scaling lets entries that are rounding grow until eigenvectors have
 * no digits (Watkins 2006, A case where balancing is harmful). `scale` has n numbers. */
static int eigen(int n, double *A, double *re, double *im, double *V, double *scale, double *work, int size) {
  double none = 0, norm;
  lapack_int first, end, no_numbers;
  return LAPACKE_dgeevx_work(LAPACK_COL_MAJOR, 'P', 'N', 'V', 'N', n, A, leading(n), re, im, &none, 1, V, leading(n),
                             &first, &end, scale, &norm, &none, &none, work, size, &no_numbers);
}

size_t cdni_eigen_work(int n) {
  double best = 0, none = 0;
  eigen(n, &none, &none, &none, &none, &none, &best, -1);
  return (size_t)n + asked_for(best);
}

bool cdni_eigen(int n, double *A, double *re, double *im, double *V, double *work) {
  return n == 0 || eigen(n, A, re, im, V, work, work + n, (int)cdni_eigen_work(n) - n) == 0;
}
