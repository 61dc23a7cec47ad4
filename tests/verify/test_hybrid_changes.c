/* What the last moment did to each element: statuses before and after, impulses, and the energy that they took. */
#include <cardan/deliver.h>

#include "hybrid_scenes.h"

static cdn_rigid_contact add_floor(cdn_system *system, const char *name, cdn_body b, cdn_vec3 p_B, double e,
                                   double mu) {
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.name = name, c.b = b, c.p_B = p_B, c.restitution = e, c.mu_dynamic = mu;
  return cdn_system_add_rigid_contact(system, &c);
}

static void check_nothing(cdn_hybrid_change c, int status) {
  ck_assert_int_eq(c.before, status);
  ck_assert_int_eq(c.after, status);
  ck_assert(c.impulse[0] == 0 && c.impulse[1] == 0 && c.energy == 0 && c.what == NULL);
}

/* A point of mass m hits the floor with (vx, 0, -v) and slips all the time: P = m (1 + e) v, friction mu P. */
START_TEST(a_point_that_slips_while_it_bounces) {
  const double m = 2, e = 0.5, mu = 0.2, v = 3, vx = 4, P = m * (1 + e) * v, slower = mu * P / m;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body ball = add_point(system, "ball", m), other = add_point(system, "other", m);
  const cdn_rigid_contact hit = add_floor(system, "floor", ball, cdn_v3(0, 0, 0), e, mu),
                          far = add_floor(system, "far floor", other, cdn_v3(0, 0, 0), e, mu);
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0, 0, 0, 0, 1 }, (double[]){ vx, 0, -v, 0, 0, 0 });
  OK_ON(state, cdn_state_set_time(state, 7));
  check_nothing(cdn_one_sided_get_change(state, hit.normal), 0); /* no moment has been solved */
  ck_assert(cdn_one_sided_get_change(state, hit.normal).time == 0);
  OK_ON(state, cdn_settle(state, 0));
  const cdn_hybrid_change normal = cdn_one_sided_get_change(state, hit.normal),
                          friction = cdn_dry_friction_get_change(state, hit.friction);
  ck_assert(normal.time == 7 && friction.time == 7);
  ck_assert_int_eq(normal.before, 0);
  ck_assert_int_eq(normal.after, 0); /* it is on its way up */
  ck_assert_int_eq(friction.after, CDN_FRICTION_OFF);
  ck_assert_str_eq(normal.what, "bounces");
  ck_assert_str_eq(friction.what, "rubs");
  NEAR(normal.impulse[0], P, 1e-14 * P);
  NEAR(hypot(friction.impulse[0], friction.impulse[1]), mu * P, 1e-14 * P);
  NEAR(normal.energy, 0.5 * m * v * v * (1 - e * e), 1e-13);
  NEAR(friction.energy, 0.5 * m * (vx * vx - (vx - slower) * (vx - slower)), 1e-13);
  NEAR(cdn_hybrid_get_totals(state).impact_energy, normal.energy + friction.energy, 1e-13);
  check_nothing(cdn_one_sided_get_change(state, far.normal), 0);
  check_nothing(cdn_dry_friction_get_change(state, far.friction), CDN_FRICTION_OFF);
  check_nothing(cdn_one_sided_get_change(state, (cdn_one_sided){ 2 }), 0);
  check_nothing(cdn_dry_friction_get_change(state, (cdn_dry_friction){ -1 }), 0);
  check_nothing(cdn_one_sided_get_change(NULL, hit.normal), 0);
  cdn_state_destroy(state);
}
END_TEST

/* A plate lands on its four corners at once, with friction, while it turns: what the contacts take one by one is what
 * the whole has lost. */
START_TEST(parts_are_the_whole) {
  const double m = 1, J = 1. / 12, v = 2;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.name = "plate", d.mobilizer = CDN_FREE, d.mass = (cdn_mass_properties){ m, cdn_v3(0, 0, 0), { J, J, J, 0, 0, 0 } };
  const cdn_body plate = cdn_system_add_body(system, &d);
  const double corners[][2] = { { 0.5, 0.1 }, { -0.5, 0.1 }, { 0.5, -0.1 }, { -0.5, -0.1 } };
  cdn_rigid_contact contacts[4];
  for (int i = 0; i < 4; i++)
    contacts[i] = add_floor(system, NULL, plate, cdn_v3(corners[i][0], corners[i][1], 0), 0.1 * i, 0.3);
  cdn_state *state =
      hybrid_state(system, (double[]){ 1, 0, 0, 0, 0, 0, 0 }, (double[]){ 0.1, 1.5, 0.2, 0.7, -0.3, -v });
  double before, after, sum = 0;
  OK_ON(state, cdn_kinetic_energy(state, &before));
  OK_ON(state, cdn_settle(state, 0));
  OK_ON(state, cdn_kinetic_energy(state, &after));
  for (int i = 0; i < 4; i++) {
    const cdn_hybrid_change normal = cdn_one_sided_get_change(state, contacts[i].normal);
    ck_assert(normal.impulse[0] >= 0);
    sum += normal.energy + cdn_dry_friction_get_change(state, contacts[i].friction).energy;
  }
  ck_assert(before - after > 0.1);
  NEAR(sum, before - after, 1e-13 * before);
  cdn_state_destroy(state);
}
END_TEST

