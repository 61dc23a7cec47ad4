/* One System whose pairs of shapes touch in different ways: rigidly, by the springs of compliant contact, by the rows
 * of soft contact. What each carries follows from Newton's and Euler's equations of each body, at rest from statics
 * alone. */
#include "shape_scenes.h"

enum { MODELS = 3 };
static const char *const words[MODELS] = { "compliant", "soft", "rigid" };

/* ---- scenes ---- */

static cdn_system *begin_mixed(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_RIGID, contact.friction = CDN_FRICTION_STICKING;
  cdn_system_set_contact(system, &contact);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  return system;
}

/* What lies on springs would tremble for long. */
static void calm(cdn_system *system) { cdn_system_add_global_damper(system, "calm", 20); }

/* All surfaces have friction 0.3; compliant ones are hard, soft ones give way by about 1e-5 m under 10 N. */
static cdn_shape put(cdn_system *system, const char *name, cdn_body body, cdn_geometry geometry, cdn_vec3 p) {
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = 1e8, m.dissipation = 1, m.static_friction = m.dynamic_friction = 0.3;
  cdn_soft_material soft = cdn_default_soft_material();
  soft.friction[0] = 0.3, soft.law.ref[0] = 0.004, soft.law.imp[0] = soft.law.imp[1] = 0.99;
  cdn_shape_def d = cdn_default_shape_def();
  d.name = name, d.body = body, d.geometry = geometry, d.X_BS.p = p, d.material = &m, d.soft = &soft;
  return cdn_system_add_shape(system, &d);
}
static void touch(cdn_system *system, cdn_shape a, cdn_shape b, cdn_contact_model model) {
  cdn_contact_pair_def d = cdn_default_contact_pair_def();
  d.a = a, d.b = b, d.model = model;
  cdn_system_add_contact_pair(system, &d);
}
static cdn_body add_round(cdn_system *system, const char *name, double m, double J) {
  return add_free(&(shape_scene){ .system = system }, name, m, J, J, J);
}

/* Of equal steps, or by error control where there are none. */
#define STEP 4e-4
static cdn_stepper *run_of(cdn_state *state, double step) {
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-4;
  def.fixed_step = step;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  return run;
}

/* ---- what contacts do to a body ---- */

typedef struct load {
  cdn_vec3 force, moment; /* about the body's origin */
  double by[MODELS];      /* normal forces by model */
  int count[MODELS];
} load;

static load load_on(cdn_state *state, cdn_body body) {
  const cdn_system *system = cdn_state_system(state);
  load out = { .force = { 0, 0, 0 } };
  cdn_transform X;
  int n;
  OK_ON(state, cdn_body_pose(state, body, &X));
  OK_ON(state, cdn_contact_count(state, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    OK_ON(state, cdn_contact_get(state, i, &c));
    const double sign = (cdn_shape_body(system, c.b).i == body.i) - (cdn_shape_body(system, c.a).i == body.i);
    if (sign == 0) continue;
    const cdn_vec3 f = cdn_scale(sign, cdn_add(cdn_scale(c.force, c.normal), c.friction));
    out.force = cdn_add(out.force, f);
    out.moment = cdn_add(out.moment, cdn_add(cdn_cross(cdn_sub(c.point, X.p), f), cdn_scale(sign, c.moment)));
    ck_assert_int_ge((int)c.model, 0);
    ck_assert_int_lt((int)c.model, MODELS);
    out.by[c.model] += c.force, out.count[c.model]++;
  }
  return out;
}

/* m a = m g + F, and J alpha = M, as the inertias are those of balls. */
static void check_newton(cdn_state *state, cdn_body body, double m, double J, double tolerance) {
  cdn_spatial A;
  OK_ON(state, cdn_body_acceleration(state, body, &A));
  const load l = load_on(state, body);
  const cdn_vec3 F = cdn_sub(cdn_scale(m, A.v), cdn_v3(0, 0, -m * g)), M = cdn_scale(J, A.w);
  AT_MOST(cdn_norm(cdn_sub(l.force, F)), tolerance);
  AT_MOST(cdn_norm(cdn_sub(l.moment, M)), tolerance);
}

/* What soft rows keep, and give back, is no part of the energy: no more than what a fall of 1e-4 m takes. */
#define KEPT 4e-3
static double energy_of(cdn_state *state) {
  double kinetic, potential;
  OK_ON(state, cdn_kinetic_energy(state, &kinetic));
  OK_ON(state, cdn_potential_energy(state, &potential));
  return kinetic + potential;
}

/* ---- three ways in one stack ---- */

/* A block stands on the floor, rigidly; a crate stands on it, softly; a ball lies beside the crate, on springs. */
typedef struct stack {
  cdn_state *state;
  cdn_body block, crate, ball;
} stack;
static const double masses[3] = { 5, 2, 1 }, inertias[3] = { 0.05, 0.02, 0.004 }, crate_at = -0.12, ball_at = 0.17;

static stack stack_of(const double *u, const int order[3]) {
  stack s;
  cdn_system *system = begin_mixed();
  if (!u) calm(system);
  cdn_body body[3];
  cdn_shape shape[3];
  static const char *const names[] = { "block", "crate", "ball" };
  const cdn_geometry geometries[] = { box(0.3, 0.2, 0.1), box(0.1, 0.1, 0.1), sphere(0.1) };
  const cdn_shape floor = put(system, "floor", cdn_ground(), half_space(), cdn_v3(0, 0, 0));
  double q[21] = { 0 }, v[18] = { 0 };
  for (int k = 0; k < 3; k++) {
    const int i = order[k];
    const double x[] = { 0, crate_at, ball_at };
    body[i] = add_round(system, names[i], masses[i], inertias[i]);
    shape[i] = put(system, names[i], body[i], geometries[i], cdn_v3(0, 0, 0));
    q[7 * k] = 1, q[7 * k + 4] = x[i], q[7 * k + 6] = i == 0 ? 0.1 : 0.3;
    if (u) v[6 * k + 3] = u[i];
  }
  touch(system, shape[0], floor, CDN_CONTACT_RIGID);
  touch(system, shape[0], shape[1], CDN_CONTACT_SOFT);
  touch(system, shape[2], shape[0], CDN_CONTACT_COMPLIANT);
  s.state = hybrid_state(system, q, v);
  s.block = body[0], s.crate = body[1], s.ball = body[2];
  return s;
}
static const int orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 0, 2 } };

