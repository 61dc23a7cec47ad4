/* The main of a Check program: CHECK_MAIN("suite", test_a, test_b, ...), or check_suite where tests come in loops. The environment (CK_FORK, CK_RUN_CASE,
 * CK_VERBOSITY, ...) is Check's own and is honoured. */
#ifndef CARDAN_TESTS_CHECK_MAIN_H
#define CARDAN_TESTS_CHECK_MAIN_H

#include <check.h>
#include <stdlib.h>

/* Runs what `add` adds as one suite, each test with a limit of its own; EXIT_SUCCESS if all passed. */
static inline int check_suite(const char *name, double timeout, void (*add)(TCase *tcase)) {
  Suite *suite = suite_create(name);
  TCase *tcase = tcase_create(name);
  tcase_set_timeout(tcase, timeout);
  add(tcase);
  suite_add_tcase(suite, tcase);

  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Sanitizers are slow; the test runner has limits of its own. */
#define CHECK_MAIN(name, ...)                                                                  \
  static void check_add(TCase *tcase) {                                                        \
    const TTest *const tests[] = { __VA_ARGS__ };                                              \
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) tcase_add_test(tcase, tests[i]); \
  }                                                                                            \
  int main(void) { return check_suite(name, 300, check_add); }

#endif
