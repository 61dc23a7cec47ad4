/* The methods of SUNDIALS against closed forms, published references and our own methods. */
#include <stdio.h>

#include "../unit/ode.h"
#include "runs.h"

static const cdn_method methods[] = { CDN_METHOD_CVODE_BDF, CDN_METHOD_CVODE_ADAMS, CDN_METHOD_IDA };
enum { N_METHODS = sizeof methods / sizeof methods[0] };

static bool verbose(void) { return getenv("CARDAN_TEST_VERBOSE") != NULL; }

static cdn_stepper *stepper_by(cdn_state *state, cdn_method method, double accuracy) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method;
  def.accuracy = accuracy;
  return ode_stepper(state, &def);
}

/* ---- SUNDIALS' own examples ---- */

/* examples/cvode/serial/cvPendulum_dns: a pendulum of 1 m, from the horizontal at rest, with gravity that makes its
 * period 2 s; after 30 s it is back. There on x and y with a constraint, here on a pin, and on a ball, whose quaternion
 * is projected. */
static double pendulum_error(cdn_method method, cdn_mobilizer mobilizer, double accuracy, cdn_certificate *c) {
  const double g = 13.750371636040745654980191559621114395801712;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "bob";
  def.mobilizer = mobilizer;
  def.mass = solid(1, cdn_v3(1, 0, 0), 0.1, 0.1, 0.1);
  cdn_body bob = cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -1.1 * g, 0)); /* a ball needs inertia about all axes */
  cdn_state *state = state_of(system);
  cdn_stepper *stepper = stepper_by(state, method, accuracy);
  cdn_vec3 p;
  OK_STEP(stepper, cdn_stepper_advance(stepper, 30, NULL));
  OK(cdn_body_station(cdn_stepper_state(stepper), bob, cdn_v3(1, 0, 0), &p, NULL));
  *c = certificate_of(stepper);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return hypot(p.x - 1, p.y);
}

START_TEST(pendulum_of_cvode) {
  /* errors of y that SUNDIALS ships for its run with projection at 1e-5 .. 1e-8 */
  static const double shipped[] = { 2.25e-3, 4.64e-4, 7.79e-5, 1.37e-5 };
  for (int ball = 0; ball < 2; ball++) {
    for (int k = 5; k <= 8; k++) {
      cdn_certificate c;
      double accuracy = pow(10, -k);
      double error = pendulum_error(methods[_i], ball ? CDN_BALL : CDN_PIN, accuracy, &c);
      if (verbose())
        printf("pendulum, method %d, %s at %.0e: %.2e, %d steps, residual %.1e\n", (int)methods[_i],
               ball ? "ball" : "pin", accuracy, error, (int)c.steps, c.energy_residual);
      AT_MOST(error, shipped[k - 5]);
      /* what BDF loses of the energy it loses in one direction, step after step */
      AT_MOST(fabs(c.energy_residual), 300 * accuracy);
      AT_MOST(c.max_constraint_error, 1e-15);
    }
  }
}
END_TEST

/* examples/arkode/CXX_serial/ark_pendulum: u' = -sin v, v' = u; at t = 10 in closed form (tests/data/SOURCES.md). */
static cdn_status ark_rates(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state, (void)t;
  zdot[0] = -sin(z[1]);
  zdot[1] = z[0];
  return CDN_OK;
}

START_TEST(pendulum_of_arkode) {
  static const ode pendulum = { .n = 2, .z0 = { 1.5, 1 }, .rates = ark_rates };
  cdn_state *state = ode_state(&pendulum, NULL);
  for (int k = 4; k <= 10; k += 2) {
    double accuracy = pow(10, -k);
    cdn_stepper *stepper = stepper_by(state, methods[_i], accuracy);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 10, NULL));
    double error = fabs(z_of(stepper) - 0.50868284995938797158);
    AT_MOST(error, 30 * accuracy);
    cdn_stepper_destroy(stepper);
  }
  cdn_state_destroy(state);
}
END_TEST

/* examples/cvode/serial/cvRoberts_dns: three reactions, whose rates differ by nine orders of magnitude. */
static cdn_status roberts_rates(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state, (void)t;
  zdot[0] = -0.04 * z[0] + 1e4 * z[1] * z[2];
  zdot[2] = 3e7 * z[1] * z[1];
  zdot[1] = -zdot[0] - zdot[2];
  return CDN_OK;
}

