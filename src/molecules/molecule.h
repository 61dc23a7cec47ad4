/* The description of a molecule, as the files of this room share it. Private to the room. */
#ifndef CARDAN_MOLECULES_MOLECULE_H
#define CARDAN_MOLECULES_MOLECULE_H

#include <cardan/molecule.h>

#include "core/core.h"

enum { MOLECULE_NAME = 32, MOST_PERIODICITY = 6 };

typedef struct mol_residue {
  char name[MOLECULE_NAME];
  int32_t sequence;
} mol_residue;

typedef struct mol_atom {
  char name[MOLECULE_NAME];
  int32_t residue, element, atom_class;
  double mass, charge, radius, screen;
  cdn_vec3 p;
} mol_atom;

typedef struct mol_bond {
  int32_t a, b;
  int32_t x, y; /* atoms of the dihedral x-a-b-y, as the user says; -1 */
  cdn_bond_mobility mobility;
} mol_bond;

typedef struct mol_class {
  char name[MOLECULE_NAME];
  double radius, depth;
} mol_class;

/* A and B of two classes that follow no rule. */
typedef struct mol_lj {
  int32_t i, j;
  double A, B;
} mol_lj;

/* A term of two to four atoms, or its definition for classes. */
typedef struct mol_term {
  cdn_energy_term kind; /* CDN_TERM_STRETCH to CDN_TERM_IMPROPER */
  int32_t at[4];        /* atoms; of a definition: classes or CDN_ANY_CLASS */
  int32_t n;            /* periodicity */
  double k, x0;
  cdn_function *custom; /* retained; NULL: k and x0 */
} mol_term;

typedef struct mol_scale {
  int32_t a, b;
  double coulomb, lj;
} mol_scale;

/* An atom's place in a cluster; a cluster's place on a body. */
typedef struct mol_place {
  int32_t cluster, atom;
  cdn_vec3 p;
} mol_place;
typedef struct mol_cluster {
  char name[MOLECULE_NAME];
  cdn_body body; /* { -1 }: not attached */
  cdn_transform X_BC;
} mol_cluster;

struct cdn_molecule {
  char name[2 * MOLECULE_NAME];
  cdn_error error;
  cdn_allocator memory;
  cdni_array residues, atoms, bonds, classes, lj_pairs, definitions, terms, scales, places, clusters;
  cdn_mixing mixing;
  double neighbour_coulomb[4], neighbour_lj[4];
  double coulomb_constant;
  cdn_solvent_def solvent;
  cdn_cutoff_def cutoff; /* distance 0: none */
  int threads;
};

/* How many atoms a kind of term has. */
static inline int mol_term_atoms(cdn_energy_term kind) {
  return kind == CDN_TERM_STRETCH ? 2 : kind == CDN_TERM_BEND ? 3 : 4;
}
/* The dihedral of four places (IUPAC); `gradient` (may be NULL) is by each of them. */
double mol_dihedral(cdn_vec3 a, cdn_vec3 b, cdn_vec3 c, cdn_vec3 d, cdn_vec3 gradient[4]);

#define MOL_ATOM(m, i) CDNI_AT((m)->atoms, mol_atom, i)
#define MOL_BOND(m, i) CDNI_AT((m)->bonds, mol_bond, i)
#define MOL_TERM(m, i) CDNI_AT((m)->terms, mol_term, i)

/* Keeps a mistake, if it is the first. Returns false. */
bool mol_fail(cdn_molecule *m, cdn_status code, const char *function, const char *element, const char *format, ...)
    CDN_PRINTF(5, 6);
/* Whether the description takes more: no, once it has a mistake. */
bool mol_takes(cdn_molecule *m, const char *function);
/* Whether an atom exists; keeps a mistake if not. */
bool mol_has_atom(cdn_molecule *m, const char *function, int atom);
/* "ALA2:CA", in `text`, which is returned. */
enum { MOL_LABEL = 3 * MOLECULE_NAME };
const char *mol_label(const cdn_molecule *m, int atom, char text[MOL_LABEL]);
/* The bond of two atoms; NULL: none. O(bonds). */
mol_bond *mol_find_bond(const cdn_molecule *m, int a, int b);
/* Pushes to an array of the description; false, and a mistake: no memory. */
bool mol_push(cdn_molecule *m, const char *function, cdni_array *array, size_t size, const void *value);

/* ---- neighbours: compressed rows. `start` has atoms + 1 numbers; of row i: neighbour[start[i]] ... ---- */
typedef struct mol_graph {
  cdn_allocator memory;
  int n, n_ends;
  int32_t *start, *neighbour, *bond;
} mol_graph;

bool mol_graph_make(const cdn_molecule *m, mol_graph *g);
void mol_graph_free(mol_graph *g);
/* Marks the bonds that are in a ring; cut bonds close none. false: no memory. */
bool mol_find_rings(const cdn_molecule *m, const mol_graph *g, bool *in_ring);
/* Whether a dihedral is measured from atom i rather than from atom j, both neighbours of an atom of its bond. */
bool mol_goes_before(const cdn_molecule *m, int i, int j);

/* A and B of two classes. */
void mol_lj_numbers(const cdn_molecule *m, int i, int j, double *A, double *B);

#endif
