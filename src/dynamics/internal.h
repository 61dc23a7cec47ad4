/* Shared by the files of dynamics. Private to the room. */
#ifndef CARDAN_DYNAMICS_INTERNAL_H
#define CARDAN_DYNAMICS_INTERNAL_H

#include <cardan/dynamics.h>

#include "dynamics/dynamics.h"
#include "forces/forces.h"
#include "hybrid/hybrid.h"
#include "soft/soft.h"

struct dynamics {
  /* Known once the System is frozen. */
  const matter *matter;
  const force_room *forces;           /* NULL: no force element in this System */
  const constraint_room *constraints; /* NULL: no constraint */
  const soft_room *soft;              /* NULL: no soft rows */
  const hybrid_room *hybrid;          /* NULL: no one-sided constraint and no friction */
  bool elements_act;                  /* an element of `forces` acts on bodies or mobilities */
  cdn_cache forces_F, forces_f, acceleration, motion_forces;
  cdn_cache row_F, row_f; /* the total forces with those of the rows */
  size_t at_F, at_f;      /* offsets of the applied forces in a State's block */
};

/* The applied forces with those of rows, about M's origins. Accelerations must be valid. Either output may be NULL. */
cdn_status cdni_dynamics_acting_forces(const dynamics *d, cdn_state *state, const sv **F, const double **f);
/* These forces plus those of the constraints with the State's multipliers, if any is on, into F (one for each body) and
 * f (nu; may be NULL). */
cdn_status cdni_dynamics_constrained_forces(const dynamics *d, cdn_state *state, sv *F, double *f);
/* udot and A for the forces in d, which is of the State. */
cdn_status cdni_dynamics_accelerate(const dynamics *dyn, cdn_state *state, const tree_data *d);
/* The total forces, to which those of rows and of slipping friction will be added; d then has them. */
void cdni_dynamics_copy_forces(const dynamics *dyn, cdn_state *state, tree_data *d, sv **F, double **f);
/* slipping.c: the same while friction slips, with its forces and those of soft rows. */
cdn_status cdni_dynamics_accelerate_slipping(const dynamics *dyn, cdn_state *state, tree_data *d);
/* How accelerations and multipliers answer small forces, with the soft rows of the State's solution. */
extern const slip_answer cdni_dynamics_answer;
/* Whether any force acts; if not, passes skip the zeros. */
static inline bool cdni_dynamics_has_forces(const dynamics *d, const cdn_state *state) {
  return d->elements_act || cdni_matter_any_applied(d->matter, state);
}
/* motion_forces.c: the compute function of the entry. */
cdn_status cdni_dynamics_calc_motion_forces(const void *self, cdn_state *state, void *out);

#endif
