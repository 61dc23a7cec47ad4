/* Laws of contact of the user's: they act in place of the library's and where it has none, in either order of the
 * kinds, and what they do wrong is told by name. */
#include "../testing.h"

typedef struct own {
  int mistake;
  double k;
} own;

/* Hertz's law of a half-space a and a sphere b, as the library has it; and mistakes. */
static cdn_status hertz(const void *self, const cdn_law_input *in, cdn_law_output *out) {
  const own *o = self;
  ck_assert(in->geometry_a->kind == CDN_GEOMETRY_HALF_SPACE && in->geometry_b->kind == CDN_GEOMETRY_SPHERE);
  const cdn_vec3 up = in->X_GA.R.z;
  const double R = in->geometry_b->size[0], x = R - cdn_dot(up, cdn_sub(in->X_GB.p, in->X_GA.p));
  if (x <= 0) return CDN_OK;
  const double E_a = pow(in->material_a->modulus, 2.0 / 3), E_b = pow(in->material_b->modulus, 2.0 / 3);
  cdn_law_contact c = cdn_default_law_contact();
  c.normal = up, c.depth = x;
  c.point = cdn_sub(in->X_GB.p, cdn_scale(R - E_a / (E_a + E_b) * x, up));
  c.elastic = 4.0 / 3 * in->combined->modulus * sqrt(R) * pow(x, 1.5), c.energy = 0.4 * x * c.elastic;
  c.damping = 1.5 * in->combined->dissipation;
  switch (o->mistake) {
    case 1: c.normal = cdn_scale(2, up); break;
    case 2: c.elastic = NAN; break;
    case 3: c.depth = -1; break;
    case 4: c.static_friction = -2; break;
    case 5: c.feature = -1; break;
    case 6: return CDN_ERR_SINGULAR;
    case 7: c.energy = INFINITY; break;
    default: break;
  }
  cdn_status status = cdn_law_add(out, &c);
  if (o->mistake == 8 && !status) status = cdn_law_add(out, &c); /* the same feature */
  return status;
}

typedef struct scene {
  cdn_system *system;
  cdn_state *state;
} scene;

static scene make_scene(const cdn_contact_law_def *law, bool ball_first) {
  scene s = { .system = cdn_system_create(NULL) };
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  body.q0 = (double[]){ 1, 0, 0, 0, 0.1, 0.2, 0.099 };
  cdn_contact_material soft = cdn_default_contact_material();
  soft.modulus = 2e5, soft.torsional_friction = 0.01;
  cdn_shape_def floor = cdn_default_shape_def(), ball = floor;
  floor.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  ball.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.1 } }, ball.material = &soft;
  ball.body = cdn_system_add_body(s.system, &body);
  cdn_system_add_shape(s.system, ball_first ? &ball : &floor);
  cdn_system_add_shape(s.system, ball_first ? &floor : &ball);
  if (law) cdn_system_add_contact_law(s.system, law);
  OK_FREEZE(s.system);
  OK(cdn_state_create(s.system, &s.state));
  OK(cdn_state_set_u(s.state, (double[]){ 0.1, 0.2, 3, 0.5, -0.3, -0.7 }));
  return s;
}

static void end(scene *s) {
  cdn_state_destroy(s->state);
  cdn_system_release(s->system);
}

static cdn_contact_law_def law_of(const own *o) {
  cdn_contact_law_def def = cdn_default_contact_law_def();
  def.name = "mine", def.a = CDN_GEOMETRY_HALF_SPACE, def.b = CDN_GEOMETRY_SPHERE;
  def.find = hertz, def.self = o, def.self_size = sizeof *o;
  return def;
}

