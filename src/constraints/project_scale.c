/* The scales of position errors in a model's own units: 1 rad, or a length of the model. A rod of an atom's size, whose
 * errors were measured in metres, would seem right at any length. */
#include <math.h>

#include "constraints/internal.h"
#include "constraints/project.h"
#include "matter/operators.h"
#include "matter/scale.h"

double cdni_constraint_length(const matter *m, cdn_state *state, double length) {
  /* places this far from Ground's origin are rounded, by some 1e-16 of how far they are; projection stops at 1e-10 of
   * the length */
  static const double OF_THE_WAY = 1e-4;
  const double least = fmax(length, OF_THE_WAY * cdni_matter_reach(m, state));
  return least > 0 ? least : 1;
}

double cdni_constraint_scale(const constraint_room *room, const cdn_state *state, const constraint_rows *rows, int i,
                             int k, double length) {
  const constraint_element *c = constraint_on(room, rows->plan, i);
  const sv *J = rows->J + rows->plan->J[i] + (size_t)k * (size_t)c->n_bodies;
  const double *g = rows->g + rows->plan->g[i] + (size_t)k * (size_t)c->n_mobilities;
  const int32_t *body = constraint_bodies_on(rows->plan, i);
  double most = 0;
  for (int b = 0; b < c->n_bodies; b++) /* Ground does not move, however long the arm is on it */
    if (body[b] > 0) most = fmax(most, fmax(v3_norm(J[b].w), v3_norm(J[b].v) * length));
  for (int j = 0; j < c->n_mobilities; j++) {
    const constraint_mobility *on = (const constraint_mobility *)room->mobilities.data + c->first_mobility + j;
    const int of_body = on->u - room->matter->tree.node[on->body].u;
    most = fmax(most, fabs(g[j]) * cdni_matter_unit(room->matter, state, on->body, of_body, length));
  }
  return most > 0 ? most : 1;
}
