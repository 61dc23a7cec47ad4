/* Forces with kinks and jumps that no event announces, and events: bounces, a relay. */
#ifndef CARDAN_ACCURACY_KINKS_H
#define CARDAN_ACCURACY_KINKS_H

#include "problem.h"

extern const problem kink_stops, kink_stops_hard, kink_bilinear, kink_coulomb, kink_pendulum_stop;
extern const problem event_ball_5, event_ball_9, event_ball_rest, event_relay, event_bouncing;

#endif
