/* Methods that take equal steps: closed forms, orders, what they refuse. */
#include <stdlib.h>

#include "../testing.h"
#include "dynamics/dynamics.h"

/* All of them. */
static const cdn_method methods[] = { CDN_METHOD_MUJOCO_EULER, CDN_METHOD_MUJOCO_IMPLICIT,
                                      CDN_METHOD_MUJOCO_IMPLICIT_FAST, CDN_METHOD_MUJOCO_MIDPOINT,
                                      CDN_METHOD_MUJOCO_RK4 };
enum { METHODS = sizeof methods / sizeof *methods, DAMPING = METHODS - 1 };

static cdn_stepper *stepper_of(cdn_state *state, cdn_method method, double h) {
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper;
  def.method = method, def.fixed_step = h;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  return stepper;
}

static cdn_state *state_of(cdn_system *system) {
  cdn_state *state;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* ---- closed forms ---- */

/* m u' = -c u with u1 = u0 / (1 + h c / m), at steps that are far too long for an explicit method. */
START_TEST(a_strong_damper_decays) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass.mass = 2;
  const cdn_body body = cdn_system_add_body(system, &def);
  cdn_system_add_mobility_damper(system, "damper", body, 0, 3000);
  cdn_state *state = state_of(system);
  const double u0 = 5, h = 0.1;
  OK_ON(state, cdn_body_set_u(state, body, 1, &u0));
  cdn_stepper *stepper = stepper_of(state, methods[_i], h);
  double u = u0, q = 0;
  for (int n = 1; n <= 10; n++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, n * h, NULL));
    u /= 1 + h * 3000 / 2, q += h * u;
    NEAR(cdn_state_u(cdn_stepper_state(stepper))[0], u, 1e-13 * fabs(u) + 1e-25);
    NEAR(cdn_state_q(cdn_stepper_state(stepper))[0], q, 1e-14);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* Verlet's u1 = u0 - h c (u0 + u1) / 2m is found by an iteration that shrinks errors by r = h c / 2m: it fails where
 * they grow only. */
START_TEST(verlet_solves_while_its_iteration_shrinks_errors) {
  static const double ratios[] = { 0.1, 0.5, 0.7, 0.9, 1.1 };
  const double h = 1e-3, r = ratios[_i / 2], u0 = _i % 2 ? 3 : 3.7e8; /* rounding stops it, too */
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass.mass = 2;
  const cdn_body body = cdn_system_add_body(system, &def);
  cdn_system_add_mobility_damper(system, "damper", body, 0, 4 * r / h);
  cdn_state *state = state_of(system);
  OK_ON(state, cdn_body_set_u(state, body, 1, &u0));
  cdn_stepper *stepper = stepper_of(state, CDN_METHOD_VERLET, h);
  const cdn_status status = cdn_stepper_step(stepper, INFINITY);
  if (r > 1) ck_assert_int_eq(status, CDN_ERR_STEP);
  else OK_STEP(stepper, status);
  if (r < 1)
    NEAR(cdn_state_u(cdn_stepper_state(stepper))[0], u0 * (1 - r) / (1 + r), fmax(1e-13, 1e-14 * u0) / (1 - r));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* A body that turns about a principal axis comes back after a turn, however long its steps are. */
START_TEST(a_steady_turn_is_exact) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_BALL, def.mass.mass = 1;
  def.mass.inertia = (cdn_inertia){ 1, 2, 2.5, 0, 0, 0 };
  const cdn_body body = cdn_system_add_body(system, &def);
  cdn_state *state = state_of(system);
  const double u[3] = { 0, 0, 2 * PI };
  OK_ON(state, cdn_body_set_u(state, body, 3, u));
  cdn_stepper *stepper = stepper_of(state, methods[_i], 0.125);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.25, NULL));
  NEAR(cdn_state_q(cdn_stepper_state(stepper))[0], sqrt(0.5), 1e-14);
  NEAR(cdn_state_q(cdn_stepper_state(stepper))[3], sqrt(0.5), 1e-14);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  NEAR(fabs(cdn_state_q(cdn_stepper_state(stepper))[0]), 1, 1e-14);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- orders ---- */

