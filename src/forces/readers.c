/* Elements that read controls, and how their forces vary with them. */
#include <stdlib.h>

#include "controls/controls.h"
#include "forces/internal.h"

/* ---- who reads which ---- */

static const void *element_of(const force_room *room, const force_element *e) {
  const char *elements = room->sets[e->kind].elements.data;
  return elements + (size_t)e->index * cdni_force_kinds[e->kind]->element_size;
}

static int compare(const void *a, const void *b) {
  const force_reader *x = a, *y = b;
  return x->control != y->control ? (x->control > y->control) - (x->control < y->control)
                                  : (x->element > y->element) - (x->element < y->element);
}

static bool add(const cdn_system *system, force_room *room, int control, int element) {
  const force_reader reader = { control, element };
  return cdni_array_push(cdni_system_allocator(system), &room->readers, sizeof reader, &reader);
}

/* The controls behind one ticket of an element. */
static bool add_behind(cdn_system *system, force_room *room, int element, cdn_ticket ticket) {
  const control_room *controls = cdni_controls(system);
  const cdn_control control = cdni_control_of_ticket(controls, ticket);
  bool ok = control.i < 0 || add(system, room, control.i, element);
  /* a control without a source has no other one behind it */
  if (control.i >= 0 && !cdn_control_follows(system, control)) return ok;
  if (!cdni_ticket_is_upstream(system, cdni_controls_limits(controls), ticket)) return ok;
  for (int i = 0; i < cdn_system_control_count(system) && ok; i++)
    if (cdni_ticket_is_upstream(system, cdn_control_ticket(system, (cdn_control){ i }), ticket))
      ok = add(system, room, i, element);
  return ok;
}

cdn_status cdni_force_readers_plan(cdn_system *system, force_room *room) {
  room->readers.count = 0;
  if (cdn_system_control_count(system) == 0) return CDN_OK;
  for (size_t i = 0; i < room->elements.count; i++) {
    const force_element *e = &CDNI_AT(room->elements, force_element, i);
    const force_kind *kind = cdni_force_kinds[e->kind];
    cdn_ticket ticket;
    for (int k = 0; kind->reads && (ticket = kind->reads(system, element_of(room, e), k)).i != 0; k++)
      if (!add_behind(system, room, (int)i, ticket)) return CDN_ERR_NOMEM;
  }
  force_reader *all = room->readers.data;
  size_t n = 0;
  if (room->readers.count > 0) qsort(all, room->readers.count, sizeof *all, compare);
  for (size_t i = 0; i < room->readers.count; i++)
    if (n == 0 || compare(&all[n - 1], &all[i]) != 0) all[n++] = all[i];
  room->readers.count = n;
  return CDN_OK;
}

/* ---- in a State ---- */

/* The first reader of a control. */
static size_t first_of(const force_room *room, cdn_control control) {
  size_t low = 0, high = room->readers.count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (CDNI_AT(room->readers, force_reader, middle).control < control.i) low = middle + 1;
    else high = middle;
  }
  return low;
}

static bool knows(const force_room *room, const force_element *e) {
  const force_kind *kind = cdni_force_kinds[e->kind];
  return kind->by_control && (!kind->knows_controls || kind->knows_controls(element_of(room, e)));
}

/* Adds what the readers that are on do, or with `derivative` how that varies, of those that know how, or do not. */
static cdn_status add_readers(const force_room *room, cdn_state *state, cdn_control control, bool derivative, sv *F,
                              double *f, bool *others) {
  const double *enabled = cdn_state_parameters(state, room->enabled);
  force_collector c = { .to = { .state = state, .matter = room->matter, .F = F, .f = f } };
  c.to.pose = cdni_matter_pose(room->matter, state);
  for (size_t i = first_of(room, control); i < room->readers.count; i++) {
    const force_reader *reader = &CDNI_AT(room->readers, force_reader, i);
    const force_element *e = &CDNI_AT(room->elements, force_element, reader->element);
    if (reader->control != control.i) break;
    if (enabled[reader->element] == 0) continue;
    if (knows(room, e) != derivative) {
      if (others) *others = true;
      continue;
    }
    const force_kind *kind = cdni_force_kinds[e->kind];
    const force_batch b = cdni_force_batch(room, state, (force_kind_id)e->kind, NULL);
    CDNI_TRY(derivative ? kind->by_control(&b, e->index, state, control, &c.to)
                        : kind->calc_one(&b, e->index, state, &c.to));
  }
  return CDN_OK;
}

cdn_status cdni_forces_by_control(const force_room *room, cdn_state *state, cdn_control control, sv *F, double *f,
                                  bool *others) {
  *others = false;
  return add_readers(room, state, control, true, F, f, others);
}

cdn_status cdni_forces_of_control(const force_room *room, cdn_state *state, cdn_control control, sv *F, double *f) {
  return add_readers(room, state, control, false, F, f, NULL);
}
