/* Motions and locks one by one: building and what is refused, run-time choices, what they invalidate, errors of
 * functions. */
#include "../../src/system/system.h"
#include "../testing.h"

/* ---- a rig: a pin, a ball and a slider in a row --------------------------------------------------- */

typedef struct rig {
  cdn_system *system;
  cdn_body pin, ball, slider, welded;
  cdn_state *state;
} rig;

static cdn_mass_properties solid(void) {
  cdn_mass_properties m = { .mass = 1, .com = { 0.1, 0.2, 0.3 }, .inertia = { .xx = 1, .yy = 1.1, .zz = 1.2 } };
  return m;
}

static rig make_rig(void) {
  rig g = { .system = cdn_system_create(NULL) };
  cdn_body_def def = cdn_default_body_def();
  def.mass = solid();
  def.X_PF.p = cdn_v3(0.3, 0.2, 0.1);
  def.name = "pin", def.mobilizer = CDN_PIN;
  g.pin = cdn_system_add_body(g.system, &def);
  def.name = "ball", def.mobilizer = CDN_BALL, def.parent = g.pin;
  g.ball = cdn_system_add_body(g.system, &def);
  def.name = "slider", def.mobilizer = CDN_SLIDER, def.parent = g.ball;
  g.slider = cdn_system_add_body(g.system, &def);
  def.name = "welded", def.mobilizer = CDN_WELD, def.parent = g.slider;
  g.welded = cdn_system_add_body(g.system, &def);
  return g;
}

static void freeze(rig *g) {
  OK_FREEZE(g->system);
  OK(cdn_state_create(g->system, &g->state));
}

static void drop(rig *g) {
  cdn_state_destroy(g->state);
  cdn_system_release(g->system);
}

static cdn_motion_def sinusoid(cdn_body body, cdn_motion_level level) {
  cdn_motion_def def = cdn_default_motion_def();
  def.body = body, def.level = level;
  def.params[0] = 0.5, def.params[1] = 2, def.params[2] = 0.1;
  return def;
}

/* ---- what is refused ------------------------------------------------------------------------------- */

static void refuse(const cdn_motion_def *def, cdn_status expected, const char *word) {
  rig g = make_rig();
  cdn_motion_def first = sinusoid(g.pin, CDN_LEVEL_POSITION);
  cdn_system_add_motion(g.system, &first);
  ck_assert_int_eq(cdn_system_add_motion(g.system, def).i, -1);
  FAILS(cdn_system_freeze(g.system), expected);
  cdn_error e;
  cdn_system_last_error(g.system, &e);
  ck_assert_msg(strstr(e.text, word) != NULL, "'%s' does not say '%s'", e.text, word);
  cdn_system_release(g.system);
}

static cdn_status nothing(const void *self, const cdn_motion_input *in, double *out) {
  (void)self, (void)in, (void)out;
  return CDN_OK;
}

START_TEST(wrong_defs) {
  rig g = make_rig(); /* for its ids */
  cdn_motion_def def = sinusoid(g.pin, CDN_LEVEL_VELOCITY);
  refuse(&def, CDN_ERR_ARG, "second");
  def = sinusoid(g.welded, CDN_LEVEL_VELOCITY);
  refuse(&def, CDN_ERR_ARG, "welded");
  def = sinusoid(g.ball, CDN_LEVEL_POSITION);
  refuse(&def, CDN_ERR_ARG, "quaternion");
  def = sinusoid(cdn_ground(), CDN_LEVEL_POSITION);
  refuse(&def, CDN_ERR_ARG, "no body 0");
  def.body.i = 17;
  refuse(&def, CDN_ERR_ARG, "no body 17");
  def = sinusoid(g.slider, CDN_LEVEL_NONE);
  refuse(&def, CDN_ERR_ARG, "level");
  def = sinusoid(g.slider, (cdn_motion_level)9);
  refuse(&def, CDN_ERR_ARG, "level");
  def = sinusoid(g.slider, CDN_LEVEL_POSITION);
  def.kind = (cdn_motion_kind)9;
  refuse(&def, CDN_ERR_ARG, "kind");
  def = sinusoid(g.slider, CDN_LEVEL_POSITION);
  def.params[4] = NAN;
  refuse(&def, CDN_ERR_NONFINITE, "parameter 4");
  def = sinusoid(g.slider, CDN_LEVEL_POSITION);
  def.rate = CDN_RATE_FAST;
  refuse(&def, CDN_ERR_UNSUPPORTED, "not there yet");
  def.rate = CDN_RATE_SLOW;
  refuse(&def, CDN_ERR_ARG, "lock");
  def.rate = (cdn_motion_rate)9;
  refuse(&def, CDN_ERR_ARG, "rate");
  def = sinusoid(g.slider, CDN_LEVEL_POSITION);
  def.struct_size = 3;
  refuse(&def, CDN_ERR_VERSION, "cdn_default_motion_def");
  cdn_system_release(g.system);
}
END_TEST

