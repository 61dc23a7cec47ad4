/* Which atoms dihedrals are of, and how roots move.
 *
 * A root whose atoms are on one line has no inertia about it of its own. Where a bond along that line turns what is
 * beyond it, and nothing else is off the line, its dihedral would be the root's turn about the line a second time: the
 * bond has none then. Where nothing is off the line at all, the root does not turn about it. */
#include "molecules/parts.h"

/* An atom beyond this sine is off a line. */
static const double OFF_LINE = 1e-4;

bool mol_across(cdn_vec3 v, cdn_vec3 e, cdn_vec3 *out) {
  const double length = cdn_norm(v);
  if (!(length > 0)) return false;
  v = cdn_scale(1 / length, v);
  v = cdn_sub(v, cdn_scale(cdn_dot(v, e), e));
  if (cdn_norm(v) < OFF_LINE) return false;
  *out = cdn_scale(1 / cdn_norm(v), v);
  return true;
}

/* ---- atoms of dihedrals ---- */

static bool bends(cdn_bond_mobility mobility) {
  return mobility == CDN_BOND_TORSION_BEND || mobility == CDN_BOND_FLEXIBLE;
}
/* Whether part i stays along the direction of its bond: the bond has no angle. */
static bool keeps_line(const mol_parts *p, int i) {
  const cdn_bond_mobility mobility = mol_joint_of(p, i);
  return mobility == CDN_BOND_TORSION || (bends(mobility) && p->part[i].x < 0);
}

/* Whether the direction from atom `at` to its neighbour by this bond is fixed to part k, on which `at` is, for the
 * joint of part i. Of the bonds that bend, those that have been looked at before may have no angle. */
static bool keeps_direction(const mol_parts *p, int k, int bond, int to, int i) {
  const int own = p->of_atom[to];
  if (own == k || MOL_BOND(p->m, bond).mobility == CDN_BOND_TORSION || p->part[k].bond == bond) return true;
  return own < i && p->part[own].bond == bond && keeps_line(p, own);
}

/* The reference atom at `at` for the bond to `other`, part i's: the user's, or the best whose direction is fixed to
 * part k, or (`also`) whose bond bends, and not along the bond; -1: none. */
static int find_reference(const mol_parts *p, int i, int k, int at, int other, int wanted, bool also) {
  int best = -1;
  const cdn_vec3 b = cdn_sub(mol_place_of(p, other), mol_place_of(p, at)), e = cdn_scale(1 / cdn_norm(b), b);
  cdn_vec3 side;
  for (int n = p->g.start[at]; n < p->g.start[at + 1]; n++) {
    const int to = p->g.neighbour[n], bond = p->g.bond[n];
    const cdn_bond_mobility mobility = MOL_BOND(p->m, bond).mobility;
    if (to == other || !(keeps_direction(p, k, bond, to, i) || (also && bends(mobility)))) continue;
    if (mobility == CDN_BOND_FREE) continue;
    if (!mol_across(cdn_sub(mol_place_of(p, to), mol_place_of(p, at)), e, &side)) continue;
    if (to == wanted) return to;
    if (best < 0 || mol_goes_before(p->m, to, best)) best = to;
  }
  return best;
}

static bool has_angle(const mol_parts *p, int i) { return bends(mol_joint_of(p, i)) && p->part[i].x >= 0; }

static void find_dihedral(mol_parts *p, int i) {
  mol_part *part = &p->part[i];
  const mol_bond *bond = &MOL_BOND(p->m, part->bond);
  const bool forward = bond->a == part->a;
  const int wanted_x = forward ? bond->x : bond->y, wanted_y = forward ? bond->y : bond->x;
  part->x = find_reference(p, i, part->parent, part->a, part->b, wanted_x, false);
  part->y = find_reference(p, i, i, part->b, part->a, wanted_y, false);
  /* Where nothing is fixed to b, the next bond bends in a plane with this one: there is a dihedral all the same. */
  if (part->y < 0) part->y = find_reference(p, i, i, part->b, part->a, wanted_y, true);
}

/* Where part i turns by a bond that bends, other bonds of the part that bend do not keep their angles to that plane. */
static void find_azimuths(mol_parts *p, int i) {
  const mol_part *part = &p->part[i];
  if (part->y < 0 || p->of_atom[part->y] == i) return;
  const int decides = p->of_atom[part->y];
  if (p->part[decides].parent != i || !has_angle(p, decides)) return;
  for (int k = i + 1; k < p->n; k++)
    if (p->part[k].parent == i && k != decides) p->part[k].azimuth = has_angle(p, k);
}

/* ---- roots ---- */

/* Whether the part's joint turns it about its bond, which is along a line that the part before it is on. */
static bool spins(const mol_parts *p, int i) {
  return mol_joint_of(p, i) != CDN_BOND_BALL && p->part[i].x < 0 && p->part[i].y >= 0;
}

/* What turns with a root: its parts, but those beyond balls and bonds that spin, of which the atom on the axis counts.
 * Adds atoms to a line; false: they are on none. *spinning: the first bond that spins, or -1. */
typedef struct line {
  cdn_vec3 from, along;
  int atoms;
} line;

