/* cdn_step_derivatives against differences of the steps that runs take: random trees of all kinds of mobilizers and
 * forces, with constraints, with prescribed mobilizers, and a loop that touches. */
#include <cardan/model.h>
#include <stdio.h>
#include <stdlib.h>

#include "differences.h"
#include "prescribed_tree.h"
#include "random_constraints.h"

enum { MOST_X = 2 * MOST_NU + 8 };

static const cdn_method methods[] = { CDN_METHOD_MUJOCO_EULER, CDN_METHOD_MUJOCO_IMPLICIT,
                                      CDN_METHOD_MUJOCO_IMPLICIT_FAST, CDN_METHOD_SEMI_EXPLICIT_EULER };
enum { METHODS = sizeof methods / sizeof *methods };

/* q, u and z of a State. */
typedef struct point {
  double q[MOST_NQ], u[MOST_NU], z[8];
} point;

static point point_of(const sample *s, const cdn_state *state) {
  point p = { 0 };
  memcpy(p.q, cdn_state_q(state), (size_t)s->nq * sizeof(double));
  memcpy(p.u, cdn_state_u(state), (size_t)s->nu * sizeof(double));
  memcpy(p.z, cdn_state_z(state), (size_t)s->nz * sizeof(double));
  return p;
}

/* Where steps lead from the sample's State as it is. */
static point steps(sample *s, cdn_method method, double h, int n) {
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper;
  def.method = method, def.fixed_step = h, def.companion = false;
  OK_ON(s->state, cdn_stepper_create(s->state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, cdn_state_time(s->state) + n * h, NULL));
  const point p = point_of(s, cdn_stepper_state(stepper));
  cdn_stepper_destroy(stepper);
  return p;
}

static point step(sample *s, cdn_method method, double h) { return steps(s, method, h, 1); }

/* The difference of two points in the tangent basis of the State's q, over `by`. */
static void difference(sample *s, const point *a, const point *b, double by, double *x) {
  double dq[MOST_NQ];
  for (int i = 0; i < s->nq; i++) dq[i] = (a->q[i] - b->q[i]) / by;
  OK_ON(s->state, cdn_multiply_by_N_inv(s->state, dq, x));
  for (int i = 0; i < s->nu; i++) x[s->nu + i] = (a->u[i] - b->u[i]) / by;
  for (int i = 0; i < s->nz; i++) x[2 * s->nu + i] = (a->z[i] - b->z[i]) / by;
}

/* The State to a random side, on its constraints again. */
static void displace(sample *s, const double *direction, double by) {
  double q[MOST_NQ], u[MOST_NU], z[8];
  cdn_projection_def tight = cdn_default_projection_def();
  put_back(s);
  OK_ON(s->state, cdn_multiply_by_N(s->state, direction, q));
  for (int i = 0; i < s->nq; i++) q[i] = s->q[i] + by * q[i];
  for (int i = 0; i < s->nu; i++) u[i] = s->u[i] + by * direction[s->nu + i];
  for (int i = 0; i < s->nz; i++) z[i] = s->z[i] + by * direction[2 * s->nu + i];
  OK_ON(s->state, cdn_state_set_q(s->state, q));
  OK_ON(s->state, cdn_state_set_u(s->state, u));
  OK_ON(s->state, cdn_state_set_z(s->state, z));
  OK_ON(s->state, cdn_prescribe(s->state, NULL));
  tight.always = true, tight.tolerance = 1e-12;
  OK_ON(s->state, cdn_project_q(s->state, &tight, NULL));
  OK_ON(s->state, cdn_project_u(s->state, &tight, NULL));
}

/* Of the change of x along a random direction: from the start (here), and at the end (there), by steps of `by`. */
static void differentiate(sample *s, cdn_method method, double h, const double *direction, double by, double *here,
                          double *there) {
  point start[2], end[2];
  put_back(s);
  const point middle = step(s, method, h);
  for (int k = 0; k < 2; k++) {
    displace(s, direction, k ? by : -by);
    start[k] = point_of(s, s->state);
    end[k] = step(s, method, h);
  }
  put_back(s);
  difference(s, &start[1], &start[0], 2 * by, here);
  OK_ON(s->state, cdn_state_set_q(s->state, middle.q));
  difference(s, &end[1], &end[0], 2 * by, there);
  put_back(s);
}

