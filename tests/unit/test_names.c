/* Names: two elements of one sort may not share one; slots, forces, parameter arrays and tickets are found by theirs,
 * and any entry is read by its ticket. */
#include "../testing.h"

static cdn_body add_arm(cdn_system *system, const char *name, cdn_body parent) {
  cdn_body_def def = cdn_default_body_def();
  def.name = name, def.parent = parent, def.mobilizer = CDN_PIN, def.X_BM.p = cdn_v3(0, 1, 0), def.mass.mass = 1;
  return cdn_system_add_body(system, &def);
}

static void is_refused(cdn_system *system, const char *type, const char *name) {
  FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
  cdn_error e;
  cdn_last_error(&e);
  ck_assert_str_eq(e.element, name);
  ck_assert_msg(strstr(e.text, type) && strstr(e.text, name), "'%s'", e.text);
  cdn_system_release(system);
}

START_TEST(test_two_of_one_name) {
  for (int type = 0; type < 7; type++) {
    static const char *const sorts[] = { "body", "mobilizer", "force", "constraint", "measure", "motion", "event" };
    cdn_system *system = cdn_system_create(NULL);
    const cdn_body upper = add_arm(system, "upper", cdn_ground());
    const cdn_body lower = add_arm(system, type == 0 ? "upper" : "lower", upper);
    cdn_body_def def = cdn_default_body_def();
    def.name = "third", def.mobilizer_name = type == 1 ? "upper" : NULL, def.mobilizer = CDN_SLIDER, def.mass.mass = 1;
    const cdn_body third = cdn_system_add_body(system, &def);
    cdn_system_add_mobility_spring(system, "spring", upper, 0, 1, 0);
    cdn_system_add_mobility_damper(system, type == 2 ? "spring" : "damper", upper, 0, 1);
    cdn_system_constrain_coordinate(system, "one", upper, 0, 0);
    cdn_system_constrain_coordinate(system, type == 3 ? "one" : "two", lower, 0, 0);
    cdn_system_add_time_measure(system, "clock");
    cdn_system_add_time_measure(system, type == 4 ? "clock" : "other clock");
    cdn_motion_def motion = cdn_default_motion_def();
    motion.name = "drive", motion.body = upper;
    cdn_system_add_motion(system, &motion);
    motion.name = type == 5 ? "drive" : "other drive", motion.body = third;
    cdn_system_add_motion(system, &motion);
    cdn_event_def event = cdn_default_event_def();
    event.kind = CDN_EVENT_PERIODIC, event.period = 1, event.name = "tick";
    cdn_system_add_event(system, &event);
    event.name = type == 6 ? "tick" : "tock";
    cdn_system_add_event(system, &event);
    static const char *const names[] = { "upper", "upper", "spring", "one", "clock", "drive", "tick" };
    is_refused(system, sorts[type], names[type]);
  }
}
END_TEST

START_TEST(test_everything_is_found) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body upper = add_arm(system, "upper", cdn_ground());
  add_arm(system, "lower", upper);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.8, 0));
  const cdn_force spring = cdn_system_add_mobility_spring(system, "spring", upper, 0, 7, 0.5);
  int slot = -1, n = 0;
  ck_assert_int_eq(cdn_system_find_slot(system, CDN_POOL_Q, "lower.q"), -1);
  OK_FREEZE(system);
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));

  for (int pool = 0; pool < 2; pool++)
    for (int k = 0; k < 2; k++) {
      char name[64];
      cdn_system_slot_name(system, (cdn_pool)pool, k, name, sizeof name);
      slot = cdn_system_find_slot(system, (cdn_pool)pool, name);
      ck_assert_int_eq(slot, k);
    }
  ck_assert_int_eq(cdn_system_find_slot(system, CDN_POOL_Q, "nobody.q"), -1);
  ck_assert_int_eq(cdn_system_find_slot(system, (cdn_pool)7, "lower.q"), -1);
  cdn_force force;
  force = cdn_system_find_force(system, "spring");
  ck_assert_int_eq(force.i, spring.i);
  ck_assert_str_eq(cdn_force_kind_name(system, force), "mobility_spring");
  ck_assert_int_eq(cdn_system_find_force(system, "sprung").i, -1);

  /* tickets: every name leads back, and everything but stages has a value */
  for (int t = 1; t < cdn_system_ticket_count(system); t++) {
    const char *name = cdn_ticket_name(system, (cdn_ticket){ t });
    cdn_ticket found = { -1 };
    const void *bytes = NULL;
    size_t size = 1;
    if (!name) continue;
    found = cdn_system_find_ticket(system, name);
    ck_assert_int_eq(found.i, t);
    bool stage = false;
    for (int s = CDN_STAGE_TOPOLOGY; s < CDN_STAGE_COUNT; s++) stage = stage || cdn_stage_ticket((cdn_stage)s).i == t;
    if (stage) FAILS(cdn_state_entry(state, found, &bytes, &size), CDN_ERR_ARG);
    else OK_ON(state, cdn_state_entry(state, found, &bytes, &size));
    ck_assert(stage == !bytes || size == 0); /* a region may have no elements */
  }
  const void *udot = NULL;
  size_t size = 0;
  OK(cdn_state_entry(state, CDN_UDOT, &udot, &size));
  ck_assert(size == 2 * sizeof(double) && memcmp(udot, cdn_state_udot(state), size) == 0);
  OK(cdn_state_entry(state, CDN_Q, &udot, &size));
  ck_assert(size == 2 * sizeof(double) && udot == (const void *)cdn_state_q(state));
  FAILS(cdn_state_entry(state, (cdn_ticket){ 100000 }, &udot, &size), CDN_ERR_ARG);
  cdn_dvar masses;
  masses = cdn_system_find_parameters(system, "matter.mass", &n);
  ck_assert(n == 30 && cdn_state_parameters(state, masses)[10] == 1);
  masses = cdn_system_find_parameters(system, "matter.pose", &n);
  ck_assert(masses.ticket.i == 0 && n == 0);
  ck_assert_int_eq(cdn_system_find_ticket(system, "matter.ghost").i, 0);
  cdn_state_destroy(state), cdn_system_release(system);
}
END_TEST

