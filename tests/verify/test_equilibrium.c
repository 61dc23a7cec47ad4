/* Static equilibrium against closed forms and against minima in one coordinate. */
#include "../testing.h"

static const double G = 9.80665;

/* A link of mass m and length l on a pin about z: from `parent` at (x, 0, 0), its mass at its end. */
static cdn_body add_link(cdn_system *system, cdn_body parent, double x, double length, double mass, const char *name) {
  cdn_body_def def = cdn_default_body_def();
  def.name = name, def.parent = parent, def.mobilizer = CDN_PIN;
  def.X_PF.p = cdn_v3(x, 0, 0);
  def.mass =
      (cdn_mass_properties){ .mass = mass, .com = cdn_v3(length, 0, 0), .inertia = { 0.01, 0.01, 0.01, 0, 0, 0 } };
  return cdn_system_add_body(system, &def);
}

static cdn_state *state_of(cdn_system *system) {
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* Angles are from the x axis, gravity along -y: a link hangs at -pi/2. */
static cdn_state *pendulum(int links) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body last = cdn_ground();
  for (int i = 0; i < links; i++) last = add_link(system, last, i > 0, 1, 1, NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -G, 0));
  return state_of(system);
}

START_TEST(a_chain_hangs) {
  for (int links = 1; links <= 6; links++) {
    cdn_state *state = pendulum(links);
    double q[6], u[6];
    for (int i = 0; i < links; i++) q[i] = i ? 0.4 * i : 2.8, u[i] = 1;
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_state_set_u(state, u));
    cdn_equilibrium found;
    double before, after;
    OK_ON(state, cdn_potential_energy(state, &before));
    OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
    OK_ON(state, cdn_potential_energy(state, &after));
    NEAR(cos(cdn_state_q(state)[0] + PI / 2), 1, 1e-15);
    for (int i = 1; i < links; i++) NEAR(cos(cdn_state_q(state)[i]), 1, 1e-15);
    for (int i = 0; i < links; i++) ck_assert(cdn_state_u(state)[i] == 0);
    ck_assert_int_eq(found.stable, links);
    ck_assert_int_eq(found.unstable + found.neutral, 0);
    AT_MOST(found.unbalanced, 1e-8);
    AT_MOST(after, before);
    /* by a quadrature on the way */
    NEAR(found.work, before - after, 1e-3 * (before - after));
    AT_MOST(found.iterations, 40);
    cdn_state_destroy(state);
  }
}
END_TEST

/* Upright is an equilibrium, but not a stable one. */
START_TEST(a_chain_upright) {
  cdn_state *state = pendulum(3);
  double q[3] = { PI / 2, 0, 0 };
  cdn_equilibrium_def any = cdn_default_equilibrium_def();
  cdn_equilibrium found;
  any.goal = CDN_EQUILIBRIUM_ANY;
  q[0] += 0.05, q[1] -= 0.1;
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_find_equilibrium(state, &any, &found));
  NEAR(cdn_state_q(state)[0], PI / 2, 1e-9);
  NEAR(cdn_state_q(state)[1], 0, 1e-9);
  ck_assert_int_eq(found.unstable, 3);

  OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
  NEAR(cos(cdn_state_q(state)[0] + PI / 2), 1, 1e-15);
  ck_assert_int_eq(found.stable, 3);
  cdn_state_destroy(state);
}
END_TEST

/* Exactly on top, only rounding says which way is down: it must not be what decides. On a pin the angle grows; on a
 * ball, where all ways are as good, q is the same whatever rounding says. */
