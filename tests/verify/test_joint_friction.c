/* Dry friction of joints that sticks: what is held, how far and how long something slides, stick and slip against
 * Coulomb's closed forms, energy, every method, equilibria. */
#include <stdio.h>

#include "runs.h"

typedef struct scene {
  cdn_system *system;
  cdn_body body;
  cdn_force friction, push;
  cdn_state *state;
} scene;

/* A bristle of this stiffness, critically damped, under a block of this mass on a slider that springs back to 0. */
typedef struct block {
  double mass, loss, stiffness, spring, push, x, v;
} block;

static scene make_block(const block *b) {
  scene s = { .system = cdn_system_create(NULL) };
  cdn_body_def def = cdn_default_body_def();
  def.name = "block", def.mobilizer = CDN_SLIDER, def.mass = point_mass(b->mass, cdn_v3(0, 0, 0));
  s.body = cdn_system_add_body(s.system, &def);
  if (b->spring > 0) cdn_system_add_mobility_spring(s.system, "spring", s.body, 0, b->spring, 0);
  s.push = cdn_system_add_mobility_force(s.system, "push", s.body, 0, b->push);
  s.friction = cdn_system_add_mobility_friction(s.system, "friction", s.body, 0, b->loss, b->stiffness,
                                                2 * sqrt(b->mass / b->stiffness));
  s.state = state_of(s.system);
  OK(cdn_body_set_q(s.state, s.body, 1, &b->x));
  OK(cdn_body_set_u(s.state, s.body, 1, &b->v));
  return s;
}

static void end(scene *s) { cdn_state_destroy(s->state); }

static void look(cdn_stepper *stepper, double t, double *x, double *v) {
  OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
  *x = cdn_state_q(cdn_stepper_state(stepper))[0], *v = cdn_state_u(cdn_stepper_state(stepper))[0];
}

/* ---- held ---- */

/* Pushed by 0.8 of the loss: displaced by push / stiffness, and then for 1000 s nothing. */
START_TEST(what_is_held_does_not_creep) {
  const block b = { .mass = 2, .loss = 5, .stiffness = 5e4, .push = 4 };
  for (int k = 0; k < 1 + HAS_SUNDIALS; k++) {
    scene s = make_block(&b);
    cdn_stepper_def def = cdn_default_stepper_def();
    def.method = k ? CDN_METHOD_CVODE_BDF : CDN_METHOD_DORMAND_PRINCE, def.accuracy = 1e-6;
    cdn_stepper *stepper;
    OK_ON(s.state, cdn_stepper_create(s.state, &def, &stepper));
    double x[2], v[2], displacement, f;
    bool sticks;
    look(stepper, k ? 900 : 9, &x[0], &v[0]);
    look(stepper, k ? 1000 : 10, &x[1], &v[1]);
    NEAR(x[1], b.push / b.stiffness, k ? 1e-12 : 1e-10);
    NEAR(x[1], x[0], k ? 1e-14 : 1e-10);
    AT_MOST(fabs(v[1]), k ? 1e-15 : 1e-8);
    cdn_state *now = cdn_stepper_state(stepper);
    OK_ON(now, cdn_mobility_friction_get(now, s.friction, &displacement, &f, &sticks));
    ck_assert(sticks);
    NEAR(displacement, x[1], k ? 1e-15 : 1e-12);
    NEAR(f, -b.push, k ? 1e-9 : 1e-5);
    cdn_certificate c;
    OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
    if (getenv("CARDAN_TEST_VERBOSE"))
      printf("held, method %d: x %.3g off, v %.3g, %lld evaluations\n", (int)def.method, x[1] - b.push / b.stiffness,
             v[1], (long long)c.evaluations);
    cdn_stepper_destroy(stepper);
    end(&s);
  }
}
END_TEST

/* It holds up to the loss, and not beyond. */
START_TEST(it_holds_up_to_the_loss) {
  for (int k = 0; k < 2; k++) {
    const block b = { .mass = 2, .loss = 5, .stiffness = 5e4, .push = 5 * (k ? 1.001 : 0.999) };
    scene s = make_block(&b);
    cdn_stepper *stepper = stepper_of(s.state, 1e-9);
    double x, v, before;
    look(stepper, 5, &x, &before);
    look(stepper, 10, &x, &v);
    if (k) NEAR(v - before, 0.005 / b.mass * 5, 1e-10); /* 0.005 N are left to accelerate it */
    else NEAR(v, 0, 1e-8);
    cdn_stepper_destroy(stepper);
    end(&s);
  }
}
END_TEST

