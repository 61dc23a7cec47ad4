/* What every operator does with its arguments and with memory, whatever it computes. */
#include "../robust/counting_allocator.h"
#include "operator_samples.h"

enum { NU = 16, NQ = 18, NB = 6, TASKS = 2 }; /* room for the scene */

typedef struct scene {
  cdn_state *state;
  double u[NU * 4], q[NQ * 4], out[6 * NB * NU + NU * NU];
  cdn_body body[TASKS];
  cdn_vec3 point[TASKS], f[TASKS];
  cdn_spatial F[TASKS], bodies[NB];
} scene;

/* A free base with a ball, a pin and a slider on it, a pin beside it. */
static cdn_system *build(cdn_allocator allocator) {
  cdn_system_def def = cdn_default_system_def();
  def.allocator = allocator;
  cdn_system *system = cdn_system_create(&def);
  cdn_body_def body = cdn_default_body_def();
  body.mass = (cdn_mass_properties){ .mass = 1, .com = { 0.1, 0.2, 0.3 }, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  body.X_PF.p = cdn_v3(0.3, 0, 1);
  static const cdn_mobilizer kinds[] = { CDN_FREE, CDN_BALL, CDN_PIN, CDN_SLIDER };
  for (int i = 0; i < 4; i++) {
    body.mobilizer = kinds[i];
    body.parent = cdn_system_add_body(system, &body);
    body.armature = 0.1;
  }
  body.parent = cdn_ground(), body.mobilizer = CDN_PIN;
  cdn_system_add_body(system, &body);
  cdn_system_add_gravity(system, NULL, cdn_v3(0, 0, -9.8));
  OK_FREEZE(system);
  return system;
}

static scene make_scene(cdn_allocator allocator) {
  scene s;
  memset(&s, 0, sizeof s);
  cdn_system *system = build(allocator);
  OK(cdn_state_create(system, &s.state));
  cdn_system_release(system);
  rng r = rng_of(3);
  set_random_qu(s.state, &r, 1);
  random_numbers(&r, 1, s.u, NU);
  random_numbers(&r, 1, s.q, NQ);
  for (int i = 0; i < TASKS; i++) {
    s.body[i].i = 2 + i;
    s.point[i] = random_vec3(&r, 1), s.f[i] = random_vec3(&r, 1), s.F[i] = random_spatial(&r, 1);
  }
  return s;
}

/* Every operator once, `u` and `q` of the scene where numbers are wanted; the first failure is kept. */
static cdn_status call_all(scene *s, int tasks) {
  cdn_status worst = CDN_OK;
  cdn_spatial one;
  cdn_vec3 v;
  cdn_spatial_inertia R[NB];
#define CALL(...)                         \
  do {                                    \
    cdn_status status_ = (__VA_ARGS__);   \
    if (worst == CDN_OK) worst = status_; \
  } while (0)
  CALL(cdn_multiply_by_N_transpose(s->state, s->q, s->out));
  CALL(cdn_multiply_by_N_inv_transpose(s->state, s->u, s->out));
  CALL(cdn_calc_qdotdot(s->state, s->u, s->out));
  CALL(cdn_calc_udot_of_qdotdot(s->state, s->q, s->out));
  CALL(cdn_calc_J(s->state, s->out));
  CALL(cdn_calc_Jdot_u(s->state, s->bodies));
  CALL(cdn_multiply_by_station_J(s->state, tasks, s->body, s->point, s->u, (cdn_vec3 *)s->out));
  CALL(cdn_multiply_by_station_J_transpose(s->state, tasks, s->body, s->point, s->f, s->out));
  CALL(cdn_calc_station_J(s->state, tasks, s->body, s->point, s->out));
  CALL(cdn_calc_station_Jdot_u(s->state, tasks, s->body, s->point, (cdn_vec3 *)s->out));
  CALL(cdn_multiply_by_frame_J(s->state, tasks, s->body, s->point, s->u, (cdn_spatial *)s->out));
  CALL(cdn_multiply_by_frame_J_transpose(s->state, tasks, s->body, s->point, s->F, s->out));
  CALL(cdn_calc_frame_J(s->state, tasks, s->body, s->point, s->out));
  CALL(cdn_calc_frame_Jdot_u(s->state, tasks, s->body, s->point, (cdn_spatial *)s->out));
  CALL(cdn_calc_body_accelerations(s->state, s->u, s->bodies));
  CALL(cdn_calc_station_accelerations(s->state, s->u, tasks, s->body, s->point, (cdn_vec3 *)s->out));
  CALL(cdn_calc_M_inv(s->state, s->out));
  CALL(cdn_calc_log_det_M(s->state, s->out));
  CALL(cdn_calc_log_det_M_gradient(s->state, s->out));
  CALL(cdn_calc_composite_body_inertias(s->state, R));
  CALL(cdn_calc_body_kinetic_energies(s->state, s->out));
  CALL(cdn_calc_gravity_forces(s->state, s->f[0], s->out));
  CALL(cdn_calc_reaction_forces(s->state, s->u, CDN_REACTION_ON_PARENT_AT_F, s->bodies));
  CALL(cdn_central_momentum(s->state, &one));
  CALL(cdn_calc_momentum_rate(s->state, s->u, &one, NULL));
  CALL(cdn_center_of_mass_velocity(s->state, &v));
  CALL(cdn_calc_center_of_mass_acceleration(s->state, s->u, &v));
#undef CALL
  return worst;
}

START_TEST(test_no_allocation) {
  counting_allocator c = { .calls = 0 };
  scene s = make_scene(allocator_of(&c));
  double u[NU];
  int64_t before = 0;
  for (int i = 0; i < 4; i++) { /* the first two times warm up: scratch settles into one chunk */
    memcpy(u, cdn_state_u(s.state), sizeof(double) * 12);
    u[0] += 0.1;
    OK(cdn_state_set_u(s.state, u));
    OK_ON(s.state, call_all(&s, 1 + i % TASKS));
    if (i == 1) before = c.calls;
  }
  ck_assert_int_eq(c.calls, before);
  cdn_state_destroy(s.state);
  ck_assert_int_eq(c.outstanding, 0);
  ck_assert_int_eq(c.misuse, 0);
}
END_TEST

START_TEST(test_out_of_memory) {
  /* whichever allocation fails, the operator that wanted it says so, and the next try succeeds */
  for (int64_t k = 1;; k++) {
    counting_allocator c = { .calls = 0 };
    scene s = make_scene(allocator_of(&c));
    int64_t start = c.calls;
    c.fail_at = start + k;
    cdn_status status = call_all(&s, 2);
    bool reached = c.calls >= c.fail_at;
    ck_assert_int_eq(status, reached ? CDN_ERR_NOMEM : CDN_OK);
    c.fail_at = 0;
    OK_ON(s.state, call_all(&s, 2));
    cdn_state_destroy(s.state);
    ck_assert_int_eq(c.outstanding, 0);
    if (!reached) break;
  }
}
END_TEST

START_TEST(test_nothing_is_invalidated) {
  scene s = make_scene((cdn_allocator){ 0 });
  OK_ON(s.state, cdn_realize(s.state, CDN_STAGE_REPORT));
  double udot[12];
  memcpy(udot, cdn_state_udot(s.state), sizeof udot);
  OK_ON(s.state, call_all(&s, 2));
  ck_assert_int_eq(cdn_state_stage(s.state), CDN_STAGE_REPORT);
  for (int k = 0; k < 12; k++) ck_assert(cdn_state_udot(s.state)[k] == udot[k]);
  cdn_state_destroy(s.state);
}
END_TEST

#define WRONG(call, code) ck_assert_msg((call) == (code), "%s is not refused with %s", #call, #code)

/* Every operator that takes numbers, with wrong ones: u and udot, q, points, forces. */
static void refuse_u(scene *s, const double *u, cdn_status code) {
  cdn_spatial one;
  cdn_vec3 v;
  WRONG(cdn_multiply_by_N_inv_transpose(s->state, u, s->out), code);
  WRONG(cdn_calc_qdotdot(s->state, u, s->out), code);
  WRONG(cdn_multiply_by_station_J(s->state, 1, s->body, s->point, u, &v), code);
  WRONG(cdn_multiply_by_frame_J(s->state, 2, s->body, s->point, u, s->bodies), code);
  WRONG(cdn_calc_body_accelerations(s->state, u, s->bodies), code);
  WRONG(cdn_calc_station_accelerations(s->state, u, 1, s->body, s->point, &v), code);
  WRONG(cdn_calc_reaction_forces(s->state, u, CDN_REACTION_ON_BODY_AT_M, s->bodies), code);
  WRONG(cdn_calc_momentum_rate(s->state, u, &one, NULL), code);
  WRONG(cdn_calc_center_of_mass_acceleration(s->state, u, &v), code);
  WRONG(cdn_multiply_by_M(s->state, u, s->out), code);
  WRONG(cdn_multiply_by_M_inv(s->state, u, s->out), code);
  WRONG(cdn_multiply_by_J(s->state, u, s->bodies), code);
}

static void refuse_points(scene *s, const cdn_body *body, const cdn_vec3 *point, cdn_status code) {
  cdn_vec3 v[TASKS];
  WRONG(cdn_multiply_by_station_J(s->state, 1, body, point, s->u, v), code);
  WRONG(cdn_multiply_by_station_J_transpose(s->state, 2, body, point, s->f, s->out), code);
  WRONG(cdn_calc_station_J(s->state, 2, body, point, s->out), code);
  WRONG(cdn_calc_station_Jdot_u(s->state, 1, body, point, v), code);
  WRONG(cdn_multiply_by_frame_J(s->state, 1, body, point, s->u, s->bodies), code);
  WRONG(cdn_multiply_by_frame_J_transpose(s->state, 1, body, point, s->F, s->out), code);
  WRONG(cdn_calc_frame_J(s->state, 1, body, point, s->out), code);
  WRONG(cdn_calc_frame_Jdot_u(s->state, 2, body, point, s->bodies), code);
  WRONG(cdn_calc_station_accelerations(s->state, s->u, 2, body, point, v), code);
}

START_TEST(test_wrong_arguments) {
  scene s = make_scene((cdn_allocator){ 0 });
  double u[NU] = { 0 }, q[NQ] = { 0 };
  u[4] = NAN, q[2] = INFINITY;
  refuse_u(&s, u, CDN_ERR_NONFINITE);
  refuse_u(&s, NULL, CDN_ERR_ARG);
  WRONG(cdn_multiply_by_N_transpose(s.state, q, s.out), CDN_ERR_NONFINITE);
  WRONG(cdn_calc_udot_of_qdotdot(s.state, q, s.out), CDN_ERR_NONFINITE);
  WRONG(cdn_multiply_by_N_transpose(s.state, NULL, s.out), CDN_ERR_ARG);
  WRONG(cdn_multiply_by_J_transpose(s.state, NULL, s.out), CDN_ERR_ARG);

  cdn_vec3 points[TASKS] = { { 0, NAN, 0 }, { 0, 0, 0 } };
  refuse_points(&s, s.body, points, CDN_ERR_NONFINITE);
  refuse_points(&s, s.body, NULL, CDN_ERR_ARG);
  refuse_points(&s, NULL, s.point, CDN_ERR_ARG);
  cdn_body strange[TASKS] = { { 6 }, { 1 } };
  refuse_points(&s, strange, s.point, CDN_ERR_ARG);
  strange[0].i = -1;
  refuse_points(&s, strange, s.point, CDN_ERR_ARG);
  cdn_error error;
  cdn_state_last_error(s.state, &error);
  ck_assert_ptr_nonnull(strstr(error.text, "-1"));

  s.f[1].z = NAN, s.F[1].w.x = NAN;
  WRONG(cdn_multiply_by_station_J_transpose(s.state, 2, s.body, s.point, s.f, s.out), CDN_ERR_NONFINITE);
  WRONG(cdn_multiply_by_frame_J_transpose(s.state, 2, s.body, s.point, s.F, s.out), CDN_ERR_NONFINITE);
  WRONG(cdn_multiply_by_station_J_transpose(s.state, 2, s.body, s.point, NULL, s.out), CDN_ERR_ARG);
  WRONG(cdn_multiply_by_frame_J_transpose(s.state, 2, s.body, s.point, NULL, s.out), CDN_ERR_ARG);
  WRONG(cdn_calc_gravity_forces(s.state, cdn_v3(0, 0, NAN), s.out), CDN_ERR_NONFINITE);
  WRONG(cdn_calc_reaction_forces(s.state, s.u, CDN_REACTION_COUNT, s.bodies), CDN_ERR_ARG);
  WRONG(cdn_calc_station_J(s.state, -1, s.body, s.point, s.out), CDN_ERR_ARG);
  OK_ON(s.state, cdn_calc_station_J(s.state, 0, NULL, NULL, s.out)); /* no tasks are no mistake */
  s.f[1].z = 0, s.F[1].w.x = 0;
  OK_ON(s.state, call_all(&s, 2));
  cdn_state_destroy(s.state);
}
END_TEST

START_TEST(test_trees_without_mobilities) {
  /* nothing but a welded body: nu = 0, and everything still has an answer */
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mass = (cdn_mass_properties){ .mass = 2, .com = { 1, 0, 0 }, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  cdn_body body = cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, NULL, cdn_v3(0, 0, -10));
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_spatial F[2];
  double log_det = NAN;
  cdn_vec3 p = { 1, 2, 3 }, v;
  OK_ON(state, cdn_calc_reaction_forces(state, NULL, CDN_REACTION_ON_BODY_AT_M, F));
  near_spatial(F[1], (cdn_spatial){ { 0, -20, 0 }, { 0, 0, 20 } }, 1e-14); /* carries the weight, at an arm */
  near_spatial(F[0], F[1], 1e-14);
  OK_ON(state, cdn_calc_log_det_M(state, &log_det));
  ck_assert(log_det == 0);
  OK_ON(state, cdn_calc_log_det_M_gradient(state, NULL));
  OK_ON(state, cdn_calc_M_inv(state, NULL));
  OK_ON(state, cdn_calc_J(state, NULL));
  OK_ON(state, cdn_multiply_by_station_J(state, 1, &body, &p, NULL, &v));
  near_vec3(v, cdn_v3(0, 0, 0), 0);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

START_TEST(test_singular_mass_matrix) {
  /* a massless body on a pin (allowed if asked for) has no M^-1: the joint is named */
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "ghost", def.mobilizer = CDN_PIN, def.allow_improper = true;
  cdn_system_add_body(system, &def);
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  double x[1];
  cdn_error error;
  FAILS(cdn_calc_M_inv(state, x), CDN_ERR_SINGULAR);
  FAILS(cdn_calc_log_det_M(state, x), CDN_ERR_SINGULAR);
  FAILS(cdn_calc_log_det_M_gradient(state, x), CDN_ERR_SINGULAR);
  cdn_state_last_error(state, &error);
  ck_assert_str_eq(error.element, "ghost");
  OK_ON(state, cdn_calc_J(state, (double[12]){ 0 }));
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("operators", test_no_allocation, test_out_of_memory, test_nothing_is_invalidated, test_wrong_arguments,
           test_trees_without_mobilities, test_singular_mass_matrix)
