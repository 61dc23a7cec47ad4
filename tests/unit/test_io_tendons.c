/* Tendons of MJCF in models: what is read, what pulls, and what is refused. */
#include <stdio.h>

#include "../testing.h"

/* A particle of 2 kg on two slides, and a ring in the world around which nothing goes. */
#define PARTICLE                                                                                      \
  "<option gravity='0 0 0'/><worldbody><site name='o'/><site name='far' pos='-1 0 0'/>"               \
  "<geom size='.3' contype='0' conaffinity='0'/>" /* one without a name comes before those with */    \
  "<geom name='ball' size='.1' contype='0' conaffinity='0'/><geom name='box' type='box' size='1 1 1'" \
  " contype='0' conaffinity='0'/><body name='b'>"                                                     \
  "<joint name='x' type='slide' axis='1 0 0'/><joint name='y' type='slide' axis='0 1 0'/>"            \
  "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/><site name='p'/></body></worldbody>"

static cdn_model *model;
static cdn_state *state;

static void load(const char *tendon, cdn_model_contact contact) {
  char text[4000];
  cdn_model_options options = cdn_default_model_options();
  options.contact = contact, options.strict = true, options.equality = CDN_MODEL_SOFT_EQUALITY;
  if (contact != CDN_MODEL_SOFT) options.equality = cdn_default_model_options().equality;
  snprintf(text, sizeof text, "<mujoco>" PARTICLE "%s</mujoco>", tendon);
  const cdn_status status = cdn_model_load_string(text, strlen(text), "t.xml", &options, &model);
  cdn_error e;
  cdn_model_last_error(model, &e);
  ck_assert_msg(status == CDN_OK, "%s", e.text);
  OK(cdn_state_create(cdn_model_system(model), &state));
}
static void drop(void) {
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}

/* udot of x and y at a place and a velocity. */
static void accelerate(double x, double y, double vx, double vy, double udot[2]) {
  const double q[2] = { x, y }, u[2] = { vx, vy };
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  memcpy(udot, cdn_state_udot(state), 2 * sizeof *udot);
}

START_TEST(a_tendon_is_a_path_of_its_name) {
  double length, rate, moments[2], a[2];
  load("<tendon><spatial name='t'><site site='o'/><site site='p'/></spatial></tendon>", CDN_MODEL_SOFT);
  const cdn_path path = cdn_system_find_path(cdn_model_system(model), "t");
  ck_assert_int_ge(path.i, 0);
  accelerate(3, 4, 1, 2, a);
  OK_ON(state, cdn_path_length(state, path, &length));
  OK_ON(state, cdn_path_rate(state, path, &rate));
  OK_ON(state, cdn_path_moments(state, path, moments));
  NEAR(length, 5, 1e-15);
  NEAR(rate, (3.0 + 8) / 5, 1e-15);
  NEAR(moments[0], 0.6, 1e-15);
  NEAR(moments[1], 0.8, 1e-15);
  drop();
}
END_TEST

/* Slack from 2 to 3 m: it pushes below and pulls above. */
START_TEST(springs_have_a_dead_band) {
  static const double length[] = { 1.5, 2.5, 4 }, tension[] = { -5 * 0.5, 0, 5 * 1 };
  for (int soft = 0; soft < 2; soft++) {
    load(
        "<tendon><spatial stiffness='5' springlength='2 3' damping='.4'><site site='o'/><site site='p'/></spatial></tendon>",
        soft ? CDN_MODEL_SOFT : CDN_MODEL_COMPLIANT);
    for (int i = 0; i < 3; i++) {
      double a[2], energy;
      accelerate(length[i], 0, 0.3, 7, a);
      NEAR(a[0], -(tension[i] + 0.4 * 0.3) / 2, 1e-14);
      NEAR(a[1], 0, 1e-14);
      OK_ON(state, cdn_potential_energy(state, &energy));
      NEAR(energy, tension[i] * tension[i] / 10, 1e-14);
    }
    drop();
  }
}
END_TEST

