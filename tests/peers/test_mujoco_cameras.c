/* Cameras and lights of MJCF in Cardan's scenes and in MuJoCo 2.2.2: the same file, the same random poses. Places and
 * axes are sums and products over a few links: some hundred roundings of numbers of size 1 to 10. */
#include "mujoco_bridge.h"

#include "../testing.h"
#include "random_mjcf.h"

static const char text[] =
    "<mujoco><compiler angle='radian' eulerseq='zyx'/>"
    "<default><camera fovy='50'/><light diffuse='.2 .3 .4'/>"
    " <default class='near'><camera pos='0.3 -0.4 0.1' xyaxes='1 0.1 0 0 0.2 1' fovy='35'/><light dir='1 0 "
    "-1'/></default>"
    "</default><worldbody>"
    " <camera name='post' pos='3 -2 1' euler='0.3 0.4 0.5'/><camera name='watch' pos='1 2 3' mode='targetbody' "
    "target='arm'/>"
    " <camera name='watch all' pos='1 2 3' mode='targetbodycom' target='base'/>"
    " <light name='spot' pos='0 -6 4' mode='targetbodycom' target='base'/><light pos='1 -6 4' mode='targetbody' "
    "target='arm'/>"
    " <light name='sun' directional='true' pos='0 0 4' dir='0.1 0.2 -1'/><light name='off' active='false'/>"
    " <body name='base' pos='0 0 1' euler='0.2 0.1 0'><freejoint name='root'/>"
    "  <inertial pos='0.01 -0.02 0.03' mass='2' diaginertia='0.03 0.04 0.05'/>"
    "  <camera name='fixed' pos='0 -1 0' zaxis='0 -1 0.2'/><camera name='near' class='near'/>"
    "  <camera name='track' mode='track' pos='0 -3 0.5' xyaxes='1 0 0 0 0.3 1'/>"
    "  <camera name='track com' mode='trackcom' pos='0 -3 0.5' xyaxes='1 0 0 0 0.3 1'/>"
    "  <light name='lamp' pos='0 0 0.3' class='near'/><light name='top' pos='0 0 2' mode='trackcom'/>"
    "  <light pos='0.1 0.2 2' dir='1 2 -3' mode='track'/>"
    "  <body name='arm' pos='0.2 0 0' euler='0.1 0.2 0.3'><joint name='hinge' axis='0 1 1' pos='0 0.05 0' ref='0.2'/>"
    "   <inertial pos='0 0 -0.2' mass='1' diaginertia='0.02 0.02 0.01'/>"
    "   <camera name='arm track' mode='trackcom' class='near'/><camera name='back' mode='targetbody' target='base'/>"
    "  </body></body></worldbody></mujoco>";

static void near3(const char *name, cdn_vec3 ours, const mjtNum *theirs, int stride) {
  const double v[3] = { ours.x, ours.y, ours.z };
  for (int k = 0; k < 3; k++)
    ck_assert_msg(fabs(v[k] - theirs[stride * k]) <= 1e-13 * 10, "%s: %.17g, MuJoCo %.17g", name, v[k],
                  theirs[stride * k]);
}

static int find_camera(const cdn_scene *scene, const char *name) {
  for (int i = 0; i < cdn_scene_camera_count(scene); i++)
    if (strcmp(cdn_scene_camera_name(scene, i), name) == 0) return i;
  ck_abort_msg("no camera '%s'", name);
}

static void compare(const mjModel *m, const mjData *d, const cdn_scene *scene) {
  for (int i = 0; i < m->ncam; i++) {
    const char *name = mj_id2name(m, mjOBJ_CAMERA, i);
    cdn_view_point view;
    OK(cdn_scene_camera_view(scene, find_camera(scene, name), &view));
    NEAR(view.fovy, m->cam_fovy[i] * PI / 180, 1e-15);
    near3(name, view.X_GC.p, d->cam_xpos + 3 * i, 1);
    near3(name, view.X_GC.R.x, d->cam_xmat + 9 * i, 3);
    near3(name, view.X_GC.R.y, d->cam_xmat + 9 * i + 1, 3);
    near3(name, view.X_GC.R.z, d->cam_xmat + 9 * i + 2, 3);
  }
  ck_assert_int_eq(cdn_scene_light_count(scene), 6); /* without the one that is off */
  for (int i = 0, k = 0; i < m->nlight; i++) {
    cdn_light_def l;
    if (!m->light_active[i]) continue;
    OK(cdn_scene_light(scene, k++, &l));
    cdn_vec3 position, direction;
    OK(cdn_scene_light_ray(scene, k - 1, &position, &direction));
    near3("light", position, d->light_xpos + 3 * i, 1);
    near3("light", direction, d->light_xdir + 3 * i, 1);
    ck_assert_int_eq(l.directional, m->light_directional[i]);
    for (int c = 0; c < 3; c++) NEAR(l.rgb[c], (double)m->light_diffuse[3 * i + c], 1e-7); /* theirs are floats */
  }
}

START_TEST(cameras_follow_as_mujocos_do) {
  char message[500] = "";
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  cdn_scene *scene = NULL;
  mj_bridge bridge;
  uint64_t rng = 5;
  mj_bridge_handlers();
  mjModel *m = mj_bridge_load_string(text, "model.xml", message, sizeof message);
  ck_assert_msg(m != NULL, "MuJoCo: %s", message);
  OK(cdn_model_load_string(text, strlen(text), "cameras", NULL, &model));
  ck_assert_int_eq(cdn_model_not_understood_count(model), 0);
  mj_bridge_tree_only(m);
  mjData *d = mj_makeData(m);
  ck_assert(mj_bridge_init(&bridge, m, model));
  const cdn_system *system = cdn_model_system(model);
  OK(cdn_state_create(system, &state));
  OK(cdn_model_create_scene(model, state, NULL, &scene));
  ck_assert_int_eq(cdn_model_warning_count(model), 0);
  ck_assert_int_eq(m->ncam, cdn_scene_camera_count(scene));
  for (int n = 0; n < 50; n++) {
    double q[16];
    for (int i = 0; i < cdn_system_nq(system); i++) q[i] = random_uniform(&rng, -1, 1);
    for (int i = 0; i < cdn_model_joint_count(model); i++)
      if (cdn_model_get_joint(model, i).nq >= 4) random_quaternion(&rng, q + cdn_model_get_joint(model, i).first_q);
    OK(cdn_state_set_q(state, q));
    mj_bridge_q_to_mujoco(&bridge, q, d->qpos);
    mj_forward(m, d);
    OK(cdn_scene_update(scene, state));
    compare(m, d, scene);
  }
  mj_bridge_free(&bridge);
  mj_deleteData(d);
  mj_deleteModel(m);
  cdn_scene_destroy(scene);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

CHECK_MAIN("mujoco cameras", cameras_follow_as_mujocos_do)
