/* What an actuator does: its length, its force, and how these vary. */
#include "io/drive.h"

#include <cardan/angles.h>
#include <cardan/derivatives.h>
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "io/model.h"

/* The rotation of the child's joint frame in the frame in which the joint's speeds are expressed. */
static cdn_status joint_rotation(const io_drive *a, cdn_state *state, cdn_rotation *R) {
  cdn_transform X_FM;
  CDNI_TRY(cdn_body_X_FM(state, a->body, &X_FM));
  *R = cdn_body_is_reversed(cdn_state_system(state), a->body) ? cdn_rotation_transpose(X_FM.R) : X_FM.R;
  return CDN_OK;
}

static cdn_vec3 half(const double *six, int which) {
  return cdn_v3(six[3 * which], six[3 * which + 1], six[3 * which + 2]);
}

static cdn_status pose_of(cdn_state *state, cdn_body body, cdn_transform X_BF, cdn_transform *X_GF) {
  cdn_transform X_GB;
  CDNI_TRY(cdn_body_pose(state, body, &X_GB));
  *X_GF = cdn_transform_multiply(X_GB, X_BF);
  return CDN_OK;
}

static cdn_status velocity_of(cdn_state *state, cdn_body body, cdn_vec3 p_B, cdn_spatial *V) {
  cdn_transform X_GB;
  CDNI_TRY(cdn_body_pose(state, body, &X_GB));
  CDNI_TRY(cdn_body_velocity(state, body, V));
  V->v = cdn_add(V->v, cdn_cross(V->w, cdn_rotate(X_GB.R, p_B)));
  return CDN_OK;
}

/* Where the frame is, seen from its reference, if it has one; R: the axes of the gear in Ground. */
static cdn_status relative_pose(const io_drive *a, cdn_state *state, cdn_rotation *R, cdn_rotation *turned,
                                cdn_vec3 *arm) {
  cdn_transform X_GS, X_GR;
  CDNI_TRY(pose_of(state, a->body, a->X_BS, &X_GS));
  CDNI_TRY(a->relative ? pose_of(state, a->reference, a->X_RF, &X_GR) : CDN_OK);
  *R = a->relative ? X_GR.R : X_GS.R;
  *turned = cdn_rotation_multiply(cdn_rotation_transpose(*R), X_GS.R);
  *arm = a->relative ? cdn_sub(X_GS.p, X_GR.p) : cdn_v3(0, 0, 0);
  return CDN_OK;
}

static double length_of_turn(cdn_rotation R, cdn_vec3 turn) {
  cdn_vec3 axis;
  const double angle = cdn_axis_angle_from_rotation(R, &axis);
  return angle * cdn_dot(axis, turn);
}

/* The generalized forces of p = 1 on the joint, or the moment and force on the frame, in Ground; and the length. */
static cdn_status moments(const io_drive *a, cdn_state *state, double moment[6], cdn_vec3 *arm, double *length) {
  const double *g = a->gear;
  cdn_rotation R = cdn_rotation_identity(), turned;
  cdn_vec3 turn = cdn_v3(g[0], g[1], g[2]), push = cdn_v3(g[3], g[4], g[5]);
  *length = 0, *arm = cdn_v3(0, 0, 0);
  if (a->kind == ON_COORDINATES) {
    const double *q = cdn_state_q_eff(state);
    if (!q) return CDN_ERR_CALLBACK;
    for (int i = 0; i < a->joints; i++)
      *length += g[0] * a->coefficient[i] * q[cdn_body_first_q(cdn_state_system(state), a->joint[i])];
  } else if (a->kind == ON_FRAME) {
    CDNI_TRY(relative_pose(a, state, &R, &turned, arm));
    if (a->relative) *length = length_of_turn(turned, turn);
    turn = cdn_rotate(R, turn);
    push = cdn_rotate(R, push);
    *length += cdn_dot(push, *arm);
  } else {
    CDNI_TRY(joint_rotation(a, state, &R));
    if (a->kind == ON_BALL) *length = length_of_turn(R, turn); /* the axis has the same numbers in both frames */
    if (!a->in_parent) turn = cdn_rotate(R, turn);
  }
  memcpy(moment, (double[6]){ turn.x, turn.y, turn.z, push.x, push.y, push.z }, 6 * sizeof *moment);
  return CDN_OK;
}

