/* Drives that a program adds: moments are gradients of lengths; activations and their limits in closed form; bounds of
 * sums; controls from forces; what is refused. */
#include <math.h>
#include <stdio.h>

#include <cardan/actuators.h>
#include <cardan/derivatives.h>
#include <cardan/measures.h>
#include <cardan/model.h>
#include <cardan/mobilizers.h>
#include <cardan/stepper.h>

#include "../testing.h"

static uint64_t seed;
static double draw(double size) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return size * ((double)(seed >> 11) / 4503599627370496.0 - 1);
}

static const char ARM[] =
    "<mujoco><compiler angle='radian'/><worldbody><body name='base' pos='0 0 1'><freejoint name='root'/>"
    "<inertial pos='.1 0 0' mass='3' diaginertia='.3 .4 .5'/><site name='o' pos='.1 .2 -.3' euler='.4 0 .7'/>"
    "<body name='arm' pos='.3 0 0'><joint name='shoulder' type='ball'/><inertial pos='0 0 .1' mass='1' "
    "diaginertia='.1 .2 .15'/><site name='a' pos='.1 .2 .1' euler='.3 .2 .1'/>"
    "<body name='rod' pos='0 0 .4'><joint name='elbow' axis='0 1 1'/><joint name='piston' type='slide' axis='1 0 0'/>"
    "<inertial pos='0 0 .1' mass='1' diaginertia='.1 .1 .15'/><geom name='drum' type='cylinder' size='.05 .1' "
    "pos='0 0 -.2' mass='.1'/><site name='b' pos='.2 0 .3' euler='1 0 .5'/></body></body></body>"
    "<site name='w' pos='1 2 3'/></worldbody><tendon><fixed name='cord'><joint joint='elbow' coef='2'/><joint "
    "joint='piston' coef='-.5'/></fixed><spatial name='rope'><site site='o'/><site site='a'/><geom geom='drum'/><site "
    "site='b'/><site site='w'/></spatial></tendon><actuator>"
    "<motor name='m0' joint='elbow' gear='-3'/><position name='m1' joint='shoulder' gear='.5 1 -.3'/>"
    "<motor name='m2' tendon='cord' gear='2'/><motor name='m3' tendon='rope' gear='.7'/>"
    "<motor name='m4' site='b' refsite='o' gear='.4 .5 .6 0 0 0'/><motor name='m5' site='b' refsite='w' gear='.1 .2 "
    ".3 0 0 0'/><motor name='m6' cranksite='b' slidersite='o' cranklength='3'/>"
    "<motor name='m7' site='a' gear='1 2 3 4 5 6'/><motor name='m8' joint='root' gear='1 2 3 4 5 6'/></actuator></mujoco>";
enum { ARM_NQ = 13, ARM_NU = 11, WITH_LENGTH = 7, BALL = 1, ACTUATORS = 9 };

typedef struct rig {
  cdn_model *model;
  cdn_state *state;
  cdn_force force[ACTUATORS];
} rig;

static rig start(void) {
  rig r = { .model = NULL };
  OK(cdn_model_load_string(ARM, strlen(ARM), "arm", NULL, &r.model));
  OK(cdn_state_create(cdn_model_system(r.model), &r.state));
  for (int i = 0; i < ACTUATORS; i++) {
    cdn_model_actuator a;
    OK(cdn_model_get_actuator(r.model, i, &a));
    r.force[i] = a.force;
  }
  return r;
}
static void stop(rig *r) {
  cdn_state_destroy(r->state);
  cdn_model_destroy(r->model);
}

static void place(rig *r) {
  double q[ARM_NQ], u[ARM_NU];
  for (int i = 0; i < ARM_NQ; i++) q[i] = draw(0.8);
  for (int i = 0; i < ARM_NU; i++) u[i] = draw(1);
  q[0] = q[7] = 1.2;
  for (int first = 0; first <= 7; first += 7) {
    double size = 0;
    for (int k = 0; k < 4; k++) size += q[first + k] * q[first + k];
    for (int k = 0; k < 4; k++) q[first + k] /= sqrt(size);
  }
  OK_ON(r->state, cdn_state_set_q(r->state, q));
  OK_ON(r->state, cdn_state_set_u(r->state, u));
}

