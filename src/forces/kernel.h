/* Shared by the force kernels. The arithmetic of the built-in elements is written on `real`, one header for each
 * kind in elements/, and compiled once for each set of kernels (math/kernel_sets.h). Kinds with the same formula
 * share their parameters with the files that add, check and differentiate them.
 *
 * A kernel adds the forces of all elements of one kind. It selects on data that may differ between lanes, and
 * branches on data that all lanes share: on bodies, and on which elements are on. */
#ifndef CARDAN_FORCES_KERNEL_H
#define CARDAN_FORCES_KERNEL_H

#include "matter/records.h"

/* All elements of a kind, with the inputs and the targets of their forces. */
typedef struct force_lanes {
  int n;
  const void *elements;  /* n of the kind's own structs */
  const int32_t *ids;    /* n */
  const double *enabled; /* 0 or 1 by id, for all lanes */
  const real *params;    /* n x the kind's number of parameters */
  const double *own;     /* further declarations of the kind, for all lanes */
  const real *inputs;    /* n, of kinds that gather them */
  int nb, nu;            /* bodies, Ground included; mobilities */
  const real *frames;    /* FORCE_FRAME numbers a body: X_PF, X_BM */
  const real *q, *u;     /* u and twist: only for elements that read more than positions */
  const real *z;         /* n times the kind's number of auxiliary states */
  const body_pose *pose;
  const body_twist *twist;
  const rigid_inertia *inertia; /* for gravity */
  sv *F;                        /* a body, about M's origin, in Ground */
  real *f;                      /* nu */
  rmask *failed;                /* in each lane: the first element without a defined force, or -1 */
} force_lanes;

/* X(name): a kernel and its place in the table. */
#define FORCE_KERNEL_LIST(X)   \
  X(gravity)                   \
  X(mobility_spring)           \
  X(mobility_damper)           \
  X(mobility_force)            \
  X(mobility_stop_elastic)     \
  X(mobility_stop_dissipative) \
  X(mobility_friction)         \
  X(position_spring)           \
  X(rotation_spring)           \
  X(rotation_damper)           \
  X(rotation_stop_elastic)     \
  X(rotation_stop_dissipative) \
  X(two_point_spring)          \
  X(two_point_damper)          \
  X(two_point_force)           \
  X(body_force)                \
  X(bushing_elastic)           \
  X(bushing_damping)           \
  X(actuator)                  \
  X(fluid_box)                 \
  X(fluid_ellipsoid)           \
  X(global_damper)

typedef enum force_kernel_id {
  FORCE_KERNEL_none, /* a custom force: called, not compiled in */
#define FORCE_KERNEL_ENUM(name) FORCE_KERNEL_##name,
  FORCE_KERNEL_LIST(FORCE_KERNEL_ENUM)
#undef FORCE_KERNEL_ENUM
      FORCE_KERNEL_COUNT
} force_kernel_id;

typedef void force_kernel(const force_lanes *b);
typedef struct force_kernels {
  force_kernel *calc[FORCE_KERNEL_COUNT];
} force_kernels;

enum { FORCE_FRAME = 24, FORCE_X_BM = 12 };

CDNI_INLINE bool lanes_on(const force_lanes *b, int i) { return b->enabled[b->ids[i]] != 0; }

/* Notes that element i has no defined force where `where` is true. */
CDNI_INLINE void lanes_fail(const force_lanes *b, int i, rmask where) {
  rmask keep = ~where | ~(*b->failed >> 63);
  *b->failed = (*b->failed & keep) | (i & ~keep);
}

/* From M's origin to the point p_B of a body, in Ground: R_GM R_BM^T (p_B - p_BM). */
CDNI_INLINE v3 lanes_station(const real *frames, const body_pose *pose, int body, v3 p_B) {
  const real *X = frames + FORCE_FRAME * body + FORCE_X_BM;
  return m3_mul(pose[body].R_GM, m3_tmul(m3_load(X), v3_sub(p_B, v3_load(X + 9))));
}

/* Adds a force at distance r from M's origin, and a moment; forces on Ground are ignored. */
CDNI_INLINE void lanes_push(const force_lanes *b, int body, v3 r, v3 f) {
  if (body == 0) return;
  sv *F = &b->F[body];
  *F = (sv){ v3_cross_add(r, f, F->w), v3_add(F->v, f) };
}
CDNI_INLINE void lanes_turn(const force_lanes *b, int body, v3 moment) {
  if (body != 0) b->F[body].w = v3_add(b->F[body].w, moment);
}

#endif
