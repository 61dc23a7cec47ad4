/* The main of a Check program: CHECK_MAIN("suite", test_a, test_b, ...). The environment (CK_FORK, CK_RUN_CASE,
 * CK_VERBOSITY, ...) is Check's own and is honoured. */
#ifndef CARDAN_TESTS_CHECK_MAIN_H
#define CARDAN_TESTS_CHECK_MAIN_H

#include <check.h>
#include <stdlib.h>

/* Runs the tests as one suite; EXIT_SUCCESS if all passed. */
static inline int check_run(const char *name, const TTest *const *tests, size_t n) {
  Suite *suite = suite_create(name);
  TCase *tcase = tcase_create(name);
  tcase_set_timeout(tcase, 300); /* sanitizers are slow; the test runner has limits of its own */
  for (size_t i = 0; i < n; i++) tcase_add_test(tcase, tests[i]);
  suite_add_tcase(suite, tcase);

  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#define CHECK_MAIN(name, ...)                                    \
  int main(void) {                                               \
    const TTest *const tests[] = { __VA_ARGS__ };                \
    return check_run(name, tests, sizeof tests / sizeof *tests); \
  }

#endif
