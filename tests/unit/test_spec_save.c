/* Specs written as files of Cardan's own format and read again: they are the same to the last bit, and what is wrong in
 * such a file is named. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/joints.h"
#include "io/spec_fields.h"

static const char *const examples[] = { "pendulum.xml", "walker.xml",  "gripper.xml", "five_bar.xml",
                                        "puppet.xml",   "gymnast.xml", "hexapod.xml", "press.xml",
                                        "slope.xml",    "stairs.xml",  "top.xml",     "arm.urdf" };
enum { EXAMPLES = sizeof examples / sizeof *examples };

static void same_fields(const io_element_kind *kind, int i, const void *a, const void *b) {
  for (int k = 0; k < kind->n_fields; k++)
    ck_assert_msg(io_field_equal(&kind->fields[k], a, b), "%s %d: %s", kind->word, i, kind->fields[k].name);
}

/* Every field of every element, and what is said of the whole. */
static void same(const cdn_spec *a, const cdn_spec *b) {
  for (int which = 0; which < CDN_SPEC_KIND_COUNT; which++) {
    const io_element_kind *kind = &io_element_kinds()[which];
    const int n = cdn_spec_count(a, (cdn_spec_kind)which);
    ck_assert_int_eq(n, cdn_spec_count(b, (cdn_spec_kind)which));
    for (int i = 0; i < n; i++) {
      io_any_element x, y;
      kind->start(&x), kind->start(&y);
      OK(kind->get(a, i, &x));
      OK(kind->get(b, i, &y));
      same_fields(kind, i, &x, &y);
    }
  }
  ck_assert(a->whole.has_gravity == b->whole.has_gravity && a->whole.parents_touch == b->whole.parents_touch);
  ck_assert(a->whole.overlaps_pass == b->whole.overlaps_pass && a->whole.has_solver == b->whole.has_solver);
  ck_assert(a->whole.meshes_have_looks == b->whole.meshes_have_looks);
  ck_assert_mem_eq(&a->whole.gravity, &b->whole.gravity, sizeof a->whole.gravity);
  same_fields(io_medium_fields(), 0, &a->whole.medium, &b->whole.medium);
  same_fields(io_solver_fields(), 0, &a->whole.solver, &b->whole.solver);
}

static void save_path(char path[64], const char *ending) {
  snprintf(path, 64, "/tmp/cardan-test-%ld%s", (long)getpid(), ending);
}

static void example_path(char model[300], const char *name) {
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  snprintf(model, 300, "%s/examples/models/%s", root ? root : ".", name);
}

START_TEST(test_what_is_read_again_is_the_same) {
  char model[300], path[64];
  save_path(path, ".json");
  for (int i = 0; i < EXAMPLES; i++) {
    cdn_spec *first, *again;
    example_path(model, examples[i]);
    OK(cdn_spec_load(model, NULL, &first));
    OK(cdn_spec_save(first, path, NULL));
    OK(cdn_spec_load(path, NULL, &again));
    same(first, again);
    cdn_spec_destroy(first);
    cdn_spec_destroy(again);
  }
  remove(path);
}
END_TEST

/* As MJCF, too; but for what it says nothing of: units, and masks of shapes that do not touch. */
START_TEST(test_mjcf_is_the_same) {
  char model[300], path[64];
  save_path(path, ".xml");
  for (int i = 0; i < EXAMPLES; i++) {
    cdn_spec *first, *again;
    example_path(model, examples[i]);
    if (strstr(model, ".urdf")) continue;
    OK(cdn_spec_load(model, NULL, &first));
    const cdn_status status = cdn_spec_save(first, path, NULL);
    ck_assert_msg(status == CDN_OK, "%s: %s", examples[i], cdn_last_error_text());
    OK(cdn_spec_load(path, NULL, &again));
    for (int k = 0; k < cdn_spec_count(first, CDN_SPEC_SHAPE); k++)
      if (!io_spec_shape(first, k)->collision) {
        io_spec_shape(first, k)->contype = io_spec_shape(again, k)->contype;
        io_spec_shape(first, k)->conaffinity = io_spec_shape(again, k)->conaffinity;
      }
    for (int k = 0; k < cdn_spec_count(first, CDN_SPEC_ACTUATOR); k++)
      if (!io_spec_actuator(again, k)->unit)
        ((cdn_spec_actuator *)io_spec_element(first, CDN_SPEC_ACTUATOR, k))->unit = NULL;
    same(first, again);
    cdn_spec_destroy(first);
    cdn_spec_destroy(again);
  }
  remove(path);
}
END_TEST

