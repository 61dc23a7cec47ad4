/* Second derivatives of a force field. Private to the room. */
#ifndef CARDAN_MOLECULES_DERIVATIVES_H
#define CARDAN_MOLECULES_DERIVATIVES_H

#include "forces/forces.h"
#include "molecules/field.h"

/* What rows of second derivatives read. */
typedef struct second {
  const field *f;
  force_web web;
  field_work w; /* positions */
  field_tables t;
  const double *factor, *parameter;
  const int32_t *home;      /* by slot: the number of its body in the field */
  struct born_second *born; /* NULL in vacuum */
} second;

/* From the web's origin to a slot. */
static inline v3 mol_at_slot(const second *s, int slot) {
  const field_work *w = &s->w;
  return v3_sub((v3){ w->x[slot], w->y[slot], w->z[slot] }, s->web.origin);
}

/* ---- Born models (born_derivatives.c) ---- */
/* Born radii and the energy's derivatives by them; s->born stays NULL without a solvent. */
cdn_status mol_begin_born(second *s, cdn_state *state);
void mol_end_born(second *s, cdn_state *state);
/* Adds r dE/dr and r^2 d2E/dr2 of two slots, through all integrals, too, where each is a sum over pairs. */
void mol_add_born_pair(const second *s, int i, int j, double r, double *slope, double *curvature);
/* Adds what follows from the energy being no sum over pairs: second derivatives by the integrals. O(atoms^2 mobilities)
 * and O(atoms mobilities^2). */
cdn_status mol_add_born_derivatives(const second *s, cdn_state *state, cdn_force_derivatives *d);

#endif
