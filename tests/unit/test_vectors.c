/* States as vectors: their parts, names, what is refused, and runs that go on from them. The matrix asks the same of
 * every feature. */
#include <cardan/cardan.h>
#include <stdlib.h>

#include "../check_main.h"
#include "../testing.h"

/* A mocap body, a hand on a soft weld, a box with friction on a floor, a motor with a filter, an equality that can be
 * off. */
static const char text[] =
    "<mujoco><option timestep='.002' cone='elliptic' integrator='%s'/><worldbody><geom type='plane' size='9 9 9'/>"
    "<body name='target' mocap='true' pos='0 0 .5'/>"
    "<body name='hand' pos='0 0 .5'><freejoint/><geom type='box' size='.1 .1 .1' mass='.7'/></body>"
    "<body name='box' pos='.25 0 .1'><joint name='slide' type='slide' axis='1 0 0' frictionloss='.2'/><joint name='lift' "
    "type='slide' axis='0 0 1'/><geom type='box' size='.1 .1 .1' mass='.4'/></body>"
    "<body name='arm' pos='1 0 1'><joint name='elbow' axis='0 1 0' limited='true' range='-20 20'/><geom type='capsule' "
    "fromto='0 0 0 .3 0 0' size='.03' mass='.2'/></body></worldbody>"
    "<equality><weld name='glue' body1='target' body2='hand'/><joint name='stay' joint1='slide' active='false'/></equality>"
    "<actuator><general name='motor' joint='elbow' dyntype='filter' dynprm='.1' gainprm='2'/></actuator></mujoco>";

typedef struct rig {
  cdn_model *model;
  cdn_state *state;
  cdn_body target, hand;
} rig;

static rig load(const char *integrator) {
  static char whole[3000];
  rig r = { .model = NULL };
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT, options.equality = CDN_MODEL_SOFT_EQUALITY;
  snprintf(whole, sizeof whole, text, integrator);
  OK(cdn_model_load_string(whole, strlen(whole), "m.xml", &options, &r.model));
  OK(cdn_state_create(cdn_model_system(r.model), &r.state));
  r.target = cdn_model_find_body(r.model, "target"), r.hand = cdn_model_find_body(r.model, "hand");
  return r;
}

static void drop(rig *r) {
  cdn_state_destroy(r->state);
  cdn_model_destroy(r->model);
}

static void write_inputs(const rig *r, cdn_state *state, double t) {
  const cdn_transform X = { cdn_rotation_axis_angle(cdn_v3(0, 0, 1), t), { 0.3 * t, 0, 0.5 - 0.8 * t } };
  OK_ON(state, cdn_mocap_set_pose(state, r->target, X));
  OK_ON(state, cdn_control_set(state, (cdn_control){ 0 }, sin(20 * t)));
  OK_ON(state, cdn_state_set_applied_body_force(state, r->hand, (cdn_spatial){ { 0, 0, t }, { 0, 1, 0 } }));
}

static void follow(const rig *r, cdn_stepper *stepper, int from, int to) {
  for (int i = from; i < to; i++) {
    write_inputs(r, cdn_stepper_state(stepper), 0.01 * i);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.01 * (i + 1), NULL));
  }
}

static void same_bits(const char *what, const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++)
    ck_assert_msg(memcmp(&a[i], &b[i], sizeof *a) == 0, "%s[%d] is %.17g, was %.17g", what, i, b[i], a[i]);
}

static double *vector_of(cdn_state *state, unsigned parts, int *n) {
  *n = cdn_state_vector_size(state, parts);
  double *v = malloc((size_t)(*n + 1) * sizeof *v);
  OK_ON(state, cdn_state_get_vector(state, parts, *n, v));
  return v;
}

/* Steps of MuJoCo's kinds have no memory beside the State: the run that goes on is the reference. Methods under error
 * control begin with a first size of step: there it is a run that starts from a copy, as it does from the vector and
 * from a checkpoint. */
