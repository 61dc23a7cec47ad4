/* Ensembles that go wrong: a State that fails alone, wrong inputs, memory that runs out. */
#include <math.h>

#include "counting_allocator.h"

enum { COUNT = 10, MEET = 3, RUNAWAY = 6 };

/* A bead on a wire with a spring of rest length 1 to the wire's origin, where the spring has no direction; and a
 * ball. */
typedef struct rig {
  cdn_system *system;
  cdn_state *state;
  cdn_body bead, ball;
  cdn_force spring;
} rig;

static rig make_rig(cdn_allocator allocator) {
  rig r = { 0 };
  cdn_system_def def = cdn_default_system_def();
  def.allocator = allocator;
  r.system = cdn_system_create(&def);
  if (!r.system) return r;
  cdn_body_def body = cdn_default_body_def();
  body.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  body.name = "bead", body.mobilizer = CDN_SLIDER;
  r.bead = cdn_system_add_body(r.system, &body);
  body.name = "ball", body.mobilizer = CDN_BALL;
  r.ball = cdn_system_add_body(r.system, &body);
  r.spring =
      cdn_system_add_two_point_spring(r.system, "cord", cdn_ground(), cdn_v3(0, 0, 0), r.bead, cdn_v3(0, 0, 0), 10, 1);
  return r;
}

static rig make_frozen_rig(void) {
  rig r = make_rig((cdn_allocator){ 0 });
  OK_FREEZE(r.system);
  OK(cdn_state_create(r.system, &r.state));
  OK(cdn_body_set_q(r.state, r.bead, 1, &(double){ 0.5 }));
  return r;
}

static void free_rig(rig *r) {
  cdn_state_destroy(r->state);
  cdn_system_release(r->system);
}

static cdn_ensemble *make_ensemble(rig *r, int lanes, unsigned vary) {
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = COUNT, def.lanes = lanes, def.threads = 2, def.vary = vary;
  cdn_ensemble *e = NULL;
  cdn_status status = cdn_ensemble_create(r->state, &def, &e);
  if (status == CDN_ERR_UNSUPPORTED) return NULL;
  OK_ON(r->state, status);
  return e;
}

static const int all_lanes[] = { 1, 4, 8 };

/* ---- a State fails alone ---- */

START_TEST(one_state_fails) {
  rig r = make_frozen_rig();
  for (int i = 0; i < 3; i++) {
    cdn_ensemble *e = make_ensemble(&r, all_lanes[i], 0);
    if (!e) continue;
    double q[COUNT][5], udot[COUNT][4], alone;
    for (int k = 0; k < COUNT; k++) {
      const double row[] = { k == MEET ? 0 : 0.1 * k + 0.2, k == RUNAWAY ? 0 : 1, 0, 0, 0 };
      memcpy(q[k], row, sizeof row);
    }
    OK(cdn_ensemble_set(e, CDN_POOL_Q, &q[0][0], 0));
    FAILS(cdn_ensemble_rates(e, CDN_POOL_U, &udot[0][0], 0), CDN_ERR_SINGULAR);
    cdn_error error;
    cdn_ensemble_last_error(e, &error);
    ck_assert_int_eq(error.index, MEET);
    ck_assert_str_eq(error.element, "cord");
    ck_assert_msg(strstr(error.text, "State 3") && strstr(error.text, "meet"), "%s", error.text);
    ck_assert_str_eq(error.function, "cdn_ensemble_rates");
    cdn_ensemble_error(e, RUNAWAY, &error);
    ck_assert_int_eq(error.code, CDN_ERR_ARG); /* a quaternion of length 0 */
    ck_assert_str_eq(error.element, "ball");
    for (int k = 0; k < COUNT; k++) {
      if (k == MEET || k == RUNAWAY) {
        ck_assert(cdn_ensemble_status(e, k) != CDN_OK && isnan(udot[k][0]));
        continue;
      }
      ck_assert_int_eq(cdn_ensemble_status(e, k), CDN_OK);
      OK(cdn_body_set_q(r.state, r.bead, 1, q[k]));
      alone = cdn_state_udot(r.state)[0];
      ck_assert(memcmp(&alone, &udot[k][0], sizeof alone) == 0);
    }

    /* the others go on; those that failed stay */
    FAILS(cdn_ensemble_advance(e, 0.01, 5), CDN_ERR_SINGULAR);
    for (int k = 0; k < COUNT; k++) NEAR(cdn_ensemble_time(e, k), k == MEET || k == RUNAWAY ? 0 : 0.05, 1e-15);
    cdn_transform X[COUNT];
    FAILS(cdn_ensemble_body(e, r.bead, X, NULL), CDN_ERR_SINGULAR);
    ck_assert(isnan(X[MEET].p.x) && isfinite(X[MEET + 1].p.x));
    double energy[COUNT];
    FAILS(cdn_ensemble_energies(e, energy, NULL), CDN_ERR_SINGULAR);
    ck_assert(isnan(energy[MEET]) && isfinite(energy[0]));

    /* set anew they live again */
    OK(cdn_ensemble_set_state(e, MEET, r.state));
    OK(cdn_ensemble_set_state(e, RUNAWAY, r.state));
    OK(cdn_ensemble_advance(e, 0.01, 5));
    OK(cdn_ensemble_rates(e, CDN_POOL_U, &udot[0][0], 0));
    cdn_ensemble_destroy(e);
  }
  free_rig(&r);
}
END_TEST

