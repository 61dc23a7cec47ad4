/* Friction against spin and against rolling, and friction that differs along two directions: of contacts with a plane,
 * of shapes, and of models of files. Closed forms. */
#include <cardan/model.h>
#include <stdio.h>

#include "hybrid_scenes.h"

static const double g = 9.81;

/* How a ball of 2 kg lies on a plane: as an element, as shapes, or as a model of a file. */
typedef enum manner { PLANE, SHAPES, FILE_OF_MUJOCO, MANNERS } manner;
typedef struct ball_def {
  double mu, torsional, rolling, slope; /* m, rad: the plane falls along x */
  int condim;
  bool capsule; /* of shapes: as long as it is thick, on two points, along y */
} ball_def;
static const double r = 0.2, m = 2, J = 0.4 * 2 * 0.04;

static cdn_system *scene_of(const ball_def *b, manner how) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(g * sin(b->slope), 0, -g * cos(b->slope)));
  cdn_body_def d = cdn_default_body_def();
  d.name = "ball", d.mobilizer = CDN_FREE, d.mass = (cdn_mass_properties){ m, { 0, 0, 0 }, { J, J, J, 0, 0, 0 } };
  const cdn_body ball = cdn_system_add_body(system, &d);
  if (how == PLANE) {
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.name = "ball on floor", c.b = ball, c.radius = r, c.mu_dynamic = b->mu;
    c.torsional_friction = b->torsional, c.rolling_friction = b->rolling;
    cdn_system_add_rigid_contact(system, &c);
    return system;
  }
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_RIGID;
  cdn_system_set_contact(system, &contact);
  cdn_contact_material material = cdn_default_contact_material();
  material.static_friction = material.dynamic_friction = b->mu;
  material.torsional_friction = b->torsional, material.rolling_friction = b->rolling, material.condim = b->condim;
  cdn_shape_def s = cdn_default_shape_def();
  s.material = &material;
  s.name = "floor", s.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &s);
  s.name = "ball", s.body = ball;
  s.geometry = (cdn_geometry){ .kind = b->capsule ? CDN_GEOMETRY_CAPSULE : CDN_GEOMETRY_SPHERE, .size = { r, r } };
  s.X_BS.R = (cdn_rotation){ { 1, 0, 0 }, { 0, 0, -1 }, { 0, 1, 0 } };
  cdn_system_add_shape(system, &s);
  return system;
}

/* MuJoCo's ball has a free joint, whose speeds are cdn_model's. */
static cdn_state *model_state(const ball_def *b) {
  char text[1000];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='%.17g 0 %.17g'/><worldbody><geom name='floor' type='plane' size='9 9 1'/>"
           "<body name='ball' pos='0 0 .2'><freejoint/><inertial pos='0 0 0' mass='2' diaginertia='.032 .032 .032'/>"
           "<geom name='ball' type='sphere' size='.2' condim='%d' friction='%.17g %.17g %.17g' priority='1'/></body>"
           "</worldbody></mujoco>",
           g * sin(b->slope), -g * cos(b->slope), b->condim, b->mu, b->torsional, b->rolling);
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model;
  cdn_state *state;
  options.contact = CDN_MODEL_RIGID;
  const cdn_status status = cdn_model_load_string(text, strlen(text), "ball.xml", &options, &model);
  cdn_error error;
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  OK(cdn_state_create(cdn_model_system(model), &state));
  cdn_model_destroy(model);
  return state;
}

/* u: w, then v. */
static cdn_state *ball_state(const ball_def *b, manner how, const double u[6]) {
  const double q[] = { 1, 0, 0, 0, 0, 0, r };
  if (how != FILE_OF_MUJOCO) return hybrid_state(scene_of(b, how), q, u);
  cdn_state *state = model_state(b);
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  return state;
}

static void stop_at(cdn_state *state, double t, const double place[2]) {
  cdn_stepper *run = event_run(state, 1e-9);
  cdn_state *now = cdn_stepper_state(run);
  double last = 0;
  while (run_to_event(run, "sticks", t + 1)) last = cdn_state_time(now);
  NEAR(last, t, 1e-7);
  for (int k = 0; k < 2; k++) NEAR(cdn_state_q(now)[4 + k], place[k], 1e-8);
  for (int k = 0; k < 6; k++) NEAR(cdn_state_u(now)[k], 0, 1e-9);
  check_verdict(run);
  end_event_run(run, state);
}

