/* The URDF reader on its own: text in, spec out. Dynamics of whole robots: verify/test_urdf_reference.c. */
#include "reading.h"

#include <stdio.h>

/* Reads the inside of a <robot name='r'>; the first line of `body` is line 2. */
static cdn_status read_with(const char *body, cdn_model_options options) {
  const size_t size = strlen(body) + 100;
  char *text = malloc(size);
  snprintf(text, size, "<robot name='r'>\n%s\n</robot>\n", body);
  const cdn_status status = cdn_spec_load_string(text, strlen(text), "r.urdf", &options, &spec);
  free(text);
  return status;
}

static void read_text(const char *body) {
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_NO_CONTACT;
  cdn_status status = read_with(body, options);
  ck_assert_msg(status == CDN_OK, "%s", spec->log.error.text);
}

/* Texts of several lines are laid out by hand from here on. */
/* clang-format off */

/* A joint of `type` from link a to link b. */
#define JOINT(name, type, a, b, inside) \
  "<joint name='" name "' type='" type "'><parent link='" a "'/><child link='" b "'/>" inside "</joint>\n"
#define MASS(m) "<inertial><mass value='" m "'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"

START_TEST(test_fixed_axis_angles) {
  read_text("<link name='a'/><link name='b'/>\n"
            JOINT("j", "floating", "a", "b", "<origin xyz='1 2 3' rpy='0.3 -0.7 1.1'/>"));
  /* Roll about x first, then pitch about y, then yaw about z, all fixed: products of elementary rotations. */
  const cdn_rotation roll = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), 0.3),
                     pitch = cdn_rotation_axis_angle(cdn_v3(0, 1, 0), -0.7),
                     yaw = cdn_rotation_axis_angle(cdn_v3(0, 0, 1), 1.1);
  const cdn_rotation R = cdn_rotation_multiply(yaw, cdn_rotation_multiply(pitch, roll));
  const cdn_transform X = pose_in_parent("b", NULL);
  /* A few roundings of numbers below one. */
  near_vec3(X.R.x, R.x, 1e-15);
  near_vec3(X.R.y, R.y, 1e-15);
  near_vec3(X.R.z, R.z, 1e-15);
  near_vec3(X.p, cdn_v3(1, 2, 3), 0);
  ck_assert_int_eq(joint_of("b")->kind, CDN_FREE);
  done();
}
END_TEST

START_TEST(test_joint_types) {
  read_text("<link name='a'/><link name='b'/><link name='c'/><link name='d'/><link name='e'/>\n"
            JOINT("rev", "revolute", "a", "b", "<limit lower='-1' upper='2' effort='9' velocity='9'/>")
            JOINT("con", "continuous", "b", "c", "<axis xyz='0 0 -2'/><dynamics damping='0.5'/>")
            JOINT("pri", "prismatic", "c", "d", "<axis xyz='3 0 4'/><limit upper='0.1' effort='1' velocity='1'/>")
            JOINT("pla", "planar", "d", "e", "<axis xyz='0 1 0'/>"));
  ck_assert_int_eq(moving_count(), 4);
  const cdn_spec_joint *rev = joint_named("rev"), *con = joint_named("con"), *pri = joint_named("pri"),
                       *pla = joint_named("pla");
  ck_assert_int_eq(rev->kind, CDN_PIN);
  ck_assert(rev->limited && rev->lower == -1 && rev->upper == 2);
  near_vec3(axis_of(rev), cdn_v3(1, 0, 0), 0); /* the format's default */
  ck_assert_int_eq(con->kind, CDN_PIN);
  ck_assert(!con->limited && con->damping == 0.5);
  near_vec3(axis_of(con), cdn_v3(0, 0, -1), 0);
  ck_assert_int_eq(pri->kind, CDN_SLIDER);
  ck_assert(pri->limited && pri->lower == 0 && pri->upper == 0.1);
  near_vec3(axis_of(pri), cdn_v3(0.6, 0, 0.8), 1e-16);
  ck_assert_int_eq(pla->kind, CDN_PLANAR);
  ck_assert_uint_eq(spec->log.warnings.count, 0);
  ck_assert(spec->whole.gravity.z == -9.81 && spec->whole.gravity.x == 0 && spec->whole.gravity.y == 0);
  done();
}
END_TEST

