/* Steps with invertible contact: the paper's ball (figure 3), rest by its closed form, runs that the inverse takes
 * back, exact constraints, limits, restitution, and paths that find their contacts by themselves. */
#include "../testing.h"

static const double G = 9.81;

static cdn_shape add_ball(cdn_system *s, cdn_body body, double radius) {
  cdn_shape_def shape = cdn_default_shape_def();
  shape.body = body, shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { radius } };
  return cdn_system_add_shape(s, &shape);
}
static void add_floor(cdn_system *s) {
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(s, &shape);
}
static cdn_body add_body(cdn_system *s, cdn_mobilizer kind, cdn_body parent, double mass) {
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = kind, def.parent = parent;
  def.mass = (cdn_mass_properties){ .mass = mass, .inertia = { 0.01 * mass, 0.02 * mass, 0.015 * mass, 0, 0, 0 } };
  return cdn_system_add_body(s, &def);
}
static cdn_state *state_of(cdn_system *s) {
  cdn_state *state;
  OK_FREEZE(s);
  OK(cdn_state_create(s, &state));
  cdn_system_release(s);
  return state;
}

/* A ball of a mass over a floor: q is the place of its centre. */
static cdn_state *ball_over_floor(double mass, double radius, const double q[3]) {
  cdn_system *s = cdn_system_create(NULL);
  add_ball(s, add_body(s, CDN_TRANSLATION, cdn_ground(), mass), radius);
  add_floor(s);
  cdn_system_add_gravity(s, "gravity", cdn_v3(0, 0, -G));
  cdn_state *state = state_of(s);
  OK_ON(state, cdn_state_set_q(state, q));
  return state;
}

static cdn_invertible_motion *motion_of(cdn_state *state, const cdn_invertible_motion_def *def) {
  cdn_invertible_motion *motion;
  OK_ON(state, cdn_invertible_motion_create(state, def, &motion));
  cdn_state_destroy(state);
  return motion;
}

/* ---- figure 3 ---- */

/* Where (22) holds at rest: R(w) f - 3 kappa / f = A kappa / (w / h). */
static double rest_distance(const cdn_invertible_law *l, double mass, double h) {
  const double f = mass * G * h;
  double low = 0, high = l->w_max;
  for (int i = 0; i < 100; i++) {
    const double w = 0.5 * (low + high), R = l->R_min + (l->R_max - l->R_min) * w / l->w_max;
    *(R * f - 3 * l->kappa / f - l->kappa * h / (mass * w) > 0 ? &high : &low) = w;
  }
  return low;
}

/* The mass is chosen so that the ball can rest: of 1 kg it would hover at w_max. */
START_TEST(ball_drop) {
  const double mass = 8, radius = 0.1;
  cdn_invertible_motion_def def = cdn_default_invertible_motion_def();
  def.step = 1e-3;
  cdn_invertible_motion *motion = motion_of(ball_over_floor(mass, radius, (const double[]){ 0, 0, 0.5 }), &def);
  cdn_state *state = cdn_invertible_motion_state(motion);
  double before = 0, fastest = 0, largest = 0;
  int touching = 0, braking = 0;
  for (int i = 0; i < 20000; i++) {
    OK_ON(state, cdn_invertible_motion_advance(motion, 1));
    const double u = cdn_state_u(state)[2], w = cdn_state_q(state)[2] - radius;
    ck_assert_msg(w > 0, "the ball is %g m within the floor at step %d", -w, i);
    fastest = fmax(fastest, -u);
    if (cdn_invertible_motion_contact_count(motion) == 0) {
      NEAR(u - before, -G * def.step, 1e-12);
    } else {
      cdn_invertible_contact c;
      OK(cdn_invertible_motion_get_contact(motion, 0, &c));
      NEAR(mass * (u - before + G * def.step), c.impulse.z * (c.a.i == 0 ? -1 : 1), 1e-10);
      largest = fmax(largest, fabs(c.impulse.z));
      touching++;
      braking += u - before > 0 && u < -0.02;
    }
    before = u;
  }
  /* it falls 0.3 m freely, and the impulse that stops it is spread over many steps */
  ck_assert(fastest > 2.2 && fastest < 2.9);
  ck_assert_int_gt(braking, 15);
  ck_assert_int_gt(touching, 19000);
  AT_MOST(largest, 0.8 * mass * fastest);
  AT_MOST(fabs(before), 1e-5);
  const cdn_invertible_law law = cdn_default_invertible_law();
  NEAR(cdn_state_q(state)[2] - radius, rest_distance(&law, mass, def.step), 1e-5);
  cdn_invertible_motion_destroy(motion);
}
END_TEST

