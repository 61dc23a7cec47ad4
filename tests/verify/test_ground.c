/* A plane under a model that has none: a robot with a floating base comes to lie on it, wherever it starts. */
#include <stdio.h>

#include "command_run.h"

/* A body of 0.4 m with a leg that hangs 0.55 m below its origin: of 0.05 m radius, on a hinge with damping. */
static const char robot[] =
    "<robot name='robot'><link name='base'><inertial><mass value='2'/><inertia ixx='.03' iyy='.03' izz='.05' ixy='0' "
    "ixz='0' iyz='0'/></inertial><visual><geometry><box size='.4 .3 .9'/></geometry></visual><collision><geometry>"
    "<box size='.4 .3 .1'/></geometry></collision></link>"
    "<link name='leg'><inertial><origin xyz='0 0 -.25'/><mass value='.5'/><inertia ixx='.01' iyy='.01' izz='.002' "
    "ixy='0' ixz='0' iyz='0'/></inertial><collision><origin xyz='0 0 -.25'/><geometry><cylinder radius='.05' "
    "length='.5'/></geometry></collision></link>"
    "<joint name='hip' type='continuous'><parent link='base'/><child link='leg'/><origin xyz='.1 0 -.05'/>"
    "<axis xyz='0 1 0'/><dynamics damping='.3'/></joint></robot>";
#define LOWEST (-0.55)
#define WEIGHT (2.5 * 9.81)

static cdn_model *load(cdn_model_options options) {
  cdn_model *model;
  options.floating_base = options.ground = true;
  const cdn_status status = cdn_model_load_string(robot, strlen(robot), "robot.urdf", &options, &model);
  ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
  return model;
}

