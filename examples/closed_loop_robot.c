/* A closed-loop robot from a model file: a planar five-bar whose MJCF <equality> becomes a hard constraint. It is
 * assembled with its two motors where we want them; then: where is the tool, which motor torques hold the robot there
 * against gravity, and does it stay if they are applied? Compared with the intersection of two circles, and with
 * virtual work. The same on the command line:
 *
 *   cardan assemble examples/models/five_bar.xml --goal left_motor=-0.35 --goal right_motor=-0.15 -o reach.json
 *   cardan simulate examples/models/five_bar.xml --initial reach.json --duration 2 -o motion.csv --deliver
 *   cardan plot motion.csv */
#include <cardan/core.h>
#include <cardan/model.h>
#include <cardan/assembly.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double WANTED[2] = { -0.35, -0.15 }; /* rad, from the pose that the file draws */

typedef struct robot {
  const cdn_system *system;
  cdn_body arm[2], tool;
} robot;

/* Where the tool is if the file's lengths and motor angles are all that one knows: above both elbows. */
static cdn_vec3 tool_of(const double angle[2]) {
  cdn_vec3 elbow[2];
  for (int side = 0; side < 2; side++) {
    const double c = cos(angle[side]), s = sin(angle[side]), x = side ? 0.15 : -0.15, z = 0.2;
    elbow[side] = cdn_v3((side ? 0.1 : -0.1) + c * x - s * z, 0, s * x + c * z);
  }
  const cdn_vec3 middle = cdn_scale(0.5, cdn_add(elbow[0], elbow[1])), half = cdn_sub(elbow[1], middle);
  const double up = sqrt(0.25 * 0.25 + 0.12 * 0.12 - cdn_dot(half, half)) / cdn_norm(half);
  return cdn_add(middle, cdn_v3(-half.z * up, 0, half.x * up));
}

/* Brings the motors to these angles, closes the loop. */
static cdn_status pose(cdn_state *state, const robot *r, const double angle[2], cdn_assembly_report *report) {
  cdn_assembly *assembly = NULL;
  cdn_status status = cdn_assembly_create(r->system, NULL, &assembly);
  for (int side = 0; !status && side < 2; side++) {
    status = cdn_body_set_q(state, r->arm[side], 1, &angle[side]);
    if (!status) status = cdn_assembly_lock(assembly, r->arm[side], true);
  }
  if (!status) status = cdn_assemble(assembly, state, report);
  cdn_assembly_destroy(assembly);
  return status;
}

/* What the motors must do against gravity, by how the potential energy changes when one turns (N m). */
static cdn_status virtual_work(const cdn_state *at, const robot *r, double torque[2]) {
  const double h = 1e-4;
  cdn_state *state = NULL;
  cdn_status status = cdn_state_create(r->system, &state);
  for (int side = 0; !status && side < 2; side++) {
    double energy[2] = { 0 };
    for (int way = 0; !status && way < 2; way++) {
      double angle[2] = { WANTED[0], WANTED[1] };
      angle[side] += way ? h : -h;
      status = cdn_state_copy(state, at);
      if (!status) status = pose(state, r, angle, NULL);
      if (!status) status = cdn_potential_energy(state, &energy[way]);
    }
    torque[side] = (energy[1] - energy[0]) / (2 * h);
  }
  cdn_state_destroy(state);
  return status;
}

/* Torques of the two motors alone that leave the robot at rest where it is: f (nu). */
static cdn_status holding_torques(cdn_state *state, const robot *r, double *f, double *unbalanced) {
  const double at_rest[4] = { 0 };
  bool actuated[4] = { false };
  for (int side = 0; side < 2; side++) actuated[cdn_body_first_u(r->system, r->arm[side])] = true;
  return cdn_constrained_inverse_dynamics(state, at_rest, actuated, f, NULL, unbalanced);
}

