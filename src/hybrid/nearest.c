/* The nearest admissible push and friction of one contact. */
#include <math.h>

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
  for (int k = 0; k < 2 && l->size > 0; k++) l->t[k] *= size / l->size;
  l->push = push;
  return at;
}

void cdni_limit_change(const limit_numbers *l, limit_place place, double *push, double t[2]) {
  limit_numbers now = *l;
  if (place == LIMIT_INSIDE) return;
  cdni_limit_project(&now);
  const double ex = l->size > 0 ? l->t[0] / l->size : 1, ey = l->size > 0 ? l->t[1] / l->size : 0;
  double radial = t[0] * ex + t[1] * ey, across = t[1] * ex - t[0] * ey;
  if (l->size > 0) across *= hypot(now.t[0], now.t[1]) / l->size;
  const double along = (*push + l->slope * radial) / (1 + l->slope * l->slope);
  switch (place) {
    case LIMIT_MANTLE: *push = along, radial = l->slope * along; break;
    case LIMIT_NO_PUSH: *push = 0; break;
    case LIMIT_RIM: *push = radial = 0; break;
    case LIMIT_INSIDE: break;
  }
  t[0] = radial * ex - across * ey, t[1] = radial * ey + across * ex;
}
