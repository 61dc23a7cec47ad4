/* Paths: lengths in closed form, what their parts are, what is refused, parameters, points to draw. */
#include "../testing.h"

/* ---- lengths in closed form ---- */

/* A path from a to b past an obstacle, all in Ground: a System with one body that does not matter. */
typedef struct rig {
  cdn_system *system;
  cdn_state *state;
  cdn_path path;
} rig;

static rig begin(void) {
  rig r = { .system = cdn_system_create(NULL) };
  cdn_body_def def = cdn_default_body_def();
  def.name = "arm", def.mobilizer = CDN_PIN, def.mass.mass = 1, def.X_BM.p = cdn_v3(0, 1, 0);
  cdn_system_add_body(r.system, &def);
  r.path = cdn_system_add_path(r.system, "cable");
  return r;
}
static void end(rig *r) {
  OK_FREEZE(r->system);
  OK(cdn_state_create(r->system, &r->state));
}
static void drop(rig *r) {
  cdn_state_destroy(r->state);
  cdn_system_release(r->system);
}
static double length_of(const rig *r) {
  double length;
  OK_ON(r->state, cdn_path_length(r->state, r->path, &length));
  return length;
}

static rig around(bool sphere, cdn_vec3 P, double radius, const cdn_vec3 *side, cdn_vec3 Q) {
  rig r = begin();
  cdn_path_add_point(r.system, r.path, cdn_ground(), P);
  if (sphere) cdn_path_add_sphere(r.system, r.path, cdn_ground(), cdn_v3(0, 0, 0), radius);
  else cdn_path_add_cylinder(r.system, r.path, cdn_ground(), NULL, radius);
  if (side) cdn_path_pass_by(r.system, r.path, cdn_ground(), *side);
  cdn_path_add_point(r.system, r.path, cdn_ground(), Q);
  end(&r);
  return r;
}

static void expect(bool sphere, cdn_vec3 P, double radius, const cdn_vec3 *side, cdn_vec3 Q, double length) {
  rig r = around(sphere, P, radius, side, Q);
  NEAR(length_of(&r), length, 4e-16 * fmax(1, 10 * length));
  drop(&r);
}

/* Two tangents and an arc; by 30 digits, for a radius of 0.05 between (-0.2, 0.02) and (0.15, 0.01). With a rise of 0.1
 * the unrolled path is the hypotenuse. */
START_TEST(around_a_cylinder) {
  const cdn_vec3 P = cdn_v3(-0.2, 0.02, 0), Q = cdn_v3(0.15, 0.01, 0), below = cdn_v3(0, -1, 0);
  expect(false, P, 0.05, NULL, Q, 0.3576645026892032390);
  expect(false, P, 0.05, NULL, cdn_v3(0.15, 0.01, 0.1), 0.3713810664047308333);
  expect(true, P, 0.05, NULL, Q, 0.3576645026892032390);
  /* the other way around: the same tangents, and the rest of the circle */
  const double tangents = sqrt(0.0404 - 0.0025) + sqrt(0.0226 - 0.0025);
  const double angle = 2 * PI - (atan2(0.02, -0.2) - atan2(0.01, 0.15));
  expect(false, P, 0.05, &below, Q, tangents + 0.05 * (angle - acos(0.05 / sqrt(0.0404)) - acos(0.05 / sqrt(0.0226))));
}
END_TEST

START_TEST(straight_where_nothing_is_in_the_way) {
  const cdn_vec3 P = cdn_v3(-1, 0.6, 0.2), Q = cdn_v3(1, 0.6, -0.3), above = cdn_v3(0, 2, 0), below = cdn_v3(0, -2, 0);
  const double straight = sqrt(4 + 0.25);
  expect(false, P, 0.5, NULL, Q, straight);
  expect(true, P, 0.5, NULL, Q, straight);
  expect(false, P, 0.5, &above, Q, straight);
  rig r = around(false, P, 0.5, &below, Q);
  ck_assert_double_gt(length_of(&r), straight + 1);
  drop(&r);
  /* a point inside, a radius that reaches both */
  expect(false, cdn_v3(0.1, 0, 0), 0.5, NULL, cdn_v3(2, 0, 0), 1.9);
  expect(true, cdn_v3(0.1, 0, 0), 0.5, NULL, cdn_v3(2, 0, 0), 1.9);
}
END_TEST

/* Through the obstacle: the path touches it from inside where both lines make equal angles. For P and Q that are each
 * other's mirror images that is half way, and the lines are hypotenuses. */
