/* How a touch varies with the pose where no formula tells, of ellipsoids, on height fields and by laws of the user's:
 * by differences of the law itself, at poses of one of the two shapes. What belongs to other pairs is not looked at. */
#include <math.h>

#include "contact/derivatives.h"
#include "math/difference.h"

/* The shape b turned about the point of the touch, and displaced. */
static bool touch_there(const touch_pair *pair, const touch *t, const small_motion *d, double h, touch *out) {
  const cdn_transform *X = pair->X[1];
  const double angle = h * cdn_norm(d->theta_b);
  cdn_transform there = *X;
  if (angle != 0) {
    const cdn_rotation R = cdn_rotation_axis_angle(cdn_scale(h / angle, d->theta_b), angle);
    there.R = cdn_rotation_multiply(R, X->R);
    there.p = cdn_add(t->point, cdn_rotate(R, cdn_sub(X->p, t->point)));
  }
  there.p = cdn_add(there.p, cdn_scale(h, d->delta_b));
  touch_pair moved = *pair;
  moved.X[1] = &there;
  return pair->law->touch(&moved, t->feature, out);
}

static cdn_vec3 slope(double over, cdn_vec3 a, cdn_vec3 b) { return cdn_scale(1 / over, cdn_sub(a, b)); }

/* 1: it has none. */
static double stamp_of(const touch *t) {
  const double square = t->radius[0] * t->radius[1];
  return square > 0 ? square / t->depth : 1;
}
static double coefficient(const touch *t, int k) { return k < 3 ? t->friction[k] : k == 3 ? t->torsional : t->rolling; }

/* `size`: the step of a displacement, over that of a turn. Where the touch is lost on one of the two sides, the other
 * one tells. */
static effect difference(const touch_pair *pair, const touch *t, const small_motion *d, double size, double rate) {
  const double h = CDNI_DIFFERENCE * (cdn_dot(d->theta_b, d->theta_b) > 0 ? 1 : size);
  touch there, here;
  double over = 2 * h;
  if (!touch_there(pair, t, d, h, &there)) there = *t, over = h;
  if (!touch_there(pair, t, d, -h, &here)) here = *t, over = h;
  effect e = { .n = slope(over, there.normal, here.normal),
               .p = slope(over, there.point, here.point),
               .gap = (here.depth - there.depth) / over,
               .elastic = (there.elastic - here.elastic) / over,
               .stamp = log(stamp_of(&there) / stamp_of(&here)) / over,
               .spread = (there.spread - here.spread) / over,
               .side_force = slope(over, there.side_force, here.side_force),
               .side_moment = slope(over, there.side_moment, here.side_moment) };
  e.pressed = (normal_force(pair->room, &there, rate) - normal_force(pair->room, &here, rate)) / over;
  for (int k = 0; k < 5; k++) {
    e.friction[k] = (coefficient(&there, k) - coefficient(&here, k)) / over;
    e.varies = e.varies || e.friction[k] != 0;
  }
  return e;
}

void cdni_contact_difference_law(const touch_pair *pair, const touch *t, double size, double rate, effect by_b[6]) {
  const double least = fmin(size, 0.1 * t->depth / CDNI_DIFFERENCE);
  for (int k = 0; k < 6; k++) {
    const small_motion d = cdni_contact_unit_motion(6 + k);
    by_b[k] = difference(pair, t, &d, least, rate);
  }
}

static void add(effect *a, double s, const effect *b) {
  a->n = cdn_add(a->n, cdn_scale(s, b->n)), a->p = cdn_add(a->p, cdn_scale(s, b->p));
  a->gap += s * b->gap, a->elastic += s * b->elastic, a->pressed += s * b->pressed;
  a->spread += s * b->spread, a->stamp += s * b->stamp;
  a->side_force = cdn_add(a->side_force, cdn_scale(s, b->side_force));
  a->side_moment = cdn_add(a->side_moment, cdn_scale(s, b->side_moment));
  for (int k = 0; k < 5 && b->varies; k++) a->friction[k] += s * b->friction[k];
  a->varies = a->varies || b->varies;
}

/* The two move as a does, and b on from there. */
effect cdni_contact_effect_of_law(const touch *t, const effect by_b[6], const small_motion *d) {
  effect e = { .n = cdn_cross(d->theta_a, t->normal),
               .p = d->delta_a,
               .side_force = cdn_cross(d->theta_a, t->side_force),
               .side_moment = cdn_cross(d->theta_a, t->side_moment) };
  const cdn_vec3 turn = cdn_sub(d->theta_b, d->theta_a), shift = cdn_sub(d->delta_b, d->delta_a);
  const double parts[6] = { turn.x, turn.y, turn.z, shift.x, shift.y, shift.z };
  for (int k = 0; k < 6; k++) add(&e, parts[k], &by_b[k]);
  return e;
}
