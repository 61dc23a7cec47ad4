/* Pixels of pictures against the formulas of docs/scene.md: a surface gets 0.62 / 0.7 of its colour from a light of
 * brightness 1, times the cosine, and 0.42
 * (0.35 + 0.65 (1 + n_z) / 2) from the sky; a picture has the power 1 / 2.2 of that. Bytes are right to rounding. */
#include "../testing.h"

enum { W = 9, H = 9 };

typedef struct rig {
  cdn_system *system;
  cdn_state *state;
  cdn_scene *scene;
} rig;

static rig make(void) {
  rig r;
  r.system = cdn_system_create(NULL);
  OK_FREEZE(r.system);
  OK(cdn_state_create(r.system, &r.state));
  OK(cdn_scene_create(r.state, NULL, &r.scene));
  return r;
}

static void drop(rig *r) {
  cdn_scene_destroy(r->scene);
  cdn_state_destroy(r->state);
  cdn_system_release(r->system);
}

/* The middle of a picture, from `eye` to `target`, without shadows. */
static void look(rig *r, cdn_vec3 eye, cdn_vec3 target, uint8_t rgba[4]) {
  uint8_t picture[4 * W * H];
  cdn_render_def def = cdn_default_render_def();
  cdn_renderer *renderer;
  def.width = W, def.height = H, def.samples = 2, def.shadows = false;
  const cdn_view_point view = { { cdn_rotation_z_to(cdn_sub(eye, target)), eye }, 0.001 };
  OK(cdn_scene_update(r->scene, r->state));
  OK(cdn_renderer_create(r->scene, &def, &renderer));
  OK(cdn_renderer_draw(renderer, &view, picture));
  memcpy(rgba, picture + 4 * (H / 2 * W + W / 2), 4);
  cdn_renderer_destroy(renderer);
}

static double linear(double byte) { return pow(byte / 255, 2.2); }

static void is(const uint8_t rgba[4], const double expected[3]) {
  for (int k = 0; k < 3; k++) {
    const double byte = 255 * pow(fmin(expected[k], 1), 1 / 2.2);
    ck_assert_msg(fabs(rgba[k] - byte) <= 0.51, "colour %d is %d, and %.2f was expected", k, rgba[k], byte);
  }
}

#define NEEDS_RENDERER                                                     \
  do {                                                                     \
    if (!cdn_renderer_is_available()) SKIP("the library has no renderer"); \
  } while (0)

static const double SUN = 0.62 / 0.7, SKY = 0.42;
static double sky_light(double nz) { return SKY * (0.35 + 0.65 * 0.5 * (1 + nz)); }

static cdn_visual_def plain(cdn_geometry_kind kind, double x, double y, double z) {
  cdn_visual_def v = cdn_default_visual_def();
  v.geometry = (cdn_geometry){ kind, { x, y, z }, NULL };
  for (int k = 0; k < 3; k++) v.rgba[k] = 1;
  v.specular = 0;
  return v;
}

static void add_sun(rig *r, double brightness) {
  cdn_light_def l = cdn_default_light_def();
  for (int k = 0; k < 3; k++) l.rgb[k] = brightness;
  OK(cdn_scene_add_light(r->scene, &l));
}