START_TEST(each_way_carries_what_stands_on_it) {
  const stack s = stack_of(NULL, orders[_i / 2]);
  cdn_stepper *run = run_of(s.state, _i % 2 ? STEP : 0);
  OK_STEP(run, cdn_stepper_advance(run, 0.6, NULL));
  cdn_state *now = cdn_stepper_state(run);
  const load block = load_on(now, s.block), crate = load_on(now, s.crate), ball = load_on(now, s.ball);
  const double weight = (masses[0] + masses[1] + masses[2]) * g;
  ck_assert_int_eq(block.count[CDN_CONTACT_RIGID], 4);
  ck_assert_int_eq(block.count[CDN_CONTACT_SOFT], 4);
  ck_assert_int_eq(block.count[CDN_CONTACT_COMPLIANT], 1);
  NEAR(block.by[CDN_CONTACT_RIGID], weight, 1e-4 * weight);
  NEAR(crate.by[CDN_CONTACT_SOFT], masses[1] * g, 1e-4 * weight);
  NEAR(ball.by[CDN_CONTACT_COMPLIANT], masses[2] * g, 1e-4 * weight);
  /* the floor's pushes have the moment of both loads about the block's middle, so that nothing is left */
  AT_MOST(cdn_norm(block.moment), 1e-4 * weight);
  AT_MOST(cdn_norm(crate.moment), 1e-4 * weight);
  end_event_run(run, s.state);
}
END_TEST

/* The block slides to rest with the crate, and the ball rolls on it. Each contact's force is in Newton's equations of
 * its bodies at any time, and nothing gains energy. */
START_TEST(a_stack_slides_to_rest) {
  const double speeds[3] = { 0.5, 0.5, 0.5 };
  const stack s = stack_of(speeds, orders[0]);
  cdn_stepper *run = run_of(s.state, _i ? STEP : 0);
  cdn_state *now = cdn_stepper_state(run);
  double before = energy_of(now);
  for (int k = 1; k <= 10; k++) {
    OK_STEP(run, cdn_stepper_advance(run, 0.03 * k, NULL));
    check_newton(now, s.block, masses[0], inertias[0], 1e-6);
    check_newton(now, s.crate, masses[1], inertias[1], 1e-6);
    check_newton(now, s.ball, masses[2], inertias[2], 1e-6);
    const double energy = energy_of(now);
    AT_MOST(energy - before, KEPT);
    before = energy;
  }
  end_event_run(run, s.state);
}
END_TEST

/* ---- two kinds on one body ---- */

/* A plank of 2 kg on two feet, of which each touches the floor in its own way. */
enum { LEFT, RIGHT };
static const double plank = 2, arm[2] = { -0.3, 0.5 }, foot = 0.05, tall = 0.1;

