/* Explicit Runge-Kutta methods by their coefficients. The rate at the end of a step is always evaluated, on the
 * manifold, and serves three times: as a further stage of the error estimate, in the dense output, and as the first
 * stage of the next step (first same as last). */
#ifndef CARDAN_INTEGRATORS_EXPLICIT_RK_H
#define CARDAN_INTEGRATORS_EXPLICIT_RK_H

#include "integrators/method.h"
#include "system/system.h"

/* Most rates of a step: stages, the one at its end, and further ones for dense output. */
#define CDNI_RK_RATES 16

typedef struct cdni_rk_tableau {
  int stages;      /* the one at the end of the step not counted */
  const double *c; /* stages */
  const double *a; /* lower triangle without the diagonal, row after row: a21, a31, a32, a41, ... */
  const double *b; /* stages */
  const double *e; /* stages + 1: b minus the embedded method's weights; the last is that of the end */
  /* The power of h with which |e| shrinks, the part of |e| that an error is taken for, and the most that it is taken
   * for where |e| jumps: about what an error may be over |e| where the rates have a kink. */
  int order_of_e;
  double share, of_kink;
  /* Another estimate, of the order above, or NULL: steps are then judged by it, and by the part `share` of e, which
   * sees kinks that the other does not see. */
  const double *e_high;
  /* Weights (stages + 1) of the third difference of rates within the step and at its end, or NULL: it sees kinks for
   * which e is zero, and those that no stage feels whose rate e contains. */
  const double *look;
  /* Dense output: stages that only it needs (extra_a: rows of stages + 1, stages + 2, ... weights), and the weights
   * (stages + 1 + extra) of the continuous extension at theta in [0, 1]. */
  int extra;
  const double *extra_c, *extra_a;
  void (*dense)(double theta, double *b);
  /* For the test whether stability limits the steps (Hairer and Wanner, IV.2): weights (stages + 1) that sum to zero,
   * as do their products with the times of the stages, so that the same differences of y and of rates are connected by
   * the Jacobian and small beside the motion; and |h lambda| up to which the method is stable on the negative axis.
   * NULL: Euler's method has nothing of the kind. */
  const double *probe;
  double stable;
} cdni_rk_tableau;

/* ---- what a step is made of, written once for one State and for several in lanes (math/lane_block.h) ---- */

typedef struct cdni_rk_step {
  int lanes, n;              /* numbers of y a lane */
  const double *t0, *t1, *h; /* by lane */
  const double *y0, *f0;
  double *y1;
  double *rates; /* those of stage i are at (i - 1) stride */
  size_t stride;
} cdni_rk_step;
/* out = base (NULL: zero) + h times the weighted sum of the first n rates, those of y0 included. */
void cdni_rk_sum(const cdni_rk_step *step, int n, const double *weight, const double *base, double *out);
/* Rates at (t, y) of stage i. */
typedef cdn_status cdni_rk_evaluate(void *context, int i, const double *t, double *y, double *rates);
/* All stages, and y1; `trial` is room for a y. */
cdn_status cdni_rk_stages(const cdni_rk_tableau *rk, const cdni_rk_step *step, double *trial,
                          cdni_rk_evaluate *evaluate, void *context);

/* ---- how estimates change from step to step, for one State and for several ---- */

/* The norm of an estimate in the last attempt, and, divided by the power of h with which it shrinks, in the last two
 * accepted steps; 0: there was none. */
typedef struct cdni_trend {
  double tried, last, before;
} cdni_trend;
/* After an accepted step of size h. */
void cdni_trend_follow(cdni_trend *of, double h, int order);
/* The factor with which |e|, whose trend this is, counts in a step of size h: larger when it jumps, since it may then
 * be far below the error; in full after a start. */
double cdni_rk_swell(const cdni_rk_tableau *rk, const cdni_trend *of, double h);
/* The power of h with which third differences (`look`) shrink; and the part of one that no smooth motion has. */
enum { CDNI_ORDER_OF_LOOK = 4 };
double cdni_rk_seen(const cdni_trend *of, double h);

/* One step of semi-explicit Euler from a State that has y0 (several lanes, or one): u1 = u0 + h udot0, z1 = z0 + h
 * zdot0 (filters that are followed exactly: as the filter does), q1 = q0 after h at the speeds u1, where quaternions
 * turn at constant angular velocity. `qdot` is room for nq numbers a lane. */
cdn_status cdni_euler_leap(cdn_state *state, int lanes, int nq, int ny, const double *h, const double *y0,
                           const double *f0, double *y1, double *qdot);

/* ---- the method of a stepper ---- */

size_t cdni_rk_memory(const cdni_method *method, int ny);
cdn_status cdni_rk_attempt(cdn_stepper *s);
cdn_status cdni_rk_extend(cdn_stepper *s);
void cdni_rk_begin(cdn_stepper *s);
void cdni_rk_accepted(cdn_stepper *s);
void cdni_rk_archive(cdn_stepper *s, cdni_archive *a);
void cdni_rk_interpolate(const cdn_stepper *s, double theta, double *y, double *work);
void cdni_rk_slope(const cdn_stepper *s, double theta, double *ydot);

/* Weights of the cubic through both ends and their slopes, in y(theta) = y0 + of_dy (y1 - y0) + h (of_f0 f0 + of_f1
 * f1). */
typedef struct cdni_cubic {
  double of_dy, of_f0, of_f1;
} cdni_cubic;
static inline cdni_cubic cdni_cubic_at(double theta) {
  double r = 1 - theta, first = theta * r, second = theta * first;
  return (cdni_cubic){ theta - first + 2 * second, first - second, -second };
}
/* The same as weights of the stages and the end. */
static inline void cdni_cubic_weights(const double *b, int stages, double theta, double *w) {
  cdni_cubic c = cdni_cubic_at(theta);
  for (int i = 0; i < stages; i++) w[i] = c.of_dy * b[i];
  w[0] += c.of_f0;
  w[stages] = c.of_f1;
}

#define CDNI_RK_METHOD(method_name, of_estimate, of_runs, tableau, ...)                                               \
  {                                                                                                                   \
    .name = method_name, .error_order = of_estimate, .order = of_runs, .memory = cdni_rk_memory,                      \
    .attempt = cdni_rk_attempt, .interpolate = cdni_rk_interpolate, .slope = cdni_rk_slope, .extend = cdni_rk_extend, \
    .archive = cdni_rk_archive, .begin = cdni_rk_begin, .accepted = cdni_rk_accepted, .data = &tableau, __VA_ARGS__   \
  }

#endif
