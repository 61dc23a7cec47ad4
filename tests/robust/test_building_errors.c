/* Mistakes made while building: the first is kept and freezing returns it, with the element's name in its message. */
#include "../testing.h"

/* Freezing must fail with the code, and the message must name both words; the System is released. */
static void refused(cdn_system *system, cdn_status code, const char *element, const char *word) {
  cdn_error error;
  FAILS(cdn_system_freeze(system), code);
  ck_assert(!cdn_system_is_frozen(system));
  cdn_system_last_error(system, &error);
  ck_assert_int_eq(error.code, code);
  ck_assert_msg(strstr(error.element, element) || strstr(error.text, element), "no '%s' in [%s] %s", element,
                error.element, error.text);
  ck_assert_msg(strstr(error.text, word) != NULL, "no '%s' in: %s", word, error.text);
  cdn_state *state = NULL;
  FAILS(cdn_state_create(system, &state), CDN_ERR_NOT_FROZEN);
  ck_assert_ptr_null(state);
  cdn_system_release(system);
}

static cdn_body_def solid(const char *name, cdn_mobilizer kind) {
  cdn_body_def def = cdn_default_body_def();
  def.name = name;
  def.mobilizer = kind;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  return def;
}

START_TEST(test_masses) {
  cdn_body_def def = solid("anvil", CDN_PIN);
  cdn_system *system = cdn_system_create(NULL);
  def.mass.mass = -1;
  cdn_system_add_body(system, &def);
  refused(system, CDN_ERR_ARG, "anvil", "mass");

  system = cdn_system_create(NULL);
  def = solid("anvil", CDN_PIN);
  def.mass.inertia.zz = 2.5; /* 1 + 1 < 2.5 */
  cdn_system_add_body(system, &def);
  refused(system, CDN_ERR_ARG, "anvil", "triangle");

  system = cdn_system_create(NULL);
  def = solid("anvil", CDN_PIN);
  def.mass.inertia.xy = 1.5; /* a negative principal moment */
  cdn_system_add_body(system, &def);
  refused(system, CDN_ERR_ARG, "anvil", "inertia");

  system = cdn_system_create(NULL);
  def = solid("anvil", CDN_PIN);
  def.mass.com.x = NAN;
  cdn_system_add_body(system, &def);
  refused(system, CDN_ERR_NONFINITE, "anvil", "mass");

  system = cdn_system_create(NULL);
  def = solid("anvil", CDN_PIN);
  def.armature = -1;
  cdn_system_add_body(system, &def);
  refused(system, CDN_ERR_ARG, "anvil", "armature");

  /* inertia without mass belongs to nothing */
  system = cdn_system_create(NULL);
  def = solid("ghost", CDN_PIN);
  def.mass.mass = 0;
  cdn_system_add_body(system, &def);
  refused(system, CDN_ERR_ARG, "ghost", "mass");
}
END_TEST

START_TEST(test_bodies_at_the_limit_are_accepted) {
  /* a flat plate and a rod in any orientation reach the triangle inequality's bound, up to rounding */
  cdn_system *system = cdn_system_create(NULL);
  cdn_inertia plate = { .xx = 1.0 / 3, .yy = 2.0 / 7, .zz = 1.0 / 3 + 2.0 / 7 },
              rod = { .xx = 0, .yy = 0.3, .zz = 0.3 };
  for (int i = 0; i < 50; i++) {
    cdn_rotation R = cdn_rotation_axis_angle(cdn_v3(sin(i), cos(3 * i), sin(5 * i + 1)), 0.7 * i);
    cdn_body_def def = solid(NULL, CDN_PIN);
    def.mass.com = cdn_v3(1, 1, 0);
    def.mass.inertia = cdn_inertia_reexpress(R, i % 2 ? plate : rod);
    cdn_system_add_body(system, &def);
  }
  OK_FREEZE(system);
  cdn_system_release(system);
}
END_TEST