/* ---- sliding ---- */

/* From speed v it comes to rest in v m / F, after m v^2 / 2F; the bristle gives back F / k when it stops. */
START_TEST(what_slides_is_braked_by_the_loss) {
  for (int n = 3; n <= 7; n += 2) {
    const block b = { .mass = 2, .loss = 5, .stiffness = 5 * pow(10, n), .v = 3 };
    const double elastic = b.loss / b.stiffness, T = 2 * sqrt(b.mass / b.stiffness);
    scene s = make_block(&b);
    cdn_stepper *stepper = stepper_of(s.state, 1e-10);
    double x, v;
    const double rest = b.mass * b.v / b.loss, way = b.mass * b.v * b.v / (2 * b.loss);
    for (int i = 1; i < 10; i++) {
      const double t = 0.1 * i * rest;
      look(stepper, t, &x, &v);
      NEAR(v, b.v - b.loss / b.mass * t, 1e-9);
      NEAR(x, b.v * t - b.loss / b.mass * t * t / 2, 1e-9);
    }
    look(stepper, rest + T, &x, &v);
    AT_MOST(fabs(v), b.loss / b.mass * T);
    look(stepper, rest + 40 * T, &x, &v);
    AT_MOST(fabs(v), 1e-9);
    NEAR(x, way, 2 * elastic);
    cdn_stepper_destroy(stepper);
    end(&s);
  }
}
END_TEST

/* ---- stick and slip ---- */

/* A mass on a spring: each half period its amplitude falls by 2 F / K, until the spring no longer pulls with F
 * (Coulomb). */
static double coulomb(const block *b, double x0, double t, double *v) {
  const double w = sqrt(b->spring / b->mass), shift = b->loss / b->spring;
  double x = x0;
  for (; t > PI / w && fabs(x) > shift; t -= PI / w) x = -(x - copysign(2 * shift, x));
  *v = 0;
  if (fabs(x) <= shift) return x;
  const double centre = copysign(shift, x);
  *v = -(x - centre) * w * sin(w * t);
  return centre + (x - centre) * cos(w * t);
}

START_TEST(an_oscillator_with_coulomb_friction) {
  double before = 0;
  for (int n = 3; n <= 6; n++) {
    const block b = { .mass = 1, .loss = 1, .stiffness = pow(10, n), .spring = 10, .x = 1 };
    scene s = make_block(&b);
    cdn_stepper *stepper = stepper_of(s.state, 1e-10);
    double worst = 0;
    for (int i = 1; i <= 60; i++) {
      double x, v, v_exact;
      look(stepper, 0.1 * i, &x, &v);
      worst = fmax(worst, fabs(x - coulomb(&b, b.x, 0.1 * i, &v_exact)));
    }
    if (getenv("CARDAN_TEST_VERBOSE")) printf("stiffness 1e%d: %.3g\n", n, worst);
    /* to turn the bristle around takes a time like 1 / sqrt(k) */
    AT_MOST(worst, 0.2 / sqrt(b.stiffness));
    if (n > 3) AT_MOST(worst, 0.4 * before);
    before = worst;
    cdn_stepper_destroy(stepper);
    end(&s);
  }
}
END_TEST

/* A heavy puller at speed V draws a block by a spring K: it sticks until K V t = F, and then x = V t - V / w sin w
 * t. */
