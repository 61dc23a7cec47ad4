/* Forces that keep a reaction at a value (manual 8.7). Closed forms; the first is that of
 * ../shared/hybrid/reference_values.json, constraint_on_a_reaction. */
#include "hybrid_scenes.h"

static const double g = 9.81;

/* A body on a slider along y. */
static cdn_body add_lift(cdn_system *system, const char *name, double m) {
  cdn_body_def d = cdn_default_body_def();
  d.name = name, d.mobilizer = CDN_SLIDER, d.mass.mass = m;
  d.X_PF.R = d.X_BM.R = (cdn_rotation){ { 0, 1, 0 }, { -1, 0, 0 }, { 0, 0, 1 } };
  return cdn_system_add_body(system, &d);
}

static cdn_kept_reaction_def kept_by(cdn_system *system, const char *name, cdn_body body, double value, cdn_keep keep) {
  cdn_kept_reaction_def d = cdn_default_kept_reaction_def();
  d.push = cdn_system_constrain_speed(system, name, body, 0, 0), d.value = value, d.keep = keep;
  return d;
}

/* A winch above a weight of 2 kg, with a rope of 1 m between them; the rope is a constraint, or acts on one side. */
START_TEST(a_winch_keeps_a_rope_at_its_tension) {
  const double m = 2, T = 25;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body weight = add_lift(system, "weight", m), winch = add_lift(system, "winch", 3);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  const cdn_constraint rope =
      cdn_system_constrain_rod(system, "rope", weight, cdn_v3(0, 0, 0), winch, cdn_v3(0, 0, 0), 1);
  cdn_kept_reaction_def d = kept_by(system, "motor", winch, T, CDN_KEEP_EXACTLY);
  d.constraint = rope;
  const cdn_kept_reaction motor = cdn_system_keep_reaction(system, &d);
  if (_i) {
    cdn_one_sided_def taut = cdn_default_one_sided_def();
    taut.constraint = rope, taut.upper = true;
    cdn_system_make_one_sided(system, &taut);
  }
  cdn_state *state = hybrid_state(system, (double[]){ 0, 1 }, NULL);
  double force;
  OK_ON(state, cdn_settle(state, 0));
  ck_assert(cdn_kept_reaction_acts(state, motor));
  NEAR(cdn_state_multipliers(state)[0], T, 1e-13);
  NEAR(cdn_state_udot(state)[0], 2.69, 1e-13);
  OK_ON(state, cdn_kept_reaction_force(state, motor, &force));
  NEAR(force, T + 3 * (g + 2.69), 1e-12);
  check_inverse(state);
  cdn_stepper *run = event_run(state, 1e-9);
  const cdn_state *now = cdn_stepper_state(run);
  while (run_to_event(run, "", 2)) continue;
  NEAR(cdn_state_q(now)[0], 5.38, 1e-9);
  NEAR(cdn_state_q(now)[1], 6.38, 1e-9);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* A ball strikes the weight from below or above. The winch that keeps the tension lets the rope have no impulse, so the
 * weight answers alone and the winch goes along. One that only sees to it that the tension is not less lets the rope
 * pull: a blow from above moves winch and weight together. */
START_TEST(a_kept_rope_has_no_impulse) {
  const double m = 2, M = 3, b = 0.7, e = 0.4, v = 5, side = _i % 2 ? -1 : 1; /* 1: from below */
  const bool exactly = _i < 2, alone = exactly || side > 0;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body weight = add_lift(system, "weight", m), winch = add_lift(system, "winch", M);
  const cdn_body ball = add_lift(system, "ball", b);
  cdn_kept_reaction_def d = kept_by(system, "motor", winch, 25, exactly ? CDN_KEEP_EXACTLY : CDN_KEEP_AT_LEAST);
  d.constraint = cdn_system_constrain_rod(system, "rope", weight, cdn_v3(0, 0, 0), winch, cdn_v3(0, 0, 0), 1);
  cdn_system_keep_reaction(system, &d);
  cdn_function *gap = cdn_function_linear(2, (double[]){ side, -side }, 0);
  cdn_one_sided_def touch = cdn_default_one_sided_def();
  touch.constraint =
      cdn_system_couple_coordinates(system, "touch", gap, 2, (cdn_mobility[]){ { weight, 0 }, { ball, 0 } });
  touch.restitution = e;
  cdn_system_make_one_sided(system, &touch);
  cdn_function_release(gap);
  cdn_state *state = hybrid_state(system, (double[]){ 0, 1, 0 }, (double[]){ 0, 0, side * v });
  OK_ON(state, cdn_settle(state, 0));
  const double all = alone ? m : m + M, P = (1 + e) * v / (1 / b + 1 / all);
  const double *u = cdn_state_u(state);
  NEAR(u[0], side * P / all, 1e-12);
  NEAR(u[1], side * P / all, 1e-12);
  NEAR(u[2], side * (v - P / b), 1e-12);
  cdn_state_destroy(state);
}
END_TEST

/* A tractor of mass a pulls a trailer of mass b with a force that grows; a brake of the tractor, or a motor of the
 * trailer, keeps the bar between them from more than T. F = c t up to t = 4, then it falls as fast. */
START_TEST(a_motor_helps_while_a_bar_is_loaded) {
  const double a = 2, b = 3, c = 5, T = 6;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body tractor = add_slider(system, "tractor", a), trailer = add_slider(system, "trailer", b);
  const cdn_constraint bar =
      cdn_system_constrain_rod(system, "bar", trailer, cdn_v3(0, 0, 0), tractor, cdn_v3(0, 0, 0), 1);
  cdn_kept_reaction_def d = kept_by(system, "help", _i ? tractor : trailer, T, CDN_KEEP_AT_MOST);
  d.constraint = bar;
  const cdn_kept_reaction help = cdn_system_keep_reaction(system, &d);
  cdn_control_def ramp = cdn_default_control_def();
  ramp.name = "pull", ramp.unit = "N";
  const cdn_control control = cdn_system_add_control(system, &ramp);
  cdn_control_follow_samples(system, control, 3, (double[]){ 0, 4, 8 }, (double[]){ 0, 4 * c, 0 });
  cdn_actuator_def pull = cdn_default_actuator_def();
  pull.body = tractor, pull.control = control;
  cdn_system_add_actuator(system, "pull", &pull);
  cdn_state *state = hybrid_state(system, (double[]){ 1, 0 }, NULL);
  cdn_stepper *run = event_run(state, 1e-9);
  cdn_state *now = cdn_stepper_state(run);
  const double t1 = T * (a + b) / (b * c), t2 = 8 - t1, v1 = c * t1 * t1 / (2 * (a + b));
  ck_assert(run_to_event(run, "acts", 8));
  NEAR(cdn_state_time(now), t1, 1e-8);
  NEAR(cdn_state_u(now)[0], v1, 1e-8);
  ck_assert(cdn_kept_reaction_acts(now, help));
  ck_assert(!run_to_event(run, "rests", 3));
  OK_ON(now, cdn_realize(now, CDN_STAGE_ACCELERATION));
  NEAR(cdn_state_multipliers(now)[0], T, 1e-12);
  /* what is not helped keeps its law: the tractor has F - T, or the trailer T */
  NEAR(cdn_state_udot(now)[0], _i ? T / b : (3 * c - T) / a, 1e-11);
  ck_assert(run_to_event(run, "rests", 8));
  NEAR(cdn_state_time(now), t2, 1e-8);
  const double impulse = 2 * (c * 16 / 2 - c * t1 * t1 / 2);
  NEAR(cdn_state_u(now)[0], v1 + (_i ? T * (t2 - t1) / b : (impulse - T * (t2 - t1)) / a), 1e-8);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* A rod hangs on a cart; a motor of the cart keeps the force of the pin along the rod at H. */
START_TEST(a_cart_keeps_the_force_of_a_pin) {
  const double H = 1.5, l = 1;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body cart = add_slider(system, "cart", 2);
  cdn_body_def d = cdn_default_body_def();
  d.name = "rod", d.parent = cart, d.mobilizer = CDN_PIN;
  d.mass = (cdn_mass_properties){ 1, { 0, -l / 2, 0 }, { l * l / 12, l * l / 12, l * l / 12, 0, 0, 0 } };
  const cdn_body rod = cdn_system_add_body(system, &d);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  cdn_kept_reaction_def k = kept_by(system, "motor", cart, 0, CDN_KEEP_EXACTLY);
  k.mobilizer = rod, k.axis = cdn_v3(0, 1, 0), k.value = H;
  cdn_system_keep_reaction(system, &k);
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0.7 }, (double[]){ 0.2, 1 });
  cdn_stepper *run = event_run(state, 1e-9);
  cdn_state *now = cdn_stepper_state(run);
  for (double t = 0; t < 0.2; t += 0.05) {
    cdn_spatial F[3];
    run_to_event(run, "nothing", t);
    OK_ON(now, cdn_realize(now, CDN_STAGE_ACCELERATION));
    OK_ON(now, cdn_calc_reaction_forces(now, cdn_state_udot(now), CDN_REACTION_ON_BODY_AT_M, F));
    const double q = cdn_state_q(now)[1], w = cdn_state_u(now)[1], wdot = cdn_state_udot(now)[1];
    NEAR(-sin(q) * F[2].v.x + cos(q) * F[2].v.y, H, 1e-12);
    /* Euler's and Newton's law of the rod: along it the centre has a_x (-sin q) + a_y cos q = H/m - g cos q */
    const double x = cdn_state_udot(now)[0] + l / 2 * (wdot * cos(q) - w * w * sin(q));
    const double y = l / 2 * (wdot * sin(q) + w * w * cos(q));
    NEAR(-sin(q) * x + cos(q) * y, H - g * cos(q), 1e-11);
  }
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* Derivatives while a tension is kept: against differences. */
START_TEST(derivatives_follow_what_is_kept) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body weight = add_point(system, "weight", 2), winch = add_lift(system, "winch", 3);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  cdn_kept_reaction_def d = kept_by(system, "motor", winch, 25, CDN_KEEP_EXACTLY);
  d.constraint = cdn_system_constrain_rod(system, "rope", weight, cdn_v3(0, 0, 0), winch, cdn_v3(0, 0, 0), 1);
  cdn_system_keep_reaction(system, &d);
  const double q0[] = { 0.6, 0, 0, 0.8 }, u0[] = { 0.8, 0, 0.1, -0.6 };
  cdn_state *state = hybrid_state(system, q0, u0);
  double by_q[16], by_u[16], low[4];
  OK_ON(state, cdn_settle(state, 0));
  OK_ON(state, cdn_forward_dynamics_derivatives(state, by_q, by_u, NULL, NULL));
  for (int k = 0; k < 8; k++) {
    const double h = 1e-5;
    double x[4];
    memcpy(x, k < 4 ? q0 : u0, sizeof x);
    for (int side = 0; side < 2; side++) {
      x[k % 4] = (k < 4 ? q0 : u0)[k % 4] + (side ? h : -h);
      OK_ON(state, k < 4 ? cdn_state_set_q(state, x) : cdn_state_set_u(state, x));
      if (!side) memcpy(low, cdn_state_udot(state), sizeof low);
    }
    for (int i = 0; i < 4; i++)
      NEAR((k < 4 ? by_q : by_u)[i * 4 + k % 4], (cdn_state_udot(state)[i] - low[i]) / (2 * h), 1e-7);
    OK_ON(state, k < 4 ? cdn_state_set_q(state, q0) : cdn_state_set_u(state, u0));
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- bad input ---- */

START_TEST(what_cannot_be_kept_is_named) {
  for (int wrong = 0; wrong < 8; wrong++) {
    cdn_system *system = cdn_system_create(NULL);
    const cdn_body a = add_slider(system, "a", 1), b = add_slider(system, "b", 1);
    const cdn_constraint bar = cdn_system_constrain_rod(system, "bar", a, cdn_v3(0, 0, 0), b, cdn_v3(0, 0, 0), 1);
    cdn_kept_reaction_def d = kept_by(system, "motor", b, 1, CDN_KEEP_EXACTLY);
    d.constraint = bar;
    switch (wrong) {
      case 0: d.equation = 1; break;
      case 1: d.constraint.i = -1; break;
      case 2: d.mobilizer = b; break;
      case 3: d.constraint.i = -1, d.mobilizer = b; break; /* no axis */
      case 4: d.push = bar; break;
      case 5: d.value = NAN; break;
      case 6: d.constraint.i = -1, d.mobilizer = cdn_ground(), d.axis = cdn_v3(1, 0, 0); break;
      default: d.keep = (cdn_keep)3;
    }
    ck_assert_int_eq(cdn_system_keep_reaction(system, &d).i, -1);
    FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
    ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), wrong == 4 ? "bar" : "motor"));
    cdn_system_release(system);
  }
}
END_TEST