/* A ball that rolls is slowed by rho m g / r of m + J / r^2: at 5 rho g / (7 r). */
START_TEST(a_ball_rolls_to_rest) {
  const ball_def b = { 0.5, 0.01, 0.004, 0, 6, false };
  const double vx = 0.3, vy = 0.4, a = 5 * b.rolling * g / (7 * r), v = 0.5, way = v * v / (2 * a);
  stop_at(ball_state(&b, (manner)_i, (double[]){ -vy / r, vx / r, 0, vx, vy, 0 }), v / a,
          (double[]){ way * vx / v, way * vy / v });
}
END_TEST

/* A capsule rolls on two points, whose moments are the same rows twice: together they have the bound of one. */
START_TEST(a_capsule_rolls_to_rest) {
  const ball_def b = { 0.5, 0.01, 0.004, 0, 6, true };
  const double v = 0.5, a = 5 * b.rolling * g / (7 * r);
  stop_at(ball_state(&b, SHAPES, (double[]){ 0, v / r, 0, v, 0, 0 }), v / a, (double[]){ v * v / (2 * a), 0 });
}
END_TEST

/* A ball that spins in its place stops at J w / (tau m g). */
START_TEST(a_ball_spins_to_rest) {
  const ball_def b = { 0.5, 0.003, 0.001, 0, 4 + 2 * (_i % 2), false };
  const double w = 3;
  stop_at(ball_state(&b, (manner)(_i / 2), (double[]){ 0, 0, w, 0, 0, 0 }), J * w / (b.torsional * m * g),
          (double[]){ 0, 0 });
}
END_TEST

/* On a slope it stays where tan(slope) < rho / r; beyond it rolls with the rest. */
START_TEST(rolling_friction_holds_up_to_its_angle) {
  const double still[6] = { 0 };
  for (int k = 0; k < 5; k++) {
    ball_def b = { 2, 0, 0.002 + 0.01 * k, 0, 6, false };
    const double limit = atan(b.rolling / r);
    for (int over = 0; over < 2; over++) {
      b.slope = limit + (over ? 1e-3 : -1e-6);
      cdn_state *state = ball_state(&b, (manner)_i, still);
      OK_ON(state, cdn_settle(state, 0));
      const double a = over ? (g * sin(b.slope) - b.rolling / r * g * cos(b.slope)) / 1.4 : 0;
      NEAR(cdn_state_udot(state)[3], a, 1e-12);
      NEAR(cdn_state_udot(state)[1], a / r, 1e-11);
      cdn_state_destroy(state);
    }
  }
}
END_TEST

/* condim 1 slides without friction, 3 rolls on and spins on, 4 rolls on and stops to spin. */
START_TEST(condim_says_which_friction_acts) {
  static const int condims[] = { 1, 3, 4, 6 };
  const int condim = condims[_i % 4];
  const ball_def b = { 0.5, 0.01, 0.004, 0, condim, false };
  const double v = 0.5, w = 1, t = 0.1;
  cdn_state *state =
      ball_state(&b, _i < 4 ? SHAPES : FILE_OF_MUJOCO, (double[]){ 0, condim == 1 ? 0 : v / r, w, v, 0, 0 });
  cdn_stepper *run = event_run(state, 1e-9);
  const cdn_state *now = cdn_stepper_state(run);
  while (run_to_event(run, "", t)) continue;
  const double rolls = condim == 6 ? v - 5 * b.rolling * g / (7 * r) * t : v;
  NEAR(cdn_state_u(now)[3], rolls, 1e-9);
  NEAR(cdn_state_q(now)[4], (v + rolls) / 2 * t, 1e-9);
  cdn_spatial V;
  OK_ON(state, cdn_body_velocity(cdn_stepper_state(run), (cdn_body){ 1 }, &V));
  NEAR(V.w.z, condim >= 4 ? w - b.torsional * m * g / J * t : w, 1e-9);
  NEAR(V.w.y, condim == 1 ? 0 : rolls / r, 1e-8);
  end_event_run(run, state);
}
END_TEST

/* A ball that falls and spins: the push of an impact stops spin, too: tau P with P = (1 + e) m v. */
START_TEST(an_impact_rubs_against_spin) {
  const ball_def b = { 0, 0.004, 0, 0, 6, false };
  cdn_system *system = scene_of(&b, PLANE);
  cdn_state *state = hybrid_state(system, (double[]){ 1, 0, 0, 0, 0, 0, r }, (double[]){ 0, 0, 10, 0, 0, -3 });
  OK_ON(state, cdn_settle(state, 0));
  NEAR(cdn_state_u(state)[2], 10 - b.torsional * m * 3 / J, 1e-12);
  const cdn_dry_friction spin = cdn_system_find_dry_friction(cdn_state_system(state), "ball on floor spin");
  NEAR(cdn_dry_friction_get_change(state, spin).impulse[0], -b.torsional * m * 3, 1e-13);
  cdn_state_destroy(state);
}
END_TEST

