/* A spec is attached to another: its elements are appended under a prefix, and what was on its Ground is on a body. */
#include <math.h>
#include <stdio.h>

#include <cardan/spec_edit.h>

#include "core/sized.h"
#include "io/spec_references.h"

static const char function[] = "cdn_spec_attach";

CDNI_DEF(attach_def, .X_BA = { .R = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } });

cdn_status io_edit_fail(cdn_spec *spec, cdn_status code, const char *by, const char *format, ...) {
  char text[600];
  va_list args;
  va_start(args, format);
  cdni_vprint(text, sizeof text, format, args);
  va_end(args);
  return cdni_error_set(&spec->log.error, code, by, NULL, "%s", text);
}

static cdn_status no_memory(cdn_spec *spec) { return io_edit_fail(spec, CDN_ERR_NOMEM, function, "out of memory"); }

bool io_same_transform(const cdn_transform *a, const cdn_transform *b) { return memcmp(a, b, sizeof *a) == 0; }

/* ---- one element ----------------------------------------------------------------------------- */

cdn_status io_spec_retext(cdn_spec *spec, const char **text, const char *value) {
  const cdn_allocator *a = &spec->log.allocator;
  char *copy = value ? cdni_strdup(a, value) : NULL;
  if (value && !copy) return CDN_ERR_NOMEM;
  cdni_strfree(a, (char *)*text);
  *text = copy;
  return CDN_OK;
}

static cdn_status affix(cdn_spec *spec, const char **text, int kind, const io_affix *by) {
  const bool of_asset = kind == CDN_SPEC_ASSET;
  const char *before = of_asset && by->asset_prefix ? by->asset_prefix : by->prefix;
  const char *after = of_asset && by->asset_suffix ? by->asset_suffix : by->suffix;
  const char *mark = by->mark ? by->mark(by->context, kind, *text) : "";
  const size_t size = strlen(before) + strlen(*text) + strlen(mark) + strlen(after) + 1;
  char *name = cdni_alloc(&spec->log.allocator, size);
  if (!name) return CDN_ERR_NOMEM;
  snprintf(name, size, "%s%s%s%s", before, *text, mark, after);
  cdni_strfree(&spec->log.allocator, (char *)*text);
  *text = name;
  return CDN_OK;
}

/* Files are named as they are seen from the spec's own file. */
static cdn_status find_files(cdn_spec *spec, const cdn_spec *child, cdn_spec_asset *asset, const char *folder) {
  char seen[4096];
  if (!folder && strcmp(spec->log.file, child->log.file) == 0) return CDN_OK;
  for (int k = -1; k < 6; k++) {
    const char **file = k < 0 ? &asset->file : &asset->side_file[k];
    if (!*file) continue;
    if (!folder) io_path_from(child, *file, spec->log.file, seen, sizeof seen);
    else snprintf(seen, sizeof seen, "%s%s", (*file)[0] == '/' ? "" : folder, *file);
    CDNI_TRY(io_spec_retext(spec, file, seen));
  }
  return CDN_OK;
}

/* Element `at` of the spec was element i of the child. */
static cdn_status refer(cdn_spec *spec, const io_spec_index *names, const io_reference *r, cdn_spec_kind kind, int i,
                        int at, const io_affix *affixes) {
  void *element = io_spec_element(spec, kind, at);
  const char **text = (const char **)(void *)((char *)element + r->text);
  const int to = io_reference_kind(r, element);
  const bool of_body = to == CDN_SPEC_BODY && (r->may_be_ground || *text);
  if (!of_body || !io_is_ground(names, *text)) return *text ? affix(spec, text, to, affixes) : CDN_OK;
  if (r->may_be_ground && !r->may_be_ground(element)) return CDN_OK;
  if (affixes->on_ground) return affixes->on_ground(affixes->context, kind, i, at, r);
  CDNI_TRY(io_spec_retext(spec, text, affixes->body));
  io_reference_carry(r, kind, element, &affixes->X_BA, !affixes->body);
  return CDN_OK;
}

