/* Controls in a State: the values that the user wrote, and the values in effect. */
#include <math.h>
#include <stdio.h>

#include "controls/internal.h"
#include "math/difference.h"
#include "system/vectors.h"

/* ---- computing ---- */

static const control_room *of(const void *self) { return *(const control_room *const *)self; }

static cdn_status calc(const void *self, cdn_state *state, void *out) {
  const control_room *room = of(self);
  /* All entries of a subsystem have the same `self`, but the State knows the ticket of the entry. */
  const int i = cdni_control_of_ticket(room, cdni_state_computing(state)).i,
            lanes = cdni_system_lanes(cdn_state_system(state));
  const control *c = &CDNI_AT(room->controls, control, i);
  const double *limits = cdn_state_parameters(state, room->limits) + 2 * lanes * i;
  double value;
  if (!c->follows) {
    const double *given = cdn_state_parameters(state, room->given) + lanes * i;
    for (int l = 0; l < lanes; l++) ((double *)out)[l] = fmin(fmax(given[l], limits[l]), limits[lanes + l]);
    return CDN_OK;
  }
  CDNI_TRY(c->source.calc(&c->source, state, &value));
  if (isnan(value))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, true, "cdn_realize", c->name,
                           "control '%s': %s, which it follows, is NaN", c->name, c->source.word);
  *(double *)out = fmin(fmax(value, limits[0]), limits[1]);
  return CDN_OK;
}

/* ---- the subsystem ---- */

static void name_control(const cdn_system *system, int element, int k, char *name, size_t size) {
  snprintf(name, size, "%s", cdn_control_name(system, (cdn_control){ element + k }));
}

static cdn_status declare_arrays(control_room *room, cdn_declarer *d, double *given, double *limits) {
  const int n = (int)room->controls.count;
  for (int i = 0; i < n; i++) {
    const control *c = &CDNI_AT(room->controls, control, i);
    given[i] = c->initial;
    limits[2 * i] = cdni_finite_bound(c->lower), limits[2 * i + 1] = cdni_finite_bound(c->upper);
  }
  room->given = cdni_declare_values(d, "given", n, given);
  cdni_declare_vector_run(
      d, &(vector_run){ .part = CDN_VECTOR_CONTROLS, .variable = room->given, .n = n, .name = name_control });
  room->limits = cdn_declare_parameters(d, "limits", 2 * n, limits);
  cdni_declare_in_lanes(d, room->given.ticket, CDNI_LANES_TOGETHER);
  cdni_declare_in_lanes(d, room->limits.ticket, CDNI_LANES_TOGETHER);
  return CDN_OK;
}

static cdn_status declare(void *self, cdn_declarer *d) {
  control_room *room = *(control_room **)self;
  const cdn_allocator *a = cdni_system_allocator(cdni_declarer_system(d));
  const size_t n = room->controls.count, bytes = 3 * n * sizeof(double);
  double *numbers = cdni_alloc(a, bytes);
  if (!numbers) return cdn_declare_error(d, CDN_ERR_NOMEM, "out of memory");
  declare_arrays(room, d, numbers, numbers + n);
  cdni_free(a, numbers, bytes);
  for (size_t i = 0; i < n; i++) {
    const control *c = &CDNI_AT(room->controls, control, i);
    const cdn_ticket prerequisites[] = { room->limits.ticket, c->follows ? c->source.ticket : room->given.ticket };
    cdni_declare_well_known(d, c->ticket);
    cdn_declare_cache(d, c->name, sizeof(double), calc, 2, prerequisites);
    if (!c->follows) cdni_declare_in_lanes(d, c->ticket, CDNI_LANES_TOGETHER);
  }
  return CDN_OK;
}

static double next_stop(const void *self, const cdn_state *state) {
  const control_room *room = of(self);
  const double t = cdn_state_time(state);
  double stop = INFINITY;
  for (size_t i = 0; i < room->controls.count; i++) {
    const control *c = &CDNI_AT(room->controls, control, i);
    if (c->follows && c->source.next_stop) stop = fmin(stop, c->source.next_stop(&c->source, t));
  }
  return stop;
}

static void describe(const void *self, const cdn_system *system, cdn_description *d) {
  const control_room *room = of(self);
  for (size_t i = 0; i < room->controls.count; i++) {
    const control *c = &CDNI_AT(room->controls, control, i);
    char text[160] = "nothing";
    if (c->follows) c->source.describe(&c->source, system, text, sizeof text);
    cdn_describe(d, c->name, "a control that follows %s", text);
  }
}

const cdn_subsystem_ops cdni_controls_ops = { .struct_size = sizeof cdni_controls_ops,
                                              .name = "controls",
                                              .self_size = sizeof(control_room *),
                                              .declare = declare,
                                              .next_stop = next_stop,
                                              .describe = describe };

/* ---- in a State ---- */

static const control *find(cdn_state *state, const char *function, cdn_control id, const control_room **room) {
  *room = cdni_controls(cdn_state_system(state));
  const control *c = cdni_control_at(*room, id);
  if (!c) cdni_state_lacks(state, function, "control", (int)id.i);
  return c;
}

cdn_status cdn_control_value(cdn_state *state, cdn_control id, double *value) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const control_room *room;
  const control *c = find(state, "cdn_control_value", id, &room);
  if (!c) return CDN_ERR_ARG;
  if (!value)
    return cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_control_value", c->name,
                           "no place is given for the value of control '%s'", c->name);
  CDNI_TRY(cdni_state_ensure(state, c->ticket));
  *value = *(const double *)cdni_state_storage(state, (cdn_cache){ 0, c->ticket });
  return CDN_OK;
}

