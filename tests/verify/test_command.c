/* The command as its users meet it: started as a program in an empty directory, judged by what it writes and by its
 * exit code. Here: usage, files, `info` and `eval`; physics is compared with closed forms of one pendulum. */
#include "command_run.h"

#include "core/core.h"

/* ---- help, options, exit codes ---------------------------------------------------------------- */

START_TEST(help_is_where_it_is_looked_for) {
  enter_directory();
  SUCCEEDS("--help");
  SAYS(output, "examples");
  SAYS(output, "exit codes");
  SAYS(output, "simulate");
  ck_assert_str_eq(errors, "");
  const char *const commands[] = { "info", "eval", "equilibrium", "modes", "rollout", "simulate", "speed" };
  for (int i = 0; i < CDNI_COUNT(commands); i++) {
    SUCCEEDS("%s --help", commands[i]);
    SAYS(output, "usage: cardan ");
    SAYS(output, "examples");
    SAYS(output, "--strict");
    static char first[TEXT_SIZE];
    strcpy(first, output);
    SUCCEEDS("help %s", commands[i]);
    ck_assert_str_eq(output, first);
  }
  char version[64];
  snprintf(version, sizeof version, "cardan %d.%d.%d\n", CDN_VERSION_MAJOR, CDN_VERSION_MINOR, CDN_VERSION_PATCH);
  SUCCEEDS("--version");
  ck_assert_str_eq(output, version);
}
END_TEST

START_TEST(wrong_usage_is_named_and_exits_2) {
  enter_directory();
  const struct {
    const char *arguments, *message;
  } wrong[] = {
    { "", "usage" },
    { "simulat one.xml --duration 1", "did you mean 'cardan simulate'" },
    { "frobnicate", "unknown command 'frobnicate'" },
    { "info", "which model" },
    { "info one.xml two.xml", "unexpected argument 'two.xml'" },
    { "simulate one.xml --duration 1 --reprot 0.1", "unknown option --reprot; did you mean --report?" },
    { "simulate one.xml --duration 1 --sumary=s.json", "did you mean --summary?" },
    { "eval one.xml --frobnicate", "unknown option --frobnicate" },
    { "eval one.xml --json=yes", "--json takes no value" },
    { "simulate one.xml", "needs --duration" },
    { "simulate one.xml --duration", "--duration needs a value" },
    { "simulate one.xml --duration --verify", "--duration needs a value" },
    { "simulate one.xml --duration 1s", "'1s' is not a number" },
    { "simulate one.xml --duration ''", "not a number" },
    { "simulate one.xml --duration 0", "above zero" },
    { "simulate one.xml --duration -1", "above zero" },
    { "simulate one.xml --duration nan", "above zero" },
    { "simulate one.xml --duration=inf", "above zero" },
    { "simulate one.xml --duration 1e999", "above zero" },
    { "simulate one.xml --duration 1 --accuracy 0", "above zero" },
    { "simulate one.xml --duration 1 --accuracy 1", "out of range" },
    { "simulate one.xml --duration 1 --accuracy 1e-17", "out of range" },
    { "simulate one.xml --duration 1 --step -0.1", "above zero" },
    { "simulate one.xml --duration 1 --report 1e-12", "longer interval" },
    { "simulate one.xml --duration 1 -o one.xml", "would be overwritten" },
    { "simulate one.xml --duration 1 -o - --summary -", "both write" },
    { "simulate one.xml --duration 1 -o same --summary same", "both write" },
    { "speed one.xml --threads 2", "whole numbers" },
    { "speed one.xml --ensemble 1.5", "whole numbers" },
    { "eval one.xml --key lowered", "raised" }, // the names that there are
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    int code = cardan("%s", wrong[i].arguments);
    ck_assert_msg(code == 2, "cardan %s: exit code %d", wrong[i].arguments, code);
    SAYS(errors, wrong[i].message);
    ck_assert_str_eq(output, "");
  }
  static char text[TEXT_SIZE];
  read_file("one.xml", text);
  ck_assert_str_eq(text, pendulum);
}
END_TEST

