/* Actuators on a frame of a body, by itself or as another frame sees it. */
#include <cardan/angles.h>
#include <cardan/operators.h>

#include "actuators/internal.h"

cdn_status cdni_drive_pose(cdn_state *state, cdn_body body, cdn_transform X_BF, cdn_transform *X_GF) {
  cdn_transform X_GB;
  CDNI_TRY(cdn_body_pose(state, body, &X_GB));
  *X_GF = cdn_transform_multiply(X_GB, X_BF);
  return CDN_OK;
}

cdn_status cdni_drive_velocity(cdn_state *state, cdn_body body, cdn_vec3 p_B, cdn_spatial *V) {
  cdn_transform X_GB;
  CDNI_TRY(cdn_body_pose(state, body, &X_GB));
  CDNI_TRY(cdn_body_velocity(state, body, V));
  V->v = cdn_add(V->v, cdn_cross(V->w, cdn_rotate(X_GB.R, p_B)));
  return CDN_OK;
}

double cdni_length_of_turn(cdn_rotation R, cdn_vec3 turn) {
  cdn_vec3 axis;
  const double angle = cdn_axis_angle_from_rotation(R, &axis);
  return angle * cdn_dot(axis, turn);
}

/* For R = exp(r): dr = t - 1/2 r x t + c r x (r x t). The series of c is exact to 1e-10 below the angle where it takes
 * over. */
cdn_vec3 cdni_turn_slope(cdn_rotation R, cdn_vec3 turn) {
  static const double SMALL_ANGLE = 1e-2;
  cdn_vec3 axis;
  const double angle = cdn_axis_angle_from_rotation(R, &axis);
  const cdn_vec3 r = cdn_scale(angle, axis), rg = cdn_cross(r, turn);
  const double c =
      angle > SMALL_ANGLE ? 1 / (angle * angle) - 1 / (2 * angle * tan(angle / 2)) : 1 / 12.0 + angle * angle / 720;
  return cdn_add(turn, cdn_add(cdn_scale(0.5, rg), cdn_scale(c, cdn_cross(r, rg))));
}

/* The outermost body that carries both. */
static cdn_body carries_both(const cdn_system *system, cdn_body a, cdn_body b) {
  while (a.i != b.i) {
    cdn_body *outer = a.i > b.i ? &a : &b; /* parents come first */
    *outer = cdn_body_parent(system, *outer);
  }
  return a;
}

static const char *check(const cdn_system *system, drive *a) {
  const int n = cdn_system_body_count(system);
  if (a->def.body.i < 0 || a->def.body.i >= n) return "there is no such body";
  if (a->def.has_reference && (a->def.reference.i < 0 || a->def.reference.i >= n))
    return "there is no such body for its reference";
  if (!a->def.has_reference && a->def.body.i == 0) return "its frame is in Ground, which does not move; name a body";
  if (a->def.has_reference) a->both = carries_both(system, a->def.body, a->def.reference);
  return NULL;
}

/* Where the frame is, seen from its reference, if it has one; R: the axes of the gear in Ground. */
static cdn_status relative_pose(const drive *a, cdn_state *state, cdn_rotation *R, cdn_rotation *turned,
                                cdn_vec3 *arm) {
  const bool relative = a->def.has_reference;
  cdn_transform X_GS, X_GR;
  CDNI_TRY(cdni_drive_pose(state, a->def.body, a->def.X_BS, &X_GS));
  CDNI_TRY(relative ? cdni_drive_pose(state, a->def.reference, a->def.X_RF, &X_GR) : CDN_OK);
  *R = relative ? X_GR.R : X_GS.R;
  *turned = cdn_rotation_multiply(cdn_rotation_transpose(*R), X_GS.R);
  *arm = relative ? cdn_sub(X_GS.p, X_GR.p) : cdn_v3(0, 0, 0);
  return CDN_OK;
}

/* Of the frame, as its reference and the body that carries both see it. */
static cdn_status speeds(const drive *a, cdn_state *state, cdn_vec3 arm, double speed[6]) {
  cdn_spatial V, V_R, V_both;
  CDNI_TRY(cdni_drive_velocity(state, a->def.body, a->def.X_BS.p, &V));
  if (a->def.has_reference) {
    CDNI_TRY(cdni_drive_velocity(state, a->def.reference, a->def.X_RF.p, &V_R));
    CDNI_TRY(cdn_body_velocity(state, a->both, &V_both));
    V.w = cdn_sub(V.w, V_R.w);
    V.v = cdn_sub(cdn_sub(V.v, V_R.v), cdn_cross(V_both.w, arm));
  }
  drive_put(speed, 0, V.w), drive_put(speed, 3, V.v);
  return CDN_OK;
}

