/* Events: what occurs, when, in which order, how often; what callbacks may and may not do. */
#include "event_rig.h"

static event_log log_a, log_b;

/* ---- triggers ------------------------------------------------------------------------------- */

/* Occurrences of z = sin t going through zero within 20 s. */
static void run_swing(cdn_direction direction, bool active, double window, double report_every, event_log *log) {
  cdn_system *system = event_system(&swing_ode, NULL);
  cdn_event_def def = cdn_default_event_def();
  def.name = "zero";
  def.value = z_minus;
  def.direction = direction;
  def.window = window;
  if (active) def.handle = log_handle;
  else def.report = log_report;
  cdn_system_add_event(system, &def);
  cdn_state *state = event_state(system);
  cdn_stepper_def how = event_stepper_def(log, 1e-8);
  cdn_stepper *stepper = ode_stepper(state, &how);
  for (int i = 1; i * report_every < 20; i++) OK_STEP(stepper, cdn_stepper_advance(stepper, i * report_every, NULL));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 20, NULL));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}

START_TEST(directions) {
  static const int expected[] = { [CDN_FALLING] = 3, [CDN_RISING] = 3, [CDN_EITHER] = 6 };
  for (int active = 0; active < 2; active++) {
    for (cdn_direction d = CDN_FALLING; d <= CDN_EITHER; d++) {
      run_swing(d, active, 1e-9, 20, &log_a);
      ck_assert_int_eq(log_a.n, expected[d]); /* the zero at the start is none */
      for (int i = 0; i < log_a.n; i++) {
        const cdn_occurrence *o = &log_a.at[i];
        /* falls at odd multiples of pi */
        int k = d == CDN_EITHER ? i + 1 : d == CDN_FALLING ? 2 * i + 1 : 2 * i + 2;
        ck_assert_int_eq(o->direction, k % 2 ? CDN_FALLING : CDN_RISING);
        ck_assert(k % 2 ? log_a.z[i] < 0 : log_a.z[i] > 0); /* the sign has changed */
        /* integration to 1e-8, carried along for 20 s */
        NEAR(o->time, k * PI, 1e-6);
        ck_assert(o->earliest < o->time);
        AT_MOST(o->time - o->earliest, 1e-9);
        ck_assert_int_eq(o->count, i);
      }
    }
  }
}
END_TEST

START_TEST(report_times_change_nothing) {
  for (int active = 0; active < 2; active++) {
    run_swing(CDN_EITHER, active, 0, 20, &log_a);
    run_swing(CDN_EITHER, active, 0, 0.0137, &log_b);
    ck_assert_int_eq(log_a.n, 6);
    ck_assert_int_eq(log_b.n, 6);
    for (int i = 0; i < 6; i++) {
      ck_assert(log_a.at[i].time == log_b.at[i].time);
      ck_assert(log_a.z[i] == log_b.z[i]);
    }
  }
}
END_TEST

START_TEST(report_time_at_an_event) {
  /* advancing exactly to where an event is: it occurs once, and the State is the handler's */
  run_swing(CDN_EITHER, true, 0, 20, &log_a);
  double t[3] = { log_a.at[0].time, log_a.at[1].time, log_a.at[2].time };
  cdn_system *system = event_system(&swing_ode, NULL);
  cdn_event_def def = cdn_default_event_def();
  def.value = z_minus;
  def.handle = log_handle;
  cdn_system_add_event(system, &def);
  cdn_state *state = event_state(system);
  cdn_stepper_def how = event_stepper_def(&log_b, 1e-8);
  cdn_stepper *stepper = ode_stepper(state, &how);
  for (int i = 0; i < 3; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, nextafter(t[i], 0), NULL));
    ck_assert_int_eq(log_b.n, i);
    OK_STEP(stepper, cdn_stepper_advance(stepper, t[i], NULL));
    ck_assert_int_eq(log_b.n, i + 1);
    OK_STEP(stepper, cdn_stepper_advance(stepper, t[i], NULL));
    ck_assert_int_eq(log_b.n, i + 1);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* 1 where t is in [1, 1.01), else -1. */
