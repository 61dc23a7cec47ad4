/* What the caller writes between calls leaves the error that a run has, and the companion knows it still: the estimate
 * is compared with the distance from a run at 1e-13 that gets the same writes. */
#include "../property/mechanisms.h"
#include "../testing.h"

enum { SHOULDER, ELBOW, TOP, JOINTS }; /* q: two angles, then a quaternion; u: two rates, then an angular velocity */
enum { NQ = 6, NU = 5 };

typedef struct rig {
  cdn_system *system;
  cdn_state *state;
  cdn_body bodies[JOINTS];
  cdn_force motor, spring;
  double start_q[NQ], start_u[NU];
} rig;

/* A double pendulum and, beside it, a heavy top. */
static rig make_rig(double angle) {
  rig r = { .system = cdn_system_create(NULL) };
  static const char *const names[JOINTS] = { "upper", "lower", "top" };
  for (int i = 0; i < JOINTS; i++) {
    cdn_body_def def = cdn_default_body_def();
    def.name = names[i];
    def.mobilizer = i == TOP ? CDN_BALL : CDN_PIN;
    if (i == ELBOW) def.parent = r.bodies[SHOULDER];
    def.X_BM.p = i == TOP ? cdn_v3(0, 0.3, 0) : cdn_v3(0, 1, 0);
    def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { 0.1, 0.2, 0.1, 0, 0, 0 } };
    r.bodies[i] = cdn_system_add_body(r.system, &def);
  }
  cdn_system_add_gravity(r.system, "gravity", cdn_v3(0, -9.81, 0));
  r.motor = cdn_system_add_mobility_force(r.system, "motor", r.bodies[SHOULDER], 0, 0);
  r.spring = cdn_system_add_mobility_spring(r.system, "spring", r.bodies[ELBOW], 0, 3, 0.2);
  OK_FREEZE(r.system);
  OK(cdn_state_create(r.system, &r.state));
  OK(cdn_force_set_enabled(r.state, r.spring, false));
  const double q[NQ] = { angle, 0.3, cos(0.4), 0, 0, sin(0.4) }, u[NU] = { 0, 0, 0.3, 5, 0.1 };
  OK_ON(r.state, cdn_state_set_q(r.state, q));
  OK_ON(r.state, cdn_state_set_u(r.state, u));
  memcpy(r.start_q, q, sizeof q);
  memcpy(r.start_u, u, sizeof u);
  return r;
}

static void free_rig(rig *r) {
  cdn_state_destroy(r->state);
  cdn_system_release(r->system);
}

/* ---- ways to write, each on its own State --------------------------------------------------- */

typedef void write_fn(const rig *r, cdn_state *s, int k);
#define READ                           \
  double q[NQ], u[NU];                 \
  memcpy(q, cdn_state_q(s), sizeof q); \
  memcpy(u, cdn_state_u(s), sizeof u); \
  (void)r, (void)k

