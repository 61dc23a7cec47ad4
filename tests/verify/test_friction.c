/* Friction against closed forms: moments against spin and rolling, belts, the limits of rigid friction. */
#include "friction_scenes.h"
#include "runs.h"

static cdn_contact_def slip_speed(double transition) {
  cdn_contact_def def = cdn_default_contact_def();
  def.transition_velocity = transition;
  return def;
}

static cdn_contact_def sticking(void) {
  cdn_contact_def def = cdn_default_contact_def();
  def.friction = CDN_FRICTION_STICKING;
  return def;
}

static cdn_contact the_contact(cdn_state *state) {
  cdn_contact c;
  OK_ON(state, cdn_contact_get(state, 0, &c));
  return c;
}

/* Of a ball of radius R on a rigid plane (docs/friction.md). */
static double stiffness_of_friction(double modulus, double R) { return 1.6 * modulus * sqrt(1e-3) * R; }

/* ---- moments ---- */

/* A ball that spins about the vertical loses its spin at c N / I. */
START_TEST(torsional_friction_stops_spin) {
  const double R = 0.1, m = 1, c = 2e-3, w0 = 3, slow = 1e-3;
  cdn_contact_material rubber = friction_material(1e6, 0.5);
  rubber.torsional_friction = c;
  const cdn_contact_def def = slip_speed(slow * R);
  friction_scene s = ball_on_plane(R, m, &rubber, 0, &def);
  const double u0[6] = { 0, 0, w0 };
  OK_ON(s.state, cdn_body_set_u(s.state, s.body, 6, u0));
  cdn_stepper *stepper = stepper_of(s.state, 1e-8);
  cdn_state *now = cdn_stepper_state(stepper);
  const double rate = c * GRAVITY / (0.4 * R * R), t = w0 / rate;
  OK_STEP(stepper, cdn_stepper_advance(stepper, t / 2, NULL));
  NEAR(cdn_body_u(now, s.body)[2], w0 / 2, 1e-5);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1.01 * t, NULL));
  NEAR(cdn_body_u(now, s.body)[2], 0, slow);
  cdn_contact k;
  OK_ON(now, cdn_contact_get(now, 0, &k));
  AT_MOST(cdn_norm(k.moment), c * k.force);
  cdn_stepper_destroy(stepper);
  free_friction_scene(&s);
}
END_TEST

/* A ball that rolls loses speed at c g / (R (1 + 2/5)). */
START_TEST(rolling_friction_slows_a_ball) {
  const double R = 0.1, m = 1, c = 2e-3, v0 = 1, slow = 1e-3;
  cdn_contact_material rubber = friction_material(1e8, 0.8);
  rubber.rolling_friction = c;
  const cdn_contact_def def = slip_speed(slow);
  friction_scene s = ball_on_plane(R, m, &rubber, 0, &def);
  const double lever = R - s.depth, u0[6] = { 0, v0 / lever, 0, v0, 0, 0 };
  OK_ON(s.state, cdn_body_set_u(s.state, s.body, 6, u0));
  cdn_stepper *stepper = stepper_of(s.state, 1e-7);
  cdn_state *now = cdn_stepper_state(stepper);
  const double rate = c * GRAVITY / (lever * (1 + 0.4 * R * R / (lever * lever)));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  NEAR(cdn_body_u(now, s.body)[3], v0 - rate, 1e-4);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1.05 * v0 / rate, NULL));
  NEAR(cdn_body_u(now, s.body)[3], 0, 1e-3);
  cdn_stepper_destroy(stepper);
  free_friction_scene(&s);
}
END_TEST

/* ---- belts ---- */

/* A ball that cannot turn lies on a belt of speed v: mu g carries it until it is as fast as the belt, after v / (mu g).
 * The belt does the work of its motor, so the account of energy holds. */