START_TEST(one_state_runs_away) {
  rig r = make_frozen_rig();
  for (int i = 0; i < 3; i++) {
    cdn_ensemble *e = make_ensemble(&r, all_lanes[i], CDN_VARY_FORCES);
    if (!e) continue;
    cdn_state *wild = NULL;
    OK(cdn_state_create(r.system, &wild));
    OK(cdn_state_copy(wild, r.state));
    OK(cdn_two_point_spring_set(wild, r.spring, -1e200, 1));
    OK(cdn_ensemble_set_state(e, RUNAWAY, wild));
    FAILS(cdn_ensemble_advance(e, 0.1, 20), CDN_ERR_NONFINITE);
    for (int k = 0; k < COUNT; k++)
      ck_assert_int_eq(cdn_ensemble_status(e, k), k == RUNAWAY ? CDN_ERR_NONFINITE : CDN_OK);
    cdn_error error;
    cdn_ensemble_last_error(e, &error);
    ck_assert_msg(error.index == RUNAWAY && strstr(error.text, "State 6"), "%s", error.text);
    OK(cdn_ensemble_get_state(e, RUNAWAY, wild)); /* as its last whole step left it */
    ck_assert(isfinite(cdn_state_q(wild)[0]) && cdn_state_time(wild) < 2);
    cdn_state_destroy(wild);
    cdn_ensemble_destroy(e);
  }
  free_rig(&r);
}
END_TEST

static cdn_status refuse_seven(void *context, int k, cdn_state *state) {
  (void)context;
  (void)!cdn_state_set_time(state, 5); /* lost */
  return k == 7 ? cdn_state_fail(state, CDN_ERR_CALLBACK, false, NULL, "seven") : CDN_OK;
}

START_TEST(a_visitor_fails) {
  rig r = make_frozen_rig();
  cdn_ensemble *e = make_ensemble(&r, 0, 0);
  FAILS(cdn_ensemble_visit(e, refuse_seven, NULL), CDN_ERR_CALLBACK);
  cdn_error error;
  cdn_ensemble_last_error(e, &error);
  ck_assert_str_eq(error.text, "State 7: seven");
  for (int k = 0; k < COUNT; k++) ck_assert_int_eq(cdn_ensemble_status(e, k), k == 7 ? CDN_ERR_CALLBACK : CDN_OK);
  ck_assert(cdn_ensemble_time(e, 3) == 0);
  FAILS(cdn_ensemble_visit(e, NULL, NULL), CDN_ERR_ARG);
  cdn_ensemble_destroy(e);
  free_rig(&r);
}
END_TEST

