/* shared by tests in this folder */
/* Features: one force element of each kind. The table is made from the library's own list of kinds. */
#include <cardan/fixman.h>
#include <cardan/media.h>
#include <cardan/molecule.h>
#include <cardan/sampling.h>

#include "forces/internal.h"
#include "matrix.h"

static void add_gravity(scene *s) {
  cdn_force g = cdn_system_find_force(s->system, "gravity"); /* it may be there for its compensation */
  if (g.i < 0) g = cdn_system_add_gravity(s->system, "gravity", cdn_v3(1, -2, -9));
  cdn_system_exclude_from_gravity(s->system, g, s->cylinder);
}
static void add_gravity_compensation(scene *s) {
  if (cdn_system_find_force(s->system, "gravity").i < 0)
    cdn_system_add_gravity(s->system, "gravity", cdn_v3(1, -2, -9));
  cdn_system_add_gravity_compensation(s->system, "lift", s->ball, 0.6);
}
static void add_mobility_spring(scene *s) {
  cdn_system_add_polynomial_spring(s->system, "spring", s->slider, 0, (double[]){ 30, -4, 9 }, 0.2);
}
static void add_mobility_damper(scene *s) {
  cdn_system_add_polynomial_damper(s->system, "damper", s->ball, 1, (double[]){ 0.7, 0.3, 0.2 });
}
static void add_mobility_force(scene *s) { cdn_system_add_mobility_force(s->system, "motor", s->slider, 0, 2); }

static void add_actuator(scene *s) {
  cdn_control_def control = cdn_default_control_def();
  control.name = "command", control.initial = 0.4;
  cdn_actuator_def def = cdn_default_actuator_def();
  def.body = s->slider, def.control = cdn_system_add_control(s->system, &control);
  def.gain = 3, def.gain_q = 0.5, def.gain_u = -0.7, def.bias[0] = 0.1, def.bias[1] = -2, def.bias[2] = -0.4;
  cdn_system_add_actuator(s->system, "actuator", &def);
}

static void add_mobility_stop(scene *s) {
  const double q = scene_q(s, s->slider, 0);
  cdn_system_add_mobility_stop(s->system, "stop", s->slider, 0, q + 0.05, q + 2, 40, 0.3);
}
static void add_mobility_friction(scene *s) {
  cdn_system_add_mobility_friction(s->system, "stiction", s->slider, 0, 0.8, 100, 0.01);
  cdn_system_add_mobility_friction(s->system, "firm", s->pin, 0, 80, 100, 0.01);
}

static void add_rotation_spring(scene *s) {
  cdn_system_add_polynomial_rotation_spring(s->system, "rotation spring", s->ball, (double[]){ 4, -1, 2 },
                                            cdn_rotation_axis_angle(cdn_v3(1, 2, 0), 0.3));
}
static void add_rotation_damper(scene *s) {
  cdn_system_add_rotation_damper(s->system, "rotation damper", s->ball, (double[]){ 0.5, 0.2, 0.3 });
}
static void add_position_spring(scene *s) {
  cdn_system_add_position_spring(s->system, "position spring", s->loose[0], (double[]){ 6, -1, 2 },
                                 cdn_v3(0.3, -0.1, 0.2));
}
static void add_rotation_stop(scene *s) { cdn_system_add_rotation_stop(s->system, "cone", s->ball, 0.1, 5, 0.2); }

