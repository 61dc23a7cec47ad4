/* Capturing where moments crowd. Private to the room. */
#ifndef CARDAN_HYBRID_CROWD_H
#define CARDAN_HYBRID_CROWD_H

#include "hybrid/moment.h"

/* Notes a moment. Whether moments crowd: they follow each other faster than the accuracy tells apart, in s. */
bool cdni_crowd_note(const cdn_state *state, double accuracy, cdn_hybrid_totals *totals);

/* What the impulses of a one-sided element and its friction did, and what it does then: whether it stays closed, and
 * slides. */
typedef struct deed {
  bool closed, stays, slides;
  cone_status status;
  double e[CONE_MOST_TANGENTS], impulse;
} deed;

/* Numbers of a step: what it began with, and what it sets; by one-sided element its gap, and what it did last. */
typedef struct crowd {
  moment *m;
  double h;
  int nq, nu, nz;
  double *q0, *u0, *z0, *q, *u, *z, *first, *gap;
  double *rate, *push, *held, *applied; /* of u; what has carried last, along speeds, and does; what users apply */
  deed *did, *was;
  bool knows; /* what was done last */
  cdn_hybrid_totals *totals;
} crowd;
static inline void crowd_copy(double *to, const double *from, int n) {
  if (n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

/* crowd_kick.c: to the time t, c->h later, along the rates in the middle of the way. */
cdn_status cdni_crowd_drift(crowd *c, double t);
/* A kick of that duration by all but elements; *error: about how much it is off. */
cdn_status cdni_crowd_kick(crowd *c, double time, double *error);

/* How many steps have been calm in a row, how many have to be, and when captured steps have ended last, s. */
typedef struct crowd_calm {
  int steps, need;
  double ended;
} crowd_calm;
/* Captures until calm, at most up to the time `latest`. All elements are off then, and the State has to be settled. */
cdn_status cdni_crowd_run(moment *m, double latest, crowd_calm *calm, cdn_hybrid_totals *totals);

/* lift.c: puts on their surfaces what overlaps; totals count the potential energy of that. *deepest: the deepest
 * overlap before. */
cdn_status cdni_moment_lift(moment *m, double *deepest, cdn_hybrid_totals *totals);

#endif