/* ---- ids of another System ---- */

typedef struct keeper {
  cdn_dvar choice, numbers;
  cdn_cache sum;
  cdn_region marks;
  cdn_computed_region found;
} keeper;
static keeper declared; /* by the System that was frozen last */

static cdn_status calc_sum(const void *self, cdn_state *state, void *out) {
  (void)self, (void)state;
  *(double *)out = 1;
  return CDN_OK;
}
static cdn_status find_marks(const void *self, cdn_state *state, cdn_region_output *out) {
  (void)self, (void)state, (void)out;
  return CDN_OK;
}
static cdn_status declare(void *self, cdn_declarer *d) {
  (void)self;
  declared.choice = cdn_declare_discrete(d, "choice", sizeof(int), NULL, CDN_STAGE_POSITION);
  declared.numbers = cdn_declare_parameters(d, "numbers", 2, NULL);
  declared.sum = cdn_declare_cache(d, "sum", sizeof(double), calc_sum, 0, NULL);
  declared.marks = cdn_declare_region(d, "marks", sizeof(double), 0, NULL, CDN_STAGE_POSITION);
  declared.found = cdn_declare_computed_region(d, "found", sizeof(double), find_marks, 0, NULL, CDN_STAGE_EMPTY);
  return CDN_OK;
}

static cdn_state *make_keeper(bool audit) {
  cdn_system_def def = cdn_default_system_def();
  def.name = "own", def.audit = audit;
  cdn_system *system = cdn_system_create(&def);
  const cdn_subsystem_ops ops = { .struct_size = sizeof ops, .name = "keeper", .declare = declare };
  cdn_system_add_subsystem(system, &ops, NULL);
  OK_FREEZE(system);
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* Of two Systems with the same parts: all numbers are the same, so only the mark tells. */
START_TEST(test_ids_of_another_system) {
  for (int audit = 0; audit < 2; audit++) {
    cdn_state *one = make_keeper(audit);
    const keeper of_one = declared;
    cdn_state *two = make_keeper(audit);
    const cdn_status expected = audit ? CDN_ERR_ARG : CDN_OK;
    const double values[2] = { 3, 4 };
    const int choice = 1;
    const void *elements;
    int n;
    /* each with its own */
    OK(cdn_state_set_parameters(one, of_one.numbers, 0, 2, values));
    OK(cdn_state_set_parameters(two, declared.numbers, 0, 2, values));
    ck_assert_ptr_nonnull(cdn_eval(two, declared.sum));
    OK(cdn_region_set(two, declared.marks, 2, values));
    /* the first one's with the second */
    ck_assert_int_eq(cdn_state_set_parameters(two, of_one.numbers, 0, 2, values), expected);
    ck_assert_int_eq(cdn_state_set_discrete(two, of_one.choice, &choice), expected);
    ck_assert_int_eq(cdn_region_set(two, of_one.marks, 2, values), expected);
    ck_assert_int_eq(cdn_region_append(two, of_one.marks, 1, values), expected);
    ck_assert_int_eq(cdn_region_get(two, of_one.marks, &elements, &n), expected);
    ck_assert_int_eq(cdn_region_eval(two, of_one.found, &elements, &n), expected);
    ck_assert((cdn_state_parameters(two, of_one.numbers) == NULL) == audit);
    ck_assert((cdn_state_discrete(two, of_one.choice) == NULL) == audit);
    ck_assert((cdn_eval(two, of_one.sum) == NULL) == audit);
    if (audit) {
      cdn_error e;
      cdn_state_last_error(two, &e);
      ck_assert_str_eq(e.function, "cdn_eval");
      ck_assert_msg(strstr(e.text, "another System") && strstr(e.text, "keeper.sum") && strstr(e.text, "'own'"), "%s",
                    e.text);
    }
    /* an id that is made of a ticket says nothing of a System */
    ck_assert_ptr_nonnull(cdn_state_parameters(two, (cdn_dvar){ 0, of_one.numbers.ticket }));
    cdn_state_destroy(one), cdn_state_destroy(two);
  }
}
END_TEST

CHECK_MAIN("names", test_two_of_one_name, test_everything_is_found, test_ids_of_another_system)
