/* Whole MJCF models through the public door: those that are shipped, and those of others where they are at hand. */
#define _GNU_SOURCE
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cardan/model.h>

static cdn_model *model;

/* False if the file is not there. */
static bool load_from(const char *variable, const char *folder, const char *name, bool strict) {
  char path[1024];
  const char *root = getenv(variable);
  snprintf(path, sizeof path, "%s/%s/%s", root ? root : ".", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  fclose(file);
  cdn_model_options options = cdn_default_model_options();
  options.strict = strict;
  cdn_status status = cdn_model_load(path, &options, &model);
  cdn_error error;
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  return true;
}

static cdn_state *make_state(void) {
  cdn_state *state;
  OK(cdn_state_create(cdn_model_system(model), &state));
  return state;
}

/* What is shipped is simulated whole, has the mass that it states, and can be realized in every keyframe. */
START_TEST(test_shipped_models) {
  const struct {
    const char *name;
    int joints, nq, keys;
    double mass;
  } cases[] = {
    { "walker.xml", 23, 26, 0, 70 },
    { "gymnast.xml", 9, 9, 3, 75.5 },
    /* rods of 1 cm radius, 1.8 m in all, of steel */
    { "pendulum.xml", 2, 2, 3, 7850 * PI * 1e-4 * 1.8 },
    { "top.xml", 2, 11, 1, 1200 * PI * (0.005 * 0.005 * 0.14 + 0.06 * 0.06 * 0.02) + 700 * 8 * 0.15 * 0.1 * 0.01 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_assert(load_from("CARDAN_SOURCE_ROOT", "examples/models", cases[i].name, true));
    ck_assert_int_eq(cdn_model_joint_count(model), cases[i].joints);
    ck_assert_int_eq(cdn_system_nq(cdn_model_system(model)), cases[i].nq);
    ck_assert_int_eq(cdn_model_key_count(model), cases[i].keys);
    ck_assert_int_eq(cdn_model_not_understood_count(model), 0);
    ck_assert_msg(cdn_model_warning_count(model) == 0, "%s", cdn_model_warning(model, 0));
    cdn_state *state = make_state();
    double total, moving;
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    OK_ON(state, cdn_system_mass(state, &total, &moving));
    NEAR(total, cases[i].mass, 1e-12 * cases[i].mass); /* sums of a score of numbers */
    NEAR(moving, total, 1e-12 * total);
    for (int k = 0; k < cases[i].keys; k++) {
      OK(cdn_model_set_key(model, cdn_model_key_name(model, k), state));
      OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    }
    cdn_state_destroy(state);
    cdn_model_destroy(model);
  }
}
END_TEST

/* Two rods, the first level, the second hanging from its end, both at rest: the first accelerations by hand. */
START_TEST(test_shipped_pendulum) {
  ck_assert(load_from("CARDAN_SOURCE_ROOT", "examples/models", "pendulum.xml", true));
  cdn_state *state = make_state();
  const double *q = cdn_state_q(state);
  NEAR(q[0], PI / 2, 1e-15);
  NEAR(q[1], -PI / 2, 1e-15);
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  const double *udot = cdn_state_udot(state);
  /* At right angles the rods do not couple: the first one turns with its own inertia about the pivot and the second
   * one as a particle at its end, and the second one does not turn: udot of its absolute angle is zero. */
  const double m1 = 7850 * PI * 1e-4, L1 = 1, r = 0.01, m2 = 0.8 * m1, g = 9.81;
  const double a = -g * L1 * (m1 / 2 + m2) / (m1 * (L1 * L1 / 3 + r * r / 4) + m2 * L1 * L1);
  NEAR(udot[0], a, 1e-13 * fabs(a));
  NEAR(udot[0] + udot[1], 0, 1e-12);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* Models of others, counted by hand in their files. */
START_TEST(test_models_of_others) {
  const struct {
    const char *name;
    int bodies, joints, nq, nu, not_understood;
  } cases[] = {
    { "arm26.xml", 2, 2, 2, 2, 0 },        { "car.xml", 3, 3, 9, 8, 1 },      { "example.xml", 4, 6, 15, 13, 0 },
    { "humanoid.xml", 16, 22, 28, 27, 0 }, { "pendulum.xml", 4, 4, 7, 6, 0 }, { "slider_crank.xml", 3, 3, 3, 3, 0 },
  };
  int missing = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (!load_from("CARDAN_SHARED", "models/mjcf", cases[i].name, false)) {
      missing++;
      continue;
    }
    const cdn_system *system = cdn_model_system(model);
    ck_assert_int_eq(cdn_model_body_count(model), cases[i].bodies);
    ck_assert_int_eq(cdn_model_joint_count(model), cases[i].joints);
    ck_assert_int_eq(cdn_system_nq(system), cases[i].nq);
    ck_assert_int_eq(cdn_system_nu(system), cases[i].nu);
    ck_assert_int_eq(cdn_model_not_understood_count(model), cases[i].not_understood);
    cdn_state *state = make_state();
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    cdn_state_destroy(state);
    cdn_model_destroy(model);
  }
  if (missing) SKIP("%d models of others are not there", missing);
}
END_TEST

/* Its total mass is known independently: tests/peers/test_mujoco_humanoid_reference.c has it, with its source. */
START_TEST(test_humanoid_mass) {
  if (!load_from("CARDAN_SHARED", "models/mjcf", "humanoid.xml", false)) SKIP("humanoid.xml is not there");
  cdn_state *state = make_state();
  double total, moving;
  OK_ON(state, cdn_realize(state, CDN_STAGE_INSTANCE));
  OK_ON(state, cdn_system_mass(state, &total, &moving));
  NEAR(total, 40.8440212216213, 1e-12); /* the digits that are given */
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* ---- masses of meshes ---- */

static cdn_mass_properties mass_of(const char *body) {
  cdn_state *state = make_state();
  OK_ON(state, cdn_realize(state, CDN_STAGE_INSTANCE));
  const cdn_mass_properties m = cdn_body_mass_properties(state, cdn_model_find_body(model, body));
  cdn_state_destroy(state);
  return m;
}

static void same_mass(cdn_mass_properties a, cdn_mass_properties b, double tolerance) {
  const double x[] = { a.mass,       a.com.x,      a.com.y,      a.com.z,      a.inertia.xx,
                       a.inertia.yy, a.inertia.zz, a.inertia.xy, a.inertia.xz, a.inertia.yz };
  const double y[] = { b.mass,       b.com.x,      b.com.y,      b.com.z,      b.inertia.xx,
                       b.inertia.yy, b.inertia.zz, b.inertia.xy, b.inertia.xz, b.inertia.yz };
  for (int i = 0; i < 10; i++) NEAR(x[i], y[i], tolerance * b.mass);
}

#ifdef TEST_ASSIMP
/* The shell of a frustum on a regular polygon of 24 corners: sums of prismatoids. */
static double revolved(const double (*rz)[2], int n) {
  const double k = 12 * sin(PI / 12) / 3;
  double volume = 0;
  for (int i = 0; i + 1 < n; i++)
    volume +=
        k * (rz[i + 1][1] - rz[i][1]) * (rz[i][0] * rz[i][0] + rz[i][0] * rz[i + 1][0] + rz[i + 1][0] * rz[i + 1][0]);
  return volume;
}
#endif

START_TEST(test_shipped_lamp) {
#ifdef TEST_ASSIMP
  static const double shade[][2] = { { 0, 0 },         { 0.03, 0 },      { 0.1, 0.11 },
                                     { 0.095, 0.115 }, { 0.024, 0.006 }, { 0, 0.006 } };
  /* the arm's outline: a bar, a part that widens, a crossbar, two tines */
  const double outline = 0.024 * 0.26 + 0.042 * 0.02 + 0.06 * 0.01 + 2 * 0.012 * 0.05, arm = 2700 * 0.024 * outline;
  const double bulb = 500 * 4 / 3.0 * 0.02 * 0.02 * 0.02;
  ck_assert(load_from("CARDAN_SOURCE_ROOT", "examples/models/lamp", "lamp.xml", false));
  ck_assert_msg(cdn_model_warning_count(model) == 0, "%s", cdn_model_warning(model, 0));
  NEAR(mass_of("lower").mass, arm, 1e-7 * arm); /* Assimp's numbers are floats */
  NEAR(mass_of("upper").mass, arm, 1e-7 * arm);
  NEAR(mass_of("head").mass, 1500 * revolved(shade, 6) + bulb, 1e-6); /* floats of a thin shell */
  cdn_model_destroy(model);
#else
  SKIP("this build reads no OBJ");
#endif
}
END_TEST

static void load_text(const char *text) {
  cdn_error error;
  const cdn_status status = cdn_model_load_string(text, strlen(text), "m.xml", NULL, &model);
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
}

/* A box of eight vertices, with a scale, a frame of its own, a density or a mass, is the box among the geoms. */
START_TEST(test_mesh_is_its_solid) {
  load_text(
      "<mujoco><compiler angle='radian'/><default><geom contype='0' conaffinity='0'/></default>"
      "<asset><mesh name='b' scale='0.1 0.2 0.3' refpos='0.5 -0.25 1'"
      " vertex='1.5 0.75 2 -0.5 0.75 2 1.5 -1.25 2 -0.5 -1.25 2 1.5 0.75 0 -0.5 0.75 0 1.5 -1.25 0 -0.5 -1.25 0'/>"
      "</asset><worldbody>"
      "<body name='a'><freejoint/><geom type='mesh' mesh='b' pos='1 2 3' euler='0.3 0.4 0.5' density='700'/></body>"
      "<body name='c'><freejoint/><geom type='box' size='0.1 0.2 0.3' pos='1 2 3' euler='0.3 0.4 0.5' density='700'/>"
      "</body>"
      "<body name='d'><freejoint/><geom type='mesh' mesh='b' mass='2'/><geom size='0.1' pos='1 0 0'/></body>"
      "<body name='e'><freejoint/><geom type='box' size='0.1 0.2 0.3' mass='2'/><geom size='0.1' pos='1 0 0'/>"
      "</body></worldbody></mujoco>");
  ck_assert_int_eq(cdn_model_not_understood_count(model), 0);
  same_mass(mass_of("a"), mass_of("c"), 1e-12);
  same_mass(mass_of("d"), mass_of("e"), 1e-12);
  cdn_model_destroy(model);
}
END_TEST

#ifdef TEST_ASSIMP
static int count_warnings(const char *words) {
  int n = 0;
  for (int i = 0; i < cdn_model_warning_count(model); i++) n += strstr(cdn_model_warning(model, i), words) != NULL;
  return n;
}
#endif

/* A cube without one of its sides has no solid: its hull counts; its surface has no such need. A mesh that is not there
 * leaves the mass out. */
START_TEST(test_open_and_missing_meshes) {
#ifdef TEST_ASSIMP
  char folder[] = "/tmp/cardan_mass_XXXXXX", path[200], text[1200];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/open.obj", folder);
  FILE *file = fopen(path, "w");
  fprintf(file, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n"
                "f 1 3 4 2\nf 1 2 6 5\nf 2 4 8 6\nf 4 3 7 8\nf 3 1 5 7\n");
  fclose(file);
  snprintf(text, sizeof text,
           "<mujoco><asset><mesh name='open' file='%s'/><mesh name='lost' file='%s/lost.obj'/><mesh name='skin' "
           "file='%s' inertia='shell'/></asset><worldbody><body name='a'><freejoint/><geom type='mesh' mesh='open'/>"
           "<geom type='mesh' mesh='open' density='500'/></body><body name='b'><freejoint/><geom size='1' mass='3'/>"
           "<geom type='mesh' mesh='lost'/></body>"
           "<body name='c'><freejoint/><geom type='mesh' mesh='skin' density='.4'/></body>"
           "<body name='d'><freejoint/><geom type='mesh' mesh='open' density='.4' shellinertia='true'/></body>"
           "</worldbody></mujoco>",
           path, folder, path);
  load_text(text);
  remove(path);
  remove(folder);
  NEAR(mass_of("a").mass, 1500, 1e-9);
  NEAR(mass_of("b").mass, 3, 1e-12);
  ck_assert_int_eq(
      count_warnings("body 'a': the convex hull of a mesh geom counts for its mass: the mesh 'open' is not closed"), 2);
  ck_assert_int_eq(count_warnings("body 'b': the mass of its mesh geom is missing: the mesh file"), 1);
  static const char *const shells[] = { "c", "d" };
  for (int i = 0; i < 2; i++) { /* five squares of 0.4 kg each */
    const cdn_mass_properties m = mass_of(shells[i]);
    const double own = 0.4 / 12, across = 0.4 / 6;
    NEAR(m.mass, 2, 1e-12);
    NEAR(cdn_norm(cdn_sub(m.com, cdn_v3(0.5, 0.5, 0.4))), 0, 1e-12);
    NEAR(m.inertia.zz, across + 4 * (own + 0.4 * 0.25), 1e-12);
    const double x = own + 0.4 * 0.16 + 2 * (own + 0.4 * 0.26) + 2 * (across + 0.4 * 0.01);
    NEAR(m.inertia.xx, x, 1e-12);
    NEAR(m.inertia.yy, x, 1e-12);
    NEAR(m.inertia.xy, 0, 1e-12);
  }
  cdn_model_destroy(model);
#else
  SKIP("this build reads no OBJ");
#endif
}
END_TEST

CHECK_MAIN("io_mjcf_models", test_shipped_models, test_shipped_pendulum, test_models_of_others, test_humanoid_mass,
           test_shipped_lamp, test_mesh_is_its_solid, test_open_and_missing_meshes)
