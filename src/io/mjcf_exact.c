/* Numbers of a spec to the last bit, in a file of MJCF: where the reader's arithmetic changes a number by rounding,
 *
 *   <custom> <text name="cardan|body|pelvis|inertia" data="..."/> </custom>
 *
 * has it as it was. MuJoCo keeps such texts and does not look at them. A number that has been edited since is not near
 * to the one here, and counts. */
#include <stdio.h>
#include <stdlib.h>

#include "io/mjcf.h"
#include "io/mjcf_write.h"

static const char prefix[] = "cardan|";

/* ---- writing --------------------------------------------------------------------------------- */

/* What is compared: the spec, what is read of the file, and what is not told about. */
typedef struct comparing {
  mjcf_writer *w;
  const cdn_spec *read;
  const io_lost *lost;
  int n_lost, n_exact;
  char first[600]; /* of what is lost, for the message */
} comparing;

static void tell(comparing *c, const io_element_kind *kind, const char *name, const char *what) {
  char text[300];
  snprintf(text, sizeof text, "%s '%.120s'%s%.60s", kind->word, name ? name : "", what[0] ? ": " : "", what);
  if (c->lost && c->lost->tell) c->lost->tell(c->lost->context, text);
  const size_t used = strlen(c->first);
  if (c->n_lost < 4) snprintf(c->first + used, sizeof c->first - used, "%s%.120s", used ? "; " : "", text);
  c->n_lost++;
}

/* Fields that say nothing of motion and looks, that MJCF has for all alike, or that name a file as seen from
 * elsewhere. */
static bool says_nothing(cdn_spec_kind kind, const io_field *f, const io_any_element *e) {
  static const struct {
    cdn_spec_kind kind;
    const char *field;
  } free[] = { { CDN_SPEC_BODY, "allow_improper" }, { CDN_SPEC_BODY, "must_be_base" }, { CDN_SPEC_ACTUATOR, "unit" },
               { CDN_SPEC_PATH_ITEM, "name" },      { CDN_SPEC_CONTACT, "name" },      { CDN_SPEC_ASSET, "file" },
               { CDN_SPEC_ASSET, "side_file" } };
  for (int i = 0; i < CDNI_COUNT(free); i++)
    if (free[i].kind == kind && strcmp(free[i].field, f->name) == 0) return true;
  /* Zero stands for the usual numbers of a stop. */
  const bool of_stop = strcmp(f->name, "limit_timeconst") == 0 || strcmp(f->name, "limit_dampratio") == 0;
  if (kind == CDN_SPEC_JOINT && of_stop) return *io_field_numbers(f, e) == 0;
  return kind == CDN_SPEC_SHAPE && !e->shape.collision &&
         (strcmp(f->name, "contype") == 0 || strcmp(f->name, "conaffinity") == 0);
}

static const char *name_of(const io_element_kind *kind, const void *element) {
  return *(const char *const *)io_field_at(&kind->fields[0], element);
}

static cdn_status put_exact(comparing *c, const io_element_kind *kind, const char *name, int i, const io_field *f,
                            const void *element) {
  char of[400], number[CDN_NUMBER_SIZE];
  const double *x = io_field_numbers(f, element);
  if (c->n_exact++ == 0) {
    CDNI_TRY(io_put_begin(&c->w->xml, "custom"));
    CDNI_TRY(io_put_into(&c->w->xml));
  }
  if (name) snprintf(of, sizeof of, "%s%s|%.300s|%s", prefix, kind->word, name, f->name);
  else snprintf(of, sizeof of, "%s%s|#%d|%s", prefix, kind->word, i, f->name);
  CDNI_TRY(io_put_begin(&c->w->xml, "text"));
  CDNI_TRY(io_put_text(&c->w->xml, "name", of));
  CDNI_TRY(io_put(c->w->xml.to, " data=\""));
  for (int k = 0; k < io_field_count(f, element); k++)
    CDNI_TRY(io_put(c->w->xml.to, "%s%s", k ? " " : "", cdn_number_text(x[k], number)));
  CDNI_TRY(io_put(c->w->xml.to, "\""));
  return io_put_end(&c->w->xml);
}

