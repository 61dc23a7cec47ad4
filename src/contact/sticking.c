/* Friction of patches that have memory: what their bristles (laws/bristle.c) do, and what is added to the bodies.
 *
 * Each touch i of a patch bears the share w_i = N_i / N of the normal force. The patch moves at V = P sum w_i P_i v_i,
 * where P_i is the projection on the plane of the touch, and P that on the plane of the patch. The force f of the
 * bristle, which is in that plane, is divided in the same way, w_i P_i f at the place of each touch: so its power is
 * f.V, whatever the planes are.
 *
 * The stiffness is that of a stamp of the radius a on the combined material, k = 1.6 E* a (Mindlin 1949; 1.65 at
 * Poisson's ratio 0.3). It must not vary with the load, or energy would not be accounted for. So a is fixed: the radius
 * that Hertz's patch has at a depth of R/1000, or half the radius of the ball about the smaller shape. The time T is 2
 * zeta sqrt(m / k) for the lighter body. */
#include <float.h>
#include <math.h>

#include "contact/entries.h"
#include "contact/memory.h"
#include "contact/motion.h"
#include "contact/room.h"
#include "contact/touch.h"
#include "matter/checks.h"

/* A uniform pressure on a disc resists spin at two thirds of its radius, which is 0.94 of the root mean square of the
 * radius; Hertz's pressure, at 3 pi / 16 = 0.59 of its radius, which is 0.93 of the root mean square. */
static const double LEVER = 0.93, STAMP_LEVER = 0.6;

/* ---- what does not vary with the motion ---- */

static double stamp_radius(const motion_view *v, const touch *t) {
  const double R = t->radius[0] * t->radius[1] / t->depth; /* of Hertz's law: a^2 / depth */
  return R > 0 ? sqrt(1e-3) * R : 0.5 * cdni_contact_size(v, t->a, t->b);
}

static double mass_of(const contact_room *room, int body) {
  return CDNI_AT(room->matter->mass0, double, MASS_PARAMETERS *body);
}

static double lighter_mass(const contact_room *room, const touch *t) {
  const double a = mass_of(room, shape_body(room, t->a)), b = mass_of(room, shape_body(room, t->b));
  if (a > 0 && b > 0) return fmin(a, b);
  return a > 0 ? a : b > 0 ? b : 1;
}

/* ---- one patch ---- */

patch_load cdni_patch_load(const touch *touches, const touch_force *forces, int n) {
  patch_load l = { .turn = forces[0].turn, .carried = forces[0].carried };
  cdn_vec3 sum = { 0, 0, 0 }, center = { 0, 0, 0 };
  for (int i = 0; i < n; i++) {
    const double N = forces[i].normal;
    l.N += N;
    sum = cdn_add(sum, cdn_scale(N, touches[i].normal));
    center = cdn_add(center, cdn_scale(N, cdn_sub(touches[i].point, touches[0].point)));
  }
  if (!(l.N > 0)) return l;
  l.center = cdn_add(touches[0].point, cdn_scale(1 / l.N, center));
  const double length = cdn_norm(sum);
  if (length > 0.5 * l.N) l.normal = cdn_scale(1 / length, sum);
  for (int i = 0; i < n; i++) {
    const cdn_vec3 r = cdn_sub(touches[i].point, l.center);
    const double share = forces[i].normal / l.N;
    l.spread += share * (cdn_dot(r, r) + touches[i].spread * touches[i].spread);
    const cdn_vec3 second = cdn_cross(touches[i].normal, touches[i].tangent);
    l.V = cdn_add(l.V, cdn_add(cdn_scale(share * forces[i].slip[0], touches[i].tangent),
                               cdn_scale(share * forces[i].slip[1], second)));
  }
  l.V = cdn_sub(l.V, cdn_scale(cdn_dot(l.V, l.normal), l.normal));
  return l;
}

