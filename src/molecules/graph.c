/* The graph of bonds: neighbours, rings, and which neighbours dihedrals are measured from. */
#include "molecules/molecule.h"

#include <string.h>

bool mol_graph_make(const cdn_molecule *m, mol_graph *g) {
  const int n = (int)m->atoms.count, bonds = (int)m->bonds.count;
  *g = (mol_graph){ .memory = m->memory, .n = n, .n_ends = 2 * bonds };
  g->start = cdni_calloc(&m->memory, ((size_t)n + 2) * sizeof *g->start);
  g->neighbour = cdni_calloc(&m->memory, (2 * (size_t)bonds + 1) * sizeof *g->neighbour);
  g->bond = cdni_calloc(&m->memory, (2 * (size_t)bonds + 1) * sizeof *g->bond);
  if (!g->start || !g->neighbour || !g->bond) return false;
  /* Row i is counted at i + 2, begins at start[i + 1] before it is filled, and ends there afterwards. */
  for (int i = 0; i < bonds; i++) g->start[MOL_BOND(m, i).a + 2]++, g->start[MOL_BOND(m, i).b + 2]++;
  for (int i = 0; i < n; i++) g->start[i + 2] += g->start[i + 1];
  for (int i = 0; i < bonds; i++) {
    const mol_bond *e = &MOL_BOND(m, i);
    const int32_t at_a = g->start[e->a + 1]++, at_b = g->start[e->b + 1]++;
    g->neighbour[at_a] = e->b, g->bond[at_a] = i;
    g->neighbour[at_b] = e->a, g->bond[at_b] = i;
  }
  return true;
}

void mol_graph_free(mol_graph *g) {
  cdni_free(&g->memory, g->start, ((size_t)g->n + 2) * sizeof *g->start);
  cdni_free(&g->memory, g->neighbour, ((size_t)g->n_ends + 1) * sizeof *g->neighbour);
  cdni_free(&g->memory, g->bond, ((size_t)g->n_ends + 1) * sizeof *g->bond);
  *g = (mol_graph){ 0 };
}

/* ---- rings: bonds that are no bridges (R. E. Tarjan, "A note on finding the bridges of a graph", 1974) ---- */

typedef struct walk {
  int32_t number, lowest; /* the order of discovery, from 1; the lowest number that is reached from below */
  int32_t by, next;       /* the bond that led here; the next neighbour to look at */
} walk;

static void walk_from(const cdn_molecule *m, const mol_graph *g, int root, walk *w, int32_t *stack, int32_t *count,
                      bool *in_ring) {
  int depth = 0;
  stack[0] = root;
  w[root] = (walk){ ++*count, *count, -1, g->start[root] };
  while (depth >= 0) {
    const int i = stack[depth];
    if (w[i].next < g->start[i + 1]) {
      const int at = w[i].next++, bond = g->bond[at], to = g->neighbour[at];
      if (bond == w[i].by || MOL_BOND(m, bond).mobility == CDN_BOND_CUT) continue;
      if (w[to].number > 0) {
        if (w[to].number < w[i].lowest) w[i].lowest = w[to].number;
        in_ring[bond] = true;
        continue;
      }
      ++*count;
      w[to] = (walk){ *count, *count, bond, g->start[to] };
      stack[++depth] = to;
      continue;
    }
    if (--depth < 0) break;
    const int above = stack[depth];
    if (w[i].lowest < w[above].lowest) w[above].lowest = w[i].lowest;
    if (w[i].lowest <= w[above].number) in_ring[w[i].by] = true;
  }
}

bool mol_find_rings(const cdn_molecule *m, const mol_graph *g, bool *in_ring) {
  const size_t n = (size_t)g->n + 1;
  walk *w = cdni_calloc(&m->memory, n * sizeof *w);
  int32_t *stack = cdni_alloc(&m->memory, n * sizeof *stack), count = 0;
  const bool ok = w && stack;
  memset(in_ring, 0, m->bonds.count * sizeof *in_ring);
  for (int i = 0; ok && i < g->n; i++)
    if (w[i].number == 0) walk_from(m, g, i, w, stack, &count, in_ring);
  cdni_free(&m->memory, w, n * sizeof *w);
  cdni_free(&m->memory, stack, n * sizeof *stack);
  return ok;
}

/* ---- atoms of dihedrals (IUPAC-IUB 1970 for peptides, 1983 for nucleic acids) ---- */

static bool is_of_chain(const char *name) {
  static const char *const chain[] = { "N",   "CA",  "C",   "P",   "O5'", "C5'", "C4'",
                                       "C3'", "O3'", "O5*", "C5*", "C4*", "C3*", "O3*" };
  for (int i = 0; i < CDNI_COUNT(chain); i++)
    if (strcmp(name, chain[i]) == 0) return true;
  return false;
}

bool mol_goes_before(const cdn_molecule *m, int i, int j) {
  const mol_atom *a = &MOL_ATOM(m, i), *b = &MOL_ATOM(m, j);
  const bool chain_a = is_of_chain(a->name), chain_b = is_of_chain(b->name);
  if (chain_a != chain_b) return chain_a;
  /* Without elements the mass tells which one is heavier. */
  if (a->element != b->element) return a->element > b->element;
  if (a->element == 0 && a->mass != b->mass) return a->mass > b->mass;
  const int order = strcmp(a->name, b->name);
  return order != 0 ? order < 0 : i < j;
}
