/* Compliant contact against closed forms: Hertz's impact, the restitution of Hunt and Crossley's law, a sphere that
 * slides until it rolls, and what must hold for any contact: energy, momentum, forces that do not jump.
 *
 * The numbers of the impacts are from ../shared/reference/closed_form.json: mpmath, 25 digits. */
#include "runs.h"

static const double RIGID = 1e30; /* modulus of a surface that does not give way */

typedef struct scene {
  cdn_system *system;
  cdn_state *state;
  cdn_body body;
  cdn_shape shape, floor;
} scene;

/* A body with a sphere or capsule over a rigid half-space at z = 0. */
static scene make_scene(cdn_geometry geometry, double mass, cdn_inertia inertia, cdn_contact_material material,
                        cdn_contact_material floor, double g, double transition, const double q0[7]) {
  scene s = { .system = cdn_system_create(NULL) };
  cdn_body_def body = cdn_default_body_def();
  body.name = "ball", body.mobilizer = CDN_FREE, body.q0 = q0;
  body.mass.mass = mass, body.mass.inertia = inertia;
  s.body = cdn_system_add_body(s.system, &body);
  if (g > 0) cdn_system_add_gravity(s.system, "gravity", cdn_v3(0, 0, -g));
  cdn_shape_def shape = cdn_default_shape_def();
  shape.name = "floor", shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE, shape.material = &floor;
  s.floor = cdn_system_add_shape(s.system, &shape);
  shape.name = "surface", shape.body = s.body, shape.geometry = geometry, shape.material = &material;
  s.shape = cdn_system_add_shape(s.system, &shape);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.transition_velocity = transition;
  cdn_system_set_contact(s.system, &contact);
  OK_FREEZE(s.system);
  OK(cdn_state_create(s.system, &s.state));
  return s;
}

static void free_scene(scene *s) {
  cdn_state_destroy(s->state);
  cdn_system_release(s->system);
}

static cdn_geometry sphere(double r) { return (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { r } }; }
static cdn_inertia ball_inertia(double m, double r) {
  return (cdn_inertia){ 0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r, 0, 0, 0 };
}

static cdn_contact_material material(double modulus, double dissipation, double mu) {
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = modulus, m.dissipation = dissipation, m.static_friction = m.dynamic_friction = mu;
  return m;
}

/* ---- impacts ---- */

enum { FALL = 100 }; /* the ball starts 1/FALL m above the floor, at 1 m/s */

static scene impact(double dissipation) {
  const double R = 0.02, q0[7] = { 1, 0, 0, 0, 0, 0, R + 1.0 / FALL }, u0[6] = { 0, 0, 0, 0, 0, -1 };
  scene s = make_scene(sphere(R), 0.1, ball_inertia(0.1, R), material(1e7, dissipation, 0), material(RIGID, 0, 0), 0,
                       0.01, q0);
  OK_ON(s.state, cdn_body_set_u(s.state, s.body, 6, u0));
  return s;
}

static int contacts(cdn_state *state, cdn_contact *first) {
  int n;
  OK_ON(state, cdn_contact_count(state, &n));
  if (n > 0) OK_ON(state, cdn_contact_get(state, 0, first));
  return n;
}

START_TEST(impact_as_hertz_has_it) {
  static const double time = 0.003957431262131589224500647, depth = 0.001344567196165712649769981,
                      force = 92.96671847748562708551755, radius = 0.005185686446683240507570481;
  for (int k = 0; k < 7; k++) {
    const double accuracy = pow(10, -3 - 1.1 * k);
    scene s = impact(0);
    cdn_stepper *stepper = stepper_of(s.state, accuracy);
    cdn_state *now = cdn_stepper_state(stepper);
    cdn_contact c;
    OK_STEP(stepper, cdn_stepper_advance(stepper, 1.0 / FALL + time / 2, NULL));
    ck_assert_int_eq(contacts(now, &c), 1);
    /* absolute accuracy of lengths is accuracy * 1 m */
    NEAR(c.depth, depth, 10 * accuracy + 1e-14);
    NEAR(c.radius[0], radius, 10 * accuracy * radius / depth + 1e-13);
    NEAR(c.force, force, 10 * accuracy * 1.5 * force / depth + 1e-11);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 1.0 / FALL + 3 * time, NULL));
    ck_assert_int_eq(contacts(now, &c), 0);
    NEAR(cdn_body_u(now, s.body)[5], 1, 10 * accuracy + 1e-13);
    /* the place says how long it took: back at the height where it touched, 2 time after the end */
    NEAR(cdn_body_q(now, s.body)[6], 0.02 + 2 * time, 10 * accuracy + 1e-13);
    cdn_stepper_destroy(stepper);
    free_scene(&s);
  }
}
END_TEST

