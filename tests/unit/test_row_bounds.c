/* Rows with bounds: what only pushes, and dry friction. */
#include "../robust/counting_allocator.h"
#include "row_rig.h"

static const double g = 9.81;

/* ---- one block ---- */

/* On a slider along z (x of F turned up), of 2 kg. */
static cdn_state *block(row_source s, cdn_vec3 gravity, cdn_body *body, cdn_subsystem *provider) {
  cdn_system_def system_def = cdn_default_system_def();
  system_def.audit = true;
  cdn_system *system = cdn_system_create(&system_def);
  cdn_body_def def = cdn_default_body_def();
  cdn_state *state = NULL;
  def.mobilizer = CDN_SLIDER;
  def.mass = (cdn_mass_properties){ 2, v(0, 0, 0), { 1, 1, 1, 0, 0, 0 } };
  *body = s.body = cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, NULL, gravity);
  *provider = add_rows(system, s);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* A floor at 0, along x, whose force pushes up. Numbers: R. */
static cdn_status floor_rows(const row_source *s, cdn_state *state, cdn_row_list *rows) {
  if (*cdn_body_q(state, s->body) > 0) return CDN_OK;
  cdn_row_def def = cdn_default_row_def();
  def.lower = 0, def.R[0] = s->numbers[0];
  cdn_row_list_add(rows, &def);
  cdn_row_list_add_mobility(rows, s->body, 0, 1);
  return CDN_OK;
}

START_TEST(test_floor_only_pushes) {
  cdn_body body;
  cdn_subsystem provider;
  cdn_state *state = block((row_source){ .calc = floor_rows }, v(-g, 0, 0), &body, &provider);
  const double pushes[] = { 0, -7, 2 * g - 1e-3, 2 * g, 2 * g + 3, 100 };
  for (int k = 0; k < 6; k++) {
    OK(cdn_state_set_applied_mobility_forces(state, &pushes[k]));
    const double up = (pushes[k] - 2 * g) / 2, force = *row_forces(state, provider, 1);
    NEAR(cdn_state_udot(state)[0], up > 0 ? up : 0, 1e-14);
    NEAR(force, up > 0 ? 0 : -2 * up, 1e-13);
    ck_assert(up < 0 || force == 0);
  }
  cdn_state_destroy(state);
}
END_TEST

/* The floor of a spring's softness: udot = - R f where it pushes. */
START_TEST(test_soft_floor) {
  cdn_body body;
  cdn_subsystem provider;
  cdn_state *state = block((row_source){ .calc = floor_rows, .numbers = { 0.5 } }, v(-g, 0, 0), &body, &provider);
  /* udot + R f = 0 and 2 udot = f - 2 g */
  NEAR(*row_forces(state, provider, 1), 2 * g / 2, 1e-13);
  NEAR(cdn_state_udot(state)[0], -g / 2, 1e-14);
  cdn_state_destroy(state);
}
END_TEST

/* ---- dry friction ---- */

/* Numbers: mu m g cos, and the time within which u shall be zero. */
static cdn_status friction_rows(const row_source *s, cdn_state *state, cdn_row_list *rows) {
  cdn_row_def def = cdn_default_row_def();
  def.upper = s->numbers[0], def.lower = -def.upper;
  def.target[0] = -*cdn_body_u(state, s->body) / s->numbers[1];
  cdn_row_list_add(rows, &def);
  cdn_row_list_add_mobility(rows, s->body, 0, 1);
  return CDN_OK;
}

static cdn_stepper *stepper_to(cdn_state *state, cdn_method method, double h, double accuracy) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy;
  cdn_stepper *stepper = NULL;
  def.method = method, def.fixed_step = h;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  return stepper;
}

static cdn_stepper *stepper_of(cdn_state *state, cdn_method method, double h) {
  return stepper_to(state, method, h, cdn_default_stepper_def().accuracy);
}

static cdn_status advance_to(cdn_stepper *stepper, double t) {
  cdn_return_reason reason;
  return cdn_stepper_advance(stepper, t, &reason);
}

