/* Studies of States with one-sided elements and dry friction: equilibrium, modes, assembly. Reference values are
 * closed forms. */
#include "hybrid_scenes.h"

static const double g = 10;

static cdn_rigid_contact add_foot(cdn_system *system, cdn_body b, const char *name, cdn_vec3 p, double mu) {
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.name = name, c.b = b, c.p_B = p, c.mu_dynamic = mu;
  return cdn_system_add_rigid_contact(system, &c);
}

static double push_of(cdn_state *state, cdn_one_sided element) {
  double push;
  OK_ON(state, cdn_one_sided_push(state, element, &push));
  return push;
}

static double gap_of(cdn_state *state, cdn_one_sided element) {
  double gap;
  OK_ON(state, cdn_one_sided_gap(state, element, &gap));
  return gap;
}

static void rest(cdn_state *state) {
  cdn_equilibrium report;
  OK_ON(state, cdn_find_equilibrium(state, NULL, &report));
  AT_MOST(report.unbalanced, 1e-8);
  for (int i = 0; i < cdn_system_one_sided_count(cdn_state_system(state)); i++) {
    AT_MOST(-gap_of(state, (cdn_one_sided){ i }), 1e-10);
    AT_MOST(-push_of(state, (cdn_one_sided){ i }), 1e-10);
  }
}

/* ---- on a floor ---- */

/* From above and from within: a ball comes to lie on the floor, and pushes by its weight. */
START_TEST(a_ball_lies_on_the_floor) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body ball = add_point(system, "ball", 3);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  const cdn_rigid_contact floor = add_foot(system, ball, "floor", cdn_v3(0, 0, 0), 0);
  cdn_state *state = hybrid_state(system, (double[]){ 0.3, -0.2, _i ? -0.7 : 5 }, (double[]){ 1, 2, 3 });
  rest(state);
  NEAR(cdn_state_q(state)[0], 0.3, 1e-12);
  NEAR(cdn_state_q(state)[2], 0, 1e-12);
  NEAR(push_of(state, floor.normal), 3 * g, 1e-12 * 3 * g);
  cdn_state_destroy(state);
}
END_TEST

/* Weight 100, its centre at (0.3, 0.35) from the middle of four legs at (+-1, +-1) / 2: the least norm of all
 * multipliers is 57.5, 22.5, -7.5, 27.5, and that of those that push 65, 15, 0, 20. */
static cdn_body add_table(cdn_system *system, cdn_vec3 centre) {
  cdn_body_def d = cdn_default_body_def();
  d.name = "table", d.mobilizer = CDN_FREE;
  d.mass = (cdn_mass_properties){ 10, centre, { 1, 1, 1, 0, 0, 0 } };
  return cdn_system_add_body(system, &d);
}

START_TEST(a_table_stands_on_the_legs_that_push) {
  static const double legs[4][2] = { { 0.5, 0.5 }, { 0.5, -0.5 }, { -0.5, -0.5 }, { -0.5, 0.5 } };
  static const double pushes[4] = { 65, 15, 0, 20 };
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body table = add_table(system, cdn_v3(0.3, 0.35, 0));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  for (int i = 0; i < 4; i++) add_foot(system, table, NULL, cdn_v3(legs[i][0], legs[i][1], -0.7), _i ? 0.4 : 0);
  /* it falls onto them, a little aslant, or it stands there */
  const double q[2][7] = { { 1, 0.005, -0.01, 0.005, 0, 0, 0.72 }, { 1, 0, 0, 0, 0, 0, 0.7 } };
  cdn_state *state = hybrid_state(system, q[_i], NULL);
  rest(state);
  NEAR(cdn_state_q(state)[6], 0.7, 1e-12);
  for (int i = 0; i < 4; i++) NEAR(push_of(state, (cdn_one_sided){ i }), pushes[i], 1e-9);
  cdn_state_destroy(state);
}
END_TEST