static bool is_on(line *l, cdn_vec3 at) {
  cdn_vec3 side;
  const cdn_vec3 v = cdn_sub(at, l->from);
  if (++l->atoms == 1) {
    l->from = at;
    return true;
  }
  if (l->atoms > 2) return !mol_across(v, l->along, &side);
  l->along = cdn_norm(v) > 0 ? cdn_scale(1 / cdn_norm(v), v) : cdn_v3(0, 0, 1);
  return true;
}

/* inside[i]: whether part i turns with the root. */
static bool is_line(const mol_parts *p, int root, bool *inside, line *l, int *spinning) {
  bool on = true;
  *l = (line){ .atoms = 0 };
  *spinning = -1;
  for (int i = root; i < p->n; i++) {
    const mol_part *part = &p->part[i];
    inside[i] = i == root;
    if (i == root || part->parent < root || !inside[part->parent]) continue;
    const bool spin = spins(p, i);
    inside[i] = !spin && mol_joint_of(p, i) != CDN_BOND_BALL;
    if (spin && *spinning < 0) *spinning = i;
    if (spin) on = on && is_on(l, mol_place_of(p, part->b));
  }
  for (int k = 0; on && k < (int)p->m->atoms.count; k++)
    if (p->of_atom[k] >= root && inside[p->of_atom[k]]) on = is_on(l, mol_place_of(p, k));
  return on;
}

static void add_direction(const mol_parts *p, mol_root *root, int from, int toward) {
  const cdn_vec3 v = cdn_sub(mol_place_of(p, toward), mol_place_of(p, from));
  cdn_vec3 side;
  if (root->toward[1] >= 0 || !(cdn_norm(v) > 0)) return;
  const int k = root->toward[0] >= 0;
  if (k > 0) {
    const cdn_vec3 first = cdn_sub(mol_place_of(p, root->toward[0]), mol_place_of(p, root->from[0]));
    if (!mol_across(v, cdn_scale(1 / cdn_norm(first), first), &side)) return;
  }
  root->from[k] = from, root->toward[k] = toward;
}

/* Two directions that are fixed to a root: of its own atoms, of bonds without an angle, of parts that have no angle
 * either; else those of a bond that bends, in a plane that is fixed. `fixed` is room: parts that do not turn. */
static void find_directions(mol_parts *p, int r, mol_root *root, bool *fixed) {
  cdn_vec3 along = { 0, 0, 0 }, side;
  bool off = false;
  for (int k = p->part[r].atom; k < (int)p->m->atoms.count && !off; k++) {
    if (p->of_atom[k] != r || k == p->part[r].atom) continue;
    const cdn_vec3 v = cdn_sub(mol_place_of(p, k), mol_place_of(p, p->part[r].atom));
    if (cdn_norm(along) > 0) off = mol_across(v, along, &side);
    else if (cdn_norm(v) > 0) along = cdn_scale(1 / cdn_norm(v), v);
  }
  if (off) return; /* the root's own atoms tell */
  int bending = -1;
  for (int i = r; i < p->n; i++) {
    const mol_part *part = &p->part[i];
    fixed[i] = i == r || (part->parent >= r && fixed[part->parent] && keeps_line(p, i) && part->y < 0);
    if (i > r && part->parent >= r && fixed[part->parent]) {
      if (keeps_line(p, i)) add_direction(p, root, part->a, part->b);
      else if (bending < 0 && bends(mol_joint_of(p, i))) bending = i;
    }
    if (!fixed[i]) continue;
    for (int k = part->atom + 1; k < (int)p->m->atoms.count; k++)
      if (p->of_atom[k] == i) add_direction(p, root, part->atom, k);
  }
  if (root->toward[1] >= 0 || bending < 0) return;
  const mol_part *part = &p->part[bending];
  root->from[0] = root->from[1] = part->a;
  root->toward[0] = part->x, root->toward[1] = part->b;
  for (int i = r; i < p->n; i++)
    if (p->part[i].parent >= r && fixed[p->part[i].parent]) p->part[i].azimuth = has_angle(p, i) && i != bending;
}

static void choose_root(mol_parts *p, int i) {
  mol_root *root = &p->part[i].root;
  line l;
  int spinning;
  root->kind = MOL_ROOT_FREE;
  if (is_line(p, i, p->flag, &l, &spinning)) {
    if (spinning >= 0) p->part[spinning].y = -1;
    else if (l.atoms == 1) root->kind = MOL_ROOT_POINT;
    else root->kind = MOL_ROOT_LINE, root->along = l.along;
  }
  if (root->kind != MOL_ROOT_POINT) find_directions(p, i, root, p->flag);
}

void mol_find_references(mol_parts *p) {
  for (int i = 0; i < p->n; i++) {
    mol_root *root = &p->part[i].root;
    *root = (mol_root){ .kind = MOL_ROOT_FREE, .from = { -1, -1 }, .toward = { -1, -1 } };
    if (p->part[i].parent >= 0) find_dihedral(p, i);
  }
  for (int i = 0; i < p->n; i++)
    if (p->part[i].parent >= 0) find_azimuths(p, i);
  for (int i = 0; i < p->n; i++)
    if (p->part[i].parent < 0 && !p->part[i].attached) choose_root(p, i);
}