START_TEST(files_that_cannot_be_read_exit_3_and_name_the_place) {
  enter_directory();
  EXITS(3, "info nowhere.xml");
  SAYS(errors, "nowhere.xml");
  write_file("cut.xml", "<mujoco>\n  <worldbody>\n    <body>\n");
  EXITS(3, "info cut.xml");
  SAYS(errors, "cut.xml:");
  write_file("other.xml", "<sdf/>\n");
  EXITS(3, "eval other.xml");
  SAYS(errors, "other.xml:1");
  write_file("nan.xml", "<mujoco><worldbody>\n<body pos=\"0 nan 0\"/></worldbody></mujoco>\n");
  EXITS(3, "eval nan.xml");
  SAYS(errors, "nan.xml:2");
  write_file("empty.xml", "");
  EXITS(3, "simulate empty.xml --duration 1 -o rows.csv");
  SAYS(errors, "empty.xml");
  ck_assert(!exists("rows.csv"));
  EXITS(3, "simulate /tmp --duration 1");
  SAYS(errors, "/tmp");
}
END_TEST

START_TEST(state_files_are_checked) {
  enter_directory();
  const struct {
    const char *text, *message;
  } wrong[] = {
    { "{\"q\": [1, 2]}", "\"q\" has 2 numbers, but the model's nq is 1" },
    { "{\"u\": []}", "\"u\" has 0 numbers, but the model's nu is 1" },
    { "{\"f\": [1, 2, 3]}", "\"f\" has 3 numbers, but the model's nu is 1" },
    { "{\"q\": 1}", "\"q\" must be an array" },
    { "{\"q\": [\"1\"]}", "\"q\"[0] is not a number" },
    { "{\"q\": [null]}", "\"q\"[0] is not a number" },
    { "{\"time\": \"now\"}", "\"time\" must be a number" },
    { "{\"qpos\": [1]}", "unknown member \"qpos\"" },
    { "{\"q\": [NaN]}", "wrong.json:1:" },
    { "{\"q\": [1e999]}", "wrong.json:1:" },
    { "{\"q\": [1],\n \"q\": [2]}", "wrong.json:2:" },
    { "{\n\"q\": [1", "wrong.json:2:" },
    { "[1]", "must be an object" },
    { "", "wrong.json:" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    write_file("wrong.json", wrong[i].text);
    const char *const commands[] = { "eval one.xml --state", "simulate one.xml --duration 1 -o rows.csv --initial" };
    for (int k = 0; k < 2; k++) {
      int code = cardan("%s wrong.json", commands[k]);
      ck_assert_msg(code == 3, "%s: exit code %d", wrong[i].text, code);
      SAYS(errors, wrong[i].message);
    }
  }
  ck_assert(!exists("rows.csv"));
  EXITS(3, "eval one.xml --state nowhere.json");
  SAYS(errors, "nowhere.json");
  // a rotation that is none
  write_file("wrong.json", "{\"q\": [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}");
  EXITS(3, "eval creature.xml --quiet --state wrong.json");
  SAYS(errors, "wrong.json");
  SAYS(errors, "shoulder");
}
END_TEST

START_TEST(output_that_cannot_be_written_exits_4) {
  enter_directory();
  EXITS(4, "simulate one.xml --duration 1 -o nowhere/rows.csv");
  SAYS(errors, "nowhere/rows.csv");
  EXITS(4, "simulate one.xml --duration 1 --summary nowhere/run.json");
  SAYS(errors, "nowhere/run.json");
  if (!exists("/dev/full")) return;
  EXITS(4, "simulate one.xml --duration 10 --report 0.001 -o /dev/full");
  SAYS(errors, "/dev/full");
  EXITS(4, "simulate one.xml --duration 1 --summary /dev/full");
  EXITS(4, "simulate one.xml --duration 1 -o - > /dev/full");
  EXITS(4, "eval one.xml --json > /dev/full");
  EXITS(4, "info one.xml > /dev/full");
  EXITS(4, "--help > /dev/full");
}
END_TEST

START_TEST(strict_refuses_what_is_not_simulated) {
  enter_directory();
  SUCCEEDS("eval creature.xml --json");
  SAYS(errors, "not simulated");
  SAYS(errors, "dcmotor");
  ck_assert_msg(strchr(errors, '\n') == errors + strlen(errors) - 1, "more than one line: %s", errors);
  SUCCEEDS("eval creature.xml --json --quiet");
  ck_assert_str_eq(errors, "");
  EXITS(5, "eval creature.xml --json --strict");
  SAYS(errors, "dcmotor");
  ck_assert_str_eq(output, "");
  SUCCEEDS("info one.xml --strict");
}
END_TEST

/* ---- info ------------------------------------------------------------------------------------ */

static void check_joint(json_t *joint, const char *name, const char *kind, const char *body, int q, int nq, int u,
                        int nu, const char *units) {
  ck_assert_str_eq(json_string_value(member(joint, "name")), name);
  ck_assert_str_eq(json_string_value(member(joint, "kind")), kind);
  ck_assert_str_eq(json_string_value(member(joint, "body")), body);
  ck_assert_str_eq(json_string_value(member(joint, "units")), units);
  ck_assert_int_eq((int)element(joint, "q", 2, 0), q);
  ck_assert_int_eq((int)element(joint, "q", 2, 1), nq);
  ck_assert_int_eq((int)element(joint, "u", 2, 0), u);
  ck_assert_int_eq((int)element(joint, "u", 2, 1), nu);
}

START_TEST(info_lists_the_model) {
  enter_directory();
  SUCCEEDS("info creature.xml --json");
  json_t *root = parse(output), *joints = member(root, "joints"), *notes = member(root, "not_understood");
  ck_assert_int_eq(integer(root, "bodies"), 4);
  ck_assert_int_eq(integer(root, "mobilizers"), 4);
  ck_assert_int_eq(integer(root, "nq"), 13);
  ck_assert_int_eq(integer(root, "nu"), 11);
  // four masses added in some order
  NEAR(number(root, "mass"), 4.7, 8e-16 * 4.7);
  NEAR(number(root, "moving_mass"), 4.7, 8e-16 * 4.7);
  ck_assert_uint_eq(json_array_size(joints), 4);
  check_joint(json_array_get(joints, 0), "root", "free", "torso", 0, 7, 0, 6, "quaternion, m");
  check_joint(json_array_get(joints, 1), "shoulder", "ball", "arm", 7, 4, 6, 3, "quaternion");
  check_joint(json_array_get(joints, 2), "wrist, left", "pin", "hand", 11, 1, 9, 1, "rad");
  check_joint(json_array_get(joints, 3), "slide", "slider", "tail", 12, 1, 10, 1, "m");
  ck_assert_uint_eq(json_array_size(notes), 1);
  json_t *note = json_array_get(notes, 0);
  SAYS(json_string_value(member(note, "element")), "dcmotor");
  ck_assert_int_eq(integer(note, "count"), 1);
  ck_assert_int_eq(integer(note, "line"), 21);
  json_decref(root);

  SUCCEEDS("info creature.xml");
  SAYS(output, "shoulder");
  SAYS(output, "0..6");
  SAYS(output, "dcmotor");
  ck_assert_str_eq(errors, "");
  SUCCEEDS("info one.xml --json");
  root = parse(output);
  ck_assert_uint_eq(json_array_size(member(root, "keys")), 2);
  ck_assert_str_eq(json_string_value(json_array_get(member(root, "keys"), 0)), "raised");
  json_decref(root);
}
END_TEST

/* Friction of the row is D b u, D = d0 / (1 - d0) times the inertia at rest and b = 2 / (d1 T): it reaches the loss at
 * the speed that is told. By the default law d0 = 0.9, d1 = 0.95, T = 0.02 s; the second joint has stiffness and
 * damping. Some ten roundings. */
START_TEST(info_tells_of_dry_friction) {
  enter_directory();
  write_file("dry.xml", "<mujoco><worldbody><body><joint name='hinge' axis='0 1 0' frictionloss='0.5'/>"
                        "<inertial pos='0 0 -2' mass='3' diaginertia='1 1 1'/></body>"
                        "<body><joint name='rail' type='slide' frictionloss='4' solreffriction='-100 -30' "
                        "solimpfriction='.8 .9 .001 .5 2'/><inertial pos='0 0 0' mass='5' diaginertia='1 1 1'/></body>"
                        "<body><joint name='free of it'/><inertial pos='0 0 0' mass='5' diaginertia='1 1 1'/></body>"
                        "</worldbody></mujoco>");
  SUCCEEDS("info dry.xml --contact soft --json");
  json_t *root = parse(output), *list = member(root, "dry_friction");
  ck_assert_uint_eq(json_array_size(list), 2);
  const double inertia = 3 * 4 + 1, hinge = 0.5 / inertia * (1 - 0.9) / 0.9 * 0.95 * 0.02 / 2,
               rail = 4.0 / 5 * (1 - 0.8) / 0.8 / (30 / 0.9);
  ck_assert_str_eq(json_string_value(member(json_array_get(list, 0), "joint")), "hinge");
  NEAR(number(json_array_get(list, 0), "loss"), 0.5, 0);
  NEAR(number(json_array_get(list, 0), "viscous_below"), hinge, 1e-15 * 10 * hinge);
  NEAR(number(json_array_get(list, 1), "viscous_below"), rail, 1e-15 * 10 * rail);
  json_decref(root);
  SUCCEEDS("info dry.xml --contact soft");
  SAYS(output, "rad/s  hinge");
  SAYS(output, "m/s    rail");
  SUCCEEDS("info dry.xml --json"); /* there it sticks */
  root = parse(output), list = member(root, "dry_friction");
  ck_assert_uint_eq(json_array_size(list), 2);
  NEAR(number(json_array_get(list, 1), "loss"), 4, 0);
  NEAR(number(json_array_get(list, 0), "elastic"), 1e-3, 1e-18);
  NEAR(number(json_array_get(list, 1), "elastic"), 1e-4, 1e-19);
  ck_assert(json_is_null(member(json_array_get(list, 0), "viscous_below")));
  ck_assert_uint_eq(json_array_size(member(root, "not_understood")), 0);
  json_decref(root);
  SUCCEEDS("info dry.xml");
  SAYS(output, "dry friction that sticks");
  SAYS(output, "m      rail");
}
END_TEST

/* ---- eval ------------------------------------------------------------------------------------ */

static void check_pendulum(json_t *root, double time, double q, double u, double f) {
  double weight = MASS * G * LENGTH, udot = (f - weight * sin(q)) / ABOUT_JOINT;
  ck_assert(number(root, "time") == time);
  ck_assert(element(root, "q", 1, 0) == q);
  ck_assert(element(root, "u", 1, 0) == u);
  ck_assert(element(root, "qdot", 1, 0) == u);
  NEAR(element(root, "udot", 1, 0), udot, ROUNDING);
  NEAR(number(root, "kinetic_energy"), 0.5 * ABOUT_JOINT * u * u, ROUNDING);
  NEAR(number(root, "potential_energy"), -weight * cos(q), ROUNDING);
  ck_assert(number(root, "mass") == MASS);
  // the centre of mass is at L (-sin q, 0, -cos q)
  double com[3] = { -LENGTH * sin(q), 0, -LENGTH * cos(q) };
  double v[3] = { -LENGTH * cos(q) * u, 0, LENGTH * sin(q) * u };
  double momentum[6] = { 0, ABOUT_JOINT * u, 0, MASS * v[0], MASS * v[1], MASS * v[2] };
  for (size_t i = 0; i < 3; i++) NEAR(element(root, "com", 3, i), com[i], ROUNDING);
  for (size_t i = 0; i < 6; i++) NEAR(element(root, "momentum", 6, i), momentum[i], ROUNDING);

  ck_assert_uint_eq(json_array_size(member(root, "bodies")), 1);
  json_t *body = json_array_get(member(root, "bodies"), 0), *X_GB = member(body, "X_GB");
  ck_assert_str_eq(json_string_value(member(body, "name")), "rod");
  double R[9] = { cos(q), 0, sin(q), 0, 1, 0, -sin(q), 0, cos(q) };
  for (size_t i = 0; i < 9; i++) NEAR(element(X_GB, "R", 9, i), R[i], ROUNDING);
  for (size_t i = 0; i < 3; i++) NEAR(element(X_GB, "p", 3, i), 0, ROUNDING);
  for (size_t i = 0; i < 6; i++) {
    NEAR(element(body, "V_GB", 6, i), i == 1 ? u : 0, ROUNDING);
    NEAR(element(body, "A_GB", 6, i), i == 1 ? udot : 0, ROUNDING);
  }
}

START_TEST(eval_agrees_with_a_pendulum) {
  enter_directory();
  write_file("state.json", "{\"time\": 3, \"q\": [0.7], \"u\": [-1.25], \"f\": [4]}");
  SUCCEEDS("eval one.xml --state state.json --json --matrices");
  json_t *root = parse(output);
  check_pendulum(root, 3, 0.7, -1.25, 4);
  json_t *row = json_array_get(member(root, "M"), 0);
  ck_assert_uint_eq(json_array_size(member(root, "M")), 1);
  ck_assert_uint_eq(json_array_size(row), 1);
  NEAR(json_number_value(json_array_get(row, 0)), ABOUT_JOINT, ROUNDING);
  NEAR(element(root, "bias", 1, 0), MASS * G * LENGTH * sin(0.7), ROUNDING);
  json_decref(root);

  // no state: the defaults; standard input; a keyframe, and a state file on top of it
  SUCCEEDS("eval --json one.xml");
  root = parse(output);
  check_pendulum(root, 0, 0, 0, 0);
  ck_assert_ptr_null(json_object_get(root, "M"));
  json_decref(root);
  SUCCEEDS("eval one.xml --json --state - < state.json");
  root = parse(output);
  check_pendulum(root, 3, 0.7, -1.25, 4);
  json_decref(root);
  SUCCEEDS("eval one.xml --json --key=raised");
  root = parse(output);
  check_pendulum(root, 0.5, 1.5, -0.25, 0);
  json_decref(root);
  write_file("state.json", "{\"u\": [2]}");
  SUCCEEDS("eval one.xml --json --key raised --state state.json");
  root = parse(output);
  check_pendulum(root, 0.5, 1.5, 2, 0);
  json_decref(root);
}
END_TEST

START_TEST(numbers_read_back_to_the_same_bits) {
  enter_directory();
  write_file("state.json", creature_state);
  SUCCEEDS("eval creature.xml --state state.json --json --matrices --quiet");
  static char first[TEXT_SIZE];
  strcpy(first, output);
  // what was read is written: the very bits of the file's numbers, and as short as they were
  SAYS(output, "0.30000000000000004");
  SAYS(output, "1e-20");
  json_t *root = parse(output), *given = parse(creature_state);
  for (size_t i = 0; i < 13; i++) ck_assert(element(root, "q", 13, i) == element(given, "q", 13, i));
  for (size_t i = 0; i < 11; i++) ck_assert(element(root, "u", 11, i) == element(given, "u", 11, i));

  // and what was written gives the same evaluation, to the byte
  json_t *back = json_pack("{sOsOsO}", "time", member(root, "time"), "q", member(root, "q"), "u", member(root, "u"));
  ck_assert_int_eq(json_dump_file(back, "back.json", JSON_REAL_PRECISION(17)), 0);
  SUCCEEDS("eval creature.xml --state back.json --json --matrices --quiet");
  ck_assert_str_eq(output, first);
  json_decref(back);
  json_decref(given);
  json_decref(root);
}
END_TEST

START_TEST(matrices_satisfy_the_equations_of_motion) {
  enter_directory();
  json_t *state = parse(creature_state);
  json_t *f = json_pack("[fffffffffff]", 1., 2., 3., 4., 5., 6., 7., 8., -1e3, 0.5, 11.);
  json_object_set_new(state, "f", f);
  ck_assert_int_eq(json_dump_file(state, "state.json", JSON_REAL_PRECISION(17)), 0);
  SUCCEEDS("eval creature.xml --state state.json --json --matrices");
  json_t *root = parse(output), *M = member(root, "M");
  ck_assert_uint_eq(json_array_size(M), 11);
  for (size_t i = 0; i < 11; i++) {
    json_t *row = json_array_get(M, i);
    ck_assert_uint_eq(json_array_size(row), 11);
    double bias = element(root, "bias", 11, i), sum = bias - element(state, "f", 11, i);
    double magnitude = fabs(bias) + fabs(element(state, "f", 11, i));
    for (size_t j = 0; j < 11; j++) {
      double m = json_number_value(json_array_get(row, j)), udot = element(root, "udot", 11, j);
      ck_assert(m == json_number_value(json_array_get(json_array_get(M, j), i)));
      sum += m * udot;
      magnitude += fabs(m * udot);
    }
    // the residual that the dynamics promise: 1e-12 of the summed magnitudes
    AT_MOST(fabs(sum), 1e-12 * magnitude);
  }
  json_decref(root);
  json_decref(state);
}
END_TEST

START_TEST(tables_hold_the_same_numbers) {
  enter_directory();
  write_file("state.json", creature_state);
  SUCCEEDS("eval creature.xml --state state.json --json --matrices");
  json_t *root = parse(output);
  SUCCEEDS("eval creature.xml --state state.json --matrices");
  char text[64];
  // tables are for people: 9 digits
  const char *const energies[] = { "kinetic_energy", "potential_energy" };
  for (int i = 0; i < 2; i++) {
    double x = number(root, energies[i]);
    snprintf(text, sizeof text, " %.9g J", x);
    SAYS(output, text);
  }
  SAYS(output, "torso");
  SAYS(output, "wrist, left");
  json_decref(root);
}
END_TEST

START_TEST(singular_dynamics_name_the_joint_and_exit_1) {
  enter_directory();
  EXITS(1, "eval ghost.urdf --json");
  SAYS(errors, "ghost_joint");
  ck_assert_str_eq(output, "");
  SUCCEEDS("info ghost.urdf --json");
  EXITS(1, "simulate ghost.urdf --duration 1 -o rows.csv --summary run.json");
  SAYS(errors, "ghost_joint");
  json_t *root = parse_file("run.json");
  ck_assert(json_is_true(member(root, "failed")));
  SAYS(json_string_value(member(root, "reason")), "ghost_joint");
  ck_assert(json_is_null(member(root, "energy_final")));
  json_decref(root);
}
END_TEST

/* A finger without mass follows a pendulum: nothing that it weighs is known of it but that it makes the mass matrix
 * singular. */
static const char finger[] =
    "<robot name='hand'><link name='base'/>"
    "<link name='arm'><inertial><origin xyz='0 0 -0.5'/><mass value='2'/>"
    "<inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='swing' type='continuous'><parent link='base'/><child link='arm'/><axis xyz='0 1 0'/></joint>"
    "<link name='finger'/><joint name='bend' type='continuous'><parent link='arm'/><child link='finger'/>"
    "<axis xyz='0 1 0'/><mimic joint='swing'/></joint></robot>";

START_TEST(info_tells_what_it_can_where_the_mass_matrix_is_singular) {
  enter_directory();
  write_file("hand.urdf", finger);
  SUCCEEDS("info hand.urdf");
  SAYS(output, "degrees of freedom  1 (2 speeds, 1 of them bound by constraints or locks)");
  SAYS(output, "no accelerations here: joint 'bend'");
  SAYS(output, "--armature");
  SAYS(output, "swing");
  SAYS(output, "bend mimic");
  SUCCEEDS("info hand.urdf --json");
  json_t *root = parse(output);
  ck_assert_int_eq(integer(root, "degrees_of_freedom"), 1);
  ck_assert_str_eq(json_string_value(member(root, "singular")), "bend");
  json_t *constraint = json_array_get(member(root, "constraints"), 0);
  ck_assert_int_eq(integer(constraint, "equations"), 1);
  ck_assert(json_is_null(member(constraint, "redundant")));
  json_decref(root);
  /* without what makes it follow it is as singular, and its freedom is its own */
  SUCCEEDS("info hand.urdf --tree-only --json");
  root = parse(output);
  ck_assert_int_eq(integer(root, "degrees_of_freedom"), 2);
  ck_assert_str_eq(json_string_value(member(root, "singular")), "bend");
  json_decref(root);
  SUCCEEDS("info one.xml --json");
  root = parse(output);
  ck_assert(json_is_null(member(root, "singular")));
  json_decref(root);
  EXITS(1, "eval hand.urdf");
}
END_TEST

START_TEST(armature_lets_a_massless_link_run) {
  enter_directory();
  write_file("hand.urdf", finger);
  EXITS(1, "simulate hand.urdf --duration 1"); /* and the option is named that cures it */
  SAYS(errors, "--armature 1e-4");
  SUCCEEDS("info hand.urdf --armature 1e-6 --json");
  json_t *root = parse(output);
  ck_assert_int_eq(integer(root, "degrees_of_freedom"), 1);
  ck_assert(json_is_null(member(root, "singular")));
  ck_assert_int_eq(integer(json_array_get(member(root, "constraints"), 0), "redundant"), 0);
  json_decref(root);
  write_file("pose.json", "{\"q\": [0.3, 0.3], \"u\": [0, 0]}");
  for (int k = 0; k < 2; k++) {
    const double armature = k ? 0.2 : 1e-6;
    SUCCEEDS("eval hand.urdf --armature %g --state pose.json --json", armature);
    root = parse(output);
    /* a pendulum of 2 kg, 0.5 m below; its rotor, and the finger's as fast as it */
    const double expected = -2 * 9.81 * 0.5 * sin(0.3) / (0.1 + 2 * 0.25 + 2 * armature);
    NEAR(element(root, "udot", 2, 0), expected, 1e-12);
    NEAR(element(root, "udot", 2, 1), expected, 1e-12);
    json_decref(root);
  }
  SUCCEEDS("simulate hand.urdf --armature 1e-6 --initial pose.json --duration 1 -o rows.csv --checkpoint run.ck "
           "--checkpoint-every 0.5");
  table *t = parse_csv_file("rows.csv");
  for (int i = 0; i < t->rows; i++) NEAR(t->value[i][1], t->value[i][2], 1e-4);
  /* what was asked for is in the checkpoint */
  SUCCEEDS("simulate --resume run.ck");
  EXITS(2, "simulate --resume run.ck --armature 1e-6");
  EXITS(2, "info hand.urdf --armature -1");
  EXITS(2, "info hand.urdf --armature nan");
}
END_TEST

START_TEST(models_without_bodies_are_read) {
  static const char *const commands[] = { "info",  "info --json",          "eval", "assemble", "equilibrium",
                                          "modes", "simulate --duration 1" };
  enter_directory();
  write_file("empty.xml", "<mujoco/>");
  for (int i = 0; i < CDNI_COUNT(commands); i++) SUCCEEDS("%s empty.xml", commands[i]);
}
END_TEST

START_TEST(speed_times_what_there_is) {
  /* Figures are this machine's, and on a busy one in any order; that they are there and positive is not. */
  enter_directory();
  SUCCEEDS("speed %s/examples/models/arm.urdf --quiet --json", getenv("CARDAN_SOURCE_ROOT"));
  json_t *root = json_loads(output, 0, NULL);
  ck_assert_ptr_nonnull(root);
  const char *const stages[] = { "realize_position_ns", "realize_acceleration_ns", "forward_dynamics_ns",
                                 "inverse_dynamics_ns", "mass_matrix_ns",          "view_frame_ns",
                                 "steps_per_second",    "real_time_factor" };
  for (int i = 0; i < CDNI_COUNT(stages); i++) ck_assert(json_real_value(member(root, stages[i])) > 0);
  json_decref(root);
  SUCCEEDS("speed %s/examples/models/arm.urdf --quiet", getenv("CARDAN_SOURCE_ROOT"));
  SAYS(output, "realize to Acceleration");
}
END_TEST

static double sum_of(const json_t *object) {
  double sum = 0;
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)object, key, value) sum += json_real_value(value);
  return sum;
}

