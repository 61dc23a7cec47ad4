/* Measures of contacts against the contacts themselves; touch, lift-off, stick and slip as events at the times that
 * theory has. */
#include <float.h>

#include "runs.h"

static const double R = 0.02, drop = 0.01;

typedef struct scene {
  cdn_system *system;
  cdn_state *state;
  cdn_body ball, other;
  cdn_shape floor, round, second;
  cdn_measure measure[CDN_CONTACT_GAP + 1];
} scene;

static cdn_measure measure_of(cdn_system *system, cdn_contact_quantity quantity, cdn_shape a, cdn_shape b,
                              cdn_body body_a, cdn_body body_b) {
  cdn_contact_measure_def def = cdn_default_contact_measure_def();
  def.quantity = quantity, def.shape_a = a, def.shape_b = b, def.body_a = body_a, def.body_b = body_b;
  return cdn_system_add_contact_measure(system, &def);
}

static const cdn_shape any = { -1 };
static const cdn_body anybody = { -1 };

static cdn_body add_ball(cdn_system *system, const double q0[7]) {
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.q0 = q0, body.mass.mass = 0.1;
  const double I = 0.4 * 0.1 * R * R;
  body.mass.inertia = (cdn_inertia){ I, I, I, 0, 0, 0 };
  return cdn_system_add_body(system, &body);
}

/* Two balls over a rigid floor; the second lies deep in it, and is at rest. */
static scene make_scene(const cdn_event_def *touch, const cdn_event_def *part) {
  scene s = { .system = cdn_system_create(NULL) };
  s.ball = add_ball(s.system, (double[]){ 1, 0, 0, 0, 0, 0, R + drop });
  s.other = add_ball(s.system, (double[]){ 1, 0, 0, 0, 1, 0, R - 1e-3 });
  cdn_contact_material rigid = cdn_default_contact_material(), soft = rigid;
  rigid.modulus = 1e30, rigid.dissipation = soft.dissipation = 0;
  cdn_shape_def def = cdn_default_shape_def();
  def.material = &rigid, def.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  s.floor = cdn_system_add_shape(s.system, &def);
  def.material = &soft, def.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { R } };
  def.body = s.ball;
  s.round = cdn_system_add_shape(s.system, &def);
  def.body = s.other;
  s.second = cdn_system_add_shape(s.system, &def);
  for (int q = 0; q <= CDN_CONTACT_GAP; q++)
    s.measure[q] = measure_of(s.system, (cdn_contact_quantity)q, s.round, s.floor, anybody, anybody);
  if (touch) cdn_system_add_measure_event(s.system, s.measure[CDN_CONTACT_GAP], 0, 0, touch);
  if (part) cdn_system_add_measure_event(s.system, s.measure[CDN_CONTACT_GAP], 0, 0, part);
  return s;
}

static void start(scene *s) {
  OK_FREEZE(s->system);
  OK(cdn_state_create(s->system, &s->state));
}

static void end(scene *s) {
  cdn_state_destroy(s->state);
  cdn_system_release(s->system);
}

static double number(cdn_state *state, cdn_measure m, int i) {
  const double *x = cdn_measure_value(state, m);
  ck_assert_msg(x != NULL, "%s", cdn_last_error_text());
  return x[i];
}

START_TEST(numbers_are_those_of_the_contacts) {
  scene s = make_scene(NULL, NULL);
  const cdn_measure all = measure_of(s.system, CDN_CONTACT_NORMAL_FORCE, any, any, anybody, anybody);
  const cdn_measure of_body = measure_of(s.system, CDN_CONTACT_FORCE, any, any, s.other, anybody);
  const cdn_measure on_floor = measure_of(s.system, CDN_CONTACT_FORCE, s.floor, any, anybody, s.other);
  const cdn_measure apart = measure_of(s.system, CDN_CONTACT_GAP, any, any, s.ball, s.other);
  const cdn_measure least = measure_of(s.system, CDN_CONTACT_GAP, any, any, anybody, anybody);
  start(&s);
  const cdn_measure *m = s.measure;
  NEAR(number(s.state, m[CDN_CONTACT_GAP], 0), drop, 1e-15);
  NEAR(number(s.state, apart, 0), hypot(1, drop + 1e-3) - 2 * R, 1e-15);
  NEAR(number(s.state, least, 0), -1e-3, 1e-15);
  for (int q = 0; q < CDN_CONTACT_GAP; q++) ck_assert(number(s.state, m[q], 0) == 0);

  OK(cdn_body_set_q(s.state, s.ball, 7, (double[]){ 1, 0, 0, 0, 0, 0, R - 2e-3 }));
  OK(cdn_body_set_u(s.state, s.ball, 6, (double[]){ 0, 0, 0, 0.3, -0.4, -1 }));
  cdn_contact c, d;
  int n;
  OK_ON(s.state, cdn_contact_count(s.state, &n));
  ck_assert_int_eq(n, 2);
  OK_ON(s.state, cdn_contact_get(s.state, 0, &c));
  OK_ON(s.state, cdn_contact_get(s.state, 1, &d));
  ck_assert_int_eq(c.b.i, s.round.i);
  ck_assert(number(s.state, m[CDN_CONTACT_COUNT], 0) == 1);
  ck_assert(number(s.state, m[CDN_CONTACT_STICKING], 0) == 0);
  ck_assert(number(s.state, m[CDN_CONTACT_DEPTH], 0) == c.depth);
  ck_assert(number(s.state, m[CDN_CONTACT_ENERGY], 0) == c.elastic);
  ck_assert(number(s.state, m[CDN_CONTACT_NORMAL_FORCE], 0) == c.force);
  ck_assert(number(s.state, m[CDN_CONTACT_POWER], 0) == c.power);
  NEAR(number(s.state, m[CDN_CONTACT_SLIP], 0), 0.5, 1e-14);
  NEAR(number(s.state, m[CDN_CONTACT_GAP], 0), -2e-3, 1e-15);
  NEAR(number(s.state, all, 0), c.force + d.force, 1e-14 * c.force);
  /* on side a: the ball is pushed up, and held back against its slip */
  NEAR(number(s.state, m[CDN_CONTACT_FORCE], 2), c.force, 1e-13 * c.force);
  NEAR(number(s.state, m[CDN_CONTACT_FRICTION], 0), c.friction.x, 1e-13 * c.force);
  ck_assert(number(s.state, m[CDN_CONTACT_FRICTION], 0) < 0 && number(s.state, m[CDN_CONTACT_FRICTION], 1) > 0);
  NEAR(number(s.state, of_body, 2), d.force, 1e-14 * d.force);
  NEAR(number(s.state, on_floor, 2), -d.force, 1e-14 * d.force);

  OK(cdn_shape_set_enabled(s.state, s.round, false));
  ck_assert(number(s.state, m[CDN_CONTACT_GAP], 0) == DBL_MAX);
  ck_assert(number(s.state, m[CDN_CONTACT_COUNT], 0) == 0);
  end(&s);
}
END_TEST

