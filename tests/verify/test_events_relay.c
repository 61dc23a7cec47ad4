/* Relays: forces that switch with the sign of the motion. With inertia they oscillate at times known in closed form;
 * without, they chatter. And events by the thousand. */
#include "../robust/counting_allocator.h"
#include "../unit/event_rig.h"

/* x'' = -r, where r is a discrete variable that a handler sets to the sign of x; or x' = -r. */
typedef struct relay {
  int order;
  double x0, v0;
  cdn_zvar z;
  cdn_dvar r;
} relay;

static cdn_status relay_declare(void *self, cdn_declarer *d) {
  relay *p = self;
  const double z0[] = { p->x0, p->v0 }, r0 = p->x0 > 0 ? 1 : -1;
  p->z = cdn_declare_z(d, p->order, z0);
  p->r = cdn_declare_discrete(d, "relay", sizeof r0, &r0, CDN_STAGE_FORCE);
  return CDN_OK;
}

static cdn_status relay_zdot(const void *self, cdn_state *state, double *zdot) {
  const relay *p = self;
  double r = *(const double *)cdn_state_discrete(state, p->r);
  if (p->order == 2) zdot[0] = cdn_state_zvar(state, p->z)[1];
  zdot[p->order - 1] = -r;
  return CDN_OK;
}

static cdn_status position(const void *self, cdn_state *state, double *value) {
  (void)self;
  *value = cdn_state_z(state)[0];
  return CDN_OK;
}

static cdn_status relay_switch(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const cdn_dvar *r = self;
  double now = what->direction == CDN_RISING ? 1 : -1;
  (void)action;
  /* what was crossed is what the value says */
  ck_assert(cdn_state_z(state)[0] * now > 0);
  cdn_status status = log_occurrence(state, what);
  return status ? status : cdn_state_set_discrete(state, *r, &now);
}

static event_log log_a;

static cdn_stepper *relay_start(relay p, cdn_dvar *r, double accuracy, double max_step) {
  static const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                         .name = "relay",
                                         .self_size = sizeof(relay),
                                         .declare = relay_declare,
                                         .calc_zdot = relay_zdot };
  cdn_system *system = cdn_system_create(NULL);
  cdn_subsystem id = cdn_system_add_subsystem(system, &ops, &p);
  cdn_event_def def = cdn_default_event_def();
  def.name = "switch", def.value = position, def.handle = relay_switch;
  def.self = r; /* shared: known once the System is frozen */
  cdn_system_add_event(system, &def);
  OK_FREEZE(system);
  *r = ((const relay *)cdn_subsystem_self(system, id))->r;
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  cdn_stepper_def how = event_stepper_def(&log_a, accuracy);
  how.max_step = max_step;
  OK_ON(state, cdn_stepper_create(state, &how, &stepper));
  cdn_state_destroy(state);
  return stepper;
}

START_TEST(a_relay_with_inertia_oscillates) {
  /* from x = 1 at rest: parabolas of a quarter period sqrt 2 */
  cdn_dvar r;
  for (int k = 4; k <= 10; k += 3) {
    double accuracy = pow(10, -k);
    cdn_stepper *stepper = relay_start((relay){ .order = 2, .x0 = 1 }, &r, accuracy, 0);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 200 * sqrt(2), NULL));
    ck_assert_int_eq(log_a.n, 100);
    for (int i = 0; i < log_a.n; i++) {
      /* the method has no error on parabolas; each switch is late by at most 1/1024 of the window, or a few
       * roundings */
      double late = 1e-3 * accuracy * 10 / 1024 + 16 * 2.3e-16 * log_a.at[i].time;
      NEAR(log_a.at[i].time, (2 * i + 1) * sqrt(2), 2 * late * (i + 1) * (i + 1));
      ck_assert_int_eq(log_a.at[i].direction, i % 2 ? CDN_RISING : CDN_FALLING);
    }
    cdn_stepper_destroy(stepper);
  }
}
END_TEST