/* Two frictions of one contact in each of the laws: the same as long as they do not feel each other. */
START_TEST(every_law_of_impact_knows_them) {
  const ball_def b = { 0, 0.004, 0.002, 0, 6, false };
  cdn_system *system = scene_of(&b, PLANE);
  cdn_impact_def impact = cdn_default_impact_def();
  impact.law = (cdn_impact_law)(_i % 3), impact.propagation = (cdn_impact_propagation)(_i / 3);
  cdn_system_set_impact(system, &impact);
  cdn_state *state = hybrid_state(system, (double[]){ 1, 0, 0, 0, 0, 0, r }, (double[]){ 6, 8, 10, 0, 0, -3 });
  OK_ON(state, cdn_settle(state, 0));
  const double P = 3 * m, left = 1 - b.rolling * P / J / 10;
  NEAR(cdn_state_u(state)[2], 10 - b.torsional * P / J, 1e-10);
  NEAR(cdn_state_u(state)[0], 6 * left, 1e-10);
  NEAR(cdn_state_u(state)[1], 8 * left, 1e-10);
  cdn_state_destroy(state);
}
END_TEST

/* Studies: on a slope a ball rests within its angle, held by moments within their bounds. */
START_TEST(studies_respect_rolling_friction) {
  ball_def b = { 2, 0.01, 0.02, 0, 6, false };
  const bool unactuated[6] = { false };
  double f[6], unbalanced = 0;
  b.slope = atan(b.rolling / r) - 1e-3;
  cdn_state *state = ball_state(&b, (manner)_i, (double[6]){ 0 });
  OK_ON(state, cdn_settle(state, 0));
  OK_ON(state, cdn_constrained_inverse_dynamics(state, (double[6]){ 0 }, unactuated, f, NULL, &unbalanced));
  NEAR(unbalanced, 0, 1e-9);
  OK_ON(state, cdn_find_equilibrium(state, NULL, NULL));
  NEAR(cdn_state_q(state)[4], 0, 1e-12);
  /* no moments within their bounds turn it uphill */
  ck_assert_int_eq(cdn_constrained_inverse_dynamics(state, (double[]){ 0, -1, 0, -r, 0, 0 }, unactuated, f, NULL, NULL),
                   CDN_ERR_CONSTRAINT);
  cdn_state_destroy(state);
}
END_TEST

/* ---- elliptic friction ---- */

/* A block slides from rest along the direction e with acceleration a, if gravity along the plane is
 * a e + g mu^2 e / |mu e| (mu: the two coefficients). */
START_TEST(a_block_slides_where_its_ellipse_lets_it) {
  const double mu[] = { 0.3, 0.3 * (_i ? 2.5 : 0.2) }, angle = 0.6, a = 1.2, normal = 8;
  const double e[] = { cos(angle), sin(angle) }, size = hypot(mu[0] * e[0], mu[1] * e[1]);
  double pull[2];
  for (int k = 0; k < 2; k++) pull[k] = a * e[k] + normal * mu[k] * mu[k] * e[k] / size;
  for (int rest = 0; rest < 2; rest++) {
    cdn_system *system = cdn_system_create(NULL);
    const cdn_body block = add_point(system, "block", 3);
    /* at rest the same pull is at the bound: shrunk by a little it holds */
    const double bound = normal / hypot(pull[0] / mu[0], pull[1] / mu[1]) * (1 - 1e-9), by = rest ? bound : 1;
    cdn_system_add_gravity(system, "gravity", cdn_v3(by * pull[0], by * pull[1], -normal));
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.name = "floor", c.b = block, c.mu_dynamic = mu[0], c.mu_ratio = mu[1] / mu[0];
    const cdn_rigid_contact made = cdn_system_add_rigid_contact(system, &c);
    cdn_state *state = hybrid_state(system, NULL, NULL);
    OK_ON(state, cdn_settle(state, 0));
    ck_assert_int_eq(cdn_dry_friction_get_status(state, made.friction), rest ? CDN_FRICTION_STICK : CDN_FRICTION_SLIP);
    for (int k = 0; k < 2; k++) NEAR(cdn_state_udot(state)[k], rest ? 0 : a * e[k], 1e-11);
    cdn_stepper *run = event_run(state, 1e-9);
    while (run_to_event(run, "", 0.7)) continue;
    for (int k = 0; k < 2; k++) NEAR(cdn_state_q(cdn_stepper_state(run))[k], rest ? 0 : 0.5 * a * e[k] * 0.49, 1e-9);
    end_event_run(run, state);
  }
}
END_TEST

