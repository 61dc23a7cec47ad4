/* What pages ask for, as far as every view can do it. */
#include "view/internal.h"

#include <math.h>
#include <stdarg.h>

#include <cardan/motion.h>

#include "core/sized.h"

/* ---- where they come from ---- */

json_t *cdni_view_next(cdn_view *view, double timeout) {
  json_t *request = view->next;
  view->next = NULL;
  if (request) return request;
  if (json_array_size(view->scripted) > 0) {
    request = json_incref(json_array_get(view->scripted, 0));
    json_array_remove(view->scripted, 0);
    return request;
  }
  return view->link ? cdni_link_next(view->link, timeout) : NULL;
}

void cdni_view_unread(cdn_view *view, json_t *request) { view->next = request; }

cdn_status cdni_view_script(cdn_view *view, json_t *request) {
  return json_array_append_new(view->scripted, request) == 0 ? CDN_OK : CDN_ERR_NOMEM;
}

void cdni_view_reply(cdn_view *view, const json_t *request, const char *error) {
  const json_t *id = json_object_get(request, "id");
  if (view->link) cdni_link_reply(view->link, request, error);
  if (!view->sink.text || !json_is_number(id)) return;
  cdni_text_clear(&view->text);
  cdni_text_open(&view->text, NULL, '{');
  cdni_text_string(&view->text, "type", "reply");
  cdni_text_number(&view->text, "to", json_number_value(id));
  cdni_text_string(&view->text, "error", error);
  cdni_text_close(&view->text, '}');
  view->sink.text(view->sink.context, LINK_QUEUE, cdni_text(&view->text));
}

const char *cdni_view_refuse(cdn_view *view, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cdni_vprint(view->message, sizeof view->message, format, args);
  va_end(args);
  return view->message;
}

const char *cdni_view_refuse_last(cdn_view *view) {
  cdn_error error;
  cdn_last_error(&error);
  return cdni_view_refuse(view, "%s", error.code == CDN_OK ? "that failed" : error.text);
}

/* ---- members ---- */

/* Beyond it, squares and cubes of numbers overflow. */
static const double MOST_NUMBER = 1e100;

static bool is_good_number(const json_t *value) {
  return json_is_number(value) && fabs(json_number_value(value)) <= MOST_NUMBER;
}

bool cdni_request_number(cdn_view *view, const json_t *request, const char *key, double *out) {
  const json_t *value = json_object_get(request, key);
  *out = json_number_value(value);
  if (is_good_number(value)) return true;
  cdni_view_refuse(view, "'%s' must be a number from %g to %g", key, -MOST_NUMBER, MOST_NUMBER);
  return false;
}

bool cdni_request_speed(cdn_view *view, const json_t *request, double *out) {
  static const double slowest = 1e-9, fastest = 1e9;
  if (!cdni_request_number(view, request, "value", out)) return false;
  if (*out == 0 || (*out >= slowest && *out <= fastest)) return true;
  cdni_view_refuse(view, "'value' must be 0 (as fast as it goes), or from %g to %g times real time", slowest, fastest);
  return false;
}

static bool read_index(cdn_view *view, const json_t *value, const char *key, int n, int *out) {
  const double x = json_number_value(value);
  *out = -1;
  if (is_good_number(value) && x >= 0 && x < n && x == floor(x)) *out = (int)x;
  else if (n > 0) cdni_view_refuse(view, "'%s' must be a whole number from 0 to %d", key, n - 1);
  else cdni_view_refuse(view, "'%s': the model has none", key);
  return *out >= 0;
}

bool cdni_request_index(cdn_view *view, const json_t *request, const char *key, int n, int *out) {
  return read_index(view, json_object_get(request, key), key, n, out);
}

bool cdni_request_vector(cdn_view *view, const json_t *request, const char *key, cdn_vec3 *out) {
  const json_t *list = json_object_get(request, key);
  double x[3] = { 0 };
  bool good = json_array_size(list) == 3;
  for (size_t k = 0; k < 3 && good; k++) {
    good = is_good_number(json_array_get(list, k));
    x[k] = json_number_value(json_array_get(list, k));
  }
  *out = cdn_v3(x[0], x[1], x[2]);
  if (!good)
    cdni_view_refuse(view, "'%s' must be a list of three numbers, each from %g to %g", key, -MOST_NUMBER, MOST_NUMBER);
  return good;
}

bool cdni_request_pull(cdn_view *view, const json_t *request, cdn_body *body, cdn_vec3 *station, cdn_vec3 *target) {
  return cdni_request_index(view, request, "body", cdn_system_body_count(view->picture.system), &body->i) &&
         cdni_request_vector(view, request, "station", station) && cdni_request_vector(view, request, "target", target);
}

