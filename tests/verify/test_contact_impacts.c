/* Compliant contact in the limit of stiff materials, against closed forms of rigid impact: a ball that bounces, two
 * bodies, a sphere that meets a floor askew, a row of balls with gaps; and a block that rocks.
 *
 * The numbers of rigid impact are from ../shared/reference/closed_form.json: mpmath, 25 digits. The restitution of Hunt
 * and Crossley's law depends on the speed of the impact. Where a closed form has one restitution e for all impacts,
 * each impact has the dissipation that gives it e: with x = 3/2 c v, x (1 + e) = log((1 + x) / (1 - e x)). */
#include "runs.h"

static const double RIGID = 1e30; /* modulus of a surface that does not give way */

/* The x of the restitution e. */
static double dissipation_number(double e) {
  double low = 0, high = 1 / e;
  for (int i = 0; i < 200; i++) {
    const double x = 0.5 * (low + high);
    if (x * (1 + e) > log((1 + x) / (1 - e * x))) low = x;
    else high = x;
  }
  return 0.5 * (low + high);
}

static cdn_contact_material material(double modulus, double dissipation, double mu) {
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = modulus, m.dissipation = dissipation, m.static_friction = m.dynamic_friction = mu;
  return m;
}

/* A uniform ball of radius R on a body of its own. */
static cdn_body add_ball(cdn_system *system, double mass, double R, const double place[3],
                         const cdn_contact_material *m, cdn_shape *shape) {
  const double inertia = 0.4 * mass * R * R, q0[7] = { 1, 0, 0, 0, place[0], place[1], place[2] };
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.q0 = q0;
  body.mass.mass = mass, body.mass.inertia = (cdn_inertia){ inertia, inertia, inertia, 0, 0, 0 };
  cdn_shape_def def = cdn_default_shape_def();
  def.body = cdn_system_add_body(system, &body);
  def.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { R } }, def.material = m;
  *shape = cdn_system_add_shape(system, &def);
  return def.body;
}

static void add_floor(cdn_system *system, double mu) {
  const cdn_contact_material m = material(RIGID, 0, mu);
  cdn_shape_def def = cdn_default_shape_def();
  def.geometry.kind = CDN_GEOMETRY_HALF_SPACE, def.material = &m;
  cdn_system_add_shape(system, &def);
}

static cdn_state *freeze(cdn_system *system) {
  cdn_state *state;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  return state;
}

/* ---- a ball that bounces ---- */

/* How late the ball is at its apex after `bounces` bounces, and how far too high or too low. */
static void bounce(double modulus, int bounces, double *late, double *off) {
  static const double impact_times[] = { 0.4515236409857309, 1.1739614665629004, 1.7519117270246359,
                                         2.2142719353940244, 2.5841601020895351, 2.8800706354459437 };
  static const double apex_heights[] = { 0.64, 0.4096, 0.262144, 0.16777216, 0.1073741824 };
  const double R = 0.05, g = 9.81, e = 0.8, place[3] = { 0, 0, R + 1 }, x = dissipation_number(e);
  cdn_system *system = cdn_system_create(NULL);
  cdn_shape ball;
  cdn_contact_material m = material(modulus, 0, 0);
  const cdn_body body = add_ball(system, 1, R, place, &m, &ball);
  add_floor(system, 0);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_state *state = freeze(system);
  double speed = sqrt(2 * g);
  m.dissipation = x / (1.5 * speed);
  OK_ON(state, cdn_shape_set_material(state, ball, &m));
  for (int k = 0; k < bounces; k++) {
    /* to the apex after bounce k */
    cdn_stepper *stepper = stepper_of(state, 1e-10);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.5 * (impact_times[k] + impact_times[k + 1]), NULL));
    OK_ON(state, cdn_state_copy(state, cdn_stepper_state(stepper)));
    cdn_stepper_destroy(stepper);
    speed *= e;
    m.dissipation = x / (1.5 * speed);
    OK_ON(state, cdn_shape_set_material(state, ball, &m));
  }
  *late = cdn_body_u(state, body)[5] / g;
  *off = cdn_body_q(state, body)[6] + 0.5 * g * *late * *late - R - apex_heights[bounces - 1];
  cdn_state_destroy(state);
  cdn_system_release(system);
}

/* The ball is late by the times of contact, which fall as modulus^(-2/5). Its apex is off by the weight's share in the
 * energy of an impact, which falls likewise. */