START_TEST(off_the_ridge) {
  static const double rounding[] = { 0, 3e-16, -3e-16, 1e-15, -1e-15, 4e-15, -4e-15 };
  cdn_state *state = pendulum(1);
  for (int i = 0; i < 7; i++) {
    const double q = PI / 2 + rounding[i];
    OK_ON(state, cdn_state_set_q(state, &q));
    OK_ON(state, cdn_find_equilibrium(state, NULL, NULL));
    NEAR(cdn_state_q(state)[0], 3 * PI / 2, 1e-8);
  }
  cdn_state_destroy(state);
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_BALL;
  def.mass = (cdn_mass_properties){ .mass = 2, .com = cdn_v3(0, 1, 0), .inertia = { 0.3, 0.2, 0.3, 0, 0, 0 } };
  cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -G, 0));
  state = state_of(system);
  double first[4];
  for (int i = 0; i < 7; i++) {
    const double q[4] = { 1, rounding[i], rounding[(i + 1) % 7], rounding[(i + 3) % 7] };
    cdn_equilibrium found;
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
    ck_assert_int_eq(found.stable, 2);
    ck_assert_int_eq(found.neutral, 1);
    if (i == 0) memcpy(first, cdn_state_q(state), sizeof first);
    for (int k = 0; k < 4; k++) NEAR(cdn_state_q(state)[k], first[k], 1e-8);
  }
  cdn_state_destroy(state);
}
END_TEST

/* A State in equilibrium keeps its bits. */
START_TEST(nothing_to_do) {
  cdn_state *state = pendulum(2);
  const double q[2] = { -PI / 2, 0 };
  cdn_equilibrium found;
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
  ck_assert_int_eq(found.iterations, 0);
  ck_assert(memcmp(cdn_state_q(state), q, sizeof q) == 0);
  cdn_state_destroy(state);
}
END_TEST

/* A torque that has no potential: sin(theta) = torque / (m g l); and one that is too large turns the link for ever. */
START_TEST(against_a_torque) {
  cdn_state *state = pendulum(1);
  cdn_equilibrium found;
  const double torque = 0.6 * G, too_much = 1.1 * G, start = -1;
  OK_ON(state, cdn_state_set_q(state, &start));
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, &torque));
  OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
  NEAR(sin(cdn_state_q(state)[0] + PI / 2), 0.6, 1e-10);
  ck_assert_int_eq(found.stable, 1);

  OK_ON(state, cdn_state_set_q(state, &start));
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, &too_much));
  FAILS(cdn_find_equilibrium(state, NULL, &found), CDN_ERR_LIMIT);
  cdn_error message;
  cdn_state_last_error(state, &message);
  ck_assert_str_eq(message.element, "body1.u");
  ck_assert_str_eq(found.worst, "body1.u");
  ck_assert_int_eq(found.iterations, 500);
  ck_assert(cdn_state_q(state)[0] == start);
  cdn_state_destroy(state);
}
END_TEST

/* A shoulder that is locked, or moved by a motion, stays where it is. */
START_TEST(with_a_lock) {
  cdn_state *state = pendulum(2);
  const double q[2] = { 0.5, 1 };
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_body_lock(state, (cdn_body){ 1 }, CDN_LEVEL_POSITION));
  cdn_equilibrium found;
  OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
  ck_assert(cdn_state_q_eff(state)[0] == 0.5);
  NEAR(sin(cdn_state_q(state)[1] + 0.5 + PI / 2), 0, 1e-9);
  ck_assert_int_eq(found.stable, 1);
  ck_assert(cdn_body_lock_level(state, (cdn_body){ 1 }) == CDN_LEVEL_POSITION);
  cdn_state_destroy(state);
}
END_TEST

/* ---- a four-bar linkage with a spring ---- */

enum { CRANK = 1, COUPLER, ROCKER };
static const double CRANK_LENGTH = 0.5, COUPLER_LENGTH = 1.3, ROCKER_LENGTH = 1.1, BASE = 1.5, STIFFNESS = 40;