const char *cdni_request_text(cdn_view *view, const json_t *request, const char *key) {
  const char *text = json_string_value(json_object_get(request, key));
  if (!text) cdni_view_refuse(view, "'%s' must be a text", key);
  return text;
}

/* ---- what every view does ---- */

typedef const char *answer_fn(cdn_view *view, cdn_state *state, const json_t *request);

static const char *set_layers(cdn_view *view, cdn_state *state, const json_t *request) {
  int mask;
  (void)state;
  if (!cdni_request_index(view, request, "mask", CDN_LAYER_ALL + 1, &mask)) return view->message;
  cdn_scene_set_layers(view->picture.scene, (uint32_t)mask);
  return NULL;
}

static const char *select_body(cdn_view *view, cdn_state *state, const json_t *request) {
  const json_t *body = json_object_get(request, "body");
  int i = -1;
  if (!json_is_null(body) &&
      !cdni_request_index(view, request, "body", cdn_system_body_count(view->picture.system), &i))
    return view->message;
  cdni_reader_select(view, request, (cdn_body){ i });
  view->stale = true;
  cdni_encode_selected(&view->text, state, (cdn_body){ i });
  // not by the slot: what another page has just selected shall not take its place
  return cdni_view_send(view, LINK_QUEUE) == CDN_OK ? NULL : cdni_view_refuse_last(view);
}

static const char *set_plots(cdn_view *view, cdn_state *state, const json_t *request) {
  const json_t *list = json_object_get(request, "series");
  const size_t n = json_array_size(list);
  int plots[VIEW_PLOTS];
  (void)state;
  if (!json_is_array(list) || n > VIEW_PLOTS)
    return cdni_view_refuse(view, "'series' must be a list of at most %d numbers", VIEW_PLOTS);
  for (size_t i = 0; i < n; i++)
    if (!read_index(view, json_array_get(list, i), "series", (int)view->picture.series.count, &plots[i]))
      return view->message;
  if (cdni_reader_plot(view, request, plots, (int)n)) return NULL;
  return cdni_view_refuse(view, "all pages together plot at most %d series", VIEW_PLOTS);
}

static const char *set_control(cdn_view *view, cdn_state *state, const json_t *request) {
  int i;
  double value;
  if (!cdni_request_index(view, request, "index", cdn_system_control_count(view->picture.system), &i) ||
      !cdni_request_number(view, request, "value", &value))
    return view->message;
  view->stale = true;
  return cdn_control_set(state, (cdn_control){ i }, value) == CDN_OK ? NULL : cdni_view_refuse_last(view);
}

static bool read_element(cdn_view *view, const json_t *request, cdn_element_type *type, int *element) {
  const char *name = cdni_request_text(view, request, "element_type");
  int i = 0;
  while (name && i < CDN_ELEMENT_COUNT && strcmp(name, cdn_element_type_name((cdn_element_type)i)) != 0) i++;
  if (name && i == CDN_ELEMENT_COUNT) cdni_view_refuse(view, "there is no type '%.64s' of elements", name);
  *type = (cdn_element_type)i;
  if (!name || i == CDN_ELEMENT_COUNT ||
      !cdni_request_index(view, request, "element", cdn_element_count(view->picture.system, *type), element))
    return false;
  if (*type != CDN_ELEMENT_FORCE || *element != view->picture.pull.i) return true;
  cdni_view_refuse(view, "this force is the hand: drag a body instead");
  return false;
}

static const char *tell_parameters(cdn_view *view, cdn_state *state, const json_t *request) {
  cdn_element_type type;
  int element;
  if (!read_element(view, request, &type, &element)) return view->message;
  if (!cdni_encode_parameters(&view->text, state, type, element))
    return cdni_view_refuse(view, "this element has no parameters");
  return cdni_view_send(view, LINK_QUEUE) == CDN_OK ? NULL : cdni_view_refuse_last(view);
}

static const char *set_parameter(cdn_view *view, cdn_state *state, const json_t *request) {
  cdn_element_type type;
  int element, k;
  double value;
  if (!read_element(view, request, &type, &element)) return view->message;
  const int n = cdn_element_parameter_count(view->picture.system, type, element);
  if (!cdni_request_index(view, request, "index", n, &k) || !cdni_request_number(view, request, "value", &value))
    return view->message;
  if (cdn_element_set_parameters(state, type, element, k, 1, &value) != CDN_OK) return cdni_view_refuse_last(view);
  return NULL;
}

