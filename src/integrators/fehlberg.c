/* Fehlberg's 4(5) pair (E. Fehlberg, NASA TR R-315, 1969). As in Simbody the fifth-order solution is carried on. */
#include "integrators/explicit_rk.h"
#include "integrators/method.h"

static const double c[6] = { 0, 1. / 4, 3. / 8, 12. / 13, 1, 1. / 2 };

/* clang-format off */
static const double a[15] = {
  1. / 4,
  3. / 32, 9. / 32,
  1932. / 2197, -7200. / 2197, 7296. / 2197,
  439. / 216, -8, 3680. / 513, -845. / 4104,
  -8. / 27, 2, -3544. / 2565, 1859. / 4104, -11. / 40,
};
/* clang-format on */

static const double b[6] = { 16. / 135, 0, 6656. / 12825, 28561. / 56430, -9. / 50, 2. / 55 };

/* b - (25/216, 0, 1408/2565, 2197/4104, -1/5, 0) */
static const double e[7] = { 1. / 360, 0, -128. / 4275, -2197. / 75240, 1. / 50, 2. / 55, 0 };

/* The weights of fourth order that these seven rates have within the step are one family, by what the sixth stage has:
 * here 2/55 theta^2 (3 - 2 theta), so that slopes fit at both ends. */
static void dense(double theta, double *w) {
  double t2 = theta * theta, sixth = 2. / 55 * t2 * (3 - 2 * theta);
  w[0] = theta + t2 * (-19. / 8 + theta * (239. / 108 - theta * (13. / 18))) + 11. / 144 * sixth;
  w[1] = 0;
  w[2] = t2 * (1024. / 285 + theta * (-2560. / 513 + theta * (1664. / 855))) - 704. / 855 * sixth;
  w[3] = t2 * (-2197. / 456 + theta * (24167. / 2052 - theta * (2197. / 342))) - 2197. / 2736 * sixth;
  w[4] = t2 * (21. / 10 + theta * (-5 + theta * (27. / 10))) + 11. / 20 * sixth;
  w[5] = sixth;
  w[6] = t2 * (3. / 2 + theta * (-4 + theta * (5. / 2)));
}

/* The third difference of the rates of four times. */
static const double look[7] = { -16. / 3, 0, 512. / 15, 0, 0, -32, 16. / 5 };

static const double probe[7] = { 0, 0, 0, 0, -1, 0, 1 };

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
                                         .stable = 3.6 };

const cdni_method cdni_fehlberg = CDNI_RK_METHOD("Runge-Kutta-Fehlberg 5(4)", 5, 5, tableau);
