/* The public door to model files: choose the reader, build, and answer questions about what was read. */
#include "io/model.h"

#include <math.h>
#include <stdio.h>

#include "core/sized.h"
#include "io/xml.h"

CDNI_DEF(model_options, .strict = false);

/* ---- loading ---- */

static cdn_status read_document(cdn_model *model, io_xml_document *document) {
  io_description *d = &model->description;
  io_xml_node *root = io_xml_root(document);
  if (io_xml_is(root, "robot")) return io_read_urdf(d, root, &model->options);
  if (io_xml_is(root, "mujoco")) return io_read_mjcf(d, root, &model->options);
  return io_fail(d, CDN_ERR_PARSE, io_xml_line(root),
                 "the root element is <%.60s>; a model begins with <robot> (URDF) or <mujoco> (MJCF)",
                 io_xml_name(root));
}

/* strict: the whole list of what would be left out is the error. */
static cdn_status refuse_notes(io_description *d) {
  if (d->notes.count == 0) return CDN_OK;
  char list[400] = "";
  size_t used = 0;
  for (size_t i = 0; i < d->notes.count && used < sizeof list; i++) {
    const io_note *note = &CDNI_AT(d->notes, io_note, i);
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s (%d, line %d)", i ? ", " : "", note->element,
                             note->count, note->line);
  }
  return io_fail(d, CDN_ERR_UNSUPPORTED, CDNI_AT(d->notes, io_note, 0).line,
                 "not simulated, and strict reading was asked for: %s", list);
}

static cdn_status load(cdn_model *model, const char *path, const char *text, size_t size) {
  io_description *d = &model->description;
  if (d->error.code != CDN_OK) return d->error.code;
  io_xml_document *document = NULL;
  CDNI_TRY(path ? io_xml_open(d, path, &document) : io_xml_open_memory(d, text, size, &document));
  cdn_status status = read_document(model, document);
  io_xml_close(document);
  /* A failure to keep a warning or a note is one of the whole. */
  if (status == CDN_OK) status = d->error.code;
  if (status == CDN_OK && model->options.strict) status = refuse_notes(d);
  if (status == CDN_OK) status = io_build(model, d);
  return status == CDN_OK ? d->error.code : status;
}

/* Frees what only a success may show. */
static void drop_system(cdn_model *model) {
  if (model->q0) cdni_free(&model->allocator, model->q0, sizeof(double) * (size_t)cdn_system_nq(model->system));
  if (model->u0) cdni_free(&model->allocator, model->u0, sizeof(double) * (size_t)cdn_system_nu(model->system));
  model->q0 = model->u0 = NULL;
  cdn_system_release(model->system);
  model->system = NULL;
  cdni_array_free(&model->allocator, &model->joints);
  cdni_array_free(&model->allocator, &model->bodies);
  model->n_mobilizers = 0;
}

static cdn_status create_and_load(const char *name, const char *path, const char *text, size_t size,
                                  const cdn_model_options *options, cdn_model **out) {
  static const char function[] = "cdn_model_load";
  if (!out) return cdni_refuse(CDN_ERR_ARG, function, "where the model shall go is NULL");
  *out = NULL;
  cdn_model_options known;
  const char *unreadable = read_model_options(&known, options ? options : &model_options_defaults);
  const cdn_allocator allocator = cdni_allocator_or_default(known.allocator);
  cdn_model *model = cdni_calloc(&allocator, sizeof *model);
  if (!model) return cdni_refuse(CDN_ERR_NOMEM, function, "out of memory");
  *out = model;
  model->allocator = allocator;
  model->options = known;
  io_description_init(&model->description, allocator, name);
  cdn_status status;
  if (unreadable) status = io_fail(&model->description, CDN_ERR_VERSION, 0, "%s", unreadable);
  else if (!path && !text && size > 0)
    status = io_fail(&model->description, CDN_ERR_ARG, 0, "neither a path nor a text was given");
  else status = load(model, path, text, size);
  if (status == CDN_OK) return CDN_OK;
  model->error = model->description.error;
  cdni_error_tell(&model->error);
  drop_system(model);
  return status;
}

cdn_status cdn_model_load(const char *path, const cdn_model_options *options, cdn_model **out) {
  return create_and_load(path ? path : "(no path)", path, NULL, path ? 0 : 1, options, out);
}

cdn_status cdn_model_load_string(const char *text, size_t size, const char *name, const cdn_model_options *options,
                                 cdn_model **out) {
  return create_and_load(name ? name : "model", NULL, text, size, options, out);
}

void cdn_model_destroy(cdn_model *model) {
  if (!model) return;
  const cdn_allocator allocator = model->allocator;
  drop_system(model);
  io_description_free(&model->description);
  cdni_free(&allocator, model, sizeof *model);
}

void cdn_model_last_error_sized(const cdn_model *model, cdn_error *out, size_t size) {
  cdn_error none;
  if (!model) cdni_error_set(&none, CDN_ERR_ARG, "cdn_model_last_error", NULL, "there is no model");
  cdni_sized_write(out, size, model ? &model->error : &none, sizeof none);
}

/* ---- what was read ---- */

