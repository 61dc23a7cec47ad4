/* Derivatives of friction that has memory, and of the rates of what it remembers: exact, of patches that are one
 * touch whose change derivatives.c knows. */
#include <math.h>

#include "contact/derivatives.h"
#include "contact/entries.h"
#include "contact/memory.h"

/* ---- one patch ---- */

typedef struct stuck {
  spot c;
  const touch_force *f;
  const patch_force *p;
  patch_bristles b;
  double x[SLOT_MOST_NUMBERS], motion[4], roll[4];
  double slope; /* of the coefficient of friction, by the slip speed */
  double speed, coefficient;
  double slide_force[4], roll_force[4]; /* of the bristles */
  bool rolls;
} stuck;

static stuck stuck_of(const motion_view *v, cdn_state *state, const double *pairs, const touch *t, const touch_force *f,
                      const patch_force *p, int slot, double transition) {
  stuck s = { .c = cdni_contact_spot(v, t, pairs, transition, true), .f = f, .p = p };
  s.b = cdni_contact_bristles(v, t, f, transition);
  cdni_contact_displacement(v->room, state, slot, s.x);
  const cdn_vec3 n = t->normal, V = s.c.m.slip, turn = s.c.m.turn;
  const cdn_vec3 roll = cdn_scale(s.b.roll_lever, cdn_sub(turn, cdn_scale(cdn_dot(turn, n), n)));
  s.motion[0] = V.x, s.motion[1] = V.y, s.motion[2] = V.z, s.motion[3] = s.b.sliding.lever0 * cdn_dot(turn, n);
  s.roll[0] = roll.x, s.roll[1] = roll.y, s.roll[2] = roll.z, s.roll[3] = 0;
  s.speed = cdn_norm(V);
  s.coefficient = cdni_friction_bound(t->friction, s.speed, transition, &s.slope);
  s.rolls = v->room->slot_numbers > SLOT_NUMBERS && t->rolling > 0;
  double rates[4];
  cdni_bristle(&s.b.sliding, s.x, s.motion, s.slide_force, rates);
  const double x[4] = { s.x[4], s.x[5], s.x[6], 0 };
  if (s.rolls) cdni_bristle(&s.b.rolling, x, s.roll, s.roll_force, rates);
  return s;
}

/* How the force on b, and the rates of the memory, change. */
typedef struct stuck_change {
  push_on_b push;
  double rate[SLOT_MOST_NUMBERS];
} stuck_change;

static void add_carried(double rate[3], cdn_vec3 carried, cdn_vec3 d_carried, const double x[3], const double dx[3]) {
  const cdn_vec3 r =
      cdn_add(cdn_cross(d_carried, cdn_v3(x[0], x[1], x[2])), cdn_cross(carried, cdn_v3(dx[0], dx[1], dx[2])));
  rate[0] += r.x, rate[1] += r.y, rate[2] += r.z;
}

static stuck_change change_of(const stuck *s, const contact_change *d, const double dx[SLOT_MOST_NUMBERS]) {
  const touch *t = s->c.t;
  const cdn_vec3 n = t->normal, dn = d->n, turn = s->c.m.turn, V = s->c.m.slip;
  const double d_speed = s->speed > 0 ? cdn_dot(V, d->slip) / s->speed : 0;
  const double d_spin = cdn_dot(d->turn, n) + cdn_dot(turn, dn), N = s->f->normal;
  const double d_lever = s->b.stamp_lever * d->stamp;
  bristle_change slide = { .lever0 = d_lever,
                           .stiffness = d->stamp,
                           .time = -0.5 * d->stamp,
                           .strength = s->slope * d_speed * N + s->coefficient * d->dN,
                           .normal = dn };
  slide.lever = s->b.spread_lever * d->spread / t->spread;
  memcpy(slide.x, dx, sizeof slide.x);
  slide.v[0] = d->slip.x, slide.v[1] = d->slip.y, slide.v[2] = d->slip.z,
  slide.v[3] = s->b.sliding.lever0 * d_spin + d_lever * cdn_dot(turn, n);
  double df[4];
  stuck_change to = { .rate = { 0 } };
  cdni_bristle_derivative(&s->b.sliding, s->x, s->motion, &slide, df, to.rate);
  add_carried(to.rate, s->c.m.carried, d->carried, s->x, dx);
  if (N > 0) {
    /* P f, and the moment along n */
    const cdn_vec3 f = cdn_v3(s->slide_force[0], s->slide_force[1], s->slide_force[2]),
                   change = cdn_v3(df[0], df[1], df[2]);
    const double along = cdn_dot(f, n), d_along = cdn_dot(change, n) + cdn_dot(f, dn);
    to.push.force = cdn_sub(change, cdn_add(cdn_scale(d_along, n), cdn_scale(along, dn)));
    to.push.moment = cdn_add(cdn_scale(s->b.sliding.lever0 * df[3] + d_lever * s->slide_force[3], n),
                             cdn_scale(s->b.sliding.lever0 * s->slide_force[3], dn));
  }
  if (!s->rolls) return to;
  const cdn_vec3 spins = cdn_add(cdn_scale(d_spin, n), cdn_scale(cdn_dot(turn, n), dn));
  const cdn_vec3 rolls = cdn_sub(turn, cdn_scale(cdn_dot(turn, n), n)),
                 d_roll = cdn_add(cdn_scale(s->b.roll_lever, cdn_sub(d->turn, spins)), cdn_scale(d_lever, rolls));
  const double x[4] = { s->x[4], s->x[5], s->x[6], 0 };
  bristle_change roll = { .x = { dx[4], dx[5], dx[6], 0 },
                          .v = { d_roll.x, d_roll.y, d_roll.z, 0 },
                          .strength = t->rolling / s->b.roll_lever * (d->dN - N * d_lever / s->b.roll_lever),
                          .stiffness = d->stamp,
                          .time = -0.5 * d->stamp - (s->c.size > s->b.roll_lever ? d_lever / s->b.roll_lever : 0),
                          .normal = dn };
  double rate[4];
  cdni_bristle_derivative(&s->b.rolling, x, s->roll, &roll, df, rate);
  memcpy(to.rate + SLOT_NUMBERS, rate, 3 * sizeof *rate);
  add_carried(to.rate + SLOT_NUMBERS, s->c.m.carried, d->carried, s->x + SLOT_NUMBERS, dx + SLOT_NUMBERS);
  if (!(N > 0)) return to;
  const cdn_vec3 f = cdn_v3(s->roll_force[0], s->roll_force[1], s->roll_force[2]), change = cdn_v3(df[0], df[1], df[2]);
  to.push.moment = cdn_add(to.push.moment, cdn_add(cdn_scale(s->b.roll_lever, change), cdn_scale(d_lever, f)));
  return to;
}

