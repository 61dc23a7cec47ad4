/* Whether two runs shown at time t took different ways at a singular pose since the time `since` (parting.c). */
#ifndef CARDAN_INTEGRATORS_PARTING_H
#define CARDAN_INTEGRATORS_PARTING_H

#include <cardan/stepper.h>

typedef struct cdni_parting {
  double time;
  char name[96]; /* "": they did not */
} cdni_parting;
bool cdni_parted(cdn_stepper *s, cdn_stepper *other, double since, double t, cdni_parting *out);

#endif