/* Of the frame, as its reference and the body that carries both see it. */
static cdn_status frame_speeds(const io_drive *a, cdn_state *state, cdn_vec3 arm, double speed[6]) {
  cdn_spatial V, V_R, V_both;
  CDNI_TRY(velocity_of(state, a->body, a->X_BS.p, &V));
  if (a->relative) {
    CDNI_TRY(velocity_of(state, a->reference, a->X_RF.p, &V_R));
    CDNI_TRY(cdn_body_velocity(state, a->both, &V_both));
    V.w = cdn_sub(V.w, V_R.w);
    V.v = cdn_sub(cdn_sub(V.v, V_R.v), cdn_cross(V_both.w, arm));
  }
  memcpy(speed, (double[6]){ V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z }, 6 * sizeof *speed);
  return CDN_OK;
}

static cdn_status speeds(const io_drive *a, cdn_state *state, cdn_vec3 arm, double speed[6]) {
  const cdn_system *system = cdn_state_system(state);
  memset(speed, 0, 6 * sizeof *speed);
  if (a->kind == ON_FRAME) return frame_speeds(a, state, arm, speed);
  const double *u = cdn_state_u_eff(state);
  if (!u) return CDN_ERR_CALLBACK;
  for (int i = 0; i < a->joints; i++) speed[0] += a->coefficient[i] * u[cdn_body_first_u(system, a->joint[i])];
  if (a->kind == ON_COORDINATES) return CDN_OK;
  memcpy(speed, u + cdn_body_first_u(system, a->body), (size_t)cdn_body_nu(system, a->body) * sizeof *speed);
  return CDN_OK;
}

static double within(double value, double lower, double upper) { return fmin(fmax(value, lower), upper); }

static cdn_status signal_of(const io_drive *a, cdn_state *state, double *signal) {
  if (a->dynamics == CDN_ACTUATOR_DIRECT) return cdn_control_value(state, a->control, signal);
  *signal = within(cdn_state_zvar(state, a->z)[0], a->least, a->most);
  return CDN_OK;
}

cdn_status io_drive_act(const io_drive *a, cdn_state *state, io_action *out) {
  double signal = 0, length, speed[6], rate = 0;
  if (!a->unforced) CDNI_TRY(signal_of(a, state, &signal));
  CDNI_TRY(moments(a, state, out->moment, &out->arm, &length));
  CDNI_TRY(speeds(a, state, out->arm, speed));
  for (int k = 0; k < 6; k++) rate += out->moment[k] * speed[k];
  out->length = length, out->rate = rate;
  out->by_signal = a->gain[0] + a->gain[1] * length + a->gain[2] * rate;
  out->by_length = a->gain[1] * signal + a->bias[1];
  out->by_rate = a->gain[2] * signal + a->bias[2];
  const double p = out->by_signal * signal + a->bias[0] + a->bias[1] * length + a->bias[2] * rate;
  out->p = within(p, a->lower, a->upper);
  if (out->p != p) out->by_signal = out->by_length = out->by_rate = 0;
  return CDN_OK;
}

int io_drive_on_bodies(const io_drive *a, const io_action *x, double p, cdn_body *body, cdn_vec3 *station,
                       cdn_spatial *F_G) {
  const cdn_vec3 turn = cdn_scale(p, half(x->moment, 0)), push = cdn_scale(p, half(x->moment, 1));
  body[0] = a->body, station[0] = a->X_BS.p, F_G[0] = (cdn_spatial){ turn, push };
  if (!a->relative) return 1;
  body[1] = a->reference, station[1] = a->X_RF.p;
  F_G[1] = (cdn_spatial){ cdn_scale(-1, turn), cdn_scale(-1, push) };
  body[2] = a->both, station[2] = cdn_v3(0, 0, 0);
  F_G[2] = (cdn_spatial){ cdn_cross(push, x->arm), cdn_v3(0, 0, 0) };
  return IO_DRIVE_BODIES;
}

static void add_forces(const io_drive *a, const cdn_state *state, const io_action *x, double p, cdn_forces *forces) {
  const double *moment = x->moment;
  if (a->kind == ON_FRAME) {
    cdn_body body[IO_DRIVE_BODIES];
    cdn_vec3 station[IO_DRIVE_BODIES];
    cdn_spatial F_G[IO_DRIVE_BODIES];
    const int n = io_drive_on_bodies(a, x, p, body, station, F_G);
    for (int i = 0; i < n; i++) {
      cdn_forces_add_torque(forces, body[i], F_G[i].w);
      cdn_forces_add_point(forces, body[i], station[i], F_G[i].v);
    }
    return;
  }
  for (int i = 0; i < a->joints; i++)
    cdn_forces_add_mobility(forces, a->joint[i], 0, p * a->coefficient[i] * moment[0]);
  const int nu = a->kind == ON_COORDINATES ? 0 : cdn_body_nu(cdn_state_system(state), a->body);
  for (int k = 0; k < nu; k++) cdn_forces_add_mobility(forces, a->body, k, p * moment[k]);
}

