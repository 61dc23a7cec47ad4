/* The public door to model files: choose the reader, make a spec, build it into a System. */
#include "io/model.h"

#include <math.h>
#include <stdio.h>

#include "core/sized.h"
#include "io/spec_fields.h"
#include "io/xml.h"
#include "system/system.h"

CDNI_DEF(model_options, .contact = CDN_MODEL_COMPLIANT, .contact_dissipation = -1,
         .contact_friction = CDN_FRICTION_STICKING, .ground_height = NAN, .hull_tolerance = 5e-4);

/* ---- from a file to a spec ------------------------------------------------------------------- */

static cdn_status read_document(cdn_spec *spec, const cdn_model_options *options, io_xml_document *document) {
  io_xml_node *root = io_xml_root(document);
  if (io_xml_is(root, "robot")) return io_read_urdf(spec, root, options);
  if (io_xml_is(root, "mujoco")) return io_read_mjcf(spec, root, options);
  return io_fail(&spec->log, CDN_ERR_PARSE, io_xml_line(root),
                 "the root element is <%.60s>; a model begins with <robot> (URDF) or <mujoco> (MJCF)",
                 io_xml_name(root));
}

/* strict: the error lists everything that would be left out. */
static cdn_status refuse_notes(io_log *log) {
  if (log->notes.count == 0) return CDN_OK;
  char list[400] = "";
  size_t used = 0;
  for (size_t i = 0; i < log->notes.count && used < sizeof list; i++) {
    const io_note *note = &CDNI_AT(log->notes, io_note, i);
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s (%d, line %d)", i ? ", " : "", note->element,
                             note->count, note->line);
  }
  return io_fail(log, CDN_ERR_UNSUPPORTED, CDNI_AT(log->notes, io_note, 0).line,
                 "not simulated, and strict reading was asked for: %s", list);
}

/* The source: a path, or a text of some size. */
typedef struct source {
  const char *name, *path, *text;
  size_t size;
} source;

static cdn_status read_xml(cdn_spec *spec, const char *text, size_t size, const cdn_model_options *options) {
  io_xml_document *document = NULL;
  CDNI_TRY(io_xml_open_memory(&spec->log, text, size, &document));
  const cdn_status status = read_document(spec, options, document);
  io_xml_close(document);
  return status;
}

/* JSON begins with a brace. */
static cdn_status read_text(cdn_spec *spec, const char *text, size_t size, const cdn_model_options *options) {
  size_t k = 0;
  while (k < size && strchr(" \t\r\n", text[k])) k++;
  return k < size && text[k] == '{' ? io_read_json(spec, text, size) : read_xml(spec, text, size, options);
}

static cdn_status read_file(cdn_spec *spec, const char *path, const cdn_model_options *options) {
  cdni_array text = { 0 };
  cdn_status status = io_read_text(&spec->log, path, &text);
  if (status == CDN_OK) status = read_text(spec, text.data, text.count, options);
  cdni_array_free(&spec->log.allocator, &text);
  return status;
}

static cdn_status read_source(cdn_spec *spec, const source *from, const cdn_model_options *options) {
  io_log *log = &spec->log;
  if (log->error.code != CDN_OK) return log->error.code;
  if (!from->path && !from->text && from->size > 0)
    return io_fail(log, CDN_ERR_ARG, 0, "neither a path nor a text was given");
  cdn_status status =
      from->path ? read_file(spec, from->path, options) : read_text(spec, from->text, from->size, options);
  /* A failure to keep a warning or a note is one of the whole. */
  if (status == CDN_OK) status = log->error.code;
  if (status == CDN_OK && options->strict) status = refuse_notes(log);
  if (status != CDN_OK) io_spec_clear(spec);
  return status;
}

static io_files files_of(const cdn_model_options *options) {
  return (io_files){ options->read_file, options->read_file_user };
}

