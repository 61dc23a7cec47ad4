/* shared by tests in this folder */
#include "dense_soft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SIZEOF_FLOAT128__
typedef __float128 quad;
static const double enough = 1e-20;
#else
typedef long double quad;
static const double enough = 1e-12;
#endif

static quad q_abs(quad x) { return x < 0 ? -x : x; }
static quad q_sqrt(quad x) {
  if (!(x > 0)) return 0;
  quad y = sqrtl((long double)x);
  for (int i = 0; i < 2; i++) y = (y + x / y) / 2;
  return y;
}

dense_group dense_group_of(const soft_function *s, const double *ref, const double *J) {
  dense_group g = { .kind = (soft_kind)s->kind, .rows = s->rows, .J = J, .loss = s->loss };
  g.lower = s->friction[BOUNDED_LOWER], g.upper = s->friction[BOUNDED_UPPER];
  for (int k = 0; k < s->rows; k++) {
    g.ref[k] = ref[k];
    g.R[k] = s->kind == SOFT_PYRAMIDAL ? 1 / s->D[0] : 1 / s->D[k];
    if (k) g.friction[k - 1] = s->friction[k - 1];
  }
  return g;
}

/* ---- one group ---- */

/* The nearest allowed force in the metric R to p = -R^-1 r, and where it is wanted H = d(-f)/dr. Returns s = f.R f / 2
 * or what takes its place. */
static quad project(const dense_group *g, const quad *r, quad *f, quad *H) {
  const int n = g->rows;
  quad cost = 0;
  for (int i = 0; i < n; i++) f[i] = 0;
  for (int i = 0; H && i < n * n; i++) H[i] = 0;
  switch (g->kind) {
    case SOFT_EQUALITY:
    case SOFT_LIMIT:
    case SOFT_FRICTION_LOSS:
    case SOFT_BOUNDED:
      for (int i = 0; i < n; i++) {
        const quad R = g->R[i], free_force = -r[i] / R;
        quad low = free_force, high = free_force;
        if (g->kind == SOFT_LIMIT) low = 0, high = free_force > 0 ? free_force : 0;
        if (g->kind == SOFT_FRICTION_LOSS) low = -(quad)g->loss, high = g->loss;
        if (g->kind == SOFT_BOUNDED) low = g->lower, high = g->upper;
        f[i] = free_force < low ? low : free_force > high ? high : free_force;
        cost += -f[i] * r[i] - R * f[i] * f[i] / 2;
        if (H) H[i * n + i] = f[i] == free_force && !(g->kind == SOFT_LIMIT && f[i] == 0) ? 1 / R : 0;
      }
      return cost;
    case SOFT_PYRAMIDAL:
      for (int k = 1; k < n; k++) {
        for (int side = -1; side <= 1; side += 2) {
          const quad slope = side * (quad)g->friction[k - 1], edge = r[0] + slope * r[k], R = g->R[0];
          if (edge >= 0) continue;
          f[0] -= edge / R;
          f[k] -= slope * edge / R;
          cost += edge * edge / R / 2;
          if (!H) continue;
          H[0] += 1 / R, H[k] += slope / R, H[k * n] += slope / R, H[k * n + k] += slope * slope / R;
        }
      }
      return cost;
    case SOFT_ELLIPTIC: break;
    case SOFT_PRESS:
    case SOFT_SLIDE: abort(); /* of implicit steps */
  }
  /* In sqrt(R) f the cone is round, of the slope mu. */
  quad root[SOFT_MOST_ROWS], p[SOFT_MOST_ROWS], t = 0;
  for (int i = 0; i < n; i++) {
    root[i] = q_sqrt(g->R[i]);
    p[i] = -r[i] / root[i];
    if (i) t += p[i] * p[i];
  }
  t = q_sqrt(t);
  const quad mu = (quad)g->friction[0] * root[1] / root[0];
  quad image[SOFT_MOST_ROWS] = { 0 }, D[SOFT_MOST_ROWS * SOFT_MOST_ROWS] = { 0 };
  if (t <= mu * p[0]) {
    for (int i = 0; i < n; i++) image[i] = p[i], D[i * n + i] = 1;
  } else if (mu * t > -p[0]) {
    const quad along = (p[0] + mu * t) / (1 + mu * mu);
    quad e[SOFT_MOST_ROWS];
    e[0] = 1;
    for (int i = 1; i < n; i++) e[i] = mu * p[i] / t;
    for (int i = 0; i < n; i++) {
      image[i] = along * e[i];
      for (int j = 0; j < n; j++) {
        D[i * n + j] = e[i] * e[j] / (1 + mu * mu);
        if (i && j) D[i * n + j] += along * mu / t * ((i == j) - p[i] * p[j] / (t * t));
      }
    }
  }
  for (int i = 0; i < n; i++) {
    f[i] = image[i] / root[i];
    cost += image[i] * image[i] / 2;
    for (int j = 0; H && j < n; j++) H[i * n + j] = D[i * n + j] / (root[i] * root[j]);
  }
  return cost;
}

