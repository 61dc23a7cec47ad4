/* Who touches whom, beside the masks of the shapes: exclusions of the spec, bodies that several joints in a row connect
 * with their parents, and bodies of a robot that overlap from the beginning. */
#include <stdio.h>

#include "io/build.h"

static cdn_status no_memory(io_description *d) { return io_fail(d, CDN_ERR_NOMEM, 0, "out of memory"); }

/* ---- exclusions of the spec ---- */

static cdn_status exclude(io_builder *b, const cdn_spec_contact *contact) {
  const char *names[] = { contact->body_a, contact->body_b };
  cdn_body bodies[2];
  for (int k = 0; k < 2; k++) {
    const int i = names[k] ? io_spec_find_body(&b->names, names[k]) : -1;
    if (i == -2)
      return io_fail(b->d, CDN_ERR_ARG, contact->line, "the exclusion '%.60s' names %s '%.60s', which does not exist",
                     contact->name, b->d->body_word, names[k]);
    bodies[k] = i < 0 ? cdn_ground() : b->bodies[i];
  }
  cdn_system_exclude_contact(b->system, bodies[0], bodies[1]);
  return CDN_OK;
}

/* ---- parents ---- */

/* The mobilizer that leads to the piece of welded bodies that mobilizer i is a part of; -1: Ground. */
static int root_of(const io_builder *b, int i) {
  while (i >= 0 && cdn_body_mobilizer(b->system, b->mobilizers[i]) == CDN_WELD) i = io_mobilizer(b, i)->inboard;
  return i;
}

/* The pieces of welded bodies: for each mobilizer the root of its piece; the first one of each root's piece, and the next
 * one of the same piece; -1: none. */
typedef struct pieces {
  int *root, *first, *next;
} pieces;

static void list_pieces(const io_builder *b, int n, pieces *p) {
  for (int i = 0; i < n; i++) p->first[i] = -1;
  for (int i = n - 1; i >= 0; i--) {
    const int root = p->root[i] = root_of(b, i);
    if (root < 0) continue;
    p->next[i] = p->first[root];
    p->first[root] = i;
  }
}

static bool is_intermediate(const io_builder *b, int i) {
  return io_spec_body(b->spec, io_mobilizer(b, i)->body)->intermediate;
}

/* Bodies with several joints in a row have massless frames in between, so that their parent in the System is not their
 * parent in the file. They do not touch that one either. Ground is no parent here. */
static void exclude_parent(io_builder *b, const pieces *p, int i) {
  int parent = io_mobilizer(b, i)->inboard;
  if (p->root[i] != i || is_intermediate(b, i) || parent < 0 || !is_intermediate(b, parent)) return;
  while (parent >= 0 && is_intermediate(b, parent)) parent = io_mobilizer(b, parent)->inboard;
  if (parent < 0 || p->root[parent] < 0) return;
  for (int k = p->first[i]; k >= 0; k = p->next[k])
    for (int l = p->first[p->root[parent]]; l >= 0; l = p->next[l])
      cdn_system_exclude_contact(b->system, b->mobilizers[k], b->mobilizers[l]);
}

static cdn_status exclude_parents(io_builder *b) {
  const int n = (int)b->tree.mobilizers.count;
  if (n == 0 || b->d->parents_touch) return CDN_OK;
  const size_t bytes = 3 * (size_t)n * sizeof(int);
  int *all = cdni_alloc(&b->d->allocator, bytes);
  if (!all) return no_memory(b->d);
  pieces p = { all, all + n, all + 2 * n };
  list_pieces(b, n, &p);
  for (int i = 0; i < n; i++) exclude_parent(b, &p, i);
  cdni_free(&b->d->allocator, all, bytes);
  return CDN_OK;
}

cdn_status io_build_touch(io_builder *b) {
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_CONTACT); i++)
    if (io_spec_contact(b->spec, i)->exclude) CDNI_TRY(exclude(b, io_spec_contact(b->spec, i)));
  CDNI_TRY(exclude_parents(b));
  for (size_t k = 0; k + 1 < b->overlaps.count; k += 2) {
    const int first = CDNI_AT(b->overlaps, int, k), second = CDNI_AT(b->overlaps, int, k + 1);
    cdn_system_exclude_contact(b->system, b->bodies[first], b->bodies[second]);
  }
  return CDN_OK;
}

