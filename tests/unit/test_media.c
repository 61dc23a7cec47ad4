/* Media (boxes and ellipsoids in air or water), springs and dampers that are not linear, bodies without weight: closed
 * forms, and files. */
#include "../testing.h"

#include <cardan/media.h>
#include <math.h>
#include <stdio.h>

#include "forces/fluid.h"

/* ---- the fluid that moves along ---- */

/* A sphere has half of its volume; spheroids have Lamb's numbers (Hydrodynamics, 6th edition, articles 114 and 373). */
START_TEST(added_mass_of_spheroids) {
  double mass[3], inertia[3];
  cdni_fluid_added_mass((double[]){ 0.3, 0.3, 0.3 }, mass, inertia);
  for (int i = 0; i < 3; i++) {
    NEAR(mass[i], 2.0 / 3 * PI * 0.027, 1e-15);
    NEAR(inertia[i], 0, 1e-17);
  }
  for (int k = 1; k < 40; k++) {
    const double a = 0.7, b = a * (1 - 0.025 * k), e = sqrt(1 - b * b / a / a), log_e = log((1 + e) / (1 - e));
    const double alpha = 2 * (1 - e * e) / (e * e * e) * (log_e / 2 - e);
    const double beta = 1 / (e * e) - (1 - e * e) / (2 * e * e * e) * log_e, volume = 4.0 / 3 * PI * a * b * b;
    const double turn = e * e * e * e * (beta - alpha) / ((2 - e * e) * (2 * e * e - (2 - e * e) * (beta - alpha)));
    cdni_fluid_added_mass((double[]){ b, a, b }, mass, inertia); /* long along y */
    NEAR(mass[1] / volume, alpha / (2 - alpha), 2e-13);
    NEAR(mass[0] / volume, beta / (2 - beta), 2e-13);
    NEAR(mass[2], mass[0], 1e-15);
    NEAR(inertia[0] / (volume * (a * a + b * b) / 5), turn, 1e-11);
    NEAR(inertia[2], inertia[0], 1e-15);
    NEAR(inertia[1], 0, 1e-15);
  }
}
END_TEST

/* ---- falls ---- */

enum { BALL = 1 };

typedef struct fall {
  cdn_system *system;
  cdn_state *state;
  cdn_force fluid;
} fall;

/* A free ball of 2 kg and radius 0.1 m under gravity. */
static fall make_fall(const cdn_fluid_ellipsoid_def *how) {
  fall f = { .system = cdn_system_create(NULL) };
  cdn_body_def def = cdn_default_body_def();
  cdn_fluid_ellipsoid_def fluid = *how;
  def.name = "ball", def.mobilizer = CDN_FREE, def.mass.mass = 2;
  def.mass.inertia = (cdn_inertia){ 0.008, 0.008, 0.008, 0, 0, 0 };
  fluid.body = cdn_system_add_body(f.system, &def);
  fluid.half[0] = fluid.half[1] = fluid.half[2] = 0.1;
  cdn_system_add_gravity(f.system, "gravity", cdn_v3(0, 0, -9.81));
  f.fluid = cdn_system_add_fluid_ellipsoid(f.system, "medium", &fluid);
  OK_FREEZE(f.system);
  OK(cdn_state_create(f.system, &f.state));
  return f;
}

static void drop(fall *f) {
  cdn_state_destroy(f->state);
  cdn_system_release(f->system);
}

static void advance(fall *f, double time) {
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper;
  def.accuracy = 1e-9;
  OK_ON(f->state, cdn_stepper_create(f->state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, time, NULL));
  cdn_certificate c;
  OK(cdn_stepper_certificate(stepper, &c));
  AT_MOST(fabs(c.energy_residual), 1e-6); /* the power of drag closes the balance */
  OK_ON(f->state, cdn_state_copy(f->state, cdn_stepper_state(stepper)));
  cdn_stepper_destroy(stepper);
}