/* A motor that the bar does not feel. */
START_TEST(a_force_that_changes_nothing_is_named) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body a = add_slider(system, "a", 1), b = add_slider(system, "b", 1), other = add_slider(system, "other", 1);
  cdn_kept_reaction_def d = kept_by(system, "motor", other, 1, CDN_KEEP_EXACTLY);
  d.constraint = cdn_system_constrain_rod(system, "bar", a, cdn_v3(0, 0, 0), b, cdn_v3(0, 0, 0), 1);
  cdn_system_keep_reaction(system, &d);
  cdn_state *state = hybrid_state(system, (double[]){ 0, 1, 0 }, NULL);
  ck_assert_int_ne(cdn_settle(state, 0), CDN_OK);
  ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "'motor'"));
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_kept_rope_has_no_impulse, 0, 4);
  tcase_add_loop_test(c, a_winch_keeps_a_rope_at_its_tension, 0, 2);
  tcase_add_loop_test(c, a_motor_helps_while_a_bar_is_loaded, 0, 2);
  tcase_add_test(c, a_cart_keeps_the_force_of_a_pin);
  tcase_add_test(c, derivatives_follow_what_is_kept);
  tcase_add_test(c, what_cannot_be_kept_is_named);
  tcase_add_test(c, a_force_that_changes_nothing_is_named);
}

CHECK_MAIN_OF("hybrid kept", 60, add)
