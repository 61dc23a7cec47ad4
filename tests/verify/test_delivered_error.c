/* What the default method delivers: the error of whole runs goes with the accuracy that was asked for, on motions of every
 * kind, from 1e-3 to 1e-9. */
#include <stdio.h>

#include "motions.h"
#include "runs.h"

enum { LOOSEST = 3, TIGHTEST = 9 };

typedef struct delivery {
  double least, most; /* error over the accuracy */
  double slope;       /* of the straight line through the logarithms */
} delivery;

static delivery deliver(const motion *m) {
  motion_run truth, other, run;
  cdn_state *state = m->start();
  /* two methods that have nothing in common agree on the truth */
  run_motion(m, state, CDN_METHOD_DORMAND_PRINCE_8, 1e-14, &truth);
  run_motion(m, state, CDN_METHOD_DORMAND_PRINCE, 1e-12, &other);
  AT_MOST(motion_distance(&other, &truth), 2e-11);

  delivery d = { .least = INFINITY };
  double n = TIGHTEST - LOOSEST + 1, x = 0, y = 0, xx = 0, xy = 0;
  for (int k = LOOSEST; k <= TIGHTEST; k++) {
    double accuracy = pow(10, -k);
    run_motion(m, state, CDN_METHOD_DEFAULT, accuracy, &run);
    double error = motion_distance(&run, &truth), log_error = log10(error);
    if (getenv("CARDAN_TEST_VERBOSE")) {
      printf("%-12s at %.0e: error %6.2f of it, %5d evaluations, %5d of %5d steps stiff\n", m->name, accuracy,
             error / accuracy, (int)run.c.evaluations, (int)run.c.stiff_steps, (int)run.c.steps);
    }
    d.least = fmin(d.least, error / accuracy);
    d.most = fmax(d.most, error / accuracy);
    x -= k / n, y += log_error / n, xx += k * k / n, xy -= k * log_error / n;
  }
  d.slope = (xy - x * y) / (xx - x * x);
  if (getenv("CARDAN_TEST_VERBOSE")) printf("%-12s %.2g to %.2g, slope %.3f\n", m->name, d.least, d.most, d.slope);
  cdn_state_destroy(state);
  return d;
}

static const motion *const within_ten[] = { &chain10, &springs, &humanoid, &stiff, &oscillatory, &bouncing };

enum { N_WITHIN_TEN = sizeof within_ten / sizeof within_ten[0] };

START_TEST(errors_are_within_a_factor_of_ten) {
  const motion *m = within_ten[_i];
  delivery d = deliver(m);
  AT_MOST(d.most, 10);
  AT_MOST(0.9, d.slope);
  AT_MOST(d.slope, 1.1);
  /* Where dampers are strong, the motion forgets the errors of its steps, and stability keeps the steps short: errors are smaller
   * than asked for, at no more evaluations. */
  if (m != &stiff && m != &humanoid) AT_MOST(0.1, d.least);
}
END_TEST

START_TEST(an_unstable_motion_amplifies) {
  /* how far a run ends up that starts a millionth beside */
  motion_run truth, beside;
  double away = 1e-6, growth = 0;
  cdn_state *state = top.start();
  run_motion(&top, state, CDN_METHOD_DORMAND_PRINCE_8, 1e-13, &truth);
  for (int i = 0; i < 3; i++) {
    double u[3];
    cdn_state *other = top.start();
    memcpy(u, cdn_state_u(other), sizeof u);
    u[i] += away;
    OK(cdn_state_set_u(other, u));
    run_motion(&top, other, CDN_METHOD_DORMAND_PRINCE_8, 1e-13, &beside);
    growth = fmax(growth, motion_distance(&beside, &truth) / away);
    cdn_state_destroy(other);
  }
  cdn_state_destroy(state);
  if (getenv("CARDAN_TEST_VERBOSE")) printf("an error at the start of the top grows %.0f-fold\n", growth);
  AT_MOST(5, growth);
  /* within a factor of ten of what an error of the accuracy, made at the start, would become */
  delivery d = deliver(&top);
  AT_MOST(d.most, 10 * growth);
  AT_MOST(0.1 * growth, d.least);
  /* at the loosest accuracies a run has some hundred steps, and a few of the first decide what is amplified */
  AT_MOST(0.8, d.slope);
  AT_MOST(d.slope, 1.1);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, errors_are_within_a_factor_of_ten, 0, N_WITHIN_TEN);
  tcase_add_test(c, an_unstable_motion_amplifies);
}

int main(void) { return check_suite("delivered error", 120, add); }