/* The forces between the plane and all bodies, and how deep the deepest is. */
static cdn_vec3 force_of_plane(cdn_state *state, double *depth) {
  int n;
  cdn_vec3 sum = cdn_v3(0, 0, 0);
  *depth = 0;
  OK(cdn_contact_count(state, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    OK(cdn_contact_get(state, i, &c));
    const bool on_a = cdn_shape_body(cdn_state_system(state), c.a).i == 0;
    if (!on_a && cdn_shape_body(cdn_state_system(state), c.b).i != 0) continue;
    /* on b is what is told */
    sum = cdn_add(sum, cdn_scale(on_a ? 1 : -1, cdn_add(cdn_scale(c.force, c.normal), c.friction)));
    *depth = fmax(*depth, c.depth);
  }
  return sum;
}

/* It falls over, and lies: nothing moves, and the plane carries the weight. Between default and soft contact only the
 * depth differs. */
static void check_rest(cdn_model_contact contact, double height) {
  cdn_model_options options = cdn_default_model_options();
  options.contact = contact, options.ground_height = height;
  cdn_model *model = load(options);
  cdn_state *state;
  OK(cdn_state_create(cdn_model_system(model), &state));
  double lowest, depth;
  const double push[6] = { 0, 0.5, 0, 0, 0, 0 }; /* or it would stand on its leg */
  OK(cdn_body_set_u(state, (cdn_body){ 1 }, 6, push));
  cdn_stepper *stepper;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-6; /* at rest, forces of stiff contact tremble as far as the accuracy lets them */
  if (contact == CDN_MODEL_SOFT) def.method = CDN_METHOD_MUJOCO_IMPLICIT, def.fixed_step = 0.002;
  OK(cdn_stepper_create(state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 8, NULL));
  cdn_state *end = cdn_stepper_state(stepper);
  const cdn_vec3 force = force_of_plane(end, &depth);
  OK(cdn_model_lowest_point(model, end, &lowest));
  const double plane = isnan(height) ? LOWEST : height;
  for (int i = 0; i < 7; i++) AT_MOST(fabs(cdn_state_u(end)[i]), 1e-3);
  /* what still moves has a thousandth of the weight at most */
  NEAR(force.z, WEIGHT, 1e-3 * WEIGHT);
  AT_MOST(hypot(force.x, force.y), 1e-3 * WEIGHT);
  /* the lowest point is in the plane, a few millimetres deep */
  NEAR(lowest, plane, 5e-3);
  ck_assert(lowest <= plane);
  /* it lies: its hip is near the plane */
  cdn_vec3 hip;
  OK(cdn_body_station(end, (cdn_body){ 1 }, cdn_v3(0.1, 0, -0.05), &hip, NULL));
  AT_MOST(hip.z - plane, 0.35);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}

START_TEST(a_robot_comes_to_lie) {
  check_rest(CDN_MODEL_COMPLIANT, NAN);
  check_rest(CDN_MODEL_SOFT, NAN);
  check_rest(CDN_MODEL_SOFT, -2);
}
END_TEST

START_TEST(it_touches_the_lowest_point) {
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_COMPLIANT;
  cdn_model *model = load(options);
  cdn_state *state;
  cdn_geometry g;
  cdn_transform X;
  double height;
  OK(cdn_state_create(cdn_model_system(model), &state));
  int plane;
  plane = cdn_system_find_element(cdn_model_system(model), CDN_ELEMENT_SHAPE, "ground");
  OK(cdn_shape_get(state, (cdn_shape){ plane }, &g, &X));
  ck_assert_int_eq(g.kind, CDN_GEOMETRY_HALF_SPACE);
  NEAR(X.p.z, LOWEST, 1e-15); /* of collision shapes: the looks reach 0.45 m down */
  /* another pose: the leg is level, and the base the lowest */
  OK(cdn_body_set_q(state, cdn_model_get_joint(model, 1).mobilized, 1, (double[]){ PI / 2 }));
  OK(cdn_model_lowest_point(model, state, &height));
  NEAR(height, -0.1, 1e-15); /* of the leg, which turns about a point 0.05 m below the middle */
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  options.floating_base = options.ground = true, options.ground_height = INFINITY;
  ck_assert_int_eq(cdn_model_load_string(robot, strlen(robot), "robot.urdf", &options, &model), CDN_ERR_ARG);
  SAYS(cdn_last_error_text(), "ground_height");
  cdn_model_destroy(model);
}
END_TEST

/* Every command that loads a model has it. */
START_TEST(the_command_has_it) {
  enter_directory();
  write_file("robot.urdf", robot);
  write_file(
      "own.xml",
      "<mujoco><worldbody><geom name='ground' type='plane' size='1 1 1' pos='0 0 -3'/><body name='a'><freejoint/>"
      "<geom type='sphere' size='.2' contype='2' conaffinity='4'/></body></worldbody>"
      "<keyframe><key name='high' qpos='0 0 5 1 0 0 0'/></keyframe></mujoco>");
  SUCCEEDS("simulate robot.urdf --floating-base --ground --duration 3 --no-companion -o run.csv --quiet");
  const table *t = parse_csv_file("run.csv");
  ck_assert(t->value[t->rows - 1][7] > LOWEST);                /* z of the base, behind its quaternion */
  SUCCEEDS("info --ground robot.urdf --floating-base --json"); /* no value: what follows is none */
  json_t *info = parse(output);
  ck_assert_int_eq((int)json_array_size(member(info, "shapes")), 3);
  json_decref(info);
  /* below the keyframe from which the run starts, beside the plane of the file, and whatever the masks are */
  SUCCEEDS("eval own.xml --key high --ground 4.7 --json");
  json_t *value = parse(output);
  ck_assert_int_eq((int)json_array_size(member(value, "contacts")), 0);
  json_decref(value);
  SUCCEEDS("eval own.xml --key high --ground 4.81 --json");
  value = parse(output);
  json_t *contact = json_array_get(member(value, "contacts"), 0);
  ck_assert_str_eq(json_string_value(member(contact, "b")), "ground 2");
  NEAR(number(contact, "depth"), 0.01, 1e-15);
  json_decref(value);
  SUCCEEDS("simulate own.xml --key high --ground --duration 2 --no-companion --summary run.json --quiet -o run.csv");
  t = parse_csv_file("run.csv");
  NEAR(t->value[t->rows - 1][7], 5, 0.01); /* it lies where it began */
  /* a run that goes on has the same plane */
  SUCCEEDS("simulate own.xml --key high --ground --duration 2 -o whole.csv --quiet --checkpoint a.checkpoint");
  SUCCEEDS("simulate --resume a.checkpoint --quiet");
  EXITS(2, "simulate --resume a.checkpoint --ground");
  EXITS(2, "eval own.xml --ground=x");
  EXITS(2, "eval own.xml --ground=inf");
  EXITS(2, "eval own.xml --ground --state -");
  SAYS(errors, "--ground Z");
}
END_TEST

CHECK_MAIN("ground", a_robot_comes_to_lie, it_touches_the_lowest_point, the_command_has_it)