START_TEST(ball_bounces) {
  for (int bounces = 1; bounces <= 5; bounces += 2) {
    double late[3], off[3];
    for (int k = 0; k < 3; k++) bounce(pow(10, 8 + 2 * k), bounces, &late[k], &off[k]);
    for (int k = 0; k < 2; k++) NEAR(late[k + 1] / late[k], pow(100, -0.4), 0.02);
    AT_MOST(late[2], 1e-4 * bounces);
    ck_assert_double_gt(late[2], 0);
    for (int k = 0; k < 2; k++) AT_MOST(fabs(off[k + 1]), 0.2 * fabs(off[k]));
    AT_MOST(fabs(off[2]), 1e-4);
  }
}
END_TEST

/* ---- two bodies ---- */

/* Nothing but the contact acts: the restitution is exact at any stiffness. */
START_TEST(two_bodies_meet) {
  const double e = 0.6, v1 = 5, v2 = -1, after[2] = { -0.76, 2.84 }, accuracy = 1e-9;
  for (int k = 0; k < 2; k++) {
    cdn_system *system = cdn_system_create(NULL);
    const cdn_contact_material m = material(k == 0 ? 1e6 : 1e10, dissipation_number(e) / (1.5 * (v1 - v2)), 0);
    const double places[2][3] = { { 0, 0, 0 }, { 0.4, 0, 0 } }, u[2][6] = { { 0, 0, 0, v1 }, { 0, 0, 0, v2 } };
    cdn_shape shape;
    const cdn_body body[2] = { add_ball(system, 2, 0.1, places[0], &m, &shape),
                               add_ball(system, 3, 0.2, places[1], &m, &shape) };
    cdn_state *state = freeze(system);
    for (int i = 0; i < 2; i++) OK_ON(state, cdn_body_set_u(state, body[i], 6, u[i]));
    cdn_stepper *stepper = stepper_of(state, accuracy);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.2, NULL));
    for (int i = 0; i < 2; i++) NEAR(cdn_body_u(cdn_stepper_state(stepper), body[i])[3], after[i], 10 * accuracy);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
    cdn_system_release(system);
  }
}
END_TEST

/* ---- a sphere that meets the floor askew ---- */

typedef struct oblique {
  double vn, vt, mu, e, vn_after, vt_after, r_omega;
} oblique;

static double oblique_error(const oblique *o, double modulus) {
  const double R = 0.1, place[3] = { 0, 0, R + 0.01 }, u0[6] = { 0, 0, 0, o->vt, 0, -o->vn };
  cdn_system *system = cdn_system_create(NULL);
  const cdn_contact_material m = material(modulus, dissipation_number(o->e) / (1.5 * o->vn), o->mu);
  cdn_shape shape;
  const cdn_body body = add_ball(system, 1, R, place, &m, &shape);
  add_floor(system, o->mu);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.transition_velocity = 1e-3;
  cdn_system_set_contact(system, &contact);
  cdn_state *state = freeze(system);
  OK_ON(state, cdn_body_set_u(state, body, 6, u0));
  cdn_stepper *stepper = stepper_of(state, 1e-8);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.05, NULL));
  const double *u = cdn_body_u(cdn_stepper_state(stepper), body);
  const double error = fmax(fabs(u[5] - o->vn_after), fmax(fabs(u[3] - o->vt_after), fabs(R * u[1] - o->r_omega)));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return error;
}

/* The lever of friction is the radius less the depth, which falls as modulus^(-2/5). */
START_TEST(sphere_meets_the_floor_askew) {
  static const oblique cases[] = { { 2, 1, 0.5, 0.8, 1.6, 0.7142857142857143, 0.7142857142857143 },
                                   { 1, 5, 0.2, 0.5, 0.5, 4.7, 0.75 } };
  for (int i = 0; i < 2; i++) {
    const double coarse = oblique_error(&cases[i], 1e7), fine = oblique_error(&cases[i], 1e10);
    AT_MOST(fine, 0.15 * coarse);
    AT_MOST(fine, 1e-3);
  }
}
END_TEST

/* ---- Newton's cradle with gaps ---- */

