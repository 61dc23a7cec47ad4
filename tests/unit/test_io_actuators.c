/* Actuators of specs and files: tables, controls, keyframes, what is left out, mistakes, and what the activations do.
 * tests/peers/test_mujoco_actuators.c compares the forces with MuJoCo's. */
#include "testing.h"

#include <cardan/check.h>
#include <stdio.h>

static cdn_model *model;
static const cdn_system *of;
static cdn_state *state;

static cdn_status try_load(const char *inside, const cdn_model_options *options) {
  char text[4000];
  snprintf(text, sizeof text, "<mujoco>\n%s</mujoco>", inside);
  return cdn_model_load_string(text, strlen(text), "m.xml", options, &model);
}

static void load(const char *inside, const cdn_model_options *options) {
  const cdn_status status = try_load(inside, options);
  cdn_error error;
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  of = cdn_model_system(model);
  OK(cdn_state_create(of, &state));
}

static void end(void) {
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  state = NULL, model = NULL;
}

#define BODIES                                                                                            \
  "<option gravity='0 0 0'/><worldbody><body name='a'><joint name='turn' axis='0 0 1'/>"                  \
  "<inertial pos='0 0 0' mass='1' diaginertia='2 2 2'/><site name='s' pos='1 0 0'/>"                      \
  "<body name='b'><joint name='slide' type='slide'/><inertial pos='0 0 0' mass='4' diaginertia='1 1 1'/>" \
  "<body name='c'><joint name='ball' type='ball'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"   \
  "<site name='e' pos='.1 .2 .3' euler='10 20 30'/></body></body></body></worldbody>\n"

static cdn_model_actuator named(const char *name) {
  cdn_model_actuator a;
  const int i = cdn_model_find_actuator(model, name);
  ck_assert_msg(i >= 0, "there is no actuator '%s'", name);
  OK(cdn_model_get_actuator(model, i, &a));
  ck_assert_str_eq(a.name, name);
  return a;
}

/* ---- tables ---------------------------------------------------------------------------------- */

START_TEST(test_each_actuator_is_a_control_and_a_force) {
  load(BODIES "<actuator><motor name='motor' joint='turn' ctrlrange='-3 5'/>\n<position joint='slide' kp='9'/>"
              "<velocity name='spin' joint='turn'/><motor name='geared' joint='turn' gear='20'/></actuator>",
       NULL);
  ck_assert_int_eq(cdn_model_actuator_count(model), 4);
  ck_assert_int_eq(cdn_system_control_count(of), 4);
  const cdn_model_actuator a = named("motor"), p = named("slide_actuator1");
  double lower, upper;
  ck_assert_int_eq(a.control.i, cdn_system_find_control(of, "motor").i);
  ck_assert_str_eq(cdn_force_name(of, a.force), "motor actuator");
  ck_assert_str_eq(cdn_force_kind_name(of, a.force), "actuator");
  ck_assert_int_eq(a.mobilized.i, cdn_system_find_body(of, "a").i);
  ck_assert(a.line == 3 && p.line == 4 && a.activation.group < 0);
  OK_ON(state, cdn_control_limits(state, a.control, &lower, &upper));
  ck_assert(lower == -3 && upper == 5);
  ck_assert_str_eq(cdn_control_unit(of, a.control), "N m");
  ck_assert_str_eq(cdn_control_unit(of, p.control), "m");
  ck_assert_str_eq(cdn_control_unit(of, named("spin").control), "rad/s");
  ck_assert_str_eq(cdn_control_unit(of, named("geared").control), "");
  ck_assert(cdn_control_given(state, a.control) == 0);
  /* 7 N m are 5, within the limits, on an inertia of 2 + 1 about z (the ball carries the rest); 9 (0.5 - 0) N on 5
   * kg */
  OK_ON(state, cdn_control_set(state, a.control, 7));
  OK_ON(state, cdn_control_set(state, p.control, 0.5));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  NEAR(cdn_state_udot(state)[0], 5. / 3, 1e-14);
  NEAR(cdn_state_udot(state)[1], 4.5 / 5, 1e-14);
  end();
}
END_TEST

