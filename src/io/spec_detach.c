/* What came under a prefix becomes a spec of its own again. */
#include <stdio.h>

#include "core/sized.h"
#include "io/spec_references.h"

static const char function[] = "cdn_spec_detach";

typedef struct detaching {
  cdn_spec *spec;
  const char *prefix, *suffix;
  int attached;    /* among the spec's; -1: it is not known */
  io_affix ground; /* where the Ground of what is detached was */
  bool on_a_body;  /* that is settled */
  io_spec_index index;
  io_marks members, gone;
} detaching;

static cdn_status no_memory(cdn_spec *spec) { return io_edit_fail(spec, CDN_ERR_NOMEM, function, "out of memory"); }

/* ---- who goes -------------------------------------------------------------------------------- */

/* The name without prefix and suffix: how long it is, and where it begins; -1: it has them not. */
static int inner(const detaching *d, const char *name) {
  const size_t p = strlen(d->prefix), s = strlen(d->suffix), n = strlen(name);
  if (n <= p + s || strncmp(name, d->prefix, p) != 0 || strcmp(name + n - s, d->suffix) != 0) return -1;
  return (int)(n - p - s);
}

static bool is_named(const detaching *d, cdn_spec_kind kind, int i) {
  return inner(d, io_element_name(d->spec, kind, i)) > 0;
}

static cdn_status mark_known(detaching *d) {
  const cdn_spec *original = CDNI_AT(d->spec->attached, io_attached, d->attached).original;
  io_spec_index names;
  cdn_status status = io_spec_index_make(original, &names);
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT && status == CDN_OK; kind++)
    for (int i = 0; i < d->members.n[kind]; i++) {
      const char *name = io_element_name(d->spec, (cdn_spec_kind)kind, i);
      const int n = inner(d, name);
      char *own = n > 0 ? cdni_alloc(&d->spec->log.allocator, (size_t)n + 1) : NULL;
      if (n > 0 && !own) status = CDN_ERR_NOMEM;
      if (!own) continue;
      snprintf(own, (size_t)n + 1, "%.*s", n, name + strlen(d->prefix));
      d->members.of[kind][i] = io_spec_index_find(&names, kind, own) >= 0;
      cdni_free(&d->spec->log.allocator, own, (size_t)n + 1);
    }
  io_spec_index_free(original, &names);
  return status;
}

static void mark_named(detaching *d) {
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++)
    for (int i = 0; kind != CDN_SPEC_PATH_ITEM && i < d->members.n[kind]; i++)
      d->members.of[kind][i] = is_named(d, (cdn_spec_kind)kind, i);
}

/* What is added under the prefix goes along where it refers to nothing else; so do the items of tendons. */
static bool goes_along(const detaching *d, cdn_spec_kind kind, int i) {
  const io_reference *r;
  const void *element = io_spec_element(d->spec, kind, i);
  const int n = io_references(kind, &r);
  bool any = false;
  if (kind != CDN_SPEC_PATH_ITEM && !is_named(d, kind, i)) return false;
  for (int k = 0; k < n; k++) {
    int to, other;
    if (!io_reference_find(&d->index, &r[k], element, &to, &other)) continue;
    if (!d->members.of[to][other]) return false;
    any = true;
  }
  return any;
}

static void mark_added(detaching *d) {
  for (int i = 0; i < d->members.n[CDN_SPEC_PATH_ITEM]; i++) {
    const int tendon = io_spec_index_find(&d->index, CDN_SPEC_TENDON, io_spec_path_item(d->spec, i)->tendon);
    d->members.of[CDN_SPEC_PATH_ITEM][i] = tendon >= 0 && d->members.of[CDN_SPEC_TENDON][tendon];
  }
  for (bool more = true; more;) {
    more = false;
    for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++)
      for (int i = 0; i < d->members.n[kind]; i++)
        if (!d->members.of[kind][i] && goes_along(d, (cdn_spec_kind)kind, i)) d->members.of[kind][i] = more = true;
  }
}

static cdn_status mark(detaching *d) {
  int n = 0;
  CDNI_TRY(io_spec_index_make(d->spec, &d->index));
  CDNI_TRY(io_marks_make(d->spec, &d->members));
  CDNI_TRY(io_marks_make(d->spec, &d->gone));
  if (d->attached >= 0) CDNI_TRY(mark_known(d));
  else mark_named(d);
  mark_added(d);
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++)
    for (int i = 0; i < d->members.n[kind]; i++) {
      d->gone.of[kind][i] = d->members.of[kind][i];
      n += d->members.of[kind][i];
    }
  if (n > 0) return CDN_OK;
  return io_edit_fail(d->spec, CDN_ERR_ARG, function,
                      "nothing is called '%.60s...%.60s': correct the prefix and suffix", d->prefix, d->suffix);
}