START_TEST(a_law_takes_the_place_of_the_librarys) {
  for (int k = 0; k < 2; k++) {
    const own o = { 0, 0 };
    const cdn_contact_law_def def = law_of(&o);
    scene theirs = make_scene(NULL, k), mine = make_scene(&def, k);
    cdn_contact a, b;
    int n;
    OK_ON(mine.state, cdn_contact_count(mine.state, &n));
    ck_assert_int_eq(n, 1);
    OK_ON(theirs.state, cdn_contact_get(theirs.state, 0, &a));
    OK_ON(mine.state, cdn_contact_get(mine.state, 0, &b));
    NEAR(b.force, a.force, 1e-13 * a.force);
    NEAR(b.elastic, a.elastic, 1e-13 * a.elastic);
    NEAR(b.depth, a.depth, 1e-16);
    NEAR(cdn_norm(cdn_sub(b.point, a.point)), 0, 1e-15);
    NEAR(cdn_norm(cdn_sub(b.normal, a.normal)), 0, 1e-15);
    NEAR(cdn_norm(cdn_sub(b.friction, a.friction)), 0, 1e-13 * a.force);
    NEAR(cdn_norm(cdn_sub(b.moment, a.moment)), 0, 1e-13 * a.force);
    const double *udot = cdn_state_udot(theirs.state), *own_udot = cdn_state_udot(mine.state);
    for (int i = 0; i < 6; i++) NEAR(own_udot[i], udot[i], 1e-12 * a.force);
    end(&theirs), end(&mine);
  }
}
END_TEST

static double no_number(const double *numbers, double depth, double rate) {
  (void)numbers, (void)depth, (void)rate;
  return NAN;
}

START_TEST(mistakes_are_told_by_name) {
  for (int k = 1; k <= 9; k++) {
    const own o = { k, 0 };
    cdn_contact_law_def def = law_of(&o);
    if (k == 9) def.pressure = no_number;
    scene s = make_scene(&def, false);
    int n;
    FAILS(cdn_contact_count(s.state, &n), k == 6 ? CDN_ERR_SINGULAR : CDN_ERR_ARG);
    ck_assert_msg(strstr(cdn_last_error_text(), "'mine'") && strstr(cdn_last_error_text(), "'shape1'"), "%s",
                  cdn_last_error_text());
    end(&s);
  }
}
END_TEST

/* Two half-spaces have no law of the library's, and no distance. */
static cdn_status facing(const void *self, const cdn_law_input *in, cdn_law_output *out) {
  const double x = cdn_dot(in->X_GA.R.z, cdn_sub(in->X_GA.p, in->X_GB.p)), k = ((const own *)self)->k;
  if (x <= 0) return CDN_OK;
  for (int i = 0; i < 2; i++) {
    cdn_law_contact c = cdn_default_law_contact();
    c.feature = 3 + i, c.normal = in->X_GA.R.z, c.point = cdn_v3(i, 0, 0), c.depth = x, c.elastic = k * x;
    c.static_friction = c.dynamic_friction = 0;
    CDN_TRY(cdn_law_add(out, &c));
  }
  return CDN_OK;
}

START_TEST(a_law_where_the_library_has_none) {
  const own o = { 0, 100 };
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_TRANSLATION, body.mass.mass = 1, body.q0 = (double[]){ 0, 0, -0.25 };
  cdn_shape_def plane = cdn_default_shape_def();
  plane.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &plane);
  plane.body = cdn_system_add_body(system, &body);
  plane.X_BS.R = (cdn_rotation){ { 1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 } };
  cdn_system_add_shape(system, &plane);
  cdn_contact_law_def def = cdn_default_contact_law_def();
  def.a = def.b = CDN_GEOMETRY_HALF_SPACE, def.find = facing, def.self = &o;
  cdn_system_add_contact_law(system, &def);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  int n;
  cdn_contact c;
  OK_ON(state, cdn_contact_count(state, &n));
  ck_assert_int_eq(n, 2);
  OK_ON(state, cdn_contact_get(state, 1, &c));
  ck_assert_int_eq(c.feature, 4);
  ck_assert_double_eq(c.force, 25);
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  ck_assert_double_eq_tol(cdn_state_udot(state)[2], 50, 1e-12);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