static cdn_status short_pulse(const void *self, cdn_state *state, double *value) {
  (void)self;
  double t = cdn_state_time(state);
  *value = t >= 1 && t < 1.01 ? 1 : -1;
  return CDN_OK;
}

START_TEST(samples_see_what_ends_of_steps_do_not) {
  for (int samples = 0; samples <= 1000; samples += 1000) {
    cdn_system *system = event_system(&clock_ode, NULL);
    cdn_event_def def = cdn_default_event_def();
    def.stage = CDN_STAGE_TIME;
    def.value = short_pulse;
    def.samples = samples;
    def.report = log_report;
    cdn_system_add_event(system, &def);
    cdn_state *state = event_state(system);
    cdn_stepper_def how = event_stepper_def(&log_a, 1e-6);
    how.fixed_step = 5;
    cdn_stepper *stepper = ode_stepper(state, &how);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 10, NULL));
    ck_assert_int_eq(log_a.n, samples ? 2 : 0);
    if (samples) {
      NEAR(log_a.at[0].time, 1, 1e-6);
      NEAR(log_a.at[1].time, 1.01, 1e-6);
      ck_assert(log_a.at[0].earliest < 1 && log_a.at[0].time >= 1);
    }
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

/* sqrt(z - 1) - 1/2 where it is defined. */
static cdn_status root_of_z(const void *self, cdn_state *state, double *value) {
  (void)self;
  *value = sqrt(cdn_state_z(state)[0] - 1) - 0.5;
  return CDN_OK;
}
/* Defined only before z = 2, and positive. */
static cdn_status until_two(const void *self, cdn_state *state, double *value) {
  (void)self;
  *value = cdn_state_z(state)[0] < 2 ? 3 : NAN;
  return CDN_OK;
}
/* Positive, then nothing from 1 to 2, then negative. */
static cdn_status across_a_gap(const void *self, cdn_state *state, double *value) {
  (void)self;
  double z = cdn_state_z(state)[0];
  *value = z < 1 ? 1 : z < 2 ? NAN : -1;
  return CDN_OK;
}

START_TEST(one_sided_triggers) {
  static const struct {
    cdn_event_value_fn *value;
    bool edges;
    int n;
    double time[2];
    cdn_direction direction[2];
  } cases[] = {
    /* begins to be defined below zero: nothing before that says so, so only its zero counts */
    { root_of_z, false, 1, { 1.25 }, { CDN_RISING } },
    { root_of_z, true, 2, { 1, 1.25 }, { CDN_FALLING, CDN_RISING } },
    { until_two, false, 0, { 0 }, { 0 } },
    { until_two, true, 1, { 2 }, { CDN_FALLING } },
    /* the sign is remembered while there is none */
    { across_a_gap, false, 1, { 2 }, { CDN_FALLING } },
    { across_a_gap, true, 1, { 1 }, { CDN_FALLING } },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int active = 0; active < 2; active++) {
      cdn_system *system = event_system(&clock_ode, NULL);
      cdn_event_def def = cdn_default_event_def();
      def.value = cases[i].value;
      def.edges = cases[i].edges;
      def.window = 1e-9;
      if (active) def.handle = log_handle;
      else def.report = log_report;
      cdn_system_add_event(system, &def);
      cdn_state *state = event_state(system);
      cdn_stepper_def how = event_stepper_def(&log_a, 1e-6);
      how.max_step = 0.2;
      cdn_stepper *stepper = ode_stepper(state, &how);
      OK_STEP(stepper, cdn_stepper_advance(stepper, 5, NULL));
      ck_assert_msg(log_a.n == cases[i].n, "case %zu: %d occurrences", i, log_a.n);
      for (int k = 0; k < log_a.n; k++) {
        NEAR(log_a.at[k].time, cases[i].time[k], 2e-9);
        ck_assert_int_eq(log_a.at[k].direction, cases[i].direction[k]);
      }
      cdn_stepper_destroy(stepper);
      cdn_state_destroy(state);
    }
  }
}
END_TEST

/* ---- order ---------------------------------------------------------------------------------- */