START_TEST(belt_carries_to_its_speed) {
  for (int law = 0; law < 2; law++) {
    const double v = 1.5, mu = 0.4, slow = 1e-3, t = v / (mu * GRAVITY);
    const cdn_contact_material m = friction_material(1e6, mu);
    const cdn_contact_def def = law ? sticking() : slip_speed(slow);
    friction_scene s = block_on_plane(&m, 0, &def);
    OK_ON(s.state, cdn_shape_set_surface_velocity(s.state, s.plane, cdn_v3(v, 0, 0), cdn_v3(0, 0, 0)));
    cdn_stepper *stepper = stepper_of(s.state, 1e-7);
    cdn_state *now = cdn_stepper_state(stepper);
    OK_STEP(stepper, cdn_stepper_advance(stepper, t / 2, NULL));
    NEAR(cdn_body_u(now, s.body)[0], v / 2, 1e-5);
    NEAR(cdn_body_q(now, s.body)[0], mu * GRAVITY * t * t / 8, 1e-5);
    OK_STEP(stepper, cdn_stepper_advance(stepper, t + 1, NULL));
    NEAR(cdn_body_u(now, s.body)[0], v, law ? 1e-6 : 10 * slow);
    ck_assert_int_eq(the_contact(now).sticks, law);
    NEAR(cdn_body_q(now, s.body)[0], v * t / 2 + v, 1e-3);
    cdn_certificate c;
    OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
    AT_MOST(fabs(c.energy_residual), 1e-6);
    AT_MOST(fabs(c.work - 0.5 * v * v), 1e-3); /* what the bodies took up: 1 kg */
    cdn_stepper_destroy(stepper);
    free_friction_scene(&s);
  }
}
END_TEST

/* On a turntable the surface at p moves at w x p, and turns below a ball at w. */
START_TEST(turntable_slips_and_turns) {
  cdn_contact_material m = friction_material(1e6, 0.4);
  m.torsional_friction = 1e-3, m.rolling_friction = 0;
  const cdn_contact_def def = slip_speed(0.01);
  friction_scene s = ball_on_plane(0.1, 1, &m, 0, &def);
  OK_ON(s.state, cdn_shape_set_surface_velocity(s.state, s.plane, cdn_v3(0, 0, 0), cdn_v3(0, 0, 5)));
  OK_ON(s.state, cdn_body_set_q(s.state, s.body, 7, (double[]){ 1, 0, 0, 0, 0.3, 0, 0.1 - s.depth }));
  cdn_contact c;
  OK_ON(s.state, cdn_contact_get(s.state, 0, &c));
  const cdn_vec3 slip = cdn_add(cdn_scale(c.slip[0], c.tangent[0]), cdn_scale(c.slip[1], c.tangent[1]));
  NEAR(cdn_norm(cdn_sub(slip, cdn_v3(0, -1.5, 0))), 0, 1e-12);
  NEAR(c.friction.y, 0.4 * c.force, 1e-12);
  NEAR(c.moment.z, 1e-3 * c.force, 1e-12);
  NEAR(c.power, 0, 1e-12); /* the ball rests */
  free_friction_scene(&s);
}
END_TEST

/* ---- friction that sticks ---- */

/* A block at 20 degrees with mu = 0.7: after 1000 s it is where its weight has stretched the bristle, and at rest. The
 * default method takes 5 s for the same. */
