/* Inverse dynamics with one-sided elements and dry friction: admissible multipliers, against closed forms. */
#include "hybrid_scenes.h"

static const double g = 10;
enum { MOST = 24 };

/* What the elements do by these multipliers. */
static double push_by(const cdn_system *system, const double *lambda, const char *constraint, double sign) {
  const cdn_constraint c = cdn_system_find_constraint(system, constraint);
  return -sign * lambda[cdn_constraint_get_equations(system, c).row];
}

static cdn_rigid_contact add_contact(cdn_system *system, cdn_body b, const char *name, cdn_transform X, cdn_vec3 p,
                                     double mu) {
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.name = name, c.X_AP = X, c.b = b, c.p_B = p, c.mu_dynamic = mu;
  return cdn_system_add_rigid_contact(system, &c);
}

static const cdn_transform FLOOR = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } };
static const bool NOBODY[MOST];

START_TEST(a_table_stands_on_the_legs_that_push) {
  static const double legs[4][2] = { { 0.5, 0.5 }, { 0.5, -0.5 }, { -0.5, -0.5 }, { -0.5, 0.5 } };
  static const char *const names[4] = { "first", "second", "third", "fourth" };
  static const double pushes[4] = { 65, 15, 0, 20 };
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.name = "table", d.mobilizer = CDN_FREE;
  d.mass = (cdn_mass_properties){ 10, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  const cdn_body table = cdn_system_add_body(system, &d);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  for (int i = 0; i < 4; i++) add_contact(system, table, names[i], FLOOR, cdn_v3(legs[i][0], legs[i][1], -0.7), 0);
  cdn_state *state = hybrid_state(system, (double[]){ 1, 0, 0, 0, 0, 0, 0.7 }, NULL);
  OK_ON(state, cdn_settle(state, 0));
  for (int i = 0; i < 4; i++) ck_assert(cdn_one_sided_is_on(state, (cdn_one_sided){ i }));
  const cdn_mass_properties aslant = { 10, { 0.3, 0.35, 0 }, { 1, 1, 1, 0, 0, 0 } };
  OK_ON(state, cdn_body_set_mass_properties(state, table, aslant));
  double f[6], lambda[MOST], unbalanced;
  OK_ON(state, cdn_constrained_inverse_dynamics(state, (double[6]){ 0 }, NOBODY, f, lambda, &unbalanced));
  AT_MOST(unbalanced, 1e-10);
  for (int i = 0; i < 4; i++) NEAR(push_by(cdn_state_system(state), lambda, names[i], 1), pushes[i], 1e-9);
  cdn_state_destroy(state);
}
END_TEST

/* A ladder with friction at the floor and at the wall: the multipliers of least norm have a friction of W / 2 at a wall
 * that does not push. Those that are admissible have friction at the wall's bound. */
START_TEST(a_ladder_with_friction_at_both_ends) {
  const double a = 1, c = cos(a) / sin(a), W = 50, mu = 0.4, F = mu * c * W / 2 / (1 + mu * c);
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body ladder = add_planar(system, "ladder", W / g, 1);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  add_contact(system, ladder, "floor", facing(cdn_v3(0, 1, 0), cdn_v3(0, 0, 0)), cdn_v3(-1, 0, 0), 0.9);
  add_contact(system, ladder, "wall", facing(cdn_v3(-1, 0, 0), cdn_v3(0, 0, 0)), cdn_v3(1, 0, 0), 2);
  cdn_state *state = hybrid_state(system, (double[]){ a, -cos(a), sin(a) }, NULL);
  /* both stick while the top is pressed to the wall */
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, (double[]){ -W * sin(a), W, 0 }));
  OK_ON(state, cdn_settle(state, 0));
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, (double[]){ 0, 0, 0 }));
  OK_ON(state, cdn_parameter_set(state, CDN_ELEMENT_DRY_FRICTION, "wall", "mu_dynamic", mu));
  for (int i = 0; i < 2; i++)
    ck_assert_int_eq(cdn_dry_friction_get_status(state, (cdn_dry_friction){ i }), CDN_FRICTION_STICK);
  double f[3], lambda[MOST], unbalanced;
  OK_ON(state, cdn_constrained_inverse_dynamics(state, (double[3]){ 0 }, NOBODY, f, lambda, &unbalanced));
  AT_MOST(unbalanced, 1e-9);
  NEAR(push_by(cdn_state_system(state), lambda, "wall", 1), (W / 2 - F) * c, 1e-8);
  NEAR(push_by(cdn_state_system(state), lambda, "floor", 1), W - F, 1e-8);
  cdn_state_destroy(state);
}
END_TEST

/* A block that sticks on a floor is pulled along it by P. Motors along the floor help where friction is at its bound;
 * without motors something remains. */