cdn_status io_attach_element(cdn_spec *spec, const cdn_spec *child, const io_spec_index *names, cdn_spec_kind kind,
                             int i, const io_affix *affixes) {
  const io_reference *references;
  const int n = io_references(kind, &references);
  int at;
  CDNI_TRY(io_spec_append(spec, kind, io_spec_element(child, kind, i), &at));
  for (int k = 0; k < n; k++) CDNI_TRY(refer(spec, names, &references[k], kind, i, at, affixes));
  if (kind == CDN_SPEC_ASSET) CDNI_TRY(find_files(spec, child, io_spec_element(spec, kind, at), affixes->folder));
  const io_element_kind *fields = &io_element_kinds()[kind];
  const char **name = io_spec_text(spec, kind, at, fields->fields[0].offset);
  return *name ? affix(spec, name, kind, affixes) : CDN_OK;
}

cdn_status io_attach_key(cdn_spec *spec, const cdn_spec_key *from, int joints, int actuators, const io_affix *by) {
  cdn_spec_key key;
  int at;
  cdn_status status = io_key_behind(spec, from, joints, actuators, &key);
  if (status == CDN_OK) status = io_spec_append(spec, CDN_SPEC_KEY, &key, &at);
  io_key_free(spec, &key);
  CDNI_TRY(status);
  const char **name = &io_spec_key(spec, at)->name;
  return *name ? affix(spec, name, CDN_SPEC_KEY, by) : CDN_OK;
}

/* ---- what is said of the whole --------------------------------------------------------------- */

typedef struct teller {
  cdn_tell_fn *tell;
  void *context;
} teller;

static void say(const teller *to, const char *format, ...) CDN_PRINTF(2, 3);
static void say(const teller *to, const char *format, ...) {
  char text[400];
  va_list args;
  if (!to->tell) return;
  va_start(args, format);
  cdni_vprint(text, sizeof text, format, args);
  va_end(args);
  to->tell(to->context, text);
}

static void compare_fields(const teller *to, const io_element_kind *kind, const void *a, const void *b) {
  for (int k = 0; k < kind->n_fields; k++)
    if (!io_field_equal(&kind->fields[k], a, b))
      say(to, "the %s's %s of what is attached does not count: it differs from the model's", kind->word,
          kind->fields[k].name);
}

static void compare(const cdn_spec *spec, const cdn_spec *child, const teller *to) {
  const io_whole *a = &spec->whole, *b = &child->whole;
  const cdn_vec3 g = a->gravity, h = b->gravity;
  static const char *const flags[] = { "meshes have looks", "parents touch", "overlaps pass" };
  const bool ours[] = { a->meshes_have_looks, a->parents_touch, a->overlaps_pass };
  const bool theirs[] = { b->meshes_have_looks, b->parents_touch, b->overlaps_pass };
  if (g.x != h.x || g.y != h.y || g.z != h.z)
    say(to, "the gravity of what is attached (%g %g %g) does not count: the model has %g %g %g", h.x, h.y, h.z, g.x,
        g.y, g.z);
  for (int i = 0; i < CDNI_COUNT(flags); i++)
    if (ours[i] != theirs[i])
      say(to, "'%s' is %s of what is attached, which does not count: it is %s of the model", flags[i],
          theirs[i] ? "true" : "false", ours[i] ? "true" : "false");
  compare_fields(to, io_medium_fields(), &a->medium, &b->medium);
  if (a->has_solver && b->has_solver) compare_fields(to, io_solver_fields(), &a->solver, &b->solver);
  else if (b->has_solver)
    say(to, "what is attached says how soft rows are solved, which does not count: the model says nothing of it");
}

/* ---- what is attached ------------------------------------------------------------------------ */

void io_attached_free(const cdn_allocator *a, io_attached *attached) {
  cdni_strfree(a, attached->prefix);
  cdni_strfree(a, attached->suffix);
  cdni_strfree(a, attached->body);
  cdn_spec *original = attached->original;
  if (original && atomic_fetch_sub(&original->holders, 1) == 1) cdn_spec_destroy(original);
}

static char *join(const cdn_allocator *a, const char *before, const char *name, const char *after) {
  const size_t size = strlen(before) + strlen(name) + strlen(after) + 1;
  char *text = cdni_alloc(a, size);
  if (text) snprintf(text, size, "%s%s%s", before, name, after);
  return text;
}

