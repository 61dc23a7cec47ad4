/* Force elements together: potential and power, switches, what a setter invalidates, refusals, memory. */
#include "force_rig.h"

#include "forces/internal.h"

/* ---- all together ---- */

static void add_everything(rig *r) {
  cdn_system_add_gravity(r->system, NULL, v(1, -9, 3));
  cdn_system_add_mobility_spring(r->system, NULL, r->pin, 0, 20, 0.1);
  cdn_system_add_mobility_damper(r->system, NULL, r->slider, 0, 2);
  cdn_system_add_mobility_force(r->system, NULL, r->free, 1, 4);
  cdn_system_add_mobility_stop(r->system, NULL, r->slider, 0, -0.1, 0.1, 300, 0.4);
  cdn_system_add_rotation_spring(r->system, NULL, r->ball, 6, cdn_rotation_axis_angle(v(1, 1, 0), 0.3));
  cdn_system_add_rotation_stop(r->system, NULL, r->free, 0.2, 9, 0.3);
  cdn_system_add_two_point_spring(r->system, NULL, r->slider, v(0.1, 0, 0.2), r->free, v(0, -0.2, 0.1), 30, 0.4);
  cdn_system_add_two_point_damper(r->system, NULL, r->ball, v(0, 0.1, 0), r->free, v(0.2, 0, 0), 5);
  cdn_system_add_body_force(r->system, NULL, r->ball, v(0.1, 0.2, 0.3), v(1, 2, 3), v(-1, 0, 2));
}

static void set_somewhere(const rig *r) {
  OK(cdn_state_set_q(r->state, (double[]){ 0.4, 0.3, 0.9, 0.3, -0.2, 0.5, 0.8, -0.5, 0.1, 0.4, 1.2, -0.7, 0.6 }));
  OK(cdn_state_set_u(r->state, (double[]){ 0.7, -1.1, 0.4, -0.9, 1.3, 0.8, -0.6, 0.5, 1.4, 0.2, -1.0 }));
}

/* With everything in, forces from outside too: the power of all forces is -dV/dt plus that without potential. */
START_TEST(test_power_balance) {
  rig r = make_rig();
  add_everything(&r);
  start(&r);
  set_somewhere(&r);
  const double applied[11] = { 1, -2, 3, -1, 2, -3, 1, 2, 3, -4, 5 };
  OK(cdn_state_set_applied_mobility_forces(r.state, applied));
  OK(cdn_state_set_applied_body_force(r.state, r.slider, (cdn_spatial){ v(1, 2, 3), v(-3, 2, 1) }));
  cdn_spatial F[5];
  double f_mob[11], f[11], q[13], qdot[13], moved[13], total = 0, size = 0, rate = 0;
  OK_ON(r.state, cdn_applied_forces(r.state, F, f_mob));
  OK_ON(r.state, cdn_multiply_by_J_transpose(r.state, F, f));
  for (int k = 0; k < 11; k++)
    total += (f[k] + f_mob[k]) * cdn_state_u(r.state)[k], size += fabs(f[k]) + fabs(f_mob[k]);
  const double without = power(&r);
  memcpy(q, cdn_state_q(r.state), sizeof q);
  memcpy(qdot, cdn_state_qdot(r.state), sizeof qdot);
  const double weights[] = { 1 / 12.0, -8 / 12.0, 8 / 12.0, -1 / 12.0 }, h = 1e-3, at[] = { -2 * h, -h, h, 2 * h };
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < 13; i++) moved[i] = q[i] + at[k] * qdot[i];
    OK(cdn_state_set_q(r.state, moved));
    rate += weights[k] / h * potential(&r);
  }
  /* five-point difference: h^4 times a fifth derivative, and eps / h */
  NEAR(total, without - rate, 1e-10 * size);
  ck_assert(fabs(rate) > 1 && fabs(without) > 1);

  /* The dynamics see the same forces: M udot + bias = J^T F + f. */
  OK(cdn_state_set_q(r.state, q));
  double residual[11];
  OK_ON(r.state, cdn_residual(r.state, cdn_state_udot(r.state), residual));
  for (int k = 0; k < 11; k++) NEAR(residual[k], 0, 1e-12 * size);
  stop(&r);
}
END_TEST