START_TEST(speed_takes_the_steps_of_the_file) {
  /* What stages take and what is outside of them is all of a step. */
  enter_directory();
  SUCCEEDS("speed %s/examples/models/walker.xml --quiet --json --like mujoco --control-noise 0.1",
           getenv("CARDAN_SOURCE_ROOT"));
  json_t *root = json_loads(output, 0, NULL);
  ck_assert_ptr_nonnull(root);
  ck_assert_str_eq(json_string_value(member(root, "method")), "mujoco-euler");
  NEAR(json_real_value(member(root, "step")), 0.002, 0);
  json_t *step = member(root, "step_ns");
  const double all = json_real_value(member(step, "all")), outside = json_real_value(member(step, "method_and_rest"));
  ck_assert(all > 0 && outside > 0);
  NEAR(sum_of(member(step, "stages")) + outside, all, 1e-6 * all);
  ck_assert(sum_of(member(step, "entries")) < all);
  json_decref(root);
  SUCCEEDS("speed %s/examples/models/walker.xml --quiet --method file", getenv("CARDAN_SOURCE_ROOT"));
  SAYS(output, "steps of 0.002 s");
  EXITS(2, "speed %s/examples/models/walker.xml --method fast", getenv("CARDAN_SOURCE_ROOT"));
}
END_TEST

