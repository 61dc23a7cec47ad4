/* Which links of a robot never touch each other: parents and children, what overlaps in the first pose, and what the
 * SRDF file beside the robot's file says. */
#define _POSIX_C_SOURCE 200809L
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static cdn_model *model;

static void load(const char *path, bool floating) {
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_COMPLIANT, options.floating_base = floating;
  const cdn_status status = cdn_model_load(path, &options, &model);
  cdn_error error;
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
}

/* The rule between the shapes of two names. */
static cdn_contact_rule rule(const char *a, const char *b) {
  const cdn_system *system = cdn_model_system(model);
  cdn_shape s, t;
  s = cdn_system_find_shape(system, a);
  ck_assert_int_ge(s.i, 0);
  t = cdn_system_find_shape(system, b);
  ck_assert_int_ge(t.i, 0);
  const cdn_contact_rule found = cdn_shapes_rule(system, s, t);
  ck_assert_int_eq(cdn_shapes_rule(system, t, s), found);
  ck_assert_int_eq(cdn_shapes_may_touch(system, s, t), found == CDN_RULE_NONE);
  return found;
}

static bool warns(const char *text) {
  for (int i = 0; i < cdn_model_warning_count(model); i++)
    if (strstr(cdn_model_warning(model, i), text)) return true;
  return false;
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_ge(fputs(text, file), 0);
  fclose(file);
}

