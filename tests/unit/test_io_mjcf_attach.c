/* Models that are attached to models: a file that attaches parts of another one, and the same written down in one
 * file. */
#define _GNU_SOURCE
#include "testing.h"

#include <cardan/measures.h>
#include <cardan/model.h>
#include <stdio.h>
#include <unistd.h>

typedef struct rig {
  cdn_model *model;
  const cdn_system *system;
  cdn_state *state;
} rig;

static cdn_status try_file(const char *name, rig *r) {
  char path[1024];
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT;
  snprintf(path, sizeof path, "%s/tests/data/%s", root ? root : ".", name);
  return cdn_model_load(path, &options, &r->model);
}

static rig load(const char *name) {
  rig r = { .model = NULL };
  const cdn_status status = try_file(name, &r);
  cdn_error error;
  cdn_model_last_error(r.model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  r.system = cdn_model_system(r.model);
  OK(cdn_state_create(r.system, &r.state));
  return r;
}

static void done(rig *r) {
  cdn_state_destroy(r->state);
  cdn_model_destroy(r->model);
}

static void same_names(const rig *a, const rig *b) {
  ck_assert_int_eq(cdn_model_body_count(a->model), cdn_model_body_count(b->model));
  for (int i = 0; i < cdn_model_body_count(a->model); i++)
    ck_assert_str_eq(cdn_body_name(a->system, cdn_model_body(a->model, i)),
                     cdn_body_name(b->system, cdn_model_body(b->model, i)));
  ck_assert_int_eq(cdn_model_joint_count(a->model), cdn_model_joint_count(b->model));
  for (int i = 0; i < cdn_model_joint_count(a->model); i++)
    ck_assert_str_eq(cdn_model_get_joint(a->model, i).name, cdn_model_get_joint(b->model, i).name);
  ck_assert_int_eq(cdn_model_actuator_count(a->model), cdn_model_actuator_count(b->model));
  for (int i = 0; i < cdn_model_actuator_count(a->model); i++) {
    cdn_model_actuator x, y;
    OK(cdn_model_get_actuator(a->model, i, &x));
    OK(cdn_model_get_actuator(b->model, i, &y));
    ck_assert_str_eq(x.name, y.name);
  }
  ck_assert_int_eq(cdn_system_measure_count(a->system), cdn_system_measure_count(b->system));
}

/* Poses, forces, loops, limits and actuators. */
static void same_motion(rig *a, rig *b) {
  const int nq = cdn_system_nq(a->system), nu = cdn_system_nu(a->system);
  double q[40], u[40];
  ck_assert_int_eq(nq, cdn_system_nq(b->system));
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < nq; i++) q[i] = 0.5 * sin(1.7 * i + k);
    for (int i = 0; i < nu; i++) u[i] = cos(2.3 * i + k);
    q[0] = 0.5, q[1] = -0.5, q[2] = 0.5, q[3] = 0.5; /* of the free joint, the first one */
    rig *both[] = { a, b };
    for (int s = 0; s < 2; s++) {
      OK_ON(both[s]->state, cdn_state_set_q(both[s]->state, q));
      OK_ON(both[s]->state, cdn_state_set_u(both[s]->state, u));
      for (int i = 0; i < cdn_model_actuator_count(a->model); i++) {
        cdn_model_actuator x;
        OK(cdn_model_get_actuator(both[s]->model, i, &x));
        OK_ON(both[s]->state, cdn_control_set(both[s]->state, x.control, sin(i)));
      }
      OK_ON(both[s]->state, cdn_realize(both[s]->state, CDN_STAGE_ACCELERATION));
    }
    double size = 1;
    for (int i = 0; i < nu; i++) size = fmax(size, fabs(cdn_state_udot(b->state)[i]));
    for (int i = 0; i < nu; i++) NEAR(cdn_state_udot(a->state)[i], cdn_state_udot(b->state)[i], 1e-11 * size);
    for (int i = 0; i < cdn_system_measure_count(a->system); i++) {
      const cdn_measure m = { i }, n = cdn_system_find_measure(b->system, cdn_measure_name(a->system, m));
      ck_assert_int_ge(n.i, 0);
      for (int c = 0; c < cdn_measure_size(a->system, m); c++)
        NEAR(cdn_measure_value(a->state, m)[c], cdn_measure_value(b->state, n)[c], 1e-12 * size);
    }
  }
}

START_TEST(test_attached_is_as_written_down) {
  rig a = load("mjcf_attach.xml"), b = load("mjcf_attach_by_hand.xml");
  same_names(&a, &b);
  same_motion(&a, &b);
  done(&a);
  done(&b);
}
END_TEST

