/* What closes loops in model files: MJCF's <equality> and URDF's <mimic>, from text to constraints. Against MuJoCo
 * itself: peers/test_mujoco_equality.c. */
#include "testing.h"

#include <stdio.h>

static cdn_model *model;
static cdn_state *state;

static cdn_status try_load(const char *text, const cdn_model_options *options) {
  return cdn_model_load_string(text, strlen(text), "m.xml", options, &model);
}

static void load_with(const char *text, const cdn_model_options *options) {
  const cdn_status status = try_load(text, options);
  cdn_error e;
  cdn_model_last_error(model, &e);
  ck_assert_msg(status == CDN_OK, "%s", e.text);
  OK(cdn_state_create(cdn_model_system(model), &state));
}

/* Nothing may be left that is not simulated. */
static void load(const char *text) {
  cdn_model_options options = cdn_default_model_options();
  options.strict = true;
  load_with(text, &options);
}

static void unload(void) {
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}

static void refuses(const char *text, const char *message) {
  cdn_error e;
  FAILS(try_load(text, NULL), CDN_ERR_PARSE);
  cdn_model_last_error(model, &e);
  ck_assert_msg(strstr(e.text, message) != NULL, "no '%s' in: %s", message, e.text);
  cdn_model_destroy(model);
}

static cdn_constraint named(const char *name, const char *kind) {
  const cdn_system *system = cdn_model_system(model);
  const cdn_constraint c = cdn_system_find_constraint(system, name);
  ck_assert_msg(c.i >= 0, "there is no constraint '%s'", name);
  ck_assert_str_eq(cdn_constraint_kind_name(system, c), kind);
  return c;
}

static const double *errors_of(cdn_constraint c) {
  const double *e = cdn_state_qerr(state);
  ck_assert_ptr_nonnull(e);
  return e + cdn_constraint_get_equations(cdn_model_system(model), c).qerr;
}

/* ---- MJCF ---- */

/* Two arms with turned frames and reference values that are not zero. */
#define ARMS                                                                                         \
  "<worldbody><body name='a' pos='1 0 0' euler='10 20 30'><joint name='ja' axis='0 0 1' ref='40'/>"  \
  "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"                                             \
  "<body name='b' pos='0 1 0' euler='0 50 0'><joint name='jb' axis='1 0 0'/>"                        \
  "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></body>"                               \
  "<body name='c' pos='0 0 2' euler='0 0 70'><joint name='jc' type='slide' axis='0 1 0' ref='0.3'/>" \
  "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></worldbody>"
#define MJCF(inside) "<mujoco>\n" inside "\n</mujoco>"

START_TEST(test_mjcf_holds_in_the_reference_configuration) {
  load(MJCF(
      ARMS
      "<equality><connect name='pin' body1='b' body2='c' anchor='0.1 0.2 0.3'/><connect body1='a' anchor='1 2 3'/>\n"
      "<weld name='glue' body1='b' body2='c'/><weld body1='c' anchor='1 0 0'/>"
      "<joint name='gear' joint1='ja' joint2='jc'/><joint joint1='jb'/></equality>"));
  const cdn_constraint all[] = { named("pin", "ball"),
                                 named("connect of line 2", "ball"),
                                 named("glue", "weld joint"),
                                 named("weld of line 3", "weld joint"),
                                 named("gear", "polynomial coupler"),
                                 named("joint of line 3", "constant coordinate") };
  ck_assert_int_eq(cdn_system_constraint_count(cdn_model_system(model)), 6);
  ck_assert_int_eq(cdn_system_nqerr(cdn_model_system(model)), 3 + 3 + 6 + 6 + 1 + 1);
  for (int i = 0; i < 6; i++) {
    const cdn_constraint_equations n = cdn_constraint_get_equations(cdn_model_system(model), all[i]);
    for (int k = 0; k < n.np; k++) NEAR(errors_of(all[i])[k], 0, 1e-14);
  }
  unload();
}
END_TEST

