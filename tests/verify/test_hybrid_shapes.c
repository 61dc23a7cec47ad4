/* Rigid contact of shapes: closed forms of rolling, sliding and leaving, the same scenes with other shapes for the same
 * surfaces, features that hand over to each other, and what users get wrong. */
#include "hybrid_scenes.h"

static const double g = 9.81;

/* ---- scenes ---- */

typedef struct shape_scene {
  cdn_system *system;
  double mu, e;
} shape_scene;

static shape_scene begin_scene(double mu, double e) {
  shape_scene s = { cdn_system_create(NULL), mu, e };
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_RIGID;
  cdn_system_set_contact(s.system, &contact);
  cdn_system_add_gravity(s.system, "gravity", cdn_v3(0, 0, -g));
  return s;
}

static cdn_shape put(const shape_scene *s, const char *name, cdn_body body, cdn_geometry geometry, cdn_transform X) {
  cdn_contact_material m = cdn_default_contact_material();
  cdn_shape_def d = cdn_default_shape_def();
  m.static_friction = m.dynamic_friction = s->mu, m.restitution = s->e;
  d.name = name, d.body = body, d.geometry = geometry, d.material = &m, d.X_BS = X;
  const cdn_shape shape = cdn_system_add_shape(s->system, &d);
  cdn_surface_release((cdn_surface *)geometry.surface);
  return shape;
}

static cdn_transform at(double x, double y, double z) {
  cdn_transform X = cdn_transform_identity();
  X.p = cdn_v3(x, y, z);
  return X;
}

static cdn_geometry half_space(void) { return (cdn_geometry){ .kind = CDN_GEOMETRY_HALF_SPACE }; }
static cdn_geometry sphere(double r) { return (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { r } }; }
static cdn_geometry box(double x, double y, double z) {
  return (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { x, y, z } };
}
static cdn_geometry capsule(double r, double h) {
  return (cdn_geometry){ .kind = CDN_GEOMETRY_CAPSULE, .size = { r, h } };
}
/* The same solid as a box. */
static cdn_geometry box_as_hull(double x, double y, double z) {
  double corners[24];
  for (int i = 0; i < 24; i++) corners[i] = (const double[]){ x, y, z }[i % 3] * (i / 3 >> i % 3 & 1 ? 1 : -1);
  cdn_geometry hull = { .kind = CDN_GEOMETRY_CONVEX };
  cdn_surface *surface = NULL;
  OK(cdn_surface_create_convex(8, corners, &surface));
  hull.surface = surface;
  return hull;
}

static cdn_body add_free(const shape_scene *s, const char *name, double m, double x, double y, double z) {
  cdn_body_def d = cdn_default_body_def();
  d.name = name, d.mobilizer = CDN_FREE, d.mass = (cdn_mass_properties){ m, { 0, 0, 0 }, { x, y, z, 0, 0, 0 } };
  return cdn_system_add_body(s->system, &d);
}

/* A plane that falls by alpha along x. */
static cdn_transform slope(double alpha) {
  const double c = cos(alpha), s = sin(alpha);
  return (cdn_transform){ { { c, 0, -s }, { 0, 1, 0 }, { s, 0, c } }, { 0, 0, 0 } };
}
static cdn_vec3 above_slope(double alpha, double height) { return cdn_v3(height * sin(alpha), 0, height * cos(alpha)); }

static cdn_state *free_state(const shape_scene *s, const double pose[7], const double *u) {
  return hybrid_state(s->system, pose, u);
}

static cdn_stepper *plain_run(cdn_state *state, double accuracy, double t) {
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy, def.companion = true;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  OK_STEP(run, cdn_stepper_advance(run, t, NULL));
  return run;
}

/* ---- rolling and sliding down a slope: the part k m r^2 of inertia about the axis, and friction mu ---- */

typedef struct slide_case {
  const char *name;
  cdn_geometry shape;
  double height; /* of the middle above the slope */
  double k;      /* inertia about y over m height^2; 0: it slides */
  double alpha, mu;
} slide_case;

