/* Coordinates that are too small, or too large, for the accuracy asked (unresolved.c). */
#ifndef CARDAN_INTEGRATORS_FAINT_H
#define CARDAN_INTEGRATORS_FAINT_H

#include <cardan/stepper.h>

#include "core/archive.h"

/* Motions and errors of coordinates: nq numbers each; a vector has its number at its first slot. */
typedef struct cdni_unresolved {
  double *start;         /* q at the start of the run */
  double *moved, *apart; /* largest weighted distances from that start, and from the companion */
  double *driven;        /* distance that the rates at the (re)start would move them within the time scale */
  double size;           /* the largest weighted coordinate that moves */
  int largest;           /* its slot; -1: none has moved */
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
