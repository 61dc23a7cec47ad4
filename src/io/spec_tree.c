/* The graph of bodies and joints as a tree of mobilizers, with its loops cut (manual 2.3.1). spec.h says which joints
 * are cut and how. The tree is Prim's spanning tree of largest weight, grown from Ground. Of joints of equal weight
 * the one nearest to Ground comes first. So without weights the tree is a breadth-first tree. */
#include <math.h>

#include "core/sized.h"
#include "io/joints.h"
#include "io/spec.h"

/* Nodes: 0 is Ground, 1 + i body i of the spec. */
typedef struct graph {
  cdn_spec *spec;
  const io_spec_names *names;
  cdn_spec_tree *tree;
  int n_nodes, n_joints;
  int *first, *incident; /* the joints of node i: incident[first[i]] to incident[first[i + 1] - 1], ascending */
  int *inboard;          /* of a node: the node that it moves on; -1: not in the tree */
  int *by;               /* of a node: its joint; -1: an added free joint */
  int *level;            /* of a node */
  bool *used;            /* of a joint: it is a mobilizer of the tree */
  int *parts;            /* of a node: parts of the body, itself included */
  cdni_array heap;       /* candidate */
  cdni_array items;      /* item: the children of nodes */
  int *first_item, *last_item;
  int *place; /* of a node: its mobilizer's index */
} graph;

/* A joint from a node of the tree to one that was not in it. */
typedef struct candidate {
  double weight;
  int level, joint, from;
} candidate;

/* A mobilizer that hangs on a node; next: its sibling. */
typedef struct item {
  int node, joint, part, inboard, next, loop;
} item;

static cdn_status no_memory(graph *g) { return io_fail(&g->spec->log, CDN_ERR_NOMEM, 0, "out of memory"); }

static int other_end(const graph *g, int joint, int node) {
  const int parent = g->names->parent[joint] + 1;
  return parent == node ? g->names->child[joint] + 1 : parent;
}

/* ---- the heap of candidates ------------------------------------------------------------------ */

static bool before(const candidate *a, const candidate *b) {
  if (a->weight != b->weight) return a->weight > b->weight;
  if (a->level != b->level) return a->level < b->level;
  return a->joint < b->joint;
}

static bool push(graph *g, candidate c) {
  if (!cdni_array_push(&g->spec->log.allocator, &g->heap, sizeof c, &c)) return false;
  candidate *h = g->heap.data;
  for (size_t i = g->heap.count - 1; i > 0 && before(&h[i], &h[(i - 1) / 2]); i = (i - 1) / 2) {
    const candidate swap = h[i];
    h[i] = h[(i - 1) / 2];
    h[(i - 1) / 2] = swap;
  }
  return true;
}

static candidate pop(graph *g) {
  candidate *h = g->heap.data, top = h[0];
  const size_t n = --g->heap.count;
  h[0] = h[n];
  for (size_t i = 0;;) {
    size_t best = i;
    for (size_t child = 2 * i + 1; child <= 2 * i + 2; child++)
      if (child < n && before(&h[child], &h[best])) best = child;
    if (best == i) return top;
    const candidate swap = h[i];
    h[i] = h[best];
    h[best] = swap;
    i = best;
  }
}

/* ---- the tree -------------------------------------------------------------------------------- */

static cdn_status reach(graph *g, int node, int inboard, int joint) {
  g->inboard[node] = inboard;
  g->by[node] = joint;
  g->level[node] = node == 0 ? 0 : g->level[inboard] + 1;
  if (joint >= 0) g->used[joint] = true;
  for (int k = g->first[node]; k < g->first[node + 1]; k++) {
    const int j = g->incident[k];
    if (g->inboard[other_end(g, j, node)] >= 0) continue;
    if (!push(g, (candidate){ io_spec_joint(g->spec, j)->weight, g->level[node], j, node })) return no_memory(g);
  }
  return CDN_OK;
}

static cdn_status grow(graph *g) {
  while (g->heap.count > 0) {
    const candidate c = pop(g);
    const int node = other_end(g, c.joint, c.from);
    if (g->inboard[node] < 0) CDNI_TRY(reach(g, node, c.from, c.joint));
  }
  return CDN_OK;
}

