/* Pictures: silhouettes of a ball and of a box cover the area that geometry says, points are where the projection says,
 * and the bytes do not depend on the number of threads. */
#include "../testing.h"

typedef struct rig {
  cdn_system *system;
  cdn_state *state;
  cdn_scene *scene;
} rig;

static rig show(cdn_geometry g) {
  rig r;
  r.system = cdn_system_create(NULL);
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_FREE, b.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  const cdn_body body = cdn_system_add_body(r.system, &b);
  OK_FREEZE(r.system);
  OK(cdn_state_create(r.system, &r.state));
  OK(cdn_scene_create(r.state, NULL, &r.scene));
  cdn_visual_def v = cdn_default_visual_def();
  v.body = body, v.geometry = g;
  v.rgba[0] = 0.8, v.rgba[1] = 0.1, v.rgba[2] = 0.1;
  OK(cdn_scene_add_visual(r.scene, &v, NULL));
  OK(cdn_body_set_q(r.state, body, 7, (double[]){ 1, 0, 0, 0, 0.3, -0.2, 0.5 }));
  OK(cdn_scene_update(r.scene, r.state));
  return r;
}

static void drop(rig *r) {
  cdn_scene_destroy(r->scene);
  cdn_state_destroy(r->state);
  cdn_system_release(r->system);
}

enum { W = 200, H = 150 };

static cdn_renderer *make_renderer_of(const rig *r, int samples, int threads) {
  cdn_render_def def = cdn_default_render_def();
  cdn_renderer *renderer;
  def.width = W, def.height = H, def.samples = samples, def.threads = threads, def.background[3] = 0;
  OK(cdn_renderer_create(r->scene, &def, &renderer));
  return renderer;
}

static cdn_renderer *make_renderer(const rig *r, int threads) { return make_renderer_of(r, 4, threads); }

/* Opaque area in pixels, and its middle. */
static double cover(const uint8_t *rgba, double middle[2]) {
  double sum = 0, x = 0, y = 0;
  for (int i = 0; i < W * H; i++) {
    const double a = rgba[4 * i + 3] / 255.0;
    sum += a, x += a * (i % W + 0.5), y += a * (i / W + 0.5);
  }
  middle[0] = x / sum, middle[1] = y / sum;
  return sum;
}

#define NEEDS_RENDERER                                                     \
  do {                                                                     \
    if (!cdn_renderer_is_available()) SKIP("the library has no renderer"); \
  } while (0)

/* From the distance d a ball of radius r shows a disc with half angle asin(r / d): its radius in the picture is
 * focal r / sqrt(d^2 - r^2). The triangles fall short by less than a thousandth; the edge's pixels are right to a
 * sixteenth each, and there are some 200. */
START_TEST(a_ball) {
  NEEDS_RENDERER;
  rig r = show((cdn_geometry){ CDN_GEOMETRY_SPHERE, { 0.4 }, NULL });
  cdn_renderer *renderer = make_renderer(&r, 0);
  const cdn_vec3 center = { 0.3, -0.2, 0.5 };
  cdn_view_point view = { .fovy = 0.7 };
  view.X_GC.R = cdn_rotation_multiply(cdn_rotation_axis_angle(cdn_v3(0, 0, 1), 0.6),
                                      cdn_rotation_axis_angle(cdn_v3(1, 0, 0), 1.2));
  view.X_GC.p = cdn_add(center, cdn_scale(3, view.X_GC.R.z));
  static uint8_t rgba[4 * W * H];
  OK(cdn_renderer_draw(renderer, &view, rgba));
  const double radius = 0.5 * H / tan(0.35) * 0.4 / sqrt(9 - 0.16);
  double middle[2], pixel[2];
  const double area = cover(rgba, middle);
  NEAR(area, PI * radius * radius, 0.01 * PI * radius * radius);
  ck_assert(cdn_renderer_project(renderer, &view, center, pixel));
  NEAR(pixel[0], W / 2.0, 1e-9);
  NEAR(pixel[1], H / 2.0, 1e-9);
  NEAR(middle[0], pixel[0], 0.1);
  NEAR(middle[1], pixel[1], 0.1);
  ck_assert(!cdn_renderer_project(renderer, &view, cdn_add(view.X_GC.p, view.X_GC.R.z), pixel));
  /* it is red, and lighter where the light comes from */
  const uint8_t *c = rgba + 4 * (H / 2 * W + W / 2);
  ck_assert(c[0] > 2 * c[1] && c[3] == 255);
  cdn_renderer_destroy(renderer);
  drop(&r);
}
END_TEST