/* ---- wrong inputs ---- */

START_TEST(wrong_definitions) {
  rig r = make_frozen_rig();
  cdn_ensemble *e = NULL;
  cdn_ensemble_def def = cdn_default_ensemble_def();
  FAILS(cdn_ensemble_create(NULL, &def, &e), CDN_ERR_ARG);
  FAILS(cdn_ensemble_create(r.state, &def, NULL), CDN_ERR_ARG);
  FAILS(cdn_ensemble_create(r.state, NULL, &e), CDN_ERR_VERSION);
  def.struct_size = 3;
  FAILS(cdn_ensemble_create(r.state, &def, &e), CDN_ERR_VERSION);
  def = cdn_default_ensemble_def(), def.count = 0;
  FAILS(cdn_ensemble_create(r.state, &def, &e), CDN_ERR_ARG);
  def = cdn_default_ensemble_def(), def.threads = 0;
  FAILS(cdn_ensemble_create(r.state, &def, &e), CDN_ERR_ARG);
  /* more than memory holds, more threads than a machine starts */
  def = cdn_default_ensemble_def(), def.count = INT32_MAX;
  FAILS(cdn_ensemble_create(r.state, &def, &e), CDN_ERR_LIMIT);
  def = cdn_default_ensemble_def(), def.count = 4, def.threads = 100000;
  FAILS(cdn_ensemble_create(r.state, &def, &e), CDN_ERR_LIMIT);
  def = cdn_default_ensemble_def(), def.vary = 1u << 20;
  FAILS(cdn_ensemble_create(r.state, &def, &e), CDN_ERR_ARG);
  const double no_accuracy[] = { 0, -1, 2, NAN };
  for (int i = 0; i < 4; i++) {
    def = cdn_default_ensemble_def(), def.accuracy = no_accuracy[i];
    FAILS(cdn_ensemble_create(r.state, &def, &e), CDN_ERR_ARG);
  }
  def = cdn_default_ensemble_def(), def.max_steps = -1;
  FAILS(cdn_ensemble_create(r.state, &def, &e), CDN_ERR_ARG);
  def = cdn_default_ensemble_def(), def.lanes = 3;
  FAILS(cdn_ensemble_create(r.state, &def, &e), CDN_ERR_UNSUPPORTED);
  const cdn_method not_in_lockstep[] = { CDN_METHOD_ADAMS, CDN_METHOD_VERLET, CDN_METHOD_SEMI_EXPLICIT_EULER_2,
                                         (cdn_method)77 };
  for (int i = 0; i < 4; i++) {
    def = cdn_default_ensemble_def(), def.method = not_in_lockstep[i];
    FAILS(cdn_ensemble_create(r.state, &def, &e), CDN_ERR_UNSUPPORTED);
  }
  ck_assert_ptr_null(e);
  cdn_ensemble_destroy(NULL);
  free_rig(&r);
}
END_TEST

