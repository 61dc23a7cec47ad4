/* Contact on the command line: `info` lists shapes, `eval` lists contacts, a ball falls on the floor and rests there,
 * and what overlaps from the beginning, or cannot be had, is named. */
#include "command_run.h"

/* A ball of 1 kg that sinks into the floor by 0.1 mm, and one that does not touch. */
static const char balls[] =
    "<mujoco><option gravity='0 0 -9.81'/><worldbody><geom name='floor' type='plane' size='5 5 .1'/>"
    "<body name='ball' pos='0 0 0.0999'><freejoint/><geom name='skin' type='sphere' size='.1' mass='1'/></body>"
    "<body name='high' pos='1 0 0.5'><freejoint/><geom name='other' type='sphere' size='.1' mass='1' contype='0' conaffinity='0'/></body>"
    "</worldbody></mujoco>";

START_TEST(shapes_and_contacts_are_listed) {
  enter_directory();
  write_file("balls.xml", balls);
  SUCCEEDS("info balls.xml --json --contact none");
  json_t *info = parse(output);
  ck_assert_int_eq((int)json_array_size(member(info, "shapes")), 0);
  ck_assert_str_eq(json_string_value(member(info, "contact")), "none");
  json_decref(info);
  SUCCEEDS("info balls.xml --json");
  info = parse(output);
  ck_assert_str_eq(json_string_value(member(info, "contact")), "compliant");
  const json_t *pair = json_array_get(member(info, "pairs"), 0);
  ck_assert_str_eq(json_string_value(json_array_get(pair, 0)), "floor");
  ck_assert_str_eq(json_string_value(json_array_get(pair, 1)), "skin");
  ck_assert_int_eq((int)json_array_size(member(info, "shapes")), 2); /* one has no masks */
  ck_assert_int_eq((int)number(info, "pairs_that_may_touch"), 1);
  json_decref(info);
  SUCCEEDS("eval balls.xml --json --stiffness 1e6");
  json_t *result = parse(output), *contact = json_array_get(member(result, "contacts"), 0);
  ck_assert_int_eq((int)json_array_size(member(result, "contacts")), 1);
  ck_assert_str_eq(json_string_value(member(contact, "a")), "floor");
  ck_assert_str_eq(json_string_value(member(contact, "b")), "skin");
  NEAR(number(contact, "depth"), 1e-4, 1e-15);
  /* two surfaces of one modulus E: E / 2^(3/2) */
  NEAR(number(contact, "force"), 4.0 / 3 * 1e6 / sqrt(8) * sqrt(0.1) * 1e-6, 1e-10);
  json_decref(result);
  SUCCEEDS("eval balls.xml");
  SAYS(output, "floor - skin");
  SUCCEEDS("info balls.xml");
  SAYS(output, "1 pairs may touch: floor - skin");
  SAYS(output, "contact       compliant");
  SUCCEEDS("info balls.xml --contact soft");
  SAYS(output, "contact       soft");
  SAYS(output, "surfaces      soft, each as the file has it");
  SUCCEEDS("info balls.xml --json --contact=soft");
  info = parse(output);
  ck_assert_str_eq(json_string_value(member(info, "contact")), "soft");
  ck_assert(json_is_null(member(info, "modulus")));
  json_decref(info);
}
END_TEST

/* Soft contact sets in over a tenth of the accuracy under error control, and at once in equal steps. */
START_TEST(soft_contact_sets_in_over_a_depth) {
  enter_directory();
  write_file("balls.xml", balls);
  const char *const runs[][3] = { { "--contact soft", "soft, 2 shapes; sets in over 1e-05 m; at most 1", "1e-5" },
                                  { "--contact soft --accuracy 1e-6", "soft, 2 shapes; sets in over 1e-07 m; at most 1",
                                    "1e-7" },
                                  { "--method file", "soft, 2 shapes; at most 1", "0" },
                                  { "--contact soft --step 1e-3", "soft, 2 shapes; at most 1", "0" },
                                  { "", "compliant, 2 shapes; at most 1", "0" } };
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    SUCCEEDS("simulate balls.xml --duration 0.1 --summary run.json %s", runs[i][0]);
    SAYS(output, runs[i][1]);
    json_t *run = parse_file("run.json");
    NEAR(number(run, "soft_onset"), atof(runs[i][2]), 1e-12);
    json_decref(run);
  }
}
END_TEST

