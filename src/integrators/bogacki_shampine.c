/* Bogacki and Shampine's 3(2) pair (P. Bogacki, L. F. Shampine, "A 3(2) pair of Runge-Kutta formulas", 1989), first
 * same as last, with the cubic through both ends. For loose accuracy. */
#include "integrators/explicit_rk.h"
#include "integrators/method.h"

static const double c[3] = { 0, 1. / 2, 3. / 4 };
static const double a[3] = { 1. / 2, 0, 3. / 4 };
static const double b[3] = { 2. / 9, 1. / 3, 4. / 9 };
/* b - (7/24, 1/4, 1/3, 1/8) */
static const double e[4] = { -5. / 72, 1. / 12, 1. / 9, -1. / 8 };

static void dense(double theta, double *w) { cdni_cubic_weights(b, 3, theta, w); }

/* No two rates are of one time: the second difference of the three that are equally far apart. */
static const double probe[4] = { 0, 1, -2, 1 };

static const cdni_rk_tableau tableau = { .stages = 3,
                                         .c = c,
                                         .a = a,
                                         .b = b,
                                         .e = e,
                                         .order_of_e = 3,
                                         .of_kink = 3,
                                         .share = 1,
                                         .dense = dense,
                                         .probe = probe,
                                         .stable = 2.5 };

const cdni_method cdni_bogacki_shampine = CDNI_RK_METHOD("Bogacki-Shampine 3(2)", 3, 3, tableau);