/* e depends on d v0 alone, d = 3/2 c. */
START_TEST(restitution_of_hunt_and_crossley) {
  static const double table[][2] = {
    { 0.001, 0.9993337774521084305147880 }, { 0.01, 0.9933774543987673634030332 },
    { 0.03, 0.9803914029849220644079531 },  { 0.1, 0.9374755799499050637728355 },
    { 0.15, 0.9090157413492023072223538 },  { 0.3, 0.8328697922656016650311731 },
    { 0.5, 0.7484349315974341581232280 },   { 1, 0.5936242600400400923230419 },
    { 1.5, 0.4877412560153485255066143 },   { 3, 0.3068967982909621145202971 },
    { 5, 0.1969802452805188850472786 },     { 10, 0.09998162475294388687928343 },
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const double accuracy = 1e-9;
    scene s = impact(table[i][0] / 1.5);
    cdn_stepper *stepper = stepper_of(s.state, accuracy);
    cdn_state *now = cdn_stepper_state(stepper);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
    NEAR(cdn_body_u(now, s.body)[5], table[i][1], 10 * accuracy);
    cdn_certificate c;
    OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
    /* The work of dissipation is integrated beside the motion, without a tolerance of its own: where the impact takes
     * 99 % of the energy it is 45 accuracies off. */
    AT_MOST(fabs(c.energy_residual), (table[i][0] < 10 ? 10 : 100) * accuracy);
    cdn_stepper_destroy(stepper);
    free_scene(&s);
  }
}
END_TEST

/* ---- friction ---- */

/* A uniform sphere at 3 m/s without spin, mu = 0.2: it slides for 2 v / (7 mu g), then rolls at 5/7 of its speed.
 * Friction that grows over the transition velocity w changes both by some w. */
START_TEST(sphere_slides_until_it_rolls) {
  static const double t_roll = 0.4368719965050240279598078, v_roll = 2.142857142857142857142857,
                      x_roll = 1.123385133870061786182363;
  const double R = 0.1, m = 1, g = 9.81, E = 1e7, transition = 1e-5;
  const double depth = pow(m * g / (4.0 / 3 * E * sqrt(R)), 2.0 / 3);
  const double q0[7] = { 1, 0, 0, 0, 0, 0, R - depth }, u0[6] = { 0, 0, 0, 3, 0, 0 };
  scene s =
      make_scene(sphere(R), m, ball_inertia(m, R), material(E, 0, 0.2), material(RIGID, 0, 0.2), g, transition, q0);
  OK_ON(s.state, cdn_body_set_u(s.state, s.body, 6, u0));
  cdn_stepper *stepper = stepper_of(s.state, 1e-7);
  cdn_state *now = cdn_stepper_state(stepper);
  OK_STEP(stepper, cdn_stepper_advance(stepper, t_roll, NULL));
  /* the lever of friction is R - depth */
  const double off = 2 * depth / R;
  NEAR(cdn_body_q(now, s.body)[4], x_roll, off * x_roll + 100 * transition);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  NEAR(cdn_body_u(now, s.body)[3], v_roll, off * v_roll + 10 * transition);
  cdn_contact c;
  ck_assert_int_eq(contacts(now, &c), 1);
  AT_MOST(hypot(c.slip[0], c.slip[1]), transition);
  NEAR(c.force, m * g, 1e-3 * m * g);
  cdn_stepper_destroy(stepper);
  free_scene(&s);
}
END_TEST

/* ---- forces that do not jump ---- */

