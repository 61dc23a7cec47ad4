/* Derivatives of forward dynamics while contacts push and friction sticks or slips, against differences of what
 * cdn_realize computes: with directions of slip that turn, coefficients that grow with speed, pushes and reactions that
 * follow friction, and soft rows beside it. And rigid rows beside soft ones in one evaluation. */
#include "differences.h"

/* Of the largest element: truncation and rounding of the differences; directions of slip turn within 0.1 m/s. */
static const double BY_DIFFERENCES = 1e-9;

/* ---- scenes ---- */

static cdn_body add_box(cdn_system *system) {
  cdn_body_def d = cdn_default_body_def();
  d.name = "box", d.mobilizer = CDN_FREE;
  d.mass = (cdn_mass_properties){ 1.3, { 0.01, -0.02, 0.03 }, { 0.02, 0.03, 0.04, 0.001, 0.002, -0.003 } };
  return cdn_system_add_body(system, &d);
}

static cdn_rigid_contact add_corner(cdn_system *system, cdn_body box, const char *name, cdn_vec3 p, double radius,
                                    double mu) {
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.name = name, c.b = box, c.p_B = p, c.radius = radius, c.mu_dynamic = mu, c.viscous = 0.5 * mu;
  return cdn_system_add_rigid_contact(system, &c);
}

/* The State at rest on its contacts at z = 0, settled with these speeds. */
static cdn_state *settled(cdn_system *system, const double *q, const double *u) {
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  OK_ON(state, cdn_settle(state, 0));
  return state;
}

/* A third foot: a sphere on a soft floor without friction, 20 mm deep. Its impedance says how much it gives way. */
static void add_soft_foot(cdn_system *system, cdn_body box, double impedance) {
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_SOFT;
  cdn_system_set_contact(system, &contact);
  cdn_soft_material material = cdn_default_soft_material();
  material.condim = 1, material.law.ref[0] = material.law.ref[1] = -1e-6; /* hardly a spring */
  material.law.imp[0] = material.law.imp[1] = impedance;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.soft = &material;
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.05 } };
  shape.body = box, shape.X_BS.p = cdn_v3(0, -0.1, -0.07);
  cdn_system_add_shape(system, &shape);
}

/* A box on three feet that slide or turn; on one that sticks; the third one smooth, rigid or soft. */
typedef enum box_scene { SLIDES, TURNS, STICKS, SLIDES_BESIDE_SOFT, BOX_SCENES, SLIDES_SMOOTHLY } box_scene;
static cdn_state *box_on_floor(box_scene which, double impedance) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body box = add_box(system);
  const double mu = which == STICKS ? 2 : 0.2, q[7] = { 1, 0, 0, 0, 0.2, -0.1, 0.1 };
  double u[6] = { 0, 0, 0, 0.4, 0.3, 0 };
  if (which == TURNS) u[2] = 3, u[3] = 0.1, u[4] = -0.05;
  if (which == STICKS) memset(u, 0, sizeof u);
  cdn_system_add_gravity(system, "gravity", cdn_v3(1, 0.5, -9.81));
  add_corner(system, box, "first", cdn_v3(0.1, 0.1, -0.1), 0, mu);
  if (which == STICKS) return settled(system, q, u); /* more would be redundant, and contradict each other off it */
  add_corner(system, box, "second", cdn_v3(-0.12, 0.1, -0.08), 0.02, mu);
  if (which == SLIDES_BESIDE_SOFT) add_soft_foot(system, box, impedance);
  else if (which == SLIDES_SMOOTHLY) add_corner(system, box, "third", cdn_v3(0, -0.1, -0.05), 0.05, 0);
  else add_corner(system, box, "third", cdn_v3(0, -0.1, -0.1), 0, mu);
  return settled(system, q, u);
}

/* A pendulum that is held by a ball and an axle that does not tip, with friction of the bearing by the norm of its
 * reaction and by a load; it swings, or it has come to rest. */