/* ---- dense algebra; matrices by rows ---- */

/* A = L L^T in place; false if it is not positive definite. */
static bool cholesky(quad *A, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      quad sum = A[i * n + j];
      for (int k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
      if (i > j) A[i * n + j] = sum / A[j * n + j];
      else if (!(sum > 0)) return false;
      else A[i * n + i] = q_sqrt(sum);
    }
  return true;
}
static void cholesky_solve(const quad *L, int n, quad *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
    x[i] /= L[i * n + i];
  }
  for (int i = n; i-- > 0;) {
    for (int k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
    x[i] /= L[i * n + i];
  }
}

/* What is common to the steps: variables w, a = start + Z w, with Z (nv x free) orthonormal. */
typedef struct work {
  const dense_problem *p;
  int free;
  quad *Z, *start, *w, *a;
  quad *g, *d, *H, *step; /* gradient, direction, in w; the direction in a */
  quad *J, *ZMZ, *JZ;     /* rows x nv; free x free; rows x free */
} work;

static int rows_of(const dense_problem *p) {
  int rows = 0;
  for (int i = 0; i < p->groups; i++) rows += p->group[i].rows;
  return rows;
}

/* An orthonormal basis of the rows of G by Gram and Schmidt, twice, the largest rest first; then of what is left.
 * `start` is the least-norm solution of G a = b. Returns the rank. */
static int remove_hard(work *s) {
  const dense_problem *p = s->p;
  const int n = p->nv, m = p->hard;
  quad *Q = s->Z; /* first the basis of the rows, then that of the rest, moved to the front */
  quad *rest = malloc((size_t)(m + n + 1) * (size_t)n * sizeof *rest), *value = malloc((size_t)(m + 1) * sizeof *value);
  bool *used = calloc((size_t)(m + 1), 1);
  int rank = 0;
  quad first = 0;
  for (int i = 0; i < m; i++) {
    value[i] = p->b[i];
    for (int k = 0; k < n; k++) rest[i * n + k] = p->G[i * n + k];
  }
  for (int k = 0; k < n; k++) s->start[k] = 0;
  while (rank < n) {
    int best = -1;
    quad largest = 0;
    for (int i = 0; i < m; i++) {
      quad norm = 0;
      for (int k = 0; k < n; k++) norm += rest[i * n + k] * rest[i * n + k];
      if (!used[i] && norm > largest) largest = norm, best = i;
    }
    if (rank == 0) first = largest;
    if (best < 0 || largest <= 1e-20 * first)
      break; /* rows are given in doubles: what is left of dependent ones is rounding */
    used[best] = true;
    const quad norm = q_sqrt(largest);
    quad *q = Q + rank * n;
    for (int k = 0; k < n; k++) q[k] = rest[best * n + k] / norm;
    const quad v = value[best] / norm;
    for (int k = 0; k < n; k++) s->start[k] += v * q[k];
    for (int i = 0; i < m; i++) {
      quad dot = 0;
      if (used[i]) continue;
      for (int k = 0; k < n; k++) dot += q[k] * rest[i * n + k];
      for (int k = 0; k < n; k++) rest[i * n + k] -= dot * q[k];
      value[i] -= dot * v;
    }
    rank++;
  }
  /* the rest of the space: unit vectors, the largest remainders first */
  quad *unit = rest;
  for (int i = 0; i < n * n; i++) unit[i] = i / n == i % n;
  for (int have = 0; have < n; have++) {
    quad *q = Q + have * n;
    if (have >= rank) {
      int best = 0;
      quad largest = -1;
      for (int i = 0; i < n; i++) {
        quad norm = 0;
        for (int k = 0; k < n; k++) norm += unit[i * n + k] * unit[i * n + k];
        if (norm > largest) largest = norm, best = i;
      }
      memcpy(q, unit + best * n, (size_t)n * sizeof *q);
      for (int twice = 0; twice < 2; twice++) {
        for (int j = 0; j < have; j++) {
          quad dot = 0;
          for (int k = 0; k < n; k++) dot += Q[j * n + k] * q[k];
          for (int k = 0; k < n; k++) q[k] -= dot * Q[j * n + k];
        }
      }
      quad norm = 0;
      for (int k = 0; k < n; k++) norm += q[k] * q[k];
      norm = q_sqrt(norm);
      for (int k = 0; k < n; k++) q[k] /= norm;
    }
    for (int i = 0; i < n; i++) {
      quad dot = 0;
      for (int k = 0; k < n; k++) dot += q[k] * unit[i * n + k];
      for (int k = 0; k < n; k++) unit[i * n + k] -= dot * q[k];
    }
  }
  memmove(Q, Q + rank * n, (size_t)((n - rank) * n) * sizeof *Q);
  free(rest);
  free(value);
  free(used);
  return rank;
}

