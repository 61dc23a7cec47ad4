/* Forces of contacts: Hunt and Crossley's dissipation (manual 11.2.2), friction, and what is added to the bodies.
 *
 * The elastic part has a potential. The rest is a force of its own, dissipation and friction, which takes back what the
 * elastic part pushes where a contact is pulled apart faster than it can follow. Contacts whose energy nobody computes
 * are in the second force altogether. */
#include <math.h>

#include "contact/bed.h"
#include "contact/entries.h"
#include "contact/laws.h"
#include "contact/memory.h"
#include "contact/motion.h"
#include "contact/room.h"
#include "contact/search.h"
#include "contact/touch.h"
#include "contact/sources.h"

/* ---- by pose and velocity ---- */

/* `by_patch`: sticking.c computes friction and torsion, and rolling if it has memory. */
static touch_force force_of(const motion_view *v, const touch *t, double transition, bool by_patch) {
  const relative_motion m = cdni_relative_motion(v, t);
  const double size = cdni_contact_size(v, t->a, t->b);
  touch_force f = { .rate = -cdn_dot(m.u, t->normal),
                    .slip = { cdn_dot(m.slip, t->tangent), cdn_dot(m.slip, cdn_cross(t->normal, t->tangent)) },
                    .turn = m.turn,
                    .carried = m.carried };
  cdn_vec3 damping = { 0, 0, 0 };
  if (t->model != CDN_CONTACT_COMPLIANT) return f; /* rows know what it does */
  f.normal = t->in_pair ? cdni_bed_damped(t, &m, &damping) : normal_force(v->room, t, f.rate);
  if (!by_patch || v->room->slot_numbers == SLOT_NUMBERS)
    f.moment = cdni_friction_against_rolling(t, &m, f.normal, transition, size);
  f.moment = cdn_add(f.moment, damping);
  if (!by_patch) {
    f.friction = cdni_friction_by_slip(t, &m, f.normal, transition);
    f.moment = cdn_add(f.moment, cdni_friction_against_spin(t, &m, f.normal, transition, size));
  }
  f.power =
      -(f.normal - (isnan(t->energy) ? 0 : t->elastic)) * f.rate + cdn_dot(f.friction, m.u) + cdn_dot(f.moment, m.w);
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
  motion_view v;
  CDNI_TRY(cdni_motion_view(room, state, &v));
  const double transition = *cdn_state_parameters(state, room->transition);
  bool *by_patch = cdn_work_push(state, (size_t)n);
  if (!by_patch) return CDN_ERR_NOMEM;
  const cdn_status status = cdni_contact_mark_patches(room, state, n, by_patch);
  for (int i = 0; status == CDN_OK && i < n; i++) forces[i] = force_of(&v, &touches[i], transition, by_patch[i]);
  cdn_work_pop(state, by_patch);
  return status;
}

/* ---- what is added to the bodies ---- */

/* A force on b, and its opposite on a. */
static void push(const contact_room *room, cdn_forces *forces, const touch *t, cdn_vec3 f) {
  cdn_forces_add_at(forces, (cdn_body){ shape_body(room, t->a) }, t->point, cdn_scale(-1, f));
  cdn_forces_add_at(forces, (cdn_body){ shape_body(room, t->b) }, t->point, f);
}

static void turn(const contact_room *room, cdn_forces *forces, const touch *t, cdn_vec3 moment) {
  if (cdn_dot(moment, moment) == 0) return;
  cdn_forces_add_torque(forces, (cdn_body){ shape_body(room, t->a) }, cdn_scale(-1, moment));
  cdn_forces_add_torque(forces, (cdn_body){ shape_body(room, t->b) }, moment);
}