static cdn_state *rod_in_bearing(bool swings) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.name = "rod", d.mobilizer = CDN_PLANAR;
  d.mass = (cdn_mass_properties){ 2, { 0, 0, 0 }, { 0.1, 0.1, 0.1, 0, 0, 0 } };
  const cdn_body rod = cdn_system_add_body(system, &d);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  const cdn_constraint x = cdn_system_constrain_point_on_line(system, "bearing", cdn_ground(), cdn_v3(0, 0, 1),
                                                              cdn_v3(0, 0, 0), rod, cdn_v3(0, 0.5, 0));
  cdn_dry_friction_def f = cdn_default_dry_friction_def();
  f.name = "bearing friction", f.slip = cdn_system_constrain_speed(system, "turn", rod, 0, 0), f.reaction = x;
  f.load = 0.1, f.mu_dynamic = swings ? 0.02 : 10, f.viscous = 0.01;
  cdn_system_add_dry_friction(system, &f);
  const double a = 0.4, w = swings ? 1.5 : 0;
  return settled(system, (double[]){ a, 0.5 * sin(a), -0.5 * cos(a) },
                 (double[]){ w, 0.5 * w * cos(a), 0.5 * w * sin(a) });
}

/* Sliders in a row, pressed by a load, without any constraint that is on. */
static cdn_state *sliders(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.mobilizer = CDN_SLIDER, d.mass.mass = 1;
  for (int i = 0; i < 3; i++) {
    const cdn_body body = cdn_system_add_body(system, &d);
    cdn_dry_friction_def f = cdn_default_dry_friction_def();
    f.slip = cdn_system_constrain_speed(system, NULL, body, 0, 0.1), f.load = 1 + i, f.mu_dynamic = 0.3;
    f.viscous = 0.2 * i;
    cdn_system_add_dry_friction(system, &f);
    cdn_system_add_mobility_spring(system, NULL, body, 0, 3, 0);
    d.parent = body;
  }
  return settled(system, (double[]){ 0.1, 0.2, -0.3 }, (double[]){ 0.5, -0.4, 0.9 });
}

/* Shapes that touch rigidly and slip: a ball on a floor, on another ball, a box on a corner, an edge across an edge. */
typedef enum shape_scene { BALL_ON_FLOOR, BALL_ON_BALL, CORNER_ON_FLOOR, EDGE_ON_EDGE, SHAPE_SCENES } shape_scene;
static cdn_state *shape_that_slips(shape_scene which) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body box = add_box(system);
  cdn_system_add_gravity(system, "gravity", cdn_v3(1, 0.5, -9.81));
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_RIGID;
  cdn_system_set_contact(system, &contact);
  cdn_shape_def shape = cdn_default_shape_def();
  const double h = 0.1 * sqrt(3), turn = 0.5 * atan(sqrt(2)), c = cos(turn), s = sin(turn) / sqrt(2), e = sqrt(0.5);
  const cdn_geometry cube = { .kind = CDN_GEOMETRY_BOX, .size = { 0.1, 0.1, 0.1 } };
  const cdn_geometry ball = { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.1 } };
  shape.geometry = which == BALL_ON_BALL ? ball : cube;
  if (which == BALL_ON_FLOOR || which == CORNER_ON_FLOOR) shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  /* a bar along x whose edge is uppermost, at z = 0.1 sqrt 2 */
  if (which == EDGE_ON_EDGE) shape.X_BS.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), PI / 4);
  cdn_system_add_shape(system, &shape);
  shape.body = box, shape.geometry = which == BALL_ON_FLOOR || which == BALL_ON_BALL ? ball : cube;
  shape.X_BS = cdn_default_shape_def().X_BS;
  cdn_system_add_shape(system, &shape);
  const double q[SHAPE_SCENES][7] = { { 1, 0, 0, 0, 0, 0, 0.1 },
                                      { 1, 0, 0, 0, 0.12, 0, 0.16 },
                                      { c, s, -s, 0, 0, 0, h },
                                      { cos(PI / 8), 0, sin(PI / 8), 0, 0, 0, 0.4 * e } };
  double u[6] = { 0, 0, 0, 0.4, 0.3, 0 };
  if (which == BALL_ON_BALL) u[3] = 0, u[5] = 0;
  return settled(system, q[which], u);
}

/* ---- checks ---- */

/* By generalized forces accelerations are linear, as long as no soft row bends: one difference is exact. */
static void check_forces(cdn_state *state, double tolerance) {
  const int nu = cdn_system_nu(cdn_state_system(state));
  double df[36], f[6] = { 0 }, udot[2][6];
  OK_ON(state, cdn_forward_dynamics_derivatives(state, NULL, NULL, df, NULL));
  for (int k = 0; k < nu; k++) {
    for (int side = 0; side < 2; side++) {
      f[k] = side ? 1e-3 : -1e-3;
      OK_ON(state, cdn_state_set_applied_mobility_forces(state, f));
      memcpy(udot[side], cdn_state_udot(state), (size_t)nu * sizeof(double));
    }
    f[k] = 0;
    for (int i = 0; i < nu; i++) NEAR(df[i * nu + k], (udot[1][i] - udot[0][i]) / 2e-3, tolerance);
  }
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, f));
}

