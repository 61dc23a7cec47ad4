/* Builds the list of shapes. */
#include <math.h>
#include <stdio.h>

#include "contact/entries.h"
#include "contact/law_kinds.h"
#include "contact/materials.h"
#include "contact/pairs.h"
#include "contact/rigid.h"
#include "contact/room.h"
#include "matter/checks.h"
#include "rooms.h"

CDNI_DEF(shape_def, .X_BS = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } },
         .geometry.kind = (cdn_geometry_kind)-1, .type = 1, .affinity = 1);
CDNI_DEF(contact_def, .transition_velocity = 0.01, .friction_damping = 0.5);

/* ---- the room ---- */

static void free_shapes(cdn_system *system, void *data) {
  contact_room *room = data;
  const cdn_allocator *a = cdni_system_allocator(system);
  for (size_t i = 0; i < room->shapes.count; i++) {
    shape *s = &CDNI_AT(room->shapes, shape, i);
    cdni_strfree(a, s->name);
    cdn_surface_release(s->geometry.surface);
    cdn_surface_release(s->hull);
  }
  cdni_lookup_free(a, &room->shape_names);
  cdni_contact_free_pairs(system, room);
  cdni_contact_free_laws(system, room);
  cdni_array *arrays[] = { &room->shapes,           &room->frames0, &room->sizes0,
                           &room->materials0,       &room->ones,    &room->excluded,
                           &room->surface_motions0, &room->soft0,   &room->excluded_shapes,
                           &room->sources };
  for (int i = 0; i < CDNI_COUNT(arrays); i++) cdni_array_free(a, arrays[i]);
  cdni_free(a, room->group, 2 * (size_t)room->n_bodies * sizeof *room->group);
  if (room->may) cdni_free(a, room->may, room->may_words * sizeof *room->may);
}

static cdn_status freeze(cdn_system *system, void *data) { return cdni_contact_find_groups(system, data); }

const cdni_room_ops cdni_contact_room = { .size = sizeof(contact_room),
                                          .prepare = cdni_rigid_find_hulls,
                                          .freeze = freeze,
                                          .subsystem = &cdni_contact_ops,
                                          .destroy = free_shapes,
                                          .elements = cdni_contact_elements };

const contact_room *cdni_contact(const cdn_system *system) { return cdni_system_room_get(system, CDNI_ROOM_CONTACT); }

typedef struct wanted_shape {
  const contact_room *room;
  const char *name;
} wanted_shape;

static bool has_name(const void *context, int i) {
  const wanted_shape *w = context;
  return strcmp(CDNI_AT(w->room->shapes, shape, i).name, w->name) == 0;
}

const shape *cdni_shape_at(const contact_room *room, cdn_shape s) {
  return !room || s.i < 0 || (size_t)s.i >= room->shapes.count ? NULL : &CDNI_AT(room->shapes, shape, s.i);
}

/* ---- adding ---- */

