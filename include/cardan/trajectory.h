/* Cardan: trajectories. States as rows of comma-separated values, with a header row: time, coordinates, speeds, energies,
 * measures, and columns of your own. What `cardan simulate` writes and `cardan plot` draws (docs/command.md). */
#ifndef CARDAN_TRAJECTORY_H
#define CARDAN_TRAJECTORY_H

#include <cardan/measures.h>

CDN_BEGIN_DECLS

typedef struct cdn_trajectory cdn_trajectory; /**< what writes the rows; one thread at a time */

/** Which columns there are beside `time`, in this order. */
typedef struct cdn_trajectory_def {
  CDN_DEF_HEADER;
  bool q, u;     /**< all coordinates, all speeds, by the names of their slots. Default: true */
  bool energies; /**< kinetic_energy and potential_energy, J. Default: true */
  /** n_measures of them: "name", or "name[0]", "name[1]", ... for one that has several numbers. */
  const cdn_measure *measures;
  int n_measures;
  bool all_measures; /**< all that the System has, in place of these */
  /** Names of n_own columns whose numbers are given with each row. Copied. */
  const char *const *own;
  int n_own;
} cdn_trajectory_def;
/** cdn_default_trajectory_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_trajectory_def_init(void *def, size_t size);
static inline cdn_trajectory_def cdn_default_trajectory_def(void) {
  cdn_trajectory_def def;
  cdn_trajectory_def_init(&def, sizeof def);
  return def;
}

/** For rows of States of this State's System, which gets the story of a failure: CDN_ERR_ARG (a measure that is not there, a
 *  column without a name), CDN_ERR_VERSION, CDN_ERR_NOMEM. `def` may be NULL. Nothing is written yet. */
CDN_API cdn_status cdn_trajectory_create(cdn_state *state, const cdn_trajectory_def *def, cdn_write_fn *write,
                                         void *context, cdn_trajectory **out) CDN_NODISCARD;
CDN_API void cdn_trajectory_destroy(cdn_trajectory *trajectory); /**< NULL is allowed */
CDN_API int cdn_trajectory_columns(const cdn_trajectory *trajectory);
/** Writes the names, in one call of `write`, whose status it returns. Fields with commas, quotes or line breaks are quoted. */
CDN_API cdn_status cdn_trajectory_header(cdn_trajectory *trajectory) CDN_NODISCARD;
/** Writes a State, in one call of `write`, by numbers that read back as the same bits; `own`: the def's n_own numbers. Realizes
 *  what the columns need; if that fails nothing is written, and the State has the story. Allocates nothing. */
CDN_API cdn_status cdn_trajectory_row(cdn_trajectory *trajectory, cdn_state *state, const double *own) CDN_NODISCARD;

CDN_END_DECLS
#endif