/* Of each transmission that has a length: along each speed the length changes by the moment. (A rotation vector, as
 * MuJoCo takes it for the length of a ball, changes otherwise than its axes turn.) */
START_TEST(moments_are_gradients_of_lengths) {
  rig r = start();
  seed = 3;
  for (int round = 0; round < 20; round++) {
    double q[ARM_NQ], u[ARM_NU], moved[ARM_NQ], moments[WITH_LENGTH][ARM_NU];
    place(&r);
    memcpy(q, cdn_state_q(r.state), sizeof q);
    memcpy(u, cdn_state_u(r.state), sizeof u);
    for (int i = 0; i < WITH_LENGTH; i++) {
      double rate, sum = 0;
      OK_ON(r.state, cdn_actuator_moments(r.state, r.force[i], moments[i]));
      OK_ON(r.state, cdn_actuator_rate(r.state, r.force[i], &rate));
      for (int k = 0; k < ARM_NU; k++) sum += moments[i][k] * u[k];
      NEAR(rate, sum, 1e-12);
    }
    for (int k = 0; k < ARM_NU; k++) {
      const double h = 1e-5;
      double rates[ARM_NQ], length[WITH_LENGTH][2];
      double one[ARM_NU] = { 0 };
      one[k] = 1;
      OK_ON(r.state, cdn_state_set_q(r.state, q));
      OK_ON(r.state, cdn_state_set_u(r.state, one));
      OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_VELOCITY));
      memcpy(rates, cdn_state_qdot(r.state), sizeof rates);
      for (int side = 0; side < 2; side++) {
        for (int j = 0; j < ARM_NQ; j++) moved[j] = q[j] + (side ? h : -h) * rates[j];
        OK_ON(r.state, cdn_state_set_q(r.state, moved));
        for (int i = 0; i < WITH_LENGTH; i++)
          OK_ON(r.state, cdn_actuator_length(r.state, r.force[i], &length[i][side]));
      }
      for (int i = 0; i < WITH_LENGTH; i++)
        ck_assert_msg(i == BALL || fabs((length[i][1] - length[i][0]) / (2 * h) - moments[i][k]) < 2e-8,
                      "m%d by %d: %g, moment %g", i, k, (length[i][1] - length[i][0]) / (2 * h), moments[i][k]);
    }
  }
  stop(&r);
}
END_TEST

/* ---- controls from forces ---- */

START_TEST(controls_are_found_again) {
  rig r = start();
  seed = 5;
  for (int round = 0; round < 40; round++) {
    double wanted[ARM_NU] = { 0 }, moments[ARM_NU], signals[ACTUATORS], lower[ACTUATORS], upper[ACTUATORS], residual;
    place(&r);
    for (int i = 0; i < ACTUATORS; i++) {
      cdn_model_actuator a;
      double p;
      OK(cdn_model_get_actuator(r.model, i, &a));
      OK_ON(r.state, cdn_control_set(r.state, a.control, draw(1)));
      OK_ON(r.state, cdn_actuator_force(r.state, a.force, &p));
      OK_ON(r.state, cdn_actuator_moments(r.state, a.force, moments));
      for (int k = 0; k < ARM_NU; k++) wanted[k] += p * moments[k];
      lower[i] = -1, upper[i] = 1;
    }
    /* nine actuators on eleven mobilities */
    OK_ON(r.state, cdn_actuator_find_controls(r.state, ACTUATORS, r.force, wanted, lower, upper, signals, &residual));
    ck_assert_msg(residual < 1e-6, "%g", residual);
    /* what is out of reach: nothing within the limits is nearer */
    for (int i = 0; i < ACTUATORS; i++) upper[i] = 0.3;
    OK_ON(r.state, cdn_actuator_find_controls(r.state, ACTUATORS, r.force, wanted, lower, upper, signals, &residual));
    for (int attempt = 0; attempt < 100; attempt++) {
      double miss[ARM_NU], sum = 0;
      memcpy(miss, wanted, sizeof miss);
      for (int i = 0; i < ACTUATORS; i++) {
        cdn_model_actuator a;
        double p;
        ck_assert(signals[i] >= lower[i] && signals[i] <= upper[i]);
        const double near = fmin(fmax(signals[i] + draw(attempt ? 0.1 : 0), lower[i]), upper[i]);
        OK(cdn_model_get_actuator(r.model, i, &a));
        OK_ON(r.state, cdn_control_set(r.state, a.control, near));
        OK_ON(r.state, cdn_actuator_force(r.state, a.force, &p));
        OK_ON(r.state, cdn_actuator_moments(r.state, a.force, moments));
        for (int k = 0; k < ARM_NU; k++) miss[k] -= p * moments[k];
      }
      for (int k = 0; k < ARM_NU; k++) sum += miss[k] * miss[k];
      if (attempt == 0) NEAR(sqrt(sum), residual, 1e-9 * (1 + residual));
      ck_assert_msg(sqrt(sum) >= residual * (1 - 1e-9) - 1e-8, "%.17g is nearer than %.17g", sqrt(sum), residual);
    }
  }
  stop(&r);
}
END_TEST

