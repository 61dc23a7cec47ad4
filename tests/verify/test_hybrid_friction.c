/* Dry friction that sticks and slips, and bounded motors. Reference values are closed forms, or runs at 1e-13
 * (../shared/hybrid/reference_values.json). */
#include "hybrid_scenes.h"

static const double g = 9.81;

/* ---- a block on a belt ---- */

typedef struct oscillator {
  double m, k, N, mu_s, mu_d, belt, slip_time, stick_time, x_release;
} oscillator;

static const oscillator oscillators[] = {
  { 1, 1, 1, 1, 0.5, 0.2, 3.9026054078145230111, 5, 1 },
  { 2, 50, 20, 0.4, 0.3, 0.1, 0.81377757431828109418, 0.8, 0.16 },
};

START_TEST(a_belt_drags_a_block) {
  const oscillator *o = &oscillators[_i];
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body block = add_slider(system, "block", o->m);
  cdn_system_add_mobility_spring(system, "spring", block, 0, o->k, 0);
  const cdn_dry_friction belt = add_belt(system, "belt", block, o->belt, o->N, o->mu_s, o->mu_d);
  cdn_state *state = hybrid_state(system, NULL, &o->belt);
  cdn_stepper *run = event_run(state, 1e-9);
  cdn_state *now = cdn_stepper_state(run);
  double t = o->x_release / o->belt, force[2];
  for (int k = 0; k < 4; k++) {
    ck_assert(run_to_event(run, "slips", 100));
    NEAR(cdn_state_time(now), t, 1e-8);
    NEAR(cdn_state_q(now)[0], o->x_release, 1e-8);
    OK_ON(now, cdn_dry_friction_force(now, belt, force));
    NEAR(force[0], o->mu_d * o->N, 1e-12);
    ck_assert(run_to_event(run, "sticks", 100));
    NEAR(cdn_state_time(now), t + o->slip_time, 1e-8);
    ck_assert_int_eq(cdn_dry_friction_get_status(now, belt), CDN_FRICTION_STICK);
    t += o->slip_time + o->stick_time;
  }
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- three blocks on a belt: 24 changes ---- */

START_TEST(a_chain_of_blocks_slips_and_sticks) {
  static const double times[] = { 2.2666666666666684, 4.064565879699595,  4.25915328174041,   5.48536409101603,
                                  5.670343907267885,  8.991495107965688,  10.189923504242547, 10.774550374694138,
                                  11.484116205874779, 12.765900215085981, 13.127140741650173, 16.28734731070549,
                                  17.848932639257324, 17.96454472389246,  19.80661929972373,  20.4053347310338,
                                  20.80303897692504,  24.168484770367225, 24.79885855436046,  25.336792816287353,
                                  27.87524957699843,  28.052375839075033, 28.50098680788811 };
  static const double q[] = { 0.5037896212982371, 0.5770748011705367, 0.6012221183777797 };
  static const double u[] = { -0.2980819179738081, -0.22642338013521646, -0.3577463612815885 };
  const double accuracy = _i == 0 ? 1e-6 : 1e-10;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body block[3];
  for (int i = 0; i < 3; i++) block[i] = add_slider(system, NULL, 1);
  for (int i = 0; i < 3; i++) {
    cdn_system_add_mobility_spring(system, NULL, block[i], 0, 1, 0);
    add_belt(system, (const char *const[]){ "first", "second", "third" }[i], block[i], 0.15, 1, 0.8, 0.5);
  }
  for (int i = 0; i < 2; i++)
    cdn_system_add_two_point_spring(system, NULL, block[i], cdn_v3(0, 0, 0), block[i + 1], cdn_v3(-100, 0, 0), 1.2,
                                    100);
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0.1, -0.1 }, (double[]){ 0.15, 0.15, 0.15 });
  cdn_stepper *run = event_run(state, accuracy);
  const cdn_state *now = cdn_stepper_state(run);
  for (int k = 0; k < (int)(sizeof times / sizeof *times); k++) {
    ck_assert(run_to_event(run, "s", 30)); /* any */
    if (cdn_state_time(now) == 0) ck_assert(run_to_event(run, "s", 30));
    NEAR(cdn_state_time(now), times[k], 1e3 * accuracy);
  }
  ck_assert(!run_to_event(run, "s", 30));
  for (int i = 0; i < 3; i++) {
    NEAR(cdn_state_q(now)[i], q[i], 10 * accuracy);
    NEAR(cdn_state_u(now)[i], u[i], 10 * accuracy);
  }
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- a ball that slips and rolls ---- */

