/* Pulls and drags: momentum that enters is the impulse of the pull, loops stay closed, limits are kept. */
#include "view_rig.h"

static cdn_mass_properties ball(double m) { return (cdn_mass_properties){ m, { 0, 0, 0 }, { m, m, m, 0, 0, 0 } }; }

static json_t *pull_of(int body, cdn_vec3 station, cdn_vec3 target) {
  return json_pack("{s:s,s:i,s:[f,f,f],s:[f,f,f]}", "type", "perturb", "body", body, "station", station.x, station.y,
                   station.z, "target", target.x, target.y, target.z);
}
static json_t *coordinate(int index, double value) {
  return json_pack("{s:s,s:i,s:f}", "type", "coordinate", "index", index, "value", value);
}
static json_t *plain(const char *type) { return json_pack("{s:s}", "type", type); }

/* ---- pulls ---- */

/* A ball of 1 kg that is pinned to one of 3 kg shows 4 kg, and moves as a critically damped spring. A slider that is
 * nailed to Ground cannot be pulled. */
START_TEST(a_pull_knows_constraints) {
  view_rig r;
  live_rig_begin(&r);
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_FREE, b.mass = ball(1);
  const cdn_body light = cdn_system_add_body(r.system, &b);
  b.mass = ball(3);
  const cdn_body heavy = cdn_system_add_body(r.system, &b);
  b.mobilizer = CDN_SLIDER, b.mass = ball(2);
  const cdn_body held = cdn_system_add_body(r.system, &b);
  cdn_system_constrain_ball(r.system, "pin", light, cdn_v3(0, 0, 0), heavy, cdn_v3(0, 0, 0));
  cdn_system_constrain_ball(r.system, "nail", held, cdn_v3(0, 0, 0), cdn_ground(), cdn_v3(0, 0, 0));
  r.pull = cdn_system_add_perturbation(r.system, NULL);
  live_rig_freeze(&r);
  const cdn_vec3 zero = cdn_v3(0, 0, 0);
  cdn_perturbation now;
  FAILS(cdn_perturbation_begin(r.state, r.pull, held, zero, cdn_v3(1, 0, 0)), CDN_ERR_ARG);
  ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "constraints hold that point"));
  OK(cdn_perturbation_begin(r.state, r.pull, light, zero, cdn_v3(2, 0, -1)));
  OK(cdn_perturbation_get(r.state, r.pull, &now));
  NEAR(now.stiffness, 400, 1e-9);
  NEAR(now.damping, 80, 1e-9);
  OK(cdn_perturbation_end(r.state, r.pull));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-9;
  live_rig_run(&r, &def);
  ck_assert_ptr_null(live_rig_ask(&r, pull_of(1, zero, cdn_v3(2, 0, -1))));
  for (int i = 0; i < 30; i++) {
    const double wt = 10 * live_rig_time(&r), x = 1 - (1 + wt) * exp(-wt);
    cdn_vec3 p, dp;
    OK(cdn_body_station(cdni_live_shown(r.live), heavy, zero, &p, &dp));
    NEAR(p.x, 2 * x, 1e-7);
    NEAR(p.z, -x, 1e-7);
    live_rig_turn(&r);
  }
  live_rig_drop(&r);
}
END_TEST

/* A free ball at rest that is pulled by its centre moves as a critically damped spring of omega = 10 rad/s:
 * x = X (1 - (1 + omega t) e^(-omega t)). */