/* ---- runs that the inverse takes back ---- */

/* Two capsules on a hinge, free in space, and a ball; with forces on every mobility. */
static cdn_state *legs(void) {
  cdn_system *s = cdn_system_create(NULL);
  const cdn_body trunk = add_body(s, CDN_FREE, cdn_ground(), 3);
  cdn_body_def leg = cdn_default_body_def();
  leg.mobilizer = CDN_PIN, leg.parent = trunk;
  leg.X_PF.p = cdn_v3(0, 0.1, 0), leg.mass = (cdn_mass_properties){ 1, { 0.1, 0, 0 }, { 0.01, 0.02, 0.02, 0, 0, 0 } };
  const cdn_body shin = cdn_system_add_body(s, &leg);
  cdn_shape_def capsule = cdn_default_shape_def();
  capsule.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_CAPSULE, .size = { 0.08, 0.15 } };
  capsule.body = trunk;
  cdn_system_add_shape(s, &capsule);
  capsule.body = shin;
  cdn_system_add_shape(s, &capsule);
  add_ball(s, add_body(s, CDN_TRANSLATION, cdn_ground(), 2), 0.1);
  add_floor(s);
  cdn_system_add_gravity(s, "gravity", cdn_v3(0, 0, -G));
  cdn_state *state = state_of(s);
  const double q[] = { 1, 0.2, 0.1, -0.1, 0, 0, 0.3, 0.4, 0.5, 0, 0.15 };
  const double u[] = { 0.3, -0.2, 0.5, 1, 0.2, -1, 0.4, -1, 0.3, -0.5 };
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  return state;
}

START_TEST(forward_then_inverse) {
  cdn_invertible_motion_def def = cdn_default_invertible_motion_def();
  cdn_invertible_law law = cdn_default_invertible_law();
  def.law = &law;
  enum { STEPS = 60, NQ = 11, NU = 10 };
  for (int kind = 0; kind < 3; kind++) {
    law.growth = kind == 1 ? CDN_INVERTIBLE_EXPONENTIAL : CDN_INVERTIBLE_LINEAR;
    law.elastic = kind == 2 ? 10 : 0;
    cdn_invertible_motion *motion = motion_of(legs(), &def);
    cdn_state *state = cdn_invertible_motion_state(motion);
    static double q[(STEPS + 1) * NQ], forces[STEPS * NU], tau[STEPS * NU];
    int contacts = 0;
    const double zeros[NU] = { 0 };
    memcpy(q, cdn_state_q(state), NQ * sizeof *q);
    for (int i = 0; i < STEPS; i++) {
      for (int k = 0; k < NU; k++) forces[i * NU + k] = 3 * sin(0.3 * i + k);
      OK_ON(state, cdn_state_set_applied_mobility_forces(state, forces + i * NU));
      OK_ON(state, cdn_invertible_motion_advance(motion, 1));
      contacts += cdn_invertible_motion_contact_count(motion);
      memcpy(q + (i + 1) * NQ, cdn_state_q(state), NQ * sizeof *q);
    }
    ck_assert_int_gt(contacts, STEPS);
    OK_ON(state, cdn_state_set_applied_mobility_forces(state, zeros));
    OK_ON(state, cdn_invertible_motion_inverse(motion, STEPS + 1, q, tau));
    for (int i = 0; i + 1 < STEPS; i++)
      for (int k = 0; k < NU; k++) NEAR(tau[i * NU + k], forces[(i + 1) * NU + k], 1e-6);
    q[5 * NQ + 3] = NAN;
    FAILS(cdn_invertible_motion_inverse(motion, STEPS + 1, q, tau), CDN_ERR_NONFINITE);
    ck_assert(strstr(cdn_last_error_text(), "position 5"));
    cdn_invertible_motion_destroy(motion);
  }
}
END_TEST

