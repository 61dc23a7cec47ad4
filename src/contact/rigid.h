/* Rigid contact: where two shapes touch, feature by feature, and the slots in which a State keeps what touches.
 *
 * A *feature* is a point of one shape on the surface of the other, or two edges that cross. Each has a gap, a normal
 * and a point, which are smooth functions of the pose as long as the features stay the same. While it is in use it
 * belongs to a *slot*: two constraints (constraints/kinds/shape_contact.c), which hybrid mechanics switches
 * (hybrid/). */
#ifndef CARDAN_CONTACT_RIGID_H
#define CARDAN_CONTACT_RIGID_H

#include <cardan/regions.h>

#include "contact/contact.h"
#include "geometry/geometry.h"
#include "matter/matter.h"

typedef enum rigid_feature_kind {
  RIGID_NONE,   /* the slot is free */
  RIGID_POINT,  /* a ball of `side` (its middle is point i) on the whole surface of the other */
  RIGID_CORNER, /* point i of `side` on face j of the other */
  RIGID_EDGES,  /* edge i of a and edge j of b */
  RIGID_RIM,    /* the lowest point of rim i of a cylinder (`side`) on a half-space, or on face j */
  RIGID_HOOP,   /* rim i % 2 of a cylinder (`side`) across edge j, at the place i / 2 */
  RIGID_CLOSEST /* the nearest points of two convex shapes, one of which is strictly convex there */
} rigid_feature_kind;

/* A State keeps its bytes. */
typedef struct rigid_feature {
  int32_t a, b; /* shapes, a < b */
  int32_t body[2];
  int32_t kind, side, i, j;
  int32_t axis;   /* which is the first tangent but for the part along the normal (rigid_tangents.c) */
  int32_t number; /* of a feature of the two shapes; with it the bytes are those of five doubles */
} rigid_feature;

/* How a body moves: its angular velocity, and the velocity of the point `at`. */
typedef struct rigid_motion {
  cdn_vec3 w, v, at;
} rigid_motion;

/* In Ground. The rates are there only if motions are given. */
typedef struct rigid_touch {
  double gap; /* negative: they overlap */
  /* How far the point is from the ends of what touches, m; INFINITY: it has none. Negative, too, where the slot has to
   * be renewed, as its axis has come near the normal. */
  double within;
  cdn_vec3 point, normal, tangent; /* midway; from a to b; the first of two */
  cdn_vec3 point_rate, normal_rate, tangent_rate;
} rigid_touch;

/* ---- rigid_features.c, rigid_visit.c ---- */

typedef struct rigid_pair {
  const cdn_geometry *g[2];
  const cdn_transform *X[2];
  double size; /* of the smaller one, m */
  /* > 0: edges are a feature only as they would touch now, and to this depth, m. 0: also where they come to that */
  double deep;
} rigid_pair;

/* A feature at a pose, and with `motion` (two bodies, or NULL) its rates. False: there is none, as edges are
 * parallel. */
bool cdni_rigid_measure(const rigid_pair *p, const rigid_feature *f, const rigid_motion *motion, rigid_touch *out);
/* Calls visit for the features whose gap is below `reach`; *f begins with the shapes and bodies of the pair. */
typedef void rigid_visitor(void *context, const rigid_feature *f, double gap);
void cdni_rigid_visit(const rigid_pair *p, const rigid_feature *pair, double reach, rigid_visitor *visit,
                      void *context);
/* How many slots a shape of this kind may need on one other. */
int cdni_rigid_slots_for(const cdn_geometry *g);

/* ---- rigid.c: slots of a State ---- */