/* Shapes that touch rigidly, by slots that the search fills: a ball, and a box that falls aslant. */
START_TEST(shapes_lie_on_the_floor) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.name = "body", d.mobilizer = CDN_FREE;
  d.mass = (cdn_mass_properties){ 2, { 0, 0, 0 }, { 0.01, 0.01, 0.01, 0, 0, 0 } };
  const cdn_body body = cdn_system_add_body(system, &d);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_RIGID;
  cdn_system_set_contact(system, &contact);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  shape.body = body;
  shape.geometry = (cdn_geometry){ .kind = _i ? CDN_GEOMETRY_BOX : CDN_GEOMETRY_SPHERE, .size = { 0.1, 0.1, 0.1 } };
  cdn_system_add_shape(system, &shape);
  const double q[3][7] = { { 1, 0, 0, 0, 0, 0, 1 }, { 1, 0.02, -0.01, 0.005, 0, 0, 1 }, { 1, 0, 0, 0, 0, 0, 0.09 } };
  cdn_state *state = hybrid_state(system, q[_i], NULL);
  OK_ON(state, cdn_find_equilibrium(state, NULL, NULL));
  NEAR(cdn_state_q(state)[6], 0.1, 1e-10);
  double sum = 0;
  for (int i = 0; i < cdn_system_one_sided_count(cdn_state_system(state)); i++) {
    const double push = push_of(state, (cdn_one_sided){ i });
    if (push != 0 && _i) NEAR(push, 5, 1e-8); /* the least norm: a quarter each */
    sum += push;
  }
  NEAR(sum, 2 * g, 1e-9);
  cdn_state_destroy(state);
}
END_TEST

/* Robots that are let go above the floor come to lie or stand on it, on many points that carry and stick, and on the
 * limits of their joints. Contacts carry their weight, friction is within its bound, and a run stays where they are. */
