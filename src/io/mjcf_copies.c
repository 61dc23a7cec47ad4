/* Copies that <replicate> makes: their suffixes, and what names something in them. A sensor on a site, of which there
 * are ten, becomes ten sensors. The elements themselves are copied in the document, with their names and their
 * references changed, before their sections are read. As in MuJoCo they come copy by copy, after what is not copied. */
#include <stddef.h>
#include <stdio.h>

#include "io/mjcf_expand.h"
#include "io/xml.h"

/* That which has the text. */
static mjcf_suffix *suffix_of(const char *text) {
  return text ? (mjcf_suffix *)(void *)((char *)text - offsetof(mjcf_suffix, text)) : NULL;
}

static mjcf_suffix *suffix_at(const mjcf_reader *r, int i) {
  return i >= 0 && i < (int)r->suffixes.count ? CDNI_AT(r->suffixes, mjcf_suffix *, i) : NULL;
}

cdn_status io_mjcf_make_suffix(mjcf_reader *r, const char *separator, int count, int i, const char *outer,
                               const char **out) {
  const int digits = snprintf(NULL, 0, "%d", count);
  mjcf_suffix *s = cdni_calloc(&r->log->allocator, sizeof *s);
  if (!s || !cdni_array_push(&r->log->allocator, &r->suffixes, sizeof s, &s)) {
    cdni_free(&r->log->allocator, s, sizeof *s);
    return io_mjcf_out_of_memory(r);
  }
  s->index = (int)r->suffixes.count - 1, s->outer = outer;
  s->first = s->last = s->next = -1;
  mjcf_suffix *around = suffix_of(outer);
  if (around && around->last >= 0) suffix_at(r, around->last)->next = s->index;
  if (around && around->first < 0) around->first = s->index;
  if (around) around->last = s->index;
  snprintf(s->text, sizeof s->text, "%.20s%0*d%.20s", separator ? separator : "", digits, i, outer ? outer : "");
  *out = s->text;
  return CDN_OK;
}

/* Copies within a copy come after it, and before the next copy. */
static const mjcf_suffix *following(const mjcf_reader *r, const mjcf_suffix *s) {
  if (s->first >= 0) return suffix_at(r, s->first);
  for (; s->outer; s = suffix_of(s->outer))
    if (s->next >= 0) return suffix_at(r, s->next);
  const mjcf_suffix *next = suffix_at(r, s->index + 1);
  while (next && next->outer) next = suffix_at(r, next->index + 1);
  return next;
}

static void note(mjcf_reader *r, mjcf_named kind, const char *bare, const char *full, int suffix) {
  const cdn_allocator *a = &r->log->allocator;
  char *kept = cdni_strdup(a, full), *plain = cdni_strdup(a, bare);
  bool good = kept && cdni_array_push(a, &r->copied_names, sizeof kept, &kept);
  if (!good) cdni_strfree(a, kept);
  const bool held = plain && cdni_array_push(a, &r->copied_names, sizeof plain, &plain);
  if (!held) cdni_strfree(a, plain);
  good = good && held && io_names_add(a, &r->copied[kind], kept, suffix) >= 0 &&
         io_names_add(a, &r->bare[kind], plain, 0) >= 0;
  if (!good) io_mjcf_out_of_memory(r); /* the log keeps it, and reading ends with it */
}

void io_mjcf_note_copy(mjcf_reader *r, const io_xml_node *node, const char *full_name) {
  const mjcf_named kind = io_mjcf_kind_of_element(node);
  if (kind < MJCF_OF_KINDS && io_names_find(&r->copied[kind], full_name) < 0)
    note(r, kind, io_xml_peek(node, "name"), full_name, suffix_of(r->suffix)->index);
}

void io_mjcf_note_attached(mjcf_reader *r, mjcf_named kind, const char *bare, const char *full, const char *suffix) {
  note(r, kind, bare, full, suffix_of(suffix)->index);
}

/* ---- what a reference means in a copy ---- */

static bool is_copied(const mjcf_reader *r, const mjcf_reference *ref) {
  return io_mjcf_is_of_the_model(ref) && io_names_find(&r->bare[ref->of], ref->text) >= 0;
}

/* The suffix that the name has in the copy s: its own, or that of a copy around it. NULL: it is not in these. */
static const mjcf_suffix *resolve(const mjcf_reader *r, const mjcf_reference *ref, const mjcf_suffix *s) {
  char full[512];
  for (; s; s = suffix_of(s->outer)) {
    snprintf(full, sizeof full, "%.440s%s", ref->text, s->text);
    if (io_names_find(&r->copied[ref->of], full) == s->index) return s;
  }
  return NULL;
}

/* What is known of an element in a copy. */
typedef struct finding {
  const mjcf_suffix *s;
  bool touched; /* something that it names is copied */
  bool own;     /* something is copied just so often */
  bool whole;   /* everything is in this copy, or is not copied at all */
  bool mixed;   /* something is not copied at all */
} finding;

