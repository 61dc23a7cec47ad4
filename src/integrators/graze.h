/* Events whose value turns so near to zero, on either side, that an error decides whether they occur (graze.c). */
#ifndef CARDAN_INTEGRATORS_GRAZE_H
#define CARDAN_INTEGRATORS_GRAZE_H

#include <cardan/stepper.h>

#include "core/archive.h"

/* One such turn: of which occurrence of which event, and the value there, which is beyond zero if the event occurs. */
typedef struct cdni_graze {
  int32_t event;
  int64_t count;
  double time, value;
} cdni_graze;

/* The last ones of a run; of a companion those that are not decided. */
enum { CDNI_MOST_GRAZES = 32 };
typedef struct cdni_grazes {
  int n;
  cdni_graze list[CDNI_MOST_GRAZES];
} cdni_grazes;

/* An event of a run that has a companion or is one. */
void cdni_graze_note(cdn_stepper *s, int32_t event, double time, double value);
/* The run and its companion have come to one time: what both have, and with the same value, is decided. */
void cdni_grazes_compare(cdn_stepper *s);
/* They agree, though they have had this event at different counts. */
void cdni_grazes_settle(cdn_stepper *s, int32_t event);
/* One that is not decided; NULL: all are. */
const cdni_graze *cdni_graze_undecided(const cdn_stepper *s);
void cdni_grazes_archive(cdn_stepper *s, cdni_archive *a);

#endif