/* A mocap body is where it is put: the station comes to the target, and the body does not turn. */
static const char *put_mocap(cdn_view *view, cdn_state *state, cdn_body body, cdn_vec3 station, cdn_vec3 target) {
  cdn_transform X_GB;
  cdn_status status = cdn_body_pose(state, body, &X_GB);
  X_GB.p = cdn_sub(target, cdn_rotate(X_GB.R, station));
  if (status == CDN_OK) status = cdn_mocap_set_pose(state, body, X_GB);
  return status == CDN_OK ? NULL : cdni_view_refuse_last(view);
}

const char *cdni_view_pull(cdn_view *view, cdn_state *state, const json_t *request) {
  const cdn_force force = view->picture.pull;
  cdn_vec3 station, target;
  cdn_perturbation held;
  cdn_body body;
  if (!cdni_request_pull(view, request, &body, &station, &target)) return view->message;
  if (cdn_body_is_mocap(view->picture.system, body)) return put_mocap(view, state, body, station, target);
  if (force.i < 0)
    return cdni_view_refuse(view, "this System has no pull: call cdn_system_add_perturbation before freezing it");
  if (cdn_perturbation_get(state, force, &held) != CDN_OK) return cdni_view_refuse_last(view);
  const bool is_same = held.body.i == body.i && cdn_norm(cdn_sub(held.p_B, station)) == 0;
  const cdn_status status = is_same ? cdn_perturbation_move(state, force, target)
                                    : cdn_perturbation_begin(state, force, body, station, target);
  return status == CDN_OK ? NULL : cdni_view_refuse_last(view);
}

void cdni_view_release(cdn_view *view, cdn_state *state) {
  if (view->picture.pull.i >= 0) (void)!cdn_perturbation_end(state, view->picture.pull);
}

static const char *release(cdn_view *view, cdn_state *state, const json_t *request) {
  (void)request;
  cdni_view_release(view, state);
  return NULL;
}

const char *cdni_view_answer(cdn_view *view, cdn_state *state, const char *type, const json_t *request, bool *known) {
  static const struct {
    const char *type;
    answer_fn *answer;
  } answers[] = {
    { "layers", set_layers },
    { "select", select_body },
    { "plots", set_plots },
    { "control", set_control },
    { "parameters", tell_parameters },
    { "parameter", set_parameter },
    { "perturb", cdni_view_pull },
    { "release", release },
  };
  for (int i = 0; i < CDNI_COUNT(answers); i++) {
    if (strcmp(answers[i].type, type) != 0) continue;
    *known = true;
    return answers[i].answer(view, state, request);
  }
  *known = false;
  return NULL;
}

/* ---- a program's own loop ---- */

static const char *wish(cdn_view *view, const char *type, const json_t *request) {
  cdn_view_wishes *w = &view->wishes;
  double number = 1;
  if (strcmp(type, "run") == 0) w->paused = false;
  else if (strcmp(type, "pause") == 0) w->paused = true;
  else if (strcmp(type, "reset") == 0) w->reset = view->jumped = true;
  else if (strcmp(type, "step") == 0) {
    if (json_object_get(request, "n") && !cdni_request_number(view, request, "n", &number)) return view->message;
    if (!(number >= 1 && number <= 1e6)) return cdni_view_refuse(view, "'n' must be 1 to 1000000");
    w->paused = true;
    w->steps += (int)number;
  } else if (strcmp(type, "speed") == 0) {
    if (!cdni_request_speed(view, request, &number)) return view->message;
    w->speed = number;
  } else return cdni_view_refuse(view, "the program decides what comes: it does not do '%.40s'", type);
  return NULL;
}

cdn_status cdn_view_poll_sized(cdn_view *view, cdn_state *state, double timeout, cdn_view_wishes *out, size_t size) {
  static const char function[] = "cdn_view_poll";
  CDNI_NEED_OBJECT(view, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  if (cdn_state_system(state) != view->picture.system)
    return cdni_refuse(CDN_ERR_ARG, function, "the State belongs to another System than the view");
  if (!(timeout >= 0) || !isfinite(timeout))
    return cdni_refuse(CDN_ERR_ARG, function, "the timeout is %g s: it must be finite and not negative", timeout);
  for (json_t *request; (request = cdni_view_next(view, timeout)) != NULL; timeout = 0) {
    const char *type = json_string_value(json_object_get(request, "type"));
    bool known = false;
    const char *error = type ? cdni_view_answer(view, state, type, request, &known) : "a request has a type";
    if (type && !known) error = wish(view, type, request);
    cdni_view_reply(view, request, error);
    json_decref(request);
    view->last_frame = -INFINITY;
  }
  view->wishes.stopped = atomic_load(&view->stop);
  cdni_sized_write(out, size, &view->wishes, sizeof view->wishes);
  view->wishes.steps = 0;
  view->wishes.reset = false;
  return CDN_OK;
}