/* Derivatives while it slips across: against differences. */
START_TEST(derivatives_of_elliptic_slip) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body block = add_point(system, "block", 3);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.b = block, c.mu_dynamic = 0.3, c.mu_ratio = 2, c.viscous = 0.1;
  cdn_system_add_rigid_contact(system, &c);
  const double u0[] = { 0.7, -0.4, 0 }, h = 1e-5;
  cdn_state *state = hybrid_state(system, NULL, u0);
  double by_u[9], low[3];
  OK_ON(state, cdn_settle(state, 0));
  OK_ON(state, cdn_forward_dynamics_derivatives(state, NULL, by_u, NULL, NULL));
  for (int k = 0; k < 2; k++)
    for (int side = 0; side < 2; side++) {
      double u[3] = { u0[0], u0[1], 0 };
      u[k] += side ? h : -h;
      OK_ON(state, cdn_state_set_u(state, u));
      const double *udot = cdn_state_udot(state);
      if (!side) memcpy(low, udot, sizeof low);
      for (int i = 0; i < 3 && side; i++) NEAR(by_u[i * 3 + k], (udot[i] - low[i]) / (2 * h), 1e-8);
    }
  cdn_state_destroy(state);
}
END_TEST

/* The impulse on a ball that hits slanting, and slides on: mu P against the scaled slip. */
START_TEST(an_impact_goes_by_the_ellipse) {
  const double mu[] = { 0.1, 0.25 }, v[] = { 2, 1.5 };
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body block = add_point(system, "block", 3);
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.b = block, c.mu_dynamic = mu[0], c.mu_ratio = mu[1] / mu[0];
  const cdn_rigid_contact made = cdn_system_add_rigid_contact(system, &c);
  cdn_state *state = hybrid_state(system, NULL, (double[]){ v[0], v[1], -1 });
  OK_ON(state, cdn_settle(state, 0));
  const double *after = cdn_state_u(state), size = hypot(mu[0] * after[0], mu[1] * after[1]);
  const cdn_hybrid_change change = cdn_dry_friction_get_change(state, made.friction);
  for (int k = 0; k < 2; k++) {
    NEAR(after[k], v[k] - mu[k] * mu[k] * after[k] / size, 1e-12); /* P / m = 1 */
    NEAR(change.impulse[k], 3 * (after[k] - v[k]), 1e-12);
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- bad input ---- */

START_TEST(wrong_lengths_are_named) {
  for (int wrong = 0; wrong < 5; wrong++) {
    static const char *const words[] = { "torsional_friction", "rolling_friction", "mu_ratio", "mu_ratio",
                                         "rolling_friction" };
    cdn_system *system = cdn_system_create(NULL);
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.name = "foot", c.b = add_point(system, "block", 3), c.mu_dynamic = 0.3;
    switch (wrong) {
      case 0: c.torsional_friction = -1; break;
      case 1: c.rolling_friction = NAN; break;
      case 2: c.mu_ratio = 0; break;
      case 3: c.mu_ratio = INFINITY; break;
      default: c.rolling_friction = INFINITY;
    }
    cdn_system_add_rigid_contact(system, &c);
    FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
    ck_assert_msg(strstr(cdn_last_error_text(), words[wrong]) && strstr(cdn_last_error_text(), "foot"), "%s",
                  cdn_last_error_text());
    cdn_system_release(system);
  }
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_ball_rolls_to_rest, 0, MANNERS);
  tcase_add_test(c, a_capsule_rolls_to_rest);
  tcase_add_loop_test(c, a_ball_spins_to_rest, 0, 2 * MANNERS);
  tcase_add_loop_test(c, rolling_friction_holds_up_to_its_angle, 0, MANNERS);
  tcase_add_loop_test(c, condim_says_which_friction_acts, 0, 8);
  tcase_add_loop_test(c, studies_respect_rolling_friction, 0, MANNERS);
  tcase_add_test(c, an_impact_rubs_against_spin);
  tcase_add_loop_test(c, every_law_of_impact_knows_them, 0, 9);
  tcase_add_loop_test(c, a_block_slides_where_its_ellipse_lets_it, 0, 2);
  tcase_add_test(c, derivatives_of_elliptic_slip);
  tcase_add_test(c, an_impact_goes_by_the_ellipse);
  tcase_add_test(c, wrong_lengths_are_named);
}

CHECK_MAIN_OF("hybrid turning", 60, add)
