/* Builds the list of controls, and the sources that they follow. */
#include "controls/controls.h"

#include <math.h>
#include <stdio.h>

#include "controls/internal.h"
#include "rooms.h"
#include "system/adding.h"
#include "system/elements.h"

CDNI_DEF(control_def, .lower = -INFINITY, .upper = INFINITY);

/* ---- the room ---- */

static void free_controls(cdn_system *system, void *data) {
  control_room *room = data;
  const cdn_allocator *a = cdni_system_allocator(system);
  for (size_t i = 0; i < room->controls.count; i++) {
    control *c = &CDNI_AT(room->controls, control, i);
    cdni_strfree(a, c->name);
    cdni_strfree(a, c->unit);
    if (c->follows && c->source.destroy) c->source.destroy(&c->source, a);
  }
  cdni_array_free(a, &room->controls);
}

static const char *name_of(const cdn_system *system, int i) { return cdn_control_name(system, (cdn_control){ i }); }
static int parameter_count(const cdn_system *system, int i) {
  (void)system, (void)i;
  return 2;
}
/* The limits. */
static void parameter(const cdn_system *system, int i, int k, cdni_parameter_place *out) {
  static const cdni_parameter table[] = { CDNI_BOUND("lower", NULL), CDNI_BOUND("upper", NULL) };
  const control_room *room = cdni_controls(system);
  out->is = table[k];
  snprintf(out->unit, sizeof out->unit, "%s", CDNI_AT(room->controls, control, i).unit);
  out->array = room->limits, out->at = 2 * i + k;
}
static cdn_status set(cdn_state *state, const char *function, int i, int first, int n, const double *values) {
  double limits[2];
  CDNI_TRY(cdn_control_limits(state, (cdn_control){ i }, &limits[0], &limits[1]));
  memcpy(limits + first, values, (size_t)n * sizeof *values);
  return cdni_control_set_limits(state, function, (cdn_control){ i }, limits[0], limits[1]);
}
static const cdni_elements elements[] = {
  { .type = CDN_ELEMENT_CONTROL,
    .count = cdn_system_control_count,
    .name = name_of,
    .parameter_count = parameter_count,
    .parameter = parameter,
    .set = set },
  CDNI_NO_MORE_ELEMENTS,
};

const cdni_room_ops cdni_controls_room = {
  .size = sizeof(control_room), .elements = elements, .subsystem = &cdni_controls_ops, .destroy = free_controls
};

const control_room *cdni_controls(const cdn_system *system) { return cdni_system_room_get(system, CDNI_ROOM_CONTROLS); }

const control *cdni_control_at(const control_room *room, cdn_control c) {
  return !room || c.i < 0 || (size_t)c.i >= room->controls.count ? NULL : &CDNI_AT(room->controls, control, c.i);
}

cdn_dvar cdni_controls_variable(const control_room *room) { return room->given; }
cdn_ticket cdni_controls_limits(const control_room *room) { return room->limits.ticket; }

/* Tickets ascend in the order of adding. */
cdn_control cdni_control_of_ticket(const control_room *room, cdn_ticket ticket) {
  size_t low = 0, high = room->controls.count;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (CDNI_AT(room->controls, control, middle).ticket.i <= ticket.i) low = middle;
    else high = middle;
  }
  const bool found = low < high && CDNI_AT(room->controls, control, low).ticket.i == ticket.i;
  return (cdn_control){ found ? (int32_t)low : -1 };
}

/* ---- adding ---- */

/* False, with an error, for numbers that make no control. */
static bool check_def(cdni_adder *by, const cdn_control_def *d) {
  if (!(d->lower < d->upper))
    cdni_adder_refuse(by, CDN_ERR_ARG, "its limits are %g and %g: the lower one must be below the upper one", d->lower,
                      d->upper);
  else if (!isfinite(d->initial)) cdni_adder_refuse(by, CDN_ERR_NONFINITE, "its initial value is %g", d->initial);
  else if (cdn_system_find_control(by->system, by->name).i >= 0)
    cdni_adder_refuse(by, CDN_ERR_ARG, "there is a control of that name already: give each its own");
  return by->ok;
}

