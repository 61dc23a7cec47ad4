/* The suite of a file: CHECK_MAIN("suite", test_a, test_b, ...), or CHECK_MAIN_OF where tests come in loops. The
 * environment (CK_FORK, CK_RUN_CASE, CK_VERBOSITY, ...) is Check's own and is honoured. A test that lacks something
 * says SKIP("no model %s", path): the program then ends with 77, which the runner counts as skipped, unless a test
 * failed.
 *
 * Linking takes as long as compiling a file: the files of a folder are one program, whose argument names the file that
 * runs (check_suites.c). */
#ifndef CARDAN_TESTS_CHECK_MAIN_H
#define CARDAN_TESTS_CHECK_MAIN_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/* Check writes each assertion that holds into a file, in case the test crashes after it: half of the time of a test
 * with a million of them. */
#undef ck_assert
#undef ck_assert_msg
#define ck_assert(expr) ck_assert_msg(expr, "Assertion '%s' failed", #expr)
#define ck_assert_msg(expr, ...) ((expr) ? (void)0 : ck_abort_msg(__VA_ARGS__))

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

/* The suites of a program, each entered before its main begins. */
struct check_entry {
  const char *file; /* its path */
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

/* Several files may be compiled as one. */
#define CHECK_JOINED(name, n) CHECK_PASTED(name, n)
#define CHECK_PASTED(name, n) name##n
#define CHECK_MAIN_OF(name, timeout, add) CHECK_NUMBERED(name, timeout, add, __COUNTER__)
#define CHECK_NUMBERED(name, timeout, add, n) \
  CHECK_ENTER(name, timeout, add, CHECK_JOINED(check_run_, n), CHECK_JOINED(check_enter_, n))
#define CHECK_ENTER(name, timeout, add, run, enter)                \
  static int run(void) { return check_suite(name, timeout, add); } \
  __attribute__((constructor)) static void enter(void) {           \
    static struct check_entry entry = { __FILE__, run, NULL };     \
    entry.next = check_entries;                                    \
    check_entries = &entry;                                        \
  }

#define CHECK_MAIN(name, ...) CHECK_LISTED(name, __COUNTER__, __VA_ARGS__)
#define CHECK_LISTED(name, n, ...) CHECK_LIST(name, CHECK_JOINED(check_add_, n), __VA_ARGS__)
#define CHECK_LIST(name, add, ...)                                                             \
  static void add(TCase *tcase) {                                                              \
    const TTest *const tests[] = { __VA_ARGS__ };                                              \
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) tcase_add_test(tcase, tests[i]); \
  }                                                                                            \
  CHECK_MAIN_OF(name, CHECK_TIMEOUT, add)

#endif