/* By number k of the memory. */
static stuck_change change_by_memory(const stuck *s, int k) {
  const contact_change still = { .dN = 0 };
  double dx[SLOT_MOST_NUMBERS] = { 0 };
  dx[k] = SLOT_UNIT;
  return change_of(s, &still, dx);
}

/* ---- all patches ---- */

typedef cdn_status patch_visitor(void *context, cdn_state *state, const contact_room *room, const stuck *s, int slot,
                                 const cdn_body bodies[2], const cdn_vec3 stations[2]);

static cdn_status visit_patches(const contact_room *room, cdn_state *state, patch_visitor *visit, void *context) {
  const patch *patches;
  const void *touches, *forces, *of_patches;
  int n, n_touches;
  CDNI_TRY(cdni_contact_patches(room, state, &patches, &n));
  if (n == 0) return CDN_OK;
  CDNI_TRY(cdn_region_eval(state, room->touches, &touches, &n_touches));
  CDNI_TRY(cdn_region_eval(state, room->forces, &forces, &n_touches));
  CDNI_TRY(cdn_region_eval(state, room->patch_forces, &of_patches, &n));
  motion_view v;
  CDNI_TRY(cdni_motion_view(room, state, &v));
  const double *pairs = cdn_state_parameters(state, room->pair_numbers);
  const double transition = *cdn_state_parameters(state, room->transition);
  for (int i = 0; i < n; i++) {
    if (patches[i].slot < 0) continue;
    const int k = patches[i].first;
    const touch *t = (const touch *)touches + k;
    const stuck s = stuck_of(&v, state, pairs, t, (const touch_force *)forces + k, (const patch_force *)of_patches + i,
                             patches[i].slot, transition);
    const cdn_body bodies[2] = { { shape_body(room, t->a) }, { shape_body(room, t->b) } };
    cdn_vec3 stations[2];
    CDNI_TRY(cdni_contact_stations(state, t, bodies, stations));
    CDNI_TRY(visit(context, state, room, &s, patches[i].slot, bodies, stations));
  }
  return CDN_OK;
}

/* ---- forces ---- */

static cdn_status add_force(void *context, cdn_state *state, const contact_room *room, const stuck *s, int slot,
                            const cdn_body bodies[2], const cdn_vec3 stations[2]) {
  cdn_force_derivatives *d = context;
  const cdn_vec3 zero = { 0, 0, 0 };
  const double none[SLOT_MOST_NUMBERS] = { 0 };
  cdn_vec3 force, moment;
  double by_X[144], by_V[144];
  (void)state;
  cdni_patch_share(s->p, s->c.t, s->f, &force, &moment);
  const cdn_spatial F[2] = { { cdn_scale(-1, moment), cdn_scale(-1, force) }, { moment, force } };
  for (int k = 0; k < 12; k++) {
    effect e;
    contact_change X, V;
    cdni_contact_changes(&s->c, k, &e, &X, &V);
    cdni_contact_put_column(by_X, k, change_of(s, &X, none).push, force, e.over_a, e.over_b);
    cdni_contact_put_column(by_V, k, change_of(s, &V, none).push, force, zero, zero);
  }
  /* the displacement does not turn with the bodies */
  cdn_force_derivatives_add_bodies(d, 2, bodies, stations, F, by_X, by_V, false);
  for (int k = 0; k < room->slot_numbers; k++) {
    cdn_forces *to = cdn_force_derivatives_wrt_z(d, room->displacements, room->slot_numbers * slot + k);
    if (!to) return CDN_OK;
    const push_on_b by = change_by_memory(s, k).push;
    for (int i = 0; i < 2; i++) {
      const double sign = i == 0 ? -1 : 1;
      cdn_forces_add_at(to, bodies[i], s->c.t->point, cdn_scale(sign, by.force));
      cdn_forces_add_torque(to, bodies[i], cdn_scale(sign, by.moment));
    }
  }
  return CDN_OK;
}

