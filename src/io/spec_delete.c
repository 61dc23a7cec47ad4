/* Elements are deleted with all that refers to them. */
#include <stdio.h>

#include "io/joints.h"
#include "io/spec_references.h"

static const char function[] = "cdn_spec_delete";

/* ---- what refers to what goes ---------------------------------------------------------------- */

typedef struct spreading {
  cdn_spec *spec;
  const io_spec_index *index;
  io_marks *marks;
  cdn_tell_fn *tell;
  void *context;
} spreading;

static void tell(const spreading *s, cdn_spec_kind kind, int i, int to, int other, const char *what) {
  char text[400];
  if (!s->tell) return;
  cdni_print(text, sizeof text, "%s '%.100s': %s %s '%.100s'", io_element_kinds()[kind].word,
             io_element_name(s->spec, kind, i), what, io_element_kinds()[to].word,
             io_element_name(s->spec, (cdn_spec_kind)to, other));
  s->tell(s->context, text);
}

/* Whether it refers to something marked without which it cannot be. */
static bool falls(const spreading *s, cdn_spec_kind kind, int i, int *to, int *other) {
  const io_reference *r;
  const void *element = io_spec_element(s->spec, kind, i);
  const int n = io_references(kind, &r);
  for (int k = 0; k < n; k++)
    if (!r[k].optional && io_reference_find(s->index, &r[k], element, to, other) && s->marks->of[*to][*other])
      return true;
  return false;
}

/* A tendon that has lost an item would be another one. */
static bool mark_tendon(const spreading *s, int item) {
  const int tendon = io_spec_index_find(s->index, CDN_SPEC_TENDON, io_spec_path_item(s->spec, item)->tendon);
  if (tendon < 0 || s->marks->of[CDN_SPEC_TENDON][tendon]) return false;
  s->marks->of[CDN_SPEC_TENDON][tendon] = true;
  tell(s, CDN_SPEC_TENDON, tendon, CDN_SPEC_PATH_ITEM, item, "deleted, for it passes");
  return true;
}

static bool spread_kind(const spreading *s, cdn_spec_kind kind) {
  bool more = false;
  for (int i = 0; i < s->marks->n[kind]; i++) {
    int to, other;
    if (!s->marks->of[kind][i] && falls(s, kind, i, &to, &other)) {
      s->marks->of[kind][i] = more = true;
      tell(s, kind, i, to, other, "deleted, for it refers to");
    }
    if (kind == CDN_SPEC_PATH_ITEM && s->marks->of[kind][i]) more |= mark_tendon(s, i);
  }
  return more;
}

void io_marks_spread(cdn_spec *spec, const io_spec_index *index, io_marks *marks, cdn_tell_fn *to, void *context) {
  const spreading s = { spec, index, marks, to, context };
  for (bool more = true; more;) {
    more = false;
    for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++) more |= spread_kind(&s, (cdn_spec_kind)kind);
  }
}

/* ---- removing -------------------------------------------------------------------------------- */

cdn_status io_spec_shorten_keys(cdn_spec *spec, const io_marks *marks) {
  const int n = cdn_spec_count(spec, CDN_SPEC_KEY);
  const size_t size = (size_t)(n > 0 ? n : 1) * sizeof(cdn_spec_key);
  cdn_spec_key *keys = cdni_calloc(&spec->log.allocator, size);
  cdn_status status = keys ? CDN_OK : CDN_ERR_NOMEM;
  int done = 0;
  for (; status == CDN_OK && done < n; done++)
    status = io_key_select(spec, io_spec_key(spec, done), marks, false, &keys[done]);
  for (int i = 0; i < done; i++) {
    cdn_spec_key *key = io_spec_key(spec, i);
    if (status != CDN_OK) {
      io_key_free(spec, &keys[i]);
      continue;
    }
    io_key_free(spec, key);
    *key = keys[i];
  }
  if (keys) cdni_free(&spec->log.allocator, keys, size);
  return status;
}

