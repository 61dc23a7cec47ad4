/* Checkpoints: a run that goes on from one has the bits of the run that was never interrupted. */
#include "checkpoint_rig.h"

#include <stdio.h>

/* ---- the State -------------------------------------------------------------------------------- */

START_TEST(a_state_comes_back) {
  rig r;
  cdn_state *state = rig_state(&r, true, NULL), *other = NULL;
  const cdn_system *system = cdn_state_system(state);
  OK(cdn_state_create(system, &other));
  uint32_t stream = 12345;
  double z = 1.25, memory = -3;
  OK(cdn_state_set_time(state, 1.5));
  OK(cdn_state_set_zvar(state, r.drift.z, &z));
  OK(cdn_state_set_discrete(state, r.drift.stream, &stream));
  OK(cdn_state_set_discrete(state, r.drift.memory.variable, &memory));
  OK(cdn_mobility_damper_set(state, r.damper, 0.75));
  OK(cdn_gravity_set(state, (cdn_force){ 0 }, cdn_v3(1, 2, 3)));

  cdn_buffer bytes = { 0 };
  OK_ON(state, cdn_state_save(state, cdn_buffer_write, &bytes));
  OK(cdn_realize(other, CDN_STAGE_REPORT));
  uint64_t serial = cdn_state_serial(other, CDN_Q);
  OK_ON(other, cdn_state_load(other, cdn_buffer_read, &bytes));
  ck_assert(bytes.at == bytes.size);
  ck_assert(cdn_state_serial(other, CDN_Q) > serial);
  ck_assert_int_lt(cdn_state_stage(other), CDN_STAGE_TIME); /* what had been computed is not valid any more */
  ck_assert(cdn_state_time(other) == 1.5);
  ck_assert_mem_eq(cdn_state_q(other), cdn_state_q(state), sizeof(double) * (size_t)cdn_system_nq(system));
  ck_assert_mem_eq(cdn_state_u(other), cdn_state_u(state), sizeof(double) * (size_t)cdn_system_nu(system));
  ck_assert(*cdn_state_zvar(other, r.drift.z) == 1.25);
  ck_assert(*(const uint32_t *)cdn_state_discrete(other, r.drift.stream) == 12345);
  ck_assert(*(const double *)cdn_state_discrete(other, r.drift.memory.variable) == -3);
  cdn_vec3 g = cdn_gravity_get(other, (cdn_force){ 0 });
  ck_assert(g.x == 1 && g.y == 2 && g.z == 3);
  size_t nu = (size_t)cdn_system_nu(system);
  ck_assert_mem_eq(cdn_state_udot(other), cdn_state_udot(state), sizeof(double) * nu);

  /* the bytes depend on the State alone */
  cdn_buffer again = { 0 };
  OK_ON(other, cdn_state_load(other, cdn_buffer_read, &(cdn_buffer){ .bytes = bytes.bytes, .size = bytes.size }));
  OK_ON(other, cdn_state_save(other, cdn_buffer_write, &again));
  ck_assert_uint_eq(again.size, bytes.size);
  ck_assert_mem_eq(again.bytes, bytes.bytes, bytes.size);
  cdn_buffer_free(&again);
  cdn_buffer_free(&bytes);
  cdn_state_destroy(other);
  cdn_state_destroy(state);
}
END_TEST

/* ---- another System ---------------------------------------------------------------------------- */

/* A chain whose parts are told apart by this. */
static cdn_state *chain_state(int bodies, cdn_mobilizer last, const char *last_name, const char *force) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  cdn_state *state = NULL;
  def.parent = cdn_ground();
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  for (int i = 0; i < bodies; i++) {
    char name[16];
    snprintf(name, sizeof name, "link%d", i);
    def.name = i + 1 < bodies ? name : last_name;
    def.mobilizer = i + 1 < bodies ? CDN_PIN : last;
    def.parent = cdn_system_add_body(system, &def);
  }
  cdn_system_add_gravity(system, force, cdn_v3(0, -9.81, 0));
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