/* How far dx_dx and dx_dtau are off along a random direction, relative to the largest change. */
static double distance(sample *s, cdn_method method, double h, double by, const double *A, const double *direction) {
  const int n = 2 * s->nu + s->nz;
  double here[2][MOST_X], there[2][MOST_X], off = 0, size = 1;
  for (int k = 0; k < 2; k++) differentiate(s, method, h, direction, k ? by : 2 * by, here[k], there[k]);
  for (int i = 0; i < n; i++) {
    double sum = -(4 * there[1][i] - there[0][i]) / 3;
    for (int k = 0; k < n; k++) sum += A[i * n + k] * (4 * here[1][k] - here[0][k]) / 3;
    off = fmax(off, fabs(sum));
    size = fmax(size, fabs(there[1][i]));
  }
  return off / size;
}

static double distance_by_forces(sample *s, cdn_method method, double h, const double *B, const double *direction) {
  double f0[MOST_NU], f[MOST_NU], change[MOST_X], off = 0, size = h;
  point end[2];
  put_back(s);
  memcpy(f0, cdn_state_applied_mobility_forces(s->state), (size_t)s->nu * sizeof *f0);
  const point middle = step(s, method, h);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < s->nu; i++) f[i] = f0[i] + (k ? 0.01 : -0.01) * direction[i];
    OK_ON(s->state, cdn_state_set_applied_mobility_forces(s->state, f));
    end[k] = step(s, method, h);
  }
  OK_ON(s->state, cdn_state_set_applied_mobility_forces(s->state, f0));
  OK_ON(s->state, cdn_state_set_q(s->state, middle.q));
  difference(s, &end[1], &end[0], 0.02, change);
  put_back(s);
  for (int i = 0; i < 2 * s->nu + s->nz; i++) {
    double sum = -change[i];
    for (int k = 0; k < s->nu; k++) sum += B[i * s->nu + k] * direction[k];
    off = fmax(off, fabs(sum));
    size = fmax(size, fabs(change[i]));
  }
  return off / size;
}

/* False: the sample has joints or motions whose steps have no derivatives. */
static bool check(sample *s, cdn_method method, double h, double by, uint64_t seed, double limit, const char *what) {
  const int n = 2 * s->nu + s->nz;
  double *A = calloc((size_t)(n * n + 1), sizeof *A), *B = calloc((size_t)(n * s->nu + 1), sizeof *B);
  rng r = rng_of(seed + 5);
  double worst[2] = { 0, 0 };
  const cdn_status status = cdn_step_derivatives(s->state, method, h, A, B, NULL);
  if (status != CDN_ERR_UNSUPPORTED) OK_ON(s->state, status);
  for (int k = 0; k < 3 && status == CDN_OK; k++) {
    double direction[MOST_X];
    random_numbers(&r, 1, direction, n);
    worst[0] = fmax(worst[0], distance(s, method, h, by, A, direction));
    worst[1] = fmax(worst[1], distance_by_forces(s, method, h, B, direction));
  }
  if (getenv("CARDAN_TEST_SHOW"))
    printf("%s, %s, %d: %.1e %.1e\n", what, cdn_method_name(method), s->nu, worst[0], worst[1]);
  ck_assert_msg(worst[0] <= limit && worst[1] <= limit, "%s, %s: %.2e by x, %.2e by forces", what,
                cdn_method_name(method), worst[0], worst[1]);
  free(A), free(B);
  return status == CDN_OK;
}

