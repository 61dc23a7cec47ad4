/* shared by tests in this folder */
/* Features: actuators with a transmission, an activation and a law. A transmission without a row does not compile. */
#include "matrix.h"

#include <cardan/actuators.h>
#include <cardan/measures.h>

typedef struct sample_drive {
  cdn_transmission on;
  cdn_actuator_dynamics dynamics;
  cdn_drive_law law;
  bool seen; /* a frame has a reference */
} sample_drive;

static void put_law(cdn_drive_def *def, const sample_drive *d, double length) {
  def->dynamics = d->dynamics, def->gain_law = def->bias_law = d->law;
  def->gain[0] = 1.5, def->gain[1] = 0.3, def->gain[2] = -0.4;
  def->bias[0] = 0.2, def->bias[1] = -0.7, def->bias[2] = -0.5;
  def->time[0] = 0.3, def->time[1] = 0.5, def->time[2] = 0.2;
  if (d->dynamics == CDN_ACTUATOR_FILTER) def->early = 0.05;
  if (d->dynamics == CDN_ACTUATOR_INTEGRATOR) def->activation_lower = -3, def->activation_upper = 4;
  def->passive.peak = def->muscle.peak = 2;
  /* it is slack before its points meet */
  def->muscle.length_range[0] = def->passive.length_range[0] = length > 0 ? 0.8 * length : -2;
  def->muscle.length_range[1] = def->passive.length_range[1] = length > 0 ? 1.1 * length : 1;
}

static cdn_transform turned(double angle, cdn_vec3 p) {
  return (cdn_transform){ cdn_rotation_axis_angle(cdn_v3(1, 2, -1), angle), p };
}

/* Its length in the scene's pose. */
static double place(scene *s, cdn_drive_def *def, bool seen) {
  static const double gear[6] = { 0.6, -0.3, 0.4, 0.5, 0.7, -0.2 };
  switch (def->on) {
    case CDN_ON_JOINT:
      def->body = s->ball;
      memcpy(def->gear, gear, sizeof gear);
      return 0;
    case CDN_ON_PATH: {
      const cdn_vec3 P = cdn_v3(0.1, 0, 0.2), end = cdn_v3(2, -1, 3);
      def->path = cdn_system_add_path(s->system, "muscle's");
      cdn_path_add_point(s->system, def->path, s->ball, P);
      cdn_path_add_point(s->system, def->path, s->loose[0], cdn_v3(0, 0.3, 0.1));
      cdn_path_add_point(s->system, def->path, cdn_ground(), end);
      const cdn_vec3 a = cdn_transform_point(s->X[s->ball.i], P);
      const cdn_vec3 b = cdn_transform_point(s->X[s->loose[0].i], cdn_v3(0, 0.3, 0.1));
      return cdn_norm(cdn_sub(a, b)) + cdn_norm(cdn_sub(b, end));
    }
    case CDN_ON_FRAME:
      def->body = s->ball, def->X_BS = turned(0.4, cdn_v3(0.2, 0.1, 0));
      def->has_reference = seen, def->reference = s->loose[0], def->X_RF = turned(-0.7, cdn_v3(0, 0.1, 0.3));
      memcpy(def->gear, gear, sizeof gear);
      return 0;
    case CDN_ON_CRANK: {
      const cdn_vec3 v = cdn_sub(s->X[s->ball.i].p, s->X[s->loose[0].i].p);
      def->body = s->ball, def->X_BS = turned(0, cdn_v3(0.1, 0.2, 0));
      def->reference = s->loose[0], def->X_RF = turned(0.7, cdn_v3(0, 0.1, 0));
      def->rod = 3 + 2 * cdn_norm(v), def->gear[0] = 0.6;
      return -0.6 * def->rod;
    }
    case CDN_ON_CONTACTS: break; /* features_contact.c */
  }
  return 0;
}

static void add_drive(scene *s) {
  const sample_drive *d = scene_feature(s)->data;
  cdn_control_def control = cdn_default_control_def();
  cdn_drive_def def = cdn_default_drive_def();
  control.name = scene_feature(s)->name, control.initial = 0.6;
  def.control = cdn_system_add_control(s->system, &control);
  def.on = d->on;
  put_law(&def, d, place(s, &def, d->seen));
  s->id[s->now] = cdn_system_add_drive(s->system, scene_feature(s)->name, &def).i;
}

