/* What pages ask of a live run. */
#include <math.h>

#include <cardan/motion.h>

#include "io/model.h"
#include "view/live.h"

typedef const char *answer_fn(live *l, const json_t *request);

static bool is_at_end(live *l) { return l->state == LIVE_ENDED && !l->of_the_past; }

static const char *refuse_end(live *l) {
  return cdni_view_refuse(l->view, "the run has reached its end: go back, or reset");
}

static const char *run(live *l, const json_t *request) {
  (void)request;
  l->awaits = false;
  if (is_at_end(l)) return refuse_end(l);
  if (cdni_live_begin(l) != CDN_OK) return cdni_view_refuse_last(l->view);
  l->state = LIVE_RUNNING;
  return NULL;
}

static const char *stand_still(live *l, const json_t *request) {
  (void)request;
  l->steps_left = 0;
  if (l->state != LIVE_RUNNING) return NULL;
  l->state = LIVE_PAUSED;
  cdni_view_release(l->view, cdni_live_shown(l));
  l->view->stale = true;
  return NULL;
}

static const char *step(live *l, const json_t *request) {
  static const double most = 1e6;
  double n = 1;
  if (json_object_get(request, "n") && !cdni_request_number(l->view, request, "n", &n)) return l->view->message;
  if (!(n >= 1 && n <= most && n == floor(n)))
    return cdni_view_refuse(l->view, "'n' must be a whole number from 1 to %g", most);
  if (is_at_end(l)) return refuse_end(l);
  (void)stand_still(l, request);
  l->steps_left = (int64_t)n;
  l->awaits = false;
  return NULL;
}

/* A page has drawn the model: now somebody sees how it begins. */
static const char *begin_seen(live *l, const json_t *request) {
  (void)request;
  l->awaits = false;
  return NULL;
}

/* Begins anew from another State. */
static const char *begin_from(live *l, const cdn_state *from) {
  const live_state state = l->state;
  cdn_state *now = cdni_live_pose(l);
  if (cdn_state_copy(now, from) != CDN_OK) return cdni_view_refuse_last(l->view);
  cdni_drag_end(&l->drag);
  cdni_past_clear(&l->past);
  l->steps_left = 0;
  l->state = state == LIVE_RUNNING ? LIVE_RUNNING : LIVE_PAUSED;
  l->view->jumped = true;
  return cdni_past_keep(&l->past, now) == CDN_OK ? NULL : cdni_view_refuse_last(l->view);
}

static const char *reset(live *l, const json_t *request) {
  (void)request;
  cdni_control_table_regain(l->view->controls);
  const char *error = begin_from(l, l->view->initial);
  if (error) return error;
  cdni_live_begin_controls(l, l->now);
  cdni_live_begin_table(l);
  return NULL;
}

static const char *go_to_keyframe(live *l, const json_t *request) {
  const char *name = cdni_request_text(l->view, request, "name");
  cdn_model *model = l->view->picture.model;
  if (!name) return l->view->message;
  if (!model || cdn_model_key_count(model) == 0) return cdni_view_refuse(l->view, "the model has no keyframes");
  cdn_state *trial;
  if (cdn_state_create(l->view->picture.system, &trial) != CDN_OK) return cdni_view_refuse_last(l->view);
  const char *error = cdn_model_set_key(model, name, trial) == CDN_OK ? NULL : cdni_view_refuse_last(l->view);
  if (!error) error = cdni_assemble_anew(l->view, trial);
  if (!error) error = begin_from(l, trial);
  cdn_state_destroy(trial);
  return error;
}

static const char *set_speed(live *l, const json_t *request) {
  double value;
  if (!cdni_request_speed(l->view, request, &value)) return l->view->message;
  l->speed = value;
  l->note[0] = 0;
  l->window_clock = INFINITY; /* the measurement begins anew */
  l->window_time = INFINITY;
  return NULL;
}

static const char *set_accuracy(live *l, const json_t *request) {
  cdn_stepper_def def = l->def;
  if (!cdni_request_number(l->view, request, "value", &def.accuracy)) return l->view->message;
  def.fixed_step = 0;
  return cdni_live_change(l, def);
}

