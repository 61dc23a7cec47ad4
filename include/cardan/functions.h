/* Cardan: scalar functions of a few variables, with their derivatives. Function-based mobilizers are made of them.
 *
 * A function never changes, and has a reference count: create it, give it to its users (who retain it), release it.
 * Threads may share it. Its inputs and its value are in whatever units its users expect.
 *
 * I want to
 *   make a scalar function with derivatives: a constant: cdn_function_constant
 *   — a linear function of several variables: cdn_function_linear
 *   — a polynomial: cdn_function_polynomial
 *   — a natural cubic spline: cdn_function_natural_spline
 *   — a function of my own: cdn_function_create
 *   evaluate a function and its derivatives: cdn_function_calc
 *   know how many inputs a function has: cdn_function_n_inputs
 *   share or give up a function: cdn_function_retain, cdn_function_release */
#ifndef CARDAN_FUNCTIONS_H
#define CARDAN_FUNCTIONS_H

#include <cardan/base.h>

CDN_BEGIN_DECLS

typedef struct cdn_function cdn_function;

enum { CDN_FUNCTION_MOST_INPUTS = 6 }; /**< the most inputs of a function */

/** Value and partial derivatives of a function of n inputs at x: d1[i], d2[i n + j], d3[(i n + j) n + k]; d2 and d3 are
 *  symmetric. The struct never changes. The unit of `value` is that of the function, and those of the derivatives are
 *  that over the inputs' units. */
typedef struct cdn_function_result {
  double value;
  double d1[CDN_FUNCTION_MOST_INPUTS];
  double d2[CDN_FUNCTION_MOST_INPUTS * CDN_FUNCTION_MOST_INPUTS];
  double d3[CDN_FUNCTION_MOST_INPUTS * CDN_FUNCTION_MOST_INPUTS * CDN_FUNCTION_MOST_INPUTS];
} cdn_function_result;

/** A function of your own. `self` is a private copy. Several threads may call `calc` at once. */
typedef struct cdn_function_ops {
  uint32_t struct_size;
  const char *name; /**< distinguishes the function in checkpoints; copied; may be NULL */
  size_t self_size; /**< bytes of the private part */
  int n_inputs;     /**< 0 to CDN_FUNCTION_MOST_INPUTS */
  /** Writes the value and the derivatives up to `order` (0 to 3) into `out`, which is zero on entry. A function
   *  without a third derivative returns CDN_ERR_UNSUPPORTED for order 3. */
  cdn_status (*calc)(const void *self, const double *x, int order, cdn_function_result *out);
  void (*destroy)(void *self); /**< called once with the copy; may be NULL */
} cdn_function_ops;

/* Each function below returns a cdn_function with one reference. It returns NULL if memory runs out or if its arguments
 * are invalid. */

/** A function of your own: copies `ops` and self_size bytes of `self`. */
CDN_API cdn_function *cdn_function_create(const cdn_function_ops *ops, const void *self) CDN_NODISCARD;
/** The constant c, a function without inputs. */
CDN_API cdn_function *cdn_function_constant(double c) CDN_NODISCARD;
/** a[0] x[0] + ... + a[n-1] x[n-1] + c, n = 1 to 6. */
CDN_API cdn_function *cdn_function_linear(int n, const double *a, double c) CDN_NODISCARD;
/** a[0] x^(n-1) + ... + a[n-1]: n coefficients, n >= 1, highest power first. One input. */
CDN_API cdn_function *cdn_function_polynomial(int n, const double *a) CDN_NODISCARD;
/** The natural cubic spline through n >= 2 points with strictly increasing x: the second derivative is zero at both
 *  ends, and the function continues as a straight line beyond them. One input. */
CDN_API cdn_function *cdn_function_natural_spline(int n, const double *x, const double *y) CDN_NODISCARD;

CDN_API void cdn_function_retain(const cdn_function *f);  /**< adds a reference; thread-safe */
CDN_API void cdn_function_release(const cdn_function *f); /**< removes a reference; thread-safe; NULL is allowed */
/** The number of its inputs; 0 for NULL. */
CDN_API int cdn_function_n_inputs(const cdn_function *f);
/** Evaluates the function at x (n_inputs numbers), with derivatives up to `order`, 0 to 3. Derivatives above `order`
 *  are zero. Errors: CDN_ERR_ARG (a wrong order), and the status of `calc`. O(1) in the built-in kinds but the
 *  spline, O(log n). */
CDN_API cdn_status cdn_function_calc(const cdn_function *f, const double *x, int order,
                                     cdn_function_result *out) CDN_NODISCARD;

CDN_END_DECLS
#endif