START_TEST(test_order_is_depth_first) {
  /* Children come in the order of the joints in the file, not of the links. */
  read_text("<link name='d'/><link name='c'/><link name='b'/><link name='a'/><link name='root'/>\n"
            JOINT("j1", "continuous", "root", "a", "") JOINT("j2", "continuous", "root", "b", "")
            JOINT("j3", "continuous", "a", "c", "") JOINT("j4", "continuous", "a", "d", ""));
  static const char *const bodies[] = { "root", "a", "c", "d", "b" };
  static const char *const joints[] = { "root weld", "j1", "j3", "j4", "j2" };
  ck_assert_int_eq(count(CDN_SPEC_BODY), 5);
  ck_assert_int_eq(count(CDN_SPEC_JOINT), 5);
  for (int i = 0; i < 5; i++) ck_assert_str_eq(io_spec_body(spec, i)->name, bodies[i]);
  for (int i = 0; i < 5; i++) ck_assert_str_eq(io_spec_joint(spec, i)->name, joints[i]);
  ck_assert_int_eq(joint_of("root")->kind, CDN_WELD);
  done();
}
END_TEST

/* Two equal masses m a distance 2 l apart, behind fixed joints, and a turned link beyond one of them. */
static const char *const dumbbell =
    "<link name='root'/><link name='hub'/><link name='left'>" MASS("2") "</link>"
    "<link name='right'>" MASS("2") "</link>\n"
    "<link name='arm'>" MASS("1") "</link>\n"
    JOINT("turn", "continuous", "root", "hub", "")
    JOINT("l", "fixed", "hub", "left", "<origin xyz='-3 0 0'/>")
    JOINT("r", "fixed", "hub", "right", "<origin xyz='3 0 0' rpy='0 0 1.5707963267948966'/>")
    JOINT("beyond", "continuous", "right", "arm", "<origin xyz='1 0 0'/>");

START_TEST(test_fixed_links_are_merged) {
  read_text(dumbbell);
  ck_assert_int_eq(count(CDN_SPEC_BODY), 3); /* root, hub with left and right, arm */
  const cdn_spec_body *hub = body_named("hub");
  NEAR(hub->mass.mass, 4, 0);
  near_vec3(hub->mass.com, cdn_v3(0, 0, 0), 1e-15);
  /* 1 + 1 of their own; 2 m l^2 = 36 across the line that joins them (one rounding of 38). */
  NEAR(hub->mass.inertia.xx, 2, 1e-14);
  NEAR(hub->mass.inertia.yy, 38, 1e-14);
  NEAR(hub->mass.inertia.zz, 38, 1e-14);
  /* The arm hangs on the hub now: 1 along the y axis that the turned link's x axis is. */
  const char *parent;
  const cdn_transform X = pose_in_parent("arm", &parent);
  ck_assert_str_eq(parent, "hub");
  near_vec3(X.p, cdn_v3(3, 1, 0), 1e-15);
  near_vec3(X.R.x, cdn_v3(0, 1, 0), 1e-15);
  done();
}
END_TEST

START_TEST(test_fixed_links_are_kept) {
  cdn_model_options options = cdn_default_model_options();
  options.keep_fixed = true;
  ck_assert_int_eq(read_with(dumbbell, options), CDN_OK);
  ck_assert_int_eq(count(CDN_SPEC_BODY), 5);
  ck_assert_int_eq(joint_of("left")->kind, CDN_WELD);
  ck_assert_str_eq(parent_of("arm"), "right");
  NEAR(body_named("hub")->mass.mass, 0, 0);
  done();
}
END_TEST