static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  io_action x;
  CDNI_TRY(io_drive_act(self, state, &x));
  add_forces(self, state, &x, x.p, forces);
  return CDN_OK;
}

/* On coordinates the moment does not vary. */
static void vary_coordinates(const io_drive *a, const io_action *x, cdn_force_derivatives *derivatives) {
  const double g2 = a->gear[0] * a->gear[0];
  for (int i = 0; i < a->joints; i++)
    for (int k = 0; k < a->joints; k++) {
      const double product = g2 * a->coefficient[i] * a->coefficient[k];
      cdn_force_derivatives_add_mobility(derivatives, a->joint[i], 0, a->joint[k], 0, product * x->by_length,
                                         product * x->by_rate);
    }
}

/* On a frame moment and force turn with the body, and p varies with the rate, which a turn changes at given velocities:
 * the rate is turn . w + push . v, and a small turn t changes turn by t x turn. */
static cdn_status vary_frame(const io_drive *a, cdn_state *state, const io_action *x,
                             cdn_force_derivatives *derivatives) {
  double by_pose[36] = { 0 }, by_velocity[36], speed[6];
  CDNI_TRY(speeds(a, state, x->arm, speed));
  const cdn_vec3 turn = half(x->moment, 0), push = half(x->moment, 1);
  const cdn_vec3 by_turn = cdn_add(cdn_cross(turn, half(speed, 0)), cdn_cross(push, half(speed, 1)));
  const double rate[3] = { by_turn.x, by_turn.y, by_turn.z };
  for (int l = 0; l < 3; l++) {
    const cdn_vec3 axis = cdn_v3(l == 0, l == 1, l == 2), t = cdn_cross(axis, turn), f = cdn_cross(axis, push);
    const double turned[6] = { t.x, t.y, t.z, f.x, f.y, f.z };
    for (int k = 0; k < 6; k++) by_pose[6 * k + l] = x->p * turned[k] + x->by_rate * rate[l] * x->moment[k];
  }
  for (int k = 0; k < 36; k++) by_velocity[k] = x->by_rate * x->moment[k / 6] * x->moment[k % 6];
  const cdn_spatial F = { cdn_scale(x->p, turn), cdn_scale(x->p, push) };
  cdn_force_derivatives_add_bodies(derivatives, 1, &a->body, &a->X_BS.p, &F, by_pose, by_velocity, false);
  return CDN_OK;
}

/* How the length of an actuator on a ball varies with small turns t of its rotation exp(r): dr = t - 1/2 r x t + c r
 * x (r x t). */
static cdn_vec3 vary_length(const io_drive *a, cdn_rotation R) {
  cdn_vec3 axis;
  const double angle = cdn_axis_angle_from_rotation(R, &axis);
  const cdn_vec3 r = cdn_scale(angle, axis), g = cdn_v3(a->gear[0], a->gear[1], a->gear[2]), rg = cdn_cross(r, g);
  const double c =
      angle > 1e-2 ? 1 / (angle * angle) - 1 / (2 * angle * tan(angle / 2)) : 1 / 12.0 + angle * angle / 720;
  return cdn_add(g, cdn_add(cdn_scale(0.5, rg), cdn_scale(c, cdn_cross(r, rg))));
}

static void put(double *column, int first, cdn_vec3 v) {
  column[first] = v.x, column[first + 1] = v.y, column[first + 2] = v.z;
}

/* On a frame with a reference R the axes turn with R, and the arm is that between the two: six numbers for each of the
 * frame, the reference and the body that carries both. The last one's pose does not count. */
