/* Who touches whom, beside the masks of the shapes: exclusions of the spec, bodies that several joints in a row connect
 * with their parents, and bodies of a robot that overlap from the beginning. */
#include <stdio.h>

#include "contact/contact.h"
#include "geometry/geometry.h"
#include "io/build.h"

static cdn_status no_memory(io_log *log) { return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory"); }

static cdn_status note_pair(io_builder *b, cdni_array *list, int first, int second) {
  return cdni_array_push(&b->log->allocator, list, sizeof first, &first) &&
                 cdni_array_push(&b->log->allocator, list, sizeof second, &second)
             ? CDN_OK
             : no_memory(b->log);
}

static bool is_noted(const cdni_array *list, int first, int second) {
  for (size_t k = 0; k + 1 < list->count; k += 2) {
    const int *pair = &CDNI_AT(*list, int, k);
    if ((pair[0] == first && pair[1] == second) || (pair[0] == second && pair[1] == first)) return true;
  }
  return false;
}

static cdn_status exclude_bodies(io_builder *b, cdn_body first, cdn_body second, cdn_contact_rule rule) {
  cdni_contact_exclude(b->system, first, second, rule);
  return note_pair(b, &b->excluded, first.i, second.i);
}

/* ---- exclusions of the spec ---- */

/* What an exclusion names: a whole body, or those of its shapes that are of one part. */
typedef struct side {
  int body; /* of the spec; -1: Ground */
  bool whole;
  const char *part; /* NULL: what is no part's */
} side;

static bool is_of_body(const io_builder *b, const cdn_spec_shape *shape, int body) {
  return (shape->body ? io_spec_find_body(&b->names, shape->body) : -1) == body;
}

static bool find_side(const io_builder *b, const char *name, side *out) {
  const int n = cdn_spec_count(b->spec, CDN_SPEC_SHAPE);
  *out = (side){ name ? io_spec_find_body(&b->names, name) : -1, true, NULL };
  for (int i = 0; out->body == -2 && i < n; i++) {
    const cdn_spec_shape *shape = io_spec_shape(b->spec, i);
    if (shape->part && strcmp(shape->part, name) == 0)
      *out = (side){ shape->body ? io_spec_find_body(&b->names, shape->body) : -1, false, shape->part };
  }
  for (int i = 0; out->whole && i < n; i++)
    out->whole = !io_spec_shape(b->spec, i)->part || !is_of_body(b, io_spec_shape(b->spec, i), out->body);
  return out->body != -2;
}

static bool is_on_side(const io_builder *b, int i, const side *s) {
  const cdn_spec_shape *shape = io_spec_shape(b->spec, i);
  if (!b->ready[i].there || !is_of_body(b, shape, s->body)) return false;
  return s->whole || (shape->part ? s->part && strcmp(shape->part, s->part) == 0 : !s->part);
}

static cdn_status exclude_shapes(io_builder *b, const side sides[2]) {
  const int n = cdn_spec_count(b->spec, CDN_SPEC_SHAPE);
  for (int i = 0; i < n; i++)
    for (int j = 0; is_on_side(b, i, &sides[0]) && j < n; j++) {
      if (i == j || !is_on_side(b, j, &sides[1])) continue;
      cdni_contact_exclude_shapes(b->system, b->ready[i].shape, b->ready[j].shape, CDN_RULE_EXCLUDED);
      CDNI_TRY(note_pair(b, &b->excluded_shapes, i, j));
    }
  return CDN_OK;
}

static cdn_status exclude(io_builder *b, const cdn_spec_contact *contact) {
  const char *names[] = { contact->body_a, contact->body_b };
  cdn_body bodies[2];
  side sides[2];
  for (int k = 0; k < 2; k++) {
    if (!find_side(b, names[k], &sides[k]))
      return io_fail(b->log, CDN_ERR_ARG, contact->line, "the exclusion '%.60s' names %s '%.60s', which does not exist",
                     contact->name, b->log->body_word, names[k]);
    bodies[k] = sides[k].body < 0 ? cdn_ground() : b->bodies[sides[k].body];
  }
  if (!sides[0].whole || !sides[1].whole) return exclude_shapes(b, sides);
  return exclude_bodies(b, bodies[0], bodies[1], CDN_RULE_EXCLUDED);
}

/* ---- parents ---- */

/* The mobilizer that leads to the piece of welded bodies that mobilizer i is a part of; -1: Ground. */
static int root_of(const io_builder *b, int i) {
  while (i >= 0 && cdn_body_nu(b->system, b->mobilizers[i]) == 0) i = io_mobilizer(b, i)->inboard;
  if (i >= 0 && cdn_body_is_mocap(b->system, b->mobilizers[i])) return -1;
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

static cdn_status exclude_pieces(io_builder *b, int first, int second) {
  for (int k = first; k >= 0; k = b->pieces[k].next)
    for (int l = second; l >= 0; l = b->pieces[l].next)
      CDNI_TRY(exclude_bodies(b, b->mobilizers[k], b->mobilizers[l], CDN_RULE_PARENT));
  return CDN_OK;
}

/* The System knows parents; those beyond frames without mass are excluded. Ground is no parent here, but a robot's
 * links are that are welded to it. */
static cdn_status exclude_parents(io_builder *b) {
  int welded = -1; /* what is welded to Ground, as a list */
  for (int i = (int)b->tree.mobilizers.count - 1; b->spec->whole.overlaps_pass && i >= 0; i--)
    if (b->pieces[i].root < 0) b->pieces[i].next = welded, welded = i;
  for (int i = 0; i < (int)b->tree.mobilizers.count; i++) {
    const io_piece *piece = &b->pieces[i];
    const int inboard = io_mobilizer(b, i)->inboard;
    if (piece->root != i || is_intermediate(b, i) || inboard < 0) continue;
    if (piece->parent < 0) CDNI_TRY(exclude_pieces(b, piece->first, welded));
    else if (is_intermediate(b, inboard)) CDNI_TRY(exclude_pieces(b, piece->first, b->pieces[piece->parent].first));
  }
  return CDN_OK;
}

/* The mobilizer of a body of the spec, -1 for Ground. */
static int mobilizer_called(const io_builder *b, const char *name) {
  const int i = name ? io_spec_find_body(&b->names, name) : -1;
  return i < 0 ? -1 : b->mobilizer_of[i];
}

bool io_shapes_may_touch(const io_builder *b, int first, int second) {
  const int i = mobilizer_called(b, io_spec_shape(b->spec, first)->body);
  const int j = mobilizer_called(b, io_spec_shape(b->spec, second)->body);
  const int r = i < 0 ? -1 : b->pieces[i].root, s = j < 0 ? -1 : b->pieces[j].root;
  if (r == s) return false;
  const bool related = r >= 0 && s >= 0 && (b->pieces[r].parent == s || b->pieces[s].parent == r);
  if (related && !b->parents_touch) return false;
  const cdn_body x = i < 0 ? cdn_ground() : b->mobilizers[i], y = j < 0 ? cdn_ground() : b->mobilizers[j];
  return !is_noted(&b->excluded, x.i, y.i) && !is_noted(&b->excluded_shapes, first, second);
}

cdn_status io_build_touch(io_builder *b) {
  b->excluded.count = b->excluded_shapes.count = 0;
  find_pieces(b);
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_CONTACT); i++)
    if (io_spec_contact(b->spec, i)->exclude) CDNI_TRY(exclude(b, io_spec_contact(b->spec, i)));
  if (!b->parents_touch) CDNI_TRY(exclude_parents(b));
  for (size_t k = 0; k + 1 < b->overlaps.count; k += 2) {
    const int first = CDNI_AT(b->overlaps, int, k), second = CDNI_AT(b->overlaps, int, k + 1);
    CDNI_TRY(exclude_bodies(b, b->bodies[first], b->bodies[second], CDN_RULE_OVERLAP));
  }
  return io_build_pairs(b);
}

