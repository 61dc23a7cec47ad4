/* The MJCF reader on its own: mass properties, orientations, and the compiler settings that choose them. Dynamics
 * against MuJoCo itself: peers/. */
#include "mjcf_reading.h"

/* ---- mass from geoms ---- */

/* The solid between z = lo and z = hi of density 1 whose slices are ellipses or rectangles of half axes that `half`
 * gives: added up by three-point Gauss quadrature, which is exact here (polynomials of degree 4). */
typedef void half_axes(const double *size, double z, double *a, double *b);

static void add_slices(half_axes *half, bool box, const double *size, double lo, double hi, double sum[4]) {
  const double x[3] = { -sqrt(0.6), 0, sqrt(0.6) }, w[3] = { 5 / 9., 8 / 9., 5 / 9. };
  for (int i = 0; i < 3; i++) {
    const double z = (lo + hi) / 2 + (hi - lo) / 2 * x[i], dz = (hi - lo) / 2 * w[i];
    double a, b;
    half(size, z, &a, &b);
    const double area = box ? 4 * a * b : PI * a * b;
    const double xx = box ? area * a * a / 3 : area * a * a / 4, yy = box ? area * b * b / 3 : area * b * b / 4;
    sum[0] += area * dz;
    sum[1] += (yy + area * z * z) * dz;
    sum[2] += (xx + area * z * z) * dz;
    sum[3] += (xx + yy) * dz;
  }
}

static void ellipsoid_slice(const double *s, double z, double *a, double *b) {
  const double k = sqrt(1 - z * z / (s[2] * s[2]));
  *a = k * s[0];
  *b = k * s[1];
}
static void straight_slice(const double *s, double z, double *a, double *b) { (void)z, *a = s[0], *b = s[1]; }
static void capsule_slice(const double *s, double z, double *a, double *b) {
  const double beyond = fmax(fabs(z) - s[2], 0);
  *a = *b = sqrt(s[0] * s[0] - beyond * beyond);
}

static void check_body(const char *name, double mass, const double sum[4], double density) {
  const cdn_mass_properties *m = &body_named(name)->mass;
  NEAR(m->mass, mass, TINY * mass);
  near_inertia(m->inertia, (cdn_inertia){ density * sum[1], density * sum[2], density * sum[3], 0, 0, 0 },
               TINY * density * (sum[1] + sum[2] + sum[3]));
  near_vec3(m->com, cdn_v3(0, 0, 0), 0);
}

START_TEST(test_primitive_masses) {
  read_text("<worldbody>"
            "<body name='sphere'><geom size='0.3'/></body>"
            "<body name='capsule'><geom type='capsule' size='0.1 0.25' density='800'/></body>"
            "<body name='ellipsoid'><geom type='ellipsoid' size='0.1 0.2 0.3' mass='7'/></body>"
            "<body name='cylinder'><geom type='cylinder' size='0.1 0.25'/></body>"
            "<body name='box'><geom type='box' size='0.1 0.2 0.3' density='50'/></body>"
            "</worldbody>");
  const double ball[] = { 0.3, 0.3, 0.3 }, half[] = { 0.1, 0.2, 0.3 }, rod[] = { 0.1, 0.1, 0.25 };
  double sphere[4] = { 0 }, capsule[4] = { 0 }, ellipsoid[4] = { 0 }, cylinder[4] = { 0 }, box[4] = { 0 };
  add_slices(ellipsoid_slice, false, ball, -0.3, 0.3, sphere);
  add_slices(capsule_slice, false, rod, -0.35, -0.25, capsule);
  add_slices(capsule_slice, false, rod, -0.25, 0.25, capsule);
  add_slices(capsule_slice, false, rod, 0.25, 0.35, capsule);
  add_slices(ellipsoid_slice, false, half, -0.3, 0.3, ellipsoid);
  add_slices(straight_slice, false, rod, -0.25, 0.25, cylinder);
  add_slices(straight_slice, true, half, -0.3, 0.3, box);
  check_body("sphere", 1000 * sphere[0], sphere, 1000);
  check_body("capsule", 800 * capsule[0], capsule, 800);
  check_body("ellipsoid", 7, ellipsoid, 7 / ellipsoid[0]);
  check_body("cylinder", 1000 * cylinder[0], cylinder, 1000);
  check_body("box", 50 * box[0], box, 50);
  NEAR(4 * PI / 3 * 0.027, sphere[0], TINY);
  done();
}
END_TEST