START_TEST(block_on_a_slope_sticks) {
  const double E = 1e7, tilt = 20 * PI / 180, k = stiffness_of_friction(E, 0.1);
  cdn_contact_material m = friction_material(E, 0.7);
  m.dissipation = 1;
  const cdn_contact_def def = sticking();
  for (int method = 0; method < 2; method++) {
    friction_scene s = block_on_plane(&m, tilt, &def);
    cdn_stepper *stepper = NULL;
    cdn_stepper_def how = cdn_default_stepper_def();
    double end = 100;
    how.accuracy = 1e-6;
#ifdef TEST_SUNDIALS
    if (method == 1) how.method = CDN_METHOD_CVODE_BDF, end = 1000;
#endif
    OK_ON(s.state, cdn_stepper_create(s.state, &how, &stepper));
    cdn_state *now = cdn_stepper_state(stepper);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.9 * end, NULL));
    const double before = cdn_body_q(now, s.body)[0];
    OK_STEP(stepper, cdn_stepper_advance(stepper, end, NULL));
    AT_MOST(fabs(cdn_body_q(now, s.body)[0] - before) / (0.1 * end), 1e-10);
    NEAR(cdn_body_q(now, s.body)[0], GRAVITY * sin(tilt) / k, 1e-5 * GRAVITY / k);
    ck_assert_int_eq(the_contact(now).sticks, 1);
    cdn_stepper_destroy(stepper);
    free_friction_scene(&s);
  }
}
END_TEST

/* What sticks is an oscillator of stiffness k and damping ratio 1/2, as far as derivatives see. */
START_TEST(derivatives_see_the_bristle) {
  for (double E = 1e6; E < 1e12; E *= 100) {
    const double k = stiffness_of_friction(E, 0.1), unit = 1e-6; /* z is in micrometres */
    const cdn_contact_material m = friction_material(E, 0.7);
    const cdn_contact_def def = sticking();
    friction_scene s = block_on_plane(&m, 0.1, &def);
    double by_u[9], by_z[12], zdot_by_u[12], zdot_by_z[16];
    OK_ON(s.state, cdn_forward_dynamics_derivatives(s.state, NULL, by_u, NULL, by_z));
    OK_ON(s.state, cdn_calc_zdot_derivatives(s.state, NULL, zdot_by_u, zdot_by_z));
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) {
        NEAR(by_z[4 * i + j], i == j ? -k * unit : 0, 1e-6 * k * unit);
        NEAR(by_u[3 * i + j], i == j ? -sqrt(k) : 0, 1e-6 * sqrt(k));
        NEAR(zdot_by_u[3 * i + j], i == j ? 1 / unit : 0, 1e-6 / unit);
        NEAR(zdot_by_z[4 * i + j], 0, 1e-6 * sqrt(k));
      }
    free_friction_scene(&s);
  }
}
END_TEST

/* The plane shakes a block on a slope in all directions, by 5 % of its weight: 0.92 of what friction bears, at most.
 * The block that sticks is where it was after any number of periods; with friction by the slip speed it is on its way
 * down. */
START_TEST(shaken_block_does_not_creep) {
  const double tilt = 25 * PI / 180, period = 0.05, w = 2 * PI / period;
  double crept[2];
  for (int law = 0; law < 2; law++) {
    cdn_contact_material m = friction_material(1e8, 0.6);
    m.dissipation = 1;
    const cdn_contact_def def = law ? sticking() : slip_speed(1e-3);
    friction_scene s = block_on_shaken_plane(&m, tilt, &def, 0.05 * GRAVITY / (w * w), w);
    cdn_stepper *stepper = stepper_of(s.state, 1e-8);
    cdn_state *now = cdn_stepper_state(stepper);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 40 * period, NULL));
    crept[law] = -cdn_body_q(now, s.body)[0];
    OK_STEP(stepper, cdn_stepper_advance(stepper, 140 * period, NULL));
    crept[law] += cdn_body_q(now, s.body)[0];
    cdn_stepper_destroy(stepper);
    free_friction_scene(&s);
  }
  ck_assert_double_gt(crept[0], 1e-3);
  AT_MOST(fabs(crept[1]), 1e-8);
}
END_TEST

/* 30 degrees, mu = 0.3: the block slides at g (sin - mu cos). Pushed up at 2 m/s it stops after 0.268 s. On the level
 * with mu = 0.5 it stops after 0.408 s, and stays. Sticking friction is off by the stretch of its bristle, that of the
 * slip speed by the transition velocity. */