START_TEST(wrong_ops) {
  rig g = make_rig();
  cdn_motion_ops ops = { .struct_size = sizeof ops };
  cdn_motion_def def = sinusoid(g.slider, CDN_LEVEL_POSITION);
  def.kind = CDN_MOTION_CUSTOM;
  refuse(&def, CDN_ERR_ARG, "no ops");
  def.custom = &ops;
  refuse(&def, CDN_ERR_ARG, "qdotdot");
  def.level = CDN_LEVEL_VELOCITY;
  refuse(&def, CDN_ERR_ARG, "u and udot");
  def.level = CDN_LEVEL_ACCELERATION;
  refuse(&def, CDN_ERR_ARG, "need udot");
  ops.udot = nothing, ops.self_size = 8;
  refuse(&def, CDN_ERR_ARG, "private part");
  ops.self_size = 0, ops.struct_size = 8;
  refuse(&def, CDN_ERR_VERSION, "struct_size");
  ops = (cdn_motion_ops){
    .struct_size = sizeof ops, .timeless = true, .q = nothing, .qdot = nothing, .qdotdot = nothing
  };
  def.level = CDN_LEVEL_POSITION;
  refuse(&def, CDN_ERR_ARG, "timeless");
  cdn_system_release(g.system);
}
END_TEST

START_TEST(wrong_lock_in_def) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN, def.mass = solid(), def.lock = (cdn_motion_level)4;
  cdn_system_add_body(system, &def);
  FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
  cdn_system_release(system);
}
END_TEST

START_TEST(wrong_calls) {
  rig g = make_rig();
  cdn_motion_def def = sinusoid(g.pin, CDN_LEVEL_POSITION);
  cdn_motion motion = cdn_system_add_motion(g.system, &def), none = { 1 }, minus = { -1 };
  freeze(&g);
  cdn_state *s = g.state;
  double x[7] = { 1, 2, 3, 4, 5, 6, NAN }, zero[4] = { 0 }, tau[6];
  cdn_body wrong = { 9 };
  FAILS(cdn_body_lock(s, wrong, CDN_LEVEL_POSITION), CDN_ERR_ARG);
  FAILS(cdn_body_lock(s, cdn_ground(), CDN_LEVEL_POSITION), CDN_ERR_ARG);
  FAILS(cdn_body_lock(s, g.pin, CDN_LEVEL_NONE), CDN_ERR_ARG);
  FAILS(cdn_body_lock(s, g.pin, (cdn_motion_level)4), CDN_ERR_ARG);
  FAILS(cdn_body_lock_at(s, g.ball, CDN_LEVEL_POSITION, 3, x), CDN_ERR_ARG);
  FAILS(cdn_body_lock_at(s, g.ball, CDN_LEVEL_VELOCITY, 4, x), CDN_ERR_ARG);
  FAILS(cdn_body_lock_at(s, g.ball, CDN_LEVEL_VELOCITY, 3, NULL), CDN_ERR_ARG);
  FAILS(cdn_body_lock_at(s, g.ball, CDN_LEVEL_POSITION, 4, zero), CDN_ERR_ARG);
  FAILS(cdn_body_lock_at(s, g.slider, CDN_LEVEL_ACCELERATION, 1, x + 6), CDN_ERR_NONFINITE);
  FAILS(cdn_body_unlock(s, wrong), CDN_ERR_ARG);
  ck_assert_int_eq(cdn_body_lock_level(s, wrong), CDN_LEVEL_NONE);
  ck_assert_int_eq(cdn_body_lock_level(s, g.ball), CDN_LEVEL_NONE); /* none of these did anything */
  ck_assert_int_eq(cdn_body_driver(s, wrong).motion.i, -1);
  FAILS(cdn_motion_set_enabled(s, none, false), CDN_ERR_ARG);
  FAILS(cdn_motion_set_params(s, minus, x), CDN_ERR_ARG);
  FAILS(cdn_motion_set_params(s, motion, NULL), CDN_ERR_ARG);
  FAILS(cdn_motion_set_params(s, motion, x + 1), CDN_ERR_NONFINITE);
  FAILS(cdn_motion_force(s, none, tau), CDN_ERR_ARG);
  FAILS(cdn_prescribe(NULL, NULL), CDN_ERR_ARG);
  ck_assert_ptr_null(cdn_motion_params(s, none));
  ck_assert_ptr_null(cdn_motion_name(g.system, none));
  ck_assert_int_eq(cdn_motion_body(g.system, minus).i, -1);
  ck_assert(!cdn_motion_is_enabled(s, none));
  drop(&g);
}
END_TEST