START_TEST(stick_and_slip) {
  const double K = 20, V = 0.3, loss = 2, m = 0.5, w = sqrt(K / m), stiffness = 2e6;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "block", def.mobilizer = CDN_SLIDER, def.mass = point_mass(m, cdn_v3(0, 0, 0));
  const cdn_body drawn = cdn_system_add_body(system, &def);
  def.name = "puller", def.mass.mass = 1e12, def.q0 = (double[]){ 1 }, def.u0 = &V;
  const cdn_body puller = cdn_system_add_body(system, &def);
  cdn_system_add_two_point_spring(system, "spring", drawn, cdn_v3(0, 0, 0), puller, cdn_v3(0, 0, 0), K, 1);
  const cdn_force friction =
      cdn_system_add_mobility_friction(system, "friction", drawn, 0, loss, stiffness, 2 * sqrt(m / stiffness));
  cdn_state *state = state_of(system);
  cdn_stepper *stepper = stepper_of(state, 1e-9);
  const double slips = loss / (K * V);
  for (int i = 1; i <= 40; i++) {
    const double t = 0.02 * i * slips, after = fmax(t - slips, 0);
    bool sticks;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    cdn_state *now = cdn_stepper_state(stepper);
    OK_ON(now, cdn_mobility_friction_get(now, friction, NULL, NULL, &sticks));
    ck_assert_msg(sticks == (after == 0) || fabs(t - slips) < 1e-3, "at %g", t);
    NEAR(cdn_body_q(now, drawn)[0], V * after - V / w * sin(w * after), 10 * loss / stiffness);
  }
  for (int i = 1; i <= 20; i++) {
    const double after = 0.04 * i; /* more than half of the period, 1.0 s */
    OK_STEP(stepper, cdn_stepper_advance(stepper, slips + after, NULL));
    NEAR(cdn_body_q(cdn_stepper_state(stepper), drawn)[0], V * after - V / w * sin(w * after), 10 * loss / stiffness);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- a chain, with friction in all its joints ---- */

enum { LINKS = 3 };
typedef struct chain {
  cdn_system *system;
  cdn_body link[LINKS];
  cdn_force friction[LINKS + 2];
  double stiffness[LINKS + 2];
  int n;
  cdn_state *state;
} chain;

/* Two pins and a ball. */
static chain make_chain(double loss, bool gravity) {
  static const cdn_mobilizer kinds[LINKS] = { CDN_PIN, CDN_BALL, CDN_PIN };
  chain c = { .system = cdn_system_create(NULL) };
  if (gravity) cdn_system_add_gravity(c.system, "gravity", cdn_v3(0, -9.81, 0));
  for (int i = 0; i < LINKS; i++) {
    cdn_body_def def = cdn_default_body_def();
    def.parent = i ? c.link[i - 1] : cdn_ground(), def.mobilizer = kinds[i];
    def.X_PF.p = cdn_v3(i ? 0.5 : 0, 0, 0);
    def.mass = (cdn_mass_properties){ .mass = 1, .com = { 0.25, 0, 0 }, .inertia = { 0.01, 0.1, 0.1, 0, 0, 0 } };
    c.link[i] = cdn_system_add_body(c.system, &def);
    for (int k = 0; k < (kinds[i] == CDN_BALL ? 3 : 1); k++, c.n++) {
      c.stiffness[c.n] = 1e3 * loss;
      c.friction[c.n] = cdn_system_add_mobility_friction(c.system, NULL, c.link[i], k, loss, c.stiffness[c.n],
                                                         2 * sqrt(0.05 / c.stiffness[c.n]));
    }
  }
  c.state = state_of(c.system);
  OK(cdn_body_set_u(c.state, c.link[0], 1, (double[]){ 3 }));
  OK(cdn_body_set_u(c.state, c.link[1], 3, (double[]){ 2, -1, 1 }));
  OK(cdn_body_set_u(c.state, c.link[2], 1, (double[]){ -5 }));
  return c;
}

static void end_chain(chain *c) { cdn_state_destroy(c->state); }

/* What moves and what is stored in bristles only ever falls, and the certificate's balance is that of the accuracy. */
START_TEST(it_is_passive) {
  chain c = make_chain(0.8, true);
  cdn_stepper *stepper = stepper_of(c.state, 1e-8);
  double before = INFINITY, first = 0;
  for (int i = 0; i <= 400; i++) {
    double kinetic, energy, x;
    if (i) OK_STEP(stepper, cdn_stepper_advance(stepper, 0.01 * i, NULL));
    cdn_state *now = cdn_stepper_state(stepper);
    OK_ON(now, cdn_kinetic_energy(now, &kinetic));
    OK_ON(now, cdn_potential_energy(now, &energy));
    energy += kinetic;
    for (int k = 0; k < c.n; k++) {
      OK_ON(now, cdn_mobility_friction_get(now, c.friction[k], &x, NULL, NULL));
      energy += 0.5 * c.stiffness[k] * x * x;
    }
    AT_MOST(energy, before + 1e-8);
    if (i == 0) first = energy;
    before = energy;
  }
  AT_MOST(before, first - 1); /* it has lost something */
  cdn_certificate certificate;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &certificate));
  AT_MOST(fabs(certificate.energy_residual), 1e-6);
  cdn_stepper_destroy(stepper);
  end_chain(&c);
}
END_TEST

