/* Assembly where the answer can be written down: four-bars by Freudenstein's equation, slider-cranks, planar arms, the
 * legs of a Stewart platform, weighted means. */
#include "../property/mechanisms.h"

#include <stdio.h>

static cdn_assembly *assembly_of(const cdn_state *state, double accuracy) {
  cdn_assembly *a = NULL;
  cdn_assembly_def def = cdn_default_assembly_def();
  def.accuracy = accuracy;
  OK(cdn_assembly_create(cdn_state_system(state), &def, &a));
  return a;
}

/* The angle between two, whatever turns lie between them. */
static double apart(double a, double b) { return fabs(remainder(a - b, 2 * PI)); }

/* ---- four-bar and slider-crank ---- */

/* Rocker angles for crank angle t of ground d, crank a, coupler b, rocker c (Freudenstein 1955): with the half-angle's
 * tangent a quadratic, one solution for each way to assemble it. */
static void freudenstein(double d, double a, double b, double c, double t, double psi[2]) {
  const double k1 = d / a, k2 = d / c, k3 = (a * a - b * b + c * c + d * d) / (2 * a * c);
  const double A = cos(t) - k1 - k2 * cos(t) + k3, B = -2 * sin(t), C = k1 - (k2 + 1) * cos(t) + k3;
  const double root = sqrt(B * B - 4 * A * C);
  psi[0] = 2 * atan2(-B - root, 2 * A), psi[1] = 2 * atan2(-B + root, 2 * A);
}

START_TEST(test_four_bar) {
  cdn_state *state = mechanism_state(four_bar());
  cdn_assembly *a = assembly_of(state, 1e-8);
  const cdn_body crank = body_named(state, "crank"), coupler = body_named(state, "coupler");
  const cdn_body rocker = body_named(state, "rocker");
  OK(cdn_assembly_lock(a, crank, true));
  rng r = rng_of(1);
  int ways[2] = { 0, 0 };
  for (int i = 0; i < 500; i++) {
    double psi[2];
    scatter(state, &r, 1);
    const double t = *cdn_body_q(state, crank);
    cdn_assembly_report report;
    OK_ASSEMBLY(a, cdn_assemble(a, state, &report));
    ck_assert_int_eq(report.dof, 0);
    ck_assert(*cdn_body_q(state, crank) == t);
    freudenstein(4, 1, 3, 3.5, t, psi);
    const double found = *cdn_body_q(state, rocker);
    const int way = apart(found, psi[0]) < apart(found, psi[1]) ? 0 : 1;
    ways[way]++;
    AT_MOST(apart(found, psi[way]), 1e-11); /* the formula's own half-angle is worth some digits less */
    /* and the coupler points from the crank's end to the rocker's */
    const double x = 4 + 3.5 * cos(found) - cos(t), y = 3.5 * sin(found) - sin(t);
    AT_MOST(apart(t + *cdn_body_q(state, coupler), atan2(y, x)), 1e-12);
  }
  ck_assert_int_gt(ways[0], 50);
  ck_assert_int_gt(ways[1], 50);
  cdn_assembly_destroy(a), cdn_state_destroy(state);
}
END_TEST

START_TEST(test_slider_crank) {
  cdn_state *state = mechanism_state(slider_crank(0.5));
  cdn_assembly *a = assembly_of(state, 1e-8);
  const cdn_body crank = body_named(state, "crank"), rod = body_named(state, "rod");
  OK(cdn_assembly_lock_coordinate(a, crank, 0, true));
  rng r = rng_of(2);
  for (int i = 0; i < 300; i++) {
    scatter(state, &r, 1);
    const double t = *cdn_body_q(state, crank);
    OK_ASSEMBLY(a, cdn_assemble(a, state, NULL));
    /* the rod's end: height 0.5, and either side of the crank's end */
    cdn_vec3 p;
    OK_ON(state, cdn_body_station(state, rod, cdn_v3(3, 0, 0), &p, NULL));
    const double rise = 0.5 - sin(t), reach = sqrt(9 - rise * rise);
    NEAR(p.y, 0.5, 1e-13);
    NEAR(fabs(p.x - cos(t)), reach, 1e-12);
  }
  cdn_assembly_destroy(a), cdn_state_destroy(state);
}
END_TEST

/* ---- arms ---- */

/* n links of these lengths, pinned in a row. */
static cdn_state *arm(int n, const double *length) {
  cdn_system *s = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ 1, cdn_v3(0.5, 0, 0), { 0.1, 0.2, 0.2, 0, 0, 0 } };
  for (int i = 0; i < n; i++) {
    def.X_PF.p = cdn_v3(i ? length[i - 1] : 0, 0, 0);
    def.parent = cdn_system_add_body(s, &def);
  }
  OK_FREEZE(s);
  return mechanism_state(s);
}

