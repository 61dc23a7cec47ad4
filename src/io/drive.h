/* Actuators in a System: the law of cdn_spec_actuator, on mobilities or on a frame. */
#ifndef CARDAN_IO_DRIVE_H
#define CARDAN_IO_DRIVE_H

#include <cardan/controls.h>
#include <cardan/forces.h>
#include <cardan/spec.h>

/* On one coordinate or on a sum of them (a tendon), on a ball, on a free joint, on a frame of a body. */
typedef enum io_transmission { ON_COORDINATES, ON_BALL, ON_FREE, ON_FRAME } io_transmission;

typedef struct io_drive {
  io_transmission kind;
  cdn_body body; /* of coordinates: that of the first */
  cdn_control control;
  cdn_transform X_BS;
  bool relative;            /* of a frame: to another one, X_RF on `reference` */
  cdn_body reference, both; /* both: the outermost body that carries the two */
  cdn_transform X_RF;
  double gear[6];
  int joints; /* 0, but for coordinates */
  cdn_body joint[CDN_SPEC_TENDON_JOINTS];
  double coefficient[CDN_SPEC_TENDON_JOINTS];
  bool in_parent, unforced; /* unforced: it has a length only */
  double gain[3], bias[3], lower, upper;
  cdn_actuator_dynamics dynamics;
  double time_constant, least, most; /* of the activation */
  cdn_zvar z;                        /* the activation; group -1: none */
} io_drive;

/* What the actuator does at a State. */
typedef struct io_action {
  double moment[6]; /* of p = 1: generalized forces of the joint, or moment and force on the frame in Ground */
  cdn_vec3 arm;     /* from the reference to the frame, in Ground */
  double length, rate;
  double p, by_length, by_rate; /* p and its derivatives; these are 0 where a limit holds it */
  double by_signal;
} io_action;
cdn_status io_drive_act(const io_drive *a, cdn_state *state, io_action *out);
/* The spatial forces of p on three bodies, or one of them if the frame has no reference; at the frames' origins. */
enum { IO_DRIVE_BODIES = 3 };
int io_drive_on_bodies(const io_drive *a, const io_action *x, double p, cdn_body *body, cdn_vec3 *station,
                       cdn_spatial *F_G);

/* A custom force with the actuator's law. */
cdn_force io_drive_add(cdn_system *system, const char *name, const io_drive *a);

#endif