/* Switching elements off one by one takes exactly each one's share away. */
START_TEST(test_enabling) {
  rig r = make_rig();
  add_everything(&r);
  start(&r);
  set_somewhere(&r);
  const int n = cdn_system_force_count(r.system);
  ck_assert_int_eq(n, 10);
  double all[11], sum[11] = { 0 }, own[11], energy = 0, work = 0, size = 0;
  cdn_spatial F[5];
  OK_ON(r.state, cdn_applied_forces(r.state, F, own));
  OK_ON(r.state, cdn_multiply_by_J_transpose(r.state, F, all));
  for (int k = 0; k < 11; k++) all[k] += own[k];
  const double all_energy = potential(&r), all_power = power(&r);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) OK(cdn_force_set_enabled(r.state, (cdn_force){ k }, k == i));
    ck_assert(cdn_force_is_enabled(r.state, (cdn_force){ i }) &&
              !cdn_force_is_enabled(r.state, (cdn_force){ (i + 1) % n }));
    double f[11];
    OK_ON(r.state, cdn_applied_forces(r.state, F, own));
    OK_ON(r.state, cdn_multiply_by_J_transpose(r.state, F, f));
    for (int k = 0; k < 11; k++) sum[k] += f[k] + own[k], size += fabs(f[k] + own[k]);
    energy += potential(&r);
    work += power(&r);
  }
  for (int k = 0; k < 11; k++) NEAR(sum[k], all[k], 1e-14 * size);
  NEAR(energy, all_energy, 1e-14 * size);
  NEAR(work, all_power, 1e-14 * size);
  OK(cdn_force_set_enabled(r.state, (cdn_force){ n - 1 }, false));
  NEAR(potential(&r), 0, 0);
  NEAR(power(&r), 0, 0);
  for (int k = 0; k < 11; k++) NEAR(mobility_force(&r, k), 0, 0);
  stop(&r);
}
END_TEST

/* ---- what is computed again ---- */

/* Sums by index: 0 position, 1 position with potential, 2 velocity; and the potential. */
enum { POSITION = 1, POSITION_POTENTIAL = 2, VELOCITY = 4, ENERGY = 8, POSES = 16 };

static int valid_now(const rig *r) {
  const force_room *room = cdni_forces(r->system);
  int mask = 0;
  for (int i = 0; i < 3; i++) mask |= cdni_state_is_valid(r->state, room->accumulators[i].entry.ticket) << i;
  mask |= cdni_state_is_valid(r->state, room->potential.ticket) ? ENERGY : 0;
  return mask | (cdni_state_is_valid(r->state, CDN_POSE) ? POSES : 0);
}

