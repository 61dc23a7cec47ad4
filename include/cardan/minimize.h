/* Cardan: minima of the potential energy, by descent in O(n) a step (docs/minimize.md).
 *
 * I want to
 *   minimize the energy of a model, of a molecule: cdn_minimize, cdn_default_minimize_def
 *   name the reason why it ended: cdn_minimize_end_name */
#ifndef CARDAN_MINIMIZE_H
#define CARDAN_MINIMIZE_H

#include <cardan/constraints.h>

CDN_BEGIN_DECLS

typedef struct cdn_minimize_def {
  CDN_DEF_HEADER;
  double tolerance;     /**< bound on each generalized force that remains, N or N m (of a molecule kJ/mol/nm and
                             kJ/mol/rad); default 0: the search goes on until steps are shorter than least_step */
  double least_step;    /**< in model units, as in equilibrium.h; default 1e-8 */
  double largest_step;  /**< bound on the displacement of each body in one step, in model units, and on its turn in rad;
                             at least 1e-8; default 0.25 */
  int most_evaluations; /**< of energy and forces, and one more to go back to a better place; default 10000 */
} cdn_minimize_def;

CDN_DEF(minimize_def);

typedef enum cdn_minimize_end {
  CDN_MINIMIZE_BALANCED,   /**< all generalized forces are within the tolerance; without one, the next step would be
                                shorter than least_step */
  CDN_MINIMIZE_ROUNDING,   /**< rounding of the energy hides what a step would gain */
  CDN_MINIMIZE_EVALUATIONS /**< most_evaluations were made; the State is at the lowest place so far */
} cdn_minimize_end;

typedef struct cdn_minimization {
  cdn_minimize_end end;        /**< why it ended */
  int iterations, evaluations; /**< how many steps, and how many evaluations of forces */
  double energy_before;        /**< potential energy at the start, on the constraints, J */
  double energy;               /**< at the end, J */
  double gradient; /**< largest generalized force that remains, N or N m: of all forces and of constraints */
  char worst[96];  /**< the speed that it belongs to */
} cdn_minimization;

CDN_API const char *cdn_minimize_end_name(
    cdn_minimize_end end); /**< "balanced", "rounding", "evaluations"; static storage */

/** Goes downhill from the State's q to a minimum of the potential energy. Writes this q and u = 0 into the State.
 *  Each step lowers the energy, but for rounding (1e-13 of it). Constraints are satisfied by projection first, and in
 *  each step; coordinates that a motion or lock prescribes keep their values, and so do time and z. Forces without a
 *  potential count by their work, as in cdn_find_equilibrium (equilibrium.h), which also tells whether an equilibrium
 *  is stable: a search that starts exactly on a ridge ends there.
 *
 *  Generalized forces are those of the basis of u. Model units: 1 rad, or a length of the model (equilibrium.h). No
 *  body moves by more than largest_step in a step, and no two bodies that are points with a mass, such as free atoms,
 *  approach each other by more than half of the least distance of two points (unless that is below a thousandth of
 *  the bound). So none passes through another's core.
 *
 *  Method: limited-memory BFGS in the metric of the mass matrix, with a line search on the energy; over displacements
 *  below 1e-6 model units slopes tell the gain. A step costs one evaluation of forces, seldom more, O(bodies +
 *  constraints), and O(n log n) for n points; no matrix is formed.
 *
 *  *result (may be NULL) is filled as far as the search came. On failure the State keeps its q and u. Errors:
 *  CDN_ERR_LIMIT (no step gives up energy: forces jump, or a potential is not that of its force), CDN_ERR_CONSTRAINT,
 *  CDN_ERR_ARG, CDN_ERR_NOMEM, and those of realization. `def` may be NULL: the defaults. Allocates a State. */
CDN_SIZED(cdn_minimize, (cdn_state *state, const cdn_minimize_def *def, cdn_minimization *result), (state, def, result),
          result);

CDN_END_DECLS
#endif
