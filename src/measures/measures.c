/* The list of measures: adding, naming, and properties that are known once the System is frozen. */
#include <math.h>
#include <stdio.h>

#include "measures/internal.h"
#include "rooms.h"
#include "system/elements.h"

typedef struct measure_entry {
  char *name;
  cdn_subsystem subsystem; /* { -1 }: could not be added */
} measure_entry;

typedef struct measure_room {
  cdni_array entries; /* measure_entry, by id */
} measure_room;

static const measure_room *room_of(const cdn_system *system) {
  return system ? cdni_system_room_get(system, CDNI_ROOM_MEASURES) : NULL;
}

static const measure_entry *entry_at(const cdn_system *system, cdn_measure id) {
  const measure_room *room = room_of(system);
  if (!room || id.i < 0 || (size_t)id.i >= room->entries.count) return NULL;
  return &CDNI_AT(room->entries, measure_entry, id.i);
}

const measure *cdni_measure_at(const cdn_system *system, cdn_measure id) {
  const measure_entry *e = entry_at(system, id);
  return e ? cdn_subsystem_self(system, e->subsystem) : NULL;
}

const char *cdni_measure_name(const measure *m) { return entry_at(m->system, m->id)->name; }

/* ---- the room ---- */

static measure *mutable_at(cdn_system *system, int i) {
  return cdni_subsystem_self_mutable(system, entry_at(system, (cdn_measure){ i })->subsystem);
}

/* Properties of a measure depend on those of its operands. Numbers of known derivatives only grow, and are bounded,
 * so repeating the question until nothing changes ends, with loops or without. */
static cdn_status freeze_measures(cdn_system *system, void *data) {
  const measure_room *room = data;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < room->entries.count; i++) {
      measure *m = mutable_at(system, (int)i);
      int known = m->kind->derivatives ? m->kind->derivatives(m) : 0;
      changed = changed || known != m->derivatives;
      m->derivatives = known;
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < room->entries.count; i++) {
      measure *m = mutable_at(system, (int)i);
      cdn_stage stage = m->kind->stage(m, 0);
      changed = changed || stage != m->stage;
      m->stage = stage;
    }
  }
  return CDN_OK;
}

static cdn_status check_measures(cdn_system *system, void *data) {
  const measure_room *room = data;
  for (size_t i = 0; i < room->entries.count; i++) {
    const measure *m = mutable_at(system, (int)i);
    const char *wrong = m->kind->check ? m->kind->check(m) : NULL;
    if (!wrong) continue;
    return cdni_system_fail(system, CDN_ERR_ARG, "cdn_system_freeze", cdni_measure_name(m), "measure '%s': %s",
                            cdni_measure_name(m), wrong);
  }
  return CDN_OK;
}

static void free_measures(cdn_system *system, void *data) {
  measure_room *room = data;
  const cdn_allocator *a = cdni_system_allocator(system);
  for (size_t i = 0; i < room->entries.count; i++) cdni_strfree(a, CDNI_AT(room->entries, measure_entry, i).name);
  cdni_array_free(a, &room->entries);
}

static const char *name_of(const cdn_system *system, int i) { return entry_at(system, (cdn_measure){ i })->name; }
static const char *kind_of(const cdn_system *system, int i) {
  return cdni_measure_at(system, (cdn_measure){ i })->kind->name;
}
static const cdni_elements elements[] = {
  { .type = CDN_ELEMENT_MEASURE, .count = cdn_system_measure_count, .name = name_of, .kind = kind_of },
  CDNI_NO_MORE_ELEMENTS,
};

const cdni_room_ops cdni_measures_room = { .elements = elements,
                                           .size = sizeof(measure_room),
                                           .freeze = freeze_measures,
                                           .planned = check_measures,
                                           .destroy = free_measures };

/* ---- a measure as a subsystem ---- */

static cdn_status check_finite(const measure *m, cdn_state *state, int order, const double *value) {
  size_t bad;
  if (cdni_all_finite(value, (size_t)m->n, &bad)) return CDN_OK;
  char what[32] = "value";
  if (order > 0) snprintf(what, sizeof what, "derivative %d", order);
  cdni_state_fail(state, CDN_ERR_NONFINITE, true, "cdn_measure_value", cdni_measure_name(m),
                  "the %s of measure '%s' is %g (number %zu of %d)", what, cdni_measure_name(m), value[bad], bad, m->n);
  return CDN_ERR_NONFINITE;
}

static cdn_status calc(const measure *m, cdn_state *state, int order, double *out) {
  CDNI_TRY(m->kind->value(m, state, order, out));
  return check_finite(m, state, order, out);
}

static cdn_status calc_value(const void *self, cdn_state *state, void *out) { return calc(self, state, 0, out); }

static cdn_status declare(void *self, cdn_declarer *d) {
  measure *m = self;
  if (m->kind->declare) m->kind->declare(m, d);
  cdni_declare_well_known(d, m->ticket);
  m->value = cdn_declare_cache(d, "value", (size_t)m->n * sizeof(double), calc_value, 0, NULL);
  m->kind->depend(m, 0, d, m->value);
  return CDN_OK;
}