static bool touches_ground(const graph *g, int node) {
  for (int k = g->first[node]; k < g->first[node + 1]; k++)
    if (other_end(g, g->incident[k], node) == 0) return true;
  return false;
}
/* The base of the group of bodies around a node that Ground does not reach. `stack` and `seen` have a place for every
 * node. */
static int choose_base(const graph *g, int node, int *stack, bool *seen) {
  int n = 1, base = -1, heaviest = node;
  stack[0] = node;
  seen[node] = true;
  while (n > 0) {
    const int at = stack[--n];
    bool child = false;
    for (int k = g->first[at]; k < g->first[at + 1]; k++) {
      const int joint = g->incident[k], next = other_end(g, joint, at);
      child = child || g->names->child[joint] + 1 == at;
      if (seen[next] || g->inboard[next] >= 0) continue;
      seen[next] = true;
      stack[n++] = next;
    }
    if (!child && (base < 0 || at < base)) base = at;
    const double mass = io_spec_body(g->spec, at - 1)->mass.mass, most = io_spec_body(g->spec, heaviest - 1)->mass.mass;
    if (mass > most || (mass == most && at < heaviest)) heaviest = at;
  }
  return base >= 0 ? base : heaviest;
}

static cdn_status span(graph *g, int *stack, bool *seen) {
  CDNI_TRY(reach(g, 0, 0, -1));
  for (int i = 1; i < g->n_nodes; i++)
    if (io_spec_body(g->spec, i - 1)->must_be_base && !touches_ground(g, i)) CDNI_TRY(reach(g, i, 0, -1));
  CDNI_TRY(grow(g));
  for (int i = 1; i < g->n_nodes; i++) {
    if (g->inboard[i] >= 0) continue;
    CDNI_TRY(reach(g, choose_base(g, i, stack, seen), 0, -1));
    CDNI_TRY(grow(g));
  }
  return CDN_OK;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static bool nothing_acts(const cdn_spec_joint *j) {
  return j->armature == 0 && j->damping == 0 && j->stiffness == 0 && !j->limited && j->lock == CDN_LEVEL_NONE;
}

static bool is_cut_at_joint(const cdn_spec_joint *j) {
  if (j->cut != CDN_CUT_AUTO) return j->cut == CDN_CUT_JOINT;
  return j->kind == CDN_WELD || ((j->kind == CDN_FREE || j->kind == CDN_BALL) && nothing_acts(j));
}

static bool can_be_split(const graph *g, int node) {
  return node > 0 && io_spec_body(g->spec, node - 1)->mass.mass > 0;
}

/* Adds a mobilizer to the children of a node, after the others. */
static cdn_status hang(graph *g, item it) {
  const int index = (int)g->items.count;
  it.next = -1;
  if (!cdni_array_push(&g->spec->log.allocator, &g->items, sizeof it, &it)) return no_memory(g);
  if (g->last_item[it.inboard] < 0) g->first_item[it.inboard] = index;
  else CDNI_AT(g->items, item, g->last_item[it.inboard]).next = index;
  g->last_item[it.inboard] = index;
  return CDN_OK;
}

/* In the loops' a and b there are nodes until all mobilizers have their places. */
static cdn_status cut_loop(graph *g, int joint) {
  const int parent = g->names->parent[joint] + 1, child = g->names->child[joint] + 1;
  const int split = can_be_split(g, child) ? child : can_be_split(g, parent) ? parent : -1;
  const bool at_joint = split < 0 || is_cut_at_joint(io_spec_joint(g->spec, joint));
  const cdn_spec_loop loop = { joint, !at_joint, at_joint ? parent : split, at_joint ? child : -1 };
  const int index = (int)g->tree->loops.count;
  if (!cdni_array_push(&g->spec->log.allocator, &g->tree->loops, sizeof loop, &loop)) return no_memory(g);
  if (at_joint) return CDN_OK;
  return hang(g, (item){ .node = split,
                         .joint = joint,
                         .part = g->parts[split]++,
                         .inboard = other_end(g, joint, split),
                         .loop = index });
}

/* Everything by the order of joints, then the free joints that were added by the order of bodies. */
static cdn_status hang_all(graph *g) {
  for (int j = 0; j < g->n_joints; j++) {
    const int parent = g->names->parent[j] + 1, child = g->names->child[j] + 1;
    if (!g->used[j]) {
      CDNI_TRY(cut_loop(g, j));
      continue;
    }
    const int node = g->by[child] == j ? child : parent;
    CDNI_TRY(hang(g, (item){ .node = node, .joint = j, .inboard = g->inboard[node], .loop = -1 }));
  }
  for (int i = 1; i < g->n_nodes; i++)
    if (g->by[i] < 0) CDNI_TRY(hang(g, (item){ .node = i, .joint = -1, .inboard = 0, .loop = -1 }));
  return CDN_OK;
}

/* ---- the result ------------------------------------------------------------------------------ */

static cdn_status place(graph *g, const item *it) {
  const int index = (int)g->tree->mobilizers.count;
  const bool whole = it->part == 0;
  const cdn_spec_mobilizer m = { .body = it->node - 1,
                                 .joint = it->joint,
                                 .inboard = it->inboard == 0 ? -1 : g->place[it->inboard],
                                 .level = g->level[it->inboard] + 1,
                                 .reversed = it->joint >= 0 && g->names->child[it->joint] + 1 != it->node,
                                 .part = it->part,
                                 .parts = g->parts[it->node] };
  if (!cdni_array_push(&g->spec->log.allocator, &g->tree->mobilizers, sizeof m, &m)) return no_memory(g);
  if (whole) g->place[it->node] = index;
  else CDNI_AT(g->tree->loops, cdn_spec_loop, it->loop).b = index;
  return CDN_OK;
}

/* Depth first without recursion: a node's items, each followed by its own; parts have none. */
static cdn_status order(graph *g, int *stack) {
  int n = 0;
  for (int at = g->first_item[0]; at >= 0 || n > 0;) {
    if (at < 0) {
      at = CDNI_AT(g->items, item, stack[--n]).next;
      continue;
    }
    const item *it = &CDNI_AT(g->items, item, at);
    CDNI_TRY(place(g, it));
    if (it->part == 0 && g->first_item[it->node] >= 0) {
      stack[n++] = at;
      at = g->first_item[it->node];
    } else {
      at = it->next;
    }
  }
  for (size_t i = 0; i < g->tree->loops.count; i++) {
    cdn_spec_loop *loop = &CDNI_AT(g->tree->loops, cdn_spec_loop, i);
    loop->a = loop->a == 0 ? -1 : g->place[loop->a];
    if (!loop->weld) loop->b = loop->b == 0 ? -1 : g->place[loop->b];
  }
  return CDN_OK;
}

/* ---- making it ------------------------------------------------------------------------------- */

/* The joints of each node, by counting. */
static void list_incident(graph *g) {
  for (int j = 0; j < g->n_joints; j++) {
    g->first[g->names->parent[j] + 2]++;
    g->first[g->names->child[j] + 2]++;
  }
  for (int i = 0; i < g->n_nodes; i++) g->first[i + 1] += g->first[i];
  /* first[i] is where the joints of node i begin; it moves on to where they end. */
  for (int j = 0; j < g->n_joints; j++) {
    g->incident[g->first[g->names->parent[j] + 1]++] = j;
    g->incident[g->first[g->names->child[j] + 1]++] = j;
  }
  for (int i = g->n_nodes; i > 0; i--) g->first[i] = g->first[i - 1];
  g->first[0] = 0;
}

static cdn_status check_weights(cdn_spec *spec) {
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *j = io_spec_joint(spec, i);
    if (!isfinite(j->weight))
      return io_fail(&spec->log, CDN_ERR_NONFINITE, j->line, "joint '%.60s': its weight is not finite; 1 is usual",
                     j->name);
    if ((unsigned)j->cut > CDN_CUT_JOINT)
      return io_fail(&spec->log, CDN_ERR_ARG, j->line, "joint '%.60s': there is no way of cutting %d", j->name,
                     (int)j->cut);
  }
  return CDN_OK;
}

