/* The main of a Check program: CHECK_MAIN("suite", test_a, test_b, ...), or check_suite where tests come in loops. The
 * environment (CK_FORK, CK_RUN_CASE, CK_VERBOSITY, ...) is Check's own and is honoured. A test that lacks something
 * says SKIP("no model %s", path): the program then ends with 77, which the runner counts as skipped, unless a test
 * failed.
 *
 * Files that share headers which are long to read are one program of several suites: each has CHECK_SUITE, or
 * CHECK_SUITE_OF, in place of its main, and the program's argument names the suite that runs (check_suites.c). */
#ifndef CARDAN_TESTS_CHECK_MAIN_H
#define CARDAN_TESTS_CHECK_MAIN_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/* A byte for each test that was skipped: tests run in processes of their own. */
static FILE *check_skipped;

#define SKIP(...)                 \
  do {                            \
    fputs("skipped: ", stderr);   \
    fprintf(stderr, __VA_ARGS__); \
    fputc('\n', stderr);          \
    fputc('.', check_skipped);    \
    fflush(check_skipped);        \
    return;                       \
  } while (0)

/* Runs what `add` adds as one suite, each test with a limit of its own; EXIT_SUCCESS if all passed, 77 if some could
 * not run. */
static inline int check_suite(const char *name, double timeout, void (*add)(TCase *tcase)) {
  Suite *suite = suite_create(name);
  TCase *tcase = tcase_create(name);
  tcase_set_timeout(tcase, timeout);
  add(tcase);
  suite_add_tcase(suite, tcase);

  check_skipped = tmpfile();
  if (!check_skipped) return EXIT_FAILURE;
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner), all = srunner_ntests_run(runner);
  srunner_free(runner);
  fseek(check_skipped, 0, SEEK_END);
  const long skipped = ftell(check_skipped);
  fclose(check_skipped);
  if (skipped > 0) fprintf(stderr, "%ld of %d tests were skipped\n", skipped, all);
  return failed > 0 ? EXIT_FAILURE : skipped > 0 ? 77 : EXIT_SUCCESS;
}

/* Sanitizers are slow; the test runner has limits of its own. */
enum { CHECK_TIMEOUT = 300 };

#define CHECK_TESTS(...)                                                                       \
  static void check_add(TCase *tcase) {                                                        \
    const TTest *const tests[] = { __VA_ARGS__ };                                              \
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) tcase_add_test(tcase, tests[i]); \
  }

#define CHECK_MAIN(name, ...) \
  CHECK_TESTS(__VA_ARGS__)    \
  int main(void) { return check_suite(name, CHECK_TIMEOUT, check_add); }

/* The suites of a program, each entered before its main begins. */
struct check_entry {
  const char *name;
  int (*run)(void);
  struct check_entry *next;
};

#ifdef __cplusplus
extern "C" {
#endif
extern struct check_entry *check_entries;
#ifdef __cplusplus
}
#endif

#define CHECK_SUITE_OF(name, timeout, add)                               \
  static int check_run(void) { return check_suite(name, timeout, add); } \
  __attribute__((constructor)) static void check_enter(void) {           \
    static struct check_entry entry = { name, check_run, NULL };         \
    entry.next = check_entries;                                          \
    check_entries = &entry;                                              \
  }

#define CHECK_SUITE(name, ...) \
  CHECK_TESTS(__VA_ARGS__)     \
  CHECK_SUITE_OF(name, CHECK_TIMEOUT, check_add)

#endif
