/* Runs that get nowhere end within seconds, with cause and cure; runs that are merely slow go on. */
#include "ode.h"

/* A link of some inertia on a pin with a damper and a spring, and beside it a pendulum of length 0.5, let go at a right
 * angle. The link turns at 1 rad/s. */
static cdn_state *link_and_pendulum(double inertia, double damping, double stiffness) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdn_body_def def = cdn_default_body_def();
  double angle = PI / 2, one = 1;
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  def.mobilizer = CDN_PIN;
  if (inertia > 0) {
    def.name = "vane", def.mobilizer_name = "hinge", def.u0 = &one;
    def.mass = (cdn_mass_properties){ .mass = 1e-3, .inertia = { .xx = inertia, .yy = inertia, .zz = inertia } };
    cdn_body vane = cdn_system_add_body(system, &def);
    if (damping > 0) cdn_system_add_mobility_damper(system, "grease", vane, 0, damping);
    if (stiffness > 0) cdn_system_add_mobility_spring(system, "coil", vane, 0, stiffness, 0);
  }
  def.name = "bob", def.mobilizer_name = "pivot", def.u0 = NULL, def.q0 = &angle;
  def.mass = (cdn_mass_properties){ .mass = 1, .com = { 0, -0.5, 0 }, .inertia = { .xx = 1, .yy = 1, .zz = 0.25 } };
  cdn_system_add_body(system, &def);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

static cdn_failure failed_run(double inertia, double damping, double stiffness, cdn_method method, double until) {
  cdn_state *state = link_and_pendulum(inertia, damping, stiffness);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_failure f;
  def.method = method;
  def.companion = true;
  def.final_time = until;
  cdn_stepper *stepper = ode_stepper(state, &def);
  FAILS(cdn_stepper_advance(stepper, until, NULL), CDN_ERR_STEP);
  cdn_stepper_failure(stepper, &f);

  /* soon: some thousand steps take some hundredths of a second */
  cdn_certificate c = certificate_of(stepper);
  AT_MOST((double)(c.evaluations + c.companion_evaluations), 2e5);
  /* where an evaluation may take ten milliseconds: within fewer than three thousand steps, if the end is that far
   * away */
  if (inertia <= 1e-20 && stiffness == 0) AT_MOST((double)c.steps, 2500);
  /* and no run that ends so has delivered anything */
  ck_assert_int_ne(c.delivered, CDN_VERDICT_DELIVERED);
  char verdict[400];
  cdn_certificate_verdict(&c, verdict, sizeof verdict);
  ck_assert_msg(strstr(verdict, "unknown, as the run failed at t = ") && strstr(verdict, "CDN_ERR_STEP"), "%s",
                verdict);
  ck_assert_msg(strlen(f.error.text) < sizeof f.error.text - 1 && strlen(f.advice) < sizeof f.advice - 1, "%s; %s",
                f.error.text, f.advice);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return f;
}

static void says(const char *text, const char *part) {
  ck_assert_msg(strstr(text, part) != NULL, "no '%s' in: %s", part, text);
}

START_TEST(a_damped_link_without_inertia_is_named) {
  const cdn_method methods[] = { CDN_METHOD_DEFAULT,          CDN_METHOD_MERSON,
                                 CDN_METHOD_DORMAND_PRINCE,   CDN_METHOD_FEHLBERG,
                                 CDN_METHOD_DORMAND_PRINCE_8, CDN_METHOD_BOGACKI_SHAMPINE,
                                 CDN_METHOD_TRAPEZOID,        CDN_METHOD_VERLET };
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    cdn_failure f = failed_run(1e-20, 1, 0, methods[i], 1);
    says(f.error.text, "no progress");
    says(f.error.text, "hinge.u");
    says(f.error.text, "body 'vane'");
    says(f.error.text, "damping of 1 on an inertia of 1e-20");
    says(f.error.text, "1e+20 /s");
    says(f.error.text, "more steps");
    says(f.error.text, "years");
    ck_assert_str_eq(f.error.element, "hinge.u");
    says(f.advice, "body 'vane'");
    says(f.advice, "inertia");
    says(f.advice, "--armature");
    says(f.advice, "less damping");
    /* the step that stays */
    ck_assert_msg(f.error.value > 1e-21 && f.error.value < 1e-18, "%g", f.error.value);
    AT_MOST(f.time, 1e-14);
#ifdef TEST_SUNDIALS
    says(f.advice, "cvode-bdf");
#else
    ck_assert_ptr_null(strstr(f.advice, "cvode"));
#endif
  }
}
END_TEST

/* No implicit method is advised against what does not decay. */
START_TEST(a_spring_on_next_to_no_inertia_is_named) {
  cdn_failure f = failed_run(1e-22, 0, 4, CDN_METHOD_DEFAULT, 10);
  says(f.error.text, "hinge.u");
  says(f.error.text, "stiffness of 4 on an inertia of 1e-22");
  says(f.error.text, "2e+11 rad/s");
  says(f.advice, "less stiffness");
  ck_assert_ptr_null(strstr(f.advice, "cvode"));
  f = failed_run(1e-10, 1, 0, CDN_METHOD_DEFAULT, 1);
  says(f.error.text, "hours at a million a second");
}
END_TEST

