/* What the room of actuators offers the rooms above, beyond the public header. */
#ifndef CARDAN_ACTUATORS_ACTUATORS_H
#define CARDAN_ACTUATORS_ACTUATORS_H

#include <cardan/actuators.h>

/* What an actuator on a path is. */
typedef struct actuator_on_path {
  cdn_path path;
  double gear; /* its force p pulls with the tension -gear p */
  bool is_muscle;
} actuator_on_path;
/* False: this force is no actuator along a path. O(1). */
bool cdni_actuator_on_path(const cdn_system *system, cdn_force force, actuator_on_path *out);
/* Whether a subsystem is a drive's, and it is known how its rate varies with its control: no user has made it. */
bool cdni_drive_rate_is_known(const cdn_system *system, cdn_subsystem subsystem);
/* Its control, and the derivative of its rate by that. */
cdn_status cdni_drive_rate_by_control(cdn_state *state, cdn_subsystem subsystem, cdn_control *control, double *slope);

#endif
