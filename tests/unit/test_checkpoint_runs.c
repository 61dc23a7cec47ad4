/* Checkpoints: a run that goes on from one has the bits of the run that was never interrupted. */
#include "checkpoint_rig.h"

/* ---- two runs side by side ---------------------------------------------------------------------- */

/* Through bytes and back; the old one is gone. */
static cdn_stepper *reborn(cdn_stepper *stepper, rig_log *log) {
  cdn_buffer bytes = { 0 };
  cdn_state *state = NULL;
  cdn_stepper *loaded = NULL;
  OK(cdn_state_create(cdn_state_system(cdn_stepper_state(stepper)), &state));
  OK_STEP(stepper, cdn_stepper_save(stepper, cdn_buffer_write, &bytes));
  cdn_stepper_destroy(stepper);
  OK_ON(state, cdn_stepper_load(state, log, NULL, cdn_buffer_read, &bytes, &loaded));
  cdn_state_destroy(state);
  cdn_buffer_free(&bytes);
  return loaded;
}

#define SAME_BITS(what, a, b, n)                                                                         \
  do {                                                                                                   \
    const double *same_a_ = (a), *same_b_ = (b);                                                         \
    for (int same_i_ = 0; same_i_ < (n); same_i_++) {                                                    \
      ck_assert_msg(memcmp(&same_a_[same_i_], &same_b_[same_i_], sizeof(double)) == 0,                   \
                    "%s, at t = %.17g: %s[%d] is %.17g, uninterrupted %.17g", method, t, #what, same_i_, \
                    same_b_[same_i_], same_a_[same_i_]);                                                 \
    }                                                                                                    \
  } while (0)

/* All that can be asked of two steppers. */
static void compare(const char *method, const rig *r, cdn_stepper *a, cdn_stepper *b, const rig_log *log_a,
                    const rig_log *log_b) {
  cdn_state *sa = cdn_stepper_state(a), *sb = cdn_stepper_state(b);
  const cdn_system *system = cdn_state_system(sa);
  double t = cdn_state_time(sa), tb = cdn_state_time(sb), ea, eb;
  int nu = cdn_system_nu(system);
  SAME_BITS(time, &t, &tb, 1);
  SAME_BITS(q, cdn_state_q(sa), cdn_state_q(sb), cdn_system_nq(system));
  SAME_BITS(u, cdn_state_u(sa), cdn_state_u(sb), nu);
  SAME_BITS(z, cdn_state_z(sa), cdn_state_z(sb), cdn_system_nz(system));
  SAME_BITS(udot, cdn_state_udot(sa), cdn_state_udot(sb), nu);
  SAME_BITS(zdot, cdn_state_zdot(sa), cdn_state_zdot(sb), cdn_system_nz(system));
  SAME_BITS(previous_t, cdn_state_previous_t(sa), cdn_state_previous_t(sb), 1);
  SAME_BITS(previous_y, cdn_state_previous_y(sa), cdn_state_previous_y(sb), 1);
  for (int i = 0; i < RIG_MEASURES && cdn_system_measure_count(system) > 0; i++) {
    SAME_BITS(measure, cdn_measure_value(sa, r->measures[i]), cdn_measure_value(sb, r->measures[i]), 1);
  }
  OK_ON(sa, cdn_potential_energy(sa, &ea));
  OK_ON(sb, cdn_potential_energy(sb, &eb));
  SAME_BITS(energy, &ea, &eb, 1);
  ea = cdn_stepper_next_step(a), eb = cdn_stepper_next_step(b);
  SAME_BITS(next_step, &ea, &eb, 1);
  const cdn_stepper_def da = cdn_stepper_get_def(a), db = cdn_stepper_get_def(b);
  ck_assert(da.method == db.method && da.accuracy == db.accuracy && da.fixed_step == db.fixed_step);
  ck_assert(da.final_time == db.final_time && da.max_step == db.max_step && db.user == log_b);
  cdn_certificate ca, cb;
  memset(&ca, 0, sizeof ca), memset(&cb, 0, sizeof cb);
  OK_STEP(a, cdn_stepper_certificate(a, &ca));
  OK_STEP(b, cdn_stepper_certificate(b, &cb));
  ck_assert_msg(memcmp(&ca, &cb, sizeof ca) == 0, "%s: the certificates differ at t = %.17g (%ld, %ld steps)", method,
                t, (long)ca.steps, (long)cb.steps);
  int na = cdn_stepper_occurrence_count(a);
  ck_assert_int_eq(na, cdn_stepper_occurrence_count(b));
  for (int i = 0; i < na; i++) {
    const cdn_occurrence *wa = cdn_stepper_occurrence(a, i), *wb = cdn_stepper_occurrence(b, i);
    ck_assert_str_eq(wa->name, wb->name);
    ck_assert(wa->event.i == wb->event.i && wa->time == wb->time && wa->count == wb->count);
    ck_assert(wb->user == log_b);
  }
  ck_assert_msg(log_a->n == log_b->n && log_a->hash == log_b->hash, "%s: events differ at t = %.17g (%d, %d)", method,
                t, log_a->n, log_b->n);
}

