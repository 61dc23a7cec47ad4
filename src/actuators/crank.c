/* Actuators on a slider that a rod joins to a crank. With v from the slider's frame to the crank, a the slider's axis
 * and r the rod, the slider's place along a is the nearer root s of |v - s a| = r:
 *
 *     s = a . v - w,   w = sqrt((a . v)^2 + r^2 - v . v)
 *
 * Where the rod does not reach the axis, w counts as 0. */
#include <cardan/operators.h>

#include "actuators/internal.h"

typedef struct crank {
  cdn_vec3 v, a, by_v, by_a; /* s varies as by_v . dv + by_a . da */
  double along, w, length;
} crank;

static const char *check(const cdn_system *system, drive *a) {
  const int n = cdn_system_body_count(system);
  if (a->def.body.i < 0 || a->def.body.i >= n) return "there is no such body for its crank";
  if (a->def.reference.i < 0 || a->def.reference.i >= n) return "there is no such body for its slider";
  if (a->def.body.i == a->def.reference.i) return "its crank and its slider are on one body; name two";
  if (!(a->def.rod > 0) || isinf(a->def.rod)) return "its rod must have a length above zero";
  return NULL;
}

static cdn_status look(const drive *d, cdn_state *state, crank *out) {
  cdn_transform X_GC, X_GS;
  CDNI_TRY(cdni_drive_pose(state, d->def.body, d->def.X_BS, &X_GC));
  CDNI_TRY(cdni_drive_pose(state, d->def.reference, d->def.X_RF, &X_GS));
  const cdn_vec3 a = X_GS.R.z, v = cdn_sub(X_GC.p, X_GS.p);
  const double along = cdn_dot(a, v), det = along * along + d->def.rod * d->def.rod - cdn_dot(v, v);
  *out = (crank){ .v = v, .a = a, .by_v = a, .by_a = v, .along = along, .length = along };
  if (!(det > 0)) return CDN_OK;
  out->w = sqrt(det);
  out->length -= out->w;
  const double k = 1 - along / out->w;
  out->by_v = cdn_add(cdn_scale(k, a), cdn_scale(1 / out->w, v));
  out->by_a = cdn_scale(k, v);
  return CDN_OK;
}

/* How by_v and by_a vary with a and v. */
static void bend(const crank *c, cdn_vec3 da, cdn_vec3 dv, cdn_vec3 *dby_v, cdn_vec3 *dby_a) {
  *dby_v = da, *dby_a = dv;
  if (!(c->w > 0)) return;
  const double w = c->w, dalong = cdn_dot(da, c->v) + cdn_dot(c->a, dv);
  const double dw = (c->along * dalong - cdn_dot(c->v, dv)) / w;
  const double k = 1 - c->along / w, dk = -(dalong - c->along * dw / w) / w;
  *dby_v = cdn_add(cdn_add(cdn_scale(dk, c->a), cdn_scale(k, da)),
                   cdn_add(cdn_scale(1 / w, dv), cdn_scale(-dw / (w * w), c->v)));
  *dby_a = cdn_add(cdn_scale(dk, c->v), cdn_scale(k, dv));
}

/* The crank, as the slider moves below it, and the slider. */
static cdn_status velocities(const drive *d, cdn_state *state, cdn_vec3 *between, cdn_vec3 *w) {
  cdn_spatial V_C, V_S;
  CDNI_TRY(cdni_drive_velocity(state, d->def.body, d->def.X_BS.p, &V_C));
  CDNI_TRY(cdni_drive_velocity(state, d->def.reference, d->def.X_RF.p, &V_S));
  *between = cdn_sub(V_C.v, V_S.v);
  *w = V_S.w;
  return CDN_OK;
}

static cdn_status reach(const drive *d, cdn_state *state, bool moves, drive_reach *out) {
  const double gear = d->def.gear[0];
  crank c;
  cdn_vec3 between, w;
  CDNI_TRY(look(d, state, &c));
  const cdn_vec3 force = cdn_scale(gear, c.by_v), turn = cdn_scale(gear, cdn_cross(c.a, c.by_a));
  out->length = gear * c.length;
  out->arm = c.v;
  drive_put(out->moment, 0, turn), drive_put(out->moment, 3, force);
  if (!moves) return CDN_OK;
  CDNI_TRY(velocities(d, state, &between, &w));
  out->rate = cdn_dot(force, between) + cdn_dot(turn, w);
  return CDN_OK;
}

