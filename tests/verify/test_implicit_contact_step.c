/* The implicit contact step: its limit is the continuous law of contact, its order 2. */
#include "runs.h"

#include <cardan/contact.h>

#include "contact/step.h"
#include "dynamics/dynamics.h"
#include "property/random_tree.h"
#include "tower.h"

/* ---- bodies on a floor ---- */

typedef struct scene {
  cdn_geometry geometry;
  cdn_friction friction;
  double modulus, dissipation, mu, torsional, rolling;
  double height; /* of the body above where it touches */
  double q[4], u[6], end;
  bool linked; /* its body is the coupler of a closed loop, and slides in a plane */
} scene;

static double lowest(const cdn_geometry *g) { return g->kind == CDN_GEOMETRY_BOX ? g->size[2] : g->size[0]; }

/* A parallelogram of cranks in the plane x z, and a box on its coupler that touches the floor. */
static void add_loop(cdn_system *system, const scene *s, cdn_shape_def *shape) {
  cdn_body crank[2];
  const double angle = 0.6, length = 0.3;
  for (int k = 0; k < 2; k++) {
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_PIN, def.q0 = &angle;
    def.X_PF.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), -1.5707963267948966);
    def.X_PF.p = cdn_v3(0.2 * k, 0, lowest(&s->geometry) + s->height + length * cos(angle));
    def.mass.mass = 0.5, def.mass.com = cdn_v3(0, 0.5 * length, 0);
    def.mass.inertia = (cdn_inertia){ 0.02, 0.001, 0.02, 0, 0, 0 };
    crank[k] = cdn_system_add_body(system, &def);
  }
  cdn_body_def def = cdn_default_body_def();
  const double back = -angle;
  def.parent = crank[0], def.mobilizer = CDN_PIN, def.q0 = &back;
  def.X_PF.p = cdn_v3(0, length, 0);
  def.X_BM.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), -1.5707963267948966);
  def.mass.mass = 2, def.mass.com = cdn_v3(0.1, 0, 0), def.mass.inertia = (cdn_inertia){ 0.01, 0.04, 0.04, 0, 0, 0 };
  shape->body = cdn_system_add_body(system, &def);
  shape->X_BS.p = cdn_v3(0.1, 0, 0);
  cdn_system_constrain_ball(system, "closes", shape->body, cdn_v3(0.2, 0, 0), crank[1], cdn_v3(0, length, 0));
}

static cdn_system *system_of(const scene *s) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -10));
  cdn_contact_def contact = cdn_default_contact_def();
  contact.friction = s->friction;
  cdn_system_set_contact(system, &contact);
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = s->modulus, m.dissipation = s->dissipation, m.static_friction = 1.3 * s->mu, m.dynamic_friction = s->mu;
  m.torsional_friction = s->torsional, m.rolling_friction = s->rolling;
  add_floor(system, &m);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &m, shape.geometry = s->geometry;
  if (s->linked) {
    add_loop(system, s, &shape);
  } else {
    const double q0[7] = { s->q[0], s->q[1], s->q[2], s->q[3], 0, 0, lowest(&s->geometry) + s->height };
    cdn_body_def body = cdn_default_body_def();
    body.mobilizer = CDN_FREE, body.q0 = q0;
    body.mass.mass = 4, body.mass.inertia = (cdn_inertia){ 0.016, 0.018, 0.02, 0, 0, 0 };
    shape.body = cdn_system_add_body(system, &body);
  }
  cdn_system_add_shape(system, &shape);
  OK_FREEZE(system);
  return system;
}

enum { MOST = 24 };

