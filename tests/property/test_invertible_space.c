/* Invertible contact in contact space: forward and inverse agree, the conditions of the least hold, the closed form of
 * one contact agrees with the paper's dense form, derivatives with differences, and hostile problems end with an answer
 * or a message. */
#include "../testing.h"
#include "dense_inverse.h"
#include "random_contacts.h"

static random_contacts r;

static int normal_row(int i) {
  return i < r.problem.n_limits ? i : r.problem.n_limits + 3 * (i - r.problem.n_limits) + 2;
}

/* Largest component of the gradient (22) of the problem, over the size of its terms. */
static double residual(const double *f, const double *v) {
  const cdn_invertible_problem *p = &r.problem;
  double worst = 0;
  static double g[RANDOM_ROWS_MOST], size[RANDOM_ROWS_MOST];
  for (int i = 0; i < r.n; i++) g[i] = r.R[i] * f[i] + v[i], size[i] = 1 + fabs(r.R[i] * f[i]) + fabs(v[i]);
  for (int i = 0; i < p->n_limits + p->n_contacts; i++) {
    const double s = v[normal_row(i)] - r.v_min[i], s0 = p->elastic > 0 ? p->kappa / p->elastic : 0;
    const double y = s > 0 && s >= s0 ? -p->kappa / s : -p->elastic - p->elastic * p->elastic / p->kappa * (s0 - s);
    const double rounding = fmax(1, (fabs(v[normal_row(i)]) + fabs(r.v_min[i])) / fabs(s));
    for (int j = 0; j < r.n; j++)
      g[j] += y * r.A[normal_row(i) * r.n + j], size[j] += rounding * fabs(y * r.A[normal_row(i) * r.n + j]);
  }
  for (int i = 0; i < p->n_limits; i++) g[i] -= p->kappa / f[i], size[i] += p->kappa / f[i];
  for (int i = p->n_limits; i < r.n; i += 3) {
    const double mu = r.mu[(i - p->n_limits) / 3], length = hypot(f[i], f[i + 1]);
    if (mu == 0) {
      ck_assert(f[i] == 0 && f[i + 1] == 0);
      g[i] = g[i + 1] = 0;
      g[i + 2] -= 3 * p->kappa / f[i + 2];
      size[i + 2] += 3 * p->kappa / f[i + 2];
      continue;
    }
    const double D = (mu * f[i + 2] - length) * (mu * f[i + 2] + length), a = 2 * p->kappa / D;
    ck_assert_msg(D > 0 && f[i + 2] > 0, "contact %d is not within its cone", i);
    g[i] += a * f[i], g[i + 1] += a * f[i + 1];
    g[i + 2] -= a * mu * mu * f[i + 2] + p->kappa / f[i + 2];
    /* f is rounded, and D with it */
    const double rounding = mu * mu * f[i + 2] * f[i + 2] / D;
    for (int k = 0; k < 3; k++)
      size[i + k] += (k == 2 ? a * mu * mu * f[i + 2] : a * fabs(f[i + k])) * fmax(1, rounding);
  }
  for (int i = 0; i < r.n; i++) worst = fmax(worst, fabs(g[i]) / size[i]);
  return worst;
}

static void make(int trial, uint64_t *seed) {
  const int n_limits = trial % 4 == 3 ? 3 : 0, n_contacts = 1 + trial % 8;
  make_random_contacts(&r, n_limits, n_contacts, trial % 3 ? 40 : 6, seed);
}