/* What is attached to something that is attached. */
static cdn_status copy_attached(cdn_spec *to, const io_attached *from, const io_affix *by) {
  static const cdn_transform identity = { .R = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
  const cdn_allocator *a = &to->log.allocator;
  io_attached made = { .X_BA = from->X_BA, .original = from->original };
  made.prefix = join(a, by->prefix, from->prefix, "");
  made.suffix = join(a, "", from->suffix, by->suffix);
  if (from->body) made.body = join(a, by->prefix, from->body, by->suffix);
  else if (by->body) made.body = cdni_strdup(a, by->body);
  if (!from->body && !io_same_transform(&by->X_BA, &identity)) made.X_BA = cdn_transform_multiply(by->X_BA, from->X_BA);
  const bool good = made.prefix && made.suffix && (made.body || (!from->body && !by->body)) &&
                    cdni_array_push(a, &to->attached, sizeof made, &made);
  if (good) atomic_fetch_add(&from->original->holders, 1);
  else made.original = NULL, io_attached_free(a, &made);
  return good ? CDN_OK : CDN_ERR_NOMEM;
}

static cdn_status copy_all_attached(cdn_spec *to, const cdn_spec *from, const io_affix *by) {
  for (size_t i = 0; i < from->attached.count; i++)
    CDNI_TRY(copy_attached(to, &CDNI_AT(from->attached, io_attached, i), by));
  return CDN_OK;
}

cdn_status io_attached_copy(cdn_spec *to, const cdn_spec *from) {
  return copy_all_attached(to, from, &(io_affix){ .prefix = "", .suffix = "", .X_BA = cdn_transform_identity() });
}

/* What is between; of a body of another name all. */
static char *between(const cdn_allocator *a, const char *text, size_t prefix, size_t suffix) {
  const size_t n = strlen(text);
  if (n < prefix + suffix) return cdni_strdup(a, text);
  char *part = cdni_strdup(a, text + prefix);
  if (!part || suffix == 0) return part;
  char *ended = cdni_alloc(a, n - prefix - suffix + 1);
  if (ended) snprintf(ended, n - prefix - suffix + 1, "%s", part);
  cdni_strfree(a, part);
  return ended;
}

cdn_status io_attached_take(cdn_spec *to, const io_attached *from, size_t prefix, size_t suffix) {
  const cdn_allocator *a = &to->log.allocator;
  io_attached made = { .X_BA = from->X_BA, .original = from->original };
  made.prefix = between(a, from->prefix, prefix, 0);
  made.suffix = between(a, from->suffix, 0, suffix);
  made.body = between(a, from->body, prefix, suffix);
  const bool good = made.prefix && made.suffix && made.body && cdni_array_push(a, &to->attached, sizeof made, &made);
  if (good) atomic_fetch_add(&from->original->holders, 1);
  else made.original = NULL, io_attached_free(a, &made);
  return good ? CDN_OK : CDN_ERR_NOMEM;
}

int cdn_spec_attached_count(const cdn_spec *spec) { return spec ? (int)spec->attached.count : 0; }

cdn_status cdn_spec_attached_sized(const cdn_spec *spec, int i, cdn_attached *out, size_t size) {
  const bool there = out && i >= 0 && i < cdn_spec_attached_count(spec);
  cdn_attached found = { 0 };
  if (there) {
    const io_attached *a = &CDNI_AT(spec->attached, io_attached, i);
    found = (cdn_attached){ cdn_spec_name(a->original), a->prefix, a->suffix, a->body, a->X_BA };
  }
  cdni_sized_write(out, size, &found, sizeof found);
  if (there) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, "cdn_spec_attached",
                     "there is no spec, nothing attached of number %d, or nowhere to put it", i);
}

/* ---- attaching ------------------------------------------------------------------------------- */