/* A body on a pin, in a System that refuses reads that are not declared. */
static cdn_system *start_shin(cdn_body *shin) {
  cdn_system_def audited = cdn_default_system_def();
  cdn_body_def body = cdn_default_body_def();
  audited.audit = true;
  cdn_system *system = cdn_system_create(&audited);
  body.name = "shin", body.mobilizer = CDN_PIN, body.mass.mass = 1;
  body.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  *shin = cdn_system_add_body(system, &body);
  return system;
}

/* Two muscles that pull against each other share nothing: the smaller signals are told. */
START_TEST(of_equal_solutions_the_smaller_is_told) {
  cdn_body shin;
  cdn_system *system = start_shin(&shin);
  cdn_force forces[2];
  for (int i = 0; i < 2; i++) {
    cdn_control_def control = cdn_default_control_def();
    cdn_drive_def def = cdn_default_drive_def();
    control.name = i ? "flexor" : "extensor", control.lower = 0, control.upper = 1;
    def.control = cdn_system_add_control(system, &control);
    def.body = shin, def.gear[0] = i ? -0.05 : 0.05, def.gain[0] = -1000;
    forces[i] = cdn_system_add_drive(system, control.name, &def);
  }
  cdn_state *state;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  double signals[2], residual;
  OK_ON(state, cdn_actuator_find_controls(state, 2, forces, (double[]){ 20 }, NULL, NULL, signals, &residual));
  NEAR(signals[0], 0, 1e-12);
  NEAR(signals[1], 0.4, 1e-8);
  OK_ON(state, cdn_actuator_find_controls(state, 2, forces, (double[]){ -80 }, NULL, NULL, signals, &residual));
  ck_assert(signals[0] == 1 && fabs(signals[1]) < 1e-12);
  NEAR(residual, 30, 1e-6);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* ---- activations ---- */

typedef struct driven {
  cdn_system *system;
  cdn_state *state;
  cdn_force force;
  cdn_stepper *stepper;
} driven;

/* The control follows c0 + c1 t. */
static driven drive_with(cdn_drive_def def, double c0, double c1, double a0) {
  driven d = { .system = start_shin(&def.body) };
  cdn_control_def control = cdn_default_control_def();
  control.name = "c";
  def.control = cdn_system_add_control(d.system, &control);
  cdn_function *f = cdn_function_polynomial(2, (const double[]){ c1, c0 });
  cdn_control_follow_function(d.system, def.control, f);
  cdn_function_release(f);
  d.force = cdn_system_add_drive(d.system, "drive", &def);
  OK_FREEZE(d.system);
  OK(cdn_state_create(d.system, &d.state));
  OK_ON(d.state, cdn_state_set_zvar(d.state, cdn_actuator_activation(d.system, d.force), &a0));
  cdn_stepper_def run = cdn_default_stepper_def();
  run.accuracy = 1e-9;
  OK_ON(d.state, cdn_stepper_create(d.state, &run, &d.stepper));
  return d;
}
static double signal_at(driven *d, double t) {
  double a;
  OK_STEP(d->stepper, cdn_stepper_advance(d->stepper, t, NULL));
  cdn_state *state = cdn_stepper_state(d->stepper);
  OK_ON(state, cdn_actuator_signal(state, d->force, &a));
  return a;
}
static void drop(driven *d) {
  cdn_certificate certificate;
  OK(cdn_stepper_certificate(d->stepper, &certificate));
  ck_assert_int_lt(certificate.steps, 400);
  cdn_stepper_destroy(d->stepper);
  cdn_state_destroy(d->state);
  cdn_system_release(d->system);
}

/* c = 1 - t: a rises as t - t^2 / 2 to its limit, rests there until c turns, and falls from there. */
START_TEST(a_limit_holds_an_activation) {
  cdn_drive_def def = cdn_default_drive_def();
  def.dynamics = CDN_ACTUATOR_INTEGRATOR, def.activation_upper = 0.3, def.activation_lower = -0.1;
  driven d = drive_with(def, 1, -1, 0);
  NEAR(signal_at(&d, 0.2), 0.18, 1e-9);
  NEAR(signal_at(&d, 0.9), 0.3, 1e-9);
  NEAR(signal_at(&d, 1.5), 0.3 - 0.125, 1e-8);
  NEAR(signal_at(&d, 3), -0.1, 1e-8);
  drop(&d);
}
END_TEST

/* At a constant control a muscle's activation has t as a function of a. */
static double time_to(const double time[3], double c, double a0, double a) {
  if (c > a0) return time[0] * (-1.5 * (a - a0) - (0.5 + 1.5 * c) * log((c - a) / (c - a0)));
  /* (0.5 + 1.5 a) da / (c - a) with 1 / (0.5 + 1.5 a) in its place */
  const double k = 1 / (0.5 + 1.5 * c);
  return time[1] * k * (log((a0 - c) / (a - c)) + log((0.5 + 1.5 * a) / (0.5 + 1.5 * a0)));
}

START_TEST(a_muscle_is_excited_as_millard_says) {
  const double cases[][2] = { { 0.9, 0.1 }, { 0.2, 0.8 } };
  for (int i = 0; i < 2; i++) {
    cdn_drive_def def = cdn_default_drive_def();
    def.dynamics = CDN_ACTUATOR_MUSCLE, def.time[0] = 0.02, def.time[1] = 0.05;
    driven d = drive_with(def, cases[i][0], 0, cases[i][1]);
    for (int k = 1; k <= 5; k++) {
      const double a = signal_at(&d, 0.01 * k);
      NEAR(time_to(def.time, cases[i][0], cases[i][1], a), 0.01 * k, 1e-7);
    }
    NEAR(signal_at(&d, 5), cases[i][0], 1e-8);
    drop(&d);
  }
}
END_TEST

/* At a constant control an exact filter is the exponential in Euler's steps of any size. */
START_TEST(exact_filters_are_exponentials) {
  static const cdn_method methods[] = { CDN_METHOD_MUJOCO_EULER, CDN_METHOD_MUJOCO_IMPLICIT, CDN_METHOD_MUJOCO_RK4 };
  const double h = 0.02, T = 0.05;
  for (int i = 0; i < 6; i++) {
    const bool exact = i < 3;
    const cdn_method method = methods[i % 3];
    cdn_body shin;
    cdn_system *system = start_shin(&shin);
    cdn_control_def control = cdn_default_control_def();
    cdn_drive_def def = cdn_default_drive_def();
    control.name = "c", control.initial = 0.8;
    def.control = cdn_system_add_control(system, &control);
    def.body = shin, def.dynamics = CDN_ACTUATOR_FILTER, def.time[0] = T, def.exact_filter = exact;
    const cdn_force force = cdn_system_add_drive(system, "servo", &def);
    cdn_state *state;
    cdn_stepper *stepper;
    cdn_stepper_def run = cdn_default_stepper_def();
    double a;
    run.method = method, run.fixed_step = h;
    OK_FREEZE(system);
    OK(cdn_state_create(system, &state));
    OK_ON(state, cdn_stepper_create(state, &run, &stepper));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 10 * h, NULL));
    OK_ON(cdn_stepper_state(stepper), cdn_actuator_signal(cdn_stepper_state(stepper), force, &a));
    /* the part of the way to c that a step goes: Runge-Kutta's own, by its polynomial, or Euler's; MuJoCo multiplies
     * either */
    const double x = h / T, rk4 = x - x * x / 2 + x * x * x / 6 - x * x * x * x / 24;
    const double part = (method == CDN_METHOD_MUJOCO_RK4 ? rk4 : x) * (exact ? (1 - exp(-x)) / x : 1);
    NEAR(a, 0.8 * (1 - pow(1 - part, 10)), 1e-13);
    if (i < 2) {
      double by[9], by_c[3];
      OK_ON(state, cdn_step_derivatives(state, method, h, by, NULL, by_c));
      NEAR(by[8], exp(-h / T), 1e-13);
      NEAR(by_c[2], 1 - exp(-h / T), 1e-13);
    }
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
    cdn_system_release(system);
  }
}
END_TEST

