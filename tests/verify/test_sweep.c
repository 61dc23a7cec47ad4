/* What shapes sweep within a step: steps of equal size say what they pass, prescribed motion hides nothing, what lies
 * inside is refused, and flight takes the steps that it would take without shapes. (test_falls.c: scenes drawn at
 * random.) */
#include "../testing.h"

static cdn_body add_ball(cdn_system *system, const char *name, cdn_mobilizer mobilizer, double radius) {
  cdn_body_def def = cdn_default_body_def();
  def.name = name, def.mobilizer = mobilizer, def.mass.mass = 1;
  def.mass.inertia = (cdn_inertia){ 0.1, 0.1, 0.1, 0, 0, 0 };
  const cdn_body body = cdn_system_add_body(system, &def);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.name = name, shape.body = body;
  shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = radius;
  cdn_system_add_shape(system, &shape);
  return body;
}

static void add_plate(cdn_system *system, double half) {
  cdn_shape_def shape = cdn_default_shape_def();
  shape.name = "plate", shape.geometry.kind = CDN_GEOMETRY_BOX;
  shape.geometry.size[0] = half, shape.geometry.size[1] = shape.geometry.size[2] = 1;
  cdn_system_add_shape(system, &shape);
}

static cdn_system *world(cdn_contact_model model) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = model;
  cdn_system_set_contact(system, &contact);
  return system;
}

static cdn_stepper *run_of(cdn_system *system, const double *q, const double *u, const cdn_stepper_def *def,
                           cdn_state **state) {
  OK_FREEZE(system);
  OK(cdn_state_create(system, state));
  cdn_system_release(system);
  if (q) OK(cdn_state_set_q(*state, q));
  if (u) OK(cdn_state_set_u(*state, u));
  cdn_stepper *stepper = NULL;
  OK_ON(*state, cdn_stepper_create(*state, def, &stepper));
  return stepper;
}

static cdn_certificate certificate(cdn_stepper *stepper) {
  cdn_certificate c;
  OK(cdn_stepper_certificate(stepper, &c));
  return c;
}

/* A ball of 10 m/s, a plate of 4 mm, steps of 0.1 s: 250 plates long. */
START_TEST(equal_steps_say_what_they_pass) {
  static const cdn_method methods[] = { CDN_METHOD_DORMAND_PRINCE, CDN_METHOD_MUJOCO_RK4, CDN_METHOD_MUJOCO_EULER,
                                        CDN_METHOD_IMPLICIT_CONTACT };
  static const cdn_contact_model models[] = { CDN_CONTACT_COMPLIANT, CDN_CONTACT_SOFT };
  for (int i = 0; i < 8; i++) {
    cdn_state *state;
    cdn_system *system = world(models[i % 2]);
    add_plate(system, 0.002);
    add_ball(system, "ball", CDN_TRANSLATION, 0.01);
    cdn_stepper_def def = cdn_default_stepper_def();
    def.method = methods[i / 2], def.fixed_step = 0.1, def.companion = true, def.final_time = 1;
    const double q[3] = { -0.35, 0, 0 }, u[3] = { 10, 0, 0 };
    cdn_stepper *stepper = run_of(system, q, u, &def, &state);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1, NULL));
    const cdn_certificate c = certificate(stepper);
    char text[400];
    cdn_certificate_verdict(&c, text, sizeof text);
    ck_assert_msg(strstr(c.passed, "'plate'") && strstr(c.passed, "'ball'") && strstr(text, c.passed), "%d: %s", i,
                  text);
    AT_MOST(fabs(c.passed_time - 0.034), 0.01);
    ck_assert_int_ne(c.delivered, CDN_VERDICT_DELIVERED);
    cdn_stepper_destroy(stepper), cdn_state_destroy(state);
  }
}
END_TEST

static double uniform(double least, double most) {
  static uint64_t seed = 20;
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return least + (most - least) * (double)(seed >> 11) / 9007199254740992.0;
}

/* What is shot at a plate comes back, or is behind it at the end and was told, whatever it is and however it turns: in
 * steps of 1 mm, and in such as are sixty plates long. */
