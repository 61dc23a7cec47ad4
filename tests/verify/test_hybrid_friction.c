/* Dry friction that sticks and slips, and bounded motors. Reference values are closed forms, or runs at 1e-13
 * (../shared/hybrid/reference_values.json). */
#include "hybrid_scenes.h"
#include "problem.h"

static const double g = 9.81;

/* cos(w t) */
static cdn_status calc_cosine(const void *self, const double *t, int order, cdn_function_result *out) {
  const double w = *(const double *)self;
  out->value = cos(w * t[0]);
  if (order >= 1) out->d1[0] = -w * sin(w * t[0]);
  if (order >= 2) out->d2[0] = -w * w * cos(w * t[0]);
  return CDN_OK;
}

static cdn_function *cosine_of(double w) {
  const cdn_function_ops ops = {
    .struct_size = sizeof ops, .name = "cosine", .self_size = sizeof w, .n_inputs = 1, .calc = calc_cosine
  };
  return cdn_function_create(&ops, &w);
}

/* ---- a block on a belt ---- */

typedef struct oscillator {
  double m, k, N, mu_s, mu_d, belt, slip_time, stick_time, x_release;
  double period, x_max, x_min, backward, work; /* the fastest speed against the belt; of the belt, in a period */
} oscillator;

static const oscillator oscillators[] = {
  { 1, 1, 1, 1, 0.5, 0.2, 3.9026054078145230111, 5, 1, 8.9026054078145230111, 1.0385164807134504031,
    -0.038516480713450403125, 0.53851648071345040313, 0.89026054078145230111 },
  { 2, 50, 20, 0.4, 0.3, 0.1, 0.81377757431828109418, 0.8, 0.16, 1.6137775743182810942, 0.16472135954999579393,
    0.075278640450004206072, 0.22360679774997896964, 0.96826654459096865651 },
};

