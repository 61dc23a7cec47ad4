/* Mathematics: lengths, rotations, transforms and mass properties against their definitions. */
#include <cardan/math.h>

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "../check_main.h"

/* Entries of a product of rotations carry a few roundings of numbers up to one. */
#define ROUNDING (8 * DBL_EPSILON)

/* The message shows both numbers; a NaN fails. */
#define NEAR(a, b, tolerance)                                                                                         \
  do {                                                                                                                \
    double a_ = (a), b_ = (b), t_ = (tolerance);                                                                      \
    ck_assert_msg(fabs(a_ - b_) <= t_, "%s = %.17g, %s = %.17g differ by %.3g > %.3g", #a, a_, #b, b_, fabs(a_ - b_), \
                  t_);                                                                                                \
  } while (0)

static void near3(cdn_vec3 a, cdn_vec3 b, double tolerance) {
  NEAR(a.x, b.x, tolerance);
  NEAR(a.y, b.y, tolerance);
  NEAR(a.z, b.z, tolerance);
}

static void near_rotation(cdn_rotation a, cdn_rotation b, double tolerance) {
  near3(a.x, b.x, tolerance);
  near3(a.y, b.y, tolerance);
  near3(a.z, b.z, tolerance);
}

static void proper(cdn_rotation R) {
  near_rotation(cdn_rotation_multiply(cdn_rotation_transpose(R), R), cdn_rotation_identity(), ROUNDING);
  near3(cdn_cross(R.x, R.y), R.z, ROUNDING); /* right-handed */
}

static void near_inertia(cdn_inertia a, cdn_inertia b, double tolerance) {
  near3(cdn_v3(a.xx, a.yy, a.zz), cdn_v3(b.xx, b.yy, b.zz), tolerance);
  near3(cdn_v3(a.xy, a.xz, a.yz), cdn_v3(b.xy, b.xz, b.yz), tolerance);
}

/* Numbers in [-1, 1): splitmix64, so that every machine tests the same ones. */
static uint64_t seed = 1;
static double uniform(void) {
  uint64_t x = seed += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  x ^= x >> 31;
  return (double)(x >> 11) * 0x1p-52 - 1;
}
static cdn_vec3 uniform3(void) {
  double x = uniform(), y = uniform(), z = uniform();
  return cdn_v3(x, y, z);
}
static cdn_rotation uniform_rotation(void) { return cdn_rotation_axis_angle(uniform3(), 3.2 * uniform()); }

/* ---- lengths ---- */

START_TEST(norm) {
  ck_assert(cdn_norm(cdn_v3(3, -4, 12)) == 13);
  ck_assert(cdn_norm(cdn_v3(0, 0, 0)) == 0);
  NEAR(cdn_norm(cdn_v3(3e300, 4e300, 12e300)) / 13e300, 1, ROUNDING);
  NEAR(cdn_norm(cdn_v3(3e-300, 4e-300, 12e-300)) / 13e-300, 1, ROUNDING);
  ck_assert(cdn_norm(cdn_v3(DBL_MAX, 0, 0)) == DBL_MAX);
  ck_assert(cdn_norm(cdn_v3(0, 5e-324, 0)) == 5e-324);
  ck_assert(isinf(cdn_norm(cdn_v3(0, -INFINITY, 1))));
  ck_assert(isnan(cdn_norm(cdn_v3(NAN, 0, 0))));
  ck_assert(isnan(cdn_norm(cdn_v3(1, 2, NAN))));
}
END_TEST

/* ---- rotations ---- */

/* What a rotation by an angle about a unit axis does to a vector (Rodrigues), with eleven bits to spare. */
static cdn_vec3 turned(cdn_vec3 axis, double angle, cdn_vec3 v) {
  long double n = sqrtl((long double)axis.x * axis.x + (long double)axis.y * axis.y + (long double)axis.z * axis.z);
  long double x = axis.x / n, y = axis.y / n, z = axis.z / n;
  long double c = cosl(angle), s = sinl(angle), d = (x * v.x + y * v.y + z * v.z) * (1 - c);
  return cdn_v3((double)(c * v.x + s * (y * v.z - z * v.y) + d * x),
                (double)(c * v.y + s * (z * v.x - x * v.z) + d * y),
                (double)(c * v.z + s * (x * v.y - y * v.x) + d * z));
}

