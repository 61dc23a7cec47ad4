/* The force field of a molecule in a System. Private to the room.
 *
 * Atoms are sorted by body: *slots*. A pair or term whose atoms keep their places to each other exerts no force: it is
 * left out of the sums that dynamics asks for, and is in those that a user asks for. */
#ifndef CARDAN_MOLECULES_FIELD_H
#define CARDAN_MOLECULES_FIELD_H

#include <cardan/regions.h>

#include "molecules/molecule.h"

enum { SPATIAL = 6 };   /* numbers of a spatial vector */
enum { FIELD_ROW = 8 }; /* arrays by slot are padded by as many, so that kernels may read beyond the last */

/* Sums over pairs are made in shares, each of some rows, which threads take. Molecules of fewer atoms have one share:
 * memory for more would cost more than threads save. */
enum { MOST_SHARES = 8, SHARED_FROM = 500 };

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
  bool azimuth;
  /* of a root whose atoms are on one line: atoms of two directions that are fixed to it (parts.h), and where these are
   * in its frame; -1: there is none */
  int32_t from[2], toward[2];
  cdn_vec3 direction[2];
} field_joint;

/* Lennard-Jones' energy is times 1 - 10 x^3 + 15 x^4 - 6 x^5, x = (r - first)/(distance - first), beyond `first`;
 * Coulomb's is with 1/r + krf r^2 - crf in the place of 1/r. */
typedef struct field_cutoff {
  double distance, first, skin; /* distance 0: there is none */
  double krf, crf;
} field_cutoff;

typedef struct field {
  cdn_allocator memory;
  char name[2 * MOLECULE_NAME];
  int n, row, n_types, n_bodies, n_terms, n_pairs, n_left, n_bonds; /* row: n and the padding */
  int32_t *slot_of, *atom_of;                                       /* by atom; by slot */
  int32_t *type, *element;                                          /* by slot */
  int32_t *type_of_class, n_classes;                                /* -1: no atom has the class */
  int32_t (*bond)[2];                                               /* of slots */
  field_body *bodies;                                               /* n_bodies and an end */
  cdn_vec3 *station;                                                /* by slot */
  field_term *terms;
  field_pair *pairs;              /* those with factors, not in the dense sum */
  int32_t *left_start, *left_out; /* by slot: slots of higher number that the dense sum leaves out, sorted */
  int32_t *next;                  /* by slot: where the next body's slots begin */
  int32_t share[MOST_SHARES + 1]; /* where rows of shares begin, and the end */
  int n_shares;
  struct field_threads *threads; /* NULL: the caller alone */
  field_cutoff cutoff;
  double *charge, *lj, *parameter; /* defaults: by atom; A and B by type and type; k and x0 by term */
  char (*label)[MOL_LABEL];        /* by atom */
  double coulomb_constant;
  cdn_solvent_def solvent;
  double *radius, *screen; /* by slot */
  struct field_born *born; /* NULL in vacuum */
  field_joint *joints;     /* by body: its joint */
  bool *turns;             /* by body: terms depend on its pin alone */
  /* declared */
  cdn_dvar v_charge, v_lj, v_parameter, v_factor;
  cdn_computed_region tables, sums, pins;
  cdn_computed_region vicinity; /* has no elements; while it is valid, the list may be */
  cdn_computed_region neighbours;
} field;

/* ---- numbers of an evaluation, in the State's workspace ---- */
typedef struct field_work {
  void *frame;
  double *x, *y, *z;    /* positions by slot */
  double *fx, *fy, *fz; /* forces */
  double *torque;       /* by body: of terms that act on its pin */
  cdn_vec3 *origin;     /* by body: where its origin is */
  double energy[CDN_TERM_COUNT];
} field_work;

/* What kernels read: rows of `row` numbers by slot. */
typedef struct field_tables {
  double coulomb, lj;   /* Coulomb's constant times its factor; van der Waals' factor */
  const double *charge; /* 0 beyond the last slot, as in the other rows */
  const double *A, *B;  /* a row a type */
} field_tables;

/* The list of neighbours: of slot i, places of eight slots from entry[start[i]] on, in ascending order. */
typedef struct field_list {
  const int32_t *start, *entry;
} field_list;

/* ---- sums over pairs of slots (shares.c) ---- */