/* What examples do not have: delays, samples, rays of pixels. */
START_TEST(test_delays_and_rays_are_kept) {
  static const char text[] =
      "<mujoco><worldbody><camera name='eye' pos='0 0 1' fovy='37' resolution='3 4'/><site name='s'/><body name='b'>"
      "<joint name='j'/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody>"
      "<actuator><motor name='m' joint='j' delay='.013' nsample='7' interp='cubic'/></actuator>"
      "<sensor><jointpos name='late' joint='j' delay='.1' nsample='50' interp='linear'/>"
      "<jointpos name='held' joint='j' interval='.03 -.01' nsample='2'/><clock name='kept' nsample='3'/>"
      "<rangefinder name='r' camera='eye' data='dist normal depth'/><rangefinder name='one' site='s' data='point'/>"
      "</sensor></mujoco>";
  static const char *const endings[] = { ".json", ".xml" };
  char path[64];
  for (int i = 0; i < 2; i++) {
    cdn_spec *first, *again;
    save_path(path, endings[i]);
    OK(cdn_spec_load_string(text, strlen(text), "m", NULL, &first));
    const cdn_status status = cdn_spec_save(first, path, NULL);
    ck_assert_msg(status == CDN_OK, "%s: %s", endings[i], cdn_last_error_text());
    OK(cdn_spec_load(path, NULL, &again));
    same(first, again);
    cdn_spec_destroy(first);
    cdn_spec_destroy(again);
    remove(path);
  }
}
END_TEST

/* What is changed in a file counts, whatever <custom> says. */
START_TEST(test_edits_count) {
  static const char text[] =
      "<mujoco><worldbody><body name='b'><joint name='j'/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body>"
      "</worldbody><custom><text name='cardan|body|b|mass' data='2.0000000000000004'/>"
      "<text name='cardan|body|b|com' data='0 0 0.5'/><text name='cardan|body|gone|mass' data='1'/>"
      "<text name='cardan|joint|j|damping' data='1 2'/><text name='cardan|joint|j|name' data='1'/><text name='other' data='x'/>"
      "<text name='cardan|body|#7|mass' data='1'/></custom></mujoco>";
  cdn_spec *spec;
  OK(cdn_spec_load_string(text, strlen(text), "m", NULL, &spec));
  ck_assert(io_spec_body(spec, 0)->mass.mass == 2.0000000000000004);
  ck_assert(io_spec_body(spec, 0)->mass.com.z == 0);
  ck_assert(spec->log.warnings.count == 1);
  cdn_spec_destroy(spec);
}
END_TEST

static void count_lost(void *context, const char *what) {
  ++*(int *)context;
  ck_assert(strlen(what) > 3);
}

/* Numbers of a table alone, which MJCF does not have. */
START_TEST(test_what_mjcf_cannot_hold) {
  char model[300], path[64];
  save_path(path, ".xml");
  example_path(model, "arm.urdf");
  cdn_spec *spec, *again;
  OK(cdn_spec_load(model, NULL, &spec));
  FAILS(cdn_spec_save(spec, path, NULL), CDN_ERR_UNSUPPORTED);
  ck_assert_msg(strstr(cdn_last_error_text(), "speed_limit"), "%s", cdn_last_error_text());
  int lost = 0;
  cdn_save_options options = cdn_default_save_options();
  options.tell_lost = count_lost, options.context = &lost;
  OK(cdn_spec_save(spec, path, &options));
  ck_assert(lost > 0);
  OK(cdn_spec_load(path, NULL, &again));
  ck_assert_int_eq(cdn_spec_count(spec, CDN_SPEC_BODY), cdn_spec_count(again, CDN_SPEC_BODY));
  cdn_spec_destroy(again);
  cdn_spec_joint joint = cdn_default_spec_joint();
  joint.name = "bolt", joint.kind = CDN_SCREW, joint.child = "nut";
  cdn_spec_body body = cdn_default_spec_body();
  body.name = "nut", body.mass.mass = 1;
  OK(cdn_spec_add_body(spec, &body, NULL));
  OK(cdn_spec_add_joint(spec, &joint, NULL));
  FAILS(cdn_spec_save(spec, path, &options), CDN_ERR_UNSUPPORTED);
  ck_assert(strstr(cdn_last_error_text(), "'bolt'"));
  cdn_spec_destroy(spec);
  remove(path);
}
END_TEST

