/* Of accepted steps at most one in a thousand errs more than it was allowed, and none ten times that: each against a
 * run at 1e-13 from its start. A sample of the motions between decades of accuracy; local_errors_table prints all of
 * it. */
#include <stdio.h>

#include "local_errors.h"

enum { STEPS = 60 };

/* What cannot be held, and what was measured instead. */
static const struct {
  const char *motion;
  cdn_method method;
  double beyond, worst; /* the part of steps, and the largest error over what was allowed */
} exceptions[] = {
  /* kinks within steps, without an event: functional iteration and the estimates of its formulas do not see them */
  { "kink", CDN_METHOD_CVODE_ADAMS, 0.05, 400 },
  { "stop", CDN_METHOD_CVODE_ADAMS, 0.05, 400 },
  /* the same where steps are as long as the accuracy 1e-2 allows, so that a kink lies in every other one */
  { "kink", CDN_METHOD_ADAMS, 0.03, 20 },
  { "stop", CDN_METHOD_ADAMS, 0.03, 20 },
  /* kinks that lie where e and the third difference are both near zero */
  { "kink", CDN_METHOD_FEHLBERG, 0.02, 25 },
  /* the force jumps at times that nobody tells */
  { "kink-times", CDN_METHOD_DEFAULT, 0.02, 50 },
};

static bool is_exception(const char *motion, cdn_method method, double *beyond, double *worst) {
  for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++) {
    if (strncmp(motion, exceptions[i].motion, strlen(exceptions[i].motion)) != 0) continue;
    if (exceptions[i].method != CDN_METHOD_DEFAULT && exceptions[i].method != method) continue;
    *beyond = exceptions[i].beyond, *worst = exceptions[i].worst;
    return true;
  }
  return false;
}

/* The default is one of these. */
static const cdn_method judged[] = {
  CDN_METHOD_ADAMS,
  CDN_METHOD_DORMAND_PRINCE,
  CDN_METHOD_DORMAND_PRINCE_8,
  CDN_METHOD_MERSON,
  CDN_METHOD_EXPLICIT_EULER,
  CDN_METHOD_SEMI_EXPLICIT_EULER,
  CDN_METHOD_SEMI_EXPLICIT_EULER_2,
  CDN_METHOD_FEHLBERG,
  CDN_METHOD_TRAPEZOID,
  CDN_METHOD_VERLET,
  CDN_METHOD_BOGACKI_SHAMPINE,
#ifdef TEST_SUNDIALS
  CDN_METHOD_CVODE_BDF,
  CDN_METHOD_CVODE_ADAMS,
  CDN_METHOD_IDA,
#endif
};
enum { N_JUDGED = sizeof judged / sizeof *judged };

static double finest(cdn_method method) {
  switch (method) {
    case CDN_METHOD_EXPLICIT_EULER:
    case CDN_METHOD_SEMI_EXPLICIT_EULER:
    case CDN_METHOD_SEMI_EXPLICIT_EULER_2: return 3;
    case CDN_METHOD_TRAPEZOID:
    case CDN_METHOD_VERLET: return 4;
    case CDN_METHOD_BOGACKI_SHAMPINE: return 6;
    default: return 9.5;
  }
}

START_TEST(steps_err_by_what_they_are_allowed) {
  const cdn_method method = judged[_i];
  int steps = 0, beyond = 0, turn = 0;
  for (int k = 0; k < n_local_motions; k++) {
    const local_motion *m = &local_motions[k];
    /* one of four accuracies, in turn */
    const double digits = 2.15 + (finest(method) - 2.15) * (turn++ % 4) / 3;
    double most_beyond = 1, most = 10;
    local_errors e;
    measure_local_errors(m, method, pow(10, -digits), STEPS, &e);
    /* with constraints */
    if (e.status == CDN_ERR_UNSUPPORTED && method == CDN_METHOD_CVODE_ADAMS) continue;
    ck_assert_msg(e.status == CDN_OK, "%s by %s: %s", m->name, cdn_method_name(method), cdn_status_name(e.status));
    const bool is_other = is_exception(m->name, method, &most_beyond, &most);
    ck_assert_msg(e.worst <= most, "%s by %s at %.2e: a step at %g errs %.3g times what it was allowed", m->name,
                  cdn_method_name(method), pow(10, -digits), e.worst_time, e.worst);
    ck_assert_msg(e.beyond <= 1 + most_beyond * e.steps, "%s by %s at %.2e: %d of %d steps err too much", m->name,
                  cdn_method_name(method), pow(10, -digits), e.beyond, e.steps);
    if (getenv("CARDAN_TEST_VERBOSE") && e.beyond)
      printf("%s by %s at %.2e: %d of %d, worst %.3g\n", m->name, cdn_method_name(method), pow(10, -digits), e.beyond,
             e.steps, e.worst);
    if (is_other) continue;
    steps += e.steps;
    beyond += e.beyond;
  }
  if (getenv("CARDAN_TEST_VERBOSE")) printf("%s: %d of %d\n", cdn_method_name(method), beyond, steps);
  /* and two that a sample of this size may have by chance */
  ck_assert_msg(beyond <= 2 + steps / 1000, "%s: %d of %d steps err too much", cdn_method_name(method), beyond, steps);
}
END_TEST

static void add(TCase *c) { tcase_add_loop_test(c, steps_err_by_what_they_are_allowed, 0, N_JUDGED); }

CHECK_MAIN_OF("local errors of steps", 300, add)
