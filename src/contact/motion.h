/* How the bodies of a contact move there; friction by the slip speed. Private to the room. */
#ifndef CARDAN_CONTACT_MOTION_H
#define CARDAN_CONTACT_MOTION_H

#include "contact/room.h"
#include "contact/touch.h"

/* motion.c: how the bodies of a touch move there, and their surfaces: b relative to a. */
typedef struct relative_motion {
  cdn_vec3 u, w;       /* of the bodies at the point: velocity, angular velocity */
  cdn_vec3 slip, turn; /* of their surfaces: velocity in the plane, angular velocity */
  cdn_vec3 carried;    /* angular velocity with which what lies between the surfaces turns: that of the larger shape */
  double share;        /* the part of a's angular velocity in it */
} relative_motion;
typedef struct motion_view {
  const contact_room *room;
  const shape_place *places;
  const shape_pose *poses;
  const body_pose *pose;
  const body_twist *twist;
  const double *surface_motions;
} motion_view;
cdn_status cdni_motion_view(const contact_room *room, cdn_state *state, motion_view *out);
relative_motion cdni_relative_motion(const motion_view *v, const touch *t);
/* Radius of the ball about the smaller shape. */
double cdni_contact_size(const motion_view *v, int a, int b);
/* Velocity of the point p (Ground) of a body. */
cdn_vec3 cdni_contact_velocity(const body_pose *pose, const body_twist *twist, int body, cdn_vec3 p);

/* friction.c: friction that follows from the slip speed, on b. */
cdn_vec3 cdni_friction_by_slip(const touch *t, const relative_motion *m, double normal, double transition);
/* Moments against spin and rolling, on b. `size`, m, makes a speed of an angular velocity. */
cdn_vec3 cdni_friction_against_spin(const touch *t, const relative_motion *m, double normal, double transition,
                                    double size);
cdn_vec3 cdni_friction_against_rolling(const touch *t, const relative_motion *m, double normal, double transition,
                                       double size);

#endif
