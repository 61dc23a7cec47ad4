/* Coordinates whose motion the norm of the run does not see: it is smaller than the accuracy, or so large that rounding
 * exceeds the accuracy (unresolved.c). */
#ifndef CARDAN_INTEGRATORS_UNRESOLVED_H
#define CARDAN_INTEGRATORS_UNRESOLVED_H

#include <cardan/stepper.h>

#include "core/archive.h"

/* Motions and errors of coordinates. Arrays have nq numbers. Coordinates that form a vector have one number, at the
 * slot of the first. "Weighted": divided by the scale of the coordinate. */
typedef struct cdni_unresolved {
  double *start;  /* q at the start of the run */
  double *moved;  /* largest weighted distance from that start */
  double *apart;  /* largest weighted distance from the companion run */
  double *driven; /* distance that the rates at the last start or restart would move them in the time scale */
  double size;    /* the largest weighted coordinate that moves */
  int largest;    /* its slot; -1: none has moved */
} cdni_unresolved;

void cdni_unresolved_begin(cdn_stepper *s);
/* The run starts, or restarts, with its present rates. */
cdn_status cdni_unresolved_drive(cdn_stepper *s);
void cdni_unresolved_accept(cdn_stepper *s);
/* The weighted differences of all slots between the run and its companion. */
void cdni_unresolved_compare(cdn_stepper *s, const double *weighted);
void cdni_unresolved_certify(const cdn_stepper *s, cdn_certificate *out);
void cdni_unresolved_archive(cdn_stepper *s, cdni_archive *a);

#endif