START_TEST(springs_and_dampers_may_be_polynomials) {
  double a[2], energy;
  load(
      "<tendon><spatial stiffness='5 2 3' springlength='2 3' damping='.4 .2 .1'><site site='o'/><site site='p'/></spatial>"
      "</tendon>",
      CDN_MODEL_SOFT);
  accelerate(1.5, 0, -0.3, 0, a);
  NEAR(a[0], (5 * 0.5 - 2 * 0.25 + 3 * 0.125 + 0.4 * 0.3 + 0.2 * 0.09 + 0.1 * 0.027) / 2, 1e-14);
  OK_ON(state, cdn_potential_energy(state, &energy));
  NEAR(energy, 5 * 0.25 / 2 - 2 * 0.125 / 3 + 3 * 0.0625 / 4, 1e-15);
  accelerate(4, 0, 0.3, 0, a);
  NEAR(a[0], -(5 + 2 + 3 + 0.4 * 0.3 + 0.2 * 0.09 + 0.1 * 0.027) / 2, 1e-14);
  drop();
}
END_TEST

/* One number is a length for both; without any, the spring rests where the joints' springs do. */
START_TEST(springs_rest_somewhere) {
  double a[2];
  load("<tendon><fixed stiffness='5' springlength='2'><joint joint='x' coef='1'/></fixed></tendon>", CDN_MODEL_SOFT);
  accelerate(1.5, 9, 0, 0, a);
  NEAR(a[0], 5 * 0.5 / 2, 1e-15);
  drop();
  load("<tendon><fixed stiffness='5'><joint joint='x' coef='2'/></fixed></tendon>", CDN_MODEL_SOFT);
  accelerate(1.5, 9, 0, 0, a);
  NEAR(a[0], -2 * 5 * 3.0 / 2, 1e-14);
  drop();
}
END_TEST

/* With an inertia of 3 kg along the line to the origin and no force, 2 (r'' - r w^2) + 3 r'' = 0, and nothing acts
 * across the line. */
START_TEST(armature_is_inertia_along_the_length) {
  double a[2];
  load("<tendon><spatial armature='3'><site site='o'/><site site='p'/></spatial></tendon>", CDN_MODEL_SOFT);
  accelerate(2, 0, 0.7, 0.5, a); /* r = 2, w = 1 / 4, r'' = 2 r w^2 / 5; x'' = r'' - r w^2 */
  NEAR(a[0], 2 * 2 / 16.0 / 5 - 2 / 16.0, 1e-14);
  NEAR(a[1], 0, 1e-14);
  drop();
  load("<tendon><fixed armature='3'><joint joint='x' coef='.5'/></fixed><fixed stiffness='4' springlength='0'><joint "
       "joint='x' coef='1'/></fixed></tendon>",
       CDN_MODEL_SOFT);
  accelerate(1, 0, 0, 0, a);
  NEAR(a[0], -4 / (2 + 3 * 0.25), 1e-14);
  drop();
}
END_TEST

/* A spring of its own beyond the bounds, which never pulls inward: with the mass m that it meets k = m / (T z)^2, and d
 * = 10 s/m. */
START_TEST(limits_are_stops_where_contact_is_compliant) {
  double a[2];
  load(
      "<tendon><spatial limited='true' range='.8 2' solreflimit='.1 .5'><site site='far'/><site site='p'/></spatial></tendon>",
      CDN_MODEL_COMPLIANT);
  static const double k = 2 / (0.1 * 0.5 * 0.1 * 0.5);
  accelerate(0.5, 0, 3, 1, a); /* its length is x + 1 */
  NEAR(a[0], 0, 0);
  accelerate(1.5, 0, 0.02, 1, a);
  NEAR(a[0], -k * 0.5 * (1 + 10 * 0.02) / 2, 1e-11);
  accelerate(1.5, 0, -1, 1, a);
  NEAR(a[0], 0, 1e-13);
  accelerate(-0.5, 0, -0.02, 1, a);
  NEAR(a[0], k * 0.3 * (1 + 10 * 0.02) / 2, 1e-11);
  drop();
}
END_TEST