static cdn_status calc_elastic(const void *self, cdn_state *state, cdn_forces *forces) {
  const contact_room *room = contact_of(self);
  const void *elements;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->touches, &elements, &n));
  const touch *touches = elements;
  for (int i = 0; i < n; i++) {
    const touch *t = &touches[i];
    if (isnan(t->energy)) continue;
    push(room, forces, t, cdn_add(cdn_scale(t->elastic, t->normal), t->side_force));
    turn(room, forces, t, t->side_moment);
  }
  return CDN_OK;
}

static cdn_status calc_energy(const void *self, cdn_state *state, double *energy) {
  const contact_room *room = contact_of(self);
  const void *elements;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->energies, &elements, &n));
  const double *energies = elements;
  for (int i = 0; i < n; i++)
    if (!isnan(energies[i])) *energy += energies[i];
  CDNI_TRY(cdn_region_eval(state, room->enclosed, &elements, &n));
  for (int i = 0; i < n; i++) *energy += ((const enclosed_pair *)elements)[i].energy;
  return CDN_OK;
}

static cdn_status calc_rest(const void *self, cdn_state *state, cdn_forces *forces) {
  const contact_room *room = contact_of(self);
  const void *touches, *found;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->touches, &touches, &n));
  if (n == 0) return CDN_OK;
  CDNI_TRY(cdn_region_eval(state, room->forces, &found, &n));
  for (int i = 0; i < n; i++) {
    const touch *t = &((const touch *)touches)[i];
    const touch_force *f = &((const touch_force *)found)[i];
    const double rest = f->normal - (isnan(t->energy) ? 0 : t->elastic);
    push(room, forces, t, cdn_add(cdn_scale(rest, t->normal), f->friction));
    turn(room, forces, t, f->moment);
  }
  return CDN_OK;
}

static cdn_status calc_sticking(const void *self, cdn_state *state, cdn_forces *forces) {
  const contact_room *room = contact_of(self);
  const patch *patches;
  const void *found, *of_patches;
  int n, n_touches;
  CDNI_TRY(cdni_contact_patches(room, state, &patches, &n));
  if (n == 0) return CDN_OK;
  CDNI_TRY(cdn_region_eval(state, room->forces, &found, &n_touches));
  CDNI_TRY(cdn_region_eval(state, room->patch_forces, &of_patches, &n));
  const touch *touches = cdni_region_elements(state, room->touches);
  for (int k = 0; k < n; k++)
    for (int i = patches[k].first; patches[k].slot >= 0 && i < patches[k].first + patches[k].count; i++) {
      cdn_vec3 f, moment;
      cdni_patch_share(&((const patch_force *)of_patches)[k], &touches[i], &((const touch_force *)found)[i], &f,
                       &moment);
      push(room, forces, &touches[i], f);
      turn(room, forces, &touches[i], moment);
    }
  return CDN_OK;
}

void cdni_contact_declare_forces(contact_room *room, cdn_declarer *d) {
  const bool known = cdni_contact_has_derivatives(room);
  const cdn_force_provider elastic = { .struct_size = sizeof elastic,
                                       .name = "contact",
                                       .reads = CDN_READS_POSITION,
                                       .calc_force = calc_elastic,
                                       .calc_potential = calc_energy,
                                       .calc_derivative = known ? cdni_contact_elastic_derivative : NULL };
  const cdn_force_provider rest = { .struct_size = sizeof rest,
                                    .name = "contact dissipation",
                                    .reads = cdni_contact_reads(room) ? CDN_READS_EVERYTHING : CDN_READS_VELOCITY,
                                    .calc_force = calc_rest,
                                    .calc_derivative = known ? cdni_contact_rest_derivative : NULL };
  cdn_declare_forces(d, &elastic);
  cdn_declare_forces(d, &rest);
  const cdn_force_provider sticking = { .struct_size = sizeof sticking,
                                        .name = "contact friction",
                                        .reads = CDN_READS_EVERYTHING,
                                        .calc_force = calc_sticking,
                                        .calc_derivative = known ? cdni_contact_sticking_derivative : NULL };
  if (room->slots > 0) cdn_declare_forces(d, &sticking);
}