static void nothing(const rig *r, cdn_state *s, int k) { (void)r, (void)s, (void)k; }
static void the_same(const rig *r, cdn_state *s, int k) {
  READ;
  OK_ON(s, cdn_state_set_q(s, q));
  OK_ON(s, cdn_state_set_u(s, u));
}
static void kicks(const rig *r, cdn_state *s, int k) {
  READ;
  if (k % 5) return;
  u[0] += 1e-2 * sin(k), u[3] += 2e-2 * cos(k);
  OK_ON(s, cdn_state_set_u(s, u));
}
static void wraps(const rig *r, cdn_state *s, int k) {
  READ;
  for (int i = 0; i < 2; i++) q[i] = remainder(q[i], 2 * PI);
  /* q and -q are the same orientation */
  for (int i = 2; i < 6 && k % 7 == 0; i++) q[i] = -q[i];
  OK_ON(s, cdn_state_set_q(s, q));
}
static void turns(const rig *r, cdn_state *s, int k) {
  READ;
  if (k % 20) return;
  const cdn_quaternion by = cdn_quaternion_axis_angle(cdn_v3(0.1, 1, 0.2), 1.3);
  const cdn_quaternion to = cdn_quaternion_multiply(by, (cdn_quaternion){ q[2], q[3], q[4], q[5] });
  q[2] = to.w, q[3] = to.x, q[4] = to.y, q[5] = to.z;
  q[1] += 0.5;
  OK_ON(s, cdn_state_set_q(s, q));
}
static void resets(const rig *r, cdn_state *s, int k) {
  if (k % 50) return;
  OK_ON(s, cdn_state_set_q(s, r->start_q));
  OK_ON(s, cdn_state_set_u(s, r->start_u));
}
static void stops(const rig *r, cdn_state *s, int k) {
  READ;
  if (k % 60) return;
  u[0] = u[1] = 0;
  OK_ON(s, cdn_state_set_u(s, u));
}
static void feeds_back(const rig *r, cdn_state *s, int k) {
  READ;
  u[0] = -2 * (q[0] - sin(0.02 * k));
  OK_ON(s, cdn_state_set_u(s, u));
}
static void sets_parameters(const rig *r, cdn_state *s, int k) {
  OK_ON(s, cdn_mobility_force_set(s, r->motor, 2 * sin(0.37 * k)));
}
static void switches(const rig *r, cdn_state *s, int k) {
  if (k % 40 == 0) OK_ON(s, cdn_force_set_enabled(s, r->spring, k % 80 == 0));
}
static void locks(const rig *r, cdn_state *s, int k) {
  if (k % 100 == 50) OK_ON(s, cdn_body_lock(s, r->bodies[SHOULDER], CDN_LEVEL_POSITION));
  if (k % 100 == 80) OK_ON(s, cdn_body_unlock(s, r->bodies[SHOULDER]));
}

static const struct {
  const char *name;
  write_fn *write;
} ways[] = { { "nothing", nothing },
             { "the same", the_same },
             { "kicks", kicks },
             { "wraps", wraps },
             { "turns", turns },
             { "resets", resets },
             { "stops", stops },
             { "feeds back", feeds_back },
             { "parameters", sets_parameters },
             { "switches", switches },
             { "locks", locks } };
enum { WAYS = sizeof ways / sizeof *ways };

/* ---- the estimate and the truth ------------------------------------------------------------- */

typedef struct outcome {
  cdn_certificate c;
  double truth;
} outcome;

static outcome run(int way, double angle, cdn_method method, double accuracy) {
  static const double T = 4;
  enum { CALLS = 200 };
  rig r = make_rig(angle);
  cdn_stepper *steppers[2];
  outcome o = { .truth = 0 };
  for (int i = 0; i < 2; i++) {
    cdn_stepper_def def = cdn_default_stepper_def();
    def.method = i ? CDN_METHOD_DORMAND_PRINCE_8 : method;
    def.accuracy = i ? 1e-13 : accuracy;
    def.companion = i == 0;
    def.final_time = T;
    OK_ON(r.state, cdn_stepper_create(r.state, &def, &steppers[i]));
  }
  for (int k = 1; k <= CALLS; k++) {
    cdn_distance d;
    for (int i = 0; i < 2; i++) { OK_STEP(steppers[i], cdn_stepper_advance(steppers[i], T * k / CALLS, NULL)); }
    OK_STEP(steppers[0], cdn_stepper_distance(steppers[0], cdn_stepper_state(steppers[1]), &d));
    o.truth = fmax(o.truth, d.largest);
    for (int i = 0; i < 2; i++) ways[way].write(&r, cdn_stepper_state(steppers[i]), k);
  }
  OK_STEP(steppers[0], cdn_stepper_certificate(steppers[0], &o.c));
  for (int i = 0; i < 2; i++) cdn_stepper_destroy(steppers[i]);
  free_rig(&r);
  return o;
}