static void add_two_point_spring(scene *s) {
  cdn_system_add_two_point_spring(s->system, "line", s->ball, cdn_v3(0.1, 0, 0.2), s->loose[0], cdn_v3(0, 0.3, 0.1), 15,
                                  0.3);
}
static void add_two_point_damper(scene *s) {
  cdn_system_add_two_point_damper(s->system, "dashpot", s->ball, cdn_v3(0.1, 0, 0.2), s->loose[0], cdn_v3(0, 0.3, 0.1),
                                  2);
}
static void add_two_point_force(scene *s) {
  cdn_system_add_two_point_force(s->system, "push", s->ball, cdn_v3(0.1, 0, 0.2), s->loose[0], cdn_v3(0, 0.3, 0.1), 3);
}
/* Around a cylinder, over a ball, and by a pulley to Ground. *length: about how long it is. */
cdn_path scene_cable(scene *s, const char *name, double *length) {
  const cdn_path path = cdn_system_add_path(s->system, name);
  const cdn_vec3 P = cdn_transform_point(s->X[s->ball.i], cdn_v3(0.1, 0, 0.2));
  const cdn_vec3 Q = cdn_transform_point(s->X[s->loose[0].i], cdn_v3(0, 0.3, 0.1));
  const cdn_vec3 R = cdn_transform_point(s->X[s->slider.i], cdn_v3(0.2, 0, 0.1)), end = cdn_v3(2, -1, 3);
  const cdn_vec3 middle = cdn_scale(0.5, cdn_add(P, Q)), line = cdn_sub(Q, P);
  const double radius = 0.1 * cdn_norm(line);
  const cdn_vec3 across = cdn_cross(line, fabs(line.x) < fabs(line.y) ? cdn_v3(1, 0, 0) : cdn_v3(0, 1, 0));
  cdn_transform X = { cdn_rotation_axis_angle(cdn_v3(1, 2, 0), 0.9), middle };
  X.p = cdn_add(X.p, cdn_scale(0.5 * radius / cdn_norm(across), across));
  X = scene_frame(s, s->pin, X);
  cdn_path_add_point(s->system, path, s->ball, cdn_v3(0.1, 0, 0.2));
  cdn_path_add_sphere(s->system, path, s->pin, X.p, radius);
  cdn_path_add_point(s->system, path, s->loose[0], cdn_v3(0, 0.3, 0.1));
  cdn_path_add_cylinder(s->system, path, s->pin, &X, 0.2 * radius);
  cdn_path_add_point(s->system, path, s->slider, cdn_v3(0.2, 0, 0.1));
  cdn_path_add_pulley(s->system, path, 2);
  cdn_path_add_point(s->system, path, s->slider, cdn_v3(0.2, 0, 0.1));
  cdn_path_add_point(s->system, path, cdn_ground(), end);
  *length = cdn_norm(line) + cdn_norm(cdn_sub(R, Q)) + 0.5 * cdn_norm(cdn_sub(end, R));
  return path;
}
static void add_path_spring(scene *s) { /* a little stretched: it does not pull until its points meet */
  double length;
  const cdn_path path = scene_cable(s, "cable", &length);
  cdn_system_add_path_spring(s->system, "cable spring", path, 12, 0.7 * length, 0.9 * length);
}
static void add_path_stop(scene *s) {
  double length;
  const cdn_path path = scene_cable(s, "stopped cable", &length);
  cdn_system_add_path_stop(s->system, "cable stop", path, 0.7 * length, 0.95 * length, 15, 0.4);
}
static void add_path_damper(scene *s) {
  double length;
  cdn_system_add_path_damper(s->system, "cable damper", scene_cable(s, "damped cable", &length), 1.5);
}

static void add_body_force(scene *s) {
  cdn_system_add_body_force(s->system, "thrust", s->ball, cdn_v3(0.1, 0.2, 0), cdn_v3(1, -2, 0.5), cdn_v3(0.2, 0, 0.3));
}
static void add_linear_bushing(scene *s) {
  const cdn_transform F = { cdn_rotation_axis_angle(cdn_v3(0, 1, 2), 0.4), cdn_v3(0, 0.1, 0) };
  const cdn_transform X_GM = { cdn_rotation_multiply(s->X[s->ball.i].R, cdn_rotation_axis_angle(cdn_v3(3, 1, 1), 0.7)),
                               cdn_add(s->X[s->ball.i].p, cdn_v3(0.1, 0.1, 0)) };
  cdn_system_add_linear_bushing(s->system, "bushing", s->ball, F, s->loose[0], scene_frame(s, s->loose[0], X_GM),
                                (double[]){ 1, 2, 3, 10, 20, 30 }, (double[]){ 0.1, 0.2, 0.3, 1, 2, 3 });
}
static void add_global_damper(scene *s) { cdn_system_add_global_damper(s->system, "mud", 0.3); }