static void stays(cdn_state *state, double weight) {
  double sum = 0, kinetic;
  int n;
  OK_ON(state, cdn_contact_count(state, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    OK_ON(state, cdn_contact_get(state, i, &c));
    AT_MOST(c.depth, 1e-9);
    AT_MOST(cdn_norm(c.friction), c.coefficient[0] * c.force * (1 + 1e-6) + 1e-9);
    const int ground[2] = { cdn_shape_body(cdn_state_system(state), c.a).i == 0,
                            cdn_shape_body(cdn_state_system(state), c.b).i == 0 };
    sum += (ground[0] - ground[1]) * cdn_add(cdn_scale(c.force, c.normal), c.friction).z;
  }
  NEAR(sum, weight, 1e-6 * weight); /* what accelerations are left times the mass */
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-5;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  OK_STEP(run, cdn_stepper_advance(run, 0.5, NULL));
  for (int k = 0; k < cdn_system_nq(cdn_state_system(state)); k++)
    NEAR(cdn_state_q(cdn_stepper_state(run))[k], cdn_state_q(state)[k], 1e-6);
  OK_ON(state, cdn_kinetic_energy(cdn_stepper_state(run), &kinetic));
  AT_MOST(kinetic, 0.5 * weight / 9.81 * pow(0.1 * def.accuracy, 2)); /* it moves as slowly as the run can tell */
  cdn_stepper_destroy(run);
}

static double weight_of(cdn_state *state) {
  double mass = 0;
  for (int b = 1; b < cdn_system_body_count(cdn_state_system(state)); b++)
    mass += cdn_body_mass_properties(state, (cdn_body){ b }).mass;
  return 9.81 * mass;
}

START_TEST(robots_stand_on_the_floor) {
  cdn_state *state = NULL;
  cdn_model *model = rigid_example(_i % 2 ? "hexapod" : "quadruped", &state);
  cdn_equilibrium report;
  cdn_equilibrium_def def = cdn_default_equilibrium_def();
  def.goal = _i < 2 ? CDN_EQUILIBRIUM_STABLE : CDN_EQUILIBRIUM_ANY;
  OK_ON(state, cdn_find_equilibrium(state, &def, &report));
  AT_MOST(report.unbalanced, 1e-8);
  stays(state, weight_of(state));
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* A puppet that falls has many ways to lie. From some starts the search creeps, as rounding decides, and says so; it
 * must not from most, and where it finds a rest it is one. */
START_TEST(a_puppet_lies_on_the_floor) {
  enum { STARTS = 9 };
  int found = 0;
  for (int k = 0; k < STARTS; k++) {
    cdn_state *state = NULL;
    cdn_model *model = rigid_example("puppet", &state);
    double q[64];
    const int nq = cdn_system_nq(cdn_state_system(state));
    ck_assert_int_le(nq, 64);
    memcpy(q, cdn_state_q(state), (size_t)nq * sizeof *q);
    q[1] += 0.02 * (k % 3), q[2] += 0.02 * (k / 3); /* of the quaternion: it tilts */
    OK_ON(state, cdn_state_set_q(state, q));
    const cdn_status status = cdn_find_equilibrium(state, NULL, NULL);
    ck_assert(status == CDN_OK || status == CDN_ERR_LIMIT || status == CDN_ERR_CONSTRAINT);
    if (status == CDN_OK) found++, stays(state, weight_of(state));
    cdn_state_destroy(state);
    cdn_model_destroy(model);
  }
  if (getenv("CARDAN_TEST_SHOW")) printf("%d of %d puppets lie\n", found, STARTS);
  ck_assert_int_ge(found, STARTS / 3);
}
END_TEST

/* ---- beams ---- */

/* A beam of length 4 and weight W on two supports at -1 and 0.5 of its middle, with a load P at its right end. As P
 * grows the left support carries less, and a hook over the left end, at a distance of 0.05 above it, holds at last. */
START_TEST(a_beam_on_supports) {
  const double W = 20, P = (double[]){ 5, 60 }[_i];
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.name = "beam", d.mobilizer = CDN_PLANAR;
  d.mass = (cdn_mass_properties){ W / g, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  const cdn_body beam = cdn_system_add_body(system, &d);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  cdn_system_add_body_force(system, "load", beam, cdn_v3(2, 0, 0), cdn_v3(0, -P, 0), cdn_v3(0, 0, 0));
  cdn_system_constrain_coordinate(system, "stays", beam, 1, 0);
  static const double at[3] = { -1, 0.5, -2 };
  static const char *const names[3] = { "left", "right", "hook" };
  cdn_one_sided element[3];
  for (int i = 0; i < 3; i++) {
    cdn_one_sided_def side = cdn_default_one_sided_def();
    const double h = i == 2 ? 0.05 : 0;
    side.name = names[i], side.upper = i == 2;
    side.constraint = cdn_system_constrain_point_in_plane(system, names[i], cdn_ground(), cdn_v3(0, 1, 0), h, beam,
                                                          cdn_v3(at[i], 0, 0));
    element[i] = cdn_system_make_one_sided(system, &side);
  }
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0, 0.04 }, NULL);
  rest(state);
  if (_i == 0) { /* moments about the supports */
    NEAR(push_of(state, element[0]), (W * 0.5 - P * 1.5) / 1.5, 1e-10);
    NEAR(push_of(state, element[1]), (W * 1 + P * 3) / 1.5, 1e-10);
  } else { /* it tips about the right support until the hook holds; all arms shrink by the same cosine */
    NEAR(push_of(state, element[2]), (P * 1.5 - W * 0.5) / 2.5, 1e-9);
    NEAR(push_of(state, element[1]), P + W + (P * 1.5 - W * 0.5) / 2.5, 1e-9);
    NEAR(2.5 * sin(cdn_state_q(state)[0]), -0.05, 1e-12);
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- friction ---- */

/* A ladder of length 2 leans at a wall without friction: it holds above cot a = 2 mu. Below that it slides down to the
 * floor, and lies there. */
START_TEST(a_ladder_holds_or_slides) {
  const double mu = 0.3, limit = atan(1 / (2 * mu)), a = limit + (_i ? -0.02 : 1e-6), W = 50;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body ladder = add_planar(system, "ladder", W / g, 1);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.name = "floor", c.X_AP = facing(cdn_v3(0, 1, 0), cdn_v3(0, 0, 0)), c.b = ladder, c.p_B = cdn_v3(-1, 0, 0);
  c.mu_dynamic = mu;
  const cdn_rigid_contact floor = cdn_system_add_rigid_contact(system, &c);
  c.name = "wall", c.X_AP = facing(cdn_v3(-1, 0, 0), cdn_v3(0, 0, 0)), c.p_B = cdn_v3(1, 0, 0), c.mu_dynamic = 0;
  const cdn_rigid_contact wall = cdn_system_add_rigid_contact(system, &c);
  c.name = "top", c.X_AP = facing(cdn_v3(0, 1, 0), cdn_v3(0, 0, 0));
  const cdn_rigid_contact top = cdn_system_add_rigid_contact(system, &c);
  const double q[3] = { a, -cos(a), sin(a) };
  cdn_state *state = hybrid_state(system, q, NULL);
  rest(state);
  NEAR(push_of(state, floor.normal) + push_of(state, top.normal), W, 1e-10 * W);
  if (_i == 0) {
    for (int k = 0; k < 3; k++) NEAR(cdn_state_q(state)[k], q[k], 1e-9);
    NEAR(push_of(state, wall.normal), W / (2 * tan(a)), 1e-9);
    ck_assert_int_eq(cdn_dry_friction_get_status(state, floor.friction), CDN_FRICTION_STICK);
  } else {
    NEAR(cdn_state_q(state)[0], 0, 1e-10);
    NEAR(push_of(state, floor.normal), W / 2, 1e-8);
    NEAR(push_of(state, top.normal), W / 2, 1e-8);
  }
  cdn_state_destroy(state);
}
END_TEST

/* A block on a slope of angle a: it stays where friction can hold it. If not it slides to a stop, which carries it
 * together with friction. */
START_TEST(a_block_on_a_slope) {
  const double a = 0.5, mu = (double[]){ tan(a) * 1.001, tan(a) * 0.9, 0 }[_i], W = 20;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body block = add_point(system, "block", W / g);
  cdn_system_add_gravity(system, "gravity", cdn_v3(-g * sin(a), 0, -g * cos(a)));
  const cdn_rigid_contact slope = add_foot(system, block, "slope", cdn_v3(0, 0, 0), mu);
  cdn_one_sided_def side = cdn_default_one_sided_def();
  side.name = "stop", side.constraint = cdn_system_constrain_coordinate(system, "stop", block, 0, -3);
  const cdn_one_sided stop = cdn_system_make_one_sided(system, &side);
  cdn_state *state = hybrid_state(system, (double[]){ 1, 2, 0.4 }, NULL);
  rest(state);
  NEAR(cdn_state_q(state)[2], 0, 1e-12);
  NEAR(push_of(state, slope.normal), W * cos(a), 1e-12 * W);
  double force[2] = { 0, 0 };
  if (mu > 0) OK_ON(state, cdn_dry_friction_force(state, slope.friction, force));
  NEAR(push_of(state, stop) + force[0], W * sin(a), 1e-9 * W);
  AT_MOST(hypot(force[0], force[1]), mu * W * cos(a) * (1 + 1e-12));
  if (_i == 0) ck_assert(!cdn_one_sided_is_on(state, stop));
  else NEAR(cdn_state_q(state)[0], -3, 1e-12);
  cdn_state_destroy(state);
}
END_TEST

/* ---- a rope over a pulley ---- */

/* Two masses on the ends of a rope: the heavy one comes to lie on the floor, and the light one hangs, or both lie and
 * the rope is slack. */
START_TEST(a_rope_over_a_pulley) {
  const double length = _i ? 30 : 5, m[2] = { 3, 2 };
  cdn_system *system = cdn_system_create(NULL);
  cdn_mobility height[2];
  cdn_rigid_contact floor[2];
  for (int i = 0; i < 2; i++) {
    const cdn_body body = add_point(system, i ? "light" : "heavy", m[i]);
    height[i] = (cdn_mobility){ body, 2 };
    floor[i] = add_foot(system, body, i ? "floor of light" : "floor of heavy", cdn_v3(0, 0, 0), 0);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  /* the pulley is at height 4: (4 - z0) + (4 - z1) must not exceed the length */
  cdn_one_sided_def rope = cdn_default_one_sided_def();
  rope.name = "rope";
  rope.constraint = cdn_system_couple_by_polynomial(system, "rope", height[0], 0, height[1], 0,
                                                    (double[]){ 8 - length, -1, 0, 0, 0 });
  const cdn_one_sided tension = cdn_system_make_one_sided(system, &rope);
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0, 2, 0, 0, 2.5 }, NULL);
  rest(state);
  NEAR(cdn_state_q(state)[2], 0, 1e-10);
  NEAR(cdn_state_q(state)[5], _i ? 0 : 3, 1e-10);
  NEAR(push_of(state, tension), _i ? 0 : m[1] * g, 1e-10);
  NEAR(push_of(state, floor[0].normal), (_i ? m[0] : m[0] - m[1]) * g, 1e-10);
  NEAR(push_of(state, floor[1].normal), _i ? m[1] * g : 0, 1e-10);
  cdn_state_destroy(state);
}
END_TEST

/* ---- modes ---- */

/* A point on springs along x, y and z, on a floor that it is pressed to: what is on or sticks is held. */
START_TEST(modes_hold_what_is_on_and_sticks) {
  static const double k[3] = { 200, 50, 18 };
  const double mu = _i == 2 ? 0.5 : 0;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body point = add_point(system, "point", 2);
  for (int i = 0; i < 3; i++) cdn_system_add_mobility_spring(system, NULL, point, i, k[i], i == 2 ? -0.1 : 0);
  add_foot(system, point, "floor", cdn_v3(0, 0, 0), mu);
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0, _i ? 0 : 0.5 }, NULL);
  OK_ON(state, cdn_settle(state, 0));
  const int free = _i == 0 ? 3 : _i == 1 ? 2 : 0;
  static const double omega2[2][3] = { { 9, 25, 100 }, { 25, 100 } };
  int n, count;
  double squares[3], re[6], im[6];
  OK_ON(state, cdn_normal_modes(state, &n, squares, NULL));
  ck_assert_int_eq(n, free);
  for (int i = 0; i < n; i++) NEAR(squares[i], omega2[_i][i], 1e-12 * 100);
  OK_ON(state, cdn_linear_modes(state, &count, re, im, NULL, NULL));
  for (int i = 0; i < count && _i < 2; i++) NEAR(re[i], 0, 1e-9);
  cdn_state_destroy(state);
}
END_TEST