/* A force of the program's that is the cube of a control. */
static cdn_status push_by_cube(const void *self, cdn_state *state, cdn_forces *forces) {
  double c;
  cdn_status status = cdn_control_value(state, *(const cdn_control *)self, &c);
  if (status == CDN_OK) cdn_forces_add_mobility(forces, (cdn_body){ 1 }, 0, c * c * c);
  return status;
}
static cdn_status tell_slope(const void *self, cdn_state *state, cdn_control control, cdn_forces *derivative) {
  double c;
  (void)self;
  cdn_status status = cdn_control_value(state, control, &c);
  if (status == CDN_OK) cdn_forces_add_mobility(derivative, (cdn_body){ 1 }, 0, 3 * c * c);
  return status;
}

START_TEST(forces_tell_how_controls_move_them) {
  for (int i = 0; i < 2; i++) {
    cdn_body shin;
    cdn_system *system = start_shin(&shin);
    cdn_control_def def = cdn_default_control_def();
    def.name = "c", def.initial = 0.8;
    const cdn_control control = cdn_system_add_control(system, &def);
    const cdn_ticket reads = cdn_control_ticket(system, control);
    const cdn_force_ops ops = { .subsystem = { .struct_size = sizeof ops.subsystem, .self_size = sizeof control },
                                .struct_size = sizeof ops,
                                .calc_force = push_by_cube,
                                .prerequisites = &reads,
                                .n_prerequisites = 1,
                                .calc_control_derivative = i ? tell_slope : NULL };
    cdn_state *state;
    double by_tau[2], by_c[2];
    cdn_system_add_custom_force(system, &ops, &control);
    OK_FREEZE(system);
    OK(cdn_state_create(system, &state));
    OK_ON(state, cdn_step_derivatives(state, CDN_METHOD_MUJOCO_EULER, 0.02, NULL, by_tau, by_c));
    for (int k = 0; k < 2; k++) NEAR(by_c[k], 3 * 0.8 * 0.8 * by_tau[k], i ? 1e-15 : 1e-9);
    cdn_state_destroy(state);
    cdn_system_release(system);
  }
}
END_TEST

