/* Forces of contacts: Hunt and Crossley's dissipation (manual 11.2.2), friction, and what is added to the bodies.
 *
 * The elastic part has a potential. The rest is a force of its own, dissipation and friction, which takes back what the
 * elastic part pushes where a contact is pulled apart faster than it can follow. Contacts whose energy nobody computes
 * are in the second force altogether. */
#include <math.h>

#include "contact/internal.h"

/* ---- by pose and velocity ---- */

cdn_vec3 cdni_contact_velocity(const body_pose *pose, const body_twist *twist, int body, cdn_vec3 p) {
  const v3 r = v3_sub(cdni_to_v3(p), pose[body].p_GM);
  return cdni_from_v3(sv_shift_motion(twist[body].V, r).v);
}

/* A State's numbers, for the motion of surfaces. */
typedef struct view {
  const contact_room *room;
  const shape_place *places;
  const shape_pose *poses;
  const body_pose *pose;
  const body_twist *twist;
  const double *belts;
  double transition;
} view;

/* Adds how a shape's surface moves over its body, at a point of Ground. */
static void add_belt(const view *v, int i, cdn_vec3 p, cdn_vec3 *velocity, cdn_vec3 *turn) {
  const double *belt = v->belts + BELT_NUMBERS * i;
  const cdn_transform *X = &v->poses[i].X_GS;
  const cdn_vec3 w = cdn_rotate(X->R, cdn_v3(belt[3], belt[4], belt[5]));
  *velocity = cdn_add(*velocity, cdn_rotate(X->R, cdn_v3(belt[0], belt[1], belt[2])));
  *velocity = cdn_add(*velocity, cdn_cross(w, cdn_sub(p, X->p)));
  *turn = cdn_add(*turn, w);
}

static touch_force force_of(const view *v, const touch *t) {
  const int a = shape_body(v->room, t->a), b = shape_body(v->room, t->b);
  cdn_vec3 u_a = cdni_contact_velocity(v->pose, v->twist, a, t->point);
  cdn_vec3 u_b = cdni_contact_velocity(v->pose, v->twist, b, t->point);
  cdn_vec3 w_a = cdni_from_v3(v->twist[a].V.w), w_b = cdni_from_v3(v->twist[b].V.w);
  const cdn_vec3 u = cdn_sub(u_b, u_a), w = cdn_sub(w_b, w_a); /* of the bodies */
  add_belt(v, t->a, t->point, &u_a, &w_a);
  add_belt(v, t->b, t->point, &u_b, &w_b);
  surface_motion m = { cdn_sub(u_b, u_a), cdn_sub(w_b, w_a) };
  m.slip = cdn_sub(m.slip, cdn_scale(cdn_dot(m.slip, t->normal), t->normal));
  touch_force f = { .rate = -cdn_dot(u, t->normal),
                    .slip = { cdn_dot(m.slip, t->tangent), cdn_dot(m.slip, cdn_cross(t->normal, t->tangent)) } };
  f.normal = fmax(t->elastic * (1 + t->damping * f.rate), 0);
  f.friction = cdni_friction_by_slip(t, &m, f.normal, v->transition);
  f.moment = cdni_friction_moment(t, &m, f.normal, v->transition, fmin(v->places[t->a].radius, v->places[t->b].radius));
  f.power = -(f.normal - (isnan(t->energy) ? 0 : t->elastic)) * f.rate + cdn_dot(f.friction, u) + cdn_dot(f.moment, w);
  return f;
}

cdn_status cdni_contact_calc_forces(const void *self, cdn_state *state, cdn_region_output *out) {
  const contact_room *room = contact_of(self);
  const void *elements;
  void *place;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->touches, &elements, &n));
  CDNI_TRY(cdn_region_output_add(out, n, &place));
  const touch *touches = elements;
  touch_force *forces = place;
  if (n == 0) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  const view v = { .room = room,
                   .places = cdni_state_storage(state, room->places),
                   .poses = cdni_state_storage(state, room->poses),
                   .pose = cdni_matter_pose(room->matter, state),
                   .twist = cdni_matter_twist(room->matter, state),
                   .belts = cdn_state_parameters(state, room->belts),
                   .transition = *cdn_state_parameters(state, room->transition) };
  for (int i = 0; i < n; i++) forces[i] = force_of(&v, &touches[i]);
  return CDN_OK;
}

