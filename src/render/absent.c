/* The renderer of a library that was built without Embree. */
#include "core/sized.h"
#include <cardan/render.h>

CDNI_DEF(render_def, .width = 960, .height = 720, .samples = 0, .background = { 1, 1, 1, 1 }, .shadows = true,
         .opacity = 1, .groups = 7);

bool cdn_renderer_is_available(void) { return false; }

static cdn_status refuse(const char *function) {
  return cdni_refuse(CDN_ERR_UNSUPPORTED, function,
                     "this library was built without Embree and draws no pictures: install libembree-dev and build it "
                     "again with -Drender=enabled");
}

cdn_status cdn_renderer_create(const cdn_scene *scene, const cdn_render_def *def, cdn_renderer **out) {
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  *out = NULL;
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  cdn_render_def d;
  const char *unreadable = def ? read_render_def(&d, def) : NULL;
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, "cdn_renderer_create", "%s", unreadable);
  return refuse("cdn_renderer_create");
}

void cdn_renderer_destroy(cdn_renderer *renderer) { (void)renderer; }

cdn_status cdn_renderer_draw(cdn_renderer *renderer, const cdn_view_point *view, uint8_t *rgba) {
  (void)renderer;
  (void)view;
  (void)rgba;
  return refuse("cdn_renderer_draw");
}

cdn_status cdn_renderer_measure(cdn_renderer *renderer, const cdn_view_point *view, float *depth, float *distance,
                                int32_t *visual) {
  (void)renderer;
  (void)view;
  (void)depth;
  (void)distance;
  (void)visual;
  return refuse("cdn_renderer_measure");
}

bool cdn_renderer_project(const cdn_renderer *renderer, const cdn_view_point *view, cdn_vec3 p_G, double pixel[2]) {
  (void)renderer;
  (void)view;
  (void)p_G;
  (void)pixel;
  return false;
}
