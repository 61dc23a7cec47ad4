/* A ball with restitution, for every method, accuracies on and between decades, and coefficients from 0 to 1: it never
 * falls through the floor and never hops for ever. Impacts accumulate at sqrt(2 h / g) (1 + e) / (1 - e); there the run
 * says CDN_ERR_CHATTER.
 *
 * Heights come in three ways: the coordinate itself, whose rounding vanishes at the floor; the same far from the
 * origin, whose rounding hides the last bounces; and the end of a falling arm, computed from an angle. */
#include "runs.h"

static const double G = 9.81;
static const double coefficients[] = { 0, 0.001, 0.03, 0.1, 0.5, 0.7, 0.9, 0.99, 1 };
enum { N_COEFFICIENTS = sizeof coefficients / sizeof *coefficients };

typedef enum way { COORDINATE, FAR, ARM, WAYS } way;

typedef struct ball {
  cdn_body body;
  way way;
  double floor, e;
} ball;

static cdn_status height(const void *self, cdn_state *state, double *value) {
  const ball *b = self;
  cdn_vec3 end;
  if (b->way != ARM) {
    *value = *cdn_body_q(state, b->body) - b->floor;
    return CDN_OK;
  }
  cdn_status status = cdn_body_station(state, b->body, cdn_v3(1, 0, 0), &end, NULL);
  *value = end.y - b->floor;
  return status;
}

static cdn_status rebound(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const ball *b = self;
  double up = -b->e * *cdn_body_u(state, b->body);
  (void)what, (void)action;
  return cdn_body_set_u(state, b->body, 1, &up);
}

/* One metre above the floor. */
static cdn_state *drop(ball *b) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  b->floor = b->way == FAR ? 1000 : b->way == ARM ? -0.3 : 0;
  const double start = b->way == ARM ? asin(0.7) : b->floor + 1;
  body.name = "ball", body.q0 = &start;
  if (b->way == ARM) {
    body.mobilizer = CDN_PIN;
    body.mass = point_mass(2, cdn_v3(1, 0, 0));
  } else {
    body.mobilizer = CDN_SLIDER;
    body.X_PF = body.X_BM = frame_x(cdn_v3(0, 1, 0), cdn_v3(0, 0, 0));
    body.mass = point_mass(2, cdn_v3(0, 0, 0));
  }
  b->body = cdn_system_add_body(system, &body);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -G, 0));
  cdn_event_def def = cdn_default_event_def();
  def.name = "impact", def.value = height, def.direction = CDN_FALLING, def.handle = rebound;
  def.self = b, def.self_size = sizeof *b;
  cdn_system_add_event(system, &def);
  return state_of(system);
}

/* Methods that a constant acceleration costs steps: at loose accuracies only. */
static bool is_of_first_order(cdn_method m) {
  return m == CDN_METHOD_EXPLICIT_EULER || m == CDN_METHOD_SEMI_EXPLICIT_EULER ||
         m == CDN_METHOD_SEMI_EXPLICIT_EULER_2 || m == CDN_METHOD_TRAPEZOID;
}

/* What a method can do in a few steps, and above the rounding of the heights, which SUNDIALS' solvers refuse to go
 * below. IDA takes hundreds of thousands of steps after an impact where its error test sees rounding. */
static double finest(cdn_method m, way w) {
  if (is_of_first_order(m)) return 3.5;
  if (m == CDN_METHOD_IDA) return 6.5;
  if (m >= CDN_METHOD_CVODE_BDF && w == FAR) return 9.5;
  if (w != ARM) return 13;
  return m == CDN_METHOD_VERLET || m == CDN_METHOD_IMPLICIT_CONTACT   ? 5
         : m == CDN_METHOD_BOGACKI_SHAMPINE || m == CDN_METHOD_MERSON ? 9.5
                                                                      : 13;
}

static void bounce(cdn_method method, double digits, way w, double e) {
  ball b = { .way = w, .e = e };
  cdn_state *state = drop(&b);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper = NULL;
  const char *name = cdn_method_name(method);
  def.method = method;
  def.accuracy = pow(10, -digits);
  def.max_steps = 50000;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  cdn_status status = CDN_OK;
  for (int i = 1; i <= 50 && status == CDN_OK; i++) {
    double h;
    status = cdn_stepper_advance(stepper, 0.1 * i, NULL);
    OK_ON(cdn_stepper_state(stepper), cdn_event_value(cdn_stepper_state(stepper), (cdn_event){ 0 }, &h));
    ck_assert_msg(h >= -def.accuracy - 8 * 2.3e-16 * fabs(b.floor), "%s, 1e-%g, e = %g: %g m at t = %g", name, digits,
                  e, h, 0.1 * i);
  }
  cdn_failure failure;
  cdn_stepper_failure(stepper, &failure);
  ck_assert_msg(status == CDN_OK || status == CDN_ERR_CHATTER, "%s, way %d, 1e-%g, e = %g: %s at t = %.17g: %s", name,
                (int)w, digits, e, cdn_status_name(status), failure.time, failure.error.text);
  if (status == CDN_ERR_CHATTER) {
    ck_assert_str_eq(failure.error.element, "impact");
    ck_assert_ptr_nonnull(strstr(failure.advice, "rest, lock, stop"));
  }
  /* where there are no errors of integration the end is known: but for the flights that cannot be told from the
   * floor */
  double end = sqrt(2 / G) * (1 + e) / (1 - e);
  double unseen = w == FAR ? 100 * sqrt(1000 * 2.3e-16) / (1 - e) : 1e-6;
  if (w != ARM && !is_of_first_order(method) && method <= CDN_METHOD_TRAPEZOID) {
    ck_assert_msg(status == (end < 5 ? CDN_ERR_CHATTER : CDN_OK), "%s, 1e-%g, e = %g: %s", name, digits, e,
                  cdn_status_name(status));
    if (end < 5) NEAR(failure.time, end, 100 * def.accuracy + unseen);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}

static void bounce_all(cdn_method method, way w) {
  for (double digits = 2; digits <= finest(method, w); digits += SANITIZED ? 6 : 1.5)
    for (int i = 0; i < N_COEFFICIENTS; i++) bounce(method, digits, w, coefficients[i]);
}

START_TEST(bounces_end_or_are_reported) {
  for (way w = COORDINATE; w < WAYS && controls_errors(_i); w++) bounce_all((cdn_method)_i, w);
}
END_TEST

START_TEST(a_ball_at_rest_below_the_floor_by_rounding_is_not_lost) {
  /* the handler puts the ball onto the floor, or a rounding above or below it */
  static const double places[] = { 0, 1e-17, -1e-17 };
  for (int i = 0; i < 3; i++) {
    ball b = { .way = COORDINATE, .e = 0 };
    cdn_state *state = drop(&b);
    cdn_stepper *stepper = NULL;
    OK_ON(state, cdn_body_set_q(state, b.body, 1, &places[i]));
    double up = 1e-3;
    OK_ON(state, cdn_body_set_u(state, b.body, 1, &up));
    OK_ON(state, cdn_stepper_create(state, NULL, &stepper));
    /* its flight of 0.2 ms is much shorter than a step */
    FAILS(cdn_stepper_advance(stepper, 1, NULL), CDN_ERR_CHATTER);
    NEAR(cdn_state_time(cdn_stepper_state(stepper)), 2 * up / G, 1e-6);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, bounces_end_or_are_reported, 0, ALL_METHODS);
  tcase_add_test(c, a_ball_at_rest_below_the_floor_by_rounding_is_not_lost);
}

CHECK_MAIN_OF("restitution", 300, add)