START_TEST(a_ball_comes_to_rest) {
  enter_directory();
  write_file("balls.xml", balls);
  SUCCEEDS("simulate balls.xml --duration 3 --report 3 -o rows.csv --stiffness 1e6 --summary run.json");
  SAYS(output, "contact                   compliant, 2 shapes; at most 1 contacts at a time");
  json_t *run = parse_file("run.json");
  ck_assert_str_eq(json_string_value(member(run, "contact")), "compliant");
  ck_assert_int_eq((int)number(run, "most_contacts"), 1);
  json_decref(run);
  const table *rows = parse_csv_file("rows.csv");
  const double *last = rows->value[rows->rows - 1];
  /* m g = 4/3 E sqrt(R) x^(3/2) */
  const double x = pow(9.81 / (4.0 / 3 * 1e6 / sqrt(8) * sqrt(0.1)), 2.0 / 3);
  NEAR(last[7], 0.1 - x, 1e-6);
  NEAR(last[14], 0.5 - 9.81 * 9 / 2, 1e-3); /* the other one falls */
  SUCCEEDS("simulate balls.xml --duration 3 --report 3 -o rows.csv --contact none");
  rows = parse_csv_file("rows.csv");
  NEAR(rows->value[rows->rows - 1][7], 0.0999 - 9.81 * 9 / 2, 1e-3);
}
END_TEST

START_TEST(what_does_not_touch_is_named) {
  enter_directory();
  write_file(
      "pair.xml",
      "<mujoco><asset><mesh name='bone' file='bone.stl'/></asset><worldbody>"
      "<body name='one'><freejoint/><geom type='sphere' size='.1'/></body>"
      "<body name='two' pos='.1 0 0'><freejoint/><geom type='sphere' size='.1'/></body>"
      "<body name='three' pos='1 0 0'><freejoint/><geom type='mesh' mesh='bone'/><geom type='sphere' size='.1'/></body>"
      "</worldbody></mujoco>");
  SUCCEEDS("eval pair.xml --json");
  ck_assert_ptr_null(strstr(errors, "overlap")); /* the format has exclusions: what is not excluded touches */
  json_t *result = parse(output);
  ck_assert_int_eq((int)json_array_size(member(result, "contacts")), 1);
  json_decref(result);
  const char *named = strstr(errors, "mesh 'bone' is left out of contact");
  ck_assert_msg(named && !strstr(named + 1, "mesh 'bone' is left out"), "%s", errors); /* once */
  /* A robot: its hand is in its shoulder. Its elbow, on whose meshes the others hang, has none. */
  write_file(
      "robot.urdf",
      "<robot name='r'><link name='shoulder'><collision name='c'><geometry><sphere radius='.1'/></geometry>"
      "</collision><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
      "<link name='elbow'><collision><geometry><mesh filename='package://r/a.stl'/></geometry></collision>"
      "<collision><geometry><mesh filename='package://r/b.stl'/></geometry></collision>"
      "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
      "<link name='hand'><collision name='c'><geometry><sphere radius='.1'/></geometry></collision>"
      "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
      "<joint name='j' type='continuous'><parent link='shoulder'/><child link='elbow'/><axis xyz='0 1 0'/></joint>"
      "<joint name='k' type='continuous'><parent link='elbow'/><child link='hand'/><axis xyz='0 1 0'/></joint>"
      "</robot>");
  SUCCEEDS("eval robot.urdf --floating-base --json");
  SAYS(errors, "overlap in the model's first pose and do not touch each other: 'shoulder' and 'hand'");
  SAYS(errors, "2 meshes are left out of contact: 'a.stl', 'b.stl'");
  ck_assert_ptr_null(strstr(errors, "not simulated"));
  EXITS(2, "eval pair.xml --contact hard");
  SAYS(errors, "compliant, soft, rigid or none");
}
END_TEST

/* A box on a slope of 20 degrees, mu = 0.7, which sinks in by a little. None of its shapes has a name. */
static const char slope[] =
    "<mujoco><worldbody><body name='hill' euler='0 20 0'><geom type='plane' size='5 5 .1' friction='.7'/></body>"
    "<body name='brick' pos='.017 0 .0465' euler='0 20 0'><freejoint/><geom type='box' size='.1 .1 .05' mass='1' friction='.7'/>"
    "</body></worldbody></mujoco>";

START_TEST(a_patch_is_one_contact_of_shapes_with_names) {
  enter_directory();
  write_file("slope.xml", slope);
  SUCCEEDS("eval slope.xml --json --dissipation 1e-6");
  json_t *result = parse(output), *contact = json_array_get(member(result, "contacts"), 0);
  ck_assert_int_eq((int)json_array_size(member(result, "contacts")), 1);
  ck_assert_str_eq(json_string_value(member(contact, "a")), "hill plane 1");
  ck_assert_str_eq(json_string_value(member(contact, "b")), "brick box 1");
  /* The force on the box along the slope's normal is all there is but weight. */
  const double angle = 20 * 3.14159265358979323846 / 180, *n = (double[]){ sin(angle), 0, cos(angle) };
  double udot[6];
  for (int i = 0; i < 6; i++) udot[i] = json_number_value(json_array_get(member(result, "udot"), (size_t)i));
  for (int i = 0; i < 3; i++) {
    NEAR(json_number_value(json_array_get(member(contact, "normal"), (size_t)i)), n[i], 1e-12);
    NEAR(number(contact, "force") * n[i], udot[3 + i] + (i == 2 ? 9.81 : 0), 1e-9 * number(contact, "force"));
  }
  ck_assert(number(contact, "points") >= 1 && number(contact, "force") > 0);
  json_decref(result);
}
END_TEST