static bristle bristle_of(const motion_view *v, const touch *t, const patch_load *l, double transition) {
  const contact_room *room = v->room;
  const double a = stamp_radius(v, t), k = 1.6 * t->modulus * a;
  const double mu = cdni_friction_bound(t->friction, cdn_norm(l->V), transition, NULL);
  bristle b = { .stiffness = k,
                .time = 2 * room->def.friction_damping * sqrt(lighter_mass(room, t) / k),
                .strength = mu * l->N,
                .normal = l->normal };
  if (t->friction[0] > 0) {
    const double lever = t->torsional / t->friction[0];
    b.lever0 = STAMP_LEVER * a + lever;
    if (cdn_norm(l->normal) > 0) b.lever = LEVER * sqrt(l->spread) + lever;
  }
  return b;
}

/* A bristle of its own against rolling. Its damper is that of the lever at which a ball rolls. */
static bristle rolling_bristle(const motion_view *v, const touch *t, const patch_load *l, const bristle *sliding,
                               double *lever) {
  *lever = STAMP_LEVER * stamp_radius(v, t) + t->rolling / fmax(t->friction[0], 0.1);
  return (bristle){ .stiffness = sliding->stiffness,
                    .time = sliding->time * fmax(cdni_contact_size(v, t->a, t->b) / *lever, 1),
                    .strength = t->rolling * l->N / *lever,
                    .normal = l->normal };
}

patch_bristles cdni_patch_bristles(const motion_view *v, const touch *t, const patch_load *l, double transition) {
  patch_bristles b = { .sliding = bristle_of(v, t, l, transition) };
  b.rolling = rolling_bristle(v, t, l, &b.sliding, &b.roll_lever);
  b.spread_lever = LEVER * sqrt(l->spread);
  b.stamp_lever = STAMP_LEVER * stamp_radius(v, t);
  return b;
}

patch_bristles cdni_contact_bristles(const motion_view *v, const touch *t, const touch_force *f, double transition) {
  const patch_load l = cdni_patch_load(t, f, 1);
  return cdni_patch_bristles(v, t, &l, transition);
}

static void add_rolling(const motion_view *v, const touch *t, const patch_load *l, const bristle *sliding,
                        const double *x, patch_force *out) {
  if (!(t->rolling > 0)) return;
  double lever;
  const bristle b = rolling_bristle(v, t, l, sliding, &lever);
  const cdn_vec3 roll = cdn_scale(lever, cdn_sub(l->turn, cdn_scale(cdn_dot(l->turn, l->normal), l->normal)));
  const double from[4] = { x[0], x[1], x[2], 0 }, motion[4] = { roll.x, roll.y, roll.z, 0 };
  const cdn_vec3 carried = cdn_cross(l->carried, cdn_v3(x[0], x[1], x[2]));
  double f[4], rate[4];
  cdni_bristle(&b, from, motion, f, rate);
  out->rate[4] = rate[0] + carried.x, out->rate[5] = rate[1] + carried.y, out->rate[6] = rate[2] + carried.z;
  if (l->N > 0) out->moment = cdn_add(out->moment, cdn_scale(lever, cdn_v3(f[0], f[1], f[2])));
}

static patch_force force_of_patch(const motion_view *v, cdn_state *state, const patch *p, const touch *touches,
                                  const touch_force *forces, double transition) {
  const patch_load l = cdni_patch_load(touches, forces, p->count);
  const bristle b = bristle_of(v, touches, &l, transition);
  double x[SLOT_MOST_NUMBERS], f[4];
  cdni_contact_displacement(v->room, state, p->slot, x);
  const double motion[4] = { l.V.x, l.V.y, l.V.z, b.lever0 * cdn_dot(l.turn, l.normal) };
  patch_force out = { .normal = l.N };
  out.sticks = cdni_bristle(&b, x, motion, f, out.rate);
  out.displacement = cdn_v3(x[0], x[1], x[2]);
  const cdn_vec3 carried = cdn_cross(l.carried, out.displacement);
  out.rate[0] += carried.x, out.rate[1] += carried.y, out.rate[2] += carried.z;
  if (l.N > 0) {
    out.force = cdn_v3(f[0], f[1], f[2]);
    out.moment = cdn_scale(b.lever0 * f[3], l.normal);
  }
  if (v->room->slot_numbers > SLOT_NUMBERS) add_rolling(v, touches, &l, &b, x + SLOT_NUMBERS, &out);
  return out;
}

