/* Errors that add up: over many periods, and in fast spins. */
#include "../unit/ode.h"

/* Under sanitizers everything takes ten times as long. */
#ifdef CDNI_SANITIZED
enum { PERIODS = 1000 };
#else
enum { PERIODS = 10000 };
#endif

/* ---- a harmonic oscillator ---- */

static cdn_state *oscillator(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  const double one = 1;
  cdn_body_def def = cdn_default_body_def();
  def.name = "mass", def.mobilizer = CDN_SLIDER, def.mass.mass = 1, def.q0 = &one;
  cdn_body body = cdn_system_add_body(system, &def);
  cdn_system_add_mobility_spring(system, "spring", body, 0, 1, 0);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* The end is known, so that steps share the accuracy: the error stays within ten accuracies up to the end. */
static void check_oscillator(cdn_method method) {
  static const double accuracies[] = { 1e-3, 3e-6, 1e-9 };
  cdn_state *state = oscillator();
  for (int k = 0; k < 3; k++) {
    cdn_stepper_def def = cdn_default_stepper_def();
    const double end = 2 * PI * PERIODS;
    double most = 0;
    def.method = method;
    def.accuracy = accuracies[k];
    def.final_time = end;
    cdn_stepper *stepper = ode_stepper(state, &def);
    for (int i = 1; i <= 1000; i++) {
      const double t = end * i / 1000;
      OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
      const cdn_state *now = cdn_stepper_state(stepper);
      most = fmax(most, fmax(fabs(cdn_state_q(now)[0] - cos(t)), fabs(cdn_state_u(now)[0] + sin(t))));
    }
    ck_assert_msg(most <= 10 * def.accuracy, "%s at %g is off by %.3g of it after %d periods", cdn_method_name(method),
                  def.accuracy, most / def.accuracy, PERIODS);
    cdn_stepper_destroy(stepper);
  }
  cdn_state_destroy(state);
}

START_TEST(the_default_keeps_time) { check_oscillator(CDN_METHOD_DEFAULT); }
END_TEST
START_TEST(a_pair_keeps_time) { check_oscillator(CDN_METHOD_DORMAND_PRINCE_8); }
END_TEST

/* ---- a free top ---- */

typedef struct top {
  double across, along; /* moments of inertia */
  double w[3];          /* angular velocity at the start, in its own axes: the third is that of symmetry */
} top;

static void multiply(const double a[4], const double b[4], double c[4]) {
  c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* Its axis goes round the angular momentum at L / across, and it turns about its axis at (1 - along / across) w_3. */
static void orientation(const top *m, double t, double q[4]) {
  const double L[3] = { m->across * m->w[0], m->across * m->w[1], m->along * m->w[2] };
  const double length = sqrt(L[0] * L[0] + L[1] * L[1] + L[2] * L[2]);
  const double round = 0.5 * length / m->across * t, own = 0.5 * (1 - m->along / m->across) * m->w[2] * t;
  const double s = sin(round) / length;
  multiply((const double[]){ cos(round), s * L[0], s * L[1], s * L[2] }, (const double[]){ cos(own), 0, 0, sin(own) },
           q);
}

static cdn_state *spinning(const top *m) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdn_body_def def = cdn_default_body_def();
  def.name = "top", def.mobilizer = CDN_BALL, def.u0 = m->w;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = m->across, .yy = m->across, .zz = m->along } };
  cdn_system_add_body(system, &def);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* A speed that errs by the accuracy times 150 rad/s is 45 accuracies of angle after 0.3 s. */
START_TEST(spins_keep_their_angle) {
  static const top tops[] = { { 1, 0.4, { 0, 0, 150 } },
                              { 1, 1.6, { 0, 0, 150 } },
                              { 1, 0.4, { 150, 0, 0 } },
                              { 1, 0.4, { 90, 0, 120 } },
                              { 1, 1.7, { 20, -30, 145 } } };
  static const cdn_method methods[] = { CDN_METHOD_DEFAULT, CDN_METHOD_DORMAND_PRINCE_8, CDN_METHOD_DORMAND_PRINCE };
  for (int i = 0; i < 5; i++) {
    cdn_state *state = spinning(&tops[i]);
    for (int k = 0; k < 4 * 3; k++) {
      const double end = k < 6 ? 0.3 : 3;
      cdn_stepper_def def = cdn_default_stepper_def();
      def.method = methods[k % 3];
      def.accuracy = k / 3 % 2 ? 1e-7 : 2e-4;
      def.final_time = end;
      cdn_stepper *stepper = ode_stepper(state, &def);
      OK_STEP(stepper, cdn_stepper_advance(stepper, end, NULL));
      const double *q = cdn_state_q(cdn_stepper_state(stepper));
      double truth[4], turn[4];
      orientation(&tops[i], end, truth);
      multiply((const double[]){ q[0], -q[1], -q[2], -q[3] }, truth, turn);
      const double angle = 2 * sqrt(turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]);
      ck_assert_msg(angle <= 10 * def.accuracy, "top %d, %s at %g: off by %.3g of it after %g s", i,
                    cdn_method_name(def.method), def.accuracy, angle / def.accuracy, end);
      cdn_stepper_destroy(stepper);
    }
    cdn_state_destroy(state);
  }
}
END_TEST

CHECK_MAIN("long runs", the_default_keeps_time, a_pair_keeps_time, spins_keep_their_angle)
