/* A medium that acts on boxes and on ellipsoids: elements/fluid.h has the formulas, fluid_derivatives.c how they vary.
 * */
#include "forces/elements/fluid.h"

#include <cardan/media.h>
#include <math.h>

#include "core/sized.h"
#include "forces/elements/body_force.h"
#include "forces/derivatives.h"
#include "forces/fluid.h"

CDNI_DEF(fluid_box_def, .X_BF = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } });
/* The coefficients are MuJoCo's. */
CDNI_DEF(fluid_ellipsoid_def, .X_BF = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } }, .blunt_drag = 0.5,
         .slender_drag = 0.25, .angular_drag = 1.5, .kutta_lift = 1, .magnus_lift = 1);

#define MEDIUM \
  CDNI_NOT_NEGATIVE("density", "kg/m^3"), CDNI_NOT_NEGATIVE("viscosity", "Pa s"), CDNI_VECTOR("wind", "m/s")

static void describe(const force_room *room, const void *element, char *text, size_t size) {
  const fluid_element *e = element;
  const body_force at = { e->body, { e->p[0], e->p[1], e->p[2] } };
  cdni_describe_body_force(room, &at, text, size);
}

const force_kind cdni_force_fluid_box = {
  .name = "fluid_box",
  .element_size = sizeof(fluid_element),
  .n_params = FLUID_BOX_PARAMS,
  .params = { MEDIUM, CDNI_NOT_NEGATIVE("half.x", "m"), CDNI_NOT_NEGATIVE("half.y", "m"),
              CDNI_NOT_NEGATIVE("half.z", "m") },
  .parts = { { .reads = CDN_READS_VELOCITY, .bodies = true, .kernel = FORCE_KERNEL_fluid_box } },
  .derivative = cdni_fluid_box_derivative,
  .describe = describe,
};

const force_kind cdni_force_fluid_ellipsoid = {
  .name = "fluid_ellipsoid",
  .element_size = sizeof(fluid_element),
  .n_params = FLUID_ELLIPSOID_PARAMS,
  .params = { MEDIUM, CDNI_POSITIVE("half.x", "m"), CDNI_POSITIVE("half.y", "m"), CDNI_POSITIVE("half.z", "m"),
              CDNI_ANY("blunt_drag", "1"), CDNI_ANY("slender_drag", "1"), CDNI_ANY("angular_drag", "1"),
              CDNI_ANY("kutta_lift", "1"), CDNI_ANY("magnus_lift", "1"), CDNI_VECTOR("fluid_mass", "m^3"),
              CDNI_VECTOR("fluid_inertia", "m^5") },
  .parts = { { .reads = CDN_READS_VELOCITY, .bodies = true, .kernel = FORCE_KERNEL_fluid_ellipsoid } },
  .derivative = cdni_fluid_ellipsoid_derivative,
  .describe = describe,
};

/* ---- the fluid that moves along (Lamb, Hydrodynamics, 6th edition, articles 114, 115 and 373) ---- */

/* Carlson's integral R_D(x, y, z), of which x or y may be 0: by duplication until a series of the fifth order is exact
 * (B. C. Carlson, Computing elliptic integrals by duplication, Numerische Mathematik 33, 1979). */
static double carlson_RD(double x, double y, double z) {
  static const double ALIKE = 1e-3; /* the series errs by 3 times its sixth power */
  double sum = 0, part = 1, mean, X, Y, Z;
  for (;;) {
    const double rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), lambda = rx * ry + rx * rz + ry * rz;
    mean = (x + y + 3 * z) / 5;
    X = (mean - x) / mean, Y = (mean - y) / mean, Z = (mean - z) / mean;
    if (fmax(fmax(fabs(X), fabs(Y)), fabs(Z)) < ALIKE) break;
    sum += part / (rz * (z + lambda));
    part /= 4;
    x = (x + lambda) / 4, y = (y + lambda) / 4, z = (z + lambda) / 4;
  }
  const double a = X * Y, b = Z * Z, c = a - b, d = a - 6 * b, e = d + c + c;
  const double series =
      1 + d * (-3.0 / 14 + 9.0 / 88 * d - 9.0 / 52 * Z * e) + Z * (e / 6 + Z * (-9.0 / 22 * c + Z * 3.0 / 26 * a));
  return 3 * sum + part * series / (mean * sqrt(mean));
}

void cdni_fluid_added_mass(const double a[3], double mass[3], double inertia[3]) {
  const double volume = 4.0 / 3 * FLUID_PI * a[0] * a[1] * a[2];
  double k[3];
  for (int i = 0; i < 3; i++) {
    const double b = a[(i + 1) % 3], c = a[(i + 2) % 3];
    k[i] = 2.0 / 3 * a[0] * a[1] * a[2] * carlson_RD(b * b, c * c, a[i] * a[i]);
    mass[i] = volume * k[i] / (2 - k[i]);
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    const double b = a[j] * a[j], c = a[l] * a[l], below = fabs(2 * (b - c) + (b + c) * (k[j] - k[l]));
    inertia[i] = below > 0 ? volume / 5 * (b - c) * (b - c) * fabs(k[l] - k[j]) / below : 0;
  }
}

/* ---- adding and setting ---- */