/* The file's world has four joints and five actuators: its key is whole where all of it is attached. */
START_TEST(test_keys_come_along) {
  rig r = load("mjcf_attach.xml");
  static const char *const joints[] = { "all/shoulder", "all/elbow", "all/lift", "all/spin" };
  static const char *const actuators[] = { "all/lifter", "all/bend", "all/pull", "all/pull long", "all/tug" };
  OK(cdn_model_set_key(r.model, "all/bent", r.state));
  for (int i = 0; i < 4; i++) {
    const int j = cdn_model_find_joint(r.model, joints[i]);
    ck_assert_int_ge(j, 0);
    NEAR(cdn_state_q(r.state)[cdn_model_get_joint(r.model, j).first_q], 0.1 * (i + 1), 1e-15);
  }
  for (int i = 0; i < 5; i++) {
    cdn_model_actuator a;
    OK(cdn_model_get_actuator(r.model, cdn_model_find_actuator(r.model, actuators[i]), &a));
    ck_assert(cdn_control_given(r.state, a.control) == i + 1);
  }
  NEAR(cdn_state_q(r.state)[cdn_model_get_joint(r.model, cdn_model_find_joint(r.model, "left_elbow")).first_q], 0, 0);
  done(&r);
}
END_TEST

/* The attached model's step is another one. It is told once, however often the model is attached. */
START_TEST(test_conflicts_are_told) {
  rig r = load("mjcf_attach.xml");
  int told = 0;
  for (int i = 0; i < cdn_model_warning_count(r.model); i++)
    told += strstr(cdn_model_warning(r.model, i), "timestep='0.001' does not count: the model has '0.002'") != NULL;
  ck_assert_int_eq(told, 1);
  done(&r);
}
END_TEST

/* What a model and the one that it attaches say of the world, and what MuJoCo 3.14 makes of it. */
static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  ck_assert_int_eq(fclose(file), 0);
}

typedef struct world {
  double timestep, gravity;
  int iterations;
  bool contact, limit, acts;
} world;

/* False, and the message, if the model is refused. */
static bool world_of(const char *path, world *w, char *reason, size_t size) {
  cdn_spec *spec = NULL;
  cdn_spec_solver solver;
  cdn_spec_joint joint;
  cdn_spec_shape shape;
  cdn_vec3 g;
  const cdn_status status = cdn_spec_load(path, NULL, &spec);
  if (status == CDN_OK) {
    OK(cdn_spec_get_solver(spec, &solver));
    OK(cdn_spec_get_gravity(spec, &g));
    OK(cdn_spec_get_joint(spec, cdn_spec_find(spec, CDN_SPEC_JOINT, "p/j"), &joint));
    OK(cdn_spec_get_shape(spec, cdn_spec_find(spec, CDN_SPEC_SHAPE, "p/s"), &shape));
    const bool acts = cdn_spec_find(spec, CDN_SPEC_ACTUATOR, "p/a") >= 0;
    *w = (world){ solver.timestep, g.z, solver.iterations, shape.collision, joint.limited, acts };
  } else {
    cdn_error error;
    cdn_spec_last_error(spec, &error);
    snprintf(reason, size, "%s", error.text);
  }
  cdn_spec_destroy(spec);
  return status == CDN_OK;
}

