/* Andrews' squeezing mechanism: the equations of the IVP test set (problem II-13), in its order beta, Theta, gamma,
 * Phi, delta, Omega, epsilon. */
#include "elimination.h"
#include "loops.h"
#include "mechanisms.h"
#include "tables.h"

enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON, ANGLES, NO_ANGLE = -1, CLOSURES = 6 };

static const double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .0705, m6 = .00706, m7 = .05498;
static const double I1 = 2.194e-6, I2 = 4.41e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7,
                    I7 = 1.912e-5;
static const double xb = -.03635, yb = .03273, xc = .014, yc = .072, c0 = 4530, l0 = .07785, drive = .033;
static const double da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, sa = .01874, sb = .01043;
static const double sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449, zf = .02,
                    zt = .04, fa = .01421;

/* A closure is a sum of these: `by` times the cosine or the sine of one angle or of the sum of two. */
typedef struct term {
  int closure;
  double by;
  bool is_sine;
  int angle, other;
} term;

/* clang-format off */
static const term terms[] = {
  { 0, .007, false, BETA, NO_ANGLE }, { 0, -.028, false, BETA, THETA }, { 0, -.035, true, GAMMA, NO_ANGLE },
  { 1, .007, true, BETA, NO_ANGLE }, { 1, -.028, true, BETA, THETA }, { 1, .035, false, GAMMA, NO_ANGLE },
  { 2, .007, false, BETA, NO_ANGLE }, { 2, -.028, false, BETA, THETA }, { 2, -.02, true, PHI, DELTA },
  { 2, -.04, false, DELTA, NO_ANGLE },
  { 3, .007, true, BETA, NO_ANGLE }, { 3, -.028, true, BETA, THETA }, { 3, .02, false, PHI, DELTA },
  { 3, -.04, true, DELTA, NO_ANGLE },
  { 4, .007, false, BETA, NO_ANGLE }, { 4, -.028, false, BETA, THETA }, { 4, -.02, false, OMEGA, EPSILON },
  { 4, -.04, true, EPSILON, NO_ANGLE },
  { 5, .007, true, BETA, NO_ANGLE }, { 5, -.028, true, BETA, THETA }, { 5, -.02, true, OMEGA, EPSILON },
  { 5, .04, false, EPSILON, NO_ANGLE },
};
/* clang-format on */

static void mass_matrix(const long double *q, long double *M) {
  const long double h = e - ea, k = zf - fa, cosine = cosl(q[THETA]), phi = sinl(q[PHI]), omega = sinl(q[OMEGA]);
  M[ANGLES * 0 + 0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cosine + da * da) + I1 + I2;
  M[ANGLES * 0 + 1] = M[ANGLES * 1 + 0] = m2 * (da * da - da * rr * cosine) + I2;
  M[ANGLES * 1 + 1] = m2 * da * da + I2;
  M[ANGLES * 2 + 2] = m3 * (sa * sa + sb * sb) + I3;
  M[ANGLES * 3 + 3] = m4 * h * h + I4;
  M[ANGLES * 3 + 4] = M[ANGLES * 4 + 3] = m4 * (h * h + zt * h * phi) + I4;
  M[ANGLES * 4 + 4] = m4 * (zt * zt + 2 * zt * h * phi + h * h) + m5 * (ta * ta + tb * tb) + I4 + I5;
  M[ANGLES * 5 + 5] = m6 * k * k + I6;
  M[ANGLES * 5 + 6] = M[ANGLES * 6 + 5] = m6 * (k * k - u * k * omega) + I6;
  M[ANGLES * 6 + 6] = m6 * (k * k - 2 * u * k * omega + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
}

static void forces(const long double *q, const long double *v, long double *f) {
  const long double h = e - ea, k = zf - fa, c = cosl(q[GAMMA]), s = sinl(q[GAMMA]);
  const long double x = sd * c + sc * s + xb - xc, y = sd * s - sc * c + yb - yc, length = hypotl(x, y);
  const long double pull = -c0 * (length - l0) / length;
  f[0] = drive - m2 * da * rr * v[THETA] * (v[THETA] + 2 * v[BETA]) * sinl(q[THETA]);
  f[1] = m2 * da * rr * v[BETA] * v[BETA] * sinl(q[THETA]);
  f[2] = pull * (x * (sc * c - sd * s) + y * (sd * c + sc * s));
  f[3] = m4 * zt * h * v[DELTA] * v[DELTA] * cosl(q[PHI]);
  f[4] = -m4 * zt * h * v[PHI] * (v[PHI] + 2 * v[DELTA]) * cosl(q[PHI]);
  f[5] = -m6 * u * k * v[EPSILON] * v[EPSILON] * cosl(q[OMEGA]);
  f[6] = m6 * u * k * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]) * cosl(q[OMEGA]);
}

