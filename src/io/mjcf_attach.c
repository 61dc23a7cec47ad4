/* <asset><model> and <attach>: a body, a frame or the world of another file, or of the file itself, with all that
 * refers to it. The other file is read once, by a reader of its own, into a spec of its own: under its own compiler
 * settings and classes, and under the options of the main file. Its elements are attached as cdn_spec_attach attaches
 * them (spec_attach.c), in two phases: bodies with what is on them in their places in the tree, and what names them
 * after the file's own elements of its kind. */
#include "io/mjcf_attach.h"

#include <stdio.h>

enum { MOST_DEEP = 50, MOST_ATTACHED = 20000 };

cdn_status io_mjcf_take_error(mjcf_reader *r, const mjcf_reader *child, cdn_status status) {
  if (status != CDN_OK && r->log->error.code == CDN_OK) r->log->error = child->log->error;
  return status;
}

/* ---- models among the assets ----------------------------------------------------------------- */

static const char *find_path(const mjcf_reader *r, const char *name) {
  for (size_t i = 0; i < r->model_assets.count; i++) {
    const mjcf_model_asset *asset = &CDNI_AT(r->model_assets, mjcf_model_asset, i);
    if (strcmp(asset->name, name) == 0) return asset->path;
  }
  return NULL;
}

/* Where a file is, seen from the main one: the first letters of its path. */
static char *folder_of(const mjcf_reader *r, const char *path) {
  const char *main_path = CDNI_AT(r->documents, mjcf_document, 0).path, *slash = strrchr(main_path, '/');
  const size_t n = slash ? (size_t)(slash - main_path) + 1 : 0;
  if (strncmp(path, main_path, n) == 0) path += n;
  slash = strrchr(path, '/');
  char *folder = cdni_strdup(&r->log->allocator, path);
  if (folder) folder[slash ? slash - path + 1 : 0] = '\0';
  return folder;
}

static cdn_status check_depth(mjcf_reader *r, io_xml_node *node) {
  int depth = 0;
  for (const mjcf_reader *q = r; q; q = q->outer) depth++;
  if (depth <= MOST_DEEP) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_LIMIT, node, "models are attached to models more than %d deep", MOST_DEEP);
}

static cdn_status open_document(mjcf_reader *r, io_xml_node *node, mjcf_child *child) {
  const char *path = child->path ? child->path : CDNI_AT(r->documents, mjcf_document, 0).path;
  child->spec = io_spec_start(r->log->allocator, path);
  if (!child->spec || !child->spec->log.file) return io_mjcf_out_of_memory(r);
  io_log *log = &child->spec->log;
  log->files = r->log->files, log->function = r->log->function;
  CDNI_TRY(io_mjcf_start(&child->reader, child->spec, NULL, r));
  child->reader.itself = !child->path;
  const cdn_status status = child->path ? io_xml_open(log, path, &child->xml) : io_xml_copy(log, r->root, &child->xml);
  CDNI_TRY(io_mjcf_take_error(r, &child->reader, status));
  io_xml_node *root = child->reader.root = io_xml_root(child->xml);
  if (io_xml_is(root, "mujoco")) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_UNSUPPORTED, node,
                     "the root element of '%.200s' is <%.60s>, and not <mujoco>: "
                     "files of other formats are attached by cdn_spec_attach, or by cardan convert --attach",
                     path, io_xml_name(root));
}

/* `path` NULL: the model itself. */
static cdn_status open_child(mjcf_reader *r, io_xml_node *node, const char *path, mjcf_child **out) {
  const cdn_allocator *a = &r->log->allocator;
  for (size_t i = 0; i < r->children.count; i++) {
    mjcf_child *known = CDNI_AT(r->children, mjcf_child *, i);
    *out = known;
    if (path ? known->path && strcmp(known->path, path) == 0 : !known->path) return CDN_OK;
  }
  CDNI_TRY(check_depth(r, node));
  if (path) CDNI_TRY(io_mjcf_check_file(r, node, path));
  mjcf_child *child = *out = cdni_calloc(a, sizeof *child);
  if (!child || !cdni_array_push(a, &r->children, sizeof child, &child)) {
    cdni_free(a, child, sizeof *child);
    return io_mjcf_out_of_memory(r);
  }
  if (path && !(child->path = cdni_strdup(a, path))) return io_mjcf_out_of_memory(r);
  if (!(child->folder = path ? folder_of(r, path) : cdni_strdup(a, ""))) return io_mjcf_out_of_memory(r);
  return open_document(r, node, child);
}

/* The name that the file gives itself. */
static cdn_status name_of_file(mjcf_reader *r, io_xml_node *node, mjcf_model_asset *asset) {
  mjcf_child *child;
  CDNI_TRY(open_child(r, node, asset->path, &child));
  const char *name = io_xml_string(child->reader.root, "model");
  asset->name = cdni_strdup(&r->log->allocator, name && name[0] ? name : "MuJoCo Model");
  return asset->name ? CDN_OK : io_mjcf_out_of_memory(r);
}