START_TEST(the_estimate_is_that_of_the_whole_run) {
  static const cdn_method methods[] = { CDN_METHOD_DEFAULT, CDN_METHOD_MERSON };
  int runs = 0, far = 0;
  for (int m = 0; m < 2; m++) {
    for (int start = 0; start < 2; start++) {
      for (double digits = 2.2; digits < (SANITIZED ? 3 : 9); digits += 1.7) {
        const double accuracy = pow(10, -digits);
        const outcome o = run(_i, start ? 2.4 : 0.9, methods[m], accuracy);
        const double ratio = o.c.error_estimate / o.truth;
        ck_assert_str_eq(o.c.companion_message, "");
        if (o.truth > 10 * accuracy)
          ck_assert_msg(o.c.delivered != CDN_VERDICT_DELIVERED, "%s at %.2g: true error %.3g, estimated %.3g",
                        ways[_i].name, accuracy, o.truth, o.c.error_estimate);
        /* errors that are nothing beside the accuracy need no digits */
        runs++;
        if (fmax(o.truth, o.c.error_estimate) < 0.3 * accuracy) continue;
        far += !(ratio > 1. / 3 && ratio < 3);
        ck_assert_msg(ratio > 0.1 && ratio < 10, "%s at %.2g: true error %.3g, estimated %.3g", ways[_i].name, accuracy,
                      o.truth, o.c.error_estimate);
      }
    }
  }
  ck_assert_msg(far <= (SANITIZED ? 1 : runs / 8), "%s: %d of %d estimates are off by more than a factor of 3",
                ways[_i].name, far, runs);
}
END_TEST

/* ---- constraints ----------------------------------------------------------------------------- */

static void turn_faster(cdn_state *s, int k) {
  double q[3], u[3];
  memcpy(q, cdn_state_q(s), sizeof q);
  memcpy(u, cdn_state_u(s), sizeof u);
  for (int i = 0; i < 3; i++) q[i] = remainder(q[i], 2 * PI), u[i] *= k % 10 ? 1 : 1 + 0.1 * sin(k);
  OK_ON(s, cdn_state_set_q(s, q));
  OK_ON(s, cdn_state_set_u(s, u));
}

