/* Value types of three-dimensional mechanics: rotations, transforms, inertias. */
#include <math.h>

#include <cardan/math.h>

/* ---- lengths ---- */

/* The power of two that brings the largest of the numbers near one; 0 for zeros, infinities and NaN. */
static int scale_exponent(double largest) {
  int e = 0;
  if (largest > 0 && isfinite(largest)) frexp(largest, &e);
  return e;
}

static cdn_vec3 scale_by_power(cdn_vec3 a, int e) { return cdn_v3(ldexp(a.x, e), ldexp(a.y, e), ldexp(a.z, e)); }

static double largest3(cdn_vec3 a) { return fmax(fmax(fabs(a.x), fabs(a.y)), fabs(a.z)); }

double cdn_norm(cdn_vec3 a) {
  /* Squares well inside the range of doubles need no care. */
  double square = cdn_dot(a, a);
  if (square > 1e-280 && square < 1e280) return sqrt(square);

  double largest = largest3(a);
  if (!(largest > 0) || isinf(largest)) return fabs(a.x) + fabs(a.y) + fabs(a.z);
  int e = scale_exponent(largest);
  cdn_vec3 s = scale_by_power(a, -e);
  return ldexp(sqrt(cdn_dot(s, s)), e);
}

/* The unit vector along a; false for the zero vector. */
static bool direction(cdn_vec3 a, cdn_vec3 *unit) {
  if (a.x == 0 && a.y == 0 && a.z == 0) return false;
  cdn_vec3 s = scale_by_power(a, -scale_exponent(largest3(a)));
  *unit = cdn_scale(1 / sqrt(cdn_dot(s, s)), s);
  return true;
}

/* ---- rotations ---- */

cdn_rotation cdn_rotation_identity(void) {
  cdn_rotation R = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  return R;
}

cdn_vec3 cdn_rotate(cdn_rotation R_AB, cdn_vec3 v_B) {
  return cdn_v3(R_AB.x.x * v_B.x + R_AB.y.x * v_B.y + R_AB.z.x * v_B.z,
                R_AB.x.y * v_B.x + R_AB.y.y * v_B.y + R_AB.z.y * v_B.z,
                R_AB.x.z * v_B.x + R_AB.y.z * v_B.y + R_AB.z.z * v_B.z);
}

cdn_vec3 cdn_rotate_inv(cdn_rotation R_AB, cdn_vec3 v_A) {
  return cdn_v3(cdn_dot(R_AB.x, v_A), cdn_dot(R_AB.y, v_A), cdn_dot(R_AB.z, v_A));
}

cdn_rotation cdn_rotation_multiply(cdn_rotation R_AB, cdn_rotation R_BC) {
  cdn_rotation R_AC = { cdn_rotate(R_AB, R_BC.x), cdn_rotate(R_AB, R_BC.y), cdn_rotate(R_AB, R_BC.z) };
  return R_AC;
}

cdn_rotation cdn_rotation_transpose(cdn_rotation R) {
  cdn_rotation T = { { R.x.x, R.y.x, R.z.x }, { R.x.y, R.y.y, R.z.y }, { R.x.z, R.y.z, R.z.z } };
  return T;
}

cdn_rotation cdn_rotation_axis_angle(cdn_vec3 axis, double angle) {
  cdn_vec3 a;
  if (!direction(axis, &a)) return cdn_rotation_identity();

  /* Rodrigues: cos 1 + (1 - cos) a a^T + sin a~, with 1 - cos by the half angle, exact for small ones too. */
  double c = cos(angle), s = sin(angle), half = sin(0.5 * angle), v = 2 * half * half;
  cdn_rotation R = { { c + v * a.x * a.x, v * a.x * a.y + s * a.z, v * a.x * a.z - s * a.y },
                     { v * a.x * a.y - s * a.z, c + v * a.y * a.y, v * a.y * a.z + s * a.x },
                     { v * a.x * a.z + s * a.y, v * a.y * a.z - s * a.x, c + v * a.z * a.z } };
  return R;
}

cdn_rotation cdn_rotation_from_quaternion(cdn_quaternion q) {
  if (q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0) return cdn_rotation_identity();

  /* Length cancels: only the range of the squares needs care, not normalization. */
  double w = q.w, x = q.x, y = q.y, z = q.z, square = w * w + x * x + y * y + z * z;
  if (!(square > 1e-200 && square < 1e200)) {
    const int e = -scale_exponent(fmax(fabs(q.w), largest3(cdn_v3(q.x, q.y, q.z))));
    w = ldexp(q.w, e), x = ldexp(q.x, e), y = ldexp(q.y, e), z = ldexp(q.z, e);
    square = w * w + x * x + y * y + z * z;
  }
  double s = 2 / square;
  cdn_rotation R = { { 1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y) },
                     { s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x) },
                     { s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y) } };
  return R;
}