/* Two links: the elbow's angle by the law of cosines, either way up; beyond reach stretched towards the target. */
START_TEST(test_arm_of_two) {
  const double length[] = { 1.2, 0.9 };
  cdn_state *state = arm(2, length);
  cdn_assembly *a = assembly_of(state, 1e-13);
  const cdn_goal hand = cdn_assembly_add_marker(a, "hand", (cdn_body){ 2 }, cdn_v3(length[1], 0, 0), 2);
  rng r = rng_of(3);
  for (int i = 0; i < 400; i++) {
    const double angle = uniform(&r, -PI, PI), away = uniform(&r, 0.35, 3);
    const cdn_vec3 target = cdn_v3(away * cos(angle), away * sin(angle), i % 3 ? 0 : 0.7);
    cdn_assembly_report report;
    scatter(state, &r, 1);
    OK(cdn_assembly_observe_marker(a, hand, target));
    OK_ASSEMBLY(a, cdn_assemble(a, state, &report));
    const double *q = cdn_state_q(state), reach = length[0] + length[1];
    if (away > reach + 0.05) {
      /* the goal's own curvature is finite there, and its value known to rounding: angles to the root of that */
      AT_MOST(apart(q[0], angle), 1e-6);
      AT_MOST(apart(q[1], 0), 1e-6);
      NEAR(report.marker_most, hypot(away - reach, target.z), 1e-11);
    } else if (away < reach - 0.05) {
      const double cosine = (away * away - length[0] * length[0] - length[1] * length[1]) / (2 * length[0] * length[1]);
      AT_MOST(fabs(fabs(remainder(q[1], 2 * PI)) - acos(cosine)), i % 3 ? 1e-11 : 1e-7);
      NEAR(report.marker_most, fabs(target.z), 1e-11);
    }
    NEAR(report.goal, report.marker_most * report.marker_most, 1e-11);
  }
  cdn_assembly_destroy(a), cdn_state_destroy(state);
}
END_TEST

/* Three links, the hand's place and direction wanted: the wrist is where two links reach, as above. */
START_TEST(test_arm_of_three) {
  const double length[] = { 1, 0.8, 0.4 };
  cdn_state *state = arm(3, length);
  cdn_assembly *a = assembly_of(state, 1e-13);
  const cdn_goal hand = cdn_assembly_add_marker(a, "hand", (cdn_body){ 3 }, cdn_v3(length[2], 0, 0), 1);
  const cdn_goal palm = cdn_assembly_add_orientation(a, "palm", (cdn_body){ 3 }, cdn_rotation_identity(), 1);
  rng r = rng_of(4);
  int reached = 0;
  enum { N = 300 };
  for (int i = 0; i < N; i++) {
    const double angle = uniform(&r, -PI, PI), away = uniform(&r, 0.4, 1.7), turn = uniform(&r, -PI, PI);
    const cdn_vec3 wrist = cdn_v3(away * cos(angle), away * sin(angle), 0);
    cdn_assembly_report report;
    scatter(state, &r, 1);
    OK(cdn_assembly_observe_marker(a, hand,
                                   cdn_v3(wrist.x + length[2] * cos(turn), wrist.y + length[2] * sin(turn), 0)));
    OK(cdn_assembly_observe_orientation(a, palm, cdn_rotation_axis_angle(cdn_v3(0, 0, 1), turn)));
    OK_ASSEMBLY(a, cdn_assemble(a, state, &report));
    if (report.goal > 1e-16) continue; /* somewhere else the sum of both is least, too */
    reached++;
    const double *q = cdn_state_q(state);
    AT_MOST(apart(q[0] + q[1] + q[2], turn), 1e-8);
    const double cosine = (away * away - 1 - 0.64) / 1.6;
    AT_MOST(fabs(fabs(remainder(q[1], 2 * PI)) - acos(cosine)), 1e-7);
  }
  ck_assert_int_gt(reached, N * 9 / 10);
  cdn_assembly_destroy(a), cdn_state_destroy(state);
}
END_TEST

/* ---- Stewart platform ---- */

/* The pose is given: each leg is as long as its ends are apart. And back: with these lengths locked, the pose is
 * found. */
