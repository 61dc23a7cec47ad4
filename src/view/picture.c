/* What belongs to the System that is shown: scene, meshes, lists, and the opening messages made of them. */
#include <math.h>
#include <stdio.h>

#include "system/system.h"
#include "view/internal.h"

/* The first pull of a System. */
static cdn_force find_pull(cdn_state *state) {
  const int n = cdn_system_force_count(cdn_state_system(state));
  for (int i = 0; i < n; i++) {
    cdn_perturbation held;
    const char *kind = cdn_force_kind_name(cdn_state_system(state), (cdn_force){ i });
    if (strcmp(kind, "custom") == 0 && cdn_perturbation_get(state, (cdn_force){ i }, &held) == CDN_OK)
      return (cdn_force){ i };
  }
  return (cdn_force){ -1 };
}

static cdn_status make_scene(cdn_state *state, cdn_model *model, cdn_scene **out) {
  if (model) return cdn_model_create_scene(model, state, NULL, out);
  CDNI_TRY(cdn_scene_create(state, NULL, out));
  const cdn_status status = cdn_scene_complete(*out, state);
  if (status == CDN_OK) return CDN_OK;
  cdn_scene_destroy(*out);
  *out = NULL;
  return status;
}

/* Small things are quick: what takes a second in a machine takes a picosecond in a molecule. */
static view_time_unit choose_clock(const cdn_view *view, const cdn_scene *scene) {
  static const struct {
    double size; /* m: of things at least so large */
    view_time_unit unit;
  } units[] = { { 1e-3, { "s", 1 } }, { 1e-5, { "\u00b5s", 1e-6 } }, { 1e-7, { "ns", 1e-9 } } };
  cdn_vec3 least, most;
  const cdn_system *system = view->picture.system;
  if (view->time_unit) return (view_time_unit){ view->time_unit, 1 };
  if (cdn_system_units(system) != CDN_UNITS_SI) return (view_time_unit){ cdn_system_unit(system, "s"), 1 };
  cdn_scene_bounds(scene, &least, &most);
  const double size = 0.5 * cdn_norm(cdn_sub(most, least));
  if (!(size > 0)) return units[0].unit;
  for (int i = 0; i < CDNI_COUNT(units); i++)
    if (size >= units[i].size) return units[i].unit;
  return (view_time_unit){ "ps", 1e-12 };
}

cdn_status cdni_picture_make(cdn_view *view, cdn_state *state, cdn_model *model, cdn_scene *scene, view_picture *p) {
  *p = (view_picture){ .system = cdn_state_system(state), .model = model, .scene = scene };
  cdn_system_retain(p->system);
  cdn_status status = CDN_OK;
  if (!scene) {
    status = make_scene(state, model, &p->scene);
    p->owns_scene = true;
  }
  if (status == CDN_OK) {
    cdn_scene_set_layers(p->scene, 0);
    status = cdn_scene_update(p->scene, state);
  }
  if (status == CDN_OK) status = cdni_looks_make(p->scene, &view->allocator, &p->looks);
  if (status == CDN_OK) status = cdni_list_coordinates(p->system, model, &view->allocator, &p->coordinates);
  if (status == CDN_OK) status = cdni_list_series(view, p);
  if (status == CDN_OK) p->pull = find_pull(state), p->clock = choose_clock(view, p->scene);
  else cdni_picture_free(view, p);
  return status;
}

void cdni_picture_free(cdn_view *view, view_picture *p) {
  cdni_array_free(&view->allocator, &p->coordinates);
  cdni_array_free(&view->allocator, &p->series);
  cdni_array_free(&view->allocator, &p->quantities);
  cdni_looks_free(&p->looks);
  if (p->owns_scene) cdn_scene_destroy(p->scene);
  if (p->owns_model) cdn_model_destroy(p->model);
  if (p->system) cdn_system_release(p->system);
  *p = (view_picture){ 0 };
}