START_TEST(simultaneous_events_in_order_of_stages) {
  static const double one = 1;
  cdn_system *system = event_system(&clock_ode, NULL);
  cdn_event_def def = cdn_default_event_def();
  def.value = z_minus;
  def.self = &one;
  def.handle = log_handle;
  def.report = log_report;
  static const struct {
    const char *name;
    cdn_stage stage;
  } given[] = { { "late", CDN_STAGE_ACCELERATION },
                { "early", CDN_STAGE_TIME },
                { "middle", CDN_STAGE_VELOCITY },
                { "early too", CDN_STAGE_TIME } };
  for (int i = 0; i < 4; i++) {
    def.name = given[i].name, def.stage = given[i].stage;
    cdn_system_add_event(system, &def);
  }
  cdn_state *state = event_state(system);
  cdn_stepper_def how = event_stepper_def(&log_a, 1e-6);
  cdn_stepper *stepper = ode_stepper(state, &how);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 2, NULL));
  static const char *const expected[] = { "early", "early too", "middle", "late" };
  ck_assert_int_eq(log_a.n, 8); /* all reporters, then all handlers */
  for (int i = 0; i < 8; i++) {
    ck_assert_str_eq(log_a.at[i].name, expected[i % 4]);
    ck_assert(log_a.at[i].time == log_a.at[0].time);
  }
  ck_assert_int_eq(certificate_of(stepper).events, 4);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(times_known_beforehand) {
  static const double times[] = { -1, 0, 0.3, 0.7, 1 };
  for (int active = 0; active < 2; active++) {
    cdn_system *system = event_system(&clock_ode, NULL);
    cdn_event_def def = cdn_default_event_def();
    if (active) def.handle = log_handle;
    else def.report = log_report;
    def.kind = CDN_EVENT_END, def.name = "end";
    cdn_system_add_event(system, &def);
    def.kind = CDN_EVENT_SCHEDULED, def.name = "list", def.times = times, def.n_times = 5;
    cdn_system_add_event(system, &def);
    def.kind = CDN_EVENT_PERIODIC, def.name = "beat", def.period = 0.1, def.phase = 0.2, def.times = NULL;
    cdn_system_add_event(system, &def);
    def.kind = CDN_EVENT_START, def.name = "start";
    cdn_system_add_event(system, &def);
    cdn_state *state = event_state(system);
    cdn_stepper_def how = event_stepper_def(&log_a, 1e-6);
    how.final_time = 1;
    cdn_stepper *stepper = ode_stepper(state, &how);
    ck_assert_int_eq(log_a.n, 0);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0, NULL));
    ck_assert_int_eq(log_a.n, 2);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
    ck_assert_str_eq(log_a.at[0].name, "start");
    ck_assert_str_eq(log_a.at[log_a.n - 1].name, "end");
    ck_assert_int_eq(log_a.n, 1 + 4 + 9 + 1);
    int beat = 0, list = 1;
    for (int i = 1; i < log_a.n - 1; i++) {
      ck_assert(log_a.at[i].time >= log_a.at[i - 1].time);
      bool is_beat = strcmp(log_a.at[i].name, "beat") == 0;
      if (is_beat) ck_assert(log_a.at[i].time == 0.2 + beat++ * 0.1);
      else ck_assert(log_a.at[i].time == times[list++]);
      NEAR(log_a.z[i], log_a.at[i].time, 1e-15);
    }
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

/* Ever longer: 1, 2, 4 ... */
static cdn_status doubling(const void *self, cdn_state *state, double after, double *time) {
  (void)self, (void)state;
  for (*time = 1; *time <= after;) *time *= 2;
  return CDN_OK;
}