/* ---- what overlaps from the beginning ---- */

static cdn_status note_overlap(io_builder *b, int first, int second) {
  for (size_t k = 0; k + 1 < b->overlaps.count; k += 2)
    if (CDNI_AT(b->overlaps, int, k) == first && CDNI_AT(b->overlaps, int, k + 1) == second) return CDN_OK;
  return cdni_array_push(&b->d->allocator, &b->overlaps, sizeof first, &first) &&
                 cdni_array_push(&b->d->allocator, &b->overlaps, sizeof second, &second)
             ? CDN_OK
             : no_memory(b->d);
}

/* The spec's body of a shape of the System, -1 for Ground. */
static int body_of(const io_builder *b, cdn_shape shape) {
  const char *name = cdn_shape_name(b->system, shape);
  const int i = name ? io_names_find(&b->shape_names, name) : -1;
  const char *body = i >= 0 ? io_spec_shape(b->spec, i)->body : NULL;
  return body ? io_spec_find_body(&b->names, body) : -1;
}

static cdn_status look_at(io_builder *b, cdn_state *state) {
  int n;
  if (cdn_contact_count(state, &n) != CDN_OK) return CDN_OK;
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    if (cdn_contact_get(state, i, &c) != CDN_OK) return CDN_OK;
    const int first = body_of(b, c.a), second = body_of(b, c.b);
    if (first >= 0 && second >= 0)
      CDNI_TRY(note_overlap(b, first < second ? first : second, first < second ? second : first));
  }
  return CDN_OK;
}

/* Names all pairs, some in each line, in a few lines. */
static void warn_of_overlaps(io_builder *b) {
  enum { MOST_LINES = 5 };
  const size_t n = b->overlaps.count / 2;
  size_t k = 0;
  for (int line = 0; line < MOST_LINES && k < n; line++) {
    char text[400] = "";
    size_t used = 0;
    for (; k < n; k++) {
      const char *first = io_spec_body(b->spec, CDNI_AT(b->overlaps, int, 2 * k))->name;
      const char *second = io_spec_body(b->spec, CDNI_AT(b->overlaps, int, 2 * k + 1))->name;
      if (used && used + strlen(first) + strlen(second) + 12 > sizeof text) break;
      used +=
          (size_t)snprintf(text + used, sizeof text - used, "%s'%.150s' and '%.150s'", used ? "; " : "", first, second);
    }
    if (line == MOST_LINES - 1 && k < n)
      io_warn(b->d, 0, "these overlap in the first pose, too, and do not touch each other: %s; and %zu pairs more",
              text, n - k);
    else if (line == 0)
      io_warn(b->d, 0, "these overlap in the model's first pose and do not touch each other: %s", text);
    else io_warn(b->d, 0, "these overlap in the first pose, too, and do not touch each other: %s", text);
  }
}

/* A System that is looked at and thrown away; what is wrong with it, the real one will tell. */
cdn_status io_find_overlaps(io_builder *b) {
  if (!b->d->overlaps_pass) return CDN_OK;
  cdn_system_def def = cdn_default_system_def();
  def.allocator = b->d->allocator;
  cdn_system *real = b->system, *trial = cdn_system_create(&def);
  if (!trial) return no_memory(b->d);
  b->system = trial;
  io_build_tree(b, true);
  cdn_status status = io_build_shapes(b);
  cdn_state *state = NULL;
  if (status == CDN_OK && cdn_system_freeze(trial) == CDN_OK && cdn_state_create(trial, &state) == CDN_OK)
    status = look_at(b, state);
  if (status == CDN_OK) warn_of_overlaps(b);
  cdn_state_destroy(state);
  /* The table of names has the trial's. */
  io_names_free(&b->d->allocator, &b->shape_names);
  cdn_system_release(trial);
  b->system = real;
  return status;
}
