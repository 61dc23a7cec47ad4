/* Models that are attached to models, of files in memory: what is there once or twice, what is in what, what the world
 * is, and what is refused. */
#include "testing.h"

#include <cardan/model.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/spec_references.h"

/* "main.xml", and what it attaches: "a.xml", "b.xml", ... */
typedef struct given {
  const char *texts[4];
} given;

static cdn_status give(void *user, const char *path, const void **bytes, size_t *size) {
  const given *g = user;
  const char *text = path[0] >= 'a' && path[0] < 'e' && strcmp(path + 1, ".xml") == 0 ? g->texts[path[0] - 'a'] : NULL;
  if (!text) return CDN_ERR_FILE;
  *bytes = text, *size = strlen(text);
  return CDN_OK;
}

static cdn_spec *try_read(const char *inside, const char *rest, given g, cdn_error *error) {
  char text[6000];
  cdn_spec *spec;
  cdn_model_options options = cdn_default_model_options();
  options.read_file = give, options.read_file_user = &g;
  snprintf(
      text, sizeof text,
      "<mujoco><compiler angle='radian'/><asset><model name='a' file='a.xml'/></asset>\n<worldbody>%s</worldbody>%s"
      "</mujoco>",
      inside, rest);
  const cdn_status status = cdn_spec_load_string(text, strlen(text), "main.xml", &options, &spec);
  cdn_spec_last_error(spec, error);
  ck_assert((status == CDN_OK) == (error->code == CDN_OK));
  return spec;
}

static cdn_spec *read_good(const char *inside, const char *rest, given g) {
  cdn_error error;
  cdn_spec *spec = try_read(inside, rest, g, &error);
  ck_assert_msg(error.code == CDN_OK, "%s", error.text);
  return spec;
}

static int count(const cdn_spec *spec, cdn_spec_kind kind) { return cdn_spec_count(spec, kind); }
static int find(const cdn_spec *spec, cdn_spec_kind kind, const char *name) { return cdn_spec_find(spec, kind, name); }
static void each_name_is_there_once(const cdn_spec *spec, cdn_spec_kind kind) {
  for (int i = 0; i < count(spec, kind); i++) {
    const char *name = io_element_name(spec, kind, i);
    ck_assert_msg(find(spec, kind, name) == i, "'%s' is there twice", name);
  }
}

#define ARM                                                                                                     \
  "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><body name='x'><joint name='x'/>" \
  "<geom name='x' type='mesh' mesh='m'/><site name='x'/></body><body name='y'><joint name='y'/><geom name='y' " \
  "size='1'/></body></worldbody><actuator><motor name='x' joint='x'/><motor name='y' joint='y'/></actuator>"

/* MuJoCo takes elements without names as often as one likes; of the same file the same assets are there once. */
START_TEST(test_names_that_are_made_up) {
  static const given g = {
    { "<mujoco><worldbody><geom size='1'/><body><joint/><joint type='slide'/><geom size='1'/><camera/>"
      "<body><geom size='1'/></body></body></worldbody><equality><weld body1='body1' "
      "body2='body2'/></equality></mujoco>" }
  };
  static const given nameless = {
    { "<mujoco><worldbody><geom size='1'/><body><joint/><joint type='slide'/><geom size='1'/>"
      "<camera/><body><geom size='1'/></body></body></worldbody></mujoco>" }
  };
  cdn_error error;
  cdn_spec *spec = try_read("<attach model='a' prefix=''/>", "", g, &error);
  ck_assert_int_ne(error.code, CDN_OK); /* nothing is called so in its file */
  cdn_spec_destroy(spec);
  spec = read_good("<body><joint/><geom size='1'/></body><attach model='a' prefix=''/><attach model='a' prefix=''/>"
                   "<attach model='a' prefix='p'/><frame pos='1 0 0'><attach model='a' prefix='p'/></frame>",
                   "", nameless);
  ck_assert_int_eq(count(spec, CDN_SPEC_BODY), 1 + 4 * 3);
  each_name_is_there_once(spec, CDN_SPEC_BODY);
  each_name_is_there_once(spec, CDN_SPEC_JOINT);
  each_name_is_there_once(spec, CDN_SPEC_SHAPE);
  cdn_spec_destroy(spec);
}
END_TEST