/* Before freezing: finds the hulls of meshes that are convex. */
cdn_status cdni_rigid_find_hulls(cdn_system *system);
/* How many slots a State of the System has; 0: contact is not rigid, or nothing moves. */
int cdni_rigid_slots_of(const cdn_system *system);
/* The largest length of friction against spin [0], and against rolling [1], m; 0: no two surfaces have any. */
void cdni_rigid_turns(const cdn_system *system, double lengths[2]);
/* The variable that keeps them. */
cdn_dvar cdni_rigid_variable(const contact_room *room);
/* The places of the shapes on their bodies: what its touches are computed from, beside poses and slots. */
cdn_ticket cdni_rigid_places(const contact_room *room);
/* What the least gap is computed from: at most 3. Returns how many. */
int cdni_rigid_reads(const contact_room *room, cdn_ticket tickets[3]);
const rigid_feature *cdni_rigid_slot(const contact_room *room, const cdn_state *state, int slot);
/* Whether a feature of two shapes has a slot. */
bool cdni_rigid_has_slot(const contact_room *room, const cdn_state *state, int a, int b);
/* The feature of a slot in a State. False: none. Reads poses of shapes, and twists if `moving`. */
cdn_status cdni_rigid_touch(const contact_room *room, cdn_state *state, int slot, bool moving, bool *found,
                            rigid_touch *out);
/* The same with bodies elsewhere (poses and twists of M by body; twists NULL: without rates). */
cdn_status cdni_rigid_touch_at(const contact_room *room, cdn_state *state, int slot, const body_pose *pose,
                               const body_twist *twist, bool *found, rigid_touch *out);
/* Whether a surface of a slot's shapes runs over its body; how they do where they touch, b's less a's: velocity and
 * turning, and if there are twists, the rates of both. */
typedef struct rigid_surface {
  cdn_vec3 v, w, v_rate, w_rate;
} rigid_surface;
bool cdni_rigid_any_runs(const contact_room *room, const cdn_state *state, int slot);
cdn_status cdni_rigid_surface(const contact_room *room, cdn_state *state, int slot, const body_pose *pose,
                              const body_twist *twist, const rigid_touch *t, rigid_surface *out);
/* Of two shapes: coefficients of friction (static, dynamic, viscous) along the first tangent, those along the second
 * over these, lengths of friction against spin and rolling, and restitution. */
typedef struct rigid_material {
  double friction[3], ratio, torsional, rolling, restitution;
} rigid_material;
rigid_material cdni_rigid_material(const contact_room *room, cdn_state *state, const rigid_feature *f);
/* The least gap of what may touch and has no slot, m, but at most a fraction of the shapes' sizes; of which two shapes
 * (-1: none is near), if they are wanted. */
cdn_status cdni_rigid_least_gap(const contact_room *room, cdn_state *state, double *gap, int shapes[2]);
/* How slots are brought up to date. At a moment those that are not `kept` and whose surfaces have parted become free,
 * and what touches (at a gap below rounding) gets a slot; `fired`: the least gap has come to zero, so that something
 * touches. With a span (s) they hold what touches, overlaps, or may come to touch within that time. */
typedef struct rigid_renewal {
  const bool *kept;
  bool fired;
  double span;
} rigid_renewal;
/* changed: one flag a slot. CDN_ERR_LIMIT: there are too few slots. */
cdn_status cdni_rigid_renew(const contact_room *room, cdn_state *state, const rigid_renewal *how, bool *changed);
/* The time in which no shape that moves goes farther than features can be told apart, s; INFINITY: none moves. Reads
 * velocities. */
cdn_status cdni_rigid_time(const contact_room *room, cdn_state *state, double *time);
/* Touches of the features in slots that touch, without forces, for reports. */
cdn_status cdni_rigid_find_touches(const contact_room *room, cdn_state *state, cdn_region_output *out);
/* The slot of rigid contact i of a State, in the order of cdn_contact_get; -1: none. */
int cdni_rigid_slot_of(const contact_room *room, cdn_state *state, int contact);
/* How far rounding, of searches for nearest points too, may move a gap, m: a touch is seen that much later. */
double cdni_rigid_noise(const contact_room *room, cdn_state *state, int slot);
/* How far a point may be off its face, or edges beyond their ends, before the slot is renewed, m. */
double cdni_rigid_slack(const contact_room *room, cdn_state *state, int slot);
/* The gap that counts as zero for a slot. */
double cdni_rigid_near(const contact_room *room, cdn_state *state, int slot);

#endif