static cdn_status read_asset(mjcf_reader *r, io_xml_node *node, mjcf_model_asset *asset) {
  const char *file, *name = io_xml_string(node, "name");
  CDNI_TRY(io_xml_need_string(r->log, node, "file", &file));
  io_xml_ignore(node, "content_type");
  io_xml_report_rest(r->log, node);
  if (!(asset->path = io_mjcf_join_path(r, file))) return io_mjcf_out_of_memory(r);
  if (!name || !name[0]) return name_of_file(r, node, asset);
  asset->name = cdni_strdup(&r->log->allocator, name);
  return asset->name ? CDN_OK : io_mjcf_out_of_memory(r);
}

cdn_status io_mjcf_read_model_asset(mjcf_reader *r, io_xml_node *node) {
  mjcf_model_asset made = { .name = NULL };
  cdn_status status = read_asset(r, node, &made);
  if (status == CDN_OK && cdni_array_push(&r->log->allocator, &r->model_assets, sizeof made, &made)) return CDN_OK;
  cdni_strfree(&r->log->allocator, made.name);
  cdni_strfree(&r->log->allocator, made.path);
  return status != CDN_OK ? status : io_mjcf_out_of_memory(r);
}

cdn_status io_mjcf_open_model(mjcf_reader *r, io_xml_node *node, const char *name, mjcf_reader **reader) {
  const char *path = find_path(r, name);
  mjcf_child *child;
  *reader = NULL;
  if (!path) return CDN_OK;
  CDNI_TRY(open_child(r, node, path, &child));
  *reader = &child->reader;
  return CDN_OK;
}

/* ---- attaching ------------------------------------------------------------------------------- */

/* Warnings and notes are told once; what is wrong with the model itself is told by its own reading. */
static cdn_status read_child(mjcf_reader *r, mjcf_child *child) {
  mjcf_reader *c = &child->reader;
  if (child->read) return CDN_OK;
  io_mjcf_inherit(c);
  cdn_status status = c->itself ? CDN_OK : io_mjcf_compare_options(c);
  if (status == CDN_OK) status = io_mjcf_read_model(c);
  if (status == CDN_OK) status = c->log->error.code;
  CDNI_TRY(io_mjcf_take_error(r, c, status));
  child->read = true;
  r->lost_joints = r->lost_joints || c->lost_joints;
  r->lost_tendons = r->lost_tendons || c->lost_tendons;
  return c->itself ? CDN_OK : io_log_copy(r->log, c->log);
}

/* A file that attaches files which attach files may become too large. */
static cdn_status count(mjcf_reader *r, io_xml_node *node, const mjcf_child *child) {
  r->n_attached += 1 + child->reader.n_attached;
  if (r->n_attached <= MOST_ATTACHED) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_LIMIT, node, "more than %d models are attached in all", MOST_ATTACHED);
}

static bool make_maps(const mjcf_reader *r, mjcf_attachment *a) {
  const cdn_allocator *of = &r->log->allocator;
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++) {
    const int n = cdn_spec_count(a->part->spec, (cdn_spec_kind)kind);
    if (!(a->at[kind] = cdni_alloc(of, (size_t)(n + 1) * sizeof(int)))) return false;
    for (int i = 0; i <= n; i++) a->at[kind][i] = -1;
  }
  const size_t n = a->child->reader.tree.places.count;
  if (!(a->places = cdni_alloc(of, (n + 1) * sizeof(int)))) return false;
  for (size_t i = 0; i <= n; i++) a->places[i] = -1;
  return true;
}

static bool same_text(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

/* What was attached before it, from the same file or under the same prefix. */
static void look_back(const mjcf_reader *r, mjcf_attachment *a) {
  bool alike = !a->prefix[0];
  for (size_t i = 0; i < r->attachments.count; i++) {
    const mjcf_attachment *other = io_mjcf_attachment(r, (int)i);
    const bool same = strcmp(other->prefix, a->prefix) == 0;
    a->again = a->again || other->node == a->node;
    a->shares = a->shares || (same && other->child == a->child);
    alike = alike || (same && same_text(other->suffix, a->suffix));
  }
  if (alike) snprintf(a->mark, sizeof a->mark, "_%d", (int)r->attachments.count + 1);
}

static cdn_status add_attachment(mjcf_reader *r, const mjcf_attachment *made, mjcf_attachment **out) {
  const cdn_allocator *a = &r->log->allocator;
  mjcf_attachment *kept = *out = cdni_alloc(a, sizeof *kept);
  if (!kept) return io_mjcf_out_of_memory(r);
  *kept = *made;
  look_back(r, kept);
  if (!cdni_array_push(a, &r->attachments, sizeof kept, &kept)) {
    cdni_free(a, kept, sizeof *kept);
    return io_mjcf_out_of_memory(r);
  }
  return make_maps(r, kept) ? CDN_OK : io_mjcf_out_of_memory(r);
}

static cdn_status find_child(mjcf_reader *r, io_xml_node *node, const char *name, mjcf_child **child) {
  const char *path = name ? find_path(r, name) : NULL;
  if (!name || path) return open_child(r, node, path, child);
  return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                     "there is no model '%.60s' among the assets; add <asset><model name='%.60s' file='...'/></asset>",
                     name, name);
}