START_TEST(axis_and_angle) {
  for (int i = 0; i < 200; i++) {
    cdn_vec3 axis = uniform3(), v = uniform3();
    double angle = 7 * uniform(), other = 7 * uniform();
    cdn_rotation R = cdn_rotation_axis_angle(axis, angle);
    proper(R);
    near3(cdn_rotate(R, v), turned(axis, angle, v), ROUNDING);
    near3(cdn_rotate_inv(R, cdn_rotate(R, v)), v, ROUNDING);
    near3(cdn_rotate(R, axis), axis, ROUNDING);
    near3(cdn_rotate_inv(R, v), cdn_rotate(cdn_rotation_transpose(R), v), 0);
    /* Angles about one axis add up; the sum itself rounds, at size 14. */
    near_rotation(cdn_rotation_multiply(R, cdn_rotation_axis_angle(axis, other)),
                  cdn_rotation_axis_angle(axis, angle + other), 2 * ROUNDING);
    /* The length of the axis does not matter, to the ends of the range. */
    near_rotation(cdn_rotation_axis_angle(cdn_scale(0x1p1020, axis), angle), R, 0);
    near_rotation(cdn_rotation_axis_angle(cdn_scale(0x1p-900, axis), angle), R, 0);
  }
  near_rotation(cdn_rotation_axis_angle(cdn_v3(0, 0, 0), 1), cdn_rotation_identity(), 0);
  near_rotation(cdn_rotation_axis_angle(cdn_v3(1, 2, 3), 0), cdn_rotation_identity(), 0);
  near_rotation(cdn_rotation_axis_angle(cdn_v3(0, 0, 5e-324), 1), cdn_rotation_axis_angle(cdn_v3(0, 0, 1), 1), 0);
  ck_assert(isnan(cdn_rotation_axis_angle(cdn_v3(NAN, 0, 0), 1).x.x));

  /* A quarter turn about z takes x to y; a tiny one keeps every digit of its angle. */
  near3(cdn_rotate(cdn_rotation_axis_angle(cdn_v3(0, 0, 2), acos(-1) / 2), cdn_v3(1, 0, 0)), cdn_v3(0, 1, 0),
        DBL_EPSILON);
  NEAR(cdn_rotation_axis_angle(cdn_v3(0, 0, 1), 1e-20).x.y, 1e-20, 1e-36);
}
END_TEST

static cdn_quaternion times(cdn_quaternion a, cdn_quaternion b) {
  return (cdn_quaternion){ a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                           a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                           a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w };
}

START_TEST(from_quaternion) {
  for (int i = 0; i < 200; i++) {
    cdn_vec3 axis = uniform3();
    double angle = 3 * uniform(), n = cdn_norm(axis), s = sin(angle / 2) / n;
    cdn_quaternion a = { cos(angle / 2), s * axis.x, s * axis.y, s * axis.z };
    cdn_quaternion b = { uniform(), uniform(), uniform(), uniform() };
    cdn_rotation R = cdn_rotation_from_quaternion(a), S = cdn_rotation_from_quaternion(b);
    proper(R);
    proper(S);
    near_rotation(R, cdn_rotation_axis_angle(axis, angle), ROUNDING);
    near_rotation(cdn_rotation_from_quaternion(times(a, b)), cdn_rotation_multiply(R, S), ROUNDING);

    /* Neither the length nor the sign of a quaternion means anything; powers of two leave no trace at all. */
    const double scales[] = { 0x1p-900, 0x1p900, -1, 3, 1e-150 };
    for (int k = 0; k < 5; k++) {
      double f = scales[k];
      near_rotation(cdn_rotation_from_quaternion((cdn_quaternion){ f * b.w, f * b.x, f * b.y, f * b.z }), S,
                    k < 3 ? 0 : ROUNDING);
    }
  }
  near_rotation(cdn_rotation_from_quaternion((cdn_quaternion){ 0, 0, 0, 0 }), cdn_rotation_identity(), 0);
  ck_assert(isnan(cdn_rotation_from_quaternion((cdn_quaternion){ 0, NAN, 0, 0 }).y.y));
}
END_TEST

