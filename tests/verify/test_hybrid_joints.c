/* Friction of joints that the force or the moment of the joint presses: a ball joint (three equations), a bead on a
 * wire, bearings that carry a couple. Expected values are closed forms, integrations of equations written here, or
 * the reference values of a pin (../shared/hybrid/reference_values.json). */
#include "hybrid_scenes.h"

static const double g = 9.81;
static cdn_vec3 unit(cdn_vec3 a) { return cdn_scale(1 / cdn_norm(a), a); }
static cdn_rotation rotation_of(const double *q) {
  return cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
}

/* A body whose centre of mass is at `center` from the joint. */
static cdn_body add_body(cdn_system *system, cdn_mobilizer mobilizer, double m, cdn_vec3 center, cdn_vec3 J) {
  cdn_body_def d = cdn_default_body_def();
  d.name = "body", d.mobilizer = mobilizer;
  d.mass = (cdn_mass_properties){ m, center, { J.x, J.y, J.z, 0, 0, 0 } };
  return cdn_system_add_body(system, &d);
}

static void add_gravity(cdn_system *system, cdn_vec3 down) {
  cdn_system_add_gravity(system, "gravity", cdn_scale(g, down));
}

/* Friction of a ball joint of Ground: pressed by its mobilizer, or, if `loop` is a constraint, by that. mu_r: m */
static cdn_dry_friction add_ball_friction(cdn_system *system, cdn_body body, cdn_constraint loop, double mu_r) {
  cdn_dry_friction_def f = cdn_default_dry_friction_def();
  f.slip = cdn_system_constrain_rotation(system, "ball", cdn_ground(), body);
  if (loop.i < 0) f.mobilizer = body;
  else f.reaction = loop;
  f.mu_dynamic = mu_r;
  return cdn_system_add_dry_friction(system, &f);
}

/* On a ball joint at the origin of Ground, or free and held there by a constraint. */
typedef enum held { BY_MOBILIZER, BY_CONSTRAINT, WAYS_OF_HOLDING } held;
static cdn_body add_on_ball(cdn_system *system, held how, double m, cdn_vec3 center, cdn_vec3 J, cdn_constraint *loop) {
  const cdn_vec3 o = cdn_v3(0, 0, 0);
  const cdn_body body = add_body(system, how == BY_MOBILIZER ? CDN_BALL : CDN_FREE, m, center, J);
  *loop = (cdn_constraint){ -1 };
  if (how == BY_CONSTRAINT) *loop = cdn_system_constrain_ball(system, "socket", cdn_ground(), o, body, o);
  return body;
}

/* ---- a ball joint ---- */

/* A ball whose centre is that of the joint: its load is its weight, and so its spin, about any axis, falls linearly. */
START_TEST(a_spin_falls_linearly) {
  static const double accuracy[] = { 2.7e-5, 4.2e-8, 6.5e-10 };
  const double m = 1.7, J = 0.03, mu_r = 0.013;
  for (int k = 0; k < 3; k++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_constraint loop;
    const cdn_body ball = add_on_ball(system, (held)_i, m, cdn_v3(0, 0, 0), cdn_v3(J, J, J), &loop);
    const cdn_dry_friction f = add_ball_friction(system, ball, loop, mu_r);
    add_gravity(system, cdn_v3(0.36, -0.48, 0.8));
    const double w[] = { 2, -3.1, 1.4, 0, 0, 0 }, size = cdn_norm(cdn_v3(w[0], w[1], w[2])), fall = mu_r * m * g / J;
    cdn_state *state = hybrid_state(system, NULL, w);
    cdn_stepper *run = event_run(state, accuracy[k]);
    const cdn_state *now = cdn_stepper_state(run);
    ck_assert(!run_to_event(run, "sticks", 0.3));
    for (int i = 0; i < 3; i++) NEAR(cdn_state_u(now)[i], w[i] * (1 - 0.3 * fall / size), 10 * accuracy[k]);
    ck_assert(run_to_event(run, "sticks", 20));
    NEAR(cdn_state_time(now), size / fall, 3 * accuracy[k]);
    for (int i = 0; i < 3; i++) AT_MOST(fabs(cdn_state_u(now)[i]), 1e-13);
    ck_assert_int_eq(cdn_dry_friction_get_status(now, f), CDN_FRICTION_STICK);
    check_verdict(run);
    end_event_run(run, state);
  }
}
END_TEST