/* Forces on crank and slider, at their frames' origins. */
static void on_bodies(const drive *d, const drive_reach *at, double p, cdn_body body[2], cdn_vec3 station[2],
                      cdn_spatial F_G[2]) {
  const cdn_vec3 turn = cdn_scale(p, drive_half(at->moment, 0)), force = cdn_scale(p, drive_half(at->moment, 1));
  body[0] = d->def.body, station[0] = d->def.X_BS.p, F_G[0] = (cdn_spatial){ cdn_v3(0, 0, 0), force };
  body[1] = d->def.reference, station[1] = d->def.X_RF.p, F_G[1] = (cdn_spatial){ turn, cdn_scale(-1, force) };
}

static cdn_status push(const drive *d, cdn_state *state, const drive_reach *at, double p, cdn_forces *forces) {
  cdn_body body[2];
  cdn_vec3 station[2];
  cdn_spatial F_G[2];
  (void)state;
  on_bodies(d, at, p, body, station, F_G);
  for (int i = 0; i < 2; i++) {
    cdn_forces_add_torque(forces, body[i], F_G[i].w);
    cdn_forces_add_point(forces, body[i], station[i], F_G[i].v);
  }
  return CDN_OK;
}

static cdn_status add_moments(const drive *d, cdn_state *state, const drive_reach *at, double *moments) {
  cdn_body body[2];
  cdn_vec3 station[2];
  cdn_spatial F_G[2];
  const int nu = cdn_system_nu(cdn_state_system(state));
  on_bodies(d, at, 1, body, station, F_G);
  double *own = cdn_work_push(state, (size_t)nu * sizeof *own);
  if (!own) return CDN_ERR_NOMEM;
  const cdn_status status = cdn_multiply_by_frame_J_transpose(state, 2, body, station, F_G, own);
  for (int k = 0; k < nu && status == CDN_OK; k++) moments[k] += own[k];
  cdn_work_pop(state, own);
  return status;
}

/* Columns: turn and displacement of the crank, then of the slider. The crank's turn changes nothing. */
static cdn_status vary(const drive *d, cdn_state *state, const drive_action *x, cdn_force_derivatives *derivatives) {
  enum { ALL = 12 };
  double by_pose[ALL * ALL] = { 0 }, by_velocity[ALL * ALL], of_one[ALL] = { 0 };
  const double gear = d->def.gear[0];
  cdn_body body[2];
  cdn_vec3 station[2], between, w;
  cdn_spatial F_G[2];
  crank c;
  CDNI_TRY(look(d, state, &c));
  CDNI_TRY(velocities(d, state, &between, &w));
  on_bodies(d, &x->at, 1, body, station, F_G);
  for (int i = 0; i < 2; i++) drive_put(of_one, 6 * i, F_G[i].w), drive_put(of_one, 6 * i + 3, F_G[i].v);
  for (int l = 3; l < ALL; l++) {
    const bool turns = l >= 6 && l < 9;
    const cdn_vec3 axis = drive_axis(l), zero = cdn_v3(0, 0, 0);
    const cdn_vec3 da = turns ? cdn_cross(axis, c.a) : zero, dv = turns ? zero : cdn_scale(l < 6 ? 1 : -1, axis);
    cdn_vec3 dby_v, dby_a;
    bend(&c, da, dv, &dby_v, &dby_a);
    const cdn_vec3 dforce = cdn_scale(gear, dby_v);
    const cdn_vec3 dturn = cdn_scale(gear, cdn_add(cdn_cross(da, c.by_a), cdn_cross(c.a, dby_a)));
    const double dlength = gear * (cdn_dot(c.by_v, dv) + cdn_dot(c.by_a, da));
    const double drate = cdn_dot(dforce, between) + cdn_dot(dturn, w);
    const double dp = x->by_length * dlength + x->by_rate * drate;
    double changed[ALL] = { 0 };
    drive_put(changed, 3, dforce), drive_put(changed, 6, dturn), drive_put(changed, 9, cdn_scale(-1, dforce));
    for (int k = 0; k < ALL; k++) by_pose[ALL * k + l] = x->p * changed[k] + dp * of_one[k];
  }
  for (int k = 0; k < ALL * ALL; k++) by_velocity[k] = x->by_rate * of_one[k / ALL] * of_one[k % ALL];
  for (int i = 0; i < 2; i++) F_G[i] = (cdn_spatial){ cdn_scale(x->p, F_G[i].w), cdn_scale(x->p, F_G[i].v) };
  cdn_force_derivatives_add_bodies(derivatives, 2, body, station, F_G, by_pose, by_velocity, true);
  return CDN_OK;
}

const transmission cdni_drive_on_crank = {
  .word = "slider-crank", .check = check, .reach = reach, .push = push, .add_moments = add_moments, .vary = vary
};
