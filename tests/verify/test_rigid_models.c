/* Models of files with rigid contact: limits of joints act on one side, dry friction sticks exactly, and what gives way
 * all the same is named. Expected values are closed forms. */
#include <cardan/model.h>
#include <stdio.h>

#include "hybrid_scenes.h"

/* A carriage of m = 2 kg on a rail along x, with a range; gravity along x if asked for. */
static const char rail[] =
    "<mujoco model='rail'><option gravity='%g 0 0'/><compiler angle='radian'/><worldbody><body name='carriage'>"
    "<joint name='rail' type='slide' axis='1 0 0' %s/><geom type='box' size='.1 .1 .1' mass='2' contype='0' conaffinity='0'/>"
    "</body></worldbody><sensor><jointlimitfrc name='force' joint='rail'/><jointlimitpos name='place' joint='rail'/>"
    "</sensor></mujoco>";
enum { TEXT = 2000 };

static cdn_model *load(const char *text, bool rigid) {
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model;
  cdn_error error;
  options.contact = rigid ? CDN_MODEL_RIGID : CDN_MODEL_COMPLIANT;
  const cdn_status status = cdn_model_load_string(text, strlen(text), "rail.xml", &options, &model);
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  return model;
}

static cdn_model *load_rail(double gravity, const char *joint) {
  char text[TEXT];
  snprintf(text, sizeof text, rail, gravity, joint);
  return load(text, true);
}

static cdn_state *start(const cdn_model *model, double q, double u) {
  cdn_state *state;
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK_ON(state, cdn_state_set_q(state, &q));
  OK_ON(state, cdn_state_set_u(state, &u));
  return state;
}

static double measured(cdn_state *state, const char *name) {
  const double *value = cdn_measure_value(state, cdn_system_find_measure(cdn_state_system(state), name));
  ck_assert_msg(value, "%s", cdn_last_error_text());
  return *value;
}

static void finish(cdn_stepper *run, cdn_state *state, cdn_model *model) {
  cdn_stepper_destroy(run);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}

/* Without forces: v d / v until the limit, then back with e v, where e = exp(-pi z / sqrt(1 - z^2)) for the damping
 * ratio z: of solref, or b / (2 sqrt(k)) of its negative numbers; 0 for z >= 1. */
START_TEST(limits_return_what_their_damping_leaves) {
  static const struct {
    const char *ref;
    double ratio;
  } laws[] = { { "0.02 0.2", 0.2 }, { "-2500 -20", 0.2 }, { "0.1 0.6", 0.6 }, { "0.02 1", 1 }, { "-100 -60", 3 } };
  const double z = laws[_i].ratio, e = z < 1 ? exp(-PI * z / sqrt(1 - z * z)) : 0;
  char joint[200];
  snprintf(joint, sizeof joint, "range='-0.5 0.75' solreflimit='%s'", laws[_i].ref);
  cdn_model *model = load_rail(0, joint);
  cdn_state *state = start(model, 0.25, 2);
  cdn_stepper *run = event_run(state, 1e-8);
  cdn_state *now = cdn_stepper_state(run);
  ck_assert_int_eq(cdn_model_warning_count(model), 0);
  ck_assert(run_to_event(run, "touches", 2));
  NEAR(cdn_state_time(now), 0.25, 1e-9);
  NEAR(cdn_state_u(now)[0], -2 * e, 1e-9);
  const cdn_one_sided upper = cdn_system_find_one_sided(cdn_model_system(model), "rail upper limit");
  const cdn_hybrid_change c = cdn_one_sided_get_change(now, upper);
  NEAR(c.impulse[0], 2 * 2 * (1 + e), 1e-8);
  NEAR(c.energy, 0.5 * 2 * 4 * (1 - e * e), 1e-8);
  if (e > 0) {
    ck_assert(run_to_event(run, "touches", 20));
    NEAR(cdn_state_q(now)[0], -0.5, 1e-9);
    NEAR(cdn_state_time(now), 0.25 + 1.25 / (2 * e), 1e-7 / e);
  }
  finish(run, state, model);
}
END_TEST

/* A constant force F = m g against the upper limit: it rests there, and the limit pushes with F. */
START_TEST(a_limit_carries_a_load) {
  cdn_model *model = load_rail(3, "range='-0.5 0.75'");
  cdn_state *state = start(model, 0, 0);
  cdn_stepper *run = event_run(state, 1e-8);
  cdn_state *now = cdn_stepper_state(run);
  ck_assert(run_to_event(run, "touches", 5));
  NEAR(cdn_state_time(now), sqrt(2 * 0.75 / 3), 1e-8);
  ck_assert(!run_to_event(run, "touches", 100));
  NEAR(cdn_state_q(now)[0], 0.75, 1.5e-11); /* the window of the touch, 7e-12 s, at 2.1 m/s; it stays there for 100 s */
  NEAR(cdn_state_u(now)[0], 0, 1e-12);
  NEAR(measured(now, "force"), 2 * 3, 1e-12);
  NEAR(measured(now, "place"), 0, 1.5e-11);
  finish(run, state, model);
}
END_TEST

