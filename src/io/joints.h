/* The joints of a spec. Private to the room. */
#ifndef CARDAN_IO_JOINTS_H
#define CARDAN_IO_JOINTS_H

#include <cardan/spec_joints.h>

#include "io/spec.h"

static inline cdn_spec_joint *io_spec_joint(const cdn_spec *s, int i) { return IO_ELEMENT(s, JOINT, joint, i); }

/* spec.c: coordinates and speeds of a joint's kind, whatever it is; 0 for one that the System would refuse. */
int io_spec_joint_nq(const cdn_spec_joint *joint);
int io_spec_joint_nu(const cdn_spec_joint *joint);
bool io_spec_joint_has_quaternion(const cdn_spec_joint *joint);
/* Limits are of joints with one coordinate that a stop or bound can hold. */
bool io_spec_joint_has_range(const cdn_spec_joint *joint);

/* Room for an element of any kind. */
typedef union io_any_element {
  cdn_spec_body body;
  cdn_spec_joint joint;
  cdn_spec_constraint constraint;
  cdn_spec_frame frame;
  cdn_spec_shape shape;
  cdn_spec_asset asset;
  cdn_spec_sensor sensor;
  cdn_spec_key key;
  cdn_spec_actuator actuator;
  cdn_spec_contact contact;
  cdn_spec_camera camera;
  cdn_spec_light light;
  cdn_spec_tendon tendon;
  cdn_spec_path_item path_item;
  cdn_spec_solver solver;
  cdn_spec_medium medium;
} io_any_element;

#endif
