/* Geoms with all their mass on the surface, at equal mass per area (shellinertia). Sizes are those of geoms: half axes
 * of ellipsoids and boxes; radius and half length of capsules and cylinders, whose ends count. */
#include <math.h>

#include "io/mjcf.h"

static const double PI = 3.14159265358979323846;

/* An ellipsoid's area has no closed form. This exponent, by K. Thomsen, errs by at most 1.061 % (numericana.com,
 * "Surface area of an ellipsoid"); MuJoCo has it as well. */
static const double THOMSEN = 1.6075;

/* Of a box's faces, over the area of all: those across x, across y, across z. */
static void faces_of(const double *a, double part[3]) {
  const double sum = a[0] * a[1] + a[1] * a[2] + a[2] * a[0];
  for (int i = 0; i < 3; i++) part[i] = a[(i + 1) % 3] * a[(i + 2) % 3] / sum;
}

double io_mjcf_shell_area(cdn_shape_type type, const double *a) {
  const double r = a[0], h = a[1];
  switch (type) {
    case CDN_SHAPE_SPHERE: return 4 * PI * r * r;
    case CDN_SHAPE_CAPSULE: return 4 * PI * r * (r + h);
    case CDN_SHAPE_CYLINDER: return 2 * PI * r * (r + 2 * h);
    case CDN_SHAPE_BOX: return 8 * (a[0] * a[1] + a[1] * a[2] + a[2] * a[0]);
    case CDN_SHAPE_ELLIPSOID: {
      const double sum = pow(a[0] * a[1], THOMSEN) + pow(a[1] * a[2], THOMSEN) + pow(a[2] * a[0], THOMSEN);
      return 4 * PI * pow(sum / 3, 1 / THOMSEN);
    }
    case CDN_SHAPE_PLANE:
    case CDN_SHAPE_HFIELD:
    case CDN_SHAPE_MESH: break; /* their asset tells */
  }
  return 0;
}

static cdn_inertia diagonal(double x, double y, double z) { return (cdn_inertia){ x, y, z, 0, 0, 0 }; }

/* A tube of radius r and half length h, and on its ends disks, or half spheres whose centres are the ends of the axis.
 * `ends` is the mass of both. */
static cdn_inertia tube(double m, double ends, bool round, double r, double h) {
  const double wall = m - ends;
  const double of_ends = round ? 2 * r * r / 3 + h * h + h * r : r * r / 4 + h * h;
  const double x = wall * (r * r / 2 + h * h / 3) + ends * of_ends;
  return diagonal(x, x, wall * r * r + ends * r * r * (round ? 2.0 / 3 : 0.5));
}

static cdn_inertia hollow_box(double m, const double *a) {
  double part[3], xx[3] = { 0, 0, 0 }; /* the mean of the squares of coordinates */
  faces_of(a, part);
  for (int i = 0; i < 3; i++)
    for (int face = 0; face < 3; face++) xx[i] += part[face] * a[i] * a[i] * (face == i ? 1 : 1.0 / 3);
  return diagonal(m * (xx[1] + xx[2]), m * (xx[0] + xx[2]), m * (xx[0] + xx[1]));
}

/* MuJoCo's shell is a thin layer between two ellipsoids whose half axes differ by the same length; it is thicker where
 * the surface is less bent. Its moments are the derivatives of the solid's by that length. */
static cdn_inertia layer(double m, const double *a) {
  const double sum = a[0] * a[1] + a[1] * a[2] + a[2] * a[0];
  double I[3];
  for (int i = 0; i < 3; i++) {
    const double b = a[(i + 1) % 3], c = a[(i + 2) % 3];
    I[i] = m / 5 * (b * b + c * c + 2 * a[0] * a[1] * a[2] * (b + c) / sum);
  }
  return diagonal(I[0], I[1], I[2]);
}

cdn_inertia io_mjcf_shell_inertia(cdn_shape_type type, double m, const double *a) {
  const double r = a[0], h = a[1];
  switch (type) {
    case CDN_SHAPE_SPHERE: return diagonal(2 * m * r * r / 3, 2 * m * r * r / 3, 2 * m * r * r / 3);
    case CDN_SHAPE_CAPSULE: return tube(m, m * r / (r + h), true, r, h);
    case CDN_SHAPE_CYLINDER: return tube(m, m * r / (r + 2 * h), false, r, h);
    case CDN_SHAPE_BOX: return hollow_box(m, a);
    case CDN_SHAPE_ELLIPSOID: return layer(m, a);
    case CDN_SHAPE_PLANE:
    case CDN_SHAPE_HFIELD:
    case CDN_SHAPE_MESH: break;
  }
  return diagonal(0, 0, 0);
}