static cdn_state *plank_of(int left, int right, double speed, double drop) {
  cdn_system *system = begin_mixed();
  if (drop > 0) calm(system);
  const cdn_shape floor = put(system, "floor", cdn_ground(), half_space(), cdn_v3(0, 0, 0));
  cdn_body_def d = cdn_default_body_def();
  d.name = "plank", d.mobilizer = CDN_FREE;
  d.mass = (cdn_mass_properties){ plank, { 0, 0, 0 }, { 0.1, 0.1, 0.1, 0, 0, 0 } };
  const cdn_body body = cdn_system_add_body(system, &d);
  const int model[2] = { left, right };
  for (int side = 0; side < 2; side++)
    for (int k = -1; k <= 1; k += 2) {
      char name[16];
      snprintf(name, sizeof name, "foot %d %d", side, k);
      const cdn_shape shape = put(system, name, body, sphere(foot), cdn_v3(arm[side], 0.2 * k, foot - tall));
      touch(system, shape, floor, (cdn_contact_model)model[side]);
    }
  const double q[7] = { 1, 0, 0, 0, 0, 0, tall + drop }, u[6] = { 0, 0, 0, speed, 0, 0 };
  return hybrid_state(system, q, u);
}

static const int couples[][2] = {
  { CDN_CONTACT_COMPLIANT, CDN_CONTACT_SOFT },  { CDN_CONTACT_COMPLIANT, CDN_CONTACT_RIGID },
  { CDN_CONTACT_SOFT, CDN_CONTACT_COMPLIANT },  { CDN_CONTACT_SOFT, CDN_CONTACT_RIGID },
  { CDN_CONTACT_RIGID, CDN_CONTACT_COMPLIANT }, { CDN_CONTACT_RIGID, CDN_CONTACT_SOFT },
  { CDN_CONTACT_RIGID, CDN_CONTACT_RIGID }
};
enum { COUPLES = sizeof couples / sizeof *couples };

