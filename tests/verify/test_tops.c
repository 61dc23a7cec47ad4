/* Rigid bodies that turn: torque-free and heavy tops against Jacobi's functions and 20-digit integrations
 * (reference/closed_form.json and ode_refs.json). */
#include "runs.h"
#include "special_functions.h"

static cdn_state *single_body(cdn_mobilizer kind, cdn_mass_properties mass, cdn_vec3 gravity, cdn_body *body) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "top";
  def.mobilizer = kind;
  def.mass = mass;
  *body = cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", gravity);
  return state_of(system);
}

/* Places the body: orientation R_GB, angular velocity w_B in its own axes, and for a free one p and v of its origin. */
static void place(cdn_state *state, cdn_body body, cdn_rotation R_GB, cdn_vec3 w_B, cdn_vec3 p, cdn_vec3 v) {
  bool is_free = cdn_body_mobilizer(cdn_state_system(state), body) == CDN_FREE;
  cdn_quaternion e = cdn_quaternion_from_rotation(R_GB);
  cdn_vec3 w = cdn_rotate(R_GB, w_B);
  double q[7] = { e.w, e.x, e.y, e.z, p.x, p.y, p.z }, u[6] = { w.x, w.y, w.z, v.x, v.y, v.z };
  OK(cdn_body_set_q(state, body, is_free ? 7 : 4, q));
  OK(cdn_body_set_u(state, body, is_free ? 6 : 3, u));
}

static double rotation_distance(cdn_rotation a, cdn_rotation b) {
  return fmax(cdn_norm(cdn_sub(a.x, b.x)), fmax(cdn_norm(cdn_sub(a.y, b.y)), cdn_norm(cdn_sub(a.z, b.z))));
}

/* ---- torque-free ---------------------------------------------------------------------------- */

/* I = diag(1, 2, 3), w0 = (0.6, 0.4, 0.9) in the body: w = (A1 cn, A2 sn, A3 dn)(wp t + u0 | m). */
static cdn_vec3 free_top_w(double t) {
  const double I1 = 1, I2 = 2, I3 = 3, w1 = 0.6, w2 = 0.4, w3 = 0.9;
  double L2 = I1 * I1 * w1 * w1 + I2 * I2 * w2 * w2 + I3 * I3 * w3 * w3,
         T2 = I1 * w1 * w1 + I2 * w2 * w2 + I3 * w3 * w3;
  double A1 = sqrt((T2 * I3 - L2) / (I1 * (I3 - I1))), A2 = sqrt((T2 * I3 - L2) / (I2 * (I3 - I2)));
  double A3 = sqrt((L2 - T2 * I1) / (I3 * (I3 - I1)));
  double wp = sqrt((I3 - I2) * (L2 - I1 * T2) / (I1 * I2 * I3)),
         m = (I2 - I1) * (I3 * T2 - L2) / ((I3 - I2) * (L2 - I1 * T2));
  double u0 = incomplete_F(asin(w2 / A2), m);
  jacobi j = jacobi_functions(wp * t + u0, m);
  return cdn_v3(A1 * j.cn, A2 * j.sn, A3 * j.dn);
}

/* R_GB as a quaternion at whole seconds, from the identity: 20-digit integration. */
static const struct {
  double t;
  cdn_quaternion e;
} free_top_rows[] = {
  { 1, { 0.850148996489644476189, 0.159585929759259128802, 0.266402517144471542718, 0.42521607877597105445 } },
  { 2, { 0.482654057473879693504, 0.0438365575519751680918, 0.376612563281704961637, 0.789484891688483790538 } },
  { 3, { 0.0189555789581167525008, -0.0246907373969091122525, 0.132881657251668274523, 0.990642982450897711661 } },
  { 5, { -0.750039038298721724122, 0.393410850158271911342, -0.12231833762229380973, 0.51740464656494235538 } },
  { 10, { 0.395215192649491551808, -0.0300554764012088039038, -0.0563978752403866393413, -0.9163628645387652565 } },
  { 15, { 0.163375066525903981408, 0.164152896044223047425, 0.378307004069406795306, 0.896240048775985450933 } },
  { 20, { -0.683991250346240124165, 0.0708376203448464711199, 0.013935497750109008146, -0.725908949453113692164 } },
};