static void andrews_rates(const void *self, long double t, const long double *x, long double *f) {
  enum { N = ANGLES + CLOSURES };
  const long double *v = x + ANGLES;
  long double M[ANGLES * ANGLES] = { 0 }, A[N * N] = { 0 }, y[N] = { 0 };
  (void)self, (void)t;
  mass_matrix(x, M);
  forces(x, v, y);
  for (int i = 0; i < ANGLES; i++) {
    for (int k = 0; k < ANGLES; k++) A[N * i + k] = M[ANGLES * i + k];
  }
  for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
    const term *s = &terms[i];
    const int row = ANGLES + s->closure;
    const long double angle = x[s->angle] + (s->other == NO_ANGLE ? 0 : x[s->other]);
    const long double rate = v[s->angle] + (s->other == NO_ANGLE ? 0 : v[s->other]);
    const long double slope = s->by * (s->is_sine ? cosl(angle) : -sinl(angle));
    y[row] += s->by * (s->is_sine ? sinl(angle) : cosl(angle)) * rate * rate;
    A[N * row + s->angle] += slope, A[N * s->angle + row] += slope;
    if (s->other != NO_ANGLE) A[N * row + s->other] += slope, A[N * s->other + row] += slope;
  }
  eliminate(N, A, y);
  for (int i = 0; i < ANGLES; i++) f[i] = v[i], f[ANGLES + i] = y[i];
}

static void andrews_start(const problem *p, long double *x) {
  static const long double q[ANGLES] = { -0.0617138900142764496358948458001L, 0,
                                         0.455279819163070380255912382449L,   0.222668390165885884674473185609L,
                                         0.487364979543842550225598953530L,   -0.222668390165885884674473185609L,
                                         1.23054744454982119249735015568L };
  (void)p;
  for (int i = 0; i < ANGLES; i++) x[i] = q[i], x[ANGLES + i] = 0;
}

/* where the bodies of mechanisms.c have them */
static const int slot[ANGLES] = { 0, 1, 2, 4, 3, 6, 5 };

static void andrews_unfold(const problem *p, long double t, const long double *x, double *y) {
  (void)p, (void)t;
  for (int i = 0; i < ANGLES; i++) y[slot[i]] = (double)x[i], y[ANGLES + slot[i]] = (double)x[ANGLES + i];
}

static const problem_equations equations = { 2 * ANGLES, andrews_start, andrews_rates, andrews_unfold };

static cdn_state *start_andrews(const problem *p) { return (void)p, make_andrews().state; }

static double andrews_apart(const problem *p, cdn_state *truth, const double *row) {
  const double *q = cdn_state_q(truth), *v = cdn_state_u(truth);
  double worst = 0;
  (void)p;
  for (int i = 0; i < ANGLES; i++) {
    const double rate = row[1 + ANGLES + i];
    worst = fmax(worst, fabs(q[slot[i]] - row[1 + i]));
    worst = fmax(worst, fabs(v[slot[i]] - rate) / fmax(1, fabs(rate)));
  }
  return worst;
}

static const published table = {
  "IFToMM A03, IVP test set II-13, integrated with 30 digits", 10, 15, table_andrews[0], 1e-12, andrews_apart
};

const problem loop_andrews = {
  .name = "a03-andrews",
  .what = "IFToMM A03, Andrews' squeezing mechanism, 0.05 s",
  .end = 0.05,
  .start = start_andrews,
  .equations = &equations,
  .published = &table,
};
