/* Runs that get nowhere: steps that stay so short that the time asked for is out of reach. */
#include "integrators/internal.h"

/* Accepted steps that are looked at together. */
static const int WINDOW = 1000;
/* A run that would need more steps of their mean size than this is one that never ends. */
static const double MOST_STEPS = 1e9;
/* Means of two windows whose ratio is below this are of one size: steps that grow soon after a start, or that shrink into a
 * near miss and grow again, change faster. */
static const double STEADY = 10;
/* Windows of one size, one after the other, after which nothing else is expected. */
static const int WINDOWS = 3;

bool cdni_makes_headway(cdn_stepper *s, double goal) {
  cdni_headway *h = &s->headway;
  /* events that cut steps short have a limit of their own */
  if (s->def.fixed_step > 0 || s->taken < s->step.h || ++h->steps < WINDOW) return true;
  double mean = (s->t - h->since) / h->steps, change = h->mean > 0 ? mean / h->mean : INFINITY;
  bool steady = change < STEADY && change > 1 / STEADY;
  bool hopeless = isfinite(goal) && goal - s->t > MOST_STEPS * mean;
  h->windows = !hopeless ? 0 : steady ? h->windows + 1 : 1;
  h->since = s->t;
  h->steps = 0;
  h->mean = mean;
  return h->windows < WINDOWS;
}