/* URDF's root is often called as MJCF's worldbody is. */
static const char ur[] =
    "<robot name='r'><link name='world'/><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>"
    "</inertial></link><joint name='j' type='continuous'><parent link='world'/><child link='a'/><axis xyz='0 1 0'/></joint>"
    "</robot>";

START_TEST(test_a_body_called_world) {
  char path[64];
  save_path(path, ".xml");
  cdn_spec *spec, *again;
  OK(cdn_spec_load_string(ur, strlen(ur), "m", NULL, &spec));
  FAILS(cdn_spec_save(spec, path, NULL), CDN_ERR_UNSUPPORTED);
  ck_assert_msg(strstr(cdn_last_error_text(), "'world'"), "%s", cdn_last_error_text());
  int lost = 0;
  cdn_save_options options = cdn_default_save_options();
  options.tell_lost = count_lost, options.context = &lost;
  OK(cdn_spec_save(spec, path, &options));
  ck_assert_int_eq(lost, 1);
  ck_assert_int_ge(cdn_spec_find(spec, CDN_SPEC_BODY, "world"), 0);
  OK(cdn_spec_load(path, NULL, &again));
  ck_assert_int_ge(cdn_spec_find(again, CDN_SPEC_BODY, "world link"), 0);
  ck_assert_int_eq(cdn_spec_count(again, CDN_SPEC_BODY), 2);
  cdn_spec_destroy(again);
  cdn_spec_destroy(spec);
  remove(path);
}
END_TEST

/* A System of a spec, in a State with these numbers. */
static void accelerations(const cdn_spec *spec, int n, const double *q, const double *u, double *udot) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_model *model;
  cdn_state *state;
  cdn_model_options options = cdn_default_model_options();
  options.tree_only = true;
  OK(cdn_model_build(spec, &options, system, &model));
  OK_FREEZE(system);
  ck_assert_int_eq(cdn_system_nu(system), n);
  OK(cdn_state_create(system, &state));
  OK(cdn_state_set_q(state, q));
  OK(cdn_state_set_u(state, u));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  memcpy(udot, cdn_state_udot(state), (size_t)n * sizeof *udot);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  cdn_system_release(system);
}

/* Joints that are not at the origin of their bodies, a body in three joints, a free one, and poses of all kinds. */
static const char robot[] =
    "<mujoco><worldbody><body name='base' pos='1 2 3' quat='1 2 3 4'><freejoint name='f'/>"
    "<inertial pos='.1 .2 .3' mass='3' fullinertia='1 1.1 1.2 .1 .05 -.1'/><geom name='g' size='.1 .2 .3' type='box'/>"
    "<body name='arm' pos='.3 0 .1' euler='10 20 30'><joint name='a' axis='1 2 3' pos='.1 .2 .3' damping='.4'/>"
    "<joint name='b' axis='0 -1 1' pos='-.1 0 0' limited='true' range='-40 50'/><joint name='c' type='slide' axis='1 1 0'/>"
    "<inertial pos='0 .2 0' mass='1' diaginertia='.1 .2 .15' euler='5 6 7'/></body>"
    "<body name='tool' pos='0 .5 0' axisangle='0 1 0 90'><inertial pos='0 0 .1' mass='.5' diaginertia='.1 .1 .1'/></body>"
    "</body></worldbody></mujoco>";

START_TEST(test_urdf_moves_alike) {
  char model[300], path[64];
  save_path(path, ".urdf");
  example_path(model, "arm.urdf");
  for (int i = 0; i < 2; i++) {
    cdn_spec *spec, *again;
    OK(i == 0 ? cdn_spec_load(model, NULL, &spec) : cdn_spec_load_string(robot, strlen(robot), "m", NULL, &spec));
    const cdn_status status = cdn_spec_save(spec, path, NULL);
    ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
    cdn_model_options options = cdn_default_model_options();
    options.keep_fixed = true;
    OK(cdn_spec_load(path, &options, &again));
    const int n = i == 0 ? 5 : 9;
    double q[10] = { 0.3, -0.2, 0.7, 0.1, 0.4, 0.8, -0.3, 0.2, -0.5, 0.11 },
           u[9] = { 1, -2, 0.5, 0.3, 0.2, -1, 0.7, 2, 0.9 };
    double first[9], second[9];
    accelerations(spec, n, q, u, first);
    accelerations(again, n, q, u, second);
    for (int k = 0; k < n; k++) NEAR(first[k], second[k], 1e-12 * (1 + fabs(first[k])));
    cdn_spec_destroy(spec);
    cdn_spec_destroy(again);
  }
  remove(path);
}
END_TEST