/* Four colours of 2 x 2 pixels on a plane of 4 m, of which the middles of the quarters have no mixture. */
START_TEST(a_picture_on_a_plane) {
  NEEDS_RENDERER;
  static const uint8_t pixels[16] = { 200, 90, 80, 255, 70, 150, 60, 255, 80, 95, 180, 255, 90, 80, 70, 255 };
  rig r = make();
  cdn_texture_def t = cdn_default_texture_def();
  t.width = t.height = 2, t.rgba = pixels;
  cdn_visual_def v = plain(CDN_GEOMETRY_HALF_SPACE, 0, 0, 0);
  v.half[0] = v.half[1] = 2;
  v.rgba[0] = 0.5;
  memset(v.place, 0, sizeof v.place);
  v.place[0][0] = 0.25, v.place[0][3] = 0.5, v.place[1][1] = -0.25, v.place[1][3] = 0.5;
  OK(cdn_scene_add_texture(r.scene, &t, &v.texture));
  OK(cdn_scene_add_visual(r.scene, &v, NULL));
  add_sun(&r, 0.4);
  for (int i = 0; i < 4; i++) {
    const double x = i % 2 ? 1 : -1, y = i / 2 ? -1 : 1, light = SUN * 0.4 + SKY;
    const double expected[3] = { light * pow(0.5, 2.2) * linear(pixels[4 * i]), light * linear(pixels[4 * i + 1]),
                                 light * linear(pixels[4 * i + 2]) };
    uint8_t seen[4];
    look(&r, cdn_v3(x, y, 5), cdn_v3(x, y, 0), seen);
    is(seen, expected);
  }
  drop(&r);
}
END_TEST

/* Each side of a cube has a colour; a box that is not a cube shows them on its faces. */
START_TEST(a_cube_around_a_box) {
  NEEDS_RENDERER;
  enum { SIDE = 4 };
  uint8_t pixels[4 * 6 * SIDE * SIDE];
  for (int i = 0; i < 6 * SIDE * SIDE; i++) {
    const int side = i / (SIDE * SIDE);
    for (int k = 0; k < 4; k++) pixels[4 * i + k] = k == 3 ? 255 : (uint8_t)(40 * (side + 1) - 10 * k);
  }
  rig r = make();
  cdn_texture_def t = cdn_default_texture_def();
  t.width = SIDE, t.height = 6 * SIDE, t.cube = true, t.rgba = pixels;
  cdn_visual_def v = plain(CDN_GEOMETRY_BOX, 1, 2, 0.5);
  for (int k = 0; k < 3; k++) v.place[k][k] = 1 / v.geometry.size[k];
  OK(cdn_scene_add_texture(r.scene, &t, &v.texture));
  OK(cdn_scene_add_visual(r.scene, &v, NULL));
  add_sun(&r, 0.4);
  for (int side = 0; side < 6; side++) {
    double d[3] = { 0 }, expected[3];
    d[side / 2] = side % 2 ? -5 : 5;
    const double nz = d[2] / 5, light = SUN * 0.4 * fmax(nz, 0) + sky_light(nz);
    for (int k = 0; k < 3; k++) expected[k] = light * linear(40 * (side + 1) - 10 * k);
    uint8_t seen[4];
    look(&r, cdn_v3(d[0], d[1], d[2]), cdn_v3(0, 0, 0), seen);
    is(seen, expected);
  }
  drop(&r);
}
END_TEST

/* A spot at the height h lights the plane at the distance x from its foot by cos^e / (a + b d + c d^2) within its
 * angle, and falls there with a cosine. */
START_TEST(a_spot) {
  NEEDS_RENDERER;
  rig r = make();
  cdn_visual_def v = plain(CDN_GEOMETRY_HALF_SPACE, 0, 0, 0);
  v.half[0] = v.half[1] = 20;
  static const uint8_t white[4] = { 255, 255, 255, 255 };
  cdn_texture_def t = cdn_default_texture_def(); /* without one a plane has squares */
  t.width = t.height = 1, t.rgba = white;
  OK(cdn_scene_add_texture(r.scene, &t, &v.texture));
  OK(cdn_scene_add_visual(r.scene, &v, NULL));
  cdn_light_def l = cdn_default_light_def();
  l.directional = false, l.position = cdn_v3(0, 0, 2), l.cutoff = PI / 6, l.exponent = 4;
  l.attenuation[0] = 0.5, l.attenuation[1] = 0.25, l.attenuation[2] = 0.125;
  l.rgb[0] = 0.9, l.rgb[1] = 0.5, l.rgb[2] = 0.2;
  OK(cdn_scene_add_light(r.scene, &l));
  for (int i = 0; i < 6; i++) {
    const double x = 0.3 * i, d = hypot(x, 2), cosine = 2 / d;
    const double strength = atan2(x, 2) < PI / 6 ? pow(cosine, 4) / (0.5 + 0.25 * d + 0.125 * d * d) : 0;
    double expected[3];
    for (int k = 0; k < 3; k++) expected[k] = SKY + SUN * l.rgb[k] * strength * cosine;
    uint8_t seen[4];
    look(&r, cdn_v3(x, 0, 3), cdn_v3(x, 0, 0), seen);
    is(seen, expected);
  }
  drop(&r);
}
END_TEST