typedef struct seen {
  int bounces, attempt;
  double moments, impulses[2], times[2];
} seen;

static cdn_status look(void *context, cdn_stepper *stepper, int attempt) {
  seen *s = context;
  const cdn_state *state = cdn_stepper_state(stepper);
  const double moments = cdn_hybrid_get_totals(state).moments;
  const cdn_hybrid_change c = cdn_one_sided_get_change(state, (cdn_one_sided){ 0 });
  if (attempt != s->attempt) *s = (seen){ .attempt = attempt };
  if (moments == s->moments) return CDN_OK;
  s->moments = moments;
  if (c.impulse[0] == 0) return CDN_OK;
  ck_assert_int_lt(s->bounces, 2);
  s->impulses[s->bounces] = c.impulse[0], s->times[s->bounces++] = c.time;
  return CDN_OK;
}

/* A ball of 1 kg from 1 m: impacts at sqrt(2 / g) and twice that time later, with 1.5 and 0.75 times the speed. */
START_TEST(a_study_shows_its_moments) {
  const double g = 9.81, accuracy = 1e-7, fall = sqrt(2 / g), v = sqrt(2 * g);
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body ball = add_point(system, "ball", 1);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  add_floor(system, "floor", ball, cdn_v3(0, 0, 0), 0.5, 0);
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0, 1 }, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_deliver_def how = cdn_default_deliver_def();
  seen s = { .attempt = -1 };
  def.accuracy = accuracy, def.final_time = 1, def.return_on_events = true;
  how.pause = look, how.context = &s;
  OK_ON(state, cdn_deliver(state, &def, &how, NULL, NULL, NULL));
  ck_assert_int_eq(s.bounces, 2);
  for (int k = 0; k < 2; k++) {
    NEAR(s.times[k], (1 + k) * fall, 3 * accuracy);
    NEAR(s.impulses[k], 1.5 * v / (1 + k), 3 * accuracy);
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- changes from outside ---- */

/* A wheel whose pawl lets it turn forwards only is turned back, at a start or by hand: the pawl strikes. */
START_TEST(a_ratchet_that_turns_back_is_struck) {
  const double J = 0.5, w = -3;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.name = "wheel", d.mobilizer = CDN_PIN, d.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { J, J, J, 0, 0, 0 } };
  const cdn_body wheel = cdn_system_add_body(system, &d);
  cdn_one_sided_def pawl = cdn_default_one_sided_def();
  pawl.constraint = cdn_system_constrain_speed(system, "pawl", wheel, 0, 0);
  const cdn_one_sided id = cdn_system_make_one_sided(system, &pawl);
  cdn_system_add_mobility_force(system, "load", wheel, 0, _i ? 1 : -1); /* turns it forwards, or back */
  cdn_state *state = hybrid_state(system, NULL, &w);
  OK_ON(state, cdn_settle(state, 0));
  const cdn_hybrid_change c = cdn_one_sided_get_change(state, id);
  NEAR(cdn_state_u(state)[0], 0, 1e-15);
  NEAR(c.impulse[0], -J * w, 1e-14);
  NEAR(c.energy, 0.5 * J * w * w, 1e-14);
  ck_assert(cdn_one_sided_is_on(state, id) == (_i == 0));
  cdn_state_destroy(state);
}
END_TEST

/* A run goes on from another State: a ball that lies on the floor, of which the run does not know yet, stays there. */
START_TEST(a_run_that_goes_on_elsewhere_settles) {
  const double g = 9.81;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body ball = add_point(system, "ball", 2);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  const cdn_rigid_contact floor = add_floor(system, "floor", ball, cdn_v3(0, 0, 0), 0.5, 0.3);
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0, 1 }, NULL);
  cdn_stepper *run = event_run(state, 1e-9);
  cdn_state *now = cdn_stepper_state(run);
  double push;
  ck_assert(!run_to_event(run, "touches", 0.2));
  OK_ON(state, cdn_state_set_time(state, 0.2));
  OK_ON(state, cdn_state_set_q(state, (double[]){ 0, 0, 0 }));
  OK_STEP(run, cdn_stepper_restart(run, state));
  ck_assert(run_to_event(run, "statuses", 0.3));
  ck_assert(cdn_one_sided_is_on(now, floor.normal));
  OK_ON(now, cdn_one_sided_push(now, floor.normal, &push));
  NEAR(push, 2 * g, 1e-13);
  ck_assert(!run_to_event(run, "s", 0.4));
  NEAR(cdn_state_q(now)[2], 0, 1e-15);
  end_event_run(run, state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_ratchet_that_turns_back_is_struck, 0, 2);
  tcase_add_test(c, a_run_that_goes_on_elsewhere_settles);
  tcase_add_test(c, a_point_that_slips_while_it_bounces);
  tcase_add_test(c, parts_are_the_whole);
  tcase_add_test(c, a_study_shows_its_moments);
}

CHECK_MAIN_OF("hybrid changes", 20, add)