static void round_trip(cdn_rotation R) {
  cdn_quaternion q = cdn_quaternion_from_rotation(R);
  NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, ROUNDING);
  ck_assert_double_ge(q.w, 0);
  near_rotation(cdn_rotation_from_quaternion(q), R, ROUNDING);
}

START_TEST(to_quaternion) {
  for (int i = 0; i < 500; i++) round_trip(uniform_rotation());

  /* Half turns and their neighbourhood, about every kind of axis, is where w tells nothing. */
  const double pi = acos(-1);
  for (int x = -1; x <= 1; x++)
    for (int y = -1; y <= 1; y++)
      for (int z = -1; z <= 1; z++)
        for (double off = 1; off > 1e-18; off /= 100) {
          round_trip(cdn_rotation_axis_angle(cdn_v3(x, y, z), pi - off));
          round_trip(cdn_rotation_axis_angle(cdn_v3(x + off, y, z), pi));
        }
  cdn_quaternion one = cdn_quaternion_from_rotation(cdn_rotation_identity());
  ck_assert(one.w == 1 && one.x == 0 && one.y == 0 && one.z == 0);

  /* A small rotation keeps the digits of its vector part. */
  cdn_quaternion tiny = cdn_quaternion_from_rotation(cdn_rotation_axis_angle(cdn_v3(0, 1, 0), 2e-12));
  NEAR(tiny.y, 1e-12, 1e-27);
}
END_TEST

/* R takes `from` (a unit vector) along `to`, about an axis normal to both. */
static void smallest(cdn_rotation R, cdn_vec3 from, cdn_vec3 to) {
  cdn_vec3 n = cdn_scale(1 / cdn_norm(to), to), axis = cdn_cross(from, n);
  proper(R);
  near3(cdn_rotate(R, from), n, ROUNDING);
  /* Trace = 1 + 2 cos, and the angle of the smallest rotation is that between the two. */
  NEAR(R.x.x + R.y.y + R.z.z, 1 + 2 * cdn_dot(from, n), ROUNDING);
  double sine = cdn_norm(axis);
  if (sine > 0) near3(cdn_rotate(R, cdn_scale(1 / sine, axis)), cdn_scale(1 / sine, axis), ROUNDING);
}

START_TEST(axis_to) {
  const cdn_vec3 x = { 1, 0, 0 }, z = { 0, 0, 1 };
  for (int i = 0; i < 200; i++) {
    cdn_vec3 d = cdn_scale(3, uniform3());
    smallest(cdn_rotation_z_to(d), z, d);
    smallest(cdn_rotation_x_to(d), x, d);
  }
  /* Close to the axis and, harder, to its opposite, down to where the tilt underflows. */
  for (double tilt = 0.5; tilt > 1e-300; tilt *= 1e-3)
    for (int sign = -1; sign <= 1; sign += 2) {
      cdn_vec3 dz = { 0.6 * tilt, -0.8 * tilt, sign }, dx = { sign, 0.28 * tilt, 0.96 * tilt };
      smallest(cdn_rotation_z_to(dz), z, dz);
      smallest(cdn_rotation_x_to(dx), x, dx);
    }
  smallest(cdn_rotation_z_to(cdn_v3(0, 0, -4)), z, cdn_v3(0, 0, -1));
  smallest(cdn_rotation_x_to(cdn_v3(-4, 0, 0)), x, cdn_v3(-1, 0, 0));
  near_rotation(cdn_rotation_z_to(z), cdn_rotation_identity(), 0);
  near_rotation(cdn_rotation_x_to(x), cdn_rotation_identity(), 0);
  near_rotation(cdn_rotation_z_to(cdn_v3(0, 0, 0)), cdn_rotation_identity(), 0);
}
END_TEST