START_TEST(test_floating_base) {
  cdn_model_options options = cdn_default_model_options();
  options.floating_base = true;
  ck_assert_int_eq(read_with("<link name='base'>" MASS("1") "</link>", options), CDN_OK);
  ck_assert_int_eq(count(CDN_SPEC_JOINT), 1);
  ck_assert_str_eq(joint_of("base")->name, "floating_base");
  ck_assert_int_eq(joint_of("base")->kind, CDN_FREE);
  done();
  /* A joint of that name in the file keeps it. */
  ck_assert_int_eq(read_with("<link name='base'>" MASS("1") "</link><link name='b'>" MASS("1") "</link>"
                             JOINT("floating_base", "continuous", "base", "b", ""), options), CDN_OK);
  ck_assert_str_eq(joint_of("base")->name, "base_free");
  ck_assert_str_eq(joint_of("b")->name, "floating_base");
  done();
}
END_TEST

START_TEST(test_inertia_in_its_own_axes) {
  /* A quarter turn about z exchanges x and y; products follow as the elements of the matrix do. */
  read_text("<link name='a'><inertial><origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
            "<inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0.2' iyz='0.3'/></inertial></link>");
  const cdn_mass_properties m = body_named("a")->mass;
  NEAR(m.inertia.xx, 2, 1e-15);
  NEAR(m.inertia.yy, 1, 1e-15);
  NEAR(m.inertia.zz, 2.5, 1e-15);
  /* x' = y, y' = -x: Ix'y' = -Ixy, Ix'z' = -Iyz (in the new frame's x), Iy'z' = Ixz. */
  NEAR(m.inertia.xy, -0.1, 1e-15);
  NEAR(m.inertia.xz, -0.3, 1e-15);
  NEAR(m.inertia.yz, 0.2, 1e-15);
  near_vec3(m.com, cdn_v3(1, 0, 0), 0);
  done();
}
END_TEST

START_TEST(test_not_understood_is_listed_once) {
  read_text("<link name='a'><visual><geometry><box size='1 1 1'/></geometry></visual><collision/><collision/></link>\n"
            "<link name='b'><collision/></link><material name='red'/><gazebo reference='a'/><gazebo/>\n"
            JOINT("j", "continuous", "a", "b", "<dynamics friction='0.1'/><limit effort='1' "
                  "velocity='1'/><safety_controller k_velocity='1'/><calibration rising='0'/>")
            "<transmission name='t'><type>x</type></transmission><link name='c' colour='red'/>\n"
            JOINT("f", "fixed", "b", "c", "<dynamics friction='0'/>"));
  const struct { const char *element; int count, line; } expected[] = {
    { "collision", 3, 2 }, { "link colour", 1, 5 },
    { "safety_controller", 1, 4 }, { "gazebo", 2, 3 }, { "transmission", 1, 5 },
  };
  ck_assert_uint_eq(spec->log.notes.count, sizeof expected / sizeof expected[0]);
  for (size_t i = 0; i < spec->log.notes.count; i++) {
    const io_note *note = &CDNI_AT(spec->log.notes, io_note, i);
    ck_assert_str_eq(note->element, expected[i].element);
    ck_assert_int_eq(note->count, expected[i].count);
    ck_assert_int_eq(note->line, expected[i].line);
  }
  done();
}
END_TEST

/* What an actuator of `name` has for its joint; fails if there is none. */
static const cdn_spec_actuator *actuator_named(const char *name) {
  const int i = cdn_spec_find(spec, CDN_SPEC_ACTUATOR, name);
  ck_assert_msg(i >= 0, "there is no actuator '%s'", name);
  return io_spec_actuator(spec, i);
}

#define GEARED(type, joint, interface, actuator, reduction) \
  "<transmission name='t'><type>transmission_interface/" type "</type><joint name='" joint "'>" \
  "<hardwareInterface>" interface "</hardwareInterface></joint>" \
  "<actuator name='" actuator "'>" reduction "</actuator></transmission>\n"