static cdn_status vary_relative(const io_drive *a, cdn_state *state, const io_action *x,
                                cdn_force_derivatives *derivatives) {
  enum { ALL = 6 * IO_DRIVE_BODIES };
  double by_pose[ALL * ALL] = { 0 }, by_velocity[ALL * ALL], speed[6], of_one[ALL] = { 0 };
  cdn_body body[IO_DRIVE_BODIES];
  cdn_vec3 station[IO_DRIVE_BODIES], arm, w[IO_DRIVE_BODIES - 1];
  cdn_spatial F_G[IO_DRIVE_BODIES], V_both;
  cdn_rotation R, turned;
  CDNI_TRY(relative_pose(a, state, &R, &turned, &arm));
  CDNI_TRY(speeds(a, state, arm, speed));
  CDNI_TRY(cdn_body_velocity(state, a->both, &V_both));
  const cdn_vec3 turn = half(x->moment, 0), push = half(x->moment, 1), zero = cdn_v3(0, 0, 0);
  w[0] = cdn_rotate(R, vary_length(a, turned));
  w[1] = cdn_sub(cdn_cross(push, arm), w[0]);
  const cdn_vec3 slower = cdn_scale(-1, cdn_cross(push, V_both.w));
  const cdn_vec3 faster = cdn_add(cdn_cross(turn, half(speed, 0)), cdn_cross(push, half(speed, 1)));
  const int n = io_drive_on_bodies(a, x, 1, body, station, F_G);
  for (int i = 0; i < n; i++) put(of_one, 6 * i, F_G[i].w), put(of_one, 6 * i + 3, F_G[i].v);
  for (int l = 0; l < 12; l++) {
    const bool moves = l % 6 > 2, of_reference = l > 5;
    const double sign = of_reference ? -1 : 1;
    const cdn_vec3 axis = cdn_v3(l % 3 == 0, l % 3 == 1, l % 3 == 2);
    const bool turns = of_reference && !moves;
    const cdn_vec3 dturn = turns ? cdn_cross(axis, turn) : zero, dpush = turns ? cdn_cross(axis, push) : zero;
    const cdn_vec3 darm = moves ? cdn_scale(sign, axis) : zero;
    const double dlength = cdn_dot(axis, moves ? cdn_scale(sign, push) : w[of_reference]);
    const double drate = turns ? cdn_dot(axis, faster) : moves ? sign * cdn_dot(axis, slower) : 0;
    const double dp = x->by_length * dlength + x->by_rate * drate;
    double changed[ALL] = { 0 };
    put(changed, 0, dturn), put(changed, 3, dpush);
    put(changed, 6, cdn_scale(-1, dturn)), put(changed, 9, cdn_scale(-1, dpush));
    put(changed, 12, cdn_add(cdn_cross(dpush, arm), cdn_cross(push, darm)));
    for (int k = 0; k < ALL; k++) by_pose[ALL * k + l] = x->p * changed[k] + dp * of_one[k];
  }
  for (int k = 0; k < ALL * ALL; k++) by_velocity[k] = x->by_rate * of_one[k / ALL] * of_one[k % ALL];
  for (int i = 0; i < n; i++) F_G[i] = (cdn_spatial){ cdn_scale(x->p, F_G[i].w), cdn_scale(x->p, F_G[i].v) };
  cdn_force_derivatives_add_bodies(derivatives, n, body, station, F_G, by_pose, by_velocity, true);
  return CDN_OK;
}

/* On a ball or a free joint the moment turns with the child, unless it is the parent's; a small turn t changes it by
 * t x moment, and
 * the rate by that change times w. */
static cdn_status vary_joint(const io_drive *a, cdn_state *state, const io_action *x,
                             cdn_force_derivatives *derivatives) {
  const int nu = cdn_body_nu(cdn_state_system(state), a->body);
  const cdn_vec3 turn = half(x->moment, 0), zero = cdn_v3(0, 0, 0);
  double speed[6];
  cdn_rotation R;
  CDNI_TRY(speeds(a, state, x->arm, speed));
  CDNI_TRY(joint_rotation(a, state, &R));
  const cdn_vec3 length = a->kind == ON_BALL ? vary_length(a, R) : zero;
  const cdn_vec3 rate = a->in_parent ? zero : cdn_cross(turn, half(speed, 0));
  const double by_length[3] = { length.x, length.y, length.z }, by_rate[3] = { rate.x, rate.y, rate.z };
  for (int l = 0; l < nu; l++) {
    const cdn_vec3 turned = a->in_parent || l > 2 ? zero : cdn_cross(cdn_v3(l == 0, l == 1, l == 2), turn);
    const double moment[6] = { turned.x, turned.y, turned.z };
    const double dp = l > 2 ? 0 : x->by_length * by_length[l] + x->by_rate * by_rate[l];
    for (int k = 0; k < nu; k++)
      cdn_force_derivatives_add_mobility(derivatives, a->body, k, a->body, l, x->p * moment[k] + dp * x->moment[k],
                                         x->by_rate * x->moment[k] * x->moment[l]);
  }
  return CDN_OK;
}