START_TEST(through_an_obstacle) {
  const cdn_vec3 P = cdn_v3(-1, 2, 0), Q = cdn_v3(1, 2, 0), inside = cdn_v3(0, 0.1, 0);
  expect(false, P, 0.5, &inside, Q, 2 * sqrt(1 + 1.5 * 1.5));
  expect(true, P, 0.5, &inside, Q, 2 * sqrt(1 + 1.5 * 1.5));
  expect(false, P, 0.5, &inside, cdn_v3(1, 2, 0.7), sqrt(4 * (1 + 1.5 * 1.5) + 0.49));
  expect(false, cdn_v3(-1, 0.2, 0), 0.5, &inside, cdn_v3(1, 0.2, 0), 2); /* it goes through without touching */
  /* elsewhere the sum is least: no neighbour on the circle has a smaller one */
  const cdn_vec3 A = cdn_v3(-1.3, 1.1, 0), B = cdn_v3(0.4, 2.2, 0);
  double least = INFINITY;
  for (int i = 0; i < 200000; i++) {
    const cdn_vec3 x = cdn_v3(0.5 * cos(2 * PI * i / 200000), 0.5 * sin(2 * PI * i / 200000), 0);
    least = fmin(least, cdn_norm(cdn_sub(x, A)) + cdn_norm(cdn_sub(x, B)));
  }
  rig r = around(true, A, 0.5, &inside, B);
  NEAR(length_of(&r), least, 1e-9); /* the circle's points are 3e-5 apart */
  ck_assert_double_le(length_of(&r), least);
  drop(&r);
}
END_TEST

START_TEST(parts_count_by_their_divisors) {
  rig r = begin();
  cdn_path_add_point(r.system, r.path, cdn_ground(), cdn_v3(0, 0, 0));
  cdn_path_add_point(r.system, r.path, cdn_ground(), cdn_v3(3, 0, 0));
  cdn_path_add_point(r.system, r.path, cdn_ground(), cdn_v3(3, 4, 0));
  for (int i = 0; i < 2; i++) {
    cdn_path_add_pulley(r.system, r.path, 2);
    cdn_path_add_point(r.system, r.path, cdn_ground(), cdn_v3(3, 4, 0));
    cdn_path_add_point(r.system, r.path, cdn_ground(), cdn_v3(3, 4, 1 + 2 * i));
  }
  end(&r);
  NEAR(length_of(&r), 3 + 4 + 0.5 + 1.5, 4e-16);
  cdn_vec3 points[20];
  int part[20], n;
  OK_ON(r.state, cdn_path_points(r.state, r.path, 5, points, part, &n));
  ck_assert_int_eq(n, 7);
  ck_assert_int_eq(part[0], 0);
  ck_assert_int_eq(part[1], 3);
  ck_assert_int_eq(part[2], 5);
  NEAR(points[6].z, 3, 0);
  drop(&r);
}
END_TEST

/* Drawn points lie on the obstacle, evenly, and their polygon is as long as the path, to second order. */
START_TEST(points_follow_the_arc) {
  enum { ARC = 200 };
  const cdn_vec3 side = cdn_v3(0.3, -2, 0.1);
  for (int k = 0; k < 2; k++) {
    rig r = around(k == 0, cdn_v3(-1, 0.3, 0.4), 0.5, &side, cdn_v3(0.9, 0.1, -0.6));
    cdn_vec3 points[ARC + 8];
    int n;
    double sum = 0;
    ck_assert_int_ge(cdn_path_most_points(r.system, r.path, ARC), ARC + 4);
    OK_ON(r.state, cdn_path_points(r.state, r.path, ARC, points, NULL, &n));
    ck_assert_int_eq(n, ARC + 4);
    for (int i = 1; i < n; i++) sum += cdn_norm(cdn_sub(points[i], points[i - 1]));
    for (int i = 1; i + 1 < n; i++) NEAR(k == 0 ? cdn_norm(points[i]) : hypot(points[i].x, points[i].y), 0.5, 1e-14);
    NEAR(sum, length_of(&r), 1e-4);
    ck_assert_double_le(sum, length_of(&r));
    drop(&r);
  }
}
END_TEST