static double after(const cdn_contact_def *def, double E, double tilt, double mu, double v0, double t, double *speed) {
  const cdn_contact_material m = friction_material(E, mu);
  friction_scene s = block_on_plane(&m, tilt, def);
  OK_ON(s.state, cdn_body_set_u(s.state, s.body, 3, (double[]){ v0, 0, 0 }));
  cdn_stepper *stepper = stepper_of(s.state, 1e-8);
  OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
  const double x = cdn_body_q(cdn_stepper_state(stepper), s.body)[0];
  if (speed) *speed = cdn_body_u(cdn_stepper_state(stepper), s.body)[0];
  cdn_stepper_destroy(stepper);
  free_friction_scene(&s);
  return x;
}

START_TEST(blocks_slide_and_stop) {
  static const double acc = 2.356287236662397062574363, t_up = 0.2683226552326179950242364,
                      t_flat = 0.4077471967380224260958206;
  const double tilt = 30 * PI / 180;
  const cdn_contact_def sticks = sticking();
  double speed;
  for (double E = 1e7; E < 2e9; E *= 10) {
    /* the bristle stretches by mu N / k before the block slides, and gives it back when it has stopped */
    const double stretch = 0.5 * GRAVITY / stiffness_of_friction(E, 0.1);
    const double late = 0.3 * GRAVITY * sqrt(2 * stretch / (GRAVITY * sin(tilt)));
    NEAR(after(&sticks, E, tilt, 0.3, 0, 1, &speed), acc / 2, late);
    NEAR(speed, acc, late);
    NEAR(after(&sticks, E, tilt, 0.3, -2, t_up, &speed), -t_up, 1e-7);
    NEAR(speed, 0, 1e-6);
    NEAR(after(&sticks, E, 0, 0.5, 2, t_flat, &speed), t_flat, 1e-7);
    NEAR(speed, 0, 1e-6);
    NEAR(after(&sticks, E, 0, 0.5, 2, 1, &speed), t_flat, 1.01 * stretch);
    NEAR(speed, 0, 1e-12);
  }
  /* the slip speed's law, in the limit */
  double before = INFINITY;
  for (double transition = 1e-2; transition > 5e-4; transition *= 0.1) {
    const cdn_contact_def def = slip_speed(transition);
    const double error = fabs(after(&def, 1e7, 0, 0.5, 2, 0.6, NULL) - t_flat);
    AT_MOST(error, 0.5 * transition);
    AT_MOST(error, 0.2 * before);
    before = error;
    AT_MOST(fabs(after(&def, 1e7, tilt, 0.3, 0, 1, NULL) - acc / 2), transition);
    AT_MOST(fabs(after(&def, 1e7, tilt, 0.3, -2, t_up, NULL) + t_up), transition);
  }
}
END_TEST

/* Uniform balls that begin to slide until they roll: thrown without spin, and dropped with spin. The lever of friction
 * is R less the depth. */
START_TEST(balls_slide_until_they_roll) {
  static const double t_roll = 0.4368719965050240279598078, v_roll = 15.0 / 7, x_roll = 1.123385133870061786182363;
  const double R = 0.1, mu = 0.2, w0 = 20;
  const cdn_contact_material m = friction_material(1e8, mu);
  const cdn_contact_def def = sticking();
  friction_scene s = ball_on_plane(R, 1, &m, 0, &def);
  cdn_stepper *stepper;
  const double off = 2 * s.depth / R;
  OK_ON(s.state, cdn_body_set_u(s.state, s.body, 6, (double[]){ 0, 0, 0, 3, 0, 0 }));
  stepper = stepper_of(s.state, 1e-7);
  OK_STEP(stepper, cdn_stepper_advance(stepper, t_roll, NULL));
  NEAR(cdn_body_q(cdn_stepper_state(stepper), s.body)[4], x_roll, off * x_roll);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  NEAR(cdn_body_u(cdn_stepper_state(stepper), s.body)[3], v_roll, off * v_roll);
  ck_assert_int_eq(the_contact(cdn_stepper_state(stepper)).sticks, 1);
  cdn_stepper_destroy(stepper);
  /* v = 2/7 R w0 after 2 R w0 / (7 mu g) */
  OK_ON(s.state, cdn_body_set_u(s.state, s.body, 6, (double[]){ 0, w0, 0, 0, 0, 0 }));
  stepper = stepper_of(s.state, 1e-7);
  const double v = 2.0 / 7 * R * w0, t = v / (mu * GRAVITY);
  OK_STEP(stepper, cdn_stepper_advance(stepper, t / 2, NULL));
  NEAR(cdn_body_u(cdn_stepper_state(stepper), s.body)[3], v / 2, off * v);
  OK_STEP(stepper, cdn_stepper_advance(stepper, t + 0.2, NULL));
  NEAR(cdn_body_u(cdn_stepper_state(stepper), s.body)[3], v, off * v);
  cdn_stepper_destroy(stepper);
  free_friction_scene(&s);
}
END_TEST