/* The operand and kind of a measure, for checkpoints; constant numbers in it are not described. */
static void describe(const void *self, const cdn_system *system, cdn_description *d) {
  const measure *m = self;
  const measure *operand = m->operand.i < 0 ? NULL : cdni_measure_at(system, m->operand);
  cdn_describe(d, cdni_measure_name(m), "a %s of %d%s%s", m->kind->name, m->n, operand ? " on " : "",
               operand ? cdni_measure_name(operand) : "");
}

static void destroy(void *self) {
  measure *m = self;
  m->kind->destroy(m);
}

/* ---- adding ---- */

void cdni_measure_begin(cdni_adder *a, cdn_system *system, const char *function, const char *name) {
  const measure_room *room = cdni_adder_begin(a, system, CDNI_ROOM_MEASURES, function, "measure");
  cdni_adder_name(a, name, room ? room->entries.count : 0);
}

int cdni_measure_check_operand(cdni_adder *a, cdn_measure operand) {
  if (!a->ok) return 0;
  const measure *m = cdni_measure_at(a->system, operand);
  if (!m) {
    cdni_adder_refuse(a, CDN_ERR_ARG, "there is no measure %d in this System (yet): add the operand first",
                      (int)operand.i);
  }
  return m ? m->n : 0;
}

void cdni_measure_check_size(cdni_adder *a, int n) {
  if (n >= 1 && n <= CDN_MEASURE_MOST) return;
  cdni_adder_refuse(a, CDN_ERR_ARG, "a value has 1 to %d numbers, not %d", CDN_MEASURE_MOST, n);
}

const char *cdni_measure_kind_lacks(const measure_kind *k) {
  if (!k->name) return "name";
  if (k->size < sizeof(measure)) return "size";
  if (!k->stage) return "stage";
  if (!k->depend) return "depend";
  return k->value ? NULL : "value";
}

cdn_measure cdni_measure_add(cdni_adder *a, const measure_kind *kind, measure *m) {
  const cdn_measure none = { -1 };
  const char *lacks = cdni_measure_kind_lacks(kind);
  if (lacks)
    cdni_adder_refuse(a, CDN_ERR_UNSUPPORTED, "the library's kind %s has no .%s: write it in src/measures/",
                      kind->name ? kind->name : "of this measure", lacks);
  if (!a->ok) return none;
  const cdn_allocator *memory = cdni_system_allocator(a->system);
  measure_room *room = cdni_system_room(a->system, CDNI_ROOM_MEASURES);
  m->kind = kind;
  m->system = a->system;
  m->id.i = (int32_t)room->entries.count;
  m->ticket = cdni_ticket_reserve(a->system);
  measure_entry e = { cdni_strdup(memory, a->name), { -1 } };
  if (m->ticket.i == 0 || !e.name || !cdni_array_push(memory, &room->entries, sizeof e, &e)) {
    cdni_strfree(memory, e.name);
    cdni_adder_refuse(a, CDN_ERR_NOMEM, "out of memory");
    return none;
  }
  const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                  .name = a->name,
                                  .self_size = kind->size,
                                  .declare = declare,
                                  .calc_zdot = kind->calc_zdot,
                                  .begin_run = kind->begin_run,
                                  .next_stop = kind->next_stop,
                                  .describe = describe,
                                  .destroy = kind->destroy ? destroy : NULL };
  cdn_subsystem subsystem = cdn_system_add_subsystem(a->system, &ops, m);
  CDNI_AT(room->entries, measure_entry, m->id.i).subsystem = subsystem;
  return subsystem.i < 0 ? none : m->id;
}

void cdn_measure_set_operand(cdn_system *system, cdn_measure id, cdn_measure operand) {
  if (cdni_system_refuses(system, __func__)) return;
  const measure *m = cdni_measure_at(system, id), *other = cdni_measure_at(system, operand);
  const char *name = m ? cdni_measure_name(m) : NULL;
  if (!m || !other) {
    cdni_system_fail(system, CDN_ERR_ARG, __func__, name, "there is no measure %d in this System",
                     (int)(m ? operand.i : id.i));
  } else if (!m->kind->rewirable) {
    cdni_system_fail(
        system, CDN_ERR_ARG, __func__, name,
        "measure '%s' is a %s: only integrals, delays, late records and held samples may get another operand", name,
        m->kind->name);
  } else if (m->n != other->n) {
    cdni_system_fail(system, CDN_ERR_ARG, __func__, name, "measure '%s' has %d numbers, and '%s' has %d", name, m->n,
                     cdni_measure_name(other), other->n);
  } else {
    mutable_at(system, id.i)->operand = operand;
  }
}

/* ---- operands ---- */

int cdni_measure_derivatives_of(const measure *m, cdn_measure operand) {
  return cdni_measure_at(m->system, operand)->derivatives;
}

cdn_stage cdni_measure_stage_of(const measure *m, cdn_measure operand, int order) {
  const measure *o = cdni_measure_at(m->system, operand);
  return order == 0 ? o->stage : o->kind->stage(o, order);
}