/* The anchor of a connection is on body 1; that of a weld is on body 2, and relpose is where it belongs in body 1. */
START_TEST(test_mjcf_frames) {
  load(MJCF(
      ARMS
      "<equality><connect name='pin' body1='c' anchor='0.1 0.2 0.3'/>"
      "<weld name='glue' body1='a' body2='c' relpose='1 2 3 0.8 0 0.6 0' anchor='4 5 6' torquescale='2'/></equality>"));
  const double *p = cdn_constraint_params(state, named("pin", "ball"), NULL);
  NEAR(p[0], 0.1, 0);
  NEAR(p[1], 0.2, 0);
  NEAR(p[2], 0.3, 0);
  /* c is turned by 70 degrees about z at (0, 0, 2) */
  const double c = cos(70 * PI / 180), s = sin(70 * PI / 180);
  NEAR(p[3], 0.1 * c - 0.2 * s, 1e-15);
  NEAR(p[4], 0.1 * s + 0.2 * c, 1e-15);
  NEAR(p[5], 2.3, 1e-15);
  /* R of the quaternion (0.8, 0, 0.6, 0): about y by the angle of cosine 0.28 and sine 0.96 */
  p = cdn_constraint_params(state, named("glue", "weld joint"), NULL);
  const double X_AF[12] = { 0.28, 0, -0.96, 0, 1, 0, 0.96, 0, 0.28, 1, 2, 3 };
  for (int i = 0; i < 12; i++) NEAR(p[i], X_AF[i], 1e-14);
  for (int i = 0; i < 3; i++) NEAR(p[12 + 9 + i], 4 + i, 0);
  unload();
}
END_TEST

START_TEST(test_mjcf_couplings) {
  load(MJCF(ARMS "<equality><joint name='gear' joint1='jc' joint2='ja' polycoef='0.1 2 -3 0.5 0.25' solref='0.1 1'/>"
                 "<joint name='stay' joint1='jb' polycoef='0.4 0 0 0 0'/></equality>"));
  const double ja = 1.1, jb = 0.9, jc = -0.2, x = ja - 40 * PI / 180;
  OK_ON(state, cdn_state_set_q(state, (double[]){ ja, jb, jc }));
  NEAR(errors_of(named("gear", "polynomial coupler"))[0],
       jc - 0.3 - (0.1 + 2 * x - 3 * x * x + 0.5 * x * x * x + 0.25 * x * x * x * x), 1e-15);
  NEAR(errors_of(named("stay", "constant coordinate"))[0], jb - 0.4, 1e-15);
  unload();
}
END_TEST

/* Coefficients that are left out are those of 0 1 0 0 0, as MuJoCo has it from version 3 on. */
START_TEST(test_mjcf_short_polynomials) {
  load(MJCF(ARMS "<equality><joint name='one' joint1='jc' joint2='ja' polycoef='0.1'/>"
                 "<joint name='two' joint1='jc' joint2='ja' polycoef='0.1 2'/>"
                 "<joint name='stay' joint1='jb' polycoef='0.4 0.7'/></equality>"));
  const double ja = 0.9, jb = -0.2, jc = 0.55, x = ja - 40 * PI / 180;
  OK_ON(state, cdn_state_set_q(state, (double[]){ ja, jb, jc }));
  NEAR(errors_of(named("one", "polynomial coupler"))[0], jc - 0.3 - (0.1 + x), 1e-15);
  NEAR(errors_of(named("two", "polynomial coupler"))[0], jc - 0.3 - (0.1 + 2 * x), 1e-15);
  NEAR(errors_of(named("stay", "constant coordinate"))[0], jb - 0.4, 1e-15);
  unload();
}
END_TEST

START_TEST(test_mjcf_switches) {
  load(MJCF("<default><equality active='false'/><default class='on'><equality active='true'/></default></default>" ARMS
            "<equality><joint name='off' joint1='ja'/><joint name='on' class='on' joint1='jb'/>"
            "<joint name='also on' active='true' joint1='jc'/></equality>"));
  const cdn_constraint off = named("off", "constant coordinate");
  ck_assert(!cdn_constraint_is_enabled(state, off));
  ck_assert(cdn_constraint_is_enabled(state, named("on", "constant coordinate")));
  ck_assert(cdn_constraint_is_enabled(state, named("also on", "constant coordinate")));
  OK_ON(state, cdn_state_set_q(state, (double[]){ 1, 0, 0.3 }));
  NEAR(errors_of(off)[0], 0, 0);
  OK_ON(state, cdn_constraint_set_enabled(state, off, true));
  NEAR(errors_of(off)[0], 1 - 40 * PI / 180, 1e-15);
  unload();

  load(MJCF("<option><flag equality='disable'/></option>" ARMS "<equality><joint joint1='ja'/></equality>"));
  ck_assert_int_eq(cdn_system_constraint_count(cdn_model_system(model)), 0);
  unload();
  cdn_model_options options = cdn_default_model_options();
  options.tree_only = true;
  load_with(MJCF(ARMS "<equality><joint joint1='ja'/></equality>"), &options);
  ck_assert_int_eq(cdn_system_constraint_count(cdn_model_system(model)), 0);
  unload();
}
END_TEST

