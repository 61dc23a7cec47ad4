/* Measures one by one: their values and derivatives, their names, what is refused. */
#include "measure_rig.h"

/* ---- values ----------------------------------------------------------------------------------- */

START_TEST(functions_of_time) {
  const double pair[] = { 3, -4 };
  cdn_system *system = audited_system();
  cdn_measure constant = cdn_system_add_constant_measure(system, "pair", 2, pair);
  cdn_measure t = cdn_system_add_time_measure(system, "t");
  cdn_measure wave = cdn_system_add_sinusoid_measure(system, "wave", 2, 3, 0.5);
  cdn_measure product = cdn_system_add_product_measure(system, "t wave", t, wave);
  cdn_measure both = cdn_system_add_product_measure(system, "pair t", constant, t);
  cdn_measure second = cdn_system_add_component_measure(system, "second", both, 1);
  cdn_measure turn = cdn_system_add_derivative_measure(system, "turn", product);
  cdn_measure turn2 = cdn_system_add_derivative_measure(system, "turn2", turn);
  cdn_state *state = event_state(system);
  for (double now = -1; now < 3; now += 0.37) {
    double s = sin(3 * now + 0.5), c = cos(3 * now + 0.5), value[2];
    OK_ON(state, cdn_state_set_time(state, now));
    ck_assert(value_in(state, t) == now);
    NEAR(value_in(state, wave), 2 * s, 1e-15);
    NEAR(value_in(state, product), 2 * now * s, 1e-14);
    ck_assert(value_in(state, second) == -4 * now);
    ck_assert(values_in(state, constant)[0] == 3 && values_in(state, constant)[1] == -4);
    /* by Leibniz: (t w)'' = 2 w' + t w'' */
    NEAR(value_in(state, turn), 2 * s + 6 * now * c, 1e-14 * 20);
    NEAR(value_in(state, turn2), 12 * c - 18 * now * s, 1e-14 * 60);
    OK_ON(state, cdn_measure_derivative(state, product, 2, value));
    ck_assert(*value == value_in(state, turn2));
    OK_ON(state, cdn_measure_derivative(state, wave, 7, value));
    NEAR(*value, -2 * 2187 * c, 1e-12 * 4374);
    OK_ON(state, cdn_measure_derivative(state, both, 1, value));
    ck_assert(value[0] == 3 && value[1] == -4);
  }
  cdn_state_destroy(state);
}
END_TEST