static const char *set_method(live *l, const json_t *request) {
  const char *name = cdni_request_text(l->view, request, "name");
  cdn_stepper_def def = l->def;
  if (!name) return l->view->message;
  for (int i = CDN_METHOD_DEFAULT; cdn_method_name((cdn_method)i); i++)
    if (strcmp(cdn_method_name((cdn_method)i), name) == 0) {
      def.method = (cdn_method)i;
      return cdni_live_change(l, def);
    }
  return cdni_view_refuse(l->view, "there is no method '%.40s'", name);
}

static const char *set_companion(live *l, const json_t *request) {
  const json_t *on = json_object_get(request, "on");
  cdn_stepper_def def = l->def;
  if (!json_is_boolean(on)) return cdni_view_refuse(l->view, "'on' must be true or false");
  def.companion = json_is_true(on);
  return def.companion == l->def.companion ? NULL : cdni_live_change(l, def);
}

static const char *set_contact(live *l, const json_t *request) {
  const char *name = cdni_request_text(l->view, request, "name");
  if (!name) return l->view->message;
  for (int i = 0; i < l->view->n_contacts; i++)
    if (strcmp(l->view->contacts[i], name) == 0) return i == l->view->contact ? NULL : cdni_live_change_contact(l, i);
  return cdni_view_refuse(l->view, "there is no law of contact '%.40s' to choose", name);
}

/* Goes on in equal steps that keep up with the clock. What they err by, nobody tells. */
static const char *set_preset(live *l, const json_t *request) {
  cdn_view *v = l->view;
  const char *name = cdni_request_text(v, request, "name");
  if (!name) return v->message;
  if (strcmp(name, "interactive") != 0)
    return cdni_view_refuse(v, "there is no preset '%.40s': there is 'interactive'", name);
  for (int i = 0; i < v->n_contacts; i++)
    if (strcmp(v->contacts[i], "soft") == 0 && i != v->contact && cdn_system_shape_count(v->picture.system) > 0) {
      const char *error = cdni_live_change_contact(l, i);
      if (error) return error;
    }
  cdn_stepper_def def = l->def;
  def.companion = false;
  io_interactive_steps(v->picture.model, v->picture.system, &def.method, &def.fixed_step);
  return cdni_live_change(l, def);
}

static const char *set_coordinate(live *l, const json_t *request) {
  int index;
  double value;
  if (!cdni_request_index(l->view, request, "index", (int)l->view->picture.coordinates.count, &index) ||
      !cdni_request_number(l->view, request, "value", &value))
    return l->view->message;
  const bool runs = l->state == LIVE_RUNNING;
  cdn_state *now = cdni_live_pose(l);
  const char *error = cdni_drag_coordinate(l->view, &l->drag, now, index, value);
  l->view->jumped = true;
  if (runs) l->state = LIVE_RUNNING;
  return error;
}

/* What constraints hold to it comes along; where that fails, it stays where it was. */
static const char *drag_mocap(live *l, cdn_state *now, cdn_body body, const json_t *request) {
  cdn_transform X_GB;
  if (cdn_body_pose(now, body, &X_GB) != CDN_OK) return cdni_view_refuse_last(l->view);
  const char *error = cdni_view_pull(l->view, now, request);
  if (!error) error = cdni_assemble_anew(l->view, now);
  if (error) (void)!cdn_mocap_set_pose(now, body, X_GB);
  return error;
}

static const char *pull(live *l, const json_t *request) {
  const bool runs = l->state == LIVE_RUNNING;
  cdn_vec3 station, target;
  cdn_body body;
  if (!cdni_request_pull(l->view, request, &body, &station, &target)) return l->view->message;
  const bool is_mocap = cdn_body_is_mocap(l->view->picture.system, body);
  if (runs && !is_mocap) return cdni_view_pull(l->view, cdni_live_edit(l), request);
  if (body.i == 0) return cdni_view_refuse(l->view, "Ground does not move");
  cdn_state *now = runs ? cdni_live_edit(l) : cdni_live_pose(l);
  l->view->jumped = l->view->jumped || !runs;
  return is_mocap ? drag_mocap(l, now, body, request)
                  : cdni_drag_station(l->view, &l->drag, now, body, station, target);
}

static const char *release(live *l, const json_t *request) {
  (void)request;
  cdni_drag_end(&l->drag);
  cdni_view_release(l->view, cdni_live_edit(l));
  return NULL;
}

