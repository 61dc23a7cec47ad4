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

/* Attached atoms: the body of each, by atom; { -1 }: none. */
static void find_attached(const cdn_molecule *m, int32_t *body) {
  for (size_t i = 0; i < m->atoms.count; i++) body[i] = -1;
  for (size_t i = 0; i < m->places.count; i++) {
    const mol_place *at = &CDNI_AT(m->places, mol_place, i);
    body[at->atom] = CDNI_AT(m->clusters, mol_cluster, at->cluster).body.i;
  }
}

/* What make_tree works with: by atom, but for the steps. */
typedef struct sets {
  int32_t *set, *body;     /* the lowest atom that rigid bonds join to it; the body it is attached to, or -1 */
  int32_t *first, *member; /* lists of sets' atoms, ascending: the first by set, the next one by atom; -1 */
  int32_t *part;           /* by set; -1 */
  struct step *step;       /* bonds to follow: no more than ends of bonds, and a root */
} sets;
typedef struct step {
  int32_t part, bond, from, to; /* from an atom of a part to another atom; of a root: -1, -1, -1 */
} step;

static void find_sets(const cdn_molecule *m, const sets *s) {
  const int n = (int)m->atoms.count;
  find_attached(m, s->body);
  for (int i = 0; i < n; i++) s->set[i] = i, s->first[i] = s->part[i] = -1;
  for (size_t i = 0; i < m->bonds.count; i++) {
    const mol_bond *e = &MOL_BOND(m, i);
    if (e->mobility == CDN_BOND_RIGID && s->body[e->a] < 0 && s->body[e->b] < 0) join(s->set, e->a, e->b);
  }
  for (int i = 0; i < n; i++)
    for (int j = i + 1; s->body[i] >= 0 && j < n; j++)
      if (s->body[j] == s->body[i]) join(s->set, i, j);
  for (int i = 0; i < n; i++) s->set[i] = set_of(s->set, i);
  for (int i = n; i-- > 0;) s->member[i] = s->first[s->set[i]], s->first[s->set[i]] = i;
}

/* Puts the bonds of part i that move on the stack, that of the lowest atom on top. Returns how many steps are there. */
static int add_steps(const mol_parts *p, const sets *s, int i, int n) {
  const int before = n;
  for (int32_t k = s->first[p->part[i].atom]; k >= 0; k = s->member[k])
    for (int at = p->g.start[k]; at < p->g.start[k + 1]; at++) {
      const int to = p->g.neighbour[at], bond = p->g.bond[at];
      if (!joins_parts(MOL_BOND(p->m, bond).mobility) || bond == p->part[i].bond || s->body[to] >= 0) continue;
      int place = n++;
      for (; place > before && s->step[place - 1].to < to; place--) s->step[place] = s->step[place - 1];
      s->step[place] = (step){ i, bond, k, to };
    }
  return n;
}

/* Parts are found depth first, so that bodies come about in the order of atoms: what is near in the chain is near in
 * the arrays of the force field. */
static bool add_parts(mol_parts *p, cdn_system *system, const char *function, const sets *s, int root) {
  s->step[0] = (step){ -1, -1, -1, root };
  for (int n = 1; n > 0;) {
    const step t = s->step[--n];
    const int own = s->set[t.to];
    if (s->part[own] >= 0) return fail_ring(p, system, function, &MOL_BOND(p->m, t.bond));
    const int i = s->part[own] = p->n++;
    p->part[i] = (mol_part){ .atom = own,
                             .parent = t.part,
                             .bond = t.bond,
                             .a = t.from,
                             .b = t.bond < 0 ? -1 : t.to,
                             .x = -1,
                             .y = -1,
                             .attached = s->body[own] >= 0,
                             .body = { s->body[own] },
                             .X = cdn_transform_identity() };
    if (!p->part[i].attached) n = add_steps(p, s, i, n);
  }
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
    for (int32_t i = s->first[p->part[k].atom]; i >= 0; i = s->member[i]) mass += MOL_ATOM(p->m, i).mass;
    if (mass > most * (1 + 1e-9) || (mass > most * (1 - 1e-9) && p->part[k].atom < root))
      most = mass, root = p->part[k].atom;
  }
  return root;
}

static bool make_tree(mol_parts *p, cdn_system *system, const char *function, const sets *s) {
  const cdn_molecule *m = p->m;
  const int n = (int)m->atoms.count;
  find_sets(m, s);
  for (int i = 0; i < n; i++) {
    if (s->set[i] != i || s->part[i] >= 0) continue;
    const int from = p->n;
    if (!add_parts(p, system, function, s, i)) return false;
    const int32_t root = find_root(p, s, from);
    if (root == i) continue;
    for (; p->n > from; p->n--) s->part[p->part[p->n - 1].atom] = -1;
    if (!add_parts(p, system, function, s, root)) return false;
  }
  for (int i = 0; i < n; i++) p->of_atom[i] = s->part[s->set[i]];
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
  const size_t steps = 2 * m->bonds.count + 1;
  int32_t *room = cdni_alloc(&m->memory, 5 * n * sizeof *room);
  step *step_room = cdni_alloc(&m->memory, steps * sizeof *step_room);
  bool ok = mol_graph_make(m, &p->g) && p->part && p->of_atom && p->station && p->flag && room && step_room;
  if (!ok) cdni_system_fail(system, CDN_ERR_NOMEM, function, m->name, "out of memory");
  else
    ok = make_tree(p, system, function, &(sets){ room, room + n, room + 2 * n, room + 3 * n, room + 4 * n, step_room });
  cdni_free(&m->memory, room, 5 * n * sizeof *room);
  cdni_free(&m->memory, step_room, steps * sizeof *step_room);
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