START_TEST(equal_steps_tell_whatever_comes_out_behind) {
  static const cdn_geometry solids[] = { { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.02 } },
                                         { .kind = CDN_GEOMETRY_CAPSULE, .size = { 0.01, 0.03 } },
                                         { .kind = CDN_GEOMETRY_ELLIPSOID, .size = { 0.02, 0.01, 0.03 } },
                                         { .kind = CDN_GEOMETRY_CYLINDER, .size = { 0.02, 0.01 } },
                                         { .kind = CDN_GEOMETRY_BOX, .size = { 0.02, 0.01, 0.005 } } };
  int back = 0, behind = 0, in_vain = 0;
  for (int i = 0; i < 5 * FEWER(48); i++) {
    cdn_state *state;
    cdn_system *system = world(i % 2 ? CDN_CONTACT_SOFT : CDN_CONTACT_COMPLIANT);
    add_plate(system, 0.004);
    cdn_body_def body = cdn_default_body_def();
    body.mobilizer = CDN_FREE, body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 3e-4, 2e-4, 4e-4, 0, 0, 0 };
    cdn_shape_def shape = cdn_default_shape_def();
    shape.body = cdn_system_add_body(system, &body), shape.geometry = solids[i % 5], shape.name = "solid";
    cdn_system_add_shape(system, &shape);
    const double speed = pow(10, uniform(-1, 1.7)), turn = uniform(0, 30);
    const double q[7] = { 1, 0, 0, 0, -uniform(0.05, 0.2), 0, 0 };
    const double u[6] = { turn * uniform(-1, 1), turn * uniform(-1, 1), turn * uniform(-1, 1), speed, 0, 0 };
    cdn_stepper_def def = cdn_default_stepper_def();
    def.method = i % 2 ? CDN_METHOD_MUJOCO_EULER : CDN_METHOD_DORMAND_PRINCE, def.fixed_step = 0.01;
    def.final_time = def.fixed_step * ceil(0.5 / speed / def.fixed_step);
    cdn_stepper *stepper = run_of(system, q, u, &def, &state);
    const cdn_status status = cdn_stepper_advance(stepper, def.final_time, NULL);
    const double x = cdn_state_q(cdn_stepper_state(stepper))[4];
    if (status == CDN_OK && fabs(x) > 0.06) { /* of compliant contact what lies wholly in the other is refused */
      const cdn_certificate c = certificate(stepper);
      const bool told = c.passed[0] != 0;
      ck_assert_msg(told || x < 0, "%d: %g m/s, x = %g, '%s'", i, speed, x, c.passed);
      /* explicit steps of this size throw off what is stiff, and once or twice through the plate */
      *(x > 0 ? &behind : &back) += 1;
      in_vain += x < 0 && told && i % 2;
    }
    cdn_stepper_destroy(stepper), cdn_state_destroy(state);
  }
  ck_assert_msg(back > FEWER(20) && behind > FEWER(20), "%d came back, %d came out behind", back, behind);
  /* what is halfway through the plate where a step ends may be */
  ck_assert_int_le(20 * in_vain, back);
}
END_TEST

/* The same ball under error control: it comes back. Hertz's contact without loss keeps its energy. */
START_TEST(bullets_bounce_by_every_method) {
  for (cdn_method method = 0; cdn_method_name(method); method++) {
    cdn_state *state;
    cdn_system *system = world(CDN_CONTACT_COMPLIANT);
    cdn_stepper_def def = cdn_default_stepper_def();
    def.method = method, def.accuracy = 3e-4, def.final_time = 1;
    if (!cdn_method_is_available(method) || cdn_method_needs_fixed_step(method)) {
      cdn_system_release(system);
      continue;
    }
    add_plate(system, 0.002);
    add_ball(system, "ball", CDN_TRANSLATION, 0.05);
    const double q[3] = { -3, 0, 0 }, u[3] = { 5, 0, 0 };
    cdn_stepper *stepper = run_of(system, q, u, &def, &state);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
    ck_assert_msg(cdn_state_q(cdn_stepper_state(stepper))[0] < 0, "%s", cdn_method_name(method));
    ck_assert_str_eq(certificate(stepper).passed, "");
    cdn_stepper_destroy(stepper), cdn_state_destroy(state);
  }
}
END_TEST

/* An arm that is driven to and fro, twice within what would be a step, meets a ball that lies still where it passes:
 * each run hears of it. */
START_TEST(what_is_prescribed_hides_nothing) {
  for (double period = 0.05; period < 3; period *= 1.37) {
    cdn_state *state;
    cdn_system *system = world(CDN_CONTACT_COMPLIANT);
    cdn_body_def def = cdn_default_body_def();
    def.name = "arm", def.mobilizer = CDN_PIN, def.mass.mass = 1;
    const cdn_body arm = cdn_system_add_body(system, &def);
    cdn_shape_def tip = cdn_default_shape_def();
    tip.name = "tip", tip.body = arm, tip.X_BS.p = cdn_v3(1, 0, 0);
    tip.geometry.kind = CDN_GEOMETRY_SPHERE, tip.geometry.size[0] = 0.02;
    cdn_system_add_shape(system, &tip);
    const double w = 2 * PI / period;
    cdn_motion_def motion = cdn_default_motion_def();
    motion.body = arm, motion.params[0] = 1, motion.params[1] = w;
    cdn_system_add_motion(system, &motion);
    add_ball(system, "ball", CDN_TRANSLATION, 0.02);
    cdn_stepper_def how = cdn_default_stepper_def();
    how.accuracy = 1e-3, how.final_time = 3;
    /* at the angle 0.8, in the plane of the arm */
    const double q[4] = { 0, cos(0.8), sin(0.8), 0 }, u[4] = { 0, 0, 0, 0 };
    cdn_stepper *stepper = run_of(system, q, u, &how, &state);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 3, NULL));
    const double *v = cdn_state_u(cdn_stepper_state(stepper)) + 1;
    ck_assert_msg(v[0] * v[0] + v[1] * v[1] > 0.01, "period %g: the ball lies still", period);
    cdn_stepper_destroy(stepper), cdn_state_destroy(state);
  }
}
END_TEST