/* The signal is that of the end of a step, where MuJoCo's actearly asks for it; derivatives know of it. */
START_TEST(signals_may_be_early) {
  static const char format[] =
      "<mujoco><option timestep='.02'/><worldbody><body><joint name='j'/><inertial pos='0 0 0' mass='1' "
      "diaginertia='1 1 1'/></body></worldbody><actuator><general name='a' joint='j' gainprm='3' dyntype='%s' "
      "dynprm='.05 .1' actrange='-1 1' actearly='true'/></actuator></mujoco>";
  static const char *const kinds[] = { "filter", "filterexact", "integrator", "muscle" };
  const double h = 0.02, T = 0.05, z = 0.3, c = 0.8, tau = T * (0.5 + 1.5 * z);
  const double signals[] = { z + h * (c - z) / T, z + (1 - exp(-h / T)) * (c - z), z + h * c, z + h * (c - z) / tau };
  const double slopes[] = { 1 - h / T, exp(-h / T), 1, 1 - h / tau - h * (c - z) * 1.5 * T / (tau * tau) };
  for (int i = 0; i < 4; i++) {
    char text[1000];
    cdn_model *m;
    cdn_model_actuator a;
    cdn_state *state;
    double signal, p, by_z;
    snprintf(text, sizeof text, format, kinds[i]);
    OK(cdn_model_load_string(text, strlen(text), "early", NULL, &m));
    ck_assert_int_eq(cdn_model_not_understood_count(m), 0);
    OK(cdn_model_get_actuator(m, 0, &a));
    OK(cdn_state_create(cdn_model_system(m), &state));
    OK_ON(state, cdn_control_set(state, a.control, c));
    OK_ON(state, cdn_state_set_zvar(state, a.activation, &z));
    OK_ON(state, cdn_actuator_signal(state, a.force, &signal));
    OK_ON(state, cdn_actuator_force(state, a.force, &p));
    NEAR(signal, signals[i], 1e-15);
    NEAR(p, 3 * signals[i], 1e-14);
    OK_ON(state, cdn_forward_dynamics_derivatives(state, NULL, NULL, NULL, &by_z));
    NEAR(by_z, 3 * slopes[i], 1e-13);
    /* not beyond the limit */
    OK_ON(state, cdn_state_set_zvar(state, a.activation, (double[]){ 0.9999 }));
    OK_ON(state, cdn_control_set(state, a.control, 50));
    OK_ON(state, cdn_actuator_signal(state, a.force, &signal));
    ck_assert(signal <= 1);
    cdn_state_destroy(state);
    cdn_model_destroy(m);
  }
}
END_TEST

