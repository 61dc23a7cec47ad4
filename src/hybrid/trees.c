#include "hybrid/trees.h"

static size_t divide(moment_trees *t, char *base) {
  size_t at = 0;
  const size_t bodies = (size_t)t->n, nu = (size_t)t->nu, equations = (size_t)t->equations;
  t->of_body = cdni_part(base, &at, bodies, sizeof(int)), t->up = cdni_part(base, &at, bodies, sizeof(int));
  t->speed_first = cdni_part(base, &at, bodies + 2, sizeof(int)), t->speeds = cdni_part(base, &at, nu, sizeof(int));
  t->equation_first = cdni_part(base, &at, bodies + 2, sizeof(int));
  t->equations_ = cdni_part(base, &at, equations, sizeof(int));
  return at;
}

static moment_trees all_of(const hybrid_room *room) {
  const tree *t = &room->matter->tree;
  return (moment_trees){ .n = t->n, .nu = t->nu, .equations = cdni_constraints_equations(room->constraints) };
}

size_t cdni_trees_size(const hybrid_room *room) {
  moment_trees t = all_of(room);
  return divide(&t, NULL);
}

static int root_of(int *up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

static void join(int *up, int a, int b) {
  if (a == 0 || b == 0) return;
  a = root_of(up, a), b = root_of(up, b);
  up[a > b ? a : b] = a < b ? a : b;
}

/* The bodies that a constraint acts on: those that it names, and those of its mobilities. */
static int body_of(const constraint_room *room, const constraint_element *c, const int32_t *bodies, int k) {
  if (k < c->n_bodies) return bodies[k];
  return CDNI_AT(room->mobilities, constraint_mobility, c->first_mobility + k - c->n_bodies).body;
}

/* A sum of counts becomes the places of lists; afterwards first[i] is where list i begins. */
static void start_lists(int n, int *first) {
  for (int i = 0; i < n; i++) first[i + 1] += first[i];
  for (int i = n; i > 0; i--) first[i] = first[i - 1];
  first[0] = 0;
}

static void list_speeds(moment_trees *t, const tree *all) {
  for (int i = 1; i < all->n; i++) t->speed_first[t->of_body[i]] += all->node[i].nu;
  start_lists(t->n, t->speed_first);
  /* where each list ends so far, in the scratch */
  memcpy(t->up, t->speed_first, (size_t)t->n * sizeof *t->up);
  for (int i = 1; i < all->n; i++)
    for (int k = 0; k < all->node[i].nu; k++) t->speeds[t->up[t->of_body[i]]++] = all->node[i].u + k;
}

/* Of an equation of the plan: the tree of the first body that moves. */
static int tree_of(const moment_trees *t, const constraint_room *room, const loop_plan *plan, int c) {
  const constraint_element *e = constraint_on(room, plan, c);
  for (int k = 0; k < e->n_bodies + e->n_mobilities; k++) {
    const int body = body_of(room, e, constraint_bodies_on(plan, c), k);
    if (t->of_body[body] >= 0) return t->of_body[body];
  }
  return -1;
}

static void list_equations(moment_trees *t, const constraint_room *room, const loop_plan *plan) {
  for (int pass = 0; pass < 2; pass++) {
    for (int c = 0; c < plan->n_constraints; c++) {
      const int at = tree_of(t, room, plan, c), m = constraint_on(room, plan, c)->m;
      if (at < 0) continue;
      if (pass == 0) t->equation_first[at] += m;
      for (int k = 0; k < m && pass == 1; k++) t->equations_[t->up[at]++] = constraint_on(room, plan, c)->row + k;
    }
    if (pass == 0) start_lists(t->n, t->equation_first);
    memcpy(t->up, t->equation_first, (size_t)t->n * sizeof *t->up);
  }
}

cdn_status cdni_trees_find(moment_trees *t, const hybrid_room *room, cdn_state *state, void *memory) {
  const tree *all = &room->matter->tree;
  const constraint_room *constraints = room->constraints;
  const loop_plan *plan;
  *t = all_of(room);
  memset(memory, 0, divide(t, NULL));
  divide(t, memory);
  CDNI_TRY(cdni_constraint_plan(constraints, state, &plan));
  for (int i = 0; i < all->n; i++) t->up[i] = i;
  for (int i = 1; i < all->n; i++) join(t->up, i, all->node[i].parent);
  for (int c = 0; c < plan->n_constraints; c++) {
    const constraint_element *e = constraint_on(constraints, plan, c);
    int first = 0;
    for (int k = 0; k < e->n_bodies + e->n_mobilities; k++) {
      const int body = body_of(constraints, e, constraint_bodies_on(plan, c), k);
      join(t->up, first, body), first = first == 0 ? body : first;
    }
  }
  t->n = 0;
  t->of_body[0] = -1;
  for (int i = 1; i < all->n; i++) t->of_body[i] = root_of(t->up, i) == i ? t->n++ : t->of_body[root_of(t->up, i)];
  list_speeds(t, all);
  list_equations(t, constraints, plan);
  return CDN_OK;
}

int cdni_trees_of(const moment_trees *t, const hybrid_room *room, const cdn_state *state, int constraint, int most,
                  int *trees) {
  const constraint_element *c = constraint_at(room->constraints, constraint);
  const int32_t *bodies = constraint_bodies(room->constraints, state, c);
  int n = 0;
  for (int k = 0; k < c->n_bodies + c->n_mobilities && n < most; k++) {
    const int at = t->of_body[body_of(room->constraints, c, bodies, k)];
    bool is_listed = at < 0;
    for (int i = 0; i < n; i++) is_listed = is_listed || trees[i] == at;
    if (!is_listed) trees[n++] = at;
  }
  return n;
}
