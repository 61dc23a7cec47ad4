/* Convex functions of soft rows: derivatives against differences, convexity, zones that join, numbers at the ends of
 * what may be asked. */
#include <float.h>

#include "../testing.h"
#include "soft/impedance.h"

static uint64_t seed;
static double uniform(double low, double high) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * ((double)(seed >> 11) / 9007199254740992.0);
}
static double power_of_ten(double low, double high) {
  const double exponent = uniform(low, high);
  return pow(10, exponent);
}

static const int CONE_ROWS[] = { 3, 4, 6 };
enum { KINDS = SOFT_SLIDE + 1 };

/* A function of moderate numbers. */
static soft_function draw(soft_kind kind) {
  soft_function s = { .kind = kind, .rows = 1 };
  s.D[0] = power_of_ten(-1, 2);
  if (kind == SOFT_EQUALITY) {
    s.rows = 1 + (int)uniform(0, 6);
    for (int i = 1; i < s.rows; i++) s.D[i] = power_of_ten(-1, 2);
  } else if (kind == SOFT_FRICTION_LOSS) {
    s.loss = power_of_ten(-1, 1);
  } else if (kind == SOFT_ELLIPTIC || kind == SOFT_PYRAMIDAL) {
    double friction[5];
    for (int k = 0; k < 5; k++) friction[k] = power_of_ten(-1.5, 0.5);
    const int rows = CONE_ROWS[(int)uniform(0, 3)];
    const double ratio = power_of_ten(-1, 1);
    s = cdni_soft_cone(kind, rows, friction, 1 / s.D[0], ratio);
  } else if (kind == SOFT_PRESS) {
    s.law = &cdni_pressure_laws[uniform(0, 1) < 0.5 ? LAW_HERTZ : LAW_SPRING];
    s.friction[PRESS_STEP] = uniform(0.2, 1), s.friction[PRESS_DEPTH] = uniform(-1, 1);
    double *numbers = s.D + PRESS_NUMBERS;
    numbers[0] = power_of_ten(-1, 1), numbers[1] = uniform(0, 1) < 0.3 ? 0 : power_of_ten(-1, 1), numbers[2] = 1;
  } else if (kind == SOFT_SLIDE) {
    s.rows = 1 + (int)uniform(0, 3);
    for (int i = 1; i < s.rows; i++) s.D[i] = s.D[0];
    s.loss = power_of_ten(-1, 1), s.friction[SLIDE_VISCOUS] = uniform(0, 1) < 0.5 ? 0 : power_of_ten(-1, 1);
  }
  return s;
}

/* Residuals about as large as the zones. */
static void draw_residual(const soft_function *s, double *r) {
  const bool slides = s->kind == SOFT_FRICTION_LOSS || s->kind == SOFT_SLIDE;
  const double size = slides ? 2 * s->loss / s->D[0] : 1;
  for (int i = 0; i < s->rows; i++) r[i] = uniform(-size, size);
  if (s->kind == SOFT_ELLIPTIC && uniform(0, 1) < 0.3) r[0] -= power_of_ten(0, 2);
  if (s->kind == SOFT_ELLIPTIC && uniform(0, 1) < 0.3) r[0] += power_of_ten(-1, 1);
}

static double stiffest(const soft_function *s) {
  double most = s->D[0], slope = 1;
  if (s->kind == SOFT_SLIDE) return most + s->friction[SLIDE_VISCOUS];
  if (s->kind == SOFT_PRESS) { /* for depths up to 2 and h V from -1 to 1 */
    const double h = s->friction[PRESS_STEP], d = s->D[PRESS_NUMBERS + 1], force = s->D[PRESS_NUMBERS] * pow(2.5, 1.5);
    return h * force * (3 * h * (1 + 2 * d) + d);
  }
  for (int i = 1; i < s->rows; i++) most = fmax(most, s->D[i]);
  if (s->kind == SOFT_ELLIPTIC || s->kind == SOFT_PYRAMIDAL)
    for (int k = 1; k < s->rows; k++) slope += s->friction[k - 1] * s->friction[k - 1];
  return most * slope * (s->kind == SOFT_PYRAMIDAL ? 2 * (s->rows - 1) : 1);
}

/* Whether the functions of implicit steps bend evenly within h of r. */
static bool beyond_kinks(const soft_function *s, const double *r, double h) {
  double square = 0;
  for (int i = 0; i < s->rows; i++) square += r[i] * r[i];
  const double size = sqrt(square);
  if (s->kind == SOFT_SLIDE) return fabs(s->D[0] * size - s->loss) > 4 * h * s->D[0] && size > 0.02;
  if (s->kind != SOFT_PRESS) return true;
  const double step = s->friction[PRESS_STEP], d = s->D[PRESS_NUMBERS + 1], V = step * r[0];
  return fabs(s->friction[PRESS_DEPTH] - step * V) > 0.02 && fabs(1 - d * V) > 4 * h * d;
}

