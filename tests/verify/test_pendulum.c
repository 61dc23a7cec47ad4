/* Pendulums of any amplitude against elliptic functions and 25-digit values (reference/closed_form.json). */
#include "runs.h"
#include "special_functions.h"

static const double G = 9.81;

/* A point mass 1 m below a pin about z; q is the angle from the downward vertical. */
static cdn_state *simple_pendulum(double theta0) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body bob =
      add_pin(system, "bob", cdn_ground(), cdn_v3(0, 0, 1), cdn_v3(0, 0, 0), point_mass(1, cdn_v3(0, -1, 0)));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -G, 0));
  cdn_state *state = state_of(system);
  OK(cdn_body_set_q(state, bob, 1, &theta0));
  return state;
}

/* Released at rest at theta0: sin(theta / 2) = k cd(w t), k = sin(theta0 / 2). */
static void pendulum_truth(double theta0, double t, double *theta, double *rate) {
  double k = sin(theta0 / 2), w = sqrt(G);
  jacobi j = jacobi_functions(w * t, k * k);
  *theta = 2 * asin(k * j.cn / j.dn);
  *rate = -2 * k * w * cos(theta0 / 2) * j.sn / j.dn;
}

/* Largest error of angle and rate over two and a half periods. */
static double follow(double accuracy, const void *what) {
  double theta0 = *(const double *)what, worst = 0;
  double period = 4 / sqrt(G) * complete_K(sin(theta0 / 2) * sin(theta0 / 2));
  cdn_state *state = simple_pendulum(theta0);
  cdn_stepper *stepper = stepper_of(state, accuracy);
  for (int i = 1; i <= 25; i++) {
    double t = 0.1 * i * period, theta, rate;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    pendulum_truth(theta0, t, &theta, &rate);
    const cdn_state *now = cdn_stepper_state(stepper);
    worst = fmax(worst, fabs(cdn_state_q(now)[0] - theta));
    worst = fmax(worst, fabs(cdn_state_u(now)[0] - rate));
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return worst;
}

START_TEST(test_position_by_jacobi_functions) {
  /* Energy errors change the period, so the phase drifts, and the rate with it by up to w^2 = 10 times as much: in 2.5
   * periods that is of the order of alpha for small swings and grows with the swing and towards the top. */
  static const struct { double degrees, factor; } cases[] = { { 10, 5 }, { 60, 30 }, { 90, 60 }, { 150, 150 } };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double theta0 = cases[i].degrees * PI / 180;
    check_convergence("pendulum", follow, &theta0, cases[i].factor, 1e-11, 2e-12);
  }
}
END_TEST

/* The bob passes the bottom after a quarter of a period; how far from it in time it is then. */
static double period_error(double accuracy, const void *what) {
  const double *angle_and_period = what;
  cdn_state *state = simple_pendulum(angle_and_period[0] * PI / 180);
  cdn_stepper *stepper = stepper_of(state, accuracy);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1.25 * angle_and_period[1], NULL));
  const cdn_state *now = cdn_stepper_state(stepper);
  double late = cdn_state_q(now)[0] / cdn_state_u(now)[0] / 1.25;
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return fabs(late);
}

START_TEST(test_period) {
  static const double table[][2] = {
    { 1, 2.006104874055713272840510 },   { 10, 2.009892627298600682929900 },  { 30, 2.040989889519130410511201 },
    { 45, 2.086255872614367302045459 },  { 60, 2.152874666880515703408511 },  { 90, 2.367841947576237449303295 },
    { 120, 2.754089828887825676955325 }, { 150, 3.535098186381523473930691 }, { 170, 4.893524274105486164009517 },
    { 179, 7.825796837537682702958256 },
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    double half = table[i][0] * PI / 360;
    /* the time lost or won in a quarter of a period; a slow start near the top multiplies errors by 1 / cos^2 */
    double top = 1 / (cos(half) * cos(half));
    check_convergence("period", period_error, table[i], 2 * top, 1e-10, 1e-13 * (top + 1 / half));
  }
}
END_TEST

/* From rest at 90 degrees, a long run: 25-digit mpmath values. */
static double long_run(double accuracy, const void *what) {
  static const double rows[][3] = {
    { 0.1, 1.521750259972353927871715, -0.9807640282750176608661271 },
    { 0.5, 0.4017708498080833418612386, -4.249430361256137944592502 },
    { 1, -1.405027311524799145958417, -1.799309016907078618812757 },
    { 5, 1.229451811485385559277756, -2.562787568192629460078060 },
    { 10, 0.2786806735699829484347667, -4.343160692864683053285272 },
    { 20, -1.492127125867080795279327, -1.241731913691167154398483 },
    { 100, 0.1825251484957908510583111, -4.392502929327902934537590 },
  };
  (void)what;
  cdn_state *state = simple_pendulum(PI / 2);
  cdn_stepper *stepper = stepper_of(state, accuracy);
  double worst = 0;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, rows[i][0], NULL));
    const cdn_state *now = cdn_stepper_state(stepper);
    /* per second of simulated time: the phase error of a dissipating method grows faster than linearly */
    worst = fmax(worst, fabs(cdn_state_q(now)[0] - rows[i][1]) / fmax(1, rows[i][0]));
    worst = fmax(worst, fabs(cdn_state_u(now)[0] - rows[i][2]) / fmax(1, rows[i][0]));
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return worst;
}