/* A handler takes the ball away from where things are near it, and shoots it at the plate: what the step before has
 * swept says nothing of the place where the next one begins. */
static cdn_status shoot(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const double q[3] = { -5, 0, 0 }, u[3] = { *(const double *)self, 0, 0 };
  (void)what, (void)action;
  CDN_TRY(cdn_state_set_q(state, q));
  return cdn_state_set_u(state, u);
}

START_TEST(handlers_move_bodies) {
  for (double speed = 0.5; speed < 300; speed *= 1.1) {
    cdn_state *state;
    cdn_system *system = world(CDN_CONTACT_SOFT);
    add_plate(system, 0.002);
    cdn_shape_def near = cdn_default_shape_def();
    near.name = "near", near.geometry.kind = CDN_GEOMETRY_BOX, near.X_BS.p = cdn_v3(50, 0, 0);
    for (int k = 0; k < 3; k++) near.geometry.size[k] = 1;
    cdn_system_add_shape(system, &near);
    add_ball(system, "ball", CDN_TRANSLATION, 0.05);
    cdn_event_def event = cdn_default_event_def();
    event.name = "shot", event.kind = CDN_EVENT_SCHEDULED, event.handle = shoot;
    const double at = 10;
    event.times = &at, event.n_times = 1, event.self = &speed, event.self_size = sizeof speed;
    cdn_system_add_event(system, &event);
    cdn_stepper_def how = cdn_default_stepper_def();
    how.accuracy = 1e-3, how.final_time = 20;
    const double q[3] = { 50, 0, 1.06 }, u[3] = { 0, 1e-3, 0 };
    cdn_stepper *stepper = run_of(system, q, u, &how, &state);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 20, NULL));
    /* the plate's force does not stop the faster ones; that is said */
    const bool named = certificate(stepper).passed[0];
    ck_assert_msg(cdn_state_q(cdn_stepper_state(stepper))[0] < 0 || named, "shot at %g m/s", speed);
    cdn_stepper_destroy(stepper), cdn_state_destroy(state);
  }
}
END_TEST