/* `unreadable`: why the options cannot be read, or NULL. */
static cdn_status load_spec(const source *from, const cdn_model_options *options, const char *unreadable,
                            cdn_spec **out) {
  cdn_spec *spec = *out = io_spec_start(options->allocator, from->name);
  if (!spec) return CDN_ERR_NOMEM;
  spec->whole.from_file = true;
  spec->log.files = files_of(options);
  return unreadable ? io_fail(&spec->log, CDN_ERR_VERSION, 0, "%s", unreadable) : read_source(spec, from, options);
}

static cdn_status load_public_spec(source from, const cdn_model_options *options, const char *function,
                                   cdn_spec **out) {
  if (!out) return cdni_refuse(CDN_ERR_ARG, function, "where the spec shall go is NULL");
  cdn_model_options known;
  const char *unreadable = read_model_options(&known, options ? options : &model_options_defaults);
  const cdn_status status = load_spec(&from, &known, unreadable, out);
  if (!*out) return cdni_refuse(status, function, "out of memory");
  if (status == CDN_OK) return CDN_OK;
  (*out)->log.error.function = function;
  cdni_error_tell(&(*out)->log.error);
  return status;
}

static source of_path(const char *path) {
  return (source){ .name = path ? path : "(no path)", .path = path, .size = path ? 0 : 1 };
}

cdn_status cdn_spec_load(const char *path, const cdn_model_options *options, cdn_spec **out) {
  return load_public_spec(of_path(path), options, "cdn_spec_load", out);
}

cdn_status cdn_spec_load_string(const char *text, size_t size, const char *name, const cdn_model_options *options,
                                cdn_spec **out) {
  return load_public_spec((source){ name ? name : "model", NULL, text, size }, options, "cdn_spec_load_string", out);
}

/* ---- from a spec to a System ----------------------------------------------------------------- */

cdn_status cdn_model_get_hulls_sized(const cdn_model *model, cdn_model_hull_info *out, size_t size) {
  static const char function[] = "cdn_model_get_hulls";
  if (!model) return cdni_misses(function, "model");
  if (!out) return cdni_misses(function, "out");
  cdni_sized_write(out, size, &model->hulls, sizeof model->hulls);
  return CDN_OK;
}

static cdn_model *create(const cdn_model_options *options) {
  const cdn_allocator allocator = cdni_allocator_or_default(options->allocator);
  cdn_model *model = cdni_calloc(&allocator, sizeof *model);
  if (!model) return NULL;
  model->allocator = allocator;
  model->options = *options;
  return model;
}

/* Frees the results that only a success may show. */
static void drop_system(cdn_model *model) {
  cdni_array *arrays[] = { &model->joints,      &model->joint_bodies, &model->bodies,
                           &model->spec_bodies, &model->measures,     &model->actuators };
  cdn_system_release(model->system);
  model->system = NULL;
  for (int i = 0; i < CDNI_COUNT(arrays); i++) cdni_array_free(&model->allocator, arrays[i]);
  model->n_mobilizers = 0;
}

static cdn_status finish(cdn_model *model, cdn_status status, const char *function) {
  if (status == CDN_OK) return CDN_OK;
  if (model->spec) model->error = model->spec->log.error;
  else cdni_error_set(&model->error, status, function, NULL, "out of memory");
  model->error.function = function;
  cdni_error_tell(&model->error);
  drop_system(model);
  return status;
}

/* Into a System of the caller's, which does not freeze if that fails. */
static cdn_status build_into(cdn_model *model, cdn_system *system, const char *function) {
  io_log *log = &model->spec->log;
  if (!system) return io_fail(log, CDN_ERR_ARG, 0, "there is no System to add the model to");
  if (cdn_system_is_frozen(system))
    return io_fail(log, CDN_ERR_FROZEN, 0, "the System is frozen; add the model before cdn_system_freeze");
  cdn_error earlier;
  cdn_system_last_error(system, &earlier);
  if (earlier.code != CDN_OK)
    return io_fail(log, earlier.code, 0, "the System has a mistake already: %s", earlier.text);
  const cdn_status status = io_build(model, system);
  if (status != CDN_OK) cdni_system_fail(system, status, function, NULL, "%s", log->error.text);
  return status;
}

