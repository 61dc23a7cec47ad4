/* Angles, axes and directions: all 24 sequences against products of turns about axes, also in and next to gimbal
 * lock, their rates against differences, and rotations from directions against what they promise. */
#include "../property/random_tree.h"

#define ROUNDING 4e-15 /* of products of three rotations, and of two quaternions each way */

static const cdn_axes_fixed ways[] = { CDN_BODY_FIXED, CDN_SPACE_FIXED };

static double number(cdn_angles a, int i) { return i == 0 ? a.first : i == 1 ? a.second : a.third; }

static double apart(cdn_rotation A, cdn_rotation B) {
  const double d[9] = { A.x.x - B.x.x, A.x.y - B.x.y, A.x.z - B.x.z, A.y.x - B.y.x, A.y.y - B.y.y,
                        A.y.z - B.y.z, A.z.x - B.z.x, A.z.y - B.z.y, A.z.z - B.z.z };
  double largest = 0;
  for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(d[i]));
  return largest;
}

/* From the name: the axes are x, y, z in the order of the enumerators' letters. */
static const char *const letters[CDN_SEQUENCE_COUNT] = { "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX",
                                                         "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ" };

static cdn_rotation product(int sequence, cdn_axes_fixed fixed, cdn_angles a) {
  cdn_rotation R = cdn_rotation_identity();
  for (int i = 0; i < 3; i++) {
    const char c = letters[sequence][i];
    const cdn_rotation turn = cdn_rotation_axis_angle(cdn_v3(c == 'X', c == 'Y', c == 'Z'), number(a, i));
    R = fixed == CDN_BODY_FIXED ? cdn_rotation_multiply(R, turn) : cdn_rotation_multiply(turn, R);
  }
  return R;
}

static bool is_proper(int sequence) { return letters[sequence][0] == letters[sequence][2]; }

