/* Balls in free flight, whose impacts are known: thrown up to graze a ceiling, and side by side, within rounding of one
 * another. */
#include "runs.h"

static const double G = 9.81;
enum { BALLS = 4 };

typedef struct wall {
  int ball;
  double at; /* 0: the floor; else the ceiling */
} wall;

static int hits[BALLS][2];

static cdn_status distance(const void *self, cdn_state *state, double *value) {
  const wall *w = self;
  const double q = *cdn_body_q(state, (cdn_body){ w->ball + 1 });
  *value = w->at > 0 ? w->at - q : q;
  return CDN_OK;
}

static cdn_status bounce(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const wall *w = self;
  const cdn_body body = { w->ball + 1 };
  const double back = -*cdn_body_u(state, body);
  (void)what, (void)action;
  hits[w->ball][w->at > 0]++;
  return cdn_body_set_u(state, body, 1, &back);
}

static void add_wall(cdn_system *system, int ball, double at) {
  const wall w = { ball, at };
  cdn_event_def def = cdn_default_event_def();
  def.value = distance, def.handle = bounce, def.direction = CDN_FALLING, def.self = &w, def.self_size = sizeof w;
  cdn_system_add_event(system, &def);
}

static void add_ball(cdn_system *system, double height, double speed) {
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass = point_mass(1, cdn_v3(0, 0, 0)), def.q0 = &height, def.u0 = &speed;
  cdn_system_add_body(system, &def);
}

static cdn_certificate run(cdn_system *system, cdn_method method, double accuracy, double end, double *q, double *u) {
  cdn_system_add_gravity(system, "gravity", cdn_v3(-G, 0, 0));
  cdn_state *state = state_of(system);
  cdn_stepper_def how = cdn_default_stepper_def();
  cdn_stepper *stepper = NULL;
  cdn_certificate c;
  how.method = method, how.accuracy = accuracy, how.final_time = end;
  memset(hits, 0, sizeof hits);
  OK_ON(state, cdn_stepper_create(state, &how, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, end, NULL));
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  memcpy(q, cdn_state_q(cdn_stepper_state(stepper)), sizeof(double) * (size_t)cdn_system_nq(system));
  memcpy(u, cdn_state_u(cdn_stepper_state(stepper)), sizeof(double) * (size_t)cdn_system_nu(system));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return c;
}

static const cdn_method methods[] = { CDN_METHOD_DEFAULT, CDN_METHOD_MERSON, CDN_METHOD_DORMAND_PRINCE,
                                      CDN_METHOD_DORMAND_PRINCE_8, CDN_METHOD_FEHLBERG };

/* A number from 0 to 1, the same in every run. */
static double pick(int k) { return fmod(0.618033988749895 * (k + 1), 1); }

/* ---- up to a ceiling that is a little lower, or higher, than the top ---- */

static void graze(cdn_method method, double accuracy, double height, double speed, double depth) {
  double q, u;
  cdn_system *system = cdn_system_create(NULL);
  add_ball(system, height, speed);
  add_wall(system, 0, height + speed * speed / (2 * G) - depth);
  const cdn_certificate c = run(system, method, accuracy, 2.2 * speed / G, &q, &u);
  const bool sure = fabs(depth) > 100 * accuracy;
  ck_assert_msg(hits[0][1] == (depth > 0) || !sure, "%s at %g, depth %g of %.17g, %.17g: %d impacts",
                cdn_method_name(method), accuracy, depth, height, speed, hits[0][1]);
  ck_assert(!sure || c.near_misses == 0);
  if (fabs(depth) < 0.1 * accuracy)
    ck_assert_msg(hits[0][1] + c.near_misses >= 1, "%s at %g, depth %g of %.17g, %.17g: nothing is said",
                  cdn_method_name(method), accuracy, depth, height, speed);
}

