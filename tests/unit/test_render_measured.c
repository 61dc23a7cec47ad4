/* Measured pictures: depth and distance of a ball, a box and planes against closed forms, to the rounding of a
 * float; which visual a pixel shows against cdn_scene_pick; the same numbers with any number of threads. */
#include <string.h>

#include "../testing.h"

enum { W = 130, H = 250 }; /* three bands of rows */
#define ROUNDING 6e-8      /* of a float, relative: 2^-24 */

#define NEEDS_RENDERER                                                     \
  do {                                                                     \
    if (!cdn_renderer_is_available()) SKIP("the library has no renderer"); \
  } while (0)

typedef struct rig {
  cdn_system *system;
  cdn_state *state;
  cdn_scene *scene;
  cdn_renderer *renderer;
  cdn_view_point view;
  float depth[W * H], distance[W * H];
  int32_t visual[W * H];
} rig;

static rig *make(void) {
  rig *r = calloc(1, sizeof *r);
  r->system = cdn_system_create(NULL);
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_FREE, b.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  cdn_system_add_body(r->system, &b);
  OK_FREEZE(r->system);
  OK(cdn_state_create(r->system, &r->state));
  OK(cdn_scene_create(r->state, NULL, &r->scene));
  r->view = (cdn_view_point){ cdn_transform_identity(), 0.8 };
  return r;
}

static int add(rig *r, cdn_body body, cdn_geometry g, cdn_transform X) {
  cdn_visual_def v = cdn_default_visual_def();
  int i;
  v.body = body, v.geometry = g, v.X_BV = X;
  OK(cdn_scene_add_visual(r->scene, &v, &i));
  return i;
}

static void look(rig *r, int threads) {
  cdn_render_def def = cdn_default_render_def();
  def.width = W, def.height = H, def.threads = threads;
  cdn_renderer_destroy(r->renderer);
  OK(cdn_scene_update(r->scene, r->state));
  OK(cdn_renderer_create(r->scene, &def, &r->renderer));
  OK(cdn_renderer_measure(r->renderer, &r->view, r->depth, r->distance, r->visual));
}

static void drop(rig *r) {
  cdn_renderer_destroy(r->renderer);
  cdn_scene_destroy(r->scene);
  cdn_state_destroy(r->state);
  cdn_system_release(r->system);
  free(r);
}

/* The unit direction of a pixel's ray in the camera's frame. */
static cdn_vec3 ray_of(int pixel, double fovy) {
  const double pixels = tan(0.5 * fovy) / (0.5 * H);
  const cdn_vec3 v = { pixels * (pixel % W + 0.5 - 0.5 * W), pixels * (0.5 * H - pixel / W - 0.5), -1 };
  return cdn_scale(1 / cdn_norm(v), v);
}

/* A pixel shows what is at this distance along its ray, or nothing: INFINITY. Returns whether it shows something. */
static bool measures(const rig *r, int pixel, double distance, int visual) {
  if (isinf(distance)) {
    ck_assert(isinf(r->distance[pixel]) && isinf(r->depth[pixel]) && r->visual[pixel] == -1);
    return false;
  }
  NEAR(r->distance[pixel], distance, ROUNDING * distance + 1e-13);
  const double depth = -distance * ray_of(pixel, r->view.fovy).z;
  NEAR(r->depth[pixel], depth, ROUNDING * depth + 1e-13);
  ck_assert_int_eq(r->visual[pixel], visual);
  return true;
}

/* From the middle of the picture the ball is at c = 3 along -z: s^2 + 2 s d.c + c^2 = r^2. No triangle is exact: the
 * outline is that of the ball. */
START_TEST(a_ball) {
  NEEDS_RENDERER;
  rig *r = make();
  const int ball =
      add(r, (cdn_body){ 1 }, (cdn_geometry){ CDN_GEOMETRY_SPHERE, { 0.4 }, NULL }, cdn_transform_identity());
  OK(cdn_body_set_q(r->state, (cdn_body){ 1 }, 7, (double[]){ 1, 0, 0, 0, 0.3, -0.2, 0.5 }));
  r->view.X_GC.R = cdn_rotation_multiply(cdn_rotation_axis_angle(cdn_v3(0, 0, 1), 0.6),
                                         cdn_rotation_axis_angle(cdn_v3(1, 0, 0), 1.2));
  r->view.X_GC.p = cdn_add(cdn_v3(0.3, -0.2, 0.5), cdn_scale(3, r->view.X_GC.R.z));
  look(r, 0);
  int n = 0;
  for (int i = 0; i < W * H; i++) {
    const double along = -3 * ray_of(i, r->view.fovy).z, rest = along * along - (9 - 0.16);
    n += measures(r, i, rest > 0 ? along - sqrt(rest) : INFINITY, ball);
  }
  ck_assert_int_gt(n, 1000);
  drop(r);
}
END_TEST

/* A box straight ahead shows its near face at z = -2, and nothing beside it. Behind it a plane at z = -5 with sides of
 * 3 and of 2. */
