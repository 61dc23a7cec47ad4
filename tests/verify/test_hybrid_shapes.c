/* Rigid contact of shapes: closed forms of rolling, sliding and leaving, the same scenes with other shapes for the same
 * surfaces, features that hand over to each other, and what users get wrong. */
#include "shape_scenes.h"

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
  { "a mesh slides", { .kind = CDN_GEOMETRY_MESH, .size = { 0.2, 0.2, 0.1 } }, 0.1, 0, 0.6, 0.3 },
  { "a mesh stays", { .kind = CDN_GEOMETRY_MESH, .size = { 0.2, 0.2, 0.1 } }, 0.1, 0, 0.2, 0.3 },
};

enum { N_SLIDES = sizeof slides / sizeof *slides };

/* Along the slope: what rolls has g sin(alpha) / (1 + k), while friction suffices for it. */
static double acceleration_of(const slide_case *c) {
  const double pull = g * sin(c->alpha), most = c->mu * g * cos(c->alpha);
  const double needed = c->k > 0 ? pull * c->k / (1 + c->k) : pull;
  return pull - fmin(needed, most);
}

/* Of boxes in tables, and of the same solids as meshes. */
static cdn_geometry made(cdn_geometry of) {
  return of.kind == CDN_GEOMETRY_MESH ? block_of(of.kind, of.size[0], of.size[1], of.size[2]) : of;
}

