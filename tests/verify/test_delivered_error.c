/* What the default method delivers: the error of whole runs stays within ten times the accuracy that was asked for, on
 * motions of every kind, from 1e-3 to 1e-9. */
#include <stdio.h>

#include "motions.h"
#include "runs.h"

enum { LOOSEST = 3, TIGHTEST = 9 };

/* The largest error of runs over the accuracy that was asked for. */
static double deliver(const motion *m) {
  motion_run truth, other, run;
  cdn_state *state = m->start();
  /* two methods that have nothing in common agree on the truth */
  run_motion(m, state, CDN_METHOD_DORMAND_PRINCE_8, 1e-14, &truth);
  run_motion(m, state, CDN_METHOD_DORMAND_PRINCE, 1e-12, &other);
  AT_MOST(motion_distance(&other, &truth), 2e-11);

  double most = 0;
  for (int k = LOOSEST; k <= TIGHTEST; k++) {
    double accuracy = pow(10, -k);
    run_motion(m, state, CDN_METHOD_DEFAULT, accuracy, &run);
    const double over = motion_distance(&run, &truth) / accuracy;
    if (getenv("CARDAN_TEST_VERBOSE")) {
      printf("%-12s at %.0e: error %6.2f of it, %5d evaluations, %5d of %5d steps stiff\n", m->name, accuracy, over,
             (int)run.c.evaluations, (int)run.c.stiff_steps, (int)run.c.steps);
    }
    most = fmax(most, over);
  }
  cdn_state_destroy(state);
  return most;
}

static const motion *const within_ten[] = { &chain10, &springs, &humanoid, &stiff, &oscillatory, &bouncing };

enum { N_WITHIN_TEN = sizeof within_ten / sizeof within_ten[0] };

START_TEST(errors_are_within_a_factor_of_ten) { AT_MOST(deliver(within_ten[_i]), 10); }
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
  AT_MOST(deliver(&top), 10 * growth);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, errors_are_within_a_factor_of_ten, 0, N_WITHIN_TEN);
  tcase_add_test(c, an_unstable_motion_amplifies);
}

CHECK_MAIN_OF("delivered error", 120, add)
