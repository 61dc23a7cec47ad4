/* Exponential springs against closed forms: where a mass rests and how it vibrates, what sticks on a slope and for how
 * long, and what slides. */
#include "runs.h"

static const double g = 9.81, mass = 2;

typedef struct scene {
  cdn_system *system;
  cdn_state *state;
  cdn_body body;
  cdn_force spring;
} scene;

/* A mass that moves along x, y, z over a plane that is tilted about y by `slope`; its point is at the height z over the
 * plane. */
static scene make_scene(cdn_exponential_spring_def def, double slope, double z) {
  scene s = { .system = cdn_system_create(NULL) };
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_TRANSLATION, body.mass.mass = mass;
  body.q0 = (double[]){ z * sin(slope), 0, z * cos(slope) };
  s.body = cdn_system_add_body(s.system, &body);
  cdn_system_add_gravity(s.system, "gravity", cdn_v3(0, 0, -g));
  def.name = "foot", def.body = s.body;
  def.X_AP.R = (cdn_rotation){ { cos(slope), 0, -sin(slope) }, { 0, 1, 0 }, { sin(slope), 0, cos(slope) } };
  s.spring = cdn_system_add_exponential_spring(s.system, &def);
  OK_FREEZE(s.system);
  OK(cdn_state_create(s.system, &s.state));
  return s;
}

static void end(scene *s) {
  cdn_state_destroy(s->state);
  cdn_system_release(s->system);
}

/* d1 exp(-d2 (z - d0)) = N */
static double height_of(const cdn_exponential_spring_def *d, double N) { return d->d0 - log(N / d->d1) / d->d2; }

START_TEST(rest_and_small_vibrations) {
  cdn_exponential_spring_def def = cdn_default_exponential_spring_def();
  def.cz = 0;
  const double z = height_of(&def, mass * g), amplitude = 1e-8;
  scene s = make_scene(def, 0, z);
  OK_ON(s.state, cdn_realize(s.state, CDN_STAGE_ACCELERATION));
  for (int i = 0; i < 3; i++) NEAR(cdn_state_udot(s.state)[i], 0, 1e-11);
  /* k = d2 m g, whatever d0 and d1 are: the period is 2 pi / sqrt(d2 g) */
  const double period = 2 * PI / sqrt(def.d2 * g);
  OK(cdn_body_set_q(s.state, s.body, 3, (double[]){ 0, 0, z + amplitude }));
  cdn_stepper *stepper = stepper_of(s.state, 1e-13);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 10.25 * period, NULL));
  const double *q = cdn_body_q(cdn_stepper_state(stepper), s.body), *u = cdn_body_u(cdn_stepper_state(stepper), s.body);
  NEAR(q[2] - z, 0, 1e-3 * amplitude);
  NEAR(u[2], -amplitude * sqrt(def.d2 * g), 1e-3 * amplitude * sqrt(def.d2 * g));
  cdn_stepper_destroy(stepper);
  end(&s);
}
END_TEST

/* Below the angle of friction it is displaced by m g sin / k, and stays there. */
START_TEST(it_sticks_on_a_slope) {
  cdn_exponential_spring_def def = cdn_default_exponential_spring_def();
  const double slope = 0.4; /* tan 0.42 < 0.7 */
  scene s = make_scene(def, slope, height_of(&def, mass * g * cos(slope)));
  cdn_stepper *stepper = stepper_of(s.state, 1e-9);
  double x[2];
  for (int k = 0; k < 2; k++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, 2 + 20 * k, NULL));
    const double *q = cdn_body_q(cdn_stepper_state(stepper), s.body);
    x[k] = q[0] * cos(slope) - q[2] * sin(slope);
    NEAR(x[k], mass * g * sin(slope) / def.k, 1e-8);
  }
  NEAR(x[1], x[0], 1e-9);
  cdn_stepper_destroy(stepper);
  end(&s);
}
END_TEST

