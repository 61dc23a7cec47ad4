/* Singular poses: poses at which constraint equations become dependent, so that a mechanism could continue in more
 * than one way (four-bars whose rods are all in line). The motion is smooth there, but computed values are not: if s
 * is the sine of the angle between the equations, a constraint error e gives errors e / s in position, e / s^2 in
 * velocity, e / s^3 in acceleration. Therefore:
 *
 * - One step goes over the pose, and nothing is evaluated near it. This step, the bridge, uses Dormand and Prince's
 * method of
 *   order 8, whatever method the run has: its steps are the longest at any accuracy, and have a wide gap between two
 *   stages. The pose lies in the middle of the gap. Behind the bridge the run's method begins anew.
 * - Near a pose rates are evaluated on the manifold. A stage's error across the constraints would be divided by s;
 * once it is
 *   projected away, the rates are smooth functions of y, as the orders of methods require.
 * - The error of a bridge is compared with the larger of the tolerance and rounding.
 *
 * The factorization of the constraints gives the sines. Over the last steps they pass through zero with a sign; this
 * history predicts the next pose. */
#ifndef CARDAN_INTEGRATORS_SINGULAR_H
#define CARDAN_INTEGRATORS_SINGULAR_H

#include <cardan/stepper.h>

#include "core/archive.h"

struct cdni_method;

typedef struct cdni_singular {
  /* History: signed values of each sine at the ends of the last `known` steps, newest first (3 for each), and the times
   * between them. A value at the end of a short step is replaced by the next one. */
  int n, known;
  double *sine, h[2];
  double *most, *redundant; /* for each sine: its largest value, and the least number of redundant equations, so far */
  double *now;              /* the sines of the State at hand */
  /* Times from the last accepted step to the next pose and back to the last one (INFINITY: none), and the rate of
   * the sine at the next one. */
  double ahead, behind, slope;
  int block; /* block of the elimination whose sine becomes zero at the next pose */
  /* Time of the last pose that the run has met (-INFINITY: none), and its block. */
  double met;
  int met_block;
  double began;  /* start of the run */
  int dependent; /* equations that were redundant at the start; 0: fewer are since */
  /* If the stepper uses the run's own method: the method of bridges and its memory. During a bridge: the run's own
   * method and its memory. method NULL: bridges are steps of the run's own method. */
  const struct cdni_method *method;
  double *memory;
  bool bridging;   /* the stepper uses the method of bridges */
  bool starts;     /* the first step is a bridge */
  double length;   /* length of bridges, as last chosen */
  double own;      /* the longest step of the run's own method on the way to the next pose */
  double last;     /* length of the last bridge */
  double reach;    /* the longest bridge that errors allow; INFINITY: none has been tried */
  int refused;     /* number of bridges over the next pose whose error was too large */
  double rounding; /* what rounding may have added to the run: the sum of `noise` over accepted steps */
  /* The present attempt: */
  bool over;     /* it is a bridge */
  double size;   /* its size if there were no poses */
  double span;   /* the length of a bridge here */
  double noise;  /* on a bridge: the part of its error that may be rounding */
  bool alters;   /* because of a pose it ends elsewhere or is judged differently */
  bool hold;     /* rates are evaluated on the manifold */
  int corrected; /* number of attempts at this step that ended near a pose */
} cdni_singular;

/* These functions do nothing if steps are fixed. */
size_t cdni_singular_memory(const cdn_stepper *s); /* doubles */
void cdni_singular_divide(cdn_stepper *s, double *memory);
void cdni_singular_reset(cdn_stepper *s);
/* Call before the size of a first step is chosen: if equations are redundant the run may start in a pose, and its
 * first step is then a bridge. */
void cdni_singular_start(cdn_stepper *s);
/* The run's own method; s->method may be the method of bridges. */
const struct cdni_method *cdni_singular_own_method(const cdn_stepper *s);
/* Call before an attempt at a new step: behind a bridge the run's own method begins anew. */
cdn_status cdni_singular_leave(cdn_stepper *s);
/* The size of an attempt for which errors allow h, at most `left`. Decides which method takes it. */
double cdni_singular_size(cdn_stepper *s, double h, double left);
/* Whether rates are evaluated on the manifold. Not with SUNDIALS: Newton's iteration does not know the projections. */
bool cdni_singular_holds(const cdn_stepper *s);
/* Prepares the attempt if it is a bridge. */
cdn_status cdni_singular_begin(cdn_stepper *s);
/* Whether the attempt was a bridge. The error of a bridge (over the tolerance; < 0: not evaluated) tells nothing
 * about other steps. */
bool cdni_singular_judges(cdn_stepper *s, double error);
/* Whether rounding near a singular pose is as large as the errors of this attempt. */
bool cdni_singular_is_rough(const cdn_stepper *s);
/* Whether a good attempt ends clear of poses; if not, the next attempt will. */
bool cdni_singular_is_clear(cdn_stepper *s);
cdn_status cdni_singular_accept(cdn_stepper *s);
/* The smallest sine at the present `work`, relative to its size elsewhere, and its block. INFINITY without
 * constraints. */
double cdni_singular_nearest(cdn_stepper *s, int *block);
void cdni_singular_archive(cdn_stepper *s, cdni_archive *a);

#endif