START_TEST(a_box_before_a_plane) {
  NEEDS_RENDERER;
  rig *r = make();
  cdn_transform X = { cdn_rotation_identity(), { 0.1, -0.3, -5 } };
  cdn_visual_def v = cdn_default_visual_def();
  int plane;
  v.geometry.kind = CDN_GEOMETRY_HALF_SPACE, v.X_BV = X, v.half[0] = 1.5, v.half[1] = 1;
  OK(cdn_scene_add_visual(r->scene, &v, &plane));
  const int box =
      add(r, (cdn_body){ 1 }, (cdn_geometry){ CDN_GEOMETRY_BOX, { 0.3, 0.2, 0.5 }, NULL }, cdn_transform_identity());
  OK(cdn_body_set_q(r->state, (cdn_body){ 1 }, 7, (double[]){ 1, 0, 0, 0, 0, 0, -2.5 }));
  look(r, 1);
  int faces = 0, floor_pixels = 0;
  for (int i = 0; i < W * H; i++) {
    const cdn_vec3 d = ray_of(i, r->view.fovy);
    const double x = -d.x / d.z, y = -d.y / d.z; /* at the depth 1 */
    if (fabs(2 * x) < 0.3 && fabs(2 * y) < 0.2) faces += measures(r, i, -2 / d.z, box);
    else if (fabs(5 * x - 0.1) < 1.5 && fabs(5 * y + 0.3) < 1) floor_pixels += measures(r, i, -5 / d.z, plane);
    else measures(r, i, INFINITY, -1);
  }
  ck_assert(faces > 400 && floor_pixels > 1000);
  drop(r);
}
END_TEST

/* A plane without end reaches to the horizon: at the height h a ray down by d meets it at h / d. */
START_TEST(a_plane_to_the_horizon) {
  NEEDS_RENDERER;
  rig *r = make();
  const int plane =
      add(r, (cdn_body){ 0 }, (cdn_geometry){ .kind = CDN_GEOMETRY_HALF_SPACE }, cdn_transform_identity());
  r->view.X_GC.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), acos(-1) / 2 - 0.1); /* looks along y, and down by 0.1 */
  r->view.X_GC.p.z = 1.7;
  look(r, 2);
  int n = 0;
  for (int i = 0; i < W * H; i++) {
    const double down = -cdn_rotate(r->view.X_GC.R, ray_of(i, r->view.fovy)).z;
    n += measures(r, i, down > 0 ? 1.7 / down : INFINITY, plane);
  }
  ck_assert(n > W * H / 2 && n < W * H);
  drop(r);
}
END_TEST

/* Shapes of all simple kinds in each other's way: visuals and distances are those of cdn_scene_pick in each pixel. A
 * group that is not shown, a shape for collision and one of opacity 0 are looked through. */
START_TEST(what_cdn_scene_pick_finds) {
  NEEDS_RENDERER;
  static const cdn_geometry_kind kinds[] = { CDN_GEOMETRY_SPHERE, CDN_GEOMETRY_BOX, CDN_GEOMETRY_CAPSULE,
                                             CDN_GEOMETRY_CYLINDER, CDN_GEOMETRY_ELLIPSOID };
  rig *r = make();
  for (int i = 0; i < 60; i++) {
    const cdn_geometry g = { kinds[i % 5], { 0.05 + 0.001 * i, 0.1, 0.15 }, NULL };
    const cdn_transform X = { cdn_rotation_z_to(cdn_v3(1, 0.3 * i, 2 - 0.1 * i)),
                              { 0.8 * sin(2.1 * i), 1.5 * cos(3.3 * i), -4 + 2 * sin(1.3 * i + 1) } };
    add(r, (cdn_body){ i % 2 }, g, X);
  }
  add(r, (cdn_body){ 0 }, (cdn_geometry){ .kind = CDN_GEOMETRY_HALF_SPACE },
      (cdn_transform){ cdn_rotation_axis_angle(cdn_v3(1, 0, 0), -1.5), { 0, -1.2, 0 } });
  cdn_visual_def v = cdn_default_visual_def();
  v.geometry = (cdn_geometry){ CDN_GEOMETRY_SPHERE, { 0.3 }, NULL }, v.X_BV.p = cdn_v3(0, 0, -1);
  v.group = 4;
  OK(cdn_scene_add_visual(r->scene, &v, NULL));
  look(r, 2);
  int seen[64] = { 0 }, different = 0;
  for (int i = 0; i < W * H; i++) {
    cdn_pick pick;
    const cdn_vec3 d = cdn_rotate(r->view.X_GC.R, ray_of(i, r->view.fovy));
    OK(cdn_scene_pick(r->scene, r->view.X_GC.p, d, 7, &pick));
    measures(r, i, pick.visual < 0 ? INFINITY : pick.distance, pick.visual);
    if (pick.visual >= 0) different += seen[pick.visual]++ == 0;
  }
  ck_assert_int_gt(different, 25);
  /* what others hide from the eye does not hide */
  rig *all = malloc(sizeof *all);
  memcpy(all, r, sizeof *all);
  v.group = 0, v.rgba[3] = 0;
  OK(cdn_scene_add_visual(r->scene, &v, NULL));
  v.collision = true, v.rgba[3] = 1;
  OK(cdn_scene_add_visual(r->scene, &v, NULL));
  look(r, 1);
  ck_assert(memcmp(all->visual, r->visual, sizeof r->visual) == 0);
  ck_assert(memcmp(all->depth, r->depth, sizeof r->depth) == 0);
  ck_assert(memcmp(all->distance, r->distance, sizeof r->distance) == 0);
  free(all);
  drop(r);
}
END_TEST

START_TEST(bad_calls) {
  NEEDS_RENDERER;
  rig *r = make();
  look(r, 1);
  for (int i = 0; i < W * H; i++) measures(r, i, INFINITY, -1); /* there is nothing */
  OK(cdn_renderer_measure(r->renderer, &r->view, NULL, NULL, NULL));
  FAILS(cdn_renderer_measure(NULL, &r->view, r->depth, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_renderer_measure(r->renderer, NULL, r->depth, NULL, NULL), CDN_ERR_ARG);
  r->view.X_GC.p.x = NAN;
  FAILS(cdn_renderer_measure(r->renderer, &r->view, r->depth, NULL, NULL), CDN_ERR_ARG);
  drop(r);
}
END_TEST

CHECK_MAIN("render_measured", a_ball, a_box_before_a_plane, a_plane_to_the_horizon, what_cdn_scene_pick_finds,
           bad_calls)