START_TEST(wrong_values) {
  rig r = make_frozen_rig(), other = make_frozen_rig();
  cdn_ensemble *e = make_ensemble(&r, 0, CDN_VARY_FORCES);
  ck_assert_int_eq(cdn_ensemble_count(e), COUNT);
  FAILS(cdn_ensemble_set_state(e, -1, r.state), CDN_ERR_ARG);
  FAILS(cdn_ensemble_set_state(e, COUNT, r.state), CDN_ERR_ARG);
  FAILS(cdn_ensemble_set_state(e, 0, NULL), CDN_ERR_ARG);
  FAILS(cdn_ensemble_set_state(e, 0, other.state), CDN_ERR_ARG);
  FAILS(cdn_ensemble_get_state(e, COUNT, r.state), CDN_ERR_ARG);
  FAILS(cdn_ensemble_get_state(e, 0, NULL), CDN_ERR_ARG);
  FAILS(cdn_ensemble_get_state(e, 0, other.state), CDN_ERR_ARG);
  OK(cdn_body_set_armature(r.state, r.bead, 2));
  FAILS(cdn_ensemble_set_state(e, 0, r.state), CDN_ERR_ARG); /* armature is shared */
  cdn_error error;
  cdn_ensemble_last_error(e, &error);
  ck_assert_msg(strstr(error.text, "armature"), "%s", error.text);

  double q[COUNT][5] = { { 0 } };
  for (int k = 0; k < COUNT; k++) q[k][0] = q[k][1] = 1;
  q[4][2] = NAN;
  FAILS(cdn_ensemble_set(e, CDN_POOL_Q, &q[0][0], 0), CDN_ERR_NONFINITE);
  cdn_ensemble_last_error(e, &error);
  ck_assert_int_eq(error.index, 4);
  double now[COUNT][5];
  OK(cdn_ensemble_get(e, CDN_POOL_Q, &now[0][0], 0));
  ck_assert(now[0][0] == 0.5); /* nothing was changed */
  FAILS(cdn_ensemble_set(e, CDN_POOL_Q, NULL, 0), CDN_ERR_ARG);
  FAILS(cdn_ensemble_set(e, (cdn_pool)9, &q[0][0], 0), CDN_ERR_ARG);
  FAILS(cdn_ensemble_get(e, CDN_POOL_Q, NULL, 0), CDN_ERR_ARG);
  FAILS(cdn_ensemble_rates(e, (cdn_pool)-1, &q[0][0], 0), CDN_ERR_ARG);
  FAILS(cdn_ensemble_rates(e, CDN_POOL_U, NULL, 0), CDN_ERR_ARG);
  FAILS(cdn_ensemble_set_time(e, INFINITY), CDN_ERR_NONFINITE);
  FAILS(cdn_ensemble_body(e, (cdn_body){ 9 }, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_ensemble_inverse_dynamics(e, &q[0][0], 0, NULL, 0), CDN_ERR_ARG);
  FAILS(cdn_ensemble_inverse_dynamics(e, &q[0][0], 5, &now[0][0], 0), CDN_ERR_NONFINITE);
  FAILS(cdn_ensemble_multiply_by_M_inv(e, NULL, 0, &now[0][0], 0), CDN_ERR_ARG);
  FAILS(cdn_ensemble_advance(e, 0, 1), CDN_ERR_ARG);
  FAILS(cdn_ensemble_advance(e, NAN, 1), CDN_ERR_ARG);
  FAILS(cdn_ensemble_advance(e, 1, -1), CDN_ERR_ARG);
  FAILS(cdn_ensemble_status(e, COUNT), CDN_ERR_ARG);
  ck_assert(isnan(cdn_ensemble_time(e, -1)));
  OK(cdn_ensemble_advance(e, 1e-3, 0));
  FAILS(cdn_ensemble_advance_to(e, NAN), CDN_ERR_NONFINITE);
  FAILS(cdn_ensemble_advance_to(e, -1), CDN_ERR_ARG); /* time does not run back */
  OK(cdn_ensemble_advance_to(e, 0));
  cdn_certificate certificate;
  FAILS(cdn_ensemble_certificate(e, COUNT, &certificate), CDN_ERR_ARG);
  FAILS(cdn_ensemble_certificate(e, -1, &certificate), CDN_ERR_ARG);
  FAILS(cdn_ensemble_certificate(e, 0, NULL), CDN_ERR_ARG);
  FAILS(cdn_ensemble_certificate(NULL, 0, &certificate), CDN_ERR_ARG);
  ck_assert_int_eq(cdn_ensemble_verdict(e, COUNT), CDN_VERDICT_UNKNOWN);
  ck_assert_int_eq(cdn_ensemble_verdict(NULL, 0), CDN_VERDICT_UNKNOWN);
  cdn_ensemble_destroy(e);
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = 2, def.method = CDN_METHOD_SEMI_EXPLICIT_EULER;
  OK_ON(r.state, cdn_ensemble_create(r.state, &def, &e));
  FAILS(cdn_ensemble_advance_to(e, 1), CDN_ERR_UNSUPPORTED); /* no error control */
  cdn_ensemble_last_error(e, &error);
  ck_assert_msg(strstr(error.text, "semi-explicit Euler"), "%s", error.text);
  cdn_ensemble_destroy(e);
  free_rig(&r), free_rig(&other);
}
END_TEST

START_TEST(memory_of_runs_is_for_steppers) {
  rig r = make_rig((cdn_allocator){ 0 });
  const cdn_measure place =
      cdn_system_add_station_measure(r.system, "place", r.bead, cdn_v3(0, 0, 0), CDN_STATION_POSITION);
  cdn_system_add_extreme_measure(r.system, "farthest", place, CDN_MAX_ABS);
  OK_FREEZE(r.system);
  OK(cdn_state_create(r.system, &r.state));
  OK(cdn_body_set_q(r.state, r.bead, 1, &(double){ 0.5 }));
  cdn_ensemble *e = make_ensemble(&r, 0, 0);
  FAILS(cdn_ensemble_advance(e, 0.01, 1), CDN_ERR_UNSUPPORTED);
  FAILS(cdn_ensemble_advance_to(e, 0.01), CDN_ERR_UNSUPPORTED);
  double udot[COUNT][4];
  OK(cdn_ensemble_rates(e, CDN_POOL_U, &udot[0][0], 0));
  cdn_ensemble_destroy(e);
  free_rig(&r);
}
END_TEST

/* ---- memory ---- */

static cdn_status run(cdn_allocator allocator, counting_allocator *c) {
  rig r = make_rig(allocator);
  if (!r.system) return CDN_ERR_NOMEM;
  cdn_ensemble *e = NULL;
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = COUNT, def.threads = 3, def.companion = true;
  def.vary = CDN_VARY_FRAMES | CDN_VARY_MASSES | CDN_VARY_FORCES | CDN_VARY_OWN | CDN_VARY_APPLIED;
  cdn_status status = cdn_system_freeze(r.system);
  if (status == CDN_OK) status = cdn_state_create(r.system, &r.state);
  if (status == CDN_OK) status = cdn_body_set_q(r.state, r.bead, 1, &(double){ 0.5 });
  if (status == CDN_OK) status = cdn_ensemble_create(r.state, &def, &e);
  if (status == CDN_OK) status = cdn_ensemble_set_state(e, 2, r.state);
  if (status == CDN_OK) status = cdn_ensemble_advance(e, 0.01, 1);
  const int64_t before = c->calls;
  if (status == CDN_OK) status = cdn_ensemble_advance(e, 0.01, 10);
  if (status == CDN_OK) status = cdn_ensemble_advance_to(e, 0.5);
  if (status == CDN_OK) ck_assert_int_eq(c->calls, before); /* steps allocate nothing */
  cdn_ensemble_destroy(e);
  free_rig(&r);
  return status;
}

START_TEST(memory_runs_out) {
  for (int64_t fail_at = 1;; fail_at++) {
    counting_allocator c = { .fail_at = fail_at };
    cdn_status status = run(allocator_of(&c), &c);
    ck_assert_int_eq(c.outstanding, 0);
    ck_assert_int_eq(c.misuse, 0);
    if (c.calls < fail_at) {
      ck_assert_int_eq(status, CDN_OK);
      break;
    }
    must_say_no_memory(status, fail_at);
  }
}
END_TEST

CHECK_MAIN("ensemble failures", one_state_fails, one_state_runs_away, a_visitor_fails, wrong_definitions, wrong_values,
           memory_of_runs_is_for_steppers, memory_runs_out)
