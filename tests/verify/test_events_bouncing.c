/* A ball that bounces: times and speeds in closed form, energy booked at each impact, and the end of a sequence that
 * has no end in mathematics. */
#include "runs.h"

/* Heights are measured from the floor; the ball falls from 1 m. */
static const double G = 9.81, HEIGHT = 1;

typedef struct bounce {
  cdn_body ball;
  double e;     /* coefficient of restitution */
  double rest;  /* below this speed the run is stopped */
  double pause; /* time that an impact takes: the handler moves it */
} bounce;

typedef struct impacts {
  int n;
  double t[1024], v[1024]; /* when, and at what speed before the impact */
} impacts;

static cdn_status height(const void *self, cdn_state *state, double *value) {
  const bounce *b = self;
  *value = *cdn_body_q(state, b->ball);
  return CDN_OK;
}

static cdn_status rebound(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const bounce *b = self;
  impacts *log = what->user;
  double v = *cdn_body_u(state, b->ball), up = -b->e * v;
  if (log && log->n < 1024) log->t[log->n] = what->time, log->v[log->n++] = -v;
  if (up < b->rest) *action = CDN_STOP;
  if (b->pause > 0) {
    cdn_status status = cdn_state_set_time(state, what->time + b->pause);
    if (status) return status;
  }
  return cdn_body_set_u(state, b->ball, 1, &up);
}

static cdn_state *drop(bounce *b, double window, cdn_direction direction, bool gravity) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.name = "ball", body.mobilizer = CDN_SLIDER, body.q0 = &HEIGHT;
  body.X_PF = body.X_BM = frame_x(cdn_v3(0, 1, 0), cdn_v3(0, 0, 0));
  body.mass = point_mass(2, cdn_v3(0, 0, 0));
  b->ball = cdn_system_add_body(system, &body);
  if (gravity) cdn_system_add_gravity(system, "gravity", cdn_v3(0, -G, 0));
  cdn_event_def def = cdn_default_event_def();
  def.name = "impact", def.value = height, def.direction = direction, def.handle = rebound;
  def.window = window, def.self = b, def.self_size = sizeof *b;
  cdn_system_add_event(system, &def);
  return state_of(system);
}

static cdn_stepper *start(cdn_state *state, impacts *log, double accuracy) {
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy, def.user = log;
  log->n = 0;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  return stepper;
}

/* Time and speed of the k-th impact (from 0). */
static double impact_time(double e, int k) {
  double t = sqrt(2 * HEIGHT / G), v = G * t;
  for (int i = 0; i < k; i++) v *= e, t += 2 * v / G;
  return t;
}

START_TEST(impacts_in_closed_form) {
  static const double restitution[] = { 1, 0.9, 0.5, 0.2 };
  for (int r = 0; r < 4; r++) {
    double e = restitution[r], window = 1e-10;
    bounce b = { .e = e, .rest = 1e-3 };
    impacts log;
    cdn_state *state = drop(&b, window, CDN_FALLING, true);
    cdn_stepper *stepper = start(state, &log, 1e-6);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 20, NULL));
    double v0 = sqrt(2 * G * HEIGHT);
    ck_assert_int_gt(log.n, 4);
    for (int k = 0; k < log.n; k++) {
      double v = v0 * pow(e, k);
      /* each impact is late by at most a window, which costs the flight after it G w / v in its own share; flights are
       * parabolas, which the method has without error */
      double late = window * (k + 1) * (2 + 2 * v0 / v);
      NEAR(log.t[k], impact_time(e, k), late);
      NEAR(log.v[k], v, G * late + 1e-12);
    }
    if (e < 1) ck_assert(cdn_stepper_is_stopped(stepper));
    /* energy: what the impacts took is booked */
    cdn_certificate c;
    OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
    double taken = 0;
    for (int k = 0; k < log.n; k++) taken += 0.5 * 2 * log.v[k] * log.v[k] * (1 - e * e);
    NEAR(c.energy_jumps, -taken, 1e-11 * 2 * G * HEIGHT);
    AT_MOST(fabs(c.energy_residual), 1e-12);
    ck_assert_int_eq(c.events, log.n);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(bounces_for_ever_are_reported) {
  /* Impacts accumulate at a finite time. The run does not loop there, nor does the ball fall through the floor. */
  static const double restitution[] = { 0.9, 0.5, 0.1, 0.03 };
  for (int r = 0; r < 4; r++) {
    for (int k = 0; k < 2; k++) {
      double e = restitution[r], window = k ? 1e-5 : 0;
      bounce b = { .e = e };
      impacts log;
      cdn_failure failure;
      cdn_state *state = drop(&b, window, CDN_FALLING, true);
      cdn_stepper *stepper = start(state, &log, 1e-6);
      FAILS(cdn_stepper_advance(stepper, 100, NULL), CDN_ERR_CHATTER);
      cdn_stepper_failure(stepper, &failure);
      ck_assert_str_eq(failure.error.element, "impact");
      ck_assert_ptr_nonnull(strstr(failure.advice, "rest"));
      double end = sqrt(2 * HEIGHT / G) * (1 + e) / (1 - e);
      /* when flights are as short as the window, what is left of a geometric series of them */
      NEAR(failure.time, end, 3 * (k ? window : 1e-9) / (1 - e));
      AT_MOST(fabs(*cdn_body_q(cdn_stepper_state(stepper), b.ball)), 1e-7);
      /* it does not go on by being asked again */
      FAILS(cdn_stepper_advance(stepper, 100, NULL), CDN_ERR_CHATTER);
      cdn_certificate c;
      OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
      ck_assert_int_lt(c.evaluations, 20000);
      cdn_stepper_destroy(stepper);
      cdn_state_destroy(state);
    }
  }
}
END_TEST

START_TEST(impacts_that_take_time) {
  bounce b = { .e = 1, .pause = 0.1 };
  impacts log;
  cdn_state *state = drop(&b, 1e-10, CDN_FALLING, true);
  cdn_stepper *stepper = start(state, &log, 1e-6);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 10, NULL));
  double fall = sqrt(2 * HEIGHT / G);
  ck_assert_int_gt(log.n, 8);
  for (int k = 0; k < log.n; k++) NEAR(log.t[k], fall + k * (2 * fall + 0.1), 1e-9 * (k + 1));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(reports_at_any_time_give_the_same_bits) {
  double q[2], u[2];
  cdn_certificate c[2];
  for (int often = 0; often < 2; often++) {
    bounce b = { .e = 0.8 };
    impacts log;
    cdn_state *state = drop(&b, 0, CDN_FALLING, true);
    cdn_stepper *stepper = start(state, &log, 1e-6);
    for (int i = 1; often && i < 300; i++) OK_STEP(stepper, cdn_stepper_advance(stepper, 0.0097 * i, NULL));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 3, NULL));
    q[often] = *cdn_body_q(cdn_stepper_state(stepper), b.ball);
    u[often] = *cdn_body_u(cdn_stepper_state(stepper), b.ball);
    OK_STEP(stepper, cdn_stepper_certificate(stepper, &c[often]));
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
  ck_assert(q[0] == q[1] && u[0] == u[1]);
  ck_assert_int_eq(c[0].evaluations, c[1].evaluations);
  ck_assert(c[0].energy_jumps == c[1].energy_jumps);
}
END_TEST

CHECK_MAIN("bouncing ball", impacts_in_closed_form, bounces_for_ever_are_reported, impacts_that_take_time,
           reports_at_any_time_give_the_same_bits)