static cdn_status compare_element(comparing *c, cdn_spec_kind which, int i, int j) {
  const io_element_kind *kind = &io_element_kinds()[which];
  io_any_element a, b;
  kind->start(&a), kind->start(&b);
  CDNI_TRY(kind->get(c->w->spec, i, &a));
  CDNI_TRY(kind->get(c->read, j, &b));
  const char *name = name_of(kind, &a);
  for (int k = 0; k < kind->n_fields; k++) {
    const io_field *f = &kind->fields[k];
    if (io_field_equal(f, &a, &b) || says_nothing(which, f, &a)) continue;
    if (io_field_near(f, &a, &b))
      CDNI_TRY(put_exact(c, kind, cdn_spec_find(c->w->spec, which, name) == i ? name : NULL, i, f, &a));
    else tell(c, kind, name, f->name);
  }
  return CDN_OK;
}

static bool same_text(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

/* Exclusions and pairs are known by whom they are of. */
static int find_contact(const cdn_spec *spec, const cdn_spec_contact *of) {
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_CONTACT); i++) {
    const cdn_spec_contact *c = io_spec_contact(spec, i);
    if (c->exclude == of->exclude && same_text(c->body_a, of->body_a) && same_text(c->body_b, of->body_b) &&
        same_text(c->shape_a, of->shape_a) && same_text(c->shape_b, of->shape_b))
      return i;
  }
  return -1;
}

/* The element that element i has become; -1: none. */
static int find_again(const comparing *c, cdn_spec_kind which, int i, const io_any_element *a, const char *name) {
  if (which == CDN_SPEC_CONTACT) return find_contact(c->read, &a->contact);
  const bool named = name && cdn_spec_find(c->w->spec, which, name) == i;
  const int j = named ? cdn_spec_find(c->read, which, name) : i;
  return j < cdn_spec_count(c->read, which) ? j : -1;
}

static cdn_status compare(comparing *c) {
  for (int which = 0; which < CDN_SPEC_KIND_COUNT; which++) {
    const io_element_kind *kind = &io_element_kinds()[which];
    for (int i = 0; i < cdn_spec_count(c->w->spec, (cdn_spec_kind)which); i++) {
      io_any_element a;
      kind->start(&a);
      CDNI_TRY(kind->get(c->w->spec, i, &a));
      const char *name = name_of(kind, &a);
      const int j = find_again(c, (cdn_spec_kind)which, i, &a, name);
      if (j < 0) tell(c, kind, name, "");
      else CDNI_TRY(compare_element(c, (cdn_spec_kind)which, i, j));
    }
  }
  return CDN_OK;
}

static cdn_status compare_with(mjcf_writer *w, const cdn_spec *read, const io_lost *lost) {
  comparing c = { w, read, lost, 0, 0, "" };
  CDNI_TRY(compare(&c));
  if (c.n_exact > 0) CDNI_TRY(io_put_close(&w->xml, "custom"));
  CDNI_TRY(io_put(w->xml.to, "</mujoco>\n"));
  if (c.n_lost == 0 || (lost && lost->tell)) return CDN_OK;
  return cdni_refuse(CDN_ERR_UNSUPPORTED, "cdn_spec_save", "MJCF cannot hold %d things, among them %s", c.n_lost,
                     c.first);
}