START_TEST(a_path_of_coordinates) {
  rig r = begin();
  const cdn_body arm = { 1 };
  cdn_path_add_coordinate(r.system, r.path, arm, 0, 0.25);
  end(&r);
  double rate, moment;
  OK(cdn_state_set_q(r.state, (double[]){ 2 }));
  OK(cdn_state_set_u(r.state, (double[]){ -3 }));
  NEAR(length_of(&r), 0.5, 0);
  OK_ON(r.state, cdn_path_rate(r.state, r.path, &rate));
  OK_ON(r.state, cdn_path_moments(r.state, r.path, &moment));
  NEAR(rate, -0.75, 0);
  NEAR(moment, 0.25, 0);
  OK_ON(r.state, cdn_parameter_set(r.state, CDN_ELEMENT_PATH, "cable", "0.coefficient", -1));
  NEAR(length_of(&r), -2, 0);
  drop(&r);
}
END_TEST

/* ---- parameters ---- */

START_TEST(numbers_are_parameters) {
  rig r = around(true, cdn_v3(-1, 0, 0), 0.25, NULL, cdn_v3(1, 0, 0));
  const double with = length_of(&r);
  ck_assert_int_eq(cdn_element_parameter_count(r.system, CDN_ELEMENT_PATH, 0), 10);
  ck_assert_str_eq(cdn_element_type_name(CDN_ELEMENT_PATH), "path");
  OK_ON(r.state, cdn_parameter_set(r.state, CDN_ELEMENT_PATH, "cable", "1.p.y", 3));
  NEAR(length_of(&r), 2, 0);
  OK_ON(r.state, cdn_parameter_set(r.state, CDN_ELEMENT_PATH, "cable", "1.p.y", 0));
  NEAR(length_of(&r), with, 0);
  FAILS(cdn_parameter_set(r.state, CDN_ELEMENT_PATH, "cable", "1.radius", -1), CDN_ERR_ARG);
  FAILS(cdn_parameter_set(r.state, CDN_ELEMENT_PATH, "cable", "2.p.x", NAN), CDN_ERR_NONFINITE);
  NEAR(length_of(&r), with, 0);
  drop(&r);
}
END_TEST

/* ---- what is refused ---- */

typedef void building(cdn_system *system, cdn_path path);

static void nothing(cdn_system *system, cdn_path path) { (void)system, (void)path; }
static void one_point(cdn_system *system, cdn_path path) {
  cdn_path_add_point(system, path, cdn_ground(), cdn_v3(0, 0, 0));
}
static void obstacle_first(cdn_system *system, cdn_path path) {
  cdn_path_add_sphere(system, path, cdn_ground(), cdn_v3(0, 0, 0), 1);
  one_point(system, path);
}
static void two_obstacles(cdn_system *system, cdn_path path) {
  one_point(system, path);
  cdn_path_add_sphere(system, path, cdn_ground(), cdn_v3(0, 0, 0), 1);
  obstacle_first(system, path);
}
static void no_radius(cdn_system *system, cdn_path path) {
  cdn_path_add_sphere(system, path, cdn_ground(), cdn_v3(0, 0, 0), 0);
}
static void no_divisor(cdn_system *system, cdn_path path) { cdn_path_add_pulley(system, path, 0); }
static void pulley_last(cdn_system *system, cdn_path path) {
  one_point(system, path), one_point(system, path);
  cdn_path_add_pulley(system, path, 2);
}
static void side_of_nothing(cdn_system *system, cdn_path path) {
  one_point(system, path);
  cdn_path_pass_by(system, path, cdn_ground(), cdn_v3(0, 0, 0));
}
static void both_sorts(cdn_system *system, cdn_path path) {
  one_point(system, path);
  cdn_path_add_coordinate(system, path, (cdn_body){ 1 }, 0, 1);
}
static void no_body(cdn_system *system, cdn_path path) {
  cdn_path_add_point(system, path, (cdn_body){ 7 }, cdn_v3(0, 0, 0));
}
static void no_number(cdn_system *system, cdn_path path) {
  cdn_path_add_point(system, path, cdn_ground(), cdn_v3(0, NAN, 0));
}
static void no_rotation(cdn_system *system, cdn_path path) {
  cdn_transform X = cdn_transform_identity();
  X.R.x = cdn_v3(2, 0, 0);
  cdn_path_add_cylinder(system, path, cdn_ground(), &X, 1);
}
static void name_again(cdn_system *system, cdn_path path) {
  (void)path;
  cdn_system_add_path(system, "cable");
}
static void no_coordinate(cdn_system *system, cdn_path path) {
  cdn_path_add_coordinate(system, path, (cdn_body){ 1 }, 4, 1);
}

