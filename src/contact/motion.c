/* How two bodies, and their surfaces, move at a point where they touch. */
#include <math.h>

#include "contact/motion.h"
#include "contact/rigid.h"
#include "contact/room.h"
#include "contact/touch.h"

cdn_vec3 cdni_contact_velocity(const body_pose *pose, const body_twist *twist, int body, cdn_vec3 p) {
  const v3 r = v3_sub(cdni_to_v3(p), pose[body].p_GM);
  return cdni_from_v3(sv_shift_motion(twist[body].V, r).v);
}

cdn_status cdni_motion_view(const contact_room *room, cdn_state *state, motion_view *out) {
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  *out = (motion_view){ .room = room,
                        .places = cdni_state_storage(state, room->places),
                        .poses = cdni_state_storage(state, room->poses),
                        .pose = cdni_matter_pose(room->matter, state),
                        .twist = cdni_matter_twist(room->matter, state),
                        .surface_motions = cdn_state_parameters(state, room->surface_motions) };
  return CDN_OK;
}

typedef struct side {
  cdn_vec3 u, w;             /* of the body */
  cdn_vec3 surface, turning; /* of its surface */
} side;

static bool runs(const motion_view *v, int i) {
  const double *surface_motion = v->surface_motions + SURFACE_MOTION_NUMBERS * i;
  for (int k = 0; k < SURFACE_MOTION_NUMBERS; k++)
    if (surface_motion[k] != 0) return true;
  return false;
}

static side side_at(const motion_view *v, int i, cdn_vec3 p) {
  const int body = shape_body(v->room, i);
  side s = { .u = cdni_contact_velocity(v->pose, v->twist, body, p), .w = cdni_from_v3(v->twist[body].V.w) };
  s.surface = s.u, s.turning = s.w;
  if (!runs(v, i)) return s;
  const double *surface_motion = v->surface_motions + SURFACE_MOTION_NUMBERS * i;
  const cdn_transform *X = &v->poses[i].X_GS;
  const cdn_vec3 w = cdn_rotate(X->R, cdn_v3(surface_motion[3], surface_motion[4], surface_motion[5]));
  const cdn_vec3 over = cdn_add(cdn_rotate(X->R, cdn_v3(surface_motion[0], surface_motion[1], surface_motion[2])),
                                cdn_cross(w, cdn_sub(p, X->p)));
  s.surface = cdn_add(s.u, over);
  s.turning = cdn_add(s.w, w);
  return s;
}

double cdni_contact_size(const motion_view *v, int a, int b) {
  const double size = fmin(v->places[a].radius, v->places[b].radius);
  return size < INFINITY ? size : 1; /* two shapes without an end touch by laws of the user's alone */
}

relative_motion cdni_relative_motion(const motion_view *v, const touch *t) {
  const side a = side_at(v, t->a, t->point), b = side_at(v, t->b, t->point);
  relative_motion m = { .u = cdn_sub(b.u, a.u),
                        .w = cdn_sub(b.w, a.w),
                        .slip = cdn_sub(b.surface, a.surface),
                        .turn = cdn_sub(b.turning, a.turning) };
  m.slip = cdn_sub(m.slip, cdn_scale(cdn_dot(m.slip, t->normal), t->normal));
  const double r_a = v->places[t->a].radius, r_b = v->places[t->b].radius;
  const double share = isinf(r_a) ? 1 : isinf(r_b) ? 0 : r_a / (r_a + r_b);
  m.share = share;
  m.carried = cdn_add(cdn_scale(share, a.turning), cdn_scale(1 - share, b.turning));
  return m;
}

bool cdni_contact_any_surface_runs(const contact_room *room, cdn_state *state) {
  const motion_view v = { .surface_motions = cdn_state_parameters(state, room->surface_motions) };
  for (int i = 0; i < (int)room->shapes.count; i++)
    if (runs(&v, i)) return true;
  return false;
}