START_TEST(mechanisms_stay_compared) {
  cdn_state *state = mechanism_state(four_bar());
  cdn_assembly *assembly;
  OK(cdn_assembly_create(cdn_state_system(state), NULL, &assembly));
  OK_ASSEMBLY(assembly, cdn_assemble(assembly, state, NULL));
  double u[3] = { 3, 0, 0 };
  OK_ON(state, cdn_state_set_u(state, u));
  OK_ON(state, cdn_project_u(state, NULL, NULL));
  cdn_assembly_destroy(assembly);
  for (double digits = 3.2; digits < (SANITIZED ? 6 : 9); digits += 1.9) {
    cdn_stepper *steppers[2];
    double truth = 0;
    for (int i = 0; i < 2; i++) {
      cdn_stepper_def def = cdn_default_stepper_def();
      def.method = i ? CDN_METHOD_DORMAND_PRINCE_8 : CDN_METHOD_DEFAULT;
      def.accuracy = i ? 1e-12 : pow(10, -digits);
      def.companion = i == 0;
      OK_ON(state, cdn_stepper_create(state, &def, &steppers[i]));
    }
    for (int k = 1; k <= 100; k++) {
      cdn_distance d;
      for (int i = 0; i < 2; i++) OK_STEP(steppers[i], cdn_stepper_advance(steppers[i], 0.05 * k, NULL));
      OK_STEP(steppers[0], cdn_stepper_distance(steppers[0], cdn_stepper_state(steppers[1]), &d));
      truth = fmax(truth, d.largest);
      for (int i = 0; i < 2; i++) turn_faster(cdn_stepper_state(steppers[i]), k);
    }
    cdn_certificate c;
    OK_STEP(steppers[0], cdn_stepper_certificate(steppers[0], &c));
    ck_assert_str_eq(c.companion_message, "");
    ck_assert_msg(c.error_estimate > truth / 3 && c.error_estimate < 3 * truth, "estimated %.3g, true %.3g at %.2g",
                  c.error_estimate, truth, c.accuracy);
    for (int i = 0; i < 2; i++) cdn_stepper_destroy(steppers[i]);
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- anew ------------------------------------------------------------------------------------ */

static void says_since(const cdn_certificate *c) {
  char text[400], since[64];
  cdn_certificate_verdict(c, text, sizeof text);
  snprintf(since, sizeof since, "; compared anew from t = %.4g s", c->compared_since);
  ck_assert_msg(strstr(text, since), "%s", text);
}

/* Each bounce turns the speed round; the caller pushes the ball there. */
static cdn_status height(const void *self, cdn_state *state, double *value) {
  (void)self;
  *value = cdn_state_q(state)[0];
  return CDN_OK;
}
static cdn_status bounce(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const double up = -cdn_state_u(state)[0];
  (void)self, (void)what, (void)action;
  return cdn_state_set_u(state, &up);
}

/* The companion of a run that is shown just after a bounce is often just before it. Then it starts anew, and what was
 * known of the error stays in the estimate. */
static cdn_state *ball_on_a_string(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "ball", def.mobilizer = CDN_SLIDER, def.mass.mass = 1;
  cdn_body ball = cdn_system_add_body(system, &def);
  cdn_system_add_mobility_force(system, "weight", ball, 0, -9.81);
  cdn_system_add_mobility_spring(system, "string", ball, 0, 30, 0.3);
  cdn_event_def event = cdn_default_event_def();
  event.name = "floor", event.value = height, event.direction = CDN_FALLING, event.handle = bounce;
  cdn_system_add_event(system, &event);
  OK_FREEZE(system);
  const double q = 1;
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_state_set_q(state, &q));
  cdn_system_release(system);
  return state;
}

START_TEST(an_event_between_the_two_starts_anew) {
  cdn_state *state = ball_on_a_string();
  cdn_stepper *stepper;
  cdn_certificate c, before = { .error_estimate = 0 };
  double last = 0;
  int anew = 0;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = _i ? 1.8e-4 : 1e-3;
  how.companion = how.return_on_events = true;
  OK_ON(state, cdn_stepper_create(state, &how, &stepper));
  cdn_state *now = cdn_stepper_state(stepper);
  for (int k = 1; k <= 20; k++) {
    cdn_return_reason reason = CDN_REACHED_TIME;
    while (reason == CDN_REACHED_TIME)
      OK_STEP(stepper, cdn_stepper_advance(stepper, cdn_state_time(now) + 0.1, &reason));
    const double u = cdn_state_u(now)[0] + 0.0123456789 * sin(k);
    OK_ON(now, cdn_state_set_u(now, &u));
    OK_STEP(stepper, cdn_stepper_advance(stepper, cdn_state_time(now) + 1e-3, NULL));
    OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
    ck_assert_str_eq(c.companion_message, "");
    /* the steps of a millisecond have added next to nothing */
    if (c.compared_since > last) {
      anew++;
      says_since(&c);
      ck_assert(c.error_estimate >= before.error_estimate && c.error_estimate < before.error_estimate + how.accuracy);
    }
    last = c.compared_since;
    before = c;
  }
  ck_assert_int_gt(anew, 0);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(a_restart_at_the_same_time_is_a_change) {
  rig r = make_rig(2.4);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper;
  cdn_certificate before, after;
  cdn_distance d, kept;
  double u[NU];
  def.companion = true;
  OK_ON(r.state, cdn_stepper_create(r.state, &def, &stepper));
  for (int k = 1; k <= 20; k++) OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1 * k, NULL));
  cdn_state *now = cdn_stepper_state(stepper), *companion = cdn_stepper_state(cdn_stepper_companion(stepper));
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &before));
  OK_STEP(stepper, cdn_stepper_distance(stepper, companion, &d));
  OK_ON(r.state, cdn_state_copy(r.state, now));
  memcpy(u, cdn_state_u(now), sizeof u);
  u[0] += 0.1234567;
  OK_ON(r.state, cdn_state_set_u(r.state, u));
  OK_ON(r.state, cdn_mobility_force_set(r.state, r.motor, 3));
  OK_STEP(stepper, cdn_stepper_restart(stepper, r.state));
  OK_STEP(stepper, cdn_stepper_distance(stepper, companion, &kept));
  ck_assert(d.q > 0 && d.u > 0);
  NEAR(kept.q, d.q, 1e-3 * d.q);
  NEAR(kept.u, d.u, 0.2 * d.u); /* relative to a speed that has changed */
  /* and the motor's force */
  OK_ON(now, cdn_realize(now, CDN_STAGE_ACCELERATION));
  OK_ON(companion, cdn_realize(companion, CDN_STAGE_ACCELERATION));
  NEAR(cdn_state_udot(companion)[0], cdn_state_udot(now)[0], 1e-2);
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &after));
  ck_assert(after.error_estimate == before.error_estimate && after.compared_since == 0);
  cdn_stepper_destroy(stepper);
  free_rig(&r);
}
END_TEST