START_TEST(test_stewart_platform) {
  cdn_state *state = mechanism_state(stewart());
  const cdn_body platform = body_named(state, "platform");
  rng r = rng_of(5);
  for (int i = 0; i < 50; i++) {
    cdn_assembly *a = assembly_of(state, 1e-8);
    const cdn_quaternion p =
        cdn_quaternion_from_rotation(cdn_rotation_axis_angle(random_vec3(&r, 1), uniform(&r, 0, 0.5)));
    const cdn_vec3 at = cdn_add(cdn_v3(0, 0, 1.2), random_vec3(&r, 0.2));
    const double q[7] = { p.w, p.x, p.y, p.z, at.x, at.y, at.z };
    const cdn_transform X = { cdn_rotation_from_quaternion(p), at };
    scatter(state, &r, 1);
    OK_ON(state, cdn_body_set_q(state, platform, 7, q));
    OK(cdn_assembly_lock(a, platform, true));
    OK_ASSEMBLY(a, cdn_assemble(a, state, NULL));
    for (int leg = 0; leg < 6; leg++) {
      char name[32];
      snprintf(name, sizeof name, "leg%d.slider", leg);
      const cdn_body slider = body_named(state, name);
      const double length = cdn_norm(cdn_sub(cdn_transform_point(X, stewart_top(leg)), stewart_base(leg)));
      NEAR(fabs(*cdn_body_q(state, slider)), length, 1e-12);
      OK(cdn_assembly_lock(a, slider, true));
    }
    /* from nearby, where the pose is the only one */
    double moved[7];
    for (int k = 0; k < 7; k++) moved[k] = q[k] + uniform(&r, -0.05, 0.05);
    OK(cdn_assembly_lock(a, platform, false));
    OK_ON(state, cdn_body_set_q(state, platform, 7, moved));
    cdn_assembly_report report;
    OK_ASSEMBLY(a, cdn_assemble(a, state, &report));
    ck_assert_int_eq(report.dof, 0);
    cdn_transform found;
    OK_ON(state, cdn_body_pose(state, platform, &found));
    AT_MOST(cdn_norm(cdn_sub(found.p, at)), 1e-9);
    AT_MOST(cdn_norm(cdn_sub(found.R.x, X.R.x)), 1e-9);
    cdn_assembly_destroy(a);
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- weights and sensors ---- */

START_TEST(test_weighted_mean) {
  const double length[] = { 1 };
  cdn_state *state = arm(1, length);
  cdn_assembly *a = assembly_of(state, 1e-12);
  cdn_assembly_add_coordinate(a, NULL, (cdn_body){ 1 }, 0, 0.2, 3);
  const cdn_goal second = cdn_assembly_add_coordinate(a, NULL, (cdn_body){ 1 }, 0, 1.2, 2);
  cdn_assembly_report report;
  OK_ASSEMBLY(a, cdn_assemble(a, state, &report));
  NEAR(cdn_state_q(state)[0], (3 * 0.2 + 2 * 1.2) / 5, 1e-14);
  NEAR(report.goal, (3 * 0.16 + 2 * 0.36) / 2, 1e-14);
  ck_assert_int_eq(report.worst_goal.i, 1);
  /* a bound in the way; and where it is moved out of the way again */
  OK(cdn_assembly_set_bounds(a, (cdn_body){ 1 }, 0, -1, 0.3));
  OK_ASSEMBLY(a, cdn_assemble(a, state, NULL));
  ck_assert(cdn_state_q(state)[0] == 0.3);
  OK(cdn_assembly_set_value(a, second, -0.5));
  OK_ASSEMBLY(a, cdn_assemble(a, state, NULL));
  NEAR(cdn_state_q(state)[0], (3 * 0.2 - 2 * 0.5) / 5, 1e-14);
  cdn_assembly_destroy(a), cdn_state_destroy(state);
}
END_TEST

/* A ball joint that is seen by a sensor turns as it does, from any guess, half a turn away included. */
START_TEST(test_orientation_sensor) {
  cdn_state *state = mechanism_state(free_chain(1, 0));
  cdn_assembly *a = assembly_of(state, 1e-12);
  OK_ON(state, cdn_constraint_set_enabled(state, (cdn_constraint){ 1 }, false)); /* one end alone is held */
  rng r = rng_of(6);
  for (int i = 0; i < 200; i++) {
    const cdn_rotation R_BS = random_rotation(&r), R_GS = random_rotation(&r);
    const cdn_goal g = cdn_assembly_add_orientation(a, NULL, (cdn_body){ 1 }, R_BS, 1);
    OK(cdn_assembly_observe_orientation(a, g, R_GS));
    cdn_assembly_report report;
    scatter(state, &r, 1);
    OK_ASSEMBLY(a, cdn_assemble(a, state, &report));
    AT_MOST(report.goal, 1e-24);
    cdn_transform X;
    OK_ON(state, cdn_body_pose(state, (cdn_body){ 1 }, &X));
    const cdn_rotation found = cdn_rotation_multiply(X.R, R_BS);
    AT_MOST(cdn_norm(cdn_sub(found.x, R_GS.x)), 1e-12);
    AT_MOST(cdn_norm(cdn_sub(found.y, R_GS.y)), 1e-12);
    AT_MOST(cdn_norm(X.p), 1e-12);
    OK(cdn_assembly_set_weight(a, g, 0));
  }
  cdn_assembly_destroy(a), cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("assembly_closed_forms", test_four_bar, test_slider_crank, test_arm_of_two, test_arm_of_three,
           test_stewart_platform, test_weighted_mean, test_orientation_sensor)
