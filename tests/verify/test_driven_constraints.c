/* Constraints that demand motion do work, and the certificate counts it: what a drive puts in is what the energy
 * shows. */
#include <stdio.h>
#include <stdlib.h>

#include "mechanisms.h"
#include "runs.h"

static const cdn_method methods[] = { CDN_METHOD_DEFAULT, CDN_METHOD_MERSON, CDN_METHOD_DORMAND_PRINCE,
                                      CDN_METHOD_ADAMS, CDN_METHOD_CVODE_BDF };
enum { METHODS = HAS_SUNDIALS ? 5 : 4 };
static double finest(cdn_method method) { return method == CDN_METHOD_CVODE_BDF ? 1e-7 : 1e-9; }

/* a sin(w t + p) */
typedef struct wave {
  double a, w, p;
} wave;

static cdn_status calc_wave(const void *self, const double *x, int order, cdn_function_result *out) {
  const wave *c = self;
  const double s = c->a * sin(c->w * x[0] + c->p), k = c->a * c->w * cos(c->w * x[0] + c->p);
  out->value = s;
  if (order >= 1) out->d1[0] = k;
  if (order >= 2) out->d2[0] = -c->w * c->w * s;
  if (order >= 3) out->d3[0] = -c->w * c->w * k;
  return CDN_OK;
}

static void drive_by(cdn_system *system, cdn_body body, wave c) {
  const cdn_function_ops ops = {
    .struct_size = sizeof ops, .name = "wave", .self_size = sizeof c, .n_inputs = 1, .calc = calc_wave
  };
  cdn_function *f = cdn_function_create(&ops, &c);
  cdn_system_constrain_motion(system, "drive", body, 0, f);
  cdn_function_release(f);
}

static cdn_body add_slider(cdn_system *system, cdn_body parent, cdn_mass_properties mass) {
  cdn_body_def def = cdn_default_body_def();
  def.parent = parent;
  def.mobilizer = CDN_SLIDER;
  def.mass = mass;
  return cdn_system_add_body(system, &def);
}

static cdn_certificate run(cdn_state *state, cdn_method method, double accuracy, double t, cdn_stepper **out) {
  cdn_certificate c;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method;
  def.accuracy = accuracy;
  def.final_time = t; /* where the last step ends, to which energy and work belong */
  OK_ON(state, cdn_stepper_create(state, &def, out));
  OK_STEP(*out, cdn_stepper_advance(*out, t, NULL));
  OK_STEP(*out, cdn_stepper_certificate(*out, &c));
  if (getenv("CARDAN_TEST_VERBOSE"))
    printf("%-16s %.0e: %d steps, work %.9g, energy %.9g, residual %.1e\n", cdn_method_name(method), accuracy,
           (int)c.steps, c.work, c.energy_final - c.energy_initial, c.energy_residual);
  AT_MOST(c.max_constraint_error, accuracy / 10);
  AT_MOST(fabs(c.energy_residual), 10 * accuracy);
  return c;
}