/* Pushes of all feet on one side. */
static void pushes(cdn_state *state, double push[2]) {
  int n;
  push[LEFT] = push[RIGHT] = 0;
  OK_ON(state, cdn_contact_count(state, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    cdn_transform X;
    OK_ON(state, cdn_contact_get(state, i, &c));
    OK_ON(state, cdn_body_pose(state, (cdn_body){ 1 }, &X));
    push[c.point.x > X.p.x ? RIGHT : LEFT] += c.force;
  }
}

/* It is let fall from 1 cm; what hits softly or on springs may bounce. At rest the pushes are those of a lever. */
START_TEST(two_ways_under_one_body_share_its_weight) {
  const int left = couples[_i % COUPLES][LEFT], right = couples[_i % COUPLES][RIGHT];
  const bool equal = _i >= COUPLES;
  cdn_state *state = plank_of(left, right, 0, 0.01);
  cdn_stepper *run = run_of(state, equal ? STEP : 0);
  OK_STEP(run, cdn_stepper_advance(run, 0.6, NULL));
  cdn_state *now = cdn_stepper_state(run);
  const double span = arm[RIGHT] - arm[LEFT], want = plank * g * arm[RIGHT] / span;
  double push[2];
  pushes(now, push);
  /* The plank may have moved by some micrometres, and creeps on soft feet. Error control knows its speed to 1e-4 m/s,
   * which soft feet take away within their time of 4 ms. */
  const double off = equal ? 1e-3 * want : plank * 1e-4 / 0.004;
  ck_assert_msg(fabs(push[LEFT] - want) < off && fabs(push[LEFT] + push[RIGHT] - plank * g) < off,
                "%s, %s: %.9g N and %.9g N, not %.9g and %.9g", words[left], words[right], push[LEFT], push[RIGHT],
                want, plank * g - want);
  check_newton(now, (cdn_body){ 1 }, plank, 0.1, 1e-3);
  end_event_run(run, state);
}
END_TEST

/* Friction is 0.3 under each foot, so it stops after v^2 / (2 mu g), whoever carries how much. Rigid feet stop there to
 * rounding; the others are off by the depth to which they sink, times mu, and creep. What slides softly makes steps
 * with error control short: it has equal ones of two sizes. */
START_TEST(two_ways_under_one_body_slide_to_rest) {
  const int left = couples[_i % COUPLES][LEFT], right = couples[_i % COUPLES][RIGHT];
  const bool soft = left == CDN_CONTACT_SOFT || right == CDN_CONTACT_SOFT;
  const double speed = 0.6, way = speed * speed / (2 * 0.3 * g);
  cdn_state *state = plank_of(left, right, speed, 0);
  cdn_stepper *run = run_of(state, _i >= COUPLES ? STEP : soft ? STEP / 2 : 0);
  cdn_state *now = cdn_stepper_state(run);
  double before = energy_of(now);
  for (int k = 1; k <= 10; k++) {
    OK_STEP(run, cdn_stepper_advance(run, 0.025 * k, NULL));
    check_newton(now, (cdn_body){ 1 }, plank, 0.1, 1e-6);
    AT_MOST(energy_of(now) - before, soft ? KEPT : 2e-5);
    before = energy_of(now);
  }
  const double off = cdn_state_q(now)[4] - way;
  ck_assert_msg(fabs(off) < (left == CDN_CONTACT_RIGID && right == CDN_CONTACT_RIGID ? 1e-6 : 2e-4),
                "%s, %s: off by %.3g m", words[left], words[right], off);
  end_event_run(run, state);
}
END_TEST

/* ---- limits of joints, exact and soft, beside rigid contact ---- */

/* A box stands on the floor, rigidly. On either side an arm of 1 kg hangs at a hinge, as far as its limit lets it: one
 * limit is exact, the other one soft. The limits bear what the arms weigh at their levers; the floor bears all. */
START_TEST(limits_of_both_sorts_hold_beside_rigid_contact) {
  const double lever[2] = { 0.3, 0.4 }, hinge = 0.1, M = 4, m = 1;
  cdn_system *system = begin_mixed();
  cdn_body arm_of[2];
  const cdn_body body = add_round(system, "box", M, 0.05);
  const cdn_shape floor = put(system, "floor", cdn_ground(), half_space(), cdn_v3(0, 0, 0));
  touch(system, floor, put(system, "box", body, box(0.2, 0.2, 0.1), cdn_v3(0, 0, 0)), CDN_CONTACT_RIGID);
  for (int k = 0; k < 2; k++) { /* pins turn about z: a quarter of a turn about x takes it to y */
    const double side = k ? 1 : -1;
    const cdn_rotation about_y = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), -1.5707963267948966);
    cdn_body_def d = cdn_default_body_def();
    d.name = k ? "soft arm" : "arm", d.parent = body, d.mobilizer = CDN_PIN;
    d.X_PF = (cdn_transform){ about_y, { side * hinge, 0, 0.05 } }, d.X_BM.R = about_y;
    d.mass = (cdn_mass_properties){ m,
                                    { side * lever[k], 0, 0 },
                                    { 0.01, lever[k] * lever[k] + 0.01, lever[k] * lever[k] + 0.01, 0, 0, 0 } };
    arm_of[k] = cdn_system_add_body(system, &d);
  }
  cdn_one_sided_def stop = cdn_default_one_sided_def();
  stop.constraint = cdn_system_constrain_coordinate(system, "stop", arm_of[0], 0, 0);
  const cdn_one_sided exact = cdn_system_make_one_sided(system, &stop); /* it falls to where the angle is negative */
  cdn_soft_limit_def limit = cdn_default_soft_limit_def();
  limit.body = arm_of[1], limit.lower = -1, limit.upper = 0, limit.law.ref[0] = 0.01;
  cdn_system_add_soft_limit(system, &limit);
  calm(system);
  cdn_state *state = hybrid_state(system, (double[]){ 1, 0, 0, 0, 0, 0, 0.1, 0, 0 }, NULL);
  cdn_stepper *run = run_of(state, _i ? STEP : 0);
  OK_STEP(run, cdn_stepper_advance(run, 1.5, NULL));
  cdn_state *now = cdn_stepper_state(run);
  double push;
  int n;
  OK_ON(now, cdn_one_sided_push(now, exact, &push));
  NEAR(push, m * g * lever[0], 1e-6);
  OK_ON(now, cdn_soft_count(now, &n));
  ck_assert_int_eq(n, 1);
  cdn_soft_group rows;
  OK_ON(now, cdn_soft_get(now, 0, &rows));
  NEAR(rows.force[0], m * g * lever[1], 1e-4); /* it gives way by an angle whose cosine is as near to 1 */
  const load l = load_on(now, body);
  /* the soft arm still creeps, by less than the accuracy */
  NEAR(l.force.z, (M + 2 * m) * g, 2e-3);
  NEAR(l.moment.y, -m * g * (hinge + lever[1]) + m * g * (hinge + lever[0]), 2e-3);
  end_event_run(run, state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, each_way_carries_what_stands_on_it, 0, 6);
  tcase_add_loop_test(c, a_stack_slides_to_rest, 0, 2);
  tcase_add_loop_test(c, two_ways_under_one_body_share_its_weight, 0, 2 * COUPLES);
  tcase_add_loop_test(c, limits_of_both_sorts_hold_beside_rigid_contact, 0, 2);
  tcase_add_loop_test(c, two_ways_under_one_body_slide_to_rest, 0, 2 * COUPLES);
}

CHECK_MAIN_OF("hybrid mixed", 60, add)