/* A joint that is locked where it is stays where it is in both runs, whose error thus lasts. */
START_TEST(a_lock_holds_each_where_it_is) {
  rig r = make_rig(2.4);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper;
  def.companion = true;
  def.accuracy = 1e-3;
  OK_ON(r.state, cdn_stepper_create(r.state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 4, NULL));
  cdn_state *now = cdn_stepper_state(stepper), *companion = cdn_stepper_state(cdn_stepper_companion(stepper));
  const double there = cdn_state_q(companion)[0];
  ck_assert(there != cdn_state_q(now)[0]);
  OK_ON(now, cdn_body_lock(now, r.bodies[SHOULDER], CDN_LEVEL_POSITION));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 5, NULL));
  ck_assert(cdn_state_q(companion)[0] == there);
  /* but a place that is given is a place for both */
  const double place = cdn_state_q(now)[0] + 0.125;
  OK_ON(now, cdn_body_lock_at(now, r.bodies[SHOULDER], CDN_LEVEL_POSITION, 1, &place));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 6, NULL));
  ck_assert(cdn_state_q(companion)[0] == place && cdn_state_q(now)[0] == place);
  cdn_stepper_destroy(stepper);
  free_rig(&r);
}
END_TEST

START_TEST(a_restart_at_another_time_begins_anew) {
  rig r = make_rig(2.4);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper;
  cdn_certificate c;
  def.companion = true;
  def.accuracy = 1e-3;
  OK_ON(r.state, cdn_stepper_create(r.state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 20, NULL));
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  ck_assert_int_eq(c.delivered, CDN_VERDICT_NOT_DELIVERED);
  ck_assert(c.compared_since == 0);
  OK_ON(r.state, cdn_state_set_time(r.state, 2));
  OK_STEP(stepper, cdn_stepper_restart(stepper, r.state));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 2.1, NULL));
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  ck_assert_int_eq(c.delivered, CDN_VERDICT_DELIVERED);
  ck_assert(c.compared_since == 2 && c.delivered_until == 2.1);
  says_since(&c);
  cdn_stepper_destroy(stepper);
  free_rig(&r);
}
END_TEST

/* Between a write and the call that takes it, and after it. */
START_TEST(a_checkpoint_knows_the_writes) {
  rig r = make_rig(2.4);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper, *loaded;
  def.companion = true;
  OK_ON(r.state, cdn_stepper_create(r.state, &def, &stepper));
  cdn_buffer bytes = { 0 };
  for (int k = 1; k <= 60; k++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.05 * k, NULL));
    kicks(&r, cdn_stepper_state(stepper), k);
    resets(&r, cdn_stepper_state(stepper), k);
    if (k != 40) continue;
    OK_STEP(stepper, cdn_stepper_save(stepper, cdn_buffer_write, &bytes));
    OK_ON(r.state, cdn_stepper_load(r.state, NULL, NULL, cdn_buffer_read, &bytes, &loaded));
  }
  for (int k = 41; k <= 60; k++) {
    OK_STEP(loaded, cdn_stepper_advance(loaded, 0.05 * k, NULL));
    kicks(&r, cdn_stepper_state(loaded), k);
    resets(&r, cdn_stepper_state(loaded), k);
  }
  cdn_certificate a, b;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &a));
  OK_STEP(loaded, cdn_stepper_certificate(loaded, &b));
  ck_assert(a.error_estimate == b.error_estimate && a.companion_evaluations == b.companion_evaluations);
  ck_assert(a.compared_since == b.compared_since);
  cdn_buffer_free(&bytes);
  cdn_stepper_destroy(stepper);
  cdn_stepper_destroy(loaded);
  free_rig(&r);
}
END_TEST

static void add(TCase *tcase) {
  tcase_add_loop_test(tcase, the_estimate_is_that_of_the_whole_run, 0, WAYS);
  tcase_add_test(tcase, mechanisms_stay_compared);
  tcase_add_loop_test(tcase, an_event_between_the_two_starts_anew, 0, 2);
  tcase_add_test(tcase, a_restart_at_the_same_time_is_a_change);
  tcase_add_test(tcase, a_lock_holds_each_where_it_is);
  tcase_add_test(tcase, a_restart_at_another_time_begins_anew);
  tcase_add_test(tcase, a_checkpoint_knows_the_writes);
}

CHECK_MAIN_OF("companion and writes", 300, add)