START_TEST(mechanical_quantities) {
  cdn_system *system = audited_system();
  cdn_body_def def = cdn_default_body_def();
  const cdn_vec3 p = { 0.3, -0.2, 0.5 };
  def.mass = (cdn_mass_properties){ .mass = 2, .com = { 0.1, 0, 0.2 }, .inertia = { .xx = 1, .yy = 1.2, .zz = 0.9 } };
  def.name = "base", def.mobilizer = CDN_FREE;
  def.parent = cdn_system_add_body(system, &def);
  def.name = "arm", def.mobilizer = CDN_UNIVERSAL;
  def.X_PF.p = cdn_v3(0, 0, 1);
  cdn_body arm = cdn_system_add_body(system, &def);
  cdn_measure x = cdn_system_add_station_measure(system, "x", arm, p, CDN_STATION_POSITION);
  cdn_measure v = cdn_system_add_station_measure(system, "v", arm, p, CDN_STATION_VELOCITY);
  cdn_measure a = cdn_system_add_station_measure(system, "a", arm, p, CDN_STATION_ACCELERATION);
  cdn_measure v2 = cdn_system_add_derivative_measure(system, "v2", x);
  cdn_measure a2 = cdn_system_add_derivative_measure(system, "a2", v2);
  cdn_measure qdot = cdn_system_add_coordinate_measure(system, "qdot", arm, CDN_QDOT, 1);
  cdn_measure udot = cdn_system_add_coordinate_measure(system, "udot", arm, CDN_UDOT, 1);
  cdn_measure slot = cdn_system_add_slot_measure(system, "slot", CDN_Q, 2);
  cdn_measure ke = cdn_system_add_energy_measure(system, "ke", CDN_ENERGY_KINETIC);
  cdn_measure pe = cdn_system_add_energy_measure(system, "pe", CDN_ENERGY_POTENTIAL);
  cdn_measure total = cdn_system_add_energy_measure(system, "total", CDN_ENERGY_TOTAL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(1, 2, -9.81));
  cdn_state *state = event_state(system);
  double q[9], u[8], kinetic, potential;
  for (int i = 0; i < 9; i++) q[i] = 0.3 + 0.1 * i;
  for (int i = 0; i < 8; i++) u[i] = 1 - 0.3 * i;
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) q[i] /= length;
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));

  cdn_vec3 p_G, v_G, a_G;
  OK_ON(state, cdn_body_station(state, arm, p, &p_G, &v_G));
  OK_ON(state, cdn_calc_station_accelerations(state, cdn_state_udot(state), 1, &arm, &p, &a_G));
  OK_ON(state, cdn_kinetic_energy(state, &kinetic));
  OK_ON(state, cdn_potential_energy(state, &potential));
  ck_assert(memcmp(values_in(state, x), &p_G, sizeof p_G) == 0);
  ck_assert(memcmp(values_in(state, v), &v_G, sizeof v_G) == 0);
  ck_assert(memcmp(values_in(state, v2), &v_G, sizeof v_G) == 0);
  const double exact[] = { a_G.x, a_G.y, a_G.z };
  for (int i = 0; i < 3; i++) {
    NEAR(values_in(state, a)[i], exact[i], 1e-12 * cdn_norm(a_G));
    ck_assert(values_in(state, a2)[i] == values_in(state, a)[i]);
  }
  ck_assert(value_in(state, qdot) == cdn_state_qdot(state)[cdn_body_first_q(cdn_state_system(state), arm) + 1]);
  ck_assert(value_in(state, udot) == cdn_state_udot(state)[cdn_body_first_u(cdn_state_system(state), arm) + 1]);
  ck_assert(value_in(state, slot) == q[2]);
  ck_assert(value_in(state, ke) == kinetic && value_in(state, pe) == potential);
  ck_assert(value_in(state, total) == kinetic + potential);
  /* stages */
  const cdn_system *frozen = cdn_state_system(state);
  ck_assert_int_eq(cdn_measure_stage(frozen, x), CDN_STAGE_POSITION);
  ck_assert_int_eq(cdn_measure_stage(frozen, v2), CDN_STAGE_VELOCITY);
  ck_assert_int_eq(cdn_measure_stage(frozen, a2), CDN_STAGE_ACCELERATION);
  ck_assert_int_eq(cdn_measure_stage(frozen, pe), CDN_STAGE_POSITION);
  ck_assert_int_eq(cdn_measure_stage(frozen, total), CDN_STAGE_VELOCITY);
  ck_assert_int_eq(cdn_measure_derivatives(frozen, x), 2);
  ck_assert_int_eq(cdn_measure_derivatives(frozen, a2), 0);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(energies_without_forces) {
  cdn_system *system = audited_system();
  add_cart(system, 0, 2);
  cdn_measure total = cdn_system_add_energy_measure(system, NULL, CDN_ENERGY_TOTAL);
  cdn_measure potential = cdn_system_add_energy_measure(system, NULL, CDN_ENERGY_POTENTIAL);
  cdn_state *state = event_state(system);
  ck_assert(value_in(state, total) == 2 && value_in(state, potential) == 0);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(values_can_be_set_and_reset) {
  const double first[] = { 1, 2 }, other[] = { 5, 6 }, bad[] = { 5, NAN };
  cdn_system *system = audited_system();
  cdn_measure variable = cdn_system_add_variable_measure(system, "variable", 2, first);
  cdn_measure integral = cdn_system_add_integral_measure(system, "integral", variable, first, 1);
  cdn_measure held = cdn_system_add_sample_hold_measure(system, "held", variable, 1, 0, first);
  cdn_measure low = cdn_system_add_extreme_measure(system, "low", integral, CDN_MINIMUM);
  cdn_measure sum = cdn_system_add_sum_measure(system, "sum", 2, (cdn_measure[]){ variable, held }, NULL);
  const cdn_measure settable[] = { variable, integral, held };
  cdn_state *state = event_state(system);
  for (int i = 0; i < 3; i++) {
    OK_ON(state, cdn_measure_set_value(state, settable[i], other));
    ck_assert(values_in(state, settable[i])[1] == 6);
    FAILS(cdn_measure_set_value(state, settable[i], bad), CDN_ERR_NONFINITE);
    ck_assert(values_in(state, settable[i])[0] == 5);
  }
  ck_assert(values_in(state, sum)[0] == 10);
  for (int i = 0; i < 3; i++) OK_ON(state, cdn_measure_reset(state, settable[i]));
  ck_assert(values_in(state, sum)[1] == 4 && values_in(state, integral)[1] == 2);
  FAILS(cdn_measure_set_value(state, sum, other), CDN_ERR_ARG);
  FAILS(cdn_measure_reset(state, sum), CDN_ERR_ARG);

  /* an extreme that is reset begins anew where the State is */
  cdn_stepper *stepper = ode_stepper(state, NULL);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 3, NULL));
  cdn_state *now = cdn_stepper_state(stepper);
  double t[2];
  ck_assert(values_in(now, low)[0] == 1);
  OK_ON(now, cdn_measure_reset(now, low));
  NEAR(values_in(now, low)[0], 4, 1e-12);
  OK_ON(now, cdn_measure_extreme_times(now, low, t));
  ck_assert(t[0] == 3 && t[1] == 3);
  OK_STEP(stepper, cdn_stepper_restart(stepper, now));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 5, NULL));
  NEAR(values_in(cdn_stepper_state(stepper), low)[1], 8, 1e-12);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- names ------------------------------------------------------------------------------------ */

