/* Prescribed motion and locks within matter.
 *
 * The user's choices (locks, motions on or off) and their consequences are separate variables: for each of q, u and
 * udot a driver variable says, body by body, what prescribes it. Only driver variables that change are set, so a
 * lock of velocities leaves positions valid. */
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
  cdn_control control; /* { -1 }: it follows none */
  int32_t mocap;       /* which of the mocap bodies it moves; -1: none */
  bool enabled;        /* by default */
  double params[CDN_MOTION_PARAMS];
  cdn_motion_ops ops; /* its name is a copy */
  void *self;
} matter_motion;

/* The inputs of a mocap body: pose and velocity of M in F, and the time of the pose. */
enum { MOCAP_Q = 0, MOCAP_U = 7, MOCAP_TIME = 13, MOCAP_INPUTS = 14 };

static inline const matter_motion *cdni_motion_at(const matter *m, int32_t i) {
  return &CDNI_AT(m->motions, matter_motion, i);
}
static inline bool cdni_motion_exists(const matter *m, cdn_motion motion) {
  return m && motion.i >= 0 && (size_t)motion.i < m->motions.count;
}
/* Whether a driver variable, given by its place in the State's block, has any driver. Called often; most have none. */
static inline bool cdni_is_driven(const cdn_state *state, size_t driver) {
  return *(const int32_t *)(cdni_state_block(state) + driver) != 0;
}
/* The driver of body i in one of the driver variables. */
static inline const int32_t *cdni_drivers(const cdn_state *state, cdn_dvar v) { return cdn_state_discrete(state, v); }

/* The motion that drives body i at this level, from the entry of a driver variable. NULL if the entry is impossible,
 * as a damaged checkpoint may have it: a motion that does not exist, or has another level. */
static inline const matter_motion *cdni_driving_motion(const matter *m, int32_t by, int i, cdn_motion_level level) {
  const int32_t at = CDNI_AT(m->bodies, matter_body, i).motion;
  if (by != DRIVEN_BY_MOTION || at < 0) return NULL;
  const matter_motion *x = cdni_motion_at(m, at);
  return x->level >= level ? x : NULL;
}

/* motion.c: makes the variables and controls that prescribe q, u or udot (by level) prerequisites of an entry. */
void cdni_motion_declare_reads(const matter *m, cdn_declarer *d, cdn_motion_level level, cdn_cache entry);
/* motion_values.c: writes udot of prescribed mobilizers into matter's run. */
cdn_status cdni_motion_calc_udot(const matter *m, cdn_state *state, double *udot);
/* motion_mocap.c */
extern const cdn_motion_ops cdni_motion_mocap_ops;
extern const char *const cdni_mocap_input_names[MOCAP_INPUTS];
void cdni_motion_declare_mocap(matter *m, cdn_declarer *d, double *work);

#endif