START_TEST(test_transmissions) {
  read_text("<link name='a'/><link name='b'/><link name='c'/><link name='e'/>\n"
            JOINT("j", "continuous", "a", "b", "<limit effort='60' velocity='1'/>")
            JOINT("s", "prismatic", "b", "c", "<limit effort='0' velocity='1' lower='-1' upper='1'/>")
            JOINT("f", "fixed", "c", "e", "")
            GEARED("SimpleTransmission", "j", "hardware_interface/EffortJointInterface", "motor",
                   "<mechanicalReduction> -30 </mechanicalReduction>")
            "<transmission name='old' type='pr2_mechanism_model/SimpleTransmission'><actuator name='pr2'/>"
            "<joint name='s'/><mechanicalReduction>2.5</mechanicalReduction></transmission>\n"
            GEARED("SimpleTransmission", "s", "hardware_interface/PositionJointInterface", "p", "")
            GEARED("DifferentialTransmission", "s", "EffortJointInterface", "q", "")
            GEARED("SimpleTransmission", "f", "EffortJointInterface", "r", "")
            GEARED("SimpleTransmission", "j", "EffortJointInterface", "motor", "")
            GEARED("SimpleTransmission", "none", "EffortJointInterface", "v", "")
            GEARED("SimpleTransmission", "j", "EffortJointInterface", "w",
                   "<mechanicalReduction>0</mechanicalReduction>")
            GEARED("SimpleTransmission", "j", "EffortJointInterface", "x",
                   "<mechanicalReduction>1,5</mechanicalReduction>"));
  static const char *const notes[] = { "transmission (a position needs a controller)", "transmission",
                                       "transmission (of a joint that has not one coordinate)" };
  static const char *const warnings[] = { "actuator 'motor' has two transmissions", "there is no joint 'none'",
                                          "is 0; write a number that is not 0", "'1,5'; write a number" };
  ck_assert_int_eq(count(CDN_SPEC_ACTUATOR), 2);
  const cdn_spec_actuator *motor = actuator_named("motor"), *old = actuator_named("pr2");
  NEAR(motor->gear[0], -30, 0);
  NEAR(motor->force_upper, 2, 0); /* the joint has 60 N m at most */
  NEAR(motor->force_lower, -2, 0);
  ck_assert_str_eq(motor->unit, "N m");
  NEAR(old->gear[0], 2.5, 0);
  ck_assert(isinf(old->force_upper));
  ck_assert_str_eq(old->unit, "N");
  ck_assert_uint_eq(spec->log.notes.count, 3);
  for (size_t i = 0; i < 3; i++) ck_assert_str_eq(CDNI_AT(spec->log.notes, io_note, i).element, notes[i]);
  ck_assert_uint_eq(spec->log.warnings.count, 4);
  for (size_t i = 0; i < 4; i++) {
    const char *text = CDNI_AT(spec->log.warnings, char *, i);
    ck_assert_msg(strstr(text, warnings[i]) != NULL, "%s", text);
  }
  done();
}
END_TEST

/* A geared motor on a slider with dry friction and damping, m = 2 kg: udot = (n c - loss - b u) / m. The row of
 * friction gives its bound while 2 u / (d1 T) = 105 u is well above -udot (its law: docs/soft_elements.md). The sum has
 * a few roundings of numbers of size 10 or 100. */
