/* The special functions that other tests lean on, against tabulated values and their own identities. */
#include "../testing.h"
#include "special_functions.h"

/* Period factors T = 4 sqrt(L/g) K(sin^2(theta0/2)) of the pendulum to 25 digits (reference/closed_form.json). */
static const struct {
  double degrees, period;
} pendulum[] = {
  { 1, 2.006104874055713272840510 },   { 10, 2.009892627298600682929900 },  { 30, 2.040989889519130410511201 },
  { 45, 2.086255872614367302045459 },  { 60, 2.152874666880515703408511 },  { 90, 2.367841947576237449303295 },
  { 120, 2.754089828887825676955325 }, { 150, 3.535098186381523473930691 }, { 170, 4.893524274105486164009517 },
  { 179, 7.825796837537682702958256 },
};

START_TEST(test_complete_integral) {
  for (size_t i = 0; i < sizeof pendulum / sizeof pendulum[0]; i++) {
    double s = sin(pendulum[i].degrees * PI / 360);
    /* near m = 1, K feels a rounding of m as eps / (1 - m) / 2 */
    double tolerance = 8e-16 * pendulum[i].period + 4 / sqrt(9.81) * 1.2e-16 / (2 * (1 - s * s));
    NEAR(4 / sqrt(9.81) * complete_K(s * s), pendulum[i].period, tolerance);
  }
  NEAR(complete_K(0), PI / 2, 3e-16);
  /* K(1/2) = Gamma(1/4)^2 / (4 sqrt(pi)) */
  NEAR(complete_K(0.5), 1.854074677301371918433850347, 5e-16);
}
END_TEST

START_TEST(test_carlson_agrees_with_the_mean) {
  for (double m = 0; m < 0.999; m += 0.037) {
    NEAR(incomplete_F(PI / 2, m), complete_K(m), 2e-15 * complete_K(m));
    NEAR(incomplete_F(0.3, 0), 0.3, 2e-16);
  }
  NEAR(carlson_RF(1, 2, 0), 1.3110287771460599052, 1e-15); /* the lemniscate constant over 2 (Carlson 1995) */
}
END_TEST

START_TEST(test_jacobi_functions) {
  for (double m = 0; m < 0.99; m += 0.09)
    for (double u = -7; u < 7; u += 0.31) {
      jacobi j = jacobi_functions(u, m);
      /* phases grow to 2^n u on the way: a few roundings of u itself */
      NEAR(j.sn * j.sn + j.cn * j.cn, 1, 1e-15);
      NEAR(j.dn * j.dn + m * j.sn * j.sn, 1, 1e-15);
      jacobi shifted = jacobi_functions(u + 4 * complete_K(m), m);
      NEAR(shifted.sn, j.sn, 2e-14);
      NEAR(shifted.cn, j.cn, 2e-14);
      if (fabs(j.am) < PI / 2) NEAR(incomplete_F(j.am, m), u, 4e-15 * (1 + fabs(u)) / (1 - m));
    }
  /* the two ends: circular and hyperbolic functions */
  NEAR(jacobi_functions(0.7, 0).sn, sin(0.7), 2e-16);
  NEAR(jacobi_functions(0.7, 1 - 1e-15).sn, tanh(0.7), 1e-14);
}
END_TEST

CHECK_MAIN("special functions", test_complete_integral, test_carlson_agrees_with_the_mean, test_jacobi_functions)
