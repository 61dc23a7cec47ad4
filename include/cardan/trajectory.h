/* Cardan: trajectories, tables of States. One row for each State: time, coordinates, speeds, energies, controls,
 * measures, and columns of your own. Rows go to a file, whose name says its format (table.h), or to a function of
 * yours, as comma-separated values. `cardan simulate` writes such tables and `cardan plot` draws them (docs/data.md).
 *
 * I want to
 *   write a trajectory into a file: cdn_trajectory_open, cdn_trajectory_close, cdn_default_trajectory_def
 *   keep something beside its rows: cdn_trajectory_table
 *   write a trajectory as CSV: cdn_trajectory_create
 *   write its header and its rows: cdn_trajectory_header, cdn_trajectory_row
 *   run to a time and write its rows on the way: cdn_trajectory_run
 *   have the numbers of a row in memory: cdn_trajectory_values
 *   count its columns, ask their names and units: cdn_trajectory_columns, cdn_trajectory_column_name,
 *       cdn_trajectory_column_unit
 *   give up a trajectory: cdn_trajectory_destroy */
#ifndef CARDAN_TRAJECTORY_H
#define CARDAN_TRAJECTORY_H

#include <cardan/measures.h>
#include <cardan/stepper.h>
#include <cardan/table.h>

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
  const char *const *own_units; /**< their units; NULL: they have none. Copied */
} cdn_trajectory_def;
CDN_DEF(trajectory_def);

/** Makes a writer for States of this State's System. `def` may be NULL: the defaults. Writes nothing yet. Errors,
 *  with the message on `state`: CDN_ERR_ARG (a measure that does not exist, a column without a name),
 *  CDN_ERR_VERSION, CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_trajectory_create(cdn_state *state, const cdn_trajectory_def *def, cdn_write_fn *write,
                                         void *context, cdn_trajectory **out) CDN_NODISCARD;
/** The same for a table in a file, as cdn_table_create makes one; columns have the units of the System. Its attributes
 *  are `cardan`, the version of the library, and `system`, the System's name. `path` NULL: rows go nowhere, and
 *  cdn_trajectory_values has their numbers. Errors as cdn_trajectory_create and cdn_table_create. */
CDN_API cdn_status cdn_trajectory_open(cdn_state *state, const cdn_trajectory_def *def, const char *path,
                                       cdn_trajectory **out) CDN_NODISCARD;
/** The table that its rows go to, for attributes and for cdn_table_flush; NULL: there is none. Do not close it. */
CDN_API cdn_table_writer *cdn_trajectory_table(cdn_trajectory *trajectory);
/** Closes the file and frees the trajectory. CDN_ERR_FILE if not all has been written. */
CDN_API cdn_status cdn_trajectory_close(cdn_trajectory *trajectory) CDN_NODISCARD;
CDN_API void cdn_trajectory_destroy(cdn_trajectory *trajectory);      /**< the same, silently; NULL is allowed */
CDN_API int cdn_trajectory_columns(const cdn_trajectory *trajectory); /**< number of columns, with `time` */
/** Name and unit of a column; NULL: there is no such column. Valid as long as the trajectory. */
CDN_API const char *cdn_trajectory_column_name(const cdn_trajectory *trajectory, int column);
CDN_API const char *cdn_trajectory_column_unit(const cdn_trajectory *trajectory, int column);
/** Writes the numbers of a row, one a column, to `values`. Otherwise as cdn_trajectory_row. */
CDN_API cdn_status cdn_trajectory_values(cdn_trajectory *trajectory, cdn_state *state, const double *own,
                                         double *values) CDN_NODISCARD;
/** Writes the header row in one call of `write`, and returns the status of that call. Names that contain commas,
 *  quotes or line breaks are quoted. A file has its header already: the call does nothing. */
CDN_API cdn_status cdn_trajectory_header(cdn_trajectory *trajectory) CDN_NODISCARD;
/** Writes a State as a row, in one call of `write` or into the file. The numbers read back as the same bits. `own` has
 *  the def's n_own numbers. Realizes whatever the columns need; if that fails nothing is written, and the message is on
 *  the State.
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