static cdn_state *four_bar(int copies) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body crank = add_link(system, cdn_ground(), 0, CRANK_LENGTH / 2, 1, "crank");
  cdn_body coupler = add_link(system, crank, CRANK_LENGTH, COUPLER_LENGTH / 2, 2, "coupler");
  cdn_body rocker = add_link(system, cdn_ground(), BASE, ROCKER_LENGTH / 2, 1.5, "rocker");
  for (int i = 0; i < copies; i++)
    cdn_system_constrain_ball(system, i ? "again" : "closure", coupler, cdn_v3(COUPLER_LENGTH, 0, 0), rocker,
                              cdn_v3(ROCKER_LENGTH, 0, 0));
  cdn_system_add_two_point_spring(system, "spring", cdn_ground(), cdn_v3(0.3, 1.5, 0), coupler,
                                  cdn_v3(COUPLER_LENGTH / 2, 0.2, 0), STIFFNESS, 0.4);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -G, 0));
  return state_of(system);
}

/* Joint positions for a crank angle by hand: where circles about the crank's end and the rocker's base meet. */
static double energy_of_four_bar(double angle) {
  const double ax = CRANK_LENGTH * cos(angle), ay = CRANK_LENGTH * sin(angle);
  const double dx = BASE - ax, dy = -ay, d2 = dx * dx + dy * dy, d = sqrt(d2);
  const double along = (COUPLER_LENGTH * COUPLER_LENGTH - ROCKER_LENGTH * ROCKER_LENGTH + d2) / (2 * d);
  const double across = sqrt(COUPLER_LENGTH * COUPLER_LENGTH - along * along);
  const double bx = ax + (along * dx - across * dy) / d, by = ay + (along * dy + across * dx) / d;
  const double cx = (bx - ax) / COUPLER_LENGTH, cy = (by - ay) / COUPLER_LENGTH;
  const double px = 0.5 * (ax + bx) - 0.2 * cy, py = 0.5 * (ay + by) + 0.2 * cx;
  const double stretch = hypot(px - 0.3, py - 1.5) - 0.4;
  return G * (0.5 * ay + 2 * 0.5 * (ay + by) + 1.5 * 0.5 * by) + 0.5 * STIFFNESS * stretch * stretch;
}

/* dE/dangle by differences that leave some 1e-10 of it; its zero by bisection. */
static double balance_of_four_bar(double angle) {
  const double h = 1e-3, D = (energy_of_four_bar(angle + h) - energy_of_four_bar(angle - h)) / (2 * h),
               half = (energy_of_four_bar(angle + h / 2) - energy_of_four_bar(angle - h / 2)) / h;
  return (4 * half - D) / 3;
}

START_TEST(a_four_bar_with_a_spring) {
  for (int copies = 1; copies <= 2; copies++)
    for (int start = 0; start < 4; start++) {
      cdn_state *state = four_bar(copies);
      const double q[3] = { 0.3 + 1.5 * start, -0.2 * start, 1.4 };
      cdn_equilibrium found;
      OK_ON(state, cdn_state_set_q(state, q));
      cdn_status status = cdn_project_q(state, NULL, NULL);
      if (status == CDN_OK) status = cdn_find_equilibrium(state, NULL, &found);
      if (start == 0) OK_ON(state, status);
      if (status == CDN_OK) {
        cdn_transform X;
        cdn_vec3 end;
        OK_ON(state, cdn_body_pose(state, (cdn_body){ COUPLER }, &X));
        OK_ON(state, cdn_body_station(state, (cdn_body){ ROCKER }, cdn_v3(ROCKER_LENGTH, 0, 0), &end, NULL));
        const double angle = cdn_state_q(state)[0];
        ck_assert_int_eq(found.stable, 1);
        AT_MOST(found.constraint_error, 1e-10);
        /* the closed form knows one of the two ways to assemble it */
        const double dx = BASE - CRANK_LENGTH * cos(angle), dy = -CRANK_LENGTH * sin(angle);
        const bool same = dx * (end.y - CRANK_LENGTH * sin(angle)) - dy * (end.x - CRANK_LENGTH * cos(angle)) > 0;
        if (same) NEAR(balance_of_four_bar(angle), 0, 1e-7);
        if (same) ck_assert(energy_of_four_bar(angle + 0.01) > energy_of_four_bar(angle));
        if (same) ck_assert(energy_of_four_bar(angle - 0.01) > energy_of_four_bar(angle));
        ck_assert(start > 0 || same);
      }
      cdn_state_destroy(state);
    }
}
END_TEST