static void check_status(cdn_state *state, cdn_friction_status status) {
  const int n = cdn_system_dry_friction_count(cdn_state_system(state));
  for (int i = 0; i < n; i++) ck_assert_int_eq(cdn_dry_friction_get_status(state, (cdn_dry_friction){ i }), status);
}

START_TEST(boxes) {
  cdn_state *state = box_on_floor((box_scene)_i, 0.9);
  check_status(state, _i == STICKS ? CDN_FRICTION_STICK : CDN_FRICTION_SLIP);
  check_forces(state, 1e-8);
  check_dynamics(state, BY_DIFFERENCES);
}
END_TEST

START_TEST(bearings) {
  cdn_state *state = rod_in_bearing(_i == 0);
  check_status(state, _i == 0 ? CDN_FRICTION_SLIP : CDN_FRICTION_STICK);
  check_dynamics(state, BY_DIFFERENCES);
}
END_TEST

START_TEST(loads_alone) {
  cdn_state *state = sliders();
  check_status(state, CDN_FRICTION_SLIP);
  check_forces(state, 1e-8);
  check_dynamics(state, BY_DIFFERENCES);
}
END_TEST

/* ---- soft rows beside ---- */

/* The softer a foot is the more it gives way: as its impedance d goes to 1 (R to 0) the box tends to slide as on three
 * rigid feet, by a difference like 1 - d. */
START_TEST(a_foot_that_hardens_is_rigid) {
  cdn_state *rigid = box_on_floor(SLIDES_SMOOTHLY, 0);
  check_status(rigid, CDN_FRICTION_SLIP);
  double before = 0;
  for (int k = 1; k <= 4; k++) {
    cdn_state *soft = box_on_floor(SLIDES_BESIDE_SOFT, 1 - pow(10, -k));
    double apart = 0;
    check_status(soft, CDN_FRICTION_SLIP);
    for (int i = 0; i < 6; i++) apart = fmax(apart, fabs(cdn_state_udot(soft)[i] - cdn_state_udot(rigid)[i]));
    if (k > 2) NEAR(before / apart, 10, 0.2);
    before = apart;
    cdn_state_destroy(soft);
  }
  AT_MOST(before, 0.1);
  cdn_state_destroy(rigid);
}
END_TEST

/* A block that slips in a groove: pressed to a rigid wall, whose load a soft stop shares, and braked by soft friction.
 * The wall's part follows friction within the evaluation. */
typedef struct groove {
  cdn_state *state;
  cdn_one_sided wall;
  cdn_dry_friction friction;
} groove;

enum { M = 2 };
static const double PRESS = 7, PULL = 5, MU = 0.3;

static groove block_in_groove(double impedance, double loss) {
  groove g;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.mobilizer = CDN_SLIDER, d.mass.mass = M;
  const cdn_body cross = cdn_system_add_body(system, &d); /* along x, against the wall */
  d.parent = cross, d.X_PF.R = cdn_rotation_axis_angle(cdn_v3(0, 0, 1), PI / 2);
  const cdn_body block = cdn_system_add_body(system, &d); /* along y */
  cdn_one_sided_def wall = cdn_default_one_sided_def();
  wall.name = "wall", wall.constraint = cdn_system_constrain_coordinate(system, "wall", cross, 0, 0);
  g.wall = cdn_system_make_one_sided(system, &wall);
  cdn_dry_friction_def f = cdn_default_dry_friction_def();
  f.name = "groove", f.slip = cdn_system_constrain_speed(system, "groove", block, 0, 0), f.normal = g.wall;
  f.mu_dynamic = MU;
  g.friction = cdn_system_add_dry_friction(system, &f);
  cdn_system_add_mobility_force(system, NULL, cross, 0, -PRESS);
  cdn_system_add_mobility_force(system, NULL, block, 0, PULL);
  if (impedance > 0) {
    cdn_soft_limit_def limit = cdn_default_soft_limit_def();
    limit.body = cross, limit.lower = 1e-9, limit.upper = INFINITY;
    limit.law.ref[0] = -1e-3, limit.law.ref[1] = -1e-3; /* hardly a spring */
    for (int k = 0; k < 2; k++) limit.law.imp[k] = impedance;
    cdn_system_add_soft_limit(system, &limit);
  }
  if (loss > 0) {
    cdn_friction_loss_def brake = cdn_default_friction_loss_def();
    brake.body = block, brake.loss = loss;
    cdn_system_add_friction_loss(system, &brake);
  }
  g.state = settled(system, (double[]){ 0, 0 }, (double[]){ 0, 0.4 });
  ck_assert_int_eq(cdn_dry_friction_get_status(g.state, g.friction), CDN_FRICTION_SLIP);
  return g;
}