/* Derivatives of steps in a row make those of a run: each step's tangent basis is where the step before has ended. */
START_TEST(of_runs) {
  enum { N = 12 };
  for (uint64_t seed = 1; seed <= 4; seed++) {
    tree_options options = { .bodies = 4, .shape = seed, .numbers = seed, .forces = true, .simple = true };
    random_tree tree = make_random_tree(&options);
    sample s = sample_of_tree(&tree, seed);
    const int n = 2 * s.nu;
    const double h = 0.005;
    double *A = calloc((size_t)(n * n), sizeof *A), here[MOST_X], next[MOST_X], there[2][MOST_X], size = 1;
    rng r = rng_of(seed);
    random_numbers(&r, 1, here, n);
    for (int k = 0; k < 2; k++) {
      point end[2];
      const double by = k ? 1e-4 : 2e-4;
      for (int side = 0; side < 2; side++) {
        displace(&s, here, side ? by : -by);
        end[side] = steps(&s, methods[_i], h, N);
      }
      put_back(&s);
      const point middle = steps(&s, methods[_i], h, N);
      OK_ON(s.state, cdn_state_set_q(s.state, middle.q));
      difference(&s, &end[1], &end[0], 2 * by, there[k]);
      put_back(&s);
    }
    for (int k = 0; k < N; k++) {
      OK_ON(s.state, cdn_step_derivatives(s.state, methods[_i], h, A, NULL, NULL));
      for (int i = 0; i < n; i++) {
        next[i] = 0;
        for (int j = 0; j < n; j++) next[i] += A[i * n + j] * here[j];
      }
      memcpy(here, next, sizeof here);
      const point p = step(&s, methods[_i], h);
      OK_ON(s.state, cdn_state_set_q(s.state, p.q));
      OK_ON(s.state, cdn_state_set_u(s.state, p.u));
    }
    for (int i = 0; i < n; i++) size = fmax(size, fabs(here[i]));
    for (int i = 0; i < n; i++) NEAR(here[i], (4 * there[1][i] - there[0][i]) / 3, 1e-8 * size);
    drop(&s);
    free(A);
  }
}
END_TEST

START_TEST(of_trees) {
  int checked = 0;
  for (int bodies = 1; bodies <= 8; bodies++)
    for (uint64_t seed = 1; seed <= 4; seed++) {
      tree_options options = {
        .bodies = bodies, .shape = 90 * (uint64_t)bodies + seed, .numbers = seed, .forces = true
      };
      random_tree tree = make_random_tree(&options);
      sample s = sample_of_tree(&tree, seed);
      checked += check(&s, methods[_i], 0.01, 1e-4, seed, 1e-8, "a tree");
      drop(&s);
    }
  ck_assert_int_ge(checked, 12);
}
END_TEST

/* Trees with constraints, of which a body is locked at a level, or none. */
static void on_constrained_trees(cdn_method method, cdn_motion_level level, const char *what) {
  int checked = 0;
  for (int bodies = 3; bodies <= 8; bodies++)
    for (uint64_t seed = 1; seed <= 6; seed++) {
      tree_options options = {
        .bodies = bodies, .shape = 50 * (uint64_t)bodies + seed, .numbers = seed, .forces = true
      };
      random_tree tree = make_random_tree(&options);
      add_random_constraints(&tree, 1 + (int)(seed % 3), seed);
      sample s = sample_of_tree(&tree, seed);
      cdn_projection_def tight = cdn_default_projection_def();
      tight.tolerance = 1e-12, tight.always = true;
      if (level != CDN_LEVEL_NONE) OK_ON(s.state, cdn_body_lock(s.state, (cdn_body){ 1 + (int)seed % bodies }, level));
      if (cdn_project_q(s.state, &tight, NULL) == CDN_OK && cdn_project_u(s.state, &tight, NULL) == CDN_OK) {
        memcpy(s.q, cdn_state_q(s.state), (size_t)s.nq * sizeof(double));
        memcpy(s.u, cdn_state_u(s.state), (size_t)s.nu * sizeof(double));
        checked += check(&s, method, 0.003, 1e-4, seed, 1e-7, what);
      }
      drop(&s);
    }
  ck_assert_int_ge(checked, 12);
}

START_TEST(beside_constraints) { on_constrained_trees(methods[_i], CDN_LEVEL_NONE, "beside constraints"); }
END_TEST

/* A step's projection does not move what is locked at any level, and takes errors that come of its motion. */
START_TEST(beside_constraints_of_what_is_locked) {
  on_constrained_trees(methods[_i], CDN_LEVEL_ACCELERATION, "with constraints, an acceleration locked");
  on_constrained_trees(methods[_i], CDN_LEVEL_VELOCITY, "with constraints, a speed locked");
}
END_TEST

/* Locks and functions of time; motions of the tests' own are refused unless they hold positions. */
START_TEST(beside_prescribed) {
  int checked = 0;
  for (int bodies = 2; bodies <= 7; bodies++)
    for (uint64_t seed = 1; seed <= 6; seed++) {
      tree_options options = {
        .bodies = bodies, .shape = 70 * (uint64_t)bodies + seed, .numbers = seed, .forces = true
      };
      prescribed_tree tree = make_prescribed_tree(&options, seed);
      cdn_state *state = prescribed_tree_state(&tree, seed);
      OK_ON(state, cdn_prescribe(state, NULL));
      sample s = sample_of(state, seed);
      checked += check(&s, methods[_i], 0.01, 1e-4, seed, 1e-8, "beside prescribed mobilizers");
      drop(&s);
    }
  ck_assert_int_ge(checked, 12);
}
END_TEST