START_TEST(shapes_roll_and_slide_down_a_slope) {
  static const cdn_geometry_kind floors[] = { CDN_GEOMETRY_HALF_SPACE, CDN_GEOMETRY_BOX, CDN_GEOMETRY_MESH };
  const slide_case *c = &slides[_i % N_SLIDES];
  const cdn_geometry_kind floor = floors[_i / N_SLIDES];
  const shape_scene s = begin_scene(c->mu, 0);
  const double J = c->k > 0 ? c->k * c->height * c->height : 0.02;
  const cdn_body body = add_free(&s, "body", 1, J, J, J);
  cdn_transform X = slope(c->alpha);
  /* the floor as a half-space, and as the upper side of a box or of a mesh */
  if (floor != CDN_GEOMETRY_HALF_SPACE) X.p = cdn_scale(-0.5, X.R.z);
  put_shape(&s, "floor", cdn_ground(), floor == CDN_GEOMETRY_HALF_SPACE ? half_space() : block_of(floor, 20, 5, 0.5),
            X);
  put_shape(&s, "shape", body, made(c->shape), cdn_transform_identity());
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
  put_shape(&s, "hill", cdn_ground(), sphere(R), cdn_transform_identity());
  put_shape(&s, "ball", body, sphere(r), cdn_transform_identity());
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
  put_shape(&s, "floor", cdn_ground(), half_space(), cdn_transform_identity());
  put_shape(&s, "wall", cdn_ground(), half_space(), wall);
  put_shape(&s, "rod", body, capsule(r, h), cdn_transform_identity());
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
 * table and the block are boxes, or hulls or meshes of the same corners, declared in either order. */
static void tip(cdn_geometry_kind block_kind, cdn_geometry_kind table_kind, bool block_first, double q[7]) {
  const shape_scene s = begin_scene(0.5, 0);
  const cdn_body body = add_free(&s, "block", 1, 0.01, 0.02, 0.03);
  const cdn_geometry block = block_of(block_kind, 0.1, 0.2, 0.3), table = block_of(table_kind, 0.5, 0.5, 0.05);
  if (block_first) put_shape(&s, "block", body, block, cdn_transform_identity());
  put_shape(&s, "table", cdn_ground(), table, placed(0, 0, -0.05));
  if (!block_first) put_shape(&s, "block", body, block, cdn_transform_identity());
  const double pose[7] = { 1, 0, 0, 0, 0, 0, 0.3 }, u[6] = { 0, 0, 0, 1, 0, 0 };
  cdn_state *state = free_state(&s, pose, u);
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-8;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  double before = INFINITY;
  for (int k = 1; k <= 20; k++) {
    cdn_proximity near;
    cdn_state *now = cdn_stepper_state(run);
    OK_STEP(run, cdn_stepper_advance(run, 0.08 * k, NULL));
    const double energy = scene_energy(now);
    ck_assert_msg(energy < before + 1e-7, "energy grows by %g", energy - before);
    before = energy;
    OK_ON(now, cdn_shapes_distance(now, (cdn_shape){ 0 }, (cdn_shape){ 1 }, &near));
    ck_assert_msg(near.distance > -1e-8, "they overlap by %g", -near.distance);
  }
  memcpy(q, cdn_state_q(cdn_stepper_state(run)), 7 * sizeof *q);
  end_event_run(run, state);
}

START_TEST(a_block_tips_over_the_edge_of_a_table) {
  static const struct {
    cdn_geometry_kind block, table;
    bool block_first;
  } same[] = { { CDN_GEOMETRY_CONVEX, CDN_GEOMETRY_CONVEX, false },
               { CDN_GEOMETRY_BOX, CDN_GEOMETRY_BOX, true },
               { CDN_GEOMETRY_MESH, CDN_GEOMETRY_MESH, false },
               { CDN_GEOMETRY_MESH, CDN_GEOMETRY_BOX, true },
               { CDN_GEOMETRY_BOX, CDN_GEOMETRY_MESH, false } };
  double boxes[7], other[7];
  tip(CDN_GEOMETRY_BOX, CDN_GEOMETRY_BOX, false, boxes);
  /* it lies on the side that was in front, without having gone through the table */
  NEAR(boxes[6], 0.1, 1e-9);
  NEAR(fabs(boxes[0]), sqrt(0.5), 1e-9);
  for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
    tip(same[k].block, same[k].table, same[k].block_first, other);
    for (int i = 0; i < 7; i++) NEAR(fabs(other[i]), fabs(boxes[i]), 1e-6);
  }
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
  { "a mesh on a mesh of its size",
    { .kind = CDN_GEOMETRY_MESH, .size = { 0.1, 0.1, 0.1 } },
    { .kind = CDN_GEOMETRY_MESH, .size = { 0.1, 0.1, 0.1 } },
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
  put_shape(&s, "lower", cdn_ground(), made(c->below), cdn_transform_identity());
  put_shape(&s, "upper", body, made(c->above), cdn_transform_identity());
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

/* ---- bad input ---- */

START_TEST(too_few_slots_are_named) {
  shape_scene s = begin_scene(0.5, 0);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_RIGID, contact.rigid_slots = 2;
  cdn_system_set_contact(s.system, &contact);
  const cdn_body body = add_free(&s, "block", 1, 0.01, 0.02, 0.03);
  put_shape(&s, "floor", cdn_ground(), half_space(), cdn_transform_identity());
  put_shape(&s, "block", body, box(0.1, 0.2, 0.3), cdn_transform_identity());
  const double pose[7] = { 1, 0, 0, 0, 0, 0, 0.3 };
  cdn_state *state = free_state(&s, pose, NULL);
  ck_assert_int_eq(cdn_settle(state, 0), CDN_ERR_LIMIT);
  cdn_error error;
  cdn_state_last_error(state, &error);
  ck_assert_msg(strstr(error.text, "'block'") && strstr(error.text, "rigid_slots"), "%s", error.text);
  cdn_state_destroy(state);
}
END_TEST

/* A run does not go on from there, so it must not say that another call would. */
START_TEST(a_run_with_too_few_slots_ends) {
  shape_scene s = begin_scene(0.5, 0);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_RIGID, contact.rigid_slots = 2;
  cdn_system_set_contact(s.system, &contact);
  const cdn_body body = add_free(&s, "block", 1, 0.01, 0.02, 0.03);
  put_shape(&s, "floor", cdn_ground(), half_space(), cdn_transform_identity());
  put_shape(&s, "block", body, box(0.1, 0.2, 0.3), cdn_transform_identity());
  const double pose[7] = { 1, 0, 0, 0, 0, 0, 0.5 };
  cdn_state *state = free_state(&s, pose, NULL);
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_failure failure;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  ck_assert_int_eq(cdn_stepper_advance(run, 1, NULL), CDN_ERR_STEP);
  cdn_stepper_failure(run, &failure);
  ck_assert_msg(strstr(failure.error.text, "'block'") && strstr(failure.error.text, "rigid_slots"), "%s",
                failure.error.text);
  end_event_run(run, state);
}
END_TEST

/* Balls of 1 kg in a groove between two planes of 45 degrees, one on top of two others. Each of the two lower ones
 * touches both planes, the upper one, and a wall at its end of the groove: eight contacts of three balls. */
START_TEST(balls_in_a_groove_have_slots_enough) {
  const double r = 0.1, lean = sqrt(0.5), apart = 0.11, height = sqrt(4 * r * r - apart * apart);
  const shape_scene s = begin_scene(0, 0);
  double pose[21] = { 0 };
  for (int k = -1; k <= 1; k += 2) {
    const cdn_transform side = { { { lean, 0, -k * lean }, { 0, 1, 0 }, { k * lean, 0, lean } }, { 0, 0, 0 } };
    const cdn_transform end = { { { 1, 0, 0 }, { 0, 0, k }, { 0, -k, 0 } }, { 0, k * (apart + r), 0 } };
    put_shape(&s, k < 0 ? "left" : "right", cdn_ground(), half_space(), side);
    put_shape(&s, k < 0 ? "front" : "back", cdn_ground(), half_space(), end);
  }
  for (int i = 0; i < 3; i++) {
    const cdn_body ball = add_free(&s, (const char *[]){ "a", "b", "top" }[i], 1, 0.004, 0.004, 0.004);
    put_shape(&s, (const char *[]){ "a", "b", "top" }[i], ball, sphere(r), cdn_transform_identity());
    pose[7 * i] = 1, pose[7 * i + 5] = i == 0 ? -apart : i == 1 ? apart : 0;
    pose[7 * i + 6] = r / lean + (i == 2 ? height : 0);
  }
  cdn_state *state = free_state(&s, pose, NULL);
  cdn_stepper *run = plain_run(state, 1e-6, 0.5);
  cdn_state *now = cdn_stepper_state(run);
  const double between = g / (2 * height / (2 * r)), wall = between * apart / (2 * r), side = 1.5 * g / (2 * lean);
  int n;
  OK_ON(now, cdn_contact_count(now, &n));
  ck_assert_int_eq(n, 8);
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    OK_ON(now, cdn_contact_get(now, i, &c));
    const bool of_end = fabs(c.normal.y) > 0.99, of_balls = !of_end && fabs(c.normal.y) > 0.1;
    NEAR(c.force, of_end ? wall : of_balls ? between : side, 1e-6);
  }
  for (int i = 0; i < 21; i++) NEAR(cdn_state_q(now)[i], pose[i], 1e-8);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, shapes_roll_and_slide_down_a_slope, 0, 3 * N_SLIDES);
  tcase_add_test(c, a_ball_leaves_a_ball);
  tcase_add_test(c, a_rod_leaves_the_wall);
  tcase_add_test(c, a_block_tips_over_the_edge_of_a_table);
  tcase_add_loop_test(c, what_rests_on_shapes_stays_there, 0, sizeof rests / sizeof *rests);
  tcase_add_test(c, too_few_slots_are_named);
  tcase_add_test(c, a_run_with_too_few_slots_ends);
  tcase_add_test(c, balls_in_a_groove_have_slots_enough);
}

CHECK_MAIN_OF("hybrid shapes", 60, add)
