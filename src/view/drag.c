/* A pose that people drag while the run stands still. */
#include "view/drag.h"

#include <math.h>

void cdni_drag_end(view_drag *d) {
  cdn_assembly_destroy(d->assembly);
  cdn_state_destroy(d->trial);
  *d = (view_drag){ .coordinate = -1 };
}

static cdn_status make_assembly(cdn_view *view, cdn_assembly **out) {
  cdn_assembly_def def = cdn_default_assembly_def();
  def.most_iterations = 60; /* it goes on with the next move */
  CDNI_TRY(cdn_assembly_create(view->picture.system, &def, out));
  return view->picture.model ? cdn_model_bound_assembly(view->picture.model, *out) : CDN_OK;
}

static cdn_status begin(cdn_view *view, view_drag *d, cdn_state *state) {
  cdni_drag_end(d);
  CDNI_TRY(cdn_state_create(cdn_state_system(state), &d->trial));
  return make_assembly(view, &d->assembly);
}

static const char *refuse_assembly(cdn_view *view, const cdn_assembly *assembly) {
  cdn_error error;
  cdn_assembly_last_error(assembly, &error);
  return cdni_view_refuse(view, "this pose cannot be assembled: %s", error.text);
}

/* The goals may still be falling (CDN_ERR_LIMIT): the best pose so far counts, if its loops are closed. */
static bool assembles(cdn_assembly *assembly, cdn_state *state) {
  cdn_assembly_report report;
  const cdn_status status = cdn_assemble(assembly, state, &report);
  return (status == CDN_OK || (status == CDN_ERR_LIMIT && report.error <= cdn_default_assembly_def().tolerance)) &&
         cdn_assemble_speeds(assembly, state, NULL) == CDN_OK;
}

static const char *move(cdn_view *view, view_drag *d, cdn_state *state) {
  if (cdn_state_copy(d->trial, state) != CDN_OK) return cdni_view_refuse_last(view);
  if (!assembles(d->assembly, d->trial)) return refuse_assembly(view, d->assembly);
  if (cdn_contact_forget(d->trial) != CDN_OK || cdn_state_copy(state, d->trial) != CDN_OK)
    return cdni_view_refuse_last(view);
  return NULL;
}

const char *cdni_drag_coordinate(cdn_view *view, view_drag *d, cdn_state *state, int coordinate, double value) {
  const view_coordinate *c = &CDNI_AT(view->picture.coordinates, view_coordinate, coordinate);
  if (cdni_coordinate_is_fixed(state, c))
    return cdni_view_refuse(view, "joint '%s' is held by a lock or a motion",
                            cdn_body_mobilizer_name(view->picture.system, c->body));
  if (!d->assembly || d->coordinate != coordinate) {
    if (begin(view, d, state) != CDN_OK) return cdni_view_refuse_last(view);
    d->coordinate = coordinate;
    d->goal = cdn_assembly_add_coordinate(d->assembly, "slider", c->body, c->k, value, 1);
  }
  value = fmin(fmax(value, c->lower), c->upper);
  if (cdn_assembly_set_value(d->assembly, d->goal, value) != CDN_OK) return refuse_assembly(view, d->assembly);
  return move(view, d, state);
}

const char *cdni_drag_station(cdn_view *view, view_drag *d, cdn_state *state, cdn_body body, cdn_vec3 station,
                              cdn_vec3 target) {
  if (!d->assembly || d->coordinate >= 0 || d->body.i != body.i || cdn_norm(cdn_sub(d->station, station)) > 0) {
    if (begin(view, d, state) != CDN_OK) return cdni_view_refuse_last(view);
    d->body = body, d->station = station;
    d->goal = cdn_assembly_add_marker(d->assembly, "hand", body, station, 1);
  }
  if (cdn_assembly_observe_marker(d->assembly, d->goal, target) != CDN_OK) return refuse_assembly(view, d->assembly);
  return move(view, d, state);
}

const char *cdni_assemble_anew(cdn_view *view, cdn_state *state) {
  cdn_assembly *assembly = NULL;
  const char *error = NULL;
  if (cdn_system_constraint_count(view->picture.system) == 0) return NULL;
  if (make_assembly(view, &assembly) != CDN_OK) error = cdni_view_refuse_last(view);
  else if (!assembles(assembly, state)) error = refuse_assembly(view, assembly);
  cdn_assembly_destroy(assembly);
  return error;
}