static void go_on(const char *integrator, cdn_method method) {
  enum { HALF = 20, ALL = 45 };
  rig r = load(integrator);
  cdn_stepper *run[4] = { NULL };
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_state *from[4];
  cdn_buffer bytes = { 0 };
  int n;
  def.method = method, def.accuracy = 1e-4;
  const bool equal = cdn_method_needs_fixed_step(method);
  def.fixed_step = equal ? 0.002 : 0;
  OK_ON(r.state, cdn_stepper_create(r.state, &def, &run[0]));
  follow(&r, run[0], 0, HALF);
  from[0] = cdn_stepper_state(run[0]);
  double *v = vector_of(from[0], CDN_VECTOR_INTEGRATION, &n);
  OK_ON(from[0], cdn_state_save(from[0], cdn_buffer_write, &bytes));
  for (int i = 1; i < 4; i++) OK(cdn_state_create(cdn_model_system(r.model), &from[i]));
  OK_ON(from[1], cdn_state_copy(from[1], from[0]));
  OK_ON(from[2], cdn_state_set_vector(from[2], CDN_VECTOR_INTEGRATION, n, v));
  OK_ON(from[3], cdn_state_load(from[3], cdn_buffer_read, &bytes));
  for (int i = 1; i < 4; i++) OK_ON(from[i], cdn_stepper_create(from[i], &def, &run[i]));
  for (int i = equal ? 0 : 1; i < 4; i++) follow(&r, run[i], HALF, ALL);
  const cdn_state *end = cdn_stepper_state(run[equal ? 0 : 1]);
  const cdn_system *system = cdn_state_system(end);
  for (int i = 2; i < 4; i++) {
    const cdn_state *other = cdn_stepper_state(run[i]);
    same_bits("q", cdn_state_q(end), cdn_state_q(other), cdn_system_nq(system));
    same_bits("u", cdn_state_u(end), cdn_state_u(other), cdn_system_nu(system));
    same_bits("z", cdn_state_z(end), cdn_state_z(other), cdn_system_nz(system));
  }
  for (int i = 0; i < 4; i++) cdn_stepper_destroy(run[i]);
  for (int i = 1; i < 4; i++) cdn_state_destroy(from[i]);
  cdn_buffer_free(&bytes);
  free(v);
  drop(&r);
}

START_TEST(runs_go_on_to_the_same_bits) {
  go_on("Euler", CDN_METHOD_MUJOCO_EULER);
  go_on("implicit", CDN_METHOD_MUJOCO_IMPLICIT);
  go_on("RK4", CDN_METHOD_MUJOCO_RK4);
  go_on("Euler", CDN_METHOD_MERSON);
  go_on("Euler", CDN_METHOD_DORMAND_PRINCE);
}
END_TEST

START_TEST(parts_follow_each_other) {
  rig r = load("Euler");
  const cdn_system *system = cdn_model_system(r.model);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system), nz = cdn_system_nz(system);
  ck_assert_int_eq(cdn_state_vector_size(r.state, CDN_VECTOR_TIME), 1);
  ck_assert_int_eq(cdn_state_vector_size(r.state, CDN_VECTOR_PHYSICS), nq + nu + nz);
  ck_assert_int_eq(cdn_state_vector_size(r.state, CDN_VECTOR_FULL_PHYSICS), 1 + nq + nu + nz);
  ck_assert_int_eq(cdn_state_vector_size(r.state, CDN_VECTOR_MOCAP), 14);
  ck_assert_int_eq(cdn_state_vector_size(r.state, CDN_VECTOR_APPLIED), nu + 6 * cdn_system_body_count(system));
  ck_assert_int_eq(cdn_state_vector_size(r.state, CDN_VECTOR_CONTROLS), 1);
  write_inputs(&r, r.state, 0.1);
  int n, whole = 0, k;
  double *all = vector_of(r.state, CDN_VECTOR_INTEGRATION, &n);
  for (int bit = 0; bit < 10; bit++) { /* the whole is its parts */
    double *part = vector_of(r.state, 1u << bit, &k);
    same_bits("part", part, all + whole, k);
    whole += k;
    free(part);
  }
  ck_assert_int_eq(whole, n);
  same_bits("q", cdn_state_q(r.state), all + 1, nq);
  free(all);
  drop(&r);
}
END_TEST

START_TEST(every_number_has_a_name) {
  rig r = load("Euler");
  const struct {
    unsigned parts;
    int i;
    const char *name;
  } some[] = { { CDN_VECTOR_INTEGRATION, 0, "t" },
               { CDN_VECTOR_CONTROLS, 0, "motor" },
               { CDN_VECTOR_MOCAP, 0, "target.qw" },
               { CDN_VECTOR_MOCAP, 6, "target.z" },
               { CDN_VECTOR_INPUTS, 1, "f of target_free1.wx" },
               { CDN_VECTOR_MEMORY, 3, "memory[3]" } };
  char name[100], before[100] = "";
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    OK_ON(r.state, cdn_state_vector_name(r.state, some[i].parts, some[i].i, name, sizeof name));
    ck_assert_str_eq(name, some[i].name);
  }
  const int n = cdn_state_vector_size(r.state, CDN_VECTOR_INTEGRATION);
  for (int i = 0; i < n; i++) {
    OK_ON(r.state, cdn_state_vector_name(r.state, CDN_VECTOR_INTEGRATION, i, name, sizeof name));
    ck_assert_msg(name[0] && strcmp(name, before) != 0, "number %d has the name '%s'", i, name);
    strcpy(before, name);
  }
  FAILS(cdn_state_vector_name(r.state, CDN_VECTOR_INTEGRATION, n, name, sizeof name), CDN_ERR_ARG);
  drop(&r);
}
END_TEST