/* A millionth of a second is short against a minute, but a run of ten million steps ends. */
START_TEST(slow_runs_go_on) {
  const cdn_method methods[] = { CDN_METHOD_DEFAULT, CDN_METHOD_DORMAND_PRINCE, CDN_METHOD_BOGACKI_SHAMPINE };
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    cdn_state *state = link_and_pendulum(1e-6, 1, 0);
    cdn_stepper_def def = cdn_default_stepper_def();
    def.method = methods[i];
    def.final_time = 60;
    def.max_steps = FEWER(20000);
    cdn_stepper *stepper = ode_stepper(state, &def);
    FAILS(cdn_stepper_advance(stepper, 60, NULL), CDN_ERR_LIMIT);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

/* A point mass on a light pole of length 1, which hangs on a cart; let go where the pole is level. As the cart weighs
 * next to nothing the mass falls freely, and the pole whips round where it hangs down: for a mass ratio r in about r /
 * sqrt(2 g) seconds. */
static cdn_state *whip(double cart_mass) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdn_body_def def = cdn_default_body_def();
  double level = PI / 2;
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  def.mobilizer = CDN_SLIDER;
  def.mass.mass = cart_mass;
  def.parent = cdn_system_add_body(system, &def);
  def.mobilizer = CDN_PIN, def.q0 = &level;
  def.mass = (cdn_mass_properties){ .mass = 1, .com = { 0, -1, 0 } };
  cdn_system_add_body(system, &def);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

static void whips(double cart_mass, double accuracy, cdn_method method) {
  const double g = 9.81, until = 2 * sqrt(2 / g);
  cdn_state *state = whip(cart_mass);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method;
  def.accuracy = accuracy;
  def.final_time = 10; /* most of the steps before this time would be as short as in the whip, if that went on */
  cdn_stepper *stepper = ode_stepper(state, &def);
  OK_STEP(stepper, cdn_stepper_advance(stepper, until, NULL));
  const double *q = cdn_state_q(cdn_stepper_state(stepper)), *u = cdn_state_u(cdn_stepper_state(stepper));
  /* the centre of mass keeps its place along the rail; energy is kept; the mass is back at the rail */
  const double v = u[0] + cos(q[1]) * u[1], w = sin(q[1]) * u[1];
  const double many = 1000 * accuracy + 1e-9;
  NEAR(cart_mass * q[0] + q[0] + sin(q[1]), 1, many);
  NEAR(0.5 * cart_mass * u[0] * u[0] + 0.5 * (v * v + w * w) - g * cos(q[1]), 0, g * many);
  NEAR(cos(q[1]), 0, 100 * sqrt(cart_mass));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}

/* A whip of a microsecond is no stall: steps of 1e-11 s, by the ten thousand, lead through it. */
START_TEST(a_whip_is_no_stall) {
  const cdn_method methods[] = { CDN_METHOD_DEFAULT, CDN_METHOD_DORMAND_PRINCE, CDN_METHOD_DORMAND_PRINCE_8,
                                 CDN_METHOD_FEHLBERG, CDN_METHOD_MERSON };
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    whips(1e-3, 1e-7, methods[i]);
    whips(1e-5, 1e-5, methods[i]);
  }
  for (double accuracy = 1e-3; accuracy > (SANITIZED ? 1e-6 : 1e-12); accuracy *= 1e-2)
    whips(1e-5, accuracy, CDN_METHOD_DEFAULT);
  whips(1e-6, 6e-8, CDN_METHOD_DEFAULT);
  whips(1e-6, 1e-11, CDN_METHOD_DEFAULT);
  whips(1e-5, 1e-3, CDN_METHOD_VERLET);
#ifdef TEST_SUNDIALS
  whips(1e-5, 1e-9, CDN_METHOD_CVODE_BDF);
  whips(1e-5, 1e-5, CDN_METHOD_CVODE_ADAMS);
  whips(1e-5, 1e-7, CDN_METHOD_IDA);
#endif
}
END_TEST