/* f is what s falls by, H what -f grows by, in one direction at a time; `along` says the same. Where a step crosses
 * into another zone the second derivative may jump, so that it is compared inside zones only. */
START_TEST(test_derivatives) {
  seed = 20;
  int compared[KINDS] = { 0 };
  for (int draws = 0; draws < 28000; draws++) {
    const soft_kind kind = (soft_kind)(draws % KINDS);
    const soft_function s = draw(kind);
    double r[6], d[6], f[6], H[36], plus[6], minus[6], far[6], f_plus[6], f_minus[6], H_other[36], out[2], size = 0;
    int32_t zone, zone_plus, zone_minus;
    draw_residual(&s, r);
    const double h = 1e-5, bound = stiffest(&s);
    for (int i = 0; i < s.rows; i++) {
      d[i] = uniform(-1, 1), size = fmax(size, fabs(r[i]));
      plus[i] = r[i] + h * d[i], minus[i] = r[i] - h * d[i], far[i] = r[i] + 0.3 * d[i];
    }
    const double cost = cdni_soft_function(&s, r, f, H, &zone);
    const double up = cdni_soft_function(&s, plus, f_plus, H_other, &zone_plus);
    const double down = cdni_soft_function(&s, minus, f_minus, H_other, &zone_minus);
    double slope = 0, curve = 0, slope_far = 0;
    ck_assert(cost >= 0);
    for (int i = 0; i < s.rows; i++) {
      slope -= f[i] * d[i];
      for (int j = 0; j < s.rows; j++) {
        ck_assert(H[i * s.rows + j] == H[j * s.rows + i]);
        curve += d[i] * H[i * s.rows + j] * d[j];
      }
    }
    NEAR((up - down) / (2 * h), slope, bound * (h + 1e-10 * (1 + size)));
    cdni_soft_function_along(&s, r, d, 0, out);
    NEAR(out[0], slope, 1e-14 * bound * (1 + size));
    NEAR(out[1], curve, 1e-13 * bound);
    cdni_soft_function_along(&s, r, d, 0.3, out);
    cdni_soft_function(&s, far, f_plus, NULL, NULL);
    for (int i = 0; i < s.rows; i++) slope_far -= f_plus[i] * d[i];
    NEAR(out[0], slope_far, 1e-14 * bound * (1 + size));
    if (zone_plus != zone || zone_minus != zone) continue;
    cdni_soft_function(&s, plus, f_plus, NULL, NULL);
    compared[kind]++;
    /* the middle zone of a cone bends by the inverse of its distance from the apex */
    double reach = 1;
    if (zone == SOFT_ZONE_MIDDLE && !beyond_kinks(&s, r, 2 * h)) continue;
    if (kind == SOFT_SLIDE) reach = size;
    if (kind == SOFT_PRESS)
      reach = fmin(1, fabs(s.friction[PRESS_DEPTH] - s.friction[PRESS_STEP] * s.friction[PRESS_STEP] * r[0]));
    if (zone == SOFT_ZONE_MIDDLE && kind < SOFT_PRESS) {
      reach = 0;
      for (int k = 1; k < s.rows; k++) reach = fmax(reach, s.friction[k - 1] * fabs(r[k]));
      if (reach < 0.05) continue;
    }
    for (int i = 0; i < s.rows; i++) {
      double row = 0;
      for (int j = 0; j < s.rows; j++) row += H[i * s.rows + j] * d[j];
      NEAR((f_minus[i] - f_plus[i]) / (2 * h), row, bound * (1 + size) * (1e-10 + 100 * h * h / (reach * reach)));
    }
  }
  for (int kind = 0; kind < KINDS; kind++) ck_assert_int_ge(compared[kind], 1000);
}
END_TEST

/* s(y) >= s(x) - f(x) (y - x), everywhere; and f is no steeper than the stiffest of its zones, so that it is
 * continuous. */
