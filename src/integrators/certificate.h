/* The certificate: what a run has done, and how good it is (certificate.c, verdict.c). */
#ifndef CARDAN_INTEGRATORS_CERTIFICATE_H
#define CARDAN_INTEGRATORS_CERTIFICATE_H

#include <cardan/stepper.h>

#include "soft/soft.h"

cdn_status cdni_certificate_begin(cdn_stepper *s);
/* After an evaluation of the rates: how the soft rows were solved. */
cdn_status cdni_certificate_evaluation(cdn_stepper *s);
/* After a stage of the implicit contact step. */
void cdni_certificate_stage(cdn_stepper *s, const soft_effort *effort);
/* Power of everything without a potential: forces, motions and locks, constraints that demand motion. */
cdn_status cdni_power(const cdn_stepper *s, cdn_state *state, double *power);
/* Energy of the present `work`. */
cdn_status cdni_certificate_energy(cdn_stepper *s, double *energy);
/* Books the step that is about to be accepted; `work` is at its end. */
cdn_status cdni_certificate_accept(cdn_stepper *s);
/* Before a restart at time t: the energy there, with the work after t taken back. */
cdn_status cdni_certificate_rewind(cdn_stepper *s, double t, double *energy);
/* After the restart: the difference of the energies is booked as a jump. */
cdn_status cdni_certificate_restart(cdn_stepper *s, double energy_before);
/* Largest error of quaternion lengths in q, which is not changed. */
double cdni_quaternion_error(cdn_stepper *s, const double *q);

/* A number with a digit or two, as errors are known. */
enum { CDNI_BRIEF = 24 };
const char *cdni_brief(double x, char text[CDNI_BRIEF]);

#endif
