/* Who touches whom, by model files: pairs, exclusions, masks, switches; and where shapes come from: files, numbers in
 * the file, packages. */
#define _GNU_SOURCE
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static cdn_model *model;

static void load_with(const char *text, const char *name, bool contact) {
  cdn_model_options options = cdn_default_model_options();
  if (contact) options.contact = CDN_MODEL_COMPLIANT;
  const cdn_status status = cdn_model_load_string(text, strlen(text), name, &options, &model);
  cdn_error error;
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
}

static void load(const char *text) { load_with(text, "m.xml", true); }

static int pair_count(void) {
  const cdn_system *system = cdn_model_system(model);
  const int n = cdn_system_shape_count(system);
  int count = 0;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) count += cdn_shapes_may_touch(system, (cdn_shape){ i }, (cdn_shape){ j });
  return count;
}

static bool may_touch(const char *a, const char *b) {
  cdn_shape shape[2];
  shape[0] = cdn_system_find_shape(cdn_model_system(model), a);
  ck_assert_int_ge(shape[0].i, 0);
  shape[1] = cdn_system_find_shape(cdn_model_system(model), b);
  ck_assert_int_ge(shape[1].i, 0);
  return cdn_shapes_may_touch(cdn_model_system(model), shape[0], shape[1]);
}

#define BALL(name, more) "<geom name='" name "' type='sphere' size='.1' " more "/>"
#define FREE(name, x, more) "<body name='" name "' pos='" x " 0 0'><freejoint/>" BALL(name, more) "</body>"
#define FLOOR "<geom name='floor' type='plane' size='1 1 1'/>"

/* ---- spec ---- */

static const char with_contacts[] = "<mujoco><default><pair condim='4' friction='.1 .2'/></default><worldbody>" FLOOR
    FREE("a", "0", "priority='2' margin='.03' gap='.01'") FREE(
        "b", "1",
        "condim='1'") "</worldbody>\n"
                      "<contact><exclude name='no' body1='world' body2='b'/>\n<pair geom1='a' geom2='floor' friction='.9' margin='.1' gap='.2' "
                      "solref='.1 1' solimp='1 1 1 1 1' solreffriction='1 1'/></contact></mujoco>";

START_TEST(contacts_are_elements_of_a_spec) {
  cdn_spec *spec, *copy;
  OK(cdn_spec_load_string(with_contacts, strlen(with_contacts), "m.xml", NULL, &spec));
  OK(cdn_spec_copy(spec, &copy));
  cdn_spec_destroy(spec);
  ck_assert_int_eq(cdn_spec_count(copy, CDN_SPEC_CONTACT), 2);
  cdn_spec_contact no, pair;
  OK(cdn_spec_get_contact(copy, cdn_spec_find(copy, CDN_SPEC_CONTACT, "no"), &no));
  OK(cdn_spec_get_contact(copy, 1, &pair));
  ck_assert(no.exclude && !no.body_a && strcmp(no.body_b, "b") == 0 && no.line == 2);
  ck_assert(!pair.exclude && strcmp(pair.shape_a, "a") == 0 && strcmp(pair.shape_b, "floor") == 0);
  /* A short list has the class's tail, and beyond that MuJoCo's. */
  ck_assert(pair.condim == 4 && pair.friction[0] == 0.9 && pair.friction[1] == 0.2 && pair.friction[2] == 0.005);
  ck_assert(pair.margin == 0.1 && pair.gap == 0.2);
  cdn_spec_shape shape;
  OK(cdn_spec_get_shape(copy, cdn_spec_find(copy, CDN_SPEC_SHAPE, "a"), &shape));
  ck_assert(shape.priority == 2 && shape.margin == 0.03 && shape.gap == 0.01);
  cdn_spec_destroy(copy);
}
END_TEST

static void refused(const char *contact, const char *says) {
  char text[600];
  snprintf(text, sizeof text, "<mujoco><worldbody>" FREE("a", "0", "") "</worldbody><contact>%s</contact></mujoco>",
           contact);
  cdn_spec *spec;
  ck_assert_int_eq(cdn_spec_load_string(text, strlen(text), "m.xml", NULL, &spec), CDN_ERR_PARSE);
  cdn_error error;
  cdn_spec_last_error(spec, &error);
  ck_assert_msg(strstr(error.text, says), "%s", error.text);
  cdn_spec_destroy(spec);
}

