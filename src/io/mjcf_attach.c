/* <asset><model> and <attach>: bodies, frames and worlds of other files, or of the file itself, with all that refers to
 * them. The other file is read once more for every <attach>, with the prefix before its names (mjcf_prefix.c). Then its
 * sections are read after those of the main file, under its own compiler settings and its own outermost default
 * class. */
#include <stdio.h>

#include "io/mjcf.h"

static mjcf_model *model_of(const mjcf_reader *r, int i) { return &CDNI_AT(r->models, mjcf_model, i); }

int io_mjcf_first_class(const mjcf_reader *r) { return model_of(r, r->model)->first_class; }

void io_mjcf_switch_model(mjcf_reader *r, int model) {
  if (model == r->model) return;
  model_of(r, r->model)->compiler = r->compiler;
  r->compiler = model_of(r, model)->compiler;
  r->model = model;
}

void io_mjcf_free_models(mjcf_reader *r) {
  const cdn_allocator *a = &r->d->allocator;
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
  asset->name = cdni_strdup(&r->d->allocator, name && name[0] ? name : "MuJoCo Model");
  return asset->name ? CDN_OK : io_mjcf_out_of_memory(r);
}

cdn_status io_mjcf_read_model_asset(mjcf_reader *r, io_xml_node *node) {
  const char *file, *name = io_xml_string(node, "name");
  CDNI_TRY(io_xml_need_string(r->d, node, "file", &file));
  io_xml_ignore(node, "content_type");
  io_xml_report_rest(r->d, node);
  const mjcf_model_asset made = { .model = r->model };
  mjcf_model_asset *asset = cdni_array_push(&r->d->allocator, &r->model_assets, sizeof made, &made);
  if (!asset || !(asset->path = io_mjcf_join_path(r, file))) return io_mjcf_out_of_memory(r);
  if (!name || !name[0]) return name_of_file(r, node, asset);
  asset->name = cdni_strdup(&r->d->allocator, name);
  return asset->name ? CDN_OK : io_mjcf_out_of_memory(r);
}

static const mjcf_model_asset *find_asset(const mjcf_reader *r, const char *name) {
  int model = r->model;
  while (model_of(r, model)->itself) model = model_of(r, model)->outer;
  for (size_t i = 0; i < r->model_assets.count; i++) {
    const mjcf_model_asset *asset = &CDNI_AT(r->model_assets, mjcf_model_asset, i);
    if (asset->model == model && strcmp(asset->name, name) == 0) return asset;
  }
  return NULL;
}

/* ---- opening --------------------------------------------------------------------------------- */

static io_xml_node *root_of(const mjcf_reader *r, int model) {
  return io_xml_root(CDNI_AT(r->documents, mjcf_document, model_of(r, model)->document).xml);
}

/* The document of an <attach>: that of a model asset, or a copy of the main file's. */
static cdn_status open_source(mjcf_reader *r, io_xml_node *node, const char *name, int *document) {
  if (!name) return io_mjcf_copy_document(r, node, document);
  const mjcf_model_asset *asset = find_asset(r, name);
  if (asset) return io_mjcf_open_document(r, node, asset->path, document);
  return io_xml_fail(r->d, CDN_ERR_PARSE, node,
                     "there is no model '%.60s' among the assets; add <asset><model name='%.60s' file='...'/></asset>",
                     name, name);
}