START_TEST(names_and_ids) {
  cdn_system *system = cdn_system_create(NULL);
  ck_assert_int_eq(cdn_system_measure_count(system), 0);
  ck_assert_int_eq(cdn_system_find_measure(system, "t").i, -1);
  cdn_measure t = cdn_system_add_time_measure(system, "t");
  cdn_measure unnamed = cdn_system_add_time_measure(system, NULL);
  cdn_measure integral = cdn_system_add_integral_measure(system, "area", t, NULL, 1);
  ck_assert_int_eq(cdn_system_measure_count(system), 3);
  ck_assert_int_eq(cdn_system_find_measure(system, "area").i, integral.i);
  ck_assert_int_eq(cdn_system_find_measure(system, NULL).i, -1);
  ck_assert_str_eq(cdn_measure_name(system, unnamed), "measure1");
  ck_assert_ptr_null(cdn_measure_name(system, (cdn_measure){ 3 }));
  ck_assert_int_eq(cdn_measure_size(system, (cdn_measure){ -1 }), 0);
  ck_assert_int_eq(cdn_measure_ticket(system, (cdn_measure){ 7 }).i, 0);
  cdn_ticket ticket = cdn_measure_ticket(system, t);
  cdn_state *state = event_state(system);
  const cdn_system *frozen = cdn_state_system(state);
  ck_assert_int_eq(cdn_measure_ticket(frozen, t).i, ticket.i);
  char slot[64];
  cdn_system_slot_name(frozen, CDN_POOL_Z, 0, slot, sizeof slot);
  ck_assert_str_eq(slot, "area.z[0]");
  double x;
  ck_assert_ptr_null(cdn_measure_value(state, (cdn_measure){ 3 }));
  FAILS(cdn_measure_derivative(state, (cdn_measure){ -2 }, 0, &x), CDN_ERR_ARG);
  FAILS(cdn_measure_derivative(state, t, -1, &x), CDN_ERR_ARG);
  FAILS(cdn_measure_set_value(state, (cdn_measure){ 9 }, &x), CDN_ERR_ARG);
  FAILS(cdn_measure_reset(state, (cdn_measure){ 9 }), CDN_ERR_ARG);
  FAILS(cdn_measure_extreme_times(state, t, &x), CDN_ERR_ARG);
  cdn_state_destroy(state);
}
END_TEST

/* ---- what is refused -------------------------------------------------------------------------- */

