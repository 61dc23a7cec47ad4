/* Shared by the files of actuators. Private to them. */
#ifndef CARDAN_ACTUATORS_INTERNAL_H
#define CARDAN_ACTUATORS_INTERNAL_H

#include <cardan/actuators.h>
#include <cardan/derivatives.h>
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "forces/forces.h"

/* The private part of a drive's force. */
typedef struct drive {
  cdn_drive_def def;
  cdn_body both; /* of a frame with a reference: the outermost body that carries the two */
  cdn_zvar z;    /* the activation; group -1: none */
} drive;

/* What the transmission does at a State. */
typedef struct drive_reach {
  double length, rate;
  /* For p = 1: generalized forces of the joint; or moment and force on the frame in Ground; of a crank the force on it
   * in the second half, and the moment on the slider's body in the first. */
  double moment[6];
  cdn_vec3 arm; /* from the reference to the frame, in Ground */
} drive_reach;

/* What the drive does. The derivatives of p are 0 where a limit holds it. */
typedef struct drive_action {
  drive_reach at;
  double signal, p, by_length, by_rate, by_signal;
  double by_activation; /* beside by_signal: what gain and bias of a user make of it */
} drive_action;

/* A transmission: a new one needs its file and its line in drive.c. */
typedef struct transmission {
  const char *word;
  /* What is wrong with the def, which is complete otherwise; NULL: nothing. Fills what follows from it. */
  const char *(*check)(const cdn_system *system, drive *a);
  /* Its length and moments; its rate, too, if `moves`. */
  cdn_status (*reach)(const drive *a, cdn_state *state, bool moves, drive_reach *out);
  /* Adds the forces of p. */
  cdn_status (*push)(const drive *a, cdn_state *state, const drive_reach *at, double p, cdn_forces *forces);
  /* Adds the generalized forces of p = 1: nu numbers. */
  cdn_status (*add_moments)(const drive *a, cdn_state *state, const drive_reach *at, double *moments);
  /* Describes how the forces vary with poses and velocities. NULL: they are differenced. */
  cdn_status (*vary)(const drive *a, cdn_state *state, const drive_action *x, cdn_force_derivatives *derivatives);
  /* What it reads besides poses and velocities, once all has declared; may be NULL. */
  cdn_ticket (*reads)(const cdn_system *system);
} transmission;
extern const transmission cdni_drive_on_joint, cdni_drive_on_path, cdni_drive_on_frame, cdni_drive_on_crank,
    cdni_drive_on_contacts;

/* read.c: an actuator of either room, without realizing anything; force and rates if `moves`. */
typedef struct actuator_look {
  const drive *drive; /* NULL: it is `actuator` */
  force_actuator actuator;
  drive_action action;
} actuator_look;
cdn_status cdni_actuator_look(cdn_state *state, const char *function, cdn_force force, bool moves, actuator_look *out);
cdn_status cdni_actuator_add_moments(const actuator_look *a, cdn_state *state, double *moments);

/* drive.c */
const transmission *cdni_transmission(const drive *a);
cdn_status cdni_drive_signal(const drive *a, cdn_state *state, double *signal);
cdn_status cdni_drive_act(const drive *a, cdn_state *state, drive_action *out);
/* The law of a signal at a length and a rate, without limits. */
cdn_status cdni_drive_law(const drive *a, cdn_state *state, double signal, drive_action *out);
/* The drive of a force; NULL: it is none. */
const drive *cdni_drive_of(const cdn_system *system, cdn_force force);

/* muscle.c: the active and the passive force for an activation of 1, and their derivatives. */
typedef struct muscle_force {
  double value, by_length, by_rate;
} muscle_force;
muscle_force cdni_muscle_active(const cdn_muscle *m, double length, double rate);
muscle_force cdni_muscle_passive(const cdn_muscle *m, double length);
/* Derivative of the activation's rate by the activation. */
double cdni_muscle_rate_slope(const double time[3], double control, double activation);
/* And by the control, where that is between 0 and 1. */
double cdni_muscle_rate_by_control(const double time[3], double control, double activation);
/* What is wrong with its numbers; NULL: nothing. */
const char *cdni_muscle_complaint(const cdn_muscle *m);

/* ---- arithmetic of several transmissions ---- */

static inline cdn_vec3 drive_half(const double *six, int which) {
  return cdn_v3(six[3 * which], six[3 * which + 1], six[3 * which + 2]);
}
static inline void drive_put(double *column, int first, cdn_vec3 v) {
  column[first] = v.x, column[first + 1] = v.y, column[first + 2] = v.z;
}
static inline cdn_vec3 drive_axis(int l) { return cdn_v3(l % 3 == 0, l % 3 == 1, l % 3 == 2); }
/* A NaN becomes the lower bound. */
static inline double drive_within(double value, double lower, double upper) {
  return value > lower ? value < upper ? value : upper : lower;
}
/* frame.c: the pose of a frame on a body, and the velocity of a station. */
cdn_status cdni_drive_pose(cdn_state *state, cdn_body body, cdn_transform X_BF, cdn_transform *X_GF);
cdn_status cdni_drive_velocity(cdn_state *state, cdn_body body, cdn_vec3 p_B, cdn_spatial *V);
/* frame.c: the product of the rotation vector of R with `turn`, and how that varies with a small turn t of R, in the
 * axes in which R is seen. */
double cdni_length_of_turn(cdn_rotation R, cdn_vec3 turn);
cdn_vec3 cdni_turn_slope(cdn_rotation R, cdn_vec3 turn);

#endif