const cdn_system *cdn_model_system(const cdn_model *model) { return model ? model->system : NULL; }

const char *cdn_model_name(const cdn_model *model) {
  return model && model->description.name ? model->description.name : "";
}

int cdn_model_joint_count(const cdn_model *model) { return model ? (int)model->joints.count : 0; }

void cdn_model_joint_get_sized(const cdn_model *model, int i, cdn_model_joint *out, size_t size) {
  static const cdn_model_joint none = { .name = "", .kind = "", .body = "", .units = "", .first_q = -1, .first_u = -1 };
  const bool there = i >= 0 && i < cdn_model_joint_count(model);
  cdni_sized_write(out, size, there ? &CDNI_AT(model->joints, cdn_model_joint, i) : &none, sizeof none);
}

cdn_status cdn_model_bound_assembly(const cdn_model *model, cdn_assembly *assembly) {
  int joint = 0;
  if (!model || !model->system || !assembly)
    return cdni_refuse(CDN_ERR_ARG, "cdn_model_bound_assembly", "a model that was loaded, and an assembly, are needed");
  for (int i = 1; i < cdn_system_body_count(model->system);
       i++) { /* coordinates are in the order of bodies, and of joints */
    const cdn_body body = { i };
    if (cdn_body_nq(model->system, body) == 0) continue;
    const cdn_model_joint *j = &CDNI_AT(model->joints, cdn_model_joint, joint++);
    if (j->lower > -INFINITY || j->upper < INFINITY)
      CDNI_TRY(cdn_assembly_set_bounds(assembly, body, 0, j->lower, j->upper));
  }
  return CDN_OK;
}

int cdn_model_body_count(const cdn_model *model) { return model ? (int)model->bodies.count : 0; }

cdn_body cdn_model_body(const cdn_model *model, int i) {
  if (i < 0 || i >= cdn_model_body_count(model)) return (cdn_body){ -1 };
  return CDNI_AT(model->bodies, cdn_body, i);
}

int cdn_model_mobilizer_count(const cdn_model *model) { return model ? model->n_mobilizers : 0; }

int cdn_model_not_understood_count(const cdn_model *model) { return model ? (int)model->description.notes.count : 0; }

void cdn_model_not_understood_sized(const cdn_model *model, int i, cdn_model_note *out, size_t size) {
  cdn_model_note note = { .element = "" };
  if (i >= 0 && i < cdn_model_not_understood_count(model)) {
    const io_note *kept = &CDNI_AT(model->description.notes, io_note, i);
    note = (cdn_model_note){ kept->element, kept->count, kept->line };
  }
  cdni_sized_write(out, size, &note, sizeof note);
}

int cdn_model_warning_count(const cdn_model *model) { return model ? (int)model->description.warnings.count : 0; }

const char *cdn_model_warning(const cdn_model *model, int i) {
  if (i < 0 || i >= cdn_model_warning_count(model)) return "";
  return CDNI_AT(model->description.warnings, char *, i);
}

/* ---- keyframes ---- */

int cdn_model_key_count(const cdn_model *model) { return model ? (int)model->description.keys.count : 0; }

const char *cdn_model_key_name(const cdn_model *model, int i) {
  if (i < 0 || i >= cdn_model_key_count(model)) return "";
  return CDNI_AT(model->description.keys, io_key, i).name;
}

static const io_key *find_key(const cdn_model *model, const char *name) {
  for (int i = 0; i < cdn_model_key_count(model); i++) {
    const io_key *key = &CDNI_AT(model->description.keys, io_key, i);
    if (strcmp(key->name, name) == 0) return key;
  }
  return NULL;
}

static cdn_status no_such_key(cdn_model *model, const char *name) {
  char list[200] = "";
  for (int i = 0; i < cdn_model_key_count(model) && strlen(list) + 1 < sizeof list; i++) {
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", cdn_model_key_name(model, i));
  }
  return cdni_error_set(&model->error, CDN_ERR_ARG, "cdn_model_set_key", name, "%.120s: no keyframe '%.60s'; %s%s",
                        model->description.file, name, list[0] ? "there are: " : "the model has none", list);
}

cdn_status cdn_model_set_key(cdn_model *model, const char *name, cdn_state *state) {
  if (!model) return cdni_refuse(CDN_ERR_ARG, "cdn_model_set_key", "the model is NULL");
  if (!name || !state || !model->system || cdn_state_system(state) != model->system)
    return cdni_error_set(&model->error, CDN_ERR_ARG, "cdn_model_set_key", NULL,
                          "a name and a State of this model's System are needed");
  const io_key *key = find_key(model, name);
  if (!key) return no_such_key(model, name);
  cdn_status status = cdn_state_set_time(state, key->has_time ? key->time : 0);
  if (status == CDN_OK && cdn_system_nq(model->system) > 0)
    status = cdn_state_set_q(state, key->has_q ? key->q : model->q0);
  if (status == CDN_OK && cdn_system_nu(model->system) > 0)
    status = cdn_state_set_u(state, key->has_u ? key->u : model->u0);
  if (status != CDN_OK) cdn_state_last_error(state, &model->error);
  return status;
}