cdn_status io_spec_tree_make(cdn_spec *spec, const io_spec_names *names, cdn_spec_tree *tree) {
  const cdn_allocator *a = &spec->log.allocator;
  graph g = { .spec = spec,
              .names = names,
              .tree = tree,
              .n_nodes = cdn_spec_count(spec, CDN_SPEC_BODY) + 1,
              .n_joints = cdn_spec_count(spec, CDN_SPEC_JOINT) };
  *tree = (cdn_spec_tree){ .allocator = spec->log.allocator };
  CDNI_TRY(check_weights(spec));
  const size_t n = (size_t)g.n_nodes, m = (size_t)g.n_joints;
  const size_t n_ints = n + 2 + 2 * m + 7 * n + n + m,
               bytes = n_ints * sizeof(int) + n * sizeof(bool) + m * sizeof(bool);
  int *ints = cdni_calloc(a, bytes);
  if (!ints) return no_memory(&g);
  int *at = ints;
  g.first = at, at += n + 2;
  g.incident = at, at += 2 * m;
  g.inboard = at, at += n;
  g.by = at, at += n;
  g.level = at, at += n;
  g.parts = at, at += n;
  g.first_item = at, at += n;
  g.last_item = at, at += n;
  g.place = at, at += n;
  int *stack = at;
  bool *seen = (bool *)(ints + n_ints);
  g.used = seen + n;
  for (size_t i = 0; i < n; i++) g.inboard[i] = g.by[i] = g.first_item[i] = g.last_item[i] = -1, g.parts[i] = 1;
  list_incident(&g);
  cdn_status status = span(&g, stack, seen);
  if (status == CDN_OK) status = hang_all(&g);
  if (status == CDN_OK) status = order(&g, stack);
  cdni_array_free(a, &g.heap);
  cdni_array_free(a, &g.items);
  cdni_free(a, ints, bytes);
  return status;
}