START_TEST(wrong_laws) {
  for (int k = 0; k < 5; k++) {
    const own o = { 0, 0 };
    cdn_system *system = cdn_system_create(NULL);
    cdn_contact_law_def def = law_of(&o), again = def;
    if (k == 0) def.find = NULL;
    if (k == 1) def.a = (cdn_geometry_kind)77;
    if (k == 2) def.self = NULL;
    cdn_system_add_contact_law(system, k == 3 ? NULL : &def);
    again.a = CDN_GEOMETRY_SPHERE, again.b = CDN_GEOMETRY_HALF_SPACE, again.name = "again";
    if (k == 4) cdn_system_add_contact_law(system, &again);
    FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
    cdn_system_release(system);
  }
}
END_TEST

/* ---- a law that says its pressure once ---- */

/* Copies of the library's laws, by their formulas: Hertz's force, and a spring's. */
static double hertz_pressure(const double *p, double x, double v) { return p[0] * pow(x, 1.5) * (1 + p[1] * v); }
static void hertz_slopes(const double *p, double x, double v, double slope[2]) {
  slope[0] = 1.5 * p[0] * sqrt(x) * (1 + p[1] * v), slope[1] = p[0] * pow(x, 1.5) * p[1];
}
static double hertz_potential(const double *p, double x) { return 0.4 * p[0] * pow(x, 2.5); }
static void hertz_bends(const double *p, cdn_law_bends *out) { out->depth = 0, out->rate = -1 / p[1]; }
static double spring_pressure(const double *p, double x, double v) { return p[0] * x * (1 + p[1] * v); }

typedef struct own_pressure {
  double k;  /* of a spring; 0: Hertz's */
  bool told; /* by force, energy and damping at the depth alone */
} own_pressure;

static cdn_status touch_ball(const void *self, const cdn_law_input *in, cdn_law_output *out) {
  const own_pressure *o = self;
  const cdn_vec3 up = in->X_GA.R.z;
  const double R = in->geometry_b->size[0], x = R - cdn_dot(up, cdn_sub(in->X_GB.p, in->X_GA.p));
  if (x <= 0) return CDN_OK;
  const double E_a = pow(in->material_a->modulus, 2.0 / 3), E_b = pow(in->material_b->modulus, 2.0 / 3);
  cdn_law_contact c = cdn_default_law_contact();
  c.normal = up, c.depth = x;
  c.point = cdn_sub(in->X_GB.p, cdn_scale(R - E_a / (E_a + E_b) * x, up));
  c.numbers[0] = o->k > 0 ? o->k : 4.0 / 3 * in->combined->modulus * sqrt(R);
  c.numbers[1] = 1.5 * in->combined->dissipation;
  if (o->told) c.elastic = o->k * x, c.energy = 0.5 * o->k * x * x, c.damping = c.numbers[1];
  return cdn_law_add(out, &c);
}

static cdn_contact_law_def pressure_def(const own_pressure *o) {
  cdn_contact_law_def def = cdn_default_contact_law_def();
  def.name = "copy", def.a = CDN_GEOMETRY_HALF_SPACE, def.b = CDN_GEOMETRY_SPHERE, def.find = touch_ball;
  def.self = o, def.self_size = sizeof *o;
  if (o->told) return def;
  def.pressure = o->k > 0 ? spring_pressure : hertz_pressure;
  if (o->k == 0) def.slopes = hertz_slopes, def.potential = hertz_potential, def.bends = hertz_bends;
  return def;
}

/* The ball of make_scene slides and bounces for 0.4 s. */
static void run(const cdn_contact_law_def *law, int method, double accuracy, double q[7], int64_t *steps) {
  scene s = make_scene(law, false);
  cdn_stepper *stepper;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = (cdn_method)method, def.accuracy = accuracy;
  OK_ON(s.state, cdn_stepper_create(s.state, &def, &stepper));
  OK(cdn_stepper_advance(stepper, 0.4, NULL));
  memcpy(q, cdn_state_q(cdn_stepper_state(stepper)), 7 * sizeof *q);
  cdn_certificate certificate;
  OK(cdn_stepper_certificate(stepper, &certificate));
  *steps = certificate.steps;
  cdn_stepper_destroy(stepper);
  end(&s);
}

