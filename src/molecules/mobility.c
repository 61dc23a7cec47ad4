/* Building the description: which bonds move, and clusters that are put on bodies. */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>

#include "molecules/molecule.h"

/* ---- rules ---- */

typedef struct rule {
  const char *name;
  cdn_bond_mobility mobility;
  bool rings, ends;                                        /* whether it is for bonds in rings, and to end atoms, too */
  bool (*is_for)(const cdn_molecule *m, const mol_bond *); /* NULL: for all */
} rule;

static bool joins(const cdn_molecule *m, const mol_bond *e, const char *one, const char *other) {
  const char *a = MOL_ATOM(m, e->a).name, *b = MOL_ATOM(m, e->b).name;
  return (strcmp(a, one) == 0 && strcmp(b, other) == 0) || (strcmp(a, other) == 0 && strcmp(b, one) == 0);
}
static bool same_residue(const cdn_molecule *m, const mol_bond *e) {
  return MOL_ATOM(m, e->a).residue == MOL_ATOM(m, e->b).residue;
}
static bool is_phi_or_psi(const cdn_molecule *m, const mol_bond *e) {
  return same_residue(m, e) && (joins(m, e, "N", "CA") || joins(m, e, "CA", "C"));
}
static bool is_of_side_chain(const cdn_molecule *m, const mol_bond *e) {
  return same_residue(m, e) ? !is_phi_or_psi(m, e) : !joins(m, e, "C", "N");
}

static const rule rules[] = {
  { "none", CDN_BOND_RIGID, true, true, NULL },
  { "torsions", CDN_BOND_TORSION, false, false, NULL },
  { "backbone", CDN_BOND_TORSION, false, false, is_phi_or_psi },
  { "side-chains", CDN_BOND_TORSION, false, false, is_of_side_chain },
  { "bends", CDN_BOND_TORSION_BEND, false, true, NULL },
  { "flexible", CDN_BOND_FLEXIBLE, false, true, NULL },
  { "atoms", CDN_BOND_FREE, true, true, NULL },
};