static void clear_references(cdn_spec *spec, const io_spec_index *index, const io_marks *marks) {
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++) {
    const io_reference *r;
    const int n = io_references((cdn_spec_kind)kind, &r);
    for (int i = 0; i < marks->n[kind]; i++)
      for (int k = 0; k < n; k++) {
        int to, other;
        void *element = io_spec_element(spec, (cdn_spec_kind)kind, i);
        if (r[k].optional && io_reference_find(index, &r[k], element, &to, &other) && marks->of[to][other])
          (void)!io_spec_retext(spec, io_spec_text(spec, (cdn_spec_kind)kind, i, r[k].text), NULL);
      }
  }
}

void io_spec_drop_marked(cdn_spec *spec, const io_spec_index *index, const io_marks *marks) {
  clear_references(spec, index, marks);
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++)
    if (marks->of[kind]) io_spec_remove_marks(spec, (cdn_spec_kind)kind, marks->of[kind]);
}

cdn_status io_spec_remove_marked(cdn_spec *spec, const io_spec_index *index, const io_marks *marks) {
  CDNI_TRY(io_spec_shorten_keys(spec, marks));
  io_spec_drop_marked(spec, index, marks);
  return CDN_OK;
}

/* ---- bodies that lead to Ground through one that goes ---------------------------------------- */

enum { GROUND = -1, NOWHERE = -2 };
typedef struct graph {
  cdn_spec *spec;
  int n, joints;
  int *ends;     /* two a joint: bodies, GROUND, or NOWHERE */
  bool *root;    /* bodies that get a free joint, for no joint leads them to Ground */
  bool *reached; /* from Ground and the roots */
} graph;

static void graph_free(graph *g) {
  const cdn_allocator *a = &g->spec->log.allocator;
  if (g->ends) cdni_free(a, g->ends, (size_t)g->joints * 2 * sizeof(int));
  if (g->root) cdni_free(a, g->root, (size_t)g->n * sizeof(bool));
  if (g->reached) cdni_free(a, g->reached, (size_t)g->n * sizeof(bool));
}

static int end_of(const io_spec_index *index, const char *name) {
  if (io_is_ground(index, name)) return GROUND;
  const int i = io_spec_index_find(index, CDN_SPEC_BODY, name);
  return i >= 0 ? i : NOWHERE;
}

/* Along joints, not through bodies that are gone; NULL: none is. */
static void reach(const graph *g, const bool *gone) {
  for (bool more = true; more;) {
    more = false;
    for (int j = 0; j < g->joints; j++)
      for (int k = 0; k < 2; k++) {
        const int from = g->ends[2 * j + k], to = g->ends[2 * j + 1 - k];
        if (from == NOWHERE || to < 0 || g->reached[to] || (gone && gone[to])) continue;
        if (from == GROUND || g->reached[from]) g->reached[to] = more = true;
      }
  }
}

static bool is_child(const graph *g, int body) {
  for (int j = 0; j < g->joints; j++)
    if (g->ends[2 * j + 1] == body) return true;
  return false;
}

static void add_root(const graph *g, int body) {
  g->root[body] = g->reached[body] = true;
  reach(g, NULL);
}

/* The roots of what floats: as cdn_spec_make_tree chooses them, but for masses. */
static void find_roots(const graph *g) {
  reach(g, NULL);
  for (int i = 0; i < g->n; i++)
    if (io_spec_body(g->spec, i)->must_be_base) add_root(g, i);
  for (int i = 0; i < g->n; i++)
    if (!g->reached[i] && !is_child(g, i)) add_root(g, i);
  for (int i = 0; i < g->n; i++)
    if (!g->reached[i]) add_root(g, i);
}

