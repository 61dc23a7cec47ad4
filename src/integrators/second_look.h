/* States that are shown are looked at twice: dense output may have missed something (second_look.c). */
#ifndef CARDAN_INTEGRATORS_SECOND_LOOK_H
#define CARDAN_INTEGRATORS_SECOND_LOOK_H

#include <cardan/stepper.h>

/* What looks at shown States have found. */
typedef struct cdni_looks {
  double usual[2];    /* differences of rates at the last two looks, times the step */
  double from, until; /* the run came back from the second of these times to the first */
} cdni_looks;

/* Whether the rates at t, at which `report` stands with y, differ from those of dense output by more
 * than errors do. */
cdn_status cdni_look_twice(cdn_stepper *s, double t, const double *y, bool *surprising);
/* Takes the run back, to come to the surprise at t again in shorter steps. */
cdn_status cdni_go_back(cdn_stepper *s, double t);
/* Latest end of the next step: `end`, or before it where a surprise is near. */
double cdni_looks_end(const cdn_stepper *s, double end);

#endif
