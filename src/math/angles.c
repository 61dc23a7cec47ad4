/* Orientation by angles, axes and directions. Angles come from quaternions, whose half angles are well conditioned
 * (after Bernardes and Viollet 2022, PLoS ONE 17(11): e0276302): with the axes i, j, k of a sequence and its handedness
 * e,
 *
 *   (a, b, c, d) = (w, q_i, q_j, e q_k)                             if the third axis is the first again
 *                  (w - q_j, q_i + e q_k, q_j + w, e q_k - q_i)     if it is the other one
 *
 * has a + i b = s cos(second / 2) exp(i (third + first) / 2), c + i d = s sin(second / 2) exp(i (third - first) / 2)
 * for space-fixed axes in the first case; the second case is the first one with the second angle shifted by pi/2. */
#include <math.h>

#include <cardan/angles.h>

#include "core/core.h"

#define PI 3.14159265358979323846

/* Below this distance from gimbal lock the angles that are lost are rounding alone; leaving it out of account turns
 * by as little. */
static const double LOCKED = 0x1p-50;

/* ---- sequences ---- */

typedef struct axes {
  int i, j, k; /* the third axis of space, not that of the sequence, is k */
  double e;    /* 1 where (i, j, k) are right-handed, else -1 */
  bool proper; /* the sequence returns to i */
} axes;

/* False if there is no such sequence. A body-fixed sequence is the space-fixed one in reverse order. */
static bool axes_of(cdn_sequence sequence, cdn_axes_fixed fixed, axes *out) {
  static const int list[CDN_SEQUENCE_COUNT][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 },
                                                   { 2, 0, 1 }, { 2, 1, 0 }, { 0, 1, 0 }, { 0, 2, 0 },
                                                   { 1, 0, 1 }, { 1, 2, 1 }, { 2, 0, 2 }, { 2, 1, 2 } };
  if ((int)sequence < 0 || (int)sequence >= CDN_SEQUENCE_COUNT || (int)fixed < 0 || (int)fixed > 1) return false;
  const int *s = list[sequence];
  out->i = fixed == CDN_SPACE_FIXED ? s[0] : s[2], out->j = s[1], out->k = 3 - out->i - out->j;
  out->proper = s[0] == s[2];
  out->e = (out->i + 1) % 3 == out->j ? 1 : -1;
  return true;
}

static cdn_angles backwards(cdn_angles a, cdn_axes_fixed fixed) {
  return fixed == CDN_SPACE_FIXED ? a : (cdn_angles){ a.third, a.second, a.first };
}

static cdn_vec3 unit(int axis) { return cdn_v3(axis == 0, axis == 1, axis == 2); }

/* ---- to and fro ---- */

cdn_quaternion cdn_quaternion_from_angles(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_angles angles) {
  axes x;
  if (!axes_of(sequence, fixed, &x)) return (cdn_quaternion){ NAN, NAN, NAN, NAN };
  const cdn_angles s = backwards(angles, fixed);
  cdn_quaternion first = cdn_quaternion_axis_angle(unit(x.i), s.first);
  cdn_quaternion second = cdn_quaternion_axis_angle(unit(x.j), s.second);
  cdn_quaternion third = cdn_quaternion_axis_angle(unit(x.proper ? x.i : x.k), s.third);
  return cdn_quaternion_multiply(third, cdn_quaternion_multiply(second, first));
}

cdn_rotation cdn_rotation_from_angles(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_angles angles) {
  axes x;
  if (!axes_of(sequence, fixed, &x)) {
    const cdn_vec3 nan = cdn_v3(NAN, NAN, NAN);
    return (cdn_rotation){ nan, nan, nan };
  }
  const cdn_angles s = backwards(angles, fixed);
  cdn_rotation first = cdn_rotation_axis_angle(unit(x.i), s.first);
  cdn_rotation second = cdn_rotation_axis_angle(unit(x.j), s.second);
  cdn_rotation third = cdn_rotation_axis_angle(unit(x.proper ? x.i : x.k), s.third);
  return cdn_rotation_multiply(third, cdn_rotation_multiply(second, first));
}

/* The angle that is a whole number of turns from x and nearest to y. */
static double turn_to(double x, double y) {
  const double d = remainder(x - y, 2 * PI);
  /* Without a turn no digit is rounded. */
  return fabs(x - y) <= PI ? x : y + d;
}