START_TEST(test_mjcf_mistakes) {
#define EQUALITY(inside) MJCF(ARMS "\n<equality>\n" inside "</equality>")
  refuses(EQUALITY("<connect anchor='0 0 0'/>"), "m.xml:4: <connect>: attribute 'body1'");
  refuses(EQUALITY("<connect body1='a'/>"), "'anchor' is missing");
  refuses(EQUALITY("<connect body1='z' anchor='0 0 0'/>"), "body1='z' names no body");
  refuses(EQUALITY("<weld body1='a' body2='z'/>"), "body2='z' names no body");
  refuses(EQUALITY("<weld body1='a' body2='a'/>"), "both ends");
  refuses(EQUALITY("<weld body1='world'/>"), "both ends");
  refuses(EQUALITY("<weld body1='a' relpose='1 2 3'/>"), "relpose");
  refuses(EQUALITY("<joint joint2='ja'/>"), "joint1");
  refuses(EQUALITY("<joint joint1='ja' joint2='z'/>"), "joint2='z' names no joint");
  refuses(EQUALITY("<joint joint1='ja' joint2='ja'/>"), "with itself");
  refuses(EQUALITY("<joint joint1='ja' polycoef='1 2 3 4 5 6'/>"), "polycoef");
  refuses(EQUALITY("<joint joint1='ja' polycoef='nan'/>"), "polycoef");
  refuses(EQUALITY("<joint joint1='ja' class='z'/>"), "default class");
  refuses(
      MJCF("<worldbody><body name='a'><freejoint name='f'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>"
           "</worldbody><equality><joint joint1='f'/></equality>"),
      "no hinge or slide");
}
END_TEST

/* Against MuJoCo: peers/test_mujoco_soft_elements.c. */
START_TEST(test_mjcf_soft) {
  static const char text[] =
      MJCF(ARMS "<equality><joint name='gear' joint1='jc' joint2='ja' polycoef='0.1 2 -3 0.5 0.25' solref='0.1 1'/>"
                "<weld name='glue' body1='a' active='false' torquescale='3' solimp='.2 .3 .4 .5 6'/></equality>");
  cdn_model_options options = cdn_default_model_options();
  options.equality = CDN_MODEL_SOFT_EQUALITY;
  static const struct {
    const char *element, *parameter;
    double value;
  } expected[] = { { "gear", "polynomial[4]", 0.25 }, { "gear", "ref[0]", 0.1 },     { "gear", "y0", 0.3 },
                   { "gear", "enabled", 1 },          { "glue", "torque_scale", 3 }, { "glue", "imp[1]", 0.3 },
                   { "glue", "imp[4]", 6 },           { "glue", "enabled", 0 } };
  load_with(text, &options);
  const cdn_system *system = cdn_model_system(model);
  ck_assert_int_eq(cdn_system_constraint_count(system), 0);
  for (int i = 0; i < (int)(sizeof expected / sizeof *expected); i++) {
    double value;
    OK_ON(state, cdn_parameter_get(state, CDN_ELEMENT_SOFT, expected[i].element, expected[i].parameter, &value));
    ck_assert_msg(value == expected[i].value, "%s %s: %.17g", expected[i].element, expected[i].parameter, value);
  }
  unload();
  options.tree_only = true;
  load_with(text, &options);
  ck_assert_int_eq(cdn_element_count(cdn_model_system(model), CDN_ELEMENT_SOFT), 0);
  unload();
}
END_TEST

/* ---- URDF ---- */

#define LINK(name) \
  "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
#define JOINT(name, type, a, b, inside) \
  "<joint name='" name "' type='" type "'><parent link='" a "'/><child link='" b "'/>" inside "</joint>\n"
#define URDF(inside) "<robot name='r'>\n" LINK("base") LINK("l") LINK("r") "\n" inside "</robot>"