typedef enum going { BY_REPORTS, BY_STEPS, BY_EVENTS, BY_PAUSES } going;

/* One leg of a run; false at its end. */
static bool go(cdn_stepper *s, going how, int leg) {
  double t_end = 1.5;
  cdn_return_reason reason;
  switch (how) {
    case BY_REPORTS: OK_STEP(s, cdn_stepper_advance(s, fmin(t_end, 0.0131 * leg), NULL)); break;
    case BY_STEPS: OK_STEP(s, cdn_stepper_step(s, t_end)); break;
    case BY_EVENTS: OK_STEP(s, cdn_stepper_advance(s, t_end, &reason)); break;
    case BY_PAUSES: {
      cdn_status status = cdn_stepper_advance(s, fmin(t_end, 0.3 * (1 + leg / 20)), NULL);
      ck_assert_msg(status == CDN_OK || status == CDN_ERR_LIMIT, "%s", cdn_status_name(status));
      break;
    }
  }
  return cdn_state_time(cdn_stepper_state(s)) < t_end;
}

/* Two runs side by side, one of them saved, thrown away and loaded after every leg. */
static int run_twice(const char *name, cdn_stepper_def def, bool events, going how) {
  bool restarts =
      def.method >= CDN_METHOD_CVODE_BDF && def.method <= CDN_METHOD_IDA; /* begins anew where it is saved */
  rig r;
  rig_log log_a = { 0 }, log_b = { 0 };
  cdn_state *state = rig_state(&r, events, NULL);
  cdn_stepper *a = NULL, *b = NULL;
  def.final_time = 1.5;
  def.return_on_events = how == BY_EVENTS;
  if (how == BY_PAUSES) def.max_steps = restarts ? 20 : 3; /* one that began anew every three steps would not get far */
  def.user = &log_a;
  cdn_status status = cdn_stepper_create(state, &def, &a);
  if (status == CDN_ERR_UNSUPPORTED) { /* a library built without SUNDIALS */
    cdn_state_destroy(state);
    return 1000;
  }
  OK_ON(state, status);
  def.user = &log_b;
  OK_ON(state, cdn_stepper_create(state, &def, &b));
  int legs = 0;
  for (bool on = true; on;) {
    /* one that began anew at every step would not get far */
    if (!restarts || how != BY_STEPS || legs % 25 == 0) b = reborn(b, &log_b);
    if (restarts && (how != BY_STEPS || legs % 25 == 0)) {
      cdn_buffer bytes = { 0 };
      OK_STEP(a, cdn_stepper_save(a, cdn_buffer_write, &bytes));
      cdn_buffer_free(&bytes);
    }
    legs++;
    on = go(a, how, legs);
    ck_assert(go(b, how, legs) == on);
    compare(name, &r, a, b, &log_a, &log_b);
    ck_assert_int_lt(legs, 100000);
  }
  cdn_stepper_destroy(a);
  cdn_stepper_destroy(b);
  cdn_state_destroy(state);
  return legs;
}