START_TEST(test_fromto_is_size_and_pose) {
  /* From (1,2,2) to (-1,0,1): centre (0,1,1.5), length 3, direction (2,2,1)/3. */
  static const char *const types[] = { "capsule", "cylinder", "ellipsoid", "box" };
  for (int i = 0; i < 4; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "<worldbody><body name='a'><geom type='%s' size='0.2' fromto='1 2 2  -1 0 1'/></body>"
             "<body name='b'><geom type='%s' size='%s' pos='0 1 1.5' zaxis='2 2 1'/></body></worldbody>",
             types[i], types[i], i < 2 ? "0.2 1.5" : "0.2 0.2 1.5");
    read_text(text);
    const cdn_mass_properties a = body_named("a")->mass, b = body_named("b")->mass;
    NEAR(a.mass, b.mass, TINY * b.mass);
    near_vec3(a.com, b.com, TINY);
    near_inertia(a.inertia, b.inertia, TINY * b.inertia.zz);
    done();
  }
}
END_TEST

START_TEST(test_geoms_add_up) {
  /* Two balls of 1 kg and 3 kg on a line: centre of mass at 3/4, parallel axes by hand. */
  read_text("<worldbody><body name='a'>"
            "<geom size='0.1' mass='1' pos='0 0 1'/><geom size='0.2' mass='3' pos='0 0 2' euler='10 20 30'/>"
            "<geom size='0.5' mass='0'/><geom size='0.5' density='0'/><geom type='plane' size='1 1 1'/>"
            "</body><body name='empty'/></worldbody>");
  const cdn_mass_properties m = body_named("a")->mass;
  const double own = 0.4 * (1 * 0.01 + 3 * 0.04), apart = 1 * 0.75 * 0.75 + 3 * 0.25 * 0.25;
  NEAR(m.mass, 4, 0);
  near_vec3(m.com, cdn_v3(0, 0, 1.75), TINY);
  near_inertia(m.inertia, (cdn_inertia){ own + apart, own + apart, own, 0, 0, 0 }, TINY);
  NEAR(body_named("empty")->mass.mass, 0, 0);
  done();
}
END_TEST

/* ---- orientations ---- */

/* The orientation of a body that is written with these attributes. */
static cdn_rotation oriented(const char *compiler, const char *attributes) {
  char text[600];
  snprintf(text, sizeof text, "<compiler %s/><worldbody><body name='b' %s/></worldbody>", compiler, attributes);
  read_text(text);
  const cdn_rotation R = pose_in_parent("b", NULL).R;
  done();
  return R;
}

START_TEST(test_orientation_forms) {
  const double angle = 1.1, degrees = angle * 180 / PI;
  const cdn_rotation R = about(1, -2, 0.5, angle);
  const cdn_quaternion q = cdn_quaternion_from_rotation(R);
  char text[300];
  /* Digits that bring back the same number; a quaternion of any length. */
  snprintf(text, sizeof text, "quat='%.17g %.17g %.17g %.17g'", -3 * q.w, -3 * q.x, -3 * q.y, -3 * q.z);
  near_rotation(oriented("", text), R, TINY);
  snprintf(text, sizeof text, "axisangle='1 -2 0.5 %.17g'", degrees);
  near_rotation(oriented("", text), R, TINY);
  snprintf(text, sizeof text, "axisangle='2 -4 1 %.17g'", angle);
  near_rotation(oriented("angle='radian'", text), R, TINY);
  /* y is given with a part along x that must not matter. */
  const cdn_vec3 y = cdn_add(cdn_scale(2, R.y), cdn_scale(5, R.x));
  snprintf(text, sizeof text, "xyaxes='%.17g %.17g %.17g %.17g %.17g %.17g'", 3 * R.x.x, 3 * R.x.y, 3 * R.x.z, y.x, y.y,
           y.z);
  near_rotation(oriented("", text), R, 2 * TINY);
  /* The shortest rotation of z to R.z has its axis perpendicular to both. */
  snprintf(text, sizeof text, "zaxis='%.17g %.17g %.17g'", 2 * R.z.x, 2 * R.z.y, 2 * R.z.z);
  near_rotation(oriented("", text), about(-R.z.y, R.z.x, 0, acos(R.z.z)), TINY);
  near_rotation(oriented("", "zaxis='0 0 -2'"), about(1, 0, 0, PI), TINY);
  near_rotation(oriented("", "zaxis='0 0 2'"), cdn_rotation_identity(), 0);
}
END_TEST

START_TEST(test_euler_sequences) {
  static const char *const sequences[] = { "xyz", "XYZ", "zyx", "zxz", "XyZ", "yXz" };
  const double angles[3] = { 0.4, -0.9, 1.3 };
  for (int i = 0; i < CDNI_COUNT(sequences); i++) {
    /* A moved axis turns after all that came before, seen from the body; a fixed one seen from outside. */
    cdn_rotation R = cdn_rotation_identity();
    for (int k = 0; k < 3; k++) {
      const int letter = sequences[i][k], lower = letter | 0x20;
      const cdn_rotation turn = about(lower == 'x', lower == 'y', lower == 'z', angles[k]);
      R = letter == lower ? cdn_rotation_multiply(R, turn) : cdn_rotation_multiply(turn, R);
    }
    char compiler[80];
    snprintf(compiler, sizeof compiler, "angle='radian' eulerseq='%s'", sequences[i]);
    near_rotation(oriented(compiler, "euler='0.4 -0.9 1.3'"), R, TINY);
  }
  near_rotation(oriented("", "euler='90 0 0'"), about(1, 0, 0, PI / 2), TINY);
}
END_TEST