/* A box seen straight on shows its near face. */
START_TEST(a_box) {
  NEEDS_RENDERER;
  rig r = show((cdn_geometry){ CDN_GEOMETRY_BOX, { 0.5, 0.25, 0.2 }, NULL });
  cdn_renderer *renderer = make_renderer(&r, 0);
  const cdn_view_point view = { { cdn_rotation_identity(), { 0.3 + 0.1, -0.2 - 0.05, 0.5 + 0.2 + 2 } }, 0.9 };
  static uint8_t rgba[4 * W * H];
  OK(cdn_renderer_draw(renderer, &view, rgba));
  const double focal = 0.5 * H / tan(0.45) / 2;
  double middle[2], pixel[2];
  NEAR(cover(rgba, middle), focal * focal * 1 * 0.5, 0.01 * focal * focal * 0.5);
  ck_assert(cdn_renderer_project(renderer, &view, cdn_v3(0.3, -0.2, 0.7), pixel));
  NEAR(pixel[0], W / 2.0 - 0.1 * focal, 1e-9);
  NEAR(pixel[1], H / 2.0 - 0.05 * focal, 1e-9);
  NEAR(middle[0], pixel[0], 0.1);
  NEAR(middle[1], pixel[1], 0.1);
  cdn_renderer_destroy(renderer);
  drop(&r);
}
END_TEST

/* A plane with an end, seen from above: as large as it is; half of it has each colour. */
START_TEST(a_checked_plane) {
  NEEDS_RENDERER;
  rig r = show((cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.1 } });
  OK(cdn_body_set_q(r.state, (cdn_body){ 1 }, 7, (double[]){ 1, 0, 0, 0, 0, 0, -1 })); /* hidden below the plane */
  cdn_visual_def v = cdn_default_visual_def();
  v.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  v.pattern = CDN_PATTERN_CHECKER, v.tile[0] = 0.25, v.tile[1] = 0.5, v.half[0] = 0.75, v.half[1] = 0.5;
  memcpy(v.rgba, (double[]){ 1, 0, 0, 1 }, sizeof v.rgba);
  memcpy(v.rgb2, (double[]){ 0, 0, 1 }, sizeof v.rgb2);
  OK(cdn_scene_add_visual(r.scene, &v, NULL));
  OK(cdn_scene_update(r.scene, r.state));
  static uint8_t rgba[4 * W * H];
  cdn_renderer *renderer = make_renderer(&r, 1);
  const cdn_view_point above = { .X_GC = { cdn_rotation_identity(), { 0, 0, 3 } }, .fovy = 0.6 };
  OK(cdn_renderer_draw(renderer, &above, rgba));
  double middle[2], red = 0, blue = 0;
  const double meter = H / 2.0 / (3 * tan(0.3));
  NEAR(cover(rgba, middle), 1.5 * meter * meter, 0.02 * 1.5 * meter * meter);
  for (int i = 0; i < W * H; i++) {
    const uint8_t *p = rgba + 4 * i;
    const double x = (i % W + 0.5 - W / 2.0) / meter, y = (H / 2.0 - i / W - 0.5) / meter;
    if (fabs(x) > 0.72 || fabs(y) > 0.47) continue;
    red += p[0] > p[2], blue += p[2] > p[0];
    if (fabs(x / 0.25 - round(x / 0.25)) < 0.1 || fabs(y) < 0.05) continue; /* near a border */
    const bool odd = ((int)floor(x / 0.25) + (int)floor(y / 0.5)) & 1;
    ck_assert_msg(odd ? p[2] > p[0] : p[0] > p[2], "at %g %g", x, y);
  }
  NEAR(red, blue, 0.05 * red);
  cdn_renderer_destroy(renderer);
  drop(&r);
}
END_TEST

/* A floor 0.8 m below a ball: from above all is opaque, and the ball's shadow is darker than squares are. From below
 * there is the ball alone. */
START_TEST(a_floor) {
  NEEDS_RENDERER;
  static uint8_t rgba[4 * W * H];
  rig r = show((cdn_geometry){ CDN_GEOMETRY_SPHERE, { 0.4 }, NULL });
  cdn_render_def def = cdn_default_render_def();
  cdn_renderer *renderer;
  double middle[2];
  def.width = W, def.height = H, def.background[3] = 0, def.floor = -0.7;
  OK(cdn_renderer_create(r.scene, &def, &renderer));
  cdn_view_point view = { { cdn_rotation_identity(), { 0.3, -0.2, 3 } }, 0.6 };
  OK(cdn_renderer_draw(renderer, &view, rgba));
  NEAR(cover(rgba, middle), W * H, 0);
  int darkest = 255, lightest = 0;
  for (int i = 0; i < W * H; i++) {
    const uint8_t *c = rgba + 4 * (size_t)i;
    if (abs(c[0] - c[2]) > 3) continue; /* the ball is red */
    darkest = c[1] < darkest ? c[1] : darkest, lightest = c[1] > lightest ? c[1] : lightest;
  }
  ck_assert_int_lt(darkest, 0.8 * lightest); /* squares alone: 0.82^(1 / 2.2) = 0.91 */
  view.X_GC.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), PI);
  view.X_GC.p.z = -3;
  OK(cdn_renderer_draw(renderer, &view, rgba));
  ck_assert_double_lt(cover(rgba, middle), 0.2 * W * H);
  cdn_renderer_destroy(renderer);
  def.floor = INFINITY;
  FAILS(cdn_renderer_create(r.scene, &def, &renderer), CDN_ERR_ARG);
  drop(&r);
}
END_TEST

