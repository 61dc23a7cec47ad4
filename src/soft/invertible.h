/* Contact that has an inverse, in contact space: what the files of this folder share, and what studies use. */
#ifndef CARDAN_SOFT_INVERTIBLE_H
#define CARDAN_SOFT_INVERTIBLE_H

#include <cardan/invertible.h>

#include "core/core.h"
#include "math/kernel_sets.h"

/* ---- numbers of a problem (invertible.c) ---- */

static inline int invertible_rows(const cdn_invertible_problem *p) { return p->n_limits + 3 * p->n_contacts; }
static inline int invertible_normals(const cdn_invertible_problem *p) { return p->n_limits + p->n_contacts; }
/* The row of normal i: of a limit, or of a contact. */
static inline int invertible_normal_row(const cdn_invertible_problem *p, int i) {
  return i < p->n_limits ? i : p->n_limits + 3 * (i - p->n_limits) + 2;
}

cdn_status cdni_invertible_read_problem(const char *function, cdn_invertible_problem *to,
                                        const cdn_invertible_problem *from);
cdn_status cdni_invertible_read_law(const char *function, cdn_invertible_law *to, const cdn_invertible_law *from);
/* Refuses R, mu and v_min that no problem may have. */
cdn_status cdni_invertible_check_rows(const char *function, const cdn_invertible_problem *p);
/* Tells which of n numbers is not finite, by its row's name. */
cdn_status cdni_invertible_not_finite(const char *function, const cdn_invertible_problem *p, const char *what,
                                      const double *x);
/* "limit 3" or "contact 1", of normal i. */
enum { INVERTIBLE_NAME_SIZE = 32 };
const char *cdni_invertible_name(const cdn_invertible_problem *p, int i, char out[INVERTIBLE_NAME_SIZE]);

/* The law's numbers at a distance; the law is right. */
double cdni_invertible_R(const cdn_invertible_law *law, double w, double *derivative);
double cdni_invertible_v_min(const cdn_invertible_law *law, double w, double h, double *derivative);

/* ---- the barrier against penetration, (16) and (25) ---- */

/* First and second derivative of d_V at s = v - v_min. q = 0: the logarithm alone, for s > 0. */
static inline void invertible_barrier(double kappa, double q, double s, double *first, double *second) {
  const double s0 = q > 0 ? kappa / q : 0;
  if (s >= s0 && s > 0) *first = -kappa / s, *second = kappa / (s * s);
  else *second = q / s0, *first = -q - *second * (s0 - s);
}

/* ---- kernels (invertible_kernel.c) ---- */

/* The numbers of one contact, one block of lanes each: gradient (three), R (three), mu, kappa. */
enum { INVERTIBLE_IN = 8, INVERTIBLE_OUT = 3 };
typedef struct invertible_kernels {
  int lanes;
  /* f of one contact in each lane: the least of 1/2 f^T R f + g^T f - kappa log(mu^2 f_n^2 - |f_t|^2) - kappa log
   * f_n. */
  void (*contacts)(const double *in, double *out);
  /* g += sum of y[k] times row rows[k] of A, n numbers a row */
  void (*add_rows)(int n, const double *A, int n_rows, const int32_t *rows, const double *y, double *g);
} invertible_kernels;
extern const invertible_kernels *const cdni_invertible_kernels[KERNEL_SET_COUNT];

#endif