/* Beyond it slides with the acceleration g (sin - mu cos) once it is quick beside the transition velocity. */
START_TEST(it_slides_down_a_slope) {
  cdn_exponential_spring_def def = cdn_default_exponential_spring_def();
  const double slope = 0.8; /* tan 1.03 > 0.7 */
  scene s = make_scene(def, slope, height_of(&def, mass * g * cos(slope)));
  const double a = g * (sin(slope) - def.dynamic_friction * cos(slope)), v = 1;
  OK(cdn_body_set_u(s.state, s.body, 3, (double[]){ v * cos(slope), 0, -v * sin(slope) }));
  cdn_stepper *stepper = stepper_of(s.state, 1e-8);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  const double *u = cdn_body_u(cdn_stepper_state(stepper), s.body);
  /* mu is 2e-5 more at these speeds; the bristle takes c / k = 14 ms to turn */
  NEAR(u[0] * cos(slope) - u[2] * sin(slope), v + a, 1e-3 * a);
  cdn_stepper_destroy(stepper);
  end(&s);
}
END_TEST

/* A foot of four points is thrown on the plane: what it loses, the certificate counts as work of the springs, and what
 * it loses it does not get back. */
START_TEST(energy_is_accounted_for) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.mass.mass = mass, body.mass.inertia = (cdn_inertia){ 0.02, 0.03, 0.04, 0, 0, 0 };
  body.q0 = (double[]){ 0.98, 0.1, 0.1, 0.1, 0, 0, 0.3 };
  const cdn_body foot = cdn_system_add_body(system, &body);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  for (int k = 0; k < 4; k++) {
    cdn_exponential_spring_def def = cdn_default_exponential_spring_def();
    def.body = foot, def.p_B = cdn_v3(k % 2 ? 0.1 : -0.1, k < 2 ? 0.05 : -0.05, -0.05);
    cdn_system_add_exponential_spring(system, &def);
  }
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  OK(cdn_body_set_u(state, foot, 6, (double[]){ 1, 2, 3, 1, 0.5, 0 }));
  cdn_stepper *stepper = stepper_of(state, 1e-6);
  double before = INFINITY;
  for (int k = 1; k <= 40; k++) {
    double kinetic, potential;
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.2 * k, NULL));
    cdn_state *now = cdn_stepper_state(stepper);
    OK_ON(now, cdn_kinetic_energy(now, &kinetic));
    OK_ON(now, cdn_potential_energy(now, &potential));
    AT_MOST(kinetic + potential,
            before + 0.05); /* the springs may give back what they held: at rest m g / d2 = 0.02 J */
    before = kinetic + potential;
  }
  for (int i = 0; i < 6; i++) NEAR(cdn_body_u(cdn_stepper_state(stepper), foot)[i], 0, 0.02);
  cdn_certificate c;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  AT_MOST(fabs(c.energy_residual), 1e-4);
  AT_MOST(c.work, -1);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

START_TEST(parameters_and_mistakes) {
  cdn_exponential_spring_def def = cdn_default_exponential_spring_def();
  scene s = make_scene(def, 0, 0.01);
  double value;
  OK(cdn_parameter_get(s.state, CDN_ELEMENT_FORCE, "foot", "d2", &value));
  ck_assert_double_eq(value, 1150);
  OK_ON(s.state, cdn_realize(s.state, CDN_STAGE_ACCELERATION));
  const double before = cdn_state_udot(s.state)[2] + g;
  OK(cdn_parameter_set(s.state, CDN_ELEMENT_FORCE, "foot", "d1", 2 * def.d1));
  OK_ON(s.state, cdn_realize(s.state, CDN_STAGE_ACCELERATION));
  NEAR(cdn_state_udot(s.state)[2] + g, 2 * before, 1e-14 * g);
  end(&s);
  for (int k = 0; k < 7; k++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_body_def body = cdn_default_body_def();
    body.mobilizer = CDN_FREE, body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
    cdn_exponential_spring_def d = cdn_default_exponential_spring_def();
    d.body = cdn_system_add_body(system, &body), d.name = "odd";
    if (k == 0) d.d1 = 0;
    if (k == 1) d.body = cdn_ground();
    if (k == 2) d.static_friction = 0.1;
    if (k == 3) d.p_B.x = NAN;
    if (k == 4) d.X_AP.R.x.x = 2;
    if (k == 5) d.c = 0;
    cdn_system_add_exponential_spring(system, k == 6 ? NULL : &d);
    FAILS(cdn_system_freeze(system), k == 3 ? CDN_ERR_NONFINITE : CDN_ERR_ARG);
    if (k < 6) ck_assert(strstr(cdn_last_error_text(), "odd"));
    cdn_system_release(system);
  }
}
END_TEST

CHECK_MAIN("exponential_spring", rest_and_small_vibrations, it_sticks_on_a_slope, it_slides_down_a_slope,
           energy_is_accounted_for, parameters_and_mistakes)