/* ---- memory that turns along ---- */

/* Two pads hold a box, and turn once about a horizontal axis in a second: gravity pulls it in all directions of the
 * plane in turn. It is where it was, to the part of the bristles' stretch that the changing depth makes. */
START_TEST(gripped_box_turns_along) {
  const double R = 0.05, squeeze = 2e-4, w = 2 * PI;
  cdn_contact_material m = friction_material(1e7, 0.8);
  m.dissipation = 1;
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -GRAVITY));
  cdn_body_def def = cdn_default_body_def();
  /* a pin turns about z of its frame: here Ground's y */
  def.name = "gripper", def.mobilizer = CDN_PIN, def.mass.mass = 1,
  def.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  def.X_PF.R = def.X_BM.R = cdn_rotation_z_to(cdn_v3(0, 1, 0));
  cdn_motion_def motion = cdn_default_motion_def();
  motion.body = cdn_system_add_body(system, &def);
  motion.kind = CDN_MOTION_STEADY, motion.level = CDN_LEVEL_VELOCITY, motion.params[0] = w;
  cdn_system_add_motion(system, &motion);
  cdn_shape_def pad = cdn_default_shape_def();
  pad.body = motion.body, pad.material = &m;
  pad.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { R } };
  for (int i = 0; i < 2; i++) {
    pad.X_BS.p = cdn_v3(0.3 + (i ? 1 : -1) * (0.05 + R - squeeze), 0, 0);
    cdn_system_add_shape(system, &pad);
  }
  def = cdn_default_body_def();
  def.name = "box", def.mobilizer = CDN_FREE, def.mass.mass = 0.2;
  def.mass.inertia = (cdn_inertia){ 3e-4, 3e-4, 3e-4, 0, 0, 0 };
  def.q0 = (double[]){ 1, 0, 0, 0, 0.3, 0, 0 };
  pad = cdn_default_shape_def();
  pad.body = cdn_system_add_body(system, &def), pad.material = &m;
  pad.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { 0.05, 0.05, 0.05 } };
  cdn_system_add_shape(system, &pad);
  const cdn_contact_def contact = sticking();
  cdn_system_set_contact(system, &contact);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_body_set_u(state, pad.body, 6, (double[]){ 0, w, 0, 0, 0, -w * 0.3 }));
  cdn_stepper *stepper = stepper_of(state, 1e-7);
  cdn_state *now = cdn_stepper_state(stepper);
  cdn_vec3 place[2];
  for (int turn = 0; turn < 2; turn++) {
    cdn_transform X, X_box;
    OK_STEP(stepper, cdn_stepper_advance(stepper, 1 + 2 * turn, NULL));
    OK_ON(now, cdn_body_pose(now, motion.body, &X));
    OK_ON(now, cdn_body_pose(now, pad.body, &X_box));
    place[turn] = cdn_transform_point(cdn_transform_invert(X), X_box.p);
    ck_assert_int_eq(the_contact(now).sticks, 1);
    /* less than the stretch, which is some hundredths of a millimetre */
    AT_MOST(fabs(place[turn].y), 1e-6);
    AT_MOST(cdn_norm(cdn_sub(place[turn], cdn_v3(0.3, 0, 0))), 2e-4);
  }
  AT_MOST(cdn_norm(cdn_sub(place[1], place[0])), 2e-6);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* A top with a round foot spins on the plane, slides and precesses: where it is after a second converges with
 * accuracy. */