START_TEST(test_invalidation) {
  rig r = make_rig();
  add_everything(&r);
  start(&r);
  const force_room *room = cdni_forces(r.system);
  for (int i = 0; i < FORCE_CLASSES; i++) ck_assert_int_eq(room->accumulators[i].n_parts > 0, i < 3);
#define AFTER(call, still)                                        \
  do {                                                            \
    OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION)); \
    potential(&r);                                                \
    ck_assert_int_eq(valid_now(&r), 31);                          \
    OK_ON(r.state, call);                                         \
    ck_assert_int_eq(valid_now(&r), (still));                     \
  } while (0)
  const int all = 31;
  AFTER(cdn_state_set_q(r.state, cdn_state_q(r.state)), 0);
  AFTER(cdn_state_set_u(r.state, cdn_state_u(r.state)), all - VELOCITY);
  AFTER(cdn_state_set_time(r.state, 1), all);
  AFTER(cdn_state_set_applied_mobility_forces(r.state, (double[11]){ 1 }), all);
  AFTER(cdn_gravity_set(r.state, (cdn_force){ 0 }, v(0, 0, 1)), POSES | POSITION | VELOCITY);
  AFTER(cdn_mobility_spring_set(r.state, (cdn_force){ 1 }, 1, 0), POSES | POSITION | VELOCITY);
  AFTER(cdn_mobility_damper_set(r.state, (cdn_force){ 2 }, 1), all - VELOCITY);
  AFTER(cdn_mobility_force_set(r.state, (cdn_force){ 3 }, 1), all - POSITION);
  AFTER(cdn_mobility_stop_set(r.state, (cdn_force){ 4 }, 0, 1, 2, 3), POSES | POSITION);
  AFTER(cdn_rotation_spring_set(r.state, (cdn_force){ 5 }, 1, cdn_rotation_identity()), POSES | POSITION | VELOCITY);
  AFTER(cdn_rotation_stop_set(r.state, (cdn_force){ 6 }, 1, 2, 3), POSES | POSITION);
  AFTER(cdn_two_point_spring_set(r.state, (cdn_force){ 7 }, 1, 0), POSES | POSITION | VELOCITY);
  AFTER(cdn_two_point_damper_set(r.state, (cdn_force){ 8 }, 1), all - VELOCITY);
  AFTER(cdn_body_force_set(r.state, (cdn_force){ 9 }, v(0, 0, 0), v(0, 0, 0)), all - POSITION);
  AFTER(cdn_force_set_enabled(r.state, (cdn_force){ 9 }, false), POSES);
  AFTER(cdn_body_set_mass_properties(r.state, r.pin, cdn_body_mass_properties(r.state, r.ball)),
        POSES | POSITION | VELOCITY);
  stop(&r);
}
END_TEST

/* ---- refusals ---- */

START_TEST(test_setters_refuse) {
  rig r = make_rig();
  add_everything(&r);
  start(&r);
  OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
  potential(&r);
  cdn_state *s = r.state;
  const cdn_rotation no_rotation = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, -1 } };
  FAILS(cdn_gravity_set(s, (cdn_force){ 1 }, v(0, 0, 0)), CDN_ERR_ARG); /* a spring */
  FAILS(cdn_mobility_spring_set(s, (cdn_force){ 0 }, 1, 1), CDN_ERR_ARG);
  FAILS(cdn_mobility_spring_set(s, (cdn_force){ -1 }, 1, 1), CDN_ERR_ARG);
  FAILS(cdn_mobility_spring_set(s, (cdn_force){ 10 }, 1, 1), CDN_ERR_ARG);
  FAILS(cdn_force_set_enabled(s, (cdn_force){ 10 }, true), CDN_ERR_ARG);
  FAILS(cdn_gravity_set(s, (cdn_force){ 0 }, v(0, NAN, 0)), CDN_ERR_NONFINITE);
  FAILS(cdn_mobility_spring_set(s, (cdn_force){ 1 }, INFINITY, 1), CDN_ERR_NONFINITE);
  FAILS(cdn_mobility_damper_set(s, (cdn_force){ 2 }, -1), CDN_ERR_ARG);
  FAILS(cdn_mobility_stop_set(s, (cdn_force){ 4 }, 1, 0, 1, 0), CDN_ERR_ARG);
  FAILS(cdn_mobility_stop_set(s, (cdn_force){ 4 }, 0, 1, 0, 0), CDN_ERR_ARG);
  FAILS(cdn_mobility_stop_set(s, (cdn_force){ 4 }, 0, 1, 1, -1), CDN_ERR_ARG);
  FAILS(cdn_mobility_stop_set(s, (cdn_force){ 4 }, NAN, 1, 1, 1), CDN_ERR_NONFINITE);
  FAILS(cdn_rotation_spring_set(s, (cdn_force){ 5 }, 1, no_rotation), CDN_ERR_ARG);
  FAILS(cdn_rotation_spring_set(s, (cdn_force){ 5 }, 1, (cdn_rotation){ .x = { NAN, 0, 0 } }), CDN_ERR_ARG);
  FAILS(cdn_rotation_stop_set(s, (cdn_force){ 6 }, -0.1, 1, 1), CDN_ERR_ARG);
  FAILS(cdn_two_point_spring_set(s, (cdn_force){ 7 }, 1, -1), CDN_ERR_ARG);
  FAILS(cdn_two_point_damper_set(s, (cdn_force){ 8 }, -1), CDN_ERR_ARG);
  FAILS(cdn_body_force_set(s, (cdn_force){ 9 }, v(0, 0, 0), v(0, 0, NAN)), CDN_ERR_NONFINITE);
  cdn_error e;
  cdn_state_last_error(s, &e);
  ck_assert_str_eq(e.element, "force9");
  ck_assert_str_eq(e.function, "cdn_body_force_set");
  ck_assert_int_eq(valid_now(&r), 31); /* nothing was changed */
  ck_assert(!cdn_force_is_enabled(s, (cdn_force){ 10 }));
  ck_assert_ptr_null(cdn_force_name(r.system, (cdn_force){ 10 }));
  ck_assert_int_eq(cdn_force_subsystem(r.system, (cdn_force){ 0 }).i, -1);
  stop(&r);
}
END_TEST