/* The mobilizer is what varies: a ball, or a free one whose body also flies along a line. */
static double free_top(double accuracy, const void *what) {
  cdn_mobilizer kind = *(const cdn_mobilizer *)what;
  cdn_body body;
  cdn_vec3 p0 = cdn_v3(0.3, -0.2, 0.1), v0 = kind == CDN_FREE ? cdn_v3(0.5, 0.25, -1) : cdn_v3(0, 0, 0);
  cdn_state *state = single_body(kind, solid(2, cdn_v3(0, 0, 0), 1, 2, 3), cdn_v3(0, 0, 0), &body);
  place(state, body, cdn_rotation_identity(), cdn_v3(0.6, 0.4, 0.9), p0, v0);
  cdn_stepper *stepper = stepper_of(state, accuracy);
  double worst = 0;
  for (size_t i = 0; i < sizeof free_top_rows / sizeof free_top_rows[0]; i++) {
    double t = free_top_rows[i].t;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    cdn_transform X;
    cdn_spatial V;
    OK(cdn_body_pose(cdn_stepper_state(stepper), body, &X));
    OK(cdn_body_velocity(cdn_stepper_state(stepper), body, &V));
    worst = fmax(worst, rotation_distance(X.R, cdn_rotation_from_quaternion(free_top_rows[i].e)));
    worst = fmax(worst, cdn_norm(cdn_sub(cdn_rotate_inv(X.R, V.w), free_top_w(t))));
    if (kind == CDN_FREE) { /* a straight line is integrated without error but rounding */
      AT_MOST(cdn_norm(cdn_sub(X.p, cdn_add(p0, cdn_scale(t, v0)))), 1e-13);
      AT_MOST(cdn_norm(cdn_sub(V.v, v0)), 1e-14);
    }
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return worst;
}

START_TEST(test_free_asymmetric_top) {
  /* the truth itself first: Jacobi's functions against the tabulated angular velocity */
  AT_MOST(cdn_norm(cdn_sub(free_top_w(0), cdn_v3(0.6, 0.4, 0.9))), 4e-15);
  cdn_vec3 at_10 = cdn_v3(-0.7191391757417477293899068, 0.05328082125380270550103617, 0.9286479695569109690554337);
  AT_MOST(cdn_norm(cdn_sub(free_top_w(10), at_10)), 2e-14);
  cdn_mobilizer kinds[] = { CDN_BALL, CDN_FREE };
  /* local errors of alpha a step turn into an angle that grows linearly: some tens of steps in 20 s */
  for (int i = 0; i < 2; i++) check_convergence("free top", free_top, &kinds[i], 120, 1e-11, 1e-12);
}
END_TEST

/* A tumbling box (0.1 x 0.4 x 0.9 m, 10 kg) thrown up: the centre follows a parabola while the box flips about its
 * intermediate axis, which amplifies errors by about 100 each flip. */
static double thrown_box(double accuracy, const void *what) {
  static const struct {
    double t;
    cdn_quaternion e;
    cdn_vec3 w_B;
  } rows[] = {
    { 0.5,
      { 0.314345334268939898796, 0.0788068414237167089239, 0.945329874659906752261, 0.0364406454889399171853 },
      { 0.637305885024702919793, 4.94198628860564722376, 0.729135756330714624105 } },
    { 1.0,
      { -0.713109996528580542562, 0.35235939104587478221, 0.525184190888368745801, -0.302487285738950693723 },
      { 3.42379844155459835468, 2.81918543839796544645, 3.92838444946703322618 } },
    { 2.0,
      { 0.0146282223528099425642, -0.995446416875773904701, -0.0273804675658054622298, 0.0901263348631107963408 },
      { 0.336649760783955605198, -4.98493293518989948012, 0.382181881304556465532 } },
    { 3.0,
      { 0.0116048786054284242779, 0.852341566219002823522, -0.00293994718576976209119, 0.522848484743367482315 },
      { 0.0910555964489955995941, -5.00024879110930899403, -0.0880332207605609041388 } },
  };
  const double m = 10, x = 0.1, y = 0.4, z = 0.9;
  (void)what;
  cdn_body body;
  cdn_vec3 g = cdn_v3(0, 0, -9.81), v0 = cdn_v3(-2, 2, 8);
  cdn_mass_properties box =
      solid(m, cdn_v3(0, 0, 0), m * (y * y + z * z) / 12, m * (x * x + z * z) / 12, m * (x * x + y * y) / 12);
  cdn_state *state = single_body(CDN_FREE, box, g, &body);
  place(state, body, cdn_rotation_identity(), cdn_v3(0.1, 5, 0.1), cdn_v3(0, 0, 0), v0);
  cdn_stepper *stepper = stepper_of(state, accuracy);
  double worst = 0;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    double t = rows[i].t;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    cdn_transform X;
    cdn_spatial V;
    OK(cdn_body_pose(cdn_stepper_state(stepper), body, &X));
    OK(cdn_body_velocity(cdn_stepper_state(stepper), body, &V));
    worst = fmax(worst, rotation_distance(X.R, cdn_rotation_from_quaternion(rows[i].e)));
    worst = fmax(worst, cdn_norm(cdn_sub(cdn_rotate_inv(X.R, V.w), rows[i].w_B)) / 5);
    cdn_vec3 parabola = cdn_add(cdn_scale(t, v0), cdn_scale(t * t / 2, g));
    AT_MOST(cdn_norm(cdn_sub(X.p, parabola)), 1e-13); /* a quadratic is exact for a method of order 5 */
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return worst;
}

START_TEST(test_thrown_box) { check_convergence("thrown box", thrown_box, NULL, 1200, 1e-11, 1e-11); }
END_TEST

/* ---- heavy symmetric ------------------------------------------------------------------------ */

/* I1 = 0.5 about the pivot, I3 = 0.25, m g l = 9.81. */
static const double I1 = 0.5, I3 = 0.25, MGL = 9.81, SPIN = 40, TILT = PI / 3;

static cdn_state *heavy_top(double precession, cdn_body *body) {
  const double m = 10, l = 0.1; /* I1 central = 0.4: a body that can exist */
  cdn_state *state = single_body(CDN_BALL, solid(m, cdn_v3(0, 0, l), I1 - m * l * l, I1 - m * l * l, I3),
                                 cdn_v3(0, 0, -MGL / (m * l)), body);
  /* tilted towards x; w = precession about the vertical, of which the axial part is given by the spin */
  cdn_rotation R = cdn_rotation_axis_angle(cdn_v3(0, 1, 0), TILT);
  cdn_vec3 vertical_B = cdn_rotate_inv(R, cdn_v3(0, 0, precession));
  place(state, *body, R, cdn_v3(vertical_B.x, vertical_B.y, SPIN), cdn_v3(0, 0, 0), cdn_v3(0, 0, 0));
  return state;
}

static cdn_vec3 axis_of(cdn_stepper *stepper, cdn_body body) {
  cdn_transform X;
  OK(cdn_body_pose(cdn_stepper_state(stepper), body, &X));
  return X.R.z;
}

/* Precession at a root of I1 cos(tilt) W^2 - I3 w3 W + m g l = 0 stays steady. */
static double steady(double accuracy, const void *what) {
  double rate = *(const double *)what, worst = 0;
  cdn_body body;
  cdn_state *state = heavy_top(rate, &body);
  cdn_stepper *stepper = stepper_of(state, accuracy);
  for (int i = 1; i <= 8; i++) {
    double t = 0.25 * i;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    cdn_vec3 truth = cdn_v3(sin(TILT) * cos(rate * t), sin(TILT) * sin(rate * t), cos(TILT));
    worst = fmax(worst, cdn_norm(cdn_sub(axis_of(stepper, body), truth)));
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return worst;
}

START_TEST(test_steady_precession) {
  static const double rates[] = { 1.006316839538467230076007, 38.99368316046153276992399 };
  /* the fast one turns twelve times in the two seconds */
  static const double factors[] = { 10, 1100 };
  for (int i = 0; i < 2; i++) check_convergence("steady precession", steady, &rates[i], factors[i], 1e-11, 2e-12);
}
END_TEST

/* Released with the axis at rest: cos(theta) = u1 + (u0 - u1) cd^2(s t / 2 | m), from Lagrange's cubic. */
static double nutation(double accuracy, const void *what) {
  double beta = 2 * MGL / I1, a = I3 * SPIN / I1, u0 = cos(TILT);
  double root = sqrt(a * a * a * a - 4 * beta * (a * a * u0 - beta));
  double u1 = 2 * (a * a * u0 - beta) / (a * a + root), u3 = (a * a + root) / (2 * beta); /* no cancellation in u1 */
  double s = sqrt(beta * (u3 - u1)), m = (u0 - u1) / (u3 - u1), period = 4 * complete_K(m) / s, worst = 0;
  (void)what;
  NEAR(u1, 0.4191335115385214246655248, 2e-16);
  NEAR(period, 0.3286441817517896278030073, 2e-16);
  cdn_body body;
  cdn_state *state = heavy_top(0, &body);
  cdn_stepper *stepper = stepper_of(state, accuracy);
  for (int i = 1; i <= 16; i++) { /* two nutations; every eighth part of one, the limits among them */
    double t = period * i / 8;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    jacobi j = jacobi_functions(0.5 * s * t, m);
    double cd = j.cn / j.dn;
    worst = fmax(worst, fabs(axis_of(stepper, body).z - (u1 + (u0 - u1) * cd * cd)));
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return worst;
}

START_TEST(test_nutation) { check_convergence("nutation", nutation, NULL, 6, 1e-11, 2e-13); }
END_TEST

/* An upright top stays up exactly when it spins faster than sqrt(4 I1 m g l) / I3 = 17.7. */
static double tilt_of_sleeper(double spin) {
  cdn_body body;
  const double m = 10, l = 0.1;
  cdn_state *state = single_body(CDN_BALL, solid(m, cdn_v3(0, 0, l), I1 - m * l * l, I1 - m * l * l, I3),
                                 cdn_v3(0, 0, -MGL / (m * l)), &body);
  place(state, body, cdn_rotation_axis_angle(cdn_v3(1, 0, 0), 1e-5), cdn_v3(0, 0, spin), cdn_v3(0, 0, 0),
        cdn_v3(0, 0, 0));
  cdn_stepper *stepper = stepper_of(state, 1e-8);
  double most = 0;
  for (int i = 1; i <= 40; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.25 * i, NULL));
    cdn_vec3 axis = axis_of(stepper, body);
    most = fmax(most, hypot(axis.x, axis.y));
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return most;
}

START_TEST(test_sleeping_top) {
  AT_MOST(tilt_of_sleeper(18.2), 1e-4);
  ck_assert_double_gt(tilt_of_sleeper(17.2), 0.1);
}
END_TEST

CHECK_MAIN("tops", test_free_asymmetric_top, test_thrown_box, test_steady_precession, test_nutation, test_sleeping_top)