static int run(const cdn_system *system, const scene *s, const cdn_stepper_def *given, double y[MOST],
               cdn_certificate *c) {
  cdn_state *state;
  cdn_stepper *stepper;
  cdn_stepper_def def = *given;
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system);
  def.final_time = s->end;
  OK(cdn_state_create(system, &state));
  if (s->linked) {
    /* the coupler of a parallelogram moves without turning */
    const double u[3] = { s->u[0], -s->u[0], s->u[0] };
    ck_assert_int_eq(nu, 3);
    const int first[3] = { cdn_body_first_u(system, (cdn_body){ 1 }), cdn_body_first_u(system, (cdn_body){ 3 }),
                           cdn_body_first_u(system, (cdn_body){ 2 }) };
    double all[3];
    for (int k = 0; k < 3; k++) all[first[k]] = u[k];
    OK_ON(state, cdn_state_set_u(state, all));
    double q[3];
    memcpy(q, cdn_state_q(state), sizeof q);
    OK_ON(state, cdn_state_set_q(state, q));
  } else {
    OK_ON(state, cdn_body_set_u(state, (cdn_body){ 1 }, 6, s->u));
  }
  OK(cdn_stepper_create(state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, s->end, NULL));
  cdn_state *now = cdn_stepper_state(stepper);
  memcpy(y, cdn_state_q(now), (size_t)nq * sizeof *y);
  memcpy(y + nq, cdn_state_u(now), (size_t)nu * sizeof *y);
  if (c) OK(cdn_stepper_certificate(stepper, c));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return nq + nu;
}

static double apart(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

#define BALL                                     \
  {                                              \
    .kind = CDN_GEOMETRY_SPHERE, .size = { 0.1 } \
  }
#define BOX                                               \
  {                                                       \
    .kind = CDN_GEOMETRY_BOX, .size = { 0.12, 0.11, 0.1 } \
  }

/* No contact begins or ends in these, and what slides keeps sliding. */
static const struct {
  const char *name;
  scene s;
  int steps;
} smooth[] = {
  { "ball, by the slip speed",
    { .geometry = BALL,
      .friction = CDN_FRICTION_SLIP_SPEED,
      .modulus = 1e5,
      .dissipation = 0.05,
      .mu = 0.3,
      .height = -0.002,
      .q = { 1 },
      .u = { 3, -2, 5, 2, 1, 0 },
      .end = 0.03 },
    20 },
  { "ball that slides on bristles",
    { .geometry = BALL,
      .friction = CDN_FRICTION_STICKING,
      .modulus = 1e5,
      .dissipation = 0.05,
      .mu = 0.3,
      .height = -0.002,
      .q = { 1 },
      .u = { 3, -2, 5, 2, 1, 0 },
      .end = 0.03 },
    40 },
  { "ball that spins and rolls, by the slip speed",
    { .geometry = BALL,
      .friction = CDN_FRICTION_SLIP_SPEED,
      .modulus = 1e5,
      .dissipation = 0.3,
      .mu = 0.2,
      .torsional = 0.01,
      .rolling = 0.004,
      .height = -0.002,
      .q = { 1 },
      .u = { 20, -12, 15, -1, 1, 0 },
      .end = 0.03 },
    40 },
  { "box that sticks and swings",
    { .geometry = BOX,
      .friction = CDN_FRICTION_STICKING,
      .modulus = 1e5,
      .dissipation = 0.1,
      .mu = 2,
      .height = -0.001,
      .q = { 1 },
      .u = { 0, 0, 0.01, 0.003, 0.002, 0 },
      .end = 0.02 },
    80 },
  { "box on an edge that slides slowly",
    { .geometry = BOX,
      .friction = CDN_FRICTION_STICKING,
      .modulus = 1e5,
      .dissipation = 0.1,
      .mu = 0.3,
      .height = 0,
      .q = { 1, 0.1, 0.02, 0 },
      .u = { 0.3, 0.4, 0, 2, 1, 0 },
      .end = 0.01 },
    80 },
  { "loop that sticks and swings",
    { .geometry = BOX,
      .friction = CDN_FRICTION_STICKING,
      .modulus = 1e5,
      .dissipation = 0.1,
      .mu = 5,
      .height = -0.001,
      .u = { 0.003 },
      .end = 0.02,
      .linked = true },
    80 },
};

START_TEST(order_is_two) {
  const scene *s = &smooth[_i].s;
  cdn_system *system = system_of(s);
  cdn_stepper_def def = cdn_default_stepper_def();
  double truth[MOST], y[3][MOST], errors[3];
  def.method = CDN_METHOD_DORMAND_PRINCE_8, def.accuracy = 1e-12;
  const int n = run(system, s, &def, truth, NULL);
  def.method = CDN_METHOD_IMPLICIT_CONTACT;
  for (int k = 0; k < 3; k++) {
    def.fixed_step = s->end / (smooth[_i].steps << k);
    run(system, s, &def, y[k], NULL);
    errors[k] = apart(y[k], truth, n);
    if (getenv("CARDAN_TEST_SHOW"))
      printf("%s: %d steps, error %.2e\n", smooth[_i].name, smooth[_i].steps << k, errors[k]);
  }
  for (int k = 0; k < 2; k++) ck_assert_double_gt(log2(errors[k] / errors[k + 1]), 1.8);
  cdn_system_release(system);
}
END_TEST

START_TEST(accuracy_is_delivered) {
  const scene *s = &smooth[_i].s;
  cdn_system *system = system_of(s);
  cdn_stepper_def def = cdn_default_stepper_def();
  double truth[MOST], y[MOST];
  def.method = CDN_METHOD_DORMAND_PRINCE_8, def.accuracy = 1e-12;
  const int n = run(system, s, &def, truth, NULL);
  def.method = CDN_METHOD_IMPLICIT_CONTACT;
  for (def.accuracy = 1e-3; def.accuracy > 0.9e-6; def.accuracy *= sqrt(0.1)) {
    cdn_certificate c;
    run(system, s, &def, y, &c);
    if (getenv("CARDAN_TEST_SHOW"))
      printf("%s at %.1e: error %.2e, %d evaluations\n", smooth[_i].name, def.accuracy, apart(y, truth, n),
             (int)c.evaluations);
    AT_MOST(apart(y, truth, n), 10 * def.accuracy);
  }
  cdn_system_release(system);
}
END_TEST

/* ---- clutter ---- */

static cdn_system *clutter(int n, bool boxes) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -10));
  cdn_contact_def contact = cdn_default_contact_def();
  contact.friction = CDN_FRICTION_STICKING;
  cdn_system_set_contact(system, &contact);
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = 1e6, m.dissipation = 0.5, m.static_friction = 0.5, m.dynamic_friction = 0.4;
  add_floor(system, &m);
  rng r = rng_of(5);
  for (int i = 0; i < n; i++) {
    const double x = uniform(&r, -0.15, 0.15), y = uniform(&r, -0.15, 0.15);
    const double q0[7] = { 1, 0, 0, 0, x, y, 0.12 + 0.17 * i };
    cdn_body_def body = cdn_default_body_def();
    body.mobilizer = CDN_FREE, body.q0 = q0;
    body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 0.003, 0.004, 0.005, 0, 0, 0 };
    cdn_shape_def shape = cdn_default_shape_def();
    shape.material = &m, shape.body = cdn_system_add_body(system, &body);
    shape.geometry = boxes && i % 3 == 0
                         ? (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { 0.08, 0.06, 0.05 } }
                         : (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.06 + 0.01 * (i % 3) } };
    cdn_system_add_shape(system, &shape);
  }
  OK_FREEZE(system);
  return system;
}