START_TEST(a_pull_is_critically_damped) {
  view_rig r;
  live_rig_begin(&r);
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_FREE, b.mass = ball(3);
  cdn_system_add_body(r.system, &b);
  r.pull = cdn_system_add_perturbation(r.system, NULL);
  live_rig_freeze(&r);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-9, def.companion = true;
  live_rig_run(&r, &def);
  ck_assert_ptr_null(live_rig_ask(&r, pull_of(1, cdn_v3(0, 0, 0), cdn_v3(2, 0, -1))));
  for (int i = 0; i < 60; i++) {
    const double wt = 10 * live_rig_time(&r), x = 1 - (1 + wt) * exp(-wt), v = 10 * wt * exp(-wt);
    cdn_state *s = cdni_live_shown(r.live);
    cdn_vec3 p, dp;
    cdn_spatial momentum;
    OK(cdn_body_station(s, (cdn_body){ 1 }, cdn_v3(0, 0, 0), &p, &dp));
    NEAR(p.x, 2 * x, 1e-7);
    NEAR(p.z, -x, 1e-7);
    OK(cdn_momentum(s, &momentum));
    NEAR(momentum.v.x, 3 * 2 * v, 1e-6);
    cdn_perturbation held;
    OK(cdn_perturbation_get(s, r.pull, &held));
    NEAR(held.stiffness, 300, 1e-9);
    NEAR(held.damping, 60, 1e-9);
    NEAR(held.force_G.x, 300 * (2 - p.x) - 60 * dp.x, 1e-9);
    live_rig_turn(&r);
  }
  /* an arrow from the body to the target, and a point */
  ck_assert_uint_eq(r.frame.marks, 2);
  ck_assert_int_eq(r.frame.mark[1].kind, CDN_MARK_ARROW);
  /* its work is the kinetic energy that came and went: the certificate closes */
  cdn_certificate c;
  OK(cdn_stepper_certificate(r.live->stepper, &c));
  AT_MOST(fabs(c.energy_residual), 1e-7);
  ck_assert_int_eq(c.delivered, CDN_VERDICT_DELIVERED);
  ck_assert_ptr_null(live_rig_ask(&r, plain("release")));
  cdn_perturbation held;
  OK(cdn_perturbation_get(cdni_live_shown(r.live), r.pull, &held));
  ck_assert_int_eq(held.body.i, -1);
  live_rig_drop(&r);
}
END_TEST

/* A force as a measure, so that its integral, the impulse, is under error control. */
static cdn_force pull_to_measure;
static cdn_status calc_pull(const void *self, cdn_state *state, int derivative, double *value) {
  cdn_perturbation held;
  (void)self;
  (void)derivative;
  const cdn_status status = cdn_perturbation_get(state, pull_to_measure, &held);
  value[0] = held.force_G.x, value[1] = held.force_G.y, value[2] = held.force_G.z;
  return status;
}

/* A mocap body is where the hand puts it, in a run and while it stands still, and does not turn. A ball that a loop
 * holds to it comes along. */
START_TEST(the_hand_puts_mocap_bodies) {
  view_rig r;
  live_rig_begin(&r);
  cdn_body_def b = cdn_default_body_def();
  const double q0[7] = { sqrt(0.5), 0, 0, sqrt(0.5), 0, 0, 1 }; /* a quarter of a turn about z */
  b.mobilizer = CDN_FREE, b.mass = ball(1), b.q0 = q0;
  const cdn_body target = cdn_system_add_body(r.system, &b), hung = cdn_system_add_body(r.system, &b);
  cdn_motion_def motion = cdn_default_motion_def();
  motion.body = target, motion.kind = CDN_MOTION_MOCAP;
  cdn_system_add_motion(r.system, &motion);
  cdn_system_constrain_ball(r.system, "string", target, cdn_v3(0, 0, 0), hung, cdn_v3(0, 0, 0));
  r.pull = cdn_system_add_perturbation(r.system, NULL);
  live_rig_run(&r, NULL);
  for (int still = 0; still < 2; still++) {
    cdn_transform X;
    cdn_vec3 p, v;
    if (still) ck_assert_ptr_null(live_rig_ask(&r, plain("pause")));
    ck_assert_ptr_null(live_rig_ask(&r, pull_of(target.i, cdn_v3(0.1, 0, 0), cdn_v3(1, still, 2))));
    live_rig_turn(&r);
    cdn_state *s = cdni_live_shown(r.live);
    OK(cdn_body_pose(s, target, &X));
    NEAR(X.R.x.y, 1, 1e-15);
    NEAR(X.p.x, 1, 1e-15);
    NEAR(X.p.y, still - 0.1, 1e-15);
    NEAR(X.p.z, 2, 1e-15);
    OK(cdn_body_station(s, hung, cdn_v3(0, 0, 0), &p, &v));
    AT_MOST(cdn_norm(cdn_sub(p, X.p)), 1e-4);
    ck_assert_ptr_null(live_rig_ask(&r, plain("release")));
  }
  live_rig_drop(&r);
}
END_TEST