/* ---- what overlaps from the beginning ---- */

/* What is wrong with a pose, a run will tell; but not that memory is short now. */
static cdn_status forgive(io_builder *b, cdn_status status) {
  return status == CDN_ERR_NOMEM ? no_memory(b->log) : CDN_OK;
}

/* Whether two shapes that may touch overlap in a State. */
static cdn_status overlap(io_builder *b, cdn_state *state, int i, int j, bool *yes) {
  const cdn_shape both[2] = { b->ready[i].shape, b->ready[j].shape };
  cdn_geometry g[2];
  cdn_transform X[2];
  cdn_proximity near;
  *yes = false;
  for (int k = 0; k < 2; k++) {
    const cdn_status status = cdn_shape_get(state, both[k], &g[k], &X[k]);
    if (status != CDN_OK) return forgive(b, status);
  }
  *yes = cdni_pair_is_supported(&g[0], &g[1]) && cdni_pair_distance(&g[0], &X[0], &g[1], &X[1], 0, &near) &&
         near.distance < 0;
  return CDN_OK;
}

/* Distances tell, not forces: what lies wholly within something else has none. */
static cdn_status look_at(io_builder *b, cdn_state *state) {
  const int n = cdn_spec_count(b->spec, CDN_SPEC_SHAPE);
  for (int i = 0; i < n; i++)
    for (int j = i + 1; b->ready[i].there && io_spec_shape(b->spec, i)->body && j < n; j++) {
      if (!b->ready[j].there || !io_spec_shape(b->spec, j)->body) continue;
      const int x = io_spec_find_body(&b->names, io_spec_shape(b->spec, i)->body);
      const int y = io_spec_find_body(&b->names, io_spec_shape(b->spec, j)->body);
      if (!cdn_shapes_may_touch(b->system, b->ready[i].shape, b->ready[j].shape) || is_noted(&b->overlaps, x, y))
        continue;
      bool yes;
      CDNI_TRY(overlap(b, state, i, j, &yes));
      if (yes) CDNI_TRY(note_pair(b, &b->overlaps, x < y ? x : y, x < y ? y : x));
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
      io_warn(b->log, at, "these overlap in the first pose, too, and do not touch each other: %s; and %zu pairs more",
              text, n - k);
    else if (line == 0)
      io_warn(b->log, at, "these overlap in the model's first pose and do not touch each other: %s", text);
    else io_warn(b->log, at, "these overlap in the first pose, too, and do not touch each other: %s", text);
  }
}

/* A System that is looked at and thrown away; what is wrong with it, the real one will tell. */
cdn_status io_find_overlaps(io_builder *b) {
  if (!b->spec->whole.overlaps_pass) return CDN_OK;
  cdn_system_def def = cdn_default_system_def();
  def.allocator = b->log->allocator;
  cdn_system *real = b->system, *trial = cdn_system_create(&def);
  if (!trial) return no_memory(b->log);
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
  io_names_free(&b->log->allocator, &b->shape_names);
  cdn_system_release(trial);
  b->system = real;
  return status;
}
