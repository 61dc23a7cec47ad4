/* Regions: arrays whose length varies, as variables, as computed values, and as variables that steps update. */
#include "region_rig.h"

static cdn_state *state_of(cdn_system *system) {
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

static void check_marks(const cdn_state *state, const rig *r, int n, const mark *expected) {
  const void *is;
  int count;
  OK(cdn_region_get(state, r->marks, &is, &count));
  ck_assert_int_eq(count, n);
  ck_assert(n == 0 || memcmp(is, expected, (size_t)n * sizeof(mark)) == 0);
}

START_TEST(a_region_begins_with_its_defaults_and_is_set_as_wished) {
  const rig *r;
  cdn_state *state = state_of(rig_system(NULL, true, NULL, &r));
  const mark more[] = { { 7, 8, 9 }, { -1, -2, -3 }, { 4, 5, 6 } };
  check_marks(state, r, RIG_MARKS, rig_marks);
  OK_ON(state, cdn_region_append(state, r->marks, 3, more));
  check_marks(state, r, 5, (mark[]){ rig_marks[0], rig_marks[1], more[0], more[1], more[2] });
  OK_ON(state, cdn_region_set_elements(state, r->marks, 1, 2, more + 1));
  check_marks(state, r, 5, (mark[]){ rig_marks[0], more[1], more[2], more[1], more[2] });
  OK_ON(state, cdn_region_resize(state, r->marks, 2));
  OK_ON(state, cdn_region_resize(state, r->marks, 4));
  check_marks(state, r, 4, (mark[]){ rig_marks[0], more[1], { 0, 0, 0 }, { 0, 0, 0 } });
  OK_ON(state, cdn_region_set_elements(state, r->marks, 0, 1, NULL));
  OK_ON(state, cdn_region_append(state, r->marks, 1, NULL));
  check_marks(state, r, 5, (mark[]){ { 0, 0, 0 }, more[1], { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } });
  OK_ON(state, cdn_region_set(state, r->marks, 1, more));
  check_marks(state, r, 1, more);
  OK_ON(state, cdn_region_set(state, r->marks, 0, NULL));
  check_marks(state, r, 0, NULL);
  OK_ON(state, cdn_region_append(state, r->marks, 0, NULL));
  OK_ON(state, cdn_region_set_elements(state, r->marks, 0, 0, NULL));
  check_marks(state, r, 0, NULL);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(whoever_reads_any_entry_reads_elements) {
  const rig *r;
  cdn_state *state = state_of(rig_system(NULL, true, NULL, &r));
  const void *value;
  size_t size;
  OK_ON(state, cdn_state_entry(state, r->marks.ticket, &value, &size));
  ck_assert_uint_eq(size, sizeof rig_marks);
  ck_assert_mem_eq(value, rig_marks, size);
  OK_ON(state, cdn_state_entry(state, r->found.ticket, &value, &size));
  ck_assert_uint_eq(size, 30 * sizeof(double));
  OK_ON(state, cdn_state_entry(state, r->charges.ticket, &value, &size));
  ck_assert_uint_eq(size, RIG_CHARGES * sizeof(double));
  ck_assert_ptr_eq(value, cdn_state_parameters(state, r->charges));
  cdn_state_destroy(state);
}
END_TEST

START_TEST(elements_may_be_the_regions_own) {
  const rig *r;
  cdn_state *state = state_of(rig_system(NULL, true, NULL, &r));
  const mark a = rig_marks[0], b = rig_marks[1];
  const mark *own;
  int n = RIG_MARKS;
  /* doubling, so that the memory moves again and again */
  for (int k = 0; k < 10; k++, n *= 2) {
    OK(cdn_region_get(state, r->marks, (const void **)&own, NULL));
    OK_ON(state, cdn_region_append(state, r->marks, n, own));
  }
  OK(cdn_region_get(state, r->marks, (const void **)&own, NULL));
  for (int i = 0; i < n; i++) ck_assert_mem_eq(&own[i], i % 2 ? &b : &a, sizeof a);
  OK_ON(state, cdn_region_set(state, r->marks, 3, own + 1));
  check_marks(state, r, 3, (mark[]){ b, a, b });
  OK(cdn_region_get(state, r->marks, (const void **)&own, NULL));
  OK_ON(state, cdn_region_set_elements(state, r->marks, 1, 2, own));
  check_marks(state, r, 3, (mark[]){ b, b, a });
  cdn_state_destroy(state);
}
END_TEST

START_TEST(bytes_are_kept_as_they_are) {
  const rig *r;
  cdn_state *state = state_of(rig_system(NULL, true, NULL, &r)), *other = NULL;
  const mark odd[] = { { NAN, INT32_MIN, -1 }, { -0.0f, 0, 0 }, { INFINITY, 1, 1 } };
  OK(cdn_state_create(cdn_state_system(state), &other));
  OK_ON(state, cdn_region_set(state, r->marks, 3, odd));
  check_marks(state, r, 3, odd);
  cdn_buffer b = rig_saved(state);
  OK_ON(other, cdn_state_load(other, cdn_buffer_read, &b));
  check_marks(other, r, 3, odd);
  cdn_buffer_free(&b);
  cdn_state_destroy(other);
  cdn_state_destroy(state);
}
END_TEST

static void check_message(const cdn_state *state, cdn_status code, const char *part) {
  cdn_error e;
  cdn_state_last_error(state, &e);
  ck_assert_int_eq(e.code, code);
  ck_assert_msg(strstr(e.text, part) != NULL, "'%s' is not in '%s'", part, e.text);
}

START_TEST(what_makes_no_sense_is_refused_and_changes_nothing) {
  const rig *r;
  const void *elements = &r;
  int n = 7;
  cdn_state *state = state_of(rig_system(NULL, true, NULL, &r));
  const uint64_t serial = cdn_state_serial(state, r->marks.ticket);
  const cdn_region none = { 0, { -1 } }, scalar = { r->charges.of, r->charges.ticket },
                   computed = { r->found.of, r->found.ticket };
  FAILS(cdn_region_get(state, none, &elements, &n), CDN_ERR_ARG);
  ck_assert_ptr_null(elements);
  ck_assert_int_eq(n, 0);
  check_message(state, CDN_ERR_ARG, "no such region");
  FAILS(cdn_region_get(state, scalar, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_region_set(state, computed, 0, NULL), CDN_ERR_ARG);
  FAILS(cdn_region_eval(state, (cdn_computed_region){ r->marks.of, r->marks.ticket }, NULL, &n), CDN_ERR_ARG);
  FAILS(cdn_region_set(state, r->marks, -1, NULL), CDN_ERR_ARG);
  check_message(state, CDN_ERR_ARG, "rig.marks");
  FAILS(cdn_region_append(state, r->marks, INT32_MIN, NULL), CDN_ERR_ARG);
  FAILS(cdn_region_resize(state, r->marks, -5), CDN_ERR_ARG);
  FAILS(cdn_region_set_elements(state, r->marks, -1, 1, NULL), CDN_ERR_ARG);
  FAILS(cdn_region_set_elements(state, r->marks, 1, 2, NULL), CDN_ERR_ARG);
  check_message(state, CDN_ERR_ARG, "it has 2");
  FAILS(cdn_region_set_elements(state, r->marks, INT32_MAX, INT32_MAX, NULL), CDN_ERR_ARG);
  FAILS(cdn_region_resize(state, r->marks, INT32_MAX), CDN_ERR_LIMIT);
  check_message(state, CDN_ERR_LIMIT, "at most");
  FAILS(cdn_region_append(state, r->marks, INT32_MAX, NULL), CDN_ERR_LIMIT);
  FAILS(cdn_region_set(NULL, r->marks, 0, NULL), CDN_ERR_ARG);
  FAILS(cdn_region_get(NULL, r->marks, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_region_output_add(NULL, 1, (void **)&elements), CDN_ERR_ARG);
  /* an array of fixed size has no elements, and a region no fixed size */
  ck_assert_ptr_null(cdn_state_discrete(state, (cdn_dvar){ r->marks.of, r->marks.ticket }));
  FAILS(cdn_state_set_discrete(state, (cdn_dvar){ r->marks.of, r->marks.ticket }, &n), CDN_ERR_ARG);
  check_marks(state, r, RIG_MARKS, rig_marks);
  ck_assert_uint_eq(cdn_state_serial(state, r->marks.ticket), serial);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(setting_invalidates_what_depends_on_it_and_nothing_else) {
  const rig *r;
  int evaluations = 0;
  cdn_state *state = state_of(rig_system(NULL, true, &evaluations, &r));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  ck_assert_int_eq(evaluations, 1);
  const double first = *cdn_state_zdot(state);
  const uint64_t serial = cdn_state_serial(state, r->marks.ticket);
  OK_ON(state, cdn_region_set_elements(state, r->marks, 0, 1, &(mark){ 9, 9, 9 }));
  ck_assert_int_eq(cdn_state_stage(state), CDN_STAGE_VELOCITY);
  ck_assert_uint_eq(cdn_state_serial(state, r->marks.ticket), serial + 1);
  ck_assert_double_ne(*cdn_state_zdot(state), first);
  ck_assert_int_eq(evaluations, 2);
  OK_ON(state, cdn_state_set_time(state, 0.1)); /* nothing of it depends on time */
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  ck_assert_int_eq(evaluations, 2);
  /* a State that was copied knows what was computed */
  cdn_state *copy = NULL;
  OK(cdn_state_create(cdn_state_system(state), &copy));
  OK_ON(copy, cdn_state_copy(copy, state));
  const double *a, *b;
  int n, m;
  OK_ON(state, cdn_region_eval(state, r->found, (const void **)&a, &n));
  OK_ON(copy, cdn_region_eval(copy, r->found, (const void **)&b, &m));
  ck_assert_int_eq(evaluations, 2);
  ck_assert_int_eq(n, 30);
  ck_assert_int_eq(m, n);
  ck_assert(a != b && memcmp(a, b, (size_t)n * sizeof *a) == 0);
  cdn_state_destroy(copy);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(how_it_has_grown_leaves_no_trace) {
  const rig *r;
  cdn_state *grown = state_of(rig_system(NULL, true, NULL, &r)), *fresh = NULL;
  OK(cdn_state_create(cdn_state_system(grown), &fresh));
  const double high = 1e4, low = 0.2;
  OK_ON(grown, cdn_region_resize(grown, r->marks, 1000000));
  OK_ON(grown, cdn_region_append(grown, r->marks, 1, &(mark){ 1, 2, 3 }));
  OK_ON(grown, cdn_state_set_z(grown, &high));
  int n;
  OK_ON(grown, cdn_region_eval(grown, r->found, NULL, &n));
  ck_assert_int_eq(n, 1000000);
  OK_ON(grown, cdn_region_set(grown, r->marks, RIG_MARKS, rig_marks));
  OK_ON(grown, cdn_state_set_z(grown, &low));
  OK_ON(fresh, cdn_state_set_z(fresh, &low));
  ck_assert(rig_same(grown, fresh));
  /* evaluated, too, and so are a step's results */
  const double *a, *b;
  OK_ON(grown, cdn_region_eval(grown, r->found, (const void **)&a, &n));
  ck_assert_int_eq(n, 20);
  OK_ON(fresh, cdn_region_eval(fresh, r->found, (const void **)&b, &n));
  ck_assert_mem_eq(a, b, (size_t)n * sizeof *a);
  OK_ON(grown, cdn_region_eval(grown, r->memory.update, NULL, NULL));
  OK_ON(fresh, cdn_region_eval(fresh, r->memory.update, NULL, NULL));
  ck_assert(rig_same(grown, fresh));
  OK_ON(grown, cdn_state_auto_update(grown));
  OK_ON(fresh, cdn_state_auto_update(fresh));
  ck_assert(rig_same(grown, fresh));
  ck_assert_int_eq(rig_count(grown, r->memory.variable), 2);
  /* both ways */
  OK_ON(fresh, cdn_region_resize(fresh, r->marks, 5000));
  OK_ON(grown, cdn_state_copy(grown, fresh));
  ck_assert(rig_same(grown, fresh));
  OK_ON(fresh, cdn_region_set(fresh, r->marks, 0, NULL));
  OK_ON(grown, cdn_state_copy(grown, fresh));
  ck_assert(rig_same(grown, fresh));
  check_marks(grown, r, 0, NULL);
  cdn_state_destroy(fresh);
  cdn_state_destroy(grown);
}
END_TEST

START_TEST(what_is_not_valid_is_not_copied) {
  const rig *r;
  cdn_state *a = state_of(rig_system(NULL, true, NULL, &r)), *b = NULL;
  OK(cdn_state_create(cdn_state_system(a), &b));
  const double large = 50, small = 0.5, larger = 100;
  int n;
  OK_ON(a, cdn_state_set_z(a, &large));
  OK_ON(a, cdn_region_eval(a, r->found, NULL, &n));
  ck_assert_int_eq(n, 5000);
  OK_ON(a, cdn_state_set_z(a, &small));
  OK_ON(b, cdn_state_copy(b, a));
  OK_ON(a, cdn_state_set_z(a, &larger));
  OK_ON(a, cdn_region_eval(a, r->found, NULL, &n));
  OK_ON(b, cdn_state_copy(b, a));
  OK_ON(b, cdn_region_eval(b, r->found, NULL, &n));
  ck_assert_int_eq(n, 10000);
  cdn_state_destroy(b);
  cdn_state_destroy(a);
}
END_TEST

START_TEST(each_update_follows_from_the_memory_before_it) {
  const rig *r;
  cdn_state *state = state_of(rig_system(NULL, true, NULL, &r));
  const double z[] = { 2, 0.3, -0.05, 1 };
  double expected[8] = { 0.25 };
  int n = 1;
  for (int k = 0; k < 4; k++) {
    OK_ON(state, cdn_state_set_z(state, &z[k]));
    OK_ON(state, cdn_region_eval(state, r->memory.update, NULL, NULL));
    OK_ON(state, cdn_state_auto_update(state));
    const int wanted = 1 + (int)fabs(20 * z[k]);
    n = n + 1 < wanted ? n + 1 : wanted;
    memmove(expected + 1, expected, sizeof expected - sizeof *expected);
    expected[0] = z[k];
    const double *is;
    int m;
    OK(cdn_region_get(state, r->memory.variable, (const void **)&is, &m));
    ck_assert_int_eq(m, n);
    ck_assert_mem_eq(is, expected, (size_t)n * sizeof *is);
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- compute functions that go wrong --------------------------------------------------------- */

typedef struct clumsy {
  cdn_region marks;
  cdn_zvar z;
  cdn_computed_region found, itself;
  int what;
} clumsy;
enum { FAIL_HALFWAY, READ_UNDECLARED, SET_WITHIN, TOO_MANY, NEGATIVE, READ_ITSELF, FINE };

static cdn_status clumsy_find(const void *self, cdn_state *state, cdn_region_output *out) {
  const clumsy *c = self;
  void *to;
  const int what = (int)*cdn_state_zvar(state, c->z);
  cdn_status status = cdn_region_output_add(out, 3, &to);
  if (status != CDN_OK) return status;
  ck_assert_mem_eq(to, (const double[3]){ 0 }, 3 * sizeof(double));
  memset(to, 0xff, 3 * sizeof(double));
  switch (what) {
    case FAIL_HALFWAY: return cdn_state_fail(state, CDN_ERR_SINGULAR, true, "here", "no more");
    case READ_UNDECLARED: return cdn_region_get(state, c->marks, NULL, NULL);
    case SET_WITHIN: return cdn_region_set(state, c->marks, 0, NULL);
    case TOO_MANY: return cdn_region_output_add(out, INT32_MAX, &to);
    case NEGATIVE: return cdn_region_output_add(out, -1, &to);
    case READ_ITSELF: return cdn_region_eval(state, c->found, NULL, NULL);
    default: return cdn_region_output_add(out, 0, &to);
  }
}

static cdn_status clumsy_zdot(const void *self, cdn_state *state, double *zdot) {
  (void)self, (void)state;
  *zdot = 0;
  return CDN_OK;
}

static cdn_status clumsy_declare(void *self, cdn_declarer *d) {
  clumsy *c = self;
  c->z = cdn_declare_z(d, 1, NULL);
  c->marks = cdn_declare_region(d, "marks", 1, 0, NULL, CDN_STAGE_REPORT);
  c->found = cdn_declare_computed_region(d, "found", sizeof(double), clumsy_find, 1, &c->z.ticket, CDN_STAGE_EMPTY);
  return CDN_OK;
}

START_TEST(a_region_whose_function_fails_has_no_elements) {
  cdn_system_def def = cdn_default_system_def();
  def.audit = true;
  cdn_system *system = cdn_system_create(&def);
  const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                  .name = "clumsy",
                                  .self_size = sizeof(clumsy),
                                  .declare = clumsy_declare,
                                  .calc_zdot = clumsy_zdot };
  const clumsy *c = cdn_subsystem_self(system, cdn_system_add_subsystem(system, &ops, &(clumsy){ .what = 0 }));
  OK_FREEZE(system);
  cdn_state *state = state_of(system);
  static const struct {
    cdn_status code;
    const char *part;
  } messages[] = { { CDN_ERR_SINGULAR, "no more" },        { CDN_ERR_UNDECLARED, "not among its prerequisites" },
                   { CDN_ERR_ARG, "cannot be set while" }, { CDN_ERR_LIMIT, "at most" },
                   { CDN_ERR_ARG, "-1 elements" },         { CDN_ERR_CYCLE, "while it is being computed" } };
  const void *elements;
  int n;
  for (int what = 0; what < FINE; what++) {
    const double z = what, fine = FINE;
    OK_ON(state, cdn_state_set_z(state, &z));
    FAILS(cdn_region_eval(state, c->found, &elements, &n), messages[what].code);
    check_message(state, messages[what].code, messages[what].part);
    ck_assert_ptr_null(elements);
    ck_assert_int_eq(n, 0);
    OK_ON(state, cdn_state_set_z(state, &fine));
    OK_ON(state, cdn_region_eval(state, c->found, &elements, &n));
    ck_assert_int_eq(n, 3);
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- declaring ------------------------------------------------------------------------------- */

static int mistake;
static cdn_status declare_wrongly(void *self, cdn_declarer *d) {
  (void)self;
  switch (mistake) {
    case 0: cdn_declare_region(d, "r", 0, 1, NULL, CDN_STAGE_FORCE); break;
    case 1: cdn_declare_region(d, "r", 8, -1, NULL, CDN_STAGE_FORCE); break;
    case 2: cdn_declare_region(d, "r", 8, 1, NULL, CDN_STAGE_TOPOLOGY); break;
    case 3: cdn_declare_region(d, "r", SIZE_MAX, 1, NULL, CDN_STAGE_FORCE); break;
    case 4: cdn_declare_region(d, "r", 1 << 20, INT32_MAX, NULL, CDN_STAGE_FORCE); break;
    case 5: cdn_declare_computed_region(d, "r", 8, NULL, 0, NULL, CDN_STAGE_EMPTY); break;
    case 6: cdn_declare_computed_region(d, "r", 0, rig_find, 0, NULL, CDN_STAGE_EMPTY); break;
    case 7: cdn_declare_computed_region(d, "r", 8, rig_find, 1, NULL, CDN_STAGE_EMPTY); break;
    case 8: cdn_declare_computed_region(d, "r", 8, rig_find, 1, &(cdn_ticket){ 5000 }, CDN_STAGE_EMPTY); break;
    case 9: cdn_declare_auto_region(d, "r", 8, 1, NULL, NULL, 0, NULL); break;
    case 10: cdn_declare_auto_region(d, "r", 8, -2, NULL, rig_find, 0, NULL); break;
    case 11: cdn_declare_shared_parameters(d, "r", -1, NULL); break;
    case 12: cdn_declare_shared_parameters(d, "r", 2, (const double[]){ 1, NAN }); break;
    default: ck_abort();
  }
  return CDN_OK;
}

START_TEST(mistakes_in_declarations_are_told) {
  for (mistake = 0; mistake < 13; mistake++) {
    cdn_system *system = cdn_system_create(NULL);
    const cdn_subsystem_ops ops = { .struct_size = sizeof ops, .name = "wrong", .declare = declare_wrongly };
    cdn_system_add_subsystem(system, &ops, NULL);
    ck_assert_int_ne(cdn_system_freeze(system), CDN_OK);
    cdn_error e;
    cdn_system_last_error(system, &e);
    ck_assert_msg(strstr(e.text, "wrong.r") != NULL, "mistake %d: %s", mistake, e.text);
    cdn_system_release(system);
  }
}
END_TEST

CHECK_MAIN("regions", a_region_begins_with_its_defaults_and_is_set_as_wished, whoever_reads_any_entry_reads_elements,
           elements_may_be_the_regions_own, bytes_are_kept_as_they_are,
           what_makes_no_sense_is_refused_and_changes_nothing, setting_invalidates_what_depends_on_it_and_nothing_else,
           how_it_has_grown_leaves_no_trace, what_is_not_valid_is_not_copied,
           each_update_follows_from_the_memory_before_it, a_region_whose_function_fails_has_no_elements,
           mistakes_in_declarations_are_told)