/* The distance of q and u at time 1 from those of a run at 1e-13. */
static double error_with(cdn_state *state, cdn_method method, double h) {
  const cdn_system *system = cdn_state_system(state);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *exact, *stepper = stepper_of(state, method, h);
  double error = 0;
  def.accuracy = 1e-13;
  OK_ON(state, cdn_stepper_create(state, &def, &exact));
  OK_STEP(exact, cdn_stepper_advance(exact, 1, NULL));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  for (int i = 0; i < cdn_system_nq(system); i++)
    error = fmax(error, fabs(cdn_state_q(cdn_stepper_state(stepper))[i] - cdn_state_q(cdn_stepper_state(exact))[i]));
  for (int i = 0; i < cdn_system_nu(system); i++)
    error = fmax(error, fabs(cdn_state_u(cdn_stepper_state(stepper))[i] - cdn_state_u(cdn_stepper_state(exact))[i]));
  cdn_stepper_destroy(stepper);
  cdn_stepper_destroy(exact);
  return error;
}

static void has_order(cdn_state *state, cdn_method method, double order, double h) {
  const double long_ = error_with(state, method, h), short_ = error_with(state, method, h / 2);
  const double found = log2(long_ / short_);
  ck_assert_msg(fabs(found - order) < 0.15 + 0.05 * order, "%s: order %.2f, errors %.3g and %.3g",
                cdn_method_name(method), found, long_, short_);
}

/* Pins in a plane with dampers and springs; `closed`: the last one on a line. */
static cdn_state *chain(bool closed, const cdn_allocator *allocator) {
  cdn_system_def how = cdn_default_system_def();
  if (allocator) how.allocator = *allocator;
  cdn_system *system = cdn_system_create(&how);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN, def.mass.mass = 1, def.mass.com = cdn_v3(0.5, 0, 0);
  def.mass.inertia = (cdn_inertia){ 0.1, 0.1, 0.1, 0, 0, 0 };
  cdn_body body = cdn_ground();
  for (int i = 0; i < 3; i++) {
    def.parent = body, def.X_PF.p = cdn_v3(i > 0, 0, 0);
    if (i == 0) def.X_PF.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), PI / 2);
    else def.X_PF.R = cdn_rotation_identity();
    body = cdn_system_add_body(system, &def);
    cdn_system_add_mobility_damper(system, NULL, body, 0, 0.7);
    cdn_system_add_mobility_spring(system, NULL, body, 0, 3, 0.2);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  if (closed)
    cdn_system_constrain_point_in_plane(system, "line", cdn_ground(), cdn_v3(0, 0, 1), 0, body, cdn_v3(1, 0, 0));
  return state_of(system);
}

START_TEST(orders_on_a_chain) {
  cdn_state *state = chain(false, NULL);
  static const double orders[METHODS] = { 1, 1, 1, 1, 4 };
  has_order(state, methods[_i], orders[_i], _i == METHODS - 1 ? 0.02 : 0.002);
  cdn_state_destroy(state);
}
END_TEST

/* Projected after each step; equations hold to the tolerance. */
START_TEST(orders_beside_a_constraint) {
  cdn_state *state = chain(true, NULL);
  static const double orders[METHODS] = { 1, 1, 1, 1, 4 };
  const double q0[3] = { 0.9, -1.9, 1.0 }, u0[3] = { 1, -1, 0.5 };
  OK_ON(state, cdn_state_set_q(state, q0));
  OK_ON(state, cdn_state_set_u(state, u0));
  cdn_projection_def def = cdn_default_projection_def();
  def.tolerance = 1e-14;
  OK_ON(state, cdn_project_q(state, &def, NULL));
  OK_ON(state, cdn_project_u(state, &def, NULL));
  has_order(state, methods[_i], orders[_i], _i == METHODS - 1 ? 0.02 : 0.001);
  cdn_stepper *stepper = stepper_of(state, methods[_i], 0.01);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  AT_MOST(fabs(cdn_state_qerr(cdn_stepper_state(stepper))[0]), 1e-5);
  AT_MOST(fabs(cdn_state_uerr(cdn_stepper_state(stepper))[0]), 1e-4);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* After the first steps nothing is allocated. */
static int allocations;
static void *count_alloc(void *context, size_t size, size_t align) {
  (void)context;
  allocations++;
  return aligned_alloc(align, (size + align - 1) / align * align);
}
static void count_free(void *context, void *memory, size_t size) {
  (void)context, (void)size;
  free(memory);
}

START_TEST(steps_allocate_nothing) {
  const cdn_allocator allocator = { .alloc = count_alloc, .free = count_free };
  for (int closed = 0; closed < 2; closed++) {
    cdn_state *state = chain(closed, &allocator);
    const double q0[3] = { 0.9, -1.9, 1.0 };
    cdn_projection_def def = cdn_default_projection_def();
    OK_ON(state, cdn_state_set_q(state, q0));
    OK_ON(state, cdn_project_q(state, &def, NULL));
    cdn_stepper *stepper = stepper_of(state, methods[_i], 0.01);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1, NULL));
    int before = allocations;
    OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
    ck_assert_int_eq(allocations, before);
    double A[36];
    for (int k = 0; k < 4 && _i < 3; k++) { /* those of which steps have derivatives */
      OK_ON(state, cdn_step_derivatives(state, methods[_i], 0.01, A, NULL, NULL));
      if (k == 1) before = allocations; /* the workspace has grown */
    }
    ck_assert_int_eq(allocations, before);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

/* A free body that tumbles: its centre of mass is not where its origin is. */
static cdn_state *tumbler(cdn_body *body) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  const double u0[6] = { 2, 1, -1, 0.3, 0.2, -0.1 };
  def.mobilizer = CDN_FREE, def.mass.mass = 2, def.mass.com = cdn_v3(0.2, -0.1, 0.3);
  def.mass.inertia = (cdn_inertia){ 1, 2, 2.5, 0.1, 0.2, -0.1 };
  *body = cdn_system_add_body(system, &def);
  cdn_state *state = state_of(system);
  OK_ON(state, cdn_state_set_u(state, u0));
  return state;
}