/* ---- transforms ---- */

START_TEST(transforms) {
  for (int i = 0; i < 100; i++) {
    cdn_transform X_AB = { uniform_rotation(), uniform3() }, X_BC = { uniform_rotation(), uniform3() };
    cdn_vec3 p_C = uniform3();
    near3(cdn_transform_point(cdn_transform_multiply(X_AB, X_BC), p_C),
          cdn_transform_point(X_AB, cdn_transform_point(X_BC, p_C)), ROUNDING);
    cdn_transform X_AA = cdn_transform_multiply(X_AB, cdn_transform_invert(X_AB));
    near_rotation(X_AA.R, cdn_rotation_identity(), ROUNDING);
    near3(X_AA.p, cdn_v3(0, 0, 0), ROUNDING);
    near3(cdn_transform_point(cdn_transform_identity(), p_C), p_C, 0);
  }
}
END_TEST

/* ---- mass properties ---- */

/* A cloud of particles: every inertia can be had from its definition, whatever the frame and the point. */
enum { PARTICLES = 6 };
typedef struct cloud {
  double mass[PARTICLES];
  cdn_vec3 p[PARTICLES];
} cloud;

static cloud uniform_cloud(void) {
  cloud c;
  for (int i = 0; i < PARTICLES; i++) {
    c.mass[i] = 0.6 + 0.5 * uniform();
    c.p[i] = uniform3();
  }
  return c;
}

static cdn_inertia inertia_about(const cloud *c, cdn_vec3 o) {
  cdn_inertia I = { 0 };
  for (int i = 0; i < PARTICLES; i++) {
    cdn_vec3 r = cdn_sub(c->p[i], o);
    I.xx += c->mass[i] * (r.y * r.y + r.z * r.z);
    I.yy += c->mass[i] * (r.x * r.x + r.z * r.z);
    I.zz += c->mass[i] * (r.x * r.x + r.y * r.y);
    I.xy -= c->mass[i] * r.x * r.y;
    I.xz -= c->mass[i] * r.x * r.z;
    I.yz -= c->mass[i] * r.y * r.z;
  }
  return I;
}

static cdn_mass_properties properties(const cloud *c) {
  cdn_mass_properties m = { 0 };
  for (int i = 0; i < PARTICLES; i++) {
    m.mass += c->mass[i];
    m.com = cdn_add(m.com, cdn_scale(c->mass[i], c->p[i]));
  }
  m.com = cdn_scale(1 / m.mass, m.com);
  m.inertia = inertia_about(c, m.com);
  return m;
}

static void near_properties(cdn_mass_properties a, cdn_mass_properties b, double tolerance) {
  NEAR(a.mass, b.mass, tolerance);
  near3(a.com, b.com, tolerance);
  near_inertia(a.inertia, b.inertia, tolerance);
}

/* Sums over a dozen particles of moments of order ten. */
#define CLOUD_ROUNDING (100 * DBL_EPSILON)

START_TEST(mass_of_clouds) {
  for (int i = 0; i < 100; i++) {
    cloud c = uniform_cloud(), moved = c;
    cdn_mass_properties m = properties(&c);
    cdn_transform X_AB = { uniform_rotation(), uniform3() };
    cdn_vec3 o = uniform3();

    for (int k = 0; k < PARTICLES; k++) moved.p[k] = cdn_transform_point(X_AB, c.p[k]);
    near_properties(cdn_mass_properties_transform(X_AB, m), properties(&moved), CLOUD_ROUNDING);
    near_inertia(cdn_inertia_shift(m.inertia, m.mass, cdn_sub(o, m.com)), inertia_about(&c, o), CLOUD_ROUNDING);
    cdn_transform turn = { X_AB.R, { 0, 0, 0 } };
    near_inertia(cdn_inertia_reexpress(X_AB.R, m.inertia), cdn_mass_properties_transform(turn, m).inertia, 0);

    /* Two halves of a cloud, in either order, are the whole one. */
    cloud a = c, b = c;
    for (int k = 0; k < PARTICLES; k++) (k % 2 ? &a : &b)->mass[k] = 0;
    near_properties(cdn_mass_properties_merge(properties(&a), properties(&b)), m, CLOUD_ROUNDING);
    near_properties(cdn_mass_properties_merge(properties(&b), properties(&a)), m, CLOUD_ROUNDING);
  }
}
END_TEST