/* ---- constraints, limits, restitution, friction ---- */

/* A ball on a rod, which is a constraint, swings down onto the floor. */
START_TEST(constraints_hold) {
  cdn_system *s = cdn_system_create(NULL);
  const cdn_body body = add_body(s, CDN_TRANSLATION, cdn_ground(), 5);
  add_ball(s, body, 0.1);
  add_floor(s);
  cdn_system_add_gravity(s, "gravity", cdn_v3(0, 0, -G));
  const cdn_constraint rod =
      cdn_system_constrain_rod(s, "rod", cdn_ground(), cdn_v3(0, 0, 0.8), body, cdn_v3(0, 0, 0), 1);
  cdn_state *state = state_of(s);
  OK_ON(state, cdn_state_set_q(state, (const double[]){ 0.8, 0, 1.4 }));
  cdn_invertible_motion_def def = cdn_default_invertible_motion_def();
  def.step = 2e-3;
  cdn_invertible_motion *motion = motion_of(state, &def);
  state = cdn_invertible_motion_state(motion);
  int contacts = 0;
  for (int i = 0; i < 2000; i++) {
    OK_ON(state, cdn_invertible_motion_advance(motion, 1));
    contacts += cdn_invertible_motion_contact_count(motion);
    AT_MOST(fabs(cdn_state_qerr(state)[0]), 1e-9);
    AT_MOST(fabs(cdn_state_uerr(state)[0]), 1e-8);
    ck_assert(cdn_state_q(state)[2] > 0.1 - 1e-4); /* the rod turns the velocity within a step */
  }
  ck_assert_int_gt(contacts, 1000);
  double tau[3], q[9] = { 0 };
  for (int i = 0; i < 3; i++) q[3 * i + 2] = 1;
  FAILS(cdn_invertible_motion_inverse(motion, 3, q, tau), CDN_ERR_UNSUPPORTED);
  ck_assert(strstr(cdn_last_error_text(), "rod"));
  OK_ON(state, cdn_constraint_set_enabled(state, rod, false));
  OK_ON(state, cdn_invertible_motion_inverse(motion, 3, q, tau));
  NEAR(tau[2], 5 * G, 1e-9);
  cdn_invertible_motion_destroy(motion);
}
END_TEST

/* A slider falls onto its bound, and rests there by the same closed form. */
START_TEST(limits_act_as_contacts) {
  cdn_system *s = cdn_system_create(NULL);
  cdn_body_def slider = cdn_default_body_def();
  slider.name = "lift", slider.mobilizer = CDN_SLIDER, slider.mass.mass = 30;
  slider.X_PF.R = cdn_rotation_axis_angle(cdn_v3(0, 1, 0), -PI / 2); /* x is up */
  const cdn_body body = cdn_system_add_body(s, &slider), free = add_body(s, CDN_FREE, cdn_ground(), 1);
  cdn_system_add_gravity(s, "gravity", cdn_v3(0, 0, -G));
  cdn_state *state = state_of(s);
  OK_ON(state, cdn_state_set_slots(state, CDN_POOL_Q, 0, 1, (const double[]){ 1 }));
  cdn_invertible_limit limit = { body, 0.5, INFINITY };
  cdn_invertible_motion_def def = cdn_default_invertible_motion_def();
  def.limits = &limit, def.n_limits = 1;
  cdn_invertible_motion *motion;
  limit.body = free;
  FAILS(cdn_invertible_motion_create(state, &def, &motion), CDN_ERR_ARG);
  ck_assert(strstr(cdn_last_error_text(), "limit 0"));
  limit.body = body, limit.upper = 0;
  FAILS(cdn_invertible_motion_create(state, &def, &motion), CDN_ERR_ARG);
  ck_assert(strstr(cdn_last_error_text(), "lift"));
  limit.upper = INFINITY;
  motion = motion_of(state, &def);
  state = cdn_invertible_motion_state(motion);
  for (int i = 0; i < 1000; i++) {
    OK_ON(state, cdn_invertible_motion_advance(motion, 1));
    ck_assert(cdn_state_q(state)[0] > 0.5);
  }
  AT_MOST(fabs(cdn_state_u(state)[0]), 1e-6);
  cdn_invertible_contact c;
  ck_assert_int_eq(cdn_invertible_motion_contact_count(motion), 1);
  OK(cdn_invertible_motion_get_contact(motion, 0, &c));
  ck_assert(c.limit == 0 && c.feature == -1 && c.a.i == -1);
  NEAR(c.impulse.x, 30 * G * 0.01, 1e-6);
  /* a mobility stop of the State is such a limit, and acts no more as a force */
  const double place = cdn_state_q(state)[0];
  cdn_system *other = cdn_system_create(NULL);
  slider.name = NULL;
  cdn_system_add_mobility_stop(other, "stop", cdn_system_add_body(other, &slider), 0, 0.5, 2, 1e3, 0);
  cdn_system_add_gravity(other, "gravity", cdn_v3(0, 0, -G));
  cdn_state *stopped = state_of(other);
  OK_ON(stopped, cdn_state_set_q(stopped, (const double[]){ 1 }));
  def.n_limits = 0;
  cdn_invertible_motion *same = motion_of(stopped, &def);
  OK_ON(state, cdn_invertible_motion_advance(same, 1000));
  NEAR(cdn_state_q(cdn_invertible_motion_state(same))[0], place, 1e-12);
  cdn_invertible_motion_destroy(same);
  /* R f = kappa / f + A kappa h / w */
  const double f = 30 * G * 0.01, w = cdn_state_q(state)[0] - 0.5;
  NEAR(c.R * f - 0.1 / f, 0.1 * 0.01 / (30 * w), 1e-5);
  cdn_invertible_motion_destroy(motion);
}
END_TEST

