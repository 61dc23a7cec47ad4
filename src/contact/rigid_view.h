/* How the files of rigid contact look at a State: places and poses of shapes, pairs of them, and how exactly their gaps
 * are known. Private to the room. */
#ifndef CARDAN_CONTACT_RIGID_VIEW_H
#define CARDAN_CONTACT_RIGID_VIEW_H

#include <math.h>

#include "contact/rigid.h"
#include "contact/room.h"

typedef struct rigid_view {
  const contact_room *room;
  const shape_place *places;
  const shape_pose *poses;
} rigid_view;

/* What is nearer than this part of the smaller shape counts as touching, as the search for nearest points ends
 * there. */
static const double RIGID_TOUCHING = 4e-11;
/* Where a point has slid off by less than this part of that, the features that take over are already touching. */
static const double RIGID_SLACK = 0.25;

static inline cdn_status rigid_look(const contact_room *room, cdn_state *state, rigid_view *v) {
  CDNI_TRY(cdni_state_ensure(state, room->places.ticket));
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  *v = (rigid_view){ room, cdni_state_storage(state, room->places), cdni_state_storage(state, room->poses) };
  return CDN_OK;
}

static inline double rigid_size(const shape_place *a, const shape_place *b) {
  return fmin(fmin(a->radius, b->radius), fmin(a->depth, b->depth));
}

static inline rigid_pair rigid_pair_of(const rigid_view *v, int a, int b) {
  return (rigid_pair){ .g = { &v->places[a].geometry, &v->places[b].geometry },
                       .X = { &v->poses[a].X_GS, &v->poses[b].X_GS },
                       .size = rigid_size(&v->places[a], &v->places[b]) };
}

static inline double rigid_near(const rigid_pair *p) {
  const cdn_vec3 x = p->X[0]->p, y = p->X[1]->p;
  return RIGID_TOUCHING * (p->size + fmax(cdn_norm(x), cdn_norm(y)));
}

/* ---- rigid_tangents.c ---- */

/* The axis of a slot that is taken; `elliptic`: friction differs along the tangents. */
int cdni_rigid_axis(const rigid_pair *p, cdn_vec3 normal, bool elliptic);
/* The feature of a slot, with its tangent. */
bool cdni_rigid_measure_slot(const rigid_pair *p, const rigid_feature *f, const rigid_motion *motion, rigid_touch *out);

#endif