START_TEST(another_system_is_refused_by_name) {
  static const struct {
    int bodies;
    cdn_mobilizer last;
    const char *last_name, *force, *element, *text;
  } others[] = {
    { 3, CDN_SLIDER, "hand", "gravity", "hand", "slider" }, { 3, CDN_PIN, "claw", "gravity", "claw", "hand" },
    { 4, CDN_PIN, "hand", "gravity", "link2", "hand" },     { 2, CDN_PIN, "hand", "gravity", "hand", "link1" },
    { 3, CDN_PIN, "hand", "weight", "weight", "gravity" },  { 3, CDN_WELD, "hand", "gravity", "hand", "weld" },
  };
  cdn_buffer bytes = { 0 }, run = { 0 };
  cdn_state *state = chain_state(3, CDN_PIN, "hand", "gravity");
  cdn_stepper *stepper = NULL;
  OK_ON(state, cdn_state_save(state, cdn_buffer_write, &bytes));
  OK_ON(state, cdn_stepper_create(state, NULL, &stepper));
  OK_STEP(stepper, cdn_stepper_save(stepper, cdn_buffer_write, &run));
  cdn_stepper_destroy(stepper);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    cdn_state *other = chain_state(others[i].bodies, others[i].last, others[i].last_name, others[i].force);
    double q = cdn_system_nq(cdn_state_system(other)) ? cdn_state_q(other)[0] : 0;
    cdn_error error;
    for (int k = 0; k < 2; k++) {
      bytes.at = run.at = 0;
      if (k == 0) FAILS(cdn_state_load(other, cdn_buffer_read, &bytes), CDN_ERR_ARG);
      else FAILS(cdn_stepper_load(other, NULL, cdn_buffer_read, &run, &stepper), CDN_ERR_ARG);
      cdn_state_last_error(other, &error);
      ck_assert_str_eq(error.element, others[i].element);
      ck_assert_msg(strstr(error.text, others[i].text), "no '%s' in: %s", others[i].text, error.text);
      ck_assert(cdn_system_nq(cdn_state_system(other)) == 0 || cdn_state_q(other)[0] == q);
    }
    ck_assert_ptr_null(stepper);
    cdn_state_destroy(other);
  }
  /* the same model built again is the same System */
  cdn_state *same = chain_state(3, CDN_PIN, "hand", "gravity");
  bytes.at = run.at = 0;
  OK_ON(same, cdn_state_load(same, cdn_buffer_read, &bytes));
  OK_ON(same, cdn_stepper_load(same, NULL, cdn_buffer_read, &run, &stepper));
  cdn_stepper_destroy(stepper);
  /* a State is no stepper */
  bytes.at = run.at = 0;
  FAILS(cdn_stepper_load(same, NULL, cdn_buffer_read, &bytes, &stepper), CDN_ERR_PARSE);
  FAILS(cdn_state_load(same, cdn_buffer_read, &run), CDN_ERR_PARSE);
  cdn_state_destroy(same);
  cdn_state_destroy(state);
  cdn_buffer_free(&bytes);
  cdn_buffer_free(&run);
}
END_TEST

/* ---- the stepper ------------------------------------------------------------------------------- */