cdn_status cdni_contact_sticking_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d) {
  return visit_patches(contact_of(self), state, add_force, d);
}

/* ---- rates ---- */

/* Gradients of a rate by the turn, the displacement, the angular velocity and the velocity of a body at its station,
 * as gradients by the places and velocities of four stations: at the station, and 1 m from it along each axis of
 * Ground. */
static void add_gradient(cdn_zdot_derivatives *d, cdn_zvar z, int i, cdn_body body, const cdn_rotation *R_GB,
                         cdn_vec3 station, cdn_vec3 w, cdn_vec3 by_turn, cdn_vec3 by_p, cdn_vec3 by_w, cdn_vec3 by_v) {
  const cdn_vec3 axis[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  /* e_x x e_y = e_z and so on */
  const cdn_vec3 at_v[3] = { { 0, by_w.z, 0 }, { 0, 0, by_w.x }, { by_w.y, 0, 0 } };
  cdn_vec3 rest_v = by_v, rest_p = by_p;
  /* the stations' velocities vary with the turn as well */
  for (int k = 0; k < 3; k++) by_turn = cdn_sub(by_turn, cdn_cross(axis[k], cdn_cross(at_v[k], w)));
  const cdn_vec3 at_p[3] = { { 0, by_turn.z, 0 }, { 0, 0, by_turn.x }, { by_turn.y, 0, 0 } };
  for (int k = 0; k < 3; k++) {
    rest_v = cdn_sub(rest_v, at_v[k]), rest_p = cdn_sub(rest_p, at_p[k]);
    cdn_zdot_derivatives_add_station(d, z, i, body, cdn_add(station, cdn_rotate_inv(*R_GB, axis[k])), at_p[k], at_v[k]);
  }
  cdn_zdot_derivatives_add_station(d, z, i, body, station, rest_p, rest_v);
}

static cdn_status add_rates(void *context, cdn_state *state, const contact_room *room, const stuck *s, int slot,
                            const cdn_body bodies[2], const cdn_vec3 stations[2]) {
  cdn_zdot_derivatives *d = context;
  const double none[SLOT_MOST_NUMBERS] = { 0 };
  const int n = room->slot_numbers, first = n * slot;
  double by_X[SLOT_MOST_NUMBERS][12], by_V[SLOT_MOST_NUMBERS][12];
  for (int k = 0; k < 12; k++) {
    effect e;
    contact_change X, V;
    cdni_contact_changes(&s->c, k, &e, &X, &V);
    const stuck_change of_X = change_of(s, &X, none), of_V = change_of(s, &V, none);
    for (int i = 0; i < n; i++) by_X[i][k] = of_X.rate[i] / SLOT_UNIT, by_V[i][k] = of_V.rate[i] / SLOT_UNIT;
  }
  for (int side = 0; side < 2; side++) {
    cdn_transform X_GB;
    cdn_spatial V_GB;
    if (bodies[side].i == 0) continue;
    CDNI_TRY(cdn_body_pose(state, bodies[side], &X_GB));
    CDNI_TRY(cdn_body_velocity(state, bodies[side], &V_GB));
    for (int i = 0; i < n; i++) {
      const double *X = by_X[i] + 6 * side, *V = by_V[i] + 6 * side;
      add_gradient(d, room->displacements, first + i, bodies[side], &X_GB.R, stations[side], V_GB.w,
                   cdn_v3(X[0], X[1], X[2]), cdn_v3(X[3], X[4], X[5]), cdn_v3(V[0], V[1], V[2]),
                   cdn_v3(V[3], V[4], V[5]));
    }
  }
  for (int k = 0; k < n; k++) {
    const stuck_change by = change_by_memory(s, k);
    for (int i = 0; i < n; i++)
      cdn_zdot_derivatives_add_z(d, room->displacements, first + i, room->displacements, first + k,
                                 by.rate[i] / SLOT_UNIT);
  }
  return CDN_OK;
}

cdn_status cdni_contact_zdot_derivative(const void *self, cdn_state *state, cdn_zdot_derivatives *d) {
  return visit_patches(contact_of(self), state, add_rates, d);
}