/* The model with its names as they are here: the prefix after those of the models around it, the suffix of copies. */
static cdn_status add_model(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope, const char *prefix,
                            bool itself) {
  const cdn_allocator *a = &r->d->allocator;
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

/* An element of a name in the worldbody, with the class around it; bodies may be nested too deep for recursion. */
static cdn_status find_element(mjcf_reader *r, io_xml_node *root, const char *word, const char *name,
                               mjcf_attached *out) {
  cdni_array stack = { 0 };
  mjcf_attached now = { .node = root, .document = r->document, .class = io_mjcf_first_class(r) };
  cdn_status status = CDN_OK;
  out->node = NULL;
  for (bool more = true; more && status == CDN_OK && !out->node;) {
    const int before = io_mjcf_enter(r, now.document);
    if (now.node != root) status = io_mjcf_find_class(r, now.node, "childclass", &now.class);
    mjcf_walk walk = io_mjcf_walk(r, now.node);
    for (io_xml_node *child; status == CDN_OK && !out->node && (child = io_mjcf_walk_next(&walk)) != NULL;) {
      const bool holds = io_xml_is(child, "worldbody") || io_xml_is(child, "body") || io_xml_is(child, "frame") ||
                         io_xml_is(child, "replicate");
      if (!holds || io_xml_is(child, "worldbody") != (now.node == root)) continue;
      const mjcf_attached found = { .node = child, .document = r->document, .class = now.class };
      const char *called = io_xml_string(child, "name");
      if (io_xml_is(child, word) && called && strcmp(called, name) == 0) *out = found;
      else if (!cdni_array_push(&r->d->allocator, &stack, sizeof found, &found)) status = io_mjcf_out_of_memory(r);
    }
    if (status == CDN_OK) status = walk.status;
    io_mjcf_enter(r, before);
    more = stack.count > 0;
    if (more) now = CDNI_AT(stack, mjcf_attached, --stack.count);
  }
  cdni_array_free(&r->d->allocator, &stack);
  return status;
}

/* What is attached, once the model around it and its heads are read. */
static cdn_status find_attached(mjcf_reader *r, io_xml_node *node, const char *word, const char *name,
                                mjcf_attached *out) {
  const mjcf_model *m = model_of(r, r->model);
  io_xml_node *root = root_of(r, r->model);
  *out = (mjcf_attached){ .node = root, .document = r->document, .class = m->first_class };
  if (!name) return CDN_OK;
  char full[1000];
  snprintf(full, sizeof full, "%.450s%.450s%.90s", m->prefix, name, m->suffix);
  CDNI_TRY(find_element(r, root, word, full, out));
  if (!out->node) {
    io_mjcf_enter(r, CDNI_AT(r->documents, mjcf_document, m->document).parent);
    return io_xml_fail(r->d, CDN_ERR_PARSE, node, "there is no %s '%.60s' in the attached model; correct the name",
                       word, name);
  }
  return io_mjcf_drop_strangers(r, root, out);
}

cdn_status io_mjcf_attach(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope, mjcf_attached *out) {
  const char *name = io_xml_string(node, "model"), *body = io_xml_string(node, "body");
  const char *frame = io_xml_string(node, "frame"), *prefix = io_xml_string(node, "prefix");
  int document;
  io_xml_report_rest(r->d, node);
  if (!prefix) return io_xml_missing(r->d, node, "prefix", "write what goes before the names of what is attached");
  if (body && frame)
    return io_xml_fail(r->d, CDN_ERR_PARSE, node, "it has a body and a frame; one thing is attached: remove one");
  if (!name && !body && !frame)
    return io_xml_fail(r->d, CDN_ERR_PARSE, node,
                       "it attaches the model to itself; name a body or a frame of it, or another model");
  out->node = NULL;
  if (!name && r->model > 0) return CDN_OK;
  CDNI_TRY(open_source(r, node, name, &document));
  CDNI_TRY(add_model(r, node, scope, prefix, !name));
  const int model = (int)r->models.count - 1, before = r->document;
  model_of(r, model)->document = document;
  CDNI_AT(r->documents, mjcf_document, document).model = model;
  io_mjcf_default_compiler(&model_of(r, model)->compiler);
  CDNI_TRY(io_mjcf_prefix_document(r, document));
  io_mjcf_enter(r, document);
  if (name) CDNI_TRY(read_heads(r, root_of(r, model)));
  else share_heads(r);
  CDNI_TRY(find_attached(r, node, body ? "body" : "frame", body ? body : frame, out));
  io_mjcf_enter(r, before);
  return CDN_OK;
}

/* ---- settings that the models do not share --------------------------------------------------- */

/* Numbers may be written in several ways. */
static bool same_text(const io_xml_node *node, const char *a, const char *b) {
  for (;;) {
    a += strspn(a, " "), b += strspn(b, " ");
    const size_t n = strcspn(a, " "), m = strcspn(b, " ");
    if (n == 0 || m == 0) return n == m;
    char word[2][40], *end[2];
    snprintf(word[0], sizeof word[0], "%.*s", (int)n, a);
    snprintf(word[1], sizeof word[1], "%.*s", (int)m, b);
    const double x = io_xml_strtod(node, word[0], &end[0]), y = io_xml_strtod(node, word[1], &end[1]);
    const bool numbers = !*end[0] && !*end[1];
    if (numbers ? x != y : n != m || strncmp(a, b, n) != 0) return false;
    a += n, b += m;
  }
}

/* The text of an attribute in the main file's elements of this name, the last one that has it. */
static const char *said_by_main(const mjcf_reader *r, const char *element, const char *attribute) {
  const char *found = NULL;
  io_xml_node *option = io_xml_child(r->root, "option");
  for (; option; option = io_xml_next_named(option, "option")) {
    io_xml_node *node = strcmp(element, "option") == 0 ? option : io_xml_child(option, element);
    const char *text = node ? io_xml_string(node, attribute) : NULL;
    if (text) found = text;
  }
  return found;
}

static cdn_status compare_options(mjcf_reader *r, io_xml_node *node) {
  const char *name, *text;
  for (int i = 0; io_xml_attribute(node, i, &name, &text); i++) {
    const char *here = said_by_main(r, io_xml_name(node), name);
    if (!here || same_text(node, here, text)) continue;
    if (r->conflict_fails)
      return io_xml_fail(r->d, CDN_ERR_PARSE, node,
                         "the attached model has %s='%.40s', the one around it '%.40s'; the compiler's "
                         "conflict='error' asks for equal ones",
                         name, text, here);
    io_warn(r->d, io_xml_line(node), "the attached model's %s %s='%.40s' does not count: the model has '%.40s'",
            io_xml_name(node), name, text, here);
  }
  io_xml_ignore_all(node);
  return CDN_OK;
}

static cdn_status read_option(mjcf_reader *r, io_xml_node *node) {
  CDNI_TRY(compare_options(r, node));
  for (io_xml_node *flag = io_xml_child(node, "flag"); flag; flag = io_xml_next_named(flag, "flag"))
    CDNI_TRY(compare_options(r, flag));
  if (r->conflict_merges) io_not_understood(r->d, io_xml_line(node), "option of an attached model, to be merged");
  return CDN_OK;
}

/* Whether its file has been attached before. */
static bool is_once_more(const mjcf_reader *r, int model) {
  const char *path = CDNI_AT(r->documents, mjcf_document, model_of(r, model)->document).path;
  for (int i = 1; i < model; i++)
    if (strcmp(CDNI_AT(r->documents, mjcf_document, model_of(r, i)->document).path, path) == 0) return true;
  return false;
}

cdn_status io_mjcf_compare_options(mjcf_reader *r) {
  for (int i = 1; i < (int)r->models.count; i++) {
    if (model_of(r, i)->itself || is_once_more(r, i)) continue;
    const int before = io_mjcf_enter(r, model_of(r, i)->document);
    CDNI_TRY(io_mjcf_read_sections(r, root_of(r, i), "option", read_option));
    io_mjcf_enter(r, before);
  }
  return CDN_OK;
}

/* ---- their sections -------------------------------------------------------------------------- */

static bool place(mjcf_reader *r, int model) {
  if (model == 0 || model_of(r, model)->placed) return true;
  model_of(r, model)->placed = true;
  return cdni_array_push(&r->d->allocator, &r->model_order, sizeof model, &model) != NULL;
}

cdn_status io_mjcf_order_models(mjcf_reader *r) {
  bool good = true;
  for (size_t i = 0; i < r->d->bodies.count && good; i++) good = place(r, CDNI_AT(r->d->bodies, io_body, i).model);
  for (int i = 1; i < (int)r->models.count && good; i++) good = place(r, i);
  return good ? CDN_OK : io_mjcf_out_of_memory(r);
}

cdn_status io_mjcf_read_everywhere(mjcf_reader *r, const char *name, mjcf_section *read) {
  CDNI_TRY(io_mjcf_read_sections(r, r->root, name, read));
  for (size_t k = 0; k < r->model_order.count; k++) {
    const int i = CDNI_AT(r->model_order, int, k);
    const int before = io_mjcf_enter(r, model_of(r, i)->document);
    CDNI_TRY(io_mjcf_read_sections(r, root_of(r, i), name, read));
    io_mjcf_enter(r, before);
  }
  return CDN_OK;
}

cdn_status io_mjcf_report_models(mjcf_reader *r, cdn_status (*report)(mjcf_reader *r, io_xml_node *root)) {
  for (int i = 1; i < (int)r->models.count; i++) {
    if (model_of(r, i)->itself) continue;
    const int before = io_mjcf_enter(r, model_of(r, i)->document);
    io_xml_ignore(root_of(r, i), "model");
    CDNI_TRY(report(r, root_of(r, i)));
    io_xml_report_rest(r->d, root_of(r, i));
    io_mjcf_enter(r, before);
  }
  return CDN_OK;
}
