/* Contacts as results. */
#include "contact/entries.h"
#include "contact/memory.h"
#include "contact/motion.h"
#include "contact/room.h"
#include "contact/touch.h"

static cdn_status find_all(cdn_state *state, const contact_room *room, const touch **touches,
                           const touch_force **forces, int *n) {
  const void *t, *f;
  CDNI_TRY(cdn_region_eval(state, room->touches, &t, n));
  CDNI_TRY(cdn_region_eval(state, room->forces, &f, n));
  *touches = t, *forces = f;
  return CDN_OK;
}

cdn_status cdn_contact_count(cdn_state *state, int *n) {
  CDNI_NEED(state, n);
  const contact_room *room = cdni_contact(cdn_state_system(state));
  *n = 0;
  if (!room || !room->matter) return CDN_OK;
  const touch *touches;
  const touch_force *forces;
  return find_all(state, room, &touches, &forces, n);
}

/* What the patch of touch i adds. */
static cdn_status add_patch(cdn_state *state, const contact_room *room, int i, const touch *t, const touch_force *f,
                            cdn_contact *c) {
  const patch *patches;
  const void *forces;
  int n;
  c->slot = -1;
  if (room->slots == 0) return CDN_OK;
  CDNI_TRY(cdni_contact_patches(room, state, &patches, &n));
  CDNI_TRY(cdn_region_eval(state, room->patch_forces, &forces, &n));
  const patch_force *p = forces;
  while (i >= patches->first + patches->count) patches++, p++;
  if (patches->slot < 0) return CDN_OK;
  motion_view v;
  CDNI_TRY(cdni_motion_view(room, state, &v));
  const relative_motion m = cdni_relative_motion(&v, t);
  cdn_vec3 moment;
  cdni_patch_share(p, t, f, &c->friction, &moment);
  c->moment = cdn_add(c->moment, moment);
  c->power += cdn_dot(c->friction, m.u) + cdn_dot(moment, m.w);
  c->slot = patches->slot, c->sticks = p->sticks && p->normal > 0, c->displacement = p->displacement;
  return CDN_OK;
}

/* What the rows of a contact add. */
static cdn_status add_rows(cdn_state *state, const contact_room *room, const contact_force *rows, const touch *t,
                           cdn_contact *c) {
  motion_view v;
  CDNI_TRY(cdni_motion_view(room, state, &v));
  const relative_motion m = cdni_relative_motion(&v, t);
  const double *f = rows->force;
  c->force = f[0];
  c->friction = cdn_add(cdn_scale(f[1], c->tangent[0]), cdn_scale(f[2], c->tangent[1]));
  c->moment =
      cdn_add(cdn_scale(f[3], c->normal), cdn_add(cdn_scale(f[4], c->tangent[0]), cdn_scale(f[5], c->tangent[1])));
  c->power = cdn_dot(cdn_add(cdn_scale(c->force, c->normal), c->friction), m.u) + cdn_dot(c->moment, m.w);
  c->pyramid = rows->pyramid, c->sticks = rows->sticks;
  return CDN_OK;
}

cdn_status cdni_contact_report(cdn_state *state, const contact_room *room, int i, const contact_force *rows,
                               cdn_contact *c) {
  const touch *t;
  const touch_force *f;
  int n;
  CDNI_TRY(find_all(state, room, &t, &f, &n));
  t += i, f += i;
  *c = (cdn_contact){ .a = { t->a },
                      .b = { t->b },
                      .feature = t->feature,
                      .point = t->point,
                      .normal = t->normal,
                      .depth = t->depth,
                      .rate = f->rate,
                      .slip = { f->slip[0], f->slip[1] },
                      .tangent = { t->tangent, cdn_cross(t->normal, t->tangent) },
                      .force = f->normal,
                      .friction = f->friction,
                      .power = f->power,
                      .radius = { t->radius[0], t->radius[1] },
                      .moment = f->moment,
                      .side_force = t->side_force,
                      .side_moment = t->side_moment,
                      .coefficient = { t->friction[0], t->friction[1] },
                      .model = t->model };
  if (t->model != CDN_CONTACT_COMPLIANT) {
    c->slot = -1;
    return rows ? add_rows(state, room, rows, t, c) : CDN_OK;
  }
  c->coefficient[1] = c->coefficient[0];
  return add_patch(state, room, i, t, f, c);
}

cdn_status cdni_contact_number_in_model(cdn_state *state, const contact_room *room, int i, cdn_contact_model *model,
                                        int *number) {
  const void *elements;
  int n;
  *model = room->def.model, *number = i;
  if (!room->mixed) return CDN_OK;
  CDNI_TRY(cdn_region_eval(state, room->touches, &elements, &n));
  const touch *t = elements;
  *model = (cdn_contact_model)t[i].model, *number = 0;
  for (int k = 0; k < i; k++) *number += t[k].model == t[i].model;
  return CDN_OK;
}

cdn_status cdni_contact_of_model(cdn_state *state, const contact_room *room, cdn_contact_model model, int number,
                                 int *i) {
  const void *elements;
  int n;
  *i = number;
  if (!room->mixed || number < 0) return CDN_OK;
  CDNI_TRY(cdn_region_eval(state, room->touches, &elements, &n));
  const touch *t = elements;
  for (*i = 0; *i < n - 1; ++*i)
    if (t[*i].model == (int)model && number-- == 0) return CDN_OK;
  return CDN_OK;
}

cdn_status cdni_contact_energy(cdn_state *state, const contact_room *room, int i, double *energy) {
  const void *energies;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->energies, &energies, &n));
  *energy = ((const double *)energies)[i];
  return CDN_OK;
}
