/* Cardan: checks of custom elements. A custom mobilizer, force or constraint has several functions that must agree:
 * velocities are the derivatives of positions, forces those of potentials. A check evaluates an element of any kind
 * at the pose of a State and at random poses, compares each function with differences of another one, and names the
 * mistake and its size. Use it in the tests of your element: it costs hundreds of evaluations, and allocates. See
 * docs/checks.md.
 *
 * I want to
 *   check a mobilizer, force or constraint of my own against differences: cdn_check_mobilizer, cdn_check_force,
 *       cdn_check_constraint, cdn_default_check_def
 *   read what a check has found: cdn_check_count, cdn_check_get, cdn_check_text, cdn_check_poses, cdn_check_destroy */
#ifndef CARDAN_CHECK_H
#define CARDAN_CHECK_H

#include <cardan/constraints.h>
#include <cardan/forces.h>

CDN_BEGIN_DECLS

typedef struct cdn_check_def {
  CDN_DEF_HEADER;
  int poses;    /**< number of random poses, besides the State's own. Default: 20 */
  double range; /**< largest distance of their coordinates from the State's (rad, m). Default: 1 */
  double speed; /**< largest random speed, rad/s or m/s. Default: 1 */
  /** Allowed difference of two functions, relative to their size, beyond the error of the differences. Default:
   *  1e-6. */
  double tolerance;
  uint64_t seed; /**< start of the random numbers. Default: 1 */
} cdn_check_def;
CDN_DEF(check_def);

typedef struct cdn_check cdn_check; /**< the results of a check; one thread at a time */

/** One mistake, at the pose where it is worst. */
typedef struct cdn_check_entry {
  char element[96]; /**< name of the mobilizer, force or constraint */
  char what[48];    /**< the function that is wrong, such as "H", "bias", "rows", "potential" */
  int row, column;  /**< its row and column; -1: it has none */
  /** The value by differences, or by the function that it must agree with, in the function's unit; NaN: unknown. */
  double expected;
  double found;   /**< the value of the function, in its unit */
  double error;   /**< the difference, relative to the size of the row or column */
  int poses;      /**< number of poses with this mistake */
  char text[416]; /**< all this in one line, with advice */
} cdn_check_entry;

/* Each function below makes *out (unless memory ran out or the arguments are wrong), which the caller destroys, and
 * returns CDN_OK if the check was made, whatever it found. The State does not change; it provides parameters, time
 * and z. The element is checked as if it were enabled and alone: other elements of its type are off, and so are
 * locks and motions. `def` may be NULL: the defaults. Errors: CDN_ERR_ARG (a wrong id, no bodies, invalid numbers in
 * the def), CDN_ERR_UNSUPPORTED (a subsystem other than matter has q or u), CDN_ERR_NOMEM. Poses at which the
 * element fails recoverably are skipped, since it may not be defined there; a NaN or an infinity is a mistake. */

/** Checks the mobilizer of a body, of any kind: H against differences of X(q) along N u; the rate of H against
 *  differences of H u; N^+ N = 1, and Ndot against differences of N; and set-to-fit, if it has a closed form or an
 *  op, against X. */
CDN_API cdn_status cdn_check_mobilizer(cdn_state *state, cdn_body body, const cdn_check_def *def,
                                       cdn_check **out) CDN_NODISCARD;
/** Checks a constraint: rows of G against differences of position errors and of velocity errors; velocity errors
 *  against differences of position errors in time, which also shows that a constraint without t puts no power in;
 *  the bias against differences of errors; and that it reads nothing undeclared. Equations at acceleration level
 *  have no differences. */
CDN_API cdn_status cdn_check_constraint(cdn_state *state, cdn_constraint constraint, const cdn_check_def *def,
                                        cdn_check **out) CDN_NODISCARD;
/** Checks a force element: its forces at rest against the gradient of its potential, if it has one; its power
 *  against the rate of the potential and cdn_nonpotential_power; its derivatives against differences, unless it is a
 *  custom force without calc_derivative, which has none of its own; and that it reads nothing undeclared: after a
 *  change of any variable that it depends on, the force must be computed again. */
CDN_API cdn_status cdn_check_force(cdn_state *state, cdn_force force, const cdn_check_def *def,
                                   cdn_check **out) CDN_NODISCARD;

/** Number of mistakes found. */
CDN_API int cdn_check_count(const cdn_check *check);
/** Mistake number i, the worst first; all zero for a wrong i. */
CDN_SIZED_VALUE(cdn_check_entry, cdn_check_get, (const cdn_check *check, int i), (check, i));
/** Number of poses at which the element was checked. */
CDN_API int cdn_check_poses(const cdn_check *check);
/** One line: the element, the number of poses, and the worst mistake. Valid as long as the check. */
CDN_API const char *cdn_check_text(const cdn_check *check);
CDN_API void cdn_check_destroy(cdn_check *check); /**< NULL is allowed */

CDN_END_DECLS
#endif
