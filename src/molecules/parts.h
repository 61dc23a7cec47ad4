/* From a description to rigid parts joined by bonds that move. Private to the room. */
#ifndef CARDAN_MOLECULES_PARTS_H
#define CARDAN_MOLECULES_PARTS_H

#include "molecules/molecule.h"

/* How a root moves. Where its own atoms are on one line, its rotation follows from two directions that are fixed to it,
 * of atoms toward[0] - from[0] and toward[1] - from[1]: of atoms that its joints do not turn about the line. */
typedef enum mol_root_kind { MOL_ROOT_FREE, MOL_ROOT_LINE, MOL_ROOT_POINT } mol_root_kind;
typedef struct mol_root {
  mol_root_kind kind;
  cdn_vec3 along;             /* of a line */
  int32_t from[2], toward[2]; /* -1: there is none */
} mol_root;

/* A rigid part: a body. Positions are those of the description. */
typedef struct mol_part {
  int32_t atom;   /* the lowest */
  int32_t parent; /* -1: a root, or on a body of the user's */
  int32_t bond;   /* the joint; -1 */
  int32_t a, b;   /* its inner and its outer atom */
  int32_t x, y;   /* its dihedral is x-a-b-y; -1: none */
  bool azimuth;   /* its bond turns about a-x, too, for another one decides the plane in which a part turns */
  bool attached;  /* on a body of the user's */
  cdn_body body;
  cdn_transform X; /* the body's frame in that of the description; identity if attached */
  mol_root root;   /* of a root */
} mol_part;

typedef struct mol_parts {
  const cdn_molecule *m;
  mol_graph g;
  int n;
  mol_part *part;    /* parents first */
  int32_t *of_atom;  /* the part of each atom */
  cdn_vec3 *station; /* by atom, in its body's frame; filled in when the body is there */
  bool *flag;        /* by part: room */
} mol_parts;

/* Finds parts and their tree; false, with a mistake of the System: a ring moves, no memory. */
bool mol_parts_make(mol_parts *p, cdn_system *system, const char *function, const cdn_molecule *m);
void mol_parts_free(mol_parts *p);
/* Adds the body of part i to the System, on its parent's or on `root`. */
void mol_part_add_body(mol_parts *p, int i, cdn_system *system, const char *prefix, cdn_body root);
/* Finds the atoms of all dihedrals, and how roots move. */
void mol_find_references(mol_parts *p);
/* Where the description has an atom. */
static inline cdn_vec3 mol_place_of(const mol_parts *p, int atom) { return MOL_ATOM(p->m, atom).p; }
/* The part of v across the unit vector e, as a unit vector; false: v is along e. */
bool mol_across(cdn_vec3 v, cdn_vec3 e, cdn_vec3 *out);
/* Whether atom i keeps its place to part k: it is on it, or on the axis of a torsion between both. */
bool mol_is_fixed_to(const mol_parts *p, int atom, int k);
/* The mobility of part i's joint. */
static inline cdn_bond_mobility mol_joint_of(const mol_parts *p, int i) {
  return p->part[i].bond < 0 ? CDN_BOND_FREE : MOL_BOND(p->m, p->part[i].bond).mobility;
}

#endif