cdn_status io_mjcf_write_exact(mjcf_writer *w, const io_lost *lost) {
  cdn_buffer whole = { 0 };
  cdn_spec *read = NULL;
  cdn_status status = cdn_buffer_write(&whole, w->xml.to->bytes, w->xml.to->size);
  if (status == CDN_OK) status = io_put(&whole, "</mujoco>\n");
  if (status == CDN_OK) status = cdn_spec_load_string(whole.bytes, whole.size, w->path, NULL, &read);
  cdn_buffer_free(&whole);
  if (status == CDN_OK) status = compare_with(w, read, lost);
  else if (read)
    status = cdni_refuse(CDN_ERR_UNSUPPORTED, "cdn_spec_save", "as MJCF the model would not be read: %s",
                         read->log.error.text);
  cdn_spec_destroy(read);
  return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool begins(const char **at, const char *word) {
  const size_t n = strlen(word);
  if (strncmp(*at, word, n) != 0 || (*at)[n] != '|') return false;
  *at += n + 1;
  return true;
}

/* "body|pelvis|inertia" */
static bool find_named(const cdn_spec *spec, const char *of, cdn_spec_kind *which, int *i, const io_field **field) {
  const char *last = strrchr(of, '|');
  char name[400];
  for (int k = 0; k < CDN_SPEC_KIND_COUNT && last; k++) {
    const io_element_kind *kind = &io_element_kinds()[k];
    const char *at = of;
    if (!begins(&at, kind->word) || last < at || (size_t)(last - at) >= sizeof name) continue;
    snprintf(name, sizeof name, "%.*s", (int)(last - at), at);
    *which = (cdn_spec_kind)k;
    *i = name[0] == '#' ? atoi(name + 1) : cdn_spec_find(spec, *which, name);
    for (int m = 0; m < kind->n_fields; m++)
      if (strcmp(kind->fields[m].name, last + 1) == 0) *field = &kind->fields[m];
    return *field && *i >= 0 && *i < cdn_spec_count(spec, *which);
  }
  return false;
}

/* The field has these numbers, but for rounding. */
static bool put_back(mjcf_reader *r, cdn_spec_kind which, int i, const io_field *f, const double *x) {
  const io_element_kind *kind = &io_element_kinds()[which];
  io_any_element now, then;
  kind->start(&now);
  if (kind->get(r->spec, i, &now) != CDN_OK) return false;
  then = now;
  if (f->type == IO_FIELD_LIST) *(const double **)(void *)((char *)&then + f->offset) = x;
  else memcpy((char *)&then + f->offset, x, (size_t)f->count * sizeof *x);
  if (!io_field_near(f, &then, &now)) return false;
  memcpy((double *)io_field_numbers(f, io_spec_element(r->spec, which, i)), x,
         (size_t)io_field_count(f, &now) * sizeof *x);
  return true;
}

static cdn_status restore(mjcf_reader *r, io_xml_node *node) {
  const char *name = io_xml_string(node, "name"), *data = io_xml_string(node, "data");
  cdn_spec_kind which;
  int i, count = 0;
  const io_field *field = NULL;
  if (!name || !data || strncmp(name, prefix, strlen(prefix)) != 0) return CDN_OK;
  if (!find_named(r->spec, name + strlen(prefix), &which, &i, &field)) return CDN_OK; /* it was removed since */
  const int n = io_field_count(field, io_spec_element(r->spec, which, i));
  if (n < 1 || io_xml_count(data) != n || (field->type != IO_FIELD_NUMBER && field->type != IO_FIELD_LIST))
    return CDN_OK;
  double *x = cdni_alloc(&r->log->allocator, (size_t)n * sizeof *x);
  if (!x) return io_mjcf_out_of_memory(r);
  const cdn_status status = io_xml_doubles_upto(r->log, node, "data", x, n, n, &count);
  if (status == CDN_OK && !put_back(r, which, i, field, x))
    io_warn(r->log, io_xml_line(node),
            "<text name='%.120s'> is older than its element, whose numbers count: remove the text", name);
  cdni_free(&r->log->allocator, x, (size_t)n * sizeof *x);
  return status;
}

cdn_status io_mjcf_restore(mjcf_reader *r, io_xml_node *section) {
  mjcf_walk walk = io_mjcf_walk(r, section);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;)
    if (io_xml_is(child, "text")) CDNI_TRY(restore(r, child));
  return walk.status;
}