/* The largest root of a mean square of q and of u, as accuracy is meant. */
static double distance(const cdn_state *a, const cdn_state *b) {
  const cdn_system *system = cdn_state_system(a);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system);
  double q = 0, u = 0;
  for (int i = 0; i < nq; i++) q += pow(cdn_state_q(a)[i] - cdn_state_q(b)[i], 2);
  for (int i = 0; i < nu; i++) u += pow(cdn_state_u(a)[i] - cdn_state_u(b)[i], 2);
  return sqrt(fmax(q / nq, u / nu));
}

static cdn_stepper *ten_milliseconds(cdn_state *from, cdn_method method, double accuracy) {
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper;
  def.method = method, def.accuracy = accuracy, def.final_time = cdn_state_time(from) + 0.01;
  OK(cdn_stepper_create(from, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, def.final_time, NULL));
  return stepper;
}

START_TEST(clutter_is_accurate) {
  enum { SAMPLES = 16 };
  cdn_system *system = clutter(6, true);
  cdn_state *state;
  cdn_stepper *whole;
  cdn_stepper_def def = cdn_default_stepper_def();
  double worst[4] = { 0 };
  int64_t cost[4] = { 0 }, of_default[4] = { 0 };
  OK(cdn_state_create(system, &state));
  OK(cdn_stepper_create(state, &def, &whole));
  for (int k = 1; k <= SAMPLES; k++) {
    OK_STEP(whole, cdn_stepper_advance(whole, 0.05 * k, NULL));
    OK(cdn_state_copy(state, cdn_stepper_state(whole)));
    cdn_stepper *truth = ten_milliseconds(state, CDN_METHOD_ADAMS, 1e-8);
    for (int a = 0; a < 4; a++) {
      cdn_certificate c;
      cdn_stepper *convex = ten_milliseconds(state, CDN_METHOD_IMPLICIT_CONTACT, pow(10, -3 - a));
      worst[a] = fmax(worst[a], distance(cdn_stepper_state(convex), cdn_stepper_state(truth)) * pow(10, 3 + a));
      OK(cdn_stepper_certificate(convex, &c));
      cost[a] += c.evaluations;
      cdn_stepper_destroy(convex);
      cdn_stepper *other = ten_milliseconds(state, CDN_METHOD_DEFAULT, pow(10, -3 - a));
      OK(cdn_stepper_certificate(other, &c));
      of_default[a] += c.evaluations;
      cdn_stepper_destroy(other);
    }
    cdn_stepper_destroy(truth);
  }
  for (int a = 0; a < 4; a++) {
    if (getenv("CARDAN_TEST_SHOW"))
      printf("clutter at 1e-%d: worst %.2f of what was asked, %d evaluations (default method: %d)\n", 3 + a, worst[a],
             (int)cost[a], (int)of_default[a]);
    AT_MOST(worst[a], 10);
  }
  cdn_stepper_destroy(whole), cdn_state_destroy(state), cdn_system_release(system);
}
END_TEST

