/* What the files of dynamics share. Private to the room. */
#ifndef CARDAN_DYNAMICS_INTERNAL_H
#define CARDAN_DYNAMICS_INTERNAL_H

#include "constraints/constraints.h"
#include "dynamics/dynamics.h"
#include "forces/forces.h"

struct dynamics {
  const matter *matter;
  const force_room *forces;           /* NULL: no force element in this System */
  const constraint_room *constraints; /* NULL: no constraint */
  bool elements_act;                  /* some element of `forces` acts on bodies or mobilities */
  cdn_cache forces_F, forces_f, acceleration, motion_forces;
  size_t at_F, at_f; /* where the total forces are in a State's block */
};

/* The sum of all forces and of what the constraints do by the State's multipliers, into F (one a body) and f (nu; may be
 * NULL). Some constraint is on. */
cdn_status cdni_dynamics_constrained_forces(const dynamics *d, cdn_state *state, sv *F, double *f);
/* Whether any force acts at all; if not, passes leave out the zeros. */
static inline bool cdni_dynamics_has_forces(const dynamics *d, const cdn_state *state) {
  return d->elements_act || cdni_matter_any_applied(d->matter, state);
}
/* motion_forces.c: the compute function of the entry. */
cdn_status cdni_dynamics_calc_motion_forces(const void *self, cdn_state *state, void *out);

#endif
