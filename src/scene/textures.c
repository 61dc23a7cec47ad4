/* Textures of a scene: pictures and cubes, and the sky. */
#include "core/sized.h"
#include "matter/checks.h"
#include "scene/internal.h"

enum { MOST_PIXELS = 16384 };

CDNI_DEF(texture_def, .width = 0);

static size_t bytes_of(const cdn_texture_def *t) { return 4 * (size_t)t->width * (size_t)t->height; }

cdn_status cdn_scene_add_texture(cdn_scene *scene, const cdn_texture_def *def, int *texture) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(def, CDN_ERR_ARG);
  cdn_texture_def d;
  const char *unreadable = read_texture_def(&d, def);
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, __func__, "%s", unreadable);
  if (!d.rgba || d.width < 1 || d.height < 1 || d.width > MOST_PIXELS || d.height > 6 * MOST_PIXELS ||
      (d.cube ? d.height != 6 * d.width : d.height > MOST_PIXELS))
    return cdni_refuse(CDN_ERR_ARG, __func__,
                       "texture '%s' has %d x %d pixels: there must be 1 to 16384 on each side, of a cube 6 times as "
                       "many in a column as in a row, and `rgba` must not be NULL",
                       d.name ? d.name : "?", d.width, d.height);
  char *name = cdni_scene_name(scene, d.name, "texture", &scene->textures);
  uint8_t *pixels = cdni_alloc(&scene->allocator, bytes_of(&d));
  if (pixels) memcpy(pixels, d.rgba, bytes_of(&d));
  d.name = name, d.rgba = pixels;
  if (!name || !pixels || !cdni_array_push(&scene->allocator, &scene->textures, sizeof d, &d)) {
    cdni_strfree(&scene->allocator, name);
    cdni_free(&scene->allocator, pixels, bytes_of(&d));
    return cdni_scene_no_memory(__func__);
  }
  if (texture) *texture = (int)scene->textures.count - 1;
  return CDN_OK;
}

void cdni_scene_free_textures(cdn_scene *scene) {
  for (size_t i = 0; i < scene->textures.count; i++) {
    const cdn_texture_def *t = scene_texture(scene, (int)i);
    cdni_strfree(&scene->allocator, (char *)t->name);
    cdni_free(&scene->allocator, (void *)t->rgba, bytes_of(t));
  }
}

int cdn_scene_texture_count(const cdn_scene *scene) {
  CDNI_NEED_OBJECT(scene, 0);
  return (int)scene->textures.count;
}

cdn_status cdn_scene_texture_sized(const cdn_scene *scene, int i, cdn_texture_def *out, size_t size) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  const cdn_texture_def *t = cdni_scene_element(&scene->textures, i, "cdn_scene_texture", "texture");
  if (!t) return CDN_ERR_ARG;
  cdn_texture_def d = *t;
  d.struct_size = (uint32_t)size;
  cdni_sized_write(out, size, &d, sizeof d);
  return CDN_OK;
}

cdn_status cdn_scene_set_sky(cdn_scene *scene, int texture, cdn_rotation R_GS) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  if (texture >= (int)scene->textures.count || (texture >= 0 && !scene_texture(scene, texture)->cube))
    return cdni_refuse(CDN_ERR_ARG, __func__, "texture %d is no cube of this scene, which has %zu textures", texture,
                       scene->textures.count);
  if (texture >= 0 && cdni_check_frame((cdn_transform){ R_GS, { 0, 0, 0 } }) != CDN_OK)
    return cdni_refuse(CDN_ERR_ARG, __func__, "the sky's axes are no right-handed unit vectors");
  scene->sky = texture < 0 ? -1 : texture;
  scene->R_GS = R_GS;
  return CDN_OK;
}

int cdn_scene_sky(const cdn_scene *scene, cdn_rotation *R_GS) {
  CDNI_NEED_OBJECT(scene, -1);
  if (R_GS) *R_GS = scene->sky < 0 ? cdn_rotation_identity() : scene->R_GS;
  return scene->sky;
}
