/* shared by tests in this folder */
/* Features: prescribed motions of each kind, and locks at each level. */
#include "matrix.h"

/* A joint with one coordinate that nothing else prescribes. */
static cdn_body free_joint(scene *s) {
  cdn_mobility at;
  do at = scene_coordinate(s);
  while (at.body.i == s->cylinder.i);
  s->element[s->now] = at.body.i == s->pin.i ? "'pin'" : "'slider'";
  return at.body;
}

/* q of the coordinate in the pose, so that shapes touch where they were put. */
static void add_sinusoid(scene *s) {
  cdn_motion_def def = cdn_default_motion_def();
  def.name = s->now ? "second motion" : "motion", def.body = free_joint(s), def.kind = CDN_MOTION_SINUSOID;
  def.level = *(const cdn_motion_level *)scene_feature(s)->data;
  const double q = scene_q(s, def.body, 0);
  def.params[0] = 2, def.params[1] = 1.5;
  switch (def.level) {
    case CDN_LEVEL_POSITION: def.params[2] = asin(q / 2); break;
    case CDN_LEVEL_VELOCITY: def.params[2] = 0.1; break;
    case CDN_LEVEL_ACCELERATION: def.params[2] = 0.7; break;
    case CDN_LEVEL_NONE: break;
  }
  cdn_system_add_motion(s->system, &def);
}
static const cdn_motion_level levels[] = { CDN_LEVEL_POSITION, CDN_LEVEL_VELOCITY, CDN_LEVEL_ACCELERATION };

static void add_steady(scene *s) {
  s->element[s->now] = "'ball'";
  cdn_motion_def def = cdn_default_motion_def();
  def.name = "steady", def.body = s->ball, def.kind = CDN_MOTION_STEADY, def.level = CDN_LEVEL_VELOCITY;
  def.params[0] = 0.2, def.params[1] = -0.1, def.params[2] = 0.3;
  cdn_system_add_motion(s->system, &def);
}

/* udot = sin(t) - q - 0.5 u */
static cdn_status swing(const void *self, const cdn_motion_input *in, double *out) {
  (void)self;
  out[0] = sin(in->t) - in->q[in->first_q] - 0.5 * in->u[in->first_u];
  return CDN_OK;
}
static void add_own_motion(scene *s) {
  const cdn_motion_ops ops = { .struct_size = sizeof ops, .name = "swing", .udot = swing };
  cdn_motion_def def = cdn_default_motion_def();
  def.name = "own motion", def.body = free_joint(s), def.kind = CDN_MOTION_CUSTOM, def.level = CDN_LEVEL_ACCELERATION;
  def.custom = &ops;
  cdn_system_add_motion(s->system, &def);
}

/* u = 0.3 + 0.2 q, with its rate. */
static cdn_status stretch_u(const void *self, const cdn_motion_input *in, double *out) {
  (void)self;
  out[0] = 0.3 + 0.2 * in->q[in->first_q] + 0.1 * sin(in->t);
  return CDN_OK;
}
static cdn_status stretch_udot(const void *self, const cdn_motion_input *in, double *out) {
  (void)self;
  out[0] = 0.2 * in->u[in->first_u] + 0.1 * cos(in->t);
  return CDN_OK;
}
static void add_own_speed(scene *s) {
  const cdn_motion_ops ops = { .struct_size = sizeof ops, .name = "stretch", .u = stretch_u, .udot = stretch_udot };
  cdn_motion_def def = cdn_default_motion_def();
  def.name = "own speed", def.body = free_joint(s), def.kind = CDN_MOTION_CUSTOM, def.level = CDN_LEVEL_VELOCITY;
  def.custom = &ops;
  cdn_system_add_motion(s->system, &def);
}