START_TEST(speed_times_ensembles) {
  enter_directory();
  SUCCEEDS("speed %s/examples/models/arm.urdf --quiet --json --ensemble 20 --threads 2", getenv("CARDAN_SOURCE_ROOT"));
  json_t *root = json_loads(output, 0, NULL);
  ck_assert_ptr_nonnull(root);
  const char *const figures[] = { "ensemble_acceleration_ns", "ensemble_inverse_dynamics_ns",
                                  "ensemble_steps_per_second" };
  for (int i = 0; i < CDNI_COUNT(figures); i++) ck_assert(json_real_value(member(root, figures[i])) > 0);
  ck_assert_int_eq(json_integer_value(member(root, "ensemble_count")), 20);
  ck_assert_int_eq(json_integer_value(member(root, "ensemble_threads")), 2);
  json_decref(root);
  SUCCEEDS("speed %s/examples/models/arm.urdf --quiet --ensemble 20", getenv("CARDAN_SOURCE_ROOT"));
  SAYS(output, "an ensemble of 20 States");
}
END_TEST

/* Names that would clear the screen, colour it, turn the direction of writing or break lines, where XML lets them
 * through. */
static const char nasty[] = "<mujoco model=\"mo&#x9b;2Jdel\">\n"
                            "  <worldbody>\n"
                            "    <body name=\"bo&#10;dy\">\n"
                            "      <joint name=\"jo&#x202e;int&#x7f;\" type=\"hinge\" axis=\"0 1 0\"/>\n"
                            "      <inertial pos=\"0 0 -1\" mass=\"5.999999999999998\" diaginertia=\"1 1 1\"/>\n"
                            "    </body>\n"
                            "  </worldbody>\n"
                            "  <keyframe><key name=\"ke&#x9b;y\" qpos=\"0.12345678901234567\"/></keyframe>\n"
                            "</mujoco>\n";