START_TEST(times_as_they_come) {
  cdn_system *system = event_system(&clock_ode, NULL);
  cdn_event_def def = cdn_default_event_def();
  def.kind = CDN_EVENT_SCHEDULED;
  def.next_time = doubling;
  def.handle = log_handle;
  cdn_system_add_event(system, &def);
  def.kind = CDN_EVENT_STEP, def.name = "step";
  cdn_system_add_event(system, &def);
  cdn_state *state = event_state(system);
  cdn_stepper_def how = event_stepper_def(&log_a, 1e-6);
  how.max_step = 0.5;
  cdn_stepper *stepper = ode_stepper(state, &how);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 10, NULL));
  double next = 1;
  int steps = 0;
  for (int i = 0; i < log_a.n; i++) {
    if (strcmp(log_a.at[i].name, "step") == 0) steps++;
    else ck_assert(log_a.at[i].time == next), next *= 2;
  }
  ck_assert(next == 16);
  ck_assert_int_ge(steps, (int)certificate_of(stepper).steps - 1); /* the last one goes beyond 10 */
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- handlers ------------------------------------------------------------------------------- */

/* zdot = gain p + shift d, with an entry from p alone that counts how often it is computed. */
typedef struct machine {
  cdn_zvar z;
  cdn_dvar p, d;
  cdn_cache from_p;
  int *computed;
} machine;

static cdn_status calc_from_p(const void *self, cdn_state *state, void *out) {
  const machine *m = self;
  ++*m->computed;
  *(double *)out = 2 * cdn_state_parameters(state, m->p)[0];
  return CDN_OK;
}

static cdn_status machine_declare(void *self, cdn_declarer *d) {
  machine *m = self;
  const double one = 1;
  m->z = cdn_declare_z(d, 1, NULL);
  m->p = cdn_declare_parameters(d, "p", 1, &one);
  m->d = cdn_declare_discrete(d, "d", sizeof one, &one, CDN_STAGE_FORCE);
  m->from_p = cdn_declare_cache(d, "from_p", sizeof(double), calc_from_p, 1, &m->p.ticket);
  return CDN_OK;
}

static cdn_status machine_zdot(const void *self, cdn_state *state, double *zdot) {
  const machine *m = self;
  const double *x = cdn_eval(state, m->from_p);
  if (!x) return CDN_ERR_CALLBACK;
  zdot[0] = *x * *(const double *)cdn_state_discrete(state, m->d);
  return CDN_OK;
}

/* What the test's handler is to do; the System's ids are filled in once it is frozen. */
typedef struct deed {
  machine m;
  enum { NOTHING, SET_Z, SET_P, SET_D, JUMP, GO_BACK, STOP, FAIL, BREAK } what;
} deed;

static cdn_status act(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const deed *d = self;
  const double z = 100, p = 3, minus = -1;
  (void)what;
  switch (d->what) {
    case NOTHING: return CDN_OK;
    case SET_Z: return cdn_state_set_z(state, &z);
    case SET_P: return cdn_state_set_parameters(state, d->m.p, 0, 1, &p);
    case SET_D: return cdn_state_set_discrete(state, d->m.d, &minus);
    case JUMP: return cdn_state_set_time(state, cdn_state_time(state) + 0.5);
    case GO_BACK: return cdn_state_set_time(state, cdn_state_time(state) - 0.5);
    case STOP: *action = CDN_STOP; return CDN_OK;
    case FAIL:
      (void)!cdn_state_set_z(state, &z);
      return cdn_state_fail(state, CDN_ERR_CALLBACK, false, NULL, "out of ink");
    case BREAK: {
      const double huge = 1e308;
      (void)!cdn_state_set_parameters(state, d->m.p, 0, 1, &huge);
      return cdn_state_set_discrete(state, d->m.d, &huge);
    }
  }
  return CDN_OK;
}

typedef struct machine_run {
  cdn_state *state;
  cdn_stepper *stepper;
  int computed;
  deed deed;
} machine_run;

