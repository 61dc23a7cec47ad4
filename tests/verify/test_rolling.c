/* Rolling without slip: a thin disc on the ground against an integration to more digits (tests/data/SOURCES.md) and its
 * closed form near the upright, and a ball on a turntable, which goes round in two sevenths of the table's turns. */
#include <stdio.h>
#include <stdlib.h>

#include "mechanisms.h"
#include "runs.h"

static const cdn_method methods[] = { CDN_METHOD_DEFAULT, CDN_METHOD_DORMAND_PRINCE, CDN_METHOD_ADAMS,
                                      CDN_METHOD_CVODE_BDF };
enum { METHODS = HAS_SUNDIALS ? 4 : 3 };

static cdn_stepper *rolling_stepper(cdn_state *state, cdn_method method, double accuracy) {
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method;
  def.accuracy = accuracy;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  return stepper;
}

/* ---- the disc: m = 1, r = 0.5, I = diag(1/16, 1/16, 1/8) --------------------------------------------------- */

static const double RADIUS = 0.5, ACROSS = 1. / 16, ABOUT = 1. / 8, EARTH = 9.81;

enum { LEAN = 2, WHEEL = 3 }; /* of the mechanism's bodies */

/* ode_refs.json, rolling_disc: quaternion, angular velocity in the disc's axes, centre of mass. */
static const struct {
  double t, q[4], w[3], com[3];
} truth[] = {
  { 1.0,
    { -0.766290342731040633292, 0.507486602609896414939, -0.228684060825591524023, 0.320873899114475365893 },
    { 0.155242696789792138768, 1.00194063055229209682, 6.02059231030892976758 },
    { 2.66349579265918990102, -1.19092015911831241356, 0.462427090109548466069 } },
  { 2.5,
    { 0.702567316622426757139, 0.493418883271555553523, 0.253112677182401882928, 0.445949485810412163578 },
    { -0.123856948945864270601, -1.06126235798695726507, 6.02405035156838610727 },
    { 3.06865783150953436367, -5.38827386140126318353, 0.461470058146246774407 } },
  { 5.0,
    { 0.352407463811703865951, -0.340625636488249382702, -0.461096463932667044699, 0.739711569576661616828 },
    { 0.0469643258610444862604, 0.509569065220357200303, 6.00025359848980248949 },
    { -3.1312540358258968839, -5.27230277013299073642, 0.469717257296458784723 } },
};
enum { ROWS = sizeof truth / sizeof truth[0] };

static double apart(cdn_vec3 a, const double b[3]) { return cdn_norm(cdn_sub(a, cdn_v3(b[0], b[1], b[2]))); }

static double disc_error(cdn_state *state, const mechanism *d, int row) {
  const double *q = truth[row].q;
  const cdn_rotation R = cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
  cdn_transform X;
  cdn_spatial V;
  OK_ON(state, cdn_body_pose(state, d->body[WHEEL], &X));
  OK_ON(state, cdn_body_velocity(state, d->body[WHEEL], &V));
  double error = fmax(apart(X.p, truth[row].com), apart(cdn_rotate_inv(X.R, V.w), truth[row].w));
  for (int k = 0; k < 3; k++) {
    const cdn_vec3 axis = cdn_v3(k == 0, k == 1, k == 2);
    error = fmax(error, cdn_norm(cdn_sub(cdn_rotate(X.R, axis), cdn_rotate(R, axis))));
  }
  return error;
}

START_TEST(rolling_disc) {
  for (double accuracy = 1e-3; accuracy > 0.5e-9; accuracy /= 10) {
    if (methods[_i] == CDN_METHOD_CVODE_BDF && accuracy < 0.5e-7) break;
    const mechanism d = make_disc();
    const double rate = -0.5 / cos(20 * PI / 180); /* angular velocity (0, 0.5, 6) in the disc's axes */
    start_disc(&d, 20 * PI / 180, rate, 6 - rate * sin(20 * PI / 180));
    cdn_stepper *stepper = rolling_stepper(d.state, methods[_i], accuracy);
    double error = 0;
    for (int row = 0; row < ROWS; row++) {
      OK_STEP(stepper, cdn_stepper_advance(stepper, truth[row].t, NULL));
      error = fmax(error, disc_error(cdn_stepper_state(stepper), &d, row));
    }
    cdn_certificate c;
    OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
    if (getenv("CARDAN_TEST_VERBOSE"))
      printf("disc, %-16s %.0e: error %.1e, %d steps, residual %.1e\n", cdn_method_name(methods[_i]), accuracy, error,
             (int)c.steps, c.energy_residual);
    AT_MOST(error, 100 * accuracy); /* 30 rad of spin */
    AT_MOST(fabs(c.energy_residual), 10 * accuracy);
    AT_MOST(c.max_constraint_error, accuracy / 10);
    ck_assert(c.work == 0); /* nothing drives it */
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(d.state);
  }
}
END_TEST