void io_spec_tree_free(cdn_spec_tree *tree) {
  cdni_array_free(&tree->allocator, &tree->mobilizers);
  cdni_array_free(&tree->allocator, &tree->loops);
}

/* ---- the public service ---------------------------------------------------------------------- */

cdn_status cdn_spec_make_tree(cdn_spec *spec, cdn_spec_tree **out) {
  if (out) *out = NULL;
  if (!spec || !out)
    return cdni_refuse(CDN_ERR_ARG, "cdn_spec_make_tree", "the spec, or where its tree shall go, is NULL");
  spec->log.error = (cdn_error){ 0 }; /* an older failure is not this one's */
  cdn_spec_tree *tree = cdni_calloc(&spec->log.allocator, sizeof *tree);
  if (!tree) return io_fail(&spec->log, CDN_ERR_NOMEM, 0, "out of memory");
  tree->allocator = spec->log.allocator;
  io_spec_names names;
  cdn_status status = io_spec_names_make(spec, &names);
  if (status == CDN_OK) status = io_spec_tree_make(spec, &names, tree);
  io_spec_names_free(spec, &names);
  if (status == CDN_OK) {
    *out = tree;
    return CDN_OK;
  }
  cdn_spec_tree_destroy(tree);
  spec->log.error.function = "cdn_spec_make_tree";
  cdni_error_tell(&spec->log.error);
  return status;
}

void cdn_spec_tree_destroy(cdn_spec_tree *tree) {
  if (!tree) return;
  const cdn_allocator a = tree->allocator;
  io_spec_tree_free(tree);
  cdni_free(&a, tree, sizeof *tree);
}

int cdn_spec_tree_mobilizer_count(const cdn_spec_tree *tree) { return tree ? (int)tree->mobilizers.count : 0; }
int cdn_spec_tree_loop_count(const cdn_spec_tree *tree) { return tree ? (int)tree->loops.count : 0; }

cdn_status cdn_spec_tree_mobilizer_sized(const cdn_spec_tree *tree, int i, cdn_spec_mobilizer *out, size_t size) {
  static const cdn_spec_mobilizer none = { .body = -1, .joint = -1, .inboard = -1 };
  const bool there = i >= 0 && i < cdn_spec_tree_mobilizer_count(tree);
  cdni_sized_write(out, size, there ? &CDNI_AT(tree->mobilizers, cdn_spec_mobilizer, i) : &none, sizeof none);
  if (there && out) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, "cdn_spec_tree_mobilizer_sized", "there is no mobilizer %d, or nowhere to put it", i);
}

cdn_status cdn_spec_tree_loop_sized(const cdn_spec_tree *tree, int i, cdn_spec_loop *out, size_t size) {
  static const cdn_spec_loop none = { .joint = -1, .a = -1, .b = -1 };
  const bool there = i >= 0 && i < cdn_spec_tree_loop_count(tree);
  cdni_sized_write(out, size, there ? &CDNI_AT(tree->loops, cdn_spec_loop, i) : &none, sizeof none);
  if (there && out) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, "cdn_spec_tree_loop_sized", "there is no loop %d, or nowhere to put it", i);
}