START_TEST(test_massless_end) {
  /* nothing outboard has inertia: the joint that could move for free is named */
  cdn_body_def def = cdn_default_body_def();
  def.name = "feather", def.mobilizer_name = "wrist", def.mobilizer = CDN_PIN;
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_body(system, &def);
  refused(system, CDN_ERR_SINGULAR, "wrist", "mass");

  /* the same with a chain of them behind a solid */
  system = cdn_system_create(NULL);
  cdn_body_def arm = solid("arm", CDN_PIN);
  def.parent = cdn_system_add_body(system, &arm);
  def.mobilizer = CDN_SLIDER, def.mobilizer_name = "rail";
  def.parent = cdn_system_add_body(system, &def);
  def.mobilizer = CDN_WELD, def.mobilizer_name = "glue", def.name = "tip";
  cdn_system_add_body(system, &def);
  refused(system, CDN_ERR_SINGULAR, "rail", "mass");

  /* welded massless bodies, and massless ones with armature, are harmless */
  system = cdn_system_create(NULL);
  def = cdn_default_body_def();
  def.parent = cdn_system_add_body(system, &arm);
  def.parent = cdn_system_add_body(system, &def);
  def.mobilizer = CDN_PIN, def.armature = 0.1;
  cdn_system_add_body(system, &def);
  OK_FREEZE(system);
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

START_TEST(test_point_on_a_ball) {
  /* a point turns about itself for nothing: the joint is named at the latest when it is realized */
  cdn_body_def def = cdn_default_body_def();
  def.name = "bead", def.mobilizer_name = "socket", def.mobilizer = CDN_BALL;
  def.mass = (cdn_mass_properties){ .mass = 1, .com = { 0, 0, 1 } };
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdn_error error;
  cdn_system_add_body(system, &def);
  cdn_status status = cdn_system_freeze(system);
  if (status == CDN_OK) {
    OK(cdn_state_create(system, &state));
    FAILS(cdn_realize(state, CDN_STAGE_ACCELERATION), CDN_ERR_SINGULAR);
    cdn_state_last_error(state, &error);
  } else cdn_system_last_error(system, &error);
  ck_assert_msg(strstr(error.element, "socket") || strstr(error.text, "socket"), "[%s] %s", error.element, error.text);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

START_TEST(test_singular_position) {
  /* three massless pins in a row are a gimbal: regular almost everywhere, not where two axes line up */
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "yaw", def.mobilizer = CDN_PIN;
  def.parent = cdn_system_add_body(system, &def);
  def.name = "pitch", def.X_PF.R = def.X_BM.R = cdn_rotation_z_to(cdn_v3(0, 1, 0));
  def.parent = cdn_system_add_body(system, &def);
  def.name = "roll", def.X_PF.R = def.X_BM.R = cdn_rotation_z_to(cdn_v3(1, 0, 0));
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  cdn_system_add_body(system, &def);
  OK_FREEZE(system);
  cdn_state *state = NULL;
  cdn_error error;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  double q[3] = { 0.3, PI / 2, 0.2 };
  OK(cdn_state_set_q(state, q));
  FAILS(cdn_realize(state, CDN_STAGE_ACCELERATION), CDN_ERR_SINGULAR);
  cdn_state_last_error(state, &error);
  ck_assert_int_eq(error.code, CDN_ERR_SINGULAR);
  ck_assert_msg(strstr(error.text, "yaw") || strstr(error.element, "yaw"), "[%s] %s", error.element, error.text);
  q[1] = 1.4; /* and it recovers */
  OK(cdn_state_set_q(state, q));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

START_TEST(test_parents_and_frames) {
  cdn_body_def def = solid("orphan", CDN_PIN);
  cdn_system *system = cdn_system_create(NULL);
  def.parent.i = 7;
  cdn_system_add_body(system, &def);
  refused(system, CDN_ERR_ARG, "orphan", "parent");

  system = cdn_system_create(NULL);
  def.parent.i = -1;
  cdn_system_add_body(system, &def);
  refused(system, CDN_ERR_ARG, "orphan", "parent");

  system = cdn_system_create(NULL);
  def = solid("crooked", CDN_PIN);
  def.X_PF.R.x = cdn_v3(1, 0.1, 0);
  cdn_system_add_body(system, &def);
  refused(system, CDN_ERR_ARG, "crooked", "X_PF");

  system = cdn_system_create(NULL);
  def = solid("mirror", CDN_PIN);
  def.X_BM.R.z = cdn_v3(0, 0, -1); /* left-handed */
  cdn_system_add_body(system, &def);
  refused(system, CDN_ERR_ARG, "mirror", "X_BM");

  system = cdn_system_create(NULL);
  def = solid("odd", CDN_MOBILIZER_COUNT);
  cdn_system_add_body(system, &def);
  refused(system, CDN_ERR_ARG, "odd", "mobilizer");

  system = cdn_system_create(NULL);
  def = solid("still", CDN_BALL);
  const double zero[4] = { 0, 0, 0, 0 };
  def.q0 = zero;
  cdn_system_add_body(system, &def);
  refused(system, CDN_ERR_ARG, "still", "quaternion");

  system = cdn_system_create(NULL);
  def = solid("unset", CDN_PIN);
  def.struct_size = 0; /* not from cdn_default_body_def: nothing in it can be trusted, not even the name */
  cdn_system_add_body(system, &def);
  refused(system, CDN_ERR_VERSION, "body", "cdn_default_body_def");
}
END_TEST

START_TEST(test_names) {
  /* given, or made up from the number; and found again */
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = solid("twin", CDN_PIN);
  cdn_body first = cdn_system_add_body(system, &def);
  def.name = "other";
  cdn_body second = cdn_system_add_body(system, &def);
  def.name = NULL;
  cdn_body third = cdn_system_add_body(system, &def);
  OK_FREEZE(system);
  ck_assert_str_eq(cdn_body_name(system, first), "twin");
  ck_assert_str_eq(cdn_body_name(system, third), "body3");
  ck_assert_int_eq(cdn_system_find_body(system, "other").i, second.i);
  ck_assert_int_eq(cdn_system_find_body(system, "nobody").i, -1);
  cdn_system_release(system);
}
END_TEST

START_TEST(test_forces) {
  cdn_vec3 o = cdn_v3(0, 0, 0);
  cdn_body_def def = solid("arm", CDN_PIN), ball = solid("hip", CDN_BALL);

  cdn_system *system = cdn_system_create(NULL);
  cdn_body arm = cdn_system_add_body(system, &def);
  cdn_system_add_mobility_spring(system, "bungee", (cdn_body){ 5 }, 0, 1, 0);
  refused(system, CDN_ERR_ARG, "bungee", "body");

  system = cdn_system_create(NULL);
  cdn_system_add_body(system, &def);
  cdn_system_add_mobility_spring(system, "bungee", arm, 1, 1, 0);
  refused(system, CDN_ERR_ARG, "bungee", "arm");

  system = cdn_system_create(NULL);
  cdn_body hip = cdn_system_add_body(system, &ball);
  cdn_system_add_mobility_spring(system, "bungee", hip, 0, 1, 0); /* a quaternion's number is no angle */
  refused(system, CDN_ERR_ARG, "bungee", "hip");

  system = cdn_system_create(NULL);
  cdn_system_add_body(system, &def);
  cdn_system_add_mobility_damper(system, "syrup", arm, 0, -1);
  refused(system, CDN_ERR_ARG, "syrup", "");

  system = cdn_system_create(NULL);
  cdn_system_add_body(system, &def);
  cdn_system_add_mobility_stop(system, "wall", arm, 0, 1, -1, 10, 0);
  refused(system, CDN_ERR_ARG, "wall", "");

  system = cdn_system_create(NULL);
  cdn_system_add_body(system, &def);
  cdn_system_add_two_point_spring(system, "cord", arm, o, cdn_ground(), o, NAN, 0);
  refused(system, CDN_ERR_NONFINITE, "cord", "");

  system = cdn_system_create(NULL);
  cdn_system_add_body(system, &def);
  cdn_system_add_rotation_spring(system, "twist", arm, 1, cdn_rotation_identity()); /* not on a pin */
  refused(system, CDN_ERR_ARG, "twist", "arm");

  system = cdn_system_create(NULL);
  cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "moon", cdn_v3(0, 0, -1.6));
  cdn_system_add_gravity(system, "earth", cdn_v3(0, 0, -9.8));
  refused(system, CDN_ERR_ARG, "earth", "gravity");

  system = cdn_system_create(NULL);
  cdn_system_add_body(system, &def);
  cdn_force_ops ops = { .struct_size = sizeof ops };
  ops.subsystem.struct_size = sizeof ops.subsystem, ops.subsystem.name = "idle";
  cdn_system_add_custom_force(system, &ops, NULL);
  refused(system, CDN_ERR_ARG, "idle", "calc_force");
}
END_TEST

START_TEST(test_first_mistake_is_kept) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = solid("first", CDN_PIN);
  def.mass.mass = -1;
  cdn_system_add_body(system, &def);
  def.name = "second";
  cdn_system_add_body(system, &def);
  refused(system, CDN_ERR_ARG, "first", "");
}
END_TEST

START_TEST(test_frozen_is_final) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = solid("arm", CDN_PIN);
  cdn_system_add_body(system, &def);
  OK_FREEZE(system);
  FAILS(cdn_system_freeze(system), CDN_ERR_FROZEN);
  ck_assert(cdn_system_is_frozen(system));
  cdn_system_add_body(system, &def); /* has no effect and does no harm */
  cdn_system_add_gravity(system, "late", cdn_v3(0, 0, -1));
  ck_assert(cdn_system_is_frozen(system));
  ck_assert_int_eq(cdn_system_body_count(system), 2);
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

START_TEST(test_state_of_an_unfrozen_system) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  FAILS(cdn_state_create(system, &state), CDN_ERR_NOT_FROZEN);
  cdn_system_release(system);
}
END_TEST