static bool is_finite_vector(cdn_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

/* Of rigid contact. */
enum { MOST_SLOTS = 65536, MOST_USUAL_SLOTS = 1024 };

static const char wrong_frame[] = "its frame must have finite numbers, and axes that are right-handed unit vectors";

static bool check_def(cdni_adder *by, const cdn_shape_def *d, const cdn_contact_material *material,
                      const double soft[SOFT_NUMBERS]) {
  double numbers[MATERIAL_NUMBERS];
  cdni_contact_material_numbers(material, numbers);
  const char *wrong = cdni_contact_check_numbers(numbers, false);
  if (!wrong) wrong = cdni_soft_check(soft);
  const cdn_status frame = cdni_check_frame(d->X_BS);
  cdn_error error;
  if (d->body.i < 0 || d->body.i >= cdn_system_body_count(by->system)) cdni_adder_check_body(by, d->body);
  else if (frame != CDN_OK) cdni_adder_refuse(by, frame, "%s", wrong_frame);
  else if (cdn_geometry_check(&d->geometry) != CDN_OK) {
    cdn_last_error(&error);
    cdni_adder_refuse(by, CDN_ERR_ARG, "%s", error.text);
  } else if (cdni_geometry_kind_lacks(kind_of(&d->geometry)))
    cdni_adder_refuse(by, CDN_ERR_UNSUPPORTED, "the library's kind %s has no .%s: write it in src/geometry/kinds/",
                      kind_of(&d->geometry)->name, cdni_geometry_kind_lacks(kind_of(&d->geometry)));
  else if (wrong) cdni_adder_refuse(by, CDN_ERR_ARG, "%s", wrong);
  else if (!is_finite_vector(d->surface_velocity) || !is_finite_vector(d->surface_spin))
    cdni_adder_refuse(by, CDN_ERR_NONFINITE, "the velocity or the spin of its surface is not finite");
  else if (d->group < 0)
    cdni_adder_refuse(by, CDN_ERR_ARG, "its group is %d: give 0 for none, or a number from 1 on", (int)d->group);
  else if (cdn_system_find_shape(by->system, by->name).i >= 0)
    cdni_adder_refuse(by, CDN_ERR_ARG, "there is a shape of that name already: give each its own");
  return by->ok;
}

static void put_surface_motion(cdn_vec3 velocity, cdn_vec3 spin, double surface_motion[SURFACE_MOTION_NUMBERS]) {
  const double numbers[SURFACE_MOTION_NUMBERS] = { velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z };
  memcpy(surface_motion, numbers, sizeof numbers);
}

static bool store(const cdni_adder *by, contact_room *room, const cdn_shape_def *d,
                  const cdn_contact_material *material, const double soft[SOFT_NUMBERS]) {
  const cdn_allocator *a = cdni_system_allocator(by->system);
  const bool has_surface = kind_of(&d->geometry)->has_surface;
  shape s = { cdni_strdup(a, by->name), d->body.i, d->geometry, d->type, d->affinity, d->group, NULL };
  if (!has_surface) s.geometry.surface = NULL;
  double *frame = cdni_array_extend(a, &room->frames0, sizeof *frame, FRAME_NUMBERS);
  double *size = cdni_array_extend(a, &room->sizes0, sizeof *size, 3);
  double *numbers = cdni_array_extend(a, &room->materials0, sizeof *numbers, MATERIAL_NUMBERS), one = 1;
  double *surface_motion =
      cdni_array_extend(a, &room->surface_motions0, sizeof *surface_motion, SURFACE_MOTION_NUMBERS);
  double *soft_numbers = cdni_array_extend(a, &room->soft0, sizeof *soft, SOFT_NUMBERS);
  if (!s.name || !frame || !size || !numbers || !surface_motion || !soft_numbers ||
      !cdni_array_push(a, &room->ones, sizeof one, &one) || !cdni_array_push(a, &room->shapes, sizeof s, &s)) {
    cdni_strfree(a, s.name);
    return false;
  }
  if (has_surface) cdn_surface_retain(s.geometry.surface);
  const int i = (int)room->shapes.count - 1;
  if (!cdni_lookup_add(a, &room->shape_names, lookup_hash(by->name, strlen(by->name)), i)) return false;
  memcpy(frame, &d->X_BS, FRAME_NUMBERS * sizeof *frame);
  for (int k = 0; k < 3; k++) size[k] = isfinite(d->geometry.size[k]) ? d->geometry.size[k] : 0;
  cdni_contact_material_numbers(material, numbers);
  put_surface_motion(d->surface_velocity, d->surface_spin, surface_motion);
  memcpy(soft_numbers, soft, SOFT_NUMBERS * sizeof *soft);
  return true;
}

cdn_shape cdn_system_add_shape(cdn_system *system, const cdn_shape_def *def) {
  const cdn_shape none = { -1 };
  CDNI_NEED_OBJECT(system, none);
  cdni_adder by;
  contact_room *room = cdni_adder_begin(&by, system, CDNI_ROOM_CONTACT, __func__, "shape");
  if (!room) return none;
  cdn_shape_def d;
  cdn_contact_material material = cdn_default_contact_material();
  cdn_soft_material soft = cdn_default_soft_material();
  const char *unreadable = def ? read_shape_def(&d, def) : "no def is given: start with cdn_default_shape_def()";
  if (!unreadable && d.material) unreadable = cdni_contact_read_material(&material, d.material);
  if (!unreadable && d.soft) unreadable = cdni_soft_read_material(&soft, d.soft);
  if (unreadable) {
    cdni_adder_fail_unreadable(&by, def, unreadable);
    return none;
  }
  cdni_adder_name(&by, d.name, room->shapes.count);
  double soft_numbers[SOFT_NUMBERS];
  cdni_soft_numbers(&soft, soft_numbers);
  if (!check_def(&by, &d, &material, soft_numbers)) return none;
  if (room->shapes.count == 0) {
    room->poses_ticket = cdni_ticket_reserve(system);
    room->touches_ticket = cdni_ticket_reserve(system);
    room->energies_ticket = cdni_ticket_reserve(system);
    room->values_ticket = cdni_ticket_reserve(system);
  }
  if (!store(&by, room, &d, &material, soft_numbers)) {
    cdni_system_fail(system, CDN_ERR_NOMEM, __func__, by.name, "out of memory");
    return none;
  }
  return (cdn_shape){ (int32_t)room->shapes.count - 1 };
}

void cdn_system_set_contact(cdn_system *system, const cdn_contact_def *def) {
  CDNI_NEED_OBJECT_OR_NOTHING(system);
  if (cdni_system_refuses(system, __func__)) return;
  cdn_contact_def d;
  const char *unreadable = def ? read_contact_def(&d, def) : "no def is given: start with cdn_default_contact_def()";
  if (unreadable) cdni_system_fail(system, def ? CDN_ERR_VERSION : CDN_ERR_ARG, __func__, NULL, "%s", unreadable);
  else if (!(d.transition_velocity > 0) || !isfinite(d.transition_velocity))
    cdni_system_fail(system, CDN_ERR_ARG, __func__, NULL, "the transition velocity is %g: it must be above 0",
                     d.transition_velocity);
  else if (d.friction != CDN_FRICTION_SLIP_SPEED && d.friction != CDN_FRICTION_STICKING)
    cdni_system_fail(system, CDN_ERR_ARG, __func__, NULL,
                     "friction is %d: give CDN_FRICTION_SLIP_SPEED or CDN_FRICTION_STICKING", (int)d.friction);
  else if (d.memory_slots < 0)
    cdni_system_fail(system, CDN_ERR_ARG, __func__, NULL, "memory_slots is %d: give 0 for the default, or more",
                     d.memory_slots);
  else if (!(d.friction_damping > 0) || !isfinite(d.friction_damping))
    cdni_system_fail(system, CDN_ERR_ARG, __func__, NULL, "friction_damping is %g: it must be above 0",
                     d.friction_damping);
  else if ((unsigned)d.model > CDN_CONTACT_RIGID)
    cdni_system_fail(system, CDN_ERR_ARG, __func__, NULL, "model is %d: give a cdn_contact_model", (int)d.model);
  else if (d.rigid_slots < 0 || d.rigid_slots > MOST_SLOTS)
    cdni_system_fail(system, CDN_ERR_ARG, __func__, NULL, "rigid_slots is %d: give 0 for the default, or 1 to %d",
                     d.rigid_slots, (int)MOST_SLOTS);
  else if ((unsigned)d.combining > CDN_COMBINE_OWN)
    cdni_system_fail(system, CDN_ERR_ARG, __func__, NULL, "combining is %d: give a cdn_combining", (int)d.combining);
  else if (d.combining == CDN_COMBINE_OWN && !(d.model == CDN_CONTACT_SOFT ? !!d.combine_soft : !!d.combine))
    cdni_system_fail(system, CDN_ERR_ARG, __func__, NULL,
                     "combining is CDN_COMBINE_OWN, and %s is NULL: give the function",
                     d.model == CDN_CONTACT_SOFT ? "combine_soft" : "combine");
  else if (d.needs >> CDN_LAW_PARTS)
    cdni_system_fail(system, CDN_ERR_ARG, __func__, NULL, "needs is %u: give a sum of cdn_law_part, or 0", d.needs);
  else {
    contact_room *room = cdni_system_room(system, CDNI_ROOM_CONTACT);
    if (!room) return;
    room->def = d;
    room->has_def = true;
  }
}

/* Whether a shape may touch some other one rigidly. */
static bool may_be_rigid(const contact_room *room, int i) {
  for (size_t k = 0; k < room->pairs.count; k++) {
    const named_pair *p = &CDNI_AT(room->pairs, named_pair, k);
    if (p->model == CDN_CONTACT_RIGID && (p->a == i || p->b == i)) return true;
  }
  return room->def.model == CDN_CONTACT_RIGID;
}

int cdni_rigid_slots_of(const cdn_system *system) {
  const contact_room *room = cdni_contact(system);
  int n = 0, rigid = 0;
  for (int i = 0; room && i < (int)room->shapes.count && n < MOST_USUAL_SLOTS; i++) {
    const shape *s = &CDNI_AT(room->shapes, shape, i);
    if (!may_be_rigid(room, i)) continue;
    rigid++;
    const cdn_geometry solid = shape_solid(s);
    if (s->body > 0) n += cdni_rigid_slots_for(&solid);
  }
  if (rigid > 0 && room->def.rigid_slots > 0) return room->def.rigid_slots;
  return n < MOST_USUAL_SLOTS ? n : MOST_USUAL_SLOTS;
}

void cdni_rigid_turns(const cdn_system *system, double lengths[2]) {
  static const int numbers[2] = { MATERIAL_TORSIONAL, MATERIAL_ROLLING };
  const contact_room *room = cdni_contact(system);
  for (int k = 0; k < 2; k++) {
    lengths[k] = cdni_contact_any_turning(room, numbers[k]) ? cdni_contact_largest(room, numbers[k]) : 0;
    if (lengths[k] == 0 && room->def.combining == CDN_COMBINE_OWN) lengths[k] = 1;
  }
}

const cdn_contact_def *cdni_contact_given(const cdn_system *system) {
  const contact_room *room = cdni_contact(system);
  return room && room->has_def ? &room->def : NULL;
}

/* ---- asking ---- */

cdn_contact_model cdn_system_contact_model(const cdn_system *system) {
  CDNI_NEED_OBJECT(system, CDN_CONTACT_COMPLIANT);
  const cdn_contact_def *def = cdni_contact_given(system);
  return def ? def->model : CDN_CONTACT_COMPLIANT;
}

int cdn_system_shape_count(const cdn_system *system) {
  CDNI_NEED_OBJECT(system, 0);
  const contact_room *room = cdni_contact(system);
  return room ? (int)room->shapes.count : 0;
}

cdn_shape cdn_system_find_shape(const cdn_system *system, const char *name) {
  CDNI_NEED_OBJECT(system, ((cdn_shape){ -1 }));
  const contact_room *room = cdni_contact(system);
  const wanted_shape w = { room, name };
  if (!room || !name) return (cdn_shape){ -1 };
  return (cdn_shape){ cdni_lookup_find(&room->shape_names, lookup_hash(name, strlen(name)), has_name, &w) };
}

const char *cdn_shape_name(const cdn_system *system, cdn_shape id) {
  CDNI_NEED_OBJECT(system, NULL);
  const shape *s = cdni_shape_at(cdni_contact(system), id);
  return s ? s->name : NULL;
}

cdn_body cdn_shape_body(const cdn_system *system, cdn_shape id) {
  CDNI_NEED_OBJECT(system, ((cdn_body){ -1 }));
  const shape *s = cdni_shape_at(cdni_contact(system), id);
  return (cdn_body){ s ? s->body : -1 };
}

/* ---- in a State ---- */

static const shape *find(cdn_state *state, const char *function, cdn_shape id, const contact_room **room) {
  *room = cdni_contact(cdn_state_system(state));
  const shape *s = cdni_shape_at(*room, id);
  if (!s) cdni_state_lacks(state, function, "shape", (int)id.i);
  return s;
}

cdn_status cdn_shape_set_material(cdn_state *state, cdn_shape id, const cdn_contact_material *material) {
  CDNI_NEED(state, material);
  const contact_room *room;
  const shape *s = find(state, __func__, id, &room);
  if (!s) return CDN_ERR_ARG;
  cdn_contact_material m;
  const char *wrong = cdni_contact_read_material(&m, material);
  double numbers[MATERIAL_NUMBERS];
  cdni_contact_material_numbers(&m, numbers);
  if (!wrong) wrong = cdni_contact_check_numbers(numbers, false);
  if (wrong) return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, s->name, "shape '%s': %s", s->name, wrong);
  return cdn_state_set_parameters(state, room->materials, MATERIAL_NUMBERS * id.i, MATERIAL_NUMBERS, numbers);
}