static cdn_vec3 spin_top(double accuracy) {
  cdn_contact_material m = friction_material(1e6, 0.4);
  m.dissipation = 0.5;
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -GRAVITY));
  cdn_shape_def surface = cdn_default_shape_def();
  surface.geometry.kind = CDN_GEOMETRY_HALF_SPACE, surface.material = &m;
  cdn_system_add_shape(system, &surface);
  const double r = 0.01, l = 0.03, tilt = 0.2;
  cdn_body_def top = cdn_default_body_def();
  top.name = "top", top.mobilizer = CDN_FREE, top.mass.mass = 0.1;
  top.mass.inertia = (cdn_inertia){ 4e-5, 4e-5, 5e-5, 0, 0, 0 };
  top.q0 = (double[]){ cos(tilt / 2), sin(tilt / 2), 0, 0, 0, 0, r + l * cos(tilt) - 5e-5 };
  surface.body = cdn_system_add_body(system, &top);
  surface.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { r } };
  surface.X_BS.p = cdn_v3(0, 0, -l);
  cdn_system_add_shape(system, &surface);
  const cdn_contact_def contact = sticking();
  cdn_system_set_contact(system, &contact);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_body_set_u(state, surface.body, 6, (double[]){ 0, -150 * sin(tilt), 150 * cos(tilt), 0, 0, 0 }));
  cdn_stepper *stepper = stepper_of(state, accuracy);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  const double *q = cdn_body_q(cdn_stepper_state(stepper), surface.body);
  const cdn_vec3 p = cdn_v3(q[4], q[5], q[6]);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return p;
}

START_TEST(top_converges) {
  const cdn_vec3 truth = spin_top(1e-11);
  ck_assert_double_gt(hypot(truth.x, truth.y), 1e-3);
  for (double accuracy = 1e-4; accuracy > (SANITIZED ? 5e-6 : 5e-9); accuracy *= 0.1) {
    const double error = cdn_norm(cdn_sub(spin_top(accuracy), truth));
    if (getenv("CARDAN_TEST_VERBOSE")) printf("top: accuracy %.0e, error %.2e\n", accuracy, error);
    AT_MOST(error, 10 * accuracy);
  }
}
END_TEST

/* A ball on a slope of two degrees stays where rolling friction bears m g sin R, and rolls away where it does not. */
START_TEST(rolling_friction_holds_a_ball) {
  const double R = 0.1, tilt = 2 * PI / 180;
  for (int holds = 0; holds < 2; holds++) {
    cdn_contact_material m = friction_material(1e7, 0.5);
    m.rolling_friction = (holds ? 1.3 : 0.7) * R * tan(tilt), m.dissipation = 1;
    const cdn_contact_def def = sticking();
    friction_scene s = ball_on_plane(R, 1, &m, tilt, &def);
    ck_assert_int_eq(cdn_system_nz(s.system), 7);
    cdn_stepper *stepper = stepper_of(s.state, 1e-6);
    cdn_state *now = cdn_stepper_state(stepper);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 4, NULL));
    const double before = cdn_body_q(now, s.body)[4];
    OK_STEP(stepper, cdn_stepper_advance(stepper, 5, NULL));
    const double moved = cdn_body_q(now, s.body)[4] - before;
    if (holds) AT_MOST(fabs(moved), 1e-9);
    /* v = a t with a = (g sin - g c cos / R) / 1.4 */
    else NEAR(moved, 4.5 * 0.3 * GRAVITY * sin(tilt) / 1.4, 0.02);
    cdn_stepper_destroy(stepper);
    free_friction_scene(&s);
  }
}
END_TEST

