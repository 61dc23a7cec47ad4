/* <asset><model> and <attach>: bodies, frames and worlds of other files, or of the file itself, with all that refers to
 * them. The other file is read once more for every <attach>, with the prefix before its names (mjcf_prefix.c). Then its
 * sections are read after those of the main file, under its own compiler settings and its own outermost default
 * class. */
#include <stdio.h>

#include "io/mjcf_expand.h"

static mjcf_model *model_of(const mjcf_reader *r, int i) { return &CDNI_AT(r->models, mjcf_model, i); }

int io_mjcf_first_class(const mjcf_reader *r) { return model_of(r, r->model)->first_class; }

void io_mjcf_switch_model(mjcf_reader *r, int model) {
  if (model == r->model) return;
  model_of(r, r->model)->compiler = r->compiler;
  r->compiler = model_of(r, model)->compiler;
  r->model = model;
}

void io_mjcf_free_models(mjcf_reader *r) {
  const cdn_allocator *a = &r->log->allocator;
  for (size_t i = 1; i < r->models.count; i++) { /* the main one owns nothing */
    mjcf_model *m = model_of(r, (int)i);
    cdni_strfree(a, m->prefix);
    cdni_strfree(a, m->main);
  }
  for (size_t i = 0; i < r->model_assets.count; i++) {
    const mjcf_model_asset *asset = &CDNI_AT(r->model_assets, mjcf_model_asset, i);
    cdni_strfree(a, asset->path);
    cdni_strfree(a, asset->name);
  }
  cdni_array_free(a, &r->models);
  cdni_array_free(a, &r->model_assets);
  cdni_array_free(a, &r->model_order);
}

/* ---- models among the assets ----------------------------------------------------------------- */

/* The name that the file gives itself. */
static cdn_status name_of_file(mjcf_reader *r, io_xml_node *node, mjcf_model_asset *asset) {
  int document;
  CDNI_TRY(io_mjcf_open_document(r, node, asset->path, &document));
  const char *name = io_xml_string(io_xml_root(CDNI_AT(r->documents, mjcf_document, document).xml), "model");
  asset->name = cdni_strdup(&r->log->allocator, name && name[0] ? name : "MuJoCo Model");
  return asset->name ? CDN_OK : io_mjcf_out_of_memory(r);
}

cdn_status io_mjcf_read_model_asset(mjcf_reader *r, io_xml_node *node) {
  const char *file, *name = io_xml_string(node, "name");
  CDNI_TRY(io_xml_need_string(r->log, node, "file", &file));
  io_xml_ignore(node, "content_type");
  io_xml_report_rest(r->log, node);
  const mjcf_model_asset made = { .model = r->model };
  mjcf_model_asset *asset = cdni_array_push(&r->log->allocator, &r->model_assets, sizeof made, &made);
  if (!asset || !(asset->path = io_mjcf_join_path(r, file))) return io_mjcf_out_of_memory(r);
  if (!name || !name[0]) return name_of_file(r, node, asset);
  asset->name = cdni_strdup(&r->log->allocator, name);
  return asset->name ? CDN_OK : io_mjcf_out_of_memory(r);
}

const char *io_mjcf_find_model_asset(const mjcf_reader *r, const char *name) {
  int model = r->model;
  while (model_of(r, model)->itself) model = model_of(r, model)->outer;
  for (size_t i = 0; i < r->model_assets.count; i++) {
    const mjcf_model_asset *asset = &CDNI_AT(r->model_assets, mjcf_model_asset, i);
    if (asset->model == model && strcmp(asset->name, name) == 0) return asset->path;
  }
  return NULL;
}

/* ---- opening --------------------------------------------------------------------------------- */

io_xml_node *io_mjcf_model_root(const mjcf_reader *r, int model) {
  return io_xml_root(CDNI_AT(r->documents, mjcf_document, model_of(r, model)->document).xml);
}

/* The document of an <attach>: that of a model asset, or a copy of the main file's. */
static cdn_status open_source(mjcf_reader *r, io_xml_node *node, const char *name, int *document) {
  if (!name) return io_mjcf_copy_document(r, node, document);
  const char *path = io_mjcf_find_model_asset(r, name);
  if (path) return io_mjcf_open_document(r, node, path, document);
  return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                     "there is no model '%.60s' among the assets; add <asset><model name='%.60s' file='...'/></asset>",
                     name, name);
}

/* The model with its names as they are here: the prefix after those of the models around it, the suffix of copies. */
static cdn_status add_model(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope, const char *prefix,
                            bool itself) {
  const cdn_allocator *a = &r->log->allocator;
  const mjcf_model *outer = model_of(r, r->model);
  char text[1000];
  snprintf(text, sizeof text, "%.450s%.450s", outer->prefix, prefix);
  const mjcf_model added = { .prefix = cdni_strdup(a, text),
                             .suffix = scope->suffix ? scope->suffix : outer->suffix,
                             .line = io_xml_line(node),
                             .itself = itself,
                             .outer = r->model };
  snprintf(text, sizeof text, "%.900smain%.90s", added.prefix ? added.prefix : "", added.suffix);
  char *main = cdni_strdup(a, text);
  mjcf_model *made = added.prefix && main ? cdni_array_push(a, &r->models, sizeof added, &added) : NULL;
  if (made) {
    made->main = main;
    return CDN_OK;
  }
  cdni_strfree(a, added.prefix);
  cdni_strfree(a, main);
  return io_mjcf_out_of_memory(r);
}

static cdn_status read_heads(mjcf_reader *r, io_xml_node *root) {
  CDNI_TRY(io_mjcf_read_sections(r, root, "compiler", io_mjcf_read_compiler));
  CDNI_TRY(io_mjcf_start_classes(r, model_of(r, r->model)->main));
  CDNI_TRY(io_mjcf_read_sections(r, root, "default", io_mjcf_read_defaults));
  return io_mjcf_read_sections(r, root, "asset", io_mjcf_read_assets);
}