/* Nothing from outside does work: energy falls, but for a part of what was in motion that goes with the accuracy. */
START_TEST(impacts_create_no_energy) {
  for (int k = 0; k < 3; k++) {
    cdn_system *system = clutter(6 + k, false);
    cdn_state *state;
    cdn_stepper *stepper;
    cdn_stepper_def def = cdn_default_stepper_def();
    double least = INFINITY, gained = 0;
    def.method = CDN_METHOD_IMPLICIT_CONTACT, def.accuracy = pow(10, -2 - k), def.final_time = 1.5;
    OK(cdn_state_create(system, &state));
    OK(cdn_stepper_create(state, &def, &stepper));
    while (cdn_state_time(cdn_stepper_state(stepper)) < 1.5) {
      double kinetic, potential;
      OK_STEP(stepper, cdn_stepper_step(stepper, 1.5));
      OK(cdn_kinetic_energy(cdn_stepper_state(stepper), &kinetic));
      OK(cdn_potential_energy(cdn_stepper_state(stepper), &potential));
      gained = fmax(gained, kinetic + potential - least);
      least = fmin(least, kinetic + potential);
    }
    if (getenv("CARDAN_TEST_SHOW")) printf("at %.0e energy rises by %.1e J at most\n", def.accuracy, gained);
    AT_MOST(gained, 50 * def.accuracy); /* some 50 J are in play */
    cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  }
}
END_TEST

/* Options of contact, and nothing that could touch: a body that falls freely. */
START_TEST(a_system_without_shapes_runs) {
  for (int given = 0; given < 2; given++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_state *state = NULL;
    cdn_stepper *stepper = NULL;
    cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -10));
    cdn_contact_def contact = cdn_default_contact_def();
    contact.model = given ? CDN_CONTACT_SOFT : CDN_CONTACT_COMPLIANT;
    cdn_system_set_contact(system, &contact);
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_FREE, def.mass.mass = 2;
    def.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
    cdn_system_add_body(system, &def);
    OK_FREEZE(system);
    OK(cdn_state_create(system, &state));
    cdn_stepper_def how = cdn_default_stepper_def();
    how.method = CDN_METHOD_IMPLICIT_CONTACT;
    OK_ON(state, cdn_stepper_create(state, &how, &stepper));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
    NEAR(cdn_state_q(cdn_stepper_state(stepper))[6], -5, 1e-3);
    cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  }
}
END_TEST

