/* Position, velocity or acceleration in Ground of a point that is fixed on a body. */
#include <cardan/matter.h>

#include "measures/internal.h"

typedef struct station {
  measure base;
  cdn_body body;
  cdn_vec3 p_B;
  cdn_station_quantity quantity; /* of the value; derivatives are the next ones */
} station;

static int derivatives(const measure *m) { return (int)CDN_STATION_ACCELERATION - (int)((const station *)m)->quantity; }

static int rank(const measure *m, int order) { return (int)((const station *)m)->quantity + order; }

static cdn_stage stage(const measure *m, int order) {
  static const cdn_stage stages[] = { CDN_STAGE_POSITION, CDN_STAGE_VELOCITY, CDN_STAGE_ACCELERATION };
  return stages[rank(m, order)];
}

static void depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  const cdn_ticket tickets[] = { CDN_POSE, CDN_TWIST, CDN_UDOT };
  for (int i = 0; i <= rank(m, order); i++) cdni_declare_prerequisite(d, entry, tickets[i]);
}

/* a = A.v + alpha x r + w x (w x r) */
static cdn_status acceleration(const station *s, cdn_state *state, cdn_vec3 *a) {
  cdn_transform X;
  cdn_spatial V, A;
  CDNI_TRY(cdn_body_pose(state, s->body, &X));
  CDNI_TRY(cdn_body_velocity(state, s->body, &V));
  CDNI_TRY(cdn_body_acceleration(state, s->body, &A));
  cdn_vec3 r = cdn_rotate(X.R, s->p_B);
  *a = cdn_add(A.v, cdn_add(cdn_cross(A.w, r), cdn_cross(V.w, cdn_cross(V.w, r))));
  return CDN_OK;
}

static cdn_status value(const measure *m, cdn_state *state, int order, double *out) {
  const station *s = (const station *)m;
  cdn_vec3 p = { 0, 0, 0 };
  switch (rank(m, order)) {
    case CDN_STATION_POSITION: CDNI_TRY(cdn_body_station(state, s->body, s->p_B, &p, NULL)); break;
    case CDN_STATION_VELOCITY: CDNI_TRY(cdn_body_station(state, s->body, s->p_B, NULL, &p)); break;
    default: CDNI_TRY(acceleration(s, state, &p)); break;
  }
  out[0] = p.x, out[1] = p.y, out[2] = p.z;
  return CDN_OK;
}

static const measure_kind station_kind = { .name = "station",
                                           .size = sizeof(station),
                                           .derivatives = derivatives,
                                           .stage = stage,
                                           .depend = depend,
                                           .value = value };

cdn_measure cdn_system_add_station_measure(cdn_system *system, const char *name, cdn_body body, cdn_vec3 p_B,
                                           cdn_station_quantity quantity) {
  cdni_adder a;
  const double numbers[] = { p_B.x, p_B.y, p_B.z };
  station s = { .base = { .n = 3, .operand = { -1 } }, .body = body, .p_B = p_B, .quantity = quantity };
  cdni_measure_begin(&a, system, "cdn_system_add_station_measure", name);
  cdni_adder_check_numbers(&a, "the station", numbers, 3);
  if (a.ok && (body.i < 0 || body.i >= cdn_system_body_count(system) || cdn_system_body_count(system) < 2)) {
    cdni_adder_refuse(&a, CDN_ERR_ARG, "there is no body %d in this System (yet): add the body first", (int)body.i);
  }
  if (quantity < CDN_STATION_POSITION || quantity > CDN_STATION_ACCELERATION) {
    cdni_adder_refuse(&a, CDN_ERR_ARG, "quantity is not one of cdn_station_quantity");
  }
  return cdni_measure_add(&a, &station_kind, &s.base);
}