static const struct {
  const char *name;
  cdn_method method;
  double accuracy, fixed_step;
  bool events;
} methods[] = {
  { "Merson", CDN_METHOD_MERSON, 1e-5, 0, true },
  { "Dormand-Prince", CDN_METHOD_DORMAND_PRINCE, 1e-5, 0, true },
  { "Bogacki-Shampine", CDN_METHOD_BOGACKI_SHAMPINE, 1e-3, 0, true },
  { "Fehlberg", CDN_METHOD_FEHLBERG, 1e-5, 0, true },
  { "Dormand-Prince 8", CDN_METHOD_DORMAND_PRINCE_8, 1e-7, 0, true },
  { "Adams", CDN_METHOD_ADAMS, 1e-6, 0, true },
  { "Adams, loose", CDN_METHOD_ADAMS, 1e-3, 0, true },
  { "Verlet", CDN_METHOD_VERLET, 1e-3, 0, true },
  { "semi-explicit Euler", CDN_METHOD_SEMI_EXPLICIT_EULER, 3e-2, 0, true },
  { "two half steps", CDN_METHOD_SEMI_EXPLICIT_EULER_2, 3e-2, 0, true },
  { "Euler", CDN_METHOD_EXPLICIT_EULER, 3e-2, 0, true },
  { "trapezoid", CDN_METHOD_TRAPEZOID, 1e-3, 0, true },
  { "fixed steps", CDN_METHOD_DORMAND_PRINCE, 1e-3, 0.011, true },
  { "CVODE BDF", CDN_METHOD_CVODE_BDF, 1e-4, 0, true },
  { "CVODE Adams", CDN_METHOD_CVODE_ADAMS, 1e-4, 0, true },
  { "IDA", CDN_METHOD_IDA, 1e-3, 0, true },
  { "damped Euler", CDN_METHOD_MUJOCO_EULER, 1e-3, 0.011, true },
  { "implicit", CDN_METHOD_MUJOCO_IMPLICIT, 1e-3, 0.011, true },
  { "midpoint", CDN_METHOD_MUJOCO_MIDPOINT, 1e-3, 0.011, true },
  { "RK4", CDN_METHOD_MUJOCO_RK4, 1e-3, 0.011, true },
};

static void every_method(going how) {
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    if (SANITIZED && i % 4 != how) continue; /* each method in one of the ways */
    cdn_stepper_def def = cdn_default_stepper_def();
    def.method = methods[i].method;
    def.accuracy = methods[i].accuracy;
    def.fixed_step = methods[i].fixed_step;
    int legs = run_twice(methods[i].name, def, methods[i].events, how);
    ck_assert_int_gt(legs, methods[i].events || how != BY_EVENTS ? 5 : 0);
  }
}

START_TEST(the_run_goes_on_from_report_times) { every_method(BY_REPORTS); }
END_TEST
START_TEST(the_run_goes_on_from_steps) { every_method(BY_STEPS); }
END_TEST
START_TEST(the_run_goes_on_from_events) { every_method(BY_EVENTS); }
END_TEST
START_TEST(the_run_goes_on_from_pauses) { every_method(BY_PAUSES); }
END_TEST

START_TEST(the_def_is_kept) {
  static const double u_weights[] = { 1, 2, 3, 4, 5, 6, 7, 8 }, q_weights[] = { 8, 7, 6, 5, 4, 3, 2, 1 };
  static const double z_weights[] = { 0.5 };
  static const bool absolute[] = { true };
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_ADAMS;
  def.accuracy = 1e-5;
  def.max_order = 4;
  def.norm = CDN_NORM_INFINITY;
  def.q_weights = q_weights, def.u_weights = u_weights, def.z_weights = z_weights, def.z_absolute_each = absolute;
  def.max_step = 0.02, def.min_step = 1e-9, def.initial_step = 1e-4, def.constraint_tolerance = 1e-4;
  run_twice("weighted", def, false, BY_STEPS);
}
END_TEST

