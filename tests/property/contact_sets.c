#include "contact_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

static int imax(int a, int b) { return a > b ? a : b; }
static int imin(int a, int b) { return a < b ? a : b; }

static void allocate(contact_set *s, int bodies, int most) {
  s->bodies = bodies;
  s->of = calloc((size_t)most * 2, sizeof *s->of);
  s->J = calloc((size_t)most * 36, sizeof *s->J);
  s->inverse = calloc((size_t)bodies * 6, sizeof *s->inverse);
  s->u = calloc((size_t)bodies * 6, sizeof *s->u);
  s->cones = calloc((size_t)most, sizeof *s->cones);
}

/* A contact at `at` (from the bodies' centres) with normal n: speeds of b from a, along n and two tangents. */
static void add_contact(contact_set *s, int a, int b, const double at_a[3], const double at_b[3], const double n[3]) {
  double axis[3][3], most = 0;
  const int bodies[2] = { a, b };
  const double *at[2] = { at_a, at_b };
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(n[i]) < fabs(n[least])) least = i;
  for (int i = 0; i < 3; i++) axis[0][i] = n[i], axis[1][i] = (i == least) - n[least] * n[i];
  for (int i = 0; i < 3; i++) most += axis[1][i] * axis[1][i];
  for (int i = 0; i < 3; i++) axis[1][i] /= sqrt(most);
  for (int i = 0; i < 3; i++)
    axis[2][i] = axis[0][(i + 1) % 3] * axis[1][(i + 2) % 3] - axis[0][(i + 2) % 3] * axis[1][(i + 1) % 3];
  for (int side = 0; side < 2; side++) {
    s->of[2 * s->n + side] = bodies[side];
    for (int k = 0; k < 3 && bodies[side] >= 0; k++) {
      double *J = s->J + 36 * s->n + 18 * side + 6 * k;
      const double *x = at[side], *d = axis[k], sign = side ? 1 : -1;
      for (int i = 0; i < 3; i++) {
        J[3 + i] = sign * d[i];
        J[i] = sign * (x[(i + 1) % 3] * d[(i + 2) % 3] - x[(i + 2) % 3] * d[(i + 1) % 3]);
      }
    }
  }
  s->n++;
}

static void add_body(rng *r, contact_set *s, int i, double x, double y, double z) {
  const double m = exp(uniform(r, -1, 1));
  const double inertia[3] = { m / 3 * (y * y + z * z), m / 3 * (x * x + z * z), m / 3 * (x * x + y * y) };
  for (int k = 0; k < 3; k++) {
    s->inverse[6 * i + k] = 1 / inertia[k], s->inverse[6 * i + 3 + k] = 1 / m;
    s->u[6 * i + k] = uniform(r, -0.2, 0.2), s->u[6 * i + 3 + k] = uniform(r, -0.2, 0.2) - (k == 2);
  }
}

static void direct(rng *r, double by, double x, double y, double z, double n[3]) {
  n[0] = x + uniform(r, -by, by), n[1] = y + uniform(r, -by, by), n[2] = z + uniform(r, -by, by);
  const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int i = 0; i < 3; i++) n[i] /= size;
}

static contact_set draw_spheres(rng *r, int n) {
  const int side = imax(1, (int)round(cbrt(n / 2.7))), layers = imax(1, (int)round(n / 2.7 / (side * side)));
  contact_set s = { 0 };
  allocate(&s, side * side * layers, 3 * side * side * layers);
  for (int i = 0; i < s.bodies; i++) {
    const int x = i % side, y = i / side % side, z = i / side / side;
    const int below = z > 0 ? i - side * side : -1;
    add_body(r, &s, i, 0.6, 0.6, 0.6);
    for (int k = 0; k < 3; k++) {
      double d[3], at_a[3], at_b[3];
      if ((k == 0 && x == 0) || (k == 1 && y == 0)) continue;
      direct(r, 0.3, k == 0, k == 1, k == 2, d);
      for (int c = 0; c < 3; c++) at_a[c] = 0.5 * d[c], at_b[c] = -0.5 * d[c];
      add_contact(&s, k == 0 ? i - 1 : k == 1 ? i - side : below, i, at_a, at_b, d);
    }
  }
  return s;
}