static const int methods[] = { CDN_METHOD_ADAMS, CDN_METHOD_DORMAND_PRINCE, CDN_METHOD_IMPLICIT_CONTACT };

/* Also the row of an implicit step: a spring in place of the law would make other steps. */
START_TEST(a_copy_moves_as_the_librarys_law) {
  const own_pressure o = { 0, false };
  const cdn_contact_law_def copy = pressure_def(&o);
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    double q[7], same[7];
    int64_t n, n_same;
    run(NULL, methods[m], 1e-5, q, &n);
    run(&copy, methods[m], 1e-5, same, &n_same);
    ck_assert_int_eq(n, n_same);
    for (int i = 0; i < 7; i++) NEAR(same[i], q[i], 1e-9);
  }
}
END_TEST

/* A spring that is told point by point, and one that says its pressure, without slopes. */
START_TEST(a_spring_is_a_spring) {
  const own_pressure o[2] = { { 2000, true }, { 2000, false } };
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    double q[2][7];
    for (int k = 0; k < 2; k++) {
      int64_t n;
      const cdn_contact_law_def def = pressure_def(&o[k]);
      run(&def, methods[m], 1e-7, q[k], &n);
    }
    for (int i = 0; i < 7; i++) NEAR(q[1][i], q[0][i], methods[m] == CDN_METHOD_IMPLICIT_CONTACT ? 1e-4 : 1e-6);
  }
}
END_TEST

/* Those of the library are exact; of a copy differences of the law tell how a touch varies with the pose. */
START_TEST(derivatives_of_a_copy) {
  const own_pressure o = { 0, false };
  for (int lacking = 0; lacking < 3; lacking++) {
    cdn_contact_law_def copy = pressure_def(&o);
    if (lacking >= 1) copy.slopes = NULL;
    if (lacking >= 2) copy.potential = NULL; /* the whole force is in the other one */
    scene theirs = make_scene(NULL, false), mine = make_scene(&copy, false);
    double dq[2][36], du[2][36], most[2] = { 0, 0 };
    OK_ON(theirs.state, cdn_forward_dynamics_derivatives(theirs.state, dq[0], du[0], NULL, NULL));
    OK_ON(mine.state, cdn_forward_dynamics_derivatives(mine.state, dq[1], du[1], NULL, NULL));
    for (int i = 0; i < 36; i++) most[0] = fmax(most[0], fabs(dq[0][i])), most[1] = fmax(most[1], fabs(du[0][i]));
    for (int i = 0; i < 36; i++) {
      NEAR(dq[1][i], dq[0][i], 1e-7 * most[0]);
      NEAR(du[1][i], du[0][i], 1e-7 * most[1]);
    }
    double energy[2];
    OK_ON(theirs.state, cdn_potential_energy(theirs.state, &energy[0]));
    OK_ON(mine.state, cdn_potential_energy(mine.state, &energy[1]));
    NEAR(energy[1], lacking < 2 ? energy[0] : 0, 1e-13 * energy[0]);
    end(&theirs), end(&mine);
  }
}
END_TEST

/* ---- what a law lacks ---- */