static void put_medium(double *p, double density, double viscosity, cdn_vec3 wind) {
  p[FLUID_DENSITY] = density, p[FLUID_VISCOSITY] = viscosity;
  p[FLUID_WIND] = wind.x, p[FLUID_WIND + 1] = wind.y, p[FLUID_WIND + 2] = wind.z;
}

static cdn_force add(cdn_system *system, force_kind_id kind, const char *function, const char *name,
                     const char *unreadable, bool given, cdn_body body, const cdn_transform *X, const double *params) {
  force_adder a;
  const double R[9] = { X->R.x.x, X->R.x.y, X->R.x.z, X->R.y.x, X->R.y.y, X->R.y.z, X->R.z.x, X->R.z.y, X->R.z.z };
  const double p[3] = { X->p.x, X->p.y, X->p.z };
  cdni_force_begin(&a, system, kind, function, name);
  if (unreadable) {
    cdni_adder_refuse(&a.by, given ? CDN_ERR_VERSION : CDN_ERR_ARG, "%s", unreadable);
    return (cdn_force){ -1 };
  }
  cdni_adder_check_body(&a.by, body);
  cdni_adder_check_numbers(&a.by, "the rotation of X_BF", R, 9);
  cdni_adder_check_numbers(&a.by, "the origin of X_BF", p, 3);
  fluid_element e = { .body = body.i };
  memcpy(e.R, R, sizeof R);
  memcpy(e.p, p, sizeof p);
  return cdni_force_add(&a, &e, params);
}

cdn_force cdn_system_add_fluid_box(cdn_system *system, const char *name, const cdn_fluid_box_def *def) {
  cdn_fluid_box_def d = { 0 };
  const char *unreadable =
      def ? read_fluid_box_def(&d, def) : "no def is given: start with cdn_default_fluid_box_def()";
  double p[FLUID_BOX_PARAMS];
  put_medium(p, d.density, d.viscosity, d.wind);
  memcpy(p + FLUID_SIZE, d.half, sizeof d.half);
  return add(system, FORCE_FLUID_BOX, __func__, name, unreadable, def != NULL, d.body, &d.X_BF, p);
}

cdn_force cdn_system_add_fluid_ellipsoid(cdn_system *system, const char *name, const cdn_fluid_ellipsoid_def *def) {
  cdn_fluid_ellipsoid_def d = { 0 };
  const char *unreadable =
      def ? read_fluid_ellipsoid_def(&d, def) : "no def is given: start with cdn_default_fluid_ellipsoid_def()";
  double p[FLUID_ELLIPSOID_PARAMS] = { 0 };
  put_medium(p, d.density, d.viscosity, d.wind);
  memcpy(p + FLUID_SIZE, d.half, sizeof d.half);
  p[FLUID_BLUNT] = d.blunt_drag, p[FLUID_SLENDER] = d.slender_drag, p[FLUID_ANGULAR] = d.angular_drag;
  p[FLUID_KUTTA] = d.kutta_lift, p[FLUID_MAGNUS] = d.magnus_lift;
  bool solid = true; /* else its sizes are refused below */
  for (int k = 0; k < 3; k++) solid = solid && d.half[k] > 0 && d.half[k] < INFINITY;
  if (solid) cdni_fluid_added_mass(d.half, p + FLUID_MASS, p + FLUID_INERTIA);
  return add(system, FORCE_FLUID_ELLIPSOID, __func__, name, unreadable, def != NULL, d.body, &d.X_BF, p);
}

cdn_status cdn_fluid_box_of_mass(const cdn_mass_properties *mass, const cdn_rotation *axes, cdn_fluid_box_def *def) {
  static const char function[] = "cdn_fluid_box_of_mass";
  if (!mass || !def) return cdni_misses(function, mass ? "def" : "mass");
  if (!(mass->mass > 0)) return cdni_refuse(CDN_ERR_ARG, function, "the mass is %g; it must be positive", mass->mass);
  double moment[3];
  cdn_rotation R;
  if (axes) {
    const cdn_inertia I = cdn_inertia_reexpress(cdn_rotation_transpose(*axes), mass->inertia);
    R = *axes, moment[0] = I.xx, moment[1] = I.yy, moment[2] = I.zz;
  } else {
    cdn_inertia_principal(mass->inertia, moment, &R);
  }
  def->X_BF = (cdn_transform){ R, mass->com };
  for (int i = 0; i < 3; i++) {
    const double square = moment[(i + 1) % 3] + moment[(i + 2) % 3] - moment[i];
    def->half[i] = 0.5 * sqrt(6 * fmax(square, 0) / mass->mass);
  }
  return CDN_OK;
}

cdn_status cdn_fluid_set_medium(cdn_state *state, cdn_force force, double density, double viscosity, cdn_vec3 wind) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  double p[FLUID_ELLIPSOID_PARAMS] = { 0 };
  const double *ellipsoid = cdni_force_params(state, force, FORCE_FLUID_ELLIPSOID);
  const double *box = ellipsoid ? NULL : cdni_force_params(state, force, FORCE_FLUID_BOX);
  if (ellipsoid) memcpy(p, ellipsoid, sizeof p);
  if (box) memcpy(p, box, FLUID_BOX_PARAMS * sizeof *p);
  put_medium(p, density, viscosity, wind);
  return cdni_force_set(state, force, ellipsoid ? FORCE_FLUID_ELLIPSOID : FORCE_FLUID_BOX, __func__, p);
}