START_TEST(test_adders_refuse) {
  /* Each case on a fresh System: the first mistake sticks, with the element's name. */
  const cdn_rotation one = cdn_rotation_identity();
  const cdn_status expected[] = { CDN_ERR_ARG,       CDN_ERR_ARG, CDN_ERR_ARG,      CDN_ERR_ARG, CDN_ERR_ARG,
                                  CDN_ERR_ARG,       CDN_ERR_ARG, CDN_ERR_ARG,      CDN_ERR_ARG, CDN_ERR_ARG,
                                  CDN_ERR_NONFINITE, CDN_ERR_ARG, CDN_ERR_ARG,      CDN_ERR_ARG, CDN_ERR_NONFINITE,
                                  CDN_ERR_ARG,       CDN_ERR_ARG, CDN_ERR_NONFINITE };
  for (int i = 0; i < CDNI_COUNT(expected); i++) {
    rig r = make_rig();
    cdn_system *s = r.system;
    cdn_force f = { 0 };
    switch (i) {
      case 0: f = cdn_system_add_mobility_spring(s, "x", (cdn_body){ 5 }, 0, 1, 1); break;
      case 1: f = cdn_system_add_mobility_damper(s, "x", (cdn_body){ -1 }, 0, 1); break;
      case 2: f = cdn_system_add_mobility_force(s, "x", r.ball, 3, 1); break;
      case 3: f = cdn_system_add_mobility_force(s, "x", ground, 0, 1); break;
      case 4: f = cdn_system_add_mobility_spring(s, "x", r.ball, 0, 1, 1); break;
      case 5: f = cdn_system_add_mobility_stop(s, "x", r.free, 3, 0, 1, 1, 1); break;
      case 6: f = cdn_system_add_rotation_spring(s, "x", r.pin, 1, one); break;
      case 7: f = cdn_system_add_rotation_stop(s, "x", r.slider, 1, 1, 1); break;
      case 8: f = cdn_system_add_mobility_damper(s, "x", r.pin, 0, -1); break;
      case 9: f = cdn_system_add_mobility_stop(s, "x", r.pin, 0, 2, 1, 1, 1); break;
      case 10: f = cdn_system_add_mobility_spring(s, "x", r.pin, 0, NAN, 0); break;
      case 11: f = cdn_system_add_two_point_spring(s, "x", r.pin, v(0, 0, 0), r.pin, v(1, 0, 0), 1, 1); break;
      case 12: f = cdn_system_add_two_point_damper(s, "x", r.pin, v(0, 0, 0), (cdn_body){ 9 }, v(1, 0, 0), 1); break;
      case 13: f = cdn_system_add_two_point_spring(s, "x", r.pin, v(0, 0, 0), r.ball, v(1, 0, 0), 1, -1); break;
      case 14: f = cdn_system_add_two_point_spring(s, "x", r.pin, v(0, 0, INFINITY), r.ball, v(1, 0, 0), 1, 1); break;
      case 15: f = cdn_system_add_rotation_spring(s, "x", r.ball, 1, (cdn_rotation){ .x = { 1, 0, 0 } }); break;
      case 16:
        ck_assert_int_eq(cdn_system_add_gravity(s, "g", v(0, 0, 1)).i, 0);
        f = cdn_system_add_gravity(s, "x", v(0, 0, 1));
        break;
      case 17: f = cdn_system_add_body_force(s, "x", r.pin, v(0, 0, 0), v(0, 0, 0), v(0, NAN, 0)); break;
    }
    ck_assert_int_eq(f.i, -1);
    cdn_error e;
    cdn_system_last_error(s, &e);
    ck_assert_msg(e.code == expected[i], "case %d: %s: %s", i, cdn_status_name(e.code), e.text);
    ck_assert_str_eq(e.element, "x");
    /* Later adders do nothing. */
    ck_assert_int_eq(cdn_system_add_mobility_damper(s, "y", r.pin, 0, 1).i, -1);
    FAILS(cdn_system_freeze(s), expected[i]);
    cdn_system_release(s);
  }
  ck_assert_int_eq(cdn_system_add_mobility_damper(NULL, "y", ground, 0, 1).i, -1);
  rig r = make_rig();
  start(&r);
  ck_assert_int_eq(cdn_system_add_mobility_damper(r.system, "late", r.pin, 0, 1).i, -1);
  stop(&r);
}
END_TEST