/* A row that holds a mobility. */
static cdn_status hold_row(const void *self, cdn_state *state, cdn_row_list *rows) {
  const cdn_body *body = self;
  cdn_row_def def = cdn_default_row_def();
  def.target[0] = -100 * *cdn_body_u(state, *body);
  cdn_row_list_add(rows, &def);
  cdn_row_list_add_mobility(rows, *body, 0, 1);
  return CDN_OK;
}

static cdn_status declare_hold(void *self, cdn_declarer *d) {
  (void)self;
  const cdn_row_provider provider = { .struct_size = sizeof provider, .name = "brake", .calc_rows = hold_row };
  cdn_declare_rows(d, &provider);
  return CDN_OK;
}

/* A crate that a row holds does not fall; it would by 4.9 m. The row's target follows u at the start of a stage:
 * rounding may grow to what the accuracy allows. */
START_TEST(provided_rows_hold) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass.mass = 1;
  const cdn_body crate = cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(-9.81, 0, 0));
  const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "brake", .self_size = sizeof crate, .declare = declare_hold
  };
  cdn_system_add_subsystem(system, &ops, &crate);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_stepper_def how = cdn_default_stepper_def();
  how.method = CDN_METHOD_IMPLICIT_CONTACT;
  OK_ON(state, cdn_stepper_create(state, &how, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  NEAR(cdn_state_q(cdn_stepper_state(stepper))[0], 0, 1e-6);
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
}
END_TEST

/* A crate on the floor, with friction by the slip speed, pushed along it by a part of its weight. */
static cdn_stepper *push_crate(double part, double step) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state;
  cdn_stepper *stepper;
  const double q0[3] = { 0, 0, 0.1 };
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_TRANSLATION, def.mass.mass = 1, def.q0 = q0;
  def.mass.inertia = (cdn_inertia){ 0.01, 0.01, 0.01, 0, 0, 0 };
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_COMPLIANT, contact.friction = CDN_FRICTION_SLIP_SPEED, contact.transition_velocity = 1e-3;
  cdn_system_set_contact(system, &contact);
  cdn_contact_material material = cdn_default_contact_material();
  material.modulus = 1e7, material.static_friction = 1, material.dynamic_friction = 0.2;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &material, shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  shape.body = cdn_system_add_body(system, &def), shape.geometry.kind = CDN_GEOMETRY_SPHERE;
  shape.geometry.size[0] = 0.1;
  cdn_system_add_shape(system, &shape);
  cdn_system_add_gravity(system, "gravity", cdn_v3(9.81 * part, 0, -9.81));
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_stepper_def how = cdn_default_stepper_def();
  how.method = CDN_METHOD_IMPLICIT_CONTACT, how.fixed_step = step;
  OK_ON(state, cdn_stepper_create(state, &how, &stepper));
  cdn_state_destroy(state);
  cdn_system_release(system);
  return stepper;
}

/* The certificate tells how contacts were solved. */
START_TEST(stages_count_their_iterations) {
  cdn_stepper *stepper = push_crate(1.3, 0.02);
  cdn_certificate c;
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.02, NULL));
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  ck_assert(c.soft_iterations > 0 && c.evaluations > 0 && c.max_soft_residual == 0);
  cdn_stepper_destroy(stepper);
}
END_TEST