START_TEST(test_a_tree_only_has_no_actuators) {
  cdn_model_options options = cdn_default_model_options();
  options.tree_only = true;
  load(BODIES "<actuator><motor joint='turn'/></actuator><keyframe><key name='k' ctrl='1'/></keyframe>", &options);
  ck_assert_int_eq(cdn_model_actuator_count(model), 0);
  ck_assert_int_eq(cdn_system_control_count(of), 0);
  OK(cdn_model_set_key(model, "k", state));
  end();
}
END_TEST

START_TEST(test_the_file_switches_actuation_off) {
  load("<option><flag actuation='disable'/></option>" BODIES
       "<actuator><motor name='m' joint='turn'/></actuator><keyframe><key name='k' ctrl='1'/></keyframe>",
       NULL);
  ck_assert_int_eq(cdn_model_actuator_count(model), 0);
  ck_assert_int_eq(cdn_model_not_understood_count(model) + cdn_model_warning_count(model), 0);
  end();
}
END_TEST

/* ---- what is left out ------------------------------------------------------------------------ */

/* Their places in keyframes remain. */
START_TEST(test_what_is_left_out_is_named) {
  load(
      BODIES
      "<tendon><rope name='t'/></tendon><actuator>"
      "<motor name='one' joint='turn'/><motor name='pull' tendon='t'/><plugin name='coil' joint='turn'/>"
      "<general name='two' joint='slide' dyntype='filter'/><general joint='turn' gaintype='dcmotor'/>"
      "<general joint='turn' gaintype='user'/><adhesion body='c' ctrlrange='0 1'/></actuator><keyframe><key name='k' ctrl='1 2 3 4 5 6 7' act='9 10'/></keyframe>",
      NULL);
  static const char *const notes[] = { "tendon/rope",
                                       "actuator/motor on a tendon that is not simulated",
                                       "actuator/plugin",
                                       "actuator/general of this dyntype, gaintype or biastype",
                                       "actuator of a user without a function (options.actuator_user)",
                                       "actuator on the contacts of a body (contact is not soft)" };
  const int n = sizeof notes / sizeof *notes;
  ck_assert_int_eq(cdn_model_not_understood_count(model), n);
  for (int i = 0; i < n; i++) {
    bool found = false;
    for (int k = 0; k < n; k++) found = found || strcmp(cdn_model_not_understood(model, k).element, notes[i]) == 0;
    ck_assert_msg(found, "%s is not named", notes[i]);
  }
  ck_assert_int_eq(cdn_model_warning_count(model), 2);
  ck_assert_ptr_nonnull(strstr(cdn_model_warning(model, 0), "m.xml:3: actuator 'pull'"));
  ck_assert_ptr_nonnull(strstr(cdn_model_warning(model, 1), "'coil'"));
  ck_assert_int_eq(cdn_model_actuator_count(model), 4);
  OK(cdn_model_set_key(model, "k", state));
  ck_assert(cdn_control_given(state, named("one").control) == 1);
  ck_assert(cdn_control_given(state, named("two").control) == 4);
  ck_assert(cdn_state_zvar(state, named("two").activation)[0] == 10);
  end();
}
END_TEST

/* The sum of what actuators do to the joint is within its limits, however they reach it; what they do to others is
 * theirs. */
