/* The kernels' own sine and cosine against the C library's of long doubles. */
#include "math/lane.h"

#include <float.h>

#include "../check_main.h"

/* Half a unit in the last place for each rounding: two when the argument is reduced, whose units may be twice the
 * result's (a sine of 0.5 to 0.52 is below 0.5), one when the polynomial's last product is added; and a little for the
 * smaller ones before. */
static const double most_ulps = 2 * 1.0 * 0.88 + 0.5 + 0.05;

static double ulps(double value, long double exact) {
  double magnitude = fmax(fabs((double)exact), DBL_MIN);
  double unit = nextafter(magnitude, INFINITY) - magnitude;
  return (double)fabsl((long double)value - exact) / unit;
}

static void check(double x) {
  real sine, cosine;
  r_sincos(x, &sine, &cosine);
  const double s = ulps(sine, sinl(x)), c = ulps(cosine, cosl(x));
  ck_assert_msg(s <= most_ulps, "sin(%a) = %a is %.3f units off", x, sine, s);
  ck_assert_msg(c <= most_ulps, "cos(%a) = %a is %.3f units off", x, cosine, c);
}

START_TEST(sines_and_cosines_are_good_to_the_last_places) {
  for (int i = -200000; i <= 200000; i++) {
    check(1e-5 * i);                 /* the first turns, densely */
    check(3.9 * i + 1e-4 * (i % 7)); /* to the end of the reduction's range */
  }
  /* Next to the zeros, where the reduction cancels, and at the ends of the polynomials' range. */
  for (int k = -2000; k <= 2000; k++)
    for (int side = -2; side <= 2; side++) {
      double zero = k * 1.57079632679489661923, corner = zero + 0.78539816339744830962;
      for (int n = 0; n < side; n++) zero = nextafter(zero, INFINITY), corner = nextafter(corner, INFINITY);
      for (int n = 0; n > side; n--) zero = nextafter(zero, -INFINITY), corner = nextafter(corner, -INFINITY);
      check(zero);
      check(corner);
    }
  for (double x = 1; x > 1e-300; x *= 0.7) check(x), check(-x);
}
END_TEST

START_TEST(beyond_the_range_it_is_the_librarys) {
  const double far[] = { 800001, -1e6, 1e15, -1e300, DBL_MAX };
  for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
    real sine, cosine;
    r_sincos(far[i], &sine, &cosine);
    ck_assert_double_eq(sine, sin(far[i]));
    ck_assert_double_eq(cosine, cos(far[i]));
  }
}
END_TEST

START_TEST(zero_is_exact_and_what_is_not_finite_has_no_sine) {
  real sine, cosine;
  r_sincos(-0.0, &sine, &cosine);
  ck_assert_double_eq(sine, 0);
  ck_assert_double_eq(cosine, 1);
  const double bad[] = { INFINITY, -INFINITY, NAN };
  for (int i = 0; i < 3; i++) {
    r_sincos(bad[i], &sine, &cosine);
    ck_assert(isnan(sine) && isnan(cosine));
  }
}
END_TEST

CHECK_MAIN("lane", sines_and_cosines_are_good_to_the_last_places, beyond_the_range_it_is_the_librarys,
           zero_is_exact_and_what_is_not_finite_has_no_sine)