START_TEST(grazing_is_seen_or_said) {
  static const double accuracies[] = { 1e-3, 1e-6, 1e-9, 1.3e-11 };
  for (int a = 0; a < 4; a++)
    for (int k = 0; k < FEWER(100); k++) {
      const double depth = pow(10, -2 - 10 * pick(3 * k)) * (k % 4 ? 1 : -1);
      graze(methods[_i], accuracies[a], 0.5 + pick(3 * k + 1), 0.5 + 3 * pick(3 * k + 2), depth);
    }
}
END_TEST

/* ---- side by side: as many impacts as one ball has alone, for all ---- */

START_TEST(impacts_within_rounding_are_all_handled) {
  for (int k = 0; k < FEWER(60); k++) {
    double q[BALLS], u[BALLS];
    const double accuracy = pow(10, -2 - 9 * pick(5 * k)), ceiling = 1.5 + pick(5 * k + 1),
                 speed = 6 + 2 * pick(5 * k + 2);
    cdn_system *system = cdn_system_create(NULL);
    for (int i = 0; i < BALLS; i++) {
      add_ball(system, i ? 1 + pow(10, -9 - 7 * pick(5 * k + i)) : 1, speed);
      add_wall(system, i, 0);
      add_wall(system, i, ceiling);
    }
    run(system, methods[_i], accuracy, 3, q, u);
    /* up, down and up again between floor and ceiling: the time for a lap is known */
    const double at_floor = sqrt(speed * speed + 2 * G), at_ceiling = sqrt(at_floor * at_floor - 2 * G * ceiling);
    const double way = (at_floor - at_ceiling) / G, first = (speed - at_ceiling) / G, legs = (3 - first) / way;
    if (fabs(legs - nearbyint(legs)) < 1e-2) continue;
    const int more = (int)floor(legs);
    for (int i = 0; i < BALLS; i++) {
      ck_assert_int_eq(hits[i][1], 1 + more / 2);
      ck_assert_int_eq(hits[i][0], (more + 1) / 2);
      NEAR(q[i], q[0], 1e-6 + 30 * accuracy);
    }
  }
}
END_TEST

/* ---- at zero while another event is handled ---- */

/* As exact as a sensor that tells millionths: at the moment of the first event it is zero. */
static cdn_status coarse(const void *self, cdn_state *state, double *value) {
  (void)self;
  *value = 1e-6 * nearbyint(1e6 * *cdn_body_q(state, (cdn_body){ 1 }));
  return CDN_OK;
}

static cdn_status early(const void *self, cdn_state *state, double *value) {
  (void)self;
  *value = *cdn_body_q(state, (cdn_body){ 1 }) - 1e-7;
  return CDN_OK;
}

static cdn_status push_other(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const double u = 1;
  (void)self, (void)what, (void)action;
  hits[1][0]++;
  return cdn_body_set_u(state, (cdn_body){ 2 }, 1, &u);
}

START_TEST(a_value_left_at_zero_still_comes_from_its_side) {
  double q[2], u[2];
  cdn_system *system = cdn_system_create(NULL);
  add_ball(system, 1, 0);
  add_ball(system, 1, 0);
  cdn_event_def def = cdn_default_event_def();
  def.value = early, def.handle = push_other, def.direction = CDN_FALLING;
  cdn_system_add_event(system, &def);
  const wall floor = { 0, 0 };
  def.value = coarse, def.handle = bounce, def.self = &floor, def.self_size = sizeof floor;
  cdn_system_add_event(system, &def);
  run(system, methods[_i], 1e-9, 0.6, q, u);
  ck_assert_int_eq(hits[1][0], 1);
  ck_assert_int_eq(hits[0][0], 1);
  ck_assert(q[0] > 0);
}
END_TEST

static void add_tests(TCase *c) {
  const int n = sizeof methods / sizeof *methods;
  tcase_add_loop_test(c, grazing_is_seen_or_said, 0, n);
  tcase_add_loop_test(c, impacts_within_rounding_are_all_handled, 0, n);
  tcase_add_loop_test(c, a_value_left_at_zero_still_comes_from_its_side, 0, n);
}

CHECK_MAIN_OF("grazing", 300, add_tests)