START_TEST(forward_then_inverse) {
  static double f[RANDOM_ROWS_MOST], v[RANDOM_ROWS_MOST], again[RANDOM_ROWS_MOST], c[RANDOM_ROWS_MOST];
  uint64_t seed = 1;
  cdn_invertible *solver;
  OK(cdn_invertible_create(NULL, &solver));
  static const double kappas[] = { 1, 0.1, 1e-3, 1e-6 };
  int most = 0, met = 0;
  for (int trial = 0; trial < 400; trial++) {
    make(trial, &seed);
    r.problem.kappa = kappas[trial / 3 % 4];
    r.problem.elastic = trial % 5 == 0 ? 10 : 0;
    const cdn_status status = cdn_invertible_forward(solver, &r.problem, r.c, NULL, f, v);
    if (status == CDN_ERR_CONSTRAINT) continue; /* six freedoms cannot obey all v_min */
    ck_assert_msg(status == CDN_OK, "trial %d: %s", trial, cdn_last_error_text());
    met++;
    cdn_invertible_report report;
    OK(cdn_invertible_get_report(solver, &report));
    most = report.iterations > most ? report.iterations : most;
    AT_MOST(residual(f, v), 1e-10);
    OK(cdn_invertible_inverse(&r.problem, v, again, c));
    /* v is rounded: what the barrier makes of it, through A and the inverse of R */
    double size = 0, rounding = 0, soft = INFINITY;
    for (int i = 0; i < r.n; i++) size = fmax(size, fabs(f[i])), soft = fmin(soft, r.R[i]);
    for (int i = 0; i < r.problem.n_limits + r.problem.n_contacts; i++) {
      const double s = v[normal_row(i)] - r.v_min[i];
      rounding = fmax(rounding, 1e-15 * r.problem.kappa / (s * s));
    }
    rounding = 1e-9 + rounding / soft;
    for (int i = 0; rounding < 1e-6 && i < r.n; i++) {
      NEAR(again[i], f[i], rounding * (1 + size));
      NEAR(c[i], r.c[i], rounding * (1 + size));
    }
  }
  ck_assert_int_gt(met, 350);
  AT_MOST(most, 150);
  cdn_invertible_destroy(solver);
}
END_TEST

/* The inverse against the dense form of the paper, and its own conditions to rounding. */
START_TEST(inverse_against_dense) {
  static double f[RANDOM_ROWS_MOST], c[RANDOM_ROWS_MOST], v[RANDOM_ROWS_MOST], dense[RANDOM_ROWS_MOST],
      other[RANDOM_ROWS_MOST];
  static double work[RANDOM_ROWS_MOST * (RANDOM_ROWS_MOST + 3)];
  uint64_t seed = 2;
  int compared = 0;
  for (int trial = 0; trial < 2000; trial++) {
    make(trial, &seed);
    r.problem.kappa = pow(10, 1 - 5 * random_part(&seed));
    for (int i = 0; i < r.n; i++) v[i] = 4 * random_part(&seed) - 2;
    for (int i = 0; i < r.problem.n_limits + r.problem.n_contacts; i++)
      v[normal_row(i)] = r.v_min[i] + pow(10, 1 - 5 * random_part(&seed));
    if (trial % 2)
      for (int i = r.problem.n_limits; i < r.n; i++) r.R[i] *= 0.5 + random_part(&seed);
    OK(cdn_invertible_inverse(&r.problem, v, f, c));
    AT_MOST(residual(f, v), 1e-13);
    /* the dense form creeps along the cones, and loses digits at them: it does not always arrive */
    const int steps = dense_inverse(&r.problem, v, dense, other, work);
    if (steps < 0 || steps > 200) continue;
    compared++;
    for (int i = 0; i < r.n; i++) NEAR(f[i], dense[i], 1e-6 * (1 + fabs(f[i])));
  }
  ck_assert_int_gt(compared, 700);
}
END_TEST