/* v^2 m / (2 loss) until it sticks; held against a smaller force without any creep. */
START_TEST(dry_friction_sticks_without_creep) {
  cdn_model *model = load_rail(1.5, "frictionloss='5'");
  cdn_state *state = start(model, 0, 2);
  cdn_stepper *run = event_run(state, 1e-8);
  cdn_state *now = cdn_stepper_state(run);
  const double slower = 5. / 2 - 1.5; /* m/s^2 */
  ck_assert(run_to_event(run, "sticks", 10));
  NEAR(cdn_state_time(now), 2 / slower, 1e-7);
  const double q = cdn_state_q(now)[0];
  NEAR(q, 2, 1e-7);
  ck_assert(!run_to_event(run, "slips", 1000));
  NEAR(cdn_state_q(now)[0], q, 1e-9); /* speeds are zero to some 1e-14 m/s */
  double force[2];
  OK_ON(state, cdn_dry_friction_force(now, (cdn_dry_friction){ 0 }, force));
  NEAR(force[0], -2 * 1.5, 1e-12);
  finish(run, state, model);
}
END_TEST

/* The default pose is beyond a limit: the model starts at the limit, and says so. */
START_TEST(a_start_beyond_a_limit) {
  cdn_model *model = load_rail(0, "range='0.5 0.75'");
  cdn_state *state;
  ck_assert_int_eq(cdn_model_warning_count(model), 1);
  ck_assert_msg(strstr(cdn_model_warning(model, 0), "starts at the nearest limit"), "%s", cdn_model_warning(model, 0));
  OK(cdn_state_create(cdn_model_system(model), &state));
  NEAR(cdn_state_q(state)[0], 0.5, 0);
  finish(NULL, state, model);
}
END_TEST

/* A lift of 4 kg in its shaft. */
static const char lift[] =
    "<robot name='lift'><link name='base'/><link name='cage'><inertial><mass value='4'/><inertia ixx='1' iyy='1' izz='1' "
    "ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='shaft' type='prismatic'><parent link='base'/><child link='cage'/>"
    "<axis xyz='0 0 1'/><limit lower='%g' upper='%g' effort='1' velocity='1'/>%s</joint></robot>";

/* Friction takes half of the weight; the lift lands on the lower limit without a bounce. */
START_TEST(urdf_has_rigid_limits_and_friction) {
  char text[TEXT];
  snprintf(text, sizeof text, lift, -0.5, 0.5, "<dynamics friction='19.62'/>");
  cdn_model *model = load(text, true);
  cdn_state *state = start(model, 0, 0);
  cdn_stepper *run = event_run(state, 1e-8);
  cdn_state *now = cdn_stepper_state(run);
  ck_assert_int_eq(cdn_model_warning_count(model), 0);
  ck_assert_str_eq(cdn_dry_friction_name(cdn_model_system(model), (cdn_dry_friction){ 0 }), "shaft friction");
  ck_assert(run_to_event(run, "touches", 5));
  NEAR(cdn_state_time(now), sqrt(2 * 0.5 / (9.81 / 2)), 1e-7);
  NEAR(cdn_state_u(now)[0], 0, 1e-12);
  finish(run, state, model);
}
END_TEST

/* A range of no width is no limit but a value. */
START_TEST(a_range_of_no_width) {
  char text[TEXT];
  snprintf(text, sizeof text, lift, 0.25, 0.25, "");
  cdn_model *model = load(text, true);
  const cdn_system *system = cdn_model_system(model);
  ck_assert_int_eq(cdn_system_one_sided_count(system), 0);
  ck_assert_int_eq(cdn_system_constraint_count(system), 1);
  ck_assert(cdn_system_find_constraint(system, "shaft limit").i == 0);
  cdn_state *state = start(model, 0.25, 0);
  const double *udot = cdn_state_udot(state);
  ck_assert(udot && fabs(udot[0]) < 1e-14);
  finish(NULL, state, model);
}
END_TEST

