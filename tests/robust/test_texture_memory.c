/* Textures of a model and of a scene: every allocation may fail, and all of it is given back. */
#include "counting_allocator.h"

static const char text[] =
    "<mujoco><asset><texture type='skybox' builtin='gradient' width='4' height='24'/>"
    "<texture name='c' type='2d' builtin='checker' mark='edge' width='4' height='4'/><texture name='d' builtin='flat' mark='cross' width='4' height='24'/>"
    "<texture name='six' type='cube' fileright='none.png' fileback='none.png'/><texture name='none' type='2d' file='none.png'/>"
    "<material name='c' texture='c'/><material name='d' texture='d'/><material name='six' texture='six'/><material name='none' texture='none'/></asset><worldbody>"
    "<light/><geom size='1' material='c'/><geom type='box' size='1 1 1' material='d'/><geom size='1' material='six'/><geom size='1' material='none'/>"
    "</worldbody></mujoco>";

static cdn_status dress(cdn_allocator allocator) {
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  cdn_scene *scene = NULL;
  options.allocator = allocator;
  cdn_status status = cdn_model_load_string(text, strlen(text), "m.xml", &options, &model);
  if (status == CDN_OK) status = cdn_state_create(cdn_model_system(model), &state);
  if (status == CDN_OK) status = cdn_model_create_scene(model, state, NULL, &scene);
  if (status == CDN_OK) {
    ck_assert_int_eq(cdn_scene_texture_count(scene), 3);
    cdn_painted_triangles t;
    status = cdn_scene_triangles(scene, 1, 16, 1, &t);
    cdn_painted_triangles_free(&t);
    if (status == CDN_OK) status = cdn_scene_sky_triangles(scene, &t);
    cdn_painted_triangles_free(&t);
  }
  cdn_scene_destroy(scene);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  return status;
}

START_TEST(every_allocation_may_fail) {
  for (int after = 0; after < 2; after++)
    for (int64_t k = 1;; k++) {
      counting_allocator c = { .fail_at = k, .fail_after = after };
      const cdn_status status = dress(allocator_of(&c));
      ck_assert_msg(c.outstanding == 0, "%ld blocks lost after failure at call %ld", (long)c.outstanding, (long)k);
      ck_assert_msg(c.misuse == 0, "%ld bad frees after failure at call %ld", (long)c.misuse, (long)k);
      if (c.calls < k) {
        ck_assert_int_eq(status, CDN_OK);
        ck_assert_int_gt(k, 30);
        break;
      }
      must_say_no_memory(status, k);
    }
}
END_TEST

CHECK_MAIN("texture memory", every_allocation_may_fail)
