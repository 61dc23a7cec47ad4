/* The size of steps: what is remembered, and how the next one is chosen (control.c). */
#ifndef CARDAN_INTEGRATORS_CONTROL_H
#define CARDAN_INTEGRATORS_CONTROL_H

#include <cardan/stepper.h>

/* Memory of the step size control. */
typedef struct cdni_control {
  double next;       /* size of the next attempt */
  double last_error; /* error of the last accepted step, over the tolerance */
  double shown;      /* size of the last step as planned whose error limits sizes; 0: there was none */
  bool cut;          /* events have cut steps short */
  bool rejected;     /* the last attempt was rejected: the size must not grow at once */
} cdni_control;

/* How unevenly rates are spread over the run: those of u, then those of z. */
typedef struct cdni_bursts {
  double largest[2]; /* rates so far; it fades */
  double sum[2];     /* integral over time */
  double foreseen;   /* the largest over the mean that is expected where shapes may touch; it fades, too */
} cdni_bursts;

cdn_status cdni_first_step(cdn_stepper *s);
/* The next step's share of the accuracy, relative to the share of a step in a short run. If the end of the run is
 * known, its steps share the accuracy; equal shares keep the sum of errors at the least cost, and the number of
 * steps is foretold. 1 if no end is known. */
double cdni_share(const cdn_stepper *s);
/* What is expected of a run at its start; then the rates of the step that has just been accepted. */
void cdni_bursts_begin(cdn_stepper *s);
void cdni_note_bursts(cdn_stepper *s);
/* Sets the error allowed to a step of size h. */
void cdni_allow(cdn_stepper *s, double h);
double cdni_min_step(const cdn_stepper *s);
/* Choose the size of the next attempt, after one of size h with this error over the tolerance. */
void cdni_control_accepted(cdn_stepper *s, double h, double error);
void cdni_control_rejected(cdn_stepper *s, double h, double error);
/* After an accepted step of size h that an event has cut short, from an attempt of size `planned` with error
 * `error`. */
void cdni_control_cut(cdn_stepper *s, double h, double planned, double error);
/* After an attempt that could not be evaluated. */
void cdni_control_failed(cdn_stepper *s, double h);
/* Counts the accepted step if stability rather than accuracy seems to limit it. */
void cdni_note_stiffness(cdn_stepper *s);

#endif