/* A block thrown along a floor stops where u^2 = 2 mu g x, at a time t = u / (mu g), and does not move from then on. */
START_TEST(test_block_stops) {
  const double mu = 0.3, h = 1e-3, u0 = 1.3;
  cdn_body body;
  cdn_subsystem provider;
  cdn_state *state =
      block((row_source){ .calc = friction_rows, .numbers = { mu * 2 * g, h } }, v(0, -g, 0), &body, &provider);
  OK(cdn_state_set_u(state, &u0));
  cdn_stepper *stepper = stepper_of(state, CDN_METHOD_SEMI_EXPLICIT_EULER, h);
  const double stop = u0 / (mu * g);
  OK_STEP(stepper, advance_to(stepper, stop - 5 * h));
  const cdn_state *now = cdn_stepper_state(stepper);
  NEAR(cdn_state_u(now)[0], u0 - mu * g * cdn_state_time(now), 1e-12);
  OK_STEP(stepper, advance_to(stepper, stop + 5 * h));
  const double there = cdn_state_q(now)[0];
  NEAR(there, u0 * u0 / (2 * mu * g), u0 * h);
  NEAR(cdn_state_u(now)[0], 0, 1e-15);
  OK_STEP(stepper, advance_to(stepper, 10));
  NEAR(cdn_state_u(now)[0], 0, 1e-15);
  NEAR(cdn_state_q(now)[0], there, 1e-14);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* A soft stiff brake, with every method, implicit ones included: 2 udot = f and udot + u / T + R f = 0. */
static cdn_status brake_rows(const row_source *s, cdn_state *state, cdn_row_list *rows) {
  cdn_row_def def = cdn_default_row_def();
  def.target[0] = -*cdn_body_u(state, s->body) / s->numbers[0], def.R[0] = s->numbers[1];
  def.upper = 1000, def.lower = -1000;
  cdn_row_list_add(rows, &def);
  cdn_row_list_add_mobility(rows, s->body, 0, 1);
  return CDN_OK;
}

START_TEST(test_all_methods) {
  int refused = 0;
  for (int method = 0; method < ALL_METHODS; method++) {
    if (!cdn_method_is_available((cdn_method)method)) continue;
    const double u0 = 1.5, T = 0.02, R = 0.25, rate = 1 / T / (1 + 2 * R);
    cdn_body body;
    cdn_subsystem provider;
    cdn_state *state = block((row_source){ .calc = brake_rows, .numbers = { T, R } }, v(0, 0, 0), &body, &provider);
    OK(cdn_state_set_u(state, &u0));
    const bool fixed = method == CDN_METHOD_EXPLICIT_EULER || method == CDN_METHOD_SEMI_EXPLICIT_EULER ||
                       cdn_method_needs_fixed_step((cdn_method)method);
    cdn_stepper *stepper = stepper_of(state, (cdn_method)method, fixed ? 1e-5 : 0);
    const cdn_status status = advance_to(stepper, 0.1);
    cdn_failure f;
    cdn_stepper_failure(stepper, &f);
    if (status == CDN_ERR_UNSUPPORTED) { /* or it has no place for them, and says so */
      ck_assert_msg(strstr(f.error.text, "row provider '"), "%s", f.error.text);
      refused++;
    } else {
      OK_STEP(stepper, status);
      NEAR(cdn_state_u(cdn_stepper_state(stepper))[0], u0 * exp(-rate * 0.1), 2e-3);
      NEAR(cdn_state_q(cdn_stepper_state(stepper))[0], u0 / rate * (1 - exp(-rate * 0.1)), 2e-3);
    }
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
  ck_assert_int_le(refused, 5);
}
END_TEST

/* On a slope it stays where it is, without creeping, if tan(angle) < mu, by a method with error control; otherwise
 * it slides. An explicit method lets rounding of the row's feedback grow to what it is allowed. */
START_TEST(test_slope) {
  const double angle = 0.4, mus[] = { 0.9 * tan(angle), 1.1 * tan(angle) };
  for (int k = 0; k < 2; k++) {
    cdn_body body;
    cdn_subsystem provider;
    const double most = mus[k] * 2 * g * cos(angle);
    cdn_state *state = block((row_source){ .calc = friction_rows, .numbers = { most, 0.01 } },
                             v(g * sin(angle), -g * cos(angle), 0), &body, &provider);
    const double a = k ? 0 : g * (sin(angle) - mus[k] * cos(angle));
    NEAR(cdn_state_udot(state)[0], a, 1e-14);
    NEAR(*row_forces(state, provider, 1), -(k ? 2 * g * sin(angle) : most), 1e-13);
    cdn_stepper *stepper = stepper_to(state, CDN_METHOD_DORMAND_PRINCE, 0, 1e-12);
    OK_STEP(stepper, advance_to(stepper, 10));
    NEAR(cdn_state_q(cdn_stepper_state(stepper))[0], a * 50, 1e-11);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

/* ---- a box on four corners, whose rows depend on each other ---- */

enum { HALF = 1, HEIGHT = 2 };

static cdn_status corner_rows(const row_source *s, cdn_state *state, cdn_row_list *rows) {
  (void)state;
  cdn_row_def def = cdn_default_row_def();
  def.lower = 0;
  for (int k = 0; k < 4; k++) {
    cdn_row_list_add(rows, &def);
    cdn_row_list_add_point(rows, s->body, v(k & 1 ? HALF : -HALF, k & 2 ? HALF : -HALF, -HEIGHT), v(0, 0, 1));
  }
  return CDN_OK;
}

/* The corners push as much as the weight, and the box tips over an edge if a moment is larger than m g times the
 * half width. */
START_TEST(test_box_tips) {
  rig r = make_floater(); /* 3 kg, moments of inertia 1 */
  cdn_system_add_gravity(r.system, NULL, v(0, 0, -g));
  const cdn_subsystem provider = add_rows(r.system, (row_source){ .calc = corner_rows, .body = r.free });
  start(&r);
  const double tips = 3 * g * HALF, moments[] = { 0, 0.5 * tips, -0.99 * tips, 1.5 * tips, -4 * tips };
  for (int k = 0; k < 5; k++) {
    OK(cdn_state_set_applied_body_force(r.state, r.free, (cdn_spatial){ v(0, moments[k], 0), v(0, 0, 0) }));
    const double *force = row_forces(r.state, provider, 4), *udot = cdn_state_udot(r.state);
    const double beyond = fabs(moments[k]) - tips, alpha = beyond > 0 ? beyond / (1 + 3 * HALF * HALF) : 0;
    double push = 0, moment = 0;
    for (int i = 0; i < 4; i++) {
      ck_assert(force[i] >= 0);
      push += force[i], moment += force[i] * (i & 1 ? HALF : -HALF);
    }
    NEAR(push, 3 * (g + alpha * HALF), 1e-12);
    NEAR(moment, moments[k] - copysign(alpha, moments[k]), 1e-12);
    NEAR(udot[1], copysign(alpha, moments[k]), 1e-13);
    NEAR(udot[5], alpha * HALF, 1e-13);
    NEAR(udot[0], 0, 1e-13);
    NEAR(udot[3], 0, 1e-13);
  }
  stop(&r);
}
END_TEST

/* ---- beside everything else ---- */

/* Points of two bodies along three directions, with other bounds each; one row without bounds, and a weight.
 * Numbers: bounds. */
static cdn_status many_rows(const row_source *s, cdn_state *state, cdn_row_list *rows) {
  cdn_row_def def = cdn_default_row_def();
  cdn_transform X;
  double W[36] = { 0 };
  const cdn_status status = cdn_body_pose(state, s->other, &X);
  for (int k = 0; k < 6; k++) W[7 * k] = 0.2 + 0.1 * k;
  for (int k = 0; k < 4; k++) {
    def.target[0] = 0.2 - 0.3 * k, def.R[0] = k == 2 ? 0.4 : 0;
    def.lower = k == 3 ? -INFINITY : s->numbers[2 * (k % 3)];
    def.upper = k == 3 ? INFINITY : s->numbers[2 * (k % 3) + 1];
    cdn_row_list_add(rows, &def);
    cdn_row_list_add_point(rows, s->body, v(0.1, -0.2, 0.3), v(k != 1, k == 1, 2 * (k == 2)));
    cdn_row_list_add_point(rows, s->other, v(-0.3, 0.2, 0.1), v(k == 3, -1, 0.5 * k));
  }
  cdn_row_list_add_weight(rows, s->body, s->other, X.p, W, (cdn_spatial){ v(0.1, 0, 0), v(0, 0.2, 0) });
  return status;
}

static double accelerates(const rig *r, int k) {
  cdn_vec3 a[2];
  const cdn_body bodies[] = { r->slider, r->free };
  const cdn_vec3 stations[] = { v(0.1, -0.2, 0.3), v(-0.3, 0.2, 0.1) };
  OK_ON(r->state, cdn_calc_station_accelerations(r->state, cdn_state_udot(r->state), 2, bodies, stations, a));
  return cdn_dot(a[0], v(k != 1, k == 1, 2 * (k == 2))) + cdn_dot(a[1], v(k == 3, -1, 0.5 * k)) + 0.3 * k - 0.2;
}

static void set_somewhere(cdn_state *state, double turn) {
  double u[11];
  for (int i = 0; i < 11; i++) u[i] = sin(turn + 3 * i);
  OK(cdn_state_set_q(state, (double[]){ 0.4, 0.3, 0.9, 0.3, -0.2, 0.5, 0.8, -0.5, 0.1, 0.4, 1.2 + turn, -0.7, 0.6 }));
  OK(cdn_state_set_u(state, u));
}

/* What a convex problem's solution is known by: each row holds, or is at a bound towards which it is left. */
START_TEST(test_conditions) {
  int at_bounds = 0, hold = 0;
  for (int k = 0; k < 60; k++) {
    rig r = make_rig();
    const double a = 0.2 * (k % 5), b = 0.5 * (k % 7);
    const row_source s = {
      .calc = many_rows, .body = r.slider, .other = r.free, .numbers = { 0, INFINITY, -a, b, -INFINITY, 0.3 * a }
    };
    cdn_system_add_gravity(r.system, NULL, v(1, -9, 3));
    if (k % 2) cdn_system_constrain_ball(r.system, NULL, r.slider, v(0, 0, 0.1), r.ball, v(0.2, 0, 0));
    const cdn_subsystem provider = add_rows(r.system, s);
    start(&r);
    set_somewhere(r.state, k);
    OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
    double force[10];
    memcpy(force, row_forces(r.state, provider, 10), sizeof force);
    for (int i = 0; i < 4; i++) {
      const double left = accelerates(&r, i) + (i == 2 ? 0.4 * force[i] : 0);
      const double lower = i == 3 ? -INFINITY : s.numbers[2 * i], upper = i == 3 ? INFINITY : s.numbers[2 * i + 1];
      ck_assert(force[i] >= lower && force[i] <= upper);
      if (force[i] < upper) ck_assert_double_gt(left, -1e-10);
      if (force[i] > lower) ck_assert_double_lt(left, 1e-10);
      at_bounds += fabs(left) > 1e-6, hold += fabs(left) < 1e-6;
    }
    for (int i = 0; i < cdn_system_nudoterr(r.system); i++) NEAR(cdn_state_udoterr(r.state)[i], 0, 1e-10);

    /* the same bits, whatever was computed before */
    cdn_state *other = NULL;
    OK(cdn_state_create(r.system, &other));
    for (int turn = 0; turn < 3; turn++) {
      set_somewhere(other, turn < 2 ? 7.3 * turn + k : k);
      OK_ON(other, cdn_realize(other, CDN_STAGE_ACCELERATION));
    }
    ck_assert_mem_eq(cdn_state_udot(other), cdn_state_udot(r.state), 11 * sizeof(double));
    ck_assert_mem_eq(row_forces(other, provider, 10), force, 10 * sizeof(double));
    cdn_state_destroy(other);
    stop(&r);
  }
  ck_assert_int_gt(at_bounds, 30);
  ck_assert_int_gt(hold, 80);
}
END_TEST

/* ---- refusals, and memory ---- */

/* numbers: lower, upper; and of a second row the other way */
static cdn_status two_rows(const row_source *s, cdn_state *state, cdn_row_list *rows) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    cdn_row_def def = cdn_default_row_def();
    def.target[0] = 1, def.lower = s->numbers[0], def.upper = s->numbers[1];
    cdn_row_list_add(rows, &def);
    cdn_row_list_add_mobility(rows, s->body, 0, k ? -1 : 1);
  }
  return CDN_OK;
}

static void refused(double lower, double upper, cdn_status expected, const char *says) {
  cdn_body body;
  cdn_subsystem provider;
  cdn_error e;
  cdn_state *state = block((row_source){ .calc = two_rows, .numbers = { lower, upper } }, v(0, 0, 0), &body, &provider);
  FAILS(cdn_realize(state, CDN_STAGE_ACCELERATION), expected);
  cdn_state_last_error(state, &e);
  ck_assert_msg(strstr(e.text, says) && strstr(e.text, "'source'"), "'%s' does not say '%s'", e.text, says);
  cdn_state_destroy(state);
}

START_TEST(test_refusals) {
  refused(1, -1, CDN_ERR_ARG, "bounds");
  refused(NAN, 1, CDN_ERR_ARG, "bounds");
  refused(INFINITY, INFINITY, CDN_ERR_ARG, "bounds");
  /* udot > 1 and udot < -1 */
  refused(0, INFINITY, CDN_ERR_SINGULAR, "contradicts");
}
END_TEST

/* A single row that a constraint contradicts is found, with or without bounds. */
static cdn_status row_of_slider(const row_source *s, cdn_state *state, cdn_row_list *rows) {
  (void)state;
  cdn_row_def def = cdn_default_row_def();
  def.target[0] = -0.5;
  if (s->numbers[0] > 0) def.upper = 0;
  cdn_row_list_add(rows, &def);
  cdn_row_list_add_mobility(rows, s->body, 0, 1);
  return CDN_OK;
}

START_TEST(test_decided_by_a_constraint) {
  for (int bounded = 0; bounded < 2; bounded++) {
    rig r = make_rig();
    cdn_system_constrain_acceleration(r.system, NULL, r.slider, 0, 2.5);
    add_rows(r.system, (row_source){ .calc = row_of_slider, .body = r.slider, .numbers = { bounded } });
    start(&r);
    set_somewhere(r.state, 1);
    FAILS(cdn_realize(r.state, CDN_STAGE_ACCELERATION), CDN_ERR_SINGULAR);
    stop(&r);
  }
}
END_TEST

START_TEST(test_no_allocation) {
  counting_allocator memory = { 0 };
  cdn_system_def def = cdn_default_system_def();
  def.allocator = allocator_of(&memory);
  cdn_system *system = cdn_system_create(&def);
  const cdn_body slider = add_body(system, "rod", ground, CDN_SLIDER), box = add_body(system, "box", ground, CDN_FREE);
  add_rows(system,
           (row_source){
               .calc = many_rows, .body = slider, .other = box, .numbers = { 0, INFINITY, -1, 1, -INFINITY, 0.3 } });
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  int64_t before = 0;
  for (int k = 0; k < 50; k++) {
    double u[7];
    for (int i = 0; i < 7; i++) u[i] = sin(k + 2 * i);
    OK(cdn_state_set_u(state, u));
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    if (k == 2) before = memory.calls;
  }
  ck_assert_int_eq(memory.calls, before);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("bounds of rows", test_floor_only_pushes, test_soft_floor, test_block_stops, test_all_methods, test_slope,
           test_box_tips, test_conditions, test_refusals, test_decided_by_a_constraint, test_no_allocation)
