/* What must hold of all measures: never stale, part of the State, blind to attempts, no weight on the run. */
#include "../unit/measure_rig.h"

/* ---- a System with one of every kind ---------------------------------------------------------- */

enum { MOST = 32 };

typedef struct zoo {
  int n;
  cdn_measure m[MOST], variable, held, integral;
  cdn_body cart;
} zoo;

static cdn_measure keep(zoo *all, cdn_measure m) {
  ck_assert_int_lt(all->n, MOST);
  all->m[all->n++] = m;
  return m;
}

/* q u + t, which needs both. */
static cdn_status mixed_value(const void *self, cdn_state *state, int derivative, double *value) {
  (void)self, (void)derivative;
  *value = cdn_state_q_eff(state)[0] * cdn_state_u_eff(state)[0] + cdn_state_time(state);
  return CDN_OK;
}

static cdn_state *zoo_state(zoo *all, bool observers) {
  const cdn_ticket tickets[] = { CDN_T, CDN_Q_EFF, CDN_U_EFF };
  const cdn_measure_ops ops = { .struct_size = sizeof ops,
                                .n = 1,
                                .stage = CDN_STAGE_VELOCITY,
                                .prerequisites = tickets,
                                .n_prerequisites = 3,
                                .calc_value = mixed_value };
  const double one = 1;
  cdn_system *system = audited_system();
  all->n = 0;
  cdn_body cart = all->cart = add_cart(system, 1, 0.5);
  cdn_system_add_mobility_spring(system, "spring", cart, 0, 5, 0.2);
  cdn_measure x = keep(all, cdn_system_add_coordinate_measure(system, "x", cart, CDN_Q, 0));
  cdn_measure a = keep(all, cdn_system_add_coordinate_measure(system, "a", cart, CDN_UDOT, 0));
  cdn_measure mixed = keep(all, cdn_system_add_custom_measure(system, "mixed", &ops, NULL));
  all->variable = keep(all, cdn_system_add_variable_measure(system, "variable", 1, &one));
  cdn_measure product = keep(all, cdn_system_add_product_measure(system, "product", mixed, all->variable));
  all->integral = keep(all, cdn_system_add_integral_measure(system, "integral", product, NULL, 1));
  all->held = keep(all, cdn_system_add_sample_hold_measure(system, "held", product, 0.11, 0, NULL));
  if (observers) {
    cdn_measure station =
        keep(all, cdn_system_add_station_measure(system, "station", cart, cdn_v3(0, 1, 0), CDN_STATION_ACCELERATION));
    keep(all, cdn_system_add_component_measure(system, "component", station, 0));
    keep(all, cdn_system_add_sum_measure(system, "sum", 2, (cdn_measure[]){ a, all->held }, NULL));
    keep(all, cdn_system_add_energy_measure(system, "energy", CDN_ENERGY_TOTAL));
    keep(all, cdn_system_add_derivative_measure(system, "exact", all->integral));
    keep(all, cdn_system_add_derivative_measure(system, "estimate", mixed));
    keep(all, cdn_system_add_extreme_measure(system, "most", a, CDN_MAX_ABS));
    keep(all, cdn_system_add_extreme_measure(system, "low", x, CDN_MINIMUM));
  }
  cdn_delay_def def = cdn_default_delay_def();
  def.operand = mixed, def.delay = 0.3;
  cdn_measure late = keep(all, cdn_system_add_delay_measure(system, &def));
  cdn_measure force =
      keep(all, cdn_system_add_sum_measure(system, "force", 3, (cdn_measure[]){ all->held, late, all->integral },
                                           (double[]){ -0.1, 0.05, -0.02 }));
  push_by(system, cart, force, CDN_READS_EVERYTHING);
  return event_state(system);
}

/* ---- never stale ------------------------------------------------------------------------------ */

