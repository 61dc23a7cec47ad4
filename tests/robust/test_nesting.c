/* Entries that wait for each other, one computed from the next: many may; what the stack of calls would not bear is
 * refused when the System is frozen, never in a run. */
#include <stdio.h>

#include "../testing.h"

/* Measures m1 = t, m2 = m1, ...: asking for the last asks for all. */
static cdn_system *chain(int n, cdn_measure *end) {
  cdn_system *system = cdn_system_create(NULL);
  char name[24];
  *end = cdn_system_add_time_measure(system, "m1");
  for (int i = 2; i <= n; i++) {
    snprintf(name, sizeof name, "m%d", i);
    *end = cdn_system_add_sum_measure(system, name, 1, end, NULL);
  }
  return system;
}

START_TEST(test_a_long_chain_works) {
  cdn_measure end;
  cdn_system *system = chain(900, &end);
  OK_FREEZE(system);
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  for (int i = 1; i <= 2; i++) {
    OK(cdn_state_set_time(state, i));
    const double *value = cdn_measure_value(state, end);
    ck_assert_msg(value, "%s", cdn_last_error_text());
    ck_assert_double_eq(*value, i);
  }
  cdn_state_destroy(state), cdn_system_release(system);
}
END_TEST

START_TEST(test_a_longer_one_is_refused_at_freezing) {
  cdn_measure end;
  cdn_system *system = chain(1100, &end);
  cdn_error e;
  FAILS(cdn_system_freeze(system), CDN_ERR_LIMIT);
  cdn_last_error(&e);
  ck_assert_str_eq(e.function, "cdn_system_freeze");
  ck_assert_msg(strstr(e.text, "1100") && strstr(e.text, "m1.") && strstr(e.text, "1000"), "'%s'", e.text);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("nesting", test_a_long_chain_works, test_a_longer_one_is_refused_at_freezing)