/* A cube whose mesh has twelve triangles, half a metre of them above a ball of Ground at (x, 0.03, 0). */
static cdn_stepper *cube_on_ball(double radius, double x, double accuracy, double most, cdn_state **state) {
  static const int corners[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
  double at[24];
  for (int i = 0; i < 24; i++) at[i] = (i / 3 >> i % 3) & 1 ? 0.2 : -0.2;
  cdn_system *system = world(CDN_CONTACT_COMPLIANT);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_shape_def ball = cdn_default_shape_def();
  ball.name = "ball", ball.geometry.kind = CDN_GEOMETRY_SPHERE, ball.geometry.size[0] = radius;
  ball.X_BS.p = cdn_v3(x, 0.03, 0);
  cdn_system_add_shape(system, &ball);
  cdn_body_def def = cdn_default_body_def();
  def.name = "cube", def.mobilizer = CDN_TRANSLATION, def.mass.mass = 1;
  cdn_shape_def cube = cdn_default_shape_def();
  cdn_surface *surface = NULL;
  ck_assert_int_eq(cdn_surface_create_mesh(8, at, 12, corners, &surface), CDN_OK);
  cube.name = "cube", cube.body = cdn_system_add_body(system, &def);
  cube.geometry.kind = CDN_GEOMETRY_MESH, cube.geometry.surface = surface;
  cdn_system_add_shape(system, &cube);
  cdn_surface_release(surface);
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = accuracy, how.companion = true, how.final_time = 0.6, how.max_step = most;
  const double q[3] = { 0, 0, 1 };
  return run_of(system, q, NULL, &how, state);
}

/* Springs set in where they are, at the centres of triangles, and not where the surface touches: no step passes them,
 * and a run whose steps are short says the same. */
START_TEST(springs_are_met_where_they_are) {
  /* what steps end before the touch depends on the accuracy */
  for (double x = 0.02, accuracy = 1e-4; x < 0.2; x += 0.03, accuracy *= 0.7) {
    cdn_state *state[2];
    double q[2][3];
    for (int i = 0; i < 2; i++) {
      cdn_stepper *stepper = cube_on_ball(0.1, x, accuracy, i == 0 ? 0 : 1e-3, &state[i]);
      OK_STEP(stepper, cdn_stepper_advance(stepper, 0.6, NULL));
      memcpy(q[i], cdn_state_q(cdn_stepper_state(stepper)), sizeof q[i]);
      cdn_stepper_destroy(stepper), cdn_state_destroy(state[i]);
    }
    ck_assert_msg(q[0][2] > -0.5, "x = %g: it fell to %g", x, q[0][2]);
    for (int k = 0; k < 3; k++) AT_MOST(fabs(q[0][k] - q[1][k]), 20 * accuracy);
  }
}
END_TEST

/* What is smaller than the triangles gets between two springs, as the law has it; that is said. */
START_TEST(what_slips_between_springs_is_named) {
  for (double radius = 1e-4, accuracy = 1e-4; radius < 0.05; radius *= 2.3, accuracy *= 0.6) {
    cdn_state *state;
    cdn_stepper *stepper = cube_on_ball(radius, 0, accuracy, 0, &state);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.6, NULL));
    const cdn_certificate c = certificate(stepper);
    ck_assert_msg(strstr(c.passed, "'ball'") && strstr(c.passed, "'cube'"), "%g: '%s'", radius, c.passed);
    ck_assert_int_eq(c.delivered, CDN_VERDICT_UNKNOWN);
    cdn_stepper_destroy(stepper), cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(what_lies_wholly_inside_is_refused) {
  cdn_system *system = world(CDN_CONTACT_COMPLIANT);
  cdn_body_def def = cdn_default_body_def();
  def.name = "box", def.mobilizer = CDN_FREE, def.mass.mass = 1, def.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  cdn_shape_def shape = cdn_default_shape_def();
  shape.name = "floor", shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  shape.name = "box", shape.body = cdn_system_add_body(system, &def), shape.geometry.kind = CDN_GEOMETRY_BOX;
  shape.geometry.size[0] = shape.geometry.size[1] = shape.geometry.size[2] = 0.1;
  cdn_system_add_shape(system, &shape);
  cdn_state *state;
  cdn_stepper *stepper;
  cdn_error error;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  const double q[7] = { 1, 0, 0, 0, 0, 0, -5 };
  OK(cdn_state_set_q(state, q));
  FAILS(cdn_stepper_create(state, NULL, &stepper), CDN_ERR_SINGULAR);
  cdn_state_last_error(state, &error);
  ck_assert_msg(strstr(error.text, "'floor'") && strstr(error.text, "'box'") && strstr(error.text, "5.1 m deep"), "%s",
                error.text);
  cdn_state_destroy(state), cdn_system_release(system);
}
END_TEST

/* Flight and spin, with ten shapes and with two: those that are never near change no step. */
START_TEST(flight_takes_its_own_steps) {
  int64_t steps[2], evaluations[2];
  for (int with = 0; with < 2; with++) {
    cdn_state *state;
    cdn_system *system = world(CDN_CONTACT_COMPLIANT);
    cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
    double q[70] = { 0 }, u[60];
    for (int i = 0; i < 10; i++) {
      cdn_body_def def = cdn_default_body_def();
      def.mobilizer = CDN_FREE, def.mass.mass = 1, def.mass.inertia = (cdn_inertia){ 0.1, 0.12, 0.15, 0, 0, 0 };
      cdn_shape_def shape = cdn_default_shape_def();
      shape.body = cdn_system_add_body(system, &def), shape.geometry.kind = CDN_GEOMETRY_BOX;
      for (int k = 0; k < 3; k++) shape.geometry.size[k] = 0.1;
      if (with || i < 2) cdn_system_add_shape(system, &shape);
      q[7 * i] = 1, q[7 * i + 4] = 5 * i, q[7 * i + 6] = 1000;
      for (int k = 0; k < 6; k++) u[6 * i + k] = sin(i + 2. * k);
    }
    cdn_stepper_def how = cdn_default_stepper_def();
    how.accuracy = 1e-6, how.final_time = 3;
    cdn_stepper *stepper = run_of(system, q, u, &how, &state);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 3, NULL));
    const cdn_certificate c = certificate(stepper);
    steps[with] = c.steps, evaluations[with] = c.evaluations;
    cdn_stepper_destroy(stepper), cdn_state_destroy(state);
  }
  ck_assert_int_eq(steps[0], steps[1]);
  ck_assert_int_eq(evaluations[0], evaluations[1]);
}
END_TEST

CHECK_MAIN("sweep", equal_steps_say_what_they_pass, equal_steps_tell_whatever_comes_out_behind,
           bullets_bounce_by_every_method, what_is_prescribed_hides_nothing, handlers_move_bodies,
           springs_are_met_where_they_are, what_slips_between_springs_is_named, what_lies_wholly_inside_is_refused,
           flight_takes_its_own_steps)