/* Through bytes and back; the old one is gone. */
static cdn_stepper *reborn(cdn_stepper *stepper, rig_log *log) {
  cdn_buffer bytes = { 0 };
  cdn_state *state = NULL;
  cdn_stepper *loaded = NULL;
  OK(cdn_state_create(cdn_state_system(cdn_stepper_state(stepper)), &state));
  OK_STEP(stepper, cdn_stepper_save(stepper, cdn_buffer_write, &bytes));
  cdn_stepper_destroy(stepper);
  OK_ON(state, cdn_stepper_load(state, log, cdn_buffer_read, &bytes, &loaded));
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
static void compare(const char *method, cdn_stepper *a, cdn_stepper *b, const rig_log *log_a, const rig_log *log_b) {
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
  OK_ON(sa, cdn_potential_energy(sa, &ea));
  OK_ON(sb, cdn_potential_energy(sb, &eb));
  SAME_BITS(energy, &ea, &eb, 1);
  ea = cdn_stepper_next_step(a), eb = cdn_stepper_next_step(b);
  SAME_BITS(next_step, &ea, &eb, 1);
  cdn_certificate ca, cb;
  memset(&ca, 0, sizeof ca), memset(&cb, 0, sizeof cb);
  OK_STEP(a, cdn_stepper_certificate(a, &ca));
  OK_STEP(b, cdn_stepper_certificate(b, &cb));
  ck_assert_msg(memcmp(&ca, &cb, sizeof ca) == 0, "%s: the certificates differ at t = %.17g (%ld, %ld steps)", method,
                t, (long)ca.steps, (long)cb.steps);
  const cdn_occurrence *wa, *wb;
  int na = cdn_stepper_occurrences(a, &wa);
  ck_assert_int_eq(na, cdn_stepper_occurrences(b, &wb));
  for (int i = 0; i < na; i++) {
    ck_assert_str_eq(wa[i].name, wb[i].name);
    ck_assert(wa[i].event.i == wb[i].event.i && wa[i].time == wb[i].time && wa[i].count == wb[i].count);
    ck_assert(wb[i].user == log_b);
  }
  ck_assert_msg(log_a->n == log_b->n && log_a->hash == log_b->hash, "%s: events differ at t = %.17g (%d, %d)", method,
                t, log_a->n, log_b->n);
}

typedef enum going { BY_REPORTS, BY_STEPS, BY_EVENTS, BY_PAUSES } going;

/* One leg of a run; false at its end. */
static bool go(cdn_stepper *s, going how, int leg) {
  double t_end = 1.5;
  cdn_why why;
  switch (how) {
    case BY_REPORTS: OK_STEP(s, cdn_stepper_advance(s, fmin(t_end, 0.0131 * leg), NULL)); break;
    case BY_STEPS: OK_STEP(s, cdn_stepper_step(s, t_end)); break;
    case BY_EVENTS: OK_STEP(s, cdn_stepper_advance(s, t_end, &why)); break;
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
  rig r;
  rig_log log_a = { 0 }, log_b = { 0 };
  cdn_state *state = rig_state(&r, events, NULL);
  cdn_stepper *a = NULL, *b = NULL;
  def.final_time = 1.5;
  def.return_on_events = how == BY_EVENTS;
  if (how == BY_PAUSES) def.max_steps = 3;
  def.user = &log_a;
  OK_ON(state, cdn_stepper_create(state, &def, &a));
  def.user = &log_b;
  OK_ON(state, cdn_stepper_create(state, &def, &b));
  int legs = 0;
  for (bool on = true; on;) {
    b = reborn(b, &log_b);
    legs++;
    on = go(a, how, legs);
    ck_assert(go(b, how, legs) == on);
    compare(name, a, b, &log_a, &log_b);
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
  { "Adams", CDN_METHOD_ADAMS, 1e-7, 0, false },
  { "Adams, loose", CDN_METHOD_ADAMS, 1e-3, 0, false },
  { "Verlet", CDN_METHOD_VERLET, 1e-3, 0, true },
  { "semi-explicit Euler", CDN_METHOD_SEMI_EXPLICIT_EULER, 3e-2, 0, true },
  { "two half steps", CDN_METHOD_SEMI_EXPLICIT_EULER_2, 3e-2, 0, true },
  { "Euler", CDN_METHOD_EXPLICIT_EULER, 3e-2, 0, true },
  { "trapezoid", CDN_METHOD_TRAPEZOID, 1e-3, 0, true },
  { "fixed steps", CDN_METHOD_DORMAND_PRINCE, 1e-3, 0.011, true },
};

static void every_method(going how) {
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
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
  static const double u_weights[] = { 1, 2, 3, 4, 5, 6, 7 }, z_weights[] = { 0.5 };
  static const bool absolute[] = { true };
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_ADAMS;
  def.accuracy = 1e-5;
  def.max_order = 4;
  def.norm = CDN_NORM_INFINITY;
  def.u_absolute = true;
  def.u_weights = u_weights, def.z_weights = z_weights, def.z_absolute_each = absolute;
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
  return cdn_body_set_u(state, ball, &up, 1);
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
    cdn_why why;
    b = reborn(b, NULL);
    status = cdn_stepper_advance(a, 10, &why);
    ck_assert_int_eq(cdn_stepper_advance(b, 10, &why), status);
    ck_assert(cdn_state_time(cdn_stepper_state(a)) == cdn_state_time(cdn_stepper_state(b)));
    ck_assert_mem_eq(cdn_state_u(cdn_stepper_state(a)), cdn_state_u(cdn_stepper_state(b)), sizeof(double));
    const cdn_occurrence *wa, *wb;
    int n = cdn_stepper_occurrences(a, &wa);
    ck_assert_int_eq(cdn_stepper_occurrences(b, &wb), n);
    for (int i = 0; i < n; i++) ck_assert(wa[i].count == wb[i].count && wa[i].earliest == wb[i].earliest);
  }
  ck_assert_int_eq(status, CDN_ERR_CHATTER);
  ck_assert_int_gt(bounces, 8);
  cdn_stepper_destroy(a);
  cdn_stepper_destroy(b);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* ---- ends, stops, streams ------------------------------------------------------------------------ */

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

/* Fails after so many bytes. */
typedef struct narrow {
  cdn_buffer buffer;
  size_t room;
} narrow;

static cdn_status write_narrow(void *context, const void *bytes, size_t size) {
  narrow *n = context;
  if (size > n->room) return CDN_ERR_CALLBACK;
  n->room -= size;
  return cdn_buffer_write(&n->buffer, bytes, size);
}

START_TEST(streams_that_fail_are_told) {
  rig r;
  cdn_state *state = rig_state(&r, true, NULL);
  rig_log log = { 0 };
  cdn_stepper_def def = cdn_default_stepper_def();
  def.user = &log;
  cdn_stepper *stepper = NULL, *loaded = NULL;
  cdn_error error;
  cdn_failure failure;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  for (size_t room = 0; room < 200; room += 100) {
    narrow n = { .room = room };
    FAILS(cdn_state_save(state, write_narrow, &n), CDN_ERR_CALLBACK);
    cdn_state_last_error(state, &error);
    ck_assert_int_eq(error.code, CDN_ERR_CALLBACK);
    FAILS(cdn_stepper_save(stepper, write_narrow, &n), CDN_ERR_CALLBACK);
    cdn_stepper_failure(stepper, &failure);
    ck_assert_int_eq(failure.error.code, CDN_ERR_CALLBACK);
    ck_assert_ptr_nonnull(strstr(failure.error.text, "saved"));
    cdn_buffer_free(&n.buffer);
  }
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1, NULL)); /* no harm was done */

  cdn_buffer none = { 0 };
  FAILS(cdn_state_load(state, cdn_buffer_read, &none), CDN_ERR_FILE);
  FAILS(cdn_stepper_load(state, NULL, cdn_buffer_read, &none, &loaded), CDN_ERR_FILE);
  FAILS(cdn_state_save(NULL, cdn_buffer_write, &none), CDN_ERR_ARG);
  FAILS(cdn_state_save(state, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_state_load(NULL, cdn_buffer_read, &none), CDN_ERR_ARG);
  FAILS(cdn_state_load(state, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_stepper_save(NULL, cdn_buffer_write, &none), CDN_ERR_ARG);
  FAILS(cdn_stepper_save(stepper, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_stepper_load(NULL, NULL, cdn_buffer_read, &none, &loaded), CDN_ERR_ARG);
  FAILS(cdn_stepper_load(state, NULL, cdn_buffer_read, &none, NULL), CDN_ERR_ARG);
  FAILS(cdn_stepper_load(state, NULL, NULL, NULL, &loaded), CDN_ERR_ARG);
  FAILS(cdn_buffer_write(NULL, "", 1), CDN_ERR_ARG);
  FAILS(cdn_buffer_read(NULL, &none, 1), CDN_ERR_ARG);
  cdn_buffer_free(NULL);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("checkpoints", a_state_comes_back, another_system_is_refused_by_name, the_run_goes_on_from_report_times,
           the_run_goes_on_from_steps, the_run_goes_on_from_events, the_run_goes_on_from_pauses, the_def_is_kept,
           bounces_come_to_the_same_end, a_run_at_its_end_stays_there, streams_that_fail_are_told)
