/* Terms of bonds: coordinates with their gradients, and energies as functions of them. */
#include <math.h>

#include "molecules/field.h"

cdn_status mol_term_law(const field_term *t, const double *parameter, double x, int order, term_result *out) {
  if (t->custom) {
    cdn_function_result own;
    CDNI_TRY(cdn_function_calc(t->custom, &x, order, &own));
    *out = (term_result){ own.value, own.d1[0], order > 1 ? own.d2[0] : NAN };
    return CDN_OK;
  }
  const double k = parameter[2 * t->number], x0 = parameter[2 * t->number + 1];
  if (t->n == 0) *out = (term_result){ k * (x - x0) * (x - x0), 2 * k * (x - x0), 2 * k };
  else {
    const double c = cos(t->n * x - x0);
    *out = (term_result){ k * (1 + c), -k * t->n * sin(t->n * x - x0), -k * t->n * t->n * c };
  }
  return CDN_OK;
}

static double distance(cdn_vec3 a, cdn_vec3 b, cdn_vec3 gradient[4]) {
  const cdn_vec3 d = cdn_sub(b, a);
  const double length = cdn_norm(d);
  if (gradient) gradient[1] = cdn_scale(1 / length, d), gradient[0] = cdn_scale(-1, gradient[1]);
  return length;
}

/* The angle at b. Its gradient by a is across b-a in the plane of the three, 1/|b-a| long. */
static double angle(cdn_vec3 a, cdn_vec3 b, cdn_vec3 c, cdn_vec3 gradient[4]) {
  const cdn_vec3 u = cdn_sub(a, b), v = cdn_sub(c, b), normal = cdn_cross(u, v);
  const double n = cdn_norm(normal);
  if (gradient) {
    gradient[0] = cdn_scale(1 / (n * cdn_dot(u, u)), cdn_cross(u, normal));
    gradient[2] = cdn_scale(1 / (n * cdn_dot(v, v)), cdn_cross(normal, v));
    gradient[1] = cdn_scale(-1, cdn_add(gradient[0], gradient[2]));
  }
  return atan2(n, cdn_dot(u, v));
}

/* Gradients as A. Blondel and M. Karplus write them, J. Comput. Chem. 17:1132 (1996): without a sine below
 * a fraction. */
double mol_dihedral(cdn_vec3 a, cdn_vec3 b, cdn_vec3 c, cdn_vec3 d, cdn_vec3 gradient[4]) {
  const cdn_vec3 f = cdn_sub(a, b), g = cdn_sub(b, c), h = cdn_sub(d, c);
  const cdn_vec3 m = cdn_cross(f, g), n = cdn_cross(h, g);
  const double length = cdn_norm(g);
  if (gradient) {
    const double m2 = cdn_dot(m, m), n2 = cdn_dot(n, n);
    const cdn_vec3 by_a = cdn_scale(-length / m2, m), by_d = cdn_scale(length / n2, n);
    const cdn_vec3 along =
        cdn_sub(cdn_scale(cdn_dot(f, g) / (m2 * length), m), cdn_scale(cdn_dot(h, g) / (n2 * length), n));
    gradient[0] = by_a, gradient[3] = by_d;
    gradient[1] = cdn_sub(along, by_a);
    gradient[2] = cdn_scale(-1, cdn_add(along, by_d));
  }
  return atan2(cdn_dot(cdn_cross(n, m), g) / length, cdn_dot(m, n));
}

double mol_term_coordinate(const field_term *t, const double *x, const double *y, const double *z,
                           cdn_vec3 gradient[4]) {
  cdn_vec3 p[4];
  for (int i = 0; i < 4; i++) p[i] = cdn_v3(x[t->slot[i]], y[t->slot[i]], z[t->slot[i]]);
  switch (t->kind) {
    case CDN_TERM_STRETCH: return distance(p[0], p[1], gradient);
    case CDN_TERM_BEND: return angle(p[0], p[1], p[2], gradient);
    default: return mol_dihedral(p[0], p[1], p[2], p[3], gradient);
  }
}

/* ---- second derivatives ----
 *
 * Coordinates are functions of differences of positions; blocks are 3 x 3, by rows. */

enum { MOST_DIFFERENCES = 3 };
typedef struct block {
  double at[9];
} block;
typedef block blocks[MOST_DIFFERENCES][MOST_DIFFERENCES];

/* to += scale a b^T */
static void add_outer(block *to, double scale, cdn_vec3 a, cdn_vec3 b) {
  const double x[3] = { a.x, a.y, a.z }, y[3] = { b.x, b.y, b.z };
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) to->at[3 * i + k] += scale * x[i] * y[k];
}

