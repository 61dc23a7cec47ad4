/* Prescribed motion and locks as matter has them.
 *
 * What the user chooses (locks, motions on or off) is kept apart from what follows from it: for each of q, u and udot a
 * variable says what drives it, body by body. Only the ones of these that change are set, so that a lock of velocities
 * leaves positions valid. */
#ifndef CARDAN_MATTER_MOTION_H
#define CARDAN_MATTER_MOTION_H

#include "matter/matter.h"

/* Entries of driver_q, driver_u and driver_udot. */
enum { DRIVEN_BY_NOTHING, DRIVEN_BY_LOCK, DRIVEN_BY_MOTION };

/* One motion, owned by the System. */
typedef struct matter_motion {
  char *name;
  int32_t body;
  cdn_motion_kind kind;
  cdn_motion_level level;
  bool enabled; /* by default */
  double params[CDN_MOTION_PARAMS];
  cdn_motion_ops ops; /* its name is a copy */
  void *self;
} matter_motion;

static inline const matter_motion *cdni_motion_at(const matter *m, int32_t i) {
  return &CDNI_AT(m->motions, matter_motion, i);
}
static inline bool cdni_motion_exists(const matter *m, cdn_motion motion) {
  return m && motion.i >= 0 && (size_t)motion.i < m->motions.count;
}
/* Whether a driver variable, by its place in the State's block, has any driver at all. Most have none, and many ask. */
static inline bool cdni_is_driven(const cdn_state *state, size_t driver) {
  return *(const int32_t *)(cdni_state_block(state) + driver) != 0;
}
/* What drives body i by one of the driver variables. */
static inline const int32_t *cdni_drivers(const cdn_state *state, cdn_dvar v) { return cdn_state_discrete(state, v); }

/* The motion that drives body i at this level, by a driver variable's entry; NULL for what a damaged checkpoint may claim: a
 * motion where there is none, or none of the level. */
static inline const matter_motion *cdni_driving_motion(const matter *m, int32_t by, int i, cdn_motion_level level) {
  const int32_t at = CDNI_AT(m->bodies, matter_body, i).motion;
  if (by != DRIVEN_BY_MOTION || at < 0) return NULL;
  const matter_motion *x = cdni_motion_at(m, at);
  return x->level >= level ? x : NULL;
}

/* motion.c: what q, u or udot (by its level) are prescribed from. Returns how many tickets these are: 4 at most. */
int cdni_motion_reads(const matter *m, cdn_motion_level level, cdn_ticket *tickets);
/* motion_values.c: udot of prescribed mobilizers into matter's run. */
cdn_status cdni_motion_calc_udot(const matter *m, cdn_state *state, double *udot);

#endif