/* Sizes far from 1, with what stays of (22). */
START_TEST(inverse_of_any_size) {
  static double f[RANDOM_ROWS_MOST], v[RANDOM_ROWS_MOST];
  uint64_t seed = 3;
  static const double mus[] = { 0, 1e-12, 1e-3, 1, 1e3, 1e9 };
  for (int trial = 0; trial < 20000; trial++) {
    make_random_contacts(&r, 0, 4, 12, &seed);
    r.problem.kappa = pow(10, 4 - 14 * random_part(&seed));
    const double scale = pow(10, 8 - 16 * random_part(&seed)), speed = pow(10, 6 - 12 * random_part(&seed));
    for (int i = 0; i < r.n * r.n; i++) r.A[i] *= scale;
    for (int i = 0; i < r.n; i++)
      v[i] = speed * (2 * random_part(&seed) - 1), r.R[i] *= scale * pow(10, 4 - 8 * random_part(&seed));
    for (int i = 0; i < 4; i++) {
      r.mu[i] = mus[(int)(6 * random_part(&seed))];
      r.v_min[i] = v[normal_row(i)] - speed * pow(10, 2 - 8 * random_part(&seed));
    }
    OK(cdn_invertible_inverse(&r.problem, v, f, NULL));
    for (int i = 0; i < r.n; i++) {
      const int contact = i / 3;
      ck_assert(isfinite(f[i]));
      const double cone = r.mu[contact] * f[3 * contact + 2];
      AT_MOST(hypot(f[3 * contact], f[3 * contact + 1]), cone * (1 + 1e-15));
      ck_assert(f[3 * contact + 2] > 0);
    }
  }
}
END_TEST

START_TEST(many_are_one_by_one) {
  enum { MANY = 50 };
  static random_contacts all[MANY];
  static double v[MANY][RANDOM_ROWS_MOST], f[MANY][RANDOM_ROWS_MOST], c[MANY][RANDOM_ROWS_MOST];
  static double own[RANDOM_ROWS_MOST], own_c[RANDOM_ROWS_MOST];
  const cdn_invertible_problem *problems[MANY];
  const double *speeds[MANY];
  double *impulses[MANY], *free_speeds[MANY];
  uint64_t seed = 4;
  for (int k = 0; k < MANY; k++) {
    make_random_contacts(&all[k], k % 3, k % 7, 20, &seed);
    for (int i = 0; i < all[k].n; i++) v[k][i] = 2 + random_part(&seed);
    problems[k] = &all[k].problem, speeds[k] = v[k], impulses[k] = f[k], free_speeds[k] = c[k];
  }
  OK(cdn_invertible_inverse_many(MANY, problems, speeds, impulses, free_speeds));
  for (int k = 0; k < MANY; k++) {
    OK(cdn_invertible_inverse(problems[k], v[k], own, own_c));
    ck_assert_int_eq(memcmp(own, f[k], (size_t)all[k].n * sizeof *own), 0);
    ck_assert_int_eq(memcmp(own_c, c[k], (size_t)all[k].n * sizeof *own), 0);
  }
  v[33][0] = NAN;
  FAILS(cdn_invertible_inverse_many(MANY, problems, speeds, impulses, NULL), CDN_ERR_NONFINITE);
  cdn_error error;
  cdn_last_error(&error);
  ck_assert_int_eq(error.index, 33);
}
END_TEST

/* ---- derivatives ---- */

/* f of v + e dv with R + e dR, v_min + e dv_min, A + e dA. */
typedef struct change {
  double v[RANDOM_ROWS_MOST], R[RANDOM_ROWS_MOST], v_min[RANDOM_ROWS_MOST], A[RANDOM_ROWS_MOST * RANDOM_ROWS_MOST];
} change;

static void moved(const double *v, const change *d, double e, double *f) {
  static random_contacts other;
  static double w[RANDOM_ROWS_MOST];
  other = r;
  other.problem.A = other.A, other.problem.R = other.R, other.problem.v_min = other.v_min;
  for (int i = 0; i < r.n; i++) w[i] = v[i] + e * d->v[i], other.R[i] += e * d->R[i], other.v_min[i] += e * d->v_min[i];
  for (int i = 0; i < r.n * r.n; i++) other.A[i] += e * d->A[i];
  OK(cdn_invertible_inverse(&other.problem, w, f, NULL));
}

