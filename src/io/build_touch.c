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
  return cdni_array_push(&b->d->allocator, &b->excluded, sizeof bodies[0], &bodies[0]) &&
                 cdni_array_push(&b->d->allocator, &b->excluded, sizeof bodies[1], &bodies[1])
             ? CDN_OK
             : no_memory(b->d);
}

static bool is_excluded(const io_builder *b, cdn_body first, cdn_body second) {
  for (size_t k = 0; k + 1 < b->excluded.count; k += 2) {
    const cdn_body *pair = &CDNI_AT(b->excluded, cdn_body, k);
    if ((pair[0].i == first.i && pair[1].i == second.i) || (pair[0].i == second.i && pair[1].i == first.i)) return true;
  }
  return false;
}

/* ---- parents ---- */

/* The mobilizer that leads to the piece of welded bodies that mobilizer i is a part of; -1: Ground. */
static int root_of(const io_builder *b, int i) {
  while (i >= 0 && cdn_body_mobilizer(b->system, b->mobilizers[i]) == CDN_WELD) i = io_mobilizer(b, i)->inboard;
  return i;
}

static bool is_intermediate(const io_builder *b, int i) {
  return io_spec_body(b->spec, io_mobilizer(b, i)->body)->intermediate;
}

/* The parent of a piece in the file: bodies with several joints in a row have massless frames in between. */
static int parent_of(const io_builder *b, int root) {
  int i = io_mobilizer(b, root)->inboard;
  while (i >= 0 && is_intermediate(b, i)) i = io_mobilizer(b, i)->inboard;
  return root_of(b, i);
}

static void find_pieces(io_builder *b) {
  const int n = (int)b->tree.mobilizers.count;
  for (int i = 0; i < n; i++) b->pieces[i] = (io_piece){ root_of(b, i), -1, -1, -1 };
  for (int i = n - 1; i >= 0; i--) {
    const int root = b->pieces[i].root;
    if (io_mobilizer(b, i)->part == 0) b->mobilizer_of[io_mobilizer(b, i)->body] = i;
    if (root < 0) continue;
    if (root == i) b->pieces[i].parent = parent_of(b, i);
    b->pieces[i].next = b->pieces[root].first;
    b->pieces[root].first = i;
  }
}

/* The System knows parents; those beyond frames without mass are excluded. Ground is no parent here. */
static void exclude_parents(io_builder *b) {
  for (int i = 0; i < (int)b->tree.mobilizers.count; i++) {
    const io_piece *piece = &b->pieces[i];
    const int inboard = io_mobilizer(b, i)->inboard;
    if (piece->root != i || is_intermediate(b, i) || inboard < 0 || !is_intermediate(b, inboard)) continue;
    if (piece->parent < 0) continue;
    for (int k = piece->first; k >= 0; k = b->pieces[k].next)
      for (int l = b->pieces[piece->parent].first; l >= 0; l = b->pieces[l].next)
        cdn_system_exclude_contact(b->system, b->mobilizers[k], b->mobilizers[l]);
  }
}

/* The mobilizer of a body of the spec, -1 for Ground. */
static int mobilizer_called(const io_builder *b, const char *name) {
  const int i = name ? io_spec_find_body(&b->names, name) : -1;
  return i < 0 ? -1 : b->mobilizer_of[i];
}

bool io_bodies_may_touch(const io_builder *b, const char *first, const char *second) {
  const int i = mobilizer_called(b, first), j = mobilizer_called(b, second);
  const int r = i < 0 ? -1 : b->pieces[i].root, s = j < 0 ? -1 : b->pieces[j].root;
  if (r == s) return false;
  const bool related = r >= 0 && s >= 0 && (b->pieces[r].parent == s || b->pieces[s].parent == r);
  if (related && !b->parents_touch) return false;
  return !is_excluded(b, i < 0 ? cdn_ground() : b->mobilizers[i], j < 0 ? cdn_ground() : b->mobilizers[j]);
}

cdn_status io_build_touch(io_builder *b) {
  b->excluded.count = 0;
  find_pieces(b);
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_CONTACT); i++)
    if (io_spec_contact(b->spec, i)->exclude) CDNI_TRY(exclude(b, io_spec_contact(b->spec, i)));
  if (!b->parents_touch) exclude_parents(b);
  for (size_t k = 0; k + 1 < b->overlaps.count; k += 2) {
    const int first = CDNI_AT(b->overlaps, int, k), second = CDNI_AT(b->overlaps, int, k + 1);
    cdn_system_exclude_contact(b->system, b->bodies[first], b->bodies[second]);
  }
  return io_build_pairs(b);
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

/* What is wrong with a pose, a run will tell; but not that memory is short now. */
static cdn_status forgive(io_builder *b, cdn_status status) {
  return status == CDN_ERR_NOMEM ? no_memory(b->d) : CDN_OK;
}

static cdn_status look_at(io_builder *b, cdn_state *state) {
  int n;
  const cdn_status counted = cdn_contact_count(state, &n);
  if (counted != CDN_OK) return forgive(b, counted);
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    const cdn_status got = cdn_contact_get(state, i, &c);
    if (got != CDN_OK) return forgive(b, got);
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
    const int at = io_spec_body(b->spec, CDNI_AT(b->overlaps, int, 2 * k))->line;
    for (; k < n; k++) {
      const char *first = io_spec_body(b->spec, CDNI_AT(b->overlaps, int, 2 * k))->name;
      const char *second = io_spec_body(b->spec, CDNI_AT(b->overlaps, int, 2 * k + 1))->name;
      if (used && used + strlen(first) + strlen(second) + 12 > sizeof text) break;
      used +=
          (size_t)snprintf(text + used, sizeof text - used, "%s'%.150s' and '%.150s'", used ? "; " : "", first, second);
    }
    if (line == MOST_LINES - 1 && k < n)
      io_warn(b->d, at, "these overlap in the first pose, too, and do not touch each other: %s; and %zu pairs more",
              text, n - k);
    else if (line == 0)
      io_warn(b->d, at, "these overlap in the model's first pose and do not touch each other: %s", text);
    else io_warn(b->d, at, "these overlap in the first pose, too, and do not touch each other: %s", text);
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
  if (status == CDN_OK) {
    cdn_status tried = cdn_system_freeze(trial);
    if (tried == CDN_OK) tried = cdn_state_create(trial, &state);
    status = tried == CDN_OK ? look_at(b, state) : forgive(b, tried);
  }
  if (status == CDN_OK) warn_of_overlaps(b);
  cdn_state_destroy(state);
  /* The table of names has the trial's. */
  io_names_free(&b->d->allocator, &b->shape_names);
  cdn_system_release(trial);
  b->system = real;
  return status;
}