START_TEST(kinetics_of_cvode) {
  static const ode kinetics = { .n = 3, .z0 = { 1, 0, 0 }, .rates = roberts_rates };
  static const double weights[] = { 1e4, 1e9, 1e4 }; /* at loose tolerances a tail below zero explodes */
  /* as shipped in cvRoberts_dns.out, made with a relative tolerance of 1e-4 for each step */
  static const double table[][3] = {
    { 9.851641e-01, 3.386242e-05, 1.480205e-02 }, { 9.055097e-01, 2.240338e-05, 9.446793e-02 },
    { 7.158017e-01, 9.185037e-06, 2.841892e-01 }, { 4.505360e-01, 3.223271e-06, 5.494608e-01 },
    { 1.832299e-01, 8.944378e-07, 8.167692e-01 }, { 3.898902e-02, 1.622006e-07, 9.610108e-01 }
  };
  /* E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.10: at 1e11 */
  static const double late[3] = { 0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050 };
  cdn_state *state = ode_state(&kinetics, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = _i ? CDN_METHOD_IDA : CDN_METHOD_CVODE_BDF;
  def.accuracy = 1e-8;
  def.z_weights = weights;
  cdn_stepper *stepper = ode_stepper(state, &def);
  double t = 0.4;
  for (int i = 0; i < 6; i++, t *= 10) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    const double *z = cdn_state_z(cdn_stepper_state(stepper));
    for (int k = 0; k < 3; k++) NEAR(z[k], table[i][k], 1e-3 * table[i][k]);
    NEAR(z[0] + z[1] + z[2], 1, 1e-12); /* linear invariants are kept */
  }
  if (verbose()) printf("kinetics to t = %g: %d steps\n", t / 10, (int)certificate_of(stepper).steps);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1e11, NULL));
  const double *z = cdn_state_z(cdn_stepper_state(stepper));
  NEAR(z[0], late[0], 1e-8);
  NEAR(z[1], late[1], 1e-13);
  NEAR(z[2], late[2], 1e-8);
  if (verbose()) printf("kinetics: %d steps\n", (int)certificate_of(stepper).steps);
  AT_MOST((double)certificate_of(stepper).steps, 6500); /* explicit steps would have to be below 1e-3 */
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- smooth problems -------------------------------------------------------------------------------- */

/* Formulas of order 5 whose tolerance falls as the accuracy's power 6/5 take 10^(1/5) = 1.6 times the steps for a tenth
 * of it: at every accuracy, or a solver has got stuck with short ones. */
START_TEST(steps_go_with_the_accuracy) {
  const cdn_method method = _i ? CDN_METHOD_IDA : CDN_METHOD_CVODE_BDF;
  char path[512];
  snprintf(path, sizeof path, "%s/examples/models/pendulum.xml", getenv("CARDAN_SOURCE_ROOT"));
  cdn_model *model;
  OK(cdn_model_load(path, NULL, &model));
  cdn_state *state = NULL;
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK(cdn_model_set_key(model, "small", state));
  double before = 0, first = 0;
  for (int k = 4; k <= 10; k++) {
    cdn_stepper *stepper = stepper_by(state, method, pow(10, -k));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 5, NULL));
    const double steps = (double)certificate_of(stepper).steps;
    if (verbose()) printf("%s at 1e-%d: %g steps\n", cdn_method_name(method), k, steps);
    if (k > 4) ck_assert_msg(steps > before && steps < 2 * before, "1e-%d: %g after %g", k, steps, before);
    else first = steps;
    before = steps;
    cdn_stepper_destroy(stepper);
  }
  NEAR(log10(before / first) / 6, 0.2, 0.06);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* ---- stiff problems --------------------------------------------------------------------------------- */

