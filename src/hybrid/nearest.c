/* The nearest admissible push and friction of one contact. */
#include <math.h>

#include "hybrid/cones.h"
#include "hybrid/hybrid.h"

limit_place cdni_limit_project(limit_numbers *l) {
  const double past = (l->size - l->slope * l->push - l->base) / (1 + l->slope * l->slope);
  double push = l->push, size = l->size;
  limit_place at = LIMIT_INSIDE;
  if (past > 0) push += l->slope * past, size -= past, at = LIMIT_MANTLE;
  if (push < 0 || size < 0) {
    push = 0, size = fmin(l->size, l->base);
    at = l->size > l->base ? LIMIT_RIM : LIMIT_NO_PUSH;
  }
  for (int k = 0; k < 3 && l->size > 0; k++) l->t[k] *= size / l->size;
  l->push = push;
  return at;
}

void cdni_limit_change(const limit_numbers *l, limit_place place, double *push, double t[3]) {
  limit_numbers now = *l;
  double e[3] = { 1, 0, 0 }, ratio = 1;
  if (place == LIMIT_INSIDE) return;
  cdni_limit_project(&now);
  for (int k = 0; k < 3 && l->size > 0; k++) e[k] = l->t[k] / l->size;
  if (l->size > 0) ratio = cone_norm(now.t) / l->size;
  double radial = cone_dot(t, e);
  for (int k = 0; k < 3; k++) t[k] = ratio * (t[k] - radial * e[k]);
  const double along = (*push + l->slope * radial) / (1 + l->slope * l->slope);
  switch (place) {
    case LIMIT_MANTLE: *push = along, radial = l->slope * along; break;
    case LIMIT_NO_PUSH: *push = 0; break;
    case LIMIT_RIM: *push = radial = 0; break;
    case LIMIT_INSIDE: break;
  }
  for (int k = 0; k < 3; k++) t[k] += radial * e[k];
}