static double distance(const cdn_state *a, const cdn_state *b, int nq, int nu) {
  double d = 0;
  for (int i = 0; i < nq; i++) d = fmax(d, fabs(cdn_state_q(a)[i] - cdn_state_q(b)[i]));
  for (int i = 0; i < nu; i++) d = fmax(d, fabs(cdn_state_u(a)[i] - cdn_state_u(b)[i]));
  return d;
}

/* Each method at each accuracy, against a fine run. */
START_TEST(every_method_delivers) {
  chain c = make_chain(0.8, true);
  const int nq = cdn_system_nq(c.system), nu = cdn_system_nu(c.system);
  cdn_stepper *fine, *stepper;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_DORMAND_PRINCE_8, def.accuracy = 1e-12;
  OK_ON(c.state, cdn_stepper_create(c.state, &def, &fine));
  OK_STEP(fine, cdn_stepper_advance(fine, 1.5, NULL));
  for (int method = 0; method < ALL_METHODS; method++) {
    if (!controls_errors(method)) continue;
    const bool slow = method == CDN_METHOD_EXPLICIT_EULER || method == CDN_METHOD_SEMI_EXPLICIT_EULER ||
                      method == CDN_METHOD_SEMI_EXPLICIT_EULER_2 || method == CDN_METHOD_IMPLICIT_CONTACT;
    const bool second = method == CDN_METHOD_VERLET || method == CDN_METHOD_TRAPEZOID;
    for (double accuracy = 1e-3; accuracy > 0.5 * (slow     ? 1e-4
                                                   : second ? 1e-6
                                                            : 1e-8);
         accuracy *= SANITIZED ? 1e-3 : 0.1) {
      def = cdn_default_stepper_def();
      def.method = (cdn_method)method, def.accuracy = accuracy, def.companion = true;
      OK_ON(c.state, cdn_stepper_create(c.state, &def, &stepper));
      OK_STEP(stepper, cdn_stepper_advance(stepper, 1.5, NULL));
      const double error = distance(cdn_stepper_state(stepper), cdn_stepper_state(fine), nq, nu);
      cdn_certificate certificate;
      OK_STEP(stepper, cdn_stepper_certificate(stepper, &certificate));
      if (getenv("CARDAN_TEST_VERBOSE"))
        printf("%-24s %.0e: error %.2e  %6lld evaluations, %s\n", cdn_method_name(def.method), accuracy, error,
               (long long)certificate.evaluations,
               certificate.delivered == CDN_VERDICT_DELIVERED ? "delivered" : "not delivered, or unknown");
      if (!slow) AT_MOST(error, accuracy);
      if (!slow) ck_assert_int_eq(certificate.delivered, CDN_VERDICT_DELIVERED);
      if (certificate.delivered == CDN_VERDICT_DELIVERED) AT_MOST(error, 10 * accuracy);
      cdn_stepper_destroy(stepper);
    }
  }
  cdn_stepper_destroy(fine);
  end_chain(&c);
}
END_TEST

/* ---- at rest ---- */

/* An arm of weight is found where friction holds it, with the displacement that holds it; and an arm whose friction is
 * too weak has turned until its weight pulls with no more than the loss. */
START_TEST(an_equilibrium_of_an_arm) {
  for (int k = 0; k < 2; k++) {
    const double loss = k ? 1 : 5, weight = 2 * 9.81 * 0.2, stiffness = 1e4; /* weight on the lever: 3.9 N m */
    cdn_system *system = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_PIN, def.mass = point_mass(2, cdn_v3(0.2, 0, 0));
    const cdn_body arm = cdn_system_add_body(system, &def);
    cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
    const cdn_force friction = cdn_system_add_mobility_friction(system, "friction", arm, 0, loss, stiffness, 0.01);
    cdn_state *state = state_of(system);
    cdn_equilibrium report;
    double x, f;
    OK_ON(state, cdn_find_equilibrium(state, NULL, &report));
    OK_ON(state, cdn_mobility_friction_get(state, friction, &x, &f, NULL));
    const double q = cdn_body_q(state, arm)[0];
    NEAR(f, weight * cos(q), 1e-6);
    NEAR(x, -f / stiffness, 1e-9);
    AT_MOST(f, loss);
    if (!k) NEAR(q, -weight / stiffness, 1e-6);
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    NEAR(cdn_state_udot(state)[0], 0, 1e-4);
    cdn_state_destroy(state);
  }
}
END_TEST

