/* shared by tests in this folder */
#include "runs.h"

#include <stdio.h>

cdn_stepper *stepper_of(cdn_state *state, double accuracy) {
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_DORMAND_PRINCE; /* one method at all accuracies, so that errors at several can be compared */
  def.accuracy = accuracy;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  return stepper;
}

void check_convergence(const char *name, experiment *run, const void *what, double factor, double finest,
                       double floor) {
  enum { MOST = 16 };
  double error[MOST];
  int n = 0;
  for (double accuracy = 1e-3; accuracy > 0.5 * finest && n < MOST; accuracy *= 0.1) {
    if (factor * accuracy > 0.1) continue;
    error[n] = run(accuracy, what);
    if (getenv("CARDAN_TEST_VERBOSE")) printf("%-40s accuracy %.0e error %.3e\n", name, accuracy, error[n]);
    ck_assert_msg(error[n] <= factor * accuracy + floor, "%s: error %.3g at accuracy %.0e, allowed %.3g", name,
                  error[n], accuracy, factor * accuracy + floor);
    if (n >= 1)
      ck_assert_msg(error[n] <= fmax(2 * error[n - 1], floor), "%s: error %.3g at accuracy %.0e, %.3g a decade before",
                    name, error[n], accuracy, error[n - 1]);
    if (n >= 2)
      ck_assert_msg(error[n] <= fmax(0.07 * error[n - 2], floor),
                    "%s: error %.3g at accuracy %.0e, %.3g two decades before", name, error[n], accuracy, error[n - 2]);
    n++;
  }
}