START_TEST(motors_help_friction) {
  const double W = 20, mu = 0.5, P = _i < 2 ? 16 : 7, angle = 0.7, more = fmax(0, P - mu * W);
  const bool motors = _i != 1;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body block = add_point(system, "block", W / g);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  add_contact(system, block, "floor", FLOOR, cdn_v3(0, 0, 0), mu);
  cdn_state *state = hybrid_state(system, NULL, NULL);
  OK_ON(state, cdn_settle(state, 0));
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, (double[]){ P * cos(angle), P * sin(angle), 0 }));
  const bool along[3] = { true, true, false };
  double f[3], lambda[MOST], unbalanced;
  const cdn_status status =
      cdn_constrained_inverse_dynamics(state, (double[3]){ 0 }, motors ? along : NOBODY, f, lambda, &unbalanced);
  const double push = push_by(cdn_state_system(state), lambda, "floor", 1);
  if (motors) {
    OK_ON(state, status);
    NEAR(push, W, 1e-8 * W);
    NEAR(f[0], -more * cos(angle), 1e-8 * W);
    NEAR(f[1], -more * sin(angle), 1e-8 * W);
  } else {
    ck_assert_int_eq(status, CDN_ERR_CONSTRAINT);
    cdn_error e;
    cdn_state_last_error(state, &e);
    ck_assert_str_eq(e.element, "floor");
    /* the least sum of squares: a larger push has more friction */
    NEAR(push, (W + mu * P) / (1 + mu * mu), 1e-8 * W);
    NEAR(unbalanced, (P - mu * push) * cos(angle), 1e-8 * W);
  }
  cdn_state_destroy(state);
}
END_TEST

/* Of an ellipse: a block sticks where |(F_x, F_y / ratio)| <= mu W, and motors help beyond it. */
START_TEST(motors_help_friction_that_differs_by_direction) {
  const double W = 20, mu = 0.4, ratio = 1.8;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body block = add_point(system, "block", W / g);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.name = "floor", c.b = block, c.mu_dynamic = mu, c.mu_ratio = ratio;
  cdn_system_add_rigid_contact(system, &c);
  cdn_state *state = hybrid_state(system, NULL, NULL);
  OK_ON(state, cdn_settle(state, 0));
  const double limit = mu * W,
               pulls[][2] = { { 0.99 * limit, 0 }, { 0, 0.99 * ratio * limit }, { 0, 1.5 * ratio * limit } };
  double f[3], lambda[MOST];
  for (int k = 0; k < 3; k++) {
    OK_ON(state, cdn_state_set_applied_mobility_forces(state, (double[]){ pulls[k][0], pulls[k][1], 0 }));
    OK_ON(state,
          cdn_constrained_inverse_dynamics(state, (double[3]){ 0 }, (bool[]){ true, true, false }, f, lambda, NULL));
    NEAR(f[0], 0, 1e-8);
    NEAR(f[1], k < 2 ? 0 : -0.5 * ratio * limit, 1e-8);
  }
  cdn_state_destroy(state);
}
END_TEST

/* What would have to pull is named: a floor below a block that is lifted, a rope that is pushed. */
START_TEST(what_would_pull_is_named) {
  const double W = 20, lift = 25;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body block = add_point(system, "block", W / g);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  add_contact(system, block, "floor", FLOOR, cdn_v3(0, 0, 0), 0.5);
  cdn_state *state = hybrid_state(system, NULL, NULL);
  OK_ON(state, cdn_settle(state, 0));
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, (double[]){ 0, 0, lift }));
  double f[3], lambda[MOST], unbalanced;
  FAILS(cdn_constrained_inverse_dynamics(state, (double[3]){ 0 }, NOBODY, f, lambda, &unbalanced), CDN_ERR_CONSTRAINT);
  NEAR(unbalanced, lift - W, 1e-8 * W);
  NEAR(push_by(cdn_state_system(state), lambda, "floor", 1), 0, 1e-12);
  /* with a motor there is an answer */
  OK_ON(state, cdn_constrained_inverse_dynamics(state, (double[3]){ 0 }, NULL, f, lambda, &unbalanced));
  NEAR(f[2], W - lift, 1e-8 * W);
  cdn_state_destroy(state);
}
END_TEST

/* While friction slips it belongs to the balance, with the push that it follows. */
START_TEST(what_slips_takes_part) {
  const double mu = 0.3;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body block = add_point(system, "block", 2);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  add_contact(system, block, "floor", FLOOR, cdn_v3(0, 0, 0), mu);
  cdn_state *state = hybrid_state(system, NULL, (double[]){ 3, 4, 0 });
  OK_ON(state, cdn_settle(state, 0));
  double f[3], lambda[MOST], unbalanced;
  OK_ON(state, cdn_constrained_inverse_dynamics(state, cdn_state_udot(state), NOBODY, f, lambda, &unbalanced));
  AT_MOST(unbalanced, 1e-12);
  NEAR(push_by(cdn_state_system(state), lambda, "floor", 1), 2 * g, 1e-12);
  OK_ON(state,
        cdn_constrained_inverse_dynamics(state, (double[3]){ 0 }, (bool[]){ true, true, false }, f, lambda, NULL));
  NEAR(f[0], mu * 2 * g * 0.6, 1e-12);
  NEAR(f[1], mu * 2 * g * 0.8, 1e-12);
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_test(c, a_table_stands_on_the_legs_that_push);
  tcase_add_test(c, a_ladder_with_friction_at_both_ends);
  tcase_add_loop_test(c, motors_help_friction, 0, 3);
  tcase_add_test(c, motors_help_friction_that_differs_by_direction);
  tcase_add_test(c, what_would_pull_is_named);
  tcase_add_test(c, what_slips_takes_part);
}

CHECK_MAIN_OF("hybrid inverse", 60, add)
