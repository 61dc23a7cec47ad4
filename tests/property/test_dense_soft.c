/* The dense reference of soft rows beside hard ones satisfies what defines the solution, and the library's functions
 * are the duals from which it works. */
#include <stdlib.h>

#include "soft/impedance.h"
#include "dense_soft.h"
#include "random_tree.h"

enum { MOST_N = 20, MOST_GROUPS = 20, MOST_HARD = 10 };

typedef struct problem {
  dense_problem p;
  double M[MOST_N * MOST_N], a0[MOST_N], G[MOST_HARD * MOST_N], b[MOST_HARD], J[MOST_GROUPS * 6 * MOST_N];
  dense_group group[MOST_GROUPS];
  soft_function function[MOST_GROUPS];
} problem;

static double power_of_ten(rng *r, double low, double high) {
  const double exponent = uniform(r, low, high);
  return pow(10, exponent);
}

static soft_function random_function(rng *r, double softest, double stiffest) {
  static const int rows[] = { 3, 4, 6 };
  soft_function s = { .kind = pick(r, 6), .rows = 1 };
  for (int i = 0; i < 6; i++) s.D[i] = power_of_ten(r, softest, stiffest);
  s.loss = power_of_ten(r, -1, 1);
  if (s.kind == SOFT_EQUALITY) s.rows = 1 + pick(r, 6);
  if (s.kind == SOFT_BOUNDED)
    s.friction[BOUNDED_LOWER] = uniform(r, -5, 1), s.friction[BOUNDED_UPPER] = s.friction[BOUNDED_LOWER] + s.loss;
  if (s.kind == SOFT_ELLIPTIC || s.kind == SOFT_PYRAMIDAL) {
    double friction[5];
    for (int k = 0; k < 5; k++) friction[k] = power_of_ten(r, -2, 0.5);
    const int n = rows[pick(r, 3)];
    const double ratio = power_of_ten(r, -1, 1);
    s = cdni_soft_cone(s.kind, n, friction, 1 / s.D[0], ratio);
  }
  return s;
}

static void make(problem *x, rng *r, double softest, double stiffest) {
  const int n = 1 + pick(r, MOST_N), groups = pick(r, MOST_GROUPS + 1);
  int hard = pick(r, MOST_HARD < n ? MOST_HARD : n), at = 0;
  double root[MOST_N * MOST_N];
  random_numbers(r, 1, root, n * n);
  random_numbers(r, 10, x->a0, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = i == j ? 0.1 : 0;
      for (int k = 0; k < n; k++) sum += root[i * n + k] * root[j * n + k];
      x->M[i * n + j] = sum;
    }
  for (int i = 0; i < groups; i++) {
    double ref[6];
    random_numbers(r, 10, ref, 6);
    x->function[i] = random_function(r, softest, stiffest);
    random_numbers(r, 1, x->J + at, x->function[i].rows * n);
    x->group[i] = dense_group_of(&x->function[i], ref, x->J + at);
    at += x->function[i].rows * n;
  }
  random_numbers(r, 1, x->G, hard * n);
  random_numbers(r, 5, x->b, hard);
  if (hard > 1) {
    /* a row that follows from another one, exactly */
    for (int k = 0; k < n; k++) x->G[(hard - 1) * n + k] = -2 * x->G[k];
    x->b[hard - 1] = -2 * x->b[0];
  }
  x->p = (dense_problem){ n, groups, hard, x->M, x->a0, x->G, x->b, x->group };
}

/* Whether a force is allowed, within a part of its size. */
static bool allowed(const dense_group *g, const double *f) {
  double t = 0;
  switch (g->kind) {
    case SOFT_EQUALITY: return true;
    case SOFT_FRICTION_LOSS: return fabs(f[0]) <= g->loss;
    case SOFT_LIMIT: return f[0] >= 0;
    case SOFT_BOUNDED: return f[0] >= g->lower && f[0] <= g->upper;
    case SOFT_ELLIPTIC:
      for (int k = 1; k < g->rows; k++) t += f[k] / g->friction[k - 1] * f[k] / g->friction[k - 1];
      return sqrt(t) <= f[0] * (1 + 1e-13);
    case SOFT_PYRAMIDAL:
      for (int k = 1; k < g->rows; k++) t += fabs(f[k]) / g->friction[k - 1];
      return t <= f[0] * (1 + 1e-13);
    case SOFT_PRESS:
    case SOFT_SLIDE: return false; /* of implicit steps: nothing here has them */
  }
  return false;
}

static void draw_allowed(const dense_group *g, rng *r, double size, double *f) {
  double t = 0;
  for (int k = 0; k < g->rows; k++) f[k] = uniform(r, -size, size);
  if (g->kind == SOFT_FRICTION_LOSS) f[0] = uniform(r, -g->loss, g->loss);
  if (g->kind == SOFT_LIMIT) f[0] = fabs(f[0]);
  if (g->kind == SOFT_BOUNDED) f[0] = uniform(r, g->lower, g->upper);
  if (g->kind != SOFT_ELLIPTIC && g->kind != SOFT_PYRAMIDAL) return;
  for (int k = 1; k < g->rows; k++) {
    f[k] *= g->friction[k - 1];
    const double part = fabs(f[k]) / g->friction[k - 1];
    t = g->kind == SOFT_ELLIPTIC ? hypot(t, part) : t + part;
  }
  f[0] = t * uniform(r, 1, 2);
}