/* The page is told the numbers of all measures, in the order of its list of series. */
START_TEST(measures_are_told) {
  view_rig r;
  live_rig_begin(&r);
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_SLIDER, b.mass = ball(1);
  cdn_system_add_body(r.system, &b);
  const double numbers[2] = { 5, 6 };
  cdn_system_add_constant_measure(r.system, "pair", 2, numbers);
  cdn_system_add_coordinate_measure(r.system, "x", (cdn_body){ 1 }, CDN_Q, 0);
  live_rig_run(&r, NULL);
  ck_assert_ptr_null(live_rig_ask(&r, plain("pause")));
  ck_assert_ptr_null(live_rig_ask(&r, coordinate(0, 0.25)));
  live_rig_turns(&r, 2);
  const json_t *list = json_object_get(r.values, "measures");
  ck_assert_uint_eq(json_array_size(list), 3);
  NEAR(json_number_value(json_array_get(list, 0)), 5, 0);
  NEAR(json_number_value(json_array_get(list, 1)), 6, 0);
  NEAR(json_number_value(json_array_get(list, 2)), 0.25, 1e-8);
  live_rig_drop(&r);
}
END_TEST

/* A free arm with a second link, pulled off its centre while the target moves: the momentum is the impulse. */
START_TEST(momentum_that_enters_is_the_impulse) {
  view_rig r;
  live_rig_begin(&r);
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_FREE, b.mass = ball(2);
  const cdn_body base = cdn_system_add_body(r.system, &b);
  b.parent = base, b.mobilizer = CDN_UNIVERSAL, b.X_BM.p = cdn_v3(0, 0, 0.5), b.mass = ball(1);
  cdn_system_add_body(r.system, &b);
  pull_to_measure = r.pull = cdn_system_add_perturbation(r.system, "hand");
  const cdn_measure_ops ops = {
    .struct_size = sizeof ops, .n = 3, .stage = CDN_STAGE_VELOCITY, .calc_value = calc_pull
  };
  const cdn_measure force = cdn_system_add_custom_measure(r.system, "force", &ops, NULL),
                    impulse = cdn_system_add_integral_measure(r.system, "impulse", force, NULL, 1);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-9;
  live_rig_run(&r, &def);
  for (int i = 0; i < 60; i++) {
    ck_assert_ptr_null(live_rig_ask(&r, pull_of(2, cdn_v3(0.1, 0.2, 0.3), cdn_v3(0.02 * i, 1, -0.5 * sin(0.1 * i)))));
    live_rig_turn(&r);
  }
  cdn_spatial momentum;
  cdn_state *s = cdni_live_shown(r.live);
  OK(cdn_momentum(s, &momentum));
  const double *entered = cdn_measure_value(s, impulse);
  ck_assert(cdn_norm(momentum.v) > 0.1);
  NEAR(momentum.v.x, entered[0], 1e-7);
  NEAR(momentum.v.y, entered[1], 1e-7);
  NEAR(momentum.v.z, entered[2], 1e-7);
  /* standing still lets go, and momentum stays */
  cdn_spatial before, after;
  ck_assert_ptr_null(live_rig_ask(&r, plain("pause")));
  OK(cdn_momentum(cdni_live_shown(r.live), &before));
  ck_assert_ptr_null(live_rig_ask(&r, plain("run")));
  live_rig_turns(&r, 30);
  OK(cdn_momentum(cdni_live_shown(r.live), &after));
  NEAR(cdn_norm(cdn_sub(after.v, before.v)), 0, 1e-7);
  live_rig_drop(&r);
}
END_TEST

