/* The forces of several States at once, for ensembles. */
#ifndef CARDAN_FORCES_LANES_H
#define CARDAN_FORCES_LANES_H

#include "forces/forces.h"
#include "forces/kernels.h"

/* What the sum reads and writes; blocks of lanes (math/lane_block.h) unless said otherwise. */
typedef struct cdni_force_lanes {
  const force_room *room;
  const force_kernels *kernels; /* of that many lanes */
  int lanes;
  const double *params;      /* of all kinds, in their order: cdni_force_params_count numbers */
  const double *frames;      /* matter's parameters, FORCE_FRAME a body */
  tree_data d;               /* q, u, pose, twist, inertia */
  double *F, *f;             /* the totals: 6 a body, nu */
  double *other_F, *other_f; /* scratch of the same sizes */
  double *sum_F, *sum_f;     /* which of these the present sum is */
  /* For custom forces, which are called State by State. A lane's State, realized to nothing in particular; NULL: the lane
   * does not count. The context is the caller's. */
  cdn_state *(*state)(void *context, int lane);
  void *context;
  double *one_F, *one_f; /* scratch: 6 a body, nu */
  bool *failed;          /* by lane: set where a force is not defined, or a custom force failed */
} cdni_force_lanes;

/* Parameters of all elements of a State, in the order in which `params` has them. */
size_t cdni_force_params_count(const force_room *room);
void cdni_force_params_collect(const force_room *room, const cdn_state *state, double *out);
/* Whether a parameter array (by its ticket) belongs to the elements: 0 if not; -1 if all States of an ensemble share it, 1 if it
 * is one of those that `params` has. */
int cdni_force_params_belong(const force_room *room, int32_t ticket);
/* Whether any element is called State by State. */
bool cdni_forces_call_out(const force_room *room);
/* All forces, added to what is in the totals if they have begun. `shared` has the numbers that all lanes have in common:
 * which elements are on. */
void cdni_forces_lanes(cdni_force_lanes *x, cdn_state *shared, bool begun);

#endif
