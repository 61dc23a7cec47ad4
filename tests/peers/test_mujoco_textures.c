/* MuJoCo's own textures in Cardan's scenes and in MuJoCo 2.2.2: the same bytes. Dots are drawn by a generator, and
 * are left out. */
#include "mujoco_bridge.h"

#include "../testing.h"

static const char text[] =
    "<mujoco><asset>"
    "<texture name='a' type='2d' builtin='gradient' rgb1='.9 .1 .35' rgb2='.2 .73 .5' width='17' height='30'/>"
    "<texture name='b' type='2d' builtin='checker' rgb1='.9 .1 .35' rgb2='.2 .73 .5' width='11' height='8' mark='cross' markrgb='.3 .6 1'/>"
    "<texture name='c' type='2d' builtin='flat' rgb1='.9 .1 .35' rgb2='.2 .73 .5' width='5' height='8' mark='edge' markrgb='.3 .6 1'/>"
    "<texture name='d' type='cube' builtin='gradient' rgb1='.9 .1 .35' rgb2='.2 .73 .5' width='20' height='120'/>"
    "<texture name='e' type='cube' builtin='checker' rgb1='.9 .1 .35' rgb2='.2 .73 .5' width='9' height='54' mark='edge' markrgb='.3 .6 1'/>"
    "<texture name='f' builtin='flat' rgb1='.9 .1 .35' rgb2='.2 .73 .5' width='10' height='60' mark='cross' markrgb='.3 .6 1'/>"
    "<texture name='g' type='skybox' builtin='gradient' rgb1='.3 .5 .7' rgb2='0 0 0' width='16' height='96'/>"
    "<material name='a' texture='a'/><material name='b' texture='b'/><material name='c' texture='c'/><material name='d' texture='d'/>"
    "<material name='e' texture='e'/><material name='f' texture='f'/></asset><worldbody>"
    "<geom size='1' material='a'/><geom size='1' material='b'/><geom size='1' material='c'/><geom size='1' material='d'/>"
    "<geom size='1' material='e'/><geom size='1' material='f'/></worldbody></mujoco>";

START_TEST(textures_are_mujocos) {
  char message[500] = "";
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  cdn_scene *scene = NULL;
  mj_bridge_handlers();
  mjModel *m = mj_bridge_load_string(text, "model.xml", message, sizeof message);
  ck_assert_msg(m != NULL, "MuJoCo: %s", message);
  OK(cdn_model_load_string(text, strlen(text), "textures", NULL, &model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK(cdn_model_create_scene(model, state, NULL, &scene));
  ck_assert_int_eq(cdn_model_warning_count(model), 0);
  ck_assert_int_eq(m->ntex, cdn_scene_texture_count(scene));
  for (int i = 0; i < m->ntex; i++) {
    cdn_texture_def t;
    OK(cdn_scene_texture(scene, i, &t));
    ck_assert_int_eq(t.width, m->tex_width[i]);
    ck_assert_int_eq(t.height, m->tex_height[i]);
    ck_assert_int_eq(t.cube, m->tex_type[i] != mjTEXTURE_2D);
    int unlike = 0;
    for (int k = 0; k < t.width * t.height; k++)
      for (int c = 0; c < 3; c++) {
        const int ours = t.rgba[4 * k + c], theirs = m->tex_rgb[m->tex_adr[i] + 3 * k + c];
        ck_assert_msg(abs(ours - theirs) <= 1, "%s, pixel %d: %d, MuJoCo %d", t.name, k, ours, theirs);
        unlike += ours != theirs; /* a number next to a whole one may be cut to either */
      }
    ck_assert_msg(unlike * 200 < 3 * t.width * t.height, "%s: %d bytes differ by one", t.name, unlike);
  }
  mj_deleteModel(m);
  cdn_scene_destroy(scene);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

CHECK_MAIN("mujoco textures", textures_are_mujocos)