/* A control that follows a measure varies with the State: derivatives are those of differences. */
START_TEST(feedback_is_part_of_derivatives) {
  for (int filtered = 0; filtered < 2; filtered++) {
    cdn_body shin;
    cdn_system *system = start_shin(&shin);
    cdn_control_def control = cdn_default_control_def();
    cdn_drive_def def = cdn_default_drive_def();
    control.name = "c";
    def.control = cdn_system_add_control(system, &control);
    cdn_control_follow_measure(system, def.control, cdn_system_add_coordinate_measure(system, "angle", shin, CDN_Q, 0),
                               0);
    def.body = shin, def.gain[0] = -7, def.bias[2] = -0.3;
    if (filtered) def.dynamics = CDN_ACTUATOR_FILTER, def.time[0] = 0.2;
    const cdn_force force = cdn_system_add_drive(system, "servo", &def);
    cdn_state *state;
    double a = 0.4, by_q, by_u, by_z, zdot_by_q, zdot_by_z;
    OK_FREEZE(system);
    OK(cdn_state_create(system, &state));
    OK_ON(state, cdn_state_set_q(state, (double[]){ 0.3 }));
    if (filtered) OK_ON(state, cdn_state_set_zvar(state, cdn_actuator_activation(system, force), &a));
    OK_ON(state, cdn_forward_dynamics_derivatives(state, &by_q, &by_u, NULL, filtered ? &by_z : NULL));
    NEAR(by_q, filtered ? 0 : -7, 1e-7);
    NEAR(by_u, -0.3, 1e-7);
    if (filtered) {
      NEAR(by_z, -7, 1e-7);
      OK_ON(state, cdn_calc_zdot_derivatives(state, &zdot_by_q, NULL, &zdot_by_z));
      NEAR(zdot_by_q, 5, 1e-7);
      NEAR(zdot_by_z, -5, 1e-7);
    }
    cdn_state_destroy(state);
    cdn_system_release(system);
  }
}
END_TEST

/* ---- laws of users with slopes ---- */