static double random_number(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

/* What has been set, to be set again in a State that has computed nothing. */
typedef struct settings {
  double t, q, u, z, variable, held;
} settings;

static void set_all(const zoo *all, cdn_state *state, const settings *to) {
  OK_ON(state, cdn_state_set_time(state, to->t));
  OK_ON(state, cdn_state_set_q(state, &to->q));
  OK_ON(state, cdn_state_set_u(state, &to->u));
  OK_ON(state, cdn_state_set_z(state, &to->z));
  OK_ON(state, cdn_measure_set_value(state, all->variable, &to->variable));
  OK_ON(state, cdn_measure_set_value(state, all->held, &to->held));
}

static void set_one(const zoo *all, cdn_state *state, settings *now, int which, double value) {
  switch (which) {
    case 0:
      now->t = value;
      OK_ON(state, cdn_state_set_time(state, value));
      break;
    case 1:
      now->q = value;
      OK_ON(state, cdn_body_set_q(state, all->cart, 1, &value));
      break;
    case 2:
      now->u = value;
      OK_ON(state, cdn_state_set_slots(state, CDN_POOL_U, 0, 1, &value));
      break;
    case 3:
      now->z = value;
      OK_ON(state, cdn_measure_set_value(state, all->integral, &value));
      break;
    case 4:
      now->variable = value;
      OK_ON(state, cdn_measure_set_value(state, all->variable, &value));
      break;
    default:
      now->held = value;
      OK_ON(state, cdn_measure_set_value(state, all->held, &value));
      break;
  }
}

START_TEST(values_are_never_stale) {
  zoo all;
  uint64_t seed = 1;
  settings now = { 0, 1, 0.5, 0, 1, 0 };
  cdn_state *state = zoo_state(&all, true), *fresh = NULL;
  for (int round = 0; round < 2000; round++) {
    set_one(&all, state, &now, (int)(6 * (random_number(&seed) + 0.5)), random_number(&seed));
    /* one is read in every round, all of them in some */
    cdn_measure m = all.m[(int)(all.n * (random_number(&seed) + 0.5))];
    double value = value_in(state, m);
    OK(cdn_state_create(cdn_state_system(state), &fresh));
    set_all(&all, fresh, &now);
    ck_assert_msg(value == value_in(fresh, m), "'%s' is %.17g instead of %.17g",
                  cdn_measure_name(cdn_state_system(state), m), value, value_in(fresh, m));
    for (int i = 0; round % 7 == 0 && i < all.n; i++) ck_assert(value_in(state, all.m[i]) == value_in(fresh, all.m[i]));
    cdn_state_destroy(fresh);
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- part of the State ------------------------------------------------------------------------ */

static void same_values(const zoo *all, cdn_state *a, cdn_state *b) {
  for (int i = 0; i < all->n; i++) {
    const double *in_a = values_in(a, all->m[i]), *in_b = values_in(b, all->m[i]);
    size_t bytes = (size_t)cdn_measure_size(cdn_state_system(a), all->m[i]) * sizeof *in_a;
    ck_assert_msg(memcmp(in_a, in_b, bytes) == 0, "'%s' is %.17g and %.17g",
                  cdn_measure_name(cdn_state_system(a), all->m[i]), *in_a, *in_b);
  }
}

START_TEST(a_copied_state_goes_on_with_the_same_bits) {
  zoo all;
  cdn_state *state = zoo_state(&all, true), *copy = NULL;
  cdn_stepper *first = ode_stepper(state, NULL), *second, *third;
  OK_STEP(first, cdn_stepper_advance(first, 2.345, NULL));
  OK_STEP(first, cdn_stepper_step(first, INFINITY));
  OK(cdn_state_create(cdn_state_system(state), &copy));
  OK_ON(copy, cdn_state_copy(copy, cdn_stepper_state(first)));
  same_values(&all, copy, cdn_stepper_state(first));
  second = ode_stepper(copy, NULL);
  third = ode_stepper(cdn_stepper_state(first), NULL);
  same_values(&all, copy, cdn_stepper_state(second)); /* beginning a run has changed nothing */
  for (int i = 0; i < 40; i++) {
    double t = cdn_state_time(copy) + 0.07 * (i + 1);
    OK_STEP(second, cdn_stepper_advance(second, t, NULL));
    OK_STEP(third, cdn_stepper_advance(third, t, NULL));
    same_values(&all, cdn_stepper_state(second), cdn_stepper_state(third));
  }
  cdn_stepper_destroy(first), cdn_stepper_destroy(second), cdn_stepper_destroy(third);
  cdn_state_destroy(copy), cdn_state_destroy(state);
}
END_TEST

START_TEST(values_survive_their_recomputation) {
  /* at each step: a copy that must compute everything again has the same values, histories and all */
  zoo all;
  cdn_state *state = zoo_state(&all, true), *copy = NULL;
  cdn_stepper *stepper = ode_stepper(state, NULL);
  OK(cdn_state_create(cdn_state_system(state), &copy));
  for (int i = 0; i < 100; i++) {
    OK_STEP(stepper, cdn_stepper_step(stepper, INFINITY));
    cdn_state *now = cdn_stepper_state(stepper);
    double before[MOST];
    for (int k = 0; k < all.n; k++) before[k] = value_in(now, all.m[k]);
    OK_ON(copy, cdn_state_copy(copy, now));
    double y[3] = { *cdn_state_q(now), *cdn_state_u(now), *cdn_state_z(now) };
    OK_ON(copy, cdn_state_set_ty(copy, cdn_state_time(now), y));
    for (int k = 0; k < all.n; k++) ck_assert(value_in(copy, all.m[k]) == before[k]);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(copy), cdn_state_destroy(state);
}
END_TEST

START_TEST(observers_leave_no_trace) {
  zoo with, without;
  cdn_state *a = zoo_state(&with, true), *b = zoo_state(&without, false);
  cdn_stepper *watched = ode_stepper(a, NULL), *alone = ode_stepper(b, NULL);
  for (int i = 1; i <= 50; i++) {
    OK_STEP(watched, cdn_stepper_advance(watched, 0.1 * i, NULL));
    OK_STEP(alone, cdn_stepper_advance(alone, 0.1 * i, NULL));
    cdn_state *s = cdn_stepper_state(watched), *t = cdn_stepper_state(alone);
    ck_assert(*cdn_state_q(s) == *cdn_state_q(t) && *cdn_state_u(s) == *cdn_state_u(t));
  }
  ck_assert_int_eq(certificate_of(watched).evaluations, certificate_of(alone).evaluations);
  cdn_stepper_destroy(watched), cdn_stepper_destroy(alone);
  cdn_state_destroy(a), cdn_state_destroy(b);
}
END_TEST

/* ---- every method ----------------------------------------------------------------------------- */

START_TEST(every_method_serves_measures) {
  /* x' = -x(t - 1), x = 1 before 0: 1 - t, then 1 - t + (t - 1)^2 / 2, then less (t - 2)^3 / 6 */
  const double one = 1, minus = -1;
  for (int method = CDN_METHOD_DEFAULT; method < ALL_METHODS; method++) {
    cdn_stepper_def how = event_stepper_def(NULL, 1e-5);
    if (!take_method(&how, method, 1e-3)) continue;
    cdn_system *system = audited_system();
    cdn_measure x = cdn_system_add_integral_measure(system, "x",
                                                    cdn_system_add_constant_measure(system, "start", 1, &one), &one, 1);
    cdn_delay_def def = cdn_default_delay_def();
    def.operand = x, def.delay = 1;
    cdn_measure late = cdn_system_add_delay_measure(system, &def);
    cdn_measure_set_operand(system, x, cdn_system_add_sum_measure(system, "rate", 1, &late, &minus));
    cdn_measure low = cdn_system_add_extreme_measure(system, "low", x, CDN_MINIMUM);
    cdn_state *state = event_state(system);
    cdn_stepper *stepper = ode_stepper(state, &how);
    double when;
    for (int i = 1; i <= 30; i++) {
      double t = 0.1 * i, exact = 1 - t;
      if (t > 1) exact += (t - 1) * (t - 1) / 2;
      if (t > 2) exact -= (t - 2) * (t - 2) * (t - 2) / 6;
      OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
      NEAR(measured(stepper, x), exact, 2e-3); /* methods of order 1 add up errors of 1e-5 a step */
    }
    /* it turns where x(t - 1) = 0: at 2, where x = -1/2 */
    NEAR(measured(stepper, low), -0.5, 2e-3);
    OK_ON(state, cdn_measure_extreme_times(cdn_stepper_state(stepper), low, &when));
    NEAR(when, 2, 1e-2);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(fixed_steps_are_cut_for_a_delay) {
  cdn_system *system = event_system(&clock_ode, NULL);
  cdn_delay_def def = cdn_default_delay_def();
  def.operand = z_measure(system, "z", 0), def.delay = 0.4;
  cdn_measure late = cdn_system_add_delay_measure(system, &def);
  cdn_state *state = event_state(system);
  cdn_stepper_def how = event_stepper_def(NULL, 1e-3);
  how.fixed_step = 1;
  cdn_stepper *stepper = ode_stepper(state, &how);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 5, NULL));
  NEAR(measured(stepper, late), 4.6, 1e-13);
  AT_MOST(certificate_of(stepper).largest_step, 0.1 * (1 + 1e-14));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("properties of measures", values_are_never_stale, a_copied_state_goes_on_with_the_same_bits,
           values_survive_their_recomputation, observers_leave_no_trace, every_method_serves_measures,
           fixed_steps_are_cut_for_a_delay)
