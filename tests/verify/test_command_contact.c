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
  EXITS(2, "eval pair.xml --contact soft");
  SAYS(errors, "compliant or none");
}
END_TEST

CHECK_MAIN("command_contact", shapes_and_contacts_are_listed, a_ball_comes_to_rest, what_does_not_touch_is_named)
