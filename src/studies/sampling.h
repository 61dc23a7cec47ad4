/* Shared by the files of sampling. Private to the room. */
#ifndef CARDAN_STUDIES_SAMPLING_H
#define CARDAN_STUDIES_SAMPLING_H

#include <cardan/sampling.h>

#include "matter/matter.h"

/* Fails unless all q and u are those of matter. */
cdn_status cdni_need_plain_matter(cdn_state *state, const char *function);
/* Takes off u what violates G u = 0, in the metric of M. */
cdn_status cdni_project_speeds(cdn_state *state, double *u);
/* cdn_draw_speeds from this place. */
cdn_status cdni_refresh_speeds(cdn_state *state, double kT, double keep, const cdn_random_place *place);

/* The symplectic step: numbers for one State. */
enum { CDNI_FLOW_MIXED = 5 };
typedef struct cdni_flow {
  cdn_allocator allocator;
  void *memory; /* of all arrays */
  int nq, nu, m, nb;
  cdn_state *start;                /* the State at the beginning of a drift, if there are constraints */
  double *q0, *q, *p, *p0, *u, *g; /* u: of the step's middle, then at its end */
  double *f, *more, *lambda, *b;
  /* To look whether a drift leads back; NULL: nobody does. The arrays are the start and the end meanwhile. */
  cdn_state *back;
  double *kept_q, *kept_p, *kept_u;
  /* of the iteration for x */
  int n_mixed;
  double *weight, *x, *image, *gap, *residual, *old_image, *old_gap, *old_residual, *images, *gaps, *residuals;
  cdn_spatial *F;
  struct variational_body *newton;
} cdni_flow;

/* Refuses what the step cannot move (flow_check.c); the message is on the State. */
cdn_status cdni_flow_check(cdn_state *state, const char *function);
/* The same first. both_ways: steps must lead back, too. */
cdn_status cdni_flow_create(cdn_state *state, const char *function, bool both_ways, cdni_flow *flow);
void cdni_flow_destroy(cdni_flow *flow);
/* n steps from the State's q and u. *solved (may be NULL): false if the iteration is why it fails. */
cdn_status cdni_flow_steps(cdni_flow *flow, cdn_state *state, double h, int n, bool *solved);

/* ---- the maps of a step (flow_map.c): u are constant, g is the gradient of the kinetic energy in the middle ---- */

/* to = from after the time `half`. */
void cdni_flow_move(const matter *m, const double *from, const double *u, double half, double *to);
/* The momenta of the middle, of p0 and g. */
void cdni_flow_middle(const matter *m, double h, const double *p0, const double *u, const double *g, double *p);
/* The momenta at the end, in place of those at the beginning. */
void cdni_flow_end(const matter *m, double h, const double *u, const double *g, double *p);
/* Turns the axes of a line about itself, and its motion stays. */
void cdni_flow_turn_line(double angle, double *q, double *u);

#endif