START_TEST(test_conflicts_are_settled) {
  static const struct {
    const char *main, *attached;
    world own, merged;  /* with warnings; by conflict='merge' */
    bool merges, equal; /* not refused by merge, by error */
  } cases[] = {
    { "",
      "<option timestep='.001' gravity='0 0 -1'/>",
      { .002, -9.81, 100, 1, 1, 1 },
      { .001, -1, 100, 1, 1, 1 },
      1,
      1 },
    { "<option timestep='.004'/>",
      "<option timestep='1e-3'/>",
      { .004, -9.81, 100, 1, 1, 1 },
      { .001, -9.81, 100, 1, 1, 1 },
      1,
      0 },
    { "<option iterations='10'/>",
      "<option iterations='5'/>",
      { .002, -9.81, 10, 1, 1, 1 },
      { .002, -9.81, 10, 1, 1, 1 },
      1,
      0 },
    { "<option iterations='10'/>",
      "<option iterations='50'/>",
      { .002, -9.81, 10, 1, 1, 1 },
      { .002, -9.81, 50, 1, 1, 1 },
      1,
      0 },
    { "<option gravity='0 0 -2'/>", "<option gravity='0 0 -1'/>", { .002, -2, 100, 1, 1, 1 }, { .acts = false }, 0, 0 },
    { "<option gravity='0 0 -2'/>",
      "<option gravity='0 0 -2.0'/>",
      { .002, -2, 100, 1, 1, 1 },
      { .002, -2, 100, 1, 1, 1 },
      1,
      1 },
    { "<option integrator='Euler'/>",
      "<option integrator='RK4'/>",
      { .002, -9.81, 100, 1, 1, 1 },
      { .acts = false },
      0,
      0 },
    { "<option><flag contact='enable'/></option>",
      "<option><flag contact='disable'/></option>",
      { .002, -9.81, 100, 1, 1, 1 },
      { .002, -9.81, 100, 0, 1, 1 },
      1,
      0 },
    { "<option><flag contact='disable'/></option>",
      "<option><flag contact='enable' limit='disable'/></option>",
      { .002, -9.81, 100, 0, 1, 1 },
      { .002, -9.81, 100, 0, 0, 1 },
      1,
      1 },
    { "<option actuatorgroupdisable='1 2'/>",
      "<option actuatorgroupdisable='3 2'/>",
      { .002, -9.81, 100, 1, 1, 1 },
      { .002, -9.81, 100, 1, 1, 0 },
      1,
      1 },
  };
  static const char *const conflicts[] = { "warning", "merge", "error" };
  char folder[] = "/tmp/cardan_attach_XXXXXX", text[1000], main[100], attached[100], options[100];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(main, sizeof main, "%s/main.xml", folder);
  snprintf(attached, sizeof attached, "%s/sub.xml", folder);
  snprintf(options, sizeof options, "%s/options.xml", folder);
  for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
    for (int k = 0; k < 3; k++) {
      char reason[500] = "";
      world w;
      snprintf(text, sizeof text, "<mujocoinclude>%s</mujocoinclude>", cases[i].attached);
      write_text(options, text);
      write_text(
          attached,
          "<mujoco model='sub'><include file='options.xml'/><worldbody><body name='b'><joint name='j' range='0 9'/>"
          "<geom name='s' size='1'/></body></worldbody><actuator><motor name='a' joint='j' group='3'/></actuator>"
          "</mujoco>");
      snprintf(text, sizeof text,
               "<mujoco><compiler conflict='%s'/>%s<asset><model name='sub' file='sub.xml'/></asset><worldbody>"
               "<frame><attach model='sub' body='b' prefix='p/'/></frame></worldbody></mujoco>",
               conflicts[k], cases[i].main);
      write_text(main, text);
      const bool loads = world_of(main, &w, reason, sizeof reason);
      ck_assert_msg(loads == (k == 0 || (k == 1 ? cases[i].merges : cases[i].equal)), "case %d, %s: %s", i,
                    conflicts[k], reason);
      if (!loads) ck_assert_msg(strstr(reason, "options.xml:1: <") && strstr(reason, conflicts[k]), "%s", reason);
      if (!loads) continue;
      const world *e = k == 1 ? &cases[i].merged : &cases[i].own;
      ck_assert_msg(w.timestep == e->timestep && w.gravity == e->gravity && w.iterations == e->iterations &&
                        w.contact == e->contact && w.limit == e->limit && w.acts == e->acts,
                    "case %d, %s", i, conflicts[k]);
    }
  unlink(main), unlink(attached), unlink(options), rmdir(folder);
}
END_TEST

START_TEST(test_mistakes_name_the_element) {
  static const struct {
    const char *asset, *attach, *words;
  } cases[] = {
    { "", "<attach model='arm' body='upper' prefix='a'/>", "there is no model 'arm'" },
    { "<model name='arm' file='nowhere.xml'/>", "<attach model='arm' prefix='a'/>", "cannot open" },
    { "", "<attach prefix='a'/>", "attaches the model to itself" },
    { "", "<attach body='b'/>", "prefix" },
    { "", "<attach body='nobody' prefix='a'/>", "there is no body 'nobody'" },
    { "", "<attach body='b' frame='f' prefix='a'/>", "a body and a frame" },
    { "<model name='arm'/>", "", "file" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1000];
    rig r = { .model = NULL };
    cdn_error error;
    snprintf(text, sizeof text,
             "<mujoco>\n<asset>%s</asset>\n<worldbody>%s<body name='b'><geom size='1'/></body></worldbody></mujoco>",
             cases[i].asset, cases[i].attach);
    ck_assert_int_ne(cdn_model_load_string(text, strlen(text), "m.xml", NULL, &r.model), CDN_OK);
    cdn_model_last_error(r.model, &error);
    ck_assert_msg(strstr(error.text, cases[i].words) && strstr(error.text, "m.xml:"), "%s", error.text);
    cdn_model_destroy(r.model);
  }
}
END_TEST

CHECK_MAIN("io_mjcf_attach", test_attached_is_as_written_down, test_keys_come_along, test_conflicts_are_told,
           test_conflicts_are_settled, test_mistakes_name_the_element)