START_TEST(wrong_names_are_refused) {
  refused("<exclude body1='a' body2='c'/>", "body2='c' names no body");
  refused("<exclude body1='a'/>", "body2");
  refused("<pair geom1='a' geom2='c'/>", "geom2='c' names no geom");
  refused("<pair geom1='a' geom2='a' friction='x'/>", "friction");
}
END_TEST

/* ---- who touches whom ---- */

START_TEST(masks_and_exclusions_hold) {
  load("<mujoco><worldbody>" FLOOR FREE("a", "0", "") FREE("b", "1", "contype='2' conaffinity='4'")
           FREE("c", "2", "contype='4' conaffinity='0'")
               FREE("d", "3",
                    "contype='0' conaffinity='0'") "</worldbody>"
                                                   "<contact><exclude body1='world' body2='a'/></contact></mujoco>");
  ck_assert_int_eq(cdn_system_shape_count(cdn_model_system(model)), 4);
  ck_assert(may_touch("b", "c") && !may_touch("a", "b") && !may_touch("floor", "a"));
  ck_assert_int_eq(pair_count(), 1);
  ck_assert_int_eq(cdn_model_not_understood_count(model), 0);
  cdn_model_destroy(model);
}
END_TEST

/* Bodies with several joints: a frame without mass is between a and b. c is welded to b. */
#define CHAIN                                                                                                                      \
  "<worldbody>" FLOOR                                                                                                              \
  "<body name='a'><freejoint/>" BALL("a", "") "<body name='b'><joint/><joint axis='1 0 0'/>" BALL("b", "") "<body name='c'>" BALL( \
      "c",                                                                                                                         \
      "") "<body name='d'><joint/><joint axis='1 0 0'/>" BALL("d",                                                                 \
                                                              "") "<body name='e'><joint/>" BALL("e",                              \
                                                                                                 "") "</body></body></body></body></body></worldbody>"

