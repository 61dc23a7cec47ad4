/* Cardan: what follows tables. Coordinates of a System follow columns of a table over time, as prescribed motions; and
 * markers of a recording lead a search for poses (inverse kinematics).
 *
 * I want to
 *   let joints move as the columns of a table: cdn_system_follow_table, cdn_default_follow_def
 *   give an assembly the markers of a recording: cdn_assembly_add_table_markers, cdn_table_markers */
#ifndef CARDAN_FOLLOW_H
#define CARDAN_FOLLOW_H

#include <cardan/assembly.h>
#include <cardan/model.h>
#include <cardan/motion.h>
#include <cardan/table.h>

CDN_BEGIN_DECLS

typedef struct cdn_follow_def {
  CDN_DEF_HEADER;
  /** false, the default: natural cubic splines through the rows, whose accelerations are continuous. true: straight
   *  lines between rows, whose speeds jump at each row. */
  bool linear;
} cdn_follow_def;
CDN_DEF(follow_def);

/** Adds a motion at position level for each mobilizer whose coordinates are columns of the table; the first column is
 *  `time`, s, and increases. A column of a joint of one coordinate has the joint's name NAME, or NAME.q, or ends with
 *  /NAME/value, as OpenSim calls it; coordinate k of a joint of several is NAME[k]. Angles are in rad, or in degrees
 *  where the table has the attribute `inDegrees` = "yes" or the column the unit "deg"; they become radians. Before the
 *  first row and behind the last one the motion goes on with the speed that it has there. Call it while the System is
 *  being built. `def` may be NULL. used[i], if `used` is not NULL, tells whether column i is followed; *n_motions, if
 *  not NULL, how many motions were added. Errors: CDN_ERR_ARG (no column is of a joint, a joint that has columns for
 *  some of its coordinates only, a joint with a quaternion, fewer than two rows, times that do not increase),
 *  CDN_ERR_NONFINITE (a number that is none), CDN_ERR_FROZEN, CDN_ERR_VERSION, CDN_ERR_NOMEM. O(columns * bodies). */
CDN_API cdn_status cdn_system_follow_table(cdn_system *system, const cdn_table *table, const cdn_follow_def *def,
                                           bool *used, int *n_motions) CDN_NODISCARD;

/** Adds a marker to an assembly for each named frame of the model (a site of MJCF, a fixed link of URDF) that has the
 *  columns NAME.x, NAME.y, NAME.z, in m in Ground; a .trc has them. columns[i] becomes the first column of marker i,
 *  in the order of the table; there is room for a third of the table's columns. *n becomes the number of markers.
 *  CDN_ERR_ARG: there is none, or what cdn_assembly_add_marker refuses. */
CDN_API cdn_status cdn_assembly_add_table_markers(cdn_assembly *assembly, const cdn_model *model,
                                                  const cdn_table *table, int *columns, int *n) CDN_NODISCARD;
/** The n markers of a row, for cdn_track; one with a number that is none was not seen. CDN_ERR_ARG: there is no such
 *  row or column. */
CDN_API cdn_status cdn_table_markers(const cdn_table *table, int64_t row, int n, const int *columns,
                                     cdn_vec3 *markers) CDN_NODISCARD;

CDN_END_DECLS
#endif