START_TEST(orders_of_a_tumbling_body) {
  cdn_body body;
  cdn_state *state = tumbler(&body);
  static const double orders[METHODS] = { 1, 1, 1, 2, 2 };
  has_order(state, methods[_i], orders[_i], 0.005);
  cdn_state_destroy(state);
}
END_TEST

/* Over a minute of long steps: to rounding. Euler's method gains a fifth of the energy. */
START_TEST(the_midpoint_keeps_energy_and_momentum) {
  cdn_body body;
  cdn_state *state = tumbler(&body);
  double before, after;
  cdn_spatial momentum[2];
  OK_ON(state, cdn_kinetic_energy(state, &before));
  OK_ON(state, cdn_momentum(state, &momentum[0]));
  cdn_stepper *stepper = stepper_of(state, CDN_METHOD_MUJOCO_MIDPOINT, 0.1);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 60, NULL));
  cdn_state *end = cdn_stepper_state(stepper);
  OK_ON(end, cdn_kinetic_energy(end, &after));
  OK_ON(end, cdn_momentum(end, &momentum[1]));
  NEAR(after, before, 1e-12 * before);
  for (int k = 0; k < 6; k++) NEAR((&momentum[1].w.x)[k], (&momentum[0].w.x)[k], 1e-11);
  cdn_stepper_destroy(stepper);
  stepper = stepper_of(state, CDN_METHOD_MUJOCO_EULER, 0.01);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 60, NULL));
  OK_ON(cdn_stepper_state(stepper), cdn_kinetic_energy(cdn_stepper_state(stepper), &after));
  ck_assert(fabs(after - before) > 0.05 * before);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- the inverse ---- */

/* The speeds at the end of a step, before they are projected. */
static void speeds_after(cdn_state *state, int which, double h, double *u1) {
  double a[3];
  if (which < 3)
    OK_ON(state,
          cdni_dynamics_damp(state, "a test", (step_damping[]){ STEP_JOINTS, STEP_ALL, STEP_FORCES }[which], h, a));
  else memcpy(a, cdn_state_udot(state), sizeof a);
  for (int k = 0; k < 3; k++) u1[k] = cdn_state_u(state)[k] + h * a[k];
}