START_TEST(a_law_tells_what_it_lacks) {
  const own_pressure o = { 0, false }, told = { 2000, true };
  cdn_contact_law_def poor = pressure_def(&told), rich = pressure_def(&o);
  scene s = make_scene(&poor, false), t = make_scene(&rich, false);
  cdn_contact_law_info info;
  OK(cdn_system_contact_law(s.system, CDN_GEOMETRY_SPHERE, CDN_GEOMETRY_HALF_SPACE, &info));
  ck_assert(info.own && strcmp(info.name, "copy") == 0);
  ck_assert(!(info.parts & (CDN_LAW_PRESSURE | CDN_LAW_POTENTIAL | CDN_LAW_DERIVATIVES)));
  ck_assert(strstr(info.lacks, "a pressure by depth and rate (implicit steps take a spring") != NULL);
  OK(cdn_system_contact_law(t.system, CDN_GEOMETRY_HALF_SPACE, CDN_GEOMETRY_SPHERE, &info));
  ck_assert_uint_eq(info.parts, (1u << CDN_LAW_PARTS) - 1 - CDN_LAW_DERIVATIVES);
  ck_assert_str_eq(info.lacks, "derivatives in closed form (they are differences)");
  OK(cdn_system_contact_law(t.system, CDN_GEOMETRY_SPHERE, CDN_GEOMETRY_SPHERE, &info));
  ck_assert(!info.own && info.parts == (1u << CDN_LAW_PARTS) - 1 && info.lacks[0] == 0);
  OK(cdn_system_contact_law(t.system, CDN_GEOMETRY_BOX, CDN_GEOMETRY_BOX, &info));
  ck_assert(!(info.parts & CDN_LAW_DERIVATIVES) && (info.parts & CDN_LAW_POTENTIAL));
  FAILS(cdn_system_contact_law(t.system, CDN_GEOMETRY_HALF_SPACE, CDN_GEOMETRY_HALF_SPACE, &info), CDN_ERR_UNSUPPORTED);
  FAILS(cdn_system_contact_law(t.system, (cdn_geometry_kind)-1, CDN_GEOMETRY_SPHERE, &info), CDN_ERR_ARG);
  end(&s), end(&t);
}
END_TEST

static cdn_status freeze_with(unsigned needs, const cdn_contact_law_def *law, const char *names) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_def def = cdn_default_contact_def();
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  def.needs = needs;
  cdn_system_set_contact(system, &def);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE, shape.name = "floor";
  cdn_system_add_shape(system, &shape);
  shape.body = cdn_system_add_body(system, &body), shape.name = "ball";
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.1 } };
  cdn_system_add_shape(system, &shape);
  if (law) cdn_system_add_contact_law(system, law);
  const cdn_status status = cdn_system_freeze(system);
  if (status) ck_assert_msg(strstr(cdn_last_error_text(), names) != NULL, "%s", cdn_last_error_text());
  cdn_system_release(system);
  return status;
}

START_TEST(freezing_refuses_what_lacks_what_is_needed) {
  const own_pressure told = { 2000, true }, o = { 0, false };
  const cdn_contact_law_def poor = pressure_def(&told), rich = pressure_def(&o);
  cdn_contact_law_def odd = rich;
  odd.pressure = NULL;
  ck_assert_int_eq(freeze_with(0, &poor, ""), CDN_OK);
  ck_assert_int_eq(freeze_with((1u << CDN_LAW_PARTS) - 1, NULL, ""), CDN_OK);
  ck_assert_int_eq(freeze_with(CDN_LAW_PRESSURE | CDN_LAW_POTENTIAL | CDN_LAW_SLOPES, &rich, ""), CDN_OK);
  ck_assert_int_eq(freeze_with(CDN_LAW_PRESSURE, &poor, "'ball' (a sphere) may touch by the law 'copy', which lacks"),
                   CDN_ERR_UNSUPPORTED);
  ck_assert_int_eq(freeze_with(CDN_LAW_POTENTIAL, &poor, "a potential"), CDN_ERR_UNSUPPORTED);
  ck_assert_int_eq(freeze_with(1u << CDN_LAW_PARTS, NULL, "cdn_law_part"), CDN_ERR_ARG);
  ck_assert_int_eq(freeze_with(0, &odd, "it has slopes, but no function `pressure`"), CDN_ERR_ARG);
}
END_TEST

CHECK_MAIN("contact_laws", a_law_takes_the_place_of_the_librarys, mistakes_are_told_by_name,
           a_law_where_the_library_has_none, wrong_laws, a_copy_moves_as_the_librarys_law, a_spring_is_a_spring,
           derivatives_of_a_copy, a_law_tells_what_it_lacks, freezing_refuses_what_lacks_what_is_needed)