/* The state at t = 2000 is from the IVP test set (W. Lioen, J. de Swart 1999). */
START_TEST(van_der_pol) {
  static const ode oscillator = { .n = 2, .z0 = { 2, 0 }, .rates = van_der_pol_rate };
  cdn_state *state = ode_state(&oscillator, NULL);
  for (int k = 5; k <= 9; k += 2) {
    double accuracy = pow(10, -k);
    cdn_stepper *stepper = stepper_by(state, _i ? CDN_METHOD_IDA : CDN_METHOD_CVODE_BDF, accuracy);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 2000, NULL));
    double error = fabs(z_of(stepper) - 0.1706167732170469e1);
    cdn_certificate c = certificate_of(stepper);
    if (verbose())
      printf("van der Pol at %.0e: %.2e, %d steps, %d evaluations, %d Jacobians\n", accuracy, error, (int)c.steps,
             (int)c.evaluations, (int)c.jacobians);
    /* the jump comes early or late by the error of the slow phase */
    AT_MOST(error, 100 * accuracy);
    AT_MOST((double)c.evaluations, 15000);
    cdn_stepper_destroy(stepper);
  }
  cdn_state_destroy(state);
}
END_TEST

enum { LINKS = 9, REPORTS = 5 };

/* A chain of balls and pins on springs, whose dampers are strong for its light links. */
static cdn_state *chain(double stiffness, double damping) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body parent = cdn_ground();
  cdn_body_def def = cdn_default_body_def();
  def.mass = solid(1, cdn_v3(0.01, 0.02, -0.15), 0.03, 0.03, 0.01);
  for (int i = 0; i < LINKS; i++) {
    bool ball = i % 3 == 0;
    cdn_vec3 axis = i % 3 == 1 ? cdn_v3(0, 1, 0) : cdn_v3(0.3, 0.2, 1);
    def.parent = parent;
    def.mobilizer = ball ? CDN_BALL : CDN_PIN;
    def.X_PF = frame_z(axis, cdn_v3(0, 0, i ? -0.3 : 0));
    def.X_BM = frame_z(axis, cdn_v3(0, 0, 0));
    parent = cdn_system_add_body(system, &def);
    if (!ball) cdn_system_add_mobility_spring(system, NULL, parent, 0, stiffness, 0);
    else cdn_system_add_rotation_spring(system, NULL, parent, stiffness, cdn_rotation_identity());
    for (int k = 0; k < (ball ? 3 : 1); k++) cdn_system_add_mobility_damper(system, NULL, parent, k, damping);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_state *state = state_of(system);
  double u[3 * LINKS];
  for (int i = 0; i < cdn_system_nu(cdn_state_system(state)); i++) u[i] = cos(2.0 * i);
  OK(cdn_state_set_u(state, u));
  return state;
}

typedef struct run {
  double q[REPORTS][4 * LINKS], u[REPORTS][3 * LINKS];
  cdn_certificate c;
} run;

static void run_chain(cdn_state *initial, cdn_method method, double accuracy, run *out) {
  int nq = cdn_system_nq(cdn_state_system(initial)), nu = cdn_system_nu(cdn_state_system(initial));
  cdn_stepper *stepper = stepper_by(initial, method, accuracy);
  for (int i = 0; i < REPORTS; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.3 * (i + 1), NULL));
    memcpy(out->q[i], cdn_state_q(cdn_stepper_state(stepper)), sizeof(double) * (size_t)nq);
    memcpy(out->u[i], cdn_state_u(cdn_stepper_state(stepper)), sizeof(double) * (size_t)nu);
  }
  out->c = certificate_of(stepper);
  cdn_stepper_destroy(stepper);
}

/* Largest root mean square of q, or of u relative above 1, at any report. */
static double distance(const cdn_state *state, const run *a, const run *b) {
  int nq = cdn_system_nq(cdn_state_system(state)), nu = cdn_system_nu(cdn_state_system(state));
  double worst = 0;
  for (int i = 0; i < REPORTS; i++) {
    double q = 0, u = 0;
    for (int k = 0; k < nq; k++) q += pow(a->q[i][k] - b->q[i][k], 2);
    for (int k = 0; k < nu; k++) u += pow((a->u[i][k] - b->u[i][k]) / fmax(1, fabs(b->u[i][k])), 2);
    worst = fmax(worst, fmax(sqrt(q / nq), sqrt(u / nu)));
  }
  return worst;
}

