/* What files say of soft rows: laws of contacts, limits, friction and equalities, the options of the solver, overrides;
 * and models whose contact is soft. */
#include "../testing.h"
#include "contact/contact.h"

#include <cardan/model.h>
#include <stdio.h>

static cdn_spec *spec;

/* Whether there are n warnings, which have these words. */
static void warns(const char *text, int n, const char *const words[]) {
  cdn_model *model;
  OK(cdn_model_load_string(text, strlen(text), "soft.xml", NULL, &model));
  ck_assert_int_eq(cdn_model_warning_count(model), n);
  for (int i = 0; i < n; i++)
    ck_assert_msg(strstr(cdn_model_warning(model, i), words[i]) != NULL, "%s", cdn_model_warning(model, i));
  cdn_model_destroy(model);
}

static void read_text(const char *text) {
  const cdn_status status = cdn_spec_load_string(text, strlen(text), "soft.xml", NULL, &spec);
  cdn_error error;
  cdn_spec_last_error(spec, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
}

static void is_law(cdn_soft_law law, double r0, double r1, double i0, double i1, double i2, double i3, double i4) {
  const double wanted[] = { r0, r1, i0, i1, i2, i3, i4 };
  for (int i = 0; i < 2; i++) NEAR(law.ref[i], wanted[i], 0);
  for (int i = 0; i < 5; i++) NEAR(law.imp[i], wanted[2 + i], 0);
}

START_TEST(laws_are_read) {
  read_text("<mujoco><default><geom solimp='.5 .6'/><joint solreffriction='-5 -6'/><equality solref='.1 .2'/></default>"
            "<worldbody><geom name='a' size='1' solref='0.1' solmix='3' priority='2'/>"
            "<body name='arm'><geom name='b' size='1' solref='-1 -2' solimp='.1 .2 .3 .4 5'/>"
            "<joint name='j' range='0 90' margin='.3' solreflimit='.4 .5' solimplimit='.6 .7 .8' "
            "solimpfriction='.8 .9' frictionloss='2'/></body><body name='leg'><freejoint name='f'/>"
            "<geom size='1'/></body></worldbody><contact><pair name='p' geom1='a' geom2='b' solref='.5 .6'/></contact>"
            "<equality><weld name='w' body1='arm' body2='leg' torquescale='.25' solimp='.1 .2'/>"
            "<joint name='e' joint1='j' solref='.3'/></equality></mujoco>");
  cdn_spec_shape a, b;
  cdn_spec_joint j, f;
  cdn_spec_contact p;
  cdn_spec_constraint w, e;
  OK(cdn_spec_get_shape(spec, cdn_spec_find(spec, CDN_SPEC_SHAPE, "a"), &a));
  OK(cdn_spec_get_shape(spec, cdn_spec_find(spec, CDN_SPEC_SHAPE, "b"), &b));
  OK(cdn_spec_get_joint(spec, cdn_spec_find(spec, CDN_SPEC_JOINT, "j"), &j));
  OK(cdn_spec_get_joint(spec, cdn_spec_find(spec, CDN_SPEC_JOINT, "f"), &f));
  OK(cdn_spec_get_contact(spec, 0, &p));
  OK(cdn_spec_get_constraint(spec, 0, &w));
  OK(cdn_spec_get_constraint(spec, 1, &e));
  is_law(a.law, 0.1, 1, 0.5, 0.6, 0.001, 0.5, 2);
  is_law(b.law, -1, -2, 0.1, 0.2, 0.3, 0.4, 5);
  ck_assert(a.solmix == 3 && b.solmix == 1 && a.priority == 2);
  is_law(j.limit_law, 0.4, 0.5, 0.6, 0.7, 0.8, 0.5, 2);
  is_law(j.friction_law, -5, -6, 0.8, 0.9, 0.001, 0.5, 2);
  is_law(f.limit_law, 0.02, 1, 0.9, 0.95, 0.001, 0.5, 2);
  ck_assert(j.margin == 0.3 && j.friction == 2 && j.limit_timeconst == 0.4 && j.limit_dampratio == 0.5);
  is_law(p.law, 0.5, 0.6, 0.9, 0.95, 0.001, 0.5, 2);
  is_law(w.law, 0.1, 0.2, 0.1, 0.2, 0.001, 0.5, 2);
  is_law(e.law, 0.3, 0.2, 0.9, 0.95, 0.001, 0.5, 2);
  ck_assert(w.torque_scale == 0.25 && e.torque_scale == 1);
  cdn_spec_destroy(spec);
}
END_TEST

/* MuJoCo takes the default for mixed signs, and brings numbers of solimp into their limits. */
START_TEST(wrong_laws_are_brought_right) {
  static const char text[] =
      "<mujoco><worldbody><geom name='a' size='1' solref='0.1 -1' solimp='-1 2 -3 4 0'/></worldbody></mujoco>";
  read_text(text);
  cdn_spec_shape a;
  OK(cdn_spec_get_shape(spec, 0, &a));
  is_law(a.law, 0.02, 1, 0, 1, 0, 1, 1);
  cdn_spec_destroy(spec);
  warns(text, 2, (const char *const[]){ "solref '0.1 -1' is neither", "solimp '-1 2 -3 4 0' is out of its limits" });
}
END_TEST

/* A warning for pyramids through which bodies fall, and for them alone. */
START_TEST(steep_pyramids_are_said) {
  static const char *const said[] = { "shape 'ball': a friction of 100 makes pyramids so steep",
                                      "pair 'p': a friction of 30 makes pyramids so steep" };
  const struct {
    const char *option, *friction, *pair;
    cdn_model_contact contact;
    int says; /* -1: nothing */
  } cases[] = { { "<option/>", "100", "", CDN_MODEL_SOFT, 0 },
                { "<option cone='elliptic'/>", "100", "", CDN_MODEL_SOFT, -1 },
                { "<option/>", "100", "", CDN_MODEL_COMPLIANT, -1 },
                { "<option/>", "2", "", CDN_MODEL_SOFT, -1 },
                { "<option/>", "2", "<contact><pair name='p' geom1='floor' geom2='ball' friction='1 30'/></contact>",
                  CDN_MODEL_SOFT, 1 } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[600];
    cdn_model *model;
    cdn_model_options options = cdn_default_model_options();
    options.contact = cases[i].contact;
    snprintf(text, sizeof text,
             "<mujoco>%s<worldbody><geom name='floor' type='plane' size='1 1 1'/><body pos='0 0 1'><freejoint/>"
             "<geom name='ball' size='.1' friction='%s'/></body></worldbody>%s</mujoco>",
             cases[i].option, cases[i].friction, cases[i].pair);
    OK(cdn_model_load_string(text, strlen(text), "steep.xml", &options, &model));
    ck_assert_int_eq(cdn_model_warning_count(model), cases[i].says >= 0);
    if (cases[i].says >= 0) {
      const char *warning = cdn_model_warning(model, 0);
      ck_assert_msg(strstr(warning, said[cases[i].says]) && strstr(warning, "cone=\"elliptic\""), "%s", warning);
    }
    cdn_model_destroy(model);
  }
}
END_TEST

START_TEST(the_solver_is_read) {
  cdn_spec_solver s;
  read_text("<mujoco/>");
  OK(cdn_spec_get_solver(spec, &s));
  const cdn_spec_solver usual = cdn_default_spec_solver();
  ck_assert(memcmp(&s, &usual, sizeof s) == 0);
  cdn_spec_destroy(spec);
  read_text("<mujoco><option timestep='0.01' integrator='implicit' cone='elliptic' solver='CG' iterations='7' "
            "tolerance='1e-3' noslip_iterations='4' noslip_tolerance='.5' ls_iterations='9' ls_tolerance='.25' "
            "impratio='10'><flag refsafe='disable' eulerdamp='disable'/></option></mujoco>");
  OK(cdn_spec_get_solver(spec, &s));
  ck_assert(s.timestep == 0.01 && s.integrator == CDN_SPEC_IMPLICIT && s.cone == CDN_SPEC_ELLIPTIC);
  ck_assert(s.solver == CDN_SPEC_CG && s.iterations == 7 && s.noslip_iterations == 4 && s.ls_iterations == 9);
  ck_assert(s.tolerance == 1e-3 && s.noslip_tolerance == 0.5 && s.ls_tolerance == 0.25 && s.impratio == 10);
  ck_assert(!s.refsafe && !s.eulerdamp);
  cdn_spec *copy;
  cdn_spec_solver of_copy;
  OK(cdn_spec_copy(spec, &copy));
  OK(cdn_spec_get_solver(copy, &of_copy));
  ck_assert(memcmp(&s, &of_copy, sizeof s) == 0);
  cdn_spec_destroy(copy);
  s.impratio = NAN;
  FAILS(cdn_spec_set_solver(spec, &s), CDN_ERR_NONFINITE);
  s.impratio = 0;
  FAILS(cdn_spec_set_solver(spec, &s), CDN_ERR_ARG);
  s.impratio = 1, s.iterations = -1;
  FAILS(cdn_spec_set_solver(spec, &s), CDN_ERR_ARG);
  s.iterations = 1, s.cone = (cdn_spec_cone)5;
  FAILS(cdn_spec_set_solver(spec, &s), CDN_ERR_ARG);
  OK(cdn_spec_get_solver(spec, &s));
  ck_assert_int_eq(s.iterations, 7);
  cdn_spec_destroy(spec);
  static const char wrong[] = "<mujoco><option impratio='-1' iterations='3'/></mujoco>";
  read_text(wrong);
  OK(cdn_spec_get_solver(spec, &s));
  ck_assert(s.impratio == 1 && s.iterations == 100);
  cdn_spec_destroy(spec);
  warns(wrong, 1, (const char *const[]){ "impratio must be above 0" });
}
END_TEST

START_TEST(overrides_take_the_place_of_all) {
  static const char text[] =
      "<mujoco><option o_margin='.2' o_solref='-7 -8' o_solimp='.3'><flag override='%s'/></option>"
      "<worldbody><geom name='a' type='plane' size='1 1 1' margin='.4'/><body><freejoint/>"
      "<geom name='b' size='1' solref='.3 1'/></body></worldbody>"
      "<contact><pair geom1='a' geom2='b'/></contact></mujoco>";
  for (int on = 0; on < 2; on++) {
    char made[600];
    cdn_spec_shape a;
    cdn_spec_contact p;
    snprintf(made, sizeof made, text, on ? "enable" : "disable");
    read_text(made);
    OK(cdn_spec_get_shape(spec, 0, &a));
    OK(cdn_spec_get_contact(spec, 0, &p));
    if (on) is_law(a.law, -7, -8, 0.3, 0.95, 0.001, 0.5, 2), is_law(p.law, -7, -8, 0.3, 0.95, 0.001, 0.5, 2);
    else is_law(a.law, 0.02, 1, 0.9, 0.95, 0.001, 0.5, 2), is_law(p.law, 0.02, 1, 0.9, 0.95, 0.001, 0.5, 2);
    ck_assert(a.margin == (on ? 0.2 : 0.4) && p.margin == (on ? 0.2 : 0));
    cdn_spec_destroy(spec);
  }
}
END_TEST

/* Sizes of MuJoCo's memory are of no meaning. */
START_TEST(a_model_has_soft_contact) {
  static const char text[] =
      "<mujoco><size nconmax='1' njmax='1'/><worldbody><geom name='floor' type='plane' size='1 1 1' friction='.3'/>"
      "<body name='box' pos='0 0 .09'><freejoint/><geom name='box' type='box' size='.3 .2 .1' friction='.4'/></body>"
      "<body name='can' pos='2 0 .09'><freejoint/><geom name='can' type='cylinder' size='.1 .1'/></body>"
      "</worldbody><contact><pair geom1='floor' geom2='can' friction='.1 .2 .3 .4 .5' condim='6'/></contact></mujoco>";
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT;
  cdn_model *model;
  cdn_state *state;
  OK(cdn_model_load_string(text, strlen(text), "soft.xml", &options, &model));
  ck_assert_int_eq(cdn_model_warning_count(model), 0);
  const cdn_system *system = cdn_model_system(model);
  OK(cdn_state_create(system, &state));
  ck_assert_int_eq(cdn_system_contact_pair_count(system), 1); /* materials combine as MuJoCo's: no pairs for them */
  const contact_point *p;
  int n, of_can = 0;
  OK_ON(state, cdni_contact_points(cdni_contact(system), state, &p, &n));
  for (int i = 0; i < n; i++) {
    const bool can = p[i].pair == 0;
    of_can += can;
    NEAR(p[i].soft.friction[0], can ? 0.1 : 0.4, 0);
    NEAR(p[i].soft.friction[1], can ? 0.2 : 0.4, 0);
    NEAR(p[i].soft.friction[4], can ? 0.5 : 0.0001, 0);
    ck_assert_int_eq(p[i].soft.dimension, can ? 6 : 3);
  }
  ck_assert_int_eq(n - of_can, 4);
  ck_assert_int_ge(of_can, 3);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

#define TWO_JOINTS                                                                                           \
  "<worldbody><body name='a'><joint name='j'/><geom size='1'/><body name='b'><joint name='k' type='slide'/>" \
  "<geom size='1'/></body></body><body name='c' pos='9 9 9'><freejoint name='f'/><geom size='1'/></body></worldbody>"

START_TEST(tendons_are_read) {
  static const char text[] =
      "<mujoco><compiler autolimits='true'/><default><tendon solreflimit='.3 .4'/><default class='dry'><tendon frictionloss='5'"
      " solimpfriction='.1 .2'/></default></default>" TWO_JOINTS
      "<tendon><fixed name='t' class='dry' range='-1 2' margin='.5'><joint joint='k' coef='3'/><joint joint='j' coef='-4'/></fixed>\n"
      "<fixed><joint joint='j' coef='1'/></fixed></tendon></mujoco>";
  cdn_spec_tendon t, plain;
  read_text(text);
  ck_assert_int_eq(cdn_spec_count(spec, CDN_SPEC_TENDON), 2);
  OK(cdn_spec_get_tendon(spec, cdn_spec_find(spec, CDN_SPEC_TENDON, "t"), &t));
  OK(cdn_spec_get_tendon(spec, cdn_spec_find(spec, CDN_SPEC_TENDON, "tendon of line 2"), &plain));
  ck_assert(t.limited && t.lower == -1 && t.upper == 2 && t.margin == 0.5 && t.friction == 5 && t.joints == 2);
  ck_assert_str_eq(t.joint[0], "k");
  ck_assert_str_eq(t.joint[1], "j");
  ck_assert(t.coefficient[0] == 3 && t.coefficient[1] == -4);
  is_law(t.limit_law, 0.3, 0.4, 0.9, 0.95, 0.001, 0.5, 2);
  is_law(t.friction_law, 0.02, 1, 0.1, 0.2, 0.001, 0.5, 2);
  ck_assert(!plain.limited && plain.friction == 0 && plain.joints == 1);
  cdn_spec *copy;
  OK(cdn_spec_copy(spec, &copy));
  cdn_spec_destroy(spec);
  OK(cdn_spec_get_tendon(copy, 0, &t));
  ck_assert_str_eq(t.joint[1], "j");
  cdn_spec_destroy(copy);
  /* soft rows, or forces */
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model;
  options.contact = CDN_MODEL_COMPLIANT;
  OK(cdn_model_load_string(text, strlen(text), "t.xml", &options, &model));
  ck_assert_int_eq(cdn_model_not_understood_count(model), 0);
  ck_assert_int_ge(cdn_system_find_element(cdn_model_system(model), CDN_ELEMENT_FORCE, "t limit"), 0);
  ck_assert_int_ge(cdn_system_find_element(cdn_model_system(model), CDN_ELEMENT_FORCE, "t friction"), 0);
  cdn_model_destroy(model);
  options.contact = CDN_MODEL_SOFT, options.strict = true;
  OK(cdn_model_load_string(text, strlen(text), "t.xml", &options, &model));
  const cdn_system *system = cdn_model_system(model);
  ck_assert_int_ge(cdn_system_find_element(system, CDN_ELEMENT_SOFT, "t limit"), 0);
  ck_assert_int_ge(cdn_system_find_element(system, CDN_ELEMENT_SOFT, "t friction"), 0);
  ck_assert_int_eq(cdn_element_count(system, CDN_ELEMENT_SOFT), 2);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(wrong_tendons_are_refused) {
  static const char *const wrong[][2] = {
    { "<fixed/>", "no joints" },
    { "<fixed><joint coef='1'/></fixed>", "'joint'" },
    { "<fixed><joint joint='j'/></fixed>", "'coef' is missing" },
    { "<fixed><joint joint='z' coef='1'/></fixed>", "names no joint" },
    { "<fixed><joint joint='j' coef='1'/><joint joint='j' coef='2'/></fixed>", "twice" },
    { "<fixed limited='true' range='1 1'><joint joint='j' coef='1'/></fixed>", "is empty" },
    { "<fixed class='z'><joint joint='j' coef='1'/></fixed>", "default class" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[1000];
    cdn_error e;
    snprintf(text, sizeof text, "<mujoco>" TWO_JOINTS "<tendon>%s</tendon></mujoco>", wrong[i][0]);
    FAILS(cdn_spec_load_string(text, strlen(text), "t.xml", NULL, &spec), CDN_ERR_PARSE);
    cdn_spec_last_error(spec, &e);
    ck_assert_msg(strstr(e.text, wrong[i][1]) != NULL, "no '%s' in: %s", wrong[i][1], e.text);
    cdn_spec_destroy(spec);
  }
}
END_TEST

/* What newer files may have and is not simulated: numbers of a quaternion that pull. */
START_TEST(tendons_of_newer_files_are_named) {
  static const char *const text[][2] = {
    { "<fixed><joint joint='f' coef='1'/></fixed>", "tendon/fixed on a ball or free joint" },
  };
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    char whole[1000];
    cdn_model *model;
    snprintf(whole, sizeof whole, "<mujoco>" TWO_JOINTS "<tendon>%s</tendon></mujoco>", text[i][0]);
    OK(cdn_model_load_string(whole, strlen(whole), "t.xml", NULL, &model));
    ck_assert_int_eq(cdn_model_not_understood_count(model), 1);
    ck_assert_str_eq(cdn_model_not_understood(model, 0).element, text[i][1]);
    cdn_model_destroy(model);
  }
}
END_TEST

/* A spec of a program's: names that lead nowhere. */
START_TEST(a_tendon_needs_joints_that_are_there) {
  static const char text[] = "<mujoco>" TWO_JOINTS "</mujoco>";
  cdn_model_options options = cdn_default_model_options();
  cdn_spec_tendon t = cdn_default_spec_tendon();
  cdn_system *system = cdn_system_create(NULL);
  cdn_model *model;
  cdn_error e;
  options.contact = CDN_MODEL_SOFT;
  read_text(text);
  t.name = "cord", t.joints = 1, t.joint[0] = "nobody", t.limited = true;
  OK(cdn_spec_add_tendon(spec, &t, NULL));
  FAILS(cdn_model_build(spec, &options, system, &model), CDN_ERR_ARG);
  cdn_model_last_error(model, &e);
  ck_assert_msg(strstr(e.text, "tendon 'cord': there is no joint 'nobody'") != NULL, "%s", e.text);
  cdn_model_destroy(model);
  cdn_system_release(system);
  cdn_spec_destroy(spec);
}
END_TEST

/* MuJoCo 3.14 takes a ball whose largest angle is 0 or less, as one that its limit holds: x / T^2 = 250 rad/s^2 at x
 * = 0.1 rad with d imp = d1^2. And a range that is empty limits nothing unless the file says limited. */
START_TEST(odd_ranges_are_read) {
  static const char *const limits[] = { "limited='true' range='0 0'", "limited='true' range='0 -5'", "range='0 -5'" };
  static const char *const words[][1] = { { "holds the ball" }, { "holds the ball" }, { "limits nothing" } };
  for (int i = 0; i < 3; i++) {
    char text[300];
    cdn_model *model;
    cdn_state *state;
    snprintf(text, sizeof text,
             "<mujoco><worldbody><body><joint name='b' type='ball' %s/><geom size='1'/></body></worldbody></mujoco>",
             limits[i]);
    warns(text, 1, words[i]);
    for (int soft = 0; soft < 2; soft++) {
      cdn_model_options options = cdn_default_model_options();
      options.contact = soft ? CDN_MODEL_SOFT : CDN_MODEL_COMPLIANT;
      OK(cdn_model_load_string(text, strlen(text), "m.xml", &options, &model));
      OK(cdn_state_create(cdn_model_system(model), &state));
      NEAR(cdn_state_udot(state)[0], 0, 0);
      OK_ON(state, cdn_state_set_q(state, (double[]){ cos(0.05), sin(0.05), 0, 0 }));
      const double pull = -cdn_state_udot(state)[0];
      if (i == 2) NEAR(pull, 0, 0);
      else NEAR(pull, 250, 1e-10); /* the stop has k = I / T^2 */
      cdn_state_destroy(state);
      cdn_model_destroy(model);
    }
  }
}
END_TEST

CHECK_MAIN("io soft", odd_ranges_are_read, tendons_are_read, wrong_tendons_are_refused,
           tendons_of_newer_files_are_named, a_tendon_needs_joints_that_are_there, laws_are_read,
           wrong_laws_are_brought_right, steep_pyramids_are_said, the_solver_is_read, overrides_take_the_place_of_all,
           a_model_has_soft_contact)