/* Its derivatives are those of its force, and it reads what it says. */
START_TEST(a_pull_checks_out) {
  view_rig r;
  live_rig_begin(&r);
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_FREE, b.mass = ball(2);
  const cdn_body base = cdn_system_add_body(r.system, &b);
  b.parent = base, b.mobilizer = CDN_UNIVERSAL, b.X_BM.p = cdn_v3(0, 0, 0.5);
  const cdn_body hand = cdn_system_add_body(r.system, &b);
  r.pull = cdn_system_add_perturbation(r.system, NULL);
  live_rig_freeze(&r);
  OK(cdn_perturbation_begin(r.state, r.pull, hand, cdn_v3(0.1, -0.2, 0.3), cdn_v3(1, 2, 3)));
  cdn_check *check;
  OK_ON(r.state, cdn_check_force(r.state, r.pull, NULL, &check));
  ck_assert_msg(cdn_check_count(check) == 0, "%s", cdn_check_text(check));
  cdn_check_destroy(check);
  live_rig_drop(&r);
}
END_TEST

START_TEST(keyframes_begin_anew) {
  static const char text[] = "<mujoco model='k'><worldbody><body name='b'><joint name='j' axis='0 1 0'/>"
                             "<geom size='.1' pos='0 0 -1'/></body></worldbody>"
                             "<keyframe><key name='up' time='3' qpos='2.5'/></keyframe></mujoco>";
  view_rig r;
  live_rig_load(&r, text, CDN_MODEL_NO_CONTACT);
  live_rig_run(&r, NULL);
  live_rig_turns(&r, 30);
  ck_assert_str_eq(json_string_value(json_array_get(json_object_get(r.model_text, "keyframes"), 0)), "up");
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:s}", "type", "keyframe", "name", "up")));
  ck_assert_uint_eq(r.frame.flags, 1);
  NEAR(live_rig_time(&r), 3 + 1.0 / 60, 1e-9);
  NEAR(cdn_state_q(cdni_live_shown(r.live))[0], 2.5, 0.01);
  ck_assert(r.live->past.past[0].time == 3);
  ck_assert_ptr_nonnull(strstr(live_rig_ask(&r, json_pack("{s:s,s:s}", "type", "keyframe", "name", "down")), "up"));
  live_rig_drop(&r);
}
END_TEST

START_TEST(what_cannot_be_pulled_is_refused) {
  view_rig r;
  live_rig_begin(&r);
  cdn_body_def b = cdn_default_body_def();
  b.name = "wall", b.mobilizer = CDN_WELD, b.mass = ball(1);
  const cdn_body wall = cdn_system_add_body(r.system, &b);
  b.name = "ball", b.mobilizer = CDN_FREE;
  const cdn_body free_ball = cdn_system_add_body(r.system, &b);
  const cdn_force damper = cdn_system_add_global_damper(r.system, "damper", 1);
  r.pull = cdn_system_add_perturbation(r.system, NULL);
  live_rig_freeze(&r);
  const cdn_vec3 o = { 0, 0, 0 }, nowhere = { NAN, 0, 0 };
  FAILS(cdn_perturbation_begin(r.state, r.pull, wall, o, o), CDN_ERR_ARG);
  ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "'wall' cannot be pulled"));
  FAILS(cdn_perturbation_begin(r.state, r.pull, cdn_ground(), o, o), CDN_ERR_ARG);
  FAILS(cdn_perturbation_begin(r.state, r.pull, (cdn_body){ 3 }, o, o), CDN_ERR_ARG);
  FAILS(cdn_perturbation_begin(r.state, damper, free_ball, o, o), CDN_ERR_ARG);
  FAILS(cdn_perturbation_begin(r.state, (cdn_force){ 9 }, free_ball, o, o), CDN_ERR_ARG);
  FAILS(cdn_perturbation_begin(r.state, r.pull, free_ball, nowhere, o), CDN_ERR_NONFINITE);
  FAILS(cdn_perturbation_begin(r.state, r.pull, free_ball, o, nowhere), CDN_ERR_NONFINITE);
  FAILS(cdn_perturbation_move(r.state, r.pull, o), CDN_ERR_ARG);
  OK(cdn_perturbation_end(r.state, r.pull));
  OK(cdn_perturbation_begin(r.state, r.pull, free_ball, o, o));
  FAILS(cdn_perturbation_move(r.state, r.pull, nowhere), CDN_ERR_NONFINITE);
  live_rig_drop(&r);
}
END_TEST

/* ---- drags ---- */