/* ---- what is added to the bodies ---- */

/* Where forces are added: bodies' origins in Ground come from their frames M. */
typedef struct pusher {
  const contact_room *room;
  const shape_place *places;
  const body_pose *pose;
  cdn_forces *forces;
} pusher;

static cdn_status begin(const contact_room *room, cdn_state *state, cdn_forces *forces, pusher *p) {
  CDNI_TRY(cdni_state_ensure(state, room->places.ticket));
  *p = (pusher){ room, cdni_state_storage(state, room->places), cdni_matter_pose(room->matter, state), forces };
  return p->pose ? CDN_OK : cdni_state_last_status(state);
}

static void push_one(const pusher *p, int i, cdn_vec3 point, cdn_vec3 f, cdn_vec3 moment) {
  const cdn_body body = { shape_body(p->room, i) };
  if (body.i == 0) return;
  const body_pose *M = &p->pose[body.i];
  const v3 origin = m3_mul_add(M->R_GM, p->places[i].p_MB, M->p_GM);
  const cdn_spatial F = { cdn_add(moment, cdn_cross(cdn_sub(point, cdni_from_v3(origin)), f)), f };
  cdn_forces_add_body(p->forces, body, F);
}

/* A force and a moment on b, and their opposites on a. */
static void push(const pusher *p, const touch *t, cdn_vec3 f, cdn_vec3 moment) {
  push_one(p, t->a, t->point, cdn_scale(-1, f), cdn_scale(-1, moment));
  push_one(p, t->b, t->point, f, moment);
}

static const cdn_vec3 none;

static cdn_status calc_elastic(const void *self, cdn_state *state, cdn_forces *forces) {
  const contact_room *room = contact_of(self);
  const void *elements;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->touches, &elements, &n));
  if (n == 0) return CDN_OK;
  pusher p;
  CDNI_TRY(begin(room, state, forces, &p));
  const touch *touches = elements;
  for (int i = 0; i < n; i++)
    if (!isnan(touches[i].energy)) push(&p, &touches[i], cdn_scale(touches[i].elastic, touches[i].normal), none);
  return CDN_OK;
}

static cdn_status calc_energy(const void *self, cdn_state *state, double *energy) {
  const contact_room *room = contact_of(self);
  const void *elements;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->touches, &elements, &n));
  const touch *touches = elements;
  for (int i = 0; i < n; i++)
    if (!isnan(touches[i].energy)) *energy += touches[i].energy;
  return CDN_OK;
}

static cdn_status calc_rest(const void *self, cdn_state *state, cdn_forces *forces) {
  const contact_room *room = contact_of(self);
  const void *touches, *found;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->touches, &touches, &n));
  if (n == 0) return CDN_OK;
  CDNI_TRY(cdn_region_eval(state, room->forces, &found, &n));
  pusher p;
  CDNI_TRY(begin(room, state, forces, &p));
  for (int i = 0; i < n; i++) {
    const touch *t = &((const touch *)touches)[i];
    const touch_force *f = &((const touch_force *)found)[i];
    const double rest = f->normal - (isnan(t->energy) ? 0 : t->elastic);
    push(&p, t, cdn_add(cdn_scale(rest, t->normal), f->friction), f->moment);
  }
  return CDN_OK;
}

void cdni_contact_declare_forces(contact_room *room, cdn_declarer *d) {
  const cdn_force_provider elastic = { .struct_size = sizeof elastic,
                                       .name = "contact",
                                       .reads = CDN_READS_POSITION,
                                       .calc_force = calc_elastic,
                                       .calc_potential = calc_energy };
  const cdn_force_provider rest = { .struct_size = sizeof rest,
                                    .name = "contact dissipation",
                                    .reads = CDN_READS_VELOCITY,
                                    .calc_force = calc_rest,
                                    .n_kinks = room->n_kinks,
                                    .calc_kinks = room->n_kinks > 0 ? cdni_contact_calc_kinks : NULL };
  cdn_declare_forces(d, &elastic);
  cdn_declare_forces(d, &rest);
}
