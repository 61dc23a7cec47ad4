/* Coordinates for a wanted pose by iteration, for mobilizers without a closed form: Levenberg's damped least squares
 * on H and the pose. The rotation comes first; the translation uses the freedom that remains. */
#include "math/cholesky.h"
#include "matter/fit.h"

#include <math.h>

void cdni_fit_decompose(int rows, int nu, double (*A)[6], double (*U)[6], double *s) {
  enum { MAX_SWEEPS = 40 };
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < rows; k++) U[i][k] = i == k;
  for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    bool turned = false;
    for (int i = 0; i < rows; i++)
      for (int k = i + 1; k < rows; k++) {
        double a = 0, b = 0, c = 0;
        for (int l = 0; l < nu; l++) a += A[i][l] * A[i][l], b += A[k][l] * A[k][l], c += A[i][l] * A[k][l];
        if (!(fabs(c) > 0x1p-52 * sqrt(a) * sqrt(b)) || c == 0) continue;
        const double theta = (b - a) / (2 * c), t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1));
        const double cosine = 1 / sqrt(t * t + 1), sine = t * cosine;
        turned = true;
        for (int l = 0; l < nu; l++) {
          const double x = A[i][l], y = A[k][l];
          A[i][l] = cosine * x - sine * y, A[k][l] = sine * x + cosine * y;
        }
        for (int l = 0; l < rows; l++) {
          const double x = U[i][l], y = U[k][l];
          U[i][l] = cosine * x - sine * y, U[k][l] = sine * x + cosine * y;
        }
      }
    if (!turned) break;
  }
  for (int i = 0; i < rows; i++) {
    double a = 0;
    for (int l = 0; l < nu; l++) a += A[i][l] * A[i][l];
    s[i] = sqrt(a);
  }
}

/* ---- distance from the wanted pose ---- */

typedef struct target {
  const joint *j;
  bool rotation, translation;
  cdn_quaternion R;
  cdn_vec3 p;
  double length; /* that counts as a radian */
} target;

typedef struct place {
  double q[7];
  cdn_spatial H[6];
  double e[6], cost; /* the angular and the linear motion (by length) that would get there, and their square */
} place;

/* False where the mobilizer's functions have no answer. */
static cdn_status look(const target *t, const double *q, place *out) {
  cdn_transform X;
  memcpy(out->q, q, sizeof out->q);
  CDNI_TRY(cdni_joint_across(t->j, q, false, &X, out->H));
  memset(out->e, 0, sizeof out->e);
  if (t->rotation) {
    cdn_vec3 axis;
    const cdn_quaternion now = cdn_quaternion_from_rotation(X.R);
    const double angle =
        cdn_axis_angle_from_quaternion(cdn_quaternion_multiply(t->R, cdn_quaternion_conjugate(now)), &axis);
    out->e[0] = angle * axis.x, out->e[1] = angle * axis.y, out->e[2] = angle * axis.z;
  }
  if (t->translation) {
    const cdn_vec3 d = cdn_scale(1 / t->length, cdn_sub(t->p, X.p));
    out->e[3] = d.x, out->e[4] = d.y, out->e[5] = d.z;
  }
  out->cost = 0;
  for (int i = 0; i < 6; i++) out->cost += out->e[i] * out->e[i];
  return isfinite(out->cost) ? CDN_OK : CDN_ERR_NONFINITE;
}

static void rows_of(const target *t, const place *x, bool rotation, bool translation, double A[6][6]) {
  memset(A, 0, 36 * sizeof(double));
  for (int k = 0; k < t->j->n->nu; k++) {
    const cdn_spatial h = x->H[k];
    if (rotation) A[0][k] = h.w.x, A[1][k] = h.w.y, A[2][k] = h.w.z;
    if (translation) A[3][k] = h.v.x / t->length, A[4][k] = h.v.y / t->length, A[5][k] = h.v.z / t->length;
  }
}

/* The damped step of A du = e. */
static void damped(int nu, double A[6][6], const double *e, double damping, double du[6]) {
  double U[6][6], s[6];
  cdni_fit_decompose(6, nu, A, U, s);
  memset(du, 0, 6 * sizeof *du);
  for (int i = 0; i < 6; i++) {
    double along = 0;
    for (int l = 0; l < 6; l++) along += U[i][l] * e[l];
    if (!(s[i] > 0)) continue;
    for (int l = 0; l < nu; l++) du[l] += A[i][l] * along / (s[i] * s[i] + damping);
  }
}

static double square_of(double A[6][6]) {
  double sum = 0;
  for (int i = 0; i < 36; i++) sum += (&A[0][0])[i] * (&A[0][0])[i];
  return sum;
}

/* ---- downhill ---- */