cdn_quaternion cdn_quaternion_from_rotation(cdn_rotation R) {
  /* Four times the squares of w, x, y, z sum to four: divide by the largest, which is at least one. */
  double tw = 1 + R.x.x + R.y.y + R.z.z, tx = 1 + R.x.x - R.y.y - R.z.z;
  double ty = 1 - R.x.x + R.y.y - R.z.z, tz = 1 - R.x.x - R.y.y + R.z.z;
  cdn_quaternion q;
  if (tw >= tx && tw >= ty && tw >= tz) q = (cdn_quaternion){ tw, R.y.z - R.z.y, R.z.x - R.x.z, R.x.y - R.y.x };
  else if (tx >= ty && tx >= tz) q = (cdn_quaternion){ R.y.z - R.z.y, tx, R.y.x + R.x.y, R.z.x + R.x.z };
  else if (ty >= tz) q = (cdn_quaternion){ R.z.x - R.x.z, R.y.x + R.x.y, ty, R.z.y + R.y.z };
  else q = (cdn_quaternion){ R.x.y - R.y.x, R.z.x + R.x.z, R.z.y + R.y.z, tz };

  double scale = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  if (q.w < 0) scale = -scale;
  return (cdn_quaternion){ scale * q.w, scale * q.x, scale * q.y, scale * q.z };
}

cdn_rotation cdn_rotation_z_to(cdn_vec3 z) {
  cdn_vec3 n;
  if (!direction(z, &n)) return cdn_rotation_identity();

  double xx, xy, yy;
  if (n.z >= 0) {
    double k = 1 / (1 + n.z);
    xx = 1 - k * n.x * n.x;
    xy = -k * n.x * n.y;
    yy = 1 - k * n.y * n.y;
  } else {
    /* 1 + n.z cancels below the equator: use the heading (a, b) of n in the x-y plane instead. Straight down has
     * none; there any half turn about a horizontal axis is smallest, and x is taken. */
    double h = hypot(n.x, n.y), a = h > 0 ? n.x / h : 0, b = h > 0 ? n.y / h : 1;
    xx = b * b + n.z * a * a;
    xy = (n.z - 1) * a * b;
    yy = a * a + n.z * b * b;
  }
  cdn_rotation R = { { xx, xy, -n.x }, { xy, yy, -n.y }, n };
  return R;
}

cdn_rotation cdn_rotation_x_to(cdn_vec3 x) {
  /* The same formula with x, y, z in cyclic order. */
  cdn_rotation S = cdn_rotation_z_to(cdn_v3(x.y, x.z, x.x));
  cdn_rotation R = { { S.z.z, S.z.x, S.z.y }, { S.x.z, S.x.x, S.x.y }, { S.y.z, S.y.x, S.y.y } };
  return R;
}

/* ---- transforms ---- */

cdn_transform cdn_transform_identity(void) {
  cdn_transform X = { cdn_rotation_identity(), { 0, 0, 0 } };
  return X;
}

cdn_vec3 cdn_transform_point(cdn_transform X_AB, cdn_vec3 p_B) { return cdn_add(X_AB.p, cdn_rotate(X_AB.R, p_B)); }

cdn_transform cdn_transform_multiply(cdn_transform X_AB, cdn_transform X_BC) {
  cdn_transform X_AC = { cdn_rotation_multiply(X_AB.R, X_BC.R), cdn_transform_point(X_AB, X_BC.p) };
  return X_AC;
}

cdn_transform cdn_transform_invert(cdn_transform X_AB) {
  cdn_transform X_BA = { cdn_rotation_transpose(X_AB.R), cdn_scale(-1, cdn_rotate_inv(X_AB.R, X_AB.p)) };
  return X_BA;
}

/* ---- mass properties ---- */

static cdn_vec3 inertia_times(cdn_inertia I, cdn_vec3 w) {
  return cdn_v3(I.xx * w.x + I.xy * w.y + I.xz * w.z, I.xy * w.x + I.yy * w.y + I.yz * w.z,
                I.xz * w.x + I.yz * w.y + I.zz * w.z);
}

cdn_inertia cdn_inertia_reexpress(cdn_rotation R_AB, cdn_inertia I_B) {
  /* Rows of R_AB are A's axes expressed in B. */
  cdn_rotation R_BA = cdn_rotation_transpose(R_AB);
  cdn_vec3 Ix = inertia_times(I_B, R_BA.x), Iy = inertia_times(I_B, R_BA.y), Iz = inertia_times(I_B, R_BA.z);
  cdn_inertia I_A = { cdn_dot(R_BA.x, Ix), cdn_dot(R_BA.y, Iy), cdn_dot(R_BA.z, Iz),
                      cdn_dot(R_BA.x, Iy), cdn_dot(R_BA.x, Iz), cdn_dot(R_BA.y, Iz) };
  return I_A;
}

