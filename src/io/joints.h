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

#endif