/* A capsule that lies on the floor is carried by both of its ends, and by one as by two when the other leaves. */
START_TEST(capsule_lies_down_smoothly) {
  const double r = 0.05, l = 0.2, depth = 1e-4;
  cdn_spatial F[2][2];
  for (int k = 0; k < 2; k++) {
    const double tilt = PI / 2 + (k == 0 ? -1e-9 : 1e-9);
    const double q0[7] = { cos(tilt / 2), 0, sin(tilt / 2), 0, 0, 0, r - depth };
    scene s = make_scene((cdn_geometry){ .kind = CDN_GEOMETRY_CAPSULE, .size = { r, l } }, 1,
                         (cdn_inertia){ 1, 1, 1, 0, 0, 0 }, material(1e7, 0, 0), material(RIGID, 0, 0), 0, 0.01, q0);
    int n;
    OK_ON(s.state, cdn_contact_count(s.state, &n));
    ck_assert_int_eq(n, 2);
    OK_ON(s.state, cdn_applied_forces(s.state, F[k], NULL));
    NEAR(F[k][1].v.z, 2 * 4.0 / 3 * 1e7 * sqrt(r) * pow(depth, 1.5), 1e-6);
    NEAR(F[k][1].w.y, 0, 1e-3);
    free_scene(&s);
  }
  NEAR(F[0][1].w.y, -F[1][1].w.y, 1e-9);
}
END_TEST

/* ---- pressure fields ---- */

static cdn_geometry box(double x, double y, double z) {
  return (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { x, y, z } };
}

/* Force and moment about the body's origin that a box feels on the floor. */
static cdn_spatial box_on_floor(const double q0[7]) {
  scene s = make_scene(box(0.1, 0.2, 0.3), 1, (cdn_inertia){ 1, 1, 1, 0, 0, 0 }, material(2e6, 0, 0),
                       material(RIGID, 0, 0), 0, 0.01, q0);
  cdn_spatial F[2];
  OK_ON(s.state, cdn_applied_forces(s.state, F, NULL));
  free_scene(&s);
  return F[1];
}

/* A rigid floor cuts the box. The pressure at a point of the cut is E / L times its distance from the nearest face of
 * the box: on a face d below the floor, d, but less within d of the rim; on an edge, the distance from the two faces
 * that meet there. */
START_TEST(box_on_a_rigid_floor) {
  const double k = 2e6 / 0.1, x = 0.2, y = 0.4, d = 0.01, flat[7] = { 1, 0, 0, 0, 0, 0, 0.29 };
  const cdn_spatial F = box_on_floor(flat);
  NEAR(F.v.z, k * (x * y * d - (x + y) * d * d + 4.0 / 3 * d * d * d), 1e-12 * F.v.z);
  NEAR(cdn_norm(F.w), 0, 1e-12 * F.v.z);
  /* on an edge along y, turned by 45 degrees: the cut is 2 d wide; the ends of the edge take d^3 / 3 */
  const double a = 0.1, c = 0.3, half = PI / 4;
  const double q0[7] = { cos(half / 2), 0, sin(half / 2), 0, 0, 0, (a + c) * sqrt(0.5) - d };
  const cdn_spatial edge = box_on_floor(q0);
  NEAR(edge.v.z, k * (y * d * d * sqrt(0.5) - d * d * d / 3), 1e-9 * edge.v.z);
  /* the edge is at x = +-(c - a) / sqrt(2) of the centre; the moment about y is -x f */
  NEAR(fabs(edge.w.y), (c - a) * sqrt(0.5) * edge.v.z, 1e-9 * edge.v.z);
}
END_TEST

/* Small turns make small changes, through the pose where a face lies flat: second differences see no jump and no bend
 * of the first order. Also of two boxes, face on face. */
START_TEST(pressure_is_continuous_where_faces_are_parallel) {
  for (int axis = 0; axis < 2; axis++) {
    double moment[3], force[3];
    for (int k = 0; k < 3; k++) {
      const double angle = 1e-6 * (k - 1);
      double q0[7] = { cos(angle / 2), 0, 0, 0, 0, 0, 0.29 };
      q0[1 + axis] = sin(angle / 2);
      const cdn_spatial F = box_on_floor(q0);
      moment[k] = axis == 0 ? F.w.x : F.w.y, force[k] = F.v.z;
    }
    NEAR(moment[1], 0, 1e-7);
    NEAR(moment[0], -moment[2], 1e-7);
    NEAR(force[0] + force[2] - 2 * force[1], 0, 1e-9 * force[1]);
    /* The cut moves along with the box's axis, 0.29 below the centre, and the pressure on the inner part of the face
     * tilts. */
    const double k = 2e6 / 0.1, x = 0.18, y = 0.38, I = axis == 0 ? x * y * y * y / 12 : y * x * x * x / 12;
    NEAR(moment[2], 1e-6 * (0.29 * force[1] - k * I), 1e-6 * 1e-6 * k * I + 1e-9);
  }
}
END_TEST

