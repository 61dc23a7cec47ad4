/* The interface of actuators for the rooms above, beyond the public header. */
#ifndef CARDAN_ACTUATORS_ACTUATORS_H
#define CARDAN_ACTUATORS_ACTUATORS_H

#include <cardan/actuators.h>

/* Whether a subsystem is a drive's, and its rate, which no user has made, follows from another control. */
bool cdni_drive_rate_ignores(const cdn_system *system, cdn_subsystem subsystem, cdn_control control);

#endif