static cdn_transform fluid_frame_of(const scene *s) {
  (void)s;
  return (cdn_transform){ cdn_rotation_axis_angle(cdn_v3(1, 2, -1), 0.8), cdn_v3(0.1, -0.2, 0.15) };
}
static void add_fluid_box(scene *s) {
  cdn_fluid_box_def def = cdn_default_fluid_box_def();
  def.body = s->ball, def.X_BF = fluid_frame_of(s), def.density = 1.2, def.viscosity = 0.3,
  def.wind = cdn_v3(0.4, 2, -1);
  def.half[0] = 0.3, def.half[1] = 0.2, def.half[2] = 0.5;
  cdn_system_add_fluid_box(s->system, "air", &def);
}
static void add_fluid_ellipsoid(scene *s) {
  cdn_fluid_ellipsoid_def def = cdn_default_fluid_ellipsoid_def();
  def.body = s->ball, def.X_BF = fluid_frame_of(s), def.density = 1.2, def.viscosity = 0.3,
  def.wind = cdn_v3(0.4, 2, -1);
  def.half[0] = 0.3, def.half[1] = 0.2, def.half[2] = 0.5;
  cdn_system_add_fluid_ellipsoid(s->system, "water", &def);
}

static void add_smooth_contact(scene *s) {
  cdn_smooth_contact_def def = cdn_default_smooth_contact_def();
  def.name = "smooth contact", def.ball_body = s->loose[0], def.plane_body = s->ball;
  def.p_B = cdn_v3(0.1, 0, 0), def.radius = 0.1, def.modulus = 1e5, def.transition_velocity = 0.1;
  const cdn_vec3 center = cdn_transform_point(s->X[s->loose[0].i], def.p_B);
  cdn_transform X = { cdn_rotation_axis_angle(cdn_v3(1, 1, 0), 0.8), center };
  X.p = cdn_sub(X.p, cdn_scale(0.098, X.R.z));
  def.X_AP = scene_frame(s, s->ball, X);
  cdn_system_add_smooth_contact(s->system, &def);
}

/* Of the user's: reads q, u and t, has no derivatives of its own. */
static cdn_status drag(const void *self, cdn_state *state, cdn_forces *forces) {
  const cdn_body *body = self;
  cdn_spatial V;
  CDN_TRY(cdn_body_velocity(state, *body, &V));
  cdn_forces_add_point(forces, *body, cdn_v3(0.1, 0, 0), cdn_scale(-0.3 - cdn_dot(V.v, V.v), V.v));
  cdn_forces_add_torque(forces, *body, cdn_scale(sin(3 * cdn_state_time(state)), cdn_v3(0.1, 0.2, 0)));
  return CDN_OK;
}
static void add_custom(scene *s) {
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_VELOCITY, .calc_force = drag };
  ops.subsystem.name = "drag", ops.subsystem.self_size = sizeof s->ball;
  cdn_system_add_custom_force(s->system, &ops, &s->ball);
}

/* What is no kind of its own. */
static void add_exponential_spring(scene *s) {
  cdn_exponential_spring_def def = cdn_default_exponential_spring_def();
  def.name = "exponential spring", def.body = s->loose[0], def.p_B = cdn_v3(0.1, 0.2, 0), def.plane_body = s->ball;
  def.d0 = 0.01, def.d1 = 2, def.d2 = 60, def.k = 200, def.c = 3, def.transition_velocity = 0.1;
  cdn_transform X = { cdn_rotation_axis_angle(cdn_v3(1, -1, 0), 0.6),
                      cdn_transform_point(s->X[s->loose[0].i], def.p_B) };
  X.p = cdn_sub(X.p, cdn_scale(0.005, X.R.z));
  def.X_AP = scene_frame(s, s->ball, X);
  cdn_system_add_exponential_spring(s->system, &def);
}

/* At a gas constant of 1/300 it is as strong as the other forces here; of a free angle and a free length. */
static void add_fixman(scene *s) {
  const cdn_fixman_coordinate list[] = { { s->cylinder, 0, CDN_FIXMAN_ANGLE }, { s->cylinder, 1, CDN_FIXMAN_LENGTH } };
  cdn_fixman_def def = cdn_default_fixman_def();
  def.gas_constant = 1.0 / 300, def.coordinates = list, def.n_coordinates = 2;
  cdn_system_add_fixman(s->system, "fixman", &def);
}

