/* A live run without a server. */
#include "view_rig.h"

double live_rig_clock, live_rig_tick = 1.0 / 60;

static double tell_clock(void) { return live_rig_clock; }

/* ---- decoding ---- */

static const void *take(const unsigned char **at, const unsigned char *end, size_t n) {
  const void *here = *at;
  ck_assert_msg((size_t)(end - *at) >= n, "the frame ends too early");
  *at += n;
  return here;
}

void frame_read(const void *bytes, size_t n, read_frame *out) {
  const unsigned char *at = bytes, *end = at + n;
  uint32_t kind;
  memset(out, 0, sizeof *out);
  memcpy(&kind, take(&at, end, 4), 4);
  ck_assert_uint_eq(kind, 1);
  memcpy(&out->run, take(&at, end, 4), 4);
  memcpy(&out->time, take(&at, end, 8), 8);
  memcpy(&out->number, take(&at, end, 4), 4);
  memcpy(&out->bodies, take(&at, end, 4), 4);
  memcpy(&out->values, take(&at, end, 4), 4);
  memcpy(&out->marks, take(&at, end, 4), 4);
  memcpy(&out->text_bytes, take(&at, end, 4), 4);
  memcpy(&out->flags, take(&at, end, 4), 4);
  ck_assert_uint_le(out->values, VIEW_PLOTS);
  memcpy(out->value, take(&at, end, 8 * out->values), 8 * out->values);
  for (uint32_t b = 0; b < out->bodies; b++) {
    const void *pose = take(&at, end, 28);
    if (b < 64) memcpy(out->pose[b], pose, 28);
  }
  for (uint32_t i = 0; i < out->marks; i++) {
    const void *mark = take(&at, end, 72);
    if (i < 64) memcpy(&out->mark[i], mark, 72);
  }
  ck_assert_uint_lt(out->text_bytes, sizeof out->text);
  memcpy(out->text, take(&at, end, out->text_bytes), out->text_bytes);
  ck_assert_msg(at == end, "the frame has %td bytes too many", end - at);
}
_Static_assert(sizeof((read_frame){ 0 }.mark[0]) == 72, "a mark has 72 bytes");

/* ---- what the view sends ---- */

static void keep_frame(void *context, const void *bytes, size_t n) {
  view_rig *r = context;
  r->frames++;
  frame_read(bytes, n, &r->frame);
}

static void keep_text(void *context, cdni_link_slot slot, const char *text) {
  view_rig *r = context;
  json_error_t error;
  json_t *json = json_loads(text, 0, &error);
  ck_assert_msg(json != NULL, "%s in %s", error.text, text);
  const char *type = text_of(json, "type");
  json_t **kept = strcmp(type, "hello") == 0        ? &r->hello
                  : strcmp(type, "model") == 0      ? &r->model_text
                  : strcmp(type, "status") == 0     ? &r->status
                  : strcmp(type, "selected") == 0   ? &r->selected
                  : strcmp(type, "values") == 0     ? &r->values
                  : strcmp(type, "parameters") == 0 ? &r->parameters
                  : strcmp(type, "event") == 0      ? &r->event
                  : strcmp(type, "reply") == 0      ? &r->reply
                                                    : NULL;
  ck_assert_msg(kept != NULL, "a text of type %s", type);
  ck_assert_int_eq(slot, kept == &r->status     ? LINK_STATUS
                         : kept == &r->selected ? (slot == LINK_QUEUE ? LINK_QUEUE : LINK_SELECTED)
                         : kept == &r->values   ? LINK_VALUES
                                                : LINK_QUEUE);
  if (kept == &r->event) r->events++;
  json_decref(*kept);
  *kept = json;
}

static void keep_opening(void *context, bool is_text, const void *bytes, size_t n) {
  view_rig *r = context;
  if (!is_text) {
    const uint32_t kind = *(const uint32_t *)bytes;
    ck_assert(kind == 2 || kind == 5);
    r->meshes += kind == 2;
    return;
  }
  ck_assert_uint_eq(strlen(bytes), n);
  keep_text(context, LINK_QUEUE, bytes);
}

/* ---- life ---- */

void live_rig_begin(view_rig *r) {
  memset(r, 0, sizeof *r);
  cdn_system_def def = cdn_default_system_def();
  def.allocator = allocator_of(&r->memory);
  def.name = "rig";
  def.audit = true; /* who reads what it did not declare fails */
  r->system = cdn_system_create(&def);
  r->pull.i = -1;
  r->def = cdn_default_view_def();
  r->def.serve = false;
  live_rig_clock = 1000;
}

void live_rig_load(view_rig *r, const char *text, cdn_model_contact contact) {
  live_rig_begin(r);
  cdn_spec *spec;
  cdn_model_options options = cdn_default_model_options();
  options.contact = contact;
  OK(cdn_spec_load_string(text, strlen(text), "test", &options, &spec));
  OK(cdn_model_build(spec, &options, r->system, &r->model));
  cdn_spec_destroy(spec);
  r->pull = cdn_system_add_perturbation(r->system, NULL);
  r->def.model = r->model;
}

void live_rig_freeze(view_rig *r) {
  if (!cdn_system_is_frozen(r->system)) OK_FREEZE(r->system);
  OK(cdn_state_create(r->system, &r->state));
}

void live_rig_open(view_rig *r) {
  if (!r->state) live_rig_freeze(r);
  cdn_status status = cdn_view_open(r->state, &r->def, &r->view);
  ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
  r->view->sink = (view_sink){ keep_frame, keep_text, keep_opening, r };
  r->view->clock = tell_clock;
}

void live_rig_run(view_rig *r, const cdn_stepper_def *def) {
  cdn_stepper_def d = cdn_default_stepper_def();
  d.companion = true;
  if (!r->view) live_rig_open(r);
  OK(cdni_live_open(r->view, def ? def : &d, &r->live));
}

void live_rig_drop(view_rig *r) {
  cdni_live_close(r->live);
  cdn_view_close(r->view);
  cdn_state_destroy(r->state);
  cdn_model_destroy(r->model);
  cdn_system_release(r->system);
  json_t *kept[] = { r->hello, r->model_text, r->status, r->selected, r->values, r->parameters, r->event, r->reply };
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) json_decref(kept[i]);
  ck_assert_int_eq(r->memory.outstanding, 0);
  ck_assert_int_eq(r->memory.misuse, 0);
}

/* ---- turns ---- */

void live_rig_turn(view_rig *r) {
  live_rig_clock += live_rig_tick;
  (void)cdni_live_turn(r->live);
}

void live_rig_turns(view_rig *r, int n) {
  for (int i = 0; i < n; i++) live_rig_turn(r);
}

const char *live_rig_ask(view_rig *r, json_t *request) {
  static int id;
  ck_assert_ptr_nonnull(request);
  json_object_set_new(request, "id", json_integer(++id));
  OK(cdni_view_script(r->view, request));
  live_rig_turn(r);
  ck_assert_ptr_nonnull(r->reply);
  ck_assert_int_eq((int)number_of(r->reply, "to"), id);
  return json_string_value(json_object_get(r->reply, "error"));
}

double number_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  ck_assert_msg(json_is_number(value), "'%s' is no number", key);
  return json_number_value(value);
}

const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  ck_assert_msg(text != NULL, "'%s' is no text", key);
  return text;
}

double live_rig_time(view_rig *r) { return cdn_state_time(cdni_live_shown(r->live)); }