/* Forward with forces, then inverse: the same forces, or with a loop those of least norm that make the same step. */
START_TEST(steps_have_an_inverse) {
  static const cdn_method known[] = { CDN_METHOD_MUJOCO_EULER, CDN_METHOD_MUJOCO_IMPLICIT,
                                      CDN_METHOD_MUJOCO_IMPLICIT_FAST, CDN_METHOD_SEMI_EXPLICIT_EULER };
  const double q0[3] = { 0.9, -1.9, 1.0 }, u0[3] = { 1, -1, 0.5 }, f[3] = { 3, -2, 4 }, h = 0.01;
  for (int closed = 0; closed < 2; closed++) {
    cdn_state *state = chain(closed, NULL);
    double tau[3], u1[3], again[3], size[2] = { 0 };
    cdn_projection_def def = cdn_default_projection_def();
    def.tolerance = 1e-14;
    OK_ON(state, cdn_state_set_q(state, q0));
    OK_ON(state, cdn_state_set_u(state, u0));
    OK_ON(state, cdn_project_q(state, &def, NULL));
    OK_ON(state, cdn_project_u(state, &def, NULL));
    OK_ON(state, cdn_state_set_applied_mobility_forces(state, f));
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    speeds_after(state, _i, h, u1);
    OK_ON(state, cdn_state_set_applied_mobility_forces(state, (const double[3]){ 0 }));
    OK_ON(state, cdn_step_inverse_dynamics(state, known[_i], h, u1, tau));
    for (int k = 0; k < 3 && !closed; k++) NEAR(tau[k], f[k], 1e-11);
    for (int k = 0; k < 3; k++) size[0] += f[k] * f[k], size[1] += tau[k] * tau[k];
    if (closed) AT_MOST(size[1], size[0]);
    OK_ON(state, cdn_state_set_applied_mobility_forces(state, tau));
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    speeds_after(state, _i, h, again);
    for (int k = 0; k < 3; k++) NEAR(again[k], u1[k], 1e-13);
    FAILS(cdn_step_inverse_dynamics(state, CDN_METHOD_MUJOCO_MIDPOINT, h, u1, tau), CDN_ERR_UNSUPPORTED);
    FAILS(cdn_step_inverse_dynamics(state, known[_i], 0, u1, tau), CDN_ERR_ARG);
    FAILS(cdn_step_inverse_dynamics(state, known[_i], h, NULL, tau), CDN_ERR_ARG);
    cdn_state_destroy(state);
  }
}
END_TEST

/* ---- what is refused ---- */

START_TEST(equal_steps_need_their_size) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_SLIDER, body.mass.mass = 2;
  cdn_system_add_body(system, &body);
  cdn_state *state = state_of(system);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper = NULL;
  cdn_error error;
  def.method = methods[_i];
  FAILS(cdn_stepper_create(state, &def, &stepper), CDN_ERR_ARG);
  cdn_state_last_error(state, &error);
  ck_assert_ptr_nonnull(strstr(error.text, "set fixed_step"));
  cdn_state_destroy(state);
}
END_TEST

/* A force that feeds on speed doubles it within less than a step: the matrix of the step is not positive. */
static cdn_status push(const void *self, cdn_state *state, cdn_forces *out) {
  (void)self;
  cdn_forces_add_mobility(out, (cdn_body){ 1 }, 0, 50 * cdn_state_u(state)[0]);
  return CDN_OK;
}

START_TEST(growth_beyond_a_step_is_told) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  const cdn_force_ops force = {
    .subsystem = { .name = "push" }, .struct_size = sizeof force, .reads = CDN_READS_VELOCITY, .calc_force = push
  };
  body.name = "cart", body.mobilizer = CDN_SLIDER, body.mass.mass = 2;
  cdn_system_add_body(system, &body);
  cdn_system_add_custom_force(system, &force, NULL);
  cdn_state *state = state_of(system);
  const double u0 = 1;
  OK_ON(state, cdn_state_set_u(state, &u0));
  for (int longer = 0; longer < 2; longer++) {
    cdn_stepper *stepper = stepper_of(state, CDN_METHOD_MUJOCO_IMPLICIT, longer ? 0.05 : 0.02);
    const cdn_status status = cdn_stepper_advance(stepper, 0.1, NULL);
    ck_assert_int_eq(status, longer ? CDN_ERR_SINGULAR : CDN_OK);
    cdn_failure failure;
    cdn_stepper_failure(stepper, &failure);
    if (longer) ck_assert_ptr_nonnull(strstr(failure.error.text, "take a shorter step"));
    cdn_stepper_destroy(stepper);
  }
  cdn_state_destroy(state);
}
END_TEST

/* A force on the first of two sliders that follows the speed of the second: half of it counts at each of them. */
static cdn_status lean(const void *self, cdn_state *state, cdn_forces *out) {
  (void)self;
  cdn_forces_add_mobility(out, (cdn_body){ 1 }, 0, -6 * cdn_state_u(state)[1]);
  return CDN_OK;
}

