/* Bounces and stops: an error of an impact shifts all impacts behind it in time, and within an impact a shift is a
 * large error of the speed. The error of runs stays within ten accuracies all the same. */
#include "runs.h"

#include <cardan/contact.h>

/* ---- a ball on a half-space: Hertz's force k d^(3/2) with Hunt and Crossley's dissipation ---- */

typedef struct ball {
  double modulus, dissipation, height;
} ball;

static const double radius = 0.05, fall = 9.81;
enum { REPORTS = 20 };
static const double end = 4;

typedef struct motion_of_ball {
  long double t, z, v; /* the gap, and its rate */
} motion_of_ball;

static long double pull(const ball *b, long double z, long double v) {
  if (z >= 0) return -fall;
  /* two equal materials share the depth: E* = E / 2^(3/2) (contact.h); a mass of 1 kg */
  const long double k = 4.0L / 3 * b->modulus * powl(0.5L, 1.5L) * sqrtl(radius);
  return -fall + k * -z * sqrtl(-z) * fmaxl(0, 1 - 1.5L * b->dissipation * v);
}

static motion_of_ball rk4(const ball *b, motion_of_ball m, long double h) {
  const long double a1 = pull(b, m.z, m.v), v2 = m.v + h / 2 * a1, a2 = pull(b, m.z + h / 2 * m.v, v2);
  const long double v3 = m.v + h / 2 * a2, a3 = pull(b, m.z + h / 2 * v2, v3);
  const long double v4 = m.v + h * a3, a4 = pull(b, m.z + h * v3, v4);
  return (motion_of_ball){ m.t + h, m.z + h / 6 * (m.v + 2 * v2 + 2 * v3 + v4),
                           m.v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4) };
}

/* Free flight up to the next touch, or to `until`. */
static motion_of_ball fly(motion_of_ball m, long double until) {
  const long double touch = (m.v + sqrtl(m.v * m.v + 2 * fall * m.z)) / fall, h = fminl(touch, until - m.t);
  return (motion_of_ball){ m.t + h, h == touch ? 0 : m.z + h * m.v - fall * h * h / 2, m.v - fall * h };
}

/* Contact up to where the ball leaves the floor, or to `until`, by steps that shrink with the depth: the force goes
 * with its power 3/2. */
static motion_of_ball press(const ball *b, motion_of_ball m, long double until) {
  long double h = 1e-13L;
  do {
    m = rk4(b, m, fminl(h, until - m.t));
    h = fminl(1e-6L, fmaxl(1e-13L, 0.01L * -m.z / fabsl(m.v)));
  } while (m.z < 0 && m.t < until);
  return m;
}

static void follow(const ball *b, motion_of_ball of[REPORTS]) {
  motion_of_ball m = { 0, b->height, 0 };
  for (int i = 0; i < REPORTS; i++) {
    const long double until = end * (i + 1) / REPORTS;
    while (m.t < until) { m = m.z > 0 || (m.z == 0 && m.v > 0) ? fly(m, until) : press(b, m, until); }
    of[i] = m;
  }
}

static cdn_state *drop(const ball *b) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_material m = cdn_default_contact_material();
  cdn_shape_def shape = cdn_default_shape_def();
  cdn_body_def body = cdn_default_body_def();
  cdn_state *state;
  m.modulus = b->modulus, m.dissipation = b->dissipation;
  shape.material = &m, shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -fall));
  const double q0 = radius + b->height;
  body.mobilizer = CDN_SLIDER, body.q0 = &q0;
  body.X_PF.R = body.X_BM.R = cdn_rotation_axis_angle(cdn_v3(0, 1, 0), -1.5707963267948966);
  body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 0.001, 0.001, 0.001, 0, 0, 0 };
  shape.body = cdn_system_add_body(system, &body);
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { radius } };
  cdn_system_add_shape(system, &shape);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* The largest error over the accuracy, at the reports from `first` to `last`: of q, and of u relative to speeds
 * above 1. */
static double delivered(const ball *b, const motion_of_ball of[REPORTS], cdn_stepper_def def, int first, int last) {
  cdn_state *state = drop(b);
  cdn_stepper *stepper;
  const double accuracy = def.accuracy;
  double most = 0;
  def.final_time = of[last].t;
  OK(cdn_stepper_create(state, &def, &stepper));
  for (int i = first; i <= last; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, of[i].t, NULL));
    cdn_state *now = cdn_stepper_state(stepper);
    const double u = *cdn_state_u(now), v = (double)of[i].v, size = fmax(1, fmax(fabs(u), fabs(v)));
    most = fmax(most, fmax(fabs(*cdn_state_q(now) - radius - (double)of[i].z), fabs(u - v) / size));
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  if (getenv("CARDAN_TEST_SHOW"))
    printf("E %.0e, c %.1f, %.1f m, accuracy %.1e: %.2f accuracies\n", b->modulus, b->dissipation, b->height, accuracy,
           most / accuracy);
  return most / accuracy;
}

static const ball balls[] = { { 1e7, 0.1, 0.5 }, { 1e7, 0.1, 1 }, { 1e8, 0.1, 1 }, { 1e8, 0.3, 0.5 }, { 1e7, 1, 0.5 } };

START_TEST(a_bouncing_ball_is_within_ten_accuracies) {
  static const double accuracies[] = { 7e-4, 2e-5, 7e-7, 3e-8 };
  motion_of_ball of[REPORTS];
  follow(&balls[_i], of);
  for (int k = 0; k < (SANITIZED ? 2 : 4); k++) {
    cdn_stepper_def def = cdn_default_stepper_def();
    def.accuracy = accuracies[k];
    AT_MOST(delivered(&balls[_i], of, def, 0, REPORTS - 1), 10);
  }
}
END_TEST

/* The implicit contact step continues with the solution whose error it estimates, so that errors of its steps add up to
 * what they are estimated to be. Steps are short enough to see each touch. */
START_TEST(the_implicit_contact_step_is_within_ten_accuracies) {
  static const double accuracies[] = { 3e-3, 3e-4, 3e-5, 3e-6, 7e-7 };
  motion_of_ball of[REPORTS];
  follow(&balls[_i], of);
  int last = 7; /* after three or four bounces, in flight */
  while (!(of[last].z > 0.01)) last--;
  for (int k = 0; k < (SANITIZED ? 2 : 5); k++) {
    cdn_stepper_def def = cdn_default_stepper_def();
    def.method = CDN_METHOD_IMPLICIT_CONTACT, def.accuracy = accuracies[k], def.max_step = 0.01;
    AT_MOST(delivered(&balls[_i], of, def, last, last), 10);
  }
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_bouncing_ball_is_within_ten_accuracies, 0, (int)(sizeof balls / sizeof balls[0]));
  tcase_add_loop_test(c, the_implicit_contact_step_is_within_ten_accuracies, 0, 4);
}

CHECK_MAIN_OF("bounces", 60, add)