/* The names that it gives, checked. */
static cdn_status read_names(mjcf_reader *r, io_xml_node *node, const char **model, const char **word,
                             const char **name, const char **prefix) {
  const char *body = io_xml_string(node, "body"), *frame = io_xml_string(node, "frame");
  *model = io_xml_string(node, "model"), *prefix = io_xml_string(node, "prefix");
  *word = body ? "body" : "frame", *name = body ? body : frame;
  io_xml_report_rest(r->log, node);
  if (!*prefix) return io_xml_missing(r->log, node, "prefix", "write what goes before the names of what is attached");
  if (body && frame)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "it has a body and a frame; one thing is attached: remove one");
  if (*model || *name) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                     "it attaches the model to itself; name a body or a frame of it, or another model");
}

cdn_status io_mjcf_attach(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope, mjcf_body_mass *sum,
                          int *selected, int *attachment) {
  const char *model, *word, *name;
  mjcf_attachment made = { .node = node, .suffix = scope->suffix, .place = scope->place, .frame = scope->frame };
  mjcf_attachment *a;
  mjcf_child *child;
  *attachment = -1;
  CDNI_TRY(read_names(r, node, &model, &word, &name, &made.prefix));
  if (!model && r->itself) return CDN_OK; /* it is not attached to what is attached of itself */
  CDNI_TRY(find_child(r, node, model, &child));
  made.child = child;
  CDNI_TRY(read_child(r, child));
  CDNI_TRY(count(r, node, child));
  CDNI_TRY(io_mjcf_find_part(r, node, child, word, name, &made.part));
  if (scope->place > 0) CDNI_TRY(io_mjcf_refuse_free(r, node, made.part->spec));
  made.X = scope->X_BS;
  if (name) made.X = cdn_transform_multiply(scope->X_BS, made.part->X_undone);
  CDNI_TRY(add_attachment(r, &made, &a));
  *attachment = (int)r->attachments.count - 1;
  return io_mjcf_attach_ground(r, a, sum, selected);
}

bool io_mjcf_attachment_has_bodies(const mjcf_reader *r, int attachment) {
  return cdn_spec_count(io_mjcf_attachment(r, attachment)->part->spec, CDN_SPEC_BODY) > 0;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void free_attachment(const cdn_allocator *a, mjcf_attachment *of) {
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++)
    if (of->at[kind])
      cdni_free(a, of->at[kind], (size_t)(cdn_spec_count(of->part->spec, (cdn_spec_kind)kind) + 1) * sizeof(int));
  if (of->places) cdni_free(a, of->places, (of->child->reader.tree.places.count + 1) * sizeof(int));
  cdni_free(a, of, sizeof *of);
}

static void free_child(const cdn_allocator *a, mjcf_child *child) {
  for (size_t i = 0; i < child->parts.count; i++) io_mjcf_free_part(a, child, CDNI_AT(child->parts, mjcf_part *, i));
  cdni_array_free(a, &child->parts);
  if (child->reader.spec) io_mjcf_free(&child->reader);
  io_xml_close(child->xml);
  cdn_spec_destroy(child->spec);
  cdni_strfree(a, child->path);
  cdni_strfree(a, child->folder);
  cdni_free(a, child, sizeof *child);
}

void io_mjcf_free_attachments(mjcf_reader *r) {
  const cdn_allocator *a = &r->log->allocator;
  for (size_t i = 0; i < r->attachments.count; i++) free_attachment(a, io_mjcf_attachment(r, (int)i));
  for (size_t i = 0; i < r->children.count; i++) free_child(a, CDNI_AT(r->children, mjcf_child *, i));
  for (size_t i = 0; i < r->model_assets.count; i++) {
    const mjcf_model_asset *asset = &CDNI_AT(r->model_assets, mjcf_model_asset, i);
    cdni_strfree(a, asset->path);
    cdni_strfree(a, asset->name);
  }
  for (size_t i = 0; i < r->frames.count; i++) cdni_strfree(a, CDNI_AT(r->frames, mjcf_frame, i).name);
  cdni_array *const arrays[] = { &r->attachments, &r->attached_order, &r->children, &r->model_assets, &r->frames };
  for (int i = 0; i < CDNI_COUNT(arrays); i++) cdni_array_free(a, arrays[i]);
}