/* No byte that a terminal obeys, but line breaks. */
static void check_visible(const char *text) {
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    ck_assert_msg(*c == '\n' || (*c >= ' ' && *c != 0x7f), "byte %02x in:\n%s", *c, text);
    ck_assert_msg(!(c[0] == 0xc2 && c[1] < 0xa0), "a control character in:\n%s", text);
    ck_assert_msg(!(c[0] == 0xe2 && c[1] == 0x80 && c[2] >= 0xa8 && c[2] <= 0xae), "a mark of direction in:\n%s", text);
  }
}

START_TEST(names_do_nothing_to_the_terminal) {
  static const char *const runs[] = { "info nasty.xml",  "eval nasty.xml",     "equilibrium nasty.xml",
                                      "modes nasty.xml", "assemble nasty.xml", "simulate nasty.xml --duration 0.1" };
  enter_directory();
  write_file("nasty.xml", nasty);
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    SUCCEEDS("%s", runs[i]);
    check_visible(output);
    check_visible(errors);
    SAYS(output, "mo\\u009b2Jdel");
  }
  SUCCEEDS("info nasty.xml");
  SAYS(output, "bo dy");
  SAYS(output, "jo\\u202eint\\x7f");
  SAYS(output, "ke\\u009by");
  EXITS(2, "simulate nasty.xml --duration 1 --key other");
  check_visible(errors);
  SAYS(errors, "ke\\u009by");
  EXITS(3, "info \"$(printf 'no\\033[2Jwhere.xml')\"");
  check_visible(errors);
  SAYS(errors, "no\\x1b[2Jwhere.xml");
  // JSON keeps the names
  SUCCEEDS("info nasty.xml --json");
  json_t *root = parse(output);
  ck_assert_str_eq(json_string_value(member(root, "name")), "mo\xc2\x9b"
                                                            "2Jdel");
  json_decref(root);
}
END_TEST