/* A uniform ball that rolls on a turntable moves on a circle at 2/7 of the table's angular velocity, wherever its
 * centre is (Milne 1948). It spins as the table does: what spins over the table would creep. */
START_TEST(ball_circles_on_a_turntable) {
  const double R = 0.1, w = 5, r0 = 0.2, v0 = w * r0, radius = 3.5 * r0, period = 2 * PI / (2.0 / 7 * w);
  cdn_contact_material m = friction_material(1e9, 0.8);
  const cdn_contact_def def = sticking();
  friction_scene s = ball_on_plane(R, 1, &m, 0, &def);
  OK_ON(s.state, cdn_shape_set_surface_velocity(s.state, s.plane, cdn_v3(0, 0, 0), cdn_v3(0, 0, w)));
  OK_ON(s.state, cdn_body_set_q(s.state, s.body, 7, (double[]){ 1, 0, 0, 0, r0, 0, R - s.depth }));
  OK_ON(s.state, cdn_body_set_u(s.state, s.body, 6, (double[]){ 0, 0, w, 0, v0, 0 }));
  cdn_stepper *stepper = stepper_of(s.state, 1e-7);
  cdn_state *now = cdn_stepper_state(stepper);
  for (int k = 1; k <= 8; k++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, k * period / 8, NULL));
    const double *q = cdn_body_q(now, s.body), angle = k * PI / 4;
    /* friction stretches by m v0 (2/7 w) / k to begin with */
    NEAR(q[4], r0 - radius + radius * cos(angle), 2e-3 * radius);
    NEAR(q[5], radius * sin(angle), 2e-3 * radius);
    ck_assert_int_eq(the_contact(now).sticks, 1);
  }
  cdn_stepper_destroy(stepper);
  free_friction_scene(&s);
}
END_TEST

/* ---- spin of faces ---- */

typedef struct spinning_box {
  cdn_system *system;
  cdn_state *state;
  cdn_body body;
} spinning_box;

/* A box with a square face of side 0.4 that lies on the plane and turns at w while it slides at v along x. */
static spinning_box box_that_spins(double v, double w) {
  cdn_contact_material m = friction_material(1e7, 0.5);
  spinning_box s = { .system = cdn_system_create(NULL) };
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 0.02, 0.02, 0.03, 0, 0, 0 };
  body.q0 = (double[]){ 1, 0, 0, 0, 0, 0, 0.1 - 1e-6 };
  s.body = cdn_system_add_body(s.system, &body);
  cdn_shape_def surface = cdn_default_shape_def();
  surface.material = &m, surface.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(s.system, &surface);
  surface.body = s.body, surface.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { 0.2, 0.2, 0.1 } };
  cdn_system_add_shape(s.system, &surface);
  const cdn_contact_def def = sticking();
  cdn_system_set_contact(s.system, &def);
  OK_FREEZE(s.system);
  OK(cdn_state_create(s.system, &s.state));
  OK_ON(s.state, cdn_body_set_u(s.state, s.body, 6, (double[]){ 0, 0, w, v, 0, 0 }));
  return s;
}

static void loads(const spinning_box *s, double *normal, double *friction, double *moment) {
  cdn_spatial F[2];
  OK_ON(s->state, cdn_applied_forces(s->state, F, NULL));
  *normal = F[1].v.z, *friction = -F[1].v.x, *moment = -F[1].w.z;
  NEAR(F[1].v.y, 0, 1e-9 * *normal);
}

/* Pressure is uniform but for the rim. Spin alone: mu N times the mean distance from the centre, which for a square of
 * side a is a (sqrt 2 + ln(1 + sqrt 2)) / 6. Slip alone: mu N. Both: an ellipse, as limit surfaces nearly are (Goyal,
 * Ruina and Papadopoulos 1991). */