/* ---- what is known of them -------------------------------------------------------------------------- */

START_TEST(names_and_drivers) {
  rig g = make_rig();
  cdn_motion_def def = sinusoid(g.pin, CDN_LEVEL_POSITION);
  def.name = "shake";
  cdn_motion shake = cdn_system_add_motion(g.system, &def);
  def = sinusoid(g.slider, CDN_LEVEL_POSITION);
  def.name = NULL, def.kind = CDN_MOTION_STEADY, def.disabled = true;
  cdn_motion steady = cdn_system_add_motion(g.system, &def);
  freeze(&g);
  ck_assert_int_eq(cdn_system_motion_count(g.system), 2);
  ck_assert_str_eq(cdn_motion_name(g.system, shake), "shake");
  ck_assert_str_eq(cdn_motion_name(g.system, steady), "motion1");
  ck_assert_int_eq(cdn_system_find_motion(g.system, "shake").i, shake.i);
  ck_assert_int_eq(cdn_system_find_motion(g.system, "quake").i, -1);
  ck_assert_int_eq(cdn_motion_body(g.system, shake).i, g.pin.i);
  ck_assert_int_eq(cdn_body_motion(g.system, g.slider).i, steady.i);
  ck_assert_int_eq(cdn_body_motion(g.system, g.ball).i, -1);

  cdn_driver d = cdn_body_driver(g.state, g.pin);
  ck_assert(d.level == CDN_LEVEL_POSITION && d.rate == CDN_RATE_DYNAMIC && !d.locked && d.motion.i == shake.i);
  d = cdn_body_driver(g.state, g.slider); /* off, so forces drive it */
  ck_assert(d.level == CDN_LEVEL_NONE && d.rate == CDN_RATE_DYNAMIC && !d.locked && d.motion.i == -1);
  OK(cdn_motion_set_enabled(g.state, steady, true));
  d = cdn_body_driver(g.state, g.slider);
  ck_assert(d.level == CDN_LEVEL_VELOCITY && d.rate == CDN_RATE_SLOW && d.motion.i == steady.i);
  OK_ON(g.state, cdn_body_lock(g.state, g.slider, CDN_LEVEL_ACCELERATION));
  d = cdn_body_driver(g.state, g.slider);
  ck_assert(d.level == CDN_LEVEL_ACCELERATION && d.rate == CDN_RATE_DYNAMIC && d.locked && d.motion.i == -1);
  OK_ON(g.state, cdn_body_lock(g.state, g.slider, CDN_LEVEL_POSITION));
  ck_assert(cdn_body_driver(g.state, g.slider).rate == CDN_RATE_SLOW);
  ck_assert_int_eq(cdn_body_lock_level(g.state, g.slider), CDN_LEVEL_POSITION);
  drop(&g);
}
END_TEST

/* ---- locks, motions, freedom ------------------------------------------------------------------------- */