/* ---- one element ----------------------------------------------------------------------------- */

static cdn_status strip(detaching *d, cdn_spec *out, const char **text) {
  const int n = inner(d, *text);
  if (n < 0) return CDN_OK;
  char *own = cdni_alloc(&out->log.allocator, (size_t)n + 1);
  if (!own) return CDN_ERR_NOMEM;
  snprintf(own, (size_t)n + 1, "%.*s", n, *text + strlen(d->prefix));
  cdni_strfree(&out->log.allocator, (char *)*text);
  *text = own;
  return CDN_OK;
}

/* The body outside on which something is: it becomes Ground. The text is the spec's, which stays. */
static bool becomes_ground(detaching *d, const char *body) {
  if (!d->on_a_body) d->ground.body = body, d->on_a_body = true; /* the first one that is met */
  const bool was = io_is_ground(&d->index, d->ground.body), is = io_is_ground(&d->index, body);
  return was ? is : !is && strcmp(d->ground.body, body) == 0;
}

static cdn_status refuse(detaching *d, cdn_spec_kind kind, int i, const char *text) {
  return io_edit_fail(d->spec, CDN_ERR_ARG, function,
                      "%s '%.60s' refers to '%.60s', which stays: change it or delete it before",
                      io_element_kinds()[kind].word, io_element_name(d->spec, kind, i), text ? text : "Ground");
}

static cdn_status refer(detaching *d, cdn_spec *out, cdn_spec_kind kind, int i, const io_reference *r, void *element) {
  static const cdn_transform identity = { .R = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
  const char **text = (const char **)(void *)((char *)element + r->text);
  int to, other;
  const bool there = io_reference_find(&d->index, r, element, &to, &other);
  if (there && d->members.of[to][other]) return strip(d, out, text);
  if (r->label || (!there && *text && !io_is_ground(&d->index, *text))) return *text ? strip(d, out, text) : CDN_OK;
  const bool of_body = io_reference_kind(r, element) == CDN_SPEC_BODY && (r->may_be_ground || *text);
  if (!of_body && !*text) return CDN_OK;
  if (r->may_be_ground && !r->may_be_ground(element)) return CDN_OK;
  if (r->optional) return io_spec_retext(out, text, NULL);
  const char *outside = io_reference_text(r, io_spec_element(d->spec, kind, i));
  if (!of_body || !r->may_be_ground || !becomes_ground(d, outside)) return refuse(d, kind, i, outside);
  CDNI_TRY(io_spec_retext(out, text, NULL));
  const cdn_transform X_AB = cdn_transform_invert(d->ground.X_BA);
  if (!io_same_transform(&d->ground.X_BA, &identity))
    io_reference_carry(r, kind, element, &X_AB, io_is_ground(&d->index, d->ground.body));
  return CDN_OK;
}

static cdn_status detach_element(detaching *d, cdn_spec *out, cdn_spec_kind kind, int i) {
  const io_reference *r;
  const int n = io_references(kind, &r);
  int at;
  CDNI_TRY(io_spec_append(out, kind, io_spec_element(d->spec, kind, i), &at));
  for (int k = 0; k < n; k++) CDNI_TRY(refer(d, out, kind, i, &r[k], io_spec_element(out, kind, at)));
  const char **name = io_spec_text(out, kind, at, io_element_kinds()[kind].fields[0].offset);
  return *name ? strip(d, out, name) : CDN_OK;
}

static cdn_status detach_key(detaching *d, cdn_spec *out, int i) {
  cdn_spec_key key;
  int at;
  cdn_status status = io_key_select(d->spec, io_spec_key(d->spec, i), &d->members, true, &key);
  if (status == CDN_OK) status = io_spec_append(out, CDN_SPEC_KEY, &key, &at);
  io_key_free(d->spec, &key);
  CDNI_TRY(status);
  const char **name = &io_spec_key(out, at)->name;
  return *name ? strip(d, out, name) : CDN_OK;
}

static cdn_status detach_all(detaching *d, cdn_spec *out) {
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++)
    for (int i = 0; i < d->members.n[kind]; i++)
      if (d->members.of[kind][i])
        CDNI_TRY(kind == CDN_SPEC_KEY ? detach_key(d, out, i) : detach_element(d, out, (cdn_spec_kind)kind, i));
  return CDN_OK;
}

