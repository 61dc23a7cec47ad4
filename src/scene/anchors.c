/* Where on its bodies a constraint acts. */
#include <cardan/constraints.h>
#include <cardan/elements.h>

#include "constraints/constraints.h"
#include "scene/internal.h"

/* Constraints have stations and frames as parameters, and their names tell on which body: "p_A.x" and "X_AF.p.x" on the
 * first, "p_B.x" and "X_BM.p.x" on the second. */
static int side_of(const char *name) {
  if (strcmp(name, "p_A.x") == 0) return 0;
  if (strcmp(name, "p_B.x") == 0) return 1;
  const size_t length = strlen(name);
  if (strncmp(name, "X_", 2) != 0 || length < 5 || strcmp(name + length - 4, ".p.x") != 0) return -1;
  return name[2] == 'A' ? 0 : name[2] == 'B' ? 1 : -1;
}

cdn_status cdni_scene_anchors(const cdn_state *state, cdn_constraint constraint, scene_places *out) {
  const cdn_system *system = cdn_state_system(state);
  const int i = constraint.i, n = cdn_element_parameter_count(system, CDN_ELEMENT_CONSTRAINT, i);
  cdn_body bodies[2];
  cdni_constraint_first_bodies(system, i, bodies);
  out->n = 0;
  for (int k = 0; k + 2 < n; k++) {
    cdn_parameter parameter;
    double p[3];
    CDNI_TRY(cdn_element_parameter(system, CDN_ELEMENT_CONSTRAINT, i, k, &parameter));
    const int side = side_of(parameter.name);
    if (side < 0 || bodies[side].i < 0 || out->n == 2) continue;
    CDNI_TRY(cdn_element_get_parameters(state, CDN_ELEMENT_CONSTRAINT, i, k, 3, p));
    out->body[out->n] = bodies[side];
    out->p_B[out->n++] = cdn_v3(p[0], p[1], p[2]);
  }
  return CDN_OK;
}