START_TEST(test_improper_on_request) {
  /* files hold such inertias: allowed when asked for, and simulated as long as the dynamics are well defined */
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = solid("odd", CDN_PIN);
  def.mass.inertia.zz = 2.5;
  def.allow_improper = true;
  cdn_system_add_body(system, &def);
  OK_FREEZE(system);
  cdn_state *state = NULL;
  double M;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_calc_M(state, &M));
  ck_assert_double_eq(M, 2.5);
  cdn_state_destroy(state);
  cdn_system_release(system);

  system = cdn_system_create(NULL);
  def = cdn_default_body_def();
  def.name = "feather", def.mobilizer = CDN_PIN, def.allow_improper = true;
  cdn_system_add_body(system, &def);
  OK_FREEZE(system);
  cdn_error error;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_realize(state, CDN_STAGE_VELOCITY)); /* kinematics are fine */
  FAILS(cdn_realize(state, CDN_STAGE_ACCELERATION), CDN_ERR_SINGULAR);
  cdn_state_last_error(state, &error);
  ck_assert_msg(strstr(error.element, "feather") || strstr(error.text, "feather"), "[%s] %s", error.element,
                error.text);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

START_TEST(test_empty_system) {
  /* Ground alone is a System, too */
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  double total, moving, energy;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_realize(state, CDN_STAGE_REPORT));
  ck_assert_int_eq(cdn_system_body_count(system), 1);
  ck_assert_int_eq(cdn_system_nq(system), 0);
  OK_ON(state, cdn_system_mass(state, &total, &moving));
  OK_ON(state, cdn_kinetic_energy(state, &energy));
  ck_assert_double_eq(total + moving + energy, 0);
  OK_ON(state, cdn_stepper_create(state, NULL, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  ck_assert_double_eq(cdn_state_time(cdn_stepper_state(stepper)), 1);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("building errors", test_masses, test_bodies_at_the_limit_are_accepted, test_massless_end,
           test_point_on_a_ball, test_singular_position, test_parents_and_frames, test_names, test_forces,
           test_first_mistake_is_kept, test_frozen_is_final, test_state_of_an_unfrozen_system, test_improper_on_request,
           test_empty_system)
