/* Contacts that hold more than once: four feet that stick. Their pushes and frictions are not unique, but whether any
 * of them are admissible is: a body rests exactly as long as some are, and at all times those that are told are. */
#include <cardan/model.h>

#include "hybrid_scenes.h"

enum { FEET = 4 };
static const double G0 = 10, MASS = 1;

/* A force of size t, along (cos, sin) of `angle`, on a body at p. */
typedef struct growing {
  cdn_body body;
  cdn_vec3 p;
  double angle;
} growing;

static cdn_status push(const void *self, cdn_state *state, cdn_forces *forces) {
  const growing *g = self;
  const double t = cdn_state_time(state);
  cdn_forces_add_at(forces, g->body, g->p, cdn_v3(t * cos(g->angle), t * sin(g->angle), 0));
  return CDN_OK;
}

static void add_growing(cdn_system *system, growing g) {
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = push };
  ops.subsystem = (cdn_subsystem_ops){ .struct_size = sizeof ops.subsystem, .name = "push", .self_size = sizeof g };
  cdn_system_add_custom_force(system, &ops, &g);
}

/* A body on four feet at (+-1/2, +-1/2, 0) of it, in the order of `first`, its centre of mass at `com`. */
static cdn_body add_standing(cdn_system *system, cdn_vec3 com, double mu, int first) {
  cdn_body_def d = cdn_default_body_def();
  d.name = "body", d.mobilizer = CDN_FREE, d.mass = (cdn_mass_properties){ MASS, com, { 1, 1, 1, 0, 0, 0 } };
  const cdn_body body = cdn_system_add_body(system, &d);
  for (int k = 0; k < FEET; k++) {
    const int i = (k * 3 + first) % FEET;
    char name[20];
    snprintf(name, sizeof name, "foot %d", i);
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.name = name, c.b = body, c.p_B = cdn_v3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, 0), c.mu_dynamic = mu;
    cdn_system_add_rigid_contact(system, &c);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -G0));
  return body;
}

/* No contact pulls, and no friction is beyond its bound. */
static void check_admissible(cdn_state *state, double mu, int least_on, double rounding) {
  int on = 0;
  for (int i = 0; i < FEET; i++) {
    double N, f[2];
    OK_ON(state, cdn_one_sided_push(state, (cdn_one_sided){ i }, &N));
    OK_ON(state, cdn_dry_friction_force(state, (cdn_dry_friction){ i }, f));
    AT_MOST(-N, rounding);
    AT_MOST(hypot(f[0], f[1]), mu * N + rounding);
    on += cdn_one_sided_is_on(state, (cdn_one_sided){ i });
  }
  ck_assert_int_ge(on, least_on);
}

/* Runs to the first event after the start, and expects it at time t, with `what` in its name. */
static void expect_rest_until(cdn_system *system, const double *q, const double *u, double mu, double t,
                              const char *what) {
  const double zero[8] = { 0 };
  cdn_state *state = hybrid_state(system, q, u ? u : zero);
  cdn_stepper *run = event_run(state, 1e-8);
  cdn_return_reason reason;
  OK_ON(cdn_stepper_state(run), cdn_stepper_advance(run, 0, &reason));
  for (int k = 1; k < 8; k++) {
    OK_ON(cdn_stepper_state(run), cdn_stepper_advance(run, 0.999 * t * k / 7, &reason));
    ck_assert_msg(reason == CDN_REACHED_TIME, "%s at %.9g, before %.9g", cdn_stepper_occurrence(run, 0)->name,
                  cdn_state_time(cdn_stepper_state(run)), t);
    if (mu > 0) check_admissible(cdn_stepper_state(run), mu, FEET, 1e-10);
  }
  OK_ON(cdn_stepper_state(run), cdn_stepper_advance(run, 1.01 * t, &reason));
  ck_assert_int_eq(reason, CDN_HANDLED_EVENT);
  /* What is admissible shrinks to a point there. Whether it is empty is told to the root of rounding: seen are 2e-8. */
  NEAR(cdn_state_time(cdn_stepper_state(run)), t, 1e-7 * t);
  ck_assert_ptr_nonnull(strstr(cdn_stepper_occurrence(run, 0)->name, what));
  end_event_run(run, state);
}

/* Pushed at the height h through the centre of mass: it slides where the force is mu m g, and tips about an edge where
 * its moment is that of the weight, whichever comes first. Its feet are not loaded alike, nor are their frictions. */
static const struct {
  double x, y, h, angle, mu;
  bool tips;
} pushes[] = { { 0, 0, 0, 0, 0.5, false },         { 0, 0, 0.4, 0.5, 0.8, false },     { 0.2, 0.1, 0, 0.3, 0.5, false },
               { 0.2, 0.1, 0.2, 2.3, 0.4, false }, { 0, 0, 1, 0, 0.8, true },          { 0, 0, 1, 0.3, 0.8, true },
               { 0.1, 0.1, 1, 0.7, 0.8, true },    { -0.3, 0.05, 1.5, 0.2, 0.9, true } };

