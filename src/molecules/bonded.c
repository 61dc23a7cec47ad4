/* Terms of bonds: coordinates with their gradients, and energies as functions of them. */
#include <math.h>

#include "molecules/field.h"

cdn_status mol_term_law(const field_term *t, const double *parameter, double x, term_result *out) {
  if (t->custom) {
    cdn_function_result own;
    CDNI_TRY(cdn_function_calc(t->custom, &x, 1, &own));
    *out = (term_result){ own.value, own.d1[0] };
    return CDN_OK;
  }
  const double k = parameter[2 * t->number], x0 = parameter[2 * t->number + 1];
  if (t->n == 0) *out = (term_result){ k * (x - x0) * (x - x0), 2 * k * (x - x0) };
  else *out = (term_result){ k * (1 + cos(t->n * x - x0)), -k * t->n * sin(t->n * x - x0) };
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
