/* Pictures of paths: lines along straight parts and arcs; nothing leads from one part to the next. */
#include <cardan/scene.h>

#include "../testing.h"

START_TEST(paths_are_lines) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  cdn_state *state;
  cdn_scene *scene;
  double q = 0;
  body.mobilizer = CDN_SLIDER, body.mass.mass = 1, body.q0 = &q;
  const cdn_body b = cdn_system_add_body(system, &body);
  const cdn_path path = cdn_system_add_path(system, "cable"), sum = cdn_system_add_path(system, "sum");
  cdn_path_add_point(system, path, cdn_ground(), cdn_v3(-1, 0.1, 0));
  cdn_path_add_cylinder(system, path, cdn_ground(), NULL, 0.5);
  cdn_path_add_point(system, path, b, cdn_v3(1, 0.1, 0));
  cdn_path_add_pulley(system, path, 2);
  cdn_path_add_point(system, path, b, cdn_v3(2, 2, 0));
  cdn_path_add_point(system, path, cdn_ground(), cdn_v3(2, 3, 0));
  cdn_path_add_coordinate(system, sum, b, 0, 2);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_scene_def def = cdn_default_scene_def();
  def.layers = CDN_LAYER_PATHS;
  OK(cdn_scene_create(state, &def, &scene));
  OK_ON(state, cdn_scene_update(scene, state));
  int n;
  double length = 0, shown = 0;
  const cdn_mark *marks = cdn_scene_marks(scene, &n);
  ck_assert_int_gt(n, 5);
  for (int i = 0; i < n; i++) {
    ck_assert(marks[i].kind == CDN_MARK_LINE && marks[i].layer == CDN_LAYER_PATHS);
    shown += marks[i].size[0];
  }
  OK_ON(state, cdn_path_length(state, path, &length));
  NEAR(shown, length + 0.5, 1e-2); /* the last part counts half in the length; arcs are polygons */
  NEAR(marks[n - 1].X_G.p.y, 2, 1e-15);
  NEAR(marks[n - 1].size[0], 1, 1e-15);
  cdn_scene_destroy(scene);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("pictures of paths", paths_are_lines)