/* A muscle's rate has a corner where it is at rest. */
static void excite(scene *s, cdn_state *state) {
  const cdn_zvar z = cdn_actuator_activation(cdn_state_system(state), (cdn_force){ s->id[s->now] });
  OK_ON(state, cdn_state_set_zvar(state, z, &(double){ 0.3 }));
}

/* Two actuators whose sum is at a bound, and one whose sum is not. */
static void add_limited(scene *s) {
  cdn_force forces[2];
  cdn_control_def control = cdn_default_control_def();
  for (int i = 0; i < 2; i++) {
    cdn_drive_def def = cdn_default_drive_def();
    control.name = i ? "one" : "other", control.initial = 2 + i;
    def.control = cdn_system_add_control(s->system, &control);
    def.body = i ? s->ball : s->slider;
    if (i) def.on = CDN_ON_FRAME, def.gear[3] = 1, def.gear[4] = 0.5;
    forces[i] = cdn_system_add_drive(s->system, i ? "one" : "other", &def);
  }
  cdn_system_limit_drives(s->system, "limit of two", s->slider, 0, 2, forces, -0.5, 0.5);
  const cdn_path path = cdn_system_add_path(s->system, "limited");
  cdn_path_add_coordinate(s->system, path, s->pin, 0, 0.7);
  cdn_path_add_coordinate(s->system, path, s->slider, 0, -0.4);
  for (int i = 0; i < 2; i++) {
    cdn_drive_def def = cdn_default_drive_def();
    control.name = i ? "puller" : "pusher", control.initial = 1 + i;
    def.control = cdn_system_add_control(s->system, &control);
    def.on = CDN_ON_PATH, def.path = path, def.gear[0] = i ? -0.5 : 2, def.bias[1] = -0.3;
    forces[i] = cdn_system_add_drive(s->system, i ? "puller" : "pusher", &def);
  }
  cdn_system_limit_drives_along(s->system, "limit along", path, 2, forces, -0.5, 0.7);
}

/* A servo that reads its control late. */
static void add_late(scene *s) {
  cdn_control_def control = cdn_default_control_def();
  cdn_actuator_def def = cdn_default_actuator_def();
  cdn_delay_def delay = cdn_default_delay_def();
  control.name = scene_feature(s)->name, control.initial = 0.6;
  const cdn_control now = cdn_system_add_control(s->system, &control);
  delay.operand = cdn_system_add_control_measure(s->system, "given", now);
  delay.delay = 0.05, delay.history = &(double){ 0.3 };
  control.name = "late";
  def.control = cdn_system_add_control(s->system, &control);
  cdn_control_follow_measure(s->system, def.control, cdn_system_add_delay_measure(s->system, &delay), 0);
  def.body = s->slider, def.gain = 3, def.bias[1] = -3, def.bias[2] = -0.4;
  cdn_system_add_actuator(s->system, scene_feature(s)->name, &def);
}
static const refusal remembers[] = { { "lanes in time", NULL, "auto-update variables" }, { NULL, NULL, NULL } };

static const sample_drive ball = { CDN_ON_JOINT, CDN_ACTUATOR_FILTER, CDN_LAW_AFFINE, false };
static const sample_drive frame = { CDN_ON_FRAME, CDN_ACTUATOR_DIRECT, CDN_LAW_AFFINE, false };
static const sample_drive reference = { CDN_ON_FRAME, CDN_ACTUATOR_MUSCLE, CDN_LAW_AFFINE, true };
static const sample_drive crank = { CDN_ON_CRANK, CDN_ACTUATOR_INTEGRATOR, CDN_LAW_AFFINE, false };
static const sample_drive muscle = { CDN_ON_PATH, CDN_ACTUATOR_MUSCLE, CDN_LAW_OF_MUSCLE, false };

static const feature rows[] = {
  { .name = "servo on a ball", .add = add_drive, .data = &ball },
  { .name = "motor on a frame", .add = add_drive, .data = &frame },
  { .name = "servo between frames", .add = add_drive, .begin = excite, .data = &reference },
  { .name = "slider-crank", .add = add_drive, .data = &crank },
  { .name = "muscle along a path", .add = add_drive, .begin = excite, .data = &muscle, .tip = true },
  { .name = "limited actuators", .add = add_limited, .differenced = true },
  { .name = "delayed servo", .add = add_late, .refuses = remembers },
};

feature_table actuator_features(void) { return (feature_table){ rows, (int)(sizeof rows / sizeof *rows) }; }