START_TEST(a_pushed_body_slides_or_tips_at_its_limit) {
  for (int first = 0; first < FEET; first += 3) {
    const double x = pushes[_i].x, y = pushes[_i].y, h = pushes[_i].h, angle = pushes[_i].angle, mu = pushes[_i].mu;
    const double over_x = MASS * G0 * (0.5 - x) / (h * cos(angle)), over_y = MASS * G0 * (0.5 - y) / (h * sin(angle));
    const double slides = mu * MASS * G0;
    cdn_system *system = cdn_system_create(NULL);
    const cdn_body body = add_standing(system, cdn_v3(x, y, h), mu, first);
    add_growing(system, (growing){ body, cdn_v3(x, y, h), angle });
    const double tips = fmin(over_x > 0 ? over_x : INFINITY, over_y > 0 ? over_y : INFINITY);
    ck_assert_int_eq(tips < slides, pushes[_i].tips);
    expect_rest_until(system, (double[]){ 1, 0, 0, 0, 0, 0, 0 }, NULL, mu, fmin(tips, slides),
                      tips < slides ? "lets go" : "slips");
  }
}
END_TEST

/* As near before that limit as one likes: some pushes and frictions are admissible there, however few. */
START_TEST(the_last_admissible_pushes_are_found) {
  const int i = 3;
  const cdn_vec3 com = { pushes[i].x, pushes[i].y, pushes[i].h };
  const double limit = pushes[i].mu * MASS * G0;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body body = add_standing(system, com, pushes[i].mu, 3 * _i);
  add_growing(system, (growing){ body, com, pushes[i].angle });
  cdn_state *state = hybrid_state(system, (double[]){ 1, 0, 0, 0, 0, 0, 0 }, NULL);
  OK_ON(state, cdn_settle(state, 1e-8));
  for (int k = 0; k <= 2000; k++) {
    OK_ON(state, cdn_state_set_time(state, limit * (1 - pow(10, -3 - 6.0 * k / 2000))));
    check_admissible(state, pushes[i].mu, FEET, 1e-13 * MASS * G0);
  }
  cdn_state_destroy(state);
}
END_TEST

/* A load moves over a table along x, beside its middle. The legs behind lift off where the common centre of mass passes
 * the line of the others: m (x - 1/2) = M / 2. */
START_TEST(a_load_moves_over_a_table) {
  const double m = 3, v = 0.1, x0 = -0.2, y = 0.3, x = 0.5 * (MASS + m) / m;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body table = add_standing(system, cdn_v3(0, 0, 0.7), 0.3, 0);
  cdn_body_def d = cdn_default_body_def();
  d.name = "load", d.parent = table, d.mobilizer = CDN_SLIDER, d.mass.mass = m, d.X_PF.p = cdn_v3(0, y, 0.8);
  cdn_system_add_body(system, &d);
  expect_rest_until(system, (double[]){ 1, 0, 0, 0, 0, 0, 0, x0 }, (double[]){ 0, 0, 0, 0, 0, 0, v }, 0.3, (x - x0) / v,
                    "lets go");
}
END_TEST

/* Two brakes on sliders that a coupler moves together, as a gripper's fingers: they hold what both together hold. */
START_TEST(brakes_hold_together) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body finger[2] = { add_slider(system, "left", 1), add_slider(system, "right", 1) };
  const double loads[2] = { 1, 3 };
  for (int i = 0; i < 2; i++) {
    cdn_dry_friction_def brake = cdn_default_dry_friction_def();
    brake.slip = cdn_system_constrain_speed(system, i ? "right brake" : "left brake", finger[i], 0, 0);
    brake.load = loads[i], brake.mu_dynamic = 1;
    cdn_system_add_dry_friction(system, &brake);
  }
  cdn_system_couple_by_polynomial(system, "mimic", (cdn_mobility){ finger[1], 0 }, 0, (cdn_mobility){ finger[0], 0 }, 0,
                                  (double[]){ 0, 1, 0, 0, 0 });
  add_growing(system, (growing){ finger[0], cdn_v3(0, 0, 0), 0 });
  expect_rest_until(system, (double[]){ 0, 0 }, NULL, 0, loads[0] + loads[1], "slips");
}
END_TEST

/* Six legs bend until all feet stick, which hold more than the robot can move: that is no singular pose. */
START_TEST(feet_that_hold_more_than_once_are_no_singular_pose) {
  char path[1024];
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  cdn_stepper *run = NULL;
  cdn_certificate c;
  options.contact = CDN_MODEL_RIGID;
  snprintf(path, sizeof path, "%s/examples/models/hexapod.xml", getenv("CARDAN_SOURCE_ROOT"));
  OK(cdn_model_load(path, &options, &model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = _i ? 2.2e-5 : 1e-3, def.companion = true;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  OK_STEP(run, cdn_stepper_advance(run, 1, NULL));
  OK(cdn_stepper_certificate(run, &c));
  ck_assert_msg(!strstr(c.doubt, "singular"), "%s", c.doubt);
  AT_MOST(c.error_estimate, def.accuracy);
  cdn_stepper_destroy(run);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_pushed_body_slides_or_tips_at_its_limit, 0, sizeof pushes / sizeof *pushes);
  tcase_add_loop_test(c, the_last_admissible_pushes_are_found, 0, 2);
  tcase_add_test(c, a_load_moves_over_a_table);
  tcase_add_loop_test(c, feet_that_hold_more_than_once_are_no_singular_pose, 0, 2);
  tcase_add_test(c, brakes_hold_together);
}

CHECK_MAIN_OF("hybrid shared", 20, add)