START_TEST(test_limits_of_effort_bound_what_all_do) {
  static const char *const cases[] = { "<motor joint='j' gear='-3'/>",
                                       "<motor tendon='t'/>",
                                       "<motor site='s' gear='1 2 3 4 5 6'/>",
                                       "<motor joint='j'/><motor joint='j' gear='2'/>",
                                       "<motor joint='j'/><motor joint='k'/><motor tendon='t'/>",
                                       "<motor cranksite='s' slidersite='w' cranklength='9'/>",
                                       "<motor site='o'/>" };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char inside[1000];
    snprintf(inside, sizeof inside,
             "<worldbody><body><joint name='j' actuatorfrcrange='-1 1.5'/><geom size='1'/><body><joint name='k'/>"
             "<geom size='1'/><site name='s' pos='.1 .2 .3'/></body></body><body pos='5 0 0'><joint name='l'/>"
             "<geom size='1'/><site name='o'/></body><site name='w' euler='10 20 30'/></worldbody>"
             "<tendon><fixed name='t'><joint joint='j' coef='2'/><joint joint='k' coef='1'/></fixed></tendon>"
             "<actuator>%s</actuator>",
             cases[i]);
    load(inside, NULL);
    ck_assert_int_eq(cdn_model_not_understood_count(model), 0);
    for (int round = -20; round <= 20; round++) {
      double f[3], sum = 0, free = 0;
      for (int k = 0; k < cdn_model_actuator_count(model); k++) {
        cdn_model_actuator a;
        double p, moments[3];
        OK(cdn_model_get_actuator(model, k, &a));
        OK_ON(state, cdn_control_set(state, a.control, 0.3 * round + 0.1 * k));
        OK_ON(state, cdn_actuator_force(state, a.force, &p));
        OK_ON(state, cdn_actuator_moments(state, a.force, moments));
        free += p * moments[0];
      }
      OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
      for (int k = 0; k < cdn_system_force_count(of); k++) {
        if (!strstr(cdn_force_name(of, (cdn_force){ k }), "actuator")) continue;
        OK_ON(state, cdn_force_contribution(state, (cdn_force){ k }, NULL, f, NULL, NULL));
        sum += f[0];
      }
      NEAR(sum, fmin(fmax(free, -1), 1.5), 1e-12);
    }
    end();
  }
}
END_TEST

/* ---- mistakes -------------------------------------------------------------------------------- */

START_TEST(test_mistakes_name_the_actuator) {
  static const struct {
    const char *actuator, *words[2];
  } cases[] = {
    { "<motor name='m'/>", { "<motor name='m'>", "acts on nothing" } },
    { "<motor name='m' joint='turn' site='s'/>", { "<motor name='m'>", "a joint and a site" } },
    { "<motor name='m' joint='elbow'/>", { "<motor name='m'>", "no joint 'elbow'" } },
    { "<motor name='m' site='elbow'/>", { "<motor name='m'>", "no site 'elbow'" } },
    { "<motor name='m' site='s' refsite='elbow'/>", { "<motor name='m'>", "no site 'elbow'" } },
    { "<motor name='m' joint='turn' class='c'/>", { "<motor name='m'>", "no default class" } },
    { "<motor name='m' joint='turn' gear='1 x'/>", { "<motor name='m'>", "gear" } },
    { "<motor name='m' joint='turn' ctrlrange='2 1'/>", { "<motor name='m'>", "ctrlrange '2 1' is empty" } },
    { "<motor name='m' joint='turn' ctrllimited='true'/>", { "<motor name='m'>", "ctrlrange '0 0' is empty" } },
    { "<motor name='m' joint='turn' forcerange='1 1'/>", { "<motor name='m'>", "forcerange" } },
    { "<motor name='m' joint='turn' ctrllimited='maybe'/>", { "<motor name='m'>", "ctrllimited" } },
    { "<damper name='m' joint='turn' kv='-1' ctrlrange='0 1'/>", { "<damper name='m'>", "kv is negative" } },
    { "<damper name='m' joint='turn' kv='1' ctrlrange='-1 1'/>", { "<damper name='m'>", "ctrlrange" } },
    { "<general name='m' joint='turn' dyntype='filter' dynprm='0'/>", { "<general name='m'>", "time constant" } },
    { "<general name='m' joint='turn' gaintype='loud'/>", { "<general name='m'>", "gaintype" } },
    { "<intvelocity name='m' joint='turn'/>", { "<intvelocity name='m'>", "actrange" } },
    { "<position name='m' joint='ball' inheritrange='1'/>", { "<position name='m'>", "inheritrange" } },
    { "<muscle name='m' joint='turn' range='1 .5' lengthrange='0 1'/>",
      { "<muscle name='m'>", "range '1 0.5' is empty" } },
    { "<muscle name='m' joint='turn' lmin='2' lengthrange='0 1'/>", { "<muscle name='m'>", "lmin is 2" } },
    { "<muscle name='m' joint='turn' vmax='-1' lengthrange='0 1'/>", { "<muscle name='m'>", "vmax" } },
    { "<muscle name='m' joint='turn' timeconst='-1 1' lengthrange='0 1'/>", { "<muscle name='m'>", "time constant" } },
    { "<muscle name='m' joint='turn' lengthrange='1 0'/>", { "<muscle name='m'>", "lengthrange '1 0' is empty" } },
    { "<muscle name='m' joint='turn'/>", { "'m'", "a joint without limits, turn" } },
    { "<muscle name='m' joint='turn' gear='0' lengthrange='0 1'/>", { "'m'", "moments are zero" } },
    { "<motor name='m' cranksite='s' slidersite='s'/>", { "<motor name='m'>", "cranklength" } },
    { "<motor name='m' cranksite='s' cranklength='1'/>", { "<motor name='m'>", "slidersite" } },
    { "<motor name='m' slidersite='s' cranklength='1'/>", { "<motor name='m'>", "cranksite" } },
    { "<motor name='m' cranksite='s' slidersite='s' cranklength='1'/>", { "'m'", "on one body" } },
    { "<motor name='m' body='elbow'/>", { "<motor name='m'>", "no body 'elbow'" } },
    { "<adhesion name='m' body='a'/>", { "<adhesion name='m'>", "ctrlrange" } },
    { "<adhesion name='m' body='a' ctrlrange='-1 1'/>", { "<adhesion name='m'>", "pushes" } },
    { "<motor name='m' joint='turn'/><motor name='m' joint='turn'/>", { "<motor name='m'>", "another actuator" } },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char inside[3000];
    snprintf(inside, sizeof inside, BODIES "<actuator>%s</actuator>", cases[i].actuator);
    FAILS(try_load(inside, NULL), CDN_ERR_PARSE);
    cdn_error error;
    cdn_model_last_error(model, &error);
    for (int k = 0; k < 2; k++)
      ck_assert_msg(strstr(error.text, cases[i].words[k]) && strstr(error.text, "m.xml:3:"), "%s gives: %s",
                    cases[i].actuator, error.text);
    end();
  }
  FAILS(try_load(BODIES "<actuator><motor joint='turn'/></actuator><keyframe><key ctrl='1 2'/></keyframe>", NULL),
        CDN_ERR_PARSE);
  end();
}
END_TEST