/* ---- bounces: what a trigger remembers of its last events ---------------------------------------- */

static cdn_status height(const void *self, cdn_state *state, double *value) {
  *value = *cdn_body_q(state, *(const cdn_body *)self);
  return CDN_OK;
}

static cdn_status bounce(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const cdn_body ball = *(const cdn_body *)self;
  double up = -0.3 * *cdn_body_u(state, ball);
  (void)what, (void)action;
  return cdn_body_set_u(state, ball, 1, &up);
}

START_TEST(bounces_come_to_the_same_end) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.name = "ball", body.mobilizer = CDN_SLIDER, body.mass.mass = 1, body.q0 = (const double[]){ 1 };
  cdn_body ball = cdn_system_add_body(system, &body);
  cdn_system_add_gravity(system, "gravity", cdn_v3(-9.81, 0, 0));
  cdn_event_def event = cdn_default_event_def();
  event.name = "impact", event.value = height, event.handle = bounce, event.direction = CDN_FALLING;
  event.self = &ball, event.self_size = sizeof ball;
  cdn_system_add_event(system, &event);
  OK_FREEZE(system);
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.return_on_events = true;
  cdn_stepper *a = NULL, *b = NULL;
  OK_ON(state, cdn_stepper_create(state, &def, &a));
  OK_ON(state, cdn_stepper_create(state, &def, &b));
  cdn_status status = CDN_OK;
  int bounces = 0;
  for (; status == CDN_OK; bounces++) {
    cdn_return_reason reason;
    b = reborn(b, NULL);
    status = cdn_stepper_advance(a, 10, &reason);
    ck_assert_int_eq(cdn_stepper_advance(b, 10, &reason), status);
    ck_assert(cdn_state_time(cdn_stepper_state(a)) == cdn_state_time(cdn_stepper_state(b)));
    ck_assert_mem_eq(cdn_state_u(cdn_stepper_state(a)), cdn_state_u(cdn_stepper_state(b)), sizeof(double));
    int n = cdn_stepper_occurrence_count(a);
    ck_assert_int_eq(cdn_stepper_occurrence_count(b), n);
    for (int i = 0; i < n; i++) {
      const cdn_occurrence *wa = cdn_stepper_occurrence(a, i), *wb = cdn_stepper_occurrence(b, i);
      ck_assert(wa->count == wb->count && wa->earliest == wb->earliest);
    }
  }
  ck_assert_int_eq(status, CDN_ERR_CHATTER);
  ck_assert_int_gt(bounces, 8);
  cdn_stepper_destroy(a);
  cdn_stepper_destroy(b);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* ---- the end ------------------------------------------------------------------------ */

START_TEST(a_run_at_its_end_stays_there) {
  rig r;
  rig_log log = { 0 };
  cdn_state *state = rig_state(&r, true, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.final_time = 0.3;
  def.user = &log;
  cdn_stepper *stepper = NULL;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.3, NULL));
  int n = log.n;
  stepper = reborn(stepper, &log);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.3, NULL));
  ck_assert_int_eq(log.n, n); /* nothing occurs twice */
  ck_assert(cdn_state_time(cdn_stepper_state(stepper)) == 0.3);
  FAILS(cdn_stepper_advance(stepper, 0.4, NULL), CDN_ERR_ARG);
  /* and can be restarted from */
  OK_STEP(stepper, cdn_stepper_restart(stepper, state));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1, NULL));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("checkpoints of runs", the_run_goes_on_from_report_times, the_run_goes_on_from_steps,
           the_run_goes_on_from_events, the_run_goes_on_from_pauses, the_def_is_kept, bounces_come_to_the_same_end,
           a_run_at_its_end_stays_there)