START_TEST(a_belt_drags_a_block) {
  const oscillator *o = &oscillators[_i];
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body block = add_slider(system, "block", o->m);
  cdn_system_add_mobility_spring(system, "spring", block, 0, o->k, 0);
  const cdn_dry_friction belt = add_belt(system, "belt", block, o->belt, o->N, o->mu_s, o->mu_d);
  const cdn_measure x = cdn_system_add_coordinate_measure(system, "x", block, CDN_Q, 0);
  const cdn_measure v = cdn_system_add_coordinate_measure(system, "v", block, CDN_U, 0);
  const cdn_measure x_min = cdn_system_add_extreme_measure(system, "x_min", x, CDN_MINIMUM),
                    x_max = cdn_system_add_extreme_measure(system, "x_max", x, CDN_MAXIMUM),
                    v_min = cdn_system_add_extreme_measure(system, "v_min", v, CDN_MINIMUM);
  const cdn_measure sum = cdn_system_add_integral_measure(system, "sum", x, NULL, 1);
  const double sticks_at = o->x_release - o->belt * o->stick_time;
  cdn_state *state = hybrid_state(system, &sticks_at, &o->belt);
  cdn_stepper *run = event_run(state, 1e-9);
  cdn_state *now = cdn_stepper_state(run);
  double t = o->stick_time, force[2], before = 0;
  NEAR(o->slip_time + o->stick_time, o->period, 1e-14);
  for (int k = 0; k < 4; k++) {
    ck_assert(run_to_event(run, "slips", 100));
    NEAR(cdn_state_time(now), t, 1e-8);
    NEAR(cdn_state_q(now)[0], o->x_release, 1e-8);
    OK_ON(now, cdn_dry_friction_force(now, belt, force));
    NEAR(force[0], o->mu_d * o->N, 1e-12);
    /* over a period friction has the impulse of the spring */
    const double impulse = o->k * *cdn_measure_value(now, sum);
    if (k > 0) NEAR(o->belt * (impulse - before), o->work, 1e-7);
    before = impulse;
    ck_assert(run_to_event(run, "sticks", 100));
    NEAR(cdn_state_time(now), t + o->slip_time, 1e-8);
    ck_assert_int_eq(cdn_dry_friction_get_status(now, belt), CDN_FRICTION_STICK);
    NEAR(*cdn_measure_value(now, x_max), o->x_max, 1e-8);
    NEAR(*cdn_measure_value(now, x_min), o->x_min, 1e-8);
    NEAR(*cdn_measure_value(now, v_min), -o->backward, 1e-8);
    t += o->slip_time + o->stick_time;
  }
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- three blocks on a belt: 24 changes ---- */

/* A problem of ./run accuracy. */
static cdn_state *start_of(const char *name) {
  const problem *p = find_problem(name);
  return p->start(p);
}

START_TEST(a_chain_of_blocks_slips_and_sticks) {
  static const double times[] = { 2.2666666666666684, 4.064565879699595,  4.25915328174041,   5.48536409101603,
                                  5.670343907267885,  8.991495107965688,  10.189923504242547, 10.774550374694138,
                                  11.484116205874779, 12.765900215085981, 13.127140741650173, 16.28734731070549,
                                  17.848932639257324, 17.96454472389246,  19.80661929972373,  20.4053347310338,
                                  20.80303897692504,  24.168484770367225, 24.79885855436046,  25.336792816287353,
                                  27.87524957699843,  28.052375839075033, 28.50098680788811 };
  /* of each block: it sticks, or slips back */
  static const char *const does[] = { ".-.", "--.", "-..", "-.-", "---", "--.", ".-.", "...",
                                      "..-", ".--", "---", ".--", "..-", "...", "-..", "--.",
                                      "---", "--.", "-..", "...", ".-.", "--.", "---" };
  static const double q[] = { 0.5037896212982371, 0.5770748011705367, 0.6012221183777797 };
  static const double u[] = { -0.2980819179738081, -0.22642338013521646, -0.3577463612815885 };
  const double accuracy = _i == 0 ? 1e-6 : 1e-10;
  cdn_state *state = start_of("rigid-chain");
  cdn_stepper *run = event_run(state, accuracy);
  const cdn_state *now = cdn_stepper_state(run);
  for (int k = 0; k < (int)(sizeof times / sizeof *times); k++) {
    ck_assert(run_to_event(run, "s", 30)); /* any */
    if (cdn_state_time(now) == 0) ck_assert(run_to_event(run, "s", 30));
    NEAR(cdn_state_time(now), times[k], 1e3 * accuracy);
    for (int i = 0; i < 3; i++) {
      const cdn_friction_status status = cdn_dry_friction_get_status(now, (cdn_dry_friction){ i });
      ck_assert_int_eq(status, does[k][i] == '-' ? CDN_FRICTION_SLIP : CDN_FRICTION_STICK);
      if (status == CDN_FRICTION_SLIP) ck_assert(cdn_state_u(now)[i] < 0.15 + accuracy);
    }
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

/* A run that is saved between two changes, and its copy that goes on from there, have the same bits. */
START_TEST(a_saved_run_goes_on) {
  cdn_state *state = start_of("rigid-chain");
  cdn_stepper *run = event_run(state, 1e-8), *copy = NULL;
  cdn_buffer saved = { 0 };
  while (run_to_event(run, "s", 9.3)) continue;
  OK_STEP(run, cdn_stepper_save(run, cdn_buffer_write, &saved));
  OK_ON(state, cdn_stepper_load(state, NULL, NULL, cdn_buffer_read, &saved, &copy));
  while (run_to_event(run, "s", 30)) ck_assert(run_to_event(copy, "s", 30));
  ck_assert(!run_to_event(copy, "s", 30));
  ck_assert_mem_eq(cdn_state_q(cdn_stepper_state(run)), cdn_state_q(cdn_stepper_state(copy)), 3 * sizeof(double));
  ck_assert_mem_eq(cdn_state_u(cdn_stepper_state(run)), cdn_state_u(cdn_stepper_state(copy)), 3 * sizeof(double));
  check_verdict(copy);
  cdn_buffer_free(&saved);
  cdn_stepper_destroy(copy);
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
  ck_assert(!run_to_event(run, "sticks", 4.291875));
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
  cdn_state *now = cdn_stepper_state(run);
  const double turns = 1.0193679918450560652;
  double before, after;
  OK_ON(now, cdn_kinetic_energy(now, &before));
  ck_assert(!run_to_event(run, "sticks", turns));
  NEAR(cdn_state_u(now)[3], 0, 1e-8);
  ck_assert(run_to_event(run, "sticks", 3));
  NEAR(cdn_state_time(now), 1.1649919906800640746, 1e-8);
  NEAR(cdn_state_u(now)[3], -0.28571428571428571429, 1e-8);
  NEAR(cdn_state_q(now)[4], 0.99856456344005492105, 1e-8);
  OK_ON(now, cdn_kinetic_energy(now, &after));
  NEAR(before - after, 9.1428571428571428571, 1e-8);
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

/* The same with a load that grows until the motor gives way: 2 + 0.1 t. */
START_TEST(a_motor_gives_way_and_comes_back_to_rest) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.name = "shaft", d.mobilizer = CDN_PIN, d.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  const cdn_body shaft = cdn_system_add_body(system, &d);
  cdn_dry_friction_def motor = cdn_default_dry_friction_def();
  motor.slip = cdn_system_constrain_speed(system, "motor", shaft, 0, 10);
  motor.load = 5, motor.mu_dynamic = 1;
  cdn_system_add_dry_friction(system, &motor);
  cdn_control_def ramp = cdn_default_control_def();
  ramp.name = "load", ramp.unit = "N m";
  const cdn_control control = cdn_system_add_control(system, &ramp);
  cdn_control_follow_samples(system, control, 2, (double[]){ 0, 100 }, (double[]){ -2, -12 });
  cdn_actuator_def load = cdn_default_actuator_def();
  load.body = shaft, load.control = control;
  cdn_system_add_actuator(system, "load", &load);
  cdn_state *state = hybrid_state(system, NULL, NULL);
  cdn_stepper *run = event_run(state, 1e-9);
  const cdn_state *now = cdn_stepper_state(run);
  ck_assert(run_to_event(run, "sticks", 60));
  NEAR(cdn_state_time(now), 3.54248688935409409, 1e-8);
  ck_assert(run_to_event(run, "slips", 60));
  NEAR(cdn_state_time(now), 30, 1e-8);
  NEAR(cdn_state_q(now)[0], 282.658027418262196, 1e-6);
  ck_assert(!run_to_event(run, "s", 44.1421356237309505));
  NEAR(cdn_state_u(now)[0], 0, 1e-7);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- a ratchet: the speed must not be negative ---- */

START_TEST(a_ratchet_turns_one_way) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.name = "wheel", d.mobilizer = CDN_PIN, d.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  const cdn_body wheel = cdn_system_add_body(system, &d);
  cdn_one_sided_def pawl = cdn_default_one_sided_def();
  pawl.constraint = cdn_system_constrain_speed(system, "pawl", wheel, 0, 0);
  const cdn_one_sided id = cdn_system_make_one_sided(system, &pawl);
  cdn_control_def wave = cdn_default_control_def();
  wave.name = "torque", wave.unit = "N m";
  const cdn_control control = cdn_system_add_control(system, &wave);
  cdn_function *cosine = cosine_of(2);
  cdn_control_follow_function(system, control, cosine);
  cdn_function_release(cosine);
  cdn_actuator_def torque = cdn_default_actuator_def();
  torque.body = wheel, torque.control = control;
  cdn_system_add_actuator(system, "torque", &torque);
  cdn_state *state = hybrid_state(system, NULL, NULL);
  cdn_stepper *run = event_run(state, 1e-9);
  const cdn_state *now = cdn_stepper_state(run);
  const double period = PI;
  ck_assert(run_to_event(run, "touches", 20));
  NEAR(cdn_state_time(now), 1.57079632679489662, 1e-8);
  NEAR(cdn_state_q(now)[0], 0.5, 1e-8);
  ck_assert(cdn_one_sided_is_on(now, id));
  ck_assert(run_to_event(run, "lets go", 20));
  NEAR(cdn_state_time(now), 2.35619449019234493, 1e-8);
  NEAR(cdn_state_q(now)[0], 0.5, 1e-9);
  /* from here on its speed (1 + sin 2 t) / 2 touches zero once a period, and it is not held again */
  for (int k = 1; k < 5; k++) {
    run_to_event(run, "nothing", 2.35619449019234493 + k * period);
    NEAR(cdn_state_q(now)[0], 0.5 + k * 1.57079632679489662, 1e-6);
  }
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- a pin with friction: the norm of its reaction presses ---- */

/* A rod of 1 kg and 1 m on a pin with mu r = 0.02 m: the pin is a constraint, whose multipliers are its reaction. */
START_TEST(a_pin_with_friction_swings_to_rest) { check_swings_of_pin(start_of("rigid-pin"), (cdn_dry_friction){ 0 }); }
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
  tcase_add_test(c, a_saved_run_goes_on);
  tcase_add_test(c, a_pulled_ball_rolls_and_then_slips);
  tcase_add_test(c, backspin_brings_a_ball_back);
  tcase_add_test(c, a_motor_pushes_to_its_limit);
  tcase_add_test(c, a_motor_gives_way_and_comes_back_to_rest);
  tcase_add_test(c, a_ratchet_turns_one_way);
  tcase_add_test(c, a_pin_with_friction_swings_to_rest);
  tcase_add_test(c, a_block_stays_where_it_stuck);
  tcase_add_test(c, a_ladder_holds_above_its_limit);
}

CHECK_MAIN_OF("hybrid friction", 60, add)