static cdn_status graph_make(cdn_spec *spec, const io_spec_index *index, graph *g) {
  const cdn_allocator *a = &spec->log.allocator;
  *g =
      (graph){ .spec = spec, .n = cdn_spec_count(spec, CDN_SPEC_BODY), .joints = cdn_spec_count(spec, CDN_SPEC_JOINT) };
  if (g->joints && !(g->ends = cdni_alloc(a, (size_t)g->joints * 2 * sizeof(int)))) return CDN_ERR_NOMEM;
  for (int j = 0; j < g->joints; j++) {
    g->ends[2 * j] = end_of(index, io_spec_joint(spec, j)->parent);
    g->ends[2 * j + 1] = end_of(index, io_spec_joint(spec, j)->child);
  }
  if (g->n == 0) return CDN_OK;
  g->root = cdni_calloc(a, (size_t)g->n * sizeof(bool));
  g->reached = cdni_calloc(a, (size_t)g->n * sizeof(bool));
  if (!g->root || !g->reached) return CDN_ERR_NOMEM;
  find_roots(g);
  return CDN_OK;
}

cdn_status io_mark_outboard(cdn_spec *spec, const io_spec_index *index, bool *gone) {
  graph g;
  const cdn_status status = graph_make(spec, index, &g);
  if (status == CDN_OK && g.n > 0) {
    for (int i = 0; i < g.n; i++) g.reached[i] = g.root[i] && !gone[i];
    reach(&g, gone);
    for (int i = 0; i < g.n; i++) gone[i] = gone[i] || !g.reached[i];
  }
  graph_free(&g);
  return status;
}

/* ---- a part of a spec ------------------------------------------------------------------------ */

/* The joint on which a body moves; -1: none. *inboard: its other end. */
static int joint_of(const cdn_spec *spec, const io_spec_index *index, int body, const bool *inside, int *inboard) {
  for (int k = 1; k >= 0; k--)
    for (int j = 0; j < cdn_spec_count(spec, CDN_SPEC_JOINT); j++) {
      const cdn_spec_joint *joint = io_spec_joint(spec, j);
      const int ends[] = { end_of(index, joint->parent), end_of(index, joint->child) };
      if (ends[k] != body || (ends[1 - k] >= 0 && inside && inside[ends[1 - k]])) continue;
      *inboard = ends[1 - k];
      return j;
    }
  return -1;
}

static void mark_rest(cdn_spec *spec, const io_spec_index *index, io_marks *marks) {
  static const cdn_spec_kind kinds[] = { CDN_SPEC_SHAPE, CDN_SPEC_FRAME, CDN_SPEC_CAMERA, CDN_SPEC_LIGHT };
  for (int i = 0; i < marks->n[CDN_SPEC_BODY]; i++) marks->of[CDN_SPEC_BODY][i] = !marks->of[CDN_SPEC_BODY][i];
  for (int k = 0; k < CDNI_COUNT(kinds); k++)
    for (int i = 0; i < marks->n[kinds[k]]; i++) {
      const io_reference *r;
      io_references(kinds[k], &r); /* the first one is the body that it is on */
      if (io_is_ground(index, io_reference_text(r, io_spec_element(spec, kinds[k], i)))) marks->of[kinds[k]][i] = true;
    }
}

/* A body of several joints begins with frames in between, which are bodies: the first of these. */
static int first_of(const cdn_spec *spec, const io_spec_index *index, int body) {
  const int most = cdn_spec_count(spec, CDN_SPEC_BODY); /* joints may lead in a circle */
  for (int steps = 0, inboard; steps < most; steps++) {
    const int joint = joint_of(spec, index, body, NULL, &inboard);
    if (joint < 0 || inboard < 0 || !io_spec_body(spec, inboard)->intermediate) break;
    body = inboard;
  }
  return body;
}

/* The joint on which a body moves leads to Ground. */
static cdn_status lead_to_ground(cdn_spec *spec, const io_spec_index *index, int body, const bool *inside) {
  int inboard;
  const int joint = joint_of(spec, index, body, inside, &inboard);
  if (joint < 0) return CDN_OK;
  cdn_spec_joint *j = io_spec_joint(spec, joint);
  return io_spec_retext(spec, end_of(index, j->child) == body ? &j->parent : &j->child, NULL);
}