cdn_status cdni_contact_calc_patch_forces(const void *self, cdn_state *state, cdn_region_output *out) {
  const contact_room *room = contact_of(self);
  const patch *patches;
  const void *elements;
  void *place;
  int n, n_touches;
  CDNI_TRY(cdni_contact_patches(room, state, &patches, &n));
  CDNI_TRY(cdn_region_eval(state, room->forces, &elements, &n_touches));
  CDNI_TRY(cdn_region_output_add(out, n, &place));
  if (n == 0) return CDN_OK;
  const touch *touches = cdni_region_elements(state, room->touches);
  const touch_force *forces = elements;
  patch_force *to = place;
  motion_view v;
  CDNI_TRY(cdni_motion_view(room, state, &v));
  const double transition = *cdn_state_parameters(state, room->transition);
  for (int i = 0; i < n; i++)
    if (patches[i].slot >= 0)
      to[i] = force_of_patch(&v, state, &patches[i], &touches[patches[i].first], &forces[patches[i].first], transition);
  return CDN_OK;
}

/* ---- what comes of it ---- */

void cdni_patch_share(const patch_force *p, const touch *t, const touch_force *f, cdn_vec3 *force, cdn_vec3 *moment) {
  const double share = p->normal > 0 ? f->normal / p->normal : 0;
  *force = cdn_scale(share, cdn_sub(p->force, cdn_scale(cdn_dot(p->force, t->normal), t->normal)));
  *moment = cdn_scale(share, p->moment);
}

/* ---- at rest ---- */

/* A surface that moves while its body rests has slid for as long as one likes. */
static const double LONG = 1e9;

/* The displacement after all that slides has slid: the slider bears what is left. */
static void relax(const bristle *b, const double *x, const double motion[4], int n, double *to) {
  double long_motion[4], f[4], rate[4];
  for (int i = 0; i < 4; i++) long_motion[i] = LONG * motion[i];
  cdni_bristle(b, x, long_motion, f, rate);
  for (int i = 0; i < n; i++) to[i] = -f[i] / b->stiffness;
}

void cdni_contact_relax_patch(const motion_view *v, cdn_state *state, const patch *p, const touch *touches,
                              const touch_force *forces, double transition, double to[SLOT_MOST_NUMBERS]) {
  const patch_load l = cdni_patch_load(touches, forces, p->count);
  const bristle b = bristle_of(v, touches, &l, transition);
  const double motion[4] = { l.V.x, l.V.y, l.V.z, b.lever0 * cdn_dot(l.turn, l.normal) };
  double x[SLOT_MOST_NUMBERS], lever;
  cdni_contact_displacement(v->room, state, p->slot, x);
  relax(&b, x, motion, 4, to);
  if (v->room->slot_numbers == SLOT_NUMBERS || !(touches[0].rolling > 0)) return;
  const bristle rolling = rolling_bristle(v, touches, &l, &b, &lever);
  const cdn_vec3 roll = cdn_scale(lever, cdn_sub(l.turn, cdn_scale(cdn_dot(l.turn, l.normal), l.normal)));
  const double from[4] = { x[4], x[5], x[6], 0 }, rolls[4] = { roll.x, roll.y, roll.z, 0 };
  relax(&rolling, from, rolls, 3, to + SLOT_NUMBERS);
}

cdn_status cdni_contact_calc_zdot(const void *self, cdn_state *state, double *zdot) {
  const contact_room *room = contact_of(self);
  const patch *patches;
  const void *elements;
  int n;
  CDNI_TRY(cdni_contact_patches(room, state, &patches, &n));
  CDNI_TRY(cdn_region_eval(state, room->patch_forces, &elements, &n));
  const patch_force *forces = elements;
  memset(zdot, 0, (size_t)(room->slots * room->slot_numbers) * sizeof *zdot);
  for (int i = 0; i < n; i++)
    for (int k = 0; patches[i].slot >= 0 && k < room->slot_numbers; k++)
      zdot[room->slot_numbers * patches[i].slot + k] = forces[i].rate[k] / SLOT_UNIT;
  return CDN_OK;
}