/* rate = c - a^3, gain = 2 + sin l + 0.3 ldot + a^2, bias = cos(2 l) - 0.1 ldot^2 */
static cdn_status own_rate(void *context, cdn_state *state, const cdn_drive_view *v, double *out) {
  (void)context, (void)state;
  *out = v->c - v->a * v->a * v->a;
  return CDN_OK;
}
static cdn_status own_gain(void *context, cdn_state *state, const cdn_drive_view *v, double *out) {
  (void)context, (void)state;
  *out = 2 + sin(v->length) + 0.3 * v->rate + v->a * v->a;
  return CDN_OK;
}
static cdn_status own_bias(void *context, cdn_state *state, const cdn_drive_view *v, double *out) {
  (void)context, (void)state;
  *out = cos(2 * v->length) - 0.1 * v->rate * v->rate;
  return CDN_OK;
}
static cdn_status own_rate_slopes(void *context, cdn_state *state, const cdn_drive_view *v, cdn_drive_slopes *out) {
  (void)context, (void)state;
  out->by_a = -3 * v->a * v->a;
  return CDN_OK;
}
static cdn_status own_gain_slopes(void *context, cdn_state *state, const cdn_drive_view *v, cdn_drive_slopes *out) {
  (void)context, (void)state;
  out->by_length = cos(v->length), out->by_rate = 0.3, out->by_a = 2 * v->a;
  return CDN_OK;
}
static cdn_status own_bias_slopes(void *context, cdn_state *state, const cdn_drive_view *v, cdn_drive_slopes *out) {
  (void)context, (void)state;
  out->by_length = -2 * sin(2 * v->length), out->by_rate = -0.2 * v->rate;
  return CDN_OK;
}

/* With slopes derivatives are exact to rounding; without, to the error of differences. */
START_TEST(slopes_of_users_make_derivatives_exact) {
  for (int with = 0; with < 2; with++) {
    cdn_body shin;
    cdn_system *system = start_shin(&shin);
    cdn_control_def control = cdn_default_control_def();
    cdn_drive_def def = cdn_default_drive_def();
    control.name = "c", control.initial = 0.3;
    def.control = cdn_system_add_control(system, &control), def.body = shin;
    def.dynamics = CDN_ACTUATOR_USER, def.gain_law = def.bias_law = CDN_LAW_OF_USER;
    def.user = (cdn_drive_user){ NULL, own_rate, own_gain, own_bias };
    if (with) def.rate_slopes = own_rate_slopes, def.gain_slopes = own_gain_slopes, def.bias_slopes = own_bias_slopes;
    const cdn_force force = cdn_system_add_drive(system, "own", &def);
    cdn_state *state;
    const double q = 0.7, u = -0.4, a = 0.6, error = with ? 1e-14 : 1e-7;
    double by_q, by_u, by_z, zdot_by_z;
    OK_FREEZE(system);
    OK(cdn_state_create(system, &state));
    OK_ON(state, cdn_state_set_q(state, &q));
    OK_ON(state, cdn_state_set_u(state, &u));
    OK_ON(state, cdn_state_set_zvar(state, cdn_actuator_activation(system, force), &a));
    OK_ON(state, cdn_forward_dynamics_derivatives(state, &by_q, &by_u, NULL, &by_z));
    OK_ON(state, cdn_calc_zdot_derivatives(state, NULL, NULL, &zdot_by_z));
    NEAR(by_q, cos(q) * a - 2 * sin(2 * q), error);
    NEAR(by_u, 0.3 * a - 0.2 * u, error);
    NEAR(by_z, 2 + sin(q) + 0.3 * u + 3 * a * a, error);
    NEAR(zdot_by_z, -3 * a * a, error);
    cdn_state_destroy(state);
    cdn_system_release(system);
  }
}
END_TEST

/* ---- mistakes ---- */