/* The residues of a rule, as its text lists them; an empty list: all. */
static bool is_listed(const char *list, int sequence) {
  if (!*list) return true;
  while (*list) {
    char *end;
    const long first = strtol(list, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
    if (sequence >= first && sequence <= last) return true;
    list = *end == ',' ? end + 1 : "";
  }
  return false;
}

static bool check_list(const char *list) {
  while (*list) {
    char *end;
    strtol(list, &end, 10);
    if (end == list) return false;
    const char *second = end + 1;
    if (*end == '-' && (strtol(second, &end, 10), end == second)) return false;
    if (*end && *end != ',') return false;
    list = *end ? end + 1 : end;
  }
  return true;
}

static bool residue_is_listed(const cdn_molecule *m, const char *list, int atom) {
  const int r = MOL_ATOM(m, atom).residue;
  return !*list || (r >= 0 && is_listed(list, CDNI_AT(m->residues, mol_residue, r).sequence));
}

/* Bonds between sulphurs of two residues are cut where they close a ring. */
static bool cut_disulfides(cdn_molecule *m, const mol_graph *g, const char *list, bool *in_ring) {
  enum { SULPHUR = 16 };
  if (!mol_find_rings(m, g, in_ring)) return false;
  for (size_t i = 0; i < m->bonds.count; i++) {
    mol_bond *e = &MOL_BOND(m, i);
    if (MOL_ATOM(m, e->a).element != SULPHUR || MOL_ATOM(m, e->b).element != SULPHUR || same_residue(m, e)) continue;
    if (!residue_is_listed(m, list, e->a) || !residue_is_listed(m, list, e->b)) continue;
    if (in_ring[i]) e->mobility = CDN_BOND_CUT;
  }
  return mol_find_rings(m, g, in_ring);
}

static void apply(cdn_molecule *m, const rule *r, const char *list, const mol_graph *g, const bool *in_ring) {
  for (size_t i = 0; i < m->bonds.count; i++) {
    mol_bond *e = &MOL_BOND(m, i);
    const bool end = g->start[e->a + 1] - g->start[e->a] < 2 || g->start[e->b + 1] - g->start[e->b] < 2;
    if (!residue_is_listed(m, list, e->a) || !residue_is_listed(m, list, e->b)) continue;
    if ((in_ring[i] && !r->rings) || (end && !r->ends) || (e->mobility == CDN_BOND_CUT && !r->rings)) continue;
    if (!r->is_for || r->is_for(m, e)) e->mobility = r->mobility;
  }
}

void cdn_molecule_set_mobility(cdn_molecule *m, const char *text) {
  if (!mol_takes(m, __func__)) return;
  CDNI_NEED_OBJECT_OR_NOTHING(text);
  const size_t length = strcspn(text, " ");
  const char *list = text + length + strspn(text + length, " ");
  const rule *r = NULL;
  for (int i = 0; i < CDNI_COUNT(rules); i++)
    if (strlen(rules[i].name) == length && strncmp(rules[i].name, text, length) == 0) r = &rules[i];
  if (!r || !check_list(list)) {
    mol_fail(m, CDN_ERR_ARG, __func__, m->name,
             r ? "'%s': after the rule come sequence numbers of residues, as in '%.*s 3-7,12'"
               : "there is no rule '%s' by which bonds move: none, torsions, backbone, side-chains, bends, flexible, "
                 "atoms",
             text, (int)length, text);
    return;
  }
  mol_graph g;
  const size_t bytes = (m->bonds.count + 1) * sizeof(bool);
  bool *in_ring = cdni_calloc(&m->memory, bytes);
  bool ok = mol_graph_make(m, &g) && in_ring;
  if (ok) ok = r->rings || cut_disulfides(m, &g, list, in_ring);
  if (ok) apply(m, r, list, &g, in_ring);
  else mol_fail(m, CDN_ERR_NOMEM, __func__, m->name, "out of memory");
  mol_graph_free(&g);
  cdni_free(&m->memory, in_ring, bytes);
}

/* ---- one bond ---- */

static mol_bond *need_bond(cdn_molecule *m, const char *function, int a, int b) {
  if (!mol_takes(m, function) || !mol_has_atom(m, function, a) || !mol_has_atom(m, function, b)) return NULL;
  char one[MOL_LABEL], other[MOL_LABEL];
  mol_bond *e = mol_find_bond(m, a, b);
  if (!e)
    mol_fail(m, CDN_ERR_ARG, function, m->name, "atoms '%s' and '%s' are not bonded", mol_label(m, a, one),
             mol_label(m, b, other));
  return e;
}

void cdn_molecule_set_bond_mobility(cdn_molecule *m, int a, int b, cdn_bond_mobility mobility) {
  mol_bond *e = need_bond(m, __func__, a, b);
  if (!e) return;
  if ((int)mobility < 0 || mobility >= CDN_BOND_MOBILITY_COUNT)
    mol_fail(m, CDN_ERR_ARG, __func__, m->name, "there is no mobility %d of bonds", (int)mobility);
  else e->mobility = mobility;
}

void cdn_molecule_set_dihedral(cdn_molecule *m, int x, int a, int b, int y) {
  mol_bond *e = need_bond(m, __func__, a, b);
  if (!e || !need_bond(m, __func__, x, a) || !need_bond(m, __func__, b, y)) return;
  if (x == b || y == a) mol_fail(m, CDN_ERR_ARG, __func__, m->name, "an atom of the dihedral comes twice");
  else e->x = e->a == a ? x : y, e->y = e->a == a ? y : x;
}

/* ---- clusters ---- */

static mol_cluster *need_cluster(cdn_molecule *m, const char *function, int cluster) {
  if (!mol_takes(m, function)) return NULL;
  if (cluster >= 0 && (size_t)cluster < m->clusters.count) return &CDNI_AT(m->clusters, mol_cluster, cluster);
  mol_fail(m, CDN_ERR_ARG, function, m->name, "molecule '%s' has no cluster %d", m->name, cluster);
  return NULL;
}

int cdn_molecule_add_cluster(cdn_molecule *m, const char *name) {
  if (!mol_takes(m, __func__)) return -1;
  mol_cluster c = { .body = { -1 } };
  snprintf(c.name, sizeof c.name, "%s", name ? name : "");
  return mol_push(m, __func__, &m->clusters, sizeof c, &c) ? (int)m->clusters.count - 1 : -1;
}

void cdn_cluster_place_atom(cdn_molecule *m, int cluster, int atom, cdn_vec3 p) {
  if (!need_cluster(m, __func__, cluster) || !mol_has_atom(m, __func__, atom)) return;
  char label[MOL_LABEL];
  for (size_t i = 0; i < m->places.count; i++)
    if (CDNI_AT(m->places, mol_place, i).atom == atom) {
      mol_fail(m, CDN_ERR_ARG, __func__, m->name, "atom '%s' is in cluster %d already", mol_label(m, atom, label),
               CDNI_AT(m->places, mol_place, i).cluster);
      return;
    }
  const mol_place place = { cluster, atom, p };
  mol_push(m, __func__, &m->places, sizeof place, &place);
}

void cdn_cluster_place_cluster(cdn_molecule *m, int cluster, int inner, cdn_transform X) {
  if (!need_cluster(m, __func__, cluster) || !need_cluster(m, __func__, inner)) return;
  if (cluster == inner) {
    mol_fail(m, CDN_ERR_ARG, __func__, m->name, "cluster %d is placed in itself", cluster);
    return;
  }
  for (size_t i = 0; i < m->places.count; i++) {
    mol_place *at = &CDNI_AT(m->places, mol_place, i);
    if (at->cluster == inner) at->cluster = cluster, at->p = cdn_transform_point(X, at->p);
  }
}

cdn_status cdn_cluster_mass_properties(const cdn_molecule *m, int cluster, cdn_mass_properties *out) {
  CDNI_NEED_OBJECT(m, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  *out = (cdn_mass_properties){ 0 };
  for (size_t i = 0; i < m->places.count; i++) {
    const mol_place *at = &CDNI_AT(m->places, mol_place, i);
    if (at->cluster == cluster)
      *out = cdn_mass_properties_merge(*out, (cdn_mass_properties){ .mass = MOL_ATOM(m, at->atom).mass, .com = at->p });
  }
  if (out->mass > 0) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, __func__, "molecule '%s' has no cluster %d, or it has no atoms", m->name, cluster);
}

void cdn_molecule_attach_cluster(cdn_molecule *m, int cluster, cdn_body body, cdn_transform X_BC) {
  mol_cluster *c = need_cluster(m, __func__, cluster);
  if (c) c->body = body, c->X_BC = X_BC;
}
