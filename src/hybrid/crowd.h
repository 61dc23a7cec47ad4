/* Capturing where moments crowd. Private to the room. */
#ifndef CARDAN_HYBRID_CROWD_H
#define CARDAN_HYBRID_CROWD_H

#include "hybrid/moment.h"

/* Notes a moment. Whether moments crowd: they follow each other faster than the accuracy tells apart, in s. */
bool cdni_crowd_note(const cdn_state *state, double accuracy, cdn_hybrid_totals *totals);
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