/* Stokes: drag is 6 pi eta r v; the speed comes to m g / (6 pi eta r) as 1 - exp(-t / T). */
START_TEST(a_sphere_in_honey) {
  cdn_fluid_ellipsoid_def how = cdn_default_fluid_ellipsoid_def();
  how.viscosity = 10;
  fall f = make_fall(&how);
  const double drag = 6 * PI * how.viscosity * 0.1, T = 2 / drag, terminal = 2 * 9.81 / drag;
  advance(&f, T);
  NEAR(cdn_state_u(f.state)[5], -terminal * (1 - exp(-1)), 1e-8);
  advance(&f, 30 * T);
  NEAR(cdn_state_u(f.state)[5], -terminal, 1e-8);
  drop(&f);
}
END_TEST

/* Quadratic drag: v = sqrt(m g / k) tanh(...). Wind carries the ball along. */
START_TEST(a_sphere_in_air) {
  cdn_fluid_ellipsoid_def how = cdn_default_fluid_ellipsoid_def();
  how.density = 1.2, how.blunt_drag = 0.3;
  fall f = make_fall(&how);
  const double k = 1.2 * 0.3 * PI * 0.01, terminal = sqrt(2 * 9.81 / k);
  advance(&f, 5);
  NEAR(cdn_state_u(f.state)[5], -terminal * tanh(9.81 * 5 / terminal), 1e-6);
  OK_ON(f.state, cdn_fluid_set_medium(f.state, f.fluid, 1.2, 0, cdn_v3(3, 0, -7)));
  advance(&f, 600);
  NEAR(cdn_state_u(f.state)[5], -7 - terminal, 1e-3);
  NEAR(cdn_state_u(f.state)[3], 3, 1e-2);
  drop(&f);
}
END_TEST

/* A ball that spins is pushed across its way: by Magnus density volume w x v, less what turns the fluid that moves
 * along, which is half of the ball's. */
START_TEST(a_ball_that_spins) {
  cdn_fluid_ellipsoid_def how = cdn_default_fluid_ellipsoid_def();
  how.density = 1.2, how.blunt_drag = how.slender_drag = how.angular_drag = 0, how.magnus_lift = 0.7;
  fall f = make_fall(&how);
  cdn_spatial F;
  const double u[6] = { 0, 0, 50, 20, 0, 0 };
  OK_ON(f.state, cdn_state_set_u(f.state, u));
  OK_ON(f.state, cdn_force_set_enabled(f.state, cdn_system_find_force(f.system, "gravity"), false));
  cdn_spatial all[2];
  OK_ON(f.state, cdn_applied_forces(f.state, all, NULL));
  F = all[BALL];
  NEAR(F.v.x, 0, 1e-12);
  NEAR(F.v.y, (0.7 - 0.5) * 1.2 * 4.0 / 3 * PI * 1e-3 * 50 * 20, 1e-12);
  NEAR(F.w.z, 0, 1e-12);
  drop(&f);
}
END_TEST

/* A box: drag along each axis by the side that meets it, in its own axes. */
START_TEST(a_box_is_dragged_by_its_sides) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_FREE, def.mass.mass = 3;
  /* sides 0.2, 0.4, 0.6 */
  def.mass.inertia = (cdn_inertia){ 0.25 * 0.52, 0.25 * 0.40, 0.25 * 0.20, 0, 0, 0 };
  cdn_fluid_box_def box = cdn_default_fluid_box_def();
  box.body = cdn_system_add_body(system, &def);
  OK(cdn_fluid_box_of_mass(&def.mass, NULL, &box));
  double sides[3] = { 2 * box.half[0], 2 * box.half[1], 2 * box.half[2] };
  const cdn_rotation own = cdn_rotation_identity();
  OK(cdn_fluid_box_of_mass(&def.mass, &own, &box));
  NEAR(box.half[0], 0.1, 1e-14);
  NEAR(box.half[1], 0.2, 1e-14);
  NEAR(box.half[2], 0.3, 1e-14);
  NEAR(sides[0], 0.6, 1e-14); /* principal moments ascend */
  box.density = 2, box.viscosity = 0.5;
  cdn_system_add_fluid_box(system, "medium", &box);
  OK_FREEZE(system);
  cdn_state *state;
  cdn_spatial F[2];
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_state_set_u(state, (double[]){ 0, 3, 0, -2, 0, 0 }));
  OK_ON(state, cdn_applied_forces(state, F, NULL));
  const double D = 0.4;
  NEAR(F[1].v.x, 2 * 3 * PI * D * 0.5 + 0.5 * 2 * 0.4 * 0.6 * 4, 1e-12);
  NEAR(F[1].w.y, -3 * PI * D * D * D * 0.5 - 2 * 0.4 * (pow(0.2, 4) + pow(0.6, 4)) * 9 / 64, 1e-12);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* In a medium at rest nothing is driven: power is not positive, whatever the motion. */