cdn_status cdni_control_values(const control_room *room, cdn_state *state, cdn_control id, int lanes, double *values) {
  const control *c = cdni_control_at(room, id);
  if (c->follows && lanes > 1) {
    /* each lane's own State asks the source */
    for (int l = 0; l < lanes; l++) {
      cdn_state *one = cdni_lane_state(state, l);
      values[l] = 0;
      if (one && cdn_control_value(one, id, &values[l]) != CDN_OK) cdni_lane_fail(state, l);
    }
    return CDN_OK;
  }
  CDNI_TRY(cdni_state_ensure(state, c->ticket));
  const double *in_effect = cdni_state_storage(state, (cdn_cache){ c->ticket.i, c->ticket });
  for (int l = 0; l < lanes; l++) values[l] = in_effect[l];
  return CDN_OK;
}

cdn_status cdni_control_rates(cdn_state *state, cdn_control id, double out[3]) {
  const control_room *room;
  const control *c = find(state, "cdn_realize", id, &room);
  if (!c) return CDN_ERR_ARG;
  CDNI_TRY(cdn_control_value(state, id, &out[0]));
  out[1] = out[2] = 0;
  if (!c->follows) return CDN_OK;
  if (!c->source.calc_rates)
    return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, "cdn_realize", c->name,
                           "control '%s' follows %s, whose rates are not known", c->name, c->source.word);
  double unlimited;
  CDNI_TRY(c->source.calc(&c->source, state, &unlimited));
  return unlimited == out[0] ? c->source.calc_rates(&c->source, state, out + 1) : CDN_OK;
}

/* A free control of a State that may be written. */
static cdn_status check_write(cdn_state *state, const char *function, const control *c, double value) {
  CDNI_TRY(cdni_state_check_free(state, function, c->name));
  if (!isfinite(value))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, function, c->name,
                           "control '%s' was given %g: nothing was changed", c->name, value);
  return CDN_OK;
}

/* Writes one control. Cache entries that read only other controls stay valid. */
static void write_one(cdn_state *state, const control_room *room, int i, double value) {
  const control *c = &CDNI_AT(room->controls, control, i);
  ((double *)cdni_state_update_part(state, room->given, c->ticket))[i] = value;
}

cdn_status cdn_control_set(cdn_state *state, cdn_control id, double value) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const control_room *room;
  const control *c = find(state, __func__, id, &room);
  if (!c) return CDN_ERR_ARG;
  if (c->follows)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, c->name,
                           "control '%s' follows %s and is not written: change that instead", c->name, c->source.word);
  CDNI_TRY(check_write(state, __func__, c, value));
  write_one(state, room, id.i, value);
  return CDN_OK;
}

cdn_status cdn_control_set_all(cdn_state *state, const double *values) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const control_room *room = cdni_controls(cdn_state_system(state));
  const int n = room ? (int)room->controls.count : 0;
  if (n > 0 && !values) return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL, "no values are given");
  for (int i = 0; i < n; i++) {
    const control *c = &CDNI_AT(room->controls, control, i);
    if (!c->follows) CDNI_TRY(check_write(state, __func__, c, values[i]));
  }
  const double *given = n > 0 ? cdn_state_parameters(state, room->given) : NULL;
  for (int i = 0; i < n; i++)
    if (!CDNI_AT(room->controls, control, i).follows && values[i] != given[i]) write_one(state, room, i, values[i]);
  return CDN_OK;
}

double cdn_control_given(const cdn_state *state, cdn_control id) {
  CDNI_NEED_OBJECT(state, NAN);
  const control_room *room = cdni_controls(cdn_state_system(state));
  return cdni_control_at(room, id) ? cdn_state_parameters(state, room->given)[id.i] : NAN;
}

cdn_status cdn_control_limits(const cdn_state *state, cdn_control id, double *lower, double *upper) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const control_room *room;
  if (!find((cdn_state *)state, "cdn_control_limits", id, &room)) return CDN_ERR_ARG;
  const double *limits = cdn_state_parameters(state, room->limits) + 2 * id.i;
  if (lower) *lower = cdni_bound(limits[0]);
  if (upper) *upper = cdni_bound(limits[1]);
  return CDN_OK;
}

cdn_status cdni_control_sides(cdn_state *state, cdn_control id, double at[2]) {
  double lower, upper;
  CDNI_TRY(cdn_control_limits(state, id, &lower, &upper));
  const double now = cdn_control_given(state, id), d = cdni_difference_of(now);
  at[0] = fmax(now - d, lower), at[1] = fmin(now + d, upper);
  if (cdn_control_follows(cdn_state_system(state), id) || now < lower || now > upper) at[0] = at[1] = now;
  return CDN_OK;
}

cdn_status cdni_control_set_limits(cdn_state *state, const char *function, cdn_control id, double lower, double upper) {
  const control_room *room;
  const control *c = find(state, function, id, &room);
  if (!c) return CDN_ERR_ARG;
  if (!(lower < upper))
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, c->name,
                           "control '%s': the limits %g and %g are not in order; nothing was changed", c->name, lower,
                           upper);
  const double limits[2] = { cdni_finite_bound(lower), cdni_finite_bound(upper) };
  return cdn_state_set_parameters(state, room->limits, 2 * id.i, 2, limits);
}

cdn_status cdn_control_set_limits(cdn_state *state, cdn_control id, double lower, double upper) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return cdni_control_set_limits(state, "cdn_control_set_limits", id, lower, upper);
}