START_TEST(agrees_with_our_methods) {
  cdn_state *state = chain(20, 0.1);
  run truth, r;
  double last = INFINITY;
  run_chain(state, CDN_METHOD_DORMAND_PRINCE_8, 1e-13, &truth);
  for (int k = 3; k <= 9; k += 2) {
    double accuracy = pow(10, -k);
    run_chain(state, methods[_i], accuracy, &r);
    double error = distance(state, &r, &truth);
    if (verbose())
      printf("method %d at %.0e: error %.2e = %6.2f of it, energy %8.1e, %d steps, %d evaluations, %d Jacobians\n",
             (int)methods[_i], accuracy, error, error / accuracy, r.c.energy_residual, (int)r.c.steps,
             (int)r.c.evaluations, (int)r.c.jacobians);
    AT_MOST(error, 30 * accuracy);
    AT_MOST(error, 0.15 * last);
    AT_MOST(fabs(r.c.energy_residual), 30 * accuracy);
    AT_MOST(r.c.max_constraint_error, 1e-14);
    last = error;
  }
  cdn_state_destroy(state);
}
END_TEST

START_TEST(stiff_chain_is_cheap) {
  cdn_state *state = chain(50, 20);
  run truth, r, explicit;
  run_chain(state, CDN_METHOD_CVODE_BDF, 1e-11, &truth);
  run_chain(state, CDN_METHOD_DORMAND_PRINCE, 1e-5, &explicit);
  AT_MOST(distance(state, &explicit, &truth), 1e-4);
  AT_MOST((double)explicit.c.steps, 2 * (double)explicit.c.stiff_steps); /* it says so itself */
  run_chain(state, _i ? CDN_METHOD_IDA : CDN_METHOD_CVODE_BDF, 1e-5, &r);
  AT_MOST(distance(state, &r, &truth), 1e-4);
  if (verbose())
    printf("stiff chain: %d evaluations and %d Jacobians against %d evaluations\n", (int)r.c.evaluations,
           (int)r.c.jacobians, (int)explicit.c.evaluations);
  AT_MOST((double)r.c.evaluations, 0.045 * (double)explicit.c.evaluations);
  cdn_state_destroy(state);
}
END_TEST

/* Two oscillators with 0.3 % of the critical damping, of 400 and 2000 rad/s. */
static cdn_status ringing(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state, (void)t;
  for (int i = 0; i < 2; i++) {
    const double w = i ? 2000 : 400;
    zdot[2 * i] = z[2 * i + 1];
    zdot[2 * i + 1] = -w * w * z[2 * i] - 2 * 0.003 * w * z[2 * i + 1];
  }
  return CDN_OK;
}

/* The exact motion is below 1e-9 after 15 s. Orders 3 to 5 keep it going at the size of the tolerance. */
START_TEST(what_has_ceased_to_ring_costs_nothing) {
  static const ode two = { .n = 4, .z0 = { 1e-3, 0, 1e-3, 0 }, .rates = ringing };
  cdn_state *state = ode_state(&two, NULL);
  for (int k = 4; k <= 7; k++) {
    cdn_stepper *stepper = stepper_by(state, _i ? CDN_METHOD_IDA : CDN_METHOD_CVODE_BDF, pow(10, -k));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 20, NULL));
    const int64_t before = certificate_of(stepper).steps;
    OK_STEP(stepper, cdn_stepper_advance(stepper, 60, NULL));
    const int64_t rest = certificate_of(stepper).steps - before;
    if (verbose()) printf("ringing at 1e-%d: %d steps, then %d\n", k, (int)before, (int)rest);
    ck_assert_int_lt(rest, 60);
    AT_MOST(fabs(z_of(stepper)), 1e-8);
    cdn_stepper_destroy(stepper);
  }
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, what_has_ceased_to_ring_costs_nothing, 0, 2);
  tcase_add_loop_test(c, pendulum_of_cvode, 0, N_METHODS);
  tcase_add_loop_test(c, pendulum_of_arkode, 0, N_METHODS);
  tcase_add_loop_test(c, kinetics_of_cvode, 0, 2);
  tcase_add_loop_test(c, steps_go_with_the_accuracy, 0, 2);
  tcase_add_loop_test(c, van_der_pol, 0, 2);
  tcase_add_loop_test(c, agrees_with_our_methods, 0, N_METHODS);
  tcase_add_loop_test(c, stiff_chain_is_cheap, 0, 2);
}

CHECK_MAIN_OF("methods of SUNDIALS", 120, add)