static contact_set draw_boxes(rng *r, int n) {
  const int high = imax(1, imin(10, n / 4)), columns = imax(1, n / 4 / high);
  contact_set s = { 0 };
  allocate(&s, high * columns, 4 * high * columns);
  for (int i = 0; i < s.bodies; i++) {
    add_body(r, &s, i, 0.5, 0.5, 0.5);
    for (int k = 0; k < 4; k++) {
      const double x = k & 1 ? 0.5 : -0.5, y = k & 2 ? 0.5 : -0.5;
      add_contact(&s, i % high ? i - 1 : -1, i, (double[]){ x, y, 0.5 }, (double[]){ x, y, -0.5 },
                  (double[]){ 0, 0, 1 });
    }
  }
  return s;
}

static contact_set draw_bricks(rng *r, int n) {
  const int high = imax(1, (int)round(sqrt(n / 4.0))), wide = imax(2, n / 4 / high);
  contact_set s = { 0 };
  allocate(&s, high * wide, 4 * high * wide);
  for (int i = 0; i < s.bodies; i++) {
    const int z = i / wide, left = i % wide - (z % 2 == 0);
    add_body(r, &s, i, 1, 0.5, 0.5);
    for (int k = 0; k < 4; k++) {
      const double at = k & 1 ? 0.5 : -0.5, y = k & 2 ? 0.5 : -0.5;
      const int on = left + (k & 1);
      if (z > 0 && (on < 0 || on >= wide)) continue;
      add_contact(&s, z > 0 ? (z - 1) * wide + on : -1, i, (double[]){ -at, y, 0.5 }, (double[]){ at, y, -0.5 },
                  (double[]){ 0, 0, 1 });
    }
  }
  return s;
}

/* Speeds along rows of contact c. */
static void speeds(const contact_set *s, int c, const double *u, double v[3]) {
  memset(v, 0, 3 * sizeof *v);
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < 3 && s->of[2 * c + side] >= 0; k++)
      for (int j = 0; j < 6; j++) v[k] += s->J[36 * c + 18 * side + 6 * k + j] * u[6 * s->of[2 * c + side] + j];
}

/* The block of W of contacts a and b; false: they share no body. */
static bool block(const contact_set *s, int a, int b, double W[9]) {
  bool shares = false;
  memset(W, 0, 9 * sizeof *W);
  for (int x = 0; x < 2; x++)
    for (int y = 0; y < 2; y++) {
      const int body = s->of[2 * a + x];
      if (body < 0 || body != s->of[2 * b + y]) continue;
      shares = true;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          for (int k = 0; k < 6; k++)
            W[3 * i + j] +=
                s->J[36 * a + 18 * x + 6 * i + k] * s->J[36 * b + 18 * y + 6 * j + k] * s->inverse[6 * body + k];
    }
  return shares;
}

static void make_matrix(contact_set *s) {
  size_t most = 9, n = 0;
  double W[9];
  for (int a = 0; a < s->n; a++)
    for (int b = 0; b < s->n; b++) most += 9 * (size_t)block(s, a, b, W);
  s->rows = 3 * s->n;
  s->first = calloc((size_t)s->rows + 1, sizeof *s->first);
  s->column = calloc(most, sizeof *s->column), s->value = calloc(most, sizeof *s->value);
  double **const vectors[] = { &s->b, &s->p, &s->w };
  for (int i = 0; i < 3; i++) *vectors[i] = calloc((size_t)s->rows, sizeof(double));
  for (int a = 0; a < s->n; a++)
    for (int i = 0; i < 3; i++) {
      s->first[3 * a + i] = (int)n;
      for (int b = 0; b < s->n; b++)
        if (block(s, a, b, W))
          for (int j = 0; j < 3; j++) s->column[n] = 3 * b + j, s->value[n++] = W[3 * i + j];
    }
  s->first[s->rows] = (int)n;
  for (int a = 0; a < s->n; a++) speeds(s, a, s->u, s->b + 3 * a);
}