START_TEST(test_assets_are_shared) {
  static const given g = { { "<mujoco model='a'>" ARM "</mujoco>" } };
  cdn_spec *spec = read_good("<attach model='a' body='x' prefix='p_'/><attach model='a' body='y' prefix='p_'/>"
                             "<attach model='a' body='x' prefix='q_'/><replicate count='3' sep='-'><attach model='a' "
                             "body='x' prefix='r_'/></replicate><body name='o'><geom size='1'/><site name='o'/></body>"
                             "<attach body='q_x' prefix='s_'/><attach body='o' prefix='t_'/>",
                             "<actuator><motor name='own' joint='r_x'/></actuator>", g);
  ck_assert_int_eq(count(spec, CDN_SPEC_ASSET), 3); /* p_m, q_m, r_m */
  ck_assert_int_ge(find(spec, CDN_SPEC_ASSET, "r_m"), 0);
  cdn_spec_shape shape;
  OK(cdn_spec_get_shape(spec, find(spec, CDN_SPEC_SHAPE, "r_x-2"), &shape));
  ck_assert_str_eq(shape.asset, "r_m");
  OK(cdn_spec_get_shape(spec, find(spec, CDN_SPEC_SHAPE, "s_q_x"), &shape));
  ck_assert_str_eq(shape.asset, "q_m");
  ck_assert_int_ge(find(spec, CDN_SPEC_FRAME, "t_o"), 0);
  static const char *const actuators[] = { "own-0", "own-1", "own-2", "p_x",   "p_y",
                                           "q_x",   "r_x-0", "r_x-1", "r_x-2", "s_q_x" };
  ck_assert_int_eq(count(spec, CDN_SPEC_ACTUATOR), 10);
  for (int i = 0; i < 10; i++) ck_assert_msg(find(spec, CDN_SPEC_ACTUATOR, actuators[i]) == i, "%s", actuators[i]);
  cdn_spec_destroy(spec);
}
END_TEST

/* A texture, a material and a mesh may have one name. */
START_TEST(test_assets_of_one_name) {
  static const given g = {
    { "<mujoco model='a'><asset><texture name='m' type='2d' builtin='flat' width='8' height='8'/>"
      "<material name='m' texture='m'/></asset>" ARM "</mujoco>" }
  };
  cdn_spec *spec = read_good("<attach model='a' body='x' prefix='p_'/><attach model='a' body='x' prefix='q_'/>", "", g);
  int types[CDN_ASSET_MATERIAL + 1] = { 0 };
  cdn_spec_asset asset;
  for (int i = 0; i < count(spec, CDN_SPEC_ASSET); i++) {
    OK(cdn_spec_get_asset(spec, i, &asset));
    ck_assert_str_eq(asset.name + 1, "_m");
    types[asset.type]++;
  }
  ck_assert(types[CDN_ASSET_TEXTURE] == 2 && types[CDN_ASSET_MATERIAL] == 2 && types[CDN_ASSET_MESH] == 2);
  cdn_spec_destroy(spec);
}
END_TEST