START_TEST(test_mistakes_of_specs) {
  static const char *const words[] = { "no joint 'knee'", "no body 'toe'", "does not move", "gear",
                                       "its force",       "its control",   "dynamics",      "time constant",
                                       "its activation",  "name already" };
  for (int i = 0; i < 10; i++) {
    cdn_spec *spec;
    cdn_error error;
    cdn_system *system = cdn_system_create(NULL);
    OK(cdn_spec_create(NULL, &spec));
    cdn_spec_body body = cdn_default_spec_body();
    body.name = "rod", body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
    OK(cdn_spec_add_body(spec, &body, NULL));
    cdn_spec_joint joint = cdn_default_spec_joint();
    joint.name = "hip", joint.kind = CDN_PIN, joint.child = "rod";
    OK(cdn_spec_add_joint(spec, &joint, NULL));
    cdn_spec_actuator a = cdn_default_spec_actuator();
    a.name = "motor", a.joint = i == 0 ? "knee" : "hip";
    if (i == 1) a.joint = NULL, a.body = "toe";
    if (i == 2) a.joint = NULL, a.body = "Ground";
    if (i == 3) a.gear[2] = NAN;
    if (i == 4) a.force_lower = INFINITY;
    if (i == 5) a.control_upper = NAN;
    if (i == 6) a.dynamics = (cdn_actuator_dynamics)9;
    if (i == 7) a.dynamics = CDN_ACTUATOR_FILTER, a.time_constant = 0;
    if (i == 8) a.activation_lower = 1, a.activation_upper = 1;
    for (int k = 0; k < 1 + (i == 9); k++) OK(cdn_spec_add_actuator(spec, &a, NULL));
    FAILS(cdn_model_build(spec, NULL, system, &model), CDN_ERR_ARG);
    cdn_model_last_error(model, &error);
    ck_assert_msg(strstr(error.text, words[i]) && strstr(error.text, "motor"), "%d: %s", i, error.text);
    end();
    cdn_spec_destroy(spec);
    cdn_system_release(system);
  }
}
END_TEST