START_TEST(mistakes_are_named) {
  static const struct {
    building *build;
    const char *says;
  } cases[] = {
    { nothing, "neither points nor coordinates" },
    { one_point, "one point alone" },
    { obstacle_first, "between two points" },
    { two_obstacles, "between two points" },
    { no_radius, "radius" },
    { no_divisor, "divisor" },
    { pulley_last, "ends with a pulley" },
    { side_of_nothing, "no obstacle to pass by" },
    { both_sorts, "both points and coordinates" },
    { no_body, "body 7" },
    { no_number, "nan" },
    { no_rotation, "frame" },
    { name_again, "of that name" },
    { no_coordinate, "4" },
  };
  for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
    rig r = begin();
    cdn_error error;
    cases[i].build(r.system, r.path);
    ck_assert_msg(cdn_system_freeze(r.system) != CDN_OK, "case %d was taken", i);
    cdn_system_last_error(r.system, &error);
    ck_assert_msg(strstr(error.text, cases[i].says) != NULL, "case %d: %s", i, error.text);
    cdn_system_release(r.system);
  }
}
END_TEST

START_TEST(points_that_meet_have_no_direction) {
  rig r = begin();
  double length;
  cdn_path_add_point(r.system, r.path, cdn_ground(), cdn_v3(0, 0, 0));
  cdn_path_add_point(r.system, r.path, (cdn_body){ 1 }, cdn_v3(0, 1, 0)); /* M's origin, at Ground's */
  end(&r);
  FAILS(cdn_path_length(r.state, r.path, &length), CDN_ERR_SINGULAR);
  FAILS(cdn_path_length(r.state, (cdn_path){ 3 }, &length), CDN_ERR_ARG);
  FAILS(cdn_path_length(r.state, r.path, NULL), CDN_ERR_ARG);
  drop(&r);
}
END_TEST

/* ---- where it comes to lie on an obstacle ---- */

/* A body slides past a peg while a spring pulls along the path around it; the straight line from (-1, 0) to (1, y)
 * touches the peg where y = 2 r / sqrt(1 - r^2). Steps end there: on the way in, and on the way out. */
START_TEST(steps_end_where_it_comes_to_an_obstacle) {
  const double radius = 0.1, touch = 2 * radius / sqrt(1 - radius * radius), q0 = 0.8, u0 = -1;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  cdn_state *state;
  cdn_stepper *stepper;
  double nearest[2] = { 1, 1 };
  def.mobilizer = CDN_SLIDER, def.mass.mass = 1, def.q0 = &q0, def.u0 = &u0;
  def.X_PF.R = cdn_rotation_axis_angle(cdn_v3(0, 0, 1), PI / 2), def.X_PF.p = cdn_v3(1, 0, 0); /* x of F is y */
  const cdn_body body = cdn_system_add_body(system, &def);
  const cdn_path path = cdn_system_add_path(system, "cable");
  cdn_path_add_point(system, path, cdn_ground(), cdn_v3(-1, 0, 0));
  cdn_path_add_cylinder(system, path, cdn_ground(), NULL, radius);
  cdn_path_add_point(system, path, body, cdn_v3(0, 0, 0));
  cdn_system_add_path_spring(system, "spring", path, 3, 1, 1);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_stepper_def how = cdn_default_stepper_def();
  how.method = CDN_METHOD_DORMAND_PRINCE_8, how.accuracy = 1e-9;
  OK_ON(state, cdn_stepper_create(state, &how, &stepper));
  double energy[2];
  OK_ON(state, cdn_potential_energy(state, &energy[0]));
  while (cdn_state_time(cdn_stepper_state(stepper)) < 1.5) {
    OK_STEP(stepper, cdn_stepper_step(stepper, 1.5));
    const double y = cdn_state_q(cdn_stepper_state(stepper))[0];
    nearest[y < 0] = fmin(nearest[y < 0], fabs(fabs(y) - touch));
  }
  AT_MOST(nearest[0], 1e-5); /* the time of a kink is found as exactly as it matters */
  AT_MOST(nearest[1], 1e-5);
  cdn_state *end = cdn_stepper_state(stepper);
  OK_ON(end, cdn_potential_energy(end, &energy[1]));
  const double u = cdn_state_u(end)[0];
  NEAR(energy[1] + u * u / 2, energy[0] + 0.5, 1e-8);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("paths", around_a_cylinder, straight_where_nothing_is_in_the_way, through_an_obstacle,
           parts_count_by_their_divisors, points_follow_the_arc, a_path_of_coordinates, numbers_are_parameters,
           mistakes_are_named, points_that_meet_have_no_direction, steps_end_where_it_comes_to_an_obstacle)
