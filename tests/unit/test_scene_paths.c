/* Pictures of paths: lines along straight parts and arcs; nothing leads from one part to the next. Their colours tell
 * what pulls. */
#include <cardan/actuators.h>
#include <cardan/scene.h>
#include <cardan/soft_elements.h>

#include <math.h>

#include <string.h>

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

/* Blue without activation, red with all of it, and in equal steps between; a motor's colour is its pull over the
 * model's weight; a path that nothing pulls has another colour. */
START_TEST(colours_tell_what_pulls) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  cdn_state *state;
  cdn_scene *scene;
  enum { PATHS = 3 };
  body.mobilizer = CDN_SLIDER, body.mass.mass = 2;
  const cdn_body b = cdn_system_add_body(system, &body);
  cdn_path path[PATHS];
  cdn_control c[2];
  for (int i = 0; i < PATHS; i++) {
    path[i] = cdn_system_add_path(system, NULL);
    cdn_path_add_point(system, path[i], cdn_ground(), cdn_v3(-1, 1 + i, 0));
    cdn_path_add_point(system, path[i], b, cdn_v3(1, 1 + i, 0));
  }
  for (int i = 0; i < 2; i++) {
    cdn_control_def control = cdn_default_control_def();
    c[i] = cdn_system_add_control(system, &control);
    cdn_drive_def def = cdn_default_drive_def();
    def.control = c[i], def.on = CDN_ON_PATH, def.path = path[i], def.gear[0] = -1.5;
    if (i == 0) def.dynamics = CDN_ACTUATOR_MUSCLE, def.time[0] = 0.01, def.time[1] = 0.04;
    cdn_system_add_drive(system, NULL, &def);
  }
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_scene_def def = cdn_default_scene_def();
  def.layers = CDN_LAYER_PATHS;
  OK(cdn_scene_create(state, &def, &scene));
  float at[3][PATHS][4];
  for (int k = 0; k < 3; k++) {
    int n;
    const double a = 0.5 * k;
    OK_ON(state, cdn_state_set_z(state, &a));
    OK_ON(state, cdn_control_set(state, c[1], -0.5 * k * 2 * 9.80665 / 1.5));
    OK_ON(state, cdn_scene_update(scene, state));
    const cdn_mark *marks = cdn_scene_marks(scene, &n);
    ck_assert_int_eq(n, PATHS);
    for (int i = 0; i < PATHS; i++) memcpy(at[k][i], marks[i].rgba, sizeof at[k][i]);
  }
  ck_assert(at[0][0][2] > 0.8f && at[0][0][0] < 0.3f && at[2][0][0] > 0.8f && at[2][0][2] < 0.3f);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++) NEAR(at[1][i][j], 0.5 * (at[0][i][j] + at[2][i][j]), 2e-3); /* weight: g to 2e-3 */
  for (int k = 0; k < 3; k++) {
    ck_assert_mem_eq(at[k][2], at[0][2], sizeof at[k][2]);
    ck_assert(at[k][2][2] < 0.8f && at[k][2][0] < 0.8f);
  }
  cdn_scene_destroy(scene);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* The colours of the marks of three paths, in their order. */
static void read_colours(cdn_scene *scene, cdn_state *state, float rgba[3][4]) {
  int n;
  OK_ON(state, cdn_scene_update(scene, state));
  const cdn_mark *marks = cdn_scene_marks(scene, &n);
  ck_assert_int_eq(n, 3);
  for (int i = 0; i < 3; i++) memcpy(rgba[i], marks[i].rgba, sizeof rgba[i]);
}

/* What pulls by itself counts as actuators do, and all that pulls along a path is summed up: a spring of 30 N and a
 * motor of 30 N have the colour of 60 N; a damper of 60 N, too; and a limit that is a soft row has that of a stop with
 * the same force. */
START_TEST(colours_tell_passive_tension) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  cdn_state *state;
  cdn_scene *scene;
  body.mobilizer = CDN_SLIDER, body.mass.mass = 20;
  const cdn_body b = cdn_system_add_body(system, &body);
  cdn_path path[3];
  for (int i = 0; i < 3; i++) {
    path[i] = cdn_system_add_path(system, NULL);
    cdn_path_add_point(system, path[i], cdn_ground(), cdn_v3(-1, 1 + i, 0));
    cdn_path_add_point(system, path[i], b, cdn_v3(1, 1 + i, 0));
  }
  cdn_control_def control = cdn_default_control_def();
  cdn_drive_def motor = cdn_default_drive_def();
  const cdn_control c = motor.control = cdn_system_add_control(system, &control);
  motor.on = CDN_ON_PATH, motor.path = path[0], motor.gear[0] = -1;
  cdn_system_add_drive(system, NULL, &motor);
  cdn_system_add_path_spring(system, NULL, path[0], 300, 1.9, 1.9); /* 0.1 m too long: 30 N */
  cdn_system_add_path_damper(system, NULL, path[1], 20);
  cdn_soft_tendon_def limit = cdn_default_soft_tendon_def();
  limit.path = path[2], limit.upper = 1.999;
  const cdn_soft_element row = cdn_system_add_soft_tendon(system, &limit);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_scene_def def = cdn_default_scene_def();
  def.layers = CDN_LAYER_PATHS;
  OK(cdn_scene_create(state, &def, &scene));
  float at[3][4], none[3][4];
  OK(cdn_control_set(state, c, -30)); /* against the spring: nothing is left of both */
  read_colours(scene, state, none);
  for (int k = 0; k < 4; k++) NEAR(none[0][k], none[1][k], 1e-6);
  OK(cdn_control_set(state, c, 30));
  OK(cdn_state_set_u(state, (double[]){ 3 }));
  read_colours(scene, state, at);
  for (int k = 0; k < 4; k++) NEAR(at[0][k], at[1][k], 1e-6);
  ck_assert(at[0][0] > none[0][0] + 0.05f);
  /* the row's force is 20 kg times the acceleration less what the others make of it */
  cdn_soft_group group;
  OK_ON(state, cdn_soft_get(state, 0, &group));
  ck_assert_int_eq(group.element, row.i);
  const double part = fmin(fabs(group.force[0]) / (20 * 9.81), 1);
  for (int k = 0; k < 4; k++) NEAR(at[2][k], none[0][k] + (at[1][k] - none[0][k]) * part / (60 / (20 * 9.81)), 1e-5);
  cdn_scene_destroy(scene);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("pictures of paths", paths_are_lines, colours_tell_what_pulls, colours_tell_passive_tension)