/* What URDF has no word for is told, and the rest is written. */
START_TEST(test_what_urdf_cannot_hold) {
  char model[300], path[64];
  save_path(path, ".urdf");
  example_path(model, "gripper.xml");
  cdn_spec *spec;
  OK(cdn_spec_load(model, NULL, &spec));
  FAILS(cdn_spec_save(spec, path, NULL), CDN_ERR_UNSUPPORTED);
  int lost = 0;
  cdn_save_options options = cdn_default_save_options();
  options.tell_lost = count_lost, options.context = &lost;
  OK(cdn_spec_save(spec, path, &options));
  ck_assert_int_gt(lost, 5);
  cdn_spec_destroy(spec);
  OK(cdn_spec_load(path, NULL, &spec));
  cdn_spec_destroy(spec);
  example_path(model, "walker.xml");
  OK(cdn_spec_load(model, NULL, &spec));
  FAILS(cdn_spec_save(spec, path, &options), CDN_ERR_UNSUPPORTED);
  ck_assert_msg(strstr(cdn_last_error_text(), "'sway'"), "%s", cdn_last_error_text());
  cdn_spec_destroy(spec);
  remove(path);
}
END_TEST

/* Numbers and texts that no example has. */
START_TEST(test_odd_numbers_and_texts) {
  char path[64];
  save_path(path, ".json");
  cdn_spec *spec, *again;
  OK(cdn_spec_create(&(cdn_spec_def){ sizeof(cdn_spec_def), "a \"name\" \\ with \t and \xc3\xa4", { 0 } }, &spec));
  cdn_spec_medium medium = cdn_default_spec_medium();
  medium.density = 1.2, medium.wind = cdn_v3(0.1, 0, -3);
  OK(cdn_spec_set_medium(spec, &medium));
  cdn_spec_body body = cdn_default_spec_body();
  body.name = "b\n{}";
  body.mass =
      (cdn_mass_properties){ 0.1 + 0.2, { -0.0, 1e-320, 1.7976931348623157e308 }, { 1, 2, 3, 1e22, -1e-7, 3e15 } };
  OK(cdn_spec_add_body(spec, &body, NULL));
  cdn_spec_joint joint = cdn_default_spec_joint();
  joint.name = "j", joint.child = "b\n{}", joint.kind = CDN_SCREW, joint.params[0] = 1. / 3;
  joint.cut = CDN_CUT_JOINT, joint.lock = CDN_LEVEL_VELOCITY;
  OK(cdn_spec_add_joint(spec, &joint, NULL));
  cdn_spec_key key = cdn_default_spec_key();
  const double q[2] = { 1, -2.5 }, controls[3] = { 3, 1e-300, 5 };
  key.name = "k", key.q = q, key.nq = 2, key.time = 4, key.controls = controls, key.n_actuators = 3;
  OK(cdn_spec_add_key(spec, &key, NULL));
  OK(cdn_spec_save(spec, path, NULL));
  OK(cdn_spec_load(path, NULL, &again));
  same(spec, again);
  ck_assert_str_eq(cdn_spec_name(again), cdn_spec_name(spec));
  cdn_spec_destroy(spec);
  cdn_spec_destroy(again);
  remove(path);
}
END_TEST

