/* What must not be done to a State: slots that it does not have, sizes that no memory holds, and writing while
 * something is being computed. Each is refused with a message, and changes nothing. */
#include <limits.h>

#include "../property/bare_system.h"

/* ---- slots that are not there ---------------------------------------------------------------- */

/* Two pins in a row, and a parameter array with a name. */
static cdn_system *two_pins(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  for (int i = 0; i < 2; i++) def.parent = cdn_system_add_body(system, &def);
  return system;
}

static void refused(cdn_state *state, cdn_status status) {
  cdn_error e;
  ck_assert_int_eq(status, CDN_ERR_ARG);
  cdn_state_last_error(state, &e);
  ck_assert_int_eq(e.code, CDN_ERR_ARG);
  ck_assert(e.text[0] != 0);
}

START_TEST(test_slots_that_are_not_there) {
  static const struct {
    int pool, first, n;
  } bad[] = { { CDN_POOL_Q, INT_MAX, INT_MAX },
              { CDN_POOL_Q, INT_MAX, 1 },
              { CDN_POOL_Q, 2, INT_MAX },
              { CDN_POOL_Q, 1, 2 },
              { CDN_POOL_Q, -1, 1 },
              { CDN_POOL_U, INT_MIN, 1 },
              { CDN_POOL_U, 0, -1 },
              { CDN_POOL_U, 1, INT_MIN },
              { CDN_POOL_Z, 0, 1 },
              { -1, 0, 1 },
              { 3, 0, 1 },
              { INT_MAX, 0, 0 } };
  static const double values[4] = { 0.5, 0.5, 0.5, 0.5 };
  cdn_state *state = bare_state(two_pins());
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    refused(state, cdn_state_set_slots(state, (cdn_pool)bad[k].pool, bad[k].first, bad[k].n, values));
  }
  ck_assert(cdn_state_q(state)[0] == 0 && cdn_state_q(state)[1] == 0 && cdn_state_u(state)[0] == 0);
  OK(cdn_state_set_slots(state, CDN_POOL_Q, 2, 0, NULL));
  OK(cdn_state_set_slots(state, CDN_POOL_U, 1, 1, values));
  ck_assert_double_eq(cdn_state_u(state)[1], 0.5);

  const cdn_system *system = cdn_state_system(state);
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    char text[40] = "not written";
    if (bad[k].pool >= 0 && bad[k].pool < 3 && bad[k].first >= 0 && bad[k].first < 2) continue;
    cdn_system_slot_name(system, (cdn_pool)bad[k].pool, bad[k].first, text, sizeof text);
    ck_assert_str_eq(text, "");
  }
  cdn_state_destroy(state);
}
END_TEST

typedef struct box {
  cdn_dvar numbers;
} box;

static cdn_status declare_box(void *self, cdn_declarer *d) {
  ((box *)self)->numbers = cdn_declare_parameters(d, "numbers", 3, (const double[]){ 1, 2, 3 });
  return CDN_OK;
}

START_TEST(test_parameters_that_are_not_there) {
  static const int bad[][2] = { { INT_MAX, INT_MAX }, { INT_MAX, 1 }, { 3, INT_MAX }, { 2, 2 }, { -1, 1 }, { 0, -1 },
                                { INT_MIN, 1 },       { 1, INT_MIN } };
  static const double values[4] = { 9, 9, 9, 9 };
  const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "box", .self_size = sizeof(box), .declare = declare_box
  };
  cdn_system *system = bare_system(true);
  const cdn_subsystem id = cdn_system_add_subsystem(system, &ops, &(box){ .numbers = { 0, { 0 } } });
  cdn_state *state = bare_state(system);
  const box *b = cdn_subsystem_self(cdn_state_system(state), id);
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    refused(state, cdn_state_set_parameters(state, b->numbers, bad[k][0], bad[k][1], values));
  }
  const cdn_dvar none[] = { { -1, { -1 } }, { INT_MAX, { INT_MAX } }, { 1, { 1 } } };
  for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
    refused(state, cdn_state_set_parameters(state, none[k], 0, 1, values));
    refused(state, cdn_state_set_discrete(state, none[k], values));
    ck_assert_ptr_null(cdn_state_discrete(state, none[k]));
  }
  const double *now = cdn_state_parameters(state, b->numbers);
  ck_assert(now[0] == 1 && now[1] == 2 && now[2] == 3);
  /* an id of which only one half is right; one that is made of a ticket */
  ck_assert_ptr_null(cdn_state_parameters(state, (cdn_dvar){ b->numbers.of, { INT_MAX } }));
  ck_assert_ptr_eq(cdn_state_parameters(state, (cdn_dvar){ 0, b->numbers.ticket }), now);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(test_displacements_that_are_not_there) {
  static const double basis[4] = { 1, 0, 0, 1 }, y[4] = { 0.1, 0.2, 0.3, 0.4 };
  static const int bad[] = { INT_MAX, INT_MIN, -1, 3 };
  cdn_state *state = bare_state(two_pins());
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) refused(state, cdn_displace(state, bad[k], basis, y, NULL));
  ck_assert(cdn_state_q(state)[0] == 0 && cdn_state_q(state)[1] == 0);
  OK_ON(state, cdn_displace(state, 2, basis, y, NULL));
  ck_assert(cdn_state_q(state)[0] == 0.1 && cdn_state_q(state)[1] == 0.2);
  OK_ON(state, cdn_displace(state, 0, NULL, NULL, NULL));
  cdn_state_destroy(state);
}
END_TEST