/* ---- bodies that turn in space ---- */

/* A free body on four springs of rest length zero, whose ends on Ground are its own stations moved and turned: together
 * they are one spring between the means of both, and what turns it has its minimum where both sets are alike. */
START_TEST(a_body_on_springs) {
  static const cdn_vec3 station[4] = { { 1, 0, 0 }, { -1, 0.5, 0 }, { 0, -0.5, 1 }, { 0, 0, -1 } };
  const cdn_rotation R = cdn_rotation_axis_angle(cdn_v3(1, 2, 3), 1.1);
  const cdn_vec3 p = { 0.3, -0.2, 0.5 };
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_FREE;
  def.mass = (cdn_mass_properties){ .mass = 2, .inertia = { 0.3, 0.2, 0.4, 0, 0, 0 } };
  cdn_body body = cdn_system_add_body(system, &def);
  for (int i = 0; i < 4; i++)
    cdn_system_add_two_point_spring(system, NULL, cdn_ground(), cdn_add(cdn_rotate(R, station[i]), p), body, station[i],
                                    50, 0);
  cdn_state *state = state_of(system);
  cdn_equilibrium found;
  OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
  cdn_transform X;
  OK_ON(state, cdn_body_pose(state, body, &X));
  for (int k = 0; k < 3; k++) NEAR((&X.p.x)[k], (&p.x)[k], 1e-9);
  for (int k = 0; k < 9; k++) NEAR((&X.R.x.x)[k], (&R.x.x)[k], 1e-8);
  ck_assert_int_eq(found.stable, 6);
  cdn_state_destroy(state);
}
END_TEST

/* Without gravity and springs everything is in equilibrium, and nothing stays. */
START_TEST(neutral_and_falling) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "stone", def.mobilizer = CDN_FREE;
  def.mass = (cdn_mass_properties){ .mass = 2, .inertia = { 0.3, 0.2, 0.4, 0, 0, 0 } };
  cdn_system_add_body(system, &def);
  const cdn_force gravity = cdn_system_add_gravity(system, "gravity", cdn_v3(0, -G, 0));
  cdn_state *state = state_of(system);
  cdn_equilibrium found;
  FAILS(cdn_find_equilibrium(state, NULL, &found), CDN_ERR_LIMIT);
  ck_assert_str_eq(found.worst, "stone.vy");
  cdn_equilibrium_def any = cdn_default_equilibrium_def();
  any.goal = CDN_EQUILIBRIUM_ANY;
  FAILS(cdn_find_equilibrium(state, &any, &found), CDN_ERR_LIMIT);
  OK_ON(state, cdn_force_set_enabled(state, gravity, false));
  OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
  ck_assert_int_eq(found.neutral, 6);
  ck_assert_int_eq(found.iterations, 0);
  cdn_state_destroy(state);
}
END_TEST

/* A cart at x = 0.3 that nothing holds, on a turntable at 0.7 rad, with two pendulums on it: they come to rest below
 * it, and it stays, to the bit. (With the mass matrix as the measure of steps it recoils.) */
