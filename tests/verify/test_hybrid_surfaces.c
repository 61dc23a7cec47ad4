/* Surfaces that run over their bodies, in rigid contact of shapes: belts and turntables. Closed forms. */
#include "hybrid_scenes.h"

static const double g = 9.81, r = 0.2, m = 2, J = 0.4 * 2 * 0.04;

/* A floor whose surface runs, and a ball or a box on it; `swapped`: the floor is the later shape. */
typedef struct floor_def {
  cdn_vec3 velocity, spin;
  double mu, torsional;
  bool box, swapped;
} floor_def;

static cdn_system *scene_of(const floor_def *f) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_RIGID;
  cdn_system_set_contact(system, &contact);
  cdn_body_def d = cdn_default_body_def();
  d.name = "thing", d.mobilizer = CDN_FREE, d.mass = (cdn_mass_properties){ m, { 0, 0, 0 }, { J, J, J, 0, 0, 0 } };
  const cdn_body thing = cdn_system_add_body(system, &d);
  cdn_contact_material material = cdn_default_contact_material();
  material.static_friction = material.dynamic_friction = f->mu, material.torsional_friction = f->torsional;
  cdn_shape_def floor = cdn_default_shape_def(), on = floor;
  floor.name = "floor", floor.geometry.kind = CDN_GEOMETRY_HALF_SPACE, floor.material = &material;
  floor.surface_velocity = f->velocity, floor.surface_spin = f->spin;
  on.name = "thing", on.body = thing, on.material = &material;
  on.geometry = (cdn_geometry){ .kind = f->box ? CDN_GEOMETRY_BOX : CDN_GEOMETRY_SPHERE, .size = { r, r, r } };
  if (!f->swapped) cdn_system_add_shape(system, &floor);
  cdn_system_add_shape(system, &on);
  if (f->swapped) cdn_system_add_shape(system, &floor);
  return system;
}

static cdn_state *start(const floor_def *f, double x, double y, const double *u) {
  return hybrid_state(scene_of(f), (double[]){ 1, 0, 0, 0, x, y, r }, u);
}