START_TEST(test_scratch_that_is_not_there) {
  cdn_state *state = bare_state(two_pins());
  ck_assert_ptr_null(cdn_work_push(state, SIZE_MAX));
  ck_assert_ptr_null(cdn_work_push(state, SIZE_MAX - 100));
  cdn_work_pop(state, NULL);
  void *frame = cdn_work_push(state, 100);
  ck_assert_ptr_nonnull(frame);
  cdn_work_pop(state, frame);
  cdn_state_destroy(state);
}
END_TEST

/* ---- sizes that no memory holds -------------------------------------------------------------- */

static cdn_status no_rates(const void *self, cdn_state *state, double *rates) {
  (void)self, (void)state, (void)rates;
  return CDN_OK;
}
static cdn_status no_product(const void *self, cdn_state *state, const double *in, double *out) {
  (void)self, (void)state, (void)in, (void)out;
  return CDN_OK;
}
static cdn_status no_triggers(const void *self, cdn_state *state, int group, double *values) {
  (void)self, (void)state, (void)group, (void)values;
  return CDN_OK;
}
static cdn_status no_value(const void *self, cdn_state *state, void *out) {
  (void)self, (void)state, (void)out;
  return CDN_OK;
}

/* What declare asks for, and how it is answered. */
static int asked;
enum { ASKED = 20 };
static cdn_status declare_extremes(void *self, cdn_declarer *d) {
  const cdn_ticket wrong[2] = { { -7 }, { 1 << 30 } };
  (void)self;
  switch (asked) {
    case 0: cdn_declare_z(d, INT_MAX, NULL); break;
    case 1: cdn_declare_z(d, 100000000, NULL), cdn_declare_z(d, 100000000, NULL); break;
    case 2: cdn_declare_qu(d, INT_MAX, NULL, INT_MAX, NULL); break;
    case 3: cdn_declare_qu(d, 1, NULL, INT_MAX, NULL); break;
    case 4: cdn_declare_discrete(d, "x", SIZE_MAX, NULL, CDN_STAGE_TIME); break;
    case 5: cdn_declare_cache(d, "x", SIZE_MAX / 2, no_value, 0, NULL); break;
    case 6: cdn_declare_auto_update(d, "x", SIZE_MAX - 3, NULL, no_value, 0, NULL); break;
    case 7: cdn_declare_parameters(d, "x", INT_MAX, NULL); break;
    case 8: cdn_declare_constraint_errors(d, INT_MAX, INT_MAX, INT_MAX); break;
    case 9: cdn_declare_constraint_errors(d, 0, 0, INT_MAX); break;
    case 10: cdn_declare_event_triggers(d, CDN_STAGE_TIME, INT_MAX); break;
    case 11: cdn_declare_z(d, INT_MIN, NULL); break;
    case 12: cdn_declare_qu(d, INT_MIN, NULL, INT_MIN, NULL); break;
    case 13: cdn_declare_parameters(d, "x", INT_MIN, NULL); break;
    case 14: cdn_declare_constraint_errors(d, INT_MIN, 0, 0); break;
    case 15: cdn_declare_event_triggers(d, CDN_STAGE_TIME, -1); break;
    case 16: cdn_declare_event_triggers(d, (cdn_stage)77, 1); break;
    case 17: cdn_declare_cache(d, "x", 8, no_value, 2, wrong); break;
    case 18: cdn_declare_cache(d, "x", 8, no_value, -1, wrong); break;
    default: cdn_declare_z_scale(d, (cdn_zvar){ INT_MAX, { 0 } }, (const double[]){ 1 }); break;
  }
  return CDN_OK;
}

START_TEST(test_sizes_that_no_memory_holds) {
  const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                  .name = "giant",
                                  .declare = declare_extremes,
                                  .calc_qdot = no_rates,
                                  .calc_udot = no_rates,
                                  .calc_zdot = no_rates,
                                  .multiply_by_N = no_product,
                                  .multiply_by_N_inv = no_product,
                                  .calc_qerr = no_rates,
                                  .calc_uerr = no_rates,
                                  .calc_udoterr = no_rates,
                                  .calc_multipliers = no_rates,
                                  .calc_event_triggers = no_triggers };
  for (asked = 0; asked < ASKED; asked++) {
    cdn_system *system = bare_system(true);
    cdn_error e;
    cdn_system_add_subsystem(system, &ops, NULL);
    const cdn_status status = cdn_system_freeze(system);
    cdn_system_last_error(system, &e);
    ck_assert_msg(status == (asked <= 10 ? CDN_ERR_LIMIT : CDN_ERR_ARG), "request %d: %s %s", asked,
                  cdn_status_name(status), e.text);
    /* the message names the subsystem, or its entry */
    ck_assert_msg(strstr(e.text, "giant") || strstr(e.element, "giant"), "request %d: [%s] %s", asked, e.element,
                  e.text);
    cdn_system_release(system);
  }
}
END_TEST