/* ---- assembly ---- */

static cdn_assembly *assembly_of(cdn_state *state) {
  cdn_assembly *a = NULL;
  OK_ON(state, cdn_assembly_create(cdn_state_system(state), NULL, &a));
  return a;
}

/* A point that may be above a floor alone, z >= 0, and on one side of a slope, x + z >= 0, with and without a place
 * that it wants. */
typedef struct wish {
  double start[3], want[3], end[3];
  bool wants, settle;
} wish;

START_TEST(gaps_are_inequalities) {
  static const wish wishes[] = {
    { { 2, 1, -0.3 }, { 0 }, { 2, 1, 0 }, false, false },          /* onto the surface */
    { { 2, 1, 0.7 }, { 0 }, { 2, 1, 0.7 }, false, false },         /* nothing to do */
    { { 2, 1, 1 }, { 1, 2, -0.5 }, { 1, 2, 0 }, true, false },     /* as near as the floor allows */
    { { 2, 1, -0.3 }, { 1, 2, 0.4 }, { 1, 2, 0.4 }, true, false }, /* out of it */
    { { 2, 1, 0 }, { 1, 2, 0.4 }, { 1, 2, 0.4 }, true, true },     /* off the floor that carried it */
    { { 2, 1, 1 }, { -1, 2, -2 }, { 0, 2, 0 }, true, false },      /* into the corner */
    { { 2, 1, 1 }, { -2, 2, -1 }, { -0.5, 2, 0.5 }, true, false }, /* onto the slope alone */
    { { 2, 1, 1 }, { 1, 2, -1.5 }, { 1, 2, 0 }, true, false },     /* both are violated, the floor alone acts */
  };
  const wish *w = &wishes[_i];
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body point = add_point(system, "point", 1);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  const cdn_rigid_contact floor = add_foot(system, point, "floor", cdn_v3(0, 0, 0), 0.5);
  cdn_one_sided_def slope = cdn_default_one_sided_def();
  slope.name = "slope";
  slope.constraint =
      cdn_system_constrain_point_in_plane(system, "slope", cdn_ground(), cdn_v3(1, 0, 1), 0, point, cdn_v3(0, 0, 0));
  cdn_system_make_one_sided(system, &slope);
  cdn_state *state = hybrid_state(system, w->start, NULL);
  if (w->settle) OK_ON(state, cdn_settle(state, 0));
  if (w->settle) ck_assert(cdn_one_sided_is_on(state, floor.normal));
  cdn_assembly *a = assembly_of(state);
  if (w->wants) {
    const cdn_goal goal = cdn_assembly_add_marker(a, "place", point, cdn_v3(0, 0, 0), 1);
    OK_ON(state, cdn_assembly_observe_marker(a, goal, cdn_v3(w->want[0], w->want[1], w->want[2])));
  }
  cdn_assembly_report report;
  OK_ON(state, cdn_assemble(a, state, &report));
  for (int k = 0; k < 3; k++) NEAR(cdn_state_q(state)[k], w->end[k], 1e-10);
  if (w->settle) ck_assert(!cdn_one_sided_is_on(state, floor.normal));
  cdn_assembly_destroy(a);
  cdn_state_destroy(state);
}
END_TEST