/* ---- what has not changed -------------------------------------------------------------------- */

static bool is_same(cdn_spec_kind kind, const void *a, const void *b) {
  const io_element_kind *k = &io_element_kinds()[kind];
  for (int i = 0; i < k->n_fields; i++)
    if (!io_field_equal(&k->fields[i], a, b)) return false;
  return true;
}

/* Element i of the original, among those of its name: of items of tendons, which may share one, the next. */
static int next_original(const cdn_spec *original, const io_spec_index *names, cdn_spec_kind kind, const char *name,
                         int *item) {
  if (kind != CDN_SPEC_PATH_ITEM) return io_spec_index_find(names, kind, name);
  for (int i = *item; i < cdn_spec_count(original, kind); i++)
    if (strcmp(io_element_name(original, kind, i), name) == 0) return *item = i + 1, i;
  return -1;
}

/* Attached once more, an element that nobody has changed has the same bits: then it is the original. */
static cdn_status restore_element(detaching *d, cdn_spec *out, cdn_spec *scratch, const io_spec_index *names,
                                  cdn_spec_kind kind, int from, int to, int *item) {
  const cdn_spec *original = CDNI_AT(d->spec->attached, io_attached, d->attached).original;
  const int k = next_original(original, names, kind, io_element_name(out, kind, to), item);
  if (k < 0) return CDN_OK;
  cdn_status status = io_attach_element(scratch, original, names, kind, k, &d->ground);
  const int made = cdn_spec_count(scratch, kind) - 1;
  const bool same =
      status == CDN_OK && is_same(kind, io_spec_element(scratch, kind, made), io_spec_element(d->spec, kind, from));
  io_spec_clear(scratch);
  return same ? io_spec_replace(out, kind, to, io_spec_element(original, kind, k)) : status;
}

static cdn_status restore_all(detaching *d, cdn_spec *out, cdn_spec *scratch, const io_spec_index *names) {
  int item = 0;
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++) {
    int to = 0;
    for (int i = 0; i < d->members.n[kind]; i++)
      if (d->members.of[kind][i]) {
        if (kind != CDN_SPEC_KEY) CDNI_TRY(restore_element(d, out, scratch, names, (cdn_spec_kind)kind, i, to, &item));
        to++;
      }
  }
  return CDN_OK;
}

static cdn_status restore(detaching *d, cdn_spec *out) {
  const cdn_spec *original = CDNI_AT(d->spec->attached, io_attached, d->attached).original;
  io_spec_index names;
  cdn_spec *scratch = io_spec_start(d->spec->log.allocator, d->spec->log.file);
  cdn_status status = io_spec_index_make(original, &names);
  if (!scratch || !scratch->log.file) status = CDN_ERR_NOMEM;
  if (status == CDN_OK) status = restore_all(d, out, scratch, &names);
  io_spec_index_free(original, &names);
  cdn_spec_destroy(scratch);
  return status;
}

/* ---- what is said of the whole --------------------------------------------------------------- */

static cdn_status start(detaching *d, cdn_spec **out) {
  const cdn_spec *from = d->attached >= 0 ? CDNI_AT(d->spec->attached, io_attached, d->attached).original : d->spec;
  *out = io_spec_start(d->spec->log.allocator, from->log.file);
  if (!*out || !(*out)->log.file) return CDN_ERR_NOMEM;
  (*out)->whole = from->whole;
  (*out)->log.body_word = from->log.body_word;
  (*out)->log.files = from->log.files;
  CDNI_TRY(cdn_spec_set_name(*out, cdn_spec_name(from)));
  return d->attached >= 0 ? io_log_copy(&(*out)->log, &from->log) : CDN_OK;
}

/* What is attached to what goes, goes along. */
static cdn_status take_attached(detaching *d, cdn_spec *out) {
  for (size_t i = 0; i < d->spec->attached.count; i++) {
    const io_attached *a = &CDNI_AT(d->spec->attached, io_attached, i);
    const int body = io_spec_index_find(&d->index, CDN_SPEC_BODY, a->body);
    const bool within = (int)i > d->attached && strncmp(a->prefix, d->prefix, strlen(d->prefix)) == 0;
    if ((int)i == d->attached || body < 0 || !d->members.of[CDN_SPEC_BODY][body] || !within) continue;
    CDNI_TRY(io_attached_take(out, a, strlen(d->prefix), strlen(d->suffix)));
  }
  return CDN_OK;
}