/* What has no force of its own is a soft row whatever contact is: the same accelerations. */
START_TEST(rows_act_with_either_contact) {
  double a[2][2];
  for (int soft = 0; soft < 2; soft++) {
    load(
        "<tendon><spatial name='s' frictionloss='2'><site site='far'/><site site='p'/></spatial><spatial name='t'><site "
        "site='far'/><geom geom='ball'/><site site='p'/></spatial><fixed name='f' armature='.3'><joint joint='y' "
        "coef='1'/></fixed></tendon><equality><tendon name='e' tendon1='t' tendon2='f' polycoef='.1 .5 .2 0 0'/></equality>",
        soft ? CDN_MODEL_SOFT : CDN_MODEL_COMPLIANT);
    ck_assert_int_eq(cdn_element_count(cdn_model_system(model), CDN_ELEMENT_SOFT), 3);
    accelerate(0.4, 0.3, 0.1, -0.2, a[soft]);
    ck_assert(fabs(a[soft][0]) > 0.5 && fabs(a[soft][1]) > 0.5);
    drop();
  }
  NEAR(a[0][0], a[1][0], 1e-12 * fabs(a[0][0]));
  NEAR(a[0][1], a[1][1], 1e-12 * fabs(a[0][1]));
}
END_TEST

/* ---- what is refused ---- */

