/* The force field of a molecule in a System. Private to the room.
 *
 * Atoms are sorted by body: *slots*. A pair or term whose atoms keep their places to each other exerts no force: it is
 * left out of the sums that dynamics asks for, and is in those that a user asks for. */
#ifndef CARDAN_MOLECULES_FIELD_H
#define CARDAN_MOLECULES_FIELD_H

#include <cardan/regions.h>

#include "molecules/molecule.h"

enum { FIELD_ROW = 8 }; /* arrays by slot are padded by as many, so that kernels may read beyond the last */

typedef struct field_term {
  cdn_energy_term kind;
  int32_t slot[4];
  int32_t n;      /* periodicity */
  int32_t number; /* of its k and x0 in the parameters */
  bool moves;
  int32_t pin;   /* the body on whose pin alone the dihedral depends; -1: none */
  double offset; /* the dihedral less the pin's q */
  cdn_function *custom;
} field_term;

/* A pair with factors of its own. */
typedef struct field_pair {
  int32_t i, j; /* slots */
  double coulomb, lj;
  bool moves;
} field_pair;

/* A body with atoms: its slots begin at `first`. */
typedef struct field_body {
  cdn_body body;
  int32_t first;
} field_body;

/* The joint of a bond that moves, with its dihedral x-a-b-y; a is nearer to the root, -1 where a body is one. */
typedef struct field_joint {
  int32_t x, a, b, y;
  cdn_bond_mobility mobility;
  cdn_body body;
  bool attached; /* on a body of the user's */
  /* of a root whose atoms are on one line: atoms of two directions that are fixed to it (parts.h), and where these are
   * in its frame; -1: there is none */
  int32_t from[2], toward[2];
  cdn_vec3 direction[2];
} field_joint;

typedef struct field {
  cdn_allocator memory;
  char name[2 * MOLECULE_NAME];
  int n, row, n_types, n_bodies, n_terms, n_pairs, n_left, n_bonds; /* row: n and the padding */
  int32_t *slot_of, *atom_of;                                       /* by atom; by slot */
  int32_t *type, *element;                                          /* by slot */
  int32_t (*bond)[2];                                               /* of slots */
  field_body *bodies;                                               /* n_bodies and an end */
  cdn_vec3 *station;                                                /* by slot */
  field_term *terms;
  field_pair *pairs;               /* those with factors, not in the dense sum */
  int32_t *left_start, *left_out;  /* by slot: slots of higher number that the dense sum leaves out, sorted */
  double *charge, *lj, *parameter; /* defaults: by atom; A and B by type and type; k and x0 by term */
  char (*label)[MOL_LABEL];        /* by atom */
  double coulomb_constant;
  cdn_solvent_def solvent;
  double *radius, *screen; /* by slot */
  struct field_born *born; /* NULL in vacuum */
  field_joint *joints;     /* by body: its joint */
  /* declared */
  cdn_dvar v_charge, v_lj, v_parameter, v_factor;
  cdn_computed_region tables, sums;
} field;

/* ---- numbers of an evaluation, in the State's workspace ---- */
typedef struct field_work {
  void *frame;
  double *x, *y, *z;    /* positions by slot */
  double *fx, *fy, *fz; /* forces */
  double *far;          /* added to squared distances: a huge number at slots that are left out, else zero */
  double *torque;       /* by body: of terms that act on its pin */
  double energy[CDN_TERM_COUNT];
} field_work;

/* What kernels read: rows of `row` numbers by slot. */
typedef struct field_tables {
  double coulomb, lj;   /* Coulomb's constant times its factor; van der Waals' factor */
  const double *charge; /* 0 beyond the last slot, as in the other rows */
  const double *A, *B;  /* a row a type */
} field_tables;

/* The dense sums of Coulomb's and van der Waals' terms over slots of different bodies. */
typedef void field_pairs_kernel(const field *f, const field_tables *t, const field_work *w, double *lj,
                                double *coulomb);
typedef struct field_kernels {
  field_pairs_kernel *pairs;
} field_kernels;
const field_kernels *mol_kernels(void);

/* ---- terms (bonded.c) ---- */
typedef struct term_result {
  double energy, slope; /* slope by the coordinate */
} term_result;
cdn_status mol_term_law(const field_term *t, const double *parameter, double x, term_result *out);
/* The coordinate of a term: distance, angle, dihedral; `gradient` (may be NULL) by its atoms' positions. */
double mol_term_coordinate(const field_term *t, const double *x, const double *y, const double *z,
                           cdn_vec3 gradient[4]);

/* ---- evaluation (evaluate.c) ---- */
/* Positions of all slots, and forces that are zero, in memory that mol_end gives back. */
cdn_status mol_begin(const field *f, cdn_state *state, field_work *w);
void mol_end(cdn_state *state, field_work *w);
/* Adds energies and forces. `whole`: also of what keeps its shape, and every term on its atoms; else torsions about
 * pins are in `torque` alone. */
cdn_status mol_evaluate(const field *f, cdn_state *state, bool whole, field_work *w);

/* ---- in a System (sums.c) ---- */
cdn_status mol_declare(void *self, cdn_declarer *d);
cdn_status mol_calc_force(const void *self, cdn_state *state, cdn_forces *out);
cdn_status mol_calc_potential(const void *self, cdn_state *state, double *energy);
/* How it looks (decorate.c). */
cdn_status mol_decorate(const void *self, cdn_state *state, cdn_decorations *d);
cdn_status mol_get_tables(const field *f, cdn_state *state, field_tables *t);

void mol_field_free(field *f);
/* The field behind a force; NULL, and `function`'s refusal: another force. */
const field *mol_field(const cdn_system *system, cdn_force force, const char *function);

#endif
