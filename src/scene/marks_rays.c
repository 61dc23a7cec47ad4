/* Marks of rays: of sensors of distances, as far as what they meet. */
#include <math.h>

#include <cardan/measures.h>

#include "scene/internal.h"

static cdn_status mark_ray(cdn_decorations *d, const scene_ray *r, double distance) {
  const cdn_transform X_GR = cdn_transform_multiply(d->scene->poses[r->body.i], r->X_BR);
  cdn_mark m = cdni_mark(d, CDN_MARK_LINE, r->body, X_GR);
  m.size[0] = distance;
  CDNI_TRY(cdn_decorate(d, &m));
  m.kind = CDN_MARK_POINT, m.size[0] = 0.15 * d->scene->scale;
  m.X_G.p = cdn_add(X_GR.p, cdn_scale(distance, X_GR.R.z));
  return cdn_decorate(d, &m);
}

static cdn_status failure_of(const cdn_state *state) {
  cdn_error error;
  cdn_state_last_error(state, &error);
  return error.code;
}

cdn_status cdni_marks_rays(cdn_decorations *d) {
  cdn_status first = CDN_OK;
  for (size_t i = 0; i < d->scene->rays.count; i++) {
    const scene_ray *r = &CDNI_AT(d->scene->rays, scene_ray, i);
    const double *value = cdn_measure_value(d->state, r->measure);
    const bool meets = value && value[r->k] >= 0 && isfinite(value[r->k]);
    if (meets) CDNI_TRY(mark_ray(d, r, value[r->k]));
    else if (!value && first == CDN_OK) first = failure_of(d->state);
  }
  return first;
}