/* A model whose spec is a copy. */
static cdn_status build_copy(const cdn_spec *spec, cdn_model *model, const char *unreadable, cdn_system *system,
                             const char *function) {
  cdn_status status = cdn_spec_copy(spec, &model->spec);
  if (status == CDN_OK && unreadable) status = io_fail(&model->spec->log, CDN_ERR_VERSION, 0, "%s", unreadable);
  if (status == CDN_OK && model->options.read_file) model->spec->log.files = files_of(&model->options);
  if (status == CDN_OK) status = build_into(model, system, function);
  return finish(model, status, function);
}

cdn_status io_build_again(const cdn_model *model, const cdn_model_options *options, cdn_system *system,
                          cdn_model **out) {
  static const char function[] = "cdn_model_build";
  if (!(*out = create(options))) return cdni_refuse(CDN_ERR_NOMEM, function, "out of memory");
  (*out)->keeps_read = true;
  return build_copy(model->spec, *out, NULL, system, function);
}

cdn_status cdn_model_build(const cdn_spec *spec, const cdn_model_options *options, cdn_system *system,
                           cdn_model **out) {
  static const char function[] = "cdn_model_build";
  if (out) *out = NULL;
  if (!spec || !out) return cdni_refuse(CDN_ERR_ARG, function, "the spec, or where the model shall go, is NULL");
  cdn_model_options known;
  const char *unreadable = read_model_options(&known, options ? options : &model_options_defaults);
  cdn_model *model = *out = create(&known);
  if (!model) return cdni_refuse(CDN_ERR_NOMEM, function, "out of memory");
  return build_copy(spec, model, unreadable, system, function);
}

cdn_status cdn_model_load_into(const char *path, const cdn_model_options *options, cdn_system *system,
                               cdn_model **out) {
  static const char function[] = "cdn_model_load_into";
  if (!out) return cdni_refuse(CDN_ERR_ARG, function, "where the model shall go is NULL");
  *out = NULL;
  cdn_model_options known;
  const char *unreadable = read_model_options(&known, options ? options : &model_options_defaults);
  cdn_model *model = *out = create(&known);
  if (!model) return cdni_refuse(CDN_ERR_NOMEM, function, "out of memory");
  const source from = of_path(path);
  cdn_status status = load_spec(&from, &known, unreadable, &model->spec);
  if (status == CDN_OK) status = build_into(model, system, function);
  return finish(model, status, function);
}

/* ---- in one call ----------------------------------------------------------------------------- */

static cdn_status load_frozen(source from, const cdn_model_options *options, const char *function, cdn_model **out) {
  if (!out) return cdni_refuse(CDN_ERR_ARG, function, "where the model shall go is NULL");
  *out = NULL;
  cdn_model_options known;
  const char *unreadable = read_model_options(&known, options ? options : &model_options_defaults);
  cdn_model *model = *out = create(&known);
  if (!model) return cdni_refuse(CDN_ERR_NOMEM, function, "out of memory");
  cdn_status status = load_spec(&from, &known, unreadable, &model->spec);
  if (status == CDN_OK) status = io_build_frozen(model);
  return finish(model, status, function);
}

cdn_status cdn_model_load(const char *path, const cdn_model_options *options, cdn_model **out) {
  return load_frozen(of_path(path), options, "cdn_model_load", out);
}

cdn_status cdn_model_load_string(const char *text, size_t size, const char *name, const cdn_model_options *options,
                                 cdn_model **out) {
  return load_frozen((source){ name ? name : "model", NULL, text, size }, options, "cdn_model_load_string", out);
}

void cdn_model_destroy(cdn_model *model) {
  if (!model) return;
  const cdn_allocator allocator = model->allocator;
  drop_system(model);
  io_forget_read(model);
  cdn_spec_destroy(model->spec);
  cdni_free(&allocator, model, sizeof *model);
}

void cdn_model_last_error_sized(const cdn_model *model, cdn_error *out, size_t size) {
  cdn_error none;
  if (!model) cdni_error_set(&none, CDN_ERR_ARG, "cdn_model_last_error", NULL, "there is no model");
  cdni_sized_write(out, size, model ? &model->error : &none, sizeof none);
}