static cdn_state *ball_on_floor(double mu, double force_rate, const double *u) {
  const double r = 0.1, J = 0.4 * r * r;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.name = "ball", d.mobilizer = CDN_FREE, d.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { J, J, J, 0, 0, 0 } };
  const cdn_body ball = cdn_system_add_body(system, &d);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  if (force_rate > 0) { /* c t along x at the centre */
    cdn_control_def ramp = cdn_default_control_def();
    ramp.name = "pull", ramp.unit = "N";
    const cdn_control control = cdn_system_add_control(system, &ramp);
    cdn_control_follow_samples(system, control, 2, (double[]){ 0, 100 }, (double[]){ 0, 100 * force_rate });
    cdn_actuator_def pull = cdn_default_actuator_def();
    pull.body = ball, pull.mobility = 3, pull.control = control, pull.gain = 1;
    cdn_system_add_actuator(system, "pull", &pull);
  }
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.b = ball, c.radius = r, c.mu_dynamic = mu;
  cdn_system_add_rigid_contact(system, &c);
  return hybrid_state(system, (double[]){ 1, 0, 0, 0, 0, 0, r }, u);
}

START_TEST(a_pulled_ball_rolls_and_then_slips) {
  cdn_state *state = ball_on_floor(0.25, 3, NULL);
  cdn_stepper *run = event_run(state, 1e-9);
  const cdn_state *now = cdn_stepper_state(run);
  ck_assert(run_to_event(run, "slips", 4.291875));
  NEAR(cdn_state_time(now), 2.86125, 1e-8);
  NEAR(cdn_state_u(now)[3], 8.77151953125, 1e-7);
  NEAR(cdn_state_q(now)[4], 8.3658367529296875, 1e-7);
  ck_assert(!run_to_event(run, "s", 4.291875));
  NEAR(cdn_state_q(now)[4], 28.652990878784179687, 1e-7);
  NEAR(cdn_state_u(now)[3], 20.6130708984375, 1e-7);
  NEAR(0.1 * cdn_state_u(now)[1], 17.5430390625, 1e-7);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

START_TEST(backspin_brings_a_ball_back) {
  cdn_state *state = ball_on_floor(0.2, 0, (double[]){ 0, -60, 0, 2, 0, 0 });
  cdn_stepper *run = event_run(state, 1e-9);
  const cdn_state *now = cdn_stepper_state(run);
  ck_assert(run_to_event(run, "sticks", 3));
  NEAR(cdn_state_time(now), 1.1649919906800640746, 1e-8);
  NEAR(cdn_state_u(now)[3], -0.28571428571428571429, 1e-8);
  NEAR(cdn_state_q(now)[4], 0.99856456344005492105, 1e-8);
  ck_assert(!run_to_event(run, "slips", 3));
  NEAR(cdn_state_u(now)[3], -0.28571428571428571429, 1e-8);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- a motor with a limit ---- */

START_TEST(a_motor_pushes_to_its_limit) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.name = "shaft", d.mobilizer = CDN_PIN, d.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  const cdn_body shaft = cdn_system_add_body(system, &d);
  cdn_dry_friction_def motor = cdn_default_dry_friction_def();
  motor.slip = cdn_system_constrain_speed(system, "motor", shaft, 0, 10);
  motor.load = 5, motor.mu_dynamic = 1;
  const cdn_dry_friction id = cdn_system_add_dry_friction(system, &motor);
  cdn_state *state = hybrid_state(system, NULL, NULL);
  cdn_stepper *run = event_run(state, 1e-9);
  const cdn_state *now = cdn_stepper_state(run);
  ck_assert(run_to_event(run, "sticks", 5));
  NEAR(cdn_state_time(now), 2, 1e-9); /* 10 rad/s at 5 rad/s^2 */
  ck_assert(!run_to_event(run, "slips", 5));
  NEAR(cdn_state_q(now)[0], 40, 1e-8);
  ck_assert_int_eq(cdn_dry_friction_get_status(now, id), CDN_FRICTION_STICK);
  end_event_run(run, state);
}
END_TEST

/* ---- a block on a slope ---- */

START_TEST(a_block_stays_where_it_stuck) {
  const double slope = 0.29, mu = 0.3; /* tan 0.29 = 0.2984 < 0.3 */
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body block = add_planar(system, "block", 1, 0.1);
  cdn_system_add_gravity(system, "gravity", cdn_v3(g * sin(slope), -g * cos(slope), 0));
  for (int i = 0; i < 2; i++) {
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.b = block, c.p_B = cdn_v3(i ? 0.3 : -0.3, -0.1, 0), c.mu_dynamic = mu;
    c.X_AP = facing(cdn_v3(0, 1, 0), cdn_v3(0, 0, 0));
    cdn_system_add_rigid_contact(system, &c);
  }
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0, 0.1 }, (double[]){ 0, 0.02, 0 });
  cdn_stepper *run = event_run(state, 1e-8);
  const cdn_state *now = cdn_stepper_state(run);
  ck_assert(run_to_event(run, "sticks", 1000));
  const double slowing = g * (mu * cos(slope) - sin(slope));
  NEAR(cdn_state_time(now), 0.02 / slowing, 1e-6);
  const double x = cdn_state_q(now)[1];
  NEAR(x, 0.5 * 0.02 * 0.02 / slowing, 1e-8);
  ck_assert(!run_to_event(run, "s", 1000));
  NEAR(cdn_state_q(now)[1], x, 1e-8);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- a ladder ---- */