START_TEST(test_a_hundred_seconds) { check_convergence("hundred seconds", long_run, NULL, 60, 1e-10, 1e-12); }
END_TEST

START_TEST(test_compound_pendulum) {
  /* a uniform thin rod of 1 m on a pin at its end, released at 60 degrees */
  const double period = 1.757814804673858214144552, theta0 = PI / 3;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body rod = add_pin(system, "rod", cdn_ground(), cdn_v3(0, 0, 1), cdn_v3(0, 0, 0),
                         solid(1, cdn_v3(0, -0.5, 0), 1.0 / 12, 0, 1.0 / 12));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -G, 0));
  cdn_state *state = state_of(system);
  OK(cdn_body_set_q(state, rod, 1, &theta0));
  cdn_stepper *stepper = stepper_of(state, 1e-10);
  OK_STEP(stepper, cdn_stepper_advance(stepper, period, NULL));
  NEAR(cdn_state_q(cdn_stepper_state(stepper))[0], theta0, 1e-8);
  NEAR(cdn_state_u(cdn_stepper_state(stepper))[0], 0, 1e-8);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* A point mass on a universal joint (a massless frame between two pins): a spherical pendulum of length 1. */
static cdn_state *spherical_pendulum(cdn_vec3 position, cdn_vec3 velocity, cdn_body *bob) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_mass_properties nothing = point_mass(0, cdn_v3(0, 0, 0));
  cdn_body cross = add_pin(system, "cross", cdn_ground(), cdn_v3(1, 0, 0), cdn_v3(0, 0, 0), nothing);
  *bob = add_pin(system, "bob", cross, cdn_v3(0, 1, 0), cdn_v3(0, 0, 0), point_mass(1, cdn_v3(0, 0, -1)));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -G));
  cdn_state *state = state_of(system);
  /* p = Rx(a) Ry(b) (0, 0, -1) = (-sin b, sin a cos b, -cos a cos b) */
  double a = atan2(position.y, -position.z), b = asin(-position.x), u[2], q[2] = { a, b };
  u[1] = -velocity.x / cos(b);
  u[0] = (velocity.y * cos(a) + velocity.z * sin(a)) / cos(b);
  OK(cdn_state_set_q(state, q));
  OK(cdn_state_set_u(state, u));
  cdn_vec3 p, v;
  OK_ON(state, cdn_body_station(state, *bob, cdn_v3(0, 0, -1), &p, &v));
  AT_MOST(cdn_norm(cdn_sub(p, position)), 1e-15);
  AT_MOST(cdn_norm(cdn_sub(v, velocity)), 1e-15);
  return state;
}

static double conical(double accuracy, const void *what) {
  const double omega = 3.365651836049067256472320, tilt = PI / 6;
  double worst = 0;
  (void)what;
  cdn_body bob;
  cdn_state *state = spherical_pendulum(cdn_v3(sin(tilt), 0, -cos(tilt)), cdn_v3(0, omega * sin(tilt), 0), &bob);
  cdn_stepper *stepper = stepper_of(state, accuracy);
  for (int i = 1; i <= 10; i++) {
    double t = 0.37 * i;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    cdn_vec3 p, truth = cdn_v3(sin(tilt) * cos(omega * t), sin(tilt) * sin(omega * t), -cos(tilt));
    OK(cdn_body_station(cdn_stepper_state(stepper), bob, cdn_v3(0, 0, -1), &p, NULL));
    worst = fmax(worst, cdn_norm(cdn_sub(p, truth)));
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return worst;
}

START_TEST(test_conical_pendulum) { check_convergence("conical pendulum", conical, NULL, 4, 1e-11, 1e-12); }
END_TEST

/* Polar angle 60 degrees, horizontal speed 1 m/s: heights swing between two bounds with a known period, while the
 * azimuth advances by a known angle (elliptic integrals of the first and third kind, 25 digits). */
static double swing(double accuracy, const void *what) {
  const double low = -0.9620203544430540504129100, high = -0.5, period = 1.077699032280755447129125;
  const double azimuth = 3.535150288823496480262692;
  (void)what;
  cdn_body bob;
  cdn_state *state = spherical_pendulum(cdn_v3(sqrt(0.75), 0, -0.5), cdn_v3(0, 1, 0), &bob);
  cdn_stepper *stepper = stepper_of(state, accuracy);
  cdn_vec3 p, v;
  OK_STEP(stepper, cdn_stepper_advance(stepper, period / 2, NULL));
  OK(cdn_body_station(cdn_stepper_state(stepper), bob, cdn_v3(0, 0, -1), &p, &v));
  double worst = fmax(fabs(p.z - low), fabs(v.z));
  OK_STEP(stepper, cdn_stepper_advance(stepper, period, NULL));
  OK(cdn_body_station(cdn_stepper_state(stepper), bob, cdn_v3(0, 0, -1), &p, &v));
  worst = fmax(worst, fmax(fabs(p.z - high), fabs(v.z)));
  worst = fmax(worst, fabs(p.x - sqrt(0.75) * cos(azimuth)));
  worst = fmax(worst, fabs(p.y - sqrt(0.75) * sin(azimuth)));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return worst;
}

START_TEST(test_spherical_pendulum) { check_convergence("spherical pendulum", swing, NULL, 4, 1e-11, 1e-12); }
END_TEST

CHECK_MAIN("pendulum", test_position_by_jacobi_functions, test_period, test_a_hundred_seconds, test_compound_pendulum,
           test_conical_pendulum, test_spherical_pendulum)