void cdni_measure_depend_on(const measure *m, cdn_measure operand, int order, cdn_declarer *d, cdn_cache entry) {
  const measure *o = cdni_measure_at(m->system, operand);
  if (order == 0) cdni_declare_prerequisite(d, entry, o->ticket);
  else o->kind->depend(o, order, d, entry);
}

static cdn_status take_value(const measure *m, cdn_state *state, int order, double *out) {
  if (order > 0) return calc(m, state, order, out);
  CDNI_TRY(cdni_state_ensure(state, m->value.ticket));
  memcpy(out, cdni_state_storage(state, m->value), (size_t)m->n * sizeof *out);
  return CDN_OK;
}

cdn_status cdni_measure_read(const measure *m, cdn_state *state, cdn_measure operand, int order, double *out) {
  return take_value(cdni_measure_at(m->system, operand), state, order, out);
}

cdn_stage cdni_measure_stage_time(const measure *m, int order) {
  (void)m, (void)order;
  return CDN_STAGE_TIME;
}

/* ---- asking a System ---- */

int cdn_system_measure_count(const cdn_system *system) {
  const measure_room *room = room_of(system);
  return room ? (int)room->entries.count : 0;
}

cdn_measure cdn_system_find_measure(const cdn_system *system, const char *name) {
  CDNI_NEED_OBJECT(system, ((cdn_measure){ -1 }));
  return (cdn_measure){ cdni_find_by_name(system, CDN_ELEMENT_MEASURE, name) };
}

const char *cdn_measure_name(const cdn_system *system, cdn_measure id) {
  const measure_entry *e = entry_at(system, id);
  return e ? e->name : NULL;
}

int cdn_measure_size(const cdn_system *system, cdn_measure id) {
  const measure *m = cdni_measure_at(system, id);
  return m ? m->n : 0;
}

cdn_ticket cdn_measure_ticket(const cdn_system *system, cdn_measure id) {
  const measure *m = cdni_measure_at(system, id);
  return m ? m->ticket : (cdn_ticket){ 0 };
}

cdn_stage cdn_measure_stage(const cdn_system *system, cdn_measure id) {
  const measure *m = cdni_measure_at(system, id);
  return m ? m->stage : CDN_STAGE_EMPTY;
}

int cdn_measure_derivatives(const cdn_system *system, cdn_measure id) {
  const measure *m = cdni_measure_at(system, id);
  return m ? m->derivatives : 0;
}

/* ---- in a State ---- */

const double *cdn_measure_value(cdn_state *state, cdn_measure id) {
  CDNI_NEED_OBJECT(state, NULL);
  const measure *m = cdni_measure_at(cdn_state_system(state), id);
  if (m) return cdn_eval(state, m->value);
  cdni_state_lacks(state, "cdn_measure_value", "measure", id.i);
  return NULL;
}

cdn_status cdn_measure_derivative(cdn_state *state, cdn_measure id, int order, double *value) {
  if (!state || !value) return cdni_refuse(CDN_ERR_ARG, __func__, "the State or the result is NULL");
  const measure *m = cdni_measure_at(cdn_state_system(state), id);
  if (!m || order < 0) return cdni_state_lacks(state, __func__, "measure", id.i);
  if (order <= m->derivatives) return take_value(m, state, order, value);
  return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, __func__, cdni_measure_name(m),
                         "measure '%s' knows %d of its derivatives: for the next one add a derivative measure, which "
                         "estimates it",
                         cdni_measure_name(m), m->derivatives);
}

static cdn_status not_by(cdn_state *state, const char *function, const measure *m, const char *what) {
  return cdni_state_fail(state, CDN_ERR_ARG, false, function, cdni_measure_name(m), "measure '%s' is a %s, which %s",
                         cdni_measure_name(m), m->kind->name, what);
}

cdn_status cdn_measure_set_value(cdn_state *state, cdn_measure id, const double *value) {
  if (!state || !value) return cdni_refuse(CDN_ERR_ARG, __func__, "the State or the value is NULL");
  const measure *m = cdni_measure_at(cdn_state_system(state), id);
  size_t bad;
  if (!m) return cdni_state_lacks(state, __func__, "measure", id.i);
  if (!m->kind->set) return not_by(state, __func__, m, "is computed and cannot be set: set its operands instead");
  if (!cdni_all_finite(value, (size_t)m->n, &bad)) {
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, __func__, cdni_measure_name(m),
                           "number %zu for measure '%s' is %g: nothing was changed", bad, cdni_measure_name(m),
                           value[bad]);
  }
  return m->kind->set(m, state, value);
}

cdn_status cdn_measure_reset(cdn_state *state, cdn_measure id) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const measure *m = cdni_measure_at(cdn_state_system(state), id);
  if (!m) return cdni_state_lacks(state, __func__, "measure", id.i);
  if (!m->kind->reset) return not_by(state, __func__, m, "remembers nothing");
  CDNI_TRY(cdni_state_check_free(state, __func__, cdni_measure_name(m)));
  return m->kind->reset(m, state);
}