typedef struct moments {
  int n;
  double at[8];
} moments;

static cdn_status note(const void *self, cdn_state *state, const cdn_occurrence *what) {
  (void)self, (void)state;
  moments *m = what->user;
  if (m->n < 8) m->at[m->n++] = what->time;
  return CDN_OK;
}

/* A ball at 1 m/s without weight: touch after the way to the floor, lift-off after Hertz's time of contact (mpmath, 25
 * digits; tests/verify/test_contact.c). */
START_TEST(touch_and_lift_off_are_events) {
  static const double time = 0.003957431262131589224500647;
  cdn_event_def touch = cdn_default_event_def(), part = cdn_default_event_def();
  touch.name = "touch", touch.direction = CDN_FALLING, touch.report = note;
  part.name = "part", part.direction = CDN_RISING, part.report = note;
  scene s = make_scene(&touch, &part);
  start(&s);
  OK(cdn_shape_set_enabled(s.state, s.second, false));
  OK(cdn_body_set_u(s.state, s.ball, 6, (double[]){ 0, 0, 0, 0, 0, -1 }));
  moments m = { 0 };
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-9, def.user = &m;
  cdn_stepper *stepper;
  OK(cdn_stepper_create(s.state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1, NULL));
  ck_assert_int_eq(m.n, 2);
  NEAR(m.at[0], drop, 1e-8);
  NEAR(m.at[1], drop + time, 1e-8);
  cdn_stepper_destroy(stepper);
  end(&s);
}
END_TEST

/* A block that slides at v sticks after v / (mu g), whatever the depth of its face; a kick makes it slip again. */
START_TEST(stick_and_slip_are_events) {
  const double g = 9.81, mu = 0.4, v = 0.5, depth = 1e-4, h = 0.05;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_TRANSLATION, body.mass.mass = 1;
  body.q0 = (double[]){ 0, 0, h - depth };
  const cdn_body block = cdn_system_add_body(system, &body);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_contact_material m = cdn_default_contact_material();
  m.static_friction = m.dynamic_friction = mu, m.dissipation = 20;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &m, shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  shape.body = block, shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { h, h, h } };
  const cdn_shape box = cdn_system_add_shape(system, &shape);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.friction = CDN_FRICTION_STICKING;
  cdn_system_set_contact(system, &contact);
  const cdn_measure sticking = measure_of(system, CDN_CONTACT_STICKING, box, any, anybody, anybody);
  cdn_event_def stick = cdn_default_event_def(), slip = stick;
  stick.name = "stick", stick.direction = CDN_RISING, stick.report = note, stick.stage = CDN_STAGE_VELOCITY;
  slip.name = "slip", slip.direction = CDN_FALLING, slip.report = note, slip.stage = CDN_STAGE_VELOCITY;
  cdn_system_add_measure_event(system, sticking, 0, 0.5, &stick);
  cdn_system_add_measure_event(system, sticking, 0, 0.5, &slip);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  OK(cdn_body_set_u(state, block, 3, (double[]){ v, 0, 0 }));
  moments times = { 0 };
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-6, def.user = &times;
  cdn_stepper *stepper;
  OK(cdn_stepper_create(state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.5, NULL));
  ck_assert_int_ge(times.n, 1);
  NEAR(times.at[0], v / (mu * g), 0.01 * v / (mu * g));
  ck_assert(number(cdn_stepper_state(stepper), sticking, 0) >= 1);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

START_TEST(wrong_measures) {
  for (int k = 0; k < 5; k++) {
    scene s = make_scene(NULL, NULL);
    cdn_contact_measure_def def = cdn_default_contact_measure_def();
    def.name = "odd";
    if (k == 0) def.quantity = (cdn_contact_quantity)99;
    if (k == 1) def.shape_b.i = 17;
    if (k == 2) def.body_a.i = 17;
    if (k == 3) def.quantity = CDN_CONTACT_FORCE;
    cdn_system_add_contact_measure(s.system, k == 4 ? NULL : &def);
    FAILS(cdn_system_freeze(s.system), CDN_ERR_ARG);
    if (k < 4) ck_assert(strstr(cdn_last_error_text(), "odd"));
    cdn_system_release(s.system);
  }
}
END_TEST

CHECK_MAIN("contact_measures", numbers_are_those_of_the_contacts, touch_and_lift_off_are_events,
           stick_and_slip_are_events, wrong_measures)