cdn_inertia cdn_inertia_shift(cdn_inertia I, double mass, cdn_vec3 p) {
  I.xx += mass * (p.y * p.y + p.z * p.z);
  I.yy += mass * (p.x * p.x + p.z * p.z);
  I.zz += mass * (p.x * p.x + p.y * p.y);
  I.xy -= mass * p.x * p.y;
  I.xz -= mass * p.x * p.z;
  I.yz -= mass * p.y * p.z;
  return I;
}

cdn_mass_properties cdn_mass_properties_merge(cdn_mass_properties a, cdn_mass_properties b) {
  /* From the distance of the two centres and the reduced mass: no digits cancel, and a massless part changes
   * nothing. */
  double mass = a.mass + b.mass, share_b = mass != 0 ? b.mass / mass : 0;
  cdn_vec3 d = cdn_sub(b.com, a.com);
  cdn_inertia sum = { a.inertia.xx + b.inertia.xx, a.inertia.yy + b.inertia.yy, a.inertia.zz + b.inertia.zz,
                      a.inertia.xy + b.inertia.xy, a.inertia.xz + b.inertia.xz, a.inertia.yz + b.inertia.yz };
  cdn_mass_properties m = { mass, cdn_add(a.com, cdn_scale(share_b, d)), cdn_inertia_shift(sum, a.mass * share_b, d) };
  return m;
}

cdn_mass_properties cdn_mass_properties_transform(cdn_transform X_AB, cdn_mass_properties m_B) {
  cdn_mass_properties m_A = { m_B.mass, cdn_transform_point(X_AB, m_B.com),
                              cdn_inertia_reexpress(X_AB.R, m_B.inertia) };
  return m_A;
}

/* One Jacobi rotation in the plane (p, q) of the symmetric matrix a, collected in v. */
static void jacobi_rotate(double a[3][3], double v[3][3], int p, int q) {
  if (a[p][q] == 0) return;
  double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  double t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1)), c = 1 / sqrt(t * t + 1), s = t * c;
  a[p][p] -= t * a[p][q];
  a[q][q] += t * a[p][q];
  a[p][q] = a[q][p] = 0;

  int r = 3 - p - q;
  double rp = a[r][p], rq = a[r][q];
  a[r][p] = a[p][r] = c * rp - s * rq;
  a[r][q] = a[q][r] = s * rp + c * rq;
  for (int i = 0; i < 3; i++) {
    double vp = v[i][p], vq = v[i][q];
    v[i][p] = c * vp - s * vq;
    v[i][q] = s * vp + c * vq;
  }
}

void cdn_inertia_principal(cdn_inertia I, double moments[3], cdn_rotation *axes) {
  double unwanted[3];
  if (!moments) moments = unwanted;
  /* A matrix with NaNs has no axes, and must not seem to have some. */
  if (!(isfinite(I.xx) && isfinite(I.yy) && isfinite(I.zz) && isfinite(I.xy) && isfinite(I.xz) && isfinite(I.yz))) {
    moments[0] = moments[1] = moments[2] = NAN;
    if (axes) *axes = cdn_rotation_identity();
    return;
  }

  int e = scale_exponent(fmax(largest3(cdn_v3(I.xx, I.yy, I.zz)), largest3(cdn_v3(I.xy, I.xz, I.yz))));
  double a[3][3] = { { I.xx, I.xy, I.xz }, { I.xy, I.yy, I.yz }, { I.xz, I.yz, I.zz } };
  double v[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[i][j] = ldexp(a[i][j], -e);

  /* Convergence is quadratic: a handful of sweeps. */
  enum { MAX_SWEEPS = 32 };
  for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    double off = fmax(fmax(fabs(a[0][1]), fabs(a[0][2])), fabs(a[1][2]));
    if (off < 0x1p-58) break; /* of a matrix of order one: below rounding */
    jacobi_rotate(a, v, 0, 1);
    jacobi_rotate(a, v, 0, 2);
    jacobi_rotate(a, v, 1, 2);
  }

  /* Ascending order: insertion sort of three. */
  int order[3] = { 0, 1, 2 };
  for (int i = 1; i < 3; i++)
    for (int j = i; j > 0 && a[order[j]][order[j]] < a[order[j - 1]][order[j - 1]]; j--) {
      int swap = order[j];
      order[j] = order[j - 1];
      order[j - 1] = swap;
    }
  for (int i = 0; i < 3; i++) moments[i] = ldexp(a[order[i]][order[i]], e);
  if (!axes) return;

  /* The roundings of a dozen rotations are worth one Gram-Schmidt step. */
  cdn_vec3 x = cdn_v3(v[0][order[0]], v[1][order[0]], v[2][order[0]]);
  cdn_vec3 y = cdn_v3(v[0][order[1]], v[1][order[1]], v[2][order[1]]);
  x = cdn_scale(1 / cdn_norm(x), x);
  y = cdn_sub(y, cdn_scale(cdn_dot(x, y), x));
  y = cdn_scale(1 / cdn_norm(y), y);
  *axes = (cdn_rotation){ x, y, cdn_cross(x, y) };
}
