/* What elements cost in a run: a set that does not change costs the evaluations of the same constraints without it, and
 * elements out of reach those of none. The arithmetic is the same, so motions are. */
#include "hybrid_scenes.h"

enum { LINKS = 10 };

typedef enum kind { BARE, ROPES, HELD, STOPS, BRAKES } kind;

/* A chain of pins. Out of reach of it: ropes. At every other pin: a constraint; the same as a stop, which a load keeps
 * closed, or as friction that sticks. */
static cdn_system *chain(kind what) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body body = { 0 };
  for (int i = 0; i < LINKS; i++) {
    char name[20], rope[30];
    snprintf(name, sizeof name, "link %d", i), snprintf(rope, sizeof rope, "element %d", i);
    cdn_body_def link = cdn_default_body_def();
    link.name = name, link.parent = body, link.mobilizer = CDN_PIN;
    link.mass = (cdn_mass_properties){ 1, { 0, -0.5, 0 }, { 0.4, 0.4, 0.4, 0, 0, 0 } };
    link.X_PF.p = cdn_v3(0, i > 0 ? -1 : 0, 0);
    body = cdn_system_add_body(system, &link);
    cdn_one_sided_def side = cdn_default_one_sided_def();
    side.upper = true;
    if (what == ROPES) {
      side.constraint =
          cdn_system_constrain_rod(system, rope, (cdn_body){ 0 }, cdn_v3(0.1, 0.3, 0), body, cdn_v3(0, -1, 0), 15);
      cdn_system_make_one_sided(system, &side);
    }
    if (what < HELD || i % 2 == 0) continue;
    snprintf(name, sizeof name, "load %d", i);
    cdn_system_add_mobility_force(system, name, body, 0, 1000);
    if (what == BRAKES) {
      cdn_dry_friction_def brake = cdn_default_dry_friction_def();
      brake.slip = cdn_system_constrain_speed(system, rope, body, 0, 0), brake.load = 1e4, brake.mu_dynamic = 1;
      cdn_system_add_dry_friction(system, &brake);
      continue;
    }
    side.constraint = cdn_system_constrain_coordinate(system, rope, body, 0, 0.1 + 0.05 * i);
    if (what == STOPS) cdn_system_make_one_sided(system, &side);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  return system;
}

static cdn_certificate run(kind what, cdn_method method, double q[LINKS]) {
  double q0[LINKS], u0[LINKS] = { 0 };
  for (int i = 0; i < LINKS; i++) q0[i] = 0.1 + 0.05 * i;
  cdn_state *state = hybrid_state(chain(what), q0, u0);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-6, def.method = method;
  cdn_stepper *stepper;
  cdn_certificate c;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  OK_ON(cdn_stepper_state(stepper), cdn_stepper_advance(stepper, 2, NULL));
  OK_ON(cdn_stepper_state(stepper), cdn_stepper_certificate(stepper, &c));
  memcpy(q, cdn_state_q(cdn_stepper_state(stepper)), LINKS * sizeof *q);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return c;
}

/* All evaluations: those within steps, where events look closer, too. They may be more where a start is evaluated again
 * after its moment, and in the few steps after it, before steps have shown how pushes move. */
START_TEST(elements_cost_what_their_constraints_cost) {
  const cdn_method methods[] = { CDN_METHOD_DORMAND_PRINCE_8, CDN_METHOD_ADAMS, CDN_METHOD_DORMAND_PRINCE };
  const kind pairs[3][2] = { { BARE, ROPES }, { HELD, STOPS }, { HELD, BRAKES } };
  double q[2][LINKS];
  for (int k = 0; k < 3; k++) {
    cdn_certificate c[2];
    for (int i = 0; i < 2; i++) c[i] = run(pairs[k][i], methods[_i], q[i]);
    const double alone = (double)c[0].evaluations, all = (double)(c[1].evaluations + c[1].report_evaluations);
    AT_MOST(all, alone + fmax(10, 0.05 * alone));
    for (int i = 0; i < LINKS; i++) NEAR(q[0][i], q[1][i], 1e-5);
  }
}
END_TEST

/* A stop that a load presses less and less, and more again, twice: where the load turns, which may be between two
 * steps, the stop opens, or does not. */
static double least_load(double t, double margin) { return 1 + cos(3 * t) + margin; }

static cdn_status press(const void *self, cdn_state *state, cdn_forces *forces) {
  cdn_forces_add_mobility(forces, (cdn_body){ 1 }, 0, least_load(cdn_state_time(state), *(const double *)self));
  return CDN_OK;
}

static int openings(double margin) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body slider = add_slider(system, "slider", 1);
  const cdn_body other = add_planar(system, "free", 1, 1);
  cdn_one_sided_def side = cdn_default_one_sided_def();
  side.constraint = cdn_system_constrain_coordinate(system, "stop", slider, 0, 0), side.upper = true;
  cdn_system_make_one_sided(system, &side);
  cdn_system_add_mobility_spring(system, "spring", other, 0, 9, 0); /* it moves as fast, so steps follow */
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = press };
  ops.subsystem =
      (cdn_subsystem_ops){ .struct_size = sizeof ops.subsystem, .name = "press", .self_size = sizeof margin };
  cdn_system_add_custom_force(system, &ops, &margin);
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0, 1, 0 }, (double[]){ 0, 0, 0, 0 });
  cdn_stepper *stepper = event_run(state, 1e-6);
  int n = 0;
  while (run_to_event(stepper, "lets go", 4 * PI / 3)) n++;
  end_event_run(stepper, state);
  return n;
}

START_TEST(a_push_that_dips_between_steps_is_seen) {
  ck_assert_int_eq(openings(0.01), 0);
  ck_assert_int_eq(openings(-0.01), 2);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, elements_cost_what_their_constraints_cost, 0, 3);
  tcase_add_test(c, a_push_that_dips_between_steps_is_seen);
}

CHECK_MAIN_OF("hybrid costs", 20, add)
