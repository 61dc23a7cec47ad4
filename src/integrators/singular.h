/* Singular poses: where equations of constraints are dependent that are not elsewhere, so that a mechanism could go on in more
 * than one way (four-bars whose rods are all in line). The motion passes through such a pose as smoothly as anywhere, but
 * what can be computed near it does not: with s the sine of the angle between the equations, a constraint error e is one of
 * e / s in position, e / s^2 in velocity, e / s^3 in acceleration. So
 *
 * - a step goes over the pose, and nothing is evaluated near it. That step, the bridge, is one of the method of Dormand and
 *   Prince of order 8, whatever method the run has: its step is the longest at any accuracy, and has a wide gap between the times
 *   at which it evaluates. The pose lies in the middle of the gap. The run's method begins anew behind the bridge;
 * - near a pose rates are evaluated on the manifold. What lies across the constraints at a stage would be divided by s; with
 *   that projected away the rates are smooth functions of y, as the orders of methods demand;
 * - a bridge is judged by what rounding leaves there to be judged.
 *
 * The factorization of the constraints tells the sines. Their history over the last steps, in which they pass through
 * zero with a sign, tells when the next pose will be met. */
#ifndef CARDAN_INTEGRATORS_SINGULAR_H
#define CARDAN_INTEGRATORS_SINGULAR_H

#include <stdbool.h>

struct cdni_method;

typedef struct cdni_singular {
  /* The past: values of each sine at the ends of the last `known` steps, the newest first, with their signs (3 for each), and
   * the times between them; values at ends of short steps are replaced by the next ones. */
  int n, known;
  double *sine, h[2];
  double *most, *redundant; /* of each the largest so far, and how many of its equations were redundant at least */
  /* Times from the last accepted step to the next pose and back to the last one, INFINITY where there is none, and how fast
   * the sine changes at the next one. */
  double ahead, behind, slope;
  int block; /* of the elimination, whose sine the next pose's is */
  /* The time of the last pose that the run has met (-INFINITY: none), and its block. */
  double met;
  int met_block;
  double began;  /* when the run was started */
  int dependent; /* equations that were redundant then, 0: fewer are since */
  /* The method of bridges and its memory, while it is not the stepper's; while it is, the run's own method and its memory.
   * method NULL: bridges are steps of the run's own method. */
  const struct cdni_method *method;
  double *memory;
  bool bridging; /* the stepper's method is that of bridges */
  bool starts;   /* the first step is a bridge */
  double length; /* of bridges, as it was last chosen */
  double own;    /* the longest step of the run's own on the way to the next pose */
  double last;   /* length of the last bridge */
  double reach;  /* the longest bridge that errors allow, INFINITY: none has been tried */
  int refused;   /* bridges over the next pose that had too large an error */
  /* The present attempt: */
  bool over;     /* it is a bridge */
  double size;   /* what its size would be without poses */
  double span;   /* the length of a bridge here */
  double noise;  /* how much of its error rounding may be, where it goes over a pose */
  bool alters;   /* it ends elsewhere, or is judged otherwise, because of a pose */
  bool hold;     /* rates are evaluated on the manifold */
  int corrected; /* how often an attempt at this step has ended near a pose */
} cdni_singular;

#endif