/* ---- along a tendon ---- */

/* Two blocks on one line, on which springs pull. `nested`: the second one's slider is on the first block, so that
 * the friction of its joint is between the two. Else both are on Ground, and a tendon with the coefficients -1 and 1
 * has their relative speed: twice that, with `scale` 2, and half the loss, a quarter of the stiffness. */
static cdn_state *make_pair(bool nested, double scale, cdn_force *friction) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass = point_mass(2, cdn_v3(0, 0, 0));
  const cdn_body first = cdn_system_add_body(system, &def);
  if (nested) def.parent = first;
  def.mass.mass = 0.5;
  const cdn_body second = cdn_system_add_body(system, &def);
  const cdn_vec3 o = cdn_v3(0, 0, 0);
  cdn_system_add_two_point_spring(system, "left", cdn_ground(), cdn_v3(-3, 0, 0), first, o, 40, 2);
  cdn_system_add_two_point_spring(system, "right", cdn_ground(), cdn_v3(4, 0, 0), second, o, 30, 3);
  const double k = 2e3, T = 0.02, loss = 3, c[2] = { -scale, scale };
  *friction =
      nested ? cdn_system_add_mobility_friction(system, "between", second, 0, loss, k, T)
             : cdn_system_add_tendon_friction(system, "between", 2, (cdn_mobility[]){ { first, 0 }, { second, 0 } }, c,
                                              loss / scale, k / (scale * scale), T);
  cdn_state *state = state_of(system);
  OK(cdn_state_set_q(state, (double[]){ 0.5, nested ? -0.8 : -0.3 }));
  return state;
}

/* The same motion: places of both, what the friction bears, and the z, in units of the tendon. */
START_TEST(a_tendon_is_friction_between_what_it_connects) {
  cdn_force friction[3];
  double there[3][6];
  for (int k = 0; k < 3; k++) {
    cdn_state *state = make_pair(k == 0, k == 2 ? 2 : 1, &friction[k]);
    cdn_stepper *stepper = stepper_of(state, 1e-10);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 1.3, NULL));
    cdn_state *now = cdn_stepper_state(stepper);
    const double *q = cdn_state_q(now), *u = cdn_state_u(now), scale = k == 2 ? 2 : 1;
    double x, f;
    bool sticks;
    OK_ON(now, cdn_mobility_friction_get(now, friction[k], &x, &f, &sticks));
    const double is[6] = { q[0], q[1] + (k == 0 ? q[0] : 0), u[0], u[1] + (k == 0 ? u[0] : 0), x / scale, f * scale };
    memcpy(there[k], is, sizeof is);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
  for (int k = 1; k < 3; k++)
    for (int i = 0; i < 6; i++) NEAR(there[k][i], there[0][i], i == 5 ? 1e-5 : 1e-8);
  ck_assert(fabs(there[0][5]) > 0.01);
}
END_TEST

START_TEST(mistakes_along_a_tendon) {
  for (int k = 0; k < 6; k++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_SLIDER, def.mass = point_mass(1, cdn_v3(0, 0, 0));
    cdn_mobility at[2] = { { cdn_system_add_body(system, &def), 0 }, { cdn_system_add_body(system, &def), 0 } };
    double c[2] = { 1, k == 0 ? NAN : -1 };
    if (k == 1) at[1] = at[0];
    if (k == 2) at[1].k = 1;
    cdn_system_add_tendon_friction(system, "odd", k == 3 ? 0 : k == 4 ? 17 : 2, k == 5 ? NULL : at, c, 1, 10, 0.1);
    FAILS(cdn_system_freeze(system), k == 0 ? CDN_ERR_NONFINITE : CDN_ERR_ARG);
    ck_assert(strstr(cdn_last_error_text(), "odd"));
    cdn_system_release(system);
  }
}
END_TEST