/* A four-bar in the x-z plane, of a model file: ground 2, crank 1, coupler 2, rocker 1.5; the crank has limits. */
static const char four_bar[] =
    "<mujoco model='four'><compiler angle='radian'/><worldbody>"
    "<body name='crank'><joint name='a' axis='0 1 0' limited='true' range='-2 2'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 1' size='.05'/>"
    "<body name='coupler' pos='0 0 1'><joint name='b' axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 2 0 0.5' size='.05'/></body></body>"
    "<body name='rocker' pos='2 0 0'><joint name='c' axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 1.5' size='.05'/></body>"
    "</worldbody><equality><connect name='pin' body1='coupler' body2='rocker' anchor='2 0 0.5'/></equality></mujoco>";

static double loop_error(cdn_state *s) {
  const double *error = cdn_state_qerr(s);
  double most = 0;
  for (int i = 0; i < cdn_system_nqerr(cdn_state_system(s)); i++) most = fmax(most, fabs(error[i]));
  return most;
}

START_TEST(a_slider_assembles_the_rest) {
  view_rig r;
  live_rig_load(&r, four_bar, CDN_MODEL_NO_CONTACT);
  r.def.paused = true;
  live_rig_run(&r, NULL);
  ck_assert_int_eq(r.live->state, LIVE_PAUSED);
  for (int i = 0; i <= 40; i++) {
    const double wanted = 0.5 * sin(0.15 * i);
    ck_assert_ptr_null(live_rig_ask(&r, coordinate(0, wanted)));
    cdn_state *s = cdni_live_shown(r.live);
    NEAR(cdn_state_q(s)[0], wanted, 1e-7);
    AT_MOST(loop_error(s), 1e-9);
  }
  ck_assert(number_of(r.model_text, "radius") > 0.5);
  const json_t *first = json_array_get(json_object_get(r.values, "coordinates"), 0);
  NEAR(json_number_value(first), 0.5 * sin(6), 1e-7);
  /* the past has the pose that was left, not those before */
  ck_assert_int_eq(r.live->past.n, 1);
  NEAR(cdn_state_q(r.live->past.past[0].state)[0], 0.5 * sin(6), 1e-7);
  /* beyond the limit it goes as far as the limit */
  for (int i = 0; i < 60; i++) (void)live_rig_ask(&r, coordinate(0, 0.05 * i));
  AT_MOST(cdn_state_q(cdni_live_shown(r.live))[0], 2 + 1e-12);
  AT_MOST(loop_error(cdni_live_shown(r.live)), 1e-9);
  /* and it runs on from there */
  ck_assert_ptr_null(live_rig_ask(&r, plain("run")));
  live_rig_turns(&r, 30);
  ck_assert_int_eq(r.live->state, LIVE_RUNNING);
  AT_MOST(loop_error(cdni_live_shown(r.live)), 1e-4);
  live_rig_drop(&r);
}
END_TEST

START_TEST(a_body_that_is_dragged_takes_the_rest_along) {
  view_rig r;
  live_rig_load(&r, four_bar, CDN_MODEL_NO_CONTACT);
  r.def.paused = true;
  live_rig_run(&r, NULL);
  /* the end of the crank moves on its circle */
  for (int i = 1; i <= 20; i++) {
    const double angle = 0.02 * i;
    ck_assert_ptr_null(live_rig_ask(&r, pull_of(1, cdn_v3(0, 0, 1), cdn_v3(2 * sin(angle), 0, 2 * cos(angle)))));
    cdn_state *s = cdni_live_shown(r.live);
    AT_MOST(loop_error(s), 1e-9);
    NEAR(cdn_state_q(s)[0], angle, 1e-6); /* the direction of the target, though it is too far away */
  }
  ck_assert_ptr_null(live_rig_ask(&r, plain("release")));
  ck_assert_ptr_null(r.live->drag.assembly);
  ck_assert(r.frames > 15);
  live_rig_drop(&r);
}
END_TEST