#define EACH_SEQUENCE(s, f)                    \
  for (int s = 0; s < CDN_SEQUENCE_COUNT; s++) \
    for (int f##_i = 0; f##_i < 2; f##_i++)    \
      for (cdn_axes_fixed f = ways[f##_i], *f##_once = &f; f##_once; f##_once = NULL)

START_TEST(there_and_back) {
  rng r = rng_of(1);
  EACH_SEQUENCE(s, f) {
    for (int i = 0; i < 300; i++) {
      /* also on the way into gimbal lock, from both sides: 1, 1e-1, ... 1e-17 away, and in it */
      cdn_angles a = { uniform(&r, -PI, PI), uniform(&r, -PI / 2, PI / 2), uniform(&r, -PI, PI) };
      if (is_proper(s)) a.second += PI / 2;
      if (i % 3 == 0) {
        const double lock = is_proper(s) ? (i % 2 ? PI : 0) : (i % 2 ? PI / 2 : -PI / 2);
        a.second = lock - (lock > 0 ? 1 : -1) * pow(10, -(i / 6 % 19));
        if (i / 6 % 19 == 18) a.second = lock;
      }
      const cdn_rotation R = cdn_rotation_from_angles((cdn_sequence)s, f, a);
      AT_MOST(apart(R, product(s, f, a)), 1e-15);
      AT_MOST(apart(R, cdn_rotation_from_quaternion(cdn_quaternion_from_angles((cdn_sequence)s, f, a))), ROUNDING);
      cdn_angles back;
      const bool regular = cdn_angles_from_rotation((cdn_sequence)s, f, R, &back);
      AT_MOST(apart(product(s, f, back), R), ROUNDING);
      AT_MOST(fabs(back.first), PI);
      AT_MOST(fabs(back.third), PI);
      AT_MOST(fabs(back.second - (is_proper(s) ? PI / 2 : 0)), PI / 2);
      const double from_lock = is_proper(s) ? fabs(sin(a.second)) : fabs(cos(a.second));
      if (from_lock > 1e-14) ck_assert(regular);
      if (from_lock < 1e-16) ck_assert(!regular);
      if (i % 3 != 0) {
        NEAR(back.second, a.second, ROUNDING);
        NEAR(remainder(back.first - a.first, 2 * PI), 0, ROUNDING / from_lock);
        NEAR(remainder(back.third - a.third, 2 * PI), 0, ROUNDING / from_lock);
      }
    }
  }
}
END_TEST

/* Angles beyond all ranges come back from where they were, and lock takes the nearest. */
START_TEST(nearest) {
  rng r = rng_of(2);
  EACH_SEQUENCE(s, f) {
    for (int i = 0; i < 200; i++) {
      const bool in_lock = i % 4 == 0;
      cdn_angles a = { uniform(&r, -20, 20), uniform(&r, -20, 20), uniform(&r, -20, 20) }, back;
      if (in_lock) a.second = is_proper(s) ? (i % 8 ? PI : -2 * PI) : (i % 8 ? 1.5 * PI : -PI / 2);
      const cdn_quaternion q = cdn_quaternion_from_angles((cdn_sequence)s, f, a);
      const double from_lock = is_proper(s) ? fabs(sin(a.second)) : fabs(cos(a.second));
      cdn_angles_near((cdn_sequence)s, f, q, a, &back);
      for (int k = 0; k < 3; k++)
        NEAR(number(back, k), number(a, k), (in_lock ? 2e-14 : k == 1 ? 2e-14 : 1e-14 * (1 + 1 / from_lock)));
      /* a little off: not further from the start than what was turned, and exactly what is wanted */
      cdn_angles off = { a.first + uniform(&r, -0.3, 0.3), a.second + uniform(&r, -0.1, 0.1),
                         a.third + uniform(&r, -0.3, 0.3) };
      if (in_lock) off.second = a.second;
      const cdn_quaternion p = cdn_quaternion_from_angles((cdn_sequence)s, f, off);
      cdn_angles_near((cdn_sequence)s, f, p, a, &back);
      AT_MOST(apart(product(s, f, back), cdn_rotation_from_quaternion(p)), 4 * ROUNDING);
      double moved = 0, allowed = 0;
      for (int k = 0; k < 3; k++) {
        moved += pow(number(back, k) - number(a, k), 2);
        allowed += pow(number(off, k) - number(a, k), 2);
      }
      AT_MOST(moved, allowed + 1e-10);
      if (in_lock) NEAR(fabs(back.first - a.first), fabs(back.third - a.third), 1e-13);
    }
  }
}
END_TEST

START_TEST(rates) {
  rng r = rng_of(3);
  EACH_SEQUENCE(s, f) {
    for (int i = 0; i < 50; i++) {
      const cdn_angles a = { uniform(&r, -3, 3), uniform(&r, 0.3, 1.2), uniform(&r, -3, 3) };
      const cdn_angles v = { uniform(&r, -1, 1), uniform(&r, -1, 1), uniform(&r, -1, 1) };
      const cdn_vec3 w = cdn_angular_velocity_from_angles((cdn_sequence)s, f, a, v);
      cdn_angles back;
      ck_assert(cdn_angle_rates((cdn_sequence)s, f, a, w, &back));
      for (int k = 0; k < 3; k++) NEAR(number(back, k), number(v, k), 2e-14); /* 1 / sin 0.3 = 3.4 */
      /* the rotation between two times h apart on each side is w 2h, with an error of h^3 */
      const double h = 1e-4;
      const cdn_angles up = { a.first + h * v.first, a.second + h * v.second, a.third + h * v.third };
      const cdn_angles down = { a.first - h * v.first, a.second - h * v.second, a.third - h * v.third };
      cdn_quaternion step =
          cdn_quaternion_multiply(cdn_quaternion_from_angles((cdn_sequence)s, f, up),
                                  cdn_quaternion_conjugate(cdn_quaternion_from_angles((cdn_sequence)s, f, down)));
      NEAR(step.x / (h * step.w), w.x, 1e-7);
      NEAR(step.y / (h * step.w), w.y, 1e-7);
      NEAR(step.z / (h * step.w), w.z, 1e-7);
    }
    /* in lock: what can be reached is, and by equal shares */
    const cdn_angles a = { 0.4, is_proper(s) ? 0 : PI / 2, -1.1 };
    cdn_angles got;
    const cdn_vec3 wanted = cdn_angular_velocity_from_angles((cdn_sequence)s, f, a, (cdn_angles){ 0.7, 0.2, 0 });
    const bool regular = cdn_angle_rates((cdn_sequence)s, f, a, wanted, &got);
    const cdn_vec3 w = cdn_angular_velocity_from_angles((cdn_sequence)s, f, a, got);
    ck_assert(!regular);
    NEAR(cdn_norm(cdn_sub(w, wanted)), 0, 1e-14);
    NEAR(got.second, 0.2, 1e-15);
    NEAR(fabs(got.first), 0.35, 1e-15);
    NEAR(fabs(got.third), 0.35, 1e-15);
  }
}
END_TEST

START_TEST(no_such_sequence) {
  cdn_angles a = { 1, 2, 3 };
  ck_assert(!cdn_angles_from_rotation(CDN_SEQUENCE_COUNT, CDN_BODY_FIXED, cdn_rotation_identity(), &a));
  ck_assert(isnan(a.first) && isnan(cdn_rotation_from_angles((cdn_sequence)-1, CDN_BODY_FIXED, a).x.x));
  ck_assert(isnan(cdn_rotation_two_axes(1, cdn_v3(1, 0, 0), 1, cdn_v3(0, 1, 0)).x.x));
}
END_TEST

START_TEST(axis_and_angle) {
  rng r = rng_of(4);
  for (int i = 0; i < 400; i++) {
    const cdn_vec3 axis = random_vec3(&r, 1), n = cdn_scale(1 / cdn_norm(axis), axis);
    double angle = uniform(&r, 0, PI);
    if (i % 4 == 0) angle = pow(10, -i / 4.0 / 2);      /* down to 1e-50: relative accuracy */
    if (i % 4 == 1) angle = PI - pow(10, -i / 4.0 / 5); /* next to half a turn */
    const double length = i % 3 == 0 ? 1e-200 : i % 3 == 1 ? 1 : 1e200;
    const cdn_quaternion u = cdn_quaternion_axis_angle(cdn_scale(1e-170, axis), angle);
    const cdn_quaternion q = { -length * u.w, -length * u.x, -length * u.y, -length * u.z };
    cdn_vec3 back;
    NEAR(cdn_axis_angle_from_quaternion(q, &back), angle, 1e-15 * angle);
    NEAR(fabs(cdn_dot(back, n)), 1, 1e-15);
    NEAR(cdn_norm(cdn_cross(back, n)), 0, 2e-15);
    if (angle < 1e-9 || angle > 3.14) continue;
    NEAR(cdn_axis_angle_from_rotation(cdn_rotation_axis_angle(axis, angle), &back), angle, 2e-15);
    NEAR(cdn_norm(cdn_sub(back, n)), 0, 4e-15 / fmin(angle, 1));
  }
  cdn_vec3 axis;
  ck_assert(cdn_axis_angle_from_quaternion((cdn_quaternion){ -3, 0, 0, 0 }, &axis) == 0);
  ck_assert(axis.x == 1 && axis.y == 0 && axis.z == 0);
}
END_TEST

START_TEST(between_directions) {
  rng r = rng_of(5);
  for (int i = 0; i < 600; i++) {
    const cdn_vec3 from = random_vec3(&r, 1);
    cdn_vec3 to = random_vec3(&r, 1);
    if (i % 3 == 0) to = cdn_add(cdn_scale(-1, from), cdn_scale(pow(10, -i / 3.0 / 10), to)); /* nearly opposite */
    if (i % 3 == 1) to = cdn_add(from, cdn_scale(pow(10, -i / 3.0 / 10), to));
    if (i == 599) to = cdn_scale(-2, from);
    const cdn_vec3 a = cdn_scale(1 / cdn_norm(from), from), b = cdn_scale(1 / cdn_norm(to), to);
    const cdn_quaternion q = cdn_quaternion_between(cdn_scale(1e160, from), cdn_scale(1e-160, to));
    NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 2e-15);
    NEAR(cdn_norm(cdn_sub(cdn_rotate(cdn_rotation_from_quaternion(q), a), b)), 0, 2e-15);
    NEAR(cdn_norm(cdn_sub(cdn_rotate(cdn_rotation_between(from, to), a), b)), 0, 2e-15);
    /* the smallest: by the angle between them */
    NEAR(cdn_axis_angle_from_quaternion(q, NULL), 2 * atan2(cdn_norm(cdn_sub(b, a)), cdn_norm(cdn_add(b, a))), 2e-15);
    const int first = pick(&r, 3), second = (first + 1 + pick(&r, 2)) % 3;
    const cdn_rotation R = cdn_rotation_two_axes(first, from, second, to);
    const cdn_vec3 columns[3] = { R.x, R.y, R.z };
    NEAR(cdn_norm(cdn_sub(columns[first], a)), 0, ROUNDING);
    AT_MOST(apart(cdn_rotation_multiply(cdn_rotation_transpose(R), R), cdn_rotation_identity()), ROUNDING);
    NEAR(cdn_norm(cdn_sub(cdn_cross(R.x, R.y), R.z)), 0, ROUNDING);
    /* the second axis leaves as much of the direction out as it must: nothing on the third */
    NEAR(cdn_dot(columns[3 - first - second], b), 0, ROUNDING);
    if (i % 3 == 2 && i != 599) ck_assert(cdn_dot(columns[second], b) > 0);
  }
}
END_TEST

START_TEST(quaternions) {
  rng r = rng_of(6);
  for (int i = 0; i < 100; i++) {
    const cdn_rotation A = random_rotation(&r), B = random_rotation(&r);
    const cdn_quaternion a = cdn_quaternion_from_rotation(A), b = cdn_quaternion_from_rotation(B);
    AT_MOST(apart(cdn_rotation_from_quaternion(cdn_quaternion_multiply(a, b)), cdn_rotation_multiply(A, B)), 2e-15);
    AT_MOST(apart(cdn_rotation_from_quaternion(cdn_quaternion_conjugate(a)), cdn_rotation_transpose(A)), 2e-15);
    const double length = i % 3 == 0 ? 1e-170 : i % 3 == 1 ? 2.5 : 1e150;
    const cdn_quaternion q = { length * a.w, length * a.x, length * a.y, length * a.z };
    const cdn_vec3 w = random_vec3(&r, 3);
    cdn_quaternion rate = cdn_quaternion_rate(q, w);
    rate.w += 0.3 * q.w, rate.x += 0.3 * q.x, rate.y += 0.3 * q.y, rate.z += 0.3 * q.z; /* length has no effect */
    NEAR(cdn_norm(cdn_sub(cdn_angular_velocity_from_quaternion(q, rate), w)), 0, 1e-14);
  }
}
END_TEST

CHECK_MAIN("angles", there_and_back, nearest, rates, no_such_sequence, axis_and_angle, between_directions, quaternions)
