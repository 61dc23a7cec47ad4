/* Shared by the files of sampling. Private to the room. */
#ifndef CARDAN_STUDIES_SAMPLING_H
#define CARDAN_STUDIES_SAMPLING_H

#include <cardan/sampling.h>

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
  double *weight, *x, *image, *gap, *old_image, *old_gap, *images, *gaps;
  cdn_spatial *F;
  struct variational_body *newton;
} cdni_flow;

/* Refuses what it cannot move; the message is on the State. both_ways: steps must lead back, too. */
cdn_status cdni_flow_create(cdn_state *state, const char *function, bool both_ways, cdni_flow *flow);
void cdni_flow_destroy(cdni_flow *flow);
/* n steps from the State's q and u. *solved (may be NULL): false if the iteration is why it fails. */
cdn_status cdni_flow_steps(cdni_flow *flow, cdn_state *state, double h, int n, bool *solved);

#endif
