/* What other rooms ask of the integrators beside a stepper: distances between two runs, and how much work a stepper has
 * done. */
#ifndef CARDAN_INTEGRATORS_GAUGE_H
#define CARDAN_INTEGRATORS_GAUGE_H

#include <stdatomic.h>

#include <cardan/stepper.h>

/* An error of so many accuracies still counts as delivered (docs/delivered.md). */
static const double CDNI_DELIVERED = 3;

/* A stepper without a start: it holds the norms of its System, with default weights, and room for them. Slots that are
 * prescribed in `state` do not count. Destroy it as a stepper. The message of a failure is on `state`. */
cdn_status cdni_gauge_create(cdn_state *state, const char *function, cdn_stepper **out);
/* The distance of two y in the norms of docs/accuracy.md: of q, u and z. `place` is a State with the q of one of them.
 * Gives the slot with the largest difference in the pool with the largest norm (-1: there is none). */
cdn_status cdni_gauge_distance(cdn_stepper *gauge, cdn_state *place, const double *ya, const double *yb, double of[3],
                               cdn_pool *pool, int *slot);

/* This flag ends the stepper's calls as cdn_stepper_interrupt does. Whoever sets it clears it. */
void cdni_stepper_listen(cdn_stepper *s, atomic_bool *flag);

/* What a stepper has done since it was made, over all restarts. */
typedef struct cdni_effort {
  int64_t steps, rejected, evaluations;
  double local_errors; /* sum of the estimated errors of its steps */
} cdni_effort;
cdni_effort cdni_stepper_effort(const cdn_stepper *s);
/* Things that have gone through each other (cdn_certificate.passed). */
typedef struct cdni_gone_through {
  char names[192];
  double time;
} cdni_gone_through;
/* Takes the passage out of the certificate; *out keeps an earlier one. */
void cdni_stepper_take_gone_through(cdn_stepper *s, cdni_gone_through *out);

#endif