/* ---- numbers ---- */

START_TEST(parameters_and_mistakes) {
  const block b = { .mass = 2, .loss = 5, .stiffness = 5e4, .v = 1 };
  scene s = make_block(&b);
  double value, f, x;
  bool sticks;
  OK(cdn_parameter_get(s.state, CDN_ELEMENT_FORCE, "friction", "loss", &value));
  ck_assert_double_eq(value, 5);
  ck_assert_str_eq(cdn_force_kind_name(s.system, s.friction), "mobility_friction");
  OK_ON(s.state, cdn_realize(s.state, CDN_STAGE_ACCELERATION));
  NEAR(cdn_state_udot(s.state)[0], -2.5, 1e-15);
  OK_ON(s.state, cdn_mobility_friction_set(s.state, s.friction, 7, 1e3, 0.1));
  OK_ON(s.state, cdn_realize(s.state, CDN_STAGE_ACCELERATION));
  NEAR(cdn_state_udot(s.state)[0], -3.5, 1e-15);
  NEAR(cdn_state_zdot(s.state)[0], 7e-3 / 0.1, 1e-15);
  OK_ON(s.state, cdn_mobility_friction_get(s.state, s.friction, &x, &f, &sticks));
  ck_assert(!sticks && f == -7 && x == 0);
  /* what is off neither acts nor remembers */
  OK(cdn_state_set_z(s.state, (double[]){ 0.02 }));
  OK(cdn_force_set_enabled(s.state, s.friction, false));
  OK_ON(s.state, cdn_realize(s.state, CDN_STAGE_ACCELERATION));
  NEAR(cdn_state_udot(s.state)[0], 0, 0);
  NEAR(cdn_state_zdot(s.state)[0], -0.2, 1e-15);
  OK_ON(s.state, cdn_mobility_friction_get(s.state, s.friction, NULL, &f, &sticks));
  ck_assert(!sticks && f == 0);
  FAILS(cdn_mobility_friction_set(s.state, s.friction, -1, 1, 1), CDN_ERR_ARG);
  FAILS(cdn_mobility_friction_set(s.state, s.friction, 1, 0, 1), CDN_ERR_ARG);
  FAILS(cdn_mobility_friction_set(s.state, s.friction, 1, 1, 0), CDN_ERR_ARG);
  FAILS(cdn_mobility_friction_set(s.state, s.friction, NAN, 1, 1), CDN_ERR_NONFINITE);
  FAILS(cdn_mobility_friction_set(s.state, s.push, 1, 1, 1), CDN_ERR_ARG);
  FAILS(cdn_mobility_friction_get(s.state, s.push, &x, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_mobility_friction_get(s.state, (cdn_force){ 99 }, &x, NULL, NULL), CDN_ERR_ARG);
  end(&s);
  for (int k = 0; k < 4; k++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_SLIDER, def.mass = point_mass(1, cdn_v3(0, 0, 0));
    const cdn_body body = cdn_system_add_body(system, &def);
    cdn_system_add_mobility_friction(system, "odd", body, k == 0, k == 1 ? -1 : 1, k == 2 ? 0 : 1, k == 3 ? NAN : 1);
    FAILS(cdn_system_freeze(system), k == 3 ? CDN_ERR_NONFINITE : CDN_ERR_ARG);
    ck_assert(strstr(cdn_last_error_text(), "odd"));
    cdn_system_release(system);
  }
  /* without a loss there is no force */
  const block free_block = { .mass = 1, .stiffness = 1e3, .v = 1 };
  s = make_block(&free_block);
  cdn_stepper *stepper = stepper_of(s.state, 1e-9);
  look(stepper, 2, &x, &f);
  NEAR(x, 2, 1e-12);
  cdn_stepper_destroy(stepper);
  end(&s);
}
END_TEST

CHECK_MAIN("joint_friction", a_tendon_is_friction_between_what_it_connects, mistakes_along_a_tendon,
           what_is_held_does_not_creep, it_holds_up_to_the_loss, what_slides_is_braked_by_the_loss,
           an_oscillator_with_coulomb_friction, stick_and_slip, it_is_passive, every_method_delivers,
           an_equilibrium_of_an_arm, parameters_and_mistakes)