/* Freezing must fail with the code and a message with this word. */
static void refused(cdn_system *system, cdn_status code, const char *word) {
  cdn_error error;
  FAILS(cdn_system_freeze(system), code);
  cdn_system_last_error(system, &error);
  ck_assert_msg(strstr(error.text, word) != NULL, "no '%s' in: %s", word, error.text);
  cdn_system_release(system);
}

#define REFUSED(code, word, ...)                                               \
  do {                                                                         \
    cdn_system *system = cdn_system_create(NULL);                              \
    cdn_measure t = cdn_system_add_time_measure(system, "t");                  \
    cdn_measure two = cdn_system_add_constant_measure(system, "two", 2, pair); \
    (void)t, (void)two;                                                        \
    __VA_ARGS__;                                                               \
    refused(system, code, word);                                               \
  } while (0)

START_TEST(mistakes_are_refused) {
  const double pair[] = { 1, 2 }, bad[] = { NAN, 1 };
  const cdn_measure none = { -1 }, later = { 17 };
  cdn_delay_def delay = cdn_default_delay_def(), old = delay;
  cdn_event_def event = cdn_default_event_def();
  cdn_measure_ops ops = { .struct_size = sizeof ops, .n = 1, .stage = CDN_STAGE_TIME, .calc_value = opaque_z_value };
  old.struct_size = 1;
  REFUSED(CDN_ERR_ARG, "1 to 256", cdn_system_add_constant_measure(system, "x", 257, pair));
  REFUSED(CDN_ERR_ARG, "no value", cdn_system_add_variable_measure(system, "x", 1, NULL));
  REFUSED(CDN_ERR_NONFINITE, "nan", cdn_system_add_constant_measure(system, "x", 1, bad));
  REFUSED(CDN_ERR_NONFINITE, "phase", cdn_system_add_sinusoid_measure(system, "x", 1, NAN, 0));
  REFUSED(CDN_ERR_ARG, "CDN_ZDOT", cdn_system_add_slot_measure(system, "x", CDN_T, 0));
  REFUSED(CDN_ERR_ARG, "no slot", cdn_system_add_slot_measure(system, "x", CDN_Z, -1));
  REFUSED(CDN_ERR_ARG, "no such slot", cdn_system_add_slot_measure(system, "x", CDN_Z, 0));
  REFUSED(CDN_ERR_ARG, "no moving body", cdn_system_add_coordinate_measure(system, "x", (cdn_body){ 1 }, CDN_Q, 0));
  REFUSED(CDN_ERR_ARG, "has 1 q", cdn_body cart = add_cart(system, 0, 0);
          cdn_system_add_coordinate_measure(system, "x", cart, CDN_Q, 1));
  REFUSED(CDN_ERR_ARG, "add the body",
          cdn_system_add_station_measure(system, "x", (cdn_body){ 0 }, cdn_v3(0, 0, 0), CDN_STATION_POSITION));
  REFUSED(CDN_ERR_ARG, "no bodies", cdn_system_add_energy_measure(system, "x", CDN_ENERGY_TOTAL));
  REFUSED(CDN_ERR_ARG, "no measure 17", cdn_system_add_sum_measure(system, "x", 1, &later, NULL));
  REFUSED(CDN_ERR_ARG, "one term", cdn_system_add_sum_measure(system, "x", 0, &later, NULL));
  REFUSED(CDN_ERR_ARG, "one size", cdn_system_add_sum_measure(system, "x", 2, (cdn_measure[]){ t, two }, NULL));
  REFUSED(CDN_ERR_NONFINITE, "weights", cdn_system_add_sum_measure(system, "x", 1, &t, bad));
  REFUSED(CDN_ERR_ARG, "second must have", cdn_system_add_product_measure(system, "x", t, two));
  REFUSED(CDN_ERR_ARG, "no number 2", cdn_system_add_component_measure(system, "x", two, 2));
  REFUSED(CDN_ERR_ARG, "no measure -1", cdn_system_add_integral_measure(system, "x", none, NULL, 1));
  REFUSED(CDN_ERR_ARG, "scale", cdn_system_add_integral_measure(system, "x", t, NULL, 0));
  REFUSED(CDN_ERR_NONFINITE, "initial", cdn_system_add_integral_measure(system, "x", t, bad, 1));
  REFUSED(CDN_ERR_ARG, "period", cdn_system_add_sample_hold_measure(system, "x", t, 0, 0, NULL));
  REFUSED(CDN_ERR_ARG, "cdn_extreme", cdn_system_add_extreme_measure(system, "x", t, (cdn_extreme)4));
  REFUSED(CDN_ERR_VERSION, "cdn_default_delay_def", cdn_system_add_delay_measure(system, &old));
  REFUSED(CDN_ERR_ARG, "positive", delay.operand = t; cdn_system_add_delay_measure(system, &delay));
  REFUSED(CDN_ERR_ARG, "capacity", delay.delay = 1; delay.capacity = 3; cdn_system_add_delay_measure(system, &delay));
  const cdn_record_def good = { .struct_size = sizeof good, .operand = { 0 }, .delay = 1, .samples = 3, .step = 0.1 };
  REFUSED(CDN_ERR_VERSION, "cdn_default_record_def", cdn_system_add_record_measure(system, NULL));
#define RECORD(word, ...) \
  REFUSED(CDN_ERR_ARG, word, cdn_record_def def = good; __VA_ARGS__; cdn_system_add_record_measure(system, &def))
  RECORD("no measure 17", def.operand = later);
  RECORD("its delay is -1", def.delay = -1);
  RECORD("its delay is nan", def.delay = NAN);
  RECORD("its period -1", def.period = -1);
  RECORD("its phase is 1", def.phase = 1);
  RECORD("its phase is -2", def.period = 1; def.phase = -2);
  RECORD("its step is 0", def.step = 0);
  RECORD("1 to 65536", def.samples = 0);
  RECORD("cdn_interpolation", def.interpolation = (cdn_interpolation)3);
  REFUSED(CDN_ERR_ARG, "is a time", cdn_measure_set_operand(system, t, two));
  REFUSED(CDN_ERR_ARG, "has 2",
          cdn_measure_set_operand(system, cdn_system_add_integral_measure(system, "x", t, NULL, 1), two));
  REFUSED(CDN_ERR_ARG, "no measure 17", cdn_measure_set_operand(system, t, later));
  REFUSED(CDN_ERR_VERSION, "struct_size", cdn_system_add_custom_measure(system, "x", NULL, NULL));
  REFUSED(CDN_ERR_ARG, "stage", ops.stage = CDN_STAGE_REPORT; cdn_system_add_custom_measure(system, "x", &ops, NULL));
  REFUSED(CDN_ERR_ARG, "calc_value", ops.stage = CDN_STAGE_TIME; ops.calc_value = NULL;
          cdn_system_add_custom_measure(system, "x", &ops, NULL));
  REFUSED(CDN_ERR_ARG, "no number 1", cdn_system_add_measure_event(system, t, 1, 0, &event));
  REFUSED(CDN_ERR_NONFINITE, "level", cdn_system_add_measure_event(system, t, 0, NAN, &event));
  REFUSED(CDN_ERR_ARG, "triggered", event.kind = CDN_EVENT_STEP; cdn_system_add_measure_event(system, t, 0, 0, &event));
  REFUSED(CDN_ERR_VERSION, "cdn_default_event_def", cdn_system_add_measure_event(system, t, 0, 0, NULL));
}
END_TEST