cdn_control cdn_system_add_control(cdn_system *system, const cdn_control_def *def) {
  const cdn_control none = { -1 };
  cdni_adder by;
  control_room *room = cdni_adder_begin(&by, system, CDNI_ROOM_CONTROLS, __func__, "control");
  if (!room) return none;
  cdn_control_def d;
  const char *unreadable = def ? read_control_def(&d, def) : "no def is given: start with cdn_default_control_def()";
  if (unreadable) {
    cdni_adder_fail_unreadable(&by, def, unreadable);
    return none;
  }
  cdni_adder_name(&by, d.name, room->controls.count);
  if (!check_def(&by, &d)) return none;
  const cdn_allocator *a = cdni_system_allocator(system);
  control c = { .name = cdni_strdup(a, by.name), .unit = cdni_strdup(a, d.unit ? d.unit : "") };
  c.lower = d.lower, c.upper = d.upper, c.initial = d.initial;
  c.ticket = cdni_ticket_reserve(system);
  if (!c.name || !c.unit || !cdni_array_push(a, &room->controls, sizeof c, &c)) {
    cdni_strfree(a, c.name);
    cdni_strfree(a, c.unit);
    cdni_system_fail(system, CDN_ERR_NOMEM, __func__, by.name, "out of memory");
    return none;
  }
  return (cdn_control){ (int32_t)room->controls.count - 1 };
}

/* ---- following ---- */

cdni_adder cdni_control_adder(cdn_system *system, const char *function, cdn_control id) {
  const control *c = cdni_control_at(cdni_controls(system), id);
  return (cdni_adder){ system, function, "control", c ? c->name : "?", .ok = true };
}

bool cdni_control_follow(cdn_system *system, const char *function, cdn_control id, const control_source *source) {
  control *c = (control *)cdni_control_at(cdni_controls(system), id);
  if (cdni_system_refuses(system, function)) return false;
  cdni_adder by = cdni_control_adder(system, function, id);
  if (!c) cdni_system_fail(system, CDN_ERR_ARG, function, NULL, "there is no control %d in this System", (int)id.i);
  else if (c->follows)
    cdni_adder_refuse(&by, CDN_ERR_ARG, "it follows %s already: a control follows one thing", c->source.word);
  else {
    c->source = *source;
    c->follows = true;
    return true;
  }
  return false;
}

bool cdni_control_feeds_back(const cdn_system *system, cdn_control id) {
  const control *c = cdni_control_at(cdni_controls(system), id);
  return c && c->follows && c->source.feeds_back;
}

bool cdni_control_has_rates(const cdn_system *system, cdn_control id) {
  const control *c = cdni_control_at(cdni_controls(system), id);
  return !c || !c->follows || c->source.calc_rates;
}

/* ---- asking ---- */

int cdn_system_control_count(const cdn_system *system) {
  const control_room *room = cdni_controls(system);
  return room ? (int)room->controls.count : 0;
}

cdn_control cdn_system_find_control(const cdn_system *system, const char *name) {
  CDNI_NEED_OBJECT(system, ((cdn_control){ -1 }));
  return (cdn_control){ cdni_find_by_name(system, CDN_ELEMENT_CONTROL, name) };
}

const char *cdn_control_name(const cdn_system *system, cdn_control id) {
  CDNI_NEED_OBJECT(system, NULL);
  const control *c = cdni_control_at(cdni_controls(system), id);
  return c ? c->name : NULL;
}

const char *cdn_control_unit(const cdn_system *system, cdn_control id) {
  CDNI_NEED_OBJECT(system, NULL);
  const control *c = cdni_control_at(cdni_controls(system), id);
  return c ? c->unit : NULL;
}

bool cdn_control_follows(const cdn_system *system, cdn_control id) {
  CDNI_NEED_OBJECT(system, false);
  const control *c = cdni_control_at(cdni_controls(system), id);
  return c && c->follows;
}

cdn_ticket cdn_control_ticket(const cdn_system *system, cdn_control id) {
  CDNI_NEED_OBJECT(system, ((cdn_ticket){ 0 }));
  const control *c = cdni_control_at(cdni_controls(system), id);
  return c ? c->ticket : (cdn_ticket){ 0 };
}
