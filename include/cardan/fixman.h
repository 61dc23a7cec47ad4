/* Cardan: Fixman's potential, which takes the bias of rigid bonds and angles out of statistics.
 *
 * Speeds drawn at a temperature leave coordinates the weight sqrt(det M(q)), and where equations g(q) = 0 close loops,
 * sqrt(det M det(G M^-1 G^T)): the bias of holding lengths and angles rigid instead of letting stiff springs hold
 * them. The force
 * of
 *
 *   U = RT/2 [ln det M + ln det(G M^-1 G^T)] - RT sum of ln |sin angle| - 2 RT sum of ln |length|
 *
 * undoes it (Fixman, PNAS 71:3050, 1974; Jain, J. Comput. Phys. 136:289, 1997). The last two sums are over bond angles
 * and lengths that are coordinates: of these the natural measure in space is sin(angle) d angle and length^2 d length.
 * docs/fixman.md has more.
 *
 * I want to
 *   sample rigid molecules as if their bonds were stiff springs: cdn_default_fixman_def, cdn_system_add_fixman
 *   — name the free angles and lengths of a molecule: cdn_force_field_fixman_coordinates
 *   — change its temperature: cdn_fixman_set_temperature, cdn_fixman_temperature
 *   get ln det(G M^-1 G^T) and its gradient: cdn_calc_log_det_loops, cdn_calc_log_det_loops_gradient */
#ifndef CARDAN_FIXMAN_H
#define CARDAN_FIXMAN_H

#include <cardan/forces.h>

CDN_BEGIN_DECLS

typedef enum cdn_fixman_kind {
  CDN_FIXMAN_ANGLE,  /**< between two bonds, 0 to pi: takes away RT ln |sin q| */
  CDN_FIXMAN_LENGTH, /**< of a bond: takes away 2 RT ln |q| */
  CDN_FIXMAN_KIND_COUNT
} cdn_fixman_kind;

/** Coordinate k of a body's mobilizer, whose rate is a speed. The struct never changes. */
typedef struct cdn_fixman_coordinate {
  cdn_body body;
  int k;
  cdn_fixman_kind kind; /**< what becomes of it */
} cdn_fixman_coordinate;

typedef struct cdn_fixman_def {
  CDN_DEF_HEADER;
  double temperature;                       /**< K; default 300 */
  double gas_constant;                      /**< energy per K; default CDN_GAS_CONSTANT (molecule.h), kJ/mol/K */
  const cdn_fixman_coordinate *coordinates; /**< default none. Copied */
  int n_coordinates;
} cdn_fixman_def;

CDN_DEF(fixman_def);

/** Adds Fixman's potential of the whole System: a force with potential that acts on mobilities. M is the mass matrix of
 *  the mobilities that nothing prescribes; G are the position equations of the enabled constraints. def NULL: the
 *  defaults. Sticky. Realizing fails with CDN_ERR_SINGULAR where equations of constraints depend on each other, and
 *  where a listed angle or length has no sine or is zero. Derivatives use differences of the force; regressors
 *  (derivatives.h) refuse it, with CDN_ERR_UNSUPPORTED, while it is on. The temperature is an Instance parameter.
 *  O(bodies + equations bodies + equations^2 bodies). */
CDN_API cdn_force cdn_system_add_fixman(cdn_system *system, const char *name, const cdn_fixman_def *def);
/** CDN_ERR_ARG: another force, or a temperature that is negative or not finite. Zero switches it off. */
CDN_API cdn_status cdn_fixman_set_temperature(cdn_state *state, cdn_force fixman, double temperature) CDN_NODISCARD;
CDN_API double cdn_fixman_temperature(const cdn_state *state, cdn_force fixman); /**< K; NaN for another force */

/** Writes the angles and lengths that are coordinates of a molecule's bonds, at most `most` of them, and returns how
 *  many there are; -1 for a force that is no force field. `out` may be NULL if most is 0. While building, too. */
CDN_API int cdn_force_field_fixman_coordinates(const cdn_system *system, cdn_force field, cdn_fixman_coordinate *out,
                                               int most);

/** ln det(G M^-1 G^T) over the position equations of the enabled constraints, with the M of the mobilities that nothing
 *  prescribes; 0 without such equations. Stage: Position. CDN_ERR_SINGULAR: equations depend on each other.
 *  O(equations bodies + equations^2 bodies). */
CDN_API cdn_status cdn_calc_log_det_loops(cdn_state *state, double *log_det) CDN_NODISCARD;
/** Its gradient in the basis of u (nu numbers), as that of cdn_calc_log_det_M_gradient. Same stage, errors and cost. It
 *  is exact; to 1e-7 for custom constraints, and others whose rows the library differences. */
CDN_API cdn_status cdn_calc_log_det_loops_gradient(cdn_state *state, double *g) CDN_NODISCARD;

CDN_END_DECLS
#endif