START_TEST(test_solution) {
  rng r = rng_of(41);
  static problem x;
  int zones[6][2] = { { 0 } };
  for (int round = 0; round < 80; round++) {
    dense_solution s;
    const bool stiff = round % 3 == 0;
    make(&x, &r, -2, stiff ? 9 : 3);
    ck_assert_msg(dense_solve(&x.p, &s), "problem %d: gradient %g after %d iterations", round, s.gradient,
                  s.iterations);
    const int n = x.p.nv;
    double size = 0, left[MOST_N];
    /* what the hard rows carry is a combination of them: nothing is left along motions that they allow */
    ck_assert_int_eq(s.rank, x.p.hard > 1 ? x.p.hard - 1 : x.p.hard);
    AT_MOST(s.violation, 1e-14);
    for (int i = 0; i < n; i++) {
      left[i] = -s.hard_force[i];
      for (int k = 0; k < n; k++) left[i] += x.M[i * n + k] * (s.a[k] - x.a0[k]);
      for (int k = 0; k < n; k++) size += fabs(x.M[i * n + k]) * (fabs(s.a[k]) + fabs(x.a0[k]));
    }
    for (int g = 0; g < x.p.groups; g++) {
      const dense_group *own = &x.group[g];
      double residual[6], f[6], other[6], most = 0, cost, dual = 0;
      int32_t zone;
      for (int i = 0; i < own->rows; i++) {
        residual[i] = -own->ref[i];
        for (int k = 0; k < n; k++) {
          residual[i] += own->J[i * n + k] * s.a[k];
          left[k] -= own->J[i * n + k] * s.force[g][i];
          size += fabs(own->J[i * n + k] * s.force[g][i]);
        }
        most = fmax(most, fabs(s.force[g][i]));
      }
      ck_assert(allowed(own, s.force[g]));
      /* s from its dual: no allowed force gives more. The residual is known to rounding, which stiff rows multiply. */
      cost = cdni_soft_function(&x.function[g], residual, f, NULL, &zone);
      zones[own->kind][zone != SOFT_ZONE_NOTHING]++;
      const double doubt = 1e-13 * (1 + 100 * n) * x.function[g].D[0] * (own->kind == SOFT_PYRAMIDAL ? 100 : 10);
      for (int i = 0; !stiff && own->kind != SOFT_EQUALITY && i < own->rows; i++) NEAR(f[i], s.force[g][i], doubt);
      if (own->kind == SOFT_PYRAMIDAL) continue;
      double terms = 0;
      for (int i = 0; i < own->rows; i++) {
        dual -= f[i] * residual[i] + own->R[i] * f[i] * f[i] / 2;
        terms += fabs(f[i] * residual[i]) + own->R[i] * f[i] * f[i] / 2;
      }
      NEAR(dual, cost, 1e-14 * terms);
      for (int tries = 0; tries < 30; tries++) {
        double gain = 0, at_f = 0;
        draw_allowed(own, &r, 2 * most + 1e-3, other);
        for (int i = 0; i < own->rows; i++) {
          gain -= other[i] * residual[i] + own->R[i] * other[i] * other[i] / 2;
          at_f += fabs(other[i] * residual[i]) + own->R[i] * other[i] * other[i] / 2;
        }
        ck_assert_msg(gain <= cost + 1e-12 * (at_f + fabs(cost)), "kind %d: %g above %g", own->kind, gain - cost, cost);
      }
    }
    for (int i = 0; i < n; i++) NEAR(left[i], 0, 1e-13 * size);
    double w[MOST_N], along = 0, length = 0;
    random_numbers(&r, 1, w, n);
    for (int twice = 0; twice < 20 * (x.p.hard > 0); twice++)
      for (int i = 0; i < x.p.hard; i++) {
        /* Kaczmarz: w loses what the hard rows do not allow */
        double dot = 0, square = 0;
        for (int k = 0; k < n; k++) dot += w[k] * x.G[i * n + k], square += x.G[i * n + k] * x.G[i * n + k];
        for (int k = 0; k < n; k++) w[k] -= dot / square * x.G[i * n + k];
      }
    for (int i = 0; i < x.p.hard; i++) {
      double dot = 0;
      for (int k = 0; k < n; k++) dot += w[k] * x.G[i * n + k];
      length = fmax(length, fabs(dot));
    }
    for (int k = 0; k < n; k++) along += w[k] * s.hard_force[k];
    if (length < 1e-10) NEAR(along, 0, 1e-8 * size);
    dense_free(&s);
  }
  for (int kind = 0; kind < 5; kind++) {
    ck_assert_int_ge(zones[kind][1], 20);
    if (kind >= SOFT_LIMIT) ck_assert_int_ge(zones[kind][0], 15);
  }
}
END_TEST

/* Hard rows are the limit of stiff equalities. */
START_TEST(test_hard_is_stiff) {
  rng r = rng_of(42);
  static problem x;
  for (int round = 0; round < 20; round++) {
    dense_solution hard, stiff;
    make(&x, &r, -1, 2);
    if (x.p.hard < 1 || x.p.groups == MOST_GROUPS || x.p.hard > 6) continue;
    ck_assert(dense_solve(&x.p, &hard));
    dense_group *last = &x.group[x.p.groups];
    *last = (dense_group){ .kind = SOFT_EQUALITY, .rows = x.p.hard, .J = x.G };
    for (int i = 0; i < x.p.hard; i++) last->ref[i] = x.b[i], last->R[i] = 1e-14;
    dense_problem soft = x.p;
    soft.hard = 0;
    soft.groups++;
    ck_assert(dense_solve(&soft, &stiff));
    double f = 0;
    for (int k = 0; k < x.p.nv; k++) f += fabs(hard.hard_force[k]);
    for (int k = 0; k < x.p.nv; k++) NEAR(hard.a[k], stiff.a[k], 1e-9 * (1 + f));
    dense_free(&hard);
    dense_free(&stiff);
  }
}
END_TEST

CHECK_MAIN("dense soft rows", test_solution, test_hard_is_stiff)
