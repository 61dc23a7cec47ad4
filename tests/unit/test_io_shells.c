/* Mass on the surface of geoms (shellinertia): area, and moments against sums over small patches of the surface. */
#include "mjcf_reading.h"

#include <math.h>

/* The sum of area, and of area times xx, yy, zz. */
typedef struct patches {
  double area, square[3];
} patches;

static void add(patches *p, double area, double x, double y, double z) {
  p->area += area;
  p->square[0] += area * x * x, p->square[1] += area * y * y, p->square[2] += area * z * z;
}

enum { CUTS = 400 };

/* The ends of a tube: half spheres or disks. */
static void add_ends(patches *p, double r, double h, bool round) {
  for (int i = 0; i < CUTS; i++)
    for (int k = 0; k < CUTS; k++) {
      const double turn = 2 * PI * (k + 0.5) / CUTS, part = (i + 0.5) / CUTS, angle = part * PI / 2;
      const double away = round ? r * sin(angle) : r * part, z = round ? h + r * cos(angle) : h;
      const double area = 2 * PI / CUTS * (round ? away * r * PI / 2 / CUTS : away * r / CUTS);
      for (int side = -1; side <= 1; side += 2) add(p, area, away * cos(turn), away * sin(turn), side * z);
    }
}

static void add_wall(patches *p, double r, double h) {
  for (int i = 0; i < CUTS; i++)
    for (int k = 0; k < CUTS; k++) {
      const double turn = 2 * PI * (k + 0.5) / CUTS, z = h * (2 * (i + 0.5) / CUTS - 1);
      add(p, 2 * PI * r / CUTS * 2 * h / CUTS, r * cos(turn), r * sin(turn), z);
    }
}

static void add_faces(patches *p, const double *a) {
  for (int face = 0; face < 3; face++)
    for (int i = 0; i < CUTS; i++)
      for (int k = 0; k < CUTS; k++) {
        const int s = (face + 1) % 3, t = (face + 2) % 3;
        double x[3];
        x[face] = a[face], x[s] = a[s] * (2 * (i + 0.5) / CUTS - 1), x[t] = a[t] * (2 * (k + 0.5) / CUTS - 1);
        add(p, 8 * a[s] * a[t] / CUTS / CUTS, x[0], x[1], x[2]);
      }
}

static cdn_mass_properties mass_of(const char *geom) {
  char text[400];
  cdn_spec_body body;
  snprintf(text, sizeof text,
           "<worldbody><body name='b'><geom %s contype='0' conaffinity='0' shellinertia='true'/></body></worldbody>",
           geom);
  read_text(text);
  ck_assert_int_eq((int)spec->log.notes.count, 0);
  OK(cdn_spec_get_body(spec, cdn_spec_find(spec, CDN_SPEC_BODY, "b"), &body));
  cdn_spec_destroy(spec);
  return body.mass;
}

static void compare(const char *geom, const patches *p) {
  const cdn_mass_properties m = mass_of(geom); /* 2 kg a square metre */
  const double *s = p->square, tolerance = 2e-5 * m.mass;
  NEAR(m.mass, 2 * p->area, tolerance);
  NEAR(m.inertia.xx, 2 * (s[1] + s[2]), tolerance);
  NEAR(m.inertia.yy, 2 * (s[0] + s[2]), tolerance);
  NEAR(m.inertia.zz, 2 * (s[0] + s[1]), tolerance);
}

START_TEST(moments_are_those_of_the_surface) {
  patches sphere = { 0 }, capsule = { 0 }, cylinder = { 0 }, box = { 0 };
  add_ends(&sphere, 0.3, 0, true);
  compare("type='sphere' size='.3' density='2'", &sphere);
  add_ends(&capsule, 0.3, 0.5, true);
  add_wall(&capsule, 0.3, 0.5);
  compare("type='capsule' size='.3 .5' density='2'", &capsule);
  add_ends(&cylinder, 0.3, 0.5, false);
  add_wall(&cylinder, 0.3, 0.5);
  compare("type='cylinder' size='.3 .5' density='2'", &cylinder);
  add_faces(&box, (double[]){ 0.3, 0.5, 0.8 });
  compare("type='box' size='.3 .5 .8' density='2'", &box);
}
END_TEST

/* MuJoCo's shell of an ellipsoid lies between two ellipsoids; its area is an approximation, exact for a sphere. */
START_TEST(ellipsoids_are_layers) {
  const double a[] = { 0.3, 0.5, 0.8 }, e = 1e-5;
  const cdn_mass_properties m = mass_of("type='ellipsoid' size='.3 .5 .8' mass='2'");
  double volume[2], I[2][3];
  for (int k = 0; k < 2; k++) {
    const double x = a[0] + k * e, y = a[1] + k * e, z = a[2] + k * e, v = volume[k] = x * y * z;
    I[k][0] = v * (y * y + z * z) / 5, I[k][1] = v * (x * x + z * z) / 5, I[k][2] = v * (x * x + y * y) / 5;
  }
  const double of_mass = 2 / (volume[1] - volume[0]), own[] = { m.inertia.xx, m.inertia.yy, m.inertia.zz };
  for (int i = 0; i < 3; i++) NEAR(own[i], of_mass * (I[1][i] - I[0][i]), 1e-4);

  const cdn_mass_properties round = mass_of("type='ellipsoid' size='.3 .3 .3' density='2'");
  NEAR(round.mass, 2 * 4 * PI * 0.09, 1e-12);
  NEAR(round.inertia.zz, round.mass * 0.09 * 2 / 3, 1e-12);
  /* An ellipsoid of revolution has an area in closed form; the approximation is good to 1.061 %. */
  const double r = 0.3, h = 0.8, k = sqrt(1 - r * r / h / h);
  const double area = 2 * PI * r * r * (1 + h / (r * k) * asin(k));
  NEAR(mass_of("type='ellipsoid' size='.3 .3 .8' density='2'").mass, 2 * area, 0.01061 * 2 * area);
}
END_TEST

CHECK_MAIN("io_shells", moments_are_those_of_the_surface, ellipsoids_are_layers)