/* Two fingers of a gripper, one of which mimics the other: its limits are left out unless they are tighter. */
START_TEST(limits_of_a_mimic) {
  static const struct {
    double lower, upper;
    int elements;
  } ranges[] = { { -0.04, 0, 2 }, { -0.05, 0.01, 2 }, { -0.03, 0, 4 } };
  char text[TEXT];
  snprintf(
      text, sizeof text,
      "<robot name='gripper'><link name='base'/><link name='left'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
      "ixy='0' ixz='0' iyz='0'/></inertial></link><link name='right'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='one' type='prismatic'><parent link='base'/><child "
      "link='left'/><axis xyz='0 0 1'/><limit lower='0' upper='0.04' effort='1' velocity='1'/></joint><joint name='two' "
      "type='prismatic'><parent link='base'/><child link='right'/><axis xyz='0 0 1'/><limit lower='%g' upper='%g' effort='1' "
      "velocity='1'/><mimic joint='one' multiplier='-1'/></joint></robot>",
      ranges[_i].lower, ranges[_i].upper);
  cdn_model *model = load(text, true);
  ck_assert_int_eq(cdn_system_one_sided_count(cdn_model_system(model)), ranges[_i].elements);
  cdn_model_destroy(model);
}
END_TEST

/* The fingers slide along a pendulum, one up as the other goes down, so that gravity and inertia cancel. Closed, at a
 * limit that carries nothing, they stay so. */
START_TEST(a_limit_without_a_load_stays_closed) {
  static const char text[] =
      "<robot name='hand'><link name='base'/><link name='arm'><inertial><origin xyz='0 0 -0.3'/><mass value='1'/><inertia ixx='.1' "
      "iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/></inertial></link><link name='left'><inertial><mass value='0.5'/><inertia "
      "ixx='.01' iyy='.01' izz='.01' ixy='0' ixz='0' iyz='0'/></inertial></link><link name='right'><inertial><mass value='0.5'/>"
      "<inertia ixx='.01' iyy='.01' izz='.01' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='swing' type='continuous'>"
      "<parent link='base'/><child link='arm'/><axis xyz='0 1 0'/></joint><joint name='one' type='prismatic'><parent link='arm'/>"
      "<child link='left'/><origin xyz='0 0 -0.7'/><axis xyz='0 0 1'/><limit lower='0' upper='0.04' effort='1' velocity='1'/></joint>"
      "<joint name='two' type='prismatic'><parent link='arm'/><child link='right'/><origin xyz='0 0 -0.7'/><axis xyz='0 0 1'/>"
      "<limit lower='-0.04' upper='0' effort='1' velocity='1'/><mimic joint='one' multiplier='-1'/></joint></robot>";
  cdn_model *model = load(text, true);
  cdn_state *state;
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK_ON(state, cdn_state_set_q(state, (double[]){ 1.3, 0, 0 }));
  cdn_stepper *run = event_run(state, 1e-8);
  cdn_state *now = cdn_stepper_state(run);
  ck_assert(!run_to_event(run, "lets go", 5));
  ck_assert(cdn_one_sided_is_on(now, (cdn_one_sided){ 0 }));
  NEAR(cdn_state_q(now)[1], 0, 1e-12);
  check_verdict(run);
  finish(run, state, model);
}
END_TEST

/* Two arms that fall freely, while their elbow is at its limit: nothing presses it there, and nothing opens it. */
START_TEST(a_limit_in_free_fall) {
  static const char text[] =
      "<mujoco><worldbody><body><freejoint/><geom type='capsule' fromto='0 0 0 .3 .1 0' size='.03' mass='1' contype='0' conaffinity='0'/>"
      "<body pos='.3 .1 0'><joint name='elbow' axis='0 1 0' range='-90 0'/><geom type='capsule' fromto='0 0 0 .2 .1 .1' size='.03' "
      "mass='.7' contype='0' conaffinity='0'/></body></body></worldbody></mujoco>";
  cdn_model *model = load(text, true);
  cdn_state *state;
  OK(cdn_state_create(cdn_model_system(model), &state));
  cdn_stepper *run = event_run(state, 1e-8);
  cdn_state *now = cdn_stepper_state(run);
  ck_assert(!run_to_event(run, "lets go", 1));
  ck_assert(cdn_one_sided_is_on(now, cdn_system_find_one_sided(cdn_model_system(model), "elbow upper limit")));
  NEAR(cdn_state_q(now)[7], 0, 1e-14);
  NEAR(cdn_state_q(now)[6], -9.81 / 2, 1e-8);
  finish(run, state, model);
}
END_TEST

/* What a damping ratio of 0.3 leaves of the speed of a fall by 1 m, and that speed. */
static double returned(void) { return exp(-PI * 0.3 / sqrt(1 - 0.3 * 0.3)); }
static double fallen(void) { return sqrt(2 * 9.81); }