START_TEST(test_convex_and_continuous) {
  seed = 21;
  int crossed = 0;
  for (int draws = 0; draws < 40000; draws++) {
    const soft_function s = draw((soft_kind)(draws % KINDS));
    double x[6], y[6], fx[6], fy[6], slope = 0, gap = 0, jump = 0, size = 0;
    int32_t zone_x, zone_y;
    draw_residual(&s, x);
    draw_residual(&s, y);
    if (draws % 2) {
      /* two points that are close, often on both sides of a boundary */
      const double step = power_of_ten(-12, -2);
      if (s.kind == SOFT_ELLIPTIC) {
        double T = 0;
        for (int k = 1; k < s.rows; k++) T += s.friction[k - 1] * x[k] * s.friction[k - 1] * x[k];
        x[0] = draws % 4 == 1 ? sqrt(T) : -sqrt(T) / (s.mu * s.mu);
      } else if (s.kind == SOFT_FRICTION_LOSS) {
        x[0] = copysign(s.loss / s.D[0], x[0]);
      } else {
        x[0] *= step;
      }
      for (int i = 0; i < s.rows; i++) y[i] = x[i] + step * y[i];
    }
    const double cost_x = cdni_soft_function(&s, x, fx, NULL, &zone_x);
    const double cost_y = cdni_soft_function(&s, y, fy, NULL, &zone_y);
    for (int i = 0; i < s.rows; i++) {
      slope -= fx[i] * (y[i] - x[i]);
      gap += (y[i] - x[i]) * (y[i] - x[i]);
      jump += (fy[i] - fx[i]) * (fy[i] - fx[i]);
      size = fmax(size, fmax(fabs(x[i]), fabs(y[i])));
    }
    if (s.kind == SOFT_PRESS) size += fabs(s.D[PRESS_DEPTH]) / s.friction[PRESS_STEP]; /* where the force begins */
    const double bound = stiffest(&s), rounding = 1e-15 * bound * (1 + size);
    ck_assert_msg(cost_y - cost_x - slope >= -rounding * (1 + size), "kind %d: %g", s.kind, cost_y - cost_x - slope);
    AT_MOST(sqrt(jump), bound * sqrt(gap) * (1 + 1e-9) + rounding);
    crossed += zone_x != zone_y;
  }
  ck_assert_int_ge(crossed, 10000);
}
END_TEST

/* The smallest eigenvalue of n x n A, by Jacobi's rotations. */
static double smallest_eigenvalue(const double *H, int n) {
  double A[36];
  memcpy(A, H, (size_t)n * n * sizeof *A);
  for (int sweep = 0; sweep < 30; sweep++) {
    for (int p = 0; p < n; p++) {
      for (int q = p + 1; q < n; q++) {
        if (A[p * n + q] == 0) continue;
        const double theta = 0.5 * atan2(2 * A[p * n + q], A[q * n + q] - A[p * n + p]), c = cos(theta), s = sin(theta);
        for (int k = 0; k < n; k++) {
          const double a = A[k * n + p], b = A[k * n + q];
          A[k * n + p] = c * a - s * b, A[k * n + q] = s * a + c * b;
        }
        for (int k = 0; k < n; k++) {
          const double a = A[p * n + k], b = A[q * n + k];
          A[p * n + k] = c * a - s * b, A[q * n + k] = s * a + c * b;
        }
      }
    }
  }
  double least = A[0];
  for (int i = 1; i < n; i++) least = fmin(least, A[i * n + i]);
  return least;
}

/* From the apex to the ends of what may be given, nothing is NaN and no second derivative is negative. */
START_TEST(test_hostile_numbers) {
  seed = 22;
  static const double extremes[] = { 0, 1e-300, 1e-160, 1e-9, 1, 1e9, 1e100 };
  static const double frictions[] = { 0, 1e-9, 1e-5, 0.7, 1e9 };
  for (int draws = 0; draws < 60000; draws++) {
    const soft_kind kind = draws % 2 ? SOFT_ELLIPTIC : draws % 3 ? SOFT_PYRAMIDAL : (soft_kind)(draws % 5);
    soft_function s = draw(kind);
    if (kind == SOFT_ELLIPTIC || kind == SOFT_PYRAMIDAL) {
      double friction[5];
      const bool alike = uniform(0, 1) < 0.5;
      const int first = (int)uniform(0, 5);
      for (int k = 0; k < 5; k++) {
        const int own = (int)uniform(0, 5);
        friction[k] = frictions[alike ? first : own];
      }
      const int rows = CONE_ROWS[draws % 7 % 3];
      const double R = power_of_ten(-15, 6), ratio = power_of_ten(-15, 9);
      s = cdni_soft_cone(kind, rows, friction, R, draws % 5 ? 1 : ratio);
    }
    double r[6], d[6], f[6], H[36], out[2];
    int32_t zone;
    const bool small = draws % 4 == 0;
    for (int i = 0; i < s.rows; i++) {
      const int size = (int)uniform(0, small ? 4 : 7);
      const double part = uniform(-1, 1);
      r[i] = extremes[size] * part;
      d[i] = uniform(-1, 1);
    }
    if (draws % 8 == 1) {
      for (int i = 1; i < s.rows; i++) r[i] = 0; /* on the axis, and at the apex */
      if (draws % 16 == 1) r[0] = 0;
    }
    const double cost = cdni_soft_function(&s, r, f, H, &zone);
    cdni_soft_function_along(&s, r, d, 0.5, out);
    ck_assert_msg(!isnan(cost) && cost >= 0, "kind %d, zone %d: cost %g", s.kind, zone, cost);
    ck_assert_msg(!isnan(out[0]) && out[1] >= 0, "kind %d: along %g %g", s.kind, out[0], out[1]);
    double trace = 0;
    for (int i = 0; i < s.rows; i++) {
      ck_assert(!isnan(f[i]));
      ck_assert(H[i * s.rows + i] >= 0);
      trace += H[i * s.rows + i];
    }
    ck_assert(isfinite(trace));
    const double least = smallest_eigenvalue(H, s.rows);
    ck_assert_msg(least >= -4e-15 * trace, "kind %d, zone %d: eigenvalue %g of %g", s.kind, zone, least, trace);
    if (s.kind == SOFT_LIMIT || s.kind == SOFT_ELLIPTIC) ck_assert(f[0] >= 0);
  }
}
END_TEST