START_TEST(parents_do_not_touch_whatever_the_joints) {
  load("<mujoco>" CHAIN "</mujoco>");
  ck_assert(!may_touch("a", "b") && !may_touch("a", "c") && !may_touch("b", "c") && !may_touch("b", "d"));
  ck_assert(!may_touch("c", "d") && !may_touch("d", "e"));
  ck_assert(may_touch("a", "d") && may_touch("a", "e") && may_touch("b", "e") && may_touch("c", "e"));
  ck_assert_int_eq(pair_count(), 5 + 4);
  cdn_model_destroy(model);
  load("<mujoco><option><flag filterparent='disable'/></option>" CHAIN "</mujoco>");
  ck_assert(may_touch("a", "b") && may_touch("c", "d") && may_touch("d", "e") && !may_touch("b", "c"));
  ck_assert_int_eq(pair_count(), 5 + 9);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(a_file_may_switch_contact_off) {
  load("<mujoco><option><flag contact='disable'/></option><worldbody>" FLOOR FREE(
      "a", "0", "") "</worldbody>"
                    "<contact><pair geom1='a' geom2='floor'/></contact></mujoco>");
  ck_assert_int_eq(cdn_system_shape_count(cdn_model_system(model)), 0);
  cdn_model_destroy(model);
  load("<mujoco><worldbody><geom type='plane' size='1 1 1' contype='0' conaffinity='0'/>" FREE(
      "a", "0", "contype='0' conaffinity='0'") "</worldbody></mujoco>");
  ck_assert_int_eq(cdn_system_shape_count(cdn_model_system(model)), 0);
  ck_assert_int_eq(cdn_model_not_understood_count(model) + cdn_model_warning_count(model), 0);
  cdn_model_destroy(model);
}
END_TEST

/* ---- robots ---- */

#define LINK(name, geometry)                                                                                    \
  "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>" \
  "</inertial><collision name='same'><geometry>" geometry "</geometry></collision></link>"
#define JOINT(parent, child, xyz)                                                                                     \
  "<joint name='" child "' type='continuous'><parent link='" parent "'/><child link='" child "'/><axis xyz='0 1 0'/>" \
  "<origin xyz='" xyz "'/></joint>"
#define SPHERE "<sphere radius='.1'/>"

START_TEST(robots_may_overlap_themselves_and_repeat_names) {
  load_with("<robot name='r'>" LINK("a", SPHERE) LINK("b", SPHERE) LINK("c", SPHERE) LINK("d", SPHERE)
                JOINT("a", "b", "1 0 0") JOINT("b", "c", "-1 0 0") JOINT("c", "d", "0 0 5") "</robot>",
            "r.urdf", true);
  ck_assert_int_eq(cdn_model_warning_count(model), 1);
  ck_assert_msg(strstr(cdn_model_warning(model, 0), "'a' and 'c'"), "%s", cdn_model_warning(model, 0));
  ck_assert(!may_touch("same", "same 3") && may_touch("same", "same 4") && may_touch("same 2", "same 4"));
  ck_assert_int_eq(cdn_model_not_understood_count(model), 0);
  cdn_model_destroy(model);
}
END_TEST

static void write_bytes(const char *path, const void *bytes, size_t n) {
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_eq((int)fwrite(bytes, 1, n, file), (int)n);
  fclose(file);
}

static void write_text(const char *path, const char *text) { write_bytes(path, text, strlen(text)); }

static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/* Where the robot's file is in a package, and meshes are beside its directory. */
START_TEST(meshes_of_packages_are_found) {
  char directory[] = "/tmp/cardan_io_XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(directory));
  ck_assert_int_eq(chdir(directory), 0);
  ck_assert(mkdir("arm", 0700) == 0 && mkdir("arm/urdf", 0700) == 0 && mkdir("arm/meshes", 0700) == 0);
  write_text("arm/meshes/a.obj", tetrahedron);
  write_text("arm/urdf/r.urdf",
             "<robot name='r'>" LINK("a", "<mesh filename='package://arm/meshes/a.obj'/>")
                 LINK("b", "<mesh filename='package://arm/meshes/b.obj'/>") JOINT("a", "b", "1 0 0") "</robot>");
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_COMPLIANT;
  for (int k = 0; k < 3; k++) {
    if (k == 1) ck_assert_int_eq(chdir("arm"), 0);
    if (k == 2) ck_assert_int_eq(chdir("urdf"), 0);
    char path[200];
    snprintf(path, sizeof path, "%s/arm/urdf/r.urdf", directory);
    OK(cdn_model_load(k == 0 ? "arm/urdf/r.urdf" : k == 1 ? path : "../urdf/r.urdf", &options, &model));
    if (k < 2) ck_assert_int_eq(cdn_system_shape_count(cdn_model_system(model)), 1);
    ck_assert_int_eq(cdn_model_warning_count(model), 1);
    ck_assert_msg(strstr(cdn_model_warning(model, 0), "mesh 'b.obj' is left out") || k == 2, "%s",
                  cdn_model_warning(model, 0));
    cdn_model_destroy(model);
  }
}
END_TEST

/* ---- assets ---- */

/* How often the file was opened and closed while a model was loaded. (Events of one kind in a row count once.) */
static int opened(const char *path, cdn_model_contact contact, bool ground) {
  char events[4096] __attribute__((aligned(8)));
  const int watch = inotify_init1(IN_NONBLOCK);
  ck_assert_int_ge(inotify_add_watch(watch, "a.obj", IN_OPEN | IN_CLOSE), 0);
  cdn_model_options options = cdn_default_model_options();
  options.contact = contact, options.ground = ground;
  OK(cdn_model_load(path, &options, &model));
  ck_assert_int_eq(cdn_model_warning_count(model), 0);
  ck_assert_int_eq(cdn_system_shape_count(cdn_model_system(model)), ground ? 3 : 2);
  cdn_model_destroy(model);
  int n = 0;
  for (ssize_t size; (size = read(watch, events, sizeof events)) > 0;)
    for (char *at = events; at < events + size; n++)
      at += sizeof(struct inotify_event) + ((struct inotify_event *)(void *)at)->len;
  close(watch);
  return n;
}

/* The plane of the option ground needs the meshes to know how low they are; the model has the same. */
START_TEST(a_plane_below_reads_no_mesh_twice) {
  char directory[] = "/tmp/cardan_io_XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(directory));
  ck_assert_int_eq(chdir(directory), 0);
  write_text("a.obj", tetrahedron);
  write_text("r.urdf", "<robot name='r'>" LINK("a", "<mesh filename='a.obj'/>") LINK("b", "<mesh filename='a.obj'/>")
                           JOINT("a", "b", "1 0 0") "</robot>");
  for (int soft = 0; soft < 2; soft++) {
    const cdn_model_contact contact = soft ? CDN_MODEL_SOFT : CDN_MODEL_COMPLIANT;
    const int without = opened("r.urdf", contact, false);
    ck_assert_int_ge(without, 1);
    ck_assert_int_eq(opened("r.urdf", contact, true), without);
  }
}
END_TEST

static void geometry_of(const char *name, cdn_geometry *geometry, cdn_transform *X) {
  cdn_state *state;
  cdn_shape shape;
  shape = cdn_system_find_shape(cdn_model_system(model), name);
  ck_assert_int_ge(shape.i, 0);
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK(cdn_shape_get(state, shape, geometry, X));
  cdn_state_destroy(state);
}

/* The vertices (1, 2, 3) + unit tetrahedron, less refpos, turned back by a quarter turn about z (x to y), doubled. */
START_TEST(vertices_in_the_file_make_hulls) {
  load("<mujoco><asset><mesh name='m' vertex='1 2 3  2 2 3  1 3 3  1 2 4' refpos='1 2 3' scale='2 2 2' "
       "refquat='0.7071067811865476 0 0 0.7071067811865476'/></asset><worldbody>"
       "<body name='b'><freejoint/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>"
       "<geom name='g' type='mesh' mesh='m'/></body></worldbody></mujoco>");
  ck_assert_int_eq(cdn_model_warning_count(model), 0);
  cdn_geometry geometry;
  cdn_transform X;
  cdn_vec3 least, most;
  geometry_of("g", &geometry, &X);
  OK(cdn_geometry_bounds(&geometry, &X, &least, &most));
  /* x, y, z of the tetrahedron become -y, x, z of the result: R' (1, 0, 0) = (0, -1, 0), R' (0, 1, 0) = (1, 0, 0) */
  const double expected[6] = { 0, -2, 0, 2, 0, 2 };
  const double found[6] = { least.x, least.y, least.z, most.x, most.y, most.z };
  for (int i = 0; i < 6; i++) NEAR(found[i], expected[i], 1e-12);
  cdn_model_destroy(model);
}
END_TEST

/* The hull of 1000 points on a ball. */
static cdn_status load_ball(double radius, cdn_model_contact contact, double tolerance, cdn_model_hull_info *hulls) {
  static char text[60000];
  int used = sprintf(text, "<mujoco><asset><mesh name='m' vertex='");
  for (int i = 0; i < 1000; i++) {
    const double z = (i + 0.5) / 500 - 1, angle = 2.399963 * i, r = sqrt(1 - z * z);
    used += sprintf(text + used, "%.9g %.9g %.9g ", radius * r * cos(angle), radius * r * sin(angle), radius * z);
  }
  sprintf(text + used, "'/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='m'/></body><body pos='1 0 0'>"
                       "<freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>");
  cdn_model_options options = cdn_default_model_options();
  cdn_model *ball;
  options.contact = contact;
  if (tolerance != INFINITY) options.hull_tolerance = tolerance;
  const cdn_status status = cdn_model_load_string(text, strlen(text), "ball", &options, &ball);
  if (status == CDN_OK) OK(cdn_model_get_hulls(ball, hulls));
  cdn_model_destroy(ball);
  return status;
}

/* By default by 0.5 mm, or by 1 % of what is small. Soft contact is as MuJoCo has it. */
START_TEST(hulls_are_simplified_as_far_as_the_options_say) {
  cdn_model_hull_info hulls;
  const double by_default = INFINITY;
  OK(load_ball(0.05, CDN_MODEL_COMPLIANT, by_default, &hulls));
  ck_assert_int_eq(hulls.count, 1);
  ck_assert_int_eq(hulls.triangles_of_files, 2 * 1000 - 4);
  ck_assert_int_lt(hulls.triangles, hulls.triangles_of_files);
  ck_assert(hulls.farthest > 0 && hulls.farthest <= 5e-4);
  OK(load_ball(0.01, CDN_MODEL_COMPLIANT, by_default, &hulls));
  ck_assert(hulls.farthest > 0 && hulls.farthest <= 2e-4);
  OK(load_ball(0.05, CDN_MODEL_COMPLIANT, 0, &hulls));
  ck_assert(hulls.triangles == hulls.triangles_of_files && hulls.farthest == 0);
  OK(load_ball(0.05, CDN_MODEL_SOFT, by_default, &hulls));
  ck_assert(hulls.triangles == hulls.triangles_of_files && hulls.farthest == 0);
  FAILS(load_ball(0.05, CDN_MODEL_COMPLIANT, -1, &hulls), CDN_ERR_ARG);
  FAILS(load_ball(0.05, CDN_MODEL_COMPLIANT, NAN, &hulls), CDN_ERR_ARG);
  FAILS(cdn_model_get_hulls(NULL, &hulls), CDN_ERR_ARG);
}
END_TEST

static double height_at(double x, double y) {
  cdn_geometry geometry;
  cdn_transform X;
  cdn_ray_hit hit;
  int n;
  geometry_of("field", &geometry, &X);
  OK(cdn_geometry_ray(&geometry, &X, cdn_v3(x, y, 50), cdn_v3(0, 0, -1), 100, 1, &hit, &n));
  ck_assert_int_eq(n, 1);
  return 50 - hit.distance;
}

#define FIELD(attributes)                                                              \
  "<mujoco><asset><hfield name='h' " attributes " size='2 3 4 1'/></asset><worldbody>" \
  "<geom name='field' type='hfield' hfield='h' pos='0 0 10'/>" FREE("ball", "0", "") "</worldbody></mujoco>"

/* Heights from the least to the largest become 0 to size[2]; a file's rows go along +y, those of a list along -y. */
START_TEST(height_fields_are_read) {
  load(FIELD("nrow='2' ncol='3' elevation='1 1 1  1 2 3'"));
  NEAR(height_at(-1.999, -2.999), 10, 0.02);
  NEAR(height_at(1.999, -2.999), 14, 0.02);
  NEAR(height_at(0, -2.999), 12, 0.02);
  NEAR(height_at(1.999, 2.999), 10, 0.02);
  ck_assert(may_touch("field", "ball"));
  cdn_model_destroy(model);
  load(FIELD("nrow='4' ncol='3'"));
  NEAR(height_at(0.3, 0.7), 10, 1e-12);
  cdn_model_destroy(model);
  char directory[] = "/tmp/cardan_io_XXXXXX", text[1000];
  ck_assert_ptr_nonnull(mkdtemp(directory));
  struct {
    int32_t rows, columns;
    float heights[6];
  } file = { 2, 3, { 1, 1, 1, 1, 2, 3 } };
  char path[100];
  snprintf(path, sizeof path, "%s/h.bin", directory);
  write_bytes(path, &file, sizeof file);
  snprintf(text, sizeof text, FIELD("file='%s'"), path);
  load(text);
  NEAR(height_at(1.999, 2.999), 14, 0.02);
  NEAR(height_at(1.999, -2.999), 10, 0.02);
  cdn_model_destroy(model);
  write_bytes(path, &file, sizeof file - 4);
  load(text);
  ck_assert_int_eq(cdn_system_shape_count(cdn_model_system(model)), 1);
  ck_assert_msg(strstr(cdn_model_warning(model, 0), "height field 'h' is left out") &&
                    strstr(cdn_model_warning(model, 0), "its size"),
                "%s", cdn_model_warning(model, 0));
  cdn_model_destroy(model);
  load(FIELD("file='heights.png'"));
  ck_assert_msg(strstr(cdn_model_warning(model, 0), "pictures are not read"), "%s", cdn_model_warning(model, 0));
  cdn_model_destroy(model);
}
END_TEST

/* Laws that the library lacks are told of; a robot's box on hills is one of them. */
START_TEST(pairs_without_a_law_are_named) {
  load("<mujoco><asset><hfield name='h' nrow='4' ncol='3' size='2 3 4 1'/></asset><worldbody>"
       "<geom name='field' type='hfield' hfield='h'/>" FREE(
           "ball", "0", "") "<body pos='0 0 9'><freejoint/><geom name='brick' type='box' size='1 1 1'/>"
                            "<geom name='hill' type='hfield' hfield='h'/></body></worldbody></mujoco>");
  ck_assert_int_eq(cdn_model_warning_count(model), 1);
  ck_assert_msg(strstr(cdn_model_warning(model, 0), "1 pair of shapes has no law") &&
                    strstr(cdn_model_warning(model, 0), "'field' (height field) and 'hill' (height field)"),
                "%s", cdn_model_warning(model, 0));
  cdn_model_destroy(model);
}
END_TEST

/* ---- primitives that are fitted to meshes ---- */

/* A box of the half lengths 0.3, 0.1, 0.2, off the origin: the longest side comes to lie along z, the shortest along
 * x. */
START_TEST(primitives_are_fitted_to_meshes) {
  static const char *const types[] = { "sphere", "capsule", "cylinder", "ellipsoid", "box" };
  static const double sizes[5][3] = { { 0.2 }, { 0.15, 0.225 }, { 0.15, 0.3 }, { 0.1, 0.2, 0.3 }, { 0.1, 0.2, 0.3 } };
  for (int i = 0; i < 5; i++) {
    char text[900];
    snprintf(
        text, sizeof text,
        "<mujoco><asset><mesh name='brick' vertex='.1 .2 .1 .7 .2 .1 .1 .4 .1 .7 .4 .1 .1 .2 .5 .7 .2 .5 .1 .4 .5 .7 .4 .5'/>"
        "</asset><worldbody><body name='b'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
        "<geom type='%s' mesh='brick' fitscale='2' pos='1 0 0'/></body></worldbody></mujoco>",
        types[i]);
    load(text);
    ck_assert_int_eq(cdn_model_warning_count(model), 0);
    cdn_state *state;
    cdn_geometry g;
    cdn_transform X;
    OK(cdn_state_create(cdn_model_system(model), &state));
    OK_ON(state, cdn_shape_get(state, (cdn_shape){ 0 }, &g, &X));
    for (int k = 0; k < 3 && sizes[i][k] > 0; k++) NEAR(g.size[k], 2 * sizes[i][k], 1e-12);
    NEAR(cdn_norm(cdn_sub(X.p, cdn_v3(1.4, 0.3, 0.3))), 0, 1e-12);
    NEAR(fabs(X.R.z.x), 1, 1e-9);
    NEAR(fabs(X.R.x.y), 1, 1e-9);
    NEAR(cdn_dot(cdn_cross(X.R.x, X.R.y), X.R.z), 1, 1e-12);
    cdn_state_destroy(state);
    cdn_model_destroy(model);
  }
}
END_TEST

/* ---- names, and what the System was told before ---- */

START_TEST(shapes_without_names_are_called_by_body_kind_and_number) {
  load(
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='arm'><freejoint/><geom type='sphere' size='.1'/>"
      "<geom type='box' size='.1 .1 .1'/><geom name='arm sphere 2' type='sphere' size='.2'/>"
      "<geom type='sphere' size='.3'/></body></worldbody></mujoco>");
  static const char *const names[] = { "Ground plane 1", "arm sphere 1", "arm box 1", "arm sphere 2", "arm sphere 3" };
  for (int i = 0; i < 5; i++) ck_assert_str_eq(cdn_shape_name(cdn_model_system(model), (cdn_shape){ i }), names[i]);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(a_system_keeps_what_it_was_told_of_contact) {
  static const char text[] =
      "<mujoco><worldbody>" FLOOR
      "<body name='a'><freejoint/>" BALL("one", "") "<body name='b' pos='.1 0 0'><joint type='slide' range='0 1'/>" BALL(
          "two", "") "</body></body></worldbody></mujoco>";
  for (int told = 0; told < 2; told++) {
    cdn_spec *spec;
    cdn_system *system = cdn_system_create(NULL);
    OK(cdn_spec_load_string(text, strlen(text), "m.xml", NULL, &spec));
    cdn_contact_def def = cdn_default_contact_def();
    def.parent_child = true, def.friction = CDN_FRICTION_SLIP_SPEED;
    if (told) cdn_system_set_contact(system, &def);
    cdn_model_options options = cdn_default_model_options();
    options.contact = CDN_MODEL_COMPLIANT;
    OK(cdn_model_build(spec, &options, system, &model));
    OK(cdn_system_freeze(system));
    ck_assert_int_eq(may_touch("one", "two"), told);
    cdn_state *state;
    OK(cdn_state_create(system, &state));
    int slots;
    OK(cdn_contact_memory(state, &slots, NULL, NULL));
    ck_assert_int_eq(slots > 0, !told); /* memory of friction that sticks, the default of files */
    cdn_state_destroy(state);
    cdn_model_destroy(model);
    cdn_spec_destroy(spec);
    cdn_system_release(system);
  }
}
END_TEST

CHECK_MAIN("io_contact", a_plane_below_reads_no_mesh_twice, primitives_are_fitted_to_meshes,
           shapes_without_names_are_called_by_body_kind_and_number, a_system_keeps_what_it_was_told_of_contact,
           contacts_are_elements_of_a_spec, wrong_names_are_refused, masks_and_exclusions_hold,
           parents_do_not_touch_whatever_the_joints, a_file_may_switch_contact_off,
           robots_may_overlap_themselves_and_repeat_names, meshes_of_packages_are_found,
           vertices_in_the_file_make_hulls, hulls_are_simplified_as_far_as_the_options_say, height_fields_are_read,
           pairs_without_a_law_are_named)