/* Where the child's Ground comes to lie. */
static cdn_status find_place(cdn_spec *spec, const cdn_attach_def *def, io_affix *to) {
  *to = (io_affix){ .prefix = def->prefix ? def->prefix : "",
                    .suffix = def->suffix ? def->suffix : "",
                    .body = def->body,
                    .X_BA = def->X_BA };
  if (!cdni_all_finite((const double *)&def->X_BA, sizeof def->X_BA / sizeof(double), NULL))
    return io_edit_fail(spec, CDN_ERR_NONFINITE, function, "X_BA has a NaN or an infinity");
  if (def->frame) {
    const int i = cdn_spec_find(spec, CDN_SPEC_FRAME, def->frame);
    if (i < 0)
      return io_edit_fail(spec, CDN_ERR_ARG, function, "there is no frame '%.60s' to attach to; correct the name",
                          def->frame);
    to->body = io_spec_frame(spec, i)->body;
    to->X_BA = cdn_transform_multiply(io_spec_frame(spec, i)->X_BF, def->X_BA);
  }
  if (!to->body || cdn_spec_find(spec, CDN_SPEC_BODY, to->body) >= 0) return CDN_OK;
  if (strcmp(to->body, "Ground") != 0)
    return io_edit_fail(spec, CDN_ERR_ARG, function, "there is no body '%.60s' to attach to; correct the name",
                        to->body);
  to->body = NULL;
  return CDN_OK;
}

/* No name of the child may be there. */
static cdn_status check_names(cdn_spec *spec, const cdn_spec *child, const io_spec_index *known, const io_affix *by) {
  const cdn_allocator *a = &spec->log.allocator;
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++)
    for (int i = 0; kind != CDN_SPEC_PATH_ITEM && i < cdn_spec_count(child, (cdn_spec_kind)kind); i++) {
      char *name = join(a, by->prefix, io_element_name(child, (cdn_spec_kind)kind, i), by->suffix);
      if (!name) return no_memory(spec);
      const bool clash = io_spec_index_find(known, kind, name) >= 0;
      const cdn_status status =
          clash ? io_edit_fail(spec, CDN_ERR_ARG, function,
                               "the model has a %s '%.60s' already, which the attached model has as '%.60s': attach it "
                               "under another prefix or suffix",
                               io_element_kinds()[kind].word, name, io_element_name(child, (cdn_spec_kind)kind, i))
                : CDN_OK;
      cdni_strfree(a, name);
      CDNI_TRY(status);
    }
  return CDN_OK;
}

/* They come first, while the spec has its own joints and actuators alone. */
static cdn_status attach_keys(cdn_spec *spec, const cdn_spec *child, const io_affix *by) {
  const int joints = cdn_spec_count(spec, CDN_SPEC_JOINT), actuators = cdn_spec_count(spec, CDN_SPEC_ACTUATOR);
  for (int i = 0; i < cdn_spec_count(child, CDN_SPEC_KEY); i++)
    CDNI_TRY(io_attach_key(spec, io_spec_key(child, i), joints, actuators, by));
  return CDN_OK;
}

static void set_lines(cdn_spec *spec, const int *before) {
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++)
    for (int i = before[kind]; i < cdn_spec_count(spec, (cdn_spec_kind)kind); i++)
      io_set_line(spec, (cdn_spec_kind)kind, i, 0);
}

static bool is_empty(const cdn_spec *spec) {
  int n = 0;
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++) n += cdn_spec_count(spec, (cdn_spec_kind)kind);
  return n == 0;
}

static cdn_status remember(cdn_spec *spec, const cdn_spec *child, const io_affix *by) {
  const cdn_allocator *a = &spec->log.allocator;
  if (is_empty(child)) return CDN_OK;
  io_attached made = { .prefix = cdni_strdup(a, by->prefix), .suffix = cdni_strdup(a, by->suffix), .X_BA = by->X_BA };
  if (by->body) made.body = cdni_strdup(a, by->body);
  const bool good = made.prefix && made.suffix && (made.body || !by->body) &&
                    cdn_spec_copy(child, &made.original) == CDN_OK &&
                    cdni_array_push(a, &spec->attached, sizeof made, &made);
  if (made.original) atomic_store(&made.original->holders, 1);
  if (!good) io_attached_free(a, &made);
  return good ? CDN_OK : CDN_ERR_NOMEM;
}

/* An earlier failure stays the last one. */
static cdn_status copy_log(cdn_spec *spec, const cdn_spec *child) {
  const cdn_error before = spec->log.error;
  spec->log.error = (cdn_error){ 0 };
  const cdn_status status = io_log_copy(&spec->log, &child->log);
  if (status == CDN_OK) spec->log.error = before;
  return status;
}