static void machine_start(machine_run *r, int what) {
  static const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                         .name = "machine",
                                         .self_size = sizeof(machine),
                                         .declare = machine_declare,
                                         .calc_zdot = machine_zdot };
  machine m = { .computed = &r->computed };
  r->computed = 0;
  r->deed.what = what;
  cdn_system *system = cdn_system_create(NULL);
  cdn_subsystem id = cdn_system_add_subsystem(system, &ops, &m);
  cdn_event_def def = cdn_default_event_def();
  static const double at = 1;
  def.name = "deed", def.kind = CDN_EVENT_SCHEDULED, def.times = &at, def.n_times = 1;
  def.handle = act, def.self = &r->deed; /* shared */
  cdn_system_add_event(system, &def);
  def.kind = CDN_EVENT_END, def.name = "end", def.handle = log_handle;
  cdn_system_add_event(system, &def);
  r->state = event_state(system);
  r->deed.m = *(const machine *)cdn_subsystem_self(system, id);
  cdn_stepper_def how = event_stepper_def(&log_a, 1e-9);
  r->stepper = ode_stepper(r->state, &how);
}

static void machine_end(machine_run *r) {
  cdn_stepper_destroy(r->stepper);
  cdn_state_destroy(r->state);
}

START_TEST(handlers_change_what_they_like) {
  static const struct {
    int what;
    double z2; /* at t = 2 */
    int computed;
  } cases[] = { { NOTHING, 4, 0 }, { SET_Z, 102, 0 }, { SET_P, 8, 1 }, { SET_D, 0, 0 }, { JUMP, 3, 0 } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    machine_run r;
    machine_start(&r, cases[i].what);
    OK_STEP(r.stepper, cdn_stepper_advance(r.stepper, 0.5, NULL));
    int before = r.computed;
    OK_STEP(r.stepper, cdn_stepper_advance(r.stepper, 2, NULL));
    NEAR(z_of(r.stepper), cases[i].z2, 1e-12);
    ck_assert(cdn_state_time(cdn_stepper_state(r.stepper)) == 2);
    /* what does not depend on the change is not computed again */
    ck_assert_msg(r.computed - before == cases[i].computed, "case %zu: %d times", i, r.computed - before);
    ck_assert_int_eq(log_a.n, 0);
    machine_end(&r);
  }
}
END_TEST

START_TEST(a_jump_beyond_the_report_time) {
  machine_run r;
  machine_start(&r, JUMP);
  OK_STEP(r.stepper, cdn_stepper_advance(r.stepper, 1.2, NULL));
  ck_assert(cdn_state_time(cdn_stepper_state(r.stepper)) == 1.5);
  OK_STEP(r.stepper, cdn_stepper_advance(r.stepper, 2, NULL));
  NEAR(z_of(r.stepper), 3, 1e-12);
  machine_end(&r);
}
END_TEST

START_TEST(times_may_be_a_rounding_apart) {
  /* the step between them is so short that samples within it are at its start */
  for (cdn_method m = CDN_METHOD_MERSON; m <= CDN_METHOD_TRAPEZOID; m++) {
    double times[] = { 1, nextafter(1, 2) };
    cdn_system *system = event_system(&swing_ode, NULL);
    cdn_event_def def = cdn_default_event_def();
    def.kind = CDN_EVENT_SCHEDULED, def.times = times, def.n_times = 2, def.handle = log_handle;
    cdn_system_add_event(system, &def);
    def = cdn_default_event_def();
    def.value = z_minus, def.samples = 15, def.report = log_report;
    cdn_system_add_event(system, &def);
    cdn_state *state = event_state(system);
    cdn_stepper_def how = event_stepper_def(&log_a, 1e-4);
    how.method = m;
    cdn_stepper *stepper = ode_stepper(state, &how);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 2, NULL));
    ck_assert_int_eq(log_a.n, 2);
    ck_assert(log_a.at[0].time == times[0] && log_a.at[1].time == times[1]);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(a_handler_stops_the_run) {
  machine_run r;
  cdn_return_reason reason;
  machine_start(&r, STOP);
  OK_STEP(r.stepper, cdn_stepper_advance(r.stepper, 2, &reason));
  ck_assert_int_eq(reason, CDN_STOPPED);
  ck_assert(cdn_stepper_is_stopped(r.stepper));
  ck_assert(cdn_state_time(cdn_stepper_state(r.stepper)) == 1);
  ck_assert_int_eq(log_a.n, 1);
  ck_assert_str_eq(log_a.at[0].name, "end");
  ck_assert_int_eq(cdn_stepper_occurrence_count(r.stepper), 2);
  ck_assert_str_eq(cdn_stepper_occurrence(r.stepper, 0)->name, "deed");
  ck_assert_ptr_null(cdn_stepper_occurrence(r.stepper, 2));
  /* it stays stopped */
  OK_STEP(r.stepper, cdn_stepper_advance(r.stepper, 3, &reason));
  ck_assert_int_eq(reason, CDN_STOPPED);
  ck_assert(cdn_state_time(cdn_stepper_state(r.stepper)) == 1);
  FAILS(cdn_stepper_step(r.stepper, 3), CDN_ERR_ARG);
  /* until it is told to go on: the event has been */
  OK_STEP(r.stepper, cdn_stepper_restart(r.stepper, cdn_stepper_state(r.stepper)));
  OK_STEP(r.stepper, cdn_stepper_advance(r.stepper, 3, &reason));
  ck_assert_int_eq(reason, CDN_REACHED_TIME);
  NEAR(z_of(r.stepper), 6, 1e-12);
  machine_end(&r);
}
END_TEST

