/* Cardan: checks of what users bring. A custom mobilizer, force or constraint gives several functions that must agree: velocities are
 * the derivatives of positions, forces those of potentials. A check evaluates an element, of any kind, at the pose of a State and at
 * poses drawn at random, compares each function with differences of the one that it must agree with, and names what is wrong and by
 * how much. Use it in the tests of your element; it costs hundreds of evaluations and allocates. See docs/checks.md. */
#ifndef CARDAN_CHECK_H
#define CARDAN_CHECK_H

#include <cardan/constraints.h>
#include <cardan/forces.h>

CDN_BEGIN_DECLS

typedef struct cdn_check_def {
  CDN_DEF_HEADER;
  int poses;    /**< poses at random, beside the State's own. Default: 20 */
  double range; /**< they differ from the State's by at most so much in every coordinate (rad, m). Default: 1 */
  double speed; /**< speeds drawn, at most. Default: 1 */
  double
      tolerance; /**< what two functions may differ by, relative to their size, beyond what the differences err by. Default: 1e-6 */
  uint64_t seed; /**< what the random numbers begin with. Default: 1 */
} cdn_check_def;
/** cdn_default_check_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_check_def_init(void *def, size_t size);
static inline cdn_check_def cdn_default_check_def(void) {
  cdn_check_def def;
  cdn_check_def_init(&def, sizeof def);
  return def;
}

typedef struct cdn_check cdn_check; /**< what a check has found; one thread at a time */

/** One thing that is wrong, where it is worst. */
typedef struct cdn_check_entry {
  char element[96]; /**< name of the mobilizer, force or constraint */
  char what[48];    /**< the function that is wrong, such as "H", "bias", "rows", "potential" */
  int row, column;  /**< where in it; -1: it has none */
  double expected;  /**< what the differences, or the function that it must agree with, say; NaN: nothing can be said */
  double found;     /**< what it gives */
  double error;     /**< the difference, relative to the size of the row or column */
  int poses;        /**< at how many poses */
  char text[416];   /**< all of this, and what to look at, in one line */
} cdn_check_entry;

/* Each of the following makes *out (unless memory ran out or the arguments are wrong), to be destroyed by the caller, and returns CDN_OK if it could
 * look, whatever it has found. The State is not changed; it lends its variables: parameters, time, z. The element is looked at as if
 * it were enabled and alone: others of its sort are off, locks and motions, too. `def` may be NULL. Errors: CDN_ERR_ARG (a wrong id, no
 * bodies, a def that makes no sense), CDN_ERR_UNSUPPORTED (subsystems other than matter have q or u), CDN_ERR_NOMEM. Poses at which the
 * element fails recoverably, but for numbers that are not finite, are left out: it may have no meaning there. */

/** The mobilizer of a body, of any kind: H against differences of X(q) along N u; the change of H in time against differences of H u;
 *  N^+ N = 1 and Ndot against differences of N; and set-to-fit, where there is a closed form or an op for it, against X. */
CDN_API cdn_status cdn_check_mobilizer(cdn_state *state, cdn_body body, const cdn_check_def *def,
                                       cdn_check **out) CDN_NODISCARD;
/** A constraint: rows of G against differences of position errors and of velocity errors; velocity errors against differences
 *  of position errors in time, which is also how one sees that it puts no power in unless it depends on time; the bias against differences of velocity
 *  errors; and that nothing is read which is not declared. Of equations on accelerations alone there are no differences. */
CDN_API cdn_status cdn_check_constraint(cdn_state *state, cdn_constraint constraint, const cdn_check_def *def,
                                        cdn_check **out) CDN_NODISCARD;
/** A force element: at rest, against the gradient of its potential, if it has one; its power against the rate of the potential
 *  and cdn_nonpotential_power; the derivatives that it brings against differences; and that nothing is read which is not declared:
 *  whatever variable of the State is changed, the force must be computed again if it depends on it. */
CDN_API cdn_status cdn_check_force(cdn_state *state, cdn_force force, const cdn_check_def *def,
                                   cdn_check **out) CDN_NODISCARD;

/** How many things are wrong; 0: nothing was found. */
CDN_API int cdn_check_count(const cdn_check *check);
/** The i-th of them, the worst first; all zero for a wrong i. */
CDN_API void cdn_check_get_sized(const cdn_check *check, int i, cdn_check_entry *out, size_t size);
static inline cdn_check_entry cdn_check_get(const cdn_check *check, int i) {
  cdn_check_entry out;
  cdn_check_get_sized(check, i, &out, sizeof out);
  return out;
}
/** At how many poses the element was looked at. */
CDN_API int cdn_check_poses(const cdn_check *check);
/** One line: what was looked at, at how many poses, and what is worst. Lives as long as the check. */
CDN_API const char *cdn_check_text(const cdn_check *check);
CDN_API void cdn_check_destroy(cdn_check *check); /**< NULL is allowed */

CDN_END_DECLS
#endif