/* A square of an angle (and of a length by the other) that is rounding. */
static const double THERE = 1e-24;

static void descend(const target *t, place *x, int rounds) {
  double damping = 1e-3;
  for (int round = 0; round < rounds && x->cost > 1e-32; round++) {
    double A[6][6], du[6], size;
    rows_of(t, x, t->rotation, t->translation, A);
    size = square_of(A);
    if (!(size > 0)) return;
    damped(t->j->n->nu, A, x->e, damping * size, du);
    place next;
    double q[7] = { 0 };
    memcpy(q, x->q, sizeof q);
    cdni_joint_move(t->j, du, q);
    const bool better = look(t, q, &next) == CDN_OK && next.cost < x->cost;
    const bool last = better && damping < 1e-2 && x->cost - next.cost < 1e-16 * x->cost;
    if (better) *x = next, damping = fmax(0.1 * damping, 1e-18);
    else damping *= 8;
    if (last || damping > 1e18) return;
  }
}

/* The gradient of half the square along the mobilities. */
static void gradient(const target *t, const place *x, double g[6]) {
  double A[6][6];
  rows_of(t, x, t->rotation, t->translation, A);
  for (int k = 0; k < 6; k++) {
    g[k] = 0;
    for (int i = 0; i < 6; i++) g[k] -= A[i][k] * x->e[i];
  }
}

/* Its derivatives by differences, symmetric; false where the mobilizer has no answer. */
static bool curvature(const target *t, const place *x, double B[6][6]) {
  static const double STEP = 1e-5; /* rad, m: about the cube root of a rounding, as CDNI_DIFFERENCE */
  const int nu = t->j->n->nu;
  for (int k = 0; k < nu; k++) {
    double g[2][6];
    for (int side = 0; side < 2; side++) {
      double du[6] = { 0 }, q[7];
      place at;
      du[k] = side ? STEP : -STEP;
      memcpy(q, x->q, sizeof q);
      cdni_joint_move(t->j, du, q);
      if (look(t, q, &at) != CDN_OK) return false;
      gradient(t, &at, g[side]);
    }
    for (int l = 0; l < nu; l++) B[k][l] = (g[1][l] - g[0][l]) / (2 * STEP);
  }
  for (int k = 0; k < nu; k++)
    for (int l = 0; l < k; l++) B[k][l] = B[l][k] = 0.5 * (B[k][l] + B[l][k]);
  return true;
}

/* x = (B + shift)^-1 b; false if that is not positive definite. */
static bool solve_shifted(int nu, double B[6][6], double shift, const double *b, double *x) {
  double L[6][6];
  for (int i = 0; i < nu; i++)
    for (int k = 0; k <= i; k++) L[i][k] = B[i][k] + (i == k ? shift : 0);
  if (cdni_cholesky(nu, 6, L[0], 0, 0) >= 0) return false;
  memcpy(x, b, (size_t)nu * sizeof *x);
  cdni_cholesky_down(nu, 6, L[0], x);
  cdni_cholesky_up(nu, 6, L[0], x);
  return true;
}

/* Newton's method to the bottom: least squares alone creep where much is left over. */
static void settle(const target *t, place *x) {
  enum { MAX_ROUNDS = 30 };
  const int nu = t->j->n->nu;
  double shift = 1e-12;
  for (int round = 0; round < MAX_ROUNDS && x->cost > THERE; round++) {
    double B[6][6], g[6], du[6] = { 0 }, size = 0;
    gradient(t, x, g);
    if (!curvature(t, x, B)) return;
    for (int k = 0; k < nu; k++) size = fmax(size, fabs(B[k][k])), g[k] = -g[k];
    bool better = false;
    place next;
    for (; shift < 1e6 && !better; shift *= better ? 0.01 : 10) {
      double q[7];
      if (!(size > 0) || !solve_shifted(nu, B, shift * size, g, du)) continue;
      memcpy(q, x->q, sizeof q);
      cdni_joint_move(t->j, du, q);
      better = look(t, q, &next) == CDN_OK && next.cost < x->cost;
    }
    if (!better) return;
    const bool last = x->cost - next.cost < 1e-16 * x->cost;
    *x = next, shift = fmax(shift, 1e-14);
    if (last) return;
  }
}