/* An empty directory with directories urdf and srdf. */
static void enter(void) {
  static char directory[64];
  snprintf(directory, sizeof directory, "/tmp/cardan_srdf_XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(directory));
  ck_assert_int_eq(chdir(directory), 0);
  ck_assert(mkdir("urdf", 0700) == 0 && mkdir("srdf", 0700) == 0);
}

#define LINK(name, geometry)                                                                                    \
  "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>" \
  "</inertial><collision name='" name "'><geometry>" geometry "</geometry></collision></link>"
#define JOINT(type, parent, child, xyz)                                                                             \
  "<joint name='" child "' type='" type "'><parent link='" parent "'/><child link='" child "'/><axis xyz='0 1 0'/>" \
  "<origin xyz='" xyz "'/></joint>"
#define BALL "<sphere radius='.1'/>"
#define BOX(side) "<box size='" side " " side " " side "'/>"

/* Four links in a row, and a tool that is fixed to the last one. Nothing overlaps. */
static const char arm[] = "<robot name='arm'>" LINK("a", BALL) LINK("b", BALL) LINK("c", BALL) LINK("d", BALL)
    LINK("tool", BALL) JOINT("continuous", "a", "b", "1 0 0") JOINT("continuous", "b", "c", "1 0 0")
        JOINT("continuous", "c", "d", "1 0 0") JOINT("fixed", "d", "tool", "1 0 0") "</robot>";

#define KEEP(a, b) "<disable_collisions link1='" a "' link2='" b "' reason='Never'/>"

START_TEST(links_are_kept_apart_by_the_file_beside) {
  /* by the name of the file or of the robot, beside the file or in the directory srdf beside its directory */
  static const char *const places[] = { "urdf/arm_v2.srdf", "urdf/arm.srdf", "srdf/arm_v2.srdf", "srdf/arm.srdf" };
  enter();
  write_text("urdf/arm_v2.urdf", arm);
  load("urdf/arm_v2.urdf", true);
  ck_assert(rule("a", "c") == CDN_RULE_NONE && rule("a", "d") == CDN_RULE_NONE && rule("a", "tool") == CDN_RULE_NONE);
  ck_assert(rule("a", "b") == CDN_RULE_PARENT && rule("d", "tool") == CDN_RULE_ONE_PIECE);
  cdn_model_destroy(model);
  for (int k = 0; k < 4; k++) {
    write_text(places[k], "<robot name='arm'><group name='g'/>" KEEP("a", "c") KEEP("tool", "b") "</robot>");
    for (int from = 0; from < 2; from++) {
      ck_assert_int_eq(chdir(from ? "urdf" : "."), 0);
      load(from ? "arm_v2.urdf" : "urdf/arm_v2.urdf", true);
      ck_assert_int_eq(chdir(from ? ".." : "."), 0);
      ck_assert_int_eq(cdn_model_warning_count(model) + cdn_model_not_understood_count(model), 0);
      ck_assert_int_eq(rule("a", "c"), CDN_RULE_EXCLUDED);
      /* d and the tool are one body, but not one link */
      ck_assert_int_eq(rule("b", "tool"), CDN_RULE_EXCLUDED);
      ck_assert(rule("b", "d") == CDN_RULE_NONE && rule("a", "d") == CDN_RULE_NONE &&
                rule("a", "tool") == CDN_RULE_NONE);
      cdn_model_destroy(model);
    }
    ck_assert_int_eq(remove(places[k]), 0);
  }
}
END_TEST

/* All in one piece: a spec that is made anew of what was read has the same exclusions. */
START_TEST(exclusions_of_links_are_in_the_spec) {
  enter();
  write_text("urdf/arm.urdf", arm);
  write_text("srdf/arm.srdf", "<robot name='arm'>" KEEP("b", "d") "</robot>");
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_COMPLIANT;
  cdn_spec *spec, *copy;
  OK(cdn_spec_load("urdf/arm.urdf", &options, &spec));
  OK(cdn_spec_copy(spec, &copy));
  cdn_spec_destroy(spec);
  cdn_spec_contact contact;
  cdn_spec_shape tool;
  ck_assert_int_eq(cdn_spec_count(copy, CDN_SPEC_CONTACT), 1);
  OK(cdn_spec_get_contact(copy, 0, &contact));
  ck_assert(contact.exclude && contact.line == 1);
  ck_assert_str_eq(contact.body_a, "b");
  ck_assert_str_eq(contact.body_b, "d");
  ck_assert_str_eq(contact.name, "Never");
  OK(cdn_spec_get_shape(copy, cdn_spec_find(copy, CDN_SPEC_SHAPE, "tool"), &tool));
  ck_assert_str_eq(tool.body, "d");
  ck_assert_str_eq(tool.part, "tool");
  cdn_system *system = cdn_system_create(NULL);
  OK(cdn_model_build(copy, &options, system, &model));
  OK_FREEZE(system);
  ck_assert(rule("b", "d") == CDN_RULE_EXCLUDED && rule("b", "tool") == CDN_RULE_NONE);
  cdn_model_destroy(model);
  cdn_spec_destroy(copy);
  cdn_system_release(system);
}
END_TEST

START_TEST(mistakes_in_that_file_are_warnings) {
  enter();
  write_text("urdf/arm.urdf", arm);
  write_text("srdf/arm.srdf",
             "<robot name='leg'>" KEEP("a", "c") KEEP("a", "hip")
                 KEEP("hip", "knee") "<disable_collisions link1='a'/><disable_default_collisions link='a'/></robot>");
  load("urdf/arm.urdf", true);
  ck_assert_int_eq(rule("a", "c"), CDN_RULE_EXCLUDED);
  ck_assert(warns("srdf/arm.srdf:1: this is for the robot 'leg', and is used for 'arm'"));
  ck_assert(warns("3 names of links are not the robot's; the first: 'hip'"));
  ck_assert(warns("this pair of links is not kept apart") && warns("<disable_default_collisions> is not obeyed"));
  ck_assert_int_eq(cdn_model_warning_count(model), 4);
  cdn_model_destroy(model);
  static const char *const broken[] = { "<robot name='arm'>" KEEP("a", "c"), "", "<semantics/>" };
  for (int k = 0; k < 3; k++) {
    write_text("srdf/arm.srdf", broken[k]);
    load("urdf/arm.urdf", true);
    ck_assert_int_eq(rule("a", "c"), CDN_RULE_NONE);
    ck_assert(cdn_model_warning_count(model) == 1 && warns("srdf/arm.srdf") && warns("the file is left out"));
    cdn_model_destroy(model);
  }
}
END_TEST

/* A base that is welded to Ground is the parent of the first link, as one that moves is. */
START_TEST(a_base_is_a_parent) {
  enter();
  write_text("urdf/arm.urdf", arm);
  for (int floating = 0; floating < 2; floating++) {
    load("urdf/arm.urdf", floating);
    ck_assert(rule("a", "b") == CDN_RULE_PARENT && rule("b", "c") == CDN_RULE_PARENT &&
              rule("a", "c") == CDN_RULE_NONE);
    cdn_model_destroy(model);
  }
}
END_TEST

/* A box that is wholly within another has no force, and yet overlaps it. */
START_TEST(what_is_inside_overlaps) {
  enter();
  write_text("r.urdf", "<robot name='r'>" LINK("a", BOX("1")) LINK("b", BALL) LINK("c", BOX(".1"))
                           JOINT("continuous", "a", "b", "3 0 0") JOINT("continuous", "b", "c", "-3 0 0") "</robot>");
  load("r.urdf", true);
  ck_assert_int_eq(rule("a", "c"), CDN_RULE_OVERLAP);
  ck_assert(warns("overlap in the model's first pose and do not touch each other: 'a' and 'c'"));
  cdn_model_destroy(model);
}
END_TEST

CHECK_MAIN("io_srdf", links_are_kept_apart_by_the_file_beside, exclusions_of_links_are_in_the_spec,
           mistakes_in_that_file_are_warnings, a_base_is_a_parent, what_is_inside_overlaps)
