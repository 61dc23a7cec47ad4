/* Mechanisms with closed loops whose motion is known. */
#ifndef CARDAN_ACCURACY_MECHANISMS_H
#define CARDAN_ACCURACY_MECHANISMS_H

#include "parts.h"

typedef struct mechanism {
  cdn_state *state; /* at its start */
  cdn_body body[6]; /* those that are looked at */
} mechanism;

/* IFToMM A02: n + 1 cranks with pivots at (i, 0, 0) and n couplers, uniform rods of 1 m and 1 kg. The cranks start
 * upwards and turn at -1 rad/s; body[0] is the first. Loops are closed by balls, whose third equation is redundant. All
 * rods are in line where the cranks are level. Its motion is that of one pendulum: I theta'' = -g c cos(theta), I = (n
 * + 1) / 3 + n, c = (n + 1) / 2 + n. */
mechanism make_ladder(int n);
/* The same with loops closed by pins, five equations of which three are redundant. */
mechanism make_pinned_ladder(int n);
/* IFToMM A04, Bricard's: six rods of 1 m (one of them Ground) with pins at right angles to each other and to the rods;
 * five equations close the loop, of which one is redundant everywhere. body[0] and body[1]: the rods that end at P2 and
 * P3. */
mechanism make_bricard(void);
/* Andrews' squeezing mechanism (IFToMM A03; IVP test set), seven bodies, three loops: body[0] is the crank. */
mechanism make_andrews(void);
/* SUNDIALS' idaSlCrank_dns: body[0] the crank, body[1] the slider, body[2] the rod. */
mechanism make_slider_crank(void);
/* SUNDIALS' cvPendulum: a point mass on a rod of 1 m, level and at rest, of period 2 s. */
mechanism make_rod_pendulum(void);
/* IFToMM A05, a flyball governor on stiff springs, 2 pi rad/s: body[0] the shaft, body[1] the slider, body[2] a rod.
 * Here the slider glides and turns about Ground's axis, and a constraint makes it turn with the shaft. */
mechanism make_governor(void);
/* A symmetric top, free but for a ball at its tip: 60 degrees from the vertical, spinning with 40 rad/s. */
mechanism make_top(void);
/* A thin disc of 1 kg and 0.5 m that rolls without slip on the ground z = 0. Massless frames carry it: body[0], which
 * glides, body[1], which turns about the vertical, and body[2], which leans about its own x; body[3] spins in it about
 * y and touches the ground at (0, 0, -0.5) of body[2]. */
mechanism make_disc(void);
/* Puts it at the origin, along x, leaning; with these rates, and the speed that rolling needs. */
void start_disc(const mechanism *disc, double lean, double heading_rate, double spin);

/* The angle of the first crank of a ladder at time t, by integrating the pendulum to rounding. */
double ladder_angle(int n, double t);

#endif
