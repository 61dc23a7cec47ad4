/* Hulls and meshes that touch rigidly: on what they stand, how they pile up, and meshes that are not convex. */
#include "shape_scenes.h"

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

START_TEST(hulls_and_meshes_stand_on_all_their_corners) {
  const shape_scene s = begin_scene(0.5, 0);
  const cdn_body body = add_free(&s, "upper", 2, 0.05, 0.05, 0.05);
  put_shape(&s, "floor", cdn_ground(), half_space(), cdn_transform_identity());
  put_shape(&s, "upper", body, _i ? block_of(CDN_GEOMETRY_MESH, 0.1, 0.1, 0.2) : prism_as_hull(),
            cdn_transform_identity());
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

/* A brick falls flat on another one, and both on the floor, all of them meshes: the times are those of falls. */
START_TEST(bricks_of_meshes_pile_up) {
  const shape_scene s = begin_scene(0.5, 0);
  cdn_body bricks[2];
  const double pose[14] = {
    1, 0, 0, 0, 0, 0, 0.15, 1, 0, 0, 0, 0.02, 0.01, 0.4
  }; /* 0.1 and 0.25 m above what is below */
  for (int k = 0; k < 2; k++) bricks[k] = add_free(&s, k ? "upper" : "lower", 1, 0.01, 0.01, 0.01);
  put_shape(&s, "floor", cdn_ground(), block_of(CDN_GEOMETRY_MESH, 1, 1, 0.1), placed(0, 0, -0.1));
  for (int k = 0; k < 2; k++)
    put_shape(&s, k ? "b" : "a", bricks[k], block_of(CDN_GEOMETRY_MESH, 0.2, 0.1, 0.05), cdn_transform_identity());
  cdn_state *state = free_state(&s, pose, NULL);
  cdn_stepper *run = event_run(state, 1e-9);
  const double falls[] = { sqrt(2 * 0.1 / g), sqrt(2 * 0.25 / g) };
  for (int k = 0; k < 2; k++) {
    ck_assert(run_to_event(run, "touches", 2));
    NEAR(cdn_state_time(cdn_stepper_state(run)), falls[k], 1e-8);
  }
  ck_assert(!run_to_event(run, "lets go", 1));
  const double *q = cdn_state_q(cdn_stepper_state(run));
  NEAR(q[6], 0.05, 1e-9);
  NEAR(q[13], 0.15, 1e-9);
  NEAR(q[11], 0.02, 1e-9);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* A block with a notch, an L in the x-y plane, 0.1 m thick, about the middle of the plate. */
static cdn_geometry notched(void) {
  enum { CORNERS = 6 };
  static const double L[CORNERS][2] = { { 0, 0 }, { 0.2, 0 }, { 0.2, 0.1 }, { 0.1, 0.1 }, { 0.1, 0.2 }, { 0, 0.2 } };
  double corners[6 * CORNERS];
  int32_t triangles[60];
  for (int i = 0; i < 2 * CORNERS; i++)
    corners[3 * i] = L[i % CORNERS][0], corners[3 * i + 1] = L[i % CORNERS][1],
                corners[3 * i + 2] = i < CORNERS ? 0 : 0.1;
  static const int32_t cap[12] = { 0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5 };
  for (int i = 0; i < 12; i++) triangles[i] = cap[11 - i], triangles[12 + i] = cap[i] + CORNERS;
  for (int32_t a = 0; a < CORNERS; a++) {
    const int32_t b = (a + 1) % CORNERS, side[6] = { a, b, b + CORNERS, a, b + CORNERS, a + CORNERS };
    memcpy(&triangles[24 + 6 * a], side, sizeof side);
  }
  cdn_surface *surface = NULL;
  OK(cdn_surface_create_mesh(2 * CORNERS, corners, 20, triangles, &surface));
  return (cdn_geometry){ .kind = CDN_GEOMETRY_MESH, .surface = surface };
}

/* It is not convex: two of them do not touch rigidly, and a message says so. */
START_TEST(meshes_that_are_not_convex_are_named) {
  const shape_scene s = begin_scene(0.5, 0);
  for (int k = 0; k < 2; k++)
    put_shape(&s, k ? "second" : "first", add_free(&s, k ? "b" : "a", 1, 0.01, 0.01, 0.01), notched(),
              cdn_transform_identity());
  cdn_error error;
  ck_assert_int_eq(cdn_system_freeze(s.system), CDN_ERR_UNSUPPORTED);
  cdn_system_last_error(s.system, &error);
  ck_assert_msg(strstr(error.text, "'first' (a mesh)") && strstr(error.text, "convex pieces"), "%s", error.text);
  cdn_system_release(s.system);
}
END_TEST

/* On a box or a hull it stands on its vertices: the pushes bear its weight, and it falls no farther. */
START_TEST(a_mesh_that_is_not_convex_stands_on_faces) {
  const shape_scene s = begin_scene(0.5, 0);
  const cdn_body body = add_free(&s, "upper", 2, 0.02, 0.02, 0.02);
  put_shape(&s, "table", cdn_ground(), block_of(_i ? CDN_GEOMETRY_CONVEX : CDN_GEOMETRY_BOX, 1, 1, 0.1),
            placed(0, 0, -0.1));
  put_shape(&s, "upper", body, notched(), placed(-0.08, -0.08, 0));
  cdn_state *state = free_state(&s, (double[]){ 1, 0, 0, 0, 0.1, 0.2, 0.05 }, NULL);
  cdn_stepper *run = plain_run(state, 1e-8, 0.5);
  cdn_state *now = cdn_stepper_state(run);
  NEAR(cdn_state_q(now)[6], 0, 1e-9);
  NEAR(cdn_state_q(now)[4], 0.1, 1e-9);
  double sum = 0;
  int n;
  OK_ON(now, cdn_contact_count(now, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact contact;
    OK_ON(now, cdn_contact_get(now, i, &contact));
    sum += contact.force;
  }
  NEAR(sum, 2 * g, 1e-8);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, hulls_and_meshes_stand_on_all_their_corners, 0, 2);
  tcase_add_test(c, bricks_of_meshes_pile_up);
  tcase_add_test(c, meshes_that_are_not_convex_are_named);
  tcase_add_loop_test(c, a_mesh_that_is_not_convex_stands_on_faces, 0, 2);
}

CHECK_MAIN_OF("hybrid meshes", 60, add)
