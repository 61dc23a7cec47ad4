/* Explicit Euler and the explicit trapezoid of manual 10.4: for teaching, for comparisons, and for steps that are short
 * for other reasons. */
#include "integrators/explicit_rk.h"
#include "integrators/method.h"

static const double c[2] = { 0, 1 };

/* ---- explicit Euler; its error is the distance from the trapezoidal rule's solution ---- */

static const double euler_b[1] = { 1 };
static const double euler_e[2] = { 1. / 2, -1. / 2 };

static void euler_dense(double theta, double *w) { cdni_cubic_weights(euler_b, 1, theta, w); }

static const cdni_rk_tableau euler = { .stages = 1,
                                       .c = c,
                                       .a = NULL,
                                       .b = euler_b,
                                       .e = euler_e,
                                       .order_of_e = 2,
                                       .of_kink = 1,
                                       .share = 1,
                                       .dense = euler_dense };

const cdni_method cdni_explicit_euler = CDNI_RK_METHOD("explicit Euler", 2, 1, euler, .bare = true);

/* ---- explicit trapezoid; its error is the distance from Euler's solution ---- */

static const double a[1] = { 1 };
static const double b[2] = { 1. / 2, 1. / 2 };
static const double e[3] = { -1. / 2, 1. / 2, 0 };

static void dense(double theta, double *w) { cdni_cubic_weights(b, 2, theta, w); }

static const double probe[3] = { 0, -1, 1 };

static const cdni_rk_tableau trapezoid = { .stages = 2,
                                           .c = c,
                                           .a = a,
                                           .b = b,
                                           .e = e,
                                           .order_of_e = 2,
                                           .of_kink = 1,
                                           .share = 1,
                                           .dense = dense,
                                           .probe = probe,
                                           .stable = 1.5 };

const cdni_method cdni_trapezoid = CDNI_RK_METHOD("explicit trapezoid", 2, 2, trapezoid);
