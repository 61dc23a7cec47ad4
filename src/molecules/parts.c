/* Rigid parts of a molecule, and the tree that bonds make of them. */
#include "molecules/parts.h"

#include "system/system.h"

/* ---- sets of atoms that rigid bonds join ---- */

static int32_t set_of(int32_t *set, int32_t i) {
  while (set[i] != i) i = set[i] = set[set[i]];
  return i;
}
/* The lowest atom stands for a set. */
static void join(int32_t *set, int32_t i, int32_t j) {
  i = set_of(set, i), j = set_of(set, j);
  if (i < j) set[j] = i;
  else set[i] = j;
}

/* ---- the tree ---- */

static bool joins_parts(cdn_bond_mobility mobility) {
  return mobility == CDN_BOND_TORSION || mobility == CDN_BOND_TORSION_BEND || mobility == CDN_BOND_FLEXIBLE ||
         mobility == CDN_BOND_BALL;
}

static bool fail_ring(const mol_parts *p, cdn_system *system, const char *function, const mol_bond *e) {
  char one[MOL_LABEL], other[MOL_LABEL];
  cdni_system_fail(system, CDN_ERR_ARG, function, p->m->name,
                   "molecule '%s': the bond of '%s' and '%s' moves and closes a ring: cut a bond of the ring "
                   "(CDN_BOND_CUT), which a rod holds then, or make the whole ring rigid",
                   p->m->name, mol_label(p->m, e->a, one), mol_label(p->m, e->b, other));
  return false;
}

/* Adds the parts beyond those bonds of part i that move. */
static bool add_neighbours(mol_parts *p, cdn_system *system, const char *function, const int32_t *members,
                           const int32_t *first, int i, const int32_t *set, int32_t *part_of_set) {
  const int32_t own = set[p->part[i].atom];
  for (int32_t k = first[own]; k >= 0; k = members[k])
    for (int at = p->g.start[k]; at < p->g.start[k + 1]; at++) {
      const int to = p->g.neighbour[at], bond = p->g.bond[at];
      const mol_bond *e = &MOL_BOND(p->m, bond);
      if (!joins_parts(e->mobility) || bond == p->part[i].bond) continue;
      if (part_of_set[set[to]] >= 0) return fail_ring(p, system, function, e);
      part_of_set[set[to]] = p->n;
      p->part[p->n++] =
          (mol_part){ .atom = set[to], .parent = i, .bond = bond, .a = k, .b = to, .x = -1, .y = -1, .body = { -1 } };
    }
  return true;
}

/* Attached atoms: the body of each, by atom; { -1 }: none. */
static void find_attached(const cdn_molecule *m, int32_t *body) {
  for (size_t i = 0; i < m->atoms.count; i++) body[i] = -1;
  for (size_t i = 0; i < m->places.count; i++) {
    const mol_place *at = &CDNI_AT(m->places, mol_place, i);
    body[at->atom] = CDNI_AT(m->clusters, mol_cluster, at->cluster).body.i;
  }
}

/* What the tree is made with: by atom. */
typedef struct sets {
  const int32_t *set, *body; /* the lowest atom that rigid bonds join to it; the body that it is attached to, or -1 */
  const int32_t *members, *first; /* lists of sets' atoms, ascending */
  int32_t *part;                  /* by set; -1 */
} sets;

/* Adds a root and all parts that hang on it. */
static bool add_tree(mol_parts *p, cdn_system *system, const char *function, const sets *s, int root) {
  int next = p->n;
  s->part[root] = p->n;
  p->part[p->n++] = (mol_part){ .atom = root,
                                .parent = -1,
                                .bond = -1,
                                .a = -1,
                                .b = -1,
                                .x = -1,
                                .y = -1,
                                .attached = s->body[root] >= 0,
                                .body = { s->body[root] },
                                .X = cdn_transform_identity() };
  for (; next < p->n; next++)
    if (!p->part[next].attached && !add_neighbours(p, system, function, s->members, s->first, next, s->set, s->part))
      return false;
  return true;
}

/* The part that is to carry the tree from part `from` on: the heaviest one, unless one is attached. Joints near a light
 * root, such as an amino group, would have the whole molecule to turn and next to no inertia of their own. */
