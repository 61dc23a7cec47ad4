/* Cardan: static equilibrium. Where a model comes to rest under its forces, with its constraints and locks. */
#ifndef CARDAN_EQUILIBRIUM_H
#define CARDAN_EQUILIBRIUM_H

#include <cardan/constraints.h>

CDN_BEGIN_DECLS

typedef enum cdn_equilibrium_goal {
  /** Forces are in balance and do no work on any small displacement from there: a minimum of potential energy, where forces
   *  have a potential. Found by descending, with the work of all forces as the measure. */
  CDN_EQUILIBRIUM_STABLE,
  /** Forces are in balance, stable or not: the nearest place that Newton's method finds. Where its way ends in none (where
   *  accelerations are least, but not zero), a stable one is looked for from the start: there is one of this kind wherever
   *  there is a stable one. */
  CDN_EQUILIBRIUM_ANY
} cdn_equilibrium_goal;

typedef struct cdn_equilibrium_def {
  CDN_DEF_HEADER;
  cdn_equilibrium_goal goal; /**< default: stable */
  double tolerance;          /**< on the accelerations left, in rad/s^2 and m/s^2; default 1e-8 */
  double largest_step;       /**< of any displacement (rad, m) in one iteration, 1e-8 or more; default 0.5 */
  int most_iterations;       /**< of each search; default 500 */
} cdn_equilibrium_def;

/** cdn_default_equilibrium_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_equilibrium_def_init(void *def, size_t size);
static inline cdn_equilibrium_def cdn_default_equilibrium_def(void) {
  cdn_equilibrium_def def;
  cdn_equilibrium_def_init(&def, sizeof def);
  return def;
}

typedef struct cdn_equilibrium {
  int iterations;
  double unbalanced;       /**< largest acceleration from rest that is left */
  double constraint_error; /**< largest error of position constraints, in units (9.3) */
  double work;             /**< of all forces on the way, J: the potential energy given up */
  /** Directions, by the sign of stiffness. A stiffness below 1e-9 of the stiffest is neutral, and so is one that the forces
   *  still out of balance outdo over the largest step. */
  int stable, neutral, unstable;
  char worst[96]; /**< the speed whose acceleration `unbalanced` is */
} cdn_equilibrium;

/** Finds q at which udot = 0 for u = 0, starting from the State's, at its time and z, and sets it, with u = 0. What is
 *  prescribed (motion.h) is held where it is. Forces are all of the State's, with or without a potential; those of
 *  velocities are taken at rest. Constraints (brought in by projection first, and held to 1e-10 units) carry their share.
 *
 *  Newton's method in local independent coordinates (modes.h), with analytic derivatives, in a trust region: what has a
 *  negative stiffness is followed downhill. What nothing pushes stays: a coordinate that no force depends on keeps its value to
 *  the bit (unless constraints tie it to others), and directions without stiffness whose accelerations are within the tolerance
 *  are not followed. The iteration ends when accelerations are within the tolerance, with one step more where that betters them,
 *  or where rounding hides what displacements below 1e-9 (rad, m) would better. Rounding decides nothing: exactly on a ridge the
 *  coordinate that moves most grows.
 *
 *  *report (may be NULL) is filled as far as it got. On failure the State keeps its q and u: CDN_ERR_LIMIT, if the most
 *  iterations were not enough (there may be no equilibrium: the coordinate is named that has most of the imbalance); CDN_ERR_CONSTRAINT; and what
 *  realization returns. `def` may be NULL. An iteration costs O((nu + m)^3). Allocates a State. */
CDN_API cdn_status cdn_find_equilibrium_sized(cdn_state *state, const cdn_equilibrium_def *def, cdn_equilibrium *report,
                                              size_t size) CDN_NODISCARD;
static inline CDN_NODISCARD cdn_status cdn_find_equilibrium(cdn_state *state, const cdn_equilibrium_def *def,
                                                            cdn_equilibrium *report) {
  return cdn_find_equilibrium_sized(state, def, report, sizeof *report);
}

CDN_END_DECLS
#endif