/* Models in models, which attach parts of themselves. */
START_TEST(test_models_in_models) {
  static const given g = {
    { "<mujoco model='a'><default><default class='k'><joint damping='7'/></default></default><asset><model name='b' "
      "file='b.xml'/></asset><worldbody><body name='u'><joint name='u'/><geom size='1'/><frame name='f' pos='1 0 0'><site "
      "name='f'/><attach model='b' body='y' prefix='b_'/></frame></body><frame pos='0 2 0'><attach body='u' "
      "prefix='again_'/></frame></worldbody><actuator><motor name='u' joint='u'/><motor name='deep' joint='b_y'/>"
      "</actuator></mujoco>",
      "<mujoco model='b'>" ARM "</mujoco>" }
  };
  cdn_spec *spec =
      read_good("<frame pos='0 0 3'><attach model='a' prefix='p_'/></frame><frame pos='9 0 0'><attach "
                "model='a' frame='f' prefix='q_'/></frame><frame pos='8 0 0'><attach model='a' body='b_y' "
                "prefix='s_'/></frame><body name='own'><joint name='own' class='p_k'/><geom size='1'/></body>",
                "<sensor><jointpos name='deep' joint='p_again_b_y'/><framepos name='f' objtype='site' "
                "objname='q_f'/></sensor>",
                g);
  static const char *const bodies[] = { "p_u", "p_b_y", "p_again_u", "p_again_b_y", "q_b_y", "s_b_y", "own" };
  static const double at[][3] = { { 0, 0, 3 },  { 1, 0, 0 }, { 0, 2, 3 }, { 1, 0, 0 },
                                  { 10, 0, 0 }, { 8, 0, 0 }, { 0, 0, 0 } };
  ck_assert_int_eq(count(spec, CDN_SPEC_BODY), 7);
  for (int i = 0; i < 7; i++) {
    cdn_spec_joint joint;
    ck_assert_msg(find(spec, CDN_SPEC_BODY, bodies[i]) == i, "%s", bodies[i]);
    OK(cdn_spec_get_joint(spec, i, &joint));
    ck_assert_str_eq(joint.child, bodies[i]);
    NEAR(joint.X_PF.p.x, at[i][0], 1e-15);
    NEAR(joint.X_PF.p.y, at[i][1], 1e-15);
    NEAR(joint.X_PF.p.z, at[i][2], 1e-15);
    if (i == 6) ck_assert(joint.damping == 7);
  }
  static const char *const actuators[] = { "p_u",         "p_deep", "p_b_y", "p_again_u", "p_again_deep",
                                           "p_again_b_y", "q_deep", "q_b_y", "s_deep",    "s_b_y" };
  ck_assert_int_eq(count(spec, CDN_SPEC_ACTUATOR), 10);
  for (int i = 0; i < 10; i++) ck_assert_msg(find(spec, CDN_SPEC_ACTUATOR, actuators[i]) == i, "%s", actuators[i]);
  cdn_spec_sensor sensor;
  OK(cdn_spec_get_sensor(spec, 1, &sensor));
  ck_assert_ptr_null(sensor.body);
  NEAR(sensor.X_BS.p.x, 10, 1e-15);
  cdn_spec_destroy(spec);
}
END_TEST

/* The world that a model names is that of the whole: what is connected with it holds in the reference configuration.
 * MuJoCo 3.14 has these numbers. */
