/* Actuators on the mobilizer of a body: one mobility, a ball, a free joint. */
#include <cardan/mobilizers.h>

#include "actuators/internal.h"

/* The rotation of the child's joint frame in the frame in which the joint's speeds are expressed. */
static cdn_status joint_rotation(const drive *a, cdn_state *state, cdn_rotation *R) {
  cdn_transform X_FM;
  CDNI_TRY(cdn_body_X_FM(state, a->def.body, &X_FM));
  *R = cdn_body_is_reversed(cdn_state_system(state), a->def.body) ? cdn_rotation_transpose(X_FM.R) : X_FM.R;
  return CDN_OK;
}

static int mobilities(const drive *a, const cdn_state *state) {
  return cdn_body_nu(cdn_state_system(state), a->def.body);
}

static const char *check(const cdn_system *system, drive *a) {
  const cdn_body body = a->def.body;
  if (body.i < 0 || body.i >= cdn_system_body_count(system)) return "there is no such body";
  const int nu = cdn_body_nu(system, body), nq = cdn_body_nq(system, body);
  const cdn_mobilizer kind = cdn_body_mobilizer(system, body);
  if ((nu == 1 && nq == 1) || kind == CDN_BALL || kind == CDN_FREE) return NULL;
  return "only joints with one coordinate, balls and free joints have actuators; name another body, or act on a frame";
}

static cdn_status reach(const drive *a, cdn_state *state, bool moves, drive_reach *out) {
  const cdn_system *system = cdn_state_system(state);
  const int nu = mobilities(a, state);
  const double *g = a->def.gear;
  cdn_vec3 turn = drive_half(g, 0), push = drive_half(g, 1);
  if (nu == 1) {
    const double *q = cdn_state_q_eff(state);
    if (!q) return CDN_ERR_CALLBACK;
    out->length = g[0] * q[cdn_body_first_q(system, a->def.body)];
    turn = cdn_v3(g[0], 0, 0), push = cdn_v3(0, 0, 0);
  } else {
    cdn_rotation R;
    CDNI_TRY(joint_rotation(a, state, &R));
    if (nu == 3) out->length = cdni_length_of_turn(R, turn); /* the axis has the same numbers in both frames */
    if (!a->def.in_parent) turn = cdn_rotate(R, turn);
  }
  drive_put(out->moment, 0, turn), drive_put(out->moment, 3, push);
  if (!moves) return CDN_OK;
  const double *u = cdn_state_u_eff(state);
  if (!u) return CDN_ERR_CALLBACK;
  for (int k = 0; k < nu; k++) out->rate += out->moment[k] * u[cdn_body_first_u(system, a->def.body) + k];
  return CDN_OK;
}

static cdn_status push(const drive *a, cdn_state *state, const drive_reach *at, double p, cdn_forces *forces) {
  for (int k = 0; k < mobilities(a, state); k++) cdn_forces_add_mobility(forces, a->def.body, k, p * at->moment[k]);
  return CDN_OK;
}

static cdn_status add_moments(const drive *a, cdn_state *state, const drive_reach *at, double *moments) {
  const int first = cdn_body_first_u(cdn_state_system(state), a->def.body);
  for (int k = 0; k < mobilities(a, state); k++) moments[first + k] += at->moment[k];
  return CDN_OK;
}

/* On a ball or a free joint the moment turns with the child, unless it is the parent's; a small turn t changes it by
 * t x moment, and the rate by that change times w. */
static cdn_status vary(const drive *a, cdn_state *state, const drive_action *x, cdn_force_derivatives *derivatives) {
  const int nu = mobilities(a, state), first = cdn_body_first_u(cdn_state_system(state), a->def.body);
  const double *moment = x->at.moment, *u = cdn_state_u_eff(state);
  if (nu == 1) {
    const double g2 = moment[0] * moment[0];
    cdn_force_derivatives_add_mobility(derivatives, a->def.body, 0, a->def.body, 0, g2 * x->by_length, g2 * x->by_rate);
    return CDN_OK;
  }
  if (!u) return CDN_ERR_CALLBACK;
  const cdn_vec3 turn = drive_half(moment, 0), zero = cdn_v3(0, 0, 0);
  cdn_rotation R;
  CDNI_TRY(joint_rotation(a, state, &R));
  const cdn_vec3 length = nu == 3 ? cdni_turn_slope(R, drive_half(a->def.gear, 0)) : zero;
  const cdn_vec3 rate = a->def.in_parent ? zero : cdn_cross(turn, drive_half(u + first, 0));
  const double by_length[3] = { length.x, length.y, length.z }, by_rate[3] = { rate.x, rate.y, rate.z };
  for (int l = 0; l < nu; l++) {
    const cdn_vec3 turned = a->def.in_parent || l > 2 ? zero : cdn_cross(drive_axis(l), turn);
    const double changed[6] = { turned.x, turned.y, turned.z };
    const double dp = l > 2 ? 0 : x->by_length * by_length[l] + x->by_rate * by_rate[l];
    for (int k = 0; k < nu; k++)
      cdn_force_derivatives_add_mobility(derivatives, a->def.body, k, a->def.body, l,
                                         x->p * changed[k] + dp * moment[k], x->by_rate * moment[k] * moment[l]);
  }
  return CDN_OK;
}

const transmission cdni_drive_on_joint = {
  .word = "joint", .check = check, .reach = reach, .push = push, .add_moments = add_moments, .vary = vary
};
