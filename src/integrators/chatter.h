/* Soft contact that jumps to and fro (chatter.c). */
#ifndef CARDAN_INTEGRATORS_CHATTER_H
#define CARDAN_INTEGRATORS_CHATTER_H

#include <cardan/stepper.h>

#include "core/archive.h"

/* The points of soft contact at the end of the last step, pair by pair, and how they change from step to step
 * (chatter.c). */
enum { CDNI_CHATTER_PAIRS = 32 };
typedef struct cdni_touching {
  int32_t a, b, n; /* two shapes, and how many points they have */
  uint64_t points; /* which ones */
  cdn_vec3 normal; /* of the first of them */
} cdni_touching;
typedef struct cdni_chatter {
  int steps, changes; /* steps of the window; those over which points change */
  int windows;        /* in a row with many changes */
  double since, mean; /* start of the window; mean step of the window before it */
  int n;              /* pairs in the list; -1: it is not from the step before */
  cdni_touching pairs[CDNI_CHATTER_PAIRS];
  cdni_touching last[2]; /* the pair that changed last, before and after */
} cdni_chatter;

/* After an accepted step, at whose end `work` stands: whether points of soft contact come and go so often, and steps
 * are so short, that the run will never cover the time `left`. */
void cdni_chatter_forget(cdni_chatter *c);
bool cdni_chatters(cdn_stepper *s, double left);
/* The report of such a run. */
void cdni_chatter_blame(const cdn_stepper *s, cdn_failure *f, double goal);

/* The list of pairs is in no checkpoint: a run that goes on may see one change less. */
void cdni_chatter_archive(cdni_chatter *c, cdni_archive *a);

#endif