START_TEST(nothing_is_added_to_a_frozen_system) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_measure t = cdn_system_add_time_measure(system, "t");
  OK_FREEZE(system);
  ck_assert_int_eq(cdn_system_add_time_measure(system, "late").i, -1);
  cdn_measure_set_operand(system, t, t);
  ck_assert_int_eq(cdn_system_measure_count(system), 1);
  cdn_system_release(system);
}
END_TEST

START_TEST(loops_without_memory_are_cycles) {
  /* the integral of its own derivative */
  cdn_system *system = cdn_system_create(NULL);
  cdn_measure t = cdn_system_add_time_measure(system, "t");
  cdn_measure integral = cdn_system_add_integral_measure(system, "integral", t, NULL, 1);
  cdn_measure rate = cdn_system_add_derivative_measure(system, "rate", integral);
  cdn_measure_set_operand(system, integral, rate);
  refused(system, CDN_ERR_CYCLE, "rate");
  /* a force that reads the acceleration that it causes; delayed, it may */
  for (int late = 0; late < 2; late++) {
    system = cdn_system_create(NULL);
    cdn_body cart = add_cart(system, 0, 0);
    cdn_measure a = cdn_system_add_coordinate_measure(system, "a", cart, CDN_UDOT, 0);
    cdn_delay_def def = cdn_default_delay_def();
    def.operand = a, def.delay = 1;
    if (late) a = cdn_system_add_delay_measure(system, &def);
    push_by(system, cart, a, CDN_READS_POSITION);
    if (late) cdn_state_destroy(event_state(system));
    else refused(system, CDN_ERR_CYCLE, "a.value");
  }
}
END_TEST