/* Two ropes that cannot both hold a point: one of them is named, and q comes as near as it can. */
START_TEST(what_cannot_be_assembled_is_named) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body point = add_point(system, "point", 1);
  for (int i = 0; i < 2; i++) {
    cdn_one_sided_def rope = cdn_default_one_sided_def();
    rope.name = i ? "right rope" : "left rope", rope.upper = true;
    rope.constraint = cdn_system_constrain_rod(system, rope.name, cdn_ground(), cdn_v3(i ? 1.5 : -1.5, 0, 0), point,
                                               cdn_v3(0, 0, 0), 1);
    cdn_system_make_one_sided(system, &rope);
  }
  cdn_state *state = hybrid_state(system, (double[]){ 0.2, 3, 0 }, NULL);
  cdn_assembly *a = assembly_of(state);
  FAILS(cdn_assemble(a, state, NULL), CDN_ERR_CONSTRAINT);
  cdn_error e;
  cdn_assembly_last_error(a, &e);
  ck_assert_ptr_nonnull(strstr(e.element, "rope"));
  cdn_assembly_destroy(a);
  cdn_state_destroy(state);
}
END_TEST

/* A ratchet of at least 0.2 rad/s: slower speeds that are wanted end there, faster ones do not. */
START_TEST(speeds_of_ratchets_are_inequalities) {
  const double want = _i ? 0.5 : -1;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body wheel = add_slider(system, "wheel", 1);
  cdn_one_sided_def ratchet = cdn_default_one_sided_def();
  ratchet.name = "ratchet", ratchet.constraint = cdn_system_constrain_speed(system, "ratchet", wheel, 0, 0.2);
  cdn_system_make_one_sided(system, &ratchet);
  cdn_state *state = hybrid_state(system, NULL, NULL);
  cdn_assembly *a = assembly_of(state);
  cdn_assembly_add_speed(a, "speed", wheel, 0, want, 1);
  OK_ON(state, cdn_assemble_speeds(a, state, NULL));
  NEAR(cdn_state_u(state)[0], _i ? 0.5 : 0.2, 1e-14);
  cdn_assembly_destroy(a);
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, shapes_lie_on_the_floor, 0, 3);
  tcase_add_loop_test(c, robots_stand_on_the_floor, 0, 4);
  tcase_add_test(c, a_puppet_lies_on_the_floor);
  tcase_add_loop_test(c, gaps_are_inequalities, 0, 8);
  tcase_add_test(c, what_cannot_be_assembled_is_named);
  tcase_add_loop_test(c, speeds_of_ratchets_are_inequalities, 0, 2);
  tcase_add_loop_test(c, a_ladder_holds_or_slides, 0, 2);
  tcase_add_loop_test(c, a_block_on_a_slope, 0, 3);
  tcase_add_loop_test(c, a_rope_over_a_pulley, 0, 2);
  tcase_add_loop_test(c, modes_hold_what_is_on_and_sticks, 0, 3);
  tcase_add_loop_test(c, a_ball_lies_on_the_floor, 0, 2);
  tcase_add_loop_test(c, a_table_stands_on_the_legs_that_push, 0, 2);
  tcase_add_loop_test(c, a_beam_on_supports, 0, 2);
}

CHECK_MAIN_OF("hybrid rest", 60, add)