/* Two equal boxes, face on face, share the overlap: each gives way by half of it. */
START_TEST(boxes_share_the_overlap) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  const double q0[7] = { 1, 0, 0, 0, 0.05, 0.03, 0.39 };
  body.mobilizer = CDN_FREE, body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 }, body.q0 = q0;
  const cdn_body top = cdn_system_add_body(system, &body);
  cdn_shape_def shape = cdn_default_shape_def();
  const cdn_contact_material m = material(1e6, 0, 0);
  shape.material = &m, shape.geometry = box(0.2, 0.2, 0.2);
  cdn_system_add_shape(system, &shape);
  shape.body = top;
  cdn_system_add_shape(system, &shape);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  cdn_spatial F[2];
  OK_ON(state, cdn_applied_forces(state, F, NULL));
  const double x = 0.35, y = 0.37, p = 1e6 / 0.2 * 0.005;
  /* at the rim of the patch, within half the overlap, other faces are nearer */
  NEAR(F[1].v.z, x * y * p, 0.03 * x * y * p);
  ck_assert_double_gt(F[1].v.z, 0);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* A box falls on the floor, tilts, and comes to rest; its weight is carried. */
START_TEST(box_comes_to_rest) {
  const double q0[7] = { cos(0.1), sin(0.1), 0, 0, 0, 0, 0.4 }, m = 4;
  scene s = make_scene(box(0.1, 0.2, 0.3), m, (cdn_inertia){ m / 3 * 0.13, m / 3 * 0.10, m / 3 * 0.05, 0, 0, 0 },
                       material(1e6, 1, 0.5), material(1e6, 1, 0.5), 9.81, 0.01, q0);
  cdn_stepper *stepper = stepper_of(s.state, 1e-5);
  cdn_state *now = cdn_stepper_state(stepper);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 5, NULL));
  double force = 0;
  int n;
  OK_ON(now, cdn_contact_count(now, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    OK_ON(now, cdn_contact_get(now, i, &c));
    force += c.force * -c.normal.z;
  }
  NEAR(fabs(force), m * 9.81, 1e-3 * m * 9.81);
  for (int i = 0; i < 6; i++) NEAR(cdn_body_u(now, s.body)[i], 0, 1e-3);
  cdn_certificate c;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  AT_MOST(fabs(c.energy_residual), 1e-4);
  cdn_stepper_destroy(stepper);
  free_scene(&s);
}
END_TEST

/* ---- what is refused ---- */

START_TEST(mistakes_are_named) {
  const struct {
    cdn_geometry geometry;
    double modulus, mu_s, mu_d;
    const char *text;
  } cases[] = {
    { sphere(-1), 1e7, 1, 1, "'egg'" },
    { sphere(NAN), 1e7, 1, 1, "'egg'" },
    { sphere(1), 0, 1, 1, "modulus" },
    { sphere(1), NAN, 1, 1, "not finite" },
    { sphere(1), 1e7, 0.1, 1, "static friction" },
    { { .kind = CDN_GEOMETRY_CONVEX }, 1e7, 1, 1, "'egg'" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_contact_material m = material(cases[i].modulus, 0, 0);
    m.static_friction = cases[i].mu_s, m.dynamic_friction = cases[i].mu_d;
    cdn_shape_def shape = cdn_default_shape_def();
    shape.name = "egg", shape.geometry = cases[i].geometry, shape.material = &m;
    ck_assert_int_eq(cdn_system_add_shape(system, &shape).i, -1);
    ck_assert_int_ne(cdn_system_freeze(system), CDN_OK);
    cdn_error error;
    cdn_system_last_error(system, &error);
    ck_assert_msg(strstr(error.text, cases[i].text) != NULL, "%s", error.text);
    cdn_system_release(system);
  }
}
END_TEST

CHECK_MAIN("contact", impact_as_hertz_has_it, restitution_of_hunt_and_crossley, sphere_slides_until_it_rolls,
           capsule_lies_down_smoothly, box_on_a_rigid_floor, pressure_is_continuous_where_faces_are_parallel,
           boxes_share_the_overlap, box_comes_to_rest, mistakes_are_named)