/* A lamp on all sides of itself lights what is above it, with no part of the angle. */
START_TEST(a_point) {
  NEEDS_RENDERER;
  rig r = make();
  cdn_visual_def v = plain(CDN_GEOMETRY_BOX, 1, 1, 1);
  v.X_BV.p = cdn_v3(0, 0, 3);
  OK(cdn_scene_add_visual(r.scene, &v, NULL));
  cdn_light_def l = cdn_default_light_def();
  l.directional = false;
  OK(cdn_scene_add_light(r.scene, &l));
  const double light = SUN + sky_light(-1), expected[3] = { light, light, light };
  uint8_t seen[4];
  look(&r, cdn_v3(0, 0, -4), cdn_v3(0, 0, 2), seen);
  is(seen, expected);
  drop(&r);
}
END_TEST

/* A shape between light and plane casts a shadow, unless its light casts none. The point is deep in the shadow, under
 * a box that leaves no light of
 * the sky: a quarter of that is left. */
START_TEST(shadows) {
  NEEDS_RENDERER;
  for (int casts = 0; casts < 2; casts++) {
    rig r = make();
    cdn_visual_def v = plain(CDN_GEOMETRY_BOX, 1, 1, 0.1), roof = plain(CDN_GEOMETRY_BOX, 30, 30, 0.01);
    roof.X_BV.p = cdn_v3(0, 0, 0.2);
    roof.rgba[3] = 1;
    OK(cdn_scene_add_visual(r.scene, &v, NULL));
    OK(cdn_scene_add_visual(r.scene, &roof, NULL));
    cdn_light_def l = cdn_default_light_def();
    l.castshadow = casts;
    OK(cdn_scene_add_light(r.scene, &l));
    uint8_t picture[4 * W * H];
    cdn_render_def def = cdn_default_render_def();
    cdn_renderer *renderer;
    def.width = W, def.height = H;
    const cdn_vec3 eye = { 3, 0, 0.15 }, target = { 0.9, 0, 0.1 };
    const cdn_view_point view = { { cdn_rotation_z_to(cdn_sub(eye, target)), eye }, 0.001 };
    OK(cdn_scene_update(r.scene, r.state));
    OK(cdn_renderer_create(r.scene, &def, &renderer));
    OK(cdn_renderer_draw(renderer, &view, picture));
    const double light = SKY * 0.25 + (casts ? 0 : SUN), expected[3] = { light, light, light };
    is(picture + 4 * (H / 2 * W + W / 2), expected);
    cdn_renderer_destroy(renderer);
    drop(&r);
  }
}
END_TEST

/* What is emitted is added, and what shines is white, where the eye sees the light mirrored. */
START_TEST(emission_and_gloss) {
  NEEDS_RENDERER;
  rig r = make();
  cdn_visual_def v = plain(CDN_GEOMETRY_BOX, 1, 1, 1);
  v.rgba[0] = 0.2, v.rgba[1] = 0.3, v.rgba[2] = 0.4;
  v.emission = 0.25, v.specular = 0.8, v.shininess = 0.1;
  OK(cdn_scene_add_visual(r.scene, &v, NULL));
  add_sun(&r, 0.5);
  for (int i = 0; i < 3; i++) {
    const double angle = 0.3 * i, half = cos(angle / 2); /* between the normal and the middle of eye and light */
    double expected[3];
    for (int k = 0; k < 3; k++)
      expected[k] = pow(v.rgba[k], 2.2) * (SKY + 0.25 + SUN * 0.5) + 0.24 / 0.7 * 0.8 * 0.5 * pow(half, 12.8);
    uint8_t seen[4];
    look(&r, cdn_v3(5 * sin(angle), 0, 1 + 5 * cos(angle)), cdn_v3(0, 0, 1), seen);
    is(seen, expected);
  }
  drop(&r);
}
END_TEST