START_TEST(handlers_that_fail) {
  static const struct {
    int what;
    cdn_status status;
    const char *says;
  } cases[] = { { FAIL, CDN_ERR_CALLBACK, "out of ink" },
                { GO_BACK, CDN_ERR_ARG, "forward only" },
                { BREAK, CDN_ERR_NONFINITE, "realized" } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    machine_run r;
    cdn_failure failure;
    machine_start(&r, cases[i].what);
    FAILS(cdn_stepper_advance(r.stepper, 2, NULL), cases[i].status);
    cdn_stepper_failure(r.stepper, &failure);
    ck_assert_str_eq(failure.error.element, "deed");
    ck_assert_ptr_nonnull(strstr(failure.error.text, cases[i].says));
    ck_assert_ptr_nonnull(strstr(failure.error.text, "'deed'"));
    ck_assert(failure.time == 1);
    /* as before the handler; and when that knows better, the run goes on */
    ck_assert(cdn_state_time(cdn_stepper_state(r.stepper)) == 1);
    NEAR(z_of(r.stepper), 2, 1e-12);
    r.deed.what = SET_D;
    OK_STEP(r.stepper, cdn_stepper_advance(r.stepper, 2, NULL));
    if (cases[i].what != BREAK) NEAR(z_of(r.stepper), 0, 1e-12);
    machine_end(&r);
  }
}
END_TEST

static cdn_status meddle(const void *self, cdn_state *state, const cdn_occurrence *what) {
  (void)self, (void)what;
  const double z = 7;
  return cdn_state_set_z(state, &z);
}

