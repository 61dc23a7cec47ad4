/* Soft rows that set in over a depth: their force against closed forms, and what that does to runs under error control,
 * whose steps follow every jump of a force. */
#include "../testing.h"

static const double G = 9.81, ONSET = 1e-5;

/* Bodies over a half-space through the origin. Pairs have these numbers. */
typedef struct scene {
  cdn_system *system;
  cdn_body body;
} scene;

static scene begin(const double onset, cdn_vec3 gravity) {
  scene s = { .system = cdn_system_create(NULL) };
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_SOFT;
  cdn_system_set_contact(s.system, &contact);
  cdn_soft_def soft = cdn_default_soft_def();
  soft.onset = onset, soft.cone = CDN_SOFT_PYRAMIDAL;
  cdn_system_set_soft(s.system, &soft);
  cdn_system_add_gravity(s.system, NULL, gravity);
  return s;
}

static void add_shape(scene *s, const char *name, cdn_body body, cdn_geometry g, const cdn_soft_material *soft) {
  cdn_shape_def shape = cdn_default_shape_def();
  shape.name = name, shape.body = body, shape.geometry = g, shape.soft = soft;
  cdn_system_add_shape(s->system, &shape);
}

static cdn_state *freeze(scene *s) {
  cdn_state *state;
  OK_FREEZE(s->system);
  OK(cdn_state_create(s->system, &state));
  cdn_system_release(s->system);
  return state;
}

static cdn_body add_body(scene *s, cdn_mobilizer mobilizer, double mass, double moment) {
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = mobilizer, b.mass.mass = mass;
  b.mass.inertia = (cdn_inertia){ moment, moment, moment, 0, 0, 0 };
  return s->body = cdn_system_add_body(s->system, &b);
}

static cdn_soft_material smooth(double d, int dimension, double friction) {
  cdn_soft_material m = cdn_default_soft_material();
  m.law.imp[0] = m.law.imp[1] = d; /* the impedance is a constant */
  m.condim = dimension, m.friction[0] = friction;
  return m;
}

/* 3 p^2 - 2 p^3, level at both ends. */
static double share(double depth, double onset) {
  const double p = fmin(depth / onset, 1);
  return onset > 0 ? p * p * (3 - 2 * p) : 1;
}

/* f = (aref - a0) / (w + R), where the row meets the inverse inertia w, would have the acceleration a0 without it, and
 * R is (1 - d) / d w over the share that has set in. */
static double force_of(double depth, double rate, double w, double a0, double d, double onset) {
  const double B = 2 / (d * 0.02), K = 1 / (d * d * 0.02 * 0.02);
  const double aref = -B * rate + K * d * depth;
  return fmax((aref - a0) / (w + (1 - d) / d * w / share(depth, onset)), 0);
}

static const double depths[] = { 1e-12, 1e-9, 1e-7, 2e-6, 5e-6, 9e-6, 1e-5, 1.1e-5, 1e-4 };

START_TEST(contacts_set_in_as_the_formula_says) {
  const double mass = 3, radius = 0.1, d = 0.9, rate = -0.5;
  const double onsets[] = { 0, ONSET };
  for (int k = 0; k < 2; k++) {
    const cdn_soft_material soft = smooth(d, 1, 0);
    scene s = begin(onsets[k], cdn_v3(0, 0, -G));
    add_body(&s, CDN_FREE, mass, 0.4 * mass * radius * radius);
    add_shape(&s, "floor", (cdn_body){ 0 }, (cdn_geometry){ .kind = CDN_GEOMETRY_HALF_SPACE }, &soft);
    add_shape(&s, "ball", s.body, (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { radius } }, &soft);
    cdn_state *state = freeze(&s);
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
      const double q[7] = { 1, 0, 0, 0, 0, 0, radius - depths[i] }, u[6] = { 0, 0, 0, 0, 0, rate };
      OK_ON(state, cdn_state_set_q(state, q));
      OK_ON(state, cdn_state_set_u(state, u));
      OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
      const double f = force_of(radius - q[6], rate, 1 / mass, -G, d, onsets[k]);
      NEAR(cdn_state_udot(state)[5], f / mass - G, 1e-9 * (f / mass + G) + 1e-8 * (k && depths[i] < 1e-8));
    }
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(limits_set_in_as_the_formula_says) {
  const double moment = 0.2, upper = 0.5, rate = 0.3, d = 0.9;
  scene s = begin(ONSET, cdn_v3(0, 0, 0));
  add_body(&s, CDN_PIN, 1, moment);
  cdn_soft_limit_def limit = cdn_default_soft_limit_def();
  limit.body = s.body, limit.upper = upper, limit.law.imp[0] = limit.law.imp[1] = d;
  cdn_system_add_soft_limit(s.system, &limit);
  cdn_state *state = freeze(&s);
  for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
    const double q = upper + depths[i];
    OK_ON(state, cdn_state_set_q(state, &q));
    OK_ON(state, cdn_state_set_u(state, &rate));
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    const double a = force_of(q - upper, -rate, 1 / moment, 0, d, ONSET) / moment;
    NEAR(cdn_state_udot(state)[0], -a, 1e-8 * a + 1e-6 * (depths[i] < 1e-8));
  }
  cdn_state_destroy(state);
}
END_TEST