/* A loop that cannot be closed: a rod that is too long. The pose stays, and the page is told. */
START_TEST(a_pose_that_cannot_be_assembled_is_refused) {
  view_rig r;
  live_rig_begin(&r);
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_SLIDER, b.mass = ball(1);
  const cdn_body slider = cdn_system_add_body(r.system, &b);
  b.mobilizer = CDN_PIN, b.mass = ball(1);
  const cdn_body wheel = cdn_system_add_body(r.system, &b);
  const cdn_constraint rod =
      cdn_system_constrain_rod(r.system, "rod", slider, cdn_v3(0, 3, 0), wheel, cdn_v3(1, 0, 0), 4);
  cdn_system_constrain_coordinate(r.system, "stop", slider, 0, 0);
  live_rig_freeze(&r);
  OK(cdn_body_set_q(r.state, wheel, 1, (double[]){ -PI / 2 }));
  r.def.paused = true;
  live_rig_run(&r, NULL);
  OK(cdn_rod_set(r.live->stepper ? cdn_stepper_state(r.live->stepper) : r.live->now, rod, cdn_v3(0, 3, 0),
                 cdn_v3(1, 0, 0), 9));
  const char *error = live_rig_ask(&r, coordinate(1, 0.5));
  ck_assert_msg(error && strstr(error, "cannot be assembled") && strstr(error, "rod"), "%s", error);
  NEAR(cdn_state_q(cdni_live_shown(r.live))[1], -PI / 2, 0);
  live_rig_drop(&r);
}
END_TEST

/* ---- what is missing ---- */

START_TEST(pages_are_told_what_is_not_simulated) {
  static const char text[] = "<mujoco model='t'><worldbody><body name='b'><joint name='j' axis='0 1 0'/>"
                             "<geom size='.1'/><site name='s'/></body><site name='g'/></worldbody>"
                             "<tendon><rope><site site='s'/><site site='g'/></rope></tendon></mujoco>";
  view_rig r;
  live_rig_load(&r, text, CDN_MODEL_NO_CONTACT);
  live_rig_run(&r, NULL);
  ck_assert_int_ge(r.events, 1);
  ck_assert_str_eq(text_of(r.event, "kind"), "warning");
  ck_assert_msg(strstr(text_of(r.event, "text"), "not simulated: 1 x tendon/rope (line 1)"), "%s",
                text_of(r.event, "text"));
  live_rig_drop(&r);
}
END_TEST

/* ---- another law of contact ---- */

static const char ball_on_floor[] =
    "<mujoco model='floor'><worldbody><geom type='plane' size='5 5 1'/>"
    "<body name='ball' pos='0 0 0.5'><freejoint/><geom type='sphere' size='.2' mass='1'/></body></worldbody>"
    "<actuator/></mujoco>";

static cdn_status build(void *context, int contact, cdn_model **out) {
  cdn_model_options options = cdn_default_model_options();
  (void)context;
  options.contact = contact == 0 ? CDN_MODEL_COMPLIANT : CDN_MODEL_NO_CONTACT;
  return cdn_model_load_string(ball_on_floor, strlen(ball_on_floor), "test", &options, out);
}

START_TEST(the_law_of_contact_changes_while_it_runs) {
  static const char *const laws[] = { "compliant", "none" };
  view_rig r;
  live_rig_load(&r, ball_on_floor, CDN_MODEL_COMPLIANT);
  r.def.contacts = laws, r.def.n_contacts = 2, r.def.build = build;
  live_rig_run(&r, NULL);
  live_rig_turns(&r, 120);
  cdn_state *s = cdni_live_shown(r.live);
  ck_assert(cdn_body_q(s, (cdn_body){ 1 })[6] > 0.1); /* it lies on the floor, or bounces */
  double q[7], u[6];
  memcpy(q, cdn_state_q(s), sizeof q);
  memcpy(u, cdn_state_u(s), sizeof u);
  ck_assert_ptr_null(live_rig_ask(&r, plain("pause")));
  memcpy(q, cdn_state_q(cdni_live_shown(r.live)), sizeof q);
  memcpy(u, cdn_state_u(cdni_live_shown(r.live)), sizeof u);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:s}", "type", "contact", "name", "none")));
  s = cdni_live_shown(r.live);
  ck_assert_mem_eq(cdn_state_q(s), q, sizeof q);
  ck_assert_mem_eq(cdn_state_u(s), u, sizeof u);
  ck_assert_ptr_null(live_rig_ask(&r, plain("run")));
  live_rig_turns(&r, 60);
  ck_assert(cdn_body_q(cdni_live_shown(r.live), (cdn_body){ 1 })[6] < -1); /* it falls through */
  ck_assert_str_eq(text_of(r.status, "contact"), "none");
  /* under the floor contact would shoot the ball out: the run waits, and says why */
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:s}", "type", "contact", "name", "compliant")));
  live_rig_turns(&r, 20);
  ck_assert_str_eq(text_of(r.status, "state"), "paused");
  ck_assert_msg(strstr(text_of(r.status, "note"), "contact would shoot them apart"), "%s", text_of(r.status, "note"));
  /* reset works */
  ck_assert_ptr_null(live_rig_ask(&r, plain("reset")));
  ck_assert_ptr_null(live_rig_ask(&r, plain("run")));
  live_rig_turns(&r, 120);
  ck_assert(cdn_body_q(cdni_live_shown(r.live), (cdn_body){ 1 })[6] > 0.1);
  live_rig_drop(&r);
}
END_TEST