static cdn_status unmark_direct(cdn_spec *spec, const io_marks *direct, io_marks *marks) {
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++) {
    const io_reference *r;
    io_references((cdn_spec_kind)kind, &r); /* the first one is the body that it is on */
    for (int i = 0; direct->of[kind] && i < marks->n[kind]; i++) {
      if (!direct->of[kind][i]) continue;
      marks->of[kind][i] = false;
      CDNI_TRY(io_spec_retext(spec, io_spec_text(spec, (cdn_spec_kind)kind, i, r->text), NULL));
    }
  }
  return CDN_OK;
}

cdn_status io_marks_around(cdn_spec *spec, const io_spec_index *index, const io_taken *taken, io_marks *marks) {
  bool *inside = marks->of[CDN_SPEC_BODY];
  for (int k = 0; k < taken->n; k++) inside[first_of(spec, index, taken->bodies[k])] = true;
  if (taken->n > 0) CDNI_TRY(io_mark_outboard(spec, index, inside));
  for (int k = 0; k < taken->n; k++)
    CDNI_TRY(lead_to_ground(spec, index, first_of(spec, index, taken->bodies[k]), inside));
  mark_rest(spec, index, marks);
  return taken->direct ? unmark_direct(spec, taken->direct, marks) : CDN_OK;
}

/* ---- deleting -------------------------------------------------------------------------------- */

static void tell_outboard(const spreading *s, int body, const bool *before) {
  for (int i = 0; i < s->marks->n[CDN_SPEC_BODY]; i++)
    if (s->marks->of[CDN_SPEC_BODY][i] && !before[i] && !io_spec_body(s->spec, i)->intermediate)
      tell(s, CDN_SPEC_BODY, i, CDN_SPEC_BODY, body, "deleted, for it is outboard of");
}

static cdn_status delete_marked(const spreading *s, cdn_spec_kind kind, int i) {
  io_marks before = { 0 }; /* what was marked first */
  s->marks->of[kind][i] = true;
  if (kind == CDN_SPEC_BODY) {
    s->marks->of[kind][first_of(s->spec, s->index, i)] = true;
    cdn_status status = io_marks_make(s->spec, &before);
    if (status == CDN_OK) before.of[kind][i] = true, status = io_mark_outboard(s->spec, s->index, s->marks->of[kind]);
    if (status == CDN_OK) tell_outboard(s, i, before.of[kind]);
    io_marks_free(s->spec, &before);
    CDNI_TRY(status);
  }
  io_marks_spread(s->spec, s->index, s->marks, s->tell, s->context);
  return io_spec_remove_marked(s->spec, s->index, s->marks);
}

cdn_status cdn_spec_delete(cdn_spec *spec, cdn_spec_kind kind, int i, cdn_tell_fn *to, void *context) {
  if (!spec) return cdni_misses(function, "spec");
  if ((unsigned)kind >= CDN_SPEC_KIND_COUNT || i < 0 || i >= cdn_spec_count(spec, kind))
    return io_edit_fail(spec, CDN_ERR_ARG, function,
                        "there is no element of this kind and index: cdn_spec_find finds one by its name");
  io_spec_index index;
  io_marks marks = { 0 };
  cdn_status status = io_spec_index_make(spec, &index);
  if (status == CDN_OK) status = io_marks_make(spec, &marks);
  if (status == CDN_OK) status = delete_marked(&(spreading){ spec, &index, &marks, to, context }, kind, i);
  io_marks_free(spec, &marks);
  io_spec_index_free(spec, &index);
  return status == CDN_OK ? CDN_OK : io_edit_fail(spec, CDN_ERR_NOMEM, function, "out of memory");
}