/* A run up to the first touch of a body that falls so, which returns with what is left. */
static cdn_stepper *first_bounce(cdn_model *model, cdn_state **state, double tolerance) {
  OK(cdn_state_create(cdn_model_system(model), state));
  cdn_stepper *run = event_run(*state, 1e-8);
  ck_assert(run_to_event(run, "touches", 2));
  NEAR(cdn_state_time(cdn_stepper_state(run)), fallen() / 9.81, tolerance);
  NEAR(cdn_state_u(cdn_stepper_state(run))[5], returned() * fallen(), 10 * tolerance);
  return run;
}

/* A ball of the radius 0.1 falls by 1 m onto a floor: of two surfaces the one that bounces more decides. */
START_TEST(shapes_bounce_as_their_solref_says) {
  static const char text[] =
      "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body pos='0 0 1.1'><freejoint/>"
      "<geom name='ball' size='.1' mass='2' solref='0.02 0.3'/></body></worldbody></mujoco>";
  cdn_model *model = load(text, true);
  cdn_state *state;
  cdn_stepper *run = first_bounce(model, &state, 1e-8);
  cdn_state *now = cdn_stepper_state(run);
  for (int i = 0, seen = 0; i < cdn_system_one_sided_count(cdn_model_system(model)); i++) {
    const cdn_hybrid_change c = cdn_one_sided_get_change(now, (cdn_one_sided){ i });
    char text_of[64];
    if (!c.what) continue;
    ck_assert_int_eq(seen++, 0);
    ck_assert_str_eq(c.what, "bounces");
    ck_assert_str_eq(c.element, "floor - ball");
    NEAR(c.impulse[0], 2 * (1 + returned()) * fallen(), 1e-7);
    cdn_one_sided_text(now, (cdn_one_sided){ i }, text_of, sizeof text_of);
    ck_assert(!cdn_one_sided_is_free(now, (cdn_one_sided){ i }));
    ck_assert_str_eq(text_of, "floor - ball");
  }
  finish(run, state, model);
}
END_TEST

/* A brick bounces on another one; both are meshes of a file. The corners are those of a box of single precision. */
START_TEST(meshes_bounce_on_meshes) {
  static const char text[] =
      "<mujoco><asset><mesh name='brick' vertex='-.2 -.1 -.05 .2 -.1 -.05 -.2 .1 -.05 .2 .1 -.05 -.2 -.1 .05 .2 -.1 .05 "
      "-.2 .1 .05 .2 .1 .05'/></asset><worldbody><geom name='below' type='mesh' mesh='brick' euler='0 0 90'/>"
      "<body pos='.03 .02 1.1'><freejoint/><geom name='above' type='mesh' mesh='brick' mass='2' solref='0.02 0.3'/>"
      "</body></worldbody></mujoco>";
  cdn_model *model = load(text, true);
  cdn_state *state;
  cdn_stepper *run = first_bounce(model, &state, 1e-7);
  cdn_state *now = cdn_stepper_state(run);
  ck_assert(!run_to_event(run, "lets go", 4));
  NEAR(cdn_state_q(now)[6], 0.1, 1e-7);
  NEAR(cdn_state_q(now)[4], 0.03, 1e-6);
  finish(run, state, model);
}
END_TEST

/* A crate on a slope of 20 degrees: with a coefficient above its tangent it stays where it is, below it slides. */
START_TEST(shapes_rub_as_their_friction_says) {
  static const double coefficients[] = { 0.5, 0.25 };
  const double mu = coefficients[_i], angle = 20 * PI / 180, a = 9.81 * (sin(angle) - mu * cos(angle));
  char text[TEXT];
  snprintf(
      text, sizeof text,
      "<mujoco><option gravity='%.17g 0 %.17g'/><worldbody><geom name='slope' type='plane' size='1 1 1' friction='%g'/>"
      "<body pos='0 0 0.1'><freejoint/><geom name='crate' type='box' size='.3 .2 .1' mass='2' friction='0.1'/></body>"
      "</worldbody></mujoco>",
      9.81 * sin(angle), -9.81 * cos(angle), mu);
  cdn_model *model = load(text, true);
  cdn_state *state;
  OK(cdn_state_create(cdn_model_system(model), &state));
  cdn_stepper *run = event_run(state, 1e-8);
  cdn_state *now = cdn_stepper_state(run);
  const bool slides = mu < tan(angle);
  ck_assert(!run_to_event(run, "touches", slides ? 2 : 100));
  NEAR(cdn_state_q(now)[4], slides ? 0.5 * a * 4 : 0, slides ? 1e-8 : 1e-9);
  NEAR(cdn_state_u(now)[3], slides ? a * 2 : 0, slides ? 1e-8 : 1e-12);
  finish(run, state, model);
}
END_TEST