START_TEST(reporters_must_not_change_anything) {
  for (int i = 0; i < 2; i++) {
    cdn_system *system = event_system(&clock_ode, NULL);
    cdn_event_def def = cdn_default_event_def();
    def.name = "meddler", def.kind = CDN_EVENT_PERIODIC, def.period = 1, def.phase = 0.5, def.report = meddle;
    if (i) def.handle = log_handle;
    cdn_system_add_event(system, &def);
    cdn_state *state = event_state(system);
    cdn_stepper *stepper = ode_stepper(state, NULL);
    cdn_failure failure;
    FAILS(cdn_stepper_advance(stepper, 2, NULL), CDN_ERR_ARG);
    cdn_stepper_failure(stepper, &failure);
    ck_assert_str_eq(failure.error.element, "meddler");
    ck_assert_ptr_nonnull(strstr(failure.error.text, "reporters look"));
    NEAR(z_of(stepper), cdn_state_time(cdn_stepper_state(stepper)), 1e-15);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

static cdn_status bad_value(const void *self, cdn_state *state, double *value) {
  (void)self;
  *value = 1;
  return cdn_state_time(state) > 1 ? CDN_ERR_CALLBACK : CDN_OK;
}

START_TEST(triggers_that_fail) {
  cdn_system *system = event_system(&clock_ode, NULL);
  cdn_event_def def = cdn_default_event_def();
  def.name = "bad", def.value = bad_value;
  cdn_system_add_event(system, &def);
  cdn_state *state = event_state(system);
  cdn_stepper *stepper = ode_stepper(state, NULL);
  cdn_failure failure;
  FAILS(cdn_stepper_advance(stepper, 2, NULL), CDN_ERR_CALLBACK);
  cdn_stepper_failure(stepper, &failure);
  ck_assert_str_eq(failure.error.element, "bad");
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- coming back ---------------------------------------------------------------------------- */

START_TEST(advance_returns_on_events) {
  for (int active = 0; active < 2; active++) {
    cdn_system *system = event_system(&swing_ode, NULL);
    cdn_event_def def = cdn_default_event_def();
    def.value = z_minus;
    if (active) def.handle = log_handle;
    cdn_event zero = cdn_system_add_event(system, &def);
    cdn_state *state = event_state(system);
    cdn_stepper_def how = event_stepper_def(NULL, 1e-8);
    how.return_on_events = true;
    cdn_stepper *stepper = ode_stepper(state, &how);
    cdn_return_reason reason;
    int n = 0;
    for (;;) {
      OK_STEP(stepper, cdn_stepper_advance(stepper, 20, &reason));
      if (reason != CDN_HANDLED_EVENT) break;
      ck_assert_int_eq(cdn_stepper_occurrence_count(stepper), 1);
      const cdn_occurrence *what = cdn_stepper_occurrence(stepper, 0);
      ck_assert_int_eq(what->event.i, zero.i);
      ck_assert(cdn_state_time(cdn_stepper_state(stepper)) == what->time);
      NEAR(z_of(stepper), 0, 1e-9);
      NEAR(what->time, ++n * PI, 1e-6);
    }
    ck_assert_int_eq(reason, CDN_REACHED_TIME);
    ck_assert_int_eq(n, 6);
    ck_assert(cdn_state_time(cdn_stepper_state(stepper)) == 20);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(reports_leave_the_run_alone) {
  /* passive events of every kind: the same bits with and without */
  double z[2][2];
  cdn_certificate c[2];
  for (int with = 0; with < 2; with++) {
    cdn_system *system = event_system(&swing_ode, NULL);
    cdn_event_def def = cdn_default_event_def();
    def.report = log_report;
    def.value = z_minus;
    def.samples = 5;
    if (with) cdn_system_add_event(system, &def);
    def.kind = CDN_EVENT_PERIODIC, def.period = 0.011;
    if (with) cdn_system_add_event(system, &def);
    def.kind = CDN_EVENT_STEP;
    if (with) cdn_system_add_event(system, &def);
    cdn_state *state = event_state(system);
    cdn_stepper_def how = event_stepper_def(&log_a, 1e-7);
    cdn_stepper *stepper = ode_stepper(state, &how);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 20, NULL));
    if (with) ck_assert_int_gt(log_a.n, 1819);
    memcpy(z[with], cdn_state_z(cdn_stepper_state(stepper)), sizeof z[with]);
    c[with] = certificate_of(stepper);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
  ck_assert(z[0][0] == z[1][0] && z[0][1] == z[1][1]);
  ck_assert_int_eq(c[0].steps, c[1].steps);
  ck_assert_int_eq(c[0].evaluations, c[1].evaluations);
}
END_TEST

/* ---- subsystems ----------------------------------------------------------------------------- */

typedef struct pair {
  int calls, group;
  cdn_zvar z;
} pair;

static cdn_status pair_triggers(const void *self, cdn_state *state, int group, double *values) {
  const pair *p = self;
  ck_assert_int_eq(group, p->group);
  double z = cdn_state_zvar(state, p->z)[0];
  values[0] = z - 0.25;
  values[1] = 0.75 - z;
  return CDN_OK;
}
static cdn_status pair_zdot(const void *self, cdn_state *state, double *zdot) {
  (void)self, (void)state;
  zdot[0] = 1;
  return CDN_OK;
}
static cdn_status pair_handle(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const pair *p = self;
  (void)action;
  ck_assert_int_eq(p->calls, 42); /* the subsystem's own */
  return log_occurrence(state, what);
}
static cdn_status pair_declare(void *self, cdn_declarer *d) {
  pair *p = self;
  p->z = cdn_declare_z(d, 1, NULL);
  p->group = cdn_declare_event_triggers(d, CDN_STAGE_FORCE, 2);
  cdn_event_def def = cdn_default_event_def();
  def.handle = pair_handle;
  def.group = p->group;
  for (int i = 0; i < 2; i++) {
    def.index = i;
    def.name = i ? "upper" : "lower";
    cdn_declare_event(d, &def);
  }
  return CDN_OK;
}

START_TEST(triggers_of_a_subsystem) {
  static const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                         .name = "pair",
                                         .self_size = sizeof(pair),
                                         .declare = pair_declare,
                                         .calc_zdot = pair_zdot,
                                         .calc_event_triggers = pair_triggers };
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_subsystem(system, &ops, &(pair){ .calls = 42 });
  cdn_state *state = event_state(system);
  const double *slots = cdn_state_event_triggers(state, 0);
  ck_assert_ptr_nonnull(slots);
  ck_assert(slots[0] == -0.25 && slots[1] == 0.75);
  double half = 0.5, value;
  OK(cdn_state_set_z(state, &half));
  ck_assert(cdn_state_event_triggers(state, 0)[1] == 0.25); /* never stale */
  OK(cdn_event_value(state, cdn_system_find_event(system, "lower"), &value));
  ck_assert(value == 0.25);
  ck_assert_ptr_null(cdn_state_event_triggers(state, 1));
  half = 0;
  OK(cdn_state_set_z(state, &half));
  cdn_stepper_def how = event_stepper_def(&log_a, 1e-6);
  cdn_stepper *stepper = ode_stepper(state, &how);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  ck_assert_int_eq(log_a.n, 2);
  ck_assert_str_eq(log_a.at[0].name, "lower");
  ck_assert_int_eq(log_a.at[0].direction, CDN_RISING);
  NEAR(log_a.at[0].time, 0.25, 1e-9);
  ck_assert_str_eq(log_a.at[1].name, "upper");
  NEAR(log_a.at[1].time, 0.75, 1e-9);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- building ------------------------------------------------------------------------------- */

START_TEST(building_mistakes) {
  static const double times[] = { 2, 1 };
  for (int i = 0; i < 9; i++) {
    cdn_system *system = event_system(&clock_ode, NULL);
    cdn_event_def def = cdn_default_event_def();
    cdn_error error;
    def.name = "wrong";
    def.value = z_minus;
    if (i == 0) def.value = NULL;
    if (i == 1) def.direction = 0;
    if (i == 2) def.window = NAN;
    if (i == 3) def.samples = -1;
    if (i == 4) def.kind = CDN_EVENT_SCHEDULED;
    if (i == 5) def.kind = CDN_EVENT_SCHEDULED, def.times = times, def.n_times = 2;
    if (i == 6) def.kind = CDN_EVENT_PERIODIC;
    if (i == 7) def.kind = 17;
    if (i == 8) def.self_size = 8;
    ck_assert_int_eq(cdn_system_add_event(system, &def).i, -1);
    FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
    cdn_system_last_error(system, &error);
    ck_assert_str_eq(error.element, "wrong");
    cdn_system_release(system);
  }
  cdn_system *system = event_system(&clock_ode, NULL);
  cdn_event_def def = { .value = z_minus };
  cdn_system_add_event(system, &def);
  FAILS(cdn_system_freeze(system), CDN_ERR_VERSION);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("events", directions, report_times_change_nothing, report_time_at_an_event,
           samples_see_what_ends_of_steps_do_not, one_sided_triggers, simultaneous_events_in_order_of_stages,
           times_known_beforehand, times_as_they_come, handlers_change_what_they_like, a_jump_beyond_the_report_time,
           times_may_be_a_rounding_apart, a_handler_stops_the_run, handlers_that_fail,
           reporters_must_not_change_anything, triggers_that_fail, advance_returns_on_events,
           reports_leave_the_run_alone, triggers_of_a_subsystem, building_mistakes)