/* Runs for a while from the State; how far the tool has gone by then, and the certificate. */
static cdn_status run(cdn_state *state, const robot *r, double duration, double *moved, cdn_certificate *certificate) {
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-6;
  cdn_vec3 from, to;
  cdn_status status = cdn_body_station(state, r->tool, cdn_v3(0, 0, 0), &from, NULL);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  if (!status) status = cdn_stepper_advance(stepper, duration, NULL);
  if (!status) status = cdn_body_station(cdn_stepper_state(stepper), r->tool, cdn_v3(0, 0, 0), &to, NULL);
  if (!status) status = cdn_stepper_certificate(stepper, certificate);
  if (!status) *moved = cdn_norm(cdn_sub(to, from));
  cdn_stepper_destroy(stepper);
  return status;
}

/* Whether everything is as the closed forms say. */
static cdn_status study(cdn_state *state, const robot *r, bool *right) {
  cdn_assembly_report report;
  cdn_vec3 tool;
  double f[4], torque[2], unbalanced, moved, fallen;
  cdn_certificate held, certificate;
  cdn_status status = pose(state, r, WANTED, &report);
  if (!status) status = cdn_body_station(state, r->tool, cdn_v3(0, 0, 0), &tool, NULL);
  if (!status) status = holding_torques(state, r, f, &unbalanced);
  if (!status) status = virtual_work(state, r, torque);
  if (status) return status;
  const double apart = cdn_norm(cdn_sub(tool, tool_of(WANTED)));
  printf("assembled: the loop was open by %.3f m; the tool is at (%.6f, %.6f), off by %.0e m\n", report.error_before,
         tool.x, tool.z, apart);
  double off = fabs(unbalanced);
  for (int side = 0; side < 2; side++) {
    const double motor = f[cdn_body_first_u(r->system, r->arm[side])];
    printf("%s motor holds with %+.6f N m, by virtual work %+.6f\n", side ? "right" : "left", motor, torque[side]);
    off = fmax(off, fabs(motor - torque[side]));
  }
  status = cdn_state_set_applied_mobility_forces(state, f);
  if (!status) status = run(state, r, 0.5, &moved, &held);
  for (int k = 0; k < 4; k++) f[k] = 0;
  if (!status) status = cdn_state_set_applied_mobility_forces(state, f);
  if (!status) status = run(state, r, 2, &fallen, &certificate);
  if (status) return status;
  printf("held for half a second the tool moves by %.0e m; let go, by %.2f m in two seconds\n", moved, fallen);
  printf("energy residual %.0e, loop closed to %.0e m, in %d steps\n", certificate.energy_residual,
         certificate.max_position_error, (int)certificate.steps);
  *right = apart < 1e-9 && off < 1e-7 && moved < 1e-9 && fabs(certificate.energy_residual) < 1e-5 &&
           certificate.max_position_error < 1e-7;
  return CDN_OK;
}

int main(void) {
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  char path[1024];
  snprintf(path, sizeof path, "%s/examples/models/five_bar.xml", root ? root : ".");
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  bool right = false;
  cdn_status status = cdn_model_load(path, NULL, &model);
  if (!status) {
    const cdn_system *system = cdn_model_system(model);
    const robot r = { .system = system,
                      .arm = { cdn_system_find_body(system, "left_arm"), cdn_system_find_body(system, "right_arm") },
                      .tool = cdn_system_find_body(system, "tool") };
    for (int i = 0; i < cdn_system_constraint_count(system); i++)
      printf("%s: %s '%s'\n", cdn_model_name(model), cdn_constraint_kind_name(system, (cdn_constraint){ i }),
             cdn_constraint_name(system, (cdn_constraint){ i }));
    status = cdn_state_create(system, &state);
    if (!status) status = study(state, &r, &right);
  }
  if (status) fprintf(stderr, "closed_loop_robot: %s\n", cdn_last_error_text());
  cdn_state_destroy(state), cdn_model_destroy(model);
  return !status && right ? 0 : 1;
}