/* Near the upright: (It + m r^2) lean'' = m g r lean - Ia (Ia + m r^2) w^2 / It (lean - lean0), which grows where w is
 * below 2.557342370508884 rad/s (closed_form.json): on both sides of that, to the cube of the angle, which the closed
 * form leaves out. */
START_TEST(upright_disc) {
  const double critical = 2.557342370508884365713817, lean0 = 1e-5, m_r2 = RADIUS * RADIUS, h = 0.2;
  const double w = critical * (_i ? 1.1 : 0.9), sum = ACROSS + m_r2;
  const double gyro = ABOUT * (ABOUT + m_r2) / ACROSS, k = (EARTH * RADIUS - gyro * w * w) / sum,
               shift = gyro * w * w * lean0 / (sum * k);
  NEAR(EARTH * RADIUS, gyro * critical * critical, 1e-14);
  const mechanism d = make_disc();
  start_disc(&d, lean0, 0, w);
  cdn_stepper *stepper = rolling_stepper(d.state, CDN_METHOD_DEFAULT, 1e-11);
  for (int i = 1; i <= 10; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, i * h, NULL));
    const double grown = k > 0 ? cosh(sqrt(k) * i * h) : cos(sqrt(-k) * i * h);
    const double lean = (lean0 + shift) * grown - shift;
    NEAR(*cdn_body_q(cdn_stepper_state(stepper), d.body[LEAN]), lean, 1e-11 + fabs(lean * lean * lean));
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(d.state);
}
END_TEST

/* ---- the ball on a turntable --------------------------------------------------------------------------------- */

/* A uniform ball, rolling on a level table that turns steadily, goes round in a circle at 2/7 of the table's rate
 * whatever its speed (Milne, Vectorial Mechanics, 1948): v' = 2/7 W x v. */
START_TEST(ball_on_a_turntable) {
  const double turn = 3, radius = 0.1, mass = 0.4, I = 0.4 * mass * radius * radius;
  const double rate = 2. / 7 * turn, v0[2] = { 0.5, -0.2 }, x0[2] = { 0.3, 0.1 };
  for (double accuracy = 1e-3; accuracy > 0.5e-9; accuracy /= 100) {
    cdn_system *system = cdn_system_create(NULL);
    const cdn_vec3 o = cdn_v3(0, 0, 0), z = cdn_v3(0, 0, 1);
    const cdn_body table = add_pin(system, "table", cdn_ground(), z, o, solid(1, o, 1, 1, 1));
    cdn_body_def def = cdn_default_body_def();
    def.name = "ball", def.mobilizer = CDN_FREE, def.mass = solid(mass, o, I, I, I);
    const cdn_body ball = cdn_system_add_body(system, &def);
    cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -EARTH));
    cdn_system_constrain_sphere_on_plane(system, "rolling", table, cdn_transform_identity(), ball, o, radius, true);
    /* the table is driven by a motion, or by a constraint: both do work */
    if (_i) {
      cdn_system_constrain_speed(system, "drive", table, 0, turn);
    } else {
      cdn_motion_def motion = cdn_default_motion_def();
      motion.body = table, motion.kind = CDN_MOTION_STEADY, motion.level = CDN_LEVEL_VELOCITY, motion.params[0] = turn;
      cdn_system_add_motion(system, &motion);
    }
    cdn_state *state = state_of(system);
    /* v + w x (-r z) is the table's velocity W z x p */
    const double wx = (-v0[1] + turn * x0[0]) / radius, wy = (v0[0] + turn * x0[1]) / radius;
    OK_ON(state, cdn_body_set_q(state, ball, 7, (double[]){ 1, 0, 0, 0, x0[0], x0[1], radius }));
    OK_ON(state, cdn_body_set_u(state, ball, 6, (double[]){ wx, wy, 0, v0[0], v0[1], 0 }));
    OK_ON(state, cdn_body_set_u(state, table, 1, &turn));
    cdn_stepper *stepper = rolling_stepper(state, CDN_METHOD_DEFAULT, accuracy);
    for (int i = 1; i <= 10; i++) {
      const double t = 0.5 * i, s = sin(rate * t) / rate, c = (1 - cos(rate * t)) / rate;
      cdn_vec3 p;
      OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
      OK_STEP(stepper, cdn_body_station(cdn_stepper_state(stepper), ball, o, &p, NULL));
      AT_MOST(apart(p, (double[]){ x0[0] + v0[0] * s - v0[1] * c, x0[1] + v0[1] * s + v0[0] * c, radius }),
              20 * accuracy);
    }
    cdn_certificate c;
    OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
    if (getenv("CARDAN_TEST_VERBOSE"))
      printf("turntable %d at %.0e: %d steps, work %g, residual %.1e\n", _i, accuracy, (int)c.steps, c.work,
             c.energy_residual);
    AT_MOST(fabs(c.energy_residual), 10 * accuracy);
    ck_assert(fabs(c.work) > 1e-3);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, rolling_disc, 0, METHODS);
  tcase_add_loop_test(c, upright_disc, 0, 2);
  tcase_add_loop_test(c, ball_on_a_turntable, 0, 2);
}

CHECK_MAIN_OF("rolling", 120, add)