static const char ball_and_bar[] =
    "<mujoco model='floor'><worldbody><geom name='floor' type='plane' size='5 5 1'/>"
    "<body name='ball' pos='0 0 0.5'><freejoint/><geom name='ball' type='sphere' size='.2' mass='1'/></body>"
    "<body name='bar' pos='1 0 0.8'><joint name='bar' axis='0 1 0' stiffness='3'/><geom type='capsule' size='.05 .1' "
    "mass='1'/></body></worldbody><actuator><motor name='motor' joint='bar'/></actuator></mujoco>";

static cdn_status build_bar(void *context, int contact, cdn_model **out) {
  cdn_model_options options = cdn_default_model_options();
  (void)context;
  options.contact = contact == 0 ? CDN_MODEL_COMPLIANT : CDN_MODEL_NO_CONTACT;
  return cdn_model_load_string(ball_and_bar, strlen(ball_and_bar), "test", &options, out);
}

static json_t *contact_law(const char *name) { return json_pack("{s:s,s:s}", "type", "contact", "name", name); }
static double parameter_of(view_rig *r, cdn_element_type type, const char *element, const char *parameter) {
  double value;
  OK(cdn_parameter_get(cdni_live_shown(r->live), type, element, parameter, &value));
  return value;
}

static cdn_force force_of(const cdn_system *system, const char *name) {
  int i;
  i = cdn_system_find_element(system, CDN_ELEMENT_FORCE, name);
  return (cdn_force){ i };
}

/* What people have changed of elements that both Systems have stays, at the present and in the past; what is lost is
 * named. */