/* In the onset the force is a function of the depth that its derivatives know. */
START_TEST(derivatives_know_the_onset) {
  const double radius = 0.1, h = 1e-9;
  const cdn_soft_material soft = smooth(0.9, 1, 0);
  scene s = begin(ONSET, cdn_v3(0, 0, -G));
  add_body(&s, CDN_FREE, 1, 0.004);
  add_shape(&s, "floor", (cdn_body){ 0 }, (cdn_geometry){ .kind = CDN_GEOMETRY_HALF_SPACE }, &soft);
  add_shape(&s, "ball", s.body, (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { radius } }, &soft);
  cdn_state *state = freeze(&s);
  const double u[6] = { 0, 0, 0, 0, 0, -0.5 };
  double q[7] = { 1, 0, 0, 0, 0, 0, radius - 4e-6 }, by_q[36], of[2];
  OK_ON(state, cdn_state_set_u(state, u));
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_forward_dynamics_derivatives(state, by_q, NULL, NULL, NULL));
  for (int way = 0; way < 2; way++) {
    double moved[7];
    memcpy(moved, q, sizeof moved);
    moved[6] += way ? h : -h;
    OK_ON(state, cdn_state_set_q(state, moved));
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    of[way] = cdn_state_udot(state)[5];
  }
  const double slope = (of[1] - of[0]) / (2 * h);
  NEAR(by_q[5 * 6 + 5], slope, 1e-5 * fabs(slope));
  cdn_state_destroy(state);
}
END_TEST

static cdn_stepper *stepper_of(cdn_state *state, double end) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.companion = false, def.final_time = end;
  cdn_stepper *stepper;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  cdn_state_destroy(state);
  return stepper;
}

/* A block that slides is lifted until it touches no more, where rows set in at once; where they set in over a depth it
 * finds its height. By Coulomb it comes as far as v^2 / (2 mu g). */
START_TEST(a_block_slides_as_far_as_coulomb_says) {
  const double mu = 0.7, v = 2, half = 0.1;
  const cdn_soft_material soft = smooth(0.95, 3, mu);
  scene s = begin(ONSET, cdn_v3(0, 0, -G));
  add_body(&s, CDN_FREE, 1, 0.02 / 3);
  add_shape(&s, "floor", (cdn_body){ 0 }, (cdn_geometry){ .kind = CDN_GEOMETRY_HALF_SPACE }, &soft);
  add_shape(&s, "block", s.body, (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { half, half, half } }, &soft);
  cdn_state *state = freeze(&s);
  const double q[7] = { 1, 0, 0, 0, 0, 0, half }, u[6] = { 0, 0, 0, v, 0, 0 };
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  cdn_stepper *stepper = stepper_of(state, 1);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  NEAR(cdn_state_q(cdn_stepper_state(stepper))[4], v * v / (2 * mu * G), 0.01);
  cdn_stepper_destroy(stepper);
}
END_TEST

/* A box on its edge whose middle is at the height of the plane. A corner beside is as high as the plane: where it
 * touches it is pushed up, and where it does not it comes down. */
static const char rocker[] =
    "<mujoco><default><geom solref='-200 -20' solimp='0.5 0.5 0.001'/></default><worldbody>"
    "<geom name='table' type='plane' size='5 5 1'/><body euler='0 45 0'><joint type='slide' axis='0 0 1'/>"
    "<joint type='hinge' axis='0 1 0'/><geom name='rocker' type='box' size='.1 .05 .1' mass='1'/></body></worldbody></mujoco>";

static cdn_stepper *run_rocker(double onset, cdn_model **model) {
  cdn_model_options options = cdn_default_model_options();
  cdn_state *state;
  options.contact = CDN_MODEL_SOFT, options.soft_onset = onset;
  OK(cdn_model_load_string(rocker, sizeof rocker - 1, "rocker.xml", &options, model));
  OK(cdn_state_create(cdn_model_system(*model), &state));
  return stepper_of(state, 3);
}

START_TEST(contact_that_jumps_to_and_fro_is_named_soon) {
  cdn_model *model;
  cdn_stepper *stepper = run_rocker(0, &model);
  cdn_failure f;
  cdn_certificate c;
  FAILS(cdn_stepper_advance(stepper, 3, NULL), CDN_ERR_STEP);
  cdn_stepper_failure(stepper, &f);
  OK(cdn_stepper_certificate(stepper, &c));
  AT_MOST((double)c.steps, 20000);
  ck_assert_msg(strstr(f.error.text, "no progress: soft contact of 'table' and 'rocker' jumps to and fro"), "%s",
                f.error.text);
  ck_assert_msg(strstr(f.advice, "--contact compliant") && strstr(f.advice, "--method file"), "%s", f.advice);
  ck_assert_msg(strlen(f.error.text) < sizeof f.error.text - 1 && strlen(f.advice) < sizeof f.advice - 1, "%s; %s",
                f.error.text, f.advice);
  cdn_stepper_destroy(stepper);
  cdn_model_destroy(model);

  stepper = run_rocker(ONSET, &model);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 3, NULL));
  cdn_stepper_destroy(stepper);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(an_onset_that_is_no_depth_is_refused) {
  const double wrong[] = { -1, NAN, INFINITY };
  for (int i = 0; i < 3; i++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_soft_def soft = cdn_default_soft_def();
    soft.onset = wrong[i];
    cdn_system_set_soft(system, &soft);
    FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
    cdn_error e;
    cdn_system_last_error(system, &e);
    ck_assert_msg(strstr(e.text, "the onset must not be negative"), "%s", e.text);
    cdn_system_release(system);
  }
}
END_TEST

CHECK_MAIN("soft onset", contacts_set_in_as_the_formula_says, limits_set_in_as_the_formula_says,
           derivatives_know_the_onset, a_block_slides_as_far_as_coulomb_says,
           contact_that_jumps_to_and_fro_is_named_soon, an_onset_that_is_no_depth_is_refused)