/* What all shares of a sum read. */
typedef struct field_sum {
  const field *f;
  const field_tables *t;
  const field_work *w;
  field_list list;           /* where there is a cutoff */
  const struct born_work *b; /* of Born models */
  double polar;              /* Coulomb's constant times the factor of the polar term */
} field_sum;
/* Rows first ... end - 1 of a sum, and what they add up. */
typedef struct field_share {
  int first, end;
  double *fx, *fy, *fz;
  double *row;      /* zeros: a kernel may use it as it likes, or adds up numbers by slot */
  int32_t *places;  /* work, for two numbers a slot */
  double energy[2]; /* Lennard-Jones and Coulomb; polar */
} field_share;
typedef void field_kernel(const field_sum *sum, field_share *share);
typedef struct field_kernels {
  field_kernel *dense;  /* of slots of different bodies */
  field_kernel *listed; /* the same within the cutoff, by the list */
  /* Lists slots within `reach` of each other. Returns how many entries there are; those beyond `room` are not written.
   * `boxes` and `near` are work: 6 numbers, and one, a block of eight slots, of which there are mol_blocks(f). */
  int (*list)(const field *f, const field_work *w, double reach, int32_t *start, int32_t *entry, int room,
              double *boxes, int32_t *near);
} field_kernels;
const field_kernels *mol_kernels(void);

/* Runs a kernel and adds its forces to those of w, its numbers by slot to `row` (unless that is NULL), its energies to
 * energy[2]. The sum has the same bits whatever the number of threads. */
cdn_status mol_sum(const field_sum *sum, cdn_state *state, field_kernel *kernel, field_work *w, double *row,
                   double energy[2]);
/* Cuts rows into shares, and starts threads. false: they cannot be started. */
bool mol_shares_make(field *f, int threads);
void mol_shares_free(field *f);

/* ---- cutoffs (cutoff.c) ---- */
void mol_cutoff_make(field *f, const cdn_cutoff_def *def);
void mol_declare_list(field *f, cdn_declarer *d);
/* The list of neighbours, made anew if an atom has moved too far. */
cdn_status mol_get_list(const field *f, cdn_state *state, const field_work *w, field_list *list);
/* How many blocks of eight slots there are, and as many of none that kernels may read beyond the last. */
static inline int mol_blocks(const field *f) { return f->row / FIELD_ROW + FIELD_ROW; }

/* ---- pairs one by one (pair_law.c) ---- */
/* Energies of a pair; of their sum the first derivative by r times r, and the second times r^2. */
typedef struct pair_law {
  double coulomb, lj, slope, curvature;
} pair_law;
/* Of two slots, with Coulomb's constant and van der Waals' factor. `scaled`: a pair of f->pairs, without a cutoff. */
pair_law mol_pair_law(const field *f, const field_tables *t, int i, int j, double coulomb, double lj, bool scaled,
                      double r2);

/* ---- terms (bonded.c) ---- */
/* By the coordinate; the curvature is given with order 2. */
typedef struct term_result {
  double energy, slope, curvature;
} term_result;
cdn_status mol_term_law(const field_term *t, const double *parameter, double x, int order, term_result *out);
/* The coordinate of a term: distance, angle, dihedral; `gradient` (may be NULL) by its atoms' positions. */
double mol_term_coordinate(const field_term *t, const double *x, const double *y, const double *z,
                           cdn_vec3 gradient[4]);
/* Its second derivatives: of each atom by each atom, 3 x 3 by rows. */
void mol_term_second(const field_term *t, const double *x, const double *y, const double *z, double second[4][4][9]);

/* ---- terms of pins (pins.c) ---- */
static inline bool mol_is_of_pin(const field_term *t) { return t->pin >= 0 && !t->custom; }
void mol_declare_pins(field *f, cdn_declarer *d);
cdn_status mol_add_pins(const field *f, cdn_state *state, const double *factor, field_work *w);
/* Adds by body: minus the derivative of the torque on its pin by the pin's q. */
cdn_status mol_add_pins_stiffness(const field *f, cdn_state *state, const double *factor, double *stiffness);

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
cdn_status mol_calc_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d); /* derivatives.c */
/* How it looks (decorate.c). */
cdn_status mol_decorate(const void *self, cdn_state *state, cdn_decorations *d);
cdn_status mol_get_tables(const field *f, cdn_state *state, field_tables *t);

void mol_field_free(field *f);
/* The field behind a force; NULL, and `function`'s refusal: another force. */
const field *mol_field(const cdn_system *system, cdn_force force, const char *function);
static inline const field *mol_field_of(const cdn_state *state, cdn_force force, const char *function) {
  return mol_field(cdn_state_system(state), force, function);
}

#endif
