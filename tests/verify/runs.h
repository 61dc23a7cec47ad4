/* shared by tests in this folder */
/* Systems and runs that the closed-form tests have in common. */
#ifndef CARDAN_TESTS_RUNS_H
#define CARDAN_TESTS_RUNS_H

#include "../testing.h"

/* The mass properties of a point and of a body with a diagonal central inertia. */
cdn_mass_properties point_mass(double mass, cdn_vec3 at);
cdn_mass_properties solid(double mass, cdn_vec3 com, double ixx, double iyy, double izz);
/* A frame at p whose z axis (a pin's) or x axis (a slider's) points along `axis`. */
cdn_transform frame_z(cdn_vec3 axis, cdn_vec3 p);
cdn_transform frame_x(cdn_vec3 axis, cdn_vec3 p);
/* A body on a pin about `axis` through p of the parent and through the body's own origin; parallel axes at q = 0. */
cdn_body add_pin(cdn_system *system, const char *name, cdn_body parent, cdn_vec3 axis, cdn_vec3 p,
                 cdn_mass_properties mass);

/* A State of the System, which it keeps alive: the caller's reference is dropped. */
cdn_state *state_of(cdn_system *system);
cdn_stepper *stepper_of(cdn_state *state, double accuracy);

/* An experiment: runs at one accuracy and returns its largest error against the truth. */
typedef double experiment(double accuracy, const void *what);
/* Repeats it at 1e-3, 1e-4 ... down to `finest`, where factor * accuracy is a small error at all (0.1). Every error
 * must be at most factor * accuracy + floor. Errors must fall as the accuracy does: by 14 over any two decades, with no rise
 * above 2 in between, until they reach the floor that rounding sets. */
void check_convergence(const char *name, experiment *run, const void *what, double factor, double finest, double floor);

#endif