/* A four-bar, closed exactly, that lies on a floor with its rods, and has a limit and dry friction. */
static const char LOOP[] =
    "<mujoco><compiler angle='radian'/><option cone='elliptic'/><worldbody><geom type='plane' size='9 9 9'/>"
    "<body name='base' pos='0 0 .12'><freejoint/><geom type='capsule' fromto='0 0 0 1 0 0' size='.1'/>"
    "<body name='left' pos='0 .3 0'><joint axis='0 0 1' damping='.2' frictionloss='.1'/>"
    "<geom type='capsule' fromto='0 0 0 0 1 0' size='.1'/>"
    "<body name='top' pos='0 1 0'><joint axis='0 0 1' damping='3'/><geom type='capsule' fromto='.3 0 0 .7 0 0' size='.1'/></body></body>"
    "<body name='right' pos='1 .3 0'><joint axis='0 0 1' range='-.2 .1' limited='true' armature='.1'/>"
    "<geom type='capsule' fromto='0 0 0 0 1 0' size='.1'/></body></body></worldbody>"
    "<equality><connect body1='top' body2='right' anchor='1 0 0'/></equality></mujoco>";

START_TEST(of_a_loop_that_touches) {
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model;
  options.contact = CDN_MODEL_SOFT;
  cdn_spec *spec;
  cdn_system *system = cdn_system_create(NULL);
  cdn_soft_def soft = cdn_default_soft_def();
  soft.tolerance = 1e-15;
  OK(cdn_spec_load_string(LOOP, strlen(LOOP), "loop.xml", &options, &spec));
  OK(cdn_model_build(spec, &options, system, &model));
  cdn_system_set_soft(system, &soft);
  OK_FREEZE(system);
  int touching = 0;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    cdn_projection_def tight = cdn_default_projection_def();
    rng r = rng_of(seed);
    cdn_state *copy;
    OK(cdn_state_create(system, &copy));
    sample s = sample_of(copy, seed);
    double u[MOST_NU], q[MOST_NQ];
    random_numbers(&r, 1, u, s.nu);
    memcpy(q, s.q, sizeof q);
    random_numbers(&r, 0.1, q, 4);
    q[0] += 1;
    q[6] = uniform(&r, 0.02, 0.1);
    OK_ON(copy, cdn_state_set_q(copy, q));
    OK_ON(copy, cdn_state_set_u(copy, u));
    tight.tolerance = 1e-12, tight.always = true;
    OK_ON(copy, cdn_project_q(copy, &tight, NULL));
    OK_ON(copy, cdn_project_u(copy, &tight, NULL));
    memcpy(s.q, cdn_state_q(copy), (size_t)s.nq * sizeof(double));
    memcpy(s.u, cdn_state_u(copy), (size_t)s.nu * sizeof(double));
    cdn_soft_statistics statistics;
    OK_ON(copy, cdn_realize(copy, CDN_STAGE_ACCELERATION));
    OK_ON(copy, cdn_soft_get_statistics(copy, &statistics));
    touching += statistics.factorizations > 0;
    ck_assert(check(&s, methods[_i], 0.002, 1e-5, seed, 3e-8, "a loop that touches"));
    drop(&s);
  }
  ck_assert_int_ge(touching, 6);
  cdn_model_destroy(model);
  cdn_spec_destroy(spec);
  cdn_system_release(system);
}
END_TEST

/* ---- closed forms and refusals ---- */

