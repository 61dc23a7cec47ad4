/* Dormand and Prince's 5(4) pair (J. R. Dormand, P. J. Prince, "A family of embedded Runge-Kutta formulae", 1980),
 * with the fourth-order continuous extension by Shampine (Hairer, Norsett, Wanner, section II.6). */
#include "integrators/explicit_rk.h"
#include "integrators/method.h"

static const double c[6] = { 0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1 };

/* clang-format off */
static const double a[15] = {
  1. / 5,
  3. / 40, 9. / 40,
  44. / 45, -56. / 15, 32. / 9,
  19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729,
  9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656,
};
/* clang-format on */

static const double b[6] = { 35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84 };

static const double e[7] = {
  71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40,
};

/* What the quartic adds to the cubic Hermite interpolant. */
static const double d[7] = {
  -12715105075. / 11282082432.,  0,
  87487479700. / 32700410799.,   -10690763975. / 1880347072.,
  701980252875. / 199316789632., -1453857185. / 822651844.,
  69997945. / 29380423.,
};

/* The cubic through both ends and their slopes, plus theta^2 (1 - theta)^2 h sum d_i k_i. */
static void dense(double theta, double *w) {
  double r = 1 - theta, more = theta * theta * r * r;
  cdni_cubic_weights(b, 6, theta, w);
  for (int i = 0; i < 7; i++) w[i] += more * d[i];
}

/* The third difference of the rates of four times. */
static const double look[7] = { -25. / 6, 0, 200. / 21, -25. / 2, 0, 0, 50. / 7 };

static const double probe[7] = { 0, 0, 0, 0, 0, -1, 1 };

static const cdni_rk_tableau tableau = { .stages = 6,
                                         .c = c,
                                         .a = a,
                                         .b = b,
                                         .e = e,
                                         .order_of_e = 5,
                                         .of_kink = 30,
                                         .share = 1,
                                         .look = look,
                                         .dense = dense,
                                         .probe = probe,
                                         .stable = 3.25 };

const cdni_method cdni_dormand_prince = CDNI_RK_METHOD("Dormand-Prince 5(4)", 5, 5, tableau);
