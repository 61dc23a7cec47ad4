/* Merson's method of order 4 (R. H. Merson, "An operational method for the study of integration processes", 1957), as
 * in Simbody. Its estimate is of third order, and of fifth where the equations are linear with constant
 * coefficients. */
#include "integrators/explicit_rk.h"
#include "integrators/method.h"

static const double c[5] = { 0, 1. / 3, 1. / 3, 1. / 2, 1 };

/* clang-format off */
static const double a[10] = {
  1. / 3,
  1. / 6, 1. / 6,
  1. / 8, 0, 3. / 8,
  1. / 2, 0, -3. / 2, 2,
};
/* clang-format on */

static const double b[5] = { 1. / 6, 0, 0, 2. / 3, 1. / 6 };

/* A fifth of the distance from the fifth stage: (-2, 0, 9, -8, 1) / 30. */
static const double e[6] = { -1. / 15, 0, 3. / 10, -4. / 15, 1. / 30, 0 };

/* No weights of these six rates are of fourth order within the step. One more rate is: at a quarter of the step on the
 * cubic through both ends. */
static const double extra_c[1] = { 1. / 4 };
static const double extra_a[6] = { 5. / 192 + 9. / 64, 0, 0, 5. / 48, 5. / 192, -3. / 64 };

/* The cubic, plus what bends it to that rate: its own slope at 1/4 is 9/8 dy + h (3 f0 - 5 f1) / 16, and that of
 * theta^2 (1 - theta)^2 is 3/16. */
static void dense(double theta, double *w) {
  double r = 1 - theta, more = 16. / 3 * theta * theta * r * r;
  cdni_cubic_weights(b, 5, theta, w);
  for (int i = 0; i < 5; i++) w[i] -= more * (9. / 8) * b[i];
  w[0] -= more * (3. / 16);
  w[5] += more * (5. / 16);
  w[6] = more;
}

static const double probe[6] = { 0, 0, 0, 0, -1, 1 };

static const cdni_rk_tableau tableau = { .stages = 5,
                                         .c = c,
                                         .a = a,
                                         .b = b,
                                         .e = e,
                                         .order_of_e = 4,
                                         .of_kink = 10,
                                         .share = 1,
                                         .extra = 1,
                                         .extra_c = extra_c,
                                         .extra_a = extra_a,
                                         .dense = dense,
                                         .probe = probe,
                                         .stable = 3.5 };

const cdni_method cdni_merson = CDNI_RK_METHOD("Runge-Kutta-Merson 4(3)", 4, 4, tableau);