contact_set draw_contacts(rng *r, contact_pile pile, int n, double mu) {
  contact_set s = pile == PILE_OF_SPHERES    ? draw_spheres(r, n)
                  : pile == COLUMNS_OF_BOXES ? draw_boxes(r, n)
                                             : draw_bricks(r, n);
  for (int i = 0; i < s.n; i++) {
    const double own = uniform(r, 0, mu);
    s.cones[i] = (cone){ .normal = 3 * i,
                         .tangent = 3 * i + 1,
                         .n = 2,
                         .mu_static = own,
                         .mu_dynamic = own,
                         .closed = true,
                         .status = CONE_STICKS };
  }
  make_matrix(&s);
  return s;
}

void free_contacts(contact_set *s) {
  void *const all[] = { s->of, s->J, s->inverse, s->u, s->first, s->column, s->value, s->b, s->p, s->w, s->cones };
  for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) free(all[i]);
}

const cdn_allocator *cones_allocator(void) {
  static cdn_allocator allocator;
  allocator = cdni_allocator_or_default((cdn_allocator){ 0 });
  return &allocator;
}

cone_matrix full_matrix(int rows, const double *W, int *first, int *column) {
  for (int r = 0; r <= rows; r++) first[r] = rows * r;
  for (int k = 0; k < rows * rows; k++) column[k] = k % rows;
  return (cone_matrix){ first, column, W };
}

cone_problem problem_of(contact_set *s) {
  return (cone_problem){ .allocator = cones_allocator(),
                         .rows = s->rows,
                         .n = s->n,
                         .W = { s->first, s->column, s->value },
                         .b = s->b,
                         .cones = s->cones,
                         .p = s->p,
                         .w = s->w };
}

double worst_violation(const contact_set *s) {
  double *u = calloc((size_t)s->bodies * 6 + 1, sizeof *u), worst = 0, most_p = 1e-300, most_w = 1e-300;
  memcpy(u, s->u, (size_t)s->bodies * 6 * sizeof *u);
  for (int c = 0; c < s->n; c++)
    for (int side = 0; side < 2; side++)
      for (int k = 0; k < 6 && s->of[2 * c + side] >= 0; k++) {
        const int body = s->of[2 * c + side];
        for (int i = 0; i < 3; i++)
          u[6 * body + k] += s->inverse[6 * body + k] * s->J[36 * c + 18 * side + 6 * i + k] * s->p[3 * c + i];
      }
  for (int r = 0; r < s->rows; r++) most_p = fmax(most_p, fabs(s->p[r])), most_w = fmax(most_w, fabs(s->b[r]));
  for (int c = 0; c < s->n; c++) {
    double w[3];
    const double *p = s->p + 3 * c, mu = s->cones[c].mu_dynamic, size = hypot(p[1], p[2]);
    speeds(s, c, u, w);
    for (int i = 0; i < 3; i++) w[i] /= most_w;
    worst = fmax(worst, fmax(-p[0] / most_p, -w[0]));
    worst = fmax(worst, fmin(p[0] / most_p, fabs(w[0])));
    worst = fmax(worst, (size - mu * p[0]) / most_p);
    /* what slips: the push is at its bound, against the slip */
    const double slip = hypot(w[1], w[2]), x = p[1] * slip + mu * p[0] * w[1], y = p[2] * slip + mu * p[0] * w[2];
    worst = fmax(worst, fmin(slip, hypot(x, y) / most_p));
  }
  free(u);
  return worst;
}