START_TEST(inputs_are_set) {
  rig r = load("Euler"), other = load("Euler");
  int n;
  write_inputs(&r, r.state, 0.1);
  double *v = vector_of(r.state, CDN_VECTOR_INPUTS, &n);
  OK_ON(other.state, cdn_state_set_vector(other.state, CDN_VECTOR_INPUTS, n, v));
  const int nu = cdn_system_nu(cdn_model_system(r.model));
  same_bits("udot", cdn_state_udot(r.state), cdn_state_udot(other.state), nu);
  /* the same numbers once more invalidate nothing */
  OK_ON(other.state, cdn_realize(other.state, CDN_STAGE_ACCELERATION));
  OK_ON(other.state, cdn_state_set_vector(other.state, CDN_VECTOR_INPUTS, n, v));
  ck_assert(cdn_state_stage(other.state) >= CDN_STAGE_ACCELERATION);
  /* the last numbers are the switches of the soft equalities, among others */
  char name[100];
  for (int i = 0; i < n; i++) {
    OK_ON(r.state, cdn_state_vector_name(r.state, CDN_VECTOR_INPUTS, i, name, sizeof name));
    if (strcmp(name, "glue is on") == 0) v[i] = 0;
    if (strcmp(name, "stay is on") == 0) ck_assert(v[i] == 0);
  }
  OK_ON(other.state, cdn_state_set_vector(other.state, CDN_VECTOR_INPUTS, n, v));
  NEAR(cdn_state_udot(other.state)[cdn_body_first_u(cdn_model_system(r.model), r.hand) + 5], -9.81, 1e-12);
  free(v);
  drop(&r), drop(&other);
}
END_TEST

START_TEST(locks_are_among_parameters) {
  rig r = load("Euler"), other = load("Euler");
  int n;
  OK_ON(r.state, cdn_body_lock(r.state, r.hand, CDN_LEVEL_POSITION));
  double *v = vector_of(r.state, CDN_VECTOR_PARAMETERS, &n);
  OK_ON(other.state, cdn_state_set_vector(other.state, CDN_VECTOR_PARAMETERS, n, v));
  ck_assert_int_eq((int)cdn_body_driver(other.state, r.hand).level, CDN_LEVEL_POSITION);
  same_bits("udot", cdn_state_udot(r.state), cdn_state_udot(other.state), cdn_system_nu(cdn_model_system(r.model)));
  free(v);
  drop(&r), drop(&other);
}
END_TEST

START_TEST(mistakes_change_nothing) {
  rig r = load("Euler");
  int n, before_n;
  double *before = vector_of(r.state, CDN_VECTOR_INTEGRATION, &before_n);
  double *v = vector_of(r.state, CDN_VECTOR_INTEGRATION, &n);
  v[0] = 3, v[2] = 5;
  FAILS(cdn_state_set_vector(r.state, CDN_VECTOR_INTEGRATION, n - 1, v), CDN_ERR_ARG);
  FAILS(cdn_state_set_vector(r.state, CDN_VECTOR_FULL_PHYSICS, n, v), CDN_ERR_ARG);
  FAILS(cdn_state_set_vector(r.state, 0, 0, v), CDN_ERR_ARG);
  FAILS(cdn_state_set_vector(r.state, 1024, 1, v), CDN_ERR_ARG);
  FAILS(cdn_state_set_vector(r.state, CDN_VECTOR_TIME, 1, NULL), CDN_ERR_ARG);
  FAILS(cdn_state_get_vector(r.state, CDN_VECTOR_Q, 1, v), CDN_ERR_ARG);
  v[7] = NAN;
  FAILS(cdn_state_set_vector(r.state, CDN_VECTOR_INTEGRATION, n, v), CDN_ERR_NONFINITE);
  v[7] = 0;
  const int memory = cdn_state_vector_size(r.state, CDN_VECTOR_INTEGRATION - CDN_VECTOR_MEMORY);
  for (int k = 0; k < 8; k++) { /* damage in the memory */
    const int at = memory + k;
    const double was = v[at];
    v[at] = 0.5;
    FAILS(cdn_state_set_vector(r.state, CDN_VECTOR_INTEGRATION, n, v), CDN_ERR_ARG);
    v[at] = was;
  }
  v[memory + 1] = 77; /* the first mark */
  FAILS(cdn_state_set_vector(r.state, CDN_VECTOR_INTEGRATION, n, v), CDN_ERR_PARSE);
  double *after = vector_of(r.state, CDN_VECTOR_INTEGRATION, &n);
  ck_assert_int_eq(n, before_n);
  same_bits("all", before, after, n);
  free(before), free(after), free(v);
  drop(&r);
}
END_TEST

CHECK_MAIN("vectors", runs_go_on_to_the_same_bits, parts_follow_each_other, every_number_has_a_name, inputs_are_set,
           locks_are_among_parameters, mistakes_change_nothing)