/* ---- the opening ---- */

static cdn_status add(cdn_view *view, bool is_text, const void *bytes, size_t n) {
  if (view->sink.opening) view->sink.opening(view->sink.context, is_text, bytes, n);
  return view->link ? cdni_link_add_opening(view->link, is_text, bytes, n) : CDN_OK;
}

static cdn_status add_text(cdn_view *view) {
  if (view->text.failed) return cdni_refuse(CDN_ERR_NOMEM, "cdn_view_open", "out of memory for a message");
  return add(view, true, cdni_text(&view->text), cdni_text_length(&view->text));
}

static cdn_status add_looks(cdn_view *view) {
  for (int i = 0; i < cdni_looks_count(&view->picture.looks); i++) {
    void *bytes;
    size_t n;
    CDNI_TRY(cdni_look_encode(&view->picture.looks, i, &bytes, &n));
    const cdn_status status = add(view, false, bytes, n);
    free(bytes);
    CDNI_TRY(status);
  }
  return CDN_OK;
}

static cdn_status add_warning(cdn_view *view, double time, const char *text) {
  cdni_encode_event(&view->text, time, "warning", text);
  return add_text(view);
}

/* What of the model is not simulated, or not shown. */
static cdn_status add_warnings(cdn_view *view, double time) {
  const cdn_model *model = view->picture.model;
  for (int i = 0; model && i < cdn_model_not_understood_count(model); i++) {
    const cdn_model_note note = cdn_model_not_understood(model, i);
    char text[256];
    snprintf(text, sizeof text, "not simulated: %d x %.150s (line %d)", note.count, note.element, note.line);
    CDNI_TRY(add_warning(view, time, text));
  }
  for (int i = 0; model && i < cdn_model_warning_count(model); i++)
    CDNI_TRY(add_warning(view, time, cdn_model_warning(model, i)));
  return CDN_OK;
}

cdn_status cdni_view_encode_model(cdn_view *view, cdn_state *state, view_mode mode, const view_run *run) {
  view_picture *p = &view->picture;
  const uint32_t layers = cdn_scene_layers(p->scene);
  cdn_scene_set_layers(p->scene, 0); /* marks that cannot be computed are no reason to show nothing */
  const cdn_status status = cdn_scene_update(p->scene, state);
  cdn_scene_set_layers(p->scene, layers);
  CDNI_TRY(status);
  const view_model m = { .name = view->name,
                         .source = view->source,
                         .scene = p->scene,
                         .state = state,
                         .model = p->model,
                         .looks = &p->looks,
                         .coordinates = p->coordinates.data,
                         .n_coordinates = (int)p->coordinates.count,
                         .series = p->series.data,
                         .n_series = (int)p->series.count,
                         .contacts = view->contacts,
                         .n_contacts = mode == VIEW_LIVE ? view->n_contacts : 0,
                         .is_live = mode != VIEW_REPLAY,
                         .pull = p->pull,
                         .clock = p->clock,
                         .runs = view->runs ? view->runs : run,
                         .n_runs = view->runs ? view->n_runs : 1 };
  cdni_encode_model(&view->text, &m);
  return CDN_OK;
}

cdn_status cdni_view_send_opening(cdn_view *view, cdn_state *state, view_mode mode) {
  const view_run run = { .name = view->name, .rgba = { 0.6, 0.6, 0.6, 1 }, .from = cdn_state_time(state), .to = NAN };
  view->mode = mode;
  view->opened = true;
  cdni_keep_clear(view);
  if (view->link) cdni_link_clear_opening(view->link);
  cdni_encode_hello(&view->text, mode);
  CDNI_TRY(add_text(view));
  CDNI_TRY(add_looks(view));
  CDNI_TRY(cdni_view_encode_model(view, state, mode, &run));
  CDNI_TRY(add_text(view));
  return add_warnings(view, cdn_state_time(state));
}