START_TEST(test_the_world_stays) {
  static const given g = {
    { "<mujoco model='a'><worldbody><site name='ws' pos='1 0 0'/><body name='x' pos='0 1 0'><joint name='x'/><geom "
      "size='.2'/><site name='xs'/></body></worldbody><contact><exclude body1='x' body2='world'/></contact><equality>"
      "<connect name='e' body1='x' anchor='1 0 0'/><weld name='w' body1='x'/><weld name='given' body1='x' relpose='1 2 3 1 "
      "0 0 0'/><connect name='sites' site1='xs' site2='ws'/><weld name='anchor' body1='x' anchor='0 0 2'/></equality>"
      "<sensor><framepos name='site' objtype='site' objname='ws'/><framepos name='world' objtype='body' objname='x' "
      "reftype='body' refname='world'/></sensor></mujoco>" }
  };
  cdn_spec *spec =
      read_good("<body name='o' pos='0 0 5'><joint name='o'/><geom size='.1'/><frame pos='0 0 1' euler='0 0 "
                "1.5707963267948966'><attach model='a' prefix='p_'/></frame></body>",
                "", g);
  static const struct {
    const char *name;
    double a[3], b[3]; /* places of the ends on x and in the world */
  } ends[] = { { "p_e", { 1, 0, 0 }, { -1, 1, 6 } },
               { "p_w", { 0, -1, -6 }, { 0, 0, 0 } },
               { "p_given", { 1, 2, 3 }, { 0, 0, 0 } },
               { "p_anchor", { 0, -1, -4 }, { 0, 0, 2 } } };
  for (int i = 0; i < 4; i++) {
    cdn_spec_constraint c;
    OK(cdn_spec_get_constraint(spec, find(spec, CDN_SPEC_CONSTRAINT, ends[i].name), &c));
    ck_assert_str_eq(c.body_a, "p_x");
    ck_assert_ptr_null(c.body_b);
    const double a[3] = { c.X_A.p.x, c.X_A.p.y, c.X_A.p.z }, b[3] = { c.X_B.p.x, c.X_B.p.y, c.X_B.p.z };
    for (int k = 0; k < 3; k++) {
      NEAR(a[k], ends[i].a[k], 1e-14);
      NEAR(b[k], ends[i].b[k], 1e-14);
    }
  }
  cdn_spec_constraint sites;
  OK(cdn_spec_get_constraint(spec, find(spec, CDN_SPEC_CONSTRAINT, "p_sites"), &sites));
  ck_assert_str_eq(sites.body_b, "o");
  NEAR(sites.X_B.p.y, 1, 1e-15);
  cdn_spec_contact exclude;
  OK(cdn_spec_get_contact(spec, 0, &exclude));
  ck_assert_str_eq(exclude.body_a, "p_x");
  ck_assert_ptr_null(exclude.body_b);
  cdn_spec_sensor sensor;
  OK(cdn_spec_get_sensor(spec, 0, &sensor));
  ck_assert_str_eq(sensor.body, "o");
  OK(cdn_spec_get_sensor(spec, 1, &sensor));
  ck_assert_ptr_null(sensor.reference);
  NEAR(sensor.X_RS.p.z, 0, 0);
  cdn_spec_destroy(spec);
}
END_TEST

START_TEST(test_mistakes_in_files) {
  static const char cyclic[] = "<mujoco model='a'><asset><model name='b' file='b.xml'/></asset>\n<worldbody>\n"
                               "<attach model='b' prefix='b_'/></worldbody></mujoco>";
  static const char back[] = "<mujoco model='b'><asset><model name='a' file='a.xml'/></asset>\n<worldbody><body>"
                             "\n\n<attach model='a' prefix='a_'/></body></worldbody></mujoco>";
  static const char arm[] = "<mujoco model='a'>" ARM "</mujoco>";
  static const char bird[] =
      "<mujoco><worldbody><body name='bird'><freejoint/><geom size='1'/></body></worldbody></mujoco>";
  static const struct {
    const char *world, *a, *b;
    const char *words[3];
  } cases[] = {
    { "<attach model='a' prefix='p'/>", cyclic, back, { "b.xml:4: <attach>", "'a.xml'", "take this element out" } },
    { "<attach model='a' prefix=''/><attach model='a' prefix=''/>",
      arm,
      "",
      { "main.xml:2: <attach>", "'x'", "prefix" } },
    { "<body name='px'><geom size='1'/></body>\n<attach model='a' prefix='p'/>",
      arm,
      "",
      { "main.xml:3: <attach>", "body 'px'", "another prefix" } },
    { "<body><joint/><geom size='1'/>\n<attach model='a' prefix='p'/></body>",
      bird,
      "",
      { "main.xml:3: <attach>", "'bird'", "free joint" } },
    { "\n<attach model='a' prefix='p'/>",
      "<robot name='a'><link name='a'/></robot>",
      "",
      { "main.xml:3: <attach>", "<robot>", "cardan convert --attach" } },
    { "<attach model='a' frame='z' prefix='p'/>", arm, "", { "main.xml:2: <attach>", "frame 'z'", "correct" } },
    { "<attach model='a' prefix='p'/>",
      "<mujoco>\n<worldbody><body><joint type='odd'/></body></worldbody></mujoco>",
      "",
      { "a.xml:2: <joint>", "odd", "hinge" } },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cdn_error error;
    cdn_spec *spec = try_read(cases[i].world, "", (given){ { cases[i].a, cases[i].b } }, &error);
    for (int k = 0; k < 3; k++)
      ck_assert_msg(strstr(error.text, cases[i].words[k]), "%s: %s", cases[i].words[k], error.text);
    cdn_spec_destroy(spec);
  }
}
END_TEST