START_TEST(media_take_energy) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_FREE, def.mass.mass = 3, def.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  cdn_fluid_ellipsoid_def e = cdn_default_fluid_ellipsoid_def();
  cdn_fluid_box_def b = cdn_default_fluid_box_def();
  e.body = cdn_system_add_body(system, &def);
  def.name = "second";
  b.body = cdn_system_add_body(system, &def);
  for (int i = 0; i < 3; i++) e.half[i] = b.half[i] = 0.1 * (i + 1);
  e.density = b.density = 100, e.viscosity = b.viscosity = 0.1;
  e.X_BF = b.X_BF = (cdn_transform){ cdn_rotation_axis_angle(cdn_v3(1, 2, 3), 0.5), cdn_v3(0.1, -0.2, 0.3) };
  cdn_system_add_fluid_ellipsoid(system, "e", &e);
  cdn_system_add_fluid_box(system, "b", &b);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  uint64_t seed = 1;
  for (int round = 0; round < 200; round++) {
    double u[12], power;
    for (int i = 0; i < 12; i++) {
      seed = 6364136223846793005u * seed + 1442695040888963407u;
      u[i] = (double)(seed >> 11) * 0x1p-52 - 1;
    }
    OK_ON(state, cdn_state_set_u(state, u));
    OK_ON(state, cdn_nonpotential_power(state, &power));
    ck_assert(power < 0);
  }
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* ---- springs and dampers that are not linear ---- */

START_TEST(polynomials) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass.mass = 2;
  const cdn_body body = cdn_system_add_body(system, &def);
  const cdn_force spring = cdn_system_add_polynomial_spring(system, "k", body, 0, (double[]){ 5, -2, 3 }, 0.1);
  const cdn_force damper = cdn_system_add_polynomial_damper(system, "c", body, 0, (double[]){ 0.5, 0.2, 0.7 });
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  for (int i = -3; i <= 3; i++) {
    const double x = 0.4 * i, v = 0.7 * i - 0.2, f = -(5 * x - 2 * x * x + 3 * x * x * x);
    double energy, power, sum;
    OK_ON(state, cdn_state_set_q(state, (double[]){ x + 0.1 }));
    OK_ON(state, cdn_state_set_u(state, &v));
    OK_ON(state, cdn_applied_forces(state, NULL, &sum));
    const double d = -(0.5 * v + 0.2 * v * fabs(v) + 0.7 * v * v * v);
    NEAR(sum, f + d, 1e-13);
    OK_ON(state, cdn_potential_energy(state, &energy));
    NEAR(energy, 2.5 * x * x - 2.0 / 3 * x * x * x + 0.75 * x * x * x * x, 1e-13);
    OK_ON(state, cdn_nonpotential_power(state, &power));
    NEAR(power, d * v, 1e-13);
  }
  /* the linear part alone, and one number by its name */
  double sum;
  OK_ON(state, cdn_state_set_q(state, (double[]){ 1.1 }));
  OK_ON(state, cdn_state_set_u(state, (double[]){ 0 }));
  OK_ON(state, cdn_mobility_spring_set(state, spring, 7, 0.1));
  OK_ON(state, cdn_parameter_set(state, CDN_ELEMENT_FORCE, "k", "k2", 4));
  OK_ON(state, cdn_applied_forces(state, NULL, &sum));
  NEAR(sum, -(7 + 4 + 3), 1e-13);
  OK_ON(state, cdn_mobility_damper_set(state, damper, 1));
  OK_ON(state, cdn_state_set_u(state, (double[]){ -1 }));
  OK_ON(state, cdn_applied_forces(state, NULL, &sum));
  NEAR(sum, -14 + 1 + 0.2 + 0.7, 1e-13);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* A spring on the angle theta about n: the moment -(k1 theta + k2 theta^2 + k3 theta^3) n, and its integral. */