/* A trigger group means something to a triggered event only. */
START_TEST(test_groups_of_events_without_triggers) {
  cdn_system *system = two_pins();
  cdn_event_def def = cdn_default_event_def();
  def.kind = CDN_EVENT_PERIODIC, def.period = 0.1, def.group = INT_MAX, def.index = INT_MAX;
  cdn_system_add_event(system, &def);
  cdn_state *state = bare_state(system);
  double value;
  ck_assert_int_ne(cdn_event_value(state, (cdn_event){ 0 }, &value), CDN_OK);
  cdn_state_destroy(state);
}
END_TEST

/* ---- writing while something is being computed ------------------------------------------------ */

typedef struct writer {
  cdn_state *other; /* of the same System */
  cdn_body body;
  cdn_measure late, variable;
  cdn_buffer saved;
  int refusals;
} writer;
static writer rig; /* callbacks get a const copy of their own */

/* Everything that would change the State. */
static cdn_status write_all(const void *self, cdn_state *state, cdn_forces *forces) {
  static const double two[2] = { 5, 5 };
  cdn_buffer reader = { .bytes = rig.saved.bytes, .size = rig.saved.size };
  const cdn_status status[] = {
    cdn_state_copy(state, rig.other),
    cdn_state_copy(state, state),
    cdn_state_auto_update(state),
    cdn_state_load(state, cdn_buffer_read, &reader),
    cdn_state_set_time(state, 5),
    cdn_state_set_q(state, two),
    cdn_state_set_u(state, two),
    cdn_state_set_ty(state, 5, cdn_state_q(rig.other)),
    cdn_state_set_applied_mobility_forces(state, two),
    cdn_state_set_applied_body_force(state, rig.body, (cdn_spatial){ { 5, 5, 5 }, { 5, 5, 5 } }),
    cdn_body_set_armature(state, rig.body, 5),
    cdn_body_lock(state, rig.body, CDN_LEVEL_POSITION),
    cdn_measure_set_value(state, rig.variable, two),
    cdn_measure_reset(state, rig.late),
    cdn_prescribe(state, NULL),
  };
  (void)self, (void)forces;
  rig.refusals = 0;
  for (size_t k = 0; k < sizeof status / sizeof *status; k++) {
    ck_assert_msg(status[k] == CDN_ERR_ARG, "call %zu: %s", k, cdn_status_name(status[k]));
    rig.refusals++;
  }
  cdn_forces_add_mobility(forces, rig.body, 0, 3);
  return CDN_OK;
}

START_TEST(test_nothing_is_written_while_computing) {
  cdn_system *system = two_pins();
  rig.body.i = 2;
  rig.variable = cdn_system_add_variable_measure(system, "variable", 1, (const double[]){ 1 });
  cdn_delay_def late = cdn_default_delay_def();
  late.name = "late", late.operand = cdn_system_add_time_measure(system, "time"), late.delay = 1;
  rig.late = cdn_system_add_delay_measure(system, &late);
  const cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = write_all };
  cdn_system_add_custom_force(system, &ops, NULL);
  cdn_state *state = bare_state(system);
  OK(cdn_state_create(cdn_state_system(state), &rig.other));
  OK(cdn_state_set_time(rig.other, 7));
  OK(cdn_state_save(rig.other, cdn_buffer_write, &rig.saved));
  const double q[2] = { 0.1, 0.2 };
  OK(cdn_state_set_q(state, q));
  /* a State of its own that saw no writing */
  const double *udot = cdn_state_udot(state);
  ck_assert_ptr_nonnull(udot);
  ck_assert_int_eq(rig.refusals, 15);
  ck_assert(cdn_state_time(state) == 0 && cdn_state_q(state)[0] == 0.1 && cdn_state_u(state)[0] == 0);
  /* the force alone: outboard pin, moments of inertia 1 about each axis of two bodies in one place */
  NEAR(udot[1], 3 + 3, 1e-12);
  NEAR(udot[0], -3, 1e-12);
  OK(cdn_state_auto_update(state)); /* afterwards it may be */
  OK(cdn_state_copy(state, rig.other));
  ck_assert_double_eq(cdn_state_time(state), 7);
  cdn_buffer_free(&rig.saved);
  cdn_state_destroy(rig.other);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("misuse of States", test_slots_that_are_not_there, test_parameters_that_are_not_there,
           test_displacements_that_are_not_there, test_scratch_that_is_not_there, test_sizes_that_no_memory_holds,
           test_groups_of_events_without_triggers, test_nothing_is_written_while_computing)