START_TEST(wrong_tendons_are_refused) {
  static const struct {
    const char *text, *message;
  } wrong[] = {
    { "<spatial/>", "goes through nothing" },
    { "<spatial>\n<site site='p'/></spatial>", "t.xml:2: it is the only site of its branch" },
    { "<spatial><site site='p'/>\n<pulley divisor='2'/><site site='p'/><site site='o'/></spatial>",
      "only site of its branch" },
    { "<spatial><site site='p'/><site site='o'/>\n<pulley divisor='2'/></spatial>",
      "t.xml:2: the tendon ends with a pulley" },
    { "<spatial><site site='p'/><site site='o'/><pulley divisor='2'/><pulley divisor='2'/></spatial>",
      "begins with a site" },
    { "<spatial><site site='p'/><site site='o'/><pulley divisor='0'/><site site='p'/><site site='o'/></spatial>",
      "not positive" },
    { "<spatial><site site='p'/><pulley/><site site='o'/></spatial>", "'divisor' is missing" },
    { "<spatial>\n<geom geom='ball'/><site site='o'/></spatial>",
      "t.xml:2: a tendon goes around a geom between two sites" },
    { "<spatial><site site='o'/><geom geom='ball'/></spatial>", "between two sites" },
    { "<spatial><site site='o'/><geom geom='ball'/><geom geom='ball'/><site site='p'/></spatial>",
      "between two sites" },
    { "<spatial><site site='o'/><geom geom='box'/><site site='p'/></spatial>", "no sphere and no cylinder" },
    { "<spatial><site site='o'/>\n<geom geom='bell'/><site site='p'/></spatial>",
      "t.xml:2: <geom>: geom='bell' names no geom" },
    { "<spatial><site site='q'/><site site='p'/></spatial>", "names no site" },
    { "<spatial><site site='o'/><geom geom='ball' sidesite='q'/><site site='p'/></spatial>",
      "sidesite='q' names no site" },
    { "<spatial name='t'><site site='o'/><site site='p'/></spatial>\n<fixed name='t'><joint joint='x' coef='1'/></fixed>",
      "t.xml:2: <fixed name='t'>: another tendon, on line 1" },
    { "<spatial limited='true' range='2 1'><site site='o'/><site site='p'/></spatial>", "is empty" },
    { "<spatial springlength='2 1'><site site='o'/><site site='p'/></spatial>", "is inverted" },
    { "<spatial stiffness='-1'><site site='o'/><site site='p'/></spatial>", "stiffness is negative" },
    { "<spatial damping='-1'><site site='o'/><site site='p'/></spatial>", "damping is negative" },
    { "<spatial armature='-1'><site site='o'/><site site='p'/></spatial>", "armature is negative" },
    { "<spatial width='0'><site site='o'/><site site='p'/></spatial>", "width 0 is not positive" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[3000];
    cdn_spec *spec;
    cdn_error e;
    snprintf(text, sizeof text, "<mujoco>" PARTICLE "<tendon>%s</tendon></mujoco>", wrong[i].text);
    FAILS(cdn_spec_load_string(text, strlen(text), "t.xml", NULL, &spec), CDN_ERR_PARSE);
    cdn_spec_last_error(spec, &e);
    ck_assert_msg(strstr(e.text, wrong[i].message) != NULL, "no '%s' in: %s", wrong[i].message, e.text);
    cdn_spec_destroy(spec);
  }
}
END_TEST

START_TEST(sites_within_obstacles_are_told) {
  load("<tendon><spatial><site site='far'/>\n<geom geom='ball'/><site site='p'/></spatial></tendon>", CDN_MODEL_SOFT);
  ck_assert_int_eq(cdn_model_warning_count(model), 1);
  const char *warning = cdn_model_warning(model, 0);
  ck_assert_msg(strstr(warning, "t.xml:2: the site behind this geom is within it") != NULL, "%s", warning);
  ck_assert_msg(strstr(warning, "move the site out to more than 0.1 m") != NULL, "%s", warning);
  drop();
}
END_TEST

/* A tendon on a ball joint is not simulated, and neither is what couples another one to it. */
START_TEST(what_names_a_lost_tendon_is_left_out) {
  static const char text[] =
      "<mujoco><worldbody><body><joint name='ball' type='ball'/><geom size='1'/></body><body pos='5 0 0'><joint "
      "name='x'/><geom size='1'/></body></worldbody><tendon><fixed name='a'><joint joint='x' coef='1'/></fixed><fixed "
      "name='b'><joint joint='ball' coef='1'/></fixed></tendon><equality><tendon tendon1='a' tendon2='b'/></equality>"
      "</mujoco>";
  OK(cdn_model_load_string(text, strlen(text), "t.xml", NULL, &model));
  ck_assert_int_eq(cdn_model_not_understood_count(model), 2);
  ck_assert_str_eq(cdn_model_not_understood(model, 0).element, "tendon/fixed on a ball or free joint");
  ck_assert_msg(strncmp(cdn_model_not_understood(model, 1).element, "equality/tendon", 15) == 0, "%s",
                cdn_model_not_understood(model, 1).element);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(what_moves_nothing_is_told) {
  static const struct {
    const char *text, *warning;
  } idle[] = {
    { "<tendon><spatial><site site='far'/><site site='o'/></spatial></tendon>",
      "t.xml:1: all that this tendon passes is on one body" },
    { "<tendon>\n<fixed><joint joint='x' coef='0'/><joint joint='y' coef='0'/></fixed></tendon>",
      "t.xml:2: all coefficients of this tendon are zero" },
    { "<actuator>\n<motor name='m' joint='x' gear='0'/></actuator>",
      "t.xml:2: actuator 'm' moves nothing, as its gear is zero" },
    { "<actuator><motor name='m' site='p' refsite='p' gear='1 0 0'/></actuator>",
      "actuator 'm' moves nothing, as its site and its refsite are on one body" },
  };
  for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
    load(idle[i].text, CDN_MODEL_SOFT);
    ck_assert_int_eq(cdn_model_warning_count(model), 1);
    const char *warning = cdn_model_warning(model, 0);
    ck_assert_msg(strstr(warning, idle[i].warning) != NULL, "%s", warning);
    drop();
  }
}
END_TEST

/* ---- classes, and models that are attached ---- */

START_TEST(classes_and_copies_count) {
  static const char text[] =
      "<mujoco><default><tendon width='.01' group='4' rgba='1 0 0 1'/><default class='taut'><tendon stiffness='7' "
      "springlength='.5' width='.02'/><equality solref='.3 1'/></default></default>"
      "<worldbody><body name='one'><joint name='j' type='slide' axis='1 0 0'/><geom name='g' size='.1' mass='1'/>"
      "<site name='a' pos='0 1 0'/></body><site name='w'/>"
      "<frame pos='0 0 5'><attach body='one' prefix='second_'/></frame></worldbody>"
      "<tendon><spatial name='t' class='taut'><site site='w'/><site site='a'/></spatial>"
      "<spatial name='own'><site site='a'/><geom geom='g'/><site site='a'/></spatial>"
      "<fixed name='f' class='taut'><joint joint='j' coef='2'/></fixed></tendon>"
      "<equality><tendon tendon1='f' class='taut'/></equality></mujoco>";
  static const char *const names[] = { "t", "own", "f", "second_own", "second_f" };
  cdn_spec *spec;
  cdn_spec_tendon t;
  const cdn_status status = cdn_spec_load_string(text, strlen(text), "t.xml", NULL, &spec);
  cdn_error e;
  cdn_spec_last_error(spec, &e);
  ck_assert_msg(status == CDN_OK, "%s", e.text);
  ck_assert_int_eq(cdn_spec_count(spec, CDN_SPEC_TENDON), 5);
  for (int i = 0; i < 5; i++) {
    OK(cdn_spec_get_tendon(spec, i, &t));
    ck_assert_str_eq(t.name, names[i]);
    const bool taut = i == 0 || i == 2 || i == 4;
    ck_assert(t.stiffness == (taut ? 7 : 0) && t.has_rest == taut && t.width == (taut ? 0.02 : 0.01) && t.group == 4);
    ck_assert(t.rgba[0] == 1 && t.rgba[1] == 0);
  }
  ck_assert_int_eq(cdn_spec_count(spec, CDN_SPEC_PATH_ITEM), 8);
  cdn_spec_path_item item;
  OK(cdn_spec_get_path_item(spec, 6, &item));
  ck_assert(item.kind == CDN_SPEC_PATH_SPHERE && item.radius == 0.1);
  ck_assert_str_eq(item.tendon, "second_own");
  ck_assert_str_eq(item.body, "second_one");
  ck_assert_int_eq(cdn_spec_count(spec, CDN_SPEC_CONSTRAINT), 2);
  cdn_spec_constraint c;
  OK(cdn_spec_get_constraint(spec, 1, &c));
  ck_assert_str_eq(c.tendon_y, "second_f");
  ck_assert(c.tendon_x == NULL && c.kind == CDN_SPEC_TENDON_COUPLING && c.law.ref[0] == 0.3);
  cdn_spec_destroy(spec);
}
END_TEST

/* More joints than a tendon of a spec has room for. */
START_TEST(a_fixed_tendon_may_have_many_joints) {
  char text[6000] = "<mujoco><worldbody>", *at = text + strlen(text);
  double length, q[20], expected = 0;
  cdn_model *made;
  cdn_state *of;
  for (int i = 0; i < 20; i++)
    at += sprintf(at, "<body><joint name='j%d' axis='0 1 0'/><geom size='.1' pos='.2 0 0'/></body>", i);
  at += sprintf(at, "</worldbody><tendon><fixed name='t' stiffness='2'>");
  for (int i = 0; i < 20; i++) at += sprintf(at, "<joint joint='j%d' coef='%d'/>", i, i - 7);
  sprintf(at, "</fixed></tendon></mujoco>");
  cdn_model_options options = cdn_default_model_options();
  options.strict = true;
  OK(cdn_model_load_string(text, strlen(text), "t.xml", &options, &made));
  OK(cdn_state_create(cdn_model_system(made), &of));
  for (int i = 0; i < 20; i++) q[i] = 0.1 * i - 1, expected += q[i] * (i - 7);
  OK_ON(of, cdn_state_set_q(of, q));
  OK_ON(of, cdn_path_length(of, cdn_system_find_path(cdn_model_system(made), "t"), &length));
  NEAR(length, expected, 1e-13 * fabs(expected));
  cdn_state_destroy(of);
  cdn_model_destroy(made);
}
END_TEST

/* ---- specs of programs ---- */

START_TEST(a_program_makes_a_tendon) {
  cdn_spec *spec;
  cdn_system *system = cdn_system_create(NULL);
  cdn_model *made;
  cdn_error e;
  double length;
  cdn_spec_tendon t = cdn_default_spec_tendon();
  cdn_spec_path_item item = cdn_default_spec_path_item();
  OK(cdn_spec_load_string("<mujoco>" PARTICLE "</mujoco>", strlen("<mujoco>" PARTICLE "</mujoco>"), "t.xml", NULL,
                          &spec));
  t.name = "cord", t.stiffness = 1, t.has_rest = true;
  OK(cdn_spec_add_tendon(spec, &t, NULL));
  item.tendon = "cord";
  OK(cdn_spec_add_path_item(spec, &item, NULL));
  item.kind = CDN_SPEC_PATH_CYLINDER, item.radius = 0.5, item.has_side = true, item.side = cdn_v3(0, 0.6, 0);
  item.X_BP.p.x = -3;
  OK(cdn_spec_add_path_item(spec, &item, NULL));
  item = cdn_default_spec_path_item(), item.tendon = "cord", item.X_BP.p.x = -6;
  OK(cdn_spec_add_path_item(spec, &item, NULL));
  cdn_spec *copy;
  OK(cdn_spec_copy(spec, &copy));
  cdn_spec_destroy(spec);
  OK(cdn_model_build(copy, NULL, system, &made));
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_path_length(state, cdn_system_find_path(system, "cord"), &length));
  NEAR(length, 2 * sqrt(9 - 0.25) + 0.5 * (PI - 2 * acos(0.5 / 3)), 1e-14);
  cdn_state_destroy(state);
  cdn_model_destroy(made);
  cdn_system_release(system);
  /* names that lead nowhere */
  for (int i = 0; i < 3; i++) {
    int at;
    system = cdn_system_create(NULL);
    item = cdn_default_spec_path_item(), item.tendon = i == 0 ? "chord" : "cord", item.body = i == 1 ? "nobody" : NULL;
    item.kind = i == 2 ? CDN_SPEC_PATH_COORDINATE : CDN_SPEC_PATH_POINT, item.joint = i == 2 ? "nothing" : NULL;
    OK(cdn_spec_add_path_item(copy, &item, &at));
    FAILS(cdn_model_build(copy, NULL, system, &made), CDN_ERR_ARG);
    cdn_model_last_error(made, &e);
    ck_assert_msg(strstr(e.text, i == 0   ? "tendon 'chord', which is not there"
                                 : i == 1 ? "no body 'nobody'"
                                          : "no joint 'nothing'"),
                  "%s", e.text);
    cdn_model_destroy(made);
    cdn_system_release(system);
    OK(cdn_spec_remove(copy, CDN_SPEC_PATH_ITEM, at));
  }
  cdn_spec_destroy(copy);
}
END_TEST