/* ---- Systems that lack something ---- */

START_TEST(test_nothing_there) {
  /* No forces: what acts comes from outside, and stops when it is taken away. */
  rig r = make_rig();
  start(&r);
  ck_assert_int_eq(cdn_system_force_count(r.system), 0);
  NEAR(potential(&r), 0, 0);
  NEAR(power(&r), 0, 0);
  NEAR(mobility_force(&r, 0), 0, 0);
  OK(cdn_state_set_applied_mobility_forces(r.state, (double[11]){ 3 }));
  set_u(&r, r.pin, 2);
  NEAR(mobility_force(&r, 0), 3, 0);
  NEAR(power(&r), 6, 0);
  OK(cdn_state_set_applied_mobility_forces(r.state, (double[11]){ 0 }));
  NEAR(mobility_force(&r, 0), 0, 0);
  NEAR(power(&r), 0, 0);
  FAILS(cdn_gravity_set(r.state, (cdn_force){ 0 }, v(0, 0, 0)), CDN_ERR_ARG);
  stop(&r);

  /* No bodies, with gravity and without. */
  for (int gravity = 0; gravity < 2; gravity++) {
    rig empty = { .system = cdn_system_create(NULL) };
    if (gravity) cdn_system_add_gravity(empty.system, NULL, v(0, 0, -9.8));
    start(&empty);
    NEAR(potential(&empty), 0, 0);
    NEAR(power(&empty), 0, 0);
    near3(body_force(&empty, ground).v, v(0, 0, 0), 0);
    OK_ON(empty.state, cdn_realize(empty.state, CDN_STAGE_REPORT));
    stop(&empty);
  }
}
END_TEST

/* ---- memory ---- */

typedef struct counter {
  int blocks, left;
} counter;

static void *count_alloc(void *context, size_t size, size_t align) {
  counter *c = context;
  if (c->left-- <= 0) return NULL;
  c->blocks++;
  return aligned_alloc(align, (size + align - 1) / align * align);
}

static void count_free(void *context, void *memory, size_t size) {
  (void)size;
  ((counter *)context)->blocks--;
  free(memory);
}

