/* Checks of elements find nothing wrong with the kinds that the library brings: mobilizers and forces of random trees,
 * with and without z, and every kind of constraint. */
#include "constraint_samples.h"

#include <cardan/media.h>

static void nothing_wrong(cdn_status status, cdn_check *check, const char *what) {
  ck_assert_msg(status == CDN_OK, "%s: %s", what, cdn_last_error_text());
  ck_assert_msg(cdn_check_count(check) == 0, "%s: %s", what, cdn_check_text(check));
  ck_assert_msg(cdn_check_poses(check) > 0, "%s: %s", what, cdn_check_text(check));
  cdn_check_destroy(check);
}

START_TEST(test_mobilizers) {
  bool seen[CDN_MOBILIZER_COUNT] = { false };
  for (uint64_t seed = 0; seed < 10; seed++) {
    const tree_options options = { .bodies = 24, .shape = 500 + seed, .numbers = 600 + seed };
    random_tree tree = make_random_tree(&options);
    cdn_state *state = random_tree_state(&tree, seed);
    cdn_check_def def = cdn_default_check_def();
    def.poses = 3;
    for (int i = 1; i <= tree.bodies; i++) {
      cdn_check *check = NULL;
      const cdn_status status = cdn_check_mobilizer(state, (cdn_body){ i }, &def, &check);
      nothing_wrong(status, check, cdn_mobilizer_name(tree.kind[i]));
      seen[tree.kind[i]] = true;
    }
    cdn_state_destroy(state);
  }
  for (int k = 0; k < CDN_MOBILIZER_COUNT; k++)
    ck_assert_msg(seen[k], "%s was not checked", cdn_mobilizer_name((cdn_mobilizer)k));
}
END_TEST

START_TEST(test_forces) {
  for (uint64_t seed = 0; seed < 8; seed++) {
    const tree_options options = { .bodies = 6, .shape = 700 + seed, .numbers = 800 + seed, .forces = true };
    random_tree tree = make_random_tree(&options);
    const double k[6] = { 3, 4, 5, 60, 70, 80 }, c[6] = { 0.3, 0.4, 0.5, 6, 7, 8 };
    cdn_transform X = cdn_transform_identity();
    X.p = cdn_v3(0.1, 0.2, -0.3);
    cdn_system_add_linear_bushing(tree.system, "bushing", (cdn_body){ 1 }, X, (cdn_body){ 4 }, X, k, c);
    cdn_system_add_two_point_force(tree.system, "rocket", (cdn_body){ 0 }, cdn_v3(3, 0, 0), (cdn_body){ 2 },
                                   cdn_v3(0, 0, 0), 4);
    cdn_system_add_global_damper(tree.system, "thick air", 0.2);
    for (int i = 1; i <= tree.bodies; i++) {
      const double law[3] = { 2, -0.5, 1 };
      if (tree.kind[i] == CDN_FREE && cdn_body_has_quaternion(tree.system, (cdn_body){ i }))
        cdn_system_add_rotation_damper(tree.system, NULL, (cdn_body){ i }, law);
      if (tree.kind[i] == CDN_FREE || tree.kind[i] == CDN_TRANSLATION)
        cdn_system_add_position_spring(tree.system, NULL, (cdn_body){ i }, law, cdn_v3(0.1, 0.2, 0.3));
    }
    cdn_fluid_box_def air = cdn_default_fluid_box_def();
    air.body.i = 3, air.X_BF = X, air.density = 1.2, air.viscosity = 0.1, air.wind = cdn_v3(1, 2, 3);
    cdn_fluid_ellipsoid_def water = cdn_default_fluid_ellipsoid_def();
    water.body.i = 2, water.X_BF = X, water.density = 3, water.viscosity = 0.1, water.wind = cdn_v3(1, 2, 3);
    for (int i = 0; i < 3; i++) air.half[i] = water.half[i] = 0.1 * (i + 2);
    cdn_system_add_fluid_box(tree.system, "air", &air);
    cdn_system_add_fluid_ellipsoid(tree.system, "water", &water);
    cdn_smooth_contact_def smooth = cdn_default_smooth_contact_def();
    smooth.name = "sole", smooth.plane_body.i = 1, smooth.ball_body.i = 5, smooth.radius = 0.5, smooth.modulus = 1e3;
    smooth.depth_sharpness = 5, smooth.transition_velocity = 0.5;
    cdn_system_add_smooth_contact(tree.system, &smooth);
    cdn_state *state = random_tree_state(&tree, seed);
    const cdn_system *system = cdn_state_system(state);
    cdn_check_def def = cdn_default_check_def();
    def.poses = 3;
    for (int i = 0; i < cdn_system_force_count(system); i++) {
      cdn_check *check = NULL;
      const cdn_status status = cdn_check_force(state, (cdn_force){ i }, &def, &check);
      nothing_wrong(status, check, cdn_force_kind_name(system, (cdn_force){ i }));
    }
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(test_constraints) {
  for (int k = 0; k < 8 * constraint_sample_count(); k++) {
    const int i = k / 8;
    rng r = rng_of(900 + (uint64_t)k);
    const tree_options options = { .bodies = 4, .shape = 900 + (uint64_t)k, .numbers = 901 };
    random_tree tree = make_random_tree(&options);
    const constraint_place place = constraint_place_on(&tree, &r);
    const cdn_constraint id = constraint_sample_add(i, &place, &r);
    cdn_state *state = random_tree_state(&tree, 3);
    cdn_check_def def = cdn_default_check_def();
    def.poses = 3;
    cdn_check *check = NULL;
    const cdn_status status = cdn_check_constraint(state, id, &def, &check);
    nothing_wrong(status, check, constraint_sample_at(i)->name);
    cdn_state_destroy(state);
  }
}
END_TEST

CHECK_MAIN("checks of all kinds", test_mobilizers, test_forces, test_constraints)
