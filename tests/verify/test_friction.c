/* Friction against closed forms: moments against spin and rolling, belts, the limits of rigid friction. */
#include "friction_scenes.h"
#include "runs.h"

static cdn_contact_def slip_speed(double transition) {
  cdn_contact_def def = cdn_default_contact_def();
  def.transition_velocity = transition;
  return def;
}

/* ---- moments ---- */

/* A ball that spins about the vertical loses its spin at c N / I. */
START_TEST(torsional_friction_stops_spin) {
  const double R = 0.1, m = 1, c = 2e-3, w0 = 3, slow = 1e-3;
  cdn_contact_material rubber = friction_material(1e6, 0.5);
  rubber.torsional_friction = c;
  const cdn_contact_def def = slip_speed(slow * R);
  friction_scene s = ball_on_plane(R, m, &rubber, 0, &def);
  const double u0[6] = { 0, 0, w0 };
  OK_ON(s.state, cdn_body_set_u(s.state, s.body, u0, 6));
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
  OK_ON(s.state, cdn_body_set_u(s.state, s.body, u0, 6));
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
  for (int law = 0; law < 1; law++) {
    const double v = 1.5, mu = 0.4, slow = 1e-3, t = v / (mu * GRAVITY);
    const cdn_contact_material m = friction_material(1e6, mu);
    const cdn_contact_def def = slip_speed(slow);
    friction_scene s = block_on_plane(&m, 0, &def);
    OK_ON(s.state, cdn_shape_set_surface_velocity(s.state, s.plane, cdn_v3(v, 0, 0), cdn_v3(0, 0, 0)));
    cdn_stepper *stepper = stepper_of(s.state, 1e-7);
    cdn_state *now = cdn_stepper_state(stepper);
    OK_STEP(stepper, cdn_stepper_advance(stepper, t / 2, NULL));
    NEAR(cdn_body_u(now, s.body)[0], v / 2, 1e-5);
    NEAR(cdn_body_q(now, s.body)[0], mu * GRAVITY * t * t / 8, 1e-5);
    OK_STEP(stepper, cdn_stepper_advance(stepper, t + 1, NULL));
    NEAR(cdn_body_u(now, s.body)[0], v, 10 * slow);
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
  OK_ON(s.state, cdn_body_set_q(s.state, s.body, (double[]){ 1, 0, 0, 0, 0.3, 0, 0.1 - s.depth }, 7));
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

CHECK_MAIN("friction", torsional_friction_stops_spin, rolling_friction_slows_a_ball, belt_carries_to_its_speed,
           turntable_slips_and_turns)