/* A pendulum on a trolley that a constraint shakes. */
START_TEST(shaken_trolley) {
  const wave shake = { 0.15, 7, 0.4 };
  for (double accuracy = 1e-3; accuracy > 0.5 * finest(methods[_i]); accuracy /= 10) {
    cdn_system *system = cdn_system_create(NULL);
    const cdn_vec3 o = cdn_v3(0, 0, 0);
    const cdn_body trolley = add_slider(system, cdn_ground(), point_mass(3, o));
    const cdn_body bob = add_pin(system, "bob", trolley, cdn_v3(0, 0, 1), o, point_mass(1, cdn_v3(0, -0.7, 0)));
    cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
    drive_by(system, trolley, shake);
    cdn_state *state = state_of(system);
    const double x = shake.a * sin(shake.p), v = shake.a * shake.w * cos(shake.p), lean = 0.8;
    OK_ON(state, cdn_body_set_q(state, trolley, 1, &x));
    OK_ON(state, cdn_body_set_u(state, trolley, 1, &v));
    OK_ON(state, cdn_body_set_q(state, bob, 1, &lean));
    cdn_stepper *stepper;
    const cdn_certificate c = run(state, methods[_i], accuracy, 3, &stepper);
    ck_assert(fabs(c.work) > 0.1);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

/* A bead on a spoke that turns at a constant speed: r = r0 cosh(w t), and the drive's work is all its energy. */
START_TEST(bead_on_a_turning_spoke) {
  const double w = 1.5, r0 = 0.3, m = 2, t = 2;
  const double r = r0 * cosh(w * t), rdot = r0 * w * sinh(w * t),
               gain = m * (rdot * rdot + w * w * (r * r - r0 * r0)) / 2;
  for (double accuracy = 1e-3; accuracy > 0.5 * finest(methods[_i]); accuracy /= 10) {
    cdn_system *system = cdn_system_create(NULL);
    const cdn_vec3 o = cdn_v3(0, 0, 0);
    const cdn_body spoke = add_pin(system, "spoke", cdn_ground(), cdn_v3(0, 0, 1), o, solid(1, o, 1, 1, 1));
    const cdn_body bead = add_slider(system, spoke, point_mass(m, o));
    const cdn_constraint drive = cdn_system_constrain_speed(system, "drive", spoke, 0, w);
    cdn_state *state = state_of(system);
    OK_ON(state, cdn_body_set_q(state, bead, 1, &r0));
    OK_ON(state, cdn_body_set_u(state, spoke, 1, &w));
    cdn_stepper *stepper;
    const cdn_certificate c = run(state, methods[_i], accuracy, t, &stepper);
    cdn_state *now = cdn_stepper_state(stepper);
    NEAR(*cdn_body_q(now, bead), r, 5 * accuracy);
    NEAR(c.work, gain, 10 * gain * accuracy);
    const double *lambda =
        cdn_state_multipliers(now); /* what it takes from the forces: the Coriolis force asks for it */
    ck_assert_ptr_nonnull(lambda);
    NEAR(lambda[cdn_constraint_get_equations(cdn_state_system(now), drive).row], -2 * m * r * rdot * w,
         10 * 2 * m * r * rdot * w * accuracy);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

/* A crank-rocker whose crank a constraint turns steadily. After a whole turn it is as it was: no work is left, though
 * on the way there was plenty. */
START_TEST(turn_of_a_crank_rocker) {
  const double w = 2 * PI;
  for (double accuracy = 1e-3; accuracy > 0.5 * finest(methods[_i]); accuracy /= 10) {
    cdn_system *system = cdn_system_create(NULL);
    const cdn_vec3 o = cdn_v3(0, 0, 0), z = cdn_v3(0, 0, 1);
    const cdn_body crank = add_pin(system, "crank", cdn_ground(), z, o, point_mass(1, cdn_v3(0.5, 0, 0)));
    const cdn_body coupler =
        add_pin(system, "coupler", crank, z, cdn_v3(1, 0, 0), solid(2, cdn_v3(1.5, 0, 0), 0, 1, 1));
    const cdn_body rocker =
        add_pin(system, "rocker", cdn_ground(), z, cdn_v3(4, 0, 0), solid(2, cdn_v3(1.7, 0, 0), 0, 1, 1));
    cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
    cdn_system_constrain_ball(system, "pin", coupler, cdn_v3(3, 0, 0), rocker, cdn_v3(3.5, 0, 0));
    cdn_system_constrain_speed(system, "drive", crank, 0, w);
    cdn_state *state = state_of(system);
    OK_ON(state, cdn_state_set_q(state, (double[]){ 0.3, 0.9, 2.3 }));
    cdn_assembly *assembly = NULL;
    OK(cdn_assembly_create(cdn_state_system(state), NULL, &assembly));
    OK(cdn_assemble(assembly, state, NULL));
    OK(cdn_assemble_speeds(assembly, state, NULL));
    cdn_assembly_destroy(assembly);
    const double start[2] = { *cdn_body_q(state, crank), *cdn_body_q(state, rocker) };
    cdn_stepper *stepper;
    const cdn_certificate c = run(state, methods[_i], accuracy, 1, &stepper);
    cdn_state *now = cdn_stepper_state(stepper);
    NEAR(*cdn_body_q(now, crank), start[0] + w, accuracy);
    NEAR(*cdn_body_q(now, rocker), start[1], accuracy);
    AT_MOST(fabs(c.energy_final - c.energy_initial), 10 * accuracy);
    AT_MOST(fabs(c.work), 10 * accuracy * 200); /* 200 J go to and fro */
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, shaken_trolley, 0, METHODS);
  tcase_add_loop_test(c, bead_on_a_turning_spoke, 0, METHODS);
  tcase_add_loop_test(c, turn_of_a_crank_rocker, 0, METHODS);
}

CHECK_MAIN_OF("driven constraints", 120, add)