START_TEST(test_inertial_forms) {
  /* R diag(1, 2, 2.5) R^T for a quarter turn about z swaps xx and yy; about (1,1,1) by a third it permutes them. */
  read_text("<worldbody>"
            "<body name='plain'><inertial pos='1 2 3' mass='4' diaginertia='1 2 2.5'/></body>"
            "<body name='turned'><inertial mass='4' diaginertia='1 2 2.5' euler='0 0 90'/></body>"
            "<body name='permuted'><inertial mass='4' diaginertia='1 2 2.5' axisangle='1 1 1 120'/></body>"
            "<body name='full'><inertial pos='0 0 1' mass='4' fullinertia='1 2 2.5 0.1 -0.2 0.3'/></body>"
            "<body name='particle'><inertial pos='0 0 1' mass='4'/></body>"
            "</worldbody>");
  near_inertia(body_named("plain")->mass.inertia, (cdn_inertia){ 1, 2, 2.5, 0, 0, 0 }, 0);
  near_vec3(body_named("plain")->mass.com, cdn_v3(1, 2, 3), 0);
  near_vec3(body_named("turned")->mass.com, cdn_v3(0, 0, 0), 0);
  near_inertia(body_named("turned")->mass.inertia, (cdn_inertia){ 2, 1, 2.5, 0, 0, 0 }, TINY);
  near_inertia(body_named("permuted")->mass.inertia, (cdn_inertia){ 2.5, 1, 2, 0, 0, 0 }, TINY);
  near_inertia(body_named("full")->mass.inertia, (cdn_inertia){ 1, 2, 2.5, 0.1, -0.2, 0.3 }, 0);
  near_inertia(body_named("particle")->mass.inertia, (cdn_inertia){ 0 }, 0);
  done();
}
END_TEST

/* ---- compiler settings ---- */

START_TEST(test_inertia_source_and_groups) {
  static const char *const both = "<worldbody><body name='b'><geom size='0.1' mass='3' group='2'/>"
                                  "<geom size='0.1' mass='5' group='4'/><inertial mass='2' diaginertia='1 1 1'/></body>"
                                  "<body name='g'><geom size='0.1' mass='7'/></body></worldbody>";
  const struct {
    const char *compiler;
    double b, g;
  } cases[] = {
    { "", 2, 7 },
    { "inertiafromgeom='auto'", 2, 7 },
    { "inertiafromgeom='false'", 2, 0 },
    { "inertiafromgeom='true'", 8, 7 },
    { "inertiafromgeom='true' inertiagrouprange='1 3'", 3, 0 },
    { "settotalmass='90'", 20, 70 },
    { "boundmass='6'", 6, 7 },
  };
  for (int i = 0; i < CDNI_COUNT(cases); i++) {
    char text[800];
    snprintf(text, sizeof text, "%s<compiler %s/>", both, cases[i].compiler); /* it counts wherever it stands */
    read_text(text);
    NEAR(body_named("b")->mass.mass, cases[i].b, TINY * cases[i].b);
    NEAR(body_named("g")->mass.mass, cases[i].g, TINY * cases[i].g);
    done();
  }
}
END_TEST

START_TEST(test_inertia_bound_and_balance) {
  static const char *const bodies = "<worldbody><body name='b'><inertial mass='1' diaginertia='0.001 0.3 0.2' "
                                    "euler='0 90 0'/></body></worldbody>";
  char text[600];
  /* Half a turn's half about y exchanges xx and zz. */
  snprintf(text, sizeof text, "<compiler boundinertia='0.15'/>%s", bodies);
  read_text(text);
  near_inertia(body_named("b")->mass.inertia, (cdn_inertia){ 0.2, 0.3, 0.15, 0, 0, 0 }, TINY);
  done();
  snprintf(text, sizeof text, "<compiler balanceinertia='true'/>%s", bodies);
  read_text(text); /* 0.001 + 0.2 < 0.3: all three become their mean */
  near_inertia(body_named("b")->mass.inertia, (cdn_inertia){ 0.167, 0.167, 0.167, 0, 0, 0 }, TINY);
  done();
  read_text(bodies);
  near_inertia(body_named("b")->mass.inertia, (cdn_inertia){ 0.2, 0.3, 0.001, 0, 0, 0 }, TINY);
  done();
}
END_TEST

CHECK_MAIN("io_mjcf", test_primitive_masses, test_fromto_is_size_and_pose, test_geoms_add_up, test_orientation_forms,
           test_euler_sequences, test_inertial_forms, test_inertia_source_and_groups, test_inertia_bound_and_balance)
