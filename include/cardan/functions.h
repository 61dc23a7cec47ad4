/* Cardan: scalar functions of a few variables, with derivatives: what function-based mobilizers are made of.
 *
 * A function is immutable and counted: create, give to whoever needs it (who retains it), release. Threads may share it. */
#ifndef CARDAN_FUNCTIONS_H
#define CARDAN_FUNCTIONS_H

#include <cardan/base.h>

CDN_BEGIN_DECLS

typedef struct cdn_function cdn_function;

enum { CDN_FUNCTION_MOST_INPUTS = 6 };

/** A function's value and partial derivatives at x, by n inputs: d1[i], d2[i n + j], d3[(i n + j) n + k], symmetric. It never
 *  changes. */
typedef struct cdn_function_result {
  double value;
  double d1[CDN_FUNCTION_MOST_INPUTS];
  double d2[CDN_FUNCTION_MOST_INPUTS * CDN_FUNCTION_MOST_INPUTS];
  double d3[CDN_FUNCTION_MOST_INPUTS * CDN_FUNCTION_MOST_INPUTS * CDN_FUNCTION_MOST_INPUTS];
} cdn_function_result;

/** A function of the user's. `self` is a private copy. */
typedef struct cdn_function_ops {
  uint32_t struct_size;
  const char *name; /**< what checkpoints tell it from others by; copied; may be NULL */
  size_t self_size; /**< bytes of the private part */
  int n_inputs;     /**< 0 to CDN_FUNCTION_MOST_INPUTS */
  /** Fills `out` up to the derivatives of `order` (0 to 3), all its entries: what is not written is zero. A function
   *  whose third derivative is unknown returns CDN_ERR_UNSUPPORTED for order 3. */
  cdn_status (*calc)(const void *self, const double *x, int order, cdn_function_result *out);
  void (*destroy)(void *self); /**< may be NULL */
} cdn_function_ops;

/* Each returns a function with one reference, or NULL: out of memory, or arguments that make no function. */

CDN_API cdn_function *cdn_function_create(const cdn_function_ops *ops, const void *self);
/** The number c, of no inputs. */
CDN_API cdn_function *cdn_function_constant(double c);
/** a[0] x[0] + ... + a[n-1] x[n-1] + c, n = 1 to 6. */
CDN_API cdn_function *cdn_function_linear(int n, const double *a, double c);
/** a[0] x^(n-1) + ... + a[n-1]: n coefficients, n >= 1, highest power first. One input. */
CDN_API cdn_function *cdn_function_polynomial(int n, const double *a);
/** The natural cubic spline through n >= 2 points with strictly increasing x: second derivative zero at both ends,
 *  straight beyond them. One input. */
CDN_API cdn_function *cdn_function_natural_spline(int n, const double *x, const double *y);

CDN_API void cdn_function_retain(const cdn_function *f);  /**< thread-safe */
CDN_API void cdn_function_release(const cdn_function *f); /**< NULL is allowed */
CDN_API int cdn_function_n_inputs(const cdn_function *f);
/** Evaluates up to derivatives of `order` 0 to 3. */
CDN_API cdn_status cdn_function_calc(const cdn_function *f, const double *x, int order,
                                     cdn_function_result *out) CDN_NODISCARD;

CDN_END_DECLS
#endif