static void add_controlled(scene *s) {
  cdn_control_def control = cdn_default_control_def();
  cdn_motion_def def = cdn_default_motion_def();
  def.name = "controlled", def.body = free_joint(s);
  def.kind = CDN_MOTION_CONTROLLED, def.level = CDN_LEVEL_POSITION;
  control.name = "motion's", control.initial = scene_q(s, def.body, 0);
  def.control = cdn_system_add_control(s->system, &control);
  cdn_function *f = cdn_function_polynomial(3, (double[]){ 0.8, 0.5, control.initial });
  cdn_control_follow_function(s->system, def.control, f);
  cdn_function_release(f);
  cdn_system_add_motion(s->system, &def);
}

/* The free body moves on from where it stands in the pose. */
static void add_mocap(scene *s) {
  s->element[s->now] = "'loose'";
  cdn_motion_def def = cdn_default_motion_def();
  def.name = "mocap", def.body = s->loose[0], def.kind = CDN_MOTION_MOCAP;
  cdn_system_add_motion(s->system, &def);
}
static void pose_mocap(scene *s, cdn_state *state) {
  const cdn_spatial V = { { 0.2, -0.1, 0.15 }, { 0.1, 0.05, -0.08 } };
  OK_ON(state, cdn_mocap_set_pose(state, s->loose[0], s->X[s->loose[0].i]));
  OK_ON(state, cdn_mocap_set_velocity(state, s->loose[0], V));
}

/* Each kind of motion has an entry below. */
static inline void each_kind(cdn_motion_kind kind) {
  switch (kind) {
    case CDN_MOTION_SINUSOID: /* motion by position, speed, acceleration */
    case CDN_MOTION_STEADY:
    case CDN_MOTION_CUSTOM: /* own motion, own speed */
    case CDN_MOTION_CONTROLLED:
    case CDN_MOTION_MOCAP: return;
  }
}

static void add_nothing(scene *s) { s->id[s->now] = free_joint(s).i; }
static void lock(scene *s, cdn_state *state) {
  OK_ON(state, cdn_body_lock(state, (cdn_body){ s->id[s->now] }, *(const cdn_motion_level *)scene_feature(s)->data));
}

static const refusal all_refuse[] = { { "invertible motion", NULL, NULL }, { NULL, NULL, NULL } };
static const refusal own_motion_refuses[] = { { "invertible motion", NULL, NULL },
                                              { "derivatives of a step", NULL, "own motion" },
                                              { "a step by controls", NULL, "own motion" },
                                              { NULL, NULL, NULL } };
static const refusal own_speed_refuses[] = {
  { "invertible motion", NULL, NULL },         { "derivatives of a step", NULL, "own speed" },
  { "a step by controls", NULL, "own speed" }, { "linearization", NULL, "own speed" },
  { "eigenvalues", NULL, "own speed" },        { NULL, NULL, NULL }
};
static const refusal controlled_refuses[] = { { "invertible motion", NULL, NULL },
                                              { "a step by controls", NULL, "motion's" },
                                              { NULL, NULL, NULL } };

static const feature table[] = {
  { .name = "motion by position", .add = add_sinusoid, .refuses = all_refuse, .data = &levels[0] },
  { .name = "motion by speed", .add = add_sinusoid, .refuses = all_refuse, .data = &levels[1] },
  { .name = "motion by acceleration", .add = add_sinusoid, .refuses = all_refuse, .data = &levels[2] },
  { .name = "steady motion", .add = add_steady, .refuses = all_refuse },
  { .name = "own motion", .add = add_own_motion, .refuses = own_motion_refuses },
  { .name = "own speed", .add = add_own_speed, .refuses = own_speed_refuses },
  { .name = "controlled motion", .add = add_controlled, .refuses = controlled_refuses },
  { .name = "mocap body", .add = add_mocap, .begin = pose_mocap, .refuses = all_refuse },
  { .name = "lock of position", .add = add_nothing, .begin = lock, .refuses = all_refuse, .data = &levels[0] },
  { .name = "lock of speed", .add = add_nothing, .begin = lock, .refuses = all_refuse, .data = &levels[1] },
  { .name = "lock of acceleration", .add = add_nothing, .begin = lock, .refuses = all_refuse, .data = &levels[2] },
};

feature_table motion_features(void) { return (feature_table){ table, (int)(sizeof table / sizeof *table) }; }
