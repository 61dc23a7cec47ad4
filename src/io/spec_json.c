/* Reads a spec from JSON, as spec_json_write.c writes it. Elements are read by the table of fields; what a file does
 * not say has its default. */
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "io/joints.h"
#include "io/spec_fields.h"

/* Numbers that are freed when their element has been added. */
typedef struct io_list {
  double *at;
  size_t n;
} io_list;

/* An element that is read: how messages call it. */
typedef struct place {
  io_log *log;
  const char *kind, *name;
  int i;
} place;

static cdn_status wrong(const place *p, const char *member, const char *what) {
  return io_fail(p->log, CDN_ERR_PARSE, 0, "%s %d%s%.80s%s: \"%.60s\" %s", p->kind, p->i, p->name ? " '" : "",
                 p->name ? p->name : "", p->name ? "'" : "", member, what);
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool read_number(const json_t *value, double *x) {
  if (json_is_number(value)) {
    *x = json_number_value(value);
    return true;
  }
  const char *text = json_string_value(value);
  if (!text || (strcmp(text, "inf") != 0 && strcmp(text, "-inf") != 0 && strcmp(text, "nan") != 0)) return false;
  *x = text[0] == 'n' ? NAN : text[0] == '-' ? -INFINITY : INFINITY;
  return true;
}

/* The numbers of a list, or of lists in a list, one after another; more than `n` are counted and not kept. */
static bool read_numbers(const json_t *value, double *x, size_t n, size_t *found) {
  if (!json_is_array(value)) {
    double one;
    if (!read_number(value, &one)) return false;
    if (*found < n) x[*found] = one;
    ++*found;
    return true;
  }
  size_t k;
  json_t *item;
  json_array_foreach(value, k, item) {
    if (json_is_array(item) && json_array_size(item) > 0 && json_is_array(json_array_get(item, 0))) return false;
    if (!read_numbers(item, x, n, found)) return false;
  }
  return true;
}

static cdn_status read_array(const place *p, const io_field *f, const json_t *value, double *x) {
  size_t found = 0;
  char what[80];
  if (read_numbers(value, x, (size_t)f->count, &found) && found == (size_t)f->count) return CDN_OK;
  snprintf(what, sizeof what, "should be %d number%s", f->count, f->count == 1 ? "" : "s");
  return wrong(p, f->name, what);
}

/* Lists of one length share it. `lists` keeps what is to be freed. */
static cdn_status read_list(const place *p, const io_field *f, const json_t *value, void *element, cdni_array *lists) {
  const cdn_allocator *a = &p->log->allocator;
  size_t n = 0;
  if (!json_is_array(value) || !read_numbers(value, NULL, 0, &n) || n > INT_MAX / 8)
    return wrong(p, f->name, "should be a list of numbers");
  if (n == 0) return CDN_OK;
  double *x = cdni_alloc(a, n * sizeof *x);
  const io_list kept = { x, n };
  if (!x || !cdni_array_push(a, lists, sizeof kept, &kept)) {
    if (x) cdni_free(a, x, n * sizeof *x);
    return io_fail(p->log, CDN_ERR_NOMEM, 0, "out of memory");
  }
  size_t found = 0;
  read_numbers(value, x, n, &found);
  int *length = (int *)(void *)((char *)element + f->length);
  if (*length != 0 && *length != (int)n) return wrong(p, f->name, "has another length than the list that goes with it");
  *length = (int)n;
  *(const double **)(void *)((char *)element + f->offset) = x;
  return CDN_OK;
}

static cdn_status read_word(const place *p, const io_field *f, const json_t *value, int *out) {
  const char *text = json_string_value(value);
  char words[600] = "";
  size_t used = 0;
  for (int k = 0; f->word(k); k++) {
    if (text && strcmp(f->word(k), text) == 0) {
      *out = k;
      return CDN_OK;
    }
    if (used < sizeof words)
      used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", k ? ", " : "should be one of: ", f->word(k));
  }
  return wrong(p, f->name, words);
}

static cdn_status read_texts(const place *p, const io_field *f, const json_t *value, const char **out) {
  if (f->count > 1 && (!json_is_array(value) || json_array_size(value) > (size_t)f->count))
    return wrong(p, f->name, "should be a list of texts, and is none, or too long");
  for (int k = 0; k < f->count; k++) {
    const json_t *item = f->count > 1 ? json_array_get(value, (size_t)k) : value;
    if (item && !json_is_null(item) && !json_is_string(item)) return wrong(p, f->name, "should be a text");
    out[k] = item ? json_string_value(item) : NULL;
  }
  return CDN_OK;
}

static cdn_status read_integers(const place *p, const io_field *f, const json_t *value, int *out) {
  for (int k = 0; k < f->count; k++) {
    const json_t *item = f->count > 1 ? json_array_get(value, (size_t)k) : value;
    const json_int_t x = json_integer_value(item);
    if (!json_is_integer(item) || x < INT_MIN || x > INT_MAX ||
        (f->count > 1 && json_array_size(value) != (size_t)f->count))
      return wrong(p, f->name, f->count > 1 ? "should be a list of whole numbers" : "should be a whole number");
    out[k] = (int)x;
  }
  return CDN_OK;
}

static cdn_status read_letters(const place *p, const io_field *f, const json_t *value, char *out) {
  const char *text = json_string_value(value);
  if (!text || strlen(text) >= (size_t)f->count) return wrong(p, f->name, "should be a short text");
  memset(out, 0, (size_t)f->count);
  memcpy(out, text, strlen(text));
  return CDN_OK;
}

static cdn_status read_field(const place *p, const io_field *f, const json_t *value, void *element, cdni_array *lists) {
  void *at = (char *)element + f->offset;
  switch (f->type) {
    case IO_FIELD_TEXT: return read_texts(p, f, value, at);
    case IO_FIELD_TRUTH:
      if (!json_is_boolean(value)) return wrong(p, f->name, "should be true or false");
      *(bool *)at = json_is_true(value);
      return CDN_OK;
    case IO_FIELD_INTEGER: return read_integers(p, f, value, at);
    case IO_FIELD_WORD: return read_word(p, f, value, at);
    case IO_FIELD_LETTERS: return read_letters(p, f, value, at);
    case IO_FIELD_NUMBER: return read_array(p, f, value, at);
    case IO_FIELD_LIST: return read_list(p, f, value, element, lists);
  }
  return CDN_ERR_ARG; /* no such type */
}

/* ---- elements -------------------------------------------------------------------------------- */

static const io_field *find_field(const io_element_kind *kind, const char *name) {
  for (int k = 0; k < kind->n_fields; k++)
    if (strcmp(kind->fields[k].name, name) == 0) return &kind->fields[k];
  return NULL;
}

static cdn_status read_element(const place *p, const io_element_kind *kind, json_t *value, void *element,
                               cdni_array *lists) {
  const char *member;
  json_t *item;
  kind->start(element);
  if (!json_is_object(value)) return io_fail(p->log, CDN_ERR_PARSE, 0, "%s %d should be an object: {}", p->kind, p->i);
  json_object_foreach(value, member, item) {
    const io_field *f = find_field(kind, member);
    if (!f) return wrong(p, member, "is unknown; docs/convert.md tells which members there are");
    CDNI_TRY(read_field(p, f, item, element, lists));
  }
  return CDN_OK;
}

static void free_lists(const cdn_allocator *a, cdni_array *lists) {
  for (size_t k = 0; k < lists->count; k++) {
    const io_list *list = &CDNI_AT(*lists, io_list, k);
    cdni_free(a, list->at, list->n * sizeof *list->at);
  }
  cdni_array_free(a, lists);
}

/* A mobilizer without the objects that it is made of cannot be built. */
static cdn_status check_kind(const place *p, cdn_spec_kind which, const io_any_element *element) {
  const bool joint = which == CDN_SPEC_JOINT;
  if (joint && (element->joint.kind == CDN_FUNCTION_BASED || element->joint.kind == CDN_CUSTOM_MOBILIZER))
    return wrong(p, "kind", "is made of functions, which a file cannot hold");
  return CDN_OK;
}

static cdn_status read_kind(cdn_spec *spec, cdn_spec_kind which, json_t *list) {
  const io_element_kind *kind = &io_element_kinds()[which];
  size_t i;
  json_t *item;
  if (!json_is_array(list)) return io_fail(&spec->log, CDN_ERR_PARSE, 0, "\"%s\" should be a list: []", kind->plural);
  json_array_foreach(list, i, item) {
    const place p = { &spec->log, kind->word, json_string_value(json_object_get(item, "name")), (int)i };
    io_any_element element;
    cdni_array lists = { 0 };
    cdn_status status = read_element(&p, kind, item, &element, &lists);
    if (status == CDN_OK) status = check_kind(&p, which, &element);
    if (status == CDN_OK) status = io_spec_add(spec, which, &element, NULL);
    free_lists(&spec->log.allocator, &lists);
    if (status != CDN_OK) return status;
  }
  return CDN_OK;
}

/* Of the solver or the medium. */
static cdn_status read_whole(cdn_spec *spec, const io_element_kind *kind, json_t *value, void *element) {
  const place p = { &spec->log, kind->word, NULL, 0 };
  cdni_array lists = { 0 };
  return read_element(&p, kind, value, element, &lists); /* without lists */
}

static cdn_status read_solver(cdn_spec *spec, json_t *value) {
  cdn_spec_solver solver;
  CDNI_TRY(read_whole(spec, io_solver_fields(), value, &solver));
  const char *mistake = io_check_solver(&solver);
  if (mistake) return io_fail(&spec->log, CDN_ERR_PARSE, 0, "the solver: %s", mistake);
  spec->whole.solver = solver;
  spec->whole.has_solver = true;
  return CDN_OK;
}

static cdn_status read_medium(cdn_spec *spec, json_t *value) {
  cdn_spec_medium medium;
  CDNI_TRY(read_whole(spec, io_medium_fields(), value, &medium));
  const char *mistake = io_check_medium(&medium);
  if (mistake) return io_fail(&spec->log, CDN_ERR_PARSE, 0, "the medium: %s", mistake);
  spec->whole.medium = medium;
  return CDN_OK;
}

static cdn_status read_flag(cdn_spec *spec, const char *name, const json_t *value, bool *flag) {
  if (!json_is_boolean(value)) return io_fail(&spec->log, CDN_ERR_PARSE, 0, "\"%s\" should be true or false", name);
  *flag = json_is_true(value);
  return CDN_OK;
}

static cdn_status read_gravity(cdn_spec *spec, const json_t *value) {
  double g[3];
  size_t found = 0;
  if (!read_numbers(value, g, 3, &found) || found != 3 ||
      cdn_spec_set_gravity(spec, cdn_v3(g[0], g[1], g[2])) != CDN_OK)
    return io_fail(&spec->log, CDN_ERR_PARSE, 0, "\"gravity\" should be three finite numbers");
  return CDN_OK;
}

static cdn_status read_notes(cdn_spec *spec, const json_t *value) {
  size_t i;
  json_t *item;
  json_array_foreach(value, i, item) if (json_is_string(item))
      io_not_understood(&spec->log, 0, json_string_value(item));
  return spec->log.error.code;
}

static cdn_status read_member(cdn_spec *spec, const char *name, json_t *value) {
  io_whole *w = &spec->whole;
  if (strcmp(name, "cardan model") == 0) {
    if (json_is_integer(value) && json_integer_value(value) == 1) return CDN_OK;
    return io_fail(&spec->log, CDN_ERR_UNSUPPORTED, 0, "\"cardan model\" should be 1, the version that is read here");
  }
  if (strcmp(name, "name") == 0 && json_is_string(value)) return cdn_spec_set_name(spec, json_string_value(value));
  if (strcmp(name, "gravity") == 0) return read_gravity(spec, value);
  if (strcmp(name, "solver") == 0) return read_solver(spec, value);
  if (strcmp(name, "medium") == 0) return read_medium(spec, value);
  if (strcmp(name, "meshes have looks") == 0) return read_flag(spec, name, value, &w->meshes_have_looks);
  if (strcmp(name, "parents touch") == 0) return read_flag(spec, name, value, &w->parents_touch);
  if (strcmp(name, "overlaps pass") == 0) return read_flag(spec, name, value, &w->overlaps_pass);
  if (strcmp(name, "not simulated") == 0) return read_notes(spec, value);
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++)
    if (strcmp(name, io_element_kinds()[kind].plural) == 0) return read_kind(spec, (cdn_spec_kind)kind, value);
  return io_fail(&spec->log, CDN_ERR_PARSE, 0, "\"%.60s\" is unknown; docs/convert.md tells what a model holds", name);
}

static cdn_status read_root(cdn_spec *spec, json_t *root) {
  const char *name;
  json_t *value;
  if (!json_is_object(root) || !json_object_get(root, "cardan model"))
    return io_fail(&spec->log, CDN_ERR_PARSE, 1, "a model in JSON begins with { \"cardan model\": 1");
  json_object_foreach(root, name, value) CDNI_TRY(read_member(spec, name, value));
  return CDN_OK;
}

cdn_status io_read_json(cdn_spec *spec, const char *text, size_t size) {
  json_error_t error;
  json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
  if (!root) return io_fail(&spec->log, CDN_ERR_PARSE, error.line, "%s", error.text);
  const cdn_status status = read_root(spec, root);
  json_decref(root);
  return status;
}