/* The same where a floor presses, under a ball that does not slide on it. */
START_TEST(a_spin_on_a_floor_falls_linearly) {
  const double m = 1.7, J = 0.03, mu_r = 0.013, accuracy = 3.1e-8;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body ball = add_body(system, CDN_FREE, m, cdn_v3(0, 0, 0), cdn_v3(J, J, J));
  cdn_rigid_contact_def floor = cdn_default_rigid_contact_def();
  floor.b = ball;
  cdn_dry_friction_def f = cdn_default_dry_friction_def();
  f.normal = cdn_system_add_rigid_contact(system, &floor).normal;
  f.slip = cdn_system_constrain_rotation(system, "all", cdn_ground(), ball), f.mu_dynamic = mu_r;
  cdn_system_add_dry_friction(system, &f);
  add_gravity(system, cdn_v3(0, 0, -1));
  const double w[] = { 2, -3.1, 1.4, 0, 0, 0 }, size = cdn_norm(cdn_v3(w[0], w[1], w[2])), fall = mu_r * m * g / J;
  cdn_state *state = hybrid_state(system, NULL, w);
  cdn_stepper *run = event_run(state, accuracy);
  ck_assert(run_to_event(run, "sticks", 20));
  NEAR(cdn_state_time(cdn_stepper_state(run)), size / fall, 3 * accuracy);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* In a plane a ball joint is a pin: the same rod comes to rest at the same times and angles. */
START_TEST(a_rod_swings_to_rest_as_on_a_pin) {
  static const double times[] = { 0.8898835255106088, 1.7633067883607196, 2.623945831213008 };
  static const double angles[] = { -1.0626444476579886, 0.9387340148276384, -0.8251872302482391 };
  const double J = 1. / 12, turn = 1.2, axis[] = { 0.48, 0.6, 0.64 }, s = sin(turn / 2);
  /* the rod hangs across the axis about which it swings */
  const cdn_vec3 n = cdn_v3(axis[0], axis[1], axis[2]), down = unit(cdn_cross(n, cdn_v3(0, 0, 1)));
  cdn_system *system = cdn_system_create(NULL);
  cdn_constraint loop;
  const cdn_body rod = add_on_ball(system, (held)_i, 1, cdn_scale(0.5, down), cdn_v3(J, J, J), &loop);
  add_ball_friction(system, rod, loop, 0.02);
  add_gravity(system, down);
  cdn_state *state = hybrid_state(system, (double[]){ cos(turn / 2), s * n.x, s * n.y, s * n.z, 0, 0, 0 }, NULL);
  cdn_stepper *run = event_run(state, 1.7e-9);
  const cdn_state *now = cdn_stepper_state(run);
  for (int k = 0; k < 3; k++) {
    /* where a constraint holds the rod, rounding may let the slip turn back past zero */
    if (_i == BY_MOBILIZER) ck_assert(run_to_event(run, "sticks", 20));
    else ck_assert(!run_to_event(run, "ball jams", times[k]));
    NEAR(cdn_state_time(now), times[k], 1e-8);
    const double *q = cdn_state_q(now), sine = q[1] * n.x + q[2] * n.y + q[3] * n.z;
    NEAR(2 * atan2(sine, q[0]), angles[k], 1e-8);
  }
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* It holds a rod as long as the moment of its weight is within the cone: m g l sin(tilt) <= mu r m g, in any direction.
 */
START_TEST(a_tilted_rod_is_held_up_to_a_limit) {
  const double l = 0.4, mu_r = 0.1, limit = asin(mu_r / l);
  for (int k = 0; k < 12; k++) {
    const double tilt = limit + (k % 2 ? 1e-7 : -1e-7), turn = 0.3 + k;
    cdn_system *system = cdn_system_create(NULL);
    cdn_constraint loop;
    const cdn_body rod = add_on_ball(system, (held)_i, 2, cdn_v3(0, 0, -l), cdn_v3(0.1, 0.1, 0.02), &loop);
    const cdn_dry_friction f = add_ball_friction(system, rod, loop, mu_r);
    add_gravity(system, cdn_v3(0, 0, -1));
    const double s = sin(tilt / 2), q[] = { cos(tilt / 2), s * cos(turn), s * sin(turn), 0, 0, 0, 0 };
    cdn_state *state = hybrid_state(system, q, NULL);
    OK_ON(state, cdn_settle(state, 0));
    ck_assert_int_eq(cdn_dry_friction_get_status(state, f), k % 2 ? CDN_FRICTION_SLIP : CDN_FRICTION_STICK);
    double force[3], out = 0;
    OK_ON(state, cdn_dry_friction_force(state, f, force));
    /* against the moment of the weight, which is along the axis of the tilt */
    NEAR(force[0], -2 * g * fmin(l * sin(tilt), mu_r) * -cos(turn), 1e-6);
    NEAR(force[1], -2 * g * fmin(l * sin(tilt), mu_r) * -sin(turn), 1e-6);
    AT_MOST(fabs(force[2]), 1e-12);
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    for (int i = 0; i < 3; i++) out = fmax(out, fabs(cdn_state_udot(state)[i]));
    if (k % 2 == 0) AT_MOST(out, 1e-12);
    if (k % 2 == 0) check_inverse(state);
    /* and where it has just begun to slip, along its acceleration */
    const double more = sin(limit / 2 + 0.2);
    OK_ON(state,
          cdn_state_set_q(state, (double[]){ cos(limit / 2 + 0.2), more * cos(turn), more * sin(turn), 0, 0, 0, 0 }));
    OK_ON(state, cdn_settle(state, 0));
    ck_assert_int_eq(cdn_dry_friction_get_status(state, f), CDN_FRICTION_SLIP);
    check_inverse(state);
    cdn_state_destroy(state);
  }
}
END_TEST

/* ---- a heavy top with friction: its equations about the joint, in axes of the top ---- */

typedef struct top {
  double m, l, A, C, mu_r; /* A, C: about the joint */
} top;

/* y: the upward vertical in axes of the top, and its angular velocity there. The load m |a + g up| depends on what it
 * slows down, by the square of mu_r: it is found by repetition. */
static void top_rates(const top *t, const double *y, double *rates) {
  const cdn_vec3 up = cdn_v3(y[0], y[1], y[2]), w = cdn_v3(y[3], y[4], y[5]), c = cdn_v3(0, 0, t->l);
  const cdn_vec3 gyro = cdn_cross(w, cdn_v3(t->A * w.x, t->A * w.y, t->C * w.z));
  const cdn_vec3 moment = cdn_sub(cdn_scale(-t->m * g, cdn_cross(c, up)), gyro);
  cdn_vec3 wdot = cdn_v3(0, 0, 0);
  for (int k = 0; k < 40; k++) {
    const cdn_vec3 a = cdn_add(cdn_cross(wdot, c), cdn_cross(w, cdn_cross(w, c)));
    const double load = t->m * cdn_norm(cdn_add(a, cdn_scale(g, up)));
    const cdn_vec3 sum = cdn_sub(moment, cdn_scale(t->mu_r * load / cdn_norm(w), w));
    wdot = cdn_v3(sum.x / t->A, sum.y / t->A, sum.z / t->C);
  }
  const cdn_vec3 turns = cdn_cross(up, w);
  const double all[] = { turns.x, turns.y, turns.z, wdot.x, wdot.y, wdot.z };
  memcpy(rates, all, sizeof all);
}

static void run_top(const top *t, double *y, double time, int steps) {
  const double h = time / steps;
  for (int n = 0; n < steps; n++) {
    double k[4][6], at[6];
    for (int s = 0; s < 4; s++) {
      const double by = s == 0 ? 0 : s == 3 ? h : h / 2;
      for (int i = 0; i < 6; i++) at[i] = y[i] + (s ? by * k[s - 1][i] : 0);
      top_rates(t, at, k[s]);
    }
    for (int i = 0; i < 6; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

START_TEST(a_top_precesses_and_slows_down) {
  const top t = { .m = 0.8, .l = 0.11, .A = 0.012, .C = 0.004, .mu_r = 3e-3 };
  const double tilt = 0.4, s = sin(tilt / 2), q[] = { cos(tilt / 2), s, 0, 0, 0, 0, 0 }, time = 0.7;
  const double offset = t.m * t.l * t.l;
  cdn_system *system = cdn_system_create(NULL);
  cdn_constraint loop;
  const cdn_body body =
      add_on_ball(system, (held)_i, t.m, cdn_v3(0, 0, t.l), cdn_v3(t.A - offset, t.A - offset, t.C), &loop);
  add_ball_friction(system, body, loop, t.mu_r);
  add_gravity(system, cdn_v3(0, 0, -1));
  /* it spins about its axis, and a little across */
  const double w0[] = { 0.5, 1.3, 60 };
  const cdn_rotation R = rotation_of(q);
  const cdn_vec3 w = cdn_rotate(R, cdn_v3(w0[0], w0[1], w0[2]));
  cdn_state *state = hybrid_state(system, q, (double[]){ w.x, w.y, w.z, 0, 0, 0 });
  OK_ON(state, cdn_settle(state, 0));
  check_inverse(state);
  cdn_stepper *run = event_run(state, 3.3e-10);
  const cdn_state *now = cdn_stepper_state(run);
  ck_assert(!run_to_event(run, "sticks", time));
  double y[] = { R.x.z, R.y.z, R.z.z, w0[0], w0[1], w0[2] };
  run_top(&t, y, time, 20000); /* to 1e-11, by comparison with half as many */
  const cdn_rotation Q = rotation_of(cdn_state_q(now));
  NEAR(Q.x.z, y[0], 1e-8);
  NEAR(Q.y.z, y[1], 1e-8);
  NEAR(Q.z.z, y[2], 1e-8);
  const double *u = cdn_state_u(now);
  const cdn_vec3 own = cdn_rotate_inv(Q, cdn_v3(u[0], u[1], u[2]));
  NEAR(own.x, y[3], 1e-6);
  NEAR(own.y, y[4], 1e-6);
  NEAR(own.z, y[5], 1e-6);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* An arm is hit: the impulse of the joint rubs. From rest the arm turns about one axis, and so all is linear in the
 * impulse p of the contact: J w = p (|a x n| - mu r). */
START_TEST(a_ball_joint_rubs_in_an_impact) {
  const double m = 0.7, v = 3, e = 0.35, J = 0.5, mu_r = 0.06;
  const cdn_vec3 arm = cdn_v3(0.2, -0.3, 0.1), n = unit(cdn_v3(0.3, 0.5, 0.8)), lever = cdn_cross(arm, n);
  cdn_system *system = cdn_system_create(NULL);
  cdn_constraint loop;
  const cdn_body body = add_on_ball(system, (held)_i, 2, cdn_v3(0, 0, 0), cdn_v3(J, J, J), &loop);
  const cdn_dry_friction f = add_ball_friction(system, body, loop, mu_r);
  const cdn_body point = add_point(system, "point", m);
  cdn_rigid_contact_def contact = cdn_default_rigid_contact_def();
  contact.a = body, contact.b = point, contact.X_AP = (cdn_transform){ cdn_rotation_z_to(n), arm };
  contact.restitution = e;
  cdn_system_add_rigid_contact(system, &contact);
  double q[10] = { 1 }, u[9] = { 0 };
  const int at_q = _i == BY_MOBILIZER ? 4 : 7, at_u = _i == BY_MOBILIZER ? 3 : 6;
  q[at_q] = arm.x, q[at_q + 1] = arm.y, q[at_q + 2] = arm.z;
  u[at_u] = -v * n.x, u[at_u + 1] = -v * n.y, u[at_u + 2] = -v * n.z;
  cdn_state *state = hybrid_state(system, q, u);
  OK_ON(state, cdn_settle(state, 0));
  const double length = cdn_norm(lever), p = (1 + e) * v / (1 / m + length * (length - mu_r) / J);
  const cdn_vec3 w = cdn_scale(-p * (length - mu_r) / length / J, lever);
  const double *now = cdn_state_u(state);
  NEAR(now[0], w.x, 1e-12);
  NEAR(now[1], w.y, 1e-12);
  NEAR(now[2], w.z, 1e-12);
  const cdn_hybrid_change change = cdn_dry_friction_get_change(state, f);
  NEAR(change.impulse[0], mu_r * p * lever.x / length, 1e-12);
  NEAR(change.impulse[1], mu_r * p * lever.y / length, 1e-12);
  NEAR(change.impulse[2], mu_r * p * lever.z / length, 1e-12);
  NEAR(change.energy, mu_r * p * cdn_norm(w) / 2, 1e-12); /* P . (0 + w) / 2 */
  cdn_state_destroy(state);
}
END_TEST

/* ---- a bead on a wire ---- */

/* On a wire that is tilted by `slope` and turns about the vertical with W the bead at s needs
 *   N = m |(W^2 s cos(slope) along the horizontal, g up, 2 W v cos(slope) across) without its part along the wire|. */
START_TEST(a_bead_slides_on_a_wire) {
  const double m = 0.6, mu = 0.3, W = 2, slope = 0.5, c = cos(slope), sn = sin(slope), s0 = 0.2, v0 = 2.5;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.name = "turntable", d.mobilizer = CDN_PIN;
  d.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  const cdn_body table = cdn_system_add_body(system, &d), bead = add_point(system, "bead", m);
  cdn_system_constrain_speed(system, "turns", table, 0, W);
  add_gravity(system, cdn_v3(0, 0, -1));
  const cdn_vec3 o = cdn_v3(0, 0, 0), wire = cdn_v3(c, 0, sn);
  cdn_dry_friction_def f = cdn_default_dry_friction_def();
  f.reaction = cdn_system_constrain_point_on_line(system, "wire", table, wire, o, bead, o);
  f.slip = cdn_system_constrain_slip_on_line(system, "rubs", table, wire, bead, o), f.mu_dynamic = mu;
  cdn_system_add_dry_friction(system, &f);
  const double v = v0 * c;
  cdn_state *state = hybrid_state(system, (double[]){ 0, s0 * c, 0, s0 * sn }, (double[]){ W, v, W * s0 * c, v0 * sn });
  OK_ON(state, cdn_settle(state, 0));
  check_inverse(state);
  cdn_stepper *run = event_run(state, 4.7e-10);
  const cdn_state *now = cdn_stepper_state(run);
  ck_assert(!run_to_event(run, "sticks", 0.15));
  double s = s0, speed = v0;
  const int steps = 4000;
  for (int n = 0; n < steps; n++) {
    const double h = 0.15 / steps;
    double k[4], l[4];
    for (int i = 0; i < 4; i++) {
      const double by = i == 0 ? 0 : i == 3 ? h : h / 2, at = s + (i ? by * l[i - 1] : 0);
      l[i] = speed + (i ? by * k[i - 1] : 0);
      /* across the wire in its plane, and out of it; along it what moves the bead */
      const double in = W * W * at * c * sn + g * c, out = 2 * W * l[i] * c;
      k[i] = W * W * at * c * c - g * sn - mu * hypot(in, out);
    }
    s += h / 6 * (l[0] + 2 * l[1] + 2 * l[2] + l[3]), speed += h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]);
  }
  const double *q = cdn_state_q(now);
  NEAR(cdn_norm(cdn_v3(q[1], q[2], q[3])), s, 1e-9);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- bearings that carry a couple ---- */

/* A wheel at the end of its axle: the bearing carries its weight, and the moment of that, d m g, over its length L. */
START_TEST(a_wheel_beside_its_bearing) {
  const double m = 3, J = 0.4, d = 0.15, L = 0.08, mu_r = 0.004, w0 = 5;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body wheel = add_body(system, CDN_PIN, m, cdn_v3(0, 0, d), cdn_v3(J, J, J)); /* about z */
  add_gravity(system, cdn_v3(0.6, -0.8, 0));
  cdn_dry_friction_def f = cdn_default_dry_friction_def();
  f.slip = cdn_system_constrain_speed(system, "bearing", wheel, 0, 0);
  f.mobilizer = wheel, f.mu_dynamic = mu_r, f.moment_length = L;
  cdn_system_add_dry_friction(system, &f);
  cdn_state *state = hybrid_state(system, NULL, (double[]){ w0 });
  cdn_stepper *run = event_run(state, 5.3e-9);
  const cdn_state *now = cdn_stepper_state(run);
  const double N = m * g * hypot(1, d / L), a = mu_r * N / J;
  ck_assert(!run_to_event(run, "sticks", 1));
  NEAR(cdn_state_u(now)[0], w0 - a, 1e-8);
  ck_assert(run_to_event(run, "sticks", 100));
  NEAR(cdn_state_time(now), w0 / a, 1e-7);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* A sledge on a rail along x whose centre of mass is at height h above it and d before it: as it slows down, h a adds
 * to the moment d g. a = mu sqrt(g^2 + ((d g + h a) / L)^2) */
START_TEST(a_tall_sledge_on_a_rail) {
  const double m = 2, h = 0.3, d = 0.1, L = 0.25, mu = 0.2;
  for (int k = 0; k < 2; k++) {
    const double side = k ? -1 : 1; /* it runs to the one side or the other */
    cdn_system *system = cdn_system_create(NULL);
    const cdn_body sledge = add_body(system, CDN_SLIDER, m, cdn_v3(d, h, 0), cdn_v3(0.1, 0.1, 0.1));
    add_gravity(system, cdn_v3(0, -1, 0));
    cdn_dry_friction_def f = cdn_default_dry_friction_def();
    f.slip = cdn_system_constrain_speed(system, "rail", sledge, 0, 0);
    f.mobilizer = sledge, f.axis = cdn_v3(1, 0, 0), f.mu_dynamic = mu, f.moment_length = L;
    cdn_system_add_dry_friction(system, &f);
    cdn_state *state = hybrid_state(system, NULL, (double[]){ 2 * side });
    OK_ON(state, cdn_settle(state, 0));
    double a = mu * g;
    for (int n = 0; n < 100; n++) a = mu * hypot(g, (d * g + side * h * a) / L);
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    NEAR(cdn_state_udot(state)[0], -side * a, 1e-12);
    check_inverse(state);
    cdn_state_destroy(state);
  }
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_spin_falls_linearly, 0, WAYS_OF_HOLDING);
  tcase_add_test(c, a_spin_on_a_floor_falls_linearly);
  tcase_add_loop_test(c, a_rod_swings_to_rest_as_on_a_pin, 0, WAYS_OF_HOLDING);
  tcase_add_loop_test(c, a_tilted_rod_is_held_up_to_a_limit, 0, WAYS_OF_HOLDING);
  tcase_add_loop_test(c, a_top_precesses_and_slows_down, 0, WAYS_OF_HOLDING);
  tcase_add_loop_test(c, a_ball_joint_rubs_in_an_impact, 0, WAYS_OF_HOLDING);
  tcase_add_test(c, a_bead_slides_on_a_wire);
  tcase_add_test(c, a_wheel_beside_its_bearing);
  tcase_add_test(c, a_tall_sledge_on_a_rail);
}

CHECK_MAIN_OF("hybrid joints", 60, add)