/* m u' = -c u + k w with a control w: u1 = (u + h k w / m) / (1 + h c / m), q1 = q + h u1. No variable changes. */
START_TEST(of_a_damped_slider) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  cdn_state *state;
  def.mobilizer = CDN_SLIDER, def.mass.mass = 2;
  const cdn_body body = cdn_system_add_body(system, &def);
  cdn_control_def input = cdn_default_control_def();
  input.lower = -1, input.upper = 1;
  cdn_actuator_def motor = cdn_default_actuator_def();
  motor.body = body, motor.gain = 7, motor.control = cdn_system_add_control(system, &input);
  cdn_system_add_actuator(system, NULL, &motor);
  cdn_system_add_mobility_damper(system, NULL, body, 0, 30);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  const double u = 5, h = 0.1, by_u = 1 / (1 + h * 30 / 2), by_f = h / 2 * by_u;
  const bool damps = methods[_i] != CDN_METHOD_SEMI_EXPLICIT_EULER;
  const double of_u = damps ? by_u : 1 - h * 30 / 2, of_f = damps ? by_f : h / 2;
  OK_ON(state, cdn_body_set_u(state, body, 1, &u));
  for (int k = 0; k < 3; k++) { /* within the limits, at one, beyond it */
    double A[4], B[2], C[2];
    OK_ON(state, cdn_control_set(state, motor.control, 0.5 * (k + 1)));
    OK_ON(state, cdn_step_derivatives(state, methods[_i], h, A, B, C));
    const double exact_A[4] = { 1, h * of_u, 0, of_u }, exact_B[2] = { h * of_f, of_f };
    for (int i = 0; i < 4; i++) NEAR(A[i], exact_A[i], 1e-14);
    for (int i = 0; i < 2; i++) NEAR(B[i], exact_B[i], 1e-15);
    for (int i = 0; i < 2; i++) NEAR(C[i], k < 2 ? 7 * exact_B[i] : 0, 1e-9);
    ck_assert(cdn_control_given(state, motor.control) == 0.5 * (k + 1) && cdn_state_u(state)[0] == u);
    ck_assert(cdn_state_time(state) == 0 && cdn_state_q(state)[0] == 0);
  }
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

START_TEST(what_is_refused) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  cdn_control_def input = cdn_default_control_def();
  cdn_motion_def motion = cdn_default_motion_def();
  cdn_state *state;
  cdn_error error;
  double A[400], C[40];
  def.mobilizer = CDN_SLIDER, def.mass.mass = 1;
  motion.body = cdn_system_add_body(system, &def);
  motion.kind = CDN_MOTION_CONTROLLED, motion.level = CDN_LEVEL_VELOCITY;
  input.name = "belt", motion.control = cdn_system_add_control(system, &input);
  cdn_system_add_motion(system, &motion);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  FAILS(cdn_step_derivatives(state, CDN_METHOD_MUJOCO_RK4, 0.1, A, NULL, NULL), CDN_ERR_UNSUPPORTED);
  FAILS(cdn_step_derivatives(state, CDN_METHOD_MUJOCO_MIDPOINT, 0.1, A, NULL, NULL), CDN_ERR_UNSUPPORTED);
  FAILS(cdn_step_derivatives(state, (cdn_method)99, 0.1, A, NULL, NULL), CDN_ERR_UNSUPPORTED);
  FAILS(cdn_step_derivatives(state, methods[0], 0, A, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_step_derivatives(state, methods[0], INFINITY, A, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_step_derivatives(state, methods[0], 0.1, A, NULL, C), CDN_ERR_UNSUPPORTED);
  cdn_state_last_error(state, &error);
  ck_assert_ptr_nonnull(strstr(error.text, "belt"));
  OK_ON(state, cdn_step_derivatives(state, methods[0], 0.1, A, NULL, NULL));
  OK_ON(state, cdn_step_derivatives(state, methods[0], 0.1, NULL, NULL, NULL));
  cdn_state_destroy(state);
  cdn_system_release(system);
  system = cdn_system_create(NULL);
  def.mobilizer = CDN_LINE_ORIENTATION, def.mobilizer_name = "needle";
  def.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  cdn_system_add_body(system, &def);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  FAILS(cdn_step_derivatives(state, methods[0], 0.1, A, NULL, NULL), CDN_ERR_UNSUPPORTED);
  cdn_state_last_error(state, &error);
  ck_assert_ptr_nonnull(strstr(error.text, "needle"));
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, of_a_damped_slider, 0, METHODS);
  tcase_add_test(c, what_is_refused);
  tcase_add_loop_test(c, beside_prescribed, 0, METHODS);
  tcase_add_loop_test(c, of_a_loop_that_touches, 0, METHODS);
  tcase_add_loop_test(c, of_trees, 0, METHODS);
  tcase_add_loop_test(c, of_runs, 0, METHODS);
  tcase_add_loop_test(c, beside_constraints, 0, METHODS);
  tcase_add_loop_test(c, beside_constraints_of_what_is_locked, 0, METHODS);
}
CHECK_MAIN_OF("step derivatives", 120, add)