START_TEST(mistakes_are_named) {
  static const char *const words[] = { "no such control", "no such path",  "no such body", "one coordinate",
                                       "time constant",   "range",         "its rod",      "on one body",
                                       "lower limit",     "does not move", "lmin",         "cdn_default_drive_def" };
  for (int i = 0; i < (int)(sizeof words / sizeof *words); i++) {
    cdn_error error;
    cdn_body shin;
    cdn_system *system = start_shin(&shin);
    cdn_control_def control = cdn_default_control_def();
    cdn_body_def other = cdn_default_body_def();
    other.name = "other", other.mobilizer = CDN_PLANAR, other.mass.mass = 1;
    other.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
    const cdn_body planar = cdn_system_add_body(system, &other);
    cdn_drive_def def = cdn_default_drive_def();
    control.name = "c";
    def.control = cdn_system_add_control(system, &control);
    def.body = shin;
    if (i == 0) def.control.i = 7;
    if (i == 1) def.on = CDN_ON_PATH;
    if (i == 2) def.body.i = 17;
    if (i == 3) def.body = planar;
    if (i == 4) def.dynamics = CDN_ACTUATOR_MUSCLE, def.time[1] = -1;
    if (i == 5) def.gain_law = CDN_LAW_OF_MUSCLE, def.muscle.range[0] = 2;
    if (i == 6) def.on = CDN_ON_CRANK, def.reference = planar;
    if (i == 7) def.on = CDN_ON_CRANK, def.reference = shin, def.rod = 1;
    if (i == 8) def.upper = def.lower = 0;
    if (i == 9) def.on = CDN_ON_FRAME, def.body = cdn_ground();
    if (i == 10) def.bias_law = CDN_LAW_OF_MUSCLE, def.passive.lmin = 3;
    if (i == 11) def.struct_size = 0;
    ck_assert_int_eq(cdn_system_add_drive(system, "biceps", &def).i, -1);
    cdn_system_last_error(system, &error);
    ck_assert_msg(strstr(error.text, words[i]) && strstr(error.text, "biceps"), "%d: %s", i, error.text);
    cdn_system_release(system);
  }
}
END_TEST

START_TEST(what_is_no_actuator_is_refused) {
  rig r = start();
  double number, many[ARM_NU];
  const cdn_force none = { 999 };
  FAILS(cdn_actuator_length(r.state, none, &number), CDN_ERR_ARG);
  FAILS(cdn_actuator_rate(r.state, none, &number), CDN_ERR_ARG);
  FAILS(cdn_actuator_force(r.state, none, &number), CDN_ERR_ARG);
  FAILS(cdn_actuator_signal(r.state, none, &number), CDN_ERR_ARG);
  FAILS(cdn_actuator_moments(r.state, none, many), CDN_ERR_ARG);
  FAILS(cdn_actuator_length(r.state, cdn_system_find_force(cdn_model_system(r.model), "gravity"), &number),
        CDN_ERR_ARG);
  FAILS(cdn_actuator_length(r.state, r.force[0], NULL), CDN_ERR_ARG);
  FAILS(cdn_actuator_find_controls(r.state, 1, &none, many, NULL, NULL, &number, NULL), CDN_ERR_ARG);
  ck_assert_int_eq(cdn_actuator_activation(cdn_model_system(r.model), none).group, -1);
  stop(&r);
}
END_TEST

static void add(TCase *tests) {
  tcase_add_test(tests, a_limit_holds_an_activation);
  tcase_add_test(tests, a_muscle_is_excited_as_millard_says);
  tcase_add_test(tests, exact_filters_are_exponentials);
  tcase_add_test(tests, forces_tell_how_controls_move_them);
  tcase_add_test(tests, signals_may_be_early);
  tcase_add_test(tests, feedback_is_part_of_derivatives);
  tcase_add_test(tests, slopes_of_users_make_derivatives_exact);
  tcase_add_test(tests, mistakes_are_named);
  tcase_add_test(tests, what_is_no_actuator_is_refused);
  tcase_add_test(tests, moments_are_gradients_of_lengths);
  tcase_add_test(tests, controls_are_found_again);
  tcase_add_test(tests, of_equal_solutions_the_smaller_is_told);
}
CHECK_MAIN_OF("drives", 60, add)