static double q_of(cdn_state *s, cdn_body b) { return cdn_state_q_eff(s)[cdn_body_first_q(cdn_state_system(s), b)]; }
static double u_of(cdn_state *s, cdn_body b) { return cdn_state_u_eff(s)[cdn_body_first_u(cdn_state_system(s), b)]; }
static double udot_of(cdn_state *s, cdn_body b) { return cdn_state_udot(s)[cdn_body_first_u(cdn_state_system(s), b)]; }

START_TEST(locked_wins_and_freedom_goes_on) {
  rig g = make_rig();
  cdn_motion_def def = sinusoid(g.pin, CDN_LEVEL_POSITION);
  cdn_motion motion = cdn_system_add_motion(g.system, &def);
  freeze(&g);
  cdn_state *s = g.state;
  const double a = def.params[0], w = def.params[1], p = def.params[2];
  double far = 7, at = 0.25;
  OK(cdn_state_set_time(s, 0.7));
  ck_assert(q_of(s, g.pin) == a * sin(w * 0.7 + p) && u_of(s, g.pin) == a * w * cos(w * 0.7 + p));
  ck_assert(udot_of(s, g.pin) == -w * w * (a * sin(w * 0.7 + p)));
  OK(cdn_body_set_q(s, g.pin, 1, &far)); /* no effect */
  OK(cdn_body_set_u(s, g.pin, 1, &far));
  ck_assert(q_of(s, g.pin) == a * sin(w * 0.7 + p) && u_of(s, g.pin) == a * w * cos(w * 0.7 + p));

  OK_ON(s, cdn_body_lock(s, g.pin, CDN_LEVEL_POSITION)); /* where the motion has it */
  OK(cdn_state_set_time(s, 0.9));
  ck_assert(q_of(s, g.pin) == a * sin(w * 0.7 + p) && u_of(s, g.pin) == 0 && udot_of(s, g.pin) == 0);
  OK_ON(s, cdn_body_lock_at(s, g.pin, CDN_LEVEL_POSITION, 1, &at));
  ck_assert(q_of(s, g.pin) == at);
  OK(cdn_body_unlock(s, g.pin)); /* back to the motion */
  ck_assert(q_of(s, g.pin) == a * sin(w * 0.9 + p));
  OK(cdn_motion_set_enabled(s, motion, false)); /* free, and it goes on from there */
  ck_assert(q_of(s, g.pin) == a * sin(w * 0.9 + p) && u_of(s, g.pin) == a * w * cos(w * 0.9 + p));
  OK(cdn_state_set_time(s, 1.5));
  ck_assert(q_of(s, g.pin) == a * sin(w * 0.9 + p));
  OK(cdn_body_set_q(s, g.pin, 1, &far));
  ck_assert(q_of(s, g.pin) == far);

  OK_ON(s, cdn_body_lock_at(s, g.pin, CDN_LEVEL_VELOCITY, 1, &at));
  ck_assert(q_of(s, g.pin) == far && u_of(s, g.pin) == at && udot_of(s, g.pin) == 0);
  OK_ON(s, cdn_body_lock_at(s, g.pin, CDN_LEVEL_ACCELERATION, 1, &at));
  ck_assert(u_of(s, g.pin) == at && udot_of(s, g.pin) == at); /* u stays where it was held */
  OK_ON(s, cdn_body_lock(s, g.pin, CDN_LEVEL_ACCELERATION));
  ck_assert(udot_of(s, g.pin) == 0);
  OK(cdn_body_unlock(s, g.pin));
  OK(cdn_body_unlock(s, g.pin)); /* nothing to do */
  drop(&g);
}
END_TEST