static bool ladder_holds(double angle) {
  const double l = 1;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body ladder = add_planar(system, "ladder", 1, l * l / 12);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  for (int i = 0; i < 2; i++) { /* its foot on the floor, its head at the wall x = 0 */
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.name = i ? "wall" : "floor", c.b = ladder, c.p_B = cdn_v3(i ? -l / 2 : l / 2, 0, 0);
    c.mu_dynamic = i ? 0.3 : 0.4;
    c.X_AP = i ? facing(cdn_v3(1, 0, 0), cdn_v3(0, 0, 0)) : facing(cdn_v3(0, 1, 0), cdn_v3(0, 0, 0));
    cdn_system_add_rigid_contact(system, &c);
  }
  const double q[] = { -angle, l / 2 * cos(angle), l / 2 * sin(angle) };
  cdn_state *state = hybrid_state(system, q, NULL);
  OK_ON(state, cdn_settle(state, 0));
  const double *udot = cdn_state_udot(state);
  const double most = fmax(fabs(udot[0]), fmax(fabs(udot[1]), fabs(udot[2])));
  const bool holds = most < 1e-10;
  ck_assert(holds || most > 1e-6);
  cdn_state_destroy(state);
  return holds;
}

START_TEST(a_ladder_holds_above_its_limit) {
  const double limit = 0.83298126667443170542; /* from the floor; mu 0.4 there, 0.3 at the wall */
  ck_assert(ladder_holds(limit + 1e-4));
  ck_assert(ladder_holds(1.2));
  ck_assert(!ladder_holds(limit - 1e-4));
  ck_assert(!ladder_holds(0.5));
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_belt_drags_a_block, 0, 2);
  tcase_add_loop_test(c, a_chain_of_blocks_slips_and_sticks, 0, 2);
  tcase_add_test(c, a_pulled_ball_rolls_and_then_slips);
  tcase_add_test(c, backspin_brings_a_ball_back);
  tcase_add_test(c, a_motor_pushes_to_its_limit);
  tcase_add_test(c, a_block_stays_where_it_stuck);
  tcase_add_test(c, a_ladder_holds_above_its_limit);
}

CHECK_MAIN_OF("hybrid friction", 60, add)