START_TEST(restitution) {
  for (int k = 0; k < 3; k++) {
    const double e = 0.25 + 0.25 * k, mass = 30;
    cdn_invertible_motion_def def = cdn_default_invertible_motion_def();
    cdn_invertible_law law = cdn_default_invertible_law();
    law.w_max = 0.01, law.kappa = 1e-4;
    def.law = &law, def.step = 1e-4, def.restitution = e;
    cdn_state *start = ball_over_floor(mass, 0.1, (const double[]){ 0, 0, 0.5 });
    cdn_invertible_motion *motion = motion_of(start, &def);
    cdn_state *state = cdn_invertible_motion_state(motion);
    double fastest = 0, back = 0;
    for (int i = 0; i < 5000; i++) {
      OK_ON(state, cdn_invertible_motion_advance(motion, 1));
      fastest = fmin(fastest, cdn_state_u(state)[2]), back = fmax(back, cdn_state_u(state)[2]);
      ck_assert(cdn_state_q(state)[2] > 0.1);
    }
    NEAR(back / -fastest, e, 0.03);
    cdn_invertible_motion_destroy(motion);
  }
}
END_TEST

/* A ball that cannot turn slides on the floor: friction stays in its cone, opposes the slip, and stops it. */
START_TEST(slides_and_stops) {
  cdn_state *start = ball_over_floor(30, 0.1, (const double[]){ 0, 0, 0.105 });
  OK_ON(start, cdn_state_set_u(start, (const double[]){ 2, 0, 0 }));
  cdn_invertible_motion_def def = cdn_default_invertible_motion_def();
  def.friction = 0.5, def.step = 1e-3;
  cdn_invertible_motion *motion = motion_of(start, &def);
  cdn_state *state = cdn_invertible_motion_state(motion);
  for (int i = 0; i < 3000; i++) {
    OK_ON(state, cdn_invertible_motion_advance(motion, 1));
    if (cdn_invertible_motion_contact_count(motion) == 0) continue;
    cdn_invertible_contact c;
    OK(cdn_invertible_motion_get_contact(motion, 0, &c));
    const double side = c.a.i == 0 ? -1 : 1; /* on the ball */
    AT_MOST(fabs(c.impulse.x), 0.5 * fabs(c.impulse.z));
    AT_MOST(side * c.impulse.x * cdn_state_u(state)[0], 1e-12);
  }
  AT_MOST(fabs(cdn_state_u(state)[0]), 0.01);
  NEAR(cdn_state_u(state)[1], 0, 1e-12);
  cdn_invertible_motion_destroy(motion);
}
END_TEST

