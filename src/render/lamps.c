/* The lights of a frame. */
#include "render/internal.h"

static cdn_status add_lamp(cdn_renderer *r, const lamp *l) {
  if (cdni_array_push(&r->allocator, &r->lamps, sizeof *l, l)) return CDN_OK;
  return cdni_refuse(CDN_ERR_NOMEM, "cdn_renderer_draw", "out of memory for the picture");
}

cdn_status cdni_render_lamps(cdn_renderer *r) {
  const lamp above = {
    .along = unit((vec){ 0.14f, 0.66f, -0.9f }), .directional = true, .casts_shadows = true, .rgb = { 0.7f, 0.7f, 0.7f }
  };
  r->lamps.count = 0;
  for (int i = 0; i < cdn_scene_light_count(r->scene); i++) {
    cdn_light_def light;
    cdn_vec3 position, along;
    CDNI_TRY(cdn_scene_light(r->scene, i, &light));
    if (cdn_scene_light_ray(r->scene, i, &position, &along) != CDN_OK)
      continue; /* it was added after the frame was made */
    lamp l = { .position = vec_of(position),
               .along = vec_of(along),
               .directional = light.directional,
               .casts_shadows = light.castshadow,
               .least_cosine = (float)cos(fmin(light.cutoff, acos(-1))),
               .exponent = (float)light.exponent };
    for (int k = 0; k < 3; k++) l.rgb[k] = (float)fmax(light.rgb[k], 0), l.attenuation[k] = (float)light.attenuation[k];
    CDNI_TRY(add_lamp(r, &l));
  }
  return r->lamps.count == 0 ? add_lamp(r, &above) : CDN_OK;
}