START_TEST(derivatives) {
  static double f[RANDOM_ROWS_MOST], v[RANDOM_ROWS_MOST], high[RANDOM_ROWS_MOST], low[RANDOM_ROWS_MOST];
  static double B[9 * RANDOM_CONTACTS_MOST + 8], y[RANDOM_ROWS_MOST], D[RANDOM_ROWS_MOST], b[RANDOM_ROWS_MOST];
  static change d;
  uint64_t seed = 5;
  for (int trial = 0; trial < 200; trial++) {
    make(trial, &seed);
    const int limits = r.problem.n_limits, normals = limits + r.problem.n_contacts;
    if (trial % 6 == 0) r.mu[0] = 0;
    if (trial % 2) r.problem.elastic = 0.5;
    for (int i = 0; i < r.n; i++) v[i] = 2 * random_part(&seed) - 1;
    for (int i = 0; i < normals; i++) v[normal_row(i)] = r.v_min[i] + random_part(&seed) - (trial % 2 ? 0.3 : -0.1);
    for (int i = 0; i < r.n; i++)
      d.v[i] = random_part(&seed) - 0.5, d.R[i] = 0.01 * (random_part(&seed) - 0.5) * r.R[i],
      d.v_min[i] = random_part(&seed) - 0.5;
    for (int i = 0; i < r.n; i++)
      for (int j = 0; j <= i; j++) d.A[i * r.n + j] = d.A[j * r.n + i] = 0.1 * random_part(&seed) - 0.05;
    OK(cdn_invertible_inverse(&r.problem, v, f, NULL));
    OK(cdn_invertible_inverse_derivatives(&r.problem, v, f, B, y, D));
    for (int i = 0; i < r.n; i++) b[i] = d.v[i] + f[i] * d.R[i];
    for (int l = 0; l < normals; l++)
      for (int i = 0; i < r.n; i++) {
        const int row = normal_row(l);
        b[i] += d.A[i * r.n + row] * y[l] + r.A[i * r.n + row] * D[l] * (d.v[row] - d.v_min[l]);
      }
    const double e = 1e-6;
    moved(v, &d, e, high);
    moved(v, &d, -e, low);
    for (int i = 0; i < r.n; i++) {
      double df = 0;
      if (i < limits) df = -B[i] * b[i];
      else
        for (int k = 0; k < 3; k++) df -= B[limits + 3 * (i - limits) + k] * b[limits + (i - limits) / 3 * 3 + k];
      NEAR(df, (high[i] - low[i]) / (2 * e), 1e-5 * (1 + fabs(df)));
    }
  }
}
END_TEST

/* ---- hostile problems ---- */