static void look(const mjcf_reader *r, const io_xml_node *node, finding *f) {
  mjcf_reference ref;
  for (int i = 0; io_mjcf_reference(node, i, &ref); i++) {
    if (!io_mjcf_is_of_the_model(&ref)) continue;
    if (!is_copied(r, &ref)) {
      f->mixed = true;
      continue;
    }
    f->touched = true;
    const mjcf_suffix *found = f->s ? resolve(r, &ref, f->s) : NULL;
    f->own = f->own || (found && found == f->s);
    f->whole = f->whole && found;
  }
}

/* Of an element with what is directly in it, as joints are in a tendon. */
static finding find(const mjcf_reader *r, const io_xml_node *node, const mjcf_suffix *s) {
  finding f = { .s = s, .whole = true };
  look(r, node, &f);
  for (const io_xml_node *child = io_xml_first(node); child; child = io_xml_next(child)) look(r, child, &f);
  return f;
}

/* ---- copying ---- */

static bool rename_references(mjcf_reader *r, io_xml_node *node, const mjcf_suffix *s) {
  mjcf_reference ref;
  bool good = true;
  for (int i = 0; good && io_mjcf_reference(node, i, &ref); i++)
    if (is_copied(r, &ref)) good = io_xml_affix(node, ref.attribute, "", resolve(r, &ref, s)->text);
  return good;
}

static cdn_status copy(mjcf_reader *r, io_xml_node *node, mjcf_named kind, const mjcf_suffix *s) {
  const char *name = io_xml_peek(node, "name");
  io_xml_node *made = io_xml_duplicate(node);
  bool good = made && rename_references(r, made, s);
  for (io_xml_node *child = good ? io_xml_first(made) : NULL; child && good; child = io_xml_next(child))
    good = rename_references(r, child, s);
  if (good && name && name[0]) {
    good = io_xml_affix(made, "name", "", s->text);
    if (good && kind < MJCF_OF_KINDS) note(r, kind, name, io_xml_peek(made, "name"), s->index);
  }
  return good ? r->log->error.code : io_mjcf_out_of_memory(r);
}

/* MuJoCo 3.14 has no equality between what is copied and what is not. Here it is left out, with a note, where its
 * section is read. */
static bool belongs(const finding *f, const io_xml_node *section) {
  return f->own && f->whole && !(f->mixed && io_xml_is(section, "equality"));
}

static cdn_status copy_all(mjcf_reader *r, const io_xml_node *section, mjcf_named kind, cdni_array *touched) {
  bool *made = cdni_calloc(&r->log->allocator, touched->count + 1);
  cdn_status status = made ? CDN_OK : io_mjcf_out_of_memory(r);
  for (const mjcf_suffix *s = suffix_at(r, 0); s && status == CDN_OK; s = following(r, s))
    for (size_t i = 0; i < touched->count && status == CDN_OK; i++) {
      io_xml_node *node = CDNI_AT(*touched, io_xml_node *, i);
      const finding f = find(r, node, s);
      if (!belongs(&f, section)) continue;
      status = copy(r, node, kind, f.s);
      made[i] = true;
    }
  for (size_t i = 0; i < touched->count && status == CDN_OK; i++)
    if (made[i]) io_xml_remove(CDNI_AT(*touched, io_xml_node *, i));
  cdni_free(&r->log->allocator, made, touched->count + 1);
  return status;
}

static cdn_status copy_section(mjcf_reader *r, io_xml_node *section) {
  const mjcf_named kind = io_xml_is(section, "tendon")     ? MJCF_OF_TENDON
                          : io_xml_is(section, "actuator") ? MJCF_OF_ACTUATOR
                                                           : MJCF_OF_ANYTHING;
  cdni_array touched = { 0 }; /* io_xml_node * */
  mjcf_walk walk = io_mjcf_walk(r, section);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;)
    if (find(r, child, NULL).touched && !cdni_array_push(&r->log->allocator, &touched, sizeof child, &child))
      walk.status = io_mjcf_out_of_memory(r);
  cdn_status status = walk.status;
  if (status == CDN_OK) status = copy_all(r, section, kind, &touched);
  cdni_array_free(&r->log->allocator, &touched);
  return status;
}

cdn_status io_mjcf_copy_references(mjcf_reader *r) {
  static const char *const sections[] = { "tendon", "contact", "equality", "actuator", "sensor" };
  for (int i = 0; i < CDNI_COUNT(sections) && r->suffixes.count > 0; i++)
    CDNI_TRY(io_mjcf_read_sections(r, r->root, sections[i], copy_section));
  return CDN_OK;
}

void io_mjcf_free_copies(mjcf_reader *r) {
  const cdn_allocator *a = &r->log->allocator;
  for (size_t i = 0; i < r->suffixes.count; i++)
    cdni_free(a, CDNI_AT(r->suffixes, mjcf_suffix *, i), sizeof(mjcf_suffix));
  for (size_t i = 0; i < r->copied_names.count; i++) cdni_strfree(a, CDNI_AT(r->copied_names, char *, i));
  cdni_array_free(a, &r->suffixes);
  cdni_array_free(a, &r->copied_names);
  for (int i = 0; i < MJCF_OF_KINDS; i++) io_names_free(a, &r->copied[i]), io_names_free(a, &r->bare[i]);
}
