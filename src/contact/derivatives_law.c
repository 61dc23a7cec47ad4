/* How the touch of a round surface varies with its pose where no formula tells, of ellipsoids and on height fields: by differences of
 * the law itself, at poses of one of the two shapes. What belongs to other pairs is not looked at. */
#include <math.h>

#include "contact/derivatives.h"
#include "math/difference.h"

/* The shape b turned about the point of the touch, and displaced. */
static bool touch_there(const touch_pair *pair, cdn_vec3 about, const small_motion *d, double h, touch *out) {
  const cdn_transform *X = pair->X[1];
  const double angle = h * cdn_norm(d->theta_b);
  cdn_transform there = *X;
  if (angle != 0) {
    const cdn_rotation R = cdn_rotation_axis_angle(cdn_scale(h / angle, d->theta_b), angle);
    there.R = cdn_rotation_multiply(R, X->R);
    there.p = cdn_add(about, cdn_rotate(R, cdn_sub(X->p, about)));
  }
  there.p = cdn_add(there.p, cdn_scale(h, d->delta_b));
  touch_pair moved = *pair;
  moved.X[1] = &there;
  return cdni_smooth_touch(&moved, out);
}

static cdn_vec3 slope(double over, cdn_vec3 a, cdn_vec3 b) { return cdn_scale(1 / over, cdn_sub(a, b)); }

static double stamp_of(const touch *t) { return t->radius[0] * t->radius[1] / t->depth; }

/* `size`: the step of a displacement, over that of a turn. Where the touch is lost on one of the two sides, the other one tells. */
static effect difference(const touch_pair *pair, const touch *t, const small_motion *d, double size) {
  const double h = CDNI_DIFFERENCE * (cdn_dot(d->theta_b, d->theta_b) > 0 ? 1 : size);
  touch there, here;
  double over = 2 * h;
  if (!touch_there(pair, t->point, d, h, &there)) there = *t, over = h;
  if (!touch_there(pair, t->point, d, -h, &here)) here = *t, over = h;
  return (effect){ .n = slope(over, there.normal, here.normal),
                   .p = slope(over, there.point, here.point),
                   .gap = (here.depth - there.depth) / over,
                   .elastic = (there.elastic - here.elastic) / over,
                   .stamp = log(stamp_of(&there) / stamp_of(&here)) / over,
                   .spread = (there.spread - here.spread) / over,
                   .side_force = slope(over, there.side_force, here.side_force),
                   .side_moment = slope(over, there.side_moment, here.side_moment) };
}

void cdni_contact_difference_law(const touch_pair *pair, const touch *t, double size, effect by_b[6]) {
  const double least = fmin(size, 0.1 * t->depth / CDNI_DIFFERENCE);
  for (int k = 0; k < 6; k++) {
    const small_motion d = cdni_contact_unit_motion(6 + k);
    by_b[k] = difference(pair, t, &d, least);
  }
}

static effect sum(effect a, double s, const effect *b) {
  a.n = cdn_add(a.n, cdn_scale(s, b->n)), a.p = cdn_add(a.p, cdn_scale(s, b->p));
  a.gap += s * b->gap, a.elastic += s * b->elastic, a.spread += s * b->spread, a.stamp += s * b->stamp;
  a.side_force = cdn_add(a.side_force, cdn_scale(s, b->side_force));
  a.side_moment = cdn_add(a.side_moment, cdn_scale(s, b->side_moment));
  return a;
}

/* The two move as a does, and b on from there. */
effect cdni_contact_effect_of_law(const touch *t, const effect by_b[6], const small_motion *d) {
  effect e = { .n = cdn_cross(d->theta_a, t->normal),
               .p = d->delta_a,
               .side_force = cdn_cross(d->theta_a, t->side_force),
               .side_moment = cdn_cross(d->theta_a, t->side_moment) };
  const cdn_vec3 turn = cdn_sub(d->theta_b, d->theta_a), shift = cdn_sub(d->delta_b, d->delta_a);
  const double parts[6] = { turn.x, turn.y, turn.z, shift.x, shift.y, shift.z };
  for (int k = 0; k < 6; k++) e = sum(e, parts[k], &by_b[k]);
  return e;
}