static cdn_status reach(const drive *a, cdn_state *state, bool moves, drive_reach *out) {
  cdn_rotation R, turned;
  CDNI_TRY(relative_pose(a, state, &R, &turned, &out->arm));
  const cdn_vec3 turn = drive_half(a->def.gear, 0), force = cdn_rotate(R, drive_half(a->def.gear, 1));
  if (a->def.has_reference) out->length = cdni_length_of_turn(turned, turn) + cdn_dot(force, out->arm);
  drive_put(out->moment, 0, cdn_rotate(R, turn)), drive_put(out->moment, 3, force);
  double speed[6];
  if (moves) CDNI_TRY(speeds(a, state, out->arm, speed));
  for (int k = 0; k < 6 && moves; k++) out->rate += out->moment[k] * speed[k];
  return CDN_OK;
}

/* The spatial forces of p on three bodies, or one of them if the frame has no reference; at the frames' origins. */
enum { MOST_BODIES = 3, ALL = 6 * MOST_BODIES };
static int on_bodies(const drive *a, const drive_reach *x, double p, cdn_body *body, cdn_vec3 *station,
                     cdn_spatial *F_G) {
  const cdn_vec3 turn = cdn_scale(p, drive_half(x->moment, 0)), force = cdn_scale(p, drive_half(x->moment, 1));
  body[0] = a->def.body, station[0] = a->def.X_BS.p, F_G[0] = (cdn_spatial){ turn, force };
  if (!a->def.has_reference) return 1;
  body[1] = a->def.reference, station[1] = a->def.X_RF.p;
  F_G[1] = (cdn_spatial){ cdn_scale(-1, turn), cdn_scale(-1, force) };
  body[2] = a->both, station[2] = cdn_v3(0, 0, 0);
  F_G[2] = (cdn_spatial){ cdn_cross(force, x->arm), cdn_v3(0, 0, 0) };
  return MOST_BODIES;
}

static cdn_status push(const drive *a, cdn_state *state, const drive_reach *at, double p, cdn_forces *forces) {
  cdn_body body[MOST_BODIES];
  cdn_vec3 station[MOST_BODIES];
  cdn_spatial F_G[MOST_BODIES];
  (void)state;
  const int n = on_bodies(a, at, p, body, station, F_G);
  for (int i = 0; i < n; i++) {
    cdn_forces_add_torque(forces, body[i], F_G[i].w);
    cdn_forces_add_point(forces, body[i], station[i], F_G[i].v);
  }
  return CDN_OK;
}

static cdn_status add_moments(const drive *a, cdn_state *state, const drive_reach *at, double *moments) {
  cdn_body body[MOST_BODIES];
  cdn_vec3 station[MOST_BODIES];
  cdn_spatial F_G[MOST_BODIES];
  const int nu = cdn_system_nu(cdn_state_system(state)), n = on_bodies(a, at, 1, body, station, F_G);
  double *own = cdn_work_push(state, (size_t)nu * sizeof *own);
  if (!own) return CDN_ERR_NOMEM;
  const cdn_status status = cdn_multiply_by_frame_J_transpose(state, n, body, station, F_G, own);
  for (int k = 0; k < nu && status == CDN_OK; k++) moments[k] += own[k];
  cdn_work_pop(state, own);
  return status;
}

/* Moment and force turn with the body, and p varies with the rate, which a turn changes at given velocities: the rate
 * is turn . w + force . v, and a small turn t changes turn by t x turn. */
static cdn_status vary_alone(const drive *a, cdn_state *state, const drive_action *x,
                             cdn_force_derivatives *derivatives) {
  double by_pose[36] = { 0 }, by_velocity[36], speed[6];
  CDNI_TRY(speeds(a, state, x->at.arm, speed));
  const double *moment = x->at.moment;
  const cdn_vec3 turn = drive_half(moment, 0), force = drive_half(moment, 1);
  const cdn_vec3 by_turn = cdn_add(cdn_cross(turn, drive_half(speed, 0)), cdn_cross(force, drive_half(speed, 1)));
  const double rate[3] = { by_turn.x, by_turn.y, by_turn.z };
  for (int l = 0; l < 3; l++) {
    const cdn_vec3 axis = drive_axis(l);
    double turned[6];
    drive_put(turned, 0, cdn_cross(axis, turn)), drive_put(turned, 3, cdn_cross(axis, force));
    for (int k = 0; k < 6; k++) by_pose[6 * k + l] = x->p * turned[k] + x->by_rate * rate[l] * moment[k];
  }
  for (int k = 0; k < 36; k++) by_velocity[k] = x->by_rate * moment[k / 6] * moment[k % 6];
  const cdn_spatial F = { cdn_scale(x->p, turn), cdn_scale(x->p, force) };
  cdn_force_derivatives_add_bodies(derivatives, 1, &a->def.body, &a->def.X_BS.p, &F, by_pose, by_velocity, false);
  return CDN_OK;
}