/* A body's ellipsoid of inertia lets light pass: the box in it looks as it does alone. The eye is inside, and sees the
 * ellipsoid (half axes sqrt(5 / 2) m) nowhere before the box. The same rays in both pictures make the same bytes. */
START_TEST(ellipsoids_of_masses_cast_no_shadow) {
  NEEDS_RENDERER;
  static uint8_t alone[4 * W * H], within[4 * W * H];
  rig r = show((cdn_geometry){ CDN_GEOMETRY_BOX, { 0.5, 0.25, 0.2 }, NULL });
  cdn_renderer *renderer = make_renderer(&r, 1);
  const cdn_view_point view = { { cdn_rotation_identity(), { 0.3, -0.2, 1 } }, 0.5 };
  OK(cdn_renderer_draw(renderer, &view, alone));
  cdn_scene_set_layers(r.scene, CDN_LAYER_MASSES);
  OK_ON(r.state, cdn_scene_update(r.scene, r.state));
  OK(cdn_renderer_draw(renderer, &view, within));
  ck_assert(memcmp(alone, within, sizeof alone) == 0);
  cdn_renderer_destroy(renderer);
  drop(&r);
}
END_TEST

/* A cylinder on a plane, with all marks. */
static rig show_much(cdn_view_point *view) {
  rig r = show((cdn_geometry){ CDN_GEOMETRY_CYLINDER, { 0.3, 0.5 }, NULL });
  cdn_visual_def floor = cdn_default_visual_def();
  floor.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  OK(cdn_scene_add_visual(r.scene, &floor, NULL));
  cdn_scene_set_layers(r.scene, CDN_LAYER_ALL);
  OK_ON(r.state, cdn_scene_update(r.scene, r.state));
  OK(cdn_scene_fit(r.scene, cdn_v3(1, 1, 1), cdn_v3(0, 0, 1), (double)W / H, view));
  return r;
}

START_TEST(the_same_bytes_with_any_threads) {
  NEEDS_RENDERER;
  static uint8_t one[4 * W * H], more[4 * W * H];
  cdn_view_point view;
  rig r = show_much(&view);
  for (int samples = 0; samples <= 4; samples += 4) {
    cdn_renderer *renderer = make_renderer_of(&r, samples, 1);
    OK(cdn_renderer_draw(renderer, &view, one));
    cdn_renderer_destroy(renderer);
    for (int threads = 2; threads <= 5; threads += 3) {
      renderer = make_renderer_of(&r, samples, threads);
      for (int again = 0; again < 2; again++) {
        OK(cdn_renderer_draw(renderer, &view, more));
        ck_assert(memcmp(one, more, sizeof one) == 0);
        memset(more, 0, sizeof more);
      }
      cdn_renderer_destroy(renderer);
    }
  }
  drop(&r);
}
END_TEST

/* The part of a pixel on the side of a straight line where a x + b y < c, by many points. */
static double covered(int column, int row, double a, double b, double c) {
  enum { POINTS = 32 };
  int n = 0;
  for (int i = 0; i < POINTS * POINTS; i++)
    n += a * (column + (i % POINTS + 0.5) / POINTS) + b * (row + (i / POINTS + 0.5) / POINTS) < c;
  return (double)n / (POINTS * POINTS);
}

/* The edge of a box, seen straight on and turned: each pixel is as opaque as the box covers it, to less than two of
 * eight rays, as any eight points count the half of a square. With one ray the mean
 * would be a fourth. */