/* Moves along directions that keep the rotation; after each step the rotation is corrected. */
static void descend_translation(const target *t, place *x) {
  const target both = { t->j, true, true, t->R, t->p, t->length }, turn = { t->j, true, false, t->R, t->p, t->length };
  double damping = 1e-3;
  place at;
  if (look(&both, x->q, &at) != CDN_OK) return;
  double angle = at.e[0] * at.e[0] + at.e[1] * at.e[1] + at.e[2] * at.e[2];
  for (int round = 0; round < 100; round++) {
    double A[6][6], B[6][6], U[6][6], s[6], du[6], largest = 0;
    const int nu = t->j->n->nu;
    rows_of(t, &at, true, false, A);
    rows_of(t, &at, false, true, B);
    const double size = square_of(B);
    cdni_fit_decompose(6, nu, A, U, s);
    for (int i = 0; i < 6; i++) largest = fmax(largest, s[i]);
    for (int i = 0; i < 6; i++) {
      if (!(s[i] > 1e-7 * largest)) continue;
      for (int k = 3; k < 6; k++) {
        double part = 0;
        for (int l = 0; l < nu; l++) part += B[k][l] * A[i][l] / s[i];
        for (int l = 0; l < nu; l++) B[k][l] -= part * A[i][l] / s[i];
      }
    }
    if (!(square_of(B) > 1e-20 * size)) return;
    const double only[6] = { 0, 0, 0, at.e[3], at.e[4], at.e[5] };
    damped(nu, B, only, damping * size, du);
    double q[7];
    place next;
    memcpy(q, at.q, sizeof q);
    cdni_joint_move(t->j, du, q);
    bool better = look(&turn, q, &next) == CDN_OK;
    if (better) {
      settle(&turn, &next);
      better = look(&both, next.q, &next) == CDN_OK;
    }
    const double turned = next.e[0] * next.e[0] + next.e[1] * next.e[1] + next.e[2] * next.e[2];
    const double gain = (at.cost - angle) - (next.cost - turned);
    better = better && turned <= angle + 1e-12 && gain > 0;
    if (better) at = next, *x = next, angle = fmin(angle, turned), damping = fmax(0.1 * damping, 1e-18);
    else damping *= 8;
    if (damping > 1e18 || (better && gain < 1e-15 * at.cost)) return;
  }
}

/* Other places to start from: the coordinates' zero, then points spread evenly (R2-like sequence) over turns or
 * lengths. */
static void start_from(const joint *j, int attempt, double length, const double *now, double *q) {
  static const double step[7] = { 0.8566748838545029, 0.7338918566271260, 0.6287067210378087, 0.5385972572236101,
                                  0.4614018894530128, 0.3952723384246486, 0.3386212019998474 };
  for (int i = 0; i < j->n->nq; i++) {
    const double x = attempt == 1 ? 0 : 2 * (attempt * step[i] - floor(attempt * step[i])) - 1;
    q[i] = attempt % 2 ? 3 * x : now[i] + fmin(length, 1) * x;
  }
  if (j->custom && j->custom->ops.quaternion && attempt == 1) q[0] = 1;
}

/* The best of several descents; the first one's if it is as good as there. */
static cdn_status search(const target *t, const double *start, place *best) {
  enum { ATTEMPTS = 16 };
  CDNI_TRY(look(t, start, best));
  descend(t, best, 60);
  settle(t, best);
  for (int attempt = 1; attempt < ATTEMPTS && best->cost > THERE; attempt++) {
    double q[7] = { 0 };
    place other;
    start_from(t->j, attempt, t->length, start, q);
    double none[6] = { 0 };
    cdni_joint_move(t->j, none, q); /* quaternions to length one */
    if (look(t, q, &other) != CDN_OK) continue;
    descend(t, &other, 60);
    settle(t, &other);
    if (other.cost < best->cost - 1e-9 * (1 + best->cost) || (other.cost <= THERE && best->cost > 100 * THERE))
      *best = other;
  }
  return CDN_OK;
}

cdn_status cdni_fit_iterate(const joint *j, const wanted_pose *wanted, double *q) {
  double start[7] = { 0 };
  target t = { .j = j, .rotation = wanted->R, .translation = wanted->p, .length = 1 };
  place best;
  cdn_transform X;
  cdn_spatial H[6];
  memcpy(start, q, j->n->nq * sizeof *q);
  const double nothing[6] = { 0 };
  cdni_joint_move(j, nothing, start);
  CDNI_TRY(cdni_joint_across(j, start, false, &X, H));
  if (wanted->R) t.R = cdn_quaternion_from_rotation(*wanted->R);
  if (wanted->p) {
    t.p = *wanted->p;
    const double length = fmax(cdn_norm(t.p), cdn_norm(X.p));
    if (length > 0) t.length = length;
  }
  CDNI_TRY(search(&t, start, &best));
  if (t.rotation && t.translation && best.cost > THERE) {
    /* It cannot have both. */
    target turn = t;
    turn.translation = false;
    double from[7];
    memcpy(from, best.q, sizeof from);
    CDNI_TRY(search(&turn, from, &best));
    descend_translation(&t, &best);
  }
  memcpy(q, best.q, j->n->nq * sizeof *q);
  return CDN_OK;
}