START_TEST(hostile_forward) {
  static double f[RANDOM_ROWS_MOST], v[RANDOM_ROWS_MOST];
  uint64_t seed = 6;
  cdn_invertible *solver;
  OK(cdn_invertible_create(NULL, &solver));
  static const double mus[] = { 0, 1e-3, 1, 1e9 };
  int refused = 0, lost = 0;
  for (int trial = 0; trial < 600; trial++) {
    /* one to six freedoms under up to 15 rows: singular */
    make_random_contacts(&r, trial % 3, 1 + trial % 4, 1 + trial % 6, &seed);
    r.problem.elastic = trial % 2 ? 1 : 0;
    r.problem.kappa = pow(10, -trial % 7);
    for (int i = 0; i < r.problem.n_contacts; i++) r.mu[i] = mus[(trial + i) % 4];
    if (trial % 5 == 0) memset(r.A, 0, sizeof r.A);   /* nothing moves */
    if (trial % 7 == 0 && r.problem.n_contacts > 1) { /* the same contact twice */
      const int a = r.problem.n_limits, n = r.n;
      for (int i = 0; i < 3; i++) {
        for (int j = 0; j < n; j++) r.A[(a + 3 + i) * n + j] = r.A[(a + i) * n + j];
        r.c[a + 3 + i] = r.c[a + i];
      }
      for (int j = 0; j < n; j++)
        for (int i = 0; i < 3; i++) r.A[j * n + a + 3 + i] = r.A[j * n + a + i];
    }
    const double scale = pow(10, trial % 9 - 4);
    for (int i = 0; i < r.n * r.n; i++) r.A[i] *= scale;
    const cdn_status status = cdn_invertible_forward(solver, &r.problem, r.c, NULL, f, v);
    /* where the energy is beyond 1e14 kappa, numbers cannot tell the barrier any more: this is said */
    const bool rounded = status == CDN_ERR_LIMIT && r.problem.kappa < 1e-3;
    lost += rounded;
    ck_assert_msg(status == CDN_OK || rounded || (status == CDN_ERR_CONSTRAINT && r.problem.elastic == 0),
                  "trial %d: %s", trial, cdn_last_error_text());
    refused += status != CDN_OK;
    for (int i = 0; i < r.n; i++) ck_assert(isfinite(f[i]) && isfinite(v[i]));
    /* energies of 1e13 kappa leave few digits of the barriers */
    if (status == CDN_OK) AT_MOST(residual(f, v), 1e-3);
  }
  ck_assert_int_gt(refused, 30);
  ck_assert_int_le(lost, 6);
  cdn_invertible_destroy(solver);
}
END_TEST

static bool told(const char *part) { return strstr(cdn_last_error_text(), part); }