/* In (-pi, pi], for one that is at most three turns away. */
static double principal(double x) {
  if (x > PI) return x - 2 * PI;
  return x <= -PI ? x + 2 * PI : x;
}

typedef struct solution {
  cdn_angles angles;     /* space-fixed, in the standard range */
  bool locked, sum_lost; /* in lock; e third + first is lost, or else e third - first */
  double e;
} solution;

static bool solve(const axes *x, cdn_quaternion q, solution *out) {
  const double largest = fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
  if (!isfinite(largest)) return false;
  int exponent = 0;
  if (largest > 0) frexp(largest, &exponent);
  else q.w = 1;
  double n[4] = { ldexp(q.w, -exponent), ldexp(q.x, -exponent), ldexp(q.y, -exponent), ldexp(q.z, -exponent) };
  const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3]);
  for (int i = 0; i < 4; i++) n[i] /= length;

  const double w = n[0], qi = n[1 + x->i], qj = n[1 + x->j], qk = x->e * n[1 + x->k];
  double a = w, b = qi, c = qj, d = qk;
  if (!x->proper) a = w - qj, b = qi + qk, c = qj + w, d = qk - qi;
  const double near_zero = hypot(a, b), near_pi = hypot(c, d);
  const double plus = atan2(b, a), minus = atan2(d, c);
  out->e = x->proper ? 1 : x->e;
  if (x->proper) out->angles.second = 2 * atan2(near_pi, near_zero);
  else out->angles.second = atan2(2 * (w * qj - qk * qi), near_zero * near_pi);
  out->locked = near_zero <= LOCKED || near_pi <= LOCKED;
  out->sum_lost = near_zero <= LOCKED;
  /* The lost angle counts as zero: the other one is shared. */
  const double half_sum = near_zero <= LOCKED ? 0 : plus, half_difference = near_pi <= LOCKED ? 0 : minus;
  out->angles.first = principal(half_sum - half_difference);
  out->angles.third = principal(out->e * principal(half_sum + half_difference));
  return true;
}

static bool no_angles(cdn_angles *angles) {
  *angles = (cdn_angles){ NAN, NAN, NAN };
  return false;
}

bool cdn_angles_from_quaternion(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_quaternion q, cdn_angles *angles) {
  CDNI_NEED_OBJECT(angles, false);
  axes x;
  solution s;
  if (!axes_of(sequence, fixed, &x) || !solve(&x, q, &s)) return no_angles(angles);
  *angles = backwards(s.angles, fixed);
  return !s.locked;
}

bool cdn_angles_from_rotation(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_rotation R_AB, cdn_angles *angles) {
  CDNI_NEED_OBJECT(angles, false);
  return cdn_angles_from_quaternion(sequence, fixed, cdn_quaternion_from_rotation(R_AB), angles);
}

static double distance(cdn_angles a, cdn_angles b) {
  const double x = a.first - b.first, y = a.second - b.second, z = a.third - b.third;
  return x * x + y * y + z * z;
}

/* The whole turns nearest to `near`. In lock one combination of the outer angles is given; each departs by half of
 * its change. */
static cdn_angles wind(const solution *s, cdn_angles a, cdn_angles near) {
  cdn_angles out = { near.first, turn_to(a.second, near.second), near.third };
  if (!s->locked) {
    out.first = turn_to(a.first, near.first), out.third = turn_to(a.third, near.third);
    return out;
  }
  const double sign = s->sum_lost ? -1 : 1;
  const double change = remainder(s->e * a.third + sign * a.first - (s->e * near.third + sign * near.first), 2 * PI);
  out.first += sign * change / 2, out.third += s->e * change / 2;
  return out;
}

bool cdn_angles_near(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_quaternion q, cdn_angles near,
                     cdn_angles *angles) {
  CDNI_NEED_OBJECT(angles, false);
  axes x;
  solution s;
  if (!isfinite(near.first) || !isfinite(near.second) || !isfinite(near.third)) return no_angles(angles);
  if (!axes_of(sequence, fixed, &x) || !solve(&x, q, &s)) return no_angles(angles);
  near = backwards(near, fixed);
  const cdn_angles one = s.angles;
  const cdn_angles two = { one.first + PI, x.proper ? -one.second : PI - one.second, one.third + PI };
  const cdn_angles a = wind(&s, one, near), b = wind(&s, two, near);
  *angles = backwards(distance(a, near) <= distance(b, near) ? a : b, fixed);
  return !s.locked;
}

/* ---- rates ---- */