static int32_t find_root(const mol_parts *p, const sets *s, int from) {
  int32_t root = p->part[from].atom;
  double most = 0;
  for (int k = from; k < p->n; k++) {
    double mass = 0;
    if (p->part[k].attached) return p->part[from].atom;
    for (int32_t i = s->first[p->part[k].atom]; i >= 0; i = s->members[i]) mass += MOL_ATOM(p->m, i).mass;
    if (mass > most * (1 + 1e-9) || (mass > most * (1 - 1e-9) && p->part[k].atom < root))
      most = mass, root = p->part[k].atom;
  }
  return root;
}

static bool make_tree(mol_parts *p, cdn_system *system, const char *function, int32_t *room) {
  const cdn_molecule *m = p->m;
  const int n = (int)m->atoms.count;
  int32_t *set = room, *body = room + n, *members = room + 2 * n, *first = room + 3 * n, *part_of_set = room + 4 * n;
  find_attached(m, body);
  for (int i = 0; i < n; i++) set[i] = i, first[i] = part_of_set[i] = -1;
  for (size_t i = 0; i < m->bonds.count; i++) {
    const mol_bond *e = &MOL_BOND(m, i);
    if (e->mobility == CDN_BOND_RIGID && body[e->a] < 0 && body[e->b] < 0) join(set, e->a, e->b);
  }
  for (int i = 0; i < n; i++)
    for (int j = i + 1; body[i] >= 0 && j < n; j++)
      if (body[j] == body[i]) join(set, i, j);
  for (int i = 0; i < n; i++) set[i] = set_of(set, i);
  for (int i = n; i-- > 0;) members[i] = first[set[i]], first[set[i]] = i; /* lists in ascending order */

  const sets s = { set, body, members, first, part_of_set };
  for (int i = 0; i < n; i++) {
    if (set[i] != i || part_of_set[i] >= 0) continue;
    const int from = p->n;
    if (!add_tree(p, system, function, &s, i)) return false;
    const int32_t root = find_root(p, &s, from);
    if (root == i) continue;
    for (; p->n > from; p->n--) part_of_set[p->part[p->n - 1].atom] = -1;
    if (!add_tree(p, system, function, &s, root)) return false;
  }
  for (int i = 0; i < n; i++) p->of_atom[i] = part_of_set[set[i]];
  for (size_t i = 0; i < m->bonds.count; i++) {
    const mol_bond *e = &MOL_BOND(m, i);
    if (joins_parts(e->mobility) && p->of_atom[e->a] == p->of_atom[e->b]) return fail_ring(p, system, function, e);
  }
  return true;
}

bool mol_parts_make(mol_parts *p, cdn_system *system, const char *function, const cdn_molecule *m) {
  const size_t n = m->atoms.count;
  *p = (mol_parts){ .m = m };
  p->part = cdni_calloc(&m->memory, n * sizeof *p->part);
  p->of_atom = cdni_calloc(&m->memory, n * sizeof *p->of_atom);
  p->station = cdni_calloc(&m->memory, n * sizeof *p->station);
  p->flag = cdni_calloc(&m->memory, n * sizeof *p->flag);
  int32_t *room = cdni_alloc(&m->memory, 5 * n * sizeof *room);
  bool ok = mol_graph_make(m, &p->g) && p->part && p->of_atom && p->station && p->flag && room;
  if (!ok) cdni_system_fail(system, CDN_ERR_NOMEM, function, m->name, "out of memory");
  else ok = make_tree(p, system, function, room);
  cdni_free(&m->memory, room, 5 * n * sizeof *room);
  return ok;
}

void mol_parts_free(mol_parts *p) {
  const size_t n = p->m->atoms.count;
  cdni_free(&p->m->memory, p->part, n * sizeof *p->part);
  cdni_free(&p->m->memory, p->of_atom, n * sizeof *p->of_atom);
  cdni_free(&p->m->memory, p->station, n * sizeof *p->station);
  cdni_free(&p->m->memory, p->flag, n * sizeof *p->flag);
  mol_graph_free(&p->g);
}

bool mol_is_fixed_to(const mol_parts *p, int atom, int k) {
  const int own = p->of_atom[atom];
  if (own == k) return true;
  const mol_part *part = &p->part[k], *mine = &p->part[own];
  if (part->parent == own && part->a == atom && mol_joint_of(p, k) == CDN_BOND_TORSION) return true;
  return mine->parent == k && mine->b == atom && mol_joint_of(p, own) == CDN_BOND_TORSION;
}
