/* Molecules in metres and seconds, orbits in metres, masses that differ by 1e9: right, or with the right message. */
#include "../unit/ode.h"
#include "run.h"

static true_motion truth;

static const cdn_method methods[] = {
  CDN_METHOD_DEFAULT,          CDN_METHOD_DORMAND_PRINCE,
  CDN_METHOD_DORMAND_PRINCE_8,
#ifdef TEST_SUNDIALS
  CDN_METHOD_CVODE_BDF,        CDN_METHOD_IDA,
#endif
};
enum { METHODS = sizeof methods / sizeof *methods };

/* At accuracies down to `least`, each 0.15 of the one before. The default delivers 10 accuracies down to `kept`. */
static void check(const char *name, double least, double kept) {
  const problem *p = find_problem(name);
  ck_assert_msg(p != NULL, "%s", name);
  find_truth(p, &truth);
  cdn_state *start = p->start(p);
  for (int m = 0; m < METHODS; m++) {
    for (double accuracy = 0.8e-2; accuracy >= least; accuracy *= SANITIZED ? 3e-3 : 0.15) {
      run r;
      run_problem(p, start, &truth, &(run_request){ methods[m], accuracy, true, 50000 }, &r);
      if (r.cut) continue;
      const double over = r.error / accuracy;
      ck_assert_msg(!r.status, "%s, %s at %.2g: %s", name, cdn_method_name(methods[m]), accuracy, r.message);
      ck_assert_msg(over <= 10 || r.verdict == CDN_VERDICT_NOT_DELIVERED, "%s, %s at %.2g: error %.3g of it, said %d",
                    name, cdn_method_name(methods[m]), accuracy, over, (int)r.verdict);
      if (m == 0 && accuracy >= kept) {
        ck_assert_msg(over <= 10, "%s at %.2g: error %.3g of it", name, accuracy, over);
        ck_assert_int_eq(r.verdict, CDN_VERDICT_DELIVERED);
      }
    }
  }
  cdn_state_destroy(start);
}

START_TEST(molecules) { check("molecule-si", 1e-11, 1e-11); }
END_TEST
START_TEST(mass_ratios) { check("masses-1e9", 1e-11, 1e-11); }
END_TEST

/* 7e6 m are rounded by 1e-9 m, in every one of a thousand steps. */
START_TEST(orbits) {
  check("orbit-metres", 1e-10, 1e-6);
  const problem *p = find_problem("orbit-metres");
  cdn_state *start = p->start(p);
  for (int k = 0; k < 2; k++) {
    cdn_stepper_def def = cdn_default_stepper_def();
    def.accuracy = k ? 1e-6 : 1e-10;
    def.final_time = p->end;
    cdn_stepper *stepper = ode_stepper(start, &def);
    OK_STEP(stepper, cdn_stepper_advance(stepper, p->end, NULL));
    const cdn_certificate c = certificate_of(stepper);
    ck_assert_msg((strncmp(c.below_rounding, "satellite.", 10) == 0) == (k == 0), "'%s'", c.below_rounding);
    cdn_stepper_destroy(stepper);
  }
  cdn_state_destroy(start);
}
END_TEST

CHECK_MAIN("extremes", molecules, mass_ratios, orbits)
