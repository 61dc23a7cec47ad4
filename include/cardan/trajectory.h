/* Cardan: trajectories, tables of States as comma-separated values. One row for each State, after a header row:
 * time, coordinates, speeds, energies, controls, measures, and columns of your own. `cardan simulate` writes such
 * tables and `cardan plot` draws them (docs/command_simulate.md).
 *
 * I want to
 *   write a trajectory as CSV: cdn_trajectory_create, cdn_default_trajectory_def
 *   write its header and its rows: cdn_trajectory_header, cdn_trajectory_row
 *   run to a time and write its rows on the way: cdn_trajectory_run
 *   count its columns: cdn_trajectory_columns
 *   give up a trajectory: cdn_trajectory_destroy */
#ifndef CARDAN_TRAJECTORY_H
#define CARDAN_TRAJECTORY_H

#include <cardan/measures.h>
#include <cardan/stepper.h>

CDN_BEGIN_DECLS

typedef struct cdn_trajectory cdn_trajectory; /**< a writer of rows; one thread at a time */

/** The columns after `time`, in this order. */
typedef struct cdn_trajectory_def {
  CDN_DEF_HEADER;
  bool q, u;     /**< all coordinates, all speeds, named after their slots. Default: true */
  bool energies; /**< kinetic_energy and potential_energy, J. Default: true */
  bool controls; /**< the values of all controls within their limits (controls.h), by their names. Default: false */
  /** n_measures measures. Columns "name", or "name[0]", "name[1]", ... if a measure has several numbers. */
  const cdn_measure *measures;
  int n_measures;
  bool all_measures; /**< true: all measures of the System, instead of `measures` */
  /** Names of n_own columns of your own; you give their numbers with each row. Copied. */
  const char *const *own;
  int n_own;
} cdn_trajectory_def;
CDN_DEF(trajectory_def);

/** Makes a writer for States of this State's System. `def` may be NULL: the defaults. Writes nothing yet. Errors,
 *  with the message on `state`: CDN_ERR_ARG (a measure that does not exist, a column without a name),
 *  CDN_ERR_VERSION, CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_trajectory_create(cdn_state *state, const cdn_trajectory_def *def, cdn_write_fn *write,
                                         void *context, cdn_trajectory **out) CDN_NODISCARD;
CDN_API void cdn_trajectory_destroy(cdn_trajectory *trajectory);      /**< NULL is allowed */
CDN_API int cdn_trajectory_columns(const cdn_trajectory *trajectory); /**< number of columns, with `time` */
/** Writes the header row in one call of `write`, and returns the status of that call. Names that contain commas,
 *  quotes or line breaks are quoted. */
CDN_API cdn_status cdn_trajectory_header(cdn_trajectory *trajectory) CDN_NODISCARD;
/** Writes a State as a row in one call of `write`. The numbers read back as the same bits. `own` has the def's n_own
 *  numbers. Realizes whatever the columns need; if that fails nothing is written, and the message is on the State.
 *  Allocates nothing. */
CDN_API cdn_status cdn_trajectory_row(cdn_trajectory *trajectory, cdn_state *state, const double *own) CDN_NODISCARD;
/** Writes a whole run: advances the stepper to time t and writes rows. Writes the header first if nothing has been
 *  written. The first row is of the present time (omitted if the last row was of that time); then one every
 *  `interval` (> 0, s), and one at t. If a handler stops the run, the last row is at its time. The trajectory must
 *  not have columns of your own. CDN_ERR_ARG for wrong arguments; otherwise returns what the stepper or `write`
 *  returned. After CDN_ERR_LIMIT call again to continue. */
CDN_API cdn_status cdn_trajectory_run(cdn_trajectory *trajectory, cdn_stepper *stepper, double t,
                                      double interval) CDN_NODISCARD;

CDN_END_DECLS
#endif
