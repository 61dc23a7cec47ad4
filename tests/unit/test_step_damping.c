/* Damping in implicit steps: along the tree where each force varies with the speed of its own mobility alone, by a
 * matrix elsewhere. Both find the same accelerations. */
#include <stdlib.h>

#include "../testing.h"

enum { JOINTS = 6 };

static cdn_status no_force(const void *self, cdn_state *state, cdn_forces *forces) {
  (void)self, (void)state, (void)forces;
  return CDN_OK;
}

/* Pins about changing axes, with dampers, actuators that answer speeds, and stops that are pressed. `drives`: the gain
 * of an actuator by the speed; `asks`: a force that may read any speed, and does not. */
static cdn_state *arm(double drives, bool asks) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  const double q0 = 0.3, u0 = -1.2;
  def.mobilizer = CDN_PIN, def.mass.mass = 1, def.mass.com = cdn_v3(0.5, 0.1, 0), def.q0 = &q0, def.u0 = &u0;
  def.mass.inertia = (cdn_inertia){ 0.3, 0.2, 0.25, 0, 0, 0 };
  cdn_body body = cdn_ground();
  for (int i = 0; i < JOINTS; i++) {
    def.parent = body, def.X_PF.p = cdn_v3(i > 0, 0, 0);
    def.X_PF.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), 0.7 * i);
    body = cdn_system_add_body(system, &def);
    if (i % 2) cdn_system_add_mobility_damper(system, NULL, body, 0, 20 + i);
    cdn_actuator_def act = cdn_default_actuator_def();
    char name[16];
    snprintf(name, sizeof name, "servo%d", i);
    cdn_control_def control = cdn_default_control_def();
    control.name = name, control.initial = 0.4;
    act.body = body, act.control = cdn_system_add_control(system, &control);
    act.bias[1] = -3, act.bias[2] = i == 2 ? drives : -4, act.gain_u = -1;
    cdn_system_add_actuator(system, name, &act);
    if (i == 3) cdn_system_add_mobility_stop(system, NULL, body, 0, -0.1, 0.2, 1000, 2);
  }
  cdn_system_add_global_damper(system, NULL, 0.5);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  const cdn_force_ops force = {
    .subsystem = { .name = "none" }, .struct_size = sizeof force, .reads = CDN_READS_VELOCITY, .calc_force = no_force
  };
  if (asks) cdn_system_add_custom_force(system, &force, NULL);
  cdn_state *state;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* By dampers, and with a joint that its actuator drives on: 1 N m s/rad more at each step than inertia would hold. */
START_TEST(both_ways_agree) {
  static const double drives[] = { -4, 30 };
  double u[2][JOINTS];
  for (int asks = 0; asks < 2; asks++) {
    cdn_state *state = arm(drives[_i], asks);
    cdn_stepper_def def = cdn_default_stepper_def();
    cdn_stepper *stepper;
    def.method = CDN_METHOD_MUJOCO_IMPLICIT_FAST, def.fixed_step = 0.01;
    OK_ON(state, cdn_stepper_create(state, &def, &stepper));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.05, NULL));
    memcpy(u[asks], cdn_state_u(cdn_stepper_state(stepper)), sizeof u[asks]);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
  for (int k = 0; k < JOINTS; k++) NEAR(u[0][k], u[1][k], 1e-11 * fmax(1, fabs(u[1][k])));
}
END_TEST

static size_t largest;
static void *count_alloc(void *context, size_t size, size_t align) {
  (void)context;
  largest = size > largest ? size : largest;
  return aligned_alloc(align, (size + align - 1) / align * align);
}
static void count_free(void *context, void *memory, size_t size) {
  (void)context, (void)size;
  free(memory);
}

/* A matrix of its 1000 joints would take 8 MB. */
START_TEST(a_long_chain_fills_no_matrix) {
  cdn_system_def how = cdn_default_system_def();
  how.allocator = (cdn_allocator){ .alloc = count_alloc, .free = count_free };
  cdn_system *system = cdn_system_create(&how);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN, def.mass.mass = 1, def.mass.inertia = (cdn_inertia){ 0.1, 0.1, 0.1, 0, 0, 0 };
  def.parent = cdn_ground();
  for (int i = 0; i < 1000; i++) {
    def.X_PF.p = cdn_v3(i > 0, 0, 0);
    def.parent = cdn_system_add_body(system, &def);
    cdn_system_add_mobility_damper(system, NULL, def.parent, 0, 1);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  cdn_state *state;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  cdn_stepper_def step = cdn_default_stepper_def();
  cdn_stepper *stepper;
  step.method = CDN_METHOD_MUJOCO_IMPLICIT_FAST, step.fixed_step = 0.001;
  OK_ON(state, cdn_stepper_create(state, &step, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.002, NULL));
  AT_MOST((double)largest, 4e6);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, both_ways_agree, 0, 2);
  tcase_add_test(c, a_long_chain_fills_no_matrix);
}
CHECK_MAIN_OF("damping in steps", 60, add)