static cdn_status append_all(cdn_spec *spec, const cdn_spec *child, const io_affix *by) {
  io_spec_index names;
  cdn_status status = io_spec_index_make(child, &names);
  if (status == CDN_OK) status = attach_keys(spec, child, by);
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++)
    for (int i = 0; kind != CDN_SPEC_KEY && status == CDN_OK && i < cdn_spec_count(child, (cdn_spec_kind)kind); i++)
      status = io_attach_element(spec, child, &names, (cdn_spec_kind)kind, i, by);
  io_spec_index_free(child, &names);
  if (status == CDN_OK) status = remember(spec, child, by);
  if (status == CDN_OK) status = copy_all_attached(spec, child, by);
  return status == CDN_OK ? copy_log(spec, child) : status;
}

static void take_back(cdn_spec *spec, const int *count, size_t attached) {
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++)
    while (cdn_spec_count(spec, (cdn_spec_kind)kind) > count[kind])
      (void)!cdn_spec_remove(spec, (cdn_spec_kind)kind, cdn_spec_count(spec, (cdn_spec_kind)kind) - 1);
  while (spec->attached.count > attached)
    io_attached_free(&spec->log.allocator, &CDNI_AT(spec->attached, io_attached, --spec->attached.count));
}

static cdn_status attach(cdn_spec *spec, const cdn_spec *child, const cdn_attach_def *def) {
  int count[CDN_SPEC_KIND_COUNT];
  const size_t attached = spec->attached.count;
  io_affix by;
  io_spec_index known;
  CDNI_TRY(find_place(spec, def, &by));
  cdn_status status = io_spec_index_make(spec, &known);
  status = status == CDN_OK ? check_names(spec, child, &known, &by) : no_memory(spec);
  io_spec_index_free(spec, &known);
  CDNI_TRY(status);
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++) count[kind] = cdn_spec_count(spec, (cdn_spec_kind)kind);
  if (append_all(spec, child, &by) != CDN_OK) {
    take_back(spec, count, attached);
    return no_memory(spec);
  }
  set_lines(spec, count);
  compare(spec, child, &(teller){ def->tell, def->context });
  return CDN_OK;
}

/* A body of the child with all that is outboard of it, as a spec. */
static cdn_status part_of(cdn_spec *spec, const cdn_spec *child, const char *body, cdn_spec **out) {
  io_spec_index names;
  io_marks rest = { 0 };
  if (cdn_spec_copy(child, out) != CDN_OK) return no_memory(spec);
  const int i = cdn_spec_find(*out, CDN_SPEC_BODY, body);
  if (i < 0)
    return io_edit_fail(spec, CDN_ERR_ARG, function, "there is no body '%.60s' in what is attached; correct the name",
                        body);
  cdn_status status = io_spec_index_make(*out, &names);
  if (status == CDN_OK) status = io_marks_make(*out, &rest);
  if (status == CDN_OK) status = io_marks_around(*out, &names, &(io_taken){ .n = 1, .bodies = &i }, &rest);
  if (status == CDN_OK) io_marks_spread(*out, &names, &rest, NULL, NULL);
  if (status == CDN_OK) status = io_spec_remove_marked(*out, &names, &rest);
  io_marks_free(*out, &rest);
  io_spec_index_free(*out, &names);
  return status == CDN_OK ? CDN_OK : no_memory(spec);
}

cdn_status cdn_spec_attach(cdn_spec *spec, const cdn_spec *child, const cdn_attach_def *def) {
  if (!spec) return cdni_misses(function, "spec");
  if (!child) return io_edit_fail(spec, CDN_ERR_ARG, function, "what shall be attached is NULL");
  cdn_attach_def known;
  const char *unreadable = read_attach_def(&known, def);
  if (unreadable) return io_edit_fail(spec, CDN_ERR_VERSION, function, "%s", unreadable);
  cdn_spec *part = NULL; /* a spec is attached to itself as a copy */
  cdn_status status = CDN_OK;
  if (known.child_body) status = part_of(spec, child, known.child_body, &part);
  else if (child == spec && cdn_spec_copy(child, &part) != CDN_OK) status = no_memory(spec);
  if (status == CDN_OK) status = attach(spec, part ? part : child, &known);
  cdn_spec_destroy(part);
  return status;
}