/* The three axes in A, in the order of the angles. */
static bool turned_axes(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_angles angles, cdn_vec3 out[3]) {
  axes x;
  if (!axes_of(sequence, fixed, &x)) return false;
  const cdn_angles s = backwards(angles, fixed);
  const int last = x.proper ? x.i : x.k;
  /* w = third axis rate + R_third (second axis rate + R_second first axis rate): space-fixed */
  const cdn_rotation third = cdn_rotation_axis_angle(unit(last), s.third);
  const cdn_rotation second = cdn_rotation_axis_angle(unit(x.j), s.second);
  cdn_vec3 a[3] = { cdn_rotate(third, cdn_rotate(second, unit(x.i))), cdn_rotate(third, unit(x.j)), unit(last) };
  for (int i = 0; i < 3; i++) out[i] = a[fixed == CDN_SPACE_FIXED ? i : 2 - i];
  return true;
}

cdn_vec3 cdn_angular_velocity_from_angles(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_angles angles,
                                          cdn_angles rates) {
  cdn_vec3 a[3];
  if (!turned_axes(sequence, fixed, angles, a)) return cdn_v3(NAN, NAN, NAN);
  return cdn_add(cdn_scale(rates.first, a[0]), cdn_add(cdn_scale(rates.second, a[1]), cdn_scale(rates.third, a[2])));
}

bool cdn_angle_rates(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_angles angles, cdn_vec3 w_A, cdn_angles *rates) {
  CDNI_NEED_OBJECT(rates, false);
  cdn_vec3 a[3];
  if (!turned_axes(sequence, fixed, angles, a)) return no_angles(rates);
  /* The second axis is at right angles to both others: w = (its part) + (the part in the plane of the other two). */
  const double cosine = cdn_dot(a[0], a[2]);
  const cdn_vec3 n = cdn_cross(a[0], a[2]);
  const double sine_squared = cdn_dot(n, n);
  rates->second = cdn_dot(w_A, a[1]);
  if (!(sine_squared > LOCKED * LOCKED)) {
    const double shared = 0.5 * cdn_dot(w_A, a[0]);
    rates->first = shared, rates->third = cosine < 0 ? -shared : shared;
    return false;
  }
  rates->first = cdn_dot(cdn_cross(w_A, a[2]), n) / sine_squared;
  rates->third = cdn_dot(cdn_cross(a[0], w_A), n) / sine_squared;
  return true;
}

/* ---- axis and angle ---- */

static cdn_vec3 direction_of(cdn_vec3 a) {
  const double largest = fmax(fmax(fabs(a.x), fabs(a.y)), fabs(a.z));
  int e = 0;
  if (!(largest > 0) || !isfinite(largest)) return cdn_v3(0, 0, 0);
  frexp(largest, &e);
  a = cdn_v3(ldexp(a.x, -e), ldexp(a.y, -e), ldexp(a.z, -e));
  return cdn_scale(1 / sqrt(cdn_dot(a, a)), a);
}

cdn_quaternion cdn_quaternion_axis_angle(cdn_vec3 axis, double angle) {
  const cdn_vec3 a = direction_of(axis);
  if (a.x == 0 && a.y == 0 && a.z == 0) return (cdn_quaternion){ 1, 0, 0, 0 };
  const double s = sin(0.5 * angle);
  return (cdn_quaternion){ cos(0.5 * angle), s * a.x, s * a.y, s * a.z };
}

double cdn_axis_angle_from_quaternion(cdn_quaternion q, cdn_vec3 *axis) {
  const double sign = q.w < 0 ? -1 : 1;
  cdn_vec3 v = cdn_v3(sign * q.x, sign * q.y, sign * q.z), n = direction_of(v);
  if (n.x == 0 && n.y == 0 && n.z == 0) n.x = 1;
  if (axis) *axis = n;
  return 2 * atan2(cdn_norm(v), sign * q.w);
}

double cdn_axis_angle_from_rotation(cdn_rotation R_AB, cdn_vec3 *axis) {
  return cdn_axis_angle_from_quaternion(cdn_quaternion_from_rotation(R_AB), axis);
}

/* ---- from directions ---- */

/* Some unit vector at right angles to a unit vector. */
static cdn_vec3 across(cdn_vec3 a) {
  const bool x_small = fabs(a.x) <= fabs(a.y) && fabs(a.x) <= fabs(a.z), y_small = fabs(a.y) <= fabs(a.z);
  return direction_of(cdn_cross(a, x_small ? unit(0) : y_small ? unit(1) : unit(2)));
}

