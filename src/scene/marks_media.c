/* Marks of media: the force and the moment of each on its body, at the centre of what stands for the body. */
#include <cardan/forces.h>

#include "forces/forces.h"
#include "scene/internal.h"

static cdn_status mark_medium(cdn_decorations *d, cdn_force force, cdn_body body, cdn_vec3 center_B) {
  CDNI_TRY(cdn_force_contribution(d->state, force, d->scene->loads, NULL, NULL, NULL));
  const cdn_transform *X_GB = &d->scene->poses[body.i];
  const cdn_spatial F = d->scene->loads[body.i];
  const cdn_vec3 arm = cdn_rotate(X_GB->R, center_B), center = cdn_add(X_GB->p, arm);
  CDNI_TRY(cdni_mark_force(d, body, center, F.v));
  return cdni_mark_moment(d, body, center, cdn_sub(F.w, cdn_cross(arm, F.v)));
}

cdn_status cdni_marks_media(cdn_decorations *d) {
  cdn_status first = CDN_OK;
  for (int i = 0; i < cdn_system_force_count(d->scene->system); i++) {
    cdn_body body;
    cdn_vec3 center;
    if (!cdni_force_of_medium(d->scene->system, i, &body, &center) || body.i == 0) continue;
    const cdn_status status = mark_medium(d, (cdn_force){ i }, body, center);
    if (first == CDN_OK) first = status;
  }
  return first;
}