START_TEST(polynomial_rotations) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_BALL;
  def.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  const cdn_body body = cdn_system_add_body(system, &def);
  const cdn_rotation R0 = cdn_rotation_axis_angle(cdn_v3(1, 2, 3), 0.7);
  const cdn_force spring = cdn_system_add_polynomial_rotation_spring(system, "k", body, (double[]){ 5, -2, 3 }, R0);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  const cdn_vec3 n = cdn_scale(1 / 3.0, cdn_v3(2, -1, 2));
  for (int i = 0; i <= 6; i++) {
    const double x = 0.5 * i, moment = -(5 * x - 2 * x * x + 3 * x * x * x);
    double energy, f[3];
    const cdn_quaternion q = cdn_quaternion_from_rotation(cdn_rotation_multiply(cdn_rotation_axis_angle(n, x), R0));
    OK_ON(state, cdn_state_set_q(state, (double[]){ q.w, q.x, q.y, q.z }));
    OK_ON(state, cdn_applied_forces(state, NULL, f));
    for (int k = 0; k < 3; k++) NEAR(f[k], moment * (&n.x)[k], 1e-12);
    OK_ON(state, cdn_potential_energy(state, &energy));
    NEAR(energy, 2.5 * x * x - 2.0 / 3 * x * x * x + 0.75 * x * x * x * x, 1e-12);
  }
  double f[3];
  OK_ON(state, cdn_rotation_spring_set(state, spring, 7, R0)); /* the linear part alone */
  OK_ON(state, cdn_applied_forces(state, NULL, f));
  for (int k = 0; k < 3; k++) NEAR(f[k], -(7 * 3 - 2 * 9 + 3 * 27) * (&n.x)[k], 1e-11);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* Dampers of the turning of a ball, whatever the length of its quaternion; springs on three lengths. What is refused is
 * named. */
START_TEST(rotations_are_damped_and_positions_held) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_BALL;
  def.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  const cdn_body ball = cdn_system_add_body(system, &def);
  def.mobilizer = CDN_TRANSLATION;
  const cdn_body block = cdn_system_add_body(system, &def);
  const cdn_force damper = cdn_system_add_rotation_damper(system, "d", ball, (double[]){ 0.1, 0.2, 0.3 });
  const cdn_force spring =
      cdn_system_add_position_spring(system, "s", block, (double[]){ 4, -1, 2 }, cdn_v3(0.1, 0.2, 0.3));
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  const cdn_rotation R = cdn_rotation_axis_angle(cdn_v3(1, -2, 3), 1.1);
  const cdn_quaternion e = cdn_quaternion_from_rotation(R);
  const double q[7] = { 3 * e.w, 3 * e.x, 3 * e.y, 3 * e.z, 0.1, 0.5, -0.1 }, u[6] = { 1, -2, 0.5, 3, 4, 5 };
  const cdn_vec3 w = cdn_rotate_inv(R, cdn_v3(u[0], u[1], u[2]));
  cdn_vec3 m;
  for (int k = 0; k < 3; k++) {
    const double v = (&w.x)[k];
    (&m.x)[k] = -(0.1 * v + 0.2 * v * fabs(v) + 0.3 * v * v * v);
  }
  m = cdn_rotate(R, m);
  double f[6], energy, power;
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  OK_ON(state, cdn_applied_forces(state, NULL, f));
  for (int k = 0; k < 3; k++) NEAR(f[k], (&m.x)[k], 1e-13);
  const double stiffness = 4 - 0.5 + 2 * 0.25; /* at the distance 0.5 */
  NEAR(f[3], 0, 1e-13);
  NEAR(f[4], -stiffness * 0.3, 1e-13);
  NEAR(f[5], stiffness * 0.4, 1e-13);
  OK_ON(state, cdn_potential_energy(state, &energy));
  NEAR(energy, 2 * 0.25 - 0.125 / 3 + 0.5 * 0.0625, 1e-14);
  OK_ON(state, cdn_nonpotential_power(state, &power));
  NEAR(power, m.x * u[0] + m.y * u[1] + m.z * u[2], 1e-12);
  OK_ON(state, cdn_rotation_damper_set(state, damper, (double[]){ 2, 0, 0 }));
  OK_ON(state, cdn_position_spring_set(state, spring, (double[]){ 0, 1, 0 }, cdn_v3(0.1, 0.5, 0.3)));
  OK_ON(state, cdn_applied_forces(state, NULL, f));
  for (int k = 0; k < 3; k++) NEAR(f[k], -2 * u[k], 1e-13); /* a linear one has no axes */
  NEAR(f[5], 0.16, 1e-14);
  FAILS(cdn_rotation_damper_set(state, damper, (double[]){ -1, 0, 0 }), CDN_ERR_ARG);
  FAILS(cdn_position_spring_set(state, damper, (double[]){ 1, 0, 0 }, cdn_v3(0, 0, 0)), CDN_ERR_ARG);
  cdn_state_destroy(state);
  cdn_system_release(system);
  for (int k = 0; k < 2; k++) {
    cdn_error error;
    system = cdn_system_create(NULL);
    def.mobilizer = k ? CDN_BALL : CDN_SLIDER, def.name = "joint";
    const cdn_body body = cdn_system_add_body(system, &def);
    if (k) cdn_system_add_position_spring(system, "s", body, (double[]){ 1, 0, 0 }, cdn_v3(0, 0, 0));
    else cdn_system_add_rotation_damper(system, "d", body, (double[]){ 1, 0, 0 });
    cdn_system_last_error(system, &error);
    ck_assert_msg(strstr(error.text, k ? "three lengths" : "ball and free"), "%s", error.text);
    cdn_system_release(system);
  }
}
END_TEST