cdn_quaternion cdn_quaternion_between(cdn_vec3 from, cdn_vec3 to) {
  const cdn_vec3 a = direction_of(from), b = direction_of(to);
  const cdn_vec3 sum = cdn_add(a, b), difference = cdn_sub(b, a);
  if (cdn_dot(a, a) == 0 || cdn_dot(b, b) == 0) return (cdn_quaternion){ 1, 0, 0, 0 };
  /* cosine and sine of half the angle are half the lengths of sum and difference */
  const double c = 0.5 * cdn_norm(sum), s = 0.5 * cdn_norm(difference);
  cdn_vec3 n = cdn_cross(a, b);
  if (cdn_dot(a, b) >= 0) {
    n = cdn_scale(0.5 / c, n);
    return (cdn_quaternion){ c, n.x, n.y, n.z };
  }
  /* Nearly opposite: the cross product has few digits left, the difference has all; at right angles to it any axis
   * will do. */
  const cdn_vec3 d = cdn_scale(0.5 / s, difference);
  n = direction_of(n);
  if (n.x == 0 && n.y == 0 && n.z == 0) n = across(d);
  n = direction_of(cdn_sub(n, cdn_scale(cdn_dot(n, d), d)));
  return (cdn_quaternion){ c, s * n.x, s * n.y, s * n.z };
}

cdn_rotation cdn_rotation_between(cdn_vec3 from, cdn_vec3 to) {
  return cdn_rotation_from_quaternion(cdn_quaternion_between(from, to));
}

cdn_rotation cdn_rotation_two_axes(int axis, cdn_vec3 along, int second, cdn_vec3 toward) {
  cdn_rotation R;
  cdn_vec3 *column[3] = { &R.x, &R.y, &R.z };
  const bool exist = axis >= 0 && axis < 3 && second >= 0 && second < 3 && axis != second;
  const cdn_vec3 nan = cdn_v3(NAN, NAN, NAN);
  if (!exist) return (cdn_rotation){ nan, nan, nan };
  cdn_vec3 a = direction_of(along);
  if (a.x == 0 && a.y == 0 && a.z == 0) a = unit(axis);
  cdn_vec3 b = direction_of(toward);
  b = cdn_sub(b, cdn_scale(cdn_dot(a, b), a));
  const bool parallel = cdn_dot(b, b) <= LOCKED * LOCKED;
  b = direction_of(b);
  b = direction_of(cdn_sub(b, cdn_scale(cdn_dot(a, b), a))); /* again, since nearly parallel vectors lose digits */
  if (parallel) b = across(a);
  const cdn_vec3 c = cdn_cross(a, b);
  *column[axis] = a, *column[second] = b;
  *column[3 - axis - second] = (axis + 1) % 3 == second ? c : cdn_scale(-1, c);
  return R;
}

/* ---- quaternions ---- */

cdn_quaternion cdn_quaternion_multiply(cdn_quaternion a, cdn_quaternion b) {
  return (cdn_quaternion){ a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                           a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                           a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w };
}

cdn_quaternion cdn_quaternion_conjugate(cdn_quaternion AB) { return (cdn_quaternion){ AB.w, -AB.x, -AB.y, -AB.z }; }

cdn_quaternion cdn_quaternion_rate(cdn_quaternion q, cdn_vec3 w_A) {
  return cdn_quaternion_multiply((cdn_quaternion){ 0, 0.5 * w_A.x, 0.5 * w_A.y, 0.5 * w_A.z }, q);
}

cdn_vec3 cdn_angular_velocity_from_quaternion(cdn_quaternion q, cdn_quaternion qdot) {
  const double largest = fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
  int e = 0;
  if (largest > 0 && isfinite(largest)) frexp(largest, &e);
  const cdn_quaternion s = { ldexp(q.w, -e), ldexp(-q.x, -e), ldexp(-q.y, -e), ldexp(-q.z, -e) };
  const cdn_quaternion rate = { ldexp(qdot.w, -e), ldexp(qdot.x, -e), ldexp(qdot.y, -e), ldexp(qdot.z, -e) };
  const cdn_quaternion w = cdn_quaternion_multiply(rate, s);
  const double square = s.w * s.w + s.x * s.x + s.y * s.y + s.z * s.z;
  return cdn_scale(2 / square, cdn_v3(w.x, w.y, w.z));
}