/* With a reference R the axes turn with R, and the arm is that between the two: six numbers for each of the frame, the
 * reference and the body that carries both. The last one's pose does not count. */
static cdn_status vary_relative(const drive *a, cdn_state *state, const drive_action *x,
                                cdn_force_derivatives *derivatives) {
  double by_pose[ALL * ALL] = { 0 }, by_velocity[ALL * ALL], speed[6], of_one[ALL] = { 0 };
  cdn_body body[MOST_BODIES];
  cdn_vec3 station[MOST_BODIES], arm, w[MOST_BODIES - 1];
  cdn_spatial F_G[MOST_BODIES], V_both;
  cdn_rotation R, turned;
  CDNI_TRY(relative_pose(a, state, &R, &turned, &arm));
  CDNI_TRY(speeds(a, state, arm, speed));
  CDNI_TRY(cdn_body_velocity(state, a->both, &V_both));
  const cdn_vec3 turn = drive_half(x->at.moment, 0), force = drive_half(x->at.moment, 1), zero = cdn_v3(0, 0, 0);
  w[0] = cdn_rotate(R, cdni_turn_slope(turned, drive_half(a->def.gear, 0)));
  w[1] = cdn_sub(cdn_cross(force, arm), w[0]);
  const cdn_vec3 slower = cdn_scale(-1, cdn_cross(force, V_both.w));
  const cdn_vec3 faster = cdn_add(cdn_cross(turn, drive_half(speed, 0)), cdn_cross(force, drive_half(speed, 1)));
  const int n = on_bodies(a, &x->at, 1, body, station, F_G);
  for (int i = 0; i < n; i++) drive_put(of_one, 6 * i, F_G[i].w), drive_put(of_one, 6 * i + 3, F_G[i].v);
  for (int l = 0; l < 12; l++) {
    const bool moves = l % 6 > 2, of_reference = l > 5;
    const double sign = of_reference ? -1 : 1;
    const cdn_vec3 axis = drive_axis(l);
    const bool turns = of_reference && !moves;
    const cdn_vec3 dturn = turns ? cdn_cross(axis, turn) : zero, dpush = turns ? cdn_cross(axis, force) : zero;
    const cdn_vec3 darm = moves ? cdn_scale(sign, axis) : zero;
    const double dlength = cdn_dot(axis, moves ? cdn_scale(sign, force) : w[of_reference]);
    const double drate = turns ? cdn_dot(axis, faster) : moves ? sign * cdn_dot(axis, slower) : 0;
    const double dp = x->by_length * dlength + x->by_rate * drate;
    double changed[ALL] = { 0 };
    drive_put(changed, 0, dturn), drive_put(changed, 3, dpush);
    drive_put(changed, 6, cdn_scale(-1, dturn)), drive_put(changed, 9, cdn_scale(-1, dpush));
    drive_put(changed, 12, cdn_add(cdn_cross(dpush, arm), cdn_cross(force, darm)));
    for (int k = 0; k < ALL; k++) by_pose[ALL * k + l] = x->p * changed[k] + dp * of_one[k];
  }
  for (int k = 0; k < ALL * ALL; k++) by_velocity[k] = x->by_rate * of_one[k / ALL] * of_one[k % ALL];
  for (int i = 0; i < n; i++) F_G[i] = (cdn_spatial){ cdn_scale(x->p, F_G[i].w), cdn_scale(x->p, F_G[i].v) };
  cdn_force_derivatives_add_bodies(derivatives, n, body, station, F_G, by_pose, by_velocity, true);
  return CDN_OK;
}

static cdn_status vary(const drive *a, cdn_state *state, const drive_action *x, cdn_force_derivatives *derivatives) {
  return a->def.has_reference ? vary_relative(a, state, x, derivatives) : vary_alone(a, state, x, derivatives);
}

const transmission cdni_drive_on_frame = {
  .word = "frame", .check = check, .reach = reach, .push = push, .add_moments = add_moments, .vary = vary
};
