/* Cardan: static equilibrium, the pose at which a model rests under its forces, with its constraints and locks.
 *
 * I want to
 *   find a static equilibrium: cdn_find_equilibrium, cdn_default_equilibrium_def */
#ifndef CARDAN_EQUILIBRIUM_H
#define CARDAN_EQUILIBRIUM_H

#include <cardan/constraints.h>

CDN_BEGIN_DECLS

typedef enum cdn_equilibrium_goal {
  /** Forces are in balance, and no small displacement lets them do work: a minimum of the potential energy, if all
   *  forces have a potential. Found by descent; the work of all forces measures it. */
  CDN_EQUILIBRIUM_STABLE,
  /** Forces are in balance, stable or not. Newton's method looks for the nearest such pose. If it ends where
   *  accelerations are smallest but not zero, a stable equilibrium is looked for from the start. So this search
   *  succeeds wherever CDN_EQUILIBRIUM_STABLE does. */
  CDN_EQUILIBRIUM_ANY
} cdn_equilibrium_goal;

typedef struct cdn_equilibrium_def {
  CDN_DEF_HEADER;
  cdn_equilibrium_goal goal; /**< default: stable */
  double tolerance;          /**< bound on the remaining accelerations, in model units (below); default 1e-8 */
  double largest_step;       /**< bound on each displacement in one iteration, in model units, at least 1e-8; default
                                  0.5. Shapes that are thinner may be stepped through */
  int most_iterations;       /**< for each search; default 500 */
} cdn_equilibrium_def;

CDN_DEF(equilibrium_def);

typedef struct cdn_equilibrium {
  int iterations;          /**< Newton's steps, and those of a descent */
  double unbalanced;       /**< largest remaining acceleration from rest, rad/s^2 or m/s^2 */
  double constraint_error; /**< largest error of position constraints, in model units */
  double work;             /**< work of all forces on the way, J: the potential energy that was given up, and the work
                                of forces without a potential */
  /** Numbers of directions with positive, zero and negative stiffness. A stiffness counts as zero below 1e-9 of the
   *  largest one, or if the remaining forces exceed its force over the largest step. */
  int stable, neutral, unstable;
  char worst[96]; /**< the speed whose acceleration is `unbalanced` */
} cdn_equilibrium;

/** Finds q with udot = 0 at u = 0, starting from the State's q, at its time and z. Writes this q and u = 0 into the
 *  State. What friction that sticks remembers (contact.h) follows the bodies and is written, too; other z keep their
 *  values. Prescribed coordinates (motion.h) keep theirs. All forces of the State count, with or without a potential;
 *  forces that depend on u are evaluated at u = 0. Constraints are satisfied by projection first, held to 1e-10 in
 *  model units (a weld has equations in rad, and in the model's length), and their forces count.
 *
 *  Model units: a displacement is measured in 1 rad, or in a length of the model: how large its bodies are, how long
 *  the links between them, how far apart bodies without links stand. An acceleration is measured in that, times the
 *  square of the model's lowest frequency (the smallest stiffness over its mass). So the search is the same in metres
 *  and in nanometres. A model without any stiffness has no scale: its tolerance is in rad/s^2 and m/s^2.
 *
 *  Method: Newton's method in local independent coordinates (modes.h), with analytic derivatives, in a trust region.
 *  With 100 mobilities or more, a search for CDN_EQUILIBRIUM_STABLE begins with the descent of cdn_minimize
 *  (minimize.h), unless friction remembers: most_iterations evaluations at most, until its steps are below 1e-3 model
 *  units. A step for CDN_EQUILIBRIUM_STABLE is taken only if forces do work in it: the potential energy falls by more
 *  than forces without a potential take. Their work is integrated along the step. The search follows directions of
 *  negative stiffness downhill. A coordinate that no force depends on keeps its bits, unless constraints tie it to
 *  others, or a descent moves it. Directions without stiffness are not followed if their accelerations are within the
 *  tolerance. The iteration ends when all accelerations are within the tolerance, after further steps while each
 *  halves them, or when rounding hides the effect of displacements below 1e-9. Displacements below 1e-13 count as
 *  rounding. Exactly on a ridge rounding does not decide: the coordinate that moves most increases.
 *
 *  One-sided elements and dry friction (hybrid.h) get the statuses of rest, which are written into the State, too: what
 *  is on pushes, no gap is negative, and friction that sticks is within its bound. An element in penetration is first
 *  put on its surface. A step ends where a gap closes; what sticks stays, and what cannot stick slides without friction
 *  until it can. Friction on something that moves by itself, a belt, has no rest: CDN_ERR_UNSUPPORTED by name.
 *
 *  *report (may be NULL) is filled as far as the search came. On failure the State keeps its q and u. Errors:
 *  CDN_ERR_LIMIT (the message names the coordinate with the largest imbalance, and the cause: energy still fell when
 *  most_iterations were over, or no step gives up energy), CDN_ERR_CONSTRAINT, CDN_ERR_ARG, CDN_ERR_NOMEM, those of
 *  modes.h, and those of realization. `def` may be NULL: the defaults. Each iteration costs
 *  O((nu + m)^3) for m constraint equations.
 *  Allocates a State. */
CDN_SIZED(cdn_find_equilibrium, (cdn_state *state, const cdn_equilibrium_def *def, cdn_equilibrium *report),
          (state, def, report), report);

CDN_END_DECLS
#endif