/* to += scale times the matrix of c x */
static void add_cross(block *to, double scale, cdn_vec3 c) {
  to->at[1] -= scale * c.z, to->at[2] += scale * c.y, to->at[3] += scale * c.z;
  to->at[5] -= scale * c.x, to->at[6] -= scale * c.y, to->at[7] += scale * c.x;
}

static void mirror(const block *from, block *to) {
  for (int i = 0; i < 9; i++) to->at[i] = from->at[i % 3 * 3 + i / 3];
}

static void distance_second(cdn_vec3 d, blocks H) {
  const double length = cdn_norm(d);
  for (int i = 0; i < 3; i++) H[0][0].at[4 * i] = 1 / length;
  add_outer(&H[0][0], -1 / (length * length * length), d, d);
}

/* In the plane of u and v each of them turns the angle by itself. Out of it they go along the normal n, and the angle
 * grows as on a sphere. */
static void angle_second(cdn_vec3 u, cdn_vec3 v, blocks H) {
  const cdn_vec3 normal = cdn_cross(u, v), ends[2] = { u, v };
  const double length = cdn_norm(normal), cotangent = cdn_dot(u, v) / length;
  const cdn_vec3 n = cdn_scale(1 / length, normal);
  for (int k = 0; k < 2; k++) {
    const cdn_vec3 e = ends[k], across = cdn_scale(k ? -1 : 1, cdn_cross(e, n));
    const double by_square = 1 / cdn_dot(e, e);
    add_outer(&H[k][k], cotangent * by_square, n, n);
    add_outer(&H[k][k], -by_square * by_square, e, across);
    add_outer(&H[k][k], -by_square * by_square, across, e);
    add_outer(&H[k][1 - k], -1 / length, n, n);
  }
}

/* to += scale times the derivative of m/m^2 where m changes by c x. */
static void add_normal(block *to, double scale, cdn_vec3 m, cdn_vec3 c) {
  const double m2 = cdn_dot(m, m);
  add_cross(to, scale / m2, c);
  add_outer(to, -2 * scale / (m2 * m2), m, cdn_cross(m, c));
}

/* Derivatives of the gradients in mol_dihedral. */
static void dihedral_second(cdn_vec3 f, cdn_vec3 g, cdn_vec3 h, blocks H) {
  const double length = cdn_norm(g);
  const cdn_vec3 axis = cdn_scale(1 / length, g), ends[2] = { f, h };
  for (int k = 0; k < 2; k++) {
    const cdn_vec3 e = ends[k], m = cdn_cross(e, g), by_m = cdn_scale(1 / cdn_dot(m, m), m);
    const double sign = k ? -1 : 1, along = cdn_dot(e, axis);
    block *own = &H[2 * k][2 * k], *mixed = &H[2 * k][1], *middle = &H[1][1];
    add_normal(own, sign * length, m, g);
    add_outer(mixed, -sign, by_m, axis);
    add_normal(mixed, -sign * length, m, e);
    mirror(mixed, &H[1][2 * k]);
    add_outer(middle, sign / length, by_m, cdn_sub(e, cdn_scale(along, axis)));
    add_normal(middle, sign * along, m, e);
  }
}

void mol_term_second(const field_term *t, const double *x, const double *y, const double *z, double second[4][4][9]) {
  /* which atoms are the ends of differences, by kind: stretch, bend, dihedral */
  static const int8_t ends[][MOST_DIFFERENCES][2] = { { { 1, 0 } },
                                                      { { 0, 1 }, { 2, 1 } },
                                                      { { 0, 1 }, { 1, 2 }, { 3, 2 } } };
  const int n = mol_term_atoms(t->kind) - 1;
  cdn_vec3 p[4], e[MOST_DIFFERENCES];
  blocks H = { 0 };
  for (int i = 0; i < 4; i++) p[i] = cdn_v3(x[t->slot[i]], y[t->slot[i]], z[t->slot[i]]);
  for (int i = 0; i < n; i++) e[i] = cdn_sub(p[ends[n - 1][i][0]], p[ends[n - 1][i][1]]);
  switch (n) {
    case 1: distance_second(e[0], H); break;
    case 2: angle_second(e[0], e[1], H); break;
    default: dihedral_second(e[0], e[1], e[2], H);
  }
  memset(second, 0, 16 * sizeof second[0][0]);
  for (int i = 0; i < 2 * n; i++)
    for (int j = 0; j < 2 * n; j++)
      for (int k = 0; k < 9; k++)
        second[ends[n - 1][i / 2][i % 2]][ends[n - 1][j / 2][j % 2]][k] +=
            (i % 2 == j % 2 ? 1 : -1) * H[i / 2][j / 2].at[k];
}
