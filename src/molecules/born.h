/* Generalized Born solvents: what kernels and the room share. Private to the room.
 *
 * Each atom's sphere keeps solvent away from the others: I_i = sum over j of H(r_ij, rho_i, s_j), with rho the radius
 * less an offset, and s = screen rho. With psi = rho I the Born radius is
 *   1/B = 1/rho - I (HCT), 1/B = 1/rho - tanh(alpha psi - beta psi^2 + gamma psi^3)/radius (the others).
 * GBn and GBn2 add the necks between spheres, scale m0/(1 + 100 (r - d0)^2 + 3e5 (r - d0)^6).
 * The energy is -k sum over i <= j of q_i q_j (1/solute - exp(-kappa f)/solvent)/f, f^2 = r^2 + B_i B_j exp(-r^2/(4 B_i
 * B_j)), half for i = j. */
#ifndef CARDAN_MOLECULES_BORN_H
#define CARDAN_MOLECULES_BORN_H

#include "molecules/field.h"

/* Terms of the series for spheres that lie apart (born_kernels.c). */
enum { TERMS_NEAR = 14, TERMS_FAR = 10 };

/* Constants of the solvent, by slot (rows) and by kind of radius. */
typedef struct field_born {
  int n_kinds;     /* different radii, where there are necks; else 0 */
  int32_t *kind;   /* by slot */
  double *rho, *s; /* rows; the padding touches nothing */
  double *alpha, *beta, *gamma;
  /* A row a kind: necks of an atom of this kind with each slot, as that atom sees them, and as the slot does; m0 is
   * times the scale of necks. The tables are not symmetric. */
  double *m0, *d0, *m0_back, *d0_back;
  double *cut; /* where a neck ends */
} field_born;

/* Rows of an evaluation. */
typedef struct born_work {
  double *I, *B, *slope; /* slope: the energy's derivative by B; then by I */
} born_work;

typedef struct born_kernels {
  field_kernel *integrals; /* adds up I by slot */
  field_kernel *polar;     /* forces at constant radii, the energy, its slopes by B by slot */
  field_kernel *chain;     /* forces through the integrals */
} born_kernels;
const born_kernels *mol_born_kernels(void);

bool mol_born_make(field *f, const cdn_molecule *m);
void mol_born_free(field *f);
/* Adds the polar and the surface energy, with their forces. */
cdn_status mol_add_solvent(const field *f, cdn_state *state, const field_tables *t, const double *factor,
                           field_work *w);
/* The radius of a slot, and its derivatives by I. */
typedef struct born_radius {
  double B, slope, curvature;
} born_radius;
born_radius mol_born_radius(const field *f, int i, double I);
/* The surface's energy of a slot, as B^-6. */
double mol_born_surface(const field *f, int i, double B);
/* Born radii by slot. */
cdn_status mol_calc_born_radii(const field *f, cdn_state *state, field_work *w, born_work *b);

#endif