START_TEST(a_block_slips_beside_soft_rows) {
  const double loss = _i % 2 ? 0.8 : 0;
  const groove g = block_in_groove(_i < 2 ? 0 : 0.9, loss);
  double push, force[2];
  OK_ON(g.state, cdn_one_sided_push(g.state, g.wall, &push));
  OK_ON(g.state, cdn_dry_friction_force(g.state, g.friction, force));
  NEAR(force[0], -MU * push, 1e-13);
  if (_i < 2) NEAR(push, PRESS, 1e-13);
  const double *udot = cdn_state_udot(g.state);
  /* the speed is far beyond where friction loss is less than its bound */
  NEAR(udot[1], (PULL - MU * push - loss) / M, 1e-12);
  NEAR(udot[0], 0, 1e-13);
  cdn_state_destroy(g.state);
}
END_TEST

/* ---- methods ---- */

/* A point slides on a floor and slows down: x = v t - mu g t^2 / 2, to the order of the method. Pressed by its contact,
 * and by a load beside a constraint. */
static cdn_state *sliding_point(bool contact) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.mobilizer = CDN_TRANSLATION, d.mass.mass = 2;
  const cdn_body point = cdn_system_add_body(system, &d);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -10));
  if (contact) add_corner(system, point, "floor", cdn_v3(0, 0, 0), 0, 0);
  else cdn_system_constrain_coordinate(system, "height", point, 2, 0);
  cdn_dry_friction_def f = cdn_default_dry_friction_def();
  f.slip = cdn_system_constrain_speed(system, "slip", point, 0, 0), f.mu_dynamic = 0.3;
  if (contact) f.normal = (cdn_one_sided){ 0 };
  else f.load = 20;
  cdn_system_add_dry_friction(system, &f);
  return settled(system, (double[3]){ 0 }, (double[]){ 3, 0, 0 });
}

START_TEST(every_method_slides) {
  const cdn_method method = (cdn_method)(_i / 2);
  const bool own_error = method < CDN_METHOD_MUJOCO_EULER;
  cdn_state *state = sliding_point(_i % 2);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method;
  if (own_error) def.accuracy = 1e-6;
  else def.fixed_step = 1e-3;
  cdn_stepper *run = NULL;
  const cdn_status status = cdn_stepper_create(state, &def, &run);
  const bool sundials = method >= CDN_METHOD_CVODE_BDF && method <= CDN_METHOD_IDA;
  if (!(sundials && status == CDN_ERR_UNSUPPORTED)) { /* CVODE's Adams knows no constraints; others may not be there */
    OK_ON(state, status);
    OK_STEP(run, cdn_stepper_advance(run, 0.5, NULL));
    NEAR(cdn_state_q(cdn_stepper_state(run))[0], 3 * 0.5 - 0.5 * 0.3 * 10 * 0.25, 1e-3); /* half a step of 3 m/s */
    NEAR(cdn_state_u(cdn_stepper_state(run))[0], 3 - 0.3 * 10 * 0.5, 1e-11);
    cdn_stepper_destroy(run);
  }
  cdn_state_destroy(state);
}
END_TEST

START_TEST(shapes) {
  cdn_state *state = shape_that_slips((shape_scene)_i);
  int slips = 0;
  for (int i = 0; i < cdn_system_dry_friction_count(cdn_state_system(state)); i++)
    slips += cdn_dry_friction_get_status(state, (cdn_dry_friction){ i }) == CDN_FRICTION_SLIP;
  ck_assert_int_eq(slips, 1);
  check_dynamics(state, BY_DIFFERENCES);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, shapes, 0, SHAPE_SCENES);
  tcase_add_loop_test(c, every_method_slides, 0, 2 * CDN_METHOD_COUNT);
  tcase_add_test(c, a_foot_that_hardens_is_rigid);
  tcase_add_loop_test(c, a_block_slips_beside_soft_rows, 0, 4);
  tcase_add_loop_test(c, boxes, 0, BOX_SCENES);
  tcase_add_loop_test(c, bearings, 0, 2);
  tcase_add_test(c, loads_alone);
}

CHECK_MAIN_OF("hybrid derivatives", 60, add)
