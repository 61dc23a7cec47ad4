/* Numbers of the contacts between two sides, for measures. */
#include <float.h>
#include <math.h>

#include "contact/laws.h"
#include "contact/near.h"
#include "contact/pairs.h"
#include "contact/room.h"
#include "contact/search.h"
#include "contact/touch.h"

cdn_ticket cdni_contact_ticket(const cdn_system *system, cdn_contact_quantity q) {
  const contact_room *room = cdni_contact(system);
  if (!room) return (cdn_ticket){ 0 };
  if (q == CDN_CONTACT_ENERGY) return room->energies_ticket;
  return cdni_contact_quantity_moves(q) ? room->values_ticket : room->touches_ticket;
}

bool cdni_contact_quantity_accelerates(const cdn_system *system, cdn_contact_quantity q) {
  const contact_room *room = cdni_contact(system);
  return cdni_contact_has_rows(room) && (q == CDN_CONTACT_NORMAL_FORCE || q == CDN_CONTACT_FORCE ||
                                         q == CDN_CONTACT_FRICTION || q == CDN_CONTACT_POWER);
}

static bool is_on_side(const contact_room *room, const cdni_contact_side *side, int i) {
  return (side->shape.i < 0 || side->shape.i == i) && (side->body.i < 0 || side->body.i == shape_body(room, i));
}

/* 1: a is on side 0 and b on side 1; -1: the other way round; 0: neither. */
static int sides_of(const contact_room *room, const cdni_contact_side side[2], int a, int b) {
  if (is_on_side(room, &side[0], a) && is_on_side(room, &side[1], b)) return 1;
  return is_on_side(room, &side[0], b) && is_on_side(room, &side[1], a) ? -1 : 0;
}

static void add_contact(cdn_contact_quantity quantity, const cdn_contact *c, int sign, double *out) {
  cdn_vec3 f = { 0, 0, 0 };
  switch (quantity) {
    case CDN_CONTACT_COUNT: *out += 1; return;
    case CDN_CONTACT_STICKING: *out += c->sticks; return;
    case CDN_CONTACT_DEPTH: *out = fmax(*out, c->depth); return;
    case CDN_CONTACT_ENERGY: *out += isnan(c->elastic) ? 0 : c->elastic; return;
    case CDN_CONTACT_NORMAL_FORCE: *out += c->force; return;
    case CDN_CONTACT_SLIP: *out = fmax(*out, hypot(c->slip[0], c->slip[1])); return;
    case CDN_CONTACT_POWER: *out += c->power; return;
    case CDN_CONTACT_FRICTION: f = c->friction; break;
    default: f = cdn_add(cdn_add(cdn_scale(c->force, c->normal), c->friction), c->side_force); break;
  }
  /* of b; side 0 is a where the sign is 1 */
  out[0] -= sign * f.x, out[1] -= sign * f.y, out[2] -= sign * f.z;
}

cdn_status cdni_contact_sum(cdn_state *state, const cdni_contact_side side[2], cdn_contact_quantity quantity,
                            contact_force_fn *rows, double *out) {
  const contact_room *room = cdni_contact(cdn_state_system(state));
  const void *elements;
  int n;
  memset(out, 0, (size_t)cdni_contact_quantity_size(quantity) * sizeof *out);
  const double *energies = NULL;
  if (quantity == CDN_CONTACT_ENERGY) {
    CDNI_TRY(cdn_region_eval(state, room->energies, &elements, &n));
    energies = elements;
    CDNI_TRY(cdn_region_eval(state, room->enclosed, &elements, &n));
    const enclosed_pair *e = elements;
    for (int i = 0; i < n; i++) *out += sides_of(room, side, e[i].a, e[i].b) != 0 ? e[i].energy : 0;
  }
  CDNI_TRY(cdn_region_eval(state, room->touches, &elements, &n));
  const bool accelerates = cdni_contact_quantity_accelerates(cdn_state_system(state), quantity);
  for (int i = 0; i < n; i++) {
    const touch *t = &((const touch *)elements)[i];
    const int sign = sides_of(room, side, t->a, t->b);
    if (sign == 0) continue;
    cdn_contact c = { .depth = t->depth };
    if (energies) c.elastic = energies[i];
    contact_force force;
    const bool has_rows = accelerates && t->model != CDN_CONTACT_COMPLIANT;
    if (has_rows) CDNI_TRY(rows(state, i, &force));
    if (cdni_contact_quantity_moves(quantity))
      CDNI_TRY(cdni_contact_report(state, room, i, has_rows ? &force : NULL, &c));
    add_contact(quantity, &c, sign, out);
  }
  return CDN_OK;
}

/* ---- gaps ---- */

static double between_boxes(const cdni_box *a, const cdni_box *b) {
  double square = 0;
  for (int k = 0; k < 3; k++) {
    const double out = fmax(0, fmax(a->least[k] - b->most[k], b->least[k] - a->most[k]));
    square += out * out;
  }
  return sqrt(square);
}

static bool has_gap(const contact_room *room, const cdni_contact_side side[2], int i, int j) {
  const cdn_geometry *a = &CDNI_AT(room->shapes, shape, i).geometry, *b = &CDNI_AT(room->shapes, shape, j).geometry;
  return sides_of(room, side, i, j) != 0 && cdni_library_law(a->kind, b->kind) && cdni_contact_accepts(room, i, j);
}

cdn_status cdni_contact_gap(cdn_state *state, const cdni_contact_side side[2], double *gap) {
  const contact_room *room = cdni_contact(cdn_state_system(state));
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  const shape_pose *poses = cdni_state_storage(state, room->poses);
  const double *sizes = cdn_state_parameters(state, room->sizes);
  const double *enabled = cdn_state_parameters(state, room->enabled);
  *gap = INFINITY;
  for (int i = 0; i < (int)room->shapes.count; i++) {
    if (enabled[i] == 0 || (!is_on_side(room, &side[0], i) && !is_on_side(room, &side[1], i))) continue;
    const cdn_geometry a = shape_geometry(room, sizes, i);
    for (int j = i + 1; j < (int)room->shapes.count; j++) {
      const double least = between_boxes(&shape_boxes(room, poses)[i], &shape_boxes(room, poses)[j]);
      if (enabled[j] == 0 || (least > 0 && least > *gap) || !has_gap(room, side, i, j)) continue;
      const cdn_geometry b = shape_geometry(room, sizes, j);
      const cdn_geometry *g[2] = { &a, &b };
      const cdn_transform *X[2] = { &poses[i].X_GS, &poses[j].X_GS };
      cdn_proximity near;
      double share;
      if (cdni_contact_near(g, X, INFINITY, &near, &share)) *gap = fmin(*gap, near.distance);
    }
  }
  if (*gap == INFINITY) *gap = DBL_MAX; /* nothing may touch */
  return CDN_OK;
}