static const struct {
  const char *text, *says;
} mistakes[] = {
  { "{}", "begins with" },
  { "{ \"cardan model\": 2 }", "the version" },
  { "{ \"cardan model\": 1, \"bodys\": [] }", "\"bodys\" is unknown" },
  { "{ \"cardan model\": 1,\n \"bodies\": [ { \"name\": } ] }", ":2: " },
  { "{ \"cardan model\": 1, \"bodies\": {} }", "should be a list" },
  { "{ \"cardan model\": 1, \"bodies\": [ 3 ] }", "body 0 should be an object" },
  { "{ \"cardan model\": 1, \"bodies\": [ { \"name\": \"arm\", \"mas\": 3 } ] }", "body 0 'arm': \"mas\" is unknown" },
  { "{ \"cardan model\": 1, \"bodies\": [ { \"com\": [1, 2] } ] }", "should be 3 numbers" },
  { "{ \"cardan model\": 1, \"bodies\": [ { \"mass\": \"heavy\" } ] }", "should be 1 number" },
  { "{ \"cardan model\": 1, \"joints\": [ { \"kind\": \"hinge\" } ] }", "should be one of: weld, pin, slider" },
  { "{ \"cardan model\": 1, \"joints\": [ { \"kind\": \"custom\" } ] }", "functions" },
  { "{ \"cardan model\": 1, \"joints\": [ { \"limited\": 1 } ] }", "true or false" },
  { "{ \"cardan model\": 1, \"shapes\": [ { \"condim\": 3.5 } ] }", "whole number" },
  { "{ \"cardan model\": 1, \"keys\": [ { \"controls\": [1], \"activations\": [1, 2] } ] }", "another length" },
  { "{ \"cardan model\": 1, \"keys\": [ { \"q\": [[[1]]] } ] }", "list of numbers" },
  { "{ \"cardan model\": 1, \"solver\": { \"timestep\": -1 } }", "the solver" },
  { "{ \"cardan model\": 1, \"gravity\": [0, 0, \"inf\"] }", "an infinity" },
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

START_TEST(test_mistakes_are_named) {
  for (int i = 0; i < MISTAKES; i++) {
    cdn_spec *spec;
    cdn_error error;
    ck_assert(cdn_spec_load_string(mistakes[i].text, strlen(mistakes[i].text), "m", NULL, &spec) != CDN_OK);
    cdn_spec_last_error(spec, &error);
    ck_assert_msg(strstr(error.text, mistakes[i].says), "'%s' lacks '%s'", error.text, mistakes[i].says);
    cdn_spec_destroy(spec);
  }
}
END_TEST

/* Cut anywhere, and with a letter changed, a file is read or refused. */
START_TEST(test_broken_files_are_refused) {
  char model[300], path[64], text[20000];
  example_path(model, "pendulum.xml");
  save_path(path, ".json");
  cdn_spec *spec;
  OK(cdn_spec_load(model, NULL, &spec));
  OK(cdn_spec_save(spec, path, NULL));
  cdn_spec_destroy(spec);
  FILE *file = fopen(path, "rb");
  const size_t size = fread(text, 1, sizeof text, file);
  fclose(file);
  remove(path);
  for (size_t n = 0; n < size; n += SANITIZED ? 13 : 3) {
    ck_assert(n + 2 >= size || cdn_spec_load_string(text, n, "m", NULL, &spec) != CDN_OK);
    if (n + 2 < size) cdn_spec_destroy(spec);
    const char kept = text[n];
    text[n] = "{[\"0-,:z"[n % 8];
    (void)!cdn_spec_load_string(text, size, "m", NULL, &spec);
    cdn_spec_destroy(spec);
    text[n] = kept;
  }
}
END_TEST

START_TEST(test_what_cannot_be_written_is_refused) {
  cdn_spec *spec;
  OK(cdn_spec_create(NULL, &spec));
  FAILS(cdn_spec_save(spec, "/tmp/model.yaml", NULL), CDN_ERR_UNSUPPORTED);
  ck_assert(strstr(cdn_last_error_text(), ".json"));
  FAILS(cdn_spec_save(spec, "/nowhere/model.json", NULL), CDN_ERR_FILE);
  FAILS(cdn_spec_save(NULL, "/tmp/model.json", NULL), CDN_ERR_ARG);
  FAILS(cdn_spec_save(spec, NULL, NULL), CDN_ERR_ARG);
  cdn_spec_joint joint = cdn_default_spec_joint();
  cdn_function_mobilizer functions = cdn_default_function_mobilizer();
  joint.name = "cam", joint.functions = &functions, joint.kind = CDN_FUNCTION_BASED;
  OK(cdn_spec_add_joint(spec, &joint, NULL));
  FAILS(cdn_spec_save(spec, "/tmp/model.json", NULL), CDN_ERR_UNSUPPORTED);
  ck_assert(strstr(cdn_last_error_text(), "'cam'"));
  cdn_spec_destroy(spec);
}
END_TEST

CHECK_MAIN("spec_save", test_what_is_read_again_is_the_same, test_mjcf_is_the_same, test_delays_and_rays_are_kept,
           test_edits_count, test_what_mjcf_cannot_hold, test_a_body_called_world, test_urdf_moves_alike,
           test_what_urdf_cannot_hold, test_odd_numbers_and_texts, test_mistakes_are_named,
           test_broken_files_are_refused, test_what_cannot_be_written_is_refused)