START_TEST(friction_sticks_unless_it_is_told_to_slip) {
  enter_directory();
  write_file("slope.xml", slope);
  SUCCEEDS("info slope.xml --json");
  json_t *info = parse(output);
  ck_assert_str_eq(json_string_value(member(info, "friction")), "stick");
  NEAR(number(info, "dissipation"), 10, 0);
  /* E = 750 m g / R^2, R the least half length of the box */
  NEAR(number(info, "modulus"), 750 * 9.81 / (0.05 * 0.05), 1e-6);
  json_decref(info);
  SUCCEEDS("info slope.xml --friction slip --stiffness 2e6");
  SAYS(output, "modulus 2000000.0 Pa (--stiffness)");
  SAYS(output, "friction by the slip speed");
  EXITS(2, "info slope.xml --friction glue");
  SAYS(errors, "stick or slip");
  double speed[2];
  for (int slip = 0; slip < 2; slip++) {
    SUCCEEDS(slip ? "simulate slope.xml --duration 4 --report 1 -o rows.csv --friction slip"
                  : "simulate slope.xml --duration 4 --report 1 -o rows.csv");
    const table *rows = parse_csv_file("rows.csv");
    speed[slip] = hypot(rows->value[4][5] - rows->value[3][5], rows->value[4][7] - rows->value[3][7]);
  }
  AT_MOST(speed[0], 1e-6);
  ck_assert(speed[1] > 1e-3); /* it creeps at a part of the transition velocity, 0.01 m/s */
}
END_TEST

/* A ball that sinks into the floor, and a hinge beyond its limit with dry friction. */
START_TEST(soft_contact_tells_forces_and_rows) {
  enter_directory();
  write_file(
      "soft.xml",
      "<mujoco><option gravity='0 0 -9.81'/><worldbody><geom name='floor' type='plane' size='5 5 .1'/>"
      "<body name='ball' pos='0 0 0.0999'><freejoint/><geom name='skin' type='sphere' size='.1' mass='1'/></body>"
      "<body name='arm' pos='3 0 2'><joint name='hinge' axis='0 1 0' limited='true' range='10 40' frictionloss='0.5'/>"
      "<geom type='sphere' size='.1' mass='1' pos='.3 0 0'/></body></worldbody></mujoco>");
  SUCCEEDS("eval soft.xml --contact soft --json");
  json_t *result = parse(output), *contact = json_array_get(member(result, "contacts"), 0);
  /* the law: d = 0.9 on from depth 0, and so on, is tested elsewhere; here: what lifts the ball */
  const double udot = json_number_value(json_array_get(member(result, "udot"), 5));
  NEAR(number(contact, "force"), 9.81 + udot, 1e-9);
  json_t *rows = member(result, "soft_rows");
  ck_assert_int_eq((int)json_array_size(rows), 2);
  json_t *limit = json_array_get(rows, 0), *dry = json_array_get(rows, 1);
  ck_assert_str_eq(json_string_value(member(limit, "name")), "hinge limit");
  ck_assert_str_eq(json_string_value(member(limit, "kind")), "limit");
  ck_assert_str_eq(json_string_value(member(limit, "joint")), "hinge");
  ck_assert_str_eq(json_string_value(member(dry, "name")), "hinge friction");
  ck_assert(json_number_value(json_array_get(member(limit, "force"), 0)) > 0);
  AT_MOST(fabs(json_number_value(json_array_get(member(dry, "force"), 0))), 0.5);
  json_decref(result);
  SUCCEEDS("eval soft.xml --contact soft");
  SAYS(output, "soft rows beside contacts");
  SAYS(output, "hinge limit");
  SAYS(output, "floor - skin");
  SUCCEEDS("eval soft.xml --json --quiet");
  result = parse(output);
  ck_assert_int_eq((int)json_array_size(member(result, "soft_rows")), 0);
  json_decref(result);
}
END_TEST

CHECK_MAIN("command_contact", soft_contact_tells_forces_and_rows, a_patch_is_one_contact_of_shapes_with_names,
           friction_sticks_unless_it_is_told_to_slip, shapes_and_contacts_are_listed, soft_contact_sets_in_over_a_depth,
           a_ball_comes_to_rest, what_does_not_touch_is_named)
