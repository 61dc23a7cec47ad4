/* Spring, damper and constant force along the line between two stations: equal and opposite forces.
 * Parameters: k and rest length for the spring, c for the damper, f for the constant force. */
#ifndef CARDAN_FORCES_TWO_POINT_H
#define CARDAN_FORCES_TWO_POINT_H

#include <cardan/math.h>

#include "forces/kernel.h"

typedef struct two_point {
  int32_t body_a, body_b;
  cdn_vec3 p_A, p_B;
} two_point;

/* Where the stations are, from their M origins, and from the first one to the second. */
typedef struct line {
  v3 r_a, r_b, apart;
  real length;
} line;

CDNI_INLINE line line_of(const real *frames, const body_pose *pose, const two_point *e) {
  const v3 p_A = { r_set(e->p_A.x), r_set(e->p_A.y), r_set(e->p_A.z) };
  const v3 p_B = { r_set(e->p_B.x), r_set(e->p_B.y), r_set(e->p_B.z) };
  line l;
  l.r_a = lanes_station(frames, pose, e->body_a, p_A);
  l.r_b = lanes_station(frames, pose, e->body_b, p_B);
  v3 p_a = v3_add(pose[e->body_a].p_GM, l.r_a), p_b = v3_add(pose[e->body_b].p_GM, l.r_b);
  l.apart = v3_sub(p_b, p_a);
  l.length = v3_norm(l.apart);
  return l;
}

CDNI_INLINE v3 line_direction(const line *l) {
  return (v3){ l->apart.x / l->length, l->apart.y / l->length, l->apart.z / l->length };
}

CDNI_INLINE v3 line_rate(const body_twist *twist, const two_point *e, const line *l) {
  return v3_sub(sv_shift_motion(twist[e->body_b].V, l->r_b).v, sv_shift_motion(twist[e->body_a].V, l->r_a).v);
}

/* f on the first body, -f on the second. */
CDNI_INLINE void lanes_push_pair(const force_lanes *b, const two_point *e, const line *l, v3 f) {
  lanes_push(b, e->body_a, l->r_a, f);
  lanes_push(b, e->body_b, l->r_b, v3_neg(f));
}

CDNI_INLINE v3 v3_select(rmask where, v3 a, v3 b) {
  return (v3){ r_select(where, a.x, b.x), r_select(where, a.y, b.y), r_select(where, a.z, b.z) };
}

/* Tension k (length - rest); without a rest length no direction is needed. */
CDNI_INLINE void lanes_two_point_spring(const force_lanes *b) {
  const two_point *e = b->elements;
  const real none = r_set(0);
  for (int i = 0; i < b->n; i++) {
    if (!lanes_on(b, i)) continue;
    const real k = b->params[2 * i], rest = b->params[2 * i + 1];
    const line l = line_of(b->frames, b->pose, &e[i]);
    const rmask rests = r_greater(rest, none);
    lanes_fail(b, i, rests & ~r_greater(l.length, none));
    const v3 stretched = v3_scale(k * (l.length - rest), line_direction(&l));
    lanes_push_pair(b, &e[i], &l, v3_select(rests, stretched, v3_scale(k, l.apart)));
  }
}

/* Where the ends meet, the direction is that of their motion: the limit on the way through. */
CDNI_INLINE void lanes_two_point_damper(const force_lanes *b) {
  const two_point *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!lanes_on(b, i)) continue;
    const line l = line_of(b->frames, b->pose, &e[i]);
    const v3 n = line_direction(&l), v = line_rate(b->twist, &e[i], &l);
    const v3 along = v3_select(r_greater(l.length, r_set(0)), v3_scale(v3_dot(n, v), n), v);
    lanes_push_pair(b, &e[i], &l, v3_scale(b->params[i], along));
  }
}

CDNI_INLINE void lanes_two_point_force(const force_lanes *b) {
  const two_point *e = b->elements;
  const v3 none = v3_zero();
  for (int i = 0; i < b->n; i++) {
    if (!lanes_on(b, i)) continue;
    const line l = line_of(b->frames, b->pose, &e[i]);
    const rmask acts = r_greater(r_abs(b->params[i]), none.x);
    lanes_fail(b, i, acts & ~r_greater(l.length, none.x));
    lanes_push_pair(b, &e[i], &l, v3_select(acts, v3_scale(-b->params[i], line_direction(&l)), none));
  }
}

#endif
