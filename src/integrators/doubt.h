/* Reasons why a verdict cannot be trusted although the two runs agree (doubt.c). */
#ifndef CARDAN_INTEGRATORS_DOUBT_H
#define CARDAN_INTEGRATORS_DOUBT_H

#include <cardan/stepper.h>

#include "core/archive.h"

/* The first occurrence of something that casts doubt on the verdict, and how bad the worst was. */
typedef struct cdni_qualm {
  double time, worst; /* worst 0: it has not occurred */
  char name[64];      /* of the element */
} cdni_qualm;

/* A qualm about an element of this name at the present `work`. */
void cdni_note_qualm(cdni_qualm *q, double time, double size, const char *name);
/* Looks for them at an accepted step, at whose end `work` stands. */
cdn_status cdni_doubt_accept(cdn_stepper *s);
/* Turns "delivered" into "unknown" where there is a doubt; energies and coordinates have been certified. The energy
 * residual is relative to `energy_scale`, J. */
void cdni_doubt_certify(cdn_stepper *s, cdn_certificate *out, double energy_scale);
void cdni_doubt_archive(cdn_stepper *s, cdni_archive *a);

#endif