START_TEST(a_relay_without_inertia_chatters) {
  cdn_dvar r;
  for (int limited = 0; limited < 2; limited++) {
    cdn_failure failure;
    cdn_stepper *stepper = relay_start((relay){ .order = 1, .x0 = 1 }, &r, 1e-6, limited ? 0.01 : 0);
    FAILS(cdn_stepper_advance(stepper, 10, NULL), CDN_ERR_CHATTER);
    cdn_stepper_failure(stepper, &failure);
    ck_assert_str_eq(failure.error.element, "switch");
    NEAR(failure.time, 1, 1e-8);
    NEAR(z_of(stepper), 0, 1e-8);
    AT_MOST((double)certificate_of(stepper).evaluations, 2000);
    cdn_stepper_destroy(stepper);
  }
}
END_TEST

/* ---- a thousand in one step ------------------------------------------------------------------- */

static cdn_status waves(const void *self, cdn_state *state, double *value) {
  (void)self;
  *value = cos(1000 * PI * cdn_state_z(state)[0]);
  return CDN_OK;
}

/* 1,000 crossings from 0 to 1 at (k + 1/2) / 1000: of one trigger, or one each of as many. */
static void thousand(bool one, bool active, event_log *log, cdn_certificate *c) {
  double z[1000];
  cdn_system *system = event_system(&clock_ode, NULL);
  cdn_event_def def = cdn_default_event_def();
  def.window = 1e-9;
  if (active) def.handle = log_handle;
  else def.report = log_report;
  for (int i = 0; i < (one ? 1 : 1000); i++) {
    z[i] = ((i * 377) % 1000 + 0.5) / 1000; /* in no order */
    def.value = one ? waves : z_minus;
    def.samples = one ? 4000 : 0;
    def.self = &z[i], def.self_size = sizeof *z;
    cdn_system_add_event(system, &def);
  }
  cdn_state *state = event_state(system);
  cdn_stepper_def how = event_stepper_def(log, 1e-6);
  how.initial_step = 1, how.final_time = 1;
  cdn_stepper *stepper = ode_stepper(state, &how);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  *c = certificate_of(stepper);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}

START_TEST(a_thousand_events_within_one_step) {
  for (int one = 0; one < 2; one++) {
    for (int active = 0; active < 2; active++) {
      cdn_certificate c;
      thousand(one, active, &log_a, &c);
      ck_assert_int_eq(log_a.n, 1000);
      for (int i = 0; i < 1000; i++) {
        NEAR(log_a.at[i].time, (i + 0.5) / 1000, 1e-9);
        if (i) ck_assert(log_a.at[i].time > log_a.at[i - 1].time);
        if (one) ck_assert_int_eq(log_a.at[i].direction, i % 2 ? CDN_RISING : CDN_FALLING);
      }
      if (active) ck_assert_int_eq(c.events, 1000);
      else ck_assert_int_eq(c.steps, 1);
    }
  }
}
END_TEST

START_TEST(events_do_not_allocate) {
  counting_allocator counter = { .calls = 0 };
  cdn_allocator allocator = allocator_of(&counter);
  static const double times[] = { 1, 2, 30 };
  cdn_system *system = event_system(&swing_ode, &allocator);
  cdn_event_def def = cdn_default_event_def();
  def.value = z_minus, def.handle = log_handle, def.report = log_report;
  cdn_system_add_event(system, &def);
  def.self = &times[0], def.self_size = sizeof *times, def.handle = NULL, def.samples = 3;
  cdn_system_add_event(system, &def);
  def.kind = CDN_EVENT_SCHEDULED, def.times = times, def.n_times = 3, def.handle = log_handle;
  cdn_system_add_event(system, &def);
  cdn_state *state = event_state(system);
  cdn_stepper_def how = event_stepper_def(&log_a, 1e-6);
  cdn_stepper *stepper = ode_stepper(state, &how);
  int64_t before = counter.calls;
  for (int i = 1; i < 400; i++) OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1 * i, NULL));
  ck_assert_int_gt(log_a.n, 20);
  ck_assert_int_eq(counter.calls, before);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  ck_assert_int_eq(counter.outstanding, 0);
  ck_assert_int_eq(counter.misuse, 0);
}
END_TEST

CHECK_MAIN("relays and many events", a_relay_with_inertia_oscillates, a_relay_without_inertia_chatters,
           a_thousand_events_within_one_step, events_do_not_allocate)