/* A millisecond is no way at all, even in steps of 1e-12 s. */
START_TEST(the_way_that_is_left_counts) {
  cdn_state *state = link_and_pendulum(1e-12, 1, 0);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper = ode_stepper(state, &def);
  for (int i = 1; i <= 10; i++) OK_STEP(stepper, cdn_stepper_advance(stepper, 1e-9 * i, NULL));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

#ifdef TEST_SUNDIALS
/* What the advice promises: the pendulum swings as if the link were not there. */
START_TEST(implicit_methods_step_over_it) {
  const double until = 3;
  cdn_state *alone = link_and_pendulum(0, 0, 0);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-10;
  cdn_stepper *truth = ode_stepper(alone, &def);
  OK_STEP(truth, cdn_stepper_advance(truth, until, NULL));
  double q = cdn_state_q(cdn_stepper_state(truth))[0], u = cdn_state_u(cdn_stepper_state(truth))[0];
  for (int method = CDN_METHOD_CVODE_BDF; method <= CDN_METHOD_IDA; method += CDN_METHOD_IDA - CDN_METHOD_CVODE_BDF) {
    cdn_state *state = link_and_pendulum(1e-20, 1, 0);
    def = cdn_default_stepper_def();
    def.method = (cdn_method)method;
    def.final_time = until;
    def.companion = true;
    cdn_stepper *stepper = ode_stepper(state, &def);
    OK_STEP(stepper, cdn_stepper_advance(stepper, until, NULL));
    NEAR(cdn_state_q(cdn_stepper_state(stepper))[1], q, 10 * def.accuracy);
    NEAR(cdn_state_u(cdn_stepper_state(stepper))[1], u, 10 * def.accuracy * fmax(1, fabs(u)));
    AT_MOST((double)certificate_of(stepper).steps, 3000);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
  cdn_stepper_destroy(truth);
  cdn_state_destroy(alone);
}
END_TEST
#endif

/* ---- failures of other kinds ---- */

static cdn_status explode(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state, (void)t;
  zdot[0] = z[0] * z[0];
  return CDN_OK;
}

static cdn_status stiff_in_z(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state, (void)t;
  zdot[0] = -1e18 * z[0];
  return CDN_OK;
}

/* Without bodies there is no inertia to name. */
START_TEST(rates_of_z_that_are_fast) {
  cdn_state *state = ode_state(&(ode){ .n = 1, .z0 = { 1 }, .rates = stiff_in_z }, NULL);
  cdn_stepper *stepper = ode_stepper(state, NULL);
  cdn_failure f;
  FAILS(cdn_stepper_advance(stepper, 1, NULL), CDN_ERR_STEP);
  cdn_stepper_failure(stepper, &f);
  says(f.error.text, "no progress");
  says(f.advice, "stiff");
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* What reports advise is there. */
START_TEST(methods_are_there_or_refused) {
  cdn_state *state = ode_state(&(ode){ .n = 1, .z0 = { 1 }, .rates = stiff_in_z }, NULL);
  ck_assert_ptr_null(cdn_method_name((cdn_method)ALL_METHODS)); /* loops of tests have every one */
  for (int m = 0; m < ALL_METHODS; m++) {
    cdn_stepper_def def = cdn_default_stepper_def();
    cdn_stepper *stepper = NULL;
    const bool there = take_method(&def, m, 0.1);
    ck_assert(there == (HAS_SUNDIALS || m < CDN_METHOD_CVODE_BDF || m > CDN_METHOD_IDA));
    FAILS(cdn_stepper_create(state, &def, &stepper), there ? CDN_OK : CDN_ERR_UNSUPPORTED);
    cdn_stepper_destroy(stepper);
  }
  ck_assert(!cdn_method_is_available((cdn_method)-1) && !cdn_method_is_available((cdn_method)1000));
  cdn_state_destroy(state);
}
END_TEST

/* A run that has failed has not delivered, whatever the distance was up to there; one that goes on from elsewhere may
 * again. */
START_TEST(a_run_that_fails_does_not_deliver) {
  cdn_state *state = ode_state(&(ode){ .n = 1, .z0 = { 1 }, .rates = explode }, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.companion = true;
  cdn_stepper *stepper = ode_stepper(state, &def);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.5, NULL));
  ck_assert_int_eq(certificate_of(stepper).delivered, CDN_VERDICT_DELIVERED);
  ck_assert_str_eq(certificate_of(stepper).failure_message, "");
  FAILS(cdn_stepper_advance(stepper, 2, NULL), CDN_ERR_STEP);
  cdn_certificate c = certificate_of(stepper);
  ck_assert_int_ne(c.delivered, CDN_VERDICT_DELIVERED);
  says(c.failure_message, "the run failed at t = 1");
  says(c.failure_message, "CDN_ERR_STEP");
  /* a mistake of the caller's is no failure of the run */
  OK_STEP(stepper, cdn_stepper_restart(stepper, state));
  FAILS(cdn_stepper_advance(stepper, -1, NULL), CDN_ERR_ARG);
  ck_assert_str_eq(certificate_of(stepper).failure_message, "");
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

#ifdef TEST_SUNDIALS
CHECK_MAIN("progress", a_damped_link_without_inertia_is_named, a_spring_on_next_to_no_inertia_is_named, slow_runs_go_on,
           a_whip_is_no_stall, the_way_that_is_left_counts, implicit_methods_step_over_it, rates_of_z_that_are_fast,
           methods_are_there_or_refused, a_run_that_fails_does_not_deliver)
#else
CHECK_MAIN("progress", a_damped_link_without_inertia_is_named, a_spring_on_next_to_no_inertia_is_named, slow_runs_go_on,
           a_whip_is_no_stall, the_way_that_is_left_counts, rates_of_z_that_are_fast, methods_are_there_or_refused,
           a_run_that_fails_does_not_deliver)
#endif
