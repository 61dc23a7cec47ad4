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

/* Balls that are thrown up over a floor, and one that rests while a body with a wall turns toward it. Most of the time
 * all gaps are so far from zero that nobody looks at them; each touch is found when it comes. The wall is at a distance
 * of 1 from its axis, and the ball that rests at one of 2: they touch where the wall has 60 degrees left. */
enum { THROWN = 5 };
static const double TURNS = 0.8; /* rad/s */

static cdn_state *start_thrown(double touch[THROWN + 1]) {
  cdn_system *system = cdn_system_create(NULL);
  double q[3 * THROWN + 2], u[3 * THROWN + 2] = { 0 };
  char name[20];
  for (int i = 0; i < THROWN; i++) {
    const double h = 1 + 3 * i, v = 4 - i;
    snprintf(name, sizeof name, "ball %d", i);
    cdn_rigid_contact_def floor = cdn_default_rigid_contact_def();
    floor.name = name, floor.b = add_point(system, name, 1);
    floor.X_AP = facing(cdn_v3(0, 1, 0), cdn_v3(0, 0, 0));
    cdn_system_add_rigid_contact(system, &floor);
    q[3 * i] = i, q[3 * i + 1] = h, q[3 * i + 2] = 0;
    u[3 * i] = 30, u[3 * i + 1] = v;
    touch[i] = (v + sqrt(v * v + 2 * 9.81 * h)) / 9.81;
  }
  cdn_body_def d = cdn_default_body_def();
  d.name = "door", d.mobilizer = CDN_PIN, d.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  cdn_rigid_contact_def wall = cdn_default_rigid_contact_def();
  wall.name = "wall", wall.a = cdn_system_add_body(system, &d), wall.b = add_slider(system, "rests", 1);
  wall.X_AP = facing(cdn_v3(-1, 0, 0), cdn_v3(1, 0, 0));
  cdn_system_add_rigid_contact(system, &wall);
  q[3 * THROWN] = 2 * PI / 3, q[3 * THROWN + 1] = 2, u[3 * THROWN] = -TURNS;
  touch[THROWN] = PI / 3 / TURNS;
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  return hybrid_state(system, q, u);
}

static int compare_times(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

START_TEST(what_is_far_away_is_found_when_it_comes) {
  static const double accuracies[] = { 1e-3, 3e-6, 1e-10 };
  double touch[THROWN + 1];
  cdn_state *state = start_thrown(touch);
  cdn_stepper *run = event_run(state, accuracies[_i]);
  qsort(touch, THROWN + 1, sizeof *touch, compare_times);
  for (int i = 0; i <= THROWN; i++) {
    ck_assert(run_to_event(run, "touches", 10));
    NEAR(cdn_state_time(cdn_stepper_state(run)), touch[i], fmax(accuracies[_i], 1e-9));
  }
  end_event_run(run, state);
}
END_TEST

/* A checkpoint has what sleeps, and until when: a run that goes on from one has the bits of the run that was saved. */
START_TEST(what_is_far_away_is_in_checkpoints) {
  double touch[THROWN + 1];
  cdn_state *state = start_thrown(touch);
  cdn_stepper *run = event_run(state, 1e-6);
  OK_STEP(run, cdn_stepper_advance(run, 0.3, NULL));
  for (int k = 1; k < 12; k++) {
    cdn_buffer saved = { 0 };
    cdn_stepper *copy = NULL;
    OK_STEP(run, cdn_stepper_save(run, cdn_buffer_write, &saved));
    OK_ON(state, cdn_stepper_load(state, NULL, NULL, cdn_buffer_read, &saved, &copy));
    cdn_buffer_free(&saved);
    const double end = 0.3 + 0.21 * k;
    cdn_return_reason reason = CDN_HANDLED_EVENT;
    while (reason == CDN_HANDLED_EVENT) OK_STEP(run, cdn_stepper_advance(run, end, &reason));
    for (reason = CDN_HANDLED_EVENT; reason == CDN_HANDLED_EVENT;)
      OK_STEP(copy, cdn_stepper_advance(copy, end, &reason));
    const cdn_state *a = cdn_stepper_state(run), *b = cdn_stepper_state(copy);
    ck_assert(memcmp(cdn_state_q(a), cdn_state_q(b), (3 * THROWN + 2) * sizeof(double)) == 0);
    ck_assert(memcmp(cdn_state_u(a), cdn_state_u(b), (3 * THROWN + 2) * sizeof(double)) == 0);
    cdn_stepper_destroy(run);
    run = copy;
  }
  end_event_run(run, state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, elements_cost_what_their_constraints_cost, 0, 3);
  tcase_add_test(c, a_push_that_dips_between_steps_is_seen);
  tcase_add_loop_test(c, what_is_far_away_is_found_when_it_comes, 0, 3);
  tcase_add_test(c, what_is_far_away_is_in_checkpoints);
}

CHECK_MAIN_OF("hybrid costs", 20, add)