START_TEST(neutral_coordinates_stay) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  const cdn_rotation upright = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), -PI / 2); /* z along Ground's y */
  def.mobilizer = CDN_PIN, def.X_PF.R = upright;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { 1, 1, 1, 0, 0, 0 } };
  const cdn_body table = cdn_system_add_body(system, &def);
  def.parent = table, def.mobilizer = CDN_SLIDER, def.X_PF.R = cdn_rotation_identity(), def.X_PF.p = cdn_v3(0, 0.2, 0);
  const cdn_body cart = cdn_system_add_body(system, &def);
  def.parent = cart, def.mobilizer = CDN_PIN, def.X_PF.R = cdn_rotation_axis_angle(cdn_v3(1, 2, 0), PI / 2);
  for (int i = 0; i < 2; i++) {
    def.mass = (cdn_mass_properties){ .mass = 2, .com = cdn_v3(0.4, 0.3 - i, 0), .inertia = { 1, 1, 1, 0, 0, 0 } };
    cdn_system_add_body(system, &def);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -G, 0));
  cdn_state *state = state_of(system);
  for (int any = 0; any < 2; any++) {
    const double q[4] = { 0.7, 0.3, 0.9, -0.4 };
    cdn_equilibrium_def goal = cdn_default_equilibrium_def();
    cdn_equilibrium found;
    goal.goal = any ? CDN_EQUILIBRIUM_ANY : CDN_EQUILIBRIUM_STABLE;
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_find_equilibrium(state, &goal, &found));
    ck_assert(cdn_state_q(state)[0] == 0.7 && cdn_state_q(state)[1] == 0.3);
    ck_assert(fabs(cdn_state_q(state)[2] - q[2]) > 0.1 && fabs(cdn_state_q(state)[3] - q[3]) > 0.1);
    AT_MOST(found.unbalanced, 1e-8);
    ck_assert_int_eq(found.neutral, 2);
    if (!any) ck_assert_int_eq(found.stable, 2);
  }
  cdn_state_destroy(state);
}
END_TEST

/* Where links are stretched out sideways accelerations are largest, and no small step makes them less: the nearest
 * equilibrium is not found from there by Newton's method, but there is one. */
START_TEST(any_where_there_is_a_stable_one) {
  for (int links = 1; links <= 4; links++) {
    cdn_state *state = pendulum(links);
    cdn_equilibrium_def any = cdn_default_equilibrium_def();
    cdn_equilibrium found;
    any.goal = CDN_EQUILIBRIUM_ANY;
    OK_ON(state, cdn_find_equilibrium(state, &any, &found));
    AT_MOST(found.unbalanced, 1e-8);
    for (int i = 0; i < links; i++) NEAR(cos(cdn_state_q(state)[i] + (i ? 0 : PI / 2)), 1, 1e-15);
    cdn_state_destroy(state);
  }
}
END_TEST

/* Two arms alike on a torso, whose stiffnesses come in pairs: which of the two is which is rounding, and so is which of
 * their mixtures are taken for modes. */
START_TEST(twins) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ .mass = 20, .com = cdn_v3(-0.3, 0.1, 0), .inertia = { 1, 1, 1, 0, 0, 0 } };
  const cdn_body torso = cdn_system_add_body(system, &def);
  for (int side = -1; side < 2; side += 2) {
    cdn_body last = torso;
    for (int i = 0; i < 3; i++) {
      def = cdn_default_body_def();
      def.parent = last, def.mobilizer = i == 1 ? CDN_PIN : CDN_BALL;
      def.X_PF.p = i ? cdn_v3(0, -0.3, 0) : cdn_v3(0, 0, side * 0.2);
      def.mass =
          (cdn_mass_properties){ .mass = 2, .com = cdn_v3(0.02, -0.15, side * 0.01), .inertia = { 0.1, 0.02, 0.1 } };
      last = cdn_system_add_body(system, &def);
    }
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -G, 0));
  cdn_state *state = state_of(system);
  const int nq = cdn_system_nq(cdn_state_system(state));
  double start[32], q[32], first[32];
  cdn_equilibrium found, before = { .stable = 0 };
  ck_assert_int_le(nq, 32);
  memcpy(start, cdn_state_q(state), (size_t)nq * sizeof *q);
  for (int run = 0; run < 8; run++) {
    for (int k = 0; k < nq; k++) q[k] = start[k] + (run && k ? ((k * 7 + run * 5) % 11 - 5) * 2e-16 : 0);
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
    if (run == 0) before = found, memcpy(first, cdn_state_q(state), sizeof first);
    for (int k = 0; k < nq; k++) NEAR(cdn_state_q(state)[k], first[k], 1e-8);
    ck_assert_int_eq(found.stable, before.stable);
    ck_assert_int_eq(found.neutral, before.neutral);
  }
  cdn_state_destroy(state);
}
END_TEST