/* ---- keyframes ------------------------------------------------------------------------------- */

START_TEST(test_a_key_leaves_followers_alone) {
  char text[3000];
  snprintf(text, sizeof text,
           "<mujoco>" BODIES "<actuator><motor name='m' joint='turn'/><motor name='n' joint='slide'/></actuator>"
           "<keyframe><key name='k' ctrl='1 2'/><key name='none'/></keyframe></mujoco>");
  cdn_system *system = cdn_system_create(NULL);
  cdn_spec *spec;
  OK(cdn_spec_load_string(text, strlen(text), "m.xml", NULL, &spec));
  OK(cdn_model_build(spec, NULL, system, &model));
  const double t[] = { 0, 1 }, y[] = { 5, 5 };
  cdn_control_follow_samples(system, cdn_system_find_control(system, "m"), 2, t, y);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  OK(cdn_model_set_key(model, "k", state));
  double value[2];
  OK_ON(state, cdn_control_value(state, named("m").control, &value[0]));
  OK_ON(state, cdn_control_value(state, named("n").control, &value[1]));
  ck_assert(value[0] == 5 && value[1] == 2);
  OK(cdn_model_set_key(model, "none", state)); /* as in a new State */
  ck_assert(cdn_control_given(state, named("n").control) == 0);
  end();
  cdn_spec_destroy(spec);
  cdn_system_release(system);
}
END_TEST

/* ---- activations ----------------------------------------------------------------------------- */

/* A filter follows its control by 1 - exp(-t / T); an integrator stops at its limit. */
START_TEST(test_activations_in_time) {
  load(BODIES
       "<actuator><general name='filter' joint='turn' dyntype='filter' dynprm='0.5' gainprm='2'/>"
       "<general name='sum' joint='slide' dyntype='integrator' actlimited='true' actrange='-1 0.75'/></actuator>",
       NULL);
  const cdn_model_actuator filter = named("filter"), sum = named("sum");
  OK_ON(state, cdn_control_set(state, filter.control, 3));
  OK_ON(state, cdn_control_set(state, sum.control, 1));
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper;
  def.accuracy = 1e-9;
  OK(cdn_stepper_create(state, &def, &stepper));
  for (int i = 1; i <= 4; i++) {
    const double t = 0.25 * i;
    OK(cdn_stepper_advance(stepper, t, NULL));
    cdn_state *now = cdn_stepper_state(stepper);
    NEAR(cdn_state_zvar(now, filter.activation)[0], 3 * (1 - exp(-t / 0.5)), 1e-7);
    NEAR(cdn_state_zvar(now, sum.activation)[0], fmin(t, 0.75), 1e-7);
    /* the slide, 5 kg, feels the integral of the activation's integral */
    if (i <= 3) NEAR(cdn_state_u(now)[1], t * t / 2 / 5, 1e-7);
  }
  cdn_stepper_destroy(stepper);
  end();
}
END_TEST

/* ---- what derivatives and audits say --------------------------------------------------------- */

static void check_all(void) {
  for (int i = 0; i < cdn_model_actuator_count(model); i++) {
    cdn_model_actuator a;
    cdn_check *check;
    OK(cdn_model_get_actuator(model, i, &a));
    OK_ON(state, cdn_control_set(state, a.control, 0.7));
    if (a.activation.group >= 0) OK_ON(state, cdn_state_set_zvar(state, a.activation, &(double){ 0.3 }));
    OK_ON(state, cdn_check_force(state, a.force, NULL, &check));
    ck_assert_msg(cdn_check_count(check) == 0, "%s", cdn_check_text(check));
    cdn_check_destroy(check);
  }
  end();
}