START_TEST(faces_resist_spin) {
  const double mean = 0.4 * (sqrt(2) + log(1 + sqrt(2))) / 6;
  double N, f, m;
  spinning_box s = box_that_spins(0, 50);
  loads(&s, &N, &f, &m);
  NEAR(m, 0.5 * N * mean, 0.02 * 0.5 * N * mean);
  NEAR(f, 0, 1e-9 * N);
  OK_ON(s.state, cdn_body_set_u(s.state, s.body, 6, (double[]){ 0, 0, 0, 10, 0, 0 }));
  loads(&s, &N, &f, &m);
  NEAR(f, 0.5 * N, 1e-6 * N); /* the polygons at the rim are tilted */
  for (double w = 1; w < 1000; w *= 3) {
    OK_ON(s.state, cdn_body_set_u(s.state, s.body, 6, (double[]){ 0, 0, w, 10, 0, 0 }));
    loads(&s, &N, &f, &m);
    const double m_most = 0.5 * N * mean;
    NEAR(f * f / (0.25 * N * N) + m * m / (m_most * m_most), 1, 0.04);
  }
  AT_MOST(f, 0.3 * N); /* what spins fast slides easily */
  cdn_state_destroy(s.state);
  cdn_system_release(s.system);
}
END_TEST

/* ---- mistakes ---- */

START_TEST(mistakes_are_named) {
  for (int i = 0; i < 5; i++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_contact_def def = cdn_default_contact_def();
    static const char *const texts[] = { "friction is 7", "memory_slots is -1", "friction_damping is 0",
                                         "friction_damping is nan", "not finite" };
    if (i == 0) def.friction = (cdn_friction)7;
    if (i == 1) def.memory_slots = -1;
    if (i == 2) def.friction_damping = 0;
    if (i == 3) def.friction_damping = NAN;
    if (i < 4) cdn_system_set_contact(system, &def);
    cdn_shape_def surface = cdn_default_shape_def();
    surface.geometry.kind = CDN_GEOMETRY_HALF_SPACE, surface.surface_velocity.y = i == 4 ? INFINITY : 0;
    if (i == 4) ck_assert_int_eq(cdn_system_add_shape(system, &surface).i, -1);
    ck_assert_int_ne(cdn_system_freeze(system), CDN_OK);
    cdn_error error;
    cdn_system_last_error(system, &error);
    ck_assert_msg(strstr(error.text, texts[i]) != NULL, "%s", error.text);
    cdn_system_release(system);
  }
  cdn_contact_material m = friction_material(1e6, 0.4);
  const cdn_contact_def def = sticking();
  friction_scene s = ball_on_plane(0.1, 1, &m, 0, &def);
  m.rolling_friction = -2;
  FAILS(cdn_shape_set_material(s.state, s.shape, &m), CDN_ERR_ARG);
  m.rolling_friction = 0, m.torsional_friction = NAN;
  FAILS(cdn_shape_set_material(s.state, s.shape, &m), CDN_ERR_ARG);
  FAILS(cdn_shape_set_surface_velocity(s.state, (cdn_shape){ 9 }, cdn_v3(0, 0, 0), cdn_v3(0, 0, 0)), CDN_ERR_ARG);
  FAILS(cdn_shape_set_surface_velocity(s.state, s.plane, cdn_v3(NAN, 0, 0), cdn_v3(0, 0, 0)), CDN_ERR_NONFINITE);
  free_friction_scene(&s);
}
END_TEST

CHECK_MAIN("friction", torsional_friction_stops_spin, rolling_friction_slows_a_ball, belt_carries_to_its_speed,
           turntable_slips_and_turns, block_on_a_slope_sticks, derivatives_see_the_bristle, shaken_block_does_not_creep,
           blocks_slide_and_stop, balls_slide_until_they_roll, gripped_box_turns_along, top_converges,
           rolling_friction_holds_a_ball, ball_circles_on_a_turntable, faces_resist_spin, mistakes_are_named)