/* Tables have 9 digits, JSON all. */
START_TEST(tables_round_for_people) {
  enter_directory();
  write_file("nasty.xml", nasty);
  SUCCEEDS("info nasty.xml");
  SAYS(output, "mass          6.0 kg");
  SUCCEEDS("eval nasty.xml --key \"$(printf 'ke\\302\\233y')\" --matrices");
  SAYS(output, " 0.123456789 ");
  for (const char *c = output; *c; c++) {
    int digits = 0;
    for (; (*c >= '0' && *c <= '9') || (*c == '.' && digits > 0); c++) digits += *c != '.';
    ck_assert_msg(digits <= 12, "a number of %d digits in:\n%s", digits, output); // 0.000123456789 has three zeros more
    if (!*c) break;
  }
  SUCCEEDS("info nasty.xml --json");
  SAYS(output, "5.999999999999998");
  SUCCEEDS("eval nasty.xml --key \"$(printf 'ke\\302\\233y')\" --json");
  SAYS(output, "0.12345678901234566");
}
END_TEST

CHECK_MAIN("command", speed_takes_the_steps_of_the_file, speed_times_ensembles, speed_times_what_there_is,
           help_is_where_it_is_looked_for, wrong_usage_is_named_and_exits_2,
           files_that_cannot_be_read_exit_3_and_name_the_place, state_files_are_checked,
           output_that_cannot_be_written_exits_4, strict_refuses_what_is_not_simulated, info_lists_the_model,
           info_tells_of_dry_friction, eval_agrees_with_a_pendulum, numbers_read_back_to_the_same_bits,
           matrices_satisfy_the_equations_of_motion, tables_hold_the_same_numbers,
           singular_dynamics_name_the_joint_and_exit_1, info_tells_what_it_can_where_the_mass_matrix_is_singular,
           armature_lets_a_massless_link_run, models_without_bodies_are_read, names_do_nothing_to_the_terminal,
           tables_round_for_people)
