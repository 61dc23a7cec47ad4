/* Motions of different kinds on which the error that a run delivers is measured (docs/evidence/methods.md). */
#ifndef CARDAN_ACCURACY_MOTIONS_H
#define CARDAN_ACCURACY_MOTIONS_H

#include "parts.h"

typedef struct motion {
  const char *name;
  double end; /* runs go from 0 to there, with equally spaced reports */
  cdn_state *(*start)(void);
} motion;

enum { MOTION_REPORTS = 10, MOTION_MOST = 64 };

extern const motion chain10, top, springs, humanoid, stiff, oscillatory, bouncing;

/* q and u at the reports. */
typedef struct motion_run {
  int nq, nu;
  double y[MOTION_REPORTS][MOTION_MOST];
  cdn_certificate c;
} motion_run;

/* Runs from `state`, which is left as it is, by a method at an accuracy. */
void run_motion(const motion *m, cdn_state *state, cdn_method method, double accuracy, motion_run *out);
/* The largest distance at any report: root mean square over q, or over u relative to its size above 1. */
double motion_distance(const motion_run *run, const motion_run *truth);

#endif