START_TEST(test_motor_friction_and_damping_act) {
  static const char text[] =
      "<robot name='r'><link name='a'/><link name='b'>" MASS("2") "</link>"
      JOINT("s", "prismatic", "a", "b", "<axis xyz='1 0 0'/><limit effort='100' velocity='9' lower='-9' upper='9'/>"
            "<dynamics damping='3' friction='4'/>")
      GEARED("SimpleTransmission", "s", "hardware_interface/EffortJointInterface", "motor",
             "<mechanicalReduction>10</mechanicalReduction>") "</robot>";
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model;
  cdn_state *state;
  options.contact = CDN_MODEL_SOFT;
  OK(cdn_model_load_string(text, strlen(text), "r.urdf", &options, &model));
  ck_assert_int_eq(cdn_model_not_understood_count(model), 0);
  OK(cdn_state_create(cdn_model_system(model), &state));
  const cdn_control motor = cdn_system_find_control(cdn_model_system(model), "motor");
  OK(cdn_control_set(state, motor, 1.5));
  OK(cdn_state_set_u(state, (double[]){ 4 }));
  OK(cdn_realize(state, CDN_STAGE_ACCELERATION));
  NEAR(cdn_state_udot(state)[0], (10 * 1.5 - 4 - 3 * 4.0) / 2, 1e-14 * 10);
  OK(cdn_control_set(state, motor, -25)); /* 100 N at most */
  OK(cdn_realize(state, CDN_STAGE_ACCELERATION));
  NEAR(cdn_state_udot(state)[0], (-100 - 4 - 3 * 4.0) / 2, 1e-14 * 100);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(test_warnings) {
  /* What real files get wrong, and what is told about it. */
  const struct { const char *body, *warning; } cases[] = {
    { "<link name='bad'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='3'/></inertial></link>",
      "r.urdf:2: link 'bad': its principal moments 1, 1, 3 kg m^2 break the triangle inequality" },
    { "<link name='bad'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='-1'/></inertial></link>",
      "r.urdf:2: link 'bad': its inertia has a negative principal moment" },
    { "<link name='bad'><inertial><mass value='0'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>",
      "link 'bad' has inertia but no mass" },
    { "<link name='p'><inertial><mass value='1'/></inertial></link>", "link 'p': <inertial> has no <inertia>" },
    { "<link name='a'/><link name='b'/>\n" JOINT("j", "revolute", "a", "b", ""),
      "r.urdf:3: joint 'j' has no <limit>" },
    { "<link name='a'/><link name='b'/>\n" JOINT("j", "revolute", "a", "b", "<limit lower='0' upper='0'/>"),
      "r.urdf:3: joint 'j': its limits are both zero" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    read_text(cases[i].body);
    ck_assert_uint_eq(spec->log.warnings.count, 1);
    const char *warning = CDNI_AT(spec->log.warnings, char *, 0);
    ck_assert_msg(strstr(warning, cases[i].warning), "'%s' is not in '%s'", cases[i].warning, warning);
    for (int j = 0; j < count(CDN_SPEC_JOINT); j++) ck_assert(!io_spec_joint(spec, j)->limited);
    done();
  }
  /* A sheet of zero thickness is on the edge of what bodies have; digits cut off in print are no offence. */
  read_text("<link name='a'><inertial><mass value='1'/><inertia ixx='0.3333333' iyy='0.3333333' "
            "izz='0.6666667'/></inertial></link>");
  ck_assert_uint_eq(spec->log.warnings.count, 0);
  done();
}
END_TEST

START_TEST(test_errors) {
  const struct { const char *body, *error; } cases[] = {
    { "", "r.urdf:1: the robot has no <link>" },
    { "<link/>", "r.urdf:2: <link>: attribute 'name' is missing" },
    { "<link name=''/>", "r.urdf:2: <link name=''>: attribute 'name' is empty" },
    { "<link name='a'/>\n<link name='a'/>", "r.urdf:3: link 'a' is defined twice, first at line 2" },
    { "<link name='a'/><link name='b'/><link name='c'/>\n" JOINT("j", "fixed", "a", "b", "")
      JOINT("j", "fixed", "a", "c", ""), "r.urdf:4: joint 'j' is defined twice, first at line 3" },
    { "<link name='a'/>\n" JOINT("j", "fixed", "a", "x", ""),
      "r.urdf:3: <child> of <joint name='j'>: there is no link 'x'" },
    { "<link name='a'/><joint name='j' type='fixed'><child link='a'/></joint>",
      "r.urdf:2: <joint name='j'>: <parent link='...'/> is missing" },
    { "<link name='a'/><joint name='j' type='fixed'><parent/><child link='a'/></joint>",
      "<parent> of <joint name='j'>: attribute 'link' is missing" },
    { "<link name='a'/>\n" JOINT("j", "hinge", "a", "a", ""),
      "attribute 'type' is 'hinge'; it can be revolute, continuous, prismatic, fixed, floating or planar" },
    { "<link name='a'/><joint name='j'/>", "attribute 'type' is missing; give revolute" },
    { "<link name='a'/>\n" JOINT("j", "fixed", "a", "a", ""), "joint 'j' connects link 'a' with itself" },
    { "<link name='a'/><link name='b'/><link name='c'/>\n" JOINT("j", "fixed", "a", "c", "")
      JOINT("k", "fixed", "b", "c", ""), "r.urdf:4: link 'c' is the child of two joints, 'j' (line 3) and 'k'" },
    { "<link name='a'/><link name='b'/>\n" JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "b", "a", ""),
      "no link is the root" },
    { "<link name='r'/><link name='a'/><link name='b'/>\n" JOINT("j", "fixed", "a", "b", "")
      JOINT("k", "fixed", "b", "a", ""), "link 'a' is in, or behind, a cycle of joints that the root 'r' does not" },
    { "<link name='a'/>\n<link name='b'/>", "r.urdf:3: 2 links have no parent, but a robot has one root: 'a', 'b'" },
    { "<link name='a'/><link name='b'/>\n" JOINT("j", "continuous", "a", "b", "<axis xyz='0 0 0'/>"),
      "r.urdf:3: <axis> of <joint name='j'>: attribute 'xyz' is a zero vector" },
    { "<link name='a'/><link name='b'/>\n" JOINT("j", "continuous", "a", "b", "<axis xyz='0 1'/>"),
      "attribute 'xyz' has 2 numbers, 3 are needed" },
    { "<link name='a'/><link name='b'/>\n" JOINT("j", "revolute", "a", "b", "<limit lower='1' upper='-1'/>"),
      "lower (1) is above upper (-1)" },
    { "<link name='a'/><link name='b'/>\n" JOINT("j", "continuous", "a", "b", "<dynamics damping='-1'/>"),
      "attribute 'damping' is negative" },
    { "<link name='a'><inertial/></link>", "<inertial> of <link name='a'>: <mass value='...'/> is missing" },
    { "<link name='a'><inertial><mass/></inertial></link>", "attribute 'value' is missing; give the mass" },
    { "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1'/></inertial></link>",
      "attribute 'izz' is missing" },
    { "<link name='a'><inertial><mass value='-1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>",
      "link 'a' has a negative mass" },
    { "<link name='a'><inertial><mass value='nan'/></inertial></link>", "'nan' is not a finite decimal number" },
    { "<link name='a'><inertial><mass value='${m}'/></inertial></link>", "looks like xacro" },
    { "<xacro:macro name='x'/>", "r.urdf:2: <xacro:macro name='x'>: this is a xacro file; expand it first" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    FAILS(read_with(cases[i].body, cdn_default_model_options()), CDN_ERR_PARSE);
    ck_assert_msg(strstr(spec->log.error.text, cases[i].error), "case %d: '%s' is not in '%s'", (int)i, cases[i].error,
                  spec->log.error.text);
    ck_assert_msg(strstr(spec->log.error.text, "r.urdf:") == spec->log.error.text, "no file and line in '%s'", spec->log.error.text);
    done();
  }
}
END_TEST

START_TEST(test_long_chain) {
  /* Deeper than recursion would bear, half of it merged away. */
  enum { N = 20000 };
  char *text = malloc(N * 160), *end = text;
  for (int i = 0; i <= N; i++) end += sprintf(end, "<link name='l%d'/>\n", i);
  for (int i = 0; i < N; i++)
    end += sprintf(end, "<joint name='j%d' type='%s'><parent link='l%d'/><child link='l%d'/></joint>\n", i,
                   i % 2 ? "fixed" : "continuous", i, i + 1);
  read_text(text);
  ck_assert_int_eq(count(CDN_SPEC_BODY), 1 + N / 2);
  ck_assert_int_eq(moving_count(), N / 2);
  done();
  free(text);
}
END_TEST

CHECK_MAIN("io_urdf", test_fixed_axis_angles, test_joint_types, test_order_is_depth_first, test_fixed_links_are_merged,
           test_fixed_links_are_kept, test_floating_base, test_inertia_in_its_own_axes,
           test_not_understood_is_listed_once, test_transmissions, test_motor_friction_and_damping_act,
           test_warnings, test_errors, test_long_chain)
