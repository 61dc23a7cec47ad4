/* Prints what single steps are off by, for every motion, method and accuracy: a line each, to be summed up by other
 * programs. The environment chooses: MOTION (how names begin), METHOD (a name), STEPS (at most, of each run),
 * ACCURACIES (first and last number of digits, and the step between). */
#include <stdio.h>

#include "local_errors.h"

static void show(const local_motion *m, cdn_method method, double accuracy, int most) {
  local_errors e;
  measure_local_errors(m, method, accuracy, most, &e);
  printf("%-22s %-20s %.2e %6d %6d %6d %9.3g %9.3g %9.4g %7.3g %7.3g %7d %6d %6d %s\n", m->name,
         cdn_method_name(method), accuracy, e.steps, e.beyond, e.far_beyond, e.worst, e.worst_estimate, e.worst_time,
         e.estimates, e.most_low, (int)e.c.evaluations, (int)e.c.rejected, (int)e.c.stiff_steps,
         cdn_status_name(e.status));
  fflush(stdout);
}

START_TEST(table) {
  const char *motion = getenv("MOTION"), *name = getenv("METHOD"), *which = getenv("ACCURACIES"),
             *most = getenv("STEPS");
  double first = 2, last = 11, by = 0.37;
  if (which) sscanf(which, "%lf %lf %lf", &first, &last, &by);
  if (_i == 0)
    printf(
        "# motion method accuracy steps beyond far worst its-estimate its-time error/estimate largest evaluations rejected "
        "stiff status\n");
  const local_motion *m = &local_motions[_i];
  if (motion && strncmp(m->name, motion, strlen(motion)) != 0) return;
  for (int method = CDN_METHOD_DEFAULT; method < ALL_METHODS; method++) {
    if (!controls_errors(method)) continue;
    if (name && strcmp(name, cdn_method_name((cdn_method)method)) != 0) continue;
    for (double digits = first; digits <= last; digits += by)
      show(m, (cdn_method)method, pow(10, -digits), most ? atoi(most) : 1000);
  }
}
END_TEST

static void add(TCase *c) { tcase_add_loop_test(c, table, 0, n_local_motions); }
int main(void) { return check_suite("local errors", 36000, add); }