/* What friction that should hold makes of a force, and what sliding makes of the distance: (22) at constant
 * velocity. */
START_TEST(creeps_and_lifts) {
  const double mass = 30, h = 0.01, mu = 0.5;
  for (int k = 0; k < 3; k++) { /* pushed with two kappas, then sliding */
    cdn_invertible_motion_def def = cdn_default_invertible_motion_def();
    cdn_invertible_law law = cdn_default_invertible_law();
    law.kappa = k == 1 ? 0.01 : 0.1, law.R_min = 1e-4;
    def.law = &law, def.friction = mu, def.step = h;
    cdn_invertible_motion *motion = motion_of(ball_over_floor(mass, 0.1, (const double[]){ 0, 0, 0.1001 }), &def);
    cdn_state *state = cdn_invertible_motion_state(motion);
    const double push = k < 2 ? 0.5 * mu * mass * G : 0;
    cdn_invertible_contact c;
    for (int i = 0; i < 3000; i++) {
      /* a push, or a speed that is kept up */
      const double u[3] = { 1, 0, cdn_state_u(state)[2] };
      if (k >= 2) OK_ON(state, cdn_state_set_u(state, u));
      OK_ON(state, cdn_state_set_applied_mobility_forces(state, (const double[]){ push, 0, 0 }));
      OK_ON(state, cdn_invertible_motion_advance(motion, 1));
    }
    OK(cdn_invertible_motion_get_contact(motion, 0, &c));
    const double f = mass * G * h, t = fabs(c.impulse.x), D = mu * mu * f * f - t * t, v = fabs(c.velocity.x);
    NEAR(fabs(c.impulse.z), f, 1e-6 * f);
    NEAR(v, t * (c.R + 2 * law.kappa / D), 1e-6 * v);
    if (k < 2) NEAR(t, push * h, 1e-6 * f);
    /* the normal row: the cone pushes upward */
    const double s = c.distance / h, barrier = law.kappa / (mass * s);
    NEAR(c.R * f, law.kappa * (2 * mu * mu * f / D + 1 / f) + barrier, 1e-5 * c.R * f);
    if (k == 2) NEAR(c.R, mu * v / f, 0.2 * c.R);
    cdn_invertible_motion_destroy(motion);
  }
}
END_TEST

static bool told(const char *part) { return strstr(cdn_last_error_text(), part); }