START_TEST(test_every_kind_passes_the_checks) {
  load(BODIES "<actuator><motor joint='turn'/><position joint='slide' kp='3' kv='2'/><damper joint='turn' kv='2' "
              "ctrlrange='0 2'/><general joint='turn' dyntype='filter' gaintype='affine' gainprm='1 .2 .3' "
              "biastype='affine' biasprm='.1 -2 -3' gear='-2'/><intvelocity joint='slide' actrange='-1 1' kp='4'/>"
              "<position joint='ball' gear='1 2 3'/><velocity jointinparent='ball' gear='1 0 1'/>"
              "<position site='e' refsite='s' kp='3' kv='2' gear='1 2 3 .4 .5 .6'/>"
              "<velocity site='s' kv='2' gear='1 2 3 .4 .5 .6'/><general site='s' dyntype='integrator' gear='0 1'/>"
              "</actuator>",
       NULL);
  check_all();
  load("<worldbody><body name='a' pos='1 2 3'><freejoint/><inertial pos='.1 0 0' mass='1' diaginertia='2 3 4'/>"
       "<body name='b' euler='10 20 30'><joint type='ball'/><inertial pos='0 0 .1' mass='1' diaginertia='2 3 4'/>"
       "<site name='b' pos='.3 .2 .1'/></body><body name='c' pos='0 0 1'><joint axis='1 2 3'/>"
       "<inertial pos='0 .1 0' mass='2' diaginertia='2 3 4'/><site name='c' pos='-.1 .5 0' euler='40 50 60'/></body>"
       "</body></worldbody><actuator><general site='b' refsite='c' gaintype='affine' gainprm='1 .2 .3' "
       "biastype='affine' biasprm='.1 -2 -3' gear='1 2 3 .4 .5 .6'/><position site='c' refsite='b' dampratio='1' "
       "kp='5' gear='-.3 1 0 2 .1 1' timeconst='2'/></actuator>",
       NULL);
  OK_ON(state, cdn_state_set_u(state, (double[]){ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }));
  check_all();
  load("<worldbody><body name='a'><freejoint name='free'/><inertial pos='.1 0 0' mass='1' diaginertia='2 3 4'/>"
       "</body></worldbody><actuator><velocity joint='free' kv='2' gear='1 2 3 .4 .5 .6'/>"
       "<velocity jointinparent='free' kv='3' gear='1 0 1 0 2 0'/>"
       "<general joint='free' dyntype='filter' gaintype='affine' gainprm='1 0 .3' gear='0 1 0 1 0 0'/></actuator>",
       NULL);
  check_all();
}
END_TEST

/* ---- specs ----------------------------------------------------------------------------------- */

/* The gain of a file's actuator is changed before it is built. */
START_TEST(test_a_spec_is_changed) {
  const char text[] = "<mujoco>" BODIES "<actuator><motor name='m' joint='turn'/></actuator></mujoco>";
  cdn_spec *spec;
  cdn_spec_actuator a;
  OK(cdn_spec_load_string(text, sizeof text - 1, "m.xml", NULL, &spec));
  const int i = cdn_spec_find(spec, CDN_SPEC_ACTUATOR, "m");
  OK(cdn_spec_get_actuator(spec, i, &a));
  ck_assert_str_eq(a.joint, "turn");
  ck_assert(a.gain[0] == 1 && a.gear[0] == 1 && isinf(a.force_upper));
  a.gain[0] = 8, a.force_upper = 20;
  OK(cdn_spec_set_actuator(spec, i, &a));
  cdn_system *system = cdn_system_create(NULL);
  OK(cdn_model_build(spec, NULL, system, &model));
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  const double controls[] = { 1, 4 }, torques[] = { 8, 20 };
  for (int k = 0; k < 2; k++) {
    OK_ON(state, cdn_control_set(state, named("m").control, controls[k]));
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    NEAR(cdn_state_udot(state)[0], torques[k] / 3, 1e-14);
  }
  OK(cdn_spec_remove(spec, CDN_SPEC_ACTUATOR, i));
  ck_assert_int_eq(cdn_spec_count(spec, CDN_SPEC_ACTUATOR), 0);
  end();
  cdn_spec_destroy(spec);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("io_actuators", test_each_actuator_is_a_control_and_a_force, test_a_tree_only_has_no_actuators,
           test_the_file_switches_actuation_off, test_what_is_left_out_is_named,
           test_limits_of_effort_bound_what_all_do, test_mistakes_name_the_actuator, test_mistakes_of_specs,
           test_a_key_leaves_followers_alone, test_activations_in_time, test_every_kind_passes_the_checks,
           test_a_spec_is_changed)
