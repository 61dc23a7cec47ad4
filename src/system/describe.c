/* Descriptions of Systems as lines of text; a checkpoint is compared with the description before it is loaded. */
#include <stdio.h>

#include "system/events.h"
#include "system/structs.h"

/* Lines "element <tab> nature", one after another. */
struct cdn_description {
  const cdn_allocator *allocator;
  cdni_array text; /* char */
  bool failed;     /* memory ran out */
};

/* A line of the text. Names may contain anything, so characters that end a field become blanks. */
static void add_field(cdn_description *d, const char *field, char end) {
  size_t n = strlen(field);
  char *to = d->failed ? NULL : cdni_array_extend(d->allocator, &d->text, 1, n + 1);
  if (!to) {
    d->failed = true;
    return;
  }
  for (size_t i = 0; i < n; i++) to[i] = (unsigned char)field[i] < ' ' ? ' ' : field[i];
  to[n] = end;
}

void cdn_describe(cdn_description *d, const char *element, const char *format, ...) {
  char what[320];
  va_list args;
  va_start(args, format);
  cdni_vprint(what, sizeof what, format, args);
  va_end(args);
  add_field(d, element ? element : "", '\t');
  add_field(d, what, '\n');
}

/* ---- everything that a State depends on ---- */

static void describe_variables(const cdn_system *s, cdn_description *d) {
  for (size_t i = TICKET_FIRST_FREE; i < s->nodes.count; i++) {
    const node *n = node_at(s, (int32_t)i);
    if (n->kind != NODE_VARIABLE) continue;
    if (n->storage == IN_REGION) cdn_describe(d, n->name, "a region of elements of %zu bytes", n->element);
    else cdn_describe(d, n->name, n->parameters ? "%zu bytes of parameters" : "%zu bytes", n->size);
  }
  for (size_t i = 0; i < s->autos.count; i++) {
    const auto_variable *a = &CDNI_AT(s->autos, auto_variable, i);
    cdn_describe(d, node_at(s, a->variable)->name, "updates itself");
  }
  if (s->keep_previous) cdn_describe(d, "previous values", "kept");
}

static void describe_events(const cdn_system *s, cdn_description *d) {
  static const char *const kinds[] = { "triggered",     "scheduled",    "periodic",
                                       "of every step", "of the start", "of the end" };
  for (size_t i = 0; i < s->events.count; i++) {
    const cdn_event_def *def = &cdni_event_at(s, (int)i)->def;
    cdn_describe(d, def->name, "an event %s%s, at stage %s, %d samples, %d times", kinds[def->kind],
                 def->handle || def->handle_set ? " with a handler" : "", cdn_stage_name(def->stage), def->samples,
                 def->n_times);
  }
}

static void describe_system(const cdn_system *s, cdn_description *d) {
  for (size_t i = 0; i < s->subsystems.count; i++) {
    const subsystem *sub = &CDNI_AT(s->subsystems, subsystem, i);
    if (sub->ops.describe) sub->ops.describe(sub->self, s, d);
    cdn_describe(d, sub->name, "a subsystem of %d q, %d u, %d z", sub->runs.nq, sub->runs.nu, sub->runs.nz);
  }
  describe_variables(s, d);
  describe_events(s, d);
}

/* ---- comparing ---- */

/* A line as two strings; an empty one where the text has ended. */
typedef struct line {
  char element[96], what[160];
} line;

static line line_at(const char *text, size_t n, size_t at) {
  line l = { "", "" };
  const char *from = text + at, *end = at < n ? memchr(from, '\n', n - at) : NULL;
  const char *tab = end ? memchr(from, '\t', (size_t)(end - from)) : NULL;
  if (!tab) return l;
  snprintf(l.element, sizeof l.element, "%.*s", (int)(tab - from), from);
  snprintf(l.what, sizeof l.what, "%.*s", (int)(end - tab - 1), tab + 1);
  return l;
}

static cdn_status tell_difference(cdn_state *state, const char *function, const line *here, const line *there) {
  if (!here->element[0]) {
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, there->element,
                           "the checkpoint is of another System: '%s' (%s) is not in this one", there->element,
                           there->what);
  }
  if (!there->element[0]) {
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, here->element,
                           "the checkpoint is of another System, without '%s' (%s)", here->element, here->what);
  }
  if (strcmp(here->element, there->element) != 0) {
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, here->element,
                           "the checkpoint is of another System: where this one has '%s' (%s), it has '%s' (%s)",
                           here->element, here->what, there->element, there->what);
  }
  return cdni_state_fail(state, CDN_ERR_ARG, false, function, here->element,
                         "the checkpoint is of another System: '%s' is '%s' here and '%s' there", here->element,
                         here->what, there->what);
}

/* Fails with the first line that differs. */
static cdn_status compare(cdn_state *state, const char *function, const char *here, size_t n_here, const char *there,
                          size_t n_there) {
  size_t least = n_here < n_there ? n_here : n_there, start = 0, i = 0;
  if (n_here == n_there && (n_here == 0 || memcmp(here, there, n_here) == 0)) return CDN_OK;
  for (; i < least && here[i] == there[i]; i++) {
    if (here[i] == '\n') start = i + 1;
  }
  line ours = line_at(here, n_here, start), theirs = line_at(there, n_there, start);
  return tell_difference(state, function, &ours, &theirs);
}

void cdni_system_archive(const cdn_system *system, cdni_archive *a, cdn_state *state, const char *function) {
  cdn_description d = { .allocator = &system->allocator };
  if (a->status != CDN_OK) return;
  describe_system(system, &d);
  if (d.failed) cdni_archive_fail(a, CDN_ERR_NOMEM, "out of memory");
  int64_t n = (int64_t)d.text.count;
  cdni_archive_mark(a, "SYST");
  cdni_archive_int64(a, &n, 0, INT64_MAX / 2);
  if (a->loading) {
    const char *there = cdni_archive_look(a, (size_t)n);
    cdn_status status = there ? compare(state, function, d.text.data, d.text.count, there, (size_t)n) : CDN_OK;
    if (status != CDN_OK) cdni_archive_fail(a, status, NULL); /* the State has the message */
  } else {
    cdni_archive_bytes(a, d.text.data, d.text.count);
  }
  cdni_array_free(&system->allocator, &d.text);
}
