/* Capturing where moments crowd. Private to the room. */
#ifndef CARDAN_HYBRID_CROWD_H
#define CARDAN_HYBRID_CROWD_H

#include "hybrid/moment.h"

/* Notes a moment. Whether moments crowd: they follow each other faster than the accuracy tells apart, in s. */
bool cdni_crowd_note(const cdn_state *state, double accuracy, cdn_hybrid_totals *totals);
/* Captures until calm, at most up to the time `latest`. All elements are off then, and the State has to be settled. */
cdn_status cdni_crowd_run(moment *m, double latest, cdn_hybrid_totals *totals);

#endif
