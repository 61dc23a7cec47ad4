/* Shared by the files of dynamics. Private to the room. */
#ifndef CARDAN_DYNAMICS_INTERNAL_H
#define CARDAN_DYNAMICS_INTERNAL_H

#include <cardan/dynamics.h>

#include "dynamics/dynamics.h"
#include "forces/forces.h"
#include "soft/soft.h"

enum { MOST_PROVIDED_ROWS = 1000 };

/* A registered row provider; the System owns the name and the list of prerequisites. */
typedef struct row_provider {
  cdn_row_provider ops;
  cdn_subsystem subsystem;
  char *name;
} row_provider;

struct dynamics {
  cdni_array row_providers; /* row_provider */
  /* Known once the System is frozen. */
  const matter *matter;
  const force_room *forces;           /* NULL: no force element in this System */
  const constraint_room *constraints; /* NULL: no constraint */
  const soft_room *soft;              /* NULL: no soft rows */
  bool elements_act;                  /* an element of `forces` acts on bodies or mobilities */
  int32_t most_rows;                  /* of all providers; 0: there are no entries for rows */
  cdn_cache forces_F, forces_f, acceleration, motion_forces;
  cdn_cache rows, row_ends;       /* the rows; for each provider, the number of rows up to its last one */
  cdn_cache row_lambda, row_side; /* multipliers; which rows are at a bound (cdni_box_side) */
  cdn_cache row_F, row_f;         /* the total forces with those of the rows, soft or not */
  size_t at_F, at_f;              /* offsets of the total forces in a State's block */
};

/* The total forces with those of rows, about M's origins. Accelerations must be valid. Either output may be NULL. */
cdn_status cdni_dynamics_acting_forces(const dynamics *d, cdn_state *state, const sv **F, const double **f);
/* These forces plus those of the constraints with the State's multipliers, into F (one for each body) and f (nu; may be
 * NULL). Requires that some constraint is on. */
cdn_status cdni_dynamics_constrained_forces(const dynamics *d, cdn_state *state, sv *F, double *f);
/* udot and A for the forces in d, which is of the State. */
cdn_status cdni_dynamics_accelerate(const dynamics *dyn, cdn_state *state, const tree_data *d);
/* Whether any force acts; if not, passes skip the zeros. */
static inline bool cdni_dynamics_has_forces(const dynamics *d, const cdn_state *state) {
  return d->elements_act || cdni_matter_any_applied(d->matter, state);
}
/* motion_forces.c: the compute function of the entry. */
cdn_status cdni_dynamics_calc_motion_forces(const void *self, cdn_state *state, void *out);

/* rows.c */
void cdni_row_provider_free(const cdn_allocator *a, const row_provider *p);
/* Declares the entry of rows, if there are providers. */
void cdni_rows_declare(dynamics *dyn, cdn_declarer *d);
/* The power of the rows. */
cdn_status cdni_dynamics_rows_power(const dynamics *d, cdn_state *state, double *power);

#endif