/* The sky is seen where nothing is, and in a mirror as much as its reflectance says. */
START_TEST(sky_and_mirror) {
  NEEDS_RENDERER;
  static const uint8_t sides[6][3] = { { 250, 90, 60 }, { 50, 250, 80 },  { 70, 60, 230 },
                                       { 90, 80, 70 },  { 200, 100, 50 }, { 60, 100, 200 } };
  static const cdn_vec3 axes[6] = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
  enum { SIDE = 2 };
  uint8_t pixels[4 * 6 * SIDE * SIDE];
  for (int i = 0; i < 6 * SIDE * SIDE; i++)
    for (int k = 0; k < 4; k++) pixels[4 * i + k] = k == 3 ? 255 : sides[i / (SIDE * SIDE)][k];
  rig r = make();
  cdn_texture_def t = cdn_default_texture_def();
  int sky;
  t.width = SIDE, t.height = 6 * SIDE, t.cube = true, t.rgba = pixels;
  OK(cdn_scene_add_texture(r.scene, &t, &sky));
  /* the cube's y is up, as in MJCF */
  const cdn_rotation R = { { 1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 } };
  OK(cdn_scene_set_sky(r.scene, sky, R));
  uint8_t seen[4];
  for (int side = 0; side < 6; side++) {
    double expected[3];
    for (int k = 0; k < 3; k++) expected[k] = linear(sides[side][k]);
    look(&r, cdn_v3(0, 0, 0), cdn_rotate(R, axes[side]), seen);
    is(seen, expected);
  }
  cdn_visual_def v = plain(CDN_GEOMETRY_HALF_SPACE, 0, 0, 0);
  static const uint8_t white[4] = { 255, 255, 255, 255 };
  t = cdn_default_texture_def();
  t.width = t.height = 1, t.rgba = white;
  v.half[0] = v.half[1] = 2, v.reflectance = 0.3;
  for (int k = 0; k < 3; k++) v.rgba[k] = 0.4;
  OK(cdn_scene_add_texture(r.scene, &t, &v.texture));
  OK(cdn_scene_add_visual(r.scene, &v, NULL));
  add_sun(&r, 0.4);
  /* from above the upper side is mirrored, and from +x, at a low angle, the side of -x */
  for (int low = 0; low < 2; low++) {
    double expected[3];
    for (int k = 0; k < 3; k++)
      expected[k] = 0.7 * pow(0.4, 2.2) * (SKY + SUN * 0.4) + 0.3 * linear(sides[low ? 1 : 2][k]);
    look(&r, low ? cdn_v3(5, 0, 1) : cdn_v3(0, 0, 5), cdn_v3(0, 0, 0), seen);
    is(seen, expected);
  }
  /* a thing above the mirror is in it: a glowing ball, lit from the side that is seen, below */
  cdn_visual_def ball = plain(CDN_GEOMETRY_BOX, 0.5, 0.5, 0.5);
  ball.X_BV.p = cdn_v3(-3, 0, 1);
  ball.emission = 0.5;
  OK(cdn_scene_add_visual(r.scene, &ball, NULL));
  double expected[3];
  for (int k = 0; k < 3; k++) expected[k] = 0.7 * pow(0.4, 2.2) * (SKY + SUN * 0.4) + 0.3 * (0.5 + sky_light(0));
  look(&r, cdn_v3(3, 0, 1.2), cdn_v3(0, 0, 0), seen);
  is(seen, expected);
  drop(&r);
}
END_TEST

CHECK_MAIN("painted pictures", a_picture_on_a_plane, a_cube_around_a_box, a_spot, a_point, shadows, emission_and_gloss,
           sky_and_mirror)
