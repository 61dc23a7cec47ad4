/* Controls that act late, and sensors that are read late or at times, in runs of equal steps here and in a newer MuJoCo
 * (newer_mujoco.h). CARDAN_NEWER_MUJOCO names where it is. */
#define _GNU_SOURCE
#include "newer_mujoco.h"

#include <stdlib.h>
#include <unistd.h>

#include "../testing.h"
#include "random_mjcf.h"

/* The step is a power of two, so that both programs have the same times: MuJoCo adds steps up, and which sample is that
 * of a time would depend on rounding; a period that is no multiple of the step comes to none, either. Delays of whole
 * steps and others, shorter and longer than what is kept; periods of whole steps and others, with phases. Sensors
 * without them stand beside for comparison. */
static const char text[] =
    "<mujoco><compiler angle='radian' autolimits='true'/>"
    "<option timestep='.0078125' integrator='%s' gravity='0 0 -9'/>"
    "<worldbody><body name='a' pos='0 0 1'><joint name='j1' axis='0 1 .2' damping='.3'/>"
    "<geom type='box' size='.1 .05 .2' pos='.1 0 .2' contype='0'/><site name='s' pos='.1 .2 .1' euler='.1 .2 .3'/>"
    "<body name='b' pos='0 0 .4'><joint name='j2' axis='1 0 0' damping='.1'/>"
    "<geom type='capsule' size='.04 .2' pos='.1 0 .2' contype='0'/>"
    "<body name='c' pos='0 0 .4'><joint name='j3' type='slide' axis='0 .3 1' damping='1' stiffness='20'/>"
    "<geom type='sphere' size='.1' pos='0 .1 0' contype='0'/></body></body></body></worldbody>"
    "<actuator><motor name='m1' joint='j1' delay='.0390625' nsample='5'/>"
    "<position name='m2' joint='j2' kp='8' delay='.03' nsample='6' interp='linear' ctrlrange='-2 2'/>"
    "<general name='m3' joint='j3' dyntype='filter' dynprm='.05' gainprm='9' delay='.02' nsample='4' interp='cubic'/>"
    "<motor name='m4' joint='j1' gear='.5' delay='.05' nsample='3' interp='cubic'/>"
    "<motor name='m5' joint='j2' nsample='3' gear='.4'/>"
    "<velocity name='m6' joint='j3' kv='2' delay='.001' nsample='2' interp='linear'/></actuator>"
    "<sensor><jointpos name='now' joint='j1'/><jointpos name='late' joint='j1' delay='.0390625' nsample='5'/>"
    "<jointvel name='line' joint='j2' delay='.03' nsample='7' interp='linear'/>"
    "<framepos name='curve' objtype='body' objname='c' delay='.0234' nsample='9' interp='cubic'/>"
    "<gyro name='held' site='s' interval='.03125' nsample='1'/>"
    "<velocimeter name='odd' site='s' interval='.02 -.013' nsample='2'/>"
    "<jointpos name='both' joint='j3' interval='.02 -.0051' nsample='4' delay='.05'/>"
    "<jointvel name='steep' joint='j3' interval='.0234375' nsample='8' delay='.06' interp='cubic'/>"
    "<jointpos name='kept' joint='j2' nsample='4'/><clock name='clock' delay='.011' nsample='3' interp='linear'/>"
    "</sensor></mujoco>";

enum { STEPS = 200, MOST = 40 };
static newer_server server;

static int sensed(const cdn_model *model, cdn_state *state, double *values) {
  int n = 0;
  for (int i = 0; i < cdn_model_sensor_count(model); i++) {
    cdn_model_sensor s;
    OK(cdn_model_get_sensor(model, i, &s));
    const double *of = cdn_measure_value(state, s.measure);
    ck_assert_ptr_nonnull(of);
    memcpy(values + n, of, (size_t)s.n * sizeof *of);
    n += s.n;
  }
  return n;
}

static void close_to(const double *ours, const double *theirs, int n, int step, const char *what) {
  for (int i = 0; i < n; i++)
    ck_assert_msg(fabs(ours[i] - theirs[i]) <= 1e-11 * fmax(1, fabs(theirs[i])), "step %d, %s %d: %.17g, MuJoCo %.17g",
                  step, what, i, ours[i], theirs[i]);
}

static cdn_model *load(const char *of) {
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model;
  cdn_error error;
  options.strict = true, options.solving = CDN_MODEL_SOLVE_AS_FILE;
  const cdn_status status = cdn_model_load_string(of, strlen(of), "delays", &options, &model);
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  return model;
}

START_TEST(delays_are_those_of_a_newer_mujoco) {
  static const char *const integrators[] = { "Euler", "implicitfast", "implicit" };
  char model_text[4000], path[] = "/tmp/newer_delays_XXXXXX.xml", message[400] = "";
  if (!newer_mujoco_folder() || !newer_mujoco_is_there()) SKIP("CARDAN_NEWER_MUJOCO names no newer MuJoCo");
  snprintf(model_text, sizeof model_text, text, integrators[_i]);
  const int file = mkstemps(path, 4);
  ck_assert(file >= 0 && write(file, model_text, strlen(model_text)) == (ssize_t)strlen(model_text));
  close(file);
  ck_assert(newer_server_start(&server));
  newer_mujoco n;
  ck_assert_msg(newer_mujoco_open(&n, &server, path, message, sizeof message), "%s", message);
  unlink(path);
  cdn_model *model = load(model_text);
  cdn_state *state;
  cdn_stepper *stepper;
  cdn_stepper_def def = cdn_default_stepper_def();
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK(cdn_model_steps_of_file(model, &def.method, &def.fixed_step));
  OK(cdn_stepper_create(state, &def, &stepper));
  cdn_state *at = cdn_stepper_state(stepper);
  double ours[MOST], theirs[MOST];
  const int count = sensed(model, at, ours);
  ck_assert_int_eq(n.m.nv, 3);
  uint64_t rng = 5;
  for (int k = 0; k < STEPS; k++) {
    for (int i = 0; i < n.m.nu; i++) {
      cdn_model_actuator a;
      OK(cdn_model_get_actuator(model, i, &a));
      /* some stay what they were: nothing is written then */
      if (k % 7 < 5 || i == 2) n.d.ctrl[i] = random_uniform(&rng, -1.5, 1.5);
      OK_ON(at, cdn_control_set(at, a.control, n.d.ctrl[i]));
    }
    sensed(model, at, ours);
    ck_assert_msg(newer_mujoco_step(&n, count, theirs), "%s", n.line);
    close_to(ours, theirs, count, k, "sensor");
    OK_ON(at, cdn_stepper_advance(stepper, (k + 1) * def.fixed_step, NULL));
    close_to(cdn_state_q(at), n.d.qpos, 3, k, "q");
    close_to(cdn_state_u(at), n.d.qvel, 3, k, "u");
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  newer_mujoco_close(&n);
  newer_server_stop(&server);
}
END_TEST

static void add(TCase *c) { tcase_add_loop_test(c, delays_are_those_of_a_newer_mujoco, 0, 3); }
CHECK_MAIN_OF("newer delays", 60, add)