static void place(work *s) {
  const int n = s->p->nv;
  for (int k = 0; k < n; k++) {
    s->a[k] = s->start[k];
    for (int i = 0; i < s->free; i++) s->a[k] += s->Z[i * n + k] * s->w[i];
  }
}

static void residual(const work *s, const dense_group *g, const quad *J, const quad *a, quad *r) {
  for (int i = 0; i < g->rows; i++) {
    r[i] = -(quad)g->ref[i];
    for (int k = 0; k < s->p->nv; k++) r[i] += J[i * s->p->nv + k] * a[k];
  }
}

/* What the second derivative is made of: Z^T M Z, and J Z. */
static void reduce(work *s, int rows) {
  const int n = s->p->nv, m = s->free;
  for (int j = 0; j < m; j++) {
    const quad *z = s->Z + j * n;
    for (int i = 0; i < n; i++) {
      s->d[i] = 0;
      for (int k = 0; k < n; k++) s->d[i] += (quad)s->p->M[i * n + k] * z[k];
    }
    for (int i = 0; i < m; i++) {
      s->ZMZ[i * m + j] = 0;
      for (int k = 0; k < n; k++) s->ZMZ[i * m + j] += s->Z[i * n + k] * s->d[k];
    }
    for (int i = 0; i < rows; i++) {
      s->JZ[i * m + j] = 0;
      for (int k = 0; k < n; k++) s->JZ[i * m + j] += s->J[i * n + k] * z[k];
    }
  }
}

/* The cost at a; its gradient in all coordinates in `full`, and with H the second derivative in Z's. */
static quad evaluate(work *s, const quad *a, quad *full, quad *H) {
  const dense_problem *p = s->p;
  const int n = p->nv, m = s->free;
  quad cost = 0;
  for (int i = 0; i < n; i++) {
    full[i] = 0;
    for (int k = 0; k < n; k++) full[i] += (quad)p->M[i * n + k] * (a[k] - (quad)p->a0[k]);
  }
  for (int i = 0; i < n; i++) cost += full[i] * (a[i] - (quad)p->a0[i]) / 2;
  if (H) memcpy(H, s->ZMZ, (size_t)(m * m) * sizeof *H);
  const quad *J = s->J, *B = s->JZ;
  for (int at = 0; at < p->groups; at++) {
    const dense_group *g = &p->group[at];
    quad r[SOFT_MOST_ROWS], f[SOFT_MOST_ROWS], own[SOFT_MOST_ROWS * SOFT_MOST_ROWS];
    residual(s, g, J, a, r);
    cost += project(g, r, f, H ? own : NULL);
    for (int i = 0; i < g->rows; i++)
      for (int k = 0; k < n; k++) full[k] -= J[i * n + k] * f[i];
    for (int x = 0; H && x < g->rows; x++)
      for (int i = 0; i < m; i++) {
        quad left = 0;
        for (int y = 0; y < g->rows; y++) left += own[x * g->rows + y] * B[y * m + i];
        if (left == 0) continue;
        for (int j = 0; j < m; j++) H[i * m + j] += left * B[x * m + j];
      }
    J += g->rows * n, B += g->rows * m;
  }
  return cost;
}

/* The slope of the cost along the direction `step` (in all coordinates) at a + t step. */
static quad slope_at(work *s, quad t, quad *scratch) {
  const int n = s->p->nv;
  quad *at = scratch, *full = scratch + n, slope = 0;
  for (int k = 0; k < n; k++) at[k] = s->a[k] + t * s->step[k];
  evaluate(s, at, full, NULL);
  for (int k = 0; k < n; k++) slope += full[k] * s->step[k];
  return slope;
}

