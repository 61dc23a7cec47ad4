/* The interface of paths for the rooms above, beyond the public header. */
#ifndef CARDAN_PATHS_ROOM_H
#define CARDAN_PATHS_ROOM_H

#include <cardan/paths.h>

#include "matter/matter.h"
#include "paths/wrap.h"

typedef struct path_room path_room;

/* The paths of a System, NULL if it has none. */
const path_room *cdni_paths(const cdn_system *system);

/* From one point to the next, past an obstacle if there is one, in Ground. Stations are at P, O and Q. */
typedef struct path_gap {
  int32_t body[3];      /* of P, of the obstacle, of Q; the obstacle's is -1 without one */
  double weight;        /* how much of it counts */
  wrap_obstacle around; /* of the obstacle; if it wraps its side is that of the State, in the obstacle's axes */
  m3 R;                 /* these axes in Ground, if it wraps */
  v3 P, O, Q;
  v3 axis, side; /* of the obstacle, in Ground: of a cylinder, zero of a sphere; relative to O, zero without */
  bool begins;   /* a part of the path */
  bool wraps;
  wrap_path path; /* vectors in Ground, relative to O if it wraps; without: length, from_P = to_Q */
} path_gap;

/* A coordinate of a path. Slots are matter's. */
typedef struct path_coordinate {
  int32_t body, q, u;
} path_coordinate;

/* One path in a State that is at Position: its gaps, or its coordinates. */
typedef struct path_view {
  const char *name;
  double length;
  int n_gaps, n_coordinates;
  const path_gap *gaps;
  const path_coordinate *coordinates;
  const double *coefficient; /* of coordinate k: at k * PATH_NUMBERS */
} path_view;
enum { PATH_NUMBERS = 8 };

bool cdni_path_exists(const path_room *room, cdn_path path);
/* Evaluates all paths. */
cdn_status cdni_path_view(const path_room *room, cdn_state *state, cdn_path path, path_view *out);
/* The rate in a State that is at Velocity; evaluates all rates. */
cdn_status cdni_path_rate(const path_room *room, cdn_state *state, cdn_path path, double *rate);
/* Adds a tension's forces: F one a body, about M's origins; f by mobility. */
void cdni_path_pull(const path_view *path, const body_pose *pose, double tension, sv *F, double *f);
/* Adds the derivatives of the length by the coordinates to moments, by matter's mobility, from valid poses: O(items x
 * depth). */
void cdni_path_add_moments(const matter *m, const tree_data *d, const path_view *path, double *moments);
/* The same at other poses, those of d: the State's parameters count alone. Points that meet there are taken for apart
 * along x. */
cdn_status cdni_path_moments_at(const path_room *room, cdn_state *state, cdn_path path, const tree_data *d,
                                double *moments);
/* What cdni_path_moments_at depends on: the items on their bodies. */
cdn_ticket cdni_path_items_ticket(const path_room *room);

/* A path of points as rows: dL/dt is the sum of row[i] times the velocity of the M origin of body[i]. */
enum { PATH_MOST_BODIES = 8 };
typedef struct path_rows {
  int n;
  int32_t body[PATH_MOST_BODIES];
  sv row[PATH_MOST_BODIES];
} path_rows;
/* Adds `scale` times a path's rows; Ground has none. False: there are too many bodies. */
bool cdni_path_add_rows(const path_view *path, const body_pose *pose, double scale, path_rows *rows);
/* What the second derivative of the length by time has beside the rows times the accelerations of the M origins. */
double cdni_path_bias(const path_view *path, const body_pose *pose, const body_twist *twist);
/* The second derivatives of a gap's length, in Ground; of one that wraps. */
void cdni_gap_bend(const path_gap *gap, wrap_bend *bend);
/* Whether the rows of n paths together have at most PATH_MOST_BODIES bodies, and the paths as many coordinates as rows
 * have room for. While building, too. */
enum { PATH_MOST_COORDINATES = 36, PATH_MOST_TERMS = PATH_MOST_BODIES + 4 };
bool cdni_path_fits_rows(const path_room *room, const int32_t *path, int n);

/* The rate of one gap without its weight, for given velocities of bodies. */
double cdni_gap_rate(const path_gap *gap, const body_pose *pose, const body_twist *twist);

#endif