/* The model that stands for the file itself has the settings, classes and assets of the one around it. */
static void share_heads(mjcf_reader *r) {
  const mjcf_model *outer = model_of(r, model_of(r, r->model)->outer);
  r->compiler = outer->compiler;
  model_of(r, r->model)->first_class = outer->first_class;
}

/* ---- what is attached ------------------------------------------------------------------------ */

/* An element of a name, and where it is. */
typedef struct search {
  const char *word, *name;
  mjcf_attached *found;
} search;

static cdn_status look_at(mjcf_reader *r, void *context, const mjcf_attached *at, bool *deeper) {
  const search *s = context;
  (void)r;
  if (s->found->node || !io_mjcf_holds_bodies(at->node)) return CDN_OK;
  const char *called = io_xml_string(at->node, "name");
  *deeper = true;
  if (io_xml_is(at->node, s->word) && called && strcmp(called, s->name) == 0) *s->found = *at;
  return CDN_OK;
}

/* What is attached, once the model around it and its heads are read. */
static cdn_status find_attached(mjcf_reader *r, io_xml_node *node, const char *word, const char *name,
                                mjcf_attached *out) {
  const mjcf_model *m = model_of(r, r->model);
  io_xml_node *root = io_mjcf_model_root(r, r->model);
  *out = (mjcf_attached){ .node = root, .document = r->document, .class = m->first_class };
  if (!name) return CDN_OK;
  char full[1000];
  snprintf(full, sizeof full, "%.450s%.450s%.90s", m->prefix, name, m->suffix);
  search s = { .word = word, .name = full, .found = out };
  out->node = NULL;
  CDNI_TRY(io_mjcf_descend_worlds(r, root, look_at, &s));
  if (!out->node) {
    io_mjcf_enter(r, CDNI_AT(r->documents, mjcf_document, m->document).parent);
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "there is no %s '%.60s' in the attached model; correct the name",
                       word, name);
  }
  return io_mjcf_drop_strangers(r, root, out);
}

cdn_status io_mjcf_attach(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope, mjcf_attached *out) {
  const char *name = io_xml_string(node, "model"), *body = io_xml_string(node, "body");
  const char *frame = io_xml_string(node, "frame"), *prefix = io_xml_string(node, "prefix");
  int document;
  io_xml_report_rest(r->log, node);
  if (!prefix) return io_xml_missing(r->log, node, "prefix", "write what goes before the names of what is attached");
  if (body && frame)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "it has a body and a frame; one thing is attached: remove one");
  if (!name && !body && !frame)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "it attaches the model to itself; name a body or a frame of it, or another model");
  out->node = NULL;
  if (!name && r->model > 0) return CDN_OK;
  CDNI_TRY(open_source(r, node, name, &document));
  io_xml_node *root = io_xml_root(CDNI_AT(r->documents, mjcf_document, document).xml);
  CDNI_TRY(io_mjcf_expand_composites(r, root, root));
  CDNI_TRY(add_model(r, node, scope, prefix, !name));
  const int model = (int)r->models.count - 1, before = r->document;
  model_of(r, model)->document = document;
  CDNI_AT(r->documents, mjcf_document, document).model = model;
  io_mjcf_default_compiler(&model_of(r, model)->compiler);
  CDNI_TRY(io_mjcf_prefix_document(r, document));
  io_mjcf_enter(r, document);
  if (name) CDNI_TRY(read_heads(r, io_mjcf_model_root(r, model)));
  else share_heads(r);
  CDNI_TRY(find_attached(r, node, body ? "body" : "frame", body ? body : frame, out));
  io_mjcf_enter(r, before);
  return CDN_OK;
}

/* ---- their sections -------------------------------------------------------------------------- */

static bool place(mjcf_reader *r, int model) {
  if (model == 0 || model_of(r, model)->placed) return true;
  model_of(r, model)->placed = true;
  return cdni_array_push(&r->log->allocator, &r->model_order, sizeof model, &model) != NULL;
}

cdn_status io_mjcf_order_models(mjcf_reader *r) {
  bool good = true;
  for (int i = 1; i < (int)r->tree.places.count && good; i++) good = place(r, io_place_at(&r->tree, i)->model);
  for (int i = 1; i < (int)r->models.count && good; i++) good = place(r, i);
  return good ? CDN_OK : io_mjcf_out_of_memory(r);
}

cdn_status io_mjcf_read_everywhere(mjcf_reader *r, const char *name, mjcf_section *read) {
  CDNI_TRY(io_mjcf_read_sections(r, r->root, name, read));
  for (size_t k = 0; k < r->model_order.count; k++) {
    const int i = CDNI_AT(r->model_order, int, k);
    const int before = io_mjcf_enter(r, model_of(r, i)->document);
    CDNI_TRY(io_mjcf_read_sections(r, io_mjcf_model_root(r, i), name, read));
    io_mjcf_enter(r, before);
  }
  return CDN_OK;
}

cdn_status io_mjcf_report_models(mjcf_reader *r, cdn_status (*report)(mjcf_reader *r, io_xml_node *root)) {
  for (int i = 1; i < (int)r->models.count; i++) {
    if (model_of(r, i)->itself) continue;
    const int before = io_mjcf_enter(r, model_of(r, i)->document);
    io_xml_ignore(io_mjcf_model_root(r, i), "model");
    CDNI_TRY(report(r, io_mjcf_model_root(r, i)));
    io_xml_report_rest(r->log, io_mjcf_model_root(r, i));
    io_mjcf_enter(r, before);
  }
  return CDN_OK;
}