START_TEST(test_urdf_mimic) {
  /* the one that is followed comes later in the file, and one that is fixed lies between */
  load(URDF(LINK("tip") JOINT("left", "continuous", "base", "l", "<mimic joint='right' multiplier='-2' offset='0.5'/>")
                JOINT("fix", "fixed", "base", "tip", "") JOINT("right", "continuous", "tip", "r", "")));
  const cdn_constraint c = named("left mimic", "polynomial coupler");
  OK_ON(state, cdn_state_set_q(state, (double[]){ 0.3, 0.7 }));
  NEAR(errors_of(c)[0], 0.3 + 2 * 0.7 - 0.5, 1e-15);
  unload();
  load(URDF(JOINT("left", "continuous", "base", "l", "<mimic joint='right'/>")
                JOINT("right", "prismatic", "base", "r", "<limit lower='-1' upper='1' effort='1' velocity='1'/>")));
  OK_ON(state, cdn_state_set_q(state, (double[]){ 0.3, 0.7 }));
  NEAR(errors_of(named("left mimic", "polynomial coupler"))[0], 0.3 - 0.7, 1e-15);
  unload();
}
END_TEST

/* ROS reads it, and real robots have it: what cannot move follows nothing. */
START_TEST(test_urdf_fixed_joint_that_mimics) {
  static const char *const followed[] = { "right", "nobody" };
  for (int i = 0; i < 2; i++) {
    char text[2000];
    snprintf(text, sizeof text,
             URDF(JOINT("left", "fixed", "base", "l", "<mimic joint='%s' multiplier='2'/>")
                      JOINT("right", "continuous", "base", "r", "")),
             followed[i]);
    for (int keep = 0; keep < 2; keep++) {
      cdn_model_options options = cdn_default_model_options();
      options.keep_fixed = keep;
      load_with(text, &options);
      ck_assert_int_eq(cdn_system_constraint_count(cdn_model_system(model)), 0);
      ck_assert_int_eq(cdn_model_warning_count(model), 1);
      const char *warning = cdn_model_warning(model, 0);
      ck_assert_msg(strstr(warning, "m.xml:3: joint 'left' is fixed") && strstr(warning, followed[i]), "%s", warning);
      OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
      unload();
    }
  }
}
END_TEST

START_TEST(test_urdf_mistakes) {
  refuses(URDF(JOINT("left", "continuous", "base", "l", "<mimic/>") JOINT("right", "continuous", "base", "r", "")),
          "'joint'");
  refuses(URDF(JOINT("left", "continuous", "base", "l", "<mimic joint='z'/>")
                   JOINT("right", "continuous", "base", "r", "")),
          "m.xml:3: joint 'left' mimics 'z', but there is no joint");
  refuses(URDF(JOINT("left", "continuous", "base", "l", "<mimic joint='left'/>")
                   JOINT("right", "continuous", "base", "r", "")),
          "itself");
  refuses(URDF(JOINT("left", "continuous", "base", "l", "<mimic joint='right'/>")
                   JOINT("right", "floating", "base", "r", "")),
          "'right' does not have one coordinate");
  refuses(
      URDF(JOINT("left", "continuous", "base", "l", "<mimic joint='right'/>") JOINT("right", "fixed", "base", "r", "")),
      "'right' does not have one coordinate");
  refuses(URDF(JOINT("left", "continuous", "base", "l", "<mimic joint='right' multiplier='x'/>")
                   JOINT("right", "continuous", "base", "r", "")),
          "multiplier");
}
END_TEST

/* Nothing tells how soft it should be. */
START_TEST(test_urdf_is_not_soft) {
  static const char mimic[] = URDF(JOINT("left", "continuous", "base", "l", "<mimic joint='right'/>")
                                       JOINT("right", "continuous", "base", "r", "")),
                    plain[] = URDF(JOINT("left", "continuous", "base", "l", "")
                                       JOINT("right", "continuous", "base", "r", ""));
  cdn_model_options options = cdn_default_model_options();
  cdn_error e;
  options.equality = CDN_MODEL_SOFT_EQUALITY;
  FAILS(try_load(mimic, &options), CDN_ERR_UNSUPPORTED);
  cdn_model_last_error(model, &e);
  ck_assert_msg(strstr(e.text, "m.xml:3: constraint 'left mimic' cannot be soft"), "%s", e.text);
  cdn_model_destroy(model);
  load_with(plain, &options);
  unload();
}
END_TEST

CHECK_MAIN("io loops", test_mjcf_holds_in_the_reference_configuration, test_mjcf_frames, test_mjcf_couplings,
           test_mjcf_short_polynomials, test_mjcf_switches, test_mjcf_mistakes, test_urdf_mimic,
           test_urdf_fixed_joint_that_mimics, test_urdf_mistakes, test_mjcf_soft, test_urdf_is_not_soft)