static const char *seek(live *l, const json_t *request) {
  double time;
  if (!cdni_request_number(l->view, request, "time", &time)) return l->view->message;
  const cdn_state *past = cdni_past_nearest(&l->past, time);
  if (!past) return cdni_view_refuse(l->view, "nothing has been kept of the past");
  const cdn_state *last = l->stepper ? cdn_stepper_state(l->stepper) : NULL;
  (void)stand_still(l, request);
  cdni_drag_end(&l->drag);
  if (last && time >= cdn_state_time(last)) {
    l->of_the_past = false;
  } else if (cdn_state_copy(l->now, past) != CDN_OK) {
    return cdni_view_refuse_last(l->view);
  } else {
    l->of_the_past = true;
    cdni_view_release(l->view, l->now);
  }
  if (l->state == LIVE_FAILED || l->state == LIVE_ENDED) l->state = LIVE_PAUSED;
  l->view->jumped = l->view->stale = true;
  return NULL;
}

static const char *record(live *l, const json_t *request) {
  const json_t *on = json_object_get(request, "on");
  if (!json_is_boolean(on)) return cdni_view_refuse(l->view, "'on' must be true or false");
  return cdni_live_record(l, json_is_true(on));
}

/* ---- which is which ---- */

static const char *answer(live *l, const json_t *request) {
  static const struct {
    const char *type;
    answer_fn *answer;
    const char *ends; /* why the table of controls ends with it; NULL: it goes on */
  } answers[] = {
    { "run", run, NULL },
    { "pause", stand_still, NULL },
    { "reset", reset, NULL },
    { "step", step, NULL },
    { "speed", set_speed, NULL },
    { "accuracy", set_accuracy, "the accuracy was changed" },
    { "method", set_method, "the method was changed" },
    { "contact", set_contact, "the law of contact was changed" },
    { "perturb", pull, "a body was moved by hand" },
    { "keyframe", go_to_keyframe, "the run went to a keyframe" },
    { "seek", seek, NULL },
    { "record", record, NULL },
    { "release", release, NULL },
    { "coordinate", set_coordinate, "a coordinate was set" },
    { "companion", set_companion, "the run began anew" },
    { "drawn", begin_seen, NULL },
    { "preset", set_preset, "the steps were changed" },
    { "control", cdni_live_set_control, NULL },
  };
  const char *type = json_string_value(json_object_get(request, "type"));
  if (!type) return cdni_view_refuse(l->view, "a request has a type");
  for (int i = 0; i < CDNI_COUNT(answers); i++)
    if (strcmp(answers[i].type, type) == 0) {
      const char *refused = answers[i].answer(l, request);
      if (!refused && answers[i].ends) cdni_live_end_table(l, answers[i].ends);
      return refused;
    }
  /* what changes the State changes it from here on */
  const bool changes = strcmp(type, "parameter") == 0;
  bool known;
  cdn_state *state = changes ? cdni_live_edit(l) : cdni_live_shown(l);
  const char *error = cdni_view_answer(l->view, state, type, request, &known);
  if (!known) return cdni_view_refuse(l->view, "there is no request '%.40s'", type);
  if (strcmp(type, "layers") == 0 || strcmp(type, "plots") == 0) l->view->stale = true;
  if (changes && !error) cdni_live_end_table(l, "a parameter was changed");
  return error;
}

/* Whether the second makes the first superfluous: a mouse that moves sends many. */
static bool replaces(const json_t *a, const json_t *b) {
  const char *type = json_string_value(json_object_get(a, "type")),
             *next = json_string_value(json_object_get(b, "type"));
  if (!type || !next || strcmp(type, next) != 0) return false;
  if (strcmp(type, "coordinate") == 0) return json_equal(json_object_get(a, "index"), json_object_get(b, "index"));
  return strcmp(type, "perturb") == 0 && json_equal(json_object_get(a, "body"), json_object_get(b, "body")) &&
         json_equal(json_object_get(a, "station"), json_object_get(b, "station"));
}

void cdni_live_answer_all(live *l) {
  enum { MOST = 200 }; /* so that a flood does not stop the run */
  json_t *request = cdni_view_next(l->view, 0);
  for (int i = 0; request && i < MOST; i++) {
    json_t *next = cdni_view_next(l->view, 0);
    const char *error = next && replaces(request, next) ? NULL : answer(l, request);
    cdni_view_reply(l->view, request, error);
    json_decref(request);
    request = next;
  }
  if (request) cdni_view_unread(l->view, request);
}