/* Balls that meet one after the other, in pairs: the last one leaves with v ((1 + e) / 2)^(N - 1). */
START_TEST(cradle_with_gaps) {
  enum { BALLS = 5 };
  const double e = 0.9, R = 0.05, gap = 0.02, accuracy = 1e-9, u0[6] = { 0, 0, 0, 1, 0, 0 };
  cdn_system *system = cdn_system_create(NULL);
  const cdn_contact_material m = material(1e9, 0, 0);
  cdn_body body[BALLS];
  cdn_shape shape[BALLS];
  double speed = 1;
  for (int i = 0; i < BALLS; i++) {
    const double place[3] = { i * (2 * R + gap), 0, 0 };
    body[i] = add_ball(system, 1, R, place, &m, &shape[i]);
  }
  for (int i = 0; i + 1 < BALLS; i++) {
    cdn_contact_material of_pair = cdn_contact_material_of_pair();
    of_pair.dissipation = dissipation_number(e) / (1.5 * speed);
    cdn_contact_pair_def pair = cdn_default_contact_pair_def();
    pair.a = shape[i], pair.b = shape[i + 1], pair.material = &of_pair;
    cdn_system_add_contact_pair(system, &pair);
    speed *= 0.5 * (1 + e);
  }
  cdn_state *state = freeze(system);
  OK_ON(state, cdn_body_set_u(state, body[0], 6, u0));
  cdn_stepper *stepper = stepper_of(state, accuracy);
  /* the pulse arrives at the last ball after sum of gap / speed */
  OK_STEP(stepper, cdn_stepper_advance(stepper, gap * BALLS / speed, NULL));
  NEAR(cdn_body_u(cdn_stepper_state(stepper), body[BALLS - 1])[3], 0.81450625, 10 * accuracy);
  double momentum = 0;
  for (int i = 0; i < BALLS; i++) momentum += cdn_body_u(cdn_stepper_state(stepper), body[i])[3];
  NEAR(momentum, 1, 1e-12);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* ---- a block that rocks ---- */

/* How late a block of 0.2 m x 0.8 m, which is let go at half of the angle at which it would balance, stands upright. */
static double rock(double modulus) {
  static const double alpha = 0.2449786631268641, quarter = 0.3123085751126223, p = 4.224282023261255;
  const double b = 0.1, h = 0.4, y = 0.2, g = 9.81, m = 1, tilt = alpha / 2, L = b, k = modulus / L;
  cdn_system *system = cdn_system_create(NULL);
  /* The edge starts where it carries the weight, less what the fall takes of it. On the cut, d / (sin cos) wide, the
   * pressure rises from both sides to k d / (sin + cos). */
  const double sine = sin(tilt), cosine = cos(tilt), fall = hypot(b, h) * p * p * pow(sin(alpha - tilt), 2);
  const double depth = sqrt(m * (g - fall) * sine * cosine * (sine + cosine) / (k * y));
  const double angle = tilt, height = h * cos(angle) + b * sin(angle) - depth;
  const double q0[7] = { cos(angle / 2), 0, sin(angle / 2), 0, 0, 0, height };
  const cdn_contact_material rubber = material(modulus, 10, 5), rock_floor = material(RIGID, 0, 5);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.q0 = q0, body.mass.mass = m;
  body.mass.inertia =
      (cdn_inertia){ m / 3 * (y * y + h * h), m / 3 * (b * b + h * h), m / 3 * (b * b + y * y), 0, 0, 0 };
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE, shape.material = &rock_floor;
  cdn_system_add_shape(system, &shape);
  shape.body = cdn_system_add_body(system, &body), shape.material = &rubber;
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { b, y, h } };
  cdn_system_add_shape(system, &shape);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_contact_def contact = cdn_default_contact_def();
  contact.transition_velocity = 1e-3; /* the edge creeps by less */
  cdn_system_set_contact(system, &contact);
  cdn_state *state = freeze(system);
  cdn_stepper *stepper = stepper_of(state, 1e-6);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.99 * quarter, NULL));
  const double *q = cdn_body_q(cdn_stepper_state(stepper), shape.body),
               *u = cdn_body_u(cdn_stepper_state(stepper), shape.body);
  /* upright after `left`, as theta'' = -p^2 sin(alpha - theta) */
  const double theta = 2 * atan2(q[2], q[0]);
  double left = 0;
  for (int i = 0; i < 5; i++) left = -theta / (u[1] - 0.5 * p * p * sin(alpha) * left);
  const double late = 0.99 * quarter + left - quarter;
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return late;
}

START_TEST(block_rocks) {
  const double coarse = rock(1e8), fine = rock(1e10);
  AT_MOST(fabs(fine), 0.2 * fabs(coarse));
  AT_MOST(fabs(fine), 3e-4);
}
END_TEST

CHECK_MAIN("contact_impacts", ball_bounces, two_bodies_meet, sphere_meets_the_floor_askew, cradle_with_gaps,
           block_rocks)