START_TEST(quaternions_stay_unit) {
  rig g = make_rig();
  freeze(&g);
  const double q[4] = { 3, 0, 4, 0 };
  OK_ON(g.state, cdn_body_lock_at(g.state, g.ball, CDN_LEVEL_POSITION, 4, q));
  const double *eff = cdn_state_q_eff(g.state) + cdn_body_first_q(g.system, g.ball);
  ck_assert(eff[0] == 0.6 && eff[1] == 0 && eff[2] == 0.8 && eff[3] == 0);
  OK(cdn_body_unlock(g.state, g.ball));
  OK(cdn_body_set_q(g.state, g.ball, 4, q)); /* of length 5, and locked as it is */
  OK_ON(g.state, cdn_body_lock(g.state, g.ball, CDN_LEVEL_POSITION));
  eff = cdn_state_q_eff(g.state) + cdn_body_first_q(g.system, g.ball);
  ck_assert(eff[0] == 0.6 && eff[2] == 0.8);
  drop(&g);
}
END_TEST

START_TEST(locked_by_default) {
  const double q0[7] = { 2, 0, 0, 0, 1, 2, 3 }, u0[6] = { 1, 2, 3, 4, 5, 6 };
  for (int level = CDN_LEVEL_ACCELERATION; level <= CDN_LEVEL_POSITION; level++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_FREE, def.mass = solid(), def.lock = (cdn_motion_level)level;
    def.q0 = q0, def.u0 = u0;
    cdn_body body = cdn_system_add_body(system, &def);
    cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -10));
    OK_FREEZE(system);
    cdn_state *s = NULL;
    OK(cdn_state_create(system, &s));
    ck_assert_int_eq(cdn_body_lock_level(s, body), level);
    for (int k = 0; k < 6; k++) {
      ck_assert(cdn_state_udot(s)[k] == 0);
      ck_assert(cdn_state_u_eff(s)[k] == (level == CDN_LEVEL_POSITION ? 0 : u0[k]));
    }
    ck_assert(cdn_state_q_eff(s)[0] == (level == CDN_LEVEL_POSITION ? 1 : 2) && cdn_state_q_eff(s)[6] == 3);
    OK(cdn_body_unlock(s, body));
    ck_assert(cdn_state_udot(s)[5] != 0);
    cdn_state_destroy(s);
    cdn_system_release(system);
  }
}
END_TEST

/* A body without inertia may be moved; once it is free, its joint is named. */
START_TEST(massless_bodies) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "pointer", def.mobilizer = CDN_PIN;
  cdn_body body = cdn_system_add_body(system, &def);
  cdn_motion_def moved = sinusoid(body, CDN_LEVEL_POSITION);
  cdn_motion motion = cdn_system_add_motion(system, &moved);
  OK_FREEZE(system);
  cdn_state *s = NULL;
  OK(cdn_state_create(system, &s));
  ck_assert(udot_of(s, body) == -4 * (0.5 * sin(0.1)));
  ck_assert(cdn_motion_forces(s)[0] == 0);
  OK(cdn_motion_set_enabled(s, motion, false));
  FAILS(cdn_realize(s, CDN_STAGE_ACCELERATION), CDN_ERR_SINGULAR);
  OK_ON(s, cdn_body_lock(s, body, CDN_LEVEL_ACCELERATION));
  OK_ON(s, cdn_realize(s, CDN_STAGE_ACCELERATION));
  cdn_state_destroy(s);
  cdn_system_release(system);
}
END_TEST

/* ---- what becomes invalid ------------------------------------------------------------------------------ */