/* A box that lies down on a belt is dragged along, and then carried. */
START_TEST(a_belt_carries_a_box) {
  const floor_def f = { .velocity = { 0.6, -0.8, 0 }, .mu = 0.25, .box = true, .swapped = _i };
  cdn_state *state = start(&f, 0, 0, NULL);
  cdn_stepper *run = event_run(state, 1e-9);
  cdn_state *now = cdn_stepper_state(run);
  const double t = 1 / (f.mu * g), end = 1.5;
  double last = 0;
  while (run_to_event(run, "sticks", end)) last = cdn_state_time(now);
  NEAR(last, t, 1e-7);
  for (int k = 0; k < 2; k++) {
    const double v = k ? f.velocity.y : f.velocity.x;
    NEAR(cdn_state_u(now)[3 + k], v, 1e-9);
    NEAR(cdn_state_q(now)[4 + k], v * (end - t / 2), 1e-7);
  }
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* A ball is set down on a belt: it slips until it rolls, at 2/7 of the belt's speed. */
START_TEST(a_belt_sets_a_ball_rolling) {
  const floor_def f = { .velocity = { 0.6, -0.8, 0 }, .mu = 0.25, .swapped = _i };
  cdn_state *state = start(&f, 0, 0, NULL);
  cdn_stepper *run = event_run(state, 1e-9);
  cdn_state *now = cdn_stepper_state(run);
  ck_assert(run_to_event(run, "sticks", 2));
  NEAR(cdn_state_time(now), 1 / (3.5 * f.mu * g), 1e-8);
  while (run_to_event(run, "", 1)) continue;
  NEAR(cdn_state_u(now)[3], 0.6 * 2 / 7, 1e-8);
  NEAR(cdn_state_u(now)[4], -0.8 * 2 / 7, 1e-8);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* A ball that rolls on a turntable runs on a circle, with 2/7 of the table's angular velocity (E. J. Routh, Advanced
 * rigid dynamics, 1905). It rolls: v - r (w_y, -w_x) = W z x p. */
START_TEST(a_ball_circles_on_a_turntable) {
  const double W = 3, v[] = { 0.2, 0.1 }, x = 0.3, y = -0.1, s = 2 * W / 7, t = 5;
  const floor_def f = { .spin = { 0, 0, W }, .mu = 0.9, .swapped = _i };
  const double w[] = { -(v[1] - W * x) / r, (v[0] + W * y) / r };
  cdn_state *state = start(&f, x, y, (double[]){ w[0], w[1], 0.7, v[0], v[1], 0 });
  cdn_stepper *run = event_run(state, 1e-10);
  cdn_state *now = cdn_stepper_state(run);
  while (run_to_event(run, "", t)) ck_assert_int_ne(cdn_dry_friction_get_status(now, (cdn_dry_friction){ 0 }), 2);
  const double c = cos(s * t), n = sin(s * t);
  NEAR(cdn_state_u(now)[3], v[0] * c - v[1] * n, 1e-8);
  NEAR(cdn_state_u(now)[4], v[0] * n + v[1] * c, 1e-8);
  NEAR(cdn_state_q(now)[4], x + (v[0] * n - v[1] * (1 - c)) / s, 1e-8);
  NEAR(cdn_state_q(now)[5], y + (v[0] * (1 - c) + v[1] * n) / s, 1e-8);
  cdn_spatial V;
  OK_ON(now, cdn_body_velocity(now, (cdn_body){ 1 }, &V));
  NEAR(V.w.z, 0.7, 1e-9);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* In the middle of a turntable friction against spin takes a ball along, until it turns with the table. */
START_TEST(a_turntable_spins_a_ball) {
  const floor_def f = { .spin = { 0, 0, 3 }, .mu = 0.9, .torsional = 0.002 };
  cdn_state *state = start(&f, 0, 0, NULL);
  cdn_stepper *run = event_run(state, 1e-9);
  const cdn_state *now = cdn_stepper_state(run);
  ck_assert(run_to_event(run, "sticks", 5));
  NEAR(cdn_state_time(now), J * 3 / (f.torsional * m * g), 1e-7);
  while (run_to_event(run, "", 5)) continue;
  NEAR(cdn_state_u(now)[2], 3, 1e-9);
  NEAR(cdn_state_q(now)[4], 0, 1e-9);
  end_event_run(run, state);
}
END_TEST

/* The speed of a belt that a program sets at once: friction turns round. */
START_TEST(a_belt_is_turned_round) {
  const floor_def f = { .velocity = { 1, 0, 0 }, .mu = 0.25, .box = true };
  cdn_state *state = start(&f, 0, 0, (double[]){ 0, 0, 0, 1, 0, 0 });
  OK_ON(state, cdn_settle(state, 0));
  NEAR(cdn_state_udot(state)[3], 0, 1e-12);
  OK_ON(state, cdn_shape_set_surface_velocity(state, (cdn_shape){ 0 }, cdn_v3(-1, 0, 0), cdn_v3(0, 0, 0)));
  OK_ON(state, cdn_settle(state, 0));
  NEAR(cdn_state_udot(state)[3], -f.mu * g, 1e-11);
  cdn_state_destroy(state);
}
END_TEST

/* Of a ball that rolls or slips on a turntable, by its place: against differences. */
START_TEST(derivatives_know_the_place_on_a_turntable) {
  const floor_def f = { .spin = { 0, 0, 2 }, .mu = 0.2 };
  for (int sticks = 0; sticks < 2; sticks++) {
    const double x = 0.3, y = -0.1, W = 2, v[] = { 0.2, 0.1 }, h = 1e-5;
    const double u[] = { sticks ? -(v[1] - W * x) / r : 0.5, sticks ? (v[0] + W * y) / r : 0.3, 0.7, v[0], v[1], 0 };
    const double q[] = { 1, 0, 0, 0, x, y, r };
    cdn_state *state = start(&f, x, y, u);
    double by_q[36], low[6];
    OK_ON(state, cdn_settle(state, 0));
    ck_assert_int_eq(cdn_dry_friction_get_status(state, (cdn_dry_friction){ 0 }), sticks ? 1 : 2);
    OK_ON(state, cdn_forward_dynamics_derivatives(state, by_q, NULL, NULL, NULL));
    for (int k = 0; k < 2; k++)
      for (int side = 0; side < 2; side++) {
        double at[7];
        memcpy(at, q, sizeof at);
        at[4 + k] += side ? h : -h;
        OK_ON(state, cdn_state_set_q(state, at));
        const double *udot = cdn_state_udot(state);
        if (!side) memcpy(low, udot, sizeof low);
        for (int i = 0; i < 6 && side; i++)
          NEAR(by_q[i * 6 + 3 + k], (udot[i] - low[i]) / (2 * h), 1e-8 * (1 + fabs(by_q[i * 6 + 3 + k])));
      }
    cdn_state_destroy(state);
  }
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_belt_carries_a_box, 0, 2);
  tcase_add_loop_test(c, a_belt_sets_a_ball_rolling, 0, 2);
  tcase_add_loop_test(c, a_ball_circles_on_a_turntable, 0, 2);
  tcase_add_test(c, a_turntable_spins_a_ball);
  tcase_add_test(c, a_belt_is_turned_round);
  tcase_add_test(c, derivatives_know_the_place_on_a_turntable);
}

CHECK_MAIN_OF("hybrid surfaces", 60, add)