/* Friction of a stage whose State has the speed x times that of the transition, and which ends at `end` times it. */
static void slide(double x, double end, double *law, double *bound, double *stage) {
  enum { T = 1000 };
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.friction = CDN_FRICTION_SLIP_SPEED, contact.transition_velocity = 1. / T;
  cdn_system_set_contact(system, &contact);
  cdn_contact_material m = cdn_default_contact_material();
  m.static_friction = 0.8, m.dynamic_friction = 0.2;
  add_floor(system, &m);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_TRANSLATION, def.mass.mass = 2;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &m, shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = 0.1;
  shape.body = cdn_system_add_body(system, &def);
  cdn_system_add_shape(system, &shape);
  OK_FREEZE(system);
  cdn_state *state;
  cdn_contact c;
  const double u[3] = { end / T, 0, 0 };
  double udot[3];
  OK(cdn_state_create(system, &state));
  OK(cdn_state_set_q(state, (double[]){ 0, 0, 0.0999 }));
  OK(cdn_state_set_u(state, (double[]){ x / T, 0, 0 }));
  OK_ON(state, cdn_contact_get(state, 0, &c));
  *law = -c.friction.x, *bound = 0.8 * c.force;
  /* so short that it changes no speed, nor the normal force */
  const soft_step step = { .h = 1e-12, .u = u };
  soft_effort effort;
  OK_ON(state, cdni_dynamics_step(state, &step, udot, NULL, &effort));
  *stage = -2 * udot[0];
  cdn_state_destroy(state);
  cdn_system_release(system);
}

START_TEST(friction_of_a_stage_is_that_of_the_law) {
  static const double speeds[] = { 0.01, 0.3, 0.8, 1, 1.5, 20 };
  double law, bound, stage;
  for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
    slide(speeds[i], speeds[i], &law, &bound, &stage);
    NEAR(stage, law, 1e-8 * bound);
    /* Stribeck's formula is that of the State's speed, but static friction is the most that there is */
    slide(speeds[i], 100, &law, &bound, &stage);
    AT_MOST(stage, bound * (1 + 1e-8));
  }
}
END_TEST

/* The rows of the touches that a step keeps, in a State that does not touch. */
static int kept_rows(cdn_state *state) {
  int touches, rows;
  OK_ON(state, cdni_contact_step_touches(cdni_contact(cdn_state_system(state)), state, &touches, &rows));
  ck_assert_int_eq(touches, 0);
  return rows;
}

/* What a step keeps of its start is a variable: copies and checkpoints have it, wherever the State has gone since. */
START_TEST(what_a_step_keeps_is_a_variable) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_material m = cdn_default_contact_material();
  add_floor(system, &m);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_TRANSLATION, def.mass.mass = 2;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &m, shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = 0.1;
  shape.body = cdn_system_add_body(system, &def);
  cdn_system_add_shape(system, &shape);
  OK_FREEZE(system);
  cdn_state *state, *copy, *loaded;
  cdn_buffer bytes = { 0 };
  OK(cdn_state_create(system, &state));
  OK(cdn_state_create(system, &copy));
  OK(cdn_state_create(system, &loaded));
  OK(cdn_state_set_q(state, (double[]){ 0, 0, 0.0999 }));
  OK_ON(state, cdni_dynamics_hold(state));
  OK(cdn_state_set_q(state, (double[]){ 0, 0, 0.2 }));
  const int rows = kept_rows(state);
  ck_assert_int_gt(rows, 0);
  OK(cdn_state_set_q(state, (double[]){ 0, 0, 0.3 }));
  OK(cdn_state_copy(copy, state));
  ck_assert_int_eq(kept_rows(copy), rows);
  OK_ON(state, cdn_state_save(state, cdn_buffer_write, &bytes));
  OK_ON(loaded, cdn_state_load(loaded, cdn_buffer_read, &bytes));
  ck_assert_int_eq(kept_rows(loaded), rows);
  cdn_buffer_free(&bytes);
  cdn_state_destroy(state), cdn_state_destroy(copy), cdn_state_destroy(loaded);
  cdn_system_release(system);
}
END_TEST

static void add(TCase *c) {
  tcase_add_test(c, what_a_step_keeps_is_a_variable);
  tcase_add_test(c, stages_count_their_iterations);
  tcase_add_test(c, friction_of_a_stage_is_that_of_the_law);
  tcase_add_test(c, a_system_without_shapes_runs);
  tcase_add_test(c, provided_rows_hold);
  tcase_add_loop_test(c, order_is_two, 0, sizeof smooth / sizeof *smooth);
  tcase_add_loop_test(c, accuracy_is_delivered, 0, sizeof smooth / sizeof *smooth);
  tcase_add_test(c, clutter_is_accurate);
  tcase_add_test(c, impacts_create_no_energy);
}
CHECK_MAIN_OF("implicit contact step", 240, add)