START_TEST(merging_nothing) {
  cloud c = uniform_cloud();
  cdn_mass_properties m = properties(&c), none = { 0 };
  near_properties(cdn_mass_properties_merge(m, none), m, 0);
  near_properties(cdn_mass_properties_merge(none, none), none, 0);
  near_properties(cdn_mass_properties_merge(none, m), m, 0);
}
END_TEST

START_TEST(principal_axes) {
  for (int i = 0; i < 300; i++) {
    /* Also two equal moments, three, and one of zero (a rod). */
    double want[3] = { 0.2, 0.2 + (i % 3) * 0.3, 0.2 + (i % 3) * 0.3 + (i % 2) * 0.1 };
    if (i % 7 == 0) want[0] = 0;
    double scale = i % 5 == 0 ? 0x1p-1000 : i % 5 == 1 ? 0x1p1000 : 1;
    cdn_inertia D = { scale * want[0], scale * want[1], scale * want[2], 0, 0, 0 };
    if (i % 11 == 0) D = (cdn_inertia){ D.zz, D.xx, D.yy, 0, 0, 0 };
    cdn_inertia I = cdn_inertia_reexpress(uniform_rotation(), D);

    double got[3];
    cdn_rotation axes;
    cdn_inertia_principal(I, got, &axes);
    proper(axes);
    ck_assert(got[0] <= got[1] && got[1] <= got[2]);
    for (int k = 0; k < 3; k++) NEAR(got[k] / scale, want[k], ROUNDING);
    /* The axes diagonalise: expressed in them, the products vanish and the moments stand in order. */
    cdn_inertia P = cdn_inertia_reexpress(cdn_rotation_transpose(axes), I);
    near3(cdn_v3(P.xx / scale, P.yy / scale, P.zz / scale), cdn_v3(want[0], want[1], want[2]), ROUNDING);
    near3(cdn_v3(P.xy / scale, P.xz / scale, P.yz / scale), cdn_v3(0, 0, 0), ROUNDING);
  }

  double moments[3];
  cdn_rotation axes;
  cdn_inertia_principal((cdn_inertia){ 3, 1, 2, 0, 0, 0 }, moments, &axes);
  ck_assert(moments[0] == 1 && moments[1] == 2 && moments[2] == 3);
  proper(axes);
  cdn_inertia_principal((cdn_inertia){ 0 }, moments, &axes);
  ck_assert(moments[0] == 0 && moments[2] == 0);
  near_rotation(axes, cdn_rotation_identity(), 0);

  /* An impossible body may have a negative moment; the axes are wanted all the same. What is no number has none. */
  cdn_inertia_principal((cdn_inertia){ 0, 0, 0, 1, 0, 0 }, moments, NULL);
  NEAR(moments[0], -1, ROUNDING);
  NEAR(moments[1], 0, ROUNDING);
  NEAR(moments[2], 1, ROUNDING);
  cdn_inertia_principal((cdn_inertia){ 1, 1, 1, NAN, 0, 0 }, moments, &axes);
  ck_assert(isnan(moments[0]) && isnan(moments[1]) && isnan(moments[2]));
}
END_TEST

CHECK_MAIN("math", norm, axis_and_angle, from_quaternion, to_quaternion, axis_to, transforms, mass_of_clouds,
           merging_nothing, principal_axes)