START_TEST(edges_are_smooth) {
  NEEDS_RENDERER;
  rig r = show((cdn_geometry){ CDN_GEOMETRY_BOX, { 5, 1, 0.2 }, NULL });
  static const double turns[] = { 0.03, 0.4, 0.7, 1.3 };
  static uint8_t rgba[4 * W * H];
  cdn_renderer *renderer = make_renderer_of(&r, 0, 1);
  for (int k = 0; k < (int)(sizeof turns / sizeof *turns); k++) {
    const cdn_rotation R = cdn_rotation_axis_angle(cdn_v3(0, 0, 1), turns[k]);
    const cdn_view_point view = { { R, { 0.3, -0.2 + 1, 0.7 + 2 } }, 0.5 }; /* the edge y = 0.8 is in the middle */
    double p[2], q[2], error = 0;
    int partly = 0;
    OK(cdn_renderer_draw(renderer, &view, rgba));
    ck_assert(cdn_renderer_project(renderer, &view, cdn_v3(0, 0.8, 0.7), p));
    ck_assert(cdn_renderer_project(renderer, &view, cdn_v3(1, 0.8, 0.7), q));
    /* the box is on the side of smaller y: in the picture, which has y downwards, right of the way from p to q */
    const double a = q[1] - p[1], b = p[0] - q[0], c = a * p[0] + b * p[1];
    for (int i = 0; i < W * H; i++) {
      const double is = rgba[4 * i + 3] / 255.0, should = covered(i % W, i / W, a, b, c);
      ck_assert_msg(fabs(is - should) < 0.25, "turned by %g, pixel %d, %d: %.3f, and %.3f is covered", turns[k], i % W,
                    i / W, is, should);
      if (should > 0 && should < 1) partly++, error += fabs(is - should);
    }
    ck_assert_int_gt(partly, H / 2);
    ck_assert_double_lt(error / partly, 0.08);
  }
  cdn_renderer_destroy(renderer);
  drop(&r);
}
END_TEST

/* By default few rays are traced. The picture is as with 256 in each pixel, shadows and all: it has no noise. */
START_TEST(few_rays_make_the_same_picture) {
  NEEDS_RENDERER;
  static uint8_t few[4 * W * H], many[4 * W * H];
  cdn_view_point view;
  rig r = show_much(&view);
  cdn_scene_set_layers(r.scene, 0);
  OK_ON(r.state, cdn_scene_update(r.scene, r.state));
  cdn_renderer *renderer = make_renderer_of(&r, 0, 0);
  OK(cdn_renderer_draw(renderer, &view, few));
  cdn_renderer_destroy(renderer);
  renderer = make_renderer_of(&r, 16, 0);
  OK(cdn_renderer_draw(renderer, &view, many));
  cdn_renderer_destroy(renderer);
  double sum = 0;
  int unlike = 0;
  for (int i = 0; i < 4 * W * H; i++) {
    const int d = abs(few[i] - many[i]);
    sum += d, unlike += d > 12;
  }
  ck_assert_double_lt(sum / (4 * W * H), 1); /* of 255 */
  ck_assert_int_lt(unlike, 4 * W * H / 200);
  drop(&r);
}
END_TEST

START_TEST(bad_calls) {
  rig r = show((cdn_geometry){ CDN_GEOMETRY_SPHERE, { 0.4 }, NULL });
  cdn_renderer *renderer;
  cdn_render_def def = cdn_default_render_def();
  FAILS(cdn_renderer_create(NULL, &def, &renderer), CDN_ERR_ARG);
  FAILS(cdn_renderer_create(r.scene, &def, NULL), CDN_ERR_ARG);
  cdn_renderer_destroy(NULL);
  if (!cdn_renderer_is_available()) {
    FAILS(cdn_renderer_create(r.scene, &def, &renderer), CDN_ERR_UNSUPPORTED);
    ck_assert_ptr_null(renderer);
    drop(&r);
    return;
  }
  def.width = 0;
  FAILS(cdn_renderer_create(r.scene, &def, &renderer), CDN_ERR_ARG);
  def.width = 10, def.samples = 17;
  FAILS(cdn_renderer_create(r.scene, &def, &renderer), CDN_ERR_ARG);
  def.samples = 1, def.background[1] = NAN;
  FAILS(cdn_renderer_create(r.scene, &def, &renderer), CDN_ERR_ARG);
  def.background[1] = 1, def.height = 10;
  OK(cdn_renderer_create(r.scene, &def, &renderer));
  uint8_t rgba[400];
  cdn_view_point view = { cdn_transform_identity(), 0 };
  FAILS(cdn_renderer_draw(renderer, &view, rgba), CDN_ERR_ARG);
  view.fovy = 1, view.X_GC.p.x = INFINITY;
  FAILS(cdn_renderer_draw(renderer, &view, rgba), CDN_ERR_ARG);
  FAILS(cdn_renderer_draw(renderer, NULL, rgba), CDN_ERR_ARG);
  cdn_renderer_destroy(renderer);
  drop(&r);
}
END_TEST

CHECK_MAIN("render", a_ball, a_box, a_checked_plane, a_floor, ellipsoids_of_masses_cast_no_shadow,
           the_same_bytes_with_any_threads, edges_are_smooth, few_rays_make_the_same_picture, bad_calls)
