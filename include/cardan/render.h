/* Cardan: pictures of a scene, drawn off screen by tracing rays (Embree), and pictures of depth and of what is where.
 * No window, display or graphics card is needed.
 *
 * I want to
 *   draw the frame into memory, off screen: cdn_renderer_create, cdn_default_render_def, cdn_renderer_draw,
 *       cdn_renderer_destroy
 *   measure what each pixel shows: its depth, its distance, its visual: cdn_renderer_measure
 *   know whether this library draws, and where a point is in the picture: cdn_renderer_is_available,
 *       cdn_renderer_project */
#ifndef CARDAN_RENDER_H
#define CARDAN_RENDER_H

#include <cardan/scene.h>

CDN_BEGIN_DECLS

typedef struct cdn_renderer cdn_renderer;

typedef struct cdn_render_def {
  CDN_DEF_HEADER;
  int width, height; /**< pixels, 1 to 16384; default 960 x 720 */
  /** 1 to 16: so many rays along each side of a pixel, in all pixels, with shadows of their own. Default 0: rays and
   *  shadows where they are needed. Pixels between others that are alike get the mean of these, and edges get eight
   *  rays: eight times as fast as 4, and much alike */
  int samples;
  int threads;          /**< default 0: as many as there are processors */
  double background[4]; /**< red, green, blue, opacity; default white */
  bool shadows;         /**< soft shadows, and darker corners; default true */
  bool collision;       /**< shapes of contact in place of looks; default false */
  double opacity;       /**< of all visuals but floors, times their own; default 1. Less shows marks inside bodies */
  uint32_t groups;      /**< bit g: visuals of group g are shown; default 7, as MuJoCo's viewer shows groups 0 to 2 */
  double floor; /**< a scene without a plane gets one with squares at this height along Ground's z, m, which views from
                     below do not show; default NaN: none */
} cdn_render_def;
CDN_DEF(render_def);

/** Whether the library was built with Embree. Without it cdn_renderer_create returns CDN_ERR_UNSUPPORTED. */
CDN_API bool cdn_renderer_is_available(void);
/** Makes a renderer of a scene, which must live longer. It makes triangles of the scene's present visuals, once. `def`
 *  may be NULL. Errors: CDN_ERR_ARG, CDN_ERR_NOMEM, CDN_ERR_UNSUPPORTED; then *out is NULL. */
CDN_API cdn_status cdn_renderer_create(const cdn_scene *scene, const cdn_render_def *def,
                                       cdn_renderer **out) CDN_NODISCARD;
CDN_API void cdn_renderer_destroy(cdn_renderer *renderer); /**< NULL is allowed */
/** Draws the scene's present frame as `view` sees it, with its marks but not its text. `rgba` has room for 4 width
 *  height bytes: rows from top to bottom, 4 bytes a pixel, colours not multiplied by the opacity. The same picture has
 *  the same bytes, whatever the number of threads. The lights are those of the scene; a scene without any has one from
 *  above. Errors: CDN_ERR_ARG (no frame yet, an angle of
 *  view that is not within 0 and pi, a pose that is not finite), CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_renderer_draw(cdn_renderer *renderer, const cdn_view_point *view, uint8_t *rgba) CDN_NODISCARD;
/** What each pixel of the picture shows in its middle. Each array may be NULL; else it has room for width height
 *  numbers: rows from top to bottom.
 *  - `depth`: how far it is from the camera along the camera's axis, m, as depth cameras measure it; INFINITY: nothing;
 *  - `distance`: how far it is along the ray through the pixel, m; INFINITY: nothing;
 *  - `visual`: its number in the scene (cdn_scene_visual tells body, shape and name); -1: nothing.
 *  Rays meet the visuals that the picture shows (`collision`, `groups`), but for those of opacity 0. They meet the
 *  shapes themselves, in doubles, as cdn_scene_pick does, not the triangles that are drawn; of two at the same distance
 *  the first counts. Marks and the floor of the def are not met: they are no part of the model. A plane without end
 *  reaches to the horizon. From inside a shape a ray meets where it leaves. The arrays do not depend on the number of
 *  threads. Errors: CDN_ERR_ARG (as cdn_renderer_draw), CDN_ERR_NOMEM. O(pixels log(visuals)), by Embree. */
CDN_API cdn_status cdn_renderer_measure(cdn_renderer *renderer, const cdn_view_point *view, float *depth,
                                        float *distance, int32_t *visual) CDN_NODISCARD;
/** Where a point is in the picture: pixels from the left and from the top; false if it is behind the camera. */
CDN_API bool cdn_renderer_project(const cdn_renderer *renderer, const cdn_view_point *view, cdn_vec3 p_G,
                                  double pixel[2]);

CDN_END_DECLS
#endif