START_TEST(refused_by_name) {
  static double f[RANDOM_ROWS_MOST], v[RANDOM_ROWS_MOST];
  uint64_t seed = 7;
  cdn_invertible *solver;
  OK(cdn_invertible_create(NULL, &solver));
  make_random_contacts(&r, 1, 2, 9, &seed);
  for (int i = 0; i < r.n; i++) v[i] = 2;
#define REFUSED(place, value, call, status, name)                     \
  do {                                                                \
    const double kept_ = place;                                       \
    place = value;                                                    \
    FAILS(call, status);                                              \
    ck_assert_msg(told(name), "%s: %s", name, cdn_last_error_text()); \
    place = kept_;                                                    \
  } while (0)
#define INVERSE cdn_invertible_inverse(&r.problem, v, f, NULL)
#define FORWARD cdn_invertible_forward(solver, &r.problem, r.c, NULL, f, v)
  REFUSED(r.R[5], NAN, INVERSE, CDN_ERR_NONFINITE, "R of contact 1");
  REFUSED(r.R[0], 0, FORWARD, CDN_ERR_ARG, "R of limit 0");
  REFUSED(r.mu[1], -1, INVERSE, CDN_ERR_ARG, "mu of contact 1");
  REFUSED(r.mu[0], INFINITY, FORWARD, CDN_ERR_NONFINITE, "mu of contact 0");
  REFUSED(r.v_min[2], NAN, INVERSE, CDN_ERR_NONFINITE, "v_min of contact 1");
  REFUSED(v[2], NAN, INVERSE, CDN_ERR_NONFINITE, "v of contact 0");
  REFUSED(v[3], NAN, INVERSE, CDN_ERR_NONFINITE, "v of contact 0");
  REFUSED(v[0], -INFINITY, INVERSE, CDN_ERR_NONFINITE, "v of limit 0");
  REFUSED(v[6], -3, INVERSE, CDN_ERR_CONSTRAINT, "contact 1");
  REFUSED(r.A[3 * r.n + 2], NAN, INVERSE, CDN_ERR_NONFINITE, "row 3 and column 2");
  REFUSED(r.A[9], NAN, FORWARD, CDN_ERR_NONFINITE, "row 1 and column 2");
  REFUSED(r.A[9], 100, FORWARD, CDN_ERR_ARG, "symmetric");
  REFUSED(r.A[0], -100, FORWARD, CDN_ERR_SINGULAR, "row 0");
  REFUSED(r.c[4], INFINITY, FORWARD, CDN_ERR_NONFINITE, "c of contact 1");
  REFUSED(r.problem.kappa, 0, INVERSE, CDN_ERR_ARG, "kappa");
  REFUSED(r.problem.kappa, NAN, FORWARD, CDN_ERR_NONFINITE, "kappa");
  REFUSED(r.problem.elastic, -1, FORWARD, CDN_ERR_ARG, "elastic");
  REFUSED(r.problem.n_contacts, -1, INVERSE, CDN_ERR_ARG, "contacts");
  memset(r.A, 0, sizeof r.A);
  REFUSED(r.c[3], r.v_min[1] - 0.25, FORWARD, CDN_ERR_CONSTRAINT, "");
  cdn_invertible_destroy(solver);
  FAILS(cdn_invertible_inverse(NULL, v, f, NULL), CDN_ERR_ARG);
  ck_assert(told("problem"));
  FAILS(cdn_invertible_inverse(&r.problem, NULL, f, NULL), CDN_ERR_ARG);
  FAILS(cdn_invertible_inverse(&r.problem, v, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_invertible_inverse_derivatives(&r.problem, v, NULL, NULL, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_invertible_inverse_many(1, NULL, NULL, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_invertible_inverse_many(-1, NULL, NULL, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_invertible_create(NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_invertible_forward(NULL, &r.problem, v, NULL, f, v), CDN_ERR_ARG);
  r.problem.A = NULL;
  FAILS(cdn_invertible_inverse(&r.problem, v, f, NULL), CDN_ERR_ARG);
  ck_assert(told("problem->A"));
  /* no rows: nothing to do */
  const cdn_invertible_problem none = cdn_default_invertible_problem();
  OK(cdn_invertible_inverse(&none, NULL, NULL, NULL));
}
END_TEST

/* ---- where the iteration starts, restitution ---- */

START_TEST(any_start) {
  static double f[RANDOM_ROWS_MOST], v[RANDOM_ROWS_MOST], other[RANDOM_ROWS_MOST], start[RANDOM_ROWS_MOST];
  uint64_t seed = 8;
  cdn_invertible *solver;
  OK(cdn_invertible_create(NULL, &solver));
  for (int trial = 0; trial < 100; trial++) {
    make_random_contacts(&r, trial % 3, 1 + trial % 6, 40, &seed);
    OK(cdn_invertible_forward(solver, &r.problem, r.c, NULL, f, v));
    cdn_invertible_report cold, warm;
    OK(cdn_invertible_get_report(solver, &cold));
    for (int i = 0; i < r.n; i++) start[i] = f[i] * 1.001;
    OK(cdn_invertible_forward(solver, &r.problem, r.c, start, other, v));
    OK(cdn_invertible_get_report(solver, &warm));
    ck_assert_int_le(warm.iterations, cold.iterations);
    for (int i = 0; i < r.n; i++) NEAR(other[i], f[i], 1e-8 * (1 + fabs(f[i])));
    /* out of all cones, and no numbers */
    for (int i = 0; i < r.n; i++) start[i] = i % 4 == 3 ? NAN : 100 * random_part(&seed) - 50;
    OK(cdn_invertible_forward(solver, &r.problem, r.c, start, start, v));
    for (int i = 0; i < r.n; i++) NEAR(start[i], f[i], 1e-8 * (1 + fabs(f[i])));
  }
  cdn_invertible_destroy(solver);
}
END_TEST

/* A hard contact gives back the part e of its speed; where two carry one body, of both; what does not close is left
 * alone. */
START_TEST(bounce) {
  cdn_invertible *solver;
  OK(cdn_invertible_create(NULL, &solver));
  /* normals of a bar's two ends: mass 1, inertia 1/12 at lever 1/2 */
  double A[36] = { 0 }, e[2] = { 0.5, 0.8 }, c[6] = { 0, 0, -2, 0, 0, -2 }, f[6], v[6];
  const double R[6] = { 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6 }, mu[2] = { 0.5, 0.5 }, v_min[2] = { 0 };
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) A[6 * i + j] = i % 3 == j % 3 ? (i == j ? 4 : -2) : 0;
  cdn_invertible_problem p = cdn_default_invertible_problem();
  p.n_contacts = 2, p.A = A, p.R = R, p.mu = mu, p.v_min = v_min, p.kappa = 1e-9;
  OK(cdn_invertible_bounce(solver, &p, e, c, f, v));
  /* f of the compression is 1, 1; then 0.5 and 0.8 of it come back: v = A (0.5, 0.8) */
  NEAR(v[2], 4 * 0.5 - 2 * 0.8, 1e-3);
  NEAR(v[5], 4 * 0.8 - 2 * 0.5, 1e-3);
  e[0] = 0; /* what the other end gives back presses this one down: a second solution holds it */
  OK(cdn_invertible_bounce(solver, &p, e, c, f, v));
  ck_assert(v[2] >= 0);
  NEAR(v[2], 0, 1e-3);
  ck_assert(f[2] > 1.3);
  c[5] = 3; /* it opens: nothing comes back there */
  OK(cdn_invertible_bounce(solver, &p, e, c, f, v));
  NEAR(f[5], 0, 1e-4);
  e[1] = 1.5;
  FAILS(cdn_invertible_bounce(solver, &p, e, c, f, v), CDN_ERR_ARG);
  ck_assert(told("restitution of contact 1"));
  cdn_invertible_destroy(solver);
}
END_TEST

/* ---- the law ---- */

START_TEST(law) {
  cdn_invertible_law l = cdn_default_invertible_law();
  double R, slope, v;
  OK(cdn_invertible_regularisation(&l, 0.05, &R, &slope));
  NEAR(R, 0.01 + 99.99 * 0.5, 1e-12);
  NEAR(slope, 999.9, 1e-9);
  OK(cdn_invertible_regularisation(&l, -1, &R, &slope));
  NEAR(R, 0.01, 0);
  NEAR(slope, 0, 0);
  OK(cdn_invertible_regularisation(&l, 3, &R, NULL));
  NEAR(R, 100, 0);
  l.growth = CDN_INVERTIBLE_EXPONENTIAL;
  OK(cdn_invertible_regularisation(&l, 0.05, &R, &slope));
  NEAR(R, 1, 1e-14); /* the geometric mean */
  NEAR(slope, log(1e4) / 0.1, 1e-11);
  OK(cdn_invertible_least_velocity(&l, 0.02, 0.01, &v, &slope));
  NEAR(v, -2, 1e-15);
  NEAR(slope, -100, 1e-12);
  OK(cdn_invertible_least_velocity(&l, -0.02, 0.01, &v, &slope));
  NEAR(v, 0.4, 1e-15);
  NEAR(slope, -20, 1e-12);
  OK(cdn_invertible_least_velocity(&l, -2, 0.01, &v, &slope));
  NEAR(v, 1, 0);
  FAILS(cdn_invertible_least_velocity(&l, 0, 0, &v, NULL), CDN_ERR_ARG);
  FAILS(cdn_invertible_regularisation(&l, NAN, &R, NULL), CDN_ERR_NONFINITE);
  l.R_min = 200;
  FAILS(cdn_invertible_regularisation(&l, 0, &R, NULL), CDN_ERR_ARG);
  ck_assert(told("R_min"));
}
END_TEST

CHECK_MAIN("invertible contact space", forward_then_inverse, inverse_against_dense, inverse_of_any_size,
           many_are_one_by_one, derivatives, hostile_forward, refused_by_name, any_start, bounce, law)
