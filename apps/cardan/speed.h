/* What the parts of `cardan speed` share. */
#ifndef SPEED_H
#define SPEED_H

#include <cardan/diagnostics.h>

#include "command.h"

/* How the stepper is measured. */
typedef struct pace_arguments {
  cdn_method method;
  double step;  /* s; 0: steps under error control */
  double noise; /* of controls, in halves of their ranges */
} pace_arguments;

/* The time of a computed value. */
typedef struct share {
  const char *name; /* "subsystem.entry"; lives as long as the System */
  double ns;        /* a step */
} share;

enum { MOST_SHARES = 12 };

typedef struct pace {
  double steps_per_second, real_time;       /* accepted steps, simulated time over wall time */
  double stage[CDN_STAGE_ACCELERATION + 1]; /* ns a step of what is computed at a stage; Empty: when it is asked for */
  double method, all;                       /* ns a step: the method and the rest; the sum of all */
  share entries[MOST_SHARES];               /* the longest ones */
  int n_entries;
} pace;

/* speed_run.c: runs for a quarter of a second, and the same steps once more with a clock in them. If the run fails on
 * the way, its speed until then counts. */
cdn_status measure_pace(cdn_state *initial, const pace_arguments *a, pace *out);
void print_pace(const pace *p, const pace_arguments *a);
void print_pace_json(json_writer *w, const pace *p, const pace_arguments *a);

#endif