/* Two fingers, one of which mimics the other, that rest at the very edge of their stops, on an arm that comes to rest:
 * their weights are in balance, and rounding must neither push them into the stops nor off them, which would make them
 * stiff or not. */
START_TEST(at_the_edge_of_a_stop) {
  for (int run = 0; run < 20; run++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_body last = cdn_ground();
    for (int i = 0; i < 3; i++) {
      cdn_body_def def = cdn_default_body_def();
      def.parent = last, def.mobilizer = CDN_PIN;
      def.X_PF.p = cdn_v3(i ? 0.5 : 0, 0, 0);
      def.X_PF.R = cdn_rotation_axis_angle(cdn_v3(1, run - 10, i), 0.4 * i + 0.1 * run);
      def.mass = (cdn_mass_properties){ 2, cdn_v3(0.4, 0.1 * i, 0.1), { 0.5, 0.6, 0.5, 0, 0, 0 } };
      last = cdn_system_add_body(system, &def);
    }
    cdn_body finger[2];
    for (int i = 0; i < 2; i++) {
      cdn_body_def def = cdn_default_body_def();
      def.parent = last, def.mobilizer = CDN_SLIDER;
      def.X_PF.R = cdn_rotation_axis_angle(cdn_v3(0, 0, 1), i ? 3.14159265358979 : 0);
      def.mass = (cdn_mass_properties){ 0.1, cdn_v3(0.01, 0, 0), { 1e-4, 1e-4, 1e-4, 0, 0, 0 } };
      finger[i] = cdn_system_add_body(system, &def);
      cdn_system_add_mobility_stop(system, NULL, finger[i], 0, 0, 0.04, 1e4, 10);
    }
    const double alike[5] = { 0, 1, 0, 0, 0 };
    cdn_system_couple_by_polynomial(system, "mimic", (cdn_mobility){ finger[1], 0 }, 0, (cdn_mobility){ finger[0], 0 },
                                    0, alike);
    cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -G));
    cdn_state *state = state_of(system);
    const double q[5] = { 0.9, 0.4, -0.3, 0, 0 };
    cdn_equilibrium found;
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
    ck_assert_msg(cdn_state_q(state)[3] == 0 && cdn_state_q(state)[4] == 0, "%d: %g, %g", run, cdn_state_q(state)[3],
                  cdn_state_q(state)[4]);
    ck_assert_int_eq(found.unstable, 0);
    cdn_state_destroy(state);
  }
}
END_TEST

/* Ligaments that are slack, and pull with the cube of their stretch: the arm comes to rest at the edge of where they
 * act, where their stiffness is zero too. (No potential: their work is integrated.) */
static const double SLACK = 0.4;

static cdn_status pull(const void *self, cdn_state *state, cdn_forces *forces) {
  (void)self;
  for (int k = 0; k < 2; k++) {
    const double stretch = cdn_state_q(state)[k] - SLACK;
    if (stretch > 0) cdn_forces_add_mobility(forces, (cdn_body){ k + 1 }, 0, -30 * stretch * stretch * stretch);
  }
  return CDN_OK;
}

START_TEST(at_the_edge_of_slack) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body upper = add_link(system, cdn_ground(), 0, 1, 1, "upper");
  add_link(system, upper, 1, 0.7, 0.5, "lower");
  const cdn_force_ops ops = {
    .struct_size = sizeof ops, .subsystem.name = "ligaments", .calc_force = pull, .reads = CDN_READS_POSITION
  };
  cdn_system_add_custom_force(system, &ops, NULL);
  cdn_state *state = state_of(system);
  const double q[2] = { 1.3, 0.9 };
  cdn_equilibrium found;
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
  for (int k = 0; k < 2; k++) NEAR(cdn_state_q(state)[k], SLACK, 1e-4); /* 30 (1e-4)^3 is 1e-12 of the first pull */
  AT_MOST(found.unbalanced, 1e-10);
  ck_assert_int_eq(found.unstable, 0);
  cdn_state_destroy(state);
}
END_TEST