START_TEST(another_law_of_contact_keeps_parameters_and_the_past) {
  static const char *const laws[] = { "compliant", "none" };
  view_rig r;
  live_rig_load(&r, ball_and_bar, CDN_MODEL_COMPLIANT);
  r.def.contacts = laws, r.def.n_contacts = 2, r.def.build = build_bar;
  live_rig_run(&r, NULL);
  live_rig_turns(&r, 30);
  const double early = live_rig_time(&r);
  cdn_state *s = cdni_live_shown(r.live);
  double q[8];
  memcpy(q, cdn_state_q(s), sizeof q);
  ck_assert_ptr_null(live_rig_ask(&r, plain("pause")));
  s = cdni_live_edit(r.live);
  const cdn_system *system = cdn_state_system(s);
  OK(cdn_parameter_set(s, CDN_ELEMENT_FORCE, "gravity", "g.z", -1.62));
  OK(cdn_parameter_set(s, CDN_ELEMENT_FORCE, "bar spring", "k", 4.5));
  OK(cdn_parameter_set(s, CDN_ELEMENT_BODY, "ball", "mass", 2.5));
  OK(cdn_parameter_set(s, CDN_ELEMENT_SHAPE, "ball", "radius", 0.3));
  OK(cdn_parameter_set(s, CDN_ELEMENT_SHAPE, "floor", "dynamic_friction", 0.1));
  OK(cdn_force_set_enabled(s, force_of(system, "bar spring"), false));
  OK(cdn_control_set(s, cdn_system_find_control(system, "motor"), 0.25));
  OK(cdn_body_lock(s, (cdn_body){ 2 }, CDN_LEVEL_POSITION));
  ck_assert_ptr_null(live_rig_ask(&r, plain("run")));
  live_rig_turns(&r, 30);
  ck_assert_ptr_null(live_rig_ask(&r, plain("pause")));
  const double later = live_rig_time(&r);
  const int kept = r.live->past.n, events = r.events;
  ck_assert_ptr_null(live_rig_ask(&r, contact_law("none")));
  s = cdni_live_shown(r.live);
  system = cdn_state_system(s);
  ck_assert_int_eq(cdn_system_shape_count(system), 0);
  ck_assert(parameter_of(&r, CDN_ELEMENT_FORCE, "gravity", "g.z") == -1.62);
  ck_assert(parameter_of(&r, CDN_ELEMENT_FORCE, "bar spring", "k") == 4.5);
  ck_assert(parameter_of(&r, CDN_ELEMENT_BODY, "ball", "mass") == 2.5);
  ck_assert(!cdn_force_is_enabled(s, force_of(system, "bar spring")));
  ck_assert(cdn_control_given(s, cdn_system_find_control(system, "motor")) == 0.25);
  ck_assert_int_eq(cdn_body_lock_level(s, (cdn_body){ 2 }), CDN_LEVEL_POSITION);
  ck_assert_int_eq(r.events, events + 2); /* that this model has contact, which is not simulated; and this */
  ck_assert_str_eq(text_of(r.event, "kind"), "event");
  ck_assert_ptr_nonnull(strstr(text_of(r.event, "text"), "with this law of contact "));
  ck_assert_ptr_nonnull(strstr(text_of(r.event, "text"), "shape 'floor': gone; shape 'ball': gone"));
  /* the past is there as it was, before the changes too */
  ck_assert_int_eq(r.live->past.n, kept);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:f}", "type", "seek", "time", early)));
  NEAR(live_rig_time(&r), early, 0.02);
  for (int i = 0; i < 7; i++) NEAR(cdn_state_q(cdni_live_shown(r.live))[i], q[i], 0.05);
  ck_assert(parameter_of(&r, CDN_ELEMENT_FORCE, "gravity", "g.z") == -9.81);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:f}", "type", "seek", "time", later)));
  ck_assert(parameter_of(&r, CDN_ELEMENT_FORCE, "gravity", "g.z") == -1.62);
  /* and back: shapes are new, and the run goes on from there */
  ck_assert_ptr_null(live_rig_ask(&r, contact_law("compliant")));
  ck_assert_int_eq(r.events, events + 3);
  ck_assert_ptr_nonnull(strstr(text_of(r.event, "text"), "shape 'floor': new, with its defaults"));
  ck_assert(parameter_of(&r, CDN_ELEMENT_FORCE, "gravity", "g.z") == -1.62);
  ck_assert(parameter_of(&r, CDN_ELEMENT_SHAPE, "ball", "radius") == 0.2);
  ck_assert_ptr_null(live_rig_ask(&r, plain("run")));
  live_rig_turns(&r, 30);
  ck_assert(live_rig_time(&r) > later);
  ck_assert_ptr_null(live_rig_ask(&r, plain("reset")));
  ck_assert(parameter_of(&r, CDN_ELEMENT_FORCE, "gravity", "g.z") == -9.81);
  live_rig_drop(&r);
}
END_TEST

CHECK_MAIN("hand", a_pull_is_critically_damped, the_hand_puts_mocap_bodies, measures_are_told, a_pull_knows_constraints,
           momentum_that_enters_is_the_impulse, a_pull_checks_out, keyframes_begin_anew,
           what_cannot_be_pulled_is_refused, a_slider_assembles_the_rest, a_body_that_is_dragged_takes_the_rest_along,
           a_pose_that_cannot_be_assembled_is_refused, pages_are_told_what_is_not_simulated,
           the_law_of_contact_changes_while_it_runs, another_law_of_contact_keeps_parameters_and_the_past)