/* A ball's limit and a tendon's stay compliant, and a warning names them. */
START_TEST(what_gives_way_is_named) {
  static const char text[] =
      "<mujoco><worldbody><body name='a'><joint name='socket' type='ball' range='0 1' limited='true' frictionloss='.1'/>"
      "<geom size='.1' mass='1' contype='0' conaffinity='0'/></body><body name='b' pos='1 0 0'><joint name='pin' axis='0 1 0'/>"
      "<geom size='.1' mass='1' contype='0' conaffinity='0'/></body>"
      "</worldbody><tendon><fixed name='cord' limited='true' range='-1 1' frictionloss='.2'><joint joint='pin' coef='1'/>"
      "</fixed></tendon></mujoco>";
  static const char *const words[] = { "limits of balls give way a little", "limits of tendons give way a little",
                                       "dry friction of tendons gives way" };
  static const char *const names[] = { "'socket'", "'cord'", "'cord'" };
  cdn_model *model = load(text, true), *usual = load(text, false);
  const cdn_system *system = cdn_model_system(model);
  ck_assert_int_eq(cdn_model_warning_count(usual), 0);
  ck_assert_int_eq(cdn_model_warning_count(model), 3);
  for (int i = 0; i < 3; i++) {
    ck_assert_msg(strstr(cdn_model_warning(model, i), words[i]) != NULL, "%s", cdn_model_warning(model, i));
    ck_assert_msg(strstr(cdn_model_warning(model, i), names[i]) != NULL, "%s", cdn_model_warning(model, i));
  }
  ck_assert(cdn_system_find_force(system, "socket limit").i >= 0);
  ck_assert(cdn_system_find_force(system, "cord limit").i >= 0);
  ck_assert_int_eq(cdn_system_one_sided_count(system), 0);
  ck_assert_int_eq(cdn_system_dry_friction_count(system), 3); /* one for each mobility of the ball */
  cdn_model_destroy(model);
  cdn_model_destroy(usual);
}
END_TEST

/* A person falls on a floor. On the way feet and limbs jam (Painleve): pushes grow without bound, and impulses end
 * that. */
START_TEST(a_person_falls) {
  static const double accuracies[] = { 5e-3, 2e-3, 7e-4, 2e-4 };
  const double accuracy = accuracies[_i];
  cdn_state *state = NULL;
  cdn_model *model = rigid_example("puppet", &state);
  cdn_stepper *run;
  cdn_certificate certificate;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = accuracy;
  OK_ON(state, cdn_stepper_create(state, &how, &run));
  const cdn_state *now = cdn_stepper_state(run);
  double most = INFINITY;
  for (int i = 1; i <= 10; i++) {
    double kinetic, potential;
    const cdn_status status = cdn_stepper_advance(run, 0.1 * i, NULL);
    ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
    OK_ON(cdn_stepper_state(run), cdn_kinetic_energy(cdn_stepper_state(run), &kinetic));
    OK_ON(cdn_stepper_state(run), cdn_potential_energy(cdn_stepper_state(run), &potential));
    ck_assert(kinetic + potential < most + 100 * accuracy); /* J, of 750 */
    most = kinetic + potential;
  }
  ck_assert(cdn_hybrid_get_totals(now).impact_energy > 200); /* of the 300 J that it had more than lying */
  OK(cdn_stepper_certificate(run, &certificate));
  ck_assert(fabs(certificate.energy_residual) < accuracy);
  finish(run, state, model);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, limits_return_what_their_damping_leaves, 0, 5);
  tcase_add_test(c, a_limit_carries_a_load);
  tcase_add_test(c, dry_friction_sticks_without_creep);
  tcase_add_test(c, a_start_beyond_a_limit);
  tcase_add_test(c, urdf_has_rigid_limits_and_friction);
  tcase_add_test(c, a_range_of_no_width);
  tcase_add_loop_test(c, limits_of_a_mimic, 0, 3);
  tcase_add_test(c, a_limit_without_a_load_stays_closed);
  tcase_add_test(c, a_limit_in_free_fall);
  tcase_add_test(c, shapes_bounce_as_their_solref_says);
  tcase_add_test(c, meshes_bounce_on_meshes);
  tcase_add_loop_test(c, shapes_rub_as_their_friction_says, 0, 2);
  tcase_add_test(c, what_gives_way_is_named);
  tcase_add_loop_test(c, a_person_falls, 0, 4);
}

CHECK_MAIN_OF("rigid models", 30, add)