START_TEST(only_what_changes_is_computed_again) {
  rig g = make_rig();
  cdn_motion_def def = sinusoid(g.slider, CDN_LEVEL_VELOCITY);
  cdn_motion motion = cdn_system_add_motion(g.system, &def);
  freeze(&g);
  cdn_state *s = g.state;
#define REALIZED OK_ON(s, cdn_realize(s, CDN_STAGE_ACCELERATION))
#define STILL_VALID(ticket) ck_assert(cdni_state_is_valid(s, ticket))
#define INVALID(ticket) ck_assert(!cdni_state_is_valid(s, ticket))
  REALIZED;
  OK(cdn_state_set_time(s, 1)); /* velocities are functions of time, positions are not */
  STILL_VALID(CDN_Q_EFF), STILL_VALID(CDN_POSE), INVALID(CDN_U_EFF), INVALID(CDN_TWIST);
  REALIZED;
  OK_ON(s, cdn_body_lock(s, g.ball, CDN_LEVEL_ACCELERATION));
  STILL_VALID(CDN_POSE), STILL_VALID(CDN_TWIST), INVALID(CDN_ACCELERATION);
  REALIZED;
  OK_ON(s, cdn_body_lock(s, g.ball, CDN_LEVEL_VELOCITY));
  STILL_VALID(CDN_POSE), INVALID(CDN_TWIST);
  REALIZED;
  OK_ON(s, cdn_body_lock(s, g.ball, CDN_LEVEL_VELOCITY)); /* as it is: nothing */
  STILL_VALID(CDN_POSE), STILL_VALID(CDN_TWIST), STILL_VALID(CDN_ACCELERATION);
  double params[CDN_MOTION_PARAMS];
  memcpy(params, cdn_motion_params(s, motion), sizeof params);
  params[0] = 3;
  OK(cdn_motion_set_params(s, motion, params));
  STILL_VALID(CDN_Q_EFF), INVALID(CDN_U_EFF);
  ck_assert(u_of(s, g.slider) == 3 * sin(2 + 0.1));
  REALIZED;
  OK_ON(s, cdn_body_lock(s, g.pin, CDN_LEVEL_POSITION));
  INVALID(CDN_POSE);
  REALIZED;
  double q = 1;
  bool changed;
  OK(cdn_body_set_q(s, g.pin, 1, &q));
  REALIZED;
  OK_ON(s, cdn_prescribe(s, &changed));
  ck_assert(changed);
  STILL_VALID(CDN_ACCELERATION);
  drop(&g);
}
END_TEST

/* Where no motion reads the time, setting it leaves everything valid. */
START_TEST(timeless_systems) {
  rig g = make_rig();
  cdn_motion_def def = sinusoid(g.slider, CDN_LEVEL_VELOCITY);
  def.kind = CDN_MOTION_STEADY;
  cdn_system_add_motion(g.system, &def);
  freeze(&g);
  cdn_state *s = g.state;
  REALIZED;
  OK(cdn_state_set_time(s, 1));
  STILL_VALID(CDN_POSE), STILL_VALID(CDN_TWIST), STILL_VALID(CDN_ACCELERATION);
  drop(&g);
}
END_TEST

START_TEST(copies) {
  rig g = make_rig();
  freeze(&g);
  double at = 0.4;
  OK_ON(g.state, cdn_body_lock_at(g.state, g.slider, CDN_LEVEL_POSITION, 1, &at));
  cdn_state *copy = NULL;
  OK(cdn_state_create(g.system, &copy));
  OK(cdn_state_copy(copy, g.state));
  OK(cdn_body_unlock(g.state, g.slider));
  ck_assert_int_eq(cdn_body_lock_level(copy, g.slider), CDN_LEVEL_POSITION);
  ck_assert(q_of(copy, g.slider) == at);
  ck_assert(udot_of(copy, g.slider) == 0);
  cdn_state_destroy(copy);
  drop(&g);
}
END_TEST

/* ---- functions that fail --------------------------------------------------------------------------------- */

enum { NAN_IN_Q = 1, NAN_IN_QDOT, NAN_IN_QDOTDOT, FAILING, NOT_UNIT };

static cdn_status bad(const cdn_motion_input *in, int derivative, double *out) {
  for (int i = 0; i < in->nq; i++) out[i] = i == 0 && derivative == 0;
  int how = (int)in->params[0];
  if (how == NAN_IN_Q + derivative) out[in->nq - 1] = NAN;
  if (how == NOT_UNIT && derivative == 0) out[0] = 1.001;
  return how == FAILING && derivative == 1 ? CDN_ERR_CALLBACK : CDN_OK;
}
static cdn_status bad_q(const void *self, const cdn_motion_input *in, double *out) {
  (void)self;
  return bad(in, 0, out);
}
static cdn_status bad_qdot(const void *self, const cdn_motion_input *in, double *out) {
  (void)self;
  return bad(in, 1, out);
}
static cdn_status bad_qdotdot(const void *self, const cdn_motion_input *in, double *out) {
  (void)self;
  return bad(in, 2, out);
}