static const slide_case slides[] = {
  { "a ball rolls", { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.1 } }, 0.1, 0.4, 0.3, 0.5 },
  { "a ball rolls and slips", { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.1 } }, 0.1, 0.4, 0.9, 0.2 },
  { "a box slides", { .kind = CDN_GEOMETRY_BOX, .size = { 0.2, 0.2, 0.1 } }, 0.1, 0, 0.6, 0.3 },
  { "a box stays", { .kind = CDN_GEOMETRY_BOX, .size = { 0.2, 0.2, 0.1 } }, 0.1, 0, 0.2, 0.3 },
};

enum { N_SLIDES = sizeof slides / sizeof *slides };

/* Along the slope: what rolls has g sin(alpha) / (1 + k), while friction suffices for it. */
static double acceleration_of(const slide_case *c) {
  const double pull = g * sin(c->alpha), most = c->mu * g * cos(c->alpha);
  const double needed = c->k > 0 ? pull * c->k / (1 + c->k) : pull;
  return pull - fmin(needed, most);
}

START_TEST(shapes_roll_and_slide_down_a_slope) {
  const slide_case *c = &slides[_i % N_SLIDES];
  const bool on_box = _i >= N_SLIDES;
  const shape_scene s = begin_scene(c->mu, 0);
  const double J = c->k > 0 ? c->k * c->height * c->height : 0.02;
  const cdn_body body = add_free(&s, "body", 1, J, J, J);
  cdn_transform X = slope(c->alpha);
  /* the floor as a half-space, and as the upper side of a box */
  if (on_box) X.p = cdn_scale(-0.5, X.R.z);
  put(&s, "floor", cdn_ground(), on_box ? box(20, 5, 0.5) : half_space(), X);
  put(&s, "shape", body, c->shape, cdn_transform_identity());
  const cdn_vec3 p = above_slope(c->alpha, c->height);
  const double pose[7] = { cos(0.5 * c->alpha), 0, sin(0.5 * c->alpha), 0, p.x, p.y, p.z };
  cdn_state *state = free_state(&s, pose, NULL);
  cdn_stepper *run = plain_run(state, 1e-9, 1.0);
  const double *q = cdn_state_q(cdn_stepper_state(run));
  const cdn_vec3 moved = cdn_sub(cdn_v3(q[4], q[5], q[6]), p);
  ck_assert_msg(fabs(cdn_dot(moved, X.R.x) - 0.5 * acceleration_of(c)) < 1e-8, "%s: %.12g, not %.12g", c->name,
                cdn_dot(moved, X.R.x), 0.5 * acceleration_of(c));
  NEAR(cdn_dot(moved, X.R.z), 0, 1e-9);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- leaving ---- */

/* A ball rolls off a ball that stands still: where cos(angle) = 10 / 17 it flies, and where friction would have to be
 * larger than mu times the push it slips before. Without friction it leaves at cos(angle) = 2 / 3. */
START_TEST(a_ball_leaves_a_ball) {
  const double R = 1, r = 0.25, start = 0.02;
  const shape_scene s = begin_scene(0, 0);
  const cdn_body body = add_free(&s, "body", 1, 0.025, 0.025, 0.025);
  put(&s, "hill", cdn_ground(), sphere(R), cdn_transform_identity());
  put(&s, "ball", body, sphere(r), cdn_transform_identity());
  const double pose[7] = { 1, 0, 0, 0, (R + r) * sin(start), 0, (R + r) * cos(start) };
  cdn_state *state = free_state(&s, pose, NULL);
  cdn_stepper *run = event_run(state, 1e-9);
  ck_assert(run_to_event(run, "lets go", 5));
  const double *q = cdn_state_q(cdn_stepper_state(run));
  NEAR(q[6] / (R + r), 2 * cos(start) / 3, 1e-7);
  NEAR(hypot(q[4], q[6]), R + r, 1e-10);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* A frictionless rod slides down between floor and wall: its upper end leaves the wall where its height is 2/3 of
 * what it was at first. Here the rod is a capsule without a floor of its own: floor and wall are half-spaces. */
START_TEST(a_rod_leaves_the_wall) {
  const double h = 0.5, r = 0.05, angle = 0.3; /* half length, radius, from the vertical */
  const shape_scene s = begin_scene(0, 0);
  const cdn_body body = add_free(&s, "rod", 1, 4 * h * h / 12, 4 * h * h / 12, 4 * h * h / 12);
  cdn_transform wall = { { { 0, 0, 1 }, { 0, 1, 0 }, { -1, 0, 0 } }, { 0, 0, 0 } };
  wall.R.x = cdn_v3(0, 0, -1), wall.R.z = cdn_v3(1, 0, 0);
  put(&s, "floor", cdn_ground(), half_space(), cdn_transform_identity());
  put(&s, "wall", cdn_ground(), half_space(), wall);
  put(&s, "rod", body, capsule(r, h), cdn_transform_identity());
  const double pose[7] = { cos(0.5 * -angle), 0, sin(0.5 * -angle), 0, r + h * sin(angle), 0, r + h * cos(angle) };
  cdn_state *state = free_state(&s, pose, NULL);
  cdn_stepper *run = event_run(state, 1e-9);
  ck_assert(run_to_event(run, "lets go", 5));
  NEAR((cdn_state_q(cdn_stepper_state(run))[6] - r) / h, 2 * cos(angle) / 3, 1e-7);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- one surface, several shapes for it ---- */

/* A block is pushed over the edge of a table, tips over corners and edges, slides back, and lies flat at last. The
 * table and the block are boxes, or hulls of the same corners, declared in either order. */
static void tip(bool hulls, bool block_first, double q[7]) {
  const shape_scene s = begin_scene(0.5, 0);
  const cdn_body body = add_free(&s, "block", 1, 0.01, 0.02, 0.03);
  const cdn_geometry block = hulls ? box_as_hull(0.1, 0.2, 0.3) : box(0.1, 0.2, 0.3);
  if (block_first) put(&s, "block", body, block, cdn_transform_identity());
  put(&s, "table", cdn_ground(), hulls ? box_as_hull(0.5, 0.5, 0.05) : box(0.5, 0.5, 0.05), at(0, 0, -0.05));
  if (!block_first) put(&s, "block", body, block, cdn_transform_identity());
  const double pose[7] = { 1, 0, 0, 0, 0, 0, 0.3 }, u[6] = { 0, 0, 0, 1, 0, 0 };
  cdn_state *state = free_state(&s, pose, u);
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-8;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  double before = INFINITY;
  for (int k = 1; k <= 20; k++) {
    double kinetic, potential;
    cdn_state *now = cdn_stepper_state(run);
    OK_STEP(run, cdn_stepper_advance(run, 0.08 * k, NULL));
    OK_ON(now, cdn_kinetic_energy(now, &kinetic));
    OK_ON(now, cdn_potential_energy(now, &potential));
    ck_assert_msg(kinetic + potential < before + 1e-7, "energy grows by %g", kinetic + potential - before);
    before = kinetic + potential;
  }
  memcpy(q, cdn_state_q(cdn_stepper_state(run)), 7 * sizeof *q);
  end_event_run(run, state);
}

START_TEST(a_block_tips_over_the_edge_of_a_table) {
  double boxes[7], other[7];
  tip(false, false, boxes);
  /* it lies on the side that was in front, without having gone through the table */
  NEAR(boxes[6], 0.1, 1e-9);
  NEAR(fabs(boxes[0]), sqrt(0.5), 1e-9);
  tip(true, false, other);
  for (int i = 0; i < 7; i++) NEAR(fabs(other[i]), fabs(boxes[i]), 1e-6);
  tip(false, true, other);
  for (int i = 0; i < 7; i++) NEAR(fabs(other[i]), fabs(boxes[i]), 1e-6);
}
END_TEST

/* ---- rest ---- */

typedef struct rest_case {
  const char *name;
  cdn_geometry below, above;
  double height; /* of the upper one's middle over that of the lower one */
  double turn;   /* about z */
  int contacts;
} rest_case;

static const rest_case rests[] = {
  { "a beam across a beam",
    { .kind = CDN_GEOMETRY_BOX, .size = { 1, 0.1, 0.1 } },
    { .kind = CDN_GEOMETRY_BOX, .size = { 1, 0.1, 0.1 } },
    0.2,
    1.5707963267948966,
    4 },
  { "a cube on a cube of its size",
    { .kind = CDN_GEOMETRY_BOX, .size = { 0.1, 0.1, 0.1 } },
    { .kind = CDN_GEOMETRY_BOX, .size = { 0.1, 0.1, 0.1 } },
    0.2,
    0,
    8 },
  { "a cube on a cube, turned",
    { .kind = CDN_GEOMETRY_BOX, .size = { 0.1, 0.1, 0.1 } },
    { .kind = CDN_GEOMETRY_BOX, .size = { 0.1, 0.1, 0.1 } },
    0.2,
    0.5,
    8 },
  { "a capsule along a box",
    { .kind = CDN_GEOMETRY_BOX, .size = { 0.5, 0.5, 0.1 } },
    { .kind = CDN_GEOMETRY_BOX, .size = { 0.2, 0.1, 0.05 } },
    0.15,
    0.3,
    4 },
  { "a cylinder stands on a box",
    { .kind = CDN_GEOMETRY_BOX, .size = { 0.5, 0.5, 0.1 } },
    { .kind = CDN_GEOMETRY_CYLINDER, .size = { 0.1, 0.2 } },
    0.3,
    0.3,
    8 },
};

START_TEST(what_rests_on_shapes_stays_there) {
  const rest_case *c = &rests[_i];
  const shape_scene s = begin_scene(0.5, 0);
  const cdn_body body = add_free(&s, "upper", 2, 0.05, 0.05, 0.05);
  put(&s, "lower", cdn_ground(), c->below, cdn_transform_identity());
  put(&s, "upper", body, c->above, cdn_transform_identity());
  const double pose[7] = { cos(0.5 * c->turn), 0, 0, sin(0.5 * c->turn), 0, 0, c->height };
  cdn_state *state = free_state(&s, pose, NULL);
  cdn_stepper *run = plain_run(state, 1e-8, 3);
  cdn_state *now = cdn_stepper_state(run);
  for (int i = 0; i < 7; i++) NEAR(cdn_state_q(now)[i], pose[i], 1e-9);
  double sum = 0, push;
  int carry = 0;
  for (int i = 0; i < cdn_system_one_sided_count(s.system); i++) {
    OK_ON(now, cdn_one_sided_push(now, (cdn_one_sided){ i }, &push));
    sum += push, carry += push > 1e-6;
  }
  ck_assert_msg(carry == c->contacts, "%s: %d contacts carry, not %d", c->name, carry, c->contacts);
  NEAR(sum, 2 * g, 1e-9 * 2 * g);
  /* the same as contacts of shapes: upwards on the upper one, without slip */
  int n;
  double told = 0;
  OK_ON(now, cdn_contact_count(now, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact contact;
    OK_ON(now, cdn_contact_get(now, i, &contact));
    ck_assert_int_eq(contact.b.i, 1);
    ck_assert_int_eq(contact.sticks, 1);
    NEAR(contact.normal.z, 1, 1e-12);
    NEAR(contact.depth, 0, 1e-9);
    told += contact.force;
  }
  NEAR(told, 2 * g, 1e-9 * 2 * g);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* A prism of 24 sides, as a hull, and a block, as a mesh, stand on the floor with all their corners below. */
static cdn_geometry prism_as_hull(void) {
  double corners[3 * 48];
  for (int i = 0; i < 48; i++) {
    const double angle = i / 2 * (2 * 3.14159265358979323846 / 24);
    corners[3 * i] = 0.1 * cos(angle), corners[3 * i + 1] = 0.1 * sin(angle), corners[3 * i + 2] = i % 2 ? 0.2 : -0.2;
  }
  cdn_surface *surface = NULL;
  OK(cdn_surface_create_convex(48, corners, &surface));
  return (cdn_geometry){ .kind = CDN_GEOMETRY_CONVEX, .surface = surface };
}

static cdn_geometry block_as_mesh(void) {
  static const int32_t triangles[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
  double corners[24];
  for (int i = 0; i < 24; i++) corners[i] = (i % 3 == 2 ? 0.2 : 0.1) * (i / 3 >> i % 3 & 1 ? 1 : -1);
  cdn_surface *surface = NULL;
  OK(cdn_surface_create_mesh(8, corners, 12, triangles, &surface));
  return (cdn_geometry){ .kind = CDN_GEOMETRY_MESH, .surface = surface };
}

START_TEST(hulls_and_meshes_stand_on_all_their_corners) {
  const shape_scene s = begin_scene(0.5, 0);
  const cdn_body body = add_free(&s, "upper", 2, 0.05, 0.05, 0.05);
  put(&s, "floor", cdn_ground(), half_space(), cdn_transform_identity());
  put(&s, "upper", body, _i ? block_as_mesh() : prism_as_hull(), cdn_transform_identity());
  const double pose[7] = { 1, 0, 0, 0, 0, 0, 0.25 };
  cdn_state *state = free_state(&s, pose, NULL);
  cdn_stepper *run = plain_run(state, 1e-8, 1);
  cdn_state *now = cdn_stepper_state(run);
  NEAR(cdn_state_q(now)[6], 0.2, 1e-9);
  int n;
  double sum = 0;
  OK_ON(now, cdn_contact_count(now, &n));
  ck_assert_int_eq(n, _i ? 4 : 24);
  for (int i = 0; i < n; i++) {
    cdn_contact contact;
    OK_ON(now, cdn_contact_get(now, i, &contact));
    sum += contact.force;
  }
  NEAR(sum, 2 * g, 1e-9 * 2 * g);
  end_event_run(run, state);
}
END_TEST

/* ---- bad input ---- */

START_TEST(too_few_slots_are_named) {
  shape_scene s = begin_scene(0.5, 0);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_RIGID, contact.rigid_slots = 2;
  cdn_system_set_contact(s.system, &contact);
  const cdn_body body = add_free(&s, "block", 1, 0.01, 0.02, 0.03);
  put(&s, "floor", cdn_ground(), half_space(), cdn_transform_identity());
  put(&s, "block", body, box(0.1, 0.2, 0.3), cdn_transform_identity());
  const double pose[7] = { 1, 0, 0, 0, 0, 0, 0.3 };
  cdn_state *state = free_state(&s, pose, NULL);
  ck_assert_int_eq(cdn_settle(state, 0), CDN_ERR_LIMIT);
  cdn_error error;
  cdn_state_last_error(state, &error);
  ck_assert_msg(strstr(error.text, "'block'") && strstr(error.text, "rigid_slots"), "%s", error.text);
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, shapes_roll_and_slide_down_a_slope, 0, 2 * N_SLIDES);
  tcase_add_test(c, a_ball_leaves_a_ball);
  tcase_add_test(c, a_rod_leaves_the_wall);
  tcase_add_test(c, a_block_tips_over_the_edge_of_a_table);
  tcase_add_loop_test(c, what_rests_on_shapes_stays_there, 0, sizeof rests / sizeof *rests);
  tcase_add_loop_test(c, hulls_and_meshes_stand_on_all_their_corners, 0, 2);
  tcase_add_test(c, too_few_slots_are_named);
}

CHECK_MAIN_OF("hybrid shapes", 60, add)
