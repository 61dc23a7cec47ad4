/* Files of strangers: what they say is obeyed or named, their files are found, and what is odd in them is told. */
#define _GNU_SOURCE
#include "../testing.h"

#include <cardan/contact.h>
#include <cardan/model.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static cdn_model *model;

static void load_with(const char *text, const cdn_model_options *options) {
  cdn_error error;
  const cdn_status status = cdn_model_load_string(text, strlen(text), "m.xml", options, &model);
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
}

static void load(const char *text) { load_with(text, NULL); }

#define ARM                                                                                                \
  "<worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='a'><joint name='j' axis='0 1 0'/>" \
  "<geom name='ball' size='.1'/></body></worldbody>"

START_TEST(what_is_not_obeyed_is_named) {
  static const struct {
    const char *text, *note;
  } cases[] = {
    { ARM "<contact><pair geom1='floor' geom2='ball' solref='.02 1' solreffriction='.1 1'/></contact>",
      "contact/pair solreffriction" },
    { "<option><flag sleep='enable'/></option><worldbody><body sleep='init'><joint/><geom size='1'/></body></worldbody>",
      "body sleep=init" },
    { "<asset><mesh name='m' maxhullvert='32' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>" ARM, "mesh maxhullvert" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[2000];
    snprintf(text, sizeof text, "<mujoco>\n\n%s</mujoco>", cases[i].text);
    load(text);
    ck_assert_int_eq(cdn_model_not_understood_count(model), 1);
    ck_assert_str_eq(cdn_model_not_understood(model, 0).element, cases[i].note);
    ck_assert_int_eq(cdn_model_not_understood(model, 0).line, 3);
    cdn_model_destroy(model);
  }
}
END_TEST

/* The same file with and without the words that change nothing. */
START_TEST(what_changes_nothing_is_not_named) {
  load("<mujoco><option><flag sensornoise='disable'/></option><worldbody><body><joint name='j'/>"
       "<geom size='.1' fluidshape='ellipsoid'/></body></worldbody><actuator><motor joint='j' "
       "actearly='true'/></actuator></mujoco>");
  ck_assert_int_eq(cdn_model_not_understood_count(model) + cdn_model_warning_count(model), 0);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(groups_of_actuators_are_switched_off) {
  load("<mujoco><option actuatorgroupdisable='0 3'/>" ARM "<actuator><motor name='x' joint='j'/>"
       "<motor name='y' joint='j' group='3'/><motor name='z' joint='j' group='2'/></actuator></mujoco>");
  ck_assert_int_eq(cdn_model_actuator_count(model), 1);
  ck_assert_int_eq(cdn_model_find_actuator(model, "z"), 0);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(friction_is_overridden) {
  load("<mujoco><option o_friction='.3 .3 .02 .001 .001'><flag override='enable'/></option>" ARM
       "<contact><pair geom1='floor' geom2='ball'/></contact></mujoco>");
  cdn_spec_shape ball;
  cdn_spec_contact pair;
  OK(cdn_spec_get_shape(cdn_model_spec(model), 1, &ball));
  OK(cdn_spec_get_contact(cdn_model_spec(model), 0, &pair));
  const double three[] = { 0.3, 0.02, 0.001 }, five[] = { 0.3, 0.3, 0.02, 0.001, 0.001 };
  for (int i = 0; i < 3; i++) NEAR(ball.friction[i], three[i], 0);
  for (int i = 0; i < 5; i++) NEAR(pair.friction[i], five[i], 0);
  cdn_model_destroy(model);
}
END_TEST

/* diagexact scales rows as exact_diagonal of the System does. */
START_TEST(the_diagonal_is_exact_where_a_file_says_so) {
  static const char body[] =
      "<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .25'><freejoint/><geom type='capsule' size='.1 .2' "
      "euler='0 70 0'/>"
      "<body pos='.3 0 0'><joint axis='0 1 0'/><geom size='.3'/></body></body></worldbody></mujoco>";
  double udot[3][7];
  for (int k = 0; k < 3; k++) {
    char text[1000];
    cdn_model_options options = cdn_default_model_options();
    cdn_spec *spec;
    cdn_state *state;
    cdn_soft_def soft = cdn_default_soft_def();
    cdn_system *system = cdn_system_create(NULL);
    options.contact = CDN_MODEL_SOFT;
    soft.exact_diagonal = true, soft.shortest_time = 0.004, soft.cone = CDN_SOFT_PYRAMIDAL;
    snprintf(text, sizeof text, "<mujoco><option><flag diagexact='%s'/></option>%s", k == 1 ? "enable" : "disable",
             body);
    OK(cdn_spec_load_string(text, strlen(text), "m.xml", &options, &spec));
    if (k == 2) cdn_system_set_soft(system, &soft);
    OK(cdn_model_build(spec, &options, system, &model));
    OK_FREEZE(system);
    OK(cdn_state_create(system, &state));
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    memcpy(udot[k], cdn_state_udot(state), sizeof udot[k]);
    cdn_state_destroy(state);
    cdn_model_destroy(model);
    cdn_spec_destroy(spec);
    cdn_system_release(system);
  }
  double change = 0;
  for (int i = 0; i < 7; i++) {
    NEAR(udot[1][i], udot[2][i], 1e-9 * (1 + fabs(udot[2][i])));
    change = fmax(change, fabs(udot[0][i] - udot[1][i]));
  }
  ck_assert_msg(change > 1e-3, "the flag changes accelerations by %g", change);
}
END_TEST

/* ---- contact by default ---- */

START_TEST(shapes_touch_unless_they_are_told_not_to) {
  load("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .09'><freejoint/><geom "
       "size='.1'/></body></worldbody></mujoco>");
  cdn_state *state;
  int n;
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK_ON(state, cdn_contact_count(state, &n));
  ck_assert_int_eq(n, 1);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* Of two shapes the larger friction counts, and that of the higher priority, and the larger condim; no pair is named
 * for that. */
START_TEST(frictions_combine_without_named_pairs) {
  char text[20000] = "<mujoco><worldbody><geom name='floor' type='plane' size='9 9 1' friction='.7'/>";
  for (int i = 0; i < 60; i++) {
    char body[200];
    snprintf(body, sizeof body, "<body pos='%g 0 .04'><freejoint/><geom name='g%d' size='.05' friction='%g'/></body>",
             0.3 * i, i, i % 2 ? 1 : 0.5);
    strcat(text, body);
  }
  strcat(text, "<body pos='-1 0 .04'><freejoint/><geom name='first' size='.05' friction='.2' "
               "priority='1'/></body>"
               "<body pos='-2 0 .04'><freejoint/><geom name='slick' size='.05' friction='.9' condim='1'/></body>"
               "<body pos='-3 0 .04'><freejoint/><geom name='ice' size='.05' friction='.9' condim='1' priority='2'/>"
               "</body></worldbody></mujoco>");
  load(text);
  const cdn_system *system = cdn_model_system(model);
  ck_assert_int_eq(cdn_system_contact_pair_count(system), 0);
  cdn_state *state;
  int n;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_contact_count(state, &n));
  ck_assert_int_eq(n, 63);
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    OK_ON(state, cdn_contact_get(state, i, &c));
    const char *name = cdn_shape_name(system, c.b);
    const double wanted = strcmp(name, "first") == 0   ? 0.2
                          : strcmp(name, "slick") == 0 ? 0.9 /* the floor has condim 3 */
                          : strcmp(name, "ice") == 0   ? 0
                          : atoi(name + 1) % 2         ? 1
                                                       : 0.7;
    NEAR(c.coefficient[0], wanted, 1e-15);
  }
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* ---- names, poses ---- */

START_TEST(breaks_in_names_are_blanks) {
  load("<mujoco><worldbody><body name='a&#10;b&#9;c'><joint name='j&#13;k'/><geom "
       "size='.1'/></body></worldbody></mujoco>");
  ck_assert_int_ge(cdn_model_find_body(model, "a b c").i, 0);
  ck_assert_int_eq(cdn_model_find_joint(model, "j k"), 0);
  cdn_model_destroy(model);
}
END_TEST

#define LINK(name) \
  "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
#define JOINT(name, child, lower, upper)                                                                     \
  "<joint name='" name "' type='revolute'><parent link='base'/><child link='" child "'/><axis xyz='0 0 1'/>" \
  "<limit lower='" lower "' upper='" upper "' effort='1' velocity='1'/></joint>"

START_TEST(a_robot_starts_within_its_limits) {
  load("<robot name='r'>" LINK("base") LINK("a") LINK("b") LINK("c") JOINT("low", "a", "-2", "-.5")
           JOINT("high", "b", ".25", "2") JOINT("free", "c", "-1", "1") "</robot>");
  ck_assert_int_eq(cdn_model_warning_count(model), 1);
  const char *said = cdn_model_warning(model, 0);
  ck_assert_msg(strstr(said, "2 joints") && strstr(said, "'low', 'high'") && strstr(said, "nearest limit"), "%s", said);
  cdn_state *state;
  OK(cdn_state_create(cdn_model_system(model), &state));
  const double wanted[] = { -0.5, 0.25, 0 };
  for (int i = 0; i < 3; i++) NEAR(cdn_state_q(state)[i], wanted[i], 0);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* ---- what is copied or left out ---- */

START_TEST(equalities_of_what_is_left_out_are_left_out) {
  load("<mujoco><worldbody><composite/><body name='a'><joint name='j'/><geom size='.1'/></body></worldbody><equality>"
       "<connect body1='a' body2='B_3' anchor='0 0 0'/><weld body1='B_1'/><joint joint1='J_1' joint2='j'/>"
       "<connect site1='S_1' site2='S_2'/><weld body1='a'/></equality></mujoco>");
  ck_assert_int_eq(cdn_system_constraint_count(cdn_model_system(model)), 1);
  int named = 0;
  for (int i = 0; i < cdn_model_not_understood_count(model); i++)
    if (strncmp(cdn_model_not_understood(model, i).element, "equality/", 9) == 0)
      named += cdn_model_not_understood(model, i).count;
  ck_assert_int_eq(named, 4);
  cdn_model_destroy(model);
}
END_TEST

/* ---- packages ---- */

static char root[] = "/tmp/cardan-package-XXXXXX";
static const char robot[] = "<robot name='r'>" LINK(
    "base") "<link name='tip'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
            "<collision><geometry><mesh "
            "filename='package://arm_description/meshes/tip.ply'/></geometry></collision></link>"
            "<joint name='j' type='continuous'><parent link='base'/><child link='tip'/></joint></robot>";

static void put(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  ck_assert_msg(file != NULL, "%s", path);
  fputs(text, file);
  fclose(file);
}

/* ROOT/arm_description has the robot and its mesh, ROOT/other/urdf the robot alone. */
static void make_packages(void) {
  ck_assert_ptr_nonnull(mkdtemp(root));
  ck_assert_int_eq(chdir(root), 0);
  static const char *const folders[] = { "arm_description",
                                         "arm_description/urdf",
                                         "arm_description/meshes",
                                         "other",
                                         "other/urdf",
                                         "ament",
                                         "ament/share",
                                         "ament/share/arm_description",
                                         "ament/share/arm_description/meshes",
                                         "empty" };
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) ck_assert_int_eq(mkdir(folders[i], 0700), 0);
  static const char mesh[] =
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 4\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
      "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
  put("arm_description/urdf/r.urdf", robot);
  put("arm_description/meshes/tip.ply", mesh);
  put("ament/share/arm_description/meshes/tip.ply", mesh);
  put("empty/r.urdf", robot);
}

/* Whether the mesh is found from this working directory. */
static bool finds(const char *directory, const char *path) {
  char at[200];
  snprintf(at, sizeof at, "%s/%s", root, directory);
  ck_assert_int_eq(chdir(at), 0);
  OK(cdn_model_load(path, NULL, &model));
  const bool found = cdn_system_shape_count(cdn_model_system(model)) == 1;
  if (!found) {
    const char *said = cdn_model_warning(model, 0);
    ck_assert_msg(strstr(said, "looked for in") && strstr(said, "ROS_PACKAGE_PATH") && strstr(said, root), "%s", said);
  }
  cdn_model_destroy(model);
  return found;
}

START_TEST(packages_are_found) {
  char path[300];
  unsetenv("ROS_PACKAGE_PATH");
  unsetenv("AMENT_PREFIX_PATH");
  make_packages();
  ck_assert(finds(".", "arm_description/urdf/r.urdf"));
  ck_assert(finds("arm_description", "urdf/r.urdf"));
  ck_assert(finds("arm_description/urdf", "r.urdf"));
  snprintf(path, sizeof path, "%s/arm_description/urdf/r.urdf", root);
  ck_assert(finds("other", path));
  put("copy.urdf", robot);
  ck_assert_int_eq(chdir("/tmp"), 0);
  /* a file in another tree */
  char elsewhere[] = "/tmp/cardan-elsewhere-XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(elsewhere));
  snprintf(path, sizeof path, "%s/r.urdf", elsewhere);
  put(path, robot);
  setenv("ROS_PACKAGE_PATH", "/nowhere", 1);
  OK(cdn_model_load(path, NULL, &model));
  ck_assert_int_eq(cdn_system_shape_count(cdn_model_system(model)), 0);
  const char *said = cdn_model_warning(model, 0);
  ck_assert_msg(strstr(said, elsewhere) && strstr(said, "(/nowhere)") && strstr(said, "AMENT_PREFIX_PATH (not set)"),
                "%s", said);
  cdn_model_destroy(model);
  static const char *const lists[][2] = { { "ROS_PACKAGE_PATH", "/nowhere:%s" },
                                          { "ROS_PACKAGE_PATH", "%s/arm_description" },
                                          { "AMENT_PREFIX_PATH", "%s/ament" } };
  for (int i = 0; i < 3; i++) {
    char list[300];
    unsetenv("ROS_PACKAGE_PATH");
    snprintf(list, sizeof list, lists[i][1], root);
    setenv(lists[i][0], list, 1);
    OK(cdn_model_load(path, NULL, &model));
    ck_assert_msg(cdn_system_shape_count(cdn_model_system(model)) == 1, "not found by %s=%s", lists[i][0], list);
    cdn_model_destroy(model);
  }
  char command[300];
  snprintf(command, sizeof command, "rm -r %s %s", root, elsewhere);
  ck_assert_int_eq(system(command), 0);
}
END_TEST

CHECK_MAIN("files of strangers", what_is_not_obeyed_is_named, what_changes_nothing_is_not_named,
           groups_of_actuators_are_switched_off, friction_is_overridden, the_diagonal_is_exact_where_a_file_says_so,
           shapes_touch_unless_they_are_told_not_to, frictions_combine_without_named_pairs, breaks_in_names_are_blanks,
           a_robot_starts_within_its_limits, equalities_of_what_is_left_out_are_left_out, packages_are_found)