/* Of what falls with something light on it that swings faster, the message names what falls. */
START_TEST(the_story_names_what_falls) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "stone", def.mobilizer = CDN_FREE;
  def.mass = (cdn_mass_properties){ .mass = 20, .inertia = { 1, 1, 1, 0, 0, 0 } };
  def.parent = cdn_system_add_body(system, &def);
  def.name = "hair", def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ .mass = 1e-3, .com = cdn_v3(0.01, 0, 0), .inertia = { 1e-8, 1e-8, 1e-8, 0, 0, 0 } };
  cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -G, 0));
  cdn_state *state = state_of(system);
  const double torque[7] = { [6] = 1e-5 };
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, torque));
  cdn_equilibrium found;
  cdn_error message;
  FAILS(cdn_find_equilibrium(state, NULL, &found), CDN_ERR_LIMIT);
  cdn_state_last_error(state, &message);
  ck_assert_str_eq(message.element, "stone.vy");
  ck_assert(strstr(message.text, "accelerates at 9.8"));
  cdn_state_destroy(state);
}
END_TEST

/* Nothing but ratios of masses matters: a heavy hanging body that turns about its own axis, far from balance, in units
 * of any size. */
START_TEST(units_of_mass) {
  double first[8];
  for (int run = 0; run < 5; run++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_BALL;
    const double m = pow(10, 12 * run - 24);
    def.mass = (cdn_mass_properties){ .mass = m, .com = cdn_v3(0.3, 1, 0.2), .inertia = { 2 * m, 3 * m, 2 * m } };
    def.parent = cdn_system_add_body(system, &def);
    def.X_PF.p = cdn_v3(0.4, 1, 0);
    cdn_system_add_body(system, &def);
    cdn_system_add_gravity(system, "gravity", cdn_v3(0, -G, 0));
    cdn_state *state = state_of(system);
    cdn_equilibrium found;
    OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
    ck_assert_int_eq(found.unstable, 0);
    if (run == 0) memcpy(first, cdn_state_q(state), sizeof first);
    for (int k = 0; k < 8; k++) NEAR(cdn_state_q(state)[k], first[k], 1e-8);
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(wrong_defs) {
  cdn_state *state = pendulum(1);
  cdn_equilibrium_def def = cdn_default_equilibrium_def();
  def.struct_size = 3;
  FAILS(cdn_find_equilibrium(state, &def, NULL), CDN_ERR_VERSION);
  const double bad[] = { 0, -1, NAN };
  for (int i = 0; i < 3; i++) {
    def = cdn_default_equilibrium_def();
    def.tolerance = bad[i];
    FAILS(cdn_find_equilibrium(state, &def, NULL), CDN_ERR_ARG);
    def = cdn_default_equilibrium_def();
    def.largest_step = bad[i];
    FAILS(cdn_find_equilibrium(state, &def, NULL), CDN_ERR_ARG);
  }
  /* steps too small to be told from rounding: where they ended was no equilibrium, or they did not end */
  const double tiny[] = { 5e-324, 1e-300, 1e-12 };
  for (int i = 0; i < 3; i++) {
    def = cdn_default_equilibrium_def();
    def.largest_step = tiny[i];
    FAILS(cdn_find_equilibrium(state, &def, NULL), CDN_ERR_ARG);
  }
  def = cdn_default_equilibrium_def();
  def.most_iterations = 0;
  FAILS(cdn_find_equilibrium(state, &def, NULL), CDN_ERR_ARG);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("equilibrium", a_chain_hangs, a_chain_upright, off_the_ridge, nothing_to_do, against_a_torque, with_a_lock,
           a_four_bar_with_a_spring, a_body_on_springs, neutral_and_falling, neutral_coordinates_stay,
           any_where_there_is_a_stable_one, twins, at_the_edge_of_a_stop, at_the_edge_of_slack,
           the_story_names_what_falls, units_of_mass, wrong_defs)
