/* Whether two runs shown at time t took different ways at a singular pose since the time `since` (bifurcation.c). */
#ifndef CARDAN_INTEGRATORS_PARTING_H
#define CARDAN_INTEGRATORS_PARTING_H

#include <cardan/stepper.h>

typedef struct cdni_bifurcation {
  double time;
  char name[96]; /* "": they did not */
} cdni_bifurcation;
bool cdni_bifurcated(cdn_stepper *s, cdn_stepper *other, double since, double t, cdni_bifurcation *out);

#endif