static void forget_attached(detaching *d) {
  size_t kept = 0;
  for (size_t i = 0; i < d->spec->attached.count; i++) {
    io_attached *a = &CDNI_AT(d->spec->attached, io_attached, i);
    const int body = io_spec_index_find(&d->index, CDN_SPEC_BODY, a->body);
    if ((int)i == d->attached || (body >= 0 && d->members.of[CDN_SPEC_BODY][body]))
      io_attached_free(&d->spec->log.allocator, a);
    else CDNI_AT(d->spec->attached, io_attached, kept++) = *a;
  }
  d->spec->attached.count = kept;
}

/* ---- detaching ------------------------------------------------------------------------------- */

static void tell_outboard(const detaching *d, cdn_tell_fn *tell, void *context) {
  for (int i = 0; tell && i < d->gone.n[CDN_SPEC_BODY]; i++) {
    char text[300];
    if (!d->gone.of[CDN_SPEC_BODY][i] || d->members.of[CDN_SPEC_BODY][i]) continue;
    cdni_print(text, sizeof text, "body '%.100s': deleted, for it is outboard of what is detached",
               io_element_name(d->spec, CDN_SPEC_BODY, i));
    tell(context, text);
  }
}

static cdn_status detach(detaching *d, cdn_tell_fn *tell, void *context, cdn_spec **out) {
  CDNI_TRY(mark(d));
  CDNI_TRY(start(d, out));
  CDNI_TRY(detach_all(d, *out));
  if (d->attached >= 0) CDNI_TRY(restore(d, *out));
  CDNI_TRY(take_attached(d, *out));
  CDNI_TRY(io_mark_outboard(d->spec, &d->index, d->gone.of[CDN_SPEC_BODY]));
  tell_outboard(d, tell, context);
  io_marks_spread(d->spec, &d->index, &d->gone, tell, context);
  CDNI_TRY(io_spec_shorten_keys(d->spec, &d->gone)); /* the last that can fail */
  if (d->attached >= 0) io_log_take(&d->spec->log, &CDNI_AT(d->spec->attached, io_attached, d->attached).original->log);
  forget_attached(d);
  io_spec_drop_marked(d->spec, &d->index, &d->gone);
  return CDN_OK;
}

/* The last of these names. */
static int find_attached(const cdn_spec *spec, const char *prefix, const char *suffix) {
  for (int i = cdn_spec_attached_count(spec) - 1; i >= 0; i--) {
    const io_attached *a = &CDNI_AT(spec->attached, io_attached, i);
    if (strcmp(a->prefix, prefix) == 0 && strcmp(a->suffix, suffix) == 0) return i;
  }
  return -1;
}

cdn_status cdn_spec_detach(cdn_spec *spec, const char *prefix, const char *suffix, cdn_tell_fn *tell, void *context,
                           cdn_spec **out) {
  if (out) *out = NULL;
  if (!spec) return cdni_misses(function, "spec");
  if (!out) return io_edit_fail(spec, CDN_ERR_ARG, function, "where the detached spec shall go is NULL");
  detaching d = { .spec = spec, .prefix = prefix ? prefix : "", .suffix = suffix ? suffix : "" };
  d.ground.X_BA = cdn_transform_identity(), d.ground.prefix = d.prefix, d.ground.suffix = d.suffix;
  if (!d.prefix[0] && !d.suffix[0])
    return io_edit_fail(spec, CDN_ERR_ARG, function,
                        "give the prefix or the suffix under which something was attached: what has neither cannot be "
                        "told from the rest");
  d.attached = find_attached(spec, d.prefix, d.suffix);
  if (d.attached >= 0) {
    const io_attached *a = &CDNI_AT(spec->attached, io_attached, d.attached);
    d.ground.body = a->body, d.ground.X_BA = a->X_BA, d.on_a_body = true;
  }
  cdn_status status = detach(&d, tell, context, out);
  if (status == CDN_ERR_NOMEM) status = no_memory(spec);
  io_marks_free(spec, &d.members);
  io_marks_free(spec, &d.gone);
  io_spec_index_free(spec, &d.index);
  if (status == CDN_OK) return CDN_OK;
  cdn_spec_destroy(*out);
  *out = NULL;
  return status;
}
