/* Where a path comes to lie on an obstacle or leaves it: its length bends there, or jumps, and so does every force
 * along it. */
#include <math.h>

#include "paths/internal.h"
#include "system/triggers.h"

enum { OF_OBSTACLE = 2 };

static const path_room *of(const void *self) { return *(const path_room *const *)self; }

/* From the obstacle's origin, about a cylinder across its axis. */
static v3 seen(const path_gap *gap, v3 place) {
  const v3 p = v3_sub(place, gap->O);
  return v3_fma(-v3_dot(gap->axis, p), gap->axis, p);
}

/* The point of the straight line next to the centre. */
static v3 nearest(v3 P, v3 Q) {
  const v3 along = v3_sub(Q, P);
  const double square = v3_dot(along, along), t = square > 0 ? -v3_dot(along, P) / square : 0;
  return v3_fma(fmin(fmax(t, 0), 1), along, P);
}

/* The first value has its sign from whether the path is straight, and is how far the straight line is from the surface,
 * on the wrong side beyond it; the second one is how far the nearer end is outside of the obstacle. */
static void look(const path_gap *gap, double values[OF_OBSTACLE]) {
  const v3 P = seen(gap, gap->P), Q = seen(gap, gap->Q), near = nearest(P, Q);
  const bool inside = gap->around.has_side && v3_dot(gap->side, gap->side) < gap->around.radius * gap->around.radius;
  const bool wrong = gap->around.has_side && !inside && v3_dot(near, gap->side) < 0;
  const double beyond = fabs((wrong ? -1 : 1) * v3_norm(near) - gap->around.radius);
  values[1] = fmin(v3_norm(P), v3_norm(Q)) - gap->around.radius;
  values[0] = values[1] < 0 ? NAN : gap->wraps ? -beyond : beyond;
}

static cdn_status calc_kinks(const void *self, cdn_state *state, void *out) {
  const path_room *room = of(self);
  double *values = out, *rates = values + OF_OBSTACLE * room->n_obstacles;
  CDNI_TRY(cdni_state_ensure(state, room->gaps.ticket));
  const path_gap *gaps = cdni_state_storage(state, room->gaps);
  for (int k = 0, n = 0; k < room->n_gaps; k++)
    if (gaps[k].body[1] >= 0) look(&gaps[k], values + OF_OBSTACLE * n++);
  for (int k = 0; k < OF_OBSTACLE * room->n_obstacles; k++) rates[k] = NAN;
  return CDN_OK;
}

void cdni_path_kinks_declare(path_room *room, cdn_declarer *d) {
  if (room->n_obstacles == 0) return;
  const size_t size = 2 * OF_OBSTACLE * (size_t)room->n_obstacles * sizeof(double);
  const cdn_cache kinks = cdn_declare_cache(d, "kinks", size, calc_kinks, 1, &room->gaps.ticket);
  cdni_declare_kinks(d, OF_OBSTACLE * room->n_obstacles, kinks, room->lengths.ticket, NULL);
}