/* Slides of 2 and 3 kg; masses of 0.5 and 0.25 kg move with 3 x + y and with 2 y. M is (6.5 1.5; 1.5 4.5), so that x
 * meets 1 / (M^-1)_xx = 6 kg: k = 6 / (0.1 * 0.5)^2, c = 2 * 6 / 0.1. */
START_TEST(springs_meet_the_armature_of_tendons) {
  static const char text[] =
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' type='slide' axis='1 0 0' springdamper='.1 .5'/>"
      "<geom size='.1' mass='2'/></body><body pos='9 0 0'><joint name='y' type='slide' axis='1 0 0'/>"
      "<geom size='.1' mass='3'/></body></worldbody><tendon><fixed armature='.5'><joint joint='x' coef='3'/>"
      "<joint joint='y' coef='1'/></fixed><fixed armature='.25'><joint joint='y' coef='2'/></fixed></tendon></mujoco>";
  double k = 0, c = 0;
  OK(cdn_model_load_string(text, strlen(text), "t.xml", NULL, &model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK(cdn_parameter_get(state, CDN_ELEMENT_FORCE, "x spring", "k", &k));
  OK(cdn_parameter_get(state, CDN_ELEMENT_FORCE, "x damper", "c", &c));
  NEAR(k, 2400, 1e-10);
  NEAR(c, 120, 1e-11);
  drop();
}
END_TEST

CHECK_MAIN("io tendons", springs_meet_the_armature_of_tendons, a_tendon_is_a_path_of_its_name, springs_have_a_dead_band,
           springs_and_dampers_may_be_polynomials, springs_rest_somewhere, armature_is_inertia_along_the_length,
           limits_are_stops_where_contact_is_compliant, rows_act_with_either_contact, wrong_tendons_are_refused,
           sites_within_obstacles_are_told, what_names_a_lost_tendon_is_left_out, what_moves_nothing_is_told,
           classes_and_copies_count, a_fixed_tendon_may_have_many_joints, a_program_makes_a_tendon)