/* Memory that runs out anywhere fails cleanly, and nothing is left behind. */
START_TEST(test_out_of_memory) {
  bool done = false;
  for (int left = 0; !done; left++) {
    counter c = { 0, left };
    cdn_system_def def = cdn_default_system_def();
    def.allocator = (cdn_allocator){ count_alloc, count_free, &c };
    rig r = { .system = cdn_system_create(&def) };
    if (!r.system) continue;
    r.pin = add_body(r.system, "arm", ground, CDN_PIN);
    r.slider = add_body(r.system, "rod", r.pin, CDN_SLIDER);
    r.ball = add_body(r.system, "head", ground, CDN_BALL);
    r.free = add_body(r.system, "box", ground, CDN_FREE);
    add_everything(&r);
    cdn_error e;
    (void)!cdn_system_freeze(r.system);
    cdn_system_last_error(r.system, &e);
    cdn_status status = e.code;
    if (status == CDN_OK) status = cdn_state_create(r.system, &r.state);
    if (status == CDN_OK) status = cdn_realize(r.state, CDN_STAGE_REPORT);
    ck_assert_msg(status == CDN_OK || status == CDN_ERR_NOMEM, "%d allocations: %s", left, cdn_status_name(status));
    done = status == CDN_OK;
    cdn_state_destroy(r.state);
    cdn_system_release(r.system);
    ck_assert_int_eq(c.blocks, 0);
  }
}
END_TEST

/* Of compliant contact and of what is applied from outside: all that there is beside gravity and a spring. */
START_TEST(test_external_forces) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_FREE, def.mass.mass = 2, def.mass.inertia = (cdn_inertia){ 0.1, 0.1, 0.1, 0, 0, 0 };
  cdn_body body[2];
  for (int i = 0; i < 2; i++) {
    cdn_shape_def shape = cdn_default_shape_def();
    body[i] = cdn_system_add_body(system, &def);
    shape.body = body[i], shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.5 } };
    shape.X_BS.p = cdn_v3(0.1, 0, 0);
    cdn_system_add_shape(system, &shape);
  }
  const cdn_force gravity = cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.8));
  const cdn_force spring = cdn_system_add_two_point_spring(system, "spring", body[0], cdn_v3(0, 0, 0.1), cdn_ground(),
                                                           cdn_v3(3, 0, 0), 30, 1);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  const double q[14] = { 1, 0, 0, 0, 0, 0, 0, 1, 0.1, 0, 0.2, 0.6, 0.5, 0.3 }, u[12] = { 0.3, 1, -0.4, 0.2, 0.1, 0.5 };
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  const cdn_spatial outside = { { 1, 2, 3 }, { 4, 5, 6 } };
  OK_ON(state, cdn_state_set_applied_body_force(state, body[1], outside));
  cdn_spatial external[3], applied[3], heavy[3], pulled[3];
  OK_ON(state, cdn_external_forces(state, external));
  OK_ON(state, cdn_applied_forces(state, applied, NULL));
  OK_ON(state, cdn_force_contribution(state, gravity, heavy, NULL, NULL, NULL));
  OK_ON(state, cdn_force_contribution(state, spring, pulled, NULL, NULL, NULL));
  int n;
  OK_ON(state, cdn_contact_count(state, &n));
  ck_assert_int_eq(n, 1);
  for (int i = 0; i < 3; i++) {
    const double *x = (double *)&external[i], *all = (double *)&applied[i], *g = (double *)&heavy[i],
                 *s = (double *)&pulled[i];
    for (int k = 0; k < 6; k++) NEAR(x[k], all[k] - g[k] - s[k], 1e-12 * (1 + fabs(all[k])));
  }
  ck_assert(cdn_norm(external[1].v) > 1);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("force sums", test_power_balance, test_enabling, test_invalidation, test_setters_refuse, test_adders_refuse,
           test_nothing_there, test_out_of_memory, test_external_forces)