/* What the file does not name gets no name of something attached, and the other way round. */
START_TEST(test_names_do_not_meet) {
  static const given g = {
    { "<mujoco><worldbody><light name='lamp'/><light/><camera name='eye'/><body name='x'><joint "
      "name='x'/><geom name='x' size='1'/></body></worldbody><contact><exclude name='no' body1='x' "
      "body2='world'/></contact><actuator><motor joint='x'/></actuator><sensor><jointpos joint='x'/>"
      "</sensor></mujoco>" }
  };
  cdn_spec *spec =
      read_good("<attach model='a' prefix='p_'/><frame pos='1 0 0'><attach model='a' prefix=''/></frame>",
                "<actuator><motor joint='p_x'/><motor joint='x'/></actuator><sensor><jointpos joint='p_x'/>"
                "</sensor>",
                g);
  each_name_is_there_once(spec, CDN_SPEC_ACTUATOR);
  each_name_is_there_once(spec, CDN_SPEC_SENSOR);
  ck_assert_int_ge(find(spec, CDN_SPEC_LIGHT, "lamp"), 0);
  ck_assert_int_ge(find(spec, CDN_SPEC_LIGHT, "p_lamp"), 0);
  ck_assert_int_ge(find(spec, CDN_SPEC_CAMERA, "eye"), 0);
  ck_assert_int_ge(find(spec, CDN_SPEC_CONTACT, "no"), 0);
  cdn_spec_destroy(spec);
}
END_TEST

/* Each file attaches the next one twice: twice as many with every file. */
static cdn_status give_doubling(void *user, const char *path, const void **bytes, size_t *size) {
  char *text = user;
  const int i = atoi(path + 1);
  snprintf(
      text, 500,
      "<mujoco><asset><model name='n' file='f%d'/></asset><worldbody><body><geom size='1'/></body><attach model='n' "
      "prefix='a'/><attach model='n' prefix='b'/></worldbody></mujoco>",
      i + 1);
  if (i > 18) snprintf(text, 500, "<mujoco><worldbody/></mujoco>");
  *bytes = text, *size = strlen(text);
  return CDN_OK;
}

/* Each file attaches the next one once. */
static cdn_status give_chain(void *user, const char *path, const void **bytes, size_t *size) {
  char *text = user;
  snprintf(text, 500,
           "<mujoco><asset><model name='n' file='f%d'/></asset><worldbody><body><geom size='1'/><attach model='n' "
           "prefix='a'/></body></worldbody></mujoco>",
           atoi(path + 1) + 1);
  *bytes = text, *size = strlen(text);
  return CDN_OK;
}

START_TEST(test_what_grows_too_large_is_refused) {
  static const char main[] =
      "<mujoco><asset><model name='n' file='f0'/></asset><worldbody><attach model='n' prefix='p'/>"
      "</worldbody></mujoco>";
  char text[500];
  cdn_spec *spec;
  cdn_error error;
  cdn_model_options options = cdn_default_model_options();
  options.read_file = give_doubling, options.read_file_user = text;
  FAILS(cdn_spec_load_string(main, sizeof main - 1, "main.xml", &options, &spec), CDN_ERR_LIMIT);
  cdn_spec_last_error(spec, &error);
  ck_assert_msg(strstr(error.text, "more than 20000 models are attached"), "%s", error.text);
  cdn_spec_destroy(spec);
  options.read_file = give_chain;
  FAILS(cdn_spec_load_string(main, sizeof main - 1, "main.xml", &options, &spec), CDN_ERR_LIMIT);
  cdn_spec_last_error(spec, &error);
  ck_assert_msg(strstr(error.text, "f49:1: <attach>") && strstr(error.text, "more than 50 deep"), "%s", error.text);
  cdn_spec_destroy(spec);
}
END_TEST

CHECK_MAIN("io_mjcf_nested", test_names_that_are_made_up, test_names_do_not_meet, test_assets_are_shared,
           test_assets_of_one_name, test_models_in_models, test_the_world_stays, test_mistakes_in_files,
           test_what_grows_too_large_is_refused)
