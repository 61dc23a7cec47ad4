/* The shortest path around an obstacle: from P past a sphere or an infinite cylinder to Q. */
#ifndef CARDAN_PATHS_WRAP_H
#define CARDAN_PATHS_WRAP_H

#include <stdbool.h>

#include "math/spatial.h"

typedef enum wrap_kind { WRAP_SPHERE, WRAP_CYLINDER } wrap_kind;

/* An obstacle in its own frame: about the origin; a cylinder along z. The path goes past it on the side of a point, if
 * there is one; from a point inside of the obstacle it follows that the path passes through the obstacle and may touch
 * it from inside alone. */
typedef struct wrap_obstacle {
  wrap_kind kind;
  double radius;
  bool has_side;
  v3 side;
} wrap_obstacle;

/* A path of length L(P, Q). It is straight from P to `leave`, lies on the obstacle over the length `arc`, and is
 * straight from `arrive` to Q. */
typedef struct wrap_path {
  double length, arc;
  v3 leave, arrive;
  v3 from_P, to_Q; /* unit vectors along the straight parts: dL/dP = -from_P, dL/dQ = to_Q */
} wrap_path;

/* Second derivatives of L: d(dL/dP)/dP, d(dL/dP)/dQ and d(dL/dQ)/dQ, by columns. */
typedef struct wrap_bend {
  m3 PP, PQ, QQ;
} wrap_bend;

/* Whether the path is the straight line from P to Q, in any frame about the obstacle's origin: `axis` is a cylinder's
 * unit vector, and zero for a sphere; `side` counts if the obstacle has one. Its own side is not read. */
bool cdni_wrap_is_passed(const wrap_obstacle *o, v3 axis, v3 side, v3 P, v3 Q);

/* False: the path is the straight line from P to Q, and nothing is written. `bend` may be NULL. */
bool cdni_wrap(const wrap_obstacle *o, v3 P, v3 Q, wrap_path *path, wrap_bend *bend);

#endif