/* No friction at all is a limit; a cone of no width that is told so carries no tangential force. */
START_TEST(test_no_friction) {
  soft_function cone = { .kind = SOFT_ELLIPTIC, .rows = 3, .D = { 5 } };
  const soft_function limit = { .kind = SOFT_LIMIT, .rows = 1, .D = { 5 } };
  for (double n = -1; n <= 1; n += 0.25) {
    const double r[] = { n, 0.3, -4 };
    double f[3], H[9], g[1], out[2], same[2];
    const double a = cdni_soft_function(&cone, r, f, H, NULL), b = cdni_soft_function(&limit, r, g, NULL, NULL);
    NEAR(a, b, 0);
    NEAR(f[0], g[0], 0);
    ck_assert(f[1] == 0 && f[2] == 0 && H[4] == 0);
    cdni_soft_function_along(&cone, r, (double[]){ 1, 2, 3 }, 0.1, out);
    cdni_soft_function_along(&limit, r, (double[]){ 1 }, 0.1, same);
    for (int i = 0; i < 2; i++) NEAR(out[i], same[i], 1e-15);
  }
}
END_TEST

/* solref and solimp as MuJoCo's chapter Modeling states them: critical damping, the two powers, the midpoint. */
START_TEST(test_impedance) {
  soft_law law = { { 0.1, 1 }, { 0.2, 0.8, 0.01, 0.5, 2 } };
  soft_response a = cdni_soft_response(&law, -0.0025, 0);
  NEAR(a.d, 0.2 + 0.6 * 0.125, 1e-15);
  NEAR(cdni_soft_response(&law, 0.005, 0).d, 0.5, 1e-15);
  NEAR(cdni_soft_response(&law, 0.0075, 0).d, 0.2 + 0.6 * 0.875, 1e-15);
  NEAR(cdni_soft_response(&law, 0, 0).d, 0.2, 0);
  NEAR(cdni_soft_response(&law, -1, 0).d, 0.8, 0);
  /* at full impedance K d and B d are those of a critically damped oscillator of time constant 0.1: 1 / (0.1^2 dmax^2),
   * 2 / 0.1 dmax */
  NEAR(a.K, 1 / (0.8 * 0.8 * 0.01), 1e-12);
  NEAR(a.B, 2 / (0.8 * 0.1), 1e-13);
  NEAR(cdni_soft_response(&law, 0, 0.2).B, 2 / (0.8 * 0.2), 1e-13);
  law.ref[0] = -300, law.ref[1] = -7;
  a = cdni_soft_response(&law, 0, 0.2);
  NEAR(a.K, 300 / 0.64, 1e-12);
  NEAR(a.B, 7 / 0.8, 1e-14);
  /* one of each form means MuJoCo's default */
  law.ref[0] = 0.05;
  a = cdni_soft_response(&law, 0, 0);
  NEAR(a.B, 2 / (0.8 * 0.02), 1e-12);
  /* the power rises without a jump, for any of the five numbers */
  seed = 23;
  for (int draws = 0; draws < 3000; draws++) {
    for (int i = 0; i < 5; i++) law.imp[i] = i == 4 ? uniform(0, 6) : i == 2 ? power_of_ten(-6, 1) : uniform(-0.2, 1.2);
    const double x = uniform(-1.2, 1.2) * law.imp[2], step = 1e-7 * law.imp[2];
    const double here = cdni_soft_response(&law, x, 0).d, there = cdni_soft_response(&law, x + step, 0).d;
    ck_assert(here >= 1e-4 && here <= 0.9999);
    AT_MOST(fabs(there - here), 7 * 1e4 * 1e-7);
    NEAR(cdni_soft_response(&law, -x, 0).d, here, 0);
  }
  NEAR(cdni_soft_regularisation(0.25, 2), 6, 1e-15);
  NEAR(cdni_soft_regularisation(0.9999, 0), 1e-15, 0);
}
END_TEST

CHECK_MAIN("soft functions", test_derivatives, test_convex_and_continuous, test_hostile_numbers, test_no_friction,
           test_impedance)