/* ---- in a State ------------------------------------------------------------------------------- */

static cdn_status sick_value(const void *self, cdn_state *state, int derivative, double *value) {
  const int how = *(const int *)self;
  (void)derivative;
  value[0] = 1;
  value[1] = how == 0 ? NAN : 1;
  if (how == 1) return CDN_ERR_LIMIT;
  if (how == 2) return cdn_state_fail(state, CDN_ERR_SINGULAR, true, NULL, "the sun is in the lens");
  if (how == 3) value[1] = cdn_state_u(state)[0]; /* which belongs to a later stage than declared */
  return CDN_OK;
}

START_TEST(custom_measures_that_fail) {
  static const cdn_status codes[] = { CDN_ERR_NONFINITE, CDN_ERR_LIMIT, CDN_ERR_SINGULAR, CDN_ERR_UNDECLARED };
  static const char *const words[] = { "number 1 of 2", "calc_value", "lens", "'u'" };
  for (int how = 0; how < 4; how++) {
    const cdn_measure_ops ops = {
      .struct_size = sizeof ops, .self_size = sizeof how, .n = 2, .stage = CDN_STAGE_POSITION, .calc_value = sick_value
    };
    cdn_system *system = audited_system();
    add_cart(system, 0, 1);
    cdn_measure camera = cdn_system_add_custom_measure(system, "camera", &ops, &how);
    cdn_measure blur = cdn_system_add_component_measure(system, "blur", camera, 0);
    cdn_measure area = cdn_system_add_integral_measure(system, "area", blur, NULL, 1);
    (void)area;
    cdn_state *state = event_state(system);
    cdn_stepper *stepper;
    cdn_error e;
    ck_assert_ptr_null(cdn_measure_value(state, camera));
    cdn_state_last_error(state, &e);
    ck_assert_int_eq(e.code, codes[how]);
    ck_assert_msg(strstr(e.text, words[how]) != NULL, "no '%s' in: %s", words[how], e.text);
    ck_assert_msg(strstr(e.element, "camera") != NULL, "%s", e.element);
    ck_assert(e.recoverable == (how == 0 || how == 2));
    /* what reads it fails with it */
    ck_assert_ptr_null(cdn_measure_value(state, blur));
    FAILS(cdn_stepper_create(state, NULL, &stepper), codes[how]);
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(unknown_derivatives) {
  cdn_system *system = event_system(&swing_ode, NULL);
  cdn_measure z = z_measure(system, "z", 0);
  cdn_measure area = cdn_system_add_integral_measure(system, "area", z, NULL, 1);
  cdn_state *state = event_state(system);
  double x;
  ck_assert_int_eq(cdn_measure_derivatives(cdn_state_system(state), area), 2);
  OK_ON(state, cdn_measure_derivative(state, area, 2, &x));
  ck_assert(x == 1);
  FAILS(cdn_measure_derivative(state, area, 3, &x), CDN_ERR_UNSUPPORTED);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("measures", functions_of_time, mechanical_quantities, energies_without_forces, values_can_be_set_and_reset,
           names_and_ids, mistakes_are_refused, nothing_is_added_to_a_frozen_system, loops_without_memory_are_cycles,
           custom_measures_that_fail, unknown_derivatives)