/* A chain that has warmed up: it holds back what moves too much. */
static void add_nose_hoover(scene *s) {
  cdn_nose_hoover_def def = cdn_default_nose_hoover_def();
  def.kT = 0.7, def.time = 0.3;
  cdn_system_add_nose_hoover(s->system, "thermostat", &def);
}
static void warm_up(scene *s, cdn_state *state) {
  double z[256];
  const cdn_system *system = cdn_state_system(state);
  const int nz = cdn_system_nz(system);
  memcpy(z, cdn_state_z(state), (size_t)nz * sizeof *z);
  for (int i = 0; i < nz; i++) {
    char name[64];
    cdn_system_slot_name(system, CDN_POOL_Z, i, name, sizeof name);
    if (strncmp(name, "thermostat", 10) == 0) z[i] = scene_number(s, 0.1, 0.4);
  }
  OK_ON(state, cdn_state_set_z(state, z));
}

/* Two clusters of charged atoms on bodies that are there, and a term of four atoms of both. */
static void add_force_field(scene *s) {
  cdn_molecule *m = cdn_molecule_create("molecule");
  const int c = cdn_molecule_add_class(m, "C", 0.2, 0.5);
  const cdn_body on[2] = { s->ball, s->loose[0] };
  cdn_molecule_set_coulomb_constant(m, 2);
  for (int i = 0; i < 6; i++) {
    cdn_atom_def a = cdn_default_atom_def();
    a.mass = 1, a.atom_class = c, a.charge = i % 2 ? 0.8 : -0.6, a.radius = 0.2;
    cdn_molecule_add_atom(m, &a);
  }
  for (int k = 0; k < 2; k++) {
    const int cluster = cdn_molecule_add_cluster(m, NULL);
    for (int i = 0; i < 3; i++)
      cdn_cluster_place_atom(m, cluster, 3 * k + i, cdn_v3(0.3 * i - 0.2, 0.1 * i * i, 0.2 * i - 0.4 * k));
    cdn_molecule_attach_cluster(m, cluster, on[k], cdn_transform_identity());
  }
  cdn_molecule_add_stretch(m, 0, 3, 0.5, 1);
  cdn_molecule_add_bend(m, 1, 2, 4, 1, 1.5);
  cdn_molecule_add_torsion(m, 0, 1, 3, 5, 2, 1.5, 0.4);
  cdn_solvent_def solvent = cdn_default_solvent_def();
  solvent.model = CDN_SOLVENT_OBC2;
  cdn_molecule_set_solvent(m, &solvent);
  cdn_system_add_molecule(s->system, "molecule", m, cdn_ground());
  cdn_molecule_destroy(m);
}

static void apply_forces(scene *s, cdn_state *state) {
  double f[6 * SCENE_MOST_BODIES];
  const int nu = cdn_system_nu(cdn_state_system(state));
  for (int i = 0; i < nu; i++) f[i] = scene_number(s, -1, 1);
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, f));
  OK_ON(state, cdn_state_set_applied_body_force(state, s->ball, (cdn_spatial){ scene_vec3(s, 1), scene_vec3(s, 1) }));
}
static void add_nothing(scene *s) { (void)s; }

/* They depend on masses. */
static const refusal fixman_refuses[] = { { "regressors", NULL, "fixman" }, { NULL, NULL, NULL } };
static const refusal chain_refuses[] = { { "regressors", NULL, "thermostat" }, { NULL, NULL, NULL } };

static const feature rows[] = {
#define FORCE_ROW(ENUM, kind) { .name = #kind, .add = add_##kind },
  FORCE_KIND_LIST(FORCE_ROW)
#undef FORCE_ROW
      { .name = "exponential_spring", .add = add_exponential_spring, .differenced = true },
  { .name = "fixman", .add = add_fixman, .differenced = true, .refuses = fixman_refuses },
  { .name = "nose_hoover", .add = add_nose_hoover, .begin = warm_up, .differenced = true, .refuses = chain_refuses },
  { .name = "force_field", .add = add_force_field },
  { .name = "applied forces", .add = add_nothing, .begin = apply_forces },
};

feature_table force_features(void) { return (feature_table){ rows, (int)(sizeof rows / sizeof *rows) }; }