START_TEST(functions_that_fail) {
  static const cdn_motion_ops ops = {
    .struct_size = sizeof ops, .name = "bad", .q = bad_q, .qdot = bad_qdot, .qdotdot = bad_qdotdot
  };
  rig g = make_rig();
  cdn_motion_def def = sinusoid(g.ball, CDN_LEVEL_POSITION);
  def.name = "mover", def.kind = CDN_MOTION_CUSTOM, def.custom = &ops, def.params[0] = 0;
  cdn_motion motion = cdn_system_add_motion(g.system, &def);
  freeze(&g);
  OK_ON(g.state, cdn_realize(g.state, CDN_STAGE_ACCELERATION));
  static const struct {
    int how;
    cdn_status status;
    cdn_stage stage;
  } cases[] = { { NAN_IN_Q, CDN_ERR_NONFINITE, CDN_STAGE_POSITION },
                { NAN_IN_QDOT, CDN_ERR_NONFINITE, CDN_STAGE_VELOCITY },
                { NAN_IN_QDOTDOT, CDN_ERR_NONFINITE, CDN_STAGE_ACCELERATION },
                { FAILING, CDN_ERR_CALLBACK, CDN_STAGE_VELOCITY },
                { NOT_UNIT, CDN_ERR_ARG, CDN_STAGE_POSITION } };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double params[CDN_MOTION_PARAMS] = { cases[i].how };
    OK(cdn_motion_set_params(g.state, motion, params));
    FAILS(cdn_realize(g.state, CDN_STAGE_ACCELERATION), cases[i].status);
    cdn_error e;
    cdn_state_last_error(g.state, &e);
    ck_assert_str_eq(e.element, "mover");
    ck_assert_int_eq(e.stage, cases[i].stage);
    ck_assert(e.recoverable);
    /* it can be switched off all the same */
    OK(cdn_motion_set_enabled(g.state, motion, false));
    OK_ON(g.state, cdn_realize(g.state, CDN_STAGE_ACCELERATION));
    OK(cdn_motion_set_enabled(g.state, motion, true));
  }
  drop(&g);
}
END_TEST

/* ---- a force without derivatives, where its mobilizer is held ---------------------------------------------- */

static cdn_status calc_spring(const void *self, cdn_state *state, cdn_forces *f) {
  const cdn_body *slider = self;
  double q = q_of(state, *slider);
  cdn_forces_add_mobility(f, *slider, 0, -2 * q * q * q - 3 * u_of(state, *slider));
  return CDN_OK;
}

START_TEST(forces_are_differenced_where_they_are_held) {
  rig g = make_rig();
  cdn_force_ops ops = { .struct_size = sizeof ops,
                        .subsystem = { .name = "spring", .self_size = sizeof g.slider },
                        .reads = CDN_READS_VELOCITY,
                        .calc_force = calc_spring };
  cdn_system_add_custom_force(g.system, &ops, &g.slider);
  freeze(&g);
  double at = 0.4, dq[25], du[25], there[2][25];
  OK(cdn_body_set_q(g.state, g.slider, 1, &at));
  for (int locked = 0; locked < 2; locked++) {
    double zero[5] = { 0 };
    if (locked) OK_ON(g.state, cdn_body_lock(g.state, g.slider, CDN_LEVEL_POSITION));
    OK_ON(g.state, cdn_inverse_dynamics_derivatives(g.state, zero, dq, du, NULL));
    there[locked][0] = dq[24], there[locked][1] = du[24];
    ck_assert(q_of(g.state, g.slider) == at);
    ck_assert_int_eq(cdn_body_lock_level(g.state, g.slider), locked ? CDN_LEVEL_POSITION : CDN_LEVEL_NONE);
  }
  NEAR(there[0][0], 6 * at * at, 1e-8);
  NEAR(there[1][0], there[0][0], 1e-12);
  NEAR(there[1][1], 3, 1e-8);
  drop(&g);
}
END_TEST

CHECK_MAIN("motions", wrong_defs, wrong_ops, wrong_lock_in_def, wrong_calls, names_and_drivers,
           locked_wins_and_freedom_goes_on, quaternions_stay_unit, locked_by_default, massless_bodies,
           only_what_changes_is_computed_again, timeless_systems, copies, functions_that_fail,
           forces_are_differenced_where_they_are_held)