START_TEST(the_fast_form_is_symmetric) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  const cdn_force_ops force = {
    .subsystem = { .name = "lean" }, .struct_size = sizeof force, .reads = CDN_READS_VELOCITY, .calc_force = lean
  };
  body.mobilizer = CDN_SLIDER, body.mass.mass = 2;
  for (int i = 0; i < 2; i++) cdn_system_add_body(system, &body);
  cdn_system_add_custom_force(system, &force, NULL);
  cdn_state *state = state_of(system);
  const double u0[2] = { 1, 4 }, h = 0.1;
  for (int fast = 0; fast < 2; fast++) {
    OK_ON(state, cdn_state_set_u(state, u0));
    cdn_stepper *stepper = stepper_of(state, fast ? CDN_METHOD_MUJOCO_IMPLICIT_FAST : CDN_METHOD_MUJOCO_IMPLICIT, h);
    OK_STEP(stepper, cdn_stepper_advance(stepper, h, NULL));
    /* (M - h J) a = F with F = (-24, 0) and J = [0 -6; 0 0], or its symmetric part */
    const double b = fast ? 3 * h : 0, c = fast ? 3 * h : 6 * h, a1 = -24 / (2 - b * c / 2), a2 = -b * a1 / 2;
    NEAR(cdn_state_u(cdn_stepper_state(stepper))[0], 1 + h * a1, 1e-7);
    NEAR(cdn_state_u(cdn_stepper_state(stepper))[1], 4 + h * a2, 1e-7);
    cdn_stepper_destroy(stepper);
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- what the companion says of them ---- */

static const cdn_method judged[] = { CDN_METHOD_MERSON,
                                     CDN_METHOD_DORMAND_PRINCE,
                                     CDN_METHOD_BOGACKI_SHAMPINE,
                                     CDN_METHOD_FEHLBERG,
                                     CDN_METHOD_VERLET,
                                     CDN_METHOD_SEMI_EXPLICIT_EULER,
                                     CDN_METHOD_EXPLICIT_EULER,
                                     CDN_METHOD_TRAPEZOID,
                                     CDN_METHOD_MUJOCO_EULER,
                                     CDN_METHOD_SEMI_EXPLICIT_EULER_2,
                                     CDN_METHOD_MUJOCO_IMPLICIT_FAST,
                                     CDN_METHOD_MUJOCO_MIDPOINT,
                                     CDN_METHOD_MUJOCO_RK4,
                                     CDN_METHOD_IMPLICIT_CONTACT,
                                     CDN_METHOD_ADAMS };

/* q'' = -q: the estimate is the error but for what higher powers of the step have in both. */
START_TEST(estimates_are_the_errors) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  const double q0 = 1;
  def.mobilizer = CDN_SLIDER, def.mass.mass = 1, def.q0 = &q0;
  cdn_system_add_mobility_spring(system, NULL, cdn_system_add_body(system, &def), 0, 1, 0);
  cdn_state *state = state_of(system), *exact;
  OK(cdn_state_create((cdn_system *)cdn_state_system(state), &exact));
  cdn_stepper_def how = cdn_default_stepper_def();
  cdn_stepper *stepper;
  how.method = judged[_i], how.fixed_step = 0.01, how.companion = true;
  OK_ON(state, cdn_stepper_create(state, &how, &stepper));
  double worst = 0;
  for (int k = 1; k <= 20; k++) {
    const double t = 0.2 * k, y[2] = { cos(t), -sin(t) };
    cdn_distance d;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    OK_ON(exact, cdn_state_set_ty(exact, t, y));
    OK_STEP(stepper, cdn_stepper_distance(stepper, exact, &d));
    worst = fmax(worst, d.largest);
  }
  cdn_certificate c;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  ck_assert_msg(fabs(c.error_estimate / worst - 1) < 0.05, "%s: %g is estimated, %g is true: %g times",
                cdn_method_name(judged[_i]), c.error_estimate, worst, c.error_estimate / worst);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(exact);
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, estimates_are_the_errors, 0, sizeof judged / sizeof *judged);
  tcase_add_loop_test(c, orders_on_a_chain, 0, METHODS);
  tcase_add_loop_test(c, orders_beside_a_constraint, 0, METHODS);
  tcase_add_loop_test(c, steps_allocate_nothing, 0, METHODS);
  tcase_add_loop_test(c, orders_of_a_tumbling_body, 0, METHODS);
  tcase_add_test(c, the_midpoint_keeps_energy_and_momentum);
  tcase_add_test(c, the_fast_form_is_symmetric);
  tcase_add_loop_test(c, a_strong_damper_decays, 0, DAMPING);
  tcase_add_loop_test(c, verlet_solves_while_its_iteration_shrinks_errors, 0, 10);
  tcase_add_loop_test(c, a_steady_turn_is_exact, 0, METHODS);
  tcase_add_loop_test(c, equal_steps_need_their_size, 0, METHODS);
  tcase_add_loop_test(c, steps_have_an_inverse, 0, 4);
  tcase_add_test(c, growth_beyond_a_step_is_told);
}
CHECK_MAIN_OF("fixed steps", 60, add)