/* The zero of the slope, which rises with t: bracketed, then by the rule of Illinois. */
static quad search(work *s, quad slope0, quad *scratch) {
  quad low = 0, at_low = slope0, high = 1, at_high = slope_at(s, 1, scratch);
  while (at_high < 0 && high < 1e6) low = high, at_low = at_high, high *= 2, at_high = slope_at(s, high, scratch);
  if (at_high <= 1e-12 * q_abs(slope0)) return high;
  for (int i = 0; i < 60; i++) {
    const quad t = i % 4 == 3 ? (low + high) / 2 : low + (high - low) * (-at_low / (at_high - at_low));
    const quad slope = slope_at(s, t, scratch);
    if (q_abs(slope) <= 1e-12 * q_abs(slope0)) return t;
    if (slope < 0) {
      low = t, at_low = slope, at_high /= 2;
    } else {
      high = t, at_high = slope, at_low /= 2;
    }
  }
  return (low + high) / 2;
}

bool dense_solve(const dense_problem *p, dense_solution *out) {
  const int n = p->nv, rows = rows_of(p);
  work s = { .p = p };
  quad *memory = calloc((size_t)n * (size_t)(3 * n + 2 * rows + 12) + 16, sizeof *memory), *at = memory;
  memset(out, 0, sizeof *out);
  out->a = calloc((size_t)n + 1, sizeof *out->a);
  out->hard_force = calloc((size_t)n + 1, sizeof *out->hard_force);
  out->force = calloc((size_t)p->groups + 1, sizeof *out->force);
  if (!memory || !out->a || !out->hard_force || !out->force) return false;
  s.Z = at, at += n * n;
  s.H = at, at += n * n;
  s.J = at, at += n * rows;
  s.ZMZ = at, at += n * n;
  s.JZ = at, at += n * rows;
  quad **const vectors[] = { &s.start, &s.w, &s.a, &s.g, &s.d, &s.step };
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = at, at += n;
  quad *full = at, *scratch = at + n;
  for (int i = 0, row = 0; i < p->groups; i++)
    for (int k = 0; k < p->group[i].rows * n; k++, row++) s.J[row] = p->group[i].J[k];
  out->rank = remove_hard(&s);
  s.free = n - out->rank;
  reduce(&s, rows);
  for (int i = 0; i < s.free; i++)
    for (int k = 0; k < n; k++) s.w[i] += s.Z[i * n + k] * (quad)p->a0[k];
  bool ok = false;
  for (out->iterations = 0; out->iterations < 500; out->iterations++) {
    place(&s);
    const quad cost = evaluate(&s, s.a, full, s.H);
    quad decrement = 0, scale = q_abs(cost) + 1e-30;
    out->cost = (double)cost;
    for (int i = 0; i < s.free; i++) {
      s.g[i] = 0;
      for (int k = 0; k < n; k++) s.g[i] += s.Z[i * n + k] * full[k];
      s.d[i] = -s.g[i];
    }
    if (!cholesky(s.H, s.free)) break;
    cholesky_solve(s.H, s.free, s.d);
    for (int i = 0; i < s.free; i++) decrement -= s.g[i] * s.d[i];
    out->gradient = (double)q_sqrt(decrement / scale);
    ok = out->gradient <= enough;
    if (ok) break;
    for (int k = 0; k < n; k++) {
      s.step[k] = 0;
      for (int i = 0; i < s.free; i++) s.step[k] += s.Z[i * n + k] * s.d[i];
    }
    const quad t = search(&s, -decrement, scratch);
    for (int i = 0; i < s.free; i++) s.w[i] += t * s.d[i];
  }
  const quad *J = s.J;
  for (int i = 0; i < p->groups; i++) {
    const dense_group *g = &p->group[i];
    quad r[SOFT_MOST_ROWS], f[SOFT_MOST_ROWS];
    residual(&s, g, J, s.a, r);
    project(g, r, f, NULL);
    for (int k = 0; k < g->rows; k++) out->force[i][k] = (double)f[k];
    J += g->rows * n;
  }
  for (int k = 0; k < n; k++) {
    out->a[k] = (double)s.a[k];
    out->hard_force[k] = (double)full[k];
  }
  for (int i = 0; i < p->hard; i++) {
    quad error = -(quad)p->b[i];
    for (int k = 0; k < n; k++) error += (quad)p->G[i * n + k] * s.a[k];
    out->violation = fmax(out->violation, (double)q_abs(error));
  }
  free(memory);
  return ok;
}

void dense_free(dense_solution *out) {
  free(out->a);
  free(out->hard_force);
  free(out->force);
  memset(out, 0, sizeof *out);
}