static cdn_status calc_derivative(const void *self, cdn_state *state, cdn_force_derivatives *derivatives) {
  const io_drive *a = self;
  io_action x;
  CDNI_TRY(io_drive_act(a, state, &x));
  if (a->kind == ON_COORDINATES) vary_coordinates(a, &x, derivatives);
  else if (a->kind != ON_FRAME) CDNI_TRY(vary_joint(a, state, &x, derivatives));
  else CDNI_TRY(a->relative ? vary_relative(a, state, &x, derivatives) : vary_frame(a, state, &x, derivatives));
  if (a->dynamics == CDN_ACTUATOR_DIRECT) return CDN_OK;
  const double z = cdn_state_zvar(state, a->z)[0];
  cdn_forces *by_z = cdn_force_derivatives_wrt_z(derivatives, a->z, 0);
  if (by_z && z == within(z, a->least, a->most)) add_forces(a, state, &x, x.by_signal, by_z);
  return CDN_OK;
}

/* ---- the activation -------------------------------------------------------------------------- */

static cdn_status declare(void *self, cdn_declarer *d) {
  io_drive *a = self;
  if (a->dynamics != CDN_ACTUATOR_DIRECT) a->z = cdn_declare_z(d, 1, NULL);
  return CDN_OK;
}

/* At its limits an activation does not go on; *holds: a limit holds it. */
static cdn_status rate_of(const io_drive *a, cdn_state *state, double *rate, bool *holds) {
  const double z = cdn_state_zvar(state, a->z)[0];
  double c;
  CDNI_TRY(cdn_control_value(state, a->control, &c));
  *rate = a->dynamics == CDN_ACTUATOR_INTEGRATOR ? c : (c - z) / a->time_constant;
  *holds = (z >= a->most && *rate > 0) || (z <= a->least && *rate < 0);
  if (*holds) *rate = 0;
  return CDN_OK;
}

static cdn_status calc_zdot(const void *self, cdn_state *state, double *zdot) {
  bool holds;
  return rate_of(self, state, zdot, &holds);
}

static cdn_status calc_zdot_derivative(const void *self, cdn_state *state, cdn_zdot_derivatives *derivatives) {
  const io_drive *a = self;
  double rate;
  bool holds;
  CDNI_TRY(rate_of(a, state, &rate, &holds));
  if (a->dynamics == CDN_ACTUATOR_FILTER && !holds)
    cdn_zdot_derivatives_add_z(derivatives, a->z, 0, a->z, 0, -1 / a->time_constant);
  return CDN_OK;
}

static void describe(const void *self, const cdn_system *system, cdn_description *d) {
  const io_drive *a = self;
  static const char *const words[] = { "directly", "through an integrator", "through a filter" };
  const char *control = cdn_control_name(system, a->control);
  cdn_describe(d, control, "an actuator on '%s'%s, driven %s", cdn_body_name(system, a->body),
               a->joints > 1 ? " and others" : "", words[a->dynamics]);
}

cdn_force io_drive_add(cdn_system *system, const char *name, const io_drive *a) {
  const cdn_ticket control = cdn_control_ticket(system, a->control);
  const bool has_z = a->dynamics != CDN_ACTUATOR_DIRECT;
  const cdn_force_ops ops = {
    .subsystem = { .struct_size = sizeof(cdn_subsystem_ops),
                   .name = name,
                   .self_size = sizeof *a,
                   .declare = declare,
                   .calc_zdot = has_z ? calc_zdot : NULL,
                   .calc_zdot_derivative = has_z ? calc_zdot_derivative : NULL,
                   .describe = describe },
    .struct_size = sizeof ops,
    .reads = has_z ? CDN_READS_EVERYTHING : CDN_READS_VELOCITY,
    .calc_force = calc_force,
    .calc_derivative = calc_derivative,
    .prerequisites = &control,
    .n_prerequisites = 1,
  };
  return cdn_system_add_custom_force(system, &ops, a);
}

cdn_zvar io_activation(const cdn_system *system, cdn_force force) {
  const cdn_zvar none = { .group = -1 };
  const char *kind = cdn_force_kind_name(system, force);
  if (!kind || strcmp(kind, "custom") != 0 || !cdn_system_is_frozen(system)) return none;
  const io_drive *a = cdn_subsystem_self(system, cdn_force_subsystem(system, force));
  return a ? a->z : none;
}