/* What dampers of a ball do to each component of w in the body's axes, and springs to the distance of a free joint. */
START_TEST(polynomials_of_files) {
  static const char text[] =
      "<mujoco><option gravity='0 0 0'/><worldbody><body><joint type='ball' damping='.1 .2 .3'/><geom size='.1'/></body>"
      "<body><joint name='j' type='free' stiffness='4 3 2' damping='.5 .1 .2'/><geom size='.1'/></body></worldbody>"
      "</mujoco>";
  cdn_model *model;
  cdn_state *state;
  OK(cdn_model_load_string(text, sizeof text - 1, "model.xml", NULL, &model));
  ck_assert_int_eq(cdn_model_not_understood_count(model), 0);
  OK(cdn_state_create(cdn_model_system(model), &state));
  const cdn_rotation R = cdn_rotation_axis_angle(cdn_v3(1, -2, 3), 1.1);
  const cdn_quaternion e = cdn_quaternion_from_rotation(R);
  const double q[11] = { e.w, e.x, e.y, e.z, 1, 0, 0, 0, 0.3, -0.4, 0 }, u[9] = { 1, -2, 0.5, 0, 0, 0, 2, 0, -1 };
  double f[9];
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  OK_ON(state, cdn_applied_forces(state, NULL, f));
  const cdn_vec3 w = cdn_rotate_inv(R, cdn_v3(u[0], u[1], u[2]));
  cdn_vec3 moment = w;
  for (int k = 0; k < 3; k++) {
    const double v = (&w.x)[k];
    (&moment.x)[k] = -(0.1 * v + 0.2 * v * fabs(v) + 0.3 * v * v * v);
  }
  moment = cdn_rotate(R, moment);
  for (int k = 0; k < 3; k++) NEAR(f[k], (&moment.x)[k], 1e-13);
  const double k_of_r = 4 + 3 * 0.5 + 2 * 0.25;
  for (int k = 0; k < 3; k++) {
    const double v = u[6 + k];
    NEAR(f[3 + k], 0, 1e-15);
    NEAR(f[6 + k], -k_of_r * q[8 + k] - (0.5 * v + 0.1 * v * fabs(v) + 0.2 * v * v * v), 1e-13);
  }
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* ---- files ---- */

static cdn_model *load(const char *text) {
  cdn_model *model;
  cdn_error error;
  cdn_model_options options = cdn_default_model_options();
  options.strict = true, options.contact = CDN_MODEL_NO_CONTACT;
  const cdn_status status = cdn_model_load_string(text, strlen(text), "m.xml", &options, &model);
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  return model;
}

static int count_forces(const cdn_model *model, const char *end) {
  const cdn_system *system = cdn_model_system(model);
  int n = 0;
  for (int i = 0; i < cdn_system_force_count(system); i++) {
    const char *name = cdn_force_name(system, (cdn_force){ i }), *at = strstr(name, end);
    n += at && strlen(at) == strlen(end);
  }
  return n;
}

#define NO_CONTACT "<default><geom contype='0' conaffinity='0'/></default>"

START_TEST(files_have_media) {
  static const char file[] =
      "<mujoco>" NO_CONTACT "<option density='1.2' viscosity='2e-5' wind='1 2 3'>%s</option><worldbody>"
      "<geom size='1'/><body name='a'><freejoint/><geom name='wing' type='ellipsoid' size='1 2 .1' fluidshape='ellipsoid' "
      "fluidcoef='.1 .2 .3'/><geom name='b' size='.1' fluidshape='ellipsoid'/></body><body name='b'><freejoint/><geom size='.1'/></body>"
      "<body name='none' pos='0 0 5'/></worldbody></mujoco>";
  char text[1500];
  snprintf(text, sizeof text, file, "");
  cdn_model *model = load(text);
  const cdn_spec *spec = cdn_model_spec(model);
  cdn_spec_medium medium = cdn_default_spec_medium();
  cdn_spec_shape wing = cdn_default_spec_shape();
  OK(cdn_spec_get_medium(spec, &medium));
  NEAR(medium.density, 1.2, 0);
  NEAR(medium.viscosity, 2e-5, 0);
  NEAR(medium.wind.z, 3, 0);
  OK(cdn_spec_get_shape(spec, cdn_spec_find(spec, CDN_SPEC_SHAPE, "wing"), &wing));
  const double c[] = { 0.1, 0.2, 0.3, 1, 1 };
  for (int i = 0; i < 5; i++) NEAR(wing.fluid_coefficients[i], c[i], 0);
  ck_assert_int_eq(count_forces(model, " fluid"), 2);
  ck_assert(cdn_system_find_force(cdn_model_system(model), "b fluid 2").i >= 0); /* the geom and the body */
  ck_assert(cdn_system_find_force(cdn_model_system(model), "wing fluid").i >= 0);
  ck_assert(cdn_system_find_force(cdn_model_system(model), "b fluid").i >= 0);
  cdn_model_destroy(model);
  snprintf(text, sizeof text, file, "<flag passive='disable'/>");
  model = load(text);
  ck_assert_int_eq(count_forces(model, " fluid"), 0);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(bodies_float) {
  cdn_model *model = load(
      "<mujoco>" NO_CONTACT "<worldbody><body gravcomp='1'><freejoint/><geom size='.1' pos='.3 .2 .1'/></body>"
      "<body pos='2 0 0'><joint axis='0 1 0'/><geom size='.1' pos='.3 0 0' mass='2'/><body gravcomp='1' pos='1 0 0'>"
      "<joint axis='0 1 0'/><geom size='.1' pos='.2 0 0' mass='3'/></body></body></worldbody></mujoco>");
  cdn_state *state;
  double before, after, f[8];
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  for (int i = 0; i < 6; i++) NEAR(cdn_state_udot(state)[i], 0, 1e-14);
  cdn_spatial F[4];
  OK_ON(state, cdn_applied_forces(state, F, NULL));
  OK_ON(state, cdn_multiply_by_J_transpose(state, F, f));
  NEAR(f[6], 9.81 * 2 * 0.3, 1e-12); /* about y, down is positive */
  NEAR(f[7], 0, 1e-12);
  OK_ON(state, cdn_potential_energy(state, &before));
  OK_ON(state, cdn_state_set_q(state, (double[]){ 1, 0, 0, 0, 0, 0, 7, 0, 0.5 }));
  OK_ON(state, cdn_potential_energy(state, &after));
  NEAR(after, before, 1e-12); /* without weight there is none of it */
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* A slide of 2 kg that floats by 19.62 N, of which its actuators bear at most 25 N in all. And a joint that carries
 * what floats, whose bounds are below the compensation. */
START_TEST(compensation_counts_with_actuators) {
  static const double controls[] = { 0, 3, 9, -60 };
  cdn_model *model = load(
      "<mujoco>" NO_CONTACT "<compiler autolimits='true'/><worldbody><body gravcomp='1'><joint name='j' type='slide' "
      "axis='0 0 1' actuatorgravcomp='true' actuatorfrcrange='-25 25'/><geom size='.1' mass='2'/></body>"
      "<body pos='3 0 0'><joint type='slide' axis='0 0 1' actuatorgravcomp='true' actuatorfrcrange='-5 5'/>"
      "<geom size='.1' mass='1'/><body gravcomp='1'><geom size='.1' mass='2'/></body></body></worldbody>"
      "<actuator><motor name='m' joint='j'/></actuator></mujoco>");
  cdn_state *state;
  cdn_model_actuator m;
  OK(cdn_model_get_actuator(model, 0, &m));
  OK(cdn_state_create(cdn_model_system(model), &state));
  for (int i = 0; i < 4; i++) {
    const double up = fmax(-25, fmin(25, 2 * 9.81 + controls[i]));
    OK_ON(state, cdn_control_set(state, m.control, controls[i]));
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    NEAR(cdn_state_udot(state)[0], (up - 2 * 9.81) / 2, 1e-13);
    NEAR(cdn_state_udot(state)[1], (5 - 3 * 9.81) / 3, 1e-13);
  }
  /* gravity of the State */
  const cdn_system *system = cdn_model_system(model);
  OK_ON(state, cdn_gravity_set(state, cdn_system_find_force(system, "gravity"), cdn_v3(0, 0, -1)));
  OK_ON(state, cdn_control_set(state, m.control, 0.5));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  NEAR(cdn_state_udot(state)[0], 0.25, 1e-13);
  NEAR(cdn_state_udot(state)[1], -1.0 / 3, 1e-13);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(files_have_polynomials) {
  cdn_model *model =
      load("<mujoco>" NO_CONTACT "<option gravity='0 0 0'/><default><joint damping='1 2'/></default>"
           "<worldbody><body><joint type='slide' stiffness='5 -2 3' springref='.1'/><geom size='.1' mass='2'/>"
           "</body></worldbody></mujoco>");
  cdn_state *state;
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK_ON(state, cdn_state_set_q(state, (double[]){ 0.6 }));
  OK_ON(state, cdn_state_set_u(state, (double[]){ -3 }));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  NEAR(2 * cdn_state_udot(state)[0], -(2.5 - 0.5 + 0.375) + 3 + 18, 1e-13);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(mistakes_are_named) {
  cdn_error error;
  cdn_fluid_ellipsoid_def how = cdn_default_fluid_ellipsoid_def();
  how.viscosity = 1;
  fall f = make_fall(&how);
  ck_assert_int_eq(cdn_fluid_set_medium(f.state, f.fluid, -1, 0, cdn_v3(0, 0, 0)), CDN_ERR_ARG);
  ck_assert_int_eq(cdn_fluid_set_medium(f.state, f.fluid, NAN, 0, cdn_v3(0, 0, 0)), CDN_ERR_NONFINITE);
  ck_assert_int_eq(cdn_fluid_set_medium(f.state, (cdn_force){ 0 }, 1, 0, cdn_v3(0, 0, 0)), CDN_ERR_ARG);
  drop(&f);
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_FREE;
  how.body = cdn_system_add_body(system, &def);
  cdn_system_add_fluid_ellipsoid(system, "flat", &how);
  cdn_system_last_error(system, &error);
  ck_assert_msg(strstr(error.text, "half.x"), "%s", error.text);
  cdn_system_release(system);
  cdn_spec *spec;
  cdn_spec_medium medium = cdn_default_spec_medium();
  OK(cdn_spec_create(NULL, &spec));
  medium.density = -1;
  ck_assert_int_eq(cdn_spec_set_medium(spec, &medium), CDN_ERR_ARG);
  medium.density = NAN;
  ck_assert_int_eq(cdn_spec_set_medium(spec, &medium), CDN_ERR_NONFINITE);
  medium.density = 2;
  OK(cdn_spec_set_medium(spec, &medium));
  cdn_spec_destroy(spec);
}
END_TEST

CHECK_MAIN("media", added_mass_of_spheroids, a_sphere_in_honey, a_sphere_in_air, a_ball_that_spins,
           a_box_is_dragged_by_its_sides, media_take_energy, polynomials, polynomial_rotations,
           rotations_are_damped_and_positions_held, polynomials_of_files, files_have_media, bodies_float,
           compensation_counts_with_actuators, files_have_polynomials, mistakes_are_named)