START_TEST(refused_by_name) {
  cdn_state *state = ball_over_floor(1, 0.1, (const double[]){ 0, 0, 1 });
  cdn_invertible_motion *motion = NULL;
  cdn_invertible_motion_def def = cdn_default_invertible_motion_def();
  cdn_invertible_law law = cdn_default_invertible_law();
  def.step = 0;
  FAILS(cdn_invertible_motion_create(state, &def, &motion), CDN_ERR_ARG);
  ck_assert(told("step"));
  def.step = NAN;
  FAILS(cdn_invertible_motion_create(state, &def, &motion), CDN_ERR_NONFINITE);
  def.step = 0.01, def.restitution = 2;
  FAILS(cdn_invertible_motion_create(state, &def, &motion), CDN_ERR_ARG);
  ck_assert(told("restitution"));
  def.restitution = 0, def.n_limits = 3;
  FAILS(cdn_invertible_motion_create(state, &def, &motion), CDN_ERR_ARG);
  ck_assert(told("limits"));
  def.n_limits = 0, def.law = &law, law.w_max = -1;
  FAILS(cdn_invertible_motion_create(state, &def, &motion), CDN_ERR_ARG);
  ck_assert(told("w_max") && !motion);
  def.law = NULL;
  FAILS(cdn_invertible_motion_create(NULL, &def, &motion), CDN_ERR_ARG);
  FAILS(cdn_invertible_motion_create(state, &def, NULL), CDN_ERR_ARG);
  OK_ON(state, cdn_invertible_motion_create(state, &def, &motion));
  FAILS(cdn_invertible_motion_advance(motion, -1), CDN_ERR_ARG);
  cdn_invertible_contact c;
  FAILS(cdn_invertible_motion_get_contact(motion, 0, &c), CDN_ERR_ARG);
  double q[15] = { 0 }, tau[9];
  for (int i = 0; i < 5; i++) q[3 * i + 2] = 1;
  FAILS(cdn_invertible_motion_inverse(motion, 2, q, tau), CDN_ERR_ARG);
  FAILS(cdn_invertible_motion_inverse(motion, 5, NULL, tau), CDN_ERR_ARG);
  OK_ON(state, cdn_invertible_motion_inverse(motion, 5, q, tau));
  NEAR(tau[2], G, 1e-12);
  q[8] = 0.5; /* deeper than the floor lets it go */
  q[11] = 0.05, q[14] = -0.5;
  FAILS(cdn_invertible_motion_inverse(motion, 5, q, tau), CDN_ERR_CONSTRAINT);
  ck_assert(told("position 3") && told("contact 0"));
  cdn_invertible_path_def how = cdn_default_invertible_path_def();
  cdn_invertible_path_report report;
  FAILS(cdn_invertible_optimize_path(motion, &how, 4, q, NULL, &report), CDN_ERR_ARG);
  ck_assert(told("fixed"));
  how.stages = 0;
  FAILS(cdn_invertible_optimize_path(motion, &how, 5, q, NULL, &report), CDN_ERR_ARG);
  ck_assert(told("stages"));
  how.stages = 1, how.tau_weights = (const double[]){ 1, -1, 1 };
  FAILS(cdn_invertible_optimize_path(motion, &how, 5, q, NULL, &report), CDN_ERR_ARG);
  ck_assert(told("speed 1"));
  cdn_invertible_motion_destroy(motion);
  cdn_invertible_motion_destroy(NULL);
  cdn_state_destroy(state);
}
END_TEST

/* ---- paths ---- */

/* A finger pushes a ball that has no motor to a place: nobody says when they touch. */
START_TEST(finds_its_contacts) {
  cdn_system *s = cdn_system_create(NULL);
  for (int i = 0; i < 2; i++) {
    const cdn_body body = add_body(s, CDN_SLIDER, cdn_ground(), 1);
    add_ball(s, body, 0.05);
  }
  cdn_state *state = state_of(s);
  cdn_invertible_motion_def def = cdn_default_invertible_motion_def();
  cdn_invertible_law law = cdn_default_invertible_law();
  law.kappa = 1e-3, law.elastic = 1, law.w_max = 0.5;
  def.law = &law, def.step = 0.02;
  cdn_invertible_motion *motion = motion_of(state, &def);
  state = cdn_invertible_motion_state(motion);
  enum { N = 51 };
  double q[2 * N], tau[2 * (N - 2)];
  for (int i = 0; i < N; i++) q[2 * i] = 0, q[2 * i + 1] = 0.2 + (i < 2 ? 0 : 0.5 * (i - 1) / (N - 2));
  cdn_invertible_path_def how = cdn_default_invertible_path_def();
  const double weights[2] = { 1, 1e4 };
  how.tau_weights = weights, how.fixed_last = 1, how.stages = 4, how.kappa_first = 1;
  q[2 * (N - 1)] = 0.3;
  cdn_invertible_path_report report;
  OK_ON(state, cdn_invertible_optimize_path(motion, &how, N, q, tau, &report));
  ck_assert_msg(report.converged, "%d iterations from %g to %g, gradient %g", report.iterations, report.first,
                report.last, report.gradient);
  AT_MOST(report.last, 1e-2 * report.first);
  double ball = 0, finger = 0;
  for (int i = 0; i < N - 2; i++) finger = fmax(finger, fabs(tau[2 * i])), ball = fmax(ball, fabs(tau[2 * i + 1]));
  AT_MOST(ball, 0.02 * finger); /* what moves the ball is the finger */
  NEAR(q[2 * N - 1], 0.7, 0);
  cdn_invertible_motion_destroy(motion);
}
END_TEST

CHECK_MAIN("invertible motion", ball_drop, forward_then_inverse, constraints_hold, limits_act_as_contacts, restitution,
           slides_and_stops, creeps_and_lifts, refused_by_name, finds_its_contacts)