cdn_status cdni_contact_surface_motion(const contact_room *room, cdn_state *state, const contact_point *p, bool *run,
                                       cdn_spatial *out) {
  motion_view v = { .surface_motions = cdn_state_parameters(state, room->surface_motions) };
  *run = runs(&v, p->a) || runs(&v, p->b);
  if (!*run) return CDN_OK;
  CDNI_TRY(cdni_motion_view(room, state, &v));
  const side a = side_at(&v, p->a, p->point), b = side_at(&v, p->b, p->point);
  out->w = cdn_sub(cdn_sub(b.turning, b.w), cdn_sub(a.turning, a.w));
  out->v = cdn_sub(cdn_sub(b.surface, b.u), cdn_sub(a.surface, a.u));
  return CDN_OK;
}

cdn_ticket cdni_contact_surface_motion_ticket(const contact_room *room) { return room->surface_motions.ticket; }

/* The same of a slot of rigid contact, with rates. w is the angular velocity of the body, u the velocity of the shape's
 * origin; both NULL: without rates. */
static void add_surface(const double *numbers, const cdn_transform *X, const rigid_touch *t, const cdn_vec3 *w,
                        const cdn_vec3 *u, double sign, rigid_surface *out) {
  const cdn_vec3 along = cdn_rotate(X->R, cdn_v3(numbers[0], numbers[1], numbers[2]));
  const cdn_vec3 spin = cdn_rotate(X->R, cdn_v3(numbers[3], numbers[4], numbers[5]));
  const cdn_vec3 arm = cdn_sub(t->point, X->p);
  out->v = cdn_add(out->v, cdn_scale(sign, cdn_add(along, cdn_cross(spin, arm))));
  out->w = cdn_add(out->w, cdn_scale(sign, spin));
  if (!w) return;
  const cdn_vec3 spin_rate = cdn_cross(*w, spin), arm_rate = cdn_sub(t->point_rate, *u);
  const cdn_vec3 rate = cdn_add(cdn_cross(*w, along), cdn_add(cdn_cross(spin_rate, arm), cdn_cross(spin, arm_rate)));
  out->v_rate = cdn_add(out->v_rate, cdn_scale(sign, rate));
  out->w_rate = cdn_add(out->w_rate, cdn_scale(sign, spin_rate));
}

bool cdni_rigid_any_runs(const contact_room *room, const cdn_state *state, int slot) {
  const rigid_feature *f = cdni_rigid_slot(room, state, slot);
  const motion_view v = { .surface_motions = cdn_state_parameters(state, room->surface_motions) };
  return f->kind != RIGID_NONE && (runs(&v, f->a) || runs(&v, f->b));
}

cdn_status cdni_rigid_surface(const contact_room *room, cdn_state *state, int slot, const body_pose *pose,
                              const body_twist *twist, const rigid_touch *t, rigid_surface *out) {
  const rigid_feature *f = cdni_rigid_slot(room, state, slot);
  const motion_view v = { .surface_motions = cdn_state_parameters(state, room->surface_motions) };
  const int shapes[2] = { f->a, f->b };
  CDNI_TRY(cdni_state_ensure(state, room->places.ticket));
  const shape_place *places = cdni_state_storage(state, room->places);
  *out = (rigid_surface){ .v = { 0, 0, 0 } };
  for (int k = 0; k < 2; k++) {
    const cdn_transform X = shape_pose_at(&places[shapes[k]], &pose[f->body[k]]);
    const double *numbers = v.surface_motions + SURFACE_MOTION_NUMBERS * shapes[k];
    cdn_vec3 w, u;
    if (twist) w = cdni_from_v3(twist[f->body[k]].V.w), u = cdni_contact_velocity(pose, twist, f->body[k], X.p);
    add_surface(numbers, &X, t, twist ? &w : NULL, twist ? &u : NULL, k ? 1 : -1, out);
  }
  return CDN_OK;
}