cdn_status cdn_shape_set_frame(cdn_state *state, cdn_shape id, cdn_transform X_BS) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const contact_room *room;
  const shape *s = find(state, __func__, id, &room);
  if (!s) return CDN_ERR_ARG;
  const cdn_status frame = cdni_check_frame(X_BS);
  if (frame != CDN_OK)
    return cdni_state_fail(state, frame, false, __func__, s->name, "shape '%s': %s", s->name, wrong_frame);
  return cdn_state_set_parameters(state, room->frames, FRAME_NUMBERS * id.i, FRAME_NUMBERS, (const double *)&X_BS);
}

cdn_status cdn_shape_set_size(cdn_state *state, cdn_shape id, const double size[3]) {
  CDNI_NEED(state, size);
  const contact_room *room;
  const shape *s = find(state, __func__, id, &room);
  if (!s) return CDN_ERR_ARG;
  cdn_geometry g = s->geometry;
  memcpy(g.size, size, sizeof g.size);
  if (cdn_geometry_check(&g) != CDN_OK) {
    cdn_error error;
    cdn_last_error(&error);
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, s->name, "shape '%s': %s", s->name, error.text);
  }
  return cdn_state_set_parameters(state, room->sizes, 3 * id.i, 3, size);
}

cdn_status cdn_shape_set_enabled(cdn_state *state, cdn_shape id, bool enabled) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const contact_room *room;
  if (!find(state, "cdn_shape_set_enabled", id, &room)) return CDN_ERR_ARG;
  const double on = enabled;
  return cdn_state_set_parameters(state, room->enabled, id.i, 1, &on);
}

cdn_status cdn_shape_set_surface_velocity(cdn_state *state, cdn_shape id, cdn_vec3 velocity, cdn_vec3 spin) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const contact_room *room;
  if (!find(state, "cdn_shape_set_surface_velocity", id, &room)) return CDN_ERR_ARG;
  double surface_motion[SURFACE_MOTION_NUMBERS];
  put_surface_motion(velocity, spin, surface_motion);
  return cdn_state_set_parameters(state, room->surface_motions, SURFACE_MOTION_NUMBERS * id.i, SURFACE_MOTION_NUMBERS,
                                  surface_motion);
}

cdn_status cdn_shape_get(cdn_state *state, cdn_shape id, cdn_geometry *geometry, cdn_transform *X_GS) {
  CDNI_NEED(state, geometry);
  CDNI_NEED(state, X_GS);
  const contact_room *room;
  if (!find(state, "cdn_shape_get", id, &room)) return CDN_ERR_ARG;
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  *geometry = shape_geometry(room, cdn_state_parameters(state, room->sizes), id.i);
  *X_GS = ((const shape_pose *)cdni_state_storage(state, room->poses))[id.i].X_GS;
  return CDN_OK;
}
